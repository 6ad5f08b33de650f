//! Serves one line of simulated boards at its port, in real time or any multiple of it.
//!
//! The boards start at once, or with the first byte of a host: nothing is sent before it, so no host finds old bytes on opening. The port
//! of an unplugged line is gone, and returns under the name in the scenario.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use hardware_sim::bus::{BusWorld, HostEvent};

use super::host_port::{Address, HostPort};

/// Settings for serving boards.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// Speed, as a multiple of real time.
    pub speed: f64,
    /// Whether the boards start at once instead of with a host's first byte.
    pub at_once: bool,
    /// Names under which the port returns, one per time; `None`: the last name.
    pub names: VecDeque<Option<String>>,
}

/// Event while boards are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServeEvent {
    /// The port was opened.
    Open(Address),
    /// The port was closed.
    Closed,
    /// The world has advanced.
    Advanced,
}

/// Serves boards until `hear` returns [`KeepGoing::Stop`]. Calls `hear` several times a second.
///
/// # Errors
///
/// Returns an error if the port breaks or cannot be opened again.
pub fn serve(
    world: &mut BusWorld,
    host_port: &mut HostPort,
    serve_settings: &mut ServeSettings,
    mut hear: impl FnMut(&BusWorld, ServeEvent) -> KeepGoing,
) -> io::Result<()> {
    const MAX_WAIT: Duration = Duration::from_millis(100);
    let speed = serve_settings.speed;
    let now = |started_at: Instant| (started_at.elapsed().as_secs_f64() * 1000.0 * speed) as u64;
    let mut started_at = serve_settings.at_once.then(Instant::now);
    hear(world, ServeEvent::Open(host_port.address().clone()));
    loop {
        let mut wait = MAX_WAIT;
        if let Some(started_at) = started_at {
            let noticed = world.advance(now(started_at));
            show(noticed, world, host_port, &mut serve_settings.names, &mut hear)?;
            if let Some(next) = world.next_time() {
                let until = next.saturating_sub(now(started_at)) as f64 / speed / 1000.0;
                wait = wait.min(Duration::from_secs_f64(until));
            }
        }
        if hear(world, ServeEvent::Advanced) == KeepGoing::Stop {
            return Ok(());
        }
        if world.is_deaf() {
            std::thread::sleep(wait);
            continue;
        }
        let heard = host_port.read(wait)?;
        if !heard.is_empty() {
            let started_at = *started_at.get_or_insert_with(Instant::now);
            let at = now(started_at);
            let noticed = world.advance(at);
            world.receive(at, &heard);
            show(noticed, world, host_port, &mut serve_settings.names, &mut hear)?;
        }
    }
}

/// Whether to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepGoing {
    /// Continue.
    On,
    /// Stop serving.
    Stop,
}

fn show(
    noticed: Vec<(u64, HostEvent)>,
    world: &BusWorld,
    host_port: &mut HostPort,
    names: &mut VecDeque<Option<String>>,
    hear: &mut impl FnMut(&BusWorld, ServeEvent) -> KeepGoing,
) -> io::Result<()> {
    for (_, happening) in noticed {
        match happening {
            HostEvent::Bytes(bytes) => host_port.write(&bytes)?,
            HostEvent::Unplugged => {
                host_port.unplug()?;
                hear(world, ServeEvent::Closed);
            }
            HostEvent::Plugged => {
                let name = names.pop_front().flatten();
                host_port.plug(name.as_deref())?;
                hear(world, ServeEvent::Open(host_port.address().clone()));
            }
        }
    }
    Ok(())
}
