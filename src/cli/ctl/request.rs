//! The request that the arguments of `damcast ctl` ask for.

use std::path::Path;

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
use super::words::Switch;

impl Subcommand {
    /// Returns the request; with `dry_run` it changes nothing.
    pub(super) fn request(&self, dry_run: bool) -> anyhow::Result<ClientRequest> {
        self.check(dry_run)?;
        if let Some(request) = self.tournament_request()? {
            let request = Box::new(TournamentRequest { dry_run, ..request });
            return Ok(ClientRequest::Tournament { request, until: None });
        }
        let (board, command) = match self {
            Subcommand::Reload => return Ok(ClientRequest::Reload { until: None }),
            Subcommand::AlarmTest => return Ok(ClientRequest::AlarmTest { until: None }),
            Subcommand::Login { role, name } => {
                return Ok(ClientRequest::Login { name: name.clone().unwrap_or_else(user), role: (*role).into() });
            }
            Subcommand::EntryCode { board, revoke: true, .. } => {
                return Ok(ClientRequest::RevokeEntryCode { board: board.clone() });
            }
            Subcommand::EntryCode { board, round, .. } => {
                return Ok(ClientRequest::EntryCode { board: board.clone(), round: *round });
            }
            Subcommand::LogLevel { level } => {
                return Ok(ClientRequest::LogLevel { filter: level.clone(), until: None });
            }
            of_a_board => of_a_board.board_command()?,
        };
        let (confirm, reason) = match self {
            Subcommand::Result { confirm, of, .. } => (*confirm, of.reason.clone()),
            Subcommand::Resign { confirm, .. } | Subcommand::Continue { confirm, .. } => (*confirm, String::new()),
            _ => (false, String::new()),
        };
        let (board, request) = (board.to_owned(), command.to_string());
        Ok(ClientRequest::Request { board, request, confirm, reason, if_seen: None, dry_run, until: None })
    }

    /// Refuses options that do not go together.
    pub(super) fn check(&self, dry_run: bool) -> anyhow::Result<()> {
        match self {
            Subcommand::Result { board, of, .. } if board == "-" && of.pairing.is_none() => {
                bail!("`-` in place of a board needs --pairing, as in --pairing 3.2")
            }
            Subcommand::Result { of, .. }
                if !of.is_for_tournament() && (of.once.request_id.is_some() || of.once.if_version.is_some()) =>
            {
                bail!(
                    "--request-id and --if-version are for the tournament: name the pairing with --pairing, or a game that is over with --game"
                )
            }
            Subcommand::Reload
            | Subcommand::Login { .. }
            | Subcommand::AlarmTest
            | Subcommand::LogLevel { .. }
            | Subcommand::Enter { .. }
            | Subcommand::EntryCode { .. }
                if dry_run =>
            {
                bail!("--dry-run is for what changes a game or the tournament; this changes neither")
            }
            _ => Ok(()),
        }
    }

    /// Returns the request to the tournament; `None` if this is for a board or the station.
    fn tournament_request(&self) -> anyhow::Result<Option<TournamentRequest>> {
        let request = match self.clone() {
            Subcommand::Result { board, result, confirm, of } if of.is_for_tournament() => {
                of.request(&board, &result, confirm)
            }
            Subcommand::Round { to, round, section, confirm, once } => {
                once.to_options(TournamentRequest { confirm, ..to.command(round, section)?.into() })
            }
            Subcommand::Results { file, correct, of } => {
                let (name, text) = read_text(&file)?;
                of.request(|section| TournamentCommand::Results { name, text, section, correct })
            }
            Subcommand::UndoLast { version, reason, once } => {
                let command = TournamentCommand::Undo { version, round: false };
                once.to_options(TournamentRequest { reason, ..command.into() })
            }
            Subcommand::DescribeEvent(event) => event.request()?,
            Subcommand::RenamePlayer { player, name, of } => {
                of.request(|section| TournamentCommand::RenamePlayer { player, name, section })
            }
            Subcommand::Feature { boards, every, most_moves, off: _, once } => {
                once.to_options(TournamentCommand::Feature { boards, every, most_moves }.into())
            }
            Subcommand::Adopt { board, game, pairing, of } => {
                of.request(|section| TournamentCommand::Adopt { board, game, pairing, section })
            }
            Subcommand::AddMoves { board, moves, game, reason, once, .. } => {
                let [file] = &moves[..] else { bail!("--game needs a file with the moves") };
                let (name, text) = read_text(Path::new(file))?;
                let command = TournamentCommand::AddMoves { board, game, name, text };
                once.to_options(TournamentRequest { reason, ..command.into() })
            }
            Subcommand::Substitute { pairing, player, substitute, of } => {
                of.request(|section| TournamentCommand::Substitute { pairing, player, substitute, section })
            }
            Subcommand::Postpone { pairing, undo, of } => {
                of.request(|section| TournamentCommand::Postpone { pairing, section, undo })
            }
            Subcommand::PlayOn { pairing, board, of } => {
                of.request(|section| TournamentCommand::PlayOnBoard { pairing, board, section })
            }
            Subcommand::Replay { pairing, of } => of.request(|section| TournamentCommand::Replay { pairing, section }),
            _ => return Ok(None),
        };
        Ok(Some(request))
    }

    /// Returns the board and what its recorder is to do.
    fn board_command(&self) -> anyhow::Result<(&str, OperatorCommand)> {
        Ok(match self {
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
            Subcommand::Entry { board, state } => (board, OperatorCommand::SwitchEntry(*state == Switch::On)),
            Subcommand::Hold { board } => (board, OperatorCommand::HoldPublication),
            Subcommand::Release { board } => (board, OperatorCommand::ReleasePublication),
            Subcommand::Rotate { board } => (board, OperatorCommand::Rotate),
            other => bail!("{other:?} is not for a board"),
        })
    }
}

/// Reads a file. Returns its name for messages, and its text.
pub(super) fn read_text(file: &Path) -> anyhow::Result<(String, String)> {
    let text = encoding::decode(&read_whole(file)?, Encoding::Detect).0;
    let is_input = file.as_os_str() == "-";
    Ok((if is_input { "standard input".to_owned() } else { file.display().to_string() }, text))
}

fn pairing(id: &str, tags: &[(String, String)]) -> OperatorCommand {
    let is_none = id == "none" && tags.is_empty();
    OperatorCommand::SetPairing((!is_none).then(|| BoardPairing {
        id: id.to_owned(),
        tags: tags.to_vec(),
        only_from: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::Arguments;
    use super::*;
    use clap::Parser;

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
            "round next",
            "round undo",
            "undo-last",
            "rename-player A B",
            "describe-event --name A",
            "substitute 1.1 A B",
            "adopt a",
            "postpone 1.1",
            "play-on 1.1 a",
            "replay 1.1",
            "feature 1 2 --every 30",
            "feature --off",
        ] {
            let Ok(ClientRequest::Tournament { request, .. }) = asked(words) else { panic!("{words}") };
            assert_eq!((request.request_id.as_deref(), request.if_version), (Some("r1"), Some(3)), "{words}");
        }
        assert!(asked("result a 2-0").is_err_and(|why| why.to_string().contains("are for the tournament")));
    }
}
