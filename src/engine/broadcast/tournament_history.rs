//! The course of a tournament as everybody may follow it: its records with their moments, the events that they are, what they correct
//! of recorded games, and the tournament as far as it may be seen.
//!
//! | a record has | event |
//! |---|---|
//! | a round that is published, opened or closed | `round`: `section`, `round`, `state` |
//! | who plays whom in such a round, at first and whenever it changes | `pairing`: `section`, `round`, `pairing`, `table`, `white`, `black`, `later` |
//! | an official result in such a round | `official-result`: `section`, `round`, `pairing`, `points` of both sides, `reason`; no points: it was taken back |
//! | a correction of a recorded game | `tag-correction`: `board`, `game`, `field` (a tag, `pairing`, or `moves` that the board missed), `old`, `new` |
//!
//! They are counted by `t`. All of it is a function of the records; a later record adds to it and changes nothing before. One thing does:
//! a player who wishes not to be named. From that record on there is another [`TournamentEvents`] of the same events, as if nobody had ever called
//! him otherwise; a file that has told the first one is begun anew with it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::events::GameEvent;
use super::json::Object;
use super::{Correction, Delay, GameRecord, WallTime};
use crate::engine::tournament::{
    Conflict, EntityChange, EntityKind, EntityStore, Fields, HIDDEN_NAME, Id, ORIGINAL_PREFIX, RoundState, TAG,
    Tournament, TournamentRecord, TournamentSection,
};
use draughts_pdn::tag;

/// The field of a game that says of which pairing it is.
const PAIRING_FIELD: &str = "pairing";

/// The tags in which players have their names.
const PLAYER_TAGS: [&str; 2] = ["White", "Black"];

/// The course of a tournament.
#[derive(Clone, Debug, Default)]
pub struct TournamentHistory {
    records: Vec<(WallTime, TournamentRecord)>,
    /// Its events with all names.
    all_names: TournamentEvents,
    /// Those of after each record by which somebody is not named any more, or is again.
    hidden_versions: Vec<TournamentEvents>,
    corrections: BTreeMap<(String, u32), Vec<Correction>>,
}

/// The names that nobody is told any more: all that players had who wish not to be named.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HiddenNames {
    players: BTreeSet<Id>,
    /// All that they were called.
    all_names: BTreeSet<String>,
    /// Those that another player has, too.
    shared_names: BTreeSet<String>,
    /// The tags that have them in recorded games, also where another player has the same name: board and game, their entity, the tag.
    games: BTreeSet<(String, u32, Id, String)>,
}

impl HiddenNames {
    /// Those after so many records. `book`: what these say.
    fn after_records(records: &[(WallTime, TournamentRecord)], book: &EntityStore) -> HiddenNames {
        let name = |fields: &Fields| fields.get("name").cloned().unwrap_or_default();
        let (hidden, others): (Vec<_>, Vec<_>) =
            book.entities(EntityKind::Player).partition(|(_, fields)| name(fields) == HIDDEN_NAME);
        let players: BTreeSet<Id> = hidden.into_iter().map(|(id, _)| id).collect();
        let others = others.into_iter().map(|(_, fields)| name(fields));
        let others: BTreeSet<String> = others.flat_map(|name| [tag::reader_safe(&name), name]).collect();
        let changes = records.iter().flat_map(|(_, record)| &record.changes);
        let of_players = changes.filter(|of| of.entity.kind == EntityKind::Player && players.contains(&of.entity.id));
        let mut all_names: BTreeSet<String> = of_players.flat_map(|of| [name(&of.old), name(&of.new)]).collect();
        // Games have them as PDN shows them, too.
        let shown: Vec<String> = all_names.iter().map(|name| tag::reader_safe(name)).collect();
        all_names.extend(shown);
        all_names.retain(|name| !name.is_empty() && name != HIDDEN_NAME);
        let mut games = BTreeSet::new();
        for (id, fields) in book.entities(EntityKind::Game) {
            let Some((board, game)) = game_key(fields) else { continue };
            let is_it = |tag: &&&str| fields.get(&format!("{TAG}{tag}")).is_some_and(|name| name == HIDDEN_NAME);
            games.extend(PLAYER_TAGS.iter().filter(is_it).map(|tag| (board.clone(), game, id, (*tag).to_owned())));
        }
        let shared_names = all_names.intersection(&others).cloned().collect();
        HiddenNames { players, all_names, shared_names, games }
    }

    /// The names that are nowhere to be found any more.
    pub fn names_removed(&self) -> impl Iterator<Item = &str> {
        self.all_names.difference(&self.shared_names).map(String::as_str)
    }

    /// What is told in the place of the value of a tag of a game.
    pub fn mask<'v>(&self, board: &str, game: u32, tag: &str, value: &'v str) -> &'v str {
        let is_of_game = |(of, number, _, name): &(String, u32, Id, String)| {
            (of.as_str(), *number, name.as_str()) == (board, game, tag)
        };
        let is_his =
            self.all_names.contains(value) && (!self.shared_names.contains(value) || self.games.iter().any(is_of_game));
        if is_his { HIDDEN_NAME } else { value }
    }

    /// A record as it would be, had nobody ever called them otherwise.
    fn redact<'r>(&self, record: &'r TournamentRecord) -> Cow<'r, TournamentRecord> {
        if self.all_names.is_empty() {
            return Cow::Borrowed(record);
        }
        let mut record = record.clone();
        for EntityChange { entity, old, new } in &mut record.changes {
            let is_his = entity.kind == EntityKind::Player && self.players.contains(&entity.id);
            let is_game = entity.kind == EntityKind::Game;
            for (name, value) in old.iter_mut().chain(new.iter_mut()) {
                let tag = name.strip_prefix(TAG).or_else(|| name.strip_prefix(ORIGINAL_PREFIX)).filter(|_| is_game);
                let of_game = |tag: &str| self.games.iter().any(|(_, _, id, of)| *id == entity.id && of == tag);
                let is_told =
                    |tag: &str| self.all_names.contains(value) && (!self.shared_names.contains(value) || of_game(tag));
                if is_his && name == "name" || tag.is_some_and(is_told) {
                    *value = HIDDEN_NAME.to_owned();
                }
            }
        }
        Cow::Owned(record)
    }
}

/// The events of a course, as they are told in one generation of a file.
#[derive(Clone, Debug, Default)]
pub struct TournamentEvents {
    /// The version of the tournament from which on they are told so, and its moment.
    from_version: Option<(u64, WallTime)>,
    /// The names that are not in them.
    pub hidden_names: HiddenNames,
    store: EntityStore,
    events: Vec<GameEvent>,
}

impl TournamentEvents {
    fn append(&mut self, record: &TournamentRecord, at: WallTime) -> Result<(), Conflict> {
        let record = self.hidden_names.redact(record);
        self.store.apply(&record)?;
        for body in event_bodies(&self.store, &record) {
            self.events.push(GameEvent::for_tournament(self.events.len() as u64 + 1, at, body));
        }
        Ok(())
    }

    /// All events, as many in each telling.
    pub fn events(&self) -> &[GameEvent] {
        &self.events
    }
}

impl TournamentHistory {
    /// That of some records, as far as they follow each other.
    pub fn from_records(records: &[TournamentRecord]) -> TournamentHistory {
        let mut course = TournamentHistory::default();
        for record in records {
            if course.append(record).is_err() {
                break;
            }
        }
        course
    }

    /// The next record.
    ///
    /// # Errors
    ///
    /// When it is not the next one.
    pub fn append(&mut self, record: &TournamentRecord) -> Result<(), Conflict> {
        let last = self.records.last().map(|(at, _)| *at);
        // Of a machine whose clock was set back: nothing may be seen before what was recorded earlier.
        let at = WallTime::parse_from_rfc3339(&record.at).ok().max(last).unwrap_or_default();
        self.all_names.append(record, at)?;
        self.hidden_versions.iter_mut().try_for_each(|telling| telling.append(record, at))?;
        for change in record.changes.iter().filter(|change| change.entity.kind == EntityKind::Game) {
            let Some(key) = self.all_names.store.fields(EntityKind::Game, change.entity.id).and_then(game_key) else {
                continue;
            };
            let correction =
                |(tag, value): (&str, &str)| Correction { at, tag: tag.to_owned(), value: value.to_owned() };
            let tags = change.tags().into_iter().map(correction);
            self.corrections.entry(key).or_default().extend(tags);
        }
        self.records.push((at, record.clone()));
        if record.changes.iter().any(changes_name_visibility) {
            let withheld = HiddenNames::after_records(&self.records, &self.all_names.store);
            let mut telling = TournamentEvents {
                from_version: Some((record.version, at)),
                hidden_names: withheld,
                ..TournamentEvents::default()
            };
            self.records.iter().try_for_each(|(at, record)| telling.append(record, *at))?;
            self.hidden_versions.push(telling);
        }
        Ok(())
    }

    /// The events as they are told in a file that was begun with the names of this version.
    pub fn events_for_version(&self, version: u64) -> &TournamentEvents {
        let since = |telling: &&TournamentEvents| telling.from_version.is_some_and(|(since, _)| since <= version);
        self.hidden_versions.iter().rev().find(since).unwrap_or(&self.all_names)
    }

    /// The version of the tournament from which on a file that is written at this moment has other names in lines of before; 0: there is none.
    pub fn names_version(&self, delay: Delay, now: WallTime) -> u64 {
        let since = self
            .hidden_versions
            .iter()
            .filter_map(|telling| telling.from_version)
            .filter(|(_, at)| delay.visible_at(*at) <= now);
        since.map(|(version, _)| version).max().unwrap_or(0)
    }

    /// Is there no record?
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// All its events, with all names.
    pub fn events(&self) -> &[GameEvent] {
        self.all_names.events()
    }

    /// How many of them may be seen at a moment.
    pub fn visible_events(&self, delay: Delay, now: WallTime) -> u64 {
        self.events().partition_point(|event| delay.visible_at(event.at()) <= now) as u64
    }

    /// What the records correct of a game.
    pub fn corrections(&self, board: &str, game: u32) -> &[Correction] {
        self.corrections.get(&(board.to_owned(), game)).map_or(&[], Vec::as_slice)
    }

    /// The same, and names that nobody is told any more, also of a game of which the office knew nothing.
    pub fn corrections_of(&self, board: &str, game: &GameRecord) -> Vec<Correction> {
        let mut all = self.corrections(board, game.number()).to_vec();
        for telling in &self.hidden_versions {
            let Some((_, since)) = telling.from_version else { continue };
            for tag in PLAYER_TAGS {
                let before = all.partition_point(|correction| correction.at <= since);
                let last = all[..before].iter().rev().find(|correction| correction.tag == tag);
                let shown = last.map_or(game.tag(tag).unwrap_or_default(), |correction| correction.value.as_str());
                let value = telling.hidden_names.mask(board, game.number(), tag, shown);
                if value != shown {
                    all.insert(before, Correction { at: since, tag: tag.to_owned(), value: value.to_owned() });
                }
            }
        }
        all
    }

    /// How many records may be seen at a moment.
    pub fn visible_records(&self, delay: Delay, now: WallTime) -> usize {
        self.records.partition_point(|(at, _)| delay.visible_at(*at) <= now)
    }

    /// When one more may be seen.
    pub fn next_change(&self, delay: Delay, now: WallTime) -> Option<WallTime> {
        self.records.get(self.visible_records(delay, now)).map(|(at, _)| delay.visible_at(*at))
    }

    /// The tournament after so many records, as far as everybody may see it: rounds that are prepared are not in it.
    pub fn tournament(&self, count: usize) -> Tournament {
        let mut book = EntityStore::default();
        for (_, record) in self.records.iter().take(count) {
            if book.apply(record).is_err() {
                break;
            }
        }
        let mut tournament = book.tournament().unwrap_or_default();
        tournament.sections.iter_mut().for_each(remove_prepared_rounds);
        tournament
    }
}

/// Takes out the rounds that nobody outside may see yet. A round that has a result was played, and so were those before it.
fn remove_prepared_rounds(section: &mut TournamentSection) {
    let played = section.last_round_with_result();
    let shown = section.rounds.iter().filter(|round| round.state != RoundState::Prepared).map(|round| round.number);
    let last = shown.max().unwrap_or(0).max(played);
    section.pairings.retain(|pairing| pairing.round <= last);
    section.byes.retain(|bye| bye.round <= last);
    section.matches.retain(|team_match| team_match.round <= last);
}

/// Is somebody not named any more, or is he again?
fn changes_name_visibility(change: &EntityChange) -> bool {
    let [old, new] = [&change.old, &change.new].map(|fields| fields.get("name").map(String::as_str));
    let is_other = old != new && old.is_some();
    change.entity.kind == EntityKind::Player && is_other && [old, new].contains(&Some(HIDDEN_NAME))
}

fn game_key(fields: &Fields) -> Option<(String, u32)> {
    Some((fields.get("board")?.clone(), fields.get("game")?.parse().ok()?))
}

/// The rounds of the book that everybody may see: section and number.
fn visible_rounds(book: &EntityStore) -> BTreeSet<(&str, &str)> {
    let shown =
        |(_, fields): (Id, &'_ Fields)| fields.get("state").is_some_and(|state| state != RoundState::Prepared.name());
    let key = |(_, fields)| round_key(fields);
    book.entities(EntityKind::Round).filter(|entity| shown(*entity)).filter_map(key).collect()
}

fn round_key(fields: &Fields) -> Option<(&str, &str)> {
    Some((fields.get("section")?.as_str(), fields.get("round")?.as_str()))
}

/// What a record that was applied tells.
fn event_bodies(book: &EntityStore, record: &TournamentRecord) -> Vec<Object> {
    let mut bodies = Vec::new();
    let shown = visible_rounds(book);
    let mut whole = BTreeSet::new();
    for change in record.changes.iter().filter(|change| change.entity.kind == EntityKind::Round) {
        let Some(fields) = book.fields(EntityKind::Round, change.entity.id) else { continue };
        let (Some(key), Some(state)) = (round_key(fields), change.new.get("state")) else { continue };
        bodies.push(round_event(book, "round", key).text("state", state));
        let was_shown = change.old.get("state").is_some_and(|state| state != RoundState::Prepared.name());
        if !was_shown && shown.contains(&key) {
            whole.insert(key);
        }
    }
    for key in &whole {
        let mut pairings: Vec<(Id, &Fields)> =
            book.entities(EntityKind::Pairing).filter(|(_, fields)| round_key(fields) == Some(*key)).collect();
        let board = |fields: &Fields| fields.get("board").and_then(|board| board.parse().ok()).unwrap_or(u32::MAX);
        pairings.sort_by_key(|(id, fields)| (board(fields), *id));
        for (id, fields) in pairings {
            bodies.push(pairing(book, *key, id, fields));
            bodies.extend(fields.contains_key("result").then(|| official_result(book, *key, id, fields)));
        }
    }
    for change in &record.changes {
        match change.entity.kind {
            EntityKind::Pairing => {
                let id = change.entity.id;
                let Some(fields) = book.fields(EntityKind::Pairing, id) else { continue };
                let Some(key) = round_key(fields).filter(|key| shown.contains(key) && !whole.contains(key)) else {
                    continue;
                };
                let has = |name: &&str| change.old.contains_key(*name) || change.new.contains_key(*name);
                if ["white", "black", "board", "later"].iter().any(&has) {
                    bodies.push(pairing(book, key, id, fields));
                }
                if ["result", "reason"].iter().any(has) {
                    bodies.push(official_result(book, key, id, fields));
                }
            }
            EntityKind::Player if change.new.contains_key("name") && !change.old.is_empty() => {
                let player = change.entity.id.to_string();
                let is_his = |fields: &Fields| ["white", "black"].iter().any(|side| fields.get(*side) == Some(&player));
                for (id, fields) in book.entities(EntityKind::Pairing).filter(|(_, fields)| is_his(fields)) {
                    let key = round_key(fields).filter(|key| shown.contains(key) && !whole.contains(key));
                    bodies.extend(key.map(|key| pairing(book, key, id, fields)));
                }
            }
            EntityKind::Game => {
                let Some(fields) = book.fields(EntityKind::Game, change.entity.id) else { continue };
                let Some((board, game)) = game_key(fields) else { continue };
                let amend =
                    || Object::new().text("type", "tag-correction").text("board", &board).number("game", game.into());
                let pairing = [&change.old, &change.new].map(|of| of.get(PAIRING_FIELD).map_or("", String::as_str));
                if pairing[0] != pairing[1] {
                    let body = amend().text("field", PAIRING_FIELD);
                    bodies.push(body.text("old", pairing[0]).text("new", pairing[1]));
                }
                for (tag, new) in change.tags() {
                    let first = || fields.get(&format!("{ORIGINAL_PREFIX}{tag}"));
                    let old = change.old.get(&format!("{TAG}{tag}")).or_else(first).map_or("", String::as_str);
                    bodies.push(amend().text("field", tag).text("old", old).text("new", new));
                }
            }
            _ => {}
        }
    }
    bodies
}

/// The members of all events about a round.
fn round_event(book: &EntityStore, kind: &str, (section, round): (&str, &str)) -> Object {
    let name = section.parse().ok().and_then(|id| book.fields(EntityKind::Section, Id(id))?.get("name"));
    let round = round.parse().unwrap_or(0);
    Object::new().text("type", kind).text("section", name.map_or("", String::as_str)).number("round", round)
}

fn pairing(book: &EntityStore, key: (&str, &str), id: Id, fields: &Fields) -> Object {
    let mut body = round_event(book, "pairing", key).text("pairing", &id.to_string());
    if let Some(board) = fields.get("board").and_then(|board| board.parse().ok()) {
        body = body.number("table", board);
    }
    for side in ["white", "black"] {
        let player = fields.get(side).and_then(|id| book.fields(EntityKind::Player, Id(id.parse().ok()?))?.get("name"));
        body = body.text(side, player.map_or("", String::as_str));
    }
    match fields.get("later") {
        Some(later) => body.text("later", later),
        None => body,
    }
}

fn official_result(book: &EntityStore, key: (&str, &str), id: Id, fields: &Fields) -> Object {
    let result = fields.get("result").and_then(|result| {
        let at = result.get(1..)?.find('-')? + 1;
        Some([&result[..at], &result[at + 1..]])
    });
    let body = round_event(book, "official-result", key).text("pairing", &id.to_string());
    let body = body.texts("points", result.into_iter().flatten());
    body.text("reason", fields.get("reason").map_or("", String::as_str))
}
