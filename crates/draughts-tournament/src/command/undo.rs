//! Undo of an action: the facts that it changed get their earlier values, unless later actions stand on them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Boards, Decision, Draft, Refusal, finish};
use crate::{
    Event, Id, NO_PAIRING, Part, PartKey, RoundState, SectionPart, Tournament, TournamentCommand, TournamentRecord,
};

/// Name of the requester of records that come from the boards alone.
pub const BY_BOARDS: &str = "damcast";

/// Returns the record that an undo means: that of a version, or the last action; `round`: the last action that changed the state of a round.
///
/// # Errors
///
/// Returns a message if there is none, or if it is undone already.
pub fn record_to_undo(
    records: &[TournamentRecord],
    version: Option<u64>,
    round: bool,
) -> Result<&TournamentRecord, String> {
    let undone = undone_versions(records);
    let is_action = |record: &&TournamentRecord| is_action(record);
    if let Some(version) = version {
        let record = records.iter().find(|record| record.version == version);
        let record = record.ok_or_else(|| format!("there is no version {version}"))?;
        return match (undone.contains(&version), is_action(&record)) {
            (true, _) => Err(format!("{}: it is undone already", describe(record))),
            (false, true) => Ok(record),
            (false, false) => Err(format!("{}: this came from the boards, and nobody can undo it", describe(record))),
        };
    }
    let sets_round =
        |record: &&TournamentRecord| record.events.iter().any(|event| matches!(event, Event::RoundSet { .. }));
    let open = records.iter().rev().filter(is_action).filter(|record| record.undoes.is_none());
    // The featured board is a choice for the stream: `undo-last` undoes the last change of the tournament itself.
    let open = open.filter(|record| !record.events.iter().all(|event| matches!(event, Event::Featured(_))));
    let mut open = open.filter(|record| !undone.contains(&record.version));
    let found = if round { open.find(sets_round) } else { open.next() };
    found.ok_or_else(|| "there is no action to undo".to_owned())
}

/// Whether a record is the action of a person: a command, or a result that ended a running game.
pub fn is_action(record: &TournamentRecord) -> bool {
    let is_result = |event: &Event| matches!(event, Event::ResultGiven { .. });
    !record.command_crc.is_empty() || record.by != BY_BOARDS && record.events.iter().any(is_result)
}

/// Returns the versions of the records that are undone.
pub fn undone_versions(records: &[TournamentRecord]) -> BTreeSet<u64> {
    let mut undone = BTreeSet::new();
    // An undo that is undone itself no longer counts; it comes later.
    for record in records.iter().rev() {
        if let Some(undoes) = record.undoes.filter(|_| !undone.contains(&record.version)) {
            undone.insert(undoes);
        }
    }
    undone
}

fn describe(record: &TournamentRecord) -> String {
    format!("version {}, {}", record.version, record.action)
}

/// Decides the undo of a record. `records`: all records, whose sum is the present state.
///
/// # Errors
///
/// Returns a [`Refusal`] if later actions stand on the record.
pub fn decide_undo(
    records: &[TournamentRecord],
    boards: &Boards,
    (record, command): (&TournamentRecord, &TournamentCommand),
) -> Result<Decision, Refusal> {
    let history = History::new(records, record)?;
    let mut draft = Draft::new(&history.now, boards);
    let mut restored: Vec<Part> = Vec::new();
    for (before, after) in history.before.changed_parts(&history.after) {
        let key = before.key();
        let now = history.now.part(&key);
        if now == after {
            restored.push(before);
        } else if now != before && !matches!(key, PartKey::Game(..) | PartKey::Tag(..)) {
            return Err(history.refusal(record, &key).into());
        }
    }
    let states = |of: &Tournament| -> BTreeMap<(Id, u32), RoundState> {
        let rounds = of.sections.iter().flat_map(|section| section.rounds.iter().map(move |round| (section.id, round)));
        rounds.map(|(section, round)| ((section, round.number), round.state)).collect()
    };
    let was = states(&draft.state);
    // Tags need their game, and a game is removed with its last tag.
    let is_late = |part: &Part| matches!(part, Part::Game { value: None, .. });
    let is_tag = |part: &Part| matches!(part, Part::Tag { .. });
    restored.sort_by_key(|part| (is_late(part), is_tag(part)));
    let mut messages = vec![format!("undone: {}", describe(record))];
    messages.extend(restored.iter().filter_map(|part| round_message(&draft.state, part)));
    let keys: BTreeSet<PartKey> = restored.iter().map(Part::key).collect();
    for part in restored {
        let has_tags =
            |board: &str, game| draft.state.corrected(board, game).is_some_and(|known| !known.tags.is_empty());
        if matches!(&part, Part::Game { board, game, value: None } if has_tags(board, *game)) {
            continue;
        }
        draft.emit(Event::Restored(part))?;
    }
    check_references((&history.now, &draft.state), &keys, record)?;
    check_games(&mut draft, &history.now, record)?;
    let earlier = records.iter().take_while(|known| known.version < record.version);
    messages.extend(release_games(&mut draft, earlier, &was)?);
    // A result that ended a running game came from its board.
    if record.command_crc.is_empty() {
        withdraw_results(&mut draft, &history.now)?;
    }
    draft.derive_board_changes()?;
    finish(&history.now, draft, command, (messages, Vec::new()), true)
}

/// The tournament before and after a record, and now.
struct History<'r> {
    before: Tournament,
    after: Tournament,
    now: Tournament,
    later: &'r [TournamentRecord],
}

impl<'r> History<'r> {
    fn new(records: &'r [TournamentRecord], record: &TournamentRecord) -> Result<History<'r>, Refusal> {
        let at = records.partition_point(|known| known.version < record.version);
        let apply = |state: &mut Tournament, records: &[TournamentRecord]| -> Result<(), Refusal> {
            let events = records.iter().flat_map(|record| &record.events);
            events.map(|event| state.apply(event)).try_for_each(|done| done.map(drop)).map_err(Refusal::from)
        };
        let (earlier, rest) = records.split_at(at);
        let (own, later) = rest.split_at(rest.len().min(1));
        let mut before = Tournament::default();
        apply(&mut before, earlier)?;
        let mut after = before.clone();
        apply(&mut after, own)?;
        let mut now = after.clone();
        apply(&mut now, later)?;
        Ok(History { before, after, now, later })
    }

    /// Names the last action that changed a part since.
    fn refusal(&self, record: &TournamentRecord, key: &PartKey) -> String {
        let (mut state, mut last) = (self.after.clone(), None);
        for later in self.later {
            let before = state.part(key);
            let _ = later.events.iter().try_for_each(|event| state.apply(event).map(drop));
            last = if state.part(key) == before { last } else { Some(later) };
        }
        let later = last.map_or_else(|| "a later action".to_owned(), describe);
        format!("{} is not undone: {later} stands on it; undo that first", describe(record))
    }
}

fn round_message(now: &Tournament, part: &Part) -> Option<String> {
    let Part::Round(SectionPart { section, id, value }) = part else { return None };
    let section = now.section_with_id(*section)?;
    let state = value.as_ref().map_or(RoundState::Prepared, |round| round.state);
    let called = now.section_label(section).map_or(String::new(), |name| format!("{name}, "));
    let was = section.state_of(id.0);
    (state != was).then(|| format!("{called}round {id}: {} (was {})", state.name(), was.name()))
}

/// Checks that nothing names a player, team or match that the undo removes, and that a removed section has no other parts.
fn check_references(
    (now, after): (&Tournament, &Tournament),
    restored: &BTreeSet<PartKey>,
    record: &TournamentRecord,
) -> Result<(), Refusal> {
    let refuse = |what: &str| Err(Refusal::from(format!("{} is not undone: {what} stands on it", describe(record))));
    for section in &after.sections {
        let has = |id: Option<Id>| id.is_none_or(|id| section.player(id).is_some());
        if let Some(pairing) = section.pairings.iter().find(|of| !(has(of.white) && has(of.black))) {
            return refuse(&format!("round {}", pairing.round));
        }
        if let Some(bye) = section.byes.iter().find(|bye| !has(Some(bye.player))) {
            return refuse(&format!("a bye of round {}", bye.round));
        }
        let has_team = |id: Id| section.team(id).is_some();
        if let Some(of) = section.matches.iter().find(|of| !(has_team(of.home) && has_team(of.away))) {
            return refuse(&format!("a match of round {}", of.round));
        }
        let is_orphan =
            |of: &&crate::Pairing| of.match_id.is_some_and(|id| section.matches.iter().all(|one| one.id != id));
        if let Some(pairing) = section.pairings.iter().find(is_orphan) {
            return refuse(&format!("round {}", pairing.round));
        }
        if let Some(player) = section.players.iter().find(|player| !player.team.is_none_or(has_team)) {
            return refuse(&format!("{} of the team", player.name));
        }
    }
    let is_kept = |key: PartKey| !restored.contains(&key);
    for section in now.sections.iter().filter(|section| after.section_with_id(section.id).is_none()) {
        let has_player = section.players.iter().any(|player| is_kept(PartKey::Player(section.id, player.id)));
        let has_pairing = section.pairings.iter().any(|pairing| is_kept(PartKey::Pairing(section.id, pairing.id)));
        if has_player || has_pairing {
            return refuse("what was added to its section");
        }
    }
    Ok(())
}

/// Checks that no game was played for a pairing that the undo removes: another pairing may get its number.
fn check_games(draft: &mut Draft, now: &Tournament, record: &TournamentRecord) -> Result<(), Refusal> {
    let gone = |id: Id| now.pairing(id).is_some() && draft.state.pairing(id).is_none();
    let sent = |game: &crate::BoardGame| game.pairing.as_deref().and_then(crate::parse_pairing_key);
    let is_of_gone = |game: &&crate::BoardGame| {
        now.pairing_of(game).is_some_and(|key| gone(key.0)) || sent(game).is_some_and(|key| gone(key.0))
    };
    match draft.boards.games.all().find(is_of_gone) {
        Some(game) => {
            let game = now.describe_game(game);
            Err(format!("{} is not undone: {game} was played for a pairing of it", describe(record)).into())
        }
        None => Ok(()),
    }
}

/// Withdraws the results of games that ended with them: otherwise the boards would give them to the pairings again.
fn withdraw_results(draft: &mut Draft, now: &Tournament) -> Result<(), Refusal> {
    let games = draft.boards.games;
    for game in games.all().filter(|game| game.is_result_given) {
        let Some(key) = draft.state.pairing_of(game) else { continue };
        let has_result = |of: &Tournament| of.pairing(key.0).is_some_and(|(_, pairing)| pairing.has_result(key.1));
        if has_result(now) && !has_result(&draft.state) && now.shown_result(game) != "*" {
            draft.correct_tag(game, "Result", "*")?;
        }
    }
    Ok(())
}

/// Makes the games of rounds that are no longer open games of no pairing. Returns the commands that adopt them. `earlier`: the records
/// before the rounds opened; a pairing that was to be played on some board then keeps its game.
fn release_games<'r>(
    draft: &mut Draft,
    earlier: impl Iterator<Item = &'r TournamentRecord>,
    was: &BTreeMap<(Id, u32), RoundState>,
) -> Result<Vec<String>, Refusal> {
    let moved = |event: &Event| match event {
        Event::PairingMoved { pairing, board: Some(_), .. } => Some(*pairing),
        _ => None,
    };
    let moved: BTreeSet<Id> = earlier.flat_map(|record| &record.events).filter_map(moved).collect();
    let games = draft.boards.games;
    let mut messages = Vec::new();
    for game in games.all() {
        let Some(key) = draft.state.pairing_of(game) else { continue };
        if draft.state.assigned_pairing(&game.board, game.number).is_some() {
            continue;
        }
        let Some((section, pairing)) = draft.state.pairing(key.0) else { continue };
        let is_withdrawn = section.state_of(pairing.round) < RoundState::Open
            && was.get(&(section.id, pairing.round)).is_some_and(|state| *state >= RoundState::Open);
        if !is_withdrawn || moved.contains(&key.0) {
            continue;
        }
        let adopt = pairing.board.map_or(String::new(), |board| format!(" --pairing {}.{board}", pairing.round));
        let called = draft.state.describe_game(game);
        let (board, number) = (game.board.clone(), game.number);
        draft.emit(Event::GameAssigned { board, game: number, pairing: Some(NO_PAIRING) })?;
        messages.push(format!(
            "{called}: it is of no pairing now; `damcast ctl adopt {} --game {number}{adopt}` makes it one of a pairing",
            game.board
        ));
    }
    Ok(messages)
}
