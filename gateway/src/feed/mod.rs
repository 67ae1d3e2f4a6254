//! Reference feeds: what a venue, a recording or the simulator says about a pair. What the exchange makes of it (index,
//! house quotes, tape) is in [`crate::market_maker`].
//!
//! Owns: the events that all sources speak in. Never does: decide anything, touch users' orders.
//! Invariants: levels carry absolute quantities; after [`FeedEvent::Lost`] nothing holds until the next whole book.
//! Known limits: one source per pair.

pub mod bars;
pub mod book;
pub mod feedback;
pub mod inbox;
pub mod klines;
pub mod live;
pub mod recorded;
pub mod replay;
pub mod simulator;
pub mod sources;
pub mod splits;
pub mod start;
pub mod sync;
pub mod venue;

use crate::common::time::Ms;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// A price level: price in quote for one base, quantity in base (0: gone).
pub type Level = (Amount, Amount);

/// What a source says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedEvent {
    /// The whole book is this.
    Book {
        /// Which pair.
        market: MarketId,
        /// Bids.
        bids: Vec<Level>,
        /// Asks.
        asks: Vec<Level>,
    },
    /// These levels are these now.
    Levels {
        /// Which pair.
        market: MarketId,
        /// Bids.
        bids: Vec<Level>,
        /// Asks.
        asks: Vec<Level>,
    },
    /// The source's own price of the pair, where it is not the middle of its book.
    Price {
        /// Which pair.
        market: MarketId,
        /// Price.
        price: Amount,
    },
    /// A trade at the source.
    Trade {
        /// Which pair.
        market: MarketId,
        /// Price.
        price: Amount,
        /// Quantity.
        quantity: Amount,
        /// When, by the clock of this process (recordings are shifted).
        time_ms: Ms,
        /// The buyer's order rested.
        buyer_is_maker: bool,
    },
    /// The source lost the pair: what it said before no longer holds.
    Lost(MarketId),
}

impl FeedEvent {
    /// Which pair it is about.
    #[must_use]
    pub fn market(&self) -> MarketId {
        match self {
            FeedEvent::Book { market, .. }
            | FeedEvent::Levels { market, .. }
            | FeedEvent::Price { market, .. }
            | FeedEvent::Trade { market, .. }
            | FeedEvent::Lost(market) => *market,
        }
    }
}

/// The latest mids of one source, for another that prices its pairs by them.
#[derive(Debug, Clone, Default)]
pub struct Mids(Arc<RwLock<BTreeMap<MarketId, Amount>>>);

impl Mids {
    /// Tells a pair's mid; one that is unknown now leaves the one before.
    pub fn set(&self, market: MarketId, mid: Option<Amount>) {
        if let Some(mid) = mid {
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(market, mid);
        }
    }

    /// A pair's latest mid.
    #[must_use]
    pub fn get(&self, market: MarketId) -> Option<Amount> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&market).copied()
    }
}
