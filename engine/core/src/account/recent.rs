//! The latest entries of a kind that an account remembers: orders that are done, and fills.
//!
//! Owns: the entries, in their byte form one after the other, and the hash of all that ever were. Never does: change an
//! entry.
//! Invariants: at most [`RECENT`] entries; the hash does not depend on which of them are still here.
//! Why bytes: an order takes 192 bytes as a value and about 50 as bytes, and hardly any of them is ever looked at
//! again; what an account writes and what it keeps in memory is a quarter.
//! Known limits: older entries come from the store.

use super::{Fill, Order};
use crate::codec::{DecodeError, Reader, Wire, mix64};
use std::marker::PhantomData;

/// Orders that are done and fills that an account remembers; older ones come from the store.
pub const RECENT: usize = 256;

/// Bytes of the length that stands before and after an entry.
const LENGTH: usize = 2;

/// What the account's hash covers of an entry of [`Recent`]: enough to tell it from any other.
pub trait Hashed {
    /// Its hash.
    fn hash(&self) -> u64;
}

impl Hashed for Order {
    fn hash(&self) -> u64 {
        let became = (self.status as u64) << 8 | self.reason as u64;
        mix64(self.order.0 ^ mix64(self.filled.0 as u64 ^ mix64(self.updated ^ mix64(became ^ self.spent.0 as u64))))
    }
}

impl Hashed for Fill {
    fn hash(&self) -> u64 {
        mix64(self.trade.0 ^ mix64(self.order.0 ^ mix64(self.time ^ self.fee.0 as u64)))
    }
}

/// A list that forgets its oldest entries; its hash covers all that it ever held.
#[derive(Debug)]
pub struct Recent<T> {
    /// Length, entry, length, and so on; what is before `start` is forgotten.
    bytes: Vec<u8>,
    start: u32,
    count: u32,
    digest: u64,
    entries: PhantomData<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { bytes: Vec::new(), start: 0, count: 0, digest: 0, entries: PhantomData }
    }
}

fn read<T: Wire>(bytes: &[u8]) -> T {
    T::get(&mut Reader::new(bytes)).expect("what this account wrote reads")
}

impl<T: Hashed + Wire> Recent<T> {
    /// Adds the newest.
    pub fn push(&mut self, item: &T) {
        self.digest = mix64(self.digest ^ item.hash());
        self.keep(item);
    }

    fn keep(&mut self, item: &T) {
        if self.count as usize == RECENT {
            self.forget_oldest();
        }
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; LENGTH]);
        item.put(&mut self.bytes);
        let length = u16::try_from(self.bytes.len() - at - LENGTH).expect("an entry is short").to_le_bytes();
        self.bytes[at..at + LENGTH].copy_from_slice(&length);
        self.bytes.extend_from_slice(&length);
        self.count += 1;
    }

    fn forget_oldest(&mut self) {
        let start = self.start as usize + self.length_at(self.start as usize) + 2 * LENGTH;
        self.count -= 1;
        self.start = start as u32;
        if start > self.bytes.len() / 2 {
            self.bytes.drain(..start);
            self.start = 0;
        }
    }

    fn length_at(&self, at: usize) -> usize {
        usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    /// Where the next entry will be written, for whoever asks for memory ahead of time.
    pub fn end(&self) -> *const u8 {
        self.bytes.as_ptr().wrapping_add(self.bytes.len())
    }

    /// Hash of all that it ever held, in order.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The byte forms of the entries, oldest first.
    fn forms(&self) -> impl Iterator<Item = &[u8]> {
        let mut at = self.start as usize;
        std::iter::from_fn(move || {
            (at < self.bytes.len()).then(|| {
                let (from, length) = (at + LENGTH, self.length_at(at));
                at = from + length + LENGTH;
                &self.bytes[from..from + length]
            })
        })
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.forms().map(read)
    }

    /// Newest first.
    pub fn newest(&self) -> impl Iterator<Item = T> {
        let mut end = self.bytes.len();
        std::iter::from_fn(move || {
            (end > self.start as usize).then(|| {
                let to = end - LENGTH;
                let from = to - self.length_at(to);
                end = from - LENGTH;
                read(&self.bytes[from..to])
            })
        })
    }
}

impl<T: Hashed + Wire> Wire for Recent<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.digest.put(out);
        u64::from(self.count).put(out);
        self.forms().for_each(|bytes| out.extend_from_slice(bytes));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut recent = Recent { digest: Wire::get(r)?, ..Recent::default() };
        for _ in 0..u64::get(r)? {
            recent.keep(&T::get(r)?);
        }
        Ok(recent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Hashed for u128 {
        fn hash(&self) -> u64 {
            mix64(*self as u64)
        }
    }

    proptest! {
        #[test]
        fn the_latest_are_there_in_order_and_survive_saving(items: Vec<u128>, more in 0..3 * RECENT) {
            let items: Vec<u128> = items.into_iter().chain((0..more).map(|n| 1 << (n % 128))).collect();
            let mut recent = Recent::default();
            items.iter().for_each(|item| recent.push(item));
            let latest = &items[items.len().saturating_sub(RECENT)..];
            prop_assert_eq!(recent.iter().collect::<Vec<u128>>(), latest);
            prop_assert!(recent.newest().eq(latest.iter().rev().copied()));
            let mut bytes = Vec::new();
            recent.put(&mut bytes);
            let again = Recent::<u128>::get(&mut Reader::new(&bytes)).expect("what was saved");
            prop_assert_eq!((again.iter().collect::<Vec<u128>>(), again.digest()), (latest.to_vec(), recent.digest()));
            prop_assert!(recent.bytes.len() <= 2 * (RECENT + 1) * (19 + 2 * LENGTH), "forgotten bytes go");
        }
    }
}
