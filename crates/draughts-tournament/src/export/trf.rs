//! Export of a section as TRF26, with a list of omissions.

use std::collections::BTreeMap;
use std::fmt::Write;

use draughts_pdn::problem::quote;

use super::extension_comments;
use crate::Points;
use crate::import::import_file::ListedResult;
use crate::import::trf::{NO_WHITE, ROUNDS, letters};
use crate::{
    AdjustmentTarget, ByeKind, Id, OfficialResult, Pairing, Player, ResultReason, Tournament, TournamentSection,
    standings, team_standings,
};
use crate::{Scoring, TieBreak};

/// Name of the program in exported files.
const PROGRAM: &str = "damcast";

/// Returns a section as TRF26, and descriptions of the facts that it cannot express. Numbers are those of the pairing program; players
/// without one follow in their order.
///
/// # Errors
///
/// Returns a message for facts that TRF cannot express: micro-matches, points that are neither win, draw nor loss.
pub fn write(tournament: &Tournament, section: &TournamentSection) -> Result<(String, Vec<String>), String> {
    if section.scoring.is_micro_match {
        return Err("a TRF has one game for a pairing: export a micro-match as csv".to_owned());
    }
    let numbers = numbers(section);
    let scoring = &section.scoring;
    let event = &tournament.event;
    let mut text = String::new();
    let mut warnings = lost(section);
    let mut line = |code: &str, value: &str| {
        if !value.is_empty() {
            // A tab would shift the columns.
            let _ = writeln!(text, "{code} {}", value.replace(char::is_control, " "));
        }
    };
    line("012", &event.name);
    line("022", &event.site);
    line("032", &event.federation);
    line("042", &event.start);
    line("052", &event.end);
    line("062", &section.players.len().to_string());
    line("072", &section.players.iter().filter(|player| player.rating.is_some()).count().to_string());
    line("082", &section.teams.len().to_string());
    line("092", if section.has_matches() { "Team" } else { "Individual" });
    line("102", &event.arbiter);
    line("122", &event.time_control);
    if !section.dates.is_empty() {
        let mut dates = " ".repeat(ROUNDS - 4);
        for round in 1..=section.dates.iter().map(|(round, _)| *round).max().unwrap_or(0) {
            let _ = write!(dates, "  {:<8}", short_date(section.date(round).unwrap_or("")));
        }
        line("132", dates.trim_end());
    }
    for (round, date) in section.dates.iter().filter(|(_, date)| short_date(date) != *date) {
        line("###", &format!("damcast date {round} {date}"));
    }
    let last = section.last_round();
    line("142", &section.planned.map_or(String::new(), |planned| planned.max(last).to_string()));
    let one = |points: Points| -> String {
        let text = points.to_string();
        if text.contains('.') { text } else { text + ".0" }
    };
    let Scoring { win, draw, loss, bye, absence, match_win, match_draw, match_loss, .. } = *scoring;
    line(
        "162",
        &format!(
            " W{:>4}    D{:>4}    L{:>4}    A{:>4}    P{:>4}",
            one(win),
            one(draw),
            one(loss),
            one(absence),
            one(bye)
        ),
    );
    line("182", PROGRAM);
    let codes = section.tie_breaks.iter().map(|&tie| code_of(tie)).collect::<Option<Vec<_>>>();
    line("202", &codes.as_ref().map_or(String::new(), |codes| codes.join(",")));
    for (key, value) in extension_comments(tournament, section) {
        if key == "points" || key == "unplayed" || (key == "tie-breaks" && codes.is_none()) {
            line("###", &format!("damcast {key} {value}"));
        }
    }
    if !section.teams.is_empty() {
        line("362", &format!("TW {}   TD {}   TL {}", one(match_win), one(match_draw), one(match_loss)));
    }
    let number_of = |id: Id| numbers.get(&id).copied().unwrap_or(0);
    let standing = team_standings(section, last);
    for team in &section.teams {
        let row = standing.iter().find(|row| row.team == team.id);
        let (matches, boards, rank) =
            row.map_or((Points::ZERO, Points::ZERO, 0), |row| (row.match_points, row.board_points, row.rank));
        let lineup: String = lineup(section, team.id).into_iter().map(|id| format!(" {:>4}", number_of(id))).collect();
        let name: String = team.name.chars().take(32).collect();
        let federation: String = team.federation.chars().take(5).collect();
        line(
            "310",
            &format!(
                "{:>3} {name:<32} {federation:<5} {:>6} {:>6} {:>6} {rank:>3} {lineup}",
                team.number,
                "",
                one(matches),
                one(boards)
            ),
        );
    }
    for this in &section.matches {
        let mut boards: Vec<&Pairing> =
            section.pairings.iter().filter(|pairing| pairing.match_id == Some(this.id)).collect();
        boards.sort_by_key(|pairing| (pairing.board, pairing.id));
        let team_number = |id: Id| section.team(id).map_or(0, |team| team.number);
        for (team, other) in [(this.home, this.away), (this.away, this.home)] {
            let of_team = |id: &Id| section.player(*id).is_some_and(|player| player.team == Some(team));
            let players =
                boards.iter().map(|pairing| [pairing.white, pairing.black].into_iter().flatten().find(of_team));
            let players: String = players.map(|id| format!(" {:>4}", id.map_or(0, number_of))).collect();
            line(
                "300",
                &format!("{:>3} {:>3} {:>3} {}", this.round, team_number(team), team_number(other), players.trim_end()),
            );
        }
    }
    for adjustment in &section.adjustments {
        if let AdjustmentTarget::Team(id) = adjustment.target {
            let number = section.team(id).map_or(0, |team| team.number);
            line("299", &format!("  {:>5} {:>5} {:>9}", one(adjustment.match_points), one(adjustment.points), number));
        }
    }
    let standings = standings(section, last, &section.tie_breaks, section.unplayed);
    let ranks: BTreeMap<Id, (usize, Points)> =
        standings.rows.iter().map(|row| (row.player, (row.rank, row.points))).collect();
    let cells = cells(section, &numbers)?;
    let mut players: Vec<_> = section.players.iter().collect();
    players.sort_by_key(|player| number_of(player.id));
    for player in players {
        let (rank, points) = ranks.get(&player.id).copied().unwrap_or_default();
        let number = number_of(player.id);
        let cut = |text: &str, most: usize| -> String { text.chars().take(most).collect() };
        if player.name.chars().count() > 33 {
            line("###", &format!("damcast name {number} {}", player.name));
        }
        // From a hundred points on there is no room for a decimal of zero.
        let total = [one(points), points.to_string()].into_iter().find(|text| text.len() <= 4).unwrap_or_default();
        if total.is_empty() {
            warnings
                .push(format!("{}: {points} points are too long for their column, which is left blank", player.name));
        }
        let mut row = format!(
            "{number:>4} {:1}{:>3} {:<33} {:>4} {:<3} {:>11} {:<10} {:>4} {rank:>4}",
            cut(&player.sex, 1),
            cut(&player.title, 3),
            cut(&player.name, 33),
            player.rating.unwrap_or(0),
            cut(&player.federation, 3),
            cut(&player.licence, 11),
            cut(&player.birth, 10),
            total,
        );
        for round in 1..=last {
            row.push_str(cells.get(&(player.id, round)).map_or("          ", String::as_str));
        }
        line("001", row.trim_end());
    }
    for pairing in &section.pairings {
        // A reason that the letters do not express.
        let reason = pairing
            .result
            .map(|result| result.reason)
            .filter(|reason| reason_of_letters(pairing, scoring) != Some(*reason));
        let is_told = pairing.board.is_some() || pairing.has_one_player() || reason.is_some();
        if let Some(player) = pairing.white.or(pairing.black).filter(|_| is_told) {
            let reason = reason.map(ResultReason::name);
            let no_white = pairing.white.is_none().then_some(NO_WHITE);
            let reason = [no_white, reason].into_iter().flatten().collect::<Vec<_>>().join(", ");
            let (round, board) = (pairing.round, pairing.board.unwrap_or(0));
            let value = format!("damcast board {round} {board} {} {reason}", number_of(player));
            line("###", value.trim_end());
        }
        if pairing.deferral.is_some() {
            warnings.push(format!("round {}: that a pairing is played later is not in it", pairing.round));
        }
    }
    warnings.dedup();
    Ok((text, warnings))
}

/// Describes facts about players and teams that have neither a column nor a comment.
fn lost(section: &TournamentSection) -> Vec<String> {
    let too_long = |what: &str, of: &str, value: &str, most: usize| {
        (value.chars().count() > most).then(|| format!("{of}: the {what} {} is cut to {most} characters", quote(value)))
    };
    let players = section.players.iter().flat_map(|player| {
        let of = &player.name;
        [
            too_long("title", of, &player.title, 3),
            too_long("federation", of, &player.federation, 3),
            too_long("id", of, &player.licence, 11),
            too_long("birth", of, &player.birth, 10),
        ]
    });
    let teams = section.teams.iter().flat_map(|team| {
        [too_long("name", &team.name, &team.name, 32), too_long("federation", &team.name, &team.federation, 5)]
    });
    players.chain(teams).flatten().collect()
}

/// Returns a date in eight characters, as the columns of a round have it: the year in two digits.
fn short_date(date: &str) -> String {
    let is_separator = |c: char| matches!(c, '-' | '/' | '.');
    let parts: Vec<&str> = date.split(is_separator).collect();
    match parts.as_slice() {
        [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2 && year.is_ascii() => {
            format!("{}/{month}/{day}", &year[2..])
        }
        _ => date.chars().take(8).collect(),
    }
}

/// Returns the letters of both sides of a result between two players; `None` for points without a letter.
fn letters_of(result: &OfficialResult, scoring: &Scoring) -> Option<(char, char)> {
    let place = |own: Points| [scoring.win, scoring.draw, scoring.loss].iter().position(|points| *points == own);
    let (white, black) = (place(result.white)?, place(result.black)?);
    let of = |letters: [char; 3]| (letters[white], letters[black]);
    let is_one_of = |pairs: &[(usize, usize)]| pairs.contains(&(white, black)) || pairs.contains(&(black, white));
    Some(match result.reason {
        ResultReason::Forfeit if is_one_of(&[(0, 2), (2, 2)]) => of(['+', '=', '-']),
        ResultReason::Unrated if is_one_of(&[(0, 2), (1, 1)]) => of(['W', 'D', 'L']),
        _ => of(['1', '=', '0']),
    })
}

/// Returns the letter of a player without an opponent.
fn letter_alone(own: Points, reason: ResultReason, scoring: &Scoring) -> Option<char> {
    let is_forfeit = reason == ResultReason::Forfeit;
    Some(match own {
        own if is_forfeit && own == scoring.win => '+',
        own if is_forfeit && own == scoring.loss => '-',
        own if reason == ResultReason::Bye && own == scoring.bye => 'U',
        own if own == scoring.win => 'F',
        own if own == scoring.draw => 'H',
        own if own == scoring.absence || own == scoring.loss => 'Z',
        _ => return None,
    })
}

/// Returns the reason that a reader infers from the letters alone.
fn reason_of_letters(pairing: &Pairing, scoring: &Scoring) -> Option<ResultReason> {
    let result = pairing.result?;
    if pairing.has_one_player() {
        let own = if pairing.white.is_some() { result.white } else { result.black };
        let is_forfeit = matches!(letter_alone(own, result.reason, scoring)?, '+' | '-');
        return Some(if is_forfeit { ResultReason::Forfeit } else { ResultReason::Bye });
    }
    let (white, black) = letters_of(&result, scoring)?;
    match letters(white, black)? {
        ListedResult::Letters(_, _, reason) => Some(reason),
        _ => None,
    }
}

fn code_of(tie: TieBreak) -> Option<&'static str> {
    Some(match tie {
        TieBreak::Solkoff => "BH",
        TieBreak::ShortTruncated => "BH/C1",
        TieBreak::Median => "BH/M1",
        TieBreak::SonnebornBerger => "SB",
        TieBreak::Wins => "WIN",
        TieBreak::WinsPlayed => "WON",
        TieBreak::DirectEncounter => "DE",
        TieBreak::FullTruncated | TieBreak::SolkoffPlus | TieBreak::PlusDraws => return None,
    })
}

/// Returns the players of a team in their order: as in the file, then the others.
fn lineup(section: &TournamentSection, team: Id) -> Vec<Id> {
    let mut lineup = section.team(team).map_or(Vec::new(), |team| team.lineup.clone());
    let of_team = section.players.iter().filter(|player| player.team == Some(team)).map(|player| player.id);
    let others: Vec<Id> = of_team.filter(|id| !lineup.contains(id)).collect();
    lineup.extend(others);
    lineup
}

/// Returns the number of each player in an exported file: their own; players without one follow.
pub fn numbers(section: &TournamentSection) -> BTreeMap<Id, u32> {
    let mut next = section.players.iter().filter_map(|player| player.number).max().unwrap_or(0);
    let number = |player: &Player| {
        let number = player.number.unwrap_or_else(|| {
            next += 1;
            next
        });
        (player.id, number)
    };
    section.players.iter().map(number).collect()
}

/// Returns the cells of each player's rounds.
fn cells(section: &TournamentSection, numbers: &BTreeMap<Id, u32>) -> Result<BTreeMap<(Id, u32), String>, String> {
    let scoring = &section.scoring;
    let mut cells = BTreeMap::new();
    for pairing in &section.pairings {
        for (me, other, color) in [(pairing.white, pairing.black, 'w'), (pairing.black, pairing.white, 'b')] {
            let Some(me) = me else { continue };
            let opponent = other.and_then(|other| numbers.get(&other)).copied();
            let letter = match pairing.result {
                // For a board without an opponent only the comment counts.
                None if opponent.is_none() => continue,
                None => ' ',
                Some(result) => {
                    let own = if color == 'w' { result.white } else { result.black };
                    let letter = match opponent {
                        Some(_) => {
                            letters_of(&result, scoring).map(|(white, black)| if color == 'w' { white } else { black })
                        }
                        None => letter_alone(own, result.reason, scoring),
                    };
                    letter.ok_or_else(|| {
                        let (round, name) = (pairing.round, section.name_of(Some(me)));
                        format!("round {round}, {name}: {own} points are neither win, draw nor loss, and a TRF has no others: export csv")
                    })?
                }
            };
            let cell = match opponent {
                Some(opponent) => format!("  {opponent:>4} {color} {letter}"),
                None => format!("  0000 - {letter}"),
            };
            cells.insert((me, pairing.round), cell);
        }
    }
    for bye in &section.byes {
        let letter = match bye.kind {
            ByeKind::NoOpponent => 'U',
            ByeKind::Full => 'F',
            ByeKind::Half => 'H',
            ByeKind::Absent => 'Z',
            ByeKind::Won => '+',
            ByeKind::Lost => '-',
        };
        cells.insert((bye.player, bye.round), format!("  0000 - {letter}"));
    }
    Ok(cells)
}
