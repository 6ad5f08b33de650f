//! `damcast ports`: lists the serial ports of this machine with their stable names.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use damcast::station::link::ports;
use serialport::{SerialPortInfo, SerialPortType};

use super::output::{print, print_error};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = "Exit codes: 0 listed, also when there are none; 1 this system cannot list them.

Example:
  damcast ports")]
pub struct Arguments {}

/// Prints the ports.
pub fn run(_: &Arguments) -> anyhow::Result<ExitCode> {
    let ports = ports::list().map_err(|error| anyhow::anyhow!("{error}; run and replay work"))?;
    if ports.is_empty() {
        print_error("damcast: no serial ports found; is the board plugged in?");
    }
    let links = ports::stable_names();
    for port in &ports {
        print(describe(port, links.get(Path::new(&port.port_name)).map_or(&[], Vec::as_slice)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(port: &SerialPortInfo, links: &[PathBuf]) -> String {
    let mut lines = vec![format!("serial:{}", port.port_name)];
    match &port.port_type {
        SerialPortType::UsbPort(usb) => {
            let serial = usb.serial_number.as_deref().unwrap_or("none");
            lines.push(format!("USB {:04x}:{:04x}, serial number {serial}", usb.vid, usb.pid));
            let names = [&usb.manufacturer, &usb.product].map(|name| name.as_deref().unwrap_or("unknown"));
            lines.push(format!("manufacturer {}, product {}", names[0], names[1]));
            let serial = usb.serial_number.as_ref().map_or(String::new(), |serial| format!(":{serial}"));
            lines.push(format!("usb:{:04x}:{:04x}{serial}", usb.vid, usb.pid));
        }
        SerialPortType::PciPort => lines.push("built in".to_owned()),
        SerialPortType::BluetoothPort => lines.push("Bluetooth".to_owned()),
        SerialPortType::Unknown => {}
    }
    lines.extend(links.iter().map(|link| format!("serial:{}", link.display())));
    lines.join("\n    ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serialport::UsbPortInfo;

    #[test]
    fn usb_port_with_stable_name() {
        let usb = UsbPortInfo {
            vid: 0x045b,
            pid: 0x8111,
            serial_number: None,
            manufacturer: Some("DGT".into()),
            product: Some("DGT Smart Board".into()),
        };
        let port = SerialPortInfo { port_name: "/dev/ttyACM0".into(), port_type: SerialPortType::UsbPort(usb) };
        let described = describe(&port, &["/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0".into()]);
        let page = include_str!("../../docs/station.md").replace("\n   ", "\n");
        assert!(page.contains(&format!("$ damcast ports\n{described}```")), "docs/station.md shows something else");
        assert_eq!(
            described,
            "serial:/dev/ttyACM0\n    USB 045b:8111, serial number none\n    manufacturer DGT, product DGT Smart Board\n    \
             usb:045b:8111\n    serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:3:1.0\n"
        );
    }
}
