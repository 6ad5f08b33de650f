//! A Swiss and a league on simulated boards in virtual time, with noise, kills, swapped cables, late names and wrong results. Standings,
//! archive and round files match the games and decisions, and all of it is rebuilt from the logs.

use std::path::Path;

use damcast::simulation::day::Day;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::simulation::tournament::{TournamentForm, TournamentRun, run_tournament};
use damcast::station::config::OutletConfig;
use damcast::station::disk::{Durability, RealDisk};
use damcast::station::tournament_log::TournamentLog;
use damcast::tournament::{TieBreak, UnplayedPolicy, standings};
use hardware_sim::profile::NoiseProfile;

use super::tournament_rules::{Round, Swiss};

/// Returns the decisions in the form of the second rules implementation: halves of points.
fn decided_results(held: &TournamentRun) -> Swiss {
    let mut players = vec![Vec::new(); held.names.len()];
    for meeting in &held.results {
        let halves = i64::from(meeting.points) * 2;
        match meeting.black {
            Some(black) => {
                players[meeting.white].push(Round::Game(black, halves));
                players[black].push(Round::Game(meeting.white, 4 - halves));
            }
            None if meeting.points == 0 => players[meeting.white].push(Round::Absent),
            None => players[meeting.white].push(Round::Bye),
        }
    }
    Swiss { players }
}

fn run(form: TournamentForm, boards: usize, seed: u64) {
    let directory = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let day = Day {
        directory: directory.path().to_owned(),
        boards,
        games: 1,
        profile: NoiseProfile::blitz(),
        control: "300+3".parse().ok(),
        seed,
        outage_every_ms: 600_000,
        kill_every_ms: 240_000,
        until_ms: 0,
        write_every_ms: 5_000,
        outlets: vec![OutletConfig { durability: Durability::Lazy, ..OutletConfig::default() }],
    };
    let mut pool = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    pool.iter_mut().for_each(|game| game.moves.truncate(12));
    let held = run_tournament(&day, form, &pool).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    println!(
        "seed {seed}: {} meetings, {} corrections, {} late names, {} swaps, {:?}",
        held.results.len(),
        held.corrections,
        held.late_names,
        held.swaps,
        held.day_report
    );
    assert!(held.corrections > 0 && held.late_names > 0 && held.swaps > 0 && held.day_report.kills > 0);
    held.verify(directory.path()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    day.verify(other.path()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert!(other.path().join("public/round/1/games.pdn").exists());
    check_standings(directory.path(), &decided_results(&held));
}

/// Asserts that all standings, after each round and by each policy, match the rules.
fn check_standings(directory: &Path, decided: &Swiss) {
    let log = TournamentLog::read(&RealDisk, &directory.join("log")).unwrap();
    let tournament = log.tournament().clone();
    let section = &tournament.sections[0];
    let ties: Vec<TieBreak> = TieBreak::ALL.into_iter().filter(|tie| *tie != TieBreak::DirectEncounter).collect();
    for after in 1..=section.last_round() {
        let so_far = decided.after(after as usize);
        for unplayed in UnplayedPolicy::ALL {
            let found = standings(section, after, &ties, unplayed);
            so_far.compare(section, &found, &ties, unplayed).unwrap();
        }
    }
}

#[test]
fn swiss_day_matches_play_and_decisions() {
    (1..=3).for_each(|seed| run(TournamentForm::Swiss(5), 4, seed));
}

#[test]
fn team_league_day_matches_play_and_decisions() {
    (1..=3).for_each(|seed| run(TournamentForm::League, 4, seed));
}
