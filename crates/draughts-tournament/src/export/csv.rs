//! The players and the pairings of a section as tables.

use super::extension_comments;
use crate::import::csv::EXTENSION_COMMENT;
use crate::numbers;
use crate::{Id, Tournament, TournamentSection};

/// Returns a field of a table, quoted if necessary.
fn field(text: &str) -> String {
    if text.contains([';', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Returns the players and the pairings of a section: two tables with an empty line between them, UTF-8 with `;`. Facts without a column
/// are in comments above them.
pub fn write(tournament: &Tournament, section: &TournamentSection) -> String {
    let comments: String = extension_comments(tournament, section)
        .into_iter()
        .map(|(key, value)| format!("{EXTENSION_COMMENT}{key} {value}\n"))
        .collect();
    let numbers = numbers(section);
    let number_of = |id: Id| numbers.get(&id).map_or(String::new(), u32::to_string);
    let line = |fields: &[&str]| fields.iter().map(|text| field(text)).collect::<Vec<_>>().join(";") + "\n";
    let mut players = "Number;Name;Title;Rating;Federation;Id;Birth;Sex;Team\n".to_owned();
    let mut sorted: Vec<_> = section.players.iter().collect();
    sorted.sort_by_key(|player| numbers.get(&player.id).copied());
    for player in sorted {
        let rating = player.rating.map_or(String::new(), |rating| rating.to_string());
        let team = player.team.and_then(|id| section.team(id)).map_or("", |team| team.name.as_str());
        players += &line(&[
            &number_of(player.id),
            &player.name,
            &player.title,
            &rating,
            &player.federation,
            &player.licence,
            &player.birth,
            &player.sex,
            team,
        ]);
    }
    let mut head = vec!["Round", "Board", "White-number", "White", "Black-number", "Black", "Result", "Reason"];
    let (has_teams, has_stages) =
        (!section.matches.is_empty(), section.pairings.iter().any(|pairing| !pairing.games.is_empty()));
    if has_teams {
        head.extend(["White-team", "Black-team"]);
    }
    if has_stages {
        head.extend(["Stage", "Time-control"]);
    }
    let mut pairings = head.join(";") + "\n";
    for round in 1..=section.last_round() {
        for pairing in section.round(round) {
            let of = pairing.match_id.and_then(|id| section.matches.iter().find(|this| this.id == id));
            let team = |own: Option<Id>, other: Option<Id>| -> &str {
                let team_of = |id: Option<Id>| id.and_then(|id| section.player(id)).and_then(|player| player.team);
                let Some(of) = of else { return "" };
                let opposite = |team: Id| if team == of.home { of.away } else { of.home };
                let team = team_of(own).or(team_of(other).map(opposite));
                team.and_then(|id| section.team(id)).map_or("", |team| team.name.as_str())
            };
            let board = pairing.board.map_or(String::new(), |board| board.to_string());
            let result = pairing.result.map_or("*".to_owned(), |result| format!("{}-{}", result.white, result.black));
            let reason = pairing.result.map_or("", |result| result.reason.name());
            let (white, black) = (pairing.white, pairing.black);
            let mut write = |white: Option<Id>, black: Option<Id>, result: &str, reason: &str, more: &[&str]| {
                let number = |id: Option<Id>| id.map_or(String::new(), number_of);
                let (white_number, black_number) = (number(white), number(black));
                let (round, white_name, black_name) =
                    (round.to_string(), section.name_of(white), section.name_of(black));
                let mut fields =
                    vec![round.as_str(), &board, &white_number, white_name, &black_number, black_name, result, reason];
                if has_teams {
                    fields.extend([team(white, black), team(black, white)]);
                }
                fields.extend(more);
                pairings += &line(&fields);
            };
            if pairing.games.is_empty() {
                write(white, black, &result, reason, if has_stages { &["", ""] } else { &[] });
            }
            for game in &pairing.games {
                let (first, second) = if game.is_swapped { (black, white) } else { (white, black) };
                let result = game.result.map_or("*".to_owned(), |(first, second)| format!("{first}-{second}"));
                write(first, second, &result, "", &[game.stage.name(), &game.time_control]);
            }
        }
        for bye in section.byes.iter().filter(|bye| bye.round == round) {
            let (number, points) = (number_of(bye.player), bye.points.to_string());
            let round = round.to_string();
            let mut fields =
                vec![round.as_str(), "", &number, section.name_of(Some(bye.player)), "", "", &points, bye.kind.name()];
            fields.resize(head.len(), "");
            pairings += &line(&fields);
        }
    }
    format!("{comments}{players}\n{pairings}")
}
