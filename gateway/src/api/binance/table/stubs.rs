//! Calls that clients make before they trade, outside of the spot API.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: what is told is true of this exchange. Known limits:
//! none of the products behind them is there yet.

use super::row::{ONE, get, now, signed, waits};
use crate::api::binance::call::{Endpoint, Method, Security, Weight};
use crate::api::binance::params::{Param, ParamKind, may};
use crate::api::binance::{response_types, stubs};

/// Some clients sign what asks for a key alone.
const UNSIGNED: &[Param] =
    &[may("recvWindow", ParamKind::Window), may("timestamp", ParamKind::Time), may("signature", ParamKind::Text), ONE];

const fn keyed(path: &'static str, about: &'static str) -> Endpoint {
    Endpoint {
        security: Security::Key,
        ..get(path, about, Weight::Fixed(1), UNSIGNED, response_types::NONE, now!(stubs::nothing))
    }
}

pub(super) const WALLET: &[Endpoint] = &[
    get(
        "/sapi/v1/system/status",
        "How the exchange is.",
        Weight::Fixed(1),
        &[],
        response_types::SYSTEM,
        now!(stubs::system),
    ),
    signed(
        (Method::Get, "/sapi/v1/capital/config/getall"),
        "All coins with what the account has of them.",
        Weight::Fixed(10),
        &[],
        response_types::COINS,
        waits!(stubs::coins),
    ),
    signed(
        (Method::Get, "/sapi/v1/asset/tradeFee"),
        "Fees on one market or all.",
        Weight::Fixed(1),
        &[ONE],
        response_types::FEES,
        waits!(stubs::fees),
    ),
    signed(
        (Method::Get, "/sapi/v1/account/status"),
        "Whether the account may act.",
        Weight::Fixed(1),
        &[],
        response_types::ACCOUNT_STATUS,
        waits!(stubs::account_status),
    ),
    signed(
        (Method::Get, "/sapi/v1/account/apiTradingStatus"),
        "Whether the account may trade by program.",
        Weight::Fixed(1),
        &[],
        response_types::TRADING_STATUS,
        waits!(stubs::trading_status),
    ),
    signed(
        (Method::Get, "/sapi/v1/account/apiRestrictions"),
        "What the key may do.",
        Weight::Fixed(1),
        &[],
        response_types::RESTRICTIONS,
        now!(stubs::restrictions),
    ),
    keyed("/sapi/v1/margin/allPairs", "Markets with margin: none."),
    keyed("/sapi/v1/margin/isolated/allPairs", "Markets with isolated margin: none."),
];

pub(super) const COIN_FUTURES: &[Endpoint] = &[
    get(
        "/dapi/v1/ping",
        "Tests the way here.",
        Weight::Fixed(1),
        &[],
        response_types::EMPTY,
        now!(crate::api::binance::market::ping),
    ),
    get(
        "/dapi/v1/time",
        "Tells the time.",
        Weight::Fixed(1),
        &[],
        response_types::TIME,
        now!(crate::api::binance::market::time),
    ),
    get(
        "/dapi/v1/exchangeInfo",
        "Futures that are listed: none.",
        Weight::Fixed(1),
        &[],
        response_types::FUTURES_INFO,
        now!(stubs::futures),
    ),
];
