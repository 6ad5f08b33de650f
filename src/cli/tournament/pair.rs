//! `damcast tournament pair`: pairs the next round of a Swiss with a program that exists.
//!
//! ```text
//! board 1: Alder, A. - Birch, H.
//! ```

use std::process::ExitCode;

use anyhow::ensure;
use damcast::control::tournament::TournamentRequest;
use damcast::outward::pairing_engine::run_engine;
use damcast::tournament::only_section;
use draughts_tournament::{EngineFile, NextRoundChoices};

use super::{TournamentLocation, print_error, read, send_request};

/// Advice if no program is named.
const NO_ENGINE: &str = "no pairing program is named: write `engine = [\"bbpPairings\"]` under [tournament] of the configuration, or repeat with \
                         --engine; a round robin needs none: `damcast tournament round-robin`";

/// Options of the command.
#[derive(clap::Args)]
pub struct Pair {
    /// Pairing program with its first arguments, separated by spaces; by default `engine` of [tournament].
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Absent player, by name or number. Repeatable. Players who were absent in the last round stay absent.
    #[arg(long, value_name = "PLAYER")]
    absent: Vec<String>,
    /// Player who is back after an absence, by name or number. Repeatable.
    #[arg(long, value_name = "PLAYER")]
    present: Vec<String>,
    /// Number of rounds of the tournament; required once if no file has set it.
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Colour of the first player of the list in the first round, as drawn by lot.
    #[arg(long, value_enum, default_value = "white")]
    first_colour: FirstColour,
    /// Show the pairings without changing anything.
    #[arg(long)]
    dry_run: bool,
    /// Import the pairings; without it they are shown only.
    #[arg(long)]
    confirm: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FirstColour {
    White,
    Black,
}

/// Pairs the next round, and shows the pairings or imports them.
pub(super) fn pair(place: &TournamentLocation, section: Option<&str>, options: &Pair) -> anyhow::Result<ExitCode> {
    let given = options.engine.as_ref().map(|command| command.split_whitespace().map(str::to_owned).collect());
    let engine: Vec<String> = given.unwrap_or_else(|| place.engine.clone());
    ensure!(!engine.is_empty(), NO_ENGINE);
    let log = read(&place.directory)?;
    let choices = NextRoundChoices {
        absent: options.absent.clone(),
        present: options.present.clone(),
        rounds: options.rounds,
        first_has_black: options.first_colour == FirstColour::Black,
    };
    let section = only_section(log.tournament(), section).map_err(anyhow::Error::msg)?;
    let file = EngineFile::new(section, &choices).map_err(anyhow::Error::msg)?;
    let pairs = run_engine(&engine, &file.text).map_err(anyhow::Error::msg)?;
    let command = file.command(&pairs).map_err(anyhow::Error::msg)?;
    file.notes.iter().for_each(print_error);
    let is_preview = options.dry_run || !options.confirm;
    let if_version = Some(log.version());
    let request = TournamentRequest { if_version, confirm: true, dry_run: is_preview, ..command.into() };
    let ended = send_request(place, request)?;
    if options.dry_run || options.confirm || ended != ExitCode::SUCCESS {
        return Ok(ended);
    }
    print_error(format_args!("damcast: nothing was changed; repeat with --confirm to import round {}", file.round));
    Ok(ExitCode::FAILURE)
}
