//! `damcast line`: runs one line, driven from outside in the driver's time.
//!
//! ```text
//!   in    0 = up                     MILLIS < HEX, = up|down, ! REQUEST, or MILLIS . (time is now)
//!   out   0 > 40                     for the board
//!         0 > 42
//!         0 . 8000                   call me again at 8000; exactly one of these ends every answer
//!   in    10478 < 8e00053601
//!   out   10478 . 10778
//!   in    10778 .
//!   out   10778 + 1. 32-28           one line of the live file; `=` overwrites its result, `?` is a notice
//!         10778 . -
//! ```
//!
//! On a bus `+` and `=` have the address of the board before their text: `10778 + 1025 1. 32-28`.
//!
//! Each answer ends with one `.`. A driver that then sends its next event can simulate a tournament in seconds. This command uses no
//! clock, file or port.

use std::fmt::Write as _;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

use anyhow::Context;
use damcast::engine::bytelog::{self, LogReader};
use damcast::engine::millis::Millis;
use damcast::engine::playback::{self, TimeJump};
use damcast::engine::session::{Effect, Input, Line, LineSettings, LiveUpdate, Output};

use super::output::{self, print_error};
use super::{EXIT_USAGE, usage_error};

/// Maximum length of an input line; one read of a port returns a few thousand bytes at most.
const MAX_INPUT_LEN: u64 = 1 << 20;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    after_help = "Exit codes: 0 all input was understood; 1 the input broke off; 2 a line of it was not understood, or a wrong argument.

Example:
  echo '0 = up' | damcast line"
)]
pub struct Arguments {
    /// Game: a number of PDN's GameType table, or all its attributes. Overrides `# game-type:` of the input; 20, international, without
    /// either.
    #[arg(long)]
    game_type: Option<String>,
    /// One board on the line, or a bus with many.
    #[arg(long, value_enum)]
    mode: Option<ModeArgument>,
    /// Readers that the file is written for.
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArgument,
    /// Setting of `[[line]]` or `[recognition]`; overrides `# set-KEY:` of the input.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Print likely moves as `MILLIS ~ MOVES`. Without moves, the last ones were withdrawn or published.
    #[arg(long)]
    provisional: bool,
}

/// Number of boards on a wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ModeArgument {
    /// One board.
    Single,
    /// Many boards with addresses.
    Bus,
}

impl ModeArgument {
    /// Returns the mode of a log header.
    pub fn header_value(self) -> bytelog::Mode {
        match self {
            ModeArgument::Single => bytelog::Mode::Single,
            ModeArgument::Bus => bytelog::Mode::Bus,
        }
    }
}

/// Readers that files are written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum ProfileArgument {
    /// Readers of all of PDN 3.0.
    #[default]
    Standard,
    /// Relay of lidraughts.
    Lidraughts,
}

/// Reports an unsupported profile; returns the exit code for it.
pub fn reject_unsupported_profile(profile: ProfileArgument) -> Option<ExitCode> {
    if profile == ProfileArgument::Standard {
        return None;
    }
    Some(usage_error("--profile lidraughts is not built yet"))
}

/// Runs a line on standard input and output.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(code) = reject_unsupported_profile(arguments.profile) {
        return Ok(code);
    }
    // Report an invalid --game-type or --set before the driver waits for an answer.
    if let Err(error) = open(&LogReader::new(), arguments) {
        return Ok(usage_error(format_args!("{error:#}")));
    }
    serve_driver(arguments, io::stdin().lock(), output::buffered_stdout())
}

fn serve_driver(arguments: &Arguments, mut input: impl BufRead, mut output: impl Write) -> anyhow::Result<ExitCode> {
    let mut reader = LogReader::new();
    let mut line: Option<Line> = None;
    let mut all_understood = true;
    let mut now = Millis::ZERO;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if input.by_ref().take(MAX_INPUT_LEN).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let record = match reader.push_bytes(&bytes) {
            Ok(bytelog::LogLine::Record(record)) => record,
            Ok(_) => continue,
            Err(error) => {
                print_error(format_args!("damcast: standard input: {error}"));
                all_understood = false;
                continue;
            }
        };
        for record in record.expand() {
            let (event, refused) = match Input::from_record(&record.kind) {
                Ok(Some(input)) => (input, None),
                Ok(None) => continue,
                Err(error) => {
                    let effect = Effect::Refused(error.to_string());
                    (Input::Tick, Some(Output { at: Millis(record.at), board: None, effect }))
                }
            };
            let line = match &mut line {
                Some(line) => line,
                none => match open(&reader, arguments) {
                    Ok(new) => none.insert(new),
                    Err(error) => {
                        let line = reader.lines();
                        return Ok(usage_error(format_args!("standard input, before line {line}: {error:#}")));
                    }
                },
            };
            let pause = line.deadline().map_or(Ok(()), |_| TimeJump::check(now, Millis(record.at)));
            if let Err(pause) = pause {
                print_error(format_args!("damcast: standard input: line {}: {pause}", reader.lines()));
                all_understood = false;
                continue;
            }
            now = Millis(record.at);
            let mut outputs = line.handle(now, event);
            outputs.extend(refused);
            output.write_all(answer(record.at, &outputs, line.deadline(), arguments.provisional).as_bytes())?;
            output.flush()?;
        }
    }
    Ok(if all_understood { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) })
}

/// Creates a line from the header that was read; options of the command line override it.
fn open(reader: &LogReader, arguments: &Arguments) -> anyhow::Result<Line> {
    let mut header = reader.header().clone();
    header.mode = arguments.mode.map(ModeArgument::header_value).or(header.mode);
    let (mut settings, passed_over) = LineSettings::from_header(&header, arguments.game_type.as_deref())?;
    for notice in passed_over {
        print_error(format_args!("damcast: {notice}"));
    }
    for setting in &arguments.settings {
        let (key, value) = setting
            .split_once('=')
            .with_context(|| format!("--set {setting}: expected KEY=VALUE, as in --set settle-ms=300"))?;
        settings.set(key.trim(), value.trim()).with_context(|| format!("--set {setting}"))?;
    }
    Ok(Line::new(settings))
}

/// Returns the answer to one record of the driver.
fn answer(now: u64, outputs: &[Output], deadline: Option<Millis>, with_provisional: bool) -> String {
    let mut text = String::new();
    for Output { at, board, effect } in outputs {
        let address = board.map_or(String::new(), |board| format!("{board} "));
        // Writing into a string cannot fail.
        let _ = match effect {
            Effect::Send(bytes) => writeln!(text, "{at} > {}", hex(bytes)),
            Effect::GameOpened(_) | Effect::Entry { .. } | Effect::GameEnded { .. } => {
                let mut lines = effect.lines().into_iter();
                let written = lines.try_for_each(|line| writeln!(text, "{at} + {address}{line}"));
                match effect {
                    Effect::GameEnded { result: Some(result), .. } => writeln!(text, "{at} = {address}{result}"),
                    _ => written,
                }
            }
            Effect::Notice(notice) | Effect::Info(notice) | Effect::Refused(notice) | Effect::AlreadyDone(notice) => {
                let notice = playback::prefix_board(*board, notice);
                writeln!(text, "{at} ? {}", notice.replace(char::is_control, " "))
            }
            Effect::LiveUpdate(LiveUpdate::LikelyMoves(moves)) if with_provisional => {
                writeln!(text, "{}", format!("{at} ~ {address}{}", moves.join(" ")).trim_end())
            }
            Effect::Note(_)
            | Effect::MovesInserted(_)
            | Effect::LiveUpdate(_)
            | Effect::LookUpGame(_)
            | Effect::Reopen { .. } => Ok(()),
        };
    }
    let _ = match deadline {
        Some(deadline) => writeln!(text, "{now} . {deadline}"),
        None => writeln!(text, "{now} . -"),
    };
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use damcast::engine::livefile::{Entry, EntryKind, GameHeader};
    use damcast::engine::session::BusAddress;
    use draughts::{Position, Variant};

    use super::*;

    #[test]
    fn answers_keep_order_and_end_with_deadline() {
        let at = |at: u64, effect: Effect| Output { at: Millis(at), board: None, effect };
        let variant = Variant::international();
        let opening = GameHeader {
            game: 1,
            variant,
            tags: vec![("GameType".into(), "20".into())],
            pairing_id: None,
            continued_game: None,
            is_entered: false,
        };
        let outputs = [
            at(300, Effect::GameOpened(Box::new(opening))),
            at(300, Effect::Note("why".into())),
            at(400, Effect::Send(vec![0x42, 0x0a])),
            at(500, Effect::GameEnded { result: Some("2-0".into()), is_given: true }),
            at(500, Effect::Notice("two kings too many".into())),
            at(500, Effect::LiveUpdate(LiveUpdate::LikelyMoves(vec!["32-28".into()]))),
        ];
        assert_eq!(
            answer(510, &outputs, Some(Millis(900)), false),
            "300 + [GameType \"20\"]\n300 + [Result \"*\"]\n300 + \n300 + \n300 + \n400 > 420a\n500 + *\n500 = 2-0\n500 ? two kings too many\n510 . 900\n"
        );
        assert_eq!(answer(7, &[], None, false), "7 . -\n");
        let provisional = [&["32-28", "19-23"][..], &[]].map(|moves| {
            at(7, Effect::LiveUpdate(LiveUpdate::LikelyMoves(moves.iter().map(|&text| text.to_owned()).collect())))
        });
        assert_eq!(answer(7, &provisional, None, true), "7 ~ 32-28 19-23\n7 ~\n7 . -\n");
        let board = BusAddress::new(1025);
        let of_a_board = |effect| Output { at: Millis(300), board, effect };
        let outputs = [
            of_a_board(Effect::Entry {
                entry: Box::new(Entry::new(EntryKind::Setup(Position::start(variant)))),
                reason: None,
            }),
            of_a_board(Effect::GameEnded { result: Some("2-0".into()), is_given: true }),
            of_a_board(Effect::Notice("ready".into())),
        ];
        assert_eq!(
            answer(300, &outputs, None, false),
            "300 + 1025 /FEN \"W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,\
             14,15,16,17,18,19,20\"/\n300 + 1025 *\n300 = 1025 2-0\n300 ? board 1025: ready\n300 . -\n"
        );
    }
}
