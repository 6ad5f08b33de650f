//! Names of the files of static pages, and links between them.
//!
//! All files are in one folder, so that a link is the name of a file, wherever the folder is: `./board-board-1.html`.

use axum::http::Uri;

use super::files::named_file;
use super::pages::address::{PageAddress, PageKind, PageQuery};
use super::pages::file_names::{page_name, plain};
use super::texts::Language;

/// Attributes of pages that have addresses.
const ADDRESS_ATTRIBUTES: [&str; 7] =
    ["href", "src", "action", "data-address", "data-live", "data-player", "data-more"];

/// File that an address of the server becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StaticFile {
    /// Page; the script finds the entry of a game in the query.
    Page {
        /// Address of the page.
        address: Box<PageAddress>,
        /// Query of the link.
        query: String,
    },
    /// Game as PDN; `BOARD-NUMBER`.
    Pdn(String),
    /// Script or style, by its name.
    Asset(String),
    /// File of the outlet, by its path there.
    OfOutlet(String),
}

impl StaticFile {
    /// Returns the file that an address becomes; `None` for pages that need a server.
    pub fn of(address: &str, language: Language) -> Option<StaticFile> {
        let uri: Uri = address.parse().ok()?;
        let path = uri.path();
        if let Some(name) = path.strip_prefix("/assets/") {
            return Some(StaticFile::Asset(name.to_owned()));
        }
        if let Some((file, _)) = named_file(path, |_| true) {
            return Some(StaticFile::OfOutlet(file));
        }
        let query = PageQuery::of(&uri);
        let is_mine = query.get("mine").is_some();
        let (kind, query) = match PageKind::of(path, &query, None) {
            PageKind::Game { which, ply: None } if which.ends_with(".pdn") => {
                return Some(StaticFile::Pdn(which.trim_end_matches(".pdn").to_owned()));
            }
            PageKind::Game { which, ply } => {
                (PageKind::Game { which, ply: None }, ply.map(|ply| format!("?ply={ply}")))
            }
            PageKind::Boards(filter) => (PageKind::Boards(filter), is_mine.then(|| "?mine".to_owned())),
            PageKind::Players(_) => (PageKind::Players(String::new()), None),
            kind => (kind, None),
        };
        // The path decides which link of the navigation is marked.
        let path = match (&kind, path.rsplit_once('/')) {
            (PageKind::Game { .. }, Some((game, _))) if query.is_some() => game,
            _ => path,
        };
        page_name(&kind)?;
        let address = Box::new(PageAddress::new(path, kind, language));
        Some(StaticFile::Page { address, query: query.unwrap_or_default() })
    }

    /// Returns the name of the file.
    pub fn name(&self) -> String {
        match self {
            StaticFile::Page { address, .. } => page_name(&address.kind).unwrap_or_default(),
            StaticFile::Pdn(which) => format!("game-{}.pdn", plain(which)),
            StaticFile::Asset(name) => plain(name),
            StaticFile::OfOutlet(path) => plain(&path.replace('/', "-")),
        }
    }

    /// Returns the link to the file. A script loads another one by a link that begins with `./` only.
    pub fn link(&self) -> String {
        let query = if let StaticFile::Page { query, .. } = self { query } else { "" };
        format!("./{}{query}", self.name())
    }
}

/// Replaces addresses of the server in a page by links to files, and passes these to `found`. Addresses without a file lead to
/// the first page.
pub fn localize(html: &str, language: Language, mut found: impl FnMut(StaticFile)) -> String {
    const BEGIN: &str = "=\"/";
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(BEGIN) {
        let (before, value) = rest.split_at(at + BEGIN.len() - 1);
        text.push_str(before);
        // Texts of people are escaped: a quote ends the value.
        let (value, behind) = value.split_at(value.find('"').unwrap_or(value.len()));
        let attribute = rest[..at].rsplit([' ', '<']).next().unwrap_or_default();
        if ADDRESS_ATTRIBUTES.contains(&attribute) && !value.starts_with("//") {
            match StaticFile::of(&value.replace("&amp;", "&"), language) {
                Some(file) => {
                    text.push_str(&file.link());
                    found(file);
                }
                None => text.push_str("./index.html"),
            }
        } else {
            text.push_str(value);
        }
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_names_of_files() {
        for (address, link) in [
            ("/", "./index.html"),
            ("/?mine", "./index.html?mine"),
            ("/?playing", "./playing.html"),
            ("/?section=A%20%26%2FB", "./section-A~20~26~2FB.html"),
            ("/?wall", "./wall.html"),
            ("/board/board-1", "./board-board-1.html"),
            ("/game/b%C3%BC-2", "./game-b~C3~BC-2.html"),
            ("/game/b-2/17?hide=results", "./game-b-2.html?ply=17"),
            ("/game/b-2.pdn", "./game-b-2.pdn"),
            ("/round/3", "./round-3.html"),
            ("/standings/Open", "./standings-Open.html"),
            ("/players?search=x", "./players.html"),
            ("/player/Open-7", "./player-Open-7.html"),
            ("/assets/page-ab12.css", "./page-ab12.css"),
            ("/archive/b-1.pdn", "./archive-b-1.pdn"),
            ("/games.pdn", "./games.pdn"),
            ("/?hall=room-2", "./hall-room-2.html"),
            ("/hall/room-2/games.pdn", "./hall-room-2-games.pdn"),
        ] {
            assert_eq!(
                StaticFile::of(address, Language::En).map(|file| file.link()).as_deref(),
                Some(link),
                "{address}"
            );
        }
        for address in
            ["/studio", "/game/b-2/7/try/", "/events.ndjson", "/archive/..%2Fx.pdn", "/nowhere", "/embed/board/1"]
        {
            assert_eq!(StaticFile::of(address, Language::En), None, "{address}");
        }
        let names = ["/board/..", "/board/%2F", "/round/~2F"]
            .map(|address| StaticFile::of(address, Language::En).unwrap().name());
        assert_eq!(names, ["board-...html", "board-~2F.html", "round-~7E2F.html"]);
    }

    #[test]
    fn only_addresses_in_attributes_change() {
        let html = "<a href=\"/round/3\" title=\"/round/3\">=/round/3</a> <p>=&quot;/round/3&quot;</p><script src=\"/assets/a.js\"></script>\
                    <a href=\"/studio?a=1&amp;b=2\"></a><a href=\"//else.example/\"></a><a href=\"/?section=a%26b&amp;mine\"></a>";
        let mut found = Vec::new();
        let text = localize(html, Language::En, |file| found.push(file.name()));
        assert_eq!(
            text,
            "<a href=\"./round-3.html\" title=\"/round/3\">=/round/3</a> <p>=&quot;/round/3&quot;</p><script src=\"./a.js\"></script>\
             <a href=\"./index.html\"></a><a href=\"//else.example/\"></a><a href=\"./section-a~26b.html?mine\"></a>"
        );
        assert_eq!(found, ["round-3.html", "a.js", "section-a~26b.html"]);
    }
}
