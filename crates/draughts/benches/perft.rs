//! Speed of move generation: leaves per second from the start of every variant, compared with a baseline.
//!
//! ```text
//! cargo bench -p draughts
//! ```
//!
//! The baseline is a minimal generator for International draughts only: one bitboard, constant shifts, no notation, no paths. Both run in
//! one process, alternating, so the ratio is meaningful on a busy machine; absolute figures are not. Both count the moves of the last ply
//! without playing them, on one thread. The best of several rounds counts.

use std::time::{Duration, Instant};

use draughts::perft;
use draughts::{Position, Variant};

/// Depth for each variant, for a few million leaves.
const DEPTHS: [(u8, u32); 14] = [
    (20, 8),
    (21, 9),
    (22, 9),
    (23, 8),
    (24, 9),
    (25, 8),
    (26, 8),
    (27, 7),
    (28, 9),
    (29, 9),
    (30, 6),
    (31, 7),
    (40, 8),
    (41, 8),
];

const ROUNDS: u32 = 5;

fn main() {
    println!("{:<26} {:>5} {:>10} {:>12} {:>7}", "", "depth", "leaves", "million/s", "ratio");
    for (number, depth) in DEPTHS {
        let variant = Variant::all().find(|variant| variant.game_type.number() == number).expect("a type of the table");
        let start = Position::start(variant);
        let (mut ours, mut best_floor, mut leaves) = (Duration::MAX, Duration::MAX, 0);
        for _ in 0..ROUNDS {
            best_floor = best_floor.min(timed(|| assert_eq!(floor::perft(floor::START, 8), 6_483_961)));
            ours = ours.min(timed(|| leaves = perft(&start, depth)));
        }
        let floor_rate = 6_483_961.0 / best_floor.as_secs_f64();
        let rate = leaves as f64 / ours.as_secs_f64();
        if number == 20 {
            println!("{:<26} {:>5} {:>10} {:>12.1} {:>7}", "the floor", 8, 6_483_961, floor_rate / 1e6, "1");
        }
        println!("{:<26} {depth:>5} {leaves:>10} {:>12.1} {:>7.3}", variant.name, rate / 1e6, rate / floor_rate);
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// International draughts on one bitboard. Two rows take eleven bits, of which the eleventh stays empty. Every step is a shift by 5 or 6,
/// and a step off the board lands on an empty bit.
mod floor {
    #[derive(Clone, Copy)]
    pub struct Board {
        ours: u64,
        theirs: u64,
        kings: u64,
    }

    const ALL: u64 = 0x3ff | 0x3ff << 11 | 0x3ff << 22 | 0x3ff << 33 | 0x3ff << 44;
    const WAYS: [i32; 4] = [-6, -5, 5, 6];
    /// Start position, White to move.
    pub const START: Board = Board { ours: ALL >> 33 << 33 & !0x1f, theirs: ALL & 0x1f_ffff, kings: 0 };

    #[inline(always)]
    fn shift(set: u64, by: i32) -> u64 {
        if by > 0 { set << by } else { set >> -by }
    }

    /// From, to, captured.
    type Capture = (u64, u64, u64);

    pub fn perft(board: Board, depth: u32) -> u64 {
        leaves::<true>(board, depth, &mut Vec::with_capacity(1000))
    }

    /// `captures` is a stack: the captures of a position are above those of earlier positions.
    fn leaves<const WHITE: bool>(board: Board, depth: u32, captures: &mut Vec<Capture>) -> u64 {
        let empty = ALL & !(board.ours | board.theirs);
        let (men, kings) = (board.ours & !board.kings, board.ours & board.kings);
        let from_men = men
            & (shift(shift(empty, 5) & board.theirs, 5)
                | shift(shift(empty, 6) & board.theirs, 6)
                | shift(shift(empty, -5) & board.theirs, -5)
                | shift(shift(empty, -6) & board.theirs, -6));
        if from_men | kings != 0 {
            let first = captures.len();
            let mut search = Search { theirs: board.theirs, first, best: 0, captures };
            each(from_men, |from| search.extend::<false>(from, from, empty | from, 0));
            each(kings, |from| search.extend::<true>(from, from, empty | from, 0));
            let count = captures.len() - first;
            if count > 0 {
                let mut sum = if depth == 1 { count as u64 } else { 0 };
                for index in first..if depth == 1 { first } else { captures.len() } {
                    sum += after::<WHITE>(&board, captures[index], depth, captures);
                }
                captures.truncate(first);
                return sum;
            }
        }
        let mut sum = if WHITE {
            steps::<WHITE, -6>(&board, men, empty, depth, captures)
                + steps::<WHITE, -5>(&board, men, empty, depth, captures)
        } else {
            steps::<WHITE, 5>(&board, men, empty, depth, captures)
                + steps::<WHITE, 6>(&board, men, empty, depth, captures)
        };
        each(kings, |from| {
            for way in WAYS {
                let mut to = shift(from, way);
                while to & empty != 0 {
                    sum += if depth == 1 { 1 } else { after::<WHITE>(&board, (from, to, 0), depth, captures) };
                    to = shift(to, way);
                }
            }
        });
        sum
    }

    #[inline(always)]
    fn after<const WHITE: bool>(board: &Board, ply: Capture, depth: u32, captures: &mut Vec<Capture>) -> u64 {
        let next = board.play::<WHITE>(ply);
        if WHITE { leaves::<false>(next, depth - 1, captures) } else { leaves::<true>(next, depth - 1, captures) }
    }

    #[inline(always)]
    fn steps<const WHITE: bool, const WAY: i32>(
        board: &Board,
        men: u64,
        empty: u64,
        depth: u32,
        captures: &mut Vec<Capture>,
    ) -> u64 {
        let targets = shift(men, WAY) & empty;
        if depth == 1 {
            return u64::from(targets.count_ones());
        }
        let mut sum = 0;
        each(targets, |to| sum += after::<WHITE>(board, (shift(to, -WAY), to, 0), depth, captures));
        sum
    }

    #[inline(always)]
    fn each(mut squares: u64, mut visit: impl FnMut(u64)) {
        while squares != 0 {
            let lowest = squares & squares.wrapping_neg();
            squares ^= lowest;
            visit(lowest);
        }
    }

    struct Search<'a> {
        theirs: u64,
        first: usize,
        best: u32,
        captures: &'a mut Vec<Capture>,
    }

    impl Search<'_> {
        fn extend<const KING: bool>(&mut self, from: u64, at: u64, empty: u64, captured: u64) {
            let mut last = true;
            for way in WAYS {
                let mut over = shift(at, way);
                while KING && over & empty != 0 {
                    over = shift(over, way);
                }
                let mut to = shift(over, way);
                if over & self.theirs & !captured == 0 || to & empty == 0 {
                    continue;
                }
                last = false;
                while to & empty != 0 {
                    self.extend::<KING>(from, to, empty, captured | over);
                    to = if KING { shift(to, way) } else { 0 };
                }
            }
            let number = captured.count_ones();
            if last && number > 0 && number >= self.best {
                if number > self.best {
                    self.best = number;
                    self.captures.truncate(self.first);
                }
                if number == 1 || !self.captures[self.first..].contains(&(from, at, captured)) {
                    self.captures.push((from, at, captured));
                }
            }
        }
    }

    impl Board {
        #[inline(always)]
        fn play<const WHITE: bool>(&self, (from, to, captured): Capture) -> Board {
            let ours = self.ours & !from | to;
            let last_row = if WHITE { 0x1f } else { 0x1f << 49 };
            let is_king = self.kings & from != 0 || to & last_row != 0;
            let kings = self.kings & !from & !captured | if is_king { to } else { 0 };
            Board { ours: self.theirs & !captured, theirs: ours, kings }
        }
    }
}
