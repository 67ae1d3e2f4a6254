//! What durable records tell the simulated source: fills of the house's quotes, which mirror its book, and splits of stocks,
//! after which its prices are those of new shares.
//!
//! Owns: what the source has not heard yet. Never does: wait, decide.
//! Invariants: only durable facts come here. Known limits: when nobody drains it, the newest [`MOST_WAITING`] fills stay.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xng_core::ids::MarketId;
use xng_core::money::Amount;
use xng_core::record::Fact;
use xng_core::spot::Side;
use xng_core::spot::facts::OrderPlaced;
use xng_core::stock::ActionKind;
use xng_core::stock::facts::{ActionSet, StockFact};

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

/// What waits for the source, each oldest first.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Fills of the house's quotes.
    pub taken: VecDeque<TakenQuote>,
    /// Splits that came into force.
    pub splits: Vec<ActionSet>,
}

/// The way from the market view to the source; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Feedback(Arc<Mutex<Waiting>>);

impl Feedback {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of a durable fact.
    pub fn follow(&self, fact: &Fact) {
        if let Fact::Spot(fact) = fact {
            fact.placed().into_iter().for_each(|placed| self.placed(placed));
        } else if let Fact::Stock(StockFact::ActionSet(f)) = fact
            && let ActionKind::Split { .. } = f.action.kind
        {
            self.lock().splits.push(f.as_ref().clone());
        }
    }

    fn placed(&self, f: &OrderPlaced) {
        let mut waiting = None;
        for trade in f.trades.iter().filter(|t| t.maker_quote) {
            let taken = &mut waiting.get_or_insert_with(|| self.lock()).taken;
            if taken.len() >= MOST_WAITING {
                taken.pop_front();
            }
            taken.push_back(TakenQuote {
                market: f.units.market,
                side: f.side.opposite(),
                price: f.units.price(trade.ticks),
                quantity: f.units.base_amount(trade.lots),
            });
        }
    }

    /// Takes all that waits.
    #[must_use]
    pub fn drain(&self) -> Waiting {
        std::mem::take(&mut *self.lock())
    }
}
