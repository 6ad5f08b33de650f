//! Address of the viewers' pages, from the configuration or from the pages themselves, with a QR code for phones. Addresses that phones
//! cannot reach get no code.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;

use axum::http::Uri;
use serde_json::{Value, json};

use crate::state_file::{PagesState, read_state};
use crate::web::hosts;
use crate::web::pages::code;

/// Light border of a QR code on a terminal, in modules.
const QUIET_ZONE: i32 = 2;

/// Address of the viewers' pages.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ViewerAddress {
    /// Address that other machines can probably reach.
    Network(String),
    /// Address that only this machine reaches.
    Local(String),
    /// Unknown address.
    Unknown,
}

/// Returns an object with `reach` (`hall`, `here`, `unknown`), `address`, and `svg`, the QR code.
pub fn viewer_address(configured: Option<&str>, file: Option<&Path>) -> Value {
    let state = file.and_then(read_state);
    let listens = match &state {
        Some(PagesState::Running(state)) => state["address"].as_str().and_then(|address| address.parse().ok()),
        _ => None,
    };
    match reach(configured, listens, own_address) {
        ViewerAddress::Network(address) => {
            let svg = code(&address).map(|(_, svg)| svg.into_string());
            json!({"ok": true, "reach": "hall", "address": address, "svg": svg})
        }
        ViewerAddress::Local(address) => json!({"ok": true, "reach": "here", "address": address}),
        ViewerAddress::Unknown => json!({"ok": true, "reach": "unknown"}),
    }
}

/// Determines the address. `listens`: address from the pages' state file; `own`: address of this machine in its network.
fn reach(configured: Option<&str>, listens: Option<SocketAddr>, own: impl FnOnce() -> Option<IpAddr>) -> ViewerAddress {
    let of = |address: SocketAddr| format!("http://{address}/");
    match (configured, listens) {
        (Some(address), _) if is_local_address(address) => ViewerAddress::Local(address.to_owned()),
        (Some(address), _) => ViewerAddress::Network(address.to_owned()),
        (None, Some(address)) if address.ip().is_loopback() => ViewerAddress::Local(of(address)),
        (None, Some(address)) if address.ip().is_unspecified() => {
            own().map_or(ViewerAddress::Unknown, |own| ViewerAddress::Network(of(SocketAddr::new(own, address.port()))))
        }
        (None, Some(address)) => ViewerAddress::Network(of(address)),
        (None, None) => ViewerAddress::Unknown,
    }
}

/// Whether only this machine reaches an address.
fn is_local_address(address: &str) -> bool {
    address.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(hosts::is_local_host))
}

/// Returns the QR code of an address for a terminal, black on white whatever the colours of the terminal; `None` if the address is too long.
pub fn terminal_code(address: &str) -> Option<String> {
    let code = qrcodegen::QrCode::encode_text(address, qrcodegen::QrCodeEcc::Low).ok()?;
    let range = -QUIET_ZONE..code.size() + QUIET_ZONE;
    let row = |y: i32| {
        let half = |x: i32| match (code.get_module(x, y), code.get_module(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        format!("\x1b[30;107m{}\x1b[0m", range.clone().map(half).collect::<String>())
    };
    let rows: Vec<String> = range.clone().step_by(2).map(row).collect();
    Some(rows.join("\n"))
}

/// Returns this machine's address in its network. Connecting a UDP socket chooses the route and sends nothing.
pub fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address reserved for examples (RFC 5737).
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|own| !own.is_loopback() && !own.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_qr_code_for_loopback_address() {
        let own = || Some("192.168.1.5".parse().unwrap());
        let at = |address: &str| Some(address.parse().unwrap());
        let hall = |address: &str| ViewerAddress::Network(address.to_owned());
        let here = |address: &str| ViewerAddress::Local(address.to_owned());
        for (configured, listens, expected) in [
            (None, at("0.0.0.0:8080"), hall("http://192.168.1.5:8080/")),
            (None, at("[::]:8080"), hall("http://192.168.1.5:8080/")),
            (None, at("10.1.2.3:80"), hall("http://10.1.2.3:80/")),
            (None, at("127.0.0.1:8080"), here("http://127.0.0.1:8080/")),
            (None, at("[::1]:8080"), here("http://[::1]:8080/")),
            (None, None, ViewerAddress::Unknown),
            (Some("https://live.example.org/"), at("127.0.0.1:8080"), hall("https://live.example.org/")),
            (Some("http://localhost:8080/"), None, here("http://localhost:8080/")),
            (Some("http://[::1]:8080/"), None, here("http://[::1]:8080/")),
            (Some("http://127.0.0.1.example.org/"), None, hall("http://127.0.0.1.example.org/")),
        ] {
            assert_eq!(reach(configured, listens, own), expected, "{configured:?} {listens:?}");
        }
        assert_eq!(reach(None, at("0.0.0.0:8080"), || None), ViewerAddress::Unknown, "a machine without a network");
        let shown_address = viewer_address(Some("https://live.example.org/"), None);
        assert!(shown_address["svg"].as_str().unwrap().starts_with("<svg "), "{shown_address}");
        assert!(super::viewer_address(Some("http://127.0.0.1:1/"), None)["svg"].is_null());
    }
}
