//! Scripts and styles, embedded. Each has a name that changes with its contents, so a browser keeps it for ever.

use axum::body::Bytes;
use sha2::{Digest, Sha256};

use super::compress_best;
use super::files::hex;

/// A style.
pub const CSS: &str = "text/css; charset=utf-8";
/// A script.
pub const JS: &str = "text/javascript; charset=utf-8";

/// The style of all pages, the desk's too.
pub const STYLE: &str = include_str!("assets/page.css");
/// The script of the viewers' pages.
const SCRIPT: &str = include_str!("assets/page.js");

/// A script or a style without what only its readers need: comments and indents. No text of it goes over several lines.
pub fn minify(script: &str) -> String {
    let lines =
        script.lines().map(str::trim).filter(|line| !["//", "/*", "* "].iter().any(|sign| line.starts_with(sign)));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The files that pages need.
pub struct Assets {
    style: Asset,
    script: Asset,
}

/// One of them.
pub struct Asset {
    path: String,
    /// What it is.
    pub kind: &'static str,
    /// As it is.
    pub bytes: Bytes,
    /// Compressed.
    pub compressed: Bytes,
}

impl Asset {
    /// The address of it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A text under a name that changes with it.
    pub fn new(name: &str, ending: &str, kind: &'static str, text: impl Into<Bytes>) -> Asset {
        let bytes: Bytes = text.into();
        let hash = hex(&Sha256::digest(&bytes)[..8]);
        Asset { path: format!("/assets/{name}-{hash}.{ending}"), kind, compressed: compress_best(&bytes), bytes }
    }
}

impl Assets {
    /// Those of this program.
    pub fn embedded() -> Assets {
        Assets {
            style: Asset::new("page", "css", CSS, minify(&[STYLE, include_str!("assets/wall.css")].concat())),
            script: Asset::new("page", "js", JS, minify(SCRIPT)),
        }
    }

    /// The address of the style sheet.
    pub fn style(&self) -> &str {
        &self.style.path
    }

    /// The address of the script.
    pub fn script(&self) -> &str {
        &self.script.path
    }

    /// Changes with any of them.
    pub fn build_id(&self) -> String {
        hex(&Sha256::digest(format!("{}{}{}", self.style.path, self.script.path, env!("CARGO_PKG_VERSION")))[..4])
    }

    /// The file of an address.
    pub fn find(&self, path: &str) -> Option<&Asset> {
        [&self.style, &self.script].into_iter().find(|asset| asset.path == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_small() {
        let assets = Assets::embedded();
        assert!(assets.script.bytes.len() <= 20 << 10, "{}", assets.script.bytes.len());
        assert!(assets.script.compressed.len() + assets.style.compressed.len() < 14 << 10);
        for line in SCRIPT.lines() {
            assert!(line.matches('`').count() % 2 == 0, "a text goes over several lines: {line}");
        }
    }
}
