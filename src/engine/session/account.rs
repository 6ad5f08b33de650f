//! What the recorder tells of itself: why something was published, what it doubts, what it expects.
//!
//! Every published entry leaves a note in the log, one line of words `key=value` behind the entry; `docs/bytelog.md` explains each word
//! (`waited` is [`Wait::word`]).

use super::Unexplained;
use crate::engine::recognition::{self, Grounds, Reading, Reason, Rule, Verdict, Wait};
use draughts::{Color, Geometry, Move, Position, SquareSet, Variant};
use draughts_pdn::notation;

/// The note that belongs to a verdict, without the entry.
pub fn note(verdict: &Verdict, grounds: Option<&Grounds>, variant: &Variant) -> String {
    let (why, before) = match verdict {
        Verdict::Ply { rule, explained, before, .. } => {
            (format!("rule={} plies={explained}", rule_word(*rule)), Some(before))
        }
        Verdict::Setup { reason, .. } => (format!("reason={}", reason_word(*reason)), None),
    };
    let Some(grounds) = grounds else { return why };
    let geometry = &variant.geometry;
    let lever = match grounds.lever {
        Some(Color::White) => "white",
        Some(Color::Black) => "black",
        None => "-",
    };
    let rejected = before.map_or(Vec::new(), |before| texts(before, &grounds.rejected));
    format!(
        "{why} touched={} lever={lever} presses={} quiet={} dump={} left={} odd={} rejected={} waited={}",
        list(geometry, grounds.touched),
        grounds.presses,
        grounds.quiet,
        if grounds.confirmed { "yes" } else { "no" },
        list(geometry, grounds.left),
        list(geometry, grounds.odd),
        if rejected.is_empty() { "-".to_owned() } else { rejected.join(",") },
        grounds.waited.map_or("-", Wait::word),
    )
}

fn rule_word(rule: Rule) -> &'static str {
    match rule {
        Rule::Pressed => "pressed",
        Rule::Answered => "answered",
        Rule::Unpressed => "unpressed",
        Rule::NoClock => "no-clock",
        Rule::LetGo => "let-go",
        Rule::BeforeStop => "before-stop",
    }
}

/// Why a position had to be set up, in one word.
pub fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::TakenBack => "taken-back",
        Reason::IllegalMove => "illegal-move",
        Reason::Unexplained => "unexplained",
        Reason::Anomaly => "anomaly",
        Reason::Amended => "amended",
        Reason::Operator => "operator",
    }
}

/// Why a position had to be set up, in words for the operator.
pub fn reason_for_people(reason: Reason) -> &'static str {
    match reason {
        Reason::TakenBack => "a move was taken back",
        Reason::IllegalMove => "a move against the rules was let stand",
        Reason::Unexplained => "no legal moves explain the board",
        Reason::Anomaly => "a piece too many or too few has stayed so",
        Reason::Amended => "the setup before was wrong by one square: play went on without it",
        Reason::Operator => "the operator said so",
    }
}

/// The doubt of a recogniser, in the words of players.
pub fn doubt(doubt: &recognition::Doubt, variant: &Variant) -> Unexplained {
    let geometry = &variant.geometry;
    let reading = |reading: &Reading| match reading {
        Reading::Setup => "setup".to_owned(),
        Reading::Plies { plies, wrong } => {
            let moves: Vec<String> = plies.iter().map(|(before, ply)| text(before, ply)).collect();
            let moves = if moves.is_empty() { "no move".to_owned() } else { moves.join(" ") };
            if wrong.is_empty() { moves } else { format!("{moves} ({} wrong)", names(geometry, *wrong).join(", ")) }
        }
    };
    Unexplained {
        since: doubt.since,
        squares: names(geometry, doubt.squares),
        readings: doubt.readings.iter().map(reading).collect(),
    }
}

/// The doubt for people, in one sentence.
pub fn in_words(squares: &[String], readings: &[String]) -> String {
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
        texts.push(text(&position, ply));
        position = position.play(ply);
    }
    texts
}

/// Several plies of one position.
fn texts(position: &Position, plies: &[Move]) -> Vec<String> {
    if plies.is_empty() {
        return Vec::new();
    }
    let legal = position.legal_moves();
    plies.iter().map(|ply| notation::write(position.variant(), ply, &legal)).collect()
}

fn text(position: &Position, ply: &Move) -> String {
    notation::write(position.variant(), ply, &position.legal_moves())
}

/// What players call these squares, in order.
pub fn names(geometry: &Geometry, squares: SquareSet) -> Vec<String> {
    geometry.in_name_order(squares).iter().map(|&square| geometry.name(square).to_owned()).collect()
}

fn list(geometry: &Geometry, squares: SquareSet) -> String {
    if squares.is_empty() { "-".to_owned() } else { names(geometry, squares).join(",") }
}
