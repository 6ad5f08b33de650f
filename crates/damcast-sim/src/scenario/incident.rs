//! Incidents of a line or a board in a scenario.

use hardware_sim::incident::{Incident, IncidentKind};
use serde::Deserialize;

/// Incident of a line or a board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IncidentPlan {
    /// Start time in seconds.
    #[serde(default)]
    pub at: f64,
    /// Kind of incident: unplug, silence, hold, deafen, babble; power-off, away, watchdog (of a board); or one of their ends: plug,
    /// sound, release, hear, power-on, back.
    pub what: String,
    /// Duration in seconds, after which the incident ends by itself.
    #[serde(rename = "for")]
    pub lasts: Option<f64>,
    /// Number of the board, from 1.
    pub board: Option<usize>,
    /// Name under which an unplugged port returns; for TCP another port number.
    #[serde(rename = "as")]
    pub name: Option<String>,
}

impl IncidentPlan {
    pub(super) fn incidents(&self, boards: usize) -> Result<Vec<Incident>, String> {
        /// A day: longer than any tournament, and far from where times would overflow.
        const MAX_SECONDS: f64 = 86_400.0;
        let ms = |seconds: f64, name: &str| {
            let fits = (0.0..=MAX_SECONDS).contains(&seconds);
            fits.then(|| (seconds * 1000.0).round() as u64)
                .ok_or_else(|| format!("{name} = {seconds}: expected 0 to {MAX_SECONDS} s"))
        };
        let at_ms = ms(self.at, "at")?;
        let lasts_ms = self.lasts.map(|lasts| ms(lasts, "for")).transpose()?;
        let board = || {
            let board = self.board.ok_or_else(|| format!("{} needs `board`", self.what))?;
            let index = board.checked_sub(1).filter(|index| *index < boards);
            index.ok_or_else(|| format!("board = {board}: the line has {boards}"))
        };
        let (begin, end) = match self.what.as_str() {
            "unplug" => (IncidentKind::Unplug, Some(IncidentKind::Plug)),
            "plug" => (IncidentKind::Plug, None),
            "silence" => (IncidentKind::LinkDead, Some(IncidentKind::LinkRestored)),
            "sound" => (IncidentKind::LinkRestored, None),
            "hold" => (IncidentKind::LineHeldLow, Some(IncidentKind::LineReleased)),
            "release" => (IncidentKind::LineReleased, None),
            "deafen" => (IncidentKind::HostBlocked, Some(IncidentKind::HostUnblocked)),
            "hear" => (IncidentKind::HostUnblocked, None),
            "power-off" => (IncidentKind::PowerOff(board()?), Some(IncidentKind::PowerOn(board()?))),
            "power-on" => (IncidentKind::PowerOn(board()?), None),
            "away" => (IncidentKind::BoardDisconnected(board()?), Some(IncidentKind::BoardConnected(board()?))),
            "back" => (IncidentKind::BoardConnected(board()?), None),
            "watchdog" => (IncidentKind::Watchdog(board()?), None),
            "babble" => {
                return Ok(vec![Incident::new(at_ms, IncidentKind::NoiseBurst(lasts_ms.unwrap_or(1_000) as u32))]);
            }
            other => return Err(format!("what = {other:?}: no such incident")),
        };
        let mut incidents = vec![Incident::new(at_ms, begin)];
        if let Some(lasts_ms) = lasts_ms {
            let end = end.ok_or_else(|| format!("{} has no end, so `for` means nothing", self.what))?;
            incidents.push(Incident::new(at_ms + lasts_ms, end));
        }
        Ok(incidents)
    }
}
