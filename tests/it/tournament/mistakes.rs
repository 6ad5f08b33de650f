//! Mistakes in files: each is refused, or noted, with its place.

use super::*;

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
    let tournament = imported(&odd);
    let section = &tournament.sections[0];
    assert_eq!(section.players[0].name, "S\"ij]br}ands");
    let again = imported(write_pdn(&tournament, section, None));
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
        let full = imported(&whole);
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
    assert_eq!(import_notes(&heads), Vec::<String>::new());
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
fn odd_names_are_refused_with_place_or_are_two_players() {
    let rows = |name: &str| format!("Round;Board;White;Black;Result\n1;1;{name};Wiersma;2-0\n");
    for name in ["Sij\u{1b}[2Jbrands", "Sij\tbrands\u{7}", "\"Sij\nbra\u{9b}nds\""] {
        assert_contains(&refused(&rows(name)), &["error: the character U+00"]);
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
    let merged = imported_over(&listed.tournament, paired);
    let section = &merged.sections[0];
    let white = section.pairings[0].white.and_then(|id| section.player(id)).unwrap();
    assert_eq!((white.number, section.players.len()), (Some(2), 3));
}

#[test]
fn shared_name_without_number_is_refused() {
    let players = "Name;Rating\nJansen, Jan;1300\nJansen, Jan;1200\nClerc, Rob;\n";
    let known = imported(players);
    let why = import_over(&known, b"Round;White;Black\n1;Clerc, Rob;Jansen, Jan\n").unwrap_err().join("\n");
    assert!(why.contains("2:14: error: several players are called `Jansen, Jan`, the numbers 1 and 2"), "{why}");
    let numbered = b"Round;White no;White;Black no;Black\n1;3;Clerc, Rob;2;Jansen, Jan\n";
    let merged = imported_over(&known, numbered);
    let section = &merged.sections[0];
    assert_eq!((section.players.len(), section.pairings[0].black), (3, Some(section.players[1].id)));
}

#[test]
fn older_file_never_plans_fewer_rounds() {
    let known = imported(four());
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
    let known = imported(four());
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
