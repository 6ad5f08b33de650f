//! Connection to a board: its port may be missing at first, disappear, and return under another name.
//!
//! ```text
//!            open ok                     0 bytes, or an error
//!  closed ──────────▸ open ─▸ bytes ...  ────────────────────▸ closed, back-off 100 ms, 200 ms, ... 2 s
//!    ▲  open fails: back-off doubles,      reopen
//!    │  reports a new reason               ──────────────────▸ closed, back-off up to 10 s
//!    └──┘
//! ```
//!
//! | file | subject |
//! |---|---|
//! | [`address`] | addresses as operators write them |
//! | [`ports`] | ports of this machine, and the lines that use them |
//! | `serial`, `tcp`, `telnet` | the three kinds of connection |
//! | `rfc2217` | byte protocol of telnet for serial-port servers |
//!
//! A port that went away answers every read with 0 bytes at once; so 0 bytes close the port, and no loop here runs without waiting.
//! Nothing is ever flushed: the kernel would block until a board that may be unplugged has taken its bytes.
//!
//! Absent on purpose: the meaning of the bytes. Silence proves nothing here: the core polls a silent board, and requests
//! [`Link::reopen`].

pub mod address;
pub mod ports;
mod rfc2217;
mod serial;
mod tcp;
mod telnet;

use std::future::Future;
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_serial::SerialStream;

pub use address::PortAddress;
use ports::ClaimedPort;
pub use ports::Ports;
use telnet::Telnet;

/// Shortest wait before a port is reopened; it doubles up to the longest.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(100);
/// Longest wait before a port is reopened, so that a board is detected soon after it is plugged in.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(2);
/// Longest wait before a port is reopened on which nothing or the wrong board answers.
const MAX_REFUSED_WAIT: Duration = Duration::from_secs(10);
/// Time after which an open port counts as stable; its next wait is the shortest again.
const STABLE_AFTER: Duration = Duration::from_secs(60);
/// Longest time to write a command of one to five bytes, which take a few milliseconds on the wire; a slower port counts as gone.
const MAX_WRITE_TIME: Duration = Duration::from_secs(5);
/// Longest time the system needs to report available bytes.
const ERROR_GRACE: Duration = Duration::from_millis(20);
/// Maximum number of bytes per read: more than four seconds of a wire at full speed.
const READ_SIZE: usize = 4096;

/// Event on a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The port is open.
    Up,
    /// The port cannot be opened, for a reason that was not reported yet. Opening is retried for ever.
    OpenFailed(String),
    /// Bytes arrived.
    Bytes(Vec<u8>),
    /// The port is gone; it is reopened as soon as possible.
    Down(String),
}

/// Link that reopens its port after failures.
pub struct Link {
    address: Option<PortAddress>,
    expected_board: Option<String>,
    ports: Ports,
    state: LinkState,
    retry_wait: Duration,
    refusals: u32,
    notified: Option<String>,
}

enum LinkState {
    Open {
        port: Port,
        opened: Instant,
        heard: Instant,
    },
    Opening(Pin<Box<dyn Future<Output = Result<Port, String>> + Send>>),
    Closed {
        retry: Instant,
    },
    /// There is no port.
    Absent,
}

/// Open port.
struct Port {
    wire: Wire,
    /// Path of a local port.
    path: Option<PathBuf>,
    _claim: Option<ClaimedPort>,
}

enum Wire {
    Serial(SerialStream),
    Tcp(TcpStream),
    Telnet(Box<Telnet>),
}

impl Link {
    /// Creates a link, which the first [`Link::next`] opens; without an address it never has an event. `expected_board`: serial number of
    /// the board, used if the address matches several ports.
    pub fn new(address: impl Into<Option<PortAddress>>, expected_board: Option<String>, ports: Ports) -> Link {
        let address = address.into();
        let state = if address.is_some() { LinkState::Closed { retry: Instant::now() } } else { LinkState::Absent };
        Link { address, expected_board, ports, state, retry_wait: MIN_RETRY_WAIT, refusals: 0, notified: None }
    }

    /// Waits for the next event. Cancel safe.
    pub async fn next(&mut self) -> LinkEvent {
        loop {
            match &mut self.state {
                LinkState::Open { port, heard, .. } => match port.wire.read().await {
                    Ok(bytes) if bytes.is_empty() => return self.close("the port is gone".to_owned()),
                    Ok(bytes) => {
                        *heard = Instant::now();
                        self.retry_wait = MIN_RETRY_WAIT;
                        return LinkEvent::Bytes(bytes);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return self.close(format!("reading: {error}")),
                },
                LinkState::Closed { retry } => {
                    sleep_until(*retry).await;
                    let (wanted, ports) = (self.expected_board.clone(), self.ports.clone());
                    self.state = match self.address.clone() {
                        Some(address) => LinkState::Opening(Box::pin(open(address, wanted, ports))),
                        None => LinkState::Absent,
                    };
                }
                LinkState::Absent => std::future::pending().await,
                LinkState::Opening(opening) => match opening.await {
                    Ok(port) => {
                        let now = Instant::now();
                        self.state = LinkState::Open { port, opened: now, heard: now };
                        self.notified = None;
                        return LinkEvent::Up;
                    }
                    Err(reason) => {
                        self.back_off();
                        if self.notified.as_ref() != Some(&reason) {
                            self.notified = Some(reason.clone());
                            return LinkEvent::OpenFailed(reason);
                        }
                    }
                },
            }
        }
    }

    /// Returns an unread event of the open port: to a process that was suspended, the port seems silent.
    pub async fn read_pending(&mut self) -> Option<LinkEvent> {
        if !self.is_up() {
            return None;
        }
        timeout(ERROR_GRACE, self.next()).await.ok()
    }

    /// Sends bytes. Does nothing if the link is closed: the sender repeats its command when the link is up.
    ///
    /// # Errors
    ///
    /// Returns the reason if the port did not accept the bytes. The link is down then.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let LinkState::Open { port, .. } = &mut self.state else { return Ok(()) };
        let reason = match timeout(MAX_WRITE_TIME, port.wire.write_all(bytes)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => format!("writing: {error}"),
            Err(_) => format!("the port took no bytes for {} s", MAX_WRITE_TIME.as_secs()),
        };
        self.back_off();
        Err(reason)
    }

    /// Closes the port, to open it or another one later: `found` answers instead of the expected board, or nothing does. The wait grows
    /// each time.
    pub fn reopen(&mut self, found: Option<&str>) {
        let LinkState::Open { port, opened, .. } = &self.state else { return };
        if let Some(path) = &port.path {
            self.ports.note(path, found);
        }
        if opened.elapsed() >= STABLE_AFTER {
            self.refusals = 0;
        }
        let longest =
            if self.address.as_ref().is_some_and(PortAddress::is_one_port) { MAX_REFUSED_WAIT } else { MAX_RETRY_WAIT };
        let wait = MIN_RETRY_WAIT.saturating_mul(1 << self.refusals.min(16)).min(longest);
        self.refusals += 1;
        self.state = LinkState::Closed { retry: Instant::now() + wait };
    }

    /// Records that the expected board answers on the open port, so that other lines skip it.
    pub fn confirm_board(&mut self, board: &str) {
        self.refusals = 0;
        if let LinkState::Open { port: Port { path: Some(path), .. }, .. } = &self.state {
            self.ports.note(path, Some(board));
        }
    }

    /// Whether the port is open.
    pub fn is_up(&self) -> bool {
        matches!(self.state, LinkState::Open { .. })
    }

    /// Returns how long the open port has been silent.
    pub fn idle_time(&self) -> Duration {
        if let LinkState::Open { heard, .. } = &self.state { heard.elapsed() } else { Duration::ZERO }
    }

    /// Returns the open port or else the address.
    pub fn port_name(&self) -> String {
        let Some(address) = &self.address else { return "no port".to_owned() };
        match &self.state {
            LinkState::Open { port: Port { path: Some(path), .. }, .. } if !address.is_one_port() => {
                format!("{address} at {}", path.display())
            }
            _ => address.to_string(),
        }
    }

    fn close(&mut self, reason: String) -> LinkEvent {
        self.back_off();
        LinkEvent::Down(reason)
    }

    /// Only received bytes reset the wait, not a port that opens and disappears at once.
    fn back_off(&mut self) {
        self.state = LinkState::Closed { retry: Instant::now() + self.retry_wait };
        self.retry_wait = (self.retry_wait * 2).min(MAX_RETRY_WAIT);
    }
}

impl Wire {
    /// Reads bytes; none if the connection is gone. Cancel safe.
    async fn read(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Wire::Serial(stream) => read(stream).await,
            Wire::Tcp(stream) => read(stream).await,
            // A line without such a wire has no memory for it.
            Wire::Telnet(telnet) => Box::pin(telnet.read()).await,
        }
    }

    async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Wire::Serial(stream) => stream.write_all(bytes).await,
            Wire::Tcp(stream) => stream.write_all(bytes).await,
            Wire::Telnet(telnet) => telnet.write_all(bytes).await,
        }
    }
}

/// Reads bytes; none at the end. The buffer is on the stack, because most wires are silent most of the time.
async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    std::future::poll_fn(|context| {
        let mut bytes = [MaybeUninit::uninit(); READ_SIZE];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        Pin::new(&mut *stream).poll_read(context, &mut buffer).map_ok(|()| buffer.filled().to_vec())
    })
    .await
}

async fn open(address: PortAddress, wanted: Option<String>, ports: Ports) -> Result<Port, String> {
    let network = |wire| Port { wire, path: None, _claim: None };
    match &address {
        PortAddress::Tcp(host) => return tcp::connect(host).await.map(Wire::Tcp).map(network),
        PortAddress::Rfc2217 { host, baud } => {
            return Telnet::connect(host, *baud).await.map(Box::new).map(Wire::Telnet).map(network);
        }
        PortAddress::Serial(path) => return open_serial(path, &ports),
        PortAddress::Usb(_) | PortAddress::Any(_) => {}
    }
    let listing = ports.clone();
    let candidates = tokio::task::spawn_blocking(move || listing.candidates(&address, wanted.as_deref()));
    let candidates = candidates.await.map_err(|error| format!("listing the ports: {error}"))??;
    let mut reasons = Vec::new();
    for path in candidates {
        match open_serial(&path, &ports) {
            Ok(port) => return Ok(port),
            Err(reason) => reasons.push(format!("{}: {reason}", path.display())),
        }
    }
    Err(reasons.join("; "))
}

fn open_serial(path: &Path, ports: &Ports) -> Result<Port, String> {
    let claim =
        ports.claim(path).map_err(|line| format!("the line {line} has this port already; each needs its own"))?;
    let stream = serial::open(path)?;
    Ok(Port { wire: Wire::Serial(stream), path: Some(path.to_owned()), _claim: Some(claim) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::io::AsyncReadExt;

    use tokio::net::TcpListener;

    fn link(address: &str) -> Link {
        Link::new(address.parse::<PortAddress>().unwrap(), None, Ports::default())
    }

    /// Returns how often a waiting link is polled.
    async fn wake_ups(mut link: Link, span: Duration) -> u32 {
        let polls = AtomicU32::new(0);
        let waiting = async {
            loop {
                link.next().await;
            }
        };
        let mut waiting = Box::pin(waiting);
        let counted = poll_fn(|context| {
            polls.fetch_add(1, Ordering::Relaxed);
            waiting.as_mut().poll(context)
        });
        let ended: Result<(), _> = timeout(span, counted).await;
        assert!(ended.is_err());
        polls.into_inner()
    }

    #[tokio::test(start_paused = true)]
    async fn missing_port_wakes_at_most_every_two_seconds() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere").display().to_string();
        for address in [nowhere.clone(), format!("any:{nowhere}*")] {
            let polls = wake_ups(link(&address), Duration::from_secs(600)).await;
            // Once for each wait, and once more where a thread searches folders.
            assert!((250..700).contains(&polls), "{address}: {polls} wake-ups in ten minutes");
        }
    }

    #[tokio::test]
    async fn networked_board_disappears_and_returns() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut link = link(&format!("tcp://{}", listener.local_addr().unwrap()));
        for _ in 0..2 {
            assert_eq!(link.next().await, LinkEvent::Up);
            let (mut server, _) = listener.accept().await.unwrap();
            link.send(&[0x4b, 0x42]).await.unwrap();
            let mut heard = [0; 2];
            server.read_exact(&mut heard).await.unwrap();
            assert_eq!(heard, [0x4b, 0x42]);
            server.write_all(&[0x93, 0xff]).await.unwrap();
            assert_eq!(link.next().await, LinkEvent::Bytes(vec![0x93, 0xff]));
            drop(server);
            assert!(matches!(link.next().await, LinkEvent::Down(_)));
            assert!(!link.is_up());
        }
    }

    #[tokio::test]
    async fn bytes_before_port_loss_are_kept() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut link = link(&format!("tcp://{}", listener.local_addr().unwrap()));
        assert_eq!(link.read_pending().await, None, "a port that is closed has nothing to say");
        assert_eq!(link.next().await, LinkEvent::Up);
        let (mut server, _) = listener.accept().await.unwrap();
        server.write_all(&[0x93, 0xff]).await.unwrap();
        // Blocks the runtime, as a busy machine does.
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(link.read_pending().await, Some(LinkEvent::Bytes(vec![0x93, 0xff])));
        assert_eq!(link.read_pending().await, None);
        drop(server);
        assert!(matches!(link.read_pending().await, Some(LinkEvent::Down(_))));
    }

    #[tokio::test]
    async fn sets_up_and_reads_board_behind_telnet_server() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut link = link(&format!("rfc2217://{}?baud=9600", listener.local_addr().unwrap()));
        let serving = async {
            let (mut server, _) = listener.accept().await.unwrap();
            let mut asked = [0; 9];
            server.read_exact(&mut asked).await.unwrap();
            assert_eq!(asked, [0xff, 0xfb, 0x2c, 0xff, 0xfb, 0x00, 0xff, 0xfd, 0x00]);
            server.write_all(&[0xff, 0xfd, 0x2c, 0xff, 0xfd, 0x00, 0xff, 0xfb, 0x00]).await.unwrap();
            let mut settings = [0; 45];
            server.read_exact(&mut settings).await.unwrap();
            assert_eq!(settings[..10], [0xff, 0xfa, 0x2c, 0x01, 0x00, 0x00, 0x25, 0x80, 0xff, 0xf0]);
            // Bytes of the board before and after the port is set up.
            let answer = [0x93, 0xff, 0xff, 0xff, 0xfa, 0x2c, 0x65, 0x00, 0x00, 0x25, 0x80, 0xff, 0xf0];
            server.write_all(&answer).await.unwrap();
            server
        };
        let (up, mut server) = tokio::join!(link.next(), serving);
        assert_eq!(up, LinkEvent::Up);
        assert_eq!(link.next().await, LinkEvent::Bytes(vec![0x93, 0xff]));
        server.write_all(&[0x01, 0xff, 0xff, 0x02]).await.unwrap();
        assert_eq!(link.next().await, LinkEvent::Bytes(vec![0x01, 0xff, 0x02]));
        link.send(&[0x42]).await.unwrap();
        let mut heard = [0; 1];
        server.read_exact(&mut heard).await.unwrap();
        assert_eq!(heard, [0x42]);
    }

    #[tokio::test]
    async fn waits_for_foreign_server_and_reports_reason() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut link = link(&format!("rfc2217://{}", listener.local_addr().unwrap()));
        let serving = async {
            let (mut server, _) = listener.accept().await.unwrap();
            server.write_all(&[0xff, 0xfe, 0x2c]).await.unwrap();
            server
        };
        let (event, _server) = tokio::join!(link.next(), serving);
        assert!(matches!(&event, LinkEvent::OpenFailed(reason) if reason.contains("use tcp://")), "{event:?}");
    }

    #[tokio::test]
    async fn opening_continues_after_cancelled_wait() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut link = link(&format!("tcp://{}", listener.local_addr().unwrap()));
        // Cancels each wait, as a station with other work does.
        let mut waits = 0;
        while timeout(Duration::from_micros(1), link.next()).await != Ok(LinkEvent::Up) {
            waits += 1;
            assert!(waits < 100_000, "never up");
        }
        listener.accept().await.unwrap();
        assert!(timeout(Duration::from_millis(1), listener.accept()).await.is_err(), "one connection only");
    }
}
