//! Names of public streams: Binance's, and the app's own `!status@arr`.
//!
//! Owns: the names. Never does: subscribe. Invariants: a name that parses names back to itself. Known limits: only
//! streams that the view makes.

use crate::catalog::Catalog;
use crate::market::interval::Interval;
use xng_core::ids::MarketId;

/// How often a depth stream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Speed {
    /// Every 100 ms.
    Fast,
    /// Every second.
    Slow,
}

/// A public stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Stream {
    Depth(MarketId, Speed),
    /// The best n levels.
    Partial(MarketId, u8, Speed),
    Trade(MarketId),
    AggTrade(MarketId),
    Kline(MarketId, Interval),
    MiniTicker(MarketId),
    Ticker(MarketId),
    BookTicker(MarketId),
    AllMiniTickers,
    /// State and price source of every market.
    Status,
}

impl Stream {
    /// Reads a name; `None` for one that nothing is ever published on.
    #[must_use]
    pub fn parse(name: &str, catalog: &Catalog) -> Option<Stream> {
        match name {
            "!miniTicker@arr" => return Some(Stream::AllMiniTickers),
            "!status@arr" => return Some(Stream::Status),
            _ => {}
        }
        let (symbol, kind) = name.split_once('@')?;
        if symbol.bytes().any(|b| b.is_ascii_uppercase() || b == b'/') {
            return None;
        }
        let market = catalog.by_symbol(symbol)?.params.market;
        let (kind, speed) = match kind.strip_suffix("@100ms") {
            Some(kind) => (kind, Speed::Fast),
            None => (kind.strip_suffix("@1000ms").unwrap_or(kind), Speed::Slow),
        };
        Some(match kind {
            "depth" => Stream::Depth(market, speed),
            "depth5" => Stream::Partial(market, 5, speed),
            "depth10" => Stream::Partial(market, 10, speed),
            "depth20" => Stream::Partial(market, 20, speed),
            "trade" => Stream::Trade(market),
            "aggTrade" => Stream::AggTrade(market),
            "miniTicker" => Stream::MiniTicker(market),
            "ticker" => Stream::Ticker(market),
            "bookTicker" => Stream::BookTicker(market),
            other => Stream::Kline(market, Interval::parse(other.strip_prefix("kline_")?)?),
        })
    }

    /// The market that it is about.
    #[must_use]
    pub fn market(&self) -> Option<MarketId> {
        match self {
            Stream::Depth(m, _)
            | Stream::Partial(m, _, _)
            | Stream::Trade(m)
            | Stream::AggTrade(m)
            | Stream::Kline(m, _)
            | Stream::MiniTicker(m)
            | Stream::Ticker(m)
            | Stream::BookTicker(m) => Some(*m),
            Stream::AllMiniTickers | Stream::Status => None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self, catalog: &Catalog) -> String {
        let symbol = self.market().and_then(|m| catalog.markets.get(&m));
        let symbol = symbol.map(|m| m.params.symbol.to_ascii_lowercase()).unwrap_or_default();
        let suffix = |speed: &Speed| match speed {
            Speed::Fast => "@100ms",
            Speed::Slow => "",
        };
        match self {
            Stream::Depth(_, speed) => format!("{symbol}@depth{}", suffix(speed)),
            Stream::Partial(_, n, speed) => format!("{symbol}@depth{n}{}", suffix(speed)),
            Stream::Trade(_) => format!("{symbol}@trade"),
            Stream::AggTrade(_) => format!("{symbol}@aggTrade"),
            Stream::Kline(_, interval) => format!("{symbol}@kline_{}", interval.name()),
            Stream::MiniTicker(_) => format!("{symbol}@miniTicker"),
            Stream::Ticker(_) => format!("{symbol}@ticker"),
            Stream::BookTicker(_) => format!("{symbol}@bookTicker"),
            Stream::AllMiniTickers => "!miniTicker@arr".into(),
            Stream::Status => "!status@arr".into(),
        }
    }
}
