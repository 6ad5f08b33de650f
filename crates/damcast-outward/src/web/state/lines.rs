//! Locates the lines of a stored game in the file of events, and makes the game from them again.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use serde::Deserialize;

use super::{ParsedEvent, ViewerGame, ViewerHall};

/// Longest gap between two lines of a game, in bytes, that is read instead of skipped.
const MAX_GAP: u64 = 32 << 10;

/// Places of a game's lines in the file, and their digest.
#[derive(Clone, Debug, Default)]
pub struct GameLines {
    /// Parts of the file, in its order, that have all lines of the game, and perhaps others.
    pub ranges: Vec<Range<u64>>,
    /// Length of the lines in bytes.
    pub bytes: u64,
    /// Hash of the lines in their order: other lines have another one.
    pub digest: u64,
}

impl GameLines {
    /// Adds the line at this byte offset, with its LF. A line that waited for its game may stand before others.
    pub(super) fn add(&mut self, at: u64, line: &str) {
        let length = line.len() as u64;
        let place = self.ranges.partition_point(|range| range.start <= at);
        match place.checked_sub(1).and_then(|before| self.ranges.get_mut(before)) {
            Some(before) if at.saturating_sub(before.end) <= MAX_GAP => before.end = before.end.max(at + length),
            _ => self.ranges.insert(place, at..at + length),
        }
        self.bytes += length;
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.digest);
        hasher.write(line.as_bytes());
        self.digest = hasher.finish();
    }
}

/// Members that name the game of a line.
#[derive(Deserialize)]
struct LineOwner<'a> {
    #[serde(borrow)]
    board: Cow<'a, str>,
    game: u32,
}

/// Makes a stored game from its lines again.
pub struct GameReplay<'a> {
    board: &'a str,
    stored: &'a ViewerGame,
    hall: ViewerHall,
}

impl<'a> GameReplay<'a> {
    /// Begins with the stored game of a board.
    pub fn new(board: &'a str, stored: &'a ViewerGame) -> GameReplay<'a> {
        GameReplay { board, stored, hall: ViewerHall::default() }
    }

    /// Adds the next line of the game's ranges; ignores a line of another game.
    pub fn add(&mut self, line: &str) {
        let owner = serde_json::from_str::<LineOwner<'_>>(line);
        let is_own = owner.is_ok_and(|owner| owner.board == self.board && self.stored.has_number(owner.game));
        if is_own && let Ok(event) = serde_json::from_str::<ParsedEvent>(line) {
            self.hall.update(event, line, 0);
        }
    }

    /// Returns the game with its entries; `None` if the lines differ from those that made it.
    pub fn finish(self) -> Option<ViewerGame> {
        let current = self.hall.find(self.board)?.current()?;
        let is_same = current.number == self.stored.number && current.lines.digest == self.stored.lines.digest;
        let mut game = current.clone();
        game.complete_from(self.stored);
        is_same.then_some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_every_line_in_order_of_file() {
        let line = format!("{}\n", "x".repeat(99));
        let mut lines = GameLines::default();
        // The last two stood in the file before their game began.
        for at in [0, 200_000, 200_100, 100_000, 200_000 - 20_000] {
            lines.add(at, &line);
        }
        assert_eq!(lines.ranges, [0..100, 100_000..100_100, 180_000..180_100, 200_000..200_200]);
        lines.add(200_050, "x\n");
        assert_eq!(lines.ranges.last(), Some(&(200_000..200_200)));
    }
}
