//! Two sections over nine rounds, one of them in two rooms: stations of tables without electronics, their pages, and a hub. The other room's
//! results come to the leading one as docs/halls.md says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::control::run_ctl;
use crate::daemon::{Station, StationFolder};
use crate::entry_station::{enter, started, tables};
use crate::program::run_with_input;
use crate::pty::wait_until;
use crate::rounds::tournament;
use crate::serve::hub::{HubFixture, wait_long};
use crate::serve::{Server, serve};

const ROUNDS: usize = 9;
/// Sections with their numbers of players. A station takes 128 requests of a user at once: more games would wait.
const OPEN: (&str, usize) = ("Open", 10);
const YOUTH: (&str, usize) = ("Youth", 6);
/// Boards of the section in two rooms that are in the first room.
const FIRST_ROOM: usize = 3;
const RESULTS: [&str; 3] = ["2-0", "1-1", "0-2"];

/// Game that must be shown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Paired {
    section: &'static str,
    round: usize,
    board: usize,
    white: String,
    black: String,
    result: &'static str,
}

/// Returns the pairings of a round robin: in each round the players but the last move on by one place. After the last opponent it begins again.
fn pairings((section, players): (&'static str, usize)) -> Vec<Paired> {
    let name = |player: usize| format!("{section} {player}");
    let mut all = Vec::new();
    for round in 1..=ROUNDS {
        for board in 1..=players / 2 {
            let place = |at: usize| (at + round) % (players - 1) + 1;
            let mut pair = match board {
                1 => [place(0), players],
                _ => [place(board - 1), place(players - board)],
            };
            if (round + board) % 2 == 0 {
                pair.reverse();
            }
            let [white, black] = pair.map(name);
            all.push(Paired { section, round, board, white, black, result: RESULTS[(round * 2 + board) % 3] });
        }
    }
    all
}

/// Station of a room, with its pages.
struct Room {
    place: StationFolder,
    _station: Station,
    pages: Server,
}

impl Room {
    fn start(boards: &[String], keys: &str, sections: &[(&'static str, usize)]) -> Room {
        let names: Vec<&str> = boards.iter().map(String::as_str).collect();
        let place = tables(&names, 20);
        place.prepend_config(&format!("[serve]\naddress = \"127.0.0.1:0\"\n{keys}"));
        let station = started(&place);
        for (section, count) in sections.iter().copied() {
            let players: String = (1..=count).map(|number| format!("{number};{section} {number}\n")).collect();
            let rows = pairings((section, count));
            let rows = rows.iter().map(|row| format!("{};{};{};{}\n", row.round, row.board, row.white, row.black));
            let files = [
                ("players.csv", format!("No;Name\n{players}")),
                ("rounds.csv", format!("Round;Board;White;Black\n{}", rows.collect::<String>())),
            ];
            for (name, text) in files {
                fs::write(place.path(name), text).unwrap();
                tournament(&place, &["--section", section, "import", place.path(name).to_str().unwrap()]).done();
            }
        }
        let pages = serve(Path::new(&place.config()));
        Room { place, _station: station, pages }
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) {
        run_ctl(&self.place, &[&["ctl"], arguments].concat()).done();
    }

    /// Plays a game on a board, and enters its result.
    fn play(&self, name: &str, game: &Paired) {
        wait_until(&format!("the pairing of {name} in round {}", game.round), || {
            let log =
                fs::read_to_string(self.place.path("recordings/log").join(format!("{name}-1.log"))).unwrap_or_default();
            log.rsplit("! pairing ").next().is_some_and(|pairing| {
                pairing.contains(&format!("[White \"{}\"]", game.white))
                    && pairing.contains(&format!("[Round \"{}\"]", game.round))
            })
        });
        enter(&self.place, name, &["32-28", "19-23"]).done();
        self.done(&["result", name, game.result, "--confirm"]);
    }
}

/// Returns the games of a file: names and result.
fn games(text: &str) -> Vec<[String; 3]> {
    let tag = |game: &str, name: &str| {
        let rest = game.split(&format!("[{name} \"")).nth(1);
        rest.and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned()
    };
    let games = text.split("\n\n").filter(|part| part.contains("[White \""));
    games.map(|game| ["White", "Black", "Result"].map(|name| tag(game, name))).collect()
}

/// Returns the names and results that a file of games must have.
fn expected<'g>(played: impl IntoIterator<Item = &'g Paired>) -> BTreeSet<[String; 3]> {
    played.into_iter().map(|game| [game.white.clone(), game.black.clone(), game.result.to_owned()]).collect()
}

fn points(played: &[Paired], section: &str) -> BTreeMap<String, usize> {
    let mut points = BTreeMap::new();
    for game in played.iter().filter(|game| game.section == section) {
        let (white, black) = game.result.split_once('-').unwrap();
        *points.entry(game.white.clone()).or_default() += white.parse::<usize>().unwrap();
        *points.entry(game.black.clone()).or_default() += black.parse::<usize>().unwrap();
    }
    points
}

fn shown_points(hub: &HubFixture, section: &str) -> BTreeMap<String, usize> {
    let document: Value = serde_json::from_str(&hub.read("standings.json")).unwrap_or_default();
    let of = document["sections"].as_array().into_iter().flatten().find(|of| of["section"] == section);
    let rows = of.and_then(|of| of["rows"].as_array()).into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| (text(&row["name"]), text(&row["points"]).parse().unwrap_or(usize::MAX))).collect()
}

/// Plays a round in both rooms, and brings the results of the second room to the first.
fn play_round(rooms: [&Room; 2], games_of_round: &[(usize, String, &Paired)], round: usize) {
    let number = round.to_string();
    rooms.iter().for_each(|room| room.done(&["round", "open", &number, "--confirm"]));
    for (room, name, game) in games_of_round {
        rooms[*room].play(name, game);
    }
    let address = format!("/round/{round}/games.pdn");
    let brought = games_of_round.iter().filter(|(room, ..)| *room == 1).map(|(.., game)| *game);
    let brought = expected(brought);
    wait_until("the results of the second room", || {
        games(&rooms[1].pages.get(&address).text()).into_iter().collect::<BTreeSet<_>>().is_superset(&brought)
    });
    let import = ["tournament", "import", "-", "--directory", &rooms[0].place.directory()];
    run_with_input(&import, rooms[1].pages.get(&address).text().as_bytes()).prints("3 games are of other sections");
    rooms.iter().for_each(|room| room.done(&["round", "close", &number, "--confirm"]));
}

#[test]
fn section_in_two_rooms_is_one_section() {
    let open: Vec<String> = (1..=OPEN.1 / 2).map(|board| format!("open-{board}")).collect();
    let youth = (1..=YOUTH.1 / 2).map(|board| format!("youth-{board}"));
    let second: Vec<String> = open[FIRST_ROOM..].iter().cloned().chain(youth).collect();
    let one = Room::start(&open[..FIRST_ROOM], "", &[OPEN]);
    let two = Room::start(&second, "[tournament]\nfirst-board = 4\n", &[OPEN, YOUTH]);
    let mut hub = HubFixture::new(&[
        ("main", &format!("folder = {:?}", one.place.path("recordings/public"))),
        ("side", &format!("url = \"http://{}\"", two.pages.address)),
    ]);
    let played: Vec<Paired> = [pairings(OPEN), pairings(YOUTH)].concat();
    for round in 1..=ROUNDS {
        let of_round = played.iter().filter(|game| game.round == round);
        let placed = of_round.map(|game| {
            let is_first = game.section == "Open" && game.board <= FIRST_ROOM;
            (usize::from(!is_first), format!("{}-{}", game.section.to_lowercase(), game.board), game)
        });
        play_round([&one, &two], &placed.collect::<Vec<_>>(), round);
    }
    for section in ["Open", "Youth"] {
        let right = points(&played, section);
        wait_long(section, || shown_points(&hub, section) == right);
    }
    for round in 1..=ROUNDS {
        let right = expected(played.iter().filter(|game| game.round == round));
        let file = format!("round/{round}/games.pdn");
        wait_long(&file, || games(&hub.read(&file)).len() == right.len());
        wait_long(&file, || games(&hub.read(&file)).into_iter().collect::<BTreeSet<_>>() == right);
    }
    let right = expected(played.iter().filter(|game| game.round == ROUNDS));
    assert_eq!(games(&hub.read("games.pdn")).into_iter().collect::<BTreeSet<_>>(), right, "games.pdn");
    let archived = || {
        let files = fs::read_dir(hub.path("archive")).into_iter().flatten().flatten();
        files.flat_map(|file| games(&fs::read_to_string(file.path()).unwrap())).collect::<Vec<_>>()
    };
    wait_long("the archive", || archived().len() == played.len());
    assert_eq!(archived().into_iter().collect::<BTreeSet<_>>(), expected(&played));
    check_hidden_name(&mut hub, &two);
}

/// Hides a player in the second room, and waits until no file of the hub that viewers can read has the name.
fn check_hidden_name(hub: &mut HubFixture, room: &Room) {
    let root = hub.path("");
    let is_readable = |file: &PathBuf| {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let is_private = ["/events.ndjson", "/.tournament.json"].iter().any(|own| name.ends_with(own));
        !(name.starts_with("hall/") && is_private)
    };
    let named = |hub: &HubFixture| hub.files_with("Open 3").into_iter().filter(is_readable).collect::<Vec<_>>();
    assert!(named(hub).len() > 10, "{:?}", named(hub));
    room.done(&["rename-player", "Open 3", "N. N.", "--section", "Open"]);
    wait_long("no name", || named(hub).is_empty());
    // A restart shows the name in no file, and begins no other generation.
    let generation = hub.generation();
    let taken = |hub: &HubFixture, name: &str| fs::metadata(hub.path(name)).unwrap().modified().unwrap();
    for name in ["hall/main/.tournament.json", "hall/side/.tournament.json", "hall/main/games.pdn"] {
        let before = taken(hub, name);
        hub.kill();
        hub.start();
        wait_long(name, || {
            assert!(named(hub).is_empty(), "{:?}", named(hub));
            taken(hub, name) != before
        });
    }
    assert_eq!(hub.generation(), generation);
    let config = hub.path("").with_file_name("pages.toml");
    fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {:?}\n", hub.path(""))).unwrap();
    let pages = serve(&config);
    for path in ["/standings", "/events.ndjson", "/round/1/games.pdn", "/hall/main/games.pdn", "/tournament.json"] {
        wait_until(path, || pages.get(path).status == 200);
        let text = pages.get(path).text();
        assert!(!text.contains("Open 3") && text.contains("Open 1"), "{path}: {text}");
    }
    for path in ["/hall/main/events.ndjson", "/hall/main/.tournament.json"] {
        assert_eq!(pages.get(path).status, 404, "{path}");
    }
}
