//! Which open orders depend on each other.
//!
//! Owns: the pairs of which one cancels the other; the pending orders, which are placed once the first order of their list
//! is filled; and the orders that are still to leave because another one of their list ended. Never does: place or cancel;
//! the market's timer and the owner's account do (`order_group.rs`, `pending.rs`). Invariants: a pair is known from both sides;
//! an order that is to leave is in no pair; pending orders leave all together.
//! Known limits: lists have two orders, or a first one and two that it brings.

use super::facts::PendingOrder;
use crate::codec::{DecodeError, Reader, Wire, WordHash, hash_bytes, mix64};
use crate::ids::{AccountId, OrderId};
use std::collections::{BTreeMap, VecDeque};

crate::wire_struct! {
    /// Orders that the first one of their list brings.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PendingList {
        /// Whose.
        pub account: AccountId,
        /// The first order is filled: they are to be placed.
        pub due: bool,
        /// One, or two of which one cancels the other.
        pub orders: Vec<PendingOrder>,
    }
}

/// See the module's header.
#[derive(Debug, Default)]
pub struct Lists {
    other: BTreeMap<OrderId, OrderId>,
    leaving: VecDeque<OrderId>,
    /// By the first order of the list, whose id is smaller than theirs.
    pending: BTreeMap<OrderId, PendingList>,
    /// Sum of the hashes of the pairs, each from both sides, and of the pending lists.
    digest: u64,
}

fn pair_hash(one: OrderId, other: OrderId) -> u64 {
    WordHash::new(2).pair(one.0, other.0).end()
}

fn pending_hash(first: OrderId, list: &PendingList) -> u64 {
    let mut bytes = Vec::with_capacity(128);
    list.put(&mut bytes);
    hash_bytes(first.0, &bytes)
}

impl Lists {
    /// The other order of a list of two that cancel each other.
    pub(super) fn other(&self, order: OrderId) -> Option<OrderId> {
        self.other.get(&order).copied()
    }

    /// The pending list that an order is the first one or one of the others of, with its first order.
    pub(super) fn pending_of(&self, order: OrderId) -> Option<(OrderId, &PendingList)> {
        let (first, list) = self.pending.range(..=order).next_back()?;
        let is_in = *first == order || list.orders.iter().any(|pending| pending.order == order);
        is_in.then_some((*first, list))
    }

    /// One of the pending orders, with its owner.
    pub(super) fn pending_order(&self, order: OrderId) -> Option<(AccountId, &PendingOrder)> {
        let (_, list) = self.pending_of(order)?;
        list.orders.iter().find(|pending| pending.order == order).map(|pending| (list.account, pending))
    }

    /// All pending lists, by their first order.
    pub fn pending(&self) -> impl Iterator<Item = (OrderId, &PendingList)> {
        self.pending.iter().map(|(first, list)| (*first, list))
    }

    /// The order depends on another one, or another one on it.
    pub(super) fn has(&self, order: OrderId) -> bool {
        self.other.contains_key(&order) || self.pending_of(order).is_some()
    }

    /// Nothing depends on anything, and there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.other.is_empty() && self.leaving.is_empty() && self.pending.is_empty()
    }

    /// The next one that is to leave.
    pub(super) fn leaving(&self) -> Option<OrderId> {
        self.leaving.front().copied()
    }

    fn put(&mut self, one: OrderId, other: OrderId) {
        self.digest = self.digest.wrapping_add(pair_hash(one, other));
        self.other.insert(one, other);
    }

    fn take(&mut self, one: OrderId) -> Option<OrderId> {
        let other = self.other.remove(&one)?;
        self.digest = self.digest.wrapping_sub(pair_hash(one, other));
        Some(other)
    }

    pub(super) fn link(&mut self, one: OrderId, other: OrderId) {
        self.put(one, other);
        self.put(other, one);
    }

    fn put_pending(&mut self, first: OrderId, list: PendingList) {
        self.digest = self.digest.wrapping_add(pending_hash(first, &list));
        self.pending.insert(first, list);
    }

    fn take_pending(&mut self, first: OrderId) -> Option<PendingList> {
        let list = self.pending.remove(&first)?;
        self.digest = self.digest.wrapping_sub(pending_hash(first, &list));
        Some(list)
    }

    /// These are placed once `first` is filled.
    pub(super) fn wait_for(&mut self, first: OrderId, account: AccountId, orders: Vec<PendingOrder>) {
        self.put_pending(first, PendingList { account, due: false, orders });
    }

    /// The pending orders of a list are placed now; two of them cancel each other.
    pub(super) fn activate(&mut self, first: OrderId) {
        let list = self.take_pending(first).expect("a list that is activated is pending");
        if let [one, other] = &list.orders[..] {
            self.link(one.order, other.order);
        }
    }

    /// An order is gone together with what depended on it, or was to leave anyhow. True when it was a pending one.
    pub(super) fn forget(&mut self, order: OrderId) -> bool {
        if let Some(other) = self.take(order) {
            self.take(other);
        }
        self.leaving.retain(|leaving| *leaving != order);
        let Some((first, _)) = self.pending_of(order).filter(|(first, _)| *first != order) else { return false };
        let mut list = self.take_pending(first).expect("it was there just now");
        list.orders.retain(|pending| pending.order != order);
        if !list.orders.is_empty() {
            self.put_pending(first, list);
        }
        true
    }

    /// An order was filled or reduced, in part or whole: its other one is to leave.
    #[inline]
    pub(super) fn touched(&mut self, order: OrderId) {
        if self.other.is_empty() {
            return;
        }
        if let Some(other) = self.take(order) {
            self.take(other);
            self.leaving.push_back(other);
        }
    }

    /// An order left the book: what it brings is to be placed when it was filled, and to leave otherwise.
    #[inline]
    pub(super) fn ended(&mut self, order: OrderId, filled: bool) {
        if !self.pending.is_empty() {
            self.first_ended(order, filled);
        }
    }

    #[cold]
    fn first_ended(&mut self, order: OrderId, filled: bool) {
        let Some(list) = self.take_pending(order) else { return };
        if !filled {
            self.leaving.push_back(list.orders[0].order);
        }
        self.put_pending(order, PendingList { due: filled, ..list });
    }

    pub(super) fn digest(&self) -> u64 {
        self.leaving.iter().fold(self.digest, |all, order| mix64(all ^ order.0))
    }

    /// What snapshots have had since lists exist; pending lists are written apart.
    pub(super) fn put_pairs(&self, out: &mut Vec<u8>) {
        let pairs = self.other.iter().filter(|(one, other)| one < other);
        pairs.map(|(one, other)| (*one, *other)).collect::<Vec<(OrderId, OrderId)>>().put(out);
        self.leaving.iter().copied().collect::<Vec<OrderId>>().put(out);
    }

    pub(super) fn get_pairs(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut lists = Lists::default();
        for (one, other) in Vec::<(OrderId, OrderId)>::get(r)? {
            lists.link(one, other);
        }
        lists.leaving = Vec::<OrderId>::get(r)?.into();
        Ok(lists)
    }

    pub(super) fn put_all_pending(&self, out: &mut Vec<u8>) {
        self.pending().map(|(first, list)| (first, list.clone())).collect::<Vec<(OrderId, PendingList)>>().put(out);
    }

    pub(super) fn get_all_pending(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        for (first, list) in Vec::<(OrderId, PendingList)>::get(r)? {
            if list.orders.iter().any(|pending| pending.order <= first) || list.orders.is_empty() {
                return Err(DecodeError::Range("pending list"));
            }
            self.put_pending(first, list);
        }
        Ok(())
    }
}
