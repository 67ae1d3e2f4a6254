//! An account's ledger rows, from the store.
//!
//! Owns: the form of a row, and its text. Never does: add rows up. Invariants: a page weighs what is read for it. Known limits:
//! rows follow the journal and may lag behind it by moments; [`DEEP`] rows.

use super::call::Call;
use super::market::weight;
use super::wallet_names::app_name;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{ms, ts};
use crate::market::catalog::Catalog;
use crate::orders::lookup::DEEP;
use serde_json::{Value, json};
use xng_core::record::LogType;
use xng_persistence::store::{LedgerFilter, LedgerRow, Slice, StoreError};

/// What a kind of movement is called, in the user's language.
fn log_text(call: &Call, log: LogType) -> String {
    let key = format!("log_{}", log.name().unwrap_or("other"));
    call.app.shared.messages.text(call.lang, &key, &[])
}

/// A row as the app has it.
pub(super) fn log_row(call: &Call, catalog: &Catalog, row: &LedgerRow) -> Value {
    let at = ms(row.time);
    json!({
        "id": row.id, "value": row.value().to_string(),
        "info": log_text(call, row.log), "type": row.log.0,
        "created_time": ts(at), "created_time_ms": at, "currency": row.asset.0,
        "currency_name": catalog.asset_name(row.asset), "account": app_name(row.wallet),
        "before": row.before().to_string(), "after": row.after().to_string(),
        "order_no": if row.reference == 0 { String::new() } else { row.reference.to_string() },
    })
}

/// A page of rows and how many there are; it weighs what is read for it.
pub(super) async fn page(
    call: &Call,
    filter: &LedgerFilter,
    number: u64,
    limit: u64,
) -> Result<(Vec<LedgerRow>, u64), Failure> {
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    let store = &call.app.shared.store;
    let slice = if number == 1 { Slice::Newest } else { Slice::Skip((number - 1) * limit) };
    let rows = store.page(filter, slice, limit as u32).await;
    let count = store.count(filter).await;
    match (rows, count) {
        (Ok(rows), Ok(count)) => Ok((rows, count)),
        (Err(error), _) | (_, Err(error)) => Err(later(&error)),
    }
}

/// The store does not answer.
pub(super) fn later(error: &StoreError) -> Failure {
    tracing::warn!(%error, "the store did not answer");
    Failure::text(Code::Busy, "history_later")
}
