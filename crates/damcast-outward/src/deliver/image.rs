//! Image of a folder: the names of all files with their stamps, so that a comparison of two images finds every change.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Maximum number of files of an outlet; a day of 64 boards leaves some hundred.
const MAX_FILES: usize = 100_000;
/// Maximum depth of folders in an outlet.
const MAX_DEPTH: usize = 8;
/// Folders of a hub that are not for readers: lines that were put aside, and copies that may have names which other halls hide.
const PRIVATE_FOLDERS: [&str; 2] = ["aside", "hall"];
/// Part of the name of a file that was put aside.
const ASIDE_MARK: &str = ".aside-";
/// Maximum length of a name in bytes, with its folders.
const MAX_NAME_LEN: usize = 512;

/// Stamp of a file, which differs after each change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    size: u64,
    /// Time of the last change, in nanoseconds since 1970.
    modified: i128,
    /// A replaced file has another one.
    inode: u64,
}

impl Stamp {
    /// Returns the time of the last change, in nanoseconds since 1970.
    pub fn modified(self) -> i128 {
        self.modified
    }
}

/// Files of a folder by name, with `/` between folders.
pub type FolderImage = BTreeMap<String, Stamp>;

/// Reads the image of a folder. Ignores links, other special files, files that are not for readers, and names that
/// [`is_deliverable`] refuses.
///
/// # Errors
///
/// Returns an error if a folder cannot be read, or the tree has too many files or is too deep.
pub fn read(folder: &Path) -> io::Result<FolderImage> {
    let mut image = FolderImage::new();
    read_into(&mut image, folder, "", MAX_DEPTH)?;
    Ok(image)
}

fn read_into(image: &mut FolderImage, folder: &Path, prefix: &str, depth: usize) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else { continue };
        if !is_deliverable(&name) || name.contains(ASIDE_MARK) || PRIVATE_FOLDERS.contains(&name.as_str()) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            let depth =
                depth.checked_sub(1).ok_or_else(|| io::Error::other(format!("folders are too deep: {name}")))?;
            if_present(read_into(image, &entry.path(), &format!("{name}/"), depth))?;
        } else if kind.is_file()
            && let Some(data) = if_present(entry.metadata())?
        {
            let modified = i128::from(data.mtime()) * 1_000_000_000 + i128::from(data.mtime_nsec());
            image.insert(name, Stamp { size: data.size(), modified, inode: data.ino() });
            if image.len() > MAX_FILES {
                return Err(io::Error::other(format!("there are more than {MAX_FILES} files")));
            }
        }
    }
    Ok(())
}

/// Whether a name can be passed to a command: no control characters, quotation marks and backslashes, no hidden files, no way out of the
/// folder.
pub fn is_deliverable(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    name.len() <= MAX_NAME_LEN
        && name.split('/').all(is_plain)
        && !name.contains(|c: char| c.is_control() || matches!(c, '"' | '\\'))
}

/// Returns `None` for a file that was removed after its folder was listed.
fn if_present<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_shows_every_kind_of_change() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::create_dir_all(place("round/1")).unwrap();
        fs::write(place("games.pdn"), "a").unwrap();
        fs::write(place("round/1/games.pdn"), "b").unwrap();
        fs::write(place(".hidden"), "x").unwrap();
        fs::write(place("events.ndjson.aside-1"), "x").unwrap();
        for private in ["aside", "hall/room-1"] {
            fs::create_dir_all(place(private)).unwrap();
            fs::write(place(private).join("events.ndjson"), "x").unwrap();
        }
        fs::write(place("line\nfeed"), "x").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", place("link")).unwrap();
        let first = read(folder.path()).unwrap();
        assert_eq!(first.keys().collect::<Vec<_>>(), ["games.pdn", "round/1/games.pdn"]);
        assert_eq!(read(folder.path()).unwrap(), first);
        fs::OpenOptions::new().append(true).open(place("games.pdn")).unwrap().set_len(5).unwrap();
        let grown = read(folder.path()).unwrap();
        assert_ne!(grown["games.pdn"], first["games.pdn"]);
        fs::write(place("new"), "c").unwrap();
        fs::rename(place("new"), place("round/1/games.pdn")).unwrap();
        assert_ne!(read(folder.path()).unwrap()["round/1/games.pdn"], first["round/1/games.pdn"]);
        assert!(read(&place("absent")).is_err());
    }

    #[test]
    fn refuses_names_that_leave_folder() {
        for (name, expected) in [
            ("a", true),
            ("archive/board 1-3.pdn", true),
            ("é", true),
            ("", false),
            ("/a", false),
            ("a//b", false),
            ("../a", false),
            ("a/..", false),
            (".a", false),
            ("a\nb", false),
            ("a\"b", false),
            ("a\\b", false),
        ] {
            assert_eq!(is_deliverable(name), expected, "{name:?}");
        }
        assert!(!is_deliverable(&"a".repeat(513)));
    }
}
