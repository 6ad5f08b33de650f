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

use draughts_pdn::Location;
use draughts_pdn::problem::quote;

use crate::Points;
use crate::import::import_file::{
    ImportDiagnostics, ListedMatch, ListedPairing, ListedPlayer, ListedTeam, MOST_ROUNDS, Penalty, PlayerRef,
    TournamentFile, clean_text, number,
};
use crate::{Scoring, TieBreak};
pub(crate) use cell::letters;
use cell::{TrfCell, cell, outcome};

use crate::ResultReason;

/// Records that are not needed.
const IGNORED_RECORDS: [&str; 22] = [
    "062", "072", "082", "112", "152", "172", "182", "192", "222", "250", "260", "320", "330", "352", "801", "802",
    "XXC", "XXP", "XXA", "XXZ", "XXB", "XXE",
];

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

/// Reads a file.
pub(super) fn read(text: &str, complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut reading = TrfReader {
        sheet: TournamentFile::default(),
        cells: Vec::new(),
        byes: Vec::new(),
        asides: Vec::new(),
        round_limit: None,
    };
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
    /// Number of planned rounds, with its position.
    round_limit: Option<(u32, Location)>,
}

impl TrfReader {
    fn line(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        if let Some(aside) = line.text.strip_prefix("### damcast ") {
            self.asides.push((aside.trim_end().splitn(4, ' ').map(str::to_owned).collect(), line.place(0)));
            return;
        }
        let code = line.cell(0, 3);
        if is_passed_over(line, &code) {
            return;
        }
        let event = &mut self.sheet.event;
        let text = |to: &mut String, complaints: &mut ImportDiagnostics| {
            let found = clean_text(&line.cell(4, usize::MAX), line.place(4), complaints);
            if to.is_empty() {
                *to = found;
            } else if *to != found {
                complaints.note(line.place(0), format!("a second line {code}: the first one counts"));
            }
        };
        let is_separated = line.at(3) == ' ';
        if !is_separated {
            complaints.error(
                line.place(3),
                format!("{} stands where a blank follows the code of a line", quote(&line.cell(3, 4))),
            );
            return;
        }
        match code.as_str() {
            "001" => self.player(line, complaints),
            "012" => text(&mut event.name, complaints),
            "022" => text(&mut event.site, complaints),
            "032" => text(&mut event.federation, complaints),
            "042" => text(&mut event.start, complaints),
            "052" => text(&mut event.end, complaints),
            "092" => {}
            "102" => text(&mut event.arbiter, complaints),
            "122" => text(&mut event.time_control, complaints),
            "132" => self.dates(line),
            "142" | "XXR" => self.rounds(line, complaints),
            "162" | "XXS" => self.scoring(line, code == "XXS", complaints),
            "362" => self.match_scoring(line, complaints),
            "202" | "212" => self.tie_breaks(line, complaints),
            "013" => self.team(line, 36, None, complaints),
            "310" => self.team(line, 73, Some(line.trimmed(4, 7)), complaints),
            "240" => self.bye_list(line, complaints),
            "299" => self.penalty(line, complaints),
            "300" => self.lineup(line, complaints),
            code if IGNORED_RECORDS.contains(&code) => {}
            _ => complaints.error(line.place(0), format!("no line of a TRF begins with {}", quote(&code))),
        }
    }

    fn player(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        for column in [8, 13, 47, 52, 56, 68, 79, 84] {
            if line.at(column) != ' ' {
                let what = format!(
                    "{} stands where a blank separates two columns: is the line shifted?",
                    quote(&line.cell(column, column + 1))
                );
                complaints.error(line.place(column), what);
                return;
            }
        }
        let read = |from: usize, to: usize, complaints: &mut ImportDiagnostics| -> Option<u32> {
            let text = line.trimmed(from, to);
            if text.is_empty() {
                return None;
            }
            number(&text).map_err(|what| complaints.error(line.place(from), what)).ok()
        };
        let Some(starting) = read(4, 8, complaints).filter(|starting| *starting > 0) else {
            complaints.error(line.place(4), "the player has no starting number");
            return;
        };
        if self.sheet.players.iter().any(|other| other.number == Some(starting)) {
            complaints.error(line.place(4), format!("the starting number {starting} is given twice"));
            return;
        }
        let name = clean_text(&line.cell(14, 47), line.place(14), complaints);
        if name.is_empty() {
            complaints.error(line.place(14), format!("player {starting} has no name"));
            return;
        }
        let mut player = ListedPlayer::new(line.place(4), Some(starting), &name);
        player.sex = match line.at(9).to_ascii_lowercase() {
            ' ' => String::new(),
            'm' => "m".to_owned(),
            'w' | 'f' => "w".to_owned(),
            _ => {
                complaints.error(line.place(9), format!("{} is no sex: m, w or blank", quote(&line.cell(9, 10))));
                return;
            }
        };
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
            complaints.error(line.place(ROUNDS), format!("{rounds} rounds; {MOST_ROUNDS} are the most"));
            return;
        }
        let mut cells = Vec::with_capacity(rounds);
        for round in 0..rounds {
            cells.push(cell(line, ROUNDS + round * WIDTH, complaints));
        }
        self.sheet.players.push(player);
        self.cells.push(cells);
    }

    fn dates(&mut self, line: &TrfLine) {
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
    }

    fn rounds(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        match number(&line.trimmed(4, usize::MAX)) {
            Ok(rounds) if rounds <= MOST_ROUNDS => {
                self.sheet.planned = Some(rounds);
                self.round_limit = Some((rounds, line.place(0)));
            }
            Ok(rounds) => complaints.error(line.place(4), format!("{rounds} rounds; {MOST_ROUNDS} are the most")),
            Err(what) => complaints.error(line.place(4), what),
        }
    }

    /// Parses `W 2.0  D 1.0 ..`, or in the form of JaVaFo `W=2.0 D=1.0`, `WW=1.0 BW=1.0`.
    fn scoring(&mut self, line: &TrfLine, is_javafo: bool, complaints: &mut ImportDiagnostics) {
        let words = line.words(4);
        let pairs: Vec<(String, String, Location)> = if is_javafo {
            let split = |(word, place): &(String, Location)| {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                (name.to_owned(), value.to_owned(), *place)
            };
            words.iter().map(split).collect()
        } else {
            // The letter in column 6, its points in 7 to 10: `W 2.0`, `W12.0`.
            let mut pairs: Vec<(String, String, Location)> = Vec::new();
            for (word, place) in words {
                let is_value = word.starts_with(|c: char| !c.is_alphabetic());
                match pairs.last_mut().filter(|(_, value, _)| is_value && value.is_empty()) {
                    Some((_, value, _)) => *value = word,
                    None => {
                        let (name, value) =
                            word.split_at(word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len()));
                        pairs.push((name.to_owned(), value.to_owned(), place));
                    }
                }
            }
            pairs
        };
        let mut values: BTreeMap<String, Points> = BTreeMap::new();
        for (name, value, place) in pairs {
            match Points::parse(&value) {
                Some(points) => {
                    values.insert(name, points);
                }
                None => return complaints.error(place, format!("{} is not followed by points", quote(&name))),
            }
        }
        let of = |names: [&str; 2]| names.iter().find_map(|name| values.get(*name).copied());
        for (white, black) in [("WW", "BW"), ("WD", "BD"), ("WL", "BL")] {
            if let (Some(first), Some(second)) = (values.get(white), values.get(black))
                && first != second
            {
                return complaints.error(
                    line.place(4),
                    format!("{white} and {black} differ: points by colour cannot be counted here"),
                );
            }
        }
        let before = self.sheet.scoring.unwrap_or_default();
        let win = of(["W", "WW"]).unwrap_or(before.win);
        if win <= Points::ZERO {
            return complaints.error(line.place(4), "a win must be worth something");
        }
        let draw = of(["D", "WD"]).unwrap_or(before.draw);
        let scoring = Scoring {
            loss: of(["L", "WL"]).unwrap_or(Points::ZERO),
            bye: of(["P", "PAB"]).unwrap_or(win),
            absence: of(["A", "ZPB"]).or(values.get("Z").copied()).unwrap_or(Points::ZERO),
            win,
            draw,
            ..before
        };
        self.sheet.scoring = Some(scoring);
    }

    /// Parses `TW 2.0   TD 1.0   TL 0.0`.
    fn match_scoring(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        let default = Scoring::DRAUGHTS;
        let mut row = [default.match_win, default.match_draw, default.match_loss];
        for pair in line.words(4).chunks(2) {
            let [(name, place), (value, _)] = pair else { continue };
            let points = Points::parse(value);
            match (["TW", "TD", "TL"].iter().position(|known| known == name), points) {
                (Some(at), Some(points)) => row[at] = points,
                (None, Some(_)) => {}
                (_, None) => return complaints.error(*place, format!("{} is not followed by points", quote(name))),
            }
        }
        self.sheet.match_points = Some(row);
    }

    fn tie_breaks(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        let mut found = Vec::new();
        for code in
            line.trimmed(4, usize::MAX).split(',').map(str::trim).filter(|code| !code.is_empty() && *code != "PTS")
        {
            let tie = match code {
                "BH" | "BH:GP" => TieBreak::Solkoff,
                "BH/C1" => TieBreak::ShortTruncated,
                "BH/M1" => TieBreak::Median,
                "SB" => TieBreak::SonnebornBerger,
                "WIN" => TieBreak::Wins,
                "WON" => TieBreak::WinsPlayed,
                "DE" => TieBreak::DirectEncounter,
                _ => {
                    complaints.note(
                        line.place(4),
                        format!("the tie-break {} is not known here: none is taken over", quote(code)),
                    );
                    return;
                }
            };
            found.push(tie);
        }
        self.sheet.tie_breaks = found;
    }

    fn team(
        &mut self,
        line: &TrfLine,
        players_from: usize,
        number_text: Option<String>,
        complaints: &mut ImportDiagnostics,
    ) {
        let (from, to) = if number_text.is_some() { (8, 40) } else { (4, 36) };
        let mut name = line.trimmed(from, to);
        let mut own_number = None;
        match number_text {
            Some(text) => match number(&text) {
                Ok(number) => own_number = Some(number),
                Err(what) => return complaints.error(line.place(4), what),
            },
            // Some programs write the number of the team before its name.
            None => {
                if let Some((first, rest)) = name.split_once(' ')
                    && let Ok(number) = number(first)
                    && line.at(4) == ' '
                {
                    (own_number, name) = (Some(number), rest.trim().to_owned());
                }
            }
        }
        if name.is_empty() {
            return complaints.error(line.place(from), "the team has no name");
        }
        let mut players = Vec::new();
        for (word, place) in line.words(players_from) {
            match number(&word) {
                Ok(0) => {}
                Ok(player) => players.push(player),
                Err(what) => return complaints.error(place, what),
            }
        }
        if let Some(known) = self.sheet.teams.iter_mut().find(|team| team.name == name) {
            // 013 and 310 both have them.
            known.number = known.number.or(own_number);
            return;
        }
        let federation = if own_number.is_some() && players_from > 40 { line.trimmed(41, 46) } else { String::new() };
        let printed = || Some((Points::parse(&line.trimmed(54, 60))?, Points::parse(&line.trimmed(61, 67))?));
        let printed = if players_from > 40 { printed() } else { None };
        self.sheet.teams.push(ListedTeam {
            place: line.place(from),
            number: own_number,
            name,
            federation,
            players,
            printed,
        });
    }

    /// Parses `H   2    4    9`: letter, round, numbers.
    fn bye_list(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        let words = line.words(4);
        let letter = words.first().and_then(|(word, _)| word.chars().next()).unwrap_or(' ').to_ascii_uppercase();
        let mut numbers = Vec::new();
        for (word, place) in words.get(1..).unwrap_or_default() {
            match number(word) {
                Ok(found) => numbers.push((found, *place)),
                Err(what) => return complaints.error(*place, what),
            }
        }
        let Some(((round, place), of)) = numbers.split_first() else {
            return complaints.error(line.place(4), "a list of byes has a letter, a round and numbers");
        };
        if !"FHZU".contains(letter) || *round == 0 || *round > MOST_ROUNDS {
            return complaints.error(*place, "a list of byes has a letter F, H, Z or U, a round and numbers");
        }
        self.byes.extend(of.iter().map(|(number, place)| (letter, *round, *number, *place)));
    }

    /// Parses `299    -2.0   0.0         3`: match points, board points, an optional round, and the number.
    fn penalty(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        if line.at(4) != ' ' {
            // Points of forfeits in files for teams: results come from the players' lines.
            return;
        }
        let words = line.words(4);
        let read = |at: usize| words.get(at).and_then(|(word, _)| Points::parse(word));
        let whose = words.last().filter(|_| words.len() > 2).and_then(|(word, _)| number(word).ok());
        let (Some(match_points), Some(points), Some(whose)) = (read(0), read(1), whose) else {
            return complaints.error(line.place(4), "a penalty has match points, board points and a number");
        };
        let reason = if words.len() > 3 { format!("penalty of round {}", words[2].0) } else { "penalty".to_owned() };
        self.sheet.penalties.push(Penalty { place: line.place(4), number: whose, match_points, points, reason });
    }

    /// Parses `300   1   1   4    1    5    9`: round, team, its opponent, players in the order of the boards.
    fn lineup(&mut self, line: &TrfLine, complaints: &mut ImportDiagnostics) {
        let mut numbers = Vec::new();
        for (word, place) in line.words(4) {
            match number(&word) {
                Ok(found) => numbers.push(found),
                Err(what) => return complaints.error(place, what),
            }
        }
        let [round, team, _, players @ ..] = numbers.as_slice() else {
            return complaints.error(line.place(4), "a line-up has a round, a team, its opponent, and players");
        };
        self.sheet.matches.push(ListedMatch { round: *round, team: *team, players: players.to_vec() });
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
            for round in 0..self.cells[at].len() {
                let Some(cell) = self.cells[at][round] else { continue };
                if round as u32 + 1 > last.0 {
                    last = (round as u32 + 1, cell.place);
                }
                let who = |at: usize, place: Location| PlayerRef::numbered(place, self.sheet.players[at].number);
                if cell.opponent == 0 {
                    let me = who(at, cell.place);
                    self.alone(at, round as u32 + 1, cell, me, complaints);
                    continue;
                }
                let own = self.sheet.players[at].number.unwrap_or(0);
                let Some(&other) = by_number.get(&cell.opponent) else {
                    complaints.error(
                        cell.place,
                        format!(
                            "player {own} meets {} in round {}, and there is no such player",
                            cell.opponent,
                            round + 1
                        ),
                    );
                    continue;
                };
                if other == at {
                    complaints.error(cell.place, format!("player {own} meets himself in round {}", round + 1));
                    continue;
                }
                let Some(answer) =
                    self.cells[other].get(round).copied().flatten().filter(|answer| answer.opponent == own)
                else {
                    complaints.error(
                        cell.place,
                        format!("player {own} meets {} in round {}, who does not meet him", cell.opponent, round + 1),
                    );
                    continue;
                };
                if other < at {
                    continue;
                }
                match outcome(cell, answer, self.is_decided(round as u32 + 1, [own, cell.opponent])) {
                    Ok((outcome, is_white)) => {
                        let (white, black) = if is_white { (at, other) } else { (other, at) };
                        let drawn = ListedPairing {
                            place: cell.place,
                            round: round as u32 + 1,
                            board: None,
                            white: Some(who(white, cell.place)),
                            black: Some(who(black, answer.place)),
                            outcome,
                            result_location: cell.place,
                            stage: None,
                            time_control: String::new(),
                        };
                        self.sheet.pairings.push(drawn);
                    }
                    Err(what) => {
                        let line = answer.place.line;
                        complaints.error(
                            cell.place,
                            format!("players {own} and {} (line {line}) in round {}: {what}", cell.opponent, round + 1),
                        );
                    }
                }
            }
        }
        if let Some((limit, _)) = self.round_limit.filter(|(limit, _)| last.0 > *limit) {
            complaints
                .error(last.1, format!("round {} of {limit}: are there more rounds than XXR or 142 says?", last.0));
        }
        self.apply_asides(&by_number, complaints);
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
