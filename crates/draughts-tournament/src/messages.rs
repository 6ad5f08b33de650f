//! Messages for people about changes: the number of new things, and old and new values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use crate::value::optional_text;
use crate::value::result::result_text;
use crate::{AdjustmentTarget, CorrectedGame, EventInfo, Id, Pairing, Tournament, TournamentSection};

/// Fields of a thing by their names; fields without a value are left out.
type Fields = BTreeMap<&'static str, String>;

/// Kind of a thing, in the order of messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Event,
    Section,
    Team,
    Player,
    Match,
    Pairing,
    Bye,
    Adjustment,
}

impl Kind {
    /// Returns the name and its plural.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Kind::Event => ("event", "events"),
            Kind::Section => ("section", "sections"),
            Kind::Team => ("team", "teams"),
            Kind::Player => ("player", "players"),
            Kind::Match => ("match", "matches"),
            Kind::Pairing => ("pairing", "pairings"),
            Kind::Bye => ("bye", "byes"),
            Kind::Adjustment => ("adjustment", "adjustments"),
        }
    }
}

/// Describes the changes between two tournaments, one line per change. `subject`: file or request, for the first line.
pub(crate) fn describe_changes(subject: &str, before: &Tournament, after: &Tournament) -> Vec<String> {
    let (old, new) = (things(before), things(after));
    let mut lines = Vec::new();
    for (&(kind, id), known) in &old {
        let changes = match new.get(&(kind, id)) {
            Some(new) => changed_fields(known, new),
            None => "removed".to_owned(),
        };
        if !changes.is_empty() {
            let name = name_of(kind, id, after).or_else(|| name_of(kind, id, before));
            lines.push(format!("{}: {changes}", name.unwrap_or_else(|| format!("{} {id}", kind.names().0))));
        }
    }
    for game in &after.games {
        let changes = changed_tags(before.corrected(&game.board, game.number), game);
        if !changes.is_empty() {
            lines.push(format!("{}, game {}: {changes}", game.board, game.number));
        }
    }
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    for (kind, _) in new.keys().filter(|key| key.0 != Kind::Event && !old.contains_key(key)) {
        *counts.entry(*kind).or_default() += 1;
    }
    let added = counts.into_iter().map(|(kind, count)| match count {
        1 => format!("1 {}", kind.names().0),
        _ => format!("{count} {}", kind.names().1),
    });
    let first = match added.collect::<Vec<String>>().as_slice() {
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
fn name_of(kind: Kind, id: Id, tournament: &Tournament) -> Option<String> {
    tournament.sections.iter().find_map(|section| match kind {
        Kind::Player => section.player(id).map(|player| player.name.clone()),
        Kind::Team => section.team(id).map(|team| team.name.clone()),
        Kind::Pairing => {
            section.pairings.iter().find(|pairing| pairing.id == id).map(|of| section.describe_pairing(of))
        }
        Kind::Match => {
            let of = section.matches.iter().find(|of| of.id == id)?;
            let team = |id| section.team(id).map_or("no team", |team| team.name.as_str());
            Some(format!("match of round {}, {} - {}", of.round, team(of.home), team(of.away)))
        }
        Kind::Bye => {
            let bye = section.byes.iter().find(|bye| bye.id == id)?;
            Some(format!("round {}, {}", bye.round, section.name_of(Some(bye.player))))
        }
        _ => None,
    })
}

/// Returns everything in a tournament.
fn things(tournament: &Tournament) -> BTreeMap<(Kind, Id), Fields> {
    let mut things = BTreeMap::new();
    if tournament.event != EventInfo::default() {
        things.insert((Kind::Event, Id(1)), event_fields(&tournament.event));
    }
    for section in &tournament.sections {
        things.extend(section_things(section));
    }
    things
}

/// Returns a section and everything in it.
fn section_things(section: &TournamentSection) -> Vec<((Kind, Id), Fields)> {
    let rules = fields(&[
        ("name", &section.name),
        ("scoring", &section.scoring),
        ("tie-breaks", &joined(&section.tie_breaks, ",")),
        ("unplayed", &section.unplayed),
        ("rounds", &optional_text(section.planned)),
        ("dates", &joined(section.dates.iter().map(|(round, date)| format!("{round}={date}")), ";")),
    ]);
    let mut things = vec![((Kind::Section, section.id), rules)];
    let mut add = |kind: Kind, id: Id, of: &[(&'static str, &dyn Display)]| {
        let mut facts = fields(of);
        facts.insert("section", section.id.to_string());
        things.push(((kind, id), facts));
    };
    for of in &section.teams {
        let lineup = joined(&of.lineup, " ");
        let facts: [(_, &dyn Display); 4] =
            [("number", &of.number), ("name", &of.name), ("federation", &of.federation), ("lineup", &lineup)];
        add(Kind::Team, of.id, &facts);
    }
    for of in &section.players {
        // Former names could reveal a hidden player.
        let facts: [(_, &dyn Display); 9] = [
            ("number", &optional_text(of.number)),
            ("name", &of.name),
            ("title", &of.title),
            ("rating", &optional_text(of.rating)),
            ("federation", &of.federation),
            ("licence", &of.licence),
            ("birth", &of.birth),
            ("sex", &of.sex),
            ("team", &optional_text(of.team)),
        ];
        add(Kind::Player, of.id, &facts);
    }
    for of in &section.matches {
        add(Kind::Match, of.id, &[("round", &of.round), ("home", &of.home), ("away", &of.away)]);
    }
    for of in &section.byes {
        let facts: [(_, &dyn Display); 4] =
            [("round", &of.round), ("player", &of.player), ("why", &of.kind), ("points", &of.points)];
        add(Kind::Bye, of.id, &facts);
    }
    for of in &section.adjustments {
        let target: (_, &dyn Display) = match &of.target {
            AdjustmentTarget::Player(id) => ("player", id),
            AdjustmentTarget::Team(id) => ("team", id),
        };
        let facts: [(_, &dyn Display); 4] =
            [target, ("points", &of.points), ("match-points", &of.match_points), ("reason", &of.reason)];
        add(Kind::Adjustment, of.id, &facts);
    }
    things.extend(section.pairings.iter().map(|of| ((Kind::Pairing, of.id), pairing_fields(section, of))));
    things
}

/// Describes an event of which nothing was known before.
pub(crate) fn describe_event(info: &EventInfo) -> String {
    format!("event: {}", joined(event_fields(info).into_iter().map(|(name, text)| format!("{name} {text}")), ", "))
}

fn event_fields(info: &EventInfo) -> Fields {
    let schedule = joined(info.schedule.iter().map(|moment| format!("{} {}", moment.at, moment.name)), "; ");
    let others = [("schedule", schedule), ("report", beginning(&info.report))];
    let facts = EventInfo::FACTS.into_iter().zip(info.facts().map(String::clone)).chain(others);
    facts.filter(|(_, text)| !text.is_empty()).collect()
}

/// Returns the number of characters of a long text, and its beginning on one line; empty if the text is.
fn beginning(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if text.is_empty() { String::new() } else { format!("of {} characters: {start:?}", text.chars().count()) }
}

fn fields(of: &[(&'static str, &dyn Display)]) -> Fields {
    let texts = of.iter().map(|(name, value)| (*name, value.to_string()));
    texts.filter(|(_, text)| !text.is_empty()).collect()
}

fn joined<T: Display>(values: impl IntoIterator<Item = T>, separator: &str) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(separator)
}

/// Returns facts about a pairing, without its station board, which is visible on the station.
fn pairing_fields(section: &TournamentSection, of: &Pairing) -> Fields {
    let mut facts = fields(&[
        ("section", &section.id),
        ("round", &of.round),
        ("board", &optional_text(of.board)),
        ("match", &optional_text(of.match_id)),
        ("white", &optional_text(of.white)),
        ("black", &optional_text(of.black)),
        ("later", &optional_text(of.deferral)),
        ("elsewhere", &of.board_override),
        ("result", &optional_text(of.result)),
        ("reason", &optional_text(of.result.map(|result| result.reason))),
    ]);
    for game in &of.games {
        let colors = if game.is_swapped { "swapped" } else { "as-paired" };
        let result = game.result.map_or("*".to_owned(), |(white, black)| result_text(white, black));
        facts.insert(game.stage.name(), format!("{colors} {result} {}", game.time_control).trim_end().to_owned());
    }
    facts
}
