//! The log of a bus, which packs uneventful traffic into one record per second: it replays like the full log.

use damcast::engine::bytelog::{Header, IdlePacker, KEY_LATE_START, LogInput, Mode, Record, RecordKind};
use damcast::engine::millis::Millis;
use damcast::engine::playback::{self, PlaybackResult, PlayedGame};
use damcast::engine::session::{Effect, Input, Line, LineSettings, Output};
use damcast::simulation::drive::{RecorderDriver, drive_bus};
use hardware_sim::incident::{Incident, IncidentKind};
use hardware_sim::line_faults::{LineFault, LineFaults};
use hardware_sim::profile::NoiseProfile;
use proptest::prelude::*;

use crate::bus::Bus;
use crate::games::playable;

/// A line whose log has the records that a station would write, without buffering.
struct LoggedLine {
    line: Line,
    records: Vec<Record>,
}

impl RecorderDriver for LoggedLine {
    fn handle(&mut self, now: Millis, input: Input) -> Vec<Output> {
        let kind = input.to_record();
        let outputs = self.line.handle(now, input);
        if kind != RecordKind::Tick || outputs.iter().any(|output| output.effect.is_publication()) {
            self.records.push(Record::new(now.0, kind));
        }
        for output in &outputs {
            let kind = match &output.effect {
                Effect::Send(bytes) => RecordKind::ToBoard(bytes.clone()),
                Effect::Notice(text) | Effect::Note(text) => RecordKind::Note(text.clone()),
                _ => continue,
            };
            self.records.push(Record::new(now.0, kind));
        }
        outputs
    }

    fn deadline(&self) -> Option<Millis> {
        self.line.deadline()
    }
}

fn header() -> Header {
    header_for("20")
}

fn header_for(game_type: &str) -> Header {
    let opened = "2026-11-21T09:30:00.000+01:00".parse().ok();
    Header { mode: Some(Mode::Bus), opened, game_type: Some(game_type.to_owned()), ..Header::default() }
}

/// Returns the log records of a bus.
fn recorded(bus: &Bus) -> Vec<Record> {
    recorded_with(bus, &header())
}

fn recorded_with(bus: &Bus, header: &Header) -> Vec<Record> {
    let settings = LineSettings::from_header(header, None).unwrap().0;
    let mut logged = LoggedLine { line: Line::new(settings), records: Vec::new() };
    drive_bus(&mut bus.world(), &mut logged, 60_000, |_, _| {});
    logged.records
}

fn text(records: &[Record]) -> String {
    header().to_text() + &records.iter().map(Record::to_line).collect::<String>()
}

fn packed(records: &[Record]) -> Vec<Record> {
    let mut packing = IdlePacker::default();
    let mut packed: Vec<Record> = records.iter().flat_map(|record| packing.push(record.clone())).collect();
    packed.extend(packing.flush());
    packed
}

/// Returns the replay of a log: the games with the times of all published entries, and the notices.
fn replayed(text: String) -> (Vec<PlayedGame>, Vec<String>) {
    let mut notices = Vec::new();
    let log = LogInput::from_text("a-1.log".to_owned(), text.into_bytes());
    let PlaybackResult { games, logs, .. } =
        playback::play_with_notices(vec![log], None, |notice| notices.push(notice)).unwrap();
    assert!(logs.iter().all(|(_, summary)| summary.damage.is_none() && summary.problems.is_empty()), "{logs:?}");
    (games, notices)
}

#[track_caller]
fn check(bus: &Bus) -> (usize, usize) {
    let records = recorded(bus);
    let (whole, packed) = (text(&records), text(&packed(&records)));
    let (expected, found) = (replayed(whole.clone()), replayed(packed.clone()));
    assert!(!expected.0.is_empty());
    assert_eq!(found, expected, "the same games, at the same times");
    (whole.len(), packed.len())
}

#[test]
fn packed_log_is_small_and_replays_at_equal_times() {
    let bus = Bus::new(&playable("international"), 8, 12);
    let (whole, packed) = check(&bus);
    assert!(packed * 4 < whole, "{packed} of {whole} bytes");
}

#[test]
fn packed_log_matches_despite_line_faults_and_lost_boards() {
    let late = LineFaults::none().with_rate(LineFault::Delay, 0.01).with_rate(LineFault::Flip, 1e-3);
    let mishaps = [
        (40, IncidentKind::BoardDisconnected(1)),
        (70, IncidentKind::BoardConnected(1)),
        (90, IncidentKind::Unplug),
        (95, IncidentKind::Plug),
    ];
    let mishaps = mishaps.map(|(second, incident)| Incident::new(second * 1_000, incident));
    check(&Bus::new(&playable("international"), 3, 12).with(mishaps.to_vec()).played(NoiseProfile::ideal(), 7, late));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    /// Any hands, any seed; the log is cut anywhere, as after a kill.
    #[test]
    fn packed_log_cut_anywhere_matches(seed in any::<u64>(), cut in any::<prop::sample::Index>()) {
        let bus = Bus::new(&playable("international"), 2, 6).played(NoiseProfile::club(), seed, LineFaults::none());
        let mut records = recorded(&bus);
        records.truncate(1 + cut.index(records.len()));
        prop_assert_eq!(replayed(text(&packed(&records))), replayed(text(&records)));
    }
}

/// For `scripts/replay-hashes`: writes logs of bus sessions with all hands, disturbed lines, and boards that disappear or begin unseen, as
/// a station logs them, into the folder `DAMCAST_LOGS`.
#[test]
#[ignore = "writes logs for scripts/replay-hashes"]
fn logs_of_buses() {
    let folder = std::path::PathBuf::from(std::env::var_os("DAMCAST_LOGS").expect("DAMCAST_LOGS says where"));
    let (second, minute) = (1_000, 60_000);
    let mishaps = [
        (0, IncidentKind::BoardDisconnected(2)),
        (40 * second, IncidentKind::BoardDisconnected(1)),
        (100 * second, IncidentKind::BoardConnected(1)),
        (3 * minute, IncidentKind::BoardConnected(2)),
        (4 * minute, IncidentKind::Unplug),
        (6 * minute, IncidentKind::Plug),
        (8 * minute, IncidentKind::LinkDead),
        (9 * minute, IncidentKind::LinkRestored),
        (10 * minute, IncidentKind::PowerOff(0)),
        (11 * minute, IncidentKind::PowerOn(0)),
        (12 * minute, IncidentKind::Watchdog(1)),
    ];
    let mishaps = mishaps.map(|(at, incident)| Incident::new(at, incident)).to_vec();
    let hands = [("calm", NoiseProfile::calm()), ("club", NoiseProfile::club()), ("blitz", NoiseProfile::blitz())];
    let disturbed = LineFaults::none().with_rate(LineFault::Flip, 1e-3).with_rate(LineFault::Lose, 2e-4);
    for (game, game_type) in [("international", "20"), ("frisian", "40"), ("russian", "25"), ("turkish", "30")] {
        for (name, profile) in &hands {
            for (seed, faults) in [(1, LineFaults::none()), (2, disturbed.clone()), (3, disturbed.clone())] {
                let bus = Bus::new(&playable(game), 3, 40).with(mishaps.clone());
                let bus = bus.played(profile.clone(), seed, faults);
                let mut header = header_for(game_type);
                if seed != 2 {
                    header.other.push((KEY_LATE_START.to_owned(), "yes".to_owned()));
                }
                let records = packed(&recorded_with(&bus, &header));
                let text = header.to_text() + &records.iter().map(Record::to_line).collect::<String>();
                std::fs::write(folder.join(format!("bus-{game}-{name}-{seed}.log")), text).unwrap();
            }
        }
    }
}
