//! The door: takes connections, gives each to the routes, and bounds what any of them can cost.
//!
//! | what | most | then |
//! |---|---|---|
//! | connections | [`Limits::connections`] | told 503 and sent away |
//! | of one address, connections without a whole request | [`HALF_OPEN`] that are older than [`GRACE`], [`HALF_OPEN_EVER`] in all | the oldest goes; a hall is one address: whole requests are not counted, and all may come back at once |
//! | time for the head of a request, also of the next one | [`HEAD_TIME`] | closed |
//! | a head | [`HEAD_BYTES`], [`HEAD_FIELDS`] fields | 431, closed |
//! | time in which a viewer takes nothing of what is sent | [`WRITE_TIME`] | closed |
//! | bytes that wait for a viewer in the system | [`SENT_AHEAD`] | the writer waits |

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, Sleep};

/// So many connections of one address may be without a whole request.
pub const HALF_OPEN: usize = 64;
/// Before that nobody goes for it: after a break all viewers of a hall come at once.
pub const GRACE: Duration = Duration::from_secs(3);
/// But no more than so many in all.
pub const HALF_OPEN_EVER: usize = 2048;
/// A head must be there in this time.
pub const HEAD_TIME: Duration = Duration::from_secs(10);
/// Who takes nothing for so long has gone.
pub const WRITE_TIME: Duration = Duration::from_secs(30);
/// No head is longer.
pub const HEAD_BYTES: usize = 16 << 10;
/// No head has more fields.
pub const HEAD_FIELDS: usize = 64;
/// Bytes that the system keeps for a viewer that is slow.
pub const SENT_AHEAD: usize = 64 << 10;

/// Bounds that depend on the machine.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Proxies in front: all viewers come from their address, so their connections are not counted.
    pub trusted_proxies: Vec<IpAddr>,
}

/// From where a connection comes: a proxy, where there is one. Every request has it.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// What comes in and goes, for the operator.
#[derive(Debug, Default)]
pub struct DoorCounts {
    /// Connections there are.
    pub open: AtomicU64,
    /// Connections sent away because there were too many.
    pub refused: AtomicU64,
    /// Connections closed because their address had too many without a request.
    pub displaced: AtomicU64,
}

/// Connections without a whole request, the oldest first.
type HalfOpen = HashMap<IpAddr, VecDeque<(u64, Instant, Arc<Notify>)>>;

#[derive(Default)]
struct Waiting {
    half_open: Mutex<HalfOpen>,
    last: AtomicU64,
}

impl Waiting {
    /// A connection of an address has come; done when it must go. The oldest goes where there are too many.
    fn enter(&self, address: IpAddr, counts: &DoorCounts) -> (u64, Arc<Notify>) {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let leave = Arc::new(Notify::new());
        let mut all = self.half_open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = all.entry(address).or_default();
        of_address.push_back((id, Instant::now(), leave.clone()));
        while let Some((_, since, oldest)) = of_address.front()
            && of_address.len() > HALF_OPEN
            && (since.elapsed() >= GRACE || of_address.len() > HALF_OPEN_EVER)
        {
            counts.displaced.fetch_add(1, Ordering::Relaxed);
            oldest.notify_one();
            of_address.pop_front();
        }
        (id, leave)
    }

    /// It has a whole request, or has gone.
    fn settle(&self, address: IpAddr, id: u64) {
        let mut all = self.half_open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_address) = all.get_mut(&address) {
            of_address.retain(|(other, ..)| *other != id);
            if of_address.is_empty() {
                all.remove(&address);
            }
        }
    }
}

/// Takes connections for ever. Ends when it is dropped; connections that are open go on until theirs is.
pub async fn listen(listener: TcpListener, routes: Router, limits: Limits, counts: Arc<DoorCounts>) {
    let permits = Arc::new(Semaphore::new(limits.connections));
    let waiting = Arc::new(Waiting::default());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD_BYTES).max_headers(HEAD_FIELDS);
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if is_of_the_connection(&error) => continue,
            Err(error) => {
                // No files or no memory left: others end meanwhile.
                tracing::warn!(%error, "no connection can be taken");
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        let Ok(permit) = permits.clone().try_acquire_owned() else {
            counts.refused.fetch_add(1, Ordering::Relaxed);
            let _ = stream.try_write(
                b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
            continue;
        };
        let _ = stream.set_nodelay(true);
        let _ = socket2::SockRef::from(&stream).set_send_buffer_size(SENT_AHEAD);
        let (routes, waiting, counts) = (TowerToHyperService::new(routes.clone()), waiting.clone(), counts.clone());
        let address = peer.ip().to_canonical();
        let ticket = (!limits.trusted_proxies.contains(&address)).then(|| waiting.enter(address, &counts));
        let (id, leave) = ticket.unzip();
        let settle = {
            let waiting = waiting.clone();
            move || id.into_iter().for_each(|id| waiting.settle(address, id))
        };
        counts.open.fetch_add(1, Ordering::Relaxed);
        let on_request = settle.clone();
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            on_request();
            request.extensions_mut().insert(PeerAddress(address));
            routes.call(request)
        });
        let connection = http.serve_connection(TokioIo::new(Patient::new(stream)), service);
        tokio::spawn(async move {
            let displaced = async {
                match leave {
                    Some(leave) => leave.notified().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // A viewer that goes in the middle of an answer is no fault.
                _ = connection => {}
                () = displaced => {}
            }
            settle();
            counts.open.fetch_sub(1, Ordering::Relaxed);
            drop(permit);
        });
        // A request that is there already is read before the next one comes.
        tokio::task::yield_now().await;
    }
}

fn is_of_the_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// A connection that fails when nothing of what is written is taken for [`WRITE_TIME`].
struct Patient {
    stream: TcpStream,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream) -> Patient {
        Patient { stream, stuck: None }
    }

    fn judge<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stuck = None;
            return outcome;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_TIME)));
        stuck.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
