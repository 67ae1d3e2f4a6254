//! Where in the slab a live order is.
//!
//! Owns: places by id, four bytes each. Never does: keep an id; the slab has it.
//! Layout: open addressing with linear probing over a power of two of cells, at most half of them taken; what is taken
//! out leaves no mark, the ones behind it move up.
//! Complexity: O(1); it doubles when it is half full and never shrinks.
//! Known limits: ids are counters, one multiplication spreads them well; ids that somebody chose would cluster.

const EMPTY: u32 = u32::MAX;

/// Places of live orders.
#[derive(Debug, Clone, Default)]
pub(super) struct Live {
    cells: Vec<u32>,
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

    fn next(&self, cell: usize) -> usize {
        (cell + 1) & (self.cells.len() - 1)
    }

    /// The place of an id; `id_at` says whose place one is.
    pub(super) fn find(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        self.cell_of(id, id_at).map(|cell| self.cells[cell])
    }

    fn cell_of(&self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let mut cell = self.home(id);
        while self.cells[cell] != EMPTY {
            if id_at(self.cells[cell]) == id {
                return Some(cell);
            }
            cell = self.next(cell);
        }
        None
    }

    /// Adds an id; false when it is there already.
    pub(super) fn insert(&mut self, id: u64, at: u32, id_at: impl Fn(u32) -> u64) -> bool {
        if self.count * 2 >= self.cells.len() {
            self.grow(&id_at);
        }
        let mut cell = self.home(id);
        while self.cells[cell] != EMPTY {
            if id_at(self.cells[cell]) == id {
                return false;
            }
            cell = self.next(cell);
        }
        self.cells[cell] = at;
        self.count += 1;
        true
    }

    fn grow(&mut self, id_at: &impl Fn(u32) -> u64) {
        let size = (self.cells.len() * 2).max(16);
        let old = std::mem::replace(&mut self.cells, vec![EMPTY; size]);
        for at in old.into_iter().filter(|at| *at != EMPTY) {
            let mut cell = self.home(id_at(at));
            while self.cells[cell] != EMPTY {
                cell = self.next(cell);
            }
            self.cells[cell] = at;
        }
    }

    /// Takes an id out; its place, if it was there.
    pub(super) fn remove(&mut self, id: u64, id_at: impl Fn(u32) -> u64) -> Option<u32> {
        let mut hole = self.cell_of(id, &id_at)?;
        let at = self.cells[hole];
        let mut cell = self.next(hole);
        while self.cells[cell] != EMPTY {
            // One moves into the hole unless that is in front of its first cell.
            let home = self.home(id_at(self.cells[cell]));
            let mask = self.cells.len() - 1;
            if (cell.wrapping_sub(home) & mask) >= (cell.wrapping_sub(hole) & mask) {
                self.cells[hole] = self.cells[cell];
                hole = cell;
            }
            cell = self.next(cell);
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
        fn what_was_added_and_not_taken_out_is_found(steps in prop::collection::vec(0..200_u64, 0..2_000)) {
            // Every place keeps the id that it was first given: places are those of a slab that only grows.
            let (mut live, mut ids, mut list) = (Live::default(), Vec::new(), BTreeMap::new());
            for step in steps {
                let id = step * 1_024 + 7;
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
                for other in (0..200).map(|n| n * 1_024 + 7) {
                    prop_assert_eq!(live.find(other, |at| ids[at as usize]), list.get(&other).copied());
                }
            }
        }
    }
}
