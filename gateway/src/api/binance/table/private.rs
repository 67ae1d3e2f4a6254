//! Calls about orders and the account.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: all are signed. Known limits: none.

use super::row::{END, FROM_ID, LIMIT, ONE, START, SYMBOL, now, signed, waits};
use crate::api::binance::call::{Call, Method, Weight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::orders::wish::{OrderType, ResponseType, StpMode, TimeInForce};
use crate::api::binance::orders::{cancel, place, queries, wish};
use crate::api::binance::params::{Args, Kind, Param, Wrong, may, must};
use crate::api::binance::{account, exchange_info, forms};
use xng_core::entity::CommandClass;

pub(super) const SIDES: Kind = Kind::OneOf(&["BUY", "SELL"], Wrong::Side);
pub(super) const TYPES: Kind = Kind::OneOf(&OrderType::NAMES, Wrong::OrderType);
pub(super) const TIFS: Kind = Kind::OneOf(&TimeInForce::NAMES, Wrong::Tif);
pub(super) const STP_MODES: Kind = Kind::OneOf(&StpMode::NAMES, Wrong::Data);
pub(super) const RESPONSES: Kind = Kind::OneOf(&ResponseType::NAMES, Wrong::Data);
pub(super) const RESTRICTIONS: Kind = Kind::OneOf(&["ONLY_NEW", "ONLY_PARTIALLY_FILLED"], Wrong::Restrictions);
pub(super) const ORDER_ID: Param = may("orderId", Kind::Whole);
pub(super) const ORIG_NAME: Param = may("origClientOrderId", Kind::Name);
pub(super) const NEW_NAME: Param = may("newClientOrderId", Kind::Name);

/// What a new order is made of.
pub(super) const NEW_ORDER: [Param; 15] = [
    SYMBOL,
    must("side", SIDES),
    must("type", TYPES),
    may("timeInForce", TIFS),
    may("quantity", Kind::Amount),
    may("quoteOrderQty", Kind::Amount),
    may("price", Kind::Amount),
    NEW_NAME,
    may("strategyId", Kind::Whole),
    may("strategyType", Kind::Whole),
    may("stopPrice", Kind::Amount),
    may("trailingDelta", Kind::Whole),
    may("icebergQty", Kind::Amount),
    may("newOrderRespType", RESPONSES),
    may("selfTradePreventionMode", STP_MODES),
];
/// A test of one may ask for its fees too.
const TESTED: [Param; 16] = joined(NEW_ORDER, [may("computeCommissionRates", Kind::Flag)]);

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
    wish::OrderRequest::read(args).map(drop)
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

pub(super) const ORDERS: &[Call] = &[
    Call {
        shape: order_shape,
        ..signed(
            (Method::Post, "/api/v3/order"),
            "Places an order.",
            Weight::Fixed(1),
            &NEW_ORDER,
            forms::PLACED,
            waits!(place::place),
        )
    },
    Call {
        shape: order_shape,
        class: CommandClass::Reads,
        ..signed(
            (Method::Post, "/api/v3/order/test"),
            "Tests an order without placing it.",
            Weight::By(test_weight),
            &TESTED,
            forms::TESTED,
            waits!(place::test),
        )
    },
    Call {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Get, "/api/v3/order"),
            "An order as it is now.",
            Weight::Fixed(4),
            &[SYMBOL, ORDER_ID, ORIG_NAME],
            forms::ORDER,
            waits!(queries::order),
        )
    },
    Call {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Delete, "/api/v3/order"),
            "Cancels an order.",
            Weight::Fixed(1),
            &[SYMBOL, ORDER_ID, ORIG_NAME, NEW_NAME, may("cancelRestrictions", RESTRICTIONS)],
            forms::CANCELED,
            waits!(cancel::cancel),
        )
    },
    signed(
        (Method::Get, "/api/v3/openOrders"),
        "Open orders.",
        Weight::By(open_weight),
        &[ONE],
        forms::ORDERS,
        waits!(queries::open_orders),
    ),
    signed(
        (Method::Delete, "/api/v3/openOrders"),
        "Cancels all open orders of a market.",
        Weight::Fixed(1),
        &[SYMBOL],
        forms::CANCELED_ALL,
        waits!(cancel::cancel_all),
    ),
    Call {
        shape: queries::is_a_day,
        ..signed(
            (Method::Get, "/api/v3/allOrders"),
            "Orders, open and done.",
            Weight::Fixed(20),
            &[SYMBOL, ORDER_ID, START, END, LIMIT],
            forms::ORDERS,
            waits!(queries::all_orders),
        )
    },
    Call {
        shape: queries::trades_shape,
        ..signed(
            (Method::Get, "/api/v3/myTrades"),
            "Own fills.",
            Weight::By(trades_weight),
            &[SYMBOL, ORDER_ID, START, END, FROM_ID, LIMIT],
            forms::OWN_TRADES,
            waits!(queries::trades),
        )
    },
    signed(
        (Method::Get, "/api/v3/order/amendments"),
        "What was changed of an order.",
        Weight::Fixed(4),
        &[SYMBOL, must("orderId", Kind::Whole), may("fromExecutionId", Kind::Whole), LIMIT],
        forms::AMENDMENTS,
        waits!(queries::amendments),
    ),
    Call {
        shape: queries::prevented_shape,
        ..signed(
            (Method::Get, "/api/v3/myPreventedMatches"),
            "Matches with own orders that were prevented.",
            Weight::By(prevented_weight),
            &[SYMBOL, may("preventedMatchId", Kind::Whole), ORDER_ID, may("fromPreventedMatchId", Kind::Whole), LIMIT],
            forms::PREVENTED,
            waits!(queries::prevented),
        )
    },
];

pub(super) const ACCOUNT: &[Call] = &[
    Call {
        shape: queries::allocations_shape,
        ..signed(
            (Method::Get, "/api/v3/myAllocations"),
            "What smart order routing allotted: nothing, orders are not routed here.",
            Weight::Fixed(20),
            &[SYMBOL, START, END, may("fromAllocationId", Kind::Whole), LIMIT, ORDER_ID],
            forms::NONE,
            now!(queries::allocations),
        )
    },
    signed(
        (Method::Get, "/api/v3/myFilters"),
        "Filters that look at the account.",
        Weight::Fixed(40),
        &[SYMBOL],
        forms::MY_FILTERS,
        now!(exchange_info::my_filters),
    ),
    signed(
        (Method::Get, "/api/v3/account"),
        "The account and its balances.",
        Weight::Fixed(20),
        &[may("omitZeroBalances", Kind::Flag)],
        forms::ACCOUNT,
        waits!(account::account),
    ),
    signed(
        (Method::Get, "/api/v3/account/commission"),
        "Fees on a market.",
        Weight::Fixed(20),
        &[SYMBOL],
        forms::COMMISSION,
        waits!(account::commissions),
    ),
    signed(
        (Method::Get, "/api/v3/rateLimit/order"),
        "Unfilled orders in each interval.",
        Weight::Fixed(40),
        &[],
        forms::LIMITS,
        waits!(account::order_limits),
    ),
];
