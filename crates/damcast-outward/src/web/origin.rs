//! Where a request comes from. Forwarding headers are believed here alone, for all servers, and only from trusted proxies.

use std::net::IpAddr;

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};

use super::listener::PeerAddress;

/// Origin of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestOrigin {
    /// Address of the browser, as a trusted proxy reports it.
    pub address: IpAddr,
    /// Whether the browser's connection is encrypted, as a trusted proxy reports it.
    pub is_encrypted: bool,
    /// Whether a proxy, trusted or not, says that it forwards the request.
    pub is_forwarded: bool,
}

impl RequestOrigin {
    /// Returns the origin of a request.
    pub fn of(headers: &HeaderMap, PeerAddress(peer): PeerAddress, trusted_proxies: &[IpAddr]) -> RequestOrigin {
        let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let forwarded: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
        let protocol = HeaderName::from_static("x-forwarded-proto");
        let is_forwarded = !forwarded.is_empty() || headers.contains_key(&protocol);
        if !trusted_proxies.contains(&peer) {
            return RequestOrigin { address: peer, is_encrypted: false, is_forwarded };
        }
        // The last address that is no trusted proxy is the browser's.
        let addresses = forwarded.iter().rev().map(|word| word.parse::<IpAddr>().ok().map(|one| one.to_canonical()));
        let address = addresses.take_while(Option::is_some).flatten().find(|one| !trusted_proxies.contains(one));
        let scheme = single_value(headers, &protocol);
        RequestOrigin { address: address.unwrap_or(peer), is_encrypted: scheme == Some("https"), is_forwarded }
    }
}

/// Adds the headers with which a page of operators or players protects itself: nothing is stored, framed, guessed or sent elsewhere.
/// `policy`: its content security policy.
pub fn protect(headers: &mut HeaderMap, policy: &'static str) {
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Returns the value of a header that occurs exactly once.
pub fn single_value<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}
