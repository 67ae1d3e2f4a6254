//! Calls of coupons: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::coupon;
use super::super::fields::{LIMIT, PAGE};
use super::super::forms::page_of;
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    member "/api/coupon/list" get => coupon::list, COUPONS_OF, tells(COUPONS);
    member "/api/coupon/use" post => coupon::cash, USE, SAYS.and(CHANGED);
    member "/api/coupon/exchange" post => coupon::exchange, EXCHANGE, SAYS.and(CHANGED);
}

// What they take.

const STATUS: ValueType = Numbers(&[0, 1, 2]);
const COUPONS_OF: &[Field] =
    &[may("status", STATUS).about("0: unused, the default. 1: used. 2: expired or taken back."), PAGE, LIMIT];
const USE: &[Field] = &[has("id", Whole)];
const EXCHANGE: &[Field] =
    &[has("code", Text)
        .about("Letters and digits; small and large ones are the same, hyphens and blanks are not read.")];

// What they answer.

const CHANGED: ValueType =
    Either(&[Object(&[may("repeated", Flag).about("It was answered before, to a request with the same key.")]), Null]);

const COUPONS: ValueType = page_of!(
    "CouponPage",
    Named(
        "Coupon",
        &Object(&[
            has("id", Whole),
            has("name", Text).about("Of its campaign."),
            has("kind", Words(&["cash", "micro_bonus"]))
                .about("cash: its value comes into the spot wallet. micro_bonus: it is the stake of a seconds option."),
            has("price", Decimal).about("Its value."),
            has("unit", Text).about("What the value is in."),
            has("project_name", Text).about("What it is good for, in the reader's language."),
            has("min_amount", Decimal).about("Always 0."),
            has("status", STATUS),
            has("revoked", Flag).about("Of status 2: it was taken back."),
            has("created_at", Text),
            has("expired_time", Text),
            has("expired_ms", Whole),
            has("used_at", Either(&[Text, Null])).about("When it was used or taken back."),
        ]),
    )
);
