//! One byte of a recorded session is damaged: flipped, lost or doubled. The recording lacks the answers to repeated queries, so moves may
//! be missing; but every recorded move must have been played.

use damcast::engine::millis::Millis;
use damcast::engine::session::{Input, Line, LineSettings};
use damcast::simulation::drive::Record;
use damcast::simulation::score::{Conditions, RecorderKind, run};
use hardware_sim::profile::NoiseProfile;

use crate::boards::moves;
use crate::bus::{rare_session, replay_inputs};
use crate::games::playable;

/// Plies of a session.
const PLIES: usize = 20;

/// Returns the session with every `step`th byte damaged, once in each way.
fn damaged(inputs: &[(Millis, Input)], step: usize) -> impl Iterator<Item = (String, Vec<(Millis, Input)>)> {
    let size = |(_, input): &(_, Input)| if let Input::Bytes(bytes) = input { bytes.len() } else { 0 };
    let count: usize = inputs.iter().map(size).sum();
    let places = (0..count).step_by(step).enumerate();
    let cases = places.flat_map(|(index, place)| ["flipped", "lost", "doubled"].map(|damage| (index, place, damage)));
    cases.map(move |(index, place, damage)| {
        let mut inputs = inputs.to_vec();
        let mut before = 0;
        for (_, input) in &mut inputs {
            let Input::Bytes(bytes) = input else { continue };
            let size = bytes.len();
            if let Some(here) = place.checked_sub(before).filter(|&here| here < size) {
                match damage {
                    "flipped" => bytes[here] ^= 1 << (index % 8),
                    "lost" => drop(bytes.remove(here)),
                    _ => bytes.insert(here, bytes[here]),
                }
            }
            before += size;
        }
        (format!("byte {place} of {count} {damage}"), inputs)
    })
}

/// Recorded moves and setups, for comparison with the moves played.
#[derive(Debug, Default)]
struct DamageCount {
    sessions: usize,
    moves: usize,
    setups: usize,
}

impl DamageCount {
    #[track_caller]
    fn check(&mut self, case: &str, played: &[String], entries: &[String]) {
        let mut rest = played;
        for entry in entries {
            if entry.starts_with('/') {
                self.setups += 1;
                continue;
            }
            let at = rest.iter().position(|played| played == entry);
            let at = at.unwrap_or_else(|| panic!("{case}: {entry} is false in {entries:?}"));
            rest = &rest[at + 1..];
            self.moves += 1;
        }
    }
}

/// Damages every `step`th byte from two boards of a bus.
fn damage_a_bus(step: usize) {
    let (bus, settings, inputs) = rare_session(PLIES);
    let played = bus.moves();
    let mut count = DamageCount::default();
    for (case, inputs) in damaged(&inputs, step) {
        count.sessions += 1;
        let recorded = replay_inputs(&settings, inputs.into_iter());
        for (board, entries) in &recorded.entries {
            count.check(&format!("{case}: board {board}"), &played[board], entries);
        }
    }
    println!("bus: {count:?}, none false");
}

/// Damages every `step`th byte from a board on its own line.
fn damage_a_board(step: usize) {
    let mut game = playable("international").swap_remove(0);
    game.moves.truncate(PLIES);
    let settings = LineSettings::new(game.start.variant());
    let control = Some("4800+60".parse().unwrap());
    let conditions = Conditions { profile: NoiseProfile::ideal(), control, seed: 1, settings: settings.clone() };
    let session = run(&game, &conditions, RecorderKind::Damcast).unwrap().record;
    let entries = |record: &Record| record.entries().into_iter().map(|(_, entry)| entry).collect::<Vec<_>>();
    let played = moves(&game);
    assert_eq!(entries(&session), played);
    let mut count = DamageCount::default();
    for (case, inputs) in damaged(&session.inputs, step) {
        count.sessions += 1;
        let mut line = Line::new(settings.clone());
        let outputs = inputs.into_iter().flat_map(|(at, input)| line.handle(at, input)).collect();
        count.check(&case, &played, &entries(&Record { inputs: Vec::new(), outputs }));
    }
    println!("board: {count:?}, none false");
}

#[test]
fn sampled_bytes_of_bus_make_no_false_move() {
    damage_a_bus(149);
}

#[test]
fn sampled_bytes_of_board_make_no_false_move() {
    damage_a_board(97);
}

/// cargo test --release --test it damaged_bytes -- --ignored --nocapture
#[test]
#[ignore = "minutes; every byte of a session instead of some"]
fn all_bytes_of_bus_make_no_false_move() {
    damage_a_bus(1);
}

/// cargo test --release --test it damaged_bytes -- --ignored --nocapture
#[test]
#[ignore = "minutes; every byte of a session instead of some"]
fn all_bytes_of_board_make_no_false_move() {
    damage_a_board(1);
}
