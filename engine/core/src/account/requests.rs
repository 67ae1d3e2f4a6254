//! Request keys: a retry gets the first accepted answer.

use crate::codec::{DecodeError, Reader, Wire};
use crate::entity::TimeNs;
use crate::ids::RequestKey;
use std::collections::{BTreeMap, VecDeque};

/// Keys are kept at least this long …
pub const KEEP_NS: TimeNs = 24 * 3_600 * 1_000_000_000;
/// … and at least this many (`design/architecture.md` "Vocabulary").
pub const KEEP: usize = 1_024;

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

    /// Remembers an answer and forgets what is both old and beyond the count.
    pub fn remember(&mut self, key: RequestKey, answer: Answer) {
        let now = answer.time;
        self.list.push_back(Known { key, answer });
        self.index.insert(key.key, (key.body, answer));
        while self.list.len() > KEEP && self.list[0].answer.time + KEEP_NS < now {
            if let Some(old) = self.list.pop_front() {
                self.index.remove(&old.key.key);
            }
        }
    }
}

impl Wire for Requests {
    fn put(&self, out: &mut Vec<u8>) {
        (self.list.len() as u64).put(out);
        self.list.iter().for_each(|known| known.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let list: VecDeque<Known> = Vec::get(r)?.into();
        let index = list.iter().map(|k: &Known| (k.key.key, (k.key.body, k.answer))).collect();
        Ok(Requests { list, index })
    }
}
