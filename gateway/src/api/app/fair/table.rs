//! Calls of the archive of ticks: the rows of the table, what they take and what they answer.
//!
//! Owns: these. Never does: answer. Invariants: as of the table of all calls. Known limits: as of the table of all calls.

use super::super::fair;
use super::super::fields::SYMBOL;
use super::super::table::{calls, tells};
use crate::api::value_type::{Field, ValueType, has};

use ValueType::{Decimal, Either, List, Named, Object, Text, Whole, Words};

calls! {
    open "/api/fair/ticks" get => fair::ticks, SLICE, tells(TICKS);
    open "/api/fair/roots" get => fair::roots, HOUR, tells(ROOT);
    open "/api/fair/key" get => fair::key, &[], tells(KEY);
}

const SLICE: &[Field] = &[
    SYMBOL,
    has("from", Whole).about("Number of the first tick."),
    has("to", Whole).about("Number of the last tick; 8,192 ticks at most."),
];
const HOUR: &[Field] = &[SYMBOL, has("hour", Whole).about("Hours since 1970, UTC.")];

/// A tick of the archive.
pub(in crate::api::app) const TICK: ValueType = Named(
    "ArchivedTick",
    &Object(&[
        has("seq", Whole),
        has("time_ns", Text),
        has("index", Decimal),
        has("sources", List(&List(&Either(&[Whole, Decimal])))).about("Number and price of each source that counted."),
        has("hash", Text).about("SHA-256 of the previous hash and this tick."),
    ]),
);

const TICKS: ValueType = Named(
    "TickSlice",
    &Object(&[
        has("price", Whole),
        has("symbol", Text),
        has("previous", Text).about("Hash of the tick before the first one."),
        has("ticks", List(&TICK)),
    ]),
);

const ROOT: ValueType = Named(
    "TickRoot",
    &Object(&[
        has("price", Whole),
        has("symbol", Text),
        has("hour", Whole),
        has("first_tick", Whole),
        has("last_tick", Whole),
        has("last_hash", Text),
        has("root", Text).about("Over the hashes of all ticks of the hour."),
        has("statement", Text).about("The bytes that are signed."),
        has("signature", Text),
        has("key", Text),
    ]),
);

const KEY: ValueType = Named("TickKey", &Object(&[has("kind", Words(&["ed25519"])), has("key", Text)]));
