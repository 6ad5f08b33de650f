//! Results of a whole round from lines `board;result`.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{BoardGames, Boards, Decision, Refusal, Tournament, TournamentCommand, decide};

const ROUND: &str = "Round;Board;White;Black\n1;1;Ann;Bob\n1;2;Cor;Dirk\n1;3;Eva;Fred\n";

fn decided(state: &Tournament, command: &TournamentCommand) -> Result<Decision, Refusal> {
    let (games, names) = (BoardGames::default(), ["a".to_owned(), "b".to_owned()]);
    let by_number = names.clone().map(Some);
    let boards = Boards { names: &names, by_number: &by_number, ..Boards::unknown(&games) };
    decide(state, &boards, command, true)
}

fn open_round() -> Tournament {
    let import = TournamentCommand::import_of("round.csv", ROUND.to_owned());
    let open = TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None };
    let imported = decided(&Tournament::default(), &import).unwrap().after;
    decided(&imported, &open).unwrap().after
}

fn results(text: &str, correct: bool) -> TournamentCommand {
    TournamentCommand::Results { name: "r.csv".to_owned(), text: text.to_owned(), section: None, correct }
}

fn given(state: &Tournament) -> Vec<String> {
    let result = |result: Option<_>| {
        result.map_or("*".to_owned(), |result: draughts_tournament::OfficialResult| result.to_string())
    };
    state.sections[0].pairings.iter().map(|of| result(of.result)).collect()
}

#[test]
fn board_is_number_or_name_and_known_result_stays() {
    let state = open_round();
    let decision = decided(&state, &results("Board;Result\n# morning\n1; 1-0\n\nb;1-1\n3,\"0-2\"\n", false)).unwrap();
    assert_eq!(given(&decision.after), ["2-0", "1-1", "0-2"]);
    assert!(decision.messages[0].ends_with("2-0 (was *); 1-0 counts as 2-0"), "{:?}", decision.messages);
    assert!(decision.messages[1].ends_with("1-1 (was *)"), "{:?}", decision.messages);
    let again = decided(&decision.after, &results("1;2-0\n2;1-1\n", false)).unwrap();
    assert!(again.events.is_empty());
    let other = decided(&decision.after, &results("1;0-2\n", true)).unwrap();
    assert_eq!(given(&other.after), ["0-2", "1-1", "0-2"]);
}

#[test]
fn all_mistakes_are_reported_and_nothing_is_entered() {
    let state = decided(&open_round(), &results("1;2-0\n", false)).unwrap().after;
    let Err(Refusal::Impossible(faults)) = decided(&state, &results("1;0-2\n7;2-0\n 2;  1-7\n3\n2;1-1\n", false))
    else {
        panic!()
    };
    let expected = [
        "r.csv:1:3: error: round 1, board 1, Ann - Bob has the result 2-0 already: --correct makes it 0-2",
        "r.csv:2:1: error: there is no board `7` in the open round",
        "r.csv:3:6: error: ",
        "r.csv:4:1: error: `3` is no line with a result: expected board;result, as 3;2-0",
        "r.csv:5:1: error: board `2` has a result in line 3 already",
        "nothing of the file was taken over",
    ];
    assert_eq!(faults.len(), expected.len(), "{faults:#?}");
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(expected), "{fault} instead of {expected}");
    }
    let Err(Refusal::Impossible(faults)) = decided(&state, &results("\n", false)) else { panic!() };
    assert_eq!(faults[0], "r.csv: error: it has no results");
}

#[test]
fn import_reports_conflicts_beside_faulty_rows() {
    let file = "Round;Board;White;Black;Result\n1;1;Ann;Bob;*\n1;x;Cor;Dirk;2-x\n1;2;Ann;Eva;*\n";
    let import = TournamentCommand::import_of("r.csv", file.to_owned());
    let Err(Refusal::Impossible(faults)) = decided(&Tournament::default(), &import) else { panic!() };
    let places: Vec<&str> = faults.iter().filter_map(|fault| fault.split(" error: ").next()).collect();
    assert_eq!(
        places,
        ["r.csv:3:3:", "r.csv:3:14:", "r.csv:4:5:", "nothing of the file was taken over"],
        "{faults:#?}"
    );
}

#[test]
fn players_alike_with_own_numbers_are_two_players() {
    let import = |file: &str| TournamentCommand::import_of("p.csv", file.to_owned());
    let games = BoardGames::default();
    let boards = Boards::unknown(&games);
    let decide = |file: &str| decide(&Tournament::default(), &boards, &import(file), false);
    let decision = decide("No;Name\n1;Smit, Jan\n2;Jan Smit\n").unwrap();
    assert_eq!(decision.notes, ["p.csv:3:3: note: `Smit, Jan` and `Jan Smit` are taken for two players"]);
    let doubts = decide("Name\nSmit, Jan\nJan Smit\n");
    assert!(matches!(doubts, Err(Refusal::Unconfirmed(..))), "{doubts:?}");
}
