//! The terminal as a page that is drawn in place, on the alternate screen: what stood there before comes back afterwards.
//!
//! Where standard output is no terminal nothing of this happens.

use std::io::{self, IsTerminal};

use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::tcgetwinsize;
use tokio::signal::unix::{self, SignalKind, signal};

use super::output;

/// The alternate screen, without a cursor, lines cut at its right edge; and what was before.
const ENTER_SEQUENCE: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE_SEQUENCE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// The size of a terminal that does not tell its own.
const DEFAULT_SIZE: [usize; 2] = [80, 24];

/// A terminal. It is put back as it was when this is dropped.
pub struct Screen {
    is_terminal: bool,
    is_entered: bool,
}

impl Screen {
    /// Standard output, not drawn on yet.
    pub fn standard() -> Screen {
        Screen { is_terminal: io::stdout().is_terminal(), is_entered: false }
    }

    /// Is it a terminal?
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Its columns, if it is a terminal.
    pub fn width(&self) -> Option<usize> {
        self.is_terminal.then(|| size()[0])
    }

    /// Draws a page that is made for so many columns and rows.
    ///
    /// # Errors
    ///
    /// When nothing can be written to the terminal.
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
            // No line ends the last row: that would move all others up.
            text += if drawn > 0 { "\r\n" } else { "" };
            drawn += 1;
            // Erased first: behind a line that fills its row that would take its last letter.
            text += &format!("\x1b[2K{line}");
        }
        // The row below is the first that is none of the page; in the last row there is nothing below.
        text += if drawn < rows { "\r\n\x1b[J" } else { "" };
        output::write_control(&text)
    }

    /// Stops this process until the shell lets it go on, as Ctrl-Z wants; the terminal is the shell's meanwhile.
    pub fn pause(&mut self) {
        self.leave();
        let _ = kill_process(getpid(), Signal::STOP);
    }

    /// Puts the terminal back as it was.
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
    let told = tcgetwinsize(io::stdout()).map(|told| [told.ws_col, told.ws_row].map(usize::from));
    let told = told.unwrap_or(DEFAULT_SIZE);
    [0, 1].map(|at| if told[at] == 0 { DEFAULT_SIZE[at] } else { told[at] })
}

/// What the person at the terminal wants of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScreenCommand {
    /// It is to be drawn anew: the terminal has another size, or was used for something else.
    Draw,
    /// It is to end.
    End,
    /// It is to wait in the background.
    Pause,
}

/// The signals that a terminal sends, and a service manager.
pub struct TerminalSignals {
    end: [unix::Signal; 3],
    resized: unix::Signal,
    pause: unix::Signal,
}

impl TerminalSignals {
    /// Listens from now on.
    ///
    /// # Errors
    ///
    /// When the system does not let it.
    pub fn listen() -> io::Result<TerminalSignals> {
        let end = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = end.map(signal);
        Ok(TerminalSignals {
            end: [interrupt?, terminate?, hangup?],
            resized: signal(SignalKind::window_change())?,
            pause: signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?,
        })
    }

    /// The next one.
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
