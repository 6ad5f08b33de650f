//! Files for pairing programs, and tables for people.

pub(crate) mod csv;
pub(crate) mod pdn;
pub(crate) mod tables;
pub(crate) mod trf;

use trf::numbers;

use crate::value::optional_text;
use crate::{AdjustmentTarget, EventInfo, Id, Tournament, TournamentSection, UnplayedPolicy};

/// Returns facts that a format has no place for, for comments in exported files: `damcast KEY VALUE`.
pub(crate) fn extension_comments(tournament: &Tournament, section: &TournamentSection) -> Vec<(&'static str, String)> {
    let names = EventInfo::FACTS.into_iter().map(|name| if name == "name" { "event" } else { name });
    let mut asides: Vec<(&str, String)> = names.zip(tournament.event.facts().map(String::clone)).collect();
    asides
        .extend(tournament.event.schedule.iter().map(|moment| ("schedule", format!("{} {}", moment.at, moment.name))));
    let ties: Vec<&str> = section.tie_breaks.iter().map(|tie| tie.name()).collect();
    let unplayed = Some(section.unplayed).filter(|unplayed| *unplayed != UnplayedPolicy::default());
    asides.extend([
        ("scoring", section.scoring.to_string()),
        ("rounds", optional_text(section.planned)),
        ("tie-breaks", ties.join(",")),
        ("unplayed", optional_text(unplayed)),
    ]);
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
