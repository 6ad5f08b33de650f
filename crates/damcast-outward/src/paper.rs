//! Sheets of a tournament for paper: pairings, results, standings, crosstable and score sheets, made for A4.
//!
//! `damcast tournament export --format html` writes them as one page that needs no other file; the desk puts them into its own page to
//! print them. The names of players come from files: everything is escaped.

use draughts_tournament::TieBreak;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::web::Language;
use crate::web::pages::{code, official_result};
use crate::web::plan::{
    PlannedRound, PlannedSection, RoundCell, SectionStandings, StandingsDocument, StandingsRow, ViewerPlan,
    ViewerReason, title,
};
use crate::web::texts::{PageTexts, fill};

/// Style of the sheets.
pub const STYLE: &str = include_str!("paper.css");

/// Rows of moves of a score sheet, and columns of them beside each other.
const SCORE_ROWS: usize = 30;
const SCORE_COLUMNS: usize = 3;

/// Kind of a sheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SheetKind {
    /// Pairings of a round.
    Pairings,
    /// Results of all rounds so far.
    Results,
    /// Standings.
    Standings,
    /// Standings with the games of each player.
    Crosstable,
    /// A sheet for each pairing of a round, on which the players note their moves.
    ScoreSheets,
}

impl SheetKind {
    /// All kinds.
    pub const ALL: [SheetKind; 5] =
        [SheetKind::Pairings, SheetKind::Results, SheetKind::Standings, SheetKind::Crosstable, SheetKind::ScoreSheets];

    /// Returns the name in commands and requests.
    pub fn as_str(self) -> &'static str {
        match self {
            SheetKind::Pairings => "pairings",
            SheetKind::Results => "results",
            SheetKind::Standings => "standings",
            SheetKind::Crosstable => "crosstable",
            SheetKind::ScoreSheets => "score-sheets",
        }
    }

    /// Parses a name.
    ///
    /// # Errors
    ///
    /// Returns a message with all names.
    pub fn parse(name: &str) -> Result<SheetKind, String> {
        let names = || SheetKind::ALL.map(SheetKind::as_str).join(", ");
        let found = SheetKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        found.ok_or_else(|| format!("invalid sheet `{}`: expected one of {}", name.escape_debug(), names()))
    }
}

/// Choices for sheets.
#[derive(Clone, Debug)]
pub struct SheetOptions<'a> {
    /// Kinds of sheets, in their order.
    pub kinds: &'a [SheetKind],
    /// Section; `None` for all.
    pub section: Option<&'a str>,
    /// Round of pairings and score sheets; `None` for the open round or the last one.
    pub round: Option<u64>,
    /// Language of the sheets.
    pub language: Language,
    /// Address of the viewers' pages.
    pub address: Option<&'a str>,
    /// Day for rounds without a date.
    pub today: &'a str,
}

/// Returns the sheets of a tournament, from the texts of `tournament.json` and `standings.json`.
pub fn sheets(tournament: &str, standings: &str, options: &SheetOptions<'_>) -> Markup {
    let plan = ViewerPlan::read(tournament);
    let standings: StandingsDocument = serde_json::from_str(standings).unwrap_or_default();
    let is_wanted = |section: &&PlannedSection| options.section.is_none_or(|name| name == section.name);
    let sections: Vec<&PlannedSection> = plan.sections.iter().filter(is_wanted).collect();
    html! {
        @for kind in options.kinds { @for section in &sections {
            @let own = standings.sections.iter().find(|one| one.name == section.name);
            @let sheet = Sheet { event: plan.event.name(), section, standings: own, options };
            (sheet.render(*kind))
        } }
    }
}

/// Returns the sheets as a page.
pub fn document(tournament: &str, standings: &str, options: &SheetOptions<'_>) -> String {
    let event = ViewerPlan::read(tournament).event;
    let page = html! {
        (DOCTYPE)
        html lang=(options.language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (event.name().unwrap_or(options.language.words().untitled)) }
                style { (PreEscaped(STYLE)) }
            }
            body.paper { (sheets(tournament, standings, options)) }
        }
    };
    page.into_string() + "\n"
}

/// Sheets of one section.
struct Sheet<'a> {
    event: Option<&'a str>,
    section: &'a PlannedSection,
    standings: Option<&'a SectionStandings>,
    options: &'a SheetOptions<'a>,
}

impl<'a> Sheet<'a> {
    fn texts(&self) -> &'static PageTexts {
        self.options.language.words()
    }

    /// Returns the chosen round, else the open one, else the last one with pairings.
    fn round(&self) -> Option<&'a PlannedRound> {
        let rounds = || self.section.rounds.iter().filter(|round| !round.pairings.is_empty());
        match self.options.round {
            Some(number) => rounds().find(|round| round.number == number),
            None => {
                rounds().rfind(|round| Some(round.number) == self.section.open_round).or_else(|| rounds().next_back())
            }
        }
    }

    fn render(&self, kind: SheetKind) -> Markup {
        match kind {
            SheetKind::Pairings => self.pairings(),
            SheetKind::Results => self.results(),
            SheetKind::Standings => self.standings(false),
            SheetKind::Crosstable => self.standings(true),
            SheetKind::ScoreSheets => self.score_sheets(),
        }
    }

    fn name(&self, id: Option<u64>) -> Markup {
        html! { bdi { (self.section.player(id).map_or("–", |player| &player.name)) } }
    }

    /// Renders a sheet. Its head has event, section, round, date, and the address as a QR code; a printer repeats the head of a table on
    /// each page.
    fn sheet(&self, what: &str, round: Option<&PlannedRound>, is_wide: bool, content: &Markup) -> Markup {
        let section = title(&self.section.name);
        let number = round.map(|round| fill(self.texts().round, round.number));
        let date = round.and_then(|round| round.date.as_deref()).unwrap_or(self.options.today);
        let facts: Vec<&str> = [section, number.as_deref(), Some(date)].into_iter().flatten().collect();
        html! {
            section.a4.wide[is_wide] { table.sheet role="presentation" {
                thead { tr { td { header {
                    div {
                        p.event { bdi { (self.event.unwrap_or(self.texts().untitled)) } }
                        h2 { (what) }
                        p { @for (index, fact) in facts.iter().enumerate() { @if index > 0 { " · " } bdi { (fact) } } }
                    }
                    @if let Some((address, drawing)) = self.options.address.and_then(code) {
                        figure { (drawing) figcaption { (address) } }
                    }
                } } } }
                tbody { tr { td { (content) } } }
            } }
        }
    }

    fn pairings(&self) -> Markup {
        let Some(round) = self.round() else { return html! {} };
        self.sheet(self.texts().pairings, Some(round), false, &self.table_of(round, false))
    }

    fn results(&self) -> Markup {
        let has_result = |round: &&PlannedRound| round.pairings.iter().any(|pairing| pairing.points.is_some());
        let rounds: Vec<&PlannedRound> = self.section.rounds.iter().filter(has_result).collect();
        if rounds.is_empty() {
            return html! {};
        }
        let content = html! { @for round in rounds {
            h3 { (fill(self.texts().round, round.number)) @if let Some(date) = &round.date { " · " (date) } }
            (self.table_of(round, true))
        } };
        self.sheet(self.texts().results, None, false, &content)
    }

    /// Renders the pairings of a round, with results or with room for them.
    fn table_of(&self, round: &PlannedRound, has_results: bool) -> Markup {
        let texts = self.texts();
        html! {
            table.pairs {
                thead { tr { th { (texts.board_heading) } th { (texts.white) } th { (texts.black) } th { (texts.result) } } }
                tbody { @for pairing in &round.pairings { tr {
                    td { (pairing.table.map_or("–".to_owned(), |table| table.to_string())) }
                    td { (self.name(pairing.white)) } td { (self.name(pairing.black)) }
                    td { @match official_result(texts, pairing) {
                        Some(result) => { (result) }
                        None => { @if !has_results { span.blank {} } }
                    } }
                } } }
            }
            @let byes = self.section.byes(round);
            @if !byes.is_empty() { p { (texts.without_opponent) @for (index, player) in byes.iter().enumerate() {
                @if index > 0 { ", " } bdi { (player.name) }
            } } }
        }
    }

    /// Renders the standings, with the games of each player for a crosstable.
    fn standings(&self, has_games: bool) -> Markup {
        let texts = self.texts();
        let Some(SectionStandings { after_round: after, results: [given, all], rows, .. }) = self.standings else {
            return html! {};
        };
        let round = self.section.rounds.iter().find(|round| round.number == *after);
        let (Some(first), true) = (rows.first(), round.is_some()) else { return html! {} };
        let heading = |tie: &str| TieBreak::from_name(tie).map_or("", TieBreak::heading);
        let rounds = if has_games { usize::try_from(*after).unwrap_or(0) } else { 0 };
        let place = |id: u64| {
            rows.iter().position(|row| row.id == Some(id)).map_or("–".to_owned(), |at| (at + 1).to_string())
        };
        let cells = |row: &StandingsRow| -> Vec<String> {
            let games = row.id.map(|id| self.section.player_rounds(id)).unwrap_or_default();
            let cell = |game: Option<_>| match game {
                Some(Some(game)) => {
                    let RoundCell { opponent, is_white, points, reason, .. } = game;
                    let opponent = if reason == ViewerReason::Bye {
                        format!("{} ", texts.bye)
                    } else {
                        let number = opponent.map_or("–".to_owned(), place);
                        format!("{number}\u{2009}{}\u{2009}", if is_white { '○' } else { '●' })
                    };
                    let mark = match reason {
                        ViewerReason::Forfeit => "f",
                        ViewerReason::NotPlayed => "n",
                        _ => "",
                    };
                    format!("{opponent}{}{mark}", points.unwrap_or("·"))
                }
                _ => "–".to_owned(),
            };
            (0..rounds).map(|round| cell(games.get(round).copied())).collect()
        };
        let what = if has_games { texts.crosstable } else { texts.standings };
        let missing = all.saturating_sub(*given);
        let content = html! {
                @if missing > 0 { p { (self.options.language.count(texts.results_missing, missing)) } }
                @if !has_games { (self.teams()) }
                table.ranks {
                    thead { tr {
                        @if has_games { th { "№" } }
                        th { (texts.rank) } th { (texts.name) } th { (texts.points) } th { (texts.played) }
                        @for round in 1..=rounds { th { (round) } }
                        @if !has_games { @for (tie, _) in &first.tie_breaks { th { (heading(tie)) } } }
                    } }
                    tbody { @for (row, at) in rows.iter().zip(1..) { tr {
                        @if has_games { td { (at) } }
                        td { (row.rank) } td { bdi { (row.name) } } td { (row.points) } td { (row.games) }
                        @for cell in cells(row) { td { (cell) } }
                        @if !has_games { @for (_, value) in &row.tie_breaks { td { (if value.is_empty() { "–".to_owned() } else { value.replace(' ', "/") }) } } }
                    } } }
                }
        };
        self.sheet(what, round, has_games && rounds > 9, &content)
    }

    fn teams(&self) -> Markup {
        let texts = self.texts();
        let rows = self.standings.map_or(&[][..], |standings| &standings.teams);
        html! {
            @if !rows.is_empty() { table.ranks {
                thead { tr { th { (texts.rank) } th { (texts.name) } th { (texts.points) } th { (texts.played) } } }
                tbody { @for row in rows { tr {
                    td { (row.rank) } td { bdi { (row.name) } } td { (row.points) } td { (row.games) }
                } } }
            } }
        }
    }

    fn score_sheets(&self) -> Markup {
        let Some(round) = self.round() else { return html! {} };
        let texts = self.texts();
        let moves = html! { table.moves {
            thead { tr { @for _ in 0..SCORE_COLUMNS { th {} th { (texts.white) } th { (texts.black) } } } }
            tbody { @for row in 1..=SCORE_ROWS { tr {
                @for column in 0..SCORE_COLUMNS { td { (row + column * SCORE_ROWS) } td {} td {} }
            } } }
        } };
        html! { @for pairing in round.pairings.iter().filter(|pairing| pairing.white.is_some() && pairing.black.is_some()) {
            (self.sheet(&pairing.table.map_or(String::new(), |table| fill(texts.board, table)), Some(round), false, &html! {
                p.sides { span { (texts.white) ": " (self.name(pairing.white)) } span { (texts.black) ": " (self.name(pairing.black)) } }
                (moves)
                p.sides.sign { span { (texts.result) } span { (texts.signature_white) } span { (texts.signature_black) } }
            }))
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOURNAMENT: &str = r#"{"event":{"name":"Cup <b>"},"sections":[{"id":1,"name":"main","scoring":"2-1-0","open_round":2,
        "players":[{"id":1,"name":"Ann"},{"id":2,"name":"Bob & Co"},{"id":3,"name":"Cor"}],"teams":[],
        "rounds":[
          {"round":1,"state":"closed","date":"2027-07-10","matches":[],"byes":[{"player":3,"why":"bye","points":"2"}],
           "pairings":[{"id":1,"table":1,"white":1,"black":2,"points":["2","0"],"reason":"played"}]},
          {"round":2,"state":"open","matches":[],"byes":[],"pairings":[{"id":2,"table":1,"white":2,"black":3}]},
          {"round":3,"state":"prepared","matches":[],"byes":[],"pairings":[{"id":3,"table":1,"white":3,"black":1}]}]}]}"#;
    const STANDINGS: &str = r#"{"sections":[{"section":"main","after_round":1,"results":[1,1],"rows":[
        {"rank":1,"id":1,"number":1,"name":"Ann","points":"2","games":1,"tiebreaks":{"wins":"1","solkoff":"0"}},
        {"rank":1,"id":3,"number":3,"name":"Cor","points":"2","games":0,"tiebreaks":{"wins":"1","solkoff":null}},
        {"rank":3,"id":2,"number":2,"name":"Bob & Co","points":"0","games":1,"tiebreaks":{"wins":"0","solkoff":["2","1"]}}]}]}"#;

    fn options(kinds: &[SheetKind]) -> SheetOptions<'_> {
        let address = Some("http://192.168.1.5:8080/");
        SheetOptions { kinds, section: None, round: None, language: Language::Nl, address, today: "2027-07-11" }
    }

    fn sheet(kind: SheetKind) -> String {
        sheets(TOURNAMENT, STANDINGS, &options(&[kind])).into_string()
    }

    #[test]
    fn sheets_name_event_round_day_and_address() {
        let pairings = sheet(SheetKind::Pairings);
        for words in ["Cup &lt;b&gt;", "Indeling", "Ronde 2", "2027-07-11", "<svg ", "192.168.1.5:8080", "Bob &amp; Co"]
        {
            assert!(pairings.contains(words), "{words}: {pairings}");
        }
        assert!(!pairings.contains("Ronde 1") && pairings.contains("span class=\"blank\""), "{pairings}");
        let first = sheets(TOURNAMENT, STANDINGS, &SheetOptions { round: Some(1), ..options(&[SheetKind::Pairings]) });
        assert!(first.into_string().contains("2–0"));
        let results = sheet(SheetKind::Results);
        assert!(results.contains("Ronde 1 · 2027-07-10") && !results.contains("Ronde 2"), "{results}");
        assert!(results.contains("Zonder tegenstander: <bdi>Cor</bdi>"), "{results}");
    }

    #[test]
    fn standings_have_tie_breaks_and_crosstable_has_games() {
        let standings = sheet(SheetKind::Standings);
        // Tie-breaks stand in the order of the rules.
        assert!(standings.contains("<th>Win</th><th>Solk</th>") && standings.contains("<td>2/1</td>"), "{standings}");
        let crosstable = sheet(SheetKind::Crosstable);
        assert!(
            crosstable.contains("<td>3\u{2009}○\u{2009}2</td>") && crosstable.contains("<td>1\u{2009}●\u{2009}0</td>"),
            "{crosstable}"
        );
    }

    #[test]
    fn score_sheets_are_one_a_board() {
        let sheet = sheet(SheetKind::ScoreSheets);
        assert_eq!(sheet.matches("<section").count(), 1);
        assert!(sheet.contains("<td>90</td>") && sheet.contains("Handtekening wit"), "{sheet}");
    }

    #[test]
    fn page_is_whole_and_damaged_documents_give_none() {
        let page = document(TOURNAMENT, STANDINGS, &options(&SheetKind::ALL));
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("@page") && !page.contains("<script"), "{page}");
        assert_eq!(page.matches("<section").count(), 5);
        for bad in ["", "{", "{\"sections\":7}", "[]"] {
            assert_eq!(sheets(bad, bad, &options(&SheetKind::ALL)).into_string(), "");
        }
        assert!(SheetKind::parse("table").unwrap_err().contains("pairings, results, standings"));
    }
}
