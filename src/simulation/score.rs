//! How well the recorder records: games under a profile of faults, compared with what was truly played.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hardware_sim::clock::TimeControl;
use hardware_sim::faults::Fault;
use hardware_sim::profile::Profile;
use hardware_sim::random::Rng;
use hardware_sim::script::Game;
use hardware_sim::truth::Event;
use hardware_sim::world::{Setting, World};

use super::drive::{Record, drive};
use super::script;
use crate::pdn::{fen, notation};
use crate::rules::{Kind, Move, Piece, Placement, Position, Setup};
use crate::session::{Line, LineSettings};

/// A game to be played.
#[derive(Clone, Debug)]
pub struct Played {
    /// What to call it in reports.
    pub name: String,
    /// Where it starts.
    pub start: Position,
    /// Its moves.
    pub moves: Vec<Move>,
}

/// How it is played.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The hands, the clock and the wire.
    pub profile: Profile,
    /// The clock; none is connected without.
    pub control: Option<TimeControl>,
    /// Everything random comes from it.
    pub seed: u64,
    /// What the recorder is told.
    pub settings: LineSettings,
}

/// What came out, summed over games.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Games played.
    pub games: usize,
    /// Plies played.
    pub plies: usize,
    /// Plies recorded.
    pub recalled: usize,
    /// Plies published but not played.
    pub false_plies: usize,
    /// Setups published without need.
    pub needless_setups: usize,
    /// Illegal moves that stood.
    pub illegal: usize,
    /// Of these, followed by the right setup.
    pub illegal_right: usize,
    /// Moves taken back after the press.
    pub taken_back: usize,
    /// Moves published after the game was over.
    pub after_end: usize,
    /// Games recorded without any difference.
    pub perfect: usize,
    /// From the moment a ply was complete until it was published, in milliseconds; negative when it came earlier.
    pub delays: Vec<i64>,
    /// Games that were not perfect, with what is different.
    pub blemishes: Vec<String>,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.games += other.games;
        self.plies += other.plies;
        self.recalled += other.recalled;
        self.false_plies += other.false_plies;
        self.needless_setups += other.needless_setups;
        self.illegal += other.illegal;
        self.illegal_right += other.illegal_right;
        self.taken_back += other.taken_back;
        self.after_end += other.after_end;
        self.perfect += other.perfect;
        self.delays.extend(other.delays);
        self.blemishes.extend(other.blemishes);
    }

    /// The delay below which this share of the plies lies, 0..=1.
    pub fn delay(&self, share: f64) -> i64 {
        let mut delays = self.delays.clone();
        delays.sort_unstable();
        let index = (delays.len() as f64 * share) as usize;
        delays.get(index.min(delays.len().saturating_sub(1))).copied().unwrap_or(0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |count: usize| 100_000.0 * count as f64 / self.plies.max(1) as f64;
        write!(
            f,
            "{} games, {} plies: recall {:.3} %, false {} ({:.1}/100k), needless setups {} ({:.1}/100k), illegal right {}/{}, \
             taken back {}, after end {}, perfect {}, delay p50 {:.2} p95 {:.2} p99 {:.2} s",
            self.games,
            self.plies,
            100.0 * self.recalled as f64 / self.plies.max(1) as f64,
            self.false_plies,
            per(self.false_plies),
            self.needless_setups,
            per(self.needless_setups),
            self.illegal_right,
            self.illegal,
            self.taken_back,
            self.after_end,
            self.perfect,
            self.delay(0.5) as f64 / 1000.0,
            self.delay(0.95) as f64 / 1000.0,
            self.delay(0.99) as f64 / 1000.0,
        )
    }
}

/// Plays every case, over all cores; the sum does not depend on their number.
pub fn play_all(cases: &[(Played, Conditions)]) -> Score {
    let next = AtomicUsize::new(0);
    let scores = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, (game, conditions))) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, cases.get(index)?)))
                {
                    let score = play(game, conditions);
                    scores.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(index, score);
                }
            });
        }
    });
    let mut sum = Score::default();
    for score in scores.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values() {
        sum.add(score);
    }
    sum
}

/// What should stand in the file.
#[derive(Clone, PartialEq, Debug)]
enum Expected {
    /// A ply, with its index in the script.
    Ply(usize, String),
    /// A ply that was pressed for and taken back: it may have been published, and then needs a setup.
    TakenBack(String),
    /// An illegal ply that stood: a setup of the position after it.
    Illegal(String),
}

/// A case that was played.
pub struct Case {
    /// The moves with the positions they were played in.
    pub steps: Vec<(Position, Step)>,
    script: Game,
    /// The board, with what truly happened on it.
    pub world: World,
    /// What was heard and said.
    pub record: Record,
}

/// Plays one case, without counting.
///
/// # Errors
///
/// When the game cannot be played on a simulated board.
pub fn run(game: &Played, conditions: &Conditions) -> Result<Case, String> {
    let steps = with_illegal(game, conditions);
    let start = &game.start;
    let (control, seed) = (conditions.control, conditions.seed);
    let script = script::game_of(start, &steps, control, &conditions.profile, seed);
    let geometry = &start.variant().geometry;
    let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
    let setting = Setting::new(rows, columns, script.clone(), conditions.profile.clone(), seed);
    let mut world = World::new(setting).map_err(|error| error.to_string())?;
    let mut line = Line::new(conditions.settings.clone());
    // A game from another position than the start is begun by the operator.
    let request = (*start != Position::start(start.variant()))
        .then(|| format!("start {}", fen::write(start.variant(), &start.setup())));
    let record = drive(&mut world, &mut line, request, 45_000);
    Ok(Case { steps, script, world, record })
}

/// Plays one case and counts what came out.
pub fn play(game: &Played, conditions: &Conditions) -> Score {
    let seed = conditions.seed;
    let case = match run(game, conditions) {
        Ok(case) => case,
        Err(error) => {
            let blemishes = vec![format!("{}: {error}", game.name)];
            return Score { games: 1, blemishes, ..Score::default() };
        }
    };
    let Case { steps: scripted, script, world, record } = case;
    let published: Vec<(u64, String)> = record.entries().into_iter().map(|(at, entry)| (at.0, entry)).collect();
    // By ply: hands overlap, so a reply may be complete before the ply it replies to.
    let mut expected: Vec<(usize, Expected)> = Vec::new();
    let mut over = u64::MAX;
    let mut seen = std::collections::BTreeSet::new();
    for truth in world.truth() {
        match truth.event {
            Event::WrongPly(ply) => {
                let (position, _) = &scripted[ply.ply];
                let wrong = script.plies[ply.ply].wrong_first.as_deref();
                let legal = position.legal_moves();
                let same =
                    |other: &&Move| wrong.is_some_and(|wrong| script::ply(position, other).path() == wrong.path());
                if let Some(wrong) = legal.iter().find(same) {
                    let text = notation::write(position.variant(), wrong, &legal);
                    expected.push((2 * ply.ply, Expected::TakenBack(text)));
                }
            }
            Event::Settled(ply) if seen.insert(ply.ply) => {
                let (position, step) = &scripted[ply.ply];
                let entry = match step {
                    Step::Legal(played) => {
                        let text = notation::write(position.variant(), played, &position.legal_moves());
                        Expected::Ply(ply.ply, text)
                    }
                    Step::Illegal { after, .. } => {
                        Expected::Illegal(format!("/FEN \"{}\"/", fen::write(after.variant(), &after.setup())))
                    }
                };
                expected.push((2 * ply.ply + 1, entry));
            }
            Event::GameOver { .. } => over = over.min(truth.at_ms),
            _ => {}
        }
    }
    expected.sort_by_key(|(order, _)| *order);
    let expected: Vec<Expected> = expected.into_iter().map(|(_, expected)| expected).collect();
    let times = world.ply_times();
    let complete = |ply: usize| times.iter().find(|times| times.ply.ply == ply).and_then(|times| times.complete_ms());
    compare(game, seed, &expected, &published, over, complete)
}

/// Lines up what was expected with what was published, and counts.
fn compare(
    game: &Played,
    seed: u64,
    expected: &[Expected],
    published: &[(u64, String)],
    over: u64,
    complete: impl Fn(usize) -> Option<u64>,
) -> Score {
    let weight = |expected: &Expected, entry: &str| match expected {
        Expected::Ply(_, text) if text == entry => 10,
        Expected::Illegal(text) if text == entry => 10,
        Expected::TakenBack(text) if text == entry => 5,
        _ => 0,
    };
    // Longest common subsequence by weight, from the end.
    let (rows, columns) = (expected.len(), published.len());
    let mut best = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let both = weight(&expected[row], &published[column].1);
            let mut value = best[row + 1][column].max(best[row][column + 1]);
            if both > 0 {
                value = value.max(both + best[row + 1][column + 1]);
            }
            best[row][column] = value;
        }
    }
    let mut score = Score { games: 1, ..Score::default() };
    let (mut row, mut column) = (0, 0);
    let (mut excused, mut differences) = (0, Vec::new());
    while row < rows || column < columns {
        let both = if row < rows && column < columns { weight(&expected[row], &published[column].1) } else { 0 };
        if both > 0 && best[row][column] == both + best[row + 1][column + 1] {
            match &expected[row] {
                Expected::Ply(ply, _) => {
                    score.recalled += 1;
                    score.delays.extend(complete(*ply).map(|done| published[column].0 as i64 - done as i64));
                }
                Expected::TakenBack(_) => excused += 1,
                Expected::Illegal(_) => score.illegal_right += 1,
            }
            row += 1;
            column += 1;
        } else if row < rows && (column == columns || best[row][column] == best[row + 1][column]) {
            match &expected[row] {
                Expected::TakenBack(_) => {}
                other => differences.push(format!("missing {other:?}")),
            }
            row += 1;
        } else {
            let (at, entry) = &published[column];
            if entry.starts_with('/') {
                if excused > 0 {
                    excused -= 1;
                } else if *at > over {
                    score.after_end += 1;
                } else {
                    score.needless_setups += 1;
                    differences.push(format!("setup {entry} at {at}"));
                }
            } else if *at > over {
                score.after_end += 1;
                differences.push(format!("after the end {entry} at {at}"));
            } else {
                score.false_plies += 1;
                differences.push(format!("false {entry} at {at}"));
            }
            column += 1;
        }
    }
    for expected in expected {
        match expected {
            Expected::Ply(..) => score.plies += 1,
            Expected::TakenBack(_) => score.taken_back += 1,
            Expected::Illegal(_) => score.illegal += 1,
        }
    }
    if differences.is_empty() {
        score.perfect = 1;
    } else {
        score.blemishes = vec![format!("{} seed {seed}: {}", game.name, differences.join("; "))];
    }
    score
}

/// One ply of a script with illegal moves in it.
#[derive(Clone, Debug)]
pub enum Step {
    /// As the rules have it.
    Legal(Move),
    /// A capture was due, and a man was moved instead.
    Illegal {
        /// The piece that moved, from and to.
        from: crate::rules::Square,
        /// Where it went.
        to: crate::rules::Square,
        /// The position that stands.
        after: Position,
    },
}

/// The moves with the positions they are played in; where the profile lets an illegal move stand, the rest of the game is
/// random legal moves.
fn with_illegal(game: &Played, conditions: &Conditions) -> Vec<(Position, Step)> {
    let rate = conditions.profile.rate(Fault::IllegalStands);
    let mut rng = Rng::new(conditions.seed ^ 0x0111_e6a1);
    let mut position = game.start;
    let mut steps = Vec::new();
    let mut diverged = false;
    for index in 0..game.moves.len() {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        if index > 0
            && rng.chance(rate)
            && let Some((from, to, after)) = illegal_move(&position, &mut rng)
        {
            steps.push((position, Step::Illegal { from, to, after }));
            position = after;
            diverged = true;
            continue;
        }
        let played = if diverged { rng.pick(&legal).cloned() } else { game.moves.get(index).cloned() };
        let Some(played) = played else { break };
        let next = position.play(&played);
        steps.push((position, Step::Legal(played)));
        position = next;
    }
    steps
}

/// A man's step while a capture is due, after which the opponent can move.
fn illegal_move(position: &Position, rng: &mut Rng) -> Option<(crate::rules::Square, crate::rules::Square, Position)> {
    if !position.must_capture() {
        return None;
    }
    let variant = position.variant();
    let us = position.turn();
    let mut candidates = Vec::new();
    for from in position.placement().men_of(us) {
        for &way in variant.rules.man_moves {
            let way = if us == crate::rules::Color::White { way } else { way.reverse() };
            let Some(to) = variant.geometry.next(from, way) else { continue };
            if position.placement().color(to).is_some() || variant.geometry.home_row(!us).contains(to) {
                continue;
            }
            let mut placement: Placement = *position.placement();
            placement.put(from, None);
            placement.put(to, Some(Piece { color: us, kind: Kind::Man }));
            if let Ok(after) = Position::new(variant, Setup { placement, turn: !us })
                && !after.legal_moves().is_empty()
            {
                candidates.push((from, to, after));
            }
        }
    }
    rng.pick(&candidates).copied()
}
