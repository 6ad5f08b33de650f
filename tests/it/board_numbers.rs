//! Numbers of boards on the pages: distinct, and the same whichever other boards have begun; and the game that a board shows.

use serde_json::{Value, json};

use crate::serve::{OutletFixture, Server};

/// Writes `games.pdn` with an entry for each board in its order; `entry` has the tags, and the moves or the result behind them.
fn write_games<'a>(outlet: &OutletFixture, entries: impl IntoIterator<Item = (Vec<(&'a str, String)>, &'a str)>) {
    let text = |(tags, moves): (Vec<(&str, String)>, &str)| {
        let result = moves.split(' ').next_back().unwrap();
        let tags: String = tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]\n")).collect();
        format!("{tags}[Result \"{result}\"]\n\n{moves}\n\n")
    };
    outlet.write("games.pdn", &entries.into_iter().map(text).collect::<String>());
}

/// Returns the tags of a board's pairing.
fn pairing(board: u64) -> Vec<(&'static str, String)> {
    let player = |color| format!("{color} {board}");
    let round = ("Round", "1".to_owned());
    vec![("White", player("White")), ("Black", player("Black")), round, ("Board", board.to_string())]
}

fn tags(board: u64) -> Value {
    Value::Object(pairing(board).into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect())
}

/// Writes a tournament whose first round has eight pairings and this state.
fn write_tournament(outlet: &OutletFixture, state: &str) {
    let players = (1..=8).flat_map(|board| [(2 * board - 1, "White", board), (2 * board, "Black", board)]);
    let players: Vec<Value> =
        players.map(|(id, color, board)| json!({"id": id, "name": format!("{color} {board}")})).collect();
    let pairings: Vec<Value> =
        (1..=8).map(|id| json!({"id": id, "table": id, "white": 2 * id - 1, "black": 2 * id})).collect();
    let round = json!({"round": 1, "state": state, "byes": [], "matches": [], "pairings": pairings});
    let open = (state == "open").then_some(1);
    let section =
        json!({"id": 1, "name": "Open", "players": players, "teams": [], "open_round": open, "rounds": [round]});
    outlet.write("tournament.json", &json!({"event": {}, "sections": [section]}).to_string());
}

/// Returns the numbers of the boards on a page, each with the name of White; in their order.
fn boards(server: &Server, path: &str) -> Vec<(u64, String)> {
    let html = server.get(path).text();
    let word = |text: &str, after: &str| {
        let rest = text.split_once(after).unwrap_or_else(|| panic!("{after}: {text}")).1;
        rest.split(['<', ':']).next().unwrap().trim().to_owned()
    };
    let cards = html.split("<li").skip(1).filter(|card| card.contains("<h2>"));
    let card = |card: &str| {
        let number = word(card, "Board </span>").parse().unwrap();
        (number, card.split_once("White ").map_or_else(String::new, |(_, rest)| rest.chars().take(1).collect()))
    };
    let mut all: Vec<(u64, String)> = cards.map(card).collect();
    all.sort();
    all
}

fn numbered(white: impl IntoIterator<Item = (u64, &'static str)>) -> Vec<(u64, String)> {
    white.into_iter().map(|(number, name)| (number, name.to_owned())).collect()
}

#[test]
fn analysis_and_spare_board_change_no_other_board() {
    let mut outlet = OutletFixture::new();
    write_tournament(&outlet, "open");
    let is_playing = |board: u64| [1, 2, 5].contains(&board);
    for board in (1..=8).filter(|board| is_playing(*board)) {
        outlet.begin_paired_game(&format!("board-{board}"), 1, tags(board), Some(board as usize));
        outlet.play(&format!("board-{board}"), 1);
    }
    let entry = |board| (pairing(board), if is_playing(board) { "1. 32-28 *" } else { "*" });
    write_games(&outlet, (1..=8).map(entry).chain([(Vec::new(), "1. 32-28 *")]));
    outlet.append_event("board-1", json!({"n": 3, "type": "end"}));
    outlet.append_event("board-1", json!({"n": 4, "type": "result", "result": "2-0"}));
    // An analysis after the game, and a game on a board of no pairing.
    for (board, game) in [("board-1", 2), ("board-9", 1)] {
        outlet.begin_game(board, game, json!({}));
        outlet.play(board, 1);
    }
    let server = outlet.serve();
    let of_round = (1..=8).map(|board| (board, ["1", "2", "3", "4", "5", "6", "7", "8"][board as usize - 1]));
    let expected = numbered(of_round.chain([(9, "")]));
    for path in ["/", "/?wall"] {
        assert_eq!(boards(&server, path), expected, "{path}");
    }
    for board in ["5", "board-5"] {
        assert!(server.get(&format!("/board/{board}")).text().contains("White 5"), "{board}");
    }
    // The board shows the game of its pairing while the round is open, and then the last one.
    let shows_pairing = || server.get("/board/board-1").text().contains("White 1");
    assert!(shows_pairing());
    write_tournament(&outlet, "closed");
    crate::pty::wait_until("the last game", || !shows_pairing());
    assert!(server.get("/game/board-1-1").text().contains("White 1"));
}

/// Returns an outlet with two sections of two pairings. Both count their tables from 1; the second plays on the boards behind those of the first.
/// `rounds`: number and state of the last round of each.
fn two_sections(rounds: [(u64, &str); 2]) -> OutletFixture {
    let outlet = OutletFixture::new();
    let section = |id: u64, (last, state): (u64, &str)| {
        let boards = [2 * id - 1, 2 * id];
        let player = |board: u64| {
            [(2 * board - 1, "White"), (2 * board, "Black")]
                .map(|(id, color)| json!({"id": id, "name": format!("{color} {board}")}))
        };
        let players: Vec<Value> = boards.into_iter().flat_map(player).collect();
        let round = |number: u64| {
            let pairings = boards.map(|board| json!({"id": 4 * (number - 1) + board, "table": table(board), "board": format!("board-{board}"), "white": 2 * board - 1, "black": 2 * board}));
            json!({"round": number, "state": if number == last { state } else { "closed" }, "byes": [], "matches": [], "pairings": pairings})
        };
        let open = (state == "open").then_some(last);
        let rounds: Vec<Value> = (1..=last).map(round).collect();
        json!({"id": id, "name": format!("Section {id}"), "players": players, "teams": [], "open_round": open, "rounds": rounds})
    };
    let listed = (1..=4).map(|board| json!({"board": format!("board-{board}"), "gametype": "20", "tags": {}}));
    let mut outlet = outlet;
    outlet.append_line(json!({"b": 1, "type": "boards", "list": listed.collect::<Vec<_>>()}));
    let sections = [section(1, rounds[0]), section(2, rounds[1])];
    outlet.write("tournament.json", &json!({"event": {}, "sections": sections}).to_string());
    outlet
}

/// Returns the table of a board in its section.
fn table(board: u64) -> u64 {
    1 + (board - 1) % 2
}

/// Begins a game of the first round on a board of [`two_sections`].
fn begin_at_table(outlet: &mut OutletFixture, board: u64) -> String {
    let name = format!("board-{board}");
    let mut tags = pairing(board);
    tags[3].1 = table(board).to_string();
    let tags = tags.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
    outlet.begin_paired_game(&name, 1, Value::Object(tags.collect()), Some(board as usize));
    outlet.play(&name, 1);
    name
}

fn end(outlet: &mut OutletFixture, board: &str) {
    outlet.append_event(board, json!({"n": 3, "type": "end"}));
    outlet.append_event(board, json!({"n": 4, "type": "result", "result": "2-0"}));
}

#[test]
fn sections_that_count_from_one_keep_all_boards() {
    let expected = numbered([(1, "1"), (2, "2"), (3, "3"), (4, "4")]);
    for order in [[1, 3, 2], [3, 1, 2], [4, 3, 1]] {
        let mut outlet = two_sections([(1, "open"); 2]);
        let server = outlet.serve();
        for board in order {
            let name = begin_at_table(&mut outlet, board);
            for is_over in [false, true] {
                if is_over {
                    end(&mut outlet, &name);
                }
                server.wait_for(&outlet);
                for path in ["/", "/?wall", "/round/1"] {
                    assert_eq!(boards(&server, path), expected, "{path} after {name} of {order:?}, over: {is_over}");
                }
                let page = server.get(&format!("/board/{board}")).text();
                assert!(page.contains(&format!("White {board}")), "{board} of {order:?}: {page}");
            }
        }
    }
}

/// Names of boards of two sections end in the same number, and both tables have it.
#[test]
fn number_of_two_claims_stays_with_the_first_board() {
    let mut outlet = OutletFixture::new();
    let names = ["open-3", "women-3"];
    let section = |id: usize| {
        let board = names[id - 1];
        let players: Vec<Value> = [2 * id - 1, 2 * id]
            .iter()
            .map(|player| json!({"id": player, "name": format!("{board} {player}")}))
            .collect();
        let pairing = json!({"id": id, "table": 3, "board": board, "white": 2 * id - 1, "black": 2 * id});
        let round = json!({"round": 1, "state": "open", "byes": [], "matches": [], "pairings": [pairing]});
        json!({"id": id, "name": board, "players": players, "teams": [], "open_round": 1, "rounds": [round]})
    };
    let listed = names.map(|board| json!({"board": board, "gametype": "20", "tags": {}}));
    outlet.append_line(json!({"b": 1, "type": "boards", "list": listed}));
    outlet.write("tournament.json", &json!({"event": {}, "sections": [section(1), section(2)]}).to_string());
    let server = outlet.serve();
    for (id, board) in [(1, names[0]), (2, names[1])] {
        let tags = json!({"White": format!("White of {board}"), "Black": "x", "Round": "1", "Board": "3"});
        outlet.begin_paired_game(board, 1, tags, Some(id));
        outlet.play(board, 1);
        server.wait_for(&outlet);
        let page = server.get("/board/3").text();
        assert!(page.contains("White of open-3"), "after {board}: {page}");
    }
}

/// The first section is done; the second waits for its next round.
#[test]
fn boards_of_closed_section_stay_while_another_waits() {
    let mut outlet = two_sections([(1, "closed"), (2, "open")]);
    for board in 1..=4 {
        let name = begin_at_table(&mut outlet, board);
        end(&mut outlet, &name);
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    assert_eq!(boards(&server, "/"), numbered([(1, "1"), (2, "2"), (3, "3"), (4, "4")]));
}

#[test]
fn boards_without_tags_have_their_places_from_the_first_move() {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-3", json!({"White": "White 3", "Black": "Black 3"}));
    outlet.play("board-3", 1);
    let untagged = |board| pairing(board).into_iter().take(2).collect::<Vec<_>>();
    let entry = |board| (untagged(board), if board == 3 { "1. 32-28 *" } else { "*" });
    write_games(&outlet, (1..=4).map(entry));
    let server = outlet.serve();
    assert_eq!(boards(&server, "/"), numbered([(1, "1"), (2, "2"), (3, "3"), (4, "4")]));
    outlet.begin("board-1", json!({"White": "White 1", "Black": "Black 1"}));
    outlet.play("board-1", 1);
    crate::pty::wait_until("board 1", || server.get("/board/1").text().contains("32-28"));
    assert_eq!(boards(&server, "/"), numbered([(1, "1"), (2, "2"), (3, "3"), (4, "4")]));
    assert!(server.get("/board/3").text().contains("White 3"));
}

#[test]
fn forfeit_is_shown_and_leaves_numbers_of_spare_boards() {
    let outlet = OutletFixture::new();
    write_tournament(&outlet, "open");
    let entry = |board| match board {
        1..=8 => (pairing(board), if board == 4 { "0-2" } else { "*" }),
        _ => (Vec::new(), "*"),
    };
    write_games(&outlet, (1..=16).map(entry));
    let server = outlet.serve();
    let numbers: Vec<u64> = boards(&server, "/").into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, (1..=16).collect::<Vec<_>>());
    assert_eq!(server.get("/board/16").status, 200);
    // The board shows the pairing of its round, also if that needs no game.
    let forfeit = server.get("/board/4").text();
    assert!(forfeit.contains("White 4") && forfeit.contains("Over") && !forfeit.contains("Not started"), "{forfeit}");
}

#[test]
fn own_line_and_report_tell_no_result() {
    let mut outlet = OutletFixture::new();
    write_tournament(&outlet, "closed");
    let mut document: Value =
        serde_json::from_str(&std::fs::read_to_string(outlet.path("tournament.json")).unwrap()).unwrap();
    document["event"] = json!({"name": "Open", "report": "White 1 has won."});
    outlet.write("tournament.json", &document.to_string());
    outlet.begin_paired_game("board-1", 1, tags(1), Some(1));
    outlet.play("board-1", 1);
    let server = outlet.serve_with("hosts = [\"live.example.org\"]");
    assert!(server.get("/event").text().contains("has won"));
    for path in ["/event?hide=results", "/event?hide=results&hide=results", "/event?hide=results&lang=en&lang=nl"] {
        assert!(!server.get(path).text().contains("has won"), "{path}");
    }
    let line = server.get("/game/board-1-1/0/try/32-28").text();
    let preview: Vec<&str> = line.split("<meta").filter(|meta| meta.contains("og:")).collect();
    assert!(
        !preview.is_empty() && preview.iter().all(|meta| !meta.contains("White 1") && !meta.contains("/picture/")),
        "{preview:?}"
    );
}
