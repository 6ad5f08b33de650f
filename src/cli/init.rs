//! `damcast init`: writes a first configuration for the connected boards.
//!
//! ```text
//!   ports of board makers, those named with --port, others on request
//!     │ each probed for boards, as the station does
//!     ▾
//!   the annotated reference, filled in ──▸ read back, then written
//! ```

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use damcast::station::config::draft::{Draft, DraftLine};
use damcast::station::config::{Config, DEFAULT_PATH, reference, setup};
use damcast::station::link::{PortAddress, ports};
use draughts::Variant;
use serialport::SerialPortType;

use super::EXIT_USAGE;
use super::output::{print, print_error, print_line};
use super::probe::{self, BoardInfo};

/// Folder of recordings of an installed station.
const INSTALLED_DIRECTORY: &str = "/var/lib/damcast/recordings";

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "In a terminal it asks for what you did not say. It writes over no configuration but the one that was installed with
damcast and that nobody has changed; --force writes over any.

Exit codes: 0 written; 1 no board, or it cannot be written; 2 the file exists, or a wrong argument.

Examples:
  damcast init                                                what is plugged in at this machine
  damcast init --config evening.toml --event \"Club evening\"   a file of your own
  damcast init --port tcp://10.0.0.7:4001 --port tcp://10.0.0.7:4002
  damcast init --bus serial:/dev/ttyUSB0                      many boards on one wire"
)]
pub struct Arguments {
    /// File to write.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    config: PathBuf,
    /// Port with one board; repeatable. Written even if the board does not answer.
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<String>,
    /// Port with many boards on one wire; repeatable.
    #[arg(long = "bus", value_name = "PORT")]
    buses: Vec<String>,
    /// Folder of recordings.
    #[arg(long, value_name = "FOLDER")]
    directory: Option<String>,
    /// Game: a number of PDN's GameType table, or all its attributes.
    #[arg(long)]
    game_type: Option<String>,
    /// Tag Event of all games.
    #[arg(long)]
    event: Option<String>,
    /// Tag Site of all games.
    #[arg(long)]
    site: Option<String>,
    /// Speed of simulated boards, as a multiple of real time.
    #[arg(long, value_name = "FACTOR")]
    time_scale: Option<f64>,
    /// Overwrite an existing configuration.
    #[arg(long)]
    force: bool,
    /// Skip all questions, also in a terminal.
    #[arg(long)]
    yes: bool,
}

/// Finds boards, prompts for the rest, and writes the configuration.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let path = &arguments.config;
    if !arguments.force && is_user_file(path) {
        print_error(format_args!(
            "damcast: {} exists; --force writes over it, --config names another file",
            path.display()
        ));
        return Ok(ExitCode::from(EXIT_USAGE));
    }
    let asks = !arguments.yes && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let found = find(arguments, asks)?;
    if found.is_empty() {
        print_error(
            "damcast: no board was found. Is it plugged in and switched on? `damcast ports` lists the ports, `damcast doctor` \
             says what is wrong with them, and --port names one that looks like no board",
        );
        return Ok(ExitCode::FAILURE);
    }
    let draft = draft(arguments, found, asks)?;
    let text = draft.to_text();
    if let Err(errors) = Config::read(&path.display().to_string(), &text) {
        print_error(&errors);
        print_error(format_args!(
            "\ndamcast: with these answers the configuration would be wrong; nothing was written"
        ));
        return Ok(ExitCode::from(EXIT_USAGE));
    }
    setup::replace_file(path, &text)
        .with_context(|| format!("{}: cannot be written; are you allowed to? (sudo)", path.display()))?;
    print_line(format_args!("\nwritten: {}", path.display()))?;
    let option = if path == Path::new(DEFAULT_PATH) { String::new() } else { format!(" --config {}", path.display()) };
    print_line(format_args!("  damcast config check{option}    is it right, also after you changed it"))?;
    print_line(format_args!("  damcast doctor{option}          is the machine ready"))?;
    print_line(format_args!("  damcast run{option}             record here, or: systemctl enable --now damcast"))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the file differs from the unchanged one of the package.
fn is_user_file(path: &Path) -> bool {
    path.exists() && fs::read_to_string(path).map_or(true, |text| text != reference::REFERENCE_TEXT)
}

/// Port with a board, or meant for one.
struct FoundPort {
    port: String,
    identity: BoardInfo,
    bus: Option<Vec<u16>>,
    /// Whether any port of a board's maker will do, because the board is known by its serial number.
    is_anywhere: bool,
}

fn find(arguments: &Arguments, asks: bool) -> anyhow::Result<Vec<FoundPort>> {
    let mut found = Vec::new();
    for port in &arguments.buses {
        let address: PortAddress = port.parse()?;
        print_line(format_args!("{port}: looking for boards on the bus, up to 12 s ..."))?;
        let boards = match probe::probe_bus(&address) {
            Ok(boards) => boards.into_iter().map(|board| board.number()).collect(),
            Err(reason) => {
                print_line(format_args!("{port}: {reason}; boards connected later are recorded"))?;
                Vec::new()
            }
        };
        print_line(format_args!("{port}: {} boards: {boards:?}", boards.len()))?;
        found.push(FoundPort {
            port: port.clone(),
            identity: BoardInfo::default(),
            bus: Some(boards),
            is_anywhere: false,
        });
    }
    for port in &arguments.ports {
        let address: PortAddress = port.parse()?;
        let identity = match probe::probe_single_board(&address) {
            Ok(identity) => identity,
            Err(reason) => {
                print_line(format_args!("{port}: {reason} (written anyway; the station waits for it)"))?;
                BoardInfo::default()
            }
        };
        print_line(format_args!("{port}: {}", describe(&identity)))?;
        found.push(FoundPort { port: port.clone(), identity, bus: None, is_anywhere: false });
    }
    if arguments.ports.is_empty() && arguments.buses.is_empty() {
        found.extend(scan_ports(asks)?);
    }
    Ok(found)
}

/// Scans the ports of this machine: those of makers of boards, and others that the operator selects.
fn scan_ports(asks: bool) -> anyhow::Result<Vec<FoundPort>> {
    let links = ports::stable_names();
    let mut found = Vec::new();
    for port in ports::list().map_err(|error| anyhow::anyhow!("{error}; --port names one"))? {
        let SerialPortType::UsbPort(usb) = &port.port_type else { continue };
        let is_makers = ports::is_board(usb);
        let product = usb.product.as_deref().unwrap_or("an unknown device");
        if !is_makers {
            print_line(format_args!("{}: {product}, perhaps an adapter", port.port_name))?;
            if !asks || !prompt("ask it whether there is a board behind it? (y/n)", "n")?.starts_with(['y', 'Y']) {
                continue;
            }
        }
        let identity = match probe::probe_single_board(&PortAddress::Serial(port.port_name.clone().into())) {
            Ok(identity) => identity,
            Err(reason) => {
                print_line(format_args!("{}: {reason}", port.port_name))?;
                continue;
            }
        };
        print_line(format_args!("{}: {}", port.port_name, describe(&identity)))?;
        let is_anywhere = is_makers && identity.serial.is_some();
        // Names by path are stable as long as the same socket is used.
        let links = links.get(Path::new(&port.port_name)).map_or(&[][..], Vec::as_slice);
        let stable = links.iter().find(|link| link.starts_with("/dev/serial/by-path"));
        let path = stable.map_or(port.port_name.clone(), |link| link.display().to_string());
        let port = if is_anywhere { "any".to_owned() } else { format!("serial:{path}") };
        found.push(FoundPort { port, identity, bus: None, is_anywhere });
    }
    Ok(found)
}

/// Finds boards without a question: at ports of board makers, and at ports that match the patterns. Prints what does not answer.
pub fn find_boards(patterns: &[String], time_scale: Option<f64>) -> anyhow::Result<Vec<DraftLine>> {
    let mut found = match scan_ports(false) {
        Ok(found) => found,
        Err(error) => {
            print_line(format_args!("{error:#}"))?;
            Vec::new()
        }
    };
    for path in patterns.iter().flat_map(|pattern| ports::matching_paths(pattern)) {
        let port = format!("serial:{}", path.display());
        match probe::probe_single_board(&PortAddress::Serial(path)) {
            Ok(identity) => found.push(FoundPort { port, identity, bus: None, is_anywhere: false }),
            Err(reason) => print_line(format_args!("{port}: {reason}"))?,
        }
    }
    let game_type = default_game_type(&found).to_owned();
    Ok(draft_lines(found, &game_type, time_scale))
}

/// Returns a line as `setup.toml` has it.
pub fn line_contents(line: &DraftLine) -> serde_json::Value {
    let DraftLine { name, port, game_type, board, codes, time_scale, bus: _, remark: _ } = line;
    let mut contents = serde_json::json!({ "name": name, "port": port, "game-type": game_type });
    for (key, value) in [("board", board), ("codes", codes)] {
        if let Some(value) = value {
            contents[key] = value.as_str().into();
        }
    }
    if let Some(time_scale) = time_scale {
        // A browser writes a whole number without a fraction, and compares the file with what it has read.
        contents["time-scale"] = match *time_scale as i64 {
            whole if whole as f64 == *time_scale => whole.into(),
            _ => (*time_scale).into(),
        };
    }
    contents
}

fn draft_lines(found: Vec<FoundPort>, game_type: &str, time_scale: Option<f64>) -> Vec<DraftLine> {
    let line = |(index, found): (usize, FoundPort)| DraftLine {
        name: if found.bus.is_some() { format!("bus-{}", index + 1) } else { format!("board-{}", index + 1) },
        board: found.identity.serial.clone().filter(|_| found.is_anywhere),
        codes: found.identity.codes.clone(),
        remark: if found.identity == BoardInfo::default() { String::new() } else { describe(&found.identity) },
        port: found.port,
        game_type: game_type.to_owned(),
        bus: found.bus,
        time_scale,
    };
    found.into_iter().enumerate().map(line).collect()
}

fn describe(identity: &BoardInfo) -> String {
    let BoardInfo { serial, version, maker, fields, codes, has_clock } = identity;
    let mut parts = Vec::new();
    parts.extend(serial.as_ref().map(|serial| format!("board {serial}")));
    parts.extend(maker.as_ref().map(|maker| format!("\"{maker}\"")));
    parts.extend(version.as_ref().map(|version| format!("firmware {version}")));
    parts.extend(fields.map(|fields| format!("{fields} fields")));
    parts.extend(codes.as_ref().map(|codes| match codes.as_str() {
        "chess" => "a chess set".to_owned(),
        "draughts-old" => "piece codes of older draughts firmware".to_owned(),
        other => format!("piece codes read as {other}, with White's men where the connector is on the left: try a move with damcast test-board"),
    }));
    parts.push(if *has_clock { "with a clock" } else { "no clock heard" }.to_owned());
    if serial.is_none() && fields.is_none() { "no board yet".to_owned() } else { parts.join(", ") }
}

fn draft(arguments: &Arguments, found: Vec<FoundPort>, asks: bool) -> anyhow::Result<Draft> {
    let answer = |known_value: &Option<String>, question: &str, default: &str| match known_value {
        Some(known_value) => Ok(known_value.clone()),
        None if asks => prompt(question, default),
        None => Ok(default.to_owned()),
    };
    let usual = default_game_type(&found);
    let game_type = loop {
        let given = answer(&arguments.game_type, "game (20 international, 25 Russian, 40 Frisian, ...)", usual)?;
        match Variant::from_tag(&given) {
            // Somebody who answers questions is asked again at once.
            Err(error) if asks && arguments.game_type.is_none() => print_line(format_args!("{error}"))?,
            _ => break given,
        }
    };
    let event = answer(&arguments.event, "event", "")?;
    let site = answer(&arguments.site, "site", "")?;
    let usual = if arguments.config.starts_with("/etc") { INSTALLED_DIRECTORY } else { "recordings" };
    let directory = answer(&arguments.directory, "folder for the recordings", usual)?;
    let tags = [("Event", event), ("Site", site)];
    let tags = tags.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value));
    let lines = draft_lines(found, &game_type, arguments.time_scale);
    Ok(Draft { directory, tags: tags.collect(), lines })
}

/// Returns the best-known game for boards of this size.
fn default_game_type(found: &[FoundPort]) -> &'static str {
    match found.iter().find_map(|found| found.identity.fields) {
        Some(64) => "25",
        Some(144) => "27",
        _ => "20",
    }
}

fn prompt(question: &str, default: &str) -> anyhow::Result<String> {
    let hint = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    print(format_args!("{question}{hint}: "))?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    let answer = answer.trim();
    Ok(if answer.is_empty() { default.to_owned() } else { answer.to_owned() })
}
