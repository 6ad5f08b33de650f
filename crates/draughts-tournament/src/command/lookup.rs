//! Lookup of sections and players by their names, or by the numbers of the pairing program.

use crate::value::optional_text;
use crate::{Id, Player, Tournament, TournamentSection, trf_numbers};

/// Returns the named section, or the only one.
///
/// # Errors
///
/// Returns a message if there is none, or if the name is needed.
pub fn only_section<'t>(tournament: &'t Tournament, name: Option<&str>) -> Result<&'t TournamentSection, String> {
    let names = || tournament.section_names();
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
pub(super) fn find_players<'s>(section: &'s TournamentSection, called: &str) -> Vec<&'s Player> {
    let named = section.players_named(called);
    match called.parse::<u32>() {
        Ok(number) if named.is_empty() => {
            let numbers = trf_numbers(section);
            section.players.iter().filter(|player| numbers.get(&player.id) == Some(&number)).collect()
        }
        _ => named,
    }
}

/// Returns the only player of a section with a name or a number.
///
/// # Errors
///
/// Returns a message if there is none, or if there are several.
pub(crate) fn find_only_player(section: &TournamentSection, called: &str) -> Result<Id, String> {
    match find_players(section, called).as_slice() {
        [] => Err(no_player(called)),
        [only] => Ok(only.id),
        several => Err(describe_choices(section, several, called)),
    }
}

/// Returns the only player with a name or a number.
pub(super) fn find_player<'t>(
    tournament: &'t Tournament,
    section: Option<&str>,
    called: &str,
) -> Result<&'t Player, String> {
    let mut found = Vec::new();
    for of in tournament.sections.iter().filter(|of| section.is_none_or(|name| of.name == name)) {
        found.push((of, find_players(of, called)));
    }
    found.retain(|(_, players)| !players.is_empty());
    match found.as_slice() {
        [] => Err(no_player(called)),
        [(of, players)] => match players.as_slice() {
            [only] => Ok(only),
            several => Err(describe_choices(of, several, called)),
        },
        several => {
            let names: Vec<&str> = several.iter().map(|(of, _)| of.name.as_str()).collect();
            let names = names.join(", ");
            Err(format!("there is a player {called} in several sections: say with --section which, {names}"))
        }
    }
}

pub(super) fn no_player(called: &str) -> String {
    format!("there is no player {called}; give the name as it stands in the tournament, or the number")
}

/// Describes players of one name by their numbers and other known facts.
pub(super) fn describe_choices(section: &TournamentSection, several: &[&Player], called: &str) -> String {
    let numbers_of = trf_numbers(section);
    let one = |player: &&Player| {
        let known = [section.team_name(player.team), &player.federation, &optional_text(player.rating)];
        let known: Vec<&str> = known.into_iter().filter(|known| !known.is_empty()).collect();
        let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
        Some(format!("{}{known}", numbers_of.get(&player.id)?))
    };
    let numbers: Vec<String> = several.iter().filter_map(one).collect();
    format!("there are several players {called}: give the number instead of the name: {}", numbers.join(" or "))
}
