//! The tournament service: results from boards, changed players, and rounds that are paired anew. The disk is in memory.

mod games;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use damcast::control::tournament::TournamentRequest;
use damcast::engine::broadcast::events::SCHEMA;
use damcast::engine::broadcast::{Delay, TournamentHistory};
use damcast::station::tournament_log::TournamentLog;
use damcast::station::tournament_service::{
    ResultRequester, ResultTarget, ServiceError, ServiceOutcome, StationBoard, TournamentService,
};
use damcast::tournament::{BoardGame, Event, Tournament, TournamentCommand, documents, write_csv};
use draughts::ResultFormat;
use serde_json::Value;

use crate::model_disk::ModelDisk;
use crate::program::assert_contains;

const PLAYERS: &str = "No;Name;Rating;Title\n1;Sijbrands, Ton;2450;GMI\n2;Wiersma, H.;2400;GMI\n3;Clerc, Rob;2300;\n\
    4;Gantwarg, A.;;\n";
const ROUND: &str = "Round;Board;White;Black\n1;1;Sijbrands, Ton;Wiersma, H.\n1;2;Clerc, Rob;Gantwarg, A.\n";

/// Returns the lines of the changes of the published tournament, with the names that are hidden last.
fn change_lines(history: &TournamentHistory) -> Vec<String> {
    let changes = history.events_for_version(u64::MAX).changes();
    changes.iter().map(|change| change.line(1, &Default::default())).collect()
}

struct ServiceFixture(TournamentService, Arc<ModelDisk>);

impl ServiceFixture {
    fn new() -> ServiceFixture {
        let disk = Arc::new(ModelDisk::new());
        let mut service = TournamentService::open(disk.clone(), Path::new("/r/log")).unwrap();
        service.set_boards(
            ["a", "b"]
                .map(|name| StationBoard { name: name.to_owned(), serial: None, is_connected: true, is_known: true })
                .into(),
        );
        ServiceFixture(service, disk.clone())
    }

    /// Creates a service with players and a prepared round.
    fn with_round() -> ServiceFixture {
        let mut desk = ServiceFixture::new();
        desk.import(PLAYERS);
        desk.import(ROUND);
        desk
    }

    /// Creates a service whose first pairing has ended with 2-0.
    fn with_ended_game() -> ServiceFixture {
        let mut desk = ServiceFixture::with_open_round();
        desk.add(game(&desk, "2-0", true));
        desk.catch_up();
        desk
    }

    /// Creates a service with an open round.
    fn with_open_round() -> ServiceFixture {
        let mut desk = ServiceFixture::with_round();
        desk.done(round(1, "open"));
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

    /// Returns the messages of a request that must succeed.
    #[track_caller]
    fn messages(&mut self, command: TournamentCommand) -> String {
        self.done(command).messages.join("\n")
    }

    fn history(&self) -> TournamentHistory {
        TournamentHistory::from_records(self.0.log().records())
    }

    /// Returns the lines of all events.
    fn event_lines(&self) -> Vec<String> {
        self.history().events().iter().map(|event| event.line(1, &Default::default())).collect()
    }

    /// Returns the lines of the changes of the published tournament.
    fn changes(&self) -> Vec<String> {
        change_lines(&self.history())
    }

    fn player_names(&self) -> Vec<String> {
        self.tournament().sections[0].players.iter().map(|player| player.name.clone()).collect()
    }

    fn add(&mut self, game: BoardGame) {
        self.0.games_mut().insert(game);
    }

    #[track_caller]
    fn import(&mut self, text: &str) -> ServiceOutcome {
        self.done(TournamentCommand::import_of("file.csv", text.to_owned()))
    }

    /// Asserts that the log, read anew, gives the present tournament, and that readers of the events make the same documents of it.
    fn check_record(&self) {
        let read = TournamentLog::read(&*self.1, Path::new("/r/log")).unwrap();
        assert_eq!((read.damage(), read.tournament()), (None, self.0.tournament()));
        let history = TournamentHistory::from_records(read.records());
        assert_eq!(history.is_empty(), read.records().is_empty());
        let mut published = Tournament::default();
        for line in change_lines(&history) {
            let event: Value = serde_json::from_str(&line).unwrap();
            for part in event["parts"].as_array().unwrap() {
                let part = serde_json::from_value(part.clone()).unwrap();
                published.apply(&Event::Restored(part)).unwrap();
            }
        }
        let shown = history.tournament(usize::MAX);
        for document in [documents::tournament_document, documents::standings_document] {
            assert_eq!(document(&published), document(&shown));
        }
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
        let history = self.history();
        let corrections = history.corrections("a", 1).iter();
        corrections.map(|correction| (correction.tag.clone(), correction.value.clone())).collect()
    }
}

/// Lines end one after the other, or are taken out: no pairing moves to another board.
#[test]
fn pairings_keep_boards_while_lines_come_and_go() {
    let mut desk = ServiceFixture::new();
    let boards = |names: &[&str], desk: &mut ServiceFixture| {
        let board = |name: &&str| StationBoard {
            name: (*name).to_owned(),
            serial: None,
            is_connected: true,
            is_known: *name != "bus",
        };
        desk.0.set_boards(names.iter().map(board).collect());
        desk.catch_up();
        let pairings = desk.tournament().sections[0].pairings.clone();
        pairings.iter().map(|pairing| pairing.board_name.clone()).collect::<Vec<_>>().join(" ")
    };
    desk.import(PLAYERS);
    desk.import(ROUND);
    boards(&["x", "bus"], &mut desk);
    desk.done(round(1, "published"));
    assert_eq!(boards(&["x", "bus"], &mut desk), "x ", "nobody knows how many boards a bus has");
    assert_eq!(boards(&["x", "bus-1", "c"], &mut desk), "x bus-1");
    for present in [&["bus-1", "c"][..], &["c"], &["x", "c"], &["new", "x", "bus-1", "c"], &["c", "bus-1", "x"]] {
        assert_eq!(boards(present, &mut desk), "x bus-1", "{present:?}");
    }
    // Taken back, the round gets boards anew.
    desk.done(round(1, "prepared"));
    boards(&["c", "d"], &mut desk);
    desk.done(round(1, "published"));
    assert_eq!(boards(&["d"], &mut desk), "c d");
    desk.done(round(1, "open"));
    assert_eq!(boards(&["e", "f", "c", "d"], &mut desk), "c d");
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

pub fn rename(player: &str, name: &str) -> TournamentCommand {
    TournamentCommand::RenamePlayer { player: player.to_owned(), name: name.to_owned(), section: None }
}

fn substitute(player: &str, substitute: &str) -> TournamentCommand {
    let (player, substitute) = (player.to_owned(), substitute.to_owned());
    TournamentCommand::Substitute { pairing: "1.1".to_owned(), player, substitute, section: None }
}

/// Returns a request that opens, publishes or closes a round.
pub fn round(round: u32, to: &str) -> TournamentCommand {
    TournamentCommand::SetRoundState { round, to: to.to_owned(), section: None }
}

/// Returns a request for the result of a pairing, for a reason.
pub fn result(pairing: &str, result: &str, why: Option<&str>) -> TournamentCommand {
    TournamentCommand::Result {
        board: None,
        game: None,
        pairing: Some(pairing.to_owned()),
        section: None,
        result: result.to_owned(),
        kind: why.map(str::to_owned),
        correct: true,
    }
}

/// Returns a request for a result of the first pairing, for a reason.
fn result_with(points: &str, why: Option<&str>) -> TournamentCommand {
    result("1.1", points, why)
}

fn result_of_pairing(result: &str) -> TournamentCommand {
    result_with(result, None)
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

#[test]
fn refuses_result_against_scoring_or_reason() {
    let mut desk = ServiceFixture::with_round();
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
    assert_contains(&refused(&mut desk, result_with("2-0", None)), &["say whether it is a bye or a forfeit"]);
    for why in ["forfeit", "bye"] {
        desk.done(result_with("2-0", Some(why)));
        assert_eq!(desk.tournament().sections[0].pairings[0].result.unwrap().reason.name(), why);
    }
    desk.done(result_of_pairing("*"));
    assert_eq!(desk.result(), None);
}

#[test]
fn request_name_identifies_one_request() {
    let mut desk = ServiceFixture::with_round();
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
    assert_contains(&refused(&mut desk, rename("Jansen, J.", "Jansen, Jan")), &["1 (Eksaal) or 2 (Waarland)"]);
    desk.request(rename("2", "Jansen, Joop").into()).unwrap();
    assert_eq!(desk.player_names(), ["Jansen, J.", "Jansen, Joop", "Clerc, Rob"]);
    let why = refused(&mut desk, rename("Clerc, Rob", "Jansen, J."));
    assert_contains(&why, &["two players would be called", "--confirm"]);
    desk.done(rename("Clerc, Rob", "Jansen, J."));
    assert_eq!(desk.player_names()[2], "Jansen, J.", "it was meant so");
    // Players with hidden names are still found by name and number.
    desk.request(rename("2", "N. N.").into()).unwrap();
    desk.request(rename("3", "N. N.").into()).unwrap();
    assert_contains(&refused(&mut desk, rename("N. N.", "Jansen, Joop")), &["2 (Waarland) or 3"]);
    for name in ["-", "\u{200b}", "Jan\u{200b}sen", " "] {
        let why = refused(&mut desk, rename("1", name));
        assert!(why.contains("a name"), "{name:?}: {why}");
    }
}

#[test]
fn every_tournament_event_matches_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut desk = ServiceFixture::with_open_round();
    desk.import("Round;Board;White;Black\n2;1;Wiersma, H.;Clerc, Rob\n2;2;Gantwarg, A.;Sijbrands, Ton\n");
    for matter in [
        round(2, "published"),
        round(2, "prepared"),
        rename("Clerc, Rob", "Clerc, R."),
        TournamentCommand::Result {
            board: None,
            game: None,
            pairing: Some("1.2".to_owned()),
            section: None,
            result: "2-0".to_owned(),
            kind: Some("forfeit".to_owned()),
            correct: false,
        },
        TournamentCommand::Postpone { pairing: "1.1".to_owned(), section: None, undo: false },
        TournamentCommand::Feature { boards: vec!["1".to_owned(), "2".to_owned()], every: Some(30), most_moves: false },
        TournamentCommand::Feature { boards: Vec::new(), every: None, most_moves: true },
        round(1, "closed"),
    ] {
        desk.done(matter);
    }
    let mut states = BTreeSet::new();
    for line in [desk.event_lines(), desk.changes()].concat() {
        let event: Value = serde_json::from_str(&line).unwrap();
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
fn changes_have_no_facts_that_no_file_shows() {
    let mut desk = ServiceFixture::with_round();
    // The names of CSV and TRF files for a day of birth and a sex.
    desk.import("No;Name;Birth;Sex;Licence\n1;Sijbrands, Ton;1949-12-15;m;A-77\n2;Wiersma, H.;1953-05-13;m;10023\n");
    desk.done(rename("Clerc, Rob", "Clerc, R."));
    let player = desk.tournament().sections[0].players[0].clone();
    assert_eq!((player.birth.as_str(), player.sex.as_str(), player.licence.as_str()), ("1949-12-15", "m", "A-77"));
    let lines = desk.changes().concat();
    for private in ["1949", "\"m\"", "A-77", "former"] {
        assert!(!lines.contains(private), "{private}: {lines}");
    }
    assert!(lines.contains("10023") && lines.contains("Clerc, R."), "{lines}");
    // The pairings of a prepared round are private as well.
    assert!(!lines.contains("\"pairing\""), "{lines}");
    desk.done(round(1, "published"));
    assert!(desk.changes().concat().contains("\"pairing\""));
}

#[test]
fn corrected_name_survives_import() {
    let mut desk = ServiceFixture::with_open_round();
    desk.done(rename("Wiersma, H.", "Wiersma, Harm"));
    desk.done(rename("Wiersma, Harm", "Wiersma, Harmen"));
    let mended = ["Sijbrands, Ton", "Wiersma, Harmen", "Clerc, Rob", "Gantwarg, A."];
    for file in [PLAYERS, ROUND] {
        assert!(desk.import(file).record.is_none(), "{file}");
        assert_eq!(desk.player_names(), mended);
    }
    assert_contains(&desk.import(PLAYERS).notes.join("\n"), &["`Wiersma, H.` keeps the name `Wiersma, Harmen`"]);
    desk.import("Round;Board;White;Black\n2;1;Wiersma, H.;Clerc, Rob\n2;2;Gantwarg, A.;Sijbrands, Ton\n");
    assert_eq!(desk.player_names(), mended, "nobody is new");
    assert_eq!(desk.tournament().sections[0].round(2)[0].white.map(|id| id.0), Some(2));
    // The pairing program renames the player as well; then another player gets the old name.
    desk.import(&PLAYERS.replace("Wiersma, H.", "Wiersma, Harm J."));
    assert_eq!(desk.player_names()[1], "Wiersma, Harm J.");
    desk.done(rename("2", "Wiersma, H."));
    desk.done(rename("2", "Wiersma, Harm"));
    desk.import("No;Name\n5;Wiersma, H.\n");
    desk.import("Round;Board;White;Black\n3;1;Clerc, Rob;Wiersma, H.\n");
    assert_eq!(desk.tournament().sections[0].round(3)[0].black.map(|id| id.0), Some(5));
}

#[test]
fn imported_files_reveal_no_hidden_player() {
    let mut desk = ServiceFixture::with_open_round();
    let messages = desk.done(rename("Wiersma, H.", "N. N.")).messages;
    assert!(messages[0].contains("begin anew") && !messages.concat().contains("formerly"), "{messages:?}");
    desk.done(rename("3", "N. N."));
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
    desk.done(rename("2", "Wiersma, Harm"));
    assert_eq!(players(&desk)[1].1, "Wiersma, Harm");
    let history = desk.history();
    let last = history.names_version(Delay::NO_DELAY, history.events().last().unwrap().at());
    let lines: String =
        history.events_for_version(last).events().iter().map(|event| event.line(1, &Default::default())).collect();
    assert!(lines.contains("Wiersma, Harm") && !lines.contains("Clerc"), "{lines}");
    let changes = change_lines(&history).concat();
    assert!(changes.contains("Wiersma, Harm\"") && !changes.contains("Clerc"), "{changes}");
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
    let mut desk = ServiceFixture::with_ended_game();
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

#[test]
fn substitute_inherits_nothing_from_replaced_player() {
    let mut desk = ServiceFixture::with_ended_game();
    let unsure = desk.request(substitute("Sijbrands, Ton", "Reserve, R.").into()).unwrap_err().to_string();
    assert!(unsure.contains("Reserve, R. is no player of main: with --confirm he becomes one"), "{unsure}");
    let twice = desk.request(substitute("Sijbrands, Ton", "Clerc, Rob").into()).unwrap_err().to_string();
    assert!(twice.contains("Clerc, Rob would play twice in round 1"), "{twice}");
    assert_contains(
        &desk.messages(substitute("Sijbrands, Ton", "Reserve, R.")),
        &["Reserve, R. plays for Sijbrands, Ton", "WhiteRating nothing (was 2450)"],
    );
    let shown = desk.visible_tags();
    for (tag, value) in [("White", "Reserve, R."), ("WhiteRating", ""), ("WhiteTitle", "")] {
        assert_eq!(shown.get(tag).map(String::as_str), Some(value), "{tag}: {shown:?}");
    }
    // The log contains the whole history.
    let history = desk.history();
    assert!(history.visible_events(Delay::NO_DELAY, history.events().last().unwrap().at()) > 0);
    assert_eq!(desk.tournament().corrected("a", 1).unwrap().tags["WhiteRating"].value, "");
    // The substitution is undone.
    desk.done(substitute("Reserve, R.", "1"));
    assert_eq!(desk.visible_tags()["WhiteRating"], "2450");
    assert_eq!(desk.visible_tags()["White"], "Sijbrands, Ton");
}

#[test]
fn only_prepared_round_is_paired_again() {
    let mut desk = ServiceFixture::with_round();
    let anew = "Round;Board;White;Black;Result\n1;1;Wiersma, H.;Clerc, Rob;\n1;;Gantwarg, A.;;bye\n";
    assert_contains(
        &desk.import(anew).notes.join("\n"),
        &["Sijbrands, Ton - Wiersma, H. is not played, this file pairs anew"],
    );
    let tournament = desk.tournament();
    let section = &tournament.sections[0];
    let names: Vec<[&str; 2]> =
        section.round(1).iter().map(|of| [of.white, of.black].map(|id| section.name_of(id))).collect();
    assert_eq!(names, [["Wiersma, H.", "Clerc, Rob"]], "{:?}", section.byes);
    desk.import(ROUND);
    assert_eq!(desk.tournament().sections[0].round(1).len(), 2);
    assert!(desk.tournament().sections[0].byes.is_empty());
    desk.done(round(1, "published"));
    let late =
        TournamentCommand::import_of("late.csv", "Round;Board;White;Black\n1;1;Wiersma, H.;Clerc, Rob\n".to_owned());
    let refused = desk.request(late.into()).unwrap_err().to_string();
    assert!(refused.contains("Wiersma, H. already plays Sijbrands, Ton in round 1"), "{refused}");
}

#[test]
fn dry_run_shows_effects_for_each_audience() {
    let mut desk = ServiceFixture::with_round();
    let dry = |desk: &mut ServiceFixture, matter: TournamentCommand| -> Vec<String> {
        let request = TournamentRequest { dry_run: true, confirm: true, ..matter.into() };
        desk.request(request).unwrap().messages
    };
    let has =
        |notices: &[String], line: &str| assert!(notices.iter().any(|notices| notices == line), "{line}: {notices:#?}");
    let open = round(1, "open");
    let notices = dry(&mut desk, open.clone());
    let lines = "a: the next game is Sijbrands, Ton - Wiersma, H., round 1|\
        b: the next game is Clerc, Rob - Gantwarg, A., round 1|\
        games.pdn, started.pdn: round 1 (no round until now)|\
        round/1/games.pdn, started.pdn: they are there from then on, for ever: 2 games of electronic boards|\
        events.ndjson: pairing, round|live/: nothing, what was written stays|\
        nothing was changed: this was a dry run";
    for line in lines.split('|') {
        has(&notices, line);
    }
    assert!(!notices.iter().any(|notices| notices.starts_with("standings")), "{notices:#?}");
    desk.done(open);
    desk.add(game(&desk, "2-0", true));
    let notices = dry(&mut desk, result_of_pairing("1-1"));
    let lines = "a: the next game is none of the tournament|round/1/games.pdn, started.pdn: with this|\
        archive/a-1.pdn: with this|events.ndjson: official-result, tag-correction|\
        standings.json: Sijbrands, Ton 1 (was 0), Wiersma, H. 1 (was 0)";
    for line in lines.split('|') {
        has(&notices, line);
    }
    assert_eq!(desk.result(), None);
    let notices = dry(&mut desk, rename("Wiersma, H.", "Wiersma, Harm"));
    for line in
        ["a: the next game is Sijbrands, Ton - Wiersma, Harm, round 1", "events.ndjson: pairing, tag-correction"]
    {
        has(&notices, line);
    }
}
