//! A venue in Binance's format: its addresses, what it answers and what its streams say.
//!
//! Rules: `docs/rules/prices.md "Sources"`. Owns: two addresses. Never does: keep state, retry.
//! Invariants: a number that is no plain decimal of at most eight places, or below zero, is refused with its message.
//! Known limits: certificates are checked against the roots compiled in, not the system's.

use super::Level;
use super::sync::Update;
use crate::common::decimal::amount;
use crate::common::time::Ms;
use crate::market::candles::Candle;
use crate::market::interval::Interval;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;
use thiserror::Error;
use xng_core::money::Amount;

/// A REST call that takes longer has failed.
const REST_WITHIN: Duration = Duration::from_secs(10);
/// Levels of a snapshot; more cost five times the weight.
const SNAPSHOT_LEVELS: u32 = 1_000;
/// Candles that one call gives at most.
const CANDLES: u32 = 1_000;

/// Why a venue cannot be followed right now.
#[derive(Debug, Error)]
pub enum VenueError {
    /// `feed.source` is no `ws://` or `wss://` address.
    #[error("{0:?} does not begin with ws:// or wss://")]
    Address(String),
    /// A REST call.
    #[error("{path}: {error}")]
    Rest {
        /// Which call.
        path: String,
        /// Why.
        error: Box<ureq::Error>,
    },
    /// The socket.
    #[error("socket: {0}")]
    Socket(#[from] Box<tokio_tungstenite::tungstenite::Error>),
    /// A message or answer that is not in the format.
    #[error("not understood: {0}")]
    Message(String),
    /// The venue closed the socket, as it does once a day.
    #[error("the venue closed the socket")]
    Closed,
    /// Nothing was heard for too long, not even an answer to a ping.
    #[error("the venue is silent")]
    Silent,
}

/// Addresses of a venue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Venue {
    socket: String,
    rest: String,
}

#[derive(Deserialize)]
struct Symbol {
    symbol: String,
}

#[derive(Deserialize)]
struct ExchangeInfo {
    symbols: Vec<Symbol>,
}

/// Price and quantity as texts.
type Row<'a> = (Cow<'a, str>, Cow<'a, str>);

#[derive(Deserialize)]
struct Depth<'a> {
    #[serde(rename = "lastUpdateId")]
    last: u64,
    #[serde(borrow)]
    bids: Vec<Row<'a>>,
    #[serde(borrow)]
    asks: Vec<Row<'a>>,
}

/// Open time, open, high, low, close, volume, close time, turnover, trades, base and quote of taker buys, unused.
type Kline<'a> = (
    Ms,
    Cow<'a, str>,
    Cow<'a, str>,
    Cow<'a, str>,
    Cow<'a, str>,
    Cow<'a, str>,
    Ms,
    Cow<'a, str>,
    u64,
    Cow<'a, str>,
    Cow<'a, str>,
    IgnoredAny,
);

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    data: Event<'a>,
}

#[derive(Deserialize)]
#[serde(tag = "e")]
enum Event<'a> {
    #[serde(rename = "depthUpdate")]
    Depth {
        s: Cow<'a, str>,
        #[serde(rename = "U")]
        first: u64,
        #[serde(rename = "u")]
        last: u64,
        b: Vec<Row<'a>>,
        a: Vec<Row<'a>>,
    },
    #[serde(rename = "trade")]
    Trade {
        s: Cow<'a, str>,
        p: Cow<'a, str>,
        q: Cow<'a, str>,
        #[serde(rename = "T")]
        time: Ms,
        m: bool,
    },
    #[serde(other)]
    Other,
}

/// A book at an update id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// `lastUpdateId`.
    pub id: u64,
    /// Bids.
    pub bids: Vec<Level>,
    /// Asks.
    pub asks: Vec<Level>,
}

/// What a stream says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// Levels of a symbol changed.
    Depth(String, Update),
    /// A trade: symbol, price, quantity, time, whether the buyer's order rested.
    Trade(String, Amount, Amount, Ms, bool),
    /// Something that is not followed.
    Other,
}

fn number(text: &str) -> Result<Amount, VenueError> {
    let value = amount(text).ok().filter(|a| *a >= Amount::ZERO);
    value.ok_or_else(|| VenueError::Message(format!("{text:?} is no price or quantity")))
}

fn levels(rows: &[Row<'_>]) -> Result<Vec<Level>, VenueError> {
    rows.iter().map(|(price, quantity)| Ok((number(price)?, number(quantity)?))).collect()
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, VenueError> {
    serde_json::from_str(text).map_err(|error| VenueError::Message(error.to_string()))
}

impl Venue {
    /// Where its calls are answered.
    #[must_use]
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// From the socket's address (`wss://host:port`) and, where it is another, the REST address (`https://host`).
    pub fn new(socket: &str, rest: &str) -> Result<Venue, VenueError> {
        let socket = socket.trim_end_matches('/');
        let same = match socket.split_once("://") {
            Some(("ws", host)) => format!("http://{host}"),
            Some(("wss", host)) => format!("https://{host}"),
            _ => return Err(VenueError::Address(socket.to_owned())),
        };
        let rest = if rest.is_empty() { same } else { rest.trim_end_matches('/').to_owned() };
        Ok(Venue { socket: socket.to_owned(), rest })
    }

    /// The address of combined depth and trade streams.
    #[must_use]
    pub fn streams(&self, symbols: &[String]) -> String {
        let names = symbols.iter().map(|s| s.to_ascii_lowercase());
        let streams: Vec<String> = names.map(|s| format!("{s}@depth@100ms/{s}@trade")).collect();
        format!("{}/stream?streams={}", self.socket, streams.join("/"))
    }

    fn get(&self, path: &str) -> Result<String, VenueError> {
        let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(REST_WITHIN)).build().into();
        let fail = |error| VenueError::Rest { path: path.to_owned(), error: Box::new(error) };
        let answer = agent.get(format!("{}{path}", self.rest)).call().map_err(fail)?;
        answer.into_body().with_config().limit(64 << 20).read_to_string().map_err(fail)
    }

    /// Symbols that the venue lists. Waits for the answer.
    pub fn symbols(&self) -> Result<BTreeSet<String>, VenueError> {
        let text = self.get("/api/v3/exchangeInfo")?;
        let info: ExchangeInfo = parse(&text)?;
        // Whatever their state: a market that is closed now may open again.
        Ok(info.symbols.into_iter().map(|s| s.symbol).collect())
    }

    /// A symbol's book. Waits for the answer.
    pub fn snapshot(&self, symbol: &str) -> Result<Snapshot, VenueError> {
        let text = self.get(&format!("/api/v3/depth?symbol={symbol}&limit={SNAPSHOT_LEVELS}"))?;
        let depth: Depth<'_> = parse(&text)?;
        Ok(Snapshot { id: depth.last, bids: levels(&depth.bids)?, asks: levels(&depth.asks)? })
    }
}

impl Venue {
    /// A symbol's latest candles, oldest first; their trades have no ids of ours. Waits for the answer.
    pub fn candles(&self, symbol: &str, interval: Interval) -> Result<Vec<Candle>, VenueError> {
        let name = interval.name();
        let text = self.get(&format!("/api/v3/klines?symbol={symbol}&interval={name}&limit={CANDLES}"))?;
        let rows: Vec<Kline<'_>> = parse(&text)?;
        let candle = |k: &Kline<'_>| -> Result<Candle, VenueError> {
            Ok(Candle {
                high: number(&k.2)?,
                low: number(&k.3)?,
                close: number(&k.4)?,
                volume: number(&k.5)?,
                turnover: number(&k.7)?,
                trades: k.8,
                taker_base: number(&k.9)?,
                taker_quote: number(&k.10)?,
                ..Candle::flat(k.0, number(&k.1)?)
            })
        };
        rows.iter().map(candle).collect()
    }
}

/// Reads one text frame of a combined stream.
pub fn read(text: &str) -> Result<Heard, VenueError> {
    let frame: Frame<'_> = parse(text)?;
    Ok(match frame.data {
        Event::Depth { s, first, last, b, a } => {
            Heard::Depth(s.into_owned(), Update { first, last, bids: levels(&b)?, asks: levels(&a)? })
        }
        Event::Trade { s, p, q, time, m } => Heard::Trade(s.into_owned(), number(&p)?, number(&q)?, time, m),
        Event::Other => Heard::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_depth_and_trade_are_read_and_others_passed_over() {
        let text = r#"{"stream":"btcusdt@depth@100ms","data":{"e":"depthUpdate","E":1,"s":"BTCUSDT","U":5,"u":7,"b":[["1.50","2"]],"a":[["2.00","0.000"]]}}"#;
        let level = |p, q| (Amount(p), Amount(q));
        let update = Update {
            first: 5,
            last: 7,
            bids: vec![level(150_000_000, 200_000_000)],
            asks: vec![level(200_000_000, 0)],
        };
        assert_eq!(read(text).unwrap(), Heard::Depth("BTCUSDT".into(), update));
        let text =
            r#"{"stream":"x","data":{"e":"trade","E":1,"s":"BTCUSDT","t":9,"p":"3","q":"4","T":17,"m":true,"M":true}}"#;
        let trade = Heard::Trade("BTCUSDT".into(), Amount::whole(3), Amount::whole(4), 17, true);
        assert_eq!(read(text).unwrap(), trade);
        assert_eq!(read(r#"{"stream":"x","data":{"e":"serverShutdown","E":1}}"#).unwrap(), Heard::Other);
        for bad in ["{", "{}", &text.replace("\"3\"", "\"-3\""), &text.replace("\"3\"", "\"1e3\"")] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rest_lives_at_the_sockets_host_unless_told_otherwise() {
        let venue = Venue::new("wss://stream.example:9443/", "").unwrap();
        assert_eq!(venue.rest, "https://stream.example:9443");
        assert_eq!(
            venue.streams(&["ETHBTC".into()]),
            "wss://stream.example:9443/stream?streams=ethbtc@depth@100ms/ethbtc@trade"
        );
        assert_eq!(Venue::new("ws://a", "http://b/").unwrap().rest, "http://b");
        assert!(Venue::new("https://a", "").is_err());
    }
}
