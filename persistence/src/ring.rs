//! The latest things of one kind, in order, for whoever asks how it went.
//!
//! Owns: a bounded queue behind a lock. Never does: wait for a reader: a look copies or counts and goes.
//! Invariants: what is pushed never lies before what was pushed earlier. Known limits: what fell out is not known any
//! more, and [`Ring::first`] says so instead of naming a later thing.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// See the module's header.
#[derive(Debug)]
pub struct Ring<T> {
    items: Mutex<VecDeque<T>>,
    most: usize,
}

impl<T: Clone> Ring<T> {
    /// Capacity for `most`; memory is taken as it fills.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { items: Mutex::default(), most }
    }

    fn items(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the newest.
    pub fn push(&self, item: T) {
        let mut items = self.items();
        if items.len() == self.most {
            items.pop_front();
        }
        items.push_back(item);
    }

    /// The first for which `reached` holds, if what lies right before it is known too, or nothing ever fell out.
    /// `reached` holds for all that follow one for which it holds.
    pub fn first(&self, mut reached: impl FnMut(&T) -> bool) -> Option<T> {
        let items = self.items();
        let at = items.partition_point(|item| !reached(item));
        if at == 0 && items.len() == self.most {
            return None;
        }
        items.get(at).cloned()
    }

    /// The newest that fits.
    pub fn newest(&self, mut fits: impl FnMut(&T) -> bool) -> Option<T> {
        self.items().iter().rev().find(|item| fits(item)).cloned()
    }

    /// The latest `count`, oldest first.
    #[must_use]
    pub fn latest(&self, count: usize) -> Vec<T> {
        let items = self.items();
        items.iter().skip(items.len().saturating_sub(count)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fell_out_is_not_taken_for_what_came_next() {
        let ring = Ring::new(3);
        (1..=3).for_each(|n| ring.push(n * 10));
        assert_eq!(ring.first(|n| *n >= 5), None, "full: whether something lay before 10 is not known");
        assert_eq!(ring.first(|n| *n >= 15), Some(20));
        ring.push(40);
        assert_eq!((ring.first(|n| *n >= 20), ring.first(|n| *n >= 25)), (None, Some(30)));
        assert_eq!(ring.first(|n| *n >= 50), None, "it did not come yet");
        assert_eq!((ring.newest(|n| *n < 40), ring.latest(2)), (Some(30), vec![30, 40]));
    }

    #[test]
    fn a_ring_from_which_nothing_fell_knows_its_first() {
        let ring = Ring::new(3);
        ring.push(10);
        assert_eq!(ring.first(|n| *n >= 5), Some(10));
    }
}
