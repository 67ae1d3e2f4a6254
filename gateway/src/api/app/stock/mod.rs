//! Calls of stocks (`docs/rules/app-calls.md "Stocks"`): calendars, corporate actions, what a quote says of a stock.
//!
//! Owns: texts and rows of these. Never does: decide whether a market is open. Invariants: sessions are the engine's own.
//! Known limits: actions follow the store, which may lag.

pub(crate) mod pay_with;
mod table;

use crate::api::app::call::{Call, CallResult};
use crate::api::app::lever::rows::percent;
use crate::api::app::market::weight;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::{Code, Failure};
use crate::app::Shared;
use crate::common::time::{ms, now_ms, now_ns};
use crate::market::board::{Boards, read};
use crate::market::catalog::{Catalog, MarketInfo};
use crate::market::stocks::Venue;
use crate::orders::lookup::{answered, written};
use serde_json::{Value, json};
pub(super) use table::{CALLS, SESSION};
use xng_core::account::AccountEvent;
use xng_core::ids::AssetId;
use xng_core::money::{Amount, Exact};
use xng_core::spot::MarketParams;
use xng_core::stock::{ActionKind, LARGEST_FEE_PPM, StepTable, StockTerms};
use xng_persistence::store::{ActionFilter, Slice, StoredAction};

const DAY_NS: u64 = 86_400_000_000_000;
/// A calendar's days that are told.
const DAYS: u64 = 14;
/// Actions that are told.
const MOST_ACTIONS: u32 = 50;
/// What a Hong Kong dollar is worth has this pair's index.
const RATE: &str = "HKDUSDT";

/// `stock_us`, `stock_hk`, or `coin`.
#[must_use]
pub(crate) fn kind(p: &MarketParams) -> &'static str {
    match p.stock.map(|stock| stock.steps) {
        None => "coin",
        Some(StepTable::Flat) => "stock_us",
        Some(StepTable::Hk2025 | StepTable::Hk2026) => "stock_hk",
    }
}

fn session(venue: &Venue) -> Value {
    json!({ "venue": venue.name, "zone": venue.zone, "phase": venue.phase.name(),
        "until_ms": venue.until_ms.unwrap_or(0), "next_open_ms": venue.next_open_ms.unwrap_or(0) })
}

/// Hong Kong dollars for one USDT, by the index of their pair.
#[must_use]
pub(crate) fn usdt_rate(catalog: &Catalog, boards: &Boards) -> Option<Amount> {
    let pair = catalog.by_symbol(RATE)?;
    let board = boards.get(pair.params.market)?;
    let index = read(&board).index.map(|(index, _)| index)?;
    Exact::from(Amount::whole(1)).div_sig20_half_up(Exact::from(index)).map(Exact::round8)
}

/// What a quote says beside what it says of coins.
#[must_use]
pub(crate) fn quote_fields(shared: &Shared, info: &MarketInfo, rate: Option<Amount>) -> [(&'static str, Value); 7] {
    let stock = info.params.stock;
    let of_session = |terms: StockTerms| shared.stocks.venue(terms.calendar, now_ns()).as_ref().map(session);
    let rate = rate.filter(|_| kind(&info.params) == "stock_hk");
    [
        ("kind", kind(&info.params).into()),
        ("title", shared.listed().assets.get(&info.params.base).map_or("", |asset| &asset.title).into()),
        ("step_table", stock.map_or("", |stock| stock.steps.name()).into()),
        ("queues", u8::from(stock.is_some_and(|stock| stock.queues)).into()),
        ("session", stock.and_then(of_session).unwrap_or(Value::Null)),
        ("usdt_rate", rate.map(|rate| rate.to_string()).into()),
        ("lock_fee", percent(stock.map_or(0, |_| LARGEST_FEE_PPM)).into()),
    ]
}

/// `GET /stock/calendar`: sessions of the next days.
pub(crate) async fn calendar(call: Call) -> CallResult {
    let market = call.params.need("market")?;
    let wanted = match market {
        "us" => "stock_us",
        "hk" => "stock_hk",
        _ => return Err(Failure::field("market", "us or hk")),
    };
    let (shared, now) = (&call.app.shared, now_ns());
    let catalog = shared.listed();
    let terms = catalog.markets.values().find(|info| kind(&info.params) == wanted).and_then(|info| info.params.stock);
    let terms = terms.ok_or(Code::UnderDevelopment)?;
    let venue = shared.stocks.venue(terms.calendar, now).ok_or(Code::UnderDevelopment)?;
    let sessions = shared.stocks.sessions(terms.calendar, now, DAYS * DAY_NS);
    let row = |s: &xng_core::stock::calendar::Session| json!({ "open_ms": s.open_ms, "close_ms": s.close_ms, "last": u8::from(s.last) });
    let mut answer = session(&venue);
    answer["market"] = market.into();
    answer["server_ms"] = now_ms().into();
    answer["sessions"] = sessions.iter().map(row).collect();
    Ok(Answer::ok(answer))
}

/// `GET /stock/actions`: corporate actions of a stock, the newest first.
pub(crate) async fn actions(call: Call) -> CallResult {
    let (base, quote) = (call.params.need_integer("currency_id")?, call.params.need_integer("legal_id")?);
    let catalog = call.app.shared.listed();
    let info = catalog.by_pair(AssetId(base), AssetId(quote)).filter(|info| info.params.stock.is_some());
    let market = info.ok_or_else(|| Failure::text(Code::NotFound, "unknown_pair"))?.params.market;
    call.weighs(weight(MOST_ACTIONS as usize)).await?;
    written(&call.app).await?;
    let store = &call.app.shared.store;
    let rows = answered(store.page(&ActionFilter { market }, Slice::Newest, MOST_ACTIONS).await)?;
    Ok(Answer::ok(json!({ "list": rows.iter().map(|row| action(row, &catalog)).collect::<Vec<Value>>() })))
}

fn action(row: &StoredAction, catalog: &Catalog) -> Value {
    let (name, shares, per_share, withheld_ppm) = match row.action.kind {
        ActionKind::Split { new, old } => ("split", (new, old), Amount::ZERO, 0),
        ActionKind::Dividend { per_share, withheld_ppm } => ("dividend", (0, 0), per_share, withheld_ppm),
    };
    json!({
        "id": row.action.id, "kind": name, "new": shares.0, "old": shares.1, "per_share": per_share.to_string(),
        "withholding": percent(withheld_ppm), "asset": catalog.asset_name(row.action.quote),
        "effective_ms": row.set.map_or(0, |set| ms(set.time)),
        "odd_price": row.set.map_or(Amount::ZERO, |set| set.odd_price).to_string(),
    })
}

/// The private event of an account that went through an action.
#[must_use]
pub(crate) fn event(event: &AccountEvent, catalog: &Catalog) -> Option<(&'static str, Value)> {
    let f = event.action.as_deref()?;
    let (mut before, mut after) = (Amount::ZERO, Amount::ZERO);
    for h in &f.holdings {
        (before, after) = (before + h.before, after + h.after);
    }
    let (kind, cash) = match f.action.kind {
        ActionKind::Split { .. } => ("split", f.odd_cash),
        ActionKind::Dividend { .. } => ("dividend", f.gross - f.withheld),
    };
    let symbol = catalog.markets.get(&f.action.market).map_or_else(String::new, |info| info.pair());
    Some((
        "stock_action",
        json!({ "symbol": symbol, "kind": kind, "before": before.to_string(), "after": after.to_string(),
            "cash": cash.to_string(), "withheld": f.withheld.to_string(), "asset": catalog.asset_name(f.action.quote) }),
    ))
}
