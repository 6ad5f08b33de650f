//! Accuracy of a recorder: plays games under a profile of faults and compares the recording with the truth.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use damcast_engine::session::request::OperatorCommand;
use damcast_engine::session::{Line, LineSettings};
use draughts::{Move, Position};
use draughts_pdn::{fen, notation};
use hardware_sim::clock::TimeControl;
use hardware_sim::faults::Fault;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::script::Game;
use hardware_sim::truth::{Event, PlyId, PlyTimes, TruthEntry};
use hardware_sim::world::{SeatConfig, World};

use super::alignment::{Expected, Published, compare};
use super::baselines::{BaselineRecorder, BaselineRule};
use super::drive::{Record, drive};
use super::game_score::Score;
use super::games::SourceGame;
use super::illegal_moves::{self, ScriptPly};
use super::script;

/// Time that a world continues after its people are done, for late recordings.
pub(super) const TRAILING_MS: u64 = 45_000;

/// Conditions under which a game is played.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Hands, clock and wire.
    pub profile: NoiseProfile,
    /// Time control; `None`: no clock is connected.
    pub control: Option<TimeControl>,
    /// Seed of everything random.
    pub seed: u64,
    /// Settings of the recorder.
    pub settings: LineSettings,
}

/// Kind of recorder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum RecorderKind {
    /// This program.
    #[default]
    Damcast,
    /// Baseline for comparison.
    Peer(BaselineRule),
}

impl fmt::Display for RecorderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecorderKind::Damcast => f.pad("damcast"),
            RecorderKind::Peer(rule) => rule.fmt(f),
        }
    }
}

/// Plays every case against this program, over all cores; the sum does not depend on their number.
pub fn play_all(cases: &[(SourceGame, Conditions)]) -> Score {
    let mut sum = Score::default();
    for score in over_all_cores(cases, |(game, conditions)| play(game, conditions, RecorderKind::Damcast)) {
        sum.add(score);
    }
    sum
}

/// Runs `work` for every case, over all cores; returns the results in the order of the cases.
pub fn over_all_cores<Case: Sync, Result: Send>(cases: &[Case], work: impl Fn(&Case) -> Result + Sync) -> Vec<Result> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, case)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, cases.get(index)?)))
                {
                    let result = work(case);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(index, result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values().collect()
}

/// Case after it was played.
pub struct Case {
    /// Moves with the positions before them.
    pub steps: Vec<(Position, ScriptPly)>,
    script: Game,
    /// Index of the scored game: the last one on the board.
    game: usize,
    /// Board, with the true events.
    pub world: World,
    /// Inputs and outputs of the recorder.
    pub record: Record,
}

/// Plays one case without scoring it.
///
/// # Errors
///
/// Returns an error if the game cannot be played on a simulated board.
pub fn run(game: &SourceGame, conditions: &Conditions, recorder: RecorderKind) -> Result<Case, String> {
    let Conditions { profile, control, seed, .. } = conditions;
    let steps = illegal_moves::with_illegal(game, profile.rate(Fault::IllegalStands), *seed);
    let steps = illegal_moves::with_repeated(steps, profile.rate(Fault::PliesTakenBack), *seed);
    let start = &game.start;
    let script = script::illegal_game(start, &steps, *control, profile, *seed);
    let geometry = &start.variant().geometry;
    let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
    let mut setting = SeatConfig::new(rows, columns, script.clone(), profile.clone(), *seed);
    let is_from_start = *start == Position::start(start.variant());
    setting.games = script::with_swapped_seats(script.clone(), is_from_start, profile, *seed);
    let mut world = World::new(setting).map_err(|error| error.to_string())?;
    // The operator starts a game from another position.
    let request = (!is_from_start).then(|| OperatorCommand::Start(Some(fen::write(start.variant(), &start.setup()))));
    let game = world.config().games.len() - 1;
    let record = match recorder {
        RecorderKind::Damcast => drive(&mut world, &mut Line::new(conditions.settings.clone()), request, TRAILING_MS),
        RecorderKind::Peer(rule) => {
            drive(&mut world, &mut BaselineRecorder::new(start.variant(), rule), request, TRAILING_MS)
        }
    };
    Ok(Case { steps, script, game, world, record })
}

/// Outcome of a game.
pub(super) struct PlayedCase<'case> {
    pub steps: &'case [(Position, ScriptPly)],
    pub script: &'case Game,
    /// Index of the scored game.
    pub game: usize,
    pub truth: &'case [TruthEntry],
    pub times: Vec<PlyTimes>,
    pub record: &'case Record,
}

impl PlayedCase<'_> {
    /// Returns the entries that the file should contain, and the time at which the game was over. The entries are in the order of the
    /// script: hands overlap, so a reply may be complete before the ply it answers.
    fn expected(&self) -> (Vec<Expected>, u64) {
        let mut expected: Vec<Expected> = Vec::new();
        let mut over = u64::MAX;
        let mut settled = std::collections::BTreeSet::new();
        for index in (0..self.steps.len()).filter(|&index| illegal_moves::is_taken_back(self.steps, index)) {
            expected.push(Expected::Corrected(index, setup_text(&self.steps[index].0)));
        }
        for truth in self.truth {
            match truth.event {
                Event::WrongPly(ply) if ply.game == self.game => {
                    let (position, _) = &self.steps[ply.ply];
                    let variant = position.variant();
                    let wrong = self.script.plies[ply.ply].wrong_first.as_deref();
                    let legal = position.legal_moves();
                    let same =
                        |other: &&Move| wrong.is_some_and(|wrong| script::ply(position, other).path() == wrong.path());
                    if let Some(wrong) = legal.iter().find(same) {
                        let text = notation::write(variant, wrong, &legal);
                        expected.push(Expected::TakenBack(ply.ply, text));
                        expected.push(Expected::Restored(ply.ply, setup_text(position)));
                    }
                }
                Event::Settled(ply) if ply.game == self.game && settled.insert(ply.ply) => {
                    let (position, step) = &self.steps[ply.ply];
                    expected.push(match step {
                        ScriptPly::Legal(played) => {
                            let text = notation::write(position.variant(), played, &position.legal_moves());
                            Expected::Ply(ply.ply, text)
                        }
                        ScriptPly::Illegal { position_after: after, .. } => {
                            Expected::Illegal(ply.ply, setup_text(after))
                        }
                    });
                }
                Event::GameOver { game } if game == self.game => over = over.min(truth.at_ms),
                _ => {}
            }
        }
        expected.sort_by_key(Expected::ply);
        (expected, over)
    }
}

fn setup_text(position: &Position) -> String {
    format!("/FEN \"{}\"/", fen::write(position.variant(), &position.setup()))
}

/// Plays one case and scores it.
pub fn play(game: &SourceGame, conditions: &Conditions, recorder: RecorderKind) -> Score {
    let seed = conditions.seed;
    let case = match run(game, conditions, recorder) {
        Ok(case) => case,
        Err(error) => {
            let blemishes = vec![format!("{}: {error}", game.name)];
            return Score { games: 1, imperfect_games: blemishes, ..Score::default() };
        }
    };
    let outcome = PlayedCase {
        steps: &case.steps,
        script: &case.script,
        game: case.game,
        truth: case.world.truth(),
        times: case.world.ply_times(),
        record: &case.record,
    };
    count(&format!("{} seed {seed}", game.name), &outcome)
}

pub(super) fn count(name: &str, outcome: &PlayedCase) -> Score {
    let record = outcome.record.of_game(outcome.game);
    let published = record.entries();
    let (expected, over) = outcome.expected();
    let times = &outcome.times;
    let complete = |ply: usize| {
        times.iter().find(|times| times.ply == PlyId { game: outcome.game, ply }).and_then(|times| times.complete_ms())
    };
    let announced = record.announcements();
    let published: Vec<Published> = published
        .into_iter()
        .zip(announced.announced_at)
        .map(|((at, entry), since)| Published { at_ms: at.0, announced_ms: since.map(|since| since.0), entry })
        .collect();
    let mut score = compare(&expected, &published, over, complete);
    (score.announced_published, score.announced_withdrawn) = (announced.published, announced.withdrawn);
    if !score.differences.is_empty() {
        let mut words = Vec::new();
        for difference in &score.differences {
            let at = difference.at_ms.or_else(|| difference.ply.and_then(complete));
            let faults = suspects(outcome.truth, at.unwrap_or(0));
            let names: Vec<String> = faults.iter().map(ToString::to_string).collect();
            for fault in faults {
                *score.suspects.entry(fault).or_default() += 1;
            }
            let at = at.map_or(String::new(), |at| format!(" at {at} ms"));
            words.push(format!("{}{at} [{}]", difference.description, names.join(" ")));
        }
        score.imperfect_games = vec![format!("{name}: {}", words.join("; "))];
        score.differences.clear();
    }
    score
}

/// Frequent faults that explain nothing.
const ROUTINE_FAULTS: [Fault; 7] = [
    Fault::CapturedFirst,
    Fault::CapturedDuring,
    Fault::RemovalReversed,
    Fault::LandingMissed,
    Fault::OpponentStarts,
    Fault::ZeroTime,
    Fault::SplitRead,
];

/// Returns the faults that struck, or lasted, shortly before a difference.
fn suspects(truth: &[TruthEntry], at_ms: u64) -> std::collections::BTreeSet<Fault> {
    const BEFORE_MS: u64 = 15_000;
    const AFTER_MS: u64 = 2_000;
    let struck = |truth: &TruthEntry| match truth.event {
        Event::Irregular { fault, until_ms, .. } if !ROUTINE_FAULTS.contains(&fault) => {
            (until_ms.max(truth.at_ms) + BEFORE_MS >= at_ms && truth.at_ms <= at_ms + AFTER_MS).then_some(fault)
        }
        _ => None,
    };
    truth.iter().filter_map(struck).collect()
}
