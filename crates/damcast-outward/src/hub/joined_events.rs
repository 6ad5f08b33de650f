//! The joined file of events. It is the durable order of the lines of all halls: a line that is in it keeps its number.
//!
//! Its first line names the halls in their order and identifies the hidden players. Lines of the hub itself say when a hall goes away and returns;
//! they name the generation of the hall's file.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{Local, SecondsFormat};
use serde_json::json;

use super::copy::{if_found, read_line};
use super::line::{LinePlace, PlacedLine, joined};
use crate::hex::hex;
use crate::joined_sections::JoinedSections;
use crate::web::files::EVENTS_FILE;
use crate::web::view::OutletDelay;

/// Part of the joined file that is of one hall.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct HallPart {
    /// Generation of the hall's lines; `None` if it has none.
    pub generation: Option<String>,
    /// Number of the hall's last line.
    pub seq: u64,
    /// Whether the last word about the hall was that it is here; `None` without one.
    pub is_here: Option<bool>,
    /// Delay of the hall, as the last word about it said.
    pub delay: OutletDelay,
}

/// Joined file of events.
#[derive(Debug)]
pub(super) struct JoinedEvents {
    path: PathBuf,
    file: Option<File>,
    /// Length of the lines that are in the file, in bytes.
    bytes: u64,
    /// Generation of the file.
    pub generation: String,
    /// Number of the last line.
    pub seq: u64,
    /// Halls by name.
    pub halls: BTreeMap<String, HallPart>,
    hidden: String,
    /// Lines that are not in the file yet.
    pending: String,
}

impl JoinedEvents {
    /// Opens the joined file of a folder, for these halls. A file that does not fit, with other halls or hidden players, or with a mistake, begins
    /// anew.
    pub fn open(folder: &Path, halls: &[&str], hidden: &str) -> io::Result<JoinedEvents> {
        let mut events = JoinedEvents {
            path: folder.join(EVENTS_FILE),
            file: None,
            bytes: 0,
            generation: String::new(),
            seq: 0,
            halls: halls.iter().map(|hall| ((*hall).to_owned(), HallPart::default())).collect(),
            hidden: hidden.to_owned(),
            pending: String::new(),
        };
        let is_whole = match if_found(File::open(&events.path))? {
            Some(file) => events.read(&mut BufReader::new(file), halls)?,
            None => false,
        };
        if is_whole {
            let file = OpenOptions::new().append(true).open(&events.path)?;
            file.set_len(events.bytes)?;
            events.file = Some(file);
        } else {
            events.begin_anew(halls, hidden)?;
        }
        Ok(events)
    }

    /// Reads the file, up to an incomplete last line. Returns whether it fits.
    fn read(&mut self, lines: &mut impl io::BufRead, halls: &[&str]) -> io::Result<bool> {
        let mut line = Vec::new();
        loop {
            match read_line(lines, &mut line) {
                Ok(()) if line.is_empty() => return Ok(self.seq > 0),
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Other => return Ok(false),
                Err(error) => return Err(error),
            }
            let Ok(placed) = serde_json::from_slice::<PlacedLine>(&line) else { return Ok(false) };
            if !self.takes(&placed, halls) {
                return Ok(false);
            }
            self.bytes += line.len() as u64;
        }
    }

    /// Takes over the next line of the file; returns whether it fits.
    fn takes(&mut self, line: &PlacedLine, halls: &[&str]) -> bool {
        if self.seq == 0 {
            self.generation.clone_from(&line.r#gen);
            self.seq = line.seq;
            let known = line.halls.iter().flatten().map(String::as_str);
            return line.seq == 1 && known.eq(halls.iter().copied()) && line.hidden.as_deref() == Some(&self.hidden);
        }
        self.seq += 1;
        if line.seq != self.seq || line.r#gen != self.generation {
            return false;
        }
        let name = line.hall.as_deref().unwrap_or_default();
        let Some(hall) = self.halls.get_mut(name.split('/').next().unwrap_or_default()) else { return false };
        match line.hall_seq {
            Some(seq) => std::mem::replace(&mut hall.seq, seq) + 1 == seq,
            None => {
                hall.is_here = Some(line.state.as_deref() == Some("here"));
                hall.delay = OutletDelay { seconds: line.delay_s, plies: line.delay_plies };
                if let Some(generation) = &line.generation {
                    hall.generation = Some(generation.clone());
                }
                line.r#type.as_deref() == Some("hall")
            }
        }
    }

    /// Begins a new generation, without any line of a hall.
    pub fn begin_anew(&mut self, halls: &[&str], hidden: &str) -> io::Result<()> {
        self.file = None;
        if_found(fs::remove_file(&self.path))?;
        let mut random = [0; 8];
        File::open("/dev/urandom")?.read_exact(&mut random)?;
        self.generation = hex(&random);
        hidden.clone_into(&mut self.hidden);
        (self.bytes, self.seq) = (0, 0);
        self.halls.values_mut().for_each(|hall| *hall = HallPart::default());
        self.pending.clear();
        self.push(&format!("\"type\":\"halls\",\"halls\":{},\"hidden\":{}", json!(halls), json!(hidden)));
        Ok(())
    }

    /// Whether the lines were made with these hidden players.
    pub fn hides(&self, hidden: &str) -> bool {
        self.hidden == hidden
    }

    /// Adds a line of the hub itself.
    fn push(&mut self, members: &str) {
        self.seq += 1;
        let at = Local::now().to_rfc3339_opts(SecondsFormat::Millis, false);
        self.pending +=
            &format!("{{\"seq\":{},\"gen\":\"{}\",\"at\":\"{at}\",{members}}}\n", self.seq, self.generation);
    }

    /// Adds the next line of a hall.
    pub fn add(&mut self, hall: &str, hall_seq: u64, line: &str, sections: &JoinedSections) {
        let Some(part) = self.halls.get_mut(hall) else { return };
        part.seq = hall_seq;
        self.seq += 1;
        let place = LinePlace { generation: &self.generation, seq: self.seq, hall, hall_seq };
        self.pending += &joined(line, &place, sections);
    }

    /// Adds a line with the state of a hall: its silence in seconds if it is away, its generation, and its delay if it has one.
    pub fn add_state(&mut self, hall: &str, away: Option<Duration>, hall_generation: Option<&str>, delay: OutletDelay) {
        let Some(part) = self.halls.get_mut(hall) else { return };
        (part.is_here, part.delay) = (Some(away.is_none()), delay);
        if let Some(generation) = hall_generation {
            part.generation = Some(generation.to_owned());
        }
        let state = away
            .map_or_else(|| "\"here\"".to_owned(), |silence| format!("\"away\",\"silent_s\":{}", silence.as_secs()));
        let delay = match delay {
            OutletDelay { seconds: 0, plies: 0 } => String::new(),
            OutletDelay { seconds, plies } => format!(",\"delay_s\":{seconds},\"delay_plies\":{plies}"),
        };
        let generation = hall_generation.map_or_else(String::new, |known| format!(",\"generation\":{}", json!(known)));
        self.push(&format!("\"type\":\"hall\",\"hall\":{},\"state\":{state}{generation}{delay}", json!(hall)));
    }

    /// Whether the file was removed or replaced since it was opened.
    pub fn is_lost(&self) -> bool {
        let Some(Ok(open)) = self.file.as_ref().map(File::metadata) else { return false };
        match fs::metadata(&self.path) {
            Ok(there) => (there.dev(), there.ino()) != (open.dev(), open.ino()),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Writes the added lines, and makes them durable. After an error they are written by the next call.
    pub fn write(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(OpenOptions::new().append(true).create(true).open(&self.path)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        if let Err(error) = file.write_all(self.pending.as_bytes()).and_then(|()| file.sync_data()) {
            file.set_len(self.bytes)?;
            return Err(error);
        }
        self.bytes += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALLS: [&str; 2] = ["a", "b"];

    fn hall_line(seq: u64) -> String {
        format!("{{\"seq\":{seq},\"gen\":\"x\",\"station\":\"s\",\"board\":\"b-1\",\"game\":1,\"type\":\"clock\"}}\n")
    }

    #[test]
    fn joined_file_is_cut_and_goes_on_under_its_generation() {
        let folder = tempfile::tempdir().unwrap();
        let sections = JoinedSections::default();
        let mut events = JoinedEvents::open(folder.path(), &HALLS, "0").unwrap();
        events.add_state("a", None, Some("x"), OutletDelay { seconds: 900, plies: 0 });
        events.add("a", 1, &hall_line(1), &sections);
        events.write().unwrap();
        let path = folder.path().join(EVENTS_FILE);
        let text = fs::read_to_string(&path).unwrap();
        let last = text.lines().next_back().unwrap();
        let expected = format!(
            "{{\"seq\":3,\"gen\":\"{}\",\"hall\":\"a\",\"hall_seq\":1,\"station\":\"s\",\"board\":\"a.b-1\",\"game\":1,\"type\":\"clock\"}}",
            events.generation
        );
        assert_eq!(last, expected);
        fs::write(&path, format!("{text}{}", &last[..40])).unwrap();
        let mut again = JoinedEvents::open(folder.path(), &HALLS, "0").unwrap();
        assert_eq!((&again.generation, again.seq, &again.halls), (&events.generation, 3, &events.halls));
        again.add("a", 2, &hall_line(2), &sections);
        again.write().unwrap();
        assert_eq!(JoinedEvents::open(folder.path(), &HALLS, "0").unwrap().halls["a"].seq, 2);
        // Other halls, other hidden players, and a file with a hole begin anew.
        for (halls, hidden) in [(&HALLS[..1], "0"), (&HALLS, "1")] {
            fs::write(&path, &text).unwrap();
            let other = JoinedEvents::open(folder.path(), halls, hidden).unwrap();
            assert_ne!(other.generation, events.generation);
            assert_eq!(other.seq, 1);
        }
        fs::write(&path, text.replace("\"hall_seq\":1", "\"hall_seq\":2")).unwrap();
        assert_ne!(JoinedEvents::open(folder.path(), &HALLS, "0").unwrap().generation, events.generation);
    }
}
