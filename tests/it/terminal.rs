//! Output at a terminal: pages that fit it, drawn in place, and a terminal that is restored afterwards.
//!
//! The program runs at a pseudo-terminal; a terminal emulator in memory draws its output.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::control::run_ctl;
use crate::daemon::{SPEED, StationFolder, moves, recording};
use crate::program::assert_contains;
use crate::pty::{Board, Pty, wait_until};

/// A terminal with a program in it.
pub struct Terminal {
    master: File,
    child: Child,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    /// Opens a terminal of this size with earlier output in it.
    fn open(columns: u16, rows: u16, arguments: &[&str]) -> Terminal {
        Terminal::open_in(Path::new("."), columns, rows, arguments)
    }

    /// Opens a terminal of this size in a folder, with earlier output in it.
    pub fn open_in(folder: &Path, columns: u16, rows: u16, arguments: &[&str]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, size(columns, rows)).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = || File::options().read(true).write(true).open(&name).unwrap();
        let mut command = Command::new("setsid");
        // It is the controlling terminal of the program, so that keys and sizes become signals.
        command.args(["--ctty", "/bin/sh", "-c", "echo what was there before; exec \"$0\" \"$@\""]);
        command.arg(env!("CARGO_BIN_EXE_damcast")).args(arguments).current_dir(folder).env("TERM", "xterm-256color");
        command.env_remove("NOTIFY_SOCKET").env_remove("RUNTIME_DIRECTORY");
        let child = command.stdin(slave()).stdout(slave()).stderr(slave()).spawn().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(columns), 1000)));
        let (drawn, mut output) = (Arc::clone(&screen), File::from(rustix::io::dup(&master).unwrap()));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                match output.read(&mut bytes) {
                    Ok(count) if count > 0 => drawn.lock().unwrap().process(&bytes[..count]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    // The other end is closed.
                    _ => return,
                }
            }
        });
        Terminal { master: master.into(), child, screen }
    }

    /// Changes the size, as dragging the window's corner does.
    fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(cells(rows), cells(columns));
        tcsetwinsize(&self.master, size(columns, rows)).unwrap();
    }

    pub fn press(&mut self, key: u8) {
        self.master.write_all(&[key]).unwrap();
    }

    /// Returns the rows on the screen.
    pub fn rows(&self) -> Vec<String> {
        let parser = self.screen.lock().unwrap();
        let (_, columns) = parser.screen().size();
        parser.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
    }

    fn is_page(&self) -> bool {
        self.screen.lock().unwrap().screen().alternate_screen()
    }

    #[track_caller]
    fn wait_for(&self, condition: &str, is_so: impl Fn(&[String]) -> bool) -> Vec<String> {
        wait_until(&format!("{condition}; the screen:\n{}", self.rows().join("\n")), || {
            self.is_page() && is_so(&self.rows())
        });
        self.rows()
    }

    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the end of the program", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        // Waits for output that is still on its way.
        let mut before = Vec::new();
        wait_until("the last line", || {
            let now = self.rows();
            std::mem::replace(&mut before, now) == self.rows() && !self.is_page()
        });
        status.unwrap()
    }

    /// Returns all text above the prompt after the program has ended.
    fn text_after_exit(&self) -> Vec<String> {
        let mut parser = self.screen.lock().unwrap();
        assert!(!parser.screen().hide_cursor(), "the cursor is back");
        parser.screen_mut().set_scrollback(1000);
        let scrolled = parser.screen().scrollback();
        let (rows, columns) = parser.screen().size();
        let mut lines = Vec::new();
        for offset in (0..=scrolled).rev() {
            parser.screen_mut().set_scrollback(offset);
            let visible: Vec<String> =
                parser.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect();
            if offset > 0 { lines.extend(visible.into_iter().take(1)) } else { lines.extend(visible) }
        }
        assert!(lines.len() >= usize::from(rows.get()));
        lines
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.split_whitespace().any(|other| other == word)).count()
}

/// Asserts that the page is a table without broken rows: titles in the first row, and each of these boards once.
#[track_caller]
fn is_a_page_of(rows: &[String], boards: &[&str]) {
    assert!(rows[0].starts_with("board ") && rows[0].contains("state"), "{}", rows.join("\n"));
    for board in boards {
        let count = rows.iter().filter(|row| row.split_whitespace().next() == Some(board)).count();
        assert_eq!(count, 1, "{}", rows.join("\n"));
    }
}

const FOUR: [&str; 4] = ["board-1", "board-2", "board-3", "board-4"];

fn demo(columns: u16, rows: u16, folder: &Path) -> Terminal {
    let folder = folder.join("demo");
    Terminal::open(columns, rows, &["demo", "--speed", "100", "--dir", folder.to_str().unwrap()])
}

#[test]
fn demo_fits_and_restores_terminal() {
    for (columns, rows, key) in [(80, 24, true), (120, 40, false)] {
        let folder = tempfile::tempdir().unwrap();
        let mut terminal = demo(columns, rows, folder.path());
        let are_played = |rows: &[String]| count(rows, "playing") == 4;
        let page = terminal.wait_for("four games", are_played);
        is_a_page_of(&page, &FOUR);
        assert!(page.iter().any(|row| row.ends_with("Ctrl-C ends it")), "{}", page.join("\n"));
        if key {
            terminal.press(3);
        } else {
            kill_process(Pid::from_child(&terminal.child), Signal::TERM).unwrap();
        }
        assert!(terminal.ended().success());
        let lines = terminal.text_after_exit();
        assert_eq!(lines[0], "what was there before");
        let table = lines.iter().position(|line| line.starts_with("board ")).unwrap();
        is_a_page_of(&lines[table..], &FOUR);
        assert!(lines.iter().any(|line| line.starts_with("the games are in ")), "{}", lines.join("\n"));
        // No page was scrolled through the terminal.
        assert!(lines.iter().filter(|line| !line.is_empty()).count() < 14, "{}", lines.join("\n"));
    }
}

#[test]
fn resized_terminal_is_redrawn() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = demo(120, 40, folder.path());
    terminal.wait_for("four games", |rows| count(rows, "playing") == 4);
    assert!(terminal.rows()[0].contains("since"));
    terminal.resize(50, 10);
    let is_narrow =
        |rows: &[String]| rows[0].starts_with("board ") && !rows[0].contains("since") && !rows[0].contains("game");
    let page = terminal.wait_for("the narrow page", is_narrow);
    is_a_page_of(&page, &FOUR);
    // At each of these widths some table fills its rows to the last cell.
    for columns in 50..66 {
        terminal.resize(columns, 10);
        let is_drawn = |rows: &[String]| {
            let clocks =
                rows.iter().filter(|row| row.starts_with("board-")).filter_map(|row| row.split(' ').next_back());
            rows[0].ends_with("clocks") && clocks.filter(|clock| clock.len() == "1:20:00".len()).count() == 4
        };
        terminal.wait_for("whole clocks", is_drawn);
    }
    // Four rows are too few for four boards.
    terminal.resize(50, 5);
    let page = terminal.wait_for("the low page", |rows| rows.iter().any(|row| row.contains(" more: ")));
    is_a_page_of(&page, &FOUR[..1]);
    terminal.resize(80, 24);
    let page = terminal.wait_for("the wide page", |rows| rows[0].contains("since") && count(rows, "board-4") == 1);
    is_a_page_of(&page, &FOUR);
    terminal.press(3);
    assert!(terminal.ended().success());
}

#[test]
fn ctrl_z_releases_terminal_until_continue() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = demo(80, 24, folder.path());
    terminal.wait_for("four games", |rows| count(rows, "playing") == 4);
    let id = Pid::from_child(&terminal.child);
    kill_process(id, Signal::TSTP).unwrap();
    let state = || std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap();
    wait_until("the pause", || {
        state().rsplit(')').next().unwrap().trim_start().starts_with('T') && !terminal.is_page()
    });
    kill_process(id, Signal::CONT).unwrap();
    is_a_page_of(&terminal.wait_for("the page", |rows| count(rows, "board-4") == 1), &FOUR);
    terminal.press(3);
    assert!(terminal.ended().success());
}

/// Forty boards, two of them plugged in: boards in trouble come first, and one line counts the rest.
#[test]
fn status_of_hall_fits_small_terminal() {
    let names: Vec<String> = (1..=40).map(|number| format!("board-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = StationFolder::new(&names);
    let mut config = std::fs::read_to_string(place.path("damcast.toml")).unwrap();
    config =
        config.replacen("time-scale", "tags = { White = \"Sijbrands, T.\", Black = \"Wiersma, H.\" }\ntime-scale", 1);
    std::fs::write(place.path("damcast.toml"), config).unwrap();
    let mut pty = Pty::plug_in(&place.path("board-1"));
    let mut board = Board::new(&recording(), SPEED);
    let station = place.start();
    station.wait_for("waiting for the port");
    pty.wait_for_the_station();
    board.play(&mut pty, 400_000, || moves(&place.live("board-1-1.pdn")).len() >= 4);
    let config = place.path("damcast.toml");
    let arguments = ["status", "--watch", "--config", config.to_str().unwrap()];
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut terminal = Terminal::open(columns, rows, &arguments);
        let has_ending =
            |rows: &[String]| rows.iter().any(|row| row.starts_with("damcast ")) && rows[0].starts_with("board ");
        let page = terminal.wait_for("the page", has_ending);
        assert!(page[1].starts_with("board-2 "), "who is in trouble stands first:\n{}", page.join("\n"));
        assert!(
            page.iter().any(|row| row.starts_with("... ") && row.contains(" more: ") && row.contains("1 playing")),
            "{page:#?}"
        );
        assert!(page[0].contains("White") && page[0].contains("Black"), "{}", page[0]);
        terminal.press(3);
        assert!(terminal.ended().success());
        let lines = terminal.text_after_exit();
        let table = lines.iter().position(|line| line.starts_with("board ")).unwrap();
        is_a_page_of(&lines[table..], &names);
        assert_contains(lines.iter().find(|line| line.starts_with("board-1 ")).unwrap(), &["playing", "Sijbran"]);
    }
    // Without a terminal the whole table is printed in full width.
    let all = run_ctl(&place, &["status"]).out;
    assert!(all.lines().any(|line| line.contains("Sijbrands, T.  Wiersma, H.")), "{all}");
}

#[test]
fn ending_station_releases_terminal() {
    let place = StationFolder::new(&["a"]);
    let mut station = place.start();
    station.wait_for("waiting for the port");
    let mut terminal = Terminal::open(80, 24, &["status", "--watch", "--config", &place.config()]);
    terminal.wait_for("the page", |rows| count(rows, "a") == 1);
    assert!(station.signal(Signal::TERM).success());
    assert_eq!(terminal.ended().code(), Some(1));
    let lines = terminal.text_after_exit();
    assert!(lines.iter().any(|line| line == "damcast: the station has ended"), "{}", lines.join("\n"));
}

/// The login link is for the terminal, and Enter makes another one. The QR code of the pages is drawn, not escaped.
#[test]
fn start_shows_login_link_at_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(80, 40, &["start", "--directory", &folder.path().display().to_string()]);
    let with = |rows: &[String], words: &str| rows.iter().filter(|row| row.contains(words)).count();
    wait_until("a login link", || with(&terminal.rows(), "Ctrl-C ends") == 1);
    let rows = terminal.rows();
    assert_eq!(
        (with(&rows, "pages http://"), with(&rows, "desk http://127.0.0.1:"), with(&rows, "/?code=")),
        (1, 1, 1)
    );
    assert_eq!(with(&rows, "u001b"), 0, "{rows:?}");
    // A machine without a network has no address that phones reach.
    assert!(with(&rows, "pages http://127.0.0.1") + with(&rows, "█▀▀▀▀▀█") > 0, "{rows:?}");
    terminal.press(b'\n');
    wait_until("another login link", || with(&terminal.rows(), "/?code=") == 2);
    terminal.press(3);
    assert!(terminal.ended().success());
}
