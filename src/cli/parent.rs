//! Option of the processes of `damcast start`: they end with it, whatever ends it.

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, getppid, nice, set_parent_process_death_signal};

/// `Nice=` of the units of pages, desk and entry.
const NICENESS: i32 = 10;

/// Options of a process that another one starts.
#[derive(clap::Args)]
pub struct ParentOptions {
    /// Process to end with.
    #[arg(long, value_name = "PID", hide = true)]
    end_with: Option<i32>,
}

impl ParentOptions {
    /// From here on the system sends SIGTERM when the other process ends.
    ///
    /// # Errors
    ///
    /// Returns an error if that process has ended already.
    pub fn apply(&self) -> anyhow::Result<()> {
        let Some(parent) = self.end_with else { return Ok(()) };
        set_parent_process_death_signal(Some(Signal::TERM)).context("the end of the parent process")?;
        ensure!(getppid() == Pid::from_raw(parent), "the process that has started this one has ended");
        Ok(())
    }

    /// Does the same, and lowers the priority of this process below the recorder's, as the units of the service do.
    ///
    /// # Errors
    ///
    /// Returns an error if that process has ended already.
    pub fn apply_below_recorder(&self) -> anyhow::Result<()> {
        self.apply()?;
        if self.end_with.is_some() {
            lower_priority();
        }
        Ok(())
    }
}

/// Lowers the priority of this process below the recorder's.
pub fn lower_priority() {
    // A system that refuses leaves the priority as it is.
    let _ = nice(NICENESS);
}
