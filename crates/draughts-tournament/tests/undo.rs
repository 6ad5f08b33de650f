//! Undo of any action in any state returns the tournament to what it was.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{
    BoardGame, BoardGames, Boards, Decision, Event, Id, NO_PAIRING, Refusal, ResultReason, RoundState, Tournament,
    TournamentCommand, TournamentRecord, TournamentSection, apply_board_results, decide, decide_undo, record_to_undo,
    undone_versions,
};
use proptest::prelude::*;

const PLAYERS: &str = "No;Name;Rating\n1;Ann;2000\n2;Bob;1990\n3;Cor;1980\n4;Dirk;1970\n";
const ROUNDS: &str =
    "Round;Board;White;Black\n1;1;Ann;Bob\n1;2;Cor;Dirk\n2;1;Dirk;Ann\n2;2;Bob;Cor\n3;1;Ann;Cor\n3;2;Bob;Dirk\n";
const BOARDS: [&str; 2] = ["a", "b"];

/// A tournament with its record and its boards.
struct Desk {
    records: Vec<TournamentRecord>,
    state: Tournament,
    games: BoardGames,
    boards: Vec<String>,
    /// Whether the configuration lists the boards.
    are_listed: bool,
}

impl Desk {
    fn new() -> Desk {
        let boards = BOARDS.map(str::to_owned).to_vec();
        Desk {
            records: Vec::new(),
            state: Tournament::default(),
            games: BoardGames::default(),
            boards,
            are_listed: false,
        }
    }

    fn with_rounds() -> Desk {
        let mut desk = Desk::new();
        desk.done(&import(PLAYERS));
        desk.done(&import(ROUNDS));
        desk
    }

    /// Creates a tournament with eight boards and two sections, A with two tables and B with five, which both count from 1.
    fn with_two_sections() -> Desk {
        let mut desk = Desk::new();
        desk.boards = (1..=8).map(|number| format!("board-{number}")).collect();
        for (name, tables) in [("A", 2), ("B", 5)] {
            let line =
                |(round, table)| format!("{round};{table};{round}White {name}{table};{round}Black {name}{table}\n");
            let lines = [1, 2].into_iter().flat_map(|round| (1..=tables).map(move |table| (round, table)));
            let text = format!("Round;Board;White;Black\n{}", lines.map(line).collect::<String>());
            let mut command = TournamentCommand::import_of("file.csv", text);
            if let TournamentCommand::Import { section, .. } = &mut command {
                *section = Some(name.to_owned());
            }
            desk.done(&command);
        }
        desk
    }

    /// Returns the boards of a round in each section, by their numbers.
    fn boards_of_round(&self, round: u32) -> Vec<String> {
        let of = |section: &TournamentSection| {
            let boards = section.round(round).into_iter().map(|pairing| pairing.board_name.replace("board-", ""));
            boards.collect::<Vec<_>>().join(" ").trim().to_owned()
        };
        self.state.sections.iter().map(of).collect()
    }

    fn with_boards<T>(&self, decide: impl FnOnce(&Boards) -> T) -> T {
        let by_number: Vec<Option<String>> = self.boards.iter().cloned().map(Some).collect();
        let are_listed = self.are_listed;
        decide(&Boards { names: &self.boards, by_number: &by_number, are_listed, ..Boards::unknown(&self.games) })
    }

    fn write(&mut self, events: Vec<Event>, command: &str, undoes: Option<u64>) {
        if events.is_empty() {
            return;
        }
        for event in &events {
            // The record is text.
            let text = serde_json::to_string(event).unwrap();
            assert_eq!(&serde_json::from_str::<Event>(&text).unwrap(), event);
            assert_eq!(self.state.apply(event), Ok(true), "{event:?}");
        }
        let version = self.records.len() as u64 + 1;
        let (action, command_crc) = (command.to_owned(), command.to_owned());
        self.records.push(TournamentRecord {
            version,
            action,
            command_crc,
            undoes,
            events,
            ..TournamentRecord::default()
        });
    }

    fn decide(&self, command: &TournamentCommand) -> Result<Decision, Refusal> {
        self.with_boards(|boards| decide(&self.state, boards, command, true))
    }

    fn undo(&self, version: Option<u64>, round: bool) -> Result<(u64, Decision), String> {
        let record = record_to_undo(&self.records, version, round)?;
        let command = TournamentCommand::Undo { version, round };
        let decision = self.with_boards(|boards| decide_undo(&self.records, boards, (record, &command)));
        decision.map(|decision| (record.version, decision)).map_err(|refusal| match refusal {
            Refusal::Impossible(reasons) => reasons.join("\n"),
            Refusal::Unconfirmed(doubts, _) => panic!("an undo needs no confirmation: {doubts:?}"),
        })
    }

    #[track_caller]
    fn done(&mut self, command: &TournamentCommand) -> Decision {
        let decision = self.decide(command).unwrap();
        self.write(decision.events.clone(), &command.describe(), None);
        assert_eq!(self.state, decision.after);
        decision
    }

    #[track_caller]
    fn undone(&mut self, version: Option<u64>, round: bool) -> Vec<String> {
        let (undoes, decision) = self.undo(version, round).unwrap();
        self.write(decision.events, "undo", Some(undoes));
        decision.messages
    }

    /// Applies the consequences of the boards' games.
    fn catch_up(&mut self) {
        let changes = self.with_boards(|boards| apply_board_results(&self.state, boards)).unwrap();
        self.write(changes.events, "", None);
    }

    /// Begins the next game of a board, or ends the running one with a result.
    fn play(&mut self, board: &str, result: Option<&str>) {
        let last = self.games.last(board).cloned();
        let game = match last {
            Some(running) if !running.is_over => {
                let is_result_given = result.is_some();
                BoardGame { is_over: true, result: result.map(str::to_owned), is_result_given, ..running }
            }
            last => {
                let assignments = self.state.board_assignments();
                let seat = assignments.iter().find(|seat| seat.board == board);
                let next = seat.filter(|seat| self.games.next_number(&self.state, seat).is_some());
                BoardGame {
                    board: board.to_owned(),
                    number: last.map_or(0, |last| last.number) + 1,
                    pairing: next.map(|next| next.pairing.0.to_string()),
                    continues: None,
                    tags: next.map(|next| next.tags.clone()).unwrap_or_default(),
                    format: None,
                    result: None,
                    is_result_given: false,
                    is_over: false,
                    entries: 20,
                }
            }
        };
        self.games.insert(game);
        self.catch_up();
    }
}

fn import(text: &str) -> TournamentCommand {
    TournamentCommand::import_of("file.csv", text.to_owned())
}

fn round(round: u32, to: RoundState) -> TournamentCommand {
    TournamentCommand::SetRoundState { round, to: to.name().to_owned(), section: None }
}

fn round_of(section: &str, round: u32, to: RoundState) -> TournamentCommand {
    TournamentCommand::SetRoundState { round, to: to.name().to_owned(), section: Some(section.to_owned()) }
}

fn adopt(board: &str, pairing: &str) -> TournamentCommand {
    let (board, pairing) = (board.to_owned(), Some(pairing.to_owned()));
    TournamentCommand::Adopt { board, game: Some(1), pairing, section: None }
}

/// Returns the command by which Cor plays the first pairing in place of Bob.
fn cor_for_bob() -> TournamentCommand {
    let [pairing, player, substitute] = ["1.1", "Bob", "Cor"].map(str::to_owned);
    TournamentCommand::Substitute { pairing, player, substitute, section: None }
}

fn feature(board: Option<String>) -> TournamentCommand {
    TournamentCommand::Feature { boards: board.into_iter().collect(), every: None, most_moves: false }
}

fn result(pairing: &str, result: &str) -> TournamentCommand {
    let (pairing, result) = (Some(pairing.to_owned()), result.to_owned());
    TournamentCommand::Result { board: None, game: None, pairing, section: None, result, kind: None, correct: true }
}

/// An action of an arbiter, of a board, or an undo.
#[derive(Clone, Debug)]
enum Step {
    Command(TournamentCommand),
    Play(usize, Option<&'static str>),
    Undo(Option<u64>),
}

fn step() -> impl Strategy<Value = Step> {
    let pairing = || (1..4_u32, 1..3_u32).prop_map(|(round, board)| format!("{round}.{board}"));
    let player = || prop::sample::select(&["Ann", "Bob", "Cor", "Dirk", "Eva", "N. N."][..]).prop_map(str::to_owned);
    let board = || prop::sample::select(&BOARDS[..]).prop_map(str::to_owned);
    let states = [RoundState::Prepared, RoundState::Published, RoundState::Open, RoundState::Closed];
    let game = || prop::option::of(1..4_u32);
    let command = prop_oneof![
        2 => prop::sample::select(&[PLAYERS, ROUNDS, "Round;Board;White;Black;Result\n1;1;Ann;Bob;2-0\n1;2;Cor;Dirk;1-1\n", "Name;Team\nEva;X\nFred;Y\n", "Round;White;Reason\n2;Eva;bye\n"][..]).prop_map(import),
        4 => (1..4_u32, prop::sample::select(states.to_vec())).prop_map(|(number, to)| round(number, to)),
        4 => Just(TournamentCommand::NextRound { section: None }),
        4 => (pairing(), prop::sample::select(&["2-0", "1-1", "0-2", "*"][..])).prop_map(|(pairing, given)| result(&pairing, given)),
        2 => (player(), player()).prop_map(|(player, name)| TournamentCommand::RenamePlayer { player, name, section: None }),
        1 => (pairing(), player(), player()).prop_map(|(pairing, player, substitute)| TournamentCommand::Substitute { pairing, player, substitute, section: None }),
        1 => (pairing(), any::<bool>()).prop_map(|(pairing, undo)| TournamentCommand::Postpone { pairing, section: None, undo }),
        1 => (pairing(), board()).prop_map(|(pairing, board)| TournamentCommand::PlayOnBoard { pairing, board, section: None }),
        1 => (board(), any::<bool>()).prop_map(|(board, is_off)| feature(if is_off { None } else { Some(board) })),
        1 => pairing().prop_map(|pairing| TournamentCommand::Replay { pairing, section: None }),
        2 => (board(), game(), prop::option::of(pairing())).prop_map(|(board, game, pairing)| TournamentCommand::Adopt { board, game, pairing, section: None }),
        1 => prop::sample::select(&["Open", "NK", ""][..]).prop_map(|name| TournamentCommand::DescribeEvent { facts: [("name".to_owned(), name.to_owned())].into(), schedule: None }),
        1 => (board(), game()).prop_map(|(board, game)| TournamentCommand::SetPlayers { board, game, white: "X".to_owned(), black: "Y".to_owned() }),
        1 => (board(), game(), prop::sample::select(&["", "1. 32-28"][..])).prop_map(|(board, game, text)| TournamentCommand::AddMoves { board, game, name: "sheet".to_owned(), text: text.to_owned() }),
    ];
    prop_oneof![
        10 => command.prop_map(Step::Command),
        5 => (0..2_usize, prop::sample::select(&[None, Some("2-0"), Some("1-1")][..])).prop_map(|(board, given)| Step::Play(board, given)),
        2 => prop::option::of(1..30_u64).prop_map(Step::Undo),
    ]
}

/// Returns a tournament without the order in which rounds and games were first changed.
fn plain(tournament: &Tournament) -> Tournament {
    let mut plain = tournament.clone();
    plain.games.sort_by(|one, other| (&one.board, one.number).cmp(&(&other.board, other.number)));
    plain.games.iter_mut().for_each(|game| game.id = Id(0));
    for section in &mut plain.sections {
        section.rounds.sort_by_key(|round| round.number);
        section.rounds.iter_mut().for_each(|round| round.id = Id(0));
    }
    plain
}

/// Returns the settings: the same cases in each run, unless the environment names a seed.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match std::env::var_os("PROPTEST_RNG_SEED") {
        Some(_) => default.rng_seed,
        None => proptest::test_runner::RngSeed::Fixed(1),
    };
    ProptestConfig { failure_persistence: None, rng_seed, ..default }
}

/// The larger section needs boards behind those of the smaller one, before and after the rounds open.
#[test]
fn published_sections_keep_their_boards() {
    let mut desk = Desk::with_two_sections();
    for state in [RoundState::Published, RoundState::Open] {
        desk.done(&round(1, state));
        assert_eq!(desk.boards_of_round(1), ["1 2", "3 4 5 6 7"], "{state:?}");
    }
}

/// The second section follows the first one, which is open already, and stays where it is when that one ends, also in a list of boards.
#[test]
fn section_follows_open_one_and_stays() {
    for are_listed in [false, true] {
        let mut desk = Desk { are_listed, ..Desk::with_two_sections() };
        let mut set = |section: &str, number, state: RoundState| {
            desk.done(&round_of(section, number, state));
            desk.catch_up();
            desk.boards_of_round(1)
        };
        set("A", 1, RoundState::Published);
        set("A", 1, RoundState::Open);
        assert_eq!(set("B", 1, RoundState::Published), ["1 2", "3 4 5 6 7"]);
        assert_eq!(set("B", 1, RoundState::Open), ["1 2", "3 4 5 6 7"]);
        assert_eq!(set("A", 1, RoundState::Closed), ["1 2", "3 4 5 6 7"], "the second section plays on");
        // The next round of the first section has its boards again.
        set("A", 2, RoundState::Published);
        assert_eq!(desk.boards_of_round(2)[0], "1 2", "listed: {are_listed}");
    }
}

/// Sections that are published at different times have boards of their own; one that is only published makes room for one that opens.
#[test]
fn sections_published_one_by_one_share_no_board() {
    let states = |first: RoundState| {
        let mut desk = Desk::with_two_sections();
        for (section, round, state) in [("B", 1, RoundState::Published), ("A", 2, first), ("B", 1, RoundState::Open)] {
            desk.done(&round_of(section, round, state));
        }
        [desk.boards_of_round(2)[0].clone(), desk.boards_of_round(1)[1].clone()]
    };
    assert_eq!(states(RoundState::Published), ["6 7", "1 2 3 4 5"]);
    assert_eq!(states(RoundState::Open), ["1 2", "3 4 5 6 7"]);
}

/// In a list of boards two sections follow their boards to other lines.
#[test]
fn listed_sections_follow_swapped_cables() {
    let mut desk = Desk { are_listed: true, ..Desk::with_two_sections() };
    desk.done(&round(1, RoundState::Published));
    desk.done(&round(1, RoundState::Open));
    // The boards 1, 2 and 3 are at the lines 2, 3 and 1 after a restart.
    desk.boards[..3].rotate_left(1);
    desk.catch_up();
    assert_eq!(desk.boards_of_round(1), ["2 3", "1 4 5 6 7"]);
    desk.boards[..3].rotate_right(1);
    desk.catch_up();
    assert_eq!(desk.boards_of_round(1), ["1 2", "3 4 5 6 7"]);
}

/// A round that is open takes its boards back after an older one was opened again and closed.
#[test]
fn open_round_is_opened_again_after_older_one() {
    let mut desk = Desk::with_rounds();
    for (number, state) in
        [(1, RoundState::Open), (1, RoundState::Closed), (2, RoundState::Open), (1, RoundState::Open)]
    {
        desk.done(&round(number, state));
    }
    // While the older one is open, that needs a confirmation.
    let open = |desk: &Desk| desk.with_boards(|boards| decide(&desk.state, boards, &round(2, RoundState::Open), false));
    assert!(matches!(open(&desk), Err(Refusal::Unconfirmed(..))));
    desk.done(&round(1, RoundState::Closed));
    assert_eq!(desk.state.board_assignments(), []);
    assert!(open(&desk).is_ok());
    desk.done(&round(2, RoundState::Open));
    assert_eq!(desk.state.board_assignments().len(), 2);
    desk.undone(None, false);
    assert_eq!(desk.state.board_assignments(), []);
}

/// The result of a board goes with its game to another pairing.
#[test]
fn adopted_game_takes_its_result_along() {
    let mut desk = Desk::with_rounds();
    desk.done(&round(1, RoundState::Open));
    desk.play("a", None);
    desk.play("a", Some("2-0"));
    let results =
        |desk: &Desk| desk.state.sections[0].round(1).iter().map(|of| of.result.is_some()).collect::<Vec<_>>();
    assert_eq!(results(&desk), [true, false]);
    desk.done(&adopt("a", "1.2"));
    desk.catch_up();
    assert_eq!(results(&desk), [false, true]);
    desk.undone(None, false);
    assert_eq!(results(&desk), [true, false]);
}

/// The cables of two boards were swapped: each game has its own result, in whatever order they are adopted.
#[test]
fn swapped_games_keep_their_results() {
    for order in [[("a", "1.2"), ("b", "1.1")], [("b", "1.1"), ("a", "1.2")]] {
        let mut desk = Desk::with_rounds();
        desk.done(&round(1, RoundState::Open));
        for (board, result) in [("a", "2-0"), ("b", "0-2")] {
            desk.play(board, None);
            desk.play(board, Some(result));
        }
        for (board, pairing) in order {
            desk.done(&adopt(board, pairing));
            desk.catch_up();
        }
        let results = desk.state.sections[0]
            .round(1)
            .iter()
            .map(|of| of.result.map(|result| result.to_string()))
            .collect::<Vec<_>>();
        assert_eq!(results, [Some("0-2".to_owned()), Some("2-0".to_owned())], "{order:?}");
        let shown = ["a", "b"].map(|board| desk.state.shown_result(desk.games.last(board).unwrap()));
        assert_eq!(shown, ["2-0", "0-2"], "{order:?}");
    }
}

/// A forfeit is no result of a game that is adopted.
#[test]
fn forfeit_stays_when_game_is_adopted() {
    let mut desk = Desk::with_rounds();
    desk.done(&round(1, RoundState::Open));
    desk.play("a", None);
    let mut forfeit = result("1.1", "2-0");
    if let TournamentCommand::Result { kind, .. } = &mut forfeit {
        *kind = Some("forfeit".to_owned());
    }
    desk.done(&forfeit);
    desk.play("a", Some("2-0"));
    desk.done(&adopt("a", "1.2"));
    let reasons =
        desk.state.sections[0].round(1).iter().map(|of| of.result.map(|result| result.reason)).collect::<Vec<_>>();
    assert_eq!(reasons[0], Some(ResultReason::Forfeit));
}

/// The opponent of a free player does not come: the player without an opponent plays after all.
#[test]
fn free_player_plays_for_another() {
    let mut desk = Desk::new();
    desk.done(&import("Round;Board;White;Black;Result;Reason\n1;1;Ann;Bob;;\n1;;Cor;;;bye\n"));
    desk.done(&round(1, RoundState::Open));
    desk.done(&cor_for_bob());
    assert_eq!(desk.state.sections[0].byes, []);
    desk.undone(None, false);
    assert_eq!(desk.state.sections[0].byes.len(), 1);
}

/// A player who waits for an opponent plays for another, who then has the pairing of one.
#[test]
fn waiting_player_changes_places() {
    let mut desk = Desk::new();
    desk.done(&import("Round;Board;White;Black\n1;1;Ann;Bob\n1;2;Cor;\n"));
    desk.done(&round(1, RoundState::Open));
    desk.done(&cor_for_bob());
    let players = |desk: &Desk| {
        let name = |id: Option<Id>| id.map_or("-", |id| &desk.state.player(id).unwrap().name).to_owned();
        desk.state.sections[0].round(1).iter().map(|of| [of.white, of.black].map(name).join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(players(&desk), ["Ann Cor", "Bob -"]);
    desk.undone(None, false);
    assert_eq!(players(&desk), ["Ann Bob", "Cor -"]);
}

#[test]
fn undone_pairing_leaves_nothing() {
    let mut desk = Desk::new();
    desk.done(&import(PLAYERS));
    let before = desk.state.clone();
    let pair = |pairs: &[[u32; 2]], byes: &[u32]| TournamentCommand::PairRound {
        round: 1,
        pairs: pairs.iter().map(|pair| pair.map(Id)).collect(),
        byes: byes.iter().copied().map(Id).collect(),
        rounds: Some(7),
        section: None,
    };
    desk.done(&pair(&[[1, 2]], &[3]));
    let paired = desk.state.clone();
    desk.done(&pair(&[[1, 3], [4, 2]], &[]));
    desk.undone(None, false);
    assert_eq!(plain(&desk.state), plain(&paired));
    desk.undone(None, false);
    assert_eq!(plain(&desk.state), plain(&before));
}

proptest! {
    // PROPTEST_CASES and PROPTEST_RNG_SEED try more.
    #![proptest_config(config())]

    #[test]
    fn undo_returns_to_state_before(steps in prop::collection::vec(step(), 1..40)) {
        let mut desk = Desk::with_rounds();
        for step in steps {
            let before = desk.state.clone();
            let count = desk.records.len();
            match &step {
                Step::Play(board, given) => desk.play(BOARDS[*board], *given),
                Step::Command(command) => if let Ok(decision) = desk.decide(command) {
                    desk.write(decision.events, &command.describe(), None);
                },
                Step::Undo(version) => if let Ok((undoes, decision)) = desk.undo(*version, false) {
                    desk.write(decision.events, "undo", Some(undoes));
                },
            }
            let is_action = desk.records.last().is_some_and(|record| !record.command_crc.is_empty());
            if desk.records.len() > count && is_action {
                let version = desk.records.last().map(|record| record.version);
                let (undoes, decision) = desk.undo(version, false).map_err(|why| TestCaseError::fail(format!("{step:?}: {why}")))?;
                prop_assert!(plain(&decision.after) == plain(&before), "{:?}: {:#?}", step, decision.after.changed_parts(&before));
                // The undo of the undo is the state after the action.
                let after = desk.state.clone();
                let mut copy = Desk { records: desk.records.clone(), state: after.clone(), games: desk.games.clone(), boards: desk.boards.clone(), are_listed: false };
                copy.write(decision.events, "undo", Some(undoes));
                let again = match copy.undo(copy.records.last().map(|record| record.version), false) {
                    Ok((_, again)) => again,
                    // The action had dropped a pairing with a game.
                    Err(why) if why.contains("was played for a pairing of it") => continue,
                    Err(why) => return Err(TestCaseError::fail(format!("{step:?}, redone: {why}"))),
                };
                prop_assert!(plain(&again.after) == plain(&after), "{:?}, redone: {:#?}", step, again.after.changed_parts(&after));
            }
        }
    }
}

#[test]
fn round_opened_by_mistake_releases_its_games() {
    let mut desk = Desk::with_rounds();
    desk.done(&round(1, RoundState::Open));
    let before = desk.state.clone();
    let doubts = desk.with_boards(|boards| decide(&desk.state, boards, &round(3, RoundState::Open), false));
    let Err(Refusal::Unconfirmed(doubts, _)) = doubts else { panic!("{doubts:?}") };
    assert!(
        doubts[0].starts_with("round 3: round 1 is open") && doubts[0].contains("board 1: Ann - Cor"),
        "{doubts:?}"
    );
    desk.done(&round(3, RoundState::Open));
    desk.play("a", None);
    assert_eq!(desk.state.pairing_of(desk.games.last("a").unwrap()).map(|key| key.0.0), Some(5));
    let messages = desk.undone(None, true);
    assert!(messages.iter().any(|line| line == "round 3: prepared (was open)"), "{messages:?}");
    let adopt = "`damcast ctl adopt a --game 1 --pairing 3.1` makes it one of a pairing";
    assert!(messages.iter().any(|line| line.contains("Ann - Cor") && line.ends_with(adopt)), "{messages:?}");
    assert_eq!((&desk.state.sections, desk.state.sections[0].open_round()), (&before.sections, Some(1)));
    let game = desk.games.last("a").unwrap().clone();
    assert_eq!(desk.state.pairing_of(&game), Some(NO_PAIRING));
    let shown = |desk: &Desk, tag: &str| desk.state.corrected("a", 1).unwrap().tags[tag].value.clone();
    assert_eq!((shown(&desk, "White"), shown(&desk, "Round")), (String::new(), String::new()));
    desk.catch_up();
    assert_eq!(shown(&desk, "White"), "", "the boards change nothing");
    // It was the game of the round that is open.
    desk.done(&TournamentCommand::Adopt { board: "a".to_owned(), game: None, pairing: None, section: None });
    assert_eq!((shown(&desk, "White"), shown(&desk, "Round")), ("Ann".to_owned(), "1".to_owned()));
}

#[test]
fn next_round_is_one_action_with_one_undo() {
    let mut desk = Desk::with_rounds();
    let next = TournamentCommand::NextRound { section: None };
    desk.done(&next);
    assert_eq!(desk.state.sections[0].open_round(), Some(1));
    desk.play("a", None);
    let decision = desk.with_boards(|boards| decide(&desk.state, boards, &next, false));
    let Err(Refusal::Unconfirmed(doubts, _)) = decision else { panic!("{decision:?}") };
    assert_eq!(doubts, ["board 1: Ann - Bob has no result, and its game goes on", "board 2: Cor - Dirk has no result"]);
    desk.play("a", Some("2-0"));
    desk.done(&result("1.2", "1-1"));
    let before = desk.state.clone();
    let decision = desk.with_boards(|boards| decide(&desk.state, boards, &next, false)).unwrap();
    assert_eq!(
        decision.messages[..2],
        ["round 1: closed, 2 pairings, 0 without a result", "round 2: open, 2 pairings, 2 without a result"]
    );
    desk.done(&next);
    let states = |desk: &Desk| [1, 2].map(|number| desk.state.sections[0].state_of(number));
    assert_eq!(states(&desk), [RoundState::Closed, RoundState::Open]);
    desk.undone(None, true);
    assert_eq!(desk.state, before);
    assert!(desk.decide(&next).is_ok());
    // The round that was opened first is the next to undo.
    desk.done(&result("1.2", "0-2"));
    desk.undone(None, false);
    // Results stand on the round that was opened first, and that on its pairings.
    assert!(desk.undo(None, true).unwrap_err().contains("stands on it; undo that first"));
    assert!(desk.undo(Some(2), false).unwrap_err().contains("stands on it; undo that first"));
    assert_eq!(undone_versions(&desk.records).len(), 2);
}
