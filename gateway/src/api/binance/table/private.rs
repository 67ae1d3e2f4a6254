//! Calls about orders and the account.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: all are signed. Known limits: none.

use super::row::{END, FROM_ID, LIMIT, ONE, START, SYMBOL, now, signed, waits};
use crate::api::binance::call::{Endpoint, Method, Weight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::orders::request::{OrderType, ResponseType, StpMode, TimeInForce};
use crate::api::binance::orders::{cancel, place, queries, request};
use crate::api::binance::params::{Args, Param, ParamKind, Wrong, may, must};
use crate::api::binance::{account, exchange_info, response_types};
use xng_core::entity::CommandClass;

pub(super) const SIDES: ParamKind = ParamKind::OneOf(&["BUY", "SELL"], Wrong::Side);
pub(super) const TYPES: ParamKind = ParamKind::OneOf(&OrderType::NAMES, Wrong::OrderType);
pub(super) const TIFS: ParamKind = ParamKind::OneOf(&TimeInForce::NAMES, Wrong::Tif);
pub(super) const STP_MODES: ParamKind = ParamKind::OneOf(&StpMode::NAMES, Wrong::Data);
pub(super) const RESPONSES: ParamKind = ParamKind::OneOf(&ResponseType::NAMES, Wrong::Data);
pub(super) const RESTRICTIONS: ParamKind =
    ParamKind::OneOf(&["ONLY_NEW", "ONLY_PARTIALLY_FILLED"], Wrong::Restrictions);
pub(super) const ORDER_ID: Param = may("orderId", ParamKind::Whole);
pub(super) const ORIG_NAME: Param = may("origClientOrderId", ParamKind::Name);
pub(super) const NEW_NAME: Param = may("newClientOrderId", ParamKind::Name);

/// What a new order is made of.
pub(super) const NEW_ORDER: [Param; 15] = [
    SYMBOL,
    must("side", SIDES),
    must("type", TYPES),
    may("timeInForce", TIFS),
    may("quantity", ParamKind::Amount),
    may("quoteOrderQty", ParamKind::Amount),
    may("price", ParamKind::Amount),
    NEW_NAME,
    may("strategyId", ParamKind::Whole),
    may("strategyType", ParamKind::Whole),
    may("stopPrice", ParamKind::Amount),
    may("trailingDelta", ParamKind::Whole),
    may("icebergQty", ParamKind::Amount),
    may("newOrderRespType", RESPONSES),
    may("selfTradePreventionMode", STP_MODES),
];
/// A test of one may ask for its fees too.
const TESTED: [Param; 16] = joined(NEW_ORDER, [may("computeCommissionRates", ParamKind::Flag)]);

/// Two lists of parameters in one; `N` is the sum of their lengths.
pub(super) const fn joined<const A: usize, const B: usize, const N: usize>(
    one: [Param; A],
    other: [Param; B],
) -> [Param; N] {
    assert!(A + B == N);
    let mut all = [SYMBOL; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < A { one[at] } else { other[at - A] };
        at += 1;
    }
    all
}

fn order_shape(args: &Args) -> Result<(), ApiError> {
    request::OrderRequest::read(args).map(drop)
}

fn open_weight(args: &Args) -> u64 {
    if args.has("symbol") { 6 } else { 80 }
}

fn test_weight(args: &Args) -> u64 {
    if args.flag("computeCommissionRates") == Some(true) { 20 } else { 1 }
}

fn trades_weight(args: &Args) -> u64 {
    if args.has("orderId") { 5 } else { 20 }
}

fn prevented_weight(args: &Args) -> u64 {
    if args.has("orderId") { 20 } else { 2 }
}

pub(super) const ORDERS: &[Endpoint] = &[
    Endpoint {
        shape: order_shape,
        ..signed(
            (Method::Post, "/api/v3/order"),
            "Places an order.",
            Weight::Fixed(1),
            &NEW_ORDER,
            response_types::PLACED,
            waits!(place::place),
        )
    },
    Endpoint {
        shape: order_shape,
        class: CommandClass::ReadOnly,
        ..signed(
            (Method::Post, "/api/v3/order/test"),
            "Tests an order without placing it.",
            Weight::By(test_weight),
            &TESTED,
            response_types::TESTED,
            waits!(place::test),
        )
    },
    Endpoint {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Get, "/api/v3/order"),
            "An order as it is now.",
            Weight::Fixed(4),
            &[SYMBOL, ORDER_ID, ORIG_NAME],
            response_types::ORDER,
            waits!(queries::order),
        )
    },
    Endpoint {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Delete, "/api/v3/order"),
            "Cancels an order.",
            Weight::Fixed(1),
            &[SYMBOL, ORDER_ID, ORIG_NAME, NEW_NAME, may("cancelRestrictions", RESTRICTIONS)],
            response_types::CANCELED,
            waits!(cancel::cancel),
        )
    },
    signed(
        (Method::Get, "/api/v3/openOrders"),
        "Open orders.",
        Weight::By(open_weight),
        &[ONE],
        response_types::ORDERS,
        waits!(queries::open_orders),
    ),
    signed(
        (Method::Delete, "/api/v3/openOrders"),
        "Cancels all open orders of a market.",
        Weight::Fixed(1),
        &[SYMBOL],
        response_types::CANCELED_ALL,
        waits!(cancel::cancel_all),
    ),
    Endpoint {
        shape: queries::is_a_day,
        ..signed(
            (Method::Get, "/api/v3/allOrders"),
            "Orders, open and done.",
            Weight::Fixed(20),
            &[SYMBOL, ORDER_ID, START, END, LIMIT],
            response_types::ORDERS,
            waits!(queries::all_orders),
        )
    },
    Endpoint {
        shape: queries::trades_shape,
        ..signed(
            (Method::Get, "/api/v3/myTrades"),
            "Own fills.",
            Weight::By(trades_weight),
            &[SYMBOL, ORDER_ID, START, END, FROM_ID, LIMIT],
            response_types::OWN_TRADES,
            waits!(queries::trades),
        )
    },
    signed(
        (Method::Get, "/api/v3/order/amendments"),
        "What was changed of an order.",
        Weight::Fixed(4),
        &[SYMBOL, must("orderId", ParamKind::Whole), may("fromExecutionId", ParamKind::Whole), LIMIT],
        response_types::AMENDMENTS,
        waits!(queries::amendments),
    ),
    Endpoint {
        shape: queries::prevented_shape,
        ..signed(
            (Method::Get, "/api/v3/myPreventedMatches"),
            "Matches with own orders that were prevented.",
            Weight::By(prevented_weight),
            &[
                SYMBOL,
                may("preventedMatchId", ParamKind::Whole),
                ORDER_ID,
                may("fromPreventedMatchId", ParamKind::Whole),
                LIMIT,
            ],
            response_types::PREVENTED,
            waits!(queries::prevented),
        )
    },
];

pub(super) const ACCOUNT: &[Endpoint] = &[
    Endpoint {
        shape: queries::allocations_shape,
        ..signed(
            (Method::Get, "/api/v3/myAllocations"),
            "What smart order routing allotted: nothing, orders are not routed here.",
            Weight::Fixed(20),
            &[SYMBOL, START, END, may("fromAllocationId", ParamKind::Whole), LIMIT, ORDER_ID],
            response_types::NONE,
            now!(queries::allocations),
        )
    },
    signed(
        (Method::Get, "/api/v3/myFilters"),
        "Filters that look at the account.",
        Weight::Fixed(40),
        &[SYMBOL],
        response_types::MY_FILTERS,
        now!(exchange_info::my_filters),
    ),
    signed(
        (Method::Get, "/api/v3/account"),
        "The account and its balances.",
        Weight::Fixed(20),
        &[may("omitZeroBalances", ParamKind::Flag)],
        response_types::ACCOUNT,
        waits!(account::account),
    ),
    signed(
        (Method::Get, "/api/v3/account/commission"),
        "Fees on a market.",
        Weight::Fixed(20),
        &[SYMBOL],
        response_types::COMMISSION,
        waits!(account::commissions),
    ),
    signed(
        (Method::Get, "/api/v3/rateLimit/order"),
        "Unfilled orders in each interval.",
        Weight::Fixed(40),
        &[],
        response_types::LIMITS,
        waits!(account::order_limits),
    ),
];
