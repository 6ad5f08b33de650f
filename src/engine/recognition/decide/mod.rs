//! When an explanation is believed, and what is done when there is none.
//!
//! | what is seen | what is done |
//! |---|---|
//! | the published position | nothing |
//! | one or more legal plies | the first is published after a span of quiet that its evidence asks for (`Rule`) |
//! | another move of the side that moved last | the player took his move back: a setup of the position before it, then the other move |
//! | a legal reply to a position that was not explained | an illegal move was let stand: a setup of the position after it, then the reply |
//! | plies that are legal if a square is as it was before the last setup | the last setup was wrong there: a setup that corrects the square, then the plies |
//! | several explanations, after a time in which the board was not heard | a setup: nobody guesses which plies were played |
//! | none of these for long | a setup (`Reason`) |
//!
//! Legal plies with blemishes, a move taken back and an illegal move are compared: the likeliest is published. Without a clock
//! two legal plies must follow an unexplained position; otherwise the players analyse, and nothing is recorded.
//!
//! A ply is published when its player can no longer change it: he has pressed the clock, the opponent has replied, or, without a
//! clock, a player has lifted another piece. This is why a published ply need not be taken back. When the clock has stopped, only
//! plies that were complete before are published: the last one, and the one before it if nobody pressed for it. If pieces fell
//! and were put back, what looks like a ply of one of them waits for a press, or without a clock for the reply.
//!
//! | file | subject |
//! |---|---|
//! | `kinds` | which of the pieces that are seen are kings |
//! | `standing` | unexplained positions that players may have accepted |
//! | `proposal` | what would be published, and from when on |
//! | `belief` | when an explanation is believed |
//! | `lineage` | which plies led to a position that nothing explains |
//! | `resumption` | a move against the rules that was let stand |
//! | `outlook` | which plies are expected next, and on what grounds something was decided |
//! | `doubt` | the ways back when nothing explains the board |
//! | `publish` | what a conclusion changes |
//! | `recogniser` | takes events, asks the rules above, publishes |

mod accepted_positions;
mod fallback;
mod forecast;
mod kings;
mod origin;
mod proposal;
mod publish;
mod recogniser;
mod resumption;
mod waiting_rules;

pub use forecast::UnexplainedBoard;
pub use recogniser::Recogniser;
