//! `damcast hub`: joins the outlets of several halls into one, in a process of its own.
//!
//! ```text
//!   http://laptop-2/events?…&follow ─ curl ─┐                        ┌▸ hub/hall/NAME/events.ndjson, …   copies
//!   recordings/public/events.ndjson ────────┴▸ source ─▸ Hub (owner) ┴▸ hub/events.ndjson, games.pdn, …  an outlet
//! ```
//!
//! Guarantees:
//!
//! * A copy equals the hall's file of events byte for byte, up to its end, also after a kill. After a loss of power it may lack lines of the last
//!   second, which the hall sends again.
//! * A joined line keeps its number, also after a loss of power. If the copy of a hall begins anew, or a player becomes anonymous, the joined file begins a new generation.
//! * A hall that is away, damaged or too large changes nothing for the others.
//! * The network of the process is that of its `curl` children.
//!
//! | file | subject |
//! |---|---|
//! | `source` | threads that follow a hall |
//! | `copy` | copy of a hall's events |
//! | `line`, `joined_events` | joined lines, the joined file |
//! | `copied_files` | files beside the events, and what is made of them |
//! | `state` | state file, for the operator |

mod copied_files;
mod copy;
mod joined_events;
mod line;
mod source;
mod state;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use draughts_pdn::profile::ReaderProfile;

use crate::follow::RestartReason;
use crate::joined_sections::JoinedSections;
use copied_files::{ChangedFiles, CopiedFile, FILES_DOCUMENT, HallFiles, TOURNAMENT};
use copy::HallCopy;
use joined_events::JoinedEvents;
use source::{HallNews, MAX_HALL_SIZE, News, NewsSender};
use state::{HallState, PastGenerations};

/// Time without a word from a hall, or from its recorder, after which the hall is away.
pub const MAX_SILENCE: Duration = Duration::from_secs(14);
/// Interval between signs of life of the hub, between writes of the state file, and between attempts after an error of the disk.
const TICK: Duration = Duration::from_secs(1);
/// Interval between two signs of life.
const SIGN_INTERVAL: Duration = Duration::from_secs(5);
/// Shortest interval between two writes of the joined files.
const FILES_INTERVAL: Duration = Duration::from_secs(1);
/// Shortest interval between two writes of the joined events: lines that come close together share one sync.
const WRITE_INTERVAL: Duration = Duration::from_millis(100);
/// Length of a sign of life without its line feed, in bytes: the same for all signs.
const SIGN_LEN: usize = 71;
/// Largest number of messages in one step.
const MAX_BATCH: usize = 128;

/// Options of the hub.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// Folder of the hub, an outlet.
    pub directory: PathBuf,
    /// Reader whose rules the copied files must obey.
    pub profile: ReaderProfile,
    /// Halls in the order of their boards.
    pub halls: Vec<HubHall>,
    /// State file, for the operator.
    pub state_file: PathBuf,
}

/// Hall of a hub.
#[derive(Clone, Debug)]
pub struct HubHall {
    /// Name, the first part of the names of its boards.
    pub name: String,
    /// Place of its files.
    pub place: HallPlace,
}

/// Place of a hall's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HallPlace {
    /// Folder of an outlet on this machine.
    Folder(PathBuf),
    /// Address of the pages of a station or a hub.
    Url {
        /// Address without a slash at its end.
        url: String,
        /// File with the certificates to trust, in place of those of the system.
        ca: Option<PathBuf>,
    },
}

impl std::fmt::Display for HallPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HallPlace::Folder(folder) => write!(f, "{}", folder.display()),
            HallPlace::Url { url, .. } => f.write_str(url),
        }
    }
}

/// Joins halls until `stop` is true.
///
/// # Errors
///
/// Returns any I/O error of the hub's folder at the start, and of the start of a thread, and an error if the folder is removed or replaced:
/// a new start writes all of it. Other errors are reported in the state, and what could not be written is written when the folder allows it.
pub fn run(options: HubOptions, stop: &Arc<AtomicBool>) -> io::Result<()> {
    fs::create_dir_all(&options.directory)?;
    let mut hub = Hub::open(options)?;
    let (sender, news) = mpsc::sync_channel(64);
    let mut threads = Vec::new();
    for (index, hall) in hub.options.halls.iter().enumerate() {
        let is_unwritten = hub.halls[index].is_unwritten.clone();
        let sender = NewsSender { hall: index, hub: sender.clone(), stop: stop.clone(), is_unwritten };
        let place = hall.place.clone();
        let thread = std::thread::Builder::new().name(format!("hall {}", hall.name)).spawn(move || match place {
            HallPlace::Folder(folder) => source::follow_folder(&folder, &sender),
            HallPlace::Url { url, ca } => source::follow_url(&url, ca.as_deref(), &sender),
        })?;
        threads.push(thread);
    }
    drop(sender);
    while !stop.load(Ordering::Relaxed) {
        hub.step(&news);
        if hub.events.is_lost() {
            let folder = hub.options.directory.display();
            return Err(io::Error::other(format!(
                "{folder}: its file of events was removed or replaced; start the hub again"
            )));
        }
    }
    Ok(())
}

/// Owner of all files of the hub.
struct Hub {
    options: HubOptions,
    halls: Vec<Hall>,
    events: JoinedEvents,
    sections: JoinedSections,
    /// Files of the halls that are not joined yet.
    changed: ChangedFiles,
    /// Number of games in the joined file of games.
    games: usize,
    wrote_files: Option<Instant>,
    wrote_events: Instant,
    signed: Option<Instant>,
    ticked: Option<Instant>,
    since: i64,
    /// Last error of the disk.
    disk_error: Option<String>,
}

/// Hall with its copy.
struct Hall {
    name: String,
    copy: HallCopy,
    files: HallFiles,
    state: HallState,
    opened: Instant,
    /// Time of its last word; `None` before the first one.
    heard: Option<Instant>,
    /// Whether its files were listed in this run, or cannot be.
    is_listed: bool,
    /// Tells the thread that lines of the hall could not be written.
    is_unwritten: Arc<AtomicBool>,
    /// Whether the copy has all lines that came.
    has_all_lines: bool,
    /// Number of the hall's last line, from its last sign of life; 0 if unknown.
    last_seq: u64,
    /// Generation that the hall last named; `None` before its first answer of this run.
    named_generation: Option<String>,
    /// Generation that the hub takes from the hall, from before its first line on.
    claimed: Option<String>,
    past: PastGenerations,
}

impl Hub {
    fn open(options: HubOptions) -> io::Result<Hub> {
        let aside = options.directory.join("aside");
        let mut halls = Vec::new();
        for hall in &options.halls {
            let folder = options.directory.join("hall").join(&hall.name);
            halls.push(Hall {
                copy: HallCopy::open(&folder, &aside)?,
                files: HallFiles::open(&folder),
                name: hall.name.clone(),
                state: HallState::new(&hall.name, hall.place.to_string()),
                opened: Instant::now(),
                heard: None,
                is_listed: false,
                is_unwritten: Arc::default(),
                has_all_lines: true,
                last_seq: 0,
                named_generation: None,
                claimed: None,
                past: PastGenerations::default(),
            });
        }
        remove_other_halls(&options)?;
        let sections = copied_files::join_sections(&with_names(&halls));
        let names: Vec<&str> = halls.iter().map(|hall| hall.name.as_str()).collect();
        let events = JoinedEvents::open(&options.directory, &names, &sections.hidden_digest())?;
        let since = state::now();
        let mut hub = Hub {
            options,
            halls,
            events,
            sections,
            changed: None,
            games: 0,
            wrote_files: None,
            wrote_events: Instant::now(),
            signed: None,
            ticked: None,
            since,
            disk_error: None,
        };
        hub.check_generations()?;
        hub.events.write()?;
        Ok(hub)
    }

    /// Begins the joined file anew if it has lines that are not those of the copies.
    fn check_generations(&mut self) -> io::Result<()> {
        let is_other = self.halls.iter().any(|hall| {
            let joined = &self.events.halls[&hall.name];
            joined.seq > 0 && joined.generation != hall.copy.position.generation
        });
        if is_other { self.begin_anew() } else { Ok(()) }
    }

    fn begin_anew(&mut self) -> io::Result<()> {
        let names: Vec<&str> = self.options.halls.iter().map(|hall| hall.name.as_str()).collect();
        self.events.begin_anew(&names, &self.sections.hidden_digest())
    }

    /// Waits for messages, handles them, and writes what they change.
    fn step(&mut self, news: &Receiver<HallNews>) {
        match news.recv_timeout(TICK) {
            Ok(first) => {
                self.handle(first);
                let end = self.wrote_events + WRITE_INTERVAL;
                for _ in 1..MAX_BATCH {
                    let Ok(next) = news.recv_timeout(end.saturating_duration_since(Instant::now())) else { break };
                    self.handle(next);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            // All threads have ended: the hub stops.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TICK),
        }
        self.judge_halls();
        self.wrote_events = Instant::now();
        let written = self.write();
        if let Err(error) = &written
            && self.disk_error.is_none()
        {
            tracing::error!(%error, folder = %self.options.directory.display(), "the hub cannot write; it tries again");
        }
        self.disk_error = written.err().map(|error| error.to_string());
        self.write_signs();
    }

    fn handle(&mut self, (index, news): HallNews) {
        let Some(hall) = self.halls.get_mut(index) else { return };
        match news {
            News::Position(reply) => _ = reply.send(hall.copy.position.clone()),
            News::Generation(generation, reply) => _ = reply.send(self.check_generation(index, &generation)),
            News::Begin(reason, files) => self.begin_copy(index, reason, files),
            News::Lines(after, lines, position) => {
                hall.heard = Some(Instant::now());
                let appended = hall.copy.append(after, &lines, *position);
                hall.has_all_lines = appended.is_ok();
                if let Err(error) = appended {
                    hall.is_unwritten.store(true, Ordering::Relaxed);
                    hall.state.problem = Some(format!("its lines cannot be written: {error}"));
                    return;
                }
                hall.state.problem = None;
                hall.state.recorder_age = Some(Duration::ZERO);
            }
            News::Alive(sign) => {
                hall.heard = Some(Instant::now());
                hall.last_seq = sign.seq;
                (hall.state.recorder_age, hall.state.delay) = (sign.age, Some(sign.delay));
                hall.state.problem = None;
            }
            // A folder that was taken away, or is not there yet, has no files; those that are known stay.
            News::Files(names, _) if names.is_empty() && hall.files.has_some() => {
                self.handle((index, News::NoFiles("it lists no files; the hub keeps those that it has".to_owned())));
            }
            News::Files(names, new) => {
                self.take_files(index, &new);
                let hall = &mut self.halls[index];
                // A tournament that is not copied yet may hide players.
                hall.is_listed |= !names.iter().any(|name| name == TOURNAMENT)
                    || hall.files.document(TOURNAMENT).is_some()
                    || hall.state.refused_files.contains_key(TOURNAMENT);
                if !hall.files.is_known {
                    // Files of games have waited for this hall.
                    self.changed = None;
                }
                hall.files.retain(&names);
                hall.state.refused_files.remove(FILES_DOCUMENT);
            }
            News::NoFiles(reason) => {
                hall.is_listed = true;
                hall.state.refused_files.insert(FILES_DOCUMENT.to_owned(), reason);
            }
            News::Lost(reason) => {
                if hall.state.problem.as_ref() != Some(&reason) {
                    tracing::warn!(hall = hall.name, reason, "a hall cannot be heard");
                }
                hall.state.problem = Some(reason);
            }
        }
    }

    /// Says whether a hall may have a generation: not that of another hall or of the hub. Returns the generation of the hub.
    fn check_generation(&mut self, index: usize, generation: &str) -> Result<String, String> {
        let own = self.halls[index].name.clone();
        if generation == self.events.generation {
            return Err(format!("`{own}` is this hub itself; give `{own}` the address of its own station"));
        }
        self.halls[index].named_generation = Some(generation.to_owned());
        // Ignore the copy of a hall that has named its generation: the copy may come from another station of that name.
        let is_same = |hall: &&Hall| {
            let copied = hall.copy.position.generation.as_deref().filter(|_| hall.named_generation.is_none());
            copied.or(hall.claimed.as_deref()) == Some(generation)
        };
        let others = self.halls.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, hall)| hall);
        match others.clone().find(is_same) {
            Some(other) => Err(format!("`{own}` and `{}` are one station; take one of them out of [hub]", other.name)),
            None => {
                self.halls[index].claimed = Some(generation.to_owned());
                Ok(self.events.generation.clone())
            }
        }
    }

    /// Begins the copy of a hall anew, with its files, and the joined file with it.
    fn begin_copy(&mut self, index: usize, reason: RestartReason, files: Vec<CopiedFile>) {
        let aside = self.options.directory.join("aside");
        let hall = &mut self.halls[index];
        let before = hall.copy.position.generation.clone();
        tracing::warn!(hall = hall.name, ?before, ?reason, "a hall has other lines: its copy begins anew");
        let joined_anew = match hall.copy.position.seq {
            0 => Ok(()),
            // The joined file first: after a kill it must not have lines that no copy has.
            _ => self.begin_anew(),
        };
        let hall = &mut self.halls[index];
        let cleared = joined_anew.and_then(|()| match reason {
            RestartReason::OtherGeneration => hall.copy.clear(),
            RestartReason::OtherLines => hall.copy.put_aside(&aside),
        });
        if let Err(error) = cleared {
            hall.state.problem = Some(format!("its copy cannot begin anew: {error}"));
            return;
        }
        if reason == RestartReason::OtherLines {
            hall.state.alarm =
                Some("it had other lines under the same generation; those are in the hub's folder `aside`".to_owned());
        }
        if let Some(before) = before {
            hall.past.add(before, Instant::now());
        }
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        hall.files.retain(&names);
        hall.is_listed = true;
        self.take_files(index, &files);
    }

    /// Stores new files of a hall. Refuses a file that breaks the rules of the configured reader; the last valid one stays.
    fn take_files(&mut self, index: usize, new: &[CopiedFile]) {
        let profile = self.options.profile;
        // The tournament says which names the other files must not have.
        let (tournament, others): (Vec<_>, Vec<_>) = new.iter().partition(|file| file.name == TOURNAMENT);
        for file in tournament.into_iter().chain(others) {
            let hall = &mut self.halls[index];
            let size = hall.copy.position.bytes + hall.files.size + file.bytes.len() as u64;
            let taken = match copied_files::check(file, profile) {
                _ if size > MAX_HALL_SIZE => Err("the hall has too many files".to_owned()),
                Ok(()) => hall.files.write(&hall.name, file, &self.sections).map_err(|error| error.to_string()),
                Err(problem) => Err(problem),
            };
            match taken {
                Ok(()) => {
                    hall.state.refused_files.remove(&file.name);
                    if file.name == TOURNAMENT {
                        self.join_sections();
                    }
                }
                Err(problem) => {
                    tracing::warn!(
                        hall = hall.name,
                        file = file.name,
                        problem,
                        "a file of a hall is not taken; the last good one stays"
                    );
                    hall.state.refused_files.insert(file.name.clone(), problem);
                }
            }
        }
    }

    /// Adds lines for halls that went away or returned.
    fn judge_halls(&mut self) {
        for hall in &mut self.halls {
            let generation = &hall.copy.position.generation;
            let silence = hall.heard.unwrap_or(hall.opened).elapsed();
            let is_recorder_silent = hall.state.recorder_age.is_some_and(|age| age + silence >= MAX_SILENCE);
            // Show a hall that returns as away until its copy has all its lines: until then viewers would see old positions.
            let was_here = self.events.halls.get(&hall.name).is_some_and(|part| part.is_here == Some(true));
            let is_behind = hall.copy.position.seq < hall.last_seq;
            let is_away = silence >= MAX_SILENCE || is_recorder_silent || (is_behind && !was_here);
            hall.state.alternates = hall.past.alternates(generation.as_ref(), Instant::now());
            if !is_away && (hall.heard.is_none() || generation.is_none()) {
                continue;
            }
            hall.state.set_here(!is_away);
            // The stored files of a hall that cannot be heard name its hidden players.
            hall.is_listed |= is_away && hall.files.is_known;
            let Some(part) = self.events.halls.get(&hall.name) else { continue };
            let delay = hall.state.delay.unwrap_or(part.delay);
            let is_other_generation = generation.is_some() && part.generation != *generation;
            if part.is_here != Some(!is_away) || is_other_generation || part.delay != delay {
                let away = is_away.then(|| silence.max(hall.state.recorder_age.unwrap_or_default()));
                self.events.add_state(&hall.name, away, generation.as_deref(), delay);
            }
        }
    }

    /// Joins the lines that the copies have, and the files.
    fn write(&mut self) -> io::Result<()> {
        self.note_changed_files()?;
        for Hall { name, copy, is_listed, .. } in &mut self.halls {
            let Some(part) = self.events.halls.get(name) else { continue };
            // Lines wait for the hall's files, which name the hidden players, and for the line with its generation.
            if !*is_listed || part.generation.is_none() || part.generation != copy.position.generation {
                continue;
            }
            let after = part.seq;
            let (events, sections) = (&mut self.events, &self.sections);
            copy.read_after(after, |seq, line| events.add(name, seq, line, sections))?;
        }
        self.events.write()?;
        let is_new = self.changed.as_ref().is_none_or(|changed| !changed.is_empty());
        if is_new && self.wrote_files.is_none_or(|wrote| wrote.elapsed() >= FILES_INTERVAL) {
            let halls = with_names(&self.halls);
            let joined = copied_files::write_joined(&self.options.directory, &halls, &self.sections, &self.changed)?;
            self.games = joined.unwrap_or(self.games);
            (self.changed, self.wrote_files) = (Some(BTreeSet::new()), Some(Instant::now()));
        }
        Ok(())
    }

    /// Joins the sections of the halls. All files change if other names are hidden.
    fn join_sections(&mut self) {
        let before = std::mem::replace(&mut self.sections, copied_files::join_sections(&with_names(&self.halls)));
        if !self.sections.hides_same_names(&before) {
            self.changed = None;
        }
    }

    /// Takes the names of changed files of the halls, and joins their sections again if these have changed. The events begin anew if other players are
    /// hidden.
    fn note_changed_files(&mut self) -> io::Result<()> {
        let new: BTreeSet<String> = self.halls.iter_mut().flat_map(|hall| hall.files.take_changed()).collect();
        if new.contains(TOURNAMENT) {
            self.join_sections();
        }
        if let Some(changed) = &mut self.changed {
            changed.extend(new);
        }
        if !self.events.hides(&self.sections.hidden_digest()) {
            tracing::warn!("other players are anonymous: the joined events begin anew");
            self.begin_anew()?;
            self.judge_halls();
        }
        Ok(())
    }

    /// Writes the sign of life and the state file, if it is time. With a full disk there is no sign: pages must not call old boards live.
    fn write_signs(&mut self) {
        // Ignore halls that are away: pages show them as silent.
        let is_away = |hall: &Hall| self.events.halls[&hall.name].is_here == Some(false);
        // Give no sign of life after a start until each hall was heard: the positions may be old.
        let is_followed =
            |hall: &Hall| hall.heard.is_some() && hall.has_all_lines && hall.copy.position.seq >= hall.last_seq;
        let is_current = self.disk_error.is_none() && self.halls.iter().all(|hall| is_followed(hall) || is_away(hall));
        if is_current && self.signed.is_none_or(|signed| signed.elapsed() >= SIGN_INTERVAL) {
            self.signed = Some(Instant::now());
            if let Err(error) = self.write_sign() {
                tracing::debug!(%error, "no sign of life can be written");
            }
        }
        if self.ticked.is_some_and(|ticked| ticked.elapsed() < TICK) {
            return;
        }
        self.ticked = Some(Instant::now());
        for hall in &mut self.halls {
            if let Err(error) = hall.copy.sync() {
                tracing::debug!(%error, hall = hall.name, "a copy cannot be made durable");
            }
            let position = &hall.copy.position;
            (hall.state.seq, hall.state.generation) = (position.seq, position.generation.clone());
        }
        let halls: Vec<&HallState> = self.halls.iter().map(|hall| &hall.state).collect();
        let state = state::HubState {
            since: self.since,
            directory: self.options.directory.display().to_string(),
            generation: self.events.generation.clone(),
            seq: self.events.seq,
            halls,
            mismatches: &self.sections.mismatches,
            too_many_games: self.options.profile.max_games().filter(|most| self.games > *most).map(|_| self.games),
            disk_error: self.disk_error.as_deref(),
        };
        if let Err(error) = state::write(&self.options.state_file, &state) {
            tracing::debug!(%error, "the state cannot be written");
        }
    }

    /// Overwrites the hub's sign of life in place, as the recorder does; with the longest delay of the halls.
    fn write_sign(&self) -> io::Result<()> {
        let path = self.options.directory.join("alive.json");
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        let delays = || self.halls.iter().filter_map(|hall| hall.state.delay);
        let seconds = delays().map(|delay| delay.seconds).max().unwrap_or_default();
        let plies = delays().map(|delay| delay.plies).max().unwrap_or_default();
        let sign = format!("{{\"alive\":{},\"delay_s\":{seconds},\"delay_plies\":{plies}}}", state::now());
        file.write_all(format!("{sign:SIGN_LEN$}\n").as_bytes())
    }
}

fn with_names(halls: &[Hall]) -> Vec<(&str, &HallFiles)> {
    halls.iter().map(|hall| (hall.name.as_str(), &hall.files)).collect()
}

/// Removes the copies of halls that the configuration no longer has: their players may be hidden by now.
fn remove_other_halls(options: &HubOptions) -> io::Result<()> {
    for entry in fs::read_dir(options.directory.join("hall"))?.flatten() {
        let name = entry.file_name();
        if !options.halls.iter().any(|hall| name.to_str() == Some(hall.name.as_str())) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
