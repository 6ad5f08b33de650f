//! `damcast line` from a driver's view: one answer for every record, and clear messages about invalid records.

use crate::program::{run, run_with_input};

/// Returns the times of the answers: the lines that end one.
fn answers(out: &str) -> Vec<&str> {
    out.lines().filter(|line| line.split(' ').nth(1) == Some(".")).filter_map(|line| line.split(' ').next()).collect()
}

#[test]
fn every_record_gets_exactly_one_answer() {
    let input = "# damcast byte log 1\n# game-type: 20\n# anything: goes\n\
                 0 = up\n3 > 40\n25 < 930005010b\n1040 < 8e00051f00 ;12efc721\n1040 ? a note\n2000 .\n2500 % later\n5000 = down\n";
    let run = run_with_input(&["line"], input.as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(answers(&run.out), ["0", "25", "1040", "2000", "5000"]);
    assert!(run.out.ends_with('\n'));
}

#[test]
fn end_of_input_adds_nothing() {
    let run = run_with_input(&["line"], b"0 = up\n");
    assert_eq!((run.code, answers(&run.out).len()), (0, 1));
    assert_eq!(run_with_input(&["line"], b"").out, "");
}

#[test]
fn unknown_line_is_named_and_skipped() {
    let run = run_with_input(&["line"], b"0 = up\nhello\n5 < 8e0x\n4 .\n3 .\n# game-type: 21\n9 .\n");
    assert_eq!(run.code, 2);
    assert_eq!(answers(&run.out), ["0", "4", "9"]);
    let errors: Vec<&str> = run.err.lines().collect();
    assert_eq!(errors.len(), 4, "{}", run.err);
    assert!(errors[0].contains("line 2, column 1: a record starts with its time"), "{}", run.err);
    assert!(errors[1].contains("line 3, column 8: 'x' is no hexadecimal digit"), "{}", run.err);
    assert!(errors[2].contains("line 5, column 1: the time 3 is before"), "{}", run.err);
    assert!(errors[3].contains("line 6, column 1: \"# game-type:\" has to stand before"), "{}", run.err);
}

/// In a log of another program the record counts only as time, and the operator gets a notice.
#[test]
fn unreadable_request_is_reported_and_changes_nothing() {
    let out = run_with_input(&["line"], b"0 = up\n5 ! adjourn\n6 ! flip\n").out;
    let reply_lines: Vec<&str> = out.lines().filter(|line| line.contains(" ? ")).collect();
    assert!(
        reply_lines[0].starts_with("5 ? request `adjourn` is not known") && reply_lines[1].starts_with("6 ? "),
        "{reply_lines:?}"
    );
    assert_eq!((reply_lines.len(), out.lines().filter(|line| line.contains(" . ")).count()), (2, 3), "{out}");
}

#[test]
fn settings_come_from_command_line_or_header() {
    for arguments in [
        vec!["line", "--game-type", "25", "--set", "settle-ms=500", "--set", "orientation = turned"],
        vec!["line", "--mode", "single", "--profile", "standard"],
    ] {
        let run = run_with_input(&arguments, b"# set-settle-ms: 400\n0 = up\n");
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    }
    let unknown = run_with_input(&["line"], b"# set-of-a-later-version: 7\n0 = up\n");
    assert_eq!((unknown.code, answers(&unknown.out).len()), (0, 1));
    assert!(unknown.err.contains("set-of-a-later-version: 7"), "{}", unknown.err);
}

#[test]
fn refuses_impossible_settings_before_reading() {
    for (arguments, message) in [
        (vec!["line", "--game-type", "99"], "game type 99 is not a draughts game"),
        (vec!["line", "--set", "settle-ms"], "expected KEY=VALUE"),
        (vec!["line", "--set", "settle=5"], "there is no setting `settle`"),
        (vec!["line", "--set", "settle-ms=soon"], "expected a whole number of milliseconds"),
        (vec!["line", "--profile", "lidraughts"], "not built yet"),
    ] {
        let run = run(&arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.contains(message), "{arguments:?}: {}", run.err);
    }
    for (head, message) in [
        ("# game-type: 1", "game type 1 is not"),
        ("# set-codes: wood", "expected draughts,"),
        ("# board-1025-set-codes: wood", "board 1025: setting `codes = wood`: expected draughts,"),
    ] {
        let run = run_with_input(&["line"], format!("{head}\n0 = up\n").as_bytes());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{head}");
        assert!(run.err.contains(message), "{head}: {}", run.err);
    }
}

#[test]
fn whole_game_matches_replay_output() {
    let log = "tests/data/replay/ideal.log";
    let run_of_line = run_with_input(&["line"], &std::fs::read(log).unwrap());
    let text = |line: &str| line.split_once(" + ").map(|(_, text)| format!("{text}\n"));
    let appended: String = run_of_line.out.lines().filter_map(text).collect();
    assert_eq!(run_of_line.code, 0);
    assert_eq!(appended, run(&["replay", log]).out);
    assert!(appended.contains("\n1. 32-28 {[%clock "), "{appended}");
}

#[test]
fn garbage_never_panics() {
    let mut garbage: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    garbage.extend_from_slice(b"\n7 = up\n18446744073709551615 < 8e\n");
    let run = run_with_input(&["line"], &garbage);
    assert_eq!(run.code, 2);
    assert_eq!(answers(&run.out), ["7"]);
    assert!(run.err.contains("more than 31 days at once"), "{}", run.err);
}
