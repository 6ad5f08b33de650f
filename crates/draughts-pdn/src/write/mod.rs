//! Games to text: PDN 3.0, the dialect of old programs, other names of the squares.

pub mod pdn2;
pub mod renumber;
pub mod standard;
pub mod writer;
