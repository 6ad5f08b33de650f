//! Plays games on the boards of one bus and scores them like games on boards with their own lines.
//!
//! On a bus a board sends only when polled: its reports arrive together, without the time of each. `boardsim score` with and without
//! `--bus` shows the cost.

use damcast_engine::millis::Millis;
use damcast_engine::session::{BusAddress, Effect, Input, Line, Mode, Output};
use draughts::Position;
use hardware_sim::bus::{BusConfig, BusWorld};
use hardware_sim::faults::Fault;
use hardware_sim::script::Game;
use hardware_sim::seat::SeatConfig;

use super::drive::{Record, RecorderDriver, drive_bus};
use super::game_score::Score;
use super::games::SourceGame;
use super::illegal_moves::{self, ScriptPly};
use super::score::{Conditions, PlayedCase, TRAILING_MS, count};
use super::script;
use super::trace::{BusTap, GameTrace, format_trace};

type Case<'a> = (&'a SourceGame, Conditions);

/// Moves of a game with the positions before them, and the motions that play them.
type Plan = (Vec<(Position, ScriptPly)>, Game);

/// Plays these games at once, one per board, and sums the scores. Omits games that do not begin at the start of their variant, because an
/// operator would have to name the address of the board.
pub fn play(cases: &[Case]) -> Score {
    let mut sum = Score::default();
    let mut hall = match Hall::new(cases) {
        Ok(Some(hall)) => hall,
        Ok(None) => return sum,
        Err(error) => {
            sum.imperfect_games.push(error);
            return sum;
        }
    };
    let mut line = hall.line();
    let records = hall.record(&mut line);
    for ((((game, conditions), (steps, script)), seat), record) in
        hall.cases.iter().zip(&hall.plans).zip(hall.world.seats()).zip(&records)
    {
        let last = seat.config().games.len() - 1;
        let outcome = PlayedCase { steps, script, game: last, truth: seat.truth(), times: seat.ply_times(), record };
        sum.add(count(&format!("{} seed {}", game.name, conditions.seed), &outcome));
    }
    sum
}

/// Plays these games at once and explains one of them, line by line.
///
/// # Errors
///
/// Returns an error if they cannot be played on simulated boards, or if this one does not begin at the start of its variant.
pub fn explain(cases: &[Case], wanted: usize) -> Result<Vec<String>, String> {
    let not_played = || "a game that does not begin at the start is not played on a bus".to_owned();
    let name = |(game, conditions): &Case| (game.name.clone(), conditions.seed);
    let wanted = cases.get(wanted).map(name);
    let mut hall = Hall::new(cases)?.ok_or_else(not_played)?;
    let index = hall.cases.iter().position(|case| Some(name(case)) == wanted).ok_or_else(not_played)?;
    let address = hall.addresses.get(index).copied().flatten().ok_or_else(not_played)?;
    let mut line = TappedLine { line: hall.line(), tap: BusTap::new(address) };
    let records = hall.record(&mut line);
    let (steps, _) = &hall.plans[index];
    let (truth, outputs) = (hall.world.seats()[index].truth(), &records[index].outputs);
    Ok(format_trace(&GameTrace { steps, truth, utterances: line.tap.utterances(), outputs }))
}

/// Games on the boards of one line, ready to play.
struct Hall<'a> {
    cases: Vec<&'a Case<'a>>,
    plans: Vec<Plan>,
    world: BusWorld,
    addresses: Vec<Option<BusAddress>>,
}

impl<'a> Hall<'a> {
    /// Returns `None` if none of the games can be played on a bus.
    fn new(cases: &'a [Case<'a>]) -> Result<Option<Hall<'a>>, String> {
        let is_from_start = |(game, _): &&Case| game.start == Position::start(game.start.variant());
        let cases: Vec<_> = cases.iter().filter(is_from_start).collect();
        let Some((_, first)) = cases.first() else { return Ok(None) };
        let mut seats = Vec::new();
        let mut plans = Vec::new();
        for (game, Conditions { profile, control, seed, .. }) in &cases {
            let steps = illegal_moves::with_illegal(game, profile.rate(Fault::IllegalStands), *seed);
            let steps = illegal_moves::with_repeated(steps, profile.rate(Fault::PliesTakenBack), *seed);
            let script = script::illegal_game(&game.start, &steps, *control, profile, *seed);
            let geometry = &game.start.variant().geometry;
            let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
            let mut seat = SeatConfig::new(rows, columns, script.clone(), profile.clone(), *seed);
            seat.games = script::with_swapped_seats(script.clone(), true, profile, *seed);
            seats.push(seat);
            plans.push((steps, script));
        }
        let world = BusWorld::new(BusConfig::new(seats, first.seed)).map_err(|error| error.to_string())?;
        let address = |index: usize| BusAddress::new(world.seats()[index].board().options().address());
        let addresses = (0..cases.len()).map(address).collect();
        Ok(Some(Hall { cases, plans, world, addresses }))
    }

    /// Creates the recorder of the line, configured for its boards.
    fn line(&self) -> Line {
        let mut settings = self.cases[0].1.settings.clone();
        settings.mode = Mode::Bus;
        for ((_, conditions), address) in self.cases.iter().zip(&self.addresses) {
            settings.boards.extend(address.map(|address| (address, conditions.settings.clone())));
        }
        Line::new(settings)
    }

    /// Plays all games to their end. Returns a record of each.
    fn record(&mut self, recorder: &mut impl RecorderDriver) -> Vec<Record> {
        let mut records = vec![Record::default(); self.cases.len()];
        let addresses = &self.addresses;
        drive_bus(&mut self.world, recorder, TRAILING_MS, |_, output| {
            let of_board = addresses.iter().position(|address| output.board.is_some() && *address == output.board);
            if let Some(record) = of_board.and_then(|index| records.get_mut(index)) {
                record.outputs.push(output);
            }
        });
        records
    }
}

/// Recorder of a line that also records the messages of one board.
struct TappedLine {
    line: Line,
    tap: BusTap,
}

impl RecorderDriver for TappedLine {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        if let Input::Bytes(bytes) = &input {
            self.tap.receive(now, bytes);
        }
        let outputs = self.line.handle(now, input);
        for output in &outputs {
            if let Effect::Send(bytes) = &output.effect {
                self.tap.send(output.at, bytes);
            }
        }
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}
