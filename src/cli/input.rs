//! What verbs share: reading a file piece by piece, with a bar for the patient, a line for those who wait for something else,
//! telling the variant, a text in JSON.

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

/// How files are to be read.
#[derive(clap::Args)]
pub struct ReadingArguments {
    /// The encoding of the files: utf-8, windows-1251, cp866, ...; by default UTF-8, and Windows-1252 where it is not.
    #[arg(long, default_value = "detect")]
    pub encoding: Encoding,
    /// The game of files without a GameType tag, such as 20 or 21; by default found out from the moves.
    #[arg(long)]
    pub game_type: Option<String>,
}

impl ReadingArguments {
    /// The variant that was told.
    pub fn variant(&self) -> anyhow::Result<Option<&'static Variant>> {
        self.game_type.as_deref().map(|tag| Variant::from_tag(tag).context("--game-type")).transpose()
    }
}

/// How many bytes are read at a time.
const CHUNK_SIZE: usize = 64 * 1024;

/// Reads a file piece by piece; `-` is the standard input.
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

/// Shows on the terminal that a long work goes on, from its third second until this is dropped.
pub struct ProgressNotice {
    /// Dropped when the work is done; then the thread ends.
    done: Option<Sender<()>>,
    is_shown: Option<JoinHandle<()>>,
}

impl ProgressNotice {
    /// `what` is done: `reading recordings`.
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

/// How long nothing is shown: most work is done by then.
const PROGRESS_DELAY: Duration = Duration::from_secs(2);

/// The games of a file, and what is wrong with it, by place.
pub fn games(path: &Path, encoding: Encoding) -> anyhow::Result<(Vec<LocatedGame>, Vec<Problem>)> {
    let mut reader = Reader::new(encoding);
    let mut games = Vec::new();
    read_chunks(path, |piece| games.append(&mut reader.feed(piece)))?;
    games.append(&mut reader.finish());
    Ok((games, reader.take_problems().into_sorted()))
}

/// The whole of a file.
pub fn read_whole(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_chunks(path, |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

/// A text as JSON writes it.
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

/// A progress bar on the terminal, for files that take longer than [`PROGRESS_DELAY`].
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
        // Nobody knows how much a pipe will bring.
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

/// Draws on the terminal. It may have gone away: then nobody misses it.
fn draw(text: impl Display) {
    let mut terminal = std::io::stderr();
    let _ = write!(terminal, "{text}");
    let _ = terminal.flush();
}
