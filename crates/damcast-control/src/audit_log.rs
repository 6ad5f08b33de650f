//! A request as the audit log shows it.

use serde::{Deserialize, Serialize};

/// Request and its outcome.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Time, as `2027-07-10T09:30:00.000+02:00`.
    pub at: String,
    /// Requester.
    pub by: String,
    /// Request.
    pub what: String,
    /// Board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Whether it succeeded.
    pub ok: bool,
    /// Answer.
    pub message: String,
}
