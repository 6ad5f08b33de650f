//! Commands that a line receives while it runs: requests of operators, a new configuration, its removal.

use std::fmt::Write;
use std::time::Duration;

use damcast_engine::bytelog::RecordKind;
use damcast_engine::session::request::{AddedMoves, OperatorCommand, Request};
use damcast_engine::session::{BusAddress, Effect, Input};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use tracing::{debug, info, warn};

use super::command::{LineCommand, RequestContext, RequestOutcome};
use super::{LineTask, StationError};
use crate::live_files;

/// Longest time for which the answer to a request that ends a game waits until the end is published: a disk may be full.
const MAX_PUBLICATION_TIME: Duration = Duration::from_secs(2);

impl LineTask {
    pub(super) async fn on_command(&mut self, order: LineCommand) -> Result<(), StationError> {
        // The requester looks at the status next.
        self.report_due = Instant::now();
        match order {
            LineCommand::Request { request, context: asked, answer } => {
                let is_entry = request.command.is_entry() && !asked.is_dry_run;
                let ends_game = describe_end(&request).is_some() && !asked.is_dry_run;
                let done = self.on_request(request, &asked).await?;
                if is_entry && done.refusal.is_none() {
                    return self.answer_when_durable(done, answer);
                }
                // The next request may be about the result, which the tournament knows once it is published.
                let ends_game = ends_game && done.refusal.is_none();
                let published = if ends_game { Some(self.recorder.when_durable()?) } else { None };
                let written = self.recorder.written();
                let patience = MAX_PUBLICATION_TIME.min(asked.deadline.remaining());
                tokio::spawn(async move {
                    if let Some(published) = published {
                        let _ = timeout(patience, published).await;
                    }
                    // The answer says that the log has the request. The line does not wait for it.
                    if tokio::task::spawn_blocking(written).await.is_ok() {
                        // The requester may be gone.
                        let _ = answer.send(done);
                    }
                });
            }
            LineCommand::MissingMoves { address, answer } => {
                let _ = answer.send(Ok(self.recorder.line().missing_moves(address)));
            }
            LineCommand::Configure { config, answer } => {
                let _ = answer.send(self.configure(config));
            }
            LineCommand::Remove { answer } => {
                self.is_removed = true;
                let ends = if self.recorder.line().has_open_game() { "ends when its game is over" } else { "ends" };
                let _ = answer.send(Some(ends.to_owned()));
            }
        }
        self.report_pending();
        Ok(())
    }

    /// Answers the sender of an entered ply once the ply is durable. The status shows it before.
    fn answer_when_durable(
        &mut self,
        done: RequestOutcome,
        answer: oneshot::Sender<RequestOutcome>,
    ) -> Result<(), StationError> {
        self.report();
        let durable = self.recorder.when_durable()?;
        tokio::spawn(async move {
            // Without a notice the outcome is unknown, and the sender repeats the request.
            if durable.await.is_ok() {
                let _ = answer.send(done);
            }
        });
        Ok(())
    }

    /// Logs the requester, then handles the request. Drops a request that is too late, and logs that.
    pub(super) async fn on_request(
        &mut self,
        mut request: Request,
        asked: &RequestContext,
    ) -> Result<RequestOutcome, StationError> {
        if let OperatorCommand::Continue(anyway) | OperatorCommand::AddMoves(AddedMoves { anyway, .. }) =
            &mut request.command
        {
            *anyway |= asked.is_confirmed;
        }
        let now = self.clock.now();
        let asker = &asked.requester;
        let game = describe_end(&request).and_then(|end| Some((self.running_game(request.target.address())?, end)));
        let unsure = game
            .as_ref()
            .filter(|(game, _)| game.is_clock_running && !asked.is_confirmed)
            .map(|(game, _)| game.running_clock_message());
        let objection = asked.deadline.expired_message().or(unsure);
        if asked.is_dry_run {
            return Ok(objection.map_or_else(|| self.dry_run(now, request, game), RequestOutcome::refused));
        }
        if let Some(why) = objection {
            let note = format!("request of {asker}: {request}: {why}");
            warn!(line = self.name, "{note}");
            self.recorder.write(now, RecordKind::Note(note));
            return Ok(RequestOutcome::refused(why));
        }
        if let Some(outcome) = self.unchanged_entry(now, &request) {
            debug!(line = self.name, "request of {asker}: {request}: {outcome:?}");
            return Ok(outcome);
        }
        info!(line = self.name, "request of {asker}: {request}");
        self.counters.requests.add(1);
        self.recorder.write(now, RecordKind::Note(format!("request of {asker}")));
        let mut answer = RequestOutcome::default();
        self.feed_with(Input::Request(request), |effect| answer.add_effect(effect)).await?;
        if let Some((game, end)) = game {
            answer.prepend_game_end(&game.description, &end);
        }
        Ok(answer)
    }

    /// Returns the outcome of an entered ply that changes nothing, because it is refused or known already; it leaves no record.
    fn unchanged_entry(&self, now: u64, request: &Request) -> Option<RequestOutcome> {
        if !request.command.is_entry() {
            return None;
        }
        let outputs = self.recorder.dry_run(now, request.clone());
        let is_answer = |effect: &&Effect| matches!(effect, Effect::Refused(_) | Effect::AlreadyDone(_));
        let effect = outputs.iter().map(|output| &output.effect).find(is_answer)?;
        let mut outcome = RequestOutcome::default();
        outcome.add_effect(effect);
        Some(outcome)
    }

    /// Returns the effects of a request without applying or reporting them.
    fn dry_run(&self, now: u64, request: Request, game: Option<(RunningGame, String)>) -> RequestOutcome {
        let mut answer = RequestOutcome::default();
        self.recorder.dry_run(now, request).iter().for_each(|output| answer.add_effect(&output.effect));
        if let Some((game, end)) = game {
            answer.prepend_game_end(&game.description, &end);
        }
        answer
    }

    /// Returns the name of a board of this line.
    pub(super) fn board_name(&self, address: Option<BusAddress>) -> String {
        let named = self.config.boards.iter().find(|board| Some(board.address) == address);
        live_files::file_prefix(&self.name, address, named.map(|board| board.name.as_str()))
    }

    /// Returns the running game of a board; `None` if there is none.
    fn running_game(&self, address: Option<BusAddress>) -> Option<RunningGame> {
        let line = self.recorder.line();
        let status = match address {
            None => line.status(),
            Some(address) => line.boards().into_iter().find(|(other, _)| *other == address)?.1,
        };
        let game = status.game.filter(|_| status.has_open_game)?;
        let mut words = format!("{}, game {game}", self.board_name(address));
        if let [Some(white), Some(black)] = &status.players {
            write!(words, ", {white} - {black}").ok()?;
        }
        write!(words, ", {} plies", status.plies).ok()?;
        Some(RunningGame { description: words, is_clock_running: status.is_clock_running })
    }
}

/// Running game, as shown to an operator.
struct RunningGame {
    /// Board, number, players and plies.
    description: String,
    /// Whether a clock of the game runs.
    is_clock_running: bool,
}

impl RunningGame {
    fn running_clock_message(&self) -> String {
        format!(
            "{}: its clock runs, so it is still being played; repeat with `--confirm` to record the result",
            self.description
        )
    }
}

/// Describes how a request ends a game; `None` if it ends none.
fn describe_end(request: &Request) -> Option<String> {
    match &request.command {
        OperatorCommand::Result(result) => Some(result.clone()),
        OperatorCommand::Resign(side) => Some(format!("{side} resigns")),
        _ => None,
    }
}
