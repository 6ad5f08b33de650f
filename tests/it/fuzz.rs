//! The fuzz targets without a fuzzer: on their seeds, on every input that ever failed, and on mutations of both.
//!
//! This is a smoke test with a fixed seed, equal in every run; `scripts/fuzz` is the search guided by coverage. `FUZZ_SEED` and
//! `FUZZ_MUTATIONS` (per input) select another seed or a longer run.

#[path = "../../fuzz/src/lib.rs"]
pub mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use targets::Target;

use crate::random::Random;

const SEED: u64 = 20_261_121;

impl Random {
    /// Applies a few changes of the kinds that fuzzers make.
    fn mutated(&mut self, input: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            let to = (at + 1 + self.below(8)).min(bytes.len());
            match self.below(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = self.next() as u8,
                2 if at < to => drop(bytes.drain(at..to)),
                3 if at < to => {
                    let part = bytes[at..to].to_vec();
                    let into = self.below(bytes.len() + 1);
                    bytes.splice(into..into, part);
                }
                4 => {
                    let other = &others[self.below(others.len())];
                    let from = self.below(other.len());
                    let to = (from + 1 + self.below(40)).min(other.len());
                    bytes.splice(at..at, other[from..to].iter().copied());
                }
                _ => bytes.truncate(at.max(bytes.len() / 2)),
            }
        }
        bytes
    }
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn smoke(name: &str) {
    let target: &Target = targets::TARGETS.iter().find(|target| target.name == name).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let seeds = files(&folder.join("seeds").join(target.seeds));
    let finds = files(&folder.join("finds").join(name));
    assert!(!seeds.is_empty());
    let (seed, mutations) = (from_env("FUZZ_SEED", SEED), from_env("FUZZ_MUTATIONS", 400));
    println!("{name}: FUZZ_SEED={seed} FUZZ_MUTATIONS={mutations}");
    let check = |input: &[u8]| {
        if catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_err() {
            let path = std::env::temp_dir().join(format!("damcast-fuzz-{name}"));
            let _ = fs::write(&path, input);
            panic!("{name} broke on {:?}, kept in {}", String::from_utf8_lossy(input), path.display());
        }
    };
    check(b"");
    let inputs: Vec<Vec<u8>> = seeds.into_iter().chain(finds).collect();
    let mut random = Random(seed);
    for input in &inputs {
        check(input);
        for _ in 0..mutations {
            check(&random.mutated(input, &inputs));
        }
    }
}

#[test]
fn framer() {
    smoke("framer");
}

#[test]
fn log() {
    smoke("log");
}

#[test]
fn reader() {
    smoke("reader");
}

#[test]
fn checked() {
    smoke("checked");
}

#[test]
fn pdn() {
    smoke("pdn");
}

#[test]
fn fen() {
    smoke("fen");
}

#[test]
fn moves() {
    smoke("moves");
}

#[test]
fn tags() {
    smoke("tags");
}

#[test]
fn time_control() {
    smoke("time_control");
}
