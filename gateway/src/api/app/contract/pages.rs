//! What pages of contracts' books show: a contract's rules and prices, positions, orders, funding, insurance, lights.
//!
//! Owns: the forms of these answers. Never does: change anything. Invariants: numbers of one answer are of one view of the account
//! and one board; nobody sees what belongs to somebody else. Known limits: what was paid in funding comes from the store and may
//! lag behind by moments; places in a deleveraging are of the last few seconds.

use super::rows::{self, mode_name, named, with};
use super::{listed, some_listed};
use crate::api::app::call::{Call, CallResult};
use crate::api::app::lever::rows::percent;
use crate::api::app::market::weight;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::common::time::{ms, now_ns};
use crate::market::payload::state_name;
use crate::orders::book_contract::Listed;
use crate::orders::leg_lookup::{self, End};
use crate::orders::leg_worth::Worth;
use serde_json::{Value, json};
use xng_core::account::{AccountView, LegsView};
use xng_core::contract::brackets::Tier;
use xng_core::ids::{AccountId, AssetId};
use xng_core::money::Amount;
use xng_core::record::LogType;
use xng_persistence::store::{FundingFilter, LedgerFilter, LedgerRow, Slice};

/// Ended periods that a page shows.
const PERIODS: usize = 30;
/// Payments that a page shows.
const PAYMENTS: usize = 50;
/// Movements that are looked through for them.
const MOVEMENTS: u32 = 500;

/// What the account has in contracts' books.
async fn seen(call: &Call) -> Result<(Box<AccountView>, LegsView), Failure> {
    leg_lookup::seen(&call.app, call.session().await?.account).await
}

/// `GET /contract/book`: what an order form needs of a contract. Who is logged in sees their own fees and terms.
pub(super) async fn book(call: Call) -> CallResult {
    let listed = listed(&call)?;
    let (level, legs) = match call.token() {
        Some(_) => {
            let (view, legs) = seen(&call).await?;
            (view.level, legs)
        }
        None => (0, LegsView::default()),
    };
    let (p, book, terms) = (&listed.face.params, &listed.book, listed.terms(&legs));
    let ((index, seq, at), fees) = (listed.face.index, book.fees_of(level));
    let bracket = |tier: Tier| {
        json!({ "ceiling": tier.bracket.ceiling.to_string(), "max_multiple": tier.bracket.max_multiple,
            "maintenance": percent(tier.bracket.rate_ppm), "amount": tier.amount.to_string() })
    };
    let last = listed.figures.last;
    let more = json!({
        "status": state_name(listed.face.state), "live": listed.face.is_live(now_ns()),
        "index": (seq > 0).then(|| index.to_string()), "index_ms": (seq > 0).then(|| ms(at)),
        "mark": listed.price(listed.face.mark), "last": last.is_positive().then(|| listed.price(last)),
        "stale_after_ms": p.stale_after_ms, "tick": p.tick.to_string(), "lot": p.lot.to_string(),
        "min_amount": listed.lots(book.lots.0), "max_amount": listed.lots(book.lots.1),
        "maker_fee": percent(fees.maker.0), "taker_fee": percent(fees.taker.0), "band": percent(book.band_ppm),
        "protection": percent(book.protection_ppm), "max_multiple": p.brackets.largest_multiple(),
        "multiple": terms.multiple, "margin_mode": mode_name(terms.mode), "hedge": legs.hedge,
        "brackets": p.brackets.tiers().map(bracket).collect::<Vec<Value>>(),
        "open_interest": listed.lots(listed.figures.open), "funding_rate": listed.figures.next_rate.to_string(),
        "next_funding_ms": ms(listed.figures.due),
    });
    Ok(Answer::ok(with(named(&listed, &call.app.shared.listed()), more)))
}

/// Sums of an account's money for contracts in one asset.
fn balance(worth: &Worth<'_>, asset: AssetId, coin: &str) -> Value {
    let (wallet, unrealised) = (worth.wallet(asset), worth.unrealised(asset));
    json!({
        "coin": coin, "currency_id": asset.0, "balance": wallet.to_string(), "profits": unrealised.to_string(),
        "equity": (wallet + unrealised).to_string(), "available": worth.available(asset).to_string(),
        "position_margin": worth.position_initial(asset).to_string(),
        "order_margin": worth.order_initial(asset).to_string(), "maintenance": worth.maintenance(asset).to_string(),
        "cross_balance": worth.cross_wallet(asset).to_string(),
        "risk_rate": worth.pool(asset).risk().map(|rate| rate.to_string()),
    })
}

/// `GET /contract/positions`: of one contract or of all.
pub(super) async fn positions(call: Call) -> CallResult {
    let wanted = some_listed(&call)?;
    let (view, legs) = seen(&call).await?;
    let (contracts, catalog) = (Listed::all_of(&call.app.shared.contracts), call.app.shared.listed());
    let worth = Worth::new(&view, &legs, &contracts);
    let lights = call.app.shared.contracts.lights();
    let is_wanted = |listed: &Listed| wanted.iter().any(|one| one.id == listed.id);
    let shown = worth.positions.iter().filter(|p| is_wanted(p.listed));
    let positions: Vec<Value> = shown.map(|p| rows::position(&worth, p, (view.account, &lights), &catalog)).collect();
    let mut assets: Vec<AssetId> = contracts.iter().map(|listed| listed.face.params.settle).collect();
    assets.sort_unstable();
    assets.dedup();
    let balances: Vec<Value> =
        assets.into_iter().map(|asset| balance(&worth, asset, &catalog.asset_name(asset))).collect();
    Ok(Answer::ok(json!({ "hedge": legs.hedge, "positions": positions, "balances": balances })))
}

/// `GET /contract/orders`: open orders of one contract or of all, newest first.
pub(super) async fn orders(call: Call) -> CallResult {
    let wanted = some_listed(&call)?;
    let (view, legs) = seen(&call).await?;
    call.weighs(weight(legs.orders.len())).await?;
    let mut open = leg_lookup::open(&call.app, view.account, &legs).await?;
    open.retain(|order| wanted.iter().any(|listed| listed.id == order.units.contract));
    open.sort_unstable_by_key(|order| std::cmp::Reverse(order.order));
    let catalog = call.app.shared.listed();
    Ok(Answer::ok(open.iter().map(|order| rows::order(order, &catalog)).collect()))
}

/// `GET /contract/adl`: how many lights each of the user's positions shows.
pub(super) async fn adl(call: Call) -> CallResult {
    let wanted = some_listed(&call)?;
    let (view, legs) = seen(&call).await?;
    let (lights, catalog) = (call.app.shared.contracts.lights(), call.app.shared.listed());
    let row = |own: &xng_core::account::OwnLeg| {
        let listed = wanted.iter().find(|listed| listed.id == own.units.contract)?;
        let more = json!({
            "position_side": rows::leg_name(own.side), "lights": lights.of(listed.id, view.account, own.side),
        });
        Some(with(named(listed, &catalog), more))
    };
    Ok(Answer::ok(legs.legs.iter().filter_map(row).collect()))
}

/// What an account paid or got in funding of one contract, newest first.
async fn payments(call: &Call, account: AccountId, listed: &Listed) -> Result<Vec<Value>, Failure> {
    let filter = LedgerFilter { logs: vec![LogType::FUNDING], ..LedgerFilter::of(account) };
    let rows = call.app.shared.store.page(&filter, Slice::Newest, MOVEMENTS).await;
    let mut rows: Vec<LedgerRow> = rows.map_err(|_| Failure::from(Code::Busy))?;
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
    let catalog = call.app.shared.listed();
    let here = rows.iter().filter(|row| leg_lookup::contract_of(row) == Some(listed.id));
    let row = |row: &LedgerRow| {
        json!({ "id": row.id, "time_ms": ms(row.time), "coin": catalog.asset_name(row.asset),
            "amount": row.value().to_string() })
    };
    Ok(here.take(PAYMENTS).map(row).collect())
}

/// `GET /contract/funding`: the rate of the present period so far, those that ended, and what the user paid.
pub(super) async fn funding(call: Call) -> CallResult {
    let listed = listed(&call)?;
    let paid = match call.token() {
        Some(_) => payments(&call, call.session().await?.account, &listed).await?,
        None => Vec::new(),
    };
    let filter = FundingFilter { contract: Some(listed.id), ..FundingFilter::default() };
    let ended = leg_lookup::funding(&call.app, &filter, (End::Newest, PERIODS)).await?;
    let row = |end: &crate::market::contracts::FundingEnd| json!({ "time_ms": ms(end.due), "rate": end.rate.to_string(), "mark": listed.price(end.mark) });
    let terms = &listed.book.funding;
    let more = json!({
        "rate": listed.figures.next_rate.to_string(), "last_rate": listed.figures.rate.to_string(),
        "next_ms": ms(listed.figures.due), "period_s": terms.period_s, "interest": terms.interest.to_string(),
        "cap": terms.cap.to_string(), "mark": listed.price(listed.face.mark),
        "history": ended.iter().rev().map(row).collect::<Vec<Value>>(), "paid": paid,
    });
    Ok(Answer::ok(with(named(&listed, &call.app.shared.listed()), more)))
}

/// `GET /contract/insurance`: the fund, and what of it is set apart for each contract.
pub(super) async fn insurance(call: Call) -> CallResult {
    let (contracts, catalog) = (Listed::all_of(&call.app.shared.contracts), call.app.shared.listed());
    let view = call.view(AccountId::INSURANCE).await?;
    let mut assets: Vec<AssetId> = contracts.iter().map(|listed| listed.face.params.settle).collect();
    assets.sort_unstable();
    assets.dedup();
    let fund = |asset: AssetId| {
        let here = view.balances.iter().filter(|b| b.asset == asset);
        let (available, locked) = here.fold((Amount::ZERO, Amount::ZERO), |(a, l), b| (a + b.available, l + b.locked));
        json!({
            "coin": catalog.asset_name(asset), "total": (available + locked).to_string(), "set_apart": locked.to_string(),
        })
    };
    let quota = |listed: &Listed| {
        let coin = catalog.asset_name(listed.face.params.settle);
        with(named(listed, &catalog), json!({ "coin": coin, "quota": listed.figures.quota.to_string() }))
    };
    let funds: Vec<Value> = assets.into_iter().map(fund).collect();
    let quotas: Vec<Value> = contracts.iter().map(quota).collect();
    Ok(Answer::ok(json!({ "funds": funds, "contracts": quotas })))
}
