//! Logs that have become shorter or different: the next log records the state of each, and `verify`, `fsck` and the next start report the
//! change.

use std::fs;
use std::path::{Path, PathBuf};

use damcast::simulation::day::Day;
use damcast::simulation::games::{self, DEMONSTRATION};
use damcast::station::config::OutletConfig;
use hardware_sim::profile::NoiseProfile as Hands;

use crate::program::run;

/// Records a board into a folder, with a kill every two minutes. Returns the chain of logs.
fn recorded(folder: &Path) -> Vec<PathBuf> {
    let mut pool = games::from_pdn("demo.pdn", DEMONSTRATION, None, None).unwrap();
    pool.iter_mut().for_each(|game| game.moves.truncate(20));
    let day = Day {
        directory: folder.to_owned(),
        boards: 1,
        games: 2,
        profile: Hands::calm(),
        control: "300+3".parse().ok(),
        seed: 5,
        outage_every_ms: 0,
        kill_every_ms: 120_000,
        until_ms: 0,
        write_every_ms: 3_000,
        outlets: vec![OutletConfig::default()],
    };
    day.record(&pool, |_| {}).unwrap();
    let mut logs: Vec<PathBuf> = fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    let number = |path: &PathBuf| -> u32 {
        path.file_stem().unwrap().to_str().unwrap().rsplit_once('-').unwrap().1.parse().unwrap()
    };
    logs.sort_by_key(number);
    assert!(logs.len() >= 4, "{logs:?}");
    logs
}

#[test]
fn log_cut_at_line_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let logs = recorded(folder.path());
    let directory = folder.path().to_str().unwrap();
    let verify = || run(&["log", "verify", directory]);
    let fsck = || run(&["fsck", directory]);
    assert_eq!(verify().code, 0, "{}", verify().out);
    assert_eq!(fsck().code, 0, "{}", fsck().out);
    for log in &logs[..logs.len() - 1] {
        let name = log.file_name().unwrap().to_str().unwrap();
        let whole = fs::read(log).unwrap();
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        let last = lines.last().unwrap().to_vec();
        let mut swapped = whole.clone();
        let place = whole.len() - last.len() - 3;
        swapped[place] = if swapped[place] == b'0' { b'1' } else { b'0' };
        let cases = [
            (lines[..lines.len() - 1].concat(), "it was cut: it had "),
            (lines[..lines.len() / 2].concat(), "it was cut: it had "),
            ([&whole[..], b"# a remark\n"].concat(), "it was extended outside damcast"),
        ];
        for (content, words) in cases {
            fs::write(log, content).unwrap();
            let verified = verify();
            assert_eq!(verified.code, 1, "{name}: {}", verified.out);
            assert!(verified.out.contains(&format!("{name}: not whole: {words}")), "{name}: {}", verified.out);
            let alone = run(&["log", "verify", log.to_str().unwrap()]);
            assert!(alone.code == 1 && alone.out.contains(words), "{name}: {}", alone.out);
            let checked = fsck();
            assert_eq!(checked.code, 1, "{name}: {}", checked.out);
            assert!(checked.out.contains(words), "{name}: {}", checked.out);
        }
        fs::write(log, &swapped).unwrap();
        assert_eq!(verify().code, 1, "{name}: {}", verify().out);
        fs::write(log, &whole).unwrap();
        assert_eq!(verify().code, 0, "{name}: {}", verify().out);
    }
}

#[test]
fn logs_without_predecessor_record_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    for log in recorded(folder.path()) {
        let text = fs::read_to_string(&log).unwrap();
        // The last line may be torn.
        let is_of_older = |line: &&str| !line.starts_with("# log-before") && !line.starts_with("# head ");
        let older: String = text.split_inclusive('\n').filter(is_of_older).collect();
        fs::write(&log, older).unwrap();
    }
    let directory = folder.path().to_str().unwrap();
    run(&["log", "verify", directory]).done();
    assert_eq!(run(&["fsck", directory]).code, 0);
}
