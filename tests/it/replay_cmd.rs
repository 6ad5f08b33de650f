//! `damcast replay` from the command line: the games on standard output, everything else in clear words on standard error.

use std::path::{Path, PathBuf};

use crate::program::{Run, assert_contains, run};

/// Creates a folder with these files.
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

const HEADER: &str = "# damcast byte log 1\n# line: a\n# opened: 2026-11-21T09:30:00.000+01:00\n# game-type: 20\n";

#[test]
fn log_without_game_prints_nothing() {
    let (_folder, logs) = folder(&[("a-1.log", &format!("{HEADER}0 = up\n5 < ff00ff\n9 = down\n"))]);
    let run = replay(&logs, &[]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
}

#[test]
fn torn_end_is_reported_without_failure() {
    let (_folder, logs) = folder(&[("a-1.log", &format!("{HEADER}0 = up\n5 < ff0"))]);
    let run = replay(&logs, &[]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("a-1.log: line 6: the log ends in the middle of a line"), "{}", run.err);
}

#[test]
fn damage_is_named_with_file_line_and_column() {
    let (_folder, logs) = folder(&[("a-1.log", &format!("{HEADER}0 = up\n5 < fx\n9 = down\n"))]);
    replay(&logs, &[]).fails(1, "a-1.log: line 6, column 6: 'x' is no hexadecimal digit");
}

#[test]
fn unplayable_log_states_reason() {
    let other_line = HEADER.replace("line: a", "line: b");
    let no_opening = "# game-type: 20\n0 = up\n";
    for (files, flags, code, message) in [
        (vec![("a.log", HEADER)], vec!["--game-type", "99"], 1, "game type 99 is not"),
        (vec![("a.log", "# game-type: 99\n")], vec![], 1, "game type 99 is not"),
        (vec![("a.log", "# set-codes: wood\n")], vec![], 1, "codes = wood"),
        (vec![("a.log", "# mode: bus\n# board-7-game-type: 99\n")], vec![], 1, "board 7: game type: game type 99"),
        (vec![("a.log", HEADER)], vec!["--profile", "lidraughts"], 2, "not built yet"),
        (vec![("a.log", HEADER), ("b.log", no_opening)], vec![], 1, "b.log: a log without \"# opened:\""),
        (vec![("a.log", HEADER), ("b.log", &other_line)], vec![], 1, "one line at a time"),
    ] {
        let (_folder, logs) = folder(&files);
        let run = replay(&logs, &flags);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{files:?} {flags:?}: {}", run.err);
        assert!(run.err.contains(message), "{files:?} {flags:?}: {}", run.err);
    }
}

#[test]
fn invalid_files_are_reported() {
    assert!(replay(&[Path::new("/nowhere/a.log").into()], &[]).err.contains("/nowhere/a.log: No such file"));
    assert!(replay(&[Path::new("-").into()], &[]).err.contains("not standard input"));
    assert_eq!(run(&["replay"]).code, 2);
}

#[test]
fn log_continuing_missing_log_is_reported() {
    let (_folder, logs) = folder(&[("a-2.log", &format!("{HEADER}# continues: yes\n# games-before: 3\n0 = up\n"))]);
    let run = replay(&logs, &[]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("a-2.log: goes on from an earlier log, which was not given"), "{}", run.err);
}

/// Returns a recording of a whole game, its header, and its records with their times.
fn recording(name: &str) -> (String, String, Vec<(u64, String)>) {
    let text = std::fs::read_to_string(format!("tests/data/replay/{name}.log")).unwrap();
    let (head, records): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let record = |line: &&str| {
        let (time, rest) = line.split_once(' ').unwrap();
        (time.parse().unwrap(), rest.split(" ;").next().unwrap().to_owned())
    };
    let head = head.join("\n") + "\n";
    (text.clone(), head, records.iter().map(record).collect())
}

fn movetext(pdn: &str) -> Vec<&str> {
    pdn.lines().filter(|line| line.contains(" {[%clock")).filter_map(|line| line.split(" {").next()).collect()
}

#[test]
fn log_cut_anywhere_gives_prefix_of_file() {
    let (text, ..) = recording("ideal");
    let (_folder, logs) = folder(&[("whole.log", &text)]);
    let whole = replay(&logs, &[]).out;
    for cut in [0, 100, 1_000, 20_000, 61_234, 100_000, text.len() - 7] {
        let (_folder, logs) = folder(&[("cut.log", &text[..cut])]);
        let run = replay(&logs, &[]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(whole.starts_with(&run.out), "cut at {cut}: {}", run.out);
    }
    let (_folder, logs) = folder(&[("damaged.log", &(text[..100_000].to_owned() + "\n7 = up\n"))]);
    let damaged = replay(&logs, &[]);
    assert_eq!(damaged.code, 1);
    assert!(whole.starts_with(&damaged.out) && damaged.out.len() > 1_000, "what is right before it is printed");
}

#[test]
fn joins_logs_in_order_of_opening() {
    let (text, head, records) = recording("ideal");
    let (_folder, logs) = folder(&[("whole.log", &text)]);
    let whole = replay(&logs, &[]).out;
    // The station was stopped after five minutes and restarted eight minutes after its first start. Meanwhile local time was set back by an
    // hour, and no move was played.
    let (first, second): (Vec<_>, Vec<_>) = records.into_iter().partition(|(time, _)| *time < 300_000);
    let join = |records: Vec<(u64, String)>, shift: u64| -> String {
        records.into_iter().map(|(time, rest)| format!("{} {rest}\n", time - shift)).collect()
    };
    let first = head.clone() + &join(first, 0) + "300000 = down\n";
    let head = head.replace("10:00:00.000+01:00", "09:08:00.000+00:00") + "# continues: yes\n";
    let second = head + "0 = up\n" + &join(second, 300_000);
    let (_folder, mut logs) = folder(&[("1.log", &first), ("2.log", &second)]);
    let joined = replay(&logs, &[]);
    assert_eq!(movetext(&joined.out), movetext(&whole), "{}", joined.err);
    logs.reverse();
    assert_eq!(replay(&logs, &[]).out, joined.out);
}

/// The machine keeps no time without power: its clock stood for the 15 s of the outage. The port returns its buffered bytes, an old dump
/// and a part of the moves; the rest did not fit.
#[test]
fn moves_during_stopped_machine_clock_are_recorded() {
    const OUT: u64 = 12_829;
    const TAKE_BACK_GAME: u64 = 28_373;
    let (text, head, records) = recording("outage-with-memory");
    let (_folder, logs) = folder(&[("whole.log", &text)]);
    let whole = replay(&logs, &[]).out;
    let dumps: Vec<_> = records.iter().filter(|(_, rest)| rest.starts_with("< 86")).collect();
    let (old, new) = dumps.split_at(dumps.partition_point(|(time, _)| *time < OUT));
    let kept = "0 < 8e00054e008e000543018e00051e008e00052904";
    let dumps = format!("0 {}\n{kept}\n0 {}\n", old.last().unwrap().1, new[0].1);
    let part = |from: u64, to: u64| -> String {
        let part = records.iter().filter(|(time, _)| (from..to).contains(time));
        part.map(|(time, rest)| format!("{} {rest}\n", time - from)).collect()
    };
    let first = head.clone() + &part(0, OUT) + &format!("{OUT} = down\n");
    let rest = part(TAKE_BACK_GAME, u64::MAX).replacen("= up\n", &format!("= up\n{dumps}"), 1);
    let opened = |at: u64| head.replace("10:00:00.000", &format!("10:00:{:06.3}", at as f64 / 1e3));
    for at in [OUT + 1, TAKE_BACK_GAME] {
        let (_folder, logs) = folder(&[("1.log", &first), ("2.log", &(opened(at) + "# continues: yes\n" + &rest))]);
        let joined = replay(&logs, &[]);
        assert_eq!(movetext(&joined.out), movetext(&whole), "{}", joined.err);
    }
}

#[test]
fn chain_starts_with_recorded_settings_and_numbers() {
    let (text, ..) = recording("ideal");
    let first = text.replace("# game-type", "# continues: no\n# tag-White: First\n# game-type");
    let second = text.replace("2026-11-21", "2026-11-22");
    let second = second.replace("# game-type", "# continues: no\n# tag-White: Second\n# game-type");
    let (_folder, logs) = folder(&[("2.log", &second), ("1.log", &first)]);
    let joined = replay(&logs, &[]).out;
    let (one, two) = (replay(&logs[1..], &[]).out, replay(&logs[..1], &[]).out);
    assert_eq!(joined, one.clone() + &two);
    assert_contains(&one, &["[White \"First\"]", "[Date \"2026.11.21\"]"]);
    assert_contains(&two, &["[White \"Second\"]", "[Date \"2026.11.22\"]"]);
}

#[test]
fn impossible_time_ends_replay_quickly() {
    let (_folder, logs) = folder(&[("a.log", &format!("{HEADER}0 = up\n18446744073709551615 < 8e\n"))]);
    replay(&logs, &[]).fails(1, "a.log: the time goes from 0 to 18446744073709551615, more than 31 days");
}

/// The cable of this board came out during a ply. Its clock reports that it runs at every poll, every eight seconds, and is silent in
/// between.
#[test]
fn ply_is_published_during_silence_between_polls() {
    let run = replay(&[PathBuf::from("tests/data/replay/clock-that-is-asked.log")], &[]);
    let played = ["1. 32-27", "19-24", "2. 27-22", "17x28", "3. 33x22", "18x27"];
    assert_eq!(movetext(&run.out), played, "{}", run.err);
}

/// The board was silent twice, and answered no question for its position in between. Its memory tells the second time what happened; events that
/// came between both silences are earlier.
#[test]
fn memory_after_two_silences_follows_reports_between_them() {
    let all = ["1. 32-28", "20-24", "2. 37-32", "14-20", "3. 41-37"];
    for (name, plies) in [("two-silences-lifted-piece", 4), ("two-silences-pressed-ply", 5)] {
        let run = replay(&[PathBuf::from(format!("tests/data/replay/{name}.log"))], &[]);
        assert_eq!(movetext(&run.out), all[..plies], "{name}: {}", run.err);
    }
}
