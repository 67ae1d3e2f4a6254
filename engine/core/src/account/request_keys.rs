//! Request keys: a retry gets the first accepted answer.
//!
//! Owns: the keys of one account, for a day each. Never does: keep a refused request (it is decided anew); forget a
//! key within its day. Invariants: one key names one accepted request, the first; the list and the index hold the same keys;
//! the time of a record determines the forgotten keys, so that live and folded state are equal.
//! Known limits: keys of the back office are among the user's, without a bound.

use crate::codec::{DecodeError, Reader, Wire, hash_bytes, mix64};
use crate::entity::{Accepted, TimeNs};
use crate::ids::RequestKey;
use std::collections::{BTreeMap, VecDeque};

/// Keys are kept this long.
pub const KEEP_NS: TimeNs = 24 * 3_600 * 1_000_000_000;
/// A user's keys at most: one every 21 seconds, all day long. Who has as many is asked to come again later.
pub const MOST: usize = 4_096;
/// So many more for what frees money: nobody is kept from a cancel by orders.
pub const MORE_TO_FREE: usize = 1_024;
/// An account that does nothing more looks for keys to forget this often, while it has any: once for many keys.
const FORGET_EVERY_NS: TimeNs = 3_600 * 1_000_000_000;

crate::wire_struct! {
    /// A key and its answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Known {
        /// The key.
        pub key: RequestKey,
        /// When it was answered.
        pub time: TimeNs,
        /// The answer.
        pub answer: Accepted,
    }
}

/// The keys of one account, oldest first.
#[derive(Debug, Default)]
pub struct Requests {
    list: VecDeque<Known>,
    /// Place in the list, counted from the first key ever.
    index: BTreeMap<u128, u64>,
    /// Keys forgotten so far.
    forgotten: u64,
    /// Sum of the entries' hashes, kept up to date as they come and go.
    digest: u64,
}

/// The day of what was answered up to then is over.
fn expired_by(now: TimeNs) -> Option<TimeNs> {
    now.checked_sub(KEEP_NS)
}

fn entry_hash(known: &Known) -> u64 {
    let mut bytes = Vec::with_capacity(48);
    known.put(&mut bytes);
    hash_bytes(0, &bytes)
}

/// What is known of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// Never seen, or forgotten.
    Unknown,
    /// The same request was answered.
    Answered(&'a Accepted),
    /// The key was used for something else.
    Clash,
}

impl Requests {
    /// None at all.
    pub const NONE: Requests = Requests { list: VecDeque::new(), index: BTreeMap::new(), forgotten: 0, digest: 0 };

    /// True when no key is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn find(&self, key: u128) -> Option<&Known> {
        self.index.get(&key).map(|place| &self.list[(place - self.forgotten) as usize])
    }

    /// What became of a request.
    #[must_use]
    pub fn look_up(&self, key: RequestKey) -> Lookup<'_> {
        match self.find(key.key) {
            None => Lookup::Unknown,
            Some(known) if known.key.body == key.body => Lookup::Answered(&known.answer),
            Some(_) => Lookup::Clash,
        }
    }

    /// The answer by key alone, whatever the body was.
    #[must_use]
    pub fn by_key(&self, key: u128) -> Option<&Accepted> {
        self.find(key).map(|known| &known.answer)
    }

    /// Remembers the first answer to a key, and forgets those whose day is over by then.
    pub fn remember(&mut self, key: RequestKey, time: TimeNs, answer: Accepted) {
        if let Some(through) = expired_by(time) {
            self.forget(through);
        }
        if !self.index.contains_key(&key.key) {
            self.add(Known { key, time, answer });
        }
    }

    /// Forgets what was answered up to a time.
    pub fn forget(&mut self, through: TimeNs) {
        while self.list.front().is_some_and(|oldest| oldest.time <= through) {
            if let Some(old) = self.list.pop_front() {
                self.forgotten += 1;
                self.index.remove(&old.key.key);
                self.digest = self.digest.wrapping_sub(entry_hash(&old));
            }
        }
    }

    /// Keys whose day is not over.
    #[must_use]
    pub fn live(&self, now: TimeNs) -> usize {
        let through = expired_by(now).unwrap_or(0);
        self.list.len() - self.list.partition_point(|known| known.time <= through)
    }

    /// Through when there is something to forget now.
    #[must_use]
    pub fn to_forget(&self, now: TimeNs) -> Option<TimeNs> {
        let through = expired_by(now)?;
        self.list.front().filter(|oldest| oldest.time <= through).map(|_| through)
    }

    /// When to look for keys to forget; `spread` keeps accounts from doing so all at once. Seldom another time while keys
    /// come and go.
    #[must_use]
    #[inline]
    pub fn look_at(&self, spread: u64) -> Option<TimeNs> {
        let shift = mix64(spread) % FORGET_EVERY_NS;
        let over = self.list.front()?.time.saturating_add(KEEP_NS + shift);
        Some((over / FORGET_EVERY_NS + 1) * FORGET_EVERY_NS - shift)
    }

    fn add(&mut self, known: Known) {
        self.digest = self.digest.wrapping_add(entry_hash(&known));
        self.index.insert(known.key.key, self.forgotten + self.list.len() as u64);
        self.list.push_back(known);
    }

    /// Hash of everything that is remembered.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

impl Wire for Requests {
    fn put(&self, out: &mut Vec<u8>) {
        (self.list.len() as u64).put(out);
        self.list.iter().for_each(|known| known.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut requests = Requests::default();
        Vec::<Known>::get(r)?.into_iter().for_each(|known| requests.add(known));
        Ok(requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Reader;
    use crate::ids::OrderId;

    const HOUR: TimeNs = 3_600 * 1_000_000_000;

    fn answer(order: u64) -> Accepted {
        Accepted::Canceled(vec![OrderId(order)])
    }

    fn key(key: u128) -> RequestKey {
        RequestKey { key, body: 1 }
    }

    #[test]
    fn the_first_answer_stands_and_what_is_loaded_is_what_was_saved() {
        let mut requests = Requests::default();
        requests.remember(key(1), HOUR, answer(10));
        requests.remember(RequestKey { key: 1, body: 2 }, 2 * HOUR, answer(11));
        requests.remember(key(2), 3 * HOUR, Accepted::Done);
        assert_eq!(requests.look_up(key(1)), Lookup::Answered(&answer(10)));
        let mut bytes = Vec::new();
        requests.put(&mut bytes);
        let loaded = Requests::get(&mut Reader::new(&bytes)).expect("what was saved");
        let mut again = Vec::new();
        loaded.put(&mut again);
        assert_eq!((bytes, requests.digest()), (again, loaded.digest()));
        assert_ne!(loaded.digest(), Requests::default().digest());
    }

    #[test]
    fn keys_are_kept_for_a_day_and_not_longer_however_many_there_are() {
        let mut requests = Requests::default();
        let many = 20_000;
        (0..many).for_each(|n| requests.remember(key(n), HOUR + n as u64, answer(n as u64)));
        assert_eq!(requests.look_up(key(0)), Lookup::Answered(&answer(0)), "none gives way to another");
        assert_eq!(requests.live(HOUR + KEEP_NS - 1), many as usize);
        assert_eq!(requests.live(HOUR + KEEP_NS + 9), many as usize - 10);
        requests.remember(key(many), HOUR + KEEP_NS + 9, Accepted::Done);
        assert_eq!(requests.look_up(key(9)), Lookup::Unknown, "its day is over");
        assert_eq!(requests.look_up(key(10)), Lookup::Answered(&answer(10)), "its day is not");
        assert_eq!((requests.list.len(), requests.index.len()), (many as usize - 9, many as usize - 9));
    }

    #[test]
    fn who_does_nothing_more_forgets_once_for_many_keys_and_not_with_everybody_else() {
        let mut requests = Requests::default();
        assert_eq!((requests.look_at(1), requests.to_forget(9 * KEEP_NS)), (None, None));
        (0..100).for_each(|n| requests.remember(key(n), HOUR + n as u64 * 1_000, Accepted::Done));
        let mut times: Vec<TimeNs> = (0..50).map(|account| requests.look_at(account).expect("has keys")).collect();
        assert!(times.iter().all(|at| (HOUR + KEEP_NS + 1..=2 * HOUR + KEEP_NS).contains(at)), "{times:?}");
        times.dedup();
        assert!(times.len() > 40);
        let at = requests.look_at(7).expect("has keys");
        assert_eq!(requests.to_forget(HOUR + KEEP_NS - 1), None, "not before its day is over");
        let mut one_less = Requests::default();
        (1..100).for_each(|n| one_less.remember(key(n), HOUR + n as u64 * 1_000, Accepted::Done));
        assert_eq!(one_less.look_at(7), Some(at), "the same look does for its neighbour");
        let through = requests.to_forget(at).expect("some");
        requests.forget(through);
        assert!(requests.is_empty() && requests.digest() == Requests::default().digest());
    }
}
