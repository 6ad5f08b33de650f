//! Content of a tournament file before merging: the common form of all formats.

use std::collections::BTreeSet;

use draughts_pdn::problem::quote;
use draughts_pdn::{Level, Location, Problem, Problems, tag};

use crate::value::event_info::check_fact;
use crate::{
    ByeKind, EventInfo, MicroMatchStage, Points, ResultReason, ScheduledMoment, Scoring, TieBreak, UnplayedPolicy,
};

/// Content of a tournament file.
///
/// # Examples
///
/// ```
/// use draughts_tournament::read;
/// let problems = read(b"Round;White;Black;Result\n1;Ann;Bob;7x\n", None, "").unwrap_err();
/// assert_eq!(problems[0].location.line, 2);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TournamentFile {
    /// Facts about the event.
    pub event: EventInfo,
    /// Points of results, if the file has them.
    pub scoring: Option<Scoring>,
    /// Whether results are letters, without points.
    pub(crate) has_letter_results: bool,
    /// Match points of a won, drawn and lost match, if the file has them.
    pub match_points: Option<[Points; 3]>,
    /// Policy for rounds without a game, if the file has one.
    pub unplayed: Option<UnplayedPolicy>,
    /// Tie-breaks; empty if the file has none.
    pub tie_breaks: Vec<TieBreak>,
    /// Number of planned rounds.
    pub planned: Option<u32>,
    pub(crate) dates: Vec<(u32, String)>,
    pub(crate) players: Vec<ListedPlayer>,
    pub(crate) teams: Vec<ListedTeam>,
    pub(crate) matches: Vec<ListedMatch>,
    pub(crate) pairings: Vec<ListedPairing>,
    pub(crate) byes: Vec<ListedBye>,
    pub(crate) adjustments: Vec<ListedAdjustment>,
    pub(crate) penalties: Vec<Penalty>,
    /// Oddities with their positions.
    pub notes: Vec<Problem>,
}

/// A player in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedPlayer {
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
    /// Points of the player in the file, with their position.
    pub stated_points: Option<(Points, Location)>,
    /// Rounds without an opponent whose points are not in the file.
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

/// A team in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedTeam {
    pub place: Location,
    pub number: Option<u32>,
    pub name: String,
    pub federation: String,
    /// Numbers of the team's players, in their order.
    pub players: Vec<u32>,
    /// Match points and board points of the team in the file.
    pub printed: Option<(Points, Points)>,
}

impl ListedTeam {
    pub fn new(place: Location, number: Option<u32>, name: String) -> ListedTeam {
        ListedTeam { place, number, name, federation: String::new(), players: Vec::new(), printed: None }
    }
}

/// Line-up of a team in a round, by numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedMatch {
    pub round: u32,
    pub team: u32,
    pub players: Vec<u32>,
}

/// Reference to a player in a file, by number, by name, or both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlayerRef {
    pub place: Location,
    pub number: Option<u32>,
    pub name: String,
    pub team: String,
    /// Index from 0 among several players with this name and without numbers; `None` if the name must be unique.
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

/// A pairing in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedPairing {
    pub place: Location,
    pub round: u32,
    pub board: Option<u32>,
    pub white: Option<PlayerRef>,
    pub black: Option<PlayerRef>,
    pub outcome: ListedResult,
    /// Position of the result.
    pub result_location: Location,
    pub stage: Option<MicroMatchStage>,
    pub time_control: String,
}

impl ListedPairing {
    /// Creates a pairing without a board, whose result stands at its own place.
    pub fn new(
        place: Location,
        round: u32,
        [white, black]: [Option<PlayerRef>; 2],
        outcome: ListedResult,
    ) -> ListedPairing {
        let (board, result_location, stage, time_control) = (None, place, None, String::new());
        ListedPairing { place, round, board, white, black, outcome, result_location, stage, time_control }
    }
}

/// A round without an opponent in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedBye {
    pub round: u32,
    pub who: PlayerRef,
    pub why: ByeKind,
    pub points: Option<Points>,
}

/// Points in a file that are added or deducted beside the games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedAdjustment {
    pub who: PlayerRef,
    pub points: Points,
    pub reason: String,
}

/// Points that the file adds or deducts for a team, by its number; in a tournament without teams, for a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Penalty {
    pub place: Location,
    pub number: u32,
    pub match_points: Points,
    pub points: Points,
    pub reason: String,
}

/// Result of one side of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SideResult {
    Win,
    Draw,
    Loss,
}

/// Result of a game in a file, White first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListedResult {
    Open,
    Letters(SideResult, SideResult, ResultReason),
    Points(Points, Points, Option<ResultReason>),
    /// Result of a player without an opponent; with points only if the file has them.
    OnePlayer {
        is_white: bool,
        why: ByeKind,
        points: Option<Points>,
    },
}

/// Returns the problem of a faulty part of a file.
pub(crate) fn fault<T>(place: Location, what: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::error(place, what))
}

/// Collector of problems while a file is read.
pub(crate) struct ImportDiagnostics(Problems);

impl ImportDiagnostics {
    pub fn new() -> ImportDiagnostics {
        ImportDiagnostics(Problems::default())
    }

    pub fn error(&mut self, place: Location, what: impl Into<String>) {
        self.0.push(Problem::error(place, what));
    }

    /// Returns a part of the file, or adds its problem.
    pub fn check<T>(&mut self, part: Result<T, Problem>) -> Option<T> {
        part.map_err(|problem| self.0.push(problem)).ok()
    }

    /// Adds an error. Returns `None` for the faulty part of the file.
    pub fn reject<T>(&mut self, place: Location, what: impl Into<String>) -> Option<T> {
        self.error(place, what);
        None
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

    /// Returns the problems in the order of the file; `Err` if one of them is an error.
    pub fn finish(self) -> Result<Vec<Problem>, Vec<Problem>> {
        let is_refused = self.has_error();
        let problems = self.0.into_sorted();
        if is_refused { Err(problems) } else { Ok(problems) }
    }
}

/// Maximum length of a name or another text about a person, in characters.
const LONGEST: usize = 200;

/// Returns a text of a file in a form that is safe to show: trimmed, on one line.
pub(crate) fn clean_text(text: &str, place: Location, complaints: &mut ImportDiagnostics) -> String {
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

/// Returns the name of a person. A name without letters or digits is an error.
pub(crate) fn clean_name(text: &str, place: Location, complaints: &mut ImportDiagnostics) -> String {
    let name = clean_text(text, place, complaints);
    if !name.is_empty() && !name.chars().any(char::is_alphanumeric) {
        complaints.error(place, format!("{} is no name: it has no letter", quote(&name)));
    }
    name
}

/// Whether a text means a bye, in four languages: as a round without an opponent, or as the name of an opponent.
pub(crate) fn is_bye_name(text: &str) -> bool {
    const NAMES: &str = "bye|vrij|vrijgeloot|vrije ronde|exempt|exempte|libre|выходной|свободен|свободна|без пары";
    let name = normalised(text);
    NAMES.split('|').any(|known| known == name)
}

impl TournamentFile {
    /// Replaces the scoring of the file by that of the arbiter.
    pub fn override_scoring(&mut self, scoring: Scoring) {
        if let Some(of_file) = self.scoring.replace(scoring).filter(|of_file| !of_file.same_game_points(&scoring)) {
            self.notes.push(Problem::note(
                Location::START,
                format!("the file counts {of_file}; the given scoring replaces it"),
            ));
        }
    }
}

/// Returns the replacement that readers of PDN get, if they cannot read the text.
pub fn pdn_replacement(text: &str) -> Option<String> {
    let shown = tag::reader_safe(text);
    (shown != text).then(|| {
        format!(
            "PDN has {1} in place of {0}, which its readers cannot read; JSON and the pages keep it",
            quote(text),
            quote(&shown)
        )
    })
}

/// Notes the texts that are replaced for readers of PDN, each once.
pub(crate) fn note_pdn_replacements(sheet: &TournamentFile, complaints: &mut ImportDiagnostics) {
    let event = [&sheet.event.name, &sheet.event.site].map(|text| (Location::START, text));
    let players = sheet.players.iter().flat_map(|player| [&player.name, &player.team].map(|text| (player.place, text)));
    let drawn = sheet.pairings.iter().flat_map(|drawn| [&drawn.white, &drawn.black]).flatten();
    let drawn = drawn.flat_map(|who| [&who.name, &who.team].map(|text| (who.place, text)));
    let teams = sheet.teams.iter().map(|team| (team.place, &team.name));
    let mut known = BTreeSet::new();
    for (place, text) in event.into_iter().chain(players).chain(teams).chain(drawn) {
        if let Some(what) = pdn_replacement(text)
            && known.insert(text)
        {
            complaints.note(place, what);
        }
    }
}

/// Whether a character is invisible and changes the direction of text or makes equal names differ.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Parses a number of at most six digits.
///
/// # Errors
///
/// Returns a message for a person if it is invalid.
pub(crate) fn number(text: &str) -> Result<u32, String> {
    let digits = text.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{} is no number", quote(text)));
    }
    let small = Some(digits).filter(|digits| digits.len() <= 6).and_then(|digits| digits.parse().ok());
    small.ok_or_else(|| format!("{} is too large a number: six digits are the most", quote(text)))
}

/// Maximum number of rounds.
pub(crate) const MOST_ROUNDS: u32 = 200;

/// Returns a text without case, accents and signs between letters, its words divided by one blank: to compare headers and names.
///
/// ```
/// assert_eq!(draughts_tournament::normalised("N'Diaye,  Léa-Anne"), "ndiaye lea anne");
/// ```
pub fn normalised(text: &str) -> String {
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

/// Applies a comment of an exported file. Returns `None` if it is invalid.
pub(crate) fn parse_extension_comment(
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
            sheet.teams.push(ListedTeam::new(place, Some(own), name));
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
        "schedule" => {
            let (at, name) = (first().0.parse().ok()?, first().1.to_owned());
            let mut moments = sheet.event.schedule.clone();
            moments.push(ScheduledMoment { at, name });
            sheet.event.set_schedule(&moments).ok()?;
        }
        key => {
            let at = EventInfo::FACTS.iter().position(|known| *known == key && key != "name")?;
            if EventInfo::further_facts().contains(&key) {
                check_fact(key, &value).ok()?;
            }
            *sheet.event.facts_mut()[at] = value;
        }
    }
    Some(())
}
