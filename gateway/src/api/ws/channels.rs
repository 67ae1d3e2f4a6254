//! The table of programs' streams: names, speeds and fields of payloads (`docs/rules/realtime.md "Public streams"`).
//!
//! Owns: what is told of streams to those who write programs. Never does: publish. Invariants: every name of the table is
//! read by [`super::stream`], and every frame has exactly the fields that are told here. Known limits: the app's own
//! `!status@arr` and `!contract@arr` are not for programs.

use crate::market::interval::Interval;

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum FieldType {
    /// A decimal as text.
    Decimal,
    /// Milliseconds since the epoch, microseconds for who asks for them.
    Time,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
    /// Any text.
    Text,
    /// Levels of a side, best first: price and quantity.
    Levels,
    /// An object of its own.
    Object(&'static [Field]),
    /// A list of such objects.
    Objects(&'static [Field]),
}

/// A field: its name, what it holds and what it means.
pub(super) type Field = (&'static str, FieldType, &'static str);

/// A group of streams.
#[derive(Debug)]
pub(super) struct Channel {
    /// What it is called in the document.
    pub(super) id: &'static str,
    /// How names are made; what stands in braces is a parameter.
    pub(super) name: &'static str,
    /// How often it speaks, and of what.
    pub(super) summary: &'static str,
    /// Fields of an event.
    pub(super) fields: &'static [Field],
    /// A frame is a list of such events.
    pub(super) is_list: bool,
    /// Where its socket is opened.
    pub(super) path: &'static str,
}

/// The parameter that is a contract's symbol.
pub(super) const CONTRACT: &str = "contract";
/// A parameter of names, its values (none: the listed symbols) and what it means.
pub(super) const PARAMETERS: [(&str, &[&str], &str); 8] = [
    ("symbol", &[], "A symbol in small letters."),
    (CONTRACT, &[], "A contract's symbol in small letters."),
    ("pace", &["", "@1s"], "How often; every three seconds unless said."),
    ("contractSpeed", &["", "@100ms", "@500ms"], "How often; every 200 ms unless said."),
    ("interval", &Interval::NAMES, "A candle's period."),
    ("window", &["1h", "4h", "1d"], "A rolling window."),
    ("levels", &["5", "10", "20"], "Levels of a side."),
    ("speed", &["", "@100ms", "@1000ms"], "How often; once a second unless said."),
];

use FieldType::{Decimal, Flag, Integer, Levels, Object, Text, Time};

pub(super) const EVENT: Field = ("e", Text, "Kind of the event");
pub(super) const AT: Field = ("E", Time, "When it was told");
pub(super) const SYMBOL: Field = ("s", Text, "Symbol");
pub(super) const TRADED: Field = ("T", Time, "When it was traded");
pub(super) const BUYER_MADE: Field = ("m", Flag, "The buyer's order rested");
const ALWAYS: Field = ("M", Flag, "Always true");
pub(super) const PRICE: Field = ("p", Decimal, "Price");
pub(super) const QUANTITY: Field = ("q", Decimal, "Base amount");
pub(super) const OPEN: Field = ("o", Decimal, "First price");
pub(super) const CLOSE: Field = ("c", Decimal, "Last price");
pub(super) const HIGH: Field = ("h", Decimal, "Highest price");
pub(super) const LOW: Field = ("l", Decimal, "Lowest price");
pub(super) const BASE: Field = ("v", Decimal, "Base traded");
pub(super) const QUOTE: Field = ("q", Decimal, "Quote traded");
pub(super) const CHANGE: Field = ("p", Decimal, "Change of price");
pub(super) const PERCENT: Field = ("P", Decimal, "Change in percent");
pub(super) const AVERAGE: Field = ("w", Decimal, "Quote per base");
pub(super) const FROM: Field = ("O", Time, "Begin of the window");
pub(super) const TO: Field = ("C", Time, "End of the window");
pub(super) const FIRST: Field = ("F", Integer, "First trade, -1 without trades");
pub(super) const LAST: Field = ("L", Integer, "Last trade, -1 without trades");
pub(super) const COUNT: Field = ("n", Integer, "Trades");
pub(super) const BID: [Field; 2] = [("b", Decimal, "Best bid"), ("B", Decimal, "Its quantity")];
pub(super) const ASK: [Field; 2] = [("a", Decimal, "Best ask"), ("A", Decimal, "Its quantity")];

const TRADE: &[Field] = &[EVENT, AT, SYMBOL, ("t", Integer, "Trade"), PRICE, QUANTITY, TRADED, BUYER_MADE, ALWAYS];
const AGGREGATE: &[Field] = &[
    EVENT,
    AT,
    SYMBOL,
    ("a", Integer, "Aggregate: what one order took at one price"),
    PRICE,
    QUANTITY,
    ("f", Integer, "Its first trade"),
    ("l", Integer, "Its last trade"),
    TRADED,
    BUYER_MADE,
    ALWAYS,
];
pub(super) const CANDLE: &[Field] = &[
    ("t", Time, "Begin"),
    ("T", Time, "Last moment"),
    SYMBOL,
    ("i", Text, "Period"),
    ("f", Integer, "First trade, -1 without trades"),
    LAST,
    OPEN,
    CLOSE,
    HIGH,
    LOW,
    BASE,
    COUNT,
    ("x", Flag, "It is over and does not change any more"),
    QUOTE,
    ("V", Decimal, "Base bought by takers"),
    ("Q", Decimal, "Quote spent by takers that bought"),
    ("B", Text, "Always 0"),
];
pub(super) const KLINE: &[Field] = &[EVENT, AT, SYMBOL, ("k", Object(CANDLE), "The candle")];
pub(super) const MINI: &[Field] = &[EVENT, AT, SYMBOL, CLOSE, OPEN, HIGH, LOW, BASE, QUOTE];
const TICKER: &[Field] = &[
    EVENT,
    AT,
    SYMBOL,
    CHANGE,
    PERCENT,
    AVERAGE,
    ("x", Decimal, "Price before the window"),
    CLOSE,
    ("Q", Decimal, "Base amount of the last trade"),
    BID[0],
    BID[1],
    ASK[0],
    ASK[1],
    OPEN,
    HIGH,
    LOW,
    BASE,
    QUOTE,
    FROM,
    TO,
    FIRST,
    LAST,
    COUNT,
];
const ROLLING: &[Field] =
    &[EVENT, AT, SYMBOL, CHANGE, PERCENT, OPEN, HIGH, LOW, CLOSE, AVERAGE, BASE, QUOTE, FROM, TO, FIRST, LAST, COUNT];
const BEST: &[Field] = &[("u", Integer, "Update of the book"), SYMBOL, BID[0], BID[1], ASK[0], ASK[1]];
const AVERAGE_PRICE: &[Field] =
    &[EVENT, AT, SYMBOL, ("i", Text, "Over how long"), AVERAGE, ("T", Time, "When the last trade was")];
const PARTIAL: &[Field] =
    &[("lastUpdateId", Integer, "Update of the book"), ("bids", Levels, "Best bids"), ("asks", Levels, "Best asks")];
const DIFF: &[Field] = &[
    EVENT,
    AT,
    SYMBOL,
    ("U", Integer, "First update in it"),
    ("u", Integer, "Last update in it"),
    ("b", Levels, "Bids that changed, with their new quantities; zero: gone"),
    ("a", Levels, "Asks that changed, with their new quantities; zero: gone"),
];

const fn one(id: &'static str, name: &'static str, summary: &'static str, fields: &'static [Field]) -> Channel {
    Channel { id, name, summary, fields, is_list: false, path: "/ws" }
}

const fn list(id: &'static str, name: &'static str, summary: &'static str, fields: &'static [Field]) -> Channel {
    Channel { id, name, summary, fields, is_list: true, path: "/ws" }
}

/// All of them.
pub(super) const CHANNELS: [Channel; 14] = [
    one("trade", "{symbol}@trade", "Every trade, at once.", TRADE),
    one("aggTrade", "{symbol}@aggTrade", "What one order took at one price, at once.", AGGREGATE),
    one(
        "kline",
        "{symbol}@kline_{interval}",
        "The current candle, once a second, and the last word of one that ended.",
        KLINE,
    ),
    one("klineEast8", "{symbol}@kline_{interval}@+08:00", "The same where days begin at midnight of UTC+8.", KLINE),
    one("miniTicker", "{symbol}@miniTicker", "24 hours in short, once a second when something was traded.", MINI),
    list("allMiniTickers", "!miniTicker@arr", "The same of every market that traded.", MINI),
    one("ticker", "{symbol}@ticker", "24 hours, once a second when something was traded.", TICKER),
    list("allTickers", "!ticker@arr", "The same of every market that traded.", TICKER),
    one("rolling", "{symbol}@ticker_{window}", "A window, once a second when something was traded.", ROLLING),
    list("allRolling", "!ticker_{window}@arr", "The same of every market that traded.", ROLLING),
    one("bookTicker", "{symbol}@bookTicker", "The best prices, at once when they change.", BEST),
    one("avgPrice", "{symbol}@avgPrice", "The average price of five minutes, once a second.", AVERAGE_PRICE),
    one("partialDepth", "{symbol}@depth{levels}{speed}", "The best levels, when the book changed.", PARTIAL),
    one("depth", "{symbol}@depth{speed}", "What changed in the book; joins GET /api/v3/depth by its ids.", DIFF),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ws::stream::{Stream, Window, tests::catalog};
    use crate::market::interval::Interval;
    use std::collections::BTreeSet;

    /// Names that a channel's pattern makes with every value of its parameters, for these symbols.
    fn names(pattern: &str, symbols: &[String]) -> Vec<String> {
        PARAMETERS.iter().fold(vec![pattern.to_owned()], |names, (parameter, values, _)| {
            let hole = format!("{{{parameter}}}");
            let fill = |name: &String| -> Vec<String> {
                if !name.contains(&hole) {
                    return vec![name.clone()];
                }
                let listed = symbols.iter().map(String::as_str).filter(|_| values.is_empty());
                listed.chain(values.iter().copied()).map(|value| name.replace(&hole, value)).collect()
            };
            names.iter().flat_map(fill).collect()
        })
    }

    #[test]
    fn every_name_of_contracts_is_a_stream_of_its_own() {
        let symbols = ["btcusdt".to_owned()];
        let channels = &crate::api::ws::contract_channels::CHANNELS;
        let all: Vec<String> = channels.iter().flat_map(|channel| names(channel.name, &symbols)).collect();
        let catalog = catalog();
        let read = |name: &String| Stream::parse_contract(name, &catalog).unwrap_or_else(|| panic!("{name}"));
        let streams: BTreeSet<Stream> = all.iter().map(read).collect();
        assert_eq!(streams.len(), all.len());
        // Candles by contract and by pair, a book's levels and diffs at three speeds, marks at two, and the rest.
        assert_eq!(all.len(), 2 * Interval::ALL.len() + 3 * 3 + 3 + 2 * 2 + 11);
    }

    #[test]
    fn every_name_of_the_table_is_a_stream_of_its_own() {
        let symbols = ["btcusdt".to_owned()];
        let all: Vec<String> = CHANNELS.iter().flat_map(|channel| names(channel.name, &symbols)).collect();
        let catalog = catalog();
        let streams: BTreeSet<Stream> =
            all.iter().map(|name| Stream::parse(name, &catalog).unwrap_or_else(|| panic!("{name}"))).collect();
        assert_eq!(streams.len(), all.len());
        // Candles of two zones, windows of one market and of all, a book's levels and diffs at three speeds, and the rest.
        assert_eq!(all.len(), 2 * Interval::ALL.len() + 2 * Window::ALL.len() + 3 * 3 + 3 + 8);
    }
}
