//! Exchange with a program that pairs Swiss rounds: the file that it reads, and the pairs that it writes.
//!
//! The file is the TRF of FIDE of 2016 with the additional lines `XXR`, `XXC`, `XXP` and `XXS` of JaVaFo, which bbpPairings, py4swiss
//! and others read. Such programs count in the points of chess, and know players by numbers from 1 without gaps. So points are converted,
//! and the file has numbers of its own. It has the players' facts only as far as they matter for pairing.
//!
//! ```text
//!   section ─▸ EngineFile ─▸ text ─▸ the program ─▸ pairs ─▸ EngineFile::command ─▸ TournamentCommand::PairRound
//! ```
//!
//! Sources: FIDE Handbook C.04.2 (general rules of the Swiss system) and C.04.A annex 2 (TRF); bbpPairings, README and
//! `fileformats/trf.cpp`; JaVaFo, Advanced User Manual.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::command::find_only_player;
use crate::{
    Bye, ByeKind, Id, OfficialResult, Pairing, Points, ResultReason, Scoring, TournamentCommand, TournamentSection,
};

/// Choices of an arbiter for the next round.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NextRoundChoices {
    /// Absent players, by name or number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// Players who are present although they were absent in the last round, by name or number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub present: Vec<String>,
    /// Number of rounds of the tournament, if the section has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Whether the first player of the list has Black in the first round.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_has_black: bool,
}

/// A file for a program that pairs Swiss rounds, with the meaning of its numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineFile {
    /// Name of the section.
    pub section: String,
    /// Number of the round to be paired.
    pub round: u32,
    /// Number of rounds of the tournament.
    pub rounds: u32,
    /// Content of the file.
    pub text: String,
    /// Facts that an arbiter should know before the round is paired.
    pub notes: Vec<String>,
    /// Players in the order of their numbers in the file, from 1.
    players: Vec<EnginePlayer>,
}

/// A player in the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct EnginePlayer {
    id: Id,
    name: String,
    /// Whether the player is to be paired.
    plays: bool,
}

/// Points and the letter of one player in one round, in the points of chess times two.
#[derive(Clone)]
struct EngineCell {
    text: String,
    half_points: u32,
}

/// Cell of a player without an opponent and without points.
const ABSENT: &str = "0000 - Z";

impl EngineFile {
    /// Writes the file for the next round of a section: the one after the last with pairings.
    ///
    /// # Errors
    ///
    /// Returns a message with the reason why the section cannot be paired: results are missing, the scoring has no counterpart in chess,
    /// teams play matches, or a player is unknown.
    pub fn new(section: &TournamentSection, choices: &NextRoundChoices) -> Result<EngineFile, String> {
        check_section(section)?;
        let round = section.pairings.iter().map(|pairing| pairing.round).max().unwrap_or(0) + 1;
        let rounds = choices.rounds.or(section.planned).ok_or_else(|| {
            "the number of rounds is not known, and a pairing program needs it: repeat with --rounds".to_owned()
        })?;
        if round > rounds {
            return Err(format!("all {rounds} rounds are paired; --rounds sets another number"));
        }
        let mut notes = missing_results(section, round)?;
        let players = players(section, round, choices)?;
        if players.iter().filter(|player| player.plays).count() < 2 {
            return Err(format!("round {round} has fewer than two players who are present"));
        }
        let numbers: BTreeMap<Id, usize> = players.iter().map(|player| player.id).zip(1..).collect();
        let mut lines = Vec::new();
        lines.push(format!("XXR {rounds}"));
        lines.push(format!("XXC {}", if first_has_black(section, &players, choices) { "black1" } else { "white1" }));
        let bye = half_points(&section.scoring, section.scoring.bye);
        if bye != Some(2) {
            let half =
                bye.ok_or_else(|| format!("a bye of {} points has no counterpart in chess", section.scoring.bye))?;
            // JaVaFo and py4swiss read the first, bbpPairings the second.
            lines.push(format!("XXS PAB={}", chess_points(half)));
            lines.push(format!("BBU {:>4}", chess_points(half)));
        }
        let mut cells: BTreeMap<(Id, u32), EngineCell> = BTreeMap::new();
        for pairing in section.pairings.iter().filter(|pairing| pairing.round < round) {
            let [white, black] = cells_of(section, pairing, &numbers)?;
            if let (Some(one), Some(other), false) = (pairing.white, pairing.black, meets(&white)) {
                lines.push(format!("XXP {} {}", numbers[&one], numbers[&other]));
                notes.push(format!("{}: its result has no counterpart in chess", section.describe_pairing(pairing)));
            }
            for (id, cell) in [(pairing.white, white), (pairing.black, black)] {
                cells.extend(id.map(|id| ((id, pairing.round), cell)));
            }
        }
        for bye in section.byes.iter().filter(|bye| bye.round < round) {
            cells.insert((bye.player, bye.round), cell_of_bye(bye, &section.scoring));
        }
        for (player, number) in players.iter().zip(1u32..) {
            lines.push(player_line(section, player, number, round, &cells));
        }
        let absent: Vec<&str> = players.iter().filter(|player| !player.plays).map(|player| &*player.name).collect();
        if !absent.is_empty() {
            notes.push(format!("not paired in round {round}: {}", absent.join(", ")));
        }
        let text = format!("012 round {round}\n{}\n", lines.join("\n"));
        Ok(EngineFile { section: section.name.clone(), round, rounds, text, notes, players })
    }

    /// Reads the pairs of the program, and returns the command that imports them. The first line is the number of pairs; a pair is two
    /// numbers, White first; 0 means no opponent.
    ///
    /// # Errors
    ///
    /// Returns a message if the pairs are not those of a round: a number is unknown, or a player is missing, absent or paired twice.
    pub fn command(&self, output: &str) -> Result<TournamentCommand, String> {
        let wrong = |what: String| format!("the pairing program wrote no pairs of round {}: {what}", self.round);
        let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
        let count: Option<usize> = lines.next().and_then(|line| line.parse().ok());
        let (mut pairs, mut byes, mut seen) = (Vec::new(), Vec::new(), vec![false; self.players.len()]);
        let mut read = 0;
        for line in lines {
            read += 1;
            let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let &[white, black] = numbers.as_slice() else {
                return Err(wrong(format!("`{}` is no pair of numbers", line.escape_debug())));
            };
            let mut ids = Vec::new();
            for number in [white, black].into_iter().filter(|number| *number != 0) {
                let player = self.players.get(number - 1).ok_or_else(|| wrong(format!("it has no player {number}")))?;
                if std::mem::replace(&mut seen[number - 1], true) {
                    return Err(wrong(format!("{} is paired twice", player.name)));
                }
                if !player.plays {
                    return Err(wrong(format!("{} is absent, and is paired", player.name)));
                }
                ids.push(player.id);
            }
            match *ids.as_slice() {
                [white, black] => pairs.push([white, black]),
                [alone] => byes.push(alone),
                _ => return Err(wrong(format!("`{line}` has no player"))),
            }
        }
        if count != Some(read) {
            return Err(wrong(format!("the first line is the number of pairs, and {read} follow")));
        }
        if let Some((player, _)) = self.players.iter().zip(&seen).find(|(player, seen)| player.plays && !**seen) {
            return Err(wrong(format!("{} is missing", player.name)));
        }
        let (section, rounds) = (Some(self.section.clone()), Some(self.rounds));
        Ok(TournamentCommand::PairRound { round: self.round, pairs, byes, rounds, section })
    }
}

fn check_section(section: &TournamentSection) -> Result<(), String> {
    let Scoring { win, draw, loss, is_micro_match, .. } = section.scoring;
    if section.has_matches() {
        return Err(format!("teams play matches in section {}: pair them with your pairing program", section.name));
    }
    if is_micro_match || draw - loss != win - draw {
        return Err(format!(
            "section {} counts {}-{}-{}{}: pairing programs know 1-½-0 alone, where a draw is half a win",
            section.name,
            win,
            draw,
            loss,
            if is_micro_match { " in micro-matches" } else { "" }
        ));
    }
    Ok(())
}

/// Checks that the rounds before this one have all results. Returns notes about pairings that are played later: they count as draws, FIDE
/// Handbook C.04.2, D.8.
fn missing_results(section: &TournamentSection, round: u32) -> Result<Vec<String>, String> {
    let before = |pairing: &&Pairing| pairing.round < round && pairing.result.is_none();
    let open: Vec<&Pairing> = section.pairings.iter().filter(before).collect();
    let (later, missing): (Vec<&Pairing>, Vec<&Pairing>) =
        open.into_iter().partition(|pairing| pairing.deferral.is_some());
    if let Some(first) = missing.first() {
        let others = if missing.len() == 1 { String::new() } else { format!(", and {} more", missing.len() - 1) };
        let named = section.describe_pairing(first);
        return Err(format!("round {round} is paired once all results are known: that of {named}{others} is missing"));
    }
    let note = |pairing: &&Pairing| {
        format!("{} is played later, and counts as a draw in this pairing", section.describe_pairing(pairing))
    };
    Ok(later.iter().map(note).collect())
}

/// Returns the players in the order of their numbers; those without one follow by rating.
fn players(section: &TournamentSection, round: u32, choices: &NextRoundChoices) -> Result<Vec<EnginePlayer>, String> {
    let find = |called: &String| find_only_player(section, called);
    let absent = choices.absent.iter().map(find).collect::<Result<Vec<Id>, String>>()?;
    let present = choices.present.iter().map(find).collect::<Result<Vec<Id>, String>>()?;
    let has_bye = |id: Id, round: u32, kinds: &[ByeKind]| {
        section.byes.iter().any(|bye| bye.player == id && bye.round == round && kinds.contains(&bye.kind))
    };
    let was_absent = |id: Id| round > 1 && has_bye(id, round - 1, &[ByeKind::Absent]) && !present.contains(&id);
    let mut sorted: Vec<_> = section.players.iter().collect();
    sorted.sort_by_key(|player| {
        (player.number.unwrap_or(u32::MAX), std::cmp::Reverse(player.rating.unwrap_or(0)), player.id)
    });
    let player = |player: &&crate::Player| EnginePlayer {
        id: player.id,
        name: player.name.clone(),
        plays: !(absent.contains(&player.id) || was_absent(player.id) || has_bye(player.id, round, &ByeKind::ALL)),
    };
    Ok(sorted.iter().map(player).collect())
}

/// Whether the first player had Black in the first round with games, or is to have it.
fn first_has_black(section: &TournamentSection, players: &[EnginePlayer], choices: &NextRoundChoices) -> bool {
    let first = section.pairings.iter().filter(|pairing| !pairing.has_one_player()).map(|pairing| pairing.round).min();
    let Some(first) = first else { return choices.first_has_black };
    let of_round: Vec<&Pairing> = section.pairings.iter().filter(|pairing| pairing.round == first).collect();
    let colour = |id: Id| of_round.iter().find(|pairing| pairing.opponent(id).is_some()).map(|of| of.black == Some(id));
    players.iter().find_map(|player| colour(player.id)).unwrap_or(false)
}

/// Returns points of the section as points of chess, times two; `None` if chess has no such points.
fn half_points(scoring: &Scoring, points: Points) -> Option<u32> {
    let all = [scoring.loss, scoring.draw, scoring.win];
    all.iter().position(|known| *known == points).map(|place| place as u32)
}

fn chess_points(half_points: u32) -> String {
    format!("{}.{}", half_points / 2, half_points % 2 * 5)
}

/// Whether the cell names an opponent.
fn meets(cell: &EngineCell) -> bool {
    !cell.text.starts_with("0000")
}

/// Returns the cells of both sides of a pairing, White first.
fn cells_of(
    section: &TournamentSection,
    pairing: &Pairing,
    numbers: &BTreeMap<Id, usize>,
) -> Result<[EngineCell; 2], String> {
    let scoring = &section.scoring;
    let result = pairing.result.unwrap_or(OfficialResult {
        white: scoring.draw,
        black: scoring.draw,
        reason: ResultReason::Played,
    });
    let number = |id: Option<Id>| id.and_then(|id| numbers.get(&id)).copied();
    let (Some(white), Some(black)) = (number(pairing.white), number(pairing.black)) else {
        let alone = |points: Points| match result.reason {
            ResultReason::Bye if points == scoring.bye => Ok(bye_without_opponent(scoring)),
            _ => half_points(scoring, points).map(cell_alone).ok_or_else(|| no_counterpart(section, pairing, &result)),
        };
        let points = result.points_of(pairing.white.is_some());
        let cell = alone(points)?;
        return Ok([cell.clone(), cell]);
    };
    // A draw with a plus, 1½-½ by the rule of Delft, is a draw: advantages decide only between players with equal points.
    let is_split = result.white + result.black == scoring.draw + scoring.draw
        && result.reason.is_played()
        && [result.white, result.black].iter().all(|points| *points != scoring.win && *points != scoring.loss);
    let halves = match is_split {
        true => Some((1, 1)),
        false => half_points(scoring, result.white).zip(half_points(scoring, result.black)),
    };
    let (white_half, black_half) = halves.ok_or_else(|| no_counterpart(section, pairing, &result))?;
    let letters = match (white_half, black_half, result.reason.is_played()) {
        (2, 0, true) => Some(('1', '0')),
        (0, 2, true) => Some(('0', '1')),
        (1, 1, true) => Some(('=', '=')),
        (2, 0, false) => Some(('+', '-')),
        (0, 2, false) => Some(('-', '+')),
        (0, 0, false) => Some(('-', '-')),
        _ => None,
    };
    Ok(match letters {
        Some((one, other)) => [
            EngineCell { text: format!("{black:>4} w {one}"), half_points: white_half },
            EngineCell { text: format!("{white:>4} b {other}"), half_points: black_half },
        ],
        // No letters for such a game: the players get points without an opponent, and may not meet again.
        None => [cell_alone(white_half), cell_alone(black_half)],
    })
}

fn no_counterpart(section: &TournamentSection, pairing: &Pairing, result: &OfficialResult) -> String {
    let named = section.describe_pairing(pairing);
    format!("{named}: {result} has no counterpart in chess, and a pairing program knows win, draw and loss alone")
}

fn cell_of_bye(bye: &Bye, scoring: &Scoring) -> EngineCell {
    let half = match bye.kind {
        ByeKind::NoOpponent => return bye_without_opponent(scoring),
        ByeKind::Full | ByeKind::Won => 2,
        ByeKind::Half => 1,
        ByeKind::Lost => 0,
        ByeKind::Absent => half_points(scoring, bye.points).unwrap_or(0),
    };
    cell_alone(half)
}

/// Returns the cell of a player for whom no opponent was left. `XXS` or `BBU` says what it counts.
fn bye_without_opponent(scoring: &Scoring) -> EngineCell {
    EngineCell { text: "0000 - U".to_owned(), half_points: half_points(scoring, scoring.bye).unwrap_or(2) }
}

/// Returns the cell of a player with points and without an opponent.
fn cell_alone(half_points: u32) -> EngineCell {
    let letter = match half_points {
        0 => 'Z',
        1 => 'H',
        _ => 'F',
    };
    EngineCell { text: format!("0000 - {letter}"), half_points }
}

/// Returns the line of a player. Its columns are counted in bytes by some programs, so the name is ASCII.
fn player_line(
    section: &TournamentSection,
    player: &EnginePlayer,
    number: u32,
    round: u32,
    cells: &BTreeMap<(Id, u32), EngineCell>,
) -> String {
    let of = |round: u32| cells.get(&(player.id, round));
    let half_points: u32 = (1..round).filter_map(of).map(|cell| cell.half_points).sum();
    let is_plain = |c: char| c.is_ascii_graphic() || c == ' ';
    let name: String = player.name.chars().take(33).map(|c| if is_plain(c) { c } else { '?' }).collect();
    let rating = section.player(player.id).and_then(|player| player.rating).unwrap_or(0).min(9999);
    let points = chess_points(half_points);
    let mut line =
        format!("001 {number:>4} {:4} {name:<33} {rating:>4} {:3} {:11} {:10} {points:>4} {number:>4}", "", "", "", "");
    for round in 1..round {
        let _ = write!(line, "  {}", of(round).map_or(ABSENT, |cell| &cell.text));
    }
    if !player.plays {
        let _ = write!(line, "  {ABSENT}");
    }
    line
}
