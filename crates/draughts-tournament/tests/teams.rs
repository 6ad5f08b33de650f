//! Matches of teams: rounds that are paired anew, and substitutes.
#![allow(clippy::unwrap_used, reason = "a test that meets what it did not expect should stop there")]

use draughts_tournament::{Event, Id, Tournament, merge, read, team_standings};

const FIRST: &str = "Round;Board;White;Team White;Black;Team Black;Result\n\
    1;1;Ann;A;Bob;B;2-0\n1;2;Cor;A;Dirk;B;1-1\n1;3;Eva;C;Fay;D;2-0\n1;4;Gus;C;Hans;D;1-1\n";

fn with_file(tournament: &Tournament, file: &str) -> Tournament {
    merge(tournament, None, &read(file.as_bytes(), None, "").unwrap()).unwrap().tournament
}

/// Returns the name, the number of matches and the match points of each team, best first.
fn standings(tournament: &Tournament) -> Vec<(String, usize, String)> {
    let section = &tournament.sections[0];
    let name = |team: Id| section.teams.iter().find(|of| of.id == team).unwrap().name.clone();
    let rows = team_standings(section, 9);
    rows.iter().map(|row| (name(row.team), row.played, row.match_points.to_string())).collect()
}

fn expected(rows: [(&str, usize, &str); 4]) -> Vec<(String, usize, String)> {
    rows.map(|(name, played, points)| (name.to_owned(), played, points.to_owned())).into()
}

#[test]
fn round_paired_anew_leaves_no_match_of_the_first_draw() {
    let known = with_file(&Tournament::default(), FIRST);
    let drawn = |pairs: [[&str; 2]; 4]| {
        let lines = pairs.iter().zip(1..).map(|([white, black], board)| format!("2;{board};{white};{black}\n"));
        format!("Round;Board;White;Black\n{}", lines.collect::<String>())
    };
    let first = drawn([["Ann", "Eva"], ["Gus", "Cor"], ["Bob", "Fay"], ["Hans", "Dirk"]]);
    let anew = drawn([["Ann", "Fay"], ["Hans", "Cor"], ["Bob", "Eva"], ["Gus", "Dirk"]]);
    let known = with_file(&with_file(&known, &first), &anew);
    assert_eq!(known.sections[0].matches.len(), 4, "{:?}", known.sections[0].matches);
    assert_eq!(standings(&known), expected([("A", 1, "2"), ("C", 1, "2"), ("B", 1, "0"), ("D", 1, "0")]));
}

#[test]
fn substitute_of_another_team_plays_for_the_team_of_the_match() {
    let known = with_file(&Tournament::default(), FIRST);
    let mut known = with_file(&known, "Name;Team\nIda;C\n");
    let id = |name: &str| known.sections[0].players.iter().find(|player| player.name == name).unwrap().id;
    let (ann, ida) = (id("Ann"), id("Ida"));
    let pairing = known.sections[0].pairings.iter().find(|pairing| pairing.white == Some(ann)).unwrap().id;
    known.apply(&Event::PlayerSubstituted { pairing, player: ann, substitute: ida }).unwrap();
    let order = expected([("A", 1, "2"), ("C", 1, "2"), ("B", 1, "0"), ("D", 1, "0")]);
    assert_eq!(standings(&known), order);
    // Another import leaves the matches as they are.
    let known = with_file(&known, "Round;Board;White;Black\n2;1;Ann;Eva\n2;2;Gus;Cor\n2;3;Bob;Fay\n2;4;Hans;Dirk\n");
    assert_eq!(known.sections[0].matches.len(), 4);
    assert_eq!(standings(&known), order);
}
