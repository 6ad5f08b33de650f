//! Routes of the page, its cookies, and who may ask.
//!
//! | route | |
//! |---|---|
//! | `GET /` | page with all tables of this browser, and a field for a code |
//! | `POST /open` | a code becomes a cookie |
//! | `GET /table/KEY` | a table as JSON |
//! | `POST /table/KEY` | a ply, a ply taken back, a claimed result, or the end of the cookie |
//!
//! A POST is a form, answered by a redirection to the page, or JSON, answered by JSON. KEY is a hash of the code, so that the cookies of
//! several tables have different names.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::header;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use damcast_control::entry::{EntryClock, EntryMessage, EntryReply, EntryRequest};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::page::EntryPage;
use super::station::Station;
use super::view::TableView;
use crate::hex::hex;
use crate::web::Language;
use crate::web::hosts::AllowedHosts;
use crate::web::listener::PeerAddress;
use crate::web::origin::{RequestOrigin, protect, single_value};
use crate::web::pages::address::percent_encoded;

/// Longest body of a request, in bytes.
const MAX_BODY_LEN: usize = 4096;
/// Longest time in which a request must come whole.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest code, in characters.
const MAX_CODE_LEN: usize = 64;
/// Largest number of tables of one browser.
const MAX_TABLES: usize = 16;
/// Lifetime of a cookie in seconds: a day. The station decides whether its code is valid.
const COOKIE_AGE: u32 = 86_400;
/// First part of the names of cookies.
const COOKIE_PREFIX: &str = "damcast-entry-";
/// Content security policy: resources and forms of this server only, no inline script or style, no frames.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                          base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The page and what it needs.
pub struct EntrySite {
    /// Accepted host names.
    pub hosts: AllowedHosts,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Client of the station.
    pub station: Station,
    /// HTML and assets.
    pub page: EntryPage,
}

type SharedSite = State<Arc<EntrySite>>;

/// Returns the routes.
pub fn router(site: Arc<EntrySite>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/assets/{name}", get(asset))
        .route("/open", post(open))
        .route("/table/{key}", get(table).post(change))
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is nothing at this address") })
        .layer(middleware::from_fn_with_state(site.clone(), guard))
        .with_state(site)
}

/// Middleware of all routes: checks who asks, and adds the common headers to the answer.
async fn guard(State(site): SharedSite, mut request: Request, next: Next) -> Response {
    let mut answer = match site.check_request(&request) {
        Ok(origin) => {
            request.extensions_mut().insert(origin);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    protect(answer.headers_mut(), CONTENT_SECURITY_POLICY);
    // With `no-referrer` browsers send the forms of this page with `Origin: null` (Fetch, "append a request `Origin` header").
    answer.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    answer
}

impl EntrySite {
    /// Returns the origin of a request, or the reason to refuse it.
    fn check_request(&self, request: &Request) -> Result<RequestOrigin, (StatusCode, &'static str)> {
        let headers = request.headers();
        let host = single_value(headers, &header::HOST).filter(|host| self.hosts.allows(host));
        let Some(host) = host else {
            let message = "this page is not reached under this name; the operator adds names to `hosts` of [entry]";
            return Err((StatusCode::MISDIRECTED_REQUEST, message));
        };
        let peer = request.extensions().get::<PeerAddress>().copied();
        let Some(peer) = peer else { return Err((StatusCode::FORBIDDEN, "it is not known where this comes from")) };
        let origin = RequestOrigin::of(headers, peer, &self.trusted_proxies);
        if !origin.is_encrypted && !is_private(origin.address) {
            return Err((StatusCode::FORBIDDEN, "without https only the network of the hall may use this page"));
        }
        if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD and POST are known here"));
        }
        let is_post = request.method() == Method::POST;
        let is_own = |origin: &str| {
            let origin = origin.parse::<Uri>().ok();
            origin
                .as_ref()
                .and_then(Uri::authority)
                .is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host))
        };
        let origins = headers.contains_key(header::ORIGIN);
        let is_foreign = (is_post || origins) && !single_value(headers, &header::ORIGIN).is_some_and(is_own);
        if is_foreign {
            return Err((StatusCode::FORBIDDEN, "another website sent this request; use the page itself"));
        }
        Ok(origin)
    }
}

/// Whether an address belongs to a network that the Internet does not route to, so that what is sent stays in the hall.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_private() || address.is_loopback() || address.is_link_local() || address.is_documentation()
        }
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
    }
}

/// Returns the key of a code: capital letters, blanks and `-` do not matter.
fn key(code: &str) -> String {
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_lowercase()).collect();
    hex(&Sha256::digest(plain.as_bytes())[..6])
}

/// Returns key and code of each table of this browser.
fn tables(headers: &HeaderMap) -> Vec<(String, String)> {
    let fields = headers.get_all(header::COOKIE).iter().filter_map(|field| field.to_str().ok());
    let cookies = fields.flat_map(|field| field.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let own = cookies.filter_map(|(name, code)| Some((name.strip_prefix(COOKIE_PREFIX)?.to_owned(), code.to_owned())));
    let mut own: Vec<_> = own.filter(|(name, code)| *name == key(code)).collect();
    // Browsers send the newest last.
    own.drain(..own.len().saturating_sub(MAX_TABLES));
    own
}

fn cookie(key: &str, code: &str, age: u32, is_encrypted: bool) -> Option<HeaderValue> {
    let secure = if is_encrypted { "; Secure" } else { "" };
    let text = format!("{COOKIE_PREFIX}{key}={code}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).ok()
}

/// Form that a browser sends for a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableForm {
    act: String,
    #[serde(default)]
    game: u32,
    #[serde(default)]
    ply: u32,
    #[serde(default, rename = "move")]
    notation: String,
    #[serde(default)]
    white: String,
    #[serde(default)]
    black: String,
    #[serde(default)]
    result: String,
}

impl TableForm {
    /// Returns the request to the station; `None` if the browser gives up the table.
    fn request(self) -> Result<Option<EntryRequest>, String> {
        let clock = EntryClock { white: seconds(&self.white)?, black: seconds(&self.black)? };
        let clock = (clock != EntryClock::default()).then_some(clock);
        let (game, ply) = (self.game, self.ply);
        Ok(Some(match self.act.as_str() {
            "enter" => EntryRequest::Enter { game, ply, notation: latin(&self.notation), clock },
            "take-back" => EntryRequest::TakeBack { game, ply },
            "claim" => EntryRequest::Claim { game, result: self.result },
            "leave" => return Ok(None),
            other => return Err(format!("`{other}` is no action; there are enter, take-back, claim, leave")),
        }))
    }
}

/// Returns a move with Latin letters and plain signs in place of those that look like them, as a Russian keyboard types them.
fn latin(text: &str) -> String {
    let plain = |letter: char| match letter {
        'а' | 'А' => 'a',
        'с' | 'С' => 'c',
        'е' | 'Е' => 'e',
        'х' | 'Х' | '×' => 'x',
        '–' | '—' => '-',
        other => other,
    };
    text.trim().chars().map(plain).collect()
}

/// Reads a time: `1:20:11`, `20:11`, or seconds. Empty: none. `1:20` is refused: a clock shows it for hours and minutes, and for minutes
/// and seconds.
fn seconds(text: &str) -> Result<Option<u32>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let parts: Option<Vec<u32>> =
        text.split(':').map(|part| part.parse().ok().filter(|part| *part < 100_000)).collect();
    match parts.as_deref() {
        Some([seconds]) => Ok(Some(*seconds)),
        Some([first, second]) if *first < 10 && *second < 60 => {
            Err(format!("`{text}` may be hours or minutes: write {first}:{second:02}:00 or 0:{first:02}:{second:02}"))
        }
        Some([minutes, seconds]) if *seconds < 60 => Ok(Some(minutes * 60 + seconds)),
        Some([hours, minutes, seconds]) if *minutes < 60 && *seconds < 60 && *hours < 100 => {
            Ok(Some(hours * 3600 + minutes * 60 + seconds))
        }
        _ => Err(format!("`{text}` is no time, as in 1:20:11")),
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct HomeQuery {
    lang: Option<String>,
    /// Why the last form was refused.
    why: Option<String>,
}

async fn home(State(site): SharedSite, uri: Uri, request: Request) -> Response {
    let query = Query::<HomeQuery>::try_from_uri(&uri).map(|Query(query)| query).unwrap_or_default();
    let Some(origin) = request.extensions().get::<RequestOrigin>().copied() else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let language = Language::negotiate(query.lang.as_deref(), request.headers());
    let (mut shown, mut ended) = (Vec::new(), HeaderMap::new());
    for (key, code) in tables(request.headers()) {
        let reply = ask(&site, &origin, code, EntryRequest::Look {}).await;
        if reply.invalid_code
            && let Some(cookie) = cookie(&key, "", 0, origin.is_encrypted)
        {
            // The page says once that a code has ended.
            ended.append(header::SET_COOKIE, cookie);
        }
        shown.push((key, reply.error.clone(), reply.table.map(TableView::new)));
    }
    let html = site.page.html(language, &shown, query.why.as_deref());
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::VARY, "accept-language, cookie")];
    (headers, ended, html).into_response()
}

async fn asset(State(site): SharedSite, uri: Uri) -> Response {
    let Some(asset) = site.page.assets.iter().find(|asset| asset.path == uri.path()) else {
        return (StatusCode::NOT_FOUND, "there is no such file; load the page again").into_response();
    };
    let headers = [(header::CONTENT_TYPE, asset.kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    (headers, asset.bytes.clone()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeForm {
    code: String,
}

async fn open(State(site): SharedSite, request: Request) -> Response {
    let (origin, is_json, body) = match read::<CodeForm>(request).await {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    let code: String = body.code.chars().filter(|one| one.is_ascii_alphanumeric() || *one == '-').collect();
    if code.is_empty() || code.len() > MAX_CODE_LEN {
        return refuse(is_json, StatusCode::BAD_REQUEST, "this is no code");
    }
    let reply = ask(&site, &origin, code.clone(), EntryRequest::Look {}).await;
    let key = key(&code);
    let (Some(table), Some(cookie)) = (&reply.table, cookie(&key, &code, COOKIE_AGE, origin.is_encrypted)) else {
        return refuse(is_json, refusal_status(&reply), reply.error.as_deref().unwrap_or_default());
    };
    let mut answer = match is_json {
        true => json_answer(StatusCode::OK, &json!({"ok": true, "key": key, "board": table.board})),
        false => redirect(&format!("/#table-{key}")),
    };
    answer.headers_mut().append(header::SET_COOKIE, cookie);
    answer
}

async fn table(State(site): SharedSite, Path(key): Path<String>, request: Request) -> Response {
    let Some(origin) = request.extensions().get::<RequestOrigin>().copied() else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let Some((_, code)) = tables(request.headers()).into_iter().find(|(known, _)| *known == key) else {
        return refuse(true, StatusCode::UNAUTHORIZED, "this browser has no code for this table");
    };
    let reply = ask(&site, &origin, code, EntryRequest::Look {}).await;
    view_answer(reply)
}

async fn change(State(site): SharedSite, Path(key): Path<String>, request: Request) -> Response {
    let code = tables(request.headers()).into_iter().find(|(known, _)| *known == key).map(|(_, code)| code);
    let (origin, is_json, form) = match read::<TableForm>(request).await {
        Ok(read) => read,
        Err(answer) => return answer,
    };
    let Some(code) = code else {
        return refuse(is_json, StatusCode::UNAUTHORIZED, "this browser has no code for this table");
    };
    let request = match form.request() {
        Ok(Some(request)) => request,
        Ok(None) => {
            let mut answer = if is_json { json_answer(StatusCode::OK, &json!({"ok": true})) } else { redirect("/") };
            let gone = cookie(&key, "", 0, origin.is_encrypted);
            answer.headers_mut().extend(gone.map(|gone| (header::SET_COOKIE, gone)));
            return answer;
        }
        Err(why) => return refuse(is_json, StatusCode::BAD_REQUEST, &why),
    };
    let reply = ask(&site, &origin, code, request).await;
    match (is_json, &reply) {
        (true, _) => view_answer(reply),
        (false, EntryReply { ok: true, .. }) => redirect(&format!("/#table-{key}")),
        (false, _) => refuse(false, refusal_status(&reply), reply.error.as_deref().unwrap_or_default()),
    }
}

async fn ask(site: &EntrySite, origin: &RequestOrigin, code: String, request: EntryRequest) -> EntryReply {
    site.station.request(EntryMessage { code, address: Some(origin.address), request }).await
}

/// Reads the body of a form or of JSON.
async fn read<T: for<'de> Deserialize<'de>>(request: Request) -> Result<(RequestOrigin, bool, T), Response> {
    let origin = request.extensions().get::<RequestOrigin>().copied();
    let origin = origin.ok_or_else(|| StatusCode::FORBIDDEN.into_response())?;
    let kind = single_value(request.headers(), &header::CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let is_json = kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json");
    let wrong = |why: &str| refuse(is_json, StatusCode::BAD_REQUEST, &format!("this is no request: {why}"));
    let body = timeout(BODY_TIMEOUT, axum::body::to_bytes(request.into_body(), MAX_BODY_LEN)).await;
    let body = body.map_err(|_| refuse(is_json, StatusCode::REQUEST_TIMEOUT, "the request did not come whole"))?;
    let body = body.map_err(|error| wrong(&error.to_string()))?;
    let read = match is_json {
        true => serde_json::from_slice(&body).map_err(|error| wrong(&error.to_string()))?,
        // A form has the syntax of a query.
        false => {
            let query = format!("/?{}", String::from_utf8_lossy(&body)).parse::<Uri>();
            let query = query.map_err(|error| wrong(&error.to_string()))?;
            Query::<T>::try_from_uri(&query).map_err(|error| wrong(&error.to_string()))?.0
        }
    };
    Ok((origin, is_json, read))
}

/// Returns the status of an answer that refuses.
fn refusal_status(reply: &EntryReply) -> StatusCode {
    match reply {
        EntryReply { invalid_code: true, .. } => StatusCode::UNAUTHORIZED,
        EntryReply { try_again: true, .. } => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::CONFLICT,
    }
}

fn view_answer(reply: EntryReply) -> Response {
    let status = if reply.ok { StatusCode::OK } else { refusal_status(&reply) };
    let EntryReply { ok, error, invalid_code, try_again, messages, table } = reply;
    let mut answer =
        json!({"ok": ok, "error": error, "invalid_code": invalid_code, "try_again": try_again, "messages": messages});
    match table.map(TableView::new) {
        Some(Ok(view)) => answer["table"] = serde_json::to_value(view).unwrap_or_default(),
        Some(Err(why)) => answer["error"] = why.into(),
        None => {}
    }
    json_answer(status, &answer)
}

fn json_answer(status: StatusCode, value: &serde_json::Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Refuses a request: as JSON, or by the page with the reason.
fn refuse(is_json: bool, status: StatusCode, why: &str) -> Response {
    if is_json {
        return json_answer(
            status,
            &json!({"ok": false, "error": why, "invalid_code": status == StatusCode::UNAUTHORIZED, "try_again": status == StatusCode::SERVICE_UNAVAILABLE}),
        );
    }
    redirect(&format!("/?why={}", percent_encoded(why)))
}

/// Redirects a form to the page.
fn redirect(address: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_networks_of_hall() {
        for (address, expected) in [
            ("127.0.0.1", true),
            ("192.168.1.9", true),
            ("10.0.0.7", true),
            ("169.254.1.1", true),
            ("::ffff:172.16.3.4", true),
            ("fd00::1", true),
            ("fe80::1", true),
            ("8.8.8.8", false),
            ("2001:4860::1", false),
        ] {
            assert_eq!(is_private(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn spelling_of_code_does_not_matter() {
        assert_eq!(key("K7MPQ 3x9ad-w2rgb"), key("k7mpq-3x9ad-w2rgb"));
        assert_ne!(key("k7mpq-3x9ad-w2rgb"), key("k7mpq-3x9ad-w2rgc"));
        let mut headers = HeaderMap::new();
        let cookies = format!("{COOKIE_PREFIX}{}=abc-1; {COOKIE_PREFIX}000000=other; x=1", key("abc-1"));
        headers.insert(header::COOKIE, cookies.parse().unwrap());
        assert_eq!(tables(&headers), [(key("abc-1"), "abc-1".to_owned())]);
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        assert!(seconds("1:20").unwrap_err().ends_with("write 1:20:00 or 0:01:20"));
        for (text, expected) in [("", None), (" 1:20:11 ", Some(4811)), ("20:11", Some(1211)), ("90", Some(90))] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for wrong in ["1:60", "1:2:3:4", "x", "-5", "1:99:00", "999999999999"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
