//! `GET exchangeInfo`, `myFilters`, `executionRules`, `referencePrice`.
//!
//! Owns: filters, rules and limits in the convention's form. Never does: say what the market does not hold. Invariants: the
//! numbers are those of the facts, but for the dearest price and the largest value, which are this API's own. Known limits:
//! filters and rules that this exchange has; the range of an order at market is measured from the best price when it comes,
//! near which the reference price, the index, is.

use super::errors::ApiError;
use super::orders::request::OrderType;
use super::orders::rows::{DEFAULT_STP, stp_name};
use super::request::{ApiResult, Request};
use crate::common::decimal::fixed;
use crate::common::time::now_ms;
use crate::config;
use crate::market::board::read;
use crate::market::catalog::MarketInfo;
use crate::market::payload::state_name;
use serde_json::{Value, json};
use xng_core::money::{Amount, Ticks};
use xng_core::spot::conditional::{MAX_WAITING, TRAIL_BIPS};
use xng_core::spot::{MAX_PARTS, MarketParams, Stp};

const PPM: i64 = 1_000_000;
/// What accounts of this exchange may do.
const PERMISSION: &str = "SPOT";
/// The dearest price, in ticks.
pub(super) const MAX_PRICE: Ticks = Ticks(1_000_000_000);
/// Largest value of an order with a price, in quote.
pub(super) const MAX_NOTIONAL: Amount = Amount(9_000_000_000 * 100_000_000);

/// A band as multiplier: 1.1 for 10 %.
fn multiplier(ppm: i64) -> String {
    Amount(i128::from(ppm) * 100).to_string()
}

/// Those that count an account's orders.
fn account_filters(p: &MarketParams) -> [Value; 2] {
    [
        json!({ "filterType": "MAX_NUM_ORDERS", "maxNumOrders": p.max_open_orders }),
        json!({ "filterType": "MAX_NUM_ALGO_ORDERS", "maxNumAlgoOrders": MAX_WAITING }),
    ]
}

fn filters(info: &MarketInfo) -> Value {
    let p = &info.params;
    let eight = |a: Amount| fixed(a, 8);
    let band = i64::from(p.band_ppm);
    let (up, down) = (multiplier(PPM + band), multiplier(PPM - band));
    let max_price = crate::common::decimal::price_of(MAX_PRICE, p);
    let (min, max, step) = (eight(p.base_amount(p.min_lots)), eight(p.base_amount(p.max_lots)), eight(p.step));
    let [max_orders, max_algo_orders] = account_filters(p);
    // PRICE_FILTER first: a client reads `filters[0]`.
    json!([
        { "filterType": "PRICE_FILTER", "minPrice": eight(p.tick), "maxPrice": eight(max_price), "tickSize": eight(p.tick) },
        { "filterType": "LOT_SIZE", "minQty": min, "maxQty": max, "stepSize": step },
        { "filterType": "MARKET_LOT_SIZE", "minQty": min, "maxQty": max, "stepSize": step },
        { "filterType": "NOTIONAL", "minNotional": eight(p.min_notional), "applyMinToMarket": true,
          "maxNotional": eight(MAX_NOTIONAL), "applyMaxToMarket": false, "avgPriceMins": 0 },
        { "filterType": "PERCENT_PRICE_BY_SIDE", "bidMultiplierUp": up, "bidMultiplierDown": down,
          "askMultiplierUp": up, "askMultiplierDown": down, "avgPriceMins": 0 },
        max_orders, max_algo_orders,
        { "filterType": "ICEBERG_PARTS", "limit": MAX_PARTS },
        { "filterType": "TRAILING_DELTA", "minTrailingAboveDelta": TRAIL_BIPS.start(),
          "maxTrailingAboveDelta": TRAIL_BIPS.end(), "minTrailingBelowDelta": TRAIL_BIPS.start(),
          "maxTrailingBelowDelta": TRAIL_BIPS.end() },
    ])
}

fn symbol(info: &MarketInfo, sets: bool) -> Value {
    let p = &info.params;
    let sets = if sets { json!([[PERMISSION]]) } else { json!([]) };
    json!({
        "symbol": p.symbol, "status": state_name(info.state),
        "baseAsset": info.base, "baseAssetPrecision": 8, "quoteAsset": info.quote, "quotePrecision": 8,
        "quoteAssetPrecision": 8, "baseCommissionPrecision": 8, "quoteCommissionPrecision": 8,
        "orderTypes": OrderType::NAMES,
        "icebergAllowed": true, "ocoAllowed": true, "otoAllowed": true, "opoAllowed": false,
        "quoteOrderQtyMarketAllowed": true, "allowTrailingStop": true, "cancelReplaceAllowed": true,
        "amendAllowed": true, "pegInstructionsAllowed": false, "isSpotTradingAllowed": true,
        "isMarginTradingAllowed": false, "filters": filters(info), "permissions": [], "permissionSets": sets,
        "defaultSelfTradePreventionMode": stp_name(DEFAULT_STP),
        "allowedSelfTradePreventionModes": Stp::ALL.iter().map(|mode| stp_name(*mode)).collect::<Vec<_>>(),
    })
}

/// The interval of weights.
pub const WEIGHT_INTERVAL: (&str, u32) = ("MINUTE", 1);
/// Those of unfilled orders: short, then long.
pub const ORDER_INTERVALS: [(&str, u32); 2] = [("SECOND", 10), ("DAY", 1)];

/// A limit as calls list it; with how much is used, if that is told.
#[must_use]
pub fn rate_limit(kind: &str, (interval, number): (&str, u32), limit: u32, count: Option<u64>) -> Value {
    let mut row = json!({ "rateLimitType": kind, "interval": interval, "intervalNum": number, "limit": limit });
    if let Some(count) = count {
        row["count"] = count.into();
    }
    row
}

fn rate_limits(api: &config::Api) -> Value {
    json!([
        rate_limit("REQUEST_WEIGHT", WEIGHT_INTERVAL, api.weight_per_minute, None),
        rate_limit("ORDERS", ORDER_INTERVALS[0], api.orders_per_10_seconds, None),
        rate_limit("ORDERS", ORDER_INTERVALS[1], api.orders_per_day, None),
        rate_limit("RAW_REQUESTS", ("MINUTE", 5), api.requests_per_5_minutes, None),
    ])
}

/// Whether `permissions`, a name or a JSON list of names, asks for what markets here have.
fn permitted(text: Option<&str>) -> Result<bool, ApiError> {
    let Some(text) = text else { return Ok(true) };
    let names: Vec<String> = match text.starts_with('[') {
        true => serde_json::from_str(text).map_err(|_| ApiError::data("permissions"))?,
        false => vec![text.to_owned()],
    };
    let known = |name: &String| {
        matches!(name.as_str(), "SPOT" | "MARGIN" | "LEVERAGED")
            || name.strip_prefix("TRD_GRP_").is_some_and(|n| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    if names.is_empty() || !names.iter().all(known) {
        return Err(ApiError::data("permissions"));
    }
    Ok(names.iter().any(|name| name == PERMISSION))
}

/// All markets, or those named by `symbol` or `symbols`, or those in a state or with a permission.
pub fn exchange_info(request: &Request) -> ApiResult {
    let args = &request.args;
    let catalog = request.app.shared.listed();
    let wanted = super::market::wanted(args)?;
    let wanted = wanted.as_deref();
    let (status, permissions) = (args.text("symbolStatus"), args.text("permissions"));
    if wanted.is_some() && (status.is_some() || permissions.is_some()) {
        return Err(ApiError::combination());
    }
    let (permitted, sets) = (permitted(permissions)?, args.flag("showPermissionSets").unwrap_or(true));
    if wanted.is_some_and(|wanted| wanted.iter().any(|name| catalog.by_symbol(name).is_none())) {
        return Err(ApiError::symbol());
    }
    let listed = catalog.markets.values().filter(|info| {
        permitted
            && wanted.is_none_or(|wanted| wanted.contains(&info.params.symbol))
            && status.is_none_or(|status| status == state_name(info.state))
    });
    let symbols: Vec<Value> = listed.map(|info| symbol(info, sets)).collect();
    Ok(json!({
        "timezone": "UTC", "serverTime": request.unit.of(now_ms()),
        "rateLimits": rate_limits(&request.app.shared.config.api), "exchangeFilters": [], "symbols": symbols,
    })
    .into())
}

/// `GET myFilters`: those that look at the account.
pub fn my_filters(request: &Request) -> ApiResult {
    let info = super::orders::market(request)?;
    let row = json!({ "exchangeFilters": [], "symbolFilters": account_filters(&info.params), "assetFilters": [] });
    Ok(row.into())
}

/// `GET executionRules`: what an order at market may execute at, of the markets that are asked for.
pub fn execution_rules(request: &Request) -> ApiResult {
    let args = &request.args;
    let catalog = request.app.shared.listed();
    let (wanted, status) = (super::market::wanted(args)?, args.text("symbolStatus"));
    if wanted.is_some() && status.is_some() {
        return Err(ApiError::combination());
    }
    if wanted.iter().flatten().any(|name| catalog.by_symbol(name).is_none()) {
        return Err(ApiError::symbol());
    }
    let listed = catalog.markets.values().filter(|info| {
        wanted.as_ref().is_none_or(|wanted| wanted.contains(&info.params.symbol))
            && status.is_none_or(|status| status == state_name(info.state))
    });
    let row = |info: &MarketInfo| {
        let range = i64::from(info.params.protection_ppm);
        json!({ "symbol": info.params.symbol, "rules": [{
            "ruleType": "PRICE_RANGE", "bidLimitMultUp": multiplier(PPM + range),
            "askLimitMultDown": multiplier(PPM - range),
        }] })
    };
    Ok(json!({ "symbolRules": listed.map(row).collect::<Vec<Value>>() }).into())
}

/// `GET referencePrice`: the index, which bands of prices go by.
pub fn reference_price(request: &Request) -> ApiResult {
    let board = super::market::board(request)?;
    let board = read(&board);
    let (price, at) = board.index.ok_or_else(ApiError::no_reference_price)?;
    let price = fixed(price, board.price_places());
    Ok(json!({ "symbol": board.params.symbol, "referencePrice": price, "timestamp": request.unit.of(at) }).into())
}
