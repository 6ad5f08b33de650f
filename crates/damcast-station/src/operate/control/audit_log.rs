//! Requests to the station since its start, shown at the desk to see the work of others. The permanent records are the logs of the lines
//! and of the tournament.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use chrono::{Local, SecondsFormat};
use damcast_control::{AuditEntry, Reply};

use crate::locks::lock;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 300;
/// Maximum length of a text in characters; an import has pages of text.
const MAX_TEXT_LEN: usize = 300;

/// Most recent entries.
#[derive(Clone, Default, Debug)]
pub struct AuditLog(Arc<Mutex<VecDeque<AuditEntry>>>);

impl AuditLog {
    pub(super) fn add(&self, by: String, what: String, board: Option<String>, reply: &Reply) {
        let reply_messages =
            reply.error.iter().chain(&reply.messages).chain(&reply.lines).cloned().collect::<Vec<_>>().join("; ");
        let cut = |text: String| text.chars().take(MAX_TEXT_LEN).collect();
        let at = Local::now().to_rfc3339_opts(SecondsFormat::Millis, false);
        let mut all = lock(&self.0);
        all.push_back(AuditEntry { at, by, what: cut(what), board, ok: reply.ok, message: cut(reply_messages) });
        if all.len() > MAX_ENTRIES {
            all.pop_front();
        }
    }

    pub(super) fn all(&self) -> Vec<AuditEntry> {
        lock(&self.0).iter().cloned().collect()
    }
}
