//! Crosstables: one player per row, with their rounds as `2/15w` or `68b2`.

use std::collections::BTreeMap;

use draughts_pdn::Location;
use draughts_pdn::problem::quote;

use super::{Cell, Column, listed, number_of, place_of, text_of};
use crate::Points;
use crate::Scoring;
use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedResult, PlayerRef, SideResult, TournamentFile, is_bye_name,
    number,
};
use crate::{ByeKind, ResultReason};

/// A round of a player in a crosstable.
struct CrosstableCell {
    opponent: usize,
    is_white: bool,
    points: Option<Points>,
    is_forfeit: bool,
    place: Location,
}

pub(super) fn crosstable(table: &[BTreeMap<Column, Cell>], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut sheet = TournamentFile::default();
    // Opponents are identified by their places.
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    for row in table {
        let Some(mut player) = listed(row, complaints) else { continue };
        let at = sheet.players.len();
        let own = number_of(row, Column::Place, complaints).or(player.number).unwrap_or(at as u32 + 1);
        player.number = player.number.or(Some(own));
        if places.insert(own, at).is_some() {
            complaints.error(place_of(row, Column::Place), format!("the place {own} is given twice"));
        }
        let printed = text_of(row, Column::Points);
        if !printed.is_empty() {
            let place = place_of(row, Column::Points);
            match Points::parse(printed) {
                Some(points) => player.stated_points = Some((points, place)),
                None => complaints.error(place, format!("{} are no points", quote(printed))),
            }
        }
        sheet.players.push(player);
        rows.push(row);
    }
    if complaints.has_error() {
        return sheet;
    }
    let mut sides: BTreeMap<(u32, usize), CrosstableCell> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter() {
            let Column::Cell(round) = *column else { continue };
            let who = PlayerRef::numbered(cell.place, sheet.players[at].number);
            match side(cell, &places) {
                Ok(None) => {}
                Ok(Some(Ok(side))) if side.opponent == at => {
                    complaints.error(cell.place, format!("{} meets himself in round {round}", sheet.players[at].name));
                }
                Ok(Some(Ok(side))) => {
                    sides.insert((round, at), side);
                }
                Ok(Some(Err((why, points)))) => sheet.byes.push(ListedBye { round, who, why, points }),
                Err(what) => complaints.error(cell.place, what),
            }
        }
    }
    let mut sums: BTreeMap<Points, usize> = BTreeMap::new();
    let mut highest = Points::ZERO;
    for (&(round, at), one) in &sides {
        let name = |at: usize| &sheet.players[at].name;
        let Some(other) = sides.get(&(round, one.opponent)).filter(|other| other.opponent == at) else {
            complaints.error(
                one.place,
                format!("{} meets {} in round {round}, who meets somebody else", name(at), name(one.opponent)),
            );
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
        let who = |at: usize, place: Location| Some(PlayerRef::numbered(place, sheet.players[at].number));
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
        sheet.pairings.push(ListedPairing {
            place: one.place,
            round,
            board: None,
            white: who(at, one.place),
            black: who(one.opponent, other.place),
            outcome,
            result_location: one.place,
            stage: None,
            time_control: String::new(),
        });
    }
    let common = sums.into_iter().max_by_key(|(sum, count)| (*count, std::cmp::Reverse(*sum))).map(|(sum, _)| sum);
    sheet.scoring = match common {
        Some(sum) if sum == Points::whole(1) => Some(Scoring::CHESS),
        Some(sum) if sum == Points::whole(2) || highest <= Points::whole(2) => Some(Scoring::DRAUGHTS),
        Some(_) => Some(Scoring::win_draw(highest, Points::hundredths(highest.in_hundredths() / 2))),
        None => None,
    };
    sheet
}

/// Returns a cell of a crosstable: `2/15w`, `68b2`, `67w-`, a bye, or nothing.
#[expect(clippy::type_complexity, reason = "nothing, a game or a bye: it is taken apart where it is called")]
fn side(
    cell: &Cell,
    places: &BTreeMap<u32, usize>,
) -> Result<Option<Result<CrosstableCell, (ByeKind, Option<Points>)>>, String> {
    let text: String = cell.text.chars().filter(|c| !c.is_whitespace()).collect();
    let wrong = || format!("{} is no round of a crosstable, as 2/15w or 15w2", quote(&cell.text));
    match text.to_lowercase().as_str() {
        "" => return Ok(None),
        "-" | "--" | "zwz" | "0" | "-0" => return Ok(Some(Err((ByeKind::Absent, Some(Points::ZERO))))),
        "+" | "-+" => return Ok(Some(Err((ByeKind::NoOpponent, None)))),
        word if is_bye_name(word) => return Ok(Some(Err((ByeKind::NoOpponent, None)))),
        _ => {}
    }
    let (points, rest) = match text.split_once('/') {
        Some((points, rest)) => (Some(points.to_owned()), rest.to_owned()),
        None => (None, text.clone()),
    };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (opponent, rest) = rest.split_at(digits);
    let mut rest = rest.chars();
    let color = rest.next().map(|c| c.to_ascii_lowercase());
    let own = points.unwrap_or_else(|| rest.as_str().to_owned());
    let is_white = match color {
        Some('w') => true,
        Some('b' | 'z' | 's') => false,
        // `-1`, `1`, `½`: points without an opponent.
        _ => {
            let points = Points::parse(text.trim_start_matches('-')).ok_or_else(wrong)?;
            return Ok(Some(Err((ByeKind::NoOpponent, Some(points)))));
        }
    };
    let place = number(opponent).map_err(|_| wrong())?;
    if place == 0 {
        // `0w0`, `0wz`: no opponent.
        let points = Points::parse(&own).unwrap_or_default();
        return Ok(Some(Err((
            if points > Points::ZERO { ByeKind::NoOpponent } else { ByeKind::Absent },
            Some(points),
        ))));
    }
    let opponent = *places
        .get(&place)
        .ok_or_else(|| format!("{} refers to place {place}, which no player has", quote(&cell.text)))?;
    let (points, is_forfeit) = match own.as_str() {
        "+" => (None, true),
        "-" => (Some(Points::ZERO), true),
        own => (Some(Points::parse(own).filter(|points| *points >= Points::ZERO).ok_or_else(wrong)?), false),
    };
    Ok(Some(Ok(CrosstableCell { opponent, is_white, points, is_forfeit, place: cell.place })))
}
