//! Names of public streams: Binance's, and the app's own `!status@arr` and `!contract@arr`.
//!
//! Owns: the names. Never does: subscribe. Invariants: a name that parses names back to itself. Known limits: only
//! streams that the view makes.

use crate::common::time::Ms;
use crate::market::catalog::Catalog;
use crate::market::interval::{Interval, Zone};
use crate::observe::metrics::sockets::Channel;
use xng_core::ids::MarketId;

/// How often a depth stream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Speed {
    /// Every 100 ms.
    Fast,
    /// Every second.
    Slow,
    /// Every second, and its name says so.
    Second,
    /// Of contracts: every half second.
    Half,
}

impl Speed {
    /// How names end.
    fn suffix(self) -> &'static str {
        match self {
            Speed::Fast => "@100ms",
            Speed::Slow => "",
            Speed::Second => "@1000ms",
            Speed::Half => "@500ms",
        }
    }

    fn split(kind: &str) -> (&str, Speed) {
        let ends = [Speed::Fast, Speed::Second].into_iter();
        let found = ends.filter_map(|speed| Some((kind.strip_suffix(speed.suffix())?, speed))).next();
        found.unwrap_or((kind, Speed::Slow))
    }
}

/// How long a rolling window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Window {
    H1,
    H4,
    D1,
}

impl Window {
    /// All of them.
    pub const ALL: [Window; 3] = [Window::H1, Window::H4, Window::D1];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Window::H1 => "1h",
            Window::H4 => "4h",
            Window::D1 => "1d",
        }
    }

    /// Its length.
    #[must_use]
    pub fn length(self) -> Ms {
        let hour = 3_600_000;
        match self {
            Window::H1 => hour,
            Window::H4 => 4 * hour,
            Window::D1 => 24 * hour,
        }
    }

    fn parse(name: &str) -> Option<Window> {
        Window::ALL.into_iter().find(|window| window.name() == name)
    }
}

/// What names of candles of UTC+8 end with.
const EAST8: &str = "@+08:00";

/// A public stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Stream {
    Depth(MarketId, Speed),
    /// The best n levels.
    Partial(MarketId, u8, Speed),
    Trade(MarketId),
    AggTrade(MarketId),
    Kline(MarketId, Interval, Zone),
    MiniTicker(MarketId),
    Ticker(MarketId),
    BookTicker(MarketId),
    /// A ticker over a rolling window.
    Rolling(MarketId, Window),
    AveragePrice(MarketId),
    AllMiniTickers,
    /// The convention has retired it; clients still name it.
    AllTickers,
    AllRolling(Window),
    /// State and price source of every market.
    Status,
    /// State, index and mark of every contract.
    Contracts,
    /// Candles of a contract, by its pair.
    ContinuousKline(MarketId, Interval),
    /// A contract's mark; every second, or every three.
    MarkPrice(MarketId, Pace),
    /// Marks of all contracts.
    AllMarkPrices(Pace),
    AllContractMiniTickers,
    AllContractTickers,
    AllContractBookTickers,
    /// What changes of contracts' terms and states.
    ContractInfo,
    /// Orders of liquidations in a contract.
    ForceOrder(MarketId),
    /// Orders of liquidations in all contracts.
    AllForceOrders,
}

/// How often marks are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pace {
    /// Every second.
    Second,
    /// Every three seconds.
    Slow,
}

impl Pace {
    fn suffix(self) -> &'static str {
        match self {
            Pace::Second => "@1s",
            Pace::Slow => "",
        }
    }

    fn parse(rest: &str) -> Option<Pace> {
        [Pace::Second, Pace::Slow].into_iter().find(|pace| pace.suffix() == rest)
    }
}

/// What the app's names of streams of contracts' books have behind the symbol.
const PERP: &str = "_perp@";

/// A name as programs read it.
#[must_use]
pub fn program_name(app_name: &str) -> std::borrow::Cow<'_, str> {
    match app_name.split_once(PERP) {
        Some((symbol, kind)) => format!("{symbol}@{kind}").into(),
        None => app_name.into(),
    }
}

/// What names of candles by pair have behind it.
const PERPETUAL: &str = "_perpetual";

impl Stream {
    /// The channel under which it is counted that its publications were joined; none where every frame counts.
    #[must_use]
    pub fn conflated_as(self) -> Option<Channel> {
        match self {
            Stream::Depth(..) => Some(Channel::Depth),
            Stream::Partial(..) => Some(Channel::Partial),
            Stream::Kline(..) | Stream::ContinuousKline(..) => Some(Channel::Kline),
            Stream::MiniTicker(_)
            | Stream::Ticker(_)
            | Stream::Rolling(..)
            | Stream::AveragePrice(_)
            | Stream::MarkPrice(..) => Some(Channel::Ticker),
            Stream::BookTicker(_) => Some(Channel::BookTicker),
            Stream::Trade(_)
            | Stream::AggTrade(_)
            | Stream::ForceOrder(_)
            | Stream::AllForceOrders
            | Stream::AllMiniTickers
            | Stream::AllTickers
            | Stream::AllRolling(_)
            | Stream::Status
            | Stream::Contracts
            | Stream::AllMarkPrices(_)
            | Stream::AllContractMiniTickers
            | Stream::AllContractTickers
            | Stream::AllContractBookTickers
            | Stream::ContractInfo => None,
        }
    }

    /// Reads the name of a stream of contracts; `None` for one that nothing is ever published on.
    #[must_use]
    pub fn parse_contract(name: &str, catalog: &Catalog) -> Option<Stream> {
        match name {
            "!miniTicker@arr" => return Some(Stream::AllContractMiniTickers),
            "!ticker@arr" => return Some(Stream::AllContractTickers),
            "!bookTicker" => return Some(Stream::AllContractBookTickers),
            "!contractInfo" => return Some(Stream::ContractInfo),
            "!forceOrder@arr" => return Some(Stream::AllForceOrders),
            _ => {}
        }
        if let Some(rest) = name.strip_prefix("!markPrice@arr") {
            return Pace::parse(rest).map(Stream::AllMarkPrices);
        }
        let (symbol, kind) = name.split_once('@')?;
        if symbol.bytes().any(|b| b.is_ascii_uppercase()) {
            return None;
        }
        if let Some(pair) = symbol.strip_suffix(PERPETUAL) {
            let interval = Interval::parse(kind.strip_prefix("continuousKline_")?)?;
            return Some(Stream::ContinuousKline(catalog.contract(pair)?, interval));
        }
        let contract = catalog.contract(symbol)?;
        if let Some(rest) = kind.strip_prefix("markPrice") {
            return Pace::parse(rest).map(|pace| Stream::MarkPrice(contract, pace));
        }
        if let Some(depth) = kind.strip_prefix("depth") {
            let (levels, speed) = match depth.strip_suffix("@250ms") {
                Some(levels) => (levels, Speed::Slow),
                None => match depth.strip_suffix(Speed::Half.suffix()) {
                    Some(levels) => (levels, Speed::Half),
                    None => Speed::split(depth),
                },
            };
            if speed == Speed::Second {
                return None;
            }
            return match levels {
                "" => Some(Stream::Depth(contract, speed)),
                "5" => Some(Stream::Partial(contract, 5, speed)),
                "10" => Some(Stream::Partial(contract, 10, speed)),
                "20" => Some(Stream::Partial(contract, 20, speed)),
                _ => None,
            };
        }
        if let Some(period) = kind.strip_prefix("kline_") {
            return Some(Stream::Kline(contract, Interval::parse(period)?, Zone::Utc));
        }
        Some(match kind {
            "trade" => Stream::Trade(contract),
            "aggTrade" => Stream::AggTrade(contract),
            "miniTicker" => Stream::MiniTicker(contract),
            "ticker" => Stream::Ticker(contract),
            "bookTicker" => Stream::BookTicker(contract),
            "forceOrder" => Stream::ForceOrder(contract),
            _ => return None,
        })
    }

    /// Reads a name as the app writes it: of contracts' books a symbol ends in `_perp`.
    #[must_use]
    pub fn parse_app(name: &str, catalog: &Catalog) -> Option<Stream> {
        match name.split_once(PERP) {
            Some((symbol, kind)) => Stream::parse_contract(&format!("{symbol}@{kind}"), catalog),
            None => Stream::parse(name, catalog),
        }
    }

    /// Its name in the app, which knows a pair's market and its contract by one symbol otherwise.
    #[must_use]
    pub fn app_name(&self, catalog: &Catalog) -> String {
        let name = self.name(catalog);
        let is_contract = self.market().is_some_and(|market| !catalog.markets.contains_key(&market));
        if is_contract { name.replacen('@', PERP, 1) } else { name }
    }

    /// Reads a name; `None` for one that nothing is ever published on.
    #[must_use]
    pub fn parse(name: &str, catalog: &Catalog) -> Option<Stream> {
        match name {
            "!miniTicker@arr" => return Some(Stream::AllMiniTickers),
            "!ticker@arr" => return Some(Stream::AllTickers),
            "!status@arr" => return Some(Stream::Status),
            "!contract@arr" => return Some(Stream::Contracts),
            _ => {}
        }
        if let Some(window) = name.strip_prefix("!ticker_").and_then(|rest| rest.strip_suffix("@arr")) {
            return Window::parse(window).map(Stream::AllRolling);
        }
        let (symbol, kind) = name.split_once('@')?;
        if symbol.bytes().any(|b| b.is_ascii_uppercase() || b == b'/') {
            return None;
        }
        let market = catalog.by_symbol(symbol)?.params.market;
        if let Some(depth) = kind.strip_prefix("depth") {
            let (levels, speed) = Speed::split(depth);
            return match levels {
                "" => Some(Stream::Depth(market, speed)),
                "5" => Some(Stream::Partial(market, 5, speed)),
                "10" => Some(Stream::Partial(market, 10, speed)),
                "20" => Some(Stream::Partial(market, 20, speed)),
                _ => None,
            };
        }
        if let Some(window) = kind.strip_prefix("ticker_") {
            return Window::parse(window).map(|window| Stream::Rolling(market, window));
        }
        if let Some(period) = kind.strip_prefix("kline_") {
            let east = period.strip_suffix(EAST8);
            let zone = if east.is_some() { Zone::East8 } else { Zone::Utc };
            return Some(Stream::Kline(market, Interval::parse(east.unwrap_or(period))?, zone));
        }
        Some(match kind {
            "trade" => Stream::Trade(market),
            "aggTrade" => Stream::AggTrade(market),
            "miniTicker" => Stream::MiniTicker(market),
            "ticker" => Stream::Ticker(market),
            "bookTicker" => Stream::BookTicker(market),
            "avgPrice" => Stream::AveragePrice(market),
            _ => return None,
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
            | Stream::Kline(m, _, _)
            | Stream::MiniTicker(m)
            | Stream::Ticker(m)
            | Stream::Rolling(m, _)
            | Stream::AveragePrice(m)
            | Stream::ContinuousKline(m, _)
            | Stream::MarkPrice(m, _)
            | Stream::ForceOrder(m)
            | Stream::BookTicker(m) => Some(*m),
            Stream::AllForceOrders
            | Stream::AllMiniTickers
            | Stream::AllTickers
            | Stream::AllRolling(_)
            | Stream::Status
            | Stream::Contracts
            | Stream::AllMarkPrices(_)
            | Stream::AllContractMiniTickers
            | Stream::AllContractTickers
            | Stream::AllContractBookTickers
            | Stream::ContractInfo => None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self, catalog: &Catalog) -> String {
        let symbol = self.market().and_then(|m| catalog.symbol(m)).map(str::to_ascii_lowercase).unwrap_or_default();
        match self {
            Stream::Depth(_, speed) => format!("{symbol}@depth{}", speed.suffix()),
            Stream::Partial(_, n, speed) => format!("{symbol}@depth{n}{}", speed.suffix()),
            Stream::Trade(_) => format!("{symbol}@trade"),
            Stream::AggTrade(_) => format!("{symbol}@aggTrade"),
            Stream::Kline(_, interval, Zone::Utc) => format!("{symbol}@kline_{}", interval.name()),
            Stream::Kline(_, interval, Zone::East8) => format!("{symbol}@kline_{}{EAST8}", interval.name()),
            Stream::MiniTicker(_) => format!("{symbol}@miniTicker"),
            Stream::Ticker(_) => format!("{symbol}@ticker"),
            Stream::BookTicker(_) => format!("{symbol}@bookTicker"),
            Stream::Rolling(_, window) => format!("{symbol}@ticker_{}", window.name()),
            Stream::AveragePrice(_) => format!("{symbol}@avgPrice"),
            Stream::AllRolling(window) => format!("!ticker_{}@arr", window.name()),
            Stream::AllMiniTickers => "!miniTicker@arr".into(),
            Stream::AllTickers => "!ticker@arr".into(),
            Stream::Status => "!status@arr".into(),
            Stream::Contracts => "!contract@arr".into(),
            Stream::ContinuousKline(_, interval) => format!("{symbol}{PERPETUAL}@continuousKline_{}", interval.name()),
            Stream::MarkPrice(_, pace) => format!("{symbol}@markPrice{}", pace.suffix()),
            Stream::AllMarkPrices(pace) => format!("!markPrice@arr{}", pace.suffix()),
            Stream::AllContractMiniTickers => "!miniTicker@arr".into(),
            Stream::AllContractTickers => "!ticker@arr".into(),
            Stream::AllContractBookTickers => "!bookTicker".into(),
            Stream::ContractInfo => "!contractInfo".into(),
            Stream::ForceOrder(_) => format!("{symbol}@forceOrder"),
            Stream::AllForceOrders => "!forceOrder@arr".into(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::market::catalog::Seeds;
    use std::path::Path;

    /// With one market, BTCUSDT.
    pub(in crate::api::ws) fn catalog() -> Catalog {
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        let params = seeds.params(&seeds.market[0]).unwrap();
        let mut catalog = Catalog::default();
        catalog.insert_market(&params, &seeds);
        catalog.contracts.insert(MarketId(512), "BTCUSDT".to_owned());
        catalog
    }

    #[test]
    fn every_stream_of_contracts_is_read_back_from_its_name() {
        let catalog = catalog();
        for name in [
            "btcusdt@depth",
            "btcusdt@depth@100ms",
            "btcusdt@depth@500ms",
            "btcusdt@depth5",
            "btcusdt@depth20@500ms",
            "btcusdt@trade",
            "btcusdt@aggTrade",
            "btcusdt@kline_1m",
            "btcusdt_perpetual@continuousKline_1m",
            "btcusdt@markPrice",
            "btcusdt@markPrice@1s",
            "btcusdt@ticker",
            "btcusdt@miniTicker",
            "btcusdt@bookTicker",
            "!markPrice@arr",
            "!markPrice@arr@1s",
            "!miniTicker@arr",
            "!ticker@arr",
            "!bookTicker",
            "!contractInfo",
            "btcusdt@forceOrder",
            "!forceOrder@arr",
        ] {
            let stream = Stream::parse_contract(name, &catalog).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(stream.name(&catalog), name);
            assert_ne!(Some(stream), Stream::parse(name, &catalog), "{name}: it is another one of spot");
        }
        for none in ["btcusdt@depth@1000ms", "btcusdt@avgPrice", "btcusdt@ticker_1h", "btcusdt@markPrice@2s", "0"] {
            assert_eq!(Stream::parse_contract(none, &catalog), None, "{none}");
        }
    }

    #[test]
    fn every_stream_is_read_back_from_its_name() {
        let catalog = catalog();
        for name in [
            "btcusdt@depth",
            "btcusdt@depth@100ms",
            "btcusdt@depth@1000ms",
            "btcusdt@depth5",
            "btcusdt@depth10@100ms",
            "btcusdt@depth20@1000ms",
            "btcusdt@trade",
            "btcusdt@aggTrade",
            "btcusdt@kline_1s",
            "btcusdt@kline_1M",
            "btcusdt@kline_1d@+08:00",
            "btcusdt@miniTicker",
            "btcusdt@ticker",
            "btcusdt@ticker_4h",
            "btcusdt@avgPrice",
            "btcusdt@bookTicker",
            "!miniTicker@arr",
            "!ticker@arr",
            "!ticker_1h@arr",
            "!ticker_1d@arr",
            "!status@arr",
            "!contract@arr",
        ] {
            let stream = Stream::parse(name, &catalog).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(stream.name(&catalog), name);
        }
        for none in
            ["BTCUSDT@trade", "btcusdt@depth7", "btcusdt@depth@50ms", "btcusdt@trade@100ms", "btcusdt@ticker_2h", "0"]
        {
            assert_eq!(Stream::parse(none, &catalog), None, "{none}");
        }
    }
}
