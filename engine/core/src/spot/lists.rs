//! Which open orders cancel each other.
//!
//! Owns: the pairs, and the orders whose other one is gone and that are still to leave. Never does: cancel; the market's timer
//! does (`arranging.rs`). Invariants: a pair is known from both sides; an order that is to leave is in no pair.
//! Known limits: lists have two orders.

use crate::codec::{DecodeError, Reader, Wire, WordHash, mix64};
use crate::ids::OrderId;
use std::collections::{BTreeMap, VecDeque};

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Lists {
    other: BTreeMap<OrderId, OrderId>,
    leaving: VecDeque<OrderId>,
    /// Sum of the pairs' hashes, each from both sides.
    digest: u64,
}

fn pair_hash(one: OrderId, other: OrderId) -> u64 {
    WordHash::new(2).pair(one.0, other.0).end()
}

impl Lists {
    /// The other order of a list.
    pub(super) fn other(&self, order: OrderId) -> Option<OrderId> {
        self.other.get(&order).copied()
    }

    /// There is no pair and nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.other.is_empty() && self.leaving.is_empty()
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

    /// An order is gone together with what it was paired with, or was to leave anyhow.
    pub(super) fn forget(&mut self, order: OrderId) {
        if let Some(other) = self.take(order) {
            self.take(other);
        }
        self.leaving.retain(|leaving| *leaving != order);
    }

    /// An order was filled or reduced, in part or whole: its other one is to leave.
    pub(super) fn touched(&mut self, order: OrderId) {
        if let Some(other) = self.take(order) {
            self.take(other);
            self.leaving.push_back(other);
        }
    }

    pub(super) fn digest(&self) -> u64 {
        self.leaving.iter().fold(self.digest, |all, order| mix64(all ^ order.0))
    }
}

impl Wire for Lists {
    fn put(&self, out: &mut Vec<u8>) {
        let pairs = self.other.iter().filter(|(one, other)| one < other);
        pairs.map(|(one, other)| (*one, *other)).collect::<Vec<(OrderId, OrderId)>>().put(out);
        self.leaving.iter().copied().collect::<Vec<OrderId>>().put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut lists = Lists::default();
        for (one, other) in Vec::<(OrderId, OrderId)>::get(r)? {
            lists.link(one, other);
        }
        lists.leaving = Vec::<OrderId>::get(r)?.into();
        Ok(lists)
    }
}
