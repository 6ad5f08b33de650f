//! Names of the files that pages are without a server.

use sha2::{Digest, Sha256};

use super::address::{BoardFilter, PageKind};
use crate::hex::hex;

/// File whose content changes while the files are renewed.
pub const SIGN_FILE: &str = "alive.json";
/// Longest part of a file's name for a text, in bytes.
const MAX_PLAIN_LEN: usize = 120;

/// Returns the name of the file of a page; `None` if the page needs a server.
pub fn page_name(kind: &PageKind) -> Option<String> {
    let name = match kind {
        PageKind::Boards(BoardFilter::All) => "index".to_owned(),
        PageKind::Boards(BoardFilter::Playing) => "playing".to_owned(),
        PageKind::Boards(BoardFilter::Hall(hall)) => format!("hall-{}", plain(hall)),
        PageKind::Boards(BoardFilter::Section(section)) => format!("section-{}", plain(section)),
        PageKind::Wall { is_light: false, .. } => "wall".to_owned(),
        PageKind::Wall { is_light: true, .. } => "wall-light".to_owned(),
        PageKind::Board(which) => format!("board-{}", plain(which)),
        PageKind::Game { which, .. } => format!("game-{}", plain(which)),
        PageKind::Round(round) => format!("round-{}", plain(round)),
        PageKind::Standings(None) => "standings".to_owned(),
        PageKind::Standings(Some(section)) => format!("standings-{}", plain(section)),
        PageKind::Players(_) => "players".to_owned(),
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

/// Replaces all characters that a web server or a disk may read in another way. Disks take names of 255 bytes at most, so a digest stands in
/// place of the end of a long text.
pub fn plain(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let written = |byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("~{byte:02X}") };
    let name: String = text.bytes().map(written).collect();
    if name.len() <= MAX_PLAIN_LEN {
        return name;
    }
    let begin: String = text.bytes().take(MAX_PLAIN_LEN / 6).map(written).collect();
    format!("{begin}~{}", hex(&Sha256::digest(text)[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_have_short_and_different_names() {
        let section = "Чемпионат мира среди юношей до шестнадцати лет, ";
        let names = ["а", "б"].map(|end| plain(&format!("{section}{section}{end}")));
        assert!(names.iter().all(|name| name.len() <= MAX_PLAIN_LEN && name.is_ascii()), "{names:?}");
        assert_ne!(names[0], names[1]);
        assert_eq!(plain("Open 1"), "Open~201");
    }
}
