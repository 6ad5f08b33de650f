//! Options that several requests have.

use damcast::control::tournament::TournamentRequest;
use damcast::tournament::TournamentCommand;

/// Options of a result: game or pairing, kind and reason.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ResultOptions {
    /// Number of the finished game on this board.
    #[arg(long, value_name = "N")]
    game: Option<u32>,
    /// Pairing: 3.2 is board 2 of round 3.
    #[arg(long, value_name = "R.B", conflicts_with = "game")]
    pub(super) pairing: Option<String>,
    /// Section of the pairing.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Replace an existing result.
    #[arg(long)]
    correct: bool,
    /// Kind of the result: played, forfeit, both lost, arbiter, not played. Also bye if there is one player, and white plus or black plus
    /// for a draw with an advantage.
    #[arg(long, value_name = "HOW")]
    kind: Option<String>,
    #[command(flatten)]
    pub(super) once: IdempotencyOptions,
    /// Reason, kept in the tournament log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(super) reason: String,
}

/// Options that prevent repeated requests and requests based on an outdated tournament.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct IdempotencyOptions {
    /// Identifier of this request; repeating it under the same identifier does nothing.
    #[arg(long, value_name = "ID")]
    pub(super) request_id: Option<String>,
    /// Tournament version this request is based on. If the tournament has changed since, the request is refused with the changes.
    #[arg(long, value_name = "N")]
    pub(super) if_version: Option<u64>,
}

impl IdempotencyOptions {
    pub(super) fn to_options(&self, request: TournamentRequest) -> TournamentRequest {
        TournamentRequest { request_id: self.request_id.clone(), if_version: self.if_version, ..request }
    }
}

/// Common options of tournament requests.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct TournamentOptions {
    #[command(flatten)]
    pub(super) once: IdempotencyOptions,
    /// Section of the tournament.
    #[arg(long, value_name = "NAME")]
    section: Option<String>,
    /// Reason, kept in the tournament log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(super) reason: String,
    /// Proceed where damcast would require confirmation.
    #[arg(long)]
    confirm: bool,
}

impl TournamentOptions {
    pub(super) fn request(&self, matter: impl FnOnce(Option<String>) -> TournamentCommand) -> TournamentRequest {
        let request = matter(self.section.clone()).into();
        self.once.to_options(TournamentRequest { reason: self.reason.clone(), confirm: self.confirm, ..request })
    }
}

impl ResultOptions {
    /// Whether the options name a finished game or a pairing. Otherwise the station finds out, both for a dry run and for the request
    /// itself.
    pub(super) fn is_for_tournament(&self) -> bool {
        self.game.is_some() || self.pairing.is_some() || self.correct || self.kind.is_some()
    }

    pub(super) fn request(&self, board: &str, result: &str, sure: bool) -> TournamentRequest {
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
