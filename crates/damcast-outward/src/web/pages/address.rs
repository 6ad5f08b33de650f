//! Addresses of pages: which page a path and a query name.

use axum::extract::Query;
use axum::http::Uri;
use percent_encoding::percent_decode_str;

use super::overlay_look::{Overlay, WrongParameter};
pub use super::text::percent_encoded;
use crate::web::texts::Language;

/// Page in a language, as a reader asks for it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PageAddress {
    /// Path of the address.
    pub path: String,
    /// The page.
    pub kind: PageKind,
    /// Language of the page.
    pub language: Language,
    /// Whether the address has the language; links then retain it.
    pub is_language_chosen: bool,
    /// Whether the page shows no results.
    pub hides_results: bool,
    /// Whether the colours of a frame in another page are light, or else dark; `None` leaves them to the viewer.
    pub is_light: Option<bool>,
    /// Address of the pages for the world, as `https://live.example.org/`; `None` if the reader came by a name that is not configured.
    pub public_site: Option<String>,
}

/// Page of any language.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PageKind {
    /// All boards, or some of them.
    Boards(BoardFilter),
    /// All boards, for a screen at the wall.
    Wall {
        /// Whether colours are light instead of dark.
        is_light: bool,
        /// Address of the pages, for a QR code; `None` if phones cannot reach it.
        site: Option<String>,
    },
    /// Current game of a board, by name or number.
    Board(String),
    /// Current game of a board, for a frame in another page.
    Embed(String),
    /// Round, for a frame in another page.
    EmbedRound(String),
    /// Transparent picture for a stream.
    Overlay(Overlay),
    /// Overlay with a mistake in its address.
    WrongOverlay(WrongParameter),
    /// List of the overlays.
    Studio {
        /// Address of the pages as the browser wrote it, as `http://hall/`.
        site: String,
        /// Choices of the reader.
        form: PageQuery,
    },
    /// Game, also when it is over.
    Game {
        /// `BOARD-NUMBER`.
        which: String,
        /// Number of entries before the shown position; `None` for all.
        ply: Option<usize>,
    },
    /// A viewer's own line from a position of a game.
    Trial {
        /// `BOARD-NUMBER`.
        which: String,
        /// Number of entries of the game before the line.
        ply: usize,
        /// Moves of the line.
        line: Vec<String>,
    },
    /// Round.
    Round(String),
    /// Standings and results of all sections, or of one.
    Standings(Option<String>),
    /// Players whose names have this text, in lower case; all players for an empty one.
    Players(String),
    /// Player of a section.
    Player {
        /// Name of the section.
        section: String,
        /// Id of the player.
        id: u64,
    },
    /// Facts of the event.
    Event,
    /// Finished games.
    Archive,
    /// No page.
    Unknown,
}

/// Boards that a page shows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BoardFilter {
    /// All boards.
    All,
    /// Boards whose game goes on.
    Playing,
    /// Boards of a hall.
    Hall(String),
    /// Boards with games of a section.
    Section(String),
}

/// Largest number of names and values that are read from a query.
const MAX_QUERY_PAIRS: usize = 32;

/// Names and values in the query of an address.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct PageQuery(pub Vec<(String, String)>);

impl PageQuery {
    /// Reads the query of an address, at most its first `MAX_QUERY_PAIRS` pairs; an invalid one counts as empty.
    pub fn of(uri: &Uri) -> PageQuery {
        let Ok(Query(mut pairs)) = Query::<Vec<(String, String)>>::try_from_uri(uri) else {
            return PageQuery::default();
        };
        pairs.truncate(MAX_QUERY_PAIRS);
        pairs.shrink_to_fit();
        PageQuery(pairs)
    }

    /// Returns the first value with a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl PageKind {
    /// Whether the document has no navigation: a screen at the wall, a frame in another site, or an overlay.
    pub fn is_bare(&self) -> bool {
        matches!(self, PageKind::Wall { .. } | PageKind::Embed(_) | PageKind::EmbedRound(_) | PageKind::Overlay(_))
    }

    /// Returns the page that a path and a query name. `site` is the address of the pages for a QR code.
    pub fn of(path: &str, query: &PageQuery, site: Option<String>) -> PageKind {
        known_page(path, query, site).unwrap_or(PageKind::Unknown)
    }
}

fn known_page(path: &str, query: &PageQuery, site: Option<String>) -> Option<PageKind> {
    let decoded = |part: &str| percent_decode_str(part).decode_utf8().ok().map(|part| part.into_owned());
    // One spelling of a number: another one would be another page.
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| number.to_string() == text);
    let entry = |text: &str| usize::try_from(number(text)?).ok();
    let ply = query.get("ply").and_then(entry);
    let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    Some(match parts[..] {
        [""] => match query.get("wall") {
            Some(wall) => PageKind::Wall { is_light: wall == "light", site },
            None => PageKind::Boards(match (query.get("playing"), query.get("hall"), query.get("section")) {
                (Some(_), ..) => BoardFilter::Playing,
                (None, Some(hall), _) => BoardFilter::Hall(hall.to_owned()),
                (None, None, Some(section)) => BoardFilter::Section(section.to_owned()),
                (None, None, None) => BoardFilter::All,
            }),
        },
        ["board", which] => PageKind::Board(decoded(which)?),
        ["embed", "board", which] => PageKind::Embed(decoded(which)?),
        ["embed", "round", which] => PageKind::EmbedRound(decoded(which)?),
        ["overlay", ..] => {
            let below: Vec<String> = parts[1..].iter().map(|part| decoded(part)).collect::<Option<_>>()?;
            Overlay::parse(&below, &query.0)?.map_or_else(PageKind::WrongOverlay, PageKind::Overlay)
        }
        ["game", which] => PageKind::Game { which: decoded(which)?, ply },
        ["game", which, ply] => PageKind::Game { which: decoded(which)?, ply: Some(entry(ply)?) },
        ["game", which, ply, "try", ref line @ ..] => PageKind::Trial {
            which: decoded(which)?,
            ply: entry(ply)?,
            line: line.iter().filter(|text| !text.is_empty()).map(|text| decoded(text)).collect::<Option<_>>()?,
        },
        ["round", which] => PageKind::Round(decoded(which)?),
        ["standings"] => PageKind::Standings(None),
        ["standings", section] => PageKind::Standings(Some(decoded(section)?)),
        ["players"] => PageKind::Players(query.get("search").unwrap_or_default().trim().to_lowercase()),
        ["player", which] => {
            let (section, id) = which.rsplit_once('-')?;
            PageKind::Player { section: decoded(section)?, id: number(id)? }
        }
        ["event"] => PageKind::Event,
        ["studio"] => PageKind::Studio { site: String::new(), form: query.clone() },
        ["archive"] => PageKind::Archive,
        _ => return None,
    })
}

impl PageAddress {
    /// Creates the address of a page with its results, for a reader who has chosen no language.
    pub fn new(path: &str, kind: PageKind, language: Language) -> PageAddress {
        PageAddress {
            path: path.to_owned(),
            kind,
            language,
            is_language_chosen: false,
            hides_results: false,
            is_light: None,
            public_site: None,
        }
    }

    /// Returns path and query of the page, without the choice of a language and of results.
    pub fn own_address(&self) -> String {
        let mut page = self.path.clone();
        match &self.kind {
            PageKind::Overlay(overlay) => page = overlay.address(),
            PageKind::WrongOverlay(wrong) => {
                let (name, value) = wrong.parameter.split_once('=').unwrap_or((&wrong.parameter, ""));
                page += &format!("?{}={}", percent_encoded(name), percent_encoded(value));
            }
            PageKind::Studio { form, .. } => page += &format!("?{}", query_of(&form.0)),
            PageKind::Wall { is_light, .. } => page += if *is_light { "?wall=light" } else { "?wall=" },
            PageKind::Embed(_) | PageKind::EmbedRound(_) => {
                page += match self.is_light {
                    Some(true) => "?theme=light",
                    Some(false) => "?theme=dark",
                    None => "",
                };
            }
            PageKind::Boards(BoardFilter::Playing) => page += "?playing",
            PageKind::Boards(BoardFilter::Hall(hall)) => page += &format!("?hall={}", percent_encoded(hall)),
            PageKind::Boards(BoardFilter::Section(name)) => page += &format!("?section={}", percent_encoded(name)),
            PageKind::Players(search) if !search.is_empty() => {
                page += &format!("?search={}", percent_encoded(search));
            }
            _ => {}
        }
        page
    }

    /// Adds to an address what the reader has chosen: the language, and whether results are hidden.
    pub fn link(&self, address: &str) -> String {
        with_choices(address, self.is_language_chosen.then_some(self.language), self.hides_results)
    }

    /// Returns path and query of the page, with the choice of results.
    pub fn shared_address(&self) -> String {
        with_choices(&self.own_address(), None, self.hides_results)
    }

    /// Returns the query of the stream that changes this page.
    pub fn stream_query(&self) -> String {
        let language = self.language.code();
        let chosen = if self.is_language_chosen { "&chosen" } else { "" };
        format!("page={}&lang={language}{chosen}", percent_encoded(&self.shared_address()))
    }
}

/// Adds a language, and that results are hidden, to an address.
pub fn with_choices(address: &str, language: Option<Language>, hides_results: bool) -> String {
    let language = language.map(|language| format!("lang={}", language.code()));
    let choices: Vec<String> = language.into_iter().chain(hides_results.then(|| "hide=results".to_owned())).collect();
    let sign = if choices.is_empty() {
        ""
    } else if address.contains('?') {
        "&"
    } else {
        "?"
    };
    format!("{address}{sign}{}", choices.join("&"))
}

/// Returns names and values as a query, without the choice of a language and of results.
fn query_of(pairs: &[(String, String)]) -> String {
    let pairs = pairs.iter().filter(|(name, _)| name != "lang" && name != "hide");
    let pair = |(name, value): &(String, String)| format!("{}={}", percent_encoded(name), percent_encoded(value));
    pairs.map(pair).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_pages() {
        let kind = |address: &str| {
            let uri: Uri = address.parse().unwrap();
            PageKind::of(uri.path(), &PageQuery::of(&uri), Some("http://hall/".to_owned()))
        };
        let game = |which: &str, ply| PageKind::Game { which: which.to_owned(), ply };
        assert_eq!(kind("/"), PageKind::Boards(BoardFilter::All));
        assert_eq!(kind("/?playing"), PageKind::Boards(BoardFilter::Playing));
        assert_eq!(kind("/?hall=room-2"), PageKind::Boards(BoardFilter::Hall("room-2".into())));
        assert_eq!(kind("/?section=a%26b"), PageKind::Boards(BoardFilter::Section("a&b".into())));
        assert_eq!(kind("/?wall=light"), PageKind::Wall { is_light: true, site: Some("http://hall/".into()) });
        assert_eq!(kind("/game/a%20b-2"), game("a b-2", None));
        assert_eq!(kind("/game/b-2/17?lang=nl"), game("b-2", Some(17)));
        assert_eq!(kind("/board/3?ply=4"), PageKind::Board("3".into()));
        assert_eq!(kind("/round/2"), PageKind::Round("2".into()));
        assert_eq!(kind("/embed/round/2"), PageKind::EmbedRound("2".into()));
        let PageKind::Overlay(overlay) = kind("/overlay/board/a%20b?theme=light&lang=nl") else { panic!("no overlay") };
        assert_eq!(overlay.address(), "/overlay/board/a%20b?theme=light");
        assert!(matches!(kind("/overlay/ticker?size=3"), PageKind::WrongOverlay(wrong) if wrong.parameter == "size=3"));
        assert_eq!(kind("/standings"), PageKind::Standings(None));
        assert_eq!(kind("/standings/B%20%26%20C"), PageKind::Standings(Some("B & C".into())));
        assert_eq!(kind("/player/a-b-12"), PageKind::Player { section: "a-b".into(), id: 12 });
        assert_eq!(kind("/players?search=%20De%20V"), PageKind::Players("de v".into()));
        let trial = |line: &[&str]| PageKind::Trial {
            which: "b-2".into(),
            ply: 7,
            line: line.iter().map(|&text| text.into()).collect(),
        };
        assert_eq!(kind("/game/b-2/7/try/"), trial(&[]));
        assert_eq!(kind("/game/b-2/7/try/32-28/c3%3Ae5"), trial(&["32-28", "c3:e5"]));
        for wrong in [
            "/player/main",
            "/player/main-x",
            "/game/b-2/try/32-28",
            "/game",
            "/game/b-2/x",
            "/game/b-2/+17",
            "/game/b-2/017",
            "/boards",
            "/board/%ff",
            "/board/1/2",
            "//",
            "/overlay",
            "/overlay/x",
            "/studio/x",
        ] {
            assert_eq!(kind(wrong), PageKind::Unknown, "{wrong}");
        }
        let many: Uri = format!("/studio?{}", "a&".repeat(900)).parse().unwrap();
        assert_eq!(PageQuery::of(&many).0.len(), MAX_QUERY_PAIRS);
        assert_eq!(percent_encoded("a b/ü-1"), "a%20b%2F%C3%BC-1");
    }
}
