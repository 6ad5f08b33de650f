//! A file that is checked in parts has the problems of one that is checked in one go, in the same order.

use std::collections::VecDeque;

use draughts::Variant;
use draughts_pdn::parts::{Joiner, PartChecker, Splitter};
use draughts_pdn::problem::Problem;
use draughts_pdn::writer::{self, Style};
use draughts_pdn::{Checker, Encoding};
use proptest::prelude::*;

use crate::generated_games::{Dice, SOUP, game, variants};
use crate::pdn::DIALECTS;
use crate::pdn_corpus::files;

/// Returns the games and problems of the liberal check, with this many parts begun ahead and bytes in a part.
fn liberal(text: &[u8], known: Option<&'static Variant>, ahead: usize, size: usize) -> (u64, Vec<Problem>, u64) {
    let mut checker = checked(Checker::new(Encoding::Detect, known), text, ahead, size);
    checker.finish(&mut |_| {});
    let problems = checker.take_problems();
    let dropped = problems.dropped_count();
    (checker.game_count(), problems.into_sorted(), dropped)
}

/// Reads a text in parts of this size. Each part is begun while this many parts before it are not joined yet, as threads do; 0 reads the
/// text in one go.
fn checked<C: PartChecker>(mut checker: C, text: &[u8], ahead: usize, size: usize) -> C {
    if ahead == 0 {
        text.chunks(1_009).for_each(|bytes| checker.feed(bytes));
        return checker;
    }
    let (mut splitter, mut joiner) = (Splitter::new(size), Joiner::new(checker));
    let mut pending = VecDeque::new();
    for bytes in text.chunks(1_009) {
        splitter.push(bytes);
        while let Some(part) = splitter.next_part() {
            pending.push_back(joiner.job(part).run());
            while pending.len() > ahead {
                joiner.join(pending.pop_front().expect("a part"));
            }
        }
    }
    pending.into_iter().for_each(|part| joiner.join(part));
    let last = joiner.job(splitter.last_part());
    joiner.join(last.run());
    joiner.into_checker()
}

/// Asserts that parts of this size change nothing.
fn compare(text: &[u8], known: Option<&'static Variant>, size: usize) {
    let (games, problems, dropped) = liberal(text, known, 3, size);
    let whole = liberal(text, known, 0, size);
    are_equal(&problems, &whole.1);
    assert_eq!((games, dropped), (whole.0, whole.2));
}

fn are_equal(in_parts: &[Problem], whole: &[Problem]) {
    let different = in_parts.iter().zip(whole).position(|(part, whole)| part != whole);
    let at = different.unwrap_or(in_parts.len().min(whole.len()));
    assert_eq!(in_parts.get(at), whole.get(at), "problem {at} of {}", whole.len());
}

/// Returns a file of many games, most of them with an empty line before them, and damage.
fn file(dice: &mut Dice) -> Vec<u8> {
    let variants = variants();
    let (mut text, usual) = (String::new(), variants[dice.roll(variants.len())]);
    let (untagged, unended) = (dice.roll(3), dice.roll(4));
    for index in 0..20 + dice.roll(60) {
        let variant = if dice.roll(9) == 0 { variants[dice.roll(variants.len())] } else { usual };
        let (plies, is_varied) = (dice.roll(30), dice.roll(2) == 0);
        let mut game = game(variant, dice, plies, is_varied);
        if untagged > 0 && dice.roll(untagged) == 0 {
            game.tags.remove("GameType");
        }
        let style = [Style::Compact, Style::Live][dice.roll(2)];
        let written = writer::write(&[game], style);
        let is_unended = unended == 0 || dice.roll(20) == 0;
        text += if is_unended { written.trim_end().trim_end_matches('*') } else { &written };
        text += ["\n", "\n\n", "\r\n\r\n", " 1-1\n\n", " (\n\n", "\n\n; [remark\n\n"]
            [if dice.roll(9) == 0 { dice.roll(6) } else { 1 }];
        if index == 0 && dice.roll(2) == 0 {
            text += DIALECTS;
        }
    }
    for _ in 0..dice.roll(12) {
        let mut at = dice.roll(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match dice.roll(4) {
            0 => text.insert_str(at, SOUP[dice.roll(SOUP.len())]),
            1 => text.insert_str(at, ["\n\n[", "{\n\n[Event \"x\"]\n", "\n\n[Event \"x", "\n\n[%x]"][dice.roll(4)]),
            2 => drop(text.remove(at)),
            _ => {
                let line = text[at..].find('\n').map_or(text.len(), |end| at + end);
                text.replace_range(at..line, "");
            }
        }
    }
    let mut bytes = text.into_bytes();
    for _ in 0..dice.roll(3) {
        let at = dice.roll(bytes.len());
        bytes[at] = 0xe9;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(48)))]

    #[test]
    fn parts_change_no_problem(seed in 1_u64.., size in 1_024_usize..6_000, is_known in proptest::bool::ANY) {
        let bytes = file(&mut Dice(seed));
        compare(&bytes, is_known.then(Variant::international), size);
    }
}

#[test]
fn parts_change_no_problem_of_public_files() {
    for path in files(&["suite/succeed", "suite/fail", "suite/8bit", "wild"]) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() < 4_000_000 {
            compare(&bytes, None, 2_000);
        }
    }
}

/// Otherwise threads would work in vain.
#[test]
fn nearly_every_part_begins_with_a_game() {
    let mut dice = Dice(7);
    let games: Vec<_> = (0..400).map(|_| game(Variant::international(), &mut dice, 40, true)).collect();
    let text = writer::write(&games, Style::Compact).replace("\n\n[", "\n\n\n[");
    for (from, to) in [("", ""), (" *\n", " 1-1\n"), (" *\n", "\n"), ("[GameType \"20\"]\n", "")] {
        let text = text.replace(from, to);
        let joined = std::sync::atomic::AtomicUsize::new(0);
        let counting = Counting { checker: Checker::new(Encoding::Detect, None), joined: &joined };
        let mut bytes = text.into_bytes();
        if to.is_empty() {
            bytes.splice(3_000..3_000, *b"{\xe9}").for_each(drop);
            bytes.splice(300_000..300_000, *b"{\xe9}").for_each(drop);
        }
        checked(counting, &bytes, 2, 16_384);
        let (joined, parts) = (joined.into_inner(), bytes.len() / 16_384);
        assert!(joined * 4 > parts * 3, "{from:?} as {to:?}: {joined} of about {parts} parts joined");
    }
}

/// Counts the parts that are not read again.
struct Counting<'j> {
    checker: Checker,
    joined: &'j std::sync::atomic::AtomicUsize,
}

impl PartChecker for Counting<'_> {
    fn for_part(&self, line: u64) -> Self {
        Counting { checker: PartChecker::for_part(&self.checker, line), joined: self.joined }
    }

    fn feed(&mut self, bytes: &[u8]) {
        PartChecker::feed(&mut self.checker, bytes);
    }

    fn end_part(&mut self, ahead: &[u8]) -> Result<(), usize> {
        PartChecker::end_part(&mut self.checker, ahead)
    }

    fn join(&mut self, next: Self) -> bool {
        let is_joined = PartChecker::join(&mut self.checker, next.checker);
        self.joined.fetch_add(usize::from(is_joined), std::sync::atomic::Ordering::Relaxed);
        is_joined
    }
}
