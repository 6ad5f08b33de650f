//! Tables: lists of players, pairings of rounds, crosstables. Columns are identified by their headers, in four languages.
//!
//! | table | must have | a row is |
//! |---|---|---|
//! | players | Name | a player |
//! | pairings | Round, White and Black (or their numbers) | a game, or a bye if one side is empty |
//! | crosstable | Name, rounds as `R1` or `1.Rd` | a player with their rounds: `2/15w`, `68b2` |
//!
//! Separators are `;`, `,`, tab and `|`: the one that yields known headers. Lines above the headers are ignored; lines that begin with `#`
//! are comments. The grammar is that of RFC 4180. It is implemented here because each problem needs its line and column, which crates for
//! CSV do not provide.

mod crosstable;
mod result;

use std::collections::BTreeMap;

use draughts_pdn::problem::quote;
use draughts_pdn::{Location, Problem};

use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedPlayer, ListedResult, MOST_ROUNDS, PlayerRef, TournamentFile,
    clean_name, clean_text, fault, is_bye_name, normalised, number, parse_extension_comment,
};
use crosstable::crosstable;
use result::{ReasonCell, bye_from_row, is_in_chess_points, outcome, reason};

use crate::{MicroMatchStage, ResultReason};

/// Meaning of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Column {
    Round,
    Board,
    Number,
    White,
    Black,
    WhiteNumber,
    BlackNumber,
    Result,
    Reason,
    Name,
    Title,
    Rating,
    Federation,
    Team,
    Id,
    Birth,
    Sex,
    WhiteTeam,
    BlackTeam,
    Stage,
    TimeControl,
    Place,
    Points,
    Ignored,
    /// A round of a crosstable.
    Cell(u32),
}

/// The columns, their names for `--columns`, and their headers in normalised form, separated by `|`.
const COLUMNS: [(Column, &str, &str); 24] = [
    (Column::Round, "Round", "round|rd|r|ronde|tour|тур"),
    (Column::Board, "Board", "board|table|bd|bord|bordnr|paring|tafel|echiquier|damier|доска|стол"),
    (Column::Number, "Number", "no|nr|number|start number|startno|start no|sno|s no|snr|nummer|startnr|numero|номер|№"),
    (Column::White, "White", "white|wit|blanc|blancs|белые"),
    (Column::Black, "Black", "black|zwart|noir|noirs|черные"),
    (
        Column::WhiteNumber,
        "White-number",
        "no white|white no|wno|nr wit|n blancs|no blancs|numero blancs|№ белых|номер белых",
    ),
    (
        Column::BlackNumber,
        "Black-number",
        "no black|black no|bno|nr zwart|n noirs|no noirs|numero noirs|№ черных|номер черных",
    ),
    (Column::Result, "Result", "result|res|uitslag|resultat|результат"),
    (Column::Reason, "Reason", "reason|reden|motif|причина"),
    (Column::Name, "Name", "name|player|naam|speler|nom|joueur|имя|игрок|фио|mannschaft|nom du joueur"),
    (Column::Title, "Title", "title|titel|titre|звание"),
    (Column::Rating, "Rating", "rating|elo|rtg|klassement|classement|рейтинг|fmjd"),
    (Column::Federation, "Federation", "fed|federation|land|cn|pays|федерация|страна|country"),
    (Column::Team, "Team", "team|club|ploeg|equipe|команда|клуб"),
    (Column::Id, "Id", "id|fmjd id|fide id|bondsnummer|licence"),
    (Column::Birth, "Birth", "birth|birthday|geboren|naissance|дата рожд|дата рождения"),
    (Column::Sex, "Sex", "sex|geslacht|sexe|пол|m v|m w|m f"),
    (Column::WhiteTeam, "White-team", "white team|team white|team wit|equipe blancs|команда белых"),
    (Column::BlackTeam, "Black-team", "black team|team black|team zwart|equipe noirs|команда черных"),
    (Column::Stage, "Stage", "stage|fase|phase|стадия"),
    (Column::TimeControl, "Time-control", "time control|tempo|speeltempo|cadence|cadence de jeu|контроль времени"),
    (Column::Place, "Place", "pl|place|plaats|rank|rk|rang|pos|место"),
    (Column::Points, "Points", "pt|pts|points|punten|total|totaal|очки"),
    (Column::Ignored, "Ignore", "ssolk|solk|sb|p2|buchholz|tb1|tb2|tb3|tb4|tb5|tb6|n|games|partijen"),
];

/// A cell of a table, trimmed, with its position.
struct Cell {
    text: String,
    place: Location,
}

type Cells = Vec<Cell>;

/// Reads a file. `columns`: `Round=Tour,White=Blancs`.
pub(super) fn read(text: &str, columns: &str, complaints: &mut ImportDiagnostics) -> TournamentFile {
    let overrides = column_overrides(columns).map_err(|what| Problem::error(Location::START, what));
    let Some(overrides) = complaints.check(overrides) else { return TournamentFile::default() };
    let Some(mut rest) = complaints.check(rows_from_head(text, &overrides)) else { return TournamentFile::default() };
    let mut sheet = TournamentFile::default();
    while !rest.is_empty() {
        // Another table with its own headers may follow.
        let is_next = |row: &Cells| {
            row.iter().all(|cell| column_of(&cell.text, &overrides).is_some()) && is_head(row, &overrides)
        };
        let next = rest.iter().skip(1).position(is_next).map_or(rest.len(), |at| at + 1);
        let rows = rest.drain(..next).collect::<Vec<_>>();
        if rest.is_empty() {
            check_truncation(&rows, text, complaints);
        }
        let of_table = table(rows, &overrides, complaints);
        sheet.players.extend(of_table.players);
        sheet.pairings.extend(of_table.pairings);
        sheet.byes.extend(of_table.byes);
        sheet.scoring = sheet.scoring.or(of_table.scoring);
    }
    for (line, number) in text.lines().zip(1..) {
        let Some(aside) = line.strip_prefix(EXTENSION_COMMENT) else { continue };
        let (key, value) = aside.split_once(' ').unwrap_or((aside, ""));
        let place = Location { line: number, column: 1 };
        if parse_extension_comment(&mut sheet, key, value, place, complaints).is_none() {
            complaints.warn(place, "this comment of damcast cannot be understood: passed over");
        }
    }
    sheet
}

/// Returns the rows from the first headers on, split at the separator that yields most known headers.
fn rows_from_head(text: &str, overrides: &[(String, Column)]) -> Result<Vec<Cells>, Problem> {
    // Of equal candidates the first.
    let found = ['|', ',', '\t', ';'].into_iter().filter_map(|separator| {
        let (rows, unclosed) = rows(text, separator);
        let at = rows.iter().take(HEAD).position(|row| is_head(row, overrides))?;
        let known = rows[at].iter().filter(|cell| column_of(&cell.text, overrides).is_some()).count();
        Some((known, rows, at, unclosed))
    });
    let best = found.max_by_key(|(known, ..)| *known);
    match best.or_else(|| names_only_table(text, overrides)) {
        Some((_, _, _, Some(place))) => fault(place, "this quotation mark is never closed"),
        Some((_, rows, at, None)) => Ok(rows.into_iter().skip(at).collect()),
        None => {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
            let what = format!(
                "no row of headers in the first {HEAD} rows: players need Name, pairings need Round, White and Black; the first row is {}; \
                 say with --columns what they are called",
                quote(first)
            );
            fault(Location::START, what)
        }
    }
}

/// Reads a list of names alone, which has no separators.
fn names_only_table(
    text: &str,
    overrides: &[(String, Column)],
) -> Option<(usize, Vec<Cells>, usize, Option<Location>)> {
    let (rows, unclosed) = rows(text, ';');
    let is_name = |cell: &Cell| column_of(&cell.text, overrides) == Some(Column::Name);
    let is_list = rows.iter().all(|row| row.len() == 1) && rows.first().is_some_and(|row| is_name(&row[0]));
    is_list.then_some((1, rows, 0, unclosed))
}

/// Reports a truncated file: only its last row lacks cells, and that row has no end of line. The rest of such a row may be misleading.
fn check_truncation(rows: &[Cells], text: &str, complaints: &mut ImportDiagnostics) {
    let [others @ .., last] = rows else { return };
    let (Some(head), Some(cell)) = (others.first(), last.last()) else { return };
    let is_last_line = cell.place.line == text.lines().count() as u64 && !text.ends_with('\n');
    if is_last_line && last.len() < head.len() && others.iter().all(|row| row.len() >= head.len()) {
        let (cells, of) = (last.len(), head.len());
        complaints.error(
            cell.place,
            format!("the file ends within this row, after {cells} of {of} cells: is it half-written? A row that is meant so ends its line"),
        );
    }
}

/// Start of comments with facts in exported files.
pub(crate) const EXTENSION_COMMENT: &str = "# damcast ";

/// Reads a table, its headers first.
fn table(rows: Vec<Cells>, overrides: &[(String, Column)], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut rows = rows.into_iter();
    let mut heads: Vec<Column> = Vec::new();
    for cell in rows.next().unwrap_or_default() {
        let column = match column_of(&cell.text, overrides) {
            None if cell.text.is_empty() => Column::Ignored,
            Some(column) => column,
            None => {
                let names: Vec<&str> = COLUMNS.iter().map(|(_, name, _)| *name).collect();
                let what = format!(
                    "the header {} is not known; say with --columns NAME={} what it is; names are {}",
                    quote(&cell.text),
                    cell.text,
                    names.join(", ")
                );
                complaints.error(cell.place, what);
                Column::Ignored
            }
        };
        if column != Column::Ignored && heads.contains(&column) {
            complaints.error(cell.place, format!("a second column {}", quote(&cell.text)));
        }
        heads.push(column);
    }
    let width = heads.len();
    let mut table = Vec::new();
    for row in rows {
        let mut cells = BTreeMap::new();
        for (index, cell) in row.into_iter().enumerate() {
            match heads.get(index) {
                Some(Column::Ignored) => {}
                Some(column) => {
                    cells.insert(*column, cell);
                }
                None if cell.text.is_empty() => {}
                None => complaints
                    .error(cell.place, format!("a cell behind the last of the {width} columns: {}", quote(&cell.text))),
            }
        }
        if cells.values().any(|cell| !cell.text.is_empty()) {
            table.push(Row(cells));
        }
    }
    if complaints.has_error() {
        return TournamentFile::default();
    }
    if heads.iter().any(|head| matches!(head, Column::Cell(_))) && heads.contains(&Column::Name) {
        crosstable(&table, complaints)
    } else if heads.contains(&Column::Name) {
        players(&table, complaints)
    } else {
        pairings(&table, complaints)
    }
}

/// Number of rows in which the headers may be.
const HEAD: usize = 20;

fn column_overrides(columns: &str) -> Result<Vec<(String, Column)>, String> {
    let mut overrides = Vec::new();
    for pair in columns.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let known = pair.split_once('=').and_then(|(name, header)| {
            let found = COLUMNS.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name.trim()))?;
            Some((normalised(header), found.0))
        });
        overrides.push(known.ok_or_else(|| {
            let names: Vec<&str> = COLUMNS.iter().map(|(_, name, _)| *name).collect();
            format!("--columns: {} is not NAME=HEADER; names are {}", quote(pair), names.join(", "))
        })?);
    }
    Ok(overrides)
}

fn column_of(header: &str, overrides: &[(String, Column)]) -> Option<Column> {
    let header = normalised(header);
    if let Some((_, column)) = overrides.iter().find(|(known, _)| *known == header) {
        return Some(*column);
    }
    let is_it = |(column, name, headers): &&(Column, &str, &str)| {
        headers.split('|').any(|known| known == header)
            || (*column != Column::Ignored
                && name.len() == header.len()
                && name.replace('-', " ").eq_ignore_ascii_case(&header))
    };
    if let Some((column, _, _)) = COLUMNS.iter().find(is_it) {
        return Some(*column);
    }
    // `R1`, `1.Rd`, `rd 1`, `7`.
    let digits: String = header.chars().filter(char::is_ascii_digit).collect();
    let words = header.replace(|c: char| c.is_ascii_digit(), " ");
    let is_round =
        words.split_whitespace().all(|word| matches!(word, "r" | "rd" | "round" | "ronde" | "rnd" | "x rd" | "x"));
    number(&digits)
        .ok()
        .filter(|round| is_round && header.contains(&digits) && (1..=MOST_ROUNDS).contains(round))
        .map(Column::Cell)
}

fn is_head(row: &Cells, overrides: &[(String, Column)]) -> bool {
    let has = |column: Column| row.iter().any(|cell| column_of(&cell.text, overrides) == Some(column));
    let sides = [[Column::White, Column::Black], [Column::WhiteNumber, Column::BlackNumber]];
    // One word is not enough: the name of an event may be `Name`.
    row.len() > 1 && (has(Column::Name) || sides.iter().any(|side| side.iter().all(|column| has(*column))))
}

/// Returns the rows of a table, without empty ones and comments; and the position of an unclosed quotation mark.
fn rows(text: &str, separator: char) -> (Vec<Cells>, Option<Location>) {
    let mut rows: Vec<Cells> = Vec::new();
    let mut row: Cells = Vec::new();
    let mut place = Location::START;
    let mut cell = Cell { text: String::new(), place };
    let mut opened = None;
    let mut chars = text.chars().peekable();
    let mut is_comment = text.starts_with('#');
    while let Some(c) = chars.next() {
        let next = if c == '\n' {
            Location { line: place.line + 1, column: 1 }
        } else {
            Location { column: place.column + 1, ..place }
        };
        if opened.is_some() {
            if c != '"' {
                cell.text.push(c);
            } else if chars.peek() == Some(&'"') {
                chars.next();
                cell.text.push('"');
                place = Location { column: next.column + 1, ..next };
                continue;
            } else {
                opened = None;
            }
        } else if c == '\n' {
            row.push(std::mem::replace(&mut cell, Cell { text: String::new(), place: next }));
            let whole = std::mem::take(&mut row);
            if !is_comment && whole.iter().any(|cell| !cell.text.trim().is_empty()) {
                rows.push(whole);
            }
            is_comment = chars.peek() == Some(&'#');
        } else if is_comment {
        } else if c == separator {
            row.push(std::mem::replace(&mut cell, Cell { text: String::new(), place: next }));
        } else if c == '"' && cell.text.trim().is_empty() {
            opened = Some(place);
            cell.text.clear();
        } else {
            cell.text.push(c);
        }
        place = next;
    }
    row.push(cell);
    if !is_comment && row.iter().any(|cell| !cell.text.trim().is_empty()) {
        rows.push(row);
    }
    for cell in rows.iter_mut().flatten() {
        cell.text = cell.text.trim().to_owned();
    }
    (rows, opened)
}

/// A row of a table: its cells by the meaning of their columns.
struct Row(BTreeMap<Column, Cell>);

impl Row {
    /// Returns the text of a column; empty if there is none.
    fn text(&self, column: Column) -> &str {
        self.0.get(&column).map_or("", |cell| cell.text.as_str())
    }

    /// Returns the position of a column, or that of the row.
    fn place(&self, column: Column) -> Location {
        let first = || self.0.values().map(|cell| cell.place).min();
        self.0.get(&column).map(|cell| cell.place).or_else(first).unwrap_or(Location::START)
    }

    /// Returns the text of a column in a form that is safe to show.
    fn clean_text(&self, column: Column, complaints: &mut ImportDiagnostics) -> String {
        clean_text(self.text(column), self.place(column), complaints)
    }

    /// Returns the number in a column, from 1.
    fn number(&self, column: Column, complaints: &mut ImportDiagnostics) -> Option<u32> {
        let text = self.text(column);
        if text.is_empty() {
            return None;
        }
        match number(text.trim_end_matches('.')) {
            Ok(0) => complaints.reject(self.place(column), format!("{} is no number from 1 on", quote(text))),
            Ok(found) => Some(found),
            Err(what) => complaints.reject(self.place(column), what),
        }
    }
}

/// Returns a player of a list or of a crosstable.
fn listed(row: &Row, complaints: &mut ImportDiagnostics) -> Option<ListedPlayer> {
    let place = row.place(Column::Name);
    let name = clean_name(row.text(Column::Name), place, complaints);
    if name.is_empty() {
        return complaints.reject(place, "this row has no name");
    }
    let mut player = ListedPlayer::new(place, row.number(Column::Number, complaints), &name);
    player.title = row.clean_text(Column::Title, complaints);
    // `A 2339`: a class before the rating.
    let rating = row.text(Column::Rating).rsplit(' ').next().unwrap_or("");
    if !rating.is_empty() {
        match number(rating) {
            Ok(rating) => player.rating = Some(rating).filter(|rating| *rating > 0),
            Err(_) if rating.chars().all(|c| c.is_ascii_alphabetic() || c == '-') => {}
            Err(what) => complaints.error(row.place(Column::Rating), format!("{what}: a rating is one")),
        }
    }
    player.federation = row.clean_text(Column::Federation, complaints);
    player.team = row.clean_text(Column::Team, complaints);
    player.licence = row.clean_text(Column::Id, complaints);
    player.birth = row.clean_text(Column::Birth, complaints);
    player.sex = match normalised(row.text(Column::Sex)).as_str() {
        "" => "",
        "m" | "male" | "man" | "h" | "м" => "m",
        "w" | "f" | "v" | "female" | "vrouw" | "ж" => "w",
        other => {
            complaints.error(row.place(Column::Sex), format!("{} is no sex: m or w", quote(other)));
            ""
        }
    }
    .to_owned();
    Some(player)
}

fn players(table: &[Row], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut sheet = TournamentFile::default();
    let mut numbers = BTreeMap::new();
    for row in table {
        let Some(player) = listed(row, complaints) else { continue };
        if let Some(number) = player.number
            && let Some(other) = numbers.insert(number, player.place.line)
        {
            let what = format!("the number {number} is given twice, also in line {other}");
            complaints.error(row.place(Column::Number), what);
        }
        sheet.players.push(player);
    }
    sheet
}

fn pairings(table: &[Row], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut sheet = TournamentFile::default();
    let mut is_in_other_points = false;
    for row in table {
        let Some(result) = pairing(row, &mut sheet, complaints) else { continue };
        if is_in_chess_points(result) && !is_in_other_points {
            is_in_other_points = true;
            let is_win = result.starts_with('1') && !result.contains(['½', '/']);
            let meaning = if is_win { "win of White, as 2-0" } else { "result in points of 1-½-0" };
            complaints.note(row.place(Column::Result), format!("{} is read as a {meaning}", quote(result)));
        }
    }
    sheet
}

/// Adds the game or the bye of a row. Returns the result of a game. Reports every problem of the row: a file with an error is not imported.
fn pairing<'r>(row: &'r Row, sheet: &mut TournamentFile, complaints: &mut ImportDiagnostics) -> Option<&'r str> {
    let round = round(row, complaints);
    let white = player(row, [Column::White, Column::WhiteNumber, Column::WhiteTeam], complaints);
    let black = player(row, [Column::Black, Column::BlackNumber, Column::BlackTeam], complaints);
    let board = row.number(Column::Board, complaints);
    let place = row.place(Column::Result);
    let (result, reason) = result_and_reason(row, complaints);
    let is_bye = matches!(reason, ReasonCell::Bye(_));
    let [white, black] = if is_bye { without_nobody([white, black]) } else { [white, black] };
    let is_white = white.is_some();
    let alone = match (&white, &black) {
        (None, None) => return complaints.reject(row.place(Column::White), "this row has neither white nor black"),
        (Some(who), None) | (None, Some(who)) => Some(who),
        (Some(_), Some(_)) => None,
    };
    let is_of_a_team = !row.text(Column::WhiteTeam).is_empty() || !row.text(Column::BlackTeam).is_empty();
    let has_said = !matches!(result, "" | "*") || reason != ReasonCell::Nothing;
    let is_decided = matches!(reason, ReasonCell::Of(ResultReason::Arbiter | ResultReason::NotPlayed));
    let mut of_one_player = None;
    if let Some(who) = alone.filter(|_| (!is_of_a_team && has_said && !is_decided) || is_bye) {
        let Some((why, points)) = bye_from_row(result, reason, is_white) else {
            let advice = "a bye or a forfeit says so in a column Reason";
            let what = format!("{} is no result of a round without an opponent: {advice}", quote(result));
            return complaints.reject(place, what);
        };
        if board.is_none() {
            sheet.byes.push(ListedBye { round, who: who.clone(), why, points });
            return None;
        }
        of_one_player = Some(ListedResult::OnePlayer { is_white, why, points });
    } else if !has_said && alone.is_some() {
        let what = "this row has one player and no result: the pairing waits for an opponent or for a result; a bye says so in Result \
                    or Reason";
        complaints.note(place, what);
    }
    let stage = stage(row, complaints);
    if alone.is_none() && is_bye {
        return complaints.reject(place, "a bye has no opponent, and this row has two players");
    }
    // A player whose opponent's team leaves the board empty wins by forfeit.
    let is_forfeit = alone.is_some() && reason == ReasonCell::Nothing;
    let reason = if is_forfeit { ReasonCell::Of(ResultReason::Forfeit) } else { reason };
    let Some(outcome) = of_one_player.or_else(|| outcome(result, reason)) else {
        let what = format!("{} is no result, as 2-0, 1-1, 0-2, or * for none yet", quote(result));
        return complaints.reject(place, what);
    };
    let time_control = row.clean_text(Column::TimeControl, complaints);
    let drawn = ListedPairing::new(row.place(Column::White), round, [white, black], outcome);
    sheet.pairings.push(ListedPairing { board, result_location: place, stage, time_control, ..drawn });
    Some(result)
}

fn round(row: &Row, complaints: &mut ImportDiagnostics) -> u32 {
    let round = row.number(Column::Round, complaints).unwrap_or(1);
    if row.text(Column::Round).is_empty() {
        complaints.error(row.place(Column::Round), "this row has no round");
    }
    if round > MOST_ROUNDS {
        complaints.error(row.place(Column::Round), format!("round {round}; {MOST_ROUNDS} are the most"));
    }
    round
}

/// Returns one side of a pairing: name, number and team; `None` if there is neither name nor number. A name of digits is a number.
fn player(row: &Row, [name, number, team]: [Column; 3], complaints: &mut ImportDiagnostics) -> Option<PlayerRef> {
    let place = row.place(if row.text(name).is_empty() { number } else { name });
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if row.text(number).is_empty() && is_number(row.text(name)) {
        let number = row.number(name, complaints)?;
        let team = clean_text(row.text(team), place, complaints);
        return Some(PlayerRef::named(place, Some(number), String::new(), team));
    }
    let number = row.number(number, complaints);
    let name = Some(row.text(name)).filter(|name| *name != "-").unwrap_or_default();
    let name = clean_name(name, place, complaints);
    let team = clean_text(row.text(team), place, complaints);
    (number.is_some() || !name.is_empty()).then(|| PlayerRef::named(place, number, name, team))
}

/// Returns the result of a row and its reason, which may stand in the column of the result: `vrij`.
fn result_and_reason<'r>(row: &'r Row, complaints: &mut ImportDiagnostics) -> (&'r str, ReasonCell) {
    let text = row.text(Column::Reason);
    let reason = reason(text).unwrap_or_else(|| {
        complaints.error(row.place(Column::Reason), format!("the reason {} is not known", quote(text)));
        ReasonCell::Nothing
    });
    let result = row.text(Column::Result);
    match self::reason(result) {
        Some(ReasonCell::Bye(why)) if reason == ReasonCell::Nothing && result.contains(char::is_alphabetic) => {
            ("", ReasonCell::Bye(why))
        }
        _ => (result, reason),
    }
}

/// Removes the opponent of a bye whose name means a bye: `vrij`.
fn without_nobody(sides: [Option<PlayerRef>; 2]) -> [Option<PlayerRef>; 2] {
    let is_nobody = |who: &PlayerRef| who.number.is_none() && is_bye_name(&who.name);
    match sides {
        [Some(white), Some(black)] if is_nobody(&white) != is_nobody(&black) => {
            [white, black].map(|who| Some(who).filter(|who| !is_nobody(who)))
        }
        sides => sides,
    }
}

fn stage(row: &Row, complaints: &mut ImportDiagnostics) -> Option<MicroMatchStage> {
    match normalised(row.text(Column::Stage)).as_str() {
        "" => None,
        "standard" | "standaard" | "classic" | "стандарт" => Some(MicroMatchStage::Standard),
        "rapid" | "рапид" => Some(MicroMatchStage::Rapid),
        "blitz" | "sneldammen" | "блиц" => Some(MicroMatchStage::Blitz),
        other => {
            let what = format!("{} is no stage: standard, rapid, blitz", quote(other));
            complaints.reject(row.place(Column::Stage), what)
        }
    }
}
