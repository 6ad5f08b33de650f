//! Export of a section as TRF26, with a list of omissions.

use std::collections::BTreeMap;
use std::fmt::Write;

use draughts_pdn::problem::quote;

use super::extension_comments;
use crate::import::import_file::ListedResult;
use crate::import::trf::{BYE_LETTERS, NO_WHITE, ROUNDS, TIE_BREAK_CODES, letters};
use crate::value::event_info::is_day;
use crate::value::optional_text;
use crate::{
    AdjustmentTarget, EventInfo, Id, OfficialResult, Pairing, Player, Points, ResultReason, Scoring, Team, TieBreak,
    Tournament, TournamentSection, standings, team_standings,
};

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
    let cells = cells(section, &numbers)?;
    let mut writer = TrfWriter { section, numbers, text: String::new(), warnings: lost(section) };
    writer.event(&tournament.event);
    writer.dates();
    writer.rules(extension_comments(tournament, section));
    writer.teams();
    writer.matches();
    writer.penalties();
    writer.players(&cells);
    writer.pairings();
    writer.warnings.dedup();
    Ok((writer.text, writer.warnings))
}

struct TrfWriter<'t> {
    section: &'t TournamentSection,
    numbers: BTreeMap<Id, u32>,
    text: String,
    warnings: Vec<String>,
}

impl TrfWriter<'_> {
    fn line(&mut self, code: &str, value: &str) {
        if !value.is_empty() {
            // A tab would shift the columns.
            let _ = writeln!(self.text, "{code} {}", value.replace(char::is_control, " "));
        }
    }

    /// Writes a fact that has no column of its own.
    fn comment(&mut self, value: &str) {
        self.line("###", &format!("damcast {value}"));
    }

    /// Returns the number of a player in the file.
    fn number(&self, id: Id) -> u32 {
        self.numbers.get(&id).copied().unwrap_or(0)
    }

    fn team_number(&self, id: Id) -> u32 {
        self.section.team(id).map_or(0, |team| team.number)
    }

    fn event(&mut self, event: &EventInfo) {
        let section = self.section;
        self.line("012", &event.name);
        self.line("022", &event.site);
        self.line("032", &event.federation);
        self.line("042", &trf_date(&event.start));
        self.line("052", &trf_date(&event.end));
        self.line("062", &section.players.len().to_string());
        self.line("072", &section.players.iter().filter(|player| player.rating.is_some()).count().to_string());
        self.line("082", &section.teams.len().to_string());
        self.line("092", if section.has_matches() { "Team" } else { "Individual" });
        self.line("102", &event.arbiter);
        self.line("122", &event.time_control);
    }

    /// Writes the days of the rounds; whole dates go into comments.
    fn dates(&mut self) {
        let section = self.section;
        let Some(last) = section.dates.iter().map(|(round, _)| *round).max() else { return };
        let mut dates = " ".repeat(ROUNDS - 4);
        for round in 1..=last {
            let _ = write!(dates, "  {:<8}", short_date(section.date(round).unwrap_or("")));
        }
        self.line("132", dates.trim_end());
        for (round, date) in section.dates.iter().filter(|(_, date)| short_date(date) != *date) {
            self.comment(&format!("date {round} {date}"));
        }
    }

    /// Writes the number of rounds, the scoring and the tie-breaks.
    fn rules(&mut self, comments: Vec<(&str, String)>) {
        let section = self.section;
        self.line("142", &optional_text(section.planned.map(|planned| planned.max(section.last_round()))));
        let Scoring { win, draw, loss, bye, absence, match_win, match_draw, match_loss, .. } = section.scoring;
        let points = [("W", win), ("D", draw), ("L", loss), ("A", absence), ("P", bye)];
        let points = points.map(|(letter, points)| format!(" {letter}{:>4}", with_decimal(points)));
        self.line("162", &points.join("   "));
        self.line("182", PROGRAM);
        let codes = section.tie_breaks.iter().map(|&tie| code_of(tie)).collect::<Option<Vec<_>>>();
        self.line("202", &codes.as_ref().map_or(String::new(), |codes| codes.join(",")));
        for (key, value) in comments {
            let is_further = key == "schedule" || EventInfo::further_facts().contains(&key);
            if is_further || key == "points" || key == "unplayed" || (key == "tie-breaks" && codes.is_none()) {
                self.comment(&format!("{key} {value}"));
            }
        }
        if !section.teams.is_empty() {
            let [win, draw, loss] = [match_win, match_draw, match_loss].map(with_decimal);
            self.line("362", &format!("TW {win}   TD {draw}   TL {loss}"));
        }
    }

    fn teams(&mut self) {
        let section = self.section;
        let standing = team_standings(section, section.last_round());
        for team in &section.teams {
            let row = standing.iter().find(|row| row.team == team.id);
            let (matches, boards, rank) =
                row.map_or((Points::ZERO, Points::ZERO, 0), |row| (row.match_points, row.board_points, row.rank));
            let (matches, boards) = (with_decimal(matches), with_decimal(boards));
            let lineup: String = lineup(section, team).iter().map(|id| format!(" {:>4}", self.number(*id))).collect();
            let (number, name, federation) = (team.number, cut(&team.name, 32), cut(&team.federation, 5));
            let row =
                format!("{number:>3} {name:<32} {federation:<5} {:>6} {matches:>6} {boards:>6} {rank:>3} {lineup}", "");
            self.line("310", &row);
        }
    }

    fn matches(&mut self) {
        let section = self.section;
        for this in &section.matches {
            let of_match = section.pairings.iter().filter(|pairing| pairing.match_id == Some(this.id));
            let mut boards: Vec<&Pairing> = of_match.collect();
            boards.sort_by_key(|pairing| (pairing.board, pairing.id));
            for (team, other) in [(this.home, this.away), (this.away, this.home)] {
                let of_team = |id: &Id| section.team_of(Some(*id)) == Some(team);
                let players = boards.iter().map(|pairing| pairing.players().find(of_team));
                let players: String = players.map(|id| format!(" {:>4}", id.map_or(0, |id| self.number(id)))).collect();
                let (own, other) = (self.team_number(team), self.team_number(other));
                self.line("300", &format!("{:>3} {own:>3} {other:>3} {}", this.round, players.trim_end()));
            }
        }
    }

    fn penalties(&mut self) {
        for adjustment in &self.section.adjustments {
            if let AdjustmentTarget::Team(id) = adjustment.target {
                let (matches, boards) = (with_decimal(adjustment.match_points), with_decimal(adjustment.points));
                self.line("299", &format!("  {matches:>5} {boards:>5} {:>9}", self.team_number(id)));
            }
        }
    }

    fn players(&mut self, cells: &BTreeMap<(Id, u32), String>) {
        let section = self.section;
        let last = section.last_round();
        let standings = standings(section, last, &section.tie_breaks, section.unplayed);
        let ranks: BTreeMap<Id, (usize, Points)> =
            standings.rows.iter().map(|row| (row.player, (row.rank, row.points))).collect();
        let mut players: Vec<_> = section.players.iter().collect();
        players.sort_by_key(|player| self.number(player.id));
        for player in players {
            let (rank, points) = ranks.get(&player.id).copied().unwrap_or_default();
            let number = self.number(player.id);
            if player.name.chars().count() > 33 {
                self.comment(&format!("name {number} {}", player.name));
            }
            // From a hundred points on there is no room for a decimal of zero.
            let total = [with_decimal(points), points.to_string()].into_iter().find(|text| text.len() <= 4);
            if total.is_none() {
                let what = "points are too long for their column, which is left blank";
                self.warnings.push(format!("{}: {points} {what}", player.name));
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
                total.unwrap_or_default(),
            );
            for round in 1..=last {
                row.push_str(cells.get(&(player.id, round)).map_or("          ", String::as_str));
            }
            self.line("001", row.trim_end());
        }
    }

    /// Writes comments with the boards of pairings, and with reasons that the letters do not express.
    fn pairings(&mut self) {
        for pairing in &self.section.pairings {
            let reason = pairing.result.map(|result| result.reason);
            let reason = reason.filter(|reason| reason_of_letters(pairing, &self.section.scoring) != Some(*reason));
            let is_told = pairing.board.is_some() || pairing.has_one_player() || reason.is_some();
            if let Some(player) = pairing.players().next().filter(|_| is_told) {
                let no_white = pairing.white.is_none().then_some(NO_WHITE);
                let reason = no_white.into_iter().chain(reason.map(ResultReason::name)).collect::<Vec<_>>().join(", ");
                let (round, board) = (pairing.round, pairing.board.unwrap_or(0));
                self.comment(format!("board {round} {board} {} {reason}", self.number(player)).trim_end());
            }
            if pairing.deferral.is_some() {
                self.warnings.push(format!("round {}: that a pairing is played later is not in it", pairing.round));
            }
        }
    }
}

/// Returns points with at least one decimal.
fn with_decimal(points: Points) -> String {
    let text = points.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
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

/// Returns a day, `2027-07-10`, as `2027/07/10`; any other text as it is.
fn trf_date(date: &str) -> String {
    if is_day(date) { date.replace('-', "/") } else { date.to_owned() }
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
        let own = result.points_of(pairing.white.is_some());
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
    TIE_BREAK_CODES.iter().find(|(known, _)| *known == tie).map(|(_, code)| *code)
}

/// Returns the players of a team in their order: as in the file, then the others.
fn lineup(section: &TournamentSection, team: &Team) -> Vec<Id> {
    let of_team = section.players.iter().filter(|player| player.team == Some(team.id)).map(|player| player.id);
    let others = of_team.filter(|id| !team.lineup.contains(id));
    team.lineup.iter().copied().chain(others).collect()
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
        for (me, other, is_white) in pairing.sides() {
            let Some(me) = me else { continue };
            let opponent = other.and_then(|other| numbers.get(&other)).copied();
            let letter = match pairing.result {
                // For a board without an opponent only the comment counts.
                None if opponent.is_none() => continue,
                None => ' ',
                Some(result) => {
                    let own = result.points_of(is_white);
                    let letter = match opponent {
                        Some(_) => letters_of(&result, scoring).map(|of| if is_white { of.0 } else { of.1 }),
                        None => letter_alone(own, result.reason, scoring),
                    };
                    letter.ok_or_else(|| {
                        let (round, name) = (pairing.round, section.name_of(Some(me)));
                        format!("round {round}, {name}: {own} points are neither win, draw nor loss, and a TRF has no others: export csv")
                    })?
                }
            };
            let cell = match opponent {
                Some(opponent) => format!("  {opponent:>4} {} {letter}", if is_white { 'w' } else { 'b' }),
                None => format!("  0000 - {letter}"),
            };
            cells.insert((me, pairing.round), cell);
        }
    }
    for bye in &section.byes {
        let letter = BYE_LETTERS.iter().find(|(kind, _)| *kind == bye.kind).map_or(' ', |(_, letter)| *letter);
        cells.insert((bye.player, bye.round), format!("  0000 - {letter}"));
    }
    Ok(cells)
}
