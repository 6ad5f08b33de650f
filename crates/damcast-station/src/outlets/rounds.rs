//! The tournament in an outlet: the players of each board in `games.pdn`, and the permanent files of each round.
//!
//! | a board | `games.pdn` | `round/N/games.pdn` |
//! |---|---|---|
//! | plays its pairing of the open round, or has played it | that game, whatever it plays afterwards | that game |
//! | has not begun it | the tags of the pairing; a game of another one as long as it goes on | the tags of the pairing |
//! | plays a game of no pairing | not that game | not that game |
//! | has no pairing | its current game | is not in it |

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Deref;

use damcast_engine::broadcast::snapshot::SnapshotEntry;
use damcast_engine::broadcast::{Board, Delay, PartlyVisibleGame, StoredGame, TournamentHistory, WallTime};
use draughts_tournament::{
    BoardAssignment, NO_PAIRING, Pairing, PairingKey, RoundState, Tournament, TournamentSection, format_pairing_key,
};

use super::boards::RoundBoards;

/// Visible part of a tournament, with what every write needs of it: files are written far more often than the tournament changes.
#[derive(Default)]
pub struct VisibleTournament {
    /// Number of visible records.
    pub records: usize,
    tournament: Tournament,
    /// Assignments of the open rounds, by board.
    assignments: BTreeMap<String, BoardAssignment>,
}

impl VisibleTournament {
    /// Returns the part of a tournament that this number of records makes.
    pub fn new(history: &TournamentHistory, records: usize) -> VisibleTournament {
        let tournament = history.tournament(records);
        let mut assignments = BTreeMap::new();
        for seat in tournament.board_assignments() {
            assignments.entry(seat.board.clone()).or_insert(seat);
        }
        VisibleTournament { records, tournament, assignments }
    }
}

impl Deref for VisibleTournament {
    type Target = Tournament;

    fn deref(&self) -> &Tournament {
        &self.tournament
    }
}

/// Returns the boards of a station, each with its visible entry while rounds are open.
///
/// # Errors
///
/// Returns errors as [`StoredGame::load`] does.
pub fn current_entries<'s>(
    round_boards: &'s RoundBoards,
    tournament: &VisibleTournament,
    delay: Delay,
    now: WallTime,
) -> io::Result<Vec<SnapshotEntry<'s>>> {
    let place = |board: &'s Board| -> io::Result<SnapshotEntry<'s>> {
        let current = SnapshotEntry::from_board(board, delay, now)?;
        let Some(seat) = tournament.assignments.get(&board.name) else { return Ok(current) };
        let word = format_pairing_key(seat.pairing);
        let is_its = |game: &StoredGame| pairing_id(tournament, board, game) == Some(word.clone());
        let is_shown = |visible: &PartlyVisibleGame| {
            let goes_on = !visible.extent.is_closed;
            is_its(visible.game) || goes_on && pairing_id(tournament, board, visible.game).is_some()
        };
        if current.visible_game.as_ref().is_some_and(is_shown) {
            return Ok(current);
        }
        let earlier = board.last_visible_game(delay, now, is_its)?;
        Ok(match earlier {
            Some(_) => SnapshotEntry { visible_game: earlier, ..current },
            None => unplayed_pairing(board, tournament, seat),
        })
    };
    round_boards.boards().map(place).collect()
}

/// Returns the rounds that have files.
pub fn rounds(tournament: &Tournament) -> Vec<u32> {
    let mut rounds: Vec<u32> = tournament.sections.iter().flat_map(shown_rounds).collect();
    rounds.sort_unstable();
    rounds.dedup();
    rounds
}

fn shown_rounds(section: &TournamentSection) -> impl Iterator<Item = u32> + '_ {
    section.rounds.iter().filter(|round| round.state != RoundState::Prepared).map(|round| round.number)
}

/// Returns the games of pairings by pairing id; those of one pairing in the order in which they began.
pub fn games_of_pairings<'s>(
    round_boards: &'s RoundBoards,
    tournament: &Tournament,
) -> BTreeMap<String, Vec<(&'s Board, &'s StoredGame)>> {
    let mut games: BTreeMap<String, Vec<(&Board, &StoredGame)>> = BTreeMap::new();
    for (board, game) in round_boards.games() {
        if let Some(word) = pairing_id(tournament, board, game) {
            games.entry(word).or_default().push((board, game));
        }
    }
    games.values_mut().for_each(|games| games.sort_by_key(|(_, game)| game.opened_at()));
    games
}

/// Returns the id of the pairing that a game belongs to.
fn pairing_id(tournament: &Tournament, board: &Board, game: &StoredGame) -> Option<String> {
    let adopted = tournament.assigned_pairing(&board.name, game.number());
    if adopted == Some(NO_PAIRING) {
        return None;
    }
    let adopted = adopted.map(format_pairing_key);
    adopted
        .or_else(|| game.pairing_id().map(str::to_owned))
        .or_else(|| pairing_of_standing_game(tournament, board, game))
}

/// Returns the pairing of a game whose logs lost it: that of its board in the round of its tags.
fn pairing_of_standing_game(tournament: &Tournament, board: &Board, game: &StoredGame) -> Option<String> {
    let game = game.load().ok().filter(|_| game.is_standing())?;
    let round = game.first_header().tag("Round")?.parse().ok()?;
    let assignments = tournament.sections.iter().flat_map(|section| tournament.assignments_of_round(section, round));
    assignments.into_iter().find(|seat| seat.board == board.name).map(|seat| format_pairing_key(seat.pairing))
}

/// Returns the pairings of a round in their order, each with its last game.
///
/// # Errors
///
/// Returns errors as [`StoredGame::load`] does.
pub fn round_entries<'s>(
    round_boards: &'s RoundBoards,
    games: &BTreeMap<String, Vec<(&'s Board, &'s StoredGame)>>,
    tournament: &Tournament,
    round: u32,
    (delay, now): (Delay, WallTime),
) -> io::Result<Vec<SnapshotEntry<'s>>> {
    let has_files = |section: &&TournamentSection| shown_rounds(section).any(|shown| shown == round);
    let boards =
        LazyCell::new(|| round_boards.boards().map(|board| (board.name.as_str(), board)).collect::<BTreeMap<_, _>>());
    let mut places = Vec::new();
    for section in tournament.sections.iter().filter(has_files) {
        // Pairings without a game need them; most have one.
        let assignments = LazyCell::new(|| {
            let seats = tournament.assignments_of_round(section, round).into_iter();
            seats.map(|seat| (seat.pairing.0, seat)).collect::<BTreeMap<_, _>>()
        });
        for pairing in section.round(round) {
            let mut shown = None;
            let of_keys = keys(pairing).filter_map(|key| games.get(&format_pairing_key(key)));
            for &(board, game) in of_keys.flat_map(|of_key| of_key.iter().rev()) {
                let extent = game.visible_extent(delay, now)?;
                if extent.entries > 0 {
                    shown = Some((board, PartlyVisibleGame { game, extent, delay, now }));
                    break;
                }
            }
            match shown {
                Some((board, visible)) => places.push(SnapshotEntry {
                    board: Cow::Borrowed(board),
                    visible_game: Some(visible),
                    result: None,
                }),
                None => {
                    let seat = assignments.get(&pairing.id);
                    let place =
                        seat.and_then(|seat| Some(unplayed_pairing(boards.get(&*seat.board)?, tournament, seat)));
                    places.extend(place);
                }
            }
        }
    }
    Ok(places)
}

/// Returns the keys of the games of a pairing, the last first.
fn keys(pairing: &Pairing) -> impl Iterator<Item = PairingKey> + '_ {
    let stages = pairing.games.iter().rev().map(|game| (pairing.id, Some(game.stage)));
    stages.chain(pairing.games.is_empty().then_some((pairing.id, None)))
}

/// Returns the entry of a pairing without a game: its tags, and its result if it needs no game.
fn unplayed_pairing<'s>(board: &'s Board, tournament: &Tournament, seat: &BoardAssignment) -> SnapshotEntry<'s> {
    let mut tags = board.tags.clone();
    tags.retain(|(name, _)| seat.tags.iter().all(|(own, _)| own != name));
    tags.extend(seat.tags.iter().cloned());
    let result = tournament.result_tag(seat.pairing, Some(board.variant.result_format));
    let board = Board::new(board.name.clone(), board.variant, tags);
    SnapshotEntry { board: Cow::Owned(board), visible_game: None, result }
}
