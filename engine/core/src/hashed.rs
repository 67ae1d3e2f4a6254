//! Collections whose hash is kept up as they change: a large one is part of a state hash without being read again.
//!
//! Owns: a set of numbers, a map, a queue of accounts. Never does: tell apart what somebody chose to hash alike. Invariants: equal
//! contents have equal hashes, however they came about. Known limits: taking an account out of a queue reads those before it.

use crate::codec::{DecodeError, Reader, Wire, hash_bytes, mix64};
use crate::ids::AccountId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A set with the sum of its members' hashes.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    all: BTreeSet<u64>,
    digest: u64,
}

impl Numbers {
    /// False when it was a member already.
    pub(crate) fn insert(&mut self, number: u64) -> bool {
        let is_new = self.all.insert(number);
        if is_new {
            self.digest = self.digest.wrapping_add(mix64(number));
        }
        is_new
    }

    /// False when it was none.
    pub(crate) fn remove(&mut self, number: u64) -> bool {
        let is_member = self.all.remove(&number);
        if is_member {
            self.digest = self.digest.wrapping_sub(mix64(number));
        }
        is_member
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.all.contains(&number)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.all.iter().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn first(&self) -> Option<u64> {
        self.all.first().copied()
    }

    /// The sum of its members' hashes.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl FromIterator<u64> for Numbers {
    fn from_iter<I: IntoIterator<Item = u64>>(all: I) -> Numbers {
        let mut numbers = Numbers::default();
        for number in all {
            numbers.insert(number);
        }
        numbers
    }
}

impl Wire for Numbers {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().collect::<Vec<u64>>().put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Vec::<u64>::get(r)?.into_iter().collect())
    }
}

/// A map with the sum of its entries' hashes.
#[derive(Debug)]
pub(crate) struct HashedMap<K, V> {
    all: BTreeMap<K, V>,
    digest: u64,
}

impl<K, V> Default for HashedMap<K, V> {
    fn default() -> HashedMap<K, V> {
        HashedMap { all: BTreeMap::new(), digest: 0 }
    }
}

fn hash_entry(key: &impl Wire, value: &impl Wire) -> u64 {
    let mut bytes = Vec::with_capacity(128);
    key.put(&mut bytes);
    value.put(&mut bytes);
    hash_bytes(0, &bytes)
}

impl<K: Wire + Ord + Copy, V: Wire> HashedMap<K, V> {
    /// What the key stood for before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let before = self.remove(&key);
        self.digest = self.digest.wrapping_add(hash_entry(&key, &value));
        self.all.insert(key, value);
        before
    }

    /// What it stood for.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let value = self.all.remove(key)?;
        self.digest = self.digest.wrapping_sub(hash_entry(key, &value));
        Some(value)
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.all.get(key)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.all.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The sum of its entries' hashes.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }
}

impl<K: Wire + Ord + Copy, V: Wire> Wire for HashedMap<K, V> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.all.len() as u64).put(out);
        for (key, value) in &self.all {
            key.put(out);
            value.put(out);
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut map = HashedMap::default();
        for (key, value) in Vec::<(K, V)>::get(r)? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// The factor between neighbours in a queue's hash, and what undoes it: their product is 1 modulo 2^64.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const INVERSE: u64 = inverse(FACTOR);

/// Newton's method: each step doubles the bits that are right, of which an odd number has three at first.
const fn inverse(odd: u64) -> u64 {
    let (mut found, mut step) = (odd, 0);
    while step < 5 {
        found = found.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(found)));
        step += 1;
    }
    found
}

/// Accounts one after the other. Its hash is the sum of their hashes, each times [`FACTOR`] as often as accounts stand before
/// it, so that the first and the last come and go without the others being looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccountQueue {
    accounts: VecDeque<AccountId>,
    digest: u64,
    /// The factor of the next account.
    weight: u64,
}

impl Default for AccountQueue {
    fn default() -> AccountQueue {
        AccountQueue { accounts: VecDeque::new(), digest: 0, weight: 1 }
    }
}

impl AccountQueue {
    pub(crate) fn push_back(&mut self, account: AccountId) {
        self.accounts.push_back(account);
        self.digest = self.digest.wrapping_add(mix64(account.0).wrapping_mul(self.weight));
        self.weight = self.weight.wrapping_mul(FACTOR);
    }

    /// Takes out the first of an account's places. False when it has none.
    pub(crate) fn remove(&mut self, account: AccountId) -> bool {
        let (mut before, mut weight) = (0_u64, 1_u64);
        for (at, each) in self.accounts.iter().enumerate() {
            let own = mix64(each.0).wrapping_mul(weight);
            if *each == account {
                let behind = self.digest.wrapping_sub(before).wrapping_sub(own);
                self.digest = before.wrapping_add(behind.wrapping_mul(INVERSE));
                self.weight = self.weight.wrapping_mul(INVERSE);
                self.accounts.remove(at);
                return true;
            }
            before = before.wrapping_add(own);
            weight = weight.wrapping_mul(FACTOR);
        }
        false
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = AccountId> {
        self.accounts.iter().copied()
    }

    pub(crate) fn contains(&self, account: AccountId) -> bool {
        self.accounts.contains(&account)
    }

    pub(crate) fn len(&self) -> usize {
        self.accounts.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.accounts.is_empty()
    }

    /// The hash of the accounts in their order; with [`Self::len`] it tells queues apart.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }
}

impl FromIterator<AccountId> for AccountQueue {
    fn from_iter<I: IntoIterator<Item = AccountId>>(all: I) -> AccountQueue {
        let mut queue = AccountQueue::default();
        all.into_iter().for_each(|account| queue.push_back(account));
        queue
    }
}

impl Wire for AccountQueue {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().collect::<Vec<AccountId>>().put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Vec::<AccountId>::get(r)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_factor_is_undone() {
        assert_eq!(FACTOR.wrapping_mul(INVERSE), 1);
    }

    #[test]
    fn a_queue_tells_orders_apart() {
        let of = |ids: &[u64]| ids.iter().map(|id| AccountId(*id)).collect::<AccountQueue>().digest();
        assert_ne!(of(&[1, 2, 3]), of(&[1, 3, 2]));
        assert_ne!(of(&[1, 2]), of(&[1, 2, 2]));
        assert_ne!(of(&[2, 1, 2]), of(&[1, 2, 2]));
    }

    proptest! {
        #[test]
        fn hashes_follow_from_what_is_in_there(steps in prop::collection::vec((any::<bool>(), 0_u64..8), 0..200)) {
            let (mut queue, mut numbers) = (AccountQueue::default(), Numbers::default());
            let (mut accounts, mut members) = (Vec::new(), BTreeSet::new());
            for (adds, id) in steps {
                let account = AccountId(id);
                if adds {
                    queue.push_back(account);
                    accounts.push(account);
                    prop_assert_eq!(numbers.insert(id), members.insert(id));
                } else {
                    let at = accounts.iter().position(|each| *each == account);
                    prop_assert_eq!(queue.remove(account), at.map(|at| accounts.remove(at)).is_some());
                    prop_assert_eq!(numbers.remove(id), members.remove(&id));
                }
                prop_assert_eq!(&queue, &accounts.iter().copied().collect::<AccountQueue>());
                prop_assert_eq!(numbers.digest(), members.iter().copied().collect::<Numbers>().digest());
            }
        }
    }
}
