//! Invalid and hostile requests.

use super::*;

#[test]
fn foreign_host_gets_nothing() {
    let outlet = game();
    let server = outlet.serve_with("hosts = [\"live.example.org\"]\n");
    let port = server.address.rsplit_once(':').unwrap().1;
    for host in
        ["localhost", "live.example.org", "LIVE.example.org:443", "[::1]", "10.1.2.3", &format!("127.0.0.1:{port}")]
    {
        assert_eq!(server.get_with("/", &[("Host", host)]).status, 200, "{host}");
    }
    let foreign = "evil.example|localhost.evil.example|127.0.0.1.evil.example|127.evil.com|\
        live.example.org.evil.example|user@localhost||null|[::1|a b|localhost:port";
    for host in foreign.split('|') {
        for path in ["/", "/events", "/games.pdn", "/assets/x", "/nothing"] {
            let answer = server.get_with(path, &[("Host", host)]);
            assert!([421, 400].contains(&answer.status), "{host} {path}: {}", answer.status);
            assert!(!answer.text().contains("Jansen"));
        }
    }
    for request in [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n".to_owned(),
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: loc\u{e4}lhost\r\nConnection: close\r\n\r\n".to_owned(),
    ] {
        let answer = server.raw(request.as_bytes()).unwrap();
        assert!([421, 400].contains(&answer.status), "{request}: {}", answer.status);
    }
    // A cross-site request is answered: reading is allowed to all, and only reading is possible.
    let other = server.get_with("/", &[("Origin", "null"), ("Sec-Fetch-Site", "cross-site"), ("Cookie", "a=b")]);
    assert_eq!(
        (other.status, other.header("set-cookie"), other.header("access-control-allow-origin")),
        (200, None, None)
    );
}

#[test]
fn every_answer_forbids_unneeded_features() {
    let server = game().serve();
    for path in ["/", "/board/1", "/events", "/games.pdn", "/nothing", "/archive"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("unsafe") && !policy.contains("frame-ancestors")
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-frame-options"), None, "viewers' pages may be framed");
    }
}

#[test]
fn only_reading_is_possible() {
    let outlet = game();
    let server = outlet.serve();
    let before = fs::read_dir(outlet.path("")).unwrap().count();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
        let answer =
            server.request(method, if method == "CONNECT" { "localhost:80" } else { "/" }, &[("Content-Length", "0")]);
        let answer = answer.unwrap();
        assert!([405, 400, 421].contains(&answer.status), "{method}: {}", answer.status);
    }
    let head = server.request("HEAD", "/", &[]).unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    // A body without an end, and one with an announced length.
    for more in [
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFF\r\nxxxx",
        "Content-Length: 99999999999\r\n\r\nxxxx",
        "Content-Length: 5\r\n\r\nxxxxx",
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{more}");
        assert_eq!(server.raw(request.as_bytes()).unwrap().status, 413, "{more}");
    }
    assert_eq!(fs::read_dir(outlet.path("")).unwrap().count(), before);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn no_path_leaves_outlet() {
    let outlet = game();
    fs::write(outlet.path("../secret.pdn"), "secret").unwrap();
    fs::write(outlet.path("archive/.hidden.pdn"), "secret").unwrap();
    std::os::unix::fs::symlink(outlet.path("../secret.pdn"), outlet.path("archive/link.pdn")).unwrap();
    fs::create_dir(outlet.path("archive/folder.pdn")).unwrap();
    let (pipe, kind) = (outlet.path("archive/pipe.pdn"), rustix::fs::FileType::Fifo);
    let _ = rustix::fs::mknodat(rustix::fs::CWD, pipe, kind, rustix::fs::Mode::RUSR, 0);
    let server = outlet.serve();
    let paths = "/../secret.pdn /archive/../secret.pdn /archive/..%2fsecret.pdn /archive/%2e%2e/secret.pdn \
        /archive/..%5csecret.pdn /archive/%2e%2e%2f%2e%2e%2fsecret.pdn /archive/.hidden.pdn /archive/link.pdn \
        /archive/folder.pdn /archive/pipe.pdn /archive/x%00.pdn /archive//etc/passwd //etc/passwd \
        /archive/%ff%fe.pdn /archive/ /board/..%2f..%2fsecret /events.ndjson/../secret.pdn \
        /assets/../secret.pdn /game/..%2fsecret-1.pdn /file:%2f%2f/etc/passwd";
    for path in paths.split(' ') {
        let answer = server.get(path);
        assert!([404, 400].contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.text().contains("secret\n") && !answer.text().contains("root:"), "{path}");
    }
    let long = format!("/board/{}", "x".repeat(5000));
    assert_eq!(server.get(&long).status, 414);
}

#[test]
fn linked_folders_and_events_are_not_served() {
    let outlet = game();
    fs::rename(outlet.path("archive"), outlet.path("../elsewhere")).unwrap();
    std::os::unix::fs::symlink(outlet.path("../elsewhere"), outlet.path("archive")).unwrap();
    fs::write(outlet.path("../elsewhere/secret-1.pdn"), "secret\n").unwrap();
    let server = outlet.serve();
    for path in ["/archive/secret-1.pdn", "/archive/board-1-1.pdn"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert!(!server.get("/").text().contains("secret-1"));
    fs::rename(outlet.path("events.ndjson"), outlet.path("../elsewhere/events.ndjson")).unwrap();
    std::os::unix::fs::symlink(outlet.path("../elsewhere/events.ndjson"), outlet.path("events.ndjson")).unwrap();
    assert_eq!(server.get("/events.ndjson").status, 404);
}

#[test]
fn any_input_is_answered_or_closed_and_others_are_served() {
    let server = game().serve();
    let flood = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(100_000));
    let one = format!("GET / HTTP/1.1\r\nHost: localhost\r\nA: {}\r\n\r\n", "b".repeat(1 << 20));
    for request in [
        flood.as_bytes(),
        one.as_bytes(),
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /?ply=99999999999999999999&lang=%00&wall=%3Cscript%3E HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /board/1?ply=-1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ] {
        if let Ok(answer) = server.raw(request) {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            assert!(answer.status >= 200 && !text.contains("<script>"), "{}", answer.headers);
        }
        assert_eq!(server.get("/").status, 200);
    }
}

/// 2,000 connections of one address that never finish a request: the oldest are closed, real requests are served at once, and open streams
/// stay open. A claimed other address changes nothing.
#[test]
fn slow_requests_do_not_delay_others() {
    let mut outlet = game();
    let server = outlet.serve();
    let mut stream = server.watch("?board=board-1", Some(&format!("{GENERATION}.3")));
    assert_eq!(stream.next().kind, "hello");
    let head = |index| format!("GET / HTTP/1.1\r\nX-Forwarded-For: 10.0.{}.{}\r\n", index / 250, index % 250);
    let mut held = hold_connections(&server.address, head, || assert_eq!(server.get("/").status, 200));
    outlet.play("board-1", 3);
    assert_eq!(stream.next_of_boards().data["last"]["text"], "28x19");
    // The server closes the oldest when others arrive, long before their time limit.
    let (mut first, started_at) = (held.swap_remove(0), Instant::now());
    first.set_nonblocking(true).unwrap();
    let is_open = |stream: &mut TcpStream| matches!(stream.read(&mut [0; 64]), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
    while is_open(&mut first) {
        assert!(started_at.elapsed() < Duration::from_secs(7), "it was held for its whole time");
        held.push(server.connect());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn unfinished_request_is_closed() {
    let server = game().serve();
    let mut slow = server.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
    let mut rest = Vec::new();
    let ended = slow.read_to_end(&mut rest);
    assert!(ended.is_ok() && !String::from_utf8_lossy(&rest).contains("200 OK"), "{ended:?}");
}
