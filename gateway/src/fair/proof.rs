//! The proof of a seconds option, as a file that is checked without a server.
//!
//! Owns: its form (`docs/rules/seconds.md "Proof"`). Never does: say whether it holds. Invariants: its ticks are those from
//! the opening one to the first after the expiry. Known limits: an option with more than [`MOST_TICKS`] ticks has none.

use crate::api::app::lever::rows::percent;
use serde_json::{Value, json};
use std::io;
use xng_core::entity::TimeNs;
use xng_core::ids::PriceId;
use xng_core::seconds::rules::{OptionResult, OptionSide};
use xng_persistence::store::{OptionEnd, StoredOption};
use xng_persistence::ticks::{Hash, SignedRoot, Slice, SliceError, TickArchive, hex, hour_of, unhex, written_tick};

/// Ticks of a proof at most: 300 s with more than 200 a second.
pub(crate) const MOST_TICKS: usize = 65_536;

/// A signed root and the way to it from one tick.
#[derive(Debug)]
pub(super) struct Rooted {
    pub(super) root: SignedRoot,
    pub(super) place: u64,
    pub(super) path: Vec<Hash>,
}

pub(super) fn side_name(side: OptionSide) -> &'static str {
    match side {
        OptionSide::Rise => "rise",
        OptionSide::Fall => "fall",
    }
}

pub(super) fn result_name(result: OptionResult) -> &'static str {
    match result {
        OptionResult::Win => "win",
        OptionResult::Loss => "loss",
        OptionResult::Tie => "tie",
        OptionResult::Void => "void",
    }
}

/// The name of the file's form: an option by a coupon is paid otherwise, and who knows the first form only must not judge it.
pub(super) fn form_of(by_coupon: bool) -> &'static str {
    if by_coupon { "seconds/2" } else { "seconds/1" }
}

/// A tick as proofs and answers show it.
pub(crate) fn tick_value(tick: &xng_persistence::ticks::ArchivedTick) -> Value {
    serde_json::from_str(&written_tick(tick)).unwrap_or_default()
}

/// A signed root as answers show it.
pub(crate) fn root_value(root: &SignedRoot) -> Value {
    json!({ "statement": hex(&root.statement), "signature": hex(&root.signature), "key": hex(&root.key) })
}

/// The file.
pub(super) fn file(
    row: (&StoredOption, &OptionEnd),
    price: (PriceId, &str),
    slice: &Slice,
    silent_upto: Option<TimeNs>,
    root: Option<&Rooted>,
) -> Value {
    let ((StoredOption { option, .. }, end), (id, symbol)) = (row, price);
    let decided = end.result != OptionResult::Void;
    let mut result = json!({
        "outcome": result_name(end.result), "close_tick": decided.then_some(end.close_seq),
        "close_price": decided.then(|| end.close_price.to_string()), "paid": end.paid.to_string(),
    });
    if let Some(upto) = silent_upto {
        result["silent_upto_ns"] = upto.to_string().into();
    }
    let root = root.map(|Rooted { root, place, path }| {
        let mut value = root_value(root);
        value["path"] = path.iter().map(|hash| hex(hash)).collect();
        value["place"] = (*place).into();
        value
    });
    let mut order = json!({
        "id": option.option.to_string(), "side": side_name(option.side), "stake": option.stake.to_string(),
        "ratio_pct": percent(option.ratio_ppm), "fee": option.fee.to_string(),
        "opened_ns": option.opened.to_string(), "expires_ns": option.expires.to_string(),
        "open_tick": option.open_seq, "open_price": option.open_price.to_string(),
    });
    // Not its number: several options by one coupon would be known as one person's.
    if option.bonus.is_some() {
        order["coupon"] = true.into();
    }
    json!({
        "proof": form_of(option.bonus.is_some()),
        "order": order,
        "price": { "id": id.0, "symbol": symbol },
        "result": result, "previous": hex(&slice.previous),
        "ticks": slice.ticks.iter().map(tick_value).collect::<Vec<Value>>(),
        "root": root,
    })
}

/// The newest root that one of these ticks is under: that of the hour of the last one, or of an earlier hour.
fn rooted(archive: &TickArchive, price: PriceId, slice: &Slice) -> io::Result<Option<Rooted>> {
    let mut looked_at = None;
    for tick in slice.ticks.iter().rev() {
        let hour = hour_of(tick.time);
        // Each hour's file is looked for once.
        if looked_at.replace(hour) == Some(hour) {
            continue;
        }
        let Some(root) = archive.root(price, hour)? else { continue };
        let found = archive.path(price, hour, tick.seq)?;
        return Ok(found.map(|(place, path)| Rooted { root, place, path }));
    }
    Ok(None)
}

/// The proof of an option that ended, from the archive. It reads files.
///
/// # Errors
/// When the archive does not have its ticks, or not yet.
pub(crate) fn of(
    archive: &TickArchive,
    row: (&StoredOption, &OptionEnd),
    price: (PriceId, &str),
) -> Result<Value, SliceError> {
    let option = &row.0.option;
    // Before the files are read: what is in them then is at least as new.
    let through = archive.metrics().through();
    let (slice, done) = archive.until(price.0, option.open_seq, option.expires, MOST_TICKS)?;
    // It was settled without a later tick, and there is none up to then.
    let silent = (!done).then_some(row.1.time);
    if silent.is_some_and(|settled| through < settled) {
        return Err(SliceError::NotYet);
    }
    let root = rooted(archive, price.0, &slice)?;
    Ok(file(row, price, &slice, silent, root.as_ref()))
}

/// A root of a file, if it has one that can be read.
pub(super) fn root_of(value: &Value) -> Option<Rooted> {
    let bytes = |name: &str| value[name].as_str().and_then(unhex);
    let hash = |text: &Value| text.as_str().and_then(xng_persistence::ticks::hash);
    let path = value["path"].as_array()?.iter().map(hash).collect::<Option<Vec<Hash>>>()?;
    let root = SignedRoot { statement: bytes("statement")?, signature: bytes("signature")?, key: bytes("key")? };
    Some(Rooted { root, place: value["place"].as_u64()?, path })
}
