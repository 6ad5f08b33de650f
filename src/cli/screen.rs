//! Page drawn in place on the terminal's alternate screen; leaving it restores the previous contents.
//!
//! Without a terminal on standard output nothing is drawn.

use std::io::{self, IsTerminal};

use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::tcgetwinsize;
use tokio::signal::unix::{self, SignalKind, signal};

use super::output;

/// Enters the alternate screen, hides the cursor, turns off line wrapping; and the reverse.
const ENTER_SEQUENCE: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE_SEQUENCE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// Columns and rows of a terminal that reports no size.
const DEFAULT_SIZE: [usize; 2] = [80, 24];

/// Terminal, restored when dropped.
pub struct Screen {
    is_terminal: bool,
    is_entered: bool,
}

impl Screen {
    /// Returns the standard output, not drawn on yet.
    pub fn standard() -> Screen {
        Screen { is_terminal: io::stdout().is_terminal(), is_entered: false }
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Returns the columns of the terminal, if there is one.
    pub fn width(&self) -> Option<usize> {
        self.is_terminal.then(|| size()[0])
    }

    /// Draws a page; `page` receives columns and rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the terminal cannot be written.
    pub fn draw(&mut self, page: impl FnOnce(usize, usize) -> Vec<String>) -> io::Result<()> {
        if !self.is_terminal {
            return Ok(());
        }
        let [columns, rows] = size();
        let mut text = if self.is_entered { String::new() } else { ENTER_SEQUENCE.to_owned() };
        self.is_entered = true;
        text += "\x1b[H";
        let mut drawn = 0;
        for line in page(columns, rows).into_iter().take(rows) {
            // A newline in the last row would scroll the screen.
            text += if drawn > 0 { "\r\n" } else { "" };
            drawn += 1;
            // Erase first: after a line that fills its row, erasing would remove its last character.
            text += &format!("\x1b[2K{line}");
        }
        // Erase everything below the page; there is nothing below the last row.
        text += if drawn < rows { "\r\n\x1b[J" } else { "" };
        output::write_control(&text)
    }

    /// Leaves the screen and stops this process until the shell continues it, as for Ctrl-Z.
    pub fn pause(&mut self) {
        self.leave();
        let _ = kill_process(getpid(), Signal::STOP);
    }

    /// Restores the terminal.
    pub fn leave(&mut self) {
        if std::mem::take(&mut self.is_entered) {
            let _ = output::write_control(LEAVE_SEQUENCE);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

fn size() -> [usize; 2] {
    let size = tcgetwinsize(io::stdout()).map(|size| [size.ws_col, size.ws_row].map(usize::from));
    let size = size.unwrap_or(DEFAULT_SIZE);
    [0, 1].map(|at| if size[at] == 0 { DEFAULT_SIZE[at] } else { size[at] })
}

/// Command from the terminal or the service manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScreenCommand {
    /// Redraw: the terminal was resized or used by another program.
    Draw,
    /// End the program.
    End,
    /// Stop in the background.
    Pause,
}

/// Signals from a terminal or a service manager.
pub struct TerminalSignals {
    end: [unix::Signal; 3],
    resized: unix::Signal,
    pause: unix::Signal,
}

impl TerminalSignals {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// Returns any error of the system.
    pub fn listen() -> io::Result<TerminalSignals> {
        let end = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = end.map(signal);
        Ok(TerminalSignals {
            end: [interrupt?, terminate?, hangup?],
            resized: signal(SignalKind::window_change())?,
            pause: signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> ScreenCommand {
        let [interrupt, terminate, hangup] = &mut self.end;
        tokio::select! {
            _ = interrupt.recv() => ScreenCommand::End,
            _ = terminate.recv() => ScreenCommand::End,
            _ = hangup.recv() => ScreenCommand::End,
            _ = self.resized.recv() => ScreenCommand::Draw,
            _ = self.pause.recv() => ScreenCommand::Pause,
        }
    }
}
