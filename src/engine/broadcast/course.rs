//! The course of a tournament as everybody may follow it: its records with their moments, the events that they are, what they correct
//! of recorded games, and the tournament as far as it may be seen.
//!
//! | a record has | event |
//! |---|---|
//! | a round that is published, opened or closed | `round`: `section`, `round`, `state` |
//! | who plays whom in such a round, at first and whenever it changes | `pairing`: `section`, `round`, `pairing`, `table`, `white`, `black`, `later` |
//! | an official result in such a round | `official`: `section`, `round`, `pairing`, `points` of both sides, `reason`; no points: it was taken back |
//! | a correction of a recorded game | `amend`: `board`, `game`, `field` (a tag, `pairing`, or `moves` that the board missed), `old`, `new` |
//!
//! They are counted by `t`. All of it is a function of the records; a later record adds to it and changes nothing before. One thing does:
//! a player who wishes not to be named. From that record on there is another [`Telling`] of the same events, as if nobody had ever called
//! him otherwise; a file that has told the first one is begun anew with it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::events::GameEvent;
use super::json::Object;
use super::{Correction, Delay, GameRecord, Moment};
use crate::engine::tournament::{
    Amendment, Book, Conflict, Fields, Id, Kind, NOT_NAMED, RoundState, TAG, Tournament, TournamentRecord,
    TournamentSection, WAS,
};
use draughts_pdn::tag;

/// The field of a game that says of which pairing it is.
const PAIRING: &str = "pairing";

/// The tags in which players have their names.
const PLAYERS: [&str; 2] = ["White", "Black"];

/// The course of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Course {
    records: Vec<(Moment, TournamentRecord)>,
    /// Its events with all names.
    plain: Telling,
    /// Those of after each record by which somebody is not named any more, or is again.
    others: Vec<Telling>,
    corrections: BTreeMap<(String, u32), Vec<Correction>>,
}

/// The names that nobody is told any more: all that players had who wish not to be named.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Withheld {
    players: BTreeSet<Id>,
    /// All that they were called.
    names: BTreeSet<String>,
    /// Those that another player has, too.
    shared: BTreeSet<String>,
    /// The tags that have them in recorded games, also where another player has the same name: board and game, their entity, the tag.
    games: BTreeSet<(String, u32, Id, String)>,
}

impl Withheld {
    /// Those after so many records. `book`: what these say.
    fn after(records: &[(Moment, TournamentRecord)], book: &Book) -> Withheld {
        let name = |fields: &Fields| fields.get("name").cloned().unwrap_or_default();
        let (hidden, others): (Vec<_>, Vec<_>) =
            book.entities(Kind::Player).partition(|(_, fields)| name(fields) == NOT_NAMED);
        let players: BTreeSet<Id> = hidden.into_iter().map(|(id, _)| id).collect();
        let others = others.into_iter().map(|(_, fields)| name(fields));
        let others: BTreeSet<String> = others.flat_map(|name| [tag::harmless(&name), name]).collect();
        let changes = records.iter().flat_map(|(_, record)| &record.changes);
        let of_players = changes.filter(|of| of.entity.kind == Kind::Player && players.contains(&of.entity.id));
        let mut names: BTreeSet<String> = of_players.flat_map(|of| [name(&of.old), name(&of.new)]).collect();
        // Games have them as PDN shows them, too.
        let shown: Vec<String> = names.iter().map(|name| tag::harmless(name)).collect();
        names.extend(shown);
        names.retain(|name| !name.is_empty() && name != NOT_NAMED);
        let mut games = BTreeSet::new();
        for (id, fields) in book.entities(Kind::Game) {
            let Some((board, game)) = game_of(fields) else { continue };
            let is_it = |tag: &&&str| fields.get(&format!("{TAG}{tag}")).is_some_and(|name| name == NOT_NAMED);
            games.extend(PLAYERS.iter().filter(is_it).map(|tag| (board.clone(), game, id, (*tag).to_owned())));
        }
        let shared = names.intersection(&others).cloned().collect();
        Withheld { players, names, shared, games }
    }

    /// The names that are nowhere to be found any more.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.difference(&self.shared).map(String::as_str)
    }

    /// What is told in the place of the value of a tag of a game.
    pub fn instead<'v>(&self, board: &str, game: u32, tag: &str, value: &'v str) -> &'v str {
        let is_of_game = |(of, number, _, name): &(String, u32, Id, String)| {
            (of.as_str(), *number, name.as_str()) == (board, game, tag)
        };
        let is_his = self.names.contains(value) && (!self.shared.contains(value) || self.games.iter().any(is_of_game));
        if is_his { NOT_NAMED } else { value }
    }

    /// A record as it would be, had nobody ever called them otherwise.
    fn without<'r>(&self, record: &'r TournamentRecord) -> Cow<'r, TournamentRecord> {
        if self.names.is_empty() {
            return Cow::Borrowed(record);
        }
        let mut record = record.clone();
        for Amendment { entity, old, new } in &mut record.changes {
            let is_his = entity.kind == Kind::Player && self.players.contains(&entity.id);
            let is_game = entity.kind == Kind::Game;
            for (name, value) in old.iter_mut().chain(new.iter_mut()) {
                let tag = name.strip_prefix(TAG).or_else(|| name.strip_prefix(WAS)).filter(|_| is_game);
                let of_game = |tag: &str| self.games.iter().any(|(_, _, id, of)| *id == entity.id && of == tag);
                let is_told = |tag: &str| self.names.contains(value) && (!self.shared.contains(value) || of_game(tag));
                if is_his && name == "name" || tag.is_some_and(is_told) {
                    *value = NOT_NAMED.to_owned();
                }
            }
        }
        Cow::Owned(record)
    }
}

/// The events of a course, as they are told in one generation of a file.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    /// The version of the tournament from which on they are told so, and its moment.
    since: Option<(u64, Moment)>,
    /// The names that are not in them.
    pub withheld: Withheld,
    book: Book,
    events: Vec<GameEvent>,
}

impl Telling {
    fn take(&mut self, record: &TournamentRecord, at: Moment) -> Result<(), Conflict> {
        let record = self.withheld.without(record);
        self.book.apply(&record)?;
        for body in bodies(&self.book, &record) {
            self.events.push(GameEvent::of_tournament(self.events.len() as u64 + 1, at, body));
        }
        Ok(())
    }

    /// All events, as many in each telling.
    pub fn events(&self) -> &[GameEvent] {
        &self.events
    }
}

impl Course {
    /// That of some records, as far as they follow each other.
    pub fn of(records: &[TournamentRecord]) -> Course {
        let mut course = Course::default();
        for record in records {
            if course.push(record).is_err() {
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
    pub fn push(&mut self, record: &TournamentRecord) -> Result<(), Conflict> {
        let last = self.records.last().map(|(at, _)| *at);
        // Of a machine whose clock was set back: nothing may be seen before what was recorded earlier.
        let at = Moment::parse_from_rfc3339(&record.at).ok().max(last).unwrap_or_default();
        self.plain.take(record, at)?;
        self.others.iter_mut().try_for_each(|telling| telling.take(record, at))?;
        for change in record.changes.iter().filter(|change| change.entity.kind == Kind::Game) {
            let Some(key) = self.plain.book.fields(Kind::Game, change.entity.id).and_then(game_of) else { continue };
            let correction =
                |(tag, value): (&str, &str)| Correction { at, tag: tag.to_owned(), value: value.to_owned() };
            let tags = change.tags().into_iter().map(correction);
            self.corrections.entry(key).or_default().extend(tags);
        }
        self.records.push((at, record.clone()));
        if record.changes.iter().any(names_or_hides) {
            let withheld = Withheld::after(&self.records, &self.plain.book);
            let mut telling = Telling { since: Some((record.version, at)), withheld, ..Telling::default() };
            self.records.iter().try_for_each(|(at, record)| telling.take(record, *at))?;
            self.others.push(telling);
        }
        Ok(())
    }

    /// The events as they are told in a file that was begun with the names of this version.
    pub fn telling(&self, version: u64) -> &Telling {
        let since = |telling: &&Telling| telling.since.is_some_and(|(since, _)| since <= version);
        self.others.iter().rev().find(since).unwrap_or(&self.plain)
    }

    /// The version of the tournament from which on a file that is written at this moment has other names in lines of before; 0: there is none.
    pub fn names_since(&self, delay: Delay, now: Moment) -> u64 {
        let since = self.others.iter().filter_map(|telling| telling.since).filter(|(_, at)| delay.due(*at) <= now);
        since.map(|(version, _)| version).max().unwrap_or(0)
    }

    /// Is there no record?
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// All its events, with all names.
    pub fn events(&self) -> &[GameEvent] {
        self.plain.events()
    }

    /// How many of them may be seen at a moment.
    pub fn events_seen(&self, delay: Delay, now: Moment) -> u64 {
        self.events().partition_point(|event| delay.due(event.at()) <= now) as u64
    }

    /// What the records correct of a game.
    pub fn corrections(&self, board: &str, game: u32) -> &[Correction] {
        self.corrections.get(&(board.to_owned(), game)).map_or(&[], Vec::as_slice)
    }

    /// The same, and names that nobody is told any more, also of a game of which the office knew nothing.
    pub fn corrections_of(&self, board: &str, game: &GameRecord) -> Vec<Correction> {
        let mut all = self.corrections(board, game.number()).to_vec();
        for telling in &self.others {
            let Some((_, since)) = telling.since else { continue };
            for tag in PLAYERS {
                let before = all.partition_point(|correction| correction.at <= since);
                let last = all[..before].iter().rev().find(|correction| correction.tag == tag);
                let shown = last.map_or(game.tag(tag).unwrap_or_default(), |correction| correction.value.as_str());
                let value = telling.withheld.instead(board, game.number(), tag, shown);
                if value != shown {
                    all.insert(before, Correction { at: since, tag: tag.to_owned(), value: value.to_owned() });
                }
            }
        }
        all
    }

    /// How many records may be seen at a moment.
    pub fn seen(&self, delay: Delay, now: Moment) -> usize {
        self.records.partition_point(|(at, _)| delay.due(*at) <= now)
    }

    /// When one more may be seen.
    pub fn next_change(&self, delay: Delay, now: Moment) -> Option<Moment> {
        self.records.get(self.seen(delay, now)).map(|(at, _)| delay.due(*at))
    }

    /// The tournament after so many records, as far as everybody may see it: rounds that are prepared are not in it.
    pub fn tournament(&self, count: usize) -> Tournament {
        let mut book = Book::default();
        for (_, record) in self.records.iter().take(count) {
            if book.apply(record).is_err() {
                break;
            }
        }
        let mut tournament = book.tournament().unwrap_or_default();
        tournament.sections.iter_mut().for_each(hide_prepared);
        tournament
    }
}

/// Takes out the rounds that nobody outside may see yet. A round that has a result was played, and so were those before it.
fn hide_prepared(section: &mut TournamentSection) {
    let played = section.last_round_with_result();
    let shown = section.rounds.iter().filter(|round| round.state != RoundState::Prepared).map(|round| round.number);
    let last = shown.max().unwrap_or(0).max(played);
    section.pairings.retain(|pairing| pairing.round <= last);
    section.byes.retain(|bye| bye.round <= last);
    section.matches.retain(|team_match| team_match.round <= last);
}

/// Is somebody not named any more, or is he again?
fn names_or_hides(change: &Amendment) -> bool {
    let [old, new] = [&change.old, &change.new].map(|fields| fields.get("name").map(String::as_str));
    let is_other = old != new && old.is_some();
    change.entity.kind == Kind::Player && is_other && [old, new].contains(&Some(NOT_NAMED))
}

fn game_of(fields: &Fields) -> Option<(String, u32)> {
    Some((fields.get("board")?.clone(), fields.get("game")?.parse().ok()?))
}

/// The rounds of the book that everybody may see: section and number.
fn shown_rounds(book: &Book) -> BTreeSet<(&str, &str)> {
    let shown =
        |(_, fields): (Id, &'_ Fields)| fields.get("state").is_some_and(|state| state != RoundState::Prepared.name());
    let key = |(_, fields)| round_of(fields);
    book.entities(Kind::Round).filter(|entity| shown(*entity)).filter_map(key).collect()
}

fn round_of(fields: &Fields) -> Option<(&str, &str)> {
    Some((fields.get("section")?.as_str(), fields.get("round")?.as_str()))
}

/// What a record that was applied tells.
fn bodies(book: &Book, record: &TournamentRecord) -> Vec<Object> {
    let mut bodies = Vec::new();
    let shown = shown_rounds(book);
    let mut whole = BTreeSet::new();
    for change in record.changes.iter().filter(|change| change.entity.kind == Kind::Round) {
        let Some(fields) = book.fields(Kind::Round, change.entity.id) else { continue };
        let (Some(key), Some(state)) = (round_of(fields), change.new.get("state")) else { continue };
        bodies.push(head(book, "round", key).text("state", state));
        let was_shown = change.old.get("state").is_some_and(|state| state != RoundState::Prepared.name());
        if !was_shown && shown.contains(&key) {
            whole.insert(key);
        }
    }
    for key in &whole {
        let mut pairings: Vec<(Id, &Fields)> =
            book.entities(Kind::Pairing).filter(|(_, fields)| round_of(fields) == Some(*key)).collect();
        let board = |fields: &Fields| fields.get("board").and_then(|board| board.parse().ok()).unwrap_or(u32::MAX);
        pairings.sort_by_key(|(id, fields)| (board(fields), *id));
        for (id, fields) in pairings {
            bodies.push(pairing(book, *key, id, fields));
            bodies.extend(fields.contains_key("result").then(|| official(book, *key, id, fields)));
        }
    }
    for change in &record.changes {
        match change.entity.kind {
            Kind::Pairing => {
                let id = change.entity.id;
                let Some(fields) = book.fields(Kind::Pairing, id) else { continue };
                let Some(key) = round_of(fields).filter(|key| shown.contains(key) && !whole.contains(key)) else {
                    continue;
                };
                let has = |name: &&str| change.old.contains_key(*name) || change.new.contains_key(*name);
                if ["white", "black", "board", "later"].iter().any(&has) {
                    bodies.push(pairing(book, key, id, fields));
                }
                if ["result", "reason"].iter().any(has) {
                    bodies.push(official(book, key, id, fields));
                }
            }
            Kind::Player if change.new.contains_key("name") && !change.old.is_empty() => {
                let player = change.entity.id.to_string();
                let is_his = |fields: &Fields| ["white", "black"].iter().any(|side| fields.get(*side) == Some(&player));
                for (id, fields) in book.entities(Kind::Pairing).filter(|(_, fields)| is_his(fields)) {
                    let key = round_of(fields).filter(|key| shown.contains(key) && !whole.contains(key));
                    bodies.extend(key.map(|key| pairing(book, key, id, fields)));
                }
            }
            Kind::Game => {
                let Some(fields) = book.fields(Kind::Game, change.entity.id) else { continue };
                let Some((board, game)) = game_of(fields) else { continue };
                let amend = || Object::new().text("type", "amend").text("board", &board).number("game", game.into());
                let pairing = [&change.old, &change.new].map(|of| of.get(PAIRING).map_or("", String::as_str));
                if pairing[0] != pairing[1] {
                    let body = amend().text("field", PAIRING);
                    bodies.push(body.text("old", pairing[0]).text("new", pairing[1]));
                }
                for (tag, new) in change.tags() {
                    let first = || fields.get(&format!("{WAS}{tag}"));
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
fn head(book: &Book, kind: &str, (section, round): (&str, &str)) -> Object {
    let name = section.parse().ok().and_then(|id| book.fields(Kind::Section, Id(id))?.get("name"));
    let round = round.parse().unwrap_or(0);
    Object::new().text("type", kind).text("section", name.map_or("", String::as_str)).number("round", round)
}

fn pairing(book: &Book, key: (&str, &str), id: Id, fields: &Fields) -> Object {
    let mut body = head(book, "pairing", key).text("pairing", &id.to_string());
    if let Some(board) = fields.get("board").and_then(|board| board.parse().ok()) {
        body = body.number("table", board);
    }
    for side in ["white", "black"] {
        let player = fields.get(side).and_then(|id| book.fields(Kind::Player, Id(id.parse().ok()?))?.get("name"));
        body = body.text(side, player.map_or("", String::as_str));
    }
    match fields.get("later") {
        Some(later) => body.text("later", later),
        None => body,
    }
}

fn official(book: &Book, key: (&str, &str), id: Id, fields: &Fields) -> Object {
    let result = fields.get("result").and_then(|result| {
        let at = result.get(1..)?.find('-')? + 1;
        Some([&result[..at], &result[at + 1..]])
    });
    let body = head(book, "official", key).text("pairing", &id.to_string());
    let body = body.texts("points", result.into_iter().flatten());
    body.text("reason", fields.get("reason").map_or("", String::as_str))
}
