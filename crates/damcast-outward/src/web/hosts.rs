//! Allowed host names. An attacker's name can resolve to any address (DNS rebinding), and the browser treats the answer as a page of
//! that name. So a request must name an address, localhost, this machine, or a configured name. Names are compared as a whole:
//! `localhost.evil.example` is refused.

use std::net::IpAddr;

use axum::http::uri::Authority;

/// Allowed host names.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    /// Names in lower case, without a final dot.
    names: Vec<String>,
    /// The configured ones of them.
    listed: Vec<String>,
}

impl AllowedHosts {
    /// Allows localhost, the machine's name (with and without `.local`), and `listed` names. Addresses are always allowed.
    pub fn new(machine: Option<&str>, listed: &[String]) -> AllowedHosts {
        let own = machine.into_iter().flat_map(|name| [name.to_owned(), format!("{name}.local")]);
        let all = ["localhost".to_owned()].into_iter().chain(own).chain(listed.iter().cloned());
        let listed = listed.iter().map(|name| normalised_host(name)).collect();
        AllowedHosts { names: all.map(|name| normalised_host(&name)).collect(), listed }
    }

    /// Whether the operator has configured this name: then the world may know the pages by it. The format is that of a URL: no port.
    pub fn is_listed(&self, name: &str) -> bool {
        self.listed.contains(&normalised_host(name))
    }

    /// Whether a request may name this host. `host` has the format of the header `Host`: a name or an address, optionally with a port.
    pub fn allows(&self, host: &str) -> bool {
        // An authority may contain a user; a `Host` header must not.
        let authority = host.parse::<Authority>().ok().filter(|_| !host.contains('@'));
        let Some(authority) = authority else { return false };
        let name = authority.host();
        let port = authority.as_str().strip_prefix(name).unwrap_or_default();
        if !port.is_empty() && authority.port_u16().is_none() {
            return false;
        }
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        address.parse::<IpAddr>().is_ok() || self.names.contains(&normalised_host(name))
    }
}

/// Whether a host reaches this machine only from itself. The format is that of a URL: no port, IPv6 in brackets.
pub fn is_local_host(name: &str) -> bool {
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>().map(|address| address.to_canonical());
    normalised_host(name) == "localhost"
        || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

fn normalised_host(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_is_reached_locally_only() {
        for here in "localhost LocalHost. 127.0.0.1 127.1.2.3 [::1] [::ffff:127.0.0.1] 0.0.0.0 [::]".split(' ') {
            assert!(is_local_host(here), "{here}");
        }
        for elsewhere in "192.168.1.7 [fe80::1] hall-pc.local localhost.example.org 128.0.0.1 ".split(' ') {
            assert!(!is_local_host(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn compares_whole_names() {
        let hosts = AllowedHosts::new(Some("Hall-PC"), &["live.example.org".to_owned()]);
        let allowed = "localhost LOCALHOST:8080 localhost. 127.0.0.1 127.0.0.1:8080 [::1]:8080 192.168.1.7:80 hall-pc \
            hall-pc.local:8080 Live.Example.Org live.example.org.:443 [fe80::1]";
        for host in allowed.split(' ') {
            assert!(hosts.allows(host), "{host}");
        }
        let foreign = "|evil.example|localhost.evil.example|127.0.0.1.evil.example|127.evil.example|evil.example:8080|\
            live.example.org.evil.example|evil-live.example.org|x@localhost|localhost@evil.example|localhost:8080:1|null|[::1|\
            [localhost]|loc\u{e4}lhost|127.0.0.1 |0x7f.1|localhost/..|localhost:port|localhost:99999|127.0.0.1:|*|..|.";
        for host in foreign.split('|') {
            assert!(!hosts.allows(host), "{host}");
        }
    }
}
