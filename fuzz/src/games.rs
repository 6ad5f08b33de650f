//! Fuzz targets for files of games.

use draughts::Variant;
use draughts_pdn::encoding::{self, Encoding};
use draughts_pdn::game::{Entry, Game, Termination};
use draughts_pdn::problem::{Level, Problem, Problems};
use draughts_pdn::profile::{self, ReaderProfile};
use draughts_pdn::reader::{self, LocatedGame, Reader};
use draughts_pdn::replay::Replay;
use draughts_pdn::standard::standard;
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{infer, pdn2, renumber, strict};

use super::pieces;

/// Maximum length of a text that is checked by the rules; checking longer ones takes time and finds no more.
const MAX_CHECKED_LEN: usize = 1024;

/// Reads a file, whole and in pieces.
pub fn reader(data: &[u8]) {
    let (games, problems) = reader::read_bytes(data, Encoding::Detect);
    assert!(problems.len() <= Problems::MAX_COUNT);

    let mut cut = Reader::new(Encoding::Detect);
    let mut found: Vec<LocatedGame> = pieces(data).flat_map(|piece| cut.feed(piece)).collect();
    found.append(&mut cut.finish());
    assert_eq!(found, games, "however bytes are cut into reads");
    assert_eq!(cut.take_problems().into_sorted().len(), problems.len());

    let (text, _) = encoding::decode(data, Encoding::Detect);
    // A second byte order mark is a character of the file, but would be the mark of the text.
    if !text.starts_with('\u{feff}') {
        assert_eq!(reader::read_located(&text).0, games);
    }
    let lines: Vec<u64> = line_lengths(&text);
    for located in &games {
        check_shape(located);
        let places = located.locations.tags.iter().chain(&located.locations.entries).chain(&located.locations.end);
        for place in places {
            let length = lines.get(place.line as usize - 1).copied().unwrap_or(0);
            assert!((1..=length + 1).contains(&place.column), "{place} is not in the text");
        }
    }
    for problem in &problems {
        assert!(problem.location.line as usize <= lines.len() && !problem.message.contains('\n'), "{problem}");
    }
    for encoding in [Encoding::Utf8, Encoding::Latin1, Encoding::Windows1251, Encoding::Dos866] {
        let _ = reader::read_bytes(data, encoding);
    }
}

/// Returns the number of characters of each line; CR, LF and CR LF each end one.
fn line_lengths(text: &str) -> Vec<u64> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.split('\n').map(|line| line.chars().count() as u64).collect()
}

fn check_shape(located: &LocatedGame) {
    let LocatedGame { game, locations: places } = located;
    assert_eq!((game.tags.len(), game.entries.len()), (places.tags.len(), places.entries.len()));
    let mut depth = 0_usize;
    for entry in &game.entries {
        match entry {
            Entry::Open => depth += 1,
            Entry::Close => depth = depth.checked_sub(1).expect("no variation ends that did not begin"),
            Entry::Comment(text) => assert!(!text.contains(['\n', '\r']), "{text:?}"),
            _ => {}
        }
    }
    assert_eq!(depth, 0);
}

/// Reads, plays, checks, writes and rereads a file.
pub fn pdn(data: &[u8]) {
    let data = &data[..data.len().min(MAX_CHECKED_LEN)];
    let (games, _) = reader::read_bytes(data, Encoding::Detect);
    let stated_variant = known_variant(&games);
    for located in &games {
        let _ = Replay::infer(located, stated_variant);
    }
    for profile in ReaderProfile::ALL {
        let _ = profile::check(profile, data, None);
    }
    let games: Vec<Game> = games.iter().map(|located| standard(located, stated_variant).0).collect();
    for style in [Style::Compact, Style::Live] {
        let text = writer::write(&games, style);
        // The writer keeps an unknown game type and illegal moves.
        let is_of_its_making = |problem: &Problem| !problem.message.contains("GameType");
        let found: Vec<Problem> = strict::check_form(&text, None).into_iter().filter(is_of_its_making).collect();
        assert_eq!(found, [], "\n{text}");
        let (reread, problems) = reader::read_located(&text);
        assert_eq!(problems, [], "\n{text}");
        let again_games: Vec<Game> = reread.iter().map(|located| located.game.clone()).collect();
        assert_eq!(writer::write(&again_games, style), text, "what was written is written the same");
        let stated_variant = self::known_variant(&reread);
        let standard: Vec<Game> = reread.iter().map(|located| standard(located, stated_variant).0).collect();
        assert_eq!(writer::write(&standard, style), text, "the standard's form is its own");
    }
    for game in &games {
        let _ = renumber::renumber(game, Variant::international());
    }
    check_pdn2(&games);
}

/// Infers the variant of the games without a GameType tag.
fn known_variant(games: &[LocatedGame]) -> Option<&'static Variant> {
    let untagged = games.iter().filter(|located| located.game.tags.get("GameType").is_none());
    let sample: Vec<&LocatedGame> = untagged.take(infer::SAMPLE).collect();
    (!sample.is_empty()).then(|| infer::infer_from_moves(&sample, None))
}

/// Checks that PDN 2.0 can be read back: as many games, the same moves, results at the ends.
fn check_pdn2(games: &[Game]) {
    let has_setup = |game: &&Game| game.entries.iter().any(|entry| matches!(entry, Entry::Setup(_)));
    let written: Vec<&Game> = games.iter().filter(|game| !has_setup(game)).collect();
    let (bytes, _) = pdn2::write(games);
    let (reread, problems) = reader::read_bytes(&bytes, Encoding::Latin1);
    let is_error = |problem: &&Problem| problem.level == Level::Error;
    let text = || encoding::decode(&bytes, Encoding::Latin1).0;
    assert_eq!(problems.iter().find(is_error), None, "\n{}", text());
    assert_eq!(reread.len(), written.len(), "\n{}", text());
    for (LocatedGame { game, .. }, written) in reread.iter().zip(written) {
        let moves = |game: &Game| game.moves().map(|ply| ply.text.replace(':', "x")).collect::<Vec<_>>();
        assert_eq!(moves(game), moves(written), "\n{}", text());
        assert!(game.end != Termination::Open, "\n{}", text());
    }
}
