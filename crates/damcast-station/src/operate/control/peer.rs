//! Identity of the socket's peer, as reported by the system.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::process::geteuid;
use tokio::net::unix::UCred;

/// Client of the socket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    uid: u32,
    gid: u32,
    pid: Option<i32>,
}

impl Peer {
    /// Creates the peer with these credentials.
    pub fn from_credentials(credentials: UCred) -> Peer {
        Peer { uid: credentials.uid(), gid: credentials.gid(), pid: credentials.pid() }
    }

    /// Returns the user id.
    pub fn user(&self) -> u32 {
        self.uid
    }

    /// Whether the peer is root or the user of the station.
    pub fn is_trusted(&self) -> bool {
        self.uid == 0 || self.uid == geteuid().as_raw()
    }

    /// Whether the peer may use this station: root, the user of the station and the group of the socket may. The system reports only the
    /// primary group of a process. A process with a secondary group could open the socket, so it is allowed if others cannot open it.
    pub fn is_allowed(&self, socket: &Path) -> bool {
        let may = |data: fs::Metadata| data.gid() == self.gid || data.permissions().mode() & 0o007 == 0;
        self.is_trusted() || fs::metadata(socket).is_ok_and(may)
    }

    /// Describes the peer for the log: `uid 1000 (jan), pid 4711`.
    pub fn describe(&self) -> String {
        let name = fs::read_to_string("/etc/passwd").ok().and_then(|users| user_name(&users, self.uid));
        let name = name.map_or(String::new(), |name| format!(" ({name})"));
        let pid = self.pid.map_or(String::new(), |pid| format!(", pid {pid}"));
        format!("uid {}{name}{pid}", self.uid)
    }
}

fn user_name(users: &str, uid: u32) -> Option<String> {
    let mut fields = users.lines().map(|line| line.split(':'));
    let name = fields.find_map(|mut fields| {
        Some((fields.next()?, fields.nth(1)?.parse::<u32>().ok()?)).filter(|(_, id)| *id == uid)
    });
    name.map(|(name, _)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use rustix::process::getegid;

    use super::*;

    impl Peer {
        /// Creates a process of a user.
        pub fn with_user(uid: u32) -> Peer {
            Peer { uid, gid: uid, pid: None }
        }
    }

    #[test]
    fn users_have_names() {
        let users = "root:x:0:0:root:/root:/bin/sh\nbroken\njan:x:1000:1000::/home/jan:/bin/sh\n";
        assert_eq!(user_name(users, 1000).as_deref(), Some("jan"));
        assert_eq!(user_name(users, 0).as_deref(), Some("root"));
        assert_eq!(user_name(users, 7), None);
    }

    #[test]
    fn strangers_may_speak_only_if_socket_mode_excludes_others() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        fs::write(&socket, "").unwrap();
        let stranger = Peer { uid: geteuid().as_raw() + 1, gid: getegid().as_raw() + 1, pid: None };
        for (mode, expected) in [(0o660, true), (0o666, false), (0o661, false)] {
            fs::set_permissions(&socket, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(stranger.is_allowed(&socket), expected, "{mode:o}");
            assert!(Peer { uid: 0, ..stranger.clone() }.is_allowed(&socket));
            let of_group = Peer { gid: fs::metadata(&socket).unwrap().gid(), ..stranger.clone() };
            assert!(of_group.is_allowed(&socket), "{mode:o}");
        }
    }
}
