//! The latest entries of a kind in an account's history: orders that are done, or fills.
//!
//! Owns: the entries, packed (`packed.rs`), each with its record's position, and how far back they reach. Never does:
//! change an entry.
//! Layout: chunks of bytes that are hardly ever copied; each is twice as large as the one before, up to [`LARGEST`];
//! entries do not cross chunks. The oldest chunk becomes the newest when enough is left without it.
//! Invariants: all entries after [`Recent::reach`] are here; the latest [`RECENT`] are, unless memory was taken back
//! ([`Recent::forget_chunk`]).
//! Why packed: an order takes 288 bytes as a value and about 60 packed, and hardly any of them is ever looked at again.
//! Known limits: older entries come from the store.

use super::packed::{Packed, pack, unpack};
use crate::entity::TimeNs;
use crate::journal::Lsn;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// Orders that are done and fills that an account's history has at least, memory allowing; older ones come from the store.
pub const RECENT: usize = 256;

/// Bytes of the length that stands before and after an entry.
const LENGTH: usize = 2;
/// Bytes of a record's position.
const POSITION: usize = 8;
/// Bytes of the first chunk.
const SMALLEST: usize = 256;
/// Bytes of a chunk at most.
const LARGEST: usize = 2_048;

/// A record's position and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Position.
    pub lsn: Lsn,
    /// Time.
    pub time: TimeNs,
}

/// A list that forgets its oldest entries.
#[derive(Debug)]
pub struct Recent<T> {
    newest: Chunk,
    older: VecDeque<Chunk>,
    /// Entries of the older chunks.
    older_entries: usize,
    reach: Place,
    entries: PhantomData<T>,
}

/// What adding an entry did to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    /// Number of the chunk that it began.
    pub chunk: u64,
    /// Bytes that it takes, less those of the chunks that were forgotten for it.
    pub bytes: isize,
}

/// Entries one after the other: length, position, entry, length, and so on.
#[derive(Debug, Default)]
struct Chunk {
    number: u64,
    bytes: Vec<u8>,
    entries: usize,
    /// Of its newest entry.
    last: Place,
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

fn entry<T: Packed>(bytes: &[u8]) -> (Lsn, T) {
    let (lsn, packed) = bytes.split_first_chunk().expect("an entry begins with its position");
    (Lsn(u64::from_le_bytes(*lsn)), unpack(packed))
}

impl<T: Packed> Recent<T> {
    /// Empty; what happened up to `reach` is not known.
    #[must_use]
    pub fn since(reach: Place) -> Recent<T> {
        let (newest, older) = (Chunk::default(), VecDeque::new());
        Recent { newest, older, older_entries: 0, reach, entries: PhantomData }
    }

    /// All entries of later records are here.
    #[must_use]
    pub fn reach(&self) -> Place {
        self.reach
    }

    /// Number of the oldest chunk.
    #[must_use]
    pub fn oldest_chunk(&self) -> u64 {
        self.older.front().unwrap_or(&self.newest).number
    }

    /// Adds the newest; a chunk that it needs gets the next `number`.
    pub fn push(&mut self, at: Place, item: &T, number: u64) -> Option<Begun> {
        pack(item, |packed| {
            let length = packed.len() + POSITION;
            let needed = length + 2 * LENGTH;
            let lacks_room = self.newest.bytes.capacity() - self.newest.bytes.len() < needed;
            let begun = lacks_room.then(|| Begun { chunk: number, bytes: self.begin_chunk(number) });
            let length = u16::try_from(length).expect("an entry is short").to_le_bytes();
            let bytes = &mut self.newest.bytes;
            bytes.extend_from_slice(&length);
            bytes.extend_from_slice(&at.lsn.0.to_le_bytes());
            bytes.extend_from_slice(packed);
            bytes.extend_from_slice(&length);
            self.newest.entries += 1;
            self.newest.last = at;
            begun
        })
    }

    /// Begins a chunk in the memory of the oldest, if that is not needed any more; gives the bytes that it takes more.
    fn begin_chunk(&mut self, number: u64) -> isize {
        let before = self.newest.bytes.capacity();
        let mut next = Chunk { number, ..Chunk::default() };
        let mut freed = 0;
        if self.newest.entries > 0 {
            self.older_entries += self.newest.entries;
            self.older.push_back(std::mem::take(&mut self.newest));
            while self.older.front().is_some_and(|oldest| self.older_entries - oldest.entries >= RECENT) {
                let oldest = self.forget_oldest();
                freed += oldest.capacity();
                next.bytes = oldest;
                next.bytes.clear();
            }
        }
        let size = (2 * before).clamp(SMALLEST, LARGEST);
        if next.bytes.capacity() < size {
            next.bytes = Vec::with_capacity(size);
        }
        self.newest = next;
        self.newest.bytes.capacity() as isize - freed as isize
    }

    /// Takes the oldest of the older chunks out; there is one.
    fn forget_oldest(&mut self) -> Vec<u8> {
        let Some(oldest) = self.older.pop_front() else { return Vec::new() };
        self.older_entries -= oldest.entries;
        self.reach = oldest.last;
        oldest.bytes
    }

    /// Forgets the oldest chunk if it is of this number; gives the bytes that came free.
    pub fn forget_chunk(&mut self, number: u64) -> Option<usize> {
        if self.older.front().is_some_and(|oldest| oldest.number == number) {
            return Some(self.forget_oldest().capacity());
        }
        if !self.older.is_empty() || self.newest.number != number || self.newest.entries == 0 {
            return None;
        }
        let newest = std::mem::take(&mut self.newest);
        self.reach = newest.last;
        Some(newest.bytes.capacity())
    }

    /// Those of records up to a position, newest first.
    pub fn newest(&self, upto: Lsn) -> impl Iterator<Item = T> {
        let chunks = std::iter::once(&self.newest).chain(self.older.iter().rev());
        chunks.flat_map(Chunk::newest).map(entry).skip_while(move |(lsn, _)| *lsn > upto).map(|(_, item)| item)
    }

    /// Those of records up to a position, oldest first.
    pub fn oldest(&self, upto: Lsn) -> impl Iterator<Item = T> {
        let chunks = self.older.iter().chain(std::iter::once(&self.newest));
        chunks.flat_map(Chunk::oldest).map(entry).take_while(move |(lsn, _)| *lsn <= upto).map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::packed::{Unpacker, amount};
    use crate::money::Amount;
    use proptest::prelude::*;

    impl Packed for u128 {
        type Words = [u64; 2];
        fn words(&self) -> [u64; 2] {
            amount(Amount(*self as i128))
        }
        fn of(unpacker: &mut Unpacker<'_>) -> u128 {
            unpacker.amount().0 as u128
        }
    }

    fn at(n: usize) -> Place {
        Place { lsn: Lsn(n as u64 + 1), time: 10 * n as u64 }
    }

    proptest! {
        #[test]
        fn the_latest_are_there_in_order_up_to_any_position(
            items: Vec<u128>,
            more in 0..3 * RECENT,
            upto in any::<prop::sample::Index>(),
            forgotten in 0..4_u64,
        ) {
            let items: Vec<u128> = items.into_iter().chain((0..more).map(|n| 1 << (n % 128))).collect();
            let mut recent = Recent::since(Place::default());
            let (mut bytes, mut next) = (0, 0);
            for (n, item) in items.iter().enumerate() {
                if let Some(begun) = recent.push(at(n), item, next) {
                    bytes += begun.bytes;
                    next = begun.chunk + 1;
                }
            }
            let first = recent.older.front().unwrap_or(&recent.newest).number;
            (first..first + forgotten).for_each(|n| bytes -= recent.forget_chunk(n).unwrap_or(0) as isize);
            let held = recent.older.iter().chain([&recent.newest]).map(|chunk| chunk.bytes.capacity()).sum::<usize>();
            prop_assert_eq!(bytes, held as isize);
            let reach = recent.reach().lsn.0 as usize;
            prop_assert!(forgotten > 0 || items.len() - reach >= RECENT.min(items.len()));
            prop_assert!(items.len() - reach <= RECENT + LARGEST / 5, "forgotten chunks go");
            let upto = upto.index(items.len() + 1).max(reach);
            prop_assert_eq!(recent.oldest(Lsn(upto as u64)).collect::<Vec<u128>>(), &items[reach..upto]);
            prop_assert!(recent.newest(Lsn(upto as u64)).eq(items[reach..upto].iter().rev().copied()));
        }
    }
}
