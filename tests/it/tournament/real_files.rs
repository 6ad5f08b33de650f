//! Files of real and generated tournaments: printed points and standings, and damages.

use super::*;

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
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
