//! Numbers of the parts of a section.

use crate::{Adjustment, Bye, Id, Match, Pairing, Player, Team, Tournament, TournamentSection};

/// A numbered part of a section.
pub(crate) trait Numbered {
    /// Returns the number.
    fn id(&self) -> Id;
}

macro_rules! numbered {
    ($($kind:ty),*) => {$(
        impl Numbered for $kind {
            fn id(&self) -> Id {
                self.id
            }
        }
    )*};
}

numbered!(Team, Player, Match, Pairing, Bye, Adjustment);

/// Returns the number after all numbers of a kind.
pub(crate) fn next_number<T: Numbered + 'static>(
    tournament: &Tournament,
    list: fn(&TournamentSection) -> &Vec<T>,
) -> u32 {
    tournament.sections.iter().flat_map(list).map(|one| one.id().0).max().unwrap_or(0) + 1
}
