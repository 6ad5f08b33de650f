//! PDN without moves: the export of pairing programs for electronic boards, and the games of a round with their official results.

use std::collections::BTreeMap;

use draughts_pdn::game::Termination;
use draughts_pdn::problem::quote;
use draughts_pdn::{Encoding, Level, LocatedGame, Location, ProblemKind, Reader, Tags};

use crate::ResultReason;
use crate::import::import_file::{
    ImportDiagnostics, ListedPairing, ListedPlayer, ListedResult, MOST_ROUNDS, PlayerRef, SideResult, TournamentFile,
    clean_text, is_bye_name, number,
};
use crate::value::result::split_result;

/// Reads a file.
pub(super) fn read(text: &str, complaints: &mut ImportDiagnostics) -> TournamentFile {
    // Comments as in other tournament files.
    let text: String =
        text.split_inclusive('\n').map(|line| if line.starts_with("###") { "\n" } else { line }).collect();
    let mut reader = Reader::new(Encoding::Utf8);
    let mut games = reader.feed(text.as_bytes());
    games.extend(reader.finish());
    for problem in reader.take_problems().list() {
        // A reader of games may guess the end of a tag; here that would make half a name.
        if problem.level == Level::Error || problem.kind == Some(ProblemKind::Unclosed) {
            complaints.error(problem.location, problem.message.clone());
        } else if problem.kind == Some(ProblemKind::LineBreak) {
            complaints.note(problem.location, format!("{}, which is a blank now", problem.message));
        }
    }
    if !complaints.has_error() {
        half_written(&games, &text, complaints);
    }
    let mut sheet = TournamentFile::default();
    let mut boards: BTreeMap<u32, u32> = BTreeMap::new();
    let mut moves = 0;
    for located in &games {
        let tags = &located.game.tags;
        let place = |name: &str| place_of(located, name);
        let event = tags.get("Event").unwrap_or_default();
        if sheet.event.name.is_empty() {
            sheet.event.name = clean_text(event, place("Event"), complaints);
            sheet.event.site = clean_text(tag_or_empty(tags, "Site"), place("Site"), complaints);
            sheet.event.start = clean_text(tag_or_empty(tags, "Date"), place("Date"), complaints);
            sheet.event.time_control = clean_text(tag_or_empty(tags, "TimeControl"), place("TimeControl"), complaints);
        } else if event != sheet.event.name {
            complaints.error(
                place("Event"),
                format!("this game is of {}, the first one of {}", quote(event), quote(&sheet.event.name)),
            );
        }
        moves += usize::from(located.game.moves().next().is_some());
        // `3.12`: round and board in one.
        let round_tag = tag_or_empty(tags, "Round");
        let (round, in_round) =
            round_tag.split_once('.').map_or((round_tag, None), |(round, board)| (round, Some(board)));
        let round = match number(round) {
            Ok(round) if (1..=MOST_ROUNDS).contains(&round) => round,
            _ => {
                complaints.error(
                    place("Round"),
                    format!("the Round {} is no number from 1 to {MOST_ROUNDS}", quote(round_tag)),
                );
                continue;
            }
        };
        let board_tag = tags.get("Board").or(in_round).filter(|board| !matches!(*board, "" | "?" | "-"));
        let next = boards.entry(round).or_default();
        let board = match board_tag.map(number) {
            Some(Ok(board)) if board > 0 => board,
            None => *next + 1,
            Some(_) => {
                complaints.error(
                    place("Board"),
                    format!("the Board {} is no number from 1 on", quote(board_tag.unwrap_or_default())),
                );
                continue;
            }
        };
        *next = board;
        let mut who = |tag: &str, team: &str| -> Option<PlayerRef> {
            let (place, team_place) = (place(tag), place(team));
            let name = clean_text(tag_or_empty(tags, tag), place, complaints);
            let team = clean_text(tag_or_empty(tags, team), team_place, complaints);
            (!matches!(name.as_str(), "" | "-")).then(|| PlayerRef::named(place, None, name, team))
        };
        let (white, black) = (who("White", "WhiteTeam"), who("Black", "BlackTeam"));
        for (who, tags_of) in [
            (&white, ["WhiteTitle", "WhiteRating", "WhiteCountry"]),
            (&black, ["BlackTitle", "BlackRating", "BlackCountry"]),
        ] {
            let Some(who) = who.as_ref().filter(|who| !is_bye_name(&who.name)) else { continue };
            let mut player = ListedPlayer::new(who.place, None, &who.name);
            [player.title, player.federation] =
                [tags_of[0], tags_of[2]].map(|tag| clean_text(tag_or_empty(tags, tag), place(tag), complaints));
            player.rating = number(tag_or_empty(tags, tags_of[1])).ok().filter(|rating| *rating > 0);
            player.team.clone_from(&who.team);
            let is_listed = |other: &ListedPlayer| other.name == player.name;
            if !sheet.players.iter().any(is_listed) {
                sheet.players.push(player);
            }
        }
        if white.is_none() && black.is_none() {
            complaints.error(located.locations.start(), "this game has neither White nor Black");
            continue;
        }
        let result = tags.get("Result").unwrap_or("*");
        let Some(outcome) = outcome(result, tag_or_empty(tags, "Termination")) else {
            complaints.error(
                place("Result"),
                format!("the Result {} is none of 2-0, 1-1, 0-2, 0-0, 1-0, 1/2-1/2, 0-1, *", quote(result)),
            );
            continue;
        };
        let (told_at, place) = (place("Result"), located.locations.start());
        let time_control = String::new();
        sheet.pairings.push(ListedPairing {
            place,
            round,
            board: Some(board),
            white,
            black,
            outcome,
            result_location: told_at,
            stage: None,
            time_control,
        });
        let date = tag_or_empty(tags, "Date");
        if !date.is_empty() && !sheet.dates.iter().any(|(of, _)| *of == round) {
            sheet.dates.push((round, clean_text(date, place_of(located, "Date"), complaints)));
        }
    }
    if moves > 0 {
        complaints.note(Location::START, format!("{moves} games have moves: they are not taken over"));
    }
    disambiguate_names(&mut sheet, complaints);
    sheet
}

/// Reports a truncated file: only its last game lacks its end or its result, or has an invalid last tag. The rest of such a game may be
/// misleading.
fn half_written(games: &[LocatedGame], text: &str, complaints: &mut ImportDiagnostics) {
    let Some((last, others)) = games.split_last() else { return };
    let lacks = |has: fn(&LocatedGame) -> bool| !others.is_empty() && !has(last) && others.iter().all(has);
    let lacking = match () {
        () if lacks(|of| of.game.end != Termination::Open) => Some("end"),
        () if lacks(|of| of.game.tags.get("Result").is_some()) => Some("Result"),
        () => None,
    };
    let is_tag_cut =
        last.game.end == Termination::Open && last.game.entries.is_empty() && !text.trim_end().ends_with(']');
    let what = match lacking {
        _ if is_tag_cut => "the file ends within this tag".to_owned(),
        Some(what) => format!("the file ends within this game, which has no {what} as the others have"),
        None => return,
    };
    let place = last.locations.tags.last().copied().unwrap_or_else(|| last.locations.start());
    complaints.error(place, format!("{what}: is it half-written?"));
}

/// Returns the position of a tag.
fn place_of(located: &LocatedGame, name: &str) -> Location {
    let at = located.game.tags.iter().position(|tag| tag.name == name);
    at.and_then(|at| located.locations.tags.get(at)).copied().unwrap_or_else(|| located.locations.start())
}

/// Returns the value of a tag; empty if it is unknown.
fn tag_or_empty<'t>(tags: &'t Tags, name: &str) -> &'t str {
    tags.get(name).map(str::trim).filter(|value| *value != "?" && !value.starts_with("????")).unwrap_or_default()
}

/// Distinguishes players of one name by the order of the boards: pairing programs put players with more points first.
fn disambiguate_names(sheet: &mut TournamentFile, complaints: &mut ImportDiagnostics) {
    sheet.pairings.sort_by_key(|drawn| (drawn.round, drawn.board));
    let mut seen: BTreeMap<(u32, String), u32> = BTreeMap::new();
    let mut doubled: BTreeMap<String, u32> = BTreeMap::new();
    for drawn in &mut sheet.pairings {
        let sides = [&mut drawn.white, &mut drawn.black].into_iter().flatten();
        for who in sides.filter(|who| !is_bye_name(&who.name)) {
            let count = seen.entry((drawn.round, who.name.clone())).or_default();
            *count += 1;
            if *count > 1 && doubled.insert(who.name.clone(), *count).is_none() {
                let what = format!(
                    "{} plays twice in round {}: these are two players, distinguished by the order of the boards; give them two names in \
                     the pairing program if that is not right",
                    quote(&who.name),
                    drawn.round
                );
                complaints.warn(who.place, what);
            }
            who.nth = Some(*count as usize - 1);
        }
    }
    // Any other name must be unique, also in the tournament.
    let sides = sheet.pairings.iter_mut().flat_map(|drawn| [&mut drawn.white, &mut drawn.black]).flatten();
    sides.filter(|who| !doubled.contains_key(&who.name)).for_each(|who| who.nth = None);
    // List the other players of the name beside the first; the owner of the rating and the title there is unknown.
    for (name, count) in doubled {
        let Some(first) = sheet.players.iter_mut().find(|player| player.name == name) else { continue };
        first.rating = None;
        first.title.clear();
        first.federation.clear();
        let first = first.clone();
        for _ in 1..count {
            sheet.players.push(first.clone());
        }
    }
}

fn outcome(result: &str, termination: &str) -> Option<ListedResult> {
    use SideResult::{Draw, Loss, Win};
    let named_reason = match termination.to_lowercase().as_str() {
        "forfeit" => Some(ResultReason::Forfeit),
        "white plus" => Some(ResultReason::WhitePlus),
        "black plus" => Some(ResultReason::BlackPlus),
        "both lost" => Some(ResultReason::BothLost),
        "arbiter" | "adjudication" => Some(ResultReason::Arbiter),
        "unrated" => Some(ResultReason::Unrated),
        "not played" => Some(ResultReason::NotPlayed),
        _ => None,
    };
    let of = |white, black| Some(ListedResult::Letters(white, black, named_reason.unwrap_or_default()));
    match result.trim() {
        "*" | "" | "?" => Some(ListedResult::Open),
        "2-0" | "1-0" => of(Win, Loss),
        "0-2" | "0-1" => of(Loss, Win),
        "1-1" | "1/2-1/2" => of(Draw, Draw),
        "0-0" => Some(ListedResult::Letters(Loss, Loss, named_reason.unwrap_or(ResultReason::BothLost))),
        other => match ResultReason::of_draw(other) {
            Some(plus) => Some(ListedResult::Letters(Draw, Draw, plus)),
            None => split_result(other).map(|(white, black)| ListedResult::Points(white, black, named_reason)),
        },
    }
}
