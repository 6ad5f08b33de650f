//! `[entry]`: the socket for the page of tables without electronic boards.

use std::path::PathBuf;

use super::outlet;
use super::value::ConfigTable;

/// Access for the page of tables without electronic boards.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EntryConfig {
    /// Path of the socket; `None` for `entry.sock` beside the control socket.
    pub socket: Option<PathBuf>,
    /// Group that may open the socket; `None` for that of its folder.
    pub group: Option<String>,
}

/// Reads the keys of the station and records their errors.
pub(super) fn read(mut table: ConfigTable) -> EntryConfig {
    let socket = table.read("socket", super::operation::read_socket);
    let group = table.read("group", outlet::read_group);
    table.reject_unknown();
    EntryConfig { socket, group }
}
