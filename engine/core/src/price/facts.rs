//! Facts of price symbols.
//!
//! Owns: their forms. Never does: judge a price; `mod.rs` does. Invariants: what a tick was made of is in it. Known
//! limits: none.
//!
//! Version 1 of both facts named markets only; any entity may hear ticks now.

use crate::ids::{EntityId, MarketId, PriceId};
use crate::money::Amount;
use crate::record::{FactBody, Role};

crate::wire_struct! {
    /// A price symbol exists; these entities hear its ticks.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PriceListed {
        /// Which symbol.
        pub price: PriceId,
        /// Its name, as in `BTCUSDT`.
        pub symbol: String,
        /// Who hears its ticks.
        pub hearers: Vec<EntityId>,
    }
}

crate::wire_struct! {
    /// [`PriceListed`] as version 1 had it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PriceListedV1 {
        /// Which symbol.
        pub price: PriceId,
        /// Its name.
        pub symbol: String,
        /// Which markets hear its ticks.
        pub markets: Vec<MarketId>,
    }
}

impl From<PriceListedV1> for PriceListed {
    fn from(old: PriceListedV1) -> Self {
        Self { price: old.price, symbol: old.symbol, hearers: as_hearers(&old.markets) }
    }
}

fn as_hearers(markets: &[MarketId]) -> Vec<EntityId> {
    markets.iter().copied().map(EntityId::Market).collect()
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
        /// Who is told; of a jump that waits only contracts.
        pub hearers: Vec<EntityId>,
    }
}

crate::wire_struct! {
    /// [`PriceTicked`] as version 1 had it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PriceTickedV1 {
        /// Which symbol.
        pub price: PriceId,
        /// Whether it moved the index.
        pub kind: PriceKind,
        /// Number in the log.
        pub seq: u64,
        /// Median of the fresh sources.
        pub index: Amount,
        /// The word that caused it.
        pub said: SourcePrice,
        /// All sources that counted.
        pub sources: Vec<SourcePrice>,
        /// Markets that are told.
        pub markets: Vec<MarketId>,
    }
}

impl From<PriceTickedV1> for PriceTicked {
    fn from(old: PriceTickedV1) -> Self {
        let PriceTickedV1 { price, kind, seq, index, said, sources, markets } = old;
        Self { price, kind, seq, index, said, sources, hearers: as_hearers(&markets) }
    }
}

impl PriceListed {
    /// The spot markets among those who hear it.
    pub fn markets(&self) -> impl Iterator<Item = MarketId> + '_ {
        markets(&self.hearers)
    }
}

impl PriceTicked {
    /// The spot markets among those who are told.
    pub fn markets(&self) -> impl Iterator<Item = MarketId> + '_ {
        markets(&self.hearers)
    }
}

fn markets(hearers: &[EntityId]) -> impl Iterator<Item = MarketId> + '_ {
    hearers.iter().filter_map(|hearer| if let EntityId::Market(market) = hearer { Some(*market) } else { None })
}

impl FactBody for PriceListed {}

impl FactBody for PriceTicked {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        self.hearers.iter().for_each(|hearer| tell(*hearer, Role::Other));
    }
}

crate::record::product_facts! {
    /// Facts of prices.
    Price(PriceFact) {
        /// A price symbol exists.
        PriceListed = 30 v 2 (1: PriceListedV1),
        /// An index tick.
        PriceTicked = 31 v 2 (1: PriceTickedV1),
    }
}
