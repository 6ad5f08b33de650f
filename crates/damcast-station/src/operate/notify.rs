//! Messages to the service manager: the protocol of `sd_notify`, a datagram of lines `KEY=value`.
//!
//! | message | sent |
//! |---|---|
//! | `READY=1` | when every line is open or has failed to open |
//! | `STATUS=...` | when the line for `systemctl status` changes |
//! | `WATCHDOG=1` | while no task is stalled |
//! | `RELOADING=1`, `MONOTONIC_USEC=...` | when a reload of the configuration starts; `READY=1` ends it |
//! | `EXTEND_TIMEOUT_USEC=...` | while lines are being opened |
//! | `STOPPING=1` | when the station stops |
//!
//! The socket does not block, so a manager never delays the recording; callers repeat messages that were not accepted. This is own code
//! because the `sd_notify` crates do not support abstract addresses (`@name`), which managers of some containers use.
//!
//! Source: sd_notify(3), sd_watchdog_enabled(3), systemd 252.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// Connection to the service manager, if there is one.
pub struct ServiceManager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    watchdog: Option<Duration>,
}

impl ServiceManager {
    /// Connects to the manager in the environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`.
    ///
    /// # Errors
    ///
    /// Returns the reason if a value is invalid.
    pub fn from_env() -> Result<ServiceManager, String> {
        let Some(name) = env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Ok(ServiceManager::absent());
        };
        let socket = open(&name).map_err(|error| format!("NOTIFY_SOCKET={}: {error}", name.display()))?;
        let is_ours = env::var("WATCHDOG_PID").map_or(true, |pid| pid == std::process::id().to_string());
        let microseconds = env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok()).filter(|_| is_ours);
        let watchdog = microseconds.filter(|&microseconds| microseconds > 0).map(Duration::from_micros);
        Ok(ServiceManager { socket: Some(socket), watchdog })
    }

    /// Creates a connection without a manager.
    pub fn absent() -> ServiceManager {
        ServiceManager { socket: None, watchdog: None }
    }

    /// Returns the time without `WATCHDOG=1` after which the manager ends this process.
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// Sends lines in one message. Returns whether it was accepted, always true without a manager.
    pub fn send(&self, lines: &[&str]) -> bool {
        let Some((socket, address)) = &self.socket else { return true };
        let message = lines.join("\n");
        socket.send_to_addr(message.as_bytes(), address).is_ok()
    }

    /// Reports a reload of the configuration, with the current time as the protocol requires.
    pub fn send_reloading(&self) -> bool {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let microseconds = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000;
        self.send(&["RELOADING=1", &format!("MONOTONIC_USEC={microseconds}")])
    }
}

/// Opens a path, or an abstract name after `@`.
fn open(name: &OsStr) -> io::Result<(UnixDatagram, SocketAddr)> {
    let address = match name.as_bytes().split_first() {
        Some((b'@', rest)) => SocketAddr::from_abstract_name(rest)?,
        _ => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    Ok((socket, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaches_path_and_abstract_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let abstract_name = format!("damcast-test-{}", std::process::id());
        let abstract_address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        for (listener, name) in [
            (UnixDatagram::bind(&path).unwrap(), path.display().to_string()),
            (UnixDatagram::bind_addr(&abstract_address).unwrap(), format!("@{abstract_name}")),
        ] {
            let manager = ServiceManager { socket: Some(open(name.as_ref()).unwrap()), watchdog: None };
            assert!(manager.send(&["READY=1", "STATUS=2 boards"]));
            let mut heard = [0; 64];
            let count = listener.recv(&mut heard).unwrap();
            assert_eq!(&heard[..count], b"READY=1\nSTATUS=2 boards");
            // Fills the socket's buffer: sending never blocks.
            while manager.send(&["WATCHDOG=1"]) {}
        }
    }
}
