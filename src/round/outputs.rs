//! The public files on the disk: written when they differ from what stands there.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use tracing::{info, warn};

use super::events_file::EventsFile;
use crate::broadcast::snapshot::{Boards, Snapshot};
use crate::broadcast::{Board, Moment, archive, events};
use crate::config::PublicConfig;
use crate::disk::{self, Disk, Durability};

/// The public files of a station.
pub struct Outputs {
    disk: Box<dyn Disk>,
    directory: PathBuf,
    public: PublicConfig,
    snapshots: [Replaced; 2],
    events: EventsFile,
    archived: BTreeSet<(String, u32)>,
    /// The boards that were told to be shown to their last sure move only.
    held: Vec<String>,
    /// The fault of the disk that the operator was told of.
    fault: Option<String>,
    is_made: bool,
}

/// A file that is replaced as a whole.
struct Replaced {
    name: &'static str,
    which: Boards,
    text: Option<String>,
    /// What was last found wrong with it.
    flaw: Option<String>,
}

impl Outputs {
    /// The files in a folder.
    pub fn new(disk: Box<dyn Disk>, directory: PathBuf, public: PublicConfig) -> Outputs {
        let file = |name, which| Replaced { name, which, text: None, flaw: None };
        let events = EventsFile::new(directory.join("events.ndjson"));
        Outputs {
            disk,
            directory,
            public,
            snapshots: [file("games.pdn", Boards::All), file("started.pdn", Boards::Started)],
            events,
            archived: BTreeSet::new(),
            held: Vec::new(),
            fault: None,
            is_made: false,
        }
    }

    /// From now on files are written so.
    pub fn configure(&mut self, public: PublicConfig) {
        self.public = public;
    }

    /// Writes what may be seen of the boards. Returns whether the disk took it; if not, the operator has been told.
    pub fn write(&mut self, boards: &[&Board], now: Moment) -> bool {
        match self.try_to_write(boards, now) {
            Ok(()) => {
                if self.fault.take().is_some() {
                    info!("the public files are written again");
                }
                true
            }
            Err(error) => {
                let fault = format!("the public files cannot be written: {error}; trying again");
                if self.fault.as_ref() != Some(&fault) {
                    warn!("{fault}");
                    self.fault = Some(fault);
                }
                false
            }
        }
    }

    fn try_to_write(&mut self, boards: &[&Board], now: Moment) -> io::Result<()> {
        if !self.is_made {
            fs::create_dir_all(self.directory.join("archive"))?;
            self.is_made = true;
        }
        self.append_events(boards, now)?;
        for index in 0..self.snapshots.len() {
            self.replace(index, boards, now)?;
        }
        Ok(())
    }

    fn append_events(&mut self, boards: &[&Board], now: Moment) -> io::Result<()> {
        let mut any = false;
        for board in boards {
            for game in &board.games {
                let key = (board.name.clone(), game.number);
                if self.archived.contains(&key) {
                    continue;
                }
                let view = self.public.delay.view(game, now);
                let told = events::events(board, game, view);
                any |= self.events.complete(self.disk.as_ref(), &board.name, game.number, &told)?;
                // The result, if there is one, is known when the game is closed.
                if view.is_closed && view.result == game.result().map(|(_, result)| result) {
                    let path = self.directory.join("archive").join(format!("{}-{}.pdn", board.name, game.number));
                    let text = archive::text(board, game);
                    if self.disk.read(&path).ok().as_deref() != Some(text.as_bytes()) {
                        disk::replace(self.disk.as_ref(), &path, text.as_bytes(), self.public.durability)?;
                    }
                    self.archived.insert(key);
                }
            }
        }
        if any && self.public.durability == Durability::Safe { self.events.sync() } else { Ok(()) }
    }

    fn replace(&mut self, index: usize, boards: &[&Board], now: Moment) -> io::Result<()> {
        let PublicConfig { profile, delay, durability } = self.public;
        let file = &mut self.snapshots[index];
        let snapshot = Snapshot::of(boards, file.which, profile, delay, now);
        if file.which == Boards::All && snapshot.held != self.held {
            for board in snapshot.held.iter().filter(|board| !self.held.contains(board)) {
                warn!(
                    line = board,
                    "the public files show this game up to its last sure move: a setup follows, which readers of the \
                     profile {profile} cannot take; live/ has all of it"
                );
            }
            self.held.clone_from(&snapshot.held);
        }
        if file.text.as_ref() == Some(&snapshot.text) {
            return Ok(());
        }
        if let Some(flaw) = snapshot.flaw() {
            let flaw = flaw.to_string();
            if file.flaw.as_ref() != Some(&flaw) {
                warn!("{} is not published, the last good one stays; its readers would stumble at {flaw}", file.name);
                file.flaw = Some(flaw);
            }
            return Ok(());
        }
        file.flaw = None;
        let path = self.directory.join(file.name);
        if self.disk.read(&path).ok().as_deref() != Some(snapshot.text.as_bytes()) {
            disk::replace(self.disk.as_ref(), &path, snapshot.text.as_bytes(), durability)?;
        }
        file.text = Some(snapshot.text);
        Ok(())
    }
}
