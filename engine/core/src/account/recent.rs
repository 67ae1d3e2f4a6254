//! The latest entries of a kind that an account remembers: orders that are done, and fills.
//!
//! Owns: the entries, packed (`packed.rs`), and the hash of all that ever were. Never does: change an entry.
//! Layout: chunks of bytes that are hardly ever copied; each is twice as large as the one before, up to [`LARGEST`];
//! entries do not cross chunks. The oldest chunk becomes the newest when enough is left without it: what is forgotten
//! is not looked at, because it is in no cache.
//! Invariants: the latest [`RECENT`] entries are here, and no more are shown; the hash does not depend on which of them
//! are still here.
//! Why packed: an order takes 288 bytes as a value and about 60 packed, and hardly any of them is ever looked at
//! again; what an account writes and what it keeps in memory is a third.
//! Known limits: older entries come from the store.

use super::packed::{Packed, pack, unpack};
use super::{Fill, Order};
use crate::codec::{DecodeError, Reader, Wire, mix64};
use std::collections::VecDeque;
use std::marker::PhantomData;

/// Orders that are done and fills that an account remembers; older ones come from the store.
pub const RECENT: usize = 256;

/// Bytes of the length that stands before and after an entry.
const LENGTH: usize = 2;
/// Bytes of the first chunk.
const SMALLEST: usize = 256;
/// Bytes of a chunk at most.
const LARGEST: usize = 2_048;

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
    newest: Chunk,
    older: Option<Box<Older>>,
    digest: u64,
    entries: PhantomData<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { newest: Chunk::default(), older: None, digest: 0, entries: PhantomData }
    }
}

/// Entries one after the other: length, entry, length, and so on.
#[derive(Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    entries: u32,
}

/// The chunks before the newest, oldest first, and how many entries they have.
#[derive(Debug, Default)]
struct Older {
    chunks: VecDeque<Chunk>,
    entries: usize,
}

fn length_at(chunk: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([chunk[at], chunk[at + 1]]))
}

impl Chunk {
    /// Its entries, newest first.
    fn newest(&self) -> impl Iterator<Item = &[u8]> {
        let mut end = self.bytes.len();
        std::iter::from_fn(move || {
            (end > 0).then(|| {
                let to = end - LENGTH;
                let from = to - length_at(&self.bytes, to);
                end = from - LENGTH;
                &self.bytes[from..to]
            })
        })
    }

    /// Oldest first.
    fn oldest(&self) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            (at < self.bytes.len()).then(|| {
                let (from, length) = (at + LENGTH, length_at(&self.bytes, at));
                at = from + length + LENGTH;
                &self.bytes[from..from + length]
            })
        })
    }
}

impl<T: Hashed + Packed> Recent<T> {
    /// Adds the newest.
    pub fn push(&mut self, item: &T) {
        self.digest = mix64(self.digest ^ item.hash());
        self.keep(item);
    }

    fn keep(&mut self, item: &T) {
        pack(item, |entry| {
            let length = u16::try_from(entry.len()).expect("an entry is short").to_le_bytes();
            if self.newest.bytes.capacity() - self.newest.bytes.len() < entry.len() + 2 * LENGTH {
                self.begin_chunk();
            }
            let bytes = &mut self.newest.bytes;
            bytes.extend_from_slice(&length);
            bytes.extend_from_slice(entry);
            bytes.extend_from_slice(&length);
            self.newest.entries += 1;
        });
    }

    /// Begins a chunk in the memory of the oldest, if that is not needed any more.
    fn begin_chunk(&mut self) {
        let size = self.newest.bytes.capacity();
        let mut next = Chunk { bytes: Vec::new(), entries: 0 };
        if self.newest.entries > 0 {
            let older = self.older.get_or_insert_default();
            older.entries += self.newest.entries as usize;
            older.chunks.push_back(std::mem::take(&mut self.newest));
            while let Some(oldest) = older.chunks.front().map(|oldest| oldest.entries as usize)
                && older.entries - oldest >= RECENT
                && let Some(oldest_chunk) = older.chunks.pop_front()
            {
                older.entries -= oldest;
                next.bytes = oldest_chunk.bytes;
                next.bytes.clear();
            }
        }
        let size = (2 * size).clamp(SMALLEST, LARGEST);
        if next.bytes.capacity() < size {
            next.bytes = Vec::with_capacity(size);
        }
        self.newest = next;
    }

    /// Where the next entry will be written, for whoever asks for memory ahead of time.
    pub fn end(&self) -> *const u8 {
        self.newest.bytes.as_ptr().wrapping_add(self.newest.bytes.len())
    }

    /// Hash of all that it ever held, in order.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    fn older(&self) -> impl DoubleEndedIterator<Item = &Chunk> {
        self.older.iter().flat_map(|older| older.chunks.iter())
    }

    fn kept(&self) -> usize {
        self.older.as_ref().map_or(0, |older| older.entries) + self.newest.entries as usize
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = T> {
        let chunks = self.older().chain(std::iter::once(&self.newest));
        chunks.flat_map(Chunk::oldest).skip(self.kept().saturating_sub(RECENT)).map(unpack)
    }

    /// Newest first.
    pub fn newest(&self) -> impl Iterator<Item = T> {
        let chunks = std::iter::once(&self.newest).chain(self.older().rev());
        chunks.flat_map(Chunk::newest).take(RECENT).map(unpack)
    }
}

impl<T: Hashed + Packed> Recent<T> {
    /// Reads what [`Wire::put`] wrote, with entries in the form of `F`.
    ///
    /// # Errors
    /// When the bytes are not that.
    pub fn get_as<F: Wire + Into<T>>(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut recent = Recent { digest: Wire::get(r)?, ..Recent::default() };
        for _ in 0..u64::get(r)? {
            recent.keep(&F::get(r)?.into());
        }
        Ok(recent)
    }
}

impl<T: Hashed + Packed + Wire> Wire for Recent<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.digest.put(out);
        (self.kept().min(RECENT) as u64).put(out);
        self.iter().for_each(|item| item.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Recent::get_as::<T>(r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::packed::{Unpacker, amount};
    use crate::money::Amount;
    use proptest::prelude::*;

    impl Hashed for u128 {
        fn hash(&self) -> u64 {
            mix64(*self as u64)
        }
    }

    impl Packed for u128 {
        type Words = [u64; 2];
        fn words(&self) -> [u64; 2] {
            amount(Amount(*self as i128))
        }
        fn of(unpacker: &mut Unpacker<'_>) -> u128 {
            unpacker.amount().0 as u128
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
            let kept = recent.older().chain([&recent.newest]).map(|chunk| chunk.bytes.capacity()).sum::<usize>();
            prop_assert!(kept <= RECENT * (17 + 2 * LENGTH) + 3 * LARGEST, "forgotten chunks go");
        }
    }
}
