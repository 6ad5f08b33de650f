//! Table of boards: as a page that fits the terminal, and as a text with everything.
//!
//! Boards that need attention come first. If the page is too small for all boards, it counts the omitted ones by state. Problems that
//! need the operator always get space.

use damcast::control::escape;
use damcast::control::overview::{AlarmView, BoardView};
use damcast::engine::recognition::Wait;
use damcast::engine::session::Condition;

use super::columns::{Column, full_width, lines, truncate, wrapped};

/// Contents of the page.
pub struct BoardTable<'s> {
    /// The boards, in the order of the configuration.
    pub boards: &'s [BoardView],
    /// Problems that need the operator.
    pub alarms: &'s [AlarmView],
    /// Further messages, one per line.
    pub notes: Vec<String>,
    /// The last line.
    pub footer: String,
    /// Whether the files of the games are shown.
    pub shows_files: bool,
}

/// Lines of one board: its row and the details below it.
type BoardRows = Vec<String>;

impl BoardTable<'_> {
    /// Returns the whole table in lines of at most `width` cells; `None`: no limit.
    pub fn text(&self, width: Option<usize>) -> String {
        let (titles, groups) = self.groups(width);
        let all =
            std::iter::once(titles).chain(groups.concat()).chain(self.attention_lines(width)).chain(self.foot(width));
        all.map(|line| line + "\n").collect()
    }

    /// Returns as much of the table as fits a terminal of this size: titles first, footer last.
    pub fn page(&self, columns: usize, rows: usize) -> Vec<String> {
        let (titles, groups) = self.groups(Some(columns));
        let (mut needs, mut foot) = (self.attention_lines(Some(columns)), self.foot(Some(columns)));
        // On a low page at least half of the rows are for the boards.
        foot.truncate((rows / 2).max(1));
        let room = rows.saturating_sub(1 + foot.len());
        let all_boards: usize = groups.iter().map(Vec::len).sum();
        // Problems get the rows that the boards leave, but at least a third of the page.
        let for_needs = room.saturating_sub(all_boards).max(room / 3);
        if needs.len() > for_needs {
            needs.truncate(for_needs.saturating_sub(1));
            needs.extend((for_needs > 0).then(|| truncate("... and more: damcast status", columns)));
        }
        let room = room - needs.len();
        let mut page = vec![titles];
        if all_boards <= room {
            page.extend(groups.concat());
        } else {
            let mut shown = 0;
            for group in &groups {
                // One line is reserved for the summary of omitted boards. A board's row takes precedence over its details.
                let left = (room + 1).saturating_sub(page.len() + 1);
                if left == 0 {
                    break;
                }
                page.extend(group.iter().take(left).cloned());
                shown += 1;
            }
            page.extend((room > 0).then(|| truncate(&self.omitted_summary(shown), columns)));
        }
        page.extend(needs);
        page.extend(foot);
        page.truncate(rows);
        page
    }

    /// Summarises the omitted boards: `... 19 more: 15 playing, 4 waiting`.
    fn omitted_summary(&self, shown: usize) -> String {
        let left_out: Vec<&BoardView> = self.by_urgency().into_iter().skip(shown).collect();
        let mut states: Vec<(&str, usize)> = Vec::new();
        for board in &left_out {
            match states.iter_mut().find(|(state, _)| *state == board.state) {
                Some((_, count)) => *count += 1,
                None => states.push((&board.state, 1)),
            }
        }
        let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
        format!("... {} more: {}", left_out.len(), states.join(", "))
    }

    /// Returns the boards, those that need attention first.
    fn by_urgency(&self) -> Vec<&BoardView> {
        let mut boards: Vec<&BoardView> = self.boards.iter().collect();
        let has_alarm = |board: &BoardView| self.alarms.iter().any(|alarm| alarm.board.as_ref() == Some(&board.name));
        boards.sort_by_key(|board| !(has_alarm(board) || needs_attention(board)));
        boards
    }

    fn groups(&self, width: Option<usize>) -> (String, Vec<BoardRows>) {
        let boards = self.by_urgency();
        let mut columns = self.columns(&boards, state);
        let is_narrow = width.is_some_and(|width| full_width(&columns) > width);
        if is_narrow {
            columns = self.columns(&boards, short_state);
        }
        let mut lines = lines(columns, width).into_iter();
        let titles = lines.next().unwrap_or_default();
        let group = |(line, board): (String, &&BoardView)| {
            let state = more_than_short_state(board).filter(|_| is_narrow);
            let below = state.into_iter().chain(details(board)).map(|text| format!("  {text}"));
            std::iter::once(line).chain(below.map(|text| fitted(&text, width))).collect()
        };
        (titles, lines.zip(&boards).map(group).collect())
    }

    fn columns(&self, boards: &[&BoardView], state: fn(&BoardView) -> String) -> Vec<Column> {
        let column = |title, text: fn(&BoardView) -> Option<String>| {
            Column::new(title, boards.iter().map(|board| text(board).unwrap_or_else(|| "-".to_owned())))
        };
        let mut columns = vec![
            column("board", |board| Some(board.name.clone())).min_width(10),
            Column::new("state", boards.iter().map(|board| state(board))),
            column("since", |board| board.since_s.map(span)).number().drop_priority(5),
            column("game", |board| board.game.map(|game| game.to_string())).number().drop_priority(6),
            column("plies", |board| Some(board.plies.to_string())).number().drop_priority(4),
            column("last", last).min_width(9).drop_priority(1),
        ];
        if boards.iter().any(|board| players(board) != [None, None]) {
            columns.push(column("White", |board| players(board)[0].clone()).min_width(8).drop_priority(3));
            columns.push(column("Black", |board| players(board)[1].clone()).min_width(8).drop_priority(3));
        }
        columns.push(
            column("clocks", |board| {
                board.clocks.map(|clocks| format!("{} {}", time(clocks.white), time(clocks.black)))
            })
            .drop_priority(2),
        );
        if self.shows_files {
            columns.push(
                column("file", |board| board.file.as_ref().map(|file| file.display().to_string())).drop_priority(7),
            );
        }
        columns
    }

    /// Returns the problems that need the operator.
    fn attention_lines(&self, width: Option<usize>) -> Vec<String> {
        let alarm = |alarm: &AlarmView| {
            let of = alarm.board.as_deref().unwrap_or("station");
            format!("ALARM {of}: {} since {}: {}", alarm.kind, alarm.since.format("%H:%M:%S"), alarm.text)
        };
        let texts = self.alarms.iter().map(alarm).chain(self.notes.iter().cloned());
        texts.flat_map(|text| fit_lines(&text, width)).collect()
    }

    fn foot(&self, width: Option<usize>) -> Vec<String> {
        if self.footer.is_empty() { Vec::new() } else { fit_lines(&self.footer, width) }
    }
}

fn fit_lines(text: &str, width: Option<usize>) -> Vec<String> {
    width.map_or_else(|| vec![truncate(text, usize::MAX)], |width| wrapped(&escape::escape_text(text), width))
}

fn fitted(text: &str, width: Option<usize>) -> String {
    truncate(text, width.unwrap_or(usize::MAX))
}

/// Whether the operator must act on this board.
fn needs_attention(board: &BoardView) -> bool {
    let is_bad = ["broken", "no-connection", "no-answer", "other-board", "unexplained"].contains(&board.state.as_str());
    is_bad || board.wrong_start.is_some() || board.clock_missing
}

fn state(board: &BoardView) -> String {
    let text = if board.text.is_empty() { &board.state } else { &board.text };
    if board.state == "broken" { format!("broken: {text}") } else { text.clone() }
}

/// Returns the state in at most 13 characters: its word for programs, in which `-` becomes a space.
fn short_state(board: &BoardView) -> String {
    board.state.replace('-', " ")
}

/// Returns the text of the state if it says more than the short one and the lines below the board.
fn more_than_short_state(board: &BoardView) -> Option<String> {
    let condition = Condition::ALL.into_iter().find(|condition| condition.as_str() == board.state);
    let name = condition.map_or(&*board.state, |condition| condition.describe());
    (!board.text.is_empty() && !board.text.starts_with(name)).then(|| board.text.clone())
}

/// Returns the last entry; after the end of a paired game its result.
fn last(board: &BoardView) -> Option<String> {
    board.last.clone().or_else(|| board.pairing.as_ref()?.result.clone())
}

/// Returns the players of the current game, or of the last game in the open round.
fn players(board: &BoardView) -> [Option<String>; 2] {
    let of_round = || board.pairing.as_ref().map(|of| [Some(of.white.clone()), Some(of.black.clone())]);
    match [&board.white, &board.black] {
        [None, None] => of_round().unwrap_or_default(),
        [white, black] => [white.clone(), black.clone()],
    }
}

/// Returns the reason why the next entry waits.
fn wait(board: &BoardView) -> Option<String> {
    let waits = board.waits.as_ref()?;
    let wait = Wait::ALL.into_iter().find(|wait| wait.as_str() == waits.what)?;
    let moves = board.provisional.join(" ");
    let what = if moves.is_empty() { "what stands there" } else { &moves };
    Some(format!("{what} waits {} s {}", waits.seconds, describe_wait(wait)))
}

/// Describes the awaited event for people.
fn describe_wait(wait: Wait) -> &'static str {
    match wait {
        Wait::NextTick | Wait::Quiet => "for the hands to rest",
        Wait::Press => "for a press of the clock",
        Wait::Cleanup => "for the pieces to be put right",
        Wait::NextMove => "for the next move",
        Wait::Dump => "for the board to show it",
        Wait::Lever => "for the lever to be seen",
        Wait::Explanation => "for a move that explains it",
        Wait::Flicker => "for a piece to stand still",
    }
}

/// Returns the lines below a board.
fn details(board: &BoardView) -> Vec<String> {
    let mut lines: Vec<String> = wait(board).into_iter().collect();
    if let Some(doubt) = &board.unexplained {
        lines.push(format!("differs on {}", doubt.squares.join(", ")));
        lines.extend(doubt.interpretations.iter().map(|reading| format!("perhaps {reading}")));
    }
    lines.extend(board.publication.as_ref().map(|why| format!("not shown: {why}")));
    lines.extend(board.wrong_start.as_ref().map(|wrong| format!("not set up: {wrong}")));
    lines
}

/// Formats the time of a clock: `1:20:05`.
pub fn time(seconds: u32) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Formats a time span: `12 s`, `5 min`, `3 h`, `2 d`.
pub fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(state: &str, text: &str) -> BoardView {
        let player = |name: &str| Some(name.to_owned());
        let (white, black) = (player("Sijbrands, Ton"), player("Wiersma, Harm Bote Sake"));
        BoardView {
            name: "board-1".into(),
            state: state.into(),
            text: text.into(),
            white,
            black,
            ..BoardView::default()
        }
    }

    fn shown(boards: &[BoardView]) -> String {
        BoardTable { boards, alarms: &[], notes: Vec::new(), footer: String::new(), shows_files: true }.text(Some(80))
    }

    #[test]
    fn narrow_table_names_states_as_the_guide_does() {
        let guide = include_str!("../../docs/operator.md");
        for condition in Condition::ALL {
            let board = board(condition.as_str(), &format!("{} (missing 31, 32, 33)", condition.describe()));
            let table = shown(&[board]);
            let [name, full] = [condition.as_str().replace('-', " "), condition.describe().to_owned()];
            assert!(table.contains(&format!("board-1  {name} ")), "{table}");
            assert!(
                guide.contains(&format!("| `{full}` |")) || guide.contains(&format!("| `{full}` (`{name}`) |")),
                "{full}"
            );
        }
    }

    #[test]
    fn narrow_table_tells_more_below_board() {
        let table = shown(&[board("waiting", "offers a game from its memory"), board("broken", "no such port")]);
        assert!(
            table.contains("\n  offers a game from its memory\n") && table.contains("\n  no such port\n"),
            "{table}"
        );
    }
}
