//! The file for a program that pairs Swiss rounds, and the pairs that it writes.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{
    BoardGames, Boards, Decision, EngineFile, Id, NextRoundChoices, Refusal, Tournament, TournamentCommand, decide,
};

fn decided(state: &Tournament, command: &TournamentCommand, confirmed: bool) -> Result<Decision, Refusal> {
    let games = BoardGames::default();
    let boards = Boards::unknown(&games);
    decide(state, &boards, command, confirmed)
}

fn after(state: &Tournament, command: &TournamentCommand) -> Tournament {
    decided(state, command, true).unwrap().after
}

fn import(state: &Tournament, text: &str) -> Tournament {
    after(state, &TournamentCommand::import_of("x.csv", text.to_owned()))
}

fn pair(round: u32, pairs: &[[u32; 2]], byes: &[u32]) -> TournamentCommand {
    let pairs = pairs.iter().map(|pair| pair.map(Id)).collect();
    let byes = byes.iter().copied().map(Id).collect();
    TournamentCommand::PairRound { round, pairs, byes, rounds: None, section: None }
}

const PLAYERS: &str = "Name;Rating\nAnn;1500\nBob;1900\nCor;1700\nDirk;\nÉva;1600\n";

fn choices(absent: &[&str], present: &[&str]) -> NextRoundChoices {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    NextRoundChoices { absent: owned(absent), present: owned(present), rounds: Some(5), first_has_black: false }
}

fn file(state: &Tournament, choices: &NextRoundChoices) -> Result<EngineFile, String> {
    EngineFile::new(&state.sections[0], choices)
}

/// Returns the lines of players, from their points on.
fn player_lines(file: &EngineFile) -> Vec<&str> {
    file.text.lines().filter(|line| line.starts_with("001")).map(|line| &line[80..]).collect()
}

fn refusal(outcome: Result<Decision, Refusal>) -> String {
    match outcome.unwrap_err() {
        Refusal::Impossible(reasons) | Refusal::Unconfirmed(reasons, _) => reasons.join("; "),
    }
}

#[test]
fn first_round_lists_players_by_rating() {
    let state = import(&Tournament::default(), PLAYERS);
    let file = file(&state, &NextRoundChoices { first_has_black: true, ..choices(&["Dirk"], &[]) }).unwrap();
    assert_eq!(
        file.text,
        "012 round 1\nXXR 5\nXXC black1\n\
         001    1      Bob                               1900                             0.0    1\n\
         001    2      Cor                               1700                             0.0    2\n\
         001    3      ?va                               1600                             0.0    3\n\
         001    4      Ann                               1500                             0.0    4\n\
         001    5      Dirk                                 0                             0.0    5  0000 - Z\n"
    );
    assert_eq!(file.notes, ["not paired in round 1: Dirk"]);
    let command = file.command("2\n3 1\n2 4\n").unwrap();
    let TournamentCommand::PairRound { round: 1, pairs, byes, rounds: Some(5), .. } = &command else { panic!() };
    assert_eq!((pairs, byes.len()), (&vec![[Id(5), Id(2)], [Id(3), Id(1)]], 0));
    let decision = decided(&state, &command, false).unwrap();
    assert_eq!(decision.messages[..3], ["board 1: Éva - Bob", "board 2: Cor - Ann", "absent: Dirk"]);
    assert_eq!(decision.after.sections[0].planned, Some(5));
}

#[test]
fn results_byes_and_absences_become_points_of_chess() {
    let mut state = import(&Tournament::default(), PLAYERS);
    state = after(&state, &pair(1, &[[2, 5], [1, 3]], &[4]));
    state = import(&state, "Round;Board;White;Black;Result;Reason\n1;1;Bob;Éva;2-0;\n1;2;Ann;Cor;0-2;forfeit\n");
    state = after(&state, &pair(2, &[[3, 2]], &[5]));
    state = import(&state, "Round;Board;White;Black;Result\n2;1;Cor;Bob;1-1\n");
    let absent = file(&state, &choices(&[], &[])).unwrap();
    let expected = [
        " 1.5    1     5 w 1     2 b =",
        " 1.5    2     4 b +     1 w =",
        " 1.0    3     1 b 0  0000 - U",
        " 0.0    4     2 w -  0000 - Z  0000 - Z",
        " 1.0    5  0000 - U  0000 - Z  0000 - Z",
    ];
    let numbered = |line: &str| line.replace("    5 w 1", "    3 w 1");
    assert_eq!(player_lines(&absent), expected.map(numbered));
    assert!(absent.text.contains("XXC white1"), "the first player has White in round 1");
    assert_eq!(absent.notes, ["not paired in round 3: Ann, Dirk"]);
    let back = file(&state, &choices(&["Cor"], &["Ann"])).unwrap();
    assert_eq!(back.notes, ["not paired in round 3: Cor, Dirk"]);
    let error = back.command("1\n1 3\n").unwrap_err();
    assert!(error.ends_with("Ann is missing"), "{error}");
}

#[test]
fn requested_byes_and_byes_of_a_draw_count_half() {
    let scoring = "# damcast scoring W=2 D=1 L=0 P=1\n";
    let players = format!("{scoring}Name;Rating\nAnn;1900\nBob;1800\nCor;1700\nDirk;1600\n");
    let byes = "Round;White;Black;Result;Reason\n1;Dirk;;1;half bye\n2;Ann;;1;half bye\n";
    let mut state = import(&import(&Tournament::default(), &players), byes);
    let first = file(&state, &choices(&[], &[])).unwrap();
    assert!(first.text.contains("XXS PAB=0.5\nBBU  0.5\n"), "{}", first.text);
    assert_eq!(player_lines(&first)[3], " 0.0    4  0000 - Z");
    state = after(&state, &first.command("2\n1 2\n3 0\n").unwrap());
    state = import(&state, "Round;Board;White;Black;Result\n1;1;Ann;Bob;0-2\n");
    let second = file(&state, &choices(&[], &[])).unwrap();
    let expected =
        [" 0.0    1     2 w 0  0000 - Z", " 1.0    2     1 b 1", " 0.5    3  0000 - U", " 0.5    4  0000 - H"];
    assert_eq!(player_lines(&second), expected);
    let taken = refusal(decided(&state, &pair(2, &[[1, 2]], &[]), true));
    assert_eq!(taken, "Ann has a half bye in round 2, and does not play");
}

#[test]
fn other_points_keep_players_apart_postponed_game_is_draw() {
    let players = "Number;Name\n4;Dirk\n1;Ann\n2;Bob\n3;Cor\n5;Eva\n6;Fred\n";
    let mut state = import(&Tournament::default(), players);
    let id = |number: u32| state.sections[0].players.iter().find(|of| of.number == Some(number)).unwrap().id.0;
    let pairs = [[id(1), id(2)], [id(3), id(4)], [id(5), id(6)]];
    state = after(&state, &pair(1, &pairs, &[]));
    let missing = file(&state, &choices(&[], &[])).unwrap_err();
    assert!(missing.contains("round 1, board 1, Ann - Bob, and 2 more is missing"), "{missing}");
    state =
        import(&state, "Round;Board;White;Black;Result;Reason\n1;1;Ann;Bob;1-0;arbiter\n1;2;Cor;Dirk;0-0;both lost\n");
    let postpone = TournamentCommand::Postpone { pairing: "1.3".to_owned(), section: None, undo: false };
    state = after(&state, &postpone);
    let next = file(&state, &choices(&[], &[])).unwrap();
    assert!(next.text.contains("XXP 1 2\nXXP 3 4\n"), "{}", next.text);
    let expected = [
        " 0.5    1  0000 - H",
        " 0.0    2  0000 - Z",
        " 0.0    3  0000 - Z",
        " 0.0    4  0000 - Z",
        " 0.5    5     6 w =",
        " 0.5    6     5 b =",
    ];
    assert_eq!(player_lines(&next), expected);
    assert!(next.notes[0].contains("Eva - Fred is played later, and counts as a draw"), "{:?}", next.notes);
}

#[test]
fn pairs_of_a_wrong_program_are_refused() {
    let state = import(&Tournament::default(), PLAYERS);
    let file = file(&state, &choices(&["Dirk"], &[])).unwrap();
    for (output, what) in [
        ("", "first line is the number of pairs, and 0 follow"),
        ("3\n1 2\n3 4\n", "first line is the number of pairs, and 2 follow"),
        ("2\n1 2\n3 5\n", "Dirk is absent, and is paired"),
        ("2\n1 2\n2 3\n", "Cor is paired twice"),
        ("1\n1 2\n", "Éva is missing"),
        ("2\n1 2\n3 9\n", "it has no player 9"),
        ("2\n1 2\n3 4 5\n", "`3 4 5` is no pair of numbers"),
        ("2\n1 2\n0 0\n", "`0 0` has no player"),
        ("2\n1 1\n3 4\n", "Bob is paired twice"),
        ("2\n1 2\n3 \u{1b}[2J\n", "is no pair of numbers"),
    ] {
        let error = file.command(output).unwrap_err();
        assert!(error.contains(what) && !error.contains('\u{1b}'), "{output:?}: {error}");
    }
}

#[test]
fn sections_without_chess_points_are_refused() {
    for (scoring, what) in [("W=3 D=1 L=0", "counts 3-1-0"), ("W=12 D=6 L=0 micro", "in micro-matches")] {
        let state = import(&Tournament::default(), &format!("# damcast scoring {scoring}\n{PLAYERS}"));
        let error = file(&state, &choices(&[], &[])).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
    let state = import(&Tournament::default(), PLAYERS);
    for (given, what) in [
        (NextRoundChoices::default(), "the number of rounds is not known"),
        (choices(&["Ann", "Bob", "Cor", "Dirk"], &[]), "fewer than two players"),
        (choices(&["Zoe"], &[]), "there is no player Zoe"),
    ] {
        let error = file(&state, &given).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn prepared_round_is_paired_anew_after_a_question() {
    let state = import(&Tournament::default(), PLAYERS);
    let paired = after(&state, &pair(1, &[[1, 2]], &[3]));
    let again = pair(1, &[[1, 3], [4, 5]], &[]);
    assert_eq!(refusal(decided(&paired, &again, false)), "round 1 has 1 pairings already: they are replaced");
    let section = &after(&paired, &again).sections[0];
    assert_eq!((section.pairings.len(), section.byes.len()), (2, 1));
    for (command, what) in [
        (pair(3, &[[1, 2]], &[]), "round 3 is not the next: that is round 2"),
        (pair(1, &[], &[]), "would have no pairing"),
        (pair(2, &[[1, 2], [2, 3]], &[]), "Bob would play twice"),
        (pair(2, &[[1, 9]], &[]), "there is no player with the id 9"),
        (pair(2, &[[1, 2]], &[1]), "Ann would play twice"),
    ] {
        let error = refusal(decided(&paired, &command, true));
        assert!(error.contains(what), "{error}");
    }
    let open = TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None };
    let error = refusal(decided(&after(&paired, &open), &again, true));
    assert!(error.contains("round 1 is open, and keeps its pairings"), "{error}");
    let met = refusal(decided(&after(&paired, &open), &pair(2, &[[2, 1]], &[]), false));
    assert!(met.contains("they have met in round 1"), "{met}");
}
