//! Programs that read PDN files again and again, such as the relay of lidraughts, and those of them that no longer come.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

use super::state::{BoardNumber, ViewerBoard, ViewerGame, ViewerHall};

/// Number of readings after which a program counts as a regular reader.
const MIN_READINGS: u32 = 5;
/// Longest time between two readings of a regular reader, in ms. The relay of lidraughts comes every 10 to 60 s.
const MAX_GAP: i64 = 90_000;
/// Time without a reading, while games go on, after which a regular reader is gone, in ms.
const MAX_ABSENCE: i64 = 180_000;
/// Time after which a reader is forgotten, in ms. The relay of lidraughts gives up after an hour without a move.
const MEMORY: i64 = 3_600_000;
/// Largest number of remembered readers.
const MAX_READERS: usize = 64;
/// Largest number of alarms: those of the readers that came first. A stranger with many names must not fill the list of the operator.
const MAX_ALARMS: usize = 8;
/// Longest name of a program that is kept.
const MAX_NAME_LEN: usize = 60;
/// Beginnings of names that are no regular readers: browsers, and the check of an operator.
const IGNORED_PROGRAMS: [&str; 2] = ["Mozilla/", "damcast-doctor/"];

/// Readers of PDN files, each of one file.
#[derive(Default)]
pub struct PdnReaders(Mutex<HashMap<ReaderKey, ReaderVisits>>);

/// Name of a file, such as `round/3/games.pdn`, and the name that the program gives itself.
type ReaderKey = (String, String);

/// Visits of a reader; times in ms since 1970.
#[derive(Clone, Copy, Default, Debug)]
struct ReaderVisits {
    first: i64,
    last: i64,
    /// Number of readings in a row, each at most [`MAX_GAP`] after the one before.
    in_row: u32,
    is_regular: bool,
    /// Time since which a game of the file goes on; `None` if there is none.
    games_since: Option<i64>,
}

impl ReaderVisits {
    fn is_gone(&self, now: i64) -> bool {
        let since = self.games_since.map(|since| since.max(self.last));
        self.is_regular && since.is_some_and(|since| now - since > MAX_ABSENCE)
    }
}

impl PdnReaders {
    /// Notes that a file was read, at a time in ms since 1970.
    pub fn note(&self, file: &str, headers: &HeaderMap, now: i64) {
        let program =
            headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or("a program without a name");
        if IGNORED_PROGRAMS.iter().any(|ignored| program.starts_with(ignored)) {
            return;
        }
        let mut readers = self.lock();
        let key: ReaderKey = (file.to_owned(), program.chars().take(MAX_NAME_LEN).collect());
        if !readers.contains_key(&key) && readers.len() >= MAX_READERS {
            let passers_by = readers.iter().filter(|(_, visits)| !visits.is_regular);
            // Regular readers keep their places: a stranger with many names must not push them out.
            let Some(oldest) = passers_by.min_by_key(|(_, visits)| visits.last).map(|(key, _)| key.clone()) else {
                return;
            };
            readers.remove(&oldest);
        }
        let visits = readers.entry(key).or_insert(ReaderVisits { first: now, ..ReaderVisits::default() });
        visits.in_row = if now - visits.last <= MAX_GAP { visits.in_row.saturating_add(1) } else { 1 };
        visits.is_regular |= visits.in_row >= MIN_READINGS;
        visits.last = now;
    }

    /// Returns the readers and their alarms for the state file. Call it every few seconds, with the time in ms since 1970.
    pub fn report(&self, hall: &ViewerHall, now: i64) -> (Value, Value) {
        let boards = hall.boards();
        let mut readers = self.lock();
        readers.retain(|_, visits| now - visits.last <= MEMORY);
        for ((file, _), visits) in readers.iter_mut() {
            visits.games_since = has_game_of(&boards, file).then(|| visits.games_since.unwrap_or(now));
        }
        let mut all: Vec<_> = readers.iter().filter(|(_, visits)| visits.is_regular).collect();
        all.sort_by_key(|(key, _)| *key);
        let state = |((file, program), visits): &(&ReaderKey, &ReaderVisits)| json!({ "file": file, "program": program, "last": visits.last, "gone": visits.is_gone(now) });
        let mut gone: Vec<_> = all.iter().filter(|(_, visits)| visits.is_gone(now)).collect();
        gone.sort_by_key(|(_, visits)| visits.first);
        let alarms = gone.into_iter().take(MAX_ALARMS).map(|(key, visits)| alarm(key, visits));
        (all.iter().map(state).collect(), alarms.collect())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ReaderKey, ReaderVisits>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the alarm of a reader that is gone, as operators see it.
fn alarm((file, program): &ReaderKey, visits: &ReaderVisits) -> Value {
    let since = chrono::DateTime::from_timestamp_millis(visits.last).unwrap_or_default();
    json!({
        "kind": "reader-gone", "place": file, "since": since.with_timezone(&chrono::Local).fixed_offset(),
        "text": format!(
            "\"{program}\" has not read {file} for three minutes, and did so all the time before: see whether the relay still runs, and \
             try `damcast doctor --relay` with its address"
        ),
    })
}

/// Whether a file has a game that goes on. The file of a round, or of a hall in the name of its boards, has its games only.
fn has_game_of(boards: &[(BoardNumber, &ViewerBoard)], file: &str) -> bool {
    let path: Vec<&str> = file.split('/').collect();
    let is_its = |board: &ViewerBoard, game: &ViewerGame| match path[..] {
        ["round", round, _] => game.tag("Round") == Some(round),
        ["hall", hall, _] => board.name.split_once('.').is_some_and(|(of, _)| of == hall),
        _ => true,
    };
    let has_pairings = boards.iter().any(|(_, board)| board.games.iter().any(|game| game.pairing.is_some()));
    // In a tournament, players who analyse after their game do not count.
    let counts = |game: &ViewerGame| game.is_on() && (game.pairing.is_some() || !has_pairings);
    boards.iter().any(|(_, board)| board.current().is_some_and(|game| counts(game) && is_its(board, game)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    /// Returns a hall with a game of a round on each board, which goes on or has ended.
    fn hall(games: &[(&str, bool)]) -> ViewerHall {
        let mut hall = ViewerHall::default();
        let mut seq = 0;
        let mut apply = |line: String| {
            seq += 1;
            hall.apply(seq, Some("g"), &line, 0);
        };
        for (board, (round, is_over)) in games.iter().enumerate() {
            let head = format!("{{\"board\":\"b-{board}\",\"game\":1,\"type\":");
            apply(format!(
                "{head}\"game\",\"gametype\":\"20\",\"tags\":{{\"Round\":\"{round}\"}},\"fen\":\"W:W31-50:B1-20\"}}\n"
            ));
            if *is_over {
                apply(format!("{head}\"end\"}}\n"));
            }
        }
        hall
    }

    fn named(program: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::USER_AGENT, header::HeaderValue::from_static(program))])
    }

    /// Notes readings every 20 s, and returns the time of the last one.
    fn poll(readers: &PdnReaders, file: &str, program: &'static str, times: i64) -> i64 {
        (0..times).for_each(|n| readers.note(file, &named(program), n * 20_000));
        (times - 1) * 20_000
    }

    fn gone(readers: &PdnReaders, hall: &ViewerHall, now: i64) -> Vec<String> {
        let (_, alarms) = readers.report(hall, now);
        alarms.as_array().unwrap().iter().map(|alarm| alarm["text"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn regular_reader_is_gone_after_three_minutes_of_games() {
        let (readers, playing) = (PdnReaders::default(), hall(&[("3", false)]));
        let last = poll(&readers, "games.pdn", "NING/1.0", 10);
        assert_eq!(gone(&readers, &playing, last), [""; 0]);
        assert_eq!(gone(&readers, &playing, last + 3 * MINUTE), [""; 0]);
        let found = gone(&readers, &playing, last + 3 * MINUTE + 1);
        assert!(found.len() == 1 && found[0].starts_with("\"NING/1.0\" has not read games.pdn for"), "{found:?}");
        let (state, alarms) = readers.report(&playing, last + 4 * MINUTE);
        assert_eq!(state, json!([{ "file": "games.pdn", "program": "NING/1.0", "last": last, "gone": true }]));
        assert_eq!((&alarms[0]["kind"], &alarms[0]["place"]), (&json!("reader-gone"), &json!("games.pdn")));
        readers.note("games.pdn", &named("NING/1.0"), last + 5 * MINUTE);
        assert_eq!(gone(&readers, &playing, last + 5 * MINUTE), [""; 0]);
        // The reader is forgotten after an hour.
        assert_eq!(gone(&readers, &playing, last + 9 * MINUTE).len(), 1);
        assert_eq!(readers.report(&playing, last + 66 * MINUTE), (json!([]), json!([])));
    }

    #[test]
    fn time_without_games_does_not_count() {
        let readers = PdnReaders::default();
        let last = poll(&readers, "round/3/games.pdn", "NING/1.0", 10);
        let (playing, over) = (hall(&[("2", true), ("3", false)]), hall(&[("3", true), ("4", false)]));
        assert_eq!(gone(&readers, &playing, last), [""; 0]);
        // Round 3 is over, and its relay has stopped.
        assert_eq!(gone(&readers, &over, last + 10 * MINUTE), [""; 0]);
        // A game of it is continued: its relay has three minutes to come back.
        assert_eq!(gone(&readers, &playing, last + 20 * MINUTE), [""; 0]);
        assert_eq!(gone(&readers, &playing, last + 23 * MINUTE), [""; 0]);
        assert_eq!(gone(&readers, &playing, last + 24 * MINUTE).len(), 1);
    }

    #[test]
    fn file_of_hall_has_its_games_only() {
        let mut joined = ViewerHall::default();
        let head = "{\"board\":\"room-1.board-2\",\"game\":1,\"type\":\"game\",\"gametype\":\"20\"";
        joined.apply(1, Some("g"), &format!("{head},\"tags\":{{\"Round\":\"3\"}}}}\n"), 0);
        let files = "games.pdn round/3/games.pdn round/4/games.pdn hall/room-1/games.pdn hall/room-2/games.pdn hall/room/games.pdn";
        let found: Vec<bool> = files.split(' ').map(|file| has_game_of(&joined.boards(), file)).collect();
        assert_eq!(found, [true, true, false, true, false, false]);
    }

    #[test]
    fn people_and_occasional_readers_raise_no_alarm() {
        let (readers, playing) = (PdnReaders::default(), hall(&[("3", false)]));
        poll(&readers, "games.pdn", "Mozilla/5.0 (X11)", 50);
        poll(&readers, "games.pdn", "damcast-doctor/0.1.0", 50);
        poll(&readers, "games.pdn", "curl/7.88.1", 4);
        for n in 0..20 {
            readers.note("started.pdn", &named("cron"), n * 5 * MINUTE);
        }
        assert_eq!(readers.report(&playing, 0), (json!([]), json!([])));
        assert_eq!(gone(&readers, &playing, 20 * MINUTE), [""; 0]);
    }

    #[test]
    fn many_names_push_no_regular_reader_out() {
        let readers = PdnReaders::default();
        let last = poll(&readers, "games.pdn", "NING/1.0", 10);
        for n in 0..1000_u16 {
            let name = header::HeaderValue::from(n);
            readers.note("games.pdn", &HeaderMap::from_iter([(header::USER_AGENT, name)]), last);
        }
        assert_eq!(readers.lock().len(), MAX_READERS);
        assert_eq!(gone(&readers, &hall(&[("1", false)]), last).len(), 0);
        assert_eq!(gone(&readers, &hall(&[("1", false)]), last + 4 * MINUTE).len(), 1);
    }

    #[test]
    fn many_names_hide_no_alarm() {
        let readers = PdnReaders::default();
        let last = poll(&readers, "games.pdn", "NING/1.0", 10);
        for name in ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"] {
            (0..50).for_each(|_| readers.note("games.pdn", &named(name), last));
        }
        assert_eq!(gone(&readers, &hall(&[("1", false)]), last), [""; 0]);
        let found = gone(&readers, &hall(&[("1", false)]), last + 4 * MINUTE);
        assert!(found.len() == MAX_ALARMS && found[0].starts_with("\"NING/1.0\" has not read"), "{found:?}");
    }
}
