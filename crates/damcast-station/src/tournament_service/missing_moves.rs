//! Moves that a board missed, checked against its live files.

use damcast_engine::livefile::LiveFileContents;
use damcast_engine::score_sheet::missing_moves;
use draughts_tournament::{BoardGame, TournamentCommand};

use super::TournamentService;

impl TournamentService {
    /// Replaces the text of a score sheet in a command by the moves that the game lacks.
    pub(super) fn with_checked_moves(&self, command: &TournamentCommand) -> Result<TournamentCommand, String> {
        let mut command = command.clone();
        if let TournamentCommand::AddMoves { board, game, name, text } = &mut command {
            *text = self.missing_moves(self.games.find(board, *game)?, name, text)?;
        }
        Ok(command)
    }

    fn missing_moves(&self, game: &BoardGame, name: &str, text: &str) -> Result<String, String> {
        let (board, number) = (&game.board, game.number);
        if !game.is_over {
            return Err(format!("{board}, game {number}, goes on: moves are added to a game that is over"));
        }
        if let Some(later) = self.games.later_part(game) {
            return Err(format!("{board}, game {number}, went on as game {}: add them to that", later.number));
        }
        let mut recorded = self.recorded(game)?;
        let earlier = std::iter::successors(self.games.earlier_part(game), |part| self.games.earlier_part(part));
        for part in earlier {
            let mut earlier = self.recorded(part)?;
            let end = earlier.entries.last().map_or(earlier.header.start(), |entry| entry.kind.position_after());
            // A game that continued from another position has no moves in between on the sheet.
            if end.setup() != recorded.header.start().setup() {
                break;
            }
            earlier.entries.append(&mut recorded.entries);
            recorded = earlier;
        }
        missing_moves(&recorded, text).map_err(|problem| format!("{name}:{problem}"))
    }

    /// Reads the live file of a game.
    fn recorded(&self, game: &BoardGame) -> Result<LiveFileContents, String> {
        let file = self.live.join(format!("{}-{}.pdn", game.board, game.number));
        let unread = |reason: String| format!("{}: {reason}; nothing was changed", file.display());
        let bytes = self.disk.read(&file).map_err(|error| unread(error.to_string()))?;
        let contents = LiveFileContents::parse(game.number, &String::from_utf8_lossy(&bytes));
        contents.ok_or_else(|| unread("it is no live file; `damcast fsck` says more".to_owned()))
    }
}
