//! Destination and filter of the program's log messages.
//!
//! On a terminal and in a file they are lines of text. If standard error is the journal (`JOURNAL_STREAM` shows that), they are sent with
//! their fields, so that `journalctl LINE=board-3` or `BOARD=1025`, `GAME=2`, `PLY=17` finds them.
//!
//! Texts are escaped (`log_escape.rs`). The filter is a list of directives like `info` or `damcast_station::line=debug`; the most specific one for a module applies. It
//! filters by module only, because filters by span and field would add an engine of regular expressions. It starts as `RUST_LOG` or `info`,
//! and can be changed while the program runs.

use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::Handle;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, reload};

use super::log_escape::Escaped;
use crate::locks::lock;

/// Default filter.
const DEFAULT_DIRECTIVE: &str = "info";
/// Maximum number of added directives.
const MAX_DIRECTIVES: usize = 32;

/// Filter of log messages.
#[derive(Clone)]
pub struct Levels {
    handle: Option<Handle<Targets, Registry>>,
    at_start: String,
    added: Arc<Mutex<Vec<String>>>,
}

impl Levels {
    /// Creates the filter of a program whose messages this module does not handle.
    pub fn fixed() -> Levels {
        Levels { handle: None, at_start: String::new(), added: Arc::default() }
    }

    /// Returns the current directives, separated by commas.
    pub fn current(&self) -> String {
        self.with_added(&lock(&self.added))
    }

    fn with_added(&self, added: &[String]) -> String {
        std::iter::once(&self.at_start).chain(added).map(String::as_str).collect::<Vec<_>>().join(",")
    }

    /// Adds a directive, like `damcast_station::line=debug` or `debug`; `reset` removes all added ones.
    ///
    /// # Errors
    ///
    /// Returns the reason if the directive is invalid or there is no filter. Nothing changes then.
    pub fn add(&self, directive: &str) -> Result<String, String> {
        let handle = self.handle.as_ref().ok_or("the messages of this program are not shown by level")?;
        let mut added = lock(&self.added);
        let mut next: Vec<String> = added.clone();
        if directive == "reset" {
            next.clear();
        } else {
            // A word that is not a level would count as a module with all its messages.
            let (target, level) = directive.split_once('=').unwrap_or(("", directive));
            let is_target = target.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
            let is_level = !level.is_empty() && level.parse::<LevelFilter>().is_ok();
            if !is_target || !is_level || (target.is_empty() && directive.contains('=')) {
                return Err(format!(
                    "`{directive}`: expected a level (error, warn, info, debug, trace, off) or MODULE=LEVEL; \
                     `damcast ctl log-level --help` has an example"
                ));
            }
            let target = directive_target(directive);
            next.retain(|other| directive_target(other) != target);
            next.push(directive.to_owned());
        }
        if next.len() > MAX_DIRECTIVES {
            return Err(format!("more than {MAX_DIRECTIVES} levels; `reset` takes them back"));
        }
        let text = self.with_added(&next);
        let filter = text.parse::<Targets>().map_err(|error| format!("`{directive}`: {error}"))?;
        handle.reload(filter).map_err(|error| error.to_string())?;
        *added = next;
        Ok(text)
    }
}

/// Returns the module of a directive, empty for a level alone.
fn directive_target(directive: &str) -> &str {
    directive.split_once('=').map_or("", |(target, _)| target)
}

/// Installs the logger. Must be called once.
pub fn init() -> Levels {
    let wanted = std::env::var("RUST_LOG").unwrap_or_default();
    let at_start =
        if wanted.is_empty() || wanted.parse::<Targets>().is_err() { DEFAULT_DIRECTIVE.to_owned() } else { wanted };
    let filter = at_start.parse::<Targets>().unwrap_or_default();
    let (filter, handle) = reload::Layer::new(filter);
    let registry = tracing_subscriber::registry().with(filter);
    let journal = if is_journal() { tracing_journald::layer().ok() } else { None };
    match journal {
        Some(journal) => registry.with(Escaped(journal.with_field_prefix(None))).init(),
        None => {
            let ansi = std::io::stderr().is_terminal();
            let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(ansi);
            registry.with(Escaped(lines)).init();
        }
    }
    Levels { handle: Some(handle), at_start, added: Arc::default() }
}

/// Whether standard error is the journal's stream. systemd passes its device and inode; a redirected stream has others.
fn is_journal() -> bool {
    let Some((device, inode)) = std::env::var("JOURNAL_STREAM")
        .ok()
        .and_then(|stream| stream.split_once(':').map(|(d, i)| (d.to_owned(), i.to_owned())))
    else {
        return false;
    };
    let Ok(stat) = rustix::fs::fstat(std::io::stderr().as_fd()) else { return false };
    device == stat.st_dev.to_string() && inode == stat.st_ino.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_added_replaced_and_removed() {
        let (_filter, handle) = reload::Layer::<Targets, Registry>::new("info".parse().unwrap());
        let levels = Levels { handle: Some(handle), at_start: "info".to_owned(), added: Arc::default() };
        assert_eq!(levels.add("damcast_station::line=debug").unwrap(), "info,damcast_station::line=debug");
        assert_eq!(
            levels.add("damcast_station::link=trace").unwrap(),
            "info,damcast_station::line=debug,damcast_station::link=trace"
        );
        assert_eq!(
            levels.add("damcast_station::line=warn").unwrap(),
            "info,damcast_station::link=trace,damcast_station::line=warn"
        );
        assert!(levels.add("damcast_station::link=loud").is_err_and(|error| error.contains("MODULE=LEVEL")));
        for wrong in [
            "dbug",
            "",
            "=debug",
            "damcast",
            "damcast_station::line",
            "debug,trace",
            "a b=debug",
            "damcast=",
            "damcast=dbug",
        ] {
            assert!(levels.add(wrong).is_err_and(|error| error.contains("expected a level")), "{wrong}");
        }
        assert_eq!(levels.current(), "info,damcast_station::link=trace,damcast_station::line=warn");
        assert_eq!(levels.add("reset").unwrap(), "info");
        assert!(Levels::fixed().add("debug").is_err());
    }
}
