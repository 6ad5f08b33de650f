//! The event as a whole: its facts before the first game, what is on now, its outcome after the last game; points as they stand.

use std::collections::HashMap;

use draughts_pdn::tag_values::Outcome;
use draughts_tournament::{Points, Scoring};
use maud::{Markup, html};

use super::address::BoardFilter;
use super::players::names_players;
use super::text::{shortened, truncated};
use super::{PageBuilder, PageGame, percent_encoded};
use crate::web::event_facts::{local_time, utc_time};
use crate::web::plan::{self, PlannedPairing, PlannedRound, PlannedSection, StandingsRow};
use crate::web::state::ViewerGame;
use crate::web::texts::fill;

/// Largest number of rows of the final standings on the first page.
const MAX_ROWS: usize = 10;
/// Longest fact of the event on a page, in characters, and longest report.
const MAX_FACT_LEN: usize = 500;
const MAX_REPORT_LEN: usize = 4_000;

/// Part of the life of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EventPhase {
    /// No game has begun.
    Announced,
    /// Games are played, or more will be.
    Running,
    /// The last game has been played.
    Over,
}

impl<'a> PageBuilder<'a> {
    /// Returns the part of its life in which the event is. The facts decide, and the last day: the view has both.
    pub(super) fn phase(&self) -> EventPhase {
        let plan = &self.view.plan;
        let rounds = || plan.sections.iter().flat_map(|section| &section.rounds);
        let games = self.current();
        // A forfeit may be known before its round.
        let has_result =
            |round: &PlannedRound| round.has_begun() && round.pairings.iter().any(|pairing| pairing.points.is_some());
        let begins = |shown: &PageGame<'_>| {
            self.is_of_event(shown.game) || shown.game.is_on() || rounds().any(PlannedRound::has_begun)
        };
        if !games.iter().any(begins) && !rounds().any(has_result) {
            return EventPhase::Announced;
        }
        let is_closed = |section: &PlannedSection| {
            let closed = section.rounds.iter().filter(|round| round.is_closed()).count() as u64;
            closed == section.rounds.len() as u64
                && closed > 0
                && section.planned_rounds.map_or(!plan.event.report.is_empty(), |planned| closed >= planned)
        };
        // A round may be closed although a postponed game is still to be played.
        let all_closed = !plan.sections.is_empty()
            && plan.sections.iter().all(is_closed)
            && !self.has_waiting_players()
            && self.open_pairings(None) == [0, 0];
        // A recorder or a board that was switched off after the last day may have left a game unfinished.
        let is_silent = |game: &ViewerGame| self.view.silent_since.is_some() || game.silent_since().is_some();
        let is_left = |game: &ViewerGame| self.view.is_past && is_silent(game);
        let goes_on = |shown: &PageGame<'_>| shown.game.is_on() && self.is_of_event(shown.game) && !is_left(shown.game);
        if !games.iter().any(goes_on) && (all_closed || self.view.is_past) {
            return EventPhase::Over;
        }
        EventPhase::Running
    }

    /// Whether the event is over.
    pub(super) fn is_over(&self) -> bool {
        self.phase() == EventPhase::Over
    }

    /// Whether a game is one of the event. In a tournament, a game without a pairing and without players is a trial of a board, or play after the
    /// games.
    pub(super) fn is_of_event(&self, game: &ViewerGame) -> bool {
        !self.view.has_tournament() || game.pairing.is_some() || game.has_player()
    }

    /// Whether players are known of a game that has not begun.
    fn has_waiting_players(&self) -> bool {
        self.view.awaited_games().any(|game| game.result.is_none() && game.has_player())
    }

    /// Renders the page of the facts; `None` if none are known.
    pub(super) fn event_page(&self) -> Option<Markup> {
        let facts = || html! { (self.facts()) (self.report()) };
        self.view.plan.event.is_described().then(|| self.current_page("list", self.texts().about_event, facts))
    }

    /// Renders boards, below what is known of the event; without a filter, after its end, the outcome in their place.
    pub(super) fn grid(&self, filter: &BoardFilter) -> Markup {
        let mut listed = self.present_games();
        listed.retain(|shown| self.is_wanted(filter, shown));
        let boards =
            || html! { div.bar { (self.overview(&listed)) (self.filters(filter)) } (self.boards(&listed, true)) };
        let main = || match self.phase() {
            EventPhase::Announced if *filter == BoardFilter::All => self.cover(),
            EventPhase::Over if *filter == BoardFilter::All => self.outcome(),
            _ => html! { (self.progress(&self.present_games())) (boards()) },
        };
        self.current_page("grid", self.texts().boards, main)
    }

    /// Renders the facts and, as soon as they are public, the pairings of the first round.
    fn cover(&self) -> Markup {
        let plan = &self.view.plan;
        let is_described = plan.event.is_described();
        let first =
            |section: &'a PlannedSection| Some((section, section.rounds.iter().find(|round| !round.is_closed())?));
        let rounds: Vec<_> = plan.sections.iter().filter_map(first).collect();
        let has_boards = self.has_waiting_players() || (!is_described && rounds.is_empty());
        html! {
            @if is_described { (self.facts()) }
            @if has_boards { (self.boards(&self.present_games(), false)) }
            @for (section, round) in rounds { (self.pairings(section, round, &[])) }
        }
    }

    /// Renders how many games go on, and the scores of the teams.
    fn progress(&self, shown: &[PageGame<'_>]) -> Markup {
        let (texts, plan) = (self.texts(), &self.view.plan);
        let [on, over] = self.count_games(shown);
        let round =
            self.current_round().or_else(|| self.round_of(shown.iter().map(|shown| shown.game)).map(str::to_owned));
        let line = || {
            html! { p.ev-now {
                @if let Some(round) = &round { a href=(self.link(&format!("/round/{}", percent_encoded(round)))) { bdi { (fill(texts.round, truncated(round))) } } " · " }
                (self.language().count(texts.games_on, on)) " · " (self.language().count(texts.games_over, over))
                @if plan.event.is_described() { span.noprint { " · " a href=(self.link("/event")) { (if plan.event.schedule().next().is_some() { texts.schedule } else { texts.about_event }) } } }
            } }
        };
        let open = |section: &'a PlannedSection| {
            let round = section.rounds.iter().find(|round| Some(round.number) == section.open_round)?;
            (!round.matches.is_empty()).then_some((section, round))
        };
        let matches: Vec<_> = plan.sections.iter().filter_map(open).collect();
        let is_known = !plan.sections.is_empty() || plan.event.is_described();
        html! {
            @if is_known { (self.parts.part("p", "now", line)) }
            @if !matches.is_empty() { (self.parts.part("div", "matches", || html! { div.ev-teams { @for (section, round) in &matches {
                @if let Some(title) = plan::title(&section.name) { h2 { bdi { (truncated(title)) } } }
                (self.matches(section, round))
            } } })) }
        }
    }

    /// Renders the end of the event: the first places, the report, the rounds and the games.
    fn outcome(&self) -> Markup {
        let (texts, event) = (self.texts(), &self.view.plan.event);
        let sections = &self.view.plan.standings;
        let standings = || {
            html! { div.ev-final {
                div.hd {
                    h2 { (if self.open_pairings(None) == [0, 0] { texts.final_standings } else { texts.standings }) }
                    (self.open_results(None))
                    p.noprint { a href=(self.link("/standings")) { (texts.standings) } }
                }
                @for section in sections {
                    @if let Some(title) = plan::title(&section.name) { h3 { bdi { (truncated(title)) } } }
                    @let planned = self.view.plan.section(&section.name);
                    @for (kind, rows, planned) in [("teams", &section.teams, None), ("players", &section.rows, planned)] { (self.table((kind, &section.name), &rows[..rows.len().min(MAX_ROWS)], planned, false)) }
                    @let places = section.rows.len().max(section.teams.len());
                    @if places > MAX_ROWS { p.ev-links.noprint { a href=(self.link("/standings")) { (fill(texts.all_places, places)) } } }
                }
            } }
        };
        html! {
            @if !event.start.is_empty() || !event.end.is_empty() { div.ev-report { p.ev-when { (self.days()) } } }
            // The order of the first places is a result.
            @if !sections.is_empty() && !self.address.hides_results { (self.parts.part("div", "final", standings)) }
            (self.report())
            div.hd.noprint { h2 { (texts.results) } }
            p.ev-links.noprint {
                @if self.view.rounds().is_empty() { a.btn href=(self.link("/standings")) { (texts.results) } }
                @for round in self.view.rounds() { a.btn href=(self.link(&format!("/round/{}", percent_encoded(round)))) { bdi { (fill(texts.round, truncated(round))) } } }
            }
            div.hd.noprint { h2 { (texts.games) } }
            p.ev-links.noprint {
                a.btn href=(self.link("/archive")) { (texts.all_games) } a.btn href="/games.pdn" { "games.pdn" }
                @if self.view.plan.event.is_described() { a.btn href=(self.link("/event")) { (texts.about_event) } }
            }
        }
    }

    /// Renders dates, place, facts, schedule and links.
    fn facts(&self) -> Markup {
        let (texts, event) = (self.texts(), &self.view.plan.event);
        let facts = [
            (texts.system, &event.format),
            (texts.time_control, &event.time_control),
            (texts.organiser, &event.organiser),
            (texts.arbiter, &event.arbiter),
            (texts.federation, &event.federation),
        ];
        let links = event.links().into_iter().zip([texts.stream, texts.regulations, texts.website]);
        let links: Vec<_> = links.filter_map(|(address, label)| Some((address?, label))).collect();
        let has_schedule = event.schedule().next().is_some();
        // Shows facts of the tournament alone.
        self.parts.leaf("section", "event", self.view.hall.plan_key(), || html! { section.ev aria-label=(texts.about_event) {
            @if !event.start.is_empty() || !event.end.is_empty() || !event.site.is_empty() { p.ev-when {
                (self.days())
                @if !event.site.is_empty() { " " span { bdi { (shortened(&event.site, MAX_FACT_LEN)) } } }
            } }
            dl { @for (label, fact) in facts { @if !fact.is_empty() { div { dt { (label) } dd { bdi { (shortened(fact, MAX_FACT_LEN)) } } } } } }
            @if !links.is_empty() { p.ev-links.noprint { @for (address, label) in links { a.btn href=(address) rel="noopener noreferrer" { (label) } } } }
            @if has_schedule {
                h2 { (texts.schedule) }
                ol { @for (at, name) in event.schedule() { li {
                    time datetime=(utc_time(at)) data-moment { (local_time(at)) }
                    b { bdi { (shortened(name, MAX_FACT_LEN)) } }
                    span.ev-left.noprint data-until=(utc_time(at)) {}
                } } }
                p.ev-zone #zone {}
            }
        } })
    }

    /// Renders the days of the event.
    fn days(&self) -> Markup {
        let event = &self.view.plan.event;
        let [start, end] = [(&event.start, &event.end), (&event.end, &event.start)]
            .map(|(day, other)| shortened(if day.is_empty() { other } else { day }, 80));
        let is_one_day = start == end;
        html! { @if !start.is_empty() { b data-days=(format!("{start}/{end}")) { (start) @if !is_one_day { " – " (end) } } } }
    }

    fn report(&self) -> Markup {
        // A report names the winner.
        if self.address.hides_results {
            return Markup::default();
        }
        let report = shortened(&self.view.plan.event.report, MAX_REPORT_LEN);
        let paragraphs = || {
            html! { section.ev-report {
                h2 { (self.texts().report) }
                @for line in report.lines().filter(|line| !line.trim().is_empty()) { p dir="auto" { (line) } }
            } }
        };
        html! { @if !report.is_empty() { (self.parts.leaf("section", "report", self.view.hall.plan_key(), paragraphs)) } }
    }

    /// Renders the points of a section with the games that are over and not official yet, if there are some. `rows`: the official standings.
    pub(super) fn standings_now(&self, section: &PlannedSection, rows: &[StandingsRow]) -> Markup {
        let texts = self.texts();
        let unofficial = self.unofficial_points(section);
        if unofficial.is_empty() || rows.is_empty() {
            return html! {};
        }
        let mut gains = HashMap::<u64, (Points, u64)>::new();
        for pairing in section.rounds.iter().flat_map(|round| &round.pairings) {
            let Some(points) = unofficial.get(&*pairing.id) else { continue };
            for (player, points) in [pairing.white, pairing.black].into_iter().flatten().zip(*points) {
                let (gained, games) = gains.entry(player).or_default();
                *gained += points;
                *games += 1;
            }
        }
        let gain = |row: &StandingsRow| row.id.and_then(|id| gains.get(&id)).copied().unwrap_or_default();
        let total = |row: &StandingsRow| Points::parse(&row.points).unwrap_or_default() + gain(row).0;
        let mut now = rows.to_vec();
        // Equal points stay in the official order.
        now.sort_by_key(|row| std::cmp::Reverse(total(row)));
        let totals: Vec<Points> = now.iter().map(total).collect();
        for (row, total) in now.iter_mut().zip(&totals) {
            row.rank = (1 + totals.iter().filter(|other| *other > total).count()).to_string();
            row.games = (row.games.parse().unwrap_or(0) + gain(row).1).to_string();
            row.points = total.to_string();
            row.tie_breaks.clear();
        }
        html! {
            div.hd { h3 { (texts.as_it_stands) } p { (self.language().count(texts.unofficial, unofficial.len())) } }
            (self.table(("now", &section.name), &now, Some(section), false))
        }
    }

    /// Returns the points of White and Black from games of open rounds that have a result and are not official yet, by the id of the pairing;
    /// none if the page hides results.
    pub(super) fn unofficial_points<'s>(&self, section: &'s PlannedSection) -> HashMap<&'s str, [Points; 2]> {
        let scoring = Scoring::parse(&section.scoring).ok().filter(|_| !self.address.hides_results);
        let Some(scoring) = scoring else { return HashMap::new() };
        let (by_pairing, games) = (self.games_by_pairing(), self.all_games());
        let points = |round: &PlannedRound, pairing: &PlannedPairing| {
            let is_it = |shown: &&PageGame<'_>| {
                let tag = |name: &str| shown.game.tag(name);
                let is_table = |table: u64| tag("Board").is_none_or(|tag| tag == table.to_string());
                shown.game.pairing.is_none()
                    && pairing.table.is_none_or(is_table)
                    && tag("Round").is_some_and(|tag| tag == round.number.to_string())
                    && tag("Section").is_none_or(|tag| tag == section.name)
                    && names_players(shown.game, section, pairing)
            };
            // A game without a pairing is found by its tags.
            let found = by_pairing.get(pairing.id.as_str()).or_else(|| games.iter().find(is_it))?;
            // The tournament counts the games of a micro-match.
            let is_counted = found.game.pairing.as_deref().is_none_or(|id| !plan::has_stage(id));
            let outcome = Outcome::parse(found.game.result.as_deref().filter(|_| is_counted)?)?;
            scoring.points_of(outcome).map(|(white, black)| [white, black])
        };
        let open = section.rounds.iter().filter(|round| !round.is_closed());
        let pairings = open.flat_map(|round| round.pairings.iter().map(move |pairing| (round, pairing)));
        pairings
            .filter(|(_, pairing)| pairing.points.is_none())
            .filter_map(|(round, pairing)| Some((&*pairing.id, points(round, pairing)?)))
            .collect()
    }
}
