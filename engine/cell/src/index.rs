//! Where in a table an id's entity is.
//!
//! Owns: the places by id. Never does: know what is at a place.
//! Invariants: ids are counters, so their places stand in pages by number: one look at memory that stays in the cache,
//! where a hash table of 100,000 accounts costs two that do not.
//! Known limits: numbers from 2^27 on are found in a tree.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use xng_core::ids::Numbered;

const PAGE_BITS: u32 = 10;
const PAGE: usize = 1 << PAGE_BITS;
const NUMBERS_IN_PAGES: u64 = 1 << 27;
const NOWHERE: u32 = u32::MAX;

/// Places by id.
pub(crate) struct Index<Id> {
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    far: BTreeMap<u64, u32>,
    ids: PhantomData<Id>,
}

impl<Id> Default for Index<Id> {
    fn default() -> Self {
        Index { pages: Vec::new(), far: BTreeMap::new(), ids: PhantomData }
    }
}

impl<Id: Numbered> Index<Id> {
    /// The place of an id, if it has one.
    pub(crate) fn get(&self, id: Id) -> Option<usize> {
        let number = id.number();
        if number >= NUMBERS_IN_PAGES {
            return self.far.get(&number).map(|at| *at as usize);
        }
        let page = self.pages.get((number >> PAGE_BITS) as usize)?.as_ref()?;
        let at = page[number as usize % PAGE];
        (at != NOWHERE).then_some(at as usize)
    }

    /// Has the memory fetched in which the place of an id is.
    pub(crate) fn prefetch(&self, id: Id) {
        let number = id.number();
        let page = self.pages.get((number >> PAGE_BITS) as usize).and_then(Option::as_ref);
        page.into_iter().for_each(|page| xng_prefetch::value(&page[number as usize % PAGE]));
    }

    /// Gives an id its place.
    ///
    /// # Panics
    /// At 2^32 - 1 places, which is more than a cell's memory can hold.
    pub(crate) fn insert(&mut self, id: Id, at: usize) {
        let at = u32::try_from(at).ok().filter(|at| *at != NOWHERE).expect("fewer than 2^32 - 1 entities");
        let number = id.number();
        if number >= NUMBERS_IN_PAGES {
            self.far.insert(number, at);
            return;
        }
        let page = (number >> PAGE_BITS) as usize;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        self.pages[page].get_or_insert_with(|| Box::new([NOWHERE; PAGE]))[number as usize % PAGE] = at;
    }

    /// Takes an id's place from it and gives it, if it has one.
    pub(crate) fn remove(&mut self, id: Id) -> Option<usize> {
        let number = id.number();
        if number >= NUMBERS_IN_PAGES {
            return self.far.remove(&number).map(|at| at as usize);
        }
        let page = self.pages.get_mut((number >> PAGE_BITS) as usize)?.as_mut()?;
        let at = std::mem::replace(&mut page[number as usize % PAGE], NOWHERE);
        (at != NOWHERE).then_some(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use xng_core::ids::AccountId;

    proptest! {
        #[test]
        fn every_id_is_found_at_its_place_and_no_other(near in prop::collection::btree_set(0..5_000_u64, 0..50),
                                                       far in prop::collection::btree_set(any::<u64>(), 0..50)) {
            let ids: Vec<u64> = near.union(&far).copied().collect();
            let small = ids.iter().filter(|id| **id < 1 << 24 || **id >= NUMBERS_IN_PAGES).collect::<Vec<_>>();
            let mut index = Index::default();
            small.iter().enumerate().for_each(|(at, id)| index.insert(AccountId(**id), at));
            for (at, id) in small.iter().enumerate() {
                prop_assert_eq!(index.get(AccountId(**id)), Some(at));
                let next = AccountId(id.wrapping_add(1));
                prop_assert_eq!(index.get(next), small.iter().position(|other| **other == next.0));
            }
            for (at, id) in small.iter().enumerate().filter(|(at, _)| at % 2 == 0) {
                prop_assert_eq!(index.remove(AccountId(**id)), Some(at));
                prop_assert_eq!((index.remove(AccountId(**id)), index.get(AccountId(**id))), (None, None));
            }
            for (at, id) in small.iter().enumerate() {
                prop_assert_eq!(index.get(AccountId(**id)), (at % 2 == 1).then_some(at));
            }
        }
    }
}
