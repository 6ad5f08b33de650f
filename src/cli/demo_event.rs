//! Tournament of the demonstration: invented players, a finished first round, and a second round that the boards play.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};
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

/// Writes the tournament log for these boards into a new folder; an existing tournament stays as it is.
pub fn prepare(directory: &Path, boards: &[String]) -> anyhow::Result<()> {
    let folder = directory.join("log");
    make_folder(&folder).with_context(|| folder.display().to_string())?;
    let mut service =
        TournamentService::open(Arc::new(RealDisk), &folder).with_context(|| folder.display().to_string())?;
    if !service.log().records().is_empty() {
        return Ok(());
    }
    let board = |name: &String| StationBoard { name: name.clone(), serial: None, is_connected: false, is_known: true };
    service.set_boards(boards.iter().map(board).collect());
    let round = |round, to: &str| TournamentCommand::SetRoundState { round, to: to.to_owned(), section: None };
    for matter in [
        TournamentCommand::import_of("players.csv", players(2 * boards.len())),
        TournamentCommand::import_of("pairings.csv", pairings(boards.len())),
        round(1, "open"),
        round(1, "closed"),
        round(2, "open"),
    ] {
        let request = TournamentRequest { confirm: true, ..matter.into() };
        service
            .execute(&request, &user())
            .map_err(|refusal| anyhow!("the tournament of the demonstration: {refusal}"))?;
    }
    Ok(())
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

/// Returns both rounds as CSV: in round 1 the upper half meets the lower half, in round 2 neighbours meet.
fn pairings(boards: usize) -> String {
    let first = |board: usize| {
        let result = ["2-0", "1-1", "2-0", "0-2", "1-1"][board % 5];
        format!("1;{};\"{}\";\"{}\";{result}\n", board + 1, name(board), name(board + boards))
    };
    let second = |board: usize| {
        let pair = [2 * board, 2 * board + 1];
        // Each player had the other colour in round 1.
        let [white, black] = if board.is_multiple_of(2) { [pair[1], pair[0]] } else { pair };
        format!("2;{};\"{}\";\"{}\";*\n", board + 1, name(white), name(black))
    };
    let rounds = (0..boards).map(first).chain((0..boards).map(second));
    "Round;Board;White;Black;Result\n".to_owned() + &rounds.collect::<String>()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_board_count_has_tournament() {
        for boards in [1, 2, 3, 4, 8, 64] {
            let folder = tempfile::tempdir().unwrap();
            let names: Vec<String> = (1..=boards).map(|board| format!("board-{board}")).collect();
            prepare(folder.path(), &names).unwrap();
            let service = TournamentService::open(Arc::new(RealDisk), &folder.path().join("log")).unwrap();
            let tournament = service.tournament();
            assert_eq!(tournament.board_assignments().len(), boards, "each board has its pairing");
            let before = service.log().records().len();
            prepare(folder.path(), &names).unwrap();
            let again = TournamentService::open(Arc::new(RealDisk), &folder.path().join("log")).unwrap();
            assert_eq!(again.log().records().len(), before, "what is there stays");
        }
        let all: BTreeSet<String> = (0..128).map(name).collect();
        assert_eq!(all.len(), 128, "no two players have one name");
    }
}
