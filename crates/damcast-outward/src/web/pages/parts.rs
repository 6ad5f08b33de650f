//! Parts of a page: what the server sends again when it has changed.
//!
//! ```text
//!   a page           <main> … <ul data-part="boards"> <li data-part="card-a"> … </li> <li data-part="card-b"> … </li> </ul> … </main>
//!   part "boards"    <ul data-part="boards"> <li data-hole="card-a"></li> <li data-hole="card-b"></li> </ul>
//!   part "card-a"    <li data-part="card-a"> … </li>
//! ```
//!
//! The key of a part says where it stands: a part never moves from one parent to another. A part has holes in place of the parts inside it, so a change of one board sends one card. A page is the part without a parent, with its
//! holes filled: the page and its changes are made by the same code.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use maud::{Markup, PreEscaped, html};

/// State of a part when its page was last made.
#[derive(Clone, Copy, Debug)]
pub struct KnownPart {
    /// Hash of the part, or of what it is made from.
    hash: u64,
    /// Number of the view in which it last changed.
    changed_in: u64,
}

/// Parts of one page, by key.
pub type KnownParts = HashMap<String, KnownPart>;

/// Part of a page, as made for one view.
#[derive(Debug)]
struct MadePart {
    key: String,
    known: KnownPart,
    /// The part, with holes; `None` if the reader has it.
    html: Option<String>,
}

/// Collects the parts of a page while it is made.
#[derive(Debug)]
pub struct PartCollector {
    known: KnownParts,
    /// Number of the view that is shown.
    step: u64,
    /// Number of the view that the reader has; `None` makes all parts.
    from: Option<u64>,
    made: RefCell<Vec<MadePart>>,
}

impl PartCollector {
    /// Creates a collector for view `step`; with `from`, parts that have not changed since that view may be left out.
    pub fn new(known: KnownParts, step: u64, from: Option<u64>) -> PartCollector {
        PartCollector { known, step, from, made: RefCell::default() }
    }

    /// Makes a part, an element `tag`, and returns its hole. `key` has letters, digits, `-`, `_`, `.`, `~` and `%` only.
    pub fn part(&self, tag: &str, key: &str, make: impl FnOnce() -> Markup) -> Markup {
        let html = with_key(tag, key, make());
        let known = self.known_part(key, hash_of(&html));
        self.made.borrow_mut().push(MadePart { key: key.to_owned(), known, html: Some(html) });
        hole(tag, key)
    }

    /// Makes a part without parts inside it, unless the reader has it. `inputs` is all that the part is made from.
    pub fn leaf(&self, tag: &str, key: &str, inputs: impl Hash, make: impl FnOnce() -> Markup) -> Markup {
        let known = self.known_part(key, hash_of(&inputs));
        let is_wanted = self.from.is_none_or(|from| known.changed_in > from);
        let html = is_wanted.then(|| with_key(tag, key, make()));
        self.made.borrow_mut().push(MadePart { key: key.to_owned(), known, html });
        hole(tag, key)
    }

    fn known_part(&self, key: &str, hash: u64) -> KnownPart {
        let before = self.known.get(key).filter(|before| before.hash == hash);
        before.copied().unwrap_or(KnownPart { hash, changed_in: self.step })
    }

    /// Returns what is known of all parts now.
    pub fn known(&self) -> KnownParts {
        let made = self.made.borrow();
        let known: KnownParts = made.iter().map(|made| (made.key.clone(), made.known)).collect();
        debug_assert_eq!(known.len(), made.len(), "two parts have the same key");
        known
    }

    /// Returns the parts that have changed since view `from`, each with its key.
    pub fn changed_since(&self, from: u64) -> Vec<(String, String)> {
        let made = self.made.borrow();
        let changed = made.iter().filter(|made| made.known.changed_in > from);
        changed.filter_map(|made| Some((made.key.clone(), made.html.clone()?))).collect()
    }

    /// Fills the holes of a page.
    pub fn filled(&self, page: &str) -> String {
        let made = self.made.borrow();
        let by_key: HashMap<&str, &str> =
            made.iter().filter_map(|made| Some((&*made.key, made.html.as_deref()?))).collect();
        let mut text = String::with_capacity(page.len() + by_key.values().map(|html| html.len()).sum::<usize>());
        fill(page, &by_key, &mut text);
        text
    }
}

const HOLE: &str = " data-hole=\"";

fn hole(tag: &str, key: &str) -> Markup {
    html! { (PreEscaped(format!("<{tag}{HOLE}{key}\"></{tag}>"))) }
}

/// Adds the key to an element.
fn with_key(tag: &str, key: &str, element: Markup) -> String {
    let text = element.into_string();
    let rest = text.strip_prefix('<').and_then(|text| text.strip_prefix(tag)).unwrap_or_default();
    debug_assert!(!rest.is_empty(), "{key} is no element {tag}: {text}");
    format!("<{tag} data-part=\"{key}\"{rest}")
}

/// Appends `text` to `to`, with the parts in their holes. Texts of people are escaped: they have no quote, so they are never a hole.
fn fill(text: &str, parts: &HashMap<&str, &str>, to: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(HOLE) {
        let tag = rest[..at].rfind('<').unwrap_or(at);
        let behind = &rest[at + HOLE.len()..];
        let Some((key, _)) = behind.split_once('"') else { break };
        to.push_str(&rest[..tag]);
        fill(parts.get(key).copied().unwrap_or_default(), parts, to);
        // `"></tag>`
        let close = behind.find("</").and_then(|close| Some(close + behind[close..].find('>')? + 1));
        rest = close.and_then(|close| behind.get(close..)).unwrap_or_default();
    }
    to.push_str(rest);
}

/// Returns the hash of a value in this process.
pub fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(parts: &PartCollector, names: &[(&str, u64)]) -> String {
        let list = parts.part("ul", "list", || {
            html! { ul { @for (name, seq) in names {
                (parts.leaf("li", &format!("card-{name}"), seq, || html! { li { (name) " \" data-hole=\"list\"" (seq) } }))
            } } }
        });
        html! { main { (list) p { "end" } } }.into_string()
    }

    #[test]
    fn page_has_all_parts_and_changes_have_what_differs() {
        let first = PartCollector::new(KnownParts::new(), 1, None);
        let text = first.filled(&page(&first, &[("a", 1), ("b", 1)]));
        let li = |name: &str, seq: u64| {
            format!("<li data-part=\"card-{name}\">{name} &quot; data-hole=&quot;list&quot;{seq}</li>")
        };
        assert_eq!(text, format!("<main><ul data-part=\"list\">{}{}</ul><p>end</p></main>", li("a", 1), li("b", 1)));
        let second = PartCollector::new(first.known(), 2, Some(1));
        page(&second, &[("a", 2), ("b", 1)]);
        assert_eq!(second.changed_since(1), [("card-a".to_owned(), li("a", 2))]);
        // A new card changes the list; a reader of view 1 gets the change of view 2 too.
        let third = PartCollector::new(second.known(), 3, Some(1));
        page(&third, &[("a", 2), ("b", 1), ("c", 1)]);
        let holes = ["a", "b", "c"].map(|name| format!("<li data-hole=\"card-{name}\"></li>")).concat();
        let list = ("list".to_owned(), format!("<ul data-part=\"list\">{holes}</ul>"));
        let cards = [("a", 2), ("c", 1)].map(|(name, seq)| (format!("card-{name}"), li(name, seq)));
        assert_eq!(third.changed_since(1), [cards.to_vec(), vec![list]].concat());
    }
}
