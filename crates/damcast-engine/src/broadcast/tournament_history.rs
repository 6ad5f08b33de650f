//! The public history of a tournament: its records with their times, their events, the corrections of recorded games, and the visible state
//! of the tournament.
//!
//! | a record has | event |
//! |---|---|
//! | a round that is published, opened or closed | `round`: `section`, `round`, `state` |
//! | the players of a pairing in such a round, at first and after every change | `pairing`: `section`, `round`, `pairing`, `table`, `white`, `black`, `later` |
//! | an official result in such a round | `official-result`: `section`, `round`, `pairing`, `points` of both sides, `reason`; without points the result was withdrawn |
//! | another choice of the featured board | `featured`: `mode`, `boards`, `every` |
//! | a correction of a recorded game | `tag-correction`: `board`, `game`, `field` (a tag, `pairing`, or `moves` that the board missed), `old`, `new` |
//!
//! Events are counted by `t`. A later record adds events and changes none, with one exception: a player who asks to be anonymous. From that
//! record on the events have another text, without the player's names; a file with the first text begins anew.
//!
//! Changes of the published tournament are events of a stream of their own, `tournament`, counted by `c`: the new value of each part that a record
//! changes. Readers who apply them to an empty tournament have the one from which `tournament.json` and `standings.json` are made.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use draughts_tournament::json::Object;
use draughts_tournament::{
    CorrectedGame, Event, FeaturedChoice, Id, Misfit, Pairing, Part, PartKey, Player, REPLAYED, RoundState, Tournament,
    TournamentRecord, TournamentSection, format_pairing_key,
};

use super::events::{GameEvent, Stream};
use super::hidden_names::PLAYER_TAGS;
use super::{Correction, Delay, HiddenNames, StoredGame, WallTime};

/// Largest number of parts in an event: a line of the file stays short.
const MAX_PARTS: usize = 200;
/// Field of a game that names its pairing.
const PAIRING: &str = "pairing";

/// The records of a tournament with their times and consequences.
#[derive(Clone, Debug, Default)]
pub struct TournamentHistory {
    records: Vec<(WallTime, TournamentRecord)>,
    /// The tournament with all records.
    state: Tournament,
    /// The published tournament, with all names.
    published: Tournament,
    /// All names ever used by each player.
    names: BTreeMap<Id, BTreeSet<String>>,
    /// Events with all names.
    plain: TournamentEvents,
    /// Events from each record on that hides a name or shows it again.
    masked: Vec<TournamentEvents>,
    corrections: BTreeMap<(String, u32), Vec<Correction>>,
    /// Numbers of the rounds that were ever published, opened or closed.
    once_public_rounds: BTreeSet<u32>,
}

/// The events of a history, with the names hidden as of one version.
#[derive(Clone, Debug, Default)]
pub struct TournamentEvents {
    /// Version of the tournament from which the events have this text, and its time.
    since: Option<(u64, WallTime)>,
    /// Names that are not in the events.
    pub hidden_names: HiddenNames,
    events: Vec<GameEvent>,
    changes: Vec<GameEvent>,
}

impl TournamentEvents {
    /// Adds the events of a record, which changes the parts of the published tournament with these keys.
    fn append(&mut self, change: &Change, (all_names, keys): (&Tournament, &[PartKey]), at: WallTime) {
        for body in change.event_bodies(&self.hidden_names) {
            self.events.push(GameEvent::without_board(Stream::Tournament, self.events.len() as u64 + 1, at, body));
        }
        let published = match self.since {
            None => Cow::Borrowed(all_names),
            Some(_) => Cow::Owned(published(&change.after, &self.hidden_names)),
        };
        for keys in keys.chunks(MAX_PARTS) {
            // Names and numbers always have a JSON text.
            let parts = keys.iter().filter_map(|key| serde_json::to_string(&published.part(key)).ok());
            let body = Object::new().text("type", "tournament").values("parts", parts);
            self.changes.push(GameEvent::without_board(Stream::Change, self.changes.len() as u64 + 1, at, body));
        }
    }

    /// Returns all events; their number does not depend on the hidden names.
    pub fn events(&self) -> &[GameEvent] {
        &self.events
    }

    /// Returns the changes of the published tournament; their number does not depend on the hidden names.
    pub fn changes(&self) -> &[GameEvent] {
        &self.changes
    }
}

/// Makes a published tournament, with all names, that after a change; returns the keys of the parts that differ.
fn update_published(tournament: &mut Tournament, change: &Change) -> Vec<PartKey> {
    let before = std::mem::replace(tournament, published(&change.after, &HiddenNames::default()));
    before.changed_parts(tournament).iter().map(|(_, part)| part.key()).collect()
}

impl TournamentHistory {
    /// Creates the history of some records, up to the first that does not follow.
    pub fn from_records(records: &[TournamentRecord]) -> TournamentHistory {
        let mut history = TournamentHistory::default();
        for record in records {
            if history.append(record).is_err() {
                break;
            }
        }
        history
    }

    /// Appends the next record.
    ///
    /// # Errors
    ///
    /// Returns a [`Misfit`] if the record does not follow.
    pub fn append(&mut self, record: &TournamentRecord) -> Result<(), Misfit> {
        let before = self.state.clone();
        let change = Change::new(&before, record)?;
        let last = self.records.last().map(|(at, _)| *at);
        // If the clock of the machine was set back, no record may be seen before an earlier one.
        let at = WallTime::parse_from_rfc3339(&record.at).ok().max(last).unwrap_or_default();
        let keys = update_published(&mut self.published, &change);
        for events in self.masked.iter_mut().chain([&mut self.plain]) {
            events.append(&change, (&self.published, &keys), at);
        }
        for game in change.games() {
            let tags = change.tags(game).into_iter();
            let tags = tags.map(|(tag, _, value)| Correction { at, tag: tag.to_owned(), value: value.to_owned() });
            self.corrections.entry((game.board.clone(), game.number)).or_default().extend(tags);
        }
        for (_, player) in change.players() {
            self.names.entry(player.id).or_default().insert(player.name.clone());
        }
        self.once_public_rounds.extend(change.public_rounds());
        let changes_visibility = change.changes_name_visibility();
        self.state = change.after;
        self.records.push((at, record.clone()));
        if changes_visibility {
            let hidden_names = HiddenNames::new(&self.state, &self.names);
            let since = Some((record.version, at));
            let mut masked = TournamentEvents { since, hidden_names, ..TournamentEvents::default() };
            let (mut state, mut published) = (Tournament::default(), Tournament::default());
            for (at, record) in &self.records {
                let change = Change::new(&state, record)?;
                let keys = update_published(&mut published, &change);
                masked.append(&change, (&published, &keys), *at);
                state = change.after;
            }
            self.masked.push(masked);
        }
        Ok(())
    }

    /// Returns the events with the names hidden in a version.
    pub fn events_for_version(&self, version: u64) -> &TournamentEvents {
        let since = |events: &&TournamentEvents| events.since.is_some_and(|(since, _)| since <= version);
        self.masked.iter().rev().find(since).unwrap_or(&self.plain)
    }

    /// Returns the version whose hidden names apply to a file written at `now`; 0 if no name was ever hidden.
    pub fn names_version(&self, delay: Delay, now: WallTime) -> u64 {
        let since = self.masked.iter().filter_map(|events| events.since);
        let visible = since.filter(|(_, at)| delay.visible_at(*at) <= now);
        visible.map(|(version, _)| version).max().unwrap_or(0)
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns all events, with all names.
    pub fn events(&self) -> &[GameEvent] {
        self.plain.events()
    }

    /// Returns the number of visible events at a time.
    pub fn visible_events(&self, delay: Delay, now: WallTime) -> u64 {
        visible(self.events(), delay, now)
    }

    /// Returns the number of visible changes of the published tournament at a time.
    pub fn visible_changes(&self, delay: Delay, now: WallTime) -> u64 {
        visible(self.plain.changes(), delay, now)
    }

    /// Returns the corrections of a game.
    pub fn corrections(&self, board: &str, game: u32) -> &[Correction] {
        self.corrections.get(&(board.to_owned(), game)).map_or(&[], Vec::as_slice)
    }

    /// Returns the corrections of a game, and hidden names of a game that the tournament does not know.
    pub fn corrections_of(&self, board: &str, game: &StoredGame) -> Vec<Correction> {
        let mut all = self.corrections(board, game.number()).to_vec();
        for events in &self.masked {
            let Some((_, since)) = events.since else { continue };
            for tag in PLAYER_TAGS {
                let before = all.partition_point(|correction| correction.at <= since);
                let last = all[..before].iter().rev().find(|correction| correction.tag == tag);
                let shown =
                    last.map_or(game.player_tag(tag).unwrap_or_default(), |correction| correction.value.as_str());
                let value = events.hidden_names.mask(board, game.number(), tag, shown);
                if value != shown {
                    all.insert(before, Correction { at: since, tag: tag.to_owned(), value: value.to_owned() });
                }
            }
        }
        all
    }

    /// Returns the number of visible records at a time.
    pub fn visible_records(&self, delay: Delay, now: WallTime) -> usize {
        self.records.partition_point(|(at, _)| delay.visible_at(*at) <= now)
    }

    /// Returns the time at which the next record becomes visible.
    pub fn next_change(&self, delay: Delay, now: WallTime) -> Option<WallTime> {
        self.records.get(self.visible_records(delay, now)).map(|(at, _)| delay.visible_at(*at))
    }

    /// Returns the numbers of the rounds that were ever public, also of those that an undo has made private again.
    pub fn once_public_rounds(&self) -> &BTreeSet<u32> {
        &self.once_public_rounds
    }

    /// Returns the public tournament after a number of records: without prepared rounds.
    pub fn tournament(&self, count: usize) -> Tournament {
        let mut tournament = if count >= self.records.len() { self.state.clone() } else { Tournament::default() };
        for (_, record) in self.records.iter().take(count).filter(|_| count < self.records.len()) {
            // Each record was applied successfully on `append`.
            let _ = record.events.iter().try_for_each(|event| tournament.apply(event).map(drop));
        }
        tournament.sections.iter_mut().for_each(remove_prepared_rounds);
        tournament
    }
}

/// Returns the number of the first events that are visible at a time.
fn visible(events: &[GameEvent], delay: Delay, now: WallTime) -> u64 {
    events.partition_point(|event| delay.visible_at(event.at()) <= now) as u64
}

/// Removes the rounds that are not public. A round with a result was played, and so were the rounds before it.
fn remove_prepared_rounds(section: &mut TournamentSection) {
    let played = section.last_round_with_result();
    let shown = section.rounds.iter().filter(|round| round.state != RoundState::Prepared).map(|round| round.number);
    let last = shown.max().unwrap_or(0).max(played);
    section.pairings.retain(|pairing| pairing.round <= last);
    section.byes.retain(|bye| bye.round <= last);
    section.matches.retain(|team_match| team_match.round <= last);
}

/// Returns what outlets show of a tournament: no prepared rounds, no facts about people that no file shows, no hidden names.
fn published(tournament: &Tournament, hidden: &HiddenNames) -> Tournament {
    let mut shown = Tournament { featured: FeaturedChoice::default(), ..tournament.clone() };
    for section in &mut shown.sections {
        remove_prepared_rounds(section);
        for player in &mut section.players {
            player.name = hidden.name(player.id, &player.name).to_owned();
            player.licence = player.fmjd_id().to_owned();
            player.former_names.clear();
            player.birth.clear();
            player.sex.clear();
        }
        section.teams.iter_mut().for_each(|team| team.lineup.clear());
        section.adjustments.iter_mut().for_each(|adjustment| adjustment.reason.clear());
        section.pairings.iter_mut().for_each(|pairing| pairing.override_from = None);
    }
    // The board of a pairing depends on the games that were assigned to it.
    shown.games.iter_mut().for_each(|game| game.tags.retain(|name, _| name == REPLAYED));
    shown.games.retain(|game| game.pairing.is_some());
    shown
}

struct Change<'r> {
    before: &'r Tournament,
    after: Tournament,
    rounds: BTreeSet<(Id, u32)>,
    players: BTreeSet<Id>,
    pairings: BTreeSet<Id>,
    games: BTreeSet<(&'r str, u32)>,
    /// Games whose corrections are all undone.
    gone_games: Vec<CorrectedGame>,
}

impl<'r> Change<'r> {
    fn new(before: &'r Tournament, record: &'r TournamentRecord) -> Result<Change<'r>, Misfit> {
        let mut change = Change {
            before,
            after: before.clone(),
            rounds: BTreeSet::new(),
            players: BTreeSet::new(),
            pairings: BTreeSet::new(),
            games: BTreeSet::new(),
            gone_games: Vec::new(),
        };
        for event in &record.events {
            change.after.apply(event)?;
            match event {
                Event::RoundSet { section, round, .. } => drop(change.rounds.insert((*section, *round))),
                Event::PlayerEntered { player, .. } => drop(change.players.insert(player.id)),
                Event::PlayerRenamed { player, .. } => drop(change.players.insert(*player)),
                Event::PairingDrawn { pairing, .. } => drop(change.pairings.insert(pairing.id)),
                Event::ResultGiven { pairing, .. }
                | Event::ResultTakenBack { pairing, .. }
                | Event::PlayerSubstituted { pairing, .. }
                | Event::PairingDeferred { pairing, .. } => drop(change.pairings.insert(*pairing)),
                Event::GameAssigned { board, game, .. } | Event::GameCorrected { board, game, .. } => {
                    change.games.insert((board, *game));
                }
                Event::Restored(part) => change.add_restored(part),
                _ => {}
            }
        }
        let gone = |(board, game): &&(&str, u32)| change.after.corrected(board, *game).is_none();
        let blank = |(board, game): &(&str, u32)| CorrectedGame {
            board: (*board).to_owned(),
            number: *game,
            ..CorrectedGame::default()
        };
        change.gone_games = change.games.iter().filter(gone).map(blank).collect();
        Ok(change)
    }

    /// Adds a part that an undo has restored.
    fn add_restored(&mut self, part: &'r Part) {
        match part {
            Part::Round(of) => drop(self.rounds.insert((of.section, of.id.0))),
            Part::Player(of) => drop(self.players.insert(of.id)),
            Part::Pairing(of) => drop(self.pairings.insert(of.id)),
            Part::Game { board, game, .. } | Part::Tag { board, game, .. } => drop(self.games.insert((board, *game))),
            _ => {}
        }
    }

    /// Players of the record: previous state (`None` for a new player) and current state.
    fn players(&self) -> impl Iterator<Item = (Option<&Player>, &Player)> {
        self.players.iter().filter_map(|id| Some((self.before.player(*id), self.after.player(*id)?)))
    }

    /// Numbers of the rounds that the record publishes, opens or closes.
    fn public_rounds(&self) -> impl Iterator<Item = u32> {
        let is_public = |(section, round): &&(Id, u32)| {
            let section = self.after.sections.iter().find(|one| one.id == *section);
            section.is_some_and(|section| section.state_of(*round) != RoundState::Prepared)
        };
        self.rounds.iter().filter(is_public).map(|(_, round)| *round)
    }

    /// Whether the record hides a player or shows one again.
    fn changes_name_visibility(&self) -> bool {
        self.players().any(|(before, after)| before.is_some_and(|before| before.is_hidden() != after.is_hidden()))
    }

    /// Recorded games of the record, in the order of their first correction.
    fn games(&self) -> impl Iterator<Item = &CorrectedGame> {
        let changed = self.after.games.iter().filter(|game| self.games.contains(&(game.board.as_str(), game.number)));
        changed.chain(&self.gone_games)
    }

    /// Tags of a game with a changed value: name, old and new value.
    fn tags<'g>(&'g self, game: &'g CorrectedGame) -> Vec<(&'g str, &'g str, &'g str)> {
        let before = self.before.corrected(&game.board, game.number);
        let known = |name: &str| before.and_then(|before| before.tags.get(name));
        let names: BTreeSet<&String> =
            before.into_iter().flat_map(|before| before.tags.keys()).chain(game.tags.keys()).collect();
        let changed = names.into_iter().filter(|name| known(name) != game.tags.get(*name));
        let change = |name: &'g String| {
            let tag = game.tags.get(name);
            let shown = known(name).map(|known| known.value.as_str()).filter(|value| !value.is_empty());
            let old = shown.or_else(|| tag.map(|tag| tag.original.as_str()));
            // Without a correction the recorded value counts.
            let recorded = || known(name).map_or("", |known| known.original.as_str());
            (name.as_str(), old.unwrap_or_default(), tag.map_or_else(recorded, |tag| tag.value.as_str()))
        };
        changed.map(change).collect()
    }

    /// Bodies of the public events of the record.
    fn event_bodies(&self, hidden: &HiddenNames) -> Vec<Object> {
        let mut bodies = Vec::new();
        let whole = self.add_rounds(hidden, &mut bodies);
        let is_followed = |section: &TournamentSection, pairing: &Pairing| {
            let is_public = section.state_of(pairing.round) != RoundState::Prepared;
            is_public && !whole.contains(&(section.id, pairing.round))
        };
        let renamed = self.players().filter(|(before, after)| before.is_some_and(|before| before.name != after.name));
        for (_, player) in renamed {
            for (section, pairing) in self.after.pairings().filter(|(section, of)| is_followed(section, of)) {
                let plays = [pairing.white, pairing.black].contains(&Some(player.id));
                bodies.extend(plays.then(|| pairing_event(section, pairing, hidden)));
            }
        }
        let touched = self.pairings.iter().filter_map(|id| self.after.pairing(*id));
        for (section, pairing) in touched.filter(|(section, pairing)| is_followed(section, pairing)) {
            let before = self.before.pairing(pairing.id).map(|(_, before)| before);
            let facts = |of: &Pairing| (of.white, of.black, of.board, of.deferral);
            if before.map(facts) != Some(facts(pairing)) {
                bodies.push(pairing_event(section, pairing, hidden));
            }
            if before.and_then(|before| before.result) != pairing.result {
                bodies.push(result_event(section, pairing));
            }
        }
        if self.before.featured != self.after.featured {
            bodies.push(featured_event(&self.after.featured));
        }
        for game in self.games() {
            let head = || {
                Object::new()
                    .text("type", "tag-correction")
                    .text("board", &game.board)
                    .number("game", game.number.into())
            };
            let amend = |field, old: &str, new: &str| head().text("field", field).text("old", old).text("new", new);
            let key =
                |of: Option<&CorrectedGame>| of.and_then(|of| of.pairing).map_or(String::new(), format_pairing_key);
            let (old, new) = (key(self.before.corrected(&game.board, game.number)), key(Some(game)));
            bodies.extend((old != new).then(|| amend(PAIRING, &old, &new)));
            let name_of = |side: &str| game.tags.get(side).map(|tag| tag.value.as_str());
            let mask = |tag: &str, value| match tag.strip_suffix("FmjdId") {
                Some(side) if hidden.hides_number(&game.board, game.number, tag, name_of(side)) => "",
                _ => hidden.mask(&game.board, game.number, tag, value),
            };
            let tags = self.tags(game).into_iter();
            bodies.extend(tags.map(|(tag, old, new)| amend(tag, mask(tag, old), mask(tag, new))));
        }
        bodies
    }

    /// Adds the states of rounds, and all pairings of rounds that become public. Returns these rounds.
    fn add_rounds(&self, hidden: &HiddenNames, bodies: &mut Vec<Object>) -> BTreeSet<(Id, u32)> {
        let rounds = self.after.sections.iter().flat_map(|of| of.rounds.iter().map(move |round| (of, round)));
        let mut changed: Vec<_> = rounds.filter(|(of, round)| self.rounds.contains(&(of.id, round.number))).collect();
        changed.sort_by_key(|(_, round)| round.id);
        for (section, number) in &self.rounds {
            let known = self.after.sections.iter().find(|known| known.id == *section);
            if let Some(section) = known.filter(|of| of.rounds.iter().all(|round| round.number != *number)) {
                bodies.push(round_event("round", section, *number).text("state", RoundState::Prepared.name()));
            }
        }
        let mut whole = BTreeSet::new();
        for (section, round) in changed {
            bodies.push(round_event("round", section, round.number).text("state", round.state.name()));
            let known = self.before.sections.iter().find(|known| known.id == section.id);
            let was = known.map_or(RoundState::Prepared, |known| known.state_of(round.number));
            if was == RoundState::Prepared && round.state != RoundState::Prepared {
                whole.insert((section.id, round.number));
            }
        }
        for section in &self.after.sections {
            for (_, round) in whole.iter().filter(|(of, _)| *of == section.id) {
                for pairing in section.round(*round) {
                    bodies.push(pairing_event(section, pairing, hidden));
                    bodies.extend(pairing.result.is_some().then(|| result_event(section, pairing)));
                }
            }
        }
        whole
    }
}

/// Members of all events about a round.
fn round_event(kind: &str, section: &TournamentSection, round: u32) -> Object {
    Object::new().text("type", kind).text("section", &section.name).number("round", round.into())
}

fn pairing_event(section: &TournamentSection, pairing: &Pairing, hidden: &HiddenNames) -> Object {
    let mut body = round_event("pairing", section, pairing.round).text("pairing", &pairing.id.to_string());
    if let Some(board) = pairing.board {
        body = body.number("table", board.into());
    }
    for (side, id) in [("white", pairing.white), ("black", pairing.black)] {
        let player = id.and_then(|id| section.player(id));
        body = body.text(side, player.map_or("", |player| hidden.name(player.id, &player.name)));
    }
    match pairing.deferral {
        Some(deferral) => body.text("later", deferral.name()),
        None => body,
    }
}

fn featured_event(choice: &FeaturedChoice) -> Object {
    let body = Object::new().text("type", "featured").text("mode", choice.mode());
    let body = body.texts("boards", choice.boards());
    match choice.every() {
        Some(every) => body.number("every", every.into()),
        None => body,
    }
}

fn result_event(section: &TournamentSection, pairing: &Pairing) -> Object {
    let points = pairing.result.map(|result| [result.white.to_string(), result.black.to_string()]);
    let body = round_event("official-result", section, pairing.round).text("pairing", &pairing.id.to_string());
    let body = body.texts("points", points.iter().flatten().map(String::as_str));
    body.text("reason", pairing.result.map_or("", |result| result.reason.name()))
}
