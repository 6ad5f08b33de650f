//! Texts of the recorder about itself: reasons of publications, unexplained boards, expected moves.
//!
//! Every published entry adds a note to the log after the entry: one line of words `key=value`. `docs/bytelog.md` explains
//! each word (`waited` is [`Wait::as_str`]).

use draughts::{Color, Geometry, Move, Position, SquareSet, Variant};
use draughts_pdn::notation;

use super::UnexplainedStatus;
use crate::recognition::{self, Interpretation, Rationale, Reason, Rule, Verdict, Wait};

/// Returns the note of a verdict, without the entry.
pub fn note(verdict: &Verdict, grounds: Option<&Rationale>, variant: &Variant) -> String {
    let (cause, before) = match verdict {
        Verdict::Ply { rule, explanation_plies: explained, before, .. } => {
            (format!("rule={} plies={explained}", rule_str(*rule)), Some(before))
        }
        Verdict::Setup { reason, .. } => (format!("reason={}", reason_str(*reason)), None),
    };
    let Some(grounds) = grounds else { return cause };
    let geometry = &variant.geometry;
    let lever = match grounds.lever {
        Some(Color::White) => "white",
        Some(Color::Black) => "black",
        None => "-",
    };
    let rejected = before.map_or(Vec::new(), |before| move_lists_text(before, &grounds.rejected));
    format!(
        "{cause} touched={} lever={lever} presses={} quiet={} dump={} leftover={} mismatch={} alternatives={} waited={}",
        join_list(geometry, grounds.touched),
        grounds.presses,
        grounds.quiet_time,
        if grounds.is_confirmed { "yes" } else { "no" },
        join_list(geometry, grounds.leftover),
        join_list(geometry, grounds.mismatched),
        if rejected.is_empty() { "-".to_owned() } else { rejected.join(",") },
        grounds.waited_for.map_or("-", Wait::as_str),
    )
}

fn rule_str(rule: Rule) -> &'static str {
    match rule {
        Rule::Pressed => "pressed",
        Rule::Replied => "replied",
        Rule::Unpressed => "unpressed",
        Rule::NoClock => "no-clock",
        Rule::Released => "released",
        Rule::BeforeStop => "before-stop",
        Rule::Entered => "entered",
    }
}

/// Returns the reason of a setup as one word.
pub fn reason_str(reason: Reason) -> &'static str {
    match reason {
        Reason::TakenBack => "taken-back",
        Reason::IllegalMove => "illegal-move",
        Reason::Unexplained => "unexplained",
        Reason::Anomaly => "anomaly",
        Reason::SetupCorrected => "corrected",
        Reason::Operator => "operator",
    }
}

/// Returns the reason of a setup in words for the operator.
pub fn describe_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::TakenBack => "a move was taken back",
        Reason::IllegalMove => "a move against the rules was let stand",
        Reason::Unexplained => "no legal moves explain the board",
        Reason::Anomaly => "a piece too many or too few has stayed so",
        Reason::SetupCorrected => "the setup before was wrong by one square: play went on without it",
        Reason::Operator => "the operator said so",
    }
}

/// Converts the recogniser's unexplained board to the notation of players.
pub fn describe_unexplained(doubt: &recognition::UnexplainedBoard, variant: &Variant) -> UnexplainedStatus {
    let geometry = &variant.geometry;
    let reading = |reading: &Interpretation| match reading {
        Interpretation::Setup => "setup".to_owned(),
        Interpretation::Plies { plies, wrong } => {
            let moves: Vec<String> = plies.iter().map(|(before, ply)| moves_text(before, ply)).collect();
            let moves = if moves.is_empty() { "no move".to_owned() } else { moves.join(" ") };
            if wrong.is_empty() {
                moves
            } else {
                format!("{moves} ({} wrong)", square_names(geometry, *wrong).join(", "))
            }
        }
    };
    UnexplainedStatus {
        since: doubt.since,
        squares: square_names(geometry, doubt.squares),
        interpretations: doubt.interpretations.iter().map(reading).collect(),
    }
}

/// Describes an unexplained board in one sentence for people.
pub fn describe(squares: &[String], readings: &[String]) -> String {
    let mut text = "no legal move explains the board".to_owned();
    if !squares.is_empty() {
        text += &format!("; it differs on {}", squares.join(", "));
    }
    if !readings.is_empty() {
        text += &format!("; closest: {}", readings.join("; or "));
    }
    text
}

/// Returns consecutive plies in the notation of the file.
pub fn line_of_play(position: &Position, plies: &[Move]) -> Vec<String> {
    let mut position = *position;
    let mut texts = Vec::with_capacity(plies.len());
    for ply in plies {
        texts.push(moves_text(&position, ply));
        position = position.play(ply);
    }
    texts
}

/// Returns several alternative plies of one position as text.
fn move_lists_text(position: &Position, plies: &[Move]) -> Vec<String> {
    if plies.is_empty() {
        return Vec::new();
    }
    let legal = position.legal_moves();
    plies.iter().map(|ply| notation::write(position.variant(), ply, &legal)).collect()
}

fn moves_text(position: &Position, ply: &Move) -> String {
    notation::write(position.variant(), ply, &position.legal_moves())
}

/// Returns the names of squares in players' notation, in order.
pub fn square_names(geometry: &Geometry, squares: SquareSet) -> Vec<String> {
    geometry.sorted_by_name(squares).iter().map(|&square| geometry.name(square).to_owned()).collect()
}

fn join_list(geometry: &Geometry, squares: SquareSet) -> String {
    if squares.is_empty() { "-".to_owned() } else { square_names(geometry, squares).join(",") }
}
