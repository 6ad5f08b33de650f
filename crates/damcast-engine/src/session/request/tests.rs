use proptest::prelude::*;

use super::*;

fn wish(text: &str) -> Result<OperatorCommand, String> {
    text.parse().map_err(|error: RequestError| error.to_string())
}

fn entered(clocks: [Option<ClockTime>; 2]) -> OperatorCommand {
    OperatorCommand::Enter(EnteredPly { game: 3, ply: 12, notation: "32-28".to_owned(), clocks })
}

fn added(moves: &str, anyway: bool) -> OperatorCommand {
    OperatorCommand::AddMoves(AddedMoves { game: 3, after: 0, moves: moves.to_owned(), anyway })
}

#[test]
fn parses_operator_commands() {
    let pairing = |only_from| BoardPairing { id: "3.2".into(), tags: Vec::new(), only_from };
    let cases = [
        ("result 2-0", OperatorCommand::Result("2-0".into())),
        ("  result   12-8 ", OperatorCommand::Result("12-8".into())),
        ("resign B", OperatorCommand::Resign(Color::Black)),
        ("start", OperatorCommand::Start(None)),
        ("start W:W31:B1", OperatorCommand::Start(Some("W:W31:B1".into()))),
        ("start from-memory", OperatorCommand::StartFromMemory),
        ("setup B:W31:B1", OperatorCommand::Setup("B:W31:B1".into())),
        ("continue", OperatorCommand::Continue(false)),
        ("continue anyway", OperatorCommand::Continue(true)),
        ("undo", OperatorCommand::Undo(1)),
        ("undo 3", OperatorCommand::Undo(3)),
        ("resync", OperatorCommand::Resync(None)),
        ("resync White", OperatorCommand::Resync(Some(Color::White))),
        ("flip", OperatorCommand::Flip),
        ("names Sijbrands, T. / Wiersma, H.", names("Sijbrands, T. / Wiersma, H.").unwrap()),
        ("pairing none", OperatorCommand::SetPairing(None)),
        ("pairing 3.2 {}", OperatorCommand::SetPairing(Some(pairing(None)))),
        ("pairing 3.2 {} once 7", OperatorCommand::SetPairing(Some(pairing(Some(7))))),
        ("rotate", OperatorCommand::Rotate),
        ("entry on", OperatorCommand::SwitchEntry(true)),
        ("entry off", OperatorCommand::SwitchEntry(false)),
        ("enter 3 12 32-28", entered([None, None])),
        ("enter 3 12  32-28 b=0:00:09 w=1:20:11", entered([Some(ClockTime(4811)), Some(ClockTime(9))])),
        ("enter-undo 3 12", OperatorCommand::TakeBack { game: 3, ply: 12 }),
        ("add-moves 3 0 19-23  2. 28x19", added("19-23  2. 28x19", false)),
        ("add-moves 3 0 none anyway", added("none", true)),
        ("claim 3 2-0", OperatorCommand::Claim { game: 3, result: "2-0".into() }),
        ("remembered new", OperatorCommand::GameLookup(GameLookup::NotFound)),
        ("remembered known a-1.pdn", OperatorCommand::GameLookup(GameLookup::Found("a-1.pdn".into()))),
    ];
    for (text, expected) in cases {
        assert_eq!(wish(text), Ok(expected), "{text}");
    }
    for (text, expected_error) in [
        ("", "request `` is not known"),
        ("adjourn now", "request `adjourn now` is not known; known are result"),
        ("hold on", "request `hold on` is not known"),
        ("remembered", "request `remembered` is not known"),
        ("resign", "white or black"),
        ("resync red", "`resync red`"),
        ("undo 0", "`undo 0`: expected how many plies"),
        ("undo -1", "`undo -1`: expected how many plies"),
        ("names Sijbrands, T.", "needs both names"),
        ("names  / Wiersma, H.", "needs both names"),
        ("enter 3 12", "expected game, ply, move"),
        ("enter 0 12 32-28", "expected game, ply, move"),
        ("enter 3 32-28", "expected game, ply, move"),
        ("enter 3 12 32-28 w=noon", "expected game, ply, move"),
        ("enter 3 12 32-28 19-23", "expected game, ply, move"),
        ("add-moves 3 12", "expected the number of the game"),
        ("add-moves 3 -1 19-23", "expected the number of the game"),
        ("enter-undo 3", "expected the numbers of game and ply"),
        ("claim 2-0", "expected the number of the game and its result"),
        ("entry", "`entry`: expected on or off"),
        ("entry maybe", "`entry maybe`: expected on or off"),
        ("pairing", "expected an id"),
        ("pairing {[White \"A\"]}", "expected an id"),
        ("pairing 3.2", "between { and }"),
        ("pairing 3.2 {[White \"A\"}", "has no end"),
        ("pairing 3.2 {[white \"A\"]}", "is no tag"),
        ("pairing 3.2 {[Result \"2-0\"]}", "said by the game itself"),
        ("pairing 3.2 {[White \"A\"] [White \"B\"]}", "White stands twice"),
    ] {
        assert!(wish(text).is_err_and(|reason| reason.contains(expected_error)), "{text}: {:?}", wish(text));
    }
}

fn names_have(tags: &[(String, String)], forbidden: char) -> bool {
    tags.iter().any(|(_, value)| value.contains(forbidden))
}

#[test]
fn board_address_comes_first() {
    let board = BusAddress::new(1025).unwrap();
    for (text, to) in [
        ("flip", Target::OnlyBoard),
        ("1025 flip", Target::Board(board)),
        ("when-found 1025 flip", Target::BoardOnceFound(board)),
    ] {
        let request = Request { target: to, command: OperatorCommand::Flip };
        assert_eq!(text.parse(), Ok(request.clone()));
        assert_eq!(request.to_string(), text);
    }
    for text in ["when-found flip", "when-found1025 flip", "99999999 flip", "1025", "1025 1026 flip"] {
        assert!(text.parse::<Request>().is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn parse_write_roundtrip(
        text in "(when-found )?([0-9]{1,5} )?(result|resign|start|continue|continue anyway|setup|undo|resync|flip|names|pairing|hold|remembered known|enter|entry on|entry off|enter-undo|enter 1 2 3228|add-moves 1 2|claim)( [ -~]{0,12})?( / [ -~]{0,5})?",
    ) {
        if let Ok(request) = text.parse::<Request>() {
            prop_assert_eq!(request.to_string().parse(), Ok(request));
        }
    }

    #[test]
    fn pairing_roundtrip(
        names in prop::collection::vec("[^\\p{Cc}]{0,20}", 0..5),
        id in "[0-9a-z.]{1,8}",
        only_from: Option<u32>,
    ) {
        prop_assume!(id != KEYWORD_NO_PAIRING);
        let tags: Vec<_> = names.into_iter().enumerate().map(|(at, name)| (format!("Tag{at}"), name)).collect();
        let has_backslash = names_have(&tags, '\\');
        let wish = OperatorCommand::SetPairing(Some(BoardPairing { id, tags, only_from }));
        let read: OperatorCommand = wish.to_string().parse().unwrap();
        // A final backslash of a value gains a blank in the text, as in every written tag; parsed values stay unchanged.
        prop_assert!(has_backslash || read == wish, "{read:?}");
        prop_assert_eq!(read.to_string().parse(), Ok(read));
    }
}
