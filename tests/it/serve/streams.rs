//! Events as lines and as streams that browsers follow.

use super::*;

#[test]
fn stream_resumes_even_after_restart() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut stream = server.watch("?board=board-1", None);
    assert_eq!(stream.next().kind, "hello");
    let snapshot = stream.next();
    assert_eq!((snapshot.kind.as_str(), snapshot.id.as_deref()), ("snapshot", Some(&*format!("{GENERATION}.3"))));
    assert_eq!(snapshot.data["boards"][0]["count"], 2);
    outlet.play("board-1", 3);
    let event = stream.next_of_boards();
    assert_eq!(
        (&event.data["last"]["text"], &event.data["last"]["captured"], &event.data["count"]),
        (&"28x19".into(), &json!([45]), &3.into())
    );
    assert_eq!(event.data["clock"]["white"], 1770);
    let id = event.id.unwrap();
    drop(stream);
    // Events without a listener, and without a server.
    outlet.play("board-1", 4);
    drop(server);
    outlet.append_event("board-1", json!({"n": 6, "type": "end"}));
    let server = outlet.serve();
    server.wait_for(&outlet);
    let mut stream = server.watch("?board=board-1", Some(&id));
    stream.next();
    let (first, second) = (stream.next(), stream.next());
    assert_eq!((first.id.unwrap(), second.id.unwrap()), (format!("{GENERATION}.5"), format!("{GENERATION}.6")));
    assert_eq!((&first.data["last"]["text"], &second.data["what"]), (&"14x23".into(), &"end".into()));
    for strange in [format!("{GENERATION}.77"), "other.3".into(), "x".into(), ".".into()] {
        let mut stream = server.watch("", Some(&strange));
        stream.next();
        assert_eq!(stream.next().kind, "snapshot", "{strange}");
    }
}

#[test]
fn viewers_count_until_leaving_and_head_requests_never() {
    let outlet = game();
    let server = outlet.serve();
    let counted = |counter: &str| -> Option<u64> {
        let text = fs::read_to_string(outlet.folder.path().join("state.json")).ok()?;
        serde_json::from_str::<Value>(&text).ok()?[counter].as_u64()
    };
    let head = server.request("HEAD", "/events", &[("Accept", "text/event-stream")]).unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    let mut all: Vec<Stream> = (0..5).map(|_| server.watch("", None)).collect();
    all.iter_mut().for_each(|stream| assert_eq!(stream.next().kind, "hello"));
    wait_until("five viewers", || counted("viewers") == Some(5));
    assert_eq!(counted("connections"), Some(5));
    all.truncate(2);
    // A viewer who leaves is noticed at once, not at the next event that cannot be written.
    wait_until("two viewers", || counted("viewers") == Some(2));
    assert_eq!(counted("connections"), Some(2));
}

#[test]
fn stream_needs_acceptable_media_type() {
    let outlet = game();
    let server = outlet.serve();
    let right = "text/event-stream|Text/Event-Stream|application/json, text/event-stream;q=0.5|\
        text/event-stream ; charset=utf-8 ; q=1";
    let wrong = "text/event-streamx|xtext/event-stream|text/event-stream;q=0|text/event-stream; Q=0.00|*/*|";
    for (types, is_stream) in [(right, true), (wrong, false)] {
        for accept in types.split('|') {
            let head = server.request("HEAD", "/events", &[("Accept", accept)]).unwrap();
            let kind = head.header("content-type").unwrap_or_default();
            assert_eq!(kind.starts_with("text/event-stream"), is_stream, "{accept}: {kind}");
        }
    }
}

#[test]
fn new_generation_is_sent_as_snapshot() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut stream = server.watch("", Some(&format!("{GENERATION}.3")));
    assert_eq!(stream.next().kind, "hello");
    let mut other = OutletFixture { generation: "0000000000000001".into(), ..OutletFixture::new() };
    other.begin("elsewhere", json!({}));
    fs::rename(other.path("events.ndjson"), outlet.path("events.new")).unwrap();
    fs::rename(outlet.path("events.new"), outlet.path("events.ndjson")).unwrap();
    let event = stream.next_of_boards();
    assert_eq!((event.kind.as_str(), &event.data["boards"][0]["board"]), ("snapshot", &"elsewhere".into()));
    assert_eq!(server.get(&format!("/events?gen={GENERATION}")).status, 404);
    outlet.generation = other.generation;
}

#[test]
fn unfollowed_boards_send_only_last_state() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut followed = server.watch("?board=board-1", Some(&format!("{GENERATION}.3")));
    let mut other = server.watch("?board=elsewhere", Some(&format!("{GENERATION}.3")));
    assert_eq!((followed.next().kind, other.next().kind), ("hello".into(), "hello".into()));
    // At most four writes per second: these arrive in one or two.
    for seconds in 0..50 {
        outlet.append_event("board-1", json!({"p": seconds, "type": "clock", "clock": {"white": seconds, "black": 5}}));
    }
    let mut seen = Vec::new();
    while seen.last() != Some(&53) {
        let event = followed.next_of_boards();
        seen.push(event.id.unwrap().rsplit_once('.').unwrap().1.parse::<u64>().unwrap());
    }
    assert_eq!(seen, (4..=53).collect::<Vec<_>>());
    let mut count = 0;
    loop {
        count += 1;
        if other.next_of_boards().data["clock"]["white"] == 49 {
            break;
        }
    }
    assert!(count < 25, "{count} of 50 were sent");
}

#[test]
fn event_lines_and_ranges_match_file() {
    let mut outlet = game();
    for seconds in 0..600 {
        outlet.append_event("board-1", json!({"p": seconds, "type": "clock", "clock": {"white": seconds}}));
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    let whole = outlet.events();
    assert_eq!(server.get("/events.ndjson").text(), whole);
    assert_eq!(server.get("/events").text(), whole);
    for from in [1, 2, 256, 257, 258, 513, 603] {
        let expected: String = whole.split_inclusive('\n').skip(from - 1).collect();
        let answer = server.get(&format!("/events?gen={GENERATION}&from={from}"));
        assert_eq!((answer.status, answer.text()), (200, expected), "{from}");
    }
    assert_eq!(server.get(&format!("/events?gen={GENERATION}&from=604")).text(), "");
    assert_eq!(server.get("/events?gen=other&from=1").status, 404);
    for from in ["-1", "0", "x", "", "18446744073709551616"] {
        assert_eq!(server.get(&format!("/events?from={from}")).status, 400, "{from}");
    }
    let length = whole.len();
    for (range, status, from, to) in [
        ("bytes=0-99", 206, 0, 100),
        ("bytes=100-", 206, 100, length),
        ("bytes=-7", 206, length - 7, length),
        ("bytes=-99999999", 206, 0, length),
        ("bytes=0-1,5-6", 200, 0, length),
        ("nonsense", 200, 0, length),
        ("bytes=9999999-", 416, 0, 0),
    ] {
        let answer = server.get_with("/events.ndjson", &[("Range", range)]);
        assert_eq!((answer.status, answer.body.len()), (status, to - from), "{range}");
        assert_eq!(answer.body, whole.as_bytes()[from..to], "{range}");
    }
    let etag = server.get("/events.ndjson").header("etag").unwrap().to_owned();
    assert_eq!(server.get_with("/events.ndjson", &[("If-None-Match", &etag)]).status, 304);
    outlet.play("board-1", 3);
    assert_eq!(server.get_with("/events.ndjson", &[("If-None-Match", &etag)]).status, 200);
    assert_eq!(server.get_with("/events.ndjson", &[("If-Range", &etag), ("Range", "bytes=0-1")]).status, 200);
}

/// After a break a whole hall reconnects at one time from one address: no viewer is refused.
#[test]
fn whole_hall_may_reconnect_at_once() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut all: Vec<TcpStream> = (0..400).map(|_| server.connect()).collect();
    let head =
        format!("GET /events?after={GENERATION}.3 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    all.iter_mut().for_each(|stream| stream.write_all(head.as_bytes()).unwrap());
    outlet.play("board-1", 3);
    for stream in all {
        let mut lines = BufReader::new(stream).lines();
        assert!(lines.any(|line| line.unwrap().contains("28x19")), "a stream ended");
    }
}

#[test]
fn result_sends_rows_that_change() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    let server = outlet.serve();
    server.wait_for(&outlet);
    let page = server.get("/standings?lang=en").text();
    let id = page.split_once("data-id=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap();
    let mut stream = server.watch("?page=%2Fstandings&lang=en", Some(id));
    let text = std::fs::read_to_string(outlet.path("tournament.json")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["sections"][0]["rounds"][1]["pairings"][0]["points"] = json!(["0", "2"]);
    outlet.write("tournament.json", &document.to_string());
    let parts = (0..20).map(|_| stream.next()).find(|event| event.kind == "parts").expect("parts");
    let changed: Vec<&str> = parts.data.as_array().unwrap().iter().map(|part| part[0].as_str().unwrap()).collect();
    let mut rows: Vec<&&str> = changed.iter().filter(|key| key.starts_with("row-players-")).collect();
    rows.sort_unstable();
    assert_eq!(rows, [&"row-players-Open-1", &"row-players-Open-2"], "{changed:?}");
}

/// Programs get what boards say, in a snapshot as in later events: the official result of a game that its board has not ended is in lines of
/// its own.
#[test]
fn official_result_does_not_end_game_of_programs() {
    let mut outlet = OutletFixture::new();
    tournament(&mut outlet);
    outlet.begin_paired_game(
        "board-7",
        1,
        json!({"White": "Ba", "Black": "Jansen", "Round": "5", "Board": "7"}),
        Some(1),
    );
    outlet.play("board-7", 1);
    let server = outlet.serve();
    server.wait_for(&outlet);
    assert!(server.get("/board/board-7").text().contains("data-result=\"2-0\""));
    let mut stream = server.watch("", None);
    let snapshot = stream.next_of_boards();
    let state = snapshot.data["boards"].as_array().unwrap().iter().find(|board| board["board"] == "board-7").unwrap();
    assert_eq!((&state["state"], &state["result"]), (&json!("playing"), &Value::Null), "{state}");
}
