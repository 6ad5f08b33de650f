//! Effective configuration: every key of every table with its value and source.
//!
//! ```toml
//! [public]
//! delay = 900                              # damcast.d/event.toml:2
//! delay-plies = 0                          # default
//! ```
//!
//! The output is a valid configuration with the same meaning.

use std::fmt::Write;

use damcast_engine::session::LineSettings;

use super::document::ConfigErrors;
use super::keys::{MissingKey, Section};
use super::reference;
use super::sources::Sources;
use super::value::{ConfigTable, Value};
use super::{Config, LineConfig};

/// Column of the remarks, if the line leaves room.
const REMARK_COLUMN: usize = 48;

/// Returns the effective configuration of these sources.
///
/// # Errors
///
/// Returns all errors of the sources.
pub fn show(sources: &Sources) -> Result<String, ConfigErrors> {
    let config = sources.read()?;
    sources.with_tables(|table, _| Some(write(table, &config)))
}

fn write(mut top: ConfigTable, config: &Config) -> String {
    let mut text = String::new();
    for section in Section::ALL {
        match section {
            Section::Board | Section::Hall => {}
            // A hub without halls would be wrong.
            Section::Hub => {
                if let Some(Ok(mut hub)) = top.take(section.as_str()).map(|value| value.table(section)) {
                    let halls = hub.take(Section::Hall.as_str()).and_then(|value| value.tables(Section::Hall).ok());
                    write_table(&mut text, section, hub);
                    halls.into_iter().flatten().for_each(|table| write_table(&mut text, Section::Hall, table));
                }
            }
            Section::Outlet | Section::Deliver => {
                let tables = top.take(section.as_str()).and_then(|value| value.tables(section).ok());
                tables.into_iter().flatten().for_each(|table| write_table(&mut text, section, table));
            }
            Section::Line => {
                let lines = top.take("line").and_then(|value| value.tables(section).ok()).unwrap_or_default();
                for (table, line) in lines.into_iter().zip(&config.lines) {
                    write_line(&mut text, table, line);
                }
            }
            _ => write_table(&mut text, section, top.section(section)),
        }
    }
    text.trim_start().to_owned()
}

fn write_line(text: &mut String, mut table: ConfigTable, line: &LineConfig) {
    let is_bus = line.mode == damcast_engine::bytelog::Mode::Bus;
    let boards = if is_bus { table.take("board").and_then(|value| value.tables(Section::Board).ok()) } else { None };
    write_table(text, Section::Line, table);
    for (key, value) in pace_times(line) {
        let _ = writeln!(text, "# [recognition] {key} is {value} here, because the game is blitz");
    }
    for board in boards.unwrap_or_default() {
        write_table(text, Section::Board, board);
    }
}

/// Returns the recognition times that follow from the pace of a line and differ from `[recognition]`.
fn pace_times(line: &LineConfig) -> Vec<(&'static str, u64)> {
    let Ok((settings, _)) = LineSettings::from_header(&line.header(), None) else { return Vec::new() };
    let in_force = settings.effective_recognition().values();
    in_force
        .into_iter()
        .zip(settings.recognition.values())
        .filter(|(here, configured)| here != configured)
        .map(|(here, _)| here)
        .collect()
}

fn write_table(text: &mut String, section: Section, table: ConfigTable) {
    let mut values = table.into_values();
    let _ = write!(text, "\n{}\n", section.title());
    for key in section.keys() {
        let given = values.iter().position(|value| value.key == key.name).map(|at| values.remove(at));
        if let Some(value) = given {
            write_pair(text, key.name, &value);
        } else if key.if_missing == MissingKey::Default
            && let Some(default) = reference::default(key)
        {
            write_remarked(text, &format!("{} = {default}", key.name), "default");
        }
    }
    let tags = values.into_iter().find(|value| value.key == "tags");
    let tags = tags.as_ref().and_then(|tags| tags.entries("tags").ok());
    if let (Some(title), Some(tags)) = (section.tags_title(), tags) {
        let _ = writeln!(text, "{title}");
        for tag in tags {
            let name = toml::Value::String(tag.key.clone());
            write_pair(text, &name.to_string(), tag);
        }
    }
}

fn write_pair(text: &mut String, name: &str, value: &Value) {
    if let Some(toml) = value.as_toml() {
        write_remarked(text, &format!("{name} = {toml}"), &value.source_line().to_string());
    }
}

fn write_remarked(text: &mut String, pair: &str, remark: &str) {
    let _ = writeln!(text, "{pair:<REMARK_COLUMN$} # {remark}");
}
