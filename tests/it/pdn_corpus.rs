//! The PDN files at large: what each holds, and what is wrong with it.
//!
//! The files are not part of this repository (several have no licence). `DAMCAST_CORPUS` names the folder that holds
//! `pdn/suite` and `pdn/wild`; without it these tests say so and pass. The lists in `tests/data/pdn` hold what was found in
//! them and checked by eye; `DAMCAST_BLESS=1` writes them anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use damcast::pdn::encoding::Encoding;
use damcast::pdn::game::Game;
use damcast::pdn::problem::{Level, Problem};
use damcast::pdn::reader::{self, Located};
use damcast::pdn::replay::Replay;
use damcast::pdn::standard::standard;
use damcast::pdn::writer::{self, Style};
use damcast::pdn::{infer, strict};
use damcast::rules::Variant;

/// A folder of the corpus; `None` if there is no corpus.
fn folder(name: &str) -> Option<PathBuf> {
    let Some(corpus) = std::env::var_os("DAMCAST_CORPUS") else {
        eprintln!("DAMCAST_CORPUS is not set: the PDN files at large are not tested");
        return None;
    };
    Some(Path::new(&corpus).join("pdn").join(name))
}

/// The files of folders of the corpus, by name.
fn files(folders: &[&str]) -> Vec<PathBuf> {
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

fn read(path: &Path, encoding: Encoding) -> (Vec<Located>, Vec<Problem>) {
    reader::read_bytes(&std::fs::read(path).unwrap(), encoding)
}

/// The variant of the games that do not tell it.
fn told(games: &[Located]) -> Option<&'static Variant> {
    let untagged = games.iter().filter(|located| located.game.tags.get("GameType").is_none());
    let sample: Vec<&Located> = untagged.take(infer::SAMPLE).collect();
    (!sample.is_empty()).then(|| infer::from_moves(&sample, None))
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

/// How many games, moves of main lines, moves that could be played, and which game it is.
#[test]
fn every_file_has_the_games_that_are_there() {
    let files = files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]);
    let mut list = String::new();
    for path in &files {
        let (games, _) = read(path, Encoding::Detect);
        let told = told(&games);
        let replays: Vec<Replay> = games.iter().map(|located| Replay::of(located, told)).collect();
        let plies: usize = games.iter().map(|located| located.game.moves().count()).sum();
        let played: usize = replays.iter().map(|replay| replay.moves().count()).sum();
        let mut variants: Vec<String> = replays.iter().map(|replay| replay.variant.game_type.to_string()).collect();
        variants.sort();
        variants.dedup();
        let (count, variants) = (games.len(), variants.join(" "));
        writeln!(list, "{}: {count} games, {plies} moves, {played} played, {variants}", name(path)).unwrap();
    }
    if !files.is_empty() {
        matches_list("corpus-games.txt", &list);
    }
}

/// Every problem of every file but the notes, of reading and of playing.
#[test]
fn every_file_has_the_problems_that_were_seen_by_eye() {
    let files = files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]);
    let mut list = String::new();
    for path in &files {
        let (games, mut problems) = read(path, Encoding::Detect);
        let told = told(&games);
        problems.extend(games.iter().flat_map(|located| Replay::of(located, told).problems));
        problems.sort_by_key(|problem| problem.place);
        // One program wrote "\n" for its line breaks, sixty times.
        let mut before = String::new();
        for problem in problems.iter().filter(|problem| problem.level > Level::Note) {
            // The FEN of a position is the place of a move; the list tells the number instead.
            let hint = problem.hint.as_deref().unwrap_or("").split(" in ").next().unwrap_or("");
            let hint = if hint.contains(":W") { "" } else { hint };
            if problem.what != before || problem.level == Level::Error {
                writeln!(list, "{}:{}: {}: {} ({hint})", name(path), problem.place, problem.level, problem.what)
                    .unwrap();
            }
            before.clone_from(&problem.what);
        }
    }
    if !files.is_empty() {
        matches_list("corpus-problems.txt", &list);
    }
}

#[test]
fn the_suite_that_succeeds_is_read_without_an_error() {
    for path in files(&["suite/succeed"]) {
        let (_, problems) = read(&path, Encoding::Detect);
        assert!(!reader::any_at_least(&problems, Level::Error), "{}: {problems:?}", path.display());
    }
}

/// Each with the place and the reason why the standard's own test suite has it among the failures.
#[test]
fn the_suite_that_fails_is_refused_for_the_right_reason() {
    for (file, place, reason) in [
        // A game without a terminator.
        ("40Camp.DamaInternazionaleAssoluto.pdn", "228:1", "a tag behind movetext"),
        // `8-3 . 1-0`
        ("Cat.A1.pdn", "405:36", "`.` is not PDN"),
        // `6.` and nothing behind it.
        ("Cat.C1.pdn", "579:75", "a move number without a move"),
        // `1. - - 2. - -`
        ("abatsiev.pdn", "595:4", "an unknown move"),
        ("delfts.pdn", "15:12", "restriction 5"),
        ("delfts.pdn", "5:1", "no result"),
        // `1. 0-2`
        ("mrdrcd07.pdn", "198:1", "a move number without a move"),
        ("mrdrcd08.pdn", "499:1", "a move number without a move"),
        ("nested_comment.pdn", "1:46", "`}` is not PDN"),
    ] {
        let Some(folder) = folder("suite/fail") else { return };
        let problems = strict::check_bytes(&std::fs::read(folder.join(file)).unwrap(), None);
        let fits = |problem: &Problem| problem.place.to_string() == place && problem.to_string().contains(reason);
        assert!(problems.iter().any(|problem| problem.level == Level::Error && fits(problem)), "{file}: {problems:#?}");
    }
}

/// The old files in the code pages of their time, and what became of them in UTF-8.
#[test]
fn old_code_pages_give_the_same_games() {
    for (file, encoding, twin) in [
        ("40Camp.DamaInternazionaleAssoluto", Encoding::Detect, "fail"),
        ("Campionato Assoluto 2005", Encoding::Latin1, "succeed"),
        ("nk2003-amsterdam", Encoding::Windows1252, "succeed"),
        ("abatsiev", Encoding::Windows1251, "fail"),
        // A third of the games of its twin.
        ("ussr1947", Encoding::Dos866, "succeed"),
    ] {
        let Some(suite) = folder("suite") else { return };
        let (old, _) = read(&suite.join("8bit").join(format!("{file}.old8bit.pdn")), encoding);
        let (new, _) = read(&suite.join(twin).join(format!("{file}.pdn")), Encoding::Utf8);
        let games = |located: Vec<Located>| located.into_iter().map(|located| located.game).collect::<Vec<Game>>();
        let (old, mut new) = (games(old), games(new));
        if file == "ussr1947" {
            assert_eq!((old.len(), new.len()), (54, 153));
            new.truncate(old.len());
        }
        assert!(old == new, "{file}");
    }
}

/// Every game of the suite can be played to its end, but for those that are wrong.
#[test]
fn every_real_game_is_played_to_its_end() {
    let wrong = [
        // The last move, 3x26, means two moves, and nothing follows.
        ("succeed/Campionato Assoluto 2005.pdn", 46),
        // A stray move behind the last terminator.
        ("fail/Cat.C1.pdn", 46),
        // Fifty unknown moves.
        ("fail/abatsiev.pdn", 36),
    ];
    for path in files(&["suite/succeed", "suite/fail"]) {
        let (games, _) = read(&path, Encoding::Detect);
        let told = told(&games);
        for (index, located) in games.iter().enumerate().filter(|(_, located)| located.game.moves().next().is_some()) {
            let replay = Replay::of(located, told);
            let is_known = wrong.contains(&(name(&path).as_str(), index + 1));
            assert_eq!(replay.is_complete, !is_known, "{} game {}: {:?}", path.display(), index + 1, replay.problems);
        }
    }
}

#[test]
fn whatever_was_read_is_written_strictly_and_read_again() {
    for path in files(&["suite/succeed", "suite/fail", "wild"]) {
        let (games, _) = read(&path, Encoding::Detect);
        let told = told(&games);
        let games: Vec<Game> = games.iter().map(|located| standard(located, told).0).collect();
        for style in [Style::Compact, Style::Live] {
            let text = writer::write(&games, style);
            assert_eq!(strict::check(&text, None), [], "{}", path.display());
            let (again, problems) = reader::read(&text);
            assert_eq!(problems, [], "{}", path.display());
            assert!(again == games, "{}", path.display());
            assert_eq!(writer::write(&again, style), text, "{}", path.display());
        }
    }
}
