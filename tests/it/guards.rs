//! Refuses changes that harm readers of a published tournament, asks again about doubtful ones, and lists the effects visible to readers.

use std::fs;
use std::path::Path;

use damcast::tournament::{
    BoardGame, ChangeReview, Event, Id, OfficialResult, Points, ResultReason, RoundState, Tournament, review_change,
};
use proptest::prelude::*;

use crate::program::{Run, assert_contains, run};
use crate::tournament::import_over;

const HEADER: &str = "Round;Board;White;Black;Result\n";

fn tournament(rows: &str) -> Tournament {
    import_over(&Tournament::default(), format!("{HEADER}{rows}").as_bytes()).unwrap().tournament
}

/// Sets the state of round 1 in the first section.
fn set_round(tournament: &mut Tournament, state: RoundState) {
    tournament.apply(&Event::RoundSet { section: Id(1), round: 1, state }).unwrap();
}

/// Assigns `board-N` to board N of round 1.
fn assign_boards(tournament: &mut Tournament) {
    for pairing in tournament.sections[0].round(1).into_iter().cloned().collect::<Vec<_>>() {
        let board = pairing.board.map(|number| format!("board-{number}"));
        tournament.apply(&Event::BoardAssigned { pairing: pairing.id, board }).unwrap();
    }
}

/// Returns three boards in a published round 1.
fn published() -> Tournament {
    let mut tournament = tournament("1;1;Sijbrands;Wiersma;*\n1;2;Clerc;Gantwarg;*\n1;3;Valneris;Schwarzman;*\n");
    set_round(&mut tournament, RoundState::Published);
    tournament
}

fn changed(before: &Tournament, change: impl FnOnce(&mut Tournament)) -> ChangeReview {
    let mut after = before.clone();
    change(&mut after);
    review_change(before, &after, &[])
}

#[track_caller]
fn only(messages: &[String], words: &[&str]) {
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(words.iter().all(|word| messages[0].contains(word)), "{messages:?}");
}

fn official(white: &str, black: &str) -> Option<OfficialResult> {
    let points = |text| Points::parse(text).unwrap();
    Some(OfficialResult { white: points(white), black: points(black), reason: ResultReason::Played })
}

#[test]
fn harmless_change_needs_no_notice() {
    let before = published();
    assert_eq!(review_change(&before, &before, &[]), ChangeReview::default());
    // A result, a pairing at the end, the next round, a prepared round in another order.
    let more = |tournament: &mut Tournament| {
        let rows =
            "1;1;Sijbrands;Wiersma;2-0\n1;4;Andriessen;Koeperman;*\n2;1;Sijbrands;Clerc;*\n2;2;Wiersma;Gantwarg;*\n";
        *tournament = import_over(tournament, format!("{HEADER}{rows}").as_bytes()).unwrap().tournament;
    };
    assert_eq!(changed(&before, more), ChangeReview::default());
    let mut next = before.clone();
    more(&mut next);
    let swap = |tournament: &mut Tournament| {
        let pairings = &mut tournament.sections[0].pairings;
        let of_round: Vec<usize> = (0..pairings.len()).filter(|at| pairings[*at].round == 2).collect();
        (pairings[of_round[0]].board, pairings[of_round[1]].board) = (Some(2), Some(1));
    };
    assert_eq!(changed(&next, swap), ChangeReview::default());
}

#[test]
fn published_round_keeps_boards_and_order() {
    let before = published();
    let fewer = changed(&before, |after| drop(after.sections[0].pairings.pop()));
    only(&fewer.errors, &["round 1 of main is published", "it would have 2 boards and has 3"]);
    let swapped = changed(&before, |after| {
        let pairings = &mut after.sections[0].pairings;
        (pairings[0].board, pairings[1].board) = (Some(2), Some(1));
    });
    only(&swapped.errors, &["round 1, board 1, Sijbrands - Wiersma would move from place 1", "to place 2"]);
    let renumbered = changed(&before, |after| after.sections[0].pairings[2].board = Some(9));
    only(&renumbered.errors, &["keep their boards", "Valneris - Schwarzman would be on board 9"]);
    // For a reader two places with swapped names are unchanged, whatever their internal numbers.
    let exchanged = changed(&before, |after| {
        let pairings = &mut after.sections[0].pairings;
        let first = (pairings[0].white, pairings[0].black);
        (pairings[0].white, pairings[0].black) = (pairings[2].white, pairings[2].black);
        (pairings[2].white, pairings[2].black) = first;
    });
    assert!(exchanged.errors[0].contains("and their order"), "{exchanged:?}");
    // After withdrawal the round may change.
    let withdrawn = changed(&before, |after| {
        set_round(after, RoundState::Prepared);
        after.sections[0].pairings.pop();
    });
    assert_eq!(withdrawn.errors, Vec::<String>::new());
}

#[test]
fn sections_keep_order_in_files() {
    let mut before = published();
    let mut other = before.sections[0].clone();
    (other.id, other.name) = (Id(2), "B".to_owned());
    other.rounds.iter_mut().for_each(|round| round.id = Id(2));
    before.sections.push(other);
    before.sections[0].rounds.clear();
    let published = changed(&before, |after| set_round(after, RoundState::Published));
    only(&published.errors, &["round 1 of B is published already", "damcast ctl round withdraw 1"]);
}

#[test]
fn one_game_per_player_and_round() {
    let before = published();
    let twice = changed(&before, |after| {
        let pairings = &mut after.sections[0].pairings;
        pairings[2].black = pairings[0].white;
    });
    only(&twice.errors, &["Sijbrands would play twice in round 1"]);
    // Readers that take 64 games get the others as parts.
    let rows: String = (1..=65).map(|board| format!("1;{board};W{board};B{board};*\n")).collect();
    let mut prepared = tournament(&rows);
    assign_boards(&mut prepared);
    let mut after = prepared.clone();
    set_round(&mut after, RoundState::Open);
    assert_eq!(review_change(&prepared, &after, &[]), ChangeReview::default());
}

#[test]
fn repeat_pairing_needs_confirmation_in_swiss() {
    let four = "1;1;A;B;2-0\n1;2;C;D;2-0\n";
    let before = tournament(four);
    let with = |rows: &str| {
        let after = import_over(&before, format!("{HEADER}{rows}").as_bytes()).unwrap().tournament;
        review_change(&before, &after, &[])
    };
    only(&with("2;1;B;A;*\n2;2;C;D;2-0\n").confirmations, &["round 2, board 1, B - A: they have met in round 1"]);
    assert_eq!(
        with("2;1;A;C;*\n2;2;B;D;*\n3;1;A;D;*\n3;2;B;C;*\n4;1;B;A;*\n4;2;D;C;*\n").confirmations,
        Vec::<String>::new()
    );
    // Known facts need no second confirmation.
    let again = tournament("1;1;A;B;2-0\n1;2;C;D;2-0\n2;1;B;A;*\n2;2;C;D;*\n");
    let mut after = again.clone();
    after.event.site = "Utrecht".to_owned();
    assert_eq!(review_change(&again, &after, &[]), ChangeReview::default());
}

#[test]
fn similar_names_need_confirmation() {
    for other in ["Ton Sijbrands", "sijbrands, ton", "Sijbránds, Ton", "Sijbrands Ton"] {
        let before = tournament("1;1;\"Sijbrands, Ton\";Wiersma;*\n");
        let rows = format!("{HEADER}2;1;\"{other}\";Clerc;*\n");
        let after = import_over(&before, rows.as_bytes()).unwrap().tournament;
        only(&review_change(&before, &after, &[]).confirmations, &["`Sijbrands, Ton`", other, "two players"]);
        assert_eq!(review_change(&after, &after, &[]), ChangeReview::default(), "it was confirmed");
    }
}

#[test]
fn result_unlike_board_needs_confirmation() {
    let mut before = published();
    assign_boards(&mut before);
    let mut game = BoardGame {
        board: "board-1".to_owned(),
        number: 1,
        continues: None,
        pairing: Some("1".to_owned()),
        tags: Vec::new(),
        format: None,
        result: Some("2-0".to_owned()),
        is_result_given: false,
        is_over: true,
        entries: 40,
    };
    let mut after = before.clone();
    after.sections[0].pairings[0].result = official("2", "0");
    let asked = |game: &BoardGame, after: &Tournament| review_change(&before, after, &[game]).confirmations;
    assert_eq!(asked(&game, &after), Vec::<String>::new());
    only(
        &review_change(&before, &after, &[]).confirmations,
        &["Sijbrands - Wiersma: 2-0, but board-1 has no game of it"],
    );
    game.is_over = false;
    only(&asked(&game, &after), &["its game on board-1 goes on"]);
    game.is_over = true;
    after.sections[0].pairings[0].result = official("1", "1");
    only(&asked(&game, &after), &["1-1, but board-1 ended with 2-0"]);
    // A forfeit needs no game.
    let forfeit = OfficialResult { reason: ResultReason::Forfeit, ..official("2", "0").unwrap() };
    after.sections[0].pairings[0].result = Some(forfeit);
    assert_eq!(review_change(&before, &after, &[]), ChangeReview::default());
}

#[test]
fn late_change_reports_effect() {
    let before = published();
    let renamed = changed(&before, |after| "Wiersma, Harm".clone_into(&mut after.sections[0].players[1].name));
    assert!(renamed.errors.is_empty() && renamed.confirmations.is_empty(), "{renamed:?}");
    assert_eq!(renamed.effects[0], "round 1 is published: Black of board 1 becomes `Wiersma, Harm` (was `Wiersma`)");
    assert!(renamed.effects[1].contains("the list of games at lidraughts never does"), "{renamed:?}");
    let event = changed(&before, |after| after.event.name = "Open".to_owned());
    assert_eq!(event.effects[0], "round 1 is published: Event of 3 games becomes `Open` (was nothing)");
    let colors = changed(&before, |after| {
        let pairing = &mut after.sections[0].pairings[1];
        (pairing.white, pairing.black) = (pairing.black, pairing.white);
    });
    assert_eq!(colors.effects.len(), 3, "{colors:?}");
    // Readers leave once the last result is there.
    let mut over = before.clone();
    over.sections[0].pairings.iter_mut().for_each(|pairing| pairing.result = official("2", "0"));
    let corrected = changed(&over, |after| after.sections[0].pairings[2].result = official("1", "1"));
    only(&corrected.effects, &["all games of round 1 had ended", "connect"]);
}

proptest! {
    /// Every accepted change to a published round keeps each pair at its place and board.
    #[test]
    fn accepted_change_keeps_places(boards in prop::collection::vec(0_u32..5, 3), gone in 0_usize..4) {
        let before = published();
        let mut after = before.clone();
        for (pairing, board) in after.sections[0].pairings.iter_mut().zip(&boards) {
            pairing.board = Some(*board);
        }
        if gone < 3 {
            after.sections[0].pairings.remove(gone);
        }
        let guards = review_change(&before, &after, &[]);
        let places =
            |of: &Tournament| of.sections[0].round(1).iter().map(|pairing| (pairing.id, pairing.board)).collect::<Vec<_>>();
        prop_assert_eq!(guards.errors.is_empty(), places(&before) == places(&after), "{:?}", guards);
    }
}

fn import(folder: &Path, text: &str, more: &[&str]) -> Run {
    let file = folder.with_extension("csv");
    fs::write(&file, text).unwrap();
    run(&[&["tournament", "import", file.to_str().unwrap(), "--directory", folder.to_str().unwrap()], more].concat())
}

#[test]
fn import_needs_confirmation_and_dry_run_lists_questions() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("club");
    import(&folder, &format!("{HEADER}1;1;A;B;2-0\n1;2;C;D;1-1\n"), &[]).done();
    let again = format!("{HEADER}2;1;A;B;*\n2;2;C;D;*\n");
    let record = || fs::read(folder.join("log/tournament.ndjson")).unwrap();
    let before = record();
    let dry = import(&folder, &again, &["--dry-run"]);
    assert_contains(&dry.err, &["they have met in round 1: this needs --confirm"]);
    dry.prints("2 pairings are new");
    import(&folder, &again, &[]).fails(1, "ask again with --confirm");
    assert!(record() == before, "nothing was changed");
    import(&folder, &again, &["--confirm"]).prints("done as version 2");
}
