//! How quickly passwords may be tried (`spec/domain.md` 1.2, "POST /user/login").
//!
//! Owns: wrong passwords by account and network, and the delays that follow. Never does: lock an account: who tries wrong
//! passwords makes themselves wait. `spec/domain.md` once asked for a lock of 15 minutes after five wrong passwords,
//! whoever sent them: that let any stranger lock any user out for ever.
//! Invariants: a try is counted before the password is looked at, so that guesses at the same moment count too; what
//! comes from networks that are not known delays nobody in a known one. Known limits: this process's, and gone with it;
//! a stranger in many networks at once slows the user's logins from networks that are new to the user.

use crate::http::limits::Buckets;
use dashmap::DashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Wrong passwords from one network without a delay.
const FREE: u32 = 5;
/// The delay after the last of these; it doubles with each one more …
const FIRST_DELAY: Duration = Duration::from_secs(15);
/// … up to this.
const LONGEST_DELAY: Duration = Duration::from_secs(900);
/// Who has not tried for so long begins anew.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3_600);
/// Wrong passwords of an account from all networks together that are not known …
const STRANGERS: u32 = 100;
/// … within this time.
const STRANGERS_WITHIN: Duration = Duration::from_secs(900);
/// Wrong passwords from a known network: no delay, but so many …
const KNOWN: u32 = 30;
/// … within this time.
const KNOWN_WITHIN: Duration = Duration::from_secs(300);

/// A network as logins see it: /24, or /64 with IPv6.
#[must_use]
pub(super) fn login_network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            IpAddr::from([a, b, c, 0])
        }
        IpAddr::V6(v6) => {
            let mut octets = v6.octets();
            octets[8..].fill(0);
            IpAddr::from(octets)
        }
    }
}

/// Where somebody tries a password: the account as it was named, and a [`login_network`].
pub(super) type Place = (String, IpAddr);

#[derive(Debug, Clone, Copy)]
struct Tries {
    wrong: u32,
    at: Instant,
    until: Instant,
}

/// See the module's header.
#[derive(Debug)]
pub(super) struct Throttle {
    tries: DashMap<Place, Tries>,
    strangers: Buckets<String>,
    known: Buckets<Place>,
}

impl Default for Throttle {
    fn default() -> Throttle {
        Throttle {
            tries: DashMap::new(),
            strangers: Buckets::new(STRANGERS, STRANGERS_WITHIN),
            known: Buckets::new(KNOWN, KNOWN_WITHIN),
        }
    }
}

/// The delay after so many wrong passwords.
fn delay(wrong: u32) -> Duration {
    match wrong.checked_sub(FREE) {
        None => Duration::ZERO,
        Some(more) => FIRST_DELAY.saturating_mul(1 << more.min(10)).min(LONGEST_DELAY),
    }
}

impl Throttle {
    /// Whether a password may be tried now; if so, it is counted as a wrong one until it is known to be none.
    pub(super) fn begin(&self, place: &Place, is_known: bool) -> bool {
        self.begin_at(place, is_known, Instant::now())
    }

    fn begin_at(&self, place: &Place, is_known: bool, now: Instant) -> bool {
        if is_known {
            return self.known.take(place.clone());
        }
        let mut tries = self.tries.entry(place.clone()).or_insert(Tries { wrong: 0, at: now, until: now });
        if now.duration_since(tries.at) > FORGOTTEN_AFTER {
            tries.wrong = 0;
        }
        if now < tries.until || !self.strangers.take(place.0.clone()) {
            return false;
        }
        let wrong = tries.wrong.saturating_add(1);
        *tries = Tries { wrong, at: now, until: now + delay(wrong) };
        true
    }

    /// The password was right, or nobody looked at it.
    pub(super) fn give_back(&self, place: &Place, is_known: bool) {
        if is_known {
            return self.known.give(place);
        }
        self.strangers.give(&place.0);
        if let Some(mut tries) = self.tries.get_mut(place) {
            tries.wrong = tries.wrong.saturating_sub(1);
            tries.until = tries.at + delay(tries.wrong);
        }
    }

    /// Somebody logged in there.
    pub(super) fn forget(&self, place: &Place) {
        self.tries.remove(place);
    }

    /// Forgets what delays nobody any more.
    pub(super) fn sweep(&self) {
        let now = Instant::now();
        self.tries.retain(|_, tries| now.duration_since(tries.at) <= FORGOTTEN_AFTER);
        self.strangers.sweep();
        self.known.sweep();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(account: &str, ip: [u8; 4]) -> Place {
        (account.to_owned(), login_network(IpAddr::from(ip)))
    }

    #[test]
    fn a_network_is_24_bits_or_64() {
        let of = |ip: &str| login_network(ip.parse().unwrap()).to_string();
        assert_eq!(of("10.1.2.3"), "10.1.2.0");
        assert_eq!(of("::ffff:10.1.2.3"), "10.1.2.0");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }

    #[test]
    fn the_delay_doubles_to_fifteen_minutes_and_is_over_after_a_right_password() {
        let (throttle, here) = (Throttle::default(), place("a", [10, 0, 0, 1]));
        let (mut now, mut delays) = (Instant::now(), Vec::new());
        assert!((0..FREE).all(|_| throttle.begin_at(&here, false, now)), "five are free");
        for _ in 0..9 {
            assert!(!throttle.begin_at(&here, false, now));
            let until = throttle.tries.get(&here).unwrap().until;
            delays.push(until.duration_since(now).as_secs());
            assert!(!throttle.begin_at(&here, false, until - Duration::from_millis(1)));
            now = until;
            assert!(throttle.begin_at(&here, false, now), "one more");
        }
        assert_eq!(delays, [15, 30, 60, 120, 240, 480, 900, 900, 900]);
        throttle.forget(&here);
        assert!((0..FREE).all(|_| throttle.begin_at(&here, false, now)));
    }

    #[test]
    fn others_delay_neither_another_network_nor_another_account_nor_a_known_network() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let (theirs, mine) = (place("a", [10, 0, 0, 1]), place("a", [10, 0, 1, 1]));
        while throttle.begin_at(&theirs, false, now) {}
        assert!(throttle.begin_at(&mine, false, now) && throttle.begin_at(&place("b", [10, 0, 0, 1]), false, now));
        for network in 0..=255 {
            for _ in 0..9 {
                let _ = throttle.begin_at(&place("a", [11, 0, network, 1]), false, now);
            }
        }
        assert!(!throttle.begin_at(&place("a", [12, 0, 0, 1]), false, now), "a stranger from everywhere is slowed");
        assert!(throttle.begin_at(&place("a", [12, 0, 0, 1]), true, now), "who is known there is not");
        assert!(throttle.begin_at(&theirs, true, now), "not even beside the stranger");
    }

    #[test]
    fn a_known_network_tries_on_but_not_without_end() {
        let (throttle, here, now) = (Throttle::default(), place("a", [10, 0, 0, 1]), Instant::now());
        assert_eq!((0..60).filter(|_| throttle.begin_at(&here, true, now)).count(), KNOWN as usize);
        throttle.give_back(&here, true);
        assert!(throttle.begin_at(&here, true, now));
    }

    #[test]
    fn what_nobody_looked_at_was_no_wrong_password() {
        let (throttle, here, now) = (Throttle::default(), place("a", [10, 0, 0, 1]), Instant::now());
        for _ in 0..50 {
            assert!(throttle.begin_at(&here, false, now));
            throttle.give_back(&here, false);
        }
        assert!((0..FREE).all(|_| throttle.begin_at(&here, false, now)) && !throttle.begin_at(&here, false, now));
    }
}
