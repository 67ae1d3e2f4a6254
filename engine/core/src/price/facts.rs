//! Facts of price symbols.
//!
//! Owns: their forms. Never does: judge a price; `mod.rs` does. Invariants: what a tick was made of is in it. Known
//! limits: none.

use crate::ids::{EntityId, MarketId, PriceId};
use crate::money::Amount;
use crate::record::{FactBody, Role};

crate::wire_struct! {
    /// A price symbol exists; these markets hear its ticks.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PriceListed {
        /// Which symbol.
        pub price: PriceId,
        /// Its name, as in `BTCUSDT`.
        pub symbol: String,
        /// Who hears its ticks.
        pub markets: Vec<MarketId>,
    }
}

crate::wire_struct! {
    /// A source and its price in 1e-8 of the quote for one base.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SourcePrice {
        /// Number of the source.
        pub source: u8,
        /// Its price.
        pub price: Amount,
    }
}

crate::wire_enum! {
    /// What became of a source's word.
    pub enum PriceKind {
        /// A tick of the index.
        Index = 1,
        /// A jump that waits for confirmation; the index stays.
        Suspect = 2,
    }
}

crate::wire_struct! {
    /// A source spoke and this is the index now.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PriceTicked {
        /// Which symbol.
        pub price: PriceId,
        /// Whether it moved the index.
        pub kind: PriceKind,
        /// Number in the log, from 1; an unconfirmed jump takes none.
        pub seq: u64,
        /// Median of the fresh sources.
        pub index: Amount,
        /// The word that caused it.
        pub said: SourcePrice,
        /// All sources that counted, by number.
        pub sources: Vec<SourcePrice>,
        /// Markets that are told.
        pub markets: Vec<MarketId>,
    }
}

impl FactBody for PriceListed {}

impl FactBody for PriceTicked {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        self.markets.iter().for_each(|market| tell(EntityId::Market(*market), Role::Other));
    }
}

crate::record::product_facts! {
    /// Facts of prices.
    Price(PriceFact) {
        /// A price symbol exists.
        PriceListed = 30 v 1,
        /// An index tick.
        PriceTicked = 31 v 1,
    }
}
