//! The PDN files at large: what each holds, and what is wrong with it.
//!
//! The files are not part of this repository (several have no licence). `DAMCAST_CORPUS` names the folder that holds
//! `pdn/suite` and `pdn/wild`; without it these tests say so and pass.

use std::path::{Path, PathBuf};

use damcast::pdn::encoding::Encoding;
use damcast::pdn::problem::{Level, Problem};
use damcast::pdn::reader::{self, Located};
use damcast::pdn::replay::Replay;

/// The files below a folder of the corpus, by name; `None` if there is no corpus.
fn files(folder: &str) -> Option<Vec<PathBuf>> {
    let Some(corpus) = std::env::var_os("DAMCAST_CORPUS") else {
        eprintln!("DAMCAST_CORPUS is not set: the PDN files at large are not tested");
        return None;
    };
    let folder = Path::new(&corpus).join("pdn").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    Some(files)
}

fn read(path: &Path) -> (Vec<Located>, Vec<Problem>) {
    reader::read_bytes(&std::fs::read(path).unwrap(), Encoding::Detect)
}

#[test]
#[ignore]
fn overview() {
    for folder in ["suite/succeed", "suite/fail", "suite/8bit", "wild"] {
        for path in files(folder).unwrap_or_default() {
            let (games, problems) = read(&path);
            let plies: usize = games.iter().map(|located| located.game.moves().count()).sum();
            println!("== {} games {} plies {plies}", path.display(), games.len());
            for problem in &problems {
                println!("   {problem}");
            }
            let all: Vec<&Located> =
                games.iter().filter(|located| located.game.tags.get("GameType").is_none()).take(30).collect();
            let told = (!all.is_empty()).then(|| damcast::pdn::infer::from_moves(&all, None));
            if let Some(told) = told {
                println!("   inferred {}", told.name);
            }
            for (index, located) in games.iter().enumerate() {
                let replay = Replay::of(located, told);
                for problem in &replay.problems {
                    println!("   game {} {}: {problem}", index + 1, replay.variant.game_type);
                }
                let _ = Level::Error;
            }
        }
    }
}

#[test]
#[ignore]
fn strict_overview() {
    for folder in ["suite/succeed", "suite/fail", "wild"] {
        for path in files(folder).unwrap_or_default() {
            let (games, _) = read(&path);
            let untagged: Vec<&Located> =
                games.iter().filter(|located| located.game.tags.get("GameType").is_none()).take(30).collect();
            let told = (!untagged.is_empty()).then(|| damcast::pdn::infer::from_moves(&untagged, None));
            println!("== {}", path.display());
            let mut written = Vec::new();
            for located in &games {
                let (game, problems) = damcast::pdn::standard::standard(located, told);
                written.push(game);
                for problem in problems {
                    println!("   std {problem}");
                }
            }
            for style in [damcast::pdn::writer::Style::Compact, damcast::pdn::writer::Style::Live] {
                let text = damcast::pdn::writer::write(&written, style);
                let problems = damcast::pdn::strict::check(&text, None);
                for problem in problems.iter().take(20) {
                    println!("   OUT {problem}   {}", text.lines().nth(problem.place.line as usize - 1).unwrap_or(""));
                }
                let again = reader::read(&text);
                assert!(again.1.is_empty(), "{:?}", again.1);
                for (a, b) in again.0.iter().zip(&written) {
                    assert_eq!(a, b, "{text}");
                }
                assert_eq!(again.0.len(), written.len());
            }
            let problems = damcast::pdn::strict::check_bytes(&std::fs::read(&path).unwrap(), None);
            for problem in problems.iter() {
                println!("   in {problem}");
            }
        }
    }
}
