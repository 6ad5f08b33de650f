//! `damcast tournament`: files of pairing programs in, standings and files out.
//!
//! ```text
//! swiss.trf: 67 players, 283 pairings, 37 byes are new
//! done as version 1 of recordings/log/tournament.ndjson
//! ```
//!
//! Exit code 0: done; 1: the file is refused, or it cannot be done; 2: asked wrongly.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use chrono::{Local, SecondsFormat};
use damcast::engine::tournament::{
    self as model, Amendment, Broken, Format, Kind, Standings, TieBreak, Tournament, TournamentRecord,
    TournamentSection, Unplayed,
};
use damcast::station::config::{self, DEFAULT_PATH, Sources};
use damcast::station::disk::{Lock, RealDisk, make_folder};
use damcast::station::outlets;
use damcast::station::tournament_log::{TOURNAMENT, TournamentLog};
use draughts_pdn::Level;

use super::input::{json_text, whole};
use super::output::{print, say, tell};

/// What is asked.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 done; 1 the file is refused, or it cannot be done; 2 a wrong argument.

Examples:
  damcast tournament import swiss.trf --dry-run    say what the file would change
  damcast tournament import players.csv            then pairings.csv: the second adds to the first
  damcast tournament standings --tiebreaks short-truncated-solkoff,solkoff
  damcast tournament show --round 3                who plays whom, and the results
  damcast tournament export --format html > table.html")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// The directory of the station: with log/ in it, or empty, or not there yet.
    #[arg(long, value_name = "DIR", global = true)]
    directory: Option<PathBuf>,
    /// The configuration that names the directory; by default that of the service.
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "directory")]
    config: Option<PathBuf>,
    /// Which section of the event; needed where there are several.
    #[arg(long, value_name = "NAME", global = true)]
    section: Option<String>,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Take over a file: PDN without moves, CSV, TRF of 2006, 2016 or 2026. All of it, or nothing.
    Import(Import),
    /// Show what is known: players, rounds, results still missing; or the pairings of a round.
    Show {
        /// The pairings of this round.
        #[arg(long, value_name = "N")]
        round: Option<u32>,
        /// What was done, when and by whom.
        #[arg(long, conflicts_with = "round")]
        history: bool,
    },
    /// Show who stands where.
    Standings(Ask),
    /// Print it as a file for other programs and for readers.
    Export {
        /// trf (TRF26), csv, crosstable, html, or pdn (games without moves, with official results).
        #[arg(long, value_name = "FORMAT")]
        format: Output,
        #[command(flatten)]
        ask: Ask,
    },
    /// Pair a round robin of all players of the section by the Berger tables, in the order of their numbers.
    RoundRobin {
        /// Everybody meets everybody twice, with both colours.
        #[arg(long)]
        double: bool,
        /// Say what would be paired, and do nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(clap::Args)]
struct Import {
    /// The file; `-` is the standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Its format: pdn, csv or trf; found out if it is not told.
    #[arg(long, value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    /// What the columns of a CSV are called, where damcast does not know: Round=Tour,White=Blancs.
    #[arg(long, value_name = "NAME=HEADER,..", default_value = "")]
    columns: String,
    /// Say what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Why; it stands in the record.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// What this request is called: asked again under the same name it does nothing.
    #[arg(long, value_name = "ID")]
    request: Option<String>,
    /// The version that this was made of: if the tournament has changed since then, it is refused with what has changed.
    #[arg(long, value_name = "N")]
    saw: Option<u64>,
}

#[derive(clap::Args)]
struct Ask {
    /// After this round; by default after the last one with a result. For PDN: this round alone.
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// What orders players with equal points, the first first: solkoff, short-truncated-solkoff, full-truncated-solkoff,
    /// median-solkoff, solkoff-plus, sonneborn-berger, wins, wins-played, direct. By default those of the section.
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = |text: &str| text.parse::<TieBreak>())]
    tiebreaks: Option<Vec<TieBreak>>,
    /// How rounds without a game count in them: fmjd, fmjd-played, fmjd-nabye, fide24, fide26, virtual or simple. By default as
    /// the section has it: fmjd, unless somebody set another.
    #[arg(long, value_name = "WAY", value_parser = |text: &str| text.parse::<Unplayed>())]
    unplayed: Option<Unplayed>,
    /// Print one JSON object, for programs.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Output {
    Trf,
    Csv,
    Crosstable,
    Html,
    Pdn,
}

/// An import of a file takes no more.
const LARGEST: usize = 4 << 20;

/// So many things that are wrong with a file are told: a screen full.
const MOST_SHOWN: usize = 20;

/// Does what is asked.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let directory = match directory(arguments) {
        Ok(directory) => directory,
        Err(error) => {
            tell(format_args!("damcast: {error:#}"));
            return Ok(ExitCode::from(super::USAGE));
        }
    };
    match &arguments.verb {
        Verb::Import(import) => return take_over(&directory, arguments.section.as_deref(), import),
        Verb::RoundRobin { double, dry_run } => {
            return round_robin(&directory, arguments.section.as_deref(), *double, *dry_run);
        }
        _ => {}
    }
    let log = read(&directory)?;
    let tournament = tournament_of(&log)?;
    if let Verb::Show { history: true, .. } = arguments.verb {
        for TournamentRecord { version, at, by, what, reason, .. } in log.records() {
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            say(format_args!("{version:>4}  {at}  {by}  {what}{why}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let (Verb::Show { round: None, .. }, None) = (&arguments.verb, &arguments.section) {
        print(overview(&tournament, &log))?;
        return Ok(ExitCode::SUCCESS);
    }
    let section = section(&tournament, arguments.section.as_deref())?;
    match &arguments.verb {
        Verb::Show { round: None, .. } => print(of_section(section))?,
        Verb::Show { round: Some(round), .. } => {
            ensure!(
                *round >= 1 && *round <= section.last_round(),
                "there is no round {round}; the last one is {}",
                section.last_round()
            );
            let date = section.date(*round).map_or(String::new(), |date| format!(", {date}"));
            print(format_args!("{}, round {round}{date}\n\n{}", section.name, model::round_text(section, *round)))?;
        }
        Verb::Standings(ask) => {
            let standings = ask.standings(section)?;
            if ask.json {
                say(as_json(section, &standings))?;
            } else {
                print(as_text(&tournament, section, &standings))?;
            }
        }
        Verb::Export { format, ask } => {
            let standings = ask.standings(section)?;
            let text = match format {
                Output::Trf => model::write_trf(&tournament, section).map_err(anyhow::Error::msg)?,
                Output::Csv => model::write_csv(&tournament, section),
                Output::Crosstable => model::crosstable(&tournament, section, &standings),
                Output::Html => model::html(&tournament, section, &standings),
                Output::Pdn => model::write_pdn(&tournament, section, ask.round),
            };
            print(text)?;
        }
        Verb::Import(_) | Verb::RoundRobin { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The directory that is named, or that the configuration names.
fn directory(arguments: &Arguments) -> anyhow::Result<PathBuf> {
    if let Some(directory) = &arguments.directory {
        return Ok(directory.clone());
    }
    let file = arguments.config.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
    let sources = Sources::of_file(file).context("say with --directory or --config where the tournament is")?;
    let whereabouts = sources.with_environment(config::environment()).whereabouts();
    whereabouts.directory.with_context(|| format!("{}: [station] directory is not set", file.display()))
}

fn read(directory: &Path) -> anyhow::Result<TournamentLog> {
    let folder = directory.join("log");
    let log = TournamentLog::read(&RealDisk, &folder).with_context(|| folder.join(TOURNAMENT).display().to_string())?;
    if let Some(damage) = log.damage() {
        tell(format_args!("damcast: {damage}: what stands before it counts"));
    }
    Ok(log)
}

fn tournament_of(log: &TournamentLog) -> anyhow::Result<Tournament> {
    log.book().tournament().map_err(anyhow::Error::msg).context("the record of the tournament cannot be understood")
}

/// The section that is named, or the only one.
fn section<'t>(tournament: &'t Tournament, name: Option<&str>) -> anyhow::Result<&'t TournamentSection> {
    let names = || tournament.sections.iter().map(|section| section.name.as_str()).collect::<Vec<_>>().join(", ");
    match (name, tournament.sections.as_slice()) {
        (_, []) => bail!("there is no tournament here yet: `damcast tournament import FILE` takes one over"),
        (Some(name), _) => {
            tournament.section(name).with_context(|| format!("there is no section {name}; there are {}", names()))
        }
        (None, [only]) => Ok(only),
        (None, _) => bail!("there are several sections: say with --section which, {}", names()),
    }
}

impl Ask {
    fn standings(&self, section: &TournamentSection) -> anyhow::Result<Standings> {
        let round = self.round.unwrap_or_else(|| section.last_round_with_result());
        ensure!(round <= section.last_round(), "there is no round {round}; the last one is {}", section.last_round());
        let tie_breaks = self.tiebreaks.as_ref().unwrap_or(&section.tie_breaks);
        Ok(model::standings(section, round, tie_breaks, self.unplayed.unwrap_or(section.unplayed)))
    }
}

fn take_over(directory: &Path, section: Option<&str>, import: &Import) -> anyhow::Result<ExitCode> {
    let shown = import.file.display();
    let bytes = whole(&import.file)?;
    ensure!(bytes.len() <= LARGEST, "{shown} has {} bytes; {LARGEST} are the most", bytes.len());
    if let Some(name) = section {
        let is_plain = !name.is_empty() && name.chars().count() <= 64 && !name.chars().any(char::is_control);
        ensure!(is_plain, "a section has a name of 1 to 64 characters");
    }
    let what = import.file.file_name().unwrap_or(import.file.as_os_str()).to_string_lossy();
    let what = format!("import {}", what.escape_debug());
    let merging = |tournament: &Tournament| {
        let merged = model::read(&bytes, import.format, &import.columns)
            .and_then(|sheet| model::merge(tournament, section, &sheet))
            .map_err(|problems| {
                // Errors first: they are why the file is refused.
                let (errors, others): (Vec<_>, Vec<_>) =
                    problems.iter().partition(|problem| problem.level == Level::Error);
                let all = errors.len() + others.len();
                for problem in errors.into_iter().chain(others).take(MOST_SHOWN) {
                    tell(format_args!("{shown}:{problem}"));
                }
                if all > MOST_SHOWN {
                    tell(format_args!("{shown}: and {} more", all - MOST_SHOWN));
                }
                "nothing of the file was taken over".to_owned()
            })?;
        merged.notes.iter().for_each(|note| tell(format_args!("{shown}:{note}")));
        Ok(merged.tournament)
    };
    let request = Request {
        what,
        reason: &import.reason,
        request: import.request.as_deref(),
        saw: import.saw,
        dry_run: import.dry_run,
    };
    change(directory, &shown.to_string(), &request, merging)
}

/// Something that is to be done to the tournament.
struct Request<'r> {
    what: String,
    reason: &'r str,
    request: Option<&'r str>,
    saw: Option<u64>,
    dry_run: bool,
}

/// Makes one record of all that changes: it is done as a whole or not at all.
fn change(
    directory: &Path,
    subject: &str,
    request: &Request,
    make: impl FnOnce(&Tournament) -> Result<Tournament, String>,
) -> anyhow::Result<ExitCode> {
    let folder = directory.join("log");
    let lock = if request.dry_run {
        None
    } else {
        make_folder(&folder).with_context(|| folder.display().to_string())?;
        if let Some(station) = Lock::holder(directory) {
            bail!(
                "{}: a station{station} runs here: stop it first, or do this before it starts; --dry-run, show, standings and export \
                 work beside it",
                directory.display()
            );
        }
        Some(Lock::take(directory)?)
    };
    let mut log = read(directory)?;
    let saw = request.saw.unwrap_or(log.book().version());
    let name = match request.request {
        Some(name) => name.to_owned(),
        None => outlets::random()?,
    };
    match log.book().admit(&name, saw) {
        Err(model::Conflict::Done(version)) => {
            say(format_args!("{subject}: done already, as version {version}"))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(conflict) => bail!("{conflict} look at it, and ask again with --saw {}", log.book().version()),
        Ok(()) => {}
    }
    let before = tournament_of(&log)?;
    let after = match make(&before) {
        Ok(after) => after,
        Err(what) => {
            tell(format_args!("damcast: {what}"));
            return Ok(ExitCode::FAILURE);
        }
    };
    let changes = log.book().changes_to(&after);
    if changes.is_empty() {
        say(format_args!("{subject}: nothing is new"))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(told(subject, &changes, &before, &after))?;
    if lock.is_none() {
        say("nothing was changed: this was a dry run")?;
        return Ok(ExitCode::SUCCESS);
    }
    let record = TournamentRecord {
        version: log.book().version() + 1,
        at: Local::now().to_rfc3339_opts(SecondsFormat::Millis, false),
        by: user(),
        request: name,
        saw,
        what: request.what.clone(),
        reason: request.reason.to_owned(),
        changes,
    };
    log.write(&RealDisk, &record)?;
    say(format_args!("done as version {} of {}", record.version, folder.join(TOURNAMENT).display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Who asks, for the record.
fn user() -> String {
    let name = ["SUDO_USER", "USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    name.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}

/// What changes: how many things are new, and each thing that becomes another.
fn told(subject: &str, changes: &[Amendment], before: &Tournament, after: &Tournament) -> String {
    let mut new: Vec<String> = Vec::new();
    for (kind, one, many) in [
        (Kind::Section, "section", "sections"),
        (Kind::Team, "team", "teams"),
        (Kind::Player, "player", "players"),
        (Kind::Match, "match", "matches"),
        (Kind::Pairing, "pairing", "pairings"),
        (Kind::Bye, "bye", "byes"),
        (Kind::Adjustment, "adjustment", "adjustments"),
    ] {
        // What has a new section field was not there before.
        let is_new = |change: &&Amendment| {
            change.entity.kind == kind
                && change.old.is_empty()
                && change.new.contains_key(if kind == Kind::Section { "name" } else { "section" })
        };
        match changes.iter().filter(is_new).count() {
            0 => {}
            1 => new.push(format!("1 {one}")),
            count => new.push(format!("{count} {many}")),
        }
    }
    let mut text = String::new();
    match new.len() {
        0 => {}
        1 if new[0].starts_with("1 ") => text = format!("{subject}: {} is new\n", new[0]),
        _ => text = format!("{subject}: {} are new\n", new.join(", ")),
    }
    for change in changes {
        let is_added =
            change.old.is_empty() && (change.new.contains_key("section") || change.entity.kind == Kind::Section);
        if is_added || change.entity.kind == Kind::Event && change.old.is_empty() {
            continue;
        }
        let what = named(change, after).or_else(|| named(change, before)).unwrap_or_else(|| change.entity.to_string());
        let mut names: Vec<&String> = change.old.keys().chain(change.new.keys()).collect();
        names.sort();
        names.dedup();
        let shown = |of: &model::Fields, name: &str| of.get(name).cloned().unwrap_or_else(|| "nothing".to_owned());
        let fields: Vec<String> = names
            .iter()
            .map(|name| format!("{name} {} (was {})", shown(&change.new, name), shown(&change.old, name)))
            .collect();
        let _ = writeln!(text, "{what}: {}", fields.join(", "));
    }
    text
}

/// What people call the thing that changes.
fn named(change: &Amendment, tournament: &Tournament) -> Option<String> {
    let id = change.entity.id;
    tournament.sections.iter().find_map(|section| match change.entity.kind {
        Kind::Player => section.player(id).map(|player| player.name.clone()),
        Kind::Team => section.team(id).map(|team| team.name.clone()),
        Kind::Pairing => section.pairings.iter().find(|pairing| pairing.id == id).map(|pairing| {
            let board = pairing.board.map_or(String::new(), |board| format!(", board {board}"));
            format!(
                "round {}{board}, {} - {}",
                pairing.round,
                section.name_of(pairing.white),
                section.name_of(pairing.black)
            )
        }),
        Kind::Bye => section
            .byes
            .iter()
            .find(|bye| bye.id == id)
            .map(|bye| format!("round {}, {}", bye.round, section.name_of(Some(bye.player)))),
        _ => None,
    })
}

fn round_robin(directory: &Path, of: Option<&str>, is_double: bool, dry_run: bool) -> anyhow::Result<ExitCode> {
    let pairing = |tournament: &Tournament| {
        let name = section(tournament, of).map_err(|error| format!("{error:#}"))?.name.clone();
        model::pair_round_robin(tournament, &name, is_double)
    };
    let what = if is_double { "double round robin" } else { "round robin" };
    let request = Request { what: what.to_owned(), reason: "", request: None, saw: None, dry_run };
    change(directory, what, &request, pairing)
}

/// What is known of an event: each section in a few lines.
fn overview(tournament: &Tournament, log: &TournamentLog) -> String {
    if tournament.sections.is_empty() {
        return "there is no tournament here yet: `damcast tournament import FILE` takes one over\n".to_owned();
    }
    let event = &tournament.event;
    let mut text = String::new();
    let facts = [&event.name, &event.site, &event.start, &event.end, &event.arbiter, &event.time_control];
    let facts: Vec<&str> = facts.iter().map(|fact| fact.as_str()).filter(|fact| !fact.is_empty()).collect();
    if !facts.is_empty() {
        let _ = writeln!(text, "{}", facts.join(", "));
    }
    for section in &tournament.sections {
        text.push('\n');
        text += &of_section(section);
    }
    let last = log
        .records()
        .last()
        .map_or(String::new(), |record| format!(", {} by {} at {}", record.what, record.by, record.at));
    let _ = writeln!(text, "\nversion {}{last}", log.book().version());
    text
}

fn of_section(section: &TournamentSection) -> String {
    let teams = if section.teams.is_empty() { String::new() } else { format!(", {} teams", section.teams.len()) };
    let planned = section.planned.map_or(String::new(), |planned| format!(" of {planned}"));
    let scoring = section.scoring;
    let mut text = format!(
        "{}: {} players{teams}, {} rounds{planned}, {}-{}-{}\n",
        section.name,
        section.players.len(),
        section.last_round(),
        scoring.win,
        scoring.draw,
        scoring.loss
    );
    for round in 1..=section.last_round() {
        let pairings = section.round(round);
        let open: Vec<&str> = pairings
            .iter()
            .filter(|pairing| pairing.result.is_none())
            .map(|pairing| section.name_of(pairing.white))
            .collect();
        let state = match open.as_slice() {
            [] => "all results".to_owned(),
            open if open.len() == pairings.len() => "no results yet".to_owned(),
            [one] => format!("1 result is missing: that of {one}"),
            open => format!("{} results are missing, the first that of {}", open.len(), open[0]),
        };
        let byes = section.byes.iter().filter(|bye| bye.round == round).count();
        let byes = if byes == 0 { String::new() } else { format!(", {byes} without opponent") };
        let _ = writeln!(text, "  round {round:>2}: {} pairings{byes}: {state}", pairings.len());
    }
    text
}

fn as_text(tournament: &Tournament, section: &TournamentSection, standings: &Standings) -> String {
    let mut text = model::heading(tournament, section, standings) + "\n\n";
    if !section.teams.is_empty() {
        text += &model::teams_text(section, standings.after_round);
        text.push('\n');
    }
    text + &model::standings_text(section, standings)
}

/// The standings as one JSON object: points and tie-breaks are decimal texts, so that nobody rounds them.
fn as_json(section: &TournamentSection, standings: &Standings) -> String {
    let number = |number: Option<u32>| number.map_or("null".to_owned(), |number| number.to_string());
    let row = |row: &model::Row| {
        let broken = |broken: &Broken| match broken {
            Broken::Undecided => "null".to_owned(),
            Broken::Number(number) => format!("\"{number}\""),
            Broken::List(numbers) => {
                format!("[{}]", numbers.iter().map(|number| format!("\"{number}\"")).collect::<Vec<_>>().join(","))
            }
        };
        let ties = standings.tie_breaks.iter().zip(&row.broken);
        let ties: Vec<String> = ties.map(|(tie, value)| format!("\"{tie}\":{}", broken(value))).collect();
        let own = section.player(row.player).and_then(|player| player.number);
        format!(
            "{{\"rank\":{},\"id\":{},\"number\":{},\"name\":{},\"points\":\"{}\",\"games\":{},\"tiebreaks\":{{{}}}}}",
            row.rank,
            row.player,
            number(own),
            json_text(section.name_of(Some(row.player))),
            row.points,
            row.games,
            ties.join(",")
        )
    };
    let rows: Vec<String> = standings.rows.iter().map(row).collect();
    let team = |row: &model::TeamRow| {
        let team = section.team(row.team);
        format!(
            "{{\"rank\":{},\"id\":{},\"number\":{},\"name\":{},\"played\":{},\"won\":{},\"drawn\":{},\"lost\":{},\"match_points\":\"{}\",\
             \"board_points\":\"{}\",\"penalty\":\"{}\"}}",
            row.rank,
            row.team,
            number(team.map(|team| team.number)),
            json_text(team.map_or("", |team| &team.name)),
            row.played,
            row.won,
            row.drawn,
            row.lost,
            row.match_points,
            row.board_points,
            row.penalty
        )
    };
    let teams: Vec<String> = model::team_standings(section, standings.after_round).iter().map(team).collect();
    let teams = if teams.is_empty() { String::new() } else { format!(",\"teams\":[{}]", teams.join(",")) };
    format!(
        "{{\"section\":{},\"after_round\":{},\"results\":[{},{}],\"rows\":[{}]{teams}}}",
        json_text(&section.name),
        standings.after_round,
        standings.results,
        standings.pairings,
        rows.join(",")
    )
}
