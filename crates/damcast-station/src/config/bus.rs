//! The boards of a bus: `[[line.board]]` under a `[[line]]` with `mode = "bus"`.

use damcast_engine::bytelog::Mode;
use damcast_engine::session::{BusAddress, LineSettings};
use draughts::Variant;

use super::document::ConfigError;
use super::keys::Section;
use super::value::{ConfigTable, Value};
use super::{BoardConfig, Pairs, UniqueValues, read_name, read_tags, set};

/// Parses `mode`: one board on the line, several, or none.
pub(super) fn read_mode(value: &Value) -> Result<Mode, ConfigError> {
    Mode::parse(value.string()?)
        .ok_or_else(|| value.error("`mode` is \"single\", one board on the line, \"bus\", many with addresses, or \"entry\", a table whose moves are entered by hand"))
}

/// Whether this is the default name of a board on the bus.
pub(super) fn is_default_board_name(bus: &str, name: &str) -> bool {
    let split = name.split_at_checked(bus.len()).filter(|(start, _)| start.eq_ignore_ascii_case(bus));
    let address = split.and_then(|(_, rest)| rest.strip_prefix('-'));
    address.is_some_and(|address| !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Checks that the bus takes no name from another line: its boards have names even where none is configured.
pub(super) fn check_bus_unique(name: &Value, seen: &mut UniqueValues) -> Result<(), ConfigError> {
    let bus = name.string()?;
    if let Some((board, spot)) = seen.names.iter().find(|(other, _)| is_default_board_name(bus, other)) {
        let line = name.line_for_message(spot);
        return Err(name.error(format!(
            "the name `{board}` in {line} is that of a board of this bus; their files would get mixed up"
        )));
    }
    seen.buses.push((bus.to_owned(), name.source_line()));
    Ok(())
}

/// Reads the boards of a line. `core`: settings of the line, which also apply to its boards.
pub(super) fn read_boards(
    boards: Value,
    line: &str,
    core: &LineSettings,
    seen: &mut UniqueValues,
) -> Result<Vec<BoardConfig>, ConfigError> {
    let mut read = Vec::new();
    for table in boards.tables(Section::Board)? {
        read.extend(read_board(table, line, core, &read, seen));
    }
    Ok(read)
}

fn read_board(
    mut table: ConfigTable,
    line: &str,
    core: &LineSettings,
    others: &[BoardConfig],
    seen: &mut UniqueValues,
) -> Option<BoardConfig> {
    let address = table.required("address", "1025", |at| match read_address(at)? {
        address if others.iter().any(|other| other.address == address) => {
            Err(at.error(format!("the board {address} has come before; a board has one `address`")))
        }
        address => Ok(address),
    });
    let default_name = address.map_or(String::new(), |address| format!("{line}-{address}"));
    let is_own = |name: &Value| name.string().is_ok_and(|name| name == default_name);
    let name = table.read("name", |name| if is_own(name) { Ok(default_name.clone()) } else { read_name(name, seen) });
    let mut core = core.clone();
    let game_type = table.read("game-type", |value| {
        core.variant = Variant::from_tag(value.string()?).map_err(|error| value.error(error))?;
        Ok(value.string()?.trim().to_owned())
    });
    let mut settings = Pairs::new();
    for key in LineSettings::KEYS.into_iter().filter(|key| !matches!(*key, "board" | "connect")) {
        table.read(key, |value| set(&mut core, value, &mut settings));
    }
    let tags = table.read("tags", |tags| read_tags(tags, "[line.board.tags]")).unwrap_or_default();
    table.reject_unknown();
    Some(BoardConfig { address: address?, name: name.unwrap_or(default_name), game_type, tags, settings })
}

fn read_address(value: &Value) -> Result<BusAddress, ConfigError> {
    let number = value.scalar()?.parse().ok().filter(|&number| number != 0).and_then(BusAddress::new);
    let message = || format!("`address` is a whole number from 1 to {}, the one in the serial number", BusAddress::MAX);
    number.ok_or_else(|| value.error(message()))
}
