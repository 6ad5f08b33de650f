//! Draws, blocked sides and results in the operator's notices, through the program with simulated boards.

use damcast::simulation::script;
use draughts::{Move, Position, Variant};
use draughts_pdn::fen;
use hardware_sim::profile::NoiseProfile;
use hardware_sim::world::{SeatConfig, World};

use crate::draws::shuttle;
use crate::line_program::LineProgram;
use crate::program::run_with_input;

/// Repeats four moves from this position, or kings to and fro if there are none. Returns each notice about a draw with the ply after which
/// it came.
fn notices_of(tag: &str, text: &str, plies: usize) -> Vec<(usize, String)> {
    let variant = Variant::from_tag(tag).unwrap();
    let start = Position::new(variant, fen::read(variant, text).unwrap()).unwrap();
    let moves: Vec<Move> = shuttle(&start).iter().cycle().take(plies).cloned().collect();
    let profile = NoiseProfile::ideal();
    let script = script::game(&start, &moves, "4800+60".parse().ok(), &profile, 1);
    let (rows, columns) = (variant.geometry.height() as u8, variant.geometry.width() as u8);
    let mut world = World::new(SeatConfig::new(rows, columns, script, profile, 1)).unwrap();
    let mut program = LineProgram::start(&["--game-type", tag]);
    program.send("0 = up", &mut world);
    program.send(&format!("0 ! start {text}"), &mut world);
    program.continue_play(&mut world);
    assert_eq!(program.movetext().len(), plies, "{tag} {text}: {:?}", program.notices);
    assert_eq!(program.result, None, "{tag} {text}: nobody gave one");
    let heads = program.lines.len() - plies;
    let notices = program.notices.iter().filter(|(_, notice)| notice.contains("draw"));
    let notices = notices.map(|(lines, notice)| (lines.saturating_sub(heads), notice.clone())).collect();
    program.end();
    notices
}

/// Each expectation is a part of the notice and the ply; there must be no other.
fn check(tag: &str, text: &str, plies: usize, expected: &[(usize, &str)]) {
    let notices = notices_of(tag, text, plies);
    assert_eq!(notices.len(), expected.len(), "{tag} {text}: {notices:#?}");
    for ((at, notice), (ply, words)) in notices.iter().zip(expected) {
        assert!(at == ply && notice.contains(words), "{tag} {text}: after ply {at} {notice}, not {words} after {ply}");
    }
}

/// The ply that completes a count causes one notice, and play goes on.
#[test]
fn reached_ending_is_reported_once() {
    check("20", "W:WK46,K47:BK1,K6", 12, &[(8, "a draw can be claimed: the same position for the third time")]);
    check("40", "W:WK46,K47:BK6", 18, &[(14, "two kings against one: 7 moves each (WFD)")]);
    check("27", "W:WK67,K68,K69:BK7", 34, &[(8, "third time"), (32, "three kings against a lone king: 16 moves each")]);
    check("31", "B:WK1,K2:BK31,K32", 12, &[]);
}

/// A game that starts in a drawn position is recorded like any other.
#[test]
fn dead_draw_is_reported_at_once() {
    check("40", "W:WK47:BK6", 4, &[(0, "by the rules the game is drawn: one king against one")]);
}

/// Returns the answers that a driver reads after these records, without the bytes for the board.
fn answers(arguments: &[&str], records: &str) -> String {
    let arguments: Vec<&str> = ["line"].iter().chain(arguments).copied().collect();
    let run = run_with_input(&arguments, records.as_bytes());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    run.out.lines().filter(|line| line.split(' ').nth(1) != Some(">")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn blocked_side_after_setup_is_reported_and_game_continues() {
    let out = answers(&[], "0 = up\n10 ! start\n20 ! setup W:W46:B41,37\n30 ! result 0-1\n30000 .\n");
    let notice = ": White has no legal move; if the game is over, give the result\n";
    assert!(out.contains(notice), "{out}");
    let (before, after) = out.split_once(notice).unwrap();
    assert!(!before.contains(" + *") && after.contains(" + *\n") && after.contains(" = 0-2\n"), "{out}");
}

#[test]
fn results_take_form_of_game() {
    for (game_type, head, given, written) in [
        ("20", "", "1-0", Ok("2-0")),
        ("27", "", "1/2-1/2", Ok("1-1")),
        ("40", "", "1-1", Ok("1/2-1/2")),
        ("25", "", "0-2", Ok("0-1")),
        ("30", "", "½-½", Ok("1/2-1/2")),
        ("21", "", "0-0", Ok("0-0")),
        ("20", "Delfts", "1 1/2 - 1/2", Ok("1 1/2 - 1/2")),
        ("20", "Plus draw", "1+-1-", Ok("1+ - 1-")),
        ("40", "Goes", "1.02-0.98", Ok("1.02-0.98")),
        ("25", "Points of our club", "7-5", Ok("7-5")),
        ("20", "", "3-0", Err("`3-0` is not a result of this game; its results are 2-0, 0-2, 1-1, 0-0, *")),
        ("40", "", "1+ - 1-", Err("its results are 1-0, 0-1, 1/2-1/2, 0-0, *")),
        ("20", "Goes", "1.02-0.99", Err("two points divided as in 1.01-0.99")),
        ("20", "Points of our club", "seven to five", Err("any text of up to 11 plain characters")),
        ("20", "", "", Err("its results are")),
    ] {
        let head = if head.is_empty() { String::new() } else { format!("# tag-ResultFormat: {head}\n") };
        let start = fen::write(
            Variant::from_tag(game_type).unwrap(),
            &Position::start(Variant::from_tag(game_type).unwrap()).setup(),
        );
        let records = format!("{head}0 = up\n10 ! start\n20 ! setup {start}\n30 ! result {given}\n30000 .\n");
        let out = answers(&["--game-type", game_type], &records);
        let result = out.lines().find_map(|line| line.split_once(" = ").map(|(_, result)| result));
        match written {
            Ok(written) => assert_eq!(result, Some(written), "{game_type} {given}: {out}"),
            Err(words) => assert!(result.is_none() && out.contains(words), "{game_type} {given}: {out}"),
        }
    }
}

/// The questions on which rule books differ, and the codes of a set, as a driver sets them.
#[test]
fn doubtful_rules_are_selectable() {
    for (setting, message) in [
        ("thai-reversal=allowed", ""),
        ("thai-reversal=forbidden", ""),
        ("thai-removal=after-the-move", ""),
        ("turkish-promotion=goes-on-as-king", ""),
        ("codes=1=w 4=b 7=W 10=B", ""),
        ("thai-reversal=perhaps", "expected allowed or forbidden"),
        ("codes=1=w", "no code means a man `b`"),
        ("codes=1=w 13=b", "13 is a result piece in every set"),
    ] {
        let run = run_with_input(&["line", "--game-type", "31", "--set", setting], b"0 = up\n");
        assert_eq!(run.code, if message.is_empty() { 0 } else { 2 }, "{setting}: {}", run.err);
        assert!(run.err.contains(message), "{setting}: {}", run.err);
    }
}
