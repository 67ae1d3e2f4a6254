//! Fills of the house's quotes, reported back to the simulated source whose book the quotes mirror.
//!
//! Owns: the fills not yet reported. Never does: wait, decide.
//! Invariants: only fills of durable records come here. Known limits: when nobody drains it, the newest
//! [`MOST_WAITING`] stay.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::record::Fact;
use xng_core::spot::Side;
use xng_core::spot::facts::OrderPlaced;

/// Fills that wait at most.
const MOST_WAITING: usize = 16_384;

/// A fill of one of the house's quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenQuote {
    /// Which pair.
    pub market: MarketId,
    /// The quote's side.
    pub side: Side,
    /// Its price.
    pub price: Amount,
    /// How much, in base.
    pub quantity: Amount,
}

/// The way from the market view to the source; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Taken(Arc<Mutex<VecDeque<TakenQuote>>>);

impl Taken {
    fn lock(&self) -> MutexGuard<'_, VecDeque<TakenQuote>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of a durable fact.
    pub fn follow(&self, fact: &Fact) {
        if let Fact::Spot(fact) = fact
            && let Some(placed) = fact.placed()
        {
            self.placed(placed);
        }
    }

    fn placed(&self, f: &OrderPlaced) {
        let mut waiting = None;
        for trade in f.trades.iter().filter(|t| t.maker_quote) {
            let waiting = waiting.get_or_insert_with(|| self.lock());
            if waiting.len() >= MOST_WAITING {
                waiting.pop_front();
            }
            waiting.push_back(TakenQuote {
                market: f.units.market,
                side: f.side.opposite(),
                price: f.units.price(trade.ticks),
                quantity: f.units.base_amount(trade.lots),
            });
        }
    }

    /// Takes all that waits, oldest first.
    #[must_use]
    pub fn drain(&self) -> Vec<TakenQuote> {
        self.lock().drain(..).collect()
    }
}
