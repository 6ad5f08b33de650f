//! Reads stored games from the file of events on request, and caches the last ones.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::files::{EVENTS_FILE, open_in_outlet};
use super::state::{GameReplay, ViewerGame, WholeGame};
use crate::follow::MAX_LINE_LEN;

/// Largest number of cached games. If viewers study more games at once, each change of the pages reads some of them again.
const MAX_CACHED_GAMES: usize = 256;
/// Largest sum of the lines of all cached games, in bytes. A game takes about twice its lines in memory.
const MAX_CACHED_BYTES: u64 = 8 << 20;

/// Reader of stored games.
pub struct StoredGames {
    folder: PathBuf,
    /// Names of boards, and games of them.
    cache: Mutex<VecDeque<(String, Arc<ViewerGame>)>>,
}

impl StoredGames {
    /// Creates a reader of an outlet's folder.
    pub fn new(folder: PathBuf) -> StoredGames {
        StoredGames { folder, cache: Mutex::default() }
    }

    /// Passes a game of a board with its entries to `make`; reads a stored game first.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::InvalidData`] if the file has other lines than those that made the game, and any I/O error.
    pub fn with_whole<R>(
        &self,
        board: &str,
        game: &ViewerGame,
        make: impl FnOnce(WholeGame<'_>) -> R,
    ) -> io::Result<R> {
        if let Some(whole) = game.whole() {
            return Ok(make(whole));
        }
        Ok(make(self.read(board, game)?.whole().ok_or(io::ErrorKind::InvalidData)?))
    }

    fn read(&self, board: &str, stored: &ViewerGame) -> io::Result<Arc<ViewerGame>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        // The cached game has the same lines; what no line has may have changed.
        let is_it = |(of, game): &&(String, Arc<ViewerGame>)| {
            of == board && game.number == stored.number && game.lines.digest == stored.lines.digest
        };
        if let Some((_, found)) = cache.iter().find(is_it) {
            let mut game = ViewerGame::clone(found);
            game.complete_from(stored);
            return Ok(Arc::new(game));
        }
        let game = Arc::new(self.replay(board, stored)?);
        cache.push_back((board.to_owned(), game.clone()));
        let sum = |cache: &VecDeque<(_, Arc<ViewerGame>)>| cache.iter().map(|(_, game)| game.lines.bytes).sum::<u64>();
        while cache.len() > MAX_CACHED_GAMES || sum(&cache) > MAX_CACHED_BYTES {
            cache.pop_front();
        }
        Ok(game)
    }

    /// Reads the parts of the file that have the lines of the game.
    fn replay(&self, board: &str, stored: &ViewerGame) -> io::Result<ViewerGame> {
        let mut file = open_in_outlet(&self.folder, EVENTS_FILE)?;
        let mut replay = GameReplay::new(board, stored);
        let mut line = Vec::new();
        for range in &stored.lines.ranges {
            file.seek(SeekFrom::Start(range.start))?;
            let mut reader = BufReader::new((&file).take(range.end - range.start));
            loop {
                line.clear();
                // A file with other contents may have a longer line.
                let most = MAX_LINE_LEN as u64 + 1;
                if Read::by_ref(&mut reader).take(most).read_until(b'\n', &mut line)? == 0 {
                    break;
                }
                replay.add(std::str::from_utf8(&line).unwrap_or_default());
            }
        }
        replay.finish().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the file has other lines now"))
    }
}
