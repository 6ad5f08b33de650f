//! A tournament from its files to its standings: real files, damaged files, and a second implementation of the rules.
//!
//! The real files are not part of this repository. `DAMCAST_CORPUS` names the folder that holds `tournament/`; without it the tests that
//! need them print that and pass.

mod mistakes;
mod real_files;
mod roundtrip;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use damcast::tournament::{
    Event, MergeResult, OfficialResult, Scoring, TieBreak, TieBreakValue, Tournament, TournamentSection,
    UnplayedPolicy, difference, lost_in_pdn, merge, read, standings, team_standings, write_csv, write_pdn, write_trf,
};
use serde_json::Value;

use crate::program::{assert_contains, run};

/// Returns the folder of the real files; prints a message if there is none.
fn corpus() -> Option<PathBuf> {
    let Some(corpus) = std::env::var_os("DAMCAST_CORPUS") else {
        println!("DAMCAST_CORPUS is not set: the files of real tournaments are NOT read");
        return None;
    };
    Some(Path::new(&corpus).join("tournament"))
}

/// Merges a text into a tournament.
pub fn import_over(tournament: &Tournament, bytes: &[u8]) -> Result<MergeResult, Vec<String>> {
    let words = |problems: Vec<draughts_pdn::Problem>| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    let sheet = read(bytes, None, "").map_err(words)?;
    merge(tournament, None, &sheet).map_err(words)
}

/// Returns the tournament that a file makes.
#[track_caller]
fn imported(file: impl AsRef<[u8]>) -> Tournament {
    import_over(&Tournament::default(), file.as_ref()).unwrap().tournament
}

/// Returns a tournament with a file imported into it.
#[track_caller]
fn imported_over(tournament: &Tournament, file: impl AsRef<[u8]>) -> Tournament {
    import_over(tournament, file.as_ref()).unwrap().tournament
}

/// Returns the notes about a file.
#[track_caller]
fn import_notes(file: impl AsRef<[u8]>) -> Vec<String> {
    import_over(&Tournament::default(), file.as_ref()).unwrap().notes.iter().map(ToString::to_string).collect()
}

/// A tournament with the notes about its last file, or the reasons why a file is refused.
type Loaded = Result<(Tournament, Vec<String>), Vec<String>>;

/// Returns the tournament that files make, one after the other, and the notes about the last.
fn load(files: &[PathBuf]) -> Loaded {
    let mut tournament = Tournament::default();
    let mut notes = Vec::new();
    for file in files {
        let merged = import_over(&tournament, &fs::read(file).unwrap())?;
        notes = merged.notes.iter().map(ToString::to_string).collect();
        tournament = merged.tournament;
    }
    Ok((tournament, notes))
}

fn shown(broken: &TieBreakValue) -> Value {
    match broken {
        TieBreakValue::Undecided => Value::Null,
        TieBreakValue::Number(number) => number.to_string().into(),
        TieBreakValue::List(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("/").into(),
    }
}

/// Returns rows as `expected.json` has them: rank, number, points, tie-breaks.
fn rows(section: &TournamentSection, after: u32, ties: &[TieBreak], unplayed: UnplayedPolicy) -> Vec<Value> {
    let row = |row: &damcast::tournament::PlayerStanding| {
        let number = section.player(row.player).unwrap().number;
        let mut cells = vec![row.rank.into(), number.into(), row.points.to_string().into()];
        cells.extend(row.tie_breaks.iter().map(shown));
        Value::Array(cells)
    };
    standings(section, after, ties, unplayed).rows.iter().map(row).collect()
}

/// Returns a result with its reason.
fn result_text(result: OfficialResult) -> String {
    format!("{}-{} {}", result.white, result.black, result.reason.name())
}

/// Returns the line of a player in TRF: number, name, points, rounds.
fn player(number: u32, name: &str, points: &str, rounds: &str) -> String {
    format!(
        "001 {number:>4}      {name:<33} {:>4} {:<3} {:>11} {:<10} {points:>4} {number:>4}{rounds}\n",
        "", "", "", ""
    )
}

/// Returns two rounds of four players, 2-1-0.
fn four() -> String {
    "012 Club\n142 2\n162  W 2.0    D 1.0    L 0.0\n".to_owned()
        + &player(1, "Sijbrands, Ton", "3.0", "     2 w 1     3 b =")
        + &player(2, "Wiersma, Harm", "2.0", "     1 b 0     4 w +")
        + &player(3, "Müller, Jörg", "3.0", "     4 w 1     1 w =")
        + &player(4, "Van der Wal, Jannes", "0.0", "     3 b 0     2 b -")
}

fn refused(text: &str) -> String {
    match import_over(&Tournament::default(), text.as_bytes()) {
        Ok(merged) => panic!("read: {:?}", merged.tournament),
        Err(problems) => problems.join("\n"),
    }
}

#[test]
fn club_members_play_alone_and_team_members_as_team() {
    let players = "No;Name;Team\n1;A;Huissen\n2;B;Huissen\n3;C;Hijken\n4;D;Heerhugowaard\n";
    let round = |pairs: &str| format!("Round;White;Black;Result\n{pairs}");
    let mut tournament = imported(players);
    // The first round alone may be one of teams; the second is not.
    for (pairs, matches) in [("1;A;C;2-0\n", 1), ("2;A;D;2-0\n2;C;B;2-0\n", 0)] {
        tournament = imported_over(&tournament, round(pairs));
        assert_eq!(tournament.sections[0].matches.len(), matches, "{pairs}");
    }
    let section = &tournament.sections[0];
    assert!(section.pairings.iter().all(|pairing| pairing.match_id.is_none()));
    assert_eq!(
        (section.teams.len(), team_standings(section, 2).len()),
        (3, 0),
        "the clubs are known, and have no points"
    );
    let exported = imported(write_csv(&tournament, section));
    assert_eq!((exported.sections[0].teams.len(), exported.sections[0].matches.len()), (3, 0));
}

#[test]
fn reads_name_list_russian_file_and_file_without_bom() {
    let names = |bytes: &[u8]| -> Vec<String> {
        let merged = import_over(&Tournament::default(), bytes).unwrap();
        merged.tournament.sections[0].players.iter().map(|player| player.name.clone()).collect()
    };
    assert_eq!(names(b"Name\nSijbrands, Ton\nWiersma, H.\n"), ["Sijbrands, Ton", "Wiersma, H."]);
    // `Имя;Рейтинг` and `Чижов, А.;2400` in Windows-1251.
    let russian = b"\xc8\xec\xff;\xd0\xe5\xe9\xf2\xe8\xed\xe3\n\xd7\xe8\xe6\xee\xe2, \xc0.;2400\n";
    assert_eq!(names(russian), ["Чижов, А."]);
    let notes = import_notes(russian);
    assert!(notes.iter().any(|note| note.contains("read as Windows-1251")), "{notes:?}");
    assert_eq!(names(b"Name;Rating\nM\xfcller, J\xf6rg;2100\n"), ["Müller, Jörg"]);
    for to_bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let wide: Vec<u8> = "Name;Rating\nЧижов, А.;2400\n".encode_utf16().flat_map(to_bytes).collect();
        assert_eq!(names(&wide), ["Чижов, А."]);
    }
    for (text, expected) in [
        ("Name\n-\n", "2:1: error: `-` is no name"),
        ("Name\nJan\u{200b}sen\n", "2:4: error: the character U+200B cannot be seen"),
        ("Round;White;Black\n999999999999;A;B\n", "2:1: error: `999999999999` is too large"),
    ] {
        let found = refused(text);
        assert!(found.contains(expected), "{expected}\n--- {found}");
    }
}

#[test]
fn result_is_valid_in_scoring() {
    let row =
        |result: &str| format!("Round;Board;White;Black;Result;Reason\n1;1;Clerc;Wiersma;2-0;\n1;2;A;B;{result}\n");
    for result in ["2-2;", "3-0;", "12-0;", "1,5-0,5;", "2-0;both lost", "1-1;forfeit", "2-0;bye", "3-0;arbiter"] {
        let found = refused(&row(result));
        assert!(found.starts_with("3:9: error: "), "{result}: {found}");
    }
    let read = |text: &str| imported(text);
    let of = |tournament: &Tournament| {
        let result = tournament.sections[0].pairings.last().unwrap().result.unwrap();
        result_text(result)
    };
    for (result, expected) in [
        ("0-0;played", "0-0 both lost"),
        ("2-2;arbiter", "2-2 arbiter"),
        ("1-0;arbiter", "1-0 arbiter"),
        ("1-0;", "2-0 played"),
        ("0-2;forfeit", "0-2 forfeit"),
        ("1-1;not played", "1-1 not played"),
    ] {
        let tournament = read(&row(result));
        assert_eq!(of(&tournament), expected, "{result}");
    }
    // If all results are of another kind, the section is scored accordingly.
    let twelve = read("Round;White;Black;Result\n1;A;B;12-0\n1;C;D;9-1\n1;E;F;0-12\n");
    assert_eq!(twelve.sections[0].scoring.win.to_string(), "12");
}

#[test]
fn scoring_is_reported_if_first_results_are_ambiguous() {
    let folder = tempfile::tempdir().unwrap();
    let [players, results, late, directory] =
        ["players.csv", "results.csv", "late.csv", "station"].map(|name| folder.path().join(name));
    fs::write(&players, "No;Name\n1;A\n2;B\n3;C\n4;D\n5;E\n6;F\n").unwrap();
    let table = "Round;White;Black;Result\n";
    fs::write(&results, format!("{table}1;A;B;12-0\n1;C;D;9-1\n1;E;F;4-6\n")).unwrap();
    fs::write(&late, format!("{table}2;A;C;2-0\n2;B;D;1-1\n")).unwrap();
    let import = |file: &Path, more: &[&str]| {
        let arguments = ["tournament", "import", file.to_str().unwrap(), "--directory", directory.to_str().unwrap()];
        run(&[&arguments, more].concat())
    };
    let refused = import(&results, &["--dry-run"]);
    assert!(refused.err.contains("--scoring"), "{}", refused.err);
    assert_eq!(import(&results, &["--scoring", "0-1-2"]).code, 2);
    // Scoring is set with the players, before there is any result.
    assert_eq!(import(&players, &["--scoring", "12-5-0"]).code, 0);
    let taken = import(&results, &[]);
    assert!(taken.code == 0 && !taken.err.contains("counts here"), "{}", taken.err);
    let noted = import(&late, &[]);
    assert!(noted.err.contains("counts here as 12-0 or 5-5, and 1 more"), "{}", noted.err);
    import(&players, &["--scoring", "2-1-0"]).fails(1, "--scoring is for a new one");

    for (message, result, expected) in [
        ("delfts", "1½-½", "1.5-0.5"),
        ("delfts", "1 1/2 - 1/2", "1.5-0.5"),
        ("delfts", "1-1", "1-1"),
        ("micro-match", "7-5", "7-5"),
        ("4-2-0", "3-1", "3-1"),
    ] {
        let pdn = format!("[Event \"E\"]\n[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"{result}\"]\n\n*\n");
        for text in [format!("{table}1;A;B;{result}\n"), pdn] {
            let mut sheet = read(text.as_bytes(), None, "").unwrap();
            sheet.override_scoring(Scoring::parse(message).unwrap());
            let tournament = merge(&Tournament::default(), None, &sheet).unwrap().tournament;
            let section = &tournament.sections[0];
            let official = section.pairings[0].result.unwrap();
            assert_eq!(format!("{}-{}", official.white, official.black), expected, "{message}");
            let again = imported(write_csv(&tournament, section));
            assert_eq!(again.sections[0].scoring, section.scoring, "{message}");
        }
    }
}

#[test]
fn parses_forfeit_signs_and_whitespace() {
    let table = "Round;White;Black;Result\n";
    for (result, expected) in
        [("+-", "2-0 forfeit"), ("-/+", "0-2 forfeit"), ("+:-", "2-0 forfeit"), ("-:-", "0-0 forfeit")]
    {
        let text = format!("{table}1;A;B;{result}\n");
        let tournament = imported(text);
        let official = tournament.sections[0].pairings[0].result.unwrap();
        assert_eq!(result_text(official), expected, "{result}");
    }
    for (row, expected) in
        [("A;;+-", "won without opponent"), ("A;;-/+", "lost without opponent"), (";A;-+", "won without opponent")]
    {
        let tournament = imported(format!("{table}1;{row}\n"));
        assert_eq!(tournament.sections[0].byes[0].kind.name(), expected, "{row}");
    }
    let pdn = "[Event \"E\"]\n[Round \"1\"]\n[White \"A\nB\"]\n[Black \"C\"]\n[Result \"2-0\"]\n\n*\n";
    let notes = import_notes(pdn);
    assert!(notes.iter().any(|note| note.starts_with("3:1: note: the value of `White` has a line break")), "{notes:?}");
    let tabbed = imported("No;Name\n1;A\tB\n");
    let (text, _) = write_trf(&tabbed, &tabbed.sections[0]).unwrap();
    assert!(text.contains("A B  ") && !text.contains('\t'), "{text}");
    let staged = "Round;White;Black;Result;Stage\n1;A;B;1-1;standard\n1;A;B;2-0;rapid\n";
    let staged = imported(staged);
    assert!(lost_in_pdn(&staged.sections[0])[0].contains("csv"));
    assert_eq!(lost_in_pdn(&tabbed.sections[0]), Vec::<String>::new());
}

#[test]
fn single_player_waits_has_bye_or_forfeit_and_plays_no_game() {
    let row = |board: &str, result: &str| {
        format!("Round;Board;White;Black;Result;Reason\n1;1;A;B;2-0;\n1;{board};C;;{result}\n")
    };
    let found = refused(&row("2", "2-0;played"));
    assert!(found.contains("3:8: error: `2-0` is no result of a round without an opponent"), "{found}");
    for board in ["", "2"] {
        let merged = import_over(&Tournament::default(), row(board, ";").as_bytes()).unwrap();
        let section = &merged.tournament.sections[0];
        assert!(section.byes.is_empty() && section.pairings[1].is_awaited(), "{section:?}");
        assert!(
            merged.notes.iter().any(|note| note.to_string().contains("waits for an opponent")),
            "{:?}",
            merged.notes
        );
    }
    let bye = imported(row("", ";bye"));
    assert_eq!(bye.sections[0].byes[0].points.to_string(), "2");
    let again = imported_over(&bye, row("", ";"));
    assert_eq!(again, bye, "a file that says nothing takes no bye back");
    for (message, expected) in
        [(";bye", "2-0 bye"), ("1;half bye", "1-0 bye"), ("2-0;", "2-0 bye"), ("2-0;forfeit", "2-0 forfeit")]
    {
        let tournament = imported(row("2", message));
        let result = tournament.sections[0].pairings[1].result.unwrap();
        assert_eq!(result_text(result), expected, "{message}");
    }
}

#[test]
fn opponent_named_bye_is_bye_unless_listed() {
    let table = "Round;Board;White;Black;Result;Reason\n1;1;A;B;2-0;\n";
    let game = |white: &str, black: &str, result: &str| {
        format!(
            "[Event \"E\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n*\n\n"
        )
    };
    let texts = |word: &str, result: &str| {
        let pdn = game("A", "B", "2-0") + &game("C", word, result) + &game("D", word, result);
        [format!("{table}1;2;C;{word};{result};\n1;3;D;{word};{result};\n"), pdn]
    };
    for (word, result, expected) in [
        ("bye", "2-0", "bye 2"),
        ("Vrij", "*", "bye 2"),
        ("libre", "1-1", "half bye 1"),
        ("exempt", "2-0", "bye 2"),
        ("Свободен", "0-2", "absent 0"),
    ] {
        for text in texts(word, result) {
            let merged = import_over(&Tournament::default(), text.as_bytes()).unwrap();
            let section = &merged.tournament.sections[0];
            let byes: Vec<String> =
                section.byes.iter().map(|bye| format!("{} {}", bye.kind.name(), bye.points)).collect();
            assert_eq!((section.players.len(), section.pairings.len()), (4, 1), "{text}");
            assert_eq!(byes, [expected, expected], "{text}");
            let notice_count = merged.notes.iter().filter(|note| note.message.contains("is no player here: ")).count();
            assert_eq!(notice_count, 2, "{:?}", merged.notes);
            assert_eq!(imported_over(&merged.tournament, &text), merged.tournament);
            // Every name in a list is a player.
            let list = format!("Name;Title\nC;\n{word};\n");
            let known = imported(&list);
            let one = text.replace(&format!("1;3;D;{word};{result};\n"), "").replace(&game("D", word, result), "");
            let section = &imported_over(&known, &one).sections[0];
            assert_eq!((section.players.len(), section.pairings.len(), section.byes.len()), (4, 2, 0), "{one}");
        }
    }
    let bye = imported(format!("{table}1;;C;vrij;;vrij\n"));
    assert_eq!((bye.sections[0].players.len(), bye.sections[0].byes.len()), (3, 1));
    let teams = "Round;Board;White;Black;Result;White-team;Black-team\n1;1;A;B;2-0;X;Y\n1;2;C;bye;2-0;X;Y\n";
    let teams = imported(teams);
    let board = &teams.sections[0].pairings[1];
    assert!(board.has_one_player() && board.match_id.is_some() && teams.sections[0].players.len() == 3, "{board:?}");
    assert!(refused(&format!("{table}1;2;bye;vrij;2-0;\n")).contains("3:5: error: this pairing has neither"));
}

/// Returns a tournament with more events.
fn with_events(tournament: &Tournament, events: &[Event]) -> Tournament {
    let mut tournament = tournament.clone();
    events.iter().for_each(|event| assert_eq!(tournament.apply(event), Ok(true), "{event:?}"));
    tournament
}

/// Returns the players and their results, without internal numbers.
fn comparable_players(tournament: &Tournament) -> Vec<String> {
    let section = &tournament.sections[0];
    let name = |id| section.name_of(id).to_owned();
    let number = |id: Option<_>| id.and_then(|id| section.player(id)).and_then(|player| player.number);
    let mut lines = vec![format!("{:?} {:?} {}", tournament.event, section.planned, section.scoring)];
    for player in &section.players {
        let team = player.team.and_then(|id| section.team(id)).map(|team| &team.name);
        let of = (&player.number, &player.name, &player.title, player.rating, &player.federation);
        lines.push(format!("{of:?} {:?} {team:?}", (&player.licence, &player.birth, &player.sex)));
    }
    for pairing in &section.pairings {
        let sides = (number(pairing.white), name(pairing.white), number(pairing.black), name(pairing.black));
        lines.push(format!("{} {:?} {sides:?} {:?} {:?}", pairing.round, pairing.board, pairing.result, pairing.games));
    }
    for bye in &section.byes {
        lines.push(format!("{} {:?} {:?} {}", bye.round, name(Some(bye.player)), bye.kind, bye.points));
    }
    lines.sort();
    lines
}
