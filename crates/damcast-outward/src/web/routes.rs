//! Routes, the checks before them, and the headers of every answer.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::assets::Assets;
use super::files::{EVENTS_FILE, FileBody, OutletFiles, PDN_CONTENT_TYPE, WHOLE_FILES, hex, is_archived};
use super::hosts::{AllowedHosts, is_local_host};
use super::listener::PeerAddress;
use super::live::LiveStream;
use super::origin::{RequestOrigin, single_value};
use super::pages::{PageBuilder, PageGame};
use super::plan::ViewerPlan;
use super::state::ViewerHall;
use super::stored_games::StoredGames;
use super::{Language, ServeOptions, compress, exact};

/// Largest number of cached pages; the cache is cleared when the state changes.
const MAX_CACHED_PAGES: usize = 512;
/// Largest size of all cached pages, in bytes.
const MAX_CACHED_BYTES: usize = 8 << 20;
/// Longest path and query of an address, in bytes.
const MAX_ADDRESS_LEN: usize = 2048;
/// Policy that lets pages load only from this server, without inline scripts or styles.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'";

/// Shared data of all answers.
pub struct Site {
    hall: watch::Receiver<Arc<ViewerHall>>,
    files: OutletFiles,
    games: StoredGames,
    assets: Assets,
    build: String,
    hosts: AllowedHosts,
    viewers: Arc<AtomicU64>,
    trusted_proxies: Vec<IpAddr>,
    now: fn() -> i64,
    pages: Mutex<Pages>,
    /// Last plan read, with the entity tags of its files.
    plan: Mutex<(String, Arc<ViewerPlan>)>,
}

/// Cached pages of one state.
#[derive(Default)]
struct Pages {
    id: String,
    rendered: HashMap<String, RenderedPage>,
    /// Size of all pages in bytes.
    bytes: usize,
}

impl Pages {
    /// Adds a page if there is room.
    fn keep(&mut self, key: String, page: &RenderedPage) {
        let bytes = page.plain.len() + page.compressed.len();
        if self.rendered.len() < MAX_CACHED_PAGES
            && self.bytes + bytes <= MAX_CACHED_BYTES
            && self.rendered.insert(key, page.clone()).is_none()
        {
            self.bytes += bytes;
        }
    }
}

/// Page, plain and compressed.
#[derive(Clone)]
struct RenderedPage {
    plain: Bytes,
    compressed: Bytes,
}

impl Site {
    /// Creates the site.
    pub fn new(options: &ServeOptions, hall: watch::Receiver<Arc<ViewerHall>>, viewers: Arc<AtomicU64>) -> Arc<Site> {
        let assets = Assets::embedded();
        Arc::new(Site {
            hall,
            files: OutletFiles::new(options.outlet.clone()),
            games: StoredGames::new(options.outlet.clone()),
            build: assets.build_id(),
            assets,
            hosts: AllowedHosts::new(options.machine.as_deref(), &options.hosts),
            viewers,
            trusted_proxies: options.trusted_proxies.clone(),
            now: options.now,
            pages: Mutex::default(),
            plan: Mutex::default(),
        })
    }

    /// Returns the plan, and a tag that changes with it.
    fn plan(&self) -> (Arc<ViewerPlan>, String) {
        let [tournament, games] = ["tournament.json", "games.pdn"].map(|name| self.files.whole(name).ok());
        let tag =
            [&tournament, &games].map(|file| file.as_ref().map_or("-", |file| file.etag.trim_matches('"'))).concat();
        let mut known = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != tag {
            let [tournament, games] = [&tournament, &games].map(|file| file.as_ref().map(|file| &*file.bytes));
            *known = (tag, Arc::new(ViewerPlan::read(tournament, games)));
        }
        (known.1.clone(), known.0.clone())
    }
}

type SharedSite = State<Arc<Site>>;

/// Returns all routes.
pub fn router(site: Arc<Site>) -> Router {
    let mut table = Router::new()
        .route("/", get(home))
        .route("/board/{which}", get(board))
        .route("/embed/board/{which}", get(embed))
        .route("/game/{which}", get(game))
        .route("/round/{which}", get(round))
        .route("/round/{which}/{name}", get(round_file))
        .route("/standings", get(standings))
        .route("/archive", get(archive))
        .route("/archive/{name}", get(archived))
        .route("/assets/{name}", get(asset))
        .route("/events", get(events))
        .route("/events.ndjson", get(events_file));
    for (name, kind) in WHOLE_FILES {
        table = table.route(
            &format!("/{name}"),
            get(move |State(site): SharedSite, headers: HeaderMap| async move { whole(&site, name, kind, &headers) }),
        );
    }
    table
        .fallback(|State(site): SharedSite, asked: PageRequest| async move {
            page(&site, &asked, StatusCode::NOT_FOUND, not_found)
        })
        .layer(middleware::from_fn_with_state(site.clone(), guard))
        .with_state(site)
}

/// Rejects invalid requests before routing, and adds the common headers to every answer.
async fn guard(State(site): SharedSite, request: Request, next: Next) -> Response {
    let mut answer = match rejection(&site, &request) {
        Some((status, message)) => {
            let mut answer = (status, format!("{message}\n")).into_response();
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            if status == StatusCode::METHOD_NOT_ALLOWED {
                answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            }
            answer
        }
        None => next.run(request).await,
    };
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer.headers_mut().extend(date((site.now)()).map(|date| (header::DATE, date)));
    answer
}

/// Formats a time in ms since 1970 for the header `Date`.
fn date(now: i64) -> Option<HeaderValue> {
    let moment = chrono::DateTime::from_timestamp_millis(now)?;
    HeaderValue::from_str(&moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
}

fn rejection(site: &Site, request: &Request) -> Option<(StatusCode, &'static str)> {
    let headers = request.headers();
    let mut hosts = headers.get_all(header::HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    };
    let is_allowed = |host: &str| site.hosts.allows(host);
    let is_whole = request.uri().authority().is_none_or(|authority| is_allowed(authority.as_str()));
    if !named.is_some_and(is_allowed) || !is_whole {
        return Some((
            StatusCode::MISDIRECTED_REQUEST,
            "damcast serves no pages under this name; the operator adds names to `hosts` of [serve]",
        ));
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "these pages are read with GET and HEAD only"));
    }
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    if has_body {
        return Some((StatusCode::PAYLOAD_TOO_LARGE, "a request for a page has no body"));
    }
    let is_long = request.uri().path_and_query().is_some_and(|path| path.as_str().len() > MAX_ADDRESS_LEN);
    is_long.then_some((StatusCode::URI_TOO_LONG, "this address is too long"))
}

/// Parts of a request for a page.
struct PageRequest {
    path: String,
    query: PageQuery,
    /// Address of the pages as the browser wrote it: `https://hall/`.
    site_address: String,
    headers: HeaderMap,
}

#[derive(Deserialize, Default)]
struct PageQuery {
    lang: Option<String>,
    wall: Option<String>,
    ply: Option<usize>,
}

impl axum::extract::FromRequestParts<Arc<Site>> for PageRequest {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        site: &Arc<Site>,
    ) -> Result<PageRequest, std::convert::Infallible> {
        // An invalid query counts as empty.
        let query = Query::<PageQuery>::try_from_uri(&parts.uri).map(|Query(query)| query).unwrap_or_default();
        let peer = parts.extensions.get::<PeerAddress>();
        let origin = peer.map(|peer| RequestOrigin::of(&parts.headers, *peer, &site.trusted_proxies));
        let scheme = if origin.is_some_and(|origin| origin.is_encrypted) { "https" } else { "http" };
        let site_address = format!("{scheme}://{}/", single_value(&parts.headers, &header::HOST).unwrap_or_default());
        Ok(PageRequest { path: parts.uri.path().to_owned(), query, site_address, headers: parts.headers.clone() })
    }
}

/// Reason why a page cannot be rendered.
enum PageError {
    NotFound,
    /// The game cannot be read from the file of events.
    Unreadable(io::Error),
}

impl From<io::Error> for PageError {
    fn from(error: io::Error) -> PageError {
        PageError::Unreadable(error)
    }
}

type PageResult = Result<String, PageError>;

fn not_found(maker: &PageBuilder<'_>) -> PageResult {
    Ok(maker.not_found())
}

/// Answers that a game cannot be read now.
fn unreadable(site: &Site, asked: &PageRequest, error: &io::Error) -> Response {
    tracing::warn!(path = asked.path, %error, "a game cannot be read from the file of events");
    let mut answer = page(site, asked, StatusCode::SERVICE_UNAVAILABLE, |maker| Ok(maker.unreadable()));
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    answer
}

/// Answers with a page from the cache, or renders it; with the page of the error if `make` fails.
fn page(
    site: &Site,
    asked: &PageRequest,
    status: StatusCode,
    make: impl FnOnce(&PageBuilder<'_>) -> PageResult,
) -> Response {
    let hall = site.hall.borrow().clone();
    let chosen = asked.query.lang.as_deref().and_then(Language::from_code);
    let language = Language::negotiate(asked.query.lang.as_deref(), &asked.headers);
    let (plan, planned) = site.plan();
    let id = hall.id();
    let state = format!("{id}-{planned}");
    let wall = asked.query.wall.as_ref().map(|wall| if wall == "light" { "light" } else { "dark" });
    let address = wall.map(|_| asked.site_address.as_str()).unwrap_or_default();
    let key = format!(
        "{} {status} {} {} {wall:?} {:?} {address}",
        asked.path,
        language.code(),
        chosen.is_some(),
        asked.query.ply
    );
    // Cache only pages that exist: one for each wrong address would fill the memory.
    let is_kept = status == StatusCode::OK;
    let known = {
        let mut pages = site.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.id != state {
            *pages = Pages { id: state.clone(), ..Pages::default() };
        }
        pages.rendered.get(&key).cloned()
    };
    let render = || {
        let maker = PageBuilder {
            hall: &hall,
            plan: &plan,
            language,
            is_language_chosen: chosen.is_some(),
            path: &asked.path,
            assets: &site.assets,
        };
        let text = make(&maker)?;
        let rendered = RenderedPage { compressed: compress(text.as_bytes()), plain: exact(text.into_bytes()) };
        let mut pages = site.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if is_kept && pages.id == state {
            pages.keep(key, &rendered);
        }
        Ok(rendered)
    };
    let made = match known.map_or_else(render, Ok) {
        Ok(made) => made,
        Err(PageError::NotFound) => return page(site, asked, StatusCode::NOT_FOUND, not_found),
        Err(PageError::Unreadable(error)) => return unreadable(site, asked, &error),
    };
    let planned = &hex(&Sha256::digest(planned))[..8];
    let etag = format!("W/\"{id}-{planned}-{}-{}\"", site.build, language.code());
    let mut answer = content(&asked.headers, status, "text/html; charset=utf-8", &etag, &made.plain, &made.compressed);
    let headers = answer.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, accept-language"));
    answer
}

/// Answers with bytes and their entity tag, compressed if accepted; with 304 if the client has them.
fn content(
    asked: &HeaderMap,
    status: StatusCode,
    kind: &'static str,
    etag: &str,
    plain: &Bytes,
    packed: &Bytes,
) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.extend(HeaderValue::from_str(etag).ok().map(|etag| (header::ETAG, etag)));
    if status == StatusCode::OK && is_not_modified(asked, etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    if accepts_gzip(asked) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        (status, headers, packed.clone()).into_response()
    } else {
        (status, headers, plain.clone()).into_response()
    }
}

fn is_not_modified(asked: &HeaderMap, etag: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let known = asked.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    known.is_some_and(|tags| tags.trim() == "*" || tags.split(',').any(|tag| bare(tag) == bare(etag)))
}

/// Whether the client accepts gzip.
pub(crate) fn accepts_gzip(asked: &HeaderMap) -> bool {
    accepts(asked, &header::ACCEPT_ENCODING, "gzip")
}

/// Whether a header with a list names `wanted` in full, with a weight other than 0.
fn accepts(asked: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    let lists = asked.get_all(name).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|kind| {
        let mut parts = kind.split(';').map(|part| part.trim().to_ascii_lowercase());
        let is_wanted = parts.next().is_some_and(|kind| kind == wanted);
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        is_wanted && weight != Some(0.0)
    })
}

async fn home(State(site): SharedSite, asked: PageRequest) -> Response {
    page(&site, &asked, StatusCode::OK, |maker| {
        Ok(match &asked.query.wall {
            Some(wall) => {
                let host = asked.site_address.parse::<Uri>().ok();
                let is_reached = host.as_ref().and_then(Uri::host).is_some_and(|host| !is_local_host(host));
                maker.wall(wall == "light", code(&asked.site_address).filter(|_| is_reached))
            }
            None => maker.grid(),
        })
    })
}

/// Draws the QR code of an address, and returns both; `None` if the address is too long.
pub(crate) fn code(address: &str) -> Option<(String, Markup)> {
    let code = qrcodegen::QrCode::encode_text(address, qrcodegen::QrCodeEcc::Low).ok()?;
    let dark = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let path: String =
        dark.filter(|(x, y)| code.get_module(*x, *y)).map(|(x, y)| format!("M{x} {y}h1v1h-1z")).collect();
    let view = format!("-2 -2 {0} {0}", code.size() + 4);
    let drawn = html! {
        svg viewBox=(view) aria-hidden="true" { rect x="-2" y="-2" width="100%" height="100%" fill="#fff" {} (PreEscaped(format!("<path d=\"{path}\"/>"))) }
    };
    Some((address.to_owned(), drawn))
}

async fn board(State(site): SharedSite, Path(which): Path<String>, asked: PageRequest) -> Response {
    // A number is that of the current round: an unstarted game precedes the last game of the board.
    page(&site, &asked, StatusCode::OK, |maker| match maker.unstarted_game(&which) {
        Some(made) => Ok(made),
        None => game_page(&site, &asked, maker, board_page(maker, &which)),
    })
}

async fn embed(State(site): SharedSite, Path(which): Path<String>, asked: PageRequest) -> Response {
    page(&site, &asked, StatusCode::OK, |maker| {
        let unstarted = maker.unstarted_game_embed(&which);
        unstarted.or_else(|| board_page(maker, &which).map(|shown| maker.embed(shown))).ok_or(PageError::NotFound)
    })
}

fn board_page<'a>(maker: &PageBuilder<'a>, which: &str) -> Option<PageGame<'a>> {
    let (number, board) = maker.hall.board(which)?;
    Some(PageGame { number, board, game: board.current()? })
}

/// Renders a game with its moves.
fn game_page(site: &Site, asked: &PageRequest, maker: &PageBuilder<'_>, shown: Option<PageGame<'_>>) -> PageResult {
    let shown = shown.ok_or(PageError::NotFound)?;
    Ok(site.games.with_whole(shown, |shown, whole| maker.game(shown, whole, asked.query.ply))?)
}

async fn game(State(site): SharedSite, Path(which): Path<String>, asked: PageRequest) -> Response {
    let Some(pdn) = which.strip_suffix(".pdn") else {
        return page(&site, &asked, StatusCode::OK, |maker| {
            game_page(&site, &asked, maker, find_game(maker.hall, &which))
        });
    };
    let hall = site.hall.borrow().clone();
    let Some(shown) = find_game(&hall, pdn) else {
        return page(&site, &asked, StatusCode::NOT_FOUND, not_found);
    };
    match site.games.with_whole(shown, |_, whole| Bytes::from(whole.pdn())) {
        Ok(text) => {
            let etag = format!("\"{}-{}\"", hall.id(), site.build);
            content(&asked.headers, StatusCode::OK, PDN_CONTENT_TYPE, &etag, &text, &compress(&text))
        }
        Err(error) => unreadable(&site, &asked, &error),
    }
}

/// Finds a game by `BOARD-GAME`.
fn find_game<'a>(hall: &'a ViewerHall, which: &str) -> Option<PageGame<'a>> {
    let (name, game) = which.rsplit_once('-')?;
    let (number, board) = hall.boards().into_iter().find(|(_, board)| board.name == name)?;
    Some(PageGame { number, board, game: board.game(game.parse().ok()?)? })
}

async fn round(State(site): SharedSite, Path(which): Path<String>, asked: PageRequest) -> Response {
    page(&site, &asked, StatusCode::OK, |maker| maker.round(&which).ok_or(PageError::NotFound))
}

/// Answers with a PDN file of one round.
async fn round_file(
    State(site): SharedSite,
    Path((which, name)): Path<(String, String)>,
    asked: PageRequest,
) -> Response {
    let is_round = (1..=4).contains(&which.len()) && which.bytes().all(|byte| byte.is_ascii_digit());
    match WHOLE_FILES.iter().find(|(known, kind)| *known == name && *kind == PDN_CONTENT_TYPE) {
        Some((name, kind)) if is_round => whole(&site, &format!("round/{which}/{name}"), kind, &asked.headers),
        _ => page(&site, &asked, StatusCode::NOT_FOUND, not_found),
    }
}

async fn standings(State(site): SharedSite, asked: PageRequest) -> Response {
    let table = site.files.whole("standings.json").ok();
    let table = table.and_then(|file| serde_json::from_slice(&file.bytes).ok());
    files_page(&site, &asked, |maker| maker.standings(table.as_ref()))
}

async fn archive(State(site): SharedSite, asked: PageRequest) -> Response {
    let names = site.files.archived();
    files_page(&site, &asked, |maker| maker.archive(&names))
}

/// Renders a page of files, which may change without an event: neither cached nor tagged.
fn files_page(site: &Site, asked: &PageRequest, make: impl FnOnce(&PageBuilder<'_>) -> String) -> Response {
    // `page` caches and compares tags with status 200 only.
    let mut answer = page(site, asked, StatusCode::ACCEPTED, |maker| Ok(make(maker)));
    *answer.status_mut() = StatusCode::OK;
    answer.headers_mut().remove(header::ETAG);
    answer
}

async fn archived(State(site): SharedSite, Path(name): Path<String>, asked: PageRequest) -> Response {
    if !is_archived(&name) {
        return page(&site, &asked, StatusCode::NOT_FOUND, not_found);
    }
    whole(&site, &format!("archive/{name}"), PDN_CONTENT_TYPE, &asked.headers)
}

fn whole(site: &Site, name: &str, kind: &'static str, asked: &HeaderMap) -> Response {
    match site.files.whole(name) {
        Ok(file) => content(asked, StatusCode::OK, kind, &file.etag, &file.bytes, &file.compressed),
        Err(error) => missing(name, &error),
    }
}

fn missing(name: &str, error: &io::Error) -> Response {
    if error.kind() != io::ErrorKind::NotFound {
        tracing::warn!(name, %error, "a file of the outlet cannot be read");
    }
    (StatusCode::NOT_FOUND, format!("{name} is not there\n")).into_response()
}

async fn asset(State(site): SharedSite, uri: Uri, headers: HeaderMap) -> Response {
    let Some(asset) = site.assets.find(uri.path()) else {
        return (StatusCode::NOT_FOUND, "there is no such file; load the page again\n").into_response();
    };
    let etag = format!("\"{}\"", uri.path());
    let mut answer = content(&headers, StatusCode::OK, asset.kind, &etag, &asset.bytes, &asset.compressed);
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    answer.headers_mut().insert(header::CACHE_CONTROL, forever);
    answer
}

#[derive(Deserialize, Default)]
struct EventsQuery {
    after: Option<String>,
    board: Option<String>,
    r#gen: Option<String>,
    from: Option<NonZeroU64>,
}

/// Answers pages with a stream, to which the listener passes the connection; programs with lines.
async fn events(State(site): SharedSite, headers: HeaderMap, uri: Uri) -> Response {
    let Ok(Query(query)) = Query::<EventsQuery>::try_from_uri(&uri) else {
        return (StatusCode::BAD_REQUEST, "from is a number from 1 on: /events?gen=GENERATION&from=1\n")
            .into_response();
    };
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if !accepts(&headers, &header::ACCEPT, "text/event-stream") {
        return lines(&site, &query);
    }
    let last = text("last-event-id").or(query.after.as_deref());
    let jitter =
        u64::from(std::process::id() % 7) * 100 + site.viewers.load(std::sync::atomic::Ordering::Relaxed) * 37 % 3000;
    let stream = LiveStream::new(site.hall.clone(), last, query.board.clone(), jitter, site.viewers.clone(), site.now);
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store, no-transform"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (Extension(stream), headers).into_response()
}

/// Answers with the lines of a generation from number `from` to the last one read, unchanged.
fn lines(site: &Site, query: &EventsQuery) -> Response {
    let hall = site.hall.borrow().clone();
    let generation = query.r#gen.as_deref().unwrap_or(&hall.generation);
    let from = query.from.map_or(1, NonZeroU64::get);
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson".to_owned()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ETAG, format!("\"{}-{from}\"", hall.id())),
    ];
    if generation != hall.generation {
        return (StatusCode::NOT_FOUND, "this is another generation now; begin anew: /events\n").into_response();
    }
    if from > hall.seq {
        return (headers, Body::empty()).into_response();
    }
    let body = site
        .files
        .events_from(hall.mark(from), from, generation)
        .and_then(|(file, begin)| FileBody::new(file, begin, hall.bytes.saturating_sub(begin)));
    match body {
        Ok(body) => (headers, Body::new(body)).into_response(),
        Err(error) => missing(EVENTS_FILE, &error),
    }
}

/// Answers with the file of events, or a range of it.
async fn events_file(State(site): SharedSite, headers: HeaderMap) -> Response {
    let (file, length) = match site.files.events() {
        Ok(there) => there,
        Err(error) => return missing(EVENTS_FILE, &error),
    };
    let etag = format!("\"{}-{length}\"", site.hall.borrow().generation);
    let mut answer = HeaderMap::new();
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    answer.extend(HeaderValue::from_str(&etag).ok().map(|etag| (header::ETAG, etag)));
    if is_not_modified(&headers, &etag) {
        return (StatusCode::NOT_MODIFIED, answer).into_response();
    }
    // The file only grows, so ranges stay valid; `If-Range` with another tag asks for the whole file.
    let is_same = headers.get(header::IF_RANGE).is_none_or(|state| state.as_bytes() == etag.as_bytes());
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok()).filter(|_| is_same);
    let Some(range) = range.and_then(|range| http_range_header::parse_range_header(range).ok()) else {
        return sent(file, 0, length, StatusCode::OK, answer);
    };
    match range.validate(length).as_deref() {
        Ok([part]) => {
            let (from, to) = (*part.start(), *part.end());
            let place = format!("bytes {from}-{to}/{length}");
            answer.extend(HeaderValue::from_str(&place).ok().map(|place| (header::CONTENT_RANGE, place)));
            sent(file, from, to - from + 1, StatusCode::PARTIAL_CONTENT, answer)
        }
        // Several ranges get the whole file: RFC 9110, section 14.2 lets a server ignore `Range`.
        Ok(_) => sent(file, 0, length, StatusCode::OK, answer),
        Err(_) => {
            answer.extend(
                HeaderValue::from_str(&format!("bytes */{length}")).ok().map(|place| (header::CONTENT_RANGE, place)),
            );
            (StatusCode::RANGE_NOT_SATISFIABLE, answer).into_response()
        }
    }
}

fn sent(file: std::fs::File, from: u64, length: u64, status: StatusCode, headers: HeaderMap) -> Response {
    match FileBody::new(file, from, length) {
        Ok(body) => (status, headers, Body::new(body)).into_response(),
        Err(error) => missing(EVENTS_FILE, &error),
    }
}
