//! Calls about orders of contracts' books.
//!
//! Owns: their rows of the table. Never does: answer one. Invariants: all are signed. Known limits: none.

use crate::api::binance::call::{Endpoint, Method, Weight};
use crate::api::binance::futures::request::{ALGO_TYPES, POSITION_SIDES, RESPONSES, STP_MODES, TIFS, TYPES, shape};
use crate::api::binance::futures::response_types as futures_types;
use crate::api::binance::futures::{cancel, conditional, place, queries, settings};
use crate::api::binance::params::{Args, Param, ParamKind, Wrong, may, must};
use crate::api::binance::response_types;
use crate::api::binance::table::row::{END, FROM_ID, LIMIT, ONE, START, SYMBOL, signed, waits};
use xng_core::entity::CommandClass;

const SIDES: ParamKind = ParamKind::OneOf(&["BUY", "SELL"], Wrong::Side);
const ORDER_ID: Param = may("orderId", ParamKind::Whole);
const ORIG_NAME: Param = may("origClientOrderId", ParamKind::Name);
/// The only way of choosing a price that there is.
const NO_MATCH: Param = may("priceMatch", ParamKind::OneOf(&["NONE"], Wrong::Data));
const WORKING: ParamKind = ParamKind::OneOf(&["CONTRACT_PRICE", "MARK_PRICE"], Wrong::Data);

/// What a new order is made of.
pub const NEW_ORDER: [Param; 18] = [
    SYMBOL,
    must("side", SIDES),
    may("positionSide", ParamKind::OneOf(&POSITION_SIDES, Wrong::PositionSide)),
    must("type", ParamKind::OneOf(&TYPES, Wrong::OrderType)),
    may("timeInForce", ParamKind::OneOf(&TIFS, Wrong::Tif)),
    may("quantity", ParamKind::Amount),
    may("reduceOnly", ParamKind::AnyFlag),
    may("price", ParamKind::Amount),
    may("newClientOrderId", ParamKind::Name),
    may("stopPrice", ParamKind::Amount),
    may("closePosition", ParamKind::AnyFlag),
    may("activationPrice", ParamKind::Amount),
    may("callbackRate", ParamKind::Amount),
    may("workingType", WORKING),
    may("priceProtect", ParamKind::AnyFlag),
    may("newOrderRespType", ParamKind::OneOf(&RESPONSES, Wrong::Data)),
    NO_MATCH,
    may("selfTradePreventionMode", ParamKind::OneOf(&STP_MODES, Wrong::Data)),
];

const ALGO_ID: Param = may("algoId", ParamKind::Whole);
const ALGO_NAME: Param = may("clientAlgoId", ParamKind::Name);
const ALGO_TYPE: ParamKind = ParamKind::OneOf(&["CONDITIONAL"], Wrong::Data);

/// What a new order that waits is made of.
const NEW_ALGO: [Param; 19] = [
    must("algoType", ALGO_TYPE),
    SYMBOL,
    must("side", SIDES),
    may("positionSide", ParamKind::OneOf(&POSITION_SIDES, Wrong::PositionSide)),
    must("type", ParamKind::OneOf(&ALGO_TYPES, Wrong::OrderType)),
    may("timeInForce", ParamKind::OneOf(&TIFS, Wrong::Tif)),
    may("quantity", ParamKind::Amount),
    may("price", ParamKind::Amount),
    may("triggerPrice", ParamKind::Amount),
    may("workingType", WORKING),
    NO_MATCH,
    may("closePosition", ParamKind::AnyFlag),
    may("priceProtect", ParamKind::AnyFlag),
    may("reduceOnly", ParamKind::AnyFlag),
    may("activatePrice", ParamKind::Amount),
    may("callbackRate", ParamKind::Amount),
    ALGO_NAME,
    may("newOrderRespType", ParamKind::OneOf(&RESPONSES, Wrong::Data)),
    may("selfTradePreventionMode", ParamKind::OneOf(&STP_MODES, Wrong::Data)),
];

/// What an amendment is made of.
pub const AMENDMENT: [Param; 7] = [
    SYMBOL,
    ORDER_ID,
    ORIG_NAME,
    may("side", SIDES),
    must("quantity", ParamKind::Amount),
    must("price", ParamKind::Amount),
    NO_MATCH,
];

fn open_weight(args: &Args) -> u64 {
    if args.has("symbol") { 1 } else { 40 }
}

fn forced_weight(args: &Args) -> u64 {
    if args.has("symbol") { 20 } else { 50 }
}

const BATCH: Param = must("batchOrders", ParamKind::Json);

/// Placing, cancelling and looking at orders.
pub const CALLS: &[Endpoint] = &[
    Endpoint {
        shape,
        ..signed(
            (Method::Post, "/fapi/v1/order"),
            "Places an order.",
            Weight::Fixed(1),
            &NEW_ORDER,
            futures_types::ACTED,
            waits!(place::place),
        )
    },
    Endpoint {
        shape,
        class: CommandClass::ReadOnly,
        ..signed(
            (Method::Post, "/fapi/v1/order/test"),
            "Tests an order without placing it.",
            Weight::Fixed(1),
            &NEW_ORDER,
            response_types::EMPTY,
            waits!(place::test),
        )
    },
    Endpoint {
        shape: queries::names_an_order,
        ..signed(
            (Method::Put, "/fapi/v1/order"),
            "Makes an order smaller.",
            Weight::Fixed(1),
            &AMENDMENT,
            futures_types::ACTED,
            waits!(place::amend),
        )
    },
    Endpoint {
        shape: queries::names_an_order,
        ..signed(
            (Method::Get, "/fapi/v1/order"),
            "An order as it is now.",
            Weight::Fixed(1),
            &[SYMBOL, ORDER_ID, ORIG_NAME],
            futures_types::ORDER,
            waits!(queries::order),
        )
    },
    Endpoint {
        shape: queries::names_an_order,
        ..signed(
            (Method::Delete, "/fapi/v1/order"),
            "Cancels an order.",
            Weight::Fixed(1),
            &[SYMBOL, ORDER_ID, ORIG_NAME],
            futures_types::ACTED,
            waits!(cancel::cancel),
        )
    },
    signed(
        (Method::Post, "/fapi/v1/batchOrders"),
        "Places up to five orders, each for itself.",
        Weight::Fixed(5),
        &[BATCH],
        futures_types::BATCH,
        waits!(place::place_batch),
    ),
    signed(
        (Method::Put, "/fapi/v1/batchOrders"),
        "Makes up to five orders smaller, each for itself.",
        Weight::Fixed(5),
        &[BATCH],
        futures_types::BATCH,
        waits!(place::amend_batch),
    ),
    signed(
        (Method::Delete, "/fapi/v1/batchOrders"),
        "Cancels up to ten orders, each for itself.",
        Weight::Fixed(1),
        &[SYMBOL, may("orderIdList", ParamKind::Json), may("origClientOrderIdList", ParamKind::Json)],
        futures_types::BATCH,
        waits!(cancel::cancel_batch),
    ),
    signed(
        (Method::Delete, "/fapi/v1/allOpenOrders"),
        "Cancels all open orders of a contract.",
        Weight::Fixed(1),
        &[SYMBOL],
        futures_types::DONE,
        waits!(cancel::cancel_all),
    ),
    signed(
        (Method::Post, "/fapi/v1/countdownCancelAll"),
        "Cancels all open orders of a contract after so long, unless it comes again.",
        Weight::Fixed(10),
        &[SYMBOL, must("countdownTime", ParamKind::Whole)],
        futures_types::COUNTDOWN,
        waits!(settings::countdown),
    ),
    Endpoint {
        shape: queries::names_an_order,
        ..signed(
            (Method::Get, "/fapi/v1/openOrder"),
            "An open order.",
            Weight::Fixed(1),
            &[SYMBOL, ORDER_ID, ORIG_NAME],
            futures_types::ORDER,
            waits!(queries::one_open),
        )
    },
    signed(
        (Method::Get, "/fapi/v1/openOrders"),
        "Open orders.",
        Weight::By(open_weight),
        &[ONE],
        futures_types::ORDERS,
        waits!(queries::all_open),
    ),
    Endpoint {
        shape: queries::is_a_week,
        ..signed(
            (Method::Get, "/fapi/v1/allOrders"),
            "Orders, open and done.",
            Weight::Fixed(5),
            &[SYMBOL, ORDER_ID, START, END, LIMIT],
            futures_types::ORDERS,
            waits!(queries::all_orders),
        )
    },
    Endpoint {
        shape: queries::is_a_week,
        ..signed(
            (Method::Get, "/fapi/v1/userTrades"),
            "Own fills.",
            Weight::Fixed(5),
            &[ONE, ORDER_ID, START, END, FROM_ID, LIMIT],
            futures_types::OWN_TRADES,
            waits!(queries::trades),
        )
    },
    Endpoint {
        shape: queries::is_a_week,
        ..signed(
            (Method::Get, "/fapi/v1/forceOrders"),
            "Orders of own liquidations, and of deleveraging.",
            Weight::By(forced_weight),
            &[ONE, may("autoCloseType", ParamKind::OneOf(&queries::FORCED, Wrong::Data)), START, END, LIMIT],
            futures_types::ORDERS,
            waits!(queries::forced),
        )
    },
    Endpoint {
        shape,
        ..signed(
            (Method::Post, "/fapi/v1/algoOrder"),
            "Places an order that waits for a price.",
            Weight::Fixed(1),
            &NEW_ALGO,
            futures_types::ALGO,
            waits!(conditional::place),
        )
    },
    Endpoint {
        shape: conditional::names_one,
        ..signed(
            (Method::Get, "/fapi/v1/algoOrder"),
            "An order that waits, or waited, as it is now.",
            Weight::Fixed(1),
            &[ALGO_ID, ALGO_NAME],
            futures_types::ALGO,
            waits!(conditional::find),
        )
    },
    Endpoint {
        shape: conditional::names_one,
        ..signed(
            (Method::Delete, "/fapi/v1/algoOrder"),
            "Cancels an order that waits.",
            Weight::Fixed(1),
            &[ALGO_ID, ALGO_NAME],
            futures_types::ALGO_CANCELED,
            waits!(conditional::cancel),
        )
    },
    signed(
        (Method::Delete, "/fapi/v1/algoOpenOrders"),
        "Cancels all orders of a contract that wait.",
        Weight::Fixed(1),
        &[SYMBOL],
        futures_types::DONE,
        waits!(conditional::cancel_all),
    ),
    signed(
        (Method::Get, "/fapi/v1/openAlgoOrders"),
        "Orders that wait.",
        Weight::By(open_weight),
        &[may("algoType", ALGO_TYPE), ONE, ALGO_ID],
        futures_types::ALGOS,
        waits!(conditional::all_open),
    ),
    Endpoint {
        shape: queries::is_a_week,
        ..signed(
            (Method::Get, "/fapi/v1/allAlgoOrders"),
            "Orders that wait or waited.",
            Weight::Fixed(5),
            &[SYMBOL, ALGO_ID, START, END, LIMIT],
            futures_types::ALGOS,
            waits!(conditional::all),
        )
    },
];
