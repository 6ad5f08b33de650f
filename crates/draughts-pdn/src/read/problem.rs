//! Problems that readers and checkers report: place, level, message and remedy.
//!
//! Reading never fails as a whole: every reader returns what it found *and* a list of [`Problem`]s. The list is bounded ([`Problems`]), so
//! that a file of noise costs no memory.
//!
//! | level | meaning |
//! |---|---|
//! | error | something could not be read or is against the rules of the game; data is missing or wrong |
//! | warning | read by a guess, or two places of the file contradict each other |
//! | note | not in the standard's form, but the meaning is clear |

use std::cmp::Reverse;
use std::fmt;

/// A place in a text: line and column, both from 1; a column is one character, of any number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The line, from 1. CR, LF and CR LF each end a line.
    pub line: u64,
    /// The character in the line, from 1.
    pub column: u64,
}

impl Location {
    /// The first character of a text.
    pub const START: Location = Location { line: 1, column: 1 };
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Not in the standard's form, but the meaning is clear.
    Note,
    /// Read by a guess, or contradictory.
    Warning,
    /// Not readable, or against the rules.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        })
    }
}

/// Kind of a problem, for programs that treat one kind in a way of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A tag without its closing bracket or quote.
    Unclosed,
    /// A line break within the value of a tag.
    LineBreak,
    /// More games than the reader takes; it ignores the rest.
    TooManyGames,
}

/// One problem of a text.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Location, Problem};
///
/// let problem = Problem::warning(Location { line: 3, column: 14 }, "no such month").with_hint("01 to 12");
/// assert_eq!(problem.to_string(), "3:14: warning: no such month (01 to 12)");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Place where it begins.
    pub location: Location,
    /// Severity.
    pub level: Level,
    /// Description for people; quotes the text where that helps.
    pub message: String,
    /// Remedy, or reason.
    pub hint: Option<String>,
    /// Its kind, where programs need to know it.
    pub kind: Option<ProblemKind>,
}

impl Problem {
    /// Creates a problem of level note.
    pub fn note(location: Location, what: impl Into<String>) -> Problem {
        Problem { location, level: Level::Note, message: what.into(), hint: None, kind: None }
    }

    /// Creates a problem of level warning.
    pub fn warning(location: Location, what: impl Into<String>) -> Problem {
        Problem { location, level: Level::Warning, message: what.into(), hint: None, kind: None }
    }

    /// Creates a problem of level error.
    pub fn error(location: Location, what: impl Into<String>) -> Problem {
        Problem { location, level: Level::Error, message: what.into(), hint: None, kind: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }

    /// Sets the kind.
    #[must_use]
    pub fn with_kind(self, kind: ProblemKind) -> Problem {
        Problem { kind: Some(kind), ..self }
    }
}

/// `line:column: level: what (hint)`; the name of the file goes before it.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.location, self.level, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// A bounded list of problems; problems beyond the bound are only counted.
///
/// # Examples
///
/// ```
/// use draughts_pdn::{Level, Location, Problem, Problems};
///
/// let mut problems = Problems::default();
/// problems.push(Problem::note(Location::START, "written in another way"));
/// assert_eq!((problems.count(Level::Note), problems.dropped_count()), (1, 0));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Problems {
    list: Vec<Problem>,
    counts: [u64; 3],
}

impl Problems {
    /// Maximum number of problems stored, for files of any size: more than a person reads, less than a megabyte.
    pub const MAX_COUNT: usize = 10_000;

    /// Adds a problem, or only counts it if the list is full.
    pub fn push(&mut self, problem: Problem) {
        self.counts[problem.level as usize] += 1;
        if self.list.len() < Problems::MAX_COUNT {
            self.list.push(problem);
        }
    }

    /// Adds another list, including its counts.
    pub fn merge(&mut self, other: Problems) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine += theirs;
        }
        let room = Problems::MAX_COUNT.saturating_sub(self.list.len());
        self.list.extend(other.list.into_iter().take(room));
    }

    /// Returns the stored problems, in the order in which they were found.
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// Returns the number of problems of a level, stored or not.
    pub fn count(&self, level: Level) -> u64 {
        self.counts[level as usize]
    }

    /// Returns the number of problems found but not stored.
    pub fn dropped_count(&self) -> u64 {
        self.counts.iter().sum::<u64>() - self.list.len() as u64
    }

    /// Returns the stored problems, ordered by place. At one place the most severe comes first, then the text decides: the order never depends
    /// on the pieces in which a file was read.
    pub fn into_sorted(mut self) -> Vec<Problem> {
        self.list.sort_by(|one, other| {
            let rest = |problem: &Problem| (Reverse(problem.level), problem.message.clone(), problem.hint.clone());
            one.location.cmp(&other.location).then_with(|| rest(one).cmp(&rest(other)))
        });
        self.list
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        for problem in problems {
            self.push(problem);
        }
    }
}

/// Returns a text in backquotes, on one line and truncated to fit into a message.
pub fn quote(text: &str) -> String {
    const MAX_QUOTE_LEN: usize = 60;
    let mut short: String = text.chars().take(MAX_QUOTE_LEN).map(|c| if c.is_control() { '·' } else { c }).collect();
    if text.chars().nth(MAX_QUOTE_LEN).is_some() {
        short.push_str("...");
    }
    format!("`{short}`")
}
