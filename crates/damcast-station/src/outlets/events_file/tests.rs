//! The file of events after a crash, a cut, a change or a loss of power.

use chrono::DateTime;
use damcast_engine::broadcast::events::Stream;
use damcast_engine::broadcast::{Board, Delay, GameChange, GameRecord, TournamentHistory, events};
use damcast_engine::livefile::{GameHeader, LiveFileContents};
use draughts::Variant;

use super::*;
use crate::config::PUBLIC;
use crate::disk::RealDisk;

fn key(board: &str) -> StreamKey {
    (board.to_owned(), 3, Stream::Game)
}

const LINES: [&str; 3] = ["1. 32-28", "19-23", "2. 28x19"];

/// Two boards on which this game was played.
fn boards(lines: &[&str]) -> [Board; 2] {
    let at = DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap();
    let variant = Variant::international();
    let opening =
        GameHeader { game: 3, variant, tags: Vec::new(), pairing_id: None, continued_game: None, is_entered: false };
    let text = opening.header_lines().join("\n") + "\n" + &lines.join("\n");
    let mut game = GameRecord::new(opening, at);
    let entries = LiveFileContents::parse(3, &text).unwrap().entries;
    entries.into_iter().for_each(|entry| game.apply(at, GameChange::Entry(entry)));
    let board = |name: &str| Board {
        games: vec![game.clone().into()],
        ..Board::new(name, Variant::international(), Vec::new())
    };
    ["a", "b"].map(board)
}

fn events(lines: &[&str], name: &str) -> Vec<GameEvent> {
    let boards = boards(lines);
    let board = boards.iter().find(|board| board.name == name).unwrap();
    let game = &*board.games[0].load().unwrap();
    events::events(board, game, Delay::NO_DELAY.view(game, game.last_change_at()), 0)
}

fn new(folder: &Path) -> EventsFile {
    EventsFile::new(PUBLIC, folder, folder, Witnesses::default())
}

fn try_to_open(file: &mut EventsFile, boards: &[Board]) -> io::Result<Vec<String>> {
    let course = TournamentHistory::default();
    file.open(&RealDisk, (Some("hall"), 0), |generation| EventStreams::new(boards, &course, &[], generation))
}

fn open(file: &mut EventsFile, boards: &[Board]) -> Vec<String> {
    try_to_open(file, boards).unwrap()
}

/// Returns a folder with these lines of a game written for two boards, in turn.
fn written() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut file = new(folder.path());
    assert!(open(&mut file, &boards(&LINES)).is_empty());
    for n in 0..4 {
        for board in ["b", "a"] {
            file.write(&RealDisk, &events(&LINES, board)[n..=n], Durability::Lazy).unwrap();
        }
    }
    let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
    (folder, text)
}

#[test]
fn completes_events_cut_anywhere() {
    let (folder, whole) = written();
    let path = folder.path().join("events.ndjson");
    assert!(whole.starts_with("{\"seq\":1,") && whole.matches("\"board\":\"a\"").count() == 4, "{whole}");
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut file = new(folder.path());
        assert_eq!(open(&mut file, &boards(&LINES)), [""; 0]);
        assert_eq!(file.written(&key("a")), 4);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{cut}");
    }
    std::fs::remove_file(&path).unwrap();
    let notices = open(&mut new(folder.path()), &boards(&LINES));
    assert!(notices[0].contains("was missing"), "{notices:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    // The logs of a board are missing as well.
    std::fs::remove_file(&path).unwrap();
    let notices = open(&mut new(folder.path()), &boards(&LINES)[1..]);
    assert!(notices[1].contains("lacks 4 events of games whose logs are missing"), "{notices:?}");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!((text.lines().count(), text.matches("\"board\":\"b\"").count()), (4, 4), "{text}");
    assert!(text.lines().last().unwrap().starts_with("{\"seq\":4,"), "{text}");
}

#[test]
fn order_is_completed_from_whole_lines() {
    let (folder, whole) = written();
    let [path, events] = ["events.order", "events.ndjson"].map(|name| folder.path().join(name));
    let order = std::fs::read(&path).unwrap();
    for cut in (0..order.len()).step_by(7) {
        std::fs::write(&path, &order[..cut]).unwrap();
        let notices = open(&mut new(folder.path()), &boards(&LINES));
        assert!(notices.len() == 1 && notices[0].contains("is completed from"), "{cut}: {notices:?}");
        assert_eq!(std::fs::read(&path).unwrap(), order, "{cut}");
        assert_eq!(std::fs::read_to_string(&events).unwrap(), whole);
    }
}

#[test]
fn order_shorter_than_witness_suspends_file() {
    let (folder, whole) = written();
    let [path, events] = ["events.order", "events.ndjson"].map(|name| folder.path().join(name));
    let order = std::fs::read_to_string(&path).unwrap();
    let mut file = new(folder.path());
    open(&mut file, &boards(&LINES));
    let witnesses = file.witnesses.clone();
    let cut = |text: &str, lines: usize| text.split_inclusive('\n').take(lines).collect::<String>();
    for lines in 1..=8 {
        let order = cut(&order, lines);
        std::fs::write(&path, &order).unwrap();
        std::fs::write(&events, cut(&whole, lines - 1)).unwrap();
        let mut file = EventsFile::new(PUBLIC, folder.path(), folder.path(), witnesses.clone());
        let error = try_to_open(&mut file, &boards(&LINES)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("its end is missing"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), order, "nothing is written");
    }
    std::fs::write(&path, &order).unwrap();
    open(&mut EventsFile::new(PUBLIC, folder.path(), folder.path(), witnesses), &boards(&LINES));
    assert_eq!(std::fs::read_to_string(&events).unwrap(), whole);
}

#[test]
fn other_names_or_another_station_begin_another_generation() {
    let (folder, whole) = written();
    let (course, boards) = (TournamentHistory::default(), boards(&LINES));
    let mut file = new(folder.path());
    let mut again = |station, names| {
        let notices =
            file.open(&RealDisk, (station, names), |of| EventStreams::new(&boards, &course, &[], of)).unwrap();
        let generation = file.generation().unwrap().clone();
        let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
        (notices, generation, text)
    };
    let (notices, first, text) = again(None, 0);
    assert_eq!((notices.len(), first.station.as_str(), first.names, &text), (0, "hall", 0, &whole));
    let (notices, named, text) = again(Some("hall"), 17);
    assert!(notices[0].contains("begins anew under another generation; it is kept as events.ndjson.aside-1"));
    assert!(named.names == 17 && named.id != first.id && text.lines().count() == 8);
    assert_eq!(again(None, 3).1, named, "names stay hidden");
    let (_, renamed, text) = again(Some("hall-b"), 0);
    assert!(renamed.names == 17 && renamed.id != named.id && text.matches("\"station\":\"hall-b\"").count() == 8);
}

#[test]
fn accepts_any_number_of_events() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = new(folder.path());
    open(&mut file, &boards(&LINES));
    let many = vec![events(&LINES, "a")[0].clone(); 150_000];
    file.write(&RealDisk, &many, Durability::Lazy).unwrap();
    let text = std::fs::read_to_string(folder.path().join("events.ndjson")).unwrap();
    assert!(text.len() > 17 << 20 && text.lines().count() == many.len(), "{}", text.len());
}

#[test]
fn changed_file_is_kept_and_rewritten() {
    let (folder, whole) = written();
    let changed = whole.replacen("32-28", "33-28", 1);
    std::fs::write(folder.path().join("events.ndjson"), &changed).unwrap();
    let mut file = new(folder.path());
    let notices = open(&mut file, &boards(&LINES));
    assert!(notices[0].contains("differs from the logs from line 3 on"), "{notices:?}");
    assert!(notices[0].contains("kept as events.ndjson.aside-1"), "{notices:?}");
    let longer = ["1. 32-28", "19-23", "2. 28x19", "14x23"];
    file.write(&RealDisk, &events(&longer, "a")[4..], Durability::Safe).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let text = read("events.ndjson");
    assert!(text.starts_with(&whole) && text.contains("\"seq\":9,"), "{text}");
    assert_eq!(read("events.ndjson.aside-1"), changed);
    // The file is longer than expected.
    std::fs::write(folder.path().join("events.ndjson"), text.clone() + "a remark\n").unwrap();
    open(&mut new(folder.path()), &boards(&longer));
    assert_eq!((read("events.ndjson"), read("events.ndjson.aside-2")), (text.clone(), text + "a remark\n"));
}

/// Returns the events file of a folder, by number.
fn numbered(folder: &Path) -> BTreeMap<(String, u64), String> {
    let text = std::fs::read_to_string(folder.join("events.ndjson")).unwrap();
    let key = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        (event["gen"].as_str().unwrap().to_owned(), event["seq"].as_u64().unwrap())
    };
    text.lines().map(|line| (key(line), line.to_owned())).collect()
}

#[test]
fn no_number_gets_another_line() {
    // The logs lost the end of the game, or say another one.
    for logs in [&LINES[..1], &["1. 32-28", "20-24", "2. 34-30", "14-20"]] {
        let (folder, whole) = written();
        let published = numbered(folder.path());
        let path = folder.path().join("events.ndjson");
        let mut file = new(folder.path());
        assert_eq!(open(&mut file, &boards(logs)), [""; 0]);
        assert!(file.written(&key("a")) >= 4, "nothing is added: {}", file.written(&key("a")));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        // Without the file, what the logs say begins another generation.
        std::fs::remove_file(&path).unwrap();
        open(&mut new(folder.path()), &boards(logs));
        let now = numbered(folder.path());
        assert!(now.len() >= 4 && now.keys().all(|key| !published.contains_key(key)), "{now:?}");
        (0..2).for_each(|_| drop(open(&mut new(folder.path()), &boards(logs))));
        assert_eq!(numbered(folder.path()), now);
    }
}

#[test]
fn order_without_checksums_of_lines_is_read() {
    let (folder, _) = written();
    let published = numbered(folder.path());
    let order = std::fs::read_to_string(folder.path().join("events.order")).unwrap();
    let (mut text, mut checksum) = (String::new(), crate::journal::chained::ChainedChecksum::default());
    for line in order.lines() {
        let words: Vec<&str> = line.split(" ;").next().unwrap().split(' ').collect();
        let record = words[..words.len().min(5)].join(" ");
        checksum = checksum.next(record.as_bytes());
        text += &format!("{record} ;{checksum}\n");
    }
    assert!(text.len() < order.len(), "{text}");
    std::fs::write(folder.path().join("events.order"), &text).unwrap();
    assert_eq!(open(&mut new(folder.path()), &boards(&LINES)), [""; 0]);
    assert_eq!((numbered(folder.path()), published.len()), (published.clone(), 8));
    assert_eq!(std::fs::read_to_string(folder.path().join("events.order")).unwrap(), text);
    open(&mut new(folder.path()), &boards(&["1. 33-28"]));
    let now = numbered(folder.path());
    assert!(!now.is_empty() && now.keys().all(|key| !published.contains_key(key)), "{now:?}");
}

#[test]
fn repairs_zeros_in_place() {
    let (folder, whole) = written();
    let path = folder.path().join("events.ndjson");
    let order = std::fs::read(folder.path().join("events.order")).unwrap();
    for (from, to) in
        (0..whole.len()).step_by(41).flat_map(|from| [(from, whole.len()), (from, (from + 40).min(whole.len()))])
    {
        let mut lost = whole.clone().into_bytes();
        lost[from..to].fill(0);
        std::fs::write(&path, &lost).unwrap();
        let notices = open(&mut new(folder.path()), &boards(&LINES));
        assert!(notices.len() == 1 && notices[0].contains("as a loss of power leaves it"), "{from}: {notices:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{from}..{to}");
        // The order lacks its end.
        std::fs::write(&path, &lost).unwrap();
        std::fs::write(folder.path().join("events.order"), &order[..order.len() - 9]).unwrap();
        let mut file = new(folder.path());
        open(&mut file, &boards(&LINES));
        let written: u64 = ["a", "b"].map(|board| file.written(&key(board))).iter().sum();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(whole.starts_with(&text) && text.lines().count() as u64 == written, "{from}..{to}: {text}");
        std::fs::write(folder.path().join("events.order"), &order).unwrap();
        for aside in 1.. {
            if std::fs::remove_file(folder.path().join(format!("events.ndjson.aside-{aside}"))).is_err() {
                break;
            }
        }
    }
}

#[test]
fn removed_cut_or_replaced_file_is_noticed() {
    let (folder, whole) = written();
    let path = folder.path().join("events.ndjson");
    let mut file = new(folder.path());
    open(&mut file, &boards(&LINES));
    assert_eq!(file.verify(&RealDisk), None);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(file.verify(&RealDisk), Some(folder.path().join(EVENTS_FILE)));
    assert_eq!(file.verify(&RealDisk), None, "reported once, then reopened");
    for what in ["other", &whole[..whole.len() / 2]] {
        open(&mut file, &boards(&LINES));
        assert_eq!((std::fs::read_to_string(&path).unwrap(), file.verify(&RealDisk)), (whole.clone(), None));
        std::fs::write(&path, what).unwrap();
        assert_eq!(file.verify(&RealDisk), Some(folder.path().join(EVENTS_FILE)));
    }
    open(&mut file, &boards(&LINES));
    std::fs::remove_file(folder.path().join("events.order")).unwrap();
    assert_eq!(file.verify(&RealDisk), Some(folder.path().join("events.order")));
    open(&mut file, &boards(&LINES));
    assert!(folder.path().join("events.order").exists() && file.written(&key("a")) == 4);
}
