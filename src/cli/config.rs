//! `damcast config`: checks or shows the configuration, or prints its schema.

use std::path::PathBuf;
use std::process::ExitCode;

use damcast::station::config::{ConfigError, ConfigErrors, DEFAULT_PATH, Sources, schema, show};
use damcast::station::link::ports;

use super::EXIT_USAGE;
use super::output::{print, print_error};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 the configuration is right; 2 it is wrong, or cannot be read.

Examples:
  damcast config check                           is all well before the round?
  damcast config show --config evening.toml      what counts, and where it comes from
  damcast config schema > damcast.schema.json    for editors: with `#:schema ./damcast.schema.json` in the first line of a
                                                 configuration, Even Better TOML and taplo complete and check its keys")]
pub struct Arguments {
    #[command(subcommand)]
    question: ConfigCommand,
}

#[derive(clap::Subcommand)]
enum ConfigCommand {
    /// Report every mistake with its place and remedy.
    Check(ConfigOptions),
    /// Print every effective setting with its file, drop-in or variable.
    Show(ConfigOptions),
    /// Print the JSON Schema of the configuration.
    Schema,
}

#[derive(clap::Args)]
struct ConfigOptions {
    /// Configuration file.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let answer = match &arguments.question {
        ConfigCommand::Check(which) => sources(which).and_then(|sources| check(&sources)),
        ConfigCommand::Show(which) => sources(which).and_then(|sources| show::show(&sources)),
        ConfigCommand::Schema => Ok(format!("{:#}\n", schema::schema())),
    };
    match answer {
        Ok(answer) => {
            print(answer)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(errors) => {
            print_error(&errors);
            let count = errors.0.len();
            let plural = if count == 1 { "" } else { "s" };
            print_error(format_args!("\ndamcast: {count} mistake{plural}"));
            Ok(ExitCode::from(EXIT_USAGE))
        }
    }
}

fn sources(which: &ConfigOptions) -> Result<Sources, ConfigErrors> {
    Sources::load(&which.config)
}

/// Error for two lines with one port of this machine.
fn duplicate_port_error(sources: &Sources, [one, other, device]: &[String; 3]) -> ConfigError {
    let file = sources.names().first().copied().unwrap_or_default().to_owned();
    let message =
        format!("the lines `{one}` and `{other}` have the same port, {device}, under two names; a board has one line");
    ConfigError { file, message, location: None }
}

fn check(sources: &Sources) -> Result<String, ConfigErrors> {
    let config = sources.read()?;
    // The devices behind addresses depend on what is plugged in, so a station records anyway; only this check reports them.
    let ports = config.lines.iter().filter_map(|line| Some((line.name.as_str(), line.port.as_ref()?)));
    let mut errors: Vec<ConfigError> =
        ports::shared_devices(ports).into_iter().map(|lines| duplicate_port_error(sources, &lines)).collect();
    let file = || sources.names().first().copied().unwrap_or_default().to_owned();
    let typos = config.likely_typos().into_iter();
    errors.extend(typos.map(|message| ConfigError { file: file(), message, location: None }));
    if !errors.is_empty() {
        return Err(ConfigErrors(errors));
    }
    let boards: usize = config.lines.iter().map(|line| line.boards.len().max(1)).sum();
    let lines = config.lines.len();
    let mut text = format!("{}: right\n", sources.names().join(", "));
    if config.lines.is_empty() {
        text += "no board yet: each needs a [[line]], with name, port and game-type, or is added at the desk\n";
    }
    text += &format!(
        "{lines} line{} with {boards} board{}; recordings go to {}\n",
        if lines == 1 { "" } else { "s" },
        if boards == 1 { "" } else { "s" },
        config.directory.display()
    );
    for line in &config.lines {
        let place = line.port.as_ref().map_or_else(|| ", entered by hand".to_owned(), |port| format!(" at {port}"));
        text += &format!("  {}: game {}{place}\n", line.name, line.game_type);
    }
    for outlet in &config.outlets {
        let parts = outlet.profile.max_games().filter(|most| boards > *most).map(|most| (most, boards.div_ceil(most)));
        if let Some((most, parts)) = parts {
            text += &format!(
                "{}: programs of the profile {} read {most} games of a file; games.pdn has all boards, and part/1/games.pdn to \
                 part/{parts}/games.pdn have {most} each, in the same order\n",
                outlet.directory.display(),
                outlet.profile
            );
        }
    }
    Ok(text)
}
