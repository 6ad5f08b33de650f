//! Files of an outlet that are replaced as a whole: a function of the boards, the tournament's record, the plan and the time. The outlet
//! writes those that have changed; `damcast fsck` compares all of them with the disk.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use damcast_engine::broadcast::snapshot::{BoardSelection, EntryText, Snapshot, SnapshotEntry};
use damcast_engine::broadcast::{PartlyVisibleGame, WallTime};
use draughts_pdn::Problem;
use draughts_pdn::profile::ReaderProfile;
use draughts_tournament::{Tournament, documents};

use super::boards::RoundBoards;
use super::plan::PlannedOutlet;
use super::rounds::{self, VisibleTournament};

/// File with all boards.
pub const GAMES_FILE: &str = "games.pdn";
/// PDN files in the folder of the outlet and in that of each round.
pub(super) const SNAPSHOTS: [(&str, BoardSelection); 2] =
    [(GAMES_FILE, BoardSelection::All), ("started.pdn", BoardSelection::Started)];
/// Function that makes the text of a document.
type MakeDocument = fn(&Tournament) -> String;
/// Documents about the tournament.
const DOCUMENTS: [(&str, MakeDocument); 2] =
    [("tournament.json", documents::tournament_document), ("standings.json", documents::standings_document)];
/// Folder of the rounds, in that of the outlet.
pub const ROUNDS_FOLDER: &str = "round";
/// Folder of the parts of a `games.pdn` with more games than the readers of the profile take, in that of the outlet.
pub const PARTS_FOLDER: &str = "part";

/// A file of an outlet that is replaced as a whole.
pub struct PublicFile<'s> {
    /// Path in the outlet.
    pub path: PathBuf,
    content: Content<'s>,
}

enum Content<'s> {
    Snapshot { entries: Rc<Entries<'s>>, which: BoardSelection, profile: ReaderProfile },
    Document { tournament: Rc<VisibleTournament>, write: MakeDocument },
}

/// Entries of the files of a folder.
struct Entries<'s> {
    entries: Vec<SnapshotEntry<'s>>,
    fingerprints: Rc<Vec<EntryFingerprint>>,
}

impl<'s> Entries<'s> {
    fn new(entries: Vec<SnapshotEntry<'s>>) -> Entries<'s> {
        let fingerprints = Rc::new(entries.iter().map(fingerprint).collect());
        Entries { entries, fingerprints }
    }
}

/// Everything that the text of a file depends on: two files with equal fingerprints have equal texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fingerprint {
    /// Profile of the readers, and the changeable part of each board.
    Entries(ReaderProfile, Rc<Vec<EntryFingerprint>>),
    /// Number of visible records.
    Records(usize),
}

/// Texts of the entries of a folder's files. Only entries whose fingerprints have changed are written and checked anew.
#[derive(Default)]
pub struct EntryTexts {
    /// Profile of the texts.
    profile: ReaderProfile,
    entries: Vec<KnownText>,
    /// Number of times that a file was asked for since the texts last changed.
    unchanged_times: u32,
}

struct KnownText {
    fingerprint: EntryFingerprint,
    text: EntryText,
    is_readable: bool,
}

/// Number of times without a change after which the texts of a folder leave memory: most rounds are over.
const MAX_UNCHANGED_TIMES: u32 = 600 * SNAPSHOTS.len() as u32;

impl EntryTexts {
    /// Counts a time at which the file had not changed.
    pub fn count_unchanged(&mut self) {
        self.unchanged_times += 1;
        if self.unchanged_times == MAX_UNCHANGED_TIMES {
            self.entries = Vec::new();
        }
    }

    fn update(&mut self, Entries { entries, fingerprints }: &Entries, profile: ReaderProfile) -> io::Result<()> {
        self.unchanged_times = 0;
        // A profile shows games in its own form.
        let count = if self.profile == profile { entries.len() } else { 0 };
        self.profile = profile;
        self.entries.truncate(count);
        for (index, (entry, fingerprint)) in entries.iter().zip(fingerprints.iter()).enumerate() {
            if self.entries.get(index).is_some_and(|known| known.fingerprint == *fingerprint) {
                continue;
            }
            let text = EntryText::new(entry, profile)?;
            let is_readable = text.is_readable(profile);
            let known = KnownText { fingerprint: fingerprint.clone(), text, is_readable };
            match self.entries.get_mut(index) {
                Some(old) => *old = known,
                None => self.entries.push(known),
            }
        }
        Ok(())
    }
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
                Ok(Snapshot::from_entries(&entries.entries, *which, *profile)?.text)
            }
            Content::Document { tournament, write } => Ok(write(tournament)),
        }
    }

    /// Returns the snapshot of a file of PDN with the problem that its readers would have, if any; `None` for another file. `texts`: those of
    /// the last call for a file of this folder.
    ///
    /// # Errors
    ///
    /// Returns errors as [`PublicFile::text`] does.
    pub fn checked_snapshot(&self, texts: &mut EntryTexts) -> io::Result<Option<(Snapshot, Option<Problem>)>> {
        let Content::Snapshot { entries, which, profile } = &self.content else { return Ok(None) };
        texts.update(entries, *profile)?;
        let snapshot = Snapshot::from_texts(texts.entries.iter().map(|known| &known.text), *which, *profile);
        let is_readable = texts.entries.iter().all(|known| known.is_readable);
        let problem = if is_readable { None } else { snapshot.first_problem() };
        Ok(Some((snapshot, problem)))
    }

    /// Returns the fingerprint of the file, without making its text.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.content {
            Content::Snapshot { entries, profile, .. } => {
                Fingerprint::Entries(*profile, Rc::clone(&entries.fingerprints))
            }
            Content::Document { tournament, .. } => Fingerprint::Records(tournament.records),
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
    let board = &place.board;
    let tags = || board.tags.iter().map(|(name, value)| format!("{name}={value};")).collect::<String>();
    let game_type = board.variant.game_type.tag_value();
    let before = visible_game.is_none().then(|| format!("{game_type};{}{:?}", tags(), place.result));
    (board.name.clone(), visible_game, before)
}

/// Returns all files of an outlet that are replaced as a whole, with their content at `now`.
///
/// # Errors
///
/// Returns any I/O error of reading games that are over.
pub fn files<'s>(boards: &'s RoundBoards, outlet: &PlannedOutlet, now: WallTime) -> io::Result<Vec<PublicFile<'s>>> {
    let visible = boards.history().visible_records(outlet.delay, now);
    files_of(boards, outlet, &Rc::new(VisibleTournament::new(boards.history(), visible)), now)
}

/// Returns the files of [`files`] for the visible part of the tournament.
///
/// # Errors
///
/// Returns any I/O error of reading games that are over.
pub fn files_of<'s>(
    boards: &'s RoundBoards,
    outlet: &PlannedOutlet,
    tournament: &Rc<VisibleTournament>,
    now: WallTime,
) -> io::Result<Vec<PublicFile<'s>>> {
    let PlannedOutlet { delay, profile, .. } = *outlet;
    let mut files = Vec::new();
    if tournament.records > 0 {
        files.extend(DOCUMENTS.map(|(name, write)| PublicFile {
            path: name.into(),
            content: Content::Document { tournament: Rc::clone(tournament), write },
        }));
    }
    let mut add = |folder: &Path, entries: Vec<SnapshotEntry<'s>>| {
        let entries = Rc::new(Entries::new(entries));
        files.extend(SNAPSHOTS.map(|(name, which)| PublicFile {
            path: folder.join(name),
            content: Content::Snapshot { entries: Rc::clone(&entries), which, profile },
        }));
    };
    let current = rounds::current_entries(boards, tournament, delay, now)?;
    if let Some(most) = profile.max_games().filter(|most| current.len() > *most) {
        for (number, part) in (1..).zip(current.chunks(most)) {
            add(&Path::new(PARTS_FOLDER).join(number.to_string()), part.to_vec());
        }
    }
    add(Path::new(""), current);
    let games = rounds::games_of_pairings(boards, tournament);
    for round in rounds::rounds(tournament) {
        let entries = rounds::round_entries(boards, &games, tournament, round, (delay, now))?;
        add(&Path::new(ROUNDS_FOLDER).join(round.to_string()), entries);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use damcast_engine::broadcast::{Board, Delay, GameChange, GameRecord};
    use damcast_engine::livefile::{GameHeader, LiveFileContents};
    use draughts::Variant;

    use super::*;

    /// Returns a board whose game has a setup, which lidraughts cannot take.
    fn board(name: &str) -> Board {
        const LINES: &str = "1. 32-28\n19-24\n/FEN \"B:W28,31,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:\
            B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,20,24\"/\n2... 24-30\n";
        let variant = Variant::international();
        let header = GameHeader {
            game: 1,
            variant,
            tags: Vec::new(),
            pairing_id: None,
            continued_game: None,
            is_entered: false,
        };
        let text = header.header_lines().join("\n") + "\n" + LINES;
        let mut game = GameRecord::new(header, now());
        let entries = LiveFileContents::parse(1, &text).unwrap().entries;
        entries.into_iter().for_each(|entry| game.apply(now(), GameChange::Entry(entry)));
        let mut board = Board::new(name, variant, Vec::new());
        board.push(game);
        board
    }

    fn now() -> WallTime {
        DateTime::parse_from_rfc3339("2026-11-21T09:30:00.000+01:00").unwrap()
    }

    #[test]
    fn kept_texts_are_those_of_new_file() {
        let mut texts = EntryTexts::default();
        let (a, b, unbegun) = (board("a"), board("b"), Board::new("c", Variant::international(), Vec::new()));
        let russian = Board::new("c", Variant::from_tag("25").unwrap(), Vec::new());
        let orders: [&[&Board]; 6] = [&[&a], &[&a, &b], &[&b, &a], &[&a, &unbegun], &[&a, &russian], &[&a]];
        for profile in [ReaderProfile::ALL, ReaderProfile::ALL].concat() {
            for boards in orders {
                let entries: Vec<SnapshotEntry> = boards
                    .iter()
                    .map(|board| SnapshotEntry::from_board(board, Delay::NO_DELAY, now()).unwrap())
                    .collect();
                let content =
                    Content::Snapshot { entries: Rc::new(Entries::new(entries)), which: BoardSelection::All, profile };
                let file = PublicFile { path: GAMES_FILE.into(), content };
                let (snapshot, problem) = file.checked_snapshot(&mut texts).unwrap().unwrap();
                assert_eq!(snapshot.text, file.text().unwrap(), "{profile}");
                assert_eq!(problem, snapshot.first_problem(), "{profile}");
            }
        }
    }
}
