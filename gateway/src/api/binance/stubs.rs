//! Calls that clients make before they trade, outside of the spot API (`docs/rules/program-api.md "Calls outside of spot"`).
//!
//! Owns: their answers. Never does: promise a product that is not there. Invariants: balances and fees are those of the
//! account calls. Known limits: no coin has a network, and no future or margin pair is listed.

use super::account::rate;
use super::errors::ApiError;
use super::orders::rows::eight;
use super::request::{ApiResult, Request};
use crate::common::time::now_ms;
use crate::orders::lookup::view;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use xng_core::account::facts::AccountStatus;
use xng_core::ids::Wallet;
use xng_core::money::Amount;

/// `[]`, of a symbol that is listed too.
pub fn nothing(request: &Request) -> ApiResult {
    let catalog = request.app.shared.listed();
    let is_listed = |symbol: &str| catalog.markets.values().any(|info| info.params.symbol == symbol);
    if request.args.text("symbol").is_none_or(is_listed) { Ok("[]".to_owned().into()) } else { Err(ApiError::symbol()) }
}

/// `GET system/status`.
pub fn system(request: &Request) -> ApiResult {
    let stops = request.app.shared.health.draining.load(Ordering::Relaxed);
    let (status, msg) = if stops { (1, "system maintenance") } else { (0, "normal") };
    Ok(json!({ "status": status, "msg": msg }).into())
}

/// `GET capital/config/getall`.
pub async fn coins(request: Request) -> ApiResult {
    let view = view(&request.app, request.account()?).await?;
    let zero = eight(Amount::ZERO);
    let catalog = request.app.shared.listed();
    let row = |asset: &crate::market::catalog::Asset| {
        let held = view.balances.iter().find(|b| b.wallet == Wallet::Spot && b.asset == asset.id);
        let (free, locked) = held.map_or((Amount::ZERO, Amount::ZERO), |b| (b.available, b.locked));
        json!({
            "coin": asset.name, "name": asset.title, "depositAllEnable": false, "withdrawAllEnable": false,
            "free": eight(free), "locked": eight(locked), "freeze": zero, "withdrawing": zero, "ipoing": zero,
            "ipoable": zero, "storage": zero, "isLegalMoney": false, "trading": asset.wallets.contains(&Wallet::Spot),
            "networkList": [],
        })
    };
    Ok(Value::Array(catalog.assets.values().map(row).collect()).into())
}

/// `GET asset/tradeFee`.
pub async fn fees(request: Request) -> ApiResult {
    let only = request.args.text("symbol");
    let view = view(&request.app, request.account()?).await?;
    let catalog = request.app.shared.listed();
    let markets = catalog.markets.values().filter(|info| only.is_none_or(|only| info.params.symbol == only));
    let rows: Vec<Value> = markets
        .map(|info| {
            let fees = info.params.fees_of(view.level);
            let (maker, taker) = (rate(fees.maker), rate(fees.taker));
            json!({ "symbol": info.params.symbol, "makerCommission": maker, "takerCommission": taker })
        })
        .collect();
    if only.is_some() && rows.is_empty() { Err(ApiError::symbol()) } else { Ok(Value::Array(rows).into()) }
}

/// `GET account/status`.
pub async fn account_status(request: Request) -> ApiResult {
    let view = view(&request.app, request.account()?).await?;
    let data = if view.status == AccountStatus::Active { "Normal" } else { "Locked" };
    Ok(json!({ "data": data }).into())
}

/// `GET account/apiTradingStatus`.
pub async fn trading_status(request: Request) -> ApiResult {
    let view = view(&request.app, request.account()?).await?;
    let locked = view.status != AccountStatus::Active;
    let now = request.unit.of(now_ms());
    let data = json!({ "isLocked": locked, "plannedRecoverTime": 0, "triggerCondition": {}, "updateTime": now });
    Ok(json!({ "data": data }).into())
}

/// `GET account/apiRestrictions`.
pub fn restrictions(request: &Request) -> ApiResult {
    let key = request.key.as_ref().ok_or_else(ApiError::key_format)?;
    Ok(json!({
        "ipRestrict": key.is_restricted(), "createTime": request.unit.of(key.created_ms),
        "enableReading": key.scopes.read, "enableSpotAndMarginTrading": key.scopes.trade, "enableWithdrawals": false,
        "enableInternalTransfer": false, "enableMargin": false, "enableFutures": false,
        "permitsUniversalTransfer": false, "enableVanillaOptions": false,
    })
    .into())
}

/// `GET exchangeInfo` of futures paid in coins.
pub fn futures(request: &Request) -> ApiResult {
    Ok(json!({
        "timezone": "UTC", "serverTime": request.unit.of(now_ms()), "rateLimits": [], "exchangeFilters": [],
        "assets": [], "symbols": [],
    })
    .into())
}
