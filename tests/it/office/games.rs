//! Games of boards and their pairings: assigned, continued, replayed, postponed, on another board.

use super::*;

/// A game that was ended by mistake and continued is one game: all its parts are replayed and count together.
#[test]
fn all_parts_of_game_are_replayed_and_count_again() {
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
    desk.add(BoardGame { number: 2, continues: Some(1), ..game(&desk, "1-1", true) });
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("1-1"));
    desk.done(TournamentCommand::Replay { pairing: "1.1".to_owned(), section: None });
    desk.catch_up();
    let is_replayed = |desk: &ServiceFixture, number| {
        desk.tournament().corrected("a", number).unwrap().tags.get("Replayed").is_some_and(|tag| tag.value == "yes")
    };
    assert_eq!((desk.result(), is_replayed(&desk, 1), is_replayed(&desk, 2)), (None, true, true));
    let (board, pairing) = ("a".to_owned(), Some("1.1".to_owned()));
    desk.done(TournamentCommand::Adopt { board, game: Some(1), pairing, section: None });
    desk.catch_up();
    assert_eq!((desk.result().as_deref(), is_replayed(&desk, 1), is_replayed(&desk, 2)), (Some("1-1"), false, false));
    assert_eq!(desk.visible_tags()["Result"], "*");
}

/// The station was killed after the line had processed `continue` and before the service had.
#[test]
fn unrecorded_continuation_clears_result() {
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
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
    let adopt = |game, pairing: &str| TournamentCommand::Adopt {
        board: "b".to_owned(),
        game: Some(game),
        pairing: Some(pairing.to_owned()),
        section: None,
    };
    desk.done(adopt(1, "1.1"));
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
    desk.request(TournamentRequest { confirm: true, ..adopt(1, "1.2").into() }).unwrap();
    assert_eq!(
        (key(&desk), desk.tournament().assigned_pairing("b", 1)),
        (Some(pairings[1]), desk.tournament().assigned_pairing("b", 2))
    );
    desk.request(TournamentRequest { confirm: true, ..adopt(2, "1.1").into() }).unwrap();
    assert_eq!(
        (key(&desk), desk.tournament().assigned_pairing("b", 1).map(|key| key.0)),
        (Some(pairings[0]), Some(pairings[0]))
    );
    assert_eq!(board(&desk), "b");
}

#[test]
fn mistakenly_replayed_game_counts_again_when_assigned() {
    let adopt = || TournamentCommand::Adopt {
        board: "a".to_owned(),
        game: Some(1),
        pairing: Some("1.1".to_owned()),
        section: None,
    };
    for (result, is_given) in [(None, true), (Some("0-2"), true), (None, false), (Some("0-2"), false)] {
        let mut desk = ServiceFixture::with_open_round();
        desk.add(game(&desk, "2-0", is_given));
        desk.catch_up();
        desk.done(TournamentCommand::Replay { pairing: "1.1".to_owned(), section: None });
        if let Some(result) = result {
            desk.done(result_of_pairing(result));
        }
        let reply_messages = desk.done(adopt()).messages.join("\n");
        assert!(reply_messages.contains("Replayed nothing (was yes)"), "{reply_messages}");
        let official = result.or(is_given.then_some("2-0"));
        assert_eq!((desk.result().as_deref(), desk.visible_tags()["Replayed"].as_str()), (official, ""));
        assert_eq!(desk.visible_tags()["Result"], result.unwrap_or("2-0"));
        desk.catch_up();
        assert_eq!(desk.result().as_deref(), official);
    }
    // Another game counts and has to be discarded first.
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
    desk.done(TournamentCommand::Replay { pairing: "1.1".to_owned(), section: None });
    let again = game(&desk, "0-2", true);
    desk.add(BoardGame { number: 2, ..again });
    desk.catch_up();
    assert!(
        refused(&mut desk, adopt())
            .contains("a, game 2, Sijbrands, Ton - Wiersma, H., 40 plies counts for this pairing")
    );
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
    desk.done(TournamentCommand::Adopt {
        board: "a".to_owned(),
        game: None,
        pairing: Some("1.2".to_owned()),
        section: None,
    });
    assert_eq!(at_a(&desk), Some(2));
    desk.add(BoardGame { is_over: true, ..early });
    assert_eq!(at_a(&desk), Some(2));
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
    let reply_messages = desk.done(result("a", "1.2")).messages.join("\n");
    assert!(
        reply_messages.contains(
            "a means round 1, Sijbrands, Ton - Wiersma, H., and pairing 1.2 is round 1, Clerc, Rob - Gantwarg, A., on b"
        ),
        "{reply_messages}"
    );
    assert_eq!(desk.result(), None, "the pairing of board a has none");
    let reply_messages = desk.done(result("b", "1.2")).messages.join("\n");
    assert!(!reply_messages.contains(" means "), "{reply_messages}");
    // The cables were swapped: board a has played the second pairing.
    let played = game(&desk, "2-0", false);
    desk.add(BoardGame { pairing: None, ..played });
    desk.done(TournamentCommand::Adopt {
        board: "a".to_owned(),
        game: None,
        pairing: Some("1.2".to_owned()),
        section: None,
    });
    let reply_messages = desk.done(result("b", "1.2")).messages.join("\n");
    assert!(
        reply_messages.contains("b means") && reply_messages.contains("Clerc, Rob - Gantwarg, A., on a"),
        "{reply_messages}"
    );
    let reply_messages = desk.done(result("a", "1.2")).messages.join("\n");
    assert!(!reply_messages.contains(" means "), "{reply_messages}");
}

#[test]
fn early_game_is_assigned_and_belongs_to_round() {
    let mut desk = ServiceFixture::new();
    desk.import(PLAYERS);
    desk.import(ROUND);
    let early = BoardGame {
        pairing: None,
        tags: vec![("Event".to_owned(), "Club".to_owned())],
        result: None,
        is_over: false,
        ..game(&ServiceFixture::with_open_round(), "*", false)
    };
    desk.add(early.clone());
    let reply_messages = desk
        .done(TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None })
        .messages
        .join("\n");
    assert!(reply_messages.contains("a, game 1, began before: `damcast ctl adopt a`"), "{reply_messages}");
    let adopt = |pairing: Option<&str>| TournamentCommand::Adopt {
        board: "a".to_owned(),
        game: None,
        pairing: pairing.map(str::to_owned),
        section: None,
    };
    let reply_messages = desk.request(adopt(None).into()).unwrap().messages.join("\n");
    assert!(
        reply_messages.contains("a, game 1, is the game of round 1, Sijbrands, Ton - Wiersma, H."),
        "{reply_messages}"
    );
    assert_eq!(desk.visible_tags()["White"], "Sijbrands, Ton");
    let events: String = TournamentHistory::from_records(desk.0.log().records())
        .events()
        .iter()
        .map(|event| event.line(1, &Default::default()))
        .collect();
    assert!(events.contains(r#""field":"pairing","old":"","new":"1""#), "{events}");
    // Its result becomes that of the pairing, as for any game of the round.
    desk.add(BoardGame { result: Some("2-0".to_owned()), is_result_given: true, is_over: true, ..early });
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    // The game belongs to the other board.
    let unsure = desk.request(adopt(Some("1.2")).into()).unwrap_err().to_string();
    assert!(unsure.contains("--confirm makes it one of this"), "{unsure}");
    desk.done(adopt(Some("1.2")));
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
    assert!(
        dry.record.is_none() && dry.messages[0].contains("Clerc, Rob - Gantwarg, A. is postponed"),
        "{:?}",
        dry.messages
    );
    desk.done(postpone(false));
    desk.done(postpone(true));
    assert_eq!(next(&desk), ["a 1.1", "b 1.2"]);
    desk.done(postpone(false));
    assert_eq!(next(&desk), ["a 1.1"]);
    let shown =
        documents::tournament_document(&TournamentHistory::from_records(desk.0.log().records()).tournament(usize::MAX));
    assert!(shown.contains("\"later\":\"postponed\""), "{shown}");
    let events: Vec<String> = TournamentHistory::from_records(desk.0.log().records())
        .events()
        .iter()
        .map(|event| event.line(1, &Default::default()))
        .collect();
    assert_eq!(events.iter().filter(|line| line.contains("\"later\":\"postponed\"")).count(), 2, "{events:#?}");
    let closed = desk.request(round(1, "closed").into()).unwrap();
    assert!(closed.messages.iter().any(|line| line.contains("board 2: Clerc, Rob - Gantwarg, A. is postponed")));
    desk.done(round(2, "open"));
    assert_eq!(next(&desk), ["a 2.1", "b 2.2"]);
    let begin = |pairing: &str, board: &str| {
        let (pairing, board) = (pairing.to_owned(), board.to_owned());
        TournamentCommand::PlayOnBoard { pairing, board, section: None }
    };
    assert!(desk.request(begin("1.1", "a").into()).unwrap_err().to_string().contains("has a result"));
    assert!(desk.request(begin("1.2", "z").into()).unwrap_err().to_string().contains("there is no board z"));
    desk.done(begin("1.2", "b"));
    assert_eq!(next(&desk), ["a 2.1", "b 1.2"], "before what its round has for it");
    assert!(desk.request(begin("2.1", "b").into()).unwrap_err().to_string().contains("is to play Clerc, Rob"));
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
    let replay = || TournamentCommand::Replay { pairing: "1.1".to_owned(), section: None };
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    let outcome = desk.done(replay());
    assert!(outcome.messages[0].contains("Sijbrands, Ton - Wiersma, H.") && outcome.messages[0].contains("replayed"));
    assert_eq!(
        (desk.result(), desk.visible_tags()["Result"].as_str(), desk.visible_tags()["Replayed"].as_str()),
        (None, "*", "yes")
    );
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
    let outcome = desk.done(replay());
    assert!(
        outcome.messages.iter().any(|line| line.contains("damcast ctl play-on 1.1 BOARD")),
        "{:?}",
        outcome.messages
    );
    desk.done(TournamentCommand::PlayOnBoard { pairing: "1.1".to_owned(), board: "b".to_owned(), section: None });
    assert_eq!(next(&desk), ["b 1.1"]);
}

#[test]
fn board_is_at_last_seen_serial_number() {
    let mut desk = ServiceFixture::new();
    let tables = ["serial:1", "serial:2"].map(str::to_owned);
    desk.0.configure(tables.into(), None);
    let mut report_boards = |serials: [(Option<&str>, bool); 2]| {
        let board = |(name, (serial, is_connected)): (&str, (Option<&str>, bool))| StationBoard {
            name: name.to_owned(),
            serial: serial.map(str::to_owned),
            is_connected,
        };
        desk.0.set_boards(["a", "b"].into_iter().zip(serials).map(board).collect());
        [1, 2].map(|number| desk.0.board_with(number))
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
    let boards = |serials: [(Option<&str>, bool); 2]| {
        let board = |(name, (serial, is_connected)): (&str, (Option<&str>, bool))| StationBoard {
            name: name.to_owned(),
            serial: serial.map(str::to_owned),
            is_connected,
        };
        ["a", "b"].into_iter().zip(serials).map(board).collect::<Vec<_>>()
    };
    let open = |serials| {
        let mut service = TournamentService::open(disk.clone(), Path::new("/r/log")).unwrap();
        service.configure(["serial:1", "serial:2"].map(str::to_owned).into(), None);
        service.set_boards(boards(serials));
        ServiceFixture(service, disk.clone())
    };
    // The boards have swapped places.
    let mut desk = open([(Some("2"), true), (Some("1"), true)]);
    desk.import(PLAYERS);
    desk.import(ROUND);
    desk.done(TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None });
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
