//! Codes that permit to enter the moves of one board in one round.
//!
//! Only hashes of codes are kept, in one file of the station's folder, so that printed sheets survive a restart. A code has more than
//! 70 random bits, so its hash needs no salt and no slow function.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use damcast_control::logins::{LoginAttempts, describe_wait};
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::locks::lock;

/// File of the codes, in the station's folder.
pub const CODES_FILE: &str = "entry-codes.json";
/// Letters and digits of a code: without 0, 1, i, l, o and u, which people confuse.
const ALPHABET: &[u8; 30] = b"23456789abcdefghjkmnpqrstvwxyz";
/// Groups of a code, and characters of a group.
const GROUPS: usize = 3;
const GROUP_LEN: usize = 5;
/// Maximum number of remembered codes; the oldest are forgotten.
const MAX_CODES: usize = 4096;
/// Answer to every code that is not valid, whatever the reason.
pub const INVALID: &str = "this code is not valid";

/// A code, without its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct IssuedCode {
    board: String,
    /// Round in which it is valid; `None`: while the board plays in no round.
    round: Option<u32>,
    /// SHA-256 of the code, in hexadecimal digits.
    hash: String,
    /// Whether it is no longer valid. It is kept, so that a phone that still uses it does not count as one that guesses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_revoked: bool,
}

/// Content of the file.
#[derive(Default, Serialize, Deserialize)]
struct CodesFile {
    codes: Vec<IssuedCode>,
}

#[derive(Default)]
struct CodesState {
    codes: Vec<IssuedCode>,
    /// Hashes of codes that were used since the start; a wrong guess from the same address does not delay them.
    used: BTreeSet<String>,
    attempts: LoginAttempts,
}

/// Codes of a station.
pub struct EntryCodes {
    path: PathBuf,
    /// Never locked while the disk works.
    state: Mutex<CodesState>,
    /// Locked while the file is written.
    file_access: Mutex<()>,
}

/// Reason why a code permits nothing now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CodeError {
    /// The code is not valid.
    Invalid,
    /// The address must wait, in these words.
    Wait(String),
}

impl EntryCodes {
    /// Reads the codes of a station's folder. Also returns why they cannot be read; then there are none, and the next new code replaces
    /// the file.
    pub fn open(directory: &Path) -> (EntryCodes, Option<String>) {
        let path = directory.join(CODES_FILE);
        let (codes, problem) = match fs::read(&path).map(|bytes| serde_json::from_slice::<CodesFile>(&bytes)) {
            Ok(Ok(file)) => (file.codes, None),
            Ok(Err(error)) => (Vec::new(), Some(format!("{}: {error}; no code of before is valid", path.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), None),
            Err(error) => (Vec::new(), Some(format!("{}: {error}; no code of before is valid", path.display()))),
        };
        let state = Mutex::new(CodesState { codes, ..CodesState::default() });
        (EntryCodes { path, state, file_access: Mutex::default() }, problem)
    }

    /// Whether there are no codes.
    pub fn is_empty(&self) -> bool {
        lock(&self.state).codes.is_empty()
    }

    /// Makes a code for a board in a round, in place of an earlier one for the same. Blocks on the disk.
    ///
    /// # Errors
    ///
    /// Returns the reason why there is no code: no random numbers, or the file cannot be written.
    pub fn issue(&self, board: &str, round: Option<u32>) -> Result<String, String> {
        let code = random_code().map_err(|error| format!("the system gives no random numbers: {error}"))?;
        let issued = IssuedCode { board: board.to_owned(), round, hash: hash(&code), is_revoked: false };
        self.change(|codes| {
            let same = codes.iter_mut().filter(|known| known.board == board && known.round == round);
            same.for_each(|known| known.is_revoked = true);
            codes.push(issued);
            let excess = codes.len().saturating_sub(MAX_CODES);
            codes.drain(..excess);
        })?;
        Ok(code)
    }

    /// Ends all codes of a board. Returns how many there were. Blocks on the disk.
    ///
    /// # Errors
    ///
    /// Returns the reason why the file cannot be written; the codes are valid then.
    pub fn revoke(&self, board: &str) -> Result<usize, String> {
        let mut count = 0;
        self.change(|codes| {
            for known in codes.iter_mut().filter(|known| known.board == board && !known.is_revoked) {
                known.is_revoked = true;
                count += 1;
            }
        })?;
        Ok(count)
    }

    /// Changes the codes once the file has the change.
    fn change(&self, change: impl FnOnce(&mut Vec<IssuedCode>)) -> Result<(), String> {
        let _access = lock(&self.file_access);
        let mut codes = lock(&self.state).codes.clone();
        change(&mut codes);
        write_private(&self.path, &codes).map_err(|error| format!("{}: {error}", self.path.display()))?;
        lock(&self.state).codes = codes;
        Ok(())
    }

    /// Returns the board of a code. `current_round`: round in which a board plays. A wrong code delays the next ones of its address, but
    /// none that was used already.
    ///
    /// # Errors
    ///
    /// Returns an error if the code is not valid now, or its address must wait.
    pub fn check(
        &self,
        code: &str,
        address: IpAddr,
        now: Instant,
        current_round: impl Fn(&str) -> Option<u32>,
    ) -> Result<String, CodeError> {
        let hash = hash(code);
        let mut state = lock(&self.state);
        let known = state.codes.iter().find(|known| known.hash == hash).cloned();
        let wait = state.attempts.remaining_lockout(address, now);
        match (known, wait) {
            (Some(known), None) if known.is_valid(&current_round) => {
                state.used.insert(hash);
                Ok(known.board)
            }
            (Some(known), Some(_)) if state.used.contains(&hash) && known.is_valid(&current_round) => Ok(known.board),
            (_, Some(wait)) => Err(CodeError::Wait(describe_wait(wait))),
            // A code of another round, or a revoked one, is no guess.
            (Some(_), None) => Err(CodeError::Invalid),
            (None, None) => {
                state.attempts.record_failure(address, now);
                Err(CodeError::Invalid)
            }
        }
    }
}

impl IssuedCode {
    fn is_valid(&self, current_round: impl Fn(&str) -> Option<u32>) -> bool {
        !self.is_revoked && current_round(&self.board) == self.round
    }
}

/// Replaces the file, which only the user of the station may read.
fn write_private(path: &Path, codes: &[IssuedCode]) -> io::Result<()> {
    let text = serde_json::to_vec(&CodesFile { codes: codes.to_vec() })?;
    let new = path.with_extension("json.new");
    crate::disk::if_found(fs::remove_file(&new))?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(&text)?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    fs::File::open(crate::disk::parent_folder(path))?.sync_all()
}

/// Returns the hash of a code. Capital letters, blanks and `-` do not matter.
fn hash(code: &str) -> String {
    let plain = code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase());
    let mut text = String::new();
    for byte in Sha256::digest(plain.collect::<String>()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns a random code, uniformly distributed: `k7mpq-3x9ad-w2rgb`.
fn random_code() -> rustix::io::Result<String> {
    /// Largest multiple of the number of characters in a byte.
    const LIMIT: usize = 256 / ALPHABET.len() * ALPHABET.len();
    let mut characters = Vec::new();
    while characters.len() < GROUPS * GROUP_LEN {
        let mut bytes = [0; 32];
        let filled = getrandom(&mut bytes, GetRandomFlags::empty())?;
        let usable = bytes.iter().take(filled).map(|byte| usize::from(*byte)).filter(|byte| *byte < LIMIT);
        characters.extend(usable.filter_map(|byte| ALPHABET.get(byte % ALPHABET.len())).map(|c| char::from(*c)));
    }
    characters.truncate(GROUPS * GROUP_LEN);
    let groups: Vec<String> = characters.chunks(GROUP_LEN).map(|group| group.iter().collect()).collect();
    Ok(groups.join("-"))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::os::unix::fs::PermissionsExt;

    use damcast_control::logins::{LOCKOUT, MAX_ATTEMPTS};

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7));
    const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 8));

    fn check(codes: &EntryCodes, code: &str, round: Option<u32>) -> Result<String, CodeError> {
        codes.check(code, HERE, Instant::now(), |_| round)
    }

    #[test]
    fn code_is_for_one_board_and_round_until_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let (codes, problem) = EntryCodes::open(folder.path());
        assert_eq!(problem, None);
        let [third, fourth] = [3, 4].map(|round| codes.issue("table-7", Some(round)).unwrap());
        let without = codes.issue("table-8", None).unwrap();
        assert_eq!(check(&codes, &third, Some(3)), Ok("table-7".to_owned()));
        assert_eq!(check(&codes, &third.to_uppercase().replace('-', " "), Some(3)), Ok("table-7".to_owned()));
        assert_eq!(check(&codes, &third, Some(4)), Err(CodeError::Invalid));
        assert_eq!(check(&codes, &third, None), Err(CodeError::Invalid));
        assert_eq!(check(&codes, &fourth, Some(4)), Ok("table-7".to_owned()));
        assert_eq!(check(&codes, &without, None), Ok("table-8".to_owned()));
        assert_eq!(check(&codes, &without, Some(1)), Err(CodeError::Invalid));
        // A new code for the same board and round replaces the old one.
        let again = codes.issue("table-7", Some(3)).unwrap();
        assert_eq!(check(&codes, &third, Some(3)), Err(CodeError::Invalid));
        let (restarted, problem) = EntryCodes::open(folder.path());
        assert_eq!((problem, check(&restarted, &again, Some(3))), (None, Ok("table-7".to_owned())));
        assert_eq!(restarted.revoke("table-7"), Ok(2));
        assert_eq!(check(&restarted, &again, Some(3)), Err(CodeError::Invalid));
        assert_eq!(check(&restarted, &without, None), Ok("table-8".to_owned()));
    }

    #[test]
    fn file_is_private_and_has_hashes_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (codes, _) = EntryCodes::open(folder.path());
        let code = codes.issue("table-7", None).unwrap();
        let path = folder.path().join(CODES_FILE);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&code) && !text.contains(&code.replace('-', "")), "{text}");
        let bits = (code.len() - 2) as f64 * (ALPHABET.len() as f64).log2();
        assert!(bits >= 60.0 && code.split('-').all(|group| group.len() == GROUP_LEN), "{code}");
        fs::write(&path, "{").unwrap();
        let (codes, problem) = EntryCodes::open(folder.path());
        assert!(problem.is_some_and(|why| why.contains(CODES_FILE)) && check(&codes, &code, None).is_err());
    }

    #[test]
    fn wrong_codes_delay_only_guesser() {
        let folder = tempfile::tempdir().unwrap();
        let (codes, _) = EntryCodes::open(folder.path());
        let (first, second) = (codes.issue("table-7", None).unwrap(), codes.issue("table-8", None).unwrap());
        let start = Instant::now();
        let from = |code: &str, address, now| codes.check(code, address, now, |_| None);
        assert_eq!(from(&first, HERE, start), Ok("table-7".to_owned()));
        let guesses: Vec<CodeError> =
            (0..100).map(|guess| from(&format!("k7mpq-{guess}"), HERE, start).unwrap_err()).collect();
        let (first_tries, others) = guesses.split_at(MAX_ATTEMPTS as usize);
        assert!(first_tries.iter().all(|error| *error == CodeError::Invalid), "{guesses:?}");
        assert!(others.iter().all(|error| matches!(error, CodeError::Wait(_))), "{guesses:?}");
        // The code in use and other addresses are not delayed.
        assert_eq!(from(&first, HERE, start), Ok("table-7".to_owned()));
        assert!(matches!(from(&second, HERE, start), Err(CodeError::Wait(_))));
        assert_eq!(from(&second, THERE, start), Ok("table-8".to_owned()));
        assert_eq!(from(&second, HERE, start + LOCKOUT), Ok("table-8".to_owned()));
    }

    #[test]
    fn revoked_code_counts_as_no_guess() {
        let folder = tempfile::tempdir().unwrap();
        let (codes, _) = EntryCodes::open(folder.path());
        let old = codes.issue("table-7", None).unwrap();
        codes.revoke("table-7").unwrap();
        for _ in 0..100 {
            assert_eq!(check(&codes, &old, None), Err(CodeError::Invalid));
        }
        let new = codes.issue("table-7", None).unwrap();
        assert_eq!(check(&codes, &new, None), Ok("table-7".to_owned()));
    }
}
