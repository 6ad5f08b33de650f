//! Files that a delivery has brought to its target: their names in a file, so that a file that is removed while nothing runs is removed at the
//! target later.
//!
//! After a start every file counts as changed, because only the target knows what it has.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::image::{FolderImage, Stamp, is_deliverable};
use crate::web::files::SIGN_FILE;

/// Files at the target of a delivery.
#[derive(Debug)]
pub struct Target {
    /// Delivered files; `None` if their content at the target is unknown.
    files: BTreeMap<String, Option<Stamp>>,
    /// File with their names, one in each line.
    list: PathBuf,
}

impl Target {
    /// Maximum number of names in one call. A call must end within its time limit, and a failed call is repeated as a whole.
    pub const MAX_BATCH: usize = 200;

    /// Reads the names that earlier calls have delivered; none if there is no list.
    ///
    /// # Errors
    ///
    /// Returns an error if the list cannot be read.
    pub fn open(list: &Path) -> io::Result<Target> {
        let text = match fs::read_to_string(list) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let names = text.lines().filter(|name| is_deliverable(name));
        Ok(Target { files: names.map(|name| (name.to_owned(), None)).collect(), list: list.to_owned() })
    }

    /// Returns the names of the files that the target lacks, has otherwise or has too much. Removed files come first, because their content may
    /// have been withdrawn; then the files of the folder itself; then those that changed last. The
    /// sign of life comes last: a call that is cut off must not make old content live.
    pub fn changes(&self, image: &FolderImage) -> Vec<String> {
        let removed = self.files.keys().filter(|name| !image.contains_key(*name));
        let mut changed: Vec<(&String, &Stamp)> =
            image.iter().filter(|(name, stamp)| self.files.get(*name) != Some(&Some(**stamp))).collect();
        changed.sort_by_key(|(name, stamp)| {
            (name.as_str() == SIGN_FILE, name.contains('/'), std::cmp::Reverse(stamp.modified()))
        });
        removed.chain(changed.into_iter().map(|(name, _)| name)).cloned().collect()
    }

    /// Returns the names for the next call.
    pub fn batch(changes: &[String]) -> &[String] {
        &changes[..changes.len().min(Target::MAX_BATCH)]
    }

    /// Adds the names of a call that begins.
    ///
    /// # Errors
    ///
    /// Returns an error if the list cannot be written; the call must not begin then.
    pub fn begin(&mut self, names: &[String]) -> io::Result<()> {
        let before = self.files.len();
        for name in names {
            // A call that fails may have changed the file.
            self.files.insert(name.clone(), None);
        }
        if self.files.len() == before { Ok(()) } else { self.write() }
    }

    /// Applies a call that succeeded. `image`: the folder before the call.
    ///
    /// # Errors
    ///
    /// Returns an error if the list cannot be written.
    pub fn complete(&mut self, names: &[String], image: &FolderImage) -> io::Result<()> {
        let before = self.files.len();
        for name in names {
            match image.get(name) {
                Some(stamp) => self.files.insert(name.clone(), Some(*stamp)),
                None => self.files.remove(name),
            };
        }
        if self.files.len() == before { Ok(()) } else { self.write() }
    }

    fn write(&self) -> io::Result<()> {
        let text: String = self.files.keys().map(|name| format!("{name}\n")).collect();
        let new = self.list.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(&new, &self.list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliver::image;

    #[test]
    fn changed_and_removed_names_are_repeated_until_success() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("x.sent");
        let outlet = folder.path().join("public");
        fs::create_dir_all(outlet.join("archive")).unwrap();
        for name in ["archive/a.pdn", "games.pdn"] {
            fs::write(outlet.join(name), "1").unwrap();
        }
        let mut target = Target::open(&list).unwrap();
        let image = image::read(&outlet).unwrap();
        let changes = target.changes(&image);
        assert_eq!(changes, ["games.pdn", "archive/a.pdn"]);
        target.begin(&changes).unwrap();
        assert_eq!(target.changes(&image), changes, "the call has failed");
        target.complete(&changes, &image).unwrap();
        assert_eq!(target.changes(&image), [""; 0]);
        fs::remove_file(outlet.join("archive/a.pdn")).unwrap();
        fs::write(outlet.join("games.pdn"), "12").unwrap();
        let image = image::read(&outlet).unwrap();
        assert_eq!(target.changes(&image), ["archive/a.pdn", "games.pdn"]);
        // After a start the removed file is known, and all others are delivered again.
        let mut target = Target::open(&list).unwrap();
        let changes = target.changes(&image);
        assert_eq!(changes, ["archive/a.pdn", "games.pdn"]);
        target.begin(&changes).unwrap();
        target.complete(&changes, &image).unwrap();
        assert_eq!(fs::read_to_string(&list).unwrap(), "games.pdn\n");
    }

    #[test]
    fn foreign_list_names_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("x.sent");
        fs::write(&list, "../a\n/etc/passwd\n\nok\n").unwrap();
        assert_eq!(Target::open(&list).unwrap().changes(&FolderImage::new()), ["ok"]);
    }

    #[test]
    fn many_files_go_in_batches() {
        let names: Vec<String> = (0..450).map(|number| number.to_string()).collect();
        assert_eq!(Target::batch(&names).len(), 200);
        assert_eq!(Target::batch(&names[..3]).len(), 3);
    }
}
