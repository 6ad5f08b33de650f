#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! | for | use |
//! |---|---|
//! | the state of a tournament | [`Tournament`], its [`TournamentSection`]s, [`Player`]s and [`Pairing`]s |
//! | changes of it | [`Event`], [`Tournament::apply`]; a [`TournamentRecord`] has the events of one request |
//! | commands of an arbiter | [`TournamentCommand`], [`decide`]; for results on boards [`apply_board_results`] |
//! | a file of a pairing program | [`read`], [`merge`], [`difference`] |
//! | a program that pairs Swiss rounds | [`EngineFile`] |
//! | exports | [`write_trf`], [`write_csv`], [`write_pdn`], [`crosstable`]; JSON: [`documents`] |
//! | standings | [`standings()`], [`team_standings`] |
//!
//! ```text
//!   TournamentCommand ─▸ decide ─▸ Event .. ─▸ Tournament ─▸ standings ─▸ export
//!                          ▴
//!   file ─▸ read ─▸ merge ─▸ difference
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod berger;
mod command;
pub mod documents;
mod dry_run;
mod engine_file;
mod event;
mod export;
mod import;
pub mod json;
mod messages;
mod part;
mod standings;
mod state;
mod value;

pub use berger::{pair_round_robin, round_robin};
pub use command::{
    BY_BOARDS, BoardChanges, BoardGames, Boards, ChangeReview, Decision, ImportFile, NextRound, Refusal,
    TournamentCommand, apply_board_results, decide, decide_undo, is_action, names_belong_to_tournament, next_rounds,
    only_section, record_to_undo, review_change, shortened, undone_versions,
};
pub use dry_run::dry_run;
pub use engine_file::{EngineFile, NextRoundChoices};
pub use event::{Event, TournamentRecord};
pub use export::csv::write as write_csv;
pub use export::pdn::{omissions as lost_in_pdn, write as write_pdn};
pub use export::tables::{crosstable, heading, round_text, standings_text, teams_text};
pub use export::trf::{numbers as trf_numbers, write as write_trf};
pub use import::import_file::{TournamentFile, is_invisible, normalised, pdn_replacement};
pub use import::merge::{MergeResult, merge};
pub use import::{Format, difference, read};
pub use part::{GameAssignment, Part, PartKey, SectionPart};
pub use standings::teams::{TeamStanding, team_standings};
pub use standings::{PlayerStanding, Standings, TieBreakValue, standings};
pub use state::Misfit;
pub use value::points::{Fraction, Points};
pub use value::rounds::{
    BoardAssignment, BoardGame, CorrectedGame, CorrectedTag, MOVES, NO_PAIRING, PairingKey, REPLAYED, RoundState,
    SectionRound, format_pairing_key, parse_pairing_key,
};
pub use value::scoring::{MicroMatchStage, Scoring, TieBreak, UnplayedPolicy};
pub use value::*;
