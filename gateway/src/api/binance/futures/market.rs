//! `exchangeInfo`, `premiumIndex`, `fundingRate`, `fundingInfo`, `openInterest`, `constituents`; book, trades, candles and tickers
//! are those of the spot calls (`binance/market.rs`), of contracts' boards.
//!
//! Owns: filters and figures in the futures convention's form. Never does: say what the contract does not hold. Invariants: the
//! numbers are those of the facts, but for the least value of an order, which is this API's own. Known limits: none.

use super::listed::Listed;
use super::queries::end_of;
use super::request::{TIFS, TYPES};
use crate::api::binance::errors::ApiError;
use crate::api::binance::exchange_info::{ORDER_INTERVALS, WEIGHT_INTERVAL, rate_limit};
use crate::api::binance::orders::queries::span;
use crate::api::binance::orders::rows::eight;
use crate::api::binance::request::{ApiResult, Request};
use crate::common::decimal::decimals;
use crate::common::time::{TimeUnit, now_ms};
use crate::market::catalog::Catalog;
use crate::market::contracts::FundingEnd;
use crate::orders::leg_lookup;
use crate::orders::leg_placing::LEAST_VALUE;
use serde_json::{Value, json};
use xng_core::contract::book::waiting::MAX_CONDITIONALS;
use xng_core::money::{Amount, Ticks};
use xng_core::spot::MarketState;
use xng_persistence::store::FundingFilter;

/// When a contract that never ends is delivered: 2100-12-25.
const NEVER: i64 = 4_133_404_800_000;
/// The dearest price, in ticks.
const MAX_PRICE: Ticks = Ticks(1_000_000_000);
const PPM: i64 = 1_000_000;
const FUNDING_ROWS: usize = 100;
const MOST_FUNDING: usize = 1_000;

fn share(ppm: i64, places: usize) -> String {
    crate::common::decimal::fixed(Amount(i128::from(ppm) * 100), places)
}

fn percent(ppm: u32) -> String {
    crate::common::decimal::fixed(Amount(i128::from(ppm) * 10_000), 4)
}

fn status_name(state: MarketState) -> &'static str {
    match state {
        MarketState::Trading => "TRADING",
        MarketState::CancelOnly => "PENDING_TRADING",
        MarketState::Halt => "BREAK",
    }
}

fn symbol(listed: &Listed, catalog: &Catalog) -> Value {
    let (p, book) = (&listed.face.params, &listed.book);
    let (base, settle) = (catalog.asset_name(p.base), catalog.asset_name(p.settle));
    let (least, most) = (listed.lots(book.lots.0), listed.lots(book.lots.1));
    let (step, tick, band) = (listed.quantity(p.lot), listed.price(p.tick), i64::from(book.band_ppm));
    let tiers = p.brackets.list.first();
    json!({
        "symbol": listed.symbol(), "pair": listed.symbol(), "contractType": "PERPETUAL", "deliveryDate": NEVER,
        "onboardDate": 0, "status": status_name(listed.face.state),
        "maintMarginPercent": percent(tiers.map_or(0, |tier| tier.rate_ppm)),
        "requiredMarginPercent": percent(tiers.map_or(0, |tier| 1_000_000 / u32::from(tier.max_multiple))),
        "baseAsset": base, "quoteAsset": settle, "marginAsset": settle, "pricePrecision": decimals(p.tick),
        "quantityPrecision": decimals(p.lot), "baseAssetPrecision": 8, "quotePrecision": 8, "underlyingType": "COIN",
        "underlyingSubType": [], "triggerProtect": share(band, 4), "liquidationFee": share(i64::from(book.liquidation_ppm), 6),
        "marketTakeBound": share(i64::from(book.protection_ppm), 2), "maxMoveOrderLimit": book.max_open_orders,
        "filters": [
            { "filterType": "PRICE_FILTER", "minPrice": tick, "maxPrice": listed.ticks(MAX_PRICE), "tickSize": tick },
            { "filterType": "LOT_SIZE", "minQty": least, "maxQty": most, "stepSize": step },
            { "filterType": "MARKET_LOT_SIZE", "minQty": least, "maxQty": most, "stepSize": step },
            { "filterType": "MAX_NUM_ORDERS", "limit": book.max_open_orders },
            { "filterType": "MAX_NUM_ALGO_ORDERS", "limit": MAX_CONDITIONALS },
            { "filterType": "MIN_NOTIONAL", "notional": LEAST_VALUE.to_string() },
            { "filterType": "PERCENT_PRICE", "multiplierUp": share(PPM + band, 4), "multiplierDown": share(PPM - band, 4),
              "multiplierDecimal": "4" },
        ],
        "orderTypes": TYPES, "timeInForce": TIFS,
    })
}

/// `GET exchangeInfo`.
pub fn exchange_info(request: &Request) -> ApiResult {
    let (catalog, api) = (request.app.shared.listed(), &request.app.shared.config.api);
    let listed = Listed::all(request);
    let symbols: Vec<Value> = listed.iter().map(|listed| symbol(listed, &catalog)).collect();
    let mut settles: Vec<_> = listed.iter().map(|listed| listed.face.params.settle).collect();
    settles.sort_unstable();
    settles.dedup();
    let asset = |id| json!({ "asset": catalog.asset_name(id), "marginAvailable": true, "autoAssetExchange": null });
    Ok(json!({
        "timezone": "UTC", "serverTime": request.unit.of(now_ms()), "futuresType": "U_MARGINED",
        "rateLimits": [
            rate_limit("REQUEST_WEIGHT", WEIGHT_INTERVAL, api.weight_per_minute, None),
            rate_limit("ORDERS", ORDER_INTERVALS[0], api.orders_per_10_seconds, None),
            rate_limit("ORDERS", ORDER_INTERVALS[1], api.orders_per_day, None),
        ],
        "exchangeFilters": [], "assets": settles.into_iter().map(asset).collect::<Vec<Value>>(), "symbols": symbols,
    })
    .into())
}

/// One object for `symbol`, a list otherwise.
fn each(request: &Request, row: impl Fn(&Listed) -> Value) -> ApiResult {
    let listed = Listed::wanted(request)?;
    if request.args.has("symbol") {
        return listed.first().map(|listed| row(listed).into()).ok_or_else(ApiError::symbol);
    }
    Ok(Value::Array(listed.iter().map(row).collect()).into())
}

/// `GET premiumIndex`.
pub fn premium_index(request: &Request) -> ApiResult {
    let unit = request.unit;
    each(request, |listed| {
        let (index, _, time) = listed.face.index;
        json!({
            "symbol": listed.symbol(), "markPrice": eight(listed.face.mark), "indexPrice": eight(index),
            "estimatedSettlePrice": eight(index), "lastFundingRate": eight(listed.figures.next_rate),
            "interestRate": eight(listed.book.funding.interest), "nextFundingTime": unit.ns(listed.figures.due),
            "time": unit.ns(time),
        })
    })
}

fn funding_row(listed: &Listed, end: &FundingEnd, unit: TimeUnit) -> Value {
    json!({
        "symbol": listed.symbol(), "fundingTime": unit.ns(end.due), "fundingRate": eight(end.rate),
        "markPrice": eight(end.mark),
    })
}

/// `GET fundingRate`: of periods that are over, oldest first.
pub async fn funding_rate(request: Request) -> ApiResult {
    let (args, wanted) = (&request.args, Listed::wanted(&request)?);
    let contract = wanted.first().map(|listed| listed.id).filter(|_| args.has("symbol"));
    let (since, until) = span(args);
    let part = (end_of(since.is_some()), args.limit(FUNDING_ROWS, MOST_FUNDING));
    let ends = leg_lookup::funding(&request.app, &FundingFilter { contract, since, until }, part).await?;
    let rows = ends.iter().filter_map(|end| {
        let listed = wanted.iter().find(|listed| listed.id == end.contract)?;
        Some(funding_row(listed, end, request.unit))
    });
    Ok(Value::Array(rows.collect()).into())
}

/// `GET fundingInfo`.
pub fn funding_info(request: &Request) -> ApiResult {
    let row = |listed: &Listed| {
        let p = &listed.book.funding;
        json!({
            "symbol": listed.symbol(), "adjustedFundingRateCap": eight(p.cap), "adjustedFundingRateFloor": eight(-p.cap),
            "fundingIntervalHours": p.period_s.div_ceil(3_600), "disclaimer": false,
        })
    };
    Ok(Value::Array(Listed::all(request).iter().map(row).collect()).into())
}

/// `GET openInterest`.
pub fn open_interest(request: &Request) -> ApiResult {
    let listed = Listed::named(request)?;
    let open = listed.lots(listed.figures.open);
    Ok(json!({ "openInterest": open, "symbol": listed.symbol(), "time": request.unit.of(now_ms()) }).into())
}

/// `GET constituents`: what the index is made of.
pub fn constituents(request: &Request) -> ApiResult {
    let listed = Listed::named(request)?;
    let source = request.app.shared.sources.label(listed.symbol());
    let row = json!({
        "exchange": source, "symbol": listed.symbol(), "price": eight(listed.face.index.0), "weight": "1.00000000",
    });
    Ok(json!({ "symbol": listed.symbol(), "time": request.unit.of(now_ms()), "constituents": [row] }).into())
}
