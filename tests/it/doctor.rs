//! `damcast doctor` on simulated machines: a healthy one, and the same with one fault at a time.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use damcast::engine::bytelog::{ByteLog, Header, Record, RecordKind};
use damcast::engine::protocol::{Message, PieceCode};
use serde_json::Value;

use crate::program::{self, Run, assert_contains};

/// A user that does not exist on the machine of the test.
const USER: &str = "anna:x:54321:54321:Anna:/home/anna:/bin/sh";

/// A machine in a folder.
struct Machine {
    root: tempfile::TempDir,
    arguments: Vec<String>,
}

impl Machine {
    /// Returns a machine with a DGT board on USB, one behind an adapter, a disk with room, and no faults.
    fn healthy() -> Machine {
        let mut machine = Machine { root: tempfile::tempdir().unwrap(), arguments: Vec::new() };
        machine.plug("1-1", "045b", "8111", "ttyACM0", "166:0");
        machine.plug("1-2", "0403", "6001", "ttyUSB0", "188:0");
        machine.write("sys/class/tty/ttyUSB0/device/latency_timer", "1\n");
        let group = fs::metadata(machine.path("dev/ttyACM0")).unwrap().gid();
        machine.write("etc/group", &format!("dialout:x:{group}:karel,anna\n"));
        machine.write("etc/passwd", USER);
        machine.write("usr/lib/udev/rules.d/61-damcast.rules", "");
        machine.write("run/udev/data/c166:0", "E:ID_MM_DEVICE_IGNORE=1\n");
        machine.write("run/udev/data/c188:0", "E:ID_MM_DEVICE_IGNORE=1\n");
        machine.write("run/systemd/timesync/synchronized", "");
        machine.process(1, "systemd");
        machine.write(
            "proc/self/limits",
            "Limit    Soft Limit  Hard Limit  Units\nMax open files    1024    4096    files\n",
        );
        machine.write("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable:     500000 kB\n");
        machine.write("proc/mounts", "/dev/root / ext4 rw,noatime 0 0\n");
        fs::create_dir_all(machine.path("rec/log")).unwrap();
        machine.log(&[(1, 20), (4, 20)]);
        let config = "[station]\ndirectory = \"/rec\"\n[[line]]\nname = \"a\"\nport = \"/dev/ttyACM0\"\ngame-type = \"20\"\n\
                      [[line]]\nname = \"b\"\nport = \"any:/dev/ttyUSB*\"\ngame-type = \"20\"\n";
        machine.write("etc/damcast/damcast.toml", config);
        machine.option("--user", "anna");
        machine.option("--free", "0");
        machine.option("--slowest-write", "600000");
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn change(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{path}");
        self.write(path, &text.replace(from, to));
    }

    /// Adds tables to the configuration.
    fn add_tables(&self, tables: &str) {
        let line = "[[line]]\nname = \"a\"";
        self.change("etc/damcast/damcast.toml", line, &format!("{tables}{line}"));
    }

    /// Plugs in a USB device with a serial port.
    fn plug(&self, place: &str, vendor: &str, product: &str, name: &str, number: &str) {
        let usb = format!("sys/devices/usb1/{place}");
        self.write(&format!("{usb}/idVendor"), &format!("{vendor}\n"));
        self.write(&format!("{usb}/idProduct"), &format!("{product}\n"));
        self.write(&format!("{usb}/manufacturer"), "a maker\n");
        self.write(&format!("{usb}/power/control"), "on\n");
        fs::create_dir_all(self.path(&format!("{usb}/{place}:1.0"))).unwrap();
        self.write(&format!("sys/class/tty/{name}/dev"), number);
        let target = Path::new("../../../devices/usb1").join(place).join(format!("{place}:1.0"));
        symlink(target, self.path(&format!("sys/class/tty/{name}/device"))).unwrap();
        self.write(&format!("dev/{name}"), "");
        fs::set_permissions(self.path(&format!("dev/{name}")), fs::Permissions::from_mode(0o660)).unwrap();
    }

    fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    #[track_caller]
    fn assert_healthy(&self) {
        assert_eq!(self.faults(), Vec::<[String; 4]>::new());
    }

    fn process(&self, id: u32, name: &str) {
        self.write(&format!("proc/{id}/comm"), &format!("{name}\n"));
        fs::create_dir_all(self.path(&format!("proc/{id}/fd"))).unwrap();
    }

    /// Writes a log of line `a` with these numbers of pieces per code on the board.
    fn log(&self, pieces: &[(u8, usize)]) {
        let mut fields = vec![PieceCode::EMPTY; 100];
        let codes = pieces.iter().flat_map(|&(code, count)| std::iter::repeat_n(PieceCode(code), count));
        fields.iter_mut().zip(codes).for_each(|(field, code)| *field = code);
        let records = vec![Record::new(100, RecordKind::FromBoard(Message::BoardDump(fields).encode()))];
        let log = ByteLog { header: Header::default(), records, problems: Vec::new() };
        self.write("rec/log/a-1.log", &log.to_text());
    }

    fn option(&mut self, name: &str, value: &str) {
        self.arguments.retain(|argument| !argument.starts_with(&format!("{name}=")));
        self.arguments.push(format!("{name}={value}"));
    }

    fn doctor(&self) -> Run {
        let config = self.path("etc/damcast/damcast.toml").display().to_string();
        let root = self.root.path().display().to_string();
        let mut arguments = vec!["doctor", "--json", "--config", &config, "--root", &root];
        arguments.extend(self.arguments.iter().map(String::as_str));
        program::run(&arguments)
    }

    /// Returns check, subject, problem and remedy of each fault.
    fn faults(&self) -> Vec<[String; 4]> {
        let run = self.doctor();
        let report: Value =
            serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err));
        let faults = report["faults"].as_array().unwrap().iter();
        let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
        let faults: Vec<_> =
            faults.map(|fault| ["check", "subject", "what", "remedy"].map(|key| text(fault, key))).collect();
        assert_eq!(run.code, i32::from(!faults.is_empty()), "{faults:?}");
        faults
    }
}

/// Plants a fault and asserts that only this one is found, with these words in the text and in the remedy.
#[track_caller]
fn assert_fault_found(check: &str, words: &str, remedy: &str, fault: impl FnOnce(&mut Machine)) {
    let mut machine = Machine::healthy();
    fault(&mut machine);
    let faults = machine.faults();
    assert_eq!(faults.len(), 1, "{check}: {faults:?}");
    let [found, subject, message, help] = &faults[0];
    assert_eq!(found, check, "{faults:?}");
    assert!(format!("{subject}: {message}").contains(words), "{words}: {faults:?}");
    assert!(help.contains(remedy), "{remedy}: {faults:?}");
}

#[test]
fn healthy_machine_has_no_findings() {
    assert_eq!(Machine::healthy().faults(), Vec::<[String; 4]>::new());
}

/// The units of the pages are named, and their tables are checked if they start with the machine.
#[test]
fn unit_tables() {
    let machine = Machine::healthy();
    let unit_problems = |machine: &Machine| {
        let report: Value = serde_json::from_str(&machine.doctor().out).unwrap();
        let fine = report["fine"].as_array().unwrap().iter();
        let units = fine.filter(|fine| ["units", "pages"].contains(&fine["check"].as_str().unwrap()));
        units.map(|fine| fine["what"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(unit_problems(&machine), Vec::<String>::new(), "none is installed");
    for unit in ["damcast.service", "damcast-web.socket", "damcast-desk.service"] {
        machine.write(&format!("usr/lib/systemd/system/{unit}"), "");
    }
    let problems = unit_problems(&machine);
    assert!(problems.iter().all(|text| text.contains("is not enabled")), "{problems:?}");
    let config = fs::read_to_string(machine.path("etc/damcast/damcast.toml")).unwrap();
    let configured = |tables: &str| {
        machine.write("etc/damcast/damcast.toml", &format!("{config}{tables}"));
        machine.faults().into_iter().map(|fault| fault[1].clone() + ": " + &fault[2]).collect::<Vec<_>>()
    };
    assert_eq!(configured("[serve]\n[desk]\n"), [""; 0], "tables as they are installed");
    let [fault] = &configured("[desk]\nmetrics = \"9377\"\n")[..] else { panic!("one fault") };
    assert!(fault.contains("[desk] is configured, and damcast-desk.service is not enabled"), "{fault}");
    let [fault] = &configured("[serve]\naddress = 80\n")[..] else { panic!("one fault") };
    assert!(fault.contains("[serve] is configured, and damcast-web.socket is not enabled"), "{fault}");
    machine.write("etc/systemd/system/sockets.target.wants/damcast-web.socket", "");
    machine.write("etc/systemd/system/multi-user.target.wants/damcast-desk.service", "");
    let now = chrono::Utc::now().timestamp_millis();
    machine.write("run/damcast-web/state.json", &format!("{{\"written\":{now},\"viewers\":12}}"));
    assert!(unit_problems(&machine).contains(&"viewers now: 12".to_owned()), "{:?}", unit_problems(&machine));
    let [fault] = &machine.faults()[..] else { panic!("{:?}", machine.faults()) };
    assert!(fault[1] == "[serve]" && fault[2].contains("address"), "{fault:?}");
    machine.write("run/damcast-web/state.json", &format!("{{\"written\":{},\"viewers\":12}}", now - 60_000));
    let faults = machine.faults();
    assert!(faults.iter().any(|fault| fault[0] == "pages" && fault[2].contains("nothing for")), "{faults:?}");
    fs::remove_file(machine.path("run/damcast-web/state.json")).unwrap();
    let problems = unit_problems(&machine);
    assert!(problems.iter().any(|text| text.contains("no request since")), "{problems:?}");
}

/// Commands and secrets of deliveries are checked, and their state is shown.
#[test]
fn deliveries() {
    let with_delivery = |machine: &Machine| {
        let config = fs::read_to_string(machine.path("etc/damcast/damcast.toml")).unwrap();
        let table =
            "[[deliver]]\nname = \"club\"\ncommand = [\"/etc/damcast/deliver/lftp\", \"/etc/damcast/club.conf\"]\n";
        machine.write("etc/damcast/damcast.toml", &(config + table));
    };
    assert_fault_found(
        "delivery command",
        "/etc/damcast/deliver/lftp: there is no such program",
        "chmod +x",
        |machine| with_delivery(machine),
    );
    let with_command = |machine: &mut Machine| {
        with_delivery(machine);
        machine.write("etc/damcast/deliver/lftp", "#!/bin/sh\n");
        machine.set_mode("etc/damcast/deliver/lftp", 0o755);
        machine.write("etc/damcast/club.conf", "open -u club,secret\n");
        machine.set_mode("etc/damcast/club.conf", 0o600);
    };
    let mut machine = Machine::healthy();
    with_command(&mut machine);
    machine.assert_healthy();
    assert_fault_found(
        "delivery secret",
        "everybody on this machine can read /etc/damcast/club.conf",
        "chmod 600",
        |machine| {
            with_command(machine);
            machine.set_mode("etc/damcast/club.conf", 0o644);
        },
    );
    assert_fault_found("units", "damcast-deliver.service is not enabled", "systemctl enable --now", |machine| {
        with_command(machine);
        machine.write("usr/lib/systemd/system/damcast-deliver.service", "");
    });
    let now = chrono::Utc::now().timestamp_millis();
    let report = |state: &str| {
        format!(
            "{{\"written\":{now},\"deliveries\":[{{\"name\":\"club\",\"state\":\"{state}\",\"since\":{now},\"delivered\":null,\
             \"waiting\":0,\"words\":\"no route\"}}]}}"
        )
    };
    // The configuration of the test is no file of /etc, so the state is beside it, as the machine itself names it.
    let state = |machine: &Machine| {
        let file = machine.path("etc/damcast/deliver/state.json");
        file.strip_prefix("/").unwrap().display().to_string()
    };
    machine.write(&state(&machine), &report("fresh"));
    machine.assert_healthy();
    assert_fault_found("deliveries", "delivery club: failing since", "--once", |machine| {
        with_command(machine);
        machine.write(&state(machine), &report("failing"));
    });
}

#[test]
fn reports_unusable_ports() {
    assert_fault_found(
        "permission",
        "anna may not open it: it is for the group `dialout`",
        "usermod -aG dialout anna",
        |machine| {
            machine.change("etc/group", ",anna", "");
            // The other device is open to everybody.
            machine.set_mode("dev/ttyUSB0", 0o666);
        },
    );
    assert_fault_found("port in use", "another program has it: minicom (process 77)", "sudo kill 77", |machine| {
        machine.process(77, "minicom");
        symlink("/dev/ttyACM0", machine.path("proc/77/fd/5")).unwrap();
    });
    let simulated = Machine::healthy();
    simulated.process(78, "boardsim");
    symlink("/dev/ttyACM0", simulated.path("proc/78/fd/5")).unwrap();
    assert_eq!(simulated.faults(), Vec::<[String; 4]>::new(), "a simulated board is no program in the way");
    // No remedy suggests the group root for a board.
    assert_fault_found(
        "permission",
        "anna may not open it: it is for the group `root`",
        "sudo chgrp dialout /dev/ttyACM0",
        |machine| {
            machine.change("etc/group", "dialout", "root");
            machine.change("etc/group", ",anna", "");
            machine.set_mode("dev/ttyUSB0", 0o666);
        },
    );
    assert_fault_found("port", "/dev/ttyACM7 (a): there is no such port", "plug the board in", |machine| {
        machine.change("etc/damcast/damcast.toml", "ttyACM0", "ttyACM7")
    });
    assert_fault_found("port", "no port that it could mean is there", "damcast ports", |machine| {
        machine.change("etc/damcast/damcast.toml", "any:/dev/ttyUSB*", "usb:1234:5678")
    });
}

#[test]
fn alert_command() {
    let with_command = |machine: &mut Machine, command: &str| {
        let alarm = format!("[alarm]\ncommand = [{command:?}, \"--phone\"]\n[station]");
        machine.change("etc/damcast/damcast.toml", "[station]", &alarm);
    };
    assert_fault_found(
        "alarm command",
        "/usr/local/bin/call: there is no such program",
        "damcast ctl alarm-test",
        |machine| with_command(machine, "/usr/local/bin/call"),
    );
    let mut machine = Machine::healthy();
    machine.write("usr/local/bin/call", "#!/bin/sh\n");
    machine.set_mode("usr/local/bin/call", 0o755);
    with_command(&mut machine, "call");
    machine.assert_healthy();
}

#[test]
fn missing_chips_and_rules() {
    assert_fault_found(
        "latency timer",
        "/dev/ttyUSB0: the adapter keeps bytes back for 16 ms",
        "latency_timer",
        |machine| machine.write("sys/class/tty/ttyUSB0/device/latency_timer", "16\n"),
    );
    assert_fault_found("autosuspend", "/dev/ttyACM0: the system may switch the port off", "power/control", |machine| {
        machine.write("sys/devices/usb1/1-1/power/control", "auto\n")
    });
    assert_fault_found("udev", "the rules for boards are not installed", "udevadm control --reload", |machine| {
        fs::remove_file(machine.path("usr/lib/udev/rules.d/61-damcast.rules")).unwrap();
    });
    assert_fault_found("ModemManager", "/dev/ttyUSB0: ModemManager (process 88)", "ID_MM_DEVICE_IGNORE", |machine| {
        machine.process(88, "ModemManager");
        machine.write("run/udev/data/c188:0", "E:ID_BUS=usb\n");
    });
    assert_fault_found("brltty", "Braille", "apt remove brltty", |machine| machine.process(89, "brltty"));
}

#[test]
fn machine_checks() {
    assert_fault_found("clock", "nothing keeps it right", "timedatectl set-ntp true", |machine| {
        fs::remove_file(machine.path("run/systemd/timesync/synchronized")).unwrap();
    });
    assert_fault_found("limits", "64 are allowed, 168 may be needed", "ulimit -Hn 168", |machine| {
        machine.change("proc/self/limits", "4096", "64")
    });
    assert_fault_found("memory", "only 9 MiB of memory are free", "end other programs", |machine| {
        machine.change("proc/meminfo", "500000", "10000")
    });
    assert_fault_found("power", "too weak (throttled=50005)", "power supply", |machine| {
        machine.write("sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    });
}

#[test]
fn recordings_folder() {
    assert_fault_found("folder", "the disk at /rec can only be read", "remount,rw /rec", |machine| {
        machine.change("proc/mounts", "0 0\n", "0 0\n/dev/sda1 /rec vfat ro,noatime 0 0\n")
    });
    assert_fault_found("disk", "should be", "delete what is not needed", |machine| {
        machine.option("--free", &u64::MAX.to_string())
    });
    assert_fault_found("disk", "a durable write took", "another disk", |machine| {
        machine.option("--slowest-write", "0")
    });
    assert_fault_found("folder", "it cannot be written", "chown", |machine| {
        // A file in place of the folder stops even root.
        fs::remove_dir_all(machine.path("rec")).unwrap();
        machine.write("rec", "");
    });
}

#[test]
fn user_permissions() {
    let service = |machine: &mut Machine| {
        let group = fs::metadata(machine.path("rec")).unwrap().gid();
        let groups = format!("damcast:x:901:karel\ndamcast-ctl:x:902:karel\ndamcast-web:x:{group}:www-data,damcast\n");
        let others = fs::read_to_string(machine.path("etc/group")).unwrap();
        machine.write("etc/group", &(others + &groups));
        fs::create_dir(machine.path("rec/public")).unwrap();
        machine.set_mode("rec/public", 0o2750);
    };
    let mut machine = Machine::healthy();
    service(&mut machine);
    machine.assert_healthy();
    assert_fault_found(
        "groups",
        "www-data: it is in the group damcast and may read all games",
        "-aG damcast-web www-data",
        |machine| {
            service(machine);
            machine.change("etc/group", "damcast:x:901:karel", "damcast:x:901:karel,www-data");
        },
    );
    assert_fault_found("groups", "damcast-ctl: there is no such group", "systemd-sysusers damcast.conf", |machine| {
        service(machine);
        machine.change("etc/group", "damcast-ctl", "others");
    });
    assert_fault_found(
        "groups",
        "rec/public: it is not for the group damcast-web",
        "systemd-tmpfiles --create",
        |machine| {
            service(machine);
            machine.set_mode("rec/public", 0o0750);
        },
    );
    // A user in the old group but not in the new one gets an explanation.
    let mut machine = Machine::healthy();
    service(&mut machine);
    machine.change("etc/group", "damcast-ctl:x:902:karel", "damcast-ctl:x:902:");
    machine.doctor().prints("karel may read all recordings; to use `damcast ctl`");
}

#[test]
fn outlet_group_exists_and_includes_recorder() {
    let outlet = |machine: &mut Machine, group: &str| {
        let others = fs::read_to_string(machine.path("etc/group")).unwrap();
        machine.write("etc/group", &(others + group));
        machine.add_tables("[[outlet]]\nname = \"hall\"\ngroup = \"hall-readers\"\n");
    };
    let mut machine = Machine::healthy();
    outlet(&mut machine, "hall-readers:x:950:anna,screen\n");
    machine.assert_healthy();
    assert!(machine.doctor().out.contains("the outlet hall is for the group hall-readers"));
    assert_fault_found(
        "groups",
        "outlet hall: there is no group hall-readers",
        "groupadd --system hall-readers",
        |machine| outlet(machine, ""),
    );
    assert_fault_found(
        "groups",
        "outlet hall: anna is not in the group hall-readers",
        "usermod -aG hall-readers anna",
        |machine| outlet(machine, "hall-readers:x:950:screen\n"),
    );
    assert_fault_found(
        "groups",
        "rec/public-hall is not for the group hall-readers",
        "sudo chgrp -R hall-readers",
        |machine| {
            outlet(machine, "hall-readers:x:950:anna\n");
            fs::create_dir(machine.path("rec/public-hall")).unwrap();
        },
    );
    // A wrong table is reported, and everything else is still checked.
    assert_fault_found(
        "configuration",
        "outlet public: a station records with it",
        "damcast config check",
        |machine| machine.add_tables("[public]\nstarted-sync = \"lazy\"\n"),
    );
}

#[test]
fn full_disk_is_reported_without_chown_advice() {
    let Some(library) = crate::kill_at_syscall::library() else {
        println!("there is no `cc`: no disk was full");
        return;
    };
    const ENOSPC: &str = "28";
    let folder = tempfile::tempdir().unwrap();
    let recordings = fs::canonicalize(folder.path()).unwrap().join("recordings");
    fs::create_dir_all(recordings.join("log")).unwrap();
    let config = format!(
        "[station]\ndirectory = {recordings:?}\n[[line]]\nname = \"a\"\nport = \"/dev/none\"\ngame-type = \"20\"\n"
    );
    fs::write(folder.path().join("damcast.toml"), config).unwrap();
    let mut command = program::damcast(&["doctor", "--json", "--config", "damcast.toml"]);
    command.current_dir(folder.path()).env("LD_PRELOAD", library).env("DAMCAST_UNDER", &recordings);
    command.env("DAMCAST_AT", "0").env("DAMCAST_COUNT", "1000000").env("DAMCAST_ERRNO", ENOSPC);
    let report: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let faults = report["faults"].as_array().unwrap();
    assert!(faults.iter().any(|fault| fault["what"].as_str().unwrap().starts_with("it is full: ")), "{report}");
    assert!(!report.to_string().contains("chown"), "{report}");
}

#[test]
fn configuration_and_codes() {
    assert_fault_found("configuration", "line 4: unknown key `nmae`", "damcast config check", |machine| {
        machine.change("etc/damcast/damcast.toml", "name = \"a\"", "nmae = \"a\"")
    });
    assert_fault_found(
        "codes",
        "with codes = \"draughts\" 20 pieces on the board are kings",
        "codes = \"draughts-old\"",
        |machine| machine.log(&[(1, 20), (7, 20)]),
    );
    assert_fault_found("codes", "mean nothing: 2 of code 2, 2 of code 3", "codes = \"chess\"", |machine| {
        machine.log(&[(1, 8), (2, 2), (3, 2), (7, 8)])
    });
    assert_fault_found("codes", "mean nothing: 12 of code 12", "damcast test-board", |machine| {
        machine.log(&[(12, 12)])
    });
}

const GAME: &str =
    "[Event \"Cup\"]\n[White \"Ren\u{e9}\"]\n[Black \"B\"]\n[Result \"*\"]\n[GameType \"20\"]\n\n1. 32-28 19-23 *\n";

/// Serves these answers, one after another.
fn serve_all(answers: Vec<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/round-3/games.pdn", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.extend(byte);
            }
            assert!(request.starts_with(b"GET /round-3/games.pdn HTTP/1.1\r\nHost: 127.0.0.1:"));
            stream.write_all(&answer).unwrap();
        }
    });
    address
}

/// A web server that answers once.
fn serve(answer: String) -> String {
    serve_all(vec![answer.into_bytes()])
}

fn answer(status: &str, content_type: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-type: {content_type}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn files_for_spectators() {
    let mut machine = Machine::healthy();
    machine.write("games.pdn", GAME);
    let file = machine.path("games.pdn").display().to_string();
    machine.option("--public", &file);
    machine.assert_healthy();
    machine.option("--public", &serve(answer("200 OK", "text/plain; charset=UTF-8", GAME)));
    machine.assert_healthy();

    assert_fault_found("public file", "lidraughts cannot read it", "correct it by hand", |machine| {
        machine.write("games.pdn", &GAME.replace("19-23", "19~~23"));
        let file = machine.path("games.pdn").display().to_string();
        machine.option("--public", &file);
    });
    assert_fault_found("public file", "rec/public/games.pdn", "correct it by hand", |machine| {
        machine.write("rec/public/games.pdn", &GAME.replace("19-23", "19~~23"))
    });
    assert_fault_found("public address", "the server answers 404", "nothing but 200", |machine| {
        machine.option("--public", &serve(answer("404 Not Found", "text/html", "<html>")))
    });
    assert_fault_found("public address", "ISO-8859-1", "charset=utf-8", |machine| {
        machine.option("--public", &serve(answer("200 OK", "text/plain", GAME)))
    });
    assert_fault_found("public file", "it is a web page", "the file itself", |machine| {
        machine.option("--public", &serve(answer("200 OK", "text/html; charset=utf-8", "<html></html>")));
    });
    assert_fault_found("public address", "nothing can be got from there", "web server running", |machine| {
        machine.option("--public", "http://127.0.0.1:1/games.pdn")
    });
}

/// Returns a game of round 3.
fn relay_game(white: &str, result: &str, moves: &str) -> String {
    format!(
        "[Event \"Cup\"]\n[Round \"3\"]\n[White \"{white}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n[GameType \"20\"]\n\n{moves} *\n\n"
    )
}

/// Returns two answers with these games.
fn polls(first: &[String], second: &[String]) -> String {
    let poll = |games: &[String]| answer("200 OK", "text/plain; charset=utf-8", &games.concat()).into_bytes();
    serve_all(vec![poll(first), poll(second)])
}

#[test]
fn relay_is_polled_twice() {
    let moves = ["1. 32-28 19-23", "1. 32-28 19-23 2. 28x19"];
    let games = |moves: &str| -> Vec<String> { ["A", "B", "C", "D"].map(|white| relay_game(white, "*", moves)).into() };
    let mut machine = Machine::healthy();
    machine.option("--relay-interval", "10");
    machine.option("--relay", &polls(&games(moves[0]), &games(moves[1])));
    machine.assert_healthy();

    let first = [vec![relay_game("Z", "2-0", moves[0])], games(moves[0])].concat();
    let assert_found = |check, message, remedy, address: &dyn Fn() -> String| {
        assert_fault_found(check, message, remedy, |machine| {
            machine.option("--relay-interval", "10");
            machine.option("--relay", &address());
        });
    };
    assert_found("relay", "A - B, round 3 was game 2 and is game 3", "keep the order of boards", &|| {
        let mut second = first.clone();
        second.swap(1, 2);
        polls(&first, &second)
    });
    assert_found("relay", "2 of 5 games are missing in the second answer: game 4 (C", "bring back the hall", &|| {
        polls(&first, &first[..3])
    });
    assert_found("relay", "a finished game changed between the answers: game 1 (Z", "one program alone", &|| {
        polls(&first, &[vec![relay_game("Z", "2-0", moves[1])], first[1..].to_vec()].concat())
    });
    assert_found("public file", "65 games: lidraughts reads the first 64", "each hall or section", &|| {
        let many: Vec<String> = (0..65).map(|n| relay_game(&format!("P{n}"), "*", moves[0])).collect();
        polls(&many, &many)
    });
    let latin_1 = b"[White \"Ren\xe9\"]\n[Result \"*\"]\n[GameType \"20\"]\n\n1. 32-28 *\n";
    let head =
        |kind: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", latin_1.len());
    assert_found("public file", "the file is not UTF-8", "correct it by hand", &|| {
        let poll = [head("text/plain; charset=utf-8").as_bytes(), latin_1].concat();
        serve_all(vec![poll.clone(), poll])
    });
    assert_found("public address", "`text/plain`: lidraughts reads that as ISO-8859-1", "charset=utf-8", &|| {
        let poll = answer("200 OK", "text/plain", &first.concat()).into_bytes();
        serve_all(vec![poll.clone(), poll])
    });
    // The kernel accepts the connection, and no answer comes.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/games.pdn", silent.local_addr().unwrap());
    assert_found(
        "public address",
        "no complete answer within 4 s; lidraughts waits no longer",
        "nearer or faster",
        &|| address.clone(),
    );
    // The second answer has a problem that the first had not.
    assert_found("public address", "the server answers 503", "nothing but 200", &|| {
        let first = answer("200 OK", "text/plain; charset=utf-8", &first.concat()).into_bytes();
        serve_all(vec![first, answer("503 Busy", "text/html", "").into_bytes()])
    });
}

#[test]
fn findings_for_people_have_remedies() {
    let machine = Machine::healthy();
    machine.process(89, "brltty");
    let config = machine.path("etc/damcast/damcast.toml").display().to_string();
    let run = program::run(&["doctor", "--config", &config, "--root", &machine.root.path().display().to_string()]);
    assert_contains(&run.out, &["WRONG   brltty: process 89: ", "        what to do: "]);
    assert!(run.out.ends_with(" wrong.\n"), "{}", run.out);
}
