//! Simulated games during which the board was out of reach for some plies, and its memory could not be read: the right moves are among the
//! first offers, and after they were added the files for readers have the whole game.

use damcast::engine::broadcast::snapshot::{BoardSelection, Snapshot, SnapshotEntry};
use damcast::engine::broadcast::{Board, Delay, GameChange, WallTime};
use damcast::engine::calendar::moment;
use damcast::engine::millis::Millis;
use damcast::engine::recognition::{MissingMovesEnd, MissingMovesQuery};
use damcast::engine::session::request::{AddedMoves, OperatorCommand, Request, Target};
use damcast::engine::session::{Effect, Input, Line, MissingMovesPlace, Output};
use damcast::simulation::drive::{RecorderDriver, drive_bus};
use damcast::simulation::score::over_all_cores;
use draughts::{Move, Position};
use draughts_pdn::game::MoveEntry;
use draughts_pdn::profile::ReaderProfile;
use draughts_pdn::{notation, reader};
use hardware_sim::random::Rng;

use crate::boards::moves;
use crate::outages::{BoardSetup, Case, pool};

/// Number of games with missing plies.
const GAMES: usize = 200;
/// Highest number of missing plies.
const MAX_MISSING: usize = 4;

/// A line without memory, whose arbiter adds the missing moves some time after a setup.
struct RepairedLine<'a> {
    line: Line,
    /// Moves that were played.
    truth: &'a [String],
    inputs: Vec<(Millis, Input)>,
    /// Number of missing plies, and the rank of the right sequence among the offers.
    found: Vec<(usize, Option<usize>)>,
    problems: Vec<String>,
}

impl RepairedLine<'_> {
    fn feed(&mut self, now: Millis, input: Input) -> Vec<Output> {
        self.inputs.push((now, input.clone()));
        self.line.handle(now, input)
    }

    /// Returns the right moves of a place; `None` if too many plies are missing.
    fn right_moves(&self, place: &MissingMovesPlace, end: &Position) -> Option<String> {
        let mut position = place.query.start;
        // All entries before the place are plies.
        let rest = self.truth.get(place.after as usize..)?;
        for (count, text) in rest.iter().take(MAX_MISSING).enumerate() {
            let Ok(ply) = notation::read(&position, text) else { return None };
            position = position.play(&ply);
            if position.setup() == end.setup() {
                return Some(rest[..=count].join(" "));
            }
        }
        None
    }

    fn repair(&mut self, now: Millis) -> Vec<Output> {
        let places = self.line.missing_moves(None);
        let [place] = &places[..] else { return Vec::new() };
        let MissingMovesEnd::Position(end) = place.query.end else { return Vec::new() };
        let Some(right) = self.right_moves(place, &end) else { return Vec::new() };
        let offers = place.offers();
        self.found.push((right.split(' ').count(), offers.iter().position(|offer| *offer == right)));
        let added = AddedMoves { game: place.game, after: place.after, moves: right, anyway: false };
        let request = Request { target: Target::OnlyBoard, command: OperatorCommand::AddMoves(added) };
        let outputs = self.feed(now, Input::Request(request));
        let refused = outputs.iter().filter_map(|output| match &output.effect {
            Effect::Refused(why) => Some(why.clone()),
            _ => None,
        });
        self.problems.extend(refused);
        outputs
    }
}

impl RecorderDriver for RepairedLine<'_> {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let mut outputs = self.feed(now, input);
        outputs.extend(self.repair(now));
        outputs.retain(|output| output.effect != Effect::Send(vec![0x49]));
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

/// Outcome of one game.
struct Outcome {
    case: String,
    found: Vec<(usize, Option<usize>)>,
    problems: Vec<String>,
}

fn time(at: Millis) -> WallTime {
    moment(chrono::DateTime::parse_from_rfc3339("2026-11-21T09:30:00+01:00").unwrap(), at)
}

/// Returns the moves in the file for readers of lidraughts, as its readers understand it.
fn published(case: &Case, outputs: &[Output]) -> Result<Vec<String>, String> {
    let mut board = Board::new("a", case.games[0].start.variant(), Vec::new());
    for Output { at, effect, .. } in outputs.iter().cloned() {
        let change = match effect {
            Effect::GameOpened(opening) => GameChange::Opened(*opening),
            Effect::Entry { entry, .. } => GameChange::Entry(*entry),
            Effect::MovesInserted(moves) => GameChange::MovesInserted(*moves),
            Effect::GameEnded { result, .. } => GameChange::Ended(result),
            _ => continue,
        };
        board.apply(time(at), change);
    }
    let snapshot = |board: &Board, profile: ReaderProfile| {
        let now = time(Millis(u64::from(u32::MAX)));
        let entry = SnapshotEntry::from_board(board, Delay::NO_DELAY, now).unwrap();
        Snapshot::from_entries(&[entry], BoardSelection::All, profile).unwrap()
    };
    // lidraughts does not play all variants.
    let unstarted = Board::new("a", board.variant, Vec::new());
    let is_known = snapshot(&unstarted, ReaderProfile::Lidraughts).first_problem().is_none();
    let snapshot = snapshot(&board, if is_known { ReaderProfile::Lidraughts } else { ReaderProfile::Standard });
    if let Some(problem) = snapshot.first_problem() {
        return Err(format!("{problem}\n{}", snapshot.text));
    }
    if !snapshot.truncated_boards.is_empty() || snapshot.text.contains("/FEN") {
        return Err(format!("held: {}", snapshot.text));
    }
    let (games, _) = reader::read(&snapshot.text);
    let text = |ply: &MoveEntry| ply.text.to_string();
    Ok(games.iter().flat_map(|game| game.moves()).map(text).collect())
}

fn play(case: &Case) -> Outcome {
    let truth = moves(&case.games[0]);
    let mut line =
        RepairedLine { line: case.line(), truth: &truth, inputs: Vec::new(), found: Vec::new(), problems: Vec::new() };
    let (mut world, mut outputs) = (case.world(), Vec::new());
    drive_bus(&mut world, &mut line, 40_000, |_, output| outputs.push(output));
    let RepairedLine { inputs, found, mut problems, .. } = line;
    if !found.is_empty() {
        match published(case, &outputs) {
            Ok(moves) if truth == moves => {}
            Ok(moves) => problems.push(format!("published {}", moves.join(" "))),
            Err(problem) => problems.push(problem),
        }
        // A replay of the inputs publishes the same.
        let mut again = case.line();
        let replayed: Vec<Output> = inputs.into_iter().flat_map(|(at, input)| again.handle(at, input)).collect();
        let is_file = |output: &&Output| output.effect.is_publication();
        if !replayed.iter().filter(is_file).eq(outputs.iter().filter(is_file)) {
            problems.push("a replay differs".to_owned());
        }
    }
    Outcome { case: case.to_string(), found, problems }
}

#[test]
fn right_moves_are_among_first_three_offers() {
    let pool = pool();
    let (mut ranks, mut problems, mut seed) = (Vec::new(), Vec::new(), 0);
    while ranks.len() < GAMES {
        let draw = |seed| {
            let mut case = Case::draw(&pool, BoardSetup::SingleWithoutMemory.into(), seed);
            let length = 30_000 + Rng::stream(seed, "missing").below(35_000);
            case.outage_end = case.outage_start + length;
            case
        };
        let cases: Vec<Case> = (seed..seed + 40).map(draw).collect();
        seed += 40;
        for Outcome { case, found, problems: wrong } in over_all_cores(&cases, play) {
            for (plies, rank) in found {
                if rank.is_none_or(|rank| rank >= 3) {
                    println!("{case}: {plies} plies are missing, rank {rank:?}");
                }
                ranks.push((plies, rank));
            }
            problems.extend(wrong.into_iter().map(|problem| format!("{case}: {problem}")));
        }
        assert!(seed < 4_000, "only {} games with missing plies", ranks.len());
    }
    let among = |most: usize| ranks.iter().filter(|(_, rank)| rank.is_some_and(|rank| rank < most)).count();
    let of_plies = |count: usize| ranks.iter().filter(|(plies, _)| *plies == count).count();
    println!("seeds 0..{seed}: {} gaps of 1 to 4 plies: {:?}", ranks.len(), [1, 2, 3, 4].map(of_plies));
    println!("the right moves are the first offer in {}, among the first three in {}", among(1), among(3));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(among(3) * 100 >= ranks.len() * 95);
}

/// The recorder explains most gaps of three plies or less by itself, so the offers for these are counted without it.
#[test]
fn short_gaps_are_offered_without_events() {
    let pool = pool();
    let mut rng = Rng::stream(1, "gaps");
    for missing in 1..=MAX_MISSING {
        let mut ranks = Vec::new();
        for _ in 0..GAMES {
            let game = rng.pick(&pool).unwrap();
            let at = rng.below((game.moves.len() - missing) as u64) as usize;
            let start = position_after(&game.start, &game.moves[..at]);
            let right = &game.moves[at..at + missing];
            let end = MissingMovesEnd::Position(position_after(&start, right));
            let offers = MissingMovesQuery { start, end, evidence: None }.offers();
            ranks.push(offers.iter().position(|offer| offer == right));
        }
        let among = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < 3)).count();
        println!(
            "seed 1: {missing} plies are missing: the right moves are among the first three in {among} of {GAMES}"
        );
        assert!(among * 100 >= GAMES * 95, "{missing} plies");
    }
}

fn position_after(start: &Position, moves: &[Move]) -> Position {
    moves.iter().fold(*start, |position, ply| position.play(ply))
}
