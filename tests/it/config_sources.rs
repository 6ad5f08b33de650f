//! Drop-ins and environment variables on top of the file, and the effective configuration.

use std::fs;
use std::path::Path;

use damcast::station::config::keys::Section;
use damcast::station::config::{Config, Sources, show, sources};

use crate::program::assert_contains;

const BASE: &str = r#"[station]
directory = "r"
[station.tags]
Event = "Cup"
[[line]]
name = "board-1"
port = "/dev/a"
game-type = "20"
[[line]]
name = "hall"
mode = "bus"
port = "/dev/b"
game-type = "20"
[[line.board]]
address = 7
"#;

fn write(folder: &Path, drop_ins: &[(&str, &str)]) -> std::path::PathBuf {
    fs::create_dir_all(folder.join("damcast.d")).unwrap();
    fs::write(folder.join("damcast.toml"), BASE).unwrap();
    for (name, text) in drop_ins {
        fs::write(folder.join("damcast.d").join(name), text).unwrap();
    }
    folder.join("damcast.toml")
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn drop_ins_override_file_in_name_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        &[
            ("20-late.toml", "[public]\ndelay = 900\n"),
            ("10-early.toml", "[public]\ndelay = 60\ndelay-plies = 2\n[station.tags]\nRound = 3\n"),
            (
                "30-lines.toml",
                "[[line]]\nname = \"board-1\"\nport = \"/dev/c\"\n[[line]]\nname = \"board-2\"\nport = \"/dev/a\"\ngame-type = \"25\"\n\
                 [[line]]\nname = \"hall\"\n[[line.board]]\naddress = 7\nname = \"table-1\"\n[[line.board]]\naddress = 8\n",
            ),
            ("notes.txt", "not a configuration"),
        ],
    );
    let config = Sources::from_file(&file).unwrap().read().unwrap();
    assert_eq!((config.outlets[0].delay.seconds, config.outlets[0].delay.plies), (900, 2));
    let ports: Vec<String> = config.lines.iter().map(|line| line.port_name()).collect();
    assert_eq!(ports, ["serial:/dev/c", "serial:/dev/b", "serial:/dev/a"]);
    assert_eq!(config.lines[0].tags, [pair("Event", "Cup"), pair("Round", "3")]);
    let boards: Vec<(u16, &str)> =
        config.lines[1].boards.iter().map(|board| (board.address.number(), board.name.as_str())).collect();
    assert_eq!(boards, [(7, "table-1"), (8, "hall-8")]);
}

#[test]
fn environment_overrides_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), &[("a.toml", "[public]\ndelay = 60\n")]);
    let read = |variables: &[(&str, &str)]| {
        let variables = variables.iter().map(|(name, value)| pair(name, value));
        Sources::from_file(&file).unwrap().with_environment(variables).read()
    };
    let config = read(&[
        ("DAMCAST_PUBLIC_DELAY", "900"),
        ("DAMCAST_STATION_DIRECTORY", "other \"place\""),
        ("DAMCAST_STATION_TAGS_Round", "4"),
        ("DAMCAST_LINE_BOARD_1_GAME_TYPE", "40"),
        ("DAMCAST_LINE_HALL_BUS_START_TAG", "false"),
        ("DAMCAST_CORPUS", "of somebody else"),
        ("PATH", "/bin"),
    ])
    .unwrap();
    assert_eq!(config.outlets[0].delay.seconds, 900);
    assert_eq!(config.directory, folder.path().join("other \"place\""));
    assert_eq!(config.lines[0].game_type, "40");
    assert_eq!(config.lines[1].settings, [pair("bus-start-tag", "false")]);
    assert!(config.lines[0].tags.contains(&pair("Round", "4")));
    for (name, value, message) in [
        ("DAMCAST_PUBLIC_DELY", "5", "unknown key `DELY` of [public]"),
        ("DAMCAST_PUBLIC_DELAY", "soon", "DAMCAST_PUBLIC_DELAY:2:9: `delay` is a string; expected a number"),
        ("DAMCAST_LINE_BOARD_9_PORT", "any", "names no [[line]]; there are `board-1`, `hall`"),
        ("DAMCAST_LINE_BOARD_1_PROT", "any", "unknown key `PROT` of [[line]]"),
        ("DAMCAST_OUTLET_HALL_DELAY", "9", "names no [[outlet]]; there is none"),
    ] {
        let error = read(&[(name, value)]).unwrap_err().to_string();
        assert!(error.starts_with(name) && error.contains(message), "{error}");
    }
    assert_eq!(sources::variable(Section::Line, "port").as_deref(), Some("DAMCAST_LINE_NAME_PORT"));
}

#[test]
fn outlet_merges_by_name_and_wrong_variable_suspends_outlet() {
    let folder = tempfile::tempdir().unwrap();
    let hall = "[[outlet]]\nname = \"hall\"\n";
    let file = write(folder.path(), &[("a.toml", hall), ("b.toml", &format!("{hall}delay-plies = 3\n"))]);
    let read = |name: &str, value: &str| {
        Sources::from_file(&file).unwrap().with_environment([pair(name, value)]).read_for_recording().unwrap()
    };
    let config = read("DAMCAST_OUTLET_HALL_DELAY", "60");
    assert_eq!((config.outlets[1].delay.seconds, config.outlets[1].delay.plies), (60, 3));
    for (name, held) in [
        ("DAMCAST_OUTLET_HALL_DELY", "hall"),
        ("DAMCAST_PUBLIC_EVENTS_SYNC", "public"),
        ("DAMCAST_PUBLIC_DELY", "public"),
        ("DAMCAST_OUTLET_WORLD_DELAY", "DAMCAST_OUTLET_WORLD_DELAY"),
    ] {
        let config = read(name, "60");
        assert_eq!(config.suspended_outlets.iter().map(|held| held.name.as_str()).collect::<Vec<_>>(), [held]);
        assert!(config.suspended_outlets[0].reason().starts_with(name), "{}", config.suspended_outlets[0].reason());
    }
}

#[test]
fn mistake_in_drop_in_is_reported_with_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), &[("a.toml", "[public]\ndelay = -1\n"), ("b.toml", "[[line]]\nname = \"x\"\n")]);
    let error = Config::load(&file).unwrap_err().to_string();
    assert!(error.contains("damcast.d/a.toml:2:9: `delay` is a whole number"), "{error}");
    assert!(error.contains("damcast.d/b.toml:1:1: [[line]] needs the key `port`"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), &[("a.toml", "[[line]]\nname = \"x\"\nport = \"/dev/a\"\ngame-type = \"20\"\n")]);
    assert_contains(
        &Config::load(&file).unwrap_err().to_string(),
        &["a.toml:3:8: the port serial:/dev/a is used already, in ", "damcast.toml:7;"],
    );
}

/// Asserts that the shown configuration is equivalent to its sources in a folder; returns it.
fn shown_equivalent(sources: &Sources, folder: &Path) -> String {
    let shown = show::show(sources).unwrap();
    // A text without a file keeps its paths as written.
    let (shown_config, mut config) = (Config::read("shown", &shown).unwrap(), sources.read().unwrap());
    assert_eq!(config.directory, folder.join(&shown_config.directory));
    config.directory.clone_from(&shown_config.directory);
    assert_eq!(shown_config, config, "{shown}");
    shown
}

#[test]
fn effective_configuration_is_equivalent_and_names_sources() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), &[("a.toml", "[public]\ndelay = 60\n[station.tags]\nTimeControl = \"180+2\"\n")]);
    let sources = Sources::from_file(&file).unwrap().with_environment([pair("DAMCAST_PUBLIC_DELAY_PLIES", "3")]);
    let shown = shown_equivalent(&sources, folder.path());
    for (line, origin) in [
        ("delay = 60", "a.toml:2"),
        ("delay-plies = 3", "DAMCAST_PUBLIC_DELAY_PLIES:2"),
        ("profile = \"lidraughts\"", "# default"),
        ("name = \"hall\"", "damcast.toml:10"),
        ("settle-ms = 300", "# default"),
        ("# [recognition] unpressed-ms is 4000 here", "blitz"),
    ] {
        let shows = |text: &str| text.starts_with(line) && text.contains(origin);
        assert!(shown.lines().any(shows), "{line} from {origin}:\n{shown}");
    }
    for name in ["damcast", "examples/tournament-bus", "examples/tournament-any", "examples/blitz"] {
        let example = format!("config/{name}.toml");
        shown_equivalent(&Sources::from_file(example.as_ref()).unwrap(), Path::new(&example).parent().unwrap());
    }
}
