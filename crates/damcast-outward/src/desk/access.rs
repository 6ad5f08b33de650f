//! Access control before any route: a browser sends requests for any page, so requests that a foreign page could cause are refused
//! first. Host names are parsed and compared whole, never by prefix.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::{Method, StatusCode, Uri};

use crate::web::hosts::AllowedHosts;
use crate::web::listener::PeerAddress;
use crate::web::origin::{RequestOrigin, single_value};

/// Longest address of a request, in bytes.
const MAX_ADDRESS_LEN: usize = 1024;
/// Prefix of the routes for scripts.
const API_PREFIX: &str = "/api/";
/// Content security policy: resources of this server only, no inline script or style, no frames.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                          base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Header with the secret of the page.
pub const SECRET_HEADER: HeaderName = HeaderName::from_static("x-damcast-desk");

/// Access rules of the desk.
pub struct AccessPolicy {
    /// Host names of the desk.
    pub hosts: AllowedHosts,
    /// Trusted proxies.
    pub trusted_proxies: Vec<IpAddr>,
    /// Whether other machines may connect, by a proxy with TLS.
    pub is_public: bool,
}

type AccessDenied = (StatusCode, &'static str);

impl AccessPolicy {
    /// Returns the origin of a request.
    ///
    /// # Errors
    ///
    /// Returns status and text if the request is refused.
    pub fn check_request(&self, request: &Request) -> Result<RequestOrigin, AccessDenied> {
        let headers = request.headers();
        let host = single_value(headers, &header::HOST).filter(|host| self.hosts.allows(host));
        let is_whole = request.uri().authority().is_none_or(|authority| self.hosts.allows(authority.as_str()));
        let Some(host) = host.filter(|_| is_whole) else {
            let message = "the desk is not reached under this name; the operator adds names to `hosts` of [desk]";
            return Err((StatusCode::MISDIRECTED_REQUEST, message));
        };
        let origin = self.origin(request)?;
        if request.uri().path_and_query().is_some_and(|path| path.as_str().len() > MAX_ADDRESS_LEN) {
            return Err((StatusCode::URI_TOO_LONG, "this address is too long"));
        }
        if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD and POST are known here"));
        }
        let is_post = request.method() == Method::POST;
        let has_body = headers.contains_key(header::TRANSFER_ENCODING)
            || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
        if has_body && !is_post {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "who only reads sends no body"));
        }
        if !request.uri().path().starts_with(API_PREFIX) {
            return if is_post { Err((StatusCode::METHOD_NOT_ALLOWED, "this is only read")) } else { Ok(origin) };
        }
        let foreign = Err((StatusCode::FORBIDDEN, "another website sent this request; use the page itself"));
        match headers.get("sec-fetch-site") {
            Some(site) if site != "same-origin" => return foreign,
            _ => {}
        }
        let is_own = |origin: &str| {
            let origin = origin.parse::<Uri>().ok();
            let scheme =
                origin.as_ref().and_then(Uri::scheme_str).is_some_and(|scheme| matches!(scheme, "http" | "https"));
            let authority = origin.as_ref().and_then(Uri::authority);
            scheme && authority.is_some_and(|authority| authority.as_str().eq_ignore_ascii_case(host))
        };
        let is_told = headers.contains_key(header::ORIGIN);
        if (is_post || is_told) && !single_value(headers, &header::ORIGIN).is_some_and(is_own) {
            return foreign;
        }
        if is_post {
            let kind =
                single_value(headers, &header::CONTENT_TYPE).unwrap_or_default().split(';').next().unwrap_or_default();
            if !kind.trim().eq_ignore_ascii_case("application/json") {
                return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "a request is application/json"));
            }
        }
        Ok(origin)
    }

    fn origin(&self, request: &Request) -> Result<RequestOrigin, AccessDenied> {
        let peer = request.extensions().get::<PeerAddress>().copied();
        let Some(peer) = peer else { return Err((StatusCode::FORBIDDEN, "it is not known where this comes from")) };
        let origin = RequestOrigin::of(request.headers(), peer, &self.trusted_proxies);
        if self.is_public && !origin.is_encrypted && (!origin.address.is_loopback() || origin.is_forwarded) {
            return Err((StatusCode::FORBIDDEN, "the desk is reached by https, through the proxy in front of it"));
        }
        Ok(origin)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn door() -> AccessPolicy {
        AccessPolicy {
            hosts: AllowedHosts::new(Some("hall"), &["desk.example.org".to_owned()]),
            trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
            is_public: true,
        }
    }

    fn asked(peer: &str, headers: &[(&str, &str)]) -> Result<RequestOrigin, u16> {
        let mut request = Request::builder().uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.header("host", "desk.example.org").body(Body::empty()).unwrap();
        request.extensions_mut().insert(PeerAddress(peer.parse().unwrap()));
        door().check_request(&request).map_err(|(status, _)| status.as_u16())
    }

    #[test]
    fn open_desk_needs_proxy_with_tls_or_local_client() {
        let tls = [("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "https")];
        assert_eq!(asked("127.0.0.1", &tls).unwrap().address.to_string(), "203.0.113.7");
        for plain in [("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "http")] {
            assert_eq!(asked("127.0.0.1", &[plain]).unwrap_err(), 403);
        }
        assert_eq!(asked("192.168.1.9", &tls).unwrap_err(), 403, "nobody else is believed");
        assert_eq!(asked("192.168.1.9", &[("x-forwarded-for", "127.0.0.1")]).unwrap_err(), 403);
        assert!(asked("127.0.0.1", &[]).is_ok());
        let far = [("x-forwarded-for", "1.2.3.4, 203.0.113.9, 127.0.0.1"), ("x-forwarded-proto", "https")];
        assert_eq!(
            asked("127.0.0.1", &far).unwrap().address.to_string(),
            "203.0.113.9",
            "what the browser claims is not believed"
        );
    }
}
