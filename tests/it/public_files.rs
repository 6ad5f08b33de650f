//! The public files of a round: `public/`, made from the effects of lines.

use std::fs;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, Local, TimeDelta};
use damcast::engine::bytelog::LogInput;
use damcast::engine::livefile::{GameHeader, LiveFileContents};
use damcast::engine::playback;
use damcast::engine::session::Effect;
use damcast::station::config::Config;
use damcast::station::file_problems::FileProblems;
use damcast::station::heartbeat::Heartbeats;
use damcast::station::journal::witness::Witnesses;
use damcast::station::outlets::{self, OpenedGames, OutletHandle};
use draughts::Variant;
use draughts_pdn::profile::{self, ReaderProfile};
use tokio::task::JoinHandle;

use crate::program::assert_contains;
use crate::pty::wait_until;

/// Returns the configuration of two boards in a folder.
fn config(folder: &Path, public: &str) -> Config {
    let lines: String = ["a", "b"]
        .map(|name| {
            format!("[[line]]\nname = \"{name}\"\nport = \"/dev/{name}\"\ngame-type = \"20\"\n[line.tags]\nWhite = \"W {name}\"\n")
        })
        .concat();
    Config::read("test", &format!("[station]\ndirectory = {folder:?}\n[public]\n{public}\n{lines}")).unwrap()
}

/// An event of a line: the board, seconds ago, and the text.
type LineEvent<'a> = (&'a str, i64, &'a str);

fn begin(config: &Config, opening: Duration) -> (OutletHandle, JoinHandle<()>) {
    fs::create_dir_all(config.directory.join("log")).unwrap();
    outlets::spawn(
        config,
        Heartbeats::default().pulse("files"),
        &FileProblems::default(),
        (opening, Witnesses::default(), tokio::sync::watch::channel(false).1),
    )
}

/// Returns the effect of one of these texts: `open`, an entry, `*` for the end.
fn effect(events: &[LineEvent<'_>], text: &str) -> Effect {
    let variant = Variant::international();
    let opening = GameHeader {
        game: 1,
        variant,
        tags: vec![("Date".to_owned(), "2026.11.21".to_owned())],
        pairing_id: None,
        continued_game: None,
        is_entered: false,
    };
    match text {
        "open" => Effect::GameOpened(Box::new(opening)),
        "*" => Effect::GameEnded { result: Some("2-0".to_owned()), is_given: true },
        text => {
            let before = events.iter().map(|(.., other)| *other).filter(|other| !["open", "*"].contains(other));
            let count = before.clone().position(|other| other == text).unwrap();
            let lines = opening.header_lines().join("\n") + "\n" + &before.collect::<Vec<_>>().join("\n");
            let entry = LiveFileContents::parse(1, &lines).unwrap().entries.swap_remove(count);
            Effect::Entry { entry: Box::new(entry), reason: None }
        }
    }
}

/// Applies the events to a round, and waits until everything visible is written.
async fn apply_events(config: &Config, now: DateTime<FixedOffset>, events: &[LineEvent<'_>]) {
    let (outlet_handle, files) = begin(config, outlets::MAX_OPENING_TIME);
    config.lines.iter().for_each(|line| outlet_handle.line_opened(&line.name, line.header(), OpenedGames::default()));
    for (line, ago, text) in events {
        outlet_handle.published(line, None, now - TimeDelta::seconds(*ago), effect(events, text));
    }
    drop(outlet_handle);
    files.await.unwrap();
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("public").join(name)).unwrap_or_default()
}

fn types(folder: &Path) -> Vec<String> {
    let text = read(folder, "events.ndjson");
    assert!(text.is_empty() || text.ends_with('\n'));
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let numbered = (1..).zip(events).map(|(seq, event)| {
        assert_eq!(event["seq"], seq);
        event["type"].as_str().unwrap().to_owned()
    });
    // The list of boards has the time of the start.
    numbered.filter(|kind| kind != "boards").collect()
}

const GAME: [LineEvent<'_>; 4] =
    [("b", 90, "open"), ("b", 80, "1. 32-28 {[%clock w0:29:55 B0:30:00]}"), ("b", 50, "19-23"), ("b", 40, "*")];

#[tokio::test]
async fn all_boards_are_shown_and_finished_game_is_archived() {
    let folder = tempfile::tempdir().unwrap();
    apply_events(&config(folder.path(), ""), Local::now().fixed_offset(), &GAME).await;
    let games = read(folder.path(), "games.pdn");
    assert!(games.starts_with("[White \"W a\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n*\n\n[Date"), "{games}");
    let started = read(folder.path(), "started.pdn");
    assert!(started.ends_with("[Result \"2-0\"]\n\n1. 32-28 {[%clock w0:29:55 B0:30:00]} 19-23 *\n"), "{started}");
    for (profile, text) in [
        (ReaderProfile::Lidraughts, &games),
        (ReaderProfile::Lidraughts, &started),
        (ReaderProfile::Pydraughts, &started),
    ] {
        assert_eq!(profile::check(profile, text.as_bytes(), None), [], "{profile}");
    }
    assert_eq!(types(folder.path()), ["game", "move", "move", "end", "result"]);
    let archived = read(folder.path(), "archive/b-1.pdn");
    assert!(archived.contains("[PlyCount \"2\"]\n[Termination \"normal\"]\n[Result \"2-0\"]"), "{archived}");
}

#[tokio::test]
async fn two_outlets_differ_only_by_delay() {
    let folder = tempfile::tempdir().unwrap();
    let now = Local::now().fixed_offset();
    let outlets = "delay = 60\n[[outlet]]\nname = \"soon\"\ndelay = 20\n[[outlet]]\nname = \"now\"\n";
    apply_events(&config(folder.path(), outlets), now, &GAME).await;
    let read_file =
        |outlet: &str, file: &str| fs::read_to_string(folder.path().join(outlet).join(file)).unwrap_or_default();
    // The list of boards has the time of the start, when these games were over.
    let of_games = |events: String| {
        events.lines().filter(|line| !line.contains("\"boards\"")).map(|line| format!("{line}\n")).collect()
    };
    let events: [String; 3] =
        ["public", "public-soon", "public-now"].map(|outlet| of_games(read_file(outlet, "events.ndjson")));
    let moments = |events: &str| -> Vec<DateTime<FixedOffset>> {
        let events = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        events.map(|event| DateTime::parse_from_rfc3339(event["at"].as_str().unwrap()).unwrap()).collect()
    };
    let written = Local::now().fixed_offset();
    for (events, delay) in events.iter().zip([60, 20, 0]) {
        assert!(moments(events).iter().all(|at| *at + TimeDelta::seconds(delay) <= written), "{events}");
    }
    let counts = events.clone().map(|events| events.lines().count());
    assert!(0 < counts[0] && counts[0] < counts[1] && counts[1] <= counts[2] && counts[2] == 5, "{counts:?}");
    // The result and the archive are no earlier than the moves.
    assert!(
        !read_file("public", "games.pdn").contains("2-0") && !folder.path().join("public/archive/b-1.pdn").exists()
    );
    assert!(
        read_file("public-now", "games.pdn").contains("2-0")
            && folder.path().join("public-now/archive/b-1.pdn").exists()
    );
}

#[tokio::test]
async fn delay_is_respected() {
    let folder = tempfile::tempdir().unwrap();
    let now = Local::now().fixed_offset();
    apply_events(&config(folder.path(), "delay = 60"), now, &GAME).await;
    let started = read(folder.path(), "started.pdn");
    assert!(started.ends_with("[Result \"*\"]\n\n1. 32-28 {[%clock w0:29:55 B0:30:00]} *\n"), "{started}");
    assert_eq!(types(folder.path()), ["game", "move"]);
    assert!(read(folder.path(), "archive/b-1.pdn").is_empty());
    // Another run of the station with a shorter delay publishes the rest.
    apply_events(&config(folder.path(), "delay = 20"), now, &GAME).await;
    assert!(read(folder.path(), "started.pdn").ends_with("19-23 *\n"));
    assert_eq!(types(folder.path()), ["game", "move", "move", "end", "result"]);
}

#[tokio::test]
async fn game_with_setup_is_shown_to_last_confirmed_move() {
    let setup = "/FEN \"B:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,20,24\"/";
    let mut events = GAME[..3].to_vec();
    events.extend([("b", 30, setup), ("b", 20, "2... 24-30")]);
    let folder = tempfile::tempdir().unwrap();
    apply_events(&config(folder.path(), ""), Local::now().fixed_offset(), &events).await;
    let started = read(folder.path(), "started.pdn");
    assert!(started.ends_with("19-23 *\n") && !started.contains("/FEN"), "{started}");
    assert_eq!(types(folder.path()), ["game", "move", "move", "setup", "move"], "programs receive everything");
    apply_events(&config(folder.path(), "profile = \"standard\""), Local::now().fixed_offset(), &events).await;
    assert_contains(&read(folder.path(), "started.pdn"), &["/FEN"]);
}

/// Returns the words of a text, independent of its line breaks.
fn normalised_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The port may be gone or the disk slow: published entries of a line stay visible while it is not open.
#[tokio::test]
async fn late_line_is_shown_from_logs() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), "");
    let text = fs::read_to_string("tests/data/replay/ideal.log").unwrap().replace("# line: ideal", "# line: a");
    let log = LogInput::from_text("a-1.log".into(), text.as_bytes());
    let header = log.header.clone();
    let games = playback::play(vec![log], None).unwrap().games;
    let live = String::from_utf8(games[0].file.bytes()).unwrap();
    let (_, movetext) = live.split_once("1. ").unwrap();
    let movetext = normalised_words(&format!("1. {movetext}"));
    fs::create_dir_all(folder.path().join("log")).unwrap();
    fs::write(folder.path().join("log/a-1.log"), text).unwrap();

    let (outlets, files) = begin(&config, Duration::ZERO);
    let read = || normalised_words(&read(folder.path(), "games.pdn"));
    wait_until("what the logs say", || !read().is_empty());
    assert!(read().contains(&movetext), "{}\nlacks\n{movetext}", read());
    // Others are shown beside it, and opening it changes nothing.
    outlets.line_opened("b", config.lines[1].header(), OpenedGames::default());
    for (line, ago, text) in &GAME[..2] {
        let at = Local::now().fixed_offset() - TimeDelta::seconds(*ago);
        outlets.published(line, None, at, effect(&GAME, text));
    }
    wait_until("the other line", || read().contains("{[%clock w0:29:55 B0:30:00]} *"));
    let before = read();
    let mut opened = OpenedGames::default();
    games.iter().for_each(|game| opened.add(game, None));
    outlets.line_opened("a", header, opened);
    drop(outlets);
    files.await.unwrap();
    assert!(before.contains(&movetext) && read() == before, "{before}\nbecame\n{}", read());
}
