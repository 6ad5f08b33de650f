//! Store of pages: renders them as answers, and renders the parts that change from view to view.
//!
//! A reader's page was made in one view; the store knows for each part of a page in which view it last changed. Readers who watch the same
//! page share the bytes of a change.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use serde_json::json;

use super::assets::Assets;
use super::pages::address::PageAddress;
use super::pages::parts::{KnownParts, PartCollector};
use super::pages::{PageBuilder, PageError};
use super::stored_games::StoredGames;
use super::view::View;
use super::{compress, exact};

/// Largest number of cached pages; the cache is cleared when the view changes.
const MAX_CACHED_PAGES: usize = 512;
/// Largest size of all cached pages and changes of a view, in bytes.
const MAX_CACHED_BYTES: usize = 8 << 20;
/// Number of views after which a reader's page is made anew.
const MAX_KNOWN_VIEWS: usize = 4096;
/// Largest number of remembered parts, over all pages. Above it the store forgets the pages that it made longest ago.
const MAX_KNOWN_PARTS: usize = 200_000;

/// Page, plain and compressed.
#[derive(Clone, Debug)]
pub struct RenderedPage {
    /// Plain bytes.
    pub plain: Bytes,
    /// Compressed bytes.
    pub compressed: Bytes,
}

/// Makes pages and their changes.
pub struct PageStore {
    /// Scripts and styles.
    pub assets: Assets,
    /// Reader of the games that memory has no moves of.
    pub games: StoredGames,
    known: Mutex<KnownPages>,
}

/// Pages that readers have asked for, and the parts that they have.
#[derive(Default)]
struct KnownPages {
    /// Number of the newest view that was shown.
    step: u64,
    /// Identifiers of the last views, with their numbers.
    views: VecDeque<(String, u64)>,
    watched: HashMap<PageAddress, WatchedPage>,
    /// Pages of the newest view.
    rendered: HashMap<PageAddress, RenderedPage>,
    /// Size of the rendered pages and of all changes in bytes.
    bytes: usize,
}

/// Page with the parts that its readers have.
#[derive(Default)]
struct WatchedPage {
    parts: KnownParts,
    /// Number of the view for which the parts were last made.
    step: u64,
    /// Changes up to the newest view, by the view that the reader has.
    changes: Vec<(u64, Bytes)>,
}

impl PageStore {
    /// Creates a store without pages.
    pub fn new(assets: Assets, games: StoredGames) -> PageStore {
        PageStore { assets, games, known: Mutex::default() }
    }

    /// Returns the page of an address, from the cache if it is there; or a page that says why there is none.
    pub fn document(&self, view: &View, address: &PageAddress) -> (RenderedPage, Option<PageError>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.enter(view);
        if let Some(page) = known.rendered.get(address) {
            return (page.clone(), None);
        }
        let WatchedPage { parts: before, changes, .. } = known.watched.remove(address).unwrap_or_default();
        let parts = PartCollector::new(&before, view.step, None);
        let (page, error) = PageBuilder { view, address, assets: &self.assets, parts: &parts }.render(&self.games);
        let text = parts.filled(&page.into_string());
        let page = RenderedPage { compressed: compress(text.as_bytes()), plain: exact(text.into_bytes()) };
        // Pages for wrong addresses would fill the memory.
        if error.is_none() {
            let watched = WatchedPage { parts: parts.known(), step: view.step, changes };
            known.keep(address, watched, Some(&page));
        }
        (page, error)
    }

    /// Returns what changes in a page from view `from` to this one, as an event of the stream; nothing if it stays as it is.
    pub fn changes(&self, view: &View, address: &PageAddress, from: u64) -> Bytes {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.enter(view);
        let made = known.watched.get(address).map_or(&[][..], |page| &page.changes);
        if let Some((_, changes)) = made.iter().find(|(known_from, _)| *known_from == from) {
            return changes.clone();
        }
        let WatchedPage { parts: before, mut changes, .. } = known.watched.remove(address).unwrap_or_default();
        let parts = PartCollector::new(&before, view.step, Some(from));
        PageBuilder { view, address, assets: &self.assets, parts: &parts }.render(&self.games);
        let bytes: Bytes = match parts.changed_since(from) {
            changed if changed.is_empty() => Bytes::new(),
            changed => format!("id: {}\nevent: parts\ndata: {}\n\n", view.id(), json!(changed)).into(),
        };
        // Readers may have as many views as the store knows: their changes must not fill the memory.
        if known.bytes + bytes.len() <= MAX_CACHED_BYTES {
            known.bytes += bytes.len();
            changes.push((from, bytes.clone()));
        }
        let watched = WatchedPage { parts: parts.known(), step: view.step, changes };
        known.keep(address, watched, None);
        bytes
    }

    /// Returns the number of a view by its identifier; `None` if it is unknown or long past.
    pub fn step_of(&self, view: &View, id: &str) -> Option<u64> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.enter(view);
        known.views.iter().rev().find(|(known, _)| known == id).map(|(_, step)| *step)
    }
}

/// Event that makes a page load itself again.
pub const LOAD_AGAIN: &str = "event: again\ndata: {}\n\n";

impl KnownPages {
    /// Begins a view if it is new.
    fn enter(&mut self, view: &View) {
        if self.views.is_empty() || view.step > self.step {
            self.step = view.step;
            self.views.push_back((view.id(), view.step));
            if self.views.len() > MAX_KNOWN_VIEWS {
                self.views.pop_front();
            }
            self.rendered.clear();
            self.watched.values_mut().for_each(|page| page.changes.clear());
            self.bytes = 0;
        }
    }

    /// Remembers the parts of a page, and caches the page itself while [`MAX_CACHED_BYTES`] allow. Above [`MAX_KNOWN_PARTS`] forgets the pages made longest ago.
    fn keep(&mut self, address: &PageAddress, watched: WatchedPage, page: Option<&RenderedPage>) {
        if let Some(page) = page {
            let bytes = page.plain.len() + page.compressed.len();
            if self.rendered.len() < MAX_CACHED_PAGES && self.bytes + bytes <= MAX_CACHED_BYTES {
                self.bytes += bytes;
                self.rendered.insert(address.clone(), page.clone());
            }
        }
        self.watched.insert(address.clone(), watched);
        while self.watched.values().map(|page| page.parts.len() + 1).sum::<usize>() > MAX_KNOWN_PARTS {
            let oldest = self.watched.iter().min_by_key(|(_, page)| page.step).map(|(oldest, _)| oldest.clone());
            let Some(oldest) = oldest else { return };
            self.watched.remove(&oldest);
        }
    }
}
