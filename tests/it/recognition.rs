//! Hands as a board reports them, and the recogniser's results: one story per test, each seen to mislead.

use damcast::engine::millis::Millis;
use damcast::engine::recognition::{ClockState, Occupancy, PressId, Recogniser, SensedPiece, Settings, Verdict, Wait};
use draughts::{Color, Position, Variant};
use draughts_pdn::{fen, notation};

/// A board with a recogniser only.
struct Board {
    variant: &'static Variant,
    recogniser: Recogniser,
    verdicts: Vec<String>,
    presses: u32,
}

impl Board {
    fn new(tag: &str, position: &str, clock: ClockState) -> Board {
        let variant = Variant::from_tag(tag).unwrap();
        let position = Position::new(variant, fen::read(variant, position).unwrap()).unwrap();
        let mut sight = Occupancy::default();
        for color in Color::BOTH {
            for square in position.placement().pieces_of(color) {
                sight.put(square, Some(SensedPiece { color, is_king: false }));
            }
        }
        let recogniser = Recogniser::new(position, 20, sight, clock, Millis::ZERO, Settings::default());
        Board { variant, recogniser, verdicts: Vec::new(), presses: 0 }
    }

    /// Runs until a time; a requested dump arrives 0.11 s later.
    fn run_until(&mut self, until: Millis) {
        let mut now = Millis::ZERO;
        loop {
            let dump = self.recogniser.wants_dump_at().map(|at| at.max(now) + Millis(110));
            let next = self.recogniser.deadline().map(|(at, _)| at).into_iter().chain(dump).min().map(|at| at.max(now));
            let Some(at) = next.filter(|&at| at <= until) else { return };
            now = at;
            if dump == Some(at) {
                let sight = *self.recogniser.occupancy();
                self.recogniser.on_dump(at, &sight);
            }
            self.decide(at);
        }
    }

    fn decide(&mut self, now: Millis) {
        while let Some(verdict) = self.recogniser.verdict(now) {
            self.verdicts.push(match &verdict {
                Verdict::Ply { before, ply, .. } => notation::write(self.variant, ply, &before.legal_moves()),
                Verdict::Setup { position, .. } => fen::write(self.variant, &position.setup()),
            });
        }
    }

    /// Applies one event: `31 white`, `31 -`, `press white` by the presser, `clock stops` or `clock runs`.
    fn apply_event(&mut self, at: Millis, event: &str) {
        self.run_until(at);
        let (place, news) = event.split_once(' ').unwrap();
        if place == "clock" {
            let is_stopped = news == "stops";
            let clock = if is_stopped { ClockState::Stopped { since: Some(at) } } else { ClockState::Running };
            self.recogniser.set_clock(clock);
            return self.decide(at);
        }
        let color = match news {
            "white" => Some(Color::White),
            "black" => Some(Color::Black),
            "-" => None,
            other => panic!("{other}"),
        };
        if place == "press" {
            self.presses += 1;
            self.recogniser.on_press(at, PressId(self.presses), color.map(|color| !color));
        } else {
            let square = self.variant.geometry.square(place).unwrap();
            self.recogniser.observe(at, square, color.map(|color| SensedPiece { color, is_king: false }));
        }
        self.decide(at);
    }
}

/// Plays a story of entries `seconds event` and compares the verdicts.
#[track_caller]
fn check(position: &str, clock: ClockState, story: &str, expected: &[&str]) {
    assert_eq!(run_story("20", position, clock, story).verdicts, expected);
}

fn run_story(tag: &str, position: &str, clock: ClockState, story: &str) -> Board {
    let mut board = Board::new(tag, position, clock);
    let mut last = Millis::ZERO;
    for entry in story.split(['\n', ',']).map(str::trim).filter(|entry| !entry.is_empty()) {
        let (at, event) = entry.split_once(' ').unwrap();
        last = Millis((at.parse::<f64>().unwrap() * 1_000.0).round() as u64);
        if event != "ends" {
            board.apply_event(last, event);
        }
    }
    board.run_until(last);
    board
}

/// The reason why a ply is pending is known from its appearance until its publication.
#[test]
fn pending_reason_of_ply_is_known() {
    let waits =
        |story: &str| run_story("20", "W:W35,38,40:B8,12,20", ClockState::Running, story).recogniser.pending_wait();
    let settings = Settings::default();
    let stands = "10.0 38 -, 10.3 33 white, 12.0 ends";
    assert_eq!(waits(stands), Some((Millis(10_300 + settings.unpressed_ms), Wait::Press)));
    let in_the_air = "10.0 38 -, 10.4 ends";
    assert_eq!(waits(in_the_air), None, "a hand holds it for as long as it likes");
    let misplaced = "10.0 38 -, 10.2 37 white, 10.4 ends";
    let unexplained_at = 10_200 + settings.unexplained_unpressed_ms + settings.unconfirmed_ms;
    assert_eq!(waits(misplaced), Some((Millis(unexplained_at), Wait::Explanation)));
    let is_told = "10.0 38 -, 10.3 33 white, 11.0 press white, 12.0 ends";
    assert_eq!(waits(is_told), None);
    let against_the_rules = "10.0 38 -, 10.3 23 white, 11.0 press white, 14.0 ends";
    assert_eq!(waits(against_the_rules), Some((Millis(11_000 + settings.unexplained_ms), Wait::Explanation)));
    let board = run_story("20", "W:W35,38,40:B8,12,20", ClockState::Running, "10.0 38 -, 10.3 33 white, 19.0 ends");
    assert_eq!(board.verdicts, ["38-33"]);
    assert_eq!(board.recogniser.rationale().and_then(|grounds| grounds.waited_for), Some(Wait::Press));
}

#[test]
fn piece_in_hand_is_never_set_up_without_press() {
    let held = "10.0 38 -, 70.0 33 white, 71.0 press white, 72.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::Running, held, &["38-33"]);
    // The captured piece is removed first.
    let captures = "10.0 33 -, 10.5 38 -, 70.0 29 white, 71.0 press white, 72.0 ends";
    check("W:W38,40:B8,12,33", ClockState::Running, captures, &["38x29"]);
}

#[test]
fn piece_in_hand_is_not_set_up_after_reverted_presses() {
    let mistaken = "5.0 press white, 6.0 press black, 8.0 38 -, 60.0 33 white, 61.0 press white, 64.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::Running, mistaken, &["38-33"]);
    // The published ply is taken back, and the piece of the next one is held.
    let taken_back = "10.0 38 -, 10.3 33 white, 10.8 press white
        13.0 33 -, 13.3 38 white, 14.0 press black
        17.0 40 -, 60.0 34 white, 61.0 press white, 65.0 ends";
    let expected = ["38-33", "W:W35,38,40:B8,12,20", "40-34"];
    check("W:W35,38,40:B8,12,20", ClockState::Running, taken_back, &expected);
}

#[test]
fn position_at_restart_of_clock_counts() {
    let play =
        "10.0 38 -, 10.3 33 white, 11.0 press white, 15.0 12 -, 15.3 17 black, 16.0 press black, 18.0 clock stops";
    let back = "20.0 33 -, 20.5 38 white, 21.0 17 -, 21.5 12 black, 25.0 clock runs";
    let go_on = "27.0 38 -, 27.3 32 white, 28.0 press white, 29.0 ends";
    let expected = ["38-33", "12-17", "W:W35,38,40:B8,12,20", "38-32"];
    check("W:W35,38,40:B8,12,20", ClockState::Running, &[play, back, go_on].join(","), &expected);
}

#[test]
fn no_setup_without_pieces_of_both_colors() {
    let held = "10.0 12 -, 11.0 press black, 13.0 40 -, 13.4 34 white, 14.0 press white, 20.0 ends";
    check("B:W38,40:B12", ClockState::Running, held, &[]);
}

#[test]
fn quiet_ply_waits_if_opponent_piece_was_away_too() {
    let both = "10.0 38 -, 10.2 12 -, 10.5 33 white, 10.9 12 black, 25.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::Running, both, &[]);
    let pressed = "10.0 38 -, 10.2 12 -, 10.5 33 white, 10.9 12 black, 25.0 press white, 27.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::Running, pressed, &["38-33"]);
    // The piece that was away has been moved by a ply that is published.
    let replied =
        "10.0 38 -, 10.3 33 white, 10.4 12 -, 10.5 33 -, 10.8 33 white, 10.9 17 black, 11.2 press white, 30.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::Running, replied, &["38-33"]);
}

#[test]
fn without_clock_lifting_other_piece_releases_ply() {
    let story = "10.0 38 -, 10.3 33 white, 12.2 35 -, 12.3 1 white, 13.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::None, story, &["38-33"]);
    let hesitates = "10.0 38 -, 10.3 33 white, 12.2 33 -, 12.6 32 white, 16.0 ends";
    check("W:W35,38,40:B8,12,20", ClockState::None, hesitates, &["38-32"]);
}

#[test]
fn unfinished_hand_is_no_change_of_mind() {
    // 21 is lifted to go to 26; without it the board could show the position after 17-22 instead of 17-21.
    let story = "2.4 17 -, 2.8 21 black
        10.4 4 -, 10.6 31 white
        13.0 21 -, 13.5 26 black, 17.0 ends";
    check("B:WK4,38:B16,17,23,K50", ClockState::None, story, &["17-21", "4-31", "21-26"]);
}

#[test]
fn flickering_king_landed_at_first_sight() {
    // A king slides over 41 to 36 and flickers there: it did not go 47-41, 41-36 around the reply.
    let story = "6.671 41 white, 6.695 47 -, 6.866 36 white, 6.890 41 -, 7.304 36 -, 7.524 36 white, 7.741 35 -
        7.960 35 black, 9.494 35 -, 9.714 35 black, 9.935 36 -, 10.154 36 white, 10.371 35 -
        10.590 35 black, 10.596 36 -, 10.812 36 white, 11.248 35 -, 11.253 36 -, 11.469 36 white
        11.925 40 black, 12.364 40 -, 12.583 40 black, 13.004 36 -, 13.022 40 -, 13.223 36 white
        13.241 40 black, 13.460 40 -, 13.679 40 black, 14.118 40 -, 14.539 36 -, 14.556 40 black
        14.758 36 white, 18.0 ends";
    check("W:W23,29,46,K47,K48,50:BK35,45", ClockState::None, story, &["47-36", "35-40"]);
}

#[test]
fn flickering_king_has_left_when_square_is_needed() {
    let story = "1.963 41 -, 2.177 41 black, 2.603 41 -, 2.816 41 black, 3.029 41 -, 3.455 41 black, 3.668 41 -
        3.881 41 black, 4.946 41 -, 5.136 36 black
        7.692 36 -, 7.734 46 -, 7.905 36 black, 7.928 41 white, 8.118 36 -, 8.331 36 black, 8.544 36 -
        8.757 36 black, 8.970 36 -, 9.183 36 black
        11.313 36 -, 11.526 36 black, 11.953 36 -, 12.379 36 black, 14.0 ends";
    check("B:W15,K20,46:BK41", ClockState::None, story, &["41-36", "46-41"]);
}

#[test]
fn retracted_crowning_move_leaves_man_and_does_not_count() {
    let story = "1.0 7 -, 1.3 1 white, 1.8 press white
        5.0 1 -, 5.3 7 white, 5.9 press black
        8.0 7 -, 8.3 2 white, 8.8 press white, 11.0 ends";
    let board = run_story("20", "W:W7,38:B16,26", ClockState::Running, story);
    assert_eq!(board.verdicts, ["7-1", "W:W7,38:B16,26", "7-2"]);
    assert_eq!(board.recogniser.plies(), 21);
}

#[test]
fn positions_during_retraction_are_no_positions_of_game() {
    // Until 28 was put back the king could have gone from 22 to 33 without a capture.
    let story = "1.0 23 -, 1.2 28 -, 1.4 32 black, 1.8 press black
        5.0 32 -, 5.1 23 black, 5.4 28 white, 5.9 press white
        8.0 28 -, 8.3 22 -, 8.6 33 black, 9.0 press black, 12.0 ends";
    check("B:W28,50:BK22,23", ClockState::Running, story, &["23x32", "B:W28,50:BK22,23", "22x33"]);
}

#[test]
fn forgotten_piece_does_not_hide_illegal_move() {
    // 27 is captured and stays; Black should take 16x27, and plays 3-8.
    let story = "10.0 32 -, 10.4 21 white, 11.0 press white
        15.0 3 -, 15.4 8 black, 16.0 press black
        20.0 27 -, 20.5 45 -, 20.9 40 white, 21.5 press white
        25.0 16 -, 25.4 27 black, 25.8 21 -, 26.4 press black, 30.0 ends";
    let expected = ["32x21", "W:W21,38,45:B8,16,20", "45-40", "16x27"];
    check("W:W32,38,45:B3,16,20,27", ClockState::Running, story, &expected);
}

#[test]
fn unpressed_plies_precede_illegal_move() {
    // White forgets to press, so Black's press has no effect; then White should take 32x21, and plays 45-40.
    let story = "10.0 47 -, 10.4 41 white
        14.0 22 -, 14.4 27 black
        17.0 45 -, 17.4 40 white, 18.0 press white
        22.0 27 -, 22.4 38 black, 22.8 32 -, 23.4 press black, 27.0 ends";
    let expected = ["47-41", "22-27", "B:W32,40,41:B14,27", "27x38"];
    check("W:W32,45,47:B14,22", ClockState::Running, story, &expected);
}

#[test]
fn press_after_illegal_move_is_not_forgotten_press() {
    let story = "10.0 47 -, 10.4 41 white
        22.0 22 -, 22.4 27 black
        26.0 45 -, 26.4 40 white, 27.0 press white
        32.0 27 -, 32.4 38 black, 32.8 32 -, 33.4 press black, 37.0 ends";
    let expected = ["47-41", "22-27", "B:W32,40,41:B14,27", "27x38"];
    check("W:W32,45,47:B14,22", ClockState::Running, story, &expected);
}

#[test]
fn unpressed_illegal_move_stands_when_play_continues() {
    // White plays 45-40 in place of 32x21 and forgets to press; Black takes 27x38, and the press has no effect.
    let story = "10.0 22 -, 10.4 27 black, 11.0 press black
        14.0 45 -, 14.4 40 white
        18.0 27 -, 18.4 38 black, 18.8 32 -
        23.0 48 -, 23.4 42 white, 24.0 press white, 28.0 ends";
    let expected = ["22-27", "B:W32,40,48:B14,27", "27x38", "48-42"];
    check("B:W32,45,48:B14,22", ClockState::Running, story, &expected);
}

#[test]
fn without_clock_long_standing_reply_confirms_illegal_move() {
    let story = "10.0 22 -, 10.4 27 black
        15.0 45 -, 15.4 40 white
        20.0 27 -, 20.4 38 black, 20.8 32 -, 28.0 ends";
    check("B:W32,45,48:B14,22", ClockState::None, story, &["22-27", "B:W32,40,48:B14,27", "27x38"]);
}

#[test]
fn two_illegal_moves_are_two_setups() {
    let story = "10.0 22 -, 10.4 27 black, 11.0 press black
        14.0 45 -, 14.4 40 white, 15.0 press white
        19.0 14 -, 19.4 19 black, 20.0 press black
        24.0 32 -, 24.4 21 white, 24.8 27 -, 25.4 press white, 29.0 ends";
    let expected = ["22-27", "B:W32,40,48:B14,27", "W:W32,40,48:B19,27", "32x21"];
    check("B:W32,45,48:B14,22", ClockState::Running, story, &expected);
}

#[test]
fn answered_illegal_move_stands_when_clock_stops() {
    let story = "10.0 22 -, 10.4 27 black, 11.0 press black
        14.0 45 -, 14.4 40 white, 15.0 press white
        19.0 27 -, 19.4 38 black, 19.8 32 -, 21.0 clock stops, 26.0 ends";
    check("B:W32,45,48:B14,22", ClockState::Running, story, &["22-27", "B:W32,40,48:B14,27", "27x38"]);
}

#[test]
fn retracted_crowning_leaves_man() {
    let story = "10.0 10 -, 10.3 4 white, 10.8 press white
        13.0 4 -, 13.3 10 white, 14.0 press black
        16.0 10 -, 16.3 5 white, 16.9 press white, 20.0 ends";
    check("W:W10,38:B26,45", ClockState::Running, story, &["10-4", "W:W10,38:B26,45", "10-5"]);
}

#[test]
fn brief_position_during_retraction_is_not_released() {
    // 34 is put back last, and the lever is pressed back; then it is taken off first.
    let story = "2.295 1 -, 2.914 45 black, 3.328 34 -, 3.895 press black
        6.570 45 -, 7.026 1 black, 7.168 34 white, 7.825 press white
        10.178 34 -, 11.112 1 -, 11.277 40 black, 11.759 press black, 15.0 ends";
    check("B:W8,34:BK1,16", ClockState::Running, story, &["1x45", "B:W8,34:BK1,16", "1x40"]);
}

#[test]
fn unpressed_replacement_replaces_move() {
    let story = "10.0 40 -, 10.3 34 white, 11.0 press white
        13.0 34 -, 13.3 40 white, 14.2 press black, 15.0 31 -, 15.3 27 white, 25.0 ends";
    check("W:W31,40:B8,20", ClockState::Running, story, &["40-34", "W:W31,40:B8,20", "31-27"]);
}

#[test]
fn pushed_piece_of_opponent_is_no_change_of_mind() {
    // A hand pushes the piece that has moved to another square which it could have reached, and puts it back.
    let story = "10.0 40 -, 10.3 34 white, 11.0 press white, 13.0 34 -, 13.2 35 white, 15.4 35 -, 15.7 34 white
        20.0 8 -, 20.3 12 black, 21.0 press black, 23.0 ends";
    check("W:W31,40:B8,20", ClockState::Running, story, &["40-34", "8-12"]);
    let corrected = "10.0 40 -, 10.3 34 white, 11.0 press white, 13.0 34 -, 13.2 35 white, 40.0 ends";
    let expected = ["40-34", "W:W31,40:B8,20", "40-35"];
    check("W:W31,40:B8,20", ClockState::Running, corrected, &expected);
}

#[test]
fn flickering_king_is_not_captured_unseen() {
    // White's king flickers on 46. Black takes 1-29 back; 46-23 and 29x1 would look alike.
    let story = "1.0 46 -, 1.2 46 white, 1.5 46 -, 1.7 46 white, 2.0 46 -, 2.2 46 white, 2.6 1 -, 2.9 29 black
        3.4 press black, 4.0 46 -, 4.3 46 white, 4.8 46 -, 5.0 46 white, 5.3 29 -, 5.6 46 -, 5.8 1 black
        6.2 press white, 6.9 46 white, 7.3 46 -, 7.6 46 white, 8.0 46 -, 8.3 46 white, 9.5 1 -, 9.8 7 black
        10.2 press black, 13.0 ends";
    check("B:WK46,48:BK1,16", ClockState::Running, story, &["1-29", "B:WK46,48:BK1,16", "1-7"]);
}

#[test]
fn unremoved_captured_piece_is_in_no_setup() {
    let story = "1.0 38 -, 1.3 29 white, 1.8 press white
        8.0 8 -, 8.3 12 black, 8.8 press black
        13.0 12 -, 13.3 8 black, 13.9 press white
        16.0 8 -, 16.3 13 black, 16.8 press black
        20.0 33 -, 24.0 ends";
    check("W:W38,50:B8,33", ClockState::Running, story, &["38x29", "8-12", "B:W29,50:B8", "8-13"]);
}

#[test]
fn captured_piece_landing_nearby_has_not_moved() {
    // On its way off the board the piece is seen on 17; 6-17 and 36-18 would look alike.
    let story = "1.0 6 -, 1.3 22 black, 1.8 press black
        8.0 36 -, 8.3 18 white, 8.6 22 -, 8.62 17 black, 9.05 press white, 9.1 17 -, 12.0 ends";
    check("B:WK36,48:BK6,16", ClockState::Running, story, &["6-22", "36x18"]);
}

#[test]
fn capture_waits_while_longer_one_is_possible() {
    // Without 7 the king would have gone 10-21-30-19-28, and that is complete for 1.5 s.
    let story = "9.129 10 -, 9.374 3 black, 9.575 3 -, 10.067 21 black, 10.268 21 -, 10.814 30 black, 11.216 30 -
        11.684 19 black, 12.086 19 -, 12.463 28 black, 12.660 24 -, 13.068 23 -, 13.454 25 -, 13.705 17 -
        15.178 7 -, 20.0 ends";
    let board = run_story("31", "B:W5,7,8,17,23,24,25:BK10,12", ClockState::None, story);
    assert_eq!(board.verdicts, ["10-3-21-30-19-28"]);
}

#[test]
fn analysis_on_running_clock_is_no_position_of_game() {
    let story = "1.0 38 -, 1.3 33 white, 1.8 press white
        10.0 40 -
        12.0 16 -, 12.5 21 black
        16.0 33 -, 16.5 29 white
        20.0 8 -, 20.5 3 black, 60.0 ends";
    check("W:W38,40,50:B8,16,20", ClockState::Running, story, &["38-33"]);
}

#[test]
fn flickering_king_does_not_move_unseen() {
    // The black king goes 5-41 and back; White's king flickers on 15 and did not go to 10 in between.
    let story = "10.206 15 -, 10.677 15 white, 11.100 5 -, 11.383 15 -, 11.505 41 black, 11.618 15 white
        11.791 press black, 12.324 15 -, 12.559 15 white, 13.501 15 -, 13.736 15 white, 14.913 15 -
        15.035 41 -, 15.148 15 white, 15.572 5 black, 15.854 15 -, 16.325 15 white, 16.560 15 -
        16.596 press white, 16.795 15 white, 17.031 15 -, 17.266 15 white, 17.501 15 -, 17.972 15 white
        18.036 29 -, 18.297 34 black, 19.454 press black, 23.0 ends";
    let expected = ["5-41", "B:WK15,43,47:B3,K5,29,33,36", "29-34"];
    check("B:WK15,43,47:B3,K5,29,33,36", ClockState::Running, story, &expected);
}

#[test]
fn captured_piece_put_down_nearby_plays_nothing() {
    let story = "10.0 24 -, 10.4 13 white, 10.6 19 -, 10.63 23 black, 11.5 press white
        22.0 16 -, 22.3 21 black, 23.0 press black
        26.5 23 -, 30.0 ends";
    check("W:W24,38:B15,16,19", ClockState::Running, story, &["24x13", "16-21"]);
}

#[test]
fn plies_after_forgotten_press_do_not_show_presser() {
    // White forgot to press, Black's press had no effect, and White presses late: not Black, whose ply is the first of two.
    let mut board = Board::new("20", "W:W32,38,40:B12,18,20", ClockState::Running);
    board.recogniser.set_lever_turn(Some(Color::White));
    for (at, event) in [(10_000, "32 -"), (10_400, "28 white"), (20_000, "20 -"), (20_400, "25 black")] {
        board.apply_event(Millis(at), event);
    }
    for (at, event) in [(23_000, "38 -"), (23_400, "33 white")] {
        board.apply_event(Millis(at), event);
    }
    board.run_until(Millis(24_000));
    assert_eq!(board.verdicts, ["32-28"]);
    let presser = board.recogniser.likely_presser(Millis(24_000)).map(|presser| presser.player);
    assert_ne!(presser, Some(Color::Black));
}

#[test]
fn press_after_three_plies_may_be_for_first() {
    // White and Black reply before they press; White's third piece stands on 29 for a moment when White's first press is reported.
    let replies = "10.0 38 -, 10.3 33 white, 12.0 12 -, 12.3 17 black, 14.0 33 -, 14.2 29 white, 14.6 press white";
    let corrected = "15.9 29 -, 16.2 28 white, 16.5 press black, 17.2 press white, 19.0 ends";
    let expected = ["38-33", "12-17", "33-28"];
    check("W:W35,38,40:B8,12,20", ClockState::Running, &[replies, corrected].join(","), &expected);
    let decided = "30.0 ends";
    let expected = ["38-33", "12-17", "33-29"];
    check("W:W35,38,40:B8,12,20", ClockState::Running, &[replies, decided].join(","), &expected);
}

#[test]
fn cleared_board_is_no_position_of_game() {
    let story = "1.0 38 -, 1.3 33 white, 1.8 press white
        9.0 33 -, 10.0 50 -, 11.0 8 -, 12.0 16 -, 13.0 press black, 13.5 press white, 90.0 ends";
    check("W:W38,50:B8,16", ClockState::Running, story, &["38-33"]);
}

#[test]
fn unpressed_legal_ply_is_no_illegal_move() {
    // White forgets to press twice, and Black's presses have no effect; White's third press publishes all plies.
    let story = "1.0 47 -, 1.3 41 white, 1.8 press white
        5.0 20 -, 5.3 25 black, 5.8 press black
        10.0 31 -, 10.4 26 white
        28.0 5 -, 28.4 10 black
        42.0 26 -, 42.3 17 white, 43.0 21 -
        57.0 11 -, 57.3 22 black, 57.5 17 -
        73.0 28 -, 73.4 17 white, 73.7 22 -, 74.5 press white, 100.0 ends";
    let expected = ["47-41", "20-25", "31-26", "5-10", "26x17", "11x22", "28x17"];
    check("W:W28,31,33,45,47:B5,6,8,11,12,20,21", ClockState::Running, story, &expected);
}

/// Four white pieces fall; all are put back, 34 on 30.
const KNOCKED: &str = "10.0 33 -, 10.0 34 -, 10.1 38 -, 10.1 39 -
        13.0 30 white
        16.0 33 white
        19.0 38 white
        21.0 39 white";

#[test]
fn fallen_piece_put_on_legal_square_is_no_move() {
    let position = "W:W33,34,38,39:B8,12,20";
    let story = format!(
        "{KNOCKED}
        36.0 30 -, 36.3 34 white
        40.0 33 -, 40.3 29 white, 41.0 press white, 43.0 ends"
    );
    check(position, ClockState::Running, &story, &["33-29"]);
    let without_clock = format!(
        "{KNOCKED}
        36.0 30 -, 36.3 34 white
        40.0 33 -, 40.3 29 white
        45.0 20 -, 45.3 25 black, 50.0 ends"
    );
    check(position, ClockState::None, &without_clock, &["33-29", "20-25"]);
    let taken_up = format!(
        "{KNOCKED}
        24.0 38 -, 24.3 32 white, 25.0 30 -, 25.3 34 white, 66.0 ends"
    );
    check(position, ClockState::None, &taken_up, &["38-32"]);
    let stood = format!(
        "{KNOCKED}
        70.0 ends"
    );
    check(position, ClockState::None, &stood, &["34-30"]);
}

#[test]
fn without_clock_play_after_knock_waits_no_longer() {
    let story = format!(
        "{}
        30.0 33 -, 30.3 29 white, 33.5 ends",
        KNOCKED.replace("13.0 30", "13.0 34")
    );
    check("W:W33,34,38,39:B8,12,20", ClockState::None, &story, &["33-29"]);
}

#[test]
fn stopping_clock_for_fallen_pieces_plays_nothing() {
    let story = format!(
        "{KNOCKED}
        24.0 clock stops
        36.0 30 -, 36.3 34 white, 40.0 ends"
    );
    check("W:W33,34,38,39:B8,12,20", ClockState::Running, &story, &[]);
}

#[test]
fn ply_among_fallen_pieces_needs_press_or_reply() {
    let position = "W:W33,34,38,39:B8,12,20";
    // 34-30 was truly played, and the press comes late.
    let pressed = format!(
        "{KNOCKED}
        40.0 press white, 41.0 ends"
    );
    check(position, ClockState::Running, &pressed, &["34-30"]);
    let answered = format!(
        "{KNOCKED}
        40.0 20 -, 40.3 24 black, 41.0 press black, 42.0 30 -, 42.3 19 white, 42.6 24 -, 43.0 press white
        44.0 ends"
    );
    check(position, ClockState::Running, &answered, &["34-30", "20-24", "30x19"]);
}

#[test]
fn fallen_piece_put_elsewhere_is_no_change_of_mind() {
    let story = format!(
        "1.0 40 -, 1.3 34 white, 2.0 press white
        {}
        36.0 35 -, 36.3 34 white
        40.0 20 -, 40.3 25 black, 41.0 press black, 42.0 ends",
        KNOCKED.replace("13.0 30", "13.0 35")
    );
    check("W:W33,38,39,40:B8,12,20", ClockState::Running, &story, &["40-34", "20-25"]);
}

/// White takes 23 and leaves it standing; Black touches it, and while it is on the board 29x18 and 23x34 are due.
const TOUCHED_AGAIN: &str = "10.0 28 -, 10.3 19 white, 11.0 press white
        20.0 23 -, 20.6 23 black
        25.0 3 -, 25.3 8 black, 26.0 press black
        30.0 42 -, 30.3 37 white, 31.0 press white
        34.0 8 -, 34.3 12 black, 35.0 press black
        38.0 47 -, 38.3 41 white, 39.0 press white
        42.0 5 -, 42.3 10 black, 43.0 press black
        100.0 48 -, 100.3 43 white, 101.0 press white
        105.0 6 -, 105.3 11 black, 106.0 press black
        110.0 37 -, 110.3 32 white, 111.0 press white
        115.0 11 -, 115.3 17 black, 116.0 press black
        120.0 23 -
        125.0 41 -, 125.3 36 white, 126.0 press white, 128.0 ends";

#[test]
fn wrong_setup_causes_no_other_setups() {
    let board = run_story("20", "W:W28,29,42,47,48:B3,5,6,23", ClockState::Running, TOUCHED_AGAIN);
    let with = "W:W19,29,37,41,48:B6,10,12,23";
    let without = "W:W19,29,37,41,48:B6,10,12";
    let expected =
        ["28x19", "3-8", "42-37", "8-12", "47-41", "5-10", with, without, "48-43", "6-11", "37-32", "11-17", "41-36"];
    assert_eq!(board.verdicts, expected);
}
