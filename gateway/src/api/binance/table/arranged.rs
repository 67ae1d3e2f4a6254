//! Calls about lists, replacements and private streams.
//!
//! Owns: their rows. Never does: answer one. Invariants: those of the table. Known limits: none.

use super::private::{
    NEW_NAME, NEW_ORDER, ORDER_ID, ORIG_NAME, RESPONSES, RESTRICTIONS, SIDES, STP_MODES, TIFS, TYPES, joined,
};
use super::row::{END, FROM_ID, LIMIT, START, SYMBOL, signed, waits};
use crate::api::binance::call::{Call, Handler, Method, Security, Weight};
use crate::api::binance::errors::ApiError;
use crate::api::binance::forms;
use crate::api::binance::listen_key_calls as streams;
use crate::api::binance::orders::{brackets, cancel, lists, replace};
use crate::api::binance::params::{Args, Kind, Param, Wrong, may, must};
use crate::api::form::Form;
use xng_core::entity::CommandClass;

const LEG_TYPES: Kind =
    Kind::OneOf(&["STOP_LOSS_LIMIT", "STOP_LOSS", "LIMIT_MAKER", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"], Wrong::OrderType);
const WORKING_TYPES: Kind = Kind::OneOf(&["LIMIT", "LIMIT_MAKER"], Wrong::OrderType);
const MODES: Kind = Kind::OneOf(&["STOP_ON_FAILURE", "ALLOW_FAILURE"], Wrong::Data);
const RATE_MODES: Kind = Kind::OneOf(&["DO_NOTHING", "CANCEL_ONLY"], Wrong::Data);

const LIST_ID: Param = may("orderListId", Kind::Whole);
const LIST_NAME: Param = may("listClientOrderId", Kind::Name);
const LISTEN_KEY: Param = must("listenKey", Kind::Text);

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
    answer: Form,
    handler: Handler,
) -> Call {
    let call = signed((method, path), about, Weight::Fixed(2), params, answer, handler);
    Call { security: Security::Key, class: CommandClass::Reads, ..call }
}

/// The rows.
pub(super) const CALLS: &[Call] = &[
    Call {
        shape: pair_shape,
        ..signed(
            (Method::Post, "/api/v3/orderList/oco"),
            "Places two orders of which one cancels the other.",
            Weight::Fixed(1),
            &[
                SYMBOL,
                LIST_NAME,
                must("side", SIDES),
                must("quantity", Kind::Amount),
                must("aboveType", LEG_TYPES),
                may("aboveClientOrderId", Kind::Name),
                may("aboveIcebergQty", Kind::Amount),
                may("abovePrice", Kind::Amount),
                may("aboveStopPrice", Kind::Amount),
                may("aboveTrailingDelta", Kind::Whole),
                may("aboveTimeInForce", TIFS),
                may("aboveStrategyId", Kind::Whole),
                may("aboveStrategyType", Kind::Whole),
                must("belowType", LEG_TYPES),
                may("belowClientOrderId", Kind::Name),
                may("belowIcebergQty", Kind::Amount),
                may("belowPrice", Kind::Amount),
                may("belowStopPrice", Kind::Amount),
                may("belowTrailingDelta", Kind::Whole),
                may("belowTimeInForce", TIFS),
                may("belowStrategyId", Kind::Whole),
                may("belowStrategyType", Kind::Whole),
                may("newOrderRespType", RESPONSES),
                may("selfTradePreventionMode", STP_MODES),
            ],
            forms::LISTED,
            waits!(lists::place_pair),
        )
    },
    Call {
        shape: old_pair_shape,
        ..signed(
            (Method::Post, "/api/v3/order/oco"),
            "Places a limit maker and a stop of which one cancels the other: the deprecated form.",
            Weight::Fixed(1),
            &[
                SYMBOL,
                LIST_NAME,
                must("side", SIDES),
                must("quantity", Kind::Amount),
                may("limitClientOrderId", Kind::Name),
                must("price", Kind::Amount),
                may("limitStrategyId", Kind::Whole),
                may("limitStrategyType", Kind::Whole),
                may("limitIcebergQty", Kind::Amount),
                may("trailingDelta", Kind::Whole),
                may("stopClientOrderId", Kind::Name),
                must("stopPrice", Kind::Amount),
                may("stopStrategyId", Kind::Whole),
                may("stopStrategyType", Kind::Whole),
                may("stopLimitPrice", Kind::Amount),
                may("stopIcebergQty", Kind::Amount),
                may("stopLimitTimeInForce", TIFS),
                may("newOrderRespType", RESPONSES),
                may("selfTradePreventionMode", STP_MODES),
            ],
            forms::LISTED,
            waits!(lists::place_old_pair),
        )
    },
    Call {
        shape: oto_shape,
        ..signed(
            (Method::Post, "/api/v3/orderList/oto"),
            "Places an order that brings another one when it is filled.",
            Weight::Fixed(1),
            &OTO,
            forms::LISTED,
            waits!(brackets::place_oto),
        )
    },
    Call {
        shape: otoco_shape,
        ..signed(
            (Method::Post, "/api/v3/orderList/otoco"),
            "Places an order that brings two others when it is filled, of which one cancels the other.",
            Weight::Fixed(1),
            &OTOCO,
            forms::LISTED,
            waits!(brackets::place_otoco),
        )
    },
    Call {
        shape: lists::names_a_list,
        ..signed(
            (Method::Delete, "/api/v3/orderList"),
            "Cancels all orders of a list.",
            Weight::Fixed(1),
            &[SYMBOL, LIST_ID, LIST_NAME, NEW_NAME],
            forms::LISTED,
            waits!(lists::cancel),
        )
    },
    Call {
        shape: lists::asks_for_a_list,
        ..signed(
            (Method::Get, "/api/v3/orderList"),
            "A list of orders as it is now.",
            Weight::Fixed(4),
            &[LIST_ID, ORIG_NAME],
            forms::LISTED,
            waits!(lists::one_list),
        )
    },
    signed(
        (Method::Get, "/api/v3/openOrderList"),
        "Lists with an open order.",
        Weight::Fixed(6),
        &[],
        forms::LISTS,
        waits!(lists::open_lists),
    ),
    Call {
        shape: lists::all_shape,
        ..signed(
            (Method::Get, "/api/v3/allOrderList"),
            "Lists, open and done.",
            Weight::Fixed(20),
            &[FROM_ID, START, END, LIMIT],
            forms::LISTS,
            waits!(lists::all_lists),
        )
    },
    Call {
        shape: replace::shape,
        ..signed(
            (Method::Post, "/api/v3/order/cancelReplace"),
            "Cancels an order and places another one, which may use what the first had locked.",
            Weight::Fixed(1),
            &REPLACEMENT,
            forms::REPLACED,
            waits!(replace::replace),
        )
    },
    Call {
        shape: cancel::names_an_order,
        ..signed(
            (Method::Put, "/api/v3/order/amend/keepPriority"),
            "Makes an order smaller in its place.",
            Weight::Fixed(4),
            &[SYMBOL, ORDER_ID, ORIG_NAME, NEW_NAME, must("newQty", Kind::Amount)],
            forms::AMENDED,
            waits!(replace::amend),
        )
    },
    keyed(
        (Method::Post, "/api/v3/userDataStream"),
        "Begins a private stream.",
        &[],
        forms::LISTEN_KEY,
        waits!(streams::start),
    ),
    keyed(
        (Method::Put, "/api/v3/userDataStream"),
        "Keeps it alive.",
        &[LISTEN_KEY],
        forms::EMPTY,
        waits!(streams::extend),
    ),
    keyed((Method::Delete, "/api/v3/userDataStream"), "Ends it.", &[LISTEN_KEY], forms::EMPTY, waits!(streams::end)),
];

/// A first order that brings others.
const WORKING: [Param; 13] = [
    SYMBOL,
    LIST_NAME,
    may("newOrderRespType", RESPONSES),
    may("selfTradePreventionMode", STP_MODES),
    must("workingType", WORKING_TYPES),
    must("workingSide", SIDES),
    may("workingClientOrderId", Kind::Name),
    must("workingPrice", Kind::Amount),
    must("workingQuantity", Kind::Amount),
    may("workingIcebergQty", Kind::Amount),
    may("workingTimeInForce", TIFS),
    may("workingStrategyId", Kind::Whole),
    may("workingStrategyType", Kind::Whole),
];

const OTO: [Param; 24] = joined(
    WORKING,
    [
        must("pendingType", TYPES),
        must("pendingSide", SIDES),
        may("pendingClientOrderId", Kind::Name),
        may("pendingPrice", Kind::Amount),
        may("pendingStopPrice", Kind::Amount),
        may("pendingTrailingDelta", Kind::Whole),
        must("pendingQuantity", Kind::Amount),
        may("pendingIcebergQty", Kind::Amount),
        may("pendingTimeInForce", TIFS),
        may("pendingStrategyId", Kind::Whole),
        may("pendingStrategyType", Kind::Whole),
    ],
);

const OTOCO: [Param; 33] = joined(
    WORKING,
    [
        must("pendingSide", SIDES),
        must("pendingQuantity", Kind::Amount),
        must("pendingAboveType", LEG_TYPES),
        may("pendingAboveClientOrderId", Kind::Name),
        may("pendingAbovePrice", Kind::Amount),
        may("pendingAboveStopPrice", Kind::Amount),
        may("pendingAboveTrailingDelta", Kind::Whole),
        may("pendingAboveIcebergQty", Kind::Amount),
        may("pendingAboveTimeInForce", TIFS),
        may("pendingAboveStrategyId", Kind::Whole),
        may("pendingAboveStrategyType", Kind::Whole),
        must("pendingBelowType", LEG_TYPES),
        may("pendingBelowClientOrderId", Kind::Name),
        may("pendingBelowPrice", Kind::Amount),
        may("pendingBelowStopPrice", Kind::Amount),
        may("pendingBelowTrailingDelta", Kind::Whole),
        may("pendingBelowIcebergQty", Kind::Amount),
        may("pendingBelowTimeInForce", TIFS),
        may("pendingBelowStrategyId", Kind::Whole),
        may("pendingBelowStrategyType", Kind::Whole),
    ],
);

/// A new order's parameters, and those of the cancel before it.
const REPLACEMENT: [Param; 21] = joined(
    NEW_ORDER,
    [
        must("cancelReplaceMode", MODES),
        may("cancelNewClientOrderId", Kind::Name),
        may("cancelOrigClientOrderId", Kind::Name),
        may("cancelOrderId", Kind::Whole),
        may("cancelRestrictions", RESTRICTIONS),
        may("orderRateLimitExceededMode", RATE_MODES),
    ],
);
