//! Dispatches the effects of the core: bytes to the board, notices to the operator, notes into the log.

use std::time::Duration;

use damcast_engine::bytelog::RecordKind;
use damcast_engine::livefile::Entry;
use damcast_engine::playback;
use damcast_engine::session::request::{GameLookup, OperatorCommand, Request, Target};
use damcast_engine::session::{BusAddress, Effect, Input, Output};
use tracing::{debug, info, warn};

use super::LineTask;
use super::in_flight::InFlight;
use crate::counters::LineCounters;
use crate::link::LinkEvent;
use crate::live_files;

/// Shortest silence after which a dead link is reopened. If bytes came more recently, a busy machine may have delayed those of a board that
/// runs faster than real time. After a longer silence the port is read once more, because the station itself may have been suspended.
const MIN_SILENCE: Duration = Duration::from_secs(3);

/// Level of a notice.
#[derive(Clone, Copy)]
enum NoticeLevel {
    /// Warning: the operator may have to act.
    Warning,
    /// Information.
    Info,
}

impl LineTask {
    /// Applies the effects of the core; the link may be down. Returns the inputs that were read meanwhile.
    pub(super) async fn apply_outputs(&mut self, now: u64, outputs: Vec<Output>) -> Vec<Input> {
        let mut heard = Vec::new();
        for Output { board, effect, .. } in outputs {
            match effect {
                Effect::Send(bytes) if self.link.is_up() => {
                    self.recorder.write(now, RecordKind::ToBoard(bytes.clone()));
                    self.counters.bytes_out.add(bytes.len() as u64);
                    if let Err(reason) = self.link.send(&bytes).await {
                        self.warn_link_down(reason);
                    }
                }
                Effect::LookUpGame(entries) => heard.push(self.look_up_game(board, entries).await),
                // Live updates are published and part of the status.
                Effect::Send(_) | Effect::LiveUpdate(_) => {}
                Effect::Reopen { board } => heard.extend(self.reopen(board.as_deref()).await),
                Effect::Notice(text) | Effect::Refused(text) => {
                    self.board_notice(now, board, &text, NoticeLevel::Warning)
                }
                Effect::Info(text) | Effect::AlreadyDone(text) => {
                    self.board_notice(now, board, &text, NoticeLevel::Info);
                }
                Effect::Note(text) => {
                    let text = playback::prefix_board(board, &text);
                    debug!(line = self.name, "{text}");
                    self.recorder.write(now, RecordKind::Note(text));
                }
                // The recorder writes publications.
                Effect::GameOpened(_) | Effect::Entry { .. } | Effect::MovesInserted(_) | Effect::GameEnded { .. } => {}
            }
        }
        heard
    }

    /// Returns the input that reports whether a board has a file that begins with these plies and setups. It is a request and gets logged.
    async fn look_up_game(&mut self, board: Option<BusAddress>, entries: Vec<Entry>) -> Input {
        let named = board.and_then(|board| self.config.boards.iter().find(|of_bus| of_bus.address == board));
        let prefix = live_files::file_prefix(&self.name, board, named.map(|board| &*board.name));
        let live = self.live_folder.clone();
        let known = tokio::task::spawn_blocking(move || live_files::find_game(&live, &prefix, &entries))
            .await
            .unwrap_or_default();
        let answer = known.map_or(GameLookup::NotFound, GameLookup::Found);
        Input::Request(Request { target: Target::from_address(board), command: OperatorCommand::GameLookup(answer) })
    }

    /// Sends a warning to the operator.
    pub(super) fn warn(&self, at: u64, notice: &str) {
        self.board_notice(at, None, notice, NoticeLevel::Warning);
    }

    /// Sends information to the operator.
    pub(super) fn info(&self, at: u64, news: &str) {
        self.board_notice(at, None, news, NoticeLevel::Info);
    }

    /// Sends a notice about a board to the operator.
    fn board_notice(&self, at: u64, board: Option<BusAddress>, notice: &str, tone: NoticeLevel) {
        let line = self.recorder.line();
        let of_board = |address| line.boards().into_iter().find(|(other, _)| *other == address);
        let status = board.and_then(of_board).map_or_else(|| line.status(), |(_, status)| status);
        let (game, ply) = (status.game, status.game.map(|_| status.plies));
        let text = playback::prefix_board(board, notice);
        let board = board.map(BusAddress::number);
        match tone {
            NoticeLevel::Warning => warn!(line = self.name, board, game, ply, "{text}"),
            NoticeLevel::Info => info!(line = self.name, board, game, ply, "{text}"),
        }
        self.recorder.write(at, RecordKind::Note(text));
    }

    /// Closes the open port because it carries another `board`, or nothing answers (`None`). Returns bytes that came nevertheless.
    async fn reopen(&mut self, board: Option<&str>) -> Option<Input> {
        if !self.link.is_up() || board.is_none() && self.link.idle_time() < MIN_SILENCE {
            return None;
        }
        if board.is_none() {
            match self.link.read_pending().await {
                Some(LinkEvent::Bytes(bytes)) => {
                    self.counters.bytes_in.add(bytes.len() as u64);
                    return Some(Input::Bytes(bytes));
                }
                Some(LinkEvent::Down(reason)) => {
                    self.warn_link_down(reason);
                    return None;
                }
                Some(LinkEvent::Up | LinkEvent::OpenFailed(_)) | None => {}
            }
        }
        let place = self.link.port_name();
        self.link.reopen(board);
        self.warn_link_down(match board {
            Some(board) => format!("{place} carries board {board}"),
            None => format!("nothing answers at {place}; opening it again"),
        });
        None
    }

    pub(super) fn warn_link_down(&self, reason: String) {
        warn!(line = self.name, "the link is down: {reason}");
        self.reporter.update(|row| row.no_link = Some(reason));
    }
}

/// Counts a publication and adds it to those in flight.
pub(super) fn count(counters: &LineCounters, in_flight: &InFlight, effect: &Effect) {
    if !effect.is_publication() {
        return;
    }
    in_flight.add();
    let Effect::Entry { entry, reason: why } = effect else { return };
    let count = if entry.kind.is_ply() { &counters.plies } else { &counters.setups };
    count.add(1);
    if let Some(grounds) = why.as_ref().and_then(|why| why.rationale.as_ref()) {
        counters.publish_delay.count(Duration::from_millis(grounds.quiet_time.0));
    }
}
