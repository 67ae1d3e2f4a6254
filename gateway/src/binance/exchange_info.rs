//! `GET /api/v3/exchangeInfo`.
//!
//! Owns: filters and limits in the convention's form. Never does: say what the market does not hold. Invariants: the
//! numbers are those of the facts. Known limits: filters that this exchange has.

use super::errors::ApiError;
use super::{Outcome, Query};
use crate::catalog::MarketInfo;
use crate::edge::fixed;
use crate::market::payload::state_name;
use crate::time::now_ms;
use serde_json::{Value, json};
use xng_core::money::{Amount, Ticks};

const PPM: i64 = 1_000_000;

/// A band as multiplier: 1.1 for 10 %.
fn multiplier(ppm: i64) -> String {
    Amount(i128::from(ppm) * 100).to_string()
}

fn filters(info: &MarketInfo) -> Value {
    let p = &info.params;
    let eight = |a: Amount| fixed(a, 8);
    let band = i64::from(p.band_ppm);
    let (up, down) = (multiplier(PPM + band), multiplier(PPM - band));
    let max_price = crate::edge::price_of(Ticks(1_000_000_000), p);
    let (min, max, step) = (eight(p.base_amount(p.min_lots)), eight(p.base_amount(p.max_lots)), eight(p.step));
    // PRICE_FILTER first: a client reads `filters[0]`.
    json!([
        { "filterType": "PRICE_FILTER", "minPrice": eight(p.tick), "maxPrice": eight(max_price), "tickSize": eight(p.tick) },
        { "filterType": "LOT_SIZE", "minQty": min, "maxQty": max, "stepSize": step },
        { "filterType": "MARKET_LOT_SIZE", "minQty": min, "maxQty": max, "stepSize": step },
        { "filterType": "NOTIONAL", "minNotional": eight(p.min_notional), "applyMinToMarket": true,
          "maxNotional": "9000000000.00000000", "applyMaxToMarket": false, "avgPriceMins": 0 },
        { "filterType": "PERCENT_PRICE_BY_SIDE", "bidMultiplierUp": up, "bidMultiplierDown": down,
          "askMultiplierUp": up, "askMultiplierDown": down, "avgPriceMins": 0 },
        { "filterType": "MAX_NUM_ORDERS", "maxNumOrders": p.max_open_orders },
    ])
}

fn symbol(info: &MarketInfo) -> Value {
    let p = &info.params;
    json!({
        "symbol": p.symbol, "status": state_name(info.state),
        "baseAsset": info.base, "baseAssetPrecision": 8, "quoteAsset": info.quote, "quotePrecision": 8,
        "quoteAssetPrecision": 8, "baseCommissionPrecision": 8, "quoteCommissionPrecision": 8,
        "orderTypes": ["LIMIT", "LIMIT_MAKER", "MARKET"],
        "icebergAllowed": false, "ocoAllowed": false, "otoAllowed": false, "opoAllowed": false,
        "quoteOrderQtyMarketAllowed": true, "allowTrailingStop": false, "cancelReplaceAllowed": false,
        "amendAllowed": false, "pegInstructionsAllowed": false, "isSpotTradingAllowed": true,
        "isMarginTradingAllowed": false, "filters": filters(info), "permissions": [], "permissionSets": [["SPOT"]],
        "defaultSelfTradePreventionMode": "EXPIRE_TAKER",
        "allowedSelfTradePreventionModes": ["EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT"],
    })
}

/// All markets, or those named by `symbol` or `symbols`.
pub fn exchange_info(query: &Query) -> Outcome {
    query.only(&["symbol", "symbols", "permissions", "symbolStatus", "showPermissionSets"])?;
    let catalog = query.app.shared.listed();
    let wanted = super::market::wanted(query)?;
    let mut symbols: Vec<Value> = Vec::new();
    for info in catalog.markets.values() {
        let named = wanted.as_ref().is_none_or(|w| w.contains(&info.params.symbol));
        let status = query.get("symbolStatus").is_none_or(|s| s == state_name(info.state));
        if named && status {
            symbols.push(symbol(info));
        }
    }
    if wanted.as_ref().is_some_and(|w| w.iter().any(|s| catalog.by_symbol(s).is_none())) {
        return Err(ApiError::symbol());
    }
    let limits = &query.app.shared.config.limits;
    Ok(json!({
        "timezone": "UTC", "serverTime": now_ms(),
        "rateLimits": [{
            "rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1,
            "limit": limits.calls_per_minute_ip,
        }],
        "exchangeFilters": [], "symbols": symbols,
    })
    .to_string())
}
