//! `damcast ctl`: sends operator requests to a running station.

mod add_moves;
mod describe_event;
mod enter;
mod options;
mod reply;
mod request;
mod words;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use damcast::control::client::Client;
use damcast::control::{ClientRequest, Reply, Role};
use damcast::tournament::TournamentCommand;
use draughts_tournament::RoundState;

use super::output;
use super::station::{EXIT_OUTCOME_UNKNOWN, StationOptions};
use options::{IdempotencyOptions, ResultOptions, TournamentOptions};
use words::{Side, Switch};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "A board has the name of its files (board-1, table-1); on a bus LINE/ADDRESS names it, too.\n\
                  The log of the line keeps each request and who asked; a replay obeys it at the same moment.\n\n\
                  A request is obeyed in time or never: the station drops what it has not begun when --wait is over, and logs that.\n\n\
                  Exit codes: 0 done, 1 refused, 2 wrong arguments, 3 no station answers, 4 not allowed, 5 it is not known \
                  whether it was done.\n\n\
                  Examples:\n  damcast ctl set-players board-1 \"Sijbrands, T.\" \"Wiersma, H.\"\n  \
                  damcast ctl result board-1 2-0\n  damcast ctl undo board-1\n  \
                  damcast ctl log-level damcast_station::line=debug"
)]
pub struct Arguments {
    #[command(flatten)]
    station: StationOptions,
    /// Print the answer as JSON.
    #[arg(long, global = true)]
    json: bool,
    /// Show the effects without changing anything.
    #[arg(long, global = true)]
    dry_run: bool,
    /// Seconds the request may wait for its turn [default: 10; for reload 30].
    #[arg(long, global = true, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=60))]
    wait: Option<u64>,
    #[command(subcommand)]
    verb: Subcommand,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Subcommand {
    /// End the game with this result.
    ///
    /// The result is written once the last moves are recognised.
    ///
    /// For a finished game it becomes the official result: of the board's last game without one, or of the game or pairing that is named.
    Result {
        /// Board name; `-` with --pairing.
        board: String,
        /// Result in the form of the game type, or `*` for a game broken off. Examples: 2-0, 1-1, 0-2, or 1-0, 1/2-1/2, 0-1.
        #[arg(allow_hyphen_values = true)]
        result: String,
        /// Confirm that the game ends although its clock runs.
        #[arg(long)]
        confirm: bool,
        #[command(flatten)]
        of: ResultOptions,
    },
    /// Enter the results of the open round: lines `board;result`, all or none.
    ///
    /// `board` is the number of the board in the round, or the name of the board. All mistakes are reported at once, with line and
    /// column; then nothing is entered.
    #[command(
        after_help = "Examples:\n  damcast ctl results results.csv --dry-run\n  printf '1;2-0\\n2;1-1\\n' | damcast ctl results -"
    )]
    Results {
        /// File with the results; `-` is the standard input.
        file: PathBuf,
        /// Replace existing results.
        #[arg(long)]
        correct: bool,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Publish, withdraw, open or close a round of the tournament; go to the next one; undo.
    ///
    /// `publish` shows the pairings to everybody. `open` assigns the pairings to the boards: games that begin afterwards belong to the
    /// round; running games stay as they are. `close` lists missing results. `next` closes the open round and opens the next one. `undo`
    /// undoes the last of these actions; games that began in a round opened by mistake are of no pairing then.
    #[command(
        after_help = "Examples:\n  damcast ctl round publish 3\n  damcast ctl round open 3 --dry-run\n  damcast ctl round next\n  damcast ctl round undo"
    )]
    Round {
        /// New state of the round.
        #[arg(value_enum)]
        to: RoundAction,
        /// Round number; not with next and undo.
        round: Option<u32>,
        /// Section of the round; all sections that have it if omitted.
        #[arg(long, value_name = "NAME")]
        section: Option<String>,
        /// Confirm that a round closes although results are missing, or that another one than the next opens.
        #[arg(long)]
        confirm: bool,
        #[command(flatten)]
        once: IdempotencyOptions,
    },
    /// Undo the last action on the tournament, or that of a version.
    ///
    /// `damcast tournament show --history` lists the versions. An action on which a later one stands is not undone. An undo can be undone
    /// as well, by its version.
    #[command(after_help = "Examples:\n  damcast ctl undo-last --dry-run\n  damcast ctl undo-last --version 17")]
    UndoLast {
        /// Version that the action made.
        #[arg(long, value_name = "N")]
        version: Option<u64>,
        /// Reason, kept in the tournament log.
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        #[command(flatten)]
        once: IdempotencyOptions,
    },
    /// Describe the event: name, place, days, schedule, links, report.
    ///
    /// Facts that are not given stay; an empty one is removed. Pages show them at once. Name and place are in the tags Event and Site of
    /// the tournament's games; live files that exist keep their tags.
    #[command(
        arg_required_else_help = true,
        after_help = "Examples:\n  damcast ctl describe-event --name \"Open 2027\" --site Huissen --start 2027-07-10 --end 2027-07-11\n  \
                      damcast ctl describe-event --schedule \"2027-07-10 14:00 Round 1\" --schedule \"2027-07-11 17:00 Prize giving\"\n  \
                      damcast ctl describe-event --show"
    )]
    DescribeEvent(Box<describe_event::EventOptions>),
    /// Rename a player.
    ///
    /// Everything shown uses the new name; live files that exist keep the old one.
    RenamePlayer {
        /// Name or number of the player. The number is that of the pairing program, or of `damcast tournament export`.
        player: String,
        /// New name; `N. N.` for a player who wishes to stay anonymous.
        name: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Choose the featured board, with which pages and overlays lead.
    ///
    /// Several boards take turns. Open pages and the overlays of a stream follow at once, under the delay of their outlet.
    #[command(
        after_help = "Examples:\n  damcast ctl feature 3\n  damcast ctl feature 1 2 3 --every 30\n  damcast ctl feature --most-moves\n  damcast ctl feature --off"
    )]
    Feature {
        /// Names or numbers of boards.
        #[arg(value_name = "BOARD", required_unless_present_any = ["most_moves", "off"])]
        boards: Vec<String>,
        /// Seconds for each of several boards, from 5 to 3600 [default: 20].
        #[arg(long, value_name = "SECONDS", requires = "boards")]
        every: Option<u32>,
        /// Feature the board with the most moves in the last minute, counted every 15 seconds.
        #[arg(long, conflicts_with_all = ["boards", "off"])]
        most_moves: bool,
        /// Feature no board.
        #[arg(long, conflicts_with = "boards")]
        off: bool,
        #[command(flatten)]
        once: IdempotencyOptions,
    },
    /// Assign a game that has begun to the tournament.
    ///
    /// Use this for a round that was opened after the first move, or for boards with swapped cables. The game shows the names of its
    /// pairing; its live file stays as it is. A game that was to be replayed counts again.
    #[command(
        after_help = "Examples:\n  damcast ctl adopt board-1\n  damcast ctl adopt board-1 --game 2 --pairing 3.2 --confirm"
    )]
    Adopt {
        /// Board name.
        board: String,
        /// Game number on this board; the last game if omitted.
        #[arg(long, value_name = "N")]
        game: Option<u32>,
        /// Pairing: 3.2 is board 2 of round 3. The board's pairing in the open round if omitted.
        #[arg(long, value_name = "R.B")]
        pairing: Option<String>,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Add the moves that a board missed.
    ///
    /// To a running game: type the moves that are missing where a position was set up, or after the last move of a board that stands
    /// unexplained. The live file keeps its setup; games.pdn, the events, the archive and the pages show the whole game.
    ///
    /// Without moves, the legal sequences that lead to what the board shows are listed, likeliest first; a number adds one of them.
    ///
    /// To a finished game: name a file with all moves of the game, or those after the last recorded one, in PDN or as written on the
    /// score sheet. They appear, marked, in games.pdn, the round, the archive and the pages; the live file stays as it is. A file without
    /// moves removes the moves added earlier.
    #[command(
        after_help = "Examples:\n  damcast ctl add-moves board-3\n  damcast ctl add-moves board-3 19-23 28x19\n  damcast ctl add-moves board-3 --game 2 sheet.pdn --dry-run\n  echo '41. 37-32 18-23' | damcast ctl add-moves board-3 -"
    )]
    AddMoves {
        /// Board name.
        board: String,
        /// Moves, a number of the list, or `none` if no move was made; for a finished game a file, `-` is the standard input.
        #[arg(value_name = "MOVES")]
        moves: Vec<String>,
        /// Number of entries of the live file before the moves; the first place at which moves are missing if omitted.
        #[arg(long, value_name = "N", conflicts_with = "game")]
        after: Option<u32>,
        /// Confirm although the board shows another position after the moves.
        #[arg(long)]
        confirm: bool,
        /// Number of the finished game on this board; the last game if omitted.
        #[arg(long, value_name = "N")]
        game: Option<u32>,
        /// Reason, kept in the tournament log.
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        #[command(flatten)]
        once: IdempotencyOptions,
    },
    /// Replace a player of one pairing by another.
    ///
    /// A game that has begun shows the new name.
    #[command(after_help = "Example:\n  damcast ctl substitute 3.2 \"Clerc, Rob\" \"Gantwarg, A.\"")]
    Substitute {
        /// Pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        /// Name of the absent player, or the number in the pairing program's files.
        player: String,
        /// Name of the substitute.
        substitute: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Postpone a pairing, so that its round can close without it.
    ///
    /// A pairing whose game has begun is adjourned. `play-on` names the board on which it is played later.
    #[command(after_help = "Example:\n  damcast ctl postpone 3.2\n  damcast ctl play-on 3.2 board-5")]
    Postpone {
        /// Pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        /// Play the pairing with its round after all.
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Play a pairing on this board, from its next game until it has a result.
    PlayOn {
        /// Pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        /// Board name.
        board: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Discard the last game of a pairing so it can be replayed.
    ///
    /// It stays in the archive with the tag Replayed and without a result. `adopt` makes it count again.
    Replay {
        /// Pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// End the game: this side resigns.
    Resign {
        /// Board name.
        board: String,
        /// Side that resigns.
        #[arg(value_enum, ignore_case = true)]
        side: Side,
        /// Confirm that the game ends although its clock runs.
        #[arg(long)]
        confirm: bool,
    },
    /// Set or correct the names of the players on a board.
    ///
    /// Before the first move of a game, its file gets the names. Later they are a correction: files for readers, pages and results
    /// show the new names, and the file of the game keeps the old ones. Between two games, the names are those of the next game.
    SetPlayers {
        /// Board name.
        board: String,
        /// Name of White.
        white: String,
        /// Name of Black.
        black: String,
    },
    /// Assign a pairing of a tournament to the board.
    ///
    /// It applies to the next game, or to the current one if that has no moves. Its games get these tags and keep them, even if the
    /// configuration changes.
    #[command(
        after_help = "Example:\n  damcast ctl pairing board-1 3.1 White=\"Sijbrands, T.\" Black=\"Wiersma, H.\" Round=3\n  damcast ctl pairing board-1 none"
    )]
    Pairing {
        /// Board name.
        board: String,
        /// Any identifier, such as 3.1 for board 1 of round 3; `none` removes the pairing.
        id: String,
        /// Tags of the games.
        #[arg(value_name = "TAG=VALUE", value_parser = tag)]
        tags: Vec<(String, String)>,
    },
    /// Begin a game, from the start position or from another.
    Start {
        /// Board name.
        board: String,
        /// Start position.
        #[arg(conflicts_with = "from_memory")]
        fen: Option<String>,
        /// Publish the game in the board's memory, played while damcast was away.
        #[arg(long)]
        from_memory: bool,
    },
    /// Set the position on the board; the game continues from there.
    Setup {
        /// Board name.
        board: String,
        /// Position and side to move: W:W31,32,K40:B1,2.
        fen: String,
    },
    /// Continue a game that was ended by mistake.
    ///
    /// Its result is withdrawn. Its file stays as it ended and further moves go to the next file. games.pdn, the archive and the pages
    /// show both as one game.
    Continue {
        /// Board name.
        board: String,
        /// Confirm although the board differs from the last position of the game. The moves since the end then follow from the board.
        #[arg(long)]
        confirm: bool,
    },
    /// Take back the last moves.
    ///
    /// Published moves stay; the position before them follows as a setup.
    Undo {
        /// Board name.
        board: String,
        /// Number of plies.
        #[arg(default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        plies: u16,
    },
    /// Read the board again and accept its position.
    ///
    /// The position becomes a setup if no legal move explains it.
    Resync {
        /// Board name.
        board: String,
        /// Side to move, if the clock does not show it.
        #[arg(value_enum, ignore_case = true)]
        side: Option<Side>,
    },
    /// Turn the board's orientation around.
    Flip {
        /// Board name.
        board: String,
    },
    /// Enter moves of a board without electronics.
    ///
    /// They follow the moves that stand; the first move after a finished game begins the next one. A move is published when the next one
    /// is entered, when the game ends, or after eight seconds; until then it can be taken back without a trace.
    #[command(
        after_help = "Examples:\n  damcast ctl enter table-7 32-28 19-23\n  damcast ctl enter table-7 --take-back"
    )]
    Enter {
        /// Board name.
        board: String,
        /// Moves: 32-28, 3228, 28x19; with all squares where several captures are possible.
        #[arg(value_name = "MOVE", required_unless_present = "take_back", conflicts_with = "take_back")]
        moves: Vec<String>,
        /// Take back the last move that was entered.
        #[arg(long)]
        take_back: bool,
    },
    /// Let people enter the moves of a game in place of its board.
    ///
    /// For a board that fails during a game. The game goes on from its last published position, with its players and its file, and ends
    /// the entry. What the board reports is recorded and makes no moves. `off` lets the board report the moves again.
    #[command(after_help = "Examples:\n  damcast ctl entry board-3 on\n  damcast ctl entry board-3 off")]
    Entry {
        /// Board name.
        board: String,
        /// Source of the moves: people type them (on), or the board reports them (off).
        #[arg(value_enum)]
        state: Switch,
    },
    /// Create a code with which a table enters its own moves.
    ///
    /// People use it to enter the moves of one board without electronics in one round, and nothing else; a new code for the same round
    /// replaces it.
    #[command(
        after_help = "Examples:\n  damcast ctl entry-code table-7 --round 3\n  damcast ctl entry-code table-7 --revoke"
    )]
    EntryCode {
        /// Board name.
        board: String,
        /// Round in which the code is valid; the board's open round if omitted.
        #[arg(long, value_name = "N", conflicts_with = "revoke")]
        round: Option<u32>,
        /// End all codes of the board instead.
        #[arg(long)]
        revoke: bool,
    },
    /// Suspend publication until `release`; recording continues.
    Hold {
        /// Board name.
        board: String,
    },
    /// Publish what was held back, and resume publication.
    Release {
        /// Board name.
        board: String,
    },
    /// Begin new logs for a new round.
    ///
    /// games.pdn omits the earlier games from then on. On a bus this applies to all its boards.
    Rotate {
        /// Board name.
        board: String,
    },
    /// Read the configuration again; games continue.
    ///
    /// A wrong configuration changes nothing.
    Reload,
    /// Create a login code for the desk, valid once within a minute.
    ///
    /// `damcast desk` serves a page that does in a browser what `damcast ctl` does.
    #[command(after_help = "Examples:\n  damcast ctl login\n  damcast ctl login --role arbiter --name \"R. Faber\"")]
    Login {
        /// Role of the user; an arbiter may enter results, names and rounds.
        #[arg(long, value_enum, default_value = "operator")]
        role: RoleArg,
        /// Name of the user, logged with every request; yours if omitted.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Test the alarm command of the configuration.
    ///
    /// The station runs it as for a real problem.
    AlarmTest,
    /// Show more or fewer messages of the station.
    ///
    /// A level (error, warn, info, debug, trace), MODULE=LEVEL, or reset. Without one, prints the active levels.
    LogLevel {
        /// Level to set.
        level: Option<String>,
    },
}

/// Role of a desk user, as written on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum RoleArg {
    /// All requests.
    Operator,
    /// Results, names and rounds.
    Arbiter,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Role {
        match role {
            RoleArg::Operator => Role::Operator,
            RoleArg::Arbiter => Role::Arbiter,
        }
    }
}

/// State change of a round.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RoundAction {
    /// Show the pairings to everybody.
    Publish,
    /// Stop showing the pairings.
    Withdraw,
    /// Games that begin belong to the round.
    Open,
    /// End the round.
    Close,
    /// End the open round, and open the next one.
    Next,
    /// Undo the last of these actions.
    Undo,
}

impl RoundAction {
    /// Returns the command; `round` is missing for the next round and for an undo.
    fn command(self, round: Option<u32>, section: Option<String>) -> anyhow::Result<TournamentCommand> {
        let to = match (self, round) {
            (RoundAction::Next, None) => return Ok(TournamentCommand::NextRound { section }),
            (RoundAction::Undo, None) if section.is_none() => {
                return Ok(TournamentCommand::Undo { version: None, round: true });
            }
            (RoundAction::Undo, None) => bail!("an undo is of all sections: leave out --section"),
            (RoundAction::Next | RoundAction::Undo, Some(_)) => bail!("`round next` and `round undo` take no number"),
            (RoundAction::Publish, _) => RoundState::Published,
            (RoundAction::Withdraw, _) => RoundState::Prepared,
            (RoundAction::Open, _) => RoundState::Open,
            (RoundAction::Close, _) => RoundState::Closed,
        };
        let round = round.context("say which round, as in `round open 3`")?;
        Ok(TournamentCommand::SetRoundState { round, to: to.name().to_owned(), section })
    }
}

impl Subcommand {
    /// Message if the station sends none.
    fn default_message(&self) -> &'static str {
        match self {
            Subcommand::Resync { .. } => {
                "the board is asked what stands on it; `damcast status` shows what becomes of it"
            }
            _ => "done",
        }
    }
}

/// Parses a tag from the command line.
fn tag(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    parts.ok_or_else(|| "expected TAG=VALUE, as in White=\"Sijbrands, T.\"".to_owned())
}

/// Sends the request and prints the outcome.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Subcommand::Enter { board, moves, take_back } = &arguments.verb {
        arguments.verb.check(arguments.dry_run)?;
        let patience = arguments.wait.map(Duration::from_secs);
        return match arguments.station.connect() {
            Ok(mut client) => enter::run(&mut client, board, moves, *take_back, patience, arguments.json),
            Err(code) => Ok(code),
        };
    }
    if let Subcommand::DescribeEvent(event) = &arguments.verb
        && event.is_query()
    {
        event.request()?;
        return match arguments.station.connect() {
            Ok(mut client) => describe_event::show(&mut client, arguments.json),
            Err(code) => Ok(code),
        };
    }
    if let Some(added) = arguments.verb.moves_of_running_game() {
        return match arguments.station.connect() {
            Ok(mut client) => add_moves::run(&mut client, arguments, &added),
            Err(code) => Ok(code),
        };
    }
    let request = arguments.verb.request(arguments.dry_run)?;
    let mut client = match arguments.station.connect() {
        Ok(client) => client,
        Err(code) => return Ok(code),
    };
    send(&mut client, request, arguments)
}

/// Sends a request and prints the outcome.
fn send(client: &mut Client, request: ClientRequest, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let patience = arguments.wait.map_or(request.timeout(), Duration::from_secs);
    let path = client.path().display().to_string();
    let asked = client.request(request, patience, |left| {
        let left = left.as_secs_f64().ceil();
        output::print_error(format_args!(
            "damcast: no answer yet from the station at {path}; waiting {left} s more, then the request is dropped"
        ));
    });
    let reply = match asked {
        Ok(reply) => reply,
        Err(error) => Reply::unknown(format!(
            "{error}\nIt is not known whether this was done. If it was not, it will not be done later; `damcast status` and \
             the messages of the station tell."
        )),
    };
    // The exit code reports the outcome even if the output cannot be written.
    let shown = if arguments.json {
        output::print_line(serde_json::to_string(&reply)?)
    } else {
        reply::print(&reply, arguments)
    };
    match shown {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => output::print_error(format_args!("damcast: {error}")),
        _ => {}
    }
    Ok(match reply {
        Reply { ok: true, .. } => ExitCode::SUCCESS,
        Reply { outcome_unknown: true, .. } => ExitCode::from(EXIT_OUTCOME_UNKNOWN),
        _ => ExitCode::FAILURE,
    })
}
