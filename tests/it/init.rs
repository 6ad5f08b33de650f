//! `damcast init`: from boards at their ports to a working configuration.

use std::fs;
use std::path::Path;

use damcast::station::config::{Config, reference};

use crate::program::{Run, assert_contains, run};
use crate::simulated::{Boards, Kind};

fn init(config: &Path, arguments: &[&str]) -> Run {
    let config = config.display().to_string();
    let mut all = vec!["init", "--config", &config];
    all.extend_from_slice(arguments);
    run(&all)
}

#[test]
fn identifies_and_writes_two_boards() {
    let folder = tempfile::tempdir().unwrap();
    let boards = Boards::serve(folder.path(), Kind::Single(2));
    let config = folder.path().join("new/damcast.toml");
    let ports = [boards.port("board-1"), boards.port("board-2")];
    let done = init(&config, &["--port", &ports[0], "--port", &ports[1], "--event", "Cup", "--directory", "here"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let read = Config::load(&config).unwrap();
    assert_eq!(read.directory, folder.path().join("new/here"));
    let found: Vec<(&str, String)> = read.lines.iter().map(|line| (line.name.as_str(), line.port_name())).collect();
    assert_eq!(found, [("board-1", format!("serial:{}", ports[0])), ("board-2", format!("serial:{}", ports[1]))]);
    assert!(read.lines.iter().all(|line| line.tags == [("Event".to_owned(), "Cup".to_owned())]));
    // Every board that answered is printed and is in the file.
    assert_contains(&done.out, &["board 0", "100 fields"]);
    let text = fs::read_to_string(&config).unwrap();
    assert_contains(&text, &["# Found: board 0", "# delay-plies = 0"]);

    // An existing file is overwritten only on request.
    let again = init(&config, &["--port", &ports[0]]);
    assert_eq!((again.code, fs::read_to_string(&config).unwrap()), (2, text), "{}", again.err);
    assert!(again.err.contains("--force"), "{}", again.err);
    init(&config, &["--force", "--port", &ports[0]]).done();
    assert_eq!(Config::load(&config).unwrap().lines.len(), 1);
}

#[test]
fn finds_boards_of_bus() {
    let folder = tempfile::tempdir().unwrap();
    let boards = Boards::serve(folder.path(), Kind::Bus(3));
    let config = folder.path().join("damcast.toml");
    // The installed file may be overwritten while it is unchanged.
    fs::write(&config, reference::REFERENCE_TEXT).unwrap();
    let done = init(&config, &["--bus", &boards.port("bus")]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let read = Config::load(&config).unwrap();
    assert_eq!((read.lines.len(), read.lines[0].mode), (1, damcast::engine::bytelog::Mode::Bus));
    assert_eq!(read.lines[0].boards.len(), 3, "{}", done.out);
}

#[test]
fn silent_board_is_written_if_named() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("damcast.toml");
    let nowhere = folder.path().join("nowhere").display().to_string();
    assert_contains(
        &init(&config, &["--port", &nowhere]).done(),
        &["no such port; is the board plugged in?", "waits for it"],
    );
    assert_eq!(Config::load(&config).unwrap().lines[0].port_name(), format!("serial:{nowhere}"));
    let wrong = init(&folder.path().join("other.toml"), &["--port", &nowhere, "--game-type", "99"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert_contains(&wrong.err, &["game type 99", "nothing was written"]);
    assert!(!folder.path().join("other.toml").exists());
}
