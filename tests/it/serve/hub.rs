//! `damcast hub`: several halls as one outlet, with real processes, real HTTP through `curl`, and kills.

use std::net::TcpListener;

use super::*;
use crate::program::free_address;
use crate::random::Random;

/// Longest wait: a lost hall is asked again after at most 30 seconds, and counts as away after 20.
const PATIENCE: Duration = Duration::from_secs(70);

#[track_caller]
pub fn wait_long(condition: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain: {condition}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Hub of two halls: a folder, and the pages of another outlet.
pub struct HubFixture {
    folder: tempfile::TempDir,
    pub hub: Option<Child>,
}

impl HubFixture {
    pub fn new(halls: &[(&str, &str)]) -> HubFixture {
        let folder = tempfile::tempdir().unwrap();
        let halls = halls.iter().map(|(name, place)| format!("[[hub.hall]]\nname = \"{name}\"\n{place}\n"));
        fs::write(folder.path().join("hub.toml"), halls.collect::<String>()).unwrap();
        let mut fixture = HubFixture { folder, hub: None };
        fixture.start();
        fixture
    }

    pub fn start(&mut self) {
        let config = self.folder.path().join("hub.toml");
        let mut command = damcast(&["hub", "--config", config.to_str().unwrap()]);
        command.env("RUNTIME_DIRECTORY", self.folder.path()).env_remove("NOTIFY_SOCKET");
        self.hub = Some(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }

    pub fn kill(&mut self) {
        if let Some(mut hub) = self.hub.take() {
            hub.kill().unwrap();
            hub.wait().unwrap();
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("hub").join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn state(&self) -> Value {
        let text = fs::read_to_string(self.folder.path().join("state.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Returns the lines of halls in the joined file: hall, number, text.
    pub fn joined(&self) -> Vec<(String, u64, Value)> {
        let events = self.read("events.ndjson");
        let lines = events.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let values = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of_hall = |line: Value| Some((line["hall"].as_str()?.to_owned(), line["hall_seq"].as_u64()?, line));
        values.filter_map(of_hall).collect()
    }

    pub fn generation(&self) -> Value {
        self.read("events.ndjson")
            .lines()
            .next()
            .map_or(Value::Null, |line| serde_json::from_str::<Value>(line).unwrap()["gen"].take())
    }

    /// Serves the pages of the hub.
    fn serve(&self) -> Server {
        let config = self.folder.path().join("serve.toml");
        fs::write(&config, format!("[serve]\naddress = \"127.0.0.1:0\"\noutlet = {:?}\n", self.path(""))).unwrap();
        super::serve(&config)
    }

    /// Returns all files of the hub that have a text.
    pub fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let mut folders = vec![self.folder.path().join("hub")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false if fs::read_to_string(entry.path()).unwrap_or_default().contains(text) => {
                        found.push(entry.path())
                    }
                    false => {}
                }
            }
        }
        found
    }
}

impl Drop for HubFixture {
    fn drop(&mut self) {
        self.kill();
    }
}

fn folder_of(outlet: &OutletFixture) -> String {
    format!("folder = {:?}", outlet.path(""))
}

fn url_of(server: &Server) -> String {
    format!("url = \"http://{}\"", server.address)
}

/// Replaces the file of events by another file.
pub fn replace_events(outlet: &OutletFixture, text: &str) {
    outlet.write("events.new", text);
    fs::rename(outlet.path("events.new"), outlet.path("events.ndjson")).unwrap();
}

/// Waits until the copies equal the files of the halls, and the joined file has each line once, in each hall's order.
fn check_joined(hub: &HubFixture, halls: &[(&str, &OutletFixture)]) {
    for (name, outlet) in halls {
        wait_long(&format!("copy of {name}"), || hub.read(&format!("hall/{name}/events.ndjson")) == outlet.events());
        wait_long(&format!("lines of {name}"), || {
            hub.joined()
                .iter()
                .rev()
                .find(|(hall, ..)| hall == name)
                .is_some_and(|(_, seq, _)| *seq == outlet.seq.get())
        });
    }
    let joined = hub.joined();
    for (name, outlet) in halls {
        let lines: Vec<_> = joined.iter().filter(|(hall, ..)| hall == name).collect();
        assert_eq!(lines.len() as u64, outlet.seq.get(), "{name}");
        for ((line, expected), seq) in lines.iter().zip(outlet.events().lines()).zip(1..) {
            let expected: Value = serde_json::from_str(expected).unwrap();
            assert_eq!(line.1, seq);
            assert_eq!(
                line.2["board"].as_str(),
                expected["board"].as_str().map(|board| format!("{name}.{board}")).as_deref()
            );
            for member in ["at", "type", "move", "fen", "n", "p", "clock", "tags", "station"] {
                assert_eq!(line.2[member], expected[member], "{member} of {name} {seq}");
            }
        }
    }
    let numbers = hub
        .read("events.ndjson")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
        .collect::<Vec<_>>();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

#[test]
fn joined_lines_are_whole_after_kills() {
    let (mut one, mut two) = (game(), game());
    two.generation = "00000000000000b2".into();
    fs::remove_file(two.path("events.ndjson")).unwrap();
    two.seq.set(0);
    two.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
    let mut server = Some(two.serve());
    let address = server.as_ref().unwrap().address.clone();
    let mut hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &url_of(server.as_ref().unwrap()))]);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    let generation = hub.generation();
    let mut random = Random(34);
    for round in 0..12 {
        for _ in 0..random.below(80) {
            let outlet = if random.below(2) == 0 { &mut one } else { &mut two };
            outlet
                .append_event("board-1", json!({"p": round, "type": "clock", "clock": {"white": random.below(9000)}}));
        }
        match random.below(3) {
            0 => {
                hub.kill();
                // A kill may leave a part of a line, and a loss of power may take the last lines of a copy.
                for (file, lost) in
                    [("events.ndjson", 30), ("hall/a/events.ndjson", 300), ("hall/b/events.ndjson", 300)]
                {
                    let text = hub.read(file);
                    let first = text.find('\n').unwrap() + 1;
                    let kept = text.len().saturating_sub(random.below(lost)).max(first);
                    fs::write(hub.path(file), &text[..kept]).unwrap();
                }
                hub.start();
            }
            1 => {
                drop(server.take());
                server = Some(two.serve_at(&address));
            }
            _ => std::thread::sleep(Duration::from_millis(random.below(200) as u64)),
        }
    }
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    assert_eq!(hub.generation(), generation, "the joined file kept its generation");
    drop(server);
}

#[test]
fn hall_that_begins_anew_leaves_no_old_name() {
    let mut one = game();
    let mut two = OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() };
    two.begin("board-1", json!({"White": "Geheim", "Black": "Smit"}));
    two.write("games.pdn", "[White \"Geheim\"]\n[Black \"Smit\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n*\n");
    let server = two.serve();
    let hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &url_of(&server))]);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    wait_long("games", || hub.read("games.pdn").contains("Geheim"));
    let generation = hub.generation();
    // The player becomes anonymous: another generation, without the name.
    let (text, games) = (two.events(), fs::read_to_string(two.path("games.pdn")).unwrap());
    two.generation = "00000000000000b3".into();
    let anonymous = text.replace("Geheim", "N. N.").replace("00000000000000b2", &two.generation);
    fs::write(two.path("games.pdn"), games.replace("Geheim", "N. N.")).unwrap();
    replace_events(&two, &anonymous);
    one.play("board-1", 3);
    wait_long("no old name", || hub.files_with("Geheim").is_empty() && hub.read("games.pdn").contains("N. N."));
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    assert_ne!(hub.generation(), generation);
}

#[test]
fn other_lines_under_same_numbers_are_put_aside() {
    let mut one = game();
    one.append_event("board-1", json!({"p": 1, "type": "clock", "clock": {"white": 77}}));
    let server = one.serve();
    let mut hub = HubFixture::new(&[("a", &url_of(&server))]);
    check_joined(&hub, &[("a", &one)]);
    let generation = hub.generation();
    hub.kill();
    let before = one.events();
    replace_events(&one, &before.replace("\"white\":77", "\"white\":78"));
    hub.start();
    check_joined(&hub, &[("a", &one)]);
    assert_ne!(hub.generation(), generation);
    assert_eq!(hub.read("aside/a-1.ndjson"), before);
    wait_long("alarm", || hub.state()["halls"][0]["alarm"].as_str().is_some_and(|alarm| alarm.contains("other lines")));
}

#[test]
fn station_is_one_hall_only() {
    let mut one = game();
    let server = one.serve();
    let hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &url_of(&server))]);
    wait_long("refusal", || {
        let state = hub.state();
        let problem = |index: usize| state["halls"][index]["problem"].as_str().unwrap_or_default().to_owned();
        [problem(0), problem(1)].iter().any(|problem| problem.contains("are one station"))
    });
    one.play("board-1", 3);
    let lines = || hub.joined().iter().map(|(hall, ..)| hall.clone()).collect::<std::collections::BTreeSet<_>>();
    wait_long("one of them", || hub.joined().len() as u64 == one.seq.get() && lines().len() == 1);
}

/// Somebody has named two halls the wrong way round, and mends that.
#[test]
fn halls_with_swapped_names_are_joined() {
    let one = game();
    let mut two = OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() };
    two.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
    let servers = [one.serve(), two.serve()];
    let [first, second] = [&servers[0], &servers[1]].map(url_of);
    let mut hub = HubFixture::new(&[("a", &first), ("b", &second)]);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    hub.kill();
    let config =
        |one: &str, two: &str| format!("[[hub.hall]]\nname = \"a\"\n{one}\n[[hub.hall]]\nname = \"b\"\n{two}\n");
    fs::write(hub.folder.path().join("hub.toml"), config(&second, &first)).unwrap();
    hub.start();
    check_joined(&hub, &[("a", &two), ("b", &one)]);
}

/// The hub begins its file anew while a hall cannot be reached: its boards come from the copy.
#[test]
fn hall_that_was_never_heard_keeps_its_boards() {
    let one = game();
    let mut two = OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() };
    two.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
    two.write("tournament.json", r#"{"event":{},"sections":[]}"#);
    let server = two.serve();
    let mut hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &url_of(&server))]);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    wait_long("its files", || !hub.read("tournament.json").is_empty());
    let before = hub.generation();
    hub.kill();
    let place = url_of(&server);
    drop(server);
    // Another order of the halls.
    let config = format!("[[hub.hall]]\nname = \"b\"\n{place}\n[[hub.hall]]\nname = \"a\"\n{}\n", folder_of(&one));
    fs::write(hub.folder.path().join("hub.toml"), config).unwrap();
    hub.start();
    wait_long("another generation", || hub.generation() != before);
    wait_long("the boards of both", || {
        let joined = hub.joined();
        ["a.board-1", "b.board-1"].into_iter().all(|board| joined.iter().any(|(_, _, line)| line["board"] == board))
    });
}

#[test]
fn foreign_answers_change_nothing_and_are_named() {
    let mut one = game();
    let portal = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = portal.local_addr().unwrap();
    std::thread::spawn(move || {
        for (turn, stream) in portal.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 1024]);
            let text = match turn % 3 {
                0 => "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Log in to the hotel</html>".to_owned(),
                1 => "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n".to_owned(),
                _ => format!(
                    "HTTP/1.1 200 OK\r\ndamcast-generation: x\r\ndamcast-sha256-before: {}\r\n\r\n{{\"seq\":2,\"gen\":\"x\"}}\n",
                    "0".repeat(64)
                ),
            };
            let _ = stream.write_all(text.as_bytes());
        }
    });
    let hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &format!("url = \"http://{address}\""))]);
    wait_long("problem", || {
        hub.state()["halls"][1]["problem"].as_str().is_some_and(|problem| problem.contains("not that of damcast serve"))
    });
    one.play("board-1", 3);
    check_joined(&hub, &[("a", &one)]);
    assert!(!hub.path("hall/b/events.ndjson").exists());
    let away = |hub: &HubFixture| {
        hub.read("events.ndjson")
            .lines()
            .any(|line| line.contains("\"hall\":\"b\"") && line.contains("\"state\":\"away\""))
    };
    wait_long("away", || away(&hub));
}

#[test]
fn files_are_joined_and_broken_ones_refused() {
    let (one, mut two) = (game(), OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() });
    two.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
    let pdn =
        |white: &str| format!("[White \"{white}\"]\n[Black \"B\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n1. 32-28 *\n");
    one.write("games.pdn", &pdn("A"));
    fs::create_dir_all(two.path("round/1")).unwrap();
    two.write("round/1/games.pdn", &pdn("C"));
    two.write("archive/board-1-1.pdn", &pdn("D"));
    let server = two.serve();
    let hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &url_of(&server))]);
    wait_long("archive", || hub.read("archive/b.board-1-1.pdn") == pdn("D"));
    wait_long("round", || hub.read("round/1/games.pdn") == pdn("C"));
    wait_long("games of one hall", || hub.read("games.pdn") == pdn("A"));
    two.write("games.pdn", &pdn("E"));
    two.play("board-1", 1);
    wait_long("games of both halls", || hub.read("games.pdn") == format!("{}\n{}", pdn("A"), pdn("E")));
    one.write("games.pdn", &pdn("F").replace("32-28", "32-28-99"));
    one.write("tournament.json", "{\"sections\":");
    wait_long("refusals", || {
        hub.state()["halls"][0]["refused_files"].as_object().is_some_and(|refused| refused.len() == 2)
    });
    assert_eq!(hub.read("games.pdn"), format!("{}\n{}", pdn("A"), pdn("E")));
    assert!(!hub.path("tournament.json").exists());
    one.write("games.pdn", &pdn("G"));
    wait_long("good file", || hub.read("games.pdn").contains("\"G\""));
}

#[test]
fn hub_that_is_a_hall_of_its_hall_is_refused() {
    let one = game();
    let address = free_address();
    let first = HubFixture::new(&[("a", &folder_of(&one)), ("b", &format!("url = \"http://{address}\""))]);
    wait_long("lines", || first.joined().len() as u64 == one.seq.get());
    let second = HubFixture::new(&[("first", &format!("folder = {:?}", first.path("")))]);
    wait_long("lines of lines", || second.joined().iter().any(|(_, _, line)| line["board"] == "first.a.board-1"));
    let config = second.folder.path().join("serve.toml");
    fs::write(&config, format!("[serve]\naddress = {address:?}\noutlet = {:?}\n", second.path(""))).unwrap();
    let _pages = super::serve(&config);
    let refused = |hub: &HubFixture| {
        hub.state()["halls"][1]["problem"].as_str().is_some_and(|problem| problem.contains("has this hub as a hall"))
    };
    wait_long("refusal", || refused(&first));
    assert!(first.joined().iter().all(|(hall, ..)| hall == "a"));
}

#[test]
fn too_many_games_for_readers_are_reported() {
    let (one, two) = (game(), OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() });
    let games = "[White \"A\"]\n[Black \"B\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n1. 32-28 *\n\n".repeat(40);
    one.write("games.pdn", &games);
    two.write("games.pdn", &games);
    let hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &folder_of(&two))]);
    wait_long("alarm", || {
        let state = hub.state();
        let alarms = state["alarms"].as_array().into_iter().flatten();
        alarms.filter_map(|alarm| alarm["text"].as_str()).any(|text| text.contains("games.pdn has 80 games"))
    });
}

#[test]
fn pages_show_boards_under_their_halls() {
    let mut one = OutletFixture::new();
    let mut two = OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() };
    for number in ["1", "2", "3"] {
        one.begin(&format!("board-{number}"), json!({"White": format!("A{number}"), "Black": "X", "Board": number}));
        two.begin(&format!("board-{number}"), json!({"White": format!("B{number}"), "Black": "Y", "Board": number}));
    }
    two.write("games.pdn", "[White \"B1\"]\n[Black \"Y\"]\n[GameType \"20\"]\n[Result \"*\"]\n\n*\n");
    let server = two.serve();
    let hub = HubFixture::new(&[("east", &folder_of(&one)), ("west", &url_of(&server))]);
    check_joined(&hub, &[("east", &one), ("west", &two)]);
    let config = hub.folder.path().join("hub.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}[serve]\naddress = \"127.0.0.1:0\"\noutlet = \"hub\"\n")).unwrap();
    let pages = super::serve(&config);
    let shows = |path: &str, words: &[&str]| {
        let answer = pages.get(path);
        answer.status == 200 && words.iter().all(|word| answer.text().contains(word))
    };
    wait_long("both halls", || {
        shows("/", &["href=\"/?hall=east\"", "href=\"/?hall=west\"", "data-board=\"west.board-3\""])
    });
    let grid = pages.get("/").text();
    let place = |text: &str| grid.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("data-board=\"east.board-3\"") < place("data-part=\"hall-west\""));
    assert!(place("data-part=\"hall-west\"") < place("data-board=\"west.board-1\""));
    let west = pages.get("/?hall=west").text();
    assert!(west.contains("west.board-2") && !west.contains("data-board=\"east.board-2\""));
    // On the wall, where no headings stand, a card names its hall.
    assert_contains(&pages.get("/?wall").text(), &["</span>1 <bdi>east</bdi>", "</span>1 <bdi>west</bdi>"]);
    assert_contains(&pages.get("/overlay/ticker").text(), &["</span>3 <bdi>west</bdi>"]);
    assert_contains(&pages.get("/board/west.board-2").text(), &["Board 2 · west", "B2"]);
    assert_contains(&pages.get("/board/west.2").text(), &["Board 2 · west"]);
    wait_long("games of the hall", || pages.get("/hall/west/games.pdn").status == 200);
    assert_contains(&pages.get("/hall/west/games.pdn").text(), &["B1"]);
    for missing in
        ["/hall/north/games.pdn", "/hall/west/events.ndjson", "/hall/../games.pdn", "/hall/west/tournament.json"]
    {
        assert_eq!(pages.get(missing).status, 404, "{missing}");
    }
    drop(server);
    wait_long("a hall that is away", || {
        let text = pages.get("/").text();
        text.contains("s-off")
            && text.split("data-part=\"hall-west\"").nth(1).is_some_and(|rest| rest[..200].contains("No signal"))
    });
}

#[test]
fn wrong_hub_tables_are_named_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("hub.toml");
    for (text, words) in [
        ("[hub]\n", "needs a table [[hub.hall]]"),
        ("[[hub.hall]]\nname = \"a.b\"\nfolder = \"x\"\n", "hub.toml:2:8: `name` stands before"),
        ("[[hub.hall]]\nname = \"a\"\n", "a hall needs `url`"),
        ("[[hub.hall]]\nname = \"a\"\nurl = \"ftp://x\"\n", "hub.toml:3:7: `url` is the address"),
        ("[[hub.hall]]\nname = \"a\"\nurl = \"http://x/\\\" -o FILE\"\n", "no spaces, quotation marks"),
        ("[[hub.hall]]\nname = \"a\"\nurl = \"http://-o/x\"\n", "it names a machine"),
        ("[[hub.hall]]\nname = \"a\"\nurl = \"http://user:secret@x/\"\n", "no user name and no password"),
        ("[[hub.hall]]\nname = \"a\"\nfolder = \"x\"\n[[hub.hall]]\nname = \"A\"\nfolder = \"y\"\n", "is taken"),
        (
            "[[hub.hall]]\nname = \"a\"\nfolder = \"x\"\n[[hub.hall]]\nname = \"b\"\nfolder = \"x\"\n",
            "the same place as `a`",
        ),
        ("[[hub.hall]]\nname = \"a\"\nfolder = \"hub\"\n", "the folder of the hub itself"),
        ("[[hub.hall]]\nname = \"a\"\nfolder = \"x\"\nurls = \"y\"\n", "unknown key `urls`"),
    ] {
        fs::write(&config, text).unwrap();
        run(&["hub", "--config", config.to_str().unwrap()]).fails(2, words);
    }
}

#[test]
fn name_that_hall_does_not_have_is_reported() {
    let one = game();
    let server = one.serve();
    let port = server.address.rsplit(':').next().unwrap();
    // Names below localhost are those of this machine.
    let hub = HubFixture::new(&[("a", &format!("url = \"http://hall.localhost:{port}\""))]);
    wait_long("the remedy", || {
        hub.state()["halls"][0]["problem"].as_str().is_some_and(|problem| problem.contains("add the name to `hosts`"))
    });
}

#[test]
fn every_page_names_hall_that_is_away() {
    let mut outlet = OutletFixture::new();
    outlet.append_line(json!({"type": "halls", "halls": ["a", "b"]}));
    outlet.begin("a.board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("a.board-1", 1);
    let server = outlet.serve();
    let names_hall = |path: &str| server.get(path).text().contains("<bdi>b</bdi>: <span class=\"st\">No signal</span>");
    assert!(!names_hall("/standings"));
    outlet.append_line(json!({"type": "hall", "hall": "b", "state": "away", "silent_s": 30}));
    server.wait_for(&outlet);
    for path in ["/", "/standings", "/players", "/archive", "/board/a.board-1"] {
        assert!(names_hall(path), "{path}");
    }
    // The clocks of a hall that is away stand.
    let runs = |path: &str| server.get(path).text().contains("<span class=\"ck run");
    assert!(runs("/") && runs("/board/a.board-1"));
    outlet.append_line(json!({"type": "hall", "hall": "a", "state": "away", "silent_s": 30}));
    server.wait_for(&outlet);
    assert!(!runs("/") && !runs("/board/a.board-1"));
    // All games that go on are heard again when it returns, also one that began meanwhile.
    outlet.begin_game("a.board-1", 2, json!({"White": "Visser", "Black": "Ba", "Round": "2"}));
    outlet.append_line(json!({"type": "hall", "hall": "a", "state": "here"}));
    server.wait_for(&outlet);
    for path in ["/game/a.board-1-1", "/game/a.board-1-2"] {
        let page = server.get(path).text();
        // The other hall is away.
        assert!(page.contains("<span class=\"ck") && page.matches("data-silent-since").count() == 1, "{path}: {page}");
    }
}

#[test]
fn number_alone_is_that_of_first_hall_that_has_it() {
    let mut outlet = OutletFixture::new();
    outlet.append_line(json!({"type": "halls", "halls": ["a", "b"]}));
    let waits = |hall: &str, number: u64, white: &str| {
        let tags = json!({"White": white, "Black": "X", "Round": "1", "Board": number.to_string()});
        json!({"hall": hall, "b": 1, "type": "boards", "list": [{"board": format!("board-{number}"), "gametype": "20", "tags": tags}]})
    };
    outlet.begin("a.board-3", json!({"White": "Jansen", "Black": "Ba", "Board": "3"}));
    outlet.begin("b.board-5", json!({"White": "Visser", "Black": "Ba", "Board": "5"}));
    outlet.append_line(waits("b", 3, "Later"));
    outlet.append_line(waits("a", 5, "Soon"));
    let server = outlet.serve();
    server.wait_for(&outlet);
    for (number, name, other) in [(3, "Jansen", "Later"), (5, "Soon", "Visser")] {
        for page in ["/board", "/embed/board", "/overlay/board", "/overlay/lower-third"] {
            let text = server.get(&format!("{page}/{number}")).text();
            assert!(text.contains(name) && !text.contains(other), "{page}/{number}: {text}");
        }
    }
    assert!(server.get("/board/5?ply=0").text().contains("Soon"), "a number alone with a position");
    assert!(server.get("/board/b.5").text().contains("Visser") && server.get("/board/b.3").text().contains("Later"));
}

/// A hub is a hall of another hub. What is away inside it stays away when the line between the hubs returns.
#[test]
fn hall_inside_hall_stays_away() {
    let mut outlet = OutletFixture::new();
    outlet.append_line(json!({"type": "halls", "halls": ["x"]}));
    outlet.begin("x.a.board-1", json!({"White": "Jansen", "Black": "Ba"}));
    outlet.play("x.a.board-1", 1);
    let state = |outlet: &mut OutletFixture, hall: &str, state: &str| {
        outlet.append_line(json!({"type": "hall", "hall": hall, "state": state, "silent_s": 30}));
    };
    let server = outlet.serve();
    let is_silent = |outlet: &OutletFixture, board: &str| {
        server.wait_for(outlet);
        server.get(&format!("/board/{board}")).text().contains("s-off")
    };
    for (hall, word, silent) in
        [("x/a", "away", true), ("x", "away", true), ("x", "here", true), ("x/a", "here", false)]
    {
        state(&mut outlet, hall, word);
        assert_eq!(is_silent(&outlet, "x.a.board-1"), silent, "{hall} {word}");
    }
    // A board whose first line comes later.
    state(&mut outlet, "x/b", "away");
    outlet.begin("x.b.board-1", json!({"White": "Visser", "Black": "Smit"}));
    outlet.play("x.b.board-1", 1);
    assert!(is_silent(&outlet, "x.b.board-1") && !is_silent(&outlet, "x.a.board-1"));
}

/// Makes a hall away: its recorder has given no sign of life for a minute.
fn stop_recorder(outlet: &OutletFixture) {
    outlet.write("alive.json", "{\"alive\":1795651982000}\n");
    let file = fs::File::options().append(true).open(outlet.path("alive.json")).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(60)).unwrap();
}

#[test]
fn pages_of_several_halls_tell_longest_delay() {
    let (mut one, mut two) = (game(), OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() });
    two.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
    let sign = |delay: &str| format!("{{\"alive\":1795651982000,{delay}}}\n");
    one.write("alive.json", &sign("\"delay_s\":900,\"delay_plies\":0"));
    two.write("alive.json", &sign("\"delay_s\":90,\"delay_plies\":1"));
    let tells = |pages: &Server, path: &str| {
        let page = pages.get(path).text();
        ["Delay: 15 minutes", "Delay: 1 move<"].map(|delay| page.contains(delay))
    };
    let pages = one.serve();
    wait_long("the delay of the hall", || tells(&pages, "/standings") == [true, false]);
    // A hall has its server, the other one its folder.
    let hub = HubFixture::new(&[("a", &url_of(&pages)), ("b", &folder_of(&two))]);
    wait_long("the joined events", || !hub.read("events.ndjson").is_empty());
    let joined = hub.serve();
    wait_long("the delay of both", || tells(&joined, "/") == [true, true] && tells(&joined, "/?wall") == [true, true]);
    one.write("alive.json", &sign("\"delay_s\":0,\"delay_plies\":0"));
    one.play("board-1", 1);
    wait_long("the delay of the other hall", || {
        let page = joined.get("/?lang=nl").text();
        page.contains("Vertraging: 90 seconden") && page.contains("Vertraging: 1 zet<")
    });
}

/// A reading of a clock counts from its publication, also for pages that start later.
#[test]
fn clocks_of_halls_run_right_after_restart_of_pages() {
    let (mut one, mut two) = (OutletFixture::new(), OutletFixture::new());
    two.generation = "00000000000000b2".into();
    one.set_delay(Duration::from_secs(900));
    two.set_delay(Duration::ZERO);
    one.write("alive.json", "{\"alive\":1795651982000,\"delay_s\":900,\"delay_plies\":0}\n");
    two.write("alive.json", "{\"alive\":1795651982000,\"delay_s\":0,\"delay_plies\":0}\n");
    for outlet in [&mut one, &mut two] {
        outlet.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
        outlet.play("board-1", 1);
    }
    let mut hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &folder_of(&two))]);
    let lines_with_delay = |hub: &HubFixture| hub.read("events.ndjson").matches("\"delay_s\":900").count();
    wait_long("a line with the delay of the hall", || lines_with_delay(&hub) == 1);
    two.play("board-1", 2);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    let pages = hub.serve();
    for board in ["a.board-1", "b.board-1"] {
        let page = pages.get(&format!("/board/{board}")).text();
        let clock = page.split("<span class=\"ck run").nth(1).unwrap().split("data-heard=\"").nth(1).unwrap();
        let heard: i64 = clock.split('"').next().unwrap().parse().unwrap();
        let age = chrono::Utc::now().timestamp_millis() - heard;
        assert!((0..90_000).contains(&age), "{board}: {age} ms");
    }
    // After a restart, the hub reads the delay from its file and does not write it again.
    hub.kill();
    hub.start();
    two.play("board-1", 3);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    assert_eq!(lines_with_delay(&hub), 1);
}

#[test]
fn hall_that_is_away_keeps_its_boards_in_another_generation() {
    let (mut one, mut two) = (game(), OutletFixture { generation: "00000000000000b2".into(), ..OutletFixture::new() });
    two.begin("board-1", json!({"White": "Visser", "Black": "Smit"}));
    let hub = HubFixture::new(&[("a", &folder_of(&one)), ("b", &folder_of(&two))]);
    check_joined(&hub, &[("a", &one), ("b", &two)]);
    stop_recorder(&two);
    let is_away = || hub.state()["halls"][1]["state"] == "away";
    wait_long("away", is_away);
    let before = hub.generation();
    one.begin_anew(|text| text.to_owned());
    wait_long("another generation", || hub.generation() != before);
    wait_long("the boards of both", || {
        let joined = hub.joined();
        ["a.board-1", "b.board-1"].into_iter().all(|board| joined.iter().any(|(_, _, line)| line["board"] == board))
    });
    let pages = hub.serve();
    wait_long("the page", || pages.get("/").text().contains("Visser"));
    let page = pages.get("/board/b.board-1?lang=en").text();
    assert!(page.contains("data-silent-since"), "{page}");
}

#[test]
fn damaged_folder_stays_a_problem() {
    let one = game();
    let hub = HubFixture::new(&[("a", &folder_of(&one))]);
    check_joined(&hub, &[("a", &one)]);
    let whole = one.events();
    let cut = whole.split_inclusive('\n').next().unwrap().to_owned();
    fs::write(one.path("events.ndjson"), &cut).unwrap();
    // After the time of four signs of life it counts as away, and says why.
    wait_long("away", || hub.state()["halls"][0]["state"] == "away");
    let problem = hub.state()["halls"][0]["problem"].clone();
    assert!(problem.as_str().is_some_and(|problem| problem.contains("fewer than the copy")), "{problem}");
    // A folder that does not exist is a problem too.
    let other = HubFixture::new(&[("a", "folder = \"nowhere\"")]);
    wait_long("no folder", || {
        other.state()["halls"][0]["problem"].as_str().is_some_and(|problem| problem.contains("no events yet"))
    });
    fs::write(one.path("events.ndjson"), &whole).unwrap();
    wait_long("back", || hub.state()["halls"][0]["state"] == "here" && hub.state()["halls"][0]["problem"].is_null());
}
