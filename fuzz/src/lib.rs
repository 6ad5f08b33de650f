//! Fuzz targets: no panic, no hang, and the promises of each reader for any bytes.
//!
//! | target | bytes are | promises |
//! |---|---|---|
//! | [`framer`] | bytes of a board | cuts change nothing, every byte is in a frame or counted, messages survive writing and reading |
//! | [`log`] | a byte log | records survive writing and reading; line by line gives the same as the whole |
//! | [`reader`] | a PDN file | cuts change nothing, places are in the text, variations balance |
//! | [`checked`] | a PDN file | the quick check finds the games, ends and problems of the long one, however the file is cut |
//! | [`pdn`] | a PDN file | replay and every checker end; games that were read are written strictly, read back, and are stable |
//! | [`fen`] | a variant and a FEN | positions survive writing and reading |
//! | [`moves`] | a variant, a way into a position, a move | every legal move reads back as itself; a text that is read is a legal move |
//! | [`tags`] | a tag | tags and their values survive writing and reading |
//! | [`time_control`] | a value of the tag | a value that is read is written unchanged |
//!
//! The targets are ordinary functions that panic if a promise is broken. libFuzzer calls them (`fuzz_targets`), as does the test `fuzz`
//! of the test suite, with seeds, kept finds and a fixed number of mutations of them.

mod checking;
mod games;
mod values;
mod wire;

pub use checking::{check_all, compare_checking};
pub use games::{pdn, reader};
pub use values::{fen, moves, tags, time_control};
pub use wire::{framer, log};

/// Fuzz target with its seeds.
pub struct Target {
    /// Name, also of the binary.
    pub name: &'static str,
    /// Panics if a promise is broken.
    pub run: fn(&[u8]),
    /// Folder of its inputs in `seeds`.
    pub seeds: &'static str,
}

/// All targets.
pub const TARGETS: [Target; 9] = [
    Target { name: "framer", run: framer, seeds: "framer" },
    Target { name: "log", run: log, seeds: "log" },
    Target { name: "reader", run: reader, seeds: "pdn" },
    Target { name: "checked", run: check_all, seeds: "pdn" },
    Target { name: "pdn", run: pdn, seeds: "pdn" },
    Target { name: "fen", run: fen, seeds: "fen" },
    Target { name: "moves", run: moves, seeds: "moves" },
    Target { name: "tags", run: tags, seeds: "tags" },
    Target { name: "time_control", run: time_control, seeds: "time_control" },
];

/// Cuts bytes into pieces whose sizes depend only on the bytes.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    let mut state = bytes
        .iter()
        .fold(bytes.len() as u64 | 1, |state, &byte| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    std::iter::from_fn(move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let size = 1 + (state >> 40) as usize % 23;
        let (piece, after) = rest.split_at(size.min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
