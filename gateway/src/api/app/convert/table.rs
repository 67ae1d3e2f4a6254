//! Calls of conversion: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::convert;
use super::super::fields::PAGED;
use super::super::forms::page_of;
use super::super::table::{SAYS, calls, tells};
use crate::api::value_type::{Field, ValueType, has, may};

use ValueType::{Decimal, Either, Flag, List, Named, Null, Object, Text, Whole, Words};

calls! {
    member "/api/user/getTransferList" post reads => convert::list, &[], tells(LIST);
    member "/api/user/getTransferFee" post reads => convert::quote, QUOTE, tells(QUOTED);
    member "/api/user/Transfer" post => convert::convert, CONVERT, SAYS.and(DONE);
    member "/api/user/Transfer/list" get => convert::history, PAGED, tells(HISTORY);
    member "/api/convert/dust" get => convert::dust, &[], tells(DUST);
    member "/api/convert/dust" post => convert::convert_dust, DUST_ASSETS, SAYS.and(DONE);
}

// What they take.

const FROM: Field = has("from_currency_id", Whole).about("What is given.");
const TO: Field = has("to_currency_id", Whole).about("What is received.");

const QUOTE: &[Field] = &[FROM, TO, may("number", Decimal).about("How much is given, without the fee.")];
const CONVERT: &[Field] = &[
    has("number", Decimal).about("How much is given, without the fee."),
    FROM,
    TO,
    may("quote_id", Text).about("Of getTransferFee; it is used once. None: at the present prices."),
];
const DUST_ASSETS: &[Field] = &[
    has("currency_ids", Text).about("Ids of assets, comma-separated."),
    may("version", Whole).about("Of the terms that were shown; others are refused."),
];

// What they answer.

const NO_WHOLE: ValueType = Either(&[Whole, Null]);

const DONE: ValueType =
    Named("ConversionDone", &Object(&[has("repeated", Flag).about("It was done before, by the same request.")]));

const LIST: ValueType = Named(
    "ConversionList",
    &Object(&[
        has("transfer", List(&Object(&[has("id", Whole), has("name", Text), has("logo", Text)])))
            .about("What may be converted."),
        has("wallet", List(&Object(&[has("currency", Whole), has("change_balance", Decimal)])))
            .about("What is available of it."),
        has("min", Decimal).about("Smallest value of a conversion, in USDT."),
        has("max", Decimal).about("Largest value of a conversion, in USDT."),
    ]),
);

const QUOTED: ValueType = Named(
    "ConversionQuote",
    &Object(&[
        has("form_price", Decimal).about("Price of what is given, in USDT."),
        has("to_price", Decimal).about("Price of what is received, in USDT."),
        has("rate", Decimal).about("What is received for one, the spread taken off."),
        has("spread", Decimal).about("Percent."),
        has("fee", Decimal).about("Percent of what is given, on top of it."),
        has("quote_id", Text).about(
            "from_seq-to_seq-issued-version-mac: numbers of two ticks, nanoseconds, version of the terms, signature.",
        ),
        has("expire_at", Whole).about("Milliseconds; the quote is honoured up to then."),
        may("to_amount", Decimal).about("Of a number: what is received."),
        may("fee_amount", Decimal).about("Of a number: the fee, in what is given."),
    ]),
);

const CONVERSION: ValueType = Named(
    "Conversion",
    &Object(&[
        has("id", Whole),
        has("type", Words(&["convert", "dust"])),
        has("from_currency_id", Whole),
        has("from_currency_name", Text),
        has("to_currency_id", Whole),
        has("to_currency_name", Text),
        has("number", Decimal).about("What was given, without the fee."),
        has("fee", Decimal).about("In what was given; 0 of dust, whose fee is in the rate."),
        has("to_number", Decimal).about("What was received."),
        has("form_price", Decimal),
        has("to_price", Decimal),
        has("rate", Decimal).about("What was received for one."),
        has("form_seq", Whole).about("Number of the tick; 0 of USDT."),
        has("to_seq", Whole).about("Number of the tick; 0 of USDT."),
        has("created_time", Text),
        has("created_time_ms", Whole),
    ]),
);
const HISTORY: ValueType = page_of!("ConversionPage", CONVERSION);

const DUST: ValueType = Named(
    "ConversionDust",
    &Object(&[
        has("to_currency_id", Whole).about("What dust becomes."),
        has("to_currency_name", Text),
        has("version", Whole).about("Of these terms."),
        has("fee", Decimal).about("Percent, taken off the rate."),
        has("limit", Decimal).about("A balance is dust below this value, in USDT."),
        has("next_at", NO_WHOLE).about("Milliseconds; before then no dust is taken again. Null: none was taken yet."),
        has("total", Decimal).about("What all of it becomes."),
        has(
            "rows",
            List(&Object(&[
                has("currency_id", Whole),
                has("currency_name", Text),
                has("number", Decimal),
                has("price", Decimal).about("In USDT."),
                has("to_number", Decimal).about("What it becomes."),
            ])),
        ),
    ]),
);
