//! `damcast check`, `convert` and `show` from the command line.

use std::path::PathBuf;
use std::process::Command;

use crate::program::{assert_contains, damcast, run};

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    fn with(content: &[u8]) -> File {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        std::fs::write(&path, content).unwrap();
        File { _folder: folder, path }
    }

    fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

#[test]
fn check_reports_place_and_problem_and_sets_exit_code() {
    let good = File::with(b"[GameType \"20\"]\n\n1. 32-28 19-23 2. 28x19 14x23 1-1\n");
    let bad = File::with(b"[GameType \"20\"]\n\n1. 32-28 19-24 2. 28x19 *\n");
    assert_eq!(run(&["check", good.name()]).code, 0);
    let output = run(&["check", bad.name()]);
    assert_eq!(output.code, 1);
    let expected = format!("{}:3:19: error: `28x19` is not legal (2. in W:W28,", bad.name());
    assert!(output.out.starts_with(&expected), "{}", output.out);
    assert_eq!(run(&["check", "--syntax", bad.name()]).code, 0);
    assert_eq!(run(&["check", "/no/such/file"]).code, 2);

    let output = run(&["check", "--strict", good.name()]);
    assert_eq!(output.code, 1);
    assert!(output.out.contains(":3:31: error: the result `1-1` ends the game (restriction 4"));
    assert_eq!(run(&["check", "--profile", "lidraughts", good.name()]).code, 0);
}

#[test]
fn check_writes_json() {
    let bad = File::with(b"1. 32-28 \"x\\\n");
    let output = run(&["check", "--json", bad.name()]);
    let lines: Vec<serde_json::Value> = output.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty());
    assert_eq!((lines[0]["line"].as_u64(), lines[0]["column"].as_u64()), (Some(1), Some(10)));
    assert_eq!(lines[0]["level"], "error");
}

#[test]
fn convert_accepts_any_page_and_style() {
    // "Фадеев" in code page 866.
    let old = File::with(b"[White \"\x94\xa0\xa4\xa5\xa5\xa2\"]\r\n1.c3-d4 b6-a5 2.d4-c5 d6xb4 3.a3xc5 1-0\r\n");
    let output = run(&["convert", "-q", "--encoding", "cp866", "--style", "live", old.name()]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert_eq!(
        output.out,
        "[White \"Фадеев\"]\n[Result \"1-0\"]\n[GameType \"25\"]\n\n1. c3-d4\nb6-a5\n2. d4-c5\nd6:b4\n3. a3:c5\n*\n"
    );
    let output = run(&["convert", "-q", "--board", "25,W,8,8,N2,0", old.name()]);
    assert!(output.out.contains("1. 22-18 9-13 2. 18-14 10:17 3. 21:14 *"), "{}", output.out);
    // The page of the file stays.
    let output = damcast(&["convert", "-q", "--pdn2", old.name()]).output().unwrap();
    assert!(output.stdout.ends_with(b"3. a3xc5 1-0\r\n") && output.stderr.is_empty());
    assert_ne!(run(&["convert", old.name(), "-o", old.name()]).code, 0);
}

#[test]
fn show_draws_position() {
    let file = File::with(b"[White \"A\"] [GameType \"20\"] 1. 32-28 19-23 2. 28x19 14x23 *");
    let output = run(&["show", file.name(), "--ply", "3"]);
    let shown = output.out;
    assert!(shown.contains("Moves   32-28 19-23 28x19\n"), "{shown}");
    assert!(shown.contains("  16  b   b   b   w   b    20\n"), "{shown}");
    assert!(shown.trim_end().ends_with("18,20"), "{shown}");
    assert_ne!(run(&["show", file.name(), "--game", "2"]).code, 0);
    assert_ne!(run(&["show", file.name(), "--ply", "9"]).code, 0);
}

#[test]
fn closed_reader_is_no_failure() {
    use std::io::Read;
    use std::process::Stdio;
    let file = File::with("bad\n".repeat(20_000).as_bytes());
    for verb in [["check", file.name()], ["check", "--json"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_damcast"))
            .args(verb)
            .arg(file.name())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        output.read_exact(&mut [0; 10]).unwrap();
        drop(output);
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), &*String::from_utf8_lossy(&ended.stderr)), (Some(141), ""));
    }
}

#[test]
fn strict_and_profile_both_apply() {
    let file = File::with(b"[Event \"x\"]\n[Board2 \"1\"]\n\n1. 32-28 19-23 1-1\n");
    let check_output = |arguments: &[&str]| run(&[&["check"], arguments, &[file.name()]].concat()).out;
    assert!(!check_output(&["--profile", "lidraughts"]).contains("restriction 4"));
    let both = check_output(&["--strict", "--profile", "lidraughts"]);
    assert_contains(&both, &["restriction 4", "names are letters only there"]);
    assert_eq!(run(&["check", "--strict", "--profile", "lidraughts", file.name()]).code, 1);
    let illegal = File::with(b"1. 32-28 19-10 *\n");
    assert_eq!(run(&["check", "--strict", illegal.name()]).code, 1);
}

#[test]
fn convert_reports_and_keeps_illegal_moves() {
    let file = File::with(b"[GameType \"20\"]\n\n1. 32-28 19-10 (18-9) *\n");
    let output = run(&["convert", "-q", file.name()]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains(":3:10: error: `19-10` is not legal"), "{}", output.err);
    assert_eq!(output.out, "[GameType \"20\"]\n\n1. 32-28 19-10 ( 1... 18-9 ) *\n");
}

#[test]
fn convert_reports_omissions() {
    let file = File::with(b"% made by X\n[GameType \"20\"]\n\n1. 32-28\n% a remark\n19-23 *\n");
    let output = run(&["convert", file.name()]);
    assert_eq!(output.code, 0);
    let notes = output.err;
    assert_contains(&notes, &[":1:1: note: the line `% made by X`", ":5:1: note: the line `% a remark`"]);
}

#[test]
fn damaged_header_becomes_no_game() {
    let file = File::with(b"Event \"Cup 2025\"]\n[White \"A\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 *\n");
    let output = run(&["convert", "-q", file.name()]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains(":1:1: error: the tag `Event` has lost its `[`"), "{}", output.err);
    let expected = "[Event \"Cup 2025\"]\n[White \"A\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 *\n";
    assert_eq!(output.out, expected);
}

/// The rules of such a game are unknown, so nothing is written that depends on them.
#[test]
fn unknown_game_type_stays_and_decides_nothing() {
    for (tag, rest) in [
        ("97...", "[Result \"1/2-1/2\"]\n\n1. 11-15 24x19 ( 24-20 ) {a} $7 *\n"),
        ("77", "[FEN \"B:W1,2:B31\"]\n[Result \"1-1\"]\n\n1. 32-28! 19:23 $1 /FEN \"W:W28:B19\"/ 2. c3-d4 *\n"),
    ] {
        let source = format!("[GameType \"{tag}\"]\n{rest}");
        let file = File::with(source.as_bytes());
        let output = run(&["convert", file.name()]);
        assert_eq!((output.code, output.out), (0, source));
        assert_contains(&output.err, &["nobody can tell by which rules it is played"]);
    }
}

/// Games are converted one by one, for any size of the file.
#[test]
fn convert_holds_single_game() {
    use std::io::Write;
    use std::process::Stdio;
    const SIZE: usize = 16_000_000;
    for head in ["[GameType \"20\"]\n", ""] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_damcast"))
            .args(["convert", "-q", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let moves = "1. 32-28 19-23 2. 28x19 14x23 3. 37-32 10-14 {a comment} 4. 41-37 14-19\n".repeat(2);
        let game = format!("[Event \"A\"]\n{head}\n{} *\n\n", &moves[..moves.len() / 2]);
        let piece = game.repeat(500);
        let mut input = child.stdin.take().unwrap();
        for _ in 0..SIZE / piece.len() {
            input.write_all(piece.as_bytes()).unwrap();
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
        let kilobytes: usize = peak.split_whitespace().next().unwrap().parse().unwrap();
        drop(input);
        assert!(child.wait().unwrap().success());
        assert!(kilobytes < 64_000, "{peak}");
    }
}

/// A command that takes longer than two seconds shows progress on a terminal, and nowhere else.
#[test]
fn long_check_shows_progress() {
    use std::io::{Read, Write};
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let (mut terminal, side, _) = crate::pty::pair();
    let mut child = Command::new(env!("CARGO_BIN_EXE_damcast"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(side)
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (shown, first) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 64];
        // Reads to the end: output to a closed terminal is an error.
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            let _ = shown.send(String::from_utf8_lossy(&buffer[..count]).into_owned());
        }
    });
    let until = Instant::now() + Duration::from_secs(60);
    let mut text = String::new();
    while !text.contains("\r- 0 MB") {
        assert!(Instant::now() < until, "shown is {text:?}");
        input.write_all(b"[GameType \"20\"]\n\n1. 32-28 *\n\n").unwrap();
        text.extend(first.recv_timeout(Duration::from_millis(50)));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn problems_of_many_files_come_in_order_of_files() {
    let folder = tempfile::tempdir().unwrap();
    // The first files take longest.
    let names: Vec<String> =
        (0..12).map(|index| folder.path().join(format!("{index}.pdn")).display().to_string()).collect();
    for (index, name) in names.iter().enumerate() {
        let good = "[GameType \"20\"]\n\n1. 32-28 19-23 2. 28x19 14x23 1-1\n\n".repeat(200 * (names.len() - index));
        std::fs::write(name, good + "[GameType \"20\"]\n\n1. 32-28 19-24 2. 28x19 *\n").unwrap();
    }
    let missing = folder.path().join("missing.pdn").display().to_string();
    let all: Vec<&str> =
        ["check"].into_iter().chain(names.iter().map(String::as_str)).chain([missing.as_str()]).collect();
    let output = run(&all);
    assert_eq!(output.code, 2);
    let shown: Vec<&str> = output.out.lines().map(|line| line.split(".pdn:").next().unwrap()).collect();
    let expected: Vec<&str> = names.iter().map(|name| name.trim_end_matches(".pdn")).collect();
    assert_eq!(shown, expected);
    assert!(output.err.contains("missing.pdn"), "{}", output.err);
}
