//! Ways from a hall to the hub: the tunnel of `config/examples/damcast-tunnel.service` through a real sshd, and TLS through a real nginx.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::deliver::Place;
use crate::deliver::hooks::{SshServer, has_programs, make_certificate};
use crate::nginx::Nginx;
use crate::program::free_port;
use crate::pty::wait_until;
use crate::serve::hub::{HubFixture, wait_long};
use crate::serve::{OutletFixture, http_get};

const TUNNEL: &str = include_str!("../../config/examples/damcast-tunnel.service");

/// A process that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns an outlet with a game.
fn outlet() -> OutletFixture {
    let mut outlet = OutletFixture::new();
    outlet.begin("board-1", serde_json::json!({"White": "Visser", "Black": "Smit"}));
    outlet
}

/// Returns what a server answers on this port; `None` if nobody does.
fn answer(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(b"GET /events HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text).filter(|text| !text.is_empty())
}

#[test]
fn tunnel_brings_lines_and_permits_nothing_else() {
    if !has_programs(&["ssh", "sshd", "ssh-keygen", "curl"]) {
        return;
    }
    let mut outlet = outlet();
    let server = outlet.serve();
    let place = Place::new();
    let (port, other) = (free_port(), free_port());
    let line = TUNNEL.lines().find_map(|line| line.strip_prefix("#   restrict,")).unwrap();
    let options = format!("restrict,{}", line.split_once("ssh-ed25519").unwrap().0);
    let sshd = SshServer::start(&place, &options.replace("9102", &port.to_string()));
    let account = format!("{}@127.0.0.1", sshd.user);
    let ssh = |arguments: &[&str]| {
        let mut command = Command::new("ssh");
        command.args(sshd.options(&place, "key")).args(["-T", "-o", "BatchMode=yes", "-o", "ExitOnForwardFailure=yes"]);
        command.args(arguments).arg(&account).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let to = |port: u16| format!("127.0.0.1:{port}:{}", server.address);
    let _tunnel = Running(ssh(&["-N", "-R", &to(port)]).spawn().unwrap());
    wait_until("lines through the tunnel", || answer(port).is_some_and(|text| text.contains("Visser")));
    let hub = HubFixture::new(&[("a", &format!("url = \"http://127.0.0.1:{port}\""))]);
    outlet.play("board-1", 1);
    wait_long("the copy", || hub.read("hall/a/events.ndjson") == outlet.events());
    // Another port, a shell, and the way in the other direction are refused.
    assert!(!ssh(&["-N", "-R", &to(other)]).status().unwrap().success(), "another port");
    let mut shell = Command::new("ssh");
    shell.args(sshd.options(&place, "key")).args(["-o", "BatchMode=yes", &account, "echo", "inside"]);
    assert!(!String::from_utf8_lossy(&shell.output().unwrap().stdout).contains("inside"), "a shell");
    let local = free_port();
    let _local = Running(ssh(&["-N", "-L", &to(local)]).spawn().unwrap());
    wait_until("the local port", || TcpStream::connect(("127.0.0.1", local)).is_ok());
    assert_eq!(answer(local), None, "a local forward");
    assert!(answer(port).is_some());
}

#[test]
fn hall_over_tls_needs_right_certificate() {
    if !has_programs(&["openssl", "nginx", "curl"]) {
        return;
    }
    let outlet = outlet();
    let server = outlet.serve();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    for name in ["right", "wrong"] {
        make_certificate(folder.path(), name);
    }
    let nginx = Nginx::start(|address, _| {
        let [certificate, key] = ["right.pem", "right.key"].map(file);
        let upstream = &server.address;
        format!(
            "server {{ listen {address} ssl; ssl_certificate {certificate}; ssl_certificate_key {key};\n\
             location / {{ proxy_pass http://{upstream}; proxy_set_header Host {upstream}; proxy_http_version 1.1; }} }}"
        )
    });
    let Some(nginx) = nginx else { return };
    let hall = |ca: &str| format!("url = \"https://{}\"\nca-file = {:?}", nginx.address, file(ca));
    let hub = HubFixture::new(&[("a", &hall("right.pem"))]);
    wait_long("the copy", || hub.read("hall/a/events.ndjson") == outlet.events());
    drop(hub);
    let hub = HubFixture::new(&[("a", &hall("wrong.pem"))]);
    wait_long("the refusal", || {
        hub.state()["halls"][0]["problem"].as_str().is_some_and(|text| text.contains("certificate"))
    });
    assert!(!hub.path("hall/a/events.ndjson").exists());
    assert!(http_get(&server.address, "GET", "/", &[]).is_ok());
    assert!(fs::read_to_string(hub.path("events.ndjson")).is_ok());
}
