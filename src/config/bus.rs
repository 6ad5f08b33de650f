//! The boards of a bus: `[[line.board]]` under a `[[line]]` with `mode = "bus"`.

use super::document::{ConfigError, Table, Value};
use super::{BoardConfig, Pairs, Seen, read_name, read_tags, set};
use crate::bytelog::Mode;
use crate::rules::Variant;
use crate::session::{BusAddress, LineSettings};

/// One board on the line, or many.
pub(super) fn read_mode(value: &Value) -> Result<Mode, ConfigError> {
    Mode::from_name(value.string()?)
        .ok_or_else(|| value.error("`mode` is \"single\", one board on the line, or \"bus\", many with addresses"))
}

/// Is this the name that a board of the bus has when nobody gives it another?
pub(super) fn is_board_of(bus: &str, name: &str) -> bool {
    let split = name.split_at_checked(bus.len()).filter(|(start, _)| start.eq_ignore_ascii_case(bus));
    let address = split.and_then(|(_, rest)| rest.strip_prefix('-'));
    address.is_some_and(|address| !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The line is a bus: its boards have names, also those that nobody has named yet.
pub(super) fn see_bus(name: &Value, seen: &mut Seen) -> Result<(), ConfigError> {
    let bus = name.string()?;
    if let Some((board, line)) = seen.names.iter().find(|(other, _)| is_board_of(bus, other)) {
        return Err(name.error(format!(
            "the name `{board}` in line {line} is that of a board of this bus; their files would get mixed up"
        )));
    }
    seen.buses.push((bus.to_owned(), name.line()));
    Ok(())
}

/// The boards of a line. `core`: the settings of the line, which hold for them as well.
pub(super) fn read_boards(
    boards: Value,
    line: &str,
    core: &LineSettings,
    seen: &mut Seen,
) -> Result<Vec<BoardConfig>, ConfigError> {
    let mut read = Vec::new();
    for table in boards.tables("[[line.board]]")? {
        let board = read_board(table, line, core, &read, seen)?;
        read.push(board);
    }
    Ok(read)
}

fn read_board(
    mut table: Table,
    line: &str,
    core: &LineSettings,
    others: &[BoardConfig],
    seen: &mut Seen,
) -> Result<BoardConfig, ConfigError> {
    let at = table.require("address", "1025")?;
    let address = read_address(&at)?;
    if others.iter().any(|other| other.address == address) {
        return Err(at.error(format!("the board {address} has come before; a board has one address")));
    }
    let default_name = format!("{line}-{address}");
    let name = match table.take("name") {
        Some(name) if name.string()? != default_name => read_name(&name, seen)?,
        _ => default_name,
    };
    let mut core = core.clone();
    let game_type = table.take("game-type");
    if let Some(game_type) = &game_type {
        core.variant = Variant::from_tag(game_type.string()?).map_err(|error| game_type.error(error))?;
    }
    let game_type = game_type.map(|value| value.string().map(|text| text.trim().to_owned())).transpose()?;
    let mut settings = Pairs::new();
    for key in LineSettings::KEYS.into_iter().filter(|key| !matches!(*key, "board" | "connect")) {
        let Some(value) = table.take(key) else { continue };
        set(&mut core, &value, &mut settings)?;
    }
    let tags = table.take("tags").map(|tags| read_tags(tags, "[line.board.tags]")).transpose()?.unwrap_or_default();
    table.finish()?;
    Ok(BoardConfig { address, name, game_type, tags, settings })
}

fn read_address(value: &Value) -> Result<BusAddress, ConfigError> {
    let number = value.scalar()?.parse().ok().filter(|&number| number != 0).and_then(BusAddress::new);
    let message = || format!("`address` is a whole number from 1 to {}, the one in the serial number", BusAddress::MAX);
    number.ok_or_else(|| value.error(message()))
}
