//! Tournament in virtual time: rounds on simulated boards, with an arbiter who makes mistakes and corrects them.
//!
//! ```text
//!   pairings of the round ─▸ TournamentService ─▸ tournament log ─▸ public files   ports and threads are left out
//!         ▴                        │ ▴
//!       points             pairing ▾ │ games begin, end
//!                                boards ─▸ logs ─▸ live files                       the station is killed, cables are swapped
//! ```
//!
//! The pairing rule is simple: players in the order of their points, no two meeting twice.

use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::Path;

use damcast_control::tournament::TournamentRequest;
use damcast_station::disk::RealDisk;
use damcast_station::tournament_log::TournamentLog;
use draughts_tournament::{TieBreak, TieBreakValue, TournamentCommand, UnplayedPolicy, standings};
use hardware_sim::random::Rng;

use super::day::{Day, DayReport, Hall};
use super::games::SourceGame;

/// Maximum number of attempts to pair a round without repeated meetings.
const MAX_PAIRING_TRIES: u32 = 100_000;

/// Pairing system of the rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TournamentForm {
    /// Number of rounds, with two players for each board of the hall.
    Swiss(u32),
    /// Four teams, each against each; one match takes half the boards of the hall.
    League,
}

/// Result of a pairing, after all mistakes of the arbiter were corrected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoundResult {
    /// Round number.
    pub round: u32,
    /// White player: index into the names, from 0.
    pub white: usize,
    /// Black player; `None` for a bye or an absence.
    pub black: Option<usize>,
    /// Points of White; Black has the rest of two points.
    pub points: u32,
}

/// Outcome of a tournament.
#[derive(Clone, Default, Debug)]
pub struct TournamentRun {
    /// Final names of the players.
    pub names: Vec<String>,
    /// Games played and decisions made.
    pub results: Vec<RoundResult>,
    /// Report of the recording.
    pub day_report: DayReport,
    /// Number of results that were corrected.
    pub corrections: u32,
    /// Number of names that changed after the game had begun.
    pub late_names: u32,
    /// Number of swaps of two boards' cables.
    pub swaps: u32,
}

/// Plays and records a tournament in the hall of a day.
///
/// # Errors
///
/// Returns any I/O error, or an error if the service refuses a request.
pub fn run_tournament(day: &Day, form: TournamentForm, pool: &[SourceGame]) -> io::Result<TournamentRun> {
    let players = day.boards * 2;
    let rounds = if let TournamentForm::Swiss(rounds) = form { rounds } else { 3 };
    let mut rng = Rng::stream(day.seed, "tournament");
    if day.boards < 2 {
        return Err(io::Error::other("a tournament needs two boards at least"));
    }
    let mut hall = Hall::for_tournament(day, pool)?;
    let mut held = TournamentRun {
        names: (1..=players).map(|number| format!("N. N. {number}")).collect(),
        ..TournamentRun::default()
    };
    // One player withdraws in the middle of a Swiss.
    let gone = (form != TournamentForm::League).then(|| (rng.below(players as u64) as usize, rounds / 2 + 1));
    for round in 1..=rounds {
        let meetings = match form {
            TournamentForm::Swiss(_) => swiss(&held, round, gone),
            TournamentForm::League => league(players, round),
        };
        let import = import(&held, round, &meetings, form);
        hall.request(TournamentRequest { confirm: true, ..import.into() })?;
        hall.request(TournamentCommand::SetRoundState { round, to: "published".to_owned(), section: None })?;
        if rng.below(2) == 0 {
            hall.restart()?;
        }
        if rng.below(3) == 0 || round == 2 {
            let one = rng.below(day.boards as u64) as usize;
            hall.swap(one, (one + 1 + rng.below(day.boards as u64 - 1) as usize) % day.boards);
            held.swaps += 1;
        }
        // The round before stays open.
        let open = TournamentCommand::SetRoundState { round, to: "open".to_owned(), section: None };
        hall.request(TournamentRequest { confirm: true, ..open.into() })?;
        let games = (0..day.boards).map(|board| {
            let is_played = meetings.get(board).is_some_and(|meeting| meeting.black.is_some());
            is_played.then(|| pool[(board + round as usize) % pool.len()].clone())
        });
        hall.begin(games.collect())?;
        // Names that change during games.
        let mut late = (round as usize - 1) * players / rounds as usize..round as usize * players / rounds as usize;
        let late = hall.play_until_idle(|hall| {
            if let Some(player) = late.next() {
                let name = format!("Player {}, {}", player + 1, char::from(b'A' + (player % 26) as u8));
                hall.request(TournamentCommand::RenamePlayer {
                    player: held.names[player].clone(),
                    name: name.clone(),
                    section: None,
                })?;
                held.names[player] = name;
                held.late_names += 1;
            }
            Ok(())
        });
        late?;
        for (board, mut meeting) in meetings.into_iter().enumerate() {
            if meeting.black.is_some() {
                meeting.points = rng.below(3) as u32;
                if rng.below(5) == 0 {
                    hall.request(result(round, board, (meeting.points + 1) % 3, false))?;
                    held.corrections += 1;
                    if rng.below(3) == 0 {
                        hall.restart()?;
                    }
                    hall.request(result(round, board, meeting.points, true))?;
                } else {
                    hall.request(result(round, board, meeting.points, false))?;
                }
            }
            held.results.push(meeting);
        }
        hall.request(TournamentCommand::SetRoundState { round, to: "closed".to_owned(), section: None })?;
    }
    held.day_report = hall.end()?;
    Ok(held)
}

impl TournamentRun {
    /// Checks the folder of a tournament, in addition to [`Day::verify`]. The standings match the results. Every game of the archive has
    /// its own players, its round and its result, and none is missing. Every file of a round has exactly the games of the round.
    ///
    /// # Errors
    ///
    /// Describes the first difference.
    pub fn verify(&self, directory: &Path) -> io::Result<()> {
        let wrong = |message: String| Err(io::Error::other(message));
        let log = TournamentLog::read(&RealDisk, &directory.join("log"))?;
        let tournament = log.tournament();
        let [section] = tournament.sections.as_slice() else { return wrong("there is not one section".to_owned()) };
        let found = standings(section, section.last_round(), &[TieBreak::Solkoff], UnplayedPolicy::Fmjd);
        let expected = self.standings();
        let in_order: Vec<(String, String, String)> = found
            .rows
            .iter()
            .map(|row| {
                let name = section.name_of(Some(row.player)).to_owned();
                let solkoff = match row.tie_breaks.as_slice() {
                    [TieBreakValue::Number(number)] => number.to_string(),
                    other => format!("{other:?}"),
                };
                (name, row.points.to_string(), solkoff)
            })
            .collect();
        if in_order != expected {
            return wrong(format!("the standings are {in_order:?}, and by the results {expected:?}"));
        }
        let name = |player: usize| self.names[player].clone();
        let played = |round: Option<u32>| {
            let of = self.results.iter().filter(move |meeting| round.is_none_or(|round| meeting.round == round));
            let games = of.filter_map(|meeting| {
                let result = format!("{}-{}", meeting.points, 2 - meeting.points);
                Some([meeting.round.to_string(), name(meeting.white), name(meeting.black?), result])
            });
            let mut games: Vec<[String; 4]> = games.collect();
            games.sort();
            games
        };
        let mut archived = Vec::new();
        for entry in fs::read_dir(directory.join("public/archive"))? {
            archived.extend(games_in(&fs::read_to_string(entry?.path())?));
        }
        archived.sort();
        if let Some(difference) = difference(&archived, &played(None)) {
            return wrong(format!("the archive: {difference}"));
        }
        for round in 1..=section.last_round() {
            for file in ["games.pdn", "started.pdn"] {
                let path = directory.join(format!("public/round/{round}/{file}"));
                let games = games_in(&fs::read_to_string(&path)?);
                if let Some(difference) = difference(&games, &played(Some(round))) {
                    return wrong(format!("{}: {difference}", path.display()));
                }
            }
        }
        Ok(())
    }

    /// Returns name, points and Solkoff of each player in order of rank. Solkoff follows the wording of the rules: the points of all
    /// opponents, where a round without one counts nothing.
    fn standings(&self) -> Vec<(String, String, String)> {
        let mut rows: Vec<(u32, u32, usize)> = (0..self.names.len())
            .map(|player| {
                let others = self.results.iter().filter_map(|meeting| match (meeting.white, meeting.black) {
                    (white, Some(black)) if white == player => Some(black),
                    (white, Some(black)) if black == player => Some(white),
                    _ => None,
                });
                (points(self, player), others.map(|other| points(self, other)).sum(), player)
            })
            .collect();
        rows.sort_by_key(|(points, solkoff, player)| (Reverse((*points, *solkoff)), *player));
        let row = |(points, solkoff, player): (u32, u32, usize)| {
            (self.names[player].clone(), points.to_string(), solkoff.to_string())
        };
        rows.into_iter().map(row).collect()
    }
}

/// Describes the entries that are in only one of two sorted lists.
fn difference(found: &[[String; 4]], expected: &[[String; 4]]) -> Option<String> {
    let only = |these: &[[String; 4]], others: &[[String; 4]]| -> Vec<String> {
        these.iter().filter(|game| !others.contains(game)).map(|game| game.join(" | ")).collect()
    };
    let (more, less) = (only(found, expected), only(expected, found));
    let what = format!(
        "{} games for {}, these are too many: {more:?}, these are missing: {less:?}",
        found.len(),
        expected.len()
    );
    (found != expected).then_some(what)
}

/// Returns round, players and result of each game of a file, sorted.
fn games_in(text: &str) -> Vec<[String; 4]> {
    let value = |game: &str, tag: &str| {
        let found = game.lines().find_map(|line| line.strip_prefix(&format!("[{tag} \"")));
        found.unwrap_or_default().trim_end_matches("\"]").to_owned()
    };
    let games = text.split("[Event ").skip(1);
    let mut games: Vec<[String; 4]> =
        games.map(|game| ["Round", "White", "Black", "Result"].map(|tag| value(game, tag))).collect();
    games.sort();
    games
}

/// Returns a request with the arbiter's result, independent of the board.
fn result(round: u32, board: usize, points: u32, correct: bool) -> TournamentRequest {
    let matter = TournamentCommand::Result {
        board: None,
        game: None,
        pairing: Some(format!("{round}.{}", board + 1)),
        section: None,
        result: format!("{points}-{}", 2 - points),
        kind: None,
        correct,
    };
    TournamentRequest { confirm: true, ..matter.into() }
}

/// Returns an import of a round's pairings, as a pairing program would write it; boards from 1, pairings of two players first.
fn import(held: &TournamentRun, round: u32, meetings: &[RoundResult], form: TournamentForm) -> TournamentCommand {
    let mut text = "Round;Board;White-number;White;White-team;Black-number;Black;Black-team;Result;Reason\n".to_owned();
    let team = |player: usize| match form {
        TournamentForm::League => format!("Team {}", player / (held.names.len() / 4) + 1),
        TournamentForm::Swiss(_) => String::new(),
    };
    for (meeting, board) in meetings.iter().zip(1..) {
        let (white, number) = (&held.names[meeting.white], meeting.white + 1);
        text += &match meeting.black {
            Some(black) => format!(
                "{round};{board};{number};{white};{};{};{};{};*;\n",
                team(meeting.white),
                black + 1,
                held.names[black],
                team(black)
            ),
            None => {
                let why = if meeting.points == 0 { "absent" } else { "bye" };
                format!("{round};;{number};{white};;;;;{};{why}\n", meeting.points)
            }
        };
    }
    let name = format!("round-{round}.csv");
    TournamentCommand::import_of(&name, text)
}

fn points(held: &TournamentRun, player: usize) -> u32 {
    let of = |meeting: &RoundResult| match (meeting.white == player, meeting.black == Some(player)) {
        (true, _) => meeting.points,
        (_, true) => 2 - meeting.points,
        _ => 0,
    };
    held.results.iter().map(of).sum()
}

fn swiss(held: &TournamentRun, round: u32, gone: Option<(usize, u32)>) -> Vec<RoundResult> {
    let is_gone = |player: usize| gone.is_some_and(|(absentee, from)| absentee == player && round >= from);
    let mut order: Vec<usize> = (0..held.names.len()).filter(|player| !is_gone(*player)).collect();
    order.sort_by_key(|player| (Reverse(points(held, *player)), *player));
    let have_met = |one: usize, other: usize| {
        let is_it = |meeting: &RoundResult| {
            meeting.black == Some(other) && meeting.white == one || meeting.black == Some(one) && meeting.white == other
        };
        held.results.iter().any(is_it)
    };
    let alone = |white: usize, points: u32| RoundResult { round, white, black: None, points };
    // The lowest player without an earlier bye gets the bye.
    let had_bye = |player: usize| held.results.iter().any(|of| of.white == player && of.black.is_none());
    let at = order.iter().rposition(|player| !had_bye(*player)).unwrap_or(0);
    let bye = (order.len() % 2 == 1).then(|| order.remove(at));
    let pairs = pairs(&order, &have_met, &mut { MAX_PAIRING_TRIES })
        .unwrap_or_else(|| order.chunks(2).map(|two| (two[0], two[1])).collect());
    let meeting = |(one, other)| {
        let (white, black) = if round.is_multiple_of(2) { (one, other) } else { (other, one) };
        RoundResult { round, white, black: Some(black), points: 0 }
    };
    let gone = (0..held.names.len()).filter(|player| is_gone(*player));
    let absent = gone.map(|player| alone(player, 0));
    pairs.into_iter().map(meeting).chain(bye.map(|player| alone(player, 2))).chain(absent).collect()
}

/// Pairs players, each with the next one not met; `None` if there is no pairing, or none was found within `tries`.
fn pairs(order: &[usize], have_met: &dyn Fn(usize, usize) -> bool, tries: &mut u32) -> Option<Vec<(usize, usize)>> {
    let Some((&one, rest)) = order.split_first() else { return Some(Vec::new()) };
    for (at, &other) in rest.iter().enumerate().filter(|(_, other)| !have_met(one, **other)) {
        *tries = tries.checked_sub(1)?;
        let others: Vec<usize> = [&rest[..at], &rest[at + 1..]].concat();
        if let Some(mut found) = pairs(&others, have_met, tries) {
            found.insert(0, (one, other));
            return Some(found);
        }
    }
    None
}

fn league(players: usize, round: u32) -> Vec<RoundResult> {
    let size = players / 4;
    let matches = [[(0, 3), (1, 2)], [(3, 2), (0, 1)], [(1, 3), (2, 0)]][round as usize % 3];
    let boards = matches.into_iter().flat_map(|(home, away)| (0..size).map(move |board| (home, away, board)));
    let meeting = |(home, away, board): (usize, usize, usize)| {
        let [one, other] = [home, away].map(|team| team * size + board);
        let (white, black) = if board.is_multiple_of(2) { (one, other) } else { (other, one) };
        RoundResult { round, white, black: Some(black), points: 0 }
    };
    boards.map(meeting).collect()
}
