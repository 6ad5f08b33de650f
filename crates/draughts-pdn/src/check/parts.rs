//! One file on several cores: parts of it are checked side by side, each from a game on. The caller has the threads.
//!
//! ```text
//! bytes ──▸ Splitter: cut before `[` behind an empty line ──▸ Part ──▸ Joiner::job ─┬─▸ Job::run on a thread ─┐
//!                                                                                   └─▸ Job::run on a thread ─┴─▸ Joiner::join, in order
//! ```
//!
//! A cut is a guess: the text at it may be inside a comment, or the game before it may go on. So the checker of each part reads a little
//! beyond its end, and finds out whether a game begins there. If none does, or the next part was begun with a wrong assumption, its bytes
//! are read again behind the bytes before them. The problems are therefore those of one checker, in the same order.

use memchr::{memchr2_iter, memrchr_iter};

use super::checked::Checker;
use crate::scan::LOOKAHEAD;

/// Checker of a file, or of a part of it that begins with a game.
pub trait PartChecker: Sized + Send {
    /// Creates the checker of a part behind the bytes read so far. The part begins at this line, with the tag of a new game.
    fn for_part(&self, line: u64) -> Self;

    /// Reads more bytes.
    fn feed(&mut self, bytes: &[u8]);

    /// Ends a part. `ahead`: bytes behind it, as many as [`Part`] has.
    ///
    /// # Errors
    ///
    /// Returns the number of bytes of `ahead` that it has read if no new game begins with them.
    fn end_part(&mut self, ahead: &[u8]) -> Result<(), usize>;

    /// Appends the checker of the next part. Returns `false`, without any change, if that began with a wrong assumption.
    fn join(&mut self, next: Self) -> bool;
}

/// Bytes of a file between two cuts.
#[derive(Debug)]
pub struct Part {
    bytes: Vec<u8>,
    /// Bytes behind it.
    ahead: Vec<u8>,
    /// Line of its start, if a game may begin there.
    line: Option<u64>,
}

/// Cuts a stream of bytes where a game seems to begin. Holds a few parts at most.
///
/// # Examples
///
/// ```
/// use draughts_pdn::parts::{Joiner, Splitter};
/// use draughts_pdn::{Checker, Encoding};
///
/// let games = "[GameType \"20\"]\n\n1. 32-28 19-23 *\n\n".repeat(20_000);
/// let (mut splitter, mut joiner) = (Splitter::new(10_000), Joiner::new(Checker::new(Encoding::Detect, None)));
/// splitter.push(games.as_bytes());
/// while let Some(part) = splitter.next_part() {
///     let job = joiner.job(part); // a thread may run it
///     joiner.join(job.run());
/// }
/// let last = joiner.job(splitter.last_part());
/// joiner.join(last.run());
/// let mut checker = joiner.into_checker();
/// checker.finish(&mut |_| {});
/// assert_eq!(checker.game_count(), 20_000);
/// ```
#[derive(Debug)]
pub struct Splitter {
    part_size: usize,
    bytes: Vec<u8>,
    /// Line of the first byte.
    line: u64,
    /// Whether the byte before it was a carriage return.
    is_after_cr: bool,
    is_at_game: bool,
}

impl Splitter {
    /// Creates a splitter at the start of a file, for parts of about this number of bytes.
    pub fn new(part_size: usize) -> Splitter {
        let part_size = part_size.max(LOOKAHEAD);
        Splitter { part_size, bytes: Vec::new(), line: 1, is_after_cr: false, is_at_game: false }
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next part, if enough bytes have arrived. A part without a cut is larger than others.
    pub fn next_part(&mut self) -> Option<Part> {
        let end = self.bytes.len().checked_sub(LOOKAHEAD).filter(|end| *end >= self.part_size)?;
        match last_cut(&self.bytes[..=end]) {
            Some(cut) => Some(self.part(cut, true)),
            None => (end >= 4 * self.part_size).then(|| self.part(end, false)),
        }
    }

    /// Returns all remaining bytes.
    pub fn last_part(&mut self) -> Part {
        self.part(self.bytes.len(), false)
    }

    fn part(&mut self, end: usize, is_at_game: bool) -> Part {
        let rest = self.bytes.split_off(end);
        let bytes = std::mem::replace(&mut self.bytes, rest);
        let line = std::mem::replace(&mut self.is_at_game, is_at_game).then_some(self.line);
        for at in memchr2_iter(b'\n', b'\r', &bytes) {
            let after_cr = if at == 0 { self.is_after_cr } else { bytes[at - 1] == b'\r' };
            self.line += u64::from(!(bytes[at] == b'\n' && after_cr));
        }
        self.is_after_cr = bytes.last().map_or(self.is_after_cr, |last| *last == b'\r');
        Part { ahead: self.bytes[..self.bytes.len().min(LOOKAHEAD)].to_vec(), bytes, line }
    }
}

/// Returns the last place, not the start, where a tag follows an empty line.
fn last_cut(bytes: &[u8]) -> Option<usize> {
    memrchr_iter(b'[', bytes).find(|&at| {
        let before = |bytes: &[u8]| bytes.ends_with(b"\n\n") || bytes.ends_with(b"\n\r\n");
        at >= LOOKAHEAD && before(&bytes[..at])
    })
}

/// A part to be read.
#[derive(Debug)]
pub struct Job<C> {
    /// `None` if the part can only be read behind the bytes before it.
    checker: Option<C>,
    part: Part,
}

impl<C: PartChecker> Job<C> {
    /// Whether the part is read when it is joined, so that running it costs nothing.
    pub fn is_read_when_joined(&self) -> bool {
        self.checker.is_none()
    }

    /// Reads the part.
    pub fn run(self) -> ReadPart<C> {
        let read = self.checker.map(|mut checker| {
            checker.feed(&self.part.bytes);
            let end = checker.end_part(&self.part.ahead);
            (checker, end)
        });
        ReadPart { read, part: self.part }
    }
}

/// A part behind [`Job::run`].
#[derive(Debug)]
pub struct ReadPart<C> {
    read: Option<(C, Result<(), usize>)>,
    part: Part,
}

/// Joins the parts of a file in their order.
#[derive(Debug)]
pub struct Joiner<C> {
    checker: C,
    /// End of the text read: whether a game begins behind it, or how many bytes behind it are read.
    end: Result<(), usize>,
}

impl<C: PartChecker> Joiner<C> {
    /// Creates a joiner with the checker of the whole file.
    pub fn new(checker: C) -> Joiner<C> {
        Joiner { checker, end: Err(0) }
    }

    /// Returns the job of reading a part. It assumes what is known now: encoding and variant.
    pub fn job(&self, part: Part) -> Job<C> {
        Job { checker: part.line.map(|line| self.checker.for_part(line)), part }
    }

    /// Appends the next part.
    pub fn join(&mut self, next: ReadPart<C>) {
        if let Some((checker, end)) = next.read
            && self.end.is_ok()
            && self.checker.join(checker)
        {
            self.end = end;
            return;
        }
        let read = self.end.err().unwrap_or(0);
        self.checker.feed(&next.part.bytes[read..]);
        self.end = self.checker.end_part(&next.part.ahead);
    }

    /// Returns the checker behind the last part.
    pub fn into_checker(self) -> C {
        self.checker
    }
}

impl PartChecker for Checker {
    fn for_part(&self, line: u64) -> Checker {
        Checker::for_part(self, line)
    }

    fn feed(&mut self, bytes: &[u8]) {
        Checker::feed(self, bytes, &mut |_| {});
    }

    fn end_part(&mut self, ahead: &[u8]) -> Result<(), usize> {
        Checker::end_part(self, ahead)
    }

    fn join(&mut self, next: Checker) -> bool {
        Checker::join(self, next)
    }
}
