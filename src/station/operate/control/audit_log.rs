//! What was asked of the station since its start: for people at a desk, who see what the others have done. The logs of the lines and the
//! record of the tournament have it for ever.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{Local, SecondsFormat};
use serde::{Deserialize, Serialize};

use super::Reply;

/// So many are kept.
const MAX_ENTRIES: usize = 300;
/// What is longer is cut, in characters: an import has pages of words.
const MAX_TEXT_LEN: usize = 300;

/// Something that was asked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When, as `2027-07-10T09:30:00.000+02:00`.
    pub at: String,
    /// Who.
    pub by: String,
    /// What.
    pub what: String,
    /// Of which board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Whether it was done.
    pub ok: bool,
    /// What was answered.
    pub message: String,
}

/// The last of them.
#[derive(Clone, Default, Debug)]
pub struct AuditLog(Arc<Mutex<VecDeque<AuditEntry>>>);

impl AuditLog {
    pub(super) fn add(&self, by: String, what: String, board: Option<String>, reply: &Reply) {
        let reply_messages =
            reply.error.iter().chain(&reply.messages).chain(&reply.lines).cloned().collect::<Vec<_>>().join("; ");
        let cut = |text: String| text.chars().take(MAX_TEXT_LEN).collect();
        let at = Local::now().to_rfc3339_opts(SecondsFormat::Millis, false);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(AuditEntry { at, by, what: cut(what), board, ok: reply.ok, message: cut(reply_messages) });
        if all.len() > MAX_ENTRIES {
            all.pop_front();
        }
    }

    pub(super) fn all(&self) -> Vec<AuditEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
