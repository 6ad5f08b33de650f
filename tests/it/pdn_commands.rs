//! `damcast check`, `convert` and `show` as a person calls them.

use std::path::PathBuf;
use std::process::{Command, Output};

fn damcast(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_damcast")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

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
fn check_says_where_and_what_and_ends_accordingly() {
    let good = File::with(b"[GameType \"20\"]\n\n1. 32-28 19-23 2. 28x19 14x23 1-1\n");
    let bad = File::with(b"[GameType \"20\"]\n\n1. 32-28 19-24 2. 28x19 *\n");
    assert_eq!(damcast(&["check", good.name()]).status.code(), Some(0));
    let output = damcast(&["check", bad.name()]);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!("{}:3:19: error: `28x19` is not legal (2. in W:W28,", bad.name());
    assert!(text(&output.stdout).starts_with(&expected), "{}", text(&output.stdout));
    assert_eq!(damcast(&["check", "--syntax", bad.name()]).status.code(), Some(0));
    assert_eq!(damcast(&["check", "/no/such/file"]).status.code(), Some(2));

    let output = damcast(&["check", "--strict", good.name()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains(":3:31: error: the result `1-1` ends the game (restriction 4"));
    assert_eq!(damcast(&["check", "--profile", "lidraughts", good.name()]).status.code(), Some(0));
}

#[test]
fn check_speaks_json() {
    let bad = File::with(b"1. 32-28 \"x\\\n");
    let output = damcast(&["check", "--json", bad.name()]);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty());
    assert_eq!((lines[0]["line"].as_u64(), lines[0]["column"].as_u64()), (Some(1), Some(10)));
    assert_eq!(lines[0]["level"], "error");
}

#[test]
fn convert_takes_any_page_and_style() {
    // "Фадеев" in DOS letters.
    let old = File::with(b"[White \"\x94\xa0\xa4\xa5\xa5\xa2\"]\r\n1.c3-d4 b6-a5 2.d4-c5 d6xb4 3.a3xc5 1-0\r\n");
    let output = damcast(&["convert", "-q", "--encoding", "cp866", "--style", "live", old.name()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        text(&output.stdout),
        "[White \"Фадеев\"]\n[Result \"1-0\"]\n[GameType \"25\"]\n\n1. c3-d4\nb6-a5\n2. d4-c5\nd6:b4\n3. a3:c5\n*\n"
    );
    let output = damcast(&["convert", "-q", "--board", "25,W,8,8,N2,0", old.name()]);
    assert!(text(&output.stdout).contains("1. 22-18 9-13 2. 18-14 10:17 3. 21:14 *"), "{}", text(&output.stdout));
    let output = damcast(&["convert", "-q", "--pdn2", old.name()]);
    assert!(text(&output.stdout).ends_with("3. a3xc5 1-0\r\n"));
    assert!(text(&output.stderr).is_empty());
    assert_ne!(damcast(&["convert", old.name(), "-o", old.name()]).status.code(), Some(0));
}

#[test]
fn show_draws_a_position() {
    let file = File::with(b"[White \"A\"] [GameType \"20\"] 1. 32-28 19-23 2. 28x19 14x23 *");
    let output = damcast(&["show", file.name(), "--ply", "3"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("Moves   32-28 19-23 28x19\n"), "{shown}");
    assert!(shown.contains("  16  b   b   b   w   b    20\n"), "{shown}");
    assert!(shown.trim_end().ends_with("18,20"), "{shown}");
    assert_ne!(damcast(&["show", file.name(), "--game", "2"]).status.code(), Some(0));
    assert_ne!(damcast(&["show", file.name(), "--ply", "9"]).status.code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_is_no_failure_of_the_program() {
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
        assert_eq!((ended.status.code(), text(&ended.stderr).as_str()), (Some(141), ""));
    }
}
