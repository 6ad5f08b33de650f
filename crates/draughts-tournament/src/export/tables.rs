//! Tables for people as text: standings, the pairings of a round, the crosstable.
//!
//! A cell of a crosstable has the number of the opponent, the player's colour and points, `35w2`, followed by `f` if the game was not
//! played. A round without an opponent is `bye` with its points, or `-`.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::value::optional_text;
use crate::{Id, Points, ResultReason, Standings, TieBreakValue, Tournament, TournamentSection};

/// Maximum number of characters of a name; longer names are cut.
const NAME_WIDTH: usize = 30;

/// Returns a table with columns as wide as needed. `left`: columns that are aligned to the left, names.
fn text_table(rows: &[Vec<String>], left: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ = match left.contains(&column) {
                true => write!(line, "{cell:<width$}  "),
                false => write!(line, "{cell:>width$}  "),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn cut(name: &str) -> String {
    if name.chars().count() <= NAME_WIDTH {
        name.to_owned()
    } else {
        name.chars().take(NAME_WIDTH - 1).chain(['…']).collect()
    }
}

fn shown(broken: &TieBreakValue) -> String {
    match broken {
        TieBreakValue::Undecided => "-".to_owned(),
        TieBreakValue::Number(number) => number.to_string(),
        TieBreakValue::List(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("/"),
    }
}

/// Returns the heading of a table: event, section, round, and whether all results are known.
pub fn heading(tournament: &Tournament, section: &TournamentSection, standings: &Standings) -> String {
    let event = &tournament.event.name;
    let mut names: Vec<&str> =
        [Some(event.as_str()), tournament.section_label(section)].into_iter().flatten().collect();
    names.retain(|name| !name.is_empty());
    let name = if names.is_empty() { "Standings".to_owned() } else { names.join(", ") };
    let Standings { after_round, results, pairings, .. } = standings;
    let known =
        if results == pairings { String::new() } else { format!(", provisional: {results} of {pairings} results") };
    format!("{name}: after round {after_round}{known}")
}

/// Returns the standings, one player per line.
pub fn standings_text(section: &TournamentSection, standings: &Standings) -> String {
    let mut head: Vec<String> = ["", "No", "Name", "Pts"].map(str::to_owned).to_vec();
    head.extend(standings.tie_breaks.iter().map(|tie| tie.heading().to_owned()));
    let mut rows = vec![head];
    for row in &standings.rows {
        let player = section.player(row.player);
        let number = optional_text(player.and_then(|player| player.number));
        let mut cells =
            vec![row.rank.to_string(), number, cut(section.name_of(Some(row.player))), row.points.to_string()];
        cells.extend(row.tie_breaks.iter().map(shown));
        rows.push(cells);
    }
    text_table(&rows, &[2])
}

/// Returns the standings of teams, one team per line.
pub fn teams_text(section: &TournamentSection, after_round: u32) -> String {
    let mut rows = vec![
        ["", "Team", "Played", "Won", "Drawn", "Lost", "Match points", "Board points"].map(str::to_owned).to_vec(),
    ];
    for row in crate::team_standings(section, after_round) {
        let name = section.team_name(Some(row.team));
        let points = match row.penalty {
            Points::ZERO => row.match_points.to_string(),
            penalty => format!("{} ({penalty} taken)", row.match_points),
        };
        let counts = [row.played, row.won, row.drawn, row.lost].map(|count| count.to_string());
        let mut cells = vec![row.rank.to_string(), cut(name)];
        cells.extend(counts);
        cells.extend([points, row.board_points.to_string()]);
        rows.push(cells);
    }
    text_table(&rows, &[1])
}

/// Returns the pairings of a round: one board per line, matches with their scores above their boards, and players without an opponent.
pub fn round_text(section: &TournamentSection, round: u32) -> String {
    let mut rows = Vec::new();
    let mut text = String::new();
    for this in section.matches.iter().filter(|this| this.round == round) {
        let name = |id: Id| section.team_name(Some(id));
        let (home, away, is_complete) = section.board_points(this.id);
        let open = if is_complete { "" } else { ", not all boards are over" };
        let _ = writeln!(text, "{} - {}: {home}-{away}{open}", name(this.home), name(this.away));
    }
    for pairing in section.round(round) {
        let board = optional_text(pairing.board);
        let result = match pairing.result {
            None => "*".to_owned(),
            Some(result) if result.reason == ResultReason::Played => result.to_string(),
            Some(result) => format!("{result} {}", result.reason),
        };
        rows.push(vec![board, cut(section.name_of(pairing.white)), cut(section.name_of(pairing.black)), result]);
    }
    for bye in section.byes.iter().filter(|bye| bye.round == round) {
        let name = cut(section.name_of(Some(bye.player)));
        rows.push(vec![String::new(), name, bye.kind.name().to_owned(), bye.points.to_string()]);
    }
    text + &text_table(&rows, &[1, 2, 3])
}

/// Returns the cells of a crosstable, by player and round.
fn cells(section: &TournamentSection, numbers: &BTreeMap<Id, u32>) -> BTreeMap<(Id, u32), String> {
    let mut cells = BTreeMap::new();
    for pairing in &section.pairings {
        for (me, other, is_white) in pairing.sides() {
            let Some(me) = me else { continue };
            let opponent = other.and_then(|other| numbers.get(&other)).map_or("-".to_owned(), u32::to_string);
            let result = pairing.result.map_or("*".to_owned(), |result| {
                let unplayed = if result.reason.is_played() { "" } else { "f" };
                format!("{}{unplayed}", result.points_of(is_white))
            });
            let color = if is_white { 'w' } else { 'b' };
            cells.insert((me, pairing.round), format!("{opponent}{color}{result}"));
        }
    }
    for bye in &section.byes {
        let cell = if bye.points == Points::ZERO { "-".to_owned() } else { format!("bye{}", bye.points) };
        cells.insert((bye.player, bye.round), cell);
    }
    cells
}

fn crosstable_rows(section: &TournamentSection, standings: &Standings) -> Vec<Vec<String>> {
    let numbers = crate::trf_numbers(section);
    let cells = cells(section, &numbers);
    let rounds = || 1..=standings.after_round;
    let mut head: Vec<String> = ["", "No", "Name"].map(str::to_owned).to_vec();
    head.extend(rounds().map(|round| format!("R{round}")));
    head.push("Pts".to_owned());
    head.extend(standings.tie_breaks.iter().map(|tie| tie.heading().to_owned()));
    let mut rows = vec![head];
    for row in &standings.rows {
        let number = optional_text(numbers.get(&row.player));
        let mut line = vec![row.rank.to_string(), number, cut(section.name_of(Some(row.player)))];
        line.extend(rounds().map(|round| cells.get(&(row.player, round)).cloned().unwrap_or("-".to_owned())));
        line.push(row.points.to_string());
        line.extend(row.tie_breaks.iter().map(shown));
        rows.push(line);
    }
    rows
}

/// Returns the crosstable as text, one player per line in the order of the standings.
pub fn crosstable(tournament: &Tournament, section: &TournamentSection, standings: &Standings) -> String {
    let table = text_table(&crosstable_rows(section, standings), &[2]);
    format!("{}\n\n{table}", heading(tournament, section, standings))
}
