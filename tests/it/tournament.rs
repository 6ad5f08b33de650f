//! A tournament from its files to its standings: real files, damaged files, and a second implementation of the rules.
//!
//! The real files are not part of this repository. `DAMCAST_CORPUS` names the folder that holds `tournament/`; without it the tests that
//! need them print that and pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use damcast::tournament::{
    Event, MergeResult, Scoring, TieBreak, TieBreakValue, Tournament, TournamentSection, UnplayedPolicy, difference,
    lost_in_pdn, merge, read, standings, team_standings, write_csv, write_pdn, write_trf,
};
use serde_json::Value;

use crate::program::run;

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

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
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

fn tie(name: &str) -> TieBreak {
    match name {
        "SOLK" | "BH" => TieBreak::Solkoff,
        "SOLK-1" | "BH-C1" => TieBreak::ShortTruncated,
        "SOLK-FULL" => TieBreak::FullTruncated,
        "SOLK-M1" => TieBreak::Median,
        "SOLK+" => TieBreak::SolkoffPlus,
        "SB" => TieBreak::SonnebornBerger,
        "WIN" => TieBreak::Wins,
        "WON" => TieBreak::WinsPlayed,
        "DE" => TieBreak::DirectEncounter,
        other => panic!("{other} is no tie-break"),
    }
}

#[test]
fn generated_swiss_and_league_match_in_all_formats() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("generated");
    for forms in [
        ["swiss", "swiss/swiss.trf16.trf", ""],
        ["swiss", "swiss/swiss.trf26.trf", ""],
        ["swiss", "swiss/players.csv", "swiss/pairings.csv"],
        ["league", "league/league.trf16.trf", ""],
        ["league", "league/league.trf26.trf", ""],
        ["league", "league/players.csv", "league/pairings.csv"],
    ] {
        let [name, files @ ..] = forms;
        let files: Vec<PathBuf> = files.iter().filter(|file| !file.is_empty()).map(|file| folder.join(file)).collect();
        let (tournament, _) = load(&files).unwrap();
        let section = &tournament.sections[0];
        let expected = json(&folder.join(name).join("expected.json"));
        let of_players = if name == "league" { &expected["individual"] } else { &expected };
        for table in of_players["standings"].as_array().unwrap() {
            let ties: Vec<TieBreak> =
                table["ties"].as_array().unwrap().iter().map(|name| tie(name.as_str().unwrap())).collect();
            let unplayed = table["policy"].as_str().unwrap().parse().unwrap();
            let found = rows(section, section.last_round(), &ties, unplayed);
            assert_eq!(&found, table["rows"].as_array().unwrap(), "{files:?} {} {}", table["policy"], table["ties"]);
        }
        for (round, expected) in of_players["after_round"].as_object().unwrap() {
            let ties = [TieBreak::ShortTruncated, TieBreak::Solkoff, TieBreak::SonnebornBerger];
            let found = rows(section, round.parse().unwrap(), &ties, UnplayedPolicy::Fmjd);
            assert_eq!(&found, expected.as_array().unwrap(), "{files:?} after round {round}");
        }
        if name == "league" {
            // Only TRF26 can express the penalty.
            let has_penalty = files[0].ends_with("league.trf26.trf");
            teams_are(section, &expected, has_penalty);
        }
    }
    let (tournament, _) = load(&[folder.join("league/league.pdn")]).unwrap();
    teams_are(&tournament.sections[0], &json(&folder.join("league/expected.json")), false);
}

fn teams_are(section: &TournamentSection, expected: &Value, has_penalty: bool) {
    let name = |id| section.team(id).unwrap().name.clone();
    let found: Vec<(String, i64, String, String)> = team_standings(section, section.last_round())
        .iter()
        .map(|row| (name(row.team), row.played as i64, row.match_points.to_string(), row.board_points.to_string()))
        .collect();
    let teams = expected["teams"].as_array().unwrap().iter().map(|team| {
        let points = team["match_points"].as_i64().unwrap();
        let taken = if has_penalty { 0 } else { team["penalty"].as_i64().unwrap() };
        let board_points = team["board_points"].to_string();
        let name = team["name"].as_str().unwrap().to_owned();
        (name, team["played"].as_i64().unwrap(), (points + taken).to_string(), board_points)
    });
    assert_eq!(found, teams.collect::<Vec<_>>());
    let mut matches: Vec<(u32, String, String, String)> = section
        .matches
        .iter()
        .map(|this| {
            let (home, away, is_complete) = section.board_points(this.id);
            assert!(is_complete);
            (this.round, name(this.home), name(this.away), format!("{home}-{away}"))
        })
        .collect();
    let mut wanted: Vec<(u32, String, String, String)> = expected["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |at: usize| row[at].as_str().unwrap().to_owned();
            (row[0].as_u64().unwrap() as u32, text(2), text(3), format!("{}-{}", row[4], row[5]))
        })
        .collect();
    matches.sort();
    wanted.sort();
    assert_eq!(matches, wanted);
}

#[test]
fn games_without_moves_give_points_and_listed_players() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("generated/swiss");
    let expected = json(&folder.join("expected.json"));
    let (listed, _) = load(&[folder.join("players.csv")]).unwrap();
    let mut wanted: Vec<(String, String)> = listed.sections[0]
        .players
        .iter()
        .map(|player| {
            let points = &expected["points_without_byes"][player.number.unwrap().to_string()];
            (player.name.clone(), points.as_str().unwrap().to_owned())
        })
        .collect();
    wanted.sort();
    for files in [vec!["swiss.pdn"], vec!["players.csv", "swiss.pdn"]] {
        let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
        let (tournament, notes) = load(&files).unwrap();
        let section = &tournament.sections[0];
        assert_eq!(section.players.len(), 67);
        let rows = standings(section, 9, &[], UnplayedPolicy::Fmjd).rows;
        let mut found: Vec<(String, String)> =
            rows.iter().map(|row| (section.name_of(Some(row.player)).to_owned(), row.points.to_string())).collect();
        found.sort();
        assert_eq!(found, wanted);
        assert!(notes.iter().any(|note| note.contains("plays twice in round 1")), "{notes:?}");
    }
}

#[test]
fn micro_match_counts_twelve_eight_seven_or_six() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("generated/match");
    let (tournament, _) = load(&[folder.join("match.csv")]).unwrap();
    let section = &tournament.sections[0];
    let expected = json(&folder.join("expected.json"));
    for row in expected["after_round"].as_array().unwrap() {
        let rows = standings(section, row[0].as_u64().unwrap() as u32, &[], UnplayedPolicy::Fmjd).rows;
        let of = |name: &Value| {
            let found = rows.iter().find(|row| section.name_of(Some(row.player)) == name.as_str().unwrap());
            found.unwrap().points.to_string()
        };
        let names = expected["players"].as_array().unwrap();
        assert_eq!((of(&names[0]), of(&names[1])), (row[1].to_string(), row[2].to_string()), "{row}");
    }
}

#[test]
fn ouagadougou_2022_has_68_points_and_truncated_solkoffs() {
    let Some(corpus) = corpus() else { return };
    let expected = json(&corpus.join("derived/ouagadougou-2022.expected.json"));
    let table = corpus.join("real/clpippel/2022-Ouagadougou-Open.csv");
    let lines = fs::read_to_string(&table).unwrap();
    let names: Vec<&str> = lines.lines().skip(3).map(|line| line.split(';').nth(3).unwrap().trim()).collect();
    for file in [table.clone(), corpus.join("derived/ouagadougou-2022.trf")] {
        let (tournament, _) = load(&[file]).unwrap();
        let section = &tournament.sections[0];
        let rows = standings(section, 9, &[TieBreak::ShortTruncated], UnplayedPolicy::Fmjd).rows;
        let by_name: BTreeMap<&str, (String, Value)> = rows
            .iter()
            .map(|row| (section.name_of(Some(row.player)), (row.points.to_string(), shown(&row.tie_breaks[0]))))
            .collect();
        let published = expected["published"].as_array().unwrap();
        let is_right = |row: &&Value| {
            let name = names[row[0].as_u64().unwrap() as usize - 1];
            let (points, solkoff) = &by_name[name];
            points == row[2].as_str().unwrap() && *solkoff == row[3]
        };
        assert_eq!(published.iter().filter(is_right).count(), 68);
    }
}

#[test]
fn fide_exercises_match() {
    let Some(corpus) = corpus() else { return };
    let (tournament, _) = load(&[corpus.join("real/sharly/trf-import-test.trf")]).unwrap();
    let section = &tournament.sections[0];
    let mut checked = 0;
    for exercise in json(&corpus.join("real/sharly/tec-expected.json"))["expected"].as_array().unwrap() {
        let name = exercise["tie"].as_str().unwrap();
        if !["BH", "BH-C1", "SB", "WIN", "WON"].contains(&name) {
            continue;
        }
        let rows = standings(section, 5, &[tie(name)], exercise["policy"].as_str().unwrap().parse().unwrap()).rows;
        for (number, value) in exercise["values"].as_object().unwrap() {
            let of = |row: &&damcast::tournament::PlayerStanding| {
                section.player(row.player).unwrap().number.unwrap().to_string() == *number
            };
            let found = shown(&rows.iter().find(of).unwrap().tie_breaks[0]);
            assert_eq!(found.as_str().unwrap().parse::<f64>().unwrap(), value.as_f64().unwrap(), "{name} {number}");
            checked += 1;
        }
    }
    assert!(checked > 100);
}

/// Real files that are refused, each with a part of the reason.
const REFUSED_FILES: [(&str, &str); 11] = [
    ("clpippel/_validate-column-names.csv", "3:63: error: the header `16nbsp` is not known"),
    ("icu/fcsv_invalid.csv", "the file is empty"),
    ("icu/fcsv_utf-8.csv", "the header `3364` is not known"),
    ("icu/fcsv_valid.csv", "the header `456` is not known"),
    ("icu/krause_invalid.tab", "the file is empty"),
    ("icu/spx_gonzaga_challengers_2010.txt", "the header `Loc Id` is not known"),
    ("kndb/ronde1.CSV", "no row of headers"),
    ("py4swiss/incompatible_color.trf", "2:132: error: players 2 and 3 (line 3) in round 5: their colours"),
    ("py4swiss/missing_result.trf", "2:132: error: player 2 meets 3 in round 5"),
    ("py4swiss/too_many_results.trf", "round 6 of 5"),
    ("sharly/tec-expected.json", ""),
];

/// Real files whose points differ from the printed ones, with the number of players or teams affected.
const FILES_WITH_OTHER_POINTS: [(&str, usize); 5] = [
    // Team byes (320) and forfeited matches (330) have no boards of their own.
    ("echecsjs/grandmommyscup.trf", 34),
    ("sharly/example_trf26.trf", 34),
    // The file contradicts itself, deliberately or by a mistake.
    ("gnutterts/trf_testdata_trf2026-team.trf", 1),
    ("py4swiss/incorrect_points.trf", 1),
    // The file does not state the value of a bye.
    ("icu/krause_bunratty_challengers_2011.tab", 1),
];

#[test]
fn real_files_match_printed_points_or_are_refused() {
    let Some(corpus) = corpus() else { return };
    let mut files = 0;
    for folder in fs::read_dir(corpus.join("real")).unwrap().map(|entry| entry.unwrap().path()) {
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            files += 1;
            let name = file.strip_prefix(corpus.join("real")).unwrap().to_str().unwrap();
            let refused = REFUSED_FILES.iter().find(|(refused, _)| *refused == name);
            match (load(std::slice::from_ref(&file)), refused) {
                (Err(problems), Some((_, reason))) => {
                    assert!(problems.iter().any(|problem| problem.contains(reason)), "{name}: {problems:?}");
                }
                (Ok((_, notes)), None) => {
                    let differ = notes.iter().filter(|note| note.contains(" points here")).count();
                    let expected = FILES_WITH_OTHER_POINTS
                        .iter()
                        .find(|(different, _)| *different == name)
                        .map_or(0, |(_, count)| *count);
                    assert_eq!(differ, expected, "{name}: {notes:#?}");
                }
                (Err(problems), None) => panic!("{name} is refused: {problems:?}"),
                (Ok(_), Some(_)) => panic!("{name} is read"),
            }
        }
    }
    assert!(files > 60, "{files}");
}

/// Damages by `mutate.py` and their permitted results, for several seeds of each file, or those of the variable `SEEDS`: `SEEDS=25,120`
/// runs 25 to 119.
#[test]
fn damaged_files_match_labels() {
    let Some(corpus) = corpus() else { return };
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0,6".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "import glob, json, os, sys\nsys.path.insert(0, sys.argv[1])\nsys.dont_write_bytecode = True\nimport mutate\nn = 0\n\
         for f in sorted(sum([glob.glob(sys.argv[1] + '/' + d) for d in ('real/*/*', 'derived/*', 'generated/*/*')], [])):\n\
         \x20   if f.endswith('.json') or os.path.getsize(f) > 40000: continue\n\
         \x20   for s in range({seeds}):\n\
         \x20       b, done = mutate.mutate(open(f, 'rb').read(), s)\n\
         \x20       labels = {{d['expect'] for d in done}}\n\
         \x20       label = labels.pop() if len(labels) == 1 and (len(done) == 1 or 'error' not in labels) else 'any' if done else 'same'\n\
         \x20       open(f'{{sys.argv[2]}}/{{n}}', 'wb').write(b); print(json.dumps([f, s, label, done])); n += 1\n"
    );
    let made = std::process::Command::new("python3").args(["-c", &script]).arg(&corpus).arg(folder.path()).output();
    let Ok(made) = made else {
        println!("there is no python3: files are NOT damaged");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut whole: BTreeMap<String, Loaded> = BTreeMap::new();
    let mut count = 0;
    for (line, number) in String::from_utf8(made.stdout).unwrap().lines().zip(0..) {
        let job: Value = serde_json::from_str(line).unwrap();
        let (file, label) = (job[0].as_str().unwrap(), job[2].as_str().unwrap());
        let before = whole.entry(file.to_owned()).or_insert_with(|| load(&[file.into()]));
        let after = load(&[folder.path().join(number.to_string())]);
        count += 1;
        match label {
            "same" => match (before, &after) {
                (Ok((before, _)), Ok((after, _))) => assert_eq!(before, after, "{line}"),
                (before, after) => assert!(before.is_err() && after.is_err(), "{line}: {after:?}"),
            },
            "error" => {
                // Refused, or read with an additional note; each has its line and column.
                let (Ok((_, notes)) | Err(notes)) = &after;
                let known = match before {
                    Ok((_, notes)) | Err(notes) => notes,
                };
                assert!(after.is_err() || notes.iter().any(|note| !known.contains(note)), "{line}");
                let has_place =
                    |note: &String| note.split(':').take(2).all(|part| part.parse::<u64>().is_ok_and(|at| at > 0));
                assert!(notes.iter().all(has_place), "{line}: {notes:?}");
            }
            _ => {}
        }
    }
    println!("{count} damaged files");
    assert!(count > 300);
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
fn syntax_error_has_line_and_column() {
    let four = four();
    import_over(&Tournament::default(), four.as_bytes()).unwrap();
    let pairings = "Round;Board;White;Black;Result\n1;1;Sijbrands;Wiersma;2-0\n";
    import_over(&Tournament::default(), pairings.as_bytes()).unwrap();
    for (text, expected) in [
        (
            four.replace("     4 w +", "     9 w +"),
            "5:102: error: player 2 meets 9 in round 2, and there is no such player",
        ),
        (four.replace("     1 w =", "     3 w ="), "6:102: error: player 3 meets himself in round 2"),
        (four.replace("     1 w =", "     1 b ="), "4:102: error: players 1 and 3 (line 6) in round 2: their colours"),
        (four.replace("     1 b 0", "     1 b 1"), "4:92: error: players 1 and 2 (line 5) in round 1: their results"),
        (four.replace("     1 b 0", "     1 b 7"), "5:99: error: `7` is no result"),
        (four.replace("001    4", "001    3"), "7:5: error: the starting number 3 is given twice"),
        (four.replace("001    4", "001     "), "7:5: error: the player has no starting number"),
        (four.replace("Wiersma, Harm ", "Wiersma, Ha\0m "), "5:26: error: the character U+0000"),
        (four.replace("Wiersma, Harm ", "\u{1b}[31mred     "), "5:15: error: the character U+001B"),
        (four.replace("142 2", "142 1"), "round 2 of 1"),
        (four.replace("142 2", "987 2"), "2:1: error: no line of a TRF begins with `987`"),
        (String::new(), "1:1: error: the file is empty"),
        (pairings.replace("2-0", "2-x"), "2:23: error: `2-x` is no result"),
        (pairings.replace("\n1;1;", "\nx;1;"), "2:1: error: `x` is no number"),
        (pairings.replace("Result", "Utslag"), "1:25: error: the header `Utslag` is not known"),
        (pairings.replace("Wiersma;", "\"Wiersma;"), "2:15: error: this quotation mark is never closed"),
        (
            pairings.to_owned() + "1;2;Clerc;Wiersma;0-2\n",
            "3:5: error: Wiersma already plays Sijbrands in round 1, line 2",
        ),
        (pairings.to_owned() + "1;1;Clerc;Gantwarg;0-2\n", "board 1 of round 1 has"),
        (
            pairings.to_owned() + "1;1;Sijbrands;Wiersma;0-2\n",
            "3:5: error: the same pairing of round 1 stands in line 2",
        ),
        (pairings.replace("Sijbrands", &"x".repeat(10_000)), "2:5: error: a text of 10000 characters"),
        (
            "[Event \"E\"]\n[Round \"one\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"2-0\"]\n\n2-0\n".to_owned(),
            "2:1: error: the Round `one`",
        ),
        (
            "[Event \"E\"]\n[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"win\"]\n\n*\n".to_owned(),
            "5:1: error: the Result `win`",
        ),
    ] {
        let found = refused(&text);
        assert!(found.contains(expected), "{expected}\n--- {found}");
    }
    // Another notation of the result, with a note.
    for result in ["1-0", "2:0", "2 - 0"] {
        let merged = import_over(&Tournament::default(), pairings.replace("2-0", result).as_bytes()).unwrap();
        let official = merged.tournament.sections[0].pairings[0].result.unwrap();
        assert_eq!((official.white.to_string(), official.black.to_string()), ("2".to_owned(), "0".to_owned()));
        assert_eq!(merged.notes.len(), usize::from(result == "1-0"), "{:?}", merged.notes);
    }
    // Quotation marks, braces and brackets are valid in a name.
    let odd = pairings.replace("Sijbrands", "\"S\"\"ij]br}ands\"");
    let tournament = import_over(&Tournament::default(), odd.as_bytes()).unwrap().tournament;
    let section = &tournament.sections[0];
    assert_eq!(section.players[0].name, "S\"ij]br}ands");
    let again =
        import_over(&Tournament::default(), write_pdn(&tournament, section, None).as_bytes()).unwrap().tournament;
    assert_eq!(again.sections[0].players[0].name, "S\"ij]br}ands");
}

#[test]
fn truncated_file_is_refused_or_says_less() {
    let csv = "Round;Board;White;Black;Result\n1;1;Sijbrands;Wiersma;2-0\n1;2;Clerc;Gantwarg;1-1\n".to_owned();
    let game = |white: &str, black: &str, tail: &str| {
        format!("[Event \"E\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"2-0\"]\n\n{tail}")
    };
    let pdn = game("Sijbrands", "Wiersma", "2-0\n\n") + &game("Clerc", "Gantwarg", "2-0\n");
    for whole in [csv, four(), pdn.clone()] {
        let full = import_over(&Tournament::default(), whole.as_bytes()).unwrap().tournament;
        let full = comparable_players(&full);
        for end in (1..whole.len() - 1).filter(|end| whole.is_char_boundary(*end)) {
            let Ok(merged) = import_over(&Tournament::default(), &whole.as_bytes()[..end]) else { continue };
            let part = comparable_players(&merged.tournament);
            let is_less = part[1..].iter().all(|line| full.contains(line) || line.contains(" None []"));
            assert!(is_less || !merged.notes.is_empty(), "{}\n{part:#?}\n{full:#?}", &whole[..end]);
        }
    }
    let cut = "Round;Board;White;Black;Result\n1;1;Sijbrands;Wiersma;2-0\n1;2;Clerc";
    assert!(refused(cut).contains("3:5: error: the file ends within this row, after 3 of 5 cells"), "{}", refused(cut));
    import_over(&Tournament::default(), format!("{cut}\n").as_bytes()).unwrap();
    for (cut, expected) in [
        ("[Black \"Gant", "12:1: error: the tag `Black` is not closed"),
        ("[Bla", "12:1: error: the file ends within this tag"),
        ("[Black \"Gantwarg\"]\n", "12:1: error: the file ends within this game, which has no end as the others have"),
    ] {
        let found = refused(&format!("{}{cut}", &pdn[..pdn.rfind("[Black").unwrap()]));
        assert!(found.contains(expected), "{expected}\n--- {found}");
    }
    // Games with headers only, as some programs export them.
    let heads = game("Sijbrands", "Wiersma", "") + &game("Clerc", "Gantwarg", "");
    assert_eq!(import_over(&Tournament::default(), heads.as_bytes()).unwrap().notes, []);
    let found = refused(heads[..heads.rfind("[Result").unwrap()].trim_end());
    assert!(found.contains("10:1: error: the file ends within this game, which has no Result"), "{found}");
}

#[test]
fn reports_all_mistakes_of_file_at_once() {
    let text = "Round;Board;White;Black;Result;Reason\n1;1;A;B;2-x;because\nx;0;C;D;2-0;\n;2;E;F;9;\n1;3;;;2-0;\n";
    let diagnostics = import_over(&Tournament::default(), text.as_bytes()).unwrap_err();
    let places: Vec<&str> = diagnostics.iter().map(|line| line.split(" error").next().unwrap()).collect();
    assert_eq!(places, ["2:9:", "2:13:", "3:1:", "3:3:", "4:1:", "4:8:", "5:5:"], "{diagnostics:#?}");
}

#[test]
fn club_members_play_alone_and_team_members_as_team() {
    let players = "No;Name;Team\n1;A;Huissen\n2;B;Huissen\n3;C;Hijken\n4;D;Heerhugowaard\n";
    let round = |pairs: &str| format!("Round;White;Black;Result\n{pairs}");
    let mut tournament = import_over(&Tournament::default(), players.as_bytes()).unwrap().tournament;
    // The first round alone may be one of teams; the second is not.
    for (pairs, matches) in [("1;A;C;2-0\n", 1), ("2;A;D;2-0\n2;C;B;2-0\n", 0)] {
        tournament = import_over(&tournament, round(pairs).as_bytes()).unwrap().tournament;
        assert_eq!(tournament.sections[0].matches.len(), matches, "{pairs}");
    }
    let section = &tournament.sections[0];
    assert!(section.pairings.iter().all(|pairing| pairing.match_id.is_none()));
    assert_eq!(
        (section.teams.len(), team_standings(section, 2).len()),
        (3, 0),
        "the clubs are known, and have no points"
    );
    let exported = import_over(&Tournament::default(), write_csv(&tournament, section).as_bytes()).unwrap().tournament;
    assert_eq!((exported.sections[0].teams.len(), exported.sections[0].matches.len()), (3, 0));
}

/// Without a station it is unknown which pairings have an electronic board.
#[test]
fn lidraughts_limit_is_reported_without_station() {
    let home = tempfile::tempdir().unwrap();
    let (file, folder) = (home.path().join("round.csv"), home.path().join("club"));
    let import = |pairings: usize| {
        let row = |number: usize| format!("1;{number};White {number};Black {number}\n");
        let rows: String = (1..=pairings).map(row).collect();
        fs::write(&file, format!("Round;Board;White;Black\n{rows}")).unwrap();
        let directory = folder.to_str().unwrap();
        run(&["tournament", "import", file.to_str().unwrap(), "--directory", directory])
    };
    let short = import(64);
    assert!(short.code == 0 && !short.err.contains("lidraughts"), "{}{}", short.out, short.err);
    let long = import(70);
    assert!(long.code == 0 && long.err.contains("round 1 has 70 pairings"), "{}{}", long.out, long.err);
    assert!(!long.out.contains("main:"), "nobody named the section: {}", long.out);
}

#[test]
fn odd_names_are_refused_with_place_or_are_two_players() {
    let rows = |name: &str| format!("Round;Board;White;Black;Result\n1;1;{name};Wiersma;2-0\n");
    for name in ["Sij\u{1b}[2Jbrands", "Sij\tbrands\u{7}", "\"Sij\nbra\u{9b}nds\""] {
        let refusal = refused(&rows(name));
        assert!(refusal.contains("error: the character U+00"), "{refusal}");
    }
    let broken = import_over(&Tournament::default(), rows("\"Sij\nbrands\"").as_bytes()).unwrap();
    assert_eq!(broken.tournament.sections[0].players[0].name, "Sij brands");
    assert!(broken.notes[0].to_string().starts_with("2:5: note: the line break"), "{:?}", broken.notes);
    let players = "No;Name;Team\n1;Jansen;A\n2;Jansen;B\n3;Clerc;A\n";
    let listed = import_over(&Tournament::default(), players.as_bytes()).unwrap();
    let notes: Vec<String> = listed.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("two players are called `Jansen`")), "{notes:?}");
    assert_eq!(listed.tournament.sections[0].players.len(), 3);
    let paired = "Round;Board;White no;White;Black no;Black;Result\n1;1;2;Jansen;3;Clerc;2-0\n";
    let merged = import_over(&listed.tournament, paired.as_bytes()).unwrap().tournament;
    let section = &merged.sections[0];
    let white = section.pairings[0].white.and_then(|id| section.player(id)).unwrap();
    assert_eq!((white.number, section.players.len()), (Some(2), 3));
}

#[test]
fn encoding_and_repetition_change_nothing() {
    let four = four();
    let expected = import_over(&Tournament::default(), four.as_bytes()).unwrap().tournament;
    let utf16 = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let windows: Vec<u8> = four.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for bytes in [
        windows,
        utf16(&four),
        format!("\u{feff}{four}").into_bytes(),
        four.replace('\n', "\r\n").into_bytes(),
        four.replace('\n', "\r").into_bytes(),
    ] {
        assert_eq!(import_over(&Tournament::default(), &bytes).unwrap().tournament, expected);
        assert_eq!(import_over(&expected, &bytes).unwrap().tournament, expected);
    }
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
    let notes = import_over(&Tournament::default(), russian).unwrap().notes;
    assert!(notes.iter().any(|note| note.to_string().contains("read as Windows-1251")), "{notes:?}");
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
fn shared_name_without_number_is_refused() {
    let players = "Name;Rating\nJansen, Jan;1300\nJansen, Jan;1200\nClerc, Rob;\n";
    let known = import_over(&Tournament::default(), players.as_bytes()).unwrap().tournament;
    let why = import_over(&known, b"Round;White;Black\n1;Clerc, Rob;Jansen, Jan\n").unwrap_err().join("\n");
    assert!(why.contains("2:14: error: several players are called `Jansen, Jan`, the numbers 1 and 2"), "{why}");
    let numbered = b"Round;White no;White;Black no;Black\n1;3;Clerc, Rob;2;Jansen, Jan\n";
    let merged = import_over(&known, numbered).unwrap().tournament;
    let section = &merged.sections[0];
    assert_eq!((section.players.len(), section.pairings[0].black), (3, Some(section.players[1].id)));
}

#[test]
fn result_is_valid_in_scoring() {
    let row =
        |result: &str| format!("Round;Board;White;Black;Result;Reason\n1;1;Clerc;Wiersma;2-0;\n1;2;A;B;{result}\n");
    for result in ["2-2;", "3-0;", "12-0;", "1,5-0,5;", "2-0;both lost", "1-1;forfeit", "2-0;bye", "3-0;arbiter"] {
        let found = refused(&row(result));
        assert!(found.starts_with("3:9: error: "), "{result}: {found}");
    }
    let read = |text: &str| import_over(&Tournament::default(), text.as_bytes()).unwrap().tournament;
    let of = |tournament: &Tournament| {
        let result = tournament.sections[0].pairings.last().unwrap().result.unwrap();
        format!("{}-{} {}", result.white, result.black, result.reason.name())
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

/// `1+ - 1-`: a draw in which White had an advantage. It breaks ties where the section's rules allow it.
#[test]
fn plus_draw_passes_all_formats_and_breaks_ties() {
    let rows = "Round;Board;White;Black;Result\n1;1;A;B;1--1+\n1;2;C;D;1+ - 1-\n2;1;B;C;1-1\n2;2;D;A;1-1+\n";
    let tournament = import_over(&Tournament::default(), rows.as_bytes()).unwrap().tournament;
    let reasons = |tournament: &Tournament| -> Vec<&str> {
        let section = &tournament.sections[0];
        let mut pairings: Vec<_> = section.pairings.iter().collect();
        pairings.sort_by_key(|pairing| (pairing.round, pairing.board));
        pairings.iter().map(|pairing| pairing.result.map_or("*", |result| result.reason.name())).collect()
    };
    let expected = ["black plus", "white plus", "played", "black plus"];
    assert_eq!(reasons(&tournament), expected);
    let section = &tournament.sections[0];
    let table: Vec<(String, usize, String, Value)> =
        standings(section, 2, &[TieBreak::PlusDraws], UnplayedPolicy::Fmjd)
            .rows
            .iter()
            .map(|row| {
                let name = section.name_of(Some(row.player)).to_owned();
                (name, row.rank, row.points.to_string(), shown(&row.tie_breaks[0]))
            })
            .collect();
    let row = |name: &str, rank, plus: &str| (name.to_owned(), rank, "2".to_owned(), plus.into());
    assert_eq!(table, [row("B", 1, "1"), row("C", 1, "1"), row("A", 3, "0"), row("D", 4, "-2")]);
    let files = [
        write_csv(&tournament, section),
        write_trf(&tournament, section).unwrap().0,
        write_pdn(&tournament, section, None),
    ];
    for text in files {
        let again = import_over(&Tournament::default(), text.as_bytes()).unwrap().tournament;
        assert_eq!(reasons(&again), expected, "{text}");
        let result = again.sections[0].pairings[0].result.unwrap();
        assert_eq!((result.white.to_string(), result.black.to_string()), ("1".into(), "1".into()));
    }
    // A file without reasons removes none.
    let plain = "Round;Board;White;Black;Result\n1;1;A;B;1-1\n";
    assert_eq!(reasons(&import_over(&tournament, plain.as_bytes()).unwrap().tournament), expected);
    let pdn =
        "[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n[ResultFormat \"Plus draw\"]\n[Result \"1+ - 1-\"]\n\n1+ - 1-\n";
    assert_eq!(reasons(&import_over(&Tournament::default(), pdn.as_bytes()).unwrap().tournament), ["white plus"]);
    let found = refused("Round;Board;White;Black;Result;Reason\n1;1;A;B;2-0;white plus\n");
    assert!(found.contains("2-0 (white plus) is no result here: there are 1-1"), "{found}");
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
    let other = import(&players, &["--scoring", "2-1-0"]);
    assert!(other.code == 1 && other.err.contains("--scoring is for a new one"), "{}", other.err);

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
            let again =
                import_over(&Tournament::default(), write_csv(&tournament, section).as_bytes()).unwrap().tournament;
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
        let tournament = import_over(&Tournament::default(), text.as_bytes()).unwrap().tournament;
        let official = tournament.sections[0].pairings[0].result.unwrap();
        assert_eq!(format!("{}-{} {}", official.white, official.black, official.reason.name()), expected, "{result}");
    }
    for (row, expected) in
        [("A;;+-", "won without opponent"), ("A;;-/+", "lost without opponent"), (";A;-+", "won without opponent")]
    {
        let tournament =
            import_over(&Tournament::default(), format!("{table}1;{row}\n").as_bytes()).unwrap().tournament;
        assert_eq!(tournament.sections[0].byes[0].kind.name(), expected, "{row}");
    }
    let pdn = "[Event \"E\"]\n[Round \"1\"]\n[White \"A\nB\"]\n[Black \"C\"]\n[Result \"2-0\"]\n\n*\n";
    let notes = import_over(&Tournament::default(), pdn.as_bytes()).unwrap().notes;
    assert!(
        notes.iter().any(|note| note.to_string().starts_with("3:1: note: the value of `White` has a line break")),
        "{notes:?}"
    );
    let tabbed = import_over(&Tournament::default(), "No;Name\n1;A\tB\n".as_bytes()).unwrap().tournament;
    let (text, _) = write_trf(&tabbed, &tabbed.sections[0]).unwrap();
    assert!(text.contains("A B  ") && !text.contains('\t'), "{text}");
    let staged = "Round;White;Black;Result;Stage\n1;A;B;1-1;standard\n1;A;B;2-0;rapid\n";
    let staged = import_over(&Tournament::default(), staged.as_bytes()).unwrap().tournament;
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
    let bye = import_over(&Tournament::default(), row("", ";bye").as_bytes()).unwrap().tournament;
    assert_eq!(bye.sections[0].byes[0].points.to_string(), "2");
    let again = import_over(&bye, row("", ";").as_bytes()).unwrap().tournament;
    assert_eq!(again, bye, "a file that says nothing takes no bye back");
    for (message, expected) in
        [(";bye", "2-0 bye"), ("1;half bye", "1-0 bye"), ("2-0;", "2-0 bye"), ("2-0;forfeit", "2-0 forfeit")]
    {
        let tournament = import_over(&Tournament::default(), row("2", message).as_bytes()).unwrap().tournament;
        let result = tournament.sections[0].pairings[1].result.unwrap();
        assert_eq!(format!("{}-{} {}", result.white, result.black, result.reason.name()), expected, "{message}");
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
            assert_eq!(import_over(&merged.tournament, text.as_bytes()).unwrap().tournament, merged.tournament);
            // Every name in a list is a player.
            let list = format!("Name;Title\nC;\n{word};\n");
            let known = import_over(&Tournament::default(), list.as_bytes()).unwrap().tournament;
            let one = text.replace(&format!("1;3;D;{word};{result};\n"), "").replace(&game("D", word, result), "");
            let section = &import_over(&known, one.as_bytes()).unwrap().tournament.sections[0];
            assert_eq!((section.players.len(), section.pairings.len(), section.byes.len()), (4, 2, 0), "{one}");
        }
    }
    let bye = import_over(&Tournament::default(), format!("{table}1;;C;vrij;;vrij\n").as_bytes()).unwrap().tournament;
    assert_eq!((bye.sections[0].players.len(), bye.sections[0].byes.len()), (3, 1));
    let teams = "Round;Board;White;Black;Result;White-team;Black-team\n1;1;A;B;2-0;X;Y\n1;2;C;bye;2-0;X;Y\n";
    let teams = import_over(&Tournament::default(), teams.as_bytes()).unwrap().tournament;
    let board = &teams.sections[0].pairings[1];
    assert!(board.has_one_player() && board.match_id.is_some() && teams.sections[0].players.len() == 3, "{board:?}");
    assert!(refused(&format!("{table}1;2;bye;vrij;2-0;\n")).contains("3:5: error: this pairing has neither"));
}

#[test]
fn values_without_trf_column_return_or_are_reported() {
    let players = "No;Name;Title\n1;A;\n2;B;\n3;C;\n4;D;\n5;E;\n6;F;\n7;G;\n8;H;\n9;I;\n";
    let rounds = "Round;Board;White;Black;Result;Reason\n1;1;A;B;2-2;arbiter\n1;2;C;D;1-0;not played\n1;3;E;F;0-0;\n1;4;G;;;\n\
                  1;5;;H;0-1;half bye\n1;6;I;;2-0;forfeit\n";
    let known = import_over(&Tournament::default(), players.as_bytes()).unwrap().tournament;
    let mut known = import_over(&known, rounds.as_bytes()).unwrap().tournament;
    known.sections[0].dates = vec![(1, "2027.07.10".to_owned())];
    assert_roundtrip(&known, "odd results");
    let section = &known.sections[0];
    let (text, warnings) = write_trf(&known, section).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let again = import_over(&Tournament::default(), text.as_bytes()).unwrap().tournament;
    assert_eq!(again.sections[0].dates, section.dates);
    known.sections[0].players[0].title = "Grootmeester".to_owned();
    let (_, warnings) = write_trf(&known, &known.sections[0]).unwrap();
    assert_eq!(warnings, ["A: the title `Grootmeester` is cut to 3 characters"]);
}

#[test]
fn two_players_with_one_name_keep_boards() {
    let players = "No;Name;Rating\n1;Jansen, Piet;2000\n2;Jansen, Piet;1900\n3;Aa, B;1800\n4;Cc, D;1700\n";
    let games = "Round;Board;No. White;White;No. Black;Black;Result\n1;1;2;Jansen, Piet;3;Aa, B;2-0\n\
                 1;2;4;Cc, D;1;Jansen, Piet;0-2\n2;1;2;Jansen, Piet;1;Jansen, Piet;2-0\n2;2;3;Aa, B;4;Cc, D;1-1\n";
    for last in ["2;1;2;Jansen, Piet;1;Jansen, Piet;2-0", "2;1;2;Jansen, Piet;1;Jansen, Piet;*"] {
        let known = import_over(&Tournament::default(), players.as_bytes()).unwrap().tournament;
        let with = |games: &str| import_over(&known, games.as_bytes()).unwrap().tournament;
        let all = with(games);
        // A PDN has no numbers: it contains the result of the board.
        let pdn = write_pdn(&all, &all.sections[0], Some(2));
        let again =
            import_over(&with(&games.replace("2;1;2;Jansen, Piet;1;Jansen, Piet;2-0", last)), pdn.as_bytes()).unwrap();
        let points = |of: &Tournament| -> Vec<(Option<u32>, Option<String>)> {
            let section = &of.sections[0];
            section
                .round(2)
                .iter()
                .map(|of| {
                    let number = of.white.and_then(|id| section.player(id)).and_then(|player| player.number);
                    (number, of.result.map(|result| result.white.to_string()))
                })
                .collect()
        };
        assert_eq!(points(&again.tournament), points(&all), "{last}");
        assert_eq!(again.tournament.sections[0].players, all.sections[0].players, "{last}");
    }
}

#[test]
fn trf_has_points_in_format_columns() {
    let of_two_digits = four().replace("162  W 2.0    D 1.0", "162  W12.0    D 6.0");
    let printed = of_two_digits.replace(" 3.0 ", "18.0 ").replace(" 2.0 ", "12.0 ");
    let tournament = import_over(&Tournament::default(), printed.as_bytes()).unwrap().tournament;
    let section = &tournament.sections[0];
    assert_eq!((section.scoring.win.to_string(), section.scoring.draw.to_string()), ("12".to_owned(), "6".to_owned()));
    let (text, _) = write_trf(&tournament, section).unwrap();
    assert!(text.contains("\n162  W12.0    D 6.0    L 0.0    A 0.0    P12.0\n"), "{text}");
    assert_eq!(
        comparable_players(&import_over(&Tournament::default(), text.as_bytes()).unwrap().tournament),
        comparable_players(&tournament)
    );
    // Match points in columns 55 to 60, board points in 62 to 67.
    let team = |number: u32, name: &str, points: &str, player: u32| {
        format!("310 {number:>3} {name:<32} {:5} {:6} {points} {number:>3}  {player:>4}\n", "", "")
    };
    let draw = player(1, "Sijbrands, Ton", "1.5", "     2 w =     2 b 1")
        + &player(2, "Wiersma, Harm", "0.5", "     1 b =     1 w 0");
    let teams = "012 Cup\n162  W 1.0    D 0.5    L 0.0\n".to_owned()
        + &team(1, "Hunzedal", "   3.0    1.5", 1)
        + &team(2, "Schijf", "   1.0    0.5", 2)
        + &draw;
    let has_no_boards = "1:1: note: the file has no boards: they are numbered in the order of points and numbers";
    let notes = |text: &str| -> Vec<String> {
        import_over(&Tournament::default(), text.as_bytes()).unwrap().notes.iter().map(ToString::to_string).collect()
    };
    assert_eq!(notes(&teams), [has_no_boards]);
    let found = notes(&teams.replace("   3.0    1.5", "   3.0    1.0"));
    assert!(found[1].contains("3 match points and 1 board points here"), "{found:?}");
    let Some(corpus) = corpus() else { return };
    let (cup, _) = load(&[corpus.join("real/echecsjs/grandmommyscup.trf")]).unwrap();
    let found = notes(&write_trf(&cup, &cup.sections[0]).unwrap().0);
    assert!(!found.iter().any(|note| note.contains(" points here")), "{found:#?}");
}

#[test]
fn older_file_never_plans_fewer_rounds() {
    let known = import_over(&Tournament::default(), four().as_bytes()).unwrap().tournament;
    let older = "142 1\n".to_owned()
        + &player(1, "Sijbrands, Ton", "2.0", "     2 w 1")
        + &player(2, "Wiersma, Harm", "0.0", "     1 b 0");
    let merged = import_over(&known, older.as_bytes()).unwrap();
    assert_eq!(merged.tournament.sections[0].planned, Some(2));
    let notes: Vec<String> = merged.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["1:1: note: rounds planned: 1, and there are 2 already: 2 are planned"]);
}

#[test]
fn refuses_other_tournament_and_corrects_other_result() {
    let known = import_over(&Tournament::default(), four().as_bytes()).unwrap().tournament;
    let other = four()
        .replace("Sijbrands, Ton", "Clerc, Rob    ")
        .replace("Wiersma, Harm", "Gantwarg, An.")
        .replace("Jannes", "Hendri");
    let problems = import_over(&known, other.as_bytes()).unwrap_err().join("\n");
    assert!(problems.contains("4:5: error: player 1 is `Sijbrands, Ton`, and `Clerc, Rob` in this file"), "{problems}");
    assert!(problems.contains("--section"), "{problems}");
    let one = four().replace("Wiersma, Harm", "Wiersma, H.  ");
    let renamed = import_over(&known, one.as_bytes()).unwrap();
    assert!(renamed.notes[0].to_string().contains("he gets the new name"), "{:?}", renamed.notes);
    let corrected = four().replace("     3 b =", "     3 b 0").replace("     1 w =", "     1 w 1");
    let after = import_over(&known, corrected.as_bytes()).unwrap();
    let notes: Vec<String> = after.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("has 3 points here, but the games and byes give 2")), "{notes:?}");
    let correction = difference(&known, &after.tournament);
    let result = |event: &Event| match event {
        Event::ResultGiven { result, .. } => format!("{}-{}", result.white, result.black),
        other => panic!("{other:?}"),
    };
    assert_eq!(correction.iter().map(result).collect::<Vec<_>>(), ["2-0"]);
    assert_eq!(with_events(&known, &correction), after.tournament);
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

fn assert_roundtrip(tournament: &Tournament, of: &str) {
    let section = &tournament.sections[0];
    if let Ok((text, _)) = write_trf(tournament, section) {
        let again = import_over(&Tournament::default(), text.as_bytes())
            .unwrap_or_else(|problems| panic!("{of}: {problems:?}\n{text}"));
        assert_eq!(comparable_players(&again.tournament), comparable_players(tournament), "{of}\n{text}");
        assert!(!again.notes.iter().any(|note| note.message.contains(" points here")), "{of}: {:?}", again.notes);
        for unplayed in UnplayedPolicy::ALL {
            let tables =
                |tournament: &Tournament| rows(&tournament.sections[0], section.last_round(), &TieBreak::ALL, unplayed);
            assert_eq!(tables(&again.tournament), tables(tournament), "{of}");
        }
        assert_eq!(import_over(tournament, text.as_bytes()).unwrap().tournament, *tournament, "{of}: laid over itself");
    }
    let text = write_csv(tournament, section);
    let again = import_over(&Tournament::default(), text.as_bytes())
        .unwrap_or_else(|problems| panic!("{of}: {problems:?}\n{text}"));
    assert_eq!(comparable_players(&again.tournament), comparable_players(tournament), "{of}\n{text}");
    assert_eq!(import_over(tournament, text.as_bytes()).unwrap().tournament, *tournament, "{of}: laid over itself");
    let events = difference(&Tournament::default(), tournament);
    assert_eq!(with_events(&Tournament::default(), &events), *tournament, "{of}: through events");
    let text = serde_json::to_string(&events).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Event>>(&text).unwrap(), events, "{of}: through JSON");
    assert_eq!(difference(tournament, tournament), [], "{of}");
}

#[test]
fn export_import_roundtrip() {
    assert_roundtrip(&import_over(&Tournament::default(), four().as_bytes()).unwrap().tournament, "four");
    let Some(corpus) = corpus() else { return };
    for files in [
        vec!["generated/swiss/swiss.trf16.trf"],
        vec!["generated/swiss/players.csv", "generated/swiss/pairings.csv"],
        vec!["generated/league/league.trf16.trf"],
        vec!["generated/league/players.csv", "generated/league/pairings.csv"],
        vec!["generated/match/match.csv"],
        vec!["derived/ouagadougou-2022.trf"],
        vec!["real/clpippel/1948-wereldkampioenschap-KNDB.csv"],
        vec!["real/sharly/trf-import-test.trf"],
        vec!["real/sharly/2020_06.trf"],
    ] {
        let (mut tournament, _) = load(&files.iter().map(|file| corpus.join(file)).collect::<Vec<_>>()).unwrap();
        if files[0].ends_with("match.csv") {
            // The export numbers players that have none.
            let text = write_csv(&tournament, &tournament.sections[0]);
            tournament = import_over(&Tournament::default(), text.as_bytes()).unwrap().tournament;
        }
        assert_roundtrip(&tournament, files[0]);
    }
}
