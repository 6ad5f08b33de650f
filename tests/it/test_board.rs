//! `damcast test-board`: every square and piece; without a terminal one line per event.

use std::io::Read;
use std::process::{Child, Stdio};

use damcast::engine::protocol::{ClockReport, ClockSide, ClockStatus, ClockTimes, Field, Message, PieceCode};

use crate::daemon::StationFolder;
use crate::program::{assert_contains, damcast, run};
use crate::pty::Pty;

fn dump(pieces: &[(usize, u8)]) -> Vec<u8> {
    let mut fields = vec![PieceCode::EMPTY; 100];
    pieces.iter().for_each(|&(field, code)| fields[field] = PieceCode(code));
    Message::BoardDump(fields).encode()
}

fn update(field: u8, code: u8) -> Vec<u8> {
    Message::FieldUpdate { field: Field(field), piece: PieceCode(code) }.encode()
}

fn clock(status: u8) -> Vec<u8> {
    let side = ClockSide { hours: 1, minutes: 2, seconds: 3, ..ClockSide::default() };
    Message::Clock(ClockReport::Times(ClockTimes { left: side, right: side, status: ClockStatus(status) })).encode()
}

fn finish(mut child: Child) -> (i32, String) {
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    (child.wait().unwrap().code().unwrap_or(-1), out)
}

#[test]
fn squares_pieces_clock_and_lever_are_listed_until_tested() {
    let folder = tempfile::tempdir().unwrap();
    let mut board = Pty::plug_in(&folder.path().join("board"));
    let port = folder.path().join("board").display().to_string();
    let child = damcast(&["test-board", &port, "--until-tried"]).stdout(Stdio::piped()).spawn().unwrap();
    board.wait_for_the_station();
    board.send(&dump(&[]));
    board.send(&clock(ClockStatus::RUNNING));
    board.send(&clock(ClockStatus::RIGHT_HIGH));
    board.send(&update(1, 9));
    // Field 1 is square 1 seen from White's side; the light field 0 is no square.
    board.send(&update(0, 4));
    board.send(&update(0, 0));
    for field in 0..100 {
        let is_square = (field / 10 + field % 10) % 2 == 1;
        if is_square {
            board.send(&update(field, [1, 4, 7, 10][usize::from(field) % 4]));
            board.send(&update(field, 0));
        }
    }
    let (code, out) = finish(child);
    assert_eq!(code, 0, "{out}");
    let all = "connected: 100 fields, 0 pieces stand on the board|clock 1:02:03 1:02:03|lever: left side up|\
        lever: right side up|square 1: a piece of code 9, which --codes does not know; 1 of 50 squares tried|\
        field 0, which is no playing square: black man (code 4)|square 50: |tried 50 of 50 squares|\
        white king (code 7)|not tried: none";
    for words in all.split('|') {
        assert!(out.contains(words), "{words}\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "no signs for a terminal where there is none");
}

#[test]
fn names_untested_parts() {
    let folder = tempfile::tempdir().unwrap();
    let mut board = Pty::plug_in(&folder.path().join("board"));
    let port = folder.path().join("board").display().to_string();
    let child = damcast(&["test-board", &port, "--turned", "--seconds", "2"]).stdout(Stdio::piped()).spawn().unwrap();
    board.wait_for_the_station();
    board.send(&dump(&[(98, 1)]));
    board.send(&update(98, 0));
    let (code, out) = finish(child);
    assert_eq!(code, 1, "{out}");
    assert_contains(&out, &["tried 1 of 50 squares", "not tried: 2, 3, 4, "]);
}

#[test]
fn no_board_and_wrong_arguments() {
    let gone = run(&["test-board", "/nowhere/board", "--seconds", "1"]);
    assert_eq!(gone.code, 1, "{}", gone.err);
    assert!(gone.out.contains("there is no such port; is the board plugged in?"), "{}", gone.out);
    for arguments in [["--codes", "1=x"], ["--game-type", "99"]] {
        let wrong = run(&["test-board", "/nowhere/board", arguments[0], arguments[1]]);
        assert_eq!(wrong.code, 2, "{}", wrong.err);
    }
}

#[test]
fn port_of_station_is_told() {
    let place = StationFolder::new(&["a"]);
    let mut pty = Pty::plug_in(&place.path("a"));
    let station = place.start();
    pty.wait_for_the_station();
    let told = run(&["test-board", &place.path("a").display().to_string(), "--seconds", "1"]);
    let process = station.process.id();
    assert_eq!(told.code, 1, "{}", told.err);
    assert_contains(&told.out, &[&format!("damcast records from this port (process {process})"), "`damcast status`"]);
}
