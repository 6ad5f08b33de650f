//! A board behind a serial-port server: it answers, falls silent while the connection stays up, and comes back.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use crate::program::damcast;
use crate::pty::wait_until;

/// Reads all available bytes, and answers the queries for the position if `answers`. Returns the number of queries.
fn serve(connection: &mut TcpStream, answers: bool) -> usize {
    let mut bytes = [0; 256];
    match connection.read(&mut bytes) {
        Ok(count) => {
            let asked = bytes[..count].iter().filter(|&&byte| byte == 0x42).count();
            for _ in 0..asked * usize::from(answers) {
                connection.write_all(&[vec![0x86, 0x00, 0x67], vec![0; 100]].concat()).unwrap();
            }
            asked
        }
        Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
        Err(error) => panic!("the connection broke: {error}"),
    }
}

#[test]
fn stalled_connection_is_closed_and_reopened() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let config = format!(
        "[station]\ndirectory = \"recordings\"\n[[line]]\nname = \"a\"\nport = \"tcp://{}\"\ngame-type = \"20\"\n\
         time-scale = 50\n",
        listener.local_addr().unwrap()
    );
    fs::write(folder.path().join("damcast.toml"), config).unwrap();
    let mut command = damcast(&["run", "--config", "damcast.toml"]);
    let mut station = command.current_dir(folder.path()).stderr(Stdio::null()).spawn().unwrap();

    let accept = || {
        let mut accepted = None;
        wait_until("a connection", || {
            accepted = listener.accept().ok();
            accepted.is_some()
        });
        let (connection, _) = accepted.unwrap();
        connection.set_nonblocking(true).unwrap();
        connection
    };
    let mut first = accept();
    let mut asked = 0;
    wait_until("questions", || {
        asked += serve(&mut first, true);
        asked >= 3
    });
    // From here on the server accepts everything and forwards nothing; the connection stays up.
    let mut second = accept();
    wait_until("an answer after the silence", || {
        serve(&mut second, true);
        let log = fs::read_to_string(folder.path().join("recordings/log/a-1.log")).unwrap_or_default();
        log.contains("the board does not answer") && log.contains("the board answers again")
    });
    let _ = station.kill();
    let _ = station.wait();
}
