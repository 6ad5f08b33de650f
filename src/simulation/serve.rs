//! One line of simulated boards at its door, in real time or any multiple of it.
//!
//! The boards begin to live with the first byte of a host (nothing is sent before it, so no host finds old bytes on opening), or
//! at once. What the world does, the door shows: an unplugged line is a port that is gone, and it comes back under the name that
//! the scenario gives it.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use hardware_sim::bus::{BusWorld, HostEvent};

use super::host_port::{Address, HostPort};

/// How boards are served.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    /// How many times as fast as life.
    pub speed: f64,
    /// The boards live from the start on, whether a host is there or not.
    pub at_once: bool,
    /// The names under which the port comes back, one for each time; none: the one before.
    pub names: VecDeque<Option<String>>,
}

/// What is reported while boards are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServeEvent {
    /// The port is there.
    Open(Address),
    /// The port is gone.
    Closed,
    /// The world has lived on.
    Advanced,
}

/// Serves boards until `hear` says that it is enough. It is called several times a second.
///
/// # Errors
///
/// When the port breaks or cannot be opened again.
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

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepGoing {
    /// Go on.
    On,
    /// It is enough.
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
