//! Overlays for streams, as their addresses name them: kind, board, size and colours. Every value is checked, and has one way to write it.

use std::ops::RangeInclusive;

use super::text::percent_encoded;

/// Bounds of the width of an overlay, in pixels.
const WIDTHS: RangeInclusive<u32> = 160..=7680;
/// Bounds of the height of an overlay, in pixels.
const HEIGHTS: RangeInclusive<u32> = 40..=4320;

/// Overlay for a stream: a page with a transparent background.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Overlay {
    /// Content.
    pub kind: OverlayKind,
    /// Size and colours.
    pub look: OverlayLook,
}

/// Content of an overlay.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OverlayKind {
    /// Board with its players, by name or number; `None` for the featured board.
    Board(Option<String>),
    /// Players of a board in a strip, by name or number; `None` for the featured board.
    LowerThird(Option<String>),
    /// Results and last moves of all boards in a strip.
    Ticker,
    /// Standings of a section; `None` for the first one.
    Standings(Option<String>),
}

/// Side of the names on which an overlay has the clocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ClockSide {
    /// Right.
    #[default]
    Right,
    /// Left.
    Left,
    /// No clocks.
    Off,
}

/// Size and colours of an overlay.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OverlayLook {
    /// Width in pixels; `None` for that of the window.
    pub width: Option<u32>,
    /// Height in pixels; `None` for that of the window.
    pub height: Option<u32>,
    /// Whether colours are light instead of dark.
    pub is_light: bool,
    /// Colour of the lines, as six hexadecimal digits.
    pub accent: Option<String>,
    /// Side of the clocks.
    pub clock: ClockSide,
}

/// Parameter of an address with a wrong name or value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WrongParameter {
    /// The parameter, as `width=9`.
    pub parameter: String,
    /// Possible parameters or values.
    pub expected: &'static str,
}

impl ClockSide {
    /// All values, as an address has them.
    pub const ALL: [(&'static str, ClockSide); 3] =
        [("right", ClockSide::Right), ("left", ClockSide::Left), ("off", ClockSide::Off)];
}

impl Overlay {
    /// Returns the overlay of a path below `/overlay/`; `None` if there is no such overlay.
    ///
    /// # Errors
    ///
    /// Returns the first wrong parameter.
    pub fn parse(path: &[String], pairs: &[(String, String)]) -> Option<Result<Overlay, WrongParameter>> {
        let name = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        let mut kind = match path {
            [kind] if kind == "featured" || kind == "board" => OverlayKind::Board(None),
            [kind, board] if kind == "board" => OverlayKind::Board(Some(name(board)?)),
            [kind] if kind == "lower-third" => OverlayKind::LowerThird(None),
            [kind, board] if kind == "lower-third" => OverlayKind::LowerThird(Some(name(board)?)),
            [kind] if kind == "ticker" => OverlayKind::Ticker,
            [kind] if kind == "standings" => OverlayKind::Standings(None),
            _ => return None,
        };
        let mut look = OverlayLook::default();
        for (name, value) in pairs {
            match (&mut kind, name.as_str()) {
                // The language of any page.
                (_, "lang") => {}
                (OverlayKind::Standings(section), "section") => *section = Some(value.clone()),
                _ => match look.set(name, value) {
                    Ok(()) => {}
                    Err(wrong) => return Some(Err(wrong)),
                },
            }
        }
        Some(Ok(Overlay { kind, look }))
    }

    /// Returns the path and the query of the address, without a language.
    pub fn address(&self) -> String {
        let mut query = self.look.query();
        let path = match &self.kind {
            OverlayKind::Board(None) => "/overlay/featured".into(),
            OverlayKind::Board(Some(board)) => format!("/overlay/board/{}", percent_encoded(board)),
            OverlayKind::LowerThird(None) => "/overlay/lower-third".into(),
            OverlayKind::LowerThird(Some(board)) => format!("/overlay/lower-third/{}", percent_encoded(board)),
            OverlayKind::Ticker => "/overlay/ticker".into(),
            OverlayKind::Standings(section) => {
                query.extend(section.as_deref().map(|section| ("section", percent_encoded(section).to_string())));
                "/overlay/standings".into()
            }
        };
        with_query(path, &query)
    }
}

impl OverlayLook {
    /// Sets a parameter.
    fn set(&mut self, name: &str, value: &str) -> Result<(), WrongParameter> {
        let wrong = |expected| WrongParameter { parameter: format!("{name}={value}"), expected };
        let number = |bounds: &RangeInclusive<u32>| value.parse::<u32>().ok().filter(|number| bounds.contains(number));
        match name {
            "width" => self.width = Some(number(&WIDTHS).ok_or_else(|| wrong("width=160 … width=7680"))?),
            "height" => self.height = Some(number(&HEIGHTS).ok_or_else(|| wrong("height=40 … height=4320"))?),
            "theme" if matches!(value, "dark" | "light") => self.is_light = value == "light",
            "theme" => return Err(wrong("theme=dark, theme=light")),
            "accent" => {
                let digits = value.strip_prefix('#').unwrap_or(value);
                let is_colour = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                self.accent = Some(is_colour.then(|| digits.to_lowercase()).ok_or_else(|| wrong("accent=1a7f37"))?);
            }
            "clock" => {
                let side = ClockSide::ALL.into_iter().find(|(known, _)| *known == value);
                self.clock = side.ok_or_else(|| wrong("clock=left, clock=right, clock=off"))?.1;
            }
            _ => return Err(wrong("width, height, theme, accent, clock, lang")),
        }
        Ok(())
    }

    /// Returns the parameters that differ from the default.
    fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = self.style_query();
        query.extend(self.is_light.then(|| ("theme", "light".to_owned())));
        let clock = ClockSide::ALL.into_iter().filter(|(_, side)| *side == self.clock && *side != ClockSide::Right);
        query.extend(clock.map(|(name, _)| ("clock", name.to_owned())));
        query
    }

    /// Returns the parameters that a style sheet has to know.
    fn style_query(&self) -> Vec<(&'static str, String)> {
        let number = |name, number: Option<u32>| number.map(|number| (name, number.to_string()));
        let accent = self.accent.clone().map(|accent| ("accent", accent));
        [number("width", self.width), number("height", self.height), accent].into_iter().flatten().collect()
    }

    /// Returns the address of the style sheet with the size and the colour; `None` if both are the default.
    pub fn style_address(&self) -> Option<String> {
        let query = self.style_query();
        (!query.is_empty()).then(|| with_query("/overlay/look.css".to_owned(), &query))
    }

    /// Returns the style sheet that a query asks for. The policy of the pages allows no style inside a page.
    ///
    /// # Errors
    ///
    /// Returns the first wrong parameter.
    pub fn style(pairs: &[(String, String)]) -> Result<String, WrongParameter> {
        let mut look = OverlayLook::default();
        pairs.iter().try_for_each(|(name, value)| look.set(name, value))?;
        let width = look.width.map(|width| format!("--w:{width}px;"));
        let height = look.height.map(|height| format!("--h:{height}px;"));
        let accent = look.accent.map(|accent| format!("--accent:#{accent};"));
        Ok(format!(".overlay{{{}}}\n", [width, height, accent].into_iter().flatten().collect::<String>()))
    }
}

fn with_query(path: String, query: &[(&str, String)]) -> String {
    let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay(path: &str, query: &str) -> Option<Result<Overlay, WrongParameter>> {
        let path: Vec<String> = path.split('/').map(str::to_owned).collect();
        let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Overlay::parse(&path, &query.split('&').filter_map(pair).collect::<Vec<_>>())
    }

    #[test]
    fn address_of_overlay_is_read_back() {
        for (path, query) in [
            ("featured", ""),
            ("board/3", "width=800&height=450&accent=1a7f37&theme=light&clock=left"),
            ("lower-third/b%2F%22", "clock=off"),
            ("lower-third", "width=7680"),
            ("ticker", "height=40"),
            ("standings", "theme=light&section=Open%20%22"),
        ] {
            let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
            let parts: Vec<String> = path.split('/').map(decoded).collect();
            let pair = |pair: &str| pair.split_once('=').map(|(name, value)| (name.to_owned(), decoded(value)));
            let found = Overlay::parse(&parts, &query.split('&').filter_map(pair).collect::<Vec<_>>());
            let expected =
                if query.is_empty() { format!("/overlay/{path}") } else { format!("/overlay/{path}?{query}") };
            assert_eq!(found.unwrap().unwrap().address(), expected);
        }
        let same = overlay("ticker", "accent=#1A7F37&theme=dark&clock=right&lang=nl").unwrap().unwrap();
        assert_eq!(same.address(), "/overlay/ticker?accent=1a7f37");
    }

    #[test]
    fn wrong_parameters_are_named_with_what_is_possible() {
        for (query, expected) in [
            ("width=159", "width=160"),
            ("width=7681", "width=160"),
            ("width=1e3", "width=160"),
            ("height=-1", "height=40"),
            ("theme=blue", "theme=dark"),
            ("accent=red", "accent=1a7f37"),
            ("accent=#12345", "accent=1a7f37"),
            ("accent=1a7f37;}", "accent=1a7f37"),
            ("clock=top", "clock=left"),
            ("colour=red", "theme, accent"),
            ("section=Open", "theme, accent"),
        ] {
            let wrong = overlay("ticker", query).unwrap().unwrap_err();
            assert!(wrong.parameter == query && wrong.expected.contains(expected), "{query}: {wrong:?}");
        }
        assert!(OverlayLook::style(&[("accent".to_owned(), "0}body{x:y".to_owned())]).is_err());
        for path in ["", "board/", "board/1/2", "ticker/1", "featured/1", "nothing"] {
            assert_eq!(overlay(path, ""), None, "{path}");
        }
    }
}
