//! What a table tells people: its state, what it doubts, what it expects to be played, pieces that mean a result.

use super::Table;
use super::board_model::BoardModel;
use super::clock::TableClock;
use super::game_sequence::{GamePhase, GameSequence};
use super::start;
use crate::engine::game_tags;
use crate::engine::millis::Millis;
use crate::engine::session::game::LiveGame;
use crate::engine::session::result_piece::{ProposedResult, ResultSigns};
use crate::engine::session::{BoardSquares, Condition, Effect, PendingEntry, Status, notes};
use draughts::{Color, Piece, PieceKind, Placement, Setup, SquareSet, Variant};

/// How long a board must have been quiet in doubt before the operator is told.
const UNEXPLAINED_DELAY: Millis = Millis::seconds(5);

/// How long a board that is being set up must be quiet before the operator is told what is wrong.
const SETUP_DELAY: Millis = Millis::seconds(5);
/// Boards of which more is wrong than this are not being set up for a game.
const MAX_SETUP_ERRORS: usize = 8;

/// What the operator was told of a board that nothing explains. It begins anew when the board is explained.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum UnexplainedNotice {
    /// Nothing: a hand may be at work.
    #[default]
    Nothing,
    /// That pieces are moved while the clock stands.
    MovesWithClockStopped,
    /// That no legal move explains the board.
    Unexplained,
}

/// What the operator was told of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct NoticeTracker {
    /// The squares that are wrong for the start position.
    start_squares: Option<SquareSet>,
    /// That a dump is not of this game's board.
    is_foreign_dump_reported: bool,
    unexplained: UnexplainedNotice,
    proposed_result: ProposedResult,
}

impl NoticeTracker {
    /// A game begins: what was told of the one before is no matter of it.
    pub fn begin_game(&mut self) {
        self.start_squares = None;
        self.unexplained = UnexplainedNotice::Nothing;
    }

    /// A dump is not of this game's board: what to tell, once.
    pub fn foreign_dump_notice(&mut self, fields: usize, board: &BoardModel) -> Option<Effect> {
        let is_news = !std::mem::replace(&mut self.is_foreign_dump_reported, true);
        is_news.then(|| {
            Effect::Notice(format!(
                "the board has {fields} fields, but this game needs {}; check game-type and the board",
                board.sensors().field_count()
            ))
        })
    }

    /// When the operator is told what is missing for the start position.
    pub fn start_notice_due(&self, board: &BoardModel, play: &GameSequence) -> Option<Millis> {
        if play.game().is_some() || !board.is_link_up() || !board.sensors().is_known() {
            return None;
        }
        let (wrong, _) = board.nearest_to_start();
        let is_news = wrong.len() <= MAX_SETUP_ERRORS && self.start_squares != Some(wrong);
        is_news.then(|| board.last_change() + SETUP_DELAY)
    }

    /// What is missing for the start position, when it is to be told.
    pub fn start_notice(&mut self, now: Millis, board: &BoardModel, play: &GameSequence) -> Option<Effect> {
        self.start_notice_due(board, play).filter(|&at| at <= now)?;
        let (wrong, words) = start::start_differences(board);
        self.start_squares = Some(wrong);
        Some(Effect::Notice(format!("the start position is not complete: {words}")))
    }

    /// What is wrong with a board that is nearly set up, if the operator was told and it still stands so.
    fn start_problem(&self, board: &BoardModel) -> Option<String> {
        let notified = self.start_squares.filter(|notified| !notified.is_empty() && board.is_link_up())?;
        let (wrong, words) = start::start_differences(board);
        (wrong == notified).then_some(words)
    }

    /// When the operator is told that nothing explains the board, or that moves are made with the clock stopped.
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

    /// That nothing explains the board, or that moves are made with the clock stopped, when it is to be told.
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

    /// When the operator is told of result signs on the board.
    pub fn result_notice_due(&self, board: &BoardModel, clock: &TableClock) -> Option<Millis> {
        self.proposed_result.notice_due(&result_signs(board, clock), board.last_change())
    }

    /// What result signs on the board mean, when it is to be told.
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

    /// What is going on. Here alone it is decided, for the status, the alarms, the messages and whoever listens. What nothing
    /// explains is a doubt only when it has lasted, and while the clock stands it is none: players show each other what
    /// they might have played.
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

/// What stands on the board that may say how the game ended.
fn result_signs(board: &BoardModel, clock: &TableClock) -> ResultSigns {
    let sensors = board.sensors();
    let centre = sensors.centre_pieces().filter(|_| !clock.is_running());
    ResultSigns { result_pieces: sensors.result_pieces().to_vec(), centre }
}

impl Table {
    /// What is going on.
    pub fn condition(&self) -> Condition {
        self.notices.condition(&self.board, &self.clock, &self.games)
    }

    /// The state for people.
    pub fn status(&self) -> Status {
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
                    ..Status::default()
                }
            }
            stage @ (GamePhase::Waiting | GamePhase::Over) => {
                let game = matches!(stage, GamePhase::Over).then_some(self.games.file_count());
                let wrong_start = self.notices.start_problem(&self.board);
                let squares = self.squares(None);
                Status {
                    condition,
                    state,
                    start_problem: wrong_start,
                    game,
                    players,
                    clocks,
                    pairing,
                    squares,
                    ..Status::default()
                }
            }
        }
    }

    /// What it shows, once it has told that, beside what is published.
    fn squares(&self, published: Option<Setup>) -> Option<BoardSquares> {
        let (sight, mut shown) = (self.board.occupancy(), Placement::EMPTY);
        for color in Color::BOTH {
            for square in sight.squares_of(color) {
                let kind = if sight.kings().contains(square) { PieceKind::King } else { PieceKind::Man };
                shown.put(square, Some(Piece { color, kind }));
            }
        }
        let variant = self.board.variant();
        self.board.sensors().is_known().then_some(BoardSquares { variant, sensed: shown, published })
    }

    /// A game is going on, and its clock is not heard of though there is one.
    fn is_clock_missing(&self) -> bool {
        let is_expected = || self.settings.tags.iter().any(|(tag, _)| tag.starts_with("TimeControl"));
        let is_missing = self.board.is_link_up() && self.has_open_game() && !self.clock.is_there();
        is_missing && (self.clock.has_been_read() || is_expected())
    }
}

fn player_names(variant: &Variant, squares: SquareSet) -> String {
    notes::square_names(&variant.geometry, squares).join(", ")
}
