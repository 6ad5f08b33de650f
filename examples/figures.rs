//! Measures the station: time from its start to the first byte read, memory with one board, and size of the program.
//!
//!     ./scripts/figures
//!
//! A board on a pseudo-terminal has sent bytes before the station starts, so that only the station is measured: from just before the
//! process is created until the first bytes are in the log.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use damcast::engine::protocol::{Message, PieceCode};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

const START_COUNT: usize = 21;
const MAX_MS: f64 = 50.0;
const MAX_MEMORY_MIB: f64 = 12.0;
const MAX_SIZE_MIB: f64 = 11.4;
/// Time that the station idles before its memory is read.
const IDLE_TIME: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(10);

fn main() -> anyhow::Result<()> {
    let program = PathBuf::from(std::env::args_os().nth(1).context("which program? ./scripts/figures")?);
    let size = fs::metadata(&program)?.len() as f64 / f64::from(1 << 20);
    let mut starts = Vec::new();
    for _ in 0..START_COUNT {
        starts.push(start(&program)?);
    }
    starts.sort_by(f64::total_cmp);
    let memory = idle(&program)?;
    let median = starts[START_COUNT / 2];
    println!(
        "start to first byte read   {median:6.1} ms median, {:.1} ms worst of {START_COUNT} (at most {MAX_MS})",
        starts[START_COUNT - 1]
    );
    println!("idle memory, one board     {memory:6.1} MiB (at most {MAX_MEMORY_MIB})");
    println!("program, stripped          {size:6.1} MiB (at most {MAX_SIZE_MIB})");
    ensure!(median <= MAX_MS && memory <= MAX_MEMORY_MIB && size <= MAX_SIZE_MIB, "a figure is above its limit");
    Ok(())
}

/// Station with one board that has already sent bytes.
struct Station {
    child: Child,
    folder: PathBuf,
    _board: [std::os::fd::OwnedFd; 2],
}

impl Station {
    fn new(program: &Path) -> anyhow::Result<Station> {
        let folder = std::env::temp_dir().join(format!("damcast-figures-{}", std::process::id()));
        fs::remove_dir_all(&folder).or_else(|_| fs::create_dir_all(&folder))?;
        fs::create_dir_all(&folder)?;
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?.into_string()?;
        let slave = rustix::fs::open(name.as_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, 0.into())?;
        let mut raw = tcgetattr(&slave)?;
        raw.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &raw)?;
        fcntl_setfl(&master, OFlags::NONBLOCK)?;
        let mut board = fs::File::from(master);
        board.write_all(&Message::BoardDump(vec![PieceCode::EMPTY; 100]).encode())?;
        let config = folder.join("damcast.toml");
        let directory = folder.join("recordings");
        fs::write(
            &config,
            format!(
                "[station]\ndirectory = {directory:?}\n[[line]]\nname = \"board\"\nport = {name:?}\ngame-type = \"20\"\n"
            ),
        )?;
        let mut command = Command::new(program);
        command
            .arg("run")
            .arg("--config")
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(Station { child: command.spawn()?, folder, _board: [board.into(), slave] })
    }

    fn wait_for_the_first_byte(&self) -> anyhow::Result<()> {
        let log = self.folder.join("recordings/log/board-1.log");
        let began = Instant::now();
        while !fs::read_to_string(&log).is_ok_and(|text| text.contains(" < ")) {
            ensure!(began.elapsed() < TIMEOUT, "{}: nothing was read", log.display());
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the milliseconds from the start to the first byte.
fn start(program: &Path) -> anyhow::Result<f64> {
    let began = Instant::now();
    let station = Station::new(program)?;
    station.wait_for_the_first_byte()?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

/// Returns the memory in MiB after [`IDLE_TIME`].
fn idle(program: &Path) -> anyhow::Result<f64> {
    let station = Station::new(program)?;
    station.wait_for_the_first_byte()?;
    std::thread::sleep(IDLE_TIME);
    let status = fs::read_to_string(format!("/proc/{}/status", station.child.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}
