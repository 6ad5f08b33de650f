//! Exported files mean the tournament that they come from.

use super::*;

#[test]
fn encoding_and_repetition_change_nothing() {
    let four = four();
    let expected = imported(&four);
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
        assert_eq!(imported(&bytes), expected);
        assert_eq!(imported_over(&expected, &bytes), expected);
    }
}

/// `1+ - 1-`: a draw in which White had an advantage. It breaks ties where the section's rules allow it.
#[test]
fn plus_draw_passes_all_formats_and_breaks_ties() {
    let rows = "Round;Board;White;Black;Result\n1;1;A;B;1--1+\n1;2;C;D;1+ - 1-\n2;1;B;C;1-1\n2;2;D;A;1-1+\n";
    let tournament = imported(rows);
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
        let again = imported(&text);
        assert_eq!(reasons(&again), expected, "{text}");
        let result = again.sections[0].pairings[0].result.unwrap();
        assert_eq!((result.white.to_string(), result.black.to_string()), ("1".into(), "1".into()));
    }
    // A file without reasons removes none.
    let plain = "Round;Board;White;Black;Result\n1;1;A;B;1-1\n";
    assert_eq!(reasons(&imported_over(&tournament, plain)), expected);
    let pdn =
        "[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n[ResultFormat \"Plus draw\"]\n[Result \"1+ - 1-\"]\n\n1+ - 1-\n";
    assert_eq!(reasons(&imported(pdn)), ["white plus"]);
    let found = refused("Round;Board;White;Black;Result;Reason\n1;1;A;B;2-0;white plus\n");
    assert!(found.contains("2-0 (white plus) is no result here: there are 1-1"), "{found}");
}

#[test]
fn values_without_trf_column_return_or_are_reported() {
    let players = "No;Name;Title\n1;A;\n2;B;\n3;C;\n4;D;\n5;E;\n6;F;\n7;G;\n8;H;\n9;I;\n";
    let rounds = "Round;Board;White;Black;Result;Reason\n1;1;A;B;2-2;arbiter\n1;2;C;D;1-0;not played\n1;3;E;F;0-0;\n1;4;G;;;\n\
                  1;5;;H;0-1;half bye\n1;6;I;;2-0;forfeit\n";
    let known = imported(players);
    let mut known = imported_over(&known, rounds);
    known.sections[0].dates = vec![(1, "2027.07.10".to_owned())];
    assert_roundtrip(&known, "odd results");
    let section = &known.sections[0];
    let (text, warnings) = write_trf(&known, section).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let again = imported(text);
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
        let known = imported(players);
        let with = |games: &str| imported_over(&known, games);
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
    let tournament = imported(&printed);
    let section = &tournament.sections[0];
    assert_eq!((section.scoring.win.to_string(), section.scoring.draw.to_string()), ("12".to_owned(), "6".to_owned()));
    let (text, _) = write_trf(&tournament, section).unwrap();
    assert!(text.contains("\n162  W12.0    D 6.0    L 0.0    A 0.0    P12.0\n"), "{text}");
    assert_eq!(comparable_players(&imported(text)), comparable_players(&tournament));
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
    assert_eq!(import_notes(&teams), [has_no_boards]);
    let found = import_notes(teams.replace("   3.0    1.5", "   3.0    1.0"));
    assert!(found[1].contains("3 match points and 1 board points here"), "{found:?}");
    let Some(corpus) = corpus() else { return };
    let (cup, _) = load(&[corpus.join("real/echecsjs/grandmommyscup.trf")]).unwrap();
    let found = import_notes(&write_trf(&cup, &cup.sections[0]).unwrap().0);
    assert!(!found.iter().any(|note| note.contains(" points here")), "{found:#?}");
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
        assert_eq!(imported_over(tournament, text), *tournament, "{of}: laid over itself");
    }
    let text = write_csv(tournament, section);
    let again = import_over(&Tournament::default(), text.as_bytes())
        .unwrap_or_else(|problems| panic!("{of}: {problems:?}\n{text}"));
    assert_eq!(comparable_players(&again.tournament), comparable_players(tournament), "{of}\n{text}");
    assert_eq!(imported_over(tournament, text), *tournament, "{of}: laid over itself");
    let events = difference(&Tournament::default(), tournament);
    assert_eq!(with_events(&Tournament::default(), &events), *tournament, "{of}: through events");
    let text = serde_json::to_string(&events).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Event>>(&text).unwrap(), events, "{of}: through JSON");
    assert_eq!(difference(tournament, tournament), [], "{of}");
}

#[test]
fn export_import_roundtrip() {
    assert_roundtrip(&imported(four()), "four");
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
            tournament = imported(text);
        }
        assert_roundtrip(&tournament, files[0]);
    }
}
