//! Calls of deposits (`docs/rules/app-calls.md "Deposits"`): networks, addresses, what is on the way, what came.
//!
//! Owns: texts and rows of these. Never does: decide whose an address is, or what is credited. Invariants: an address is told when
//! its record is durable and the one who reads the chain looks for it. Known limits: what is in no block yet is not told.

mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::market::weight;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::app::Shared;
use crate::common::time::{ms, now_ms, ts};
use crate::custody::chains::{AssetStatus, ChainStatus};
use crate::custody::settings::txid_text;
use crate::custody::unconfirmed::UnconfirmedDeposit;
use crate::market::catalog::Catalog;
use crate::orders::lookup::{DEEP, answered, written};
use serde_json::{Value, json};
use std::time::Duration;
pub(super) use table::CALLS;
use xng_core::account::{AccountEvent, Deposit};
use xng_core::chain::{ChainCommand, ChainId, Key};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId};
use xng_core::record::Origin;
use xng_persistence::store::{DepositFilter, DepositKind, Slice, StoredDeposit};

/// A durable record is in the market view within this, or something is wrong.
const FOLDED: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(2);

/// What an asset's network is called in calls: the chain by its coin, and where tokens have a name of their own (ERC20) by that.
pub(in crate::api::app) fn network(shared: &Shared, status: &ChainStatus, asset: AssetId) -> String {
    let params = &status.params;
    let of_tokens = shared.chains.token_network(params.chain).filter(|_| asset != params.asset);
    of_tokens.map_or_else(|| shared.listed().asset_name(params.asset), str::to_owned)
}

pub(in crate::api::app) fn state(status: &ChainStatus) -> &'static str {
    match status.halted {
        Some(_) => "halted",
        None if status.is_read(now_ms()) => "open",
        None => "behind",
    }
}

/// `GET /wallet/networks`.
pub(crate) async fn networks(call: Call) -> CallResult {
    let wanted = call.params.integer("currency")?.map(AssetId);
    let shared = &call.app.shared;
    let row = |status: &ChainStatus, asset: &AssetStatus| {
        let (p, form) = (&status.params, asset.form);
        json!({ "network": network(shared, status, form.asset), "title": p.name, "currency": form.asset.0,
            "currency_name": shared.listed().asset_name(form.asset), "min_deposit": form.min_deposit.to_string(),
            "confirmations": p.confirmations, "addresses": p.addresses, "state": state(status),
            "withdraw": asset.terms.as_ref().map(|terms| json!({
                "state": if terms.open { state(status) } else { "closed" }, "fee": terms.fee.to_string(),
                "min": terms.min.to_string(), "max": terms.max.to_string(), "step": form.step().to_string(),
                "daily_limit": terms.daily_limit.to_string(),
                "daily_limit_advanced": terms.daily_limit_advanced.to_string() })) })
    };
    let mut rows = Vec::new();
    for status in shared.chains.all() {
        let assets = status.assets.iter().filter(|asset| wanted.is_none_or(|id| id == asset.form.asset));
        rows.extend(assets.map(|asset| row(&status, asset)));
    }
    Ok(Answer::ok(rows.into()))
}

/// An asset on one of its chains.
pub(in crate::api::app) struct OnChain {
    /// The chain.
    pub status: ChainStatus,
    /// The asset.
    pub asset: AssetStatus,
}

/// The asset and the chain that the call names, halted or not: its addresses stay.
pub(in crate::api::app) fn chain_of(call: &Call) -> Result<OnChain, Failure> {
    let shared = &call.app.shared;
    let id = AssetId(call.params.need_integer("currency")?);
    let named = call.params.get("network");
    let is_named =
        |status: &ChainStatus| named.is_none_or(|name| name.eq_ignore_ascii_case(&network(shared, status, id)));
    let mut found = shared.chains.all().into_iter().filter(is_named).filter_map(|status| {
        let asset = status.asset(id)?.clone();
        Some(OnChain { status, asset })
    });
    let first = found.next().ok_or(Code::UnderDevelopment)?;
    if found.next().is_some() {
        return Err(Failure::field("network", "one of several"));
    }
    Ok(first)
}

fn row(call: &Call, place: &OnChain, n: usize, key: Key) -> Result<Value, Failure> {
    let (shared, status) = (&call.app.shared, &place.status);
    let asset = place.asset.form.asset;
    let address = shared.chains.address(status.params.chain, key).map_err(|error| {
        tracing::error!(chain = status.params.chain.0, ?key, %error, "an address cannot be made");
        Failure::from(Code::UnderDevelopment)
    })?;
    let most = status.params.addresses;
    Ok(json!({ "address": address, "network": network(shared, status, asset), "n": n, "most": most }))
}

/// The account's `n`-th address, which is its own from now on.
async fn assigned(call: &Call, chain: ChainId, account: AccountId, n: u32) -> Result<Key, Failure> {
    let ask = Command::Chain(chain, ChainCommand::Assign { account, n });
    let key = match call.app.client.call(Origin::User, None, ask).await? {
        Reply::Accepted(Accepted::Address(key)) => key,
        Reply::Rejected(reject) => return Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Known(_) | Reply::View(_) | Reply::Busy) => {
            unreachable!("an address or a refusal, not {other:?}")
        }
    };
    // Who reads the chain must know it before anybody can pay to it.
    let waits = tokio::time::timeout(FOLDED, async {
        while !call.app.shared.chains.addresses_of(chain, account).contains(&key) {
            tokio::time::sleep(LOOK).await;
        }
    });
    waits.await.map_err(|_| Failure::from(Code::Busy))?;
    Ok(key)
}

/// `POST /wallet/get_in_address`: the newest address; the first one is made here.
pub(crate) async fn address(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let place = chain_of(&call)?;
    let status = &place.status;
    let own = call.app.shared.chains.addresses_of(status.params.chain, account);
    let (n, key) = match own.last() {
        Some(key) => (own.len(), *key),
        None => (1, assigned(&call, status.params.chain, account, 1).await?),
    };
    Ok(Answer::ok(row(&call, &place, n, key)?["address"].clone()))
}

/// `GET /wallet/addresses`: all of the account's on a network, the oldest first.
pub(crate) async fn addresses(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let place = chain_of(&call)?;
    let status = &place.status;
    let own = call.app.shared.chains.addresses_of(status.params.chain, account);
    let rows = (1..).zip(own).map(|(n, key)| row(&call, &place, n, key));
    Ok(Answer::ok(rows.collect::<Result<Value, Failure>>()?))
}

/// `POST /wallet/new_address`.
pub(crate) async fn new_address(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let place = chain_of(&call)?;
    let status = &place.status;
    let has = call.app.shared.chains.addresses_of(status.params.chain, account).len();
    let n = u32::try_from(has + 1).unwrap_or(u32::MAX);
    let key = assigned(&call, status.params.chain, account, n).await?;
    Ok(Answer::ok(row(&call, &place, has + 1, key)?))
}

/// `GET /recharge/pending`: what came in blocks that are not final yet, on all networks.
pub(crate) async fn pending(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let shared = &call.app.shared;
    let mut rows = Vec::new();
    for status in shared.chains.all() {
        let p = &status.params;
        let tip = status.node.map_or(0, |node| node.tip);
        for UnconfirmedDeposit { height, arriving } in shared.chains.unconfirmed(p.chain, account) {
            let Some(form) = p.asset(arriving.asset) else { continue };
            let Some((amount, _)) = form.amount(arriving.units) else { continue };
            // A block counts itself; with the last one it would be final.
            let most = u64::from(p.confirmations).saturating_sub(1).max(1);
            let has = (tip + 1).saturating_sub(height).clamp(1, most);
            rows.push(json!({ "currency": form.asset.0, "currency_name": shared.listed().asset_name(form.asset),
                "network": network(shared, &status, form.asset), "amount": amount.to_string(),
                "txid": txid_text(p.chain, arriving.at.txid), "output": arriving.at.n, "height": height, "confirmations": has,
                "needed": p.confirmations, "small": amount < form.min_deposit }));
        }
    }
    Ok(Answer::ok(rows.into()))
}

/// `GET /recharge/log`: what came, the newest first.
pub(crate) async fn history(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (number, limit) = call.params.paging(10)?;
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    written(&call.app).await?;
    let store = &call.app.shared.store;
    let filter = DepositFilter { account, asset: None };
    let total = answered(store.count(&filter).await)?;
    let slice = if number == 1 { Slice::Newest } else { Slice::Skip((number - 1) * limit) };
    let rows = answered(store.page(&filter, slice, limit as u32).await)?;
    let rows = rows.iter().map(|deposit| deposited(&call.app.shared, deposit)).collect();
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// What became of a deposit.
pub(crate) fn kind(kind: DepositKind) -> &'static str {
    match kind {
        DepositKind::Credited => "credited",
        DepositKind::Small => "small",
        DepositKind::Coinbase => "coinbase",
        DepositKind::Collected => "collected",
    }
}

fn deposited(shared: &Shared, d: &StoredDeposit) -> Value {
    let name = shared.listed().asset_name(d.asset);
    let status = shared.chains.status(d.chain);
    let kept = matches!(d.kind, DepositKind::Small | DepositKind::Coinbase);
    let (id, at) = (format!("{}-{}", d.lsn.0, d.n), ms(d.time));
    json!({ "id": id, "oid": id, "amount": d.amount.to_string(), "give": "0", "currency_id": d.asset.0, "name": name,
        "network": status.map_or_else(String::new, |status| network(shared, &status, d.asset)), "status": if kept { 1 } else { 2 },
        "kind": kind(d.kind), "remark": "", "user_account": shared.chains.address(d.chain, d.key).unwrap_or_default(),
        "txid": d.output.map(|(at, _)| txid_text(d.chain, at.txid)), "output": d.output.map(|(at, _)| at.n), "height": d.height,
        "created_at": ts(at), "created_at_ms": at })
}

/// What somebody is told of coins that came to its address.
#[must_use]
pub(crate) fn event(event: &AccountEvent, catalog: &Catalog) -> Option<(&'static str, Value)> {
    let Deposit { chain, asset, amount, at } = **event.deposit.as_ref()?;
    Some((
        "deposit",
        json!({ "chain": chain.0, "currency": asset.0, "currency_name": catalog.asset_name(asset),
            "amount": amount.to_string(), "txid": at.map(|at| txid_text(chain, at.txid)), "output": at.map(|at| at.n) }),
    ))
}
