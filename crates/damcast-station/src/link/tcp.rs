//! TCP connection to a serial port behind a network.
//!
//! If a remote device loses power, or a cable between two switches is unplugged, the local socket stays open for ever. So keepalive
//! probes are sent after some seconds of silence, and unacknowledged data closes the connection:
//!
//! ```text
//!   last byte ── 5 s ──▸ probe ── 2 s ──▸ probe ── 2 s ──▸ probe ── 2 s ──▸ the connection is gone: after 11 s
//!   command sent, not acknowledged ────────────────── 10 s ───────────────▸ the connection is gone
//! ```
//!
//! The core detects a device that acknowledges but forwards nothing, by polling the board.

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::address::Host;

/// Longest time to connect; a device in the same building answers at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Silence before the first keepalive probe.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(5);
/// Interval between two probes.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
/// Unanswered probes after which the connection counts as gone.
const KEEPALIVE_PROBES: u32 = 3;
/// Longest time without an acknowledgement before the connection counts as gone.
const USER_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to a host.
///
/// # Errors
///
/// Returns the reason, with a remedy if there is one.
pub async fn connect(host: &Host) -> Result<TcpStream, String> {
    let connecting = TcpStream::connect((host.name.as_str(), host.port));
    let stream = match timeout(CONNECT_TIMEOUT, connecting).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(explain(&error)),
        Err(_) => return Err(format!("{host} does not answer; is the box switched on and on this network?")),
    };
    prepare(&stream).map_err(|error| format!("{host}: the socket cannot be set up: {error}"))?;
    Ok(stream)
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    // A command of one byte must not wait for more.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    socket.set_tcp_keepalive(
        &TcpKeepalive::new().with_time(KEEPALIVE_IDLE).with_interval(KEEPALIVE_INTERVAL).with_retries(KEEPALIVE_PROBES),
    )?;
    socket.set_tcp_user_timeout(Some(USER_TIMEOUT))
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there; is the port of the box the right one?".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "not permitted; may the service that runs damcast use the network (IPAddressAllow)?".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    fn host(port: u16) -> Host {
        Host { name: "127.0.0.1".to_owned(), port }
    }

    #[tokio::test]
    async fn half_open_connection_is_noticed_within_15_seconds() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = connect(&host(listener.local_addr().unwrap().port())).await.unwrap();
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().unwrap() && stream.nodelay().unwrap());
        let idle = socket.tcp_keepalive_time().unwrap()
            + socket.tcp_keepalive_interval().unwrap() * socket.tcp_keepalive_retries().unwrap();
        assert!(idle <= Duration::from_secs(15), "{idle:?}");
        assert!(socket.tcp_user_timeout().unwrap().is_some_and(|span| span <= Duration::from_secs(15)));
    }

    #[tokio::test]
    async fn missing_peer_is_reported() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        assert!(connect(&host(port)).await.is_err_and(|error| error.contains("nothing listens there")));
    }
}
