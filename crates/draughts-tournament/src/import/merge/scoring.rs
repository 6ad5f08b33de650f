//! Scoring of a section, and comparison of the points in a file with those of its games.

use std::collections::BTreeMap;

use draughts_pdn::Location;
use draughts_pdn::problem::quote;

use super::Merger;
use crate::import::import_file::{ListedPairing, ListedPlayer, ListedResult, PlayerRef, SideResult, TournamentFile};
use crate::{AdjustmentTarget, ByeKind, Id, OfficialResult, Points, ResultReason, Scoring, team_standings};

impl Merger<'_> {
    /// Sets the scoring: that of the file, that of the section, the one that the points in the file imply, or 2-1-0.
    pub(super) fn scoring(&mut self) {
        let sheet = self.sheet;
        let is_new = self.section.pairings.is_empty() && self.section.byes.is_empty();
        let mut scoring = match sheet.scoring {
            Some(scoring) if !is_new && scoring != self.section.scoring && !sheet.pairings.is_empty() => {
                let known = Scoring {
                    match_win: scoring.match_win,
                    match_draw: scoring.match_draw,
                    match_loss: scoring.match_loss,
                    // No file format has this.
                    allows_plus_draws: scoring.allows_plus_draws,
                    ..self.section.scoring
                };
                if known != scoring {
                    let what = format!(
                        "the file counts {scoring}, the section {}: give the file a --section of its own",
                        self.section.scoring
                    );
                    self.complaints.error(Location::START, what);
                }
                self.section.scoring
            }
            Some(scoring) if is_new => scoring,
            // The scoring from the import of the players is valid for their games.
            _ if !is_new || self.section.scoring != Scoring::default() => self.section.scoring,
            _ if sheet.pairings.iter().any(|drawn| drawn.stage.is_some()) => Scoring::MICRO_MATCH,
            _ => of_results(sheet).unwrap_or_else(|| {
                // Of equal candidates the first.
                let candidates = [Scoring::DRAUGHTS, Scoring::CHESS, Scoring::FOOTBALL];
                candidates.into_iter().min_by_key(|scoring| mismatches(sheet, scoring)).unwrap_or_default()
            }),
        };
        if let Some([win, draw, loss]) = sheet.match_points {
            (scoring.match_win, scoring.match_draw, scoring.match_loss) = (win, draw, loss);
        }
        self.section.scoring = scoring;
        self.counted_otherwise();
    }

    /// Notes that results such as `2-0` count as a win with the section's points, if those are unusual.
    fn counted_otherwise(&mut self) {
        let Scoring { win, draw, loss, .. } = self.section.scoring;
        let is_usual = [Scoring::DRAUGHTS, Scoring::CHESS].iter().any(|of| (of.win, of.draw) == (win, draw));
        let is_word = |drawn: &&ListedPairing| {
            let is_played = |reason| matches!(reason, ResultReason::Played | ResultReason::Unrated);
            drawn.stage.is_none() && matches!(drawn.outcome, ListedResult::Letters(_, _, reason) if is_played(reason))
        };
        let mut words = self.sheet.pairings.iter().filter(is_word);
        if let Some(first) = words.next().filter(|_| !is_usual && !self.sheet.has_letter_results) {
            let others = match words.count() {
                0 => String::new(),
                count => format!(", and {count} more of this file likewise"),
            };
            let what = format!("a result of 2-1-0 or 1-½-0 counts here as {win}-{loss} or {draw}-{draw}{others}");
            self.complaints.note(first.result_location, what);
        }
    }

    /// Compares the points of the players in the file with those of their games, and infers the points of byes.
    pub(super) fn printed(&mut self, ids: &[Id]) {
        let sheet = self.sheet;
        let scoring = self.section.scoring;
        let mut of_games = points_in(sheet, &scoring);
        for penalty in sheet.penalties.iter().filter(|_| self.section.teams.is_empty()) {
            *of_games.entry(penalty.number).or_default() += penalty.match_points + penalty.points;
        }
        for adjusted in &sheet.adjustments {
            *of_games.entry(adjusted.who.number.unwrap_or(0)).or_default() += adjusted.points;
        }
        for (listed, &id) in sheet.players.iter().zip(ids) {
            let of_games = listed.number.and_then(|number| of_games.get(&number)).copied().unwrap_or_default();
            let missing = listed.stated_points.map_or(Points::ZERO, |(points, _)| points - of_games);
            let byes = &listed.unknown_byes;
            if !byes.is_empty() {
                let count = byes.len() as i64;
                let why = match missing {
                    Points::ZERO => Some(ByeKind::Absent),
                    missing if missing == scoring.draw * count => Some(ByeKind::Half),
                    missing if missing == scoring.win * count => Some(ByeKind::Full),
                    _ => None,
                };
                for &round in byes {
                    let why = why.unwrap_or(ByeKind::Absent);
                    self.bye(round, id, why, worth(why, &scoring), listed.place);
                }
                if let Some((points, place)) = listed.stated_points
                    && why.is_none()
                {
                    let what = format!(
                        "{} has {points} points here, his games give {of_games}: the other {missing} are taken over as an adjustment, as the file \
                         does not say what his byes are worth",
                        quote(&listed.name)
                    );
                    self.complaints.warn(place, what);
                    let reason = "byes of which the file does not say what they are worth";
                    self.adjust(AdjustmentTarget::Player(id), missing, Points::ZERO, reason);
                }
            } else if let Some((points, place)) = listed.stated_points.filter(|_| missing != Points::ZERO) {
                let what =
                    format!("{} has {points} points here, but the games and byes give {of_games}", quote(&listed.name));
                self.complaints.warn(place, what);
            }
        }
        let standing = team_standings(self.section, self.section.last_round());
        for team in &sheet.teams {
            let Some((matches, boards)) = team.printed else { continue };
            let known = self.section.teams.iter().find(|known| known.name == team.name);
            let row = known.and_then(|known| standing.iter().find(|row| row.team == known.id));
            if let Some(row) = row.filter(|row| (row.match_points, row.board_points) != (matches, boards)) {
                let what = format!(
                    "{} has {matches} match points and {boards} board points here, and its boards give {} and {}",
                    quote(&team.name),
                    row.match_points,
                    row.board_points
                );
                self.complaints.warn(team.place, what);
            }
        }
    }
}

/// Returns the points of a round without an opponent.
pub(super) fn worth(why: ByeKind, scoring: &Scoring) -> Points {
    match why {
        ByeKind::NoOpponent => scoring.bye,
        ByeKind::Full | ByeKind::Won => scoring.win,
        ByeKind::Half => scoring.draw,
        ByeKind::Absent => scoring.absence,
        ByeKind::Lost => scoring.loss,
    }
}

/// Returns the official result of a game in a file.
pub(super) fn official(outcome: ListedResult, scoring: &Scoring) -> Option<OfficialResult> {
    let points = |letter| match letter {
        SideResult::Win => scoring.win,
        SideResult::Draw => scoring.draw,
        SideResult::Loss => scoring.loss,
    };
    match outcome {
        ListedResult::Open => None,
        // Both lost, or neither came: no points for either.
        ListedResult::Letters(SideResult::Loss, SideResult::Loss, reason) => {
            Some(OfficialResult { white: scoring.loss, black: scoring.loss, reason })
        }
        ListedResult::Letters(white, black, reason) => {
            Some(OfficialResult { white: points(white), black: points(black), reason })
        }
        ListedResult::Points(white, black, reason) => {
            let is_lost =
                (white, black) == (scoring.loss, scoring.loss) && reason.is_none_or(|of| of == ResultReason::Played);
            let reason = if is_lost { ResultReason::BothLost } else { reason.unwrap_or_default() };
            Some(OfficialResult { white, black, reason })
        }
        ListedResult::OnePlayer { is_white, why, points } => {
            let own = points.unwrap_or_else(|| worth(why, scoring));
            let (white, black) = if is_white { (own, scoring.loss) } else { (scoring.loss, own) };
            let is_forfeit = matches!(why, ByeKind::Won | ByeKind::Lost);
            Some(OfficialResult {
                white,
                black,
                reason: if is_forfeit { ResultReason::Forfeit } else { ResultReason::Bye },
            })
        }
    }
}

/// Returns a scoring other than 2-1-0 and 1-½-0, if all results of the file have it: several games won with equal points.
fn of_results(sheet: &TournamentFile) -> Option<Scoring> {
    let mut won: Vec<Points> = Vec::new();
    for drawn in &sheet.pairings {
        match drawn.outcome {
            ListedResult::Letters(SideResult::Win, _, ResultReason::Played)
            | ListedResult::Letters(_, SideResult::Win, ResultReason::Played) => {
                return None;
            }
            ListedResult::Points(white, black, None) if white.min(black) == Points::ZERO => won.push(white.max(black)),
            _ => {}
        }
    }
    let highest = won.iter().copied().max()?;
    let is_several = won.len() > 1 && won.iter().all(|points| *points == highest);
    let half = Points::hundredths(highest.in_hundredths() / 2);
    let is_football = highest == Scoring::FOOTBALL.win;
    is_several.then(|| if is_football { Scoring::FOOTBALL } else { Scoring::win_draw(highest, half) })
}

/// Returns the points of each number from the games and byes of a file.
fn points_in(sheet: &TournamentFile, scoring: &Scoring) -> BTreeMap<u32, Points> {
    let mut points: BTreeMap<u32, Points> = BTreeMap::new();
    let mut add = |who: Option<&PlayerRef>, of: Points| {
        if let Some(number) = who.and_then(|who| who.number) {
            *points.entry(number).or_default() += of;
        }
    };
    for drawn in &sheet.pairings {
        if let Some(official) = official(drawn.outcome, scoring) {
            add(drawn.white.as_ref(), official.white);
            add(drawn.black.as_ref(), official.black);
        }
    }
    for free in &sheet.byes {
        add(Some(&free.who), free.points.unwrap_or_else(|| worth(free.why, scoring)));
    }
    points
}

/// Returns the number of players whose printed points differ from those of this scoring.
fn mismatches(sheet: &TournamentFile, scoring: &Scoring) -> usize {
    let points = points_in(sheet, scoring);
    let of = |listed: &&ListedPlayer| {
        let computed = listed.number.and_then(|number| points.get(&number)).copied().unwrap_or_default();
        listed.unknown_byes.is_empty() && listed.stated_points.is_some_and(|(printed, _)| printed != computed)
    };
    sheet.players.iter().filter(of).count()
}
