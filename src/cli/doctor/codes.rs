//! Checks that the last piece codes of the boards fit the setting `codes`.
//!
//! A wrong set shows only in the files: every man is a king, or no piece is known. The check reads the last log of each line, so it also
//! works while a station records.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use damcast::engine::bytelog::{LogRecords, Mode, RecordKind};
use damcast::engine::protocol::{DecodedItem, Decoder, Message, PieceCode};
use damcast::engine::session::{CodeMap, LineSettings};
use damcast::station::config::{Config, LineConfig};

use super::DoctorReport;
use super::machine::Machine;

const NAMED_SETS: [&str; 3] = ["draughts", "draughts-old", "chess"];
/// Minimum number of pieces on the board for a conclusion.
const MIN_PIECES: usize = 10;
/// Maximum number of kings of one colour in a game.
const MAX_KINGS: usize = 10;
/// Highest code of a piece; higher codes are result pieces.
const MAX_PIECE_CODE: u8 = 12;

/// Checks the last log of each line.
pub fn check(machine: &Machine, config: &Config, directory: &Path, report: &mut DoctorReport) {
    for line in config.lines.iter().filter(|line| line.mode == Mode::Single) {
        let Some(pieces) = last_pieces(machine, line, directory) else { continue };
        let Ok((settings, _)) = LineSettings::from_header(&line.header(), None) else { continue };
        let setting = line.settings.iter().rev().find(|(key, _)| key == "codes").map_or("draughts", |(_, value)| value);
        let Some(message) = mismatch(&settings.codes, &pieces) else {
            report.ok("codes", format!("{}: the pieces on the board are known", line.name));
            continue;
        };
        let fitting =
            NAMED_SETS.iter().find(|set| set.parse().is_ok_and(|codes: CodeMap| mismatch(&codes, &pieces).is_none()));
        let remedy = match fitting {
            Some(set) => format!("set codes = \"{set}\" in the [[line]] `{}`", line.name),
            None => {
                "`damcast test-board` shows which code each piece has; name them as in codes = \"1=w 4=b 7=W 10=B\""
                    .to_owned()
            }
        };
        report.problem("codes", &line.name, format!("with codes = \"{setting}\" {message}"), remedy);
    }
}

/// Returns the number of pieces per code when the board last had at least [`MIN_PIECES`] pieces.
fn last_pieces(machine: &Machine, line: &LineConfig, directory: &Path) -> Option<BTreeMap<u8, usize>> {
    let folder = directory.join("log");
    let number =
        |name: &String| name.strip_prefix(&line.name)?.strip_prefix('-')?.strip_suffix(".log")?.parse::<u64>().ok();
    let names = machine.list(&folder);
    let last = names.iter().filter_map(|name| Some((number(name)?, name))).max()?.1;
    let log = BufReader::new(File::open(machine.path(folder.join(last))).ok()?);
    let mut records = LogRecords::new(log).ok()?;
    let (mut decoder, mut found) = (Decoder::new(), None);
    while let Some(record) = records.next_record().ok()? {
        let RecordKind::FromBoard(bytes) = record.kind else { continue };
        for item in decoder.feed(&bytes) {
            let DecodedItem::Message(Message::BoardDump(fields)) = item else { continue };
            let mut pieces = BTreeMap::new();
            for code in fields.iter().filter(|code| (1..=MAX_PIECE_CODE).contains(&code.0)) {
                *pieces.entry(code.0).or_default() += 1;
            }
            if pieces.values().sum::<usize>() >= MIN_PIECES {
                found = Some(pieces);
            }
        }
    }
    found
}

/// Describes the mismatch, if any.
fn mismatch(codes: &CodeMap, pieces: &BTreeMap<u8, usize>) -> Option<String> {
    let unknown: Vec<String> = pieces
        .iter()
        .filter(|(code, _)| codes.piece(PieceCode(**code)).is_none())
        .map(|(code, count)| format!("{count} of code {code}"))
        .collect();
    if !unknown.is_empty() {
        return Some(format!("some pieces on the board mean nothing: {}", unknown.join(", ")));
    }
    let kings = pieces.iter().filter(|(code, _)| codes.piece(PieceCode(**code)).is_some_and(|piece| piece.is_king));
    let kings: usize = kings.map(|(_, count)| count).sum();
    (kings >= MAX_KINGS).then(|| format!("{kings} pieces on the board are kings"))
}
