//! Check of logs, and of the live files derived from them.

use damcast_engine::livefile::LiveFileContents;

use super::*;

pub(super) fn check_logs(line: &LineLogs, report: &mut FsckReport) {
    let mut before: Option<&Header> = None;
    // An unreadable log still counts as present.
    let mut number_before = None;
    let last = line.logs.last().map(|log| log.file.number);
    for log in &line.logs {
        let path = relative(&log.file.path);
        let (header, summary) = (&log.header, &log.summary);
        let is_next = number_before.is_none_or(|before| before + 1 == log.file.number);
        number_before = Some(log.file.number);
        report.logs += 1;
        report.bytes += summary.bytes;
        check_damage(log, Some(log.file.number) == last, report);
        if header.line.as_deref().is_some_and(|named| named != line.name) {
            let what = format!("it is of the line {}", header.line.as_deref().unwrap_or_default());
            report.error(FindingKind::Log, &path, what, "give the file its own name again");
        }
        let Some(opened) = header.opened else {
            // A start was cut off in the middle of the head.
            let what = "it does not say when it was opened, so it is not used";
            match summary.records {
                0 => report.note(FindingKind::Log, &path, what),
                _ => report.error(FindingKind::Log, &path, what, "restore it"),
            }
            continue;
        };
        match before {
            Some(_) if !is_next => {
                let what = format!("the log before it, {}-{}.log, is missing", line.name, log.file.number - 1);
                report.error(
                    FindingKind::Log,
                    &path,
                    what,
                    "restore it; the games that it holds part of are not complete",
                );
            }
            Some(header) if header.opened > Some(opened) => {
                report.error(
                    FindingKind::Log,
                    &path,
                    "it was opened before the log before it",
                    "restore the files from a copy",
                );
            }
            None if header.continues() == Some(true) => {
                report.error(
                    FindingKind::Log,
                    &path,
                    "it goes on from a log that is not there",
                    "restore the log before it",
                );
            }
            _ => {}
        }
        before = Some(header);
    }
    if let (Some(game), Some(last)) = (line.standing.first(), line.logs.last()) {
        let what = format!(
            "a log of this line lost a part of {}, which stands still as it was published",
            game.file().display()
        );
        let advice = "restore the damaged log from a copy; if none is named, the last ones lack their end";
        report.error(FindingKind::Log, relative(&last.file.path), what, advice);
    }
    if let Err(error) = &line.playback {
        report.error(
            FindingKind::Log,
            format!("log/{}", line.name),
            format!("the logs cannot be played: {error}"),
            "see the logs",
        );
    }
}

/// Reports problems of a single log.
fn check_damage(log: &LineLog, is_last: bool, report: &mut FsckReport) {
    let (path, summary) = (relative(&log.file.path), &log.summary);
    if let Some(damage) = summary.damage.as_ref().filter(|damage| damage.fault == LogFault::ZeroBytes) {
        // Bytes that never reached a disk cannot be restored from a copy.
        match is_last {
            true => report.mended(FindingKind::Log, &path, damage.to_string()),
            false => report.note(FindingKind::Log, &path, damage.to_string()),
        }
    } else if let Some(damage) = &summary.damage {
        let what = format!("{damage}; {} records before it are used", summary.records);
        report.error(
            FindingKind::Log,
            &path,
            what,
            "restore the file from a copy; what follows the damage is not used",
        );
    }
    for problem in &summary.problems {
        let is_being_written = is_last && report.holder.is_some();
        match problem {
            LogProblem::TornEnd { .. } | LogProblem::HeaderTorn if is_being_written => {}
            LogProblem::TornEnd { .. } => {
                report.note(FindingKind::Log, &path, format!("{problem}: a crash; nothing was published of it"));
            }
            LogProblem::HeaderChanged => {
                report.error(FindingKind::Log, &path, problem.to_string(), "restore the file from a copy");
            }
            _ => report.note(FindingKind::Log, &path, problem.to_string()),
        }
    }
}

/// Checks that each log except the last agrees with its entry in the next one.
pub(super) fn check_chains(folder: &StationFolder, report: &mut FsckReport) -> io::Result<()> {
    let claims = chain::previous_logs(&folder.directory.join("log"))?;
    for log in folder.lines.iter().flat_map(|line| &line.logs) {
        let end = log.commits_tail.as_ref().map(|(at, bytes)| (*at, &bytes[..]));
        if let Some(what) = chain::difference(&log.file, end, &claims) {
            let advice = "restore the file from a copy; its games may be made otherwise than they were published";
            report.error(FindingKind::Log, relative(&log.file.path), what, advice);
        }
    }
    Ok(())
}

/// Result of comparing a file with its game.
#[derive(PartialEq, Eq, Debug)]
enum FileMatch {
    Identical,
    /// Number of missing bytes; 0 if only the result is missing.
    Prefix(usize),
    Different,
}

/// Compares a file with its game. Returns the result and the expected content.
fn match_file(found: &Digest, game: &LiveFileContents) -> (FileMatch, Vec<u8>) {
    let (mut whole, appended) = (game.bytes(), game.body_bytes());
    let length = usize::try_from(found.length).unwrap_or(usize::MAX);
    let begins = |all: &[u8]| all.get(..length).is_some_and(|beginning| Digest::from_bytes(beginning) == *found);
    let missing = whole.len().saturating_sub(length);
    if begins(&whole) {
        whole.truncate(length);
        return (if missing == 0 { FileMatch::Identical } else { FileMatch::Prefix(missing) }, whole);
    }
    // The Result tag is written in place, so a crash may leave its beginning before the end of the old one.
    let mut torn = appended.clone();
    for at in (0..whole.len()).filter(|&at| whole.get(at) != appended.get(at)) {
        if begins(&torn) {
            return (FileMatch::Prefix(missing), appended[..length].to_vec());
        }
        torn[at] = whole[at];
    }
    (FileMatch::Different, Vec::new())
}

/// Results of checking live files, game by game.
#[derive(Default)]
pub(super) struct LiveFileCheck {
    pub(super) games: usize,
    pub(super) findings: Vec<FsckFinding>,
    /// Files that belong to a game.
    pub(super) known_files: BTreeSet<PathBuf>,
}

impl LiveFileCheck {
    pub(super) fn check(&mut self, found: &FolderContents, prefix: &str, game: &PlayedGame) {
        self.games += 1;
        let own = live_file(prefix, game.number());
        let recovered =
            (1..).map(|count| Path::new("live").join(format!("{prefix}-{}.recovered-{count}.pdn", game.number())));
        let recovered: Vec<PathBuf> = recovered.take_while(|path| found.files.contains_key(path)).collect();
        let all: Vec<&PathBuf> = std::iter::once(&own).chain(&recovered).collect();
        let mut is_held = false;
        for (index, path) in all.iter().enumerate() {
            let mut add = |severity, what: String, advice| {
                let kind = match severity {
                    Severity::Note => FindingKind::SupersededLiveFile,
                    _ => FindingKind::LiveFile,
                };
                self.findings.push(FsckFinding { kind, severity, file: (*path).clone(), message: what, advice });
            };
            self.known_files.insert((*path).clone());
            let is_last = index + 1 == all.len();
            let Some(digest) = found.files.get(*path) else {
                add(Severity::SelfHealing, "it is not there; the log has its game".to_owned(), "");
                continue;
            };
            let (likeness, bytes) = match_file(digest, &game.file);
            match likeness {
                FileMatch::Identical | FileMatch::Prefix(_) if is_held => {
                    let what = "the game is in a file before it as well".to_owned();
                    add(Severity::Error, what, "damcast rebuild puts it aside");
                }
                FileMatch::Identical => is_held = true,
                FileMatch::Prefix(missing) => {
                    is_held = true;
                    add(Severity::SelfHealing, format!("it lacks its last {missing} bytes, or its result"), "");
                }
                FileMatch::Different if is_last => {
                    let what = "it differs from the log: it was changed outside damcast".to_owned();
                    let advice = "the next start goes on in a recovered file; damcast rebuild puts this one aside";
                    add(Severity::Error, what, advice);
                }
                FileMatch::Different => {
                    let what = "it was changed outside damcast; the recovered file beside it replaces it".to_owned();
                    add(Severity::Note, what, "");
                }
            }
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            if let Some(first_error) = first_problem(ReaderProfile::Standard, &bytes[..whole]).filter(|_| is_held) {
                let what = format!("it is not strict PDN: {first_error}");
                add(Severity::Error, what, "this is a fault of damcast; please report it");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_written_result_is_only_missing() {
        let appended = "[Result \"*\"]\n\n\n\n1. 32-28\n19-23\n*\n";
        let finished = "[Result \"2-0\"]\n\n1. 32-28\n19-23\n*\n";
        let read = LiveFileContents::parse(1, appended).unwrap();
        let game = LiveFileContents { result: Some("2-0".to_owned()), ..read };
        let found = |text: &str| match_file(&Digest::from_bytes(text.as_bytes()), &game).0;
        assert_eq!(found(finished), FileMatch::Identical);
        for at in 0..15 {
            let expected = if at < 14 { FileMatch::Prefix(0) } else { FileMatch::Identical };
            assert_eq!(found(&[&finished[..at], &appended[at..]].concat()), expected, "{at}");
        }
        assert_eq!(found(&finished.replace("2-0", "2-1")), FileMatch::Different);
    }
}
