//! Where in the slab a live order is.
//!
//! Owns: places by id. Never does: keep an id; the slab has it.
//! Layout: a power of two of buckets, a cache line each, of [`CELLS`] places with eight bits of the id beside each: the slab,
//! which lies in no cache when a million orders rest, is looked at for the order that is meant and hardly ever for
//! another. An id is in its bucket, else in the next one, else in a tree.
//! Invariants: an id is in one of the three; each bucket counts its ids that are elsewhere.
//! Complexity: O(1), O(log n) for what is in the tree; it doubles at [`FULL`] ids a bucket and never shrinks.
//! Why a tree: ids are counters, which one multiplication spreads well, but their owners choose which orders stay: those
//! that fall into few buckets would make long runs, and all others pay for them.

use std::collections::BTreeMap;

const CELLS: usize = 12;
/// Ids a bucket has in the mean when there become more buckets: one in a hundred then spills.
const FULL: usize = 7;
/// The tag of an empty cell.
const EMPTY: u8 = 0;

#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket {
    /// One a cell.
    tags: [u8; CELLS],
    /// How many of the bucket's ids are elsewhere.
    spilled: u32,
    places: [u32; CELLS],
}

const _: () = assert!(size_of::<Bucket>() == 64);

/// Which of eight tags are this one, a bit each.
fn alike(tags: [u8; 8], tag: u8) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = ONES * 0x7f;
    let differ = u64::from_le_bytes(tags) ^ (ONES * u64::from(tag));
    // A byte's top bit is set here, or was, when the byte is not zero; nothing is carried into the next one.
    let equal = !(((differ & LOW) + LOW) | differ) & !LOW;
    // The top bits of all bytes come to stand side by side at the top; no two of them meet below.
    (equal.wrapping_mul(0x0002_0408_1020_4081) >> 56) as u32
}

impl Bucket {
    /// Cells that have this tag, a bit each.
    fn with(&self, tag: u8) -> u32 {
        self.first_with(tag) | self.last_with(tag)
    }

    /// Those of the first eight.
    #[inline]
    fn first_with(&self, tag: u8) -> u32 {
        let [a, b, c, d, e, f, g, h, ..] = self.tags;
        alike([a, b, c, d, e, f, g, h], tag)
    }

    /// Those behind them.
    #[inline]
    fn last_with(&self, tag: u8) -> u32 {
        let [.., i, j, k, l] = self.tags;
        (alike([i, j, k, l, 0, 0, 0, 0], tag) & 0xf) << 8
    }

    fn set(&mut self, cell: usize, tag: u8) {
        self.tags[cell] = tag;
    }

    /// Puts a place into a free cell; false when there is none.
    fn put(&mut self, tag: u8, at: u32) -> bool {
        let free = self.with(EMPTY);
        if free == 0 {
            return false;
        }
        let cell = first(free);
        self.set(cell, tag);
        self.places[cell] = at;
        true
    }
}

/// The first of the cells that [`Bucket::with`] gave.
fn first(cells: u32) -> usize {
    cells.trailing_zeros() as usize
}

/// Places of live orders.
#[derive(Debug, Clone, Default)]
pub(crate) struct Live {
    buckets: Vec<Bucket>,
    crowded: BTreeMap<u64, u32>,
    count: usize,
}

/// Where an id is.
enum Found {
    Cell { bucket: usize, cell: usize },
    Tree(u32),
}

impl Live {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The bucket of an id and its tag.
    fn home(&self, id: u64) -> (usize, u8) {
        let spread = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let home = spread >> 1 >> (63 - self.buckets.len().trailing_zeros());
        (home as usize, (spread >> 8) as u8 | 1)
    }

    fn look(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<Found> {
        if self.buckets.is_empty() {
            return None;
        }
        let (home, tag) = self.home(id);
        let within = |bucket: usize| {
            let mut cells = self.buckets[bucket].with(tag);
            while cells != 0 {
                let cell = first(cells);
                if id_at(self.buckets[bucket].places[cell]) == id {
                    return Some(Found::Cell { bucket, cell });
                }
                cells &= cells - 1;
            }
            None
        };
        within(home).or_else(|| {
            if self.buckets[home].spilled == 0 {
                return None;
            }
            within(self.after(home)).or_else(|| self.crowded.get(&id).map(|at| Found::Tree(*at)))
        })
    }

    fn after(&self, bucket: usize) -> usize {
        (bucket + 1) & (self.buckets.len() - 1)
    }

    /// Asks for the memory in which an id is.
    pub(crate) fn prefetch(&self, id: u64) {
        if !self.buckets.is_empty() {
            xng_prefetch::value(&self.buckets[self.home(id).0]);
        }
    }

    /// The place of an id; `id_at` says whose place one is.
    pub(crate) fn find(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let (home, tag) = self.home(id);
        let bucket = &self.buckets[home];
        let among = |mut cells: u32| {
            while cells != 0 {
                let at = bucket.places[first(cells)];
                if id_at(at) == id {
                    return Some(at);
                }
                cells &= cells - 1;
            }
            None
        };
        // Nearly always it is in its own bucket, among the first cells, which are filled first.
        among(bucket.first_with(tag))
            .or_else(|| among(bucket.last_with(tag)))
            .or_else(|| if bucket.spilled == 0 { None } else { self.find_elsewhere(id, &id_at) })
    }

    #[cold]
    fn find_elsewhere(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        self.look(id, id_at).map(|found| match found {
            Found::Cell { bucket, cell } => self.buckets[bucket].places[cell],
            Found::Tree(at) => at,
        })
    }

    /// Adds an id; false when it is there already.
    pub(crate) fn insert(&mut self, id: u64, at: u32, id_at: impl Fn(u32) -> u64) -> bool {
        if self.count >= self.buckets.len() * FULL {
            self.grow(&id_at);
        }
        let (home, tag) = self.home(id);
        let bucket = &mut self.buckets[home];
        // Nearly always nothing looks like it and there is room.
        if bucket.with(tag) == 0 && bucket.spilled == 0 && bucket.put(tag, at) {
            self.count += 1;
            return true;
        }
        self.insert_rarely(id, at, id_at)
    }

    #[cold]
    fn insert_rarely(&mut self, id: u64, at: u32, id_at: impl Fn(u32) -> u64) -> bool {
        if self.look(id, id_at).is_some() {
            return false;
        }
        self.add(id, at);
        self.count += 1;
        true
    }

    fn add(&mut self, id: u64, at: u32) {
        let (home, tag) = self.home(id);
        if self.buckets[home].put(tag, at) {
            return;
        }
        self.buckets[home].spilled += 1;
        let after = self.after(home);
        if !self.buckets[after].put(tag, at) {
            self.crowded.insert(id, at);
        }
    }

    fn grow(&mut self, id_at: &impl Fn(u32) -> u64) {
        let size = (self.buckets.len() * 2).max(1);
        let buckets = std::mem::replace(&mut self.buckets, vec![Bucket::default(); size]);
        let crowded = std::mem::take(&mut self.crowded);
        let taken = |bucket: Bucket| {
            let taken = move |cell: &usize| bucket.tags[*cell] != EMPTY;
            (0..CELLS).filter(taken).map(move |cell| bucket.places[cell])
        };
        buckets.into_iter().flat_map(taken).chain(crowded.into_values()).for_each(|at| self.add(id_at(at), at));
    }

    /// Takes an id out; its place, if it was there.
    pub(crate) fn remove(&mut self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        let found = self.look(id, id_at)?;
        let (home, _) = self.home(id);
        let (at, spilled) = match found {
            Found::Cell { bucket, cell } => {
                self.buckets[bucket].set(cell, EMPTY);
                (self.buckets[bucket].places[cell], bucket != home)
            }
            Found::Tree(at) => {
                self.crowded.remove(&id);
                (at, true)
            }
        };
        if spilled {
            self.buckets[home].spilled -= 1;
        }
        self.count -= 1;
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn what_was_added_and_not_taken_out_is_found(
            steps in prop::collection::vec(0..200_u64, 0..2_000),
            chosen in any::<bool>(),
        ) {
            // Ids as they come, or those of one part of the cells, as somebody might keep them.
            let spread = |id: &u64| !chosen || id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59 == 0;
            let all: Vec<u64> = (0..).map(|n| n * 1_024 + 7).filter(spread).take(200).collect();
            // Every place keeps the id that it was first given: places are those of a slab that only grows.
            let (mut live, mut ids, mut list) = (Live::default(), Vec::new(), BTreeMap::new());
            for step in steps {
                let id = all[step as usize];
                if let Some(at) = list.remove(&id) {
                    prop_assert_eq!(live.remove(id, |at| ids[at as usize]), Some(at));
                } else {
                    let at = ids.len() as u32;
                    ids.push(id);
                    prop_assert!(live.insert(id, at, |at| ids[at as usize]));
                    prop_assert!(!live.insert(id, at, |at| ids[at as usize]));
                    list.insert(id, at);
                }
                prop_assert_eq!(live.len(), list.len());
                if ids.len() % 97 != 1 {
                    continue;
                }
                for other in &all {
                    prop_assert_eq!(live.find(*other, |at| ids[at as usize]), list.get(other).copied());
                }
            }
            let crowded = live.crowded.len();
            prop_assert!(chosen || crowded * 20 <= live.len() + 40, "{crowded} of {} in the tree", live.len());
        }
    }
}
