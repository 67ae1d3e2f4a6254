//! Calls of contracts' books: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::contract;
use super::super::fields::ID;
use super::super::forms::{IDS, SIDE, TRIGGER};
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    open "/api/contract/book" get => contract::book, PAIR, tells(BOOK);
    open "/api/contract/funding" get => contract::funding, PAIR, tells(FUNDING);
    open "/api/contract/insurance" get => contract::insurance, &[], tells(INSURANCE);
    member "/api/contract/positions" get => contract::positions, SOME_PAIR, tells(POSITIONS);
    member "/api/contract/orders" get => contract::orders, SOME_PAIR, tells(List(&ORDER));
    member "/api/contract/adl" get => contract::adl, SOME_PAIR, tells(ADL);
    member "/api/contract/preview" post reads => contract::preview, PREVIEWED, tells(PREVIEW);
    member "/api/contract/order" post => contract::order, NEW_ORDER, SAYS.and(ORDER);
    member "/api/contract/cancel" post frees => contract::cancel, ID, SAYS.and(ENDED);
    member "/api/contract/cancel_all" post frees => contract::cancel_all, PAIR, SAYS.and(ENDED);
    member "/api/contract/terms" post => contract::terms, TERMS, SAYS.and(TERMS_SET);
    member "/api/contract/margin" post => contract::margin, MARGIN, SAYS.and(MARGIN_MOVED);
}

// What they take.

const MODE: ValueType = Words(&["cross", "isolated"]);
const LEG: ValueType = Words(&["both", "long", "short"]);
const TIF: ValueType = Words(&["GTC", "IOC", "FOK", "POST_ONLY"]);
const KIND: ValueType = Words(&["limit", "market"]);
const WORKING: ValueType = Words(&["mark", "last"]);
const FLAG: ValueType = Words(&["0", "1", "true", "false"]);
const LIMIT: Field = may("target_price", Decimal).about("The limit.");
const LIMIT_TIF: Field = may("tif", TIF).about("None: GTC.");
const REDUCE_ONLY: Field = may("reduce_only", FLAG).about("It only closes.");
const CLIENT_ID: Field = may("client_id", Text);
const CURRENCY_ID: Field = has("currency_id", Whole);
const LEGAL_ID: Field = has("legal_id", Whole);
const POSITION_SIDE: Field = may("position_side", LEG).about("both without hedge mode, which is the default.");

const PAIR: &[Field] = &[CURRENCY_ID, LEGAL_ID];
const SOME_PAIR: &[Field] = &[may("currency_id", Whole).about("0 or none: of all contracts."), may("legal_id", Whole)];
const PREVIEWED: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    has("type", SIDE).about("1 buy, 2 sell."),
    has("order_type", KIND),
    has("amount", Decimal).about("Quantity of the base, a multiple of the lot."),
    LIMIT,
    LIMIT_TIF,
    REDUCE_ONLY,
    POSITION_SIDE,
    CLIENT_ID,
];
const NEW_ORDER: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    has("type", SIDE).about("1 buy, 2 sell."),
    has("order_type", KIND),
    may("amount", Decimal).about("Quantity of the base, a multiple of the lot; none with close_position."),
    LIMIT,
    LIMIT_TIF,
    REDUCE_ONLY,
    POSITION_SIDE,
    CLIENT_ID,
    may("trigger", TRIGGER).about("It waits for a price; none: it is placed now."),
    may("trigger_price", Decimal).about("With trigger: the price."),
    may("trigger_by", WORKING).about("With trigger: the price that it goes by; none: mark."),
    may("close_position", FLAG).about("With trigger, at market: it closes what there is when its price comes."),
];
const TERMS: &[Field] = &[CURRENCY_ID, LEGAL_ID, has("multiple", Whole), has("margin_mode", MODE)];
const MARGIN: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    has("type", Numbers(&[1, 2])).about("1 puts in, 2 takes out."),
    has("amount", Decimal),
    POSITION_SIDE,
];

// What they answer.

const NO_DECIMAL: ValueType = Either(&[Decimal, Null]);
const NO_WHOLE: ValueType = Either(&[Whole, Null]);
const NO_TEXT: ValueType = Either(&[Text, Null]);
const MATCH_ID: Field = has("match_id", Whole).about("The contract's id.");

const BOOK: ValueType = Named(
    "ContractBook",
    &Object(&[
        MATCH_ID,
        has("symbol", Text),
        CURRENCY_ID,
        LEGAL_ID,
        has("status", Words(&["TRADING", "CANCEL_ONLY", "HALT"])),
        has("live", Flag).about("It is open and its index is fresh; otherwise no order is taken."),
        has("index", NO_DECIMAL),
        has("index_ms", NO_WHOLE),
        has("mark", Decimal),
        has("last", NO_DECIMAL).about("The last trade's price; null before the first."),
        has("stale_after_ms", Whole),
        has("tick", Decimal),
        has("lot", Decimal),
        has("min_amount", Decimal),
        has("max_amount", Decimal),
        has("maker_fee", Decimal).about("Percent of the value, of the user's level."),
        has("taker_fee", Decimal).about("Percent of the value, of the user's level."),
        has("band", Decimal).about("How far a limit may lie from the mark, in percent."),
        has("protection", Decimal).about("How far an order at market goes from the mark, in percent."),
        has("max_multiple", Whole),
        has("multiple", Whole).about("The user's."),
        has("margin_mode", MODE).about("The user's."),
        has("hedge", Flag).about("The user has a long and a short position of each contract."),
        has(
            "brackets",
            List(&Object(&[
                has("ceiling", Decimal).about("Largest value."),
                has("max_multiple", Whole),
                has("maintenance", Decimal).about("Percent."),
                has("amount", Decimal).about("Taken off value times maintenance."),
            ])),
        ),
        has("open_interest", Decimal).about("Base of all long positions."),
        has("funding_rate", Decimal).about("Of the present period so far; 0.0001 is 0.01 %."),
        has("next_funding_ms", Whole),
    ]),
);

const POSITION: ValueType = Named(
    "ContractPosition",
    &Object(&[
        MATCH_ID,
        has("symbol", Text),
        CURRENCY_ID,
        LEGAL_ID,
        has("position_side", LEG),
        has("side", Words(&["long", "short"])),
        has("lots", Whole),
        has("amount", Decimal).about("Quantity of the base."),
        has("cost", Decimal).about("Value at entry."),
        has("entry", Decimal),
        has("mark", Decimal),
        has("value", Decimal).about("At the mark."),
        has("liq_price", NO_DECIMAL).about("Where it is liquidated while nothing else moves; null: nowhere."),
        has("bankruptcy_price", NO_DECIMAL).about("Where nothing is left of what it may lose; null: nowhere."),
        has("margin", Decimal).about("Its own; of a cross position the margin at opening, at the mark."),
        has("maintenance", Decimal),
        has("margin_mode", MODE),
        has("multiple", Whole),
        has("profits", Decimal).about("Result at the mark."),
        has("roe", Decimal).about("Result times multiple over cost, in percent."),
        has("funding", Decimal).about("Not settled yet; what it owes is negative."),
        has("risk_rate", NO_DECIMAL).about("Percent, 50 is the end; its own or its pool's."),
        has("lights", Whole).about("5: first to be deleveraged, down to 1; 0: not known yet."),
    ]),
);
const BALANCE: ValueType = Object(&[
    has("coin", Text),
    CURRENCY_ID,
    has("balance", Decimal).about("The wallet, with results that are not settled yet."),
    has("profits", Decimal).about("Results of all positions at the mark."),
    has("equity", Decimal),
    has("available", Decimal).about("What new orders may use."),
    has("position_margin", Decimal),
    has("order_margin", Decimal),
    has("maintenance", Decimal),
    has("cross_balance", Decimal).about("What of the wallet no isolated position has."),
    has("risk_rate", NO_DECIMAL).about("Of the cross pool."),
]);
const POSITIONS: ValueType =
    Object(&[has("hedge", Flag), has("positions", List(&POSITION)), has("balances", List(&BALANCE))]);

const ORDER: ValueType = Named(
    "ContractOrder",
    &Object(&[
        has("id", Whole),
        MATCH_ID,
        has("symbol", NO_TEXT).about("As streams name it."),
        has("type", SIDE).about("1 buy, 2 sell."),
        has("order_type", KIND),
        has("tif", TIF),
        has("position_side", LEG),
        has("target_price", Decimal).about("0 at market."),
        has("average_price", Decimal).about("Of what is filled; else 0."),
        has("amount", Decimal),
        has("filled_amount", Decimal),
        has("filled_total", Decimal),
        has("reduce_only", Flag),
        has("trigger", Either(&[TRIGGER, Null])).about("Of an order that waits, or waited, for a price."),
        has("trigger_price", NO_DECIMAL),
        has("trail", NO_WHOLE).about("How far it trails, in hundredths of a percent; 0: not."),
        has("trigger_by", Either(&[WORKING, Null])).about("The price that it goes by."),
        has("close_position", Flag).about("It closes what there is when its price comes; its amount is 0."),
        has("waiting", Flag),
        has("status", Numbers(&[1, 2, 3, 4])).about("1 open, 2 filled, 3 ended without, 4 partly filled."),
        has("client_id", NO_TEXT),
        has("time_ms", Whole),
        has("update_time_ms", Whole),
        may("repeated", Flag).about("It was answered before, to a request with the same key."),
    ]),
);

const ADL: ValueType = List(&Object(&[
    MATCH_ID,
    has("symbol", Text),
    CURRENCY_ID,
    LEGAL_ID,
    has("position_side", LEG),
    has("lights", Whole).about("5: first to be deleveraged, down to 1; 0: not known yet."),
]));

const FUNDING: ValueType = Named(
    "ContractFunding",
    &Object(&[
        MATCH_ID,
        has("symbol", Text),
        CURRENCY_ID,
        LEGAL_ID,
        has("rate", Decimal).about("Of the present period so far; 0.0001 is 0.01 %."),
        has("last_rate", Decimal),
        has("next_ms", Whole),
        has("period_s", Whole),
        has("interest", Decimal).about("Of eight hours."),
        has("cap", Decimal),
        has("mark", Decimal),
        has("history", List(&Object(&[has("time_ms", Whole), has("rate", Decimal), has("mark", Decimal)])))
            .about("Newest first."),
        has(
            "paid",
            List(&Object(&[has("id", Whole), has("time_ms", Whole), has("coin", Text), has("amount", Decimal)])),
        )
        .about("What the user got, newest first; what they paid is negative."),
    ]),
);

const INSURANCE: ValueType = Named(
    "ContractInsurance",
    &Object(&[
        has("funds", List(&Object(&[has("coin", Text), has("total", Decimal), has("set_apart", Decimal)]))),
        has(
            "contracts",
            List(&Object(&[
                MATCH_ID,
                has("symbol", Text),
                CURRENCY_ID,
                LEGAL_ID,
                has("coin", Text),
                has("quota", Decimal).about("What is set apart for its liquidations."),
            ])),
        ),
    ]),
);

const PREVIEW: ValueType = Named(
    "ContractPreview",
    &Object(&[
        has("price", Decimal).about("The limit; at market the average of the levels of now."),
        has("amount", Decimal).about("What of the order is taken; one that only closes is cut."),
        has("value", Decimal),
        has("opens", Decimal),
        has("closes", Decimal),
        has("in_book", Decimal).about("How much of an order at market the book has."),
        has("margin", Decimal),
        has("fee", Decimal).about("At the higher of both rates."),
        has("cost", Decimal).about("Margin and fee that are asked for."),
        has("available", Decimal),
        has("enough", Flag),
        has("multiple", Whole),
        has("margin_mode", MODE),
        has("liq_price", NO_DECIMAL).about("Of the position after it; null: nowhere."),
        has("bankruptcy_price", NO_DECIMAL),
        has("worst_case", Decimal)
            .about("The most that can be lost: isolated its margin and fee, cross the whole balance."),
        has("coin", Text),
    ]),
);

const ENDED: ValueType = Object(&[has("ids", IDS)]);
const TERMS_SET: ValueType = Object(&[has("multiple", Whole), has("margin_mode", MODE)]);
const MARGIN_MOVED: ValueType = Object(&[has("amount", Decimal).about("What was taken out is negative.")]);
