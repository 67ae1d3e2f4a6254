//! Calls of the address book (`docs/rules/app-calls.md "Withdrawal addresses"`): saving, listing, deleting, the wait of new ones.
//!
//! Owns: reading these calls, and their rows. Never does: decide what an address may be paid from when on;
//! `crate::api::auth::address_book` does. Invariants: an address is saved in its chain's normal form; the account is the session's.
//! Known limits: one page holds them all.

mod table;

use super::auth::PASSWORD_WEIGHT;
use super::call::{Call, CallResult};
use super::deposit::{OnChain, chain_of, network};
use super::safe::surety;
use crate::api::auth::address_book::BookRow;
use crate::api::auth::challenges::Action;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::Failure;
use crate::app::Shared;
use crate::common::time::{Ms, ts};
use serde_json::{Value, json};
pub(super) use table::CALLS;
use xng_core::ids::AssetId;

/// Characters of a remark.
const MOST_REMARK: usize = 50;

fn row(shared: &Shared, row: &BookRow) -> Value {
    let created_ms = row.created_ms as Ms;
    let status = shared.chains.status(row.network);
    let network = status.map_or_else(String::new, |status| network(shared, &status, row.asset));
    json!({
        "id": row.id, "currency": row.asset.0, "name": shared.listed().asset_name(row.asset), "network": network,
        "address": row.address, "remark": row.remark, "created_at": ts(created_ms), "created_at_ms": created_ms,
        "usable_at_ms": row.usable_at_ms,
    })
}

fn remark(call: &Call) -> Result<&str, Failure> {
    let text = call.params.get("remark").unwrap_or_default().trim();
    let fits = text.chars().count() <= MOST_REMARK && !text.chars().any(char::is_control);
    if fits { Ok(text) } else { Err(Failure::field("remark", "at most 50 characters")) }
}

/// A password costs as much here as elsewhere.
async fn weigh(call: &Call) -> Result<(), Failure> {
    if call.params.was_sent("pay_password") { call.weighs(PASSWORD_WEIGHT).await } else { Ok(()) }
}

/// `POST /user/wallet/save`: `currency`, `network`, `address`, `remark`, `pay_password` or `proof`. `data` is the row of the list.
pub(crate) async fn save(call: Call) -> CallResult {
    let session = call.session().await?;
    let OnChain { status, asset } = chain_of(&call)?;
    let remark = remark(&call)?;
    let shared = &call.app.shared;
    let text = call.params.need("address")?;
    let checked = shared.chains.checks(status.params.chain, text);
    let to = checked.map_err(|_| Failure::field("address", "not an address of the network"))?;
    weigh(&call).await?;
    let surety = surety(&call, session, Action::AddAddress);
    let place = (asset.form.asset, status.params.chain);
    let saved = shared.auth.address_book().add(place, &to.address, remark, &surety).await?;
    Ok(call.said("done").and(row(shared, &saved)))
}

/// `GET /user/wallet/list`: the newest first; of `currency` only, when it is there.
pub(crate) async fn list(call: Call) -> CallResult {
    let session = call.session().await?;
    let (number, limit) = call.params.paging(20)?;
    let wanted = call.params.integer("currency")?.map(AssetId);
    let shared = &call.app.shared;
    let mut rows = shared.auth.address_book().list(session.account).await?;
    rows.retain(|row| wanted.is_none_or(|asset| asset == row.asset));
    let total = rows.len() as u64;
    let here = rows.iter().skip(((number - 1) * limit) as usize).take(limit as usize);
    Ok(Answer::ok(page(here.map(|one| row(shared, one)).collect(), number, limit, total)))
}

/// `POST /user/wallet/del`: `id`.
pub(crate) async fn delete(call: Call) -> CallResult {
    let session = call.session().await?;
    let id = call.params.need_integer("id")?;
    call.app.shared.auth.address_book().delete(session.account, id, call.ip).await?;
    Ok(call.said("done"))
}

/// `GET /user/wallet/whitelist`.
pub(crate) async fn whitelist(call: Call) -> CallResult {
    let session = call.session().await?;
    let now = call.app.shared.auth.address_book().whitelist(session.account).await?;
    let off_at_ms = if now.is_on { now.off_at_ms } else { 0 };
    Ok(Answer::ok(json!({ "on": u8::from(now.is_on), "wait_s": now.wait_s, "off_at_ms": off_at_ms })))
}

/// `POST /user/wallet/whitelist`: `on`; to switch it off, `pay_password` or `proof` as well.
pub(crate) async fn switch_whitelist(call: Call) -> CallResult {
    let session = call.session().await?;
    let book = call.app.shared.auth.address_book();
    match call.params.need("on")? {
        "1" => book.switch_on(session.account, call.ip).await?,
        "0" => {
            weigh(&call).await?;
            book.switch_off(&surety(&call, session, Action::SwitchWhitelist)).await?;
        }
        _ => return Err(Failure::field("on", "0 or 1")),
    }
    Ok(call.said("done"))
}
