//! What the recorder tells of itself: why something was published, what it doubts, what it expects.
//!
//! Every published entry leaves a note in the log, one line of words `key=value` behind the entry; `docs/bytelog.md` explains each word
//! (`waited` is [`Wait::as_str`]).

use super::UnexplainedStatus;
use crate::engine::recognition::{self, Interpretation, Rationale, Reason, Rule, Verdict, Wait};
use draughts::{Color, Geometry, Move, Position, SquareSet, Variant};
use draughts_pdn::notation;

/// The note that belongs to a verdict, without the entry.
pub fn note(verdict: &Verdict, grounds: Option<&Rationale>, variant: &Variant) -> String {
    let (why, before) = match verdict {
        Verdict::Ply { rule, explanation_plies: explained, before, .. } => {
            (format!("rule={} plies={explained}", rule_str(*rule)), Some(before))
        }
        Verdict::Setup { reason, .. } => (format!("reason={}", reason_str(*reason)), None),
    };
    let Some(grounds) = grounds else { return why };
    let geometry = &variant.geometry;
    let lever = match grounds.lever {
        Some(Color::White) => "white",
        Some(Color::Black) => "black",
        None => "-",
    };
    let rejected = before.map_or(Vec::new(), |before| move_lists_text(before, &grounds.rejected));
    format!(
        "{why} touched={} lever={lever} presses={} quiet={} dump={} leftover={} mismatch={} alternatives={} waited={}",
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
        Rule::Replied => "answered",
        Rule::Unpressed => "unpressed",
        Rule::NoClock => "no-clock",
        Rule::Released => "let-go",
        Rule::BeforeStop => "before-stop",
    }
}

/// Why a position had to be set up, in one word.
pub fn reason_str(reason: Reason) -> &'static str {
    match reason {
        Reason::TakenBack => "taken-back",
        Reason::IllegalMove => "illegal-move",
        Reason::Unexplained => "unexplained",
        Reason::Anomaly => "anomaly",
        Reason::SetupCorrected => "amended",
        Reason::Operator => "operator",
    }
}

/// Why a position had to be set up, in words for the operator.
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

/// The doubt of a recogniser, in the words of players.
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

/// The doubt for people, in one sentence.
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

/// Plies one after the other, in the notation of the file.
pub fn line_of_play(position: &Position, plies: &[Move]) -> Vec<String> {
    let mut position = *position;
    let mut texts = Vec::with_capacity(plies.len());
    for ply in plies {
        texts.push(moves_text(&position, ply));
        position = position.play(ply);
    }
    texts
}

/// Several plies of one position.
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

/// What players call these squares, in order.
pub fn square_names(geometry: &Geometry, squares: SquareSet) -> Vec<String> {
    geometry.sorted_by_name(squares).iter().map(|&square| geometry.name(square).to_owned()).collect()
}

fn join_list(geometry: &Geometry, squares: SquareSet) -> String {
    if squares.is_empty() { "-".to_owned() } else { square_names(geometry, squares).join(",") }
}
