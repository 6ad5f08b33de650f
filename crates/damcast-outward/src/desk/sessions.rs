//! Sessions of users. A session has a token, the cookie, and a secret that only the page has. Cookies ignore ports, so another server on
//! this machine receives the cookie, but never the secret. The desk stores only hashes of both.

use std::io;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use damcast_control::DeskUser;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::hex::hex;

/// Lifetime of a session.
pub const SESSION_LIFETIME: Duration = Duration::from_secs(12 * 3600);
/// Largest number of sessions; a further login ends the oldest.
const MAX_SESSIONS: usize = 64;

type Hash = [u8; 32];

/// Session of a user.
struct Session {
    id: u64,
    token: Hash,
    secret: Hash,
    user: DeskUser,
    address: IpAddr,
    since: i64,
    expires_at: Instant,
    last_seen: Instant,
    pages: usize,
}

/// Session as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct SessionView {
    /// Number of the session.
    pub id: u64,
    /// User of the session.
    #[serde(flatten)]
    pub person: DeskUser,
    /// Address of the browser.
    pub address: IpAddr,
    /// Time of the login, in ms since 1970.
    pub since: i64,
    /// Seconds since the last request.
    pub seen_s: u64,
    /// Seconds until the session ends.
    pub left_s: u64,
    /// Number of open pages.
    pub pages: usize,
}

/// Keys of a session, for the browser.
pub struct SessionKeys {
    /// Token for the cookie.
    pub token: String,
    /// Secret for the page.
    pub secret: String,
}

/// All sessions.
#[derive(Default)]
pub struct Sessions {
    all: Mutex<(u64, Vec<Session>)>,
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text).into()
}

/// Returns the suffix of the cookie's name. Logins of one browser coexist: the secret of a page selects its cookie.
pub fn cookie_suffix(secret: &str) -> String {
    hex(hash(secret).get(..8).unwrap_or_default())
}

/// Returns 256 random bits as hexadecimal digits.
fn random() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(hex(&bytes))
}

impl Sessions {
    fn with<T>(&self, now: Instant, work: impl FnOnce(&mut u64, &mut Vec<Session>) -> T) -> T {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, sessions) = &mut *all;
        sessions.retain(|session| session.expires_at > now);
        work(last, sessions)
    }

    /// Creates a session.
    ///
    /// # Errors
    ///
    /// Returns an error if the system gives no random numbers.
    pub fn log_in(&self, person: DeskUser, address: IpAddr, since: i64, now: Instant) -> io::Result<SessionKeys> {
        let keys = SessionKeys { token: random()?, secret: random()? };
        self.with(now, |last, sessions| {
            *last += 1;
            if sessions.len() >= MAX_SESSIONS {
                sessions.remove(0);
            }
            let (token, secret) = (hash(&keys.token), hash(&keys.secret));
            sessions.push(Session {
                id: *last,
                token,
                secret,
                user: person,
                address,
                since,
                expires_at: now + SESSION_LIFETIME,
                last_seen: now,
                pages: 0,
            });
        });
        Ok(keys)
    }

    /// Returns the session of a secret and one of the tokens. Other servers of this machine can set cookies of the same name.
    pub fn find<'t>(
        &self,
        tokens: impl Iterator<Item = &'t str>,
        secret: &str,
        now: Instant,
    ) -> Option<(u64, DeskUser)> {
        // The time of a comparison of hashes reveals nothing about the keys.
        let (tokens, secret): (Vec<Hash>, Hash) = (tokens.map(hash).collect(), hash(secret));
        self.with(now, |_, sessions| {
            let session =
                sessions.iter_mut().find(|session| session.secret == secret && tokens.contains(&session.token))?;
            session.last_seen = now;
            Some((session.id, session.user.clone()))
        })
    }

    /// Returns the number of the session of a token.
    pub fn id_by_token(&self, token: &str, now: Instant) -> Option<u64> {
        let token = hash(token);
        self.with(now, |_, sessions| sessions.iter().find(|session| session.token == token).map(|session| session.id))
    }

    /// Whether a session is valid.
    pub fn is_valid(&self, id: u64, now: Instant) -> bool {
        self.with(now, |_, sessions| sessions.iter().any(|session| session.id == id))
    }

    /// Counts a page of a session as open or closed.
    pub fn count_page(&self, id: u64, opens: bool, now: Instant) {
        self.with(now, |_, sessions| {
            if let Some(session) = sessions.iter_mut().find(|session| session.id == id) {
                session.pages = if opens { session.pages + 1 } else { session.pages.saturating_sub(1) };
                session.last_seen = now;
            }
        });
    }

    /// Ends a session; `false` if there is none.
    pub fn log_out(&self, id: u64, now: Instant) -> bool {
        self.with(now, |_, sessions| {
            let before = sessions.len();
            sessions.retain(|session| session.id != id);
            sessions.len() < before
        })
    }

    /// Returns all valid sessions.
    pub fn all(&self, now: Instant) -> Vec<SessionView> {
        self.with(now, |_, sessions| {
            let view = |session: &Session| SessionView {
                id: session.id,
                person: session.user.clone(),
                address: session.address,
                since: session.since,
                seen_s: now.saturating_duration_since(session.last_seen).as_secs(),
                left_s: session.expires_at.saturating_duration_since(now).as_secs(),
                pages: session.pages,
            };
            sessions.iter().map(view).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use damcast_control::Role;

    #[test]
    fn cookie_and_secret_are_valid_for_12_hours() {
        let (sessions, start) = (Sessions::default(), Instant::now());
        let begin = |name: &str, now| {
            let person = DeskUser { name: name.into(), role: Role::Operator };
            sessions.log_in(person, [127, 0, 0, 1].into(), 0, now).unwrap()
        };
        let (one, two) = (begin("One", start), begin("Two", start));
        let find = |token: &str, secret: &str, now| {
            sessions.find(["planted", token].into_iter(), secret, now).map(|(_, person)| person.name)
        };
        assert_eq!(find(&one.token, &one.secret, start).as_deref(), Some("One"));
        for (token, secret) in
            [(&*one.token, ""), ("", &*one.secret), (&one.token, &two.secret), (&one.token, &one.token)]
        {
            assert_eq!(find(token, secret, start), None);
        }
        assert_eq!(find(&one.token, &one.secret, start + SESSION_LIFETIME), None, "twelve hours");
        assert!(sessions.all(start + SESSION_LIFETIME).is_empty());
        let again = begin("Three", start);
        let (id, _) = sessions.find([&*again.token].into_iter(), &again.secret, start).unwrap();
        assert!(sessions.log_out(id, start) && !sessions.log_out(id, start) && !sessions.is_valid(id, start));
        assert_eq!(find(&again.token, &again.secret, start), None);
        for number in 0..100 {
            begin(&number.to_string(), start);
        }
        assert_eq!(sessions.all(start).len(), MAX_SESSIONS);
    }
}
