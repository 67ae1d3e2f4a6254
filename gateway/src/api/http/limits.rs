//! Rate limits: token buckets by user and by address, and the pace of an address.
//!
//! Owns: the buckets. Never does: let anybody wait for more than a second. Invariants: a key that spent nothing of late
//! costs no memory after a sweep. Known limits: one process's; `hot` adds those of others to what is counted by the minute.

use crate::observe::health::Count;
use dashmap::DashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Buckets by name; each refills evenly over its period.
#[derive(Debug)]
pub struct Buckets<K: Eq + Hash> {
    buckets: DashMap<K, (f64, Instant)>,
    size: f64,
    period: Duration,
    /// What was taken since somebody last asked, when somebody does.
    spent: Option<DashMap<K, u64>>,
    refused: Count,
}

impl<K: Eq + Hash + Clone> Buckets<K> {
    /// `size` calls a `period`, all at once if need be.
    #[must_use]
    pub fn new(size: u32, period: Duration) -> Buckets<K> {
        Buckets { buckets: DashMap::new(), size: f64::from(size), period, spent: None, refused: Count::default() }
    }

    /// Remembers what is taken, for [`Self::take_spent`].
    #[must_use]
    pub fn counted(mut self) -> Buckets<K> {
        self.spent = Some(DashMap::new());
        self
    }

    /// What was taken since the last call.
    pub fn take_spent(&self) -> Vec<(K, u64)> {
        let Some(spent) = &self.spent else { return Vec::new() };
        let keys: Vec<K> = spent.iter().map(|entry| entry.key().clone()).collect();
        keys.into_iter().filter_map(|key| spent.remove(&key)).collect()
    }

    /// Takes what was spent elsewhere, down to nothing.
    pub fn charge(&self, key: K, count: u64) {
        let mut bucket = self.buckets.entry(key).or_insert((self.size, Instant::now()));
        bucket.0 = (bucket.0 - count as f64).max(0.0);
    }

    /// Takes one; false when the bucket is empty.
    pub fn take(&self, key: K) -> bool {
        self.take_many(key, 1)
    }

    /// Takes so many, or none; false when there are fewer.
    pub fn take_many(&self, key: K, count: usize) -> bool {
        let (calls, count) = (count as u64, count as f64);
        let now = Instant::now();
        let mut bucket = self.buckets.entry(key.clone()).or_insert((self.size, now));
        let (left, at) = *bucket;
        let refill = now.duration_since(at).as_secs_f64() / self.period.as_secs_f64() * self.size;
        let left = (left + refill).min(self.size);
        let allowed = left >= count;
        *bucket = (if allowed { left - count } else { left }, now);
        drop(bucket);
        if !allowed {
            self.refused.add(1);
        }
        if let Some(spent) = self.spent.as_ref().filter(|_| allowed) {
            *spent.entry(key).or_default() += calls;
        }
        allowed
    }

    /// Takings that were refused.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Gives one back.
    pub fn give(&self, key: &K) {
        if let Some(mut bucket) = self.buckets.get_mut(key) {
            bucket.0 = (bucket.0 + 1.0).min(self.size);
        }
    }

    /// Forgets buckets that are full again.
    pub fn sweep(&self) {
        let now = Instant::now();
        self.buckets.retain(|_, (_, at)| now.duration_since(*at) < self.period);
    }
}

/// A request waits for its turn at most so long.
const MOST_WAIT: Duration = Duration::from_secs(1);

/// What each address may have done in a second, whatever it asks for: a minute's worth spent at once would keep
/// everybody's orders waiting. What comes too early waits its turn; beyond a second of that it is refused.
#[derive(Debug)]
pub struct Pace {
    /// What is left, and as of when; below zero: others are before it.
    addresses: DashMap<IpAddr, (f64, Instant)>,
    a_second: f64,
    refused: Count,
}

/// An address asks for more than it gets in a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFast;

impl Pace {
    /// So much weight a second.
    #[must_use]
    pub fn new(a_second: u32) -> Pace {
        Pace { addresses: DashMap::new(), a_second: f64::from(a_second), refused: Count::default() }
    }

    /// Takes so much: how long to wait for it.
    fn take(&self, from: IpAddr, weight: u64, now: Instant) -> Result<Duration, TooFast> {
        let mut address = self.addresses.entry(from).or_insert((self.a_second, now));
        let (left, at) = *address;
        let left = (left + now.duration_since(at).as_secs_f64() * self.a_second).min(self.a_second);
        let then = left - weight as f64;
        let wait = Duration::from_secs_f64((-then / self.a_second).max(0.0));
        let goes = wait <= MOST_WAIT;
        *address = (if goes { then } else { left }, now);
        drop(address);
        if !goes {
            self.refused.add(1);
        }
        if goes { Ok(wait) } else { Err(TooFast) }
    }

    /// Waits for the turn of a request of this weight.
    ///
    /// # Errors
    /// When that would be long; then nothing is taken.
    pub async fn turn(&self, from: IpAddr, weight: u64) -> Result<(), TooFast> {
        let wait = self.take(from, weight, Instant::now())?;
        if !wait.is_zero() {
            actix_web::rt::time::sleep(wait).await;
        }
        Ok(())
    }

    /// Takes what is known only when it is done; what comes next waits for it.
    pub fn charge(&self, from: IpAddr, weight: u64) {
        if let Some(mut address) = self.addresses.get_mut(&from) {
            address.0 = (address.0 - weight as f64).max(-self.a_second);
        }
    }

    /// Requests that were refused.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Forgets who has all of it again.
    pub fn sweep(&self) {
        let now = Instant::now();
        self.addresses
            .retain(|_, (left, at)| now.duration_since(*at).as_secs_f64() * self.a_second + *left < self.a_second);
    }
}

/// An address as limits see it: IPv4 whole, IPv6 by /56, which is what one household has.
#[must_use]
pub fn network(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(v6) => {
            let mut octets = v6.octets();
            octets[7..].fill(0);
            IpAddr::from(octets)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_too_early_waits_its_turn_and_much_more_is_refused() {
        let (pace, now) = (Pace::new(100), Instant::now());
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        assert_eq!(pace.take(one, 100, now), Ok(Duration::ZERO), "a second's worth at once");
        assert_eq!(pace.take(one, 50, now), Ok(Duration::from_millis(500)));
        assert_eq!(pace.take(one, 51, now), Err(TooFast), "more than a second away");
        assert_eq!(pace.take(one, 50, now), Ok(Duration::from_secs(1)), "a refusal takes nothing");
        assert_eq!((pace.take(other, 1, now), pace.refused()), (Ok(Duration::ZERO), 1));
        let later = now + Duration::from_millis(1_500);
        assert_eq!(pace.take(one, 50, later), Ok(Duration::ZERO));
        pace.charge(one, 1_000);
        assert_eq!(pace.take(one, 1, later), Err(TooFast), "no debt is longer than a second");
        assert_eq!(pace.take(one, 1, later + MOST_WAIT), Ok(Duration::from_millis(10)));
        pace.sweep();
        assert_eq!(pace.addresses.len(), 2, "who still owes is remembered");
    }

    #[test]
    fn a_bucket_gives_its_size_and_no_more() {
        let buckets: Buckets<u8> = Buckets::new(3, Duration::from_secs(3_600));
        let taken: Vec<bool> = (0..5).map(|_| buckets.take(1)).collect();
        assert_eq!((&*taken, buckets.refused()), ([true, true, true, false, false].as_slice(), 2));
        assert!(buckets.take(2), "another user is not affected");
        assert!(!buckets.take_many(2, 3) && buckets.take_many(2, 2), "all or none");
    }

    #[test]
    fn what_was_taken_here_is_counted_and_what_was_taken_elsewhere_is_charged() {
        let buckets: Buckets<u8> = Buckets::new(5, Duration::from_secs(3_600)).counted();
        assert!(buckets.take_many(1, 2) && buckets.take(2) && !buckets.take_many(1, 4));
        let mut spent = buckets.take_spent();
        spent.sort_unstable();
        assert_eq!((spent, buckets.take_spent()), (vec![(1, 2), (2, 1)], vec![]));
        buckets.charge(1, 2);
        assert!(buckets.take(1) && !buckets.take(1));
        buckets.charge(3, 100);
        assert!(!buckets.take(3));
    }
}
