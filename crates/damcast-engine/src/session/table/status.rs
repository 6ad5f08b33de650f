//! State of a table for people: condition, unexplained positions, expected moves, result signs.

use draughts::{Setup, SquareSet, Variant};

use super::Table;
use super::board_model::BoardModel;
use super::clock::TableClock;
use super::game_sequence::{GamePhase, GameSequence};
use super::start;
use crate::game_tags;
use crate::millis::Millis;
use crate::session::game::LiveGame;
use crate::session::result_piece::{ProposedResult, ResultSigns};
use crate::session::{BoardSquares, Condition, Effect, PendingEntry, Status, notes};

/// Quiet time of an unexplained board before the operator's notice.
const UNEXPLAINED_DELAY: Millis = Millis::seconds(5);

/// Quiet time of a board being set up before the operator's notice.
const SETUP_DELAY: Millis = Millis::seconds(5);
/// Limit of wrong squares up to which a board counts as being set up.
const MAX_SETUP_ERRORS: usize = 8;

/// Last notice about an unexplained board; reset when the board is explained.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum UnexplainedNotice {
    /// No notice, since a hand may be moving pieces.
    #[default]
    Nothing,
    /// Pieces move while the clock is stopped.
    MovesWithClockStopped,
    /// No legal move explains the board.
    Unexplained,
}

/// Notices of one table that the operator has received.
#[derive(Clone, Debug, Default)]
pub(super) struct NoticeTracker {
    /// Squares that differ from the start position.
    start_squares: Option<SquareSet>,
    /// Whether a dump of an unsuitable size has been reported.
    is_foreign_dump_reported: bool,
    unexplained: UnexplainedNotice,
    proposed_result: ProposedResult,
}

impl NoticeTracker {
    /// Clears the notices of the previous game.
    pub fn begin_game(&mut self) {
        self.start_squares = None;
        self.unexplained = UnexplainedNotice::Nothing;
    }

    /// Returns a notice, once, that a dump does not fit the board of this game.
    pub fn foreign_dump_notice(&mut self, fields: usize, board: &BoardModel) -> Option<Effect> {
        let is_news = !std::mem::replace(&mut self.is_foreign_dump_reported, true);
        is_news.then(|| {
            Effect::Notice(format!(
                "the board has {fields} fields, but this game needs {}; check game-type and the board",
                board.sensors().field_count()
            ))
        })
    }

    /// Returns the time of the notice about missing or wrong pieces of the start position.
    pub fn start_notice_due(&self, board: &BoardModel, play: &GameSequence) -> Option<Millis> {
        if play.game().is_some() || !board.is_link_up() || !board.sensors().is_known() {
            return None;
        }
        let (wrong, _) = board.nearest_to_start();
        let is_new = wrong.len() <= MAX_SETUP_ERRORS && self.start_squares != Some(wrong);
        is_new.then(|| board.last_change() + SETUP_DELAY)
    }

    /// Returns the due notice about missing or wrong pieces of the start position.
    pub fn start_notice(&mut self, now: Millis, board: &BoardModel, play: &GameSequence) -> Option<Effect> {
        self.start_notice_due(board, play).filter(|&at| at <= now)?;
        let (wrong, words) = start::start_differences(board);
        self.start_squares = Some(wrong);
        Some(Effect::Notice(format!("the start position is not complete: {words}")))
    }

    /// Returns the reported problem of an almost complete start position, while it persists.
    fn start_problem(&self, board: &BoardModel) -> Option<String> {
        let notified = self.start_squares.filter(|notified| !notified.is_empty() && board.is_link_up())?;
        let (wrong, words) = start::start_differences(board);
        (wrong == notified).then_some(words)
    }

    /// Returns the time of the notice about an unexplained board or about moves with a stopped clock.
    pub fn unexplained_due(&self, board: &BoardModel, clock: &TableClock, game: &LiveGame) -> Option<Millis> {
        if self.unexplained != UnexplainedNotice::Nothing || !board.is_link_up() || game.recogniser.is_settled() {
            return None;
        }
        let since = match game.recogniser.unexplained() {
            Some(doubt) => doubt.quiet_since,
            None if clock.is_stopped() => board.last_change(),
            None => return None,
        };
        Some(since + UNEXPLAINED_DELAY)
    }

    /// Returns the due notice about an unexplained board or about moves with a stopped clock.
    pub fn unexplained_notice(
        &mut self,
        now: Millis,
        board: &BoardModel,
        clock: &TableClock,
        play: &GameSequence,
    ) -> Option<Effect> {
        let game = play.game()?;
        if game.recogniser.is_settled() {
            self.unexplained = UnexplainedNotice::Nothing;
        }
        let due = self.unexplained_due(board, clock, game).is_some_and(|at| at <= now);
        if due {
            self.unexplained = UnexplainedNotice::MovesWithClockStopped;
        }
        let notice = match self.condition(board, clock, play) {
            Condition::Unexplained if self.unexplained < UnexplainedNotice::Unexplained => {
                self.unexplained = UnexplainedNotice::Unexplained;
                let doubt = notes::describe_unexplained(&game.recogniser.unexplained()?, board.variant());
                Some(notes::describe(&doubt.squares, &doubt.interpretations))
            }
            _ if due => Some("pieces are moved while the clock stands; nothing is recorded until it runs".to_owned()),
            _ => None,
        };
        notice.map(Effect::Notice)
    }

    /// Returns the time of the notice about result signs.
    pub fn result_notice_due(&self, board: &BoardModel, clock: &TableClock) -> Option<Millis> {
        self.proposed_result.notice_due(&result_signs(board, clock), board.last_change())
    }

    /// Returns the due notice about result signs.
    pub fn result_notice(
        &mut self,
        now: Millis,
        board: &BoardModel,
        clock: &TableClock,
        play: &GameSequence,
    ) -> Option<Effect> {
        self.result_notice_due(board, clock).filter(|&at| at <= now)?;
        let (format, is_playing) = (board.variant().result_format, play.open_game().is_some());
        self.proposed_result.notice(result_signs(board, clock), format, is_playing).map(Effect::Notice)
    }

    /// Returns the condition; the only source for status, alarms, messages and listeners. A board becomes unexplained only
    /// after a while, and never with the clock stopped, when players may show variations.
    pub fn condition(&self, board: &BoardModel, clock: &TableClock, play: &GameSequence) -> Condition {
        match play.phase() {
            _ if !board.is_link_up() => Condition::NoConnection,
            GamePhase::Waiting => Condition::Waiting,
            GamePhase::Over => Condition::Over,
            GamePhase::Playing(game) if clock.is_stopped() => match game.file_number() {
                Some(_) => Condition::ClockStopped,
                None => Condition::Ready,
            },
            GamePhase::Playing(game) => match (game.recogniser.unexplained(), game.file_number()) {
                (Some(_), _) if self.unexplained != UnexplainedNotice::Nothing => Condition::Unexplained,
                (_, Some(_)) => Condition::Playing,
                (_, None) => Condition::Ready,
            },
        }
    }
}

/// Returns the pieces on the board that may form a result sign.
fn result_signs(board: &BoardModel, clock: &TableClock) -> ResultSigns {
    let sensors = board.sensors();
    let centre = if clock.is_running() { None } else { sensors.centre_pieces() };
    ResultSigns { result_pieces: sensors.result_pieces().to_vec(), centre }
}

impl Table {
    /// Returns the condition.
    pub fn condition(&self) -> Condition {
        match self.notices.condition(&self.board, &self.clock, &self.games) {
            // There is no start position to wait for: the first move begins a game.
            Condition::Waiting if self.is_always_entered() => Condition::Ready,
            // Neither the board nor its clock is needed.
            _ if self.is_switched_on() && self.has_open_game() => Condition::Playing,
            _ if self.is_switched_on() => Condition::Ready,
            condition => condition,
        }
    }

    /// Returns the state for people.
    pub fn status(&self) -> Status {
        let status = self.board_status();
        let Some(typed) = &self.entered else { return status };
        if !self.is_entry_on() {
            return Status { entry: self.entry_status(), ..status };
        }
        Status {
            state: format!("{}, entered by hand", status.state),
            plies: status.plies + u32::from(typed.is_pending()),
            clocks: typed.clock_seconds().or(status.clocks),
            is_clock_running: status.is_clock_running && self.board.is_heard(),
            proposed_result: typed.claim().map(str::to_owned),
            squares: self.entered_squares(),
            entry: self.entry_status(),
            ..status
        }
    }

    fn board_status(&self) -> Status {
        let condition = self.condition();
        let state = condition.describe().to_owned();
        let (clocks, players) = (self.clock.seconds(), game_tags::player_names(&self.settings.tags));
        let pairing = self.games.pairing().cloned();
        match self.games.phase() {
            GamePhase::Playing(game) => {
                let doubt = game.recogniser.unexplained().filter(|_| condition == Condition::Unexplained);
                let state = match doubt {
                    Some(doubt) if !doubt.squares.is_empty() => {
                        format!("{state}: {}", player_names(self.settings.variant, doubt.squares))
                    }
                    _ => state,
                };
                Status {
                    condition,
                    state,
                    clock_missing: self.is_clock_missing(),
                    game: game.file_number(),
                    has_open_game: game.file_number().is_some(),
                    is_clock_running: self.clock.is_running(),
                    players: game.players().unwrap_or(players),
                    plies: game.recogniser.plies(),
                    last_line: game.last_line().map(str::to_owned),
                    clocks,
                    likely_moves: self.live_updates.likely_moves().to_vec(),
                    pending_entry: game.recogniser.pending_wait().map(|(until, wait)| PendingEntry {
                        wait,
                        quiet_since: game.recogniser.quiet_since(),
                        due: until,
                    }),
                    unexplained: doubt.map(|doubt| notes::describe_unexplained(&doubt, self.settings.variant)),
                    proposed_result: self.notices.proposed_result.proposed().map(str::to_owned),
                    pairing,
                    squares: self.squares(game.file_number().map(|_| game.recogniser.position().setup())),
                    missing_moves: self.missing_moves(condition == Condition::Unexplained),
                    ..Status::default()
                }
            }
            stage @ (GamePhase::Waiting | GamePhase::Over) => {
                let game = matches!(stage, GamePhase::Over).then_some(self.games.file_count());
                let start_problem = self.notices.start_problem(&self.board);
                let squares = self.squares(None);
                Status { condition, state, start_problem, game, players, clocks, pairing, squares, ..Status::default() }
            }
        }
    }

    /// Returns the contents of the squares, once reported, and the published position.
    fn squares(&self, published: Option<Setup>) -> Option<BoardSquares> {
        let sensed = self.board.occupancy().placement(|_| SquareSet::EMPTY);
        let variant = self.board.variant();
        self.board.sensors().is_known().then_some(BoardSquares { variant, sensed, published })
    }

    /// Whether a running game lacks reports of a clock that should exist.
    fn is_clock_missing(&self) -> bool {
        let is_expected = || self.settings.tags.iter().any(|(tag, _)| tag.starts_with("TimeControl"));
        let is_missing =
            self.entered.is_none() && self.board.is_link_up() && self.has_open_game() && !self.clock.is_there();
        is_missing && (self.clock.has_been_read() || is_expected())
    }
}

fn player_names(variant: &Variant, squares: SquareSet) -> String {
    notes::square_names(&variant.geometry, squares).join(", ")
}
