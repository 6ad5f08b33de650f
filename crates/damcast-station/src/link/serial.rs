//! Opens a serial port or a pseudo-terminal by its path.

use std::io;
use std::path::Path;

use tokio_serial::{DataBits, FlowControl, Parity, SerialPortBuilderExt, SerialStream, StopBits};

use super::address::DEFAULT_BAUD;

/// Opens a port exclusively: 9600 baud, eight bits, no parity, one stop bit, no handshake.
///
/// # Errors
///
/// Returns the reason, with a remedy if there is one.
pub fn open(path: &Path) -> Result<SerialStream, String> {
    tokio_serial::new(path.to_string_lossy(), DEFAULT_BAUD)
        .data_bits(DataBits::Eight)
        .parity(Parity::None)
        .stop_bits(StopBits::One)
        .flow_control(FlowControl::None)
        .exclusive(true)
        .open_native_async()
        .map_err(|error| explain(&error, path))
}

/// Describes an error and its remedy.
fn explain(error: &tokio_serial::Error, path: &Path) -> String {
    use tokio_serial::ErrorKind;
    match error.kind() {
        ErrorKind::Io(io::ErrorKind::NotFound) => "there is no such port; is the board plugged in?".to_owned(),
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => {
            "no permission; the user who runs damcast must be in the group of the port, often `dialout`".to_owned()
        }
        ErrorKind::NoDevice if error.description.contains("lock") => in_use(path),
        ErrorKind::Unknown if error.description.contains("not permitted") => {
            "not permitted; does the service that runs damcast allow the device (DeviceAllow)?".to_owned()
        }
        _ if error.description.contains("busy") => in_use(path),
        _ if error.description.contains("typewriter") || error.description.contains("Inappropriate ioctl") => {
            format!("this is not a serial port ({error})")
        }
        _ => error.to_string(),
    }
}

fn in_use(path: &Path) -> String {
    format!(
        "the port is in use by another program, perhaps a station; `sudo fuser -v {}` tells by which",
        path.display()
    )
}
