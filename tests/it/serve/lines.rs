//! Lines for programs that follow an outlet from another machine, and the list of its files.

use sha2::{Digest, Sha256};

use super::*;

/// Answer that stays open.
struct LineStream {
    reader: BufReader<TcpStream>,
    head: String,
}

impl LineStream {
    fn open(server: &Server, query: &str) -> LineStream {
        let mut stream = server.connect();
        stream
            .write_all(format!("GET /events?{query} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes())
            .unwrap();
        let (mut reader, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
        }
        LineStream { reader, head: head.to_ascii_lowercase() }
    }

    /// Returns the next line; `None` at the end.
    fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        (self.reader.read_line(&mut line).unwrap() > 0).then_some(line)
    }

    /// Returns the next line with a number.
    fn next_numbered(&mut self) -> Option<String> {
        loop {
            match self.next()? {
                beat if beat.starts_with("{\"alive\":") => {}
                line => return Some(line),
            }
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

#[test]
fn followed_lines_match_file_and_prefix() {
    let mut outlet = game();
    for seconds in 0..600 {
        outlet.append_event("board-1", json!({"p": seconds, "type": "clock", "clock": {"white": seconds}}));
    }
    let server = outlet.serve();
    server.wait_for(&outlet);
    for from in [1, 2, 257, 258, 603, 604] {
        let mut stream = LineStream::open(&server, &format!("gen={GENERATION}&from={from}&follow"));
        let text = outlet.events();
        let mut lines = text.split_inclusive('\n');
        let before: String = lines.by_ref().take(from - 1).collect();
        let hash = Sha256::digest(before).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(stream.header("damcast-sha256-before"), Some(hash.as_str()), "{from}");
        assert_eq!(stream.header("damcast-generation"), Some(GENERATION));
        for line in lines {
            assert_eq!(stream.next_numbered().unwrap(), line);
        }
        outlet.append_event("board-1", json!({"p": from, "type": "clock", "clock": {"white": 7}}));
        let text = outlet.events();
        assert_eq!(stream.next_numbered().as_deref(), text.split_inclusive('\n').next_back());
    }
    // A copy was restored: the same generation with other lines.
    let mut stream = LineStream::open(&server, "from=605&follow");
    super::hub::replace_events(&outlet, &outlet.events().replace("\"white\":7}", "\"white\":8}"));
    while let Some(line) = stream.next_numbered() {
        assert!(!line.contains("\"white\":8}"), "{line}");
    }
}

#[test]
fn followed_lines_end_with_their_generation() {
    let mut outlet = game();
    let server = outlet.serve();
    server.wait_for(&outlet);
    let mut stream = LineStream::open(&server, "from=4&follow");
    outlet.generation = "0000000000000001".into();
    outlet.seq.set(0);
    fs::rename(outlet.path("events.ndjson"), outlet.path("events.old")).unwrap();
    outlet.begin("elsewhere", json!({}));
    assert_eq!(stream.next_numbered(), None);
    server.wait_for(&outlet);
    let other = server.get(&format!("/events?gen={GENERATION}&from=4&follow"));
    assert_eq!((other.status, other.header("damcast-generation")), (404, Some("0000000000000001")));
    assert_eq!(server.get("/events?from=7&follow").status, 409);
}

#[test]
fn reader_follows_from_before_first_event() {
    let mut outlet = OutletFixture::new();
    outlet.stop_recorder();
    let server = outlet.serve();
    let mut stream = LineStream::open(&server, "from=1&follow");
    assert!(stream.next().unwrap().starts_with("{\"alive\":null,\"files\":\""));
    // No generation is known yet, so nobody is told of another.
    assert_eq!(server.get(&format!("/events?gen={GENERATION}&from=4&follow")).status, 503);
    outlet.begin("board-1", json!({}));
    assert_eq!(stream.next_numbered(), None, "the generation has begun");
    server.wait_for(&outlet);
    let mut stream = LineStream::open(&server, "from=1&follow");
    assert_eq!(stream.next_numbered(), Some(outlet.events()));
    outlet.write("alive.json", "{\"alive\":1795651982000,\"delay_s\":900,\"delay_plies\":2}     \n");
    let mut beat_with = |is_it: &dyn Fn(&Value) -> bool| loop {
        let beat: Value = serde_json::from_str(&stream.next().unwrap()).unwrap();
        if is_it(&beat) {
            break beat;
        }
    };
    let beat = beat_with(&|beat| !beat["alive"].is_null());
    assert!(beat["alive"].as_u64().unwrap() < TIMEOUT.as_millis() as u64, "{beat}");
    let beat = beat_with(&|beat| beat["delay_s"] != 0);
    assert_eq!((&beat["delay_s"], &beat["delay_plies"]), (&json!(900), &json!(2)));
    // The tag tells that other files have changed.
    outlet.write("games.pdn", "[White \"Visser\"]\n\n*\n");
    beat_with(&|other| other["files"].is_string() && other["files"] != beat["files"]);
}

#[test]
fn files_are_listed_with_tags_of_their_content() {
    let outlet = game();
    fs::create_dir_all(outlet.path("round/2")).unwrap();
    for name in ["games.pdn", "tournament.json", "round/2/games.pdn", "archive/board-1-2026.pdn"] {
        outlet.write(name, &format!("content of {name}\n"));
    }
    for name in ["secret.txt", "round/2/other.pdn", "archive/.hidden.pdn", "archive/other.txt"] {
        outlet.write(name, "none of the readers' files\n");
    }
    std::os::unix::fs::symlink(outlet.path("secret.txt"), outlet.path("started.pdn")).unwrap();
    let server = outlet.serve();
    let answer = server.get("/files.json");
    let listed: Value = serde_json::from_str(&answer.text()).unwrap();
    let listed = listed["files"].as_array().unwrap();
    let names: Vec<&str> = listed.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["archive/board-1-2026.pdn", "games.pdn", "round/2/games.pdn", "tournament.json"]);
    for file in listed {
        let served = server.get(&format!("/{}", file["name"].as_str().unwrap()));
        assert_eq!(served.header("etag"), file["etag"].as_str());
        assert_eq!(Some(served.body.len() as u64), file["size"].as_u64());
    }
    let etag = answer.header("etag").unwrap().to_owned();
    assert_eq!(server.get_with("/files.json", &[("If-None-Match", &etag)]).status, 304);
    outlet.write("games.pdn", "other\n");
    assert_ne!(server.get("/files.json").header("etag"), Some(etag.as_str()));
}
