//! Folders that the station maintains, with their permissions, and properties of files by path.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::process::geteuid;

use super::{if_found, parent_folder};

/// Folder that the station creates again if it disappears.
#[derive(Debug)]
pub struct ManagedDir {
    path: PathBuf,
    /// Last seen mode, user and group.
    last_mode: Option<(u32, u32, u32)>,
    /// Group that may read the folder; `None` leaves the permissions alone.
    group: Option<String>,
    /// Reason why that group cannot read it.
    group_problem: Option<String>,
}

impl ManagedDir {
    /// Manages a folder that need not exist yet.
    pub fn new(path: PathBuf) -> ManagedDir {
        ManagedDir { path, last_mode: None, group: None, group_problem: None }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets the group that may read the folder and its new files; others may not.
    pub fn set_group(&mut self, group: Option<&str>) {
        (self.group, self.group_problem) = (group.map(str::to_owned), None);
    }

    /// Returns why the group cannot read the folder, and a remedy.
    pub fn unread(&self) -> Option<&str> {
        self.group_problem.as_deref()
    }

    /// Creates the folder if it is missing, with the permissions and owner it had. Returns whether it was removed since the last call.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be created, or the path is not a folder.
    pub fn ensure(&mut self) -> io::Result<bool> {
        let was_away = self.try_ensure()?;
        self.group_problem = self.group.as_deref().and_then(|group| share(&self.path, group).err());
        Ok(was_away)
    }

    fn try_ensure(&mut self) -> io::Result<bool> {
        if let Some(there) = if_found(fs::metadata(&self.path))? {
            if !there.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            self.last_mode = Some((there.mode() & 0o7777, there.uid(), there.gid()));
            return Ok(false);
        }
        make_folder(&self.path)?;
        let Some((mode, user, group)) = self.last_mode else { return Ok(false) };
        // Only root may change the owner; otherwise this process owns the folder. Members of a group that is not restored cannot read it.
        let _ = std::os::unix::fs::chown(&self.path, Some(user), Some(group));
        if fs::metadata(&self.path)?.mode() & 0o7777 != mode {
            let set = |mode| fs::set_permissions(&self.path, fs::Permissions::from_mode(mode));
            // A service may not set the setgid bit.
            set(mode).or_else(|_| set(mode & 0o777))?;
        }
        Ok(true)
    }
}

/// Mode bits of a shared folder: readable by its group, inherited by new files, closed to others.
const SHARED_MODE: u32 = 0o2050;
/// Mode bits that are checked, besides the owner's.
const MODE_BITS: u32 = 0o2057;

/// Gives a folder and its files to a group that may read them. An error describes the reason and a remedy.
fn share(folder: &Path, group: &str) -> Result<(), String> {
    let shown = folder.display();
    let failed = |error: io::Error| format!("{shown} cannot be given to the group {group}: {error}");
    let there = fs::metadata(folder).map_err(failed)?;
    let id = group_id(group).map_err(failed)?;
    let id =
        id.ok_or_else(|| format!("there is no group {group} on this machine: `sudo groupadd --system {group}`"))?;
    if there.gid() == id && there.mode() & MODE_BITS == SHARED_MODE {
        return Ok(());
    }
    let give = |path: &Path| {
        std::os::unix::fs::chown(path, None, Some(id)).map_err(|error| {
            format!(
                "{} cannot be given to the group {group}: {error}; put the user of the station into it, as in `sudo usermod -aG {group} \
                 damcast`, and start the station again",
                path.display()
            )
        })
    };
    // Change the folder last: until it has the right mode, all this is repeated.
    for file in fs::read_dir(folder).map_err(failed)?.flatten().map(|entry| entry.path()) {
        let Ok(there) = fs::symlink_metadata(&file) else { continue };
        if there.is_file() && (there.gid() != id || there.mode() & 0o047 != 0o040) {
            give(&file)?;
            let mode = there.mode() & 0o7770 | 0o040;
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).map_err(failed)?;
        }
    }
    give(folder)?;
    let mode = there.mode() & 0o0720 | SHARED_MODE;
    let set = |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode));
    if fs::metadata(folder).map_err(failed)?.mode() & 0o7777 != mode && set(mode).is_err() {
        // A service may not set the setgid bit.
        set(mode & 0o777).map_err(failed)?;
        return Err(format!("what is made in {shown} is not for the group {group}: `sudo chmod 2750 {shown}`"));
    }
    Ok(())
}

/// Returns the id of a group of this machine.
pub fn group_id(name: &str) -> io::Result<Option<u32>> {
    let groups = fs::read_to_string("/etc/group")?;
    let of = |line: &str| {
        let mut fields = line.split(':');
        (fields.next() == Some(name)).then(|| fields.nth(1)?.parse().ok()).flatten()
    };
    Ok(groups.lines().find_map(of))
}

/// Creates a folder and its missing parents. Folders created by root belong to the owner of the parent, like everything in a station's
/// folder.
///
/// # Errors
///
/// Returns any I/O error. An existing folder is no error.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = parent_folder(path);
    if above != path {
        make_folder(above)?;
    }
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !path.is_dir() => return Err(error),
        Err(_) => return Ok(()),
        Ok(()) => {}
    }
    if let Some((user, group)) = owner_for(above) {
        // Open the folder first, so that a link put in its place is never changed.
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, rustix::fs::Mode::empty())?;
        rustix::fs::fchown(folder, Some(user), Some(group))?;
    }
    Ok(())
}

/// Returns the owner for a new file when root creates it in the folder of another user.
pub(super) fn owner_for(folder: &Path) -> Option<(rustix::fs::Uid, rustix::fs::Gid)> {
    if !geteuid().is_root() {
        return None;
    }
    let there = fs::metadata(folder).ok().filter(|there| there.uid() != 0)?;
    Some((rustix::fs::Uid::from_raw(there.uid()), rustix::fs::Gid::from_raw(there.gid())))
}

/// Checks whether this process may write the file, or create files in the folder, without writing anything.
///
/// # Errors
///
/// Returns the reason of the system: missing permission, read-only disk, immutable file, or no such file.
pub fn may_write(path: &Path) -> io::Result<()> {
    let access = if path.is_dir() { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
    Ok(rustix::fs::access(path, access)?)
}

/// Identity and state of a file; it changes with every modification or replacement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStamp {
    file: (u64, u64),
    length: u64,
    changed_at: (i64, i64),
}

/// Returns the stamp of a file; `None` if it does not exist or cannot be read.
pub fn stamp(path: &Path) -> Option<FileStamp> {
    let there = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(FileStamp {
        file: (there.dev(), there.ino()),
        length: there.len(),
        changed_at: (there.ctime(), there.ctime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_folder_is_recreated_alike() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/public");
        let mut kept = ManagedDir::new(path.clone());
        assert!(!kept.ensure().unwrap(), "it was not there before");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o2751)).unwrap();
        assert!(!kept.ensure().unwrap());
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        assert!(kept.ensure().unwrap());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o2751);
        fs::remove_dir_all(&path).unwrap();
        fs::write(&path, "no folder").unwrap();
        assert_eq!(kept.ensure().unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}
