//! Routes of the desk.
//!
//! | address | needs | answers |
//! |---|---|---|
//! | `GET /` | | the page; `?lang=` chooses its language, `?code=` fills the form |
//! | `POST /api/login` | a code, or a name and a password | the cookie, and the secret of the page |
//! | `POST /api/logout`, `/api/revoke` | a session | a session ends |
//! | `GET /api/sessions` | a session | users who are logged in |
//! | `GET /api/states` | a session | [`super::state_stream`] |
//! | `POST /api/request` | a session | the station's reply, as on the control socket (`docs/socket.md`) |
//! | `GET /api/tournament`, `/api/log` | a session | the tournament; the log of requests |
//! | `POST /api/pair` | a session | the next round by the pairing program, as a request to be confirmed |
//! | `POST /api/paper` | a session | sheets for the printer |
//! | `GET /api/viewers` | a session | [`super::viewers`] |
//! | `GET /api/board/{name}` | a session | [`super::diagrams`] |

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use damcast_control::logins::describe_wait;
use damcast_control::{ClientRequest, DeskUser, Reply, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::access::{CONTENT_SECURITY_POLICY, SECRET_HEADER};
use super::login_queue::LoginPlace;
use super::sessions::{SESSION_LIFETIME, SessionKeys, Sessions, cookie_suffix};
use super::site::DeskSite;
use super::{diagrams, pairing, paper as sheets, state_stream, viewers};
use crate::web::Language;
use crate::web::assets::Asset;
use crate::web::live::now;
use crate::web::origin::{RequestOrigin, protect, single_value};
use crate::web::pages::code;
use crate::web::routes::accepts_gzip;

/// Prefix of a cookie's name. The port of the desk follows, because cookies ignore ports, then the suffix of the session.
const COOKIE_PREFIX: &str = "damcast-desk-";
/// Largest number of sessions per browser; a further login ends the oldest.
const MAX_LOGINS_PER_BROWSER: usize = 8;
/// Largest number of cookies of other desks: browsers and servers limit headers.
const MAX_FOREIGN_COOKIES: usize = 32;
/// Longest body of a request, in bytes.
const MAX_REQUEST_LEN: usize = 64 << 10;
/// Longest body of a request that imports a file, in bytes.
const MAX_IMPORT_LEN: usize = 11 << 20;
/// Pause after a wrong code, in which no other code is tried: it bounds guesses from all addresses together.
const WRONG_CODE_DELAY: Duration = Duration::from_millis(500);
/// Longest time for a body to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

type SharedSite = State<Arc<DeskSite>>;

/// Returns the routes.
pub fn router(desk: Arc<DeskSite>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/assets/{name}", get(asset))
        .route("/api/login", post(login))
        .route("/api/logout", post(logout))
        .route("/api/revoke", post(revoke))
        .route("/api/sessions", get(sessions))
        .route("/api/states", get(stream))
        .route("/api/request", post(request))
        .route("/api/tournament", get(tournament))
        .route("/api/log", get(log))
        .route("/api/viewers", get(viewers_address))
        .route("/api/entry-code", post(entry_code))
        .route("/api/pair", post(pair))
        .route("/api/paper", post(paper))
        .route("/api/board/{name}", get(board))
        .fallback(|| async { error_response(StatusCode::NOT_FOUND, "there is nothing at this address") })
        .method_not_allowed_fallback(|| async {
            error_response(StatusCode::METHOD_NOT_ALLOWED, "this is asked in another way")
        })
        .layer(middleware::from_fn_with_state(desk.clone(), guard))
        .with_state(desk)
}

/// Middleware of all routes: checks access, and adds the common headers to the answer.
async fn guard(State(desk): SharedSite, mut request: Request, next: Next) -> Response {
    let mut answer = match desk.access_policy.check_request(&request) {
        Ok(origin) => {
            request.extensions_mut().insert(origin);
            next.run(request).await
        }
        Err((status, message)) => {
            let mut answer = error_response(status, message);
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            answer
        }
    };
    let headers = answer.headers_mut();
    protect(headers, CONTENT_SECURITY_POLICY);
    let opener = HeaderName::from_static("cross-origin-opener-policy");
    headers.insert(opener, HeaderValue::from_static("same-origin"));
    answer
}

fn object(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn error_response(status: StatusCode, why: &str) -> Response {
    object(status, &json!({"ok": false, "error": why}))
}

/// User of a request, with a valid session.
struct LoggedInUser {
    session: u64,
    user: DeskUser,
}

impl axum::extract::FromRequestParts<Arc<DeskSite>> for LoggedInUser {
    type Rejection = Response;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        desk: &Arc<DeskSite>,
    ) -> Result<LoggedInUser, Response> {
        let secret = single_value(&parts.headers, &SECRET_HEADER).unwrap_or_default();
        let found = desk.sessions.find(tokens(&parts.headers, secret), secret, Instant::now());
        match found {
            Some((session, person)) => Ok(LoggedInUser { session, user: person }),
            None => Err(error_response(StatusCode::UNAUTHORIZED, "log in first; a login lasts twelve hours")),
        }
    }
}

/// Returns names and values of all cookies of desks.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let fields = headers.get_all(header::COOKIE).iter().filter_map(|field| field.to_str().ok());
    let cookies = fields.flat_map(|field| field.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    let is_plain = |name: &str| name.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
    cookies.filter(move |(name, _)| name.starts_with(COOKIE_PREFIX) && is_plain(name))
}

/// Returns the values of the cookies that belong to the secret.
fn tokens<'h>(headers: &'h HeaderMap, secret: &str) -> impl Iterator<Item = &'h str> {
    let mark = cookie_suffix(secret);
    cookies(headers).filter(move |(name, _)| name.ends_with(&mark)).map(|(_, value)| value)
}

/// Returns the `Set-Cookie` headers of a login: the new cookie, and deletions of expired and surplus ones. Ends surplus sessions.
fn session_cookies(
    headers: &HeaderMap,
    sessions: &Sessions,
    keys: &SessionKeys,
    is_encrypted: bool,
    now: Instant,
) -> Vec<String> {
    let host = single_value(headers, &header::HOST).and_then(|host| host.parse::<Authority>().ok());
    let prefix = format!("{COOKIE_PREFIX}{}-", host.and_then(|host| host.port_u16()).unwrap_or_default());
    let secure = if is_encrypted { "; Secure" } else { "" };
    let cookie = |name: &str, value: &str, age| {
        format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}")
    };
    // Browsers send the oldest cookie first.
    let (own, others): (Vec<_>, Vec<_>) = cookies(headers).partition(|(name, _)| name.starts_with(&prefix));
    let mut lasting: Vec<_> = own.iter().map(|(name, token)| (*name, sessions.id_by_token(token, now))).collect();
    let mut gone: Vec<&str> = lasting.extract_if(.., |(_, id)| id.is_none()).map(|(name, _)| name).collect();
    let too_many = lasting.len().saturating_sub(MAX_LOGINS_PER_BROWSER - 1);
    for (name, id) in lasting.into_iter().take(too_many) {
        if let Some(id) = id {
            sessions.log_out(id, now);
        }
        gone.push(name);
    }
    gone.extend(others.iter().take(others.len().saturating_sub(MAX_FOREIGN_COOKIES)).map(|(name, _)| name));
    let new = cookie(&format!("{prefix}{}", cookie_suffix(&keys.secret)), &keys.token, SESSION_LIFETIME.as_secs());
    std::iter::once(new).chain(gone.into_iter().map(|name| cookie(name, "", 0))).collect()
}

/// Parses the JSON body of a request.
async fn body<T: for<'de> Deserialize<'de>>(request: Request, longest: usize) -> Result<T, Response> {
    let read = tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(request.into_body(), longest)).await;
    let bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            return Err(error_response(StatusCode::PAYLOAD_TOO_LARGE, "this request is too long, or was broken off"));
        }
        Err(_) => return Err(error_response(StatusCode::REQUEST_TIMEOUT, "the request did not come")),
    };
    serde_json::from_slice(&bytes)
        .map_err(|error| error_response(StatusCode::BAD_REQUEST, &format!("this is no request: {error}")))
}

#[derive(Deserialize, Default)]
struct HomeQuery {
    lang: Option<String>,
}

async fn home(State(desk): SharedSite, uri: Uri, headers: HeaderMap) -> Response {
    // Ignore an invalid query.
    let query = Query::<HomeQuery>::try_from_uri(&uri).map(|Query(query)| query).unwrap_or_default();
    let language = Language::negotiate(query.lang.as_deref(), &headers);
    let Some(text) = desk.page.text(language) else { return error_response(StatusCode::NOT_FOUND, "there is no page") };
    let mut answer = content(&headers, text);
    answer.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding, accept-language"));
    answer
}

/// Returns an answer, compressed if the browser accepts gzip.
fn content(asked: &HeaderMap, content: &Asset) -> Response {
    let headers = [(header::CONTENT_TYPE, content.kind), (header::VARY, "accept-encoding")];
    match accepts_gzip(asked) {
        true => (headers, [(header::CONTENT_ENCODING, "gzip")], content.compressed.clone()).into_response(),
        false => (headers, content.bytes.clone()).into_response(),
    }
}

async fn asset(State(desk): SharedSite, uri: Uri, headers: HeaderMap) -> Response {
    let Some(asset) = desk.page.assets.iter().find(|asset| asset.path == uri.path()) else {
        return error_response(StatusCode::NOT_FOUND, "there is no such file; load the page again");
    };
    let mut answer = content(&headers, asset);
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    answer.headers_mut().insert(header::CACHE_CONTROL, forever);
    answer
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    code: Option<String>,
    name: Option<String>,
    password: Option<String>,
}

async fn login(State(desk): SharedSite, request: Request) -> Response {
    let Some(origin) = request.extensions().get::<RequestOrigin>().copied() else {
        return error_response(StatusCode::FORBIDDEN, "it is not known where this comes from");
    };
    let headers = request.headers().clone();
    let credentials = match body::<Credentials>(request, MAX_REQUEST_LEN).await {
        Ok(credentials) => credentials,
        Err(answer) => return answer,
    };
    if credentials.password.is_some() && origin.is_forwarded && !origin.is_encrypted {
        let message = "a password is not sent without https; the operator sets up TLS at the proxy, and its address in `trusted-proxies`";
        return error_response(StatusCode::FORBIDDEN, message);
    }
    // A browser that goes away ends no check: who guesses would not be counted.
    let person = match tokio::spawn(check_login(desk.clone(), credentials, origin.address)).await {
        Ok(Ok(person)) => person,
        Ok(Err((status, why))) => return error_response(status, &why),
        Err(_) => return error_response(StatusCode::INTERNAL_SERVER_ERROR, "the desk failed; try again"),
    };
    let keys = match desk.sessions.log_in(person.clone(), origin.address, now(), Instant::now()) {
        Ok(keys) => keys,
        Err(error) => {
            return error_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("the system gives no random numbers: {error}"),
            );
        }
    };
    let mut answer =
        object(StatusCode::OK, &json!({"ok": true, "secret": keys.secret, "name": person.name, "role": person.role}));
    for cookie in session_cookies(&headers, &desk.sessions, &keys, origin.is_encrypted, Instant::now()) {
        answer.headers_mut().extend(HeaderValue::from_str(&cookie).ok().map(|cookie| (header::SET_COOKIE, cookie)));
    }
    answer
}

/// Reason why a login is refused.
type LoginRefusal = (StatusCode, String);

fn refused(why: impl Into<String>) -> LoginRefusal {
    (StatusCode::FORBIDDEN, why.into())
}

fn busy() -> LoginRefusal {
    let message = "too many people log in at this moment; try again in some seconds";
    (StatusCode::SERVICE_UNAVAILABLE, message.to_owned())
}

/// Returns the user of a login.
async fn check_login(desk: Arc<DeskSite>, credentials: Credentials, address: IpAddr) -> Result<DeskUser, LoginRefusal> {
    if let Some(wait) = desk.login_attempts().remaining_lockout(address, Instant::now()) {
        return Err(refused(describe_wait(wait)));
    }
    let place = desk.login_queue.enter(address, Instant::now()).ok_or_else(busy)?;
    match credentials {
        Credentials { code: Some(code), .. } => by_code(&desk, &code, address, &place).await,
        Credentials { name: Some(name), password: Some(password), .. } => {
            by_password(&desk, name, password, address, &place).await
        }
        _ => Err(refused("a login needs a code, or a name and a password")),
    }
}

/// Waits for the turn of a login, unless another login takes its place.
async fn wait_for_turn<T>(place: &LoginPlace<'_>, turn: impl Future<Output = T>) -> Result<T, LoginRefusal> {
    tokio::select! {
        () = place.displaced() => Err(busy()),
        turn = turn => if place.begin() { Ok(turn) } else { Err(busy()) },
    }
}

/// Logs in with a code of the station. The station counts wrong codes; the desk counts them too, and asks nothing for who must wait.
async fn by_code(
    desk: &DeskSite,
    code: &str,
    address: IpAddr,
    place: &LoginPlace<'_>,
) -> Result<DeskUser, LoginRefusal> {
    let code = code.chars().filter(|character| !character.is_whitespace()).collect();
    let _turn = wait_for_turn(place, desk.code_turn.lock()).await?;
    let reply = desk.station.request(None, ClientRequest::Redeem { code, address }).await;
    let is_answered = desk.station.state().borrow().error.is_none();
    if reply.person.is_none() && is_answered {
        desk.login_attempts().record_failure(address, Instant::now());
        tokio::time::sleep(WRONG_CODE_DELAY).await;
    }
    if reply.person.is_some() {
        desk.login_attempts().record_success(address);
    }
    reply.person.ok_or_else(|| refused(reply.error.unwrap_or_default()))
}

async fn by_password(
    desk: &Arc<DeskSite>,
    name: String,
    password: String,
    address: IpAddr,
    place: &LoginPlace<'_>,
) -> Result<DeskUser, LoginRefusal> {
    let Some(file) = desk.password_file.clone() else {
        return Err(refused("here people log in with a code: `damcast ctl login` makes one"));
    };
    let mut checker = wait_for_turn(place, desk.password_checker.clone().lock_owned()).await?;
    let found = tokio::task::spawn_blocking(move || checker.authenticate(&file, &name, &password)).await;
    match found {
        Ok(Ok(Some(person))) => {
            desk.login_attempts().record_success(address);
            tracing::info!("{person} has logged in by password from {}", address);
            Ok(person)
        }
        Ok(Ok(None)) => {
            desk.login_attempts().record_failure(address, Instant::now());
            tracing::warn!("a login by password from {} failed", address);
            Err(refused("the name or the password is wrong"))
        }
        Ok(Err(why)) => {
            tracing::error!("{why}");
            Err(refused("the file of passwords cannot be read; the messages of the desk say why"))
        }
        Err(_) => Err(refused("the desk failed; try again")),
    }
}

async fn logout(State(desk): SharedSite, member: LoggedInUser) -> Response {
    desk.sessions.log_out(member.session, Instant::now());
    object(StatusCode::OK, &json!({"ok": true}))
}

#[derive(Deserialize)]
struct Revoked {
    id: u64,
}

async fn revoke(State(desk): SharedSite, member: LoggedInUser, request: Request) -> Response {
    let revoked = match body::<Revoked>(request, MAX_REQUEST_LEN).await {
        Ok(revoked) => revoked.id,
        Err(answer) => return answer,
    };
    if member.user.role != Role::Operator && revoked != member.session {
        return error_response(StatusCode::FORBIDDEN, "an operator ends the sessions of others");
    }
    tracing::info!("{} ends session {revoked}", member.user);
    match desk.sessions.log_out(revoked, Instant::now()) {
        true => object(StatusCode::OK, &json!({"ok": true})),
        false => error_response(StatusCode::NOT_FOUND, "this session has ended already"),
    }
}

async fn sessions(State(desk): SharedSite, member: LoggedInUser) -> Response {
    let all = desk.sessions.all(Instant::now());
    object(
        StatusCode::OK,
        &json!({"ok": true, "own": member.session, "name": member.user.name, "role": member.user.role, "sessions": all}),
    )
}

async fn stream(State(desk): SharedSite, member: LoggedInUser) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "application/x-ndjson"), (HeaderName::from_static("x-accel-buffering"), "no")];
    (headers, Body::new(state_stream::lines(desk, member.session))).into_response()
}

/// Passes a request of the page to the station.
async fn request(State(desk): SharedSite, member: LoggedInUser, request: Request) -> Response {
    // One long body at a time, of who may import: the budget is taken before the body is read.
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let is_long = length.is_none_or(|length: usize| length > MAX_REQUEST_LEN);
    let _turn = match is_long {
        false => None,
        true if member.user.role != Role::Operator => {
            return error_response(StatusCode::PAYLOAD_TOO_LARGE, "an arbiter imports no files; ask an operator");
        }
        true => match tokio::time::timeout(BODY_TIMEOUT, desk.import_turn.lock()).await {
            Ok(turn) => Some(turn),
            Err(_) => {
                let message = "another file is being imported; try again when it is done";
                return error_response(StatusCode::SERVICE_UNAVAILABLE, message);
            }
        },
    };
    let request = match body::<ClientRequest>(request, if is_long { MAX_IMPORT_LEN } else { MAX_REQUEST_LEN }).await {
        Ok(request) => request,
        Err(answer) => return answer,
    };
    let is_known = matches!(
        request,
        ClientRequest::Request { .. }
            | ClientRequest::Tournament { .. }
            | ClientRequest::Reload { .. }
            | ClientRequest::AlarmTest { .. }
            | ClientRequest::LogLevel { .. }
            | ClientRequest::Login { .. }
            | ClientRequest::ShowSetup {}
            | ClientRequest::SetUp { .. }
            | ClientRequest::OfferMoves { .. }
    );
    if !is_known {
        return error_response(StatusCode::BAD_REQUEST, "this is not asked here");
    }
    if !request.is_allowed_for(member.user.role) {
        return error_response(StatusCode::FORBIDDEN, "an arbiter gives results, names and rounds; ask an operator");
    }
    let is_query = request.is_query();
    let reply = desk.station.request(Some(member.user), request).await;
    if !is_query {
        // The request may have changed these.
        desk.tournament.clear().await;
        desk.audit_log.clear().await;
    }
    reply_response(&reply)
}

fn reply_response(reply: &Reply) -> Response {
    object(if reply.outcome_unknown { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }, reply)
}

async fn tournament(State(desk): SharedSite, _: LoggedInUser) -> Response {
    let reply = desk.tournament.answer(&desk.station, ClientRequest::ShowTournament {}).await;
    let Some(shown) = &reply.tournament else { return reply_response(&reply) };
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let (tournament, standings) = (parsed(&shown.tournament), parsed(&shown.standings));
    let answer = json!({"ok": true, "version": shown.version, "tournament": tournament, "standings": standings, "rounds": shown.rounds, "history": shown.history, "free_games": shown.free_games, "featured": shown.featured});
    object(StatusCode::OK, &answer)
}

async fn log(State(desk): SharedSite, _: LoggedInUser) -> Response {
    reply_response(&*desk.audit_log.answer(&desk.station, ClientRequest::AuditLog {}).await)
}

async fn viewers_address(State(desk): SharedSite, _: LoggedInUser) -> Response {
    object(StatusCode::OK, &viewers::viewer_address(desk.viewers.as_deref(), desk.state_files.viewers.as_deref()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryCodeForm {
    board: String,
}

/// Makes a code for a table without an electronic board: `code`, and if the address of its page is known `address` with the code, and
/// `svg`, the QR code of that.
async fn entry_code(State(desk): SharedSite, member: LoggedInUser, request: Request) -> Response {
    let EntryCodeForm { board } = match body(request, MAX_REQUEST_LEN).await {
        Ok(form) => form,
        Err(answer) => return answer,
    };
    let wanted = ClientRequest::EntryCode { board: board.clone(), round: None };
    if !wanted.is_allowed_for(member.user.role) {
        return error_response(StatusCode::FORBIDDEN, "an arbiter gives results, names and rounds; ask an operator");
    }
    let reply = desk.station.request(Some(member.user), wanted).await;
    desk.audit_log.clear().await;
    let Some(secret) = &reply.code else { return reply_response(&reply) };
    let address = desk.entry.as_ref().map(|page| format!("{}/#{secret}", page.trim_end_matches('/')));
    let svg = address.as_deref().and_then(code).map(|(_, svg)| svg.into_string());
    object(StatusCode::OK, &json!({"ok": true, "board": board, "code": secret, "address": address, "svg": svg}))
}

async fn pair(State(desk): SharedSite, member: LoggedInUser, request: Request) -> Response {
    match body(request, MAX_REQUEST_LEN).await {
        Ok(form) => answer(pairing::pair(&desk, member.user, form).await),
        Err(answer) => answer,
    }
}

async fn paper(State(desk): SharedSite, _: LoggedInUser, request: Request) -> Response {
    match body(request, MAX_REQUEST_LEN).await {
        Ok(form) => answer(sheets::paper(&desk, form).await),
        Err(answer) => answer,
    }
}

/// Returns an answer, or the reason why there is none.
fn answer(outcome: Result<Value, (StatusCode, String)>) -> Response {
    match outcome {
        Ok(value) => object(StatusCode::OK, &value),
        Err((status, why)) => error_response(status, &why),
    }
}

async fn board(State(desk): SharedSite, _: LoggedInUser, Path(name): Path<String>) -> Response {
    let station_state = desk.station.state().borrow().clone();
    let board = station_state.state.as_ref().and_then(|state| state.boards.iter().find(|board| board.name == name));
    match board.map(diagrams::position_json) {
        Some(Ok(picture)) => object(StatusCode::OK, &picture),
        Some(Err(why)) => error_response(StatusCode::NOT_FOUND, &why),
        None => error_response(StatusCode::NOT_FOUND, "there is no such board"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cookie jar as browsers have it, without ports.
    #[derive(Default)]
    struct CookieJar(Vec<(String, String)>);

    impl CookieJar {
        fn headers(&self, port: u16) -> HeaderMap {
            let text: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let host = format!("127.0.0.1:{port}");
            [(header::HOST, host), (header::COOKIE, text.join("; "))]
                .map(|(name, value)| (name, HeaderValue::from_str(&value).unwrap()))
                .into_iter()
                .collect()
        }

        fn log_in(&mut self, desk: &Sessions, port: u16) -> SessionKeys {
            let person = DeskUser { name: "M. Bosma".into(), role: Role::Operator };
            let keys = desk.log_in(person, [127, 0, 0, 1].into(), 0, Instant::now()).unwrap();
            for cookie in session_cookies(&self.headers(port), desk, &keys, false, Instant::now()) {
                let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
                self.0.retain(|(other, _)| other != name);
                if !cookie.contains("Max-Age=0;") {
                    self.0.push((name.to_owned(), value.to_owned()));
                }
            }
            keys
        }

        fn is_logged_in(&self, desk: &Sessions, port: u16, keys: &SessionKeys) -> bool {
            let headers = self.headers(port);
            desk.find(tokens(&headers, &keys.secret), &keys.secret, Instant::now()).is_some()
        }
    }

    #[test]
    fn logins_of_one_browser_coexist() {
        let (mut cookies, here, there) = (CookieJar::default(), Sessions::default(), Sessions::default());
        let other_desk = cookies.log_in(&there, 8082);
        let tabs: Vec<SessionKeys> = (0..MAX_LOGINS_PER_BROWSER).map(|_| cookies.log_in(&here, 8081)).collect();
        assert!(
            tabs.iter().all(|keys| cookies.is_logged_in(&here, 8081, keys))
                && cookies.is_logged_in(&there, 8082, &other_desk)
        );
        assert_eq!(cookies.0.len(), MAX_LOGINS_PER_BROWSER + 1);
        // One login too many ends the oldest session; cookies of ended sessions do not count.
        let last = cookies.log_in(&here, 8081);
        assert!(
            !cookies.is_logged_in(&here, 8081, &tabs[0]) && here.all(Instant::now()).len() == MAX_LOGINS_PER_BROWSER
        );
        assert!(tabs[1..].iter().chain([&last]).all(|keys| cookies.is_logged_in(&here, 8081, keys)));
        let ended = here.id_by_token(&tabs[3].token, Instant::now()).unwrap();
        assert!(here.log_out(ended, Instant::now()));
        cookies.log_in(&here, 8081);
        assert!(cookies.is_logged_in(&here, 8081, &tabs[1]) && cookies.0.len() == MAX_LOGINS_PER_BROWSER + 1);
        // A secret selects only its own cookie, even beside a planted one.
        assert!(here.find(tokens(&cookies.headers(8081), ""), &tabs[1].secret, Instant::now()).is_none());
        cookies.0.insert(0, (format!("{COOKIE_PREFIX}8081-{}", cookie_suffix(&tabs[1].secret)), "planted".to_owned()));
        assert!(cookies.is_logged_in(&here, 8081, &tabs[1]));
        // Cookies of closed desks do not fill the headers of requests.
        (1..100).for_each(|port| drop(cookies.log_in(&Sessions::default(), port)));
        cookies.log_in(&here, 8081);
        assert!(cookies.0.len() <= MAX_LOGINS_PER_BROWSER + MAX_FOREIGN_COOKIES + 1, "{}", cookies.0.len());
    }
}
