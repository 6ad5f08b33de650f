//! Lookup of sections and players by their names, or by the numbers of the pairing program.

use crate::{Id, Tournament, TournamentSection, numbers};

/// Returns the named section, or the only one.
///
/// # Errors
///
/// Returns a message if there is none, or if the name is needed.
pub fn only_section<'t>(tournament: &'t Tournament, name: Option<&str>) -> Result<&'t TournamentSection, String> {
    let names = || tournament.sections.iter().map(|section| section.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, tournament.sections.as_slice()) {
        (_, []) => Err("there is no tournament here yet: `damcast tournament import FILE` takes one over".to_owned()),
        (Some(name), _) => {
            tournament.section(name).ok_or_else(|| format!("there is no section {name}; there are {}", names()))
        }
        (None, [only]) => Ok(only),
        (None, _) => Err(format!("there are several sections: say with --section which, {}", names())),
    }
}

/// Returns the players of a section with a name or a number: that of the pairing program, or the one in exported files.
pub(super) fn find_players(section: &TournamentSection, called: &str) -> Vec<Id> {
    let named: Vec<Id> = section.players_named(called).into_iter().map(|known| known.id).collect();
    match called.parse::<u32>() {
        Ok(number) if named.is_empty() => {
            numbers(section).into_iter().filter(|(_, own)| *own == number).map(|(id, _)| id).collect()
        }
        _ => named,
    }
}

/// Returns the only player with a name or a number, and their section.
pub(super) fn find_player(tournament: &Tournament, section: Option<&str>, called: &str) -> Result<(Id, Id), String> {
    let asked = tournament.sections.iter().filter(|of| section.is_none_or(|name| of.name == name));
    let found: Vec<(&TournamentSection, Vec<Id>)> =
        asked.map(|of| (of, find_players(of, called))).filter(|(_, found)| !found.is_empty()).collect();
    match found.as_slice() {
        [] => Err(no_player(called)),
        [(of, one)] if one.len() == 1 => Ok((of.id, one[0])),
        [(of, several)] => Err(describe_choices(of, several, called)),
        several => {
            let names: Vec<&str> = several.iter().map(|(of, _)| of.name.as_str()).collect();
            Err(format!(
                "there is a player {called} in several sections: say with --section which, {}",
                names.join(", ")
            ))
        }
    }
}

pub(super) fn no_player(called: &str) -> String {
    format!("there is no player {called}; give the name as it stands in the tournament, or the number")
}

/// Describes players of one name by their numbers and other known facts.
pub(super) fn describe_choices(section: &TournamentSection, several: &[Id], called: &str) -> String {
    let numbers_of = numbers(section);
    let one = |id: &Id| {
        let player = section.player(*id)?;
        let team = player.team.and_then(|team| section.team(team)).map(|team| team.name.clone());
        let rating = player.rating.map(|rating| rating.to_string());
        let federation = Some(player.federation.clone()).filter(|federation| !federation.is_empty());
        let known: Vec<String> = [team, federation, rating].into_iter().flatten().collect();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        Some(format!("{}{known}", numbers_of.get(id)?))
    };
    let numbers: Vec<String> = several.iter().filter_map(one).collect();
    format!("there are several players {called}: give the number instead of the name: {}", numbers.join(" or "))
}
