//! How fast legal moves are generated: leaves a second from the start of every variant, beside a floor.
//!
//! ```text
//! cargo bench --bench perft
//! ```
//!
//! The floor is what a programmer writes in an afternoon who needs International draughts and nothing else: one
//! bitboard, constant shifts, no notation, no paths. It runs in the same process, turn by turn with ours, so that the
//! ratio means something on a busy machine; absolute figures do not. Both count the moves of the last ply without playing
//! them, on one thread; the best of several rounds counts.

use std::time::{Duration, Instant};

use damcast::rules::perft::perft;
use damcast::rules::{Position, Variant};

/// Depth of each variant: a few million leaves.
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

const ROUNDS: u32 = 3;

fn main() {
    println!("{:<26} {:>5} {:>10} {:>12} {:>7}", "", "depth", "leaves", "million/s", "ratio");
    for (number, depth) in DEPTHS {
        let variant = Variant::all().find(|variant| variant.game_type.number == number).expect("a type of the table");
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

/// International draughts on one bitboard. Two rows take eleven bits, the eleventh stays empty: every step is a shift by
/// 5 or 6, and what leaves the board falls on an empty bit.
mod floor {
    #[derive(Clone, Copy)]
    pub struct Board {
        ours: u64,
        theirs: u64,
        kings: u64,
        white_moves: bool,
    }

    const ALL: u64 = 0x3ff | 0x3ff << 11 | 0x3ff << 22 | 0x3ff << 33 | 0x3ff << 44;
    const WAYS: [i32; 4] = [-6, -5, 5, 6];
    pub const START: Board =
        Board { ours: ALL >> 33 << 33 & !0x1f, theirs: ALL & 0x1f_ffff, kings: 0, white_moves: true };

    fn shift(set: u64, by: i32) -> u64 {
        if by > 0 { set << by } else { set >> -by }
    }

    fn first_piece(mut at: u64, way: i32, empty: u64, flies: bool) -> u64 {
        at = shift(at, way);
        while flies && at & empty != 0 {
            at = shift(at, way);
        }
        at
    }

    type Captures = Vec<(u64, u64, u64)>;

    pub fn perft(board: Board, depth: u32) -> u64 {
        let mut captures = Vec::new();
        let empty = ALL & !(board.ours | board.theirs);
        let (men, kings) = (board.ours & !board.kings, board.ours & board.kings);
        let takes = |&way: &i32| shift(shift(empty, -way) & board.theirs, -way) & men;
        let mut from_men = WAYS.iter().map(takes).fold(0, |all, some| all | some);
        let mut pieces = from_men | kings;
        while pieces != 0 {
            let from = pieces & pieces.wrapping_neg();
            pieces ^= from;
            from_men &= !from;
            capture(&board, from, from, empty | from, 0, kings & from != 0, &mut captures);
        }
        if !captures.is_empty() {
            if depth == 1 {
                return captures.len() as u64;
            }
            return captures.iter().map(|&(from, to, taken)| perft(board.play(from, to, taken), depth - 1)).sum();
        }
        let mut leaves = 0;
        for way in if board.white_moves { [-6, -5] } else { [5, 6] } {
            let mut targets = shift(men, way) & empty;
            if depth == 1 {
                leaves += u64::from(targets.count_ones());
                continue;
            }
            while targets != 0 {
                let to = targets & targets.wrapping_neg();
                targets ^= to;
                leaves += perft(board.play(shift(to, -way), to, 0), depth - 1);
            }
        }
        let mut pieces = kings;
        while pieces != 0 {
            let from = pieces & pieces.wrapping_neg();
            pieces ^= from;
            for way in WAYS {
                let mut to = shift(from, way);
                while to & empty != 0 {
                    leaves += if depth == 1 { 1 } else { perft(board.play(from, to, 0), depth - 1) };
                    to = shift(to, way);
                }
            }
        }
        leaves
    }

    fn capture(board: &Board, from: u64, at: u64, empty: u64, taken: u64, king: bool, found: &mut Captures) {
        let mut last = true;
        for way in WAYS {
            let over = first_piece(at, way, empty, king);
            let mut to = shift(over, way);
            if over & board.theirs & !taken == 0 || to & empty == 0 {
                continue;
            }
            last = false;
            while to & empty != 0 {
                capture(board, from, to, empty, taken | over, king, found);
                to = if king { shift(to, way) } else { 0 };
            }
        }
        let best = found.first().map_or(1, |best| best.2.count_ones());
        if last && taken.count_ones() >= best {
            if taken.count_ones() > best {
                found.clear();
            }
            if !found.contains(&(from, at, taken)) {
                found.push((from, at, taken));
            }
        }
    }

    impl Board {
        fn play(&self, from: u64, to: u64, taken: u64) -> Board {
            let ours = self.ours & !from | to;
            let last_row = if self.white_moves { 0x1f } else { 0x1f << 49 };
            let is_king = self.kings & from != 0 || to & last_row != 0;
            let kings = self.kings & !from & !taken | if is_king { to } else { 0 };
            Board { ours: self.theirs & !taken, theirs: ours, kings, white_moves: !self.white_moves }
        }
    }
}
