//! Commands: requests of an arbiter, and the resulting events of a tournament.
//!
//! ```text
//!   state, boards, command ─▸ decide ─▸ Decision: events, messages, notes, effects on readers
//!                                └────▸ Refusal: impossible, or to be confirmed
//! ```

mod boards;
mod draft;
mod event;
mod feature;
mod game;
mod import;
mod lookup;
mod pair_round;
mod pairing;
mod player;
mod request;
mod result;
mod results;
mod review;
mod round;
mod undo;

pub use boards::{BoardGames, Boards, NextRound, next_rounds};
pub use game::names_belong_to_tournament;
pub(crate) use lookup::find_only_player;
pub use lookup::only_section;
pub use request::{ImportFile, TournamentCommand};
pub use review::{ChangeReview, review_change};
pub use undo::{BY_BOARDS, decide_undo, is_action, record_to_undo, undone_versions};

use crate::messages::describe_changes;
use crate::{BoardGame, Event, Misfit, Tournament};
use draft::Draft;

/// Maximum number of reasons in a refusal: a screen full.
const MAX_REASONS: usize = 20;

/// Outcome of a command that can be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Events in their order; none if nothing changes.
    pub events: Vec<Event>,
    /// Tournament after the events.
    pub after: Tournament,
    /// Messages about the command and about everything that changes.
    pub messages: Vec<String>,
    /// Oddities of an imported file.
    pub notes: Vec<String>,
    /// Consequences for readers of published files.
    pub effects: Vec<String>,
}

/// Reason for not executing a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The command cannot be executed; its faults one by one, then their consequence.
    Impossible(Vec<String>),
    /// The command may be a mistake: the reasons, and its effect once confirmed.
    Unconfirmed(Vec<String>, Box<Decision>),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal::Impossible(vec![reason])
    }
}

impl From<Misfit> for Refusal {
    fn from(misfit: Misfit) -> Refusal {
        Refusal::Impossible(vec![misfit.to_string()])
    }
}

/// Messages of a command, or the reason why it is impossible.
type Messages = Result<Vec<String>, Refusal>;

/// Decides the effect of a command on a tournament. Reads only its arguments. `confirmed`: the requester has confirmed all doubts.
///
/// # Errors
///
/// Returns a [`Refusal`] if the command is impossible, or must be confirmed first.
///
/// # Examples
///
/// ```
/// use draughts_tournament::{BoardGames, Boards, Tournament, TournamentCommand, decide};
/// let games = BoardGames::default();
/// let import = TournamentCommand::import_of("players.csv", "No;Name\n1;Ann\n2;Bob\n".to_owned());
/// let decision = decide(&Tournament::default(), &Boards::unknown(&games), &import, false).unwrap();
/// assert_eq!(decision.messages, ["players.csv: 1 section, 2 players are new"]);
/// assert_eq!(decision.after.sections[0].players[1].name, "Bob");
/// ```
pub fn decide(
    state: &Tournament,
    boards: &Boards,
    command: &TournamentCommand,
    confirmed: bool,
) -> Result<Decision, Refusal> {
    let mut draft = Draft::new(state, boards);
    let messages = execute(&mut draft, command, confirmed)?;
    draft.derive_board_changes()?;
    finish(state, draft, command, messages, confirmed || command.is_correction())
}

/// Reviews the events of a draft, and completes its messages.
fn finish(
    state: &Tournament,
    draft: Draft,
    command: &TournamentCommand,
    (mut messages, notes): (Vec<String>, Vec<String>),
    confirmed: bool,
) -> Result<Decision, Refusal> {
    let boards = draft.boards;
    let games: Vec<&BoardGame> = boards.games.all().collect();
    let review = review_change(state, &draft.state, &games);
    if !review.errors.is_empty() {
        let mut reasons = review.errors;
        reasons.dedup();
        reasons = shortened(reasons);
        reasons.push("nothing was changed".to_owned());
        return Err(Refusal::Impossible(reasons));
    }
    let Draft { state: after, events, mut doubts, .. } = draft;
    if events.is_empty() {
        messages.push(format!("{}: nothing is new", command.subject()));
    }
    // The message about the round lists its pairs already.
    if !matches!(command, TournamentCommand::PairRound { .. }) {
        messages.extend(describe_changes(&command.subject(), state, &after));
    }
    let decision = Decision { events, after, messages, notes, effects: review.effects };
    doubts.extend(review.confirmations);
    if doubts.is_empty() || confirmed {
        return Ok(decision);
    }
    Err(Refusal::Unconfirmed(doubts, Box::new(decision)))
}

/// Shortens a list to a screen full of lines, then the number of the others.
pub fn shortened(mut lines: Vec<String>) -> Vec<String> {
    let others = lines.len().saturating_sub(MAX_REASONS);
    lines.truncate(MAX_REASONS);
    lines.extend((others > 0).then(|| format!("and {others} more")));
    lines
}

/// Executes a command on a draft. Returns its messages, and its notes on a file.
fn execute(
    draft: &mut Draft,
    command: &TournamentCommand,
    confirmed: bool,
) -> Result<(Vec<String>, Vec<String>), Refusal> {
    let messages = match command {
        TournamentCommand::Import { .. } => return import::import(draft, command).map(|notes| (Vec::new(), notes)),
        TournamentCommand::RoundRobin { section, double } => import::round_robin(draft, section.as_deref(), *double)?,
        TournamentCommand::PairRound { .. } => pair_round::pair(draft, command)?,
        TournamentCommand::SetRoundState { round, to, section } => {
            round::set_state(draft, (*round, to), section.as_deref(), confirmed)?
        }
        TournamentCommand::NextRound { section } => return round::next(draft, section.as_deref()),
        TournamentCommand::Undo { .. } => return Err("only the record of a tournament can undo".to_owned().into()),
        TournamentCommand::Result { .. } => result::give(draft, command)?,
        TournamentCommand::Results { name, text, section, correct } => {
            results::give(draft, (name, text), section.as_deref(), *correct)?
        }
        TournamentCommand::SetPlayers { board, game, white, black } => {
            game::set_players(draft, (board, *game), [white, black])?
        }
        TournamentCommand::Adopt { board, game, pairing, section } => {
            game::adopt(draft, (board, *game), (pairing.as_deref(), section.as_deref()), confirmed)?
        }
        TournamentCommand::AddMoves { board, game, name, text } => game::add_moves(draft, (board, *game), name, text)?,
        TournamentCommand::Replay { pairing, section } => game::replay(draft, pairing, section.as_deref())?,
        TournamentCommand::Substitute { pairing, player, substitute, section } => {
            pairing::substitute(draft, (pairing, section.as_deref()), (player, substitute), confirmed)?
        }
        TournamentCommand::Postpone { pairing, section, undo } => {
            pairing::postpone(draft, pairing, section.as_deref(), *undo)?
        }
        TournamentCommand::PlayOnBoard { pairing, board, section } => {
            pairing::play_on_board(draft, pairing, board, section.as_deref())?
        }
        TournamentCommand::Feature { boards, every, most_moves } => {
            feature::feature(draft, boards, *every, *most_moves)?
        }
        TournamentCommand::DescribeEvent { facts, schedule } => event::describe(draft, facts, schedule.as_deref())?,
        TournamentCommand::RenamePlayer { player, name, section } => {
            player::rename(draft, player, name, section.as_deref())?
        }
    };
    Ok((messages, Vec::new()))
}

/// Changes from recorded games since the last command.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BoardChanges {
    /// Events in their order; none if nothing changes.
    pub events: Vec<Event>,
    /// Messages about everything that changes.
    pub messages: Vec<String>,
    /// Board of the first game whose result became official.
    pub board: Option<String>,
}

/// Decides the consequences of recorded games: games of pairings get their names, and swapped boards their pairings. A result that an
/// operator entered for a running game becomes official, unless an arbiter has given another one.
///
/// # Errors
///
/// Returns a [`Misfit`] if the tournament contradicts itself.
pub fn apply_board_results(state: &Tournament, boards: &Boards) -> Result<BoardChanges, Misfit> {
    let mut draft = Draft::new(state, boards);
    let games = boards.games;
    let is_judged = |game: &BoardGame| {
        state.corrected(&game.board, game.number).is_some_and(|known| known.tags.contains_key("Result"))
    };
    let given = games.all().filter(|game| game.is_result_given && !is_judged(game));
    let given: Vec<&BoardGame> = given.filter(|game| games.later_part(game).is_none()).collect();
    draft.clear_results_of_resumed_games()?;
    let taken = draft.apply_board_results(&given)?;
    draft.derive_board_changes()?;
    let Draft { state: after, events, .. } = draft;
    if events.is_empty() {
        return Ok(BoardChanges::default());
    }
    let is_taken = |game: &&&BoardGame| after.pairing_of(game).is_some_and(|key| taken.contains(&key.0));
    let board = given.iter().find(is_taken).map(|game| game.board.clone());
    let messages = describe_changes("boards", state, &after);
    Ok(BoardChanges { events, messages, board })
}
