//! Calls of the archive of ticks (`docs/rules/app-calls.md "Ticks and proofs"`): slices, signed roots, the key.
//!
//! Owns: texts to slices, and what a refusal is told as. Never does: read a file on a thread that takes orders. Invariants: what
//! was told once is told again. Known limits: a slice is at most 8,192 ticks.

mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::market::weight;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::fair::proof::{root_value, tick_value};
use serde_json::{Value, json};
pub(super) use table::{CALLS, TICK};
use xng_core::ids::PriceId;
use xng_persistence::ticks::{MOST_TICKS, SliceError, Statement, TickArchive, hex};

fn price(call: &Call) -> Result<(PriceId, String), Failure> {
    let catalog = call.app.shared.listed();
    let found = catalog.by_symbol(call.params.need("symbol")?);
    let market = found.ok_or_else(|| Failure::text(Code::NotFound, "unknown_pair"))?;
    Ok((PriceId(market.params.market.0), market.params.symbol.clone()))
}

/// How a call tells what it does not get.
#[derive(Debug, Clone, Copy)]
pub(super) struct Telling {
    /// The text of what is not there yet.
    pub(super) later: &'static str,
    /// The refusal of more ticks than it gives.
    pub(super) too_many: fn() -> Failure,
}

fn long_slice() -> Failure {
    Failure::field("to", "more than 8192 ticks")
}

const TICKS: Telling = Telling { later: "ticks_later", too_many: long_slice };
const ROOT: Telling = Telling { later: "root_later", too_many: long_slice };

/// What a reading that failed is told as.
fn refusal(error: &SliceError, telling: Telling) -> Failure {
    match error {
        SliceError::NotYet => Failure::text(Code::State, telling.later),
        SliceError::Older => Failure::text(Code::NotFound, "ticks_older"),
        SliceError::TooMany => (telling.too_many)(),
        SliceError::File(error) => {
            tracing::warn!(%error, "the archive of ticks was not read");
            Code::Busy.into()
        }
    }
}

/// What a reading of the archive weighs, beside its rows: an hour's file is read.
pub(super) const READING_WEIGHS: u64 = 10;

/// Reads the archive where a disk may be waited for.
pub(super) async fn reading<T: Send + 'static>(
    call: &Call,
    telling: Telling,
    work: impl FnOnce(&TickArchive) -> Result<T, SliceError> + Send + 'static,
) -> Result<T, Failure> {
    let fair = &call.app.shared.fair;
    let archive = fair.ticks.clone();
    let read = fair.readers.run(move || work(&archive)).await.map_err(|_| Code::Busy)?;
    read.map_err(|error| refusal(&error, telling))
}

/// `GET /fair/ticks`: ticks with these numbers, both included.
pub async fn ticks(call: Call) -> CallResult {
    let (price, symbol) = price(&call)?;
    let (from, to): (u64, u64) = (call.params.need_integer("from")?, call.params.need_integer("to")?);
    if from == 0 {
        return Err(Failure::field("from", "ticks are numbered from 1"));
    }
    let many = to.checked_sub(from).ok_or_else(|| Failure::field("to", "before from"))?;
    if many >= MOST_TICKS as u64 {
        return Err(long_slice());
    }
    call.weighs(READING_WEIGHS + weight(many as usize)).await?;
    let message = reading(&call, TICKS, move |archive| {
        let slice = archive.slice(price, from, to)?;
        let ticks: Vec<Value> = slice.ticks.iter().map(tick_value).collect();
        Ok(json!({ "price": price.0, "symbol": symbol, "previous": hex(&slice.previous), "ticks": ticks }))
    });
    Ok(Answer::ok(message.await?))
}

/// `GET /fair/roots`: the signed root of an hour.
pub async fn roots(call: Call) -> CallResult {
    let (price, symbol) = price(&call)?;
    let hour: u64 = call.params.need_integer("hour")?;
    let message = reading(&call, ROOT, move |archive| {
        let root = archive.signed_root(price, hour)?;
        let damaged = || std::io::Error::other(format!("the root of hour {hour} of price {price} is damaged"));
        let Statement { first, last, hash, root: top, .. } =
            Statement::of_bytes(&root.statement).ok_or_else(damaged)?;
        let mut value = root_value(&root);
        value["price"] = price.0.into();
        value["symbol"] = symbol.into();
        value["hour"] = hour.into();
        value["first_tick"] = first.into();
        value["last_tick"] = last.into();
        value["last_hash"] = hex(&hash).into();
        value["root"] = hex(&top).into();
        Ok(value)
    });
    Ok(Answer::ok(message.await?))
}

/// `GET /fair/key`: the public key of roots.
pub async fn key(call: Call) -> CallResult {
    Ok(Answer::ok(json!({ "kind": "ed25519", "key": hex(&call.app.shared.fair.key) })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::app::seconds::PROOF;

    #[test]
    fn each_call_tells_its_own_limit() {
        let slice = refusal(&SliceError::TooMany, TICKS);
        assert_eq!((slice.code, slice.field.map(|(name, _)| name)), (Code::Parameter, Some("to".to_owned())));
        let proof = refusal(&SliceError::TooMany, PROOF);
        assert_eq!((proof.code, proof.text), (Code::NotFound, "option_proof_long"));
        assert_eq!(
            proof.values,
            [("limit", "65536".to_owned())],
            "a proof has no parameter of which it would be the fault"
        );
    }
}
