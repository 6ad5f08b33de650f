//! Plays very many games in virtual time, of all variants, hands and faults, and checks invariants.
//!
//! | invariant of every game | check |
//! |---|---|
//! | no panic, no deadline that does not advance | caught, and reported with its seed |
//! | equal seeds give equal bytes | played twice |
//! | the file is strict PDN 3.0 at every moment | the whole file and some of its prefixes; of every fiftieth game each prefix |
//! | the file replays legally from setup to setup | with the reader of any PDN |
//!
//! If the whole file is strict, a prefix can only fail because of its end. A few prefixes of each file and all prefixes of some files
//! find such failures; checking all prefixes of all files would take a hundred times as long as playing.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use damcast_engine::livefile;
use damcast_engine::session::{Effect, LineSettings, Output};
use draughts_pdn::problem::{Level, Problem};
use draughts_pdn::reader;
use draughts_pdn::replay::Replay;
use draughts_pdn::strict;
use hardware_sim::clock::TimeControl;
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Rng;

use super::drive::Record;
use super::games::SourceGame;
use super::score::{self, Conditions, RecorderKind, over_all_cores};

/// Interval between games of which every prefix is checked.
const ALL_PREFIXES_INTERVAL: u64 = 50;
/// Number of prefixes checked per file of the other games.
const SAMPLED_PREFIXES: u64 = 2;

/// Counts of games and checks, and the failures found.
#[derive(Clone, Debug, Default)]
pub struct SoakReport {
    /// Games played, each of them twice.
    pub games: usize,
    /// Files of these games.
    pub files: usize,
    /// Lines of movetext.
    pub entries: usize,
    /// Setups among the lines.
    pub setups: usize,
    /// Prefixes of files that were checked.
    pub prefixes: usize,
    /// Number of games per variant.
    pub variants: BTreeMap<&'static str, usize>,
    /// Failures, each with the inputs that reproduce it.
    pub failures: Vec<String>,
}

impl SoakReport {
    fn add(&mut self, other: SoakReport) {
        self.games += other.games;
        self.files += other.files;
        self.entries += other.entries;
        self.setups += other.setups;
        self.prefixes += other.prefixes;
        for (variant, count) in other.variants {
            *self.variants.entry(variant).or_default() += count;
        }
        self.failures.extend(other.failures);
    }
}

impl fmt::Display for SoakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variants: Vec<String> = self.variants.iter().map(|(variant, count)| format!("{variant} {count}")).collect();
        write!(
            f,
            "{} games, each twice ({}): {} files, {} entries, {} setups, {} prefixes checked, {} failures",
            self.games,
            variants.join(", "),
            self.files,
            self.entries,
            self.setups,
            self.prefixes,
            self.failures.len()
        )
    }
}

/// Plays `games` games drawn from `pool`, over all cores. The findings do not depend on the number of cores.
pub fn soak(pool: &[SourceGame], games: u64, seed: u64) -> SoakReport {
    let numbers: Vec<u64> = (0..games).filter(|_| !pool.is_empty()).collect();
    let mut sum = SoakReport::default();
    for findings in over_all_cores(&numbers, |number| play_one(pool, *number, seed)) {
        sum.add(findings);
    }
    sum
}

fn play_one(pool: &[SourceGame], number: u64, seed: u64) -> SoakReport {
    let mut rng = Rng::stream(seed.wrapping_mul(1_000_003).wrapping_add(number), "soak");
    let Some(game) = draw_game(pool, &mut rng) else { return SoakReport::default() };
    let conditions = draw_conditions(game, &mut rng);
    let variant = game.start.variant().name;
    let mut findings = SoakReport { games: 1, variants: BTreeMap::from([(variant, 1)]), ..SoakReport::default() };
    let message = format!(
        "{variant}, {}, profile {}, clock {}, number {number} of seed {seed}",
        game.name,
        conditions.profile.name,
        conditions.control.map_or("none".to_owned(), |control| control.to_string())
    );
    let play = || catch_unwind(AssertUnwindSafe(|| score::run(game, &conditions, RecorderKind::Damcast)));
    let (first, second) = (play(), play());
    let (Ok(Ok(first)), Ok(Ok(second))) = (first, second) else {
        findings.failures.push(format!("{message}: it broke"));
        return findings;
    };
    if first.record.outputs != second.record.outputs {
        findings.failures.push(format!("{message}: the same seed gave other bytes"));
    }
    let entries = first.record.entries();
    findings.entries = entries.len();
    findings.setups = entries.iter().filter(|(_, entry)| entry.starts_with('/')).count();
    for file in files(&first.record) {
        findings.files += 1;
        check_file(&file, number.is_multiple_of(ALL_PREFIXES_INTERVAL), &mut rng, &message, &mut findings);
    }
    findings
}

/// Draws a game; every variant is equally likely, regardless of its number of games.
fn draw_game<'a>(pool: &'a [SourceGame], rng: &mut Rng) -> Option<&'a SourceGame> {
    let mut variants: Vec<&str> = pool.iter().map(|game| game.start.variant().name).collect();
    variants.sort_unstable();
    variants.dedup();
    let variant = *rng.pick(&variants)?;
    let games: Vec<&SourceGame> = pool.iter().filter(|game| game.start.variant().name == variant).collect();
    rng.pick(&games).copied()
}

fn draw_conditions(game: &SourceGame, rng: &mut Rng) -> Conditions {
    let mut profile = match rng.below(5) {
        0 => NoiseProfile::ideal(),
        1 => NoiseProfile::calm(),
        2 => NoiseProfile::club(),
        _ => NoiseProfile::blitz(),
    };
    // Set some faults to rates that no profile has.
    let faults: Vec<Fault> = Fault::all().collect();
    for _ in 0..rng.below(4) {
        if let Some(&fault) = rng.pick(&faults) {
            let rate = rng.unit() * rng.unit() * 0.3;
            profile.set_rate(fault, rate);
            profile.name = format!("{} {fault}={rate:.3}", profile.name);
        }
    }
    let control = match rng.below(4) {
        0 => None,
        1 => "300+3".parse::<TimeControl>().ok(),
        _ => "4800+60".parse().ok(),
    };
    let mut settings = LineSettings::new(game.start.variant());
    settings.tags =
        vec![("White".to_owned(), "A \"B\" [c]".to_owned()), ("TimeControl".to_owned(), "300+3".to_owned())];
    settings.tags.truncate(rng.below(3) as usize);
    Conditions { profile, control, seed: rng.next_u64(), settings }
}

/// Returns the final contents of all files of a record.
fn files(record: &Record) -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = Vec::new();
    for Output { effect, .. } in &record.outputs {
        if let Effect::GameOpened(_) = effect {
            files.push(Vec::new());
        }
        let Some(file) = files.last_mut() else { continue };
        effect.lines().into_iter().for_each(|line| file.extend((line + "\n").into_bytes()));
        if let Effect::GameEnded { result: Some(result), .. } = effect
            && let Some((at, bytes)) = livefile::result_patch(file, result)
        {
            file.splice(at..at + bytes.len(), bytes);
        }
    }
    files
}

fn check_file(file: &[u8], every_prefix: bool, rng: &mut Rng, context: &str, findings: &mut SoakReport) {
    let ends: Vec<usize> = (1..=file.len()).filter(|&end| file[end - 1] == b'\n').collect();
    let mut chosen: Vec<usize> = if every_prefix { ends.clone() } else { vec![file.len()] };
    chosen.extend((0..SAMPLED_PREFIXES).filter_map(|_| rng.pick(&ends).copied()));
    for end in chosen {
        findings.prefixes += 1;
        let problems = strict::check_bytes(&file[..end], None);
        if let Some(problem) = problems.first() {
            findings.failures.push(format!("{context}: the first {end} bytes are not strict: {problem}"));
            return;
        }
    }
    let text = String::from_utf8_lossy(file);
    let (games, problems) = reader::read_located(&text);
    let worst = |problems: &[Problem]| problems.iter().find(|problem| problem.level == Level::Error).cloned();
    if let Some(problem) = worst(&problems) {
        findings.failures.push(format!("{context}: the file cannot be read: {problem}"));
    }
    for located in &games {
        let replay = Replay::infer(located, None);
        if !replay.is_complete || worst(&replay.problems).is_some() {
            let problem = replay.problems.first().map_or(String::new(), ToString::to_string);
            findings.failures.push(format!("{context}: the file cannot be replayed: {problem}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    #[test]
    fn some_demo_games_hold() {
        let pool = games::from_pdn("demo.pdn", games::DEMONSTRATION, None, None).unwrap();
        let findings = soak(&pool, 12, 7);
        assert_eq!(findings.games, 12);
        assert!(findings.failures.is_empty(), "{:#?}", findings.failures);
    }

    #[test]
    fn detects_wrong_file() {
        let mut findings = SoakReport::default();
        let file = b"[GameType \"20\"]\n[Result \"*\"]\n\n\n1. 32-28\n19-22\n*\n";
        check_file(file, true, &mut Rng::new(1), "x", &mut findings);
        let file = b"[GameType \"20\"]\n[Result \"*\"]\n\n\n1. 32-26\n*\n";
        check_file(file, true, &mut Rng::new(1), "x", &mut findings);
        assert!(findings.failures.len() >= 2, "{:#?}", findings.failures);
    }
}
