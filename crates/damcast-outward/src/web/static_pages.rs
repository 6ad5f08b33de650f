//! `damcast pages`: the pages as plain files with relative links, for any web space.
//!
//! The first page names all others: each page is made, its links become names of files (`static_names`), and the
//! pages that they name are made in turn. A file is replaced as a whole, and only if its content has changed. A list in the folder has
//! the names of the files that this program wrote; it touches no others.
//!
//! Open pages poll their own file, and [`SIGN_FILE`], by which they know that the files are still renewed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::MAX_STARTUP_READ;
use super::assets::ASSETS;
use super::event_reader;
use super::files::{FileStamp, OutletFiles};
use super::pages::address::{PageAddress, PageKind, percent_encoded};
use super::pages::file_names::{SIGN_FILE, page_name};
use super::pages::parts::{KnownParts, PartCollector, hash_of};
use super::pages::{LiveMode, PageBuilder, PageError, find_game};
use super::state::BoardNumber;
use super::static_names::{StaticFile, localize};
use super::stored_games::StoredGames;
use super::texts::Language;
use super::view::View;

/// File with the names of all files that this program wrote.
const LIST_FILE: &str = ".damcast-pages";
/// Name of a file while it is written.
const NEW_FILE: &str = ".damcast-new";
/// Largest number of files.
const MAX_FILES: usize = 50_000;
/// Shortest interval between renewals.
const MIN_INTERVAL: Duration = Duration::from_secs(2);
/// Interval between signs of life.
const SIGN_INTERVAL: Duration = Duration::from_secs(10);

/// Settings of the pages as files.
#[derive(Clone, Debug)]
pub struct StaticOptions {
    /// Folder of the outlet.
    pub outlet: PathBuf,
    /// Folder of the pages.
    pub into: PathBuf,
    /// Language of the pages.
    pub language: Language,
    /// Clock, in ms since 1970.
    pub now: fn() -> i64,
}

/// Counts of a renewal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Renewal {
    /// Number of files.
    pub files: usize,
    /// Files that were written.
    pub written: usize,
    /// Files that were removed.
    pub removed: usize,
}

/// Writes the pages, and again after each change, until `stop` completes. `report` receives each renewal; an error in one does not end
/// the program, because the next one may succeed.
///
/// # Errors
///
/// Returns an error if the folder is not for these pages, the first renewal fails, or the reader of the outlet ends.
pub async fn renew(
    options: StaticOptions,
    stop: impl Future<Output = ()>,
    mut report: impl FnMut(io::Result<Renewal>),
) -> io::Result<()> {
    tokio::pin!(stop);
    let mut pages = tokio::select! {
        pages = StaticPages::start(options) => pages?,
        () = &mut stop => return Ok(()),
    };
    report(Ok(pages.write()?));
    let (mut earliest, mut next_sign) = (Instant::now() + MIN_INTERVAL, Instant::now() + SIGN_INTERVAL);
    let mut is_changed = false;
    loop {
        tokio::select! {
            changed = pages.views.changed(), if !is_changed => match changed {
                Ok(()) => is_changed = true,
                Err(_) => return Err(io::Error::other("the reader of the outlet has ended")),
            },
            () = sleep_until(earliest), if is_changed => {
                is_changed = false;
                report(pages.write());
                earliest = Instant::now() + MIN_INTERVAL;
            }
            () = sleep_until(next_sign) => {
                if pages.is_incomplete {
                    report(pages.write());
                } else if let Err(error) = pages.renew_copies().and_then(|()| pages.write_sign()) {
                    pages.is_incomplete = true;
                    report(Err(error));
                }
                next_sign = Instant::now() + SIGN_INTERVAL;
            }
            () = &mut stop => return Ok(()),
        }
    }
}

/// Writes the pages once.
///
/// # Errors
///
/// Returns an error if the folder is not for these pages, or a file cannot be written.
pub async fn write_once(options: StaticOptions) -> io::Result<Renewal> {
    StaticPages::start(options).await?.write()
}

/// Folder of files that this program owns.
struct PageFolder {
    path: PathBuf,
    /// Own files; the digest is `None` until this process has compared or written the file.
    files: BTreeMap<String, Option<[u8; 32]>>,
}

impl PageFolder {
    /// Opens the folder of earlier pages, or an empty one, or creates it.
    fn open(path: &Path) -> io::Result<PageFolder> {
        fs::create_dir_all(path)?;
        let names = match fs::read_to_string(path.join(LIST_FILE)) {
            Ok(text) => {
                let list: Value = serde_json::from_str(&text).unwrap_or_default();
                let names = list["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
                // The list may have been changed: only plain names are ever removed.
                let is_plain = |name: &&str| !name.is_empty() && !name.contains('/') && !name.starts_with('.');
                names.filter(is_plain).map(str::to_owned).collect()
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut others = fs::read_dir(path)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
                if let Some(other) = others.find(|name| name != NEW_FILE) {
                    let why = format!("has files of others, such as {other:?}; give a new or an empty folder");
                    return Err(refusal(path, &why));
                }
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        let mut folder =
            PageFolder { path: path.to_owned(), files: names.into_iter().map(|name| (name, None)).collect() };
        folder.write_list()?;
        Ok(folder)
    }

    /// Adds new files to the list before they are written, with one write of the list. Skips names that exist on the disk:
    /// [`PageFolder::put`] refuses files of others.
    fn announce(&mut self, names: impl Iterator<Item = String>) -> io::Result<()> {
        let is_new =
            |name: &String| !self.files.contains_key(name) && fs::symlink_metadata(self.path.join(name)).is_err();
        let new: Vec<String> = names.filter(is_new).collect();
        if new.is_empty() { Ok(()) } else { self.add_to_list(new) }
    }

    /// Adds names to the list; not at all if it cannot be written, so that no file is there without being on it.
    fn add_to_list(&mut self, new: Vec<String>) -> io::Result<()> {
        self.files.extend(new.iter().map(|name| (name.clone(), None)));
        self.write_list().inspect_err(|_| self.files.retain(|name, _| !new.contains(name)))
    }

    /// Writes a file unless it has this content. Returns whether it was written.
    fn put(&mut self, name: &str, content: &[u8]) -> io::Result<bool> {
        let digest: [u8; 32] = Sha256::digest(content).into();
        let path = self.path.join(name);
        match self.files.get(name) {
            Some(Some(known)) if *known == digest => return Ok(false),
            Some(None) if fs::read(&path).is_ok_and(|found| found == content) => {
                self.files.insert(name.to_owned(), Some(digest));
                return Ok(false);
            }
            Some(_) => {}
            None => {
                if fs::symlink_metadata(&path).is_ok() {
                    return Err(refusal(&path, "is a file of others; remove it, or give another folder"));
                }
                // The list comes first: after a kill no file is without it.
                self.add_to_list(vec![name.to_owned()])?;
            }
        }
        self.replace(name, content)?;
        self.files.insert(name.to_owned(), Some(digest));
        Ok(true)
    }

    /// Removes all own files without a name in `wanted`. Returns their number.
    fn retain(&mut self, wanted: &BTreeSet<String>) -> io::Result<usize> {
        let vanished: Vec<String> = self.files.keys().filter(|name| !wanted.contains(*name)).cloned().collect();
        for name in &vanished {
            remove_if_there(&self.path.join(name))?;
            self.files.remove(name);
        }
        if !vanished.is_empty() {
            self.write_list()?;
        }
        Ok(vanished.len())
    }

    fn write_list(&mut self) -> io::Result<()> {
        let names: Vec<&String> = self.files.keys().collect();
        let text =
            json!({ "about": "files that `damcast pages` wrote; it removes those it no longer needs", "files": names });
        self.replace(LIST_FILE, format!("{text:#}\n").as_bytes())
    }

    /// Replaces a file by a rename: readers get the old file or the new one.
    fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let new = self.path.join(NEW_FILE);
        // A link in its place is not followed.
        remove_if_there(&new)?;
        File::options().write(true).create_new(true).open(&new)?.write_all(content)?;
        fs::rename(&new, self.path.join(name))
    }
}

fn remove_if_there(file: &Path) -> io::Result<()> {
    fs::remove_file(file).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Returns the error for a place that files of others have.
fn refusal(path: &Path, why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("{} {why}", path.display()))
}

/// Maker of the pages.
struct StaticPages {
    options: StaticOptions,
    folder: PageFolder,
    games: StoredGames,
    files: Arc<OutletFiles>,
    views: watch::Receiver<Arc<View>>,
    /// Files of games that are over: their inputs, and the files that they name.
    finished: HashMap<String, (u64, Vec<StaticFile>)>,
    /// Files of the outlet that were copied, by their names there, with the state that was copied.
    copies: BTreeMap<String, Option<FileStamp>>,
    /// Whether a file could not be written. Then there is no sign of life: open pages must not call old content live.
    is_incomplete: bool,
}

impl StaticPages {
    /// Opens the folder, and reads the outlet.
    async fn start(options: StaticOptions) -> io::Result<StaticPages> {
        let folder = PageFolder::open(&options.into)?;
        let (sender, mut views) = watch::channel(Arc::<View>::default());
        let files = Arc::new(OutletFiles::new(options.outlet.clone()));
        event_reader::spawn(options.outlet.clone(), files.clone(), sender, Arc::default(), options.now)?;
        let unread = |_| {
            let why = format!("the events in {} cannot be read within 30 seconds", options.outlet.display());
            io::Error::new(io::ErrorKind::TimedOut, why)
        };
        let _ = tokio::time::timeout(MAX_STARTUP_READ, views.changed()).await.map_err(unread)?;
        let games = StoredGames::new(options.outlet.clone());
        let (finished, copies) = (HashMap::new(), BTreeMap::new());
        Ok(StaticPages { options, folder, games, files, views, finished, copies, is_incomplete: false })
    }

    fn write_sign(&mut self) -> io::Result<bool> {
        self.folder.put(SIGN_FILE, json!({ "at": (self.options.now)() }).to_string().as_bytes())
    }

    /// Copies the files of the outlet that have changed. The station writes them after the event that they belong to.
    fn renew_copies(&mut self) -> io::Result<()> {
        for path in self.copies.keys().cloned().collect::<Vec<_>>() {
            self.copy(path)?;
        }
        Ok(())
    }

    /// Copies a file of the outlet if it has changed. Returns whether the copy is new.
    fn copy(&mut self, path: String) -> io::Result<bool> {
        let stamp = self.files.stamp(&path);
        if stamp.is_some() && self.copies.get(&path) == Some(&stamp) {
            return Ok(false);
        }
        let is_new = match self.files.whole(&path) {
            Ok(file) => self.folder.put(&StaticFile::OfOutlet(path.clone()).name(), &file.bytes)?,
            Err(_) => false,
        };
        self.copies.insert(path, stamp);
        Ok(is_new)
    }

    /// Writes all files of the newest view, and removes those that it does not have.
    fn write(&mut self) -> io::Result<Renewal> {
        let view = self.views.borrow_and_update().clone();
        let renewal = self.write_view(&view);
        self.is_incomplete = renewal.is_err();
        if self.is_incomplete {
            // Some files of these games may be missing.
            self.finished.clear();
        }
        renewal
    }

    fn write_view(&mut self, view: &View) -> io::Result<Renewal> {
        if view.hall.seq == 0 && self.folder.files.keys().any(|name| name.starts_with("game-")) {
            let outlet = self.options.outlet.display();
            return Err(io::Error::other(format!("there are no events in {outlet}: the pages of its games stay")));
        }
        let language = self.options.language;
        // Keep the pages of the filters after the event, when no page has links to them: viewers may have bookmarked them.
        let (sections, halls) = (&view.plan.sections, &view.hall.halls);
        let of_section = sections.iter().filter(|_| sections.len() > 1).map(|section| ("section", &section.name));
        let of_hall = halls.iter().filter(|_| halls.len() > 1).map(|hall| ("hall", hall));
        let filters = of_section.chain(of_hall).map(|(kind, name)| format!("/?{kind}={}", percent_encoded(name)));
        // A continued game keeps the addresses of its parts.
        let boards = view.hall.boards();
        let games = boards.iter().flat_map(|(_, board)| board.games.iter().map(move |game| (&board.name, game)));
        let parts = games.flat_map(|(board, game)| game.prior_numbers.iter().map(move |number| (board, number)));
        let parts = parts.map(|(board, number)| format!("/game/{}-{number}", percent_encoded(board)));
        // Viewers may have the page of a board's number open. The folder keeps that page after the game has begun, when other pages link to
        // the page of the board's name.
        let number = |number: &BoardNumber| percent_encoded(&view.hall.number_in_address(*number));
        let by_number = boards.iter().map(|(of, _)| format!("/board/{}", number(of)));
        let is_there = |file: StaticFile| self.folder.files.contains_key(&file.name());
        let by_number = by_number.filter(|address| StaticFile::of(address, language).is_some_and(is_there));
        let first = ["/", "/?playing", "/?wall", "/?wall=light"].into_iter().map(str::to_owned);
        let first = first.chain(filters).chain(parts).chain(by_number);
        let mut waiting: Vec<StaticFile> = first.filter_map(|address| StaticFile::of(&address, language)).collect();
        let mut names: BTreeSet<String> = waiting.iter().map(StaticFile::name).collect();
        names.insert(SIGN_FILE.to_owned());
        let frame = self.frame(view);
        let (mut written, mut failure) = (0, None);
        while let Some(file) = waiting.pop() {
            let mut found = Vec::new();
            let content = match &file {
                StaticFile::Page { address, .. } => self.page(view, frame, address, &mut found),
                StaticFile::Pdn(which) => self.pdn(view, which),
                StaticFile::Asset(name) => ASSETS.find(&format!("/assets/{name}")).map(|asset| asset.bytes.clone()),
                StaticFile::OfOutlet(_) => None,
            };
            let put = match (&file, content) {
                (StaticFile::OfOutlet(path), _) => self.copy(path.clone()),
                (_, None) => Ok(false),
                (_, Some(content)) => self.folder.put(&file.name(), &content),
            };
            match put {
                Ok(is_new) => written += usize::from(is_new),
                // The other files follow.
                Err(error) => failure = failure.or(Some(error)),
            }
            let known = waiting.len();
            for file in found {
                if names.len() < MAX_FILES && names.insert(file.name()) {
                    waiting.push(file);
                }
            }
            // The outlet may lack a file: files of the outlet are listed when they are copied.
            let is_made = |file: &&StaticFile| !matches!(file, StaticFile::OfOutlet(_));
            let new = waiting[known..].iter().filter(is_made).map(StaticFile::name);
            if let Err(error) = self.folder.announce(new) {
                failure = failure.or(Some(error));
            }
        }
        let removed = self.folder.retain(&names)?;
        self.copies.retain(|path, _| names.contains(&StaticFile::OfOutlet(path.clone()).name()));
        if let Some(error) = failure {
            return Err(error);
        }
        written += usize::from(self.write_sign()?);
        Ok(Renewal { files: self.folder.files.len(), written, removed })
    }

    /// Makes a page, and collects the files that it names. Returns `None` if the file stays as it is.
    fn page(&mut self, view: &View, frame: u64, address: &PageAddress, found: &mut Vec<StaticFile>) -> Option<Bytes> {
        let name = page_name(&address.kind)?;
        let parts = PartCollector::new(KnownParts::new(), view.step, None);
        let builder = PageBuilder { view, address, parts: &parts, live: LiveMode::Files };
        let inputs = match &address.kind {
            PageKind::Game { which, .. } => finished_inputs(&builder, which, frame),
            _ => None,
        };
        if let Some((_, files)) = self.finished.get(&name).filter(|(known, _)| Some(*known) == inputs) {
            found.extend(files.iter().cloned());
            return None;
        }
        let (page, error) = builder.render(&self.games);
        if let Some(PageError::Unreadable(error)) = &error {
            tracing::warn!(name, %error, "a game cannot be read from the file of events");
            // Keep the files to which its last page had links.
            found.extend(self.finished.get(&name).into_iter().flat_map(|(_, files)| files.iter().cloned()));
            return None;
        }
        let text = parts.filled(&page.into_string());
        let text = localize(&text, self.options.language, |file| found.push(file));
        if let Some(inputs) = inputs {
            self.finished.insert(name, (inputs, found.clone()));
        }
        Some(text.into())
    }

    /// Returns a hash of the frame that all pages have.
    fn frame(&self, view: &View) -> u64 {
        let address = PageAddress::new("", PageKind::Unknown, self.options.language);
        let parts = PartCollector::new(KnownParts::new(), view.step, None);
        let (address, parts) = (&address, &parts);
        let builder = PageBuilder { view, address, parts, live: LiveMode::Files };
        let page = builder.render(&self.games).0;
        hash_of(&parts.filled(&page.into_string()))
    }

    /// Returns a game as PDN; `None` if the file stays as it is.
    fn pdn(&mut self, view: &View, which: &str) -> Option<Bytes> {
        let shown = find_game(view, which)?;
        let name = StaticFile::Pdn(which.to_owned()).name();
        let digest = shown.game.lines.digest;
        if self.finished.get(&name).is_some_and(|(known, _)| *known == digest) {
            return None;
        }
        let text = self.games.with_whole(&shown.board, shown.game, |whole| Bytes::from(whole.pdn())).ok();
        if shown.game.whole().is_none() && text.is_some() {
            self.finished.insert(name, (digest, Vec::new()));
        }
        text
    }
}

/// Returns a hash of all that the page of an earlier game is made from; `None` if the game may change with each event.
fn finished_inputs(builder: &PageBuilder<'_>, which: &str, frame: u64) -> Option<u64> {
    let shown = find_game(builder.view, which).filter(|shown| shown.game.whole().is_none())?;
    Some(hash_of(&(builder.digest(&shown), shown.number, shown.is_current, builder.player_pages(shown.game), frame)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_own_and_changed_files_are_touched() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pages");
        let mut folder = PageFolder::open(&path).unwrap();
        assert!(folder.put("a.html", b"1").unwrap() && folder.put("b.html", b"1").unwrap());
        assert!(!folder.put("a.html", b"1").unwrap());
        // Others put a file there: it is neither replaced nor removed.
        fs::write(path.join("logo.png"), "of others").unwrap();
        let error = folder.put("logo.png", b"x").unwrap_err().to_string();
        assert!(error.contains("logo.png is a file of others; remove it"), "{error}");
        // Another process goes on with the folder.
        let mut folder = PageFolder::open(&path).unwrap();
        assert!(!folder.put("a.html", b"1").unwrap(), "the file has this content");
        assert!(folder.put("a.html", b"2").unwrap());
        assert_eq!(folder.retain(&BTreeSet::from(["a.html".to_owned()])).unwrap(), 1);
        assert_eq!(names(&path), [LIST_FILE, "a.html", "logo.png"]);
        assert_eq!(fs::read_to_string(path.join("logo.png")).unwrap(), "of others");
    }

    #[test]
    fn changed_list_leads_to_no_file_elsewhere() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("thesis.doc"), "").unwrap();
        let path = place.path().join("pages");
        drop(PageFolder::open(&path).unwrap());
        fs::write(
            path.join(LIST_FILE),
            r#"{"files": ["../thesis.doc", "", ".", "..", ".damcast-pages", 7, "gone.html"]}"#,
        )
        .unwrap();
        let mut folder = PageFolder::open(&path).unwrap();
        assert_eq!(folder.retain(&BTreeSet::new()).unwrap(), 1);
        assert_eq!(
            (names(place.path()), names(&path)),
            (vec!["pages".to_owned(), "thesis.doc".to_owned()], vec![LIST_FILE.to_owned()])
        );
    }

    #[test]
    fn file_that_is_not_on_the_list_is_not_taken_for_own() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("pages");
        let mut folder = PageFolder::open(&path).unwrap();
        // The list cannot be written: a folder is in its way.
        fs::remove_file(path.join(LIST_FILE)).unwrap();
        fs::create_dir(path.join(LIST_FILE)).unwrap();
        assert!(folder.announce(["a.html".to_owned()].into_iter()).is_err());
        fs::remove_dir(path.join(LIST_FILE)).unwrap();
        folder.announce(["a.html".to_owned()].into_iter()).unwrap();
        folder.put("a.html", b"1").unwrap();
        assert!(PageFolder::open(&path).unwrap().files.contains_key("a.html"));
    }

    #[test]
    fn link_in_place_of_new_file_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (path, target) = (place.path().join("pages"), place.path().join("target"));
        fs::write(&target, "safe").unwrap();
        let mut folder = PageFolder::open(&path).unwrap();
        std::os::unix::fs::symlink(&target, path.join(NEW_FILE)).unwrap();
        folder.put("a.html", b"1").unwrap();
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read(path.join("a.html")).unwrap()),
            (b"safe".to_vec(), b"1".to_vec())
        );
    }
}
