//! Properties of all positions, checked on ten thousand random ones of all games. The seed is fixed and printed. The positions need not be
//! reachable, but men stand only on squares where men are allowed.

use std::collections::BTreeMap;

use draughts::ruleset::{PromotionInCapture, Removal};
use draughts::{
    Color, Move, NotationKind, Piece, PieceKind, Placement, Position, RuleChoices, Setup, Square, SquareSet, Variant,
};
use draughts_pdn::{fen, notation};

const SEED: u64 = 20_030_409;
const POSITIONS: usize = 10_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound as u64) as usize
    }

    fn position(&mut self, variant: &'static Variant) -> Position {
        let geometry = &variant.geometry;
        let mut placement = Placement::EMPTY;
        let one_king_in = 2 + self.below(6);
        for _ in 0..2 + self.below(geometry.count() / 2) {
            let square = Square::new(self.below(geometry.count()) as u8);
            let color = if self.below(2) == 0 { Color::White } else { Color::Black };
            if placement.pieces_of(color).len() == variant.start[color.index()].len().max(12) {
                continue;
            }
            let must_be_king = geometry.home_row(!color).contains(square);
            let kind = if must_be_king || self.below(one_king_in) == 0 { PieceKind::King } else { PieceKind::Man };
            placement.put(square, Some(Piece { color, kind }));
        }
        let turn = if self.below(2) == 0 { Color::White } else { Color::Black };
        Position::new(variant, Setup { placement, turn }).expect("no man stands on its last row")
    }
}

/// Returns all games, with all readings of rules on which authorities differ.
fn variants() -> Vec<&'static Variant> {
    let choices = [
        ("30", RuleChoices { turkish_promotion: Some(PromotionInCapture::ContinuesAsKing), ..RuleChoices::default() }),
        ("30", RuleChoices { turkish_promotion: Some(PromotionInCapture::EndsTheMove), ..RuleChoices::default() }),
        ("31", RuleChoices { thai_removal: Some(Removal::AfterMove), ..RuleChoices::default() }),
    ];
    let chosen = choices.map(|(tag, choices)| Variant::new(tag.parse().unwrap(), choices));
    Variant::all().chain(chosen).collect()
}

fn for_each_position(mut check: impl FnMut(&Position, &str)) {
    println!("seed {SEED}");
    let mut random = Random(SEED);
    let variants = variants();
    for number in 0..POSITIONS {
        let variant = variants[number % variants.len()];
        let position = random.position(variant);
        let text = format!("position {number} of seed {SEED}: {variant:?} {}", fen::write(variant, &position.setup()));
        check(&position, &text);
    }
}

/// The board after a move identifies the move, with one exception: two pieces that could each make a round trip and capture the same
/// pieces.
#[test]
fn distinct_moves_give_distinct_placements() {
    for_each_position(|position, text| {
        let mut seen: BTreeMap<Placement, Move> = BTreeMap::new();
        for ply in position.legal_moves() {
            let round_trip = |ply: &Move| ply.from() == ply.to();
            if let Some(other) = seen.insert(*position.play(&ply).placement(), ply.clone()) {
                let same_trip = round_trip(&ply) && round_trip(&other) && ply.captured() == other.captured();
                assert!(same_trip, "{text}: {ply:?} and {other:?}");
            }
        }
    });
}

/// Turning the board and swapping the colours turns the moves.
#[test]
fn rules_are_equal_for_both_colours() {
    for_each_position(|position, text| {
        let count = position.variant().geometry.count();
        let turned = |square: Square| Square::new((count - 1 - square.index()) as u8);
        let turned_set = |set: SquareSet| set.into_iter().map(turned).collect::<SquareSet>();
        let mut placement = Placement::EMPTY;
        for square in position.variant().geometry.all() {
            let piece = position.placement().get(square).map(|piece| Piece { color: !piece.color, ..piece });
            placement.put(turned(square), piece);
        }
        let mirror = Position::new(position.variant(), Setup { placement, turn: !position.turn() }).unwrap();
        let mut moves: Vec<_> = position
            .legal_moves()
            .iter()
            .map(|ply| (turned(ply.from()), turned(ply.to()), turned_set(ply.captured()), ply.promotes()))
            .collect();
        let mut mirrored: Vec<_> =
            mirror.legal_moves().iter().map(|ply| (ply.from(), ply.to(), ply.captured(), ply.promotes())).collect();
        moves.sort_unstable();
        mirrored.sort_unstable();
        assert_eq!(moves, mirrored, "{text}");
    });
}

/// Each move has a unique notation that is read back; FEN round-trips.
#[test]
fn write_read_roundtrip() {
    for_each_position(|position, text| {
        let variant = position.variant();
        assert_eq!(fen::read(variant, &fen::write(variant, &position.setup())), Ok(position.setup()), "{text}");
        let legal = position.legal_moves();
        for ply in &legal {
            for written in [
                notation::write(variant, ply, &legal),
                notation::write_long(variant, ply),
                notation::write_with_captured(variant, ply, &legal),
            ] {
                assert_eq!(notation::read_among(position, &legal, &written).as_ref(), Ok(ply), "{text}: {written}");
            }
            // Any separator between the squares; letters need none, and neither do two numbers of two digits.
            let written = notation::write(variant, ply, &legal);
            let squares: Vec<&str> = written.split(['-', 'x', ':']).collect();
            let joined = variant.game_type.notation().kind == NotationKind::Algebraic || squares.len() == 2;
            for separator in ["-", "x", ":", " X ", ""].into_iter().filter(|separator| joined || !separator.is_empty())
            {
                let squares = squares.iter().map(|name| format!("{name:0>2}")).collect::<Vec<_>>().join(separator);
                assert_eq!(notation::read_among(position, &legal, &squares).as_ref(), Ok(ply), "{text}: {squares}");
            }
        }
    });
}

/// Quick queries agree with the full list of moves, and each move changes exactly the squares it reports.
#[test]
fn moves_have_stated_effect() {
    for_each_position(|position, text| {
        let legal = position.legal_moves();
        assert_eq!(position.must_capture(), legal.iter().any(Move::is_capture), "{text}");
        let us = position.turn();
        for ply in &legal {
            let after = position.play(ply);
            assert_eq!(after.turn(), !us);
            let before = position.placement().get(ply.from()).unwrap();
            let kind = if ply.promotes() { PieceKind::King } else { before.kind };
            assert_eq!(after.placement().get(ply.to()), Some(Piece { color: us, kind }), "{text}: {ply:?}");
            assert_eq!(
                after.placement().pieces_of(!us),
                position.placement().pieces_of(!us) - ply.captured(),
                "{text}: {ply:?}"
            );
            assert_eq!(
                after.placement().pieces_of(us).len(),
                position.placement().pieces_of(us).len(),
                "{text}: {ply:?}"
            );
            assert!(ply.captured().is_subset(position.placement().pieces_of(!us)), "{text}: {ply:?}");
            assert!(Position::new(position.variant(), after.setup()).is_ok(), "{text}: {ply:?}");
        }
    });
}

/// A move found by its ends is the one in the full list; there is none if the list has no such move or several. Some plies are played from
/// each position, to exercise the limit on king moves.
#[test]
fn finds_move_by_start_and_end() {
    let (mut found, mut shared, mut exhausted) = (0, 0, 0);
    let (mut number, mut random) = (0, Random(SEED));
    for_each_position(|position, text| {
        number += 1;
        if number % 17 != 0 && position.variant().rules.same_king_limit.is_none() {
            return;
        }
        let mut position = *position;
        for _ in 0..8 {
            let legal = position.legal_moves();
            let squares = || position.variant().geometry.all().into_iter();
            let mut ends: Vec<(Square, Square)> = legal.iter().map(|ply| (ply.from(), ply.to())).collect();
            match position.must_capture() {
                // Comparing captures takes time: do not try all pairs of ends.
                true => ends.extend(squares().zip(squares().skip(random.below(40))).take(20)),
                false => ends.extend(squares().flat_map(|from| squares().map(move |to| (from, to)))),
            }
            for (from, to) in ends {
                let mut fitting = legal.iter().filter(|ply| (ply.from(), ply.to()) == (from, to));
                let (first, second) = (fitting.next(), fitting.next());
                let wanted = first.filter(|_| second.is_none());
                let only = position.only_move(from, to);
                assert_eq!(only.as_ref(), wanted, "{text}, then {:?}", position.setup());
                assert_eq!(only.as_ref().map(Move::jumps), wanted.map(Move::jumps), "{text}");
                let mut after = position;
                assert_eq!(after.play_only_move(from, to), wanted.is_some(), "{text}");
                assert_eq!(after, wanted.map_or(position, |ply| position.play(ply)), "{text}");
                found += usize::from(wanted.is_some());
                shared += usize::from(second.is_some());
            }
            exhausted += usize::from(position.exhausted_king().is_some());
            let Some(ply) = legal.last() else { break };
            position = position.play(ply);
        }
    });
    assert!(found > 10_000 && shared > 10 && exhausted > 0, "{found} found, {shared} shared, {exhausted} exhausted");
}
