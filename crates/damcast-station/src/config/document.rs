//! Configuration texts with locations, so that every error points at one.
//!
//! ```text
//! damcast.toml:7:13: game type 99 is not a draughts game of the PDN standard
//!   |
//! 7 | game-type = "99"
//!   |             ^^^^
//! ```
//!
//! Reading continues after an error: [`ConfigDiagnostics`] collects all errors for the operator.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use toml::de::DeTable;

/// Configuration error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// Name of the file, as given.
    pub file: String,
    /// Problem and remedy.
    pub message: String,
    /// Location; `None` if the file could not be read at all.
    pub location: Option<ConfigLocation>,
}

/// Location in a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigLocation {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Text of the line.
    pub text: String,
    /// Number of characters to mark, at least 1.
    pub width: usize,
}

/// File and line number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// Name of the file, as given.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    /// Returns the file and line of the error.
    pub(super) fn source_line(&self) -> Option<SourceLine> {
        let place = self.location.as_ref()?;
        Some(SourceLine { file: self.file.clone(), line: place.line })
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError { file, message, location: place } = self;
        let Some(ConfigLocation { line, column, text, width }) = place else { return write!(f, "{file}: {message}") };
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        // Keep tabs, so that the caret is below the marked characters.
        let indent: String =
            text.chars().take(column - 1).map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "{file}:{line}:{column}: {message}\n{gutter} |\n{number} | {text}\n{gutter} | {indent}")?;
        write!(f, "{}", "^".repeat(*width))
    }
}

/// Errors of a configuration: never empty, in the order of files and lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl std::error::Error for ConfigErrors {}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{error}")?;
        }
        Ok(())
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> ConfigErrors {
        ConfigErrors(vec![error])
    }
}

/// Errors found so far.
#[derive(Default)]
pub struct ConfigDiagnostics(RefCell<Vec<ConfigError>>);

impl ConfigDiagnostics {
    /// Records an error and returns `None`, or returns the value.
    pub fn record<T>(&self, outcome: Result<T, ConfigError>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.borrow_mut().push(error);
                None
            }
        }
    }

    /// Whether no error is recorded yet.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Returns what `read` returns and the errors that it records, without recording them here.
    pub fn scoped<T>(&self, read: impl FnOnce() -> T) -> (T, Vec<ConfigError>) {
        let before = self.0.take();
        let read = read();
        (read, self.0.replace(before))
    }

    /// Returns the value if there are no errors. Reports only the first error of each location, in the order of `files`.
    ///
    /// # Errors
    ///
    /// Returns all errors.
    pub fn into_result<T>(self, files: &[&str], read: Option<T>) -> Result<T, ConfigErrors> {
        let mut errors = self.0.into_inner();
        let place = |error: &ConfigError| {
            let file = files.iter().position(|file| *file == error.file).unwrap_or(files.len());
            (file, error.location.as_ref().map(|place| (place.line, place.column)))
        };
        errors.sort_by_key(place);
        errors.dedup_by_key(|error| place(error));
        match read {
            Some(read) if errors.is_empty() => Ok(read),
            _ => Err(ConfigErrors(errors)),
        }
    }
}

/// Text with its file name.
#[derive(Clone, Copy)]
pub struct Document<'d> {
    pub(super) file: &'d str,
    pub(super) text: &'d str,
    /// Collects the errors.
    pub(super) diagnostics: &'d ConfigDiagnostics,
}

impl<'d> Document<'d> {
    /// Creates the document of a file.
    pub fn new(file: &'d str, text: &'d str, diagnostics: &'d ConfigDiagnostics) -> Document<'d> {
        Document { file, text, diagnostics }
    }

    /// Parses the text. Records syntax errors and returns the readable part.
    pub(super) fn parse(self) -> DeTable<'d> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        let mut last_line = 0;
        for error in errors {
            let mut error = self.error(error.span().unwrap_or(0..0), error.message().trim().to_owned());
            let Some(place) = &error.location else { continue };
            // Later errors in the same line are often consequences of the first.
            if place.line == last_line {
                continue;
            }
            last_line = place.line;
            let subject = place.text.split(['=', '#']).next().unwrap_or_default().trim();
            if !subject.is_empty() {
                error.message = format!("{}; in the line of `{subject}`", error.message.replace('\n', ", "));
            }
            self.diagnostics.record::<()>(Err(error));
        }
        table.into_inner()
    }

    /// Returns the line number of an offset, from 1.
    pub fn line(self, at: usize) -> usize {
        self.text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
    }

    /// Creates an error for a range of the text.
    pub fn error(self, span: Range<usize>, message: String) -> ConfigError {
        let start = (0..=span.start.min(self.text.len())).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let text = self.text[line_start..].lines().next().unwrap_or_default();
        let column = self.text[line_start..start].chars().count() + 1;
        let end = span.end.min(line_start + text.len());
        let width = self.text.get(start..end).map_or(1, |meant| meant.chars().count().max(1));
        let place =
            ConfigLocation { line: before.matches('\n').count() + 1, column, text: text.trim_end().to_owned(), width };
        ConfigError { file: self.file.to_owned(), message, location: Some(place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_points_at_place() {
        let text = "a = 1\n\tb = \"ü\" # c\n";
        let start = text.find('"').unwrap();
        let complaints = ConfigDiagnostics::default();
        let error = Document::new("x.toml", text, &complaints).error(start..start + 4, "no".into());
        assert_eq!(error.to_string(), "x.toml:2:6: no\n  |\n2 | \tb = \"ü\" # c\n  | \t    ^^^");
    }

    #[test]
    fn accepts_arbitrary_places() {
        let text = "ä\r\nb";
        let complaints = ConfigDiagnostics::default();
        for start in 0..8 {
            for end in 0..8 {
                let error = Document::new("x.toml", text, &complaints).error(start..end, "no".into());
                assert!(error.location.is_some_and(|place| place.line <= 2 && place.width >= 1));
            }
        }
        assert_eq!(
            Document::new("x.toml", "", &complaints).error(0..0, "no".into()).to_string(),
            "x.toml:1:1: no\n  |\n1 | \n  | ^"
        );
    }

    #[test]
    fn problems_are_in_text_order_and_once_per_place() {
        let complaints = ConfigDiagnostics::default();
        let document = Document::new("x.toml", "a\nb\n", &complaints);
        for (at, message) in [(2, "second"), (0, "first"), (2, "of the same place")] {
            complaints.record::<()>(Err(document.error(at..at + 1, message.into())));
        }
        let ConfigErrors(errors) = complaints.into_result(&["x.toml"], Some(())).unwrap_err();
        assert_eq!(errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    }
}
