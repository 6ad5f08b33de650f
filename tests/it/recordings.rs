//! Recordings of an independent simulated board, played back: the recorded moves equal the played ones.

use damcast::engine::bytelog::{self, RecordKind};
use damcast::engine::millis::Millis;
use damcast::engine::session::{Effect, Input, Line, LineSettings, Output};
use draughts::Variant;

/// Returns the lines of the live files of a recording, and the notices.
fn play_back(name: &str) -> (Vec<String>, Vec<String>) {
    play_back_chunked(name, usize::MAX)
}

fn play_back_chunked(name: &str, size: usize) -> (Vec<String>, Vec<String>) {
    let path = format!("{}/tests/data/replay/{name}.log", env!("CARGO_MANIFEST_DIR"));
    let log = bytelog::read(&std::fs::read(path).unwrap()).unwrap();
    let mut settings = LineSettings::new(Variant::from_tag(log.header.game_type.as_deref().unwrap_or("20")).unwrap());
    settings.opened = log.header.opened;
    let mut line = Line::new(settings);
    let (mut lines, mut notices) = (Vec::new(), Vec::new());
    for record in log.records {
        let inputs = match record.kind {
            RecordKind::FromBoard(bytes) => bytes.chunks(size).map(|part| Input::Bytes(part.to_vec())).collect(),
            RecordKind::LinkUp => vec![Input::LinkUp],
            RecordKind::LinkDown => vec![Input::LinkDown],
            RecordKind::Operator(text) => vec![Input::Request(text.parse().unwrap())],
            RecordKind::Tick => vec![Input::Tick],
            _ => continue,
        };
        for output in inputs.into_iter().flat_map(|input| line.handle(Millis(record.at), input)) {
            lines.extend(output.effect.lines());
            match output.effect {
                Effect::Info(text) | Effect::Notice(text) | Effect::Note(text) => {
                    notices.push(format!("{} {text}", output.at))
                }
                _ => {}
            }
        }
    }
    (lines, notices)
}

/// Returns the companion of a recording.
fn companion(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/data/replay/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the entries of a file without numbers and clock comments: moves and setups.
fn entries(lines: &[String]) -> Vec<String> {
    let movetext = lines.iter().filter(|line| !line.is_empty() && !line.starts_with('['));
    let bare = |line: &String| {
        let line = line.split(" {").next().unwrap_or_default();
        if line.starts_with('/') { line.to_owned() } else { line.rsplit(' ').next().unwrap_or_default().to_owned() }
    };
    movetext.map(bare).collect()
}

/// Returns the true moves of a recording.
fn moves_played(name: &str) -> Vec<String> {
    let truth = companion(name);
    let entries = truth["truth"].as_array().unwrap();
    entries.iter().filter_map(|entry| Some(entry["move"].as_str()?.to_owned())).collect()
}

/// Returns the recorded entries, without the `*` of a game that was closed.
fn recorded(name: &str) -> Vec<String> {
    let (lines, notices) = play_back(name);
    println!("{name}:\n{}", notices.join("\n"));
    entries(&lines).into_iter().filter(|entry| entry != "*" && entry != "=").collect()
}

#[test]
fn ideal_hands_are_recorded_exactly() {
    for name in ["ideal", "ideal-turned"] {
        assert_eq!(recorded(name), moves_played(name), "{name}");
    }
}

#[test]
fn hands_with_faults_are_recorded_exactly() {
    for name in ["calm", "club", "blitz"] {
        assert_eq!(recorded(name), moves_played(name), "{name}");
    }
}

#[test]
fn without_clock_all_moves_are_recorded() {
    // Without a clock the end of the game is invisible: analysis may follow.
    let (recorded, played) = (recorded("no-clock"), moves_played("no-clock"));
    assert_eq!(recorded[..played.len()], played);
}

/// The standard's own example of a live game, PDN 3.0 chapter 8: moves, both setups, all numbers.
#[test]
fn live_game_of_standard() {
    let (lines, _) = play_back("standard-live-example");
    let feed: Vec<String> = companion("standard-live-example")["feed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect();
    let movetext = lines.iter().filter(|line| !line.is_empty() && !line.starts_with('['));
    let bare: Vec<String> = movetext.map(|line| line.split(" {").next().unwrap().to_owned()).collect();
    assert_eq!(bare, feed);
    assert!(lines.iter().filter(|line| line.starts_with('/')).all(|line| line.contains("{[%clock W")));
}

#[test]
fn retracted_move_becomes_setup_and_new_move() {
    let recorded = recorded("taken-back");
    let truth = companion("taken-back");
    let mut rest = &recorded[..];
    for entry in truth["truth"].as_array().unwrap() {
        let taken_back = entry["taken_back"].as_str();
        let expected = taken_back.or(entry["move"].as_str()).unwrap();
        assert_eq!(rest[0], expected);
        rest = &rest[1..];
        if taken_back.is_some() {
            assert!(rest[0].starts_with("/FEN"), "{rest:?}");
            rest = &rest[1..];
        }
    }
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn standing_illegal_move_becomes_setup() {
    let truth = companion("illegal-stands");
    let expected: Vec<String> = truth["truth"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| match entry["illegal_position_that_stands"].as_str() {
            Some(fen) => format!("/FEN \"{fen}\"/"),
            None => entry["move"].as_str().unwrap().to_owned(),
        })
        .collect();
    assert_eq!(recorded("illegal-stands"), expected);
}

#[test]
fn outage_costs_at_most_two_setups_and_no_false_ply() {
    let (recorded, mut played) = (recorded("outage"), moves_played("outage"));
    let setups = recorded.iter().filter(|entry| entry.starts_with('/')).count();
    assert!(setups <= 2, "{setups} setups");
    for entry in recorded.iter().filter(|entry| !entry.starts_with('/')) {
        let at = played.iter().position(|ply| ply == entry).unwrap_or_else(|| panic!("{entry} is false"));
        played.drain(..=at);
    }
}

/// The program that recorded this requested the memory first, and the position only afterwards.
#[test]
fn moves_from_board_memory_are_recorded_as_live() {
    assert_eq!(recorded("outage-with-memory"), moves_played("outage-with-memory"));
    let (lines, _) = play_back("outage-with-memory");
    let unseen = lines.iter().find(|line| line.starts_with("2. 40-34"));
    assert_eq!(unseen.map(String::as_str), Some("2. 40-34 {[%clock w1:29:51 B1:29:53]}"));
}

/// A line is emitted before the core computes its consequences.
#[test]
fn ply_is_reported_before_reason() {
    let log = bytelog::read(&std::fs::read("tests/data/replay/ideal.log").unwrap()).unwrap();
    let mut line = Line::new(damcast::engine::session::LineSettings::from_header(&log.header, None).unwrap().0);
    let is_line = |output: &Output| output.effect.changes_file();
    let is_reason = |output: &Output| matches!(&output.effect, Effect::Note(note) if note.contains("rule="));
    let mut plies = 0;
    for record in &log.records {
        let Some(input) = damcast::engine::session::Input::from_record(&record.kind).unwrap() else { continue };
        // Deadlines run at their own time, as in a station, which wakes when they are due.
        line.handle(Millis(record.at), Input::Tick);
        let first = line.handle_until_publication(Millis(record.at), input);
        assert_eq!(line.is_unfinished(), first.iter().any(is_line), "{first:?}");
        assert!(!first.iter().any(is_reason), "{first:?}");
        plies += usize::from(line.finish_handling().iter().any(is_reason));
        assert!(!line.is_unfinished());
    }
    assert!(plies > 50, "{plies}");
}

/// The record does not depend on how the bytes were cut into reads.
#[test]
fn size_of_reads_changes_nothing() {
    for name in ["blitz", "club", "no-clock", "taken-back", "outage-with-memory", "standard-live-example"] {
        let (whole, _) = play_back(name);
        for size in [1, 2, 7, 64] {
            assert_eq!(play_back_chunked(name, size).0, whole, "{name} in reads of {size}");
        }
    }
}
