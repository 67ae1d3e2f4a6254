//! An account's records with each order as one row (`POST /wallet/legal_log` with `by=order`).
//!
//! Owns: how orders and the other movements are put in one order. Never does: leave out a movement: those of an order
//! are its row's. Invariants: a row of an order changes what its fills changed, fees included; an order stands where it
//! was placed. Known limits: [`DEEP`] rows; the store looks through all rows of the account for those of no order.

use super::call::{Call, CallResult};
use super::ledger::{later, log_row};
use super::market::weight;
use super::rows;
use super::wallet_names::app_name;
use crate::api::http::envelope::Answer;
use crate::api::http::errors::Failure;
use crate::common::time::{ms, ts};
use crate::market::catalog::Catalog;
use crate::orders::lookup::{DEEP, Seen, merged_orders, seen};
use serde_json::{Value, json};
use std::cmp::Reverse;
use xng_core::account::Order;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::Amount;
use xng_core::record::LogType;
use xng_core::spot::Side;
use xng_persistence::store::{LedgerFilter, LedgerRow, OrderFilter, Slice};

/// What becomes a row.
enum Record {
    Movement(LedgerRow),
    Order(Box<Order>),
}

impl Record {
    fn time(&self) -> TimeNs {
        match self {
            Record::Movement(row) => row.time,
            Record::Order(order) => order.created,
        }
    }

    fn id(&self) -> u64 {
        match self {
            Record::Movement(row) => row.id,
            Record::Order(order) => order.order.0,
        }
    }
}

/// A page of them, newest first.
pub(super) async fn by_order(call: &Call, filter: LedgerFilter, (number, limit): (u64, u64)) -> CallResult {
    let reach = number * limit;
    if reach > DEEP {
        return Err(Failure::field("page", "out of range"));
    }
    call.weighs(weight(reach as usize)).await?;
    let (account, asset) = (filter.account, filter.asset);
    // Orders trade from one wallet.
    let traded = filter.wallets.is_empty() || filter.wallets.contains(&Wallet::Spot);
    let mut records = Vec::new();
    if traded {
        let seen = seen(&call.app, account).await?;
        records.extend(orders(call, &seen, asset, reach).await?.into_iter().map(|o| Record::Order(Box::new(o))));
    }
    let others = LedgerFilter { except: vec![LogType::SPOT_FREEZE, LogType::SPOT_TRADE], ..filter };
    let moved = call.app.shared.store.page(&others, Slice::Newest, reach as u32).await.map_err(|e| later(&e))?;
    records.extend(moved.into_iter().map(Record::Movement));
    records.sort_by_key(|record| Reverse((record.time(), record.id())));
    let catalog = call.app.shared.listed();
    let shown = records.iter().skip((reach - limit) as usize).take(limit as usize);
    let list: Vec<Value> = shown.map(|record| row(call, &catalog, record, (account, asset))).collect();
    Ok(Answer::ok(json!({ "list": list, "limit": limit, "is_open_CTbi": "1" })))
}

/// The newest orders that an asset has to do with.
async fn orders(call: &Call, seen: &Seen, asset: Option<AssetId>, most: u64) -> Result<Vec<Order>, Failure> {
    let all = OrderFilter::of(seen.account.account);
    let Some(asset) = asset else { return merged_orders(&call.app, seen, all, (1, most)).await };
    let bought = OrderFilter { base: Some(asset), ..all.clone() };
    let mut found = merged_orders(&call.app, seen, bought, (1, most)).await?;
    let paid = OrderFilter { quote: Some(asset), ..all };
    found.extend(merged_orders(&call.app, seen, paid, (1, most)).await?);
    Ok(found)
}

fn row(call: &Call, catalog: &Catalog, record: &Record, (account, asset): (AccountId, Option<AssetId>)) -> Value {
    let order = match record {
        Record::Movement(row) => return log_row(call, catalog, row),
        Record::Order(order) => order,
    };
    let at = ms(order.created);
    let change = |(id, value): (AssetId, Amount)| json!({ "currency": id.0, "currency_name": catalog.asset_name(id), "value": value.to_string() });
    let changes = changes(order).into_iter().filter(|(id, _)| asset.is_none_or(|wanted| wanted == *id));
    json!({
        "id": order.order.0, "type": LogType::SPOT_TRADE.0, "account": app_name(Wallet::Spot),
        "info": call.app.shared.messages.text(call.lang, "log_spot_trade", &[]), "order_no": order.order.0.to_string(),
        "created_time": ts(at), "created_time_ms": at, "order": rows::order(account, order, catalog),
        "changes": changes.map(change).collect::<Vec<Value>>(),
    })
}

/// What its fills added to base and quote; the fee is taken from what it receives.
fn changes(o: &Order) -> [(AssetId, Amount); 2] {
    let base = o.units.base_amount(o.filled);
    let (base, quote) = match o.side {
        Side::Buy => (base - o.fee, -o.spent),
        Side::Sell => (-base, o.spent - o.fee),
    };
    [(o.units.base, base), (o.units.quote, quote)]
}
