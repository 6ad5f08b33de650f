//! Files of an outlet that are replaced as a whole, as they are to be at a moment: a function of the boards, the tournament's record
//! and the plan. The outlet writes those that have changed, and `damcast fsck` compares all of them with what it finds.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::boards::Seating;
use super::plan::PlannedOutlet;
use super::rounds;
use crate::engine::broadcast::snapshot::{Boards, Snapshot, SnapshotPlace};
use crate::engine::broadcast::{Moment, documents};
use crate::engine::profile::Profile;
use crate::engine::tournament::Tournament;

/// File with all boards.
pub const GAMES: &str = "games.pdn";
/// Files of PDN, in the folder of the outlet and in that of each round.
const SNAPSHOTS: [(&str, Boards); 2] = [(GAMES, Boards::All), ("started.pdn", Boards::Started)];
/// Function that makes the text of a document.
type MakeDocument = fn(&Tournament) -> String;
/// Documents about the tournament.
const DOCUMENTS: [(&str, MakeDocument); 2] =
    [("tournament.json", documents::tournament_document), ("standings.json", documents::standings_document)];
/// Folder of the rounds, in that of the outlet.
pub const ROUNDS: &str = "round";

/// A file of an outlet that is replaced as a whole.
pub struct PublicFile<'s> {
    /// Path in the outlet.
    pub path: PathBuf,
    content: Content<'s>,
}

enum Content<'s> {
    Snapshot { places: Rc<Vec<SnapshotPlace<'s>>>, which: Boards, profile: Profile },
    Document { tournament: Rc<Tournament>, seen: usize, write: MakeDocument },
}

/// Everything that the text of a file depends on: two files with equal fingerprints have equal texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fingerprint {
    /// Profile of the readers, and as much of each board as can change.
    Places(Profile, Vec<PlaceFingerprint>),
    /// Number of the records that may be seen.
    Records(usize),
}

/// As much of a place as can change: what is shown of its game, or its tags and its result without a game.
pub type PlaceFingerprint = (String, Option<(u32, usize, bool, bool, bool, usize)>, Option<String>);

impl PublicFile<'_> {
    /// Returns the text of the file.
    pub fn text(&self) -> String {
        match &self.content {
            Content::Snapshot { places, which, profile } => Snapshot::of_places(places, *which, *profile).text,
            Content::Document { tournament, write, .. } => write(tournament),
        }
    }

    /// Returns the snapshot of a file of PDN.
    pub fn snapshot(&self) -> Option<Snapshot> {
        match &self.content {
            Content::Snapshot { places, which, profile } => Some(Snapshot::of_places(places, *which, *profile)),
            Content::Document { .. } => None,
        }
    }

    /// Returns the fingerprint of the file, without making its text.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.content {
            Content::Snapshot { places, profile, .. } => {
                Fingerprint::Places(*profile, places.iter().map(fingerprint).collect())
            }
            Content::Document { seen, .. } => Fingerprint::Records(*seen),
        }
    }
}

fn fingerprint(place: &SnapshotPlace) -> PlaceFingerprint {
    let shown = place.shown.map(|(game, view)| {
        let is_released = game.is_released();
        let corrections = view.corrections.len();
        (game.number(), view.entries.len(), view.is_closed, view.result.is_some(), is_released, corrections)
    });
    let tags = || place.board.tags.iter().map(|(name, value)| format!("{name}={value};")).collect::<String>();
    let before = shown.is_none().then(|| format!("{}{:?}", tags(), place.result));
    (place.board.name.clone(), shown, before)
}

/// Returns all files of an outlet that are replaced as a whole, as they are to be at a moment.
pub fn files<'s>(seating: &'s Seating, outlet: &PlannedOutlet, now: Moment) -> Vec<PublicFile<'s>> {
    let seen = seating.course().seen(outlet.delay, now);
    files_of(seating, outlet, (seen, &Rc::new(seating.course().tournament(seen))), now)
}

/// The same; `tournament`: what may be seen of the tournament, after so many records.
pub fn files_of<'s>(
    seating: &'s Seating,
    outlet: &PlannedOutlet,
    (seen, tournament): (usize, &Rc<Tournament>),
    now: Moment,
) -> Vec<PublicFile<'s>> {
    let PlannedOutlet { delay, profile, .. } = *outlet;
    let mut files = Vec::new();
    if seen > 0 {
        files.extend(DOCUMENTS.map(|(name, write)| PublicFile {
            path: name.into(),
            content: Content::Document { tournament: Rc::clone(tournament), seen, write },
        }));
    }
    let mut add = |folder: &Path, places: Vec<SnapshotPlace<'s>>| {
        let places = Rc::new(places);
        files.extend(SNAPSHOTS.map(|(name, which)| PublicFile {
            path: folder.join(name),
            content: Content::Snapshot { places: Rc::clone(&places), which, profile },
        }));
    };
    add(Path::new(""), rounds::current_places(seating, tournament, delay, now));
    let games = rounds::games_of_pairings(seating, tournament);
    for round in rounds::rounds(tournament) {
        let places = rounds::places_of_round(seating, &games, tournament, round, (delay, now));
        add(&Path::new(ROUNDS).join(round.to_string()), places);
    }
    files
}
