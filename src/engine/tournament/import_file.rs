//! What a file says of a tournament, before it is laid over what is known: the common form of all formats.
//!
//! Bytes become text here: UTF-8 and UTF-16 with or without their marks, and where it is neither, Windows-1251 if its words are Russian, else
//! Windows-1252. Every end of a line is LF from then on, so lines and columns of complaints are those that an editor shows.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use draughts_pdn::encoding::decode;
use draughts_pdn::problem::quote;
use draughts_pdn::{Encoding, Level, Location, Problem, Problems, tag};

use super::points::Points;
use super::scoring::{MicroMatchStage, Scoring, TieBreak, UnplayedPolicy};
use super::{AdjustmentTarget, ByeKind, EventInfo, Id, ResultReason, Tournament, TournamentSection, csv, pdn, trf};

/// The formats of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Games without moves, as pairing programs export them.
    Pdn,
    /// A table: players, pairings, or a crosstable.
    Csv,
    /// FIDE's report file, of 2006, 2016 or 2026.
    Trf,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        match text {
            "pdn" => Ok(Format::Pdn),
            "csv" => Ok(Format::Csv),
            "trf" => Ok(Format::Trf),
            _ => Err(format!("`{text}` is no format of a tournament; there are pdn, csv, trf")),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Pdn => "pdn",
            Format::Csv => "csv",
            Format::Trf => "trf",
        })
    }
}

/// What a file says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TournamentFile {
    /// What it says of the event.
    pub event: EventInfo,
    /// What a result is worth, if it says so.
    pub scoring: Option<Scoring>,
    /// Are its results letters, which say no points?
    pub(super) has_letter_results: bool,
    /// Match points of a won, drawn and lost match, if it says so.
    pub match_points: Option<[Points; 3]>,
    /// How rounds without a game count, if it says so.
    pub unplayed: Option<UnplayedPolicy>,
    /// What orders those with equal points, if it says so.
    pub tie_breaks: Vec<TieBreak>,
    /// How many rounds there will be.
    pub planned: Option<u32>,
    pub(super) dates: Vec<(u32, String)>,
    pub(super) players: Vec<ListedPlayer>,
    pub(super) teams: Vec<ListedTeam>,
    pub(super) matches: Vec<ListedMatch>,
    pub(super) pairings: Vec<ListedPairing>,
    pub(super) byes: Vec<ListedBye>,
    pub(super) adjustments: Vec<ListedAdjustment>,
    pub(super) penalties: Vec<Penalty>,
    /// What is strange, with its places.
    pub notes: Vec<Problem>,
}

/// A player as a file lists him.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedPlayer {
    pub place: Location,
    pub number: Option<u32>,
    pub name: String,
    pub title: String,
    pub rating: Option<u32>,
    pub federation: String,
    pub licence: String,
    pub birth: String,
    pub sex: String,
    pub team: String,
    /// The points that the file gives him, and where they stand.
    pub stated_points: Option<(Points, Location)>,
    /// Rounds without opponent of which the file does not say what they are worth.
    pub unknown_byes: Vec<u32>,
}

impl ListedPlayer {
    pub fn new(place: Location, number: Option<u32>, name: &str) -> ListedPlayer {
        let none = String::new;
        ListedPlayer {
            place,
            number,
            name: name.to_owned(),
            title: none(),
            rating: None,
            federation: none(),
            licence: none(),
            birth: none(),
            sex: none(),
            team: none(),
            stated_points: None,
            unknown_byes: Vec::new(),
        }
    }
}

/// A team as a file lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedTeam {
    pub place: Location,
    pub number: Option<u32>,
    pub name: String,
    pub federation: String,
    /// The numbers of its players, in their order.
    pub players: Vec<u32>,
    /// Match points and board points that the file gives it.
    pub printed: Option<(Points, Points)>,
}

/// The line-up of a team in a round, by numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedMatch {
    pub round: u32,
    pub team: u32,
    pub players: Vec<u32>,
}

/// Somebody of whom a file speaks, by number, by name, or both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PlayerRef {
    pub place: Location,
    pub number: Option<u32>,
    pub name: String,
    pub team: String,
    /// Which of several players with this name and no number, from 0; `None`: it must be the name of one alone.
    pub nth: Option<usize>,
}

impl PlayerRef {
    pub fn numbered(place: Location, number: Option<u32>) -> PlayerRef {
        PlayerRef { place, number, name: String::new(), team: String::new(), nth: None }
    }

    pub fn named(place: Location, number: Option<u32>, name: String, team: String) -> PlayerRef {
        PlayerRef { place, number, name, team, nth: None }
    }
}

/// A pairing as a file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedPairing {
    pub place: Location,
    pub round: u32,
    pub board: Option<u32>,
    pub white: Option<PlayerRef>,
    pub black: Option<PlayerRef>,
    pub outcome: ListedResult,
    /// Where its result stands.
    pub result_location: Location,
    pub stage: Option<MicroMatchStage>,
    pub time_control: String,
}

/// A round without an opponent, as a file has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedBye {
    pub round: u32,
    pub who: PlayerRef,
    pub why: ByeKind,
    pub points: Option<Points>,
}

/// Points that the file gives or takes beside its games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ListedAdjustment {
    pub who: PlayerRef,
    pub points: Points,
    pub reason: String,
}

/// Points that the file gives to a team, or takes, by its number; of a tournament without teams to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Penalty {
    pub place: Location,
    pub number: u32,
    pub match_points: Points,
    pub points: Points,
    pub reason: String,
}

/// What one side has of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SideResult {
    Win,
    Draw,
    Loss,
}

/// The result of a game as a file has it, of white first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListedResult {
    Open,
    Letters(SideResult, SideResult, ResultReason),
    Points(Points, Points, Option<ResultReason>),
    /// Of one player without an opponent; the points only where the file says them.
    OnePlayer {
        is_white: bool,
        why: ByeKind,
        points: Option<Points>,
    },
}

/// Complaints about a file, while it is read.
pub(super) struct ImportDiagnostics(Problems);

impl ImportDiagnostics {
    pub fn new() -> ImportDiagnostics {
        ImportDiagnostics(Problems::default())
    }

    pub fn error(&mut self, place: Location, what: impl Into<String>) {
        self.0.push(Problem::error(place, what));
    }

    pub fn warn(&mut self, place: Location, what: impl Into<String>) {
        self.0.push(Problem::warning(place, what));
    }

    pub fn note(&mut self, place: Location, what: impl Into<String>) {
        self.0.push(Problem::note(place, what));
    }

    pub fn has_error(&self) -> bool {
        self.0.count(Level::Error) > 0
    }

    /// What was said, when the file is refused for it.
    pub fn into_errors(self) -> Vec<Problem> {
        self.0.into_sorted()
    }

    /// What was said, in the order of the file; an `Err` if anything was an error.
    pub fn finish(self) -> Result<Vec<Problem>, Vec<Problem>> {
        let is_refused = self.has_error();
        let problems = self.0.into_sorted();
        if is_refused { Err(problems) } else { Ok(problems) }
    }
}

/// A name, or another text of a person, is not longer: in characters.
const LONGEST: usize = 200;

/// A text of a file as it may be shown anywhere: trimmed, of one line.
pub(super) fn clean_text(text: &str, place: Location, complaints: &mut ImportDiagnostics) -> String {
    let text = text.trim();
    let length = text.chars().count();
    if length > LONGEST {
        complaints.error(place, format!("a text of {length} characters; {LONGEST} are the most"));
        return String::new();
    }
    if text.contains('\n') {
        complaints.note(place, "the line break within this text is a blank now");
    }
    text.replace('\n', " ")
}

/// The name of a person: one with nothing to read in it is none.
pub(super) fn clean_name(text: &str, place: Location, complaints: &mut ImportDiagnostics) -> String {
    let name = clean_text(text, place, complaints);
    if !name.is_empty() && !name.chars().any(char::is_alphanumeric) {
        complaints.error(place, format!("{} is no name: it has no letter", quote(&name)));
    }
    name
}

/// What tables call a round for which no opponent is left, or the opponent who is none, in four languages.
pub(super) fn is_bye_name(text: &str) -> bool {
    matches!(normalised(text).as_str(), "bye" | "vrij" | "exempt" | "libre" | "выходной" | "свободен")
}

impl TournamentFile {
    /// Counts as the arbiter says, whatever the file says of it.
    pub fn override_scoring(&mut self, scoring: Scoring) {
        if let Some(of_file) = self.scoring.replace(scoring).filter(|of_file| !of_file.same_game_points(&scoring)) {
            self.notes.push(Problem::note(Location::START, format!("the file counts {of_file}: it is told otherwise")));
        }
    }
}

/// Reads a file. `format`: found out if it is not told. `columns`: names of columns of a CSV, as `Round=Tour,White=Blancs`.
///
/// # Errors
///
/// All that could not be understood, each with line and column: then nothing of the file counts.
pub fn read(bytes: &[u8], format: Option<Format>, columns: &str) -> Result<TournamentFile, Vec<Problem>> {
    let mut complaints = ImportDiagnostics::new();
    let text = text_of(bytes, &mut complaints);
    if text.trim().is_empty() {
        complaints.error(Location::START, "the file is empty");
    }
    if complaints.has_error() {
        return Err(complaints.into_errors());
    }
    let format = format.unwrap_or_else(|| format_of(&text));
    let mut sheet = match format {
        Format::Trf => trf::read(&text, &mut complaints),
        Format::Csv => csv::read(&text, columns, &mut complaints),
        Format::Pdn => pdn::read(&text, &mut complaints),
    };
    if !complaints.has_error() && sheet.players.is_empty() && sheet.pairings.is_empty() && sheet.byes.is_empty() {
        complaints.error(Location::START, format!("there is no player and no pairing in this file, read as {format}"));
    }
    let counts = [
        (sheet.players.len(), MOST_PLAYERS, "players"),
        (sheet.pairings.len() + sheet.byes.len(), MOST_PAIRINGS, "pairings"),
    ];
    for (count, most, what) in counts {
        if count > most {
            complaints.error(Location::START, format!("{count} {what}; {most} are the most"));
        }
    }
    note_pdn_replacements(&sheet, &mut complaints);
    sheet.notes = complaints.finish()?;
    Ok(sheet)
}

/// What readers of PDN see instead of a text, if it would make them stumble.
pub fn pdn_replacement(text: &str) -> Option<String> {
    let shown = tag::reader_safe(text);
    (shown != text).then(|| {
        format!(
            "{} stands as {} in PDN, whose readers would stumble over it; JSON and the pages have it as it is",
            quote(text),
            quote(&shown)
        )
    })
}

/// Notes the texts that readers of PDN see otherwise, each once.
fn note_pdn_replacements(sheet: &TournamentFile, complaints: &mut ImportDiagnostics) {
    let event = [&sheet.event.name, &sheet.event.site].map(|text| (Location::START, text));
    let players = sheet.players.iter().flat_map(|player| [&player.name, &player.team].map(|text| (player.place, text)));
    let drawn = sheet.pairings.iter().flat_map(|drawn| [&drawn.white, &drawn.black]).flatten();
    let drawn = drawn.flat_map(|who| [&who.name, &who.team].map(|text| (who.place, text)));
    let teams = sheet.teams.iter().map(|team| (team.place, &team.name));
    let mut told = BTreeSet::new();
    for (place, text) in event.into_iter().chain(players).chain(teams).chain(drawn) {
        if let Some(what) = pdn_replacement(text)
            && told.insert(text)
        {
            complaints.note(place, what);
        }
    }
}

/// The format that a text seems to have.
fn format_of(text: &str) -> Format {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if lines.clone().any(|line| line.starts_with("001 ")) {
        Format::Trf
    } else if lines.any(|line| line.trim_start().starts_with('[') && line.trim_end().ends_with(']')) {
        Format::Pdn
    } else {
        Format::Csv
    }
}

/// A character that nobody sees and that turns the text around it, or makes two names of one.
pub fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text of a file, with LF at the end of lines. What no text of people has is an error.
fn text_of(bytes: &[u8], complaints: &mut ImportDiagnostics) -> String {
    let wide = |bytes: &[u8], from: fn([u8; 2]) -> u16| -> String {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let is_marked = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let unmarked = if is_marked { None } else { detect_utf16(bytes) };
    let is_wide = is_marked || unmarked.is_some();
    let is_russian = !is_wide && std::str::from_utf8(bytes).is_err() && is_windows_1251(bytes);
    let (text, first) = match bytes {
        [0xff, 0xfe, rest @ ..] => (wide(rest, u16::from_le_bytes), None),
        [0xfe, 0xff, rest @ ..] => (wide(rest, u16::from_be_bytes), None),
        _ if is_russian => (bytes.iter().map(|&byte| in_windows_1251(byte)).collect(), None),
        _ => match unmarked {
            Some(from) => (wide(bytes, from), None),
            None => decode(bytes, Encoding::Detect),
        },
    };
    let windows = first.filter(|_| std::str::from_utf8(bytes).is_err());
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_mixed = windows.is_some() && {
        // A text that is UTF-8 elsewhere is no text in Windows-1252: these bytes are a fault of the file.
        let (strict, _) = decode(bytes, Encoding::Utf8);
        strict.chars().any(|c| !c.is_ascii() && c != char::REPLACEMENT_CHARACTER)
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut place = Location::START;
    let mut reported = 0;
    for c in text.chars() {
        let is_odd = c.is_control() && !matches!(c, '\n' | '\t') || is_unseen(c) || c == char::REPLACEMENT_CHARACTER;
        // Some hundred say as much as all of them.
        if is_odd && reported < 100 {
            reported += 1;
            let code = u32::from(c);
            let why = if is_unseen(c) {
                "cannot be seen, and may make two names of one: take it out"
            } else {
                "is none of a text: is the file damaged, or in an encoding other than UTF-8, UTF-16, Windows-1252 and Windows-1251?"
            };
            complaints.error(place, format!("the character U+{code:04X} {why}"));
        }
        place = match c {
            '\n' => Location { line: place.line + 1, column: 1 },
            _ => Location { column: place.column + 1, ..place },
        };
    }
    if unmarked.is_some() {
        complaints.note(Location::START, "read as UTF-16, though its mark is missing");
    }
    if is_russian {
        complaints.note(first_not_ascii(&text), "read as Windows-1251, for its words are in Russian letters");
    }
    if windows.is_some() {
        let place = first_not_ascii(&text);
        let what = if is_mixed {
            "partly UTF-8, partly not: the rest is read as Windows-1252"
        } else {
            "read as Windows-1252"
        };
        if is_mixed { complaints.warn(place, what) } else { complaints.note(place, what) }
    }
    text
}

/// How UTF-16 without its mark is read: every other byte of what is not Russian is zero there, and none in between.
fn detect_utf16(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    // One zero alone is a damage.
    let is_often = |count: usize| count > 1 && count * 20 >= bytes.len();
    match (zeros(0), zeros(1)) {
        (0, odd) if is_often(odd) => Some(u16::from_le_bytes),
        (even, 0) if is_often(even) => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// Are these words of Russian letters in Windows-1251? Elsewhere a letter with an accent stands among letters of ASCII.
fn is_windows_1251(bytes: &[u8]) -> bool {
    let is_high = |byte: &u8| matches!(byte, 0xc0..=0xff | 0xa8 | 0xb8);
    let words = || bytes.split(|byte| !byte.is_ascii_alphabetic() && !is_high(byte));
    let is_capital = |byte: &u8| matches!(byte, 0xc0..=0xdf | 0xa8);
    let russian = words().filter(|word| word.len() > 2 && word.iter().all(is_high));
    // A capital within a word of small letters: other encodings of Russian have them the other way round.
    let (mut right, mut wrong) = (0, 0);
    for word in russian {
        let is_turned = !is_capital(&word[0]) && word[1..].iter().all(is_capital);
        *if is_turned { &mut wrong } else { &mut right } += 1;
    }
    let others = words().filter(|word| word.iter().any(is_high) && word.iter().any(u8::is_ascii_alphabetic)).count();
    right > others + wrong
}

/// The characters 0x80 to 0xBF of Windows-1251; those behind them are the alphabet.
const WINDOWS_1251: &str = "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї";

fn in_windows_1251(byte: u8) -> char {
    match byte {
        0..=0x7f => char::from(byte),
        0x80..=0xbf => WINDOWS_1251.chars().nth(usize::from(byte - 0x80)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from_u32(u32::from('А') + u32::from(byte - 0xc0)).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

fn first_not_ascii(text: &str) -> Location {
    let found = text.lines().zip(1..).find_map(|(line, number)| {
        line.chars().position(|c| !c.is_ascii()).map(|at| Location { line: number, column: at as u64 + 1 })
    });
    found.unwrap_or(Location::START)
}

/// The number of something, of at most six digits; words for a person if it is none.
pub(super) fn number(text: &str) -> Result<u32, String> {
    let digits = text.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{} is no number", quote(text)));
    }
    let small = Some(digits).filter(|digits| digits.len() <= 6).and_then(|digits| digits.parse().ok());
    small.ok_or_else(|| format!("{} is too large a number: six digits are the most", quote(text)))
}

/// No tournament has more players: what compares each with each takes seconds there.
const MOST_PLAYERS: usize = 5_000;
/// No file has more pairings and byes.
const MOST_PAIRINGS: usize = 50_000;

/// No tournament has more rounds.
pub(super) const MOST_ROUNDS: u32 = 200;

/// A text without case, accents, points and doubled blanks: as headers and names are compared.
pub(super) fn normalised(text: &str) -> String {
    const PLAIN: [(&str, char); 16] = [
        ("áàâäãåāąă", 'a'),
        ("çćčĉ", 'c'),
        ("ďđð", 'd'),
        ("éèêëēęěė", 'e'),
        ("ģğ", 'g'),
        ("íìîïīį", 'i'),
        ("ķ", 'k'),
        ("łļľĺ", 'l'),
        ("ñńņň", 'n'),
        ("óòôöõøōő", 'o'),
        ("ŕř", 'r'),
        ("śšşș", 's'),
        ("ťţț", 't'),
        ("úùûüūůűų", 'u'),
        ("ýÿ", 'y'),
        ("źżž", 'z'),
    ];
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        let plain = PLAIN.iter().find(|(accented, _)| accented.contains(c)).map_or(c, |(_, plain)| *plain);
        match plain {
            'ё' => folded.push('е'),
            'ß' => folded.push_str("ss"),
            '.' | '°' | ':' | '\'' | '’' => {}
            '-' | '_' | '/' | ',' => folded.push(' '),
            c if c.is_whitespace() => folded.push(' '),
            c => folded.push(c),
        }
    }
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a format has no place for, as our own files tell it in comments: `damcast KEY VALUE`.
pub(super) fn extension_comments(tournament: &Tournament, section: &TournamentSection) -> Vec<(&'static str, String)> {
    let EventInfo { name, site, federation, start, end, arbiter, time_control } = &tournament.event;
    let ties: Vec<&str> = section.tie_breaks.iter().map(|tie| tie.name()).collect();
    let mut asides = vec![
        ("event", name.clone()),
        ("site", site.clone()),
        ("federation", federation.clone()),
        ("start", start.clone()),
        ("end", end.clone()),
        ("arbiter", arbiter.clone()),
        ("time-control", time_control.clone()),
        ("scoring", section.scoring.to_string()),
        ("rounds", section.planned.map_or(String::new(), |planned| planned.to_string())),
        ("tie-breaks", ties.join(",")),
        (
            "unplayed",
            if section.unplayed == UnplayedPolicy::default() { String::new() } else { section.unplayed.to_string() },
        ),
    ];
    asides.extend(section.dates.iter().map(|(round, date)| ("date", format!("{round} {date}"))));
    asides.extend(section.teams.iter().map(|team| ("team", format!("{} {}", team.number, team.name))));
    let numbers = trf::numbers(section);
    let number_of = |id: Id| numbers.get(&id).copied().unwrap_or(0);
    for adjustment in &section.adjustments {
        asides.push(match adjustment.target {
            AdjustmentTarget::Player(id) => {
                ("points", format!("{} {} {}", number_of(id), adjustment.points, adjustment.reason))
            }
            AdjustmentTarget::Team(id) => {
                let number = section.team(id).map_or(0, |team| team.number);
                ("penalty", format!("{number} {} {} {}", adjustment.match_points, adjustment.points, adjustment.reason))
            }
        });
    }
    asides.retain(|(_, value)| !value.is_empty());
    asides
}

/// Takes an aside in. `None`: it cannot be understood.
pub(super) fn parse_extension_comment(
    sheet: &mut TournamentFile,
    key: &str,
    value: &str,
    place: Location,
    complaints: &mut ImportDiagnostics,
) -> Option<()> {
    let value = clean_text(value, place, complaints);
    let first = || value.split_once(' ').unwrap_or((&value, ""));
    match key {
        "event" => sheet.event.name = value,
        "site" => sheet.event.site = value,
        "federation" => sheet.event.federation = value,
        "start" => sheet.event.start = value,
        "end" => sheet.event.end = value,
        "arbiter" => sheet.event.arbiter = value,
        "time-control" => sheet.event.time_control = value,
        "scoring" => {
            let scoring: Scoring = value.parse().ok()?;
            sheet.scoring = Some(scoring);
            sheet.match_points = Some([scoring.match_win, scoring.match_draw, scoring.match_loss]);
        }
        "rounds" => sheet.planned = Some(number(&value).ok().filter(|rounds| *rounds <= MOST_ROUNDS)?),
        "tie-breaks" => sheet.tie_breaks = value.split(',').map(|tie| tie.parse().ok()).collect::<Option<_>>()?,
        "unplayed" => sheet.unplayed = Some(value.parse().ok()?),
        "date" => {
            let round = number(first().0).ok().filter(|round| *round <= MOST_ROUNDS)?;
            sheet.dates.retain(|(known, _)| *known != round);
            sheet.dates.push((round, first().1.to_owned()));
        }
        "team" => {
            let (own, name) = (number(first().0).ok()?, first().1.to_owned());
            let none = String::new();
            sheet.teams.push(ListedTeam {
                place,
                number: Some(own),
                name,
                federation: none,
                players: Vec::new(),
                printed: None,
            });
        }
        "points" => {
            let (points, reason) = first().1.split_once(' ').unwrap_or((first().1, ""));
            let who = PlayerRef::numbered(place, Some(number(first().0).ok()?));
            sheet.adjustments.push(ListedAdjustment { who, points: Points::parse(points)?, reason: reason.to_owned() });
        }
        "penalty" => {
            let mut words = value.splitn(4, ' ');
            let number = number(words.next()?).ok()?;
            let (match_points, points) = (Points::parse(words.next()?)?, Points::parse(words.next()?)?);
            let reason = words.next().unwrap_or_default().to_owned();
            sheet.penalties.push(Penalty { place, number, match_points, points, reason });
        }
        _ => return None,
    }
    Some(())
}
