//! Simulated boards of the program `boardsim`, for tests that only need their ports.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::pty::wait_until;

/// Wiring of the boards.
#[derive(Clone, Copy)]
pub enum Kind {
    /// This many boards, each at its own port.
    Single(u16),
    /// This many boards on one wire.
    Bus(u16),
}

/// Boards that are served until this is dropped.
pub struct Boards {
    child: Child,
    folder: PathBuf,
}

impl Boards {
    /// Serves boards in a folder, and waits for their ports.
    pub fn serve(folder: &Path, kind: Kind) -> Boards {
        Boards::serve_at_speed(folder, kind, 1)
    }

    /// Serves boards that play faster than people.
    pub fn serve_at_speed(folder: &Path, kind: Kind, speed: u32) -> Boards {
        let (option, count, name) = match kind {
            Kind::Single(count) => ("--single", count, format!("board-{count}")),
            Kind::Bus(count) => ("--bus", count, "bus".to_owned()),
        };
        let child = Command::new(env!("CARGO_BIN_EXE_boardsim"))
            .args(["serve", option, &count.to_string(), "--ports", &folder.display().to_string()])
            .args(["--speed", &speed.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let boards = Boards { child, folder: folder.to_owned() };
        wait_until("the ports of the simulated boards", || folder.join(&name).exists());
        boards
    }

    /// Returns the port of a board.
    pub fn port(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
