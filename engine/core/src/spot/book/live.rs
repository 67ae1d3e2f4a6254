//! Where in the slab a live order is.
//!
//! Owns: places by id, four bytes each. Never does: keep an id; the slab has it.
//! Layout: open addressing over a power of two of cells, at most half of them taken: an id stands at most [`REACH`] cells
//! behind its first one, or else in a tree. What is taken out leaves no mark, the ones behind it move up.
//! Invariants: an id is in the cells or in the tree, not in both.
//! Complexity: O(1), O(log n) for what is in the tree; it doubles when it is half full and never shrinks.
//! Why a tree: ids are counters, which one multiplication spreads well, but their owners choose which orders stay: those
//! whose cells lie side by side would make one long run, and all others pay for it.

use std::collections::BTreeMap;

const EMPTY: u32 = u32::MAX;
/// Cells in which an id may be.
const REACH: usize = 16;

/// Places of live orders.
#[derive(Debug, Clone, Default)]
pub(super) struct Live {
    cells: Vec<u32>,
    crowded: BTreeMap<u64, u32>,
    count: usize,
}

impl Live {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The first cell in which an id may be.
    fn home(&self, id: u64) -> usize {
        let spread = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> (64 - self.cells.len().trailing_zeros())) as usize
    }

    /// The cells in which an id may be, in order.
    fn reach(&self, id: u64) -> impl Iterator<Item = usize> + use<> {
        let (home, mask) = (self.home(id), self.cells.len() - 1);
        (home..home + REACH).map(move |cell| cell & mask)
    }

    /// The place of an id; `id_at` says whose place one is.
    pub(super) fn find(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        let cell = self.cell_of(id, id_at).map(|cell| self.cells[cell]);
        cell.or_else(|| self.crowded.get(&id).copied())
    }

    fn cell_of(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        self.reach(id).take_while(|cell| self.cells[*cell] != EMPTY).find(|cell| id_at(self.cells[*cell]) == id)
    }

    /// Adds an id; false when it is there already.
    pub(super) fn insert(&mut self, id: u64, at: u32, id_at: impl Fn(u32) -> u64) -> bool {
        if self.count * 2 >= self.cells.len() {
            self.grow(&id_at);
        }
        if self.find(id, &id_at).is_some() {
            return false;
        }
        self.add(id, at);
        self.count += 1;
        true
    }

    fn add(&mut self, id: u64, at: u32) {
        match self.reach(id).find(|cell| self.cells[*cell] == EMPTY) {
            Some(cell) => self.cells[cell] = at,
            None => {
                self.crowded.insert(id, at);
            }
        }
    }

    fn grow(&mut self, id_at: &impl Fn(u32) -> u64) {
        let size = (self.cells.len() * 2).max(2 * REACH);
        let cells = std::mem::replace(&mut self.cells, vec![EMPTY; size]);
        let crowded = std::mem::take(&mut self.crowded);
        cells.into_iter().filter(|at| *at != EMPTY).chain(crowded.into_values()).for_each(|at| self.add(id_at(at), at));
    }

    /// Takes an id out; its place, if it was there.
    pub(super) fn remove(&mut self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        let Some(mut hole) = self.cell_of(id, &id_at) else {
            let at = self.crowded.remove(&id)?;
            self.count -= 1;
            return Some(at);
        };
        let (at, mask) = (self.cells[hole], self.cells.len() - 1);
        // One moves up into the hole unless that is in front of its first cell: without a hole in front of it, it is found.
        // None that could is further than its reach away.
        let mut cell = hole;
        loop {
            cell = (cell + 1) & mask;
            if self.cells[cell] == EMPTY || cell.wrapping_sub(hole) & mask >= REACH {
                break;
            }
            let home = self.home(id_at(self.cells[cell]));
            if (cell.wrapping_sub(home) & mask) >= (cell.wrapping_sub(hole) & mask) {
                self.cells[hole] = self.cells[cell];
                hole = cell;
            }
        }
        self.cells[hole] = EMPTY;
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
