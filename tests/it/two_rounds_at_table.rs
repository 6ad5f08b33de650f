//! A board whose game of an earlier round still goes on while the next round is open: what the desk shows and enters is of one pairing.

use serde_json::{Value, json};

use crate::control::{Client, run_ctl, status};
use crate::daemon::StationFolder;
use crate::entry_station::{enter, started, tables};
use crate::pty::wait_until;

const ROUNDS: &str = "Round;Board;White;Black\n1;1;Ada;Bob\n2;1;Bob;Ada\n";

/// Sends a command of the tournament, and expects that it is done.
#[track_caller]
fn done(client: &mut Client, mut command: Value) {
    command["confirm"] = true.into();
    client.send(&format!("{}\n", json!({"do": "tournament", "request": command})));
    let reply = client.receive();
    assert_eq!(reply["ok"], true, "{reply}");
}

fn pairing(place: &StationFolder) -> Value {
    status(place)["boards"][0]["pairing"].clone()
}

fn open_round(client: &mut Client, round: u32) {
    done(client, json!({"command": "set-round-state", "round": round, "to": "open"}));
}

#[test]
fn running_game_belongs_to_its_own_pairing_alone() {
    let place = tables(&["table-1"], 20);
    let mut station = started(&place);
    let mut client = Client::connect(&place);
    done(&mut client, json!({"command": "import", "name": "rounds.csv", "text": ROUNDS}));
    open_round(&mut client, 1);
    let is_round = |round: u32, is_playing: bool| {
        let pairing = pairing(&place);
        pairing["round"] == round && pairing["is_playing"] == is_playing
    };
    wait_until("the pairing", || is_round(1, false));
    enter(&place, "table-1", &["32-28", "19-23"]).done();
    wait_until("the game", || is_round(1, true));
    // The game is adjourned, and stays on the board.
    done(&mut client, json!({"command": "postpone", "pairing": "1.1"}));
    open_round(&mut client, 2);
    wait_until("the next pairing", || is_round(2, false));
    assert_eq!(status(&place)["boards"][0]["is_ongoing"], true);
    assert!(station.signal(rustix::process::Signal::TERM).success());
}

#[test]
fn result_that_was_taken_back_is_not_proposed() {
    let place = tables(&["table-1"], 20);
    let mut station = started(&place);
    let mut client = Client::connect(&place);
    done(&mut client, json!({"command": "import", "name": "rounds.csv", "text": ROUNDS}));
    open_round(&mut client, 1);
    wait_until("the pairing", || pairing(&place)["round"] == 1);
    enter(&place, "table-1", &["32-28", "19-23"]).done();
    run_ctl(&place, &["ctl", "result", "table-1", "0-2", "--confirm"]).done();
    wait_until("the result", || pairing(&place)["result"] == "0-2");
    done(&mut client, json!({"command": "undo"}));
    wait_until("no result", || pairing(&place)["result"].is_null());
    let pairing = pairing(&place);
    assert_eq!((&pairing["waits_for_result"], &pairing["proposed"]), (&json!(true), &Value::Null), "{pairing}");
    assert!(station.signal(rustix::process::Signal::TERM).success());
}
