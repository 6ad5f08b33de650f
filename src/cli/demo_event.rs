//! Tournament of the demonstration: invented players, a finished first round, and rounds that the boards play, with an arbiter who
//! enters the results and opens the next round.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use damcast::control::ClientRequest;
use damcast::control::client::Client;
use damcast::control::tournament::TournamentRequest;
use damcast::station::disk::{RealDisk, make_folder};
use damcast::station::tournament_service::{StationBoard, TournamentService};
use damcast::tournament::TournamentCommand;

use super::tournament::user;

/// Family names of the invented players, taken from trees and birds.
const NAMES: [&str; 32] = [
    "Alder",
    "Birch",
    "Cedar",
    "Dunlin",
    "Elder",
    "Finch",
    "Gannet",
    "Hazel",
    "Ibis",
    "Juniper",
    "Kestrel",
    "Linden",
    "Maple",
    "Nuthatch",
    "Olive",
    "Plover",
    "Quail",
    "Rowan",
    "Siskin",
    "Teal",
    "Upland",
    "Vireo",
    "Willow",
    "Yew",
    "Acacia",
    "Brambling",
    "Cypress",
    "Dove",
    "Egret",
    "Fir",
    "Grebe",
    "Heron",
];
/// Titles, the highest first; most players have none.
const TITLES: [&str; 4] = ["GMI", "MI", "MF", ""];
/// Codes of the Olympic Committee, so that flags and columns have contents.
const FEDERATIONS: [&str; 6] = ["NED", "FRA", "LTU", "SEN", "BRA", "LAT"];

/// Returns the name of a board's line.
pub fn board_name(index: usize) -> String {
    format!("board-{}", index + 1)
}

/// Writes the tournament log for these boards into a new folder; an existing tournament stays as it is. The boards play so many `rounds`.
/// Returns whether the tournament is new.
pub fn prepare(directory: &Path, boards: usize, rounds: usize) -> anyhow::Result<bool> {
    let folder = directory.join("log");
    make_folder(&folder).with_context(|| folder.display().to_string())?;
    let mut service =
        TournamentService::open(Arc::new(RealDisk), &folder).with_context(|| folder.display().to_string())?;
    if !service.log().records().is_empty() {
        return Ok(false);
    }
    let board = |index| StationBoard { name: board_name(index), serial: None, is_connected: false, is_known: true };
    service.set_boards((0..boards).map(board).collect());
    let round = |round, to: &str| TournamentCommand::SetRoundState { round, to: to.to_owned(), section: None };
    for matter in [
        TournamentCommand::import_of("players.csv", players(2 * boards)),
        TournamentCommand::import_of("pairings.csv", pairings(boards, rounds)),
        round(1, "open"),
        round(1, "closed"),
        round(2, "open"),
    ] {
        let request = TournamentRequest { confirm: true, ..matter.into() };
        service
            .execute(&request, &user())
            .map_err(|refusal| anyhow!("the tournament of the demonstration: {refusal}"))?;
    }
    Ok(true)
}

fn name(player: usize) -> String {
    let initial = char::from(b'A' + (player / NAMES.len() * 5 + player * 7 % 23) as u8 % 26);
    format!("{}, {initial}.", NAMES[player % NAMES.len()])
}

/// Returns the players as CSV, the strongest first.
fn players(count: usize) -> String {
    let line = |player: usize| {
        let (title, federation) = (TITLES[(player / 2).min(3)], FEDERATIONS[player * 5 % FEDERATIONS.len()]);
        format!("{};\"{}\";{title};{};{federation}\n", player + 1, name(player), 2390 - player * 17 % 900)
    };
    "Number;Name;Title;Rating;Federation\n".to_owned() + &(0..count).map(line).collect::<String>()
}

/// Returns the result of a game as the arbiter enters it; `number` counts boards and rounds.
fn result(number: usize) -> &'static str {
    ["2-0", "1-1", "2-0", "0-2", "1-1"][number % 5]
}

/// Returns the rounds as CSV: in round 1 the upper half meets the lower half, in round 2 neighbours meet, and from then on the upper half
/// meets the lower half again, one further each round.
fn pairings(boards: usize, rounds: usize) -> String {
    let first =
        |board: usize| format!("1;{};\"{}\";\"{}\";{}\n", board + 1, name(board), name(board + boards), result(board));
    let second = |board: usize| {
        let pair = [2 * board, 2 * board + 1];
        // Each player had the other colour in round 1.
        let [white, black] = if board.is_multiple_of(2) { [pair[1], pair[0]] } else { pair };
        format!("2;{};\"{}\";\"{}\";*\n", board + 1, name(white), name(black))
    };
    let later = |round: usize, board: usize| {
        let pair = [board, boards + (board + round - 2) % boards];
        let [white, black] = if (round + board).is_multiple_of(2) { [pair[1], pair[0]] } else { pair };
        format!("{round};{};\"{}\";\"{}\";*\n", board + 1, name(white), name(black))
    };
    let all = (0..boards).map(first).chain((0..boards).map(second));
    let later = (3..rounds + 2).flat_map(|round| (0..boards).map(move |board| later(round, board)));
    "Round;Board;White;Black;Result\n".to_owned() + &all.chain(later).collect::<String>()
}

/// Enters the results of a round that the boards have played, and opens the next round unless this was the last one.
pub fn finish_round(socket: PathBuf, boards: usize, round: usize, is_last: bool) -> anyhow::Result<()> {
    let results = (0..boards).map(|board| format!("{};{}\n", board + 1, result(board + 2 * round))).collect();
    let results =
        TournamentCommand::Results { name: "results".to_owned(), text: results, section: None, correct: false };
    let next = (!is_last).then_some(TournamentCommand::NextRound { section: None });
    let mut client = Client::connect(vec![socket])?;
    for command in std::iter::once(results).chain(next) {
        let request = TournamentRequest { confirm: true, ..command.into() };
        let request = ClientRequest::Tournament { request: Box::new(request), until: None };
        let patience = request.timeout();
        let reply = client.request(request, patience, |_| {})?;
        anyhow::ensure!(reply.ok, "the arbiter of the demonstration: {}", reply.error.unwrap_or_default());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_board_count_has_tournament() {
        for boards in [1, 2, 3, 4, 8, 64] {
            let folder = tempfile::tempdir().unwrap();
            assert!(prepare(folder.path(), boards, 4).unwrap());
            let service = TournamentService::open(Arc::new(RealDisk), &folder.path().join("log")).unwrap();
            let tournament = service.tournament();
            assert_eq!(tournament.board_assignments().len(), boards, "each board has its pairing");
            let before = service.log().records().len();
            assert!(!prepare(folder.path(), boards, 4).unwrap());
            let again = TournamentService::open(Arc::new(RealDisk), &folder.path().join("log")).unwrap();
            assert_eq!(again.log().records().len(), before, "what is there stays");
        }
        let all: BTreeSet<String> = (0..128).map(name).collect();
        assert_eq!(all.len(), 128, "no two players have one name");
    }
}
