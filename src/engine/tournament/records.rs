//! The record of a tournament: what its lines say, as values, and the tournament that they make.
//!
//! ```text
//!   Record ─ version, who, when, request, what it saw ─ [Change: entity, fields before, fields after]
//!   Book   ─ all fields of all entities ─▸ Tournament       Tournament ─▸ fields ─ against the Book ─▸ [Change]
//! ```
//!
//! An entity is a kind and a number, `player 12`; its fields are texts. So a record says what was before and what is after in the same
//! words, for every kind, and a field that this version does not know stays as it is.
//!
//! Invariants: a record applies only to the fields that it says were there; versions count from 1 without a gap; a request that was
//! done is not done again.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::points::Points;
use super::rounds::{format_pairing_key, parse_pairing_key};
use super::scoring::MicroMatchStage;
use super::{
    Adjustment, AdjustmentTarget, Bye, ByeKind, CorrectedGame, CorrectedTag, Deferral, EventInfo, Id, Match,
    MicroMatchGame, OfficialResult, Pairing, Player, ResultReason, SectionRound, Team, Tournament, TournamentSection,
};

/// What stands before the name of a tag in the fields of a game: as it is to be shown.
pub const TAG: &str = "tag ";
/// And before that of the tag as it was at first.
pub const ORIGINAL_PREFIX: &str = "was ";

/// The fields of an entity: those that are empty are not there.
pub type Fields = BTreeMap<String, String>;

/// The kinds of entities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EntityKind {
    /// The event; there is one, number 1.
    Event,
    /// A section.
    Section,
    /// A team.
    Team,
    /// A player.
    Player,
    /// A match of two teams.
    Match,
    /// A pairing.
    Pairing,
    /// A round without an opponent.
    Bye,
    /// Points beside the games.
    Adjustment,
    /// A round that was published.
    Round,
    /// What is corrected of a game that a board has recorded.
    Game,
}

impl EntityKind {
    /// All of them.
    pub const ALL: [EntityKind; 10] = [
        EntityKind::Event,
        EntityKind::Section,
        EntityKind::Team,
        EntityKind::Player,
        EntityKind::Match,
        EntityKind::Pairing,
        EntityKind::Bye,
        EntityKind::Adjustment,
        EntityKind::Round,
        EntityKind::Game,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            EntityKind::Event => "event",
            EntityKind::Section => "section",
            EntityKind::Team => "team",
            EntityKind::Player => "player",
            EntityKind::Match => "match",
            EntityKind::Pairing => "pairing",
            EntityKind::Bye => "bye",
            EntityKind::Adjustment => "adjustment",
            EntityKind::Round => "round",
            EntityKind::Game => "game",
        }
    }
}

/// A thing of the tournament: `player 12`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entity {
    /// Its kind.
    pub kind: EntityKind,
    /// Its number among its kind.
    pub id: Id,
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.id)
    }
}

impl FromStr for Entity {
    type Err = String;

    fn from_str(text: &str) -> Result<Entity, String> {
        let found = text.split_once(' ').and_then(|(kind, id)| {
            let kind = EntityKind::ALL.into_iter().find(|known| known.name() == kind)?;
            Some(Entity { kind, id: Id(id.parse().ok()?) })
        });
        found.ok_or_else(|| format!("`{text}` is no entity, as `player 12`"))
    }
}

/// What becomes of an entity: the fields that change, as they were and as they are then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityChange {
    /// Which.
    pub entity: Entity,
    /// As they were; without one that was not there.
    pub old: Fields,
    /// As they are then; without one that is not there any more.
    pub new: Fields,
}

impl EntityChange {
    /// The tags of a recorded game that change, and what they are then; empty: left out.
    pub fn tags(&self) -> BTreeMap<&str, &str> {
        let left_out = self.old.keys().filter_map(|name| name.strip_prefix(TAG));
        let left_out = left_out.chain(self.new.keys().filter_map(|name| name.strip_prefix(ORIGINAL_PREFIX)));
        let new = self.new.iter().filter_map(|(name, value)| Some((name.strip_prefix(TAG)?, value.as_str())));
        left_out.map(|tag| (tag, "")).chain(new).collect()
    }
}

/// A line of the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TournamentRecord {
    /// The version that the tournament has with it: one more than before.
    pub version: u64,
    /// When, as `2027-07-10T09:30:00.000+02:00`.
    pub at: String,
    /// Who.
    pub by: String,
    /// What the request is called, so that it is done once.
    pub request: String,
    /// The version that whoever asked had seen.
    pub base_version: u64,
    /// What was asked, as `import swiss.trf`.
    pub action: String,
    /// Why.
    pub reason: String,
    /// What it does, by entity.
    pub changes: Vec<EntityChange>,
}

/// Why a record does not apply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// The request was done already, as this version.
    Duplicate(u64),
    /// Whoever asked had seen another version: which it is now, and what has been done since, each with its version.
    Stale(u64, Vec<(u64, String)>),
    /// The record is no next one, or says of a field what is not so.
    Invalid(String),
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Duplicate(version) => write!(f, "this request was done already, as version {version}"),
            Conflict::Stale(now, since) => {
                match since.as_slice() {
                    [] => write!(f, "the tournament has no such version yet, it is at version {now};")?,
                    _ => f.write_str("the tournament has changed since then:")?,
                }
                since.iter().try_for_each(|(version, what)| write!(f, " version {version}: {what};"))?;
                f.write_str(" look at it, and ask again")
            }
            Conflict::Invalid(what) => f.write_str(what),
        }
    }
}

/// All that the records say.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct EntityStore {
    entities: BTreeMap<Entity, Fields>,
    requests: BTreeMap<String, u64>,
    descriptions: Vec<String>,
}

impl EntityStore {
    /// The version: how many records there are.
    pub fn version(&self) -> u64 {
        self.descriptions.len() as u64
    }

    /// The entities of a kind, by id.
    pub fn entities(&self, kind: EntityKind) -> impl Iterator<Item = (Id, &Fields)> {
        let of = self.entities.range(Entity { kind, id: Id(0) }..=Entity { kind, id: Id(u32::MAX) });
        of.map(|(entity, fields)| (entity.id, fields))
    }

    /// The fields of an entity.
    pub fn fields(&self, kind: EntityKind, id: Id) -> Option<&Fields> {
        self.entities.get(&Entity { kind, id })
    }

    /// What was done after a version, each with its own.
    pub fn changes_since(&self, version: u64) -> Vec<(u64, String)> {
        self.descriptions
            .iter()
            .cloned()
            .zip(1..)
            .map(|(what, version)| (version, what))
            .filter(|(of, _)| *of > version)
            .collect()
    }

    /// May a request of this name, made of this version, be done?
    ///
    /// # Errors
    ///
    /// It was done already, or the tournament has changed since.
    pub fn check_request(&self, request: &str, saw: u64) -> Result<(), Conflict> {
        match self.requests.get(request) {
            Some(version) => Err(Conflict::Duplicate(*version)),
            None if saw != self.version() => Err(Conflict::Stale(self.version(), self.changes_since(saw))),
            None => Ok(()),
        }
    }

    /// Takes a record in.
    ///
    /// # Errors
    ///
    /// When it is not the next one, its request was done already, or it was made of something else; then nothing has changed.
    pub fn apply(&mut self, record: &TournamentRecord) -> Result<(), Conflict> {
        let next = self.version() + 1;
        if record.version != next {
            return Err(Conflict::Invalid(format!("version {} stands where {next} is to be", record.version)));
        }
        self.check_request(&record.request, record.base_version)?;
        let mut changed: BTreeMap<Entity, Fields> = BTreeMap::new();
        for EntityChange { entity, old, new } in &record.changes {
            let fields =
                changed.entry(*entity).or_insert_with(|| self.entities.get(entity).cloned().unwrap_or_default());
            for name in old.keys().chain(new.keys()) {
                if fields.get(name) != old.get(name) {
                    return Err(Conflict::Invalid(format!("{name} of {entity} is not what the record says it was")));
                }
            }
            fields.retain(|name, _| !old.contains_key(name));
            fields.extend(new.clone());
        }
        for (entity, fields) in changed {
            if fields.is_empty() {
                self.entities.remove(&entity);
            } else {
                self.entities.insert(entity, fields);
            }
        }
        self.requests.insert(record.request.clone(), record.version);
        self.descriptions.push(record.action.clone());
        Ok(())
    }

    /// What must change so that the book says this. Fields that this version does not know stay.
    pub fn changes_to(&self, tournament: &Tournament) -> Vec<EntityChange> {
        let wanted = fields_of(tournament);
        let nothing = Fields::new();
        // Of what is made anew every field stays in the tournament's words; so a comparison with those is one of what is known.
        let known = self.tournament().map(|known| fields_of(&known)).unwrap_or_default();
        let mut entities: Vec<&Entity> = wanted.keys().chain(known.keys()).collect();
        entities.sort();
        entities.dedup();
        let change = |entity: &Entity| {
            let (before, after) = (known.get(entity).unwrap_or(&nothing), wanted.get(entity).unwrap_or(&nothing));
            let there = self.entities.get(entity).unwrap_or(&nothing);
            let differs = |name: &&String| before.get(*name) != after.get(*name);
            let mut names: Vec<&String> = before.keys().chain(after.keys()).filter(differs).collect();
            // What is gone takes with it what this version does not know.
            if after.is_empty() {
                names.extend(there.keys());
            }
            let of = |fields: &Fields| -> Fields {
                names.iter().filter_map(|name| Some(((*name).clone(), fields.get(*name)?.clone()))).collect()
            };
            (!names.is_empty()).then(|| EntityChange { entity: *entity, old: of(there), new: of(after) })
        };
        entities.into_iter().filter_map(change).collect()
    }

    /// The tournament that the records make.
    ///
    /// # Errors
    ///
    /// When a field cannot be understood; says which.
    pub fn tournament(&self) -> Result<Tournament, String> {
        let mut tournament = Tournament::default();
        for (entity, fields) in &self.entities {
            let reading = FieldReader { entity: *entity, fields };
            read_entity(&mut tournament, &reading)?;
        }
        Ok(tournament)
    }
}

/// The fields of all entities of a tournament.
fn fields_of(tournament: &Tournament) -> BTreeMap<Entity, Fields> {
    let mut all = BTreeMap::new();
    let mut put = |kind: EntityKind, id: Id, pairs: Vec<(&str, String)>| {
        let fields: Fields = pairs
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        if !fields.is_empty() {
            all.insert(Entity { kind, id }, fields);
        }
    };
    let number = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
    let id = |id: Option<Id>| id.map_or(String::new(), |id| id.to_string());
    let EventInfo { name, site, federation, start, end, arbiter, time_control } = tournament.event.clone();
    let event = vec![
        ("name", name),
        ("site", site),
        ("federation", federation),
        ("start", start),
        ("end", end),
        ("arbiter", arbiter),
        ("time-control", time_control),
    ];
    put(EntityKind::Event, Id(1), event);
    for section in &tournament.sections {
        let of = || ("section", section.id.to_string());
        let ties: Vec<&str> = section.tie_breaks.iter().map(|tie| tie.name()).collect();
        let dates: Vec<String> = section.dates.iter().map(|(round, date)| format!("{round}={date}")).collect();
        put(
            EntityKind::Section,
            section.id,
            vec![
                ("name", section.name.clone()),
                ("scoring", section.scoring.to_string()),
                ("tie-breaks", ties.join(",")),
                ("unplayed", section.unplayed.name().to_owned()),
                ("rounds", number(section.planned)),
                ("dates", dates.join(";")),
            ],
        );
        for player in &section.players {
            let Player { id: of_player, number: own, name, former_names: formerly, title, rating, federation, .. } =
                player;
            let Player { licence, birth, sex, team, .. } = player;
            let fields = vec![
                of(),
                ("number", number(*own)),
                ("name", name.clone()),
                ("formerly", formerly.join("\n")),
                ("title", title.clone()),
                ("rating", number(*rating)),
                ("federation", federation.clone()),
                ("licence", licence.clone()),
                ("birth", birth.clone()),
                ("sex", sex.clone()),
                ("team", id(*team)),
            ];
            put(EntityKind::Player, *of_player, fields);
        }
        for team in &section.teams {
            let lineup: Vec<String> = team.lineup.iter().map(Id::to_string).collect();
            let fields = vec![
                of(),
                ("number", team.number.to_string()),
                ("name", team.name.clone()),
                ("federation", team.federation.clone()),
                ("lineup", lineup.join(" ")),
            ];
            put(EntityKind::Team, team.id, fields);
        }
        for this in &section.matches {
            let fields = vec![
                of(),
                ("round", this.round.to_string()),
                ("home", this.home.to_string()),
                ("away", this.away.to_string()),
            ];
            put(EntityKind::Match, this.id, fields);
        }
        for pairing in &section.pairings {
            let mut fields = vec![
                of(),
                ("round", pairing.round.to_string()),
                ("board", number(pairing.board)),
                ("match", id(pairing.match_id)),
                ("white", id(pairing.white)),
                ("black", id(pairing.black)),
                ("at", pairing.board_name.clone()),
                ("later", pairing.deferral.map_or(String::new(), |later| later.name().to_owned())),
                ("elsewhere", pairing.board_override.clone()),
            ];
            if let Some(OfficialResult { white, black, reason }) = pairing.result {
                fields.push(("result", format!("{white}-{black}")));
                fields.push(("reason", reason.name().to_owned()));
            }
            for MicroMatchGame { stage, is_swapped, result, time_control } in &pairing.games {
                let colors = if *is_swapped { "swapped" } else { "as-paired" };
                let result = result.map_or("*".to_owned(), |(white, black)| format!("{white}-{black}"));
                fields.push((stage.name(), format!("{colors} {result} {time_control}").trim_end().to_owned()));
            }
            put(EntityKind::Pairing, pairing.id, fields);
        }
        for bye in &section.byes {
            let fields = vec![
                of(),
                ("round", bye.round.to_string()),
                ("player", bye.player.to_string()),
                ("why", bye.kind.name().to_owned()),
                ("points", bye.points.to_string()),
            ];
            put(EntityKind::Bye, bye.id, fields);
        }
        for adjustment in &section.adjustments {
            let whose = match adjustment.target {
                AdjustmentTarget::Player(id) => ("player", id.to_string()),
                AdjustmentTarget::Team(id) => ("team", id.to_string()),
            };
            let fields = vec![
                of(),
                whose,
                ("points", adjustment.points.to_string()),
                ("match-points", adjustment.match_points.to_string()),
                ("reason", adjustment.reason.clone()),
            ];
            put(EntityKind::Adjustment, adjustment.id, fields);
        }
        for round in &section.rounds {
            let fields = vec![
                of(),
                ("round", round.number.to_string()),
                ("state", round.state.name().to_owned()),
                ("opened", number(Some(round.open_seq).filter(|opened| *opened > 0))),
            ];
            put(EntityKind::Round, round.id, fields);
        }
    }
    for game in &tournament.games {
        let names = |name: &String| [TAG, ORIGINAL_PREFIX].map(|prefix| format!("{prefix}{name}"));
        let tags: Vec<([String; 2], &CorrectedTag)> = game.tags.iter().map(|(name, tag)| (names(name), tag)).collect();
        let tags = tags.iter().flat_map(|([name, before], tag)| {
            [(name.as_str(), tag.value.clone()), (before.as_str(), tag.original.clone())]
        });
        let pairing = game.pairing.map_or(String::new(), format_pairing_key);
        let fields = [("board", game.board.clone()), ("game", game.number.to_string()), ("pairing", pairing)];
        put(EntityKind::Game, game.id, fields.into_iter().chain(tags).collect());
    }
    all
}

/// An entity, while its fields are read.
struct FieldReader<'f> {
    entity: Entity,
    fields: &'f Fields,
}

impl FieldReader<'_> {
    fn text(&self, name: &str) -> String {
        self.fields.get(name).cloned().unwrap_or_default()
    }

    fn wrong(&self, name: &str) -> String {
        format!("{name} of {} is `{}`, which cannot be understood", self.entity, self.text(name))
    }

    fn read<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, String> {
        match self.fields.get(name) {
            None => Ok(None),
            Some(text) => read(text).map(Some).ok_or_else(|| self.wrong(name)),
        }
    }

    fn number(&self, name: &str) -> Result<Option<u32>, String> {
        self.read(name, |text| text.parse().ok())
    }

    fn id(&self, name: &str) -> Result<Option<Id>, String> {
        Ok(self.number(name)?.map(Id))
    }

    fn must<T>(&self, name: &str, found: Option<T>) -> Result<T, String> {
        found.ok_or_else(|| format!("{} has no {name}", self.entity))
    }

    fn points(&self, name: &str) -> Result<Points, String> {
        Ok(self.read(name, Points::parse)?.unwrap_or_default())
    }
}

fn pair(text: &str) -> Option<(Points, Points)> {
    // A side may be negative.
    let at = text.get(1..)?.find('-')? + 1;
    Some((Points::parse(&text[..at])?, Points::parse(&text[at + 1..])?))
}

fn read_entity(tournament: &mut Tournament, of: &FieldReader) -> Result<(), String> {
    let id = of.entity.id;
    match of.entity.kind {
        EntityKind::Event => {
            tournament.event = EventInfo {
                name: of.text("name"),
                site: of.text("site"),
                federation: of.text("federation"),
                start: of.text("start"),
                end: of.text("end"),
                arbiter: of.text("arbiter"),
                time_control: of.text("time-control"),
            };
            return Ok(());
        }
        EntityKind::Section => {
            let list = |text: &str| text.split(',').map(|name| name.parse().ok()).collect::<Option<Vec<_>>>();
            let date = |date: &str| {
                let (round, date) = date.split_once('=')?;
                Some((round.parse().ok()?, date.to_owned()))
            };
            tournament.sections.push(TournamentSection {
                id,
                name: of.text("name"),
                scoring: of.read("scoring", |text| text.parse().ok())?.unwrap_or_default(),
                tie_breaks: of.read("tie-breaks", list)?.unwrap_or_default(),
                unplayed: of.read("unplayed", |text| text.parse().ok())?.unwrap_or_default(),
                planned: of.number("rounds")?,
                dates: of
                    .read("dates", |text| text.split(';').map(date).collect::<Option<Vec<_>>>())?
                    .unwrap_or_default(),
                ..TournamentSection::default()
            });
            return Ok(());
        }
        EntityKind::Game => {
            // One that is left out from then on has no field for what it is.
            let tag = |(name, _): (&String, &String)| {
                let name = name.strip_prefix(TAG).or_else(|| name.strip_prefix(ORIGINAL_PREFIX))?.to_owned();
                let [is, was] = [TAG, ORIGINAL_PREFIX].map(|prefix| of.text(&format!("{prefix}{name}")));
                Some((name, CorrectedTag { value: is, original: was }))
            };
            tournament.games.push(CorrectedGame {
                id,
                board: of.text("board"),
                number: of.must("game", of.number("game")?)?,
                pairing: of.read("pairing", parse_pairing_key)?,
                tags: of.fields.iter().filter_map(tag).collect(),
            });
            return Ok(());
        }
        _ => {}
    }
    let of_section = of.must("section", of.id("section")?)?;
    let section = tournament.sections.iter_mut().find(|section| section.id == of_section);
    let section = section.ok_or_else(|| of.wrong("section"))?;
    let round = |of: &FieldReader| of.number("round").and_then(|round| of.must("round", round));
    match of.entity.kind {
        EntityKind::Event | EntityKind::Section | EntityKind::Game => {}
        EntityKind::Round => section.rounds.push(SectionRound {
            id,
            number: round(of)?,
            state: of.must("state", of.read("state", |text| text.parse().ok())?)?,
            open_seq: of.number("opened")?.unwrap_or(0),
        }),
        EntityKind::Player => section.players.push(Player {
            id,
            number: of.number("number")?,
            name: of.text("name"),
            former_names: of.text("formerly").lines().map(str::to_owned).collect(),
            title: of.text("title"),
            rating: of.number("rating")?,
            federation: of.text("federation"),
            licence: of.text("licence"),
            birth: of.text("birth"),
            sex: of.text("sex"),
            team: of.id("team")?,
        }),
        EntityKind::Team => {
            let ids = |text: &str| text.split(' ').map(|id| Some(Id(id.parse().ok()?))).collect::<Option<Vec<_>>>();
            section.teams.push(Team {
                id,
                number: of.must("number", of.number("number")?)?,
                name: of.text("name"),
                federation: of.text("federation"),
                lineup: of.read("lineup", ids)?.unwrap_or_default(),
            });
        }
        EntityKind::Match => section.matches.push(Match {
            id,
            round: round(of)?,
            home: of.must("home", of.id("home")?)?,
            away: of.must("away", of.id("away")?)?,
        }),
        EntityKind::Pairing => {
            let reason = |text: &str| ResultReason::ALL.into_iter().find(|reason| reason.name() == text);
            let reason = of.read("reason", reason)?.unwrap_or_default();
            let result = of.read("result", pair)?.map(|(white, black)| OfficialResult { white, black, reason });
            let mut games = Vec::new();
            for stage in MicroMatchStage::ALL {
                let game = |text: &str| {
                    let mut words = text.splitn(3, ' ');
                    let is_swapped = match words.next()? {
                        "swapped" => true,
                        "as-paired" => false,
                        _ => return None,
                    };
                    let result = match words.next()? {
                        "*" => None,
                        result => Some(pair(result)?),
                    };
                    Some(MicroMatchGame {
                        stage,
                        is_swapped,
                        result,
                        time_control: words.next().unwrap_or_default().to_owned(),
                    })
                };
                games.extend(of.read(stage.name(), game)?);
            }
            section.pairings.push(Pairing {
                id,
                round: round(of)?,
                board: of.number("board")?,
                match_id: of.id("match")?,
                white: of.id("white")?,
                black: of.id("black")?,
                board_name: of.text("at"),
                deferral: of.read("later", |text| Deferral::ALL.into_iter().find(|later| later.name() == text))?,
                board_override: of.text("elsewhere"),
                result,
                games,
            });
        }
        EntityKind::Bye => {
            let why = of.read("why", |text| ByeKind::ALL.into_iter().find(|why| why.name() == text))?;
            section.byes.push(Bye {
                id,
                round: round(of)?,
                player: of.must("player", of.id("player")?)?,
                kind: of.must("why", why)?,
                points: of.points("points")?,
            });
        }
        EntityKind::Adjustment => {
            let whose = match (of.id("player")?, of.id("team")?) {
                (Some(player), _) => AdjustmentTarget::Player(player),
                (None, team) => AdjustmentTarget::Team(of.must("team", team)?),
            };
            section.adjustments.push(Adjustment {
                id,
                target: whose,
                points: of.points("points")?,
                match_points: of.points("match-points")?,
                reason: of.text("reason"),
            });
        }
    }
    Ok(())
}
