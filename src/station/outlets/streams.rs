//! The events of games, made when they are needed: those of a hall that plays for days are many times as long as its games.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::vec;

use crate::engine::broadcast::events::{self, EventPlace, GameEvent, Generation, Stream, StreamKey};
use crate::engine::broadcast::{Board, Course, Delay, GameRecord, Moment, View, Withheld};

/// So many events of a stream are made at once.
const AHEAD: usize = 32;

/// All events of each stream of some boards.
pub struct Streams<'s> {
    boards: BTreeMap<&'s str, &'s Board>,
    /// The events of the tournament.
    of_tournament: &'s [GameEvent],
    /// The names that are in no line.
    withheld: &'s Withheld,
    /// Generation of the lines of their file.
    pub(super) generation: Generation,
    /// Those that will be wanted next, of each stream that was asked for, and the number of the first of them.
    ahead: BTreeMap<StreamKey, (u64, vec::IntoIter<GameEvent>)>,
}

impl<'s> Streams<'s> {
    /// Those of these boards and of a tournament, in a file of this generation.
    pub fn new(
        boards: impl IntoIterator<Item = &'s Board>,
        course: &'s Course,
        generation: &Generation,
    ) -> Streams<'s> {
        let boards = boards.into_iter().map(|board| (board.name.as_str(), board)).collect();
        let telling = course.telling(generation.names);
        let (of_tournament, withheld) = (telling.events(), &telling.withheld);
        Streams { boards, of_tournament, withheld, generation: generation.clone(), ahead: BTreeMap::new() }
    }

    /// The names that are in no line.
    pub(super) fn withheld(&self) -> &'s Withheld {
        self.withheld
    }

    fn event_of_tournament(&self, n: u64) -> Option<&'s GameEvent> {
        self.of_tournament.get(usize::try_from(n).ok()?.checked_sub(1)?)
    }

    fn game(&self, board: &str, number: u32) -> Option<(&'s Board, &'s GameRecord)> {
        let board = *self.boards.get(board)?;
        Some((board, board.games.iter().rev().find(|game| game.number() == number)?))
    }

    /// Is this an event of one of them?
    pub fn has(&self, place: &EventPlace) -> bool {
        if place.stream == Stream::Tournament {
            return self.event_of_tournament(place.n).is_some();
        }
        let game = self.game(&place.board, place.game);
        place.n > 0 && game.is_some_and(|(_, game)| place.n <= count(game, place.stream))
    }

    /// An event. It is at hand when it is the next of its stream.
    fn event(&mut self, place: &EventPlace) -> Option<GameEvent> {
        if place.stream == Stream::Tournament {
            return self.event_of_tournament(place.n).cloned();
        }
        let key = place.key();
        if let Some((n, events)) = self.ahead.get_mut(&key).filter(|(n, _)| *n == place.n)
            && let Some(event) = events.next()
        {
            *n += 1;
            return Some(event);
        }
        let (board, game) = self.game(&place.board, place.game)?;
        let mut events = self.after(board, game, place.stream, place.n.checked_sub(1)?).into_iter();
        let event = events.next();
        match events.len() {
            0 => drop(self.ahead.remove(&key)),
            _ => drop(self.ahead.insert(key, (place.n + 1, events))),
        }
        event
    }

    /// A line of the file with its LF, if the event is known.
    pub fn line(&mut self, seq: u64, place: &EventPlace) -> Option<String> {
        let event = self.event(place)?;
        Some(event.line(seq, &self.generation) + "\n")
    }

    /// The next events of a stream behind the first so many.
    fn after(&self, board: &Board, game: &GameRecord, stream: Stream, skip: u64) -> Vec<GameEvent> {
        if stream == Stream::Aside {
            return events::asides(board, game, skip, AHEAD);
        }
        let view = all(game);
        let most = usize::try_from(skip).unwrap_or(usize::MAX).saturating_add(AHEAD);
        let view = match view.entries.get(..most) {
            Some(entries) => View { entries, is_closed: false, result: None, ..view },
            None => view,
        };
        events::events_without(board, game, view, skip, self.withheld)
    }
}

/// How many events a stream of a game has, whatever may be seen of it.
fn count(game: &GameRecord, stream: Stream) -> u64 {
    match stream {
        Stream::Game => events::count(all(game)),
        Stream::Aside => game.asides().len() as u64,
        Stream::Tournament => 0,
    }
}

fn all(game: &GameRecord) -> View<'_> {
    Delay::NONE.view(game, game.latest())
}

/// The events that may be seen and are not written yet, in the order in which they are to be written: that of their moments, then of
/// the boards; those of a stream in their own.
pub struct Unwritten<'s> {
    streams: Streams<'s>,
    /// The next of each stream, and how many of it may be seen.
    next: Vec<(Option<&'s GameRecord>, EventPlace, u64)>,
    heap: BinaryHeap<Reverse<(Moment, usize)>>,
}

impl<'s> Unwritten<'s> {
    /// Those of some boards and of a tournament, for a file of this generation. `written`: how many events of a stream are written.
    pub fn new(
        boards: &[&'s Board],
        (course, generation): (&'s Course, &Generation),
        delay: Delay,
        now: Moment,
        written: impl Fn(&StreamKey) -> u64,
    ) -> Unwritten<'s> {
        let mut unwritten = Unwritten {
            streams: Streams::new(boards.iter().copied(), course, generation),
            next: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for board in boards {
            for game in &board.games {
                let of_game = (Stream::Game, events::count(delay.view(game, now)));
                let beside = (Stream::Aside, events::count_asides(game, delay, now));
                for (stream, seen) in [of_game, beside] {
                    let mut key = (board.name.clone(), game.number(), stream);
                    let known = written(&key);
                    if known < seen {
                        let place =
                            EventPlace { board: std::mem::take(&mut key.0), game: game.number(), stream, n: known + 1 };
                        unwritten.next.push((Some(game), place, seen));
                        unwritten.put_off(unwritten.next.len() - 1);
                    }
                }
            }
        }
        let key = (String::new(), 0, Stream::Tournament);
        let (known, seen) = (written(&key), course.events_seen(delay, now));
        if known < seen {
            let place = EventPlace { board: key.0, game: key.1, stream: key.2, n: known + 1 };
            unwritten.next.push((None, place, seen));
            unwritten.put_off(unwritten.next.len() - 1);
        }
        unwritten
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.next.iter().map(|(_, place, seen)| seen + 1 - place.n).sum()
    }

    /// The next event of a stream has its turn when its moment has it.
    fn put_off(&mut self, index: usize) {
        let Some((game, place, seen)) = self.next.get(index) else { return };
        if place.n <= *seen
            && let Some(at) = match game {
                Some(game) => events::moment(game, place.stream, place.n),
                None => self.streams.event_of_tournament(place.n).map(GameEvent::at),
            }
        {
            self.heap.push(Reverse((at, index)));
        }
    }
}

impl Iterator for Unwritten<'_> {
    type Item = GameEvent;

    fn next(&mut self) -> Option<GameEvent> {
        let Reverse((_, index)) = self.heap.pop()?;
        let (_, place, _) = self.next.get_mut(index)?;
        let event = self.streams.event(place);
        place.n += 1;
        self.put_off(index);
        event
    }
}
