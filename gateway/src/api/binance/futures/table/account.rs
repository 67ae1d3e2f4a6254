//! Calls about an account's positions, balances and settings.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: all are signed. Known limits: none.

use crate::api::binance::call::{Endpoint, Method, Weight};
use crate::api::binance::futures::account::INCOME_TYPES;
use crate::api::binance::futures::request::POSITION_SIDES;
use crate::api::binance::futures::response_types as futures_types;
use crate::api::binance::futures::{account, settings};
use crate::api::binance::params::{Param, ParamKind, Wrong, may, must};
use crate::api::binance::table::row::{END, LIMIT, ONE, START, SYMBOL, now, signed, waits};

const POSITION_SIDE: Param = may("positionSide", ParamKind::OneOf(&POSITION_SIDES, Wrong::PositionSide));
const MARGIN_TYPES: ParamKind = ParamKind::OneOf(&["ISOLATED", "CROSSED"], Wrong::Data);

/// Positions, balances and settings.
pub const CALLS: &[Endpoint] = &[
    signed(
        (Method::Post, "/fapi/v1/leverage"),
        "Changes the multiple of a contract.",
        Weight::Fixed(1),
        &[SYMBOL, must("leverage", ParamKind::Whole)],
        futures_types::LEVERAGE,
        waits!(settings::leverage),
    ),
    signed(
        (Method::Post, "/fapi/v1/marginType"),
        "Changes whose money positions of a contract may lose.",
        Weight::Fixed(1),
        &[SYMBOL, must("marginType", MARGIN_TYPES)],
        futures_types::DONE,
        waits!(settings::margin_type),
    ),
    signed(
        (Method::Post, "/fapi/v1/positionMargin"),
        "Puts margin into an isolated position, or takes it out.",
        Weight::Fixed(1),
        &[SYMBOL, POSITION_SIDE, must("amount", ParamKind::Amount), must("type", ParamKind::Whole)],
        futures_types::MARGIN_MOVED,
        waits!(settings::position_margin),
    ),
    signed(
        (Method::Get, "/fapi/v1/positionMargin/history"),
        "Movements of margin.",
        Weight::Fixed(1),
        &[SYMBOL, may("type", ParamKind::Whole), START, END, LIMIT],
        futures_types::MARGINS,
        waits!(settings::margin_history),
    ),
    signed(
        (Method::Post, "/fapi/v1/positionSide/dual"),
        "Has a long and a short position of each contract, or one.",
        Weight::Fixed(1),
        &[must("dualSidePosition", ParamKind::AnyFlag)],
        futures_types::DONE,
        waits!(settings::set_hedge),
    ),
    signed(
        (Method::Get, "/fapi/v1/positionSide/dual"),
        "Whether there is a long and a short position of each contract.",
        Weight::Fixed(30),
        &[],
        futures_types::HEDGE,
        waits!(settings::hedge),
    ),
    signed(
        (Method::Post, "/fapi/v1/multiAssetsMargin"),
        "Margin in several assets: there is none.",
        Weight::Fixed(1),
        &[must("multiAssetsMargin", ParamKind::AnyFlag)],
        futures_types::DONE,
        now!(settings::set_multi_assets),
    ),
    signed(
        (Method::Get, "/fapi/v1/multiAssetsMargin"),
        "Whether margin is in several assets: never.",
        Weight::Fixed(30),
        &[],
        futures_types::MULTI_ASSETS,
        now!(settings::multi_assets),
    ),
    signed(
        (Method::Get, "/fapi/v1/leverageBracket"),
        "Brackets of value and multiple.",
        Weight::Fixed(1),
        &[ONE],
        futures_types::BRACKETS,
        waits!(account::brackets),
    ),
    signed(
        (Method::Get, "/fapi/v1/commissionRate"),
        "Fees on a contract.",
        Weight::Fixed(20),
        &[SYMBOL],
        futures_types::COMMISSION,
        waits!(account::commission),
    ),
    signed(
        (Method::Get, "/fapi/v1/income"),
        "Results, fees, funding and transfers.",
        Weight::Fixed(30),
        &[ONE, may("incomeType", ParamKind::OneOf(&INCOME_TYPES, Wrong::Data)), START, END, LIMIT],
        futures_types::INCOME,
        waits!(account::income),
    ),
    signed(
        (Method::Get, "/fapi/v1/accountConfig"),
        "How the account trades.",
        Weight::Fixed(5),
        &[],
        futures_types::ACCOUNT_CONFIG,
        waits!(account::config),
    ),
    signed(
        (Method::Get, "/fapi/v1/symbolConfig"),
        "How the account trades each contract.",
        Weight::Fixed(5),
        &[ONE],
        futures_types::SYMBOL_CONFIG,
        waits!(account::symbol_config),
    ),
    signed(
        (Method::Get, "/fapi/v1/apiTradingStatus"),
        "Whether the account may trade by program.",
        Weight::Fixed(10),
        &[ONE],
        futures_types::TRADING_STATUS,
        waits!(account::trading_status),
    ),
    signed(
        (Method::Get, "/fapi/v1/adlQuantile"),
        "Places in a deleveraging.",
        Weight::Fixed(5),
        &[ONE],
        futures_types::ADL,
        waits!(account::adl),
    ),
    signed(
        (Method::Get, "/fapi/v2/account"),
        "The account, its balances and a row for each position.",
        Weight::Fixed(5),
        &[],
        futures_types::ACCOUNT,
        waits!(account::account_v2),
    ),
    signed(
        (Method::Get, "/fapi/v3/account"),
        "The account, its balances and positions.",
        Weight::Fixed(5),
        &[],
        futures_types::ACCOUNT,
        waits!(account::account_v3),
    ),
    signed(
        (Method::Get, "/fapi/v2/balance"),
        "Balances.",
        Weight::Fixed(5),
        &[],
        futures_types::BALANCES,
        waits!(account::balance),
    ),
    signed(
        (Method::Get, "/fapi/v3/balance"),
        "Balances.",
        Weight::Fixed(5),
        &[],
        futures_types::BALANCES,
        waits!(account::balance),
    ),
    signed(
        (Method::Get, "/fapi/v2/positionRisk"),
        "Positions, and contracts without one.",
        Weight::Fixed(5),
        &[ONE],
        futures_types::POSITIONS,
        waits!(account::risk_v2),
    ),
    signed(
        (Method::Get, "/fapi/v3/positionRisk"),
        "Positions.",
        Weight::Fixed(5),
        &[ONE],
        futures_types::POSITIONS,
        waits!(account::risk_v3),
    ),
];
