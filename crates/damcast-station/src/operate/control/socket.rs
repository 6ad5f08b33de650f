//! File of the control socket: created without access for others, replaced if stale, removed at the end.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::process::umask;
use tokio::net::UnixListener;

use crate::disk;

/// Reason why the socket cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Another station answers at the socket.
    #[error("{0}: another station answers at this socket")]
    InUse(PathBuf),
    /// Another kind of file has this name.
    #[error("{0}: there is a file of this name that is no socket; remove it, or set `[control] socket`")]
    NoSocket(PathBuf),
    /// A system call failed.
    #[error("{path}: {error}")]
    System {
        /// Path of the socket.
        path: PathBuf,
        /// I/O error.
        error: io::Error,
    },
}

/// Listening socket; its file is removed when dropped.
pub struct Socket {
    pub(in crate::operate) listener: UnixListener,
    pub(in crate::operate) path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Creates the socket. Must be called when nothing else creates files, because it changes the umask for a moment.
    pub fn open(path: &Path) -> Result<Socket, SocketError> {
        let system = |error| SocketError::System { path: path.to_owned(), error };
        remove_stale(path)?;
        // The umask sets the permissions at creation, so that others never have access.
        let before = umask(Mode::from_raw_mode(0o117));
        let listener = UnixListener::bind(path);
        umask(before);
        let listener = listener.map_err(system)?;
        let inode = fs::metadata(path).map_err(system)?.ino();
        Ok(Socket { listener, path: path.to_owned(), inode })
    }

    /// Creates a socket at any time, for the user of the station and a group: `group`, or that of the folder. Others may not open it,
    /// because nobody lets them write to new files.
    pub fn open_for_group(path: &Path, group: Option<&str>) -> Result<Socket, SocketError> {
        let system = |error| SocketError::System { path: path.to_owned(), error };
        remove_stale(path)?;
        let listener = UnixListener::bind(path).map_err(system)?;
        let inode = fs::metadata(path).map_err(system)?.ino();
        let socket = Socket { listener, path: path.to_owned(), inode };
        if let Some(group) = group {
            let id = disk::group_id(group).map_err(system)?;
            let id =
                id.ok_or_else(|| system(io::Error::other(format!("there is no group {group} on this machine"))))?;
            std::os::unix::fs::chown(path, None, Some(id)).map_err(system)?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o660)).map_err(system)?;
        Ok(socket)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Another process may have replaced the file.
        if fs::metadata(&self.path).is_ok_and(|data| data.ino() == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes the socket of a dead process.
fn remove_stale(path: &Path) -> Result<(), SocketError> {
    let system = |error| SocketError::System { path: path.to_owned(), error };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(system(error)),
        Ok(data) if !data.file_type().is_socket() => return Err(SocketError::NoSocket(path.to_owned())),
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(SocketError::InUse(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path).map_err(system),
        Err(error) => Err(system(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn replaces_dead_socket_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("control.sock");
        // A killed process leaves its socket behind.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let socket = Socket::open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o660);
        assert!(matches!(Socket::open(&path), Err(SocketError::InUse(_))));
        drop(socket);
        assert!(!path.exists());
        fs::write(&path, "notes").unwrap();
        assert!(matches!(Socket::open(&path), Err(SocketError::NoSocket(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "notes");
    }
}
