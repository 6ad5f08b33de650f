//! A TOML document in which every key and value knows its place, so that every complaint can point at it.
//!
//! ```text
//! damcast.toml:7:13: game type 99 is not a draughts game of the PDN standard
//!   |
//! 7 | game-type = "99"
//!   |             ^^^^
//! ```
//!
//! A [`Table`] is taken apart key by key; what is left at the end is a key that nobody knows, and so an error. Absent on
//! purpose: what the keys mean.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong with a configuration, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// The file, as it was named.
    pub file: String,
    /// What is wrong, and what to do.
    pub message: String,
    /// Where; `None` when the file could not be read at all.
    pub place: Option<Place>,
}

/// A place in a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// The text of the line.
    pub text: String,
    /// How many characters of it are meant, at least 1.
    pub width: usize,
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError { file, message, place } = self;
        let Some(Place { line, column, text, width }) = place else { return write!(f, "{file}: {message}") };
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret stands where an editor shows the place.
        let indent: String =
            text.chars().take(column - 1).map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "{file}:{line}:{column}: {message}\n{gutter} |\n{number} | {text}\n{gutter} | {indent}")?;
        write!(f, "{}", "^".repeat(*width))
    }
}

/// A text with its name.
#[derive(Clone, Copy)]
pub struct Document<'d> {
    file: &'d str,
    text: &'d str,
}

impl<'d> Document<'d> {
    /// The text of a file.
    pub fn new(file: &'d str, text: &'d str) -> Document<'d> {
        Document { file, text }
    }

    /// Its outermost table.
    ///
    /// # Errors
    ///
    /// Where the text is no TOML.
    pub fn parse(self) -> Result<Table<'d>, ConfigError> {
        let table = DeTable::parse(self.text)
            .map_err(|error| self.error(error.span().unwrap_or(0..0), error.message().to_owned()))?;
        Ok(Table::new(self, "the file", 0..0, table.into_inner()))
    }

    /// An error about a place.
    pub fn error(self, span: Range<usize>, message: String) -> ConfigError {
        let start = (0..=span.start.min(self.text.len())).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let text = self.text[line_start..].lines().next().unwrap_or_default();
        let column = self.text[line_start..start].chars().count() + 1;
        let end = span.end.min(line_start + text.len());
        let width = self.text.get(start..end).map_or(1, |meant| meant.chars().count().max(1));
        let place = Place { line: before.matches('\n').count() + 1, column, text: text.trim_end().to_owned(), width };
        ConfigError { file: self.file.to_owned(), message, place: Some(place) }
    }
}

/// A table, from which keys are taken one by one.
pub struct Table<'d> {
    document: Document<'d>,
    title: &'static str,
    span: Range<usize>,
    entries: DeTable<'d>,
    known: Vec<String>,
}

impl<'d> Table<'d> {
    fn new(document: Document<'d>, title: &'static str, span: Range<usize>, entries: DeTable<'d>) -> Table<'d> {
        Table { document, title, span, entries, known: Vec::new() }
    }

    /// The value of a key, if it is there.
    pub fn take(&mut self, key: &str) -> Option<Value<'d>> {
        self.known.push(key.to_owned());
        let (key, value) = self.entries.remove_entry(key)?;
        Some(Value {
            document: self.document,
            key: key.into_inner().into_owned(),
            span: value.span(),
            value: value.into_inner(),
        })
    }

    /// The value of a key.
    ///
    /// # Errors
    ///
    /// When it is not there. A key that is nearly the same is taken for a slip of the pen, and named with its place.
    pub fn require(&mut self, key: &str, example: &str) -> Result<Value<'d>, ConfigError> {
        if let Some(value) = self.take(key) {
            return Ok(value);
        }
        let slip =
            self.entries.keys().filter(|other| is_slip(key, other.get_ref())).min_by_key(|other| other.span().start);
        Err(match slip {
            Some(slip) => {
                let message = format!("unknown key `{}` in {}; did you mean `{key}`?", slip.get_ref(), self.title);
                self.document.error(slip.span(), message)
            }
            None => self.error(format!("{} needs the key `{key}`, as in {key} = {example}", self.title)),
        })
    }

    /// An error about the table as a whole.
    pub fn error(&self, message: String) -> ConfigError {
        self.document.error(self.span.clone(), message)
    }

    /// All that is left, in the order of the text: for tables whose keys are free.
    pub fn into_values(self) -> Vec<Value<'d>> {
        let document = self.document;
        let value = |(key, value): (Spanned<std::borrow::Cow<'_, str>>, Spanned<DeValue<'d>>)| Value {
            document,
            key: key.into_inner().into_owned(),
            span: value.span(),
            value: value.into_inner(),
        };
        let mut values: Vec<Value> = self.entries.into_iter().map(value).collect();
        values.sort_by_key(|value| value.span.start);
        values
    }

    /// Sees that nothing is left.
    ///
    /// # Errors
    ///
    /// The first key that nobody asked for.
    pub fn finish(self) -> Result<(), ConfigError> {
        let Some(key) = self.entries.keys().min_by_key(|key| key.span().start) else { return Ok(()) };
        let known: Vec<String> = self.known.iter().map(|known| format!("`{known}`")).collect();
        let message = format!("unknown key `{}` in {}; its keys are {}", key.get_ref(), self.title, known.join(", "));
        Err(self.document.error(key.span(), message))
    }
}

/// Are two keys so alike that one is the other mistyped? Up to two letters added, left out or changed.
fn is_slip(meant: &str, written: &str) -> bool {
    const MOST: usize = 2;
    let (meant, written): (Vec<char>, Vec<char>) = (meant.chars().collect(), written.chars().collect());
    if meant.len().abs_diff(written.len()) > MOST {
        return false;
    }
    // The edit distance, row by row.
    let mut row: Vec<usize> = (0..=written.len()).collect();
    for (index, letter) in meant.iter().enumerate() {
        let mut corner = row[0];
        row[0] = index + 1;
        for column in 0..written.len() {
            let changed = corner + usize::from(written[column] != *letter);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[written.len()] <= MOST
}

/// A value with its key.
pub struct Value<'d> {
    document: Document<'d>,
    /// Its key.
    pub key: String,
    span: Range<usize>,
    value: DeValue<'d>,
}

impl<'d> Value<'d> {
    /// An error about this value.
    pub fn error(&self, message: impl fmt::Display) -> ConfigError {
        self.document.error(self.span.clone(), message.to_string())
    }

    /// The line it stands in.
    pub fn line(&self) -> usize {
        self.document.text.get(..self.span.start).map_or(1, |before| before.matches('\n').count() + 1)
    }

    /// A string.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn string(&self) -> Result<&str, ConfigError> {
        self.value.as_str().ok_or_else(|| self.wrong("a string in quotes"))
    }

    /// A number.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn number(&self) -> Result<f64, ConfigError> {
        let text = match &self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            _ => return Err(self.wrong("a number")),
        };
        text.parse().map_err(|_| self.wrong("a number"))
    }

    /// A string, number or truth value, as text.
    ///
    /// # Errors
    ///
    /// When it is something else.
    pub fn scalar(&self) -> Result<String, ConfigError> {
        match &self.value {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(integer) => Ok(integer.to_string()),
            DeValue::Float(float) => Ok(float.to_string()),
            DeValue::Boolean(truth) => Ok(truth.to_string()),
            _ => Err(self.wrong("a string or a number")),
        }
    }

    /// A list of strings.
    ///
    /// # Errors
    ///
    /// When it is something else.
    pub fn strings(&self) -> Result<Vec<String>, ConfigError> {
        let wrong = || self.wrong("a list of strings, as in [\"/usr/local/bin/alarm\", \"--phone\"]");
        let DeValue::Array(values) = &self.value else { return Err(wrong()) };
        let text = |value: &Spanned<DeValue>| value.get_ref().as_str().map(str::to_owned).ok_or_else(wrong);
        values.iter().map(text).collect()
    }

    /// A table, called `title` in messages.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn table(self, title: &'static str) -> Result<Table<'d>, ConfigError> {
        match self.value {
            DeValue::Table(entries) => Ok(Table::new(self.document, title, self.span, entries)),
            _ => Err(self.wrong(&format!("a table {title}"))),
        }
    }

    /// Tables, each called `title` in messages.
    ///
    /// # Errors
    ///
    /// When it is something else.
    pub fn tables(self, title: &'static str) -> Result<Vec<Table<'d>>, ConfigError> {
        let wrong = self.wrong(&format!("tables, each under {title}"));
        let DeValue::Array(values) = self.value else { return Err(wrong) };
        let table = |value: Spanned<DeValue<'d>>| match (value.span(), value.into_inner()) {
            (span, DeValue::Table(entries)) => Ok(Table::new(self.document, title, span, entries)),
            _ => Err(wrong.clone()),
        };
        values.into_iter().map(table).collect()
    }

    fn wrong(&self, expected: &str) -> ConfigError {
        self.error(format!("`{}` is {}; expected {expected}", self.key, article(self.value.type_str())))
    }
}

fn article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_points_at_its_place() {
        let text = "a = 1\n\tb = \"ü\" # c\n";
        let start = text.find('"').unwrap();
        let error = Document::new("x.toml", text).error(start..start + 4, "no".into());
        assert_eq!(error.to_string(), "x.toml:2:6: no\n  |\n2 | \tb = \"ü\" # c\n  | \t    ^^^");
    }

    #[test]
    fn no_place_is_too_strange() {
        let text = "ä\r\nb";
        for start in 0..8 {
            for end in 0..8 {
                let error = Document::new("x.toml", text).error(start..end, "no".into());
                assert!(error.place.is_some_and(|place| place.line <= 2 && place.width >= 1));
            }
        }
        assert_eq!(
            Document::new("x.toml", "").error(0..0, "no".into()).to_string(),
            "x.toml:1:1: no\n  |\n1 | \n  | ^"
        );
    }
}
