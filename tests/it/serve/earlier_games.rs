//! Games that are over leave the memory of the server; their pages are made from the file of events.

use std::os::unix::fs::FileExt;

use super::*;

use draughts::{Position, Variant};
use draughts_pdn::{fen, notation};

/// Boards that play at the same time.
const BOARDS: usize = 4;
const PLIES: usize = 24;
/// Memory that an earlier game may take, in kB.
const KB_PER_GAME: u64 = 4;

/// A move with the position after it.
struct PlayedMove {
    text: String,
    fen: String,
}

/// Plays a game of [`PLIES`] moves; `style` chooses among the legal ones.
fn moves(style: usize) -> Vec<PlayedMove> {
    let variant = Variant::international();
    let mut position = Position::start(variant);
    let mut played = Vec::new();
    for ply in 0..PLIES {
        let legal = position.legal_moves();
        let chosen = &legal[(style + ply) % legal.len()];
        let text = notation::write(variant, chosen, &legal);
        position = position.play(chosen);
        played.push(PlayedMove { text, fen: fen::write(variant, &position.setup()) });
    }
    played
}

/// Result of a game by its number.
fn result(game: usize) -> &'static str {
    ["2-0", "1-1", "0-2"][game % 3]
}

/// Writes the events of games, [`BOARDS`] at a time, without the last result. Returns the moves by style: game `g` has style `g % 7`.
fn play_games(outlet: &mut OutletFixture, games: usize) -> Vec<Vec<PlayedMove>> {
    let styles: Vec<Vec<PlayedMove>> = (0..7).map(moves).collect();
    let mut text = outlet.events_if_any();
    let mut add = |board: usize, game: usize, more: String| {
        outlet.seq.set(outlet.seq.get() + 1);
        let (seq, generation) = (outlet.seq.get(), &outlet.generation);
        text += &format!(
            "{{\"seq\":{seq},\"gen\":\"{generation}\",\"station\":\"hall\",\"at\":\"2026-11-21T09:31:02.120+01:00\",\"board\":\"board-{board}\",\"game\":{game},{more}}}\n"
        );
    };
    for game in 1..=games / BOARDS {
        for board in 1..=BOARDS {
            let tags = json!({"White": format!("Jansen {game}"), "Black": format!("Ba {board}"), "Event": "Open", "Site": "Huissen",
                "Date": "2026.11.21", "Round": game.to_string(), "Board": board.to_string(), "WhiteRating": "2200", "Annotator": "none"});
            add(
                board,
                game,
                format!(
                    "\"n\":1,\"type\":\"game\",\"gametype\":\"20,W,10,10,N2,0\",\"tags\":{tags},\"fen\":\"{START}\""
                ),
            );
        }
        for (ply, one) in styles[game % styles.len()].iter().enumerate() {
            let (number, side) = (ply / 2 + 1, ["white", "black"][ply % 2]);
            for board in 1..=BOARDS {
                add(
                    board,
                    game,
                    format!(
                        "\"n\":{},\"type\":\"move\",\"ply\":{},\"number\":{number},\"side\":\"{side}\",\"move\":\"{}\",\"clock\":{{\"white\":{},\"black\":1800}},\"fen\":\"{}\"",
                        ply + 2,
                        ply + 1,
                        one.text,
                        1800 - ply,
                        one.fen
                    ),
                );
            }
        }
        for board in 1..=BOARDS {
            add(board, game, format!("\"n\":{},\"type\":\"end\"", PLIES + 2));
            add(board, game, format!("\"n\":{},\"type\":\"result\",\"result\":\"{}\"", PLIES + 3, result(game)));
        }
    }
    fs::write(outlet.path("events.ndjson"), text).unwrap();
    styles
}

/// Checks the page and the PDN of a game of [`play_games`].
#[track_caller]
fn assert_game(server: &Server, board: usize, game: usize, styles: &[Vec<PlayedMove>]) {
    let played = &styles[game % styles.len()];
    let page = server.get(&format!("/game/board-{board}-{game}"));
    assert_eq!(page.status, 200, "{}", page.text());
    let page = page.text();
    for (one, ply) in played.iter().zip(1..) {
        let at = page.find(&format!("data-at=\"{ply}\" ")).unwrap_or_else(|| panic!("no ply {ply}"));
        let cell = &page[at..at + page[at..].find("</a>").unwrap()];
        assert_contains(cell, &[&format!("data-fen=\"{}\"", one.fen), &one.text.replace('x', "×")]);
    }
    assert_contains(&page, &[&format!("Jansen {game}"), &format!("Ba {board}"), "Huissen"]);
    let earlier = server.get(&format!("/game/board-{board}-{game}?ply=3")).text();
    assert_contains(&earlier, &[&format!("data-fen=\"{}\">", played[2].fen)]);
    let pdn = server.get(&format!("/game/board-{board}-{game}.pdn")).text();
    let mut sheet = String::new();
    for (pair, number) in played.chunks(2).zip(1..) {
        sheet += &format!("{number}. {} {} ", pair[0].text, pair[1].text);
    }
    let joined = pdn.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_contains(&joined, &["[Annotator \"none\"]", &format!("[Result \"{}\"]", result(game)), &sheet]);
}

/// Returns the largest memory that a process has had, in kB.
fn peak(process: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    peak.trim().parse().unwrap()
}

#[test]
fn memory_hardly_grows_with_games() {
    let mut peaks = Vec::new();
    for games in [200, 2000] {
        let mut outlet = OutletFixture::new();
        let styles = play_games(&mut outlet, games);
        let server = outlet.serve();
        server.wait_for(&outlet);
        for (board, game) in [(1, 1), (2, games / BOARDS / 2), (BOARDS, games / BOARDS)] {
            assert_game(&server, board, game, &styles);
        }
        peaks.push(peak(&server.process));
        println!("{games} games, {} MB of events: {} kB", outlet.events().len() >> 20, peaks.last().unwrap());
    }
    assert!(peaks[1] < peaks[0] + 1800 * KB_PER_GAME, "{peaks:?} kB");
}

#[test]
fn pages_of_many_earlier_games_leave_memory() {
    let mut outlet = OutletFixture::new();
    play_games(&mut outlet, 800);
    let server = outlet.serve();
    let before = peak(&server.process);
    for game in 1..=200 {
        for (board, language) in [(1, "en"), (2, "nl"), (3, "ru"), (4, "fr")] {
            assert_eq!(server.get(&format!("/game/board-{board}-{game}?lang={language}")).status, 200);
        }
    }
    let after = peak(&server.process);
    println!("{before} kB before, {after} kB after 800 pages");
    // The pages have 40 MB.
    assert!(after < before + 20_000, "{before} kB before, {after} kB after");
}

#[test]
fn earlier_game_takes_its_corrections() {
    let mut outlet = OutletFixture::new();
    let styles = play_games(&mut outlet, 40);
    let server = outlet.serve();
    assert_game(&server, 1, 2, &styles);
    let correct = |field: &str, old: &str, new: &str| json!({"game": 2, "t": 1, "type": "tag-correction", "field": field, "old": old, "new": new});
    outlet.append_event("board-1", correct("Result", result(2), "1-1"));
    outlet.append_event("board-1", correct("White", "Jansen 2", "De Vries"));
    outlet.append_event("board-1", correct("Annotator", "", "Sijbrands"));
    server.wait_for(&outlet);
    let page = server.get("/game/board-1-2").text();
    assert!(page.contains("De Vries") && !page.contains("Jansen 2"), "{page}");
    assert_contains(&server.get("/standings").text(), &["De Vries"]);
    assert_contains(&server.get("/game/board-1-2.pdn").text(), &["[Annotator \"Sijbrands\"]", "[Result \"1-1\"]"]);
    assert_game(&server, 2, 2, &styles);
}

#[test]
fn unreadable_file_is_answer_503_and_no_old_game() {
    let mut outlet = OutletFixture::new();
    let styles = play_games(&mut outlet, 40);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let (path, aside) = (outlet.path("events.ndjson"), outlet.path("../aside.ndjson"));
    // Pages that were made before stay in the cache, so each cause gets a game of its own.
    let assert_refused = |game: usize, why: &str| {
        let page = format!("/game/board-1-{game}");
        for page in [page.clone(), page.clone() + "?ply=3", page + ".pdn"] {
            let answer = server.get(&page);
            assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{why}: {page}");
            assert_contains(&answer.text(), &["This game cannot be read at the moment"]);
        }
        // Pages that do not need the file stay available.
        assert_eq!((server.get("/").status, server.get("/board/1").status), (200, 200), "{why}");
        assert_contains(&server.get("/standings").text(), &["Jansen 1"]);
    };
    // A letter changes in place, which the follower does not notice.
    let at = outlet.events().find("Jansen 1").unwrap() as u64;
    let write = |letter: &[u8]| OpenOptions::new().write(true).open(&path).unwrap().write_all_at(letter, at).unwrap();
    write(b"H");
    assert_refused(1, "another name");
    write(b"J");
    assert_game(&server, 1, 1, &styles);
    fs::rename(&path, &aside).unwrap();
    assert_refused(2, "the file is missing");
    std::os::unix::fs::symlink(&aside, &path).unwrap();
    assert_refused(3, "the file is a link");
    fs::remove_file(&path).unwrap();
    fs::rename(&aside, &path).unwrap();
    (1..=3).for_each(|game| assert_game(&server, 1, game, &styles));
}
