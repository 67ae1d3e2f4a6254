//! Calls about lists, replacements and private streams.
//!
//! Owns: their rows. Never does: answer one. Invariants: those of the table. Known limits: none.

use super::private::{
    NEW_NAME, NEW_ORDER, ORDER_ID, ORIG_NAME, RESPONSES, RESTRICTIONS, SIDES, STP_MODES, TIFS, TYPES, joined,
};
use super::row::{END, FROM_ID, LIMIT, START, SYMBOL, signed, waits};
use crate::api::binance::call::{Endpoint, Handler, Method, Security, Weight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::listen_key_calls as streams;
use crate::api::binance::orders::{brackets, cancel, lists, replace};
use crate::api::binance::params::{Args, Param, ParamKind, Wrong, may, must};
use crate::api::binance::response_types;
use crate::api::value_type::ValueType;
use xng_core::entity::CommandClass;

const LEG_TYPES: ParamKind = ParamKind::OneOf(
    &["STOP_LOSS_LIMIT", "STOP_LOSS", "LIMIT_MAKER", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"],
    Wrong::OrderType,
);
const WORKING_TYPES: ParamKind = ParamKind::OneOf(&["LIMIT", "LIMIT_MAKER"], Wrong::OrderType);
const MODES: ParamKind = ParamKind::OneOf(&["STOP_ON_FAILURE", "ALLOW_FAILURE"], Wrong::Data);
const RATE_MODES: ParamKind = ParamKind::OneOf(&["DO_NOTHING", "CANCEL_ONLY"], Wrong::Data);

const LIST_ID: Param = may("orderListId", ParamKind::Whole);
const LIST_NAME: Param = may("listClientOrderId", ParamKind::Name);
const LISTEN_KEY: Param = must("listenKey", ParamKind::Text);

fn pair_shape(args: &Args) -> Result<(), ApiError> {
    lists::pair(args).map(drop)
}

fn old_pair_shape(args: &Args) -> Result<(), ApiError> {
    lists::old_pair(args).map(drop)
}

fn oto_shape(args: &Args) -> Result<(), ApiError> {
    brackets::oto(args).map(drop)
}

fn otoco_shape(args: &Args) -> Result<(), ApiError> {
    brackets::otoco(args).map(drop)
}

/// A call that needs a key and no signature.
const fn keyed(
    (method, path): (Method, &'static str),
    about: &'static str,
    params: &'static [Param],
    answer: ValueType,
    handler: Handler,
) -> Endpoint {
    let call = signed((method, path), about, Weight::Fixed(2), params, answer, handler);
    Endpoint { security: Security::Key, class: CommandClass::ReadOnly, ..call }
}

/// The rows.
pub(super) const CALLS: &[Endpoint] = &[
    Endpoint {
        shape: pair_shape,
        ..signed(
            (Method::Post, "/api/v3/orderList/oco"),
            "Places two orders of which one cancels the other.",
            Weight::Fixed(1),
            &[
                SYMBOL,
                LIST_NAME,
                must("side", SIDES),
                must("quantity", ParamKind::Amount),
                must("aboveType", LEG_TYPES),
                may("aboveClientOrderId", ParamKind::Name),
                may("aboveIcebergQty", ParamKind::Amount),
                may("abovePrice", ParamKind::Amount),
                may("aboveStopPrice", ParamKind::Amount),
                may("aboveTrailingDelta", ParamKind::Whole),
                may("aboveTimeInForce", TIFS),
                may("aboveStrategyId", ParamKind::Whole),
                may("aboveStrategyType", ParamKind::Whole),
                must("belowType", LEG_TYPES),
                may("belowClientOrderId", ParamKind::Name),
                may("belowIcebergQty", ParamKind::Amount),
                may("belowPrice", ParamKind::Amount),
                may("belowStopPrice", ParamKind::Amount),
                may("belowTrailingDelta", ParamKind::Whole),
                may("belowTimeInForce", TIFS),
                may("belowStrategyId", ParamKind::Whole),
                may("belowStrategyType", ParamKind::Whole),
                may("newOrderRespType", RESPONSES),
                may("selfTradePreventionMode", STP_MODES),
            ],
            response_types::LISTED,
            waits!(lists::place_pair),
        )
    },
    Endpoint {
        shape: old_pair_shape,
        ..signed(
            (Method::Post, "/api/v3/order/oco"),
            "Places a limit maker and a stop of which one cancels the other: the deprecated form.",
            Weight::Fixed(1),
            &[
                SYMBOL,
                LIST_NAME,
                must("side", SIDES),
                must("quantity", ParamKind::Amount),
                may("limitClientOrderId", ParamKind::Name),
                must("price", ParamKind::Amount),
                may("limitStrategyId", ParamKind::Whole),
                may("limitStrategyType", ParamKind::Whole),
                may("limitIcebergQty", ParamKind::Amount),
                may("trailingDelta", ParamKind::Whole),
                may("stopClientOrderId", ParamKind::Name),
                must("stopPrice", ParamKind::Amount),
                may("stopStrategyId", ParamKind::Whole),
                may("stopStrategyType", ParamKind::Whole),
                may("stopLimitPrice", ParamKind::Amount),
                may("stopIcebergQty", ParamKind::Amount),
                may("stopLimitTimeInForce", TIFS),
                may("newOrderRespType", RESPONSES),
                may("selfTradePreventionMode", STP_MODES),
            ],
            response_types::LISTED,
            waits!(lists::place_old_pair),
        )
    },
    Endpoint {
        shape: oto_shape,
        ..signed(
            (Method::Post, "/api/v3/orderList/oto"),
            "Places an order that brings another one when it is filled.",
            Weight::Fixed(1),
            &OTO,
            response_types::LISTED,
            waits!(brackets::place_oto),
        )
    },
    Endpoint {
        shape: otoco_shape,
        ..signed(
            (Method::Post, "/api/v3/orderList/otoco"),
            "Places an order that brings two others when it is filled, of which one cancels the other.",
            Weight::Fixed(1),
            &OTOCO,
            response_types::LISTED,
            waits!(brackets::place_otoco),
        )
    },
    Endpoint {
        shape: lists::names_a_list,
        ..signed(
            (Method::Delete, "/api/v3/orderList"),
            "Cancels all orders of a list.",
            Weight::Fixed(1),
            &[SYMBOL, LIST_ID, LIST_NAME, NEW_NAME],
            response_types::LISTED,
            waits!(lists::cancel),
        )
    },
    Endpoint {
        shape: lists::asks_for_a_list,
        ..signed(
            (Method::Get, "/api/v3/orderList"),
            "A list of orders as it is now.",
            Weight::Fixed(4),
            &[LIST_ID, ORIG_NAME],
            response_types::LISTED,
            waits!(lists::one_list),
        )
    },
    signed(
        (Method::Get, "/api/v3/openOrderList"),
        "Lists with an open order.",
        Weight::Fixed(6),
        &[],
        response_types::LISTS,
        waits!(lists::open_lists),
    ),
    Endpoint {
        shape: lists::all_shape,
        ..signed(
            (Method::Get, "/api/v3/allOrderList"),
            "Lists, open and done.",
            Weight::Fixed(20),
            &[FROM_ID, START, END, LIMIT],
            response_types::LISTS,
            waits!(lists::all_lists),
        )
    },
    Endpoint {
        shape: replace::shape,
        ..signed(
            (Method::Post, "/api/v3/order/cancelReplace"),
            "Cancels an order and places another one, which may use what the first had locked.",
            Weight::Fixed(1),
            &REPLACEMENT,
            response_types::REPLACED,
            waits!(replace::replace),
        )
    },
    Endpoint {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Put, "/api/v3/order/amend/keepPriority"),
            "Makes an order smaller in its place.",
            Weight::Fixed(4),
            &[SYMBOL, ORDER_ID, ORIG_NAME, NEW_NAME, must("newQty", ParamKind::Amount)],
            response_types::AMENDED,
            waits!(replace::amend),
        )
    },
    keyed(
        (Method::Post, "/api/v3/userDataStream"),
        "Begins a private stream.",
        &[],
        response_types::LISTEN_KEY,
        waits!(streams::start),
    ),
    keyed(
        (Method::Put, "/api/v3/userDataStream"),
        "Keeps it alive.",
        &[LISTEN_KEY],
        response_types::EMPTY,
        waits!(streams::extend),
    ),
    keyed(
        (Method::Delete, "/api/v3/userDataStream"),
        "Ends it.",
        &[LISTEN_KEY],
        response_types::EMPTY,
        waits!(streams::end),
    ),
];

/// A first order that brings others.
const WORKING: [Param; 13] = [
    SYMBOL,
    LIST_NAME,
    may("newOrderRespType", RESPONSES),
    may("selfTradePreventionMode", STP_MODES),
    must("workingType", WORKING_TYPES),
    must("workingSide", SIDES),
    may("workingClientOrderId", ParamKind::Name),
    must("workingPrice", ParamKind::Amount),
    must("workingQuantity", ParamKind::Amount),
    may("workingIcebergQty", ParamKind::Amount),
    may("workingTimeInForce", TIFS),
    may("workingStrategyId", ParamKind::Whole),
    may("workingStrategyType", ParamKind::Whole),
];

const OTO: [Param; 24] = joined(
    WORKING,
    [
        must("pendingType", TYPES),
        must("pendingSide", SIDES),
        may("pendingClientOrderId", ParamKind::Name),
        may("pendingPrice", ParamKind::Amount),
        may("pendingStopPrice", ParamKind::Amount),
        may("pendingTrailingDelta", ParamKind::Whole),
        must("pendingQuantity", ParamKind::Amount),
        may("pendingIcebergQty", ParamKind::Amount),
        may("pendingTimeInForce", TIFS),
        may("pendingStrategyId", ParamKind::Whole),
        may("pendingStrategyType", ParamKind::Whole),
    ],
);

const OTOCO: [Param; 33] = joined(
    WORKING,
    [
        must("pendingSide", SIDES),
        must("pendingQuantity", ParamKind::Amount),
        must("pendingAboveType", LEG_TYPES),
        may("pendingAboveClientOrderId", ParamKind::Name),
        may("pendingAbovePrice", ParamKind::Amount),
        may("pendingAboveStopPrice", ParamKind::Amount),
        may("pendingAboveTrailingDelta", ParamKind::Whole),
        may("pendingAboveIcebergQty", ParamKind::Amount),
        may("pendingAboveTimeInForce", TIFS),
        may("pendingAboveStrategyId", ParamKind::Whole),
        may("pendingAboveStrategyType", ParamKind::Whole),
        must("pendingBelowType", LEG_TYPES),
        may("pendingBelowClientOrderId", ParamKind::Name),
        may("pendingBelowPrice", ParamKind::Amount),
        may("pendingBelowStopPrice", ParamKind::Amount),
        may("pendingBelowTrailingDelta", ParamKind::Whole),
        may("pendingBelowIcebergQty", ParamKind::Amount),
        may("pendingBelowTimeInForce", TIFS),
        may("pendingBelowStrategyId", ParamKind::Whole),
        may("pendingBelowStrategyType", ParamKind::Whole),
    ],
);

/// A new order's parameters, and those of the cancel before it.
const REPLACEMENT: [Param; 21] = joined(
    NEW_ORDER,
    [
        must("cancelReplaceMode", MODES),
        may("cancelNewClientOrderId", ParamKind::Name),
        may("cancelOrigClientOrderId", ParamKind::Name),
        may("cancelOrderId", ParamKind::Whole),
        may("cancelRestrictions", RESTRICTIONS),
        may("orderRateLimitExceededMode", RATE_MODES),
    ],
);
