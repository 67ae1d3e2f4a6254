//! Calls of stocks: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::stock;
use super::super::table::{calls, tells};
use crate::api::value_type::{Field, ValueType, has};

use ValueType::{Decimal, List, Named, Numbers, Object, Text, Whole, Words};

calls! {
    open "/api/stock/calendar" get => stock::calendar, CALENDAR_OF, tells(CALENDAR);
    open "/api/stock/actions" get => stock::actions, ACTIONS_OF, tells(ACTIONS);
}

// What they take.

const CALENDAR_OF: &[Field] = &[has("market", Words(&["us", "hk"]))];
const ACTIONS_OF: &[Field] = &[has("currency_id", Whole), has("legal_id", Whole)];

// What they answer.

const PHASE: ValueType = Words(&["open", "break", "closed"]);
const CALENDAR: ValueType = Named(
    "StockCalendar",
    &Object(&[
        has("market", Words(&["us", "hk"])),
        has("venue", Text),
        has("zone", Text).about("Of the tz database."),
        has("phase", PHASE),
        has("until_ms", Whole).about("When the phase ends; 0 when that is not known."),
        has("next_open_ms", Whole).about("0 when it is not known."),
        has("server_ms", Whole),
        has(
            "sessions",
            List(&Object(&[
                has("open_ms", Whole),
                has("close_ms", Whole),
                has("last", Numbers(&[0, 1])).about("1: the trading day ends with it."),
            ])),
        )
        .about("Of the next 14 days, the one that is under way first."),
    ]),
);
const ACTIONS: ValueType = Object(&[has(
    "list",
    List(&Named(
        "StockAction",
        &Object(&[
            has("id", Whole),
            has("kind", Words(&["split", "dividend"])),
            has("new", Whole).about("Shares of a split that take the place of `old` ones; 0 of a dividend."),
            has("old", Whole),
            has("per_share", Decimal).about("0 of a split."),
            has("withholding", Decimal).about("Percent of a dividend."),
            has("asset", Text).about("What it is paid in."),
            has("effective_ms", Whole).about("0: it is announced."),
            has("odd_price", Decimal).about("Paid for a share that is no whole board lot after a split."),
        ]),
    )),
)
.about("Newest first, at most 50.")]);

// What the quotation says of a stock.

/// The session of a stock's venue.
pub(in crate::api::app) const SESSION: ValueType = Named(
    "StockSession",
    &Object(&[
        has("venue", Text),
        has("zone", Text),
        has("phase", PHASE),
        has("until_ms", Whole).about("When the phase ends; 0 when that is not known."),
        has("next_open_ms", Whole).about("0 when it is not known."),
    ]),
);
