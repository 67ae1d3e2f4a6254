//! Limits on logins: a cap on the logins of one address, and delays after wrong passwords
//! (`docs/rules/authentication.md "Login delays"`).
//!
//! Owns: logins per address, wrong passwords per account and network, and the resulting delays. Never does: lock an
//! account. A lock after some wrong passwords would let any stranger lock out any user; a delay hits only the network
//! that sent them. Invariants: an attempt is counted before the password is checked, so concurrent guesses count too. A
//! wrong password gets the same answer after the same work, whether or not the account exists and wherever its user
//! logged in recently. The right password opens from an address where its user logged in recently, whatever others on
//! that network sent. Known limits: kept in this process's memory. An attacker in many networks slows the user's logins
//! from new addresses; one who shares the user's address slows logins from there.

use crate::api::http::limits::{Buckets, network};
use dashmap::DashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Logins of one address, whosoever they are …
const LOGINS_BY_NETWORK: u32 = 300;
/// … within this time.
const LOGINS_WITHIN: Duration = Duration::from_secs(900);
/// Wrong passwords from one network without a delay.
const FREE: u32 = 5;
/// The delay after the last of these; it doubles with each one more …
const FIRST_DELAY: Duration = Duration::from_secs(15);
/// … up to this.
const LONGEST_DELAY: Duration = Duration::from_secs(900);
/// Who has not tried for so long begins anew.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3_600);
/// Wrong passwords of an account from all networks together …
const STRANGERS: u32 = 100;
/// … within this time.
const STRANGERS_WITHIN: Duration = Duration::from_secs(900);
/// Passwords from one address that are looked at during a delay …
const QUIET: u32 = 30;
/// … within this time.
const QUIET_WITHIN: Duration = Duration::from_secs(300);

/// Where somebody tries a password.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The account as it was named.
    account: String,
    /// The address as limits see it: what is known after a login.
    address: IpAddr,
    /// The network that it is counted with: of IPv4 /24, of IPv6 as limits have it.
    network: IpAddr,
}

impl Place {
    pub(crate) fn new(account: String, ip: IpAddr) -> Place {
        let address = network(ip.to_canonical());
        let network = match address {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                IpAddr::from([a, b, c, 0])
            }
            IpAddr::V6(_) => address,
        };
        Place { account, address, network }
    }

    /// What is known of it after a login.
    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    fn by_address(&self) -> (String, IpAddr) {
        (self.account.clone(), self.address)
    }

    fn by_network(&self) -> (String, IpAddr) {
        (self.account.clone(), self.network)
    }
}

/// What becomes of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trial {
    /// The answer says whether the password is right.
    Open,
    /// During a delay: the right password opens from where its user is known; any other try is answered as a refused one.
    Quiet,
    /// Nobody looks at the password.
    Refused,
}

#[derive(Debug, Clone, Copy)]
struct Tries {
    wrong: u32,
    at: Instant,
    until: Instant,
}

/// See the module's header.
#[derive(Debug)]
pub(crate) struct LoginLimits {
    networks: Buckets<IpAddr>,
    tries: DashMap<(String, IpAddr), Tries>,
    strangers: Buckets<String>,
    quiet: Buckets<(String, IpAddr)>,
}

impl Default for LoginLimits {
    fn default() -> LoginLimits {
        LoginLimits {
            networks: Buckets::new(LOGINS_BY_NETWORK, LOGINS_WITHIN),
            tries: DashMap::new(),
            strangers: Buckets::new(STRANGERS, STRANGERS_WITHIN),
            quiet: Buckets::new(QUIET, QUIET_WITHIN),
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

impl LoginLimits {
    /// Counts a login of an address; false when it had too many.
    pub(crate) fn admits(&self, ip: IpAddr) -> bool {
        self.networks.take(network(ip))
    }

    /// What becomes of a try; it is counted as a wrong one until it is given back.
    pub(crate) fn begin(&self, place: &Place) -> Trial {
        self.begin_at(place, Instant::now())
    }

    fn begin_at(&self, place: &Place, now: Instant) -> Trial {
        let mut tries = self.tries.entry(place.by_network()).or_insert(Tries { wrong: 0, at: now, until: now });
        if now.duration_since(tries.at) > FORGOTTEN_AFTER {
            tries.wrong = 0;
        }
        if now < tries.until {
            return if self.quiet.take(place.by_address()) { Trial::Quiet } else { Trial::Refused };
        }
        // While strangers try from everywhere, each network has one try before its delay: one that is new to the user too.
        let crowded = !self.strangers.take(place.account.clone());
        let wrong = tries.wrong.saturating_add(1);
        let wrong = if crowded { wrong.max(FREE) } else { wrong };
        *tries = Tries { wrong, at: now, until: now + delay(wrong) };
        Trial::Open
    }

    /// The password was right and opened, or nobody looked at it. What others sent stays counted: that a delay is over
    /// would tell them of the login.
    pub(crate) fn give_back(&self, place: &Place, trial: Trial) {
        match trial {
            Trial::Open => {
                self.strangers.give(&place.account);
                if let Some(mut tries) = self.tries.get_mut(&place.by_network()) {
                    tries.wrong = tries.wrong.saturating_sub(1);
                    tries.until = tries.at + delay(tries.wrong);
                }
            }
            Trial::Quiet => self.quiet.give(&place.by_address()),
            Trial::Refused => {}
        }
    }

    /// Forgets what limits nobody any more.
    pub(crate) fn sweep(&self) {
        let now = Instant::now();
        self.networks.sweep();
        self.tries.retain(|_, tries| now.duration_since(tries.at) <= FORGOTTEN_AFTER);
        self.strangers.sweep();
        self.quiet.sweep();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(account: &str, ip: [u8; 4]) -> Place {
        Place::new(account.to_owned(), IpAddr::from(ip))
    }

    #[test]
    fn an_address_is_what_limits_have_and_a_network_of_ipv4_is_24_bits() {
        let of = |ip: &str| {
            let place = Place::new(String::new(), ip.parse().unwrap());
            (place.address.to_string(), place.network.to_string())
        };
        let both = |address: &str, network: &str| (address.to_owned(), network.to_owned());
        assert_eq!(of("10.1.2.3"), both("10.1.2.3", "10.1.2.0"));
        assert_eq!(of("::ffff:10.1.2.3"), both("10.1.2.3", "10.1.2.0"));
        assert_eq!(of("2001:db8:1:2fe:3:4:5:6"), both("2001:db8:1:200::", "2001:db8:1:200::"));
    }

    #[test]
    fn the_delay_doubles_to_fifteen_minutes_and_what_was_right_is_not_counted() {
        let (limits, here) = (LoginLimits::default(), place("a", [10, 0, 0, 1]));
        let (mut now, mut delays) = (Instant::now(), Vec::new());
        assert!((0..FREE).all(|_| limits.begin_at(&here, now) == Trial::Open), "five are free");
        for _ in 0..9 {
            assert_eq!(limits.begin_at(&here, now), Trial::Quiet);
            let until = limits.tries.get(&here.by_network()).unwrap().until;
            delays.push(until.duration_since(now).as_secs());
            assert_eq!(limits.begin_at(&here, until - Duration::from_millis(1)), Trial::Quiet);
            now = until;
            assert_eq!(limits.begin_at(&here, now), Trial::Open, "one more");
        }
        assert_eq!(delays, [15, 30, 60, 120, 240, 480, 900, 900, 900]);
        let other = place("b", [10, 0, 0, 1]);
        for _ in 0..50 {
            assert_eq!(limits.begin_at(&other, now), Trial::Open);
            limits.give_back(&other, Trial::Open);
        }
        assert!((0..FREE).all(|_| limits.begin_at(&other, now) == Trial::Open));
        assert_eq!(limits.begin_at(&other, now), Trial::Quiet);
    }

    #[test]
    fn others_delay_neither_another_network_nor_another_account() {
        let (limits, now) = (LoginLimits::default(), Instant::now());
        let (theirs, mine) = (place("a", [10, 0, 0, 1]), place("a", [10, 0, 1, 1]));
        while limits.begin_at(&theirs, now) == Trial::Open {}
        assert_eq!(limits.begin_at(&mine, now), Trial::Open);
        assert_eq!(limits.begin_at(&place("b", [10, 0, 0, 1]), now), Trial::Open);
        for network in 0..=255 {
            for _ in 0..9 {
                let _ = limits.begin_at(&place("a", [11, 0, network, 1]), now);
            }
        }
        let new = place("a", [12, 0, 0, 1]);
        let trials = [(); 3].map(|()| limits.begin_at(&new, now));
        assert_eq!(
            trials,
            [Trial::Open, Trial::Quiet, Trial::Quiet],
            "one try a network while they come from everywhere"
        );
    }

    #[test]
    fn passwords_are_looked_at_during_a_delay_but_not_without_end_and_by_address() {
        let (limits, now) = (LoginLimits::default(), Instant::now());
        let (mine, beside) = (place("a", [10, 0, 0, 1]), place("a", [10, 0, 0, 2]));
        let trials = |place: &Place| -> Vec<Trial> { (0..60).map(|_| limits.begin_at(place, now)).collect() };
        let many = |trials: &[Trial], which| trials.iter().filter(|trial| **trial == which).count();
        let theirs = trials(&beside);
        assert_eq!((many(&theirs, Trial::Open), many(&theirs, Trial::Quiet)), (FREE as usize, QUIET as usize));
        assert_eq!(limits.begin_at(&mine, now), Trial::Quiet, "whatever comes from beside it");
        assert_eq!(limits.begin_at(&beside, now), Trial::Refused);
        limits.give_back(&beside, Trial::Quiet);
        assert_eq!(limits.begin_at(&beside, now), Trial::Quiet);
    }
}
