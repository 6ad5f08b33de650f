//! No text does harm: cut anywhere, without an end; every problem has its place.

use crate::generated_games::{Dice, game};
use crate::pdn::{DIALECTS, moves};
use draughts::Variant;
use draughts_pdn::encoding::Encoding;
use draughts_pdn::reader::{self, Reader};
use draughts_pdn::replay::Replay;
use draughts_pdn::standard::standard;
use draughts_pdn::strict;
use draughts_pdn::writer::{self, Style};

/// Each file cut at every byte: the text before the cut is read, and complete games are unchanged.
#[test]
fn reads_text_cut_at_any_byte() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/pdn");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds = paths.iter().map(|path| std::fs::read(path).unwrap());
    let mut dice = Dice(5);
    let generated = writer::write(&[game(Variant::international(), &mut dice, 12, true)], Style::Compact);
    let texts: Vec<Vec<u8>> = seeds.chain([DIALECTS.into(), generated.into()]).collect();
    assert!(texts.len() > 8);
    for text in texts {
        let (whole, _) = reader::read_bytes(&text, Encoding::Detect);
        for at in 0..text.len() {
            let (games, _) = reader::read_bytes(&text[..at], Encoding::Detect);
            assert!(games.len() <= whole.len() + 1);
            let is_the_same = games.iter().zip(&whole).take(games.len().saturating_sub(1));
            // The cut may be in the terminator of the last complete game: `1-1` is a prefix of `1-10`.
            let same = is_the_same.filter(|(cut, whole)| cut.game == whole.game).count();
            assert!(same + 2 >= games.len(), "{}", String::from_utf8_lossy(&text[..at]));
            for located in games.iter().skip(same) {
                let _ = standard(located, None);
            }
        }
    }
}

/// Unreadable text is reported with its place, and the text after it is read.
#[test]
fn bad_input_has_place() {
    let crowd = format!("W:W{}:B1", (1..=500).map(|number| number.to_string()).collect::<Vec<_>>().join(","));
    let crowded = format!("[FEN \"{crowd}\"] 1. 32-28 *");
    let crowded_setup = format!("1. 32-28 /FEN \"{crowd}\"/ 19-23 *");
    for (text, place, part) in [
        ("[FEN \"W:W0:B1\"] 1. 32-28 *", "1:1", "no such square"),
        ("[FEN \"W:W73:B1\"] [GameType \"27\"] 1. 32-28 *", "1:1", "no such square"),
        ("[FEN \"W:W31,31:B1\"] 1. 32-28 *", "1:1", "twice"),
        ("[FEN \"W:W31:B31\"] 1. 32-28 *", "1:1", "twice"),
        ("[FEN \"W:WK1-21:B50\"] 1. 32-28 *", "1:1", "21 pieces"),
        ("[FEN \"W:W5:B50\"] 1. 5-10 *", "1:1", "crowning row"),
        ("[FEN \"no FEN\"] 1. 32-28 *", "1:1", "side to move"),
        (&crowded, "1:1", "longer than a FEN can be"),
        (&crowded_setup, "1:10", "longer than a FEN can be"),
        ("1. 32-28 /FEN \"W:W31,31:B1\"/ 19-23 *", "1:10", "twice"),
        ("1. 32-28 /FEN 19-23 *", "1:10", "not closed"),
        ("1. 32-28 \0\0 19-23 *", "1:10", "not PDN"),
        ("\n 1. 32-28 {x\0 19-23", "2:11", "not closed"),
        ("[White \"x\n\n1. 32-28 19-23 *", "1:1", "not closed"),
        ("1. 32-28 19-23 2. 73-0 *", "1:19", "squares that this board does not have"),
        ("1. 32-28 19-23 2. 0-0 *", "1:23", "without a game"),
    ] {
        let text = format!("{text} [Site \"x\"] 1. 31-26 *");
        let (games, mut problems) = reader::read_located(&text);
        problems
            .extend(games.iter().flat_map(|located| Replay::infer(located, Some(Variant::international())).problems));
        let fits =
            problems.iter().any(|problem| problem.location.to_string() == place && problem.to_string().contains(part));
        assert!(fits, "{text}: {problems:#?}");
        assert!(problems.iter().all(|problem| problem.to_string().len() < 2000), "{problems:#?}");
        // Only a comment without an end takes all the rest.
        let last = games.last().map(|located| moves(&located.game));
        assert!(last == Some(vec!["31-26"]) || text.contains('{'), "{text}: {games:?}");
    }
}

#[test]
fn million_parentheses() {
    for text in ["(".repeat(1_000_000), ")".repeat(1_000_000), "32-28 (".repeat(200_000) + &")".repeat(200_000)] {
        let (games, problems) = reader::read_located(&text);
        assert!(games.len() <= 1);
        assert!(problems.len() <= draughts_pdn::problem::Problems::MAX_COUNT);
        for located in &games {
            let _ = Replay::infer(located, None);
            let game = standard(located, None).0;
            let _ = writer::write(&[game], Style::Compact);
        }
        let _ = strict::check(&text, None);
    }
}

#[test]
fn endless_line_needs_no_memory_and_loses_no_game() {
    for (open, filler, close) in [
        ("{", "x", "}"),
        ("", "9", ""),
        ("[Event \"", "x", "\"]\n"),
        ("%", "x", "\n"),
        ("/FEN \"", "1", ""),
        ("", "\0", ""),
        ("", " ", ""),
    ] {
        let mut reader = Reader::new(Encoding::Detect);
        let mut games = reader.feed(b"1. 32-28 *\n");
        reader.feed(open.as_bytes());
        let piece = filler.repeat(64 * 1024);
        for _ in 0..64 {
            games.append(&mut reader.feed(piece.as_bytes()));
        }
        reader.feed(close.as_bytes());
        games.append(&mut reader.feed(b" [Site \"x\"] 1. 31-26 *"));
        games.append(&mut reader.finish());
        let last = games.last().map(|located| moves(&located.game));
        assert_eq!((moves(&games[0].game), last), (vec!["32-28"], Some(vec!["31-26"])), "{open}{filler}");
        assert!(!reader.take_problems().list().is_empty() || filler == " ", "{open}{filler}");
    }
}
