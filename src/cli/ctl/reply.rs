//! Prints the answer to a request of `damcast ctl`.

use std::io;

use damcast::control::Reply;
use damcast::station::tournament_service::DRY_RUN;

use super::super::output;
use super::{Arguments, Subcommand};

/// Prints the outcome.
pub(super) fn print(reply: &Reply, arguments: &Arguments) -> io::Result<()> {
    if let Some(code) = &reply.code {
        output::print_line(format_args!("code: {code}"))?;
        if let Subcommand::EntryCode { .. } = arguments.verb {
            return reply.messages.iter().try_for_each(output::print_line);
        }
        return output::print_line(format_args!(
            "within a minute, at {}?code={code}",
            reply.desk.clone().unwrap_or_else(|| arguments.station.desk_address())
        ));
    }
    for message in &reply.messages {
        output::print_line(message)?;
    }
    let written = if arguments.dry_run { "would be written" } else { "written" };
    // The end of a file is in the message about the game.
    let is_news = |line: &&String| !line.is_empty() && (*line != "*" || reply.messages.is_empty());
    for line in reply.lines.iter().filter(is_news) {
        output::print_line(format_args!("{written}: {line}"))?;
    }
    match &reply.error {
        Some(error) => output::print_error(format_args!("damcast: {error}")),
        // The tournament service may already have sent this message.
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
