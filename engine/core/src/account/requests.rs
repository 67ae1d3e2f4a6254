//! Request keys: a retry gets the first accepted answer.
//!
//! Invariant: one key names one accepted request, the first; the list and the index hold the same keys.

use crate::codec::{DecodeError, Reader, Wire, hash_bytes};
use crate::entity::TimeNs;
use crate::ids::RequestKey;
use std::collections::{BTreeMap, VecDeque};

/// Keys are kept at least this long …
pub const KEEP_NS: TimeNs = 24 * 3_600 * 1_000_000_000;
/// … and at least this many (`design/architecture.md` "Vocabulary") …
pub const KEEP: usize = 1_024;
/// … but never more than this many, however young they are: one account's state stays bounded. It takes more than
/// one keyed request every 1.3 seconds, all day long, to come here.
pub const KEEP_AT_MOST: usize = 65_536;

crate::wire_enum! {
    /// What a request did.
    pub enum AnswerKind {
        /// It placed an order.
        Placed = 1,
        /// It cancelled.
        Canceled = 2,
        /// It did something that needs no id.
        Done = 3,
    }
}

crate::wire_struct! {
    /// The first accepted answer to a request.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Answer {
        /// What it did.
        pub kind: AnswerKind,
        /// The order's id, or 0.
        pub reference: u64,
        /// When.
        pub time: TimeNs,
    }
}

crate::wire_struct! {
    /// A key and its answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Known {
        /// The key.
        pub key: RequestKey,
        /// The answer.
        pub answer: Answer,
    }
}

/// The keys of one account, oldest first.
#[derive(Debug, Default)]
pub struct Requests {
    list: VecDeque<Known>,
    index: BTreeMap<u128, (u64, Answer)>,
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
pub enum Lookup {
    /// Never seen, or forgotten.
    Unknown,
    /// The same request was answered.
    Answered(Answer),
    /// The key was used for something else.
    Clash,
}

impl Requests {
    /// What became of a request.
    #[must_use]
    pub fn look_up(&self, key: RequestKey) -> Lookup {
        match self.index.get(&key.key) {
            None => Lookup::Unknown,
            Some((body, answer)) if *body == key.body => Lookup::Answered(*answer),
            Some(_) => Lookup::Clash,
        }
    }

    /// The answer by key alone, whatever the body was.
    #[must_use]
    pub fn by_key(&self, key: u128) -> Option<Answer> {
        self.index.get(&key).map(|(_, answer)| *answer)
    }

    /// Remembers the first answer to a key and forgets what is both old and beyond the count.
    pub fn remember(&mut self, key: RequestKey, answer: Answer) {
        let now = answer.time;
        if self.index.contains_key(&key.key) {
            return;
        }
        self.add(Known { key, answer });
        while self.list.len() > KEEP_AT_MOST || (self.list.len() > KEEP && self.list[0].answer.time + KEEP_NS < now) {
            if let Some(old) = self.list.pop_front() {
                self.index.remove(&old.key.key);
                self.digest = self.digest.wrapping_sub(entry_hash(&old));
            }
        }
    }

    fn add(&mut self, known: Known) {
        self.digest = self.digest.wrapping_add(entry_hash(&known));
        self.index.insert(known.key.key, (known.key.body, known.answer));
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

    fn answer(reference: u64, time: TimeNs) -> Answer {
        Answer { kind: AnswerKind::Placed, reference, time }
    }

    fn key(key: u128) -> RequestKey {
        RequestKey { key, body: 1 }
    }

    #[test]
    fn the_first_answer_stands_and_what_is_loaded_is_what_was_saved() {
        let mut requests = Requests::default();
        requests.remember(key(1), answer(10, HOUR));
        requests.remember(RequestKey { key: 1, body: 2 }, answer(11, 2 * HOUR));
        requests.remember(key(2), answer(12, 3 * HOUR));
        assert_eq!(requests.look_up(key(1)), Lookup::Answered(answer(10, HOUR)));
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
        (0..last).for_each(|n| requests.remember(key(n), answer(n as u64, HOUR)));
        assert_eq!(requests.look_up(key(0)), Lookup::Answered(answer(0, HOUR)), "young");
        requests.remember(key(last), answer(0, HOUR + KEEP_NS + 1));
        assert_eq!(requests.look_up(key(0)), Lookup::Unknown, "old and beyond the count");
        assert_eq!(requests.look_up(key(11)), Lookup::Answered(answer(11, HOUR)), "old but among the last");
        let more = KEEP_AT_MOST as u128;
        (0..more).for_each(|n| requests.remember(key(10_000 + n), answer(0, 2 * KEEP_NS)));
        assert_eq!((requests.list.len(), requests.index.len()), (KEEP_AT_MOST, KEEP_AT_MOST));
        assert_eq!(requests.look_up(key(last)), Lookup::Unknown, "pushed out by younger ones");
    }
}
