//! Calls of seconds options: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::fair::TICK;
use super::super::fields::{ID, LIMIT, PAGE};
use super::super::forms::{SIDE, page_of};
use super::super::seconds;
use super::super::table::{calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Numbers, Object, Text, Whole, Words};

calls! {
    member "/api/microtrade/payable_currencies" get => seconds::payable, &[], tells(PAYABLE);
    open "/api/microtrade/seconds" get => seconds::durations, DURATIONS, tells(OFFERED);
    member "/api/microtrade/submit" post => seconds::submit, SUBMIT, tells(OPTION);
    member "/api/microtrade/lists" get => seconds::lists, LISTS, tells(OPTIONS);
    member "/api/microtrade/get_result" get => seconds::result, ID, tells(OPTION);
    open "/api/microtrade/proof" get => seconds::proof, ID, tells(PROOF);
}

// What they take.

const DURATIONS: &[Field] = &[may("match_id", Whole).about("The pair; without it, durations of the first one.")];
const SUBMIT: &[Field] = &[
    has("match_id", Whole).about("The pair."),
    has("currency_id", Whole).about("What the stake is in."),
    has("type", SIDE).about("1: a rise. 2: a fall."),
    has("seconds", Whole).about("One of the pair's durations."),
    has("number", Decimal).about("The stake."),
    may("coupon", Whole).about("Number of a coupon that is the stake; `number` is its value then."),
    may("version", Whole).about("Of the terms that were seen: others are refused with 1019."),
];
const LISTS: &[Field] = &[
    may("match_id", Whole).about("0: of all pairs."),
    may("status", Numbers(&[-1, 1, 2, 3])).about("1: not settled. 2: not settled, but over. 3: settled. -1: all."),
    PAGE,
    LIMIT,
];

// What they answer.

const COIN: ValueType = Named(
    "SecondsCoin",
    &Object(&[
        has("id", Whole),
        has("name", Text),
        has("logo", Text),
        has("micro_min", Decimal).about("Smallest stake of all durations."),
        has("micro_max", Decimal).about("Largest stake of all durations."),
        has("micro_trade_fee", Decimal).about("Percent, on top of the stake."),
        has("micro_holdtrade_max", Whole).about("Options that may be open at once."),
        has("micro_numbers", List(&Object(&[has("number", Decimal)]))).about("Amounts to offer."),
        has(
            "user_wallet",
            Object(&[
                has("id", Whole),
                has("micro_balance", Decimal),
                has("lock_micro_balance", Decimal),
                has("micro_with_insurance", Decimal),
            ]),
        ),
    ]),
);
const PAYABLE: ValueType = List(&COIN);

const TERM: ValueType = Named(
    "SecondsTerm",
    &Object(&[
        has("id", Whole),
        has("match_id", Whole),
        has("seconds", Whole),
        has("profit_ratio", Decimal).about("Percent of the stake that a win brings."),
        has("fee", Decimal).about("Percent, on top of the stake."),
        has("min_amount", Decimal),
        has("max_amount", Decimal),
        has("status", Numbers(&[0, 1])).about("0: closed to new options."),
        has("rise_open", Flag).about("Whether the house takes the smallest stake on a rise now."),
        has("fall_open", Flag).about("Whether the house takes the smallest stake on a fall now."),
        has("version", Whole).about("Of these terms."),
    ]),
);
const OFFERED: ValueType = List(&TERM);

const NO_DECIMAL: ValueType = Either(&[Decimal, Null]);
const NO_TEXT: ValueType = Either(&[Text, Null]);
const NO_WHOLE: ValueType = Either(&[Whole, Null]);

const OPTION: ValueType = Named(
    "SecondsOrder",
    &Object(&[
        has("id", Whole),
        has("show_micro_id", Text),
        has("match_id", Whole),
        has("symbol_name", Text),
        has("currency_id", Whole),
        has("currency_name", Text),
        has("type", SIDE).about("1: a rise. 2: a fall."),
        has("type_name", Words(&["rise", "fall"])),
        has("seconds", Whole),
        has("number", Decimal).about("The stake."),
        has("open_price", Decimal),
        has("end_price", NO_DECIMAL).about("Null while it is open, and when no tick decided."),
        has("profit_ratio", Decimal).about("Percent of the stake that a win brings."),
        has("fee", Decimal),
        has("coupon", NO_WHOLE)
            .about("Number of the coupon that is the stake: only profit is paid. Null: it is the owner's money."),
        has("status", Numbers(&[1, 2, 3])).about("1: open. 2: over, not settled yet. 3: settled."),
        has("profit_result", Numbers(&[-1, 0, 1])).about("1: won. -1: lost. 0: a tie, void, or open."),
        has("is_void", Flag).about("No tick decided: stake and fee came back."),
        has("fact_profits", Decimal).about("Gain before the fee."),
        has("created_at", Text),
        has("handled_at", Text).about("When it expires."),
        has("complete_at", NO_TEXT),
        has("opened_ms", Whole),
        has("expires_ms", Whole),
        has("remain_milli_seconds", Whole),
        has("open_tick", Whole).about("Number of the tick at which it was opened."),
        has("close_tick", NO_WHOLE).about("Number of the tick that decided."),
        has("proof_url", Text),
    ]),
);

const OPTIONS: ValueType = page_of!("SecondsPage", OPTION);

const PROOF: ValueType = Named(
    "SecondsProof",
    &Object(&[
        has("proof", Words(&["seconds/1", "seconds/2"]))
            .about("seconds/2: the stake is a coupon, and is not paid back."),
        has(
            "order",
            Object(&[
                has("id", Text),
                has("side", Words(&["rise", "fall"])),
                has("stake", Decimal),
                may("coupon", Flag).about("True: the stake is a coupon's."),
                has("ratio_pct", Decimal),
                has("fee", Decimal),
                has("opened_ns", Text),
                has("expires_ns", Text),
                has("open_tick", Whole),
                has("open_price", Decimal),
            ]),
        ),
        has("price", Object(&[has("id", Whole), has("symbol", Text)])),
        has(
            "result",
            Object(&[
                has("outcome", Words(&["win", "loss", "tie", "void"])),
                has("close_tick", NO_WHOLE),
                has("close_price", NO_DECIMAL),
                has("paid", Decimal),
                may("silent_upto_ns", Text)
                    .about("Up to when no tick came after the expiry, where it was settled without one."),
            ]),
        ),
        has("previous", Text).about("Hash of the tick before the first one."),
        has("ticks", List(&TICK)).about("From the opening one to the first after the expiry."),
        has("root", Either(&[PROOF_ROOT, Null])).about("Null while the hours of its ticks are not over."),
    ]),
);
const PROOF_ROOT: ValueType = Named(
    "SecondsProofRoot",
    &Object(&[
        has("statement", Text),
        has("signature", Text),
        has("key", Text),
        has("path", List(&Text)),
        has("place", Whole),
    ]),
);
