//! Embedded scripts and styles. Their names change with their contents, so browsers may cache them without limit.

use std::sync::LazyLock;

use axum::body::Bytes;
use sha2::{Digest, Sha256};

use super::compress;
use crate::hex::hex;

/// Content type of styles.
pub const CSS: &str = "text/css; charset=utf-8";
/// Content type of scripts.
pub const JS: &str = "text/javascript; charset=utf-8";

/// Style of all pages, including the desk.
pub const STYLE: &str = include_str!("assets/page.css");
/// Icon of all pages: in the page itself, so that a first view needs no further request.
pub(super) const ICON: &str = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>\
    <rect width='32' height='32' rx='6' fill='%2386664C'/><g stroke='%2333261B' stroke-width='1.5' fill='%23FCF8EE'><circle cx='16' cy='19' r='11'/>\
    <circle cx='16' cy='14' r='11'/><circle cx='16' cy='14' r='7'/><circle cx='16' cy='14' r='3' fill='%2333261B'/></g></svg>";
/// Script of the viewers' pages.
pub(super) const SCRIPT: &str = include_str!("assets/page.js");
/// Script of the viewers' pages that a first view does not need.
pub(super) const MORE_SCRIPT: &str = include_str!("assets/more.js");

/// Script for web sites that embed boards, at an address that stays.
pub(super) const EMBED_SCRIPT: &str = include_str!("assets/embed.js");

/// Removes comments, indents and empty lines of a script or a style. String literals must not span lines.
pub fn minify(script: &str) -> String {
    let lines = script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !["//", "/*", "* "].iter().any(|sign| line.starts_with(sign)));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Joins style sheets on one line. Every line of them ends with a delimiter.
pub fn joined(styles: &[&str]) -> String {
    minify(&styles.concat()).replace('\n', "")
}

/// Assets of the viewers' pages.
pub struct Assets {
    /// Style sheet.
    pub style: Asset,
    /// Style sheet of the screen at the wall and of frames in other sites.
    pub wall_style: Asset,
    /// Style sheet of overlays and the studio.
    pub overlay_style: Asset,
    /// Script of the studio.
    pub studio_script: Asset,
    /// Script.
    pub script: Asset,
    /// Script that pages load after the first view.
    pub more: Asset,
    /// Script that the screen at the wall and overlays load after the first view.
    pub wall_script: Asset,
}

/// Script or style with its path.
pub struct Asset {
    /// Path in addresses.
    pub path: String,
    /// Content type.
    pub kind: &'static str,
    /// Plain bytes.
    pub bytes: Bytes,
    /// Compressed bytes.
    pub compressed: Bytes,
}

impl Asset {
    /// Creates an asset; its name contains a hash of the text.
    pub fn new(name: &str, ending: &str, kind: &'static str, text: impl Into<Bytes>) -> Asset {
        let bytes: Bytes = text.into();
        let hash = hex(&Sha256::digest(&bytes)[..8]);
        Asset { path: format!("/assets/{name}-{hash}.{ending}"), kind, compressed: compress(9, &bytes), bytes }
    }
}

/// The embedded assets.
pub static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets {
    style: Asset::new("page", "css", CSS, joined(&[STYLE, include_str!("assets/event.css")])),
    wall_style: Asset::new("wall", "css", CSS, joined(&[include_str!("assets/wall.css")])),
    overlay_style: Asset::new("overlay", "css", CSS, joined(&[include_str!("assets/overlay.css")])),
    studio_script: Asset::new("studio", "js", JS, minify(include_str!("assets/studio.js"))),
    script: Asset::new("page", "js", JS, minify(SCRIPT)),
    more: Asset::new("more", "js", JS, minify(MORE_SCRIPT)),
    wall_script: Asset::new("wall", "js", JS, minify(include_str!("assets/wall.js"))),
});

/// Identifier that changes with the assets and the version: pages of another build need its script and style first.
pub static BUILD_ID: LazyLock<String> = LazyLock::new(|| {
    let paths = ASSETS.all().map(|asset| asset.path.as_str()).concat();
    hex(&Sha256::digest(paths + env!("CARGO_PKG_VERSION"))[..4])
});

impl Assets {
    /// Finds an asset by its path.
    pub fn find(&self, path: &str) -> Option<&Asset> {
        self.all().into_iter().find(|asset| asset.path == path)
    }

    fn all(&self) -> [&Asset; 7] {
        let [style, wall_style, overlay_style] = [&self.style, &self.wall_style, &self.overlay_style];
        [style, wall_style, overlay_style, &self.script, &self.more, &self.wall_script, &self.studio_script]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_small() {
        assert!(ASSETS.script.bytes.len() <= 20 << 10, "{}", ASSETS.script.bytes.len());
        let compressed = ASSETS.script.compressed.len() + ASSETS.style.compressed.len();
        assert!(compressed < 14 << 10, "{compressed}");
        for line in SCRIPT.lines() {
            assert!(line.matches('`').count() % 2 == 0, "a text goes over several lines: {line}");
        }
    }
}
