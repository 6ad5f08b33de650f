//! A station that is woken late, or for nothing, equals a replay of its log. Time without an input is in the log only if something was
//! published, so such a wake-up must not change later results.

use damcast::engine::bytelog;
use damcast::engine::millis::Millis;
use damcast::engine::session::{Input, Line, LineSettings, Output};
use draughts::Variant;

use crate::generated_games::Dice;

/// Returns the times and the content of everything published.
fn published(outputs: Vec<Output>) -> Vec<String> {
    let outputs = outputs.into_iter().filter(|output| output.effect.is_publication());
    outputs.map(|Output { at, effect, .. }| format!("{at} {effect:?}")).collect()
}

/// Plays a log to a core that is woken at random times as well. Returns the log that the station would write (inputs, and times of
/// publication), and the published lines.
fn play_with_late_ticks(
    inputs: &[(u64, Input)],
    settings: &LineSettings,
    dice: &mut Dice,
) -> (Vec<(u64, Input)>, Vec<String>) {
    let (mut line, mut log, mut all) = (Line::new(settings.clone()), Vec::new(), Vec::new());
    let (mut before, mut late) = (0, 0);
    for (at, input) in inputs {
        // Sometimes the machine is busy: bytes of that time arrive together.
        late = match dice.roll(40) {
            0 => dice.roll(20_000) as u64,
            _ => late.saturating_sub(at.saturating_sub(before)),
        };
        let at = &(at + late).max(before);
        let span = at.saturating_sub(before);
        let mut moments: Vec<u64> = (0..dice.roll(4)).map(|_| before + dice.roll(span as usize + 1) as u64).collect();
        // With the delay of a busy machine.
        moments.extend(
            line.deadline()
                .map(|due| due.0 + dice.roll(if late > 0 { 20_000 } else { 300 }) as u64)
                .filter(|due| *due <= *at),
        );
        // Also in the millisecond of the next event, and of the previous one.
        moments.extend([*at, before].into_iter().filter(|_| dice.roll(3) == 0));
        moments.sort_unstable();
        for moment in moments {
            let published_entries = published(line.advance_to(Millis(moment)));
            if !published_entries.is_empty() {
                all.extend(published_entries);
                log.push((moment, Input::Tick));
                all.extend(published(line.handle(Millis(moment), Input::Tick)));
            }
        }
        log.push((*at, input.clone()));
        all.extend(published(line.handle(Millis(*at), input.clone())));
        before = *at;
    }
    (log, all)
}

fn check(name: &str, inputs: &[(u64, Input)], settings: &LineSettings) {
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    for seed in 1..=seeds {
        let (log, published_entries) = play_with_late_ticks(inputs, settings, &mut Dice(seed));
        let mut line = Line::new(settings.clone());
        let again = log.into_iter().flat_map(|(at, input)| published(line.handle(Millis(at), input)));
        for (published_entries, again) in published_entries.iter().zip(again) {
            assert_eq!(*published_entries, again, "{name}, seed {seed}");
        }
    }
}

#[test]
fn empty_moments_change_nothing() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/replay")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "log") {
            continue;
        }
        let log = bytelog::read(&std::fs::read(&path).unwrap()).unwrap();
        let mut settings =
            LineSettings::new(Variant::from_tag(log.header.game_type.as_deref().unwrap_or("20")).unwrap());
        settings.opened = log.header.opened;
        let inputs =
            log.records.iter().filter_map(|record| Some((record.at, Input::from_record(&record.kind).unwrap()?)));
        let inputs: Vec<(u64, Input)> = inputs.filter(|(_, input)| *input != Input::Tick).collect();
        check(&path.display().to_string(), &inputs, &settings);
    }
}
