//! `damcast ctl`: requests of an operator to a running station.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use damcast::engine::session::request::{BoardPairing, OperatorCommand};
use damcast::engine::tournament::RoundState;
use damcast::station::operate::control::{ClientRequest, Reply, Role};
use damcast::station::tournament_service::{DRY_RUN, TournamentCommand, TournamentRequest};
use draughts::Color;
use draughts_pdn::encoding::{self, Encoding};

use super::input::read_whole;
use super::output;
use super::station::{EXIT_OUTCOME_UNKNOWN, StationOptions};
use super::tournament::user;

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
                  damcast ctl log-level damcast::engine::session=debug"
)]
pub struct Arguments {
    #[command(flatten)]
    station: StationOptions,
    /// Print the answer as JSON.
    #[arg(long, global = true)]
    json: bool,
    /// Say what would come of it, and change nothing.
    #[arg(long, global = true)]
    dry_run: bool,
    /// How many seconds the request may wait for its turn [default: 10; for reload 30].
    #[arg(long, global = true, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=60))]
    wait: Option<u64>,
    #[command(subcommand)]
    verb: Subcommand,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// End the game with this result.
    ///
    /// The result is written when the last moves are recognised.
    ///
    /// A game that is over gets it as its official result: the last one of the board that has none, or the one that is named.
    Result {
        /// The board; `-` where --pairing names a pairing.
        board: String,
        /// As the game type has it: 2-0, 1-1, 0-2, or 1-0, 1/2-1/2, 0-1; `*` for a game that is broken off.
        #[arg(allow_hyphen_values = true)]
        result: String,
        /// End the game though its clock runs.
        #[arg(long)]
        confirm: bool,
        #[command(flatten)]
        of: ResultOptions,
    },
    /// Publish, open or close a round of the tournament.
    ///
    /// `publish` shows its pairings to everybody, `open` ties its pairings to the boards: games that begin from then on are games of it;
    /// games that go on stay what they are. `close` says which results are missing.
    #[command(after_help = "Examples:\n  damcast ctl round publish 3\n  damcast ctl round open 3 --dry-run")]
    Round {
        /// What is to become of it.
        #[arg(value_enum)]
        to: RoundAction,
        /// The round.
        round: u32,
        /// Of which section; of all that have it if that is not told.
        #[arg(long, value_name = "NAME")]
        section: Option<String>,
        /// Close it though results are missing.
        #[arg(long)]
        confirm: bool,
        #[command(flatten)]
        once: IdempotencyOptions,
    },
    /// Call a player of the tournament by another name from now on, in all that is shown.
    ///
    /// Live files that are written keep the old name.
    RenamePlayer {
        /// The name as it is, or his number: that of the pairing program, or the one that `damcast tournament export` gives him.
        player: String,
        /// The new name; `N. N.` for one who wishes not to be named.
        name: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Say that a game that has begun is one of the tournament.
    ///
    /// For a round that was opened after the first move, or a board that had the cable of another. It gets the names of its pairing in all
    /// that is shown; its live file stays as it is. A game that was to be played again counts again.
    #[command(
        after_help = "Examples:\n  damcast ctl adopt board-1\n  damcast ctl adopt board-1 --game 2 --pairing 3.2 --confirm"
    )]
    Adopt {
        /// The board.
        board: String,
        /// Its game with this number; without it the last one.
        #[arg(long, value_name = "N")]
        game: Option<u32>,
        /// The pairing: 3.2 is board 2 of round 3; without it what the board is to play in the open round.
        #[arg(long, value_name = "R.B")]
        pairing: Option<String>,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// Add the moves that a board missed to a game that is over.
    ///
    /// Type them from the score sheet: all moves of the game, or those behind the last one that the board recorded, as PDN or as they are
    /// written. They reach games.pdn, the round, the archive and the pages, and are marked there; the live file stays as it is. A file
    /// without a move takes back what was added.
    #[command(
        after_help = "Examples:\n  damcast ctl add-moves board-3 --game 2 sheet.pdn --dry-run\n  echo '41. 37-32 18-23' | damcast ctl add-moves board-3 -"
    )]
    AddMoves {
        /// The board.
        board: String,
        /// The moves; -: standard input.
        file: PathBuf,
        /// Its game with this number; without it the last one.
        #[arg(long, value_name = "N")]
        game: Option<u32>,
        /// Why; it stands in the record.
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        #[command(flatten)]
        once: IdempotencyOptions,
    },
    /// Say that somebody plays a pairing of the tournament instead of another.
    ///
    /// A game that has begun gets the name in all that is shown, too.
    #[command(after_help = "Example:\n  damcast ctl substitute 3.2 \"Clerc, Rob\" \"Gantwarg, A.\"")]
    Substitute {
        /// The pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        /// Who was to play: the name, or his number in the files of the pairing program.
        player: String,
        /// Who plays.
        substitute: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// A pairing is not played with its round: its round can be closed without it.
    ///
    /// It is postponed, or adjourned if it has begun. `begin` says on which board it is played then.
    #[command(after_help = "Example:\n  damcast ctl postpone 3.2\n  damcast ctl play-on 3.2 board-5")]
    Postpone {
        /// The pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        /// It is played with its round after all.
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// A pairing is played on this board from its next game on, whatever round is open, until it has a result.
    PlayOn {
        /// The pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        /// The board.
        board: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// The last game of a pairing does not count any more: it is played again.
    ///
    /// It stays in the archive with the tag Replayed and without a result. `adopt` makes it count again.
    Replay {
        /// The pairing: 3.2 is board 2 of round 3.
        #[arg(value_name = "R.B")]
        pairing: String,
        #[command(flatten)]
        of: TournamentOptions,
    },
    /// End the game: this side gives up.
    Resign {
        /// The board.
        board: String,
        /// Who gives up.
        #[arg(value_enum, ignore_case = true)]
        side: Side,
        /// End the game though its clock runs.
        #[arg(long)]
        confirm: bool,
    },
    /// Say who plays: this game if its file has no moves yet, else the next.
    SetPlayers {
        /// The board.
        board: String,
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
    },
    /// Say which pairing of a tournament the board plays.
    ///
    /// It holds from the next game on, or from this one on if it has no moves yet. Its games begin with these tags and keep them,
    /// whatever the configuration says later.
    #[command(
        after_help = "Example:\n  damcast ctl pairing board-1 3.1 White=\"Sijbrands, T.\" Black=\"Wiersma, H.\" Round=3\n  damcast ctl pairing board-1 none"
    )]
    Pairing {
        /// The board.
        board: String,
        /// The pairing: a word of your own, such as 3.1 for board 1 of round 3; `none` for none any more.
        id: String,
        /// Tags of its games.
        #[arg(value_name = "TAG=VALUE", value_parser = tag)]
        tags: Vec<(String, String)>,
    },
    /// Begin a game, from the start position or from another.
    Start {
        /// The board.
        board: String,
        /// The position.
        #[arg(conflicts_with = "from_memory")]
        fen: Option<String>,
        /// Publish the game that the board's memory has, which began while nobody listened.
        #[arg(long)]
        from_memory: bool,
    },
    /// Say what stands on the board; the game goes on from there.
    Setup {
        /// The board.
        board: String,
        /// The position, with who is to move: W:W31,32,K40:B1,2.
        fen: String,
    },
    /// The game of a board that was ended by mistake goes on.
    ///
    /// Its result is taken back. Its file stays as it ended; what is played from now on stands in the next one, and games.pdn,
    /// the archive and the pages show both as one game.
    Continue {
        /// The board.
        board: String,
        /// Also where the board shows another position than the one in which the game ended: what stands there was played since.
        #[arg(long)]
        confirm: bool,
    },
    /// Say that the last moves do not count.
    ///
    /// What was published stays; the position before these moves follows as a setup.
    Undo {
        /// The board.
        board: String,
        /// How many plies.
        #[arg(default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        plies: u16,
    },
    /// Read the board once more: what stands on it is right.
    ///
    /// It becomes a setup if no legal move explains it.
    Resync {
        /// The board.
        board: String,
        /// Who is to move, if the clock does not tell.
        #[arg(value_enum, ignore_case = true)]
        side: Option<Side>,
    },
    /// Say that the board lies the other way round.
    Flip {
        /// The board.
        board: String,
    },
    /// Publish nothing until `release`. It is recorded all the same.
    Hold {
        /// The board.
        board: String,
    },
    /// Publish what was held back, and everything from now on.
    Release {
        /// The board.
        board: String,
    },
    /// Begin new logs for a new round.
    ///
    /// games.pdn no longer shows the games before it. On a bus, for all its boards.
    Rotate {
        /// The board.
        board: String,
    },
    /// Read the configuration again; games go on.
    ///
    /// A wrong configuration changes nothing.
    Reload,
    /// Make a code with which somebody can log in at the desk: once, within a minute.
    ///
    /// `damcast desk` is the page on which all that `damcast ctl` does is done in a browser.
    #[command(after_help = "Examples:\n  damcast ctl login\n  damcast ctl login --role arbiter --name \"R. Faber\"")]
    Login {
        /// What he may do: an arbiter gives results, names and rounds.
        #[arg(long, value_enum, default_value = "operator")]
        role: RoleArg,
        /// What he is called: it stands with all that he asks. You, if that is not told.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Try the alarm command of the configuration.
    ///
    /// The station runs it as it does when something is the matter.
    AlarmTest,
    /// Show more or fewer messages of the station.
    ///
    /// A level (error, warn, info, debug, trace), MODULE=LEVEL, or reset. Without one: which levels count now.
    LogLevel {
        /// The level.
        level: Option<String>,
    },
}

/// Role of a desk user, as written on the command line.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum RoleArg {
    /// Everything.
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

/// Which game or pairing a result is for, and how.
#[derive(clap::Args)]
struct ResultOptions {
    /// Its game with this number, which is over.
    #[arg(long, value_name = "N")]
    game: Option<u32>,
    /// The pairing: 3.2 is board 2 of round 3.
    #[arg(long, value_name = "R.B", conflicts_with = "game")]
    pairing: Option<String>,
    /// Of which section.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// It takes the place of another result.
    #[arg(long)]
    correct: bool,
    /// How it came about: played, forfeit, both lost, arbiter, not played; bye where there is one player; white plus and black plus for a
    /// draw with an advantage.
    #[arg(long, value_name = "HOW")]
    kind: Option<String>,
    #[command(flatten)]
    once: IdempotencyOptions,
    /// Why; it stands in the record.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

/// What keeps a request of the tournament from being done twice, or upon something else than was seen.
#[derive(clap::Args)]
struct IdempotencyOptions {
    /// What this request of the tournament is called: asked again under the same name it does nothing.
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
    /// The version of the tournament that this was made of: if that has changed since then, it is refused with what has changed.
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,
}

impl IdempotencyOptions {
    fn to_options(&self, request: TournamentRequest) -> TournamentRequest {
        TournamentRequest { request_id: self.request_id.clone(), if_version: self.if_version, ..request }
    }
}

/// How a request of the tournament is asked.
#[derive(clap::Args)]
struct TournamentOptions {
    #[command(flatten)]
    once: IdempotencyOptions,
    /// Of which section.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Why; it stands in the record.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Proceed where damcast would require confirmation.
    #[arg(long)]
    confirm: bool,
}

impl TournamentOptions {
    fn request(&self, matter: impl FnOnce(Option<String>) -> TournamentCommand) -> TournamentRequest {
        let request = matter(self.section.clone()).into();
        self.once.to_options(TournamentRequest { reason: self.reason.clone(), confirm: self.confirm, ..request })
    }
}

impl ResultOptions {
    /// Is it for a game that is over, or a pairing? Else the station finds out, a dry run as the request itself.
    fn is_for_tournament(&self) -> bool {
        self.game.is_some() || self.pairing.is_some() || self.correct || self.kind.is_some()
    }

    fn request(&self, board: &str, result: &str, sure: bool) -> TournamentRequest {
        let matter = TournamentCommand::Result {
            board: (board != "-").then(|| board.to_owned()),
            game: self.game,
            pairing: self.pairing.clone(),
            section: self.section.clone(),
            result: result.to_owned(),
            kind: self.kind.clone(),
            correct: self.correct,
        };
        self.once.to_options(TournamentRequest { confirm: sure, reason: self.reason.clone(), ..matter.into() })
    }
}

/// What becomes of a round.
#[derive(Clone, Copy, clap::ValueEnum)]
enum RoundAction {
    /// Everybody may see its pairings.
    Publish,
    /// It is not published any more.
    Withdraw,
    /// Games that begin now are games of it.
    Open,
    /// It is over.
    Close,
}

impl RoundAction {
    fn state(self) -> RoundState {
        match self {
            RoundAction::Publish => RoundState::Published,
            RoundAction::Withdraw => RoundState::Prepared,
            RoundAction::Open => RoundState::Open,
            RoundAction::Close => RoundState::Closed,
        }
    }
}

/// A side, as it is written on the command line.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Side {
    #[value(alias = "w")]
    White,
    #[value(alias = "b")]
    Black,
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        }
    }
}

impl Subcommand {
    /// `dry_run`: only what would come of it is asked.
    fn request(&self, dry_run: bool) -> anyhow::Result<ClientRequest> {
        let of_tournament = |request| {
            let request = Box::new(TournamentRequest { dry_run, ..request });
            Ok(ClientRequest::Tournament { request, until: None })
        };
        let (board, command) = match self {
            Subcommand::Result { board, of, .. } if board == "-" && of.pairing.is_none() => {
                bail!("`-` in place of a board needs --pairing, as in --pairing 3.2")
            }
            Subcommand::Result { board, result, confirm: sure, of } if of.is_for_tournament() => {
                return of_tournament(of.request(board, result, *sure));
            }
            Subcommand::Result { of, .. } if of.once.request_id.is_some() || of.once.if_version.is_some() => {
                bail!(
                    "--request-id and --if-version are for the tournament: name the pairing with --pairing, or a game that is over with --game"
                )
            }
            Subcommand::Round { to, round, section, confirm: sure, once } => {
                let to = to.state().name().to_owned();
                let matter = TournamentCommand::SetRoundState { round: *round, to, section: section.clone() };
                return of_tournament(once.to_options(TournamentRequest { confirm: *sure, ..matter.into() }));
            }
            Subcommand::RenamePlayer { player, name, of } => {
                let (player, name) = (player.clone(), name.clone());
                return of_tournament(of.request(|section| TournamentCommand::RenamePlayer { player, name, section }));
            }
            Subcommand::Adopt { board, game, pairing, of } => {
                let (board, game, pairing) = (board.clone(), *game, pairing.clone());
                return of_tournament(of.request(|section| TournamentCommand::Adopt { board, game, pairing, section }));
            }
            Subcommand::AddMoves { board, file, game, reason, once } => {
                let text = encoding::decode(&read_whole(file)?, Encoding::Detect).0;
                let name =
                    if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() };
                let request: TournamentRequest =
                    TournamentCommand::AddMoves { board: board.clone(), game: *game, name, text }.into();
                return of_tournament(once.to_options(TournamentRequest { reason: reason.clone(), ..request }));
            }
            Subcommand::Substitute { pairing, player, substitute: by, of } => {
                let (pairing, player, by) = (pairing.clone(), player.clone(), by.clone());
                return of_tournament(of.request(|section| TournamentCommand::Substitute {
                    pairing,
                    player,
                    substitute: by,
                    section,
                }));
            }
            Subcommand::Postpone { pairing, undo, of } => {
                let (pairing, undo) = (pairing.clone(), *undo);
                return of_tournament(of.request(|section| TournamentCommand::Postpone { pairing, section, undo }));
            }
            Subcommand::PlayOn { pairing, board, of } => {
                let (pairing, board) = (pairing.clone(), board.clone());
                return of_tournament(of.request(|section| TournamentCommand::PlayOnBoard { pairing, board, section }));
            }
            Subcommand::Replay { pairing, of } => {
                let pairing = pairing.clone();
                return of_tournament(of.request(|section| TournamentCommand::Replay { pairing, section }));
            }
            Subcommand::Reload | Subcommand::Login { .. } | Subcommand::AlarmTest | Subcommand::LogLevel { .. }
                if dry_run =>
            {
                bail!("--dry-run is for what changes a game or the tournament; this changes neither")
            }
            Subcommand::Reload => return Ok(ClientRequest::Reload { until: None }),
            Subcommand::Login { role, name } => {
                return Ok(ClientRequest::Login { name: name.clone().unwrap_or_else(user), role: (*role).into() });
            }
            Subcommand::AlarmTest => return Ok(ClientRequest::AlarmTest { until: None }),
            Subcommand::LogLevel { level } => {
                return Ok(ClientRequest::LogLevel { filter: level.clone(), until: None });
            }
            Subcommand::Result { board, result, .. } => (board, OperatorCommand::Result(result.clone())),
            Subcommand::Resign { board, side, .. } => (board, OperatorCommand::Resign((*side).into())),
            Subcommand::SetPlayers { board, white, black } => (board, OperatorCommand::names(white, black)?),
            Subcommand::Pairing { board, id, tags } => (board, pairing(id, tags)),
            Subcommand::Start { board, from_memory: true, .. } => (board, OperatorCommand::StartFromMemory),
            Subcommand::Start { board, fen, .. } => (board, OperatorCommand::Start(fen.clone())),
            Subcommand::Setup { board, fen } => (board, OperatorCommand::Setup(fen.clone())),
            Subcommand::Continue { board, .. } => (board, OperatorCommand::Continue(false)),
            Subcommand::Undo { board, plies } => (board, OperatorCommand::Undo((*plies).into())),
            Subcommand::Resync { board, side } => (board, OperatorCommand::Resync(side.map(Color::from))),
            Subcommand::Flip { board } => (board, OperatorCommand::Flip),
            Subcommand::Hold { board } => (board, OperatorCommand::HoldPublication),
            Subcommand::Release { board } => (board, OperatorCommand::ReleasePublication),
            Subcommand::Rotate { board } => (board, OperatorCommand::Rotate),
        };
        let sure = matches!(
            self,
            Subcommand::Result { confirm: true, .. }
                | Subcommand::Resign { confirm: true, .. }
                | Subcommand::Continue { confirm: true, .. }
        );
        Ok(ClientRequest::Request {
            board: board.clone(),
            request: command.to_string(),
            confirm: sure,
            reason: match self {
                Subcommand::Result { of, .. } => of.reason.clone(),
                _ => String::new(),
            },
            if_seen: None,
            dry_run,
            until: None,
        })
    }

    /// What there is to say where the station says nothing.
    fn default_message(&self) -> &'static str {
        match self {
            Subcommand::Resync { .. } => {
                "the board is asked what stands on it; `damcast status` shows what becomes of it"
            }
            _ => "done",
        }
    }
}

/// A tag of the command line.
fn tag(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    parts.ok_or_else(|| "expected TAG=VALUE, as in White=\"Sijbrands, T.\"".to_owned())
}

fn pairing(id: &str, tags: &[(String, String)]) -> OperatorCommand {
    let is_none = id == "none" && tags.is_empty();
    OperatorCommand::SetPairing((!is_none).then(|| BoardPairing { id: id.to_owned(), tags: tags.to_vec() }))
}

/// Asks, and says what became of it.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let request = arguments.verb.request(arguments.dry_run)?;
    let mut client = match arguments.station.connect() {
        Ok(client) => client,
        Err(code) => return Ok(code),
    };
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
    // What was asked for is done or refused, whether anybody can read so or not.
    let shown = if arguments.json {
        output::print_line(serde_json::to_string(&reply)?)
    } else {
        print_reply(&reply, arguments)
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

/// Says what became of it.
fn print_reply(reply: &Reply, arguments: &Arguments) -> io::Result<()> {
    if let Some(code) = &reply.code {
        output::print_line(format_args!("code: {code}"))?;
        return output::print_line(format_args!(
            "within a minute, at {}?code={code}",
            arguments.station.desk_address()
        ));
    }
    for message in &reply.messages {
        output::print_line(message)?;
    }
    let written = if arguments.dry_run { "would be written" } else { "written" };
    for line in reply.lines.iter().filter(|line| !line.is_empty()) {
        output::print_line(format_args!("{written}: {line}"))?;
    }
    match &reply.error {
        Some(error) => output::print_error(format_args!("damcast: {error}")),
        // The office has said it.
        None if arguments.dry_run && !reply.messages.iter().any(|message| message == DRY_RUN) => {
            output::print_line(DRY_RUN)?
        }
        None if reply.messages.is_empty() && reply.lines.is_empty() => {
            output::print_line(arguments.verb.default_message())?
        }
        None => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn asked(words: &str) -> anyhow::Result<ClientRequest> {
        let words = format!("ctl {words} --request-id r1 --if-version 3");
        Program::try_parse_from(words.split_whitespace())?.arguments.verb.request(false)
    }

    #[test]
    fn tournament_requests_carry_name_and_seen_version() {
        for words in [
            "result - 2-0 --pairing 1.1",
            "round open 1",
            "rename-player A B",
            "substitute 1.1 A B",
            "adopt a",
            "postpone 1.1",
            "play-on 1.1 a",
            "replay 1.1",
        ] {
            let Ok(ClientRequest::Tournament { request, .. }) = asked(words) else { panic!("{words}") };
            assert_eq!((request.request_id.as_deref(), request.if_version), (Some("r1"), Some(3)), "{words}");
        }
        assert!(asked("result a 2-0").is_err_and(|why| why.to_string().contains("are for the tournament")));
    }
}
