//! Outages in the middle of games. The contents of a board's memory are recorded; for a board without memory at most one setup marks the
//! gap. A board without power sees and stores nothing: the plies of that time are lost, and one setup marks them. It may also hide the ply
//! during which the power returned, and the previous ply until its press.
//!
//! A thousand outages, with counts: `cargo test --release --test it -- --ignored --nocapture thousand_outages`; with other hands than ideal
//! ones, beside the same games without an outage: `... --nocapture outages_under_other_hands`; without power, or with the next game begun
//! meanwhile: `... --nocapture five_hundred`.

use std::fmt;

use damcast::engine::bytelog::Mode;
use damcast::engine::millis::Millis;
use damcast::engine::session::{BusAddress, Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{Record, RecorderDriver, drive_bus};
use damcast::simulation::games::SourceGame;
use damcast::simulation::score::over_all_cores;
use damcast::simulation::script;
use draughts::Position;
use hardware_sim::board::BoardOptions;
use hardware_sim::bus::{BusConfig, BusWorld};
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::profile::NoiseProfile;
use hardware_sim::random::Rng;
use hardware_sim::seat::SeatConfig;

use crate::boards::moves;
use crate::games::playable;

/// Kind of an outage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutageKind {
    /// The port goes away and comes back, or the station does.
    Unplugged,
    /// The port stays, and no byte passes.
    Silent,
    /// The board has no power and sees nothing.
    Powerless,
}

/// Connection of the board, and whether its memory can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardSetup {
    Single,
    SingleWithoutMemory,
    Bus,
}

/// Kind of outages to play.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    kind: BoardSetup,
    /// Kind of outage; `None` alternates between unplugged and silent.
    manner: Option<OutageKind>,
    hands: &'static str,
    /// Whether the game ends during the outage and another one begins.
    is_next_game: bool,
}

impl From<BoardSetup> for Plan {
    fn from(kind: BoardSetup) -> Plan {
        Plan { kind, manner: None, hands: "ideal", is_next_game: false }
    }
}

/// One outage, and the one or two games around it.
pub struct Case {
    pub seed: u64,
    plan: Plan,
    manner: OutageKind,
    pub games: Vec<SourceGame>,
    old_events: u32,
    pub outage_start: u64,
    pub outage_end: u64,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { seed, plan, manner, games, old_events, outage_start: out, outage_end: back } = self;
        let (kind, variant) = (plan.kind, games[0].start.variant().name);
        write!(f, "seed {seed}, {kind:?}, {manner:?} from {out} to {back} ms, {variant}, {old_events} old events")
    }
}

/// Outcome of an outage.
#[derive(Clone, Debug, Default)]
pub struct OutageOutcome {
    plies: usize,
    pub files: usize,
    pub lost: usize,
    pub setups: usize,
    pub without_clock: usize,
    /// Recorded entries that were not played.
    pub untrue: Vec<String>,
    pub story: Vec<String>,
}

/// A line whose memory requests never reach the board.
struct MemorylessLine(Line);

impl RecorderDriver for MemorylessLine {
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
    /// Draws a case: the outage begins after some plies and ends within the game, or the game ends during it and another begins.
    pub fn draw(pool: &[SourceGame], plan: Plan, seed: u64) -> Case {
        let mut rng = Rng::stream(seed, "outage");
        let drawn = if rng.chance(0.5) { OutageKind::Unplugged } else { OutageKind::Silent };
        let mut case = Case {
            seed,
            plan,
            manner: plan.manner.unwrap_or(drawn),
            games: vec![rng.pick(pool).unwrap().clone()],
            old_events: if rng.chance(0.2) { 4_000 } else { rng.below(500) as u32 },
            outage_start: 0,
            outage_end: 0,
        };
        case.games[0].moves.truncate(60);
        let end = case.world().end_ms();
        if plan.is_next_game {
            case.games[0].moves.truncate(30);
            let end = case.world().end_ms();
            case.games.push(SourceGame { moves: case.games[0].moves[..20].to_vec(), ..case.games[0].clone() });
            case.outage_start = end.saturating_sub(rng.below(120_000)).max(20_000);
            case.outage_end = end + rng.below(150_000);
            return case;
        }
        // From 1 s to 10 min, log-uniformly: outages of seconds are as frequent as outages of minutes.
        let length = (1_000.0 * 600.0_f64.powf(rng.unit())) as u64;
        let length = length.min(end * 2 / 3);
        case.outage_start = 20_000 + rng.below(end.saturating_sub(length + 50_000).max(1));
        case.outage_end = case.outage_start + length;
        case
    }

    /// Returns the board in its initial state.
    pub fn world(&self) -> BusWorld {
        BusWorld::new(self.setting()).unwrap()
    }

    /// Returns its players, and the incidents of its line.
    pub fn setting(&self) -> BusConfig {
        let profile: NoiseProfile = self.plan.hands.parse().unwrap();
        let control = Some("4800+60".parse().unwrap());
        let script = |game: &SourceGame| {
            script::game(&game.start, &game.moves, control, &profile, self.seed).rotated(self.seed % 2 == 1)
        };
        let geometry = &self.games[0].start.variant().geometry;
        let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
        let seat = SeatConfig::new(rows, columns, script(&self.games[0]), profile.clone(), self.seed);
        let seat = SeatConfig { games: self.games.iter().map(script).collect(), ..seat };
        let board = BoardOptions { serial: 1025, old_events: self.old_events, ..seat.draw_board() };
        let mut setting = BusConfig::new(vec![SeatConfig { board: Some(board), ..seat }], self.seed);
        let (out, back) = match self.manner {
            OutageKind::Unplugged => (IncidentKind::Unplug, IncidentKind::Plug),
            OutageKind::Silent => (IncidentKind::LinkDead, IncidentKind::LinkRestored),
            OutageKind::Powerless => (IncidentKind::PowerOff(0), IncidentKind::PowerOn(0)),
        };
        if self.outage_end > 0 {
            setting.incidents = vec![Incident::new(self.outage_start, out), Incident::new(self.outage_end, back)];
        }
        setting
    }

    fn moves(&self) -> Vec<String> {
        self.games.iter().flat_map(moves).collect()
    }

    fn play(&self) -> OutageOutcome {
        let mut line = self.line();
        match self.plan.kind {
            BoardSetup::SingleWithoutMemory => self.play_in(self.world(), &mut MemorylessLine(line)),
            BoardSetup::Single | BoardSetup::Bus => self.play_in(self.world(), &mut line),
        }
    }

    /// Returns the mode of its line.
    pub fn mode(&self) -> Mode {
        if self.plan.kind == BoardSetup::Bus { Mode::Bus } else { Mode::Single }
    }

    /// Returns a line that expects this board.
    pub fn line(&self) -> Line {
        let mut settings = LineSettings::new(self.games[0].start.variant());
        if self.plan.kind == BoardSetup::Bus {
            settings.mode = Mode::Bus;
            settings.boards.insert(BusAddress::new(1025).unwrap(), settings.clone());
        }
        Line::new(settings)
    }

    /// Plays the games in a world and returns the outcome of the recording.
    pub fn play_in(&self, mut world: BusWorld, recorder: &mut impl RecorderDriver) -> OutageOutcome {
        let mut record = Record::default();
        drive_bus(&mut world, recorder, 40_000, |_, output| record.outputs.push(output));
        self.check(&record)
    }

    /// Checks that every entry except setups was played, in order; played entries that are missing count as lost.
    pub fn check(&self, record: &Record) -> OutageOutcome {
        let entries: Vec<String> = record.entries().into_iter().map(|(_, entry)| entry).collect();
        let moves = self.moves();
        let files = record.outputs.iter().filter(|output| matches!(output.effect, Effect::GameOpened(_))).count();
        let mut outcome = OutageOutcome { plies: moves.len(), files, ..OutageOutcome::default() };
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
            if let Effect::Note(text) | Effect::Info(text) | Effect::Notice(text) = &output.effect {
                outcome.story.push(format!("{} {text}", output.at));
            }
        }
        outcome
    }
}

/// Totals of many outages.
#[derive(Clone, Copy, Debug, Default)]
struct OutageTotals {
    outages: usize,
    plies: usize,
    lost: usize,
    /// Games that lost plies.
    losing: usize,
    setups: usize,
    max_setups: usize,
    without_clock: usize,
    untrue: usize,
    /// Games that have a file.
    files: usize,
}

impl fmt::Display for OutageTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutageTotals { outages, plies, lost, losing, setups, max_setups, without_clock, untrue, files } = self;
        write!(
            f,
            "{outages} outages, {plies} plies in {files} files, {lost} lost in {losing} games, {setups} setups, \
             at most {max_setups} a game, {without_clock} entries without a clock, {untrue} untrue"
        )
    }
}

/// Returns long games from the start positions of all variants.
pub fn pool() -> Vec<SourceGame> {
    let mut pool = playable("");
    pool.retain(|game| game.start == Position::start(game.start.variant()) && game.moves.len() >= 40);
    pool
}

fn sum(outcomes: &[OutageOutcome]) -> OutageTotals {
    let sum = |count: fn(&OutageOutcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    OutageTotals {
        outages: outcomes.len(),
        plies: sum(|outcome| outcome.plies),
        lost: sum(|outcome| outcome.lost),
        losing: outcomes.iter().filter(|outcome| outcome.lost > 0).count(),
        setups: sum(|outcome| outcome.setups),
        max_setups: outcomes.iter().map(|outcome| outcome.setups).max().unwrap_or_default(),
        without_clock: sum(|outcome| outcome.without_clock),
        untrue: sum(|outcome| outcome.untrue.len()),
        files: sum(|outcome| outcome.files),
    }
}

/// Plays outages of a kind; prints the counts and the deviations.
fn play(plan: impl Into<Plan>, seeds: std::ops::Range<u64>) -> OutageTotals {
    let (plan, pool) = (plan.into(), pool());
    let cases: Vec<Case> = seeds.map(|seed| Case::draw(&pool, plan, seed)).collect();
    let outcomes = over_all_cores(&cases, Case::play);
    let sum = sum(&outcomes);
    println!("{:?}, {} hands: {sum}", plan.kind, plan.hands);
    let is_told = |outcome: &OutageOutcome| match plan.kind {
        BoardSetup::SingleWithoutMemory => outcome.setups > 1 || !outcome.untrue.is_empty(),
        BoardSetup::Single | BoardSetup::Bus => {
            outcome.lost + outcome.setups + outcome.without_clock + outcome.untrue.len() > 0
        }
    };
    for (case, outcome) in cases.iter().zip(&outcomes).filter(|(_, outcome)| is_told(outcome)) {
        println!("{case}: lost {}, setups {}, without a clock {}", outcome.lost, outcome.setups, outcome.without_clock);
        if !outcome.untrue.is_empty() {
            println!("{case}: NOT PLAYED: {}", outcome.untrue.join(" "));
        }
        if std::env::var_os("DAMCAST_STORY").is_some() {
            println!("{}", outcome.story.join("\n"));
        }
    }
    sum
}

#[test]
fn outage_is_recorded_from_board_memory() {
    let sum = play(BoardSetup::Single, 0..40);
    assert_eq!((sum.losing, sum.setups, sum.without_clock, sum.untrue), (0, 0, 0, 0));
}

#[test]
fn outage_on_bus_is_recorded_from_board_memory() {
    let sum = play(BoardSetup::Bus, 0..20);
    assert_eq!((sum.losing, sum.setups, sum.without_clock, sum.untrue), (0, 0, 0, 0));
}

#[test]
fn outage_without_memory_costs_at_most_one_setup() {
    let sum = play(BoardSetup::SingleWithoutMemory, 0..40);
    assert!(sum.max_setups <= 1 && sum.untrue == 0);
}

#[test]
fn game_started_during_outage_is_next_game() {
    for kind in [BoardSetup::Single, BoardSetup::Bus] {
        let sum = play(Plan { is_next_game: true, ..kind.into() }, 0..10);
        assert_eq!((sum.files, sum.losing, sum.setups, sum.untrue), (20, 0, 0, 0), "{kind:?}");
    }
}

#[test]
fn play_without_power_costs_at_most_one_setup() {
    for kind in [BoardSetup::Single, BoardSetup::Bus] {
        let sum = play(Plan { manner: Some(OutageKind::Powerless), ..kind.into() }, 0..20);
        assert!(sum.max_setups <= 1 && sum.untrue == 0, "{kind:?}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn thousand_outages() {
    let [single, bus, without] =
        [BoardSetup::Single, BoardSetup::Bus, BoardSetup::SingleWithoutMemory].map(|kind| play(kind, 0..1_000));
    for sum in [single, bus] {
        assert_eq!((sum.losing, sum.setups, sum.without_clock, sum.untrue), (0, 0, 0, 0));
    }
    assert!(without.max_setups <= 1 && without.untrue == 0);
}

#[test]
#[ignore = "takes minutes"]
fn five_hundred_next_games() {
    for kind in [BoardSetup::Single, BoardSetup::Bus, BoardSetup::SingleWithoutMemory] {
        play(Plan { is_next_game: true, ..kind.into() }, 0..500);
    }
}

#[test]
#[ignore = "takes minutes"]
fn five_hundred_boards_without_power() {
    for kind in [BoardSetup::Single, BoardSetup::Bus, BoardSetup::SingleWithoutMemory] {
        let sum = play(Plan { manner: Some(OutageKind::Powerless), ..kind.into() }, 0..500);
        assert!(sum.max_setups <= 1 && sum.untrue == 0, "{kind:?}");
    }
}

/// Other hands take moves back, knock pieces over and forget to press: the effect of an outage is the difference to the game without.
#[test]
#[ignore = "takes minutes"]
fn outages_under_other_hands() {
    for hands in ["calm", "club", "blitz"] {
        for kind in [BoardSetup::Single, BoardSetup::Bus, BoardSetup::SingleWithoutMemory] {
            let plan = Plan { hands, ..kind.into() };
            let pool = pool();
            let mut cases: Vec<Case> = (0..300).map(|seed| Case::draw(&pool, plan, seed)).collect();
            let with = sum(&over_all_cores(&cases, Case::play));
            cases.iter_mut().for_each(|case| case.outage_end = 0);
            let never = sum(&over_all_cores(&cases, Case::play));
            println!("{kind:?}, {hands} hands: {with}\n  the same games without: {never}");
        }
    }
}
