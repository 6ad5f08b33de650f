//! Tables and values of a configuration, read key by key, each with its location.
//!
//! A key left in a [`ConfigTable`] at the end is unknown, and so an error. Several files are merged into one table
//! ([`ConfigTable::overlay`]); values keep their own locations. Absent on purpose: the meaning of the keys.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::{ConfigError, Document, SourceLine};
use super::keys::{Section, ValueKind};

/// Keys that identify the tables of an array: a later file changes the table with the same value.
const IDENTITY_KEYS: [(&str, &str); 5] =
    [("line", "name"), ("board", "address"), ("outlet", "name"), ("hall", "name"), ("deliver", "name")];

/// Table whose keys are taken one by one.
#[derive(Clone)]
pub struct ConfigTable<'d> {
    document: Document<'d>,
    /// Table of the configuration; `None` for the outermost.
    section: Option<Section>,
    span: Range<usize>,
    entries: Vec<Value<'d>>,
    known: Vec<String>,
}

/// Value with its key.
#[derive(Clone)]
pub struct Value<'d> {
    document: Document<'d>,
    /// Key.
    pub key: String,
    key_span: Range<usize>,
    span: Range<usize>,
    node: Node<'d>,
}

#[derive(Clone)]
enum Node<'d> {
    Leaf(DeValue<'d>),
    Array(Vec<Value<'d>>),
    Table(Vec<Value<'d>>),
}

fn entries<'d>(document: Document<'d>, table: DeTable<'d>) -> Vec<Value<'d>> {
    let value = |(key, value): (Spanned<std::borrow::Cow<'d, str>>, Spanned<DeValue<'d>>)| {
        let key_span = key.span();
        Value::new(document, key.into_inner().into_owned(), key_span, value)
    };
    let mut values: Vec<Value> = table.into_iter().map(value).collect();
    values.sort_by_key(|value| value.key_span.start);
    values
}

impl<'d> ConfigTable<'d> {
    /// Creates the outermost table of a text.
    pub(super) fn outermost(document: Document<'d>) -> ConfigTable<'d> {
        let entries = entries(document, document.parse());
        ConfigTable { document, section: None, span: 0..0, entries, known: Vec::new() }
    }

    fn new(document: Document<'d>, section: Section, span: Range<usize>, entries: Vec<Value<'d>>) -> ConfigTable<'d> {
        ConfigTable { document, section: Some(section), span, entries, known: Vec::new() }
    }

    /// Returns the name of the table in messages.
    fn title(&self) -> &'static str {
        self.section.map_or("the file", Section::title)
    }

    /// Merges a later table into this one: its values take precedence and subtables are merged. Tables of an array with the same identity
    /// are merged, others are appended.
    pub fn overlay(&mut self, later: ConfigTable<'d>) {
        overlay(&mut self.entries, later.entries);
    }

    /// Takes the value of a key, if present.
    pub fn take(&mut self, key: &str) -> Option<Value<'d>> {
        self.known.push(key.to_owned());
        let at = self.entries.iter().position(|value| value.key == key)?;
        Some(self.entries.remove(at))
    }

    /// Takes a table; an empty one if it is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a table.
    pub fn table(&mut self, section: Section) -> Result<ConfigTable<'d>, ConfigError> {
        match self.take(section.as_str()) {
            None => Ok(ConfigTable::new(self.document, section, 0..0, Vec::new())),
            Some(value) => value.table(section),
        }
    }

    /// Takes a table, an empty one if it is missing or not a table; records that error.
    pub fn section(&mut self, section: Section) -> ConfigTable<'d> {
        let table = self.table(section);
        let table = self.document.diagnostics.record(table);
        table.unwrap_or_else(|| ConfigTable::new(self.document, section, 0..0, Vec::new()))
    }

    /// Reads the value of a key, if present; records its error.
    pub fn read<T>(&mut self, key: &str, read: impl FnOnce(&Value<'d>) -> Result<T, ConfigError>) -> Option<T> {
        let value = self.take(key)?;
        self.document.diagnostics.record(read(&value))
    }

    /// Reads the value of a required key; records its error. If the key is missing, the error points at a key that looks like a typing error,
    /// if there is one.
    pub fn required<T>(
        &mut self,
        key: &str,
        example: &str,
        read: impl FnOnce(&Value<'d>) -> Result<T, ConfigError>,
    ) -> Option<T> {
        if let Some(value) = self.take(key) {
            return self.document.diagnostics.record(read(&value));
        }
        let slip =
            self.entries.iter().filter(|other| is_typo(key, &other.key)).min_by_key(|other| other.key_span.start);
        self.record(match slip {
            Some(slip) => slip.unknown_value_error(self.title(), &format!("did you mean `{key}`?")),
            None => self.error(format!("{} needs the key `{key}`, as in {key} = {example}", self.title())),
        });
        None
    }

    /// Returns the type of a key's value.
    fn kind(&self, key: &str) -> Option<ValueKind> {
        self.section.and_then(|section| section.kind(key))
    }

    /// Reads an integer within the limits of its row, if present; records its error.
    pub fn whole(&mut self, key: &str) -> Option<u64> {
        let Some(ValueKind::Integer { min, max, .. }) = self.kind(key) else { return None };
        self.read(key, |value| match value.number()? {
            number if number.fract() == 0.0 && (min as f64..=max as f64).contains(&number) => Ok(number as u64),
            _ => Err(value.error(format!("`{key}` is a whole number from {min} to {max}"))),
        })
    }

    /// Reads a number within the limit of its row, if present; records its error.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        let Some(ValueKind::Number { most }) = self.kind(key) else { return None };
        self.read(key, |value| match value.number()? {
            number if number > 0.0 && number <= most => Ok(number),
            _ => Err(value.error(format!("`{key}` is a number above 0, at most {most}"))),
        })
    }

    /// Reads one of the words of its row, if present; records its error.
    pub fn choice(&mut self, key: &str) -> Option<&'static str> {
        let Some(ValueKind::Choice(words)) = self.kind(key) else { return None };
        self.read(key, |value| {
            let text = value.string()?;
            let expected = || words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
            let word = words.iter().find(|word| **word == text).copied();
            word.ok_or_else(|| value.error(format!("`{key}` is {}", expected())))
        })
    }

    /// Reads `true` or `false`, if present; records its error.
    pub fn switch(&mut self, key: &str) -> Option<bool> {
        self.read(key, |value| match value.scalar()?.as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(value.error(format!("`{key}` is true or false"))),
        })
    }

    /// Returns what `read` returns and the errors that it records, without recording them here.
    pub fn scoped<T>(&self, read: impl FnOnce() -> T) -> (T, Vec<ConfigError>) {
        self.document.diagnostics.scoped(read)
    }

    /// Returns the remaining values without taking them.
    pub fn values(&self) -> impl Iterator<Item = &Value<'d>> {
        self.entries.iter()
    }

    /// Returns the location of the table.
    pub fn source_line(&self) -> SourceLine {
        SourceLine { file: self.document.file.to_owned(), line: self.document.line(self.span.start) }
    }

    /// Records an error.
    pub fn record(&self, error: ConfigError) {
        self.document.diagnostics.record::<()>(Err(error));
    }

    /// Creates an error about the whole table.
    pub fn error(&self, message: String) -> ConfigError {
        self.document.error(self.span.clone(), message)
    }

    /// Returns all remaining values in the order of the text, for tables with arbitrary keys.
    pub fn into_values(self) -> Vec<Value<'d>> {
        self.entries
    }

    /// Records an error for each key that is left. If the key resembles a missing key, the error assumes a typing error.
    pub fn reject_unknown(self) {
        let known: Vec<String> = self.known.iter().map(|known| format!("`{known}`")).collect();
        for value in &self.entries {
            let meant = self.known.iter().find(|known| known.len() > 3 && is_typo(known, &value.key));
            let remedy = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("its keys are {}", known.join(", ")),
            };
            self.record(value.unknown_value_error(self.title(), &remedy));
        }
    }
}

fn overlay<'d>(below: &mut Vec<Value<'d>>, later: Vec<Value<'d>>) {
    for over in later {
        let Some(under) = below.iter_mut().find(|under| under.key == over.key) else {
            below.push(over);
            continue;
        };
        let identity = IDENTITY_KEYS.iter().find(|(key, _)| *key == over.key).map(|(_, identity)| *identity);
        match (&mut under.node, over.node, identity) {
            (Node::Table(under), Node::Table(over), _) => overlay(under, over),
            (Node::Array(under), Node::Array(over), Some(identity)) => overlay_array(under, over, identity),
            (under_node, over_node, _) => {
                *under_node = over_node;
                (under.document, under.span, under.key_span) = (over.document, over.span, over.key_span);
            }
        }
    }
}

fn overlay_array<'d>(below: &mut Vec<Value<'d>>, later: Vec<Value<'d>>, identity: &str) {
    for over in later {
        let name = over.identity(identity);
        let same = below.iter_mut().find(|under| name.is_some() && under.identity(identity) == name);
        match (same, over) {
            (Some(Value { node: Node::Table(under), .. }), Value { node: Node::Table(over), .. }) => {
                overlay(under, over)
            }
            (_, over) => below.push(over),
        }
    }
}

/// Whether one key may be a typing error of the other: at most two letters added, left out or changed.
pub(super) fn is_typo(meant: &str, written: &str) -> bool {
    const MAX_TYPO_DISTANCE: usize = 2;
    let (meant, written): (Vec<char>, Vec<char>) = (meant.chars().collect(), written.chars().collect());
    if meant.len().abs_diff(written.len()) > MAX_TYPO_DISTANCE {
        return false;
    }
    // Edit distance, row by row.
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
    row[written.len()] <= MAX_TYPO_DISTANCE
}

impl<'d> Value<'d> {
    fn new(document: Document<'d>, key: String, key_span: Range<usize>, value: Spanned<DeValue<'d>>) -> Value<'d> {
        let span = value.span();
        let node = match value.into_inner() {
            DeValue::Table(table) => Node::Table(entries(document, table)),
            DeValue::Array(items) => {
                let item = |item: Spanned<DeValue<'d>>| Value::new(document, key.clone(), item.span(), item);
                Node::Array(items.into_iter().map(item).collect())
            }
            leaf => Node::Leaf(leaf),
        };
        Value { document, key, key_span, span, node }
    }

    /// Creates an error about this value.
    pub fn error(&self, message: impl fmt::Display) -> ConfigError {
        self.document.error(self.span.clone(), message.to_string())
    }

    fn unknown_value_error(&self, title: &str, remedy: &str) -> ConfigError {
        self.document.error(self.key_span.clone(), format!("unknown key `{}` in {title}; {remedy}", self.key))
    }

    /// Returns the location of the value.
    pub fn source_line(&self) -> SourceLine {
        SourceLine { file: self.document.file.to_owned(), line: self.document.line(self.span.start) }
    }

    /// Names a location in messages about this value: by line number if it is in the same file.
    pub fn line_for_message(&self, spot: &SourceLine) -> String {
        if spot.file == self.document.file { format!("line {}", spot.line) } else { spot.to_string() }
    }

    /// Returns a string.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a string.
    pub fn string(&self) -> Result<&str, ConfigError> {
        match &self.node {
            Node::Leaf(DeValue::String(text)) => Ok(text),
            _ => Err(self.wrong_kind_error("a string in quotes")),
        }
    }

    /// Returns a number.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a number.
    pub fn number(&self) -> Result<f64, ConfigError> {
        let text = match &self.node {
            Node::Leaf(DeValue::Integer(integer)) if integer.radix() == 10 => integer.as_str(),
            Node::Leaf(DeValue::Float(float)) => float.as_str(),
            _ => return Err(self.wrong_kind_error("a number")),
        };
        text.parse().map_err(|_| self.wrong_kind_error("a number"))
    }

    /// Returns a string, number or boolean as text.
    ///
    /// # Errors
    ///
    /// Returns an error for any other value.
    pub fn scalar(&self) -> Result<String, ConfigError> {
        match &self.node {
            Node::Leaf(DeValue::String(text)) => Ok(text.to_string()),
            Node::Leaf(DeValue::Integer(integer)) => Ok(integer.to_string()),
            Node::Leaf(DeValue::Float(float)) => Ok(float.to_string()),
            Node::Leaf(DeValue::Boolean(truth)) => Ok(truth.to_string()),
            _ => Err(self.wrong_kind_error("a string or a number")),
        }
    }

    /// Returns a list of strings.
    ///
    /// # Errors
    ///
    /// Returns an error for any other value.
    pub fn strings(&self) -> Result<Vec<String>, ConfigError> {
        let wrong = || self.wrong_kind_error("a list of strings, as in [\"/usr/local/bin/alarm\", \"--phone\"]");
        let Node::Array(values) = &self.node else { return Err(wrong()) };
        values.iter().map(|value| value.string().map(str::to_owned).map_err(|_| wrong())).collect()
    }

    /// Returns the value as TOML: numbers as written, strings in quotes; `None` for tables and arrays of tables.
    pub fn as_toml(&self) -> Option<String> {
        match &self.node {
            Node::Leaf(DeValue::String(text)) => Some(toml::Value::String(text.to_string()).to_string()),
            Node::Leaf(DeValue::Integer(integer)) => Some(integer.to_string()),
            Node::Leaf(_) => self.document.text.get(self.span.clone()).map(str::to_owned),
            Node::Array(values) => {
                let values: Option<Vec<String>> = values.iter().map(Value::as_toml).collect();
                values.map(|values| format!("[{}]", values.join(", ")))
            }
            Node::Table(_) => None,
        }
    }

    /// Returns the values of a table with arbitrary keys, called `title` in messages.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a table.
    pub fn entries(&self, title: &str) -> Result<&[Value<'d>], ConfigError> {
        match &self.node {
            Node::Table(entries) => Ok(entries),
            _ => Err(self.wrong_kind_error(&format!("a table {title}"))),
        }
    }

    /// Returns a table.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a table.
    pub fn table(self, section: Section) -> Result<ConfigTable<'d>, ConfigError> {
        let entries = self.entries(section.title())?.to_vec();
        Ok(ConfigTable::new(self.document, section, self.span, entries))
    }

    /// Returns an array of tables.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not an array of tables.
    pub fn tables(self, section: Section) -> Result<Vec<ConfigTable<'d>>, ConfigError> {
        let wrong = self.wrong_kind_error(&format!("tables, each under {section}"));
        let Node::Array(values) = self.node else { return Err(wrong) };
        let table = |value: Value<'d>| match value.node {
            Node::Table(entries) => Ok(ConfigTable::new(value.document, section, value.span, entries)),
            _ => Err(wrong.clone()),
        };
        values.into_iter().map(table).collect()
    }

    /// Returns the identity of a table in an array.
    fn identity(&self, key: &str) -> Option<String> {
        let Node::Table(entries) = &self.node else { return None };
        entries.iter().find(|value| value.key == key)?.scalar().ok()
    }

    fn wrong_kind_error(&self, expected: &str) -> ConfigError {
        let kind = match &self.node {
            Node::Leaf(leaf) => leaf.type_str(),
            Node::Array(_) => "array",
            Node::Table(_) => "table",
        };
        let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        self.error(format!("`{}` is {article} {kind}; expected {expected}", self.key))
    }
}
