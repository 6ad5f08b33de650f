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
        "`check --strict` beside `check`: time",
        Unit::Time,
        Limit::AtMost(2.5),
        || _ = collection::strict(&text),
        || _ = collection::check(&text),
    );
    table.row(
        "`convert` beside `check`: time",
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
    let name = "PDN with moves played, beside pgn-reader + shakmaty: speed";
    let limit = Limit::AtLeast(1.2);
    let unit = |plies: u64| Unit::Speed(plies as f64 / 1e6, "million plies/s");
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

/// One file checked by the program on two cores, beside one.
fn on_two_cores(table: &mut Table, text: &[u8]) {
    let name = "`damcast check` of one file on two cores, beside one: speed";
    let limit = Limit::AtLeast(1.7);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (Some(program), 2..) = (std::env::var_os("PEERS_DAMCAST"), cores) else {
        return table.skip(name, limit, "this machine has one core");
    };
    let text = text.repeat(10);
    let path = std::env::temp_dir().join(format!("beside-peers-{}.pdn", std::process::id()));
    std::fs::write(&path, &text).expect("a temporary file");
    let check = |cores: &str| {
        let mut command = Command::new("taskset");
        command.args(["-c", cores]).arg(&program).arg("check").arg(&path).stderr(Stdio::null());
        assert!(command.status().expect("taskset").success());
    };
    let unit = Unit::Speed(text.len() as f64 / 1e6, "MB/s");
    table.row_on_wall(name, unit, limit, || check("0,1"), || check("0"));
    std::fs::remove_file(path).expect("the temporary file");
}
