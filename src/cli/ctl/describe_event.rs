//! `damcast ctl describe-event`: the facts of the event.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use chrono::{DateTime, Local, NaiveDateTime};
use damcast::control::ClientRequest;
use damcast::control::client::Client;
use damcast::control::tournament::TournamentRequest;
use damcast::tournament::TournamentCommand;
use draughts_pdn::problem::quote;
use draughts_tournament::ScheduledMoment;
use serde_json::Value;

use super::super::output;
use super::options::IdempotencyOptions;
use super::request::read_text;

/// Facts of the event.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct EventOptions {
    /// Print the present facts, and change nothing.
    #[arg(long)]
    show: bool,
    /// Name of the event.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Place, as in "Huissen, NED".
    #[arg(long, value_name = "TEXT")]
    site: Option<String>,
    /// First day: 2027-07-10.
    #[arg(long, value_name = "DAY")]
    start: Option<String>,
    /// Last day: 2027-07-18.
    #[arg(long, value_name = "DAY")]
    end: Option<String>,
    /// Organiser.
    #[arg(long, value_name = "TEXT")]
    organiser: Option<String>,
    /// Chief arbiter.
    #[arg(long, value_name = "TEXT")]
    arbiter: Option<String>,
    /// Organising federation, as NED.
    #[arg(long, value_name = "TEXT")]
    federation: Option<String>,
    /// System in a sentence, as in "Swiss system, 9 rounds".
    #[arg(long, value_name = "TEXT")]
    format: Option<String>,
    /// Time control, as in "80 minutes + 1 minute a move".
    #[arg(long, value_name = "TEXT")]
    time_control: Option<String>,
    /// Web address of the video stream.
    #[arg(long, value_name = "ADDRESS")]
    stream: Option<String>,
    /// Web address of the regulations.
    #[arg(long, value_name = "ADDRESS")]
    regulations: Option<String>,
    /// Web address of the event's own site.
    #[arg(long, value_name = "ADDRESS")]
    website: Option<String>,
    /// Moment of the schedule, as in "2027-07-10 14:00 Round 1"; repeat it for the others. All replace the known schedule; "" removes it.
    ///
    /// The time is that of the clocks here, unless an offset follows it: 2027-07-10T14:00+02:00.
    #[arg(long, value_name = "TIME NAME")]
    schedule: Vec<String>,
    /// File with the report about the event, several lines of text; `-` is the standard input, and an empty file removes the report.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Reason, kept in the tournament log.
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    #[command(flatten)]
    once: IdempotencyOptions,
}

impl EventOptions {
    /// Whether the present facts are to be printed.
    pub(super) fn is_query(&self) -> bool {
        self.show
    }

    /// Returns the request that sets the given facts.
    pub(super) fn request(&self) -> anyhow::Result<TournamentRequest> {
        let report = self.report.as_deref().map(read_text).transpose()?.map(|(_, text)| text.replace("\r\n", "\n"));
        let facts = [
            ("name", &self.name),
            ("site", &self.site),
            ("start", &self.start),
            ("end", &self.end),
            ("organiser", &self.organiser),
            ("arbiter", &self.arbiter),
            ("federation", &self.federation),
            ("format", &self.format),
            ("time-control", &self.time_control),
            ("stream", &self.stream),
            ("regulations", &self.regulations),
            ("website", &self.website),
            ("report", &report),
        ];
        let given = facts.into_iter().filter_map(|(fact, value)| Some((fact.to_owned(), value.clone()?)));
        let facts: BTreeMap<String, String> = given.collect();
        let moments = self.schedule.iter().filter(|text| !text.is_empty());
        let moments = moments.map(|text| parse_moment(text)).collect::<anyhow::Result<Vec<ScheduledMoment>>>()?;
        let schedule = (!self.schedule.is_empty()).then_some(moments);
        let is_empty = facts.is_empty() && schedule.is_none();
        if self.show && !is_empty {
            bail!("--show changes nothing: leave it out, or leave out the facts");
        }
        if is_empty && !self.show {
            bail!("no fact is given: name one, as in --name \"Open 2027\", or print the present ones with --show");
        }
        let command = TournamentCommand::DescribeEvent { facts, schedule };
        Ok(self.once.to_options(TournamentRequest { reason: self.reason.clone(), ..command.into() }))
    }
}

/// Parses a moment of the schedule, `2027-07-10 14:00 Round 1`.
fn parse_moment(text: &str) -> anyhow::Result<ScheduledMoment> {
    let parsed = || {
        let at = text.get(..16)?;
        let local = NaiveDateTime::parse_from_str(&at.replacen(' ', "T", 1), "%Y-%m-%dT%H:%M").ok()?;
        let (offset, name) = text.get(16..)?.split_once(' ')?;
        let offset = match offset {
            "" => local.and_local_timezone(Local).earliest()?.format("%:z").to_string(),
            offset => DateTime::parse_from_rfc3339(&format!("{}:00{offset}", local.format("%Y-%m-%dT%H:%M")))
                .ok()?
                .format("%:z")
                .to_string(),
        };
        let at = format!("{}{offset}", local.format("%Y-%m-%dT%H:%M")).parse().ok()?;
        Some(ScheduledMoment { at, name: name.trim().to_owned() })
    };
    parsed().with_context(|| {
        format!("invalid moment {}: expected time and name, as in \"2027-07-10 14:00 Round 1\"", quote(text))
    })
}

/// Prints the facts of the event.
pub(super) fn show(client: &mut Client, is_json: bool) -> anyhow::Result<ExitCode> {
    let request = ClientRequest::ShowTournament {};
    let patience = request.timeout();
    let reply = client.request(request, patience, |_| {})?;
    let Some(tournament) = reply.tournament else {
        bail!("{}", reply.error.unwrap_or_else(|| "the station has sent no tournament".to_owned()))
    };
    let mut document: Value = serde_json::from_str(&tournament.tournament)?;
    let event = document["event"].take();
    if is_json {
        output::print_line(&event)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (fact, value) in event.as_object().into_iter().flatten() {
        for moment in value.as_array().into_iter().flatten() {
            let [at, name] = ["at", "name"].map(|member| moment[member].as_str().unwrap_or_default());
            output::print_line(format_args!("schedule: {at} {name}"))?;
        }
        for line in value.as_str().into_iter().flat_map(str::lines) {
            output::print_line(format_args!("{}: {line}", fact.replace('_', "-")))?;
        }
    }
    if event.as_object().is_none_or(serde_json::Map::is_empty) {
        output::print_line(
            "nothing is known of the event: `damcast ctl describe-event --name \"Open 2027\"` names it",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_time_and_name() {
        let moment = parse_moment("2027-07-10T14:00+02:00 Round 1").unwrap();
        assert_eq!((moment.at.to_string().as_str(), &*moment.name), ("2027-07-10T14:00:00+02:00", "Round 1"));
        let moment = parse_moment("2027-07-10 14:00 Prize giving").unwrap();
        assert!(moment.at.to_string().starts_with("2027-07-10T14:00:00") && moment.name == "Prize giving");
        for text in
            ["", "Round 1", "2027-07-10 Round 1", "2027-07-10 14:00", "2027-02-30 14:00 x", "2027-07-10 14:00+x y"]
        {
            assert!(parse_moment(text).unwrap_err().to_string().contains("invalid moment"), "{text}");
        }
    }
}
