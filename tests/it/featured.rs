//! The featured board, from the command to the events of an outlet.

use serde_json::json;

use crate::hall::Hall;
use crate::program::assert_contains;
use crate::pty::wait_until;
use crate::rounds::events;

#[test]
fn featured_board_is_published_and_lasts() {
    let mut hall = Hall::start("");
    hall.ctl(&["feature", "9"]).fails(1, "there is no board 9; give names or numbers");
    hall.ctl(&["feature"]).fails(2, "BOARD");
    hall.ctl(&["feature", "a", "1", "--every", "4"]).fails(1, "expected 5 to 3600 s");
    assert_contains(&hall.done(&["feature", "a"]), &["board a is featured"]);
    assert_contains(&hall.done(&["feature", "a"]), &["nothing is new"]);
    hall.done(&["feature", "a", "1", "--every", "30"]);
    hall.done(&["feature", "--off"]);
    hall.done(&["feature", "--most-moves"]);
    hall.ctl(&["undo-last"]).fails(1, "there is no action to undo");
    hall.done(&["undo-last", "--version", "4"]);
    wait_until("the last choice", || events(&hall.place, "featured").len() == 5);
    let choices: Vec<_> = events(&hall.place, "featured")
        .into_iter()
        .map(|event| json!([event["t"], event["mode"], event["boards"], event["every"]]))
        .collect();
    assert_eq!(
        json!(choices),
        json!([
            [1, "board", ["a"], null],
            [2, "in-turn", ["a", "1"], 30],
            [3, "off", [], null],
            [4, "most-moves", [], null],
            [5, "off", [], null],
        ])
    );
    hall.assert_lasts(&["events.ndjson"]);
}
