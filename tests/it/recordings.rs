//! Recordings of an independent simulated board, played back: what was played is what is recorded.

use damcast::bytelog::{self, Kind};
use damcast::millis::Millis;
use damcast::rules::Variant;
use damcast::session::{Effect, Input, Line, LineSettings};

/// The lines of the live files that a recording gives, and the notices.
fn play_back(name: &str) -> (Vec<String>, Vec<String>) {
    let path = format!("{}/tests/data/replay/{name}.log", env!("CARGO_MANIFEST_DIR"));
    let log = bytelog::read(&std::fs::read(path).unwrap()).unwrap();
    let mut settings = LineSettings::new(Variant::from_tag(log.header.game_type.as_deref().unwrap_or("20")).unwrap());
    settings.opened = log.header.opened;
    let mut line = Line::new(settings);
    let (mut lines, mut notices) = (Vec::new(), Vec::new());
    for record in log.records {
        let input = match record.kind {
            Kind::FromBoard(bytes) => Input::Bytes(bytes),
            Kind::LinkUp => Input::LinkUp,
            Kind::LinkDown => Input::LinkDown,
            Kind::Operator(text) => Input::Operator(text),
            Kind::Tick => Input::Tick,
            _ => continue,
        };
        for output in line.handle(Millis(record.at), input) {
            match output.effect {
                Effect::Append(text) => lines.push(text),
                Effect::Result(result) => lines.push(format!("= {result}")),
                Effect::Notice(text) | Effect::Note(text) => notices.push(format!("{} {text}", output.at)),
                _ => {}
            }
        }
    }
    (lines, notices)
}

/// What a recording's companion says of it.
fn companion(name: &str) -> serde_json::Value {
    let path = format!("{}/tests/data/replay/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The entries of a file without numbers and clock comments: moves and setups.
fn entries(lines: &[String]) -> Vec<String> {
    let movetext = lines.iter().filter(|line| !line.is_empty() && !line.starts_with('['));
    let bare = |line: &String| {
        let line = line.split(" {").next().unwrap_or_default();
        if line.starts_with('/') { line.to_owned() } else { line.rsplit(' ').next().unwrap_or_default().to_owned() }
    };
    movetext.map(bare).collect()
}

#[test]
fn tmp() {
    for name in [
        "ideal",
        "ideal-turned",
        "calm",
        "club",
        "blitz",
        "no-clock",
        "outage",
        "outage-with-memory",
        "taken-back",
        "illegal-stands",
    ] {
        let (lines, notices) = play_back(name);
        let truth: Vec<String> = companion(name)["truth"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| if let Some(m) = e["move"].as_str() { m.to_owned() } else { e.to_string() })
            .collect();
        let got = entries(&lines);
        let n = truth.iter().zip(&got).take_while(|(a, b)| a == b).count();
        println!(
            "== {name}: {} truth {} got {} equal {n}; rest got {:?} truth {:?}",
            truth.len(),
            truth.len(),
            got.len(),
            &got[n..got.len().min(n + 12)],
            &truth[n..truth.len().min(n + 12)]
        );
        if std::env::var("NOTES").is_ok() {
            for l in notices {
                println!("## {l}");
            }
        }
    }
}
