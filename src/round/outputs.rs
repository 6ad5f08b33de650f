//! The public files on the disk: written when they differ from what stands there.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tracing::{info, warn};

use super::boards::Seating;
use super::events_file::{EventsFile, Streams};
use crate::broadcast::events::{self, Event, Key, Stream};
use crate::broadcast::snapshot::{Boards, Snapshot};
use crate::broadcast::{Board, Delay, Moment, archive};
use crate::config::{OutputConfig, PublicConfig};
use crate::disk::{self, Disk};

/// The public files of a station.
pub struct Outputs {
    disk: Box<dyn Disk>,
    directory: PathBuf,
    log: PathBuf,
    public: PublicConfig,
    snapshots: [Replaced; 2],
    events: EventsFile,
    /// The games in the archive, each with the result it has there.
    archived: BTreeMap<(String, u32), Option<String>>,
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
    output: OutputConfig,
    text: Option<String>,
    /// What was last found wrong with it.
    flaw: Option<String>,
}

impl Outputs {
    /// The files `public/` of a station's directory.
    pub fn new(disk: Box<dyn Disk>, directory: &Path, public: PublicConfig) -> Outputs {
        let file = |name, which, output| Replaced { name, which, output, text: None, flaw: None };
        let (log, directory) = (directory.join("log"), directory.join("public"));
        let events = EventsFile::new(&directory, &log);
        Outputs {
            disk,
            directory,
            log,
            snapshots: [
                file("games.pdn", Boards::All, public.games),
                file("started.pdn", Boards::Started, public.started),
            ],
            public,
            events,
            archived: BTreeMap::new(),
            held: Vec::new(),
            fault: None,
            is_made: false,
        }
    }

    /// From now on files are written so.
    pub fn configure(&mut self, public: PublicConfig) {
        self.snapshots[0].output = public.games;
        self.snapshots[1].output = public.started;
        self.public = public;
    }

    /// Writes what may be seen of the boards. Returns whether the disk took it; if not, the operator has been told.
    pub fn write(&mut self, seating: &mut Seating, now: Moment) -> bool {
        match self.try_to_write(seating, now) {
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

    /// Writes what may be seen of the boards.
    ///
    /// # Errors
    ///
    /// As the disk says; what is missing follows the next time.
    pub fn try_to_write(&mut self, seating: &mut Seating, now: Moment) -> io::Result<()> {
        if !self.is_made {
            fs::create_dir_all(self.directory.join("archive"))?;
            self.remove_what_was_being_written()?;
            self.is_made = true;
        }
        seating.plans.save(self.disk.as_ref(), &self.log)?;
        let boards: Vec<&Board> = seating.boards().collect();
        self.tell_events(&boards, now)?;
        self.archive(seating, now)?;
        for index in 0..self.snapshots.len() {
            self.replace(index, &boards, now)?;
        }
        Ok(())
    }

    /// A station that was killed may have left the new text of a file that it was about to replace.
    fn remove_what_was_being_written(&self) -> io::Result<()> {
        for folder in [self.directory.clone(), self.directory.join("archive")] {
            for name in self.disk.list(&folder)?.into_iter().filter(|name| name.ends_with(".new")) {
                self.disk.remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    fn tell_events(&mut self, boards: &[&Board], now: Moment) -> io::Result<()> {
        if !self.events.is_open() {
            for notice in self.events.open(self.disk.as_ref(), &all_events(boards))? {
                warn!("{notice}");
            }
        }
        let new = untold(boards, self.public.events.delay, now, |stream| self.events.told(stream));
        self.events.tell(&new, self.public.events.durability)
    }

    fn archive(&mut self, seating: &Seating, now: Moment) -> io::Result<()> {
        let OutputConfig { delay, durability } = self.public.archive;
        for (path, text, key, result) in archived(seating, delay, now, &self.archived) {
            let path = self.directory.join(path);
            if self.disk.read(&path).ok().as_deref() != Some(text.as_bytes()) {
                disk::replace(self.disk.as_ref(), &path, text.as_bytes(), durability)?;
            }
            self.archived.insert(key, result);
        }
        Ok(())
    }

    fn replace(&mut self, index: usize, boards: &[&Board], now: Moment) -> io::Result<()> {
        let profile = self.public.profile;
        let file = &mut self.snapshots[index];
        let snapshot = Snapshot::of(boards, file.which, profile, file.output.delay, now);
        if file.which == Boards::All && snapshot.held != self.held {
            for board in snapshot.held.iter().filter(|board| !self.held.contains(board)) {
                warn!(
                    line = board,
                    "the public files show this game up to its last sure move, or not at all if it began with Black to \
                     move: readers of the profile {profile} cannot take the rest; live/ has all of it"
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
            disk::replace(self.disk.as_ref(), &path, snapshot.text.as_bytes(), file.output.durability)?;
        }
        file.text = Some(snapshot.text);
        Ok(())
    }
}

/// All events of all games, whatever may be seen of them.
pub fn all_events(boards: &[&Board]) -> Streams {
    let mut streams = Streams::new();
    for board in boards {
        for game in &board.games {
            let events = events::events(board, game, Delay::NONE.view(game, game.latest()), 0);
            let asides = events::asides(board, game, Delay::NONE, game.latest(), 0);
            streams.insert((board.name.clone(), game.number, Stream::Game), events);
            streams.insert((board.name.clone(), game.number, Stream::Aside), asides);
        }
    }
    streams
}

/// The events that may be seen and were not told, in the order in which they are to be told: that of their moments, then of
/// the boards.
pub fn untold(boards: &[&Board], delay: Delay, now: Moment, told: impl Fn(&Key) -> u64) -> Vec<Event> {
    let mut new = Vec::new();
    for board in boards {
        for game in &board.games {
            let mut stream = (board.name.clone(), game.number, Stream::Game);
            let view = delay.view(game, now);
            let so_far = told(&stream);
            if events::count(view) > so_far {
                new.append(&mut events::events(board, game, view, so_far));
            }
            stream.2 = Stream::Aside;
            new.append(&mut events::asides(board, game, delay, now, told(&stream)));
        }
    }
    // Those of a game keep their order, for their moments never go back.
    new.sort_by_key(Event::at);
    new
}

/// A file of the archive: its path in `public/`, its text, its game, and the result that it has.
pub type Archived = (PathBuf, String, (String, u32), Option<String>);

/// The files of the archive that may be seen, but for those that are there already.
pub fn archived(
    seating: &Seating,
    delay: Delay,
    now: Moment,
    there: &BTreeMap<(String, u32), Option<String>>,
) -> Vec<Archived> {
    let mut files = Vec::new();
    for (board, game) in seating.games() {
        let view = delay.view(game, now);
        let Some(closed) = game.closed().filter(|_| view.is_closed) else { continue };
        let key = (board.name.clone(), game.number);
        let result = view.result.map(str::to_owned);
        // Of a result that may not be seen yet the archive says nothing either: it waits for it.
        if there.get(&key) == Some(&result) || view.result != game.result().map(|(_, result)| result) {
            continue;
        }
        let text = archive::text(&seating.board_at(board, closed), game);
        let path = Path::new("archive").join(format!("{}-{}.pdn", board.name, game.number));
        files.push((path, text, key, result));
    }
    files
}
