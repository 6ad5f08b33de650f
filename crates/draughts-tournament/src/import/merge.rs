//! Merge of a file with a tournament: finds known players, adds pairings, sets or corrects results. All or nothing.
//!
//! | the file has | result |
//! |---|---|
//! | a player with a known number | that player; another name is refused if most of the names differ |
//! | a player without a number | the one of that name, or a new one |
//! | a pairing of two players who meet in that round | that pairing, with new facts of the file |
//! | a pairing of a player who already plays in that round | refused; in a prepared round without results the earlier pairing is removed |
//! | no result | the result stays as it is |

mod byes;
mod matches;
mod players;
mod scoring;

use std::collections::{BTreeMap, BTreeSet};

use draughts_pdn::problem::quote;
use draughts_pdn::{Location, Problem};

use crate::import::import_file::{ImportDiagnostics, ListedPairing, ListedResult, Penalty, TournamentFile};
use crate::value::event_info::iso_day;
use crate::value::numbered::next_number;
use crate::value::result::micro_match_result;
use crate::{
    Adjustment, AdjustmentTarget, Bye, ByeKind, EventInfo, HIDDEN_NAME, Id, MAIN, MicroMatchGame, OfficialResult,
    Pairing, Player, Points, ResultReason, RoundState, Scoring, Tournament, TournamentSection,
};

pub(crate) use players::is_unknown_player;
use scoring::{official, worth};

/// Result of merging a file.
#[derive(Clone, Debug)]
pub struct MergeResult {
    /// The merged tournament.
    pub tournament: Tournament,
    /// Section that the file was merged into.
    pub section: String,
    /// Oddities with their positions in the file.
    pub notes: Vec<Problem>,
}

/// Merges a file with a tournament. `section`: name of the section; `None` for the only one, or for a new one with the name `main`.
///
/// # Errors
///
/// Returns all conflicts, each with line and column of the file; then nothing is merged.
pub fn merge(
    tournament: &Tournament,
    section: Option<&str>,
    sheet: &TournamentFile,
) -> Result<MergeResult, Vec<Problem>> {
    let mut complaints = ImportDiagnostics::new();
    let mut tournament = tournament.clone();
    let name = match (section, tournament.sections.as_slice()) {
        (Some(name), _) => name.to_owned(),
        (None, []) => MAIN.to_owned(),
        (None, [only]) => only.name.clone(),
        (None, _) => {
            let what = format!("there are several sections: say with --section which, {}", tournament.section_names());
            return Err(vec![Problem::error(Location::START, what)]);
        }
    };
    let mut next = Next::after(&tournament);
    let known = tournament.sections.iter().position(|section| section.name == name);
    let at = known.unwrap_or_else(|| {
        let id = take(&mut next.section);
        tournament.sections.push(TournamentSection { id, name: name.clone(), ..TournamentSection::default() });
        tournament.sections.len() - 1
    });
    event(&mut tournament.event, &sheet.event, &mut complaints);
    let sheet = &byes::told_as_players(&tournament.sections[at], sheet, &mut complaints);
    let mut merging = Merger { section: &mut tournament.sections[at], next, sheet, complaints };
    merging.all();
    let mut notes = merging.complaints.finish()?;
    notes.extend(sheet.notes.iter().cloned());
    notes.sort_by_key(|note| note.location);
    Ok(MergeResult { tournament, section: name, notes })
}

/// Facts of the file about the event fill unknown ones.
fn event(known: &mut EventInfo, new: &EventInfo, complaints: &mut ImportDiagnostics) {
    for ((fact, known), new) in EventInfo::FACTS.into_iter().zip(known.facts_mut()).zip(new.facts()) {
        let what = match fact {
            "start" => "first day",
            "end" => "last day",
            "time-control" => "time control",
            fact => fact,
        };
        let is_date = what.ends_with("day");
        // Formats write dates in several ways.
        let new = if is_date { &iso_day(new) } else { new };
        if known.is_empty() {
            known.clone_from(new);
        } else if !new.is_empty() && known != new {
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            if !(is_date && digits(known) == digits(new)) {
                let what = format!("the {what} of the event stays {}; this file has {}", quote(known), quote(new));
                complaints.note(Location::START, what);
            }
        }
    }
    if known.schedule.is_empty() {
        known.schedule.clone_from(&new.schedule);
    } else if !new.schedule.is_empty() && known.schedule != new.schedule {
        complaints.note(Location::START, "the schedule of the event stays; this file has another");
    }
}

/// The next number of each kind.
struct Next {
    section: u32,
    player: u32,
    team: u32,
    of_match: u32,
    pairing: u32,
    bye: u32,
    adjustment: u32,
}

impl Next {
    fn after(tournament: &Tournament) -> Next {
        Next {
            section: tournament.sections.iter().map(|section| section.id.0).max().unwrap_or(0) + 1,
            player: next_number(tournament, |section| &section.players),
            team: next_number(tournament, |section| &section.teams),
            of_match: next_number(tournament, |section| &section.matches),
            pairing: next_number(tournament, |section| &section.pairings),
            bye: next_number(tournament, |section| &section.byes),
            adjustment: next_number(tournament, |section| &section.adjustments),
        }
    }
}

fn take(next: &mut u32) -> Id {
    *next += 1;
    Id(*next - 1)
}

/// White and Black of a pairing.
type Sides = (Option<Id>, Option<Id>);

struct Merger<'m> {
    section: &'m mut TournamentSection,
    next: Next,
    sheet: &'m TournamentFile,
    complaints: ImportDiagnostics,
}

impl<'m> Merger<'m> {
    fn all(&mut self) {
        let ids = self.players();
        if self.complaints.has_error() {
            return;
        }
        self.teams(&ids);
        self.scoring();
        let sheet = self.sheet;
        if !sheet.tie_breaks.is_empty() {
            self.section.tie_breaks.clone_from(&sheet.tie_breaks);
        }
        self.section.unplayed = sheet.unplayed.unwrap_or(self.section.unplayed);
        let planned = self.section.planned;
        self.section.planned = sheet.planned.or(planned);
        for (round, date) in &sheet.dates {
            if self.section.date(*round).is_none() {
                self.section.dates.push((*round, date.clone()));
            }
        }
        self.section.dates.sort();
        let mut drawn = self.resolve();
        // A known bye adds nothing new.
        drawn.retain(|(of, sides)| !self.is_known_bye(of, *sides));
        if self.complaints.has_error() {
            return;
        }
        self.release_prepared_round(&drawn);
        self.pairings(&drawn);
        self.byes();
        if self.complaints.has_error() {
            return;
        }
        self.adjustments();
        self.matches();
        self.boards();
        self.printed(&ids);
        self.check_one_game_per_round();
        self.keep_planned(planned);
    }

    /// Keeps the number of planned rounds at least at the number of known rounds, even if an older file has fewer.
    fn keep_planned(&mut self, before: Option<u32>) {
        let last = self.section.last_round();
        let Some(planned) = self.section.planned.filter(|planned| *planned < last) else { return };
        let kept = before.unwrap_or(0).max(last);
        let what = format!("rounds planned: {planned}, and there are {last} already: {kept} are planned");
        self.complaints.note(Location::START, what);
        self.section.planned = Some(kept);
    }

    /// Returns the players of all pairings of the file.
    fn resolve(&mut self) -> Vec<(&'m ListedPairing, Sides)> {
        let mut resolved = Vec::new();
        for drawn in &self.sheet.pairings {
            let sides = self.known_by_board(drawn).unwrap_or_else(|| {
                let white = drawn.white.as_ref().and_then(|who| self.find(who));
                let black = drawn.black.as_ref().and_then(|who| self.find(who));
                if white.is_some() && white == black {
                    self.complaints.error(drawn.place, "white and black are the same player");
                }
                (white, black)
            });
            resolved.push((drawn, sides));
        }
        resolved
    }

    /// Returns the players of a pairing by their known board: distinguishes players with one name.
    fn known_by_board(&self, drawn: &ListedPairing) -> Option<Sides> {
        let named = [&drawn.white, &drawn.black];
        if !named.into_iter().flatten().any(|who| who.nth.is_some()) {
            return None;
        }
        let is_it = |of: &&Pairing| {
            let mut sides = [of.white, of.black].into_iter().zip(named);
            (of.round, of.board) == (drawn.round, drawn.board)
                && sides.all(|(id, who)| {
                    let player = id.and_then(|id| self.section.player(id));
                    player.zip(who.as_ref()).is_some_and(|(player, who)| player.is_known_as(&who.name))
                })
        };
        self.section.pairings.iter().find(is_it).map(|of| (of.white, of.black))
    }

    /// Releases pairings of a prepared round without results: such a round may be paired anew, so they give way to those of the file.
    fn release_prepared_round(&mut self, wanted: &[(&ListedPairing, Sides)]) {
        let mut drawn: BTreeMap<(u32, Id), (Option<Id>, Location)> = BTreeMap::new();
        let has_result = |of: &&Pairing| of.result.is_some() || of.games.iter().any(|game| game.result.is_some());
        let played: BTreeSet<u32> = self.section.pairings.iter().filter(has_result).map(|of| of.round).collect();
        for &(of, (white, black)) in wanted {
            if self.section.state_of(of.round) == RoundState::Prepared && !played.contains(&of.round) {
                for (one, other) in [(white, black), (black, white)] {
                    drawn.extend(one.map(|id| ((of.round, id), (other, of.place))));
                }
            }
        }
        let other_draw = |pairing: &Pairing| -> Option<Location> {
            pairing.sides().into_iter().find_map(|(one, other, _)| {
                let (opponent, place) = drawn.get(&(pairing.round, one?))?;
                (*opponent != other).then_some(*place)
            })
        };
        let gone: Vec<(Id, Location)> =
            self.section.pairings.iter().filter_map(|known| Some((known.id, other_draw(known)?))).collect();
        for (id, place) in gone {
            let Some(at) = self.section.pairings.iter().position(|known| known.id == id) else { continue };
            let known = self.section.pairings.remove(at);
            let (round, names) = (known.round, self.section.names_of(&known));
            let what = format!("round {round} is prepared: {names} is not played, this file pairs anew");
            self.complaints.note(place, what);
        }
        self.section.byes.retain(|bye| !drawn.contains_key(&(bye.round, bye.player)));
    }

    /// Whether the pairing has one player, no result, and the player is known to have no opponent in that round.
    fn is_known_bye(&self, of: &ListedPairing, sides: Sides) -> bool {
        let ((Some(player), None) | (None, Some(player))) = sides else { return false };
        let is_it = |bye: &Bye| bye.round == of.round && bye.player == player;
        of.outcome == ListedResult::Open && self.section.byes.iter().any(is_it)
    }

    fn pairings(&mut self, wanted: &[(&ListedPairing, Sides)]) {
        let mut index: BTreeMap<(u32, Id), usize> = BTreeMap::new();
        for (at, pairing) in self.section.pairings.iter().enumerate() {
            index.extend(pairing.players().map(|id| ((pairing.round, id), at)));
        }
        let mut seen: BTreeMap<usize, Location> = BTreeMap::new();
        for &(drawn, (white, black)) in wanted {
            let meets = |id: Option<Id>| id.and_then(|id| index.get(&(drawn.round, id)).copied());
            let at = match (meets(white), meets(black)) {
                (None, None) => {
                    let id = take(&mut self.next.pairing);
                    let pairing =
                        Pairing { id, round: drawn.round, board: drawn.board, white, black, ..Pairing::default() };
                    self.section.pairings.push(pairing);
                    let at = self.section.pairings.len() - 1;
                    index.extend([white, black].into_iter().flatten().map(|id| ((drawn.round, id), at)));
                    at
                }
                (one, other) => {
                    let at = one.or(other).unwrap_or(0);
                    let known = &self.section.pairings[at];
                    let is_same = |first: Option<Id>, second: Option<Id>| known.white == first && known.black == second;
                    if !is_same(white, black) && !is_same(black, white) {
                        let busy = if one.is_some() { white } else { black };
                        let opponent = busy.and_then(|id| known.opponent(id)).flatten();
                        let what = format!(
                            "{} already plays {} in round {}{}",
                            self.section.name_of(busy),
                            self.section.name_of(opponent),
                            drawn.round,
                            seen.get(&at).map_or(String::new(), |place| format!(", line {}", place.line))
                        );
                        self.complaints.error(drawn.place, what);
                        continue;
                    }
                    at
                }
            };
            if let Some(first) = seen.insert(at, drawn.place).filter(|_| drawn.stage.is_none()) {
                let (round, line) = (drawn.round, first.line);
                self.complaints.error(drawn.place, format!("the same pairing of round {round} stands in line {line}"));
                continue;
            }
            self.pairing(at, drawn, (white, black));
        }
    }

    /// Applies the facts of the file to a pairing that exists.
    fn pairing(&mut self, at: usize, drawn: &ListedPairing, (white, black): Sides) {
        let scoring = self.section.scoring;
        let pairing = &mut self.section.pairings[at];
        if let Some(stage) = drawn.stage {
            let is_swapped = pairing.white != white;
            let result = official(drawn.outcome, &Scoring::DRAUGHTS).map(|official| (official.white, official.black));
            let game = MicroMatchGame { stage, is_swapped, result, time_control: drawn.time_control.clone() };
            match pairing.games.iter_mut().find(|known| known.stage == stage) {
                Some(known) => {
                    if game.result.is_some() {
                        *known = game;
                    }
                }
                None => {
                    pairing.games.push(game);
                    pairing.games.sort_by_key(|game| game.stage);
                }
            }
            if let Some(result) = micro_match_result(&pairing.games) {
                pairing.result = Some(result);
            }
            return;
        }
        pairing.board = drawn.board.or(pairing.board);
        if pairing.white != white {
            let what = format!("the colours of round {} are now the other way round", pairing.round);
            self.complaints.warn(drawn.place, what);
            (pairing.white, pairing.black) = (white, black);
            pairing.result =
                pairing.result.map(|result| OfficialResult { white: result.black, black: result.white, ..result });
        }
        if let Some(new) = official(drawn.outcome, &scoring) {
            let new = match pairing.validated_result(new, &scoring) {
                Ok(new) => new,
                Err(_) if pairing.result == Some(new) => new,
                Err(what) => {
                    self.complaints.error(drawn.result_location, what);
                    return;
                }
            };
            // A format that cannot express a reason does not remove it.
            let is_kept = |known: OfficialResult| {
                (known.white, known.black) == (new.white, new.black) && new.reason == ResultReason::Played
            };
            if !pairing.result.is_some_and(is_kept) {
                pairing.result = Some(new);
            }
        }
    }

    fn byes(&mut self) {
        let sheet = self.sheet;
        let scoring = self.section.scoring;
        for free in &sheet.byes {
            let Some(player) = self.find(&free.who) else { continue };
            let points = free.points.unwrap_or_else(|| worth(free.why, &scoring));
            self.bye(free.round, player, free.why, points, free.who.place);
        }
    }

    fn bye(&mut self, round: u32, player: Id, why: ByeKind, points: Points, place: Location) {
        let plays = |pairing: &&Pairing| pairing.round == round && pairing.opponent(player).is_some();
        if let Some(pairing) = self.section.pairings.iter().find(plays) {
            // The board without an opponent is known; its points may be new.
            if pairing.opponent(player) != Some(None) {
                let what = format!("{} has a bye in round {round}, and a pairing", self.section.name_of(Some(player)));
                self.complaints.error(place, what);
                return;
            }
            let (id, is_white) = (pairing.id, pairing.white.is_some());
            let result =
                official(ListedResult::OnePlayer { is_white, why, points: Some(points) }, &self.section.scoring);
            let known = self.section.pairings.iter_mut().find(|pairing| pairing.id == id);
            if let Some(known) = known.filter(|known| known.result.is_none()) {
                known.result = result;
            }
            return;
        }
        match self.section.byes.iter_mut().find(|bye| bye.round == round && bye.player == player) {
            Some(known) => (known.kind, known.points) = (why, points),
            None => {
                let id = take(&mut self.next.bye);
                self.section.byes.push(Bye { id, round, player, kind: why, points });
            }
        }
    }

    fn adjustments(&mut self) {
        let sheet = self.sheet;
        for adjusted in &sheet.adjustments {
            if let Some(id) = self.find(&adjusted.who) {
                self.adjust(AdjustmentTarget::Player(id), adjusted.points, Points::ZERO, &adjusted.reason);
            }
        }
        for Penalty { place, number, match_points, points, reason } in &sheet.penalties {
            let team = self.section.teams.iter().find(|team| team.number == *number).map(|team| team.id);
            let player = self.section.players.iter().find(|player| player.number == Some(*number));
            match (team, player.map(|player| player.id)) {
                (Some(id), _) => self.adjust(AdjustmentTarget::Team(id), *points, *match_points, reason),
                (None, Some(id)) if self.section.teams.is_empty() => {
                    self.adjust(AdjustmentTarget::Player(id), *match_points + *points, Points::ZERO, reason);
                }
                _ => self.complaints.error(*place, format!("a penalty for number {number}, which nobody has")),
            }
        }
    }

    fn adjust(&mut self, target: AdjustmentTarget, points: Points, match_points: Points, reason: &str) {
        let is_it = |known: &&mut Adjustment| known.target == target && known.reason == reason;
        match self.section.adjustments.iter_mut().find(is_it) {
            Some(known) => (known.points, known.match_points) = (points, match_points),
            None => {
                let (id, reason) = (take(&mut self.next.adjustment), reason.to_owned());
                self.section.adjustments.push(Adjustment { id, target, points, match_points, reason });
            }
        }
    }

    /// Checks that nobody plays twice in a round.
    fn check_one_game_per_round(&mut self) {
        let mut seen: BTreeSet<(u32, Id)> = BTreeSet::new();
        for pairing in &self.section.pairings {
            for id in pairing.players() {
                if !seen.insert((pairing.round, id)) {
                    let what = format!("{} plays twice in round {}", self.section.name_of(Some(id)), pairing.round);
                    self.complaints.error(Location::START, what);
                }
            }
        }
    }
}

/// Whether two names are equal, or one is a cut form of the other.
fn is_same(known: &str, new: &str) -> bool {
    /// Number of characters of a name in TRF.
    const TRF_NAME_LEN: usize = 33;
    let (short, long) = if known.chars().count() <= new.chars().count() { (known, new) } else { (new, known) };
    short == long || (short.chars().count() + 1 >= TRF_NAME_LEN && long.starts_with(short))
}

/// Whether a player has this name, or had it in files.
fn matches_name(player: &Player, name: &str) -> bool {
    let mut names = player.former_names.iter().chain([&player.name]).filter(|known| !known.is_empty());
    name == HIDDEN_NAME || names.any(|known| is_same(known, name))
}
