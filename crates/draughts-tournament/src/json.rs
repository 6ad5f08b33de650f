//! JSON objects on one line, with their members in a fixed order.

use std::fmt::Write;

/// Writer of an object.
///
/// # Examples
///
/// ```
/// use draughts_tournament::json::Object;
///
/// let players = vec![Object::new().number("id", 7).text("name", "Sijbrands, T.")];
/// assert_eq!(Object::new().objects("players", players).finish(), r#"{"players":[{"id":7,"name":"Sijbrands, T."}]}"#);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object(String);

impl Default for Object {
    fn default() -> Object {
        Object::new()
    }
}

impl Object {
    /// Creates an empty object.
    pub fn new() -> Object {
        Object("{".to_owned())
    }

    /// Adds a member with a text.
    pub fn text(self, name: &str, value: &str) -> Object {
        let mut object = self.name(name);
        quote(&mut object.0, value);
        object
    }

    /// Adds a member with a whole number.
    pub fn number(self, name: &str, value: u64) -> Object {
        let mut object = self.name(name);
        // Writing to a String cannot fail.
        let _ = write!(object.0, "{value}");
        object
    }

    /// Adds a member with an object.
    pub fn object(self, name: &str, value: Object) -> Object {
        let value = value.finish();
        self.raw(name, &value)
    }

    /// Adds a member with a list of texts.
    pub fn texts(self, name: &str, values: impl IntoIterator<Item = impl AsRef<str>>) -> Object {
        let mut list = String::from("[");
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                list.push(',');
            }
            quote(&mut list, value.as_ref());
        }
        list.push(']');
        self.raw(name, &list)
    }

    /// Adds a member with a list of objects.
    pub fn objects(self, name: &str, values: Vec<Object>) -> Object {
        self.values(name, values.into_iter().map(Object::finish))
    }

    /// Adds a member with a list of values, each a JSON text.
    pub fn values(self, name: &str, values: impl IntoIterator<Item = String>) -> Object {
        let values: Vec<String> = values.into_iter().collect();
        self.raw(name, &format!("[{}]", values.join(",")))
    }

    /// Adds a member with a list of whole numbers.
    pub fn numbers(self, name: &str, values: impl IntoIterator<Item = u64>) -> Object {
        self.values(name, values.into_iter().map(|value| value.to_string()))
    }

    /// Adds a member with the value `null`.
    pub fn null(self, name: &str) -> Object {
        self.raw(name, "null")
    }

    /// Appends the members of another object.
    pub fn merge(mut self, other: &Object) -> Object {
        if self.0.len() > 1 && other.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&other.0[1..]);
        self
    }

    fn raw(self, name: &str, value: &str) -> Object {
        let mut object = self.name(name);
        object.0.push_str(value);
        object
    }

    fn name(mut self, name: &str) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        quote(&mut self.0, name);
        self.0.push(':');
        self
    }

    /// Returns the JSON text.
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quote(json: &mut String, text: &str) {
    json.push('"');
    let needs_escape = |c: char| matches!(c, '"' | '\\') || c.is_control();
    for part in text.split_inclusive(needs_escape) {
        let last = part.char_indices().next_back().filter(|(_, c)| needs_escape(*c));
        json.push_str(last.map_or(part, |(at, _)| &part[..at]));
        // Writing to a String cannot fail.
        let _ = match last {
            Some((_, c @ ('"' | '\\'))) => write!(json, "\\{c}"),
            Some((_, c)) => write!(json, "\\u{:04x}", u32::from(c)),
            None => Ok(()),
        };
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_valid_json() {
        let inner = Object::new().number("n", 7);
        let text = Object::new().text("a \"b\"", "c\\\n\u{7f}é").object("o", inner).object("e", Object::new());
        let text = text.texts("l", ["x", "\""]).finish();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, serde_json::json!({"a \"b\"": "c\\\n\u{7f}é", "o": {"n": 7}, "e": {}, "l": ["x", "\""]}));
        assert!(!text.contains('\n'));
    }
}
