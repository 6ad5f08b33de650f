//! Effects of a change on each audience, shown by a dry run.
//!
//! | audience | sees |
//! |---|---|
//! | the boards | the players of their next games |
//! | readers of `live/` | no change, ever |
//! | readers of `games.pdn` and of a round's files | pairings, names, results, under the delay of their outlet |
//! | readers of the archive | names and results of finished games |
//! | programs that follow the events | `round`, `pairing`, `official-result`, `featured`, `tag-correction` |
//! | readers of the standings | points |

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    BoardAssignment, BoardGame, CorrectedGame, Id, Pairing, Points, RoundState, Tournament, TournamentSection,
    standings,
};

/// Maximum number of boards or players that are named; others are counted.
const MOST_NAMED: usize = 10;

/// Returns the effects on each audience, one line per effect. `games`: recorded games of boards.
pub fn dry_run(before: &Tournament, after: &Tournament, games: &[&BoardGame]) -> Vec<String> {
    let mut lines = Vec::new();
    boards(before, after, &mut lines);
    current_round(before, after, &mut lines);
    round_files(before, after, games, &mut lines);
    archive(before, after, games, &mut lines);
    events(before, after, &mut lines);
    points(before, after, &mut lines);
    lines.push("live/: nothing, what was written stays".to_owned());
    lines
}

/// Returns the next game of each board, as names and round; none if it has its result.
fn next_games(tournament: &Tournament) -> BTreeMap<String, String> {
    let next = |seat: BoardAssignment| {
        let (section, pairing) = tournament.pairing(seat.pairing.0)?;
        let open = pairing.result.is_none();
        open.then(|| (seat.board, format!("{}, round {}", section.names_of(pairing), pairing.round)))
    };
    tournament.board_assignments().into_iter().filter_map(next).collect()
}

fn boards(before: &Tournament, after: &Tournament, lines: &mut Vec<String>) {
    let (was, is) = (next_games(before), next_games(after));
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).filter(|name| was.get(*name) != is.get(*name)).collect();
    let one = |name: &&String| {
        let next = is.get(*name).map_or("none of the tournament", String::as_str);
        format!("{name}: the next game is {next}")
    };
    lines.extend(names.iter().take(MOST_NAMED).map(one));
    let more = names.len().saturating_sub(MOST_NAMED);
    lines.extend((more > 0).then(|| format!("and {more} more boards")));
}

fn current_round(before: &Tournament, after: &Tournament, lines: &mut Vec<String>) {
    let open = |of: &Tournament| -> Vec<String> {
        let rounds = of.sections.iter().filter_map(TournamentSection::open_round).collect::<BTreeSet<u32>>();
        rounds.into_iter().map(|round| format!("round {round}")).collect()
    };
    let words = |rounds: &[String]| if rounds.is_empty() { "no round".to_owned() } else { rounds.join(", ") };
    let (was, is) = (open(before), open(after));
    if was != is {
        lines.push(format!("games.pdn, started.pdn: {} ({} until now)", words(&is), words(&was)));
    }
}

/// Returns the games with changed tags, by board and number.
fn amended<'t>(before: &Tournament, after: &'t Tournament) -> Vec<(&'t str, u32)> {
    let is_new = |game: &&CorrectedGame| before.corrected(&game.board, game.number) != Some(*game);
    after.games.iter().filter(is_new).map(|game| (game.board.as_str(), game.number)).collect()
}

fn round_files(before: &Tournament, after: &Tournament, games: &[&BoardGame], lines: &mut Vec<String>) {
    let (was, is) = (before.games_of_rounds(), after.games_of_rounds());
    let name = |round: u32| format!("round/{round}/games.pdn, started.pdn");
    for (round, count) in is.iter().filter(|(round, _)| !was.contains_key(round)) {
        lines.push(format!(
            "{}: they are there from then on, for ever: {count} games of electronic boards",
            name(*round)
        ));
    }
    for round in was.keys().filter(|round| !is.contains_key(round)) {
        lines.push(format!("{}: they are not kept up any more", name(*round)));
    }
    let amended = amended(before, after);
    let is_amended = |game: &&&BoardGame| amended.contains(&(game.board.as_str(), game.number));
    let round_of = |game: &&BoardGame| Some(after.pairing(after.pairing_of(game)?.0)?.1.round);
    let mut rounds: BTreeSet<u32> = games.iter().filter(is_amended).filter_map(round_of).collect();
    let seats = |of: &Tournament, round: u32| -> Vec<BoardAssignment> {
        of.sections.iter().flat_map(|section| of.assignments_of_round(section, round)).collect()
    };
    rounds.extend(was.keys().filter(|round| seats(before, **round) != seats(after, **round)));
    for round in rounds.into_iter().filter(|round| was.contains_key(round) && is.contains_key(round)) {
        lines.push(format!("{}: with this", name(round)));
    }
}

fn archive(before: &Tournament, after: &Tournament, games: &[&BoardGame], lines: &mut Vec<String>) {
    for (board, number) in amended(before, after) {
        if games.iter().any(|game| game.is_over && game.board == board && game.number == number) {
            lines.push(format!("archive/{board}-{number}.pdn: with this"));
        }
    }
}

fn events(before: &Tournament, after: &Tournament, lines: &mut Vec<String>) {
    let shown = |of: &TournamentSection, round: u32| of.state_of(round) != RoundState::Prepared;
    let mut kinds = BTreeSet::new();
    let nothing = TournamentSection::default();
    for section in &after.sections {
        let known = before.section_with_id(section.id).unwrap_or(&nothing);
        for round in 1..=section.last_round() {
            let (was, is) = (known.state_of(round), section.state_of(round));
            let (old, new) = (known.round(round), section.round(round));
            if was != is {
                kinds.insert("round");
            }
            if !shown(section, round) {
                continue;
            }
            let is_first = !shown(known, round);
            let names = |section: &TournamentSection, of: &[&Pairing]| -> Vec<(Id, [String; 2])> {
                of.iter().map(|of| (of.id, [of.white, of.black].map(|id| section.name_of(id).to_owned()))).collect()
            };
            if is_first || names(known, &old) != names(section, &new) {
                kinds.insert("pairing");
            }
            let results = |of: &[&Pairing]| of.iter().map(|of| of.result).collect::<Vec<_>>();
            if is_first && new.iter().any(|of| of.result.is_some()) || !is_first && results(&old) != results(&new) {
                kinds.insert("official-result");
            }
        }
    }
    if before.featured != after.featured {
        kinds.insert("featured");
    }
    if !amended(before, after).is_empty() {
        kinds.insert("tag-correction");
    }
    if !kinds.is_empty() {
        lines.push(format!("events.ndjson: {}", kinds.into_iter().collect::<Vec<_>>().join(", ")));
    }
}

/// Returns the points of all players, by id.
fn points_of(section: &TournamentSection) -> BTreeMap<Id, Points> {
    let standings = standings(section, section.last_round_with_result(), &[], section.unplayed);
    standings.rows.iter().map(|row| (row.player, row.points)).collect()
}

fn points(before: &Tournament, after: &Tournament, lines: &mut Vec<String>) {
    let mut changed = Vec::new();
    for section in &after.sections {
        let Some(known) = before.section_with_id(section.id) else { continue };
        let was = points_of(known);
        for (id, points) in points_of(section) {
            if let Some(old) = was.get(&id).filter(|old| **old != points) {
                changed.push(format!("{} {points} (was {old})", section.name_of(Some(id))));
            }
        }
    }
    if changed.is_empty() {
        return;
    }
    let more = changed.len().saturating_sub(MOST_NAMED);
    changed.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    lines.push(format!("standings.json: {}{more}", changed.join(", ")));
}
