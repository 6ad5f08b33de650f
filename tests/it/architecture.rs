//! One direction of dependency, and a core that knows no world: held by reading the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Libraries of their own that the station names like modules: the name, the crate, its sources.
const LIBRARIES: &[(&str, &str, &str)] =
    &[("rules", "draughts", "crates/draughts/src"), ("pdn", "draughts_pdn", "crates/draughts-pdn/src")];

/// Every module of the library, and the modules it may name. None may name a later one.
const EDGES: &[(&str, &[&str])] = &[
    // the core
    ("millis", &[]),
    ("calendar", &["millis"]),
    ("rules", &[]),
    ("protocol", &[]),
    ("bytelog", &["protocol"]),
    ("pdn", &["rules"]),
    ("profile", &["rules", "pdn"]),
    ("roster", &["rules", "pdn"]),
    ("recognition", &["millis", "rules"]),
    ("livefile", &["rules", "pdn"]),
    ("session", &["millis", "calendar", "rules", "protocol", "bytelog", "pdn", "recognition", "livefile"]),
    ("playback", &["millis", "calendar", "rules", "bytelog", "livefile", "session"]),
    ("broadcast", &["rules", "pdn", "livefile"]),
    // the shell
    ("link", &[]),
    ("disk", &[]),
    ("escape", &[]),
    ("config", &["rules", "bytelog", "pdn", "session", "playback", "broadcast", "disk", "link", "escape"]),
    ("pulse", &[]),
    ("trouble", &[]),
    ("counters", &[]),
    ("journal", &["millis", "bytelog", "playback", "disk"]),
    ("feed", &["livefile", "session", "playback", "disk"]),
    ("recorder", &["millis", "bytelog", "livefile", "session", "playback", "disk", "journal", "feed", "trouble"]),
    (
        "outlets",
        &[
            "rules",
            "bytelog",
            "pdn",
            "session",
            "playback",
            "broadcast",
            "disk",
            "config",
            "pulse",
            "trouble",
            "journal",
            "feed",
        ],
    ),
    (
        "station",
        &[
            "millis", "calendar", "bytelog", "livefile", "session", "playback", "link", "disk", "config", "pulse",
            "trouble", "counters", "journal", "feed", "recorder", "outlets",
        ],
    ),
    ("overview", &["session", "trouble", "counters", "station"]),
    ("logging", &[]),
    ("notify", &[]),
    ("limits", &[]),
    ("output", &["escape"]),
    ("alarm", &["config", "trouble", "overview"]),
    ("metrics", &["session", "counters", "overview"]),
    ("control", &["session", "station", "overview", "logging", "escape"]),
    (
        "supervisor",
        &[
            "session", "link", "config", "disk", "pulse", "trouble", "counters", "journal", "recorder", "outlets",
            "station", "overview", "logging", "notify", "limits", "alarm", "metrics", "control",
        ],
    ),
    (
        "folder",
        &[
            "millis",
            "calendar",
            "protocol",
            "bytelog",
            "pdn",
            "session",
            "playback",
            "broadcast",
            "disk",
            "config",
            "journal",
            "feed",
            "recorder",
            "outlets",
        ],
    ),
    // simulated boards
    (
        "simulation",
        &[
            "millis",
            "calendar",
            "rules",
            "protocol",
            "bytelog",
            "pdn",
            "recognition",
            "livefile",
            "session",
            "playback",
            "broadcast",
            "link",
            "disk",
            "config",
            "journal",
            "feed",
            "outlets",
            "folder",
        ],
    ),
];

/// The first module of the shell in the table above.
const FIRST_OF_THE_SHELL: &str = "link";

/// What the core must not touch: a clock, a file, a socket, a thread, the environment, the runtime.
const BANNED: &[&str] = &[
    "Instant::now",
    "SystemTime",
    "Utc::now",
    "Local::now",
    "std::fs",
    "std::net",
    "std::thread",
    "std::env",
    "tokio",
];

/// A line of a source file, its comment taken off.
struct SourceLine {
    file: PathBuf,
    number: usize,
    code: String,
}

impl SourceLine {
    fn place(&self) -> String {
        format!("{}:{}: {}", self.file.display(), self.number, self.code.trim())
    }
}

/// The lines of all Rust files under a path, each file up to its tests.
fn lines_under(path: &Path) -> Vec<SourceLine> {
    let mut files = Vec::new();
    collect(path, &mut files);
    files.sort();
    let lines_of = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let before_tests = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        let code = before_tests.map(|line| line.split("//").next().unwrap_or_default().to_owned());
        let numbered = code.enumerate().map(|(i, code)| SourceLine { file: file.clone(), number: i + 1, code });
        numbered.collect::<Vec<_>>()
    };
    files.into_iter().flat_map(lines_of).collect()
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        files.push(path.to_owned());
    }
}

fn lines_of_module(module: &str) -> Vec<SourceLine> {
    if let Some((_, _, sources)) = LIBRARIES.iter().find(|(name, ..)| *name == module) {
        return lines_under(Path::new(sources));
    }
    let folder = Path::new("src").join(module);
    let mut lines = lines_under(&folder);
    if folder.with_extension("rs").is_file() {
        lines.extend(lines_under(&folder.with_extension("rs")));
    }
    lines
}

/// Does this code name the module, as `crate::module`, in a list `use crate::{module, ...}` or as a library?
fn names(code: &str, module: &str) -> bool {
    let is_word = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let library = LIBRARIES.iter().find(|(name, ..)| *name == module).map(|(_, library, _)| *library);
    let names_library = library.is_some_and(|library| {
        code.match_indices(library).any(|(at, _)| {
            let is_begun = !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
            is_begun && code[at + library.len()..].starts_with("::")
        })
    });
    names_library
        || ["crate::", "damcast::"].iter().any(|root| {
            code.match_indices(root).any(|(at, _)| {
                let rest = &code[at + root.len()..];
                let in_list = rest.strip_prefix('{').unwrap_or_default();
                let words = in_list.split(['{', '}', ',', ' ']).filter_map(|part| part.split("::").next());
                rest.strip_prefix(module).is_some_and(is_word) || words.into_iter().any(|word| word == module)
            })
        })
}

#[test]
fn nothing_points_up() {
    let mut wrong = Vec::new();
    for (module, allowed) in EDGES {
        for line in lines_of_module(module) {
            let others = EDGES.iter().map(|(other, _)| other).filter(|other| *other != module);
            for other in others.filter(|other| !allowed.contains(other) && names(&line.code, other)) {
                wrong.push(format!("`{module}` may not name `{other}`: {}", line.place()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The name that a line of `src/lib.rs` gives to a module or a library.
fn named_by(line: &str) -> Option<&str> {
    let item = line.strip_prefix("pub ")?;
    match item.strip_prefix("mod ") {
        Some(module) => module.strip_suffix(';').or_else(|| module.strip_suffix(" {")),
        None => item.strip_prefix("use ")?.strip_suffix(';')?.split_once(" as ").map(|(_, name)| name),
    }
}

#[test]
fn the_table_is_complete_and_in_order() {
    let library = fs::read_to_string("src/lib.rs").unwrap();
    let modules: Vec<&str> = library.lines().filter_map(named_by).collect();
    let table: Vec<&str> = EDGES.iter().map(|(module, _)| *module).collect();
    assert_eq!(modules, table, "src/lib.rs and the table of this test list the same modules in the same order");
    for (at, (module, allowed)) in EDGES.iter().enumerate() {
        for other in *allowed {
            assert!(table[..at].contains(other), "the table lets `{module}` name `{other}`, which comes later");
        }
    }
}

#[test]
fn the_core_knows_no_world() {
    let core = EDGES.iter().map(|(module, _)| *module).take_while(|module| *module != FIRST_OF_THE_SHELL);
    let mut wrong = Vec::new();
    for line in core.flat_map(lines_of_module) {
        for banned in BANNED.iter().filter(|banned| line.code.contains(*banned)) {
            wrong.push(format!("`{banned}` in the core: {}", line.place()));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn rules_and_protocol_do_not_know_of_each_other() {
    for (module, other) in [("rules", "protocol"), ("protocol", "rules")] {
        for line in lines_of_module(module) {
            let paths = [format!("{other}::"), format!("::{other}")];
            assert!(!paths.iter().any(|path| line.code.contains(path)), "{}", line.place());
        }
    }
}

#[test]
fn the_simulator_depends_on_nothing_of_the_recorder() {
    for line in lines_under(Path::new("hardware-sim/src")) {
        assert!(!line.code.contains("damcast"), "{}", line.place());
        for banned in BANNED {
            assert!(!line.code.contains(banned), "`{banned}`: {}", line.place());
        }
    }
    let manifest = fs::read_to_string("hardware-sim/Cargo.toml").unwrap();
    let dependencies =
        manifest.lines().filter(|line| line.split(['=', '.']).next().is_some_and(|key| key.trim() == "damcast"));
    assert_eq!(dependencies.count(), 0, "hardware-sim/Cargo.toml names damcast as a dependency");
}

#[test]
fn this_test_can_fail() {
    for (code, module, expected) in [
        ("use crate::rules::Square;", "rules", true),
        ("use crate::{millis::Millis, rules};", "rules", true),
        ("crate::rules_of_thumb::x()", "rules", false),
        ("let rules = 5;", "rules", false),
        ("pub use damcast::rules;", "rules", true),
        ("use draughts::Move;", "rules", true),
        ("use draughts_pdn::fen;", "rules", false),
        ("use draughts_pdn::fen;", "pdn", true),
    ] {
        assert_eq!(names(code, module), expected, "{code}");
    }
    assert!(lines_of_module("rules").len() > 100 && lines_of_module("millis").len() > 10);
}
