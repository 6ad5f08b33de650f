//! Decides when to accept an explanation, and how to continue without one.
//!
//! | board | decision |
//! |---|---|
//! | published position | none |
//! | one or more legal plies | publish the first after a span of quiet that depends on its evidence (`Rule`) |
//! | another move of the side that moved last | the player took the move back: set up the earlier position, then publish the other move |
//! | legal reply to an unexplained position | an illegal move was accepted: set up the position after it, then publish the reply |
//! | plies that are legal if a square is as before the last setup | the last setup was wrong there: set up the corrected position, then publish the plies |
//! | several explanations after an outage | set up the position: the plies are not guessed |
//! | none of these for long | set up the position (`Reason`) |
//!
//! Legal plies with blemishes, moves taken back and illegal moves are compared, and the likeliest is published. Without
//! a clock, two legal plies must follow an unexplained position; otherwise the players are analysing, and nothing is
//! recorded.
//!
//! A ply is published when its player can no longer change it: the player pressed the clock, the opponent replied, the
//! board was quiet for `unpressed_ms` or, without a clock, a player lifted another piece. A published ply is never removed: one
//! that proves wrong is corrected by a setup. After the
//! clock stopped, only plies that were complete by then are published: the last one, and its predecessor if it has no
//! press. If pieces fell and were put back, an apparent ply of one of them waits for a press, or without a clock for
//! the reply.
//!
//! | file | subject |
//! |---|---|
//! | `kings` | kings among the pieces on the board |
//! | `accepted_positions` | unexplained positions that players may have accepted |
//! | `proposal` | decision that is due if nothing changes, and its time |
//! | `waiting_rules` | waiting time before an explanation is accepted |
//! | `origin` | plies that led to an unexplained position |
//! | `resumption` | accepted illegal moves |
//! | `forecast` | expected plies, and the evidence of decisions |
//! | `fallback` | decisions without an explanation |
//! | `publish` | effects of a conclusion |
//! | `recogniser` | handles events, applies the rules above, publishes |

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
pub use recogniser::{LikelyPresser, Recogniser};
