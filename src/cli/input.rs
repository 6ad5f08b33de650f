//! Helpers of several verbs: reading a file in chunks with a progress bar, a notice for other long work, the variant, JSON strings.

use std::fmt::Display;
use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context;
use draughts::Variant;
use draughts_pdn::encoding::Encoding;
use draughts_pdn::problem::Problem;
use draughts_pdn::reader::{LocatedGame, Reader};

/// Options for reading files.
#[derive(clap::Args)]
pub struct ReadingArguments {
    /// Encoding: utf-8, windows-1251, cp866, ...; by default UTF-8, else Windows-1252.
    #[arg(long, default_value = "detect")]
    pub encoding: Encoding,
    /// Game of files without a GameType tag, such as 20 or 21; default: inferred.
    #[arg(long)]
    pub game_type: Option<String>,
}

impl ReadingArguments {
    /// Returns the variant of `--game-type`.
    pub fn variant(&self) -> anyhow::Result<Option<&'static Variant>> {
        self.game_type.as_deref().map(|tag| Variant::from_tag(tag).context("--game-type")).transpose()
    }
}

/// Number of bytes read at a time.
const CHUNK_SIZE: usize = 64 * 1024;

/// Reads a file in chunks; `-` is the standard input.
pub fn read_chunks(path: &Path, mut take: impl FnMut(&[u8])) -> anyhow::Result<()> {
    let context = || path.display().to_string();
    let (mut file, size): (Box<dyn Read>, u64) = if path == Path::new("-") {
        (Box::new(std::io::stdin().lock()), 0)
    } else {
        let file = File::open(path).with_context(context)?;
        let size = file.metadata().with_context(context)?.len();
        (Box::new(file), size)
    };
    let mut bar = ProgressBar::new(path, size);
    let mut buffer = vec![0; CHUNK_SIZE];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                take(&buffer[..count]);
                bar.advance(count as u64);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(context),
        }
    }
    bar.clear();
    Ok(())
}

/// Notice on the terminal for long work, from the third second until it is dropped.
pub struct ProgressNotice {
    /// Dropping the sender ends the thread.
    done: Option<Sender<()>>,
    is_shown: Option<JoinHandle<()>>,
}

impl ProgressNotice {
    /// Starts a notice; `activity` is text such as `reading recordings`.
    pub fn with(activity: impl Into<String>) -> ProgressNotice {
        if !std::io::stderr().is_terminal() {
            return ProgressNotice { done: None, is_shown: None };
        }
        let (activity, started) = (activity.into(), Instant::now());
        let (done, is_done) = mpsc::channel::<()>();
        let shows = std::thread::spawn(move || {
            let mut wait = PROGRESS_DELAY;
            while is_done.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                draw(format_args!("\rdamcast: {activity}, {} s\x1b[K", started.elapsed().as_secs()));
                wait = Duration::from_secs(1);
            }
            if wait != PROGRESS_DELAY {
                draw("\r\x1b[K");
            }
        });
        ProgressNotice { done: Some(done), is_shown: Some(shows) }
    }
}

impl Drop for ProgressNotice {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(shows) = self.is_shown.take() {
            let _ = shows.join();
        }
    }
}

/// Delay before progress is shown; most work takes less.
const PROGRESS_DELAY: Duration = Duration::from_secs(2);

/// Returns the games of a file and its problems, sorted by place.
pub fn games(path: &Path, encoding: Encoding) -> anyhow::Result<(Vec<LocatedGame>, Vec<Problem>)> {
    let mut reader = Reader::new(encoding);
    let mut games = Vec::new();
    read_chunks(path, |piece| games.append(&mut reader.feed(piece)))?;
    games.append(&mut reader.finish());
    Ok((games, reader.take_problems().into_sorted()))
}

/// Reads a whole file.
pub fn read_whole(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_chunks(path, |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

/// Formats a text as a JSON string.
pub fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            c if c.is_control() => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// Progress bar on the terminal, for files that take longer than [`PROGRESS_DELAY`].
struct ProgressBar {
    name: PathBuf,
    size: u64,
    done: u64,
    started: Instant,
    drawn: Option<Instant>,
    is_terminal: bool,
}

impl ProgressBar {
    fn new(path: &Path, size: u64) -> ProgressBar {
        let is_terminal = std::io::stderr().is_terminal();
        ProgressBar { name: path.to_owned(), size, done: 0, started: Instant::now(), drawn: None, is_terminal }
    }

    fn advance(&mut self, bytes: u64) {
        self.done += bytes;
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() > Duration::from_millis(100));
        if !self.is_terminal || self.started.elapsed() < PROGRESS_DELAY || !is_due {
            return;
        }
        self.drawn = Some(Instant::now());
        // The size of a pipe is unknown.
        if self.size == 0 {
            draw(format_args!("\r{} {} MB", self.name.display(), self.done / 1_000_000));
            return;
        }
        const WIDTH: u64 = 30;
        let full = (self.done * WIDTH / self.size).min(WIDTH) as usize;
        let empty = WIDTH as usize - full;
        draw(format_args!(
            "\r{} [{}{}] {:3}%",
            self.name.display(),
            "#".repeat(full),
            " ".repeat(empty),
            self.done * 100 / self.size
        ));
    }

    fn clear(&mut self) {
        if self.drawn.is_some() {
            draw("\r\x1b[K");
        }
    }
}

/// Draws on the terminal; ignores errors, because the terminal may be gone.
fn draw(text: impl Display) {
    let mut terminal = std::io::stderr();
    let _ = write!(terminal, "{text}");
    let _ = terminal.flush();
}
