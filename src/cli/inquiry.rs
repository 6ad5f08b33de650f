//! A board at a port, asked as the station asks it: the same link, the same questions in the same order.
//!
//! Nothing is sent that `damcast run` would not send: no scan mode, no boot loader. What the board says is handed on both as
//! bytes and as what the station makes of them.

use std::future::Future;
use std::time::Duration;

use damcast::bytelog::{Header, Mode};
use damcast::link::{Link, LinkEvent, PortAddress, Ports};
use damcast::millis::Millis;
use damcast::playback;
use damcast::protocol::{Decoder, Item, Message};
use damcast::session::{BusAddress, Effect, Input, Line};
use tokio::time::{Instant, sleep_until};

/// A board that is being asked.
pub struct Inquiry {
    link: Link,
    line: Line,
    began: Instant,
    decoder: Decoder,
}

/// What happened.
pub enum Heard {
    /// The port is open.
    Up,
    /// It cannot be opened, or is gone: why.
    Away(String),
    /// The board said this.
    Items(Vec<Item>),
    /// Nothing but time.
    Nothing,
}

impl Inquiry {
    /// Begins with a port; `game_type` as in the configuration.
    ///
    /// # Errors
    ///
    /// When there is no such game.
    pub fn new(address: PortAddress, mode: Mode, game_type: &str) -> anyhow::Result<Inquiry> {
        let header = Header { mode: Some(mode), game_type: Some(game_type.to_owned()), ..Header::default() };
        let (settings, _) = playback::settings(&header, None)?;
        let link = Link::new(address, None, Ports::default());
        Ok(Inquiry { link, line: Line::new(settings), began: Instant::now(), decoder: Decoder::new() })
    }

    /// Waits for what happens next, and asks what is to be asked.
    pub async fn next(&mut self) -> Heard {
        let deadline = self.line.deadline().map(|at| self.began + Duration::from_millis(at.0));
        let tick = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let (input, heard) = tokio::select! {
            event = self.link.next() => match event {
                LinkEvent::Up => (Input::LinkUp, Heard::Up),
                LinkEvent::Waiting(reason) => (Input::Tick, Heard::Away(reason)),
                LinkEvent::Down(reason) => (Input::LinkDown, Heard::Away(reason)),
                LinkEvent::Bytes(bytes) => {
                    let items = self.decoder.feed(&bytes);
                    (Input::Bytes(bytes), Heard::Items(items))
                }
            },
            () = tick => (Input::Tick, Heard::Nothing),
        };
        self.handle(input).await;
        heard
    }

    async fn handle(&mut self, input: Input) {
        let now = Millis(self.began.elapsed().as_millis() as u64);
        for output in self.line.handle(now, input) {
            if let Effect::Send(bytes) = output.effect {
                // A port that goes while it is written to tells so at the next read.
                let _ = self.link.send(&bytes).await;
            }
        }
    }

    /// The boards of a bus that have answered.
    pub fn boards(&self) -> Vec<BusAddress> {
        self.line.boards().into_iter().map(|(address, _)| address).collect()
    }
}

/// Who is at a port.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// Its serial number of five digits.
    pub serial: Option<String>,
    /// The version of its firmware.
    pub version: Option<String>,
    /// The first line of its maker's text.
    pub maker: Option<String>,
    /// How many fields it has.
    pub fields: Option<usize>,
    /// Does it have a clock?
    pub has_clock: bool,
}

impl Identity {
    fn is_complete(&self) -> bool {
        self.serial.is_some() && self.version.is_some() && self.maker.is_some() && self.fields.is_some()
    }

    fn learn(&mut self, message: &Message) {
        match message {
            Message::SerialNumber(number) => self.serial = Some(number.clone()),
            Message::Version(version) => self.version = Some(version.to_string()),
            Message::Trademark(text) => self.maker = text.lines().next().map(|line| line.trim().to_owned()),
            Message::BoardDump(fields) => self.fields = Some(fields.len()),
            Message::Clock(damcast::protocol::ClockReport::Times(_)) => self.has_clock = true,
            _ => {}
        }
    }
}

/// A board says what it is asked within a second or two; who says nothing in so long is none.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long nothing more may come before what a board has said is taken for all.
const ENOUGH: Duration = Duration::from_millis(1500);
/// A search on a bus takes some rounds of 1.2 s.
const BUS_PATIENCE: Duration = Duration::from_secs(12);
/// Three rounds without another board: all have been heard.
const BUS_ENOUGH: Duration = Duration::from_secs(4);

/// Asks a single board who it is.
///
/// # Errors
///
/// Why there is no answer.
pub fn who_is_at(address: &PortAddress) -> anyhow::Result<Identity> {
    block_on(async {
        let mut inquiry = Inquiry::new(address.clone(), Mode::Single, playback::DEFAULT_GAME_TYPE)?;
        let (mut identity, mut is_open, mut is_heard, mut reason) = (Identity::default(), false, false, String::new());
        let began = Instant::now();
        let mut until = began + PATIENCE;
        while Instant::now() < until && !identity.is_complete() {
            let heard = tokio::select! {
                heard = inquiry.next() => heard,
                () = sleep_until(until) => break,
            };
            match heard {
                Heard::Up => is_open = true,
                Heard::Away(why) => reason = why,
                Heard::Items(items) => {
                    for item in &items {
                        if let Item::Message(message) = item {
                            is_heard = true;
                            identity.learn(message);
                        }
                    }
                    until = until.min((Instant::now() + ENOUGH).max(began + ENOUGH));
                }
                Heard::Nothing => {}
            }
        }
        anyhow::ensure!(is_open, "{reason}");
        anyhow::ensure!(is_heard, "nothing that speaks as a board answers; several boards on one wire need --bus");
        Ok(identity)
    })
}

/// Looks for the boards of a bus.
///
/// # Errors
///
/// Why there are none.
pub fn who_is_on_the_bus_at(address: &PortAddress) -> anyhow::Result<Vec<BusAddress>> {
    block_on(async {
        let mut inquiry = Inquiry::new(address.clone(), Mode::Bus, playback::DEFAULT_GAME_TYPE)?;
        let longest = Instant::now() + BUS_PATIENCE;
        let (mut until, mut count) = (longest, 0);
        let (mut is_open, mut reason) = (false, String::new());
        loop {
            if inquiry.boards().len() > count {
                count = inquiry.boards().len();
                until = longest.min(Instant::now() + BUS_ENOUGH);
            }
            tokio::select! {
                heard = inquiry.next() => match heard {
                    Heard::Up => is_open = true,
                    Heard::Away(why) => reason = why,
                    Heard::Items(_) | Heard::Nothing => {}
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
