//! Words of the command line with few values.

use draughts::Color;

/// Side, as written on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Side {
    #[value(alias = "w")]
    White,
    #[value(alias = "b")]
    Black,
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

/// State of something that is switched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Switch {
    On,
    Off,
}
