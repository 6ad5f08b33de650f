//! `damcast replay` as a person sees it: the games on standard output, everything else in clear words beside them.

use std::path::{Path, PathBuf};

use crate::program::{Run, run};

/// A folder with these files in it.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let paths = files.iter().map(write).collect();
    (folder, paths)
}

fn replay(logs: &[PathBuf], flags: &[&str]) -> Run {
    let logs = logs.iter().map(|path| path.to_str().unwrap());
    run(&["replay"].into_iter().chain(flags.iter().copied()).chain(logs).collect::<Vec<_>>())
}

const HEAD: &str = "# damcast byte log 1\n# line: a\n# opened: 2026-11-21T09:30:00.000+01:00\n# game-type: 20\n";

#[test]
fn a_log_without_a_game_prints_nothing() {
    let (_folder, logs) = folder(&[("a-1.log", &format!("{HEAD}0 = up\n5 < ff00ff\n9 = down\n"))]);
    let run = replay(&logs, &[]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

#[test]
fn a_torn_end_is_reported_and_no_failure() {
    let (_folder, logs) = folder(&[("a-1.log", &format!("{HEAD}0 = up\n5 < ff0"))]);
    let run = replay(&logs, &[]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("a-1.log: line 6: the log ends in the middle of a line"), "{}", run.err);
}

#[test]
fn damage_is_named_with_file_line_and_column() {
    let (_folder, logs) = folder(&[("a-1.log", &format!("{HEAD}0 = up\n5 < fx\n9 = down\n"))]);
    let run = replay(&logs, &[]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("a-1.log: line 6, column 6: 'x' is no hexadecimal digit"), "{}", run.err);
}

#[test]
fn what_cannot_be_played_says_why() {
    let other_line = HEAD.replace("line: a", "line: b");
    let no_opening = "# game-type: 20\n0 = up\n";
    for (files, flags, code, message) in [
        (vec![("a.log", HEAD)], vec!["--game-type", "99"], 1, "game type 99 is not"),
        (vec![("a.log", "# game-type: 99\n")], vec![], 1, "game type 99 is not"),
        (vec![("a.log", "# set-codes: wood\n")], vec![], 1, "codes = wood"),
        (vec![("a.log", "# mode: bus\n")], vec![], 2, "not built yet"),
        (vec![("a.log", HEAD)], vec!["--mode", "bus"], 2, "not built yet"),
        (vec![("a.log", HEAD)], vec!["--profile", "lidraughts"], 2, "not built yet"),
        (vec![("a.log", HEAD), ("b.log", no_opening)], vec![], 1, "b.log: a log without \"# opened:\""),
        (vec![("a.log", HEAD), ("b.log", &other_line)], vec![], 1, "one line at a time"),
    ] {
        let (_folder, logs) = folder(&files);
        let run = replay(&logs, &flags);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{files:?} {flags:?}: {}", run.err);
        assert!(run.err.contains(message), "{files:?} {flags:?}: {}", run.err);
    }
}

#[test]
fn files_that_are_none_say_so() {
    assert!(replay(&[Path::new("/nowhere/a.log").into()], &[]).err.contains("/nowhere/a.log: No such file"));
    assert!(replay(&[Path::new("-").into()], &[]).err.contains("not standard input"));
    assert_eq!(run(&["replay"]).code, 2);
}

#[test]
fn a_log_that_goes_on_from_one_that_is_missing_says_so() {
    let (_folder, logs) = folder(&[("a-2.log", &format!("{HEAD}# continues: yes\n# games-before: 3\n0 = up\n"))]);
    let run = replay(&logs, &[]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("a-2.log: goes on from an earlier log, which was not given"), "{}", run.err);
}
