//! Holes that a loss of power has left in the end of a log that was not durable yet.
//!
//! A kernel may have made the length of a file and some of its blocks durable, and others not: these read as zeros. Nothing derived from
//! them was published, because published bytes are durable first. The records after such a hole still come from the boards. So the hole is
//! filled with lines of equal length that report the loss, and the whole log can be read again.

use std::io::{self, BufRead};
use std::path::Path;

use damcast_engine::bytelog;

use crate::disk::Disk;

/// Fills the holes of a log. Only the last log of a line may be repaired: the others already have dependent files. Returns the number of
/// lost bytes.
///
/// # Errors
///
/// Returns any I/O error.
pub fn fill_holes(disk: &dyn Disk, path: &Path) -> io::Result<u64> {
    let (mut source, file) = (disk.reader(path, 0)?, disk.open(path)?);
    let (mut line, mut whole, mut at, mut lost) = (Vec::new(), Vec::new(), 0, 0);
    let mut hole: Option<u64> = None;
    loop {
        line.clear();
        let count = source.read_until(b'\n', &mut line)? as u64;
        // A hole without an end is left out like any torn end.
        let is_hole = line.ends_with(b"\n") && is_hole(&line);
        if let Some(start) = hole.filter(|_| !is_hole) {
            let filler = bytelog::filler(&whole, usize::try_from(at - start).unwrap_or(usize::MAX));
            file.write_at(&filler, start)?;
            lost += at - start;
            hole = None;
        }
        if count == 0 {
            break;
        }
        match is_hole {
            true => hole = hole.or(Some(at)),
            false => whole.clone_from(&line),
        }
        at += count;
    }
    file.sync()?;
    Ok(lost)
}

/// Whether the line contains zeros and is not a valid record.
fn is_hole(line: &[u8]) -> bool {
    line.contains(&0) && !std::str::from_utf8(line).is_ok_and(|text| bytelog::parse_line(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;
    use damcast_engine::bytelog::{LogFault, LogProblem, Record, RecordKind};

    #[test]
    fn reads_records_behind_hole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a-1.log");
        let lines: String =
            (0..200).map(|at| Record::new(at, RecordKind::FromBoard(vec![0x4d; 20])).to_line()).collect();
        let text = format!("# damcast byte log 1\n# line: a\n{lines}").into_bytes();
        for (from, to) in [(512, 1024), (513, 5632), (1000, 1001)] {
            let mut holed = text.clone();
            holed[from..to].fill(0);
            holed[9_000..9_512].fill(0);
            std::fs::write(&path, &holed).unwrap();
            let damage = bytelog::read(&holed).unwrap_err();
            assert_eq!(damage.fault, LogFault::ZeroBytes, "{damage}");
            let lost = fill_holes(&RealDisk, &path).unwrap();
            let mended = std::fs::read(&path).unwrap();
            assert_eq!(mended.len(), text.len(), "everything keeps its place");
            let log = bytelog::read(&mended).unwrap();
            assert_eq!(log.records.last().unwrap().at, 199);
            let lost_bytes =
                |problem: &LogProblem| if let LogProblem::BytesLost { bytes, .. } = problem { *bytes } else { 0 };
            assert_eq!((log.problems.len(), log.problems.iter().map(lost_bytes).sum::<u64>()), (2, lost));
            assert!(lost < (to - from + 512 + 300) as u64, "{lost}");
        }
        // Other damage stays as it is.
        std::fs::write(&path, "0 = up\nwhat is this?\n1 .\n").unwrap();
        assert_eq!(fill_holes(&RealDisk, &path).unwrap(), 0);
        assert_eq!(std::fs::read(&path).unwrap(), b"0 = up\nwhat is this?\n1 .\n");
    }
}
