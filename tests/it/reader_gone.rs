//! The alarm for a program that polled a PDN file and no longer comes: from the pages to `status`, the desk and its `/healthz`.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};

use damcast::outward::web::{self, ServeOptions, live};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::daemon::StationFolder;
use crate::desk::{DeskProcess, code};
use crate::desk_in_browser::{open_with_code, picture_folder, press, save_screenshots, shown};
use crate::program::{assert_contains, free_address, run};
use crate::pty::wait_until;
use crate::serve::{OutletFixture, http_get};

/// Time by which the clock of the pages is ahead, in ms.
static AHEAD: AtomicI64 = AtomicI64::new(0);

/// Serves an outlet in this process, with the clock of the test.
fn serve(runtime: &tokio::runtime::Runtime, outlet: &OutletFixture, state_file: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    listener.set_nonblocking(true).unwrap();
    let options = ServeOptions {
        outlet: outlet.path(""),
        hosts: Vec::new(),
        machine: None,
        trusted_proxies: Vec::new(),
        connections: 400,
        state_file: Some(state_file),
        is_polled: false,
        language: None,
        now: || live::now() + AHEAD.load(Ordering::Relaxed),
    };
    let _inside = runtime.enter();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    runtime.spawn(web::serve(listener, options, std::future::pending()));
    address
}

#[test]
fn former_reader_is_missed_during_games() {
    let mut outlet = OutletFixture::new();
    outlet.begin("a", json!({"Board": "1", "Round": "3"}));
    outlet.play("a", 1);
    fs::create_dir_all(outlet.path("round/3")).unwrap();
    outlet.write("round/3/games.pdn", "[Result \"*\"]\n\n1. 32-28 *\n");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let state_file = outlet.path("../state.json");
    let pages = serve(&runtime, &outlet, state_file.clone());
    let poll =
        || http_get(&pages, "GET", "/round/3/games.pdn", &[("User-Agent", "NING/1.0")]).map(|answer| answer.status);
    wait_until("pages", || poll().is_ok_and(|status| status == 200));
    for _ in 0..4 {
        assert_eq!(poll().unwrap(), 200);
    }
    let alarms = || -> Option<usize> {
        let state: Value = serde_json::from_str(&fs::read_to_string(&state_file).ok()?).ok()?;
        assert!(state["readers"].as_array().is_some());
        (state["readers"][0]["file"] == "round/3/games.pdn").then(|| state["alarms"].as_array().unwrap().len())
    };
    wait_until("a regular reader", || alarms() == Some(0));

    let place = StationFolder::new(&["a"]);
    let _station = place.start();
    let viewers = state_file.to_str().unwrap();
    let socket = place.path("recordings/control.sock").display().to_string();
    let status = || run(&["status", "--socket", &socket, "--viewers", viewers]);
    wait_until("the station", || status().code == 0);
    let metrics = free_address();
    let keys = format!("metrics = {metrics:?}\n");
    let _desk = DeskProcess::start_with(&place.path("recordings"), &keys, &["--viewers", viewers]);
    let health = || http_get(&metrics, "GET", "/healthz", &[]).unwrap();
    assert!(!status().out.contains("reader-gone"));
    assert!(!health().text().contains("reader-gone"));

    AHEAD.store(181_000, Ordering::Relaxed);
    wait_until("an alarm", || alarms() == Some(1));
    assert_contains(
        &status().out,
        &["ALARM station: reader-gone since ", "\"NING/1.0\" has not read round/3/games.pdn"],
    );
    wait_until("the health", || health().status == 503 && health().text().contains("reader-gone"));
    poll().unwrap();
    wait_until("no alarm", || alarms() == Some(0));
    assert!(!status().out.contains("reader-gone"));
}

#[test]
fn desk_lists_alarm_of_pages() {
    let Some(mut browser) = Browser::open() else { return };
    let place = StationFolder::new(&["a"]);
    let _station = place.start();
    let state_file = place.path("state.json");
    // A later time of writing keeps the state fresh for the whole test.
    let text = "\"NING/1.0\" has not read round/3/games.pdn for three minutes, and did so all the time before: see whether the relay still runs, and try \
                `damcast doctor --relay` with its address";
    let alarm = json!({"kind": "reader-gone", "place": "round/3/games.pdn", "since": "2026-11-26T12:00:00+01:00", "text": text});
    fs::write(
        &state_file,
        json!({"written": live::now() + 3_600_000, "viewers": 7, "seq": 3, "alarms": [alarm]}).to_string(),
    )
    .unwrap();
    let desk = DeskProcess::start_with(&place.path("recordings"), "", &["--viewers", state_file.to_str().unwrap()]);
    wait_until("the station", || crate::control::run_ctl(&place, &["status"]).code == 0);
    open_with_code(&mut browser, &desk, "", &code(&place, "operator", "M. Bosma"));
    press(&mut browser, "Log in");
    shown(&mut browser, "reader-gone");
    save_screenshots(&mut browser, &picture_folder(), "reader-gone");
    browser.evaluate("location.hash = 'station'");
    shown(&mut browser, "has not read round/3/games.pdn");
    save_screenshots(&mut browser, &picture_folder(), "reader-gone-station");
}
