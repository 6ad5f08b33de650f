//! Rounds without a game in a TRF: byes, forfeits, boards that a team left empty; and the facts in comments of damcast about them.

use std::collections::BTreeMap;

use super::cell::TrfCell;
use super::{NO_ASIDE, NO_WHITE, TrfReader};
use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedResult, PlayerRef, SideResult, clean_text, number,
    parse_extension_comment,
};
use crate::{ByeKind, ResultReason};

impl TrfReader {
    /// Adds a round without an opponent.
    pub(super) fn alone(
        &mut self,
        at: usize,
        round: u32,
        cell: TrfCell,
        who: PlayerRef,
        complaints: &mut ImportDiagnostics,
    ) {
        let why = match cell.result {
            'U' => ByeKind::NoOpponent,
            'F' => ByeKind::Full,
            'H' => ByeKind::Half,
            // In files without letters for byes, a draw without an opponent was a half-point bye.
            '=' => ByeKind::Half,
            'Z' => ByeKind::Absent,
            '+' => ByeKind::Won,
            '-' => ByeKind::Lost,
            '*' => return,
            ' ' => {
                self.sheet.players[at].unknown_byes.push(round);
                return;
            }
            '1' => ByeKind::Full,
            '0' => ByeKind::Absent,
            letter => {
                complaints.error(cell.place, format!("`{letter}` is no result of a round without an opponent"));
                return;
            }
        };
        self.sheet.byes.push(ListedBye { round, who, why, points: None });
    }

    /// Applies the listed byes where the player's line is blank.
    pub(super) fn apply_byes(&mut self, by_number: &BTreeMap<u32, usize>, complaints: &mut ImportDiagnostics) {
        let has_teams = !self.sheet.teams.is_empty();
        for (letter, round, of, place) in std::mem::take(&mut self.byes) {
            // In a tournament with teams the numbers are those of teams.
            if has_teams {
                continue;
            }
            let Some(&at) = by_number.get(&of) else {
                complaints.error(place, format!("a bye for player {of}, and there is no such player"));
                continue;
            };
            let cells = &mut self.cells[at];
            let index = round as usize - 1;
            if cells.len() <= index {
                cells.resize(index + 1, None);
            }
            if cells[index].is_none() {
                cells[index] = Some(TrfCell { opponent: 0, color: '-', result: letter, place });
            }
        }
    }

    /// Adds a board without an opponent from a comment of an exported file; its result is in the player's line. Returns its index among the
    /// pairings.
    fn empty_board(
        &mut self,
        round: u32,
        player: PlayerRef,
        is_black: bool,
        named_reason: Option<ResultReason>,
    ) -> usize {
        use SideResult::{Draw, Loss, Win};
        let is_it = |free: &ListedBye| free.round == round && free.who.number == player.number;
        let found = self.sheet.byes.iter().position(is_it).map(|at| self.sheet.byes.remove(at));
        let is_white = !is_black;
        let outcome = match (found.as_ref().map(|free| free.why), named_reason) {
            (None, _) => ListedResult::Open,
            (
                Some(why @ (ByeKind::NoOpponent | ByeKind::Full | ByeKind::Half | ByeKind::Absent)),
                None | Some(ResultReason::Bye),
            ) => ListedResult::OnePlayer { is_white, why, points: None },
            (Some(why), named_reason) => {
                let own = match why {
                    ByeKind::Won | ByeKind::NoOpponent | ByeKind::Full => Win,
                    ByeKind::Half => Draw,
                    ByeKind::Lost | ByeKind::Absent => Loss,
                };
                let (white, black) = if is_black { (Loss, own) } else { (own, Loss) };
                ListedResult::Letters(white, black, named_reason.unwrap_or(ResultReason::Forfeit))
            }
        };
        let place = player.place;
        let (white, black) = if is_black { (None, Some(player)) } else { (Some(player), None) };
        let (told_at, stage, time_control) = (place, None, String::new());
        self.sheet.pairings.push(ListedPairing {
            place,
            round,
            board: None,
            white,
            black,
            outcome,
            result_location: told_at,
            stage,
            time_control,
        });
        self.sheet.pairings.len() - 1
    }

    /// Applies the comments of exported files: whole names, the boards of rounds, reasons.
    pub(super) fn apply_asides(&mut self, by_number: &BTreeMap<u32, usize>, complaints: &mut ImportDiagnostics) {
        for (words, place) in std::mem::take(&mut self.asides) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let numbers = |at: usize| words.get(at).and_then(|word| number(word).ok());
            let key = words.first().copied().unwrap_or_default();
            if matches!(key, "tie-breaks" | "unplayed" | "points" | "date") {
                if parse_extension_comment(&mut self.sheet, key, &words[1..].join(" "), place, complaints).is_none() {
                    complaints.warn(place, NO_ASIDE);
                }
                continue;
            }
            let is_right = match (words.first().copied(), numbers(1)) {
                (Some("name"), Some(of)) => {
                    let name = clean_text(&words[2..].join(" "), place, complaints);
                    by_number.get(&of).map(|&at| self.sheet.players[at].name = name)
                }
                (Some("board"), Some(round)) => {
                    // `board 3 12 35 reason`: round, board, number of White, and a reason that TRF has no letter for
                    let rest = words.get(3).copied().unwrap_or_default();
                    let (white, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                    let (board, white) = (numbers(2), number(white).ok());
                    let (is_black, reason) = match reason.strip_prefix(NO_WHITE) {
                        Some(reason) => (true, reason.trim_start_matches([',', ' '])),
                        None => (false, reason),
                    };
                    let named_reason = ResultReason::ALL.into_iter().find(|known| known.name() == reason);
                    let is_it = |drawn: &&ListedPairing| {
                        let is_white = drawn.white.as_ref().and_then(|who| who.number) == white;
                        drawn.round == round && white.is_some() && is_white
                    };
                    let drawn = match self.sheet.pairings.iter().position(|drawn| is_it(&drawn)) {
                        Some(at) => Some(at),
                        None => {
                            let known = white.filter(|white| by_number.contains_key(white));
                            known.map(|_| {
                                self.empty_board(round, PlayerRef::numbered(place, white), is_black, named_reason)
                            })
                        }
                    };
                    drawn.map(|at| {
                        let drawn = &mut self.sheet.pairings[at];
                        drawn.board = board.filter(|board| *board > 0);
                        if let (Some(reason), ListedResult::Letters(_, _, of)) = (named_reason, &mut drawn.outcome) {
                            *of = reason;
                        }
                    })
                }
                _ => None,
            };
            if is_right.is_none() {
                complaints.warn(place, NO_ASIDE);
            }
        }
    }
}
