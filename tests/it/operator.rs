//! Requests of an operator to a line, and offers of a line to the operator.

use damcast::engine::millis::Millis;
use damcast::engine::session::request::RequestError;
use damcast::engine::session::{Effect, Input, Line, LineSettings, Output};
use draughts::Variant;

/// Returns a line for international draughts with these settings.
pub fn line_with(settings: &[(&str, &str)]) -> Line {
    let mut line_settings = LineSettings::new(Variant::from_tag("20").unwrap());
    settings.iter().for_each(|(key, value)| line_settings.set(key, value).unwrap());
    Line::new(line_settings)
}

/// A line with an idle board that shows the start position.
pub struct BoardFixture {
    pub line: Line,
    now: u64,
    pub outputs: Vec<Output>,
}

impl BoardFixture {
    pub fn new(settings: &[(&str, &str)]) -> BoardFixture {
        let mut desk = BoardFixture { line: line_with(settings), now: 0, outputs: Vec::new() };
        desk.handle(Input::LinkUp);
        desk
    }

    /// Creates a board in the start position, its connector on White's left or right.
    pub fn with_start(settings: &[(&str, &str)], turned: bool) -> BoardFixture {
        let mut desk = BoardFixture::new(settings);
        let mut dump: Vec<u8> = (0..100).map(start_code).collect();
        if turned {
            dump.reverse();
        }
        desk.handle(Input::Bytes([vec![0x86, 0x00, 0x67], dump].concat()));
        desk.wait(1_000);
        desk
    }

    pub fn handle(&mut self, input: Input) {
        let outputs = self.line.handle(Millis(self.now), input);
        self.outputs.extend(outputs);
    }

    pub fn request(&mut self, request: &str) {
        match request.parse() {
            Ok(request) => self.handle(Input::Request(request)),
            Err(error) => {
                let effect = Effect::Refused(RequestError::to_string(&error));
                self.outputs.push(Output { at: Millis(self.now), board: None, effect });
            }
        }
    }

    pub fn update(&mut self, field: u8, piece: u8) {
        self.handle(Input::Bytes(vec![0x8e, 0x00, 0x05, field, piece]));
    }

    pub fn wait(&mut self, milliseconds: u64) {
        let end = self.now + milliseconds;
        while let Some(at) = self.line.deadline().map(|at| at.0).filter(|&at| at <= end) {
            self.now = at;
            self.handle(Input::Tick);
        }
        self.now = end;
    }

    /// Moves a man between two fields, on a board without a clock.
    pub fn play(&mut self, from: u8, to: u8, piece: u8) {
        self.update(from, 0);
        self.update(to, piece);
        self.wait(20_000);
    }

    pub fn notices(&self) -> Vec<String> {
        let notice = |output: &'_ Output| match &output.effect {
            Effect::Info(text) | Effect::Notice(text) | Effect::Refused(text) => Some(text.clone()),
            _ => None,
        };
        self.outputs.iter().filter_map(notice).collect()
    }

    pub fn replies(&self, words: &str) -> usize {
        self.notices().iter().filter(|notice| notice.contains(words)).count()
    }

    /// Returns the result of the ended game.
    pub fn result(&self) -> Option<String> {
        self.outputs.iter().find_map(|output| match &output.effect {
            Effect::GameEnded { result, .. } => result.clone(),
            _ => None,
        })
    }

    pub fn file(&self) -> Vec<String> {
        self.outputs.iter().flat_map(|output| output.effect.lines()).collect()
    }
}

/// Returns the code on a field of a board of 10x10 in the start position, its connector on White's left.
pub fn start_code(field: usize) -> u8 {
    match (field / 10, (field / 10 + field % 10) % 2) {
        (0..=3, 1) => 4,
        (6..=9, 1) => 1,
        _ => 0,
    }
}

#[test]
fn turns_board_round() {
    // Wrong configuration: the start position is not recognised until the operator turns the board.
    let mut desk = BoardFixture::with_start(&[("orientation", "normal")], true);
    desk.wait(10_000);
    assert_eq!(desk.replies("the start position is set up"), 0);
    desk.request("flip");
    desk.wait(2_000);
    assert_eq!(desk.replies("connector on White's right"), 1, "{:?}", desk.notices());
    assert_eq!(desk.replies("the board lies turned round: ready"), 1, "{:?}", desk.notices());
    // 32-28, seen from the other side: field 63 to 54.
    desk.play(99 - 63, 99 - 54, 1);
    assert_eq!(desk.file().last().unwrap(), "1. 32-28", "{:?}", desk.notices());
    desk.request("flip");
    assert_eq!(desk.replies("connector on White's left"), 1);
}

#[test]
fn names_apply_before_file_starts_or_to_next_game() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.request("names Sijbrands, T. / Wiersma, H.");
    desk.play(63, 54, 1);
    for tag in ["[White \"Sijbrands, T.\"]", "[Black \"Wiersma, H.\"]"] {
        assert!(desk.file().iter().any(|line| line == tag), "{tag}");
    }
    let before = desk.file().len();
    desk.request("names A / B");
    assert_eq!((desk.replies("the players of the next game"), desk.file().len()), (1, before));
    for wrong in ["names", "names A", "names / B", "names A / \u{7}"] {
        desk.request(wrong);
    }
    assert_eq!(desk.replies("`names` needs both names"), 4);
}

#[test]
fn pairing_applies_to_unstarted_game_or_next() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.request("names A / B");
    desk.request("pairing 3.1 {[White \"Sijbrands, T.\"][Black \"Wiersma, H.\"][WhiteTitle \"GMI\"]}");
    assert_eq!(desk.replies("this game is pairing 3.1: Sijbrands, T. - Wiersma, H."), 1);
    desk.play(63, 54, 1);
    let tags = ["[White \"Sijbrands, T.\"]", "[Black \"Wiersma, H.\"]", "[WhiteTitle \"GMI\"]"];
    let before = desk.file();
    assert!(tags.iter().all(|tag| before.iter().any(|line| line == tag)), "{before:?}");
    let pairing = |output: &Output| match &output.effect {
        Effect::GameOpened(opening) => opening.pairing_id.clone(),
        _ => None,
    };
    assert_eq!(desk.outputs.iter().filter_map(pairing).collect::<Vec<_>>(), ["3.1"]);
    // The next pairing has no title and changes nothing in the running game.
    desk.request("pairing 4.1 {[White \"Gantwarg, A.\"][Black \"Clerc, R.\"]}");
    assert_eq!(desk.replies("the next game is pairing 4.1"), 1);
    assert_eq!(desk.file(), before);
    let carried: Vec<String> = desk.line.pending_requests().iter().map(ToString::to_string).collect();
    assert_eq!(carried, ["pairing 4.1 {[White \"Gantwarg, A.\"][Black \"Clerc, R.\"]}"]);
    desk.request("start");
    desk.request("names Clerc, R. / Gantwarg, A.");
    assert_eq!(desk.line.pending_requests().len(), 2, "the names go over the pairing");
    desk.request("pairing none");
    assert_eq!(desk.line.pending_requests(), []);
    assert_eq!(desk.replies("no pairing: ? - ?"), 1);
    for wrong in ["pairing", "pairing 4.1 {[Result \"2-0\"]}", "pairing 4.1 {[White \"\u{7}\"]}"] {
        desk.request(wrong);
    }
    assert_eq!(desk.replies("`pairing"), 3, "{:?}", desk.notices());
}

/// Returns the pairings of all games with a file.
fn pairings_of_games(desk: &BoardFixture) -> Vec<Option<String>> {
    let opened = desk.outputs.iter().filter_map(|output| match &output.effect {
        Effect::GameOpened(opening) => Some(opening.pairing_id.clone()),
        _ => None,
    });
    opened.collect()
}

#[test]
fn pairing_with_one_game_has_no_second_game() {
    const AFTER_FIRST_PLY: &str = "start B:W28,31,33-50:B1-20";
    const AFTER_SECOND_PLY: &str = "start W:W28,31,33-50:B1-18,20,23";
    let pairing = |white: &str, from: u32| format!("pairing 17 {{[White \"{white}\"][Round \"3\"]}} once {from}");
    let mut desk = BoardFixture::with_start(&[], false);
    desk.request(&pairing("Sijbrands, Ton", 1));
    desk.play(63, 54, 1);
    assert!(desk.file().contains(&"[White \"Sijbrands, Ton\"]".to_owned()), "{:?}", desk.file());
    assert_eq!(desk.line.pending_requests(), [], "no later game gets it");
    // A corrected name arms nothing, before the next game begins and afterwards.
    desk.request(&pairing("Sijbrands, T.", 1));
    desk.request(AFTER_FIRST_PLY);
    desk.request(&pairing("Sijbrands, T.", 1));
    desk.play(36, 45, 4);
    assert_eq!(pairings_of_games(&desk), [Some("17".to_owned()), None]);
    let second = desk.file().join("\n").split_once("[FEN ").unwrap().0.to_owned();
    assert_eq!(second.matches("Sijbrands").count(), 1, "{second}");
    assert_eq!(second.matches("[Round ").count(), 1, "{second}");
    // A game that is played again has a higher number.
    desk.request(&pairing("Sijbrands, T.", 3));
    desk.request(AFTER_SECOND_PLY);
    desk.update(45, 0);
    desk.play(54, 36, 1);
    assert_eq!(pairings_of_games(&desk)[2].as_deref(), Some("17"), "{:?}", desk.file());
}

#[test]
fn held_entries_are_published_on_release() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.request("hold");
    desk.play(63, 54, 1);
    desk.play(36, 45, 4);
    assert_eq!(desk.file(), [""; 0]);
    assert!(desk.line.status().state.starts_with("held back"));
    desk.request("release");
    let file = desk.file();
    let mut other = BoardFixture::with_start(&[], false);
    other.play(63, 54, 1);
    other.play(36, 45, 4);
    assert_eq!(file, other.file());
    assert!(file.last().is_some_and(|line| line == "19-23"), "{file:?}");
    desk.request("release");
    assert_eq!(desk.replies("nothing is held back"), 1);
}

/// Plays four plies without a press: 32-28 19-23 28x19 14x23.
fn four_plies(desk: &mut BoardFixture) {
    desk.play(63, 54, 1);
    desk.play(36, 45, 4);
    desk.update(45, 0);
    desk.play(54, 36, 1);
    desk.update(36, 0);
    desk.play(27, 45, 4);
}

#[test]
fn undo_restores_position_before_entry() {
    let mut desk = BoardFixture::with_start(&[], false);
    four_plies(&mut desk);
    assert!(desk.file().ends_with(&["1. 32-28", "19-23", "2. 28x19", "14x23"].map(str::to_owned)), "{:?}", desk.file());
    let published = desk.file();
    // The pieces are put back first; otherwise the position on the board would be recognised again.
    desk.update(45, 0);
    desk.update(36, 1);
    desk.update(27, 4);
    desk.request("undo");
    let setup = |desk: &BoardFixture| desk.file().pop().unwrap();
    assert!(setup(&desk).starts_with("/FEN \"B:W19,"), "{}", setup(&desk));
    // Twice: each request withdraws one more entry.
    desk.update(36, 0);
    desk.update(54, 1);
    desk.update(45, 4);
    desk.request("undo 1");
    assert!(setup(&desk).starts_with("/FEN \"W:W28,"), "{}", setup(&desk));
    assert_eq!(desk.file()[..published.len()], published, "what was published stays");
    desk.wait(60_000);
    assert!(setup(&desk).starts_with("/FEN \"W:W28,"), "nothing is published again: {:?}", desk.file());
    // The number says how many plies count.
    desk.update(45, 0);
    desk.play(54, 36, 1);
    assert_eq!(desk.file().last().unwrap(), "2. 28x19", "{:?}", desk.file());
    for (wrong, why) in
        [("undo 0", "expected how many"), ("undo x", "expected how many"), ("undo 9", "there are not 9")]
    {
        desk.request(wrong);
        assert_eq!(desk.notices().last().map(|notice| notice.contains(why)), Some(true), "{:?}", desk.notices());
    }
}

#[test]
fn continued_game_gets_new_file() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.request("continue");
    assert_eq!(desk.replies("no game can go on"), 1, "{:?}", desk.notices());
    desk.request("pairing 17 {[White \"Sijbrands, Ton\"][Round \"3\"]}");
    four_plies(&mut desk);
    desk.request("continue");
    assert_eq!(desk.replies("a game is going on"), 1, "{:?}", desk.notices());
    desk.request("result 2-0");
    desk.wait(20_000);
    let first = desk.file();
    // The next game has another pairing; the running game keeps its own.
    desk.request("pairing 18 {[Round \"4\"]}");
    // A piece is in the air.
    desk.update(61, 0);
    desk.request("continue");
    let words = "the board does not show the position in which game 1 ended, W:W";
    assert_eq!(desk.replies(words), 1, "{:?}", desk.notices());
    desk.update(61, 1);
    desk.request("continue");
    assert_eq!(desk.replies("game 1 goes on; its next move begins the file of game 2"), 1, "{:?}", desk.notices());
    assert_eq!(desk.file(), first, "what was published stays, and nothing is new before a move");
    // 31-27.
    desk.play(61, 52, 1);
    let file = desk.file();
    let second = &file[first.len()..];
    assert_eq!(second.last().unwrap(), "3. 31-27", "{second:?}");
    for tag in ["[White \"Sijbrands, Ton\"]", "[Round \"3\"]"] {
        assert!(second.iter().any(|line| line == tag), "{tag}: {second:?}");
    }
    assert!(second.iter().any(|line| line.starts_with("[FEN \"W:W31,33,34,") && line.contains(":B")), "{second:?}");
    let opened = desk.outputs.iter().rev().find_map(|output| match &output.effect {
        Effect::GameOpened(opening) => Some(opening.clone()),
        _ => None,
    });
    let opened = opened.unwrap();
    assert_eq!((opened.game, opened.continued_game, opened.pairing_id.as_deref()), (2, Some(1), Some("17")));
}

#[test]
fn undo_without_entries_is_refused() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.request("undo");
    assert_eq!(desk.replies("there are not 1 entries to take back"), 1, "{:?}", desk.notices());
    assert_eq!(desk.file(), [""; 0]);
}

#[test]
fn resigning_side_loses() {
    for (game_type, side, result) in [("20", "white", "0-2"), ("20", "B", "2-0"), ("25", "white", "0-1")] {
        let variant = Variant::from_tag(game_type).unwrap();
        let mut desk = BoardFixture::with_start(&[], false);
        if game_type == "20" {
            desk.play(63, 54, 1);
        } else {
            desk = BoardFixture { line: Line::new(LineSettings::new(variant)), now: 0, outputs: Vec::new() };
            desk.handle(Input::LinkUp);
            desk.request("start");
            desk.request("setup W:Wc3,e3:Bf6,h6");
        }
        desk.request(&format!("resign {side}"));
        desk.wait(20_000);
        assert_eq!(desk.result().as_deref(), Some(result), "{:?}", desk.notices());
        desk.request("resign");
        desk.request("resign white");
        assert_eq!((desk.replies("the side that gives up"), desk.replies("no game is going on")), (1, 1));
    }
}

#[test]
fn confirmed_position_becomes_setup() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.play(63, 54, 1);
    desk.request("resync");
    desk.wait(5_000);
    assert_eq!(desk.replies("the board shows the position that is published"), 1, "{:?}", desk.notices());
    // Two black men are off, which no move explains; on a board without a clock the decision may take minutes.
    desk.update(36, 0);
    desk.update(27, 0);
    desk.wait(1_000);
    desk.request("resync black");
    assert_eq!(desk.file().last().unwrap(), "1. 32-28", "nothing before the board has said what stands on it");
    let shown = |field: usize| match field {
        27 | 36 | 63 => 0,
        54 => 1,
        _ => start_code(field),
    };
    desk.handle(Input::Bytes([vec![0x86, 0x00, 0x67], (0..100).map(shown).collect()].concat()));
    let last = desk.file().pop().unwrap();
    assert!(last.starts_with("/FEN \"B:W28,") && !last.contains("14,"), "{last}");
    desk.request("resync red");
    desk.handle(Input::LinkDown);
    desk.request("resync");
    for words in ["white or black", "the board is not connected"] {
        assert_eq!(desk.replies(words), 1, "{:?}", desk.notices());
    }
}

#[test]
fn blocked_setup_ends_no_game_while_clock_runs() {
    // 1:20:00 each.
    let clock = |status: u8| Input::Bytes(vec![0x8d, 0x00, 0x0a, 0x01, 0x20, 0x00, 0x01, 0x20, 0x00, status]);
    let mut desk = BoardFixture::with_start(&[], false);
    desk.play(63, 54, 1);
    desk.handle(clock(1));
    for field in (0..100).filter(|field| start_code(usize::from(*field)) != 0 || *field == 54) {
        desk.update(field, 0);
    }
    // A white man on 26 cannot pass black men on 17 and 21.
    for (field, code) in [(50, 1), (41, 4), (32, 4)] {
        desk.update(field, code);
    }
    desk.request("resync white");
    for _ in 0..60 {
        desk.wait(1_000);
        desk.handle(clock(1));
    }
    assert_eq!(desk.file().last().unwrap(), "/FEN \"W:W26:B17,21\"/");
    assert_eq!(desk.result(), None, "the setup may be wrong: {:?}", desk.notices());
    desk.handle(clock(0));
    desk.wait(10_000);
    assert_eq!(desk.result().as_deref(), Some("0-2"), "{:?}", desk.notices());
}

#[test]
fn unknown_request_is_refused_and_changes_nothing() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.outputs.clear();
    desk.request("adjourn");
    desk.request("result 3-0");
    let refused: Vec<bool> = desk.outputs.iter().map(|o| matches!(o.effect, Effect::Refused(_))).collect();
    assert_eq!(refused, [true, true], "{:?}", desk.outputs);
    assert_eq!(desk.replies("request `adjourn` is not known"), 1);
}

#[test]
fn result_piece_is_offered_and_is_no_move() {
    for (code, value) in [(13, "1-1"), (14, "2-0"), (15, "0-2")] {
        let mut desk = BoardFixture::with_start(&[], false);
        desk.play(63, 54, 1);
        let before = desk.file().len();
        // On a playing square in the middle of the board, after another one, and with a long quiet time after it.
        desk.update(45, code);
        desk.wait(500);
        desk.update(45, 0);
        desk.update(43, code);
        desk.wait(60_000);
        let offer = format!("the request `result {value}` records it");
        assert_eq!((desk.replies("a result piece"), desk.replies(&offer)), (1, 1), "{:?}", desk.notices());
        assert_eq!(desk.file().len(), before, "no move, no setup");
        assert_eq!(desk.replies("no legal move"), 0, "{:?}", desk.notices());
        // Lifted and put down again, the offer is repeated.
        desk.update(43, 0);
        desk.wait(5_000);
        desk.update(0, code);
        desk.wait(5_000);
        assert_eq!(desk.replies(&offer), 2);
        desk.request(&format!("result {value}"));
        desk.wait(15_000);
        assert_eq!(desk.result().as_deref(), Some(value));
    }
}

/// Takes all pieces off and puts these into the centre.
fn sweep_and_show(desk: &mut BoardFixture, pieces: [(u8, u8); 2]) {
    // The clock is stopped with 1:00:00 each.
    desk.handle(Input::Bytes(vec![0x8d, 0x00, 0x0a, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00]));
    for field in (0..100).filter(|field| start_code(usize::from(*field)) != 0 || *field == 54) {
        desk.update(field, 0);
        desk.wait(50);
    }
    for (field, code) in pieces {
        desk.update(field, code);
    }
}

#[test]
fn two_pieces_in_centre_propose_result_and_publish_nothing() {
    // Fields 45 and 54 are squares 23 and 28. Kings and men mean the same.
    let cases = [([1, 1], "2-0"), ([7, 7], "2-0"), ([4, 10], "0-2"), ([1, 4], "1-1"), ([10, 7], "1-1")];
    for (codes, value) in cases {
        let mut desk = BoardFixture::with_start(&[], false);
        desk.play(63, 54, 1);
        let before = desk.file().len();
        sweep_and_show(&mut desk, [(45, codes[0]), (54, codes[1])]);
        desk.wait(4_900);
        assert_eq!(desk.replies("in the centre"), 0, "{:?}", desk.notices());
        desk.wait(60_000);
        let offer = format!("two pieces stand alone in the centre: {value}; the request `result {value}` records it");
        assert_eq!(desk.replies(&offer), 1, "{:?}", desk.notices());
        assert_eq!(desk.line.status().proposed_result.as_deref(), Some(value));
        assert_eq!(desk.file().len(), before, "nothing is published: {:?}", desk.file());
        // Removing a piece withdraws the offer.
        desk.update(45, 0);
        desk.wait(10_000);
        assert_eq!(desk.line.status().proposed_result, None);
        // Put back and confirmed, the offer ends the game; later positions are not part of it.
        desk.update(45, codes[0]);
        desk.wait(10_000);
        assert_eq!(desk.line.status().proposed_result.as_deref(), Some(value));
        desk.request(&format!("result {value}"));
        desk.wait(15_000);
        assert_eq!(desk.result().as_deref(), Some(value));
        assert!(desk.file().iter().all(|line| !line.starts_with("/FEN")), "{:?}", desk.file());
    }
    // Three pieces, or two with one elsewhere, make no offer.
    for others in [[(45, 1), (43, 1)], [(45, 1), (12, 4)]] {
        let mut desk = BoardFixture::with_start(&[], false);
        desk.play(63, 54, 1);
        sweep_and_show(&mut desk, others);
        desk.wait(60_000);
        assert_eq!(desk.replies("in the centre"), 0, "{:?}", desk.notices());
    }
}

#[test]
fn differing_or_early_result_pieces_offer_nothing() {
    let mut desk = BoardFixture::with_start(&[], false);
    desk.update(45, 14);
    desk.wait(5_000);
    assert_eq!(desk.replies("result"), 0, "{:?}", desk.notices());
    desk.update(45, 0);
    desk.play(63, 54, 1);
    desk.update(45, 14);
    desk.update(44, 15);
    desk.wait(5_000);
    assert_eq!((desk.replies("contradict each other"), desk.replies("the request `result")), (1, 0));
}
