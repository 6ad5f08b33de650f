//! Checks in the sources what the compiler does not: no circle among files, no I/O in the core, no game on the wire.
//!
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

    /// Whether the line has this word.
    fn names(&self, word: &str) -> bool {
        words(&self.code).any(|other| other == word)
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

/// Returns what the files of a folder name of each other: by file, without extension, the names of others.
///
/// A module of a folder is a file, a folder, or both; all that is in it counts. `mod.rs`, `lib.rs` and `main.rs` list the others and may
/// name any of them.
fn siblings(folder: &Path, path: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let module = |entry: PathBuf| {
        let is_rust = entry.is_dir() || entry.extension().is_some_and(|extension| extension == "rs");
        entry.file_stem().filter(|_| is_rust).map(|stem| stem.to_string_lossy().into_owned())
    };
    let is_listed = |name: &String| !["mod", "lib", "main", "tests"].contains(&name.as_str());
    let names: BTreeSet<String> =
        fs::read_dir(folder).unwrap().filter_map(|entry| module(entry.unwrap().path())).filter(is_listed).collect();
    let edges_of = |name: &String| {
        let inner = folder.join(name);
        let file = inner.with_extension("rs");
        let present = [&file, &inner].into_iter().filter(|path| path.exists()).map(|path| path.display().to_string());
        let present: Vec<String> = present.collect();
        let lines = lines_under(&present.iter().map(String::as_str).collect::<Vec<_>>());
        let named = imports(&lines).into_iter().filter_map(|(from, import)| sibling(folder, path, &from, &import));
        (name.clone(), named.filter(|other| names.contains(other) && other != name).collect())
    };
    names.iter().map(edges_of).collect()
}

/// Returns the paths that code names, each with its file; a list in braces becomes one path for each name in it.
fn imports(lines: &[SourceLine]) -> Vec<(PathBuf, String)> {
    let mut files: BTreeMap<&Path, String> = BTreeMap::new();
    for line in lines {
        files.entry(&line.file).or_default().extend([line.code.trim(), " "]);
    }
    let mut found = Vec::new();
    for (file, text) in files {
        for root in ["crate::", "super::"] {
            let is_begun =
                |at: &usize| !text[..*at].ends_with(|before: char| before.is_alphanumeric() || ":_".contains(before));
            for at in text.match_indices(root).map(|(at, _)| at).filter(is_begun) {
                let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
                let path: String = text[at..].chars().take_while(|&c| is_path(c)).collect();
                let list = text[at + path.len()..].strip_prefix('{').map(|rest| outer_names(rest)).unwrap_or_default();
                found.extend(list.iter().map(|name| (file.to_owned(), format!("{path}{name}"))));
                found.push((file.to_owned(), path));
            }
        }
    }
    found
}

/// Returns the first names of the items of a list up to its closing brace.
fn outer_names(list: &str) -> Vec<String> {
    let (mut depth, mut name, mut names) = (0, String::new(), Vec::new());
    for character in list.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(std::mem::take(&mut name)),
            other if depth == 0 && !other.is_whitespace() => name.push(other),
            _ => {}
        }
    }
    names.push(name);
    names
}

/// Returns the module of a folder that a path names, if it is in that folder.
fn sibling(folder: &Path, path: &[String], from: &Path, import: &str) -> Option<String> {
    let mut parts: Vec<&str> = import.split("::").filter(|part| !part.is_empty()).collect();
    let ups = parts.iter().take_while(|part| **part == "super").count();
    let place: Vec<String> = if ups > 0 {
        let stem = from.with_extension("");
        let within =
            stem.strip_prefix(folder).ok()?.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let mut place: Vec<String> = path.iter().cloned().chain(within.filter(|part| part != "mod")).collect();
        place.truncate(place.len().checked_sub(ups)?);
        parts.drain(..ups);
        place
    } else {
        parts.remove(0);
        Vec::new()
    };
    let whole: Vec<String> = place.into_iter().chain(parts.into_iter().map(str::to_owned)).collect();
    whole.strip_prefix(path)?.first().cloned()
}

/// Returns a circle in a graph, if there is one.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left: BTreeSet<&String> = graph.keys().collect();
    while let Some(free) = left.iter().find(|name| graph[**name].iter().all(|other| !left.contains(other))).copied() {
        left.remove(free);
    }
    let mut trail = vec![(*left.first()?).clone()];
    loop {
        let next = graph[trail.last()?].iter().find(|other| left.contains(other))?.clone();
        if let Some(at) = trail.iter().position(|seen| *seen == next) {
            return Some(trail.split_off(at));
        }
        trail.push(next);
    }
}

/// Returns all folders of a crate with the path of their module.
fn folders(folder: &Path, path: &[String], all: &mut Vec<(PathBuf, Vec<String>)>) {
    all.push((folder.to_owned(), path.to_vec()));
    for inner in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|inner| inner.is_dir()) {
        let name = inner.file_name().unwrap().to_string_lossy().into_owned();
        folders(&inner, &[path, &[name]].concat(), all);
    }
}

#[test]
fn files_of_a_folder_form_no_circle() {
    let mut all = Vec::new();
    crates().iter().for_each(|sources| folders(Path::new(sources), &[], &mut all));
    let circles = all.iter().filter_map(|(folder, path)| {
        let circle = circle(&siblings(folder, path))?;
        Some(format!("{}: {}", folder.display(), circle.join(" -> ")))
    });
    let circles: Vec<String> = circles.collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn circle_is_found() {
    let graph = |edges: &[(&str, &[&str])]| {
        let edges = edges.iter().map(|(from, to)| ((*from).to_owned(), to.iter().map(|to| (*to).to_owned()).collect()));
        edges.collect::<BTreeMap<String, BTreeSet<String>>>()
    };
    assert_eq!(circle(&graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
    assert_eq!(circle(&graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])), Some(vec!["b".into(), "c".into()]));
    let named = |path: &[&str], from: &str, import: &str| {
        let path: Vec<String> = path.iter().map(|part| (*part).to_owned()).collect();
        sibling(Path::new("x/line"), &path, Path::new(from), import)
    };
    assert_eq!(named(&["line"], "x/line/opening.rs", "super::report::Report").as_deref(), Some("report"));
    assert_eq!(named(&["line"], "x/line/board/parts.rs", "super::super::report").as_deref(), Some("report"));
    assert_eq!(named(&["line"], "x/line/board/parts.rs", "super::report"), Some("board".to_owned()));
    assert_eq!(named(&["line"], "x/line/board/mod.rs", "super::report").as_deref(), Some("report"));
    assert_eq!(named(&["line"], "x/line/opening.rs", "crate::line::clock::Clock").as_deref(), Some("clock"));
    assert_eq!(named(&["line"], "x/line/opening.rs", "crate::clock::Clock"), None);
    assert_eq!(outer_names("a::B, c::{d, e}, F} = x, g"), ["a::B", "c::", "F"]);
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
    refuse(recorder.iter().filter(|line| line.names("draughts_tournament")), "the recorder names the tournament");
    let pages = lines_under(&["crates/damcast-outward/src/web", "crates/damcast-outward/src/follow"]);
    refuse(pages.iter().filter(|line| line.names("damcast_control")), "the pages name the control socket");
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
