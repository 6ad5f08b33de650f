//! Reconciles a live file with its log after a crash.
//!
//! The log defines the content of the file, byte for byte; the file may be behind, because the log is written first.
//!
//! | the file | action |
//! |---|---|
//! | equals the content by the log | none |
//! | is the beginning of it, its result written or not | appends the rest, then writes the result |
//! | is such a file with missing or zero bytes or half a result, as after a loss of power | writes these bytes first |
//! | does not exist | writes it |
//! | differs in any other way: another program changed it | leaves it alone; the game continues in `NAME-G.recovered-1.pdn` |
//!
//! The table applies to recovered files as well: if one was changed, the next number follows.

use std::io;
use std::ops::Range;
use std::path::Path;

use damcast_engine::livefile::{self, LiveFileContents};

use super::LiveFile;
use super::live_file::{name, names, too_many_files_error};
use crate::disk::{self, Disk};

/// Brings the file of a game up to its log. Returns the file and the notices for the operator.
///
/// # Errors
///
/// Returns any I/O error, or an error if every name is taken.
pub fn reconcile(
    disk: &dyn Disk,
    folder: &Path,
    line: &str,
    game: &LiveFileContents,
) -> io::Result<(LiveFile, Option<String>)> {
    let own = name(folder, line, game.header.game);
    for path in names(folder, line, game.header.game) {
        let found = disk::if_found(disk.read(&path))?;
        let Some(mending) = plan_repair(found.as_deref().unwrap_or_default(), game) else { continue };
        let mut file = match found {
            Some(ref found) => LiveFile::open(disk, &path, game.header.game, found.clone())?,
            None => LiveFile::create(disk, folder, line, game.header.game)?.0,
        };
        let whole = game.body_bytes();
        if let Some(range) = mending.zeroed {
            file.file.write_at(&whole[range.clone()], range.start as u64)?;
            file.content[range.clone()].copy_from_slice(&whole[range]);
        }
        if let Some(rest) = whole.get(mending.append_from..).filter(|rest| !rest.is_empty()) {
            file.append(rest).map_err(|(_, error)| error)?;
        }
        if let Some((at, tag)) = mending.result_offset {
            file.overwrite(at, &tag)?;
        }
        let path = path.display();
        let added = whole.len() - mending.append_from;
        let notice = match found {
            _ if path.to_string() != own.display().to_string() => Some(format!(
                "{} was changed outside damcast and is left as it is; the game is in {path}",
                own.display()
            )),
            None => Some(format!("{path} was missing and has been written again")),
            Some(_) if added > 0 => Some(format!("{path} has been completed with {added} bytes from the log")),
            Some(_) => None,
        };
        return Ok((file, notice));
    }
    Err(too_many_files_error(folder, line, game.header.game))
}

/// Missing parts of a file.
#[derive(PartialEq, Eq, Debug)]
struct RepairPlan {
    /// Range from the first to the last zero byte that should have another value.
    zeroed: Option<Range<usize>>,
    /// Offset from which bytes are missing.
    append_from: usize,
    /// Offset and bytes of the Result tag.
    result_offset: Option<(usize, Vec<u8>)>,
}

/// Returns the missing parts of a file; `None` if it is not the file of this game.
fn plan_repair(found: &[u8], game: &LiveFileContents) -> Option<RepairPlan> {
    let whole = game.body_bytes();
    let tag = game.result.as_ref().and_then(|result| livefile::result_patch(&whole, result));
    let in_tag = |at: usize| Some(*tag.as_ref()?.1.get(at.checked_sub(tag.as_ref()?.0)?)?);
    let mut lost: Option<Range<usize>> = None;
    for (at, &byte) in found.iter().enumerate() {
        let expected = *whole.get(at)?;
        if byte == expected || Some(byte) == in_tag(at) {
            continue;
        }
        if byte != 0 {
            return None;
        }
        lost = Some(lost.map_or(at, |lost| lost.start)..at + 1);
    }
    // Restoring lost bytes overwrites a result among them, so the result is written again.
    let is_written = |(at, tag): &(usize, Vec<u8>)| lost.is_none() && found.get(*at..*at + tag.len()) == Some(tag);
    Some(RepairPlan { result_offset: tag.filter(|tag| !is_written(tag)), zeroed: lost, append_from: found.len() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::RealDisk;

    const APPENDED: &str = "[Result \"*\"]\n\n\n\n1. 32-28\n19-23\n*\n";
    const FINISHED: &str = "[Result \"2-0\"]\n\n1. 32-28\n19-23\n*\n";

    fn game(result: Option<&str>) -> LiveFileContents {
        let read = LiveFileContents::parse(1, APPENDED).unwrap();
        LiveFileContents { result: result.map(str::to_owned), ..read }
    }

    /// Reconciles a folder that holds `found`. Returns the notice and the files afterwards.
    fn check(found: &[(&str, &str)], game: &LiveFileContents) -> (String, Vec<(String, String)>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in found {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let (mut file, notice) = reconcile(&RealDisk, folder.path(), "a", game).unwrap();
        file.append(b"; more\n").unwrap();
        let mut files: Vec<(String, String)> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
            .collect();
        files.sort();
        (notice.unwrap_or_default(), files)
    }

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn completes_file_cut_anywhere() {
        for result in [None, Some("2-0")] {
            let game = game(result);
            let whole = String::from_utf8(game.bytes()).unwrap();
            for text in [APPENDED, &whole] {
                for cut in 0..=text.len() {
                    let (notice, files) = check(&[("a-1.pdn", &text[..cut])], &game);
                    assert_eq!(files, [file("a-1.pdn", &format!("{whole}; more\n"))], "{:?}", &text[..cut]);
                    assert_eq!(notice.is_empty(), cut == text.len(), "{notice}");
                }
            }
        }
    }

    #[test]
    fn finished_game_needs_only_result() {
        let (notice, files) = check(&[("a-1.pdn", APPENDED)], &game(Some("2-0")));
        assert_eq!((notice.as_str(), files), ("", vec![file("a-1.pdn", &format!("{FINISHED}; more\n"))]));
    }

    #[test]
    fn refills_zeroed_bytes_of_live_file() {
        for (result, whole) in [(None, APPENDED), (Some("2-0"), FINISHED)] {
            let all = whole.len();
            for (from, to) in (0..all).flat_map(|from| [1, 7, all].map(|length| (from, (from + length).min(all)))) {
                let mut lost = whole.as_bytes().to_vec();
                lost[from..to].fill(0);
                let (_, files) = check(&[("a-1.pdn", std::str::from_utf8(&lost).unwrap())], &game(result));
                assert_eq!(files, [file("a-1.pdn", &format!("{whole}; more\n"))], "{from}..{to}");
            }
        }
        for half in 0..APPENDED.len() {
            let torn = format!("{}{}", &FINISHED[..half], &APPENDED[half..]);
            let (notice, files) = check(&[("a-1.pdn", &torn)], &game(Some("2-0")));
            assert_eq!((notice.as_str(), files), ("", vec![file("a-1.pdn", &format!("{FINISHED}; more\n"))]));
        }
    }

    #[test]
    fn writes_missing_file() {
        let (notice, files) = check(&[], &game(None));
        assert!(notice.contains("was missing"), "{notice}");
        assert_eq!(files, [file("a-1.pdn", &format!("{APPENDED}; more\n"))]);
    }

    #[test]
    fn leaves_changed_file_alone() {
        let edited = APPENDED.replace("19-23", "20-24");
        let longer = format!("{APPENDED}a remark\n");
        for changed in [edited.as_str(), longer.as_str()] {
            let (notice, files) = check(&[("a-1.pdn", changed)], &game(None));
            assert!(notice.contains("a-1.pdn was changed outside damcast and is left as it is"), "{notice}");
            let recovered = file("a-1.recovered-1.pdn", &format!("{APPENDED}; more\n"));
            assert_eq!(files, [file("a-1.pdn", changed), recovered]);
        }
    }

    #[test]
    fn recovered_file_continues_and_may_change_again() {
        let begun = ("a-1.recovered-1.pdn", &APPENDED[..20]);
        let (_, files) = check(&[("a-1.pdn", "changed"), begun], &game(None));
        assert_eq!(files[1], file("a-1.recovered-1.pdn", &format!("{APPENDED}; more\n")));
        let (_, files) = check(&[("a-1.pdn", "changed"), ("a-1.recovered-1.pdn", "changed")], &game(None));
        assert_eq!(files[2], file("a-1.recovered-2.pdn", &format!("{APPENDED}; more\n")));
    }
}
