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

use draughts_pdn::Location;
use draughts_pdn::problem::quote;

use crate::MicroMatchStage;
use crate::import::import_file::{
    ImportDiagnostics, ListedBye, ListedPairing, ListedPlayer, ListedResult, MOST_ROUNDS, PlayerRef, TournamentFile,
    clean_name, clean_text, is_bye_name, normalised, number, parse_extension_comment,
};
use crosstable::crosstable;
use result::{ReasonCell, bye_from_row, is_in_chess_points, outcome, reason};

use crate::ResultReason;

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

/// The columns, their names for `--columns`, and their headers in normalised form.
const COLUMNS: [(Column, &str, &[&str]); 24] = [
    (Column::Round, "Round", &["round", "rd", "r", "ronde", "tour", "тур"]),
    (
        Column::Board,
        "Board",
        &["board", "table", "bd", "bord", "bordnr", "paring", "tafel", "echiquier", "damier", "доска", "стол"],
    ),
    (
        Column::Number,
        "Number",
        &[
            "no",
            "nr",
            "number",
            "start number",
            "startno",
            "start no",
            "sno",
            "s no",
            "snr",
            "nummer",
            "startnr",
            "numero",
            "номер",
            "№",
        ],
    ),
    (Column::White, "White", &["white", "wit", "blanc", "blancs", "белые"]),
    (Column::Black, "Black", &["black", "zwart", "noir", "noirs", "черные"]),
    (
        Column::WhiteNumber,
        "White-number",
        &["no white", "white no", "wno", "nr wit", "n blancs", "no blancs", "numero blancs", "№ белых", "номер белых"],
    ),
    (
        Column::BlackNumber,
        "Black-number",
        &["no black", "black no", "bno", "nr zwart", "n noirs", "no noirs", "numero noirs", "№ черных", "номер черных"],
    ),
    (Column::Result, "Result", &["result", "res", "uitslag", "resultat", "результат"]),
    (Column::Reason, "Reason", &["reason", "reden", "motif", "причина"]),
    (
        Column::Name,
        "Name",
        &["name", "player", "naam", "speler", "nom", "joueur", "имя", "игрок", "фио", "mannschaft", "nom du joueur"],
    ),
    (Column::Title, "Title", &["title", "titel", "titre", "звание"]),
    (Column::Rating, "Rating", &["rating", "elo", "rtg", "klassement", "classement", "рейтинг", "fmjd"]),
    (Column::Federation, "Federation", &["fed", "federation", "land", "cn", "pays", "федерация", "страна", "country"]),
    (Column::Team, "Team", &["team", "club", "ploeg", "equipe", "команда", "клуб"]),
    (Column::Id, "Id", &["id", "fmjd id", "fide id", "bondsnummer", "licence"]),
    (Column::Birth, "Birth", &["birth", "birthday", "geboren", "naissance", "дата рожд", "дата рождения"]),
    (Column::Sex, "Sex", &["sex", "geslacht", "sexe", "пол", "m v", "m w", "m f"]),
    (Column::WhiteTeam, "White-team", &["white team", "team white", "team wit", "equipe blancs", "команда белых"]),
    (Column::BlackTeam, "Black-team", &["black team", "team black", "team zwart", "equipe noirs", "команда черных"]),
    (Column::Stage, "Stage", &["stage", "fase", "phase", "стадия"]),
    (
        Column::TimeControl,
        "Time-control",
        &["time control", "tempo", "speeltempo", "cadence", "cadence de jeu", "контроль времени"],
    ),
    (Column::Place, "Place", &["pl", "place", "plaats", "rank", "rk", "rang", "pos", "место"]),
    (Column::Points, "Points", &["pt", "pts", "points", "punten", "total", "totaal", "очки"]),
    (
        Column::Ignored,
        "Ignore",
        &["ssolk", "solk", "sb", "p2", "buchholz", "tb1", "tb2", "tb3", "tb4", "tb5", "tb6", "n", "games", "partijen"],
    ),
];

/// A cell of a table, trimmed, with its position.
struct Cell {
    text: String,
    place: Location,
}

type Cells = Vec<Cell>;

/// Reads a file. `columns`: `Round=Tour,White=Blancs`.
pub(super) fn read(text: &str, columns: &str, complaints: &mut ImportDiagnostics) -> TournamentFile {
    let overrides = match column_overrides(columns) {
        Ok(overrides) => overrides,
        Err(what) => {
            complaints.error(Location::START, what);
            return TournamentFile::default();
        }
    };
    let found = [';', '\t', ',', '|'].into_iter().filter_map(|separator| {
        let (rows, unclosed) = rows(text, separator);
        let at = rows.iter().take(HEAD).position(|row| is_head(row, &overrides))?;
        let known = rows[at].iter().filter(|cell| column_of(&cell.text, &overrides).is_some()).count();
        Some((known, rows, at, unclosed))
    });
    // Of equal candidates the first.
    let best = found.fold(None, |best: Option<(usize, Vec<Cells>, usize, Option<Location>)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    let best = best.or_else(|| names_only_table(text, &overrides));
    let Some((_, rows, at, unclosed)) = best else {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        let what = format!(
            "no row of headers in the first {HEAD} rows: players need Name, pairings need Round, White and Black; the first row is {}; \
             say with --columns what they are called",
            quote(first)
        );
        complaints.error(Location::START, what);
        return TournamentFile::default();
    };
    if let Some(place) = unclosed {
        complaints.error(place, "this quotation mark is never closed");
        return TournamentFile::default();
    }
    let mut rest = rows.into_iter().skip(at).collect::<Vec<_>>();
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
        let Some((key, value)) =
            line.strip_prefix(EXTENSION_COMMENT).map(|aside| aside.split_once(' ').unwrap_or((aside, "")))
        else {
            continue;
        };
        let place = Location { line: number, column: 1 };
        if parse_extension_comment(&mut sheet, key, value, place, complaints).is_none() {
            complaints.warn(place, "this comment of damcast cannot be understood: passed over");
        }
    }
    sheet
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
    let mut table: Vec<BTreeMap<Column, Cell>> = Vec::new();
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
            table.push(cells);
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
    let is_it = |(column, name, headers): &&(Column, &str, &[&str])| {
        headers.contains(&header.as_str())
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

/// Returns the text of a column of a row; empty if there is none.
fn text_of(row: &BTreeMap<Column, Cell>, column: Column) -> &str {
    row.get(&column).map_or("", |cell| cell.text.as_str())
}

fn place_of(row: &BTreeMap<Column, Cell>, column: Column) -> Location {
    let first = row.values().map(|cell| cell.place).min();
    row.get(&column).map(|cell| cell.place).or(first).unwrap_or(Location::START)
}

fn number_of(row: &BTreeMap<Column, Cell>, column: Column, complaints: &mut ImportDiagnostics) -> Option<u32> {
    let text = text_of(row, column);
    if text.is_empty() {
        return None;
    }
    match number(text.trim_end_matches('.')) {
        Ok(0) => {
            complaints.error(place_of(row, column), format!("{} is no number from 1 on", quote(text)));
            None
        }
        Err(what) => {
            complaints.error(place_of(row, column), what);
            None
        }
        Ok(found) => Some(found),
    }
}

/// Returns a player of a list or of a crosstable.
fn listed(row: &BTreeMap<Column, Cell>, complaints: &mut ImportDiagnostics) -> Option<ListedPlayer> {
    let place = place_of(row, Column::Name);
    let name = clean_name(text_of(row, Column::Name), place, complaints);
    if name.is_empty() {
        complaints.error(place, "this row has no name");
        return None;
    }
    let text = |column: Column, complaints: &mut ImportDiagnostics| {
        clean_text(text_of(row, column), place_of(row, column), complaints)
    };
    let mut player = ListedPlayer::new(place, number_of(row, Column::Number, complaints), &name);
    player.title = text(Column::Title, complaints);
    // `A 2339`: a class before the rating.
    let rating = text_of(row, Column::Rating).rsplit(' ').next().unwrap_or("");
    if !rating.is_empty() {
        match number(rating) {
            Ok(rating) => player.rating = Some(rating).filter(|rating| *rating > 0),
            Err(_) if rating.chars().all(|c| c.is_ascii_alphabetic() || c == '-') => {}
            Err(what) => complaints.error(place_of(row, Column::Rating), format!("{what}: a rating is one")),
        }
    }
    player.federation = text(Column::Federation, complaints);
    player.team = text(Column::Team, complaints);
    player.licence = text(Column::Id, complaints);
    player.birth = text(Column::Birth, complaints);
    player.sex = match normalised(text_of(row, Column::Sex)).as_str() {
        "" => String::new(),
        "m" | "male" | "man" | "h" | "м" => "m".to_owned(),
        "w" | "f" | "v" | "female" | "vrouw" | "ж" => "w".to_owned(),
        other => {
            complaints.error(place_of(row, Column::Sex), format!("{} is no sex: m or w", quote(other)));
            String::new()
        }
    };
    Some(player)
}

fn players(table: &[BTreeMap<Column, Cell>], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut sheet = TournamentFile::default();
    let mut numbers = BTreeMap::new();
    for row in table {
        let Some(player) = listed(row, complaints) else { continue };
        if let Some(number) = player.number
            && let Some(other) = numbers.insert(number, player.place.line)
        {
            complaints.error(
                place_of(row, Column::Number),
                format!("the number {number} is given twice, also in line {other}"),
            );
        }
        sheet.players.push(player);
    }
    sheet
}

fn pairings(table: &[BTreeMap<Column, Cell>], complaints: &mut ImportDiagnostics) -> TournamentFile {
    let mut sheet = TournamentFile::default();
    let mut is_of_one_point = 0;
    for row in table {
        // Report every problem of a row: a file with an error is not imported.
        let round = number_of(row, Column::Round, complaints);
        if text_of(row, Column::Round).is_empty() {
            complaints.error(place_of(row, Column::Round), "this row has no round");
        }
        let round = round.unwrap_or(1);
        if round > MOST_ROUNDS {
            complaints.error(place_of(row, Column::Round), format!("round {round}; {MOST_ROUNDS} are the most"));
        }
        let mut who = |name: Column, of_number: Column, team: Column| {
            let place = place_of(row, if text_of(row, name).is_empty() { of_number } else { name });
            let number = number_of(row, of_number, complaints);
            let name = Some(text_of(row, name)).filter(|name| *name != "-").unwrap_or_default();
            let name = clean_name(name, place, complaints);
            let team = clean_text(text_of(row, team), place, complaints);
            (number.is_some() || !name.is_empty()).then(|| PlayerRef::named(place, number, name, team))
        };
        let white = who(Column::White, Column::WhiteNumber, Column::WhiteTeam);
        let black = who(Column::Black, Column::BlackNumber, Column::BlackTeam);
        let board = number_of(row, Column::Board, complaints);
        let place = place_of(row, Column::Result);
        let reason = reason(text_of(row, Column::Reason)).unwrap_or_else(|| {
            let what = format!("the reason {} is not known", quote(text_of(row, Column::Reason)));
            complaints.error(place_of(row, Column::Reason), what);
            ReasonCell::Nothing
        });
        let result = text_of(row, Column::Result);
        // `vrij` in the column of the result.
        let (result, reason) = match self::reason(result) {
            Some(ReasonCell::Bye(why)) if reason == ReasonCell::Nothing && result.contains(char::is_alphabetic) => {
                ("", ReasonCell::Bye(why))
            }
            _ => (result, reason),
        };
        // `vrij` as the opponent.
        let is_nobody = |who: &PlayerRef| who.number.is_none() && is_bye_name(&who.name);
        let (white, black) = match (white, black) {
            (Some(white), Some(black)) if matches!(reason, ReasonCell::Bye(_)) => {
                let is_alone = is_nobody(&white) != is_nobody(&black);
                let of = |who: PlayerRef| Some(who).filter(|who| !is_alone || !is_nobody(who));
                (of(white), of(black))
            }
            sides => sides,
        };
        let is_of_a_team = !text_of(row, Column::WhiteTeam).is_empty() || !text_of(row, Column::BlackTeam).is_empty();
        let (one, other) = match (&white, &black) {
            (None, None) => {
                complaints.error(place_of(row, Column::White), "this row has neither white nor black");
                continue;
            }
            _ => (white, black),
        };
        let is_white = one.is_some();
        let alone = [&one, &other].into_iter().flatten().next().filter(|_| one.is_none() || other.is_none()).cloned();
        let has_said = !matches!(result, "" | "*") || reason != ReasonCell::Nothing;
        let is_decided = matches!(reason, ReasonCell::Of(ResultReason::Arbiter | ResultReason::NotPlayed));
        let is_free = (!is_of_a_team && has_said && !is_decided) || matches!(reason, ReasonCell::Bye(_));
        let mut free_outcome = None;
        if let Some(who) = alone.filter(|_| is_free) {
            match bye_from_row(result, reason, is_white) {
                Some((why, points)) if board.is_none() => {
                    sheet.byes.push(ListedBye { round, who, why, points });
                    continue;
                }
                Some((why, points)) => free_outcome = Some(ListedResult::OnePlayer { is_white, why, points }),
                None => {
                    let what = format!(
                        "{} is no result of a round without an opponent: a bye or a forfeit says so in a column Reason",
                        quote(result)
                    );
                    complaints.error(place, what);
                    continue;
                }
            }
        } else if !has_said && (one.is_none() || other.is_none()) {
            let what = "this row has one player and no result: the pairing waits for an opponent or for a result; a bye says so in Result \
                        or Reason";
            complaints.note(place, what);
        }
        let stage = match normalised(text_of(row, Column::Stage)).as_str() {
            "" => None,
            "standard" | "standaard" | "classic" | "стандарт" => Some(MicroMatchStage::Standard),
            "rapid" | "рапид" => Some(MicroMatchStage::Rapid),
            "blitz" | "sneldammen" | "блиц" => Some(MicroMatchStage::Blitz),
            other => {
                let what = format!("{} is no stage: standard, rapid, blitz", quote(other));
                complaints.error(place_of(row, Column::Stage), what);
                None
            }
        };
        // A player whose opponent's team leaves the board empty wins by forfeit.
        let is_empty_board = one.is_none() || other.is_none();
        let reason = if is_empty_board && reason == ReasonCell::Nothing {
            ReasonCell::Of(ResultReason::Forfeit)
        } else {
            reason
        };
        if !is_empty_board && matches!(reason, ReasonCell::Bye(_)) {
            complaints.error(place, "a bye has no opponent, and this row has two players");
            continue;
        }
        let Some(outcome) = free_outcome.or_else(|| outcome(result, reason)) else {
            complaints.error(place, format!("{} is no result, as 2-0, 1-1, 0-2, or * for none yet", quote(result)));
            continue;
        };
        if is_in_chess_points(result) {
            is_of_one_point += 1;
            if is_of_one_point == 1 {
                complaints.note(
                    place,
                    format!(
                        "{} is read as a {}",
                        quote(result),
                        if result.starts_with('1') && !result.contains(['½', '/']) {
                            "win of white"
                        } else {
                            "result in points of 1-½-0"
                        }
                    ),
                );
            }
        }
        let time_control =
            clean_text(text_of(row, Column::TimeControl), place_of(row, Column::TimeControl), complaints);
        let place = place_of(row, Column::White);
        let told_at = place_of(row, Column::Result);
        let (white, black) = (one, other);
        sheet.pairings.push(ListedPairing {
            place,
            round,
            board,
            white,
            black,
            outcome,
            result_location: told_at,
            stage,
            time_control,
        });
    }
    sheet
}
