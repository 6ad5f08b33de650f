//! Accepts connections, passes each to the routes, and bounds the cost of each.
//!
//! A connection is half-open until its first request is complete, and idle between two requests.
//!
//! | subject | bound | beyond it |
//! |---|---|---|
//! | connections | [`Limits::connections`] | the oldest half-open connection of the address with most of them is closed, if it is older than [`HALF_OPEN_GRACE`]; else an idle one; else any half-open one; else the new one gets 503 |
//! | half-open connections of an address | [`MAX_HALF_OPEN_PER_ADDRESS`] if the oldest is older than [`HALF_OPEN_GRACE`], else [`MAX_HALF_OPEN`] | the oldest is closed |
//! | time for the head of a request, also of later ones | [`HEAD_TIMEOUT`] | closed |
//! | head of a request | [`MAX_HEAD_LEN`], [`MAX_HEAD_FIELDS`] fields | 431, closed |
//! | time without progress of a write | [`WRITE_TIMEOUT`] | closed |
//! | bytes buffered by the system for a viewer | [`SEND_BUFFER_SIZE`] | the writer waits |
//! | bytes buffered by the system from a viewer | [`RECEIVE_BUFFER_SIZE`] | the viewer waits |
//!
//! All viewers of a hall may share one address, so complete requests do not count, and many viewers may return at once.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::http::{Method, header};
use axum::response::Response;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_io_timeout::TimeoutWriter;

use super::live::LiveStream;

/// Largest number of half-open connections of an address, if the oldest is older than [`HALF_OPEN_GRACE`].
pub const MAX_HALF_OPEN_PER_ADDRESS: usize = 64;
/// Age up to which an address may have more: after an interruption all viewers of a hall connect at once.
pub const HALF_OPEN_GRACE: Duration = Duration::from_secs(3);
/// Largest number of half-open connections of an address, whatever their age.
pub const MAX_HALF_OPEN: usize = 2048;
/// Longest time for the head of a request.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time without progress of a write; the connection is closed then.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest head of a request, in bytes.
pub const MAX_HEAD_LEN: usize = 16 << 10;
/// Largest number of fields of a head.
pub const MAX_HEAD_FIELDS: usize = 64;
/// Bytes that the system buffers for a slow viewer.
pub const SEND_BUFFER_SIZE: usize = 64 << 10;
/// Bytes that the system buffers from a viewer before the server reads them. It limits the cost of a body that the server refuses.
pub const RECEIVE_BUFFER_SIZE: usize = 16 << 10;

/// Bounds that depend on the machine.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest number of connections.
    pub connections: usize,
    /// Trusted proxies: all viewers connect from their address, so the bound per address excludes them.
    pub trusted_proxies: Vec<IpAddr>,
}

/// Address of the peer, which may be a proxy. Every request carries it.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// Counts of connections, for the operator.
#[derive(Debug, Default)]
pub struct ConnectionCounts {
    /// Number of open connections.
    pub open: AtomicU64,
    /// Connections refused because there were too many.
    pub refused: AtomicU64,
    /// Half-open connections closed to make room.
    pub displaced: AtomicU64,
}

/// Connections of each address, oldest first: number, start, and signal to close.
type ByAddress = HashMap<IpAddr, VecDeque<(u64, Instant, Arc<Notify>)>>;

/// Connections that may be closed to make room.
#[derive(Default)]
struct WaitingConnections {
    half_open: Mutex<ByAddress>,
    /// Between two requests.
    idle: Mutex<ByAddress>,
    last_id: AtomicU64,
}

/// Closes the oldest connection of the address with most of them, if it is at least this old. Returns `false` if there is none.
fn displace(connections: &Mutex<ByAddress>, min_age: Duration, counts: &ConnectionCounts) -> bool {
    let mut all = connections.lock().unwrap_or_else(PoisonError::into_inner);
    let order = |of_address: &VecDeque<(u64, Instant, Arc<Notify>)>| {
        let (id, since, _) = of_address.front()?;
        (since.elapsed() >= min_age).then_some((of_address.len(), Reverse(*id)))
    };
    let most = all.values_mut().filter_map(|of_address| Some((order(of_address)?, of_address)));
    let most = most.max_by_key(|(order, _)| *order);
    let Some((_, _, oldest)) = most.and_then(|(_, of_address)| of_address.pop_front()) else { return false };
    all.retain(|_, of_address| !of_address.is_empty());
    counts.displaced.fetch_add(1, Ordering::Relaxed);
    oldest.notify_one();
    true
}

fn remove(connections: &Mutex<ByAddress>, address: IpAddr, id: u64) {
    let mut all = connections.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(of_address) = all.get_mut(&address) {
        of_address.retain(|(other, ..)| *other != id);
        if of_address.is_empty() {
            all.remove(&address);
        }
    }
}

impl WaitingConnections {
    /// Adds a connection and closes the oldest ones of its address beyond the bounds. Returns its number and its signal to close. A
    /// trusted proxy's counts only while it is idle.
    fn admit(&self, address: IpAddr, is_proxy: bool, counts: &ConnectionCounts) -> (u64, Arc<Notify>) {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        let close_signal = Arc::new(Notify::new());
        if is_proxy {
            return (id, close_signal);
        }
        let mut all = self.half_open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = all.entry(address).or_default();
        of_address.push_back((id, Instant::now(), close_signal.clone()));
        while let Some((_, since, oldest)) = of_address.front()
            && of_address.len() > MAX_HALF_OPEN_PER_ADDRESS
            && (since.elapsed() >= HALF_OPEN_GRACE || of_address.len() > MAX_HALF_OPEN)
        {
            counts.displaced.fetch_add(1, Ordering::Relaxed);
            oldest.notify_one();
            of_address.pop_front();
        }
        (id, close_signal)
    }

    /// Closes a half-open connection that has waited for long, or else an idle one, or else a half-open one. Returns `false` if there is
    /// none. A young half-open connection may be a viewer's, whose request is under way; an idle one loses nothing.
    fn make_room(&self, counts: &ConnectionCounts) -> bool {
        displace(&self.half_open, HALF_OPEN_GRACE, counts)
            || displace(&self.idle, Duration::ZERO, counts)
            || displace(&self.half_open, Duration::ZERO, counts)
    }

    /// Keeps a connection that has a request, or is closed.
    fn keep(&self, address: IpAddr, id: u64) {
        remove(&self.half_open, address, id);
        remove(&self.idle, address, id);
    }

    /// Marks a connection as idle.
    fn set_idle(&self, address: IpAddr, id: u64, close_signal: &Arc<Notify>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.entry(address).or_default().push_back((id, Instant::now(), close_signal.clone()));
    }
}

/// Accepts connections until dropped; open connections end with their own tasks.
pub async fn listen(listener: TcpListener, routes: Router, limits: Limits, counts: Arc<ConnectionCounts>) {
    let most = u64::try_from(limits.connections).unwrap_or(u64::MAX);
    let waiting = Arc::new(WaitingConnections::default());
    // Each connection inherits it.
    let _ = socket2::SockRef::from(&listener).set_recv_buffer_size(RECEIVE_BUFFER_SIZE);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_LEN)
        .max_headers(MAX_HEAD_FIELDS);
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if is_connection_error(&error) => continue,
            Err(error) => {
                // Out of file descriptors or memory: wait for other connections to end.
                tracing::warn!(%error, "no connection can be taken");
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        // A closed connection counts until its task ends.
        if counts.open.load(Ordering::Relaxed) >= most && !waiting.make_room(&counts) {
            counts.refused.fetch_add(1, Ordering::Relaxed);
            let _ = stream.try_write(
                b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
            continue;
        }
        let _ = stream.set_nodelay(true);
        let _ = socket2::SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER_SIZE);
        let routes = TowerToHyperService::new(routes.clone());
        let address = peer.ip().to_canonical();
        let (id, close_signal) = waiting.admit(address, limits.trusted_proxies.contains(&address), &counts);
        counts.open.fetch_add(1, Ordering::Relaxed);
        let guard = ConnectionGuard { address, id, close_signal, waiting: waiting.clone(), counts: counts.clone() };
        let mut connection = TimeoutWriter::new(stream);
        connection.set_timeout(Some(WRITE_TIMEOUT));
        tokio::spawn(serve(http.clone(), Box::pin(connection), routes, guard));
        // Read a waiting request before accepting the next connection.
        tokio::task::yield_now().await;
    }
}

/// Open connection, counted until dropped.
struct ConnectionGuard {
    address: IpAddr,
    id: u64,
    /// Signal to close.
    close_signal: Arc<Notify>,
    waiting: Arc<WaitingConnections>,
    counts: Arc<ConnectionCounts>,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.waiting.keep(self.address, self.id);
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers the requests of a connection until it ends, is displaced, or becomes a stream.
async fn serve(
    http: http1::Builder,
    connection: Pin<Box<TimeoutWriter<TcpStream>>>,
    routes: TowerToHyperService<Router>,
    guard: ConnectionGuard,
) {
    let guard = Arc::new(guard);
    let stream = Arc::new(Mutex::new(None));
    let service = {
        let (guard, stream) = (guard.clone(), stream.clone());
        service_fn(move |mut request: hyper::Request<Incoming>| {
            guard.waiting.keep(guard.address, guard.id);
            request.extensions_mut().insert(PeerAddress(guard.address));
            let (is_get, stream, guard) = (request.method() == Method::GET, stream.clone(), guard.clone());
            let answer = routes.call(request);
            async move {
                let mut answer = answer.await.unwrap_or_else(|never| match never {});
                match answer.extensions_mut().remove::<LiveStream>().filter(|_| is_get) {
                    None => {
                        // A body of unknown length is a stream.
                        if answer.body().size_hint().exact().is_some() {
                            guard.waiting.set_idle(guard.address, guard.id, &guard.close_signal);
                        }
                        Ok(answer)
                    }
                    Some(live) => {
                        *stream.lock().unwrap_or_else(PoisonError::into_inner) = Some((head(&answer), live));
                        // hyper returns a connection without an answer only if the service fails.
                        Err(io::Error::from(io::ErrorKind::Interrupted))
                    }
                }
            }
        })
    };
    let mut connection = http.serve_connection(TokioIo::new(connection), service);
    tokio::select! {
        // Ignore errors: viewers may leave in the middle of an answer.
        _ = &mut connection => {}
        () = guard.close_signal.notified() => return,
    }
    let taken = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((head, live)) = taken {
        let connection = connection.into_parts().io.into_inner();
        // Spawn a small task: this one includes the state of request handling.
        tokio::spawn(async move {
            let _ = live.send(head, connection).await;
            drop(guard);
        });
    }
}

/// Returns the head of an answer that ends with the connection.
fn head(answer: &Response) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {}\r\n", answer.status()).into_bytes();
    let others = answer.headers().iter().filter(|(name, _)| *name != header::CONTENT_LENGTH);
    for (name, value) in others {
        head.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    head.extend(b"connection: close\r\n\r\n");
    head
}

fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpSocket;
    use tokio::task::JoinHandle;

    use super::*;

    async fn say(from: u8, to: SocketAddr, text: &str) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::new(127, 0, 0, from), 0).into())?;
        let mut stream = socket.connect(to).await?;
        stream.write_all(text.as_bytes()).await?;
        Ok(stream)
    }

    async fn answer(from: u8, to: SocketAddr) -> String {
        let asked = async {
            let mut stream = say(from, to, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await?;
            let mut text = String::new();
            stream.read_to_string(&mut text).await?;
            io::Result::Ok(text)
        };
        tokio::time::timeout(Duration::from_secs(2), asked).await.expect("an answer at once").expect("an answer")
    }

    /// Listens with a page that has this content. Returns the address, the counts, and the task.
    async fn open(body: Vec<u8>, limits: Limits) -> (SocketAddr, Arc<ConnectionCounts>, JoinHandle<()>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let (address, counts) = (listener.local_addr().unwrap(), Arc::new(ConnectionCounts::default()));
        let routes = Router::new().route("/", get(|| async { body }));
        (address, counts.clone(), tokio::spawn(listen(listener, routes, limits, counts)))
    }

    #[tokio::test]
    async fn idle_connections_of_one_address_do_not_block_others() {
        let ours = IpAddr::from([127, 0, 0, 1]);
        for trusted_proxies in [vec![], vec![ours]] {
            let (address, counts, listening) =
                open(b"served".into(), Limits { connections: 256, trusted_proxies }).await;
            let mut half_open = VecDeque::new();
            for round in 0..8 {
                // Connect again after displacement.
                for _ in 0..300 {
                    half_open.extend(say(2, address, "GET / HTTP/1.1\r\nHost: x\r\n").await);
                    half_open.truncate(300);
                }
                let text = answer(1, address).await;
                assert!(text.starts_with("HTTP/1.1 200"), "{round}: {text}");
            }
            assert_eq!(counts.refused.load(Ordering::Relaxed), 0);
            assert!(counts.open.load(Ordering::Relaxed) <= 256 + 1);
            listening.abort();
        }
    }

    #[tokio::test]
    async fn connections_that_asked_once_do_not_block_others() {
        let (address, counts, listening) =
            open(b"served".into(), Limits { connections: 64, trusted_proxies: vec![] }).await;
        let mut idle = Vec::new();
        for _ in 0..64 {
            let mut stream = say(2, address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
            assert!(stream.read(&mut [0; 1024]).await.unwrap() > 0);
            idle.push(stream);
        }
        for _ in 0..8 {
            assert!(answer(1, address).await.starts_with("HTTP/1.1 200"));
        }
        assert_eq!(counts.refused.load(Ordering::Relaxed), 0);
        listening.abort();
    }

    #[tokio::test]
    async fn viewer_that_takes_nothing_is_closed() {
        // More than the buffers of both sides hold.
        let body = vec![b'x'; 16 << 20];
        let (address, counts, listening) = open(body, Limits { connections: 64, trusted_proxies: vec![] }).await;
        let mut viewer = say(1, address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        assert!(viewer.read(&mut [0; 64]).await.unwrap() > 0);
        // From now on the clock goes to the next timer as soon as nothing else happens.
        tokio::time::pause();
        let began = Instant::now();
        while counts.open.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(began.elapsed() < 2 * WRITE_TIMEOUT, "the connection stays open");
        }
        assert!(began.elapsed() >= WRITE_TIMEOUT - Duration::from_secs(1));
        listening.abort();
    }

    #[tokio::test]
    async fn idle_connection_gives_way_before_young_half_open_one() {
        let (waiting, counts) = (WaitingConnections::default(), ConnectionCounts::default());
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        let is_closed =
            async |close_signal: &Notify| tokio::time::timeout(Duration::ZERO, close_signal.notified()).await.is_ok();
        let add_idle = |last: u8| {
            let (id, close_signal) = waiting.admit(address(last), false, &counts);
            waiting.keep(address(last), id);
            waiting.set_idle(address(last), id, &close_signal);
            close_signal
        };
        let (_, half_open) = waiting.admit(address(1), false, &counts);
        let idle = add_idle(2);
        assert!(waiting.make_room(&counts) && is_closed(&idle).await && !is_closed(&half_open).await);
        waiting.half_open.lock().unwrap().get_mut(&address(1)).unwrap()[0].1 -= HALF_OPEN_GRACE;
        let idle = add_idle(2);
        assert!(waiting.make_room(&counts) && is_closed(&half_open).await && !is_closed(&idle).await);
    }
}
