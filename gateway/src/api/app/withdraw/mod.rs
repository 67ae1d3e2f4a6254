//! Calls of withdrawals (`docs/rules/app-calls.md "Withdrawals"`): what one costs, asking for one, lists, taking one back.
//!
//! Owns: texts to commands, what is unusual about a withdrawal, and what a refusal is told as. Never does: decide whether it is paid;
//! make an address usable. Invariants: who asks is proved for exactly this amount and address; pauses are read after that, right
//! before the exchange is asked; what was accepted once is told again. Known limits: coins of chains; no bank cards.

pub(crate) mod rows;
mod table;

use super::auth::PASSWORD_WEIGHT;
use super::call::{Call, CallResult};
use super::deposit::{OnChain, chain_of, network, state};
use super::market::weight;
use super::safe::surety;
use crate::api::auth::Session;
use crate::api::auth::address_book::Usable;
use crate::api::auth::challenges::Action;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{Ms, now_ms, now_ns};
use crate::custody::chains::ChainStatus;
use crate::orders::lookup::{DEEP, answered, written};
pub(crate) use rows::event;
use serde_json::json;
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, Tier};
use xng_core::chain::{ChainAsset, ChainCommand, Key, WithdrawalId, WithdrawalRequest, WithdrawalTerms, flags};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, RequestKey, Wallet};
use xng_core::money::Amount;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_persistence::store::{Slice, StoredWithdrawal, WithdrawalFilter};

/// An address is new for so long.
const NEW_ADDRESS_MS: Ms = 72 * 3_600_000;
/// A session is new for so long.
const NEW_SESSION_MS: Ms = 24 * 3_600_000;
/// The longest remark.
const MOST_REMARK: usize = 50;

/// The chain, the asset and the terms of its withdrawals.
fn terms_of(call: &Call) -> Result<(ChainStatus, ChainAsset, WithdrawalTerms), Failure> {
    let OnChain { status, asset } = chain_of(call)?;
    let terms = asset.terms.ok_or(Code::UnderDevelopment)?;
    Ok((status, asset.form, terms))
}

/// How withdrawals of a chain are: `closed` goes before the chain's own state.
fn withdrawal_state(status: &ChainStatus, terms: &WithdrawalTerms) -> &'static str {
    if terms.open { state(status) } else { "closed" }
}

/// Where to.
struct To {
    address: String,
    script_bytes: u32,
    inside: Option<Key>,
}

fn to(call: &Call, status: &ChainStatus, account: AccountId, text: &str) -> Result<To, Failure> {
    let (chains, chain) = (&call.app.shared.chains, status.params.chain);
    let wrong = |_| Failure::field("address", "not an address of the network");
    let checked = chains.checks(chain, text).map_err(wrong)?;
    let (address, script_bytes) = (checked.address, checked.script_bytes);
    let inside = chains.key_of(chain, &address).map_err(|error| {
        tracing::error!(chain = chain.0, %error, "an address of the exchange cannot be made");
        Failure::from(Code::Busy)
    })?;
    let owner = inside.and_then(|key| chains.look(chain, |chain| chain.owner_of(key)).flatten());
    if owner == Some(account) {
        return Err(Failure::field("address", "your own"));
    }
    Ok(To { address, script_bytes, inside })
}

/// What is unusual about a withdrawal, but for what its amount is.
async fn unusual(call: &Call, session: Session, created_ms: Option<u64>) -> Result<u32, Failure> {
    let now = now_ms();
    let mut bits = 0;
    if created_ms.is_none_or(|at| now.saturating_sub(at.cast_signed()) < NEW_ADDRESS_MS) {
        bits |= flags::NEW_ADDRESS;
    }
    let sessions = call.app.shared.auth.sessions(session.account).await?;
    let began = sessions.iter().find(|row| row.id == session.id).map_or(now, |row| row.created_ms);
    if now.saturating_sub(began) < NEW_SESSION_MS {
        bits |= flags::NEW_SESSION;
    }
    let store = &call.app.shared.store;
    if answered(store.count(&WithdrawalFilter { account: session.account, done: true }).await)? == 0 {
        bits |= flags::FIRST;
    }
    Ok(bits)
}

/// More than half of what the account has of the asset in the wallet that coins leave.
fn most_of_all(number: Amount, available: Amount) -> u32 {
    if number + number > available { flags::MOST_OF_ALL } else { 0 }
}

/// What the wallet that coins leave has of the asset, and the account's tier.
async fn available(call: &Call, account: AccountId, asset: AssetId) -> Result<(Amount, Tier), Failure> {
    let view = call.view(account).await?;
    let held = view.balances.iter().find(|held| (held.wallet, held.asset) == (Wallet::Funding, asset));
    Ok((held.map_or(Amount::ZERO, |held| held.available), view.tier))
}

/// `POST /user/withdraw/quote`: what a withdrawal would cost and who would look at it.
pub(crate) async fn quote(call: Call) -> CallResult {
    let session = call.session().await?;
    let (status, form, terms) = terms_of(&call)?;
    let (shared, asset, chain) = (&call.app.shared, form.asset, status.params.chain);
    let number = call.params.amount("number")?.unwrap_or(Amount::ZERO);
    let text = call.params.get("address").filter(|text| !text.is_empty());
    let to = text.map(|text| to(&call, &status, session.account, text)).transpose()?;
    let found = match &to {
        Some(to) => shared.auth.address_book().usable(session.account, asset, chain, &to.address).await?,
        None => Usable::NotThere,
    };
    let (usable_at_ms, created_ms) = match found {
        Usable::Found { usable_at_ms, created_ms } => (usable_at_ms, Some(created_ms)),
        Usable::NotThere => (0, None),
    };
    let (available, tier) = available(&call, session.account, asset).await?;
    // Only of addresses that the caller has in its book: nobody looks up who is a user here.
    let inside = created_ms.is_some() && to.as_ref().is_some_and(|to| to.inside.is_some());
    let fee = if inside { Amount::ZERO } else { terms.fee };
    let net = if number > fee { number - fee } else { Amount::ZERO };
    let bits = unusual(&call, session, created_ms).await? | most_of_all(number, available);
    let now = now_ns();
    let looked = shared.chains.look(chain, |chain| {
        let votes = chain.votes_needed(session.account, (asset, number), bits, now);
        (chain.withdrawn(session.account, asset, now), votes)
    });
    let (used, votes) = looked.unwrap_or_default();
    let paused = shared.auth.withdrawals_paused_until(session.account).await?;
    let methods: Vec<&str> = shared.auth.methods(session.account).await?.iter().map(|method| method.name()).collect();
    Ok(Answer::ok(json!({
        "currency": asset.0, "currency_name": shared.listed().asset_name(asset), "network": network(shared, &status, asset),
        "state": withdrawal_state(&status, &terms), "version": terms.version, "number": number.to_string(),
        "fee": fee.to_string(), "net": net.to_string(), "min_number": terms.min.to_string(),
        "max_number": terms.max.to_string(), "step": form.step().to_string(), "available": available.to_string(),
        "used": used.to_string(), "limit": terms.limit(tier).to_string(), "votes": votes, "inside": inside,
        "usable_at_ms": usable_at_ms, "paused_until_ms": if paused.cast_signed() > now_ms() { paused } else { 0 },
        "methods": methods,
    })))
}

/// A refusal with the limit in its text.
fn refusal(terms: &WithdrawalTerms, tier: Tier, reject: Reject) -> Failure {
    let limit = |key, value: Amount| Failure::text(Code::Limit, key).with("limit", value);
    let told = [
        (Reject::BelowMinAmount, limit("withdraw_min", terms.min)),
        (Reject::AboveMaxAmount, limit("withdraw_max", terms.max)),
        (Reject::AboveDailyLimit, limit("above_daily_limit", terms.limit(tier))),
        (Reject::TooManyWithdrawals, Failure::text(Code::Limit, "too_many_withdrawals").with("limit", terms.most_open)),
        (Reject::ChainClosed, Failure::text(Code::State, "withdrawals_closed")),
    ];
    let found = told.into_iter().find(|(of, _)| *of == reject);
    found.map_or_else(|| reject.into(), |(_, failure)| failure)
}

/// `POST /wallet/out`: `currency`, `number`, `type` (0), `address` of the book, `network`, `version`, `pay_password` or `proof`.
pub(crate) async fn out(call: Call) -> CallResult {
    let session = call.session().await?;
    if call.params.need_integer::<u8>("type")? != 0 {
        return Err(Code::UnderDevelopment.into());
    }
    let (status, form, terms) = terms_of(&call)?;
    let (shared, asset, chain) = (&call.app.shared, form.asset, status.params.chain);
    let number = call.params.need_positive("number")?;
    let version = call.params.need_integer("version")?;
    let remark = call.params.get("remark").unwrap_or_default();
    if remark.chars().count() > MOST_REMARK {
        return Err(Failure::field("remark", "at most 50 characters"));
    }
    let key = call.request_key()?;
    // Who asks again is told what became of it: a proof is good once.
    if let Some(known) = known(&call, session.account, key).await? {
        return Ok(accepted(&call, known));
    }
    let (available, tier) = available(&call, session.account, asset).await?;
    if tier == Tier::Unverified {
        return Err(Code::NeedsVerification.into());
    }
    let to = to(&call, &status, session.account, call.params.need("address")?)?;
    let book = shared.auth.address_book();
    let Usable::Found { usable_at_ms, created_ms } = book.usable(session.account, asset, chain, &to.address).await?
    else {
        return Err(Failure::text(Code::NotFound, "address_not_saved"));
    };
    if usable_at_ms > 0 {
        return Err(Failure::text(Code::Frozen, "address_waits").until(usable_at_ms));
    }
    let bits = unusual(&call, session, Some(created_ms)).await? | most_of_all(number, available);
    if call.params.was_sent("pay_password") {
        call.weighs(PASSWORD_WEIGHT).await?;
    }
    shared.auth.assure(&surety(&call, session, Action::Withdraw)).await?;
    // A password takes its time: the address may have been deleted meanwhile.
    if !matches!(book.usable(session.account, asset, chain, &to.address).await?, Usable::Found { usable_at_ms: 0, .. })
    {
        return Err(Failure::text(Code::NotFound, "address_not_saved"));
    }
    let paused = shared.auth.withdrawals_paused_until(session.account).await?;
    if paused.cast_signed() > now_ms() {
        return Err(Failure::text(Code::Frozen, "withdrawals_paused").until(paused));
    }
    let To { address, script_bytes, inside } = to;
    let wanted = WithdrawalRequest { asset, number, address, script_bytes, inside, flags: bits, version };
    let command = AccountCommand::Withdraw { chain, wanted: Box::new(wanted) };
    match call.call_exclusively(session.account, key, Command::Account(session.account, command)).await? {
        Reply::Accepted(Accepted::Withdrawal(id)) | Reply::Known(Accepted::Withdrawal(id)) => Ok(accepted(&call, id)),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(refusal(&terms, tier, reject)),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a withdrawal is taken or not, not {other:?}")
        }
    }
}

fn accepted(call: &Call, id: WithdrawalId) -> Answer {
    call.said("withdraw_submitted").and(json!({ "id": id.0 }))
}

/// The withdrawal that a request of this key asked for before.
async fn known(call: &Call, account: AccountId, key: Option<RequestKey>) -> Result<Option<WithdrawalId>, Failure> {
    let Some(key) = key else { return Ok(None) };
    // Under its key even a view is answered with what became of the request.
    let ask = Command::Account(account, AccountCommand::View);
    match call.app.client.call(Origin::User, Some(key), ask).await? {
        Reply::Known(Accepted::Withdrawal(id)) => Ok(Some(id)),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(reject.into()),
        Reply::View(_) => Ok(None),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::Busy) => {
            unreachable!("a view or what is known, not {other:?}")
        }
    }
}

/// `GET /user/withdraw/list`: the newest first.
pub(crate) async fn list(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let (number, limit) = call.params.paging(10)?;
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    written(&call.app).await?;
    let store = &call.app.shared.store;
    let filter = WithdrawalFilter { account, done: false };
    let total = answered(store.count(&filter).await)?;
    let slice = if number == 1 { Slice::Newest } else { Slice::Skip((number - 1) * limit) };
    let found = answered(store.page(&filter, slice, limit as u32).await)?;
    let rows = found.iter().map(|one| rows::row(&call.app.shared, one)).collect();
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// An own withdrawal, open or not.
async fn own(call: &Call) -> Result<StoredWithdrawal, Failure> {
    let account = call.session().await?.account;
    let id = WithdrawalId(call.params.need_integer("id")?);
    written(&call.app).await?;
    let found = answered(call.app.shared.store.find::<StoredWithdrawal>(id).await)?;
    Ok(found.filter(|one| one.account == account).ok_or(Code::NotFound)?)
}

/// `GET /user/withdraw/detail`.
pub(crate) async fn detail(call: Call) -> CallResult {
    let own = own(&call).await?;
    Ok(Answer::ok(rows::detail(&call.app.shared, &own)))
}

/// `POST /user/withdraw/cancel`.
pub(crate) async fn cancel(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let withdrawal = WithdrawalId(call.params.need_integer("id")?);
    let command = Command::Chain(withdrawal.chain(), ChainCommand::Cancel { account, withdrawal });
    match call.app.client.call(Origin::User, None, command).await? {
        Reply::Accepted(_) | Reply::Known(_) => Ok(call.said("done")),
        Reply::Rejected(Reject::UnknownChain) => Err(Code::NotFound.into()),
        // The chain does not remember whose those were that ended.
        Reply::Rejected(Reject::WithdrawalDone) => {
            own(&call).await?;
            Err(Reject::WithdrawalDone.into())
        }
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("it is taken back or not, not {other:?}")
        }
    }
}
