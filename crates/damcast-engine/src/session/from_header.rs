//! Settings of a line from the header of its log.

use std::collections::BTreeMap;

use draughts::{GameTypeError, Variant};

use super::{BusAddress, LineSettings, SettingError};
use crate::bytelog::{BoardHeader, Header, KEY_DATES_FROM, KEY_GAMES_BEFORE, KEY_LATE_START};

/// Default variant.
pub const DEFAULT_GAME_TYPE: &str = "20";

/// Reason why a header contains no valid settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HeaderSettingsError {
    /// Unknown variant.
    #[error("game type: {0}")]
    GameType(#[from] GameTypeError),
    /// Invalid value of a setting.
    #[error("setting {0}")]
    Setting(SettingError),
    /// Invalid settings of one board of a bus.
    #[error("board {0}: {1}")]
    Board(u16, Box<HeaderSettingsError>),
}

impl LineSettings {
    /// Returns the settings of a line and the unknown keys of the header. `game_type` overrides the header's.
    ///
    /// # Errors
    ///
    /// Returns an error if the variant or the value of a setting is invalid.
    pub fn from_header(
        header: &Header,
        game_type: Option<&str>,
    ) -> Result<(LineSettings, Vec<String>), HeaderSettingsError> {
        let of_line = game_type.or(header.game_type.as_deref()).unwrap_or(DEFAULT_GAME_TYPE);
        let mut settings = LineSettings::new(Variant::from_tag(of_line)?);
        settings.mode = header.mode.unwrap_or_default();
        settings.opened = header.machine_clock();
        settings.earliest_date = header.moment(KEY_DATES_FROM);
        settings.finds_late_start = header.get(KEY_LATE_START) == Some("yes");
        settings.games_before = parse_games_before(&header.other);
        settings.tags = header.tags.clone();
        let mut unknown = set_all(&mut settings, "", &header.settings)?;
        let mut boards = BTreeMap::new();
        for (&address, head) in &header.boards {
            let Some(board) = BusAddress::new(address) else { continue };
            let (of_board, passed_over) = board_settings(&settings, head, address, game_type)
                .map_err(|error| HeaderSettingsError::Board(address, Box::new(error)))?;
            boards.insert(board, of_board);
            unknown.extend(passed_over);
        }
        settings.boards = boards;
        Ok((settings, unknown))
    }
}

/// Returns the settings of a board of a bus: those of the line, changed by the header.
fn board_settings(
    line: &LineSettings,
    head: &BoardHeader,
    address: u16,
    game_type: Option<&str>,
) -> Result<(LineSettings, Vec<String>), HeaderSettingsError> {
    let mut settings = line.clone();
    if let (Some(of_board), None) = (&head.game_type, game_type) {
        let game_type = Variant::from_tag(of_board)?.game_type;
        settings.variant = Variant::new(game_type, line.variant.choices);
    }
    settings.name = head.name.clone();
    settings.games_before = parse_games_before(&head.other);
    settings.tags.retain(|(tag, _)| head.tags.iter().all(|(own, _)| own != tag));
    settings.tags.extend(head.tags.iter().filter(|(_, value)| !value.is_empty()).cloned());
    let unknown = set_all(&mut settings, &format!("board-{address}-"), &head.settings)?;
    Ok((settings, unknown))
}

fn parse_games_before(other: &[(String, String)]) -> u32 {
    let number = other.iter().find(|(key, _)| key == KEY_GAMES_BEFORE).and_then(|(_, value)| value.parse().ok());
    number.unwrap_or(0)
}

fn set_all(
    settings: &mut LineSettings,
    prefix: &str,
    pairs: &[(String, String)],
) -> Result<Vec<String>, HeaderSettingsError> {
    let mut unknown = Vec::new();
    for (key, value) in pairs {
        match settings.set(key, value) {
            Ok(()) => {}
            Err(SettingError::UnknownKey { .. }) => {
                let line = format!("# {prefix}set-{key}: {value}");
                unknown.push(format!("the setting \"{line}\" is not known here and was passed over"));
            }
            Err(error) => return Err(HeaderSettingsError::Setting(error)),
        }
    }
    Ok(unknown)
}
