//! The plan of a round: facts that the public files depend on and the logs of lines lack.
//!
//! ```text
//! {"opened":"2026-11-21T09:25:00.000+01:00",
//!  "outlets":[{"name":"public","directory":"public","profile":"lidraughts","seconds":900,"plies":0,"held":false}],
//!  "boards":[{"line":"board-1","address":null},{"line":"hall","address":1025}],
//!  "heads":["# damcast byte log 1\n# line: board-1\n.."],"crc":"9a0f12c3"}
//! ```
//!
//! (on one line). A plan is valid from `opened` on. `held`: the outlet is suspended, and its files stay as they were. `boards` are in their
//! order: line, and address on a bus. `heads` has the head of a log of each line: game, tags, settings, names. `crc` is the checksum of a
//! file of one chained line ([`crate::journal::chained`]).
//!
//! The station writes `log/round-K.plan` when its configuration changes, and when a board without a configured place appears on a bus: its
//! place among the others never changes then. So the public files can be made again from the folder alone, without a configuration and in
//! the same order.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use damcast_engine::broadcast::{Board, Delay, WallTime};
use damcast_engine::bytelog::{self, Header};
use damcast_engine::session::{BusAddress, LineSettings};
use draughts_pdn::profile::ReaderProfile;
use serde::{Deserialize, Serialize};

use crate::config::{Config, OutletConfig, PUBLIC};
use crate::disk::{self, Disk, Durability};
use crate::journal::chained::ChainedChecksum;
use crate::journal::witness::{Witness, Witnesses};
use crate::live_files;

/// JSON form of a plan.
#[derive(Serialize, Deserialize)]
struct PlanLine {
    opened: String,
    outlets: Vec<OutletLine>,
    boards: Vec<BoardLine>,
    heads: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct OutletLine {
    name: String,
    directory: PathBuf,
    profile: String,
    seconds: u32,
    plies: u32,
    held: bool,
}

#[derive(Serialize, Deserialize)]
struct BoardLine {
    line: String,
    address: Option<u16>,
}

/// An outlet of a plan: all settings that its files depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedOutlet {
    /// Name of the outlet.
    pub name: String,
    /// Folder, relative to the station's directory.
    pub directory: PathBuf,
    /// Readers that the files are for.
    pub profile: ReaderProfile,
    /// Delay between recording and publication.
    pub delay: Delay,
    /// Whether the outlet is suspended: its files stay as they were.
    pub is_suspended: bool,
}

impl PlannedOutlet {
    /// Returns the outlet of a configuration.
    pub fn new(config: &OutletConfig) -> PlannedOutlet {
        let OutletConfig { name, directory, profile, delay, .. } = config.clone();
        PlannedOutlet { name, directory, profile, delay, is_suspended: false }
    }

    /// Whether anything is shown later than it was recorded.
    pub fn has_delay(&self) -> bool {
        self.delay != Delay::NO_DELAY
    }
}

/// Plan of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Time from which the plan is valid.
    pub opened: WallTime,
    /// The outlets, `public` first.
    pub outlets: Vec<PlannedOutlet>,
    /// Head of a log of each line.
    pub lines: Vec<Header>,
    /// The boards in their order: line, and address on a bus.
    pub boards: Vec<(String, Option<BusAddress>)>,
}

impl Plan {
    /// Returns the plan of a configuration. Boards that the previous plan had found stay behind the configured ones. Suspended outlets stay
    /// as in the previous plan, as their files do.
    pub fn new(config: &Config, opened: WallTime, before: Option<&Plan>) -> Plan {
        let mut boards = Vec::new();
        for line in &config.lines {
            match line.boards.as_slice() {
                [] if line.mode != bytelog::Mode::Bus => boards.push((line.name.clone(), None)),
                named => boards.extend(named.iter().map(|board| (line.name.clone(), Some(board.address)))),
            }
        }
        let is_ours = |line: &str| config.lines.iter().any(|of| of.name == line && of.mode == bytelog::Mode::Bus);
        for found in before.iter().flat_map(|plan| &plan.boards) {
            if found.1.is_some() && is_ours(&found.0) && !boards.contains(found) {
                boards.push(found.clone());
            }
        }
        let lines = config.lines.iter().map(|line| line.header()).collect();
        let mut outlets: Vec<PlannedOutlet> = config.outlets.iter().map(PlannedOutlet::new).collect();
        let is_suspended =
            |outlet: &&PlannedOutlet| config.suspended_outlets.iter().any(|held| held.name == outlet.name);
        let held = before.iter().flat_map(|plan| &plan.outlets).filter(is_suspended).cloned();
        outlets.extend(held.map(|outlet| PlannedOutlet { is_suspended: true, ..outlet }));
        outlets.sort_by_key(|outlet| outlet.name != PUBLIC);
        Plan { opened, outlets, lines, boards }
    }

    /// Whether two plans differ at most in `opened`.
    pub fn same_content(&self, other: &Plan) -> bool {
        Plan { opened: other.opened, ..self.clone() } == *other
    }

    /// Returns the boards of the plan, each with its line and address.
    pub fn slots(&self) -> Vec<(String, Option<BusAddress>, Board)> {
        let seat = |(line, address): &(String, Option<BusAddress>)| {
            let board = self.board(line, *address)?;
            Some((line.clone(), *address, board))
        };
        self.boards.iter().filter_map(seat).collect()
    }

    /// Returns a board of a line as planned; `None` for unknown lines.
    pub fn board(&self, line: &str, address: Option<BusAddress>) -> Option<Board> {
        let head = self.lines.iter().find(|head| head.line.as_deref() == Some(line))?;
        // The settings come from a valid configuration.
        let (of_line, _) = LineSettings::from_header(head, None).ok()?;
        let settings: LineSettings = address.map_or_else(|| of_line.clone(), |address| of_line.for_board(address));
        let name = live_files::file_prefix(line, address, settings.name.as_deref().filter(|_| address.is_some()));
        Some(Board::new(name, settings.variant, settings.tags))
    }

    /// Returns the content of the plan's file, and its checksum.
    fn to_text(&self) -> (String, ChainedChecksum) {
        let outlet = |outlet: &PlannedOutlet| OutletLine {
            name: outlet.name.clone(),
            directory: outlet.directory.clone(),
            profile: outlet.profile.to_string(),
            seconds: outlet.delay.seconds,
            plies: outlet.delay.plies,
            held: outlet.is_suspended,
        };
        let board = |(line, address): &(String, Option<BusAddress>)| BoardLine {
            line: line.clone(),
            address: address.map(BusAddress::number),
        };
        let line = PlanLine {
            opened: self.opened.to_rfc3339_opts(chrono::SecondsFormat::Millis, false),
            outlets: self.outlets.iter().map(outlet).collect(),
            boards: self.boards.iter().map(board).collect(),
            heads: self.lines.iter().map(Header::to_text).collect(),
        };
        // Serializing texts and numbers cannot fail.
        ChainedChecksum::default().seal(&serde_json::to_string(&line).unwrap_or_default())
    }

    /// Reads a plan; `None` if the text is invalid.
    pub fn read(text: &str) -> Option<Plan> {
        let (object, _) = ChainedChecksum::default().unseal(text.strip_suffix('\n')?).ok()?;
        let PlanLine { opened, outlets, boards, heads } = serde_json::from_str(&object).ok()?;
        let outlet = |of: OutletLine| {
            let delay = Delay { seconds: of.seconds, plies: of.plies };
            let (name, directory, is_suspended) = (of.name, of.directory, of.held);
            Some(PlannedOutlet { name, directory, profile: of.profile.parse().ok()?, delay, is_suspended })
        };
        let board = |BoardLine { line, address }| match address {
            Some(address) => Some((line, Some(BusAddress::new(address)?))),
            None => Some((line, None)),
        };
        let head = |head: String| Some(bytelog::read(head.as_bytes()).ok()?.header);
        Some(Plan {
            opened: WallTime::parse_from_rfc3339(&opened).ok()?,
            outlets: outlets.into_iter().map(outlet).collect::<Option<_>>()?,
            lines: heads.into_iter().map(head).collect::<Option<_>>()?,
            boards: boards.into_iter().map(board).collect::<Option<_>>()?,
        })
    }
}

/// All boards of a plan, each with the type and the tags of its next game.
#[derive(Clone, Debug)]
pub struct BoardList {
    /// Time from which the list is valid.
    pub at: WallTime,
    /// Boards in their order, without games.
    pub boards: Vec<Board>,
    /// Index of its plan.
    plan: usize,
}

impl BoardList {
    /// Whether another list has the same boards with the same types and tags.
    fn is_same(&self, other: &BoardList) -> bool {
        let facts = |board: &Board| (board.name.clone(), board.variant.game_type.tag_value(), board.tags.clone());
        self.boards.iter().map(facts).eq(other.boards.iter().map(facts))
    }
}

/// The plans of a folder.
#[derive(Clone, Default, Debug)]
pub struct Plans {
    /// Plans in their order.
    pub all: Vec<Plan>,
    /// Lists of boards, of the first plan and of each that changes the boards.
    lists: Vec<BoardList>,
    /// Descriptions of plans that could not be read.
    pub problems: Vec<String>,
    next: u32,
    /// Bytes on the disk, by number of the plan.
    saved: BTreeMap<u32, Vec<u8>>,
    /// Whether the last plan is not on the disk yet.
    is_unsaved: bool,
    /// Plans that were removed or changed on the disk.
    changed: BTreeSet<u32>,
    /// Witnesses of the plans' ends.
    witnesses: Witnesses,
}

impl Plans {
    /// Reads the plans of a folder of logs.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn read(disk: &dyn Disk, folder: &Path) -> io::Result<Plans> {
        let mut numbers: Vec<u32> = disk.list(folder)?.iter().filter_map(|name| number(name)).collect();
        numbers.sort_unstable();
        let mut plans = Plans { next: numbers.last().map_or(1, |last| last.saturating_add(1)), ..Plans::default() };
        for number in numbers {
            let path = path(folder, number);
            let text = match disk.read(&path) {
                Err(error) if disk::is_not_regular_file(&error) => {
                    plans.problems.push(format!("{error}; it is not used"));
                    continue;
                }
                text => text?,
            };
            match std::str::from_utf8(&text).ok().and_then(Plan::read) {
                Some(plan) => {
                    plans.push(plan);
                    plans.saved.insert(number, text);
                }
                None => plans.problems.push(format!("{}: this is no plan of a round; it is not used", path.display())),
            }
        }
        Ok(plans)
    }

    /// Compares the plans that were read with their witnesses, and stores the witnesses for new ones. Returns a description of missing
    /// plans.
    pub fn set_witnesses(&mut self, witnesses: Witnesses) -> Option<String> {
        let missing = witnesses.all().into_iter().find_map(|(file, witness)| {
            let number = number(&file)?;
            let found = self.saved.get(&number).map_or(0, |text| text.len() as u64);
            let mismatch = witness.check(self.saved.get(&number).and_then(|text| end_of(text)).into_iter()).err()?;
            Some(format!("log/{file}: {mismatch}")).filter(|_| found <= witness.length)
        });
        self.witnesses = witnesses;
        missing
    }

    /// Returns the current plan.
    pub fn current(&self) -> Option<&Plan> {
        self.all.last()
    }

    /// Returns the head that the current plan has for logs of a line.
    pub fn head(&self, line: &str) -> Option<&Header> {
        self.current()?.lines.iter().find(|head| head.line.as_deref() == Some(line))
    }

    /// Returns the plan that was valid at a moment.
    pub fn at(&self, moment: WallTime) -> Option<&Plan> {
        self.all.iter().rev().find(|plan| plan.opened <= moment).or(self.all.first())
    }

    /// Adds a plan unless it equals the current one.
    pub fn add(&mut self, plan: Plan) {
        if self.current().is_some_and(|current| current.same_content(&plan)) {
            return;
        }
        if self.is_unsaved {
            self.all.pop();
            self.lists.pop_if(|list| list.plan == self.all.len());
        }
        self.push(plan);
        self.is_unsaved = true;
    }

    fn push(&mut self, plan: Plan) {
        let boards = plan.slots().into_iter().map(|(_, _, board)| board).collect();
        // If the clock of the machine was set back, no list may be seen before an earlier one.
        let at = self.lists.last().map_or(plan.opened, |last| last.at.max(plan.opened));
        let list = BoardList { at, boards, plan: self.all.len() };
        if self.lists.last().is_none_or(|last| !last.is_same(&list)) {
            self.lists.push(list);
        }
        self.all.push(plan);
    }

    /// Returns the lists of boards, in their order.
    pub fn board_lists(&self) -> &[BoardList] {
        &self.lists
    }

    /// Writes the current plan, durably, if it is not on the disk yet.
    ///
    /// # Errors
    ///
    /// Returns any I/O error.
    pub fn save(&mut self, disk: &dyn Disk, folder: &Path) -> io::Result<()> {
        if let Some(plan) = self.all.last().filter(|_| self.is_unsaved) {
            let (text, checksum) = plan.to_text();
            disk::replace(disk, &path(folder, self.next), text.as_bytes(), Durability::Safe)?;
            self.witnesses.set(&name(self.next), Witness { length: text.len() as u64, checksum });
            self.saved.insert(self.next, text.into_bytes());
            self.next += 1;
            self.is_unsaved = false;
        }
        for number in std::mem::take(&mut self.changed) {
            let path = path(folder, number);
            if disk.read(&path).is_ok() {
                disk::move_aside(disk, &path)?;
            }
            let text = self.saved.get(&number).map(Vec::as_slice).unwrap_or_default();
            let replaced = disk::replace(disk, &path, text, Durability::Safe);
            if replaced.is_err() {
                self.changed.insert(number);
                return replaced;
            }
        }
        Ok(())
    }

    /// Returns the names of the plans' files.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.saved.keys().map(|number| name(*number))
    }

    /// Checks that all files are there with the written bytes. [`Plans::save`] writes the others again; returns their names.
    pub fn verify(&mut self, disk: &dyn Disk, folder: &Path) -> Vec<String> {
        let is_other = |found: io::Result<Vec<u8>>, text: &Vec<u8>| match found {
            Ok(found) => found != *text,
            // An I/O error other than "not found" does not show that the file is missing.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        let lost = self.saved.iter().filter(|(number, text)| is_other(disk.read(&path(folder, **number)), text));
        self.changed = lost.map(|(number, _)| *number).collect();
        self.changed.iter().map(|number| name(*number)).collect()
    }
}

/// Returns the witness of a plan's only line.
fn end_of(text: &[u8]) -> Option<Witness> {
    let line = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let (_, checksum) = ChainedChecksum::default().unseal(line).ok()?;
    Some(Witness { length: text.len() as u64, checksum })
}

fn number(name: &str) -> Option<u32> {
    name.strip_prefix("round-")?.strip_suffix(".plan")?.parse().ok()
}

fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(name(number))
}

fn name(number: u32) -> String {
    format!("round-{number}.plan")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    const CONFIG: &str = r#"
        [station]
        directory = "x"
        [public]
        profile = "standard"
        delay = 60
        delay-plies = 2
        [[outlet]]
        name = "hall"
        directory = "shown/hall"
        profile = "lidraughts"
        [[line]]
        name = "a"
        port = "/dev/a"
        game-type = "25"
        [line.tags]
        White = "Sijbrands, T."
        [[line]]
        name = "hall"
        mode = "bus"
        port = "/dev/b"
        game-type = "20"
        [[line.board]]
        address = 7
        name = "table-1"
        [line.board.tags]
        Board = "1"
    "#;

    fn plan(text: &str, before: Option<&Plan>) -> Plan {
        let opened = WallTime::parse_from_rfc3339("2026-11-21T09:25:00.000+01:00").unwrap();
        Plan::new(&Config::read("x", text).unwrap(), opened, before)
    }

    #[test]
    fn plan_roundtrip() {
        let mut saved = plan(CONFIG, None);
        saved.boards.push(("hall".to_owned(), BusAddress::new(1025)));
        let read = Plan::read(&saved.to_text().0).unwrap();
        assert_eq!(read, saved);
        assert_eq!(read.outlets.iter().map(|outlet| outlet.name.as_str()).collect::<Vec<_>>(), ["public", "hall"]);
        let names: Vec<String> = read.slots().into_iter().map(|(_, _, board)| board.name).collect();
        assert_eq!(names, ["a", "table-1", "hall-1025"]);
        assert_eq!(read.slots()[1].2.tags, [("Board".to_owned(), "1".to_owned())]);
        assert_eq!(Plan::read("# damcast byte log 1\n"), None);
    }

    #[test]
    fn suspended_outlet_keeps_plan() {
        let before = plan(CONFIG, None);
        let wrong = CONFIG.replace("profile = \"lidraughts\"", "profile = \"all\"").replace("delay = 60", "delay = 70");
        let opened = before.opened;
        let config = crate::config::Sources::from_text("x", &wrong).read_for_recording().unwrap();
        assert_eq!((config.outlets.len(), config.suspended_outlets.len()), (1, 1));
        let after = Plan::new(&config, opened, Some(&before));
        assert_eq!(after.outlets[1], PlannedOutlet { is_suspended: true, ..before.outlets[1].clone() });
        assert_eq!(Plan::read(&after.to_text().0).unwrap(), after);
        assert_eq!(after.outlets[0].delay.seconds, 70);
    }

    #[test]
    fn found_board_keeps_place() {
        let mut before = plan(CONFIG, None);
        before.boards.push(("hall".to_owned(), BusAddress::new(9)));
        before.boards.push(("gone".to_owned(), BusAddress::new(9)));
        let after = plan(&CONFIG.replace("Sijbrands", "Wiersma"), Some(&before));
        assert_eq!(after.boards.len(), 3);
        assert_eq!(after.boards[2], ("hall".to_owned(), BusAddress::new(9)));
    }

    #[test]
    fn writes_plan_only_on_change() {
        let folder = tempfile::tempdir().unwrap();
        let mut plans = Plans::read(&RealDisk, folder.path()).unwrap();
        for (text, count) in [(CONFIG.to_owned(), 1), (CONFIG.to_owned(), 1), (CONFIG.replace("60", "0"), 2)] {
            let new = plan(&text, plans.current());
            plans.add(new);
            plans.save(&RealDisk, folder.path()).unwrap();
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), count);
        }
        let mut again = Plans::read(&RealDisk, folder.path()).unwrap();
        assert_eq!(again.all, plans.all);
        assert_eq!(again.set_witnesses(plans.witnesses.clone()), None);
        // A missing or cut plan is noticed, whatever its number.
        for number in [1, 2] {
            let path = path(folder.path(), number);
            let text = std::fs::read(&path).unwrap();
            for cut in [None, Some(0), Some(text.len() / 2), Some(text.len() - 1)] {
                match cut {
                    None => std::fs::remove_file(&path).unwrap(),
                    Some(length) => std::fs::write(&path, &text[..length]).unwrap(),
                }
                let mut again = Plans::read(&RealDisk, folder.path()).unwrap();
                let missing = again.set_witnesses(plans.witnesses.clone()).unwrap();
                assert!(missing.starts_with(&format!("log/round-{number}.plan: its end is missing")), "{missing}");
            }
            std::fs::write(&path, text).unwrap();
        }
    }
}
