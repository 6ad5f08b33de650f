//! What a table tells people: its state, what it doubts, what it expects to be played, pieces that mean a result.

use super::Table;
use super::clock::TableClock;
use super::known_board::KnownBoard;
use super::play::{Play, Stage};
use super::start;
use crate::engine::millis::Millis;
use crate::engine::roster;
use crate::engine::session::game::LiveGame;
use crate::engine::session::result_piece::{ResultOffer, ResultSigns};
use crate::engine::session::{BoardSquares, Condition, Effect, Status, Waiting, account};
use draughts::{Color, Piece, PieceKind, Placement, Setup, SquareSet, Variant};

/// How long a board must have been quiet in doubt before the operator is told.
const DOUBT: Millis = Millis::seconds(5);

/// How long a board that is being set up must be quiet before the operator is told what is wrong.
const SETTING_UP: Millis = Millis::seconds(5);
/// Boards of which more is wrong than this are not being set up for a game.
const NEARLY_SET_UP: usize = 8;

/// What the operator was told of a board that nothing explains. It begins anew when the board is explained.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum NotifiedDoubt {
    /// Nothing: a hand may be at work.
    #[default]
    Nothing,
    /// That pieces are moved while the clock stands.
    Moves,
    /// That no legal move explains the board.
    Doubt,
}

/// What the operator was told of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Notified {
    /// The squares that are wrong for the start position.
    start: Option<SquareSet>,
    /// That a dump is not of this game's board.
    foreign_dump: bool,
    doubt: NotifiedDoubt,
    result: ResultOffer,
}

impl Notified {
    /// A game begins: what was told of the one before is no matter of it.
    pub fn begin_game(&mut self) {
        self.start = None;
        self.doubt = NotifiedDoubt::Nothing;
    }

    /// A dump is not of this game's board: what to tell, once.
    pub fn foreign_dump(&mut self, fields: usize, board: &KnownBoard) -> Option<Effect> {
        let is_news = !std::mem::replace(&mut self.foreign_dump, true);
        is_news.then(|| {
            Effect::Notice(format!(
                "the board has {fields} fields, but this game needs {}; check game-type and the board",
                board.sensors().count()
            ))
        })
    }

    /// When the operator is told what is missing for the start position.
    pub fn start_at(&self, board: &KnownBoard, play: &Play) -> Option<Millis> {
        if play.game().is_some() || !board.is_linked() || !board.sensors().is_known() {
            return None;
        }
        let (wrong, _) = board.nearest_to_start();
        let is_news = wrong.len() <= NEARLY_SET_UP && self.start != Some(wrong);
        is_news.then(|| board.last_change() + SETTING_UP)
    }

    /// What is missing for the start position, when it is to be told.
    pub fn tell_start(&mut self, now: Millis, board: &KnownBoard, play: &Play) -> Option<Effect> {
        self.start_at(board, play).filter(|&at| at <= now)?;
        let (wrong, words) = start::wrong_for_start(board);
        self.start = Some(wrong);
        Some(Effect::Notice(format!("the start position is not complete: {words}")))
    }

    /// What is wrong with a board that is nearly set up, if the operator was told and it still stands so.
    fn wrong_start(&self, board: &KnownBoard) -> Option<String> {
        let notified = self.start.filter(|notified| !notified.is_empty() && board.is_linked())?;
        let (wrong, words) = start::wrong_for_start(board);
        (wrong == notified).then_some(words)
    }

    /// When the operator is told that nothing explains the board, or that moves are made with the clock stopped.
    pub fn doubts_at(&self, board: &KnownBoard, clock: &TableClock, game: &LiveGame) -> Option<Millis> {
        if self.doubt != NotifiedDoubt::Nothing || !board.is_linked() || game.recogniser.is_settled() {
            return None;
        }
        let since = match game.recogniser.doubt() {
            Some(doubt) => doubt.quiet_since,
            None if clock.is_stopped() => board.last_change(),
            None => return None,
        };
        Some(since + DOUBT)
    }

    /// That nothing explains the board, or that moves are made with the clock stopped, when it is to be told.
    pub fn tell_doubt(&mut self, now: Millis, board: &KnownBoard, clock: &TableClock, play: &Play) -> Option<Effect> {
        let game = play.game()?;
        if game.recogniser.is_settled() {
            self.doubt = NotifiedDoubt::Nothing;
        }
        let due = self.doubts_at(board, clock, game).is_some_and(|at| at <= now);
        if due {
            self.doubt = NotifiedDoubt::Moves;
        }
        let notice = match self.condition(board, clock, play) {
            Condition::Unexplained if self.doubt < NotifiedDoubt::Doubt => {
                self.doubt = NotifiedDoubt::Doubt;
                let doubt = account::doubt(&game.recogniser.doubt()?, board.variant());
                Some(account::in_words(&doubt.squares, &doubt.readings))
            }
            _ if due => Some("pieces are moved while the clock stands; nothing is recorded until it runs".to_owned()),
            _ => None,
        };
        notice.map(Effect::Notice)
    }

    /// When the operator is told of result signs on the board.
    pub fn result_signs_at(&self, board: &KnownBoard, clock: &TableClock) -> Option<Millis> {
        self.result.tells_at(&result_signs(board, clock), board.last_change())
    }

    /// What result signs on the board mean, when it is to be told.
    pub fn tell_result_signs(
        &mut self,
        now: Millis,
        board: &KnownBoard,
        clock: &TableClock,
        play: &Play,
    ) -> Option<Effect> {
        self.result_signs_at(board, clock).filter(|&at| at <= now)?;
        let (format, is_playing) = (board.variant().result_format, play.open_game().is_some());
        self.result.tell(result_signs(board, clock), format, is_playing).map(Effect::Notice)
    }

    /// What is going on. Here alone it is decided, for the status, the alarms, the messages and whoever listens. What nothing
    /// explains is a doubt only when it has lasted, and while the clock stands it is none: players show each other what
    /// they might have played.
    pub fn condition(&self, board: &KnownBoard, clock: &TableClock, play: &Play) -> Condition {
        match play.stage() {
            _ if !board.is_linked() => Condition::NoConnection,
            Stage::Waiting => Condition::Waiting,
            Stage::Over => Condition::Over,
            Stage::Playing(game) if clock.is_stopped() => match game.number() {
                Some(_) => Condition::ClockStopped,
                None => Condition::Ready,
            },
            Stage::Playing(game) => match (game.recogniser.doubt(), game.number()) {
                (Some(_), _) if self.doubt != NotifiedDoubt::Nothing => Condition::Unexplained,
                (_, Some(_)) => Condition::Playing,
                (_, None) => Condition::Ready,
            },
        }
    }
}

/// What stands on the board that may say how the game ended.
fn result_signs(board: &KnownBoard, clock: &TableClock) -> ResultSigns {
    let sensors = board.sensors();
    let centre = sensors.two_in_the_centre().filter(|_| !clock.is_running());
    ResultSigns { lying: sensors.result_pieces().to_vec(), centre }
}

impl Table {
    /// What is going on.
    pub fn condition(&self) -> Condition {
        self.notified.condition(&self.board, &self.clock, &self.play)
    }

    /// The state for people.
    pub fn status(&self) -> Status {
        let condition = self.condition();
        let state = condition.in_words().to_owned();
        let (clocks, players) = (self.clock.seconds(), roster::players(&self.settings.tags));
        let pairing = self.play.pairing().cloned();
        match self.play.stage() {
            Stage::Playing(game) => {
                let doubt = game.recogniser.doubt().filter(|_| condition == Condition::Unexplained);
                let state = match doubt {
                    Some(doubt) if !doubt.squares.is_empty() => {
                        format!("{state}: {}", names(self.settings.variant, doubt.squares))
                    }
                    _ => state,
                };
                Status {
                    condition,
                    state,
                    misses_clock: self.misses_clock(),
                    game: game.number(),
                    has_open_game: game.number().is_some(),
                    runs_clock: self.clock.is_running(),
                    players: game.players().unwrap_or(players),
                    plies: game.recogniser.plies(),
                    last: game.last().map(str::to_owned),
                    clocks,
                    provisional: self.listeners.provisional().to_vec(),
                    waits: game.recogniser.waits().map(|(until, wait)| Waiting {
                        wait,
                        since: game.recogniser.quiet_since(),
                        until,
                    }),
                    doubt: doubt.map(|doubt| account::doubt(&doubt, self.settings.variant)),
                    offers: self.notified.result.offered().map(str::to_owned),
                    pairing,
                    squares: self.squares(game.number().map(|_| game.recogniser.position().setup())),
                    ..Status::default()
                }
            }
            stage @ (Stage::Waiting | Stage::Over) => {
                let game = matches!(stage, Stage::Over).then_some(self.play.files());
                let wrong_start = self.notified.wrong_start(&self.board);
                let squares = self.squares(None);
                Status { condition, state, wrong_start, game, players, clocks, pairing, squares, ..Status::default() }
            }
        }
    }

    /// What it shows, once it has told that, beside what is published.
    fn squares(&self, published: Option<Setup>) -> Option<BoardSquares> {
        let (sight, mut shown) = (self.board.sight(), Placement::EMPTY);
        for color in Color::BOTH {
            for square in sight.of(color) {
                let kind = if sight.crowned().contains(square) { PieceKind::King } else { PieceKind::Man };
                shown.put(square, Some(Piece { color, kind }));
            }
        }
        let variant = self.board.variant();
        self.board.sensors().is_known().then_some(BoardSquares { variant, shown, published })
    }

    /// A game is going on, and its clock is not heard of though there is one.
    fn misses_clock(&self) -> bool {
        let is_expected = || self.settings.tags.iter().any(|(tag, _)| tag.starts_with("TimeControl"));
        let is_missing = self.board.is_linked() && self.has_open_game() && !self.clock.is_there();
        is_missing && (self.clock.was_there() || is_expected())
    }
}

fn names(variant: &Variant, squares: SquareSet) -> String {
    account::names(&variant.geometry, squares).join(", ")
}
