//! Request keys: a retry gets the first accepted answer.
//!
//! Invariant: one key names one accepted request, the first; the list and the index hold the same keys.
//!
//! Never does: keep a refused request: it is decided anew. Known limits: at most 65,536 keys, the oldest go first.

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::TimeNs;
use crate::ids::{OrderId, RequestKey};
use crate::spot::{ArrangedAck, OrderAck};
use std::collections::{BTreeMap, VecDeque};

/// Keys are kept at least this long …
pub const KEEP_NS: TimeNs = 24 * 3_600 * 1_000_000_000;
/// … and at least this many (`design/architecture.md` "Vocabulary") …
pub const KEEP: usize = 1_024;
/// … but never more than this many, however young they are: one account's state stays bounded. It takes more than
/// one keyed request every 1.3 seconds, all day long, to come here.
pub const KEEP_AT_MOST: usize = 65_536;

/// The first accepted answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It placed this order, and this became of it at once.
    Placed(OrderAck),
    /// It cancelled these orders.
    Canceled(Vec<OrderId>),
    /// It arranged these orders.
    Arranged(Box<ArrangedAck>),
    /// It did something of which there is nothing more to say.
    Done,
}

impl Wire for Answer {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Answer::Placed(ack) => {
                out.push(1);
                ack.put(out);
            }
            Answer::Canceled(orders) => {
                out.push(2);
                orders.put(out);
            }
            Answer::Done => out.push(3),
            Answer::Arranged(ack) => {
                out.push(4);
                ack.put(out);
            }
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            1 => Ok(Answer::Placed(Wire::get(r)?)),
            2 => Ok(Answer::Canceled(Wire::get(r)?)),
            3 => Ok(Answer::Done),
            4 => Ok(Answer::Arranged(Box::new(Wire::get(r)?))),
            other => Err(DecodeError::Unknown { what: "answer", value: u64::from(other) }),
        }
    }
}

crate::wire_struct! {
    /// A key and its answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Known {
        /// The key.
        pub key: RequestKey,
        /// When it was answered.
        pub time: TimeNs,
        /// The answer.
        pub answer: Answer,
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
    Answered(&'a Answer),
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
    pub fn by_key(&self, key: u128) -> Option<&Answer> {
        self.find(key).map(|known| &known.answer)
    }

    /// Remembers the first answer to a key and forgets what is both old and beyond the count.
    pub fn remember(&mut self, key: RequestKey, time: TimeNs, answer: Answer) {
        if self.index.contains_key(&key.key) {
            return;
        }
        self.add(Known { key, time, answer });
        while self.list.len() > KEEP_AT_MOST || (self.list.len() > KEEP && self.list[0].time + KEEP_NS < time) {
            if let Some(old) = self.list.pop_front() {
                self.forgotten += 1;
                self.index.remove(&old.key.key);
                self.digest = self.digest.wrapping_sub(entry_hash(&old));
            }
        }
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

    const HOUR: TimeNs = 3_600 * 1_000_000_000;

    fn answer(order: u64) -> Answer {
        Answer::Canceled(vec![OrderId(order)])
    }

    fn key(key: u128) -> RequestKey {
        RequestKey { key, body: 1 }
    }

    #[test]
    fn the_first_answer_stands_and_what_is_loaded_is_what_was_saved() {
        let mut requests = Requests::default();
        requests.remember(key(1), HOUR, answer(10));
        requests.remember(RequestKey { key: 1, body: 2 }, 2 * HOUR, answer(11));
        requests.remember(key(2), 3 * HOUR, Answer::Done);
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
    fn keys_are_kept_for_a_day_and_a_thousand_and_no_more_than_fit() {
        let mut requests = Requests::default();
        let last = KEEP as u128 + 10;
        (0..last).for_each(|n| requests.remember(key(n), HOUR, answer(n as u64)));
        assert_eq!(requests.look_up(key(0)), Lookup::Answered(&answer(0)), "young");
        requests.remember(key(last), HOUR + KEEP_NS + 1, Answer::Done);
        assert_eq!(requests.look_up(key(0)), Lookup::Unknown, "old and beyond the count");
        assert_eq!(requests.look_up(key(11)), Lookup::Answered(&answer(11)), "old but among the last");
        let more = KEEP_AT_MOST as u128;
        (0..more).for_each(|n| requests.remember(key(10_000 + n), 2 * KEEP_NS, Answer::Done));
        assert_eq!((requests.list.len(), requests.index.len()), (KEEP_AT_MOST, KEEP_AT_MOST));
        assert_eq!(requests.look_up(key(last)), Lookup::Unknown, "pushed out by younger ones");
    }
}
