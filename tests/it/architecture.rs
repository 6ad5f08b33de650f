//! Checks in the sources that dependencies have one direction and that the core does no I/O.

mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tables::{CRATES, EDGES, FOLDERS, LIBRARIES};

/// Folder of the core.
const CORE: &str = "engine/";

/// Returns the name of a module; its table entry includes the folders.
fn module_name(module: &str) -> &str {
    module.rsplit_once('/').map_or(module, |(_, name)| name)
}

/// Names that the core must not use: clock, files, sockets, threads, environment, runtime.
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

/// A line of a source file without its comment.
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

/// Returns the lines of all Rust files under a path, each file up to its tests.
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

/// Returns the lines of a module, which is a file, a folder, or both.
fn lines_of_module(sources: &str, module: &str) -> Vec<SourceLine> {
    let folder = Path::new(sources).join(module);
    let file = folder.with_extension("rs");
    let paths = [folder, file].into_iter().filter(|path| path.exists());
    paths.flat_map(|path| lines_under(&path)).collect()
}

/// Whether this code names the module: as a library, or behind one of these roots, including a list `use crate::{module, ...}`.
fn names(code: &str, roots: &[String], module: &str) -> bool {
    let is_word = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let behind = |root: &str| {
        let is_begun = |at: &usize| !code[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        let places = code.match_indices(root).map(|(at, _)| at).filter(is_begun);
        places.map(|at| &code[at + root.len()..]).collect::<Vec<_>>()
    };
    LIBRARIES.contains(&module) && behind(module).iter().any(|rest| rest.starts_with("::"))
        || roots.iter().flat_map(|root| behind(root)).any(|rest| {
            let in_list = rest.strip_prefix('{').unwrap_or_default();
            let words = in_list.split(['{', '}', ',', ' ']).filter_map(|part| part.split("::").next());
            rest.strip_prefix(module).is_some_and(is_word) || words.into_iter().any(|word| word == module)
        })
}

/// Returns the prefixes by which a file names the modules of its crate.
fn roots(sources: &str, file: &Path) -> Vec<String> {
    let within = sources.split_once("src/").map_or(String::new(), |(_, path)| format!("{}::", path.replace('/', "::")));
    let folders = FOLDERS.iter().map(|folder| format!("{}::", folder.replace('/', "::"))).chain([within]);
    let places = folders.flat_map(|folder| ["crate::", "damcast::"].map(|library| format!("{library}{folder}")));
    let beside = FOLDERS.iter().map(|folder| Path::new(sources).join(folder)).chain([PathBuf::from(sources)]);
    let is_a_module = beside.into_iter().any(|folder| file.parent() == Some(&folder));
    let above = if is_a_module { "super::" } else { "super::super::" };
    places.chain([above.to_owned()]).collect()
}

#[test]
fn no_layer_imports_upwards() {
    let mut wrong = Vec::new();
    for (sources, table) in CRATES {
        for (module, allowed) in *table {
            for line in lines_of_module(sources, module) {
                let roots = roots(sources, &line.file);
                let others =
                    table.iter().map(|(other, _)| module_name(other)).filter(|other| *other != module_name(module));
                for other in others.filter(|other| !allowed.contains(other) && names(&line.code, &roots, other)) {
                    wrong.push(format!("`{module}` may not name `{other}`: {}", line.place()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Returns the name that a line of `lib.rs` gives to a module.
fn library_name(line: &str) -> Option<&str> {
    let module = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?;
    module.strip_suffix(';').or_else(|| module.strip_suffix(" {"))
}

/// Returns the file that lists a folder's modules, relative to the folder.
fn module_root(sources: &str) -> String {
    let folder = Path::new(sources);
    let beside = || format!("../{}.rs", module_name(sources));
    ["lib.rs", "mod.rs"].map(str::to_owned).into_iter().find(|file| folder.join(file).exists()).unwrap_or_else(beside)
}

/// Returns the modules that a file lists, in its order; those of folders replace the folder.
fn listed_modules(sources: &Path, file: &str) -> Vec<String> {
    let text = fs::read_to_string(sources.join(file)).unwrap();
    let folder = file.strip_suffix("mod.rs").unwrap_or_default();
    let listed = |name: &str| match format!("{folder}{name}") {
        path if FOLDERS.contains(&path.as_str()) => listed_modules(sources, &format!("{path}/mod.rs")),
        path => vec![path],
    };
    text.lines().filter_map(library_name).filter(|name| *name != "tests").flat_map(listed).collect()
}

#[test]
fn tables_are_complete_and_ordered() {
    for (sources, table) in CRATES {
        let mut modules = listed_modules(Path::new(sources), &module_root(sources));
        let mut listed: Vec<&str> = table.iter().map(|(module, _)| *module).collect();
        for (at, (module, allowed)) in table.iter().enumerate() {
            for other in *allowed {
                let is_earlier = listed[..at].iter().any(|listed| module_name(listed) == *other);
                assert!(is_earlier, "the table lets `{module}` name `{other}`, which comes later");
            }
        }
        // A library lists its modules by name.
        if *sources != "src" {
            modules.sort_unstable();
            listed.sort_unstable();
        }
        listed.retain(|module| !LIBRARIES.contains(module));
        assert_eq!(modules, listed, "{sources}/lib.rs and the table of this test list the same modules");
    }
}

#[test]
fn core_and_libraries_use_no_io() {
    let core = EDGES.iter().map(|(module, _)| *module).filter(|module| module.starts_with(CORE));
    let libraries = CRATES.iter().filter(|(sources, _)| sources.starts_with("crates/"));
    let lines = core.flat_map(|module| lines_of_module("src", module));
    let lines = lines.chain(libraries.flat_map(|(sources, _)| lines_under(Path::new(sources))));
    let mut wrong = Vec::new();
    for line in lines {
        for banned in BANNED.iter().filter(|banned| line.code.contains(*banned)) {
            wrong.push(format!("`{banned}` in the core: {}", line.place()));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Only the operator's socket reaches the recorder; the network listeners are separate processes.
#[test]
fn station_opens_no_network_listener() {
    let lines = lines_under(Path::new("src/station"));
    let wrong: Vec<String> =
        lines.iter().filter(|line| line.code.contains("TcpListener")).map(SourceLine::place).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn game_and_wire_are_independent() {
    let game = CRATES.iter().filter(|(sources, _)| sources.starts_with("crates/"));
    for line in game.flat_map(|(sources, _)| lines_under(Path::new(sources))) {
        assert!(!line.code.contains("protocol::"), "{}", line.place());
    }
    for line in lines_of_module("src", "engine/protocol") {
        assert!(!line.code.contains("draughts"), "{}", line.place());
    }
}

/// Public types that share a name, and the reason.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Event", "what a text of PDN has, and what happens to a tournament: each in a library of its own"),
    ("Refusal", "of a command by the tournament, of an option by a telnet server"),
    ("Arguments", "what a verb is asked with: one in each file of `cli`"),
    ("Entry", "one thing: what stands in the movetext, in any PDN and in a live file"),
];

#[test]
fn public_type_names_are_unique() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let sources = ["crates/draughts/src", "crates/draughts-pdn/src", "crates/draughts-tournament/src", "src"];
    for line in sources.iter().flat_map(|sources| lines_under(Path::new(sources))) {
        let is_of_the_product = ["src/simulation", "src/bin"].iter().all(|folder| !line.file.starts_with(folder));
        let mut words = line.code.trim().split(|c: char| !c.is_alphanumeric() && c != '_');
        let kinds = ["struct", "enum", "type", "trait", "union"];
        if let (Some("pub"), Some(kind), Some(name)) = (words.next(), words.next(), words.next())
            && kinds.contains(&kind)
            && is_of_the_product
        {
            places.entry(name.to_owned()).or_default().push(line.place());
        }
    }
    assert!(places.len() > 400, "types are found");
    let is_excused = |name: &str| SHARED_NAMES.iter().any(|(excused, _)| *excused == name);
    let twice: Vec<String> =
        places.iter().filter(|(name, at)| at.len() > 1 && !is_excused(name)).flat_map(|(_, at)| at.clone()).collect();
    assert!(twice.is_empty(), "one word for one thing:\n{}\n", twice.join("\n"));
    for (name, _) in SHARED_NAMES {
        assert!(places.get(*name).is_some_and(|at| at.len() > 1), "`{name}` stands once: it needs no excuse");
    }
}

#[test]
fn no_code_depends_on_specific_game() {
    let lines = lines_under(Path::new("crates/draughts/src"));
    let rows: Vec<&str> =
        lines.iter().filter_map(|line| line.code.split_once(": VariantRow = ")?.0.split_whitespace().last()).collect();
    assert_eq!(rows.len(), 14);
    for line in &lines {
        let mut words = line.code.split(|c: char| !c.is_alphanumeric() && c != '_');
        let asks = ["==", "!=", "if ", "match "].iter().any(|question| line.code.contains(question));
        assert!(!asks || words.all(|word| !rows.contains(&word)), "{}", line.place());
    }
}

#[test]
fn simulator_does_not_depend_on_recorder() {
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
fn detects_forbidden_import() {
    let beside = roots("src", Path::new("src/engine/some.rs"));
    for (code, module, expected) in [
        ("use crate::engine::livefile::Entry;", "livefile", true),
        ("use crate::engine::{millis::Millis, livefile};", "livefile", true),
        ("use damcast::station::operate::{logging, supervisor};", "supervisor", true),
        ("crate::engine::livefile_of_old::x()", "livefile", false),
        ("let livefile = 5;", "livefile", false),
        ("pub use damcast::engine::livefile;", "livefile", true),
        ("use draughts::Move;", "draughts", true),
        ("use draughts_pdn::fen;", "draughts", false),
        ("use draughts_pdn::fen;", "draughts_pdn", true),
        ("use super::position::Position;", "position", true),
    ] {
        assert_eq!(names(code, &beside, module), expected, "{code}");
    }
    let nested = roots("src", Path::new("src/engine/some/other.rs"));
    assert!(names("use super::super::position::Position;", &nested, "position"));
    assert!(!names("use super::position::Position;", &nested, "position"));
    for (sources, table) in CRATES {
        for module in table.iter().map(|(module, _)| *module).filter(|module| !LIBRARIES.contains(module)) {
            assert!(!lines_of_module(sources, module).is_empty(), "{sources} has no module `{module}`");
        }
    }
}
