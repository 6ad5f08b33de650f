//! One file of a station's folder is damaged between two starts: cut, zeroed, a bit flipped, lines swapped, or an old copy put in its place.
//! Published data must stay the same: each event number keeps its line, games keep their moves, results stand, hidden names stay hidden.
//! `fsck` must name the file. The test checks a start of the station and `damcast rebuild`, each in its own copy.
//!
//! `DAMCAST_COUNT`, `DAMCAST_SEED`, `DAMCAST_FILE` (a part of the name) and `DAMCAST_KEEP` (a folder for the copies that fail) change the
//! long test.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use damcast::engine::bytelog::LogInput;
use damcast::engine::playback;
use damcast::simulation::day::Day;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::simulation::tournament::{TournamentForm, run_tournament};
use damcast::station::config::OutletConfig;
use damcast::station::disk::Durability;
use hardware_sim::profile::NoiseProfile;
use rustix::process::Signal;
use serde_json::Value;

use crate::control::{run_ctl, status};
use crate::daemon::{Station, StationFolder, moves};
use crate::folders::{self, Files};
use crate::hall::{Hall, assert_clean};
use crate::program::{Run, assert_contains, run};
use crate::pty::wait_until;
use crate::random::Random;

/// Number of boards, one for each line.
const BOARDS: usize = 3;
/// Line whose second game is running at the end.
const RUNNING: &str = "board-2";
/// Line whose last log has no next log, which would contain its length and checksum.
const CLOSED: &str = "board-3";
/// Folders of the station's outlets.
const OUTLETS: [&str; 2] = ["public", "public-hall"];
/// Name that is hidden.
const HIDDEN: &str = "Wiersma, Harm";

/// A recorded folder, and how it was before.
struct Fixture {
    place: StationFolder,
    /// Files after the last stop.
    files: Files,
    /// Files after earlier stops, oldest first.
    old: Vec<Files>,
}

/// Returns the folder that all cases damage.
fn fixture() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(Fixture::record)
}

impl Fixture {
    /// Records a tournament of two rounds, publishes it with a real station, hides a name and corrects a result.
    fn record() -> Fixture {
        let place = StationFolder::new(&[]);
        let directory = place.path("recordings");
        play(&directory);
        cut_into_running_game(&directory.join("log"), RUNNING);
        for folder in ["live", "public"] {
            fs::remove_dir_all(directory.join(folder)).unwrap();
        }
        let is_kept = |name: &str| name.ends_with(".log") || name == "tournament.ndjson";
        for entry in fs::read_dir(directory.join("log")).unwrap().map(|entry| entry.unwrap()) {
            if !is_kept(&entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        fs::write(place.path("damcast.toml"), configuration(&directory)).unwrap();
        let mut old = Vec::new();
        let requests: [&[&[&str]]; 3] = [
            &[&["rename-player", "1", HIDDEN]],
            &[&["result", "-", "1-1", "--pairing", "1.1", "--correct"], &["rename-player", "1", "N. N."]],
            &[&["result", "-", "2-0", "--pairing", "1.2", "--correct"]],
        ];
        for requests in requests {
            let mut station = start(&place, &directory);
            for request in requests {
                let socket = directory.join("control.sock").display().to_string();
                run(&[&["ctl", "--socket", &socket], *request].concat()).done();
            }
            stop(&mut station);
            assert_clean(&directory, "before the damage");
            old.push(folders::read(&directory));
        }
        // The last log of this line has games, and no later log tells how long it was.
        remove_last_logs_without_records(&directory.join("log"), CLOSED);
        assert_clean(&directory, "before the damage");
        let files = folders::read(&directory);
        old.pop();
        let named = |files: &Files| files.iter().any(|(name, bytes)| is_public(name) && contains(bytes, HIDDEN));
        assert!(named(&old[0]) && !named(&files));
        assert!(files.keys().any(|name| name.starts_with("public/round/2/")), "{:?}", files.keys());
        Fixture { place, files, old }
    }
}

fn play(directory: &Path) {
    let day = Day {
        directory: directory.to_owned(),
        boards: BOARDS,
        games: 1,
        profile: NoiseProfile::blitz(),
        control: "300+3".parse().ok(),
        seed: 31,
        outage_every_ms: 600_000,
        kill_every_ms: 60_000,
        until_ms: 0,
        write_every_ms: 5_000,
        outlets: vec![OutletConfig { durability: Durability::Lazy, ..OutletConfig::default() }],
    };
    let mut pool = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    pool.iter_mut().for_each(|game| game.moves.truncate(16));
    run_tournament(&day, TournamentForm::Swiss(2), &pool).unwrap();
}

/// Returns a configuration of the boards of the day, with another outlet.
fn configuration(directory: &Path) -> String {
    let mut text = format!("[station]\ndirectory = {directory:?}\nname = \"day\"\nsync = \"lazy\"\n");
    text += "[public]\nprofile = \"lidraughts\"\n[[outlet]]\nname = \"hall\"\nprofile = \"standard\"\n";
    for board in 1..=BOARDS {
        text += &format!("[[line]]\nname = \"board-{board}\"\nport = \"/dev/simulated-{board}\"\ngame-type = \"20\"\n");
        text += "[line.tags]\nEvent = \"A day\"\nWhite = \"A [b] ../../c\"\nTimeControl = \"300+3\"\n";
    }
    text
}

/// Returns the paths of a line's logs in their order.
fn logs(folder: &Path, line: &str) -> Vec<PathBuf> {
    let name = |number: u32| folder.join(format!("{line}-{number}.log"));
    (1..).map(name).take_while(|path| path.exists()).collect()
}

/// Ends the logs of a line where its second game has some moves and is not over.
fn cut_into_running_game(folder: &Path, line: &str) {
    let is_running = |paths: &[PathBuf]| {
        let input = |path: &PathBuf| {
            let bytes = fs::read(path).unwrap();
            LogInput::new(
                path.display().to_string(),
                damcast::engine::bytelog::read(&bytes).unwrap().header,
                move || Ok(Box::new(std::io::Cursor::new(bytes.clone()))),
            )
        };
        let games = playback::play(paths.iter().map(input).collect(), None).unwrap().games;
        games.last().is_some_and(|game| game.number() == 2 && !game.file.is_ended && game.file.entries.len() >= 8)
    };
    let mut paths = logs(folder, line);
    while let Some(path) = paths.last().cloned() {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for kept in (20..=lines.len()).rev().step_by(9) {
            fs::write(&path, lines[..kept].concat()).unwrap();
            if is_running(&paths) {
                return;
            }
        }
        fs::remove_file(&path).unwrap();
        paths.pop();
    }
    panic!("the second game of {line} never runs");
}

fn remove_last_logs_without_records(folder: &Path, line: &str) {
    for path in logs(folder, line).into_iter().rev() {
        let has_records = fs::read_to_string(&path).unwrap().lines().any(|line| line.contains(" < "));
        if has_records {
            return;
        }
        fs::remove_file(path).unwrap();
    }
}

/// Starts a station, and waits until all lines are open or known to be closed.
fn start(place: &StationFolder, directory: &Path) -> Station {
    let station = place.start();
    let output = || station.output();
    let lines = || output().lines().filter(|line| line.contains("waiting for the port")).count();
    wait_until(&format!("the lines are open in {}: {}", directory.display(), output()), || lines() >= BOARDS);
    station
}

#[track_caller]
fn stop(station: &mut Station) {
    assert!(station.signal(Signal::TERM).success(), "{}", station.output());
}

fn is_public(name: &str) -> bool {
    OUTLETS.iter().any(|outlet| name.starts_with(&format!("{outlet}/")))
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|found| found == part.as_bytes())
}

/// Kinds of damage.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Cut,
    CutAtLine,
    Zeros,
    Flip,
    Swap,
    OldCopy,
}

const DAMAGES: [Damage; 6] =
    [Damage::Cut, Damage::CutAtLine, Damage::Zeros, Damage::Flip, Damage::Swap, Damage::OldCopy];

impl Damage {
    /// Returns the damaged bytes of a file; `None` if they are the same.
    fn apply(self, fixture: &Fixture, name: &str, random: &mut Random) -> Option<Vec<u8>> {
        let whole = &fixture.files[name];
        // Space behind the used part of the commits is zero.
        let used = whole.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let mut bytes = whole.clone();
        let ends: Vec<usize> = (0..used).filter(|&at| whole[at] == b'\n').map(|at| at + 1).collect();
        match self {
            Damage::Cut => bytes.truncate(random.below(used)),
            Damage::CutAtLine => bytes.truncate(*ends.get(random.below(ends.len()))?),
            Damage::Zeros => {
                let from = random.below(used);
                let longest = 1 << random.below(13);
                let length = 1 + random.below(longest);
                bytes[from..(from + length).min(used)].fill(0);
            }
            Damage::Flip => bytes[random.below(used)] ^= 1 << random.below(8),
            Damage::Swap => {
                let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
                let (one, other) = (random.below(lines.len()), random.below(lines.len()));
                let mut swapped = lines.clone();
                swapped.swap(one, other);
                bytes = swapped.concat();
            }
            Damage::OldCopy => bytes = fixture.old[random.below(fixture.old.len())].get(name)?.clone(),
        }
        (bytes != *whole).then_some(bytes)
    }
}

/// Lines of an outlet that were ever published, by generation and number.
type Published = BTreeMap<(String, u64), String>;

fn add_published(files: &Files, outlet: &str, published: &mut Published) {
    let text = String::from_utf8_lossy(files.get(&format!("{outlet}/events.ndjson")).map_or(&[][..], Vec::as_slice))
        .into_owned();
    for line in text.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        published.insert((event["gen"].as_str().unwrap().to_owned(), event["seq"].as_u64().unwrap()), line.to_owned());
    }
}

/// Returns the number of events of each stream of a file of events, or what is wrong with it.
fn event_counts(text: &str) -> Result<BTreeMap<String, u64>, String> {
    let mut counts = BTreeMap::new();
    let mut generation = None;
    for (line, seq) in text.lines().zip(1..) {
        let event: Value = serde_json::from_str(line).map_err(|error| format!("line {seq}: {error}"))?;
        if event["seq"].as_u64() != Some(seq) || *generation.get_or_insert(event["gen"].clone()) != event["gen"] {
            return Err(format!("line {seq}: {line}"));
        }
        let stream = ["n", "p", "t", "c", "b"].into_iter().find(|stream| !event[*stream].is_null()).unwrap_or("?");
        *counts.entry(format!("{} {} {stream}", event["board"], event["game"])).or_insert(0) += 1;
    }
    Ok(counts)
}

/// A damaged file.
struct Case {
    name: String,
    damaged: Vec<u8>,
}

impl Case {
    /// Returns what is wrong with a folder after the damage and a start or a rebuild.
    fn faults(&self, fixture: &Fixture, after: &Files) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, before) in &fixture.files {
            let is_shown = is_public(name) || name.starts_with("live/");
            if !is_shown || name.ends_with("/events.ndjson") {
                continue;
            }
            match after.get(name) {
                Some(bytes) if bytes == before || *name == self.name && *bytes == self.damaged => {}
                Some(bytes) => faults.push(format!("{name} is another:\n{}", difference(before, bytes))),
                None => faults.push(format!("{name} is missing")),
            }
        }
        for (name, bytes) in after.iter().filter(|(name, _)| is_public(name)) {
            if contains(bytes, HIDDEN) {
                faults.push(format!("{name} has the hidden name"));
            }
            if !fixture.files.contains_key(name) && !name.contains(".aside-") {
                faults.push(format!("{name} is new"));
            }
        }
        for outlet in OUTLETS {
            faults.extend(
                self.events_fault(fixture, after, outlet).map(|fault| format!("{outlet}/events.ndjson: {fault}")),
            );
        }
        faults
    }

    fn events_fault(&self, fixture: &Fixture, after: &Files, outlet: &str) -> Option<String> {
        let name = format!("{outlet}/events.ndjson");
        let Some(bytes) = after.get(&name) else { return Some("it is missing".to_owned()) };
        if name == self.name && *bytes == self.damaged && !contains(bytes, HIDDEN) {
            return None;
        }
        let mut published = Published::new();
        fixture.old.iter().chain([&fixture.files]).for_each(|files| add_published(files, outlet, &mut published));
        let mut now = Published::new();
        add_published(after, outlet, &mut now);
        if let Some((key, line)) = now.iter().find(|(key, line)| published.get(*key).is_some_and(|was| was != *line)) {
            return Some(format!("{key:?} was {} and is {line}", published[key]));
        }
        let text = |files: &Files| String::from_utf8_lossy(&files[&name]).into_owned();
        let now = match event_counts(&text(after)) {
            Ok(now) => now,
            Err(fault) => return Some(fault),
        };
        let before = event_counts(&text(&fixture.files)).unwrap();
        let less = before.iter().find(|(stream, count)| {
            // Live updates are replaceable, and in no file.
            !stream.ends_with('p') && now.get(*stream).is_none_or(|now| now < *count)
        });
        less.map(|(stream, count)| format!("{stream} had {count} events and has {:?}", now.get(stream)))
    }
}

fn difference(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (String::from_utf8_lossy(before).into_owned(), String::from_utf8_lossy(after).into_owned());
    let at = before.lines().zip(after.lines()).position(|(one, other)| one != other);
    let line = |text: &str| at.and_then(|at| text.lines().nth(at)).unwrap_or("(end)").to_owned();
    format!("    was {} bytes: {}\n    is {} bytes: {}", before.len(), line(&before), after.len(), line(&after))
}

/// Whether a file can show its damage. The commits are made again, the head of a log without records says nothing of a game, and the last
/// log may lack an end of which nothing was published.
fn must_be_named(fixture: &Fixture, case: &Case) -> bool {
    let whole = &fixture.files[&case.name];
    let lacks_end = whole.starts_with(&case.damaged);
    match case.name.ends_with(".log") {
        true => contains(whole, " < ") && !(lacks_end && is_last_log(fixture, &case.name)),
        false => case.name != "commits",
    }
}

/// Whether a log of a line is its last one.
fn is_last_log(fixture: &Fixture, name: &str) -> bool {
    let Some((line, number)) = name.strip_suffix(".log").and_then(|name| name.rsplit_once('-')) else { return false };
    !fixture.files.contains_key(&format!("{line}-{}.log", number.parse::<u32>().unwrap() + 1))
}

/// Runs one case in its folder. Returns what is wrong.
fn check(fixture: &Fixture, case: &Case) -> Vec<String> {
    let mut files = fixture.files.clone();
    files.insert(case.name.clone(), case.damaged.clone());
    let directory = fixture.place.path("recordings");
    let put = |directory: &Path| {
        let _ = fs::remove_dir_all(directory);
        folders::write(directory, &files);
    };
    put(&directory);
    let mut faults = Vec::new();
    let Run { out, err, .. } = run(&["fsck", &directory.display().to_string()]);
    let name = Path::new(&case.name).file_name().unwrap().to_string_lossy().into_owned();
    let mut station = start(&fixture.place, &directory);
    stop(&mut station);
    let must_be_named = must_be_named(fixture, case) || station.output().contains("stands still");
    if must_be_named && !format!("{out}{err}").contains(&name) {
        faults.push(format!("fsck does not name it: {out}{err}"));
    }
    faults.extend(case.faults(fixture, &folders::read(&directory)).into_iter().map(|fault| format!("start: {fault}")));
    put(&directory);
    let rebuilt = run(&["rebuild", &directory.display().to_string()]);
    let after = folders::read(&directory);
    if rebuilt.code == 0 {
        faults.extend(case.faults(fixture, &after).into_iter().map(|fault| format!("rebuild: {fault}")));
    } else if let Some((name, _)) =
        after.iter().find(|(name, bytes)| is_public(name) && files.get(*name) != Some(bytes))
    {
        faults.push(format!("rebuild failed and changed {name}: {}", rebuilt.err));
    }
    faults
}

/// Damages many files, each in its own case. Returns the number of faulty cases.
fn attack(count: usize, seed: u64, is_chosen: impl Fn(&str) -> bool) -> usize {
    println!("seed {seed}");
    let (fixture, mut random, mut faulty, mut done) = (fixture(), Random(seed), 0, 0);
    let is_file =
        |name: &&String| !name.ends_with(".aside-1") && !name.contains("lock") && !fixture.files[*name].is_empty();
    let names: Vec<&String> = fixture.files.keys().filter(is_file).filter(|name| is_chosen(name)).collect();
    while done < count {
        let (name, damage) = (names[random.below(names.len())], DAMAGES[random.below(DAMAGES.len())]);
        let damaged = damage.apply(fixture, name, &mut random);
        let Some(damaged) = damaged else { continue };
        done += 1;
        let case = Case { name: name.clone(), damaged };
        let faults = check(fixture, &case);
        if faults.is_empty() {
            continue;
        }
        faulty += 1;
        println!("case {done}: {damage:?} of {name}, {} of {} bytes", case.damaged.len(), fixture.files[name].len());
        faults.iter().take(4).for_each(|fault| println!("  {fault}"));
        if let Ok(kept) = std::env::var("DAMCAST_KEEP") {
            let folder = Path::new(&kept).join(format!("case-{done}"));
            let mut files = fixture.files.clone();
            files.insert(case.name.clone(), case.damaged.clone());
            folders::write(&folder, &files);
        }
    }
    println!("{faulty} of {count} damaged files are faulty");
    faulty
}

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Whether a file is one of the record, rather than made from it.
fn is_record(name: &str) -> bool {
    name.starts_with("log/") || name == "commits"
}

/// Whether a file is the log of a line.
fn is_line_log(name: &str) -> bool {
    name.ends_with(".log")
}

#[test]
fn damaged_record_changes_nothing_published() {
    let is_witnessed = |name: &str| is_record(name) && !is_line_log(name);
    let faults = attack(16, 31, is_line_log) + attack(12, 31, is_witnessed) + attack(8, 31, |name| !is_record(name));
    assert_eq!(faults, 0);
}

/// A log lost its end, beyond what the commits have: the game stands still, which operators see, until the log is back.
#[test]
fn game_of_damaged_log_stands_still_until_copy_is_back() {
    let mut hall = Hall::start("");
    hall.play(8);
    let last = moves(&hall.live(1)).pop().unwrap();
    hall.wait_for_public("games.pdn", &last);
    hall.wait_for_public("events.ndjson", &format!("\"{last}\""));
    hall.stop();
    let names = ["live/a-1.pdn", "public/games.pdn", "public/started.pdn", "public/events.ndjson"];
    let published = names.map(|name| hall.read(name));
    let log = fs::read_to_string(hall.file("log/a-1.log")).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    fs::write(hall.file("log/a-1.log"), lines[..lines.len() / 2].concat()).unwrap();
    fs::remove_file(hall.file("commits")).unwrap();
    assert_contains(&hall.place.fsck().out, &["log/a-1.log: wrong: a log of this line lost a part of live/a-1.pdn"]);
    run(&["rebuild", &hall.place.directory()]).fails(1, "lost a part of live/a-1.pdn");
    for _ in 0..2 {
        hall.start_again();
        hall.station.wait_for("the port is open");
        hall.wait("the alarm", |hall| {
            let alarms = status(&hall.place)["alarms"].to_string();
            alarms.contains("\"publication\"") && alarms.contains("live/a-1.pdn") && alarms.contains("stands still")
        });
        assert_contains(&run_ctl(&hall.place, &["status"]).out, &["stands still as it was published"]);
        hall.wait("recording goes on", |hall| !hall.read("live/a-1.recovered-1.pdn").is_empty());
        hall.stop();
        assert_eq!(names.map(|name| hall.read(name)), published, "{}", hall.station.output());
    }
    fs::write(hall.file("log/a-1.log"), &log).unwrap();
    hall.start_again();
    hall.wait("the end of the alarm", |hall| !status(&hall.place)["alarms"].to_string().contains("stands still"));
    hall.play(10);
    assert!(hall.live(1).starts_with(&published[0]) && moves(&hall.live(1)).len() >= 10, "{}", hall.live(1));
}

/// Bytes of a log change in their place while the station writes it, which it notices only at the next start.
#[test]
fn log_changed_beneath_station_takes_nothing_back() {
    for is_zeroed in [false, true] {
        let mut hall = Hall::start("");
        hall.play(6);
        let path = hall.file("log/a-1.log");
        let written = fs::read(&path).unwrap();
        let at = written.len() * 2 / 3;
        let changed = if is_zeroed { vec![0; 40] } else { vec![written[at] ^ 1] };
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all_at(&changed, at as u64).unwrap();
        hall.play(10);
        let last = moves(&hall.live(1)).pop().unwrap();
        hall.wait_for_public("games.pdn", &last);
        hall.wait_for_public("events.ndjson", &format!("\"{last}\""));
        hall.stop();
        let names = ["live/a-1.pdn", "public/games.pdn", "public/started.pdn"];
        let published = names.map(|name| hall.read(name));
        let events = hall.read("public/events.ndjson");
        for _ in 0..2 {
            hall.start_again();
            hall.station.wait_for("the port is open");
            hall.stop();
            assert_eq!(names.map(|name| hall.read(name)), published, "{is_zeroed}: {}", hall.station.output());
            assert!(hall.read("public/events.ndjson").starts_with(&events), "{is_zeroed}: {}", hall.station.output());
        }
    }
}

#[test]
#[ignore = "minutes: hundreds of starts"]
fn many_damaged_records() {
    let part = std::env::var("DAMCAST_FILE").unwrap_or_default();
    assert_eq!(attack(env("DAMCAST_COUNT", 500) as usize, env("DAMCAST_SEED", 1), |name| name.contains(&part)), 0);
}
