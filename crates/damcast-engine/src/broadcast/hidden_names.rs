//! Names of players who asked to be anonymous: their replacements, and the files that still have the names.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use draughts_pdn::tag;
use draughts_tournament::{HIDDEN_NAME, Id, Tournament};

pub(super) const PLAYER_TAGS: [&str; 2] = ["White", "Black"];

const CHUNK_SIZE: u64 = 1 << 16;
/// Minimum length of a name searched inside texts. Shorter names are parts of many words: only a whole text counts as one of them.
const MIN_NAME_LEN: usize = 5;

/// Hidden names: all names ever used by the players who asked to be anonymous.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HiddenNames {
    players: BTreeSet<Id>,
    names: BTreeSet<String>,
    /// Hidden names that another player has as well: hidden only where a pairing identifies the player.
    shared: BTreeSet<String>,
    /// Tags of recorded games with the name of a hidden player: board, game, tag.
    tags: BTreeSet<(String, u32, &'static str)>,
}

impl HiddenNames {
    /// Creates the hidden names of a tournament. `known`: every name that each player ever had.
    pub fn new(tournament: &Tournament, known: &BTreeMap<Id, BTreeSet<String>>) -> HiddenNames {
        let players = tournament.sections.iter().flat_map(|section| &section.players);
        let (hidden, others): (Vec<_>, Vec<_>) = players.partition(|player| player.is_hidden());
        let players: BTreeSet<Id> = hidden.iter().map(|player| player.id).collect();
        // Recorded games have names in the spelling of PDN.
        let spelled = |name: &String| [tag::reader_safe(name), name.clone()];
        let others: BTreeSet<String> = others.iter().flat_map(|player| spelled(&player.name)).collect();
        let mut names: BTreeSet<String> =
            players.iter().filter_map(|id| known.get(id)).flatten().flat_map(spelled).collect();
        names.retain(|name| !name.is_empty() && name != HIDDEN_NAME);
        let shared = names.intersection(&others).cloned().collect();
        let mut tags = BTreeSet::new();
        for game in &tournament.games {
            let is_hidden = |tag: &&&str| game.tags.get(**tag).is_some_and(|tag| tag.value == HIDDEN_NAME);
            tags.extend(PLAYER_TAGS.iter().filter(is_hidden).map(|tag| (game.board.clone(), game.number, *tag)));
        }
        HiddenNames { players, names, shared, tags }
    }

    /// Whether no name is hidden.
    pub fn is_empty(&self) -> bool {
        self.names.difference(&self.shared).next().is_none()
    }

    /// Returns the visible name of a player.
    pub fn name<'n>(&self, player: Id, name: &'n str) -> &'n str {
        if self.players.contains(&player) { HIDDEN_NAME } else { name }
    }

    /// Returns the visible value of a tag of a game.
    pub fn mask<'v>(&self, board: &str, game: u32, tag: &str, value: &'v str) -> &'v str {
        let is_hidden =
            self.names.contains(value) && (!self.shared.contains(value) || self.is_of_hidden(board, game, tag));
        if is_hidden { HIDDEN_NAME } else { value }
    }

    fn is_of_hidden(&self, board: &str, game: u32, tag: &str) -> bool {
        self.tags.iter().any(|(of, number, known)| (of.as_str(), *number, *known) == (board, game, tag))
    }

    /// Whether a tag of a game has the FMJD number of a hidden player. `name`: the player with this colour, if known.
    pub fn hides_number(&self, board: &str, game: u32, tag: &str, name: Option<&str>) -> bool {
        let side = PLAYER_TAGS.into_iter().find(|side| tag.strip_prefix(side) == Some("FmjdId"));
        side.is_some_and(|side| {
            self.is_of_hidden(board, game, side)
                || name.is_some_and(|name| name == HIDDEN_NAME || self.mask(board, game, side, name) == HIDDEN_NAME)
        })
    }

    /// Whether a file contains one of the names.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of the file.
    pub fn is_in(&self, file: impl Read) -> io::Result<bool> {
        let names: Vec<Vec<u8>> = self.names.difference(&self.shared).flat_map(|name| spellings(name)).collect();
        has_one_of(&names, file)
    }
}

fn has_one_of(names: &[Vec<u8>], mut source: impl Read) -> io::Result<bool> {
    let Some(longest) = names.iter().map(Vec::len).max() else { return Ok(false) };
    let mut chunk = Vec::new();
    loop {
        let is_read = source.by_ref().take(CHUNK_SIZE).read_to_end(&mut chunk)? > 0;
        if names.iter().any(|name| chunk.windows(name.len()).any(|part| part == name)) {
            return Ok(true);
        }
        if !is_read {
            return Ok(false);
        }
        // A name may continue in the next chunk.
        chunk.drain(..chunk.len().saturating_sub(longest));
    }
}

/// Returns the spellings of a name in files: plain, in JSON, and in tags of PDN.
fn spellings(name: &str) -> Vec<Vec<u8>> {
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    let is_short = name.chars().count() < MIN_NAME_LEN;
    let all = if is_short { vec![format!("\"{quoted}\"")] } else { vec![name.to_owned(), quoted] };
    all.into_iter().map(String::into_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(name: &str, text: &str) -> bool {
        has_one_of(&spellings(name), text.as_bytes()).unwrap()
    }

    #[test]
    fn finds_names_anywhere_and_short_ones_as_a_whole() {
        for at in [0, 1, 65_530, 65_535, 65_536, 131_070] {
            let text = format!("{}Wiersma, H.{}", "x".repeat(at), "y".repeat(70_000));
            assert!(has("Wiersma, H.", &text), "{at}");
            assert!(!has("Wiersma, J.", &text), "{at}");
        }
        assert!(has("O\"Neil, P", "[White \"O\\\"Neil, P\"]"));
        assert!(has("Ann", "{\"white\":\"Ann\"}") && !has("Ann", "Anniversary"));
        assert!(!has_one_of(&[], "x".as_bytes()).unwrap());
    }
}
