//! Commands about players.

use super::lookup::find_player;
use super::{Draft, Messages};
use crate::{Event, HIDDEN_NAME, is_invisible, pdn_replacement};

/// Consequence of hiding a player or showing one again.
const EVENTS_RESTARTED: &str = "the events of all outlets begin anew under another generation, with the names that are to be shown; live files stay as \
                                they are";

pub(super) fn rename(draft: &mut Draft, player: &str, name: &str, section: Option<&str>) -> Messages {
    check_name(name)?;
    let mut messages: Vec<String> = pdn_replacement(name).into_iter().collect();
    let player = find_player(&draft.state, section, player)?;
    let changes_visibility = player.is_hidden() != (name == HIDDEN_NAME);
    let player = player.id;
    draft.emit(Event::PlayerRenamed { player, name: name.to_owned() })?;
    messages.extend(changes_visibility.then(|| EVENTS_RESTARTED.to_owned()));
    Ok(messages)
}

/// Checks that a name has 1 to 200 characters, all visible, letters or digits among them.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_readable = name.chars().count() <= 200 && name.chars().any(char::is_alphanumeric);
    let is_odd = |c: char| c.is_control() || is_invisible(c);
    if is_readable && !name.chars().any(is_odd) {
        return Ok(());
    }
    Err("a name has 1 to 200 characters, letters or digits among them, and none that cannot be seen".to_owned())
}
