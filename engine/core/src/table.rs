//! Values by number: a slab, and the index that finds a place in it.
//!
//! Owns: values, each with a number of its own. Never does: keep an order of them. Invariants: a value stays at its place while
//! it is there; a place is taken again once its value is gone. Known limits: fewer than 2^32 - 1 values; memory never shrinks.

use crate::market::book::live::Live;
use std::ops::{Index, IndexMut};

/// What has a number of its own in a table.
pub(crate) trait Keyed {
    /// The number.
    fn key(&self) -> u64;
}

/// See the module's header.
#[derive(Debug)]
pub(crate) struct Table<T> {
    values: Vec<T>,
    free: Vec<u32>,
    live: Live,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { values: Vec::new(), free: Vec::new(), live: Live::default() }
    }
}

impl<T: Keyed> Table<T> {
    /// Where the value of a number is.
    pub(crate) fn find(&self, number: u64) -> Option<u32> {
        self.live.find(number, |at| self.values[at as usize].key())
    }

    /// The value of a number.
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.find(number).map(|at| &self.values[at as usize])
    }

    /// Adds a value and gives its place.
    ///
    /// # Panics
    /// When there is one of its number.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        let number = value.key();
        let at = self.free.pop().unwrap_or_else(|| u32::try_from(self.values.len()).expect("fewer than 2^32 values"));
        match self.values.get_mut(at as usize) {
            Some(free) => *free = value,
            None => self.values.push(value),
        }
        let values = &self.values;
        assert!(self.live.insert(number, at, |at| values[at as usize].key()), "{number} is a value's already");
        at
    }

    /// The values at all places: those that are gone are as they were when they left, if nothing came after them.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    /// Takes the value of a number out, if there is one, and gives it as it lies there until another one takes its place.
    pub(crate) fn remove(&mut self, number: u64) -> Option<&T> {
        let values = &self.values;
        let at = self.live.remove(number, |at| values[at as usize].key())?;
        self.free.push(at);
        Some(&self.values[at as usize])
    }
}

/// The value at a place that [`Table::insert`] or [`Table::find`] gave.
impl<T> Index<u32> for Table<T> {
    type Output = T;
    fn index(&self, at: u32) -> &T {
        &self.values[at as usize]
    }
}

impl<T> IndexMut<u32> for Table<T> {
    fn index_mut(&mut self, at: u32) -> &mut T {
        &mut self.values[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    impl Keyed for (u64, u64) {
        fn key(&self) -> u64 {
            self.0
        }
    }

    proptest! {
        #[test]
        fn a_table_is_a_map(steps in prop::collection::vec((0..40_u64, any::<u64>()), 0..400)) {
            let (mut table, mut map) = (Table::default(), BTreeMap::new());
            for (number, value) in steps {
                if let Some(value) = map.remove(&number) {
                    prop_assert_eq!(table.remove(number), Some(&(number, value)));
                } else {
                    let at = table.insert((number, value));
                    prop_assert_eq!(table[at], (number, value));
                    map.insert(number, value);
                }
                prop_assert_eq!(table.live.len(), map.len());
                prop_assert!((0..40).all(|n| table.get(n).map(|(_, value)| value) == map.get(&n)));
            }
            prop_assert!(table.values.len() <= 40, "places are taken again");
        }
    }
}
