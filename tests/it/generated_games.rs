//! Games made from one number, with every element that may occur between two moves, and pieces of text in any order.

use draughts::{Color, Piece, PieceKind, Placement, Position, Setup, Square, Variant};
use draughts_pdn::clock::{ClockTime, Clocks};
use draughts_pdn::game::{Entry, Game, MoveEntry, MoveNumber, Tags, Termination};
use draughts_pdn::{fen, notation};

/// A small generator in this file, so that a game is a function of one number.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    }
}

const NAMES: [&str; 8] =
    ["Wiersma, Harm", "Сергей Фадеев", "高文龙", "O\"Neill", "a\\b", "", "Groenendijk, Jan (NED)", "é{}%;*"];
const REMARKS: [&str; 7] = [
    "a classical mistake",
    "",
    "[%csl Rd4 Gb2] beside",
    "русский  two blanks",
    "a rather long remark that will not fit into the rest of a line and so must be wrapped somewhere between its words",
    "% ; * 1-0 (",
    "[%eval -0.048][%egt 0:0:9.56]",
];

const VALUES: [(&str, &[&str]); 5] = [
    ("Date", &["2026.11.21", "2007.??.??", "????.??.??", ""]),
    ("TimeControl", &["4800+60", "40/7200:20/2400:600+5", "*120", "?", "-", ""]),
    ("WhiteTime", &["1:59:20", "1:17", "?"]),
    ("UTCTime", &["23:59:11", "?"]),
    ("WhiteType", &["human", "program", "?"]),
];

/// Returns a game in the standard's form: random legal moves with every element allowed between them.
pub(crate) fn game(variant: &'static Variant, dice: &mut Dice, plies: usize, with_variations: bool) -> Game {
    let mut tags: Tags =
        [("Event", NAMES[dice.roll(8)]), ("White", NAMES[dice.roll(8)]), ("Black", NAMES[dice.roll(8)])]
            .into_iter()
            .collect();
    for (name, values) in VALUES {
        if dice.roll(3) == 0 {
            tags.set(name, values[dice.roll(values.len())]);
        }
    }
    tags.set("GameType", variant.game_type.tag_value());
    let mut line = Line { variant, dice, entries: Vec::new(), clock: 4800 };
    let mut position = Position::start(variant);
    if line.dice.roll(4) == 0 {
        for _ in 0..line.dice.roll(30) {
            let legal = position.legal_moves();
            let Some(count) = Some(legal.len()).filter(|&count| count > 0) else { break };
            position = position.play(&legal[line.dice.roll(count)]);
        }
        tags.set("FEN", fen::write(variant, &position.setup()));
    } else if line.dice.roll(3) == 0
        && let Some(rich) = with_ambiguous_captures(variant, line.dice)
    {
        position = rich;
        tags.set("FEN", fen::write(variant, &position.setup()));
    }
    tags.set("Result", variant.result_format.values()[line.dice.roll(5)]);
    line.play(position, 1, plies, with_variations);
    Game { tags, entries: line.entries, end: Termination::Star }
}

/// Returns a position in which two moves share their ends and capture different pieces; random play hardly ever reaches one.
pub(crate) fn with_ambiguous_captures(variant: &'static Variant, dice: &mut Dice) -> Option<Position> {
    let turn = variant.game_type.starter();
    (0..200).find_map(|_| {
        let mut placement = Placement::EMPTY;
        for piece in 0..11 {
            let square = Square::new(dice.roll(variant.geometry.count()) as u8);
            let color = if piece == 0 { turn } else { !turn };
            placement.put(square, Some(Piece { color, kind: PieceKind::King }));
        }
        let position = Position::new(variant, Setup { placement, turn }).ok()?;
        let legal = position.legal_moves();
        legal.iter().any(|ply| notation::is_ambiguous(ply, &legal)).then_some(position)
    })
}

struct Line<'d> {
    variant: &'static Variant,
    dice: &'d mut Dice,
    entries: Vec<Entry>,
    clock: u32,
}

impl Line<'_> {
    fn play(&mut self, mut position: Position, mut number: u32, plies: usize, with_variations: bool) {
        let mut is_fresh = true;
        for _ in 0..plies {
            let legal = position.legal_moves();
            if legal.is_empty() {
                return;
            }
            let is_first = position.turn() == self.variant.game_type.starter();
            let ambiguous = legal.iter().position(|ply| notation::is_ambiguous(ply, &legal));
            let ply = &legal[ambiguous.unwrap_or_else(|| self.dice.roll(legal.len()))];
            let shown = (is_first || is_fresh).then_some(MoveNumber { value: number, ellipsis: !is_first });
            let strength = [None, None, None, Some("!"), Some("(?!)")][self.dice.roll(5)].map(Into::into);
            let text = notation::write(self.variant, ply, &legal);
            self.entries.push(Entry::Move(MoveEntry { number: shown, strength, ..MoveEntry::new(text) }));
            is_fresh = false;
            self.write_comments(position.turn());
            if with_variations && self.dice.roll(12) == 0 {
                self.entries.push(Entry::Open);
                let length = 1 + self.dice.roll(4);
                self.play(position, number, length, self.dice.0.is_multiple_of(2));
                self.entries.push(Entry::Close);
                is_fresh = true;
            }
            position = position.play(ply);
            number += u32::from(!is_first);
            if self.dice.roll(40) == 0 {
                // A null move: the other side is to move, nothing else changes.
                position = position.with_turn(!position.turn());
                self.entries.push(Entry::Setup(format!("{}::", position.turn().letter())));
                is_fresh = true;
            }
            if self.dice.roll(25) == 0 {
                // The board lost track: some plies were not seen.
                for _ in 0..self.dice.roll(4) {
                    let legal = position.legal_moves();
                    if legal.is_empty() {
                        return;
                    }
                    let is_first = position.turn() == self.variant.game_type.starter();
                    position = position.play(&legal[self.dice.roll(legal.len())]);
                    number += u32::from(!is_first);
                }
                self.entries.push(Entry::Setup(fen::write(self.variant, &position.setup())));
                self.write_comments(!position.turn());
                is_fresh = true;
            }
        }
    }

    fn write_comments(&mut self, mover: Color) {
        if self.dice.roll(3) > 0 {
            self.clock -= 7;
            let running = Some(!mover);
            let clocks = Clocks { white: Some(ClockTime(self.clock)), black: Some(ClockTime(4800)), running };
            self.entries.push(Entry::Comment(clocks.to_string()));
        }
        if self.dice.roll(10) == 0 {
            self.entries.push(Entry::Comment(REMARKS[self.dice.roll(7)].to_owned()));
        }
        if self.dice.roll(10) == 0 {
            self.entries.push(Entry::Nag(self.dice.roll(140) as u32));
        }
    }
}

pub(crate) fn variants() -> Vec<&'static Variant> {
    let others = ["23,W,8,8,A0,0", "23,B,8,8,A1,1", "20,W,10,10,N1,0", "25,W,8,8,N2,0"];
    Variant::all().chain(others.map(|tag| Variant::from_tag(tag).unwrap())).collect()
}

#[rustfmt::skip]
pub(crate) const SOUP: &[&str] = &[
    "[Event \"x\"]", "[GameType \"20\"]", "[GameType \"25\"]", "[GameType \"99\"]", "[GameType \"x\"]", "[Result \"1-1\"]",
    "[Result \"4-6\"]", "[FEN \"W:W31-50:B1-20\"]", "[FEN \"?:W1:B50.\"]", "[FEN \"W:W0:B73\"]", "[FEN \"W:W1,1:B2\"]", "[A \"",
    "]", "\"", "[Empty]", "[[", "[a \"b\"]", "[Date \"1.1.1965\"]", "[TimeControl \"x\"]", "\n", "\r\n", "\n\n", "1.", "1...",
    "...", "12..", "32-28", "19-23", "28x19", "14x23", "c3-d4", "a3b4", "3228", "01-07", "32 - 28", "28:19", "47x38x24", "4-6",
    "-", "--", "!", "??", "(!?)", "*", "1-0", "1-1", "½-½", "1/2-1/2", "1 1/2 - 1/2", "$1", "$9999", "(", ")", "()", "{x}", "{",
    "}", "{[%clock w0:01:00 B0:01:00]}", "; rest\n", "%", "\n% line\n", "<28,29>", "<", "/FEN \"W:W28:B19\"/", "/FEN \"B::\"/",
    "/FEN \"?\"/", "/FEN", "/", "\\n", "\0", "\u{feff}", "é", "Ronde", "0-0", "99-99", "[FEN \"W:WK47:B14,19,29,31,42\"]",
    "47x36", "47x38x20x9x36", "47x36 <42,29,14,31>", "47x38x24", "24x13x36", "36x13", "[FEN \"W:W:B\"]", "[Result \"x\"]",
    "[ResultFormat \"Plus draw\"]", "[Heure blanche \"1\"]", "[P1 \"y\"]", "[White \"]\"]", "00-1", "1.c3-b4", "11-15",
    "[%clk 0:00:01]",
];
