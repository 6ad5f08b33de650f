//! Five hundred typing mistakes in a configuration, from a seed: each is found in its line, with its key named.

use damcast::station::config::Config;
use damcast::station::config::keys::{KEYS, Key, Section, ValueKind};

/// Number of mistakes.
const MUTATIONS: usize = 500;

/// Every kind of table, and keys of every kind.
const VALID: &str = r#"[station]
directory = "recordings"
[public]
profile = "lidraughts"
delay = 60
delay-plies = 2
sync = "safe"
[recognition]
preset = "auto"
settle-ms = 300
chaos-ms = 20000
[[line]]
name = "board-1"
port = "serial:/dev/ttyACM0"
game-type = "20"
orientation = "turned"
codes = "chess"
connect = "clock version"
[[line]]
name = "hall"
mode = "bus"
port = "tcp://10.0.0.7:4001"
game-type = "25"
bus-answer-ms = 100
bus-unknown-boards = "ignore"
bus-start-tag = false
time-scale = 2.5
[[line.board]]
address = 1025
name = "table-1"
orientation = "normal"
[[line.board]]
address = 1026
"#;

/// A generator in this file, so that every machine makes the same mistakes.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Returns the lines of the text with their keys.
fn pairs() -> Vec<(usize, &'static Key, &'static str)> {
    let mut section = Section::Station;
    let mut found = Vec::new();
    for (at, line) in VALID.lines().enumerate() {
        match Section::ALL.into_iter().find(|section| section.title() == line) {
            Some(title) => section = title,
            None => {
                let (name, value) = line.split_once(" = ").unwrap();
                let key = KEYS.iter().find(|key| key.section == section && key.name == name).unwrap();
                found.push((at, key, value));
            }
        }
    }
    found
}

/// Makes one mistake. Returns the wrong line and the name of the mistake.
fn make_mistake(random: &mut Random, key: &Key, value: &str) -> (String, &'static str) {
    let name = key.name;
    let letter = |random: &mut Random| char::from(b'a' + random.below(26) as u8);
    match random.below(7) {
        0 => {
            // A letter too many, a letter missing, or two letters swapped.
            let mut typed: Vec<char> = name.chars().collect();
            let at = random.below(typed.len());
            match random.below(3) {
                0 => typed.insert(at, letter(random)),
                1 => drop(typed.remove(at)),
                _ => typed[at] = if typed[at] == 'q' { 'z' } else { 'q' },
            }
            let typed: String = typed.into_iter().collect();
            (format!("{typed} = {value}"), "typing error")
        }
        1 => (format!("{name} = {}", ["[]", "{}", "[1, 2]", "1979-05-27"][random.below(4)]), "wrong type"),
        2 => match key.kind {
            ValueKind::Integer { max: most, .. } => {
                (format!("{name} = {}", most + 1 + random.below(1000) as u64), "out of range")
            }
            ValueKind::Number { .. } => (format!("{name} = -{}", random.below(9)), "out of range"),
            ValueKind::Bool => (format!("{name} = {}", 2 + random.below(9)), "out of range"),
            ValueKind::Choice(_) | ValueKind::WordList(_) => {
                (format!("{name} = \"{}{}\"", letter(random), letter(random)), "no such word")
            }
            ValueKind::Text => (format!("{name} = [\"\"]"), "wrong type"),
            ValueKind::Strings | ValueKind::Addresses => (format!("{name} = 5"), "wrong type"),
        },
        3 => (format!("{name} = {value}\n{name} = {value}"), "duplicate"),
        4 => (format!("{name} = \"{}", value.trim_matches('"')), "unclosed string"),
        5 => (format!("{name} {value}"), "no equals sign"),
        _ => (format!("{name} = "), "no value"),
    }
}

#[test]
fn finds_500_mistakes_with_line_and_key() {
    assert!(Config::read("x.toml", VALID).is_ok());
    let (pairs, mut random) = (pairs(), Random(8));
    let mut seen: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for _ in 0..MUTATIONS {
        let (at, key, value) = pairs[random.below(pairs.len())];
        let (mistaken, kind) = make_mistake(&mut random, key, value);
        let lines = VALID.lines().enumerate().map(|(line, text)| if line == at { &mistaken } else { text });
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        *seen.entry(kind).or_default() += 1;
        let errors = Config::read("x.toml", &text).expect_err(&text).0;
        // A table has no value: its title represents the lines after it.
        let places = at + 1..=at + mistaken.lines().count();
        let typed = mistaken.split([' ', '=']).next().unwrap();
        let is_told = errors.iter().any(|error| {
            let line = error.location.as_ref().unwrap().line;
            places.contains(&line) && (error.message.contains(key.name) || error.message.contains(typed))
        });
        assert!(is_told, "{kind} in line {}:\n{text}\n{errors:#?}", at + 1);
    }
    assert!(seen.len() >= 7 && seen.values().all(|&count| count >= 20), "{seen:?}");
}

#[test]
fn reports_several_mistakes_at_once() {
    let text = VALID
        .replace("delay = 60", "dely = 60")
        .replace("sync = \"safe\"", "sync = \"sometimes\"")
        .replace("settle-ms = 300", "settle-ms = 3")
        .replace("orientation = \"turned\"", "orientation = \"left\"")
        .replace("game-type = \"25\"", "game-type = \"99\"")
        .replace("address = 1026", "address = 1025");
    let errors = Config::read("x.toml", &text).unwrap_err();
    let lines: Vec<usize> = errors.0.iter().map(|error| error.location.as_ref().unwrap().line).collect();
    assert_eq!(lines, [5, 7, 10, 16, 23, 33], "{errors}");
}
