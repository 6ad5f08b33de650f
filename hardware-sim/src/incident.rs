//! Incidents: what befalls a whole line or one board on it, at a time that was chosen beforehand.

/// Something that happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incident {
    /// When, in milliseconds.
    pub at_ms: u64,
    /// What.
    pub kind: IncidentKind,
}

/// What can happen. Boards are counted from 0, in the order in which they were told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncidentKind {
    /// The port goes away: the host is told, and nothing passes.
    Unplug,
    /// The port comes back.
    Plug,
    /// Nothing passes in either direction, and nobody is told.
    LinkDead,
    /// It passes again.
    LinkRestored,
    /// The board loses its power.
    PowerOff(usize),
    /// It gets power again.
    PowerOn(usize),
    /// The board is taken off the line; it keeps its power, and writes into its memory.
    BoardDisconnected(usize),
    /// It is put on the line again.
    BoardConnected(usize),
    /// The board's watchdog restarts it.
    Watchdog(usize),
    /// Somebody on the line talks without end for so many milliseconds, and nobody else is understood.
    NoiseBurst(u32),
    /// Somebody holds the line down; nothing comes through to the host.
    LineHeldLow,
    /// He lets it go.
    LineReleased,
    /// The far end takes no more bytes: what a host sends piles up before the port. Boards are still heard.
    HostBlocked,
    /// It takes bytes again.
    HostUnblocked,
}

impl Incident {
    /// An incident at a time.
    pub fn new(at_ms: u64, kind: IncidentKind) -> Incident {
        Incident { at_ms, kind }
    }
}
