//! Probes a board at a port as the station does: through the same link, with the same commands in the same order.
//!
//! It sends nothing that `damcast run` would not send: no scan mode, no boot loader. It returns the messages of the board as the station
//! decodes them.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use damcast::engine::bytelog::{Header, Mode};
use damcast::engine::millis::Millis;
use damcast::engine::protocol::{DecodedItem, Decoder, Message, PieceCode};
use damcast::engine::session::{BusAddress, DEFAULT_GAME_TYPE, Effect, Input, Line, LineSettings};
use damcast::station::link::{Link, LinkEvent, PortAddress, Ports};
use tokio::time::{Instant, sleep_until};

/// Board that is being probed.
pub struct BoardProbe {
    link: Link,
    line: Line,
    started_at: Instant,
    decoder: Decoder,
}

/// Event of a probe.
pub enum ProbeEvent {
    /// The port is open.
    Up,
    /// The port cannot be opened, or is gone; with the reason.
    Closed(String),
    /// Messages of the board.
    Items(Vec<DecodedItem>),
    /// A deadline passed without a message.
    Timeout,
}

impl BoardProbe {
    /// Starts a probe of a port; `game_type` as in the configuration.
    ///
    /// # Errors
    ///
    /// Returns an error if the game type is unknown.
    pub fn new(address: PortAddress, mode: Mode, game_type: &str) -> anyhow::Result<BoardProbe> {
        let header = Header { mode: Some(mode), game_type: Some(game_type.to_owned()), ..Header::default() };
        let (settings, _) = LineSettings::from_header(&header, None)?;
        let link = Link::new(address, None, Ports::default());
        Ok(BoardProbe { link, line: Line::new(settings), started_at: Instant::now(), decoder: Decoder::new() })
    }

    /// Waits for the next event and sends the commands that are due.
    pub async fn next(&mut self) -> ProbeEvent {
        let deadline = self.line.deadline().map(|at| self.started_at + Duration::from_millis(at.0));
        let (input, heard) = tokio::select! {
            event = self.link.next() => match event {
                LinkEvent::Up => (Input::LinkUp, ProbeEvent::Up),
                LinkEvent::OpenFailed(reason) => (Input::Tick, ProbeEvent::Closed(reason)),
                LinkEvent::Down(reason) => (Input::LinkDown, ProbeEvent::Closed(reason)),
                LinkEvent::Bytes(bytes) => {
                    let items = self.decoder.feed(&bytes);
                    (Input::Bytes(bytes), ProbeEvent::Items(items))
                }
            },
            () = sleep_until_any(deadline) => (Input::Tick, ProbeEvent::Timeout),
        };
        self.handle(input).await;
        heard
    }

    async fn handle(&mut self, input: Input) {
        let now = Millis(self.started_at.elapsed().as_millis() as u64);
        for output in self.line.handle(now, input) {
            if let Effect::Send(bytes) = output.effect {
                // If the port is gone, the next read reports it.
                let _ = self.link.send(&bytes).await;
            }
        }
    }

    /// Returns the boards of a bus that have answered.
    pub fn boards(&self) -> Vec<BusAddress> {
        self.line.boards().into_iter().map(|(address, _)| address).collect()
    }
}

/// Identity of the device at a port.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BoardInfo {
    /// Serial number of five digits.
    pub serial: Option<String>,
    /// Version of the firmware.
    pub version: Option<String>,
    /// First line of the maker's text.
    pub maker: Option<String>,
    /// Number of fields.
    pub fields: Option<usize>,
    /// Set of the piece codes, as in the configuration; `None` for a draughts set or an unknown one.
    pub codes: Option<String>,
    /// Whether a clock is connected.
    pub has_clock: bool,
}

impl BoardInfo {
    fn is_complete(&self) -> bool {
        self.serial.is_some() && self.version.is_some() && self.maker.is_some() && self.fields.is_some()
    }

    fn learn(&mut self, message: &Message) {
        match message {
            Message::SerialNumber(number) => self.serial = Some(number.clone()),
            Message::Version(version) => self.version = Some(version.to_string()),
            Message::Trademark(text) => self.maker = text.lines().next().map(|line| line.trim().to_owned()),
            Message::BoardDump(fields) => {
                self.fields = Some(fields.len());
                self.codes = find_piece_set(fields);
            }
            Message::Clock(damcast::engine::protocol::ClockReport::Times(_)) => self.has_clock = true,
            _ => {}
        }
    }
}

/// Returns the set of these pieces, as the setting `codes` names it; `None` for a draughts set or if the pieces do not show it. Codes of
/// no known set are assigned by their place, with the connector on White's left: White's men below.
fn find_piece_set(fields: &[PieceCode]) -> Option<String> {
    let kinds: BTreeSet<u8> = fields.iter().map(|code| code.0).filter(|code| (1..=12).contains(code)).collect();
    let all_in = |set: &[u8]| kinds.iter().all(|kind| set.contains(kind));
    let (white, black) = (kinds.range(1..=6).count(), kinds.range(7..=12).count());
    if kinds.contains(&7) && !kinds.contains(&4) && all_in(&[1, 7, 10]) {
        // Codes of white kings in place of black men: an old draughts board, or the pawns of a chess set.
        return Some(if fields.len() == 64 { "chess" } else { "draughts-old" }.to_owned());
    }
    if all_in(&[1, 4, 7, 10]) {
        return None;
    }
    if white > 0 && black > 0 {
        return Some("chess".to_owned());
    }
    let (above, below) = fields.split_at(fields.len() / 2);
    let only = |half: &[PieceCode]| {
        let mut kinds = half.iter().map(|code| code.0).filter(|&code| code != 0);
        let first = kinds.next()?;
        kinds.all(|kind| kind == first).then_some(first)
    };
    let (white, black) = (only(below)?, only(above)?);
    (white != black && kinds.len() == 2).then(|| format!("{white}=w {black}=b"))
}

/// Time limit for the first answer; a board answers within a second or two.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(4);
/// Silence after which the answers of a board are complete.
const QUIET_TIME: Duration = Duration::from_millis(1500);
/// Time limit for a search on a bus; each round takes 1.2 s.
const BUS_SEARCH_TIME: Duration = Duration::from_secs(12);
/// Silence after which the search ends: three rounds without another board.
const BUS_QUIET_TIME: Duration = Duration::from_secs(4);

/// Probes a single board.
///
/// # Errors
///
/// Returns the reason why there is no answer.
pub fn probe_single_board(address: &PortAddress) -> anyhow::Result<BoardInfo> {
    block_on(async {
        let mut inquiry = BoardProbe::new(address.clone(), Mode::Single, DEFAULT_GAME_TYPE)?;
        let (mut identity, mut is_open, mut is_heard, mut reason) = (BoardInfo::default(), false, false, String::new());
        let began = Instant::now();
        let mut until = began + ANSWER_TIMEOUT;
        while Instant::now() < until && !identity.is_complete() {
            let heard = tokio::select! {
                heard = inquiry.next() => heard,
                () = sleep_until(until) => break,
            };
            match heard {
                ProbeEvent::Up => is_open = true,
                ProbeEvent::Closed(why) => reason = why,
                ProbeEvent::Items(items) => {
                    for item in &items {
                        if let DecodedItem::Message(message) = item {
                            is_heard = true;
                            identity.learn(message);
                        }
                    }
                    until = until.min((Instant::now() + QUIET_TIME).max(began + QUIET_TIME));
                }
                ProbeEvent::Timeout => {}
            }
        }
        anyhow::ensure!(is_open, "{reason}");
        anyhow::ensure!(is_heard, "nothing that speaks as a board answers; several boards on one wire need --bus");
        Ok(identity)
    })
}

/// Searches for the boards of a bus.
///
/// # Errors
///
/// Returns the reason why there are none.
pub fn probe_bus(address: &PortAddress) -> anyhow::Result<Vec<BusAddress>> {
    block_on(async {
        let mut inquiry = BoardProbe::new(address.clone(), Mode::Bus, DEFAULT_GAME_TYPE)?;
        let longest = Instant::now() + BUS_SEARCH_TIME;
        let (mut until, mut count) = (longest, 0);
        let (mut is_open, mut reason) = (false, String::new());
        loop {
            if inquiry.boards().len() > count {
                count = inquiry.boards().len();
                until = longest.min(Instant::now() + BUS_QUIET_TIME);
            }
            tokio::select! {
                heard = inquiry.next() => match heard {
                    ProbeEvent::Up => is_open = true,
                    ProbeEvent::Closed(why) => reason = why,
                    ProbeEvent::Items(_) | ProbeEvent::Timeout => {}
                },
                () = sleep_until(until) => break,
            }
        }
        anyhow::ensure!(is_open, "{reason}");
        let boards = inquiry.boards();
        anyhow::ensure!(!boards.is_empty(), "no board answers on this bus; do the boards have power?");
        Ok(boards)
    })
}

/// Runs one task to its end.
pub fn block_on<T>(task: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(task)
}

/// Sleeps until the time; forever without one.
pub async fn sleep_until_any(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_identify_code_set() {
        let board = |fields: usize, white: u8, black: u8| -> Vec<PieceCode> {
            let code = |field: usize| match field * 8 / fields {
                0..=2 if field % 2 == 1 => black,
                5..=7 if field.is_multiple_of(2) => white,
                _ => 0,
            };
            (0..fields).map(|field| PieceCode(code(field))).collect()
        };
        for (fields, white, black, expected) in [
            (100, 1, 4, None),
            (100, 1, 7, Some("draughts-old")),
            (64, 1, 7, Some("chess")),
            (64, 6, 12, Some("chess")),
            (100, 2, 5, Some("2=w 5=b")),
            (100, 0, 0, None),
            (100, 1, 1, None),
        ] {
            assert_eq!(find_piece_set(&board(fields, white, black)).as_deref(), expected, "{fields} {white} {black}");
        }
    }
}
