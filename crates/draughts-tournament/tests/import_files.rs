//! Several files in one import: all or none, with the mistakes of all of them.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{BoardGames, Boards, Decision, ImportFile, Refusal, Tournament, TournamentCommand, decide};

const PLAYERS: &str = "No;Name;Rating\n1;Ann;2000\n2;Bob;1990\n3;Cor;1980\n4;Dirk;1970\n";
const ROUND: &str = "Round;Board;White-number;Black-number\n1;1;1;2\n1;2;3;4\n";

fn import(files: &[(&str, &str)]) -> Result<Decision, Vec<String>> {
    let (first, rest) = files.split_first().unwrap();
    let mut command = TournamentCommand::import_of(first.0, first.1.to_owned());
    let TournamentCommand::Import { others, .. } = &mut command else { unreachable!() };
    let file =
        |(name, text): &(&str, &str)| ImportFile { name: (*name).to_owned(), text: (*text).to_owned(), bytes: false };
    others.extend(rest.iter().map(file));
    let games = BoardGames::default();
    let boards = Boards::unknown(&games);
    decide(&Tournament::default(), &boards, &command, false).map_err(|refusal| match refusal {
        Refusal::Impossible(reasons) | Refusal::Unconfirmed(reasons, _) => reasons,
    })
}

#[test]
fn players_and_pairings_come_in_any_order() {
    let files = [("round.csv", ROUND), ("players.csv", PLAYERS)];
    let decision = import(&files).unwrap();
    let section = &decision.after.sections[0];
    assert_eq!((section.players.len(), section.pairings.len()), (4, 2));
    assert_eq!(decision.messages[0], "round.csv, players.csv: 1 section, 4 players, 2 pairings are new");
    let other = import(&[files[1], files[0]]).unwrap();
    assert_eq!(other.after, decision.after);
}

#[test]
fn mistakes_of_all_files_are_told_at_once() {
    let players = PLAYERS.replace("2;Bob", "two;Bob").replace("4;Dirk", "3;Dirk");
    let round = format!("{ROUND}two;3;1;2\n1;x;1;2\n");
    let faults = import(&[("players.csv", &players), ("round.csv", &round)]).unwrap_err();
    let of = |name: &str| faults.iter().filter(|fault| fault.starts_with(name)).count();
    assert!(of("players.csv:") >= 2 && of("round.csv:") >= 2, "{faults:#?}");
    // Faulty rows may have the players that the pairings name.
    assert!(!faults.iter().any(|fault| fault.contains("there is no player")), "{faults:#?}");
    assert_eq!(faults.last().unwrap(), "nothing of the files was taken over");
    let unknown = ROUND.replace("3;4", "3;9");
    let faults = import(&[("players.csv", PLAYERS), ("round.csv", &unknown)]).unwrap_err();
    assert!(faults[0].starts_with("round.csv:3:") && faults[0].contains("there is no player 9"), "{faults:#?}");
}

#[test]
fn name_of_digits_is_number_of_player() {
    let numbered = import(&[("players.csv", PLAYERS), ("round.csv", ROUND)]).unwrap();
    let named = ROUND.replace("-number", "");
    let decision = import(&[("players.csv", PLAYERS), ("round.csv", &named)]).unwrap();
    assert_eq!(decision.after, numbered.after);
    let faults = import(&[("players.csv", PLAYERS), ("round.csv", &named.replace("3;4", "3;9"))]).unwrap_err();
    assert!(faults[0].contains("there is no player 9"), "{faults:#?}");
}

#[test]
fn days_of_any_format_are_read() {
    let trf = "012 Open\n042 2027/07/10\n052 2027/07/12\n001    1      Ann                               2000                             0.0    1\n";
    let event = import(&[("event.trf", trf)]).unwrap().after.event;
    assert_eq!([&*event.start, &*event.end], ["2027-07-10", "2027-07-12"]);
    let pdn = |date: &str| {
        format!(
            "[Event \"Open\"]\n[Date \"{date}\"]\n[Round \"1\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"*\"]\n\n*\n"
        )
    };
    for (date, day) in [("2027.07.10", "2027-07-10"), ("2027.??.??", "2027.??.??")] {
        assert_eq!(import(&[("games.pdn", &pdn(date))]).unwrap().after.event.start, day);
    }
}
