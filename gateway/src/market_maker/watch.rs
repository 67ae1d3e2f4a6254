//! What operators see of the house: whether it quotes each pair, how far its quotes reach, what it has.
//!
//! Owns: the outcome of each pair's last ladder. Never does: decide anything by it.
//! Invariants: what is told is what the cell answered. Known limits: of this process only.

use crate::common::time::Ms;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// One pair's quotes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quoting {
    /// The last ladder was taken and stands.
    pub quotes: bool,
    /// Levels of it.
    pub levels: usize,
    /// What the house has of the base, in quotes or not.
    pub inventory: Amount,
    /// When a ladder was taken last; 0: never.
    pub quoted_ms: Ms,
}

/// All pairs' quotes, for whoever looks.
#[derive(Debug, Default)]
pub struct Watch(RwLock<BTreeMap<MarketId, Quoting>>);

impl Watch {
    /// A ladder was taken.
    pub(super) fn quoted(&self, market: MarketId, levels: usize, inventory: Amount, now: Ms) {
        let quoting = Quoting { quotes: levels > 0, levels, inventory, quoted_ms: now };
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(market, quoting);
    }

    /// A ladder was refused, and what stood is taken away.
    pub(super) fn refused(&self, market: MarketId) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let quoting = all.entry(market).or_default();
        (quoting.quotes, quoting.levels) = (false, 0);
    }

    /// One pair's quotes.
    #[must_use]
    pub fn of(&self, market: MarketId) -> Quoting {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&market).copied().unwrap_or_default()
    }
}
