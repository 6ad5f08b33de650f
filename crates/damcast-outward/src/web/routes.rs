//! Routes, the checks before them, and the headers of every answer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use tokio::sync::watch;

use super::assets::{ASSETS, BUILD_ID, CSS, EMBED_SCRIPT, JS};
use super::event_lines::{self, LINES_CONTENT_TYPE, LineFeed, LineRequest};
use super::files::{EVENTS_FILE, FileBody, OutletFiles, PDN_CONTENT_TYPE, Representation, named_file};
use super::hosts::{AllowedHosts, is_local_host};
use super::listener::PeerAddress;
use super::live::{Feed, LiveStream};
use super::origin::{RequestOrigin, single_value};
use super::page_store::PageStore;
use super::pages::address::{PageAddress, PageKind, PageQuery, percent_encoded};
use super::pages::overlay_look::{OverlayLook, WrongParameter};
use super::pages::{PageError, find_game};
use super::pdn_readers::PdnReaders;
use super::picture::{PictureSpec, Pictures};
use super::state::WholeGame;
use super::stored_games::StoredGames;
use super::view::View;
use super::{Language, ServeOptions};

/// Longest path and query of an address, in bytes.
const MAX_ADDRESS_LEN: usize = 2048;
/// Lifetimes of a page that polls: two seconds in a shared cache, which then asks again while it answers with the page that it has.
const SHARED_CACHE: &str = "public, max-age=1, s-maxage=2, stale-while-revalidate=10, stale-if-error=60";
/// Policy that lets pages load only from this server, without inline scripts or styles.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'";
/// Policy of the pages with a form; the studio shows an overlay in a frame too.
const FORM_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                             frame-src 'self'; base-uri 'none'; form-action 'self'";

/// Shared data of all answers.
pub struct Site {
    /// Newest view.
    pub views: watch::Receiver<Arc<View>>,
    /// Each open stream has a clone; their number is that of the viewers.
    pub viewers: Arc<()>,
    /// Programs that read PDN files.
    pub readers: PdnReaders,
    options: ServeOptions,
    files: Arc<OutletFiles>,
    pages: Arc<PageStore>,
    pictures: Pictures,
    hosts: AllowedHosts,
    /// Time of the recorder's last sign of life, in ms since 1970; 0 without one.
    sign: Arc<AtomicI64>,
    language: Option<Language>,
}

impl Site {
    /// Creates the site.
    pub fn new(
        options: &ServeOptions,
        files: Arc<OutletFiles>,
        views: watch::Receiver<Arc<View>>,
        sign: Arc<AtomicI64>,
    ) -> Site {
        let games = StoredGames::new(options.outlet.clone());
        let pages = PageStore::new(games, views.clone(), options.is_polled);
        Site {
            views,
            viewers: Arc::default(),
            readers: PdnReaders::default(),
            options: options.clone(),
            files,
            pages: Arc::new(pages),
            pictures: Pictures::default(),
            hosts: AllowedHosts::new(options.machine.as_deref(), &options.hosts),
            sign,
            language: options.language.or(options.is_polled.then_some(Language::En)),
        }
    }

    /// Returns the number of open streams.
    pub fn count_viewers(&self) -> u64 {
        Arc::strong_count(&self.viewers) as u64 - 1
    }

    /// Returns the page that a path and a query name, in the language of the request.
    fn page_address(&self, asked: &PageRequest, path: &str, query: &PageQuery) -> PageAddress {
        let chosen = asked.query.get("lang").and_then(Language::from_code);
        let host = asked.site_address.parse::<Uri>().ok();
        let host = host.as_ref().and_then(Uri::host);
        let is_reached = host.is_some_and(|host| !is_local_host(host));
        let mut kind = PageKind::of(path, query, is_reached.then(|| asked.site_address.clone()));
        if let PageKind::Studio { site, .. } = &mut kind {
            site.clone_from(&asked.site_address);
        }
        PageAddress {
            // Two slashes at the start of a link name another site.
            path: format!("/{}", path.trim_start_matches('/')),
            kind,
            language: chosen.or(self.language).unwrap_or_else(|| Language::negotiate(None, &asked.headers)),
            is_language_chosen: chosen.is_some(),
            hides_results: query.get("hide") == Some("results"),
            is_light: query.get("theme").and_then(|theme| match theme {
                "light" => Some(true),
                "dark" => Some(false),
                _ => None,
            }),
            public_site: host.filter(|host| self.hosts.is_listed(host)).map(|_| asked.site_address.clone()),
        }
    }
}

type SharedSite = State<Arc<Site>>;

/// Returns all routes.
pub fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/assets/{name}", get(asset))
        .route("/overlay/look.css", get(overlay_style))
        .route("/embed.js", get(embed_script))
        .route("/picture/{game}/{name}", get(picture))
        .route("/events", get(events))
        .route("/events.ndjson", get(events_file))
        .route("/files.json", get(files_list))
        .fallback(get(page))
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
    answer.headers_mut().extend(header_map([
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ]));
    if site.options.is_polled && is_for_shared_cache(&answer) {
        answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(SHARED_CACHE));
    }
    let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
    answer.headers_mut().entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    answer.headers_mut().extend(date((site.options.now)()).map(|date| (header::DATE, date)));
    answer
}

/// Whether a shared cache may answer with this for two seconds. Lines of events are for followers, which need the last one.
fn is_for_shared_cache(answer: &Response) -> bool {
    let headers = answer.headers();
    let is_lines = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == LINES_CONTENT_TYPE);
    let is_known = [StatusCode::OK, StatusCode::NOT_MODIFIED, StatusCode::NOT_FOUND].contains(&answer.status());
    is_known && !is_lines && headers.get(header::CACHE_CONTROL).is_some_and(|control| control == "no-cache")
}

/// Formats a time in ms since 1970 for the header `Date`.
fn date(now: i64) -> Option<HeaderValue> {
    let moment = chrono::DateTime::from_timestamp_millis(now)?;
    HeaderValue::from_str(&moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
}

fn rejection(site: &Site, request: &Request) -> Option<(StatusCode, &'static str)> {
    let headers = request.headers();
    let is_allowed = |host: &str| site.hosts.allows(host);
    let is_whole = request.uri().authority().is_none_or(|authority| is_allowed(authority.as_str()));
    if !single_value(headers, &header::HOST).is_some_and(is_allowed) || !is_whole {
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
    if is_long {
        return Some((StatusCode::URI_TOO_LONG, "this address is too long"));
    }
    // Pages without the events would be empty, and live.
    let is_unread = site.views.borrow().step == 0;
    is_unread.then_some((StatusCode::SERVICE_UNAVAILABLE, "the events are not read yet; ask again"))
}

/// Parts of a request for a page.
struct PageRequest {
    path: String,
    query: PageQuery,
    /// Address of the pages as the browser wrote it: `https://hall/`.
    site_address: String,
    headers: HeaderMap,
}

impl axum::extract::FromRequestParts<Arc<Site>> for PageRequest {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        site: &Arc<Site>,
    ) -> Result<PageRequest, std::convert::Infallible> {
        let query = PageQuery::of(&parts.uri);
        let peer = parts.extensions.get::<PeerAddress>();
        let origin = peer.map(|peer| RequestOrigin::of(&parts.headers, *peer, &site.options.trusted_proxies));
        let scheme = if origin.is_some_and(|origin| origin.is_encrypted) { "https" } else { "http" };
        let site_address = format!("{scheme}://{}/", single_value(&parts.headers, &header::HOST).unwrap_or_default());
        Ok(PageRequest { path: parts.uri.path().to_owned(), query, site_address, headers: parts.headers.clone() })
    }
}

/// Answers with a file of the outlet, a page, or the PDN of a game.
async fn page(State(site): SharedSite, asked: PageRequest) -> Response {
    let is_hall = |name: &str| site.views.borrow().hall.halls.iter().any(|hall| hall == name);
    if let Some((name, kind)) = named_file(&asked.path, is_hall) {
        return whole(&site, &name, kind, &asked.headers);
    }
    let address = site.page_address(&asked, &asked.path, &asked.query);
    let view = site.views.borrow().clone();
    // The board goes on to other games; a position is one of a game.
    if let PageKind::Board(which) = &address.kind
        && let Some(entry) = asked.query.get("ply").and_then(|ply| ply.parse::<usize>().ok())
        // In a joined outlet, a number alone may be that of a board that waits.
        && (view.hall.halls.is_empty() || which.parse::<u64>().is_err())
        && let Some((_, board)) = view.hall.board(which)
        && let Some(game) = view.shown_game(board)
    {
        let game = format!("/game/{}-{}/{entry}", percent_encoded(&board.name), game.number);
        return (StatusCode::SEE_OTHER, [(header::LOCATION, address.link(&game))]).into_response();
    }
    if let PageKind::Game { which, ply: None } = &address.kind
        && let Some(which) = which.strip_suffix(".pdn")
    {
        return game_file(&site, which, &address, &asked);
    }
    page_answer(&site, &address, &asked)
}

fn page_answer(site: &Site, address: &PageAddress, asked: &PageRequest) -> Response {
    let (made, error) = site.pages.document(address);
    let status = match &error {
        None => StatusCode::OK,
        Some(PageError::NotFound) => StatusCode::NOT_FOUND,
        Some(PageError::WrongParameter(_)) => StatusCode::BAD_REQUEST,
        Some(PageError::Unreadable(error)) => {
            tracing::warn!(path = asked.path, %error, "a game cannot be read from the file of events");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    let mut answer = content(&asked.headers, status, "text/html; charset=utf-8", &made);
    let headers = answer.headers_mut();
    if site.language.is_none() {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, accept-language"));
    }
    if matches!(address.kind, PageKind::Studio { .. } | PageKind::Players(_)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FORM_POLICY));
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    answer
}

/// Answers that there is no such page.
fn not_found(site: &Site, asked: &PageRequest) -> Response {
    let address = PageAddress { kind: PageKind::Unknown, ..site.page_address(asked, &asked.path, &asked.query) };
    page_answer(site, &address, asked)
}

/// Answers with the game `BOARD-GAME` as PDN.
fn game_file(site: &Site, which: &str, address: &PageAddress, asked: &PageRequest) -> Response {
    let view = site.views.borrow().clone();
    let Some(shown) = find_game(&view, which) else { return not_found(site, asked) };
    match site.pages.games.with_whole(&shown.board, shown.game, |whole| whole.pdn().into_bytes()) {
        Ok(text) => {
            let etag = format!("\"{}-{}\"", view.id(), *BUILD_ID);
            content(&asked.headers, StatusCode::OK, PDN_CONTENT_TYPE, &Representation::new(text, etag))
        }
        // The page of the game says so.
        Err(_) => {
            let kind = PageKind::Game { which: which.to_owned(), ply: None };
            page_answer(site, &PageAddress { kind, ..address.clone() }, asked)
        }
    }
}

/// Answers with a content, compressed if accepted; with 304 if the client has it.
fn content(asked: &HeaderMap, status: StatusCode, kind: &str, content: &Representation) -> Response {
    let mut headers = header_map([
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
        (header::ETAG, &content.etag),
    ]);
    if status == StatusCode::OK && is_not_modified(asked, &content.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    if accepts_gzip(asked) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        (status, headers, content.compressed.clone()).into_response()
    } else {
        (status, headers, content.bytes.clone()).into_response()
    }
}

/// Returns headers; leaves out those whose values no header may have.
fn header_map<const N: usize>(headers: [(HeaderName, &str); N]) -> HeaderMap {
    headers.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?))).collect()
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

fn whole(site: &Site, name: &str, kind: &'static str, asked: &HeaderMap) -> Response {
    if kind == PDN_CONTENT_TYPE && !name.starts_with("archive/") {
        site.readers.note(name, asked, (site.options.now)());
    }
    match site.files.whole(name) {
        Ok(file) => content(asked, StatusCode::OK, kind, &file),
        Err(error) => missing(name, &error),
    }
}

fn missing(name: &str, error: &io::Error) -> Response {
    if error.kind() != io::ErrorKind::NotFound {
        tracing::warn!(name, %error, "a file of the outlet cannot be read");
    }
    (StatusCode::NOT_FOUND, format!("{name} is not there\n")).into_response()
}

/// Answers with the picture of the position after entry `ENTRY.png` of a game.
async fn picture(State(site): SharedSite, Path((which, name)): Path<(String, String)>, asked: PageRequest) -> Response {
    let view = site.views.borrow().clone();
    let at = name.strip_suffix(".png").and_then(|at| at.parse::<usize>().ok());
    let shown = find_game(&view, &which).zip(at);
    let spec = shown.and_then(|(shown, at)| {
        let spec = |whole: WholeGame<'_>| {
            let ply = at.checked_sub(1).and_then(|index| whole.entries.get(index)?.ply.as_ref());
            let path = ply.map_or_else(Vec::new, |ply| ply.path.clone());
            Some(PictureSpec { variant: whole.game.variant?, pieces: whole.diagram(at)?.pieces.clone(), path })
        };
        site.pages.games.with_whole(&shown.board, shown.game, spec).transpose()
    });
    let spec = match spec {
        Some(Ok(spec)) => spec,
        // The page of the game says that it cannot be read now.
        Some(Err(_)) => {
            let address = site.page_address(&asked, &asked.path, &asked.query);
            return page_answer(&site, &PageAddress { kind: PageKind::Game { which, ply: None }, ..address }, &asked);
        }
        None => return not_found(&site, &asked),
    };
    match site.pictures.png(spec).await {
        Some(bytes) => {
            let headers = [(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "public, max-age=300")];
            (headers, bytes).into_response()
        }
        None => not_found(&site, &asked),
    }
}

async fn asset(uri: Uri, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.find(uri.path()) else {
        return (StatusCode::NOT_FOUND, "there is no such file; load the page again\n").into_response();
    };
    let (bytes, compressed) = (asset.bytes.clone(), asset.compressed.clone());
    let file = Representation { bytes, compressed, etag: format!("\"{}\"", uri.path()) };
    let mut answer = content(&headers, StatusCode::OK, asset.kind, &file);
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    answer.headers_mut().insert(header::CACHE_CONTROL, forever);
    answer
}

/// Answers with the script that makes embedded boards as high as their content.
async fn embed_script(headers: HeaderMap) -> Response {
    let script = Representation::new(EMBED_SCRIPT.into(), format!("\"{}\"", *BUILD_ID));
    content(&headers, StatusCode::OK, JS, &script)
}

/// Answers with the style sheet of an overlay: the size and the colour that the address has.
async fn overlay_style(uri: Uri, headers: HeaderMap) -> Response {
    match OverlayLook::style(&PageQuery::of(&uri).0) {
        Ok(style) => {
            let etag = format!("\"{}\"", uri.query().unwrap_or_default().escape_debug());
            content(&headers, StatusCode::OK, CSS, &Representation::new(style.into_bytes(), etag))
        }
        Err(WrongParameter { parameter, expected }) => {
            (StatusCode::BAD_REQUEST, format!("{parameter} is wrong; possible: {expected}\n")).into_response()
        }
    }
}

/// Answers with a stream if the client accepts `text/event-stream`, else with lines of events. The listener passes the connection of a stream
/// to it.
async fn events(State(site): SharedSite, asked: PageRequest, uri: Uri) -> Response {
    let headers = &asked.headers;
    let Ok(Query(request)) = Query::try_from_uri(&uri) else {
        return (StatusCode::BAD_REQUEST, "from is a number from 1 on: /events?gen=GENERATION&from=1\n")
            .into_response();
    };
    if !accepts(headers, &header::ACCEPT, "text/event-stream") {
        return lines(&site, &request);
    }
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok()).or(asked.query.get("after"));
    let jitter = u64::from(std::process::id() % 7) * 100 + site.count_viewers() * 37 % 1500;
    let views = site.views.clone();
    let view = views.borrow().clone();
    // The page that the stream changes, and whether its reader chose the language.
    let feed = match asked.query.get("page") {
        None => Feed::boards(&view, asked.query.get("board").map(str::to_owned), last),
        Some(page) => {
            let page: Uri = page.parse().unwrap_or_default();
            let address = site.page_address(&asked, page.path(), &PageQuery::of(&page));
            let address = PageAddress { is_language_chosen: asked.query.get("chosen").is_some(), ..address };
            // Makes a page of another build reload, for its script and style.
            let last = last.filter(|_| asked.query.get("build").is_none_or(|build| *BUILD_ID == build));
            Feed::page(&view, address, site.pages.clone(), last)
        }
    };
    let stream = LiveStream::new(views, feed, jitter, site.viewers.clone(), site.options.now);
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store, no-transform"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (Extension(stream), headers).into_response()
}

/// Answers with lines of the file of events; the connection of a program that follows them becomes a stream.
fn lines(site: &Site, request: &LineRequest) -> Response {
    let view = site.views.borrow().clone();
    let mut answer = event_lines::answer(&site.files, &view.hall, &site.sign, request);
    if let Some(feed) = answer.extensions_mut().remove::<LineFeed>() {
        answer.extensions_mut().insert(LiveStream::lines(site.views.clone(), feed, site.options.now));
    }
    answer
}

/// Answers with the list of the files beside the events.
async fn files_list(State(site): SharedSite, headers: HeaderMap) -> Response {
    let files = site.files.clone();
    let listed = tokio::task::spawn_blocking(move || files.list()).await.unwrap_or_default();
    let list = serde_json::json!({ "files": listed }).to_string() + "\n";
    content(&headers, StatusCode::OK, "application/json", &Representation::hashed(list.into_bytes()))
}

/// Answers with the file of events, or a range of it.
async fn events_file(State(site): SharedSite, headers: HeaderMap) -> Response {
    let (file, length) = match site.files.events() {
        Ok(there) => there,
        Err(error) => return missing(EVENTS_FILE, &error),
    };
    let etag = format!("\"{}-{length}\"", site.views.borrow().hall.generation);
    let mut answer = header_map([
        (header::CONTENT_TYPE, LINES_CONTENT_TYPE),
        (header::CACHE_CONTROL, "no-cache"),
        (header::ACCEPT_RANGES, "bytes"),
        (header::ETAG, &etag),
    ]);
    if is_not_modified(&headers, &etag) {
        return (StatusCode::NOT_MODIFIED, answer).into_response();
    }
    // The file only grows, so ranges stay valid; `If-Range` with another tag asks for the whole file.
    let is_same = headers.get(header::IF_RANGE).is_none_or(|state| state.as_bytes() == etag.as_bytes());
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok()).filter(|_| is_same);
    // RFC 9110, section 14.1.2: a longer suffix than the file is the file.
    let is_long = |range: &str| {
        range.strip_prefix("bytes=-").and_then(|size| size.parse().ok()).is_some_and(|size: u64| size > length)
    };
    let range = range.map(|range| if is_long(range) && length > 0 { "bytes=0-" } else { range });
    let parts = range.and_then(|range| http_range_header::parse_range_header(range).ok());
    let (status, from, size) = match parts.map(|parts| parts.validate(length)).transpose() {
        Ok(Some(parts)) if parts.len() == 1 => {
            let (from, to) = (*parts[0].start(), *parts[0].end());
            answer.extend(header_map([(header::CONTENT_RANGE, &*format!("bytes {from}-{to}/{length}"))]));
            (StatusCode::PARTIAL_CONTENT, from, to - from + 1)
        }
        // Several ranges get the whole file: RFC 9110, section 14.2 lets a server ignore `Range`.
        Ok(_) => (StatusCode::OK, 0, length),
        Err(_) => {
            answer.extend(header_map([(header::CONTENT_RANGE, &*format!("bytes */{length}"))]));
            return (StatusCode::RANGE_NOT_SATISFIABLE, answer).into_response();
        }
    };
    match FileBody::new(file, from, size) {
        Ok(body) => (status, answer, Body::new(body)).into_response(),
        Err(error) => missing(EVENTS_FILE, &error),
    }
}
