//! The boards of a round in their order, and the records of their games.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use damcast_engine::broadcast::{
    Board, GameChange, GameRecord, LiveUpdateContent, Shelf, StoredGame, TournamentHistory, WallTime,
};
use damcast_engine::bytelog::Header;
use damcast_engine::game_tags;
use damcast_engine::livefile::GameHeader;
use damcast_engine::playback::{PlayedGame, PublishedEvent};
use damcast_engine::session::{BusAddress, LineSettings, LiveUpdate};
use draughts::Variant;
use draughts_tournament::{BoardGame, Misfit, TournamentRecord};

use super::plan::{Plan, Plans};
use crate::live_files;

/// The boards of a round.
pub struct RoundBoards {
    /// Plans of the round, past and current.
    pub plans: Plans,
    /// Configured name of the station; `None` for the name of its machine, or the name in its events so far.
    pub station: Option<String>,
    /// The tournament whose games are played here.
    history: TournamentHistory,
    slots: Vec<BoardSlot>,
    /// Indices of the slots of each line.
    slots_of_lines: BTreeMap<String, Vec<usize>>,
    /// Settings of each line, as its log has them: a game keeps the settings it began with.
    settings: BTreeMap<String, LineSettings>,
    /// Latest time sent by a line since the machine's clock was last set back: simulated boards may be ahead of that clock.
    pub latest_time: Option<WallTime>,
    /// Storage of games that are over; `None` to keep them in memory.
    shelf: Option<Arc<dyn Shelf>>,
}

/// Games of a line, each with its address on a bus.
pub type StoredGames = Vec<(Option<BusAddress>, StoredGame)>;

/// Games of a line that is being opened.
#[derive(Default)]
pub struct OpenedGames {
    /// The games whose logs say when they were played.
    pub stored: StoredGames,
    /// Facts about each game for the tournament. The name of the board is empty.
    pub facts: Vec<(Option<BusAddress>, BoardGame)>,
}

impl OpenedGames {
    /// Adds the next game of its board. The game before it may leave memory.
    pub fn add(&mut self, game: &PlayedGame, shelf: Option<&Arc<dyn Shelf>>) {
        self.facts.push((game.board, recorded_game(String::new(), game)));
        add_stored(&mut self.stored, game, shelf);
    }
}

/// Adds the next game of its board to games of a line. The game before it may leave memory.
pub fn add_stored(games: &mut StoredGames, game: &PlayedGame, shelf: Option<&Arc<dyn Shelf>>) {
    let Some(record) = record(game) else { return };
    let before = games.iter_mut().rev().find(|(board, _)| *board == game.board);
    if let (Some(shelf), Some((_, before))) = (shelf, before)
        && record.header.continued_game != Some(before.number())
    {
        before.shelve(shelf);
    }
    games.push((game.board, record.into()));
}

/// A board with its line and address.
struct BoardSlot {
    line: String,
    address: Option<BusAddress>,
    board: Board,
}

impl RoundBoards {
    /// Returns the boards of the current plan, without games.
    pub fn new(plans: Plans) -> RoundBoards {
        let seats = plans.current().map(Plan::slots).unwrap_or_default();
        let slots = seats.into_iter().map(|(line, address, board)| BoardSlot { line, address, board }).collect();
        let mut boards = RoundBoards {
            plans,
            station: None,
            history: TournamentHistory::default(),
            slots,
            slots_of_lines: BTreeMap::new(),
            settings: BTreeMap::new(),
            latest_time: None,
            shelf: None,
        };
        boards.index_slots();
        boards
    }

    /// Updates the indices of the slots.
    fn index_slots(&mut self) {
        self.slots_of_lines.clear();
        for (index, seat) in self.slots.iter().enumerate() {
            self.slots_of_lines.entry(seat.line.clone()).or_default().push(index);
        }
    }

    /// Returns the slots of a line with their indices.
    fn slots_of(&self, line: &str) -> impl Iterator<Item = (usize, &BoardSlot)> + use<'_> {
        let indices = self.slots_of_lines.get(line).into_iter().flatten();
        indices.map(|&index| (index, &self.slots[index]))
    }

    /// Returns the storage of games that are over.
    pub fn shelf(&self) -> Option<&Arc<dyn Shelf>> {
        self.shelf.as_ref()
    }

    /// Sets the storage of games that are over.
    #[must_use]
    pub fn with_shelf(self, shelf: Option<Arc<dyn Shelf>>) -> RoundBoards {
        RoundBoards { shelf, ..self }
    }

    /// Applies a plan; boards keep their games.
    pub fn configure(&mut self, plan: Plan) {
        self.plans.add(plan);
        let planned = self.plans.current().map(Plan::slots).unwrap_or_default();
        let mut old = std::mem::take(&mut self.slots);
        for (line, address, mut board) in planned {
            if let Some(known) = old.iter().position(|old| old.line == line && old.address == address) {
                let known = old.remove(known).board;
                (board.games, board.hidden_games, board.variant) = (known.games, known.hidden_games, known.variant);
            }
            self.slots.push(BoardSlot { line, address, board });
        }
        self.slots.extend(old.into_iter().filter(|seat| !seat.board.games.is_empty()));
        self.index_slots();
    }

    /// The tournament whose games are played here.
    pub fn history(&self) -> &TournamentHistory {
        &self.history
    }

    /// Replaces the history of the tournament.
    pub fn set_history(&mut self, tournament_history: TournamentHistory) {
        self.history = tournament_history;
        self.apply_corrections();
    }

    /// Adds a record of the tournament.
    ///
    /// # Errors
    ///
    /// Returns [`Misfit`] if the record is not the next one.
    pub fn add_record(&mut self, record: &TournamentRecord) -> Result<(), Misfit> {
        self.history.append(record)?;
        self.apply_corrections();
        Ok(())
    }

    /// Copies the corrections of the tournament to their games.
    fn apply_corrections(&mut self) {
        self.slots.iter_mut().for_each(|seat| correct(&self.history, &mut seat.board));
    }

    /// The boards, in their order.
    pub fn boards(&self) -> impl Iterator<Item = &Board> {
        self.slots.iter().map(|seat| &seat.board)
    }

    /// The boards of a line.
    pub fn line_boards(&self, line: &str) -> impl Iterator<Item = &Board> + use<'_> {
        self.slots_of(line).map(|(_, seat)| &seat.board)
    }

    /// All games, board by board.
    pub fn games(&self) -> impl Iterator<Item = (&Board, &StoredGame)> {
        self.boards().flat_map(|board| board.games.iter().map(move |game| (board, game)))
    }

    /// Returns a board as it was planned at a moment, without its games.
    pub fn board_at(&self, board: &Board, moment: WallTime) -> Board {
        let seat = self.slots.iter().find(|seat| seat.board.name == board.name);
        let planned = seat.and_then(|seat| self.plans.at(moment)?.board(&seat.line, seat.address));
        let tags = planned.map_or_else(|| board.tags.clone(), |planned| planned.tags);
        Board::new(board.name.clone(), board.variant, tags)
    }

    /// Adds a line that was opened with a log of this head, and its games so far. Games older than the head's chain belong to an earlier
    /// round.
    pub fn line_opened(&mut self, line: &str, header: &Header, games: StoredGames) {
        if let Ok((mut settings, _)) = LineSettings::from_header(header, None) {
            // If the first log of a chain is missing, its games are counted as games before.
            let is_cut = header.continues() == Some(true);
            for (address, game) in games.iter().filter(|_| is_cut) {
                let of_board = match address {
                    None => Some(&mut settings),
                    Some(address) => settings.boards.get_mut(address),
                };
                if let Some(of_board) = of_board {
                    of_board.games_before = of_board.games_before.min(game.number().saturating_sub(1));
                }
            }
            self.settings.insert(line.to_owned(), settings);
        }
        for seat in self.slots.iter_mut().filter(|seat| seat.line == line) {
            seat.board.games.clear();
        }
        let known: Vec<Option<BusAddress>> =
            self.addresses(line).chain(games.iter().map(|(board, _)| *board)).collect();
        let of_line = self.settings.get(line).cloned();
        for address in known {
            apply_settings(self.board(line, address), of_line.as_ref(), address);
        }
        for (board, game) in games {
            self.board(line, board).push(game);
        }
        self.shelve_and_correct(line);
        let latest =
            self.line_boards(line).filter_map(|board| board.games.last()).map(StoredGame::last_change_at).max();
        self.latest_time = self.latest_time.max(latest);
    }

    /// Returns the board at an address of a line.
    pub fn address_board(&self, line: &str, address: Option<BusAddress>) -> Option<&Board> {
        self.slots_of(line).find(|(_, seat)| seat.address == address).map(|(_, seat)| &seat.board)
    }

    /// Whether boards of this line played games before the current chain that are missing here.
    pub fn is_missing_earlier_games(&self, line: &str) -> bool {
        let lacks = |board: &Board| (1..=board.hidden_games).any(|number| !has_game(board, number));
        self.line_boards(line).any(lacks)
    }

    /// Adds a game of a line if its board played it before the current chain and it is missing here.
    pub fn add_earlier(&mut self, line: &str, game: &PlayedGame) {
        let board = self.board(line, game.board);
        if game.number() <= board.hidden_games
            && !has_game(board, game.number())
            && let Some(record) = record(game)
        {
            board.push(record);
            board.games.sort_by_key(StoredGame::number);
            self.shelve_and_correct(line);
        }
    }

    /// Names of the lines that have boards.
    pub fn lines(&self) -> BTreeSet<String> {
        self.slots.iter().map(|seat| seat.line.clone()).collect()
    }

    /// Applies a published change to a board.
    pub fn apply(&mut self, line: &str, address: Option<BusAddress>, at: WallTime, change: GameChange) {
        let board = self.board(line, address);
        let before = board.games.last().map(StoredGame::last_change_at);
        let is_of_file = matches!(change, GameChange::Opened(_) | GameChange::Entry(_) | GameChange::Ended(_));
        let begins = matches!(change, GameChange::Opened(_));
        board.apply(at, change);
        if begins {
            self.shelve_and_correct(line);
        }
        let was_set_back = is_of_file && before.is_some_and(|before| at < before);
        self.latest_time = if was_set_back { Some(at) } else { self.latest_time.max(Some(at)) };
    }

    /// Writes the finished games of a line to the shelf, and copies the corrections of the tournament to its games.
    fn shelve_and_correct(&mut self, line: &str) {
        for &index in self.slots_of_lines.get(line).into_iter().flatten() {
            let board = &mut self.slots[index].board;
            self.shelf.iter().for_each(|shelf| board.shelve(shelf));
            correct(&self.history, board);
        }
    }

    fn addresses(&self, line: &str) -> impl Iterator<Item = Option<BusAddress>> {
        self.slots_of(line).map(|(_, seat)| seat.address)
    }

    /// Returns the board at an address of a line. An unknown board becomes the last one of the round, and is added to the plan.
    fn board(&mut self, line: &str, address: Option<BusAddress>) -> &mut Board {
        let known = self.slots_of(line).find(|(_, seat)| seat.address == address).map(|(index, _)| index);
        let index = known.unwrap_or_else(|| {
            let mut board =
                Board::new(live_files::file_prefix(line, address, None), Variant::international(), Vec::new());
            if let Some(plan) = self.plans.current() {
                board = plan.board(line, address).unwrap_or(board);
                let mut plan = plan.clone();
                plan.boards.push((line.to_owned(), address));
                self.plans.add(plan);
            }
            apply_settings(&mut board, self.settings.get(line), address);
            self.slots.push(BoardSlot { line: line.to_owned(), address, board });
            let index = self.slots.len() - 1;
            self.slots_of_lines.entry(line.to_owned()).or_default().push(index);
            index
        });
        &mut self.slots[index].board
    }
}

/// Copies the corrections of the tournament to the games of a board.
fn correct(history: &TournamentHistory, board: &mut Board) {
    for game in &mut board.games {
        game.set_corrections(history.corrections_of(&board.name, game));
    }
}

fn has_game(board: &Board, number: u32) -> bool {
    board.games.iter().any(|game| game.number() == number)
}

/// Applies the settings of a line to its board at an address.
fn apply_settings(board: &mut Board, line: Option<&LineSettings>, address: Option<BusAddress>) {
    let Some(line) = line else { return };
    let settings = address.map_or_else(|| line.clone(), |address| line.for_board(address));
    (board.variant, board.hidden_games) = (settings.variant, settings.games_before);
}

/// Returns a live update as readers see it.
pub fn update_content(aside: &LiveUpdate) -> LiveUpdateContent {
    match aside {
        LiveUpdate::LikelyMoves(moves) => LiveUpdateContent::LikelyMoves(moves.join(" ").into()),
        LiveUpdate::Clock(clocks) => LiveUpdateContent::Clock(*clocks),
        LiveUpdate::State(condition) => LiveUpdateContent::State(condition.as_str()),
        LiveUpdate::SetupReason(reason) => LiveUpdateContent::SetupReason(reason),
    }
}

/// Returns a game of a log. `board`: stem of the names of its files.
pub fn recorded_game(board: String, game: &PlayedGame) -> BoardGame {
    BoardGame {
        board,
        result: game.file.result.clone(),
        is_result_given: game.is_result_given,
        is_over: game.file.is_ended,
        entries: u32::try_from(game.file.entries.len()).unwrap_or(u32::MAX),
        ..started_game(&game.file.header)
    }
}

/// Returns a game with this header, without the name of its board.
pub fn started_game(opening: &GameHeader) -> BoardGame {
    BoardGame {
        board: String::new(),
        number: opening.game,
        pairing: opening.pairing_id.clone(),
        continues: opening.continued_game,
        tags: opening.tags.clone(),
        format: game_tags::result_format(opening.variant, &opening.tags),
        result: None,
        is_result_given: false,
        is_over: false,
        entries: 0,
    }
}

/// Returns the record of a game played back from logs; `None` if the logs do not say when it was played.
pub fn record(game: &PlayedGame) -> Option<GameRecord> {
    let mut history = game.published_events().into_iter();
    let (opened, _) = history.next()?;
    let mut record = GameRecord::new(game.file.header.clone(), opened);
    for (at, published) in history {
        record.apply(
            at,
            match published {
                PublishedEvent::Entry(entry) => GameChange::Entry(entry.clone()),
                PublishedEvent::MovesInserted(moves) => GameChange::MovesInserted(moves.clone()),
                PublishedEvent::GameEnded(result) => GameChange::Ended(result.map(str::to_owned)),
                PublishedEvent::LiveUpdate(aside) => GameChange::LiveUpdate(update_content(aside)),
                PublishedEvent::GameOpened(_) => continue,
            },
        );
    }
    if game.is_standing {
        record.stand_still();
    }
    Some(record)
}
