//! The latest entries of a kind that an account remembers: orders that are done, and fills.
//!
//! Owns: the entries, in their byte form, and the hash of all that ever were. Never does: change an entry.
//! Layout: chunks of bytes that are hardly ever copied; each is twice as large as the one before, up to [`LARGEST`]; entries do
//! not cross chunks. The oldest chunk is freed when its entries are forgotten.
//! Invariants: at most [`RECENT`] entries; the hash does not depend on which of them are still here.
//! Why bytes: an order takes 192 bytes as a value and about 50 as bytes, and hardly any of them is ever looked at
//! again; what an account writes and what it keeps in memory is a quarter.
//! Known limits: older entries come from the store.

use super::{Fill, Order};
use crate::codec::{DecodeError, Reader, Wire, mix64};
use std::collections::VecDeque;
use std::marker::PhantomData;

/// Orders that are done and fills that an account remembers; older ones come from the store.
pub const RECENT: usize = 256;

/// Bytes of the length that stands before and after an entry.
const LENGTH: usize = 2;
/// Bytes of a chunk: the first, and the later ones.
const SMALLEST: usize = 256;
/// See [`SMALLEST`].
const LARGEST: usize = 2_048;
/// Room that a chunk must have for one more entry: longer than nearly all; a longer one lets the chunk grow.
const ENTRY: usize = 96;

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
    /// The newest entries: length, entry, length, and so on.
    newest: Vec<u8>,
    older: Option<Box<Older>>,
    /// What is before this in the oldest chunk is forgotten.
    start: u32,
    count: u32,
    digest: u64,
    entries: PhantomData<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { newest: Vec::new(), older: None, start: 0, count: 0, digest: 0, entries: PhantomData }
    }
}

/// The chunks before the newest, oldest first.
#[derive(Debug, Default)]
struct Older(VecDeque<Vec<u8>>);

fn read<T: Wire>(bytes: &[u8]) -> T {
    T::get(&mut Reader::new(bytes)).expect("what this account wrote reads")
}

fn length_at(chunk: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([chunk[at], chunk[at + 1]]))
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
        self.make_room();
        let at = self.newest.len();
        self.newest.extend_from_slice(&[0; LENGTH]);
        item.put(&mut self.newest);
        let length = u16::try_from(self.newest.len() - at - LENGTH).expect("an entry is short").to_le_bytes();
        self.newest[at..at + LENGTH].copy_from_slice(&length);
        self.newest.extend_from_slice(&length);
        self.count += 1;
    }

    /// Begins a chunk when the newest has no room for an entry.
    fn make_room(&mut self) {
        let size = self.newest.capacity();
        if size - self.newest.len() >= ENTRY + 2 * LENGTH {
            return;
        }
        let full = std::mem::replace(&mut self.newest, Vec::with_capacity((2 * size).clamp(SMALLEST, LARGEST)));
        if !full.is_empty() {
            self.older.get_or_insert_default().0.push_back(full);
        }
    }

    fn forget_oldest(&mut self) {
        let older = self.older.as_mut().and_then(|older| older.0.front());
        let oldest = older.unwrap_or(&self.newest);
        let start = self.start as usize + length_at(oldest, self.start as usize) + 2 * LENGTH;
        self.count -= 1;
        self.start = start as u32;
        if start < oldest.len() {
            return;
        }
        self.start = 0;
        match &mut self.older {
            Some(older) if !older.0.is_empty() => drop(older.0.pop_front()),
            _ => self.newest.clear(),
        }
    }

    /// Where the next entry will be written, for whoever asks for memory ahead of time.
    pub fn end(&self) -> *const u8 {
        self.newest.as_ptr().wrapping_add(self.newest.len())
    }

    /// Hash of all that it ever held, in order.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The chunks without what is forgotten, oldest first.
    fn chunks(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        let chunks = self.older.iter().flat_map(|older| older.0.iter()).chain(std::iter::once(&self.newest));
        let oldest = self.older.as_ref().and_then(|older| older.0.front()).unwrap_or(&self.newest).as_ptr();
        chunks.map(move |chunk| if chunk.as_ptr() == oldest { &chunk[self.start as usize..] } else { &chunk[..] })
    }

    /// The byte forms of the entries, oldest first.
    fn forms(&self) -> impl Iterator<Item = &[u8]> {
        self.chunks().flat_map(|chunk| {
            let mut at = 0;
            std::iter::from_fn(move || {
                (at < chunk.len()).then(|| {
                    let (from, length) = (at + LENGTH, length_at(chunk, at));
                    at = from + length + LENGTH;
                    &chunk[from..from + length]
                })
            })
        })
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.forms().map(read)
    }

    /// Newest first.
    pub fn newest(&self) -> impl Iterator<Item = T> {
        self.chunks().rev().flat_map(|chunk| {
            let mut end = chunk.len();
            std::iter::from_fn(move || {
                (end > 0).then(|| {
                    let to = end - LENGTH;
                    let from = to - length_at(chunk, to);
                    end = from - LENGTH;
                    read(&chunk[from..to])
                })
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
            let older = recent.older.iter().flat_map(|older| older.0.iter()).map(Vec::len).sum::<usize>();
            prop_assert!(older <= RECENT * (19 + 2 * LENGTH) + LARGEST, "forgotten chunks go");
        }
    }
}
