//! Public PDN files: the content of each, and its problems.
//!
//! The files are not part of this repository (several have no licence). `DAMCAST_CORPUS` names the folder that holds `pdn/suite` and
//! `pdn/wild`; without it these tests print that and pass. The lists in `tests/data/pdn` hold the results, checked by eye;
//! `DAMCAST_BLESS=1` writes them anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use draughts::Variant;
use draughts_pdn::encoding::{self, Encoding};
use draughts_pdn::game::{Entry, Game, Termination};
use draughts_pdn::problem::{Level, Problem};
use draughts_pdn::reader::{self, LocatedGame};
use draughts_pdn::replay::Replay;
use draughts_pdn::standard::standard;
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{infer, pdn2, strict};

/// Returns a folder of the corpus; `None` without a corpus.
fn folder(name: &str) -> Option<PathBuf> {
    let Some(corpus) = std::env::var_os("DAMCAST_CORPUS") else {
        eprintln!("DAMCAST_CORPUS is not set: the PDN files at large are not tested");
        return None;
    };
    Some(Path::new(&corpus).join("pdn").join(name))
}

/// Returns the files in folders of the corpus, by name.
pub(crate) fn files(folders: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in folders.iter().filter_map(|name| folder(name)) {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert!(!found.is_empty());
        found.sort();
        files.append(&mut found);
    }
    files
}

fn name(path: &Path) -> String {
    let parts: Vec<String> = path.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned()).collect();
    format!("{}/{}", parts[1], parts[0])
}

fn read(path: &Path, encoding: Encoding) -> (Vec<LocatedGame>, Vec<Problem>) {
    reader::read_bytes(&std::fs::read(path).unwrap(), encoding)
}

/// Returns the variant of games without a GameType.
fn variant_for(games: &[LocatedGame]) -> Option<&'static Variant> {
    let untagged = games.iter().filter(|located| located.game.tags.get("GameType").is_none());
    let sample: Vec<&LocatedGame> = untagged.take(infer::SAMPLE).collect();
    (!sample.is_empty()).then(|| infer::infer_from_moves(&sample, None))
}

/// Compares with a list that was checked by hand.
fn matches_list(list: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pdn").join(list);
    if std::env::var_os("DAMCAST_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (line, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{list}, line {}", line + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{list}");
}

/// Counts the games with a plain splitter: each starts with lines that begin with a bracket.
fn plain_split(text: &str) -> usize {
    let mut in_tags = false;
    let is_start = |line: &&str| !std::mem::replace(&mut in_tags, line.starts_with('[')) && line.starts_with('[');
    text.lines().filter(is_start).count()
}

/// Files in which the plain splitter finds another number of games, with the reason.
const SPLIT_DIFFERENTLY: [(&str, &str); 8] = [
    ("succeed/alphanumeric.pdn", "a game without tags"),
    ("succeed/gameterminator.pdn", "a game without tags"),
    ("succeed/movestrength.pdn", "a game without tags"),
    ("succeed/variation.pdn", "a game without tags"),
    ("fail/nested_comment.pdn", "a game without tags"),
    ("fail/Cat.C1.pdn", "a move and a result behind the last game"),
    ("wild/11_man_english_fen_only.pdn", "each game is one line, a tag and its terminator"),
    ("wild/py-draughts_frisian.pdn", "three games without tags"),
];

/// Counts games, moves of main lines and playable moves, and names the game type.
#[test]
fn every_file_has_expected_games() {
    let files = files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]);
    let mut list = String::new();
    for path in &files {
        let (games, _) = read(path, Encoding::Detect);
        let known_variant = variant_for(&games);
        let replays: Vec<Replay> = games.iter().map(|located| Replay::infer(located, known_variant)).collect();
        let plies: usize = games.iter().map(|located| located.game.moves().count()).sum();
        let played: usize = replays.iter().map(|replay| replay.moves().count()).sum();
        let mut variants: Vec<String> = replays.iter().map(|replay| replay.variant.game_type.to_string()).collect();
        variants.sort();
        variants.dedup();
        let (name, count, variants) = (name(path), games.len(), variants.join(" "));
        let (text, _) = encoding::decode(&std::fs::read(path).unwrap(), Encoding::Detect);
        let plain = plain_split(&text);
        let why = SPLIT_DIFFERENTLY.iter().find(|(file, _)| *file == name).map(|(_, why)| why);
        assert_eq!(why.is_some(), plain != count, "{name}: {count} games, the plain splitter finds {plain}");
        let why = why.map_or(String::new(), |why| format!(" (plainly split {plain}: {why})"));
        writeln!(list, "{name}: {count} games{why}, {plies} moves, {played} played, {variants}").unwrap();
    }
    if !files.is_empty() {
        matches_list("corpus-games.txt", &list);
    }
}

/// Every problem of every file, in reading and in playing; for the suites without the notes.
#[test]
fn every_file_has_expected_problems() {
    let files = files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]);
    let mut list = String::new();
    for path in &files {
        let (games, mut problems) = read(path, Encoding::Detect);
        let known_variant = variant_for(&games);
        problems.extend(games.iter().flat_map(|located| Replay::infer(located, known_variant).problems));
        problems.sort_by_key(|problem| problem.location);
        let (text, _) = encoding::decode(&std::fs::read(path).unwrap(), Encoding::Detect);
        for problem in &problems {
            quotes_its_location(&text, problem);
        }
        // The suites have hundreds of notes of few kinds; all other problems were checked by eye.
        let least = if name(path).starts_with("wild/") { Level::Note } else { Level::Warning };
        for problem in problems.iter().filter(|problem| problem.level >= least) {
            // The hint names a move with the FEN of its position; the list leaves the FEN out.
            let hint = problem.hint.as_deref().unwrap_or("").split(" in ").next().unwrap_or("");
            let hint = if hint.contains(":W") { "" } else { hint };
            writeln!(list, "{}:{}: {}: {} ({hint})", name(path), problem.location, problem.level, problem.message)
                .unwrap();
        }
    }
    if !files.is_empty() {
        matches_list("corpus-problems.txt", &list);
    }
}

/// Asserts that a message with a leading quotation quotes the text at its place, except for blanks.
fn quotes_its_location(text: &str, problem: &Problem) {
    let Some((quoted, _)) = problem.message.strip_prefix('`').and_then(|rest| rest.split_once('`')) else { return };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let line = text.split('\n').nth(problem.location.line as usize - 1).unwrap();
    let there: String =
        line.chars().skip(problem.location.column as usize - 1).filter(|c| !c.is_whitespace()).collect();
    let quoted: String = quoted.trim_end_matches("...").chars().filter(|c| !c.is_whitespace()).collect();
    assert!(there.starts_with(&quoted), "{problem}: there stands {there:.20}");
}

#[test]
fn valid_suite_is_read_and_played_without_error() {
    for path in files(&["suite/succeed"]) {
        let (games, mut problems) = read(&path, Encoding::Detect);
        let known_variant = variant_for(&games);
        problems.extend(games.iter().flat_map(|located| Replay::infer(located, known_variant).problems));
        assert!(!reader::any_at_least(&problems, Level::Error), "{}: {problems:?}", path.display());
    }
}

/// Each entry has the place and the reason of the failure in the standard's own test suite, checked by eye. Most files break smaller rules
/// in other places as well.
#[test]
fn invalid_suite_is_refused_for_right_reason() {
    let files = files(&["suite/fail"]);
    let reasons = [
        // One move, an empty line, and the next game without a terminator.
        ("fail/40Camp.DamaInternazionaleAssoluto.pdn", "228:1", "a tag behind movetext (games are separated by *)"),
        // `8-3 . 1-0`
        ("fail/Cat.A1.pdn", "405:36", "`.` is not PDN (a dot stands behind a number only)"),
        // `48x31 6.` and the next game.
        ("fail/Cat.C1.pdn", "579:75", "a move number without a move"),
        // `1. - - 2. - -`
        ("fail/abatsiev.pdn", "595:4", "an unknown move"),
        // `13-19 4-6` and the next game: 4-6 is a move, and the game has no terminator.
        ("fail/delfts.pdn", "28:1", "a tag behind movetext (games are separated by *)"),
        // `1. 0-2`
        ("fail/mrdrcd07.pdn", "198:1", "a move number without a move"),
        // `1. 1-0`
        ("fail/mrdrcd08.pdn", "499:1", "a move number without a move"),
        // `{ nested { comment } }`
        ("fail/nested_comment.pdn", "1:46", "`}` is not PDN (comments do not nest"),
    ];
    for path in &files {
        let (_, place, reason) = reasons.iter().find(|(file, ..)| *file == name(path)).unwrap();
        let problems = strict::check_bytes(&std::fs::read(path).unwrap(), None);
        let fits = |problem: &&Problem| {
            problem.location.to_string() == *place
                && problem.level == Level::Error
                && problem.to_string().contains(reason)
        };
        let found = problems.iter().find(fits).unwrap_or_else(|| panic!("{}: {problems:#?}", path.display()));
        // A reader that stops at the first violation of the reading grammar stops here: all problems before it are results, captures in
        // full, dots, zeros, values of tags.
        let is_of_the_reading_grammar = |problem: &&Problem| {
            let text = &problem.message;
            !(text.starts_with("the result ")
                || text.contains("should be written")
                || text.contains("leading zero")
                || text.contains(" is no value of the tag ")
                || text.contains(" is no result of ")
                || text == "an ellipsis"
                || text.starts_with("the FEN "))
        };
        let first = problems.iter().find(is_of_the_reading_grammar).unwrap();
        assert_eq!(first, found, "{}", path.display());
    }
    assert!(files.is_empty() || files.len() == reasons.len());
}

/// Old files in their original code pages, and their versions in UTF-8.
#[test]
fn old_code_pages_give_equal_games() {
    for (file, encoding, twin) in [
        ("40Camp.DamaInternazionaleAssoluto", Encoding::Detect, "fail"),
        ("Campionato Assoluto 2005", Encoding::Latin1, "succeed"),
        ("nk2003-amsterdam", Encoding::Windows1252, "succeed"),
        ("abatsiev", Encoding::Windows1251, "fail"),
        // A third of the games of its counterpart.
        ("ussr1947", Encoding::Dos866, "succeed"),
    ] {
        let Some(suite) = folder("suite") else { return };
        let (old, _) = read(&suite.join("8bit").join(format!("{file}.old8bit.pdn")), encoding);
        let (new, _) = read(&suite.join(twin).join(format!("{file}.pdn")), Encoding::Utf8);
        let games = |located: Vec<LocatedGame>| located.into_iter().map(|located| located.game).collect::<Vec<Game>>();
        let (old, mut new) = (games(old), games(new));
        if file == "ussr1947" {
            assert_eq!((old.len(), new.len()), (54, 153));
            new.truncate(old.len());
        }
        assert!(old == new, "{file}");
    }
}

/// Every game of all files plays to its end, except for a list with the reason for each.
#[test]
fn every_game_plays_to_end_or_has_known_reason() {
    let files = files(&["suite/succeed", "suite/fail", "wild"]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pdn/corpus-unplayed.txt");
    let known = std::fs::read_to_string(&path).unwrap();
    let reason =
        |found: &str| known.lines().filter_map(|line| line.split_once(" | ")).find(|(known, _)| *known == found);
    let mut list = String::new();
    for path in &files {
        let (games, _) = read(path, Encoding::Detect);
        let known_variant = variant_for(&games);
        for (index, located) in games.iter().enumerate() {
            let replay = Replay::infer(located, known_variant);
            if replay.is_complete || located.game.moves().next().is_none() {
                continue;
            }
            let is_error = |problem: &&Problem| problem.level == Level::Error;
            let is_ambiguous = |problem: &&Problem| problem.message.contains("is ambiguous: ");
            let problems = &replay.problems;
            let first = problems.iter().find(is_error).or_else(|| problems.iter().find(is_ambiguous));
            let text = first
                .map_or("unknown moves".to_owned(), |problem| format!("{}: {}", problem.location, problem.message));
            let (played, moves) = (replay.moves().count(), located.game.moves().count());
            let found = format!("{} game {}: {played} of {moves} moves, {text}", name(path), index + 1);
            let why = reason(&found).map_or("?", |(_, why)| why);
            writeln!(list, "{found} | {why}").unwrap();
        }
    }
    if !files.is_empty() {
        matches_list("corpus-unplayed.txt", &list);
        assert!(!list.contains("| ?"), "{list}");
    }
}

/// Returns the code page of a file.
fn code_page(name: &str) -> Encoding {
    match name {
        "8bit/abatsiev.old8bit.pdn" => Encoding::Windows1251,
        "8bit/ussr1947.old8bit.pdn" => Encoding::Dos866,
        _ => Encoding::Detect,
    }
}

#[test]
fn read_games_are_written_strictly_and_read_again() {
    for path in files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]) {
        let (games, _) = read(&path, code_page(&name(&path)));
        let known_variant = variant_for(&games);
        let games: Vec<Game> = games.iter().map(|located| standard(located, known_variant).0).collect();
        for style in [Style::Compact, Style::Live] {
            let text = writer::write(&games, style);
            assert_eq!(strict::check_form(&text, None), [], "{}", path.display());
            let (again, problems) = reader::read(&text);
            assert_eq!(problems, [], "{}", path.display());
            assert!(again == games, "{}", path.display());
            assert_eq!(writer::write(&again, style), text, "{}", path.display());
        }
        as_pdn2_gives_the_same_moves(&games, &path);
    }
}

/// Asserts that PDN 2.0 output has the same moves by its own reading: ISO-8859-1, CR LF, 80 columns; games without setups, each with its
/// moves and its result.
fn as_pdn2_gives_the_same_moves(games: &[Game], path: &Path) {
    let has_setup = |game: &Game| game.entries.iter().any(|entry| matches!(entry, Entry::Setup(_)));
    let expected_games: Vec<&Game> = games.iter().filter(|game| !has_setup(game)).collect();
    let (bytes, _) = pdn2::write(games);
    let text = encoding::decode(&bytes, Encoding::Latin1).0;
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    for line in text.lines().filter(|line| line.contains(' ') && !line.starts_with('[')) {
        assert!(line.chars().count() <= 80, "{}: {line}", path.display());
    }
    let (again, problems) = reader::read(&text);
    assert_eq!(problems, [], "{}", path.display());
    assert_eq!(again.len(), expected_games.len(), "{}", path.display());
    for (again, game) in again.iter().zip(expected_games) {
        let moves = |game: &Game| game.moves().map(|ply| ply.text.replace(':', "x")).collect::<Vec<_>>();
        assert_eq!(moves(again), moves(game), "{}", path.display());
        let tag = again.tags.get("Result");
        let end = if let Termination::Result(end) = &again.end { end } else { "*" };
        assert_eq!(tag, Some(end), "{}", path.display());
        assert!(again.outcome() == game.outcome() || end == "*", "{}", path.display());
    }
}
