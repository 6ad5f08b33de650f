//! Simulated board on a pseudo-terminal: a real tty for programs that read boards.
//!
//! Requirements on a pty that acts as a serial port:
//!
//! - the slave is made raw *before* its name is published, else it echoes frames back and maps CR and LF;
//! - one descriptor of the slave stays open here, else the master reads EIO while no process has it open;
//! - nothing is sent before the reader's first command, else it finds old bytes on opening;
//! - a pty ignores the baud rate: the simulated cable paces the bytes;
//! - its number changes at every start: the symlink is the stable name.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hardware_sim::world::World;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Pseudo-terminal with a symlink.
#[derive(Debug)]
pub struct Port {
    pty: Pty,
    link: PathBuf,
}

/// Pseudo-terminal without a symlink.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
    /// Kept open so that the port survives its readers.
    _slave: OwnedFd,
    name: PathBuf,
}

impl Pty {
    /// Opens a pty and makes it raw.
    ///
    /// # Errors
    ///
    /// Returns an error if no pty is available.
    pub fn open() -> io::Result<Pty> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let slave = rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
        let mut attributes = tcgetattr(&slave)?;
        attributes.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &attributes)?;
        rustix::io::ioctl_fionbio(&master, true)?;
        let name = name.to_str().map_err(io::Error::other)?.into();
        Ok(Pty { master, _slave: slave, name })
    }

    /// Publishes the pty under the symlink `link`, replacing an existing symlink.
    ///
    /// # Errors
    ///
    /// Returns an error if `link` cannot be written or is something other than a symlink.
    pub fn publish(self, link: &Path) -> io::Result<Port> {
        if let Ok(there) = fs::symlink_metadata(link)
            && !there.is_symlink()
        {
            let message = format!("{} exists and is not a symlink", link.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        let fresh = link.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::remove_file(&fresh);
        std::os::unix::fs::symlink(&self.name, &fresh)?;
        fs::rename(&fresh, link)?;
        Ok(Port { pty: self, link: link.to_owned() })
    }
}

impl Port {
    /// Opens a pty and publishes it under the symlink `link`, replacing an existing symlink.
    ///
    /// # Errors
    ///
    /// Returns an error if no pty is available, or if `link` cannot be written or is something other than a symlink.
    pub fn open(link: &Path) -> io::Result<Port> {
        Pty::open()?.publish(link)
    }

    /// Waits up to `wait` for bytes from the reader; empty: none arrived.
    pub(super) fn read(&self, wait: Duration) -> io::Result<Vec<u8>> {
        wait_for(&self.pty.master, wait)?;
        let mut buffer = [0; 256];
        match rustix::io::read(&self.pty.master, &mut buffer) {
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends bytes. If the reader does not read and the buffer is full, bytes are lost, as on a wire.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match rustix::io::write(&self.pty.master, bytes) {
            Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // Another board may have been plugged in under this name.
        if fs::read_link(&self.link).is_ok_and(|target| target == self.pty.name) {
            let _ = fs::remove_file(&self.link);
        }
    }
}

/// Runs a world on a port, at `speed` times real time, from the reader's first command on. Ends when `stop` returns `true`; `stop` is
/// called several times a second.
///
/// # Errors
///
/// Returns an error if the port breaks.
pub fn play(world: &mut World, port: &Port, speed: f64, mut stop: impl FnMut(&World) -> bool) -> io::Result<()> {
    const MAX_WAIT: Duration = Duration::from_millis(100);
    let mut started_at: Option<Instant> = None;
    loop {
        if stop(world) {
            return Ok(());
        }
        let now = |started_at: Instant| (started_at.elapsed().as_secs_f64() * 1000.0 * speed) as u64;
        let mut wait = MAX_WAIT;
        if let Some(started_at) = started_at {
            for (_, bytes) in world.advance(now(started_at)) {
                port.write(&bytes)?;
            }
            if let Some(next) = world.next_time() {
                let until = next.saturating_sub(now(started_at)) as f64 / speed / 1000.0;
                wait = wait.min(Duration::from_secs_f64(until));
            }
        }
        let heard = port.read(wait)?;
        if !heard.is_empty() {
            let started_at = *started_at.get_or_insert_with(Instant::now);
            let at = now(started_at);
            for (_, bytes) in world.advance(at) {
                port.write(&bytes)?;
            }
            world.receive(at, &heard);
        }
    }
}

pub(super) fn wait_for(descriptor: &impl std::os::fd::AsFd, wait: Duration) -> io::Result<()> {
    let wait = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) };
    match poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&wait)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
