//! Files of the halls beside their events: which are taken, and what the hub makes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use draughts_pdn::problem::Level;
use draughts_pdn::profile::{self, ReaderProfile};
use serde::Deserialize;
use serde_json::Value;

use super::copy::if_found;
use crate::curl::FileAnswer;
use crate::joined_sections::{JoinedSections, join_games, join_standings};
use crate::web::files::{NUMBERED_FOLDERS, WHOLE_FILES, content_type};

/// Largest number of files of a hall.
const MAX_FILES: usize = 4096;
/// List of the files of a hall.
pub(super) const FILES_DOCUMENT: &str = "files.json";
/// Document with the sections of a tournament.
pub(super) const TOURNAMENT: &str = "tournament.json";
/// Tournament of a hall with all names, beside its files; only the hub reads it.
const UNMASKED_TOURNAMENT: &str = ".tournament.json";
/// Document with the standings.
const STANDINGS: &str = "standings.json";
/// File of the current games.
const GAMES: &str = "games.pdn";
/// Folder of archived games, with its slash.
pub(super) const ARCHIVE: &str = "archive/";

/// File of a hall.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CopiedFile {
    /// Path below the folder of its outlet.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// Files of a hall when they were last listed, with their entity tags.
#[derive(Default, Debug)]
pub(super) struct ListedFiles {
    /// Entity tag of the list.
    pub etag: Option<String>,
    tags: BTreeMap<String, String>,
    /// Names of the files that changed the last time, and will probably change again.
    pub likely: Vec<String>,
}

#[derive(Deserialize)]
struct FilesDocument {
    files: Vec<FileEntry>,
}

#[derive(Deserialize)]
struct FileEntry {
    name: String,
    etag: String,
}

impl ListedFiles {
    /// Takes over the document `files.json`, and returns the names of new and changed files.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is damaged, or names a file that no outlet has.
    pub fn take_list(&mut self, text: &[u8]) -> io::Result<Vec<String>> {
        let document: FilesDocument = serde_json::from_slice(text)
            .map_err(|error| io::Error::other(format!("files.json cannot be read: {error}")))?;
        self.take(document.files.into_iter().map(|file| (file.name, file.etag)).collect())
    }

    /// Takes over a list of names and entity tags, and returns the names of new and changed files.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is that of no file of an outlet, or there are too many.
    pub fn take(&mut self, listed: Vec<(String, String)>) -> io::Result<Vec<String>> {
        if listed.len() > MAX_FILES {
            return Err(io::Error::other(format!("it lists {} files; the hub takes {MAX_FILES}", listed.len())));
        }
        if let Some((wrong, _)) = listed.iter().find(|(name, _)| content_type(name).is_none()) {
            let shown: String = wrong.chars().take(80).collect();
            return Err(io::Error::other(format!("it lists {shown:?}, which is the file of no outlet")));
        }
        let before = std::mem::replace(&mut self.tags, listed.into_iter().collect());
        let is_new = |(name, tag): &(&String, &String)| before.get(*name) != Some(*tag);
        Ok(self.tags.iter().filter(is_new).map(|(name, _)| name.clone()).collect())
    }

    /// Takes over the answer to a request for a listed file; returns the file if it is new.
    pub fn take_answer(&mut self, name: &str, answer: FileAnswer) -> Option<CopiedFile> {
        let (bytes, etag) = answer.ok().flatten()?;
        *self.tags.get_mut(name)? = etag;
        Some(CopiedFile { name: name.to_owned(), bytes })
    }

    /// Returns the entity tag of a file.
    pub fn tag(&self, name: &str) -> Option<String> {
        self.tags.get(name).filter(|tag| !tag.is_empty()).cloned()
    }

    /// Makes a file count as new in the next list.
    pub fn forget(&mut self, name: &str) {
        self.tags.insert(name.to_owned(), String::new());
        self.etag = None;
    }

    /// Returns the names of all files.
    pub fn names(&self) -> Vec<String> {
        self.tags.keys().cloned().collect()
    }
}

/// Checks whether readers can use a file; returns why not.
pub(super) fn check(file: &CopiedFile, reader: ReaderProfile) -> Result<(), String> {
    if file.name.ends_with(".json") {
        let value: Value = serde_json::from_slice(&file.bytes).map_err(|error| error.to_string())?;
        return if value["sections"].is_array() { Ok(()) } else { Err("it has no sections".to_owned()) };
    }
    let problems = profile::check(reader, &file.bytes, None);
    match problems.iter().find(|problem| problem.level == Level::Error) {
        Some(problem) => Err(problem.to_string()),
        None => Ok(()),
    }
}

/// Files of one hall on the hub's disk.
#[derive(Debug)]
pub(super) struct HallFiles {
    folder: PathBuf,
    /// Names of the files that are there.
    names: BTreeSet<String>,
    /// Sum of their sizes in bytes.
    pub size: u64,
    /// Whether the hall has listed its files, now or before a restart.
    pub is_known: bool,
    /// Files that were written or removed since this was last taken.
    changed: BTreeSet<String>,
    /// Documents as the hall has them; on the disk, names that another hall hides are replaced.
    documents: BTreeMap<String, Value>,
}

impl HallFiles {
    fn empty(folder: &Path) -> HallFiles {
        HallFiles {
            folder: folder.to_owned(),
            names: BTreeSet::new(),
            size: 0,
            is_known: false,
            changed: BTreeSet::new(),
            documents: BTreeMap::new(),
        }
    }

    /// Whether there are files.
    pub fn has_some(&self) -> bool {
        !self.names.is_empty()
    }

    /// Finds the files of an earlier run.
    pub fn open(folder: &Path) -> HallFiles {
        let mut files = HallFiles::empty(folder);
        let mut found = WHOLE_FILES.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
        for below in ["archive"].into_iter().chain(NUMBERED_FOLDERS) {
            let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries(&folder.join(below)) {
                let name = format!("{below}/{}", entry.file_name().to_string_lossy());
                let inner =
                    entries(&entry.path()).map(|inner| format!("{name}/{}", inner.file_name().to_string_lossy()));
                found.extend(inner);
                found.push(name);
            }
        }
        for name in found.into_iter().filter(|name| content_type(name).is_some()) {
            if let Ok(there) = fs::symlink_metadata(folder.join(&name)) {
                files.size += there.len();
                files.names.insert(name);
            }
        }
        files.is_known = !files.names.is_empty();
        let unmasked = fs::read(folder.join(UNMASKED_TOURNAMENT)).ok();
        let unmasked = unmasked.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        files.documents.extend(unmasked.map(|document| (TOURNAMENT.to_owned(), document)));
        files
    }

    /// Writes a file of a hall, without the names that another hall hides.
    pub fn write(&mut self, hall: &str, file: &CopiedFile, sections: &JoinedSections) -> io::Result<()> {
        let masked = std::str::from_utf8(&file.bytes).ok().filter(|_| sections.hides_names(hall));
        let masked = masked.map(|text| masked_text(hall, text, sections).into_bytes());
        if file.name == TOURNAMENT {
            write_whole(&self.folder.join(UNMASKED_TOURNAMENT), &file.bytes, PRIVATE)?;
        }
        write_whole(&self.folder.join(&file.name), masked.as_deref().unwrap_or(&file.bytes), READABLE)?;
        if file.name.ends_with(".json") {
            self.documents.insert(file.name.clone(), serde_json::from_slice(&file.bytes).unwrap_or_default());
        }
        self.changed.insert(file.name.clone());
        if self.names.insert(file.name.clone()) {
            self.size += file.bytes.len() as u64;
        }
        Ok(())
    }

    /// Removes the files that are not among these names.
    pub fn retain(&mut self, names: &[String]) {
        self.is_known = true;
        let gone: Vec<String> = self.names.iter().filter(|name| !names.contains(name)).cloned().collect();
        for name in gone {
            let _ = fs::remove_file(self.folder.join(&name));
            if name == TOURNAMENT {
                let _ = fs::remove_file(self.folder.join(UNMASKED_TOURNAMENT));
            }
            self.names.remove(&name);
            self.documents.remove(&name);
            self.changed.insert(name);
        }
    }

    /// Takes the names of the files that were written or removed.
    pub fn take_changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }

    /// Replaces the names that another hall hides, in these files.
    fn mask(&self, hall: &str, sections: &JoinedSections, is_changed: impl Fn(&str) -> bool) -> io::Result<()> {
        if !sections.hides_names(hall) {
            return Ok(());
        }
        for name in self.names.iter().filter(|name| is_changed(name)) {
            let Some(text) = self.read(name) else { continue };
            let masked = masked_text(hall, &text, sections);
            if masked != text {
                write_whole(&self.folder.join(name), masked.as_bytes(), READABLE)?;
            }
        }
        Ok(())
    }

    fn read(&self, name: &str) -> Option<String> {
        self.names.contains(name).then(|| fs::read_to_string(self.folder.join(name)).ok()).flatten()
    }

    /// Returns a document as the hall published it. After a restart only the tournament still has the names that another hall hides.
    pub fn document(&self, name: &str) -> Option<Value> {
        if let Some(document) = self.documents.get(name) {
            return Some(document.clone());
        }
        serde_json::from_str(&self.read(name)?).ok()
    }
}

/// Returns a document or a file of games of a hall without the names that another hall hides.
fn masked_text(hall: &str, text: &str, sections: &JoinedSections) -> String {
    match serde_json::from_str(text) {
        Ok(document) => format!("{}\n", sections.masked(hall, document)),
        Err(_) => sections.masked_games(hall, text),
    }
}

/// Joins the documents of the halls that have one.
pub(super) fn join_sections(halls: &[(&str, &HallFiles)]) -> JoinedSections {
    let documents: Vec<(&str, Value)> =
        halls.iter().filter_map(|(hall, files)| Some((*hall, files.document(TOURNAMENT)?))).collect();
    JoinedSections::new(&documents)
}

/// Names of files that were written or removed since they were last joined; `None` for all files.
pub(super) type ChangedFiles = Option<BTreeSet<String>>;

/// Writes the files of the hub that changed files of the halls make, and removes those that no hall has. Files of games wait until each hall has
/// listed its own. Returns the number of games in `games.pdn` if it was joined.
pub(super) fn write_joined(
    folder: &Path,
    halls: &[(&str, &HallFiles)],
    sections: &JoinedSections,
    changed: &ChangedFiles,
) -> io::Result<Option<usize>> {
    let is_changed = |name: &str| changed.as_ref().is_none_or(|changed| changed.contains(name));
    for (hall, files) in halls {
        files.mask(hall, sections, is_changed)?;
    }
    let is_complete = halls.iter().all(|(_, files)| files.is_known);
    // `None`: no hall has the file.
    let mut joined: BTreeMap<String, Option<String>> = BTreeMap::new();
    let json = |value: &Value| format!("{value}\n");
    if is_changed(TOURNAMENT) {
        joined.insert(TOURNAMENT.to_owned(), sections.tournament.as_ref().map(json));
    }
    if is_changed(TOURNAMENT) || is_changed(STANDINGS) {
        let standings: Vec<(&str, Value)> =
            halls.iter().filter_map(|(hall, files)| Some((*hall, files.document(STANDINGS)?))).collect();
        joined.insert(STANDINGS.to_owned(), join_standings(&standings, sections).as_ref().map(json));
    }
    let names: BTreeSet<String> = match changed {
        Some(changed) => changed.clone(),
        None => halls.iter().flat_map(|(_, files)| files.names.clone()).collect(),
    };
    for name in names.into_iter().filter(|name| name.ends_with(".pdn")) {
        match name.strip_prefix(ARCHIVE) {
            Some(own) => {
                joined.extend(halls.iter().map(|(hall, files)| (format!("{ARCHIVE}{hall}.{own}"), files.read(&name))))
            }
            None if is_complete => {
                let texts: Vec<String> = halls.iter().filter_map(|(_, files)| files.read(&name)).collect();
                joined.insert(name, (!texts.is_empty()).then(|| join_games(&texts)));
            }
            None => {}
        }
    }
    if changed.is_none() && is_complete {
        for gone in HallFiles::open(folder).names {
            joined.entry(gone).or_insert(None);
        }
    }
    let games = joined.get(GAMES).and_then(|text| text.as_deref());
    let count = games.map(|text| text.lines().filter(|line| line.starts_with("[Result ")).count());
    for (name, text) in joined {
        let path = folder.join(name);
        match text {
            Some(text) if fs::read(&path).ok().as_deref() == Some(text.as_bytes()) => {}
            Some(text) => write_whole(&path, text.as_bytes(), READABLE)?,
            None => _ = if_found(fs::remove_file(&path))?,
        }
    }
    Ok(count)
}

/// Mode of files that other users read.
const READABLE: u32 = 0o644;
/// Mode of files for the hub alone.
const PRIVATE: u32 = 0o600;

/// Replaces a file as a whole.
fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    new.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_outlets_are_listed() {
        let take = |name: &str| ListedFiles::default().take(vec![(name.to_owned(), "1".to_owned())]);
        for right in ["games.pdn", "tournament.json", "round/12/started.pdn", "archive/board-1-2026.pdn"] {
            assert_eq!(take(right).unwrap(), [right]);
        }
        for wrong in [
            "../x",
            "/etc/passwd",
            "events.ndjson",
            "archive/../../x.pdn",
            "archive/.x.pdn",
            "round/1/tournament.json",
            "round/../games.pdn",
            "round/12345/games.pdn",
            "",
            "hall/a/games.pdn",
            "games.pdn\n",
        ] {
            assert!(take(wrong).is_err(), "{wrong:?}");
        }
        let many = (0..10_000).map(|n| (format!("archive/{n}.pdn"), "1".to_owned())).collect();
        assert!(ListedFiles::default().take(many).is_err());
        for wrong in ["<html>", "{}", "{\"files\":[{\"name\":\"games.pdn\"}]}"] {
            assert!(ListedFiles::default().take_list(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn changed_files_are_fetched_again() {
        let mut listed = ListedFiles::default();
        let list =
            |tag: &str| vec![("games.pdn".to_owned(), tag.to_owned()), ("standings.json".to_owned(), "s".to_owned())];
        assert_eq!(listed.take(list("1")).unwrap(), ["games.pdn", "standings.json"]);
        assert!(listed.take(list("1")).unwrap().is_empty());
        assert_eq!(listed.take(list("2")).unwrap(), ["games.pdn"]);
        listed.forget("standings.json");
        assert_eq!(listed.take(list("2")).unwrap(), ["standings.json"]);
    }

    #[test]
    fn taken_files_mask_hidden_names() {
        let hall = |name: &str| serde_json::json!({"sections": [{"name": "Open", "players": [{"id": 1, "number": 1, "name": name}]}]});
        let sections = JoinedSections::new(&[("a", hall("Geheim")), ("b", hall("N. N."))]);
        let folder = tempfile::tempdir().unwrap();
        let mut files = HallFiles::open(folder.path());
        let games = "[White \"Geheim\"]\n[Black \"Smit\"]\n[Result \"*\"]\n\n*\n";
        for (name, text) in [("games.pdn", games.to_owned()), (TOURNAMENT, hall("Geheim").to_string())] {
            files.write("a", &CopiedFile { name: name.to_owned(), bytes: text.into() }, &sections).unwrap();
            let taken = fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(taken.contains("N. N.") && !taken.contains("Geheim"), "{taken}");
        }
        // After a restart the hub knows the name too.
        for files in [files, HallFiles::open(folder.path())] {
            assert_eq!(files.document(TOURNAMENT), Some(hall("Geheim")));
        }
    }

    #[test]
    fn files_that_readers_stumble_over_are_named() {
        let problem = |name: &str, text: &str| {
            check(&CopiedFile { name: name.to_owned(), bytes: text.into() }, ReaderProfile::Lidraughts).err()
        };
        let game = "[White \"A\"]\n[Black \"B\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n1. 32-28 *\n";
        assert_eq!(problem("games.pdn", game), None);
        assert!(problem("games.pdn", &game.replace("32-28", "32-27-21")).is_some());
        assert_eq!(problem("tournament.json", "{\"sections\":[]}"), None);
        assert!(problem("tournament.json", "{\"sections\":").is_some());
        assert!(problem("standings.json", "[]").is_some());
    }
}
