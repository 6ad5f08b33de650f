//! Crosstables: one player per row, with their rounds as `2/15w` or `68b2`.

use std::collections::BTreeMap;

use draughts_pdn::Location;
use draughts_pdn::problem::quote;

use super::{Cell, Column, Row, listed};
use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedResult, PlayerRef, SideResult, TournamentFile, is_bye_name,
    number,
};
use crate::{ByeKind, Points, ResultReason, Scoring};

/// A round of a player in a crosstable.
enum CrosstableCell {
    Game(CrosstableGame),
    Bye(ByeKind, Option<Points>),
}

struct CrosstableGame {
    /// Opponent by index among the players.
    opponent: usize,
    is_white: bool,
    /// Points of the player; `None` for a won forfeit without points.
    points: Option<Points>,
    is_forfeit: bool,
    place: Location,
}

/// Games of all players, by round and index of the player.
type Games = BTreeMap<(u32, usize), CrosstableGame>;

pub(super) fn crosstable(table: &[Row], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut sheet = TournamentFile::default();
    // Opponents are identified by their places.
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for row in table {
        let Some(mut player) = listed(row, complaints) else { continue };
        let at = sheet.players.len();
        let own = row.number(Column::Place, complaints).or(player.number).unwrap_or(at as u32 + 1);
        player.number = player.number.or(Some(own));
        if places.insert(own, at).is_some() {
            complaints.error(row.place(Column::Place), format!("the place {own} is given twice"));
        }
        let printed = row.text(Column::Points);
        if !printed.is_empty() {
            let place = row.place(Column::Points);
            match Points::parse(printed) {
                Some(points) => player.stated_points = Some((points, place)),
                None => complaints.error(place, format!("{} are no points", quote(printed))),
            }
        }
        sheet.players.push(player);
        rows.push(row);
    }
    if !complaints.has_error() {
        let games = rounds(&rows, &places, &mut sheet, complaints);
        pairings(&games, &mut sheet, complaints);
    }
    sheet
}

/// Reads the rounds of all players. Returns their games, and adds their byes.
fn rounds(
    rows: &[&Row],
    places: &BTreeMap<u32, usize>,
    sheet: &mut TournamentFile,
    complaints: &mut ImportDiagnostics,
) -> Games {
    let mut games = Games::new();
    for (at, row) in rows.iter().enumerate() {
        for (column, cell) in &row.0 {
            let Column::Cell(round) = *column else { continue };
            let who = PlayerRef::numbered(cell.place, sheet.players[at].number);
            match parse_cell(cell, places) {
                Ok(None) => {}
                Ok(Some(CrosstableCell::Game(game))) if game.opponent == at => {
                    complaints.error(cell.place, format!("{} meets himself in round {round}", sheet.players[at].name));
                }
                Ok(Some(CrosstableCell::Game(game))) => drop(games.insert((round, at), game)),
                Ok(Some(CrosstableCell::Bye(why, points))) => sheet.byes.push(ListedBye { round, who, why, points }),
                Err(what) => complaints.error(cell.place, what),
            }
        }
    }
    games
}

/// Joins both sides of each game, which must agree, and infers the scoring.
fn pairings(games: &Games, sheet: &mut TournamentFile, complaints: &mut ImportDiagnostics) {
    let mut sums: BTreeMap<Points, usize> = BTreeMap::new();
    let mut highest = Points::ZERO;
    for (&(round, at), one) in games {
        let name = |at: usize| &sheet.players[at].name;
        let Some(other) = games.get(&(round, one.opponent)).filter(|other| other.opponent == at) else {
            let (name, opponent) = (name(at), name(one.opponent));
            complaints.error(one.place, format!("{name} meets {opponent} in round {round}, who meets somebody else"));
            continue;
        };
        if one.is_white == other.is_white {
            let what = format!("{} and {} have the same colour in round {round}", name(at), name(one.opponent));
            complaints.error(one.place, what);
            continue;
        }
        if !one.is_white {
            continue;
        }
        let reason = (one.is_forfeit || other.is_forfeit).then_some(ResultReason::Forfeit);
        let outcome = match (one.points, other.points) {
            (Some(white), Some(black)) => {
                *sums.entry(white + black).or_default() += usize::from(reason.is_none());
                highest = highest.max(white).max(black);
                ListedResult::Points(white, black, reason)
            }
            (white, black) => {
                use SideResult::{Loss, Win};
                // `+` has no points of its own.
                let letter = |own: Option<Points>| if own.is_none_or(|own| own > Points::ZERO) { Win } else { Loss };
                ListedResult::Letters(letter(white), letter(black), ResultReason::Forfeit)
            }
        };
        let sides = [(at, one.place), (one.opponent, other.place)]
            .map(|(at, place)| Some(PlayerRef::numbered(place, sheet.players[at].number)));
        sheet.pairings.push(ListedPairing::new(one.place, round, sides, outcome));
    }
    let common = sums.into_iter().max_by_key(|(sum, count)| (*count, std::cmp::Reverse(*sum))).map(|(sum, _)| sum);
    sheet.scoring = common.map(|sum| match sum {
        sum if sum == Points::whole(1) => Scoring::CHESS,
        sum if sum == Points::whole(2) || highest <= Points::whole(2) => Scoring::DRAUGHTS,
        _ => Scoring::win_draw(highest, Points::hundredths(highest.in_hundredths() / 2)),
    });
}

/// Parses a cell of a crosstable: `2/15w`, `68b2`, `67w-`, a bye; `None` if it is empty.
fn parse_cell(cell: &Cell, places: &BTreeMap<u32, usize>) -> Result<Option<CrosstableCell>, String> {
    let bye = |why: ByeKind, points: Option<Points>| Ok(Some(CrosstableCell::Bye(why, points)));
    let text: String = cell.text.chars().filter(|c| !c.is_whitespace()).collect();
    let wrong = || format!("{} is no round of a crosstable, as 2/15w or 15w2", quote(&cell.text));
    match text.to_lowercase().as_str() {
        "" => return Ok(None),
        "-" | "--" | "zwz" | "0" | "-0" => return bye(ByeKind::Absent, Some(Points::ZERO)),
        "+" | "-+" => return bye(ByeKind::NoOpponent, None),
        word if is_bye_name(word) => return bye(ByeKind::NoOpponent, None),
        _ => {}
    }
    let (points, rest) = text.split_once('/').map_or((None, text.as_str()), |(points, rest)| (Some(points), rest));
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (opponent, rest) = rest.split_at(digits);
    let mut rest = rest.chars();
    let color = rest.next().map(|c| c.to_ascii_lowercase());
    let own = points.unwrap_or(rest.as_str());
    let is_white = match color {
        Some('w') => true,
        Some('b' | 'z' | 's') => false,
        // `-1`, `1`, `½`: points without an opponent.
        _ => {
            let points = Points::parse(text.trim_start_matches('-')).ok_or_else(wrong)?;
            return bye(ByeKind::NoOpponent, Some(points));
        }
    };
    let place = number(opponent).map_err(|_| wrong())?;
    if place == 0 {
        // `0w0`, `0wz`: no opponent.
        let points = Points::parse(own).unwrap_or_default();
        let why = if points > Points::ZERO { ByeKind::NoOpponent } else { ByeKind::Absent };
        return bye(why, Some(points));
    }
    let unknown = || format!("{} refers to place {place}, which no player has", quote(&cell.text));
    let opponent = *places.get(&place).ok_or_else(unknown)?;
    let (points, is_forfeit) = match own {
        "+" => (None, true),
        "-" => (Some(Points::ZERO), true),
        own => (Some(Points::parse(own).filter(|points| *points >= Points::ZERO).ok_or_else(wrong)?), false),
    };
    let game = CrosstableGame { opponent, is_white, points, is_forfeit, place: cell.place };
    Ok(Some(CrosstableCell::Game(game)))
}
