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

/// Reads a file. If a game names the section, games that name another one are left out.
pub(super) fn read(text: &str, section: Option<&str>, complaints: &mut ImportDiagnostics) -> TournamentFile {
    // Comments as in other tournament files.
    let text: String =
        text.split_inclusive('\n').map(|line| if line.starts_with("###") { "\n" } else { line }).collect();
    let mut games = parse_games(&text, complaints);
    if let Some(section) = section {
        retain_section(&mut games, section, complaints);
    }
    if !complaints.has_error() {
        half_written(&games, &text, complaints);
    }
    let mut sheet = TournamentFile::default();
    let mut boards: BTreeMap<u32, u32> = BTreeMap::new();
    for game in &games {
        event(game, &mut sheet, complaints);
        let Some((round, board)) = round_and_board(game, &mut boards, complaints) else { continue };
        pairing(game, (round, board), &mut sheet, complaints);
    }
    let moves = games.iter().filter(|of| of.game.moves().next().is_some()).count();
    if moves > 0 {
        complaints.note(Location::START, format!("{moves} games have moves: they are not taken over"));
    }
    disambiguate_names(&mut sheet, complaints);
    sheet
}

/// Removes games of other sections, as a station with several sections writes them.
fn retain_section(games: &mut Vec<LocatedGame>, section: &str, complaints: &mut ImportDiagnostics) {
    let named = |game: &LocatedGame| game.game.tags.get("Section").map(str::to_owned);
    if !games.iter().any(|game| named(game).is_some_and(|named| named == section)) {
        return;
    }
    let count = games.len();
    games.retain(|game| named(game).is_none_or(|named| named == section));
    if games.len() < count {
        let what =
            format!("{} games are of other sections than {}: they are left out", count - games.len(), quote(section));
        complaints.note(Location::START, what);
    }
}

fn parse_games(text: &str, complaints: &mut ImportDiagnostics) -> Vec<LocatedGame> {
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
    games
}

/// Takes the facts about the event from the first game; all others must be of this event.
fn event(game: &LocatedGame, sheet: &mut TournamentFile, complaints: &mut ImportDiagnostics) {
    let event = game.game.tags.get("Event").unwrap_or_default();
    if sheet.event.name.is_empty() {
        sheet.event.name = clean_text(event, place_of(game, "Event"), complaints);
        sheet.event.site = clean_tag(game, "Site", complaints);
        sheet.event.start = clean_tag(game, "Date", complaints);
        sheet.event.time_control = clean_tag(game, "TimeControl", complaints);
    } else if event != sheet.event.name {
        let what = format!("this game is of {}, the first one of {}", quote(event), quote(&sheet.event.name));
        complaints.error(place_of(game, "Event"), what);
    }
}

/// Returns round and board, `3.12` if in one tag. `boards`: last board of each round, which a game without a board follows.
fn round_and_board(
    game: &LocatedGame,
    boards: &mut BTreeMap<u32, u32>,
    complaints: &mut ImportDiagnostics,
) -> Option<(u32, u32)> {
    let tags = &game.game.tags;
    let round_tag = tag_or_empty(tags, "Round");
    let (round, in_round) = round_tag.split_once('.').map_or((round_tag, None), |(round, board)| (round, Some(board)));
    let Some(round) = number(round).ok().filter(|round| (1..=MOST_ROUNDS).contains(round)) else {
        let what = format!("the Round {} is no number from 1 to {MOST_ROUNDS}", quote(round_tag));
        return complaints.reject(place_of(game, "Round"), what);
    };
    let last = boards.entry(round).or_default();
    *last = match tags.get("Board").or(in_round).filter(|board| !matches!(*board, "" | "?" | "-")) {
        None => *last + 1,
        Some(board) => match number(board) {
            Ok(board) if board > 0 => board,
            _ => {
                let what = format!("the Board {} is no number from 1 on", quote(board));
                return complaints.reject(place_of(game, "Board"), what);
            }
        },
    };
    Some((round, *last))
}

/// Adds the players of a game, its pairing and its day. Returns `None` if the game is faulty.
fn pairing(
    game: &LocatedGame,
    (round, board): (u32, u32),
    sheet: &mut TournamentFile,
    complaints: &mut ImportDiagnostics,
) -> Option<()> {
    let tags = &game.game.tags;
    let place = game.locations.start();
    let sides = ["White", "Black"].map(|side| player(game, side, sheet, complaints));
    if sides == [None, None] {
        return complaints.reject(place, "this game has neither White nor Black");
    }
    let result = tags.get("Result").unwrap_or("*");
    let result_location = place_of(game, "Result");
    let Some(outcome) = outcome(result, tag_or_empty(tags, "Termination")) else {
        let what = format!("the Result {} is none of 2-0, 1-1, 0-2, 0-0, 1-0, 1/2-1/2, 0-1, *", quote(result));
        return complaints.reject(result_location, what);
    };
    let drawn = ListedPairing::new(place, round, sides, outcome);
    sheet.pairings.push(ListedPairing { board: Some(board), result_location, ..drawn });
    if !tag_or_empty(tags, "Date").is_empty() && !sheet.dates.iter().any(|(of, _)| *of == round) {
        sheet.dates.push((round, clean_tag(game, "Date", complaints)));
    }
    Some(())
}

/// Returns the player of one side, and adds them to the players of the file unless their name is known.
fn player(
    game: &LocatedGame,
    side: &str,
    sheet: &mut TournamentFile,
    complaints: &mut ImportDiagnostics,
) -> Option<PlayerRef> {
    let tag = |suffix: &str| format!("{side}{suffix}");
    let place = place_of(game, side);
    let name = clean_tag(game, side, complaints);
    let team = clean_tag(game, &tag("Team"), complaints);
    if matches!(name.as_str(), "" | "-") {
        return None;
    }
    if !is_bye_name(&name) {
        let mut player = ListedPlayer::new(place, None, &name);
        player.title = clean_tag(game, &tag("Title"), complaints);
        player.federation = clean_tag(game, &tag("Country"), complaints);
        player.licence = clean_tag(game, &tag("FmjdId"), complaints);
        player.rating = number(tag_or_empty(&game.game.tags, &tag("Rating"))).ok().filter(|rating| *rating > 0);
        player.team.clone_from(&team);
        if !sheet.players.iter().any(|other| other.name == name) {
            sheet.players.push(player);
        }
    }
    Some(PlayerRef::named(place, None, name, team))
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

/// Returns the value of a tag in a form that is safe to show.
fn clean_tag(game: &LocatedGame, name: &str, complaints: &mut ImportDiagnostics) -> String {
    clean_text(tag_or_empty(&game.game.tags, name), place_of(game, name), complaints)
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
        first.licence.clear();
        let first = first.clone();
        for _ in 1..count {
            sheet.players.push(first.clone());
        }
    }
}

fn outcome(result: &str, termination: &str) -> Option<ListedResult> {
    use SideResult::{Draw, Loss, Win};
    let named_reason = match termination.to_lowercase().as_str() {
        "adjudication" => Some(ResultReason::Arbiter),
        "played" | "bye" => None,
        termination => ResultReason::from_name(termination),
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
