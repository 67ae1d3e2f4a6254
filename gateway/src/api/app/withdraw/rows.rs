//! Withdrawals as rows of the app, and as private events.
//!
//! Owns: their forms. Never does: ask anything. Invariants: numbers of states are those of the app's family. Known limits: none.

use super::super::deposit::network;
use crate::app::Shared;
use crate::common::time::{ms, ts};
use crate::custody::settings::txid_text;
use crate::market::catalog::Catalog;
use serde_json::{Value, json};
use xng_core::account::{AccountEvent, WithdrawalStep};
use xng_core::chain::withdrawal_facts::EndOfWithdrawal;
use xng_persistence::store::{StoredWithdrawal, WithdrawalStage};

/// A state's name and its number in the app's family.
pub(crate) fn state(stage: WithdrawalStage) -> (&'static str, u8) {
    match stage {
        WithdrawalStage::Pending => ("pending", 1),
        WithdrawalStage::Approved => ("approved", 1),
        WithdrawalStage::Planned => ("planned", 4),
        WithdrawalStage::Signed => ("signed", 4),
        WithdrawalStage::Done => ("done", 2),
        WithdrawalStage::Refused => ("refused", 3),
        WithdrawalStage::Cancelled => ("cancelled", 5),
    }
}

/// A row of the list.
pub(super) fn row(shared: &Shared, w: &StoredWithdrawal) -> Value {
    let (state, status) = state(w.stage);
    let id = w.withdrawal.0.to_string();
    let at = ms(w.requested);
    let chain = shared.chains.status(w.withdrawal.chain());
    let of = chain.map_or_else(String::new, |chain| network(shared, &chain, w.asset));
    json!({ "id": w.withdrawal.0, "oid": id, "number": w.number.to_string(), "real_number": (w.number - w.fee).to_string(),
        "rate": w.fee.to_string(), "currency_id": w.asset.0, "name": shared.listed().asset_name(w.asset), "network": of,
        "address": w.address, "type": 0, "status": status, "state": state, "notes": w.reason.clone().unwrap_or_default(),
        "txid": w.txid.map(|txid| txid_text(w.withdrawal.chain(), txid)), "inside": w.inside.is_some(),
        "can_cancel": matches!(w.stage, WithdrawalStage::Pending | WithdrawalStage::Approved) && w.txid.is_none(),
        "create_time": ts(at), "create_time_ms": at, "created_at": ts(at), "created_at_ms": at })
}

/// What happened when.
pub(crate) fn timeline(w: &StoredWithdrawal) -> Value {
    let end = state(w.stage).0;
    let steps = [
        ("requested", Some(w.requested)),
        ("approved", w.approved),
        ("planned", w.planned),
        ("signed", w.signed),
        (end, w.ended),
    ];
    steps.into_iter().filter_map(|(state, at)| Some(json!({ "state": state, "at_ms": ms(at?) }))).collect()
}

/// A row with what happened when.
pub(super) fn detail(shared: &Shared, w: &StoredWithdrawal) -> Value {
    let mut made = row(shared, w);
    made["timeline"] = timeline(w);
    made["votes"] = w.votes.into();
    made["needed"] = w.needed.into();
    made
}

/// What somebody is told of an own withdrawal.
#[must_use]
pub(crate) fn event(event: &AccountEvent, catalog: &Catalog) -> Option<(&'static str, Value)> {
    let change = **event.withdrawal.as_ref()?;
    let stage = match change.step {
        WithdrawalStep::Requested { pending: true } | WithdrawalStep::Failed => WithdrawalStage::Pending,
        WithdrawalStep::Requested { pending: false } => WithdrawalStage::Approved,
        WithdrawalStep::Signed => WithdrawalStage::Signed,
        WithdrawalStep::Done => WithdrawalStage::Done,
        WithdrawalStep::Ended(EndOfWithdrawal::Cancelled) => WithdrawalStage::Cancelled,
        WithdrawalStep::Ended(EndOfWithdrawal::Refused) => WithdrawalStage::Refused,
    };
    let (state, status) = state(stage);
    let (asset, number) = change.money;
    Some((
        "withdrawal",
        json!({ "id": change.withdrawal.0, "state": state, "status": status, "currency": asset.0,
            "currency_name": catalog.asset_name(asset), "number": number.to_string(),
            "txid": change.txid.map(|txid| txid_text(change.withdrawal.chain(), txid)) }),
    ))
}
