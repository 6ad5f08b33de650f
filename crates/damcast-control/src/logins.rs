//! Login codes for the desk, with limits on wrong attempts.
//!
//! A code has six digits and is valid once, for a minute. After five wrong attempts an address must wait. After too many wrong guesses in
//! all a code is void, so that many addresses together gain nothing. Callers pass the time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::rand::{GetRandomFlags, getrandom};

use crate::DeskUser;

/// Lifetime of a code.
pub const CODE_LIFETIME: Duration = Duration::from_secs(60);
/// Wrong attempts of an address before it must wait.
pub const MAX_ATTEMPTS: u32 = 5;
/// Duration of the wait.
pub const LOCKOUT: Duration = Duration::from_secs(60);
/// Wrong guesses from all addresses that make a code void.
const MAX_WRONG_GUESSES: u32 = 100;
/// Maximum number of valid codes.
const MAX_CODES: usize = 16;
/// Maximum number of remembered addresses.
const MAX_ADDRESSES: usize = 1024;

/// Failed attempts by address, with the time of the last one.
#[derive(Default, Debug)]
pub struct LoginAttempts(HashMap<IpAddr, (u32, Instant)>);

impl LoginAttempts {
    /// Returns how long this address must wait; `None` if it need not.
    pub fn remaining_lockout(&mut self, address: IpAddr, now: Instant) -> Option<Duration> {
        self.0.retain(|_, (_, last)| now.saturating_duration_since(*last) < LOCKOUT);
        let (count, last) = self.0.get(&address)?;
        (*count >= MAX_ATTEMPTS).then(|| LOCKOUT.saturating_sub(now.saturating_duration_since(*last)))
    }

    /// Records a failed attempt.
    pub fn record_failure(&mut self, address: IpAddr, now: Instant) {
        if self.0.len() >= MAX_ADDRESSES && !self.0.contains_key(&address) {
            // Drop the address with the fewest attempts, so that locked ones stay.
            let least = self.0.iter().min_by_key(|(_, tries)| **tries).map(|(address, _)| *address);
            if let Some(least) = least {
                self.0.remove(&least);
            }
        }
        let tries = self.0.entry(address).or_insert((0, now));
        *tries = (tries.0 + 1, now);
    }

    /// Forgets the failures of an address after a success.
    pub fn record_success(&mut self, address: IpAddr) {
        self.0.remove(&address);
    }
}

/// Returns the message for an address that must wait.
pub fn describe_wait(wait: Duration) -> String {
    format!("too many wrong tries from here; try again in {} s", wait.as_secs() + 1)
}

#[derive(Debug)]
struct IssuedCode {
    code: String,
    user: DeskUser,
    expires_at: Instant,
    guesses: u32,
}

#[derive(Default, Debug)]
struct LoginState {
    codes: Vec<IssuedCode>,
    attempts: LoginAttempts,
}

/// Valid codes.
#[derive(Clone, Default, Debug)]
pub struct LoginCodes(Arc<Mutex<LoginState>>);

impl LoginCodes {
    /// Issues a code for a person, valid for a minute.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many codes, or the system has no random numbers.
    pub fn issue(&self, person: DeskUser, now: Instant) -> Result<String, String> {
        self.issue_for(person, now, CODE_LIFETIME)
    }

    /// Issues a code for a person, valid for `counts_for`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LoginCodes::issue`].
    pub fn issue_for(&self, person: DeskUser, now: Instant, counts_for: Duration) -> Result<String, String> {
        let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counter.codes.retain(|code| code.expires_at > now);
        if counter.codes.len() >= MAX_CODES {
            return Err("too many codes wait to be used; try again in a minute".to_owned());
        }
        let code = loop {
            let code = six_digits().map_err(|error| format!("the system gives no random numbers: {error}"))?;
            if counter.codes.iter().all(|other| other.code != code) {
                break code;
            }
        };
        counter.codes.push(IssuedCode { code: code.clone(), user: person, expires_at: now + counts_for, guesses: 0 });
        Ok(code)
    }

    /// Returns the person of a code and invalidates the code.
    ///
    /// # Errors
    ///
    /// Returns an error if the code is invalid or the address must wait.
    pub fn redeem(&self, code: &str, address: IpAddr, now: Instant) -> Result<DeskUser, String> {
        let mut counter = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wait) = counter.attempts.remaining_lockout(address, now) {
            return Err(describe_wait(wait));
        }
        counter.codes.retain(|code| code.expires_at > now);
        if let Some(index) = counter.codes.iter().position(|issued| issued.code == code) {
            counter.attempts.record_success(address);
            return Ok(counter.codes.swap_remove(index).user);
        }
        counter.attempts.record_failure(address, now);
        counter.codes.iter_mut().for_each(|code| code.guesses += 1);
        counter.codes.retain(|code| code.guesses < MAX_WRONG_GUESSES);
        Err("this code does not count: it is wrong, was used, or is older than a minute; `damcast ctl login` makes another".to_owned())
    }
}

/// Returns six random digits, uniformly distributed.
fn six_digits() -> rustix::io::Result<String> {
    const ALL_CODES: u32 = 1_000_000;
    loop {
        let mut bytes = [0; 4];
        getrandom(&mut bytes, GetRandomFlags::empty())?;
        let number = u32::from_ne_bytes(bytes);
        if number < u32::MAX / ALL_CODES * ALL_CODES {
            return Ok(format!("{:06}", number % ALL_CODES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    fn person() -> DeskUser {
        DeskUser { name: "M. Bosma".into(), role: Role::Arbiter }
    }

    const LOCAL_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn other(number: u32) -> IpAddr {
        std::net::Ipv4Addr::from(number + 1).into()
    }

    #[test]
    fn code_is_valid_once_and_for_one_minute() {
        let (logins, start) = (LoginCodes::default(), Instant::now());
        let code = logins.issue(person(), start).unwrap();
        assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
        assert_eq!(logins.redeem(&code, LOCAL_ADDRESS, start + CODE_LIFETIME / 2), Ok(person()));
        assert!(logins.redeem(&code, LOCAL_ADDRESS, start + CODE_LIFETIME / 2).unwrap_err().contains("was used"));
        let late = logins.issue(person(), start).unwrap();
        assert!(logins.redeem(&late, LOCAL_ADDRESS, start + CODE_LIFETIME).is_err());
    }

    #[test]
    fn five_tries_delay_only_sender() {
        let (logins, start) = (LoginCodes::default(), Instant::now());
        let code = logins.issue(person(), start).unwrap();
        let wrong = if code == "000000" { "000001" } else { "000000" };
        for _ in 0..MAX_ATTEMPTS {
            assert!(logins.redeem(wrong, LOCAL_ADDRESS, start).unwrap_err().contains("does not count"));
        }
        // While locked out, even the right code is refused.
        assert!(logins.redeem(&code, LOCAL_ADDRESS, start).unwrap_err().contains("try again in"));
        assert_eq!(logins.redeem(&code, other(1), start), Ok(person()));
        let next = logins.issue(person(), start + LOCKOUT).unwrap();
        assert_eq!(logins.redeem(&next, LOCAL_ADDRESS, start + LOCKOUT), Ok(person()));
    }

    #[test]
    fn many_addresses_share_limit_of_100_guesses() {
        let (logins, start) = (LoginCodes::default(), Instant::now());
        let code = logins.issue(person(), start).unwrap();
        for number in 0..MAX_WRONG_GUESSES {
            assert!(logins.redeem("x", other(number), start).is_err());
        }
        assert!(logins.redeem(&code, LOCAL_ADDRESS, start).is_err());
        for number in 0..5000 {
            let _ = logins.redeem("x", other(number), start);
        }
        assert!(logins.0.lock().unwrap().attempts.0.len() <= MAX_ADDRESSES);
        for _ in 0..MAX_CODES {
            logins.issue(person(), start).unwrap();
        }
        assert!(logins.issue(person(), start).is_err());
    }
}
