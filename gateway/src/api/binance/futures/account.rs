//! `account`, `balance`, `positionRisk`, `accountConfig`, `symbolConfig`, `leverageBracket`, `commissionRate`, `income`,
//! `adlQuantile`, `apiTradingStatus`.
//!
//! Owns: their rows. Never does: value a position (`worth.rs` does). Invariants: a row's numbers are of one moment. Known
//! limits: income comes from the store and may lag behind by moments.

use super::listed::Listed;
use super::queries::{end_of, history, is_inside, seen};
use super::rows::{leg_name, signed};
use crate::api::binance::account::rate;
use crate::api::binance::errors::ApiError;
use crate::api::binance::orders::rows::eight;
use crate::api::binance::request::{ApiResult, Request};
use crate::common::time::now_ms;
use crate::market::catalog::Catalog;
use crate::market::lights::Lights;
use crate::orders::leg_history::LegHistory;
use crate::orders::leg_lookup;
use crate::orders::leg_worth::{Valued, Worth};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use xng_core::account::facts::AccountStatus;
use xng_core::account::{AccountView, LegsView};
use xng_core::contract::book::order::LegSide;
use xng_core::contract::facts::MarginMode;
use xng_core::ids::{AssetId, MarketId, Wallet};
use xng_core::money::Amount;
use xng_core::record::LogType;
use xng_persistence::store::{LedgerFilter, LedgerRow, Slice};

const ZERO: Amount = Amount::ZERO;
const INCOME_ROWS: usize = 100;
const MOST_INCOME: usize = 1_000;

/// What answers about the account are made of.
struct Seen {
    view: Box<AccountView>,
    legs: LegsView,
    contracts: Vec<Listed>,
    /// When positions changed last, by contract and side.
    changed: Vec<(MarketId, LegSide, i64)>,
    /// Places in a deleveraging.
    lights: Arc<Lights>,
}

impl Seen {
    async fn by(request: &Request) -> Result<Seen, ApiError> {
        let (view, legs) = seen(request).await?;
        let read = |history: &LegHistory| {
            let of = |fill: &xng_core::account::leg_orders::LegFill| {
                (fill.units.contract, fill.leg, request.unit.ns(fill.time))
            };
            history.fills().map(of).collect()
        };
        let changed = history(request, read)?.unwrap_or_default();
        let lights = request.app.shared.contracts.lights();
        Ok(Seen { view, legs, contracts: Listed::all(request), changed, lights })
    }

    fn updated(&self, contract: MarketId, leg: LegSide) -> i64 {
        let of = self.changed.iter().rev().find(|(c, l, _)| (*c, *l) == (contract, leg));
        of.map_or(0, |(_, _, time)| *time)
    }

    /// The positions that a contract may have, with what there is of them.
    fn sides<'s>(&self, worth: &'s Worth<'s>, listed: &Listed) -> Vec<(LegSide, Option<&'s Valued<'s>>)> {
        let sides: &[LegSide] = if self.legs.hedge { &[LegSide::Long, LegSide::Short] } else { &[LegSide::Both] };
        let find = |side| worth.positions.iter().find(|p| p.own.units.contract == listed.id && p.own.side == side);
        sides.iter().map(|side| (*side, find(*side))).collect()
    }

    /// Values of buys and sells that rest.
    fn resting(&self, listed: &Listed) -> (Amount, Amount) {
        let (mut bids, mut asks) = (ZERO, ZERO);
        for own in self.legs.orders.iter().filter(|own| own.units.contract == listed.id) {
            let value = own.units.value(own.rests.ticks, own.rests.open);
            *(if own.rests.side == xng_core::spot::Side::Buy { &mut bids } else { &mut asks }) += value;
        }
        (bids, asks)
    }
}

/// What every row of a position tells; zeros of one that is not there.
fn position(
    seen: &Seen,
    worth: &Worth<'_>,
    listed: &Listed,
    (side, found): (LegSide, Option<&Valued<'_>>),
) -> Map<String, Value> {
    let of = |value: &dyn Fn(&Valued<'_>) -> Amount| eight(found.map_or(ZERO, value));
    let base = found.map_or(ZERO, Valued::base);
    let isolated = found.filter(|p| p.is_isolated());
    let margin = isolated.map_or(ZERO, |p| p.own.leg.margin);
    let liquidation = found.map_or(ZERO, |p| worth.liquidation(p));
    let row = json!({
        "symbol": listed.symbol(), "positionSide": leg_name(side),
        "positionAmt": signed(listed, base, found.is_none_or(Valued::is_long)), "entryPrice": of(&|p| p.entry()),
        "breakEvenPrice": of(&|p| p.entry()), "markPrice": eight(listed.face.mark), "unRealizedProfit": of(&|p| p.unrealised()),
        "liquidationPrice": listed.price(liquidation), "isolatedMargin": eight(margin + isolated.map_or(ZERO, Valued::unrealised)),
        "notional": of(&|p| p.notional()), "isolatedWallet": eight(margin), "updateTime": seen.updated(listed.id, side),
    });
    let Value::Object(row) = row else { unreachable!("a row is an object") };
    row
}

fn with(mut row: Map<String, Value>, more: Value) -> Value {
    if let Value::Object(more) = more {
        row.extend(more);
    }
    Value::Object(row)
}

fn mode_name(mode: MarginMode) -> &'static str {
    match mode {
        MarginMode::Isolated => "isolated",
        MarginMode::Cross => "cross",
    }
}

/// `GET /fapi/v2/positionRisk`: of each contract, whether there is a position or not.
pub async fn risk_v2(request: Request) -> ApiResult {
    let wanted = Listed::wanted(&request)?;
    let seen = Seen::by(&request).await?;
    let worth = Worth::new(&seen.view, &seen.legs, &seen.contracts);
    let mut rows = Vec::new();
    for listed in &wanted {
        let terms = listed.terms(&seen.legs);
        for (side, found) in seen.sides(&worth, listed) {
            let more = json!({
                "leverage": terms.multiple.to_string(), "marginType": mode_name(terms.mode), "isAutoAddMargin": "false",
                "maxNotionalValue": eight(listed.most_value(terms.multiple)),
            });
            rows.push(with(position(&seen, &worth, listed, (side, found)), more));
        }
    }
    Ok(Value::Array(rows).into())
}

fn v3_row(
    seen: &Seen,
    worth: &Worth<'_>,
    catalog: &Catalog,
    listed: &Listed,
    at: (LegSide, Option<&Valued<'_>>),
) -> Value {
    let (bids, asks) = seen.resting(listed);
    let (position_initial, maint) = at.1.map_or((ZERO, ZERO), |p| (p.initial(), p.maintenance()));
    let orders = worth.order_initial_of(listed);
    let more = json!({
        "marginAsset": catalog.asset_name(listed.face.params.settle), "initialMargin": eight(position_initial + orders),
        "maintMargin": eight(maint), "positionInitialMargin": eight(position_initial),
        "openOrderInitialMargin": eight(orders), "adl": quantile(seen.lights.of(listed.id, seen.view.account, at.0)),
        "bidNotional": eight(bids), "askNotional": eight(asks),
    });
    with(position(seen, worth, listed, at), more)
}

/// Positions, and contracts with orders.
fn v3_rows(seen: &Seen, worth: &Worth<'_>, catalog: &Catalog, wanted: &[Listed]) -> Vec<Value> {
    let mut rows = Vec::new();
    for listed in wanted {
        let has_orders = seen.legs.orders.iter().any(|own| own.units.contract == listed.id);
        let at = seen.sides(worth, listed).into_iter().filter(|(_, found)| found.is_some() || has_orders);
        rows.extend(at.map(|at| v3_row(seen, worth, catalog, listed, at)));
    }
    rows
}

/// `GET /fapi/v3/positionRisk`.
pub async fn risk_v3(request: Request) -> ApiResult {
    let wanted = Listed::wanted(&request)?;
    let seen = Seen::by(&request).await?;
    let worth = Worth::new(&seen.view, &seen.legs, &seen.contracts);
    Ok(Value::Array(v3_rows(&seen, &worth, &request.app.shared.listed(), &wanted)).into())
}

/// Assets that contracts are paid in, and those of the wallet.
fn assets(seen: &Seen, worth: &Worth<'_>) -> Vec<AssetId> {
    let mut assets = worth.assets();
    assets.extend(seen.contracts.iter().map(|listed| listed.face.params.settle));
    assets.sort_unstable();
    assets.dedup();
    assets
}

/// `GET /fapi/v2/balance` and `/fapi/v3/balance`.
pub async fn balance(request: Request) -> ApiResult {
    let seen = Seen::by(&request).await?;
    let worth = Worth::new(&seen.view, &seen.legs, &seen.contracts);
    let catalog = request.app.shared.listed();
    let row = |asset: AssetId| {
        json!({
            "accountAlias": seen.view.account.0.to_string(), "asset": catalog.asset_name(asset),
            "balance": eight(worth.wallet(asset)), "crossWalletBalance": eight(worth.cross_wallet(asset)),
            "crossUnPnl": eight(worth.cross_unrealised(asset)), "availableBalance": eight(worth.available(asset)),
            "maxWithdrawAmount": eight(worth.withdrawable(asset)), "marginAvailable": true,
            "updateTime": request.unit.of(now_ms()),
        })
    };
    Ok(Value::Array(assets(&seen, &worth).into_iter().map(row).collect()).into())
}

fn asset_row(worth: &Worth<'_>, catalog: &Catalog, asset: AssetId, now: i64) -> Value {
    let (wallet, unrealised) = (worth.wallet(asset), worth.unrealised(asset));
    let (positions, orders) = (worth.position_initial(asset), worth.order_initial(asset));
    json!({
        "asset": catalog.asset_name(asset), "walletBalance": eight(wallet), "unrealizedProfit": eight(unrealised),
        "marginBalance": eight(wallet + unrealised), "maintMargin": eight(worth.maintenance(asset)),
        "initialMargin": eight(positions + orders), "positionInitialMargin": eight(positions),
        "openOrderInitialMargin": eight(orders), "crossWalletBalance": eight(worth.cross_wallet(asset)),
        "crossUnPnl": eight(worth.cross_unrealised(asset)), "availableBalance": eight(worth.available(asset)),
        "maxWithdrawAmount": eight(worth.withdrawable(asset)), "marginAvailable": true, "updateTime": now,
    })
}

/// The account's sums, which are of its contracts' asset.
fn sums(worth: &Worth<'_>, asset: AssetId) -> Value {
    let (wallet, unrealised) = (worth.wallet(asset), worth.unrealised(asset));
    let (positions, orders) = (worth.position_initial(asset), worth.order_initial(asset));
    json!({
        "totalInitialMargin": eight(positions + orders), "totalMaintMargin": eight(worth.maintenance(asset)),
        "totalWalletBalance": eight(wallet), "totalUnrealizedProfit": eight(unrealised),
        "totalMarginBalance": eight(wallet + unrealised), "totalPositionInitialMargin": eight(positions),
        "totalOpenOrderInitialMargin": eight(orders), "totalCrossWalletBalance": eight(worth.cross_wallet(asset)),
        "totalCrossUnPnl": eight(worth.cross_unrealised(asset)), "availableBalance": eight(worth.available(asset)),
        "maxWithdrawAmount": eight(worth.withdrawable(asset)),
    })
}

fn summary(seen: &Seen, worth: &Worth<'_>, catalog: &Catalog, now: i64) -> Map<String, Value> {
    let settle = seen.contracts.first().map_or(AssetId(0), |listed| listed.face.params.settle);
    let rows: Vec<Value> = assets(seen, worth).into_iter().map(|asset| asset_row(worth, catalog, asset, now)).collect();
    let Value::Object(mut all) = sums(worth, settle) else { unreachable!("sums are an object") };
    all.insert("assets".into(), rows.into());
    all
}

/// `GET /fapi/v2/account`: with a row for each position that there may be.
pub async fn account_v2(request: Request) -> ApiResult {
    let seen = Seen::by(&request).await?;
    let worth = Worth::new(&seen.view, &seen.legs, &seen.contracts);
    let now = request.unit.of(now_ms());
    let mut positions = Vec::new();
    for listed in &seen.contracts {
        let terms = listed.terms(&seen.legs);
        let (bids, asks) = seen.resting(listed);
        for (side, found) in seen.sides(&worth, listed) {
            let mut row = position(&seen, &worth, listed, (side, found));
            for hidden in ["markPrice", "liquidationPrice", "isolatedMargin"] {
                row.remove(hidden);
            }
            let unrealised = row.remove("unRealizedProfit");
            let (initial, maint) = found.map_or((ZERO, ZERO), |p| (p.initial(), p.maintenance()));
            let orders = worth.order_initial_of(listed);
            let more = json!({
                "unrealizedProfit": unrealised, "initialMargin": eight(initial + orders), "maintMargin": eight(maint),
                "positionInitialMargin": eight(initial), "openOrderInitialMargin": eight(orders),
                "leverage": terms.multiple.to_string(), "isolated": terms.mode == MarginMode::Isolated,
                "maxNotional": eight(listed.most_value(terms.multiple)), "bidNotional": eight(bids), "askNotional": eight(asks),
            });
            positions.push(with(row, more));
        }
    }
    let more = json!({
        "feeTier": seen.view.level, "feeBurn": false, "canTrade": seen.view.status == AccountStatus::Active,
        "canDeposit": true, "canWithdraw": true, "updateTime": 0, "multiAssetsMargin": false, "tradeGroupId": -1,
        "positions": positions,
    });
    Ok(with(summary(&seen, &worth, &request.app.shared.listed(), now), more).into())
}

/// `GET /fapi/v3/account`: with positions and contracts that have orders.
pub async fn account_v3(request: Request) -> ApiResult {
    let seen = Seen::by(&request).await?;
    let worth = Worth::new(&seen.view, &seen.legs, &seen.contracts);
    let (catalog, now) = (request.app.shared.listed(), request.unit.of(now_ms()));
    let mut positions = v3_rows(&seen, &worth, &catalog, &seen.contracts);
    for row in positions.iter_mut().filter_map(Value::as_object_mut) {
        for hidden in
            ["entryPrice", "breakEvenPrice", "markPrice", "liquidationPrice", "bidNotional", "askNotional", "adl"]
        {
            row.remove(hidden);
        }
        row.remove("marginAsset");
        if let Some(unrealised) = row.remove("unRealizedProfit") {
            row.insert("unrealizedProfit".into(), unrealised);
        }
    }
    Ok(with(summary(&seen, &worth, &catalog, now), json!({ "positions": positions })).into())
}

/// `GET accountConfig`.
pub async fn config(request: Request) -> ApiResult {
    let (view, legs) = seen(&request).await?;
    Ok(json!({
        "feeTier": view.level, "canTrade": view.status == AccountStatus::Active, "canDeposit": true, "canWithdraw": true,
        "dualSidePosition": legs.hedge, "updateTime": 0, "multiAssetsMargin": false, "tradeGroupId": -1,
    })
    .into())
}

/// `GET symbolConfig`.
pub async fn symbol_config(request: Request) -> ApiResult {
    let wanted = Listed::wanted(&request)?;
    let (_, legs) = seen(&request).await?;
    let row = |listed: &Listed| {
        let terms = listed.terms(&legs);
        let mode = if terms.mode == MarginMode::Isolated { "ISOLATED" } else { "CROSSED" };
        json!({
            "symbol": listed.symbol(), "marginType": mode, "isAutoAddMargin": false, "leverage": terms.multiple,
            "maxNotionalValue": eight(listed.most_value(terms.multiple)),
        })
    };
    Ok(Value::Array(wanted.iter().map(row).collect()).into())
}

/// `GET leverageBracket`.
pub async fn brackets(request: Request) -> ApiResult {
    let row = |listed: &Listed| {
        let mut floor = ZERO;
        let tier = |tier: xng_core::contract::brackets::Tier| {
            let from = std::mem::replace(&mut floor, tier.bracket.ceiling);
            json!({
                "bracket": tier.place + 1, "initialLeverage": tier.bracket.max_multiple,
                "notionalCap": number(tier.bracket.ceiling), "notionalFloor": number(from),
                "maintMarginRatio": number(Amount(i128::from(tier.bracket.rate_ppm) * 100)), "cum": number(tier.amount),
            })
        };
        let rows: Vec<Value> = listed.face.params.brackets.tiers().map(tier).collect();
        json!({ "symbol": listed.symbol(), "brackets": rows })
    };
    let rows: Vec<Value> = Listed::wanted(&request)?.iter().map(row).collect();
    Ok(Value::Array(rows).into())
}

/// An amount as a JSON number, as few calls have them.
pub(super) fn number(amount: Amount) -> Value {
    serde_json::from_str(&amount.to_string()).unwrap_or_default()
}

/// `GET commissionRate`.
pub async fn commission(request: Request) -> ApiResult {
    let listed = Listed::named(&request)?;
    let (view, _) = seen(&request).await?;
    let fees = listed.book.fees_of(view.level);
    let (maker, taker) = (rate(fees.maker), rate(fees.taker));
    Ok(json!({ "symbol": listed.symbol(), "makerCommissionRate": maker, "takerCommissionRate": taker }).into())
}

/// The convention counts lights from 0; a position that was not looked at yet has the least.
fn quantile(lights: u8) -> u8 {
    lights.saturating_sub(1)
}

/// `GET adlQuantile`: places in a deleveraging, from 4 for who comes first.
pub async fn adl(request: Request) -> ApiResult {
    let wanted = Listed::wanted(&request)?;
    let (view, legs) = seen(&request).await?;
    let lights = request.app.shared.contracts.lights();
    let row = |listed: &Listed| {
        let place = |side| quantile(lights.of(listed.id, view.account, side));
        let has = |side| legs.legs.iter().any(|own| own.units.contract == listed.id && own.side == side);
        let places = if legs.hedge {
            let both = u8::from(has(LegSide::Long) && has(LegSide::Short));
            json!({ "LONG": place(LegSide::Long), "SHORT": place(LegSide::Short), "HEDGE": both })
        } else {
            json!({ "LONG": 0, "SHORT": 0, "BOTH": place(LegSide::Both) })
        };
        json!({ "symbol": listed.symbol(), "adlQuantile": places })
    };
    Ok(Value::Array(wanted.iter().map(row).collect()).into())
}

/// `GET apiTradingStatus`.
pub async fn trading_status(request: Request) -> ApiResult {
    Listed::wanted(&request)?;
    Ok(json!({ "indicators": {}, "updateTime": request.unit.of(now_ms()) }).into())
}

/// Words of what a movement may be.
pub const INCOME_TYPES: [&str; 4] = ["REALIZED_PNL", "COMMISSION", "FUNDING_FEE", "TRANSFER"];

/// What a movement is called; none of one between the wallet and its own results.
fn income_type(row: &LedgerRow) -> Option<&'static str> {
    match row.log {
        LogType::LEVER_CLOSE if row.reference != 0 => Some("REALIZED_PNL"),
        LogType::LEVER_FEE => Some("COMMISSION"),
        LogType::FUNDING => Some("FUNDING_FEE"),
        log if leg_lookup::is_transfer(log) => Some("TRANSFER"),
        _ => None,
    }
}

/// `GET income`: what the ledger has of results, fees, funding and transfers.
pub async fn income(request: Request) -> ApiResult {
    let args = &request.args;
    let wanted = Listed::wanted(&request)?;
    let (view, _) = seen(&request).await?;
    let kind = args.text("incomeType");
    let except = vec![LogType::LEVER_MARGIN, LogType::ADJUST];
    let wallets = vec![Wallet::Futures, Wallet::Pnl];
    let filter = LedgerFilter { wallets, except, ..LedgerFilter::of(view.account) };
    let rows = request.app.shared.store.page(&filter, Slice::Newest, MOST_INCOME as u32).await;
    let mut rows: Vec<LedgerRow> = rows.map_err(|_| ApiError::busy())?;
    rows.sort_unstable_by_key(|row| row.id);
    let (board, catalog) = (request.app.shared.contracts.now(), request.app.shared.listed());
    let is_meant = |row: &&LedgerRow| {
        let contract = leg_lookup::contract_of(row);
        is_inside(args, row.time)
            && income_type(row).is_some_and(|name| kind.is_none_or(|kind| kind == name))
            && (!args.has("symbol") || wanted.iter().any(|listed| Some(listed.id) == contract))
    };
    let show = |row: &LedgerRow| {
        let symbol = leg_lookup::contract_of(row)
            .and_then(|id| board.contract(id))
            .map_or_else(String::new, |face| face.params.symbol.clone());
        json!({
            "symbol": symbol, "incomeType": income_type(row), "income": eight(row.value()),
            "asset": catalog.asset_name(row.asset), "info": "", "time": request.unit.ns(row.time), "tranId": row.id,
            "tradeId": "",
        })
    };
    let found: Vec<Value> = rows.iter().filter(is_meant).map(show).collect();
    Ok(Value::Array(end_of(args.has("startTime")).of(found, args.limit(INCOME_ROWS, MOST_INCOME))).into())
}
