//! The games of a round as PDN without moves.

use draughts::ResultFormat;
use draughts_pdn::{Game, Style, Tags, writer};

use crate::value::optional_text;
use crate::value::result::result_of;
use crate::{Points, ResultReason, Scoring, Tournament, TournamentSection};

/// Returns the games of a round, or of all rounds, without moves, with their official results. Byes are no games and are left out.
pub fn write(tournament: &Tournament, section: &TournamentSection, round: Option<u32>) -> String {
    let mut games = Vec::new();
    let rounds = match round {
        Some(round) => round..=round,
        None => 1..=section.last_round(),
    };
    for round in rounds {
        for pairing in section.round(round) {
            let of_pairing = official_tags(section, pairing);
            if pairing.games.is_empty() {
                games.push(game(tournament, section, pairing, (pairing.white, pairing.black), of_pairing, ""));
            }
            // Each game of a micro-match has its own result.
            for one in &pairing.games {
                let (white, black) = (pairing.white, pairing.black);
                let sides = if one.is_swapped { (black, white) } else { (white, black) };
                let result = one.result.map_or("*", |(white, black)| result_tag(section, white, black));
                games.push(game(tournament, section, pairing, sides, (result, ""), &one.time_control));
            }
        }
    }
    writer::write(&games, Style::Compact)
}

/// Describes the facts that these games lack.
pub fn omissions(section: &TournamentSection) -> Vec<String> {
    let is_stage = section.pairings.iter().any(|pairing| !pairing.games.is_empty());
    let Scoring { win, draw, loss, .. } = section.scoring;
    let known = [(win, loss), (loss, win), (draw, draw), (loss, loss)];
    let is_divided =
        section.pairings.iter().any(|of| of.result.is_some_and(|of| !known.contains(&(of.white, of.black))));
    match (is_stage, is_divided) {
        (true, _) => vec!["a pairing of a micro-match has several games here, and an import of a PDN takes one: what is to be imported again \
                           goes out as csv".to_owned()],
        (false, true) => vec!["PDN has a win, a draw and a loss: points such as 9-1 are not in it, and go out as csv".to_owned()],
        (false, false) => Vec::new(),
    }
}

fn game(
    tournament: &Tournament,
    section: &TournamentSection,
    pairing: &crate::Pairing,
    (white, black): (Option<crate::Id>, Option<crate::Id>),
    (result, termination): (&str, &str),
    time_control: &str,
) -> Game {
    let mut tags = Tags::default();
    let mut set = |name: &str, value: &str| {
        if !value.is_empty() {
            tags.set(name, value);
        }
    };
    let event = if tournament.event.name.is_empty() { &section.name } else { &tournament.event.name };
    set("Event", event);
    set("Site", &tournament.event.site);
    set("Date", &pdn_date(section.date(pairing.round).unwrap_or_default()));
    set("Round", &pairing.round.to_string());
    set("Board", &optional_text(pairing.board));
    set("White", section.name_of(white));
    set("Black", section.name_of(black));
    for (id, side) in [(white, "White"), (black, "Black")] {
        let Some(player) = id.and_then(|id| section.player(id)) else { continue };
        let team = player.team.filter(|_| pairing.match_id.is_some());
        set(&format!("{side}Team"), section.team_name(team));
        set(&format!("{side}Title"), &player.title);
        set(&format!("{side}Rating"), &optional_text(player.rating));
        set(&format!("{side}Country"), &player.federation);
        set(&format!("{side}FmjdId"), player.fmjd_id());
    }
    set("Result", result);
    set("GameType", "20");
    set("TimeControl", time_control);
    set("Termination", termination);
    Game { tags, ..Game::default() }
}

/// Returns `2027/07/10` and `2027-07-10` as `2027.07.10`.
fn pdn_date(date: &str) -> String {
    date.replace(['/', '-'], ".")
}

/// Returns the result of a pairing in PDN, which knows 2-1-0 only, and its reason if it was not played. A double loss is in the tag; after
/// the tags every game has `*`.
fn official_tags(section: &TournamentSection, pairing: &crate::Pairing) -> (&'static str, &'static str) {
    let Some(official) = pairing.result else { return ("*", "") };
    let termination = if official.reason == ResultReason::Played { "" } else { official.reason.name() };
    (result_tag(section, official.white, official.black), termination)
}

fn result_tag(section: &TournamentSection, white: Points, black: Points) -> &'static str {
    result_of(&section.scoring, white, black).as_result(ResultFormat::International)
}
