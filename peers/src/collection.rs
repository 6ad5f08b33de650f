//! A collection of draughts games, and the work that users do with it.

use std::path::Path;

use draughts::Variant;
use draughts_pdn::game::{Entry, Game, MoveEntry, MoveNumber};
use draughts_pdn::problem::Level;
use draughts_pdn::standard::{self, AmbiguousCaptures};
use draughts_pdn::strict::StrictChecker;
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{Checker, Encoding, Reader, notation};

/// Size of the collection, in bytes.
const SIZE: usize = 12_000_000;

/// Returns the International games of the tests, in the standard's form with the usual tags, again and again.
pub fn international() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/draughts-pdn/tests/data/games");
    let text = std::fs::read_to_string(folder.join("international.txt")).expect("the games of the tests");
    let variant = Variant::international();
    let mut games = Vec::new();
    let mut has_fen = false;
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("game", _)) => has_fen = false,
            Some(("fen", _)) => has_fen = true,
            Some(("moves", moves)) if !has_fen => games.push(game(variant, moves, games.len())),
            _ => {}
        }
    }
    let once = writer::write(&games, Style::Compact) + "\n";
    once.repeat(SIZE / once.len() + 1).into_bytes()
}

fn game(variant: &'static Variant, moves: &str, index: usize) -> Game {
    let (white, black) = (format!("Player, White {index}"), format!("Player, Black {index}"));
    let tags = [
        ("Event", "The open championship"),
        ("Site", "Huissen"),
        ("Date", "2026.11.21"),
        ("Round", "1"),
        ("White", &white),
        ("Black", &black),
        ("Result", "*"),
        ("GameType", "20"),
    ];
    let mut game = Game { tags: tags.into_iter().collect(), ..Game::default() };
    let mut position = draughts::Position::start(variant);
    for (at, text) in moves.split(' ').enumerate() {
        let ply = notation::read(&position, text.trim_end_matches(['K', '!', '~'])).expect("a legal move");
        let number = (at % 2 == 0).then_some(MoveNumber { value: at as u32 / 2 + 1, ellipsis: false });
        let text = notation::write(variant, &ply, &position.legal_moves());
        game.entries.push(Entry::Move(MoveEntry { number, ..MoveEntry::new(text) }));
        position = position.play(&ply);
    }
    game
}

/// Plays all games. Returns the numbers of plies and of errors.
pub fn check(text: &[u8]) -> (u64, u64) {
    let mut plies = 0;
    let mut checker = Checker::new(Encoding::Detect, None);
    text.chunks(64 * 1024).for_each(|piece| checker.feed(piece, &mut |game| plies += game.plies as u64));
    checker.finish(&mut |game| plies += game.plies as u64);
    (plies, checker.take_problems().count(Level::Error))
}

/// Returns the number of problems by the letter of the standard.
pub fn strict(text: &[u8]) -> usize {
    let mut checker = StrictChecker::new(None);
    text.chunks(64 * 1024).for_each(|piece| checker.feed(piece));
    checker.finish().list().len()
}

/// Returns the number of bytes written.
pub fn convert(text: &[u8]) -> usize {
    let mut reader = Reader::new(Encoding::Detect);
    let mut size = 0;
    for located in text.chunks(64 * 1024).flat_map(|piece| reader.feed(piece)) {
        let (game, _) = standard::convert(located, None, AmbiguousCaptures::Path);
        size += writer::write(&[game], Style::Compact).len();
    }
    size
}
