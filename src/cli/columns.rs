//! Text in columns that fit a width: the least needed columns shrink first, then disappear.
//!
//! Widths are terminal cells: a Chinese character takes two cells, a combining accent none.

use damcast::control::escape::is_control;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Separator between two columns.
const GAP: &str = "  ";

/// A column.
pub struct Column {
    title: &'static str,
    cells: Vec<String>,
    /// Minimum width in cells; `None`: the column never shrinks.
    least: Option<usize>,
    /// Drop order: columns with the highest number go first; 0 always stays.
    drop_priority: u8,
    is_number: bool,
}

impl Column {
    /// Creates a column that always stays, as wide as its widest cell.
    pub fn new(title: &'static str, cells: impl IntoIterator<Item = String>) -> Column {
        Column { title, cells: cells.into_iter().collect(), least: None, drop_priority: 0, is_number: false }
    }

    /// Sets the width in cells to which the column may shrink.
    pub fn min_width(self, cells: usize) -> Column {
        Column { least: Some(cells), ..self }
    }

    /// Sets the drop order: the highest number goes first; 0 always stays.
    pub fn drop_priority(self, need: u8) -> Column {
        Column { drop_priority: need, ..self }
    }

    /// Aligns the cells to the right.
    pub fn number(self) -> Column {
        Column { is_number: true, ..self }
    }

    fn widest(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).max().unwrap_or(0).max(self.title.width())
    }

    fn min_needed(&self) -> usize {
        let widest = self.widest();
        self.least.map_or(widest, |least| widest.min(least.max(self.title.width())))
    }

    fn cell(&self, text: &str, width: usize) -> String {
        let text = truncate(text, width);
        let space = " ".repeat(width - text.width());
        if self.is_number { space + &text } else { text + &space }
    }
}

/// Returns the width of a table in which no column shrinks.
pub fn full_width(columns: &[Column]) -> usize {
    columns.iter().map(Column::widest).sum::<usize>() + GAP.len() * columns.len().saturating_sub(1)
}

/// Returns the lines of a table, titles first, none wider than `width`; `None`: no limit.
pub fn lines(mut columns: Vec<Column>, width: Option<usize>) -> Vec<String> {
    let gaps = |count: usize| GAP.len() * count.saturating_sub(1);
    let room = width.unwrap_or(usize::MAX);
    while columns.iter().map(Column::min_needed).sum::<usize>() + gaps(columns.len()) > room {
        let least_needed =
            (0..columns.len()).filter(|&at| columns[at].drop_priority > 0).max_by_key(|&at| columns[at].drop_priority);
        let Some(least_needed) = least_needed else { break };
        columns.remove(least_needed);
    }
    let mut widths: Vec<usize> = columns.iter().map(Column::widest).collect();
    // Take one cell at a time from the column with the most spare width.
    while widths.iter().sum::<usize>() + gaps(columns.len()) > room {
        let spare = |at: &usize| widths[*at] - columns[*at].min_needed();
        match (0..columns.len()).max_by_key(spare).filter(|at| spare(at) > 0) {
            Some(widest) => widths[widest] -= 1,
            None => break,
        }
    }
    let line = |texts: Vec<&str>| {
        let cells = columns.iter().zip(&widths).zip(texts).map(|((column, &width), text)| column.cell(text, width));
        truncate(cells.collect::<Vec<_>>().join(GAP).trim_end(), room)
    };
    let count = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    let titles = line(columns.iter().map(|column| column.title).collect());
    let cell = |column: &'_ Column, row: usize| column.cells.get(row).map_or("", String::as_str).to_owned();
    let rows = (0..count).map(|row| {
        let texts: Vec<String> = columns.iter().map(|column| cell(column, row)).collect();
        line(texts.iter().map(String::as_str).collect())
    });
    std::iter::once(titles).chain(rows).collect()
}

/// Replaces control characters and cuts the text to `width` cells; an ellipsis marks a cut.
pub fn truncate(text: &str, width: usize) -> String {
    let plain: String = text.chars().map(|c| if is_control(c) { '·' } else { c }).collect();
    if plain.width() <= width {
        return plain;
    }
    let mut left = width.saturating_sub(1);
    let fits = |c: &char| {
        let cells = c.width().unwrap_or(0);
        let fits = cells <= left;
        left = left.saturating_sub(cells);
        fits
    };
    plain.chars().take_while(fits).chain((width > 0).then_some('…')).collect()
}

/// Wraps a text between words into lines of at most `width` cells; continuation lines are indented by two spaces.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map(|line| line.width()).unwrap_or(0);
        let begins = line == 0 || (lines.len() > 1 && line == 2);
        if !begins && line + 1 + word.width() > width {
            lines.push("  ".to_owned());
        }
        if let Some(last) = lines.last_mut() {
            if !(last.is_empty() || last.trim().is_empty()) {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.iter().map(|line| truncate(line, width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table() -> Vec<Column> {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        vec![
            Column::new("board", texts(&["board-1", "board-2"])),
            Column::new("state", texts(&["playing", "unexplained: 19, 24, 30"])).min_width(12),
            Column::new("plies", texts(&["7", "120"])).number().drop_priority(1),
            Column::new("White", texts(&["Sijbrands, Ton", "王天一"])).min_width(6).drop_priority(2),
            Column::new("file", texts(&["recordings/live/board-1-1.pdn"; 2])).drop_priority(3),
        ]
    }

    #[test]
    fn drops_least_needed_column_first() {
        assert_eq!(
            lines(table(), None)[2],
            "board-2  unexplained: 19, 24, 30    120  王天一          recordings/live/board-1-1.pdn"
        );
        let at = |width| lines(table(), Some(width));
        assert_eq!(at(60)[0], "board    state                    plies  White");
        assert_eq!(at(60)[1], "board-1  playing                      7  Sijbrands, Ton");
        assert_eq!(at(40)[1..], ["board-1  playing             7  Sijbran…", "board-2  unexplained: …    120  王天一"]);
        assert_eq!(at(30)[0], "board    state           plies");
        assert_eq!(at(22)[1..], ["board-1  playing", "board-2  unexplained:…"]);
    }

    #[test]
    fn cuts_and_wraps_text_by_cell() {
        assert_eq!(
            (truncate("王天一", 6).as_str(), truncate("王天一", 5).as_str(), truncate("王天一", 4).as_str()),
            ("王天一", "王天…", "王…")
        );
        assert_eq!(truncate("a\x1b[2Jb", 10), "a·[2Jb");
        assert_eq!(wrapped("one two three", 8), ["one two", "  three"]);
        assert_eq!(wrapped("a-word-that-is-too-long x", 8), ["a-word-…", "  x"]);
    }

    proptest! {
        #[test]
        fn output_stays_within_width(width in 0usize..100, text in ".{0,40}") {
            let mut columns = table();
            columns.push(Column::new("more", [text.clone()]).min_width(3).drop_priority(1));
            for line in lines(columns, Some(width)).iter().chain(&wrapped(&text, width)) {
                prop_assert!(line.width() <= width, "{line:?}");
            }
        }
    }
}
