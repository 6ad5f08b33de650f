//! The difference between two tournaments as events: turns an import into a record.

use crate::{Deferral, Event, MicroMatchStage, OfficialResult, Pairing, Part, ResultReason, SectionPart, Tournament};

/// Returns the events that turn `before` into `after`. Compares facts from files and the state of pairings; ignores rounds and recorded
/// games.
///
/// # Examples
///
/// ```
/// use draughts_tournament::{Tournament, difference, merge, read};
/// let before = Tournament::default();
/// let file = read(b"Round;White;Black\n1;Ann;Bob\n", None, "").unwrap();
/// let after = merge(&before, None, &file).unwrap().tournament;
/// let mut copy = before.clone();
/// for event in difference(&before, &after) {
///     copy.apply(&event).unwrap();
/// }
/// assert_eq!(copy, after);
/// ```
pub fn difference(before: &Tournament, after: &Tournament) -> Vec<Event> {
    let mut difference = Difference { state: before.clone(), events: Vec::new() };
    difference.emit(Event::EventDescribed(after.event.clone()));
    for section in &after.sections {
        difference.emit(Event::SectionRuled(section.rules()));
    }
    let has_pairing = |id| after.pairing(id).is_some();
    for pairing in before.sections.iter().flat_map(|section| &section.pairings).filter(|of| !has_pairing(of.id)) {
        difference.emit(Event::PairingDropped { pairing: pairing.id });
    }
    let has_bye = |id| after.sections.iter().flat_map(|section| &section.byes).any(|bye| bye.id == id);
    for bye in before.sections.iter().flat_map(|section| &section.byes).filter(|bye| !has_bye(bye.id)) {
        difference.emit(Event::ByeDropped { bye: bye.id });
    }
    for of in &after.sections {
        let section = of.id;
        let teams = of.teams.iter().map(|team| Event::TeamEntered { section, team: team.clone() });
        teams.for_each(|event| difference.emit(event));
        let players = of.players.iter().map(|player| Event::PlayerEntered { section, player: player.clone() });
        players.for_each(|event| difference.emit(event));
        let matches = of.matches.iter().map(|of| Event::MatchDrawn { section, team_match: of.clone() });
        matches.for_each(|event| difference.emit(event));
        for pairing in &of.pairings {
            difference.emit(Event::PairingDrawn { section, pairing: pairing.as_drawn() });
            difference.results(pairing);
            difference.places(pairing);
        }
        let byes = of.byes.iter().map(|bye| Event::ByeGiven { section, bye: bye.clone() });
        byes.for_each(|event| difference.emit(event));
        let adjustments = of.adjustments.iter();
        let adjustments = adjustments.map(|of| Event::PointsAdjusted { section, adjustment: of.clone() });
        adjustments.for_each(|event| difference.emit(event));
    }
    let has_match = |section, id| {
        let section = after.sections.iter().find(|of| of.id == section);
        section.is_some_and(|section| section.matches.iter().any(|of| of.id == id))
    };
    for section in &before.sections {
        for of in section.matches.iter().filter(|of| !has_match(section.id, of.id)) {
            let gone = SectionPart { section: section.id, id: of.id, value: None };
            difference.emit(Event::Restored(Part::Match(gone)));
        }
    }
    difference.events
}

/// State between one tournament and the other.
struct Difference {
    state: Tournament,
    events: Vec<Event>,
}

impl Difference {
    /// Stores an event if it changes anything. Its section exists, because sections come first.
    fn emit(&mut self, event: Event) {
        if self.state.apply(&event) == Ok(true) {
            self.events.push(event);
        }
    }

    fn results(&mut self, wanted: &Pairing) {
        let pairing = wanted.id;
        for game in &wanted.games {
            let stage = Some(game.stage);
            match game.result {
                Some((white, black)) => {
                    let result = OfficialResult { white, black, reason: ResultReason::Played };
                    self.emit(Event::ResultGiven { pairing, stage, result });
                }
                None => self.take_back(wanted, stage),
            }
        }
        match wanted.result {
            Some(result) => self.emit(Event::ResultGiven { pairing, stage: None, result }),
            None if wanted.games.is_empty() => self.take_back(wanted, None),
            None => {}
        }
    }

    fn take_back(&mut self, wanted: &Pairing, stage: Option<MicroMatchStage>) {
        if self.state.pairing(wanted.id).is_some_and(|(_, known)| known.has_result(stage)) {
            self.emit(Event::ResultTakenBack { pairing: wanted.id, stage });
        }
    }

    fn places(&mut self, wanted: &Pairing) {
        let (pairing, deferral): (_, Option<Deferral>) = (wanted.id, wanted.deferral);
        let named = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        self.emit(Event::BoardAssigned { pairing, board: named(&wanted.board_name) });
        self.emit(Event::PairingDeferred { pairing, deferral });
        let (board, from) = (named(&wanted.board_override), wanted.override_from);
        self.emit(Event::PairingMoved { pairing, board, from });
    }
}
