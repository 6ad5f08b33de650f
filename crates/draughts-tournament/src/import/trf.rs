//! FIDE's report files: TRF06, TRF16 and TRF26. Fixed columns, counted in characters.
//!
//! ```text
//! 001    1 m  g Dijkhuis, Ülle                    2365 NED       25640 1954/12/24  9.0   24    35 w 1     2 b =
//!     5-8  10 11 15-47 name                       49-52 54  58-68 id   70-79 birth 81 points 86 rank  92 opponent 97 colour 99 result
//! ```
//!
//! Read: 001, 012 to 132, 013, 142, 162, 202, 212, 240, 299, 300, 310, 362, XXR, XXS. Known and not needed: see [`IGNORED_RECORDS`].
//! Comments (`###`, `# `), rulers and the lines of national federations are skipped. Exported files have facts without a column in comments
//! `### damcast ..`: whole names, boards, reasons.
//!
//! Sources: FIDE Handbook C.04.A1 (TRF16), the TRF26 of 2025-09; files in the wild (`trf` of echecsjs, Sharly-Chess, JaVaFo).

mod cell;
mod unplayed;

use std::collections::BTreeMap;

use draughts_pdn::problem::quote;
use draughts_pdn::{Location, Problem};

use crate::import::import_file::{
    ImportDiagnostics, ListedMatch, ListedPairing, ListedPlayer, ListedTeam, MOST_ROUNDS, Penalty, PlayerRef,
    TournamentFile, clean_text, fault, number,
};
pub(crate) use cell::{BYE_LETTERS, letters};
use cell::{TrfCell, cell, outcome};

use crate::{Points, ResultReason, Scoring, TieBreak};

/// Records that are not needed.
const IGNORED_RECORDS: [&str; 23] = [
    "062", "072", "082", "092", "112", "152", "172", "182", "192", "222", "250", "260", "320", "330", "352", "801",
    "802", "XXC", "XXP", "XXA", "XXZ", "XXB", "XXE",
];

/// Codes of tie-breaks.
pub(crate) const TIE_BREAK_CODES: [(TieBreak, &str); 7] = [
    (TieBreak::Solkoff, "BH"),
    (TieBreak::ShortTruncated, "BH/C1"),
    (TieBreak::Median, "BH/M1"),
    (TieBreak::SonnebornBerger, "SB"),
    (TieBreak::Wins, "WIN"),
    (TieBreak::WinsPlayed, "WON"),
    (TieBreak::DirectEncounter, "DE"),
];

/// Records with facts about the event, in the order of [`EventInfo::FACTS`].
const EVENT_RECORDS: [&str; 7] = ["012", "022", "032", "042", "052", "102", "122"];

/// A board for which the team with White has no player.
pub(crate) const NO_WHITE: &str = "no white";
const NO_ASIDE: &str = "this comment of damcast does not fit the rest of the file: passed over";

/// Position of a player's first round, in characters from 0.
pub(crate) const ROUNDS: usize = 89;
const WIDTH: usize = 10;

/// A line, split into characters.
struct TrfLine<'t> {
    chars: Vec<char>,
    text: &'t str,
    number: u64,
}

impl TrfLine<'_> {
    /// Returns the characters from one column up to another, from 0; columns after the end are blank.
    fn cell(&self, from: usize, to: usize) -> String {
        let to = to.min(self.chars.len());
        self.chars.get(from..to).unwrap_or_default().iter().collect()
    }

    fn trimmed(&self, from: usize, to: usize) -> String {
        self.cell(from, to).trim().to_owned()
    }

    fn at(&self, column: usize) -> char {
        self.chars.get(column).copied().unwrap_or(' ')
    }

    fn place(&self, column: usize) -> Location {
        Location { line: self.number, column: column as u64 + 1 }
    }

    /// Checks that columns are blank.
    fn check_blanks(&self, columns: impl IntoIterator<Item = usize>) -> Result<(), Problem> {
        match columns.into_iter().find(|column| self.at(*column) != ' ') {
            None => Ok(()),
            Some(column) => {
                let what = quote(&self.cell(column, column + 1));
                let what = format!("{what} stands where a blank separates two columns: is the line shifted?");
                fault(self.place(column), what)
            }
        }
    }

    /// Returns the numbers from a column on, each with its position.
    fn numbers(&self, from: usize) -> Result<Vec<(u32, Location)>, Problem> {
        let numbers = self.words(from).into_iter();
        numbers.map(|(word, place)| Ok((at_place(number(&word), place)?, place))).collect()
    }

    /// Returns the words from a column on, each with its position.
    fn words(&self, from: usize) -> Vec<(String, Location)> {
        let mut words: Vec<(String, Location)> = Vec::new();
        let mut was_blank = true;
        for (at, &c) in self.chars.iter().enumerate().skip(from) {
            if c.is_whitespace() {
                was_blank = true;
                continue;
            }
            if was_blank {
                words.push((String::new(), self.place(at)));
                was_blank = false;
            }
            if let Some((word, _)) = words.last_mut() {
                word.push(c);
            }
        }
        words
    }
}

/// Returns a part of a line, or its problem at a position.
fn at_place<T>(part: Result<T, String>, place: Location) -> Result<T, Problem> {
    part.map_err(|what| Problem::error(place, what))
}

/// Reads a file.
pub(super) fn read(text: &str, complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut reading =
        TrfReader { sheet: TournamentFile::default(), cells: Vec::new(), byes: Vec::new(), asides: Vec::new() };
    for (text, number) in text.lines().zip(1..) {
        let line =
            TrfLine { chars: text.trim_end().chars().map(|c| if c == '\t' { ' ' } else { c }).collect(), text, number };
        reading.line(&line, complaints);
    }
    reading.join(complaints);
    TournamentFile { has_letter_results: true, ..reading.sheet }
}

struct TrfReader {
    sheet: TournamentFile,
    /// Rounds of each player of the file, in its order.
    cells: Vec<Vec<Option<TrfCell>>>,
    /// Byes with their own records: letter, round, number.
    byes: Vec<(char, u32, u32, Location)>,
    /// Comments of exported files.
    asides: Vec<(Vec<String>, Location)>,
}

impl TrfReader {
    fn line(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        if let Some(aside) = line.text.strip_prefix("### damcast ") {
            self.asides.push((aside.trim_end().splitn(4, ' ').map(str::to_owned).collect(), line.place(0)));
            return;
        }
        let code = line.cell(0, 3);
        if !is_passed_over(line, &code) {
            let record = self.record(&code, line, complaints);
            complaints.check(record);
        }
    }

    fn record(&mut self, code: &str, line: &TrfLine, complaints: &mut ImportDiagnostics) -> Result<(), Problem> {
        if line.at(3) != ' ' {
            let what = format!("{} stands where a blank follows the code of a line", quote(&line.cell(3, 4)));
            return fault(line.place(3), what);
        }
        if let Some(at) = EVENT_RECORDS.iter().position(|known| *known == code) {
            let found = clean_text(&line.cell(4, usize::MAX), line.place(4), complaints);
            let known: &mut String = self.sheet.event.facts_mut()[at];
            if known.is_empty() {
                *known = found;
            } else if *known != found {
                complaints.note(line.place(0), format!("a second line {code}: the first one counts"));
            }
            return Ok(());
        }
        match code {
            "001" => self.player(line, complaints),
            "132" => self.dates(line),
            "142" | "XXR" => self.rounds(line),
            "162" | "XXS" => self.scoring(line, code == "XXS"),
            "362" => self.match_scoring(line),
            "202" | "212" => self.tie_breaks(line, complaints),
            "013" => self.team(line, 36, None),
            "310" => self.team(line, 73, Some(line.trimmed(4, 7))),
            "240" => self.bye_list(line),
            "299" => self.penalty(line),
            "300" => self.lineup(line),
            code if IGNORED_RECORDS.contains(&code) => Ok(()),
            _ => fault(line.place(0), format!("no line of a TRF begins with {}", quote(code))),
        }
    }

    fn player(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) -> Result<(), Problem> {
        line.check_blanks([8, 13, 47, 52, 56, 68, 79, 84])?;
        let read = |from: usize, to: usize, complaints: &mut ImportDiagnostics| -> Option<u32> {
            let text = line.trimmed(from, to);
            if text.is_empty() { None } else { complaints.check(at_place(number(&text), line.place(from))) }
        };
        let Some(starting) = read(4, 8, complaints).filter(|starting| *starting > 0) else {
            return fault(line.place(4), "the player has no starting number");
        };
        if self.sheet.players.iter().any(|other| other.number == Some(starting)) {
            return fault(line.place(4), format!("the starting number {starting} is given twice"));
        }
        let name = clean_text(&line.cell(14, 47), line.place(14), complaints);
        if name.is_empty() {
            return fault(line.place(14), format!("player {starting} has no name"));
        }
        let mut player = ListedPlayer::new(line.place(4), Some(starting), &name);
        player.sex = match line.at(9).to_ascii_lowercase() {
            ' ' => "",
            'm' => "m",
            'w' | 'f' => "w",
            _ => return fault(line.place(9), format!("{} is no sex: m, w or blank", quote(&line.cell(9, 10)))),
        }
        .to_owned();
        player.title = line.trimmed(10, 13);
        player.rating = read(48, 52, complaints).filter(|rating| *rating > 0);
        player.federation = line.trimmed(53, 56);
        player.licence = line.trimmed(57, 68);
        player.birth = line.trimmed(69, 79);
        let points = line.trimmed(80, 84);
        if !points.is_empty() {
            match Points::parse(&points).filter(|points| *points >= Points::ZERO) {
                Some(points) => player.stated_points = Some((points, line.place(80))),
                None => complaints.error(line.place(80), format!("{} are no points", quote(&points))),
            }
        }
        let _rank = read(85, 89, complaints);
        let rounds = line.chars.len().saturating_sub(ROUNDS).div_ceil(WIDTH);
        if rounds > MOST_ROUNDS as usize {
            return fault(line.place(ROUNDS), format!("{rounds} rounds; {MOST_ROUNDS} are the most"));
        }
        let cells = (0..rounds).map(|round| complaints.check(cell(line, ROUNDS + round * WIDTH)).flatten());
        self.cells.push(cells.collect());
        self.sheet.players.push(player);
        Ok(())
    }

    fn dates(&mut self, line: &TrfLine) -> Result<(), Problem> {
        let is_in_columns = line.cell(4, ROUNDS).trim().is_empty();
        let mut round = 0;
        let found: Vec<String> = if is_in_columns {
            let count = line.chars.len().saturating_sub(ROUNDS).div_ceil(WIDTH);
            (0..count).map(|round| line.trimmed(ROUNDS + round * WIDTH, ROUNDS + (round + 1) * WIDTH)).collect()
        } else {
            // One line for each round.
            round = self.sheet.dates.len() as u32;
            vec![line.trimmed(4, usize::MAX)]
        };
        for date in found {
            round += 1;
            if !date.is_empty() && round <= MOST_ROUNDS {
                self.sheet.dates.push((round, date.chars().take(20).collect()));
            }
        }
        Ok(())
    }

    fn rounds(&mut self, line: &TrfLine) -> Result<(), Problem> {
        let rounds = at_place(number(&line.trimmed(4, usize::MAX)), line.place(4))?;
        if rounds > MOST_ROUNDS {
            return fault(line.place(4), format!("{rounds} rounds; {MOST_ROUNDS} are the most"));
        }
        self.sheet.planned = Some(rounds);
        Ok(())
    }

    /// Parses `W 2.0  D 1.0 ..`, or in the form of JaVaFo `W=2.0 D=1.0`, `WW=1.0 BW=1.0`.
    fn scoring(&mut self, line: &TrfLine, is_javafo: bool) -> Result<(), Problem> {
        let mut pairs: Vec<(String, String, Location)> = Vec::new();
        for (word, place) in line.words(4) {
            // The letter in column 6, its points in 7 to 10: `W 2.0`, `W12.0`.
            let letters = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
            match pairs.last_mut().filter(|(_, value, _)| !is_javafo && letters == 0 && value.is_empty()) {
                Some((_, value, _)) => *value = word,
                None => {
                    let of_javafo = word.split_once('=').unwrap_or((&word, ""));
                    let (name, value) = if is_javafo { of_javafo } else { word.split_at(letters) };
                    pairs.push((name.to_owned(), value.to_owned(), place));
                }
            }
        }
        let mut values: BTreeMap<String, Points> = BTreeMap::new();
        for (name, value, place) in pairs {
            let Some(points) = Points::parse(&value) else {
                return fault(place, format!("{} is not followed by points", quote(&name)));
            };
            values.insert(name, points);
        }
        let of = |names: [&str; 2]| names.iter().find_map(|name| values.get(*name).copied());
        for (white, black) in [("WW", "BW"), ("WD", "BD"), ("WL", "BL")] {
            if let (Some(first), Some(second)) = (values.get(white), values.get(black))
                && first != second
            {
                let what = format!("{white} and {black} differ: points by colour cannot be counted here");
                return fault(line.place(4), what);
            }
        }
        let before = self.sheet.scoring.unwrap_or_default();
        let win = of(["W", "WW"]).unwrap_or(before.win);
        if win <= Points::ZERO {
            return fault(line.place(4), "a win must be worth something");
        }
        self.sheet.scoring = Some(Scoring {
            loss: of(["L", "WL"]).unwrap_or(Points::ZERO),
            bye: of(["P", "PAB"]).unwrap_or(win),
            absence: of(["A", "ZPB"]).or(values.get("Z").copied()).unwrap_or(Points::ZERO),
            win,
            draw: of(["D", "WD"]).unwrap_or(before.draw),
            ..before
        });
        Ok(())
    }

    /// Parses `TW 2.0   TD 1.0   TL 0.0`.
    fn match_scoring(&mut self, line: &TrfLine) -> Result<(), Problem> {
        let default = Scoring::DRAUGHTS;
        let mut row = [default.match_win, default.match_draw, default.match_loss];
        for pair in line.words(4).chunks(2) {
            let [(name, place), (value, _)] = pair else { continue };
            let Some(points) = Points::parse(value) else {
                return fault(*place, format!("{} is not followed by points", quote(name)));
            };
            if let Some(at) = ["TW", "TD", "TL"].iter().position(|known| known == name) {
                row[at] = points;
            }
        }
        self.sheet.match_points = Some(row);
        Ok(())
    }

    fn tie_breaks(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) -> Result<(), Problem> {
        let codes = line.trimmed(4, usize::MAX);
        let mut found = Vec::new();
        for code in codes.split(',').map(str::trim).filter(|code| !code.is_empty() && *code != "PTS") {
            let plain = if code == "BH:GP" { "BH" } else { code };
            let Some((tie, _)) = TIE_BREAK_CODES.iter().find(|(_, known)| *known == plain) else {
                let what = format!("the tie-break {} is not known here: none is taken over", quote(code));
                complaints.note(line.place(4), what);
                return Ok(());
            };
            found.push(*tie);
        }
        self.sheet.tie_breaks = found;
        Ok(())
    }

    fn team(&mut self, line: &TrfLine, players_from: usize, number_text: Option<String>) -> Result<(), Problem> {
        let is_310 = number_text.is_some();
        let (from, to) = if is_310 { (8, 40) } else { (4, 36) };
        let mut team = ListedTeam::new(line.place(from), None, line.trimmed(from, to));
        if let Some(text) = number_text {
            team.number = Some(at_place(number(&text), line.place(4))?);
        } else if let Some((first, rest)) = team.name.split_once(' ')
            && let Ok(number) = number(first)
            && line.at(4) == ' '
        {
            // Some programs write the number of the team before its name.
            (team.number, team.name) = (Some(number), rest.trim().to_owned());
        }
        if team.name.is_empty() {
            return fault(line.place(from), "the team has no name");
        }
        let players = line.numbers(players_from)?.into_iter().map(|(player, _)| player);
        team.players = players.filter(|player| *player > 0).collect();
        if let Some(known) = self.sheet.teams.iter_mut().find(|known| known.name == team.name) {
            // 013 and 310 both have them.
            known.number = known.number.or(team.number);
            return Ok(());
        }
        if is_310 {
            team.federation = line.trimmed(41, 46);
            team.printed = Points::parse(&line.trimmed(54, 60)).zip(Points::parse(&line.trimmed(61, 67)));
        }
        self.sheet.teams.push(team);
        Ok(())
    }

    /// Parses `H   2    4    9`: letter, round, numbers.
    fn bye_list(&mut self, line: &TrfLine) -> Result<(), Problem> {
        let words = line.words(4);
        let letter = words.first().and_then(|(word, _)| word.chars().next()).unwrap_or(' ').to_ascii_uppercase();
        let numbers = match words.get(1) {
            Some((_, place)) => line.numbers(place.column as usize - 1)?,
            None => Vec::new(),
        };
        let Some(((round, place), of)) = numbers.split_first() else {
            return fault(line.place(4), "a list of byes has a letter, a round and numbers");
        };
        if !"FHZU".contains(letter) || *round == 0 || *round > MOST_ROUNDS {
            return fault(*place, "a list of byes has a letter F, H, Z or U, a round and numbers");
        }
        self.byes.extend(of.iter().map(|(number, place)| (letter, *round, *number, *place)));
        Ok(())
    }

    /// Parses `299    -2.0   0.0         3`: match points, board points, an optional round, and the number.
    fn penalty(&mut self, line: &TrfLine) -> Result<(), Problem> {
        if line.at(4) != ' ' {
            // Points of forfeits in files for teams: results come from the players' lines.
            return Ok(());
        }
        let words = line.words(4);
        let read = |at: usize| words.get(at).and_then(|(word, _)| Points::parse(word));
        let whose = words.last().filter(|_| words.len() > 2).and_then(|(word, _)| number(word).ok());
        let (Some(match_points), Some(points), Some(whose)) = (read(0), read(1), whose) else {
            return fault(line.place(4), "a penalty has match points, board points and a number");
        };
        let reason = if words.len() > 3 { format!("penalty of round {}", words[2].0) } else { "penalty".to_owned() };
        self.sheet.penalties.push(Penalty { place: line.place(4), number: whose, match_points, points, reason });
        Ok(())
    }

    /// Parses `300   1   1   4    1    5    9`: round, team, its opponent, players in the order of the boards.
    fn lineup(&mut self, line: &TrfLine) -> Result<(), Problem> {
        let numbers: Vec<u32> = line.numbers(4)?.into_iter().map(|(number, _)| number).collect();
        let [round, team, _, players @ ..] = numbers.as_slice() else {
            return fault(line.place(4), "a line-up has a round, a team, its opponent, and players");
        };
        self.sheet.matches.push(ListedMatch { round: *round, team: *team, players: players.to_vec() });
        Ok(())
    }

    /// Joins both sides of each game, which must agree.
    fn join(&mut self, complaints: &mut ImportDiagnostics) {
        if complaints.has_error() {
            return;
        }
        let by_number: BTreeMap<u32, usize> =
            self.sheet.players.iter().enumerate().filter_map(|(at, player)| Some((player.number?, at))).collect();
        self.apply_byes(&by_number, complaints);
        let mut last = (0, Location::START);
        for at in 0..self.cells.len() {
            for index in 0..self.cells[at].len() {
                let Some(cell) = self.cells[at][index] else { continue };
                let round = index as u32 + 1;
                if round > last.0 {
                    last = (round, cell.place);
                }
                if cell.opponent == 0 {
                    let me = PlayerRef::numbered(cell.place, self.sheet.players[at].number);
                    self.alone(at, round, cell, me, complaints);
                } else if let Err(what) = self.game(at, round, cell, &by_number) {
                    complaints.error(cell.place, what);
                }
            }
        }
        if let Some(limit) = self.sheet.planned.filter(|limit| last.0 > *limit) {
            complaints
                .error(last.1, format!("round {} of {limit}: are there more rounds than XXR or 142 says?", last.0));
        }
        self.apply_asides(&by_number, complaints);
    }

    /// Adds the game in a cell of a player, once: with the cell of the first of both players.
    fn game(&mut self, at: usize, round: u32, cell: TrfCell, by_number: &BTreeMap<u32, usize>) -> Result<(), String> {
        let own = self.sheet.players[at].number.unwrap_or(0);
        let opponent = cell.opponent;
        let unknown = || format!("player {own} meets {opponent} in round {round}, and there is no such player");
        let other = *by_number.get(&opponent).ok_or_else(unknown)?;
        if other == at {
            return Err(format!("player {own} meets himself in round {round}"));
        }
        let answer = self.cells[other].get(round as usize - 1).copied().flatten();
        let answer = answer
            .filter(|answer| answer.opponent == own)
            .ok_or_else(|| format!("player {own} meets {opponent} in round {round}, who does not meet him"))?;
        if other < at {
            return Ok(());
        }
        let line = answer.place.line;
        let (outcome, is_white) = outcome(cell, answer, self.is_decided(round, [own, opponent]))
            .map_err(|what| format!("players {own} and {opponent} (line {line}) in round {round}: {what}"))?;
        let [white, black] = if is_white { [own, opponent] } else { [opponent, own] };
        let sides = [(cell.place, white), (answer.place, black)];
        let sides = sides.map(|(place, number)| Some(PlayerRef::numbered(place, Some(number))));
        self.sheet.pairings.push(ListedPairing::new(cell.place, round, sides, outcome));
        Ok(())
    }

    /// Whether a comment of an exported file marks this pairing as decided by the arbiter.
    fn is_decided(&self, round: u32, players: [u32; 2]) -> bool {
        let decisions = [ResultReason::Arbiter, ResultReason::NotPlayed].map(ResultReason::name);
        self.asides.iter().any(|(words, _)| {
            let [key, of, _, rest] = words.as_slice() else { return false };
            let (white, reason) = rest.split_once(' ').unwrap_or((rest, ""));
            key == "board"
                && number(of) == Ok(round)
                && number(white).is_ok_and(|white| players.contains(&white))
                && decisions.contains(&reason)
        })
    }
}

/// Whether the line is a comment, a ruler, empty, or an extension of a national federation.
fn is_passed_over(line: &TrfLine, code: &str) -> bool {
    let text = line.text.trim_end();
    if text.trim().is_empty() || text.starts_with('#') {
        return true;
    }
    let is_digits = text.len() > 20
        && text.chars().all(|c| c.is_ascii_digit() || c == ' ')
        && ["   ", "0123456", "1234567"].iter().any(|start| text.starts_with(start));
    let mut letters = code.chars();
    let first = letters.next().unwrap_or(' ');
    let is_ruler = first.is_ascii_uppercase()
        && letters.all(|c| c == first)
        && !code.starts_with("XX")
        && code.chars().count() == 3;
    // `FRA   14 m ..`: a federation, followed by its own data about a player.
    let is_federation = code.chars().count() == 3
        && code.chars().all(|c| c.is_ascii_uppercase())
        && !code.starts_with("XX")
        && line.at(3) == ' '
        && number(&line.cell(4, 8)).is_ok();
    is_digits || is_ruler || is_federation
}
