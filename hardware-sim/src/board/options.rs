//! Properties of a simulated board.

use crate::random::Span;
use crate::scanner::ScanMode;

/// Properties of a board, constant over its lifetime.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardOptions {
    /// Rows of fields, 2 to 12.
    pub rows: u8,
    /// Columns of fields, 2 to 12.
    pub cols: u8,
    /// Whether the connector is on White's right: all fields arrive rotated by 180 degrees.
    pub is_turned: bool,
    /// Duration of one scan of all fields, in microseconds.
    pub scan_us: u64,
    /// Start of the first scan, in microseconds.
    pub phase_us: u64,
    /// Offset within each second at which the board sends its clock messages, in microseconds.
    pub tick_us: u64,
    /// Fields to scan.
    pub scan: ScanMode,
    /// Numbering of field updates if only half of the fields are scanned.
    pub numbering: Numbering,
    /// Serial number, five digits; the bus address is the same number.
    pub serial: u32,
    /// Long serial number, ten digits.
    pub long_serial: u64,
    /// Main and sub version.
    pub version: (u8, u8),
    /// Trademark text; must say that the board is simulated.
    pub trademark: String,
    /// Version of the clock, two nibbles.
    pub clock_version: u8,
    /// Whether the clock is in the mode in which a host may set it; otherwise it refuses to be set.
    pub is_clock_in_mode_23: bool,
    /// Time from a clock command to its ack, in milliseconds.
    pub ack_ms: Span,
    /// Share of clock commands followed by one clock message that reads all zero.
    pub zero_after_command: f64,
    /// Time from a bus command to its answer, in microseconds, if the board is not storing.
    pub answer_us: Span,
    /// Time to store an event, in microseconds; a bus answer waits for it, but at most 20 ms.
    pub storing_us: Span,
    /// Time from the start of a game to the answer that it was stored, in milliseconds.
    pub start_game_ms: Span,
    /// Duration of the power-up procedure after a bus reset, in milliseconds.
    pub reset_ms: Span,
    /// Number of events of earlier games in the memory; 4000 fill it (reading it then takes 8 s).
    pub old_events: u32,
    /// Codes of its pieces.
    pub set: PieceSet,
    /// Codes of the commands, of single-board mode or of a bus, that this board does not know: it does not answer them.
    pub ignored_commands: Vec<u8>,
}

/// Wire codes of the pieces of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PieceSet {
    /// Men 1 and 4, kings 7 and 10.
    #[default]
    Draughts,
    /// Men 1 and 7, kings 4 and 10, as in older draughts firmware.
    DraughtsOld,
    /// A chess set: pawns 1 and 7 for men, queens 6 and 12 for kings.
    Chess,
}

impl PieceSet {
    /// Returns this set's code for a piece given by its draughts code; other codes are equal in all sets.
    pub(super) fn code(self, draughts: u8) -> u8 {
        match (self, draughts) {
            (PieceSet::DraughtsOld, 4) | (PieceSet::Chess, 4) => 7,
            (PieceSet::DraughtsOld, 7) => 4,
            (PieceSet::Chess, 7) => 6,
            (PieceSet::Chess, 10) => 12,
            (_, other) => other,
        }
    }
}

impl std::str::FromStr for PieceSet {
    type Err = String;

    fn from_str(name: &str) -> Result<PieceSet, String> {
        match name {
            "draughts" => Ok(PieceSet::Draughts),
            "draughts-old" => Ok(PieceSet::DraughtsOld),
            "chess" => Ok(PieceSet::Chess),
            _ => Err(format!("set = {name:?}: expected draughts, draughts-old or chess")),
        }
    }
}

/// Numbering of field updates if only one colour of squares is scanned; the documents leave it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbering {
    /// All fields count, as in a full scan.
    #[default]
    AllFields,
    /// Only scanned fields count.
    ScannedFields,
}

impl BoardOptions {
    /// Returns ordinary properties for a board of the given size. Seven bits cannot number more than 128 fields, so a larger board scans
    /// and numbers only its dark squares.
    pub fn new(rows: u8, cols: u8) -> BoardOptions {
        let large = u32::from(rows) * u32::from(cols) > 128;
        BoardOptions {
            rows,
            cols,
            is_turned: false,
            scan_us: 225_000,
            phase_us: 0,
            tick_us: 0,
            scan: if large { ScanMode::Dark } else { ScanMode::All },
            numbering: if large { Numbering::ScannedFields } else { Numbering::AllFields },
            serial: 1025,
            long_serial: 3_000_001_025,
            version: (1, 11),
            trademark: "simulated draughts board\r\nnot a product of any maker\r\n".to_string(),
            clock_version: 0x22,
            is_clock_in_mode_23: true,
            ack_ms: Span::new(40, 250),
            zero_after_command: 0.0,
            answer_us: Span::new(500, 3_000),
            storing_us: Span::new(5_000, 20_000),
            start_game_ms: Span::new(65, 75),
            reset_ms: Span::new(2_000, 4_000),
            old_events: 0,
            set: PieceSet::default(),
            ignored_commands: Vec::new(),
        }
    }

    /// Returns the bus address: the serial number in fourteen bits.
    pub fn address(&self) -> u16 {
        (self.serial & 0x3fff) as u16
    }

    pub(super) fn fields(&self) -> usize {
        usize::from(self.rows) * usize::from(self.cols)
    }
}
