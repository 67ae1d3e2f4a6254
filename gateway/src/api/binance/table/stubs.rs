//! Calls that clients make before they trade, outside of the spot API.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: what is told is true of this exchange. Known limits:
//! none of the products behind them is there yet.

use super::row::{ONE, get, now, signed, waits};
use crate::api::binance::call::{Call, Method, Security, Weight};
use crate::api::binance::params::{Kind, Param, may};
use crate::api::binance::{forms, stubs};

/// Some clients sign what asks for a key alone.
const UNSIGNED: &[Param] =
    &[may("recvWindow", Kind::Window), may("timestamp", Kind::Time), may("signature", Kind::Text), ONE];

const fn keyed(path: &'static str, about: &'static str) -> Call {
    Call { security: Security::Key, ..get(path, about, Weight::Fixed(1), UNSIGNED, forms::NONE, now!(stubs::nothing)) }
}

pub(super) const WALLET: &[Call] = &[
    get("/sapi/v1/system/status", "How the exchange is.", Weight::Fixed(1), &[], forms::SYSTEM, now!(stubs::system)),
    signed(
        (Method::Get, "/sapi/v1/capital/config/getall"),
        "All coins with what the account has of them.",
        Weight::Fixed(10),
        &[],
        forms::COINS,
        waits!(stubs::coins),
    ),
    signed(
        (Method::Get, "/sapi/v1/asset/tradeFee"),
        "Fees on one market or all.",
        Weight::Fixed(1),
        &[ONE],
        forms::FEES,
        waits!(stubs::fees),
    ),
    signed(
        (Method::Get, "/sapi/v1/account/status"),
        "Whether the account may act.",
        Weight::Fixed(1),
        &[],
        forms::ACCOUNT_STATUS,
        waits!(stubs::account_status),
    ),
    signed(
        (Method::Get, "/sapi/v1/account/apiTradingStatus"),
        "Whether the account may trade by program.",
        Weight::Fixed(1),
        &[],
        forms::TRADING_STATUS,
        waits!(stubs::trading_status),
    ),
    signed(
        (Method::Get, "/sapi/v1/account/apiRestrictions"),
        "What the key may do.",
        Weight::Fixed(1),
        &[],
        forms::RESTRICTIONS,
        now!(stubs::restrictions),
    ),
    keyed("/sapi/v1/margin/allPairs", "Markets with margin: none."),
    keyed("/sapi/v1/margin/isolated/allPairs", "Markets with isolated margin: none."),
];

pub(super) const FUTURES: &[Call] = &[
    get(
        "/fapi/v1/ping",
        "Tests the way here.",
        Weight::Fixed(1),
        &[],
        forms::EMPTY,
        now!(crate::api::binance::market::ping),
    ),
    get(
        "/fapi/v1/time",
        "Tells the time.",
        Weight::Fixed(1),
        &[],
        forms::TIME,
        now!(crate::api::binance::market::time),
    ),
    get(
        "/fapi/v1/exchangeInfo",
        "Futures that are listed: none.",
        Weight::Fixed(1),
        &[],
        forms::FUTURES_INFO,
        now!(stubs::futures),
    ),
    get(
        "/dapi/v1/ping",
        "Tests the way here.",
        Weight::Fixed(1),
        &[],
        forms::EMPTY,
        now!(crate::api::binance::market::ping),
    ),
    get(
        "/dapi/v1/time",
        "Tells the time.",
        Weight::Fixed(1),
        &[],
        forms::TIME,
        now!(crate::api::binance::market::time),
    ),
    get(
        "/dapi/v1/exchangeInfo",
        "Futures that are listed: none.",
        Weight::Fixed(1),
        &[],
        forms::FUTURES_INFO,
        now!(stubs::futures),
    ),
];
