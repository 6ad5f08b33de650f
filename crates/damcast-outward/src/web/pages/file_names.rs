//! Names of the files that pages are without a server.

use super::address::{BoardFilter, PageKind};

/// File whose content changes while the files are renewed.
pub const SIGN_FILE: &str = "alive.json";

/// Returns the name of the file of a page; `None` if the page needs a server.
pub fn page_name(kind: &PageKind) -> Option<String> {
    let name = match kind {
        PageKind::Boards(BoardFilter::All) => "index".to_owned(),
        PageKind::Boards(BoardFilter::Playing) => "playing".to_owned(),
        PageKind::Boards(BoardFilter::Hall(hall)) => format!("hall-{}", plain(hall)),
        PageKind::Boards(BoardFilter::Section(section)) => format!("section-{}", plain(section)),
        PageKind::Wall { is_light: false, .. } => "wall".to_owned(),
        PageKind::Wall { is_light: true, .. } => "wall-light".to_owned(),
        PageKind::Board { which, .. } => format!("board-{}", plain(which)),
        PageKind::Game { which, .. } => format!("game-{}", plain(which)),
        PageKind::Round(round) => format!("round-{}", plain(round)),
        PageKind::Standings(None) => "standings".to_owned(),
        PageKind::Standings(Some(section)) => format!("standings-{}", plain(section)),
        PageKind::Players { .. } => "players".to_owned(),
        PageKind::Player { section, id } => format!("player-{}-{id}", plain(section)),
        PageKind::Event => "event".to_owned(),
        PageKind::Archive => "archive".to_owned(),
        PageKind::Embed(_)
        | PageKind::EmbedRound(_)
        | PageKind::Overlay(_)
        | PageKind::WrongOverlay(_)
        | PageKind::Studio { .. }
        | PageKind::Trial { .. }
        | PageKind::Unknown => return None,
    };
    Some(name + ".html")
}

/// Replaces all characters that a web server or a disk may read in another way.
pub fn plain(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("~{byte:02X}") })
        .collect()
}
