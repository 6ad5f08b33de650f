//! The boards of a round in their order, and what became of their games.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Plan, Plans};
use crate::engine::broadcast::{AsideContent, Board, Course, GameChange, GameRecord, Moment};
use crate::engine::bytelog::Header;
use crate::engine::livefile::Opening;
use crate::engine::playback::{PlayedGame, PublishedPart};
use crate::engine::roster;
use crate::engine::session::{Aside, BusAddress, LineSettings};
use crate::engine::tournament::{Conflict, RecordedGame, TournamentRecord};
use crate::station::feed;
use draughts::Variant;

/// The boards of a round.
pub struct Seating {
    /// What the round was and is.
    pub plans: Plans,
    /// Configured name of the station; without one it has the name of its machine, or the one that its events have so far.
    pub station: Option<String>,
    /// The tournament whose games are played here.
    course: Course,
    seats: Vec<Seat>,
    /// What the lines play: their logs say so, and a game is played to its end with what it began with.
    settings: BTreeMap<String, LineSettings>,
    /// The latest moment that a line told of, since the clock of the machine was last set back: simulated boards may be ahead of it.
    pub latest: Option<Moment>,
}

/// A board and where it is.
struct Seat {
    line: String,
    address: Option<BusAddress>,
    board: Board,
}

impl Seating {
    /// The boards of the current plan, none of which has played.
    pub fn new(plans: Plans) -> Seating {
        let seats = plans.current().map(Plan::seats).unwrap_or_default();
        let seats = seats.into_iter().map(|(line, address, board)| Seat { line, address, board }).collect();
        Seating { plans, station: None, course: Course::default(), seats, settings: BTreeMap::new(), latest: None }
    }

    /// From now on the boards are those of this plan; they keep their games.
    pub fn configure(&mut self, plan: Plan) {
        self.plans.add(plan);
        let planned = self.plans.current().map(Plan::seats).unwrap_or_default();
        let mut old = std::mem::take(&mut self.seats);
        for (line, address, mut board) in planned {
            if let Some(known) = old.iter().position(|old| old.line == line && old.address == address) {
                let known = old.remove(known).board;
                (board.games, board.hidden, board.variant) = (known.games, known.hidden, known.variant);
            }
            self.seats.push(Seat { line, address, board });
        }
        self.seats.extend(old.into_iter().filter(|seat| !seat.board.games.is_empty()));
    }

    /// The tournament whose games are played here.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// The tournament has come so far.
    pub fn set_course(&mut self, course: Course) {
        self.course = course;
        self.amend();
    }

    /// The tournament has one more record.
    ///
    /// # Errors
    ///
    /// When it is not the next one.
    pub fn add_record(&mut self, record: &TournamentRecord) -> Result<(), Conflict> {
        self.course.push(record)?;
        self.amend();
        Ok(())
    }

    /// Gives each game what was corrected of it.
    fn amend(&mut self) {
        for board in self.seats.iter_mut().map(|seat| &mut seat.board) {
            for game in &mut board.games {
                game.amend(self.course.corrections_of(&board.name, game));
            }
        }
    }

    /// The boards, in their order.
    pub fn boards(&self) -> impl Iterator<Item = &Board> {
        self.seats.iter().map(|seat| &seat.board)
    }

    /// The boards of a line.
    pub fn boards_of<'s>(&'s self, line: &'s str) -> impl Iterator<Item = &'s Board> {
        self.seats.iter().filter(move |seat| seat.line == line).map(|seat| &seat.board)
    }

    /// All games, by boards.
    pub fn games(&self) -> impl Iterator<Item = (&Board, &GameRecord)> {
        self.boards().flat_map(|board| board.games.iter().map(move |game| (board, game)))
    }

    /// A board as it was planned at a moment, without its games.
    pub fn board_at(&self, board: &Board, moment: Moment) -> Board {
        let seat = self.seats.iter().find(|seat| seat.board.name == board.name);
        let planned = seat.and_then(|seat| self.plans.at(moment)?.board(&seat.line, seat.address));
        let tags = planned.map_or_else(|| board.tags.clone(), |planned| planned.tags);
        Board::new(board.name.clone(), board.variant, tags)
    }

    /// A line was opened, with a log of this head, and these games were played on it so far. Of them those that were played
    /// before the head's chain began belong to an earlier round.
    pub fn opened(&mut self, line: &str, header: &Header, games: Vec<(Option<BusAddress>, GameRecord)>) {
        if let Ok((settings, _)) = LineSettings::of_head(header, None) {
            self.settings.insert(line.to_owned(), settings);
        }
        for seat in self.seats.iter_mut().filter(|seat| seat.line == line) {
            seat.board.games.clear();
        }
        let known: Vec<Option<BusAddress>> =
            self.addresses(line).chain(games.iter().map(|(board, _)| *board)).collect();
        for address in known {
            let of_board = self.settings.get(line).map(|of_line| of(of_line, address));
            let board = self.board(line, address);
            if let Some(settings) = of_board {
                board.variant = settings.variant;
                board.hidden = settings.games_before;
            }
        }
        for (board, game) in games {
            self.board(line, board).push(game);
        }
        self.amend();
        let latest = self.boards_of(line).filter_map(|board| board.games.last()).map(GameRecord::latest).max();
        self.latest = self.latest.max(latest);
    }

    /// Are there games of this line that its boards played before the chain which is shown, and that are not here?
    pub fn lacks_earlier(&self, line: &str) -> bool {
        let lacks = |board: &Board| (1..=board.hidden).any(|number| !has(board, number));
        self.boards_of(line).any(lacks)
    }

    /// This is a game of a line; if its board played it before the chain which is shown, it is taken, unless it is here.
    pub fn add_earlier(&mut self, line: &str, game: &PlayedGame) {
        let board = self.board(line, game.board);
        if game.number() <= board.hidden
            && !has(board, game.number())
            && let Some(record) = record(game)
        {
            board.push(record);
            board.games.sort_by_key(GameRecord::number);
            self.amend();
        }
    }

    /// The lines that have boards.
    pub fn lines(&self) -> BTreeSet<String> {
        self.seats.iter().map(|seat| seat.line.clone()).collect()
    }

    /// A board has published something.
    pub fn take(&mut self, line: &str, address: Option<BusAddress>, at: Moment, change: GameChange) {
        let board = self.board(line, address);
        let before = board.games.last().map(GameRecord::latest);
        let is_of_file = matches!(change, GameChange::Opened(_) | GameChange::Entry(_) | GameChange::Ended(_));
        let begins = matches!(change, GameChange::Opened(_));
        board.take(at, change);
        if begins {
            self.amend();
        }
        let was_set_back = is_of_file && before.is_some_and(|before| at < before);
        self.latest = if was_set_back { Some(at) } else { self.latest.max(Some(at)) };
    }

    fn addresses(&self, line: &str) -> impl Iterator<Item = Option<BusAddress>> {
        self.seats.iter().filter(move |seat| seat.line == line).map(|seat| seat.address)
    }

    /// The board at an address of a line. One that nobody knew before is the last of the round, and the plan says so.
    fn board(&mut self, line: &str, address: Option<BusAddress>) -> &mut Board {
        let known = self.seats.iter().position(|seat| seat.line == line && seat.address == address);
        let index = known.unwrap_or_else(|| {
            let mut board = Board::new(feed::prefix(line, address, None), Variant::international(), Vec::new());
            if let Some(plan) = self.plans.current() {
                board = plan.board(line, address).unwrap_or(board);
                let mut plan = plan.clone();
                plan.boards.push((line.to_owned(), address));
                self.plans.add(plan);
            }
            if let Some(settings) = self.settings.get(line).map(|of_line| of(of_line, address)) {
                board.variant = settings.variant;
                board.hidden = settings.games_before;
            }
            self.seats.push(Seat { line: line.to_owned(), address, board });
            self.seats.len() - 1
        });
        &mut self.seats[index].board
    }
}

fn has(board: &Board, number: u32) -> bool {
    board.games.iter().any(|game| game.number() == number)
}

fn of(line: &LineSettings, address: Option<BusAddress>) -> LineSettings {
    address.map_or_else(|| line.clone(), |address| line.of_board(address))
}

/// What was told beside a game, as it is shown.
pub fn content(aside: &Aside) -> AsideContent {
    match aside {
        Aside::Provisional(moves) => AsideContent::Provisional(moves.join(" ").into()),
        Aside::Clock(clocks) => AsideContent::Clock(*clocks),
        Aside::State(condition) => AsideContent::State(condition.word()),
        Aside::Correction(reason) => AsideContent::Correction(reason),
    }
}

/// What a log says of a game. `board`: what the names of its files begin with.
pub fn recorded_game(board: String, game: &PlayedGame) -> RecordedGame {
    RecordedGame {
        board,
        result: game.file.result.clone(),
        is_result_given: game.is_result_given,
        is_over: game.file.is_ended,
        entries: u32::try_from(game.file.entries.len()).unwrap_or(u32::MAX),
        ..begun_game(&game.file.opening)
    }
}

/// A game that has begun so, without the name of its board.
pub fn begun_game(opening: &Opening) -> RecordedGame {
    RecordedGame {
        board: String::new(),
        number: opening.game,
        pairing: opening.pairing.clone(),
        continues: opening.continues,
        tags: opening.tags.clone(),
        format: roster::result_format(opening.variant, &opening.tags),
        result: None,
        is_result_given: false,
        is_over: false,
        entries: 0,
    }
}

/// The records of games that were played from logs, by boards.
pub fn records(games: Vec<PlayedGame>) -> Vec<(Option<BusAddress>, GameRecord)> {
    games.into_iter().filter_map(|game| Some((game.board, record(&game)?))).collect()
}

/// The record of a game that was played from logs. `None` when the logs do not say when that was.
pub fn record(game: &PlayedGame) -> Option<GameRecord> {
    let mut history = game.history().into_iter();
    let (opened, _) = history.next()?;
    let mut record = GameRecord::new(game.file.opening.clone(), opened);
    for (at, published) in history {
        record.take(
            at,
            match published {
                PublishedPart::Entry(entry) => GameChange::Entry(entry.clone()),
                PublishedPart::Ended(result) => GameChange::Ended(result.map(str::to_owned)),
                PublishedPart::Aside(aside) => GameChange::Aside(content(aside)),
                PublishedPart::Opened(_) => continue,
            },
        );
    }
    Some(record)
}
