//! Review of a change for readers who already follow the tournament: errors, confirmations and effects.
//!
//! | a change | is |
//! |---|---|
//! | a player twice in a round; another order, or fewer boards, in a published round; more games in a file than its reader accepts | refused: a relay that reads it would fail for all boards |
//! | a pair that has met; a name like another's; a result that the board does not show | to be confirmed |
//! | other players, round, event or site after publication; another result after the last one | executed, with a message about its effect |
//!
//! Only problems that the change introduces count.
//!
//! Source: the source text of lidraughts, `modules/relay` and `modules/study`: games are matched by their place in the file, a study has at
//! most 64 chapters, and the title of a chapter stays as it was made.

use std::collections::{BTreeMap, BTreeSet};

use draughts_pdn::problem::quote;
use draughts_pdn::tag_values::Outcome;

use crate::import::import_file::normalised;
use crate::value::result::result_of;
use crate::{BoardGame, HIDDEN_NAME, Id, Pairing, RoundState, Tournament, TournamentSection};

/// Outcome of reviewing a change.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ChangeReview {
    /// Reasons why the change is impossible.
    pub errors: Vec<String>,
    /// Reasons why the change needs a confirmation.
    pub confirmations: Vec<String>,
    /// Effects on readers.
    pub effects: Vec<String>,
}

/// Tags by which readers identify a game.
const IDENTITY: [&str; 5] = ["White", "Black", "Round", "Event", "Site"];

/// Compares a tournament before and after a change. `games`: recorded games of boards.
pub fn review_change(before: &Tournament, after: &Tournament, games: &[&BoardGame]) -> ChangeReview {
    let mut guards = ChangeReview::default();
    let nothing = TournamentSection::default();
    let mut last: BTreeMap<Id, &BoardGame> = BTreeMap::new();
    for game in games {
        if let Some((id, _)) = after.pairing_of(game) {
            last.insert(id, game);
        }
    }
    for section in &after.sections {
        let known = before.section_with_id(section.id).unwrap_or(&nothing);
        if section == known && before.event == after.event {
            continue;
        }
        twice_in_a_round(known, section, &mut guards.errors);
        order(known, section, &mut guards.errors);
        met_before(known, section, &mut guards.confirmations);
        similar_names(known, section, &mut guards.confirmations);
        results(known, section, &last, &mut guards);
        identity((before, known), (after, section), &mut guards.effects);
    }
    order_of_sections(before, after, &mut guards.errors);
    guards
}

/// Returns the players of all rounds, once per game or bye.
fn players_of_rounds(section: &TournamentSection) -> impl Iterator<Item = (u32, Id)> + '_ {
    let pairings = section.pairings.iter().flat_map(|of| of.players().map(|id| (of.round, id)));
    pairings.chain(section.byes.iter().map(|bye| (bye.round, bye.player)))
}

fn twice_in_a_round(known: &TournamentSection, section: &TournamentSection, refused: &mut Vec<String>) {
    let twice = |section: &TournamentSection| -> BTreeSet<(u32, Id)> {
        let mut seen = BTreeSet::new();
        players_of_rounds(section).filter(|one| !seen.insert(*one)).collect()
    };
    for (round, id) in twice(section).difference(&twice(known)) {
        refused.push(format!("{} would play twice in round {round}", section.name_of(Some(*id))));
    }
}

/// Returns the rounds that are public before and after the change.
fn published<'s>(known: &'s TournamentSection, section: &'s TournamentSection) -> impl Iterator<Item = u32> + 's {
    let rounds = known.rounds.iter().filter(|round| round.state != RoundState::Prepared).map(|round| round.number);
    rounds.filter(|round| section.state_of(*round) != RoundState::Prepared)
}

/// Returns the two players, independent of colour.
fn pair(of: &Pairing) -> (Option<Id>, Option<Id>) {
    (of.white.min(of.black), of.white.max(of.black))
}

/// Readers identify a game by its place in the file, people by its board.
fn order(known: &TournamentSection, section: &TournamentSection, refused: &mut Vec<String>) {
    for round in published(known, section) {
        let (was, is) = (known.round(round), section.round(round));
        let place = |at: usize| is.iter().position(|one| pair(one) == pair(was[at])).filter(|new| *new != at);
        let board = |at: usize| {
            let same = is.iter().find(|one| one.id == was[at].id)?;
            (same.board != was[at].board && was[at].board.is_some()).then_some(same.board?)
        };
        let moved = || (0..was.len()).find_map(|at| Some((at, place(at)?)));
        let renumbered = || (0..was.len()).find_map(|at| Some((at, board(at)?)));
        let what = if is.len() < was.len() {
            format!("it would have {} boards and has {}", is.len(), was.len())
        } else if let Some((at, new)) = moved() {
            format!(
                "{} would move from place {} of the file to place {}",
                known.describe_pairing(was[at]),
                at + 1,
                new + 1
            )
        } else if let Some((at, new)) = renumbered() {
            format!("{} would be on board {new}", known.describe_pairing(was[at]))
        } else {
            continue;
        };
        refused.push(format!(
            "round {round} of {} is {}: its pairings keep their boards and their order, for readers know games by their place in the file; \
             {what}. `damcast ctl round withdraw {round}` takes back a publication, if nobody reads it yet",
            section.name,
            known.state_of(round).name()
        ));
    }
}

/// The file of a round has its sections in their order.
fn order_of_sections(before: &Tournament, after: &Tournament, refused: &mut Vec<String>) {
    let has_file = |of: &TournamentSection, round: u32| of.state_of(round) != RoundState::Prepared;
    for (at, section) in after.sections.iter().enumerate() {
        let known = |of: &TournamentSection| before.section_with_id(of.id);
        for round in section.rounds.iter().filter(|round| round.state != RoundState::Prepared) {
            let number = round.number;
            if known(section).is_some_and(|known| has_file(known, number)) {
                continue;
            }
            let behind = after.sections[at + 1..].iter().find(|of| known(of).is_some_and(|of| has_file(of, number)));
            if let Some(behind) = behind.filter(|behind| has_file(behind, number)) {
                refused.push(format!(
                    "round {number} of {} is published already, and that of {} would come before it in its file: \
                     `damcast ctl round withdraw {number}` takes back the publication; then publish both at once",
                    behind.name, section.name
                ));
            }
        }
    }
}

/// In a Swiss tournament no two players meet twice. If all players have met, it is no Swiss; played games cannot be changed.
fn met_before(known: &TournamentSection, section: &TournamentSection, asked: &mut Vec<String>) {
    if section.has_matches() {
        return;
    }
    let old: BTreeSet<Id> = known.pairings.iter().map(|pairing| pairing.id).collect();
    let mut met: BTreeMap<Id, BTreeMap<Id, u32>> = BTreeMap::new();
    let mut pairings: Vec<&Pairing> = section.pairings.iter().collect();
    pairings.sort_by_key(|pairing| (pairing.round, pairing.id));
    for pairing in pairings {
        let (Some(white), Some(black)) = (pairing.white, pairing.black) else { continue };
        let first = met.get(&white).and_then(|of| of.get(&black)).copied();
        let has_met_all = |id: Id| met.get(&id).is_some_and(|of| of.len() + 1 >= section.players.len());
        if let Some(first) = first
            && first < pairing.round
            && pairing.result.is_none()
            && !old.contains(&pairing.id)
            && !(has_met_all(white) && has_met_all(black))
        {
            asked.push(format!("{}: they have met in round {first}", section.describe_pairing(pairing)));
        }
        for (one, other) in [(white, black), (black, white)] {
            met.entry(one).or_default().entry(other).or_insert(pairing.round);
        }
    }
}

/// Names that differ only in order, accents, case or full stops may belong to one player.
fn similar_names(known: &TournamentSection, section: &TournamentSection, asked: &mut Vec<String>) {
    let is_known = |id: Id, name: &str| known.player(id).is_some_and(|player| player.name == name);
    // A file that gives a new player a number of his own means two players.
    let number = |id: Id| section.player(id).and_then(|player| player.number);
    let is_new = |id: Id| known.player(id).is_none();
    let has_own_numbers = |one: Id, other: Id| {
        (is_new(one) || is_new(other)) && number(one).zip(number(other)).is_some_and(|(one, other)| one != other)
    };
    let mut names: BTreeMap<String, Vec<(Id, &str)>> = BTreeMap::new();
    for player in &section.players {
        let plain = normalised(&player.name);
        let mut words: Vec<&str> = plain.split(' ').collect();
        words.sort_unstable();
        names.entry(words.join(" ")).or_default().push((player.id, &player.name));
    }
    for alike in names.into_values() {
        for (at, (id, name)) in alike.iter().enumerate() {
            let is_asked = |(of, other): &&(Id, &str)| {
                other != name && !(is_known(*id, name) && is_known(*of, other)) && !has_own_numbers(*id, *of)
            };
            let other = alike[..at].iter().find(is_asked);
            if let Some((_, other)) = other {
                asked.push(format!("{} and {} would be two players", quote(other), quote(name)));
            }
            let was_another = |id: Id| known.player(id).is_some_and(|player| player.name != *name);
            let is_same = |(of, other): &&(Id, &str)| {
                other == name && *other != HIDDEN_NAME && (was_another(*id) || was_another(*of))
            };
            if alike[..at].iter().any(|one| is_same(&one)) {
                asked.push(format!("two players would be called {}", quote(name)));
            }
        }
    }
}

fn results(
    known: &TournamentSection,
    section: &TournamentSection,
    last: &BTreeMap<Id, &BoardGame>,
    guards: &mut ChangeReview,
) {
    let old: BTreeMap<Id, &Pairing> = known.pairings.iter().map(|pairing| (pairing.id, pairing)).collect();
    let mut changed: BTreeSet<u32> = BTreeSet::new();
    for pairing in &section.pairings {
        let before = old.get(&pairing.id);
        let was = before.and_then(|before| before.result);
        if pairing.result == was {
            continue;
        }
        if was.is_some() {
            changed.insert(pairing.round);
        }
        // A board has a pairing if it was assigned before the change.
        let is_seated = before.is_some_and(|before| !before.board_name.is_empty());
        let Some(result) = pairing.result.filter(|result| result.reason.is_played() && is_seated) else { continue };
        let doubt = match last.get(&pairing.id) {
            None => format!("{} has no game of it; is it a forfeit?", pairing.board_name),
            Some(_) if !pairing.games.is_empty() => continue,
            Some(game) if !game.is_over => {
                let board = &game.board;
                format!(
                    "its game on {board} goes on, and this does not end it; `damcast ctl result {board} {result}` does"
                )
            }
            Some(game) => {
                let Some(shown) = game.result.as_deref() else { continue };
                let counted = result_of(&section.scoring, result.white, result.black);
                if Outcome::parse(shown).is_none_or(|shown| shown == Outcome::Open || shown == counted) {
                    continue;
                }
                format!("{} ended with {shown}", game.board)
            }
        };
        guards.confirmations.push(format!("{}: {result}, but {doubt}", section.describe_pairing(pairing)));
    }
    for round in published(known, section).filter(|round| changed.contains(round)) {
        if known.round(round).iter().all(|pairing| pairing.result.is_some()) {
            guards.effects.push(format!(
                "all games of round {round} had ended: lidraughts has stopped reading its file; click \"connect\" there"
            ));
        }
    }
}

/// Readers also identify a game by its names, and some never change listed games.
fn identity(
    (before, known): (&Tournament, &TournamentSection),
    (after, section): (&Tournament, &TournamentSection),
    messages: &mut Vec<String>,
) {
    for round in published(known, section) {
        // Old and new value of each tag, with the number of games and the first of them.
        let mut changes: BTreeMap<(&str, String, String), (usize, Option<u32>)> = BTreeMap::new();
        let is = section.round(round);
        for (was, is) in known.round(round).iter().filter_map(|was| Some((was, is.iter().find(|is| is.id == was.id)?)))
        {
            let (was, new) = (before.tags_of(known, was, None), after.tags_of(section, is, None));
            let of = |tags: &[(String, String)], name: &str| {
                tags.iter().find(|(known, _)| known == name).map_or(String::new(), |(_, value)| value.clone())
            };
            for name in IDENTITY {
                let (was, new) = (of(&was, name), of(&new, name));
                if was != new {
                    changes.entry((name, was, new)).or_insert((0, is.board)).0 += 1;
                }
            }
        }
        if changes.is_empty() {
            continue;
        }
        for ((name, was, new), (count, board)) in changes {
            let whose = match (count, board) {
                (1, Some(board)) => format!("board {board}"),
                (1, None) => "a game".to_owned(),
                _ => format!("{count} games"),
            };
            let shown = |value: &str| if value.is_empty() { "nothing".to_owned() } else { quote(value) };
            messages.push(format!(
                "round {round} is published: {name} of {whose} becomes {} (was {})",
                shown(&new),
                shown(&was)
            ));
        }
        messages.push(match is.len() {
            1 => format!("round {round} has one game: lidraughts takes it for another one now"),
            _ => format!("games.pdn, the file of round {round}, archive and pages follow; the list of games at lidraughts never does"),
        });
    }
}
