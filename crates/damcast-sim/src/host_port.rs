//! Port through which a host reaches simulated boards: a pseudo-terminal, or a TCP port like that of a serial server.
//!
//! A TCP port carries the raw bytes. It accepts one host at a time; another host waits until the first has disconnected, as with real
//! serial servers.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::port::{Port, Pty, wait_for};

/// Address of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Symlink to a pseudo-terminal.
    Link(PathBuf),
    /// TCP port of this machine; 0: any free port.
    Tcp(u16),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Link(link) => write!(f, "{}", link.display()),
            Address::Tcp(port) => write!(f, "tcp://{}:{port}", Ipv4Addr::LOCALHOST),
        }
    }
}

/// Port, plugged or unplugged.
#[derive(Debug)]
pub struct HostPort {
    address: Address,
    state: PortState,
}

#[derive(Debug)]
enum PortState {
    Link(Port),
    Tcp {
        listener: TcpListener,
        host: Option<TcpStream>,
    },
    /// Unplugged. The next pty is opened in advance, so that its number differs from that of the last one.
    Closed(Option<Pty>),
}

impl HostPort {
    /// Opens a port.
    ///
    /// # Errors
    ///
    /// Returns an error if no pty is available, the link cannot be written, or the TCP port is taken; says which.
    pub fn open(address: Address) -> io::Result<HostPort> {
        let pty = matches!(address, Address::Link(_)).then(Pty::open).transpose()?;
        let mut host_port = HostPort { address, state: PortState::Closed(pty) };
        host_port.plug(None)?;
        Ok(host_port)
    }

    /// Returns the current address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether a host can connect.
    pub fn is_open(&self) -> bool {
        !matches!(self.state, PortState::Closed(_))
    }

    /// Unplugs the port: it vanishes.
    ///
    /// # Errors
    ///
    /// Returns an error if the next pty cannot be opened.
    pub fn unplug(&mut self) -> io::Result<()> {
        let next = matches!(self.address, Address::Link(_)).then(Pty::open).transpose()?;
        self.state = PortState::Closed(next);
        Ok(())
    }

    /// Plugs the port in again, optionally under another name: that of a link in the same folder, or a TCP port number.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`HostPort::open`].
    pub fn plug(&mut self, name: Option<&str>) -> io::Result<()> {
        let PortState::Closed(next) = &mut self.state else { return Ok(()) };
        match (&mut self.address, name) {
            (Address::Link(link), Some(name)) => *link = link.parent().unwrap_or(Path::new("")).join(name),
            (Address::Tcp(port), Some(name)) => *port = name.parse().map_err(io::Error::other)?,
            (_, None) => {}
        }
        self.state = match &mut self.address {
            Address::Link(link) => PortState::Link(next.take().map_or_else(Pty::open, Ok)?.publish(link)?),
            Address::Tcp(port) => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port))?;
                listener.set_nonblocking(true)?;
                *port = listener.local_addr()?.port();
                PortState::Tcp { listener, host: None }
            }
        };
        Ok(())
    }

    /// Waits up to `wait` for bytes of a host; empty: none arrived.
    ///
    /// # Errors
    ///
    /// Returns an error if the port breaks; a host that disconnects is no error.
    pub fn read(&mut self, wait: Duration) -> io::Result<Vec<u8>> {
        match &mut self.state {
            PortState::Closed(_) => {
                std::thread::sleep(wait);
                Ok(Vec::new())
            }
            PortState::Link(port) => port.read(wait),
            PortState::Tcp { listener, host } => {
                match host {
                    Some(host) => wait_for(host, wait)?,
                    None => wait_for(listener, wait)?,
                }
                if host.is_none()
                    && let Ok((stream, _)) = listener.accept()
                {
                    stream.set_nonblocking(true)?;
                    stream.set_nodelay(true)?;
                    *host = Some(stream);
                }
                Ok(host.as_mut().map_or(Some(Vec::new()), read_pending).unwrap_or_else(|| {
                    *host = None;
                    Vec::new()
                }))
            }
        }
    }

    /// Sends bytes. If the host does not read and the buffer is full, bytes are lost, as on a wire.
    ///
    /// # Errors
    ///
    /// Returns an error if the port breaks; a host that disconnects is no error.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.state {
            PortState::Closed(_) => Ok(()),
            PortState::Link(port) => port.write(bytes),
            PortState::Tcp { host, .. } => {
                let gone =
                    |error: &io::Error| !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted);
                if host.as_mut().is_some_and(|host| host.write(bytes).is_err_and(|error| gone(&error))) {
                    *host = None;
                }
                Ok(())
            }
        }
    }
}

/// Reads the bytes that a host has sent; `None` after it disconnected.
fn read_pending(host: &mut TcpStream) -> Option<Vec<u8>> {
    let mut buffer = [0; 256];
    match host.read(&mut buffer) {
        Ok(0) => None,
        Ok(count) => Some(buffer[..count].to_vec()),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Some(Vec::new())
        }
        Err(_) => None,
    }
}
