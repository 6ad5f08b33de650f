//! The generations of the outlets: which lines of an `events.ndjson` carry which, and the name of the station.
//!
//! ```text
//!   1 + public 501 8f3c2a9be01d44c7 hall-a ;9a0f12c3     record, outlet, first line, generation, station; checksum as in a log
//!   2 + public 1 03be01d44c78f3a9 hall-a 17 ;0f129ac3    the same, with the names of version 17 of the tournament
//! ```
//!
//! A generation belongs to one outlet of one station and is random, so generation and number name a line for ever. It is written
//! here, `log/generations`, and durable before the first line that carries it; so lines, with what they carry, can be made
//! again from `log/` alone. Lines of before have none. A record whose first line is 1 behind others of its outlet begins the
//! file anew: what was told before is numbered otherwise, or not there any more, or it has the name of somebody who wishes not to be named.
//! A record of the same generation gives the station another name.
//!
//! A file that is gone or damaged is written again: by a station that runs from what it knows, by one that starts from what the
//! lines themselves carry.

use std::io::{self, BufRead};
use std::path::Path;

use serde::Deserialize;

use crate::engine::broadcast::events::{EventOrigin, EventOrigins};
use crate::engine::bytelog::{self, Record, RecordKind};
use crate::station::disk::{self, Disk, Durability};

/// The name of the file, beside the logs.
pub const GENERATIONS_FILE: &str = "generations";
/// The mark of its records.
const RECORD_MARK: char = '+';
/// A name of a station is not longer.
const MAX_NAME_LEN: usize = 64;
/// What a station is called whose machine has no name.
const DEFAULT_STATION_NAME: &str = "station";

/// The generations of a folder.
#[derive(Clone, Default, Debug)]
pub struct Generations {
    records: Vec<GenerationStart>,
    /// What could not be read.
    pub problems: Vec<String>,
    /// May others be begun, for a station of this name? `Some(None)`: it has the name that it had, or that of its machine.
    station: Option<Option<String>>,
    /// The file is not what was written.
    was_changed: bool,
}

/// From this line on the lines of an outlet have this origin.
#[derive(Clone, PartialEq, Eq, Debug)]
struct GenerationStart {
    outlet: String,
    first_line: u64,
    origin: EventOrigin,
}

impl GenerationStart {
    fn to_line(&self, number: u64) -> String {
        let GenerationStart {
            outlet,
            first_line: first,
            origin: EventOrigin { station, generation, names_version: names },
        } = self;
        let names = if *names > 0 { format!(" {names}") } else { String::new() };
        Record::new(number, RecordKind::Other(RECORD_MARK, format!("{outlet} {first} {generation} {station}{names}")))
            .to_line()
    }

    fn read(line: &str, number: u64) -> Option<GenerationStart> {
        let bytelog::LogLine::Record(Record { at, kind: RecordKind::Other(RECORD_MARK, text) }) =
            bytelog::parse_line(line).ok()?
        else {
            return None;
        };
        let mut words = text.split(' ');
        let (outlet, first) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
        let (generation, station) = (words.next()?.to_owned(), words.next()?.to_owned());
        let names = words.next().map_or(Some(0), |names| names.parse().ok())?;
        let begun = GenerationStart {
            outlet,
            first_line: first,
            origin: EventOrigin { station, generation, names_version: names },
        };
        // Nothing but the very line that was written counts; so its checksum is there, too.
        (at == number && begun.to_line(number).trim_end() == line).then_some(begun)
    }
}

impl Generations {
    /// Reads those of a folder of logs. None can be begun, but where lines are numbered otherwise.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn read(disk: &dyn Disk, folder: &Path) -> io::Result<Generations> {
        let mut generations = Generations::default();
        let text = match disk.read(&folder.join(GENERATIONS_FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(generations),
            Err(error) if disk::is_not_regular_file(&error) => {
                generations.problems.push(format!("{error}; it is not used"));
                return Ok(generations);
            }
            text => text?,
        };
        for (line, number) in text.split_inclusive(|&byte| byte == b'\n').zip(1..) {
            let read =
                std::str::from_utf8(line).ok().and_then(|line| GenerationStart::read(line.strip_suffix('\n')?, number));
            match read {
                Some(begun) => generations.records.push(begun),
                None => generations.problems.push(format!("line {number} is not right; it is not used")),
            }
        }
        generations.was_changed = !generations.problems.is_empty();
        Ok(generations)
    }

    /// From now on others are begun when they are needed, for a station of this name; `None`: it keeps the name that it has, and
    /// at first has that of its machine.
    #[must_use]
    pub fn set_station(mut self, name: Option<&str>) -> Generations {
        self.station = Some(name.map(str::to_owned));
        self
    }

    /// Which lines of an outlet's events come from where.
    pub fn origins_of(&self, outlet: &str) -> EventOrigins {
        let mut origins = EventOrigins::default();
        for GenerationStart { first_line: first, origin, .. } in
            self.records.iter().filter(|begun| begun.outlet == outlet)
        {
            origins.push(*first, origin.clone());
        }
        origins
    }

    /// The lines of an outlet from this one on are to carry an origin. Returns which lines do then.
    ///
    /// # Errors
    ///
    /// As the disk says; nothing is begun then.
    pub fn ensure(&mut self, disk: &dyn Disk, folder: &Path, outlet: &str, next: u64) -> io::Result<EventOrigins> {
        let Some(configured) = &self.station else { return Ok(self.origins_of(outlet)) };
        let station = configured.clone().unwrap_or_else(|| self.station_name(outlet));
        let (generation, names) = match self.origins_of(outlet).current() {
            Some(origin) if origin.station == station => return Ok(self.origins_of(outlet)),
            Some(origin) => (origin.generation.clone(), origin.names_version),
            None => (random_name()?, 0),
        };
        self.start_generation(disk, folder, outlet, next, EventOrigin { station, generation, names_version: names })
    }

    /// The events of an outlet are numbered anew, from 1: if they had a generation they get another. Returns which lines carry it.
    ///
    /// # Errors
    ///
    /// As the disk says; nothing is begun then.
    pub fn restart(&mut self, disk: &dyn Disk, folder: &Path, outlet: &str) -> io::Result<EventOrigins> {
        let names = self.origins_of(outlet).current().map(|origin| origin.names_version);
        names.map_or(Ok(EventOrigins::default()), |names| self.restart_with_names(disk, folder, outlet, names))
    }

    /// The events of an outlet are told anew, under another generation, with the names of this version of the tournament. Returns which
    /// lines carry it.
    ///
    /// # Errors
    ///
    /// As the disk says; nothing is begun then.
    pub fn restart_with_names(
        &mut self,
        disk: &dyn Disk,
        folder: &Path,
        outlet: &str,
        names: u64,
    ) -> io::Result<EventOrigins> {
        let station = self.station.clone().flatten().unwrap_or_else(|| self.station_name(outlet));
        let generation = random_name()?;
        self.start_generation(disk, folder, outlet, 1, EventOrigin { station, generation, names_version: names })
    }

    /// The version of the tournament whose names the lines of an outlet have; 0: all names.
    pub fn names(&self, outlet: &str) -> u64 {
        self.origins_of(outlet).current().map_or(0, |origin| origin.names_version)
    }

    /// Does a file carry a generation that its outlet had before the one that it has?
    ///
    /// # Errors
    ///
    /// As its source says.
    pub fn is_former(&self, outlet: &str, content: impl BufRead) -> io::Result<bool> {
        let current = self.origins_of(outlet).current().map(|origin| origin.generation.clone());
        let found = first_named_line(content)?.map(|(_, origin)| origin.generation);
        let is_known =
            |begun: &GenerationStart| begun.outlet == outlet && Some(&begun.origin.generation) == found.as_ref();
        Ok(found != current && self.records.iter().any(is_known))
    }

    /// What the lines of an outlet carry, where nothing else is known of it. Returns whether they carry something.
    pub fn learn_origins(&mut self, outlet: &str, content: impl BufRead) -> io::Result<bool> {
        if self.origins_of(outlet).current().is_some() {
            return Ok(false);
        }
        let named = first_named_line(content)?;
        let is_named = named.is_some();
        self.records.extend(named.map(|(first, origin)| GenerationStart {
            outlet: outlet.to_owned(),
            first_line: first,
            origin,
        }));
        self.was_changed |= is_named;
        Ok(is_named)
    }

    fn start_generation(
        &mut self,
        disk: &dyn Disk,
        folder: &Path,
        outlet: &str,
        first: u64,
        origin: EventOrigin,
    ) -> io::Result<EventOrigins> {
        self.records.push(GenerationStart { outlet: outlet.to_owned(), first_line: first, origin });
        if let Err(error) = self.write(disk, folder) {
            self.records.pop();
            return Err(error);
        }
        Ok(self.origins_of(outlet))
    }

    /// What the station is called in its events so far; at first like its machine.
    fn station_name(&self, outlet: &str) -> String {
        let of_outlet = self.records.iter().rev().find(|begun| begun.outlet == outlet);
        let known = of_outlet.or(self.records.last()).map(|begun| begun.origin.station.clone());
        known.unwrap_or_else(|| plain_word(&rustix::system::uname().nodename().to_string_lossy()))
    }

    fn to_text(&self) -> String {
        self.records.iter().zip(1..).map(|(begun, number)| begun.to_line(number)).collect()
    }

    fn write(&mut self, disk: &dyn Disk, folder: &Path) -> io::Result<()> {
        disk::replace(disk, &folder.join(GENERATIONS_FILE), self.to_text().as_bytes(), Durability::Safe)?;
        self.was_changed = false;
        Ok(())
    }

    /// Writes the file again, if it is not what was written. One that somebody has changed is put aside.
    ///
    /// # Errors
    ///
    /// As the disk says.
    pub fn save(&mut self, disk: &dyn Disk, folder: &Path) -> io::Result<()> {
        if !self.was_changed {
            return Ok(());
        }
        let path = folder.join(GENERATIONS_FILE);
        if disk.read(&path).is_ok_and(|found| found != self.to_text().as_bytes()) {
            disk::move_aside(disk, &path)?;
        }
        self.write(disk, folder)
    }

    /// Does the file not say what was written any more? Then [`Generations::save`] writes it again.
    pub fn is_intact(&mut self, disk: &dyn Disk, folder: &Path) -> bool {
        self.was_changed = !self.records.is_empty()
            && match disk.read(&folder.join(GENERATIONS_FILE)) {
                Ok(found) => found != self.to_text().as_bytes(),
                // A disk that does not answer now says nothing about the file.
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            };
        self.was_changed
    }

    /// Is there any?
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

/// A plain word of a name that a machine has.
fn plain_word(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.trim_start_matches('.').chars().map(plain).take(MAX_NAME_LEN).collect();
    if name.is_empty() { DEFAULT_STATION_NAME.to_owned() } else { name }
}

/// 64 random bits, in 16 letters: a name that nothing else has.
///
/// # Errors
///
/// When the system has none.
pub fn random_name() -> io::Result<String> {
    let mut bytes = [0; 8];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(format!("{:016x}", u64::from_ne_bytes(bytes)))
}

/// What a line carries.
#[derive(Deserialize)]
struct LineOrigin {
    seq: u64,
    r#gen: String,
    station: String,
}

/// The first line of a file of events that carries an origin, and which.
fn first_named_line(mut content: impl BufRead) -> io::Result<Option<(u64, EventOrigin)>> {
    /// No line of it is longer.
    const MAX_LINE_LEN: u64 = 1 << 20;
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut content, MAX_LINE_LEN).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if let Ok(LineOrigin { seq, r#gen: generation, station }) = serde_json::from_slice(&line) {
            let is_word = |word: &str| !word.is_empty() && plain_word(word) == word;
            let origin = EventOrigin { station, generation, names_version: 0 };
            return Ok((is_word(&origin.station) && is_word(&origin.generation)).then_some((seq, origin)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::station::disk::RealDisk;

    #[test]
    fn generations_roundtrip_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let read = || Generations::read(&RealDisk, folder.path()).unwrap();
        let mut new = read().set_station(Some("hall-a"));
        assert!(
            new.is_empty() && read().ensure(&RealDisk, folder.path(), "public", 1).unwrap() == EventOrigins::default()
        );
        let public = new.ensure(&RealDisk, folder.path(), "public", 501).unwrap();
        let hall = new.ensure(&RealDisk, folder.path(), "hall", 1).unwrap();
        assert_eq!((public.origin_of(500), public.origin_of(501).unwrap().station.as_str()), (None, "hall-a"));
        assert_ne!(public.current().unwrap().generation, hall.current().unwrap().generation);
        assert_eq!(public.current().unwrap().generation.len(), 16);
        // The next start finds them, whatever its machine is called.
        let mut again = read().set_station(None);
        assert_eq!((again.origins_of("public"), again.origins_of("hall")), (public.clone(), hall.clone()));
        assert_eq!(again.ensure(&RealDisk, folder.path(), "public", 600).unwrap(), public);
        // Another name of the station is another name, and no other generation.
        let mut renamed = read().set_station(Some("hall-b"));
        let named = renamed.ensure(&RealDisk, folder.path(), "public", 700).unwrap();
        assert_eq!(named.origin_of(699), public.current());
        let other = named.origin_of(700).unwrap();
        assert_eq!((other.station.as_str(), &other.generation), ("hall-b", &public.current().unwrap().generation));
        // Numbered anew, it is another.
        let anew = renamed.restart(&RealDisk, folder.path(), "public").unwrap();
        assert_ne!(anew.origin_of(1).unwrap().generation, other.generation);
        assert_eq!((read().origins_of("public"), read().origins_of("hall")), (anew, hall));
        // With other names, too; what follows keeps them.
        let nameless = renamed.restart_with_names(&RealDisk, folder.path(), "public", 17).unwrap();
        assert_eq!(
            (read().origins_of("public"), read().names("public"), read().names("hall")),
            (nameless.clone(), 17, 0)
        );
        let line = |origins: &EventOrigins| events_line(origins).into_bytes();
        assert!(read().is_former("public", line(&named).as_slice()).unwrap());
        assert!(!read().is_former("public", line(&nameless).as_slice()).unwrap());
        assert!(!read().is_former("hall", line(&named).as_slice()).unwrap());
        let mut again = read().set_station(Some("hall-c"));
        again.ensure(&RealDisk, folder.path(), "public", 9).unwrap();
        assert_eq!(read().names("public"), 17);
        again.restart(&RealDisk, folder.path(), "public").unwrap();
        assert_eq!(read().names("public"), 17);
    }

    #[test]
    fn ignores_invalid_line_and_rewrites_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(GENERATIONS_FILE);
        let mut new = Generations::default().set_station(None);
        new.ensure(&RealDisk, folder.path(), "public", 1).unwrap();
        new.ensure(&RealDisk, folder.path(), "hall", 1).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        for at in 0..whole.lines().next().unwrap().len() {
            let mut damaged = whole.clone().into_bytes();
            damaged[at] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            let mut read = Generations::read(&RealDisk, folder.path()).unwrap();
            assert_eq!((read.origins_of("public").current(), read.problems.len()), (None, 1), "{at}");
            assert_eq!(read.origins_of("hall"), new.origins_of("hall"));
            // What the lines of the file carry is what is not known.
            let line = events_line(&new.origins_of("public"));
            assert!(read.learn_origins("public", ("{\"seq\":1}\n".to_owned() + &line).as_bytes()).unwrap());
            assert_eq!(read.origins_of("public").origin_of(2), new.origins_of("public").current());
            assert!(new.is_intact(&RealDisk, folder.path()));
            new.save(&RealDisk, folder.path()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
            std::fs::remove_file(folder.path().join("generations.aside-1")).unwrap();
        }
        assert!(!new.is_intact(&RealDisk, folder.path()));
        std::fs::remove_file(&path).unwrap();
        assert!(new.is_intact(&RealDisk, folder.path()));
        new.save(&RealDisk, folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }

    fn events_line(origins: &EventOrigins) -> String {
        let EventOrigin { station, generation, .. } = origins.current().unwrap();
        format!("{{\"seq\":2,\"gen\":\"{generation}\",\"station\":\"{station}\"}}\n")
    }

    #[test]
    fn machine_has_plain_name() {
        for (name, expected) in [("hall-a", "hall-a"), ("Jan's PC", "Jan-s-PC"), ("", "station"), ("..x", "x")] {
            assert_eq!(plain_word(name), expected);
        }
    }
}
