//! Games on the boards of one bus, counted like games on boards that have a line for themselves.
//!
//! What a bus adds is that nobody says anything unasked: a board's reports come when its turn comes, together, without the
//! time at which each happened. What that costs is the difference between the two tables of `boardsim score`, without and
//! with `--bus`.

use hardware_sim::bus::{BusSetting, BusWorld};
use hardware_sim::faults::Fault;
use hardware_sim::seat::Setting;

use super::drive::{Record, drive_bus};
use super::misplay;
use super::score::{AFTER_MS, Conditions, Outcome, Played, Score, count};
use super::script;
use crate::rules::Position;
use crate::session::{BusAddress, Line, Mode};

/// Plays these games at once, one a board, and counts what came out of all of them. A game that does not begin at the start
/// of its variant is left out: an operator would have to be told the address of its board.
pub fn play(cases: &[(&Played, Conditions)]) -> Score {
    let mut sum = Score::default();
    let cases: Vec<_> = cases.iter().filter(|(game, _)| game.start == Position::start(game.start.variant())).collect();
    let Some((_, first)) = cases.first() else { return sum };
    let mut seats = Vec::new();
    let mut played = Vec::new();
    for (game, Conditions { profile, control, seed, .. }) in &cases {
        let steps = misplay::with_illegal(game, profile.rate(Fault::IllegalStands), *seed);
        let script = script::game_of(&game.start, &steps, *control, profile, *seed);
        let geometry = &game.start.variant().geometry;
        let (rows, columns) = (geometry.height() as u8, geometry.width() as u8);
        seats.push(Setting::new(rows, columns, script.clone(), profile.clone(), *seed));
        played.push((steps, script));
    }
    let mut world = match BusWorld::new(BusSetting::new(seats, first.seed)) {
        Ok(world) => world,
        Err(error) => {
            sum.blemishes.push(error.to_string());
            return sum;
        }
    };
    let address = |index: usize| BusAddress::new(world.seats()[index].board().options().address());
    let addresses: Vec<_> = (0..cases.len()).map(address).collect();
    let mut settings = first.settings.clone();
    settings.mode = Mode::Bus;
    for ((_, conditions), address) in cases.iter().zip(&addresses) {
        settings.boards.extend(address.map(|address| (address, conditions.settings.clone())));
    }
    let mut records = vec![Record::default(); cases.len()];
    drive_bus(&mut world, &mut Line::new(settings), AFTER_MS, |_, output| {
        let of_board = addresses.iter().position(|address| output.board.is_some() && *address == output.board);
        if let Some(record) = of_board.and_then(|index| records.get_mut(index)) {
            record.outputs.push(output);
        }
    });
    for ((((game, conditions), (steps, script)), seat), record) in
        cases.iter().zip(&played).zip(world.seats()).zip(&records)
    {
        let outcome = Outcome { steps, script, truth: seat.truth(), times: seat.ply_times(), record };
        sum.add(count(&format!("{} seed {}", game.name, conditions.seed), &outcome));
    }
    sum
}
