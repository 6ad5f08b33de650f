//! Rounds without a game in a TRF: byes, forfeits, boards that a team left empty; and the facts in comments of damcast about them.

use std::collections::BTreeMap;

use draughts_pdn::Location;

use super::cell::{BYE_LETTERS, TrfCell};
use super::{NO_ASIDE, NO_WHITE, TrfReader};
use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedResult, PlayerRef, SideResult, clean_text, number,
    parse_extension_comment,
};
use crate::{ByeKind, EventInfo, ResultReason};

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
            // In files without letters for byes, a draw without an opponent was a half-point bye.
            '=' => ByeKind::Half,
            '1' => ByeKind::Full,
            '0' => ByeKind::Absent,
            '*' => return,
            ' ' => {
                self.sheet.players[at].unknown_byes.push(round);
                return;
            }
            letter => {
                let found = BYE_LETTERS.iter().find(|(_, known)| *known == letter);
                let what = || format!("`{letter}` is no result of a round without an opponent");
                let Some((why, _)) = found else { return complaints.error(cell.place, what()) };
                *why
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
        let sides = if is_black { [None, Some(player)] } else { [Some(player), None] };
        self.sheet.pairings.push(ListedPairing::new(place, round, sides, outcome));
        self.sheet.pairings.len() - 1
    }

    /// Applies the comments of exported files: whole names, the boards of rounds, reasons.
    pub(super) fn apply_asides(&mut self, by_number: &BTreeMap<u32, usize>, complaints: &mut ImportDiagnostics) {
        for (words, place) in std::mem::take(&mut self.asides) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if self.apply_aside(&words, place, by_number, complaints).is_none() {
                complaints.warn(place, NO_ASIDE);
            }
        }
    }

    /// Applies a comment of an exported file. Returns `None` if it does not fit the rest of the file.
    fn apply_aside(
        &mut self,
        words: &[&str],
        place: Location,
        by_number: &BTreeMap<u32, usize>,
        complaints: &mut ImportDiagnostics,
    ) -> Option<()> {
        let number_at = |at: usize| number(words.get(at)?).ok();
        match *words.first()? {
            key @ ("tie-breaks" | "unplayed" | "points" | "date" | "schedule") => {
                parse_extension_comment(&mut self.sheet, key, &words[1..].join(" "), place, complaints)?;
            }
            key if EventInfo::further_facts().contains(&key) => {
                parse_extension_comment(&mut self.sheet, key, &words[1..].join(" "), place, complaints)?;
            }
            "name" => {
                let of = number_at(1)?;
                let name = clean_text(&words[2..].join(" "), place, complaints);
                self.sheet.players[*by_number.get(&of)?].name = name;
            }
            // `board 3 12 35 reason`: round, board, number of White, and a reason that TRF has no letter for
            "board" => {
                let (round, board) = (number_at(1)?, number_at(2));
                let rest = words.get(3).copied().unwrap_or_default();
                let (white, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                let white = Some(number(white).ok()?);
                let (is_black, reason) = match reason.strip_prefix(NO_WHITE) {
                    Some(reason) => (true, reason.trim_start_matches([',', ' '])),
                    None => (false, reason),
                };
                let named_reason = ResultReason::from_name(reason);
                let number_of = |drawn: &ListedPairing| drawn.white.as_ref().and_then(|who| who.number);
                let is_it = |drawn: &ListedPairing| drawn.round == round && number_of(drawn) == white;
                let at = self.sheet.pairings.iter().position(is_it).or_else(|| {
                    by_number.get(&white?)?;
                    Some(self.empty_board(round, PlayerRef::numbered(place, white), is_black, named_reason))
                })?;
                let drawn = &mut self.sheet.pairings[at];
                drawn.board = board.filter(|board| *board > 0);
                if let (Some(reason), ListedResult::Letters(_, _, of)) = (named_reason, &mut drawn.outcome) {
                    *of = reason;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
