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

#[test]
fn tmp() {
    let name = std::env::var("LOG").unwrap();
    let (lines, notices) = play_back(&name);
    for l in lines { println!("{l}"); }
    for l in notices { println!("## {l}"); }
}
