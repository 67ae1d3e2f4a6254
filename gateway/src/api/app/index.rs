//! Home page calls (`docs/rules/app-calls.md "Content"`).
//!
//! Owns: the answers to them. Never does: need a login. Invariants: prices come from the boards, like everywhere.
//! Known limits: the menu changes with a restart.

use super::call::{Call, CallResult};
use super::lever::rows::percent;
use super::stock::{quote_fields, usdt_rate};
use crate::api::http::envelope::Answer;
use crate::api::http::errors::Code;
use crate::app::Shared;
use crate::common::decimal::{decimals, fixed};
use crate::common::time::now_ms;
use crate::market::board::{Board, read};
use crate::market::catalog::{Catalog, MarketInfo};
use crate::market::contracts::by_pair;
use crate::market::payload::state_name;
use serde_json::{Value, json};
use xng_core::board::ContractFace;
use xng_core::ids::AssetId;
use xng_core::money::Amount;
use xng_core::spot::MarketState;

const NEWS: u32 = 4;
const POPUP: u32 = 32;
const FAQ: u32 = 18;
const ABOUT: u32 = 19;
const CONTACT: u32 = 33;
const COMPLIANCE: u32 = 34;
/// What the table of all pairs weighs.
const QUOTATION_WEIGHT: u64 = 10;

/// `GET /news/index_pop`.
pub async fn popup(call: Call) -> CallResult {
    Ok(Answer::ok(call.app.shared.content.newest(POPUP, call.lang).unwrap_or(Value::Null)))
}

/// `POST /news/list`.
pub async fn news(call: Call) -> CallResult {
    let category = call.params.integer("c_id")?.unwrap_or(NEWS);
    let (page, limit) = call.params.paging(15)?;
    let all = call.app.shared.content.list(category, call.lang);
    let count = all.len();
    let rows: Vec<Value> = all.into_iter().skip(((page - 1) * limit) as usize).take(limit as usize).collect();
    Ok(Answer::ok(json!({
        "list": rows, "count": count, "page": page, "limit": limit,
        "version": { "key": "version", "value": ["wgt", "80"] },
    })))
}

/// `POST /news/detail`.
pub async fn article(call: Call) -> CallResult {
    let id = call.params.need_integer("id")?;
    let article = call.app.shared.content.article(id, call.lang);
    article.map(Answer::ok).ok_or(Code::NotFound.into())
}

fn single(call: &Call, category: u32) -> CallResult {
    call.app.shared.content.newest(category, call.lang).map(Answer::ok).ok_or(Code::NotFound.into())
}

/// `GET /faq`.
pub async fn faq(call: Call) -> CallResult {
    single(&call, FAQ)
}

/// `GET /aboutus`.
pub async fn about_us(call: Call) -> CallResult {
    single(&call, ABOUT)
}

/// `GET /contactus`.
pub async fn contact_us(call: Call) -> CallResult {
    single(&call, CONTACT)
}

/// `GET /operational_compliance`.
pub async fn compliance(call: Call) -> CallResult {
    single(&call, COMPLIANCE)
}

/// `GET /menu`.
pub async fn menu(call: Call) -> CallResult {
    Ok(Answer::ok(json!(call.app.shared.content.menu)))
}

fn market_status(state: MarketState) -> &'static str {
    match state {
        MarketState::Trading => "open",
        MarketState::CancelOnly => "closed",
        MarketState::Halt => "halt",
    }
}

/// What a pair's quote says of its contract.
fn contract(face: Option<&ContractFace>) -> [(&'static str, Value); 7] {
    let none = || "0".to_owned();
    let tickets = face.map(|face| &face.params.tickets);
    let (low, high) = tickets.map_or((0, 0), |t| (t.lots.0.0, t.lots.1.0));
    let open = face.is_some_and(|face| face.state != MarketState::Halt);
    [
        ("open_lever", u8::from(open).into()),
        ("spread", tickets.map_or_else(none, |t| percent(t.spread_ppm)).into()),
        ("lever_share_num", face.map_or_else(none, |face| face.params.lot.to_string()).into()),
        ("lever_trade_fee", face.map_or_else(none, |face| percent(face.params.ticket_fee(0).0)).into()),
        ("lever_min_share", low.into()),
        ("lever_max_share", high.into()),
        ("overnight", tickets.map_or_else(none, |t| percent(t.overnight_ppm)).into()),
    ]
}

fn quote(
    shared: &Shared,
    info: &MarketInfo,
    board: &Board,
    face: Option<&ContractFace>,
    rate: Option<Amount>,
) -> Value {
    let p = &info.params;
    let places = board.price_places();
    let day = board.day(now_ms());
    let price = |f: fn(&crate::market::board::Day) -> Amount| day.map_or_else(|| "0".into(), |d| fixed(f(&d), places));
    let options = shared.listed().has_options(p.market);
    let fees = p.fees_of(0);
    let category = u8::from(info.tags.iter().any(|t| t == "main"));
    let mut row = json!({
        "id": p.market.0, "currency_id": p.base.0, "legal_id": p.quote.0, "currency_name": info.base,
        "legal_name": info.quote, "symbol": info.pair(), "stream": p.symbol.to_ascii_lowercase(),
        "logo": format!("/h5/coins/{}.svg", info.base.to_ascii_lowercase()),
        "category": category, "tags": info.tags,
        "now_price": price(|d| d.close), "open": price(|d| d.open), "high": price(|d| d.high),
        "low": price(|d| d.low), "close": price(|d| d.close),
        "change": day.map_or_else(|| "0.00".into(), |d| d.change_percent()),
        "volume": day.map_or_else(|| "0".into(), |d| d.volume.to_string()),
        "turnover": day.map_or_else(|| "0".into(), |d| d.turnover.to_string()),
        "precision_length": places, "amount_precision": decimals(p.step),
        "tick": p.tick.to_string(), "step": p.step.to_string(),
        "min_amount": p.base_amount(p.min_lots).to_string(), "max_amount": p.base_amount(p.max_lots).to_string(),
        "min_notional": p.min_notional.to_string(), "price_band": percent(p.band_ppm),
        "protection": percent(p.protection_ppm), "max_open_orders": p.max_open_orders,
        "open_coin_trade": 1, "open_microtrade": u8::from(options), "coin_trade_fee_maker": percent(fees.maker.0),
        "coin_trade_fee_taker": percent(fees.taker.0),
        "market_status": market_status(board.state), "status": state_name(board.state), "source": board.source,
        "index_price": board.index.map(|(price, _)| price.to_string()),
        "index_ms": board.index.map(|(_, at)| at), "sort": p.market.0, "update_ms": board.updated_ms,
    });
    contract(face).into_iter().for_each(|(name, value)| row[name] = value);
    quote_fields(shared, info, rate).into_iter().for_each(|(name, value)| row[name] = value);
    row
}

/// `GET /currency/quotation_new`: one element a quote currency, USDT first.
pub async fn quotation(call: Call) -> CallResult {
    // It looks through a day of minutes of every pair.
    call.weighs(QUOTATION_WEIGHT).await?;
    let shared = &call.app.shared;
    let catalog: &Catalog = &shared.listed();
    let contracts = shared.contracts.now();
    let mut quotes: Vec<AssetId> = catalog.markets.values().map(|m| m.params.quote).collect();
    quotes.sort_unstable_by_key(|q| (catalog.asset_name(*q) != "USDT", *q));
    quotes.dedup();
    let rate = usdt_rate(catalog, &shared.boards);
    let face = |m: &MarketInfo| by_pair(&contracts, m.params.base, m.params.quote).map(|(_, face)| face);
    let rows = |legal: AssetId| -> Vec<Value> {
        let markets = catalog.markets.values().filter(|m| m.params.quote == legal);
        let quote = |m: &MarketInfo| {
            let board = shared.boards.get(m.params.market)?;
            Some(quote(shared, m, &read(&board), face(m), rate))
        };
        markets.filter_map(quote).collect()
    };
    let group = |legal: AssetId| {
        let name = catalog.asset_name(legal);
        let logo = format!("/h5/coins/{}.svg", name.to_ascii_lowercase());
        json!({ "id": legal.0, "name": name, "logo": logo, "quotation": rows(legal) })
    };
    Ok(Answer::ok(quotes.into_iter().map(group).collect()))
}
