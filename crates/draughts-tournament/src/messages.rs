//! Messages for people about changes: the number of new things, and old and new values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use crate::value::result::result_text;
use crate::{AdjustmentTarget, CorrectedGame, Id, Pairing, Player, Tournament, TournamentSection};

/// Fields of a thing by their names; fields without a value are left out.
type Fields = BTreeMap<&'static str, String>;

/// Kinds of things in the order of messages, with their plural.
const KINDS: [(&str, &str); 8] = [
    ("event", ""),
    ("section", "sections"),
    ("team", "teams"),
    ("player", "players"),
    ("match", "matches"),
    ("pairing", "pairings"),
    ("bye", "byes"),
    ("adjustment", "adjustments"),
];

/// Describes the changes between two tournaments, one line per change. `subject`: file or request, for the first line.
pub(crate) fn describe_changes(subject: &str, before: &Tournament, after: &Tournament) -> Vec<String> {
    let mut lines = Vec::new();
    let mut new = Vec::new();
    for (kind, plural) in KINDS {
        let (old, fields) = (fields_of(kind, before), fields_of(kind, after));
        match fields.keys().filter(|id| !old.contains_key(id)).count() {
            0 => {}
            _ if kind == "event" => {}
            1 => new.push(format!("1 {kind}")),
            count => new.push(format!("{count} {plural}")),
        }
        let none = Fields::new();
        for (id, known) in &old {
            let changes = changed_fields(known, fields.get(id).unwrap_or(&none));
            if !changes.is_empty() {
                let name = name_of(kind, *id, after).or_else(|| name_of(kind, *id, before));
                lines.push(format!("{}: {changes}", name.unwrap_or_else(|| format!("{kind} {id}"))));
            }
        }
    }
    for game in &after.games {
        let changes = changed_tags(before.corrected(&game.board, game.number), game);
        if !changes.is_empty() {
            lines.push(format!("{}, game {}: {changes}", game.board, game.number));
        }
    }
    let first = match new.as_slice() {
        [] => None,
        [one] if one.starts_with("1 ") => Some(format!("{subject}: {one} is new")),
        several => Some(format!("{subject}: {} are new", several.join(", "))),
    };
    first.into_iter().chain(lines).collect()
}

/// Returns changed fields as `result 1-1 (was 2-0), reason played (was nothing)`.
fn changed_fields(before: &Fields, after: &Fields) -> String {
    let names: BTreeSet<&&str> = before.keys().chain(after.keys()).collect();
    let changed = names.into_iter().filter(|name| before.get(**name) != after.get(**name));
    let shown = |fields: &Fields, name: &str| fields.get(name).cloned().unwrap_or_else(|| "nothing".to_owned());
    let changes = changed.map(|name| format!("{name} {} (was {})", shown(after, name), shown(before, name)));
    changes.collect::<Vec<String>>().join(", ")
}

fn changed_tags(before: Option<&CorrectedGame>, after: &CorrectedGame) -> String {
    let known = |name: &String| before.and_then(|before| before.tags.get(name));
    let names: BTreeSet<&String> =
        before.into_iter().flat_map(|before| before.tags.keys()).chain(after.tags.keys()).collect();
    let shown = |value: &str| if value.is_empty() { "nothing".to_owned() } else { value.to_owned() };
    let changed = names.into_iter().filter(|name| known(name) != after.tags.get(*name));
    let change = |name: &String| {
        let tag = after.tags.get(name).cloned().unwrap_or_default();
        let old = known(name).map(|known| known.value.clone()).filter(|value| !value.is_empty());
        format!("{name} {} (was {})", shown(&tag.value), shown(&old.unwrap_or(tag.original)))
    };
    changed.map(change).collect::<Vec<String>>().join(", ")
}

/// Returns the name of a thing for people.
fn name_of(kind: &str, id: Id, tournament: &Tournament) -> Option<String> {
    tournament.sections.iter().find_map(|section| match kind {
        "player" => section.player(id).map(|player| player.name.clone()),
        "team" => section.team(id).map(|team| team.name.clone()),
        "pairing" => section.pairings.iter().find(|pairing| pairing.id == id).map(|of| section.describe_pairing(of)),
        "bye" => {
            let bye = section.byes.iter().find(|bye| bye.id == id)?;
            Some(format!("round {}, {}", bye.round, section.name_of(Some(bye.player))))
        }
        _ => None,
    })
}

fn fields_of(kind: &str, tournament: &Tournament) -> BTreeMap<Id, Fields> {
    if kind == "event" {
        let of = &tournament.event;
        let facts = fields(&[
            ("name", &of.name),
            ("site", &of.site),
            ("federation", &of.federation),
            ("start", &of.start),
            ("end", &of.end),
            ("arbiter", &of.arbiter),
            ("time-control", &of.time_control),
        ]);
        return (!facts.is_empty()).then_some((Id(1), facts)).into_iter().collect();
    }
    let sections = tournament.sections.iter();
    match kind {
        "section" => sections.map(|section| (section.id, section_fields(section))).collect(),
        "team" => sections.flat_map(team_fields).collect(),
        "player" => {
            let players = sections.flat_map(|section| section.players.iter().map(move |player| (section, player)));
            players.map(|(section, player)| (player.id, player_fields(section, player))).collect()
        }
        "match" => sections.flat_map(match_fields).collect(),
        "pairing" => {
            let pairings = sections.flat_map(|section| section.pairings.iter().map(move |pairing| (section, pairing)));
            pairings.map(|(section, pairing)| (pairing.id, pairing_fields(section, pairing))).collect()
        }
        "bye" => sections.flat_map(bye_fields).collect(),
        _ => sections.flat_map(adjustment_fields).collect(),
    }
}

fn fields(of: &[(&'static str, &dyn Display)]) -> Fields {
    let texts = of.iter().map(|(name, value)| (*name, value.to_string()));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

fn optional<T: Display>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn joined<T: Display>(values: impl IntoIterator<Item = T>, separator: &str) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(separator)
}

fn section_fields(of: &TournamentSection) -> Fields {
    fields(&[
        ("name", &of.name),
        ("scoring", &of.scoring),
        ("tie-breaks", &joined(of.tie_breaks.iter(), ",")),
        ("unplayed", &of.unplayed),
        ("rounds", &optional(of.planned)),
        ("dates", &joined(of.dates.iter().map(|(round, date)| format!("{round}={date}")), ";")),
    ])
}

fn team_fields(section: &TournamentSection) -> impl Iterator<Item = (Id, Fields)> {
    section.teams.iter().map(|of| {
        let facts: [(&'static str, &dyn Display); 5] = [
            ("section", &section.id),
            ("number", &of.number),
            ("name", &of.name),
            ("federation", &of.federation),
            ("lineup", &joined(of.lineup.iter(), " ")),
        ];
        (of.id, fields(&facts))
    })
}

/// Returns facts about a player, without former names, which could reveal a hidden player.
fn player_fields(section: &TournamentSection, of: &Player) -> Fields {
    fields(&[
        ("section", &section.id),
        ("number", &optional(of.number)),
        ("name", &of.name),
        ("title", &of.title),
        ("rating", &optional(of.rating)),
        ("federation", &of.federation),
        ("licence", &of.licence),
        ("birth", &of.birth),
        ("sex", &of.sex),
        ("team", &optional(of.team)),
    ])
}

fn match_fields(section: &TournamentSection) -> impl Iterator<Item = (Id, Fields)> {
    section.matches.iter().map(|of| {
        let facts: [(&'static str, &dyn Display); 4] =
            [("section", &section.id), ("round", &of.round), ("home", &of.home), ("away", &of.away)];
        (of.id, fields(&facts))
    })
}

/// Returns facts about a pairing, without its station board, which is visible on the station.
fn pairing_fields(section: &TournamentSection, of: &Pairing) -> Fields {
    let mut facts = fields(&[
        ("section", &section.id),
        ("round", &of.round),
        ("board", &optional(of.board)),
        ("match", &optional(of.match_id)),
        ("white", &optional(of.white)),
        ("black", &optional(of.black)),
        ("later", &of.deferral.map_or("", |deferral| deferral.name())),
        ("elsewhere", &of.board_override),
        ("result", &optional(of.result.map(|result| result_text(result.white, result.black)))),
        ("reason", &of.result.map_or("", |result| result.reason.name())),
    ]);
    for game in &of.games {
        let colors = if game.is_swapped { "swapped" } else { "as-paired" };
        let result = game.result.map_or("*".to_owned(), |(white, black)| result_text(white, black));
        facts.insert(game.stage.name(), format!("{colors} {result} {}", game.time_control).trim_end().to_owned());
    }
    facts
}

fn bye_fields(section: &TournamentSection) -> impl Iterator<Item = (Id, Fields)> {
    section.byes.iter().map(|of| {
        let facts: [(&'static str, &dyn Display); 5] = [
            ("section", &section.id),
            ("round", &of.round),
            ("player", &of.player),
            ("why", &of.kind.name()),
            ("points", &of.points),
        ];
        (of.id, fields(&facts))
    })
}

fn adjustment_fields(section: &TournamentSection) -> impl Iterator<Item = (Id, Fields)> {
    section.adjustments.iter().map(|of| {
        let target: (&'static str, &dyn Display) = match &of.target {
            AdjustmentTarget::Player(id) => ("player", id),
            AdjustmentTarget::Team(id) => ("team", id),
        };
        let facts: [(&'static str, &dyn Display); 5] = [
            ("section", &section.id),
            target,
            ("points", &of.points),
            ("match-points", &of.match_points),
            ("reason", &of.reason),
        ];
        (of.id, fields(&facts))
    })
}
