//! Names and passwords: a file with a line `name:role:hash` for each user, with an Argon2 hash.

use std::path::Path;

use argon2::password_hash::PasswordHasher;
use argon2::password_hash::phc::{Output, PasswordHash};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use damcast_control::{DeskUser, Role};

/// Longest password, in bytes.
pub const MAX_PASSWORD_LEN: usize = 256;
/// Largest file of passwords, in bytes.
const MAX_FILE_SIZE: u64 = 1 << 20;
/// Largest memory that a hash may need, in blocks of 1 KiB; those of this program need 19 MiB.
const MAX_HASH_BLOCKS: usize = 64 << 10;

/// Returns the line of the file for a user.
///
/// # Errors
///
/// Returns a text if the name or the password is invalid, or the system gives no random numbers.
pub fn password_line(person: &DeskUser, password: &str) -> Result<String, String> {
    person.check()?;
    if person.name.contains(':') || person.name.starts_with('#') {
        return Err("a name in the file of passwords has no colon, and does not begin with #".to_owned());
    }
    if password.len() < 8 || password.len() > MAX_PASSWORD_LEN {
        return Err(format!("a password has 8 to {MAX_PASSWORD_LEN} bytes"));
    }
    let hash = Argon2::default().hash_password(password.as_bytes()).map_err(|error| error.to_string())?;
    Ok(format!("{}:{}:{hash}", person.name, person.role.as_str()))
}

/// Checks passwords one after the other in one buffer: a hash needs much memory, and the allocator would keep that of each thread.
#[derive(Default)]
pub struct PasswordChecker {
    blocks: Vec<Block>,
}

impl PasswordChecker {
    /// Returns the user with this name and password; `None` if they do not match.
    ///
    /// # Errors
    ///
    /// Returns a text if the file cannot be read, or a line is invalid.
    pub fn authenticate(&mut self, file: &Path, name: &str, password: &str) -> Result<Option<DeskUser>, String> {
        let (person, hash) = find(file, name)?;
        let is_right = self.matches(password, &hash).map_err(|why| format!("{}: {why}", file.display()))?;
        Ok(person.filter(|_| is_right))
    }

    fn matches(&mut self, password: &str, hash: &str) -> Result<bool, String> {
        let invalid = |error: argon2::password_hash::Error| error.to_string();
        let hash = PasswordHash::new(hash).map_err(|error| error.to_string())?;
        let params = Params::try_from(&hash).map_err(invalid)?;
        let count = params.block_count();
        if count > MAX_HASH_BLOCKS {
            return Err(format!("a hash needs {} MiB; make it anew with `damcast desk hash-password`", count >> 10));
        }
        let (Some(salt), Some(expected)) = (&hash.salt, &hash.hash) else { return Ok(false) };
        if password.len() > MAX_PASSWORD_LEN {
            return Ok(false);
        }
        let algorithm = Algorithm::new(hash.algorithm.as_str()).map_err(|error| error.to_string())?;
        let version =
            hash.version.map_or(Ok(Version::default()), Version::try_from).map_err(|error| error.to_string())?;
        if self.blocks.len() < count {
            self.blocks.resize(count, Block::default());
        }
        let mut made = [0; Output::MAX_LENGTH];
        let made = &mut made[..expected.len()];
        Argon2::new(algorithm, version, params)
            .hash_password_into_with_memory(password.as_bytes(), salt, made, &mut self.blocks[..count])
            .map_err(|error| error.to_string())?;
        // Compares in constant time.
        Ok(Output::new(made).is_ok_and(|made| made == *expected))
    }
}

/// Returns the user of a name and the hash of the password. An unknown name gets a hash that no password has: it takes as long as a
/// known one, so timing does not reveal it.
fn find(file: &Path, name: &str) -> Result<(Option<DeskUser>, String), String> {
    let shown = file.display();
    let size = std::fs::metadata(file).map_err(|error| format!("{shown}: {error}"))?.len();
    if size > MAX_FILE_SIZE {
        return Err(format!("{shown}: {size} bytes are no file of passwords"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    let mut found = None;
    for (row, number) in text.lines().zip(1..) {
        if row.trim().is_empty() || row.starts_with('#') {
            continue;
        }
        let (person, hash) = read(row).map_err(|why| format!("{shown}:{number}: {why}"))?;
        if person.name == name {
            found = Some((person, hash));
        }
    }
    let dummy_hash =
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8";
    Ok(found.map_or_else(|| (None, dummy_hash.to_owned()), |(person, hash)| (Some(person), hash)))
}

fn read(row: &str) -> Result<(DeskUser, String), String> {
    let expected = "expected name:role:hash, as `damcast desk hash-password` makes it";
    let mut parts = row.splitn(3, ':');
    let (Some(name), Some(role), Some(hash)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(expected.to_owned());
    };
    let role = match role {
        "operator" => Role::Operator,
        "arbiter" => Role::Arbiter,
        _ => return Err("the role is operator or arbiter".to_owned()),
    };
    let person = DeskUser { name: name.to_owned(), role };
    person.check()?;
    PasswordHash::new(hash.trim()).map_err(|_| expected.to_owned())?;
    Ok((person, hash.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_alone_finds_line() {
        let person = DeskUser { name: "M. Bosma".into(), role: Role::Arbiter };
        let made = password_line(&person, "correct horse").unwrap();
        assert!(made.starts_with("M. Bosma:arbiter:$argon2id$"), "{made}");
        let folder = tempfile::tempdir().unwrap();
        let mut checker = PasswordChecker::default();
        let file = folder.path().join("passwords");
        std::fs::write(&file, format!("# who may\n\n{made}\n")).unwrap();
        assert_eq!(checker.authenticate(&file, "M. Bosma", "correct horse"), Ok(Some(person.clone())));
        for (name, password) in
            [("M. Bosma", "Correct horse"), ("M. Bosma", ""), ("m. bosma", "correct horse"), ("x", "x")]
        {
            assert_eq!(checker.authenticate(&file, name, password), Ok(None), "{name} {password}");
        }
        for (row, why) in
            [("a:operator", "expected"), ("a:boss:$argon2id$x", "the role"), ("a:arbiter:plain", "expected")]
        {
            std::fs::write(&file, format!("{made}\n{row}\n")).unwrap();
            assert!(
                checker.authenticate(&file, "x", "x").is_err_and(|error| error.contains(":2: ") && error.contains(why)),
                "{row}"
            );
        }
        assert!(checker.authenticate(&folder.path().join("none"), "x", "x").is_err());
        let large = "M. Bosma:operator:$argon2id$v=19$m=1048576,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8";
        std::fs::write(&file, large).unwrap();
        assert!(checker.authenticate(&file, "M. Bosma", "x").is_err_and(|error| error.contains("1024 MiB")));
        assert!(password_line(&DeskUser { name: "a:b".into(), ..person.clone() }, "correct horse").is_err());
        assert!(password_line(&person, "short").is_err());
    }
}
