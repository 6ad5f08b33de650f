//! Syntax level for streams of bytes: [`Event`]s with their places, in constant memory for files of any size.
//!
//! ```text
//! bytes in pieces ──▸ decoder ──▸ window of text ──▸ plain, lexer, syntax ──▸ sink(place, event)
//!                                  ▴ at most one cut token and one piece
//! ```
//!
//! Memory does not grow with the number of games, the length of lines, tags and comments, or the depth of variations.

use std::io::{ErrorKind, Read};

use super::encoding::{Encoding, TextDecoder};
use super::lexer::{InputState, Lexer, MAX_TOKEN_LEN, Token};
use super::problem::{Location, Problem};
use super::syntax::{Event, Sink, Syntax};
use super::words::MAX_WORD_LEN;

/// Number of bytes processed at a time.
pub const CHUNK_SIZE: usize = 64 * 1024;

/// Number of bytes behind a part of a file that decide every token in it, if the last one is complete.
pub(crate) const LOOKAHEAD: usize = 2 * MAX_WORD_LEN;

/// Maximum number of bytes of text in a scanner: an incomplete token, and a chunk in which every byte becomes a character of three bytes.
pub const MAX_BUFFER_LEN: usize = MAX_TOKEN_LEN + 3 * CHUNK_SIZE + 16;

/// Receiver of tokens and events.
pub(crate) trait TokenHandler {
    /// Receives a token, before its events.
    fn token(&mut self, token: &Token<'_>);

    /// Receives the event of one token in plain form: a tag; a move with its number and strength; a comment, glyph, parenthesis or `*`.
    fn plain(&mut self, place: Location, event: Event<'_>);

    /// Receives any other event.
    fn event(&mut self, place: Location, event: Event<'_>);

    /// Learns that a tag follows at this place, before the events of text that it completes.
    fn before_tag(&mut self, place: Location);
}

/// Reads the events of a stream of bytes.
///
/// # Examples
///
/// ```
/// use draughts_pdn::Encoding;
/// use draughts_pdn::scan::Scanner;
/// use draughts_pdn::syntax::Event;
///
/// let mut moves = Vec::new();
/// let mut sink = |place: draughts_pdn::Location, event: Event<'_>| {
///     if let Event::Move(written) = event {
///         moves.push(format!("{place} {}", written.text));
///     }
/// };
/// let mut scanner = Scanner::new(Encoding::Detect);
/// scanner.feed(b"1. 32-28 19-", &mut sink);
/// scanner.feed(b"23 *", &mut sink);
/// scanner.finish(&mut sink);
/// assert_eq!(moves, ["1:4 32-28", "1:10 19-23"]);
/// ```
#[derive(Debug)]
pub struct Scanner {
    decoder: TextDecoder,
    lexer: Lexer,
    syntax: Syntax,
    /// Text not yet split into tokens.
    window: String,
    /// Place of the first character that was not UTF-8.
    first_invalid_utf8: Option<Location>,
}

impl Scanner {
    /// Creates a scanner at the start of a file.
    pub fn new(encoding: Encoding) -> Scanner {
        Scanner {
            decoder: TextDecoder::new(encoding),
            lexer: Lexer::default(),
            syntax: Syntax::default(),
            window: String::new(),
            first_invalid_utf8: None,
        }
    }

    /// Creates a scanner for a later part of the file, which begins at this line with the `[` of a game's first tag.
    pub(crate) fn for_part(&self, line: u64) -> Scanner {
        Scanner {
            decoder: self.decoder.within_file(),
            lexer: Lexer::at_line(line),
            syntax: Syntax::default(),
            window: String::new(),
            first_invalid_utf8: self.first_invalid_utf8,
        }
    }

    /// Reads the rest of a part of a file. `ahead` are the bytes behind it, of which nothing is read if a new game begins with them.
    /// Otherwise they are read, and returns their number.
    ///
    /// A game begins there if a tag does and nothing of a game before it is left: a new scanner emits the same events from there on.
    pub(crate) fn end_part<H: TokenHandler>(&mut self, ahead: &[u8], handler: &mut H) -> Result<(), usize> {
        let (end, decoder) = (self.window.len(), self.decoder.clone());
        let wrong = self.decoder.push(ahead, &mut self.window);
        let wrong = wrong.map(|at| self.lexer.location_after(&self.window[..at]));
        let mut rest = self.window.as_str();
        let mut begins_game = false;
        while let at = self.window.len() - rest.len()
            && at <= end
        {
            if self.lexer.is_at_token(&self.window[at..end]) {
                rest = &self.window[end..];
                begins_game = matches!(ahead, [b'[', next, ..] if *next != b'%');
                break;
            }
            let Some(token) = self.lexer.next(&mut rest, InputState::MayGrow) else { break };
            handler.token(&token);
            self.syntax.token(&token, &mut |place, event| handler.event(place, event));
        }
        if begins_game {
            let place = self.lexer.location();
            handler.before_tag(place);
            self.syntax.before_tag(place, &mut |place, event| handler.event(place, event));
            begins_game = self.syntax.is_between_games();
        }
        if begins_game {
            self.decoder = decoder;
            self.window.clear();
            return Ok(());
        }
        let done = self.window.len() - rest.len();
        self.window.drain(..done);
        self.report_encoding(wrong, &mut |place, event| handler.event(place, event));
        Err(ahead.len())
    }

    /// Whether the scanner of the next part has read what this one would have: bytes that are not UTF-8 are reported once.
    pub(crate) fn can_join(&self, next: &Scanner) -> bool {
        let (ours, theirs) = (self.first_invalid_utf8, next.first_invalid_utf8);
        ours.is_none() || theirs.is_none() || ours == theirs
    }

    /// Goes on with the scanner of the next part.
    pub(crate) fn join(&mut self, next: Scanner) {
        let invalid = self.first_invalid_utf8.or(next.first_invalid_utf8);
        let odd_blank = self.lexer.odd_blank().or(next.lexer.odd_blank());
        *self = next;
        self.first_invalid_utf8 = invalid;
        self.lexer.set_odd_blank(odd_blank);
    }

    /// Reads more bytes; emits the events that are certain so far.
    pub fn feed<S: FnMut(Location, Event<'_>)>(&mut self, bytes: &[u8], sink: &mut S) {
        for piece in bytes.chunks(CHUNK_SIZE) {
            self.decode(piece, sink);
            self.cut(InputState::MayGrow, sink);
        }
    }

    /// Ends the stream; emits the remaining events.
    pub fn finish<S: FnMut(Location, Event<'_>)>(&mut self, sink: &mut S) {
        self.decode_end(sink);
        self.cut(InputState::Complete, sink);
        self.syntax.finish(self.lexer.location(), sink);
    }

    /// Reads more bytes as [`Scanner::feed`] does, and shows each token that is not plain before its events.
    pub(crate) fn feed_tokens<H: TokenHandler>(&mut self, bytes: &[u8], handler: &mut H) {
        for piece in bytes.chunks(CHUNK_SIZE) {
            self.decode(piece, &mut |place, event| handler.event(place, event));
            self.cut_tokens(InputState::MayGrow, handler);
        }
    }

    /// Ends the stream as [`Scanner::finish`] does, and shows each token that is not plain.
    pub(crate) fn finish_tokens<H: TokenHandler>(&mut self, handler: &mut H) {
        self.decode_end(&mut |place, event| handler.event(place, event));
        self.cut_tokens(InputState::Complete, handler);
        self.syntax.finish(self.lexer.location(), &mut |place, event| handler.event(place, event));
    }

    /// Returns the place of the first text not yet split into tokens; at the end, the end of the text.
    pub fn location(&self) -> Location {
        self.lexer.location()
    }

    /// Returns the place of the first character that was not UTF-8, if any, when no other encoding is specified.
    pub fn first_invalid_utf8(&self) -> Option<Location> {
        self.first_invalid_utf8
    }

    /// Returns the first blank that is not a blank by the standard, such as U+FEFF or a no-break space, with its place.
    pub(crate) fn odd_blank(&self) -> Option<(Location, char)> {
        self.lexer.odd_blank()
    }

    /// Returns the number of bytes of memory that hold text between two calls. At most twice [`MAX_BUFFER_LEN`].
    pub fn buffered_bytes(&self) -> usize {
        self.window.capacity()
    }

    fn decode(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        let wrong = self.decoder.push(bytes, &mut self.window);
        let wrong = wrong.map(|at| self.lexer.location_after(&self.window[..at]));
        self.report_encoding(wrong, sink);
    }

    fn decode_end(&mut self, sink: &mut Sink<'_>) {
        let wrong = self.decoder.finish(&mut self.window);
        let wrong = wrong.map(|at| self.lexer.location_after(&self.window[..at]));
        self.report_encoding(wrong, sink);
    }

    fn report_encoding(&mut self, wrong: Option<Location>, sink: &mut Sink<'_>) {
        let (Some(place), None) = (wrong, self.first_invalid_utf8) else { return };
        self.first_invalid_utf8 = Some(place);
        let problem = Problem::warning(place, "the file is not UTF-8 from here on")
            .with_hint("the bytes are read as Windows-1252; another encoding can be named");
        sink(place, Event::Problem(problem));
    }

    fn cut<S: FnMut(Location, Event<'_>)>(&mut self, input: InputState, sink: &mut S) {
        let mut rest = self.window.as_str();
        loop {
            self.syntax.plain::<S, false>(&mut self.lexer, &mut rest, sink);
            let Some(token) = self.lexer.next(&mut rest, input) else { break };
            self.syntax.token(&token, sink);
        }
        let done = self.window.len() - rest.len();
        self.window.drain(..done);
    }

    fn cut_tokens<H: TokenHandler>(&mut self, input: InputState, handler: &mut H) {
        let mut rest = self.window.as_str();
        loop {
            let plain = &mut |place: Location, event: Event<'_>| handler.plain(place, event);
            self.syntax.plain::<_, true>(&mut self.lexer, &mut rest, plain);
            let Some(token) = self.lexer.next(&mut rest, input) else { break };
            handler.token(&token);
            self.syntax.token(&token, &mut |place, event| handler.event(place, event));
        }
        let done = self.window.len() - rest.len();
        self.window.drain(..done);
    }
}

/// Reads a whole stream.
///
/// # Errors
///
/// Returns any I/O error of the stream; the events up to it have been emitted.
pub fn scan<S: FnMut(Location, Event<'_>)>(
    mut stream: impl Read,
    encoding: Encoding,
    sink: &mut S,
) -> std::io::Result<()> {
    let mut scanner = Scanner::new(encoding);
    let mut piece = vec![0; CHUNK_SIZE];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => scanner.feed(&piece[..count], sink),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    scanner.finish(sink);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream generated while it is read: cycles through the pieces up to this number of bytes.
    struct Endless {
        chunks: Vec<String>,
        remaining: u64,
        at: usize,
    }

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let piece = self.chunks[self.at % self.chunks.len()].as_bytes();
            self.at += 1;
            let count = piece.len().min(buffer.len()).min(usize::try_from(self.remaining).unwrap_or(usize::MAX));
            buffer[..count].copy_from_slice(&piece[..count]);
            self.remaining -= count as u64;
            Ok(count)
        }
    }

    /// Reads `size` bytes; returns the maximum memory held, the number of events and the last place.
    fn read(head: &str, pieces: &[&str], size: u64) -> (usize, u64, Location) {
        let mut scanner = Scanner::new(Encoding::Detect);
        let pieces = pieces.iter().map(|piece| piece.repeat((CHUNK_SIZE / piece.len()).max(1))).collect();
        let mut stream = Endless { chunks: pieces, remaining: size, at: 0 };
        let (mut held, mut events) = (0, 0);
        let mut sink = |_: Location, _: Event<'_>| events += 1;
        scanner.feed(head.as_bytes(), &mut sink);
        let mut buffer = vec![0; CHUNK_SIZE];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            scanner.feed(&buffer[..count], &mut sink);
            held = held.max(scanner.buffered_bytes());
        }
        scanner.finish(&mut sink);
        (held, events, scanner.location())
    }

    #[test]
    fn input_size_needs_no_memory() {
        const SIZE: u64 = 4 * 1024 * 1024;
        for (head, piece) in [
            ("", "x"),
            ("", " "),
            ("", "("),
            ("", ")"),
            ("{", "x"),
            ("{", "\u{fffd}"),
            ("{", "\n"),
            ("[Event \"", "x"),
            ("[Event \"", "\\\""),
            ("[", "x"),
            ("/FEN \"", "1"),
            ("; ", "x"),
            ("%", "x"),
            ("", "9"),
            ("", "\0"),
            ("", "1. 32-28 19-23 "),
            ("", "[Event \"x\"] 1. 32-28 {a (b) c} ( 1. 33-29 ) 19-23! $1 *\n"),
        ] {
            let (held, _, place) = read(head, &[piece], SIZE);
            assert!(held <= 2 * MAX_BUFFER_LEN, "{head}{piece}: {held} bytes");
            assert!(place.line > 1 || place.column > SIZE / 4, "{head}{piece}: {place}");
        }
    }

    #[test]
    fn positions_hold_over_any_distance() {
        let mut found = Vec::new();
        let text = format!("{}\n[Event \"é\"]\r\n 1. 32-28 *", "x".repeat(5_000_000));
        let mut sink = |place: Location, event: Event<'_>| {
            if !matches!(event, Event::Problem(_)) {
                found.push(place.to_string());
            }
        };
        scan(text.as_bytes(), Encoding::Detect, &mut sink).expect("memory can be read");
        assert_eq!(found, ["2:1", "3:5", "3:11"]);
    }

    #[test]
    fn chunks_do_not_change_events() {
        let text = "[A \"é\"c\"]\r\n[D \"e\"]\r\n\r\n1. 32-28!? {x\r\ny} (1... 18-23 $1) 19-23 2. 28x19 14x23 c3-d4 c3:e5:g7 2-0\r\n\r\n\
            [D \"f\"] 1.32-28 19-23 1/2-1/2 [D \"g\"] 1. 1-6 4-6 [E \"h\"] *";
        let events = |size: usize| {
            let mut events = Vec::new();
            let mut sink = |place: Location, event: Event<'_>| events.push(format!("{place} {event:?}"));
            let mut scanner = Scanner::new(Encoding::Detect);
            for piece in text.as_bytes().chunks(size) {
                scanner.feed(piece, &mut sink);
            }
            scanner.finish(&mut sink);
            events.sort();
            events
        };
        let whole = events(text.len());
        assert!(whole.len() > 20);
        for size in 1..text.len() {
            assert_eq!(events(size), whole, "pieces of {size}");
        }
    }
}
