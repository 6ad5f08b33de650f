//! Live file of a game, written line by line while others read it. Only this module knows its syntax.
//!
//! ```text
//! [Date "2026.11.21"]
//! [GameType "20"]
//! [Result "*"]            last tag; the newlines after it are a reserve
//!                         so that the longest result of the game can be written over `*` at equal length
//!
//!
//! 1. 32-28 {[%clock w1:29:49 B1:30:00]}
//! 19-23 {[%clock W1:29:49 b1:29:53]}
//! /FEN "W:W28,31-50:B1-20"/
//! *
//! ```
//!
//! Written lines never change, except the Result tag, which is overwritten once at the end of the game. The file is
//! valid PDN 3.0 after every line.

use draughts::{Color, Move, Position, ResultFormat, Variant};
use draughts_pdn::clock::Clocks;
use draughts_pdn::game::MoveNumber;
use draughts_pdn::{fen, notation, tag};

use crate::game_tags;

/// Result tag of a game without a result.
const RESULT_TAG: &str = "[Result \"*\"]";
/// Last line of an ended game.
pub const TERMINATOR: &str = "*";

/// Data at the start of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameHeader {
    /// Game number, counted per board from 1.
    pub game: u32,
    /// Rules of the game.
    pub variant: &'static Variant,
    /// Tags in file order, with GameType and without Result ([`game_tags::ordered_tags`]).
    pub tags: Vec<(String, String)>,
    /// Pairing of the game, if the board has one. Recorded in the log only, not in this file.
    pub pairing_id: Option<String>,
    /// Number of the game, ended by mistake, that this file continues. Recorded in the log only, not in this file.
    pub continued_game: Option<u32>,
    /// Whether people enter the moves, on a board without electronics. Recorded in the log only, not in this file.
    pub is_entered: bool,
}

/// Ply or setup of a live file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Move number before a ply: always for the side that starts the game, for the other side only after a setup.
    pub number: Option<MoveNumber>,
    /// Ply or position.
    pub kind: EntryKind,
    /// Clock times after the entry.
    pub clocks: Option<Clocks>,
}

/// Change of the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// Move.
    Ply {
        /// Position before the move.
        position: Position,
        /// Legal move in `position`.
        ply: Move,
    },
    /// Position that was set up.
    Setup(Position),
}

/// Contents of a live file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveFileContents {
    /// Start of the game.
    pub header: GameHeader,
    /// Plies and setups, oldest first.
    pub entries: Vec<Entry>,
    /// Whether the file has its terminator.
    pub is_ended: bool,
    /// Result that overwrote the Result tag.
    pub result: Option<String>,
}

impl GameHeader {
    /// Returns the first lines of a new file without their LF: the tags with Result last, its reserve, and the empty
    /// line before the moves.
    ///
    /// The reserve has one newline for each byte by which the longest result exceeds `*`.
    pub fn header_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.tags.iter().map(|(name, value)| tag::write(name, value)).collect();
        lines.push(RESULT_TAG.to_owned());
        let format = game_tags::result_format(self.variant, &self.tags);
        let longest = format.map_or(game_tags::MAX_RESULT_LEN, ResultFormat::max_value_len);
        lines.extend(std::iter::repeat_n(String::new(), longest));
        lines
    }

    /// Returns the value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the start position of the game.
    pub fn start(&self) -> Position {
        let fen_position = self.tag("FEN").and_then(|text| position(self.variant, text));
        fen_position.unwrap_or_else(|| Position::start(self.variant))
    }
}

impl Entry {
    /// Creates an entry without a number and clocks.
    pub fn new(kind: EntryKind) -> Entry {
        Entry { number: None, kind, clocks: None }
    }

    /// Returns the entry without its clocks: `1. 32-28`, `19-23`, `/FEN "W:..."/`.
    pub fn text(&self) -> String {
        let number = self.number.map_or_else(String::new, |number| format!("{number} "));
        match &self.kind {
            EntryKind::Ply { .. } => format!("{number}{}", self.kind.text()),
            EntryKind::Setup(_) => format!("/FEN \"{}\"/", self.kind.text()),
        }
    }

    /// Returns the line of the entry, without the LF.
    pub fn line(&self) -> String {
        match &self.clocks {
            Some(clocks) => format!("{} {{{clocks}}}", self.text()),
            None => self.text(),
        }
    }
}

impl EntryKind {
    /// Whether the entry is a ply.
    pub fn is_ply(&self) -> bool {
        matches!(self, EntryKind::Ply { .. })
    }

    /// Returns the position after the ply or setup.
    pub fn position_after(&self) -> Position {
        match self {
            EntryKind::Ply { position: before, ply } => before.play(ply),
            EntryKind::Setup(position) => *position,
        }
    }

    /// Returns the move in standard notation, or the FEN of the position.
    pub fn text(&self) -> String {
        match self {
            EntryKind::Ply { position: before, ply } => notation::write(before.variant(), ply, &before.legal_moves()),
            EntryKind::Setup(position) => fen::write(position.variant(), &position.setup()),
        }
    }
}

impl LiveFileContents {
    /// Creates the contents of a file without entries.
    pub fn new(header: GameHeader) -> LiveFileContents {
        LiveFileContents { header, entries: Vec::new(), is_ended: false, result: None }
    }

    /// Parses a live file. `None` if no station wrote the file or if its moves are no longer legal after a change.
    pub fn parse(game: u32, text: &str) -> Option<LiveFileContents> {
        let mut lines = text.lines().peekable();
        let mut opening = GameHeader {
            game,
            variant: Variant::international(),
            tags: Vec::new(),
            pairing_id: None,
            continued_game: None,
            is_entered: false,
        };
        let mut result = None;
        while let Some(line) = lines.next_if(|line| line.starts_with('[')) {
            let tag::TagParts { name, value, .. } = tag::parts(line);
            match name.as_str() {
                "Result" => result = Some(value).filter(|value| value != "*"),
                _ => opening.tags.push((name, value)),
            }
        }
        if let Some(game_type) = opening.tag("GameType") {
            opening.variant = Variant::from_tag(game_type).ok()?;
        }
        let mut position = opening.start();
        let mut contents = LiveFileContents { result, ..LiveFileContents::new(opening) };
        for line in lines.skip_while(|line| line.is_empty()) {
            if contents.is_ended {
                return None;
            }
            if line == TERMINATOR {
                contents.is_ended = true;
                continue;
            }
            let entry = parse_entry(&position, line)?;
            position = entry.kind.position_after();
            contents.entries.push(entry);
        }
        Some(contents)
    }

    /// Returns the appended bytes, with the Result tag not yet overwritten.
    pub fn body_bytes(&self) -> Vec<u8> {
        let entries = self.entries.iter().map(Entry::line);
        let end = self.is_ended.then(|| TERMINATOR.to_owned());
        let lines = self.header.header_lines().into_iter().chain(entries).chain(end);
        lines.flat_map(|line| (line + "\n").into_bytes()).collect()
    }

    /// Returns the complete file, with the result if there is one.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.body_bytes();
        let overwritten = self.result.as_ref().and_then(|result| result_patch(&bytes, result));
        if let Some((at, tag)) = overwritten {
            bytes.splice(at..at + tag.len(), tag);
        }
        bytes
    }
}

fn parse_entry(before: &Position, line: &str) -> Option<Entry> {
    let (text, comment) = match line.split_once(" {") {
        Some((text, comment)) => (text, comment.strip_suffix('}')?),
        None => (line, ""),
    };
    // Comments in live files always have both letters; the colour matters only for comments without letters.
    let clocks = Clocks::from_comment(comment, Color::White);
    if let Some(rest) = text.strip_prefix("/FEN \"") {
        let setup = position(before.variant(), rest.strip_suffix("\"/")?)?;
        return Some(Entry { clocks, ..Entry::new(EntryKind::Setup(setup)) });
    }
    let (number, text) = match text.split_once(". ") {
        Some((number, text)) => {
            let digits = number.trim_end_matches('.');
            (Some(MoveNumber { value: digits.parse().ok()?, ellipsis: digits != number }), text)
        }
        None => (None, text),
    };
    let ply = notation::read(before, text).ok()?;
    Some(Entry { number, kind: EntryKind::Ply { position: *before, ply }, clocks })
}

fn position(variant: &'static Variant, text: &str) -> Option<Position> {
    Position::new(variant, fen::read(variant, text).ok()?).ok()
}

/// Returns the offset and the bytes that overwrite the Result tag of a live file. `None` if the file has no open Result
/// tag or its reserve is too small.
pub fn result_patch(file: &[u8], result: &str) -> Option<(usize, Vec<u8>)> {
    let line = format!("{RESULT_TAG}\n");
    let begins_line = |&start: &usize| start == 0 || file[start - 1] == b'\n';
    let mut matches = (0..file.len()).filter(|&start| file[start..].starts_with(line.as_bytes()));
    let start = matches.find(begins_line)?;
    let newlines = file[start + RESULT_TAG.len()..].iter().take_while(|&&byte| byte == b'\n').count();
    let grows_by = result.len().checked_sub(1)?;
    if newlines < grows_by + 2 {
        return None;
    }
    let mut bytes = format!("[Result \"{result}\"]").into_bytes();
    bytes.resize(RESULT_TAG.len() + newlines, b'\n');
    Some((start, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(tags: &[(&str, &str)]) -> Vec<(String, String)> {
        tags.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    fn file(tag: &str, file_tags: &[(&str, &str)]) -> String {
        let variant = Variant::from_tag(tag).unwrap();
        let opening = GameHeader {
            game: 1,
            variant,
            tags: game_tags::ordered_tags(variant, &tags(file_tags)),
            pairing_id: None,
            continued_game: None,
            is_entered: false,
        };
        opening.header_lines().iter().flat_map(|line| [line, "\n"]).collect()
    }

    #[test]
    fn longest_result_of_every_game_fits_reserve() {
        for variant in Variant::all() {
            for result in variant.result_format.values() {
                let before = file(&variant.game_type.to_string(), &[]) + "1. a\n";
                let (offset, bytes) = result_patch(before.as_bytes(), result).unwrap();
                let mut after = before.clone().into_bytes();
                after[offset..offset + bytes.len()].copy_from_slice(&bytes);
                let after = String::from_utf8(after).unwrap();
                assert_eq!(after.len(), before.len());
                assert!(after.contains(&format!("[Result \"{result}\"]\n\n")), "{after}");
                assert!(after.ends_with("\n\n1. a\n"), "{after}");
            }
        }
    }

    #[test]
    fn results_of_custom_format_fit_reserve() {
        for (format, results) in [
            ("Plus draw", &["2-0", "1+ - 1-", "*"][..]),
            ("Delfts", &["1 1/2 - 1/2", "1/2 - 1 1/2"]),
            ("Goes", &["1.01-0.99", "0-2"]),
            ("Points of our club", &["12345678901"]),
        ] {
            let format_tags = tags(&[("ResultFormat", format)]);
            for result in results {
                assert!(
                    game_tags::result_format(Variant::international(), &format_tags)
                        .is_none_or(|format| format.allows(result))
                );
                let before = file("20", &[("ResultFormat", format)]) + "1. a\n";
                let (offset, bytes) = result_patch(before.as_bytes(), result).unwrap();
                let after = [&before.as_bytes()[..offset], &bytes, &before.as_bytes()[offset + bytes.len()..]].concat();
                assert!(String::from_utf8(after).unwrap().ends_with("\n\n1. a\n"), "{format} {result}");
            }
        }
    }

    #[test]
    fn writes_result_once() {
        let before = file("20", &[]);
        let (offset, bytes) = result_patch(before.as_bytes(), "2-0").unwrap();
        let mut after = before.into_bytes();
        after[offset..offset + bytes.len()].copy_from_slice(&bytes);
        assert_eq!(result_patch(&after, "0-2"), None);
    }

    #[test]
    fn write_read_roundtrip() {
        let lines = [
            "1. 32-28 {[%clock w1:29:49 B1:30:00]}",
            "19-23",
            "/FEN \"W:W28:B23,24\"/ {[%clock W0:00:09 b0:00:10]}",
            "2. 28x30",
            "*",
        ];
        let text = file("20", &[("White", "a \"b\"")]) + &lines.join("\n") + "\n";
        let read = LiveFileContents::parse(7, &text).unwrap();
        assert_eq!((read.header.game, read.header.tag("White")), (7, Some("a \"b\"")));
        assert_eq!(String::from_utf8(read.body_bytes()).unwrap(), text);
        let texts: Vec<String> = read.entries.iter().map(Entry::text).collect();
        assert_eq!(texts, ["1. 32-28", "19-23", "/FEN \"W:W28:B23,24\"/", "2. 28x30"]);
    }

    #[test]
    fn refuses_foreign_files() {
        let close = LiveFileContents::parse(1, "[Result \"*\"]\n1. 32-28\n").unwrap();
        assert_eq!(close.entries.len(), 1, "no line behind the tags is lost");
        let head = file("20", &[]);
        assert!(LiveFileContents::parse(1, &head).is_some_and(|read| read.entries.is_empty() && !read.is_ended));
        for rest in ["1. 32-38\n", "*\n1. 32-28\n", "hello\n", "1. 32-28 {[%clock\n", "/FEN \"W:W1\"\n"] {
            assert_eq!(LiveFileContents::parse(1, &format!("{head}{rest}")), None, "{rest}");
        }
        assert_eq!(LiveFileContents::parse(1, "[GameType \"x\"]\n"), None);
    }
}
