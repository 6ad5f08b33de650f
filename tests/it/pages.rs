//! The documentation: its transcripts are the program's output, its links resolve, and the files it names exist.
//!
//! Every command of a `console` block runs as printed, in a folder with the files that the pages mention. Transcripts that not every
//! machine can reproduce (a USB board, a station in the middle of a round) are covered by the tests in [`TESTED_ELSEWHERE`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use damcast::simulation::day::Day;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::station::config::OutletConfig;
use rustix::process::Signal;

use crate::daemon::{SPEED, Station, recording};
use crate::program::damcast;
use crate::pty::{Board, Pty, wait_until};

/// Maximum number of lines of the README.
const MAX_README_LINES: usize = 130;

/// Commands, and the test that covers their output.
const TESTED_ELSEWHERE: [(&str, &str); 3] = [
    ("damcast ports", "cli::ports::tests::usb_port_with_stable_name"),
    ("damcast run --config damcast.toml", "pages::station_output_matches_readme"),
    ("damcast status", "cli::status::tests::matches_table_of_docs_page"),
];

/// Commands that show the results of a day in virtual time: their figures vary with the recording.
const COMMANDS_WITH_FIGURES: [&str; 2] = ["damcast fsck recordings", "damcast rebuild recordings"];

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Collects all files under a folder with one of these endings, without build results and hidden files.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_symlink() || name.starts_with('.') || matches!(name.as_str(), "target" | "pages" | "corpus") {
            continue;
        }
        if path.is_dir() {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path.strip_prefix(".").unwrap_or(&path).to_owned());
        }
    }
}

/// Returns all pages of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    files(Path::new("."), &[".md"], &mut pages);
    assert!(pages.len() > 12, "only {pages:?} were found");
    pages
}

/// Returns the README and the pages of `docs`, whose transcripts are tested.
fn with_transcripts() -> Vec<PathBuf> {
    pages().into_iter().filter(|page| *page == Path::new("README.md") || page.starts_with("docs")).collect()
}

/// Returns the blocks of a language, without the indentation of a list, each with its first line's number.
fn blocks(text: &str, language: &str) -> Vec<(usize, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if line.trim_start() == format!("```{language}") {
            let inside = lines.by_ref().map(|(line, _)| line).take_while(|line| line.trim() != "```");
            blocks.push((number + 1, inside.map(|line| line.get(indent..).unwrap_or_default().to_owned()).collect()));
        }
    }
    blocks
}

/// A command with its output.
struct Transcript {
    page: PathBuf,
    line: usize,
    command: String,
    output: Vec<String>,
}

fn transcripts() -> Vec<Transcript> {
    let mut all: Vec<Transcript> = Vec::new();
    for page in with_transcripts() {
        for (first, lines) in blocks(&read(&page), "console") {
            for (text, line) in lines.into_iter().zip(first..) {
                match text.strip_prefix("$ ") {
                    Some(command) => {
                        let (page, command) = (page.clone(), command.to_owned());
                        all.push(Transcript { page, line, command, output: Vec::new() });
                    }
                    None => all.last_mut().expect("a block begins with a command").output.push(text),
                }
            }
        }
    }
    all
}

/// Returns a folder with the files that the pages mention.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    for transcript in transcripts() {
        // `cat FILE` shows the file itself.
        if let Some(name) = transcript.command.strip_prefix("cat ") {
            fs::write(place(name), transcript.output.join("\n") + "\n").unwrap();
        }
    }
    fs::create_dir_all(place("tests/data")).unwrap();
    std::os::unix::fs::symlink(PathBuf::from("tests/data/replay").canonicalize().unwrap(), place("tests/data/replay"))
        .unwrap();
    let day = Day {
        directory: place("recordings"),
        boards: 4,
        games: 1,
        profile: "ideal".parse().unwrap(),
        control: "4800+60".parse().ok(),
        seed: 1,
        outage_every_ms: 0,
        kill_every_ms: 0,
        until_ms: 0,
        write_every_ms: 20_000,
        outlets: vec![OutletConfig::default()],
    };
    fs::create_dir_all(&day.directory).unwrap();
    let mut pool = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    pool.iter_mut().for_each(|game| game.moves.truncate(12));
    day.record(&pool, |_| {}).unwrap();
    // A file changed outside damcast.
    let live = place("recordings/live");
    let names = fs::read_dir(&live).unwrap().map(|entry| entry.unwrap().path());
    let changed = names.min().unwrap();
    let text = fs::read_to_string(&changed).unwrap();
    fs::write(&changed, text.replacen("1. 32-28", "1. 31-26", 1)).unwrap();
    folder
}

/// Runs a command as a person with the program installed does.
fn shell(folder: &Path, command: &str) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_damcast")).parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("{{ {command}; }} 2>&1")]).current_dir(folder).env("PATH", path);
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}

/// Replaces every number by one and the same.
fn without_figures(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if plain.ends_with('0') => {}
            '0'..='9' => plain.push('0'),
            _ => plain.push(c),
        }
    }
    plain
}

#[test]
fn pages_show_printed_output() {
    let folder = prepared();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for Transcript { page, line, command, output } in transcripts() {
        if TESTED_ELSEWHERE.iter().any(|(known, _)| *known == command) {
            continue;
        }
        tried += 1;
        let printed = shell(folder.path(), &command);
        let (mut printed, mut shown) = (printed.trim_end().to_owned(), output.join("\n").trim_end().to_owned());
        if COMMANDS_WITH_FIGURES.contains(&command.as_str()) {
            (printed, shown) = (without_figures(&printed), without_figures(&shown));
        }
        // Three dots at the end stand for further lines.
        let is_right = match shown.strip_suffix("\n...") {
            Some(beginning) => printed.starts_with(beginning),
            None => printed == shown,
        };
        if !is_right {
            wrong.push(format!(
                "{}:{line}: $ {command}\n--- it says\n{shown}\n--- the program prints\n{printed}\n",
                page.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(tried > 8, "only {tried} commands were found");
}

/// The smallest configuration, and the messages of a station started with it.
#[test]
fn station_output_matches_readme() {
    let folder = tempfile::tempdir().unwrap();
    let port = folder.path().join("port");
    let smallest = blocks(&read(Path::new("README.md")), "toml").remove(0).1.join("\n");
    assert!(smallest.contains("serial:/dev/ttyACM0"), "{smallest}");
    let config = smallest.replace("/dev/ttyACM0", port.to_str().unwrap()) + &format!("\ntime-scale = {SPEED}\n");
    fs::write(folder.path().join("damcast.toml"), config).unwrap();
    let mut pty = Pty::plug_in(&port);
    let mut board = Board::new(&recording(), SPEED);
    let mut command = damcast(&["run", "--config", "damcast.toml"]);
    command
        .current_dir(folder.path())
        .env_remove("NOTIFY_SOCKET")
        .env_remove("RUNTIME_DIRECTORY")
        .env_remove("RUST_LOG");
    let mut station = Station::spawn(command);
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || station.output().contains("ready"));
    wait_until("ready", || station.output().contains("ready"));
    let transcript =
        transcripts().into_iter().find(|transcript| transcript.command.starts_with("damcast run")).unwrap();
    let said = station.output().replace(port.to_str().unwrap(), "/dev/ttyACM0");
    // Each line begins with its time.
    let moment = "2026-11-22T12:53:32.123456Z".len();
    let text = |line: &str| line.get(moment..).unwrap_or_default().to_owned();
    let said: Vec<String> = said.lines().map(text).take(transcript.output.len()).collect();
    let shown: Vec<String> = transcript.output.iter().map(|line| text(line)).collect();
    assert_eq!(said, shown, "{}:{}", transcript.page.display(), transcript.line);
    assert!(station.signal(Signal::TERM).success());
}

/// Returns a page without its blocks and text in backticks, where brackets are no links.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    for (index, part) in text.split("```").enumerate() {
        if index % 2 == 0 {
            prose.extend(part.split('`').step_by(2).map(|piece| format!("{piece} ")));
        }
    }
    prose
}

/// Returns the targets of a page's links.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.filter(|target| !target.contains("://")).collect()
}

/// Returns the anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.split("```").step_by(2).flat_map(str::lines).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    };
    headings.map(anchor).collect()
}

/// Returns the broken links of a page.
fn dead_links(page: &Path) -> Vec<String> {
    let folder = page.parent().unwrap();
    let is_dead = |target: &String| {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let file = if file.is_empty() { page.to_owned() } else { folder.join(file) };
        let is_page = file.extension().is_some_and(|extension| extension == "md");
        !file.exists() || !anchor.is_empty() && is_page && !anchors(&read(&file)).contains(anchor)
    };
    links(&read(page)).into_iter().filter(is_dead).map(|target| format!("{}: {target}", page.display())).collect()
}

#[test]
fn every_link_between_pages_has_target() {
    let dead: Vec<String> = pages().iter().flat_map(|page| dead_links(page)).collect();
    assert!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
    let all: usize = pages().iter().map(|page| links(&read(page)).len()).sum();
    assert!(all > 50, "only {all} links were found");
}

#[test]
fn readme_is_short_and_lists_every_docs_page() {
    let lines = read(Path::new("README.md")).lines().count();
    assert!(
        lines <= MAX_README_LINES,
        "README.md has {lines} lines; at most {MAX_README_LINES}: the rest belongs to docs/"
    );
    let listed = links(&read(Path::new("docs/SUMMARY.md")));
    for page in pages().iter().filter_map(|page| page.strip_prefix("docs").ok()) {
        let name = page.display().to_string();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "docs/SUMMARY.md does not list {name}");
    }
}

/// A path such as `session/table.rs` is the end of a path in the repository, which stays valid when folders move.
#[test]
fn files_named_by_pages_exist() {
    let mut known = Vec::new();
    files(Path::new("."), &[".rs"], &mut known);
    let mut missing = Vec::new();
    let mut named = 0;
    for page in with_transcripts().into_iter().chain([PathBuf::from("ARCHITECTURE.md")]) {
        let text = read(&page);
        let prose = text.split("```").step_by(2).collect::<String>();
        for name in prose.split('`').skip(1).step_by(2) {
            if name.contains([' ', '*']) || !name.contains('/') || !name.ends_with(".rs") {
                continue;
            }
            named += 1;
            if !known.iter().any(|path| path.ends_with(name)) {
                missing.push(format!("{}: `{name}`", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no such files:\n{}", missing.join("\n"));
    assert!(named > 20, "only {named} names of files were found");
}

#[test]
fn finds_blocks_links_and_anchors() {
    let text = "a\n  ```console\n  $ one\n  out\n  ```\n```toml\n$ two\n```\n```console\n$ three\n```\n";
    let found = blocks(text, "console");
    assert_eq!(found, [(3, vec!["$ one".to_owned(), "out".to_owned()]), (10, vec!["$ three".to_owned()])]);
    assert_eq!(without_figures("4 logs (2.3 MB), 341 events"), without_figures("12 logs (10.25 MB), 7 events"));
    let page =
        "# One: `two`, three\n[a](b.md#x) `[c](d.md)` [e](https://f) [g](#h)\n```\n[i](j)\n# no heading\n```\n## A b";
    assert_eq!(links(page), ["b.md#x", "#h"]);
    assert_eq!(anchors(page).into_iter().collect::<Vec<_>>(), ["a-b", "one-two-three"]);
}
