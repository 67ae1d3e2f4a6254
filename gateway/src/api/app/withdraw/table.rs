//! Calls of withdrawals: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::fields::{ID, PAGED, PAY_PASSWORD, PROOF};
use super::super::forms::{METHOD, page_of};
use super::super::table::{SAYS, calls, tells};
use super::super::withdraw;
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Object, Text, Whole, Words};

calls! {
    member "/api/user/withdraw/quote" post => withdraw::quote, QUOTE, tells(QUOTED);
    member "/api/wallet/out" post => withdraw::out, OUT, SAYS.and(SUBMITTED);
    member "/api/user/withdraw/list" get => withdraw::list, PAGED, tells(PAGE);
    member "/api/user/withdraw/detail" get => withdraw::detail, ID, tells(DETAIL);
    member "/api/user/withdraw/cancel" post => withdraw::cancel, ID, SAYS;
}

// What they take.

const NETWORK: Field = may("network", Text).about("The only one of the asset unless said otherwise.");
const QUOTE: &[Field] =
    &[has("currency", Whole), NETWORK, may("number", Decimal).about("What leaves the wallet."), may("address", Text)];
const OUT: &[Field] = &[
    has("currency", Whole),
    has("number", Decimal).about("What leaves the wallet, the fee among it."),
    has("type", Whole).about("0: to an address."),
    has("address", Text).about("One of the address book."),
    NETWORK,
    has("version", Whole).about("Of the quote; others are refused with 1019."),
    may("remark", Text),
    PAY_PASSWORD,
    PROOF,
];

// What they answer.

const QUOTED: ValueType = Named(
    "WithdrawalQuote",
    &Object(&[
        has("currency", Whole),
        has("currency_name", Text),
        has("network", Text),
        has("state", Words(&["open", "closed", "halted", "behind"])).about("behind: what is taken now is paid later."),
        has("version", Whole).about("Of the terms."),
        has("number", Decimal),
        has("fee", Decimal),
        has("net", Decimal).about("What arrives."),
        has("min_number", Decimal),
        has("max_number", Decimal),
        has("step", Decimal),
        has("available", Decimal),
        has("used", Decimal).about("Of the last 24 hours."),
        has("limit", Decimal).about("Of 24 hours."),
        has("votes", Whole).about("People who have to agree; 0: it is paid at once."),
        has("inside", Flag).about("The address is in the book, and of another user here."),
        has("usable_at_ms", Whole).about("Before this the address is not paid; 0: it is."),
        has("paused_until_ms", Whole).about("0: not paused."),
        has("methods", List(&METHOD)).about("What proves who asks."),
    ]),
);
const SUBMITTED: ValueType = Named("WithdrawalSubmitted", &Object(&[has("id", Whole)]));

macro_rules! row {
    ($name:literal $(, $more:expr)*) => {
        Named(
            $name,
            &Object(&[
                has("id", Whole),
                has("oid", Text).about("Order number."),
                has("number", Decimal).about("What left the wallet."),
                has("real_number", Decimal).about("What arrives."),
                has("rate", Decimal).about("The fee."),
                has("currency_id", Whole),
                has("name", Text),
                has("network", Text),
                has("address", Text),
                has("type", Whole).about("0: to an address."),
                has("status", Whole).about("1: pending; 2: done; 3: failed; 4: sending; 5: cancelled."),
                has("state", Words(&["pending", "approved", "planned", "signed", "done", "refused", "cancelled"])),
                has("notes", Text).about("Why it was refused."),
                has("txid", Either(&[Text, Null])),
                has("inside", Flag),
                has("can_cancel", Flag),
                has("create_time", Text),
                has("create_time_ms", Whole),
                has("created_at", Text),
                has("created_at_ms", Whole),
                $($more),*
            ]),
        )
    };
}

const PAGE: ValueType = page_of!("WithdrawalPage", row!("Withdrawal"));
const STEP: ValueType = Named(
    "WithdrawalStep",
    &Object(&[
        has("state", Words(&["requested", "approved", "planned", "signed", "done", "refused", "cancelled"])),
        has("at_ms", Whole),
    ]),
);
const DETAIL: ValueType = row!(
    "WithdrawalDetail",
    has("timeline", List(&STEP)),
    has("votes", Whole).about("People who agreed."),
    has("needed", Whole).about("People who have to agree.")
);
