//! Calls of coupons (`docs/rules/app-calls.md "Coupons"`): what an account has, using one, getting one by a code.
//!
//! Owns: texts to commands, rows. Never does: issue a coupon; the campaign does. Invariants: a code that opens nothing costs one of a few
//! tries an hour. Known limits: tries are one process's.

mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::market::weight;
use crate::api::http::envelope::{Answer, page};
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{ms, now_ns, ts};
use crate::orders::lookup::{DEEP, answered, written};
use serde_json::{Value, json};
use std::cmp::Reverse;
pub(super) use table::CALLS;
use xng_core::account::{AccountCommand, AccountEvent, CouponCommand, OptionChange};
use xng_core::coupon::facts::CouponFact;
use xng_core::coupon::{Coupon, CouponId, CouponKind, Issuer, digest_of};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::AccountId;
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_persistence::store::{CouponFilter, CouponState, CouponsOf, Slice, StoredCoupon};

/// Rows of a page, unless the request says how many.
const PAGE: u64 = 15;
/// Letters of a code at most.
const LONGEST_CODE: usize = 64;

/// The name of a kind, in calls of the app and of the back office.
pub(crate) fn kind_name(kind: CouponKind) -> &'static str {
    match kind {
        CouponKind::Cash => "cash",
        CouponKind::MicroBonus => "micro_bonus",
    }
}

/// How a coupon is shown; `over` when it can be used no more although it was not.
fn row(call: &Call, stored: &StoredCoupon, is_over: bool) -> Value {
    let shared = &call.app.shared;
    let Coupon { coupon, kind, asset, value, issued, expires, .. } = stored.coupon;
    let name = shared.campaigns.get(coupon.campaign()).map(|view| view.terms.name);
    let project = shared.messages.text(call.lang, &format!("coupon_for_{}", kind_name(kind)), &[]);
    let ended = stored.state != CouponState::Unused;
    let status = match stored.state {
        CouponState::Used => 1,
        CouponState::Revoked => 2,
        CouponState::Unused => {
            if is_over {
                2
            } else {
                0
            }
        }
    };
    json!({
        "id": coupon.0, "name": name.unwrap_or_default(), "kind": kind_name(kind), "price": value.to_string(),
        "unit": shared.listed().asset_name(asset), "project_name": project, "min_amount": "0", "status": status,
        "revoked": stored.state == CouponState::Revoked, "created_at": ts(ms(issued)), "expired_time": ts(ms(expires)),
        "expired_ms": ms(expires), "used_at": ended.then(|| ts(ms(stored.until))),
    })
}

/// `GET /coupon/list`: the newest first.
pub async fn list(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let status = call.params.integer::<u8>("status")?.unwrap_or_default();
    let (number, limit) = call.params.paging(PAGE)?;
    let skip = usize::try_from((number - 1) * limit).unwrap_or(usize::MAX);
    let now = now_ns();
    let which = match status {
        0 => {
            let view = call.view(account).await?;
            let all = view.coupons.iter().chain(&view.bonuses);
            let mut live: Vec<&Coupon> = all.filter(|coupon| coupon.is_live(now)).collect();
            live.sort_unstable_by_key(|coupon| Reverse((coupon.issued, coupon.coupon)));
            let total = live.len() as u64;
            let shown = live.into_iter().skip(skip).take(limit as usize);
            let rows = shown.map(|coupon| row(&call, &StoredCoupon::unused(*coupon), false)).collect();
            return Ok(Answer::ok(page(rows, number, limit, total)));
        }
        1 => CouponsOf::Used,
        2 => CouponsOf::OverAt(now),
        _ => return Err(Failure::field("status", "0, 1 or 2")),
    };
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    written(&call.app).await?;
    let filter = CouponFilter { account, which };
    let found = answered(call.app.shared.store.page(&filter, Slice::Newest, reach as u32).await)?;
    let total = answered(call.app.shared.store.count(&filter).await)?;
    let newest = found.iter().rev().skip(skip).take(limit as usize);
    let rows = newest.map(|stored| row(&call, stored, true)).collect();
    Ok(Answer::ok(page(rows, number, limit, total)))
}

/// Hands over a command; what it says when it was taken.
async fn change(call: &Call, account: AccountId, command: CouponCommand, said: &str) -> CallResult {
    let key = call.request_key()?;
    let command = Command::Account(account, AccountCommand::Coupon(command));
    match call.app.client.call(Origin::User, key, command).await? {
        Reply::Accepted(Accepted::Done) => Ok(call.said(said)),
        Reply::Known(Accepted::Done) => Ok(call.said(said).and(json!({ "repeated": true }))),
        Reply::Known(_) => Err(Code::Repeated.into()),
        Reply::Rejected(reject) => Err(reject.into()),
        other @ (Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_) | Reply::Busy) => {
            unreachable!("a coupon is taken or not, not {other:?}")
        }
    }
}

/// `POST /coupon/use`: the value comes into the spot wallet, once. One that is an option's stake is used by opening an option.
pub async fn cash(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let coupon = CouponId(call.params.need_integer("id")?);
    let view = call.view(account).await?;
    let known = view.coupons.iter().chain(&view.bonuses).find(|known| known.coupon == coupon);
    if known.is_some_and(|known| known.kind != CouponKind::Cash) {
        return Err(Failure::text(Code::State, "coupon_for_an_option"));
    }
    change(&call, account, CouponCommand::Use(coupon), "coupon_used").await
}

/// `POST /coupon/exchange`: a coupon for a code. What opens nothing costs a try.
pub async fn exchange(call: Call) -> CallResult {
    let account = call.session().await?.account;
    let code = call.params.need("code")?;
    if code.chars().count() > LONGEST_CODE {
        return Err(Failure::field("code", "1 to 64 letters"));
    }
    let shared = &call.app.shared;
    if !shared.coupon_tries.take(account) {
        return Err(Code::TooMany.into());
    }
    let digest = digest_of(code);
    let campaign = shared.campaigns.of_code(&digest).ok_or(Reject::UnknownCampaign)?;
    shared.coupon_tries.give(&account);
    let issuer = Issuer::Code(digest);
    change(&call, account, CouponCommand::Receive { campaign, issuer }, "coupon_received").await
}

/// The event of what happened to a coupon of an account.
pub(crate) fn event(event: &AccountEvent) -> Option<(&'static str, Value)> {
    let told = |coupon: Coupon, status: u8| ("coupon", json!({ "id": coupon.coupon.0, "status": status }));
    // One that is a stake is used while an option by it is open, and for good when that is decided.
    match event.option.as_deref() {
        Some(OptionChange::Opened(option)) => return Some(told(option.coupon()?, 1)),
        Some(OptionChange::Settled(item)) => return Some(told(item.returned()?, 0)),
        None => {}
    }
    let (coupon, status) = match event.coupon.as_deref()? {
        CouponFact::CouponIssued(f) => (&f.coupon, 0),
        CouponFact::CouponCashed(f) => (&f.coupon, 1),
        CouponFact::CouponRevoked(f) => (&f.coupon, 2),
        // It is used when an option is opened by it.
        CouponFact::CouponStaked(_)
        | CouponFact::CampaignOpened(_)
        | CouponFact::CampaignStopped(_)
        | CouponFact::CampaignClosed(_) => return None,
    };
    (coupon.account == event.account).then(|| told(*coupon, status))
}
