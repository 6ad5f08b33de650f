//! Connection to an RFC 2217 server: the codec with its socket.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::address::Host;
use super::rfc2217::Rfc2217;
use super::tcp;

/// Longest time for a server to set up its port; others do not support RFC 2217.
const SETUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of board bytes buffered during the setup: more than a board sends in that time.
const MAX_EARLY_BYTES: usize = 16 << 10;
/// Maximum number of bytes per read.
const READ_SIZE: usize = 1024;

/// Connection whose port is set up.
pub struct Telnet {
    stream: TcpStream,
    codec: Rfc2217,
    /// Bytes for the server that are not sent yet.
    outgoing: Vec<u8>,
    /// Bytes of the board that arrived during the setup.
    incoming: Vec<u8>,
}

impl Telnet {
    /// Connects and sets up the port.
    ///
    /// # Errors
    ///
    /// Returns the reason, with a remedy if there is one.
    pub async fn connect(host: &Host, baud: u32) -> Result<Telnet, String> {
        let stream = tcp::connect(host).await?;
        let mut telnet = Telnet { stream, codec: Rfc2217::new(baud), outgoing: Vec::new(), incoming: Vec::new() };
        match timeout(SETUP_TIMEOUT, telnet.set_up()).await {
            Ok(Ok(())) => Ok(telnet),
            Ok(Err(reason)) => Err(reason),
            Err(_) => Err("the server does not set up its port; does it speak RFC 2217? If not, use tcp://".to_owned()),
        }
    }

    async fn set_up(&mut self) -> Result<(), String> {
        while !self.codec.is_ready().map_err(|refusal| refusal.to_string())? {
            match self.exchange().await {
                Ok(_) if self.incoming.len() > MAX_EARLY_BYTES => {
                    return Err("bytes come but no RFC 2217; is this a raw port? If so, use tcp://".to_owned());
                }
                Ok(0) => return Err("the server closed the connection; is its port in use?".to_owned()),
                Ok(_) => {}
                Err(error) => return Err(format!("setting up the port: {error}")),
            }
        }
        Ok(())
    }

    /// Reads bytes of the board. Cancel safe.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection is broken.
    pub async fn read(&mut self) -> io::Result<Vec<u8>> {
        while self.incoming.is_empty() {
            if self.exchange().await? == 0 {
                return Ok(Vec::new());
            }
        }
        Ok(std::mem::take(&mut self.incoming))
    }

    /// Sends bytes to the board.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection is broken.
    pub async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.outgoing.extend(self.codec.take_replies());
        self.outgoing.extend(Rfc2217::encode(bytes));
        self.send().await
    }

    /// Sends pending bytes, then reads. Returns the number of network bytes read.
    async fn exchange(&mut self) -> io::Result<usize> {
        // Send replies first: from a server that requests but never reads, nothing is read, so the buffer stays bounded.
        self.outgoing.extend(self.codec.take_replies());
        self.send().await?;
        let mut bytes = [0; READ_SIZE];
        let count = self.stream.read(&mut bytes).await?;
        self.codec.decode(bytes.get(..count).unwrap_or_default(), &mut self.incoming);
        Ok(count)
    }

    async fn send(&mut self) -> io::Result<()> {
        while !self.outgoing.is_empty() {
            let count = self.stream.write(&self.outgoing).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.outgoing.drain(..count.min(self.outgoing.len()));
        }
        Ok(())
    }
}
