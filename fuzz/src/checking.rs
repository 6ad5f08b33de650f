//! Compares the quick check of a file with the long one.

use draughts::{Position, Variant};
use draughts_pdn::checked::{CheckedGame, Checker};
use draughts_pdn::encoding::Encoding;
use draughts_pdn::game::Entry;
use draughts_pdn::infer;
use draughts_pdn::problem::Problem;
use draughts_pdn::reader::{self, LocatedGame};
use draughts_pdn::replay::{self, Replay};

use super::pieces;

/// Maximum length of a text: playing longer ones in both ways takes time and finds no more.
const MAX_TEXT_LEN: usize = 2048;

/// Checks a file: whole, in pieces, and with a known variant.
pub fn check_all(data: &[u8]) {
    let data = &data[..data.len().min(MAX_TEXT_LEN)];
    compare_checking(data, pieces(data), None);
    compare_checking(data, [data], Some(Variant::international()));
}

/// Variant, plies and last position of a game.
type Outcome = (String, usize, Option<Position>);

/// Compares both checks on the same bytes, for the quick one cut into these pieces; returns the number of games.
pub fn compare_checking<'a>(
    bytes: &[u8],
    pieces: impl IntoIterator<Item = &'a [u8]>,
    known_variant: Option<&'static Variant>,
) -> usize {
    let ((quick, mut quick_problems), (long, mut long_problems)) =
        (check_streaming(pieces, known_variant), check_by_games(bytes, known_variant));
    // Problems at one place have no order.
    for problems in [&mut quick_problems, &mut long_problems] {
        problems.sort_by_cached_key(|problem| (problem.location, problem.to_string()));
    }
    let text = || String::from_utf8_lossy(&bytes[..bytes.len().min(5_000)]).into_owned();
    assert_eq!(quick.len(), long.len(), "{}", text());
    for (number, (quick, long)) in quick.iter().zip(&long).enumerate() {
        assert_eq!(quick, long, "game {number} of {}", text());
    }
    assert_eq!(quick_problems, long_problems, "{}", text());
    quick.len()
}

fn check_streaming<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    known_variant: Option<&'static Variant>,
) -> (Vec<Outcome>, Vec<Problem>) {
    let mut checker = Checker::new(Encoding::Detect, known_variant);
    let mut games = Vec::new();
    let mut show =
        |game: CheckedGame| games.push((game.variant.game_type.to_string(), game.plies, game.final_position));
    for piece in pieces {
        checker.feed(piece, &mut show);
    }
    checker.finish(&mut show);
    assert_eq!(games.len() as u64, checker.game_count());
    (games, checker.take_problems().into_sorted())
}

/// Checks by reading all games and playing each by itself.
fn check_by_games(bytes: &[u8], mut known_variant: Option<&'static Variant>) -> (Vec<Outcome>, Vec<Problem>) {
    let (games, syntax) = reader::read_bytes(bytes, Encoding::Detect);
    let (mut outcomes, mut problems) = (Vec::new(), Vec::new());
    let mut play = |located: &LocatedGame, known_variant| {
        let replay = Replay::infer(located, known_variant);
        let last = replay::walk(located, replay.variant, &mut |_| {}).final_position;
        let is_plain = replay.problems.is_empty() && located.game.entries.iter().all(|entry| !is_unusual(entry));
        assert!(!is_plain || last == Some(replay.position_after(usize::MAX)));
        outcomes.push((replay.variant.game_type.to_string(), replay.moves().count(), last));
        problems.extend(replay.problems);
    };
    let mut waiting: Vec<&LocatedGame> = Vec::new();
    for (index, located) in games.iter().enumerate() {
        if known_variant.is_some() || located.game.tags.get("GameType").is_some() {
            play(located, known_variant);
        } else {
            waiting.push(located);
        }
        if waiting.len() >= infer::SAMPLE || index + 1 == games.len() && !waiting.is_empty() {
            known_variant = Some(infer::infer_from_moves(&waiting, known_variant));
            waiting.drain(..).for_each(|located| play(located, known_variant));
        }
    }
    problems.extend(syntax);
    problems.sort_by_key(|problem| problem.location);
    (outcomes, problems)
}

/// Whether the entry is a setup or an unknown move.
fn is_unusual(entry: &Entry) -> bool {
    match entry {
        Entry::Move(ply) => ply.is_unknown(),
        Entry::Setup(_) => true,
        _ => false,
    }
}
