//! Calls of market data.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: none asks for a key. Known limits: none.

use super::row::{END, FROM_ID, LIMIT, ONE, SOME, START, SYMBOL, get, now, waits};
use crate::api::binance::call::{Endpoint, Weight};
use crate::api::binance::params::{Args, Param, ParamKind, Wrong, may, must};
use crate::api::binance::{candles, exchange_info, market, response_types, tickers};
use crate::market::interval::Interval;
use crate::market::payload::state_name;
use xng_core::spot::MarketState;

/// Those of markets here, and one that the convention has besides.
const STATUSES: ParamKind = ParamKind::OneOf(
    &[state_name(MarketState::Trading), state_name(MarketState::CancelOnly), state_name(MarketState::Halt), "BREAK"],
    Wrong::SymbolStatus,
);
const INTERVALS: ParamKind = ParamKind::OneOf(&Interval::NAMES, Wrong::Interval);
const TICKER_TYPES: ParamKind = ParamKind::OneOf(&["FULL", "MINI"], Wrong::TickerType);

/// A permission or a JSON list of some.
const PERMISSIONS: ParamKind = ParamKind::Like(
    r#"^((SPOT|MARGIN|LEVERAGED|TRD_GRP_[0-9]{3})|\["(SPOT|MARGIN|LEVERAGED|TRD_GRP_[0-9]{3})"(,"(SPOT|MARGIN|LEVERAGED|TRD_GRP_[0-9]{3})")*\])$"#,
);
const WINDOWS: ParamKind = ParamKind::Like("^(([1-9]|[1-5][0-9])m|([1-9]|1[0-9]|2[0-3])h|[1-7]d)$");

const STATUS: Param = may("symbolStatus", STATUSES);
const ZONE: Param = may("timeZone", ParamKind::Zone);

fn depth_weight(args: &Args) -> u64 {
    match args.limit(100, 5_000) {
        0..=100 => 5,
        101..=500 => 25,
        501..=1_000 => 50,
        _ => 250,
    }
}

/// Of tickers: one symbol, a list by its length, or all.
fn day_weight(args: &Args) -> u64 {
    match args.names("symbols").map(<[String]>::len) {
        _ if args.has("symbol") => 2,
        Some(0..=20) => 2,
        Some(21..=100) => 40,
        _ => 80,
    }
}

fn price_weight(args: &Args) -> u64 {
    if args.has("symbol") { 2 } else { 4 }
}

/// Of windows: each symbol, up to 50.
fn each_weight(args: &Args) -> u64 {
    4 * args.names("symbols").map_or(1, |names| names.len().min(50) as u64)
}

fn rules_weight(args: &Args) -> u64 {
    match args.names("symbols") {
        _ if args.has("symbol") => 2,
        Some(names) => (2 * names.len() as u64).min(40),
        None => 40,
    }
}

const CANDLES: &[Param] = &[SYMBOL, must("interval", INTERVALS), START, END, ZONE, LIMIT];

pub(super) const CALLS: &[Endpoint] = &[
    get("/api/v3/ping", "Tests the way here.", Weight::Fixed(1), &[], response_types::EMPTY, now!(market::ping)),
    get("/api/v3/time", "Tells the time.", Weight::Fixed(1), &[], response_types::TIME, now!(market::time)),
    get(
        "/api/v3/exchangeInfo",
        "What is listed, with rules and limits.",
        Weight::Fixed(20),
        &[ONE, SOME, may("permissions", PERMISSIONS), may("showPermissionSets", ParamKind::Flag), STATUS],
        response_types::EXCHANGE_INFO,
        now!(exchange_info::exchange_info),
    ),
    get(
        "/api/v3/executionRules",
        "How far from the best price an order at market may execute.",
        Weight::By(rules_weight),
        &[ONE, SOME, STATUS],
        response_types::EXECUTION_RULES,
        now!(exchange_info::execution_rules),
    ),
    get(
        "/api/v3/referencePrice",
        "The index, which bands of prices go by.",
        Weight::Fixed(2),
        &[SYMBOL],
        response_types::REFERENCE_PRICE,
        now!(exchange_info::reference_price),
    ),
    get(
        "/api/v3/depth",
        "The order book.",
        Weight::By(depth_weight),
        &[SYMBOL, LIMIT, STATUS],
        response_types::DEPTH,
        waits!(market::depth),
    ),
    get(
        "/api/v3/trades",
        "The latest trades.",
        Weight::Fixed(25),
        &[SYMBOL, LIMIT],
        response_types::TRADES,
        waits!(market::trades),
    ),
    get(
        "/api/v3/historicalTrades",
        "Trades from an id on.",
        Weight::Fixed(25),
        &[SYMBOL, LIMIT, FROM_ID],
        response_types::TRADES,
        waits!(market::trades),
    ),
    get(
        "/api/v3/aggTrades",
        "Trades, those of one taker order at one price as one.",
        Weight::Fixed(4),
        &[SYMBOL, FROM_ID, START, END, LIMIT],
        response_types::AGGREGATES,
        waits!(market::agg_trades),
    ),
    get("/api/v3/klines", "Candles.", Weight::Fixed(2), CANDLES, response_types::CANDLES, waits!(candles::klines)),
    get(
        "/api/v3/uiKlines",
        "Candles for charts.",
        Weight::Fixed(2),
        CANDLES,
        response_types::CANDLES,
        waits!(candles::klines),
    ),
    get(
        "/api/v3/avgPrice",
        "The average price.",
        Weight::Fixed(2),
        &[SYMBOL],
        response_types::AVERAGE,
        now!(candles::avg_price),
    ),
    get(
        "/api/v3/ticker/24hr",
        "Prices and volumes of the last 24 hours.",
        Weight::By(day_weight),
        &[ONE, SOME, may("type", TICKER_TYPES), STATUS],
        response_types::TICKERS,
        now!(tickers::ticker_24hr),
    ),
    get(
        "/api/v3/ticker/tradingDay",
        "Prices and volumes since midnight.",
        Weight::By(each_weight),
        &[ONE, SOME, ZONE, may("type", TICKER_TYPES), STATUS],
        response_types::TICKERS,
        now!(tickers::trading_day),
    ),
    get(
        "/api/v3/ticker",
        "Prices and volumes of a window.",
        Weight::By(each_weight),
        &[ONE, SOME, may("windowSize", WINDOWS), may("type", TICKER_TYPES), STATUS],
        response_types::TICKERS,
        now!(tickers::ticker),
    ),
    get(
        "/api/v3/ticker/price",
        "The last price.",
        Weight::By(price_weight),
        &[ONE, SOME, STATUS],
        response_types::PRICES,
        now!(tickers::ticker_price),
    ),
    get(
        "/api/v3/ticker/bookTicker",
        "The best bid and ask.",
        Weight::By(price_weight),
        &[ONE, SOME, STATUS],
        response_types::BESTS,
        now!(tickers::ticker_book),
    ),
];
