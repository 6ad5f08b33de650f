//! Names and passwords: a file with a line `name:role:hash` for each user, with an Argon2 hash.

use std::path::Path;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use damcast_control::{DeskUser, Role};

/// Longest password, in bytes.
pub const MAX_PASSWORD_LEN: usize = 256;
/// Largest file of passwords, in bytes.
const MAX_FILE_SIZE: u64 = 1 << 20;

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

/// Returns the user with this name and password; `None` if they do not match.
///
/// # Errors
///
/// Returns a text if the file cannot be read, or a line is invalid.
pub fn authenticate(file: &Path, name: &str, password: &str) -> Result<Option<DeskUser>, String> {
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
    // Unknown names take as long as known ones, so timing does not reveal them.
    let dummy_hash =
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8";
    let (person, hash) = match found {
        Some((person, hash)) => (Some(person), hash),
        None => (None, dummy_hash.to_owned()),
    };
    let hash = PasswordHash::new(&hash).map_err(|error| format!("{shown}: {error}"))?;
    let is_right =
        password.len() <= MAX_PASSWORD_LEN && Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
    Ok(person.filter(|_| is_right))
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
        let file = folder.path().join("passwords");
        std::fs::write(&file, format!("# who may\n\n{made}\n")).unwrap();
        assert_eq!(authenticate(&file, "M. Bosma", "correct horse"), Ok(Some(person.clone())));
        for (name, password) in
            [("M. Bosma", "Correct horse"), ("M. Bosma", ""), ("m. bosma", "correct horse"), ("x", "x")]
        {
            assert_eq!(authenticate(&file, name, password), Ok(None), "{name} {password}");
        }
        for (row, why) in
            [("a:operator", "expected"), ("a:boss:$argon2id$x", "the role"), ("a:arbiter:plain", "expected")]
        {
            std::fs::write(&file, format!("{made}\n{row}\n")).unwrap();
            assert!(
                authenticate(&file, "x", "x").is_err_and(|error| error.contains(":2: ") && error.contains(why)),
                "{row}"
            );
        }
        assert!(authenticate(&folder.path().join("none"), "x", "x").is_err());
        assert!(password_line(&DeskUser { name: "a:b".into(), ..person.clone() }, "correct horse").is_err());
        assert!(password_line(&person, "short").is_err());
    }
}
