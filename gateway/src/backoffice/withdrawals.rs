//! Withdrawals: the queue with what is unusual about each, and votes.
//!
//! Owns: these calls, the statement that a voter signs. Never does: pay; count votes, the chain does. Invariants: nobody votes about
//! what is their own account's; what was signed is what is voted about, word for word; a vote names a person and not a text that
//! somebody typed. Known limits: none. Rules: `docs/back-office.md "Votes"`.

use super::asking::{Answer, Ask, Me, Refusal, Signed, reason, refused};
use super::challenges::Purpose;
use super::roles::{SeeWithdrawals, VoteWithdrawals};
use crate::api::app::withdraw::rows::{state, timeline};
use crate::api::auth::secrets::digest;
use crate::app::Shared;
use crate::common::time::{ms, now_ms};
use crate::custody::chains::OpenAttempt;
use crate::custody::keys::PlannedTransaction;
use crate::custody::review;
use crate::custody::settings::txid_text;
use actix_web::HttpResponse;
use serde::Deserialize;
use serde_json::{Value, json};
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{Chain, WithdrawalId};
use xng_persistence::office::AuditFilter;
use xng_persistence::store::StoredWithdrawal;

/// Rows of the audit that a withdrawal shows.
const NOTES: u32 = 50;

/// What an open one is called and looks like, with the chain's words for it.
fn named(shared: &Shared, mut row: Value, chain: &Chain) -> Value {
    let (asset, name) = (row["asset"].as_u64().unwrap_or_default(), chain.params().map_or("", |params| &params.name));
    row["asset_name"] = shared.listed().asset_name(xng_core::ids::AssetId(asset as u32)).into();
    row["chain"] = name.into();
    row
}

fn open_row(shared: &Shared, id: WithdrawalId) -> Option<Value> {
    let row = |chain: &Chain| chain.withdrawal(id).map(|open| named(shared, review::row(chain, open), chain));
    shared.chains.look(id.chain(), row).flatten()
}

/// `GET /admin/api/withdrawals`: those that are open, the oldest first.
pub(super) async fn list(ask: Ask<SeeWithdrawals>) -> Answer {
    let shared = &ask.desk.shared;
    let of_chain = |chain: &Chain| {
        let rows = chain.open_withdrawals().map(|open| named(shared, review::row(chain, open), chain));
        rows.collect::<Vec<Value>>()
    };
    let ids = shared.chains.all().into_iter().map(|status| status.params.chain);
    let rows: Vec<Value> = ids.filter_map(|id| shared.chains.look(id, of_chain)).flatten().collect();
    Ok(HttpResponse::Ok().json(json!({ "rows": rows, "now_ms": now_ms(), "me": ask.me.signs() })))
}

/// The transactions that pay it.
fn attempts(shared: &Shared, id: WithdrawalId) -> Vec<Value> {
    let plans = shared.chains.open_plans(id.chain());
    let Some(plan) = plans.into_iter().find(|plan| plan.withdrawals.contains(&id)) else { return Vec::new() };
    let coin = shared.chains.status(id.chain()).map(|status| status.coin().form);
    let decimals = coin.map_or(0, |coin| coin.decimals);
    let coin = coin.map_or_else(String::new, |coin| shared.listed().asset_name(coin.asset));
    let row = |(n, attempt): (usize, &OpenAttempt)| {
        let (fee, inputs, payments) = match &attempt.transaction {
            PlannedTransaction::Coins(of) => (of.fee, of.inputs.len(), of.payments.len()),
            // At most: what gas costs is known when it is final. It has no inputs.
            PlannedTransaction::Account(of) => (of.most_fee(), 0, 1),
        };
        json!({ "attempt": n, "fee_units": fee.0.to_string(), "inputs": inputs, "payments": payments,
            "coin": coin, "decimals": decimals, "at_ms": ms(attempt.at),
            "txid": attempt.signed.as_ref().map(|signed| txid_text(id.chain(), signed.txid)),
            "signed_ms": attempt.signed.as_ref().map(|signed| ms(signed.at)) })
    };
    plan.attempts.iter().enumerate().map(row).collect()
}

fn no_such() -> Refusal {
    refused(404, "There is no such withdrawal.")
}

/// `GET /admin/api/withdrawals/{id}`: everything about one, those that ended too.
pub(super) async fn detail(ask: Ask<SeeWithdrawals>) -> Answer {
    let (shared, id) = (&ask.desk.shared, WithdrawalId(ask.number()?));
    let stored = shared.store.find::<StoredWithdrawal>(id).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the store did not answer");
        None
    });
    let mut row = match (open_row(shared, id), &stored) {
        (Some(row), _) => row,
        (None, Some(w)) => {
            let chain = shared.chains.status(id.chain()).map_or_else(String::new, |status| status.params.name);
            json!({ "withdrawal": id.0, "account": w.account.0, "asset": w.asset.0, "chain": chain,
                "asset_name": shared.listed().asset_name(w.asset), "number": w.number.to_string(), "fee": w.fee.to_string(),
                "address": w.address, "inside": w.inside.map(|account| account.0), "flags": [], "needed": w.needed,
                "agreed": [], "failed": null, "state": state(w.stage).0, "plan": null, "requested_ms": ms(w.requested) })
        }
        (None, None) => return Err(no_such()),
    };
    row["txid"] = stored.as_ref().and_then(|w| w.txid).map(|txid| txid_text(id.chain(), txid)).into();
    row["timeline"] = stored.as_ref().map_or_else(|| json!([]), timeline);
    row["attempts"] = attempts(shared, id).into();
    let about = AuditFilter { subject: format!("withdrawal:{}", id.0), ..AuditFilter::default() };
    let notes = ask.desk.office.audit(&about, NOTES).await?;
    row["notes"] = notes.iter().map(super::audit::row).collect();
    row["now_ms"] = now_ms().into();
    row["own"] = is_own(&ask.me, &row).into();
    row["me"] = ask.me.signs().into();
    Ok(HttpResponse::Ok().json(row))
}

/// Whether it is the voter's own account that pays or gets it.
fn is_own(me: &Me, row: &Value) -> bool {
    let own = me.account.map(|account| account.0);
    own.is_some() && (row["account"].as_u64() == own || row["inside"].as_u64() == own)
}

#[derive(Deserialize)]
pub(super) struct Wish {
    agrees: bool,
    reason: String,
}

/// What a voter signs: everything that the vote is about, as it is now.
fn statement(row: &Value, (by, agrees, reason): (&str, bool, &str), nonce: &str) -> String {
    let mut said = json!({ "case": "withdrawal", "by": by, "agrees": agrees, "reason": reason, "nonce": nonce });
    for name in [
        "withdrawal",
        "chain",
        "account",
        "asset_name",
        "number",
        "fee",
        "address",
        "inside",
        "flags",
        "needed",
        "agreed",
        "failed",
    ] {
        said[name] = row[name].clone();
    }
    said.to_string()
}

/// Who must not vote, and about what nobody can.
async fn may_vote<P, B>(ask: &Ask<P, B>, row: &Value, agrees: bool) -> Result<(), Refusal> {
    if is_own(&ask.me, row) {
        return Err(refused(409, "This is about your own account: somebody else decides."));
    }
    let state = row["state"].as_str().unwrap_or_default();
    if agrees && state != "pending" || !matches!(state, "pending" | "approved") {
        return Err(refused(409, "It is decided already."));
    }
    let me = ask.me.signs();
    let agreed = row["agreed"].as_array().into_iter().flatten();
    let agreed: Vec<String> = agreed.filter_map(Value::as_str).map(str::to_owned).collect();
    if agrees && agreed.contains(&me) {
        return Err(refused(409, "You agreed before: it needs another person."));
    }
    if agrees {
        ask.still_here(&agreed).await?;
    }
    let id = WithdrawalId(row["withdrawal"].as_u64().unwrap_or_default());
    if agrees {
        review::stops(&ask.desk.shared, id).await.map_err(|(status, why)| refused(status, why))?;
    }
    Ok(())
}

/// `POST /admin/api/withdrawals/{id}/vote/begin`: what a voter is to sign.
pub(super) async fn begin_vote(ask: Ask<VoteWithdrawals, Wish>) -> Answer {
    let withdrawal = WithdrawalId(ask.number()?);
    let (agrees, reason) = (ask.asked.agrees, reason(&ask.asked.reason)?);
    let row = open_row(&ask.desk.shared, withdrawal).ok_or_else(no_such)?;
    may_vote(&ask, &row, agrees).await?;
    let purpose = Purpose::Vote { withdrawal, agrees, reason: reason.clone() };
    ask.sign(purpose, |nonce| statement(&row, (&ask.me.signs(), agrees, &reason), nonce)).await
}

/// `POST /admin/api/withdrawals/{id}/vote`: the signature; the vote.
pub(super) async fn vote(ask: Ask<VoteWithdrawals, Signed>) -> Answer {
    let pending = ask.pending()?;
    let (withdrawal, agrees, reason) = match pending.purpose {
        Purpose::Vote { withdrawal, agrees, reason } if withdrawal.0 == ask.number()? => (withdrawal, agrees, reason),
        Purpose::Vote { .. } | Purpose::Enrol(_) | Purpose::Login(_) | Purpose::Case { .. } => {
            return Err(refused(409, "This signature is for something else."));
        }
    };
    let key = ask.desk.verified(ask.me.id, &pending.challenge, &ask.asked.assertion).await?;
    let (shared, me) = (&ask.desk.shared, ask.me.signs());
    let row = open_row(shared, withdrawal).ok_or_else(no_such)?;
    let said = statement(&row, (&me, agrees, &reason), &pending.nonce);
    if digest(&said) != pending.challenge {
        return Err(refused(409, review::CHANGED));
    }
    may_vote(&ask, &row, agrees).await?;
    let action = if agrees { "agree to withdrawal" } else { "refuse withdrawal" };
    let audit = ask.signed_entry((action, format!("withdrawal:{}", withdrawal.0)), &reason, &said);
    if !ask.desk.office.note_signature(&key, &audit, now_ms().cast_unsigned()).await? {
        return Err(refused(403, "This passkey is no longer yours, or it was copied."));
    }
    let vote = Vote { who: me, reason };
    let seen = Some(row["agreed"].as_array().map_or(0, Vec::len) as u32);
    if let Err((status, why)) = review::vote(shared, (withdrawal, seen), vote, agrees).await {
        let subject = format!("withdrawal:{}", withdrawal.0);
        let audit = ask.entry("vote was not taken", subject, &json!({ "why": why }));
        ask.desk.office.append_audit(&audit, now_ms().cast_unsigned()).await?;
        return Err(refused(status, why));
    }
    Ok(HttpResponse::Ok().json(json!({ "done": action })))
}
