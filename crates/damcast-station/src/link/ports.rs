//! Ports of this machine and the lines that use them; shared by all lines of a station.
//!
//! An address may match several ports ("any port that looks like this, with board 01025 on it"), and boards move between ports.
//! So lines share their findings:
//!
//! ```text
//!   line A, wants 01025 ── opens P1: board 01026 answers ──▸ noted: P1 carries 01026 ──▸ A tries P2
//!   line B, wants 01026 ─────────────────────────────────────────────────▸ opens P1 first
//! ```
//!
//! Invariants: a port that is open on a line, or configured for a line by its path, is no candidate of another line. A note about a
//! port is void when another device takes its name; a note that excludes the port also expires after `NOTE_LIFETIME`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serialport::{SerialPortInfo, SerialPortType};
use tokio::time::Instant;

use super::address::{PortAddress, UsbId};

use crate::locks::lock;

/// Time after which a port with another board or none is retried: its cable may have been moved.
const NOTE_LIFETIME: Duration = Duration::from_secs(10);
/// Shortest time between two reads of the system's list of ports, for all lines together.
const LIST_INTERVAL: Duration = Duration::from_secs(1);
/// Folder of the system's ports; without it the enumeration would panic.
const SYSTEM_LIST_PATH: &str = "/sys/class/tty";
/// Vendor and product ids of a board's own USB chip. Common chips do not identify a board.
const BOARD_CHIPS: [(u16, u16); 1] = [(0x045b, 0x8111)];
/// Prefix of the manufacturer's name of other boards.
const MANUFACTURER_PREFIX: &str = "DGT";
/// Folders of links that stay the same when ports are renumbered.
const STABLE_NAME_FOLDERS: [&str; 2] = ["/dev/serial/by-id", "/dev/serial/by-path"];
/// Number of notes beyond which those about unplugged ports are dropped.
const MAX_NOTES: usize = 256;

/// Knowledge about ports; each line has its own handle to the shared table.
#[derive(Clone, Default)]
pub struct Ports {
    table: Arc<Mutex<PortTable>>,
    line: String,
}

#[derive(Default)]
struct PortTable {
    reserved: Vec<PathBuf>,
    /// Name of the line that uses each port.
    claimed: BTreeMap<PathBuf, String>,
    notes: BTreeMap<PathBuf, PortNote>,
    cached_list: Option<(Instant, Result<Vec<SerialPortInfo>, String>)>,
}

/// Note about a port; `board` is `None` if nothing answers.
struct PortNote {
    board: Option<String>,
    device: Option<Device>,
    at: Instant,
}

/// Identity of a device, to detect another device with its name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Device([i64; 4]);

impl Device {
    fn from_path(path: &Path) -> Option<Device> {
        let data = fs::metadata(path).ok()?;
        Some(Device([data.dev() as i64, data.ino() as i64, data.ctime(), data.ctime_nsec()]))
    }
}

/// Port claimed by a line; dropping it releases the port.
pub struct ClaimedPort {
    ports: Ports,
    path: PathBuf,
}

impl Drop for ClaimedPort {
    fn drop(&mut self) {
        lock(&self.ports.table).claimed.remove(&self.path);
    }
}

impl Ports {
    /// Reserves exactly these ports for the lines that the configuration assigns them to.
    pub fn reserve(&self, paths: Vec<PathBuf>) {
        lock(&self.table).reserved = paths;
    }

    /// Returns a handle for the line of this name.
    #[must_use]
    pub fn for_line(&self, name: &str) -> Ports {
        Ports { table: Arc::clone(&self.table), line: name.to_owned() }
    }

    /// Claims a port.
    ///
    /// # Errors
    ///
    /// Returns the name of the line that holds it.
    pub fn claim(&self, path: &Path) -> Result<ClaimedPort, String> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut book = lock(&self.table);
        if let Some(holder) = book.claimed.get(&path) {
            return Err(holder.clone());
        }
        book.claimed.insert(path.clone(), self.line.clone());
        drop(book);
        Ok(ClaimedPort { ports: self.clone(), path })
    }

    /// Records the board that answers at a port, or that none does.
    pub fn note(&self, path: &Path, board: Option<&str>) {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let note = PortNote { board: board.map(str::to_owned), device: Device::from_path(&path), at: Instant::now() };
        let mut book = lock(&self.table);
        if book.notes.len() >= MAX_NOTES {
            book.notes.retain(|path, note| note.device.is_some() && note.device == Device::from_path(path));
        }
        book.notes.insert(path, note);
    }

    /// Returns the ports that match an address, first those known to carry the expected board. Blocks on the system's folders.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is none.
    pub fn candidates(&self, address: &PortAddress, wanted: Option<&str>) -> Result<Vec<PathBuf>, String> {
        let all = match address {
            PortAddress::Serial(path) => return Ok(vec![path.clone()]),
            PortAddress::Usb(id) => self.usb_ports(|usb| is_chip(id, usb))?,
            PortAddress::Any(patterns) if patterns.is_empty() => self.usb_ports(is_board)?,
            PortAddress::Any(patterns) => patterns.iter().flat_map(|pattern| matching_paths(pattern)).collect(),
            PortAddress::Tcp(_) | PortAddress::Rfc2217 { .. } => Vec::new(),
        };
        if all.is_empty() {
            return Err("there is no such port; is the board plugged in?".to_owned());
        }
        let book = lock(&self.table);
        let reserved: Vec<PathBuf> = book.reserved.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        let mut ranked: Vec<(u8, PathBuf)> = Vec::new();
        for path in all.iter().filter_map(|path| fs::canonicalize(path).ok()) {
            if book.claimed.contains_key(&path)
                || reserved.contains(&path)
                || ranked.iter().any(|(_, other)| *other == path)
            {
                continue;
            }
            let note = book.notes.get(&path).filter(|note| note.device == Device::from_path(&path));
            let rank = match note {
                Some(note) if wanted.is_some() && note.board.as_deref() == wanted => 0,
                Some(note) if note.at.elapsed() < NOTE_LIFETIME && wanted.is_some() => continue,
                Some(_) => 2,
                None => 1,
            };
            ranked.push((rank, path));
        }
        // The sort is stable: equal ranks stay in the order of names.
        ranked.sort_by_key(|(rank, _)| *rank);
        if ranked.is_empty() {
            return Err("other lines have the ports that could be meant, or other boards are at them".to_owned());
        }
        Ok(ranked.into_iter().map(|(_, path)| path).collect())
    }

    fn usb_ports(&self, fits: impl Fn(&serialport::UsbPortInfo) -> bool) -> Result<Vec<PathBuf>, String> {
        let mut book = lock(&self.table);
        if book.cached_list.as_ref().is_none_or(|(at, _)| at.elapsed() >= LIST_INTERVAL) {
            book.cached_list = Some((Instant::now(), list()));
        }
        let Some((_, listed)) = &book.cached_list else { return Ok(Vec::new()) };
        let ports = listed.as_ref().map_err(Clone::clone)?;
        let fitting = ports.iter().filter(|port| matches!(&port.port_type, SerialPortType::UsbPort(usb) if fits(usb)));
        Ok(fitting.map(|port| PathBuf::from(&port.port_name)).collect())
    }
}

/// Returns the device of an address, with links resolved; `None` if it is missing, not local, or one of several.
pub fn device(address: &PortAddress) -> Option<PathBuf> {
    match address {
        PortAddress::Serial(path) => fs::canonicalize(path).ok(),
        PortAddress::Usb(id) if address.is_one_port() => {
            let ports = Ports::default().usb_ports(|usb| is_chip(id, usb)).ok()?;
            fs::canonicalize(ports.first()?).ok()
        }
        _ => None,
    }
}

/// Returns pairs of lines whose different addresses mean one device, with that device.
pub fn shared_devices<'l>(lines: impl IntoIterator<Item = (&'l str, &'l PortAddress)>) -> Vec<[String; 3]> {
    let mut seen: BTreeMap<PathBuf, &str> = BTreeMap::new();
    let mut shared = Vec::new();
    for (line, address) in lines {
        let Some(device) = device(address) else { continue };
        match seen.get(&device) {
            Some(other) => shared.push([(*other).to_owned(), line.to_owned(), device.display().to_string()]),
            None => drop(seen.insert(device, line)),
        }
    }
    shared
}

/// Returns the serial ports of this machine, sorted by name, without pseudo-terminals.
///
/// # Errors
///
/// Returns the reason if the system cannot list them.
pub fn list() -> Result<Vec<SerialPortInfo>, String> {
    if !Path::new(SYSTEM_LIST_PATH).is_dir() {
        return Err(format!("this system has no {SYSTEM_LIST_PATH}, so its serial ports cannot be listed"));
    }
    // The list may change during reading, and the library panics in some of these cases.
    let listed = std::panic::catch_unwind(serialport::available_ports);
    let mut ports = match listed {
        Ok(Ok(ports)) => ports,
        Ok(Err(error)) => return Err(format!("the serial ports cannot be listed: {error}")),
        Err(_) => return Err("the serial ports cannot be listed just now".to_owned()),
    };
    ports.sort_by(|a, b| a.port_name.cmp(&b.port_name));
    Ok(ports)
}

/// Returns the stable names of each port.
pub fn stable_names() -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut names: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for folder in STABLE_NAME_FOLDERS {
        // The folder is missing until a USB port is plugged in.
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let mut links: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        links.sort();
        for link in links {
            if let Ok(port) = fs::canonicalize(&link) {
                names.entry(port).or_default().push(link);
            }
        }
    }
    names
}

fn is_chip(id: &UsbId, usb: &serialport::UsbPortInfo) -> bool {
    let has_serial = |serial: &String| usb.serial_number.as_ref() == Some(serial);
    usb.vid == id.vendor && usb.pid == id.product && id.serial.as_ref().is_none_or(has_serial)
}

/// Whether the USB port belongs to a maker of boards.
pub fn is_board(usb: &serialport::UsbPortInfo) -> bool {
    let is_makers = usb.manufacturer.as_ref().is_some_and(|manufacturer| manufacturer.starts_with(MANUFACTURER_PREFIX));
    is_makers || BOARD_CHIPS.contains(&(usb.vid, usb.pid))
}

/// Returns the paths that match a pattern: `*` in its last part matches any characters.
pub fn matching_paths(pattern: &str) -> Vec<PathBuf> {
    let path = Path::new(pattern);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let fits = |path: &PathBuf| {
        path.file_name().and_then(|found| found.to_str()).is_some_and(|found| matches_pattern(name, found))
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(fits).collect();
    paths.sort();
    paths
}

fn matches_pattern(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars() {
        for (pattern, text, expected) in [
            ("ttyUSB*", "ttyUSB0", true),
            ("ttyUSB*", "ttyUSB", true),
            ("ttyUSB*", "ttyACM0", false),
            ("*", "anything", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "abc", true),
            ("a*bc*c", "abc", false),
            ("a*a", "a", false),
            ("a", "ab", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn lines_find_assigned_boards_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let path = |name: &str| root.join(name);
        for name in ["p1", "p2", "p3", "q"] {
            fs::write(path(name), "").unwrap();
        }
        let ports = Ports::default();
        let any = PortAddress::Any(vec![path("p*").display().to_string()]);
        let found = |wanted: Option<&str>| ports.candidates(&any, wanted).unwrap_or_default();
        assert_eq!(found(Some("1025")), [path("p1"), path("p2"), path("p3")]);

        ports.reserve(vec![path("p3")]);
        let claim = ports.for_line("board-1").claim(&path("p1")).unwrap();
        assert_eq!(ports.for_line("board-2").claim(&path("./p1")).err().as_deref(), Some("board-1"));
        assert_eq!(found(None), [path("p2")]);
        drop(claim);

        // A port known to carry the board comes first; one known to carry another is left out.
        ports.note(&path("p2"), Some("1025"));
        assert_eq!(found(Some("1025")), [path("p2"), path("p1")]);
        assert_eq!(found(Some("1026")), [path("p1")]);
        // Another device with the same name voids the note.
        fs::remove_file(path("p2")).unwrap();
        fs::write(path("p2.new"), "").unwrap();
        fs::rename(path("p2.new"), path("p2")).unwrap();
        assert_eq!(found(Some("1026")), [path("p1"), path("p2")]);
        ports.note(&path("p1"), None);
        assert_eq!(found(Some("1026")), [path("p2")]);
    }

    #[test]
    fn one_device_under_two_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| PortAddress::Serial(folder.path().join(name));
        fs::write(folder.path().join("ttyUSB0"), "").unwrap();
        std::os::unix::fs::symlink("ttyUSB0", folder.path().join("by-path")).unwrap();
        let (device, link, away) = (path("ttyUSB0"), path("by-path"), path("ttyUSB1"));
        let found = shared_devices([
            ("a", &device),
            ("b", &away),
            ("c", &link),
            ("d", &away),
            ("e", &PortAddress::Any(vec![])),
        ]);
        let shown = fs::canonicalize(folder.path().join("ttyUSB0")).unwrap().display().to_string();
        assert_eq!(found, [["a".to_owned(), "c".to_owned(), shown]]);
    }

    #[test]
    fn usb_chips() {
        let usb = |serial: Option<&str>, manufacturer: &str| serialport::UsbPortInfo {
            vid: 0x04d8,
            pid: 0x000a,
            serial_number: serial.map(str::to_owned),
            manufacturer: Some(manufacturer.to_owned()),
            product: None,
        };
        let id = |serial: Option<&str>| UsbId { vendor: 0x04d8, product: 0x000a, serial: serial.map(str::to_owned) };
        assert!(is_chip(&id(None), &usb(Some("A9"), "DGT")) && is_chip(&id(Some("A9")), &usb(Some("A9"), "DGT")));
        assert!(!is_chip(&id(Some("A9")), &usb(None, "DGT")));
        assert!(is_board(&usb(None, "DGT Projects")) && !is_board(&usb(None, "Microchip")));
    }
}
