//! Incidents of a whole line or of one board on it, at times set in advance.

/// An incident with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incident {
    /// Time of the incident, in milliseconds.
    pub at_ms: u64,
    /// Kind of incident.
    pub kind: IncidentKind,
}

/// Kinds of incidents. Boards are indexed from 0, in the order of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncidentKind {
    /// The port disappears: the host is notified, and nothing passes.
    Unplug,
    /// The port comes back.
    Plug,
    /// Nothing passes in either direction, without any notice.
    LinkDead,
    /// The line passes bytes again.
    LinkRestored,
    /// The board loses power.
    PowerOff(usize),
    /// The board regains power.
    PowerOn(usize),
    /// The board is disconnected from the line; it keeps its power and continues to write into its memory.
    BoardDisconnected(usize),
    /// The board is connected to the line again.
    BoardConnected(usize),
    /// The board's watchdog restarts the board.
    Watchdog(usize),
    /// Continuous noise on the line for this many milliseconds, during which no board is understood.
    NoiseBurst(u32),
    /// The line is held low; no byte reaches the host.
    LineHeldLow,
    /// The line is released.
    LineReleased,
    /// The far end accepts no bytes: bytes of the host queue up before the port. Boards still reach the host.
    HostBlocked,
    /// The far end accepts bytes again.
    HostUnblocked,
}

impl Incident {
    /// Creates an incident.
    pub fn new(at_ms: u64, kind: IncidentKind) -> Incident {
        Incident { at_ms, kind }
    }
}
