//! Calls of spot orders: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::fields::{ID, LIMIT, PAGE};
use super::super::forms::{IDS, KIND, ORDER, SEQ, SIDE, STATUS, TIF, TRIGGER};
use super::super::spot;
use super::super::table::{SAYS, calls, tells};
use super::order_groups;
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, More, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    member "/api/coin/trade" post => spot::place, PLACE, SAYS.and(PLACED);
    member "/api/coin/stop" post => order_groups::stop, STOP, SAYS.and(GROUP_PLACED);
    member "/api/coin/oco" post => order_groups::oco, OCO, SAYS.and(GROUP_PLACED);
    member "/api/coin/cancel" post frees => spot::cancel, CANCEL, SAYS.and(CANCELED);
    member "/api/coin/trade" put frees => spot::cancel, CANCEL, SAYS.and(CANCELED);
    member "/api/coin/cancel_all" post frees => spot::cancel_all, PAIR, SAYS.and(CANCELED_ALL);
    member "/api/coin/list" get => spot::orders, ORDER_PAGE, tells(ORDERS).beside(ORDERS_BESIDE);
    member "/api/coin/detail" get => spot::detail, ID, tells(ORDER_DETAIL);
    member "/api/coin/trades" get => spot::trades, TRADE_PAGE, tells(FILLS);
    member "/api/coin/request" get => spot::request, REQUEST, tells(FATE);
}

// What they take.

const CLIENT_ID: Field = may("client_id", Text);
const CURRENCY_ID: Field = has("currency_id", Whole);
const LEGAL_ID: Field = has("legal_id", Whole);
const TYPE: Field = has("type", SIDE).about("1 buy, 2 sell.");
const TRIGGER_PRICE: Field = may("trigger_price", Decimal);
const PLACE: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    TYPE,
    may("order_type", KIND),
    may("target_price", Decimal),
    may("amount", Decimal),
    may("quote_amount", Decimal),
    may("tif", TIF).about("DAY for stocks only, where it is what is taken without it."),
    may("pay_with", Text)
        .about("A purchase of stocks: the money that is converted into theirs first; wants an Idempotency-Key."),
    CLIENT_ID,
];
const STOP: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    TYPE,
    has("amount", Decimal),
    has("trigger", TRIGGER),
    TRIGGER_PRICE,
    may("target_price", Decimal).about("None: at market."),
    may("trail", Decimal).about("Percent."),
];
const OCO: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    TYPE,
    has("amount", Decimal),
    has("target_price", Decimal),
    TRIGGER_PRICE,
    may("stop_price", Decimal).about("None: at market."),
];
const CANCEL: &[Field] = &[may("id", Whole), CLIENT_ID];
const PAIR: &[Field] = &[may("currency_id", Whole), may("legal_id", Whole)];
const ORDER_PAGE: &[Field] = &[
    may("currency_id", Whole),
    may("legal_id", Whole),
    may("type", Numbers(&[0, 1, 2])),
    may("status", Numbers(&[-1, 0, 1, 2, 3, 4])).about("1: all that are open. 0 and -1: all."),
    PAGE,
    LIMIT,
];
const TRADE_PAGE: &[Field] = &[may("currency_id", Whole), may("legal_id", Whole), PAGE, LIMIT];
const REQUEST: &[Field] = &[has("key", Text)];

// What they answer.

const FILL: ValueType = Named(
    "Fill",
    &Object(&[
        has("id", Whole),
        has("order_id", Whole),
        has("match_id", Whole),
        has("symbol", Text),
        has("type", SIDE).about("1 buy, 2 sell."),
        has("price", Decimal),
        has("amount", Decimal),
        has("quote_amount", Decimal),
        has("fee", Decimal),
        has("fee_currency", Text),
        has("role", Words(&["maker", "taker"])),
        has("created_at", Text),
        has("created_at_ms", Whole),
    ]),
);
const ORDERS: ValueType = List(&ORDER);
const ORDERS_BESIDE: &[Field] = &[SEQ];
const ORDER_DETAIL: ValueType = Named("OrderDetail", &More(&ORDER, &[has("fills", FILLS)]));
const FILLS: ValueType = List(&FILL);

const REPEATED: Field = may("repeated", Flag).about("It was answered before, to a request with the same key.");
const PLACED: ValueType = Object(&[
    has("id", Whole),
    has("order_no", Text),
    has("filled_amount", Decimal),
    has("filled_total", Decimal),
    has("status", STATUS),
    has("queued", Numbers(&[0, 1])).about("1: it waits for the open of a stock's market."),
    REPEATED,
]);
const GROUP_PLACED: ValueType =
    Object(&[has("id", Whole), has("order_no", Text), has("ids", IDS), has("status", STATUS), REPEATED]);
const CANCELED: ValueType = Object(&[has("ids", IDS).about("All that are gone."), REPEATED]);
const CANCELED_ALL: ValueType = Object(&[has("ids", IDS)]);
const FATE: ValueType = Object(&[
    has("status", Words(&["done", "pending", "unknown"])),
    has(
        "data",
        Either(&[
            More(&ORDER, &[REPEATED]),
            GROUP_PLACED,
            Object(&[has("id", Whole), has("order_no", Text), REPEATED]),
            Null,
        ]),
    )
    .about("Of a request that is done: its order as it is now, or the ids of its orders."),
]);
