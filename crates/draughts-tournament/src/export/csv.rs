//! The players and the pairings of a section as tables.

use super::extension_comments;
use crate::import::csv::EXTENSION_COMMENT;
use crate::value::optional_text;
use crate::{Id, MicroMatchGame, Pairing, Tournament, TournamentSection, trf_numbers};

/// Returns a line of a table; its fields are quoted if necessary.
fn line(fields: &[&str]) -> String {
    let field = |text: &&str| match text.contains([';', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => (*text).to_owned(),
    };
    fields.iter().map(field).collect::<Vec<_>>().join(";") + "\n"
}

/// Returns the players and the pairings of a section: two tables with an empty line between them, UTF-8 with `;`. Facts without a column
/// are in comments above them.
pub fn write(tournament: &Tournament, section: &TournamentSection) -> String {
    let mut text = String::new();
    for (key, value) in extension_comments(tournament, section) {
        text += &format!("{EXTENSION_COMMENT}{key} {value}\n");
    }
    text + &players(section) + "\n" + &pairings(section)
}

fn players(section: &TournamentSection) -> String {
    let mut text = "Number;Name;Title;Rating;Federation;Id;Birth;Sex;Team\n".to_owned();
    let numbers = trf_numbers(section);
    let mut sorted: Vec<_> = section.players.iter().collect();
    sorted.sort_by_key(|player| numbers.get(&player.id).copied());
    for player in sorted {
        text += &line(&[
            &optional_text(numbers.get(&player.id)),
            &player.name,
            &player.title,
            &optional_text(player.rating),
            &player.federation,
            &player.licence,
            &player.birth,
            &player.sex,
            section.team_name(player.team),
        ]);
    }
    text
}

fn pairings(section: &TournamentSection) -> String {
    let mut head = vec!["Round", "Board", "White-number", "White", "Black-number", "Black", "Result", "Reason"];
    let has_stages = section.pairings.iter().any(|pairing| !pairing.games.is_empty());
    if section.has_matches() {
        head.extend(["White-team", "Black-team"]);
    }
    if has_stages {
        head.extend(["Stage", "Time-control"]);
    }
    let numbers = trf_numbers(section);
    let number_of = |id: Option<Id>| optional_text(id.and_then(|id| numbers.get(&id)));
    let mut text = head.join(";") + "\n";
    for round in 1..=section.last_round() {
        for pairing in section.round(round) {
            let mut write = |game: Option<&MicroMatchGame>| {
                let is_swapped = game.is_some_and(|game| game.is_swapped);
                let [white, black] = match is_swapped {
                    true => [pairing.black, pairing.white],
                    false => [pairing.white, pairing.black],
                };
                let points = match game {
                    Some(game) => game.result,
                    None => pairing.result.map(|result| (result.white, result.black)),
                };
                let result = points.map_or("*".to_owned(), |(white, black)| format!("{white}-{black}"));
                let reason = pairing.result.filter(|_| game.is_none()).map_or("", |result| result.reason.name());
                let (round, board) = (round.to_string(), optional_text(pairing.board));
                let (white_number, black_number) = (number_of(white), number_of(black));
                let (white_name, black_name) = (section.name_of(white), section.name_of(black));
                let mut fields =
                    vec![&*round, &board, &white_number, white_name, &black_number, black_name, &result, reason];
                if section.has_matches() {
                    fields.extend([team(section, pairing, white, black), team(section, pairing, black, white)]);
                }
                if has_stages {
                    fields.extend(game.map_or(["", ""], |game| [game.stage.name(), &game.time_control]));
                }
                text += &line(&fields);
            };
            if pairing.games.is_empty() {
                write(None);
            }
            pairing.games.iter().for_each(|game| write(Some(game)));
        }
        for bye in section.byes.iter().filter(|bye| bye.round == round) {
            let (round, number, points) = (round.to_string(), number_of(Some(bye.player)), bye.points.to_string());
            let name = section.name_of(Some(bye.player));
            let mut fields = vec![&*round, "", &number, name, "", "", &points, bye.kind.name()];
            fields.resize(head.len(), "");
            text += &line(&fields);
        }
    }
    text
}

/// Returns the team of one side in a match; that of an empty board follows from the opponent.
fn team<'s>(section: &'s TournamentSection, pairing: &Pairing, own: Option<Id>, other: Option<Id>) -> &'s str {
    let Some(of) = section.match_of(pairing) else { return "" };
    let opposite = |team: Id| if team == of.home { of.away } else { of.home };
    section.team_name(section.team_of(own).or(section.team_of(other).map(opposite)))
}
