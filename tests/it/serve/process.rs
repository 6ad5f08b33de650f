//! The process: its configuration, its address, its start and end.

use super::*;

#[test]
fn mistake_in_table_stops_only_pages() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("damcast.toml");
    let station =
        "[station]\ndirectory = \"r\"\n[[line]]\nname = \"a\"\nport = \"serial:/nowhere\"\ngame-type = \"20\"\n";
    fs::write(&config, format!("{station}[serve]\naddress = \"here\"\nnonsense = 1\n")).unwrap();
    let path = config.to_str().unwrap();
    let served = run(&["serve", "--config", path]);
    assert_eq!(served.code, 2);
    assert_contains(&served.err, &["damcast.toml:8", "unknown key `nonsense`"]);
    let checked = run(&["config", "check", "--config", path]);
    assert!(
        checked.code != 0 && (checked.out.clone() + &checked.err).contains("`address` is an address"),
        "{}",
        checked.err
    );
    assert!(damcast::station::config::Config::load_for_recording(&config).is_ok(), "the station records all the same");
    fs::write(&config, "[serve]\naddress = \"127.0.0.1:0\"\n").unwrap();
    assert!(damcast::station::config::ServeConfig::load(&config).is_ok());
}

#[test]
fn server_stops_on_request_and_starts_without_outlet() {
    let outlet = OutletFixture::new();
    let mut server = outlet.serve();
    assert!(server.get("/").text().contains("No game has started yet"));
    assert_eq!((server.get("/games.pdn").status, server.get("/events.ndjson").status), (404, 404));
    let _open = server.watch("", None);
    kill_process(Pid::from_child(&server.process), Signal::TERM).unwrap();
    assert!(server.process.wait().unwrap().success());
}

#[test]
fn used_address_is_reported() {
    let outlet = game();
    let server = outlet.serve();
    let config = outlet.path("../other.toml");
    fs::write(&config, format!("[serve]\naddress = \"{}\"\n", server.address)).unwrap();
    let taken = run(&["serve", "--config", config.to_str().unwrap()]);
    assert!(
        taken.code == 1 && taken.err.contains(&server.address) && taken.err.contains("`address` of [serve]"),
        "{}",
        taken.err
    );
}

/// As a service the program gets its socket from systemd, and writes its state into its runtime folder.
#[test]
fn inherited_socket_is_used() {
    let outlet = game();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let config = outlet.path("../serve.toml");
    fs::write(&config, format!("[serve]\naddress = \"203.0.113.1:1\"\noutlet = {:?}\n", outlet.path(""))).unwrap();
    // As systemd does: the socket is descriptor 3, and the variables name it.
    let mut command = Command::new("sh");
    let script = format!(
        "LISTEN_PID=$$ LISTEN_FDS=1 RUNTIME_DIRECTORY={0:?} exec {1:?} serve --config {2:?} 3<&0 0</dev/null",
        outlet.path(".."),
        env!("CARGO_BIN_EXE_damcast"),
        config
    );
    command.args(["-c", &script]).stdin(Stdio::from(std::os::fd::OwnedFd::from(listener))).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut output = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut output).unwrap();
    assert_eq!(output, format!("viewers: http://{address}/\n"));
    let server = Server { process, address };
    wait_until("pages", || server.try_get("/", &[]).is_ok_and(|page| page.text().contains("Jansen")));
    let state = outlet.path("../state.json");
    wait_until("the state", || fs::read_to_string(&state).is_ok_and(|text| text.contains("\"seq\":3")));
    let output: Value = serde_json::from_str(&fs::read_to_string(&state).unwrap()).unwrap();
    assert_eq!(output["address"], server.address, "the desk makes a code of it");
}

/// The demonstration shows its boards from the start.
#[test]
fn demo_prints_page_address_first() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("demo");
    let mut command = damcast(&["demo", "--boards", "2", "--speed", "100", "--dir", place.to_str().unwrap()]);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut first_line = String::new();
    stdout.read_line(&mut first_line).unwrap();
    // Drains the output, so that the pipe does not block the program.
    std::thread::spawn(move || io::copy(&mut stdout, &mut io::sink()));
    let address = first_line
        .strip_prefix("viewers: http://")
        .and_then(|rest| rest.strip_suffix("/\n"))
        .expect("an address")
        .to_owned();
    let server = Server { process, address };
    wait_until("a move", || {
        server.try_get("/board/2", &[]).is_ok_and(|page| page.text().contains("/game/board-2-1/3\""))
    });
    assert!(server.get("/").text().contains("Demonstration"));
}
