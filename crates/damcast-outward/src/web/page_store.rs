//! Store of pages: renders them as answers, and renders the parts that change from view to view.
//!
//! A reader's page was made in one view; the store knows for each part of a page in which view it last changed. Readers who watch the same
//! page share the bytes of a change.
//!
//! Each call reads the newest view while it holds the lock. If it read the view first, a reader who waited for the lock would bring an old one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use serde_json::json;
use tokio::sync::watch;

use super::assets::BUILD_ID;
use super::files::Representation;
use super::pages::address::PageAddress;
use super::pages::parts::{KnownParts, PartCollector};
use super::pages::{LiveMode, PageBuilder, PageError};
use super::stored_games::StoredGames;
use super::view::View;

/// Largest size of all cached pages and changes of a view, in bytes; the cache is cleared when the view changes.
const MAX_CACHED_BYTES: usize = 8 << 20;
/// Number of views after which a reader's page is made anew.
const MAX_KNOWN_VIEWS: usize = 4096;
/// Largest number of remembered parts, over all pages; [`ADDRESS_PER_PART`] bytes of an address count as one part. Above it, the pages with the
/// fewest requests are forgotten, and of these the ones made longest ago.
const MAX_KNOWN_PARTS: usize = 200_000;
/// Bytes of an address that count as one part: a page keeps its address several times.
const ADDRESS_PER_PART: usize = 16;

/// Makes pages and their changes.
pub struct PageStore {
    /// Reader of the games that memory has no moves of.
    pub games: StoredGames,
    views: watch::Receiver<Arc<View>>,
    is_polled: bool,
    known: Mutex<KnownPages>,
}

/// Pages that readers have asked for, and the parts that they have.
#[derive(Default)]
struct KnownPages {
    /// Identifiers of the last views, with their numbers.
    views: VecDeque<(String, u64)>,
    watched: HashMap<PageAddress, WatchedPage>,
    /// Pages of the newest view.
    rendered: HashMap<PageAddress, Representation>,
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
    /// Size of the address, as a number of parts.
    address_parts: usize,
    /// How often readers asked for its changes; each view halves it.
    requests: usize,
}

impl PageStore {
    /// Creates a store without pages. With `is_polled`, pages poll instead of keeping a stream open.
    pub fn new(games: StoredGames, views: watch::Receiver<Arc<View>>, is_polled: bool) -> PageStore {
        PageStore { games, views, is_polled, known: Mutex::default() }
    }

    /// Locks what is known, and returns the newest view.
    fn lock(&self) -> (MutexGuard<'_, KnownPages>, Arc<View>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let view = self.views.borrow().clone();
        known.enter(&view);
        (known, view)
    }

    /// Returns the page of an address, from the cache if it is there; or an error page.
    pub fn document(&self, address: &PageAddress) -> (Representation, Option<PageError>) {
        let (mut known, view) = self.lock();
        if let Some(page) = known.rendered.get(address) {
            return (page.clone(), None);
        }
        let WatchedPage { parts: before, changes, requests, .. } = known.watched.remove(address).unwrap_or_default();
        let parts = PartCollector::new(before, view.step, None);
        let (page, error) = self.builder(&view, address, &parts).render(&self.games);
        let text = parts.filled(&page.into_string()).into_bytes();
        let page = if self.is_polled {
            let page = Representation::hashed(text);
            Representation { etag: format!("W/{}", page.etag), ..page }
        } else {
            let silent = view.silent_since.map(|since| format!("-{since}")).unwrap_or_default();
            let etag = format!("W/\"{}-{}-{}{silent}\"", view.id(), *BUILD_ID, address.language.code());
            Representation::new(text, etag)
        };
        // Pages for wrong addresses would fill the memory.
        if error.is_none() {
            if known.bytes + page.size() <= MAX_CACHED_BYTES {
                known.bytes += page.size();
                known.rendered.insert(address.clone(), page.clone());
            }
            let parts = parts.known();
            known.keep(address, WatchedPage { parts, step: view.step, changes, requests, ..WatchedPage::default() });
        }
        (page, error)
    }

    /// Returns what changes in a page from view `from` to the newest, as an event of the stream; nothing if it stays as it is. Returns also
    /// the view.
    pub fn changes(&self, address: &PageAddress, from: u64) -> (Bytes, Arc<View>) {
        let (mut known, view) = self.lock();
        if let Some(page) = known.watched.get_mut(address) {
            page.requests += 1;
            if let Some((_, changes)) = page.changes.iter().find(|(known_from, _)| *known_from == from) {
                return (changes.clone(), view);
            }
        }
        let WatchedPage { parts: before, mut changes, requests, .. } =
            known.watched.remove(address).unwrap_or_default();
        let parts = PartCollector::new(before, view.step, Some(from));
        self.builder(&view, address, &parts).render(&self.games);
        let bytes: Bytes = match parts.changed_since(from) {
            changed if changed.is_empty() => Bytes::new(),
            changed => format!("id: {}\nevent: parts\ndata: {}\n\n", view.id(), json!(changed)).into(),
        };
        // Readers may have as many views as the store knows: their changes must not fill the memory.
        if known.bytes + bytes.len() <= MAX_CACHED_BYTES {
            known.bytes += bytes.len();
            changes.push((from, bytes.clone()));
        }
        let parts = parts.known();
        known.keep(address, WatchedPage { parts, step: view.step, changes, requests, ..WatchedPage::default() });
        (bytes, view)
    }

    fn builder<'p>(&'p self, view: &'p View, address: &'p PageAddress, parts: &'p PartCollector) -> PageBuilder<'p> {
        let view = view.shown(address.hides_results);
        let live = if self.is_polled { LiveMode::Poll } else { LiveMode::Stream };
        PageBuilder { view, address, parts, live }
    }

    /// Returns the number of a view by its identifier; `None` if it is unknown or long past.
    pub fn step_of(&self, id: &str) -> Option<u64> {
        let (known, _) = self.lock();
        known.views.iter().rev().find(|(known, _)| known == id).map(|(_, step)| *step)
    }
}

/// Event that makes a page load itself again.
pub const LOAD_AGAIN: &str = "event: again\ndata: {}\n\n";

impl KnownPages {
    /// Begins a view if it is new.
    fn enter(&mut self, view: &View) {
        if self.views.back().is_none_or(|(_, newest)| view.step > *newest) {
            self.views.push_back((view.id(), view.step));
            if self.views.len() > MAX_KNOWN_VIEWS {
                self.views.pop_front();
            }
            self.rendered.clear();
            for page in self.watched.values_mut() {
                page.changes.clear();
                page.requests /= 2;
            }
            self.bytes = 0;
        }
    }

    /// Remembers the parts of a page. Above [`MAX_KNOWN_PARTS`] forgets the pages with the fewest requests.
    fn keep(&mut self, address: &PageAddress, page: WatchedPage) {
        let address_parts = 1 + address.own_address().len() / ADDRESS_PER_PART;
        self.watched.insert(address.clone(), WatchedPage { address_parts, ..page });
        while self.watched.values().map(|page| page.parts.len() + page.address_parts).sum::<usize>() > MAX_KNOWN_PARTS {
            let least = self.watched.iter().min_by_key(|(_, page)| (page.requests, page.step));
            let Some(least) = least.map(|(address, _)| address.clone()) else { return };
            self.watched.remove(&least);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::state::ViewerHall;
    use super::super::texts::Language;
    use super::*;
    use crate::web::pages::address::{BoardFilter, PageKind};

    /// Returns the view after so many events, which change the clock of one board of four.
    fn view(hall: &mut ViewerHall, step: u64) -> Arc<View> {
        let board = step % 4;
        let line = match step {
            0..=4 => format!(
                "{{\"board\":\"b-{board}\",\"game\":1,\"type\":\"game\",\"gametype\":\"20\",\"tags\":{{}},\"fen\":\"W:W31-50:B1-20\"}}\n"
            ),
            _ => format!(
                "{{\"board\":\"b-{board}\",\"game\":1,\"type\":\"clock\",\"clock\":{{\"white\":{step},\"black\":1,\"running\":null}}}}\n"
            ),
        };
        hall.apply(step, Some("g"), &line, 1000);
        Arc::new(View::new(hall.clone(), Arc::default(), None, (0, step)))
    }

    #[test]
    fn long_addresses_are_forgotten_as_parts_are() {
        let mut known = KnownPages::default();
        for number in 0..5000 {
            let kind = PageKind::Players(format!("{number}{}", "x".repeat(2000)));
            let address = PageAddress::new("/players", kind, Language::En);
            known.keep(&address, WatchedPage { step: number, ..WatchedPage::default() });
        }
        assert!((1000..2000).contains(&known.watched.len()), "{}", known.watched.len());
    }

    #[test]
    fn page_with_many_readers_outlives_pages_with_one() {
        let mut known = KnownPages::default();
        let address = |path: &str| PageAddress::new(path, PageKind::Boards(BoardFilter::All), Language::En);
        known.keep(&address("/"), WatchedPage { requests: 3, ..WatchedPage::default() });
        for number in 1..2 * MAX_KNOWN_PARTS / 200 {
            let path = format!("/{number}{}", "x".repeat(200 * ADDRESS_PER_PART));
            known.keep(&address(&path), WatchedPage { requests: 1, step: number as u64, ..WatchedPage::default() });
        }
        assert!(known.watched.len() < MAX_KNOWN_PARTS / 200 && known.watched.contains_key(&address("/")));
    }

    #[test]
    fn readers_at_same_time_miss_no_change() {
        let mut hall = ViewerHall::default();
        let (views, shown) = watch::channel(view(&mut hall, 1));
        let games = StoredGames::new("/nowhere".into());
        let store = PageStore::new(games, shown.clone(), false);
        let address = PageAddress::new("/", PageKind::Boards(BoardFilter::All), Language::En);
        const LAST: u64 = 3000;
        // The views wait for one of the readers.
        let newest = AtomicU64::new(0);
        let read = || {
            let (mut parts, mut sent) = (BTreeMap::new(), 0);
            while sent < LAST {
                let (bytes, view) = store.changes(&address, sent);
                let text = std::str::from_utf8(&bytes).unwrap();
                if let Some((_, data)) = text.split_once("data: ") {
                    parts.extend(serde_json::from_str::<Vec<(String, String)>>(data).unwrap());
                }
                sent = view.step;
                newest.fetch_max(sent, Ordering::Relaxed);
            }
            parts
        };
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
            for step in 2..=LAST {
                views.send_replace(view(&mut hall, step));
                while newest.load(Ordering::Relaxed) + 2 < step {
                    std::thread::yield_now();
                }
            }
            let all = read();
            for reader in readers {
                assert_eq!(reader.join().unwrap(), all);
            }
        });
    }
}
