//! What would harm readers or is likely to be a slip, found by comparing a tournament before and after a change.
//!
//! | found | is |
//! |---|---|
//! | a published round with other pairings, another order or fewer boards | refused: readers know its games by their place |
//! | a published round with more boards of the station than one file may have | refused: lidraughts cuts the rest |
//! | two who meet again | said |
//! | a name that differs from another's by accents, case or order alone | said |
//! | other players, round or event in a published round | said: lidraughts keeps what it has listed |
//!
//! Source: the source text of lidraughts, `modules/relay` and `modules/study`: games are matched by their place in the file, a study has
//! at most 64 chapters, and the title of a chapter stays as it was made.

use std::collections::{BTreeMap, BTreeSet};

use super::sheet::folded;
use super::{Id, RoundState, Tournament, TournamentSection};

/// A study of lidraughts has no more chapters.
const MOST_BOARDS: usize = 64;

/// What a change would do.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Guarded {
    /// Why it is refused.
    pub refused: Vec<String>,
    /// What whoever asked should know.
    pub said: Vec<String>,
}

/// Compares a tournament before and after a change.
pub fn guard(before: &Tournament, after: &Tournament) -> Guarded {
    let mut guarded = Guarded::default();
    for section in &after.sections {
        let known = before.sections.iter().find(|known| known.id == section.id);
        if let Some(known) = known {
            published_rounds(known, section, &mut guarded);
        }
        too_many_boards(section, &mut guarded);
        meetings(known, section, &mut guarded);
        names(known, section, &mut guarded);
    }
    if !before.event.name.is_empty() && before.event.name != after.event.name && has_published(before) {
        guarded.said.push(listed("the event is called otherwise"));
    }
    guarded
}

fn listed(what: &str) -> String {
    format!("{what}: lidraughts keeps the titles that it has listed, everything of damcast has the new one")
}

fn has_published(tournament: &Tournament) -> bool {
    let mut rounds = tournament.sections.iter().flat_map(|section| &section.rounds);
    rounds.any(|round| round.state != RoundState::Prepared)
}

/// What stands in the files of a round stays at its place.
fn published_rounds(before: &TournamentSection, after: &TournamentSection, guarded: &mut Guarded) {
    let is_open = |state| matches!(state, RoundState::Published | RoundState::Open);
    for round in before.rounds.iter().filter(|round| is_open(round.state) && is_open(after.state_of(round.number))) {
        let order = |section: &TournamentSection| -> Vec<(Id, Option<u32>)> {
            section.round(round.number).iter().map(|pairing| (pairing.id, pairing.board)).collect()
        };
        let (old, new) = (order(before), order(after));
        if !new.starts_with(&old) {
            guarded.refused.push(format!(
                "round {} of {} is {}: its pairings keep their boards and their order, for readers know games by their place in the file; \
                 `damcast ctl round withdraw {}` takes back a publication, if nobody reads it yet",
                round.number,
                after.name,
                round.state.name(),
                round.number
            ));
        }
        let players = |section: &TournamentSection, id: Id| {
            let pairing = section.pairings.iter().find(|pairing| pairing.id == id);
            pairing.map(|pairing| [pairing.white, pairing.black].map(|id| section.name_of(id).to_owned()))
        };
        for (id, _) in old {
            let (old, new) = (players(before, id), players(after, id));
            if let (Some([white, black]), Some(new)) = (&old, &new)
                && old != Some(new.clone())
            {
                let [to_white, to_black] = new;
                guarded
                    .said
                    .push(listed(&format!("round {}: {white} - {black} is {to_white} - {to_black} now", round.number)));
            }
        }
    }
}

fn too_many_boards(section: &TournamentSection, guarded: &mut Guarded) {
    for round in section.rounds.iter().filter(|round| round.state != RoundState::Closed) {
        let boards = section.round(round.number).iter().filter(|pairing| !pairing.at.is_empty()).count();
        if boards > MOST_BOARDS {
            guarded.refused.push(format!(
                "round {} of {} has {boards} boards; lidraughts takes {MOST_BOARDS} games of one file and passes over the rest: make two sections",
                round.number, section.name
            ));
        }
    }
}

/// Two who meet again: in a Swiss that is a slip. Teams and double rounds do so all the time.
fn meetings(before: Option<&TournamentSection>, after: &TournamentSection, guarded: &mut Guarded) {
    if !after.teams.is_empty() {
        return;
    }
    let known: BTreeSet<Id> =
        before.into_iter().flat_map(|section| &section.pairings).map(|pairing| pairing.id).collect();
    let mut met: BTreeMap<(Id, Id), u32> = BTreeMap::new();
    let mut pairings: Vec<_> = after.pairings.iter().collect();
    pairings.sort_by_key(|pairing| (pairing.round, pairing.id));
    for pairing in pairings {
        let (Some(white), Some(black)) = (pairing.white, pairing.black) else { continue };
        let pair = (white.min(black), white.max(black));
        if let Some(round) = met.insert(pair, pairing.round).filter(|_| !known.contains(&pairing.id)) {
            let names = (after.name_of(Some(white)), after.name_of(Some(black)));
            guarded
                .said
                .push(format!("round {}: {} and {} met in round {round} already", pairing.round, names.0, names.1));
        }
    }
}

/// Names that are the same but for accents, case, points and the order of their words.
fn names(before: Option<&TournamentSection>, after: &TournamentSection, guarded: &mut Guarded) {
    let key = |name: &str| {
        let mut words: Vec<String> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(folded).collect();
        words.sort();
        words
    };
    let known: BTreeSet<(Id, &str)> = before
        .into_iter()
        .flat_map(|section| &section.players)
        .map(|player| (player.id, player.name.as_str()))
        .collect();
    let mut seen: BTreeMap<Vec<String>, &str> = BTreeMap::new();
    for player in &after.players {
        let is_new = !known.contains(&(player.id, player.name.as_str()));
        match seen.insert(key(&player.name), &player.name) {
            Some(other) if is_new && other != player.name => {
                guarded
                    .said
                    .push(format!("{} and {other} have nearly the same name: are they two players?", player.name));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, merge, read};
    use super::*;

    fn with(tournament: &Tournament, csv: &str) -> Tournament {
        let sheet = read(csv.as_bytes(), Some(Format::Csv), "").unwrap();
        merge(tournament, None, &sheet).unwrap().tournament
    }

    #[test]
    fn a_published_round_keeps_its_order_and_slips_are_said() {
        let before = with(&Tournament::default(), "Round;Board;White;Black\n1;1;A;B\n1;2;C;D\n");
        let mut published = before.clone();
        published.turn_round(None, 1, RoundState::Published).unwrap();
        assert_eq!(guard(&before, &published), Guarded::default());
        let mut swapped = published.clone();
        let boards = [Some(2), Some(1)];
        swapped.sections[0].pairings.iter_mut().zip(boards).for_each(|(pairing, board)| pairing.board = board);
        assert!(guard(&published, &swapped).refused[0].contains("keep their boards"), "{swapped:?}");
        assert_eq!(guard(&before, &swapped).refused, Vec::<String>::new(), "nobody has seen it");
        let more = with(&published, "Round;Board;White;Black\n1;3;E;F\n2;1;B;A\n2;2;C;\u{c9}\n");
        let guarded = guard(&published, &more);
        assert_eq!(guarded.refused, Vec::<String>::new(), "boards may be added behind the others");
        assert!(guarded.said.iter().any(|said| said == "round 2: B and A met in round 1 already"), "{guarded:?}");
        assert!(guarded.said.iter().any(|said| said.contains("nearly the same name")), "{guarded:?}");
        let mut renamed = published.clone();
        renamed.sections[0].players[0].name = "Anna".to_owned();
        assert!(guard(&published, &renamed).said[0].contains("A - B is Anna - B now"));
        let mut crowded = published.clone();
        for number in 0..65 {
            let mut pairing = crowded.sections[0].pairings[0].clone();
            (pairing.id, pairing.board, pairing.at) = (Id(100 + number), Some(10 + number), format!("b-{number}"));
            crowded.sections[0].pairings.push(pairing);
        }
        assert!(guard(&published, &crowded).refused[0].contains("has 65 boards"));
    }
}
