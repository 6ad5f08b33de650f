//! Entry of moves at tables without electronic boards: kills of each process, and guesses of codes.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use damcast::simulation::games::SourceGame;
use draughts::{Position, Variant};
use draughts_pdn::notation;
use serde_json::json;

use crate::entry_page::{Phone, code, evening, evening_with, live};
use crate::games::playable;
use crate::hall::assert_clean;
use crate::pty::{TIMEOUT, wait_until};
use crate::start::Start;

const TABLES: usize = 6;
const PLIES: usize = 30;
/// Number of acknowledged plies between two kills.
const PLIES_PER_KILL: usize = 20;

/// Returns the texts of the first plies of a game of international draughts.
fn texts(game: &SourceGame) -> Vec<String> {
    let mut position = game.start;
    let mut texts = Vec::new();
    for played in game.moves.iter().take(PLIES) {
        texts.push(notation::write(position.variant(), played, &position.legal_moves()));
        position = position.play(played);
    }
    texts
}

/// Enters a game as the page does: each ply with its number, again until an answer says that it stands.
fn enter_game(start: &Start, secret: &str, texts: &[String], acknowledged: &AtomicUsize) {
    let mut phone = Phone::new(start);
    let until_answered = |ask: &mut dyn FnMut() -> Option<bool>| {
        let begin = Instant::now();
        while ask() != Some(true) {
            assert!(begin.elapsed() < 3 * TIMEOUT, "the station does not come back");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut path = String::new();
    until_answered(&mut || {
        let (status, answer) = phone.try_to_post("/open", &json!({ "code": secret }))?;
        path = format!("/table/{}", answer["key"].as_str()?);
        Some(status == 200)
    });
    for (index, text) in texts.iter().enumerate() {
        let ply = json!({"act": "enter", "game": 1, "ply": index + 1, "move": text});
        until_answered(&mut || {
            let (status, answer) = phone.try_to_post(&path, &ply)?;
            assert!(![400, 401, 409].contains(&status), "{ply}: {answer}");
            Some(status == 200 && answer["ok"] == true)
        });
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the moves in a live file, without comments.
pub fn moves(text: &str) -> Vec<String> {
    let movetext = text.rsplit_once("]\n").map_or("", |(_, movetext)| movetext);
    let is_move = |word: &&str| !word.ends_with('.') && *word != "*";
    movetext.split_whitespace().filter(is_move).map(str::to_owned).collect()
}

fn setup(tables: usize) -> String {
    let table = |number| format!("[[line]]\nname = \"table-{number}\"\nmode = \"entry\"\ngame-type = \"20\"\n");
    (1..=tables).map(table).collect()
}

#[test]
fn kills_while_phones_enter_lose_and_double_no_ply() {
    let folder = tempfile::tempdir().unwrap();
    let start = evening_with(folder.path(), &setup(TABLES));
    let games = playable("international");
    let start_position = Position::start(Variant::international());
    let is_whole = |game: &&SourceGame| game.start == start_position && game.moves.len() >= PLIES;
    let games: Vec<Vec<String>> = games.iter().filter(is_whole).cycle().take(TABLES).map(texts).collect();
    let codes: Vec<String> = (1..=TABLES).map(|number| code(folder.path(), &format!("table-{number}"))).collect();
    let (acknowledged, mut killed) = (AtomicUsize::new(0), Vec::new());
    std::thread::scope(|scope| {
        for (game, secret) in games.iter().zip(&codes) {
            scope.spawn(|| enter_game(&start, secret, game, &acknowledged));
        }
        let order = ["run", "entry", "desk", "run", "serve"];
        for (command, number) in order.into_iter().cycle().zip(1..TABLES * PLIES / PLIES_PER_KILL) {
            let is_due = || acknowledged.load(Ordering::Relaxed) >= number * PLIES_PER_KILL;
            wait_until("acknowledged plies", is_due);
            if start.kill(command) {
                killed.push(command);
            }
        }
    });
    println!("killed: {killed:?}");
    assert!(["run", "entry"].iter().all(|command| killed.contains(command)), "{killed:?}");
    for (number, game) in games.iter().enumerate() {
        let name = format!("table-{}-1.pdn", number + 1);
        wait_until(&name, || moves(&live(folder.path(), &name)).len() >= game.len());
        assert_eq!(&moves(&live(folder.path(), &name)), game, "{name}");
    }
    start.end();
    assert_clean(&folder.path().join("recordings"), "");
}

fn is_open(folder: &Path, start: &Start, own: Ipv4Addr, table: &str) -> bool {
    let mut phone = Phone::at(start, own);
    phone.post("/open", &json!({ "code": code(folder, table) })).0 == 200
}

#[test]
fn guesses_of_codes_delay_only_their_address() {
    let folder = tempfile::tempdir().unwrap();
    let start = evening(folder.path());
    let [guesser, member] = [7, 8].map(|last| Ipv4Addr::new(127, 0, 0, last));
    assert!(is_open(folder.path(), &start, guesser, "table-1"));
    let mut refusals = BTreeSet::new();
    for number in 0..100 {
        let guess = format!("aaaaa-aaaaa-{number:05}");
        let (status, answer) = Phone::at(&start, guesser).post("/open", &json!({ "code": guess }));
        refusals.insert((status, answer["error"].as_str().unwrap_or_default().contains("try again")));
        // Another address opens its table at once.
        if number % 20 == 0 {
            assert!(is_open(folder.path(), &start, member, "table-2"), "after {number} guesses");
        }
    }
    assert!(!is_open(folder.path(), &start, guesser, "table-1"), "the right code helps no more: {refusals:?}");
    assert!(refusals.iter().all(|(status, _)| *status != 200), "{refusals:?}");
    let mut phone = Phone::at(&start, member);
    let table = phone.open(&code(folder.path(), "table-2"));
    let ply = json!({"act": "enter", "game": 1, "ply": 1, "move": "32-28"});
    assert_eq!(phone.post(&table, &ply).0, 200);
    start.end();
}
