//! Outlets: independent folders for different readers. A fault in one harms no other and no recording.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use damcast::engine::broadcast;
use damcast::engine::livefile::{GameHeader, LiveFileContents};
use damcast::outward::follow::{FollowEvent, Follower, Progress, RestartReason};
use damcast::station::disk::{Disk, Durability};
use damcast::station::folder::rebuild::rebuild;
use damcast::station::journal::witness::Witnesses;
use damcast::station::outlets::{EventStreams, EventsFile};
use draughts::Variant;
use rustix::process::Signal;
use serde_json::Value;

use crate::control::{metric_value, metrics, status};
use crate::daemon::{SPEED, StationFolder, moves};
use crate::hall::Hall;
use crate::model_disk::ModelDisk;
use crate::program::{assert_contains, run};
use crate::pty::wait_until;

impl Hall {
    /// Starts a station with these tables before its own.
    pub fn begin(tables: &str) -> Hall {
        let place = StationFolder::new(&["a"]);
        configure(&place, &["a"], tables);
        Hall::start_in(place)
    }

    /// Waits until an outlet shows the whole live file.
    pub fn shows_all(&mut self, outlet: &str) {
        self.wait(&format!("{outlet} shows all"), |hall| {
            let moves = moves(&hall.live(1));
            let events = event_moves(&hall.read(&format!("{outlet}/events.ndjson")));
            let games = hall.read(&format!("{outlet}/games.pdn"));
            events == moves && moves.iter().all(|ply| games.contains(ply))
        });
    }

    fn alarms(&self) -> Vec<Value> {
        status(&self.place)["alarms"].as_array().unwrap().clone()
    }
}

fn configure(place: &StationFolder, lines: &[&str], tables: &str) {
    place.configure(lines, SPEED, "");
    let config = fs::read_to_string(place.path("damcast.toml")).unwrap();
    let config = config.replace("[station]\n", "[station]\nname = \"hall-a\"\n");
    fs::write(place.path("damcast.toml"), format!("[alarm]\ndisk-low = 0\n{tables}{config}")).unwrap();
}

/// Returns the generation of each line of a file of events, and checks that all are from this station.
fn generations(events: &str) -> Vec<Option<String>> {
    let events = events.lines().zip(1..).map(|(line, seq)| {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["seq"], seq);
        let is_of_hall = event.get("station").is_some_and(|station| station == "hall-a");
        assert_eq!(event.get("gen").is_some(), is_of_hall, "{line}");
        event["gen"].as_str().map(str::to_owned)
    });
    events.collect()
}

/// Returns the single generation of all lines.
#[track_caller]
fn generation(events: &str) -> String {
    let all: std::collections::BTreeSet<_> = generations(events).into_iter().collect();
    assert_eq!(all.len(), 1, "{events}");
    all.into_iter().next().unwrap().unwrap()
}

/// Returns the moves in a file of events.
pub fn event_moves(events: &str) -> Vec<String> {
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let moves = events.filter(|event| event["type"] == "move");
    moves.map(|event| event["move"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_outlet_follows_configured_delay() {
    let mut hall = Hall::begin(
        "[public]\ndelay = 86400\n[[outlet]]\nname = \"hall\"\n[[outlet]]\nname = \"late\"\ndelay-plies = 4\n",
    );
    hall.play(8);
    hall.shows_all("public-hall");
    let live = moves(&hall.live(1));
    hall.wait("the late one", |hall| event_moves(&hall.read("public-late/events.ndjson")).len() + 4 == live.len());
    assert_eq!(event_moves(&hall.read("public-late/events.ndjson")), live[..live.len() - 4]);
    // No file mentions the game: it has not begun there.
    let all: String =
        ["events.ndjson", "games.pdn", "started.pdn"].map(|file| hall.read(&format!("public/{file}"))).concat();
    assert!(!all.contains(&live[0]) && event_moves(&hall.read("public/events.ndjson")).is_empty(), "{all}");
    assert!(hall.file("public/events.ndjson").exists());
    // Each has a generation of its own.
    let [of_hall, of_late] =
        ["public-hall", "public-late"].map(|outlet| generation(&hall.read(&format!("{outlet}/events.ndjson"))));
    assert!(of_hall != of_late && of_hall.len() == 16, "{of_hall} {of_late}");
    let outlets = status(&hall.place)["outlets"].clone();
    assert_eq!(
        (&outlets[2]["name"], &outlets[2]["delay_plies"], &outlets[0]["delay_s"]),
        (&"late".into(), &4.into(), &86400.into())
    );
    let sign = |outlet: &str| serde_json::from_str::<Value>(&hall.read(&format!("{outlet}/alive.json"))).unwrap();
    assert_eq!((&sign("public")["delay_s"], &sign("public-late")["delay_plies"]), (&86400.into(), &4.into()));
    // The undelayed folder is not public.
    assert_eq!(fs::metadata(hall.file("live")).unwrap().mode() & 0o007, 0);
    let place = hall.ends_clean();
    // Rebuilt completely from the logs alone.
    let (recordings, other) = (place.path("recordings"), place.path("other"));
    rebuild(&recordings, Some(&other)).unwrap();
    for outlet in ["public", "public-hall", "public-late"] {
        for file in ["events.ndjson", "games.pdn", "started.pdn"] {
            let [found, made] =
                [&recordings, &other].map(|folder| fs::read_to_string(folder.join(outlet).join(file)).unwrap());
            assert_eq!(found, made, "{outlet}/{file}");
        }
    }
}

#[test]
fn obsolete_key_suspends_outlet_and_recording_continues() {
    let place = StationFolder::new(&["a"]);
    configure(&place, &["a"], "[public]\ngames-delay = 900\n[[outlet]]\nname = \"hall\"\n");
    let file = place.path("damcast.toml");
    let wrong = fs::read_to_string(&file).unwrap();
    let checked = run(&["config", "check", "--config", file.to_str().unwrap()]);
    checked.fails(2, "unknown key `games-delay` in [public]");
    let doctor = run(&["doctor", "--free", "0", "--config", file.to_str().unwrap()]);
    assert_contains(&doctor.out, &["WRONG   configuration: outlet public: ", "games-delay"]);
    let mut hall = Hall::start_in(place);
    hall.play(4);
    hall.shows_all("public-hall");
    assert!(!hall.file("public").exists(), "nothing is shown there");
    let is_held = |hall: &Hall| {
        let of_public = |alarm: &Value| alarm["kind"] == "publication" && alarm["place"] == "public";
        let text = hall.alarms().into_iter().find(of_public).map(|alarm| alarm["text"].as_str().unwrap().to_owned());
        text.is_some_and(|text| text.contains("the outlet public is held back") && text.contains("games-delay"))
    };
    hall.wait("the alarm", is_held);
    let (counts, health_problems) = metrics(&hall.place.path("recordings"));
    assert!(health_problems.iter().any(|ill| ill.contains("the outlet public is held back")), "{health_problems:?}");
    assert!(metric_value(&counts, "damcast_alarms{kind=\"publication\"}") >= 1.0);
    assert!(hall.station.output().contains("the outlet public is held back"), "{}", hall.station.output());
    let outlet = status(&hall.place)["outlets"][1].clone();
    assert!(outlet["name"] == "public" && outlet["held"].to_string().contains("games-delay"), "{outlet}");
    // The rest can still be configured; another mistake changes nothing.
    fs::write(&file, wrong.replace("disk-low = 0", "disk-low = 1")).unwrap();
    hall.ctl(&["reload"]).prints("outlet public: still held back");
    fs::write(&file, wrong.replace("name = \"hall\"", "name = \"hall\"\ndelay = -1")).unwrap();
    hall.ctl(&["reload"]).fails(1, "`delay` is a whole number");
    hall.play(6);
    hall.shows_all("public-hall");
    // The outlet resumes after the mistake is corrected.
    fs::write(&file, wrong.replace("games-delay = 900", "delay = 0")).unwrap();
    hall.ctl(&["reload"]).prints("outlet public: it is shown from now on");
    hall.shows_all("public");
    hall.wait("no alarm any more", |hall| hall.alarms().is_empty());
    hall.play(8);
    hall.shows_all("public");
    hall.ends_clean();
}

#[test]
fn missing_outlet_folder_is_reported_and_harms_no_other() {
    let mut hall = Hall::begin("[[outlet]]\nname = \"hall\"\n");
    hall.play(4);
    hall.shows_all("public");
    hall.shows_all("public-hall");
    let events = hall.read("public-hall/events.ndjson");
    let of_hall = |alarm: &Value| alarm["kind"] == "publication" && alarm["place"] == "public-hall";
    // The folder is made again.
    let away = hall.place.path("away");
    fs::rename(hall.file("public-hall"), &away).unwrap();
    hall.wait("the alarm", |hall| hall.alarms().iter().any(of_hall));
    hall.shows_all("public-hall");
    assert!(hall.read("public-hall/events.ndjson").starts_with(&events));
    hall.wait("it is over", |hall| hall.alarms().is_empty());
    // An obstacle suspends this outlet, and the other one goes on.
    for count in 0.. {
        // The station may make the folder again in between.
        fs::rename(hall.file("public-hall"), away.with_extension(count.to_string())).unwrap();
        if fs::write(hall.file("public-hall"), "no folder").is_ok() {
            break;
        }
    }
    hall.wait("the alarm for as long as it lasts", |hall| hall.alarms().iter().any(of_hall));
    hall.play(6);
    hall.shows_all("public");
    let alarms = hall.alarms();
    assert!(alarms.iter().all(of_hall), "{alarms:?}");
    assert!(alarms[0]["text"].as_str().unwrap().starts_with("public-hall: "), "{alarms:?}");
    fs::remove_file(hall.file("public-hall")).unwrap();
    hall.shows_all("public-hall");
    hall.wait("it is over again", |hall| hall.alarms().is_empty());
    hall.play(8);
    hall.ends_clean();
}

/// Gives no sign of life for an outlet whose events cannot be written, as on a full disk.
#[test]
fn outlet_without_its_events_gives_no_sign_of_life() {
    let mut hall = Hall::begin("[[outlet]]\nname = \"hall\"\n");
    hall.play(2);
    hall.shows_all("public-hall");
    // A folder in the place of the file.
    let (events, away) = (hall.file("public-hall/events.ndjson"), hall.place.path("away"));
    for count in 0.. {
        // The station may make the file again in between.
        let _ = fs::rename(&events, away.with_extension(count.to_string()));
        if fs::create_dir(&events).is_ok() {
            break;
        }
    }
    hall.wait("the alarm", |hall| hall.alarms().iter().any(|alarm| alarm["place"] == "public-hall"));
    hall.play(4);
    hall.shows_all("public");
    let signs = |hall: &Hall| ["public", "public-hall"].map(|outlet| hall.read(&format!("{outlet}/alive.json")));
    let before = signs(&hall);
    hall.wait("a sign of the other outlet", |hall| signs(hall)[0] != before[0]);
    let next = signs(&hall);
    hall.wait("its next sign", |hall| signs(hall)[0] != next[0]);
    assert_eq!(signs(&hall)[1], before[1]);
    fs::remove_dir(&events).unwrap();
    hall.shows_all("public-hall");
    hall.wait("signs again", |hall| signs(hall)[1] != before[1]);
    hall.wait("it is over", |hall| hall.alarms().is_empty());
    hall.ends_clean();
}

/// Returns the groups of the machine: their names and numbers.
pub fn groups() -> Vec<(String, u32)> {
    let groups = fs::read_to_string("/etc/group").unwrap();
    let group = |line: &str| {
        let mut fields = line.split(':');
        Some((fields.next()?.to_owned(), fields.nth(1)?.parse().ok()?))
    };
    groups.lines().filter_map(group).collect()
}

/// Returns a group that this user may give files to, and its number.
fn own_group() -> (String, u32) {
    let own = fs::metadata(tempfile::tempdir().unwrap().path()).unwrap().gid();
    let is_root = rustix::process::geteuid().is_root();
    // Root may give files to any group; a group other than root's own makes the test stronger.
    groups().into_iter().find(|(_, id)| if is_root { *id != 0 } else { *id == own }).unwrap()
}

#[test]
fn outlet_is_for_group_only() {
    let (group, id) = own_group();
    let mut hall = Hall::begin(&format!("[[outlet]]\nname = \"hall\"\ngroup = {group:?}\n"));
    hall.play(4);
    hall.shows_all("public-hall");
    for (name, mode) in [("", 0o2750), ("archive", 0o2750), ("events.ndjson", 0o040), ("games.pdn", 0o040)] {
        let there = fs::metadata(hall.file("public-hall").join(name)).unwrap();
        let asked = if mode == 0o040 { 0o050 } else { 0o7777 };
        assert_eq!((there.gid(), there.mode() & asked), (id, mode), "{name}");
    }
    // Existing files are given to a group that is set later.
    configure(
        &hall.place,
        &["a"],
        &format!("[public]\ngroup = {group:?}\n[[outlet]]\nname = \"hall\"\ngroup = \"no-such-group\"\n"),
    );
    let events = fs::metadata(hall.file("public/events.ndjson")).unwrap();
    assert_eq!(hall.ctl(&["reload"]).code, 0);
    hall.wait("the group of public", |hall| {
        let there = fs::metadata(hall.file("public/events.ndjson")).unwrap();
        there.gid() == id && there.mode() & 0o040 != 0 && there.ino() == events.ino()
    });
    hall.wait("the alarm of the missing group", |hall| {
        let is_it = |alarm: &Value| alarm["text"].as_str().unwrap().contains("`sudo groupadd --system no-such-group`");
        hall.alarms().iter().any(|alarm| alarm["place"] == "public-hall" && is_it(alarm))
    });
    let doctor = run(&["doctor", "--free", "0", "--config", &hall.place.config()]);
    assert!(doctor.out.contains("outlet hall: there is no group no-such-group"), "{}", doctor.out);
    // The outlet is still written.
    hall.play(6);
    hall.shows_all("public-hall");
}

#[test]
fn generation_outlives_file_and_changes_on_renumbering() {
    let mut hall = Hall::begin("");
    hall.play(4);
    hall.shows_all("public");
    let mut follower = Follower::new(hall.file("public/events.ndjson"), Progress::default());
    let own = generation(&hall.read("public/events.ndjson"));
    let kept = hall.read("log/events.order");
    let of_log =
        |alarm: &Value| alarm["text"].as_str().unwrap().contains("log/events.order: it was removed, cut or replaced");
    // While the station runs: an alarm is raised, and the file is written again.
    fs::remove_file(hall.file("log/events.order")).unwrap();
    hall.wait("the alarm", |hall| hall.alarms().iter().any(of_log));
    hall.wait("it is there again", |hall| hall.read("log/events.order").starts_with(&kept));
    // While it is stopped: the next start restores it from the lines of events.
    hall.stop();
    let (events, kept) = (hall.read("public/events.ndjson"), hall.read("log/events.order"));
    fs::remove_file(hall.file("log/events.order")).unwrap();
    hall.place.fsck().prints("log/events.order: mended: it lacks ");
    hall.station = hall.place.start();
    hall.pty.wait_for_the_station();
    hall.play(6);
    hall.shows_all("public");
    assert!(hall.read("log/events.order").starts_with(&kept));
    assert!(hall.read("public/events.ndjson").starts_with(&events));
    assert_contains(&hall.station.output(), &["log/events.order lacked "]);
    // A follower gets every line exactly once.
    let followed = |follower: &mut Follower| {
        let mut text = String::new();
        while let Some(news) = follower.next(std::time::Duration::from_millis(300)).unwrap() {
            match news {
                FollowEvent::Line(line) => text += &line.text,
                other => panic!("{other:?}"),
            }
        }
        text
    };
    assert_eq!(followed(&mut follower), hall.read("public/events.ndjson"));
    // The file and its order are gone: the numbering is lost.
    hall.stop();
    for file in ["public/events.ndjson", "log/events.order"] {
        fs::remove_file(hall.file(file)).unwrap();
    }
    assert_eq!(follower.next(std::time::Duration::ZERO).unwrap(), Some(FollowEvent::FileMissing));
    hall.station = hall.place.start();
    hall.pty.wait_for_the_station();
    hall.shows_all("public");
    let other = generation(&hall.read("public/events.ndjson"));
    assert_ne!(other, own);
    let why = RestartReason::OtherGeneration;
    let news = loop {
        match follower.next(std::time::Duration::from_secs(20)).unwrap() {
            // A follower may see the file half written.
            Some(FollowEvent::Truncated { lines: 0 }) => {}
            news => break news,
        }
    };
    assert_eq!(news, Some(FollowEvent::Restarted { generation: Some(other), reason: why }));
    assert_eq!(followed(&mut follower), hall.read("public/events.ndjson"));
    hall.ends_clean();
}

#[test]
fn order_cut_at_line_is_found_and_stops_its_outlet() {
    let mut hall = Hall::begin("[[outlet]]\nname = \"hall\"\n");
    hall.play(6);
    hall.shows_all("public");
    hall.stop();
    let [order, events] = ["log/events.order", "public/events.ndjson"].map(|file| hall.file(file));
    let whole = fs::read_to_string(&order).unwrap();
    let cut = |path: &Path, lines: usize| {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
        fs::read_to_string(path).unwrap()
    };
    let shown = cut(&events, 3);
    cut(&order, 4);
    let check = hall.place.fsck();
    assert!(check.code == 1 && check.out.contains("log/events.order: wrong: its end is missing"), "{}", check.out);
    let rebuild = run(&["rebuild", &hall.place.directory()]);
    assert!(rebuild.code != 0 && rebuild.err.contains("its end is missing"), "{}", rebuild.err);
    hall.station = hall.place.start();
    hall.pty.wait_for_the_station();
    hall.wait("the alarm", |hall| {
        hall.alarms().iter().any(|alarm| alarm["text"].to_string().contains("its end is missing"))
    });
    hall.play(8);
    hall.shows_all("public-hall");
    assert_eq!(hall.read("public/events.ndjson"), shown);
    // With a copy of the order file the outlet resumes.
    fs::write(&order, whole).unwrap();
    hall.shows_all("public");
    assert!(hall.read("public/events.ndjson").starts_with(&shown));
    hall.ends_clean();
}

const FOLDER: [&str; 2] = ["/r/public", "/r/log"];

/// Returns two boards with this game.
/// The relay of lidraughts reads 64 games of a file.
#[test]
fn hall_of_66_boards_has_parts_for_lidraughts() {
    let names: Vec<String> = (1..=66).map(|board| format!("b{board}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = StationFolder::new(&[]);
    configure(&place, &names, "");
    let config = place.path("damcast.toml").display().to_string();
    let check = run(&["config", "check", "--config", &config]);
    assert_contains(&check.out, &["part/1/games.pdn to part/2/games.pdn have 64 each"]);
    let mut station = place.start();
    let read = |name: &str| fs::read_to_string(place.path("recordings/public").join(name)).unwrap_or_default();
    let count = |name: &str| read(name).matches("[GameType ").count();
    wait_until("the parts", || {
        [count("games.pdn"), count("part/1/games.pdn"), count("part/2/games.pdn")] == [66, 64, 2]
    });
    assert_eq!(format!("{}\n{}", read("part/1/games.pdn"), read("part/2/games.pdn")), read("games.pdn"));
    let part = place.path("recordings/public/part/1/games.pdn").display().to_string();
    let check = run(&["check", "--profile", "lidraughts", &part]);
    assert_eq!(check.code, 0, "{}", check.out);
    // With fewer boards there are no parts.
    configure(&place, &names[..10], "");
    run(&["ctl", "reload", "--config", &config]).done();
    wait_until("no parts", || count("games.pdn") == 10 && read("part/1/games.pdn").is_empty());
    assert!(read("part/2/games.pdn").is_empty());
    station.signal(Signal::TERM);
    let fsck = run(&["fsck", &place.path("recordings").display().to_string()]);
    assert_eq!(fsck.code, 0, "{}", fsck.out);
}

fn boards() -> [broadcast::Board; 2] {
    const LINES: [&str; 3] = ["1. 32-28", "19-23", "2. 28x19"];
    let at = chrono::DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
    let variant = Variant::international();
    let opening =
        GameHeader { game: 3, variant, tags: Vec::new(), pairing_id: None, continued_game: None, is_entered: false };
    let text = opening.header_lines().join("\n") + "\n" + &LINES.join("\n");
    let mut game = broadcast::GameRecord::new(opening, at);
    let entries = LiveFileContents::parse(3, &text).unwrap().entries;
    entries.into_iter().for_each(|entry| game.apply(at, broadcast::GameChange::Entry(entry)));
    ["a", "b"].map(|name| {
        let mut board = broadcast::Board::new(name, variant, Vec::new());
        board.push(game.clone());
        board
    })
}

/// Simulates the next start: opens the file of events and appends all missing events. Returns its content after each step.
fn start(disk: &ModelDisk, durability: Durability) -> Vec<String> {
    let [folder, log] = FOLDER.map(Path::new);
    let boards = boards();
    let mut file = EventsFile::new("public", folder, log, Witnesses::default());
    let course = broadcast::TournamentHistory::default();
    file.open(disk, (Some("hall-a"), 0), |generation| EventStreams::new(&boards, &course, &[], generation)).unwrap();
    let read = || String::from_utf8(disk.read(&folder.join("events.ndjson")).unwrap()).unwrap();
    let mut states = vec![read()];
    for n in 0..4 {
        for board in boards.iter().rev() {
            let game = &*board.games[0].load().unwrap();
            let events =
                broadcast::events::events(board, game, broadcast::Delay::NO_DELAY.view(game, game.last_change_at()), 0);
            if file.written(&events[n].id().key()) == n as u64 {
                file.write(disk, &events[n..=n], durability).unwrap();
                states.push(read());
            }
        }
    }
    states
}

/// Loses the power before every operation, with all, none or one of the outstanding ones; `seen` gets the file before the loss, and after
/// the next start: when opened and at the end.
fn lose_power(durability: Durability, mut seen: impl FnMut(&str, &str, &str)) {
    let disk = ModelDisk::new();
    disk.keep_history();
    start(&disk, durability);
    for model in disk.history() {
        let before = model.files(FOLDER[0]).remove(&Path::new(FOLDER[0]).join("events.ndjson")).unwrap_or_default();
        let before = String::from_utf8(before).unwrap();
        let outstanding = model.outstanding();
        let losses = (0..outstanding).map(Some).chain([None]);
        for kept in losses.flat_map(|one| [(one, true), (one, false)]) {
            let (one, is_kept) = kept;
            let after = model.after_power_loss(|index| (Some(index) == one) != is_kept);
            let states = start(&after, durability);
            seen(&before, states.first().unwrap(), states.last().unwrap());
        }
    }
}

#[test]
fn generation_and_events_survive_power_loss() {
    let mut losses = 0;
    lose_power(Durability::Safe, |before, opened, last| {
        let whole = &before[..before.rfind('\n').map_or(0, |end| end + 1)];
        assert!(opened.starts_with(whole), "{before}\n{opened}");
        assert!(last.starts_with(opened) && last.lines().count() == 8, "{last}");
        assert_eq!(generation(last).len(), 16);
        losses += 1;
    });
    assert!(losses > 100, "{losses}");
    // Proves the check: events that are not durable are lost and numbered again.
    let mut is_taken_back = false;
    lose_power(Durability::Lazy, |before, opened, _| is_taken_back |= !opened.starts_with(before));
    assert!(is_taken_back);
}
