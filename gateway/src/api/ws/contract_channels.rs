//! The table of programs' streams of contracts (`docs/rules/futures-api.md "Streams"`).
//!
//! Owns: what is told of them to those who write programs. Never does: publish. Invariants: those of [`super::channels`].
//! Known limits: the folder of a name is the convention's; each folder takes every name.

use super::channels::FieldType::{Decimal, Integer, Levels, Number, Object, Objects, Text, Time};
use super::channels::{ASK, BID, Channel, Field};
use super::channels::{
    AT, AVERAGE, BASE, BUYER_MADE, CANDLE, CHANGE, CLOSE, COUNT, EVENT, FIRST, FROM, HIGH, KLINE, LAST, LOW, MINI,
    OPEN, PERCENT, PRICE, QUANTITY, QUOTE, SYMBOL, TO, TRADED,
};

const TRADE: &[Field] =
    &[EVENT, AT, SYMBOL, ("t", Integer, "Trade"), PRICE, QUANTITY, TRADED, BUYER_MADE, ("X", Text, "Always MARKET")];
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
];
const PAIR: Field = ("ps", Text, "Pair");
const KIND: Field = ("ct", Text, "Always PERPETUAL");
const CONTINUOUS: &[Field] = &[EVENT, AT, PAIR, KIND, ("k", Object(CANDLE), "The candle")];
const TICKER: &[Field] = &[
    EVENT,
    AT,
    SYMBOL,
    CHANGE,
    PERCENT,
    AVERAGE,
    CLOSE,
    ("Q", Decimal, "Base amount of the last trade"),
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
const CHANGED: Field = ("T", Time, "When it changed");
const BEST: &[Field] =
    &[EVENT, AT, CHANGED, ("u", Integer, "Update of the book"), SYMBOL, BID[0], BID[1], ASK[0], ASK[1]];
const BOOK: &[Field] = &[
    EVENT,
    AT,
    CHANGED,
    SYMBOL,
    ("U", Integer, "First update in it"),
    ("u", Integer, "Last update in it"),
    ("pu", Integer, "The update before it"),
    ("b", Levels, "Bids with their new quantities; zero: gone"),
    ("a", Levels, "Asks with their new quantities; zero: gone"),
];
const MARK: &[Field] = &[
    EVENT,
    AT,
    SYMBOL,
    ("p", Decimal, "Mark"),
    ("ap", Decimal, "Mark"),
    ("i", Decimal, "Index"),
    ("P", Decimal, "Index"),
    ("r", Decimal, "Funding rate of the period so far"),
    ("T", Time, "End of the period"),
];
const BRACKET: &[Field] = &[
    ("bs", Integer, "Place"),
    ("bnf", Number, "Values above this one"),
    ("bnc", Number, "Up to this one"),
    ("mmr", Number, "Part that must stay"),
    ("cf", Number, "Amount that is taken off"),
    ("mi", Integer, "Least multiple"),
    ("ma", Integer, "Largest multiple"),
];
const INFO: &[Field] = &[
    EVENT,
    AT,
    SYMBOL,
    PAIR,
    KIND,
    ("dt", Time, "When it is delivered"),
    ("ot", Time, "When it was listed"),
    ("cs", Text, "State"),
    ("bks", Objects(BRACKET), "Brackets of value"),
];
const FORCED_ORDER: &[Field] = &[
    SYMBOL,
    ("S", Text, "Side"),
    ("o", Text, "Always LIMIT"),
    ("f", Text, "Always IOC"),
    ("q", Decimal, "Quantity"),
    PRICE,
    ("ap", Decimal, "Average price"),
    ("X", Text, "State"),
    ("l", Decimal, "What was filled"),
    ("z", Decimal, "What was filled"),
    ("T", Time, "When"),
];
const FORCED: &[Field] = &[EVENT, AT, ("o", Object(FORCED_ORDER), "The order")];

const PUBLIC: &str = "/public/ws";
const MARKET: &str = "/market/ws";

const fn one(
    path: &'static str,
    (id, name): (&'static str, &'static str),
    summary: &'static str,
    fields: &'static [Field],
) -> Channel {
    Channel { id, name, summary, fields, is_list: false, path }
}

const fn list((id, name): (&'static str, &'static str), summary: &'static str, fields: &'static [Field]) -> Channel {
    Channel { id, name, summary, fields, is_list: true, path: MARKET }
}

/// All of them.
pub(super) const CHANNELS: [Channel; 17] = [
    one(PUBLIC, ("contractTrade", "{contract}@trade"), "Every trade, at once.", TRADE),
    one(MARKET, ("contractAggTrade", "{contract}@aggTrade"), "What one order took at one price, at once.", AGGREGATE),
    one(MARKET, ("contractKline", "{contract}@kline_{interval}"), "The current candle, once a second.", KLINE),
    one(
        MARKET,
        ("continuousKline", "{contract}_perpetual@continuousKline_{interval}"),
        "The same by the contract's pair.",
        CONTINUOUS,
    ),
    one(MARKET, ("contractMiniTicker", "{contract}@miniTicker"), "24 hours in short.", MINI),
    list(("allContractMiniTickers", "!miniTicker@arr"), "The same of every contract that traded.", MINI),
    one(MARKET, ("contractTicker", "{contract}@ticker"), "24 hours, once a second when something was traded.", TICKER),
    list(("allContractTickers", "!ticker@arr"), "The same of every contract that traded.", TICKER),
    one(PUBLIC, ("contractBookTicker", "{contract}@bookTicker"), "The best prices, when they change.", BEST),
    one(PUBLIC, ("allContractBookTickers", "!bookTicker"), "The same of every contract.", BEST),
    one(PUBLIC, ("contractPartialDepth", "{contract}@depth{levels}{contractSpeed}"), "The best levels.", BOOK),
    one(
        PUBLIC,
        ("contractDepth", "{contract}@depth{contractSpeed}"),
        "What changed in the book; joins GET /fapi/v1/depth by its ids.",
        BOOK,
    ),
    one(MARKET, ("markPrice", "{contract}@markPrice{pace}"), "Mark, index and funding.", MARK),
    list(("allMarkPrices", "!markPrice@arr{pace}"), "The same of every contract.", MARK),
    one(MARKET, ("contractInfo", "!contractInfo"), "A contract whose terms or state changed.", INFO),
    one(MARKET, ("forceOrder", "{contract}@forceOrder"), "An order of a liquidation that has ended.", FORCED),
    one(MARKET, ("allForceOrders", "!forceOrder@arr"), "The same of every contract.", FORCED),
];
