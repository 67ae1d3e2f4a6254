//! The book of a reference feed.
//!
//! Owns: levels by price as the source says them. Never does: round to our ticks and steps (the house does).
//! Invariants: no level has quantity 0. Known limits: update ids are the source's business ([`super::sync`]).

use super::{FeedEvent, Level};
use std::collections::BTreeMap;
use xng_core::money::Amount;

/// Levels as the source says them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedBook {
    bids: BTreeMap<Amount, Amount>,
    asks: BTreeMap<Amount, Amount>,
}

fn set(side: &mut BTreeMap<Amount, Amount>, levels: &[Level]) {
    for (price, quantity) in levels {
        if quantity.is_zero() {
            side.remove(price);
        } else {
            side.insert(*price, *quantity);
        }
    }
}

impl FeedBook {
    /// Begins anew.
    pub fn replace(&mut self, bids: &[Level], asks: &[Level]) {
        self.bids.clear();
        self.asks.clear();
        self.update(bids, asks);
    }

    /// Applies absolute quantities.
    pub fn update(&mut self, bids: &[Level], asks: &[Level]) {
        set(&mut self.bids, bids);
        set(&mut self.asks, asks);
    }

    /// Applies what a source says of its book; other events change nothing.
    pub fn hear(&mut self, event: &FeedEvent) {
        match event {
            FeedEvent::Book { bids, asks, .. } => self.replace(bids, asks),
            FeedEvent::Levels { bids, asks, .. } => self.update(bids, asks),
            FeedEvent::Lost(_) => *self = FeedBook::default(),
            FeedEvent::Price { .. } | FeedEvent::Trade { .. } => {}
        }
    }

    /// Bids, best first.
    pub fn bids(&self) -> impl Iterator<Item = Level> + '_ {
        self.bids.iter().rev().map(|(p, q)| (*p, *q))
    }

    /// Asks, best first.
    pub fn asks(&self) -> impl Iterator<Item = Level> + '_ {
        self.asks.iter().map(|(p, q)| (*p, *q))
    }

    /// Middle of best bid and best ask, when both are there and not crossed.
    #[must_use]
    pub fn mid(&self) -> Option<Amount> {
        let (bid, ask) = (self.bids().next()?.0, self.asks().next()?.0);
        (bid < ask).then(|| Amount((bid.0 + ask.0) / 2))
    }
}
