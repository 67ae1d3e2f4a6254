//! Calls of contracts: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::fields::{ID, LIMIT, PAGE};
use super::super::forms::{IDS, SIDE, page_of};
use super::super::lever;
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    open "/api/lever/deal" post reads => lever::deal, PAIR, tells(DEAL);
    member "/api/lever/submit" post => lever::submit, SUBMIT, SAYS.and(SUBMITTED);
    member "/api/lever/dealall" post reads => lever::deal_all, OF_PAIR, tells(DEAL_ALL);
    member "/api/lever/my_trade" post reads => lever::my_trade, TICKET_PAGE, tells(MY_TRADE);
    member "/api/lever/close" post frees => lever::close, ID, SAYS.and(CLOSED);
    member "/api/lever/cancel" post frees => lever::cancel, ID, SAYS.and(CLOSED);
    member "/api/lever/setstop" post => lever::set_stop, STOPS, SAYS.and(CLOSED);
    member "/api/lever/batch_close" post frees => lever::batch_close, BATCH, SAYS.and(BATCH_CLOSED);
}

// What they take.

const MODE: ValueType = Words(&["cross", "isolated"]);
const CURRENCY_ID: Field = has("currency_id", Whole);
const LEGAL_ID: Field = has("legal_id", Whole);
const TAKE_PROFIT: Field = may("target_profit_price", Decimal).about("0 or none: without.");
const STOP_LOSS: Field = may("stop_loss_price", Decimal).about("0 or none: without.");
const TICKET_STATUS: ValueType = Numbers(&[-1, 0, 1, 2, 3, 4]);
const WHICH: Field =
    may("status", TICKET_STATUS).about("0 waits for its price, 1 open, 2 closing, 3 closed, 4 cancelled, -1 all.");

const PAIR: &[Field] = &[CURRENCY_ID, LEGAL_ID];
const SUBMIT: &[Field] = &[
    CURRENCY_ID,
    LEGAL_ID,
    has("type", SIDE).about("1 long, 2 short."),
    has("share", Decimal).about("Lots, a whole number."),
    has("multiple", Whole),
    has("status", Numbers(&[0, 1])).about("1 at the index, 0 at target_price."),
    may("target_price", Decimal),
    may("margin_mode", MODE).about("None: cross."),
    TAKE_PROFIT,
    STOP_LOSS,
    may("password", Text).about("Not looked at."),
];
const OF_PAIR: &[Field] = &[CURRENCY_ID, LEGAL_ID, WHICH, PAGE, LIMIT];
const TICKET_PAGE: &[Field] =
    &[may("currency_id", Whole).about("0: of all contracts."), may("legal_id", Whole), WHICH, PAGE, LIMIT];
const STOPS: &[Field] = &[has("id", Whole), TAKE_PROFIT, STOP_LOSS];
const BATCH: &[Field] = &[
    has("type", Numbers(&[0, 1, 2])).about("0 all, 1 longs only, 2 shorts only."),
    may("currency_id", Whole),
    may("legal_id", Whole),
];

// What they answer.

const NO_DECIMAL: ValueType = Either(&[Decimal, Null]);
const NO_WHOLE: ValueType = Either(&[Whole, Null]);

pub(in crate::api::app) const TICKET: ValueType = Named(
    "LeverTicket",
    &Object(&[
        has("id", Whole),
        has("user_id", Whole),
        has("type", SIDE).about("1 long, 2 short."),
        has("type_name", Text),
        has("order_type", Numbers(&[1, 2])).about("1 own, 2 copied."),
        has("status", Numbers(&[0, 1, 2, 3, 4]))
            .about("0 waits for its price, 1 open, 2 closing, 3 closed, 4 cancelled."),
        has("status_name", Text),
        has("symbol", Text),
        has("match_id", Whole).about("The contract's id."),
        has("currency", Whole),
        has("legal", Whole),
        has("currency_id", Whole),
        has("legal_id", Whole),
        has("share", Decimal).about("Lots."),
        has("number", Decimal).about("Quantity of the base."),
        has("multiple", Whole),
        has("origin_price", Decimal).about("The price that was asked for; of one at the index its price."),
        has("price", Decimal).about("At which it was opened, or will be."),
        has("update_price", Decimal).about("The index, of one that ended the index then."),
        has("target_profit_price", Decimal).about("0: none."),
        has("stop_loss_price", Decimal).about("0: none."),
        has("origin_caution_money", Decimal).about("Margin at opening."),
        has("caution_money", Decimal).about("Margin."),
        has("trade_fee", Decimal),
        has("overnight", Decimal).about("Percent of the value for a night."),
        has("overnight_money", Decimal).about("What nights cost so far."),
        has("profits", Decimal).about("Result at the index; of one that is closed its result."),
        has("fact_profits", Decimal).about(
            "What its owner gained or lost by one that is closed, without what opening and nights cost; else 0.",
        ),
        has("margin_mode", MODE),
        has("liq_price", NO_DECIMAL).about("Where it is liquidated while nothing else moves; null: nowhere."),
        has("risk_rate", NO_DECIMAL).about("Percent, 50 is the end; null of one that is not open."),
        has("follow_user_id", Whole).about("The trader of a copy; else 0."),
        has("follow_order_id", Whole).about("The trader's ticket of a copy; else 0."),
        has("transaction_time", Text),
        has("transaction_time_ms", Whole),
        has("create_time", Text),
        has("create_time_ms", Whole),
        has("time", Text),
        has("time_ms", Whole),
        has("handle_time", Text).about("When it ended; empty before."),
        has("handle_time_ms", NO_WHOLE),
        has("complete_time", Text).about("When it ended; empty before."),
        has("complete_time_ms", NO_WHOLE),
        has("close_reason", Words(&["", "user", "batch", "tp", "sl", "liquidation", "copy"])),
    ]),
);
const TICKETS: ValueType = List(&TICKET);
const PAGE_OF_TICKETS: ValueType = page_of!("LeverTicketPage", TICKET);

const LEVELS: ValueType = List(&Object(&[has("price", Decimal), has("number", Decimal)]));
const VALUES: ValueType = List(&Object(&[has("value", Whole)]));
const CONTRACT: ValueType = Named(
    "LeverContract",
    &Object(&[
        has("id", Whole),
        has("symbol", Text),
        has("status", Words(&["TRADING", "CANCEL_ONLY", "HALT"])),
        has("live", Flag)
            .about("It is open and its index is fresh; otherwise nothing is opened, closed or liquidated."),
        has("index", NO_DECIMAL),
        has("index_ms", NO_WHOLE).about("When the index was made."),
        has("stale_after_ms", Whole),
        has("tick", Decimal),
        has("lot", Decimal).about("Quantity of the base in a lot."),
        has("spread", Decimal).about("Percent."),
        has("trade_fee", Decimal).about("Percent of the value at opening, of the user's level."),
        has("overnight", Decimal).about("Percent of the value for a night."),
        has("account_cap", Decimal).about("Largest value of all tickets of one user."),
        has(
            "brackets",
            List(&Object(&[
                has("ceiling", Decimal).about("Largest value."),
                has("max_multiple", Whole),
                has("maintenance", Decimal).about("Percent."),
                has("amount", Decimal).about("Taken off value times maintenance."),
            ])),
        ),
    ]),
);
const DEAL: ValueType = Object(&[
    has("lever_transaction", Object(&[has("in", LEVELS), has("out", LEVELS)]))
        .about("The best five bids and asks of the pair's spot book: tickets have none."),
    has("my_transaction", TICKETS).about("The latest ten that are open or wait for their price."),
    has("lever_share_limit", Object(&[has("min", Whole), has("max", Whole)])),
    has("multiple", Object(&[has("muit", VALUES), has("share", VALUES)])),
    has("last_price", Decimal),
    has("mark_price", Decimal),
    has("user_lever", Decimal).about("What is available."),
    has("all_levers", Decimal).about("Value of all own tickets at their prices."),
    has("ustd_price", Decimal),
    has("ExRAte", Decimal),
    has("contract", CONTRACT),
]);
const DEAL_ALL: ValueType = Object(&[
    has("balance", Decimal),
    has("hazard_rate", Decimal).about("Percent, 50 is the end; 0 without a cross ticket."),
    has("caution_money_total", Decimal),
    has("origin_caution_money_total", Decimal),
    has("profits_total", Decimal),
    has("caution_money", Decimal).about("Of this contract alone, as what follows."),
    has("origin_caution_money", Decimal),
    has("profits", Decimal),
    has("order", PAGE_OF_TICKETS),
]);
const MY_TRADE: ValueType = Object(&[
    has("rate_profits_total", Object(&[has("hazard_rate", Decimal), has("profits_total", Decimal)])),
    has("message", PAGE_OF_TICKETS),
    has("data", TICKETS),
]);

const REPEATED: Field = may("repeated", Flag).about("It was answered before, to a request with the same key.");
const SUBMITTED: ValueType = Object(&[has("id", Whole), has("order_no", Text), REPEATED]);
const CLOSED: ValueType = Object(&[has("id", Whole), REPEATED]);
const BATCH_CLOSED: ValueType = Object(&[has("ids", IDS).about("What was open before."), REPEATED]);
