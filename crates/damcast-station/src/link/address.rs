//! Port addresses of boards, as an operator writes them.
//!
//! | address | port |
//! |---|---|
//! | `serial:/dev/ttyACM0`, `/dev/pts/5`, `pty:/tmp/board` | serial port or pseudo-terminal, by its path |
//! | `usb:045b:8111`, `usb:04d8:000a:A9XYZ` | USB port with these ids, and this serial number if given |
//! | `tcp://10.0.0.7:4001` | network device that forwards the bytes of a serial port unchanged |
//! | `rfc2217://10.0.0.7:4001?baud=9600` | network device whose port is configured over the network |
//! | `any` | any USB port of a known maker of boards |
//! | `any:/dev/ttyUSB*,/dev/ttyACM*` | any port with such a path |
//!
//! `any`, and `usb` without a serial number, may match several ports; each opening of the port selects one again. Invariant: a formatted
//! address parses as itself.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Speed of all boards.
pub const DEFAULT_BAUD: u32 = 9_600;

/// Address of a board's port.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PortAddress {
    /// Serial port by path.
    Serial(PathBuf),
    /// USB port by the ids of its chip.
    Usb(UsbId),
    /// Network port that forwards the bytes of a serial port unchanged.
    Tcp(Host),
    /// Network port with the COM-PORT-OPTION of telnet (RFC 2217).
    Rfc2217 {
        /// Host and port.
        host: Host,
        /// Requested speed.
        baud: u32,
    },
    /// Any port whose path matches one of these patterns; without patterns any USB port of a maker of boards.
    Any(Vec<String>),
}

/// Ids of a USB chip.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UsbId {
    /// Vendor id.
    pub vendor: u16,
    /// Product id.
    pub product: u16,
    /// Serial number of the chip; `None` for any.
    pub serial: Option<String>,
}

/// Port of a network host.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Host {
    /// Name or address; an IPv6 address without brackets.
    pub name: String,
    /// Port, not 0.
    pub port: u16,
}

impl PortAddress {
    /// Whether both mean the same port in any notation: a network device serves a port either raw or by telnet, not both.
    pub fn is_same_port(&self, other: &PortAddress) -> bool {
        match (self.host(), other.host()) {
            (Some(host), Some(other)) => host.port == other.port && host.name.eq_ignore_ascii_case(&other.name),
            _ => self == other,
        }
    }

    fn host(&self) -> Option<&Host> {
        match self {
            PortAddress::Tcp(host) | PortAddress::Rfc2217 { host, .. } => Some(host),
            _ => None,
        }
    }

    /// Whether the address names exactly one port.
    pub fn is_one_port(&self) -> bool {
        !matches!(self, PortAddress::Any(_) | PortAddress::Usb(UsbId { serial: None, .. }))
    }
}

/// Reason why a text is not a port address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddressError {
    /// The text is empty.
    #[error("`port` is empty; expected {ADDRESS_FORMS}; `damcast ports` lists the ports")]
    Empty,
    /// The scheme is unknown.
    #[error("`{0}:` is no kind of port that this version knows; expected {ADDRESS_FORMS}")]
    Scheme(String),
    /// The part after the scheme is invalid.
    #[error("`{text}`: {problem}, as in {example}")]
    Form {
        /// Given address.
        text: String,
        /// Problem.
        problem: &'static str,
        /// Example of a valid address.
        example: &'static str,
    },
}

const ADDRESS_FORMS: &str = "serial:/dev/ttyACM0 or the path alone, usb:045b:8111, tcp://10.0.0.7:4001, \
                     rfc2217://10.0.0.7:4001?baud=9600, or any";

impl FromStr for PortAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<PortAddress, AddressError> {
        let text = text.trim();
        if text == "any" {
            return Ok(PortAddress::Any(Vec::new()));
        }
        // A path may contain a colon (by-path links do), but not before its first slash.
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if !scheme.contains('/') => (scheme, rest),
            _ => ("serial", text),
        };
        let wrong = |damage, example| AddressError::Form { text: text.to_owned(), problem: damage, example };
        match scheme {
            "serial" | "pty" if rest.trim().is_empty() => Err(AddressError::Empty),
            "serial" | "pty" => Ok(PortAddress::Serial(rest.into())),
            "usb" => usb(rest).ok_or_else(|| wrong("expected two ids of four hexadecimal digits", "usb:045b:8111")),
            "tcp" => host(rest)
                .map(PortAddress::Tcp)
                .ok_or_else(|| wrong("expected a host and a port", "tcp://10.0.0.7:4001")),
            "rfc2217" => rfc2217(rest).ok_or_else(|| {
                wrong("expected a host, a port and no more than a speed", "rfc2217://box:4001?baud=9600")
            }),
            "any" => patterns(rest).ok_or_else(|| {
                wrong("expected paths with `*` in their last part only", "any:/dev/ttyUSB*,/dev/ttyACM*")
            }),
            _ => Err(AddressError::Scheme(scheme.to_owned())),
        }
    }
}

fn usb(text: &str) -> Option<PortAddress> {
    let mut parts = text.splitn(3, ':');
    let mut id = || {
        let digits = parts.next()?;
        let is_id = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u16::from_str_radix(digits, 16).ok().filter(|_| is_id)
    };
    let (vendor, product) = (id()?, id()?);
    let serial = parts.next().map(str::to_owned);
    if serial.as_deref() == Some("") {
        return None;
    }
    Some(PortAddress::Usb(UsbId { vendor, product, serial }))
}

fn host(text: &str) -> Option<Host> {
    let (name, port) = text.strip_prefix("//")?.trim_end_matches('/').rsplit_once(':')?;
    let name = match name.strip_prefix('[') {
        Some(bracketed) => bracketed.strip_suffix(']')?,
        None if name.contains(':') => return None,
        None => name,
    };
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%'));
    let port = port.parse().ok().filter(|&port| port != 0)?;
    is_name.then(|| Host { name: name.to_owned(), port })
}

fn rfc2217(text: &str) -> Option<PortAddress> {
    let (place, baud) = match text.split_once('?') {
        Some((place, query)) => (place, query.strip_prefix("baud=")?.parse().ok().filter(|&baud| baud != 0)?),
        None => (text, DEFAULT_BAUD),
    };
    Some(PortAddress::Rfc2217 { host: host(place)?, baud })
}

fn patterns(text: &str) -> Option<PortAddress> {
    let patterns: Vec<String> = text.split(',').map(|pattern| pattern.trim().to_owned()).collect();
    let is_pattern = |pattern: &String| {
        let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        !name.is_empty() && !folder.contains('*')
    };
    patterns.iter().all(is_pattern).then_some(PortAddress::Any(patterns))
}

impl fmt::Display for PortAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortAddress::Serial(path) => write!(f, "serial:{}", path.display()),
            PortAddress::Usb(UsbId { vendor, product, serial }) => {
                write!(f, "usb:{vendor:04x}:{product:04x}")?;
                serial.iter().try_for_each(|serial| write!(f, ":{serial}"))
            }
            PortAddress::Tcp(host) => write!(f, "tcp://{host}"),
            PortAddress::Rfc2217 { host, baud } => write!(f, "rfc2217://{host}?baud={baud}"),
            PortAddress::Any(patterns) if patterns.is_empty() => f.write_str("any"),
            PortAddress::Any(patterns) => write!(f, "any:{}", patterns.join(",")),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Host { name, port } = self;
        if name.contains(':') { write!(f, "[{name}]:{port}") } else { write!(f, "{name}:{port}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: PortAddress, written: &str) {
        let address: PortAddress = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(address, expected);
        assert_eq!(address.to_string(), written);
        assert_eq!(written.parse(), Ok(address));
    }

    #[test]
    fn paths() {
        for (text, path) in [
            ("serial:/dev/ttyACM0", "/dev/ttyACM0"),
            ("/dev/pts/5", "/dev/pts/5"),
            ("pty:/tmp/board-1", "/tmp/board-1"),
            ("/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0", "/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0"),
            ("boards/a:b", "boards/a:b"),
            ("./any", "./any"),
        ] {
            check(text, PortAddress::Serial(path.into()), &format!("serial:{path}"));
        }
    }

    #[test]
    fn usb_ids() {
        let id = |serial: Option<&str>| {
            PortAddress::Usb(UsbId { vendor: 0x04d8, product: 0x000a, serial: serial.map(str::to_owned) })
        };
        check("usb:04d8:000a", id(None), "usb:04d8:000a");
        check("usb:04D8:000A:A9:1", id(Some("A9:1")), "usb:04d8:000a:A9:1");
        assert!(!id(None).is_one_port() && id(Some("A9")).is_one_port());
    }

    #[test]
    fn hosts() {
        let host = |name: &str, port| Host { name: name.to_owned(), port };
        check("tcp://10.0.0.7:4001", PortAddress::Tcp(host("10.0.0.7", 4001)), "tcp://10.0.0.7:4001");
        check("tcp://[fe80::1%eth0]:4001/", PortAddress::Tcp(host("fe80::1%eth0", 4001)), "tcp://[fe80::1%eth0]:4001");
        let port = |baud| PortAddress::Rfc2217 { host: host("box", 1), baud };
        check("rfc2217://box:1", port(9600), "rfc2217://box:1?baud=9600");
        check("rfc2217://box:1?baud=19200", port(19_200), "rfc2217://box:1?baud=19200");
    }

    #[test]
    fn one_port_in_several_spellings() {
        let is_same = |one: &str, other: &str| {
            one.parse::<PortAddress>().unwrap().is_same_port(&other.parse::<PortAddress>().unwrap())
        };
        assert!(is_same("tcp://Box:4001", "rfc2217://box:4001?baud=9600"));
        assert!(is_same("serial:/dev/ttyUSB0", "/dev//./ttyUSB0") && is_same("usb:045B:8111:7", "usb:045b:8111:7"));
        assert!(!is_same("tcp://box:4001", "tcp://box:4002") && !is_same("/dev/ttyUSB0", "/dev/ttyUSB1"));
    }

    #[test]
    fn choices() {
        check("any", PortAddress::Any(Vec::new()), "any");
        let two = PortAddress::Any(vec!["/dev/ttyUSB*".into(), "/dev/ttyACM*".into()]);
        check("any:/dev/ttyUSB*, /dev/ttyACM*", two, "any:/dev/ttyUSB*,/dev/ttyACM*");
    }

    #[test]
    fn invalid_address_states_expected_form() {
        for text in ["", "serial:", "pty: "] {
            assert_eq!(text.parse::<PortAddress>(), Err(AddressError::Empty), "{text}");
        }
        assert_eq!("bluetooth:x".parse::<PortAddress>(), Err(AddressError::Scheme("bluetooth".into())));
        for (text, example) in [
            ("usb:", "usb:045b:8111"),
            ("usb:45b:8111", "usb:045b:8111"),
            ("usb:045b:+111", "usb:045b:8111"),
            ("usb:045b:8111:", "usb:045b:8111"),
            ("tcp://10.0.0.1", "tcp://10.0.0.7:4001"),
            ("tcp:10.0.0.1:4001", "tcp://10.0.0.7:4001"),
            ("tcp://10.0.0.1:0", "tcp://10.0.0.7:4001"),
            ("tcp://10.0.0.1:70000", "tcp://10.0.0.7:4001"),
            ("tcp://fe80::1:4001", "tcp://10.0.0.7:4001"),
            ("tcp://a b:4001", "tcp://10.0.0.7:4001"),
            ("rfc2217://box:4001?speed=9600", "baud=9600"),
            ("rfc2217://box:4001?baud=0", "baud=9600"),
            ("any:", "/dev/ttyUSB*"),
            ("any:/dev/*/a", "/dev/ttyUSB*"),
            ("any:/dev/a,,/dev/b", "/dev/ttyUSB*"),
        ] {
            let error = text.parse::<PortAddress>().expect_err(text).to_string();
            assert!(error.contains(text) && error.contains(example), "{error}");
        }
    }
}
