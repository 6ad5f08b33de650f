//! Folders with many games: memory does not grow with them.

use std::fs;
use std::path::Path;

use damcast::simulation::day::Day;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::station::config::OutletConfig;
use damcast::station::disk::Durability;
use hardware_sim::profile::NoiseProfile;
use rustix::process::Signal;

use super::daemon::StationFolder;
use crate::endurance::station_has_opened;
use crate::program::{peak_memory, run_measured};
use crate::pty::wait_until;

const BOARDS: usize = 4;

/// Plays games of 24 plies on four boards, in virtual time, into the folder of a station.
fn play(place: &StationFolder, games: usize) {
    let day = Day {
        directory: place.path("recordings"),
        boards: BOARDS,
        games,
        profile: NoiseProfile::blitz(),
        control: "60+1".parse().ok(),
        seed: 7,
        outage_every_ms: 0,
        kill_every_ms: 0,
        until_ms: 0,
        write_every_ms: 600_000,
        outlets: vec![OutletConfig { durability: Durability::Lazy, ..OutletConfig::default() }],
    };
    let mut pool = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    pool.iter_mut().for_each(|game| game.moves.truncate(24));
    fs::create_dir_all(&day.directory).unwrap();
    day.record(&pool, |_| {}).unwrap();
}

/// Returns the peak memory, in KiB, of a start, `fsck`, `rebuild` and a start that writes all public files again.
fn peaks(games: usize) -> [u64; 4] {
    let names: Vec<String> = (1..=BOARDS).map(|number| format!("board-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = StationFolder::new(&names);
    play(&place, games);
    let start = || {
        let mut station = place.start();
        wait_until("all lines", || station.output().matches("recording line=").count() == BOARDS);
        wait_until("the events", || station_has_opened(&station, "events.ndjson"));
        wait_until("a public file", || place.path("recordings/public/games.pdn").exists());
        let most = peak_memory(station.process.id());
        assert!(station.signal(Signal::TERM).success());
        most
    };
    let folder = place.path("recordings");
    // A run may allocate in two threads at the same time: the least of two counts.
    let first = start().min(start());
    let read = |name: &str| fs::read(folder.join("public").join(name)).unwrap();
    let archive = |folder: &Path| fs::read_dir(folder.join("public/archive")).unwrap().count();
    let (events, archived) = (read("events.ndjson"), archive(&folder));
    assert_eq!(archived, games * BOARDS);
    // Two threads allocate at the same time: the least of three runs counts.
    let checked = (0..3).map(|_| {
        let (text, peak) = run_measured(&["fsck", folder.to_str().unwrap()]);
        assert!(text.contains(&format!("{} games", games * BOARDS)) && text.contains(": clean"), "{text}");
        peak
    });
    let checked = checked.min().unwrap();
    let rebuilt = ["again-1", "again-2", "again"].map(|name| {
        run_measured(&["rebuild", folder.to_str().unwrap(), "--into", place.path(name).to_str().unwrap()]).1
    });
    let rebuilt = rebuilt.into_iter().min().unwrap();
    assert!(fs::read(place.path("again/public/events.ndjson")).unwrap() == events, "the events are made otherwise");
    assert_eq!(archive(&place.path("again")), archived);
    fs::remove_dir_all(folder.join("public")).unwrap();
    let again = start();
    assert!(read("events.ndjson") == events, "the events are written otherwise");
    assert_eq!(archive(&folder), archived);
    [first, checked, rebuilt, again]
}

#[test]
fn memory_does_not_grow_with_finished_games() {
    let (few, many) = (20, 200);
    let (before, after) = (peaks(few), peaks(many));
    println!("peaks in KiB: {before:?} with {few} games a board, {after:?} with {many}");
    let more_games = ((many - few) * BOARDS) as u64;
    // A start without public files also writes all of them, so it holds the names of all files and events.
    let most = [("start", 4_000), ("fsck", 2_000), ("rebuild", 2_000), ("start without public files", 8_000)];
    for ((what, most), (before, after)) in most.iter().zip(before.iter().zip(after)) {
        let bytes = after.saturating_sub(*before) * 1024 / more_games;
        assert!(bytes < *most, "{what}: {bytes} bytes a game");
    }
}
