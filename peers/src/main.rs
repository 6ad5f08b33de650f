//! Measures of this program beside others, in one run: each row is a line of a Markdown table.
//!
//! ```text
//! ./scripts/beside-peers
//! ```
//!
//! Ours and the peer alternate on one thread, in processor time; the ratio is that of each pair. To add a row, call [`Table::row`].

mod chess;
mod collection;
mod table;

use std::process::{Command, Stdio};

use table::{Limit, Table, Unit};

fn main() {
    let mut table = Table::new();
    let text = collection::international();
    let (plies, problems) = collection::check(&text);
    assert_eq!(problems, 0, "the games of the tests are legal");
    moves(&mut table, &text, plies);
    table.row(
        "`check --strict` beside `check`",
        Unit::Time,
        Limit::AtMost(2.5),
        || _ = collection::strict(&text),
        || _ = collection::check(&text),
    );
    table.row(
        "`convert` beside `check`",
        Unit::Time,
        Limit::AtMost(2.5),
        || _ = collection::convert(&text),
        || _ = collection::check(&text),
    );
    on_two_cores(&mut table, &text);
    table.print();
}

/// Draughts moves read and played, beside chess moves.
fn moves(table: &mut Table, text: &[u8], plies: u64) {
    let name = "moves of PDN, beside pgn-reader + shakmaty";
    let limit = Limit::AtLeast(1.2);
    let unit = |plies: u64| Unit::Speed(plies as f64 / 1e6, "M plies/s");
    match chess::games(plies) {
        Some((games, count)) => table.row_of_two(
            name,
            (unit(plies), unit(count)),
            limit,
            || assert_eq!(collection::check(text).0, plies),
            || assert_eq!(chess::play(&games), count),
        ),
        None => table.skip(name, limit, "the registry has no pgn-reader and shakmaty"),
    }
}

/// One file checked by the program on two cores, beside one, and a folder of sixteen lines.
fn on_two_cores(table: &mut Table, text: &[u8]) {
    let names = [
        "`check` of a file, two cores beside one",
        "`fsck` of 16 lines, two cores beside one",
    ];
    let limit = Limit::AtLeast(1.7);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let programs = ["PEERS_DAMCAST", "PEERS_BOARDSIM"].map(std::env::var_os);
    let ([Some(damcast), Some(boardsim)], 2..) = (programs, cores) else {
        return names.iter().for_each(|name| table.skip(name, limit, "this machine has one core"));
    };
    let work = std::env::temp_dir().join(format!("beside-peers-{}", std::process::id()));
    std::fs::create_dir(&work).expect("a temporary folder");
    let (text, path, folder) = (text.repeat(10), work.join("games.pdn"), work.join("day"));
    std::fs::write(&path, &text).expect("a temporary file");
    let mut day = Command::new(boardsim);
    day.args(["day", "--boards", "16", "--games", "4", "--hands", "club", "--kill-minutes", "0", "--dir"]).arg(&folder);
    assert!(day.stdout(Stdio::null()).status().expect("boardsim").success());
    let logs = std::fs::read_dir(folder.join("log")).expect("logs").flatten();
    let log_bytes: u64 = logs.filter_map(|log| log.metadata().ok()).map(|log| log.len()).sum();
    let rows = [("check", &path, text.len() as f64), ("fsck", &folder, log_bytes as f64)];
    for (name, (verb, subject, bytes)) in names.into_iter().zip(rows) {
        let run = |cores: &str| {
            let mut command = Command::new("taskset");
            command
                .args(["-c", cores])
                .arg(&damcast)
                .arg(verb)
                .arg(subject)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            assert!(command.status().expect("taskset").success(), "{verb}");
        };
        table.row_on_wall(name, Unit::Speed(bytes / 1e6, "MB/s"), limit, || run("0,1"), || run("0"));
    }
    std::fs::remove_dir_all(work).expect("the temporary folder");
}
