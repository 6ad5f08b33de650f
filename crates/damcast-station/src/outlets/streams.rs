//! The events of games, made when they are needed: after days of play they are many times as long as the games.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::vec;

use damcast_engine::broadcast::events::{self, EventId, GameEvent, Generation, Stream, StreamKey};
use damcast_engine::broadcast::{Board, Delay, GameRecord, HiddenNames, TournamentHistory, VisibleGame, WallTime};

/// Number of events of a stream made at once.
const LOOKAHEAD: usize = 32;

/// All events of each stream of a list of boards.
pub struct EventStreams<'s> {
    boards: BTreeMap<&'s str, &'s Board>,
    /// Events of the tournament.
    tournament: &'s [GameEvent],
    /// Names that must not be in a line.
    hidden_names: &'s HiddenNames,
    /// Generation of the lines of their file.
    pub(super) generation: Generation,
    /// Next events of each requested stream, with the number of the first of them.
    lookahead: BTreeMap<StreamKey, (u64, vec::IntoIter<GameEvent>)>,
}

impl<'s> EventStreams<'s> {
    /// Returns the events of these boards and of a tournament, for a file of this generation.
    pub fn new(
        boards: impl IntoIterator<Item = &'s Board>,
        course: &'s TournamentHistory,
        generation: &Generation,
    ) -> EventStreams<'s> {
        let boards = boards.into_iter().map(|board| (board.name.as_str(), board)).collect();
        let telling = course.events_for_version(generation.names);
        let (tournament, hidden_names) = (telling.events(), &telling.hidden_names);
        EventStreams { boards, tournament, hidden_names, generation: generation.clone(), lookahead: BTreeMap::new() }
    }

    /// Returns the names that must not be in a line.
    pub(super) fn hidden_names(&self) -> &'s HiddenNames {
        self.hidden_names
    }

    fn tournament_event(&self, n: u64) -> Option<&'s GameEvent> {
        self.tournament.get(usize::try_from(n).ok()?.checked_sub(1)?)
    }

    fn game(&self, board: &str, number: u32) -> Option<(&'s Board, &'s GameRecord)> {
        let board = *self.boards.get(board)?;
        Some((board, board.games.iter().rev().find(|game| game.number() == number)?))
    }

    /// Whether an event is known here.
    pub fn contains(&self, place: &EventId) -> bool {
        if place.stream == Stream::Tournament {
            return self.tournament_event(place.n).is_some();
        }
        let game = self.game(&place.board, place.game);
        place.n > 0 && game.is_some_and(|(_, game)| place.n <= count(game, place.stream))
    }

    /// Returns an event; at once if it is the next of its stream.
    fn event(&mut self, place: &EventId) -> Option<GameEvent> {
        if place.stream == Stream::Tournament {
            return self.tournament_event(place.n).cloned();
        }
        let key = place.key();
        if let Some((n, events)) = self.lookahead.get_mut(&key).filter(|(n, _)| *n == place.n)
            && let Some(event) = events.next()
        {
            *n += 1;
            return Some(event);
        }
        let (board, game) = self.game(&place.board, place.game)?;
        let mut events = self.after(board, game, place.stream, place.n.checked_sub(1)?).into_iter();
        let event = events.next();
        match events.len() {
            0 => drop(self.lookahead.remove(&key)),
            _ => drop(self.lookahead.insert(key, (place.n + 1, events))),
        }
        event
    }

    /// Returns a line of the file with its LF, if the event is known.
    pub fn line(&mut self, seq: u64, place: &EventId) -> Option<String> {
        let event = self.event(place)?;
        Some(event.line(seq, &self.generation) + "\n")
    }

    /// Returns the next events of a stream after the first `skip`.
    fn after(&self, board: &Board, game: &GameRecord, stream: Stream, skip: u64) -> Vec<GameEvent> {
        if stream == Stream::LiveUpdate {
            return events::live_update_events(board, game, skip, LOOKAHEAD);
        }
        let view = all(game);
        let most = usize::try_from(skip).unwrap_or(usize::MAX).saturating_add(LOOKAHEAD);
        let view = match view.entries.get(..most) {
            Some(entries) => VisibleGame { entries, is_closed: false, result: None, ..view },
            None => view,
        };
        events::events_without(board, game, view, skip, self.hidden_names)
    }
}

/// Returns the number of events of a game's stream, visible or not.
fn count(game: &GameRecord, stream: Stream) -> u64 {
    match stream {
        Stream::Game => events::visible_event_count(all(game)),
        Stream::LiveUpdate => game.live_updates().len() as u64,
        Stream::Tournament => 0,
    }
}

fn all(game: &GameRecord) -> VisibleGame<'_> {
    Delay::NO_DELAY.view(game, game.last_change_at())
}

/// Visible events that are not written yet, ordered by their moments, then by board; those of a stream in their own order.
pub struct PendingEvents<'s> {
    streams: EventStreams<'s>,
    /// Next event of each stream, and its number of visible events.
    next: Vec<(Option<&'s GameRecord>, EventId, u64)>,
    heap: BinaryHeap<Reverse<(WallTime, usize)>>,
}

impl<'s> PendingEvents<'s> {
    /// Returns the pending events of these boards and of a tournament, for a file of this generation. `written`: number of written events
    /// of a stream.
    pub fn new(
        boards: &[&'s Board],
        (course, generation): (&'s TournamentHistory, &Generation),
        delay: Delay,
        now: WallTime,
        written: impl Fn(&StreamKey) -> u64,
    ) -> PendingEvents<'s> {
        let mut unwritten = PendingEvents {
            streams: EventStreams::new(boards.iter().copied(), course, generation),
            next: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for board in boards {
            for game in &board.games {
                let of_game = (Stream::Game, events::visible_event_count(delay.view(game, now)));
                let beside = (Stream::LiveUpdate, events::count_live_updates(game, delay, now));
                for (stream, seen) in [of_game, beside] {
                    let key = (board.name.clone(), game.number(), stream);
                    unwritten.add(Some(game), written(&key), key, seen);
                }
            }
        }
        let key = (String::new(), 0, Stream::Tournament);
        unwritten.add(None, written(&key), key, course.visible_events(delay, now));
        unwritten
    }

    /// Adds a stream with `seen` visible events of which `written` are written.
    fn add(&mut self, of: Option<&'s GameRecord>, written: u64, (board, game, stream): StreamKey, seen: u64) {
        if written < seen {
            self.next.push((of, EventId { board, game, stream, n: written + 1 }, seen));
            self.schedule(self.next.len() - 1);
        }
    }

    /// Returns the number of events that are left.
    pub fn remaining(&self) -> u64 {
        self.next.iter().map(|(_, place, seen)| seen + 1 - place.n).sum()
    }

    /// Schedules the next event of a stream by its moment.
    fn schedule(&mut self, index: usize) {
        let Some((game, place, seen)) = self.next.get(index) else { return };
        if place.n <= *seen
            && let Some(at) = match game {
                Some(game) => events::event_time(game, place.stream, place.n),
                None => self.streams.tournament_event(place.n).map(GameEvent::at),
            }
        {
            self.heap.push(Reverse((at, index)));
        }
    }
}

impl Iterator for PendingEvents<'_> {
    type Item = GameEvent;

    fn next(&mut self) -> Option<GameEvent> {
        let Reverse((_, index)) = self.heap.pop()?;
        let (_, place, _) = self.next.get_mut(index)?;
        let event = self.streams.event(place);
        place.n += 1;
        self.schedule(index);
        event
    }
}
