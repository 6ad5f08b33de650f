//! The request that the arguments of `damcast ctl` ask for.

use anyhow::bail;
use damcast::control::ClientRequest;
use damcast::control::tournament::TournamentRequest;
use damcast::engine::session::request::{BoardPairing, OperatorCommand};
use damcast::tournament::TournamentCommand;
use draughts::Color;
use draughts_pdn::encoding::{self, Encoding};

use super::super::input::read_whole;
use super::super::tournament::user;
use super::Subcommand;

impl Subcommand {
    /// Returns the request; with `dry_run` it changes nothing.
    pub(super) fn request(&self, dry_run: bool) -> anyhow::Result<ClientRequest> {
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
}

fn pairing(id: &str, tags: &[(String, String)]) -> OperatorCommand {
    let is_none = id == "none" && tags.is_empty();
    OperatorCommand::SetPairing((!is_none).then(|| BoardPairing { id: id.to_owned(), tags: tags.to_vec() }))
}
