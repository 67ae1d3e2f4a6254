//! Calls of market data about contracts.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: none asks for more than a key. Known limits: none.

use crate::api::binance::call::{Endpoint, Security, Weight};
use crate::api::binance::futures::response_types as futures_types;
use crate::api::binance::futures::{market as contracts, prices};
use crate::api::binance::params::{Args, Param, ParamKind, Wrong, may, must};
use crate::api::binance::table::row::{END, FROM_ID, LIMIT, ONE, START, SYMBOL, get, now, waits};
use crate::api::binance::{candles, listen_key_calls, market, response_types, tickers};
use crate::market::interval::Interval;
use xng_core::entity::CommandClass;

const INTERVALS: ParamKind = ParamKind::OneOf(&Interval::NAMES, Wrong::Interval);
const CANDLES: &[Param] = &[SYMBOL, must("interval", INTERVALS), START, END, LIMIT];
const PAIR: Param = must("pair", ParamKind::Symbol);
const INDEX_CANDLES: &[Param] = &[PAIR, must("interval", INTERVALS), START, END, LIMIT];
const CONTRACT_TYPES: ParamKind = ParamKind::OneOf(&["PERPETUAL"], Wrong::Data);
const CONTINUOUS: &[Param] =
    &[PAIR, must("contractType", CONTRACT_TYPES), must("interval", INTERVALS), START, END, LIMIT];

fn depth_weight(args: &Args) -> u64 {
    match args.limit(500, 1_000) {
        0..=50 => 2,
        51..=100 => 5,
        101..=500 => 10,
        _ => 20,
    }
}

fn candles_weight(args: &Args) -> u64 {
    match args.limit(500, 1_500) {
        0..=99 => 1,
        100..=499 => 2,
        500..=1_000 => 5,
        _ => 10,
    }
}

fn all_weight(args: &Args) -> u64 {
    if args.has("symbol") { 1 } else { 40 }
}

fn price_weight(args: &Args) -> u64 {
    if args.has("symbol") { 1 } else { 2 }
}

/// Market data.
pub const CALLS: &[Endpoint] = &[
    get("/fapi/v1/ping", "Tests the way here.", Weight::Fixed(1), &[], response_types::EMPTY, now!(market::ping)),
    get("/fapi/v1/time", "Tells the time.", Weight::Fixed(1), &[], response_types::TIME, now!(market::time)),
    get(
        "/fapi/v1/exchangeInfo",
        "Contracts with rules and limits.",
        Weight::Fixed(1),
        &[],
        futures_types::EXCHANGE_INFO,
        now!(contracts::exchange_info),
    ),
    get(
        "/fapi/v1/depth",
        "The book of a contract.",
        Weight::By(depth_weight),
        &[SYMBOL, LIMIT],
        futures_types::DEPTH,
        waits!(market::depth),
    ),
    get(
        "/fapi/v1/trades",
        "The latest trades.",
        Weight::Fixed(5),
        &[SYMBOL, LIMIT],
        futures_types::TRADES,
        waits!(market::trades),
    ),
    Endpoint {
        security: Security::Key,
        ..get(
            "/fapi/v1/historicalTrades",
            "Trades from one on.",
            Weight::Fixed(20),
            &[SYMBOL, LIMIT, FROM_ID],
            futures_types::TRADES,
            waits!(market::trades),
        )
    },
    get(
        "/fapi/v1/aggTrades",
        "Trades of one order at one price, together.",
        Weight::Fixed(20),
        &[SYMBOL, FROM_ID, START, END, LIMIT],
        futures_types::AGG_TRADES,
        waits!(market::agg_trades),
    ),
    get(
        "/fapi/v1/klines",
        "Candles of trades.",
        Weight::By(candles_weight),
        CANDLES,
        futures_types::CANDLES,
        waits!(candles::klines),
    ),
    get(
        "/fapi/v1/continuousKlines",
        "Candles of trades, by pair.",
        Weight::By(candles_weight),
        CONTINUOUS,
        futures_types::CANDLES,
        now!(prices::continuous),
    ),
    get(
        "/fapi/v1/markPriceKlines",
        "Candles of marks.",
        Weight::By(candles_weight),
        CANDLES,
        futures_types::CANDLES,
        now!(prices::marks),
    ),
    get(
        "/fapi/v1/indexPriceKlines",
        "Candles of the index.",
        Weight::By(candles_weight),
        INDEX_CANDLES,
        futures_types::CANDLES,
        now!(prices::indices),
    ),
    get(
        "/fapi/v1/premiumIndexKlines",
        "Candles of the premium.",
        Weight::By(candles_weight),
        CANDLES,
        futures_types::CANDLES,
        now!(prices::premiums),
    ),
    get(
        "/fapi/v1/premiumIndex",
        "Mark, index and funding.",
        Weight::By(all_weight),
        &[ONE],
        futures_types::PREMIUM,
        now!(contracts::premium_index),
    ),
    get(
        "/fapi/v1/fundingRate",
        "Rates of funding periods that are over.",
        Weight::Fixed(1),
        &[ONE, START, END, LIMIT],
        futures_types::FUNDING_RATES,
        waits!(contracts::funding_rate),
    ),
    get(
        "/fapi/v1/fundingInfo",
        "Caps and length of funding periods.",
        Weight::Fixed(1),
        &[],
        futures_types::FUNDING_INFO,
        now!(contracts::funding_info),
    ),
    get(
        "/fapi/v1/ticker/24hr",
        "The last 24 hours.",
        Weight::By(all_weight),
        &[ONE],
        futures_types::DAY,
        now!(tickers::ticker_24hr),
    ),
    get(
        "/fapi/v1/ticker/price",
        "The last price.",
        Weight::By(price_weight),
        &[ONE],
        futures_types::PRICE,
        now!(tickers::ticker_price),
    ),
    get(
        "/fapi/v2/ticker/price",
        "The last price.",
        Weight::By(price_weight),
        &[ONE],
        futures_types::PRICE,
        now!(tickers::ticker_price),
    ),
    get(
        "/fapi/v1/ticker/bookTicker",
        "The best bid and ask.",
        Weight::By(price_weight),
        &[ONE],
        futures_types::BOOK_TICKER,
        now!(tickers::ticker_book),
    ),
    get(
        "/fapi/v1/openInterest",
        "Lots of all positions.",
        Weight::Fixed(1),
        &[SYMBOL],
        futures_types::OPEN_INTEREST,
        now!(contracts::open_interest),
    ),
    get(
        "/fapi/v1/constituents",
        "What the index is made of.",
        Weight::Fixed(2),
        &[SYMBOL],
        futures_types::CONSTITUENTS,
        now!(contracts::constituents),
    ),
    Endpoint {
        method: crate::api::binance::call::Method::Post,
        security: Security::Key,
        class: CommandClass::ReadOnly,
        ..get(
            "/fapi/v1/listenKey",
            "Asks for the account's listen key.",
            Weight::Fixed(1),
            &[],
            futures_types::LISTEN_KEY,
            waits!(listen_key_calls::start),
        )
    },
    Endpoint {
        method: crate::api::binance::call::Method::Put,
        security: Security::Key,
        class: CommandClass::ReadOnly,
        ..get(
            "/fapi/v1/listenKey",
            "Makes the account's listen key live longer.",
            Weight::Fixed(1),
            &[may("listenKey", ParamKind::Text)],
            futures_types::LISTEN_KEY,
            waits!(listen_key_calls::extend_of_futures),
        )
    },
    Endpoint {
        method: crate::api::binance::call::Method::Delete,
        security: Security::Key,
        class: CommandClass::ReadOnly,
        ..get(
            "/fapi/v1/listenKey",
            "Ends the account's listen key.",
            Weight::Fixed(1),
            &[may("listenKey", ParamKind::Text)],
            response_types::EMPTY,
            waits!(listen_key_calls::end_of_futures),
        )
    },
];
