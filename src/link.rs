//! The wire to a board: a serial port that may not be there yet, may go away, and may come back.
//!
//! ```text
//!            open ok                     0 bytes, or an error
//!  closed ──────────▸ open ─▸ bytes ...  ────────────────────▸ closed, back-off 100 ms, 200 ms, ... 2 s
//!    ▲  open fails: back-off doubles, told when the reason is a new one
//!    └──┘
//! ```
//!
//! A port that went away answers every read at once with 0 bytes, for ever; so 0 bytes means gone, the port is closed, and
//! no loop here runs without waiting for something. Nothing is ever flushed: that would wait in the kernel until a board
//! that may be unplugged has taken its bytes.
//!
//! Absent on purpose: what the bytes mean. Silence proves nothing here; whether a silent board is alive is for those to
//! ask who can speak with it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_serial::{DataBits, FlowControl, Parity, SerialPortBuilderExt, SerialStream, StopBits};

/// The speed of all boards.
const BAUD: u32 = 9_600;
/// The first wait before a port is opened again; it doubles up to the longest.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
/// A board that is plugged in again is seen within this.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Commands have one to five bytes, a few milliseconds on the wire; who takes none for so long is gone.
const LONGEST_WRITE: Duration = Duration::from_secs(5);
/// One read; more than four seconds of a wire at full speed.
const READ_SIZE: usize = 4096;

/// Where a board is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PortAddress {
    /// A serial port, by its path: `serial:/dev/ttyACM0`, or the path alone.
    Serial(PathBuf),
}

/// Why a text is no address of a port.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddressError {
    /// Nothing.
    #[error("`port` is empty; expected serial:/dev/ttyACM0, or the path alone; `damcast ports` lists the ports")]
    Empty,
    /// Another scheme.
    #[error("`{0}:` is no kind of port that this version knows; expected serial:/dev/ttyACM0, or the path alone")]
    Scheme(String),
}

impl FromStr for PortAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<PortAddress, AddressError> {
        let path = match text.split_once(':') {
            Some(("serial", path)) => path,
            // A path may contain a colon (by-path links do), but not before its first slash.
            Some((scheme, _)) if !scheme.contains('/') => return Err(AddressError::Scheme(scheme.to_owned())),
            _ => text,
        };
        if path.trim().is_empty() { Err(AddressError::Empty) } else { Ok(PortAddress::Serial(path.into())) }
    }
}

impl fmt::Display for PortAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortAddress::Serial(path) => write!(f, "serial:{}", path.display()),
        }
    }
}

/// What happened on a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The port is open.
    Up,
    /// The port cannot be opened, for a reason that was not told before. It is tried again without end.
    Waiting(String),
    /// Bytes came.
    Bytes(Vec<u8>),
    /// The port is gone; it is opened again when that is possible.
    Down(String),
}

/// A link that mends itself.
pub struct Link {
    address: PortAddress,
    state: State,
    wait: Duration,
    told: Option<String>,
    buffer: Vec<u8>,
}

enum State {
    Open(SerialStream),
    Closed { retry: Instant },
}

impl Link {
    /// A link to a port, to be opened by the first [`Link::next`].
    pub fn new(address: PortAddress) -> Link {
        let state = State::Closed { retry: Instant::now() };
        Link { address, state, wait: SHORTEST_WAIT, told: None, buffer: vec![0; READ_SIZE] }
    }

    /// Waits for what happens next. Nothing is lost when it is cancelled.
    pub async fn next(&mut self) -> LinkEvent {
        loop {
            match &mut self.state {
                State::Open(stream) => match stream.read(&mut self.buffer).await {
                    Ok(0) => return self.close("the port is gone".to_owned()),
                    Ok(count) => {
                        self.wait = SHORTEST_WAIT;
                        return LinkEvent::Bytes(self.buffer.get(..count).unwrap_or_default().to_vec());
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return self.close(format!("reading: {error}")),
                },
                State::Closed { retry } => {
                    sleep_until(*retry).await;
                    match open(&self.address) {
                        Ok(stream) => {
                            self.state = State::Open(stream);
                            self.told = None;
                            return LinkEvent::Up;
                        }
                        Err(reason) => {
                            self.back_off();
                            if self.told.as_ref() != Some(&reason) {
                                self.told = Some(reason.clone());
                                return LinkEvent::Waiting(reason);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Sends bytes. A closed link takes them and does nothing: whoever asks a board asks again when the link is up.
    ///
    /// # Errors
    ///
    /// When the port did not take them: why. The link is down then.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let State::Open(stream) = &mut self.state else { return Ok(()) };
        let reason = match timeout(LONGEST_WRITE, stream.write_all(bytes)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => format!("writing: {error}"),
            Err(_) => format!("the port took no bytes for {} s", LONGEST_WRITE.as_secs()),
        };
        self.back_off();
        Err(reason)
    }

    /// Is the port open?
    pub fn is_up(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    fn close(&mut self, reason: String) -> LinkEvent {
        self.back_off();
        LinkEvent::Down(reason)
    }

    /// The wait is not shortened by a port that opens and goes at once, only by bytes.
    fn back_off(&mut self) {
        self.state = State::Closed { retry: Instant::now() + self.wait };
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
    }
}

fn open(address: &PortAddress) -> Result<SerialStream, String> {
    let PortAddress::Serial(path) = address;
    tokio_serial::new(path.to_string_lossy(), BAUD)
        .data_bits(DataBits::Eight)
        .parity(Parity::None)
        .stop_bits(StopBits::One)
        .flow_control(FlowControl::None)
        .exclusive(true)
        .open_native_async()
        .map_err(|error| explain(&error))
}

/// A reason with its remedy.
fn explain(error: &tokio_serial::Error) -> String {
    use tokio_serial::ErrorKind;
    match error.kind() {
        ErrorKind::Io(io::ErrorKind::NotFound) => "there is no such port; is the board plugged in?".to_owned(),
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => {
            "no permission; the user who runs damcast must be in the group of the port, often `dialout`".to_owned()
        }
        ErrorKind::NoDevice if error.description.contains("lock") => "the port is in use by another program".to_owned(),
        ErrorKind::Unknown if error.description.contains("not permitted") => {
            "not permitted; does the service that runs damcast allow the device (DeviceAllow)?".to_owned()
        }
        _ if error.description.contains("typewriter") || error.description.contains("Inappropriate ioctl") => {
            format!("this is not a serial port ({error})")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_both_ways() {
        for (text, path) in [
            ("serial:/dev/ttyACM0", "/dev/ttyACM0"),
            ("/dev/pts/5", "/dev/pts/5"),
            ("/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0", "/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0"),
            ("boards/a:b", "boards/a:b"),
        ] {
            let address: PortAddress = text.parse().unwrap();
            assert_eq!(address, PortAddress::Serial(path.into()));
            assert_eq!(address.to_string().parse(), Ok(address));
        }
    }

    #[test]
    fn what_is_no_address_says_what_is_expected() {
        for (text, error) in [
            ("", AddressError::Empty),
            ("serial:", AddressError::Empty),
            ("tcp://10.0.0.1:4001", AddressError::Scheme("tcp".into())),
            ("bluetooth:x", AddressError::Scheme("bluetooth".into())),
        ] {
            assert_eq!(text.parse::<PortAddress>(), Err(error), "{text}");
        }
    }
}
