//! Extracts one board of a bus from the common log.

use damcast::engine::bytelog::{Record, RecordKind};
use damcast::engine::session::Input;
use damcast::station::folder::extract::{BoardFilter, LogPart};

use crate::bus::{Bus, rare_session, replay_inputs};

#[test]
fn extracted_bus_board_has_all_moves() {
    let (bus, settings, inputs) = rare_session(12);
    let record = |(at, input): &(damcast::engine::millis::Millis, Input)| Record::new(at.0, input.to_record());
    let whole: Vec<Record> = inputs.iter().map(record).collect();
    let bytes = |records: &[Record]| records.iter().map(|record| record.to_line().len()).sum::<usize>();
    for (address, moves) in bus.moves() {
        let mut own = BoardFilter::new(address);
        let pieces = whole.iter().flat_map(|record| own.push(LogPart::Record(record.clone())));
        let alone = pieces.filter_map(|piece| if let LogPart::Record(record) = piece { Some(record) } else { None });
        let alone: Vec<Record> = alone.collect();
        assert!(bytes(&alone) < bytes(&whole) * 2 / 3, "{} of {}", bytes(&alone), bytes(&whole));
        let inputs = alone.iter().filter_map(|record| {
            Some((damcast::engine::millis::Millis(record.at), Input::from_record(&record.kind).unwrap()?))
        });
        let mut settings = settings.clone();
        settings.boards.retain(|known, _| *known == address);
        let recorded = replay_inputs(&settings, inputs);
        assert_eq!(recorded.entries.keys().collect::<Vec<_>>(), [&address]);
        // The last line may wait for an answer that was not recorded.
        let entries = &recorded.entries[&address];
        assert!(
            moves.starts_with(entries) && entries.len() + 1 >= moves.len(),
            "{address}: {entries:?}, not {moves:?}"
        );
    }
}

#[test]
fn requests_before_discovery_belong_to_board() {
    let request = |text: &str| LogPart::Record(Record::new(5, RecordKind::Operator(text.to_owned())));
    let address = Bus::address(1);
    let mut own = BoardFilter::new(address);
    for (text, belongs) in
        [(format!("{address} flip"), true), (format!("when-found {address} flip"), true), ("9 flip".to_owned(), false)]
    {
        assert_eq!(own.push(request(&text)).len() == 1, belongs, "{text}");
    }
}
