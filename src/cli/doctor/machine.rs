//! View of a machine through its `/proc`, `/sys`, `/etc` and `/dev`: this machine, or a copy in a folder.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Search path of a service for programs named without a folder.
const PROGRAM_FOLDERS: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// Machine to check.
pub struct Machine {
    root: Option<PathBuf>,
}

/// Process of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// Process number.
    pub id: u32,
    /// Program name, cut to 15 characters by the kernel.
    pub name: String,
}

/// A serial port of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tty {
    /// Name in `/dev`.
    pub name: String,
    /// Folder of the USB device; `None` for a port without USB.
    pub usb: Option<PathBuf>,
}

impl Machine {
    /// Creates a view of this machine, or of the one in a folder.
    pub fn new(root: Option<PathBuf>) -> Machine {
        let root = root.map(|root| fs::canonicalize(&root).unwrap_or(root));
        Machine { root }
    }

    /// Whether this is the local machine.
    pub fn is_local(&self) -> bool {
        self.root.is_none()
    }

    /// Maps a path of the machine to a real path.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        match &self.root {
            Some(root) if path.is_absolute() => root.join(path.strip_prefix("/").unwrap_or(path)),
            _ => path.to_owned(),
        }
    }

    /// Returns the trimmed contents of a small file.
    pub fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.path(path)).ok().map(|text| text.trim().to_owned())
    }

    /// Whether a link exists, even if its target does not.
    pub fn is_link(&self, path: impl AsRef<Path>) -> bool {
        fs::symlink_metadata(self.path(path)).is_ok()
    }

    /// Whether a file or folder exists.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// Whether a program exists and is executable; one without a folder is searched as a service does.
    pub fn has_program(&self, program: &str) -> bool {
        let is_program = |path: PathBuf| {
            let data = fs::metadata(self.path(path));
            data.is_ok_and(|data| data.is_file() && data.mode() & 0o111 != 0)
        };
        match program.contains('/') {
            true => is_program(program.into()),
            false => PROGRAM_FOLDERS.iter().any(|folder| is_program(Path::new(folder).join(program))),
        }
    }

    /// Returns the sorted names in a folder.
    pub fn list(&self, path: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Returns the device behind a path, links resolved, as the machine itself names it.
    pub fn device(&self, path: &Path) -> Option<PathBuf> {
        let found = fs::canonicalize(self.path(path)).ok()?;
        match &self.root {
            Some(root) => Some(Path::new("/").join(found.strip_prefix(root).ok()?)),
            None => Some(found),
        }
    }

    /// Returns all visible processes.
    pub fn processes(&self) -> Vec<Process> {
        let numbers = self.list("/proc").into_iter().filter_map(|name| name.parse::<u32>().ok());
        numbers.filter_map(|id| Some(Process { id, name: self.read(format!("/proc/{id}/comm"))? })).collect()
    }

    /// Returns the processes that have a device open; processes of other users are visible to root only.
    pub fn holders(&self, device: &Path) -> Vec<Process> {
        let holds = |process: &Process| {
            let entries = fs::read_dir(self.path(format!("/proc/{}/fd", process.id))).into_iter().flatten().flatten();
            entries.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|target| target == device)
        };
        self.processes().into_iter().filter(holds).collect()
    }

    /// Returns the serial ports, without mainboard ports that have no chip.
    pub fn ttys(&self) -> Vec<Tty> {
        let names = self.list("/sys/class/tty").into_iter();
        let with_device = names.filter(|name| self.exists(format!("/sys/class/tty/{name}/device")));
        with_device.map(|name| Tty { usb: self.usb_device(&name), name }).collect()
    }

    /// Returns the USB device of a serial port: its first ancestor folder with a vendor id.
    fn usb_device(&self, name: &str) -> Option<PathBuf> {
        let device = fs::canonicalize(self.path(format!("/sys/class/tty/{name}/device"))).ok()?;
        device.ancestors().find(|folder| folder.join("idVendor").exists()).map(Path::to_owned)
    }

    /// Returns mode, user and group of a device.
    pub fn access(&self, device: &Path) -> Option<(u32, u32, u32)> {
        let data = fs::metadata(self.path(device)).ok()?;
        Some((data.mode(), data.uid(), data.gid()))
    }

    /// Returns name, number and members of each group.
    pub fn groups(&self) -> Vec<(String, u32, Vec<String>)> {
        let text = self.read("/etc/group").unwrap_or_default();
        let group = |line: &str| {
            let mut parts = line.split(':');
            let (name, _, id) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
            let members = parts.next().unwrap_or_default().split(',').map(|name| name.trim().to_owned()).collect();
            Some((name.to_owned(), id, members))
        };
        text.lines().filter_map(group).collect()
    }

    /// Returns the number and primary group of a user.
    pub fn user(&self, name: &str) -> Option<(u32, u32)> {
        let text = self.read("/etc/passwd")?;
        let line = text.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = line.split(':').skip(2).map_while(|part| part.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    }

    /// Returns the name of a user.
    pub fn user_name(&self, id: u32) -> Option<String> {
        let text = self.read("/etc/passwd")?;
        let line = text.lines().find(|line| line.split(':').nth(2).and_then(|part| part.parse().ok()) == Some(id))?;
        line.split(':').next().map(str::to_owned)
    }
}
