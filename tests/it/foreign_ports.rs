//! Boards of other makers on real ports and behind real servers: the recording of a board that answers no dumps.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

use damcast::engine::bytelog::RecordKind;

use crate::daemon::{StationFolder, kinds};
use crate::foreign_boards::{BoardBehaviour, Dumps, GAPS, PLIES, QUIET, Recording};
use crate::pty::{Pty, wait_until};

enum Wire {
    Port(Pty),
    Server(TcpListener, Option<TcpStream>),
}

impl Wire {
    fn receive(&mut self) -> Vec<u8> {
        match self {
            Wire::Port(pty) => pty.receive(),
            Wire::Server(listener, connection) => {
                if let Ok((new, _)) = listener.accept() {
                    new.set_nonblocking(true).unwrap();
                    *connection = Some(new);
                }
                let mut bytes = vec![0; 256];
                let count = connection.as_mut().and_then(|connection| connection.read(&mut bytes).ok()).unwrap_or(0);
                bytes.truncate(count);
                bytes
            }
        }
    }

    /// Sends bytes; without a listener they are lost.
    fn send(&mut self, bytes: &[u8]) {
        match self {
            Wire::Port(pty) => pty.send(bytes),
            Wire::Server(_, connection) => {
                let _ = connection.as_mut().map(|connection| connection.write_all(bytes));
            }
        }
    }
}

/// A board that plays its game as soon as it receives a query.
struct Board {
    name: String,
    behaviour: BoardBehaviour,
    wire: Wire,
    /// State of the board, for answers.
    state: Recording,
    script: std::iter::Peekable<std::vec::IntoIter<(u64, Vec<u8>)>>,
    started_at: Option<Instant>,
}

impl Board {
    fn new(place: &StationFolder, name: String, behaviour: BoardBehaviour, over_tcp: bool) -> Board {
        let wire = if over_tcp {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.set_nonblocking(true).unwrap();
            Wire::Server(listener, None)
        } else {
            Wire::Port(Pty::plug_in(&place.path(&name)))
        };
        let script = Recording::new(behaviour).play().messages.into_iter().peekable();
        Board { name, behaviour, wire, state: Recording::new(behaviour), script, started_at: None }
    }

    fn port(&self, place: &StationFolder) -> String {
        match &self.wire {
            Wire::Port(_) => place.path(&self.name).display().to_string(),
            Wire::Server(listener, _) => format!("tcp://{}", listener.local_addr().unwrap()),
        }
    }

    /// Sends due messages and answers queries. Returns whether the game is over.
    fn run(&mut self, speed: f64) -> bool {
        let asked = self.wire.receive();
        if !asked.is_empty() {
            self.started_at.get_or_insert_with(Instant::now);
        }
        for command in asked {
            let answer = self.state.answer(command);
            self.wire.send(&answer);
        }
        let Some(begun) = self.started_at else { return false };
        let now = (begun.elapsed().as_secs_f64() * 1000.0 * speed) as u64;
        while let Some((_, bytes)) = self.script.next_if(|(at, _)| *at <= now) {
            if let [0x8e, 0x00, 0x05, field, code] = bytes[..] {
                self.state.fields[usize::from(field)] = code;
            }
            self.wire.send(&bytes);
        }
        self.script.peek().is_none()
    }
}

/// Plays on all these boards at once at this speed relative to life, each on a port and behind a server.
fn compare(gaps: &[&'static [u64]], speed: f64) {
    let place = StationFolder::new(&[]);
    let mut boards = Vec::new();
    for (number, gaps) in gaps.iter().enumerate() {
        for (over_tcp, has_clock) in [(false, true), (true, true), (false, false), (true, false)] {
            for dumps in [Dumps::Always, Dumps::Once, Dumps::Never] {
                let name = format!("{dumps:?}-{number}-{over_tcp}-{has_clock}").to_lowercase();
                let manner =
                    BoardBehaviour { dumps, has_clock, gaps, answers: &[0x4d, 0x45], turned: false, game: QUIET };
                boards.push(Board::new(&place, name, manner, over_tcp));
            }
        }
    }
    let mut config = format!("[station]\ndirectory = {:?}\n", place.path("recordings"));
    for board in &boards {
        let (name, port) = (&board.name, board.port(&place));
        config += &format!("[[line]]\nname = {name:?}\nport = {port:?}\ngame-type = \"20\"\ntime-scale = {speed}\n");
    }
    std::fs::write(place.path("damcast.toml"), config).unwrap();
    let station = place.start();
    let start = Instant::now();
    while boards.iter_mut().filter_map(|board| (!board.run(speed)).then_some(())).count() > 0 {
        assert!(start.elapsed().as_secs() < 600, "{}", station.output());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let count = |name: &str| {
        let live = place.live(&format!("{name}-1.pdn"));
        live.lines().filter(|line| !line.is_empty() && !line.starts_with(['[', '/', '*'])).count()
    };
    for board in &mut boards {
        let BoardBehaviour { gaps, dumps, has_clock, .. } = board.behaviour;
        let name = board.name.clone();
        wait_until(&format!("{name}: {} plies of {PLIES}", count(&name)), || {
            board.run(speed);
            count(&name) + usize::from(dumps != Dumps::Always) >= PLIES
        });
        let log = place.log(&format!("{name}-1.log"));
        let was_noticed = |words: &str| {
            kinds(&log).iter().filter(|kind| matches!(kind, RecordKind::Note(text) if text.contains(words))).count()
        };
        let opened = kinds(&log).iter().filter(|kind| matches!(kind, RecordKind::LinkUp)).count();
        let over = if matches!(board.wire, Wire::Server(..)) { "tcp" } else { "pty" };
        println!(
            "gaps {gaps:?} ms, clock {has_clock}, {over}, dumps {dumps:?}: {} plies of {PLIES}, opened {opened} times, \
             reported {} times, answers again {} times",
            count(&name),
            was_noticed("does not answer what stands on it"),
            was_noticed("answers again"),
        );
        assert_eq!((opened, was_noticed("answers again")), (1, 0), "{name}");
        assert_eq!(was_noticed("does not answer what stands on it"), usize::from(dumps != Dumps::Always), "{name}");
        assert!(!place.live(&format!("{name}-1.pdn")).contains("/FEN"), "{name}");
    }
}

#[test]
fn records_board_without_dumps_on_port_and_server() {
    compare(&[GAPS[GAPS.len() - 1]], 6.0);
}

#[test]
#[ignore = "takes two minutes: all gaps between plies"]
fn records_board_without_dumps_at_every_pace() {
    compare(&GAPS, 8.0);
}
