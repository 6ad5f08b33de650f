//! Files for pairing programs, and tables for people.

pub(crate) mod csv;
pub(crate) mod pdn;
pub(crate) mod tables;
pub(crate) mod trf;

use trf::numbers;

use crate::{AdjustmentTarget, EventInfo, Id, Tournament, TournamentSection, UnplayedPolicy};

/// Returns facts that a format has no place for, for comments in exported files: `damcast KEY VALUE`.
pub(crate) fn extension_comments(tournament: &Tournament, section: &TournamentSection) -> Vec<(&'static str, String)> {
    let EventInfo { name, site, federation, start, end, arbiter, time_control } = &tournament.event;
    let ties: Vec<&str> = section.tie_breaks.iter().map(|tie| tie.name()).collect();
    let mut asides = vec![
        ("event", name.clone()),
        ("site", site.clone()),
        ("federation", federation.clone()),
        ("start", start.clone()),
        ("end", end.clone()),
        ("arbiter", arbiter.clone()),
        ("time-control", time_control.clone()),
        ("scoring", section.scoring.to_string()),
        ("rounds", section.planned.map_or(String::new(), |planned| planned.to_string())),
        ("tie-breaks", ties.join(",")),
        (
            "unplayed",
            if section.unplayed == UnplayedPolicy::default() { String::new() } else { section.unplayed.to_string() },
        ),
    ];
    asides.extend(section.dates.iter().map(|(round, date)| ("date", format!("{round} {date}"))));
    asides.extend(section.teams.iter().map(|team| ("team", format!("{} {}", team.number, team.name))));
    let numbers = numbers(section);
    let number_of = |id: Id| numbers.get(&id).copied().unwrap_or(0);
    for adjustment in &section.adjustments {
        asides.push(match adjustment.target {
            AdjustmentTarget::Player(id) => {
                ("points", format!("{} {} {}", number_of(id), adjustment.points, adjustment.reason))
            }
            AdjustmentTarget::Team(id) => {
                let number = section.team(id).map_or(0, |team| team.number);
                ("penalty", format!("{number} {} {} {}", adjustment.match_points, adjustment.points, adjustment.reason))
            }
        });
    }
    asides.retain(|(_, value)| !value.is_empty());
    asides
}
