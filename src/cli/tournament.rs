//! `damcast tournament`: imports files of pairing programs, shows standings and exports files.
//!
//! ```text
//! swiss.trf: 67 players, 283 pairings, 37 byes are new
//! done as version 1 of recordings/log/tournament.ndjson
//! ```
//!
//! Exit codes: 0: done; 1: the file is refused, or the command failed; 2: wrong arguments.

mod pair;
mod paper;

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use damcast::control::client::Client;
use damcast::control::tournament::TournamentRequest;
use damcast::control::{ClientRequest, SERVICE_SOCKET_PATH, SOCKET_NAME};
use damcast::station::config::{self, DEFAULT_PATH, DeskConfig, SocketCandidates, Sources};
use damcast::station::disk::{Lock, RealDisk, make_folder};
use damcast::station::folder::recorded_games;
use damcast::station::tournament_log::{TOURNAMENT_FILE, TournamentLog};
use damcast::station::tournament_service::{ServiceError, TournamentService};
use damcast::tournament::{TournamentCommand, only_section};
use draughts_tournament::documents;
use draughts_tournament::{
    self as model, Format, ImportFile, Scoring, Standings, TieBreak, Tournament, TournamentRecord, TournamentSection,
    UnplayedPolicy,
};

use super::input::read_whole;
use super::output::{print, print_error, print_line};
use super::station::{EXIT_OUTCOME_UNKNOWN, explain};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 done; 1 the file is refused, or it cannot be done; 2 a wrong argument.

Examples:
  damcast tournament import swiss.trf --dry-run    say what the file would change
  damcast tournament import players.csv pairings.csv   import both files, or neither; list the mistakes of both
  damcast tournament pair                          the next round of a Swiss, by the configured program
  damcast tournament standings --tiebreaks short-truncated-solkoff,solkoff
  damcast tournament show --round 3                who plays whom, and the results
  damcast tournament export --format html > sheets.html")]
pub struct Arguments {
    #[command(subcommand)]
    verb: Subcommand,
    /// Directory of the station: with log/, empty, or yet to be created.
    #[arg(long, value_name = "DIR", global = true)]
    directory: Option<PathBuf>,
    /// Configuration with the directory; by default that of the service.
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "directory")]
    config: Option<PathBuf>,
    /// Section of the event; required if there are several.
    #[arg(long, value_name = "NAME", global = true)]
    section: Option<String>,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Import PDN without moves, CSV, or TRF of 2006, 2016 or 2026. Imports all files as a whole, or nothing.
    Import(Import),
    /// Show players, rounds and missing results, or the pairings of a round.
    Show {
        /// Show the pairings of this round.
        #[arg(long, value_name = "N")]
        round: Option<u32>,
        /// Show all changes with time and user.
        #[arg(long, conflicts_with = "round")]
        history: bool,
        /// Print JSON in the form of `tournament.json`, including unpublished rounds. With --round only that round.
        #[arg(long, conflicts_with = "history")]
        json: bool,
    },
    /// Show the standings.
    Standings(StandingsOptions),
    /// Print the tournament as a file for other programs and for readers.
    Export {
        /// Format: trf (TRF26), csv, crosstable, html, or pdn. html has sheets of A4 to be printed; pdn contains games without moves, with official results.
        #[arg(long, value_name = "FORMAT")]
        format: Output,
        #[command(flatten)]
        ask: StandingsOptions,
        #[command(flatten)]
        paper: paper::PaperOptions,
    },
    /// Pair the next round of a Swiss with a pairing program, such as bbpPairings. Shows the pairings; --confirm imports them.
    Pair(pair::Pair),
    /// Pair a round robin of all players of the section. It follows the Berger tables, in the order of the players' numbers.
    RoundRobin {
        /// Let all players meet twice, with both colours.
        #[arg(long)]
        double: bool,
        /// Show the pairings without changing anything.
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(clap::Args)]
struct Import {
    /// File to import; `-` is the standard input. Several files, such as players and pairings, are imported together or not at all.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Format of the files: pdn, csv or trf; detected if omitted.
    #[arg(long, value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    /// Names of CSV columns that damcast does not know: Round=Tour,White=Blancs.
    #[arg(long, value_name = "NAME=HEADER,..", default_value = "")]
    columns: String,
    /// Scoring of a new section: W-D-L such as 12-5-0, delfts or micro-match. With W-D-L a draw may be divided otherwise; delfts is 2-0,
    /// 1½-½, 1-1.
    #[arg(long, value_name = "W-D-L", default_value = "", hide_default_value = true, value_parser = scoring)]
    scoring: String,
    /// Show the changes without making them.
    #[arg(long)]
    dry_run: bool,
    /// Reason, kept in the tournament log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Identifier of this request; repeating it under the same identifier does nothing.
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// Tournament version this request is based on. If the tournament has changed since, the request is refused with the changes.
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,
    /// Proceed where damcast would require confirmation.
    #[arg(long)]
    confirm: bool,
}

#[derive(clap::Args)]
struct StandingsOptions {
    /// Standings after this round; default: the last one with a result. For pdn: this round alone.
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// Tie-breaks in order of precedence; default: those of the section. Values: solkoff, short-truncated-solkoff,
    /// full-truncated-solkoff, median-solkoff, solkoff-plus, sonneborn-berger, wins, wins-played, plus, direct.
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', value_parser = |text: &str| text.parse::<TieBreak>())]
    tiebreaks: Option<Vec<TieBreak>>,
    /// Policy for rounds without a game; default: that of the section, else fmjd. Values: fmjd, fmjd-played, fmjd-nabye, fide24, fide26,
    /// virtual, simple.
    #[arg(long, value_name = "WAY", value_parser = |text: &str| text.parse::<UnplayedPolicy>())]
    unplayed: Option<UnplayedPolicy>,
    /// Print one JSON object.
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

/// Validates a scoring.
fn scoring(text: &str) -> Result<String, String> {
    if text.is_empty() { Ok(String::new()) } else { Scoring::parse(text).map(|_| text.to_owned()) }
}

/// Maximum size of an imported file, in bytes.
const MAX_IMPORT_SIZE: usize = 4 << 20;

/// Runs the command.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let place = match find_location(arguments) {
        Ok(place) => place,
        Err(error) => return Ok(super::usage_error(format_args!("{error:#}"))),
    };
    match &arguments.verb {
        Subcommand::Pair(options) => return pair::pair(&place, arguments.section.as_deref(), options),
        Subcommand::Import(import) => return import_file(&place, arguments.section.as_deref(), import),
        Subcommand::RoundRobin { double, dry_run } => {
            let matter = TournamentCommand::RoundRobin { section: arguments.section.clone(), double: *double };
            return send_request(&place, TournamentRequest { dry_run: *dry_run, ..matter.into() });
        }
        _ => {}
    }
    let log = read(&place.directory)?;
    let tournament = log.tournament();
    // A damaged log may have lost records, so the output may be incomplete.
    let ended = if log.damage().is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if let Subcommand::Show { history: true, .. } = arguments.verb {
        for TournamentRecord { version, at, by, action: what, reason, .. } in log.records() {
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            print_line(format_args!("{version:>4}  {at}  {by}  {what}{why}"))?;
        }
        return Ok(ended);
    }
    if let (Subcommand::Show { round: None, json, .. }, None) = (&arguments.verb, &arguments.section) {
        match json {
            true => print_line(documents::sections_json(tournament, |_| true, None))?,
            false => print(overview(tournament, &log))?,
        }
        return Ok(ended);
    }
    let section = only_section(tournament, arguments.section.as_deref()).map_err(anyhow::Error::msg)?;
    let in_json = |round| documents::sections_json(tournament, |of| of.id == section.id, round);
    match &arguments.verb {
        Subcommand::Show { round: None, json: true, .. } => print_line(in_json(None))?,
        Subcommand::Show { round: None, .. } => print(section_filter(tournament, section))?,
        Subcommand::Show { round: Some(round), json, .. } => {
            ensure!(
                *round >= 1 && *round <= section.last_round(),
                "there is no round {round}; the last one is {}",
                section.last_round()
            );
            if *json {
                print_line(in_json(Some(*round)))?;
                return Ok(ended);
            }
            let date = section.date(*round).map_or(String::new(), |date| format!(", {date}"));
            let of = tournament.section_label(section).map_or(String::new(), |name| format!("{name}, "));
            print(format_args!("{of}round {round}{date}\n\n{}", model::round_text(section, *round)))?;
        }
        Subcommand::Standings(ask) => {
            let standings = ask.standings(section)?;
            if ask.json {
                print_line(documents::standings_json(section, &standings))?;
            } else {
                print(as_text(tournament, section, &standings))?;
            }
        }
        Subcommand::Export { format: Output::Html, ask, paper } => {
            print(paper::sheets(&place, tournament, section, ask, paper)?)?
        }
        Subcommand::Export { format, ask, .. } => print(export(tournament, section, *format, ask)?)?,
        Subcommand::Import(_) | Subcommand::Pair(_) | Subcommand::RoundRobin { .. } => {}
    }
    Ok(ended)
}

/// Returns a section as a file. Prints what the format cannot hold.
fn export(
    tournament: &Tournament,
    section: &TournamentSection,
    format: Output,
    ask: &StandingsOptions,
) -> anyhow::Result<String> {
    let standings = ask.standings(section)?;
    let warn = |warning: &String| print_error(format_args!("damcast: warning: {warning}"));
    Ok(match format {
        Output::Trf => {
            let (text, warnings) = model::write_trf(tournament, section).map_err(anyhow::Error::msg)?;
            warnings.iter().for_each(warn);
            text
        }
        Output::Csv => model::write_csv(tournament, section),
        Output::Crosstable => model::crosstable(tournament, section, &standings),
        // `paper` writes HTML.
        Output::Html | Output::Pdn => {
            model::lost_in_pdn(section).iter().for_each(warn);
            model::write_pdn(tournament, section, ask.round)
        }
    })
}

/// Place of a tournament.
struct TournamentLocation {
    directory: PathBuf,
    /// Control socket of the station, from the configuration.
    socket: Option<PathBuf>,
    /// Command of the pairing program, from the configuration; empty if there is none.
    engine: Vec<String>,
    /// Address of the viewers' pages, from the configuration.
    viewers: Option<String>,
}

/// Returns the directory on the command line, or the one in the configuration.
fn find_location(arguments: &Arguments) -> anyhow::Result<TournamentLocation> {
    if let Some(directory) = &arguments.directory {
        return Ok(TournamentLocation {
            directory: directory.clone(),
            socket: None,
            engine: Vec::new(),
            viewers: None,
        });
    }
    let file = arguments.config.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
    let sources = Sources::from_file(file).context("say with --directory or --config where the tournament is")?;
    let sources = sources.with_environment(config::environment());
    let SocketCandidates { directory, socket } = sources.socket_candidates();
    let directory = directory.with_context(|| format!("{}: [station] directory is not set", file.display()))?;
    let desk = DeskConfig::from_sources(&sources)?;
    Ok(TournamentLocation { directory, socket, engine: desk.engine, viewers: desk.viewers })
}

fn read(directory: &Path) -> anyhow::Result<TournamentLog> {
    let folder = directory.join("log");
    let log =
        TournamentLog::read(&RealDisk, &folder).with_context(|| folder.join(TOURNAMENT_FILE).display().to_string())?;
    if let Some(damage) = log.damage() {
        print_error(format_args!("damcast: {damage}: what stands before it counts"));
    }
    Ok(log)
}

impl StandingsOptions {
    fn standings(&self, section: &TournamentSection) -> anyhow::Result<Standings> {
        let round = self.round.unwrap_or_else(|| section.last_round_with_result());
        ensure!(round <= section.last_round(), "there is no round {round}; the last one is {}", section.last_round());
        let tie_breaks = self.tiebreaks.as_ref().unwrap_or(&section.tie_breaks);
        Ok(model::standings(section, round, tie_breaks, self.unplayed.unwrap_or(section.unplayed)))
    }
}

fn import_file(place: &TournamentLocation, section: Option<&str>, import: &Import) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    let mut size = 0;
    for file in &import.files {
        let (name, bytes) = (file.display().to_string(), read_whole(file)?);
        size += bytes.len();
        ensure!(size <= MAX_IMPORT_SIZE, "{name} brings the import to {size} bytes; {MAX_IMPORT_SIZE} are the most");
        let (text, bytes) = damcast::control::tournament::text_of(bytes);
        files.push(ImportFile { name, text, bytes });
    }
    let others = files.split_off(1);
    let ImportFile { name, text, bytes } = files.remove(0);
    let matter = TournamentCommand::Import {
        name,
        text,
        bytes,
        others,
        format: import.format.map(|format| format.to_string()),
        columns: import.columns.clone(),
        scoring: import.scoring.clone(),
        section: section.map(str::to_owned),
    };
    let request = TournamentRequest {
        command: matter,
        request_id: import.request_id.clone(),
        if_version: import.if_version,
        reason: import.reason.clone(),
        confirm: import.confirm,
        dry_run: import.dry_run,
    };
    send_request(place, request)
}

/// Sends the request to the station that runs in the folder, or executes it in the folder if none runs.
fn send_request(place: &TournamentLocation, request: TournamentRequest) -> anyhow::Result<ExitCode> {
    match Lock::find_holder(&place.directory) {
        Some(_) if !request.dry_run => request_station(place, request),
        _ => request_folder(&place.directory, &request),
    }
}

fn request_station(place: &TournamentLocation, request: TournamentRequest) -> anyhow::Result<ExitCode> {
    let sockets =
        place.socket.iter().cloned().chain([place.directory.join(SOCKET_NAME), PathBuf::from(SERVICE_SOCKET_PATH)]);
    let mut client = match Client::connect(sockets.collect()) {
        Ok(client) => client,
        Err(error) => return Ok(explain(&error)),
    };
    let request = ClientRequest::Tournament { request: Box::new(request), until: None };
    let patience = request.timeout();
    let reply = client.request(request, patience, |_| print_error("damcast: the station is at work"))?;
    reply.messages.iter().try_for_each(print_line)?;
    if let Some(error) = &reply.error {
        print_error(format_args!("damcast: {error}"));
        return Ok(if reply.outcome_unknown { ExitCode::from(EXIT_OUTCOME_UNKNOWN) } else { ExitCode::FAILURE });
    }
    if let Some(version) = reply.version {
        print_line(format_args!(
            "version {version} of {}",
            place.directory.join("log").join(TOURNAMENT_FILE).display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn request_folder(directory: &Path, request: &TournamentRequest) -> anyhow::Result<ExitCode> {
    let folder = directory.join("log");
    let lock = if request.dry_run {
        None
    } else {
        make_folder(&folder).with_context(|| folder.display().to_string())?;
        Some(Lock::acquire(directory)?)
    };
    let mut service =
        TournamentService::open(Arc::new(RealDisk), &folder).with_context(|| folder.display().to_string())?;
    if let Some(damage) = service.log().damage() {
        print_error(format_args!("damcast: {damage}: what stands before it counts"));
    }
    service.configure(Vec::new(), 1);
    if folder.is_dir() {
        recorded_games(directory)?.into_iter().for_each(|game| service.games_mut().insert(game));
    }
    let done = match service.execute(request, &user()) {
        Ok(done) => done,
        Err(ServiceError::Conflict(conflict)) => {
            bail!("{conflict} with --if-version {}", service.log().version())
        }
        Err(refusal) => {
            refusal.to_string().lines().for_each(|line| print_error(format_args!("damcast: {line}")));
            return Ok(ExitCode::FAILURE);
        }
    };
    drop(lock);
    let path = folder.join(TOURNAMENT_FILE);
    // If root acts for the station, the file must belong to the station's user.
    if let (Ok(own), Ok(of_folder)) = (fs::metadata(&path), fs::metadata(&folder))
        && own.uid() != of_folder.uid()
    {
        std::os::unix::fs::chown(&path, Some(of_folder.uid()), Some(of_folder.gid()))
            .with_context(|| path.display().to_string())?;
    }
    done.notes.iter().for_each(print_error);
    done.messages.iter().try_for_each(print_line)?;
    if let Some(record) = done.record {
        print_line(format_args!("done as version {} of {}", record.version, path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the requester, for the tournament log.
pub fn user() -> String {
    let name = ["SUDO_USER", "USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    name.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}

/// Describes a tournament: each section in a few lines.
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
        text += &section_filter(tournament, section);
    }
    let last = log
        .records()
        .last()
        .map_or(String::new(), |record| format!(", {} by {} at {}", record.action, record.by, record.at));
    let _ = writeln!(text, "\nversion {}{last}", log.version());
    text
}

fn section_filter(tournament: &Tournament, section: &TournamentSection) -> String {
    let called = tournament.section_label(section).map_or(String::new(), |name| format!("{name}: "));
    let teams = if section.teams.is_empty() { String::new() } else { format!(", {} teams", section.teams.len()) };
    let planned = section.planned.map_or(String::new(), |planned| format!(" of {planned}"));
    let scoring = section.scoring;
    let rounds = if section.last_round() == 1 { "1 round" } else { &format!("{} rounds", section.last_round()) };
    let mut text = format!(
        "{called}{} players{teams}, {rounds}{planned}, {}-{}-{}\n",
        section.players.len(),
        scoring.win,
        scoring.draw,
        scoring.loss
    );
    for round in 1..=section.last_round() {
        let pairings = section.round(round);
        let open: Vec<&str> = pairings
            .iter()
            .filter(|pairing| pairing.is_awaited())
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
        let later = pairings.iter().filter(|pairing| pairing.result.is_none() && pairing.deferral.is_some()).count();
        let later = if later == 0 { String::new() } else { format!(", {later} played later") };
        let _ = writeln!(text, "  round {round:>2}: {} pairings{byes}: {state}{later}", pairings.len());
    }
    text
}

fn as_text(tournament: &Tournament, section: &TournamentSection, standings: &Standings) -> String {
    let mut text = model::heading(tournament, section, standings) + "\n\n";
    if section.has_matches() {
        text += &model::teams_text(section, standings.after_round);
        text.push('\n');
    }
    text + &model::standings_text(section, standings)
}
