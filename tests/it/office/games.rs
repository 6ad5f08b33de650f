//! Games of boards and their pairings: assigned, continued, replayed, postponed, on another board.

use super::*;

fn adopt(board: &str, game: Option<u32>, pairing: Option<&str>) -> TournamentCommand {
    TournamentCommand::Adopt { board: board.to_owned(), game, pairing: pairing.map(str::to_owned), section: None }
}

fn replay() -> TournamentCommand {
    TournamentCommand::Replay { pairing: "1.1".to_owned(), section: None }
}

fn play_on(pairing: &str, board: &str) -> TournamentCommand {
    TournamentCommand::PlayOnBoard { pairing: pairing.to_owned(), board: board.to_owned(), section: None }
}

/// Returns boards a and b with their serial numbers, and whether they are connected.
fn station_boards(serials: [(Option<&str>, bool); 2]) -> Vec<StationBoard> {
    let board = |(name, (serial, is_connected)): (&str, (Option<&str>, bool))| StationBoard {
        name: name.to_owned(),
        serial: serial.map(str::to_owned),
        is_connected,
        is_known: true,
    };
    ["a", "b"].into_iter().zip(serials).map(board).collect()
}

/// A game that was ended by mistake and continued is one game: all its parts are replayed and count together.
#[test]
fn all_parts_of_game_are_replayed_and_count_again() {
    let mut desk = ServiceFixture::with_ended_game();
    desk.add(BoardGame { number: 2, continues: Some(1), ..game(&desk, "1-1", true) });
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("1-1"));
    desk.done(replay());
    desk.catch_up();
    let is_replayed = |desk: &ServiceFixture, number| {
        desk.tournament().corrected("a", number).unwrap().tags.get("Replayed").is_some_and(|tag| tag.value == "yes")
    };
    assert_eq!((desk.result(), is_replayed(&desk, 1), is_replayed(&desk, 2)), (None, true, true));
    desk.done(adopt("a", Some(1), Some("1.1")));
    desk.catch_up();
    assert_eq!((desk.result().as_deref(), is_replayed(&desk, 1), is_replayed(&desk, 2)), (Some("1-1"), false, false));
    assert_eq!(desk.visible_tags()["Result"], "*");
}

/// The station was killed after the line had processed `continue` and before the service had.
#[test]
fn unrecorded_continuation_clears_result() {
    let mut desk = ServiceFixture::with_ended_game();
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    let second = BoardGame { number: 2, continues: Some(1), result: None, is_over: false, ..game(&desk, "*", false) };
    desk.add(second.clone());
    desk.catch_up();
    assert_eq!((desk.result(), desk.visible_tags()["Result"].as_str()), (None, "*"));
    assert!(desk.catch_up().record.is_none(), "it is made up once");
    desk.add(BoardGame { result: Some("1-1".to_owned()), is_result_given: true, is_over: true, ..second });
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("1-1"));
}

/// A game of the first pairing was played on board b, ended by mistake, and continued there: it is still a game of the first pairing.
#[test]
fn assigned_game_continues_in_pairing_and_reports_board() {
    let mut desk = ServiceFixture::with_open_round();
    let first = BoardGame { board: "b".to_owned(), pairing: None, ..game(&desk, "*", false) };
    desk.add(first.clone());
    desk.done(adopt("b", Some(1), Some("1.1")));
    let second = BoardGame { number: 2, continues: Some(1), is_over: false, result: None, ..first };
    desk.add(second.clone());
    desk.catch_up();
    let key = |desk: &ServiceFixture| desk.tournament().pairing_of(&second).map(|key| key.0);
    let pairings: Vec<_> = desk.tournament().sections[0].pairings.iter().map(|pairing| pairing.id).collect();
    assert_eq!(key(&desk), Some(pairings[0]));
    let document = |desk: &ServiceFixture| {
        serde_json::from_str::<Value>(&documents::tournament_document(&desk.tournament())).unwrap()
    };
    let board = |desk: &ServiceFixture| document(desk)["sections"][0]["rounds"][0]["pairings"][0]["board"].clone();
    assert_eq!(board(&desk), "b");
    // Naming any part assigns all of them.
    desk.request(TournamentRequest { confirm: true, ..adopt("b", Some(1), Some("1.2")).into() }).unwrap();
    assert_eq!(key(&desk), Some(pairings[1]));
    assert_eq!(desk.tournament().assigned_pairing("b", 1), desk.tournament().assigned_pairing("b", 2));
    desk.request(TournamentRequest { confirm: true, ..adopt("b", Some(2), Some("1.1")).into() }).unwrap();
    assert_eq!(key(&desk), Some(pairings[0]));
    assert_eq!(desk.tournament().assigned_pairing("b", 1).map(|key| key.0), Some(pairings[0]));
    assert_eq!(board(&desk), "b");
}

#[test]
fn mistakenly_replayed_game_counts_again_when_assigned() {
    for (result, is_given) in [(None, true), (Some("0-2"), true), (None, false), (Some("0-2"), false)] {
        let mut desk = ServiceFixture::with_open_round();
        desk.add(game(&desk, "2-0", is_given));
        desk.catch_up();
        desk.done(replay());
        if let Some(result) = result {
            desk.done(result_of_pairing(result));
        }
        assert_contains(&desk.messages(adopt("a", Some(1), Some("1.1"))), &["Replayed nothing (was yes)"]);
        let official = result.or(is_given.then_some("2-0"));
        assert_eq!((desk.result().as_deref(), desk.visible_tags()["Replayed"].as_str()), (official, ""));
        assert_eq!(desk.visible_tags()["Result"], result.unwrap_or("2-0"));
        desk.catch_up();
        assert_eq!(desk.result().as_deref(), official);
    }
    // Another game counts and has to be discarded first.
    let mut desk = ServiceFixture::with_ended_game();
    desk.done(replay());
    let again = game(&desk, "0-2", true);
    desk.add(BoardGame { number: 2, ..again });
    desk.catch_up();
    let why = refused(&mut desk, adopt("a", Some(1), Some("1.1")));
    assert_contains(&why, &["a, game 2, Sijbrands, Ton - Wiersma, H., 40 plies counts for this pairing"]);
}

#[test]
fn board_shows_pairing_of_game() {
    let mut desk = ServiceFixture::with_open_round();
    let at_a = |desk: &ServiceFixture| {
        let (tournament, assignments) = (desk.tournament(), desk.tournament().board_assignments());
        desk.0.games().shown_pairing(&tournament, &assignments, &assignments[0]).map(|key| key.0.0)
    };
    assert_eq!(at_a(&desk), Some(1));
    let early = BoardGame { pairing: None, is_over: false, result: None, ..game(&desk, "*", false) };
    desk.add(early.clone());
    assert_eq!(at_a(&desk), None, "it is nobody's game");
    desk.done(adopt("a", None, Some("1.2")));
    assert_eq!(at_a(&desk), Some(2));
    desk.add(BoardGame { is_over: true, ..early });
    assert_eq!(at_a(&desk), Some(2));
}

#[test]
fn pairing_has_one_game_unless_replayed_or_moved() {
    let mut desk = ServiceFixture::with_open_round();
    let next = |desk: &ServiceFixture, board: &str| {
        let tournament = desk.tournament();
        let seat = tournament.board_assignments().into_iter().find(|seat| seat.board == board)?;
        desk.0.games().next_number(&tournament, &seat)
    };
    assert_eq!(next(&desk, "a"), Some(1));
    let first = BoardGame { is_over: false, result: None, ..game(&desk, "*", false) };
    desk.add(first.clone());
    assert_eq!(next(&desk, "a"), None, "its game goes on");
    desk.add(BoardGame { is_over: true, ..first.clone() });
    assert_eq!(next(&desk, "a"), None, "its game waits for its result");
    let analysis = BoardGame { number: 2, pairing: None, tags: Vec::new(), ..first.clone() };
    desk.add(analysis.clone());
    assert_eq!(desk.0.result_target("a"), ResultTarget::FinishedGame(Some(1)));
    desk.add(BoardGame { is_over: true, ..analysis });
    assert_contains(
        &desk.messages(TournamentCommand::result_of("a".to_owned(), "2-0".to_owned())),
        &["a, game 1, Sijbrands", "the result of game 1; game 2 of no pairing is over"],
    );
    assert_eq!(next(&desk, "a"), None, "it has a result");
    desk.done(replay());
    assert_eq!(next(&desk, "a"), Some(2), "it is played again");
    desk.add(BoardGame { number: 3, is_over: true, ..first.clone() });
    assert_eq!(next(&desk, "a"), None);
    // On another board it is played on, once.
    desk.done(play_on("1.1", "b"));
    assert_eq!(next(&desk, "b"), Some(1));
    desk.add(BoardGame { board: "b".to_owned(), is_over: true, ..first });
    assert_eq!(next(&desk, "b"), None);
}

/// A round that was opened by mistake is taken back with one request, also in the public history.
#[test]
fn round_opened_by_mistake_is_undone_in_public() {
    let mut desk = ServiceFixture::with_round();
    desk.import("Round;Board;White;Black\n2;1;Gantwarg, A.;Sijbrands, Ton\n2;2;Wiersma, H.;Clerc, Rob\n");
    let refused = desk.request(round(2, "open").into()).unwrap_err().to_string();
    assert_contains(
        &refused,
        &["round 1 is the next one; games that begin get the names of round 2", "ask again with --confirm"],
    );
    desk.done(round(2, "open"));
    let seat = desk.tournament().board_assignments().into_iter().find(|seat| seat.board == "a").unwrap();
    let first = game(&ServiceFixture::with_open_round(), "*", false);
    desk.add(BoardGame { pairing: Some(seat.pairing.0.to_string()), tags: seat.tags, is_over: false, ..first });
    let undo = TournamentCommand::Undo { version: None, round: true };
    let dry = desk.request(TournamentRequest { dry_run: true, ..undo.clone().into() }).unwrap();
    assert_contains(&dry.messages.join("\n"), &["undone: version 4, round 2: open", "round 2: prepared (was open)"]);
    let done = desk.request(undo.clone().into()).unwrap();
    assert_eq!(done.record.unwrap().undoes, Some(4));
    let adopted = "`damcast ctl adopt a --game 1 --pairing 2.1` makes it one of a pairing";
    let released = "Gantwarg, A. - Sijbrands, Ton, 40 plies: it is of no pairing now";
    assert_contains(&done.messages.join("\n"), &[released, adopted]);
    assert!(desk.tournament().board_assignments().is_empty());
    let shown = desk.visible_tags();
    assert_eq!((shown["White"].as_str(), shown["Black"].as_str(), shown["Round"].as_str()), ("", "", ""));
    let events = desk.event_lines();
    let withdrawn = |line: &&String| line.contains(r#""type":"round""#) && line.contains(r#""state":"prepared""#);
    assert_eq!(events.iter().filter(withdrawn).count(), 1, "{events:#?}");
    assert!(events.concat().contains(r#""field":"pairing","old":"","new":"none""#), "{events:#?}");
    assert!(!documents::tournament_document(&desk.history().tournament(usize::MAX)).contains("\"round\":2"));
    assert!(desk.request(undo.into()).unwrap_err().to_string().contains("there is no action to undo"));
    desk.done(round(1, "open"));
    desk.done(adopt("a", None, None));
    assert_eq!(desk.visible_tags()["White"], "Sijbrands, Ton");
}

/// A result that ended a running game is an action of its requester: undone, the boards do not give it again.
#[test]
fn result_of_running_game_is_undone() {
    let mut desk = ServiceFixture::with_ended_game();
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    let undo = TournamentCommand::Undo { version: None, round: false };
    let done = desk.request(undo.into()).unwrap();
    assert_contains(&done.messages.join("\n"), &["undone: version 4, "]);
    assert_eq!((desk.result(), desk.visible_tags()["Result"].as_str()), (None, "*"));
    assert!(desk.catch_up().record.is_none(), "it is not taken again");
    desk.done(result_of_pairing("0-2"));
    assert_eq!((desk.result().as_deref(), desk.visible_tags()["Result"].as_str()), (Some("0-2"), "0-2"));
}

/// The next round was opened although a result was missing: a result for the board may mean either game.
#[test]
fn result_of_board_with_two_paired_games_is_ambiguous() {
    let mut desk = ServiceFixture::with_open_round();
    desk.import("Round;Board;White;Black\n2;1;Gantwarg, A.;Sijbrands, Ton\n2;2;Wiersma, H.;Clerc, Rob\n");
    let first = game(&desk, "*", false);
    desk.add(BoardGame { result: None, ..first.clone() });
    desk.done(round(2, "open"));
    let seat = desk.tournament().board_assignments().into_iter().find(|seat| seat.board == "a").unwrap();
    let second = BoardGame { number: 2, pairing: Some(seat.pairing.0.to_string()), tags: seat.tags, ..first };
    desk.add(BoardGame { is_over: false, result: None, ..second });
    assert_eq!(desk.0.result_target("a"), ResultTarget::Either { waiting: 1, running: 2 });
    desk.done(result_of_pairing("2-0"));
    assert_eq!(desk.0.result_target("a"), ResultTarget::RunningGame);
}

#[test]
fn pairing_wins_over_mismatched_board() {
    let mut desk = ServiceFixture::with_open_round();
    let result = |board: &str, pairing: &str| TournamentCommand::Result {
        board: Some(board.to_owned()),
        game: None,
        pairing: Some(pairing.to_owned()),
        section: None,
        result: "1-1".to_owned(),
        kind: None,
        correct: true,
    };
    assert_contains(
        &desk.messages(result("a", "1.2")),
        &["a means round 1, Sijbrands, Ton - Wiersma, H., and pairing 1.2 is round 1, Clerc, Rob - Gantwarg, A., on b"],
    );
    assert_eq!(desk.result(), None, "the pairing of board a has none");
    let reply_messages = desk.messages(result("b", "1.2"));
    assert!(!reply_messages.contains(" means "), "{reply_messages}");
    // The cables were swapped: board a has played the second pairing.
    let played = game(&desk, "2-0", false);
    desk.add(BoardGame { pairing: None, ..played });
    desk.done(adopt("a", None, Some("1.2")));
    assert_contains(&desk.messages(result("b", "1.2")), &["b means", "Clerc, Rob - Gantwarg, A., on a"]);
    let reply_messages = desk.messages(result("a", "1.2"));
    assert!(!reply_messages.contains(" means "), "{reply_messages}");
}

#[test]
fn early_game_is_assigned_and_belongs_to_round() {
    let mut desk = ServiceFixture::with_round();
    let early = BoardGame {
        pairing: None,
        tags: vec![("Event".to_owned(), "Club".to_owned())],
        result: None,
        is_over: false,
        ..game(&ServiceFixture::with_open_round(), "*", false)
    };
    desk.add(early.clone());
    assert_contains(
        &desk.done(round(1, "open")).messages.join("\n"),
        &["a, game 1, began before: `damcast ctl adopt a`"],
    );
    assert_contains(
        &desk.request(adopt("a", None, None).into()).unwrap().messages.join("\n"),
        &["a, game 1, is the game of round 1, Sijbrands, Ton - Wiersma, H."],
    );
    assert_eq!(desk.visible_tags()["White"], "Sijbrands, Ton");
    let events = desk.event_lines().concat();
    assert!(events.contains(r#""field":"pairing","old":"","new":"1""#), "{events}");
    // Its result becomes that of the pairing, as for any game of the round.
    desk.add(BoardGame { result: Some("2-0".to_owned()), is_result_given: true, is_over: true, ..early });
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    // The game belongs to the other board.
    let unsure = desk.request(adopt("a", None, Some("1.2")).into()).unwrap_err().to_string();
    assert!(unsure.contains("--confirm makes it one of this"), "{unsure}");
    desk.done(adopt("a", None, Some("1.2")));
    assert_eq!(desk.visible_tags()["White"], "Clerc, Rob");
    assert_eq!(desk.visible_tags()["WhiteRating"], "2300");
}

/// Returns the next pairing of each board, by round and board. The service numbers boards by their serial numbers; the cables of two are
/// swapped, one after the other.
fn next(desk: &ServiceFixture) -> Vec<String> {
    let tournament = desk.tournament();
    let called = |seat: &damcast::tournament::BoardAssignment| {
        let pairing = tournament.pairing(seat.pairing.0).unwrap().1;
        format!("{} {}.{}", seat.board, pairing.round, pairing.board.unwrap())
    };
    let mut all: Vec<String> = tournament.board_assignments().iter().map(called).collect();
    all.sort();
    all
}

#[test]
fn postponed_pairing_holds_no_round_open_and_suits_any_board() {
    let mut desk = ServiceFixture::with_open_round();
    desk.import("Round;Board;White;Black\n2;1;Gantwarg, A.;Sijbrands, Ton\n2;2;Wiersma, H.;Clerc, Rob\n");
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
    let refused = desk.request(round(1, "closed").into()).unwrap_err().to_string();
    assert!(refused.contains("board 2: Clerc, Rob - Gantwarg, A."), "{refused}");
    let postpone = |undo| TournamentCommand::Postpone { pairing: "1.2".to_owned(), section: None, undo };
    let dry = desk.request(TournamentRequest { dry_run: true, ..postpone(false).into() }).unwrap();
    assert!(dry.record.is_none());
    assert_contains(&dry.messages[0], &["Clerc, Rob - Gantwarg, A. is postponed"]);
    desk.done(postpone(false));
    desk.done(postpone(true));
    assert_eq!(next(&desk), ["a 1.1", "b 1.2"]);
    desk.done(postpone(false));
    assert_eq!(next(&desk), ["a 1.1"]);
    let shown = documents::tournament_document(&desk.history().tournament(usize::MAX));
    assert!(shown.contains("\"later\":\"postponed\""), "{shown}");
    let events = desk.event_lines();
    assert_eq!(events.iter().filter(|line| line.contains("\"later\":\"postponed\"")).count(), 2, "{events:#?}");
    let closed = desk.request(round(1, "closed").into()).unwrap();
    assert!(closed.messages.iter().any(|line| line.contains("board 2: Clerc, Rob - Gantwarg, A. is postponed")));
    desk.done(round(2, "open"));
    assert_eq!(next(&desk), ["a 2.1", "b 2.2"]);
    assert!(desk.request(play_on("1.1", "a").into()).unwrap_err().to_string().contains("has a result"));
    assert!(desk.request(play_on("1.2", "z").into()).unwrap_err().to_string().contains("there is no board z"));
    desk.done(play_on("1.2", "b"));
    assert_eq!(next(&desk), ["a 2.1", "b 1.2"], "before what its round has for it");
    assert!(desk.request(play_on("2.1", "b").into()).unwrap_err().to_string().contains("is to play Clerc, Rob"));
    // It is an ordinary game of its round, and then the board plays the open round.
    let seat = desk.tournament().board_assignments().into_iter().find(|seat| seat.board == "b").unwrap();
    let one = game(&desk, "0-2", true);
    desk.add(BoardGame { board: "b".to_owned(), pairing: Some(seat.pairing.0.to_string()), tags: seat.tags, ..one });
    desk.catch_up();
    assert_eq!(next(&desk), ["a 2.1", "b 2.2"]);
    let pairing = desk.tournament().sections[0].pairings[1].clone();
    assert_eq!((pairing.deferral, pairing.board_override.as_str(), pairing.result.is_some()), (None, "", true));
    // A pairing whose game has begun is adjourned.
    let adjourned = desk.done(TournamentCommand::Postpone { pairing: "2.1".to_owned(), section: None, undo: false });
    assert!(adjourned.messages[0].contains("postponed"), "{:?}", adjourned.messages);
}

#[test]
fn replayed_game_counts_once_and_first_stays_marked() {
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    let outcome = desk.done(replay());
    assert!(outcome.messages[0].contains("Sijbrands, Ton - Wiersma, H.") && outcome.messages[0].contains("replayed"));
    let tags = desk.visible_tags();
    assert_eq!((desk.result(), tags["Result"].as_str(), tags["Replayed"].as_str()), (None, "*", "yes"));
    desk.catch_up();
    assert_eq!(desk.result(), None, "the old game gives no result");
    assert_eq!(next(&desk), ["a 1.1", "b 1.2"]);
    assert!(desk.request(replay().into()).unwrap_err().to_string().contains("no game that is over"));
    // The new game is played on a board whose name sorts first.
    let again = game(&desk, "0-2", true);
    desk.add(BoardGame { board: "Z".to_owned(), ..again });
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("0-2"));
    assert_eq!(desk.visible_tags()["Result"], "*");
    // In a closed round the request has to name the board.
    desk.done(round(1, "closed"));
    assert_contains(&desk.messages(replay()), &["damcast ctl play-on 1.1 BOARD"]);
    desk.done(play_on("1.1", "b"));
    assert_eq!(next(&desk), ["b 1.1"]);
}

#[test]
fn board_is_at_last_seen_serial_number() {
    let mut desk = ServiceFixture::new();
    let tables = ["serial:1", "serial:2"].map(str::to_owned);
    desk.0.configure(tables.into(), 1);
    let mut report_boards = |serials: [(Option<&str>, bool); 2]| {
        desk.0.set_boards(station_boards(serials));
        desk.0.numbered_boards()
    };
    let [a, b] = ["a", "b"].map(|name| Some(name.to_owned()));
    assert_eq!(report_boards([(Some("1"), true), (Some("2"), true)]), [a.clone(), b.clone()]);
    // The line of the unplugged board still has its number; the other line has received that number since.
    assert_eq!(report_boards([(Some("1"), false), (Some("1"), true)]), [b.clone(), None]);
    assert_eq!(report_boards([(Some("2"), true), (Some("1"), true)]), [b.clone(), a.clone()]);
    // Put back, the first before the other is unplugged.
    assert_eq!(report_boards([(Some("1"), true), (Some("1"), false)]), [a.clone(), None]);
    assert_eq!(report_boards([(Some("1"), true), (None, true)]), [a.clone(), None]);
    assert_eq!(report_boards([(Some("1"), true), (Some("2"), true)]), [a, b]);
}

/// After a restart one line has its board from the log; the other has its link again, and its board has not identified itself yet.
#[test]
fn restart_keeps_pairings_of_boards() {
    let disk = Arc::new(ModelDisk::new());
    let open = |serials| {
        let mut service = TournamentService::open(disk.clone(), Path::new("/r/log")).unwrap();
        service.configure(["serial:1", "serial:2"].map(str::to_owned).into(), 1);
        service.set_boards(station_boards(serials));
        ServiceFixture(service, disk.clone())
    };
    // The boards have swapped places.
    let mut desk = open([(Some("2"), true), (Some("1"), true)]);
    desk.import(PLAYERS);
    desk.import(ROUND);
    desk.done(round(1, "open"));
    let assignments = desk.tournament().board_assignments();
    assert_eq!(assignments.iter().map(|seat| seat.board.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    for serials in [
        [(Some("1"), false), (None, true)],
        [(Some("1"), false), (Some("1"), false)],
        [(None, true), (Some("1"), true)],
    ] {
        let mut desk = open(serials);
        let done = desk.0.apply_board_results(&BTreeMap::new()).unwrap();
        assert_eq!((done.record, desk.tournament().board_assignments()), (None, assignments.clone()), "{serials:?}");
    }
}

#[test]
fn second_room_has_boards_from_its_first_number() {
    let mut desk = ServiceFixture::new();
    desk.0.configure(Vec::new(), 2);
    desk.0.set_boards(station_boards([(None, true), (None, true)]));
    assert_eq!(desk.0.numbered_boards(), [None, Some("a".into()), Some("b".into())]);
    desk.import(PLAYERS);
    desk.import(ROUND);
    desk.done(round(1, "open"));
    let seats = desk.tournament().board_assignments();
    let board_tag =
        |tags: &[(String, String)]| tags.iter().find(|(name, _)| name == "Board").map(|(_, value)| value.clone());
    let seats: Vec<_> = seats.iter().map(|seat| (seat.board.clone(), board_tag(&seat.tags))).collect();
    // The first board is in the other room.
    assert_eq!(seats, [("a".to_owned(), Some("2".to_owned()))]);
}
