//! The call of statements of reserves: the row of the table, what it answers.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::reserves;
use super::super::table::{calls, tells};
use crate::api::value_type::{ValueType, has};

use ValueType::{Decimal, Either, List, Named, Null, Object, Text, Whole, Words};

calls! {
    open "/api/por/reserves" get => reserves::reserves, &[], tells(RESERVES);
}

const RESERVES: ValueType =
    Named("Reserves", &Object(&[has("statements", List(&STATEMENT)).about("Newest first, 30 of a chain at most.")]));

const STATEMENT: ValueType = Named(
    "ReserveStatement",
    &Object(&[
        has("id", Text).about("What each address signed, in hex."),
        has("chain", Words(&["bitcoin", "evm"])),
        has("name", Text).about("The chain's name."),
        has("chain_id", Either(&[Whole, Null])).about("Of an EVM chain."),
        has("height", Whole).about("What is stated holds after this block."),
        has("hash", Text).about("Of that block."),
        has("time_ms", Whole),
        has("addresses", Whole).about("Addresses that hold something."),
        has("assets", List(&ASSET)),
        has("file", Text).about("The path of the statement's file: addresses, amounts, signatures."),
    ]),
);

const ASSET: ValueType = Named(
    "ReservedAsset",
    &Object(&[
        has("currency_name", Text),
        has("network", Text),
        has("contract", Either(&[Text, Null])).about("Of a token."),
        has("held", Decimal),
    ]),
);
