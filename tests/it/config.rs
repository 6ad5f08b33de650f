//! Configurations: the smallest one, the annotated one, and invalid ones.

use damcast::station::config::{Config, Sources};

use crate::program::assert_contains;

const SMALLEST: &str = r#"
[station]
directory = "recordings"

[[line]]
name = "board-1"
port = "serial:/dev/ttyACM0"      # or serial:/dev/pts/5; a bare path means the same
game-type = "20"
"#;

#[track_caller]
fn read(text: &str) -> Config {
    Config::read("damcast.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads an invalid text and returns the message.
#[track_caller]
fn refuse(text: &str) -> String {
    Config::read("damcast.toml", text).expect_err(text).to_string()
}

fn pair(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}

#[test]
fn smallest_form_is_valid() {
    let config = read(SMALLEST);
    assert_eq!(config.directory.to_str(), Some("recordings"));
    let [line] = config.lines.as_slice() else { panic!("one line") };
    assert_eq!((line.name.as_str(), line.game_type.as_str(), line.time_scale), ("board-1", "20", 1.0));
    assert_eq!(line.port_name(), "serial:/dev/ttyACM0");
    assert!(line.tags.is_empty() && line.settings.is_empty());
    assert_eq!(read(&SMALLEST.replace("serial:/dev", "/dev")), config);
}

#[test]
fn package_files_are_valid() {
    let mut examples: Vec<_> =
        std::fs::read_dir("config/examples").unwrap().map(|entry| entry.unwrap().path()).collect();
    // Configurations of proxies for the pages are separate files.
    examples.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    examples.sort();
    for name in ["club-one-board", "tournament-bus", "tournament-any", "blitz"] {
        assert!(examples.iter().any(|path| path.file_stem().is_some_and(|stem| stem == name)), "{name}");
    }
    for file in examples.iter().map(|path| path.as_path()).chain(["config/damcast.toml".as_ref()]) {
        if let Err(error) = Config::load(file) {
            panic!("{error}");
        }
    }
}

#[test]
fn reports_mistakes_of_operation() {
    for (text, message) in [
        ("[control]\nsocket = \"\"", "the path of a file, of at most 107 bytes"),
        ("[control]\nport = 1", "unknown key `port` in [control]"),
        ("[alarm]\ncommand = \"alarm\"", "expected a list of strings"),
        ("[alarm]\ncommand = [\"alarm\", 1]", "expected a list of strings"),
        ("[alarm]\ncommand = [\"\"]", "the first of `command` is the program"),
        ("[alarm]\nsilent = 0", "`silent` is a whole number from 1 to 86400"),
        ("[alarm]\ntime-limit = 1.5", "`time-limit` is a whole number from 1 to 86400"),
        ("[alarm]\ndisk-low = -1", "`disk-low` is a whole number from 0"),
        ("[alarm]\nsilence = 5", "unknown key `silence` in [alarm]"),
    ] {
        let error = refuse(&format!("{SMALLEST}\n{text}\n"));
        assert!(error.contains(message), "expected {message:?}: {error}");
    }
}

#[test]
fn boards_of_bus_have_separate_settings() {
    let config = Config::load("config/examples/tournament-bus.toml".as_ref()).unwrap();
    let bus = &config.lines[0];
    assert_eq!(bus.mode, damcast::engine::bytelog::Mode::Bus);
    let boards: Vec<_> = bus.boards.iter().map(|board| (board.address.number(), board.name.as_str())).collect();
    assert_eq!(boards, [(1025, "table-1"), (1026, "hall-a-1026")]);
    let (settings, unknown) = damcast::engine::session::LineSettings::from_header(&bus.header(), None).unwrap();
    assert!(unknown.is_empty());
    let board = |index: usize| settings.for_board(bus.boards[index].address);
    assert!(board(0).tags.contains(&pair("White", "Sijbrands, T.")) && board(0).tags.contains(&pair("Event", "Open")));
    assert_eq!(board(1).variant.game_type.number(), 25);
    // A board without settings of its own uses those of the line.
    let other = settings.for_board(damcast::engine::session::BusAddress::new(7).unwrap());
    assert_eq!((other.tags.as_slice(), other.name), ([pair("Event", "Open")].as_slice(), None));
}

#[test]
fn reports_mistakes_of_bus() {
    let bus = SMALLEST.replace("[[line]]", "[[line]]\nmode = \"bus\"");
    let board = |keys: &str| format!("{bus}[[line.board]]\n{keys}\n");
    for (text, message) in [
        (SMALLEST.replace("[[line]]", "[[line]]\nmode = \"both\""), "one board on the line, \"bus\""),
        (board(""), "[[line.board]] needs the key `address`"),
        (board("address = 0"), "a whole number from 1 to 16383"),
        (board("address = 16384"), "a whole number from 1 to 16383"),
        (board("address = 7\n[[line.board]]\naddress = 7"), "the board 7 has come before"),
        (board("address = 7\nname = \"board-1\""), "is taken by"),
        (board("address = 7\ngame-type = \"99\""), "game type 99"),
        (board("address = 7\nport = \"x\""), "unknown key `port` in [[line.board]]"),
        (board("address = 7\n[line.board.tags]\nResult = \"2-0\""), "written by the recorder itself"),
        (
            format!("{bus}[[line]]\nname = \"board-1-7\"\nport = \"/dev/b\"\ngame-type = \"20\"\n"),
            "is that of a board of the bus `board-1`",
        ),
        (format!("{SMALLEST}[[line.board]]\naddress = 7\n"), "`board` is an array; expected a string"),
    ] {
        let error = refuse(&text);
        assert!(error.contains(message), "expected {message:?}: {error}");
    }
}

#[test]
fn line_table_may_describe_board() {
    let text = r#"
        station = { directory = "r" }
        [[line]]
        name = "a"
        port = "any"
        board = "01025"
        game-type = "20"
        [[line]]
        name = "b"
        port = "any"
        board = "01026"
        game-type = "20"
        connect = "clock"
        [[line]]
        name = "c"
        port = "usb:045b:8111"
        game-type = "20"
    "#;
    let config = read(text);
    assert_eq!(config.lines.iter().map(|line| line.board()).collect::<Vec<_>>(), [Some("01025"), Some("01026"), None]);
    assert_eq!(config.lines[1].settings, [pair("board", "01026"), pair("connect", "clock")]);
}

#[test]
fn tags_of_line_precede_tags_of_station() {
    let text = r#"
        station = { directory = "r", tags = { Event = "Cup", Site = "Here", Round = 3 } }
        [[line]]
        name = "a"
        port = "/dev/a"
        game-type = "20"
        [line.tags]
        White = " A "
        Site = "There"
        Event = ""
    "#;
    let config = read(text);
    assert_eq!(config.lines[0].tags, [pair("Round", "3"), pair("White", "A"), pair("Site", "There")]);
}

#[test]
fn log_keeps_only_changed_settings() {
    let text = format!("{SMALLEST}orientation = \"turned\"\ncodes = \"draughts\"\n[recognition]\nsettle-ms = 500\n");
    assert_eq!(read(&text).lines[0].settings, [pair("settle-ms", "500"), pair("orientation", "turned")]);
}

#[test]
fn codes_are_named_or_listed() {
    let settings = |codes: &str| read(&format!("{SMALLEST}codes = \"{codes}\"\n")).lines[0].settings.clone();
    assert_eq!(settings("chess"), [pair("codes", "chess")]);
    assert_eq!(settings("1=w 4=b 7=W 10=B"), [], "the same as draughts");
    assert_eq!(settings("1=b 4=w 7=B 10=W"), [pair("codes", "1=b 4=w 7=B 10=W")]);
    let refused = refuse(&format!("{SMALLEST}codes = \"1=w 4=x\"\n"));
    assert_contains(&refused, &["damcast.toml:9:9: `codes = 1=w 4=x`: expected w, W, b or B as the meaning of code 4"]);
}

#[test]
fn mistake_is_shown_in_place() {
    for (text, expected) in [
        (SMALLEST.replace("\"20\"", "\"99\""), "8 | game-type = \"99\"\n  |             ^^^^"),
        (format!("{SMALLEST}speed = 5\n"), "9 | speed = 5\n  | ^^^^^"),
    ] {
        assert_eq!(refuse(&text).split_once('\n').unwrap().1.trim_end(), format!("  |\n{expected}"));
    }
    for (key, expected) in [
        ("prot", "damcast.toml:7:1: unknown key `prot` in [[line]]; did you mean `port`?"),
        ("# port", "damcast.toml:5:1: [[line]] needs the key `port`, as in port = \"serial:/dev/ttyACM0\""),
    ] {
        assert_eq!(refuse(&SMALLEST.replace("port", key)).lines().next(), Some(expected));
    }
}

#[test]
fn mistake_is_reported_with_line_and_key() {
    let twice = |other: &str| format!("{SMALLEST}[[line]]\ngame-type = \"20\"\n{other}\n");
    for (text, place, message) in [
        (String::new(), "1:1", "the file needs the key `station`"),
        ("[station]\n".into(), "1:1", "[station] needs the key `directory`"),
        ("station = 5\n".into(), "1:11", "`station` is an integer; expected a table [station]"),
        ("[station]\ndirectory = \"\"\n".into(), "2:13", "`directory` is empty"),
        ("[station]\ndirectory = 5\n".into(), "2:13", "`directory` is an integer; expected a string"),
        ("[station\n".into(), "1:9", ""),
        (format!("{SMALLEST}name = \"b\"\n"), "9:1", "duplicate key"),
        (SMALLEST.replace("[[line]]", "[line]"), "5:1", "expected tables, each under [[line]]"),
        (SMALLEST.replace("board-1", "../x"), "6:8", "becomes the name of files"),
        (SMALLEST.replace("board-1", ".x"), "6:8", "becomes the name of files"),
        (SMALLEST.replace("board-1", &"x".repeat(65)), "6:8", "1 to 64 letters"),
        (SMALLEST.replace("serial:", "bluetooth:"), "7:8", "`bluetooth:` is no kind of port"),
        (SMALLEST.replace("serial:", "tcp://"), "7:8", "expected a host and a port, as in tcp://10.0.0.7:4001"),
        (format!("{SMALLEST}board = 1025\n"), "9:9", "expected a string in quotes"),
        (format!("{SMALLEST}board = \"A1\"\n"), "9:9", "up to ten digits in quotes"),
        (format!("{SMALLEST}connect = \"clock scan-100\"\n"), "9:11", "words from: clock version"),
        (twice("name = \"b\"\nport = \"any\"").replace("serial:/dev/ttyACM0", "usb:045b:8111"), "12:8", "give each"),
        (
            twice("name = \"b\"\nport = \"/dev/b\"\nboard = \"1025\"").replacen(
                "name =",
                "board = \"01025\"\nname =",
                1,
            ),
            "14:9",
            "belongs to another [[line]] already, in line 6",
        ),
        (format!("{SMALLEST}time-scale = 0\n"), "9:14", "above 0, at most 10000"),
        (format!("{SMALLEST}time-scale = nan\n"), "9:14", "above 0, at most 10000"),
        (format!("{SMALLEST}time-scale = \"fast\"\n"), "9:14", "`time-scale` is a string; expected a number"),
        (format!("{SMALLEST}orientation = \"left\"\n"), "9:15", "expected auto, normal or turned"),
        (format!("{SMALLEST}settle-ms = 300\n"), "9:1", "unknown key `settle-ms` in [[line]]"),
        (format!("{SMALLEST}[recognition]\nsettle-ms = 1\n"), "10:13", "a whole number of milliseconds"),
        (format!("{SMALLEST}[recognition]\nsettle = 1\n"), "10:1", "unknown key `settle` in [recognition]"),
        (format!("{SMALLEST}[recognition]\nsetle-ms = 1\n"), "10:1", "did you mean `settle-ms`?"),
        (format!("{SMALLEST}[web]\n"), "9:2", "unknown key `web` in the file"),
        (format!("{SMALLEST}[line.tags]\nResult = \"2-0\"\n"), "10:10", "written by the recorder itself"),
        (format!("{SMALLEST}[line.tags]\n\"a b\" = \"\"\n"), "10:9", "no name of a PDN tag"),
        (format!("{SMALLEST}[line.tags]\nWhite = \"A\u{202e}B\"\n"), "10:9", "one that turns the order of writing"),
        (format!("{SMALLEST}[line.tags]\nWhite = \"A\\u2028B\"\n"), "10:9", "one that turns the order of writing"),
        (format!("{SMALLEST}[line.tags]\nWhite = \"a\\nb\"\n"), "10:9", "a tag is one line"),
        (format!("{SMALLEST}[line.tags]\nWhite = [1]\n"), "10:9", "expected a string or a number"),
        (twice("name = \"BOARD-1\"\nport = \"/dev/b\""), "11:8", "taken by the [[line]] with its name in line 6"),
        (twice("name = \"b\"\nport = \"/dev/ttyACM0\""), "12:8", "is used already, in line 7"),
    ] {
        let error = refuse(&text);
        assert!(error.contains(&format!("damcast.toml:{place}: ")), "expected at {place}: {error}\n{text}");
        assert!(error.contains(message), "expected {message:?}: {error}\n{text}");
    }
}

#[test]
fn names_unreadable_file() {
    let error = Config::load("/nowhere/damcast.toml".as_ref()).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/damcast.toml: No such file"), "{error}");
}

#[test]
fn no_mutation_of_configuration_panics() {
    let text = std::fs::read_to_string("config/examples/club-usb.toml").unwrap();
    for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
        for insert in ["", "\"", "[", "]", "=", "\u{0}", "ü", "9"] {
            let mutated = format!("{}{insert}{}", &text[..at], text.get(at + 1..).unwrap_or_default());
            for error in Config::read("x.toml", &mutated).err().into_iter().flat_map(|errors| errors.0) {
                assert!(error.location.is_some() && !error.message.is_empty(), "{mutated}");
            }
        }
    }
}

#[test]
fn outlets_have_separate_folders() {
    let text = format!(
        "{SMALLEST}[[outlet]]\nname = \"hall\"\ngroup = \"damcast-hall\"\n[[outlet]]\nname = \"world\"\ndirectory = \"for/world\"\n\
         profile = \"standard\"\ndelay = 900\ndelay-plies = 2\nsync = \"lazy\"\n"
    );
    let config = read(&text);
    let shown: Vec<(&str, &str, u32)> = config
        .outlets
        .iter()
        .map(|outlet| (outlet.name.as_str(), outlet.directory.to_str().unwrap(), outlet.delay.seconds))
        .collect();
    assert_eq!(shown, [("public", "public", 0), ("hall", "public-hall", 0), ("world", "for/world", 900)]);
    assert_eq!(config.outlets[1].group.as_deref(), Some("damcast-hall"));
    assert!(config.has_delay() && !read(SMALLEST).has_delay());
}

#[test]
fn mistake_in_outlet_suspends_one_outlet() {
    let outlet = |keys: &str| format!("[[outlet]]\nname = \"hall\"\n[[outlet]]\n{keys}\n");
    for (text, held, message) in [
        ("[public]\ndelay = -1\n".into(), "public", "`delay` is a whole number from 0 to 86400"),
        ("[public]\nprofile = \"all\"\n".into(), "public", "all"),
        ("[public]\ndely = 1\n".into(), "public", "did you mean `delay`?"),
        ("public = 5\n".into(), "public", "expected a table [public]"),
        (outlet("name = \"world\"\ndelay = true"), "world", "expected a number"),
        (outlet("name = \"../x\""), "../x", "1 to 32 letters, digits"),
        (outlet("name = \"Hall\""), "Hall", "the `name` `Hall` is taken, in line "),
        (outlet("name = \"public\""), "public (again)", "is that of [public]"),
        (outlet("delay = 5"), "outlet (damcast.toml:", "[[outlet]] needs the key `name`"),
        (outlet("name = \"world\"\ndirectory = \"public-hall\""), "world", "one is in the other"),
        (outlet("name = \"world\"\ndirectory = \"PUBLIC/archive\""), "world", "one is in the other"),
        (outlet("name = \"world\"\ndirectory = \"live\""), "world", "`directory` lies in `live`"),
        (outlet("name = \"world\"\ndirectory = \"log/x\""), "world", "`directory` lies in `log`"),
        (outlet("name = \"world\"\ndirectory = \"../x\""), "world", "a folder in that of the station"),
        (outlet("name = \"world\"\ndirectory = \"/srv/x\""), "world", "a folder in that of the station"),
        (outlet("name = \"world\"\ngroup = \"a b\""), "world", "`group` is the name of a group"),
    ] {
        let text: String = text;
        let text = if text.starts_with("public =") { text + SMALLEST } else { format!("{SMALLEST}{text}") };
        let error = refuse(&text);
        assert!(error.contains(message), "expected {message:?}: {error}");
        let config =
            Sources::from_text("damcast.toml", &text).read_for_recording().unwrap_or_else(|error| panic!("{error}"));
        let [only] = config.suspended_outlets.as_slice() else { panic!("{held}: {:?}", config.suspended_outlets) };
        assert!(only.name.starts_with(held) && only.errors.to_string() == error, "{held}: {only:?}");
        assert!(config.lines.len() == 1 && only.reason().starts_with("damcast.toml:"), "{}", only.reason());
        assert_eq!(
            config.outlets.len(),
            1 + usize::from(text.contains("hall")) - usize::from(held == "public"),
            "{text}"
        );
        assert_eq!(
            only.has_delay,
            text.contains("dely") || text.contains("delay") || text.contains("public = 5"),
            "{text}"
        );
    }
    // Every reader refuses mistakes in other tables as well.
    let wrong = format!("{SMALLEST}[public]\ngames-delay = 1\n[alarm]\nsilent = 0\n");
    let errors = Sources::from_text("x", &wrong).read_for_recording().unwrap_err();
    assert!(errors.0.len() == 1 && errors.to_string().contains("silent"), "{errors}");
    assert_eq!(Config::read("x", &wrong).unwrap_err().0.len(), 2);
}
