//! Files of an outlet that are replaced as a whole: a function of the boards, the tournament's record, the plan and the time. The outlet
//! writes those that have changed; `damcast fsck` compares all of them with the disk.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use damcast_engine::broadcast::snapshot::{BoardSelection, Snapshot, SnapshotEntry};
use damcast_engine::broadcast::{PartlyVisibleGame, WallTime, documents};
use draughts_pdn::profile::ReaderProfile;
use draughts_tournament::Tournament;

use super::boards::RoundBoards;
use super::plan::PlannedOutlet;
use super::rounds;

/// File with all boards.
pub const GAMES_FILE: &str = "games.pdn";
/// PDN files in the folder of the outlet and in that of each round.
const SNAPSHOTS: [(&str, BoardSelection); 2] =
    [(GAMES_FILE, BoardSelection::All), ("started.pdn", BoardSelection::Started)];
/// Function that makes the text of a document.
type MakeDocument = fn(&Tournament) -> String;
/// Documents about the tournament.
const DOCUMENTS: [(&str, MakeDocument); 2] =
    [("tournament.json", documents::tournament_document), ("standings.json", documents::standings_document)];
/// Folder of the rounds, in that of the outlet.
pub const ROUNDS_FOLDER: &str = "round";

/// A file of an outlet that is replaced as a whole.
pub struct PublicFile<'s> {
    /// Path in the outlet.
    pub path: PathBuf,
    content: Content<'s>,
}

enum Content<'s> {
    Snapshot { entries: Rc<Vec<SnapshotEntry<'s>>>, which: BoardSelection, profile: ReaderProfile },
    Document { tournament: Rc<Tournament>, visible: usize, write: MakeDocument },
}

/// Everything that the text of a file depends on: two files with equal fingerprints have equal texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fingerprint {
    /// Profile of the readers, and the changeable part of each board.
    Entries(ReaderProfile, Vec<EntryFingerprint>),
    /// Number of visible records.
    Records(usize),
}

/// Changeable part of an entry: the visible state of its game, or without a game its tags and result.
pub type EntryFingerprint = (String, Option<(u32, (usize, usize), bool, bool, bool, usize)>, Option<String>);

impl PublicFile<'_> {
    /// Returns the text of the file.
    ///
    /// # Errors
    ///
    /// Returns any I/O error of reading games that are over.
    pub fn text(&self) -> io::Result<String> {
        match &self.content {
            Content::Snapshot { entries, which, profile } => {
                Ok(Snapshot::from_entries(entries, *which, *profile)?.text)
            }
            Content::Document { tournament, write, .. } => Ok(write(tournament)),
        }
    }

    /// Returns the snapshot of a file of PDN.
    ///
    /// # Errors
    ///
    /// Returns errors as [`PublicFile::text`] does.
    pub fn snapshot(&self) -> io::Result<Option<Snapshot>> {
        match &self.content {
            Content::Snapshot { entries, which, profile } => {
                Snapshot::from_entries(entries, *which, *profile).map(Some)
            }
            Content::Document { .. } => Ok(None),
        }
    }

    /// Returns the fingerprint of the file, without making its text.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.content {
            Content::Snapshot { entries, profile, .. } => {
                Fingerprint::Entries(*profile, entries.iter().map(fingerprint).collect())
            }
            Content::Document { visible, .. } => Fingerprint::Records(*visible),
        }
    }
}

fn fingerprint(place: &SnapshotEntry) -> EntryFingerprint {
    let visible_game = place.visible_game.map(|PartlyVisibleGame { game, extent, .. }| {
        let is_released = game.is_released();
        (
            game.number(),
            (extent.entries, extent.insertions),
            extent.is_closed,
            extent.has_result,
            is_released,
            extent.corrections,
        )
    });
    let tags = || place.board.tags.iter().map(|(name, value)| format!("{name}={value};")).collect::<String>();
    let before = visible_game.is_none().then(|| format!("{}{:?}", tags(), place.result));
    (place.board.name.clone(), visible_game, before)
}

/// Returns all files of an outlet that are replaced as a whole, with their content at `now`.
///
/// # Errors
///
/// Returns any I/O error of reading games that are over.
pub fn files<'s>(boards: &'s RoundBoards, outlet: &PlannedOutlet, now: WallTime) -> io::Result<Vec<PublicFile<'s>>> {
    let visible = boards.history().visible_records(outlet.delay, now);
    files_of(boards, outlet, (visible, &Rc::new(boards.history().tournament(visible))), now)
}

/// Returns the files of [`files`] for the visible part of the tournament, given with its number of records.
///
/// # Errors
///
/// Returns any I/O error of reading games that are over.
pub fn files_of<'s>(
    boards: &'s RoundBoards,
    outlet: &PlannedOutlet,
    (visible, tournament): (usize, &Rc<Tournament>),
    now: WallTime,
) -> io::Result<Vec<PublicFile<'s>>> {
    let PlannedOutlet { delay, profile, .. } = *outlet;
    let mut files = Vec::new();
    if visible > 0 {
        files.extend(DOCUMENTS.map(|(name, write)| PublicFile {
            path: name.into(),
            content: Content::Document { tournament: Rc::clone(tournament), visible, write },
        }));
    }
    let mut add = |folder: &Path, entries: Vec<SnapshotEntry<'s>>| {
        let entries = Rc::new(entries);
        files.extend(SNAPSHOTS.map(|(name, which)| PublicFile {
            path: folder.join(name),
            content: Content::Snapshot { entries: Rc::clone(&entries), which, profile },
        }));
    };
    add(Path::new(""), rounds::current_entries(boards, tournament, delay, now)?);
    let games = rounds::games_of_pairings(boards, tournament);
    for round in rounds::rounds(tournament) {
        let entries = rounds::round_entries(boards, &games, tournament, round, (delay, now))?;
        add(&Path::new(ROUNDS_FOLDER).join(round.to_string()), entries);
    }
    Ok(files)
}
