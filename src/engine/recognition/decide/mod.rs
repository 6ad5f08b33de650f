//! When an explanation is believed, and what is done when there is none.
//!
//! | what is seen | what is done |
//! |---|---|
//! | the published position | nothing |
//! | one or more legal plies | the first is published after a span of quiet that its evidence asks for ([`Rule`]) |
//! | another move of the side that moved last | it changed its mind: a setup of the position before, then that move |
//! | a legal reply to a position that was not explained | an illegal move stood: a setup of that position, then the reply |
//! | plies that are legal if a square is as it was before the last setup | that was wrong: a setup without it, then the plies |
//! | several readings, after a time without the board | a setup: which plies are hidden is not guessed |
//! | none of these for long | a setup ([`Reason`]) |
//!
//! Legal plies with blemishes, a change of mind and an illegal move compete: the likeliest reading wins. Without a clock two
//! legal plies must follow what is not explained, or it is taken for analysis and nothing is recorded.
//!
//! A ply is published when its player has given it up by pressing the clock, or the opponent has answered it, or, without a
//! clock, another piece is taken up; that is why what is published need not be taken back. With the clock stopped only what
//! was complete before is published: the last ply, and the one before it if nobody pressed for it. A piece that was
//! put back among others that had fallen has played nothing yet: it waits for a press, or without a clock for the reply.
//!
//! | file | subject |
//! |---|---|
//! | `kinds` | which of the pieces that are seen are kings |
//! | `standing` | what stood on the board without being explained |
//! | `proposal` | what would be published, and from when on |
//! | `belief` | when an explanation is believed |
//! | `lineage` | how what stood came about |
//! | `resumption` | a move against the rules that was let stand |
//! | `outlook` | what is told besides |
//! | `doubt` | the ways back when nothing explains the board |
//! | `publish` | what a conclusion changes |
//! | `recogniser` | what happens, and what is due |

mod belief;
mod doubt;
mod kinds;
mod lineage;
mod outlook;
mod proposal;
mod publish;
mod recogniser;
mod resumption;
mod standing;

pub use outlook::Doubt;
pub use recogniser::Recogniser;
