//! The tournament service: results from boards, changed players, and rounds that are paired anew. The disk is in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use damcast::engine::broadcast::events::SCHEMA;
use damcast::engine::broadcast::{Delay, TournamentHistory, documents};
use damcast::engine::tournament::{BoardGame, Tournament, write_csv};
use damcast::station::tournament_log::TournamentLog;
use damcast::station::tournament_service::{
    ResultRequester, ServiceError, ServiceOutcome, StationBoard, TournamentCommand, TournamentRequest,
    TournamentService,
};
use draughts::ResultFormat;
use serde_json::Value;

use crate::model_disk::ModelDisk;

const PLAYERS: &str = "No;Name;Rating;Title\n1;Sijbrands, Ton;2450;GMI\n2;Wiersma, H.;2400;GMI\n3;Clerc, Rob;2300;\n\
    4;Gantwarg, A.;;\n";
const ROUND: &str = "Round;Board;White;Black\n1;1;Sijbrands, Ton;Wiersma, H.\n1;2;Clerc, Rob;Gantwarg, A.\n";

struct ServiceFixture(TournamentService, Arc<ModelDisk>);

impl ServiceFixture {
    fn new() -> ServiceFixture {
        let disk = Arc::new(ModelDisk::new());
        let mut service = TournamentService::open(disk.clone(), Path::new("/r/log")).unwrap();
        service.set_boards(
            ["a", "b"].map(|name| StationBoard { name: name.to_owned(), serial: None, is_connected: true }).into(),
        );
        ServiceFixture(service, disk.clone())
    }

    /// Creates a service with an open round.
    fn with_open_round() -> ServiceFixture {
        let mut desk = ServiceFixture::new();
        desk.import(PLAYERS);
        desk.import(ROUND);
        desk.done(TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None });
        desk
    }

    fn request(&mut self, request: TournamentRequest) -> Result<ServiceOutcome, ServiceError> {
        let done = self.0.execute(&request, "anna");
        self.check_record();
        done
    }

    #[track_caller]
    fn done(&mut self, matter: TournamentCommand) -> ServiceOutcome {
        self.request(TournamentRequest { confirm: true, ..matter.into() }).unwrap()
    }

    fn add(&mut self, game: BoardGame) {
        self.0.games_mut().insert(game);
    }

    #[track_caller]
    fn import(&mut self, text: &str) -> ServiceOutcome {
        self.done(TournamentCommand::import_of("file.csv", text.to_owned()))
    }

    /// Asserts that the log, read anew, gives the present tournament.
    fn check_record(&self) {
        let read = TournamentLog::read(&*self.1, Path::new("/r/log")).unwrap();
        assert_eq!((read.damage(), read.tournament()), (None, self.0.tournament()));
        let history = TournamentHistory::from_records(read.records());
        assert_eq!(history.is_empty(), read.records().is_empty());
    }

    fn tournament(&self) -> Tournament {
        self.0.tournament().clone()
    }

    fn result(&self) -> Option<String> {
        let result = self.tournament().sections[0].pairings[0].result?;
        Some(format!("{}-{}", result.white, result.black))
    }

    fn catch_up(&mut self) -> ServiceOutcome {
        let requester = ResultRequester { by: "bert".to_owned(), reason: "the flag fell".to_owned() };
        let done = self.0.apply_board_results(&BTreeMap::from([("a".to_owned(), requester)])).unwrap();
        self.check_record();
        done
    }

    /// Returns the tags of game 1 of board a that are shown differently from the recording.
    fn visible_tags(&self) -> BTreeMap<String, String> {
        let history = TournamentHistory::from_records(self.0.log().records());
        let corrections = history.corrections("a", 1).iter();
        corrections.map(|correction| (correction.tag.clone(), correction.value.clone())).collect()
    }
}

/// Returns game 1 of board a, a game of the first pairing, ended with a result.
fn game(desk: &ServiceFixture, result: &str, is_result_given: bool) -> BoardGame {
    let tournament = desk.tournament();
    let seat = tournament.board_assignments().into_iter().find(|seat| seat.board == "a").unwrap();
    BoardGame {
        board: "a".to_owned(),
        number: 1,
        continues: None,
        pairing: Some(seat.pairing.0.to_string()),
        tags: seat.tags,
        format: Some(ResultFormat::International),
        result: Some(result.to_owned()),
        is_result_given,
        is_over: true,
        entries: 40,
    }
}

fn result_of_pairing(result: &str) -> TournamentCommand {
    TournamentCommand::Result {
        board: None,
        game: None,
        pairing: Some("1.1".to_owned()),
        section: None,
        result: result.to_owned(),
        kind: None,
        correct: true,
    }
}

#[test]
fn board_result_is_proposal_and_operator_result_is_official() {
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", false));
    desk.catch_up();
    assert_eq!(desk.result(), None, "no legal move ended it: an arbiter says so");
    desk.add(game(&desk, "2-0", true));
    let record = desk.catch_up().record.unwrap();
    assert_eq!((record.by.as_str(), record.reason.as_str()), ("bert", "the flag fell"));
    assert_eq!(desk.result().as_deref(), Some("2-0"));
    // A result that an arbiter withdrew is not restored from the board.
    desk.done(result_of_pairing("*"));
    desk.catch_up();
    assert_eq!(desk.result(), None);
    desk.done(result_of_pairing("1-1"));
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("1-1"));
}

/// Asserts a refusal and returns its message.
#[track_caller]
fn refused(desk: &mut ServiceFixture, matter: TournamentCommand) -> String {
    let before = desk.tournament();
    let why = desk.request(matter.into()).unwrap_err().to_string();
    assert_eq!(desk.tournament(), before, "nothing has changed");
    why
}

/// Returns a request for a result of the first pairing.
fn result_with(result: &str, why: Option<&str>) -> TournamentCommand {
    match result_of_pairing(result) {
        TournamentCommand::Result { board, game, pairing, section, result, correct, .. } => {
            TournamentCommand::Result { board, game, pairing, section, result, kind: why.map(str::to_owned), correct }
        }
        other => other,
    }
}

#[test]
fn refuses_result_against_scoring_or_reason() {
    let mut desk = ServiceFixture::new();
    desk.import(PLAYERS);
    desk.import(ROUND);
    for (result, why) in [
        ("2-2", None),
        ("3-0", None),
        ("12-0", None),
        ("1,5-0,5", None),
        ("2-0", Some("both lost")),
        ("1-1", Some("forfeit")),
        ("2-0", Some("bye")),
        ("3-0", Some("arbiter")),
    ] {
        let refusal = refused(&mut desk, result_with(result, why));
        assert!(refusal.contains("round 1, board 1, Sijbrands, Ton - Wiersma, H.: "), "{result}: {refusal}");
    }
    for (result, why, expected) in [
        ("2-2", Some("arbiter"), "2-2"),
        ("1-0", Some("arbiter"), "1-0"),
        ("0-0", None, "0-0"),
        ("2-0", Some("forfeit"), "2-0"),
    ] {
        desk.done(result_with(result, why));
        assert_eq!(desk.result().as_deref(), Some(expected));
    }
}

#[test]
fn single_player_has_bye_or_forfeit_and_no_game() {
    let mut desk = ServiceFixture::new();
    desk.import(PLAYERS);
    desk.import("Round;Board;White;Black;Result\n1;1;Clerc, Rob;;\n");
    let refusal = refused(&mut desk, result_with("2-0", None));
    assert!(refusal.contains("say whether it is a bye or a forfeit"), "{refusal}");
    for why in ["forfeit", "bye"] {
        desk.done(result_with("2-0", Some(why)));
        assert_eq!(desk.tournament().sections[0].pairings[0].result.unwrap().reason.name(), why);
    }
    desk.done(result_of_pairing("*"));
    assert_eq!(desk.result(), None);
}

#[test]
fn request_name_identifies_one_request() {
    let mut desk = ServiceFixture::new();
    desk.import(PLAYERS);
    desk.import(ROUND);
    let named =
        |result: &str| TournamentRequest { request_id: Some("r1".to_owned()), ..result_with(result, None).into() };
    desk.request(named("2-0")).unwrap();
    assert!(desk.request(named("2-0")).unwrap().messages[0].contains("done already"));
    let why = desk.request(named("0-2")).unwrap_err().to_string();
    assert!(why.contains("the request r1 was another one: result of pairing 1.1: 2-0, as version 3"), "{why}");
    assert_eq!(desk.result().as_deref(), Some("2-0"));
}

#[test]
fn namesakes_differ_by_number_and_swap_needs_confirmation() {
    let mut desk = ServiceFixture::new();
    desk.import("Name;Club\nJansen, J.;Eksaal\nJansen, J.;Waarland\nClerc, Rob;\n");
    let call = |player: &str, name: &str| TournamentCommand::RenamePlayer {
        player: player.to_owned(),
        name: name.to_owned(),
        section: None,
    };
    let names = |desk: &ServiceFixture| -> Vec<String> {
        desk.tournament().sections[0].players.iter().map(|player| player.name.clone()).collect()
    };
    let why = refused(&mut desk, call("Jansen, J.", "Jansen, Jan"));
    assert!(why.contains("1 (Eksaal) or 2 (Waarland)"), "{why}");
    desk.request(call("2", "Jansen, Joop").into()).unwrap();
    assert_eq!(names(&desk), ["Jansen, J.", "Jansen, Joop", "Clerc, Rob"]);
    let why = refused(&mut desk, call("Clerc, Rob", "Jansen, J."));
    assert!(why.contains("two players would be called") && why.contains("--confirm"), "{why}");
    desk.done(call("Clerc, Rob", "Jansen, J."));
    assert_eq!(names(&desk)[2], "Jansen, J.", "it was meant so");
    // Players with hidden names are still found by name and number.
    desk.request(call("2", "N. N.").into()).unwrap();
    desk.request(call("3", "N. N.").into()).unwrap();
    let why = refused(&mut desk, call("N. N.", "Jansen, Joop"));
    assert!(why.contains("2 (Waarland) or 3"), "{why}");
    for name in ["-", "\u{200b}", "Jan\u{200b}sen", " "] {
        let why = refused(&mut desk, call("1", name));
        assert!(why.contains("a name"), "{name:?}: {why}");
    }
}

#[test]
fn every_tournament_event_matches_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut desk = ServiceFixture::with_open_round();
    desk.import("Round;Board;White;Black\n2;1;Wiersma, H.;Clerc, Rob\n2;2;Gantwarg, A.;Sijbrands, Ton\n");
    let round = |round: u32, to: &str| TournamentCommand::SetRoundState { round, to: to.to_owned(), section: None };
    let (player, name, section) = ("Clerc, Rob".to_owned(), "Clerc, R.".to_owned(), None);
    let (pairing, reason) = (Some("1.2".to_owned()), Some("forfeit".to_owned()));
    for matter in [
        round(2, "published"),
        round(2, "prepared"),
        TournamentCommand::RenamePlayer { player, name, section },
        TournamentCommand::Result {
            board: None,
            game: None,
            pairing,
            section: None,
            result: "2-0".into(),
            kind: reason,
            correct: false,
        },
        TournamentCommand::Postpone { pairing: "1.1".to_owned(), section: None, undo: false },
        round(1, "closed"),
    ] {
        desk.done(matter);
    }
    let history = TournamentHistory::from_records(desk.0.log().records());
    let mut states = BTreeSet::new();
    for event in history.events() {
        let event: Value = serde_json::from_str(&event.line(1, &Default::default())).unwrap();
        for (member, value) in event.as_object().unwrap() {
            let known = &schema["properties"][member];
            let is_one = known["enum"].as_array().is_none_or(|values| values.contains(value));
            assert!(!known.is_null() && is_one, "{member}: {event}");
        }
        states.extend(event["state"].as_str().map(str::to_owned));
    }
    assert_eq!(states.into_iter().collect::<Vec<_>>(), ["closed", "open", "prepared", "published"]);
}

#[test]
fn corrected_name_survives_import() {
    let mut desk = ServiceFixture::with_open_round();
    let call = |player: &str, name: &str| TournamentCommand::RenamePlayer {
        player: player.to_owned(),
        name: name.to_owned(),
        section: None,
    };
    desk.done(call("Wiersma, H.", "Wiersma, Harm"));
    desk.done(call("Wiersma, Harm", "Wiersma, Harmen"));
    let names = |desk: &ServiceFixture| -> Vec<String> {
        desk.tournament().sections[0].players.iter().map(|player| player.name.clone()).collect()
    };
    let mended = ["Sijbrands, Ton", "Wiersma, Harmen", "Clerc, Rob", "Gantwarg, A."];
    for file in [PLAYERS, ROUND] {
        assert!(desk.import(file).record.is_none(), "{file}");
        assert_eq!(names(&desk), mended);
    }
    let notes = desk.import(PLAYERS).notes.join("\n");
    assert!(notes.contains("`Wiersma, H.` keeps the name `Wiersma, Harmen`"), "{notes}");
    desk.import("Round;Board;White;Black\n2;1;Wiersma, H.;Clerc, Rob\n2;2;Gantwarg, A.;Sijbrands, Ton\n");
    assert_eq!(names(&desk), mended, "nobody is new");
    assert_eq!(desk.tournament().sections[0].round(2)[0].white.map(|id| id.0), Some(2));
    // The pairing program renames the player as well; then another player gets the old name.
    desk.import(&PLAYERS.replace("Wiersma, H.", "Wiersma, Harm J."));
    assert_eq!(names(&desk)[1], "Wiersma, Harm J.");
    desk.done(call("2", "Wiersma, H."));
    desk.done(call("2", "Wiersma, Harm"));
    desk.import("No;Name\n5;Wiersma, H.\n");
    desk.import("Round;Board;White;Black\n3;1;Clerc, Rob;Wiersma, H.\n");
    assert_eq!(desk.tournament().sections[0].round(3)[0].black.map(|id| id.0), Some(5));
}

#[test]
fn imported_files_reveal_no_hidden_player() {
    let mut desk = ServiceFixture::with_open_round();
    let call = |player: &str, name: &str| TournamentCommand::RenamePlayer {
        player: player.to_owned(),
        name: name.to_owned(),
        section: None,
    };
    let outcome = desk.done(call("Wiersma, H.", "N. N."));
    assert!(
        outcome.messages[0].contains("begin anew") && !outcome.messages.concat().contains("formerly"),
        "{:?}",
        outcome.messages
    );
    desk.done(call("3", "N. N."));
    let players = |desk: &ServiceFixture| -> Vec<(Option<u32>, String)> {
        let players = desk.tournament().sections[0].players.clone();
        players.into_iter().map(|player| (player.number, player.name)).collect()
    };
    let hidden = players(&desk);
    assert_eq!(hidden[1..3], [(Some(2), "N. N.".to_owned()), (Some(3), "N. N.".to_owned())]);
    // By number, by name, and as in our own export.
    desk.import(PLAYERS);
    desk.import(ROUND);
    desk.import("Round;Board;White;Black\n2;1;Wiersma, H.;Clerc, Rob\n2;2;Gantwarg, A.;Sijbrands, Ton\n");
    let own = write_csv(&desk.tournament(), &desk.tournament().sections[0]);
    assert!(own.contains("N. N.") && !own.contains("Wiersma") && !own.contains("Clerc"), "{own}");
    assert!(desk.import(&own).record.is_none());
    // Another spelling does not undo the renaming.
    let renamed = PLAYERS.replace("Wiersma, H.", "Wiersma, Harm");
    desk.import(&renamed);
    assert_eq!(players(&desk), hidden);
    let paired = desk.tournament().sections[0].round(2)[0].clone();
    assert_eq!((paired.white.map(|id| id.0), paired.black.map(|id| id.0)), (Some(2), Some(3)));
    // The player asks for another name again.
    desk.done(call("2", "Wiersma, Harm"));
    assert_eq!(players(&desk)[1].1, "Wiersma, Harm");
    let history = TournamentHistory::from_records(desk.0.log().records());
    let last = history.names_version(Delay::NO_DELAY, history.events().last().unwrap().at());
    let lines: String =
        history.events_for_version(last).events().iter().map(|event| event.line(1, &Default::default())).collect();
    assert!(lines.contains("Wiersma, Harm") && !lines.contains("Clerc"), "{lines}");
    let before: String =
        history.events_for_version(last - 1).events().iter().map(|event| event.line(1, &Default::default())).collect();
    assert!(!before.contains("Wiersma, H.\"") && !before.contains("Clerc"), "{before}");
}

/// Readers of a game see a plus draw if their results include it.
#[test]
fn plus_draw_comes_from_board_or_arbiter() {
    let plus_draws = |game| BoardGame { format: Some(ResultFormat::PlusDraw), ..game };
    let mut desk = ServiceFixture::with_open_round();
    desk.add(plus_draws(game(&desk, "1+ - 1-", true)));
    desk.catch_up();
    let reason =
        |desk: &ServiceFixture| desk.tournament().sections[0].pairings[0].result.map(|result| result.reason.name());
    assert_eq!((desk.result().as_deref(), reason(&desk)), (Some("1-1"), Some("white plus")));
    assert!(!desk.visible_tags().contains_key("Result"), "{:?}", desk.visible_tags());
    desk.done(result_of_pairing("1--1+"));
    assert_eq!((desk.result().as_deref(), reason(&desk)), (Some("1-1"), Some("black plus")));
    assert_eq!(desk.visible_tags()["Result"], "1- - 1+");
    // A file without plus draws shows a draw.
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
    desk.done(result_of_pairing("1+-1-"));
    assert_eq!((desk.visible_tags()["Result"].as_str(), reason(&desk)), ("1-1", Some("white plus")));
}

/// In a section with Delft scoring an advantage counts; the game keeps the result of its board.
#[test]
fn delft_advantage_comes_from_board() {
    let mut desk = ServiceFixture::new();
    let mut import = TournamentCommand::import_of("round.csv", ROUND.to_owned());
    if let TournamentCommand::Import { scoring, .. } = &mut import {
        *scoring = "delfts".to_owned();
    }
    desk.done(import);
    desk.done(round(1, "open"));
    let of_delft = |game| BoardGame { format: Some(ResultFormat::Delfts), ..game };
    desk.add(of_delft(game(&desk, "1 1/2 - 1/2", true)));
    desk.catch_up();
    assert_eq!(desk.result().as_deref(), Some("1.5-0.5"));
    assert!(!desk.visible_tags().contains_key("Result"), "{:?}", desk.visible_tags());
    desk.done(result_of_pairing("½-1½"));
    assert_eq!((desk.result().as_deref(), desk.visible_tags()["Result"].as_str()), (Some("0.5-1.5"), "1/2 - 1 1/2"));
    let why = desk.request(result_of_pairing("1+-1-").into()).unwrap_err().to_string();
    assert!(why.contains("a draw with an advantage is 1½-½ or ½-1½ here"), "{why}");
    // Another section has no such result: it becomes a proposal.
    let mut desk = ServiceFixture::with_open_round();
    desk.add(of_delft(game(&desk, "1 1/2 - 1/2", true)));
    desk.catch_up();
    assert_eq!(desk.result(), None);
}

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
fn substitute_inherits_nothing_from_replaced_player() {
    let mut desk = ServiceFixture::with_open_round();
    desk.add(game(&desk, "2-0", true));
    desk.catch_up();
    let substitute = |by: &str| TournamentCommand::Substitute {
        pairing: "1.1".to_owned(),
        player: "Sijbrands, Ton".to_owned(),
        substitute: by.to_owned(),
        section: None,
    };
    let unsure = desk.request(substitute("Reserve, R.").into()).unwrap_err().to_string();
    assert!(unsure.contains("Reserve, R. is no player of main: with --confirm he becomes one"), "{unsure}");
    let twice = desk.request(substitute("Clerc, Rob").into()).unwrap_err().to_string();
    assert!(twice.contains("Clerc, Rob would play twice in round 1"), "{twice}");
    let reply_messages = desk.done(substitute("Reserve, R.")).messages.join("\n");
    assert!(
        reply_messages.contains("Reserve, R. plays for Sijbrands, Ton")
            && reply_messages.contains("WhiteRating nothing (was 2450)"),
        "{reply_messages}"
    );
    let shown = desk.visible_tags();
    for (tag, value) in [("White", "Reserve, R."), ("WhiteRating", ""), ("WhiteTitle", "")] {
        assert_eq!(shown.get(tag).map(String::as_str), Some(value), "{tag}: {shown:?}");
    }
    // The log contains the whole history.
    let history = TournamentHistory::from_records(desk.0.log().records());
    assert!(history.visible_events(Delay::NO_DELAY, history.events().last().unwrap().at()) > 0);
    assert_eq!(desk.tournament().corrected("a", 1).unwrap().tags["WhiteRating"].value, "");
    // The substitution is undone.
    let back = TournamentCommand::Substitute {
        pairing: "1.1".to_owned(),
        player: "Reserve, R.".to_owned(),
        substitute: "1".to_owned(),
        section: None,
    };
    desk.done(back);
    assert_eq!(desk.visible_tags()["WhiteRating"], "2450");
    assert_eq!(desk.visible_tags()["White"], "Sijbrands, Ton");
}

#[test]
fn only_prepared_round_is_paired_again() {
    let mut desk = ServiceFixture::new();
    desk.import(PLAYERS);
    desk.import(ROUND);
    let anew = "Round;Board;White;Black;Result\n1;1;Wiersma, H.;Clerc, Rob;\n1;;Gantwarg, A.;;bye\n";
    let import_notes = desk.import(anew).notes.join("\n");
    assert!(
        import_notes.contains("Sijbrands, Ton - Wiersma, H. is not played, this file pairs anew"),
        "{import_notes}"
    );
    let tournament = desk.tournament();
    let section = &tournament.sections[0];
    let names: Vec<[&str; 2]> =
        section.round(1).iter().map(|of| [of.white, of.black].map(|id| section.name_of(id))).collect();
    assert_eq!(names, [["Wiersma, H.", "Clerc, Rob"]], "{:?}", section.byes);
    desk.import(ROUND);
    assert_eq!(desk.tournament().sections[0].round(1).len(), 2);
    assert!(desk.tournament().sections[0].byes.is_empty());
    desk.done(TournamentCommand::SetRoundState { round: 1, to: "published".to_owned(), section: None });
    let late =
        TournamentCommand::import_of("late.csv", "Round;Board;White;Black\n1;1;Wiersma, H.;Clerc, Rob\n".to_owned());
    let refused = desk.request(late.into()).unwrap_err().to_string();
    assert!(refused.contains("Wiersma, H. already plays Sijbrands, Ton in round 1"), "{refused}");
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
    let called = |seat: &damcast::engine::tournament::BoardAssignment| {
        let pairing = tournament.pairing(seat.pairing.0).unwrap().1;
        format!("{} {}.{}", seat.board, pairing.round, pairing.board.unwrap())
    };
    let mut all: Vec<String> = tournament.board_assignments().iter().map(called).collect();
    all.sort();
    all
}

fn round(round: u32, to: &str) -> TournamentCommand {
    TournamentCommand::SetRoundState { round, to: to.to_owned(), section: None }
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
    assert!(
        outcome.messages[0].contains("Sijbrands, Ton - Wiersma, H.") && outcome.messages[0].contains("played again")
    );
    assert_eq!(
        (desk.result(), desk.visible_tags()["Result"].as_str(), desk.visible_tags()["Replayed"].as_str()),
        (None, "*", "yes")
    );
    desk.catch_up();
    assert_eq!(desk.result(), None, "the old game gives nothing any more");
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

#[test]
fn dry_run_shows_effects_for_each_audience() {
    let mut desk = ServiceFixture::new();
    desk.import(PLAYERS);
    desk.import(ROUND);
    let dry = |desk: &mut ServiceFixture, matter: TournamentCommand| -> Vec<String> {
        let request = TournamentRequest { dry_run: true, confirm: true, ..matter.into() };
        desk.request(request).unwrap().messages
    };
    let has =
        |notices: &[String], line: &str| assert!(notices.iter().any(|notices| notices == line), "{line}: {notices:#?}");
    let open = TournamentCommand::SetRoundState { round: 1, to: "open".to_owned(), section: None };
    let notices = dry(&mut desk, open.clone());
    for line in [
        "a: the next game is Sijbrands, Ton - Wiersma, H., round 1",
        "b: the next game is Clerc, Rob - Gantwarg, A., round 1",
        "games.pdn, started.pdn: round 1 (no round until now)",
        "round/1/games.pdn, started.pdn: they are there from then on, for ever: 2 games of electronic boards",
        "events.ndjson: pairing, round",
        "live/: nothing, what was written stays",
        "nothing was changed: this was a dry run",
    ] {
        has(&notices, line);
    }
    assert!(!notices.iter().any(|notices| notices.starts_with("standings")), "{notices:#?}");
    desk.done(open);
    desk.add(game(&desk, "2-0", true));
    let notices = dry(&mut desk, result_of_pairing("1-1"));
    for line in [
        "a: the next game is none of the tournament",
        "round/1/games.pdn, started.pdn: with this",
        "archive/a-1.pdn: with this",
        "events.ndjson: official-result, tag-correction",
        "standings.json: Sijbrands, Ton 1 (was 0), Wiersma, H. 1 (was 0)",
    ] {
        has(&notices, line);
    }
    assert_eq!(desk.result(), None);
    let name = TournamentCommand::RenamePlayer {
        player: "Wiersma, H.".to_owned(),
        name: "Wiersma, Harm".to_owned(),
        section: None,
    };
    let notices = dry(&mut desk, name);
    for line in
        ["a: the next game is Sijbrands, Ton - Wiersma, Harm, round 1", "events.ndjson: pairing, tag-correction"]
    {
        has(&notices, line);
    }
}
