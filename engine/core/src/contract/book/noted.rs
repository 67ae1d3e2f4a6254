//! Values that a decision looks at again, by key.
//!
//! Owns: the values. Never does: know what they are of. Invariants: one value a key. Known limits: what comes after the first
//! one is in a list.

use std::ops::{Index, IndexMut};

/// See the module's header. The first one stands by itself: nearly always there is no other, and memory of its own would cost
/// more than all that is done with it.
#[derive(Debug)]
pub(super) struct Noted<K, V> {
    first: Option<(K, V)>,
    /// By key.
    others: Vec<(K, V)>,
}

impl<K, V> Default for Noted<K, V> {
    fn default() -> Self {
        Noted { first: None, others: Vec::new() }
    }
}

impl<K: Ord + Copy, V> Noted<K, V> {
    fn place(&self, key: K) -> Result<usize, usize> {
        self.others.binary_search_by_key(&key, |(other, _)| *other)
    }

    /// The value of a key, once it was noted.
    #[inline]
    pub(super) fn get(&self, key: K) -> Option<&V> {
        match &self.first {
            None => None,
            Some((first, value)) if *first == key => Some(value),
            Some(_) => self.place(key).ok().map(|at| &self.others[at].1),
        }
    }

    /// The same, made now if it was not.
    #[inline]
    pub(super) fn get_or(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = self.note(key, make);
        &mut self[place]
    }

    /// The place of a key's value, which is made now if it was not: good until another one is noted.
    #[inline]
    pub(super) fn note(&mut self, key: K, make: impl FnOnce() -> V) -> Place {
        match &self.first {
            None => self.first = Some((key, make())),
            Some((first, _)) if *first == key => {}
            Some(_) => {
                let at = self.place(key).unwrap_or_else(|at| {
                    self.others.insert(at, (key, make()));
                    at
                });
                return Place(Some(at));
            }
        }
        Place(None)
    }

    /// All values.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.first.iter().chain(&self.others).map(|(_, value)| value)
    }
}

/// Where a value is: among the others, or the first one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(Option<usize>);

impl<K, V> Index<Place> for Noted<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, Place(at): Place) -> &V {
        match (at, &self.first) {
            (Some(at), _) => &self.others[at].1,
            (None, Some((_, value))) => value,
            (None, None) => unreachable!("a place is that of a value"),
        }
    }
}

impl<K, V> IndexMut<Place> for Noted<K, V> {
    #[inline]
    fn index_mut(&mut self, Place(at): Place) -> &mut V {
        match (at, &mut self.first) {
            (Some(at), _) => &mut self.others[at].1,
            (None, Some((_, value))) => value,
            (None, None) => unreachable!("a place is that of a value"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn what_was_noted_is_a_map(steps in prop::collection::vec((0..6_u8, any::<u64>()), 0..60)) {
            let (mut noted, mut map) = (Noted::default(), BTreeMap::new());
            for (key, value) in steps {
                prop_assert_eq!(noted.get(key), map.get(&key));
                prop_assert_eq!(*noted.get_or(key, || value), *map.entry(key).or_insert(value));
                *noted.get_or(key, || value) = value;
                map.insert(key, value);
                prop_assert!((0..6).all(|key| noted.get(key) == map.get(&key)));
            }
            let mut values: Vec<u64> = noted.values().copied().collect();
            let mut expected: Vec<u64> = map.into_values().collect();
            values.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(values, expected);
        }
    }
}
