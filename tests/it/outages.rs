//! Outages in the middle of games: what a board remembers is recorded, and of a board that remembers nothing at most one setup
//! tells that something was missed.
//!
//! The same with a thousand outages, and their counts: `cargo test --test it -- --ignored --nocapture a_thousand_outages`.

use std::fmt;

use damcast::bytelog::Mode;
use damcast::millis::Millis;
use damcast::pdn::notation;
use damcast::rules::Position;
use damcast::session::{BusAddress, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{Record, Recorder, drive_bus};
use damcast::simulation::score::{Played, over_all_cores};
use damcast::simulation::script;
use hardware_sim::board::BoardOptions;
use hardware_sim::bus::{BusSetting, BusWorld};
use hardware_sim::incident::{Incident, Mishap};
use hardware_sim::profile::Profile;
use hardware_sim::random::Rng;
use hardware_sim::seat::Setting;

use crate::games::playable;

/// What does not come through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// The port goes away and comes back, or the station does.
    Unplugged,
    /// The port stays, and nothing passes.
    Silent,
}

/// Where the board hangs, and whether it tells its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Single,
    SingleWithoutMemory,
    Bus,
}

/// One game with one outage.
struct Case {
    seed: u64,
    kind: Kind,
    manner: Manner,
    game: Played,
    old_events: u32,
    out: u64,
    back: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { seed, kind, manner, game, old_events, out, back } = self;
        let variant = game.start.variant().name;
        write!(f, "seed {seed}, {kind:?}, {manner:?} from {out} to {back} ms, {variant}, {old_events} old events")
    }
}

/// What became of it.
#[derive(Clone, Debug, Default)]
struct Outcome {
    plies: usize,
    lost: usize,
    setups: usize,
    without_clock: usize,
    /// What was recorded and not played.
    untrue: Vec<String>,
    story: Vec<String>,
}

/// A line whose questions for the memory never reach the board.
struct Forgetful(Line);

impl Recorder for Forgetful {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.0.handle(now, input);
        outputs.retain(|output| output.effect != Effect::Send(vec![0x49]));
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.0.deadline()
    }
}

impl Case {
    /// The outage begins after some plies and ends before the game does.
    fn draw(pool: &[Played], kind: Kind, seed: u64) -> Case {
        let mut rng = Rng::stream(seed, "outage");
        let mut case = Case {
            seed,
            kind,
            manner: if rng.chance(0.5) { Manner::Unplugged } else { Manner::Silent },
            game: rng.pick(pool).unwrap().clone(),
            old_events: if rng.chance(0.2) { 4_000 } else { rng.below(500) as u32 },
            out: 0,
            back: 0,
        };
        case.game.moves.truncate(60);
        let end = case.world().end_ms();
        // As many of a second as of minutes.
        let length = (1_000.0 * 600.0_f64.powf(rng.unit())) as u64;
        let length = length.min(end * 2 / 3);
        case.out = 20_000 + rng.below(end.saturating_sub(length + 50_000).max(1));
        case.back = case.out + length;
        case
    }

    fn world(&self) -> BusWorld {
        let profile = Profile::ideal();
        let control = Some("4800+60".parse().unwrap());
        let script = script::game(&self.game.start, &self.game.moves, control, &profile, self.seed);
        let geometry = &self.game.start.variant().geometry;
        let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
        let seat = Setting::new(rows, columns, script.turned(self.seed % 2 == 1), profile, self.seed);
        let board = BoardOptions { serial: 1025, old_events: self.old_events, ..seat.draw_board() };
        let mut setting = BusSetting::new(vec![Setting { board: Some(board), ..seat }], self.seed);
        let (out, back) = match self.manner {
            Manner::Unplugged => (Mishap::Unplug, Mishap::Plug),
            Manner::Silent => (Mishap::Silence, Mishap::Sound),
        };
        if self.back > 0 {
            setting.incidents = vec![Incident::new(self.out, out), Incident::new(self.back, back)];
        }
        BusWorld::new(setting).unwrap()
    }

    fn moves(&self) -> Vec<String> {
        let mut position = self.game.start;
        let mut texts = Vec::new();
        for ply in &self.game.moves {
            texts.push(notation::write(position.variant(), ply, &position.legal_moves()));
            position = position.play(ply);
        }
        texts
    }

    fn play(&self) -> Outcome {
        let mut settings = LineSettings::new(self.game.start.variant());
        if self.kind == Kind::Bus {
            settings.mode = Mode::Bus;
            settings.boards.insert(BusAddress::new(1025).unwrap(), settings.clone());
        }
        let mut record = Record::default();
        let (mut world, line) = (self.world(), Line::new(settings));
        let hear = |_: &BusWorld, output: Output| record.outputs.push(output);
        match self.kind {
            Kind::SingleWithoutMemory => drive_bus(&mut world, &mut Forgetful(line), 40_000, hear),
            Kind::Single | Kind::Bus => drive_bus(&mut world, &mut { line }, 40_000, hear),
        }
        self.judge(&record)
    }

    /// Every entry that is no setup must have been played, in order; what was played and is not there is lost.
    fn judge(&self, record: &Record) -> Outcome {
        let entries: Vec<String> = record.entries().into_iter().map(|(_, entry)| entry).collect();
        let moves = self.moves();
        let mut outcome = Outcome { plies: moves.len(), ..Outcome::default() };
        let mut rest = moves.as_slice();
        for entry in &entries {
            if entry.starts_with('/') {
                outcome.setups += 1;
                continue;
            }
            let at = rest.iter().position(|ply| ply == entry);
            let Some(at) = at else {
                outcome.untrue.push(entry.clone());
                continue;
            };
            outcome.lost += at;
            rest = &rest[at + 1..];
        }
        outcome.lost += rest.len();
        let is_bare = |line: &str| !line.is_empty() && !line.starts_with(['[', '*', '=']) && !line.contains("[%clock");
        outcome.without_clock = record.lines().filter(|(_, line)| is_bare(line)).count();
        for output in &record.outputs {
            if let Effect::Note(text) | Effect::Notice(text) = &output.effect {
                outcome.story.push(format!("{} {text}", output.at));
            }
        }
        outcome
    }
}

/// Plays so many outages of a kind; prints the counts and what is not as it should be. Returns those cases that lost plies and the most
/// setups that one outage cost.
fn play(kind: Kind, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let mut pool = playable("");
    pool.retain(|game| game.start == Position::start(game.start.variant()) && game.moves.len() >= 40);
    let cases: Vec<Case> = seeds.map(|seed| Case::draw(&pool, kind, seed)).collect();
    let outcomes = over_all_cores(&cases, Case::play);
    let sum = |count: fn(&Outcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    let losing = outcomes.iter().filter(|outcome| outcome.lost > 0).count();
    println!(
        "{kind:?}: {} outages, {} plies, {} lost in {losing} games, {} setups, at most {} a game, {} entries without a clock",
        cases.len(),
        sum(|outcome| outcome.plies),
        sum(|outcome| outcome.lost),
        sum(|outcome| outcome.setups),
        outcomes.iter().map(|outcome| outcome.setups).max().unwrap_or_default(),
        sum(|outcome| outcome.without_clock),
    );
    let is_told = |outcome: &Outcome| match kind {
        Kind::SingleWithoutMemory => outcome.setups > 1,
        Kind::Single | Kind::Bus => outcome.lost + outcome.setups + outcome.without_clock > 0,
    };
    for (case, outcome) in cases.iter().zip(&outcomes).filter(|(_, outcome)| !outcome.untrue.is_empty()) {
        println!("{case}: NOT PLAYED: {}", outcome.untrue.join(" "));
    }
    assert!(kind == Kind::SingleWithoutMemory || outcomes.iter().all(|outcome| outcome.untrue.is_empty()));
    for (case, outcome) in cases.iter().zip(&outcomes).filter(|(_, outcome)| is_told(outcome)) {
        println!("{case}: lost {}, setups {}, without a clock {}", outcome.lost, outcome.setups, outcome.without_clock);
        if std::env::var_os("DAMCAST_STORY").is_some() {
            println!("{}", outcome.story.join("\n"));
        }
    }
    (losing, outcomes.iter().map(|outcome| outcome.setups).max().unwrap_or_default())
}

#[test]
fn what_a_board_remembers_of_an_outage_is_recorded() {
    assert_eq!(play(Kind::Single, 0..40), (0, 0));
}

#[test]
fn what_a_board_of_a_bus_remembers_of_an_outage_is_recorded() {
    assert_eq!(play(Kind::Bus, 0..20), (0, 0));
}

#[test]
fn an_outage_costs_a_board_without_memory_one_setup_at_most() {
    assert!(play(Kind::SingleWithoutMemory, 0..40).1 <= 1);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_outages() {
    let kinds = [Kind::Single, Kind::Bus, Kind::SingleWithoutMemory].map(|kind| play(kind, 0..1_000));
    assert_eq!(kinds.map(|(losing, _)| losing)[..2], [0, 0]);
    assert!(kinds.iter().all(|(_, setups)| *setups <= 1));
}
