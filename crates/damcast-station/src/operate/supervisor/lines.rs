//! Lines of a station: commands to them, and changes by a new configuration.
//!
//! | new configuration | effect on the line |
//! |---|---|
//! | adds the line | opens it |
//! | removes the line | ends it when its game is over |
//! | has equal settings | none |
//! | has other settings | reopens it as soon as no game can be lost; if only the port changes, also as soon as the old port is gone |

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use damcast_engine::bytelog::Mode;
use damcast_engine::session::request::{OperatorCommand, Request, Target};
use damcast_engine::session::{BusAddress, MissingMovesPlace};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::restart::run_with_restarts;
use crate::config::{Config, LineConfig};
use crate::counters::Counters;
use crate::file_problems::FileProblems;
use crate::heartbeat::Heartbeats;
use crate::line::{
    CommandSender, LineCommand, LineDeps, LineReport, Reporter, RequestContext, RequestOutcome, Storage,
    command_channel,
};
use crate::link::{PortAddress, Ports};
use crate::locks::lock;
use crate::outlets::OutletHandle;

/// Prefix of the name of a line's heartbeat.
pub const LINE_PREFIX: &str = "line ";

/// Dependencies shared by all lines.
pub struct SharedDeps {
    /// Files and their writer.
    pub storage: Storage,
    /// Ports used by each line.
    pub ports: Ports,
    /// Becomes true when all lines must stop.
    pub stop: watch::Receiver<bool>,
    /// Reports of all lines.
    pub rows: watch::Sender<Vec<LineReport>>,
    /// Writes the public files.
    pub outlets: OutletHandle,
    /// Counters of all lines.
    pub counters: Counters,
    /// Problems with the files of all lines.
    pub problems: FileProblems,
    /// Heartbeats of all lines.
    pub heartbeats: Heartbeats,
}

/// Command queues of all lines.
#[derive(Clone, Default)]
pub struct Queues(Arc<Mutex<BTreeMap<String, CommandSender>>>);

impl Queues {
    /// Returns the number of waiting commands for each line.
    pub fn pending_commands(&self) -> Vec<(String, usize)> {
        let queues = lock(&self.0);
        let waiting = |commands: &CommandSender| commands.max_capacity() - commands.capacity();
        queues.iter().map(|(name, commands)| (name.clone(), waiting(commands))).collect()
    }
}

/// Running lines.
pub struct Lines {
    shared: SharedDeps,
    queues: Queues,
    running: BTreeMap<String, Running>,
    tasks: JoinSet<(String, u64)>,
    /// Permits to open a line.
    openings: Arc<Semaphore>,
    started: u64,
}

struct Running {
    /// Distinguishes the line from an earlier one of the same name.
    id: u64,
    commands: CommandSender,
}

/// Name of a line and the receiver of its answer.
pub type PendingAnswer = (String, oneshot::Receiver<Option<String>>);

impl Lines {
    /// Creates an empty set of lines.
    pub fn new(shared: SharedDeps) -> Lines {
        let openings = Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));
        let (queues, running, tasks) = (Queues::default(), BTreeMap::new(), JoinSet::new());
        Lines { shared, queues, running, tasks, openings, started: 0 }
    }

    /// Applies a configuration. Returns the names of started lines, and the pending answers of the others.
    pub fn configure(&mut self, config: &Config) -> (Vec<String>, Vec<PendingAnswer>) {
        let path = |line: &LineConfig| match &line.port {
            Some(PortAddress::Serial(path)) => Some(path.clone()),
            _ => None,
        };
        let reserved: Vec<PathBuf> = config.lines.iter().filter_map(path).collect();
        self.shared.ports.reserve(reserved);
        self.order_rows(config);
        let (mut begun, mut pending_answers) = (Vec::new(), Vec::new());
        for line in &config.lines {
            match self.running.get(&line.name).filter(|running| !running.commands.is_closed()) {
                Some(running) => {
                    let config = Box::new(line.clone());
                    let command = |answer| LineCommand::Configure { config, answer };
                    pending_answers.push(send_command(&line.name, running, command));
                }
                None => {
                    self.spawn(line.clone());
                    begun.push(line.name.clone());
                }
            }
        }
        for (name, running) in &self.running {
            if config.lines.iter().all(|line| line.name != *name) {
                pending_answers.push(send_command(name, running, |answer| LineCommand::Remove { answer }));
            }
        }
        (begun, pending_answers)
    }

    /// Sorts the rows by the configuration; removed lines come last.
    fn order_rows(&self, config: &Config) {
        self.shared.rows.send_modify(|rows| {
            let mut old = std::mem::take(rows);
            for line in &config.lines {
                let known = old.iter().position(|row| row.name == line.name);
                rows.push(match known {
                    Some(index) => old.remove(index),
                    None => LineReport {
                        name: line.name.clone(),
                        port: line.port_name(),
                        is_entry: line.mode == Mode::Entry,
                        no_link: Some("not opened yet".to_owned()),
                        ..LineReport::default()
                    },
                });
            }
            rows.extend(old);
        });
    }

    fn spawn(&mut self, line: LineConfig) {
        self.started += 1;
        let (sender, inbox) = command_channel();
        let (name, id) = (line.name.clone(), self.started);
        let shared = &self.shared;
        let deps = LineDeps {
            storage: shared.storage.clone(),
            ports: shared.ports.for_line(&name),
            stop: shared.stop.clone(),
            reporter: Reporter::new(shared.rows.clone(), &name),
            outlets: shared.outlets.clone(),
            commands: inbox,
            counters: shared.counters.for_line(&name),
            problems: shared.problems.clone(),
            heartbeat: shared.heartbeats.pulse(&format!("{LINE_PREFIX}{name}")),
            openings: Arc::clone(&self.openings),
        };
        lock(&self.queues.0).insert(name.clone(), sender.clone());
        self.running.insert(name.clone(), Running { id, commands: sender });
        self.tasks.spawn(async move {
            run_with_restarts(line, deps).await;
            (name, id)
        });
    }

    /// Waits for the end of a line that was removed from the configuration. Returns `None` if there are no lines.
    pub async fn next_end(&mut self) -> Option<String> {
        let (name, id) = self.tasks.join_next().await?.ok()?;
        if self.running.get(&name).is_some_and(|running| running.id == id) {
            self.running.remove(&name);
            lock(&self.queues.0).remove(&name);
            self.shared.rows.send_modify(|rows| rows.retain(|row| row.name != name));
        }
        Some(name)
    }

    /// Returns the command queues.
    pub fn queues(&self) -> Queues {
        self.queues.clone()
    }

    /// Sends an operator request to the line of a board.
    pub fn request(
        &self,
        board: &str,
        board_command: OperatorCommand,
        asked: RequestContext,
        answer: oneshot::Sender<RequestOutcome>,
    ) {
        // The requester may be gone; the reason is dropped then.
        let refuse =
            |answer: oneshot::Sender<RequestOutcome>, why: String| drop(answer.send(RequestOutcome::refused(why)));
        let (line, request) = match find_line(&self.shared.rows.borrow(), board) {
            Ok((line, address)) => (line, Request { target: Target::from_address(address), command: board_command }),
            Err(why) => return refuse(answer, why),
        };
        let Some(running) = self.running.get(&line) else {
            return refuse(answer, format!("the line `{line}` has ended"));
        };
        let (order, why) =
            match running.commands.try_send(Box::new(LineCommand::Request { request, context: asked, answer })) {
                Ok(()) => return,
                Err(mpsc::error::TrySendError::Full(order)) => {
                    (order, "too many requests wait for this line; does it hang?")
                }
                Err(mpsc::error::TrySendError::Closed(order)) => (order, "this line has ended"),
            };
        if let LineCommand::Request { answer, .. } = *order {
            refuse(answer, why.to_owned());
        }
    }
}

impl Lines {
    /// Asks the line of a board for the places at which moves are missing.
    pub fn missing_moves(&self, board: &str, answer: oneshot::Sender<Result<Vec<MissingMovesPlace>, String>>) {
        let found = find_line(&self.shared.rows.borrow(), board);
        let running = found.and_then(|(line, address)| match self.running.get(&line) {
            Some(running) => Ok((running, address)),
            None => Err(format!("the line `{line}` has ended")),
        });
        // The requester may be gone. If the line has ended, its answer channel closes.
        let _ = match running {
            Ok((running, address)) => {
                running.commands.try_send(Box::new(LineCommand::MissingMoves { address, answer })).is_ok()
            }
            Err(why) => answer.send(Err(why)).is_ok(),
        };
    }
}

/// Sends a command to a line. `command`: makes the command from the sender of the answer.
fn send_command(
    name: &str,
    running: &Running,
    command: impl FnOnce(oneshot::Sender<Option<String>>) -> LineCommand,
) -> PendingAnswer {
    let (answer, receiver) = oneshot::channel();
    // If the line has ended, its answer channel closes.
    let _ = running.commands.try_send(Box::new(command(answer)));
    (name.to_owned(), receiver)
}

/// Returns the line of a board and its address there.
fn find_line(rows: &[LineReport], board: &str) -> Result<(String, Option<BusAddress>), String> {
    if let Some(row) = rows.iter().find(|row| row.name == board && !row.is_bus) {
        return Ok((row.name.clone(), None));
    }
    for row in rows.iter().filter(|row| row.is_bus) {
        let address = board.strip_prefix(&row.name).and_then(|rest| rest.strip_prefix('/'));
        let is_it = |of_bus: &&crate::line::BoardReport| {
            of_bus.name == board || address == Some(of_bus.address.to_string().as_str())
        };
        if let Some(of_bus) = row.boards.iter().find(is_it) {
            return Ok((row.name.clone(), Some(of_bus.address)));
        }
    }
    let names = |row: &LineReport| match row.is_bus {
        true => row.boards.iter().map(|board| board.name.clone()).collect::<Vec<_>>(),
        false => vec![row.name.clone()],
    };
    if let Some(bus) = rows.iter().find(|row| row.name == board) {
        return Err(format!("`{board}` is a bus; name one of its boards: {}", names(bus).join(", ")));
    }
    let known: Vec<String> = rows.iter().flat_map(names).collect();
    Err(format!("there is no board `{board}`; there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::BoardReport;
    use damcast_engine::session::Status;

    #[test]
    fn finds_boards_by_each_name() {
        let board = |number: u16, name: &str| BoardReport {
            address: BusAddress::new(number).unwrap(),
            name: name.to_owned(),
            status: Status::default(),
            wait_status: None,
            since: None,
            live_file: None,
        };
        let rows = [
            LineReport { name: "board-1".into(), ..LineReport::default() },
            LineReport {
                name: "hall".into(),
                is_bus: true,
                boards: vec![board(1025, "table-1"), board(7, "hall-7")],
                ..LineReport::default()
            },
        ];
        let found = |text: &str| find_line(&rows, text).map(|(line, address)| (line, address.map(BusAddress::number)));
        assert_eq!(found("board-1"), Ok(("board-1".into(), None)));
        for (text, number) in [("table-1", 1025), ("hall/1025", 1025), ("hall-7", 7), ("hall/7", 7)] {
            assert_eq!(found(text), Ok(("hall".into(), Some(number))), "{text}");
        }
        assert!(found("hall").is_err_and(|error| error.contains("name one of its boards: table-1, hall-7")));
        for text in ["", "board", "board-1/7", "hall/8", "HALL/7", "hall/"] {
            assert!(found(text).is_err_and(|error| error.contains("there are board-1, table-1, hall-7")), "{text}");
        }
    }
}
