//! The events of games, made when they are needed: after days of play they are many times as long as the games.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::rc::Rc;
use std::vec;

use damcast_engine::broadcast::events::{self, EventId, GameEvent, Generation, Stream, StreamKey};
use damcast_engine::broadcast::{
    Board, Delay, GameRecord, HiddenNames, StoredGame, TournamentEvents, TournamentHistory, VisibleGame, WallTime,
};

use super::plan::BoardList;

/// Number of events of a stream made at once.
const LOOKAHEAD: usize = 32;
/// Number of games for each board that are held after they were read. Events of several boards alternate, those of a board hardly do.
const LOADED_GAMES_PER_BOARD: usize = 2;

/// All events of each stream of a list of boards.
pub struct EventStreams<'s> {
    boards: BTreeMap<&'s str, &'s Board>,
    /// Events and changes of the tournament, without the names that are hidden in the generation.
    tournament: &'s TournamentEvents,
    lists: &'s [BoardList],
    /// Generation of the lines of their file.
    pub(super) generation: Generation,
    /// Next events of each requested stream, with the number of the first of them.
    lookahead: BTreeMap<StreamKey, (u64, vec::IntoIter<GameEvent>)>,
    /// Games that were read last.
    loaded: BTreeMap<(&'s str, u32), Rc<Cow<'s, GameRecord>>>,
}

impl<'s> EventStreams<'s> {
    /// Returns the events of these boards, of a tournament, and of lists of boards, for a file of this generation.
    pub fn new(
        boards: impl IntoIterator<Item = &'s Board>,
        history: &'s TournamentHistory,
        lists: &'s [BoardList],
        generation: &Generation,
    ) -> EventStreams<'s> {
        EventStreams {
            boards: boards.into_iter().map(|board| (board.name.as_str(), board)).collect(),
            tournament: history.events_for_version(generation.names),
            lists,
            generation: generation.clone(),
            lookahead: BTreeMap::new(),
            loaded: BTreeMap::new(),
        }
    }

    /// Returns the names that must not be in a line.
    pub(super) fn hidden_names(&self) -> &'s HiddenNames {
        &self.tournament.hidden_names
    }

    /// Returns the `n`th event of a stream without a board.
    fn event_without_board(&self, stream: Stream, n: u64) -> Option<Cow<'s, GameEvent>> {
        let index = usize::try_from(n).ok()?.checked_sub(1)?;
        match stream {
            Stream::Tournament => self.tournament.events().get(index).map(Cow::Borrowed),
            Stream::Change => self.tournament.changes().get(index).map(Cow::Borrowed),
            Stream::Boards => {
                let BoardList { at, boards, .. } = self.lists.get(index)?;
                Some(Cow::Owned(events::board_list_event(n, *at, boards, &self.tournament.hidden_names)))
            }
            Stream::Game | Stream::LiveUpdate => None,
        }
    }

    fn game(&self, board: &str, number: u32) -> Option<(&'s Board, &'s StoredGame)> {
        let board = *self.boards.get(board)?;
        Some((board, board.games.iter().rev().find(|game| game.number() == number)?))
    }

    /// Returns a game as a whole.
    fn load(&mut self, board: &'s Board, game: &'s StoredGame) -> io::Result<Rc<Cow<'s, GameRecord>>> {
        let key = (board.name.as_str(), game.number());
        if let Some(loaded) = self.loaded.get(&key) {
            return Ok(Rc::clone(loaded));
        }
        if self.loaded.len() >= LOADED_GAMES_PER_BOARD * self.boards.len() {
            self.loaded.clear();
        }
        let loaded = Rc::new(game.load()?);
        self.loaded.insert(key, Rc::clone(&loaded));
        Ok(loaded)
    }

    /// Whether an event is known here.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of reading games that are over.
    pub fn contains(&self, place: &EventId) -> io::Result<bool> {
        if !place.stream.is_of_board() {
            return Ok(self.event_without_board(place.stream, place.n).is_some());
        }
        let Some((_, game)) = self.game(&place.board, place.game) else { return Ok(false) };
        let extent = game.visible_extent(Delay::NO_DELAY, game.last_change_at())?;
        let count = if place.stream == Stream::Game { extent.events } else { extent.live_updates };
        Ok(place.n > 0 && place.n <= count)
    }

    /// Returns an event; at once if it is the next of its stream.
    fn event(&mut self, place: &EventId) -> io::Result<Option<GameEvent>> {
        if !place.stream.is_of_board() {
            return Ok(self.event_without_board(place.stream, place.n).map(Cow::into_owned));
        }
        let key = place.key();
        if let Some((n, events)) = self.lookahead.get_mut(&key).filter(|(n, _)| *n == place.n)
            && let Some(event) = events.next()
        {
            *n += 1;
            // Most streams end here. Remove their empty buffers, or memory grows with the games.
            if events.len() == 0 {
                self.lookahead.remove(&key);
            }
            return Ok(Some(event));
        }
        let (Some((board, game)), Some(skip)) = (self.game(&place.board, place.game), place.n.checked_sub(1)) else {
            return Ok(None);
        };
        let game = self.load(board, game)?;
        let mut events = self.after(board, &game, place.stream, skip).into_iter();
        let event = events.next();
        match events.len() {
            0 => drop(self.lookahead.remove(&key)),
            _ => drop(self.lookahead.insert(key, (place.n + 1, events))),
        }
        Ok(event)
    }

    /// Returns the time of an event.
    fn time_of(&mut self, game: Option<(&'s Board, &'s StoredGame)>, place: &EventId) -> io::Result<Option<WallTime>> {
        let Some((board, game)) = game else {
            return Ok(self.event_without_board(place.stream, place.n).map(|event| event.at()));
        };
        let game = self.load(board, game)?;
        Ok(events::event_time(&game, place.stream, place.n))
    }

    /// Returns a line of the file with its LF, if the event is known.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of reading games that are over.
    pub fn line(&mut self, seq: u64, place: &EventId) -> io::Result<Option<String>> {
        Ok(self.event(place)?.map(|event| event.line(seq, &self.generation) + "\n"))
    }

    /// Returns the next events of a stream after the first `skip`.
    fn after(&self, board: &Board, game: &GameRecord, stream: Stream, skip: u64) -> Vec<GameEvent> {
        if stream == Stream::LiveUpdate {
            return events::live_update_events(board, game, skip, LOOKAHEAD);
        }
        let view = Delay::NO_DELAY.view(game, game.last_change_at());
        let most = usize::try_from(skip).unwrap_or(usize::MAX).saturating_add(LOOKAHEAD);
        let view = match view.entries.get(..most) {
            Some(entries) => VisibleGame { entries, is_closed: false, result: None, ..view },
            None => view,
        };
        events::events_without(board, game, view, skip, &self.tournament.hidden_names)
    }
}

/// Visible events that are not written yet, ordered by their moments, then by board; those of a stream in their own order.
pub struct PendingEvents<'s> {
    streams: EventStreams<'s>,
    next: Vec<PendingStream<'s>>,
    heap: BinaryHeap<Reverse<(WallTime, usize)>>,
}

/// A stream with events that are not written yet.
struct PendingStream<'s> {
    /// The game with its board; `None` for a stream without a board.
    game: Option<(&'s Board, &'s StoredGame)>,
    /// Next event.
    next: EventId,
    /// Number of visible events.
    visible: u64,
}

impl<'s> PendingEvents<'s> {
    /// Returns the pending events of these boards, of a tournament, and of lists of boards, for a file of this generation. `written`: number
    /// of written events of a stream.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of reading games that are over.
    pub fn new(
        boards: &[&'s Board],
        (history, lists, generation): (&'s TournamentHistory, &'s [BoardList], &Generation),
        delay: Delay,
        now: WallTime,
        written: impl Fn(&StreamKey) -> u64,
    ) -> io::Result<PendingEvents<'s>> {
        let mut unwritten = PendingEvents {
            streams: EventStreams::new(boards.iter().copied(), history, lists, generation),
            next: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for &board in boards {
            for game in &board.games {
                let extent = game.visible_extent(delay, now)?;
                for (stream, seen) in [(Stream::Game, extent.events), (Stream::LiveUpdate, extent.live_updates)] {
                    let key = (board.name.clone(), game.number(), stream);
                    unwritten.add(Some((board, game)), written(&key), key, seen)?;
                }
            }
        }
        // The first list says which boards there are, before any game.
        let later = lists.iter().skip(1).take_while(|list| delay.visible_at(list.at) <= now).count();
        for (stream, visible) in [
            (Stream::Boards, (lists.len().min(1) + later) as u64),
            (Stream::Tournament, history.visible_events(delay, now)),
            (Stream::Change, history.visible_changes(delay, now)),
        ] {
            let key = (String::new(), 0, stream);
            unwritten.add(None, written(&key), key, visible)?;
        }
        Ok(unwritten)
    }

    /// Adds a stream with `visible` visible events of which `written` are written.
    fn add(
        &mut self,
        game: Option<(&'s Board, &'s StoredGame)>,
        written: u64,
        (board, number, stream): StreamKey,
        visible: u64,
    ) -> io::Result<()> {
        if written >= visible {
            return Ok(());
        }
        let next = EventId { board, game: number, stream, n: written + 1 };
        self.next.push(PendingStream { game, next, visible });
        self.schedule(self.next.len() - 1)
    }

    /// Returns the number of events that are left.
    pub fn remaining(&self) -> u64 {
        self.next.iter().map(|stream| stream.visible + 1 - stream.next.n).sum()
    }

    /// Schedules the next event of a stream by its moment.
    fn schedule(&mut self, index: usize) -> io::Result<()> {
        let Some(stream) = self.next.get(index).filter(|stream| stream.next.n <= stream.visible) else { return Ok(()) };
        if let Some(at) = self.streams.time_of(stream.game, &stream.next)? {
            self.heap.push(Reverse((at, index)));
        }
        Ok(())
    }

    fn take_next(&mut self) -> io::Result<Option<GameEvent>> {
        let Some(Reverse((_, index))) = self.heap.pop() else { return Ok(None) };
        let Some(stream) = self.next.get_mut(index) else { return Ok(None) };
        let event = self.streams.event(&stream.next)?;
        stream.next.n += 1;
        self.schedule(index)?;
        Ok(event)
    }
}

impl Iterator for PendingEvents<'_> {
    type Item = io::Result<GameEvent>;

    fn next(&mut self) -> Option<io::Result<GameEvent>> {
        self.take_next().transpose()
    }
}
