//! Checks in the sources what the compiler does not: no circle among files, no I/O in the core, no game on the wire.
//! The crates keep the other directions: the manifest of a crate lists what it may name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Names that the core and the libraries must not use: clock, files, sockets, threads, environment, runtime.
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

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Returns the lines of all Rust files under these paths, each file up to its tests.
fn lines_under(paths: &[&str]) -> Vec<SourceLine> {
    let mut files = Vec::new();
    for path in paths {
        assert!(Path::new(path).exists(), "{path} is missing");
        collect(Path::new(path), &mut files);
    }
    files.sort();
    let lines_of = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let before_tests = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        let code = before_tests.map(|line| line.split("//").next().unwrap_or_default().to_owned());
        code.enumerate().map(|(i, code)| SourceLine { file: file.clone(), number: i + 1, code }).collect::<Vec<_>>()
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

/// Returns the folders of sources of all crates.
fn crates() -> Vec<String> {
    let folders = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src").display().to_string());
    folders.chain(["src".to_owned(), "hardware-sim/src".to_owned()]).collect()
}

/// Fails with the places of these lines.
fn refuse<'l>(lines: impl Iterator<Item = &'l SourceLine>, why: &str) {
    let places: Vec<String> = lines.map(SourceLine::place).collect();
    assert!(places.is_empty(), "{why}:\n{}\n", places.join("\n"));
}

/// Names of modules in a folder, each with the others that it names.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns the path of the module of a file in its crate; `mod.rs` is the module of its folder.
fn module_path(sources: &str, file: &Path) -> Vec<String> {
    let within = file.strip_prefix(sources).unwrap().with_extension("");
    let names = within.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| !["mod", "lib", "main"].contains(&name.as_str())).collect()
}

/// Returns the paths after `crate` or `super` in a text, with each name of a list in braces.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for root in ["crate::", "super::"] {
        let is_begun = |at: &usize| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || ":_".contains(c));
        for at in text.match_indices(root).map(|(at, _)| at).filter(is_begun) {
            let path: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
            let list = text[at + path.len()..].strip_prefix('{').unwrap_or_default();
            let mut depth = 0;
            for item in list.split(',') {
                if depth == 0 {
                    found.push(format!("{path}{}", words(item.trim()).next().unwrap_or_default()));
                }
                depth += item.matches('{').count().cast_signed() - item.matches('}').count().cast_signed();
                if depth < 0 {
                    break;
                }
            }
            found.push(path);
        }
    }
    found
}

/// Returns the absolute path of an import in a module.
fn absolute(module: &[String], import: &str) -> Vec<String> {
    let parts: Vec<&str> = import.split("::").filter(|part| !part.is_empty()).collect();
    let ups = parts.iter().take_while(|part| **part == "super").count();
    let place = if ups == 0 { &[] } else { &module[..module.len().saturating_sub(ups)] };
    place.iter().cloned().chain(parts[ups.max(1)..].iter().map(|part| (*part).to_owned())).collect()
}

/// Returns the graph of each folder of a crate, by the path of the folder's module.
fn graphs(sources: &str) -> BTreeMap<Vec<String>, Graph> {
    let mut files: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for line in lines_under(&[sources]) {
        files.entry(module_path(sources, &line.file)).or_default().extend([line.code.trim(), " "]);
    }
    let mut graphs: BTreeMap<Vec<String>, Graph> = BTreeMap::new();
    for (module, text) in &files {
        for other in imports(text).iter().map(|import| absolute(module, import)) {
            let common = module.iter().zip(&other).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (module.get(common), other.get(common))
                && files.keys().any(|file| file.starts_with(&other[..=common]))
            {
                let graph = graphs.entry(module[..common].to_vec()).or_default();
                graph.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    graphs
}

/// Returns the modules of a folder that lie on circles or lead to them; empty if there is no circle.
fn entangled(graph: &Graph) -> Graph {
    let mut left = graph.clone();
    loop {
        let before = left.len();
        let present: BTreeSet<String> = left.keys().cloned().collect();
        left.retain(|_, others| others.iter().any(|other| present.contains(other)));
        if left.len() == before {
            return left;
        }
    }
}

#[test]
fn files_of_a_folder_form_no_circle() {
    let mut circles = Vec::new();
    for sources in crates() {
        let all = graphs(&sources).into_iter().map(|(folder, graph)| (folder, entangled(&graph)));
        circles.extend(all.filter(|(_, circle)| !circle.is_empty()).map(|found| format!("{sources}: {found:?}")));
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn circle_is_found() {
    let edge = |from: &str, to: &str| (from.to_owned(), BTreeSet::from([to.to_owned()]));
    assert!(entangled(&Graph::from([edge("a", "b"), edge("b", "c")])).is_empty());
    let circle = Graph::from([edge("b", "c"), edge("c", "b")]);
    assert_eq!(entangled(&[circle.clone(), Graph::from([edge("d", "e")])].into_iter().flatten().collect()), circle);
    assert_eq!(imports("use super::{a::B, c::{d, e}, F}; x::g"), ["super::a", "super::c", "super::F", "super::"]);
    let module = module_path("src", Path::new("src/line/board/mod.rs"));
    assert_eq!(absolute(&module, "super::report::Report"), ["line", "report", "Report"]);
    assert_eq!(absolute(&module, "crate::clock"), ["clock"]);
    assert!(graphs("crates/damcast-engine/src")[&vec!["session".to_owned()]].len() > 5);
}

#[test]
fn core_and_libraries_use_no_io() {
    let pure = [
        "crates/damcast-engine/src",
        "crates/draughts/src",
        "crates/draughts-pdn/src",
        "crates/draughts-tournament/src",
        "hardware-sim/src",
    ];
    let lines = lines_under(&pure);
    let uses_io = |line: &&SourceLine| BANNED.iter().any(|banned| line.code.contains(banned));
    refuse(lines.iter().filter(uses_io), "the core and the libraries use no clock, file, socket or thread");
}

/// Only the operator's socket reaches the recorder; the network listeners are separate processes.
#[test]
fn station_opens_no_network_listener() {
    let lines = lines_under(&["crates/damcast-station/src"]);
    refuse(lines.iter().filter(|line| line.code.contains("TcpListener")), "the station opens no listener");
}

/// A line records whatever the tournament does; pages for viewers have no way to the station.
#[test]
fn recorder_knows_no_tournament_and_pages_no_station() {
    let station = |part: &str| format!("crates/damcast-station/src/{part}");
    let parts = ["line", "recorder", "journal", "live_files", "link", "disk"].map(station);
    let recorder = lines_under(&parts.each_ref().map(String::as_str));
    refuse(
        recorder.iter().filter(|line| line.code.contains("draughts_tournament")),
        "the recorder names the tournament",
    );
    let pages = lines_under(&["crates/damcast-outward/src/web", "crates/damcast-outward/src/follow"]);
    refuse(pages.iter().filter(|line| line.code.contains("damcast_control")), "the pages name the control socket");
}

#[test]
fn game_and_wire_are_independent() {
    let game = lines_under(&["crates/draughts/src", "crates/draughts-pdn/src", "crates/draughts-tournament/src"]);
    refuse(game.iter().filter(|line| line.code.contains("protocol::")), "the game names the wire");
    let wire = lines_under(&["crates/damcast-engine/src/protocol"]);
    refuse(wire.iter().filter(|line| line.code.contains("draughts")), "the wire names the game");
}

#[test]
fn type_names_are_unique_in_a_crate() {
    for sources in crates() {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in lines_under(&[&sources]) {
            let mut words = words(line.code.trim());
            let kinds = ["struct", "enum", "type", "trait", "union"];
            if let (Some("pub"), Some(kind), Some(name)) = (words.next(), words.next(), words.next())
                && kinds.contains(&kind)
            {
                places.entry(name.to_owned()).or_default().push(line.place());
            }
        }
        // Each verb of the program has its arguments.
        places.remove("Arguments");
        let twice: Vec<String> = places.into_values().filter(|at| at.len() > 1).flatten().collect();
        assert!(twice.is_empty(), "one word for one thing:\n{}\n", twice.join("\n"));
    }
}

#[test]
fn no_code_depends_on_specific_game() {
    let lines = lines_under(&["crates/draughts/src"]);
    let rows: Vec<&str> =
        lines.iter().filter_map(|line| line.code.split_once(": VariantRow = ")?.0.split_whitespace().last()).collect();
    assert_eq!(rows.len(), 14);
    let asks = |line: &&SourceLine| {
        let is_question = ["==", "!=", "if ", "match "].iter().any(|question| line.code.contains(question));
        is_question && words(&line.code).any(|word| rows.contains(&word))
    };
    refuse(lines.iter().filter(asks), "code asks for a game");
}
