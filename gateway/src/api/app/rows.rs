//! Rows that several calls and private events share.
//!
//! Owns: field names and numbers of rows. Never does: ask anybody. Invariants: a list, a detail and an event show
//! one thing alike. Known limits: none.

use super::wallet_names::app_name;
use crate::common::time::{ms, ts};
use crate::market::catalog::Catalog;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use xng_core::account::{Balance, Fill, Order};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::{Amount, Exact, Lots};
use xng_core::spot::facts::Units;
use xng_core::spot::{EndReason, GroupAck, OrderKind, OrderStatus, Side, Tif, TriggerKind};

/// `BTC/USDT`.
#[must_use]
pub fn pair(units: &Units, catalog: &Catalog) -> String {
    format!("{}/{}", catalog.asset_name(units.base), catalog.asset_name(units.quote))
}

/// An order's state as calls number it (`docs/rules/spot.md "Order states"`): 1 pending, 2 completed, 3 cancelled, 4 partially
/// filled.
/// A market order that was cut short but filled at all counts as completed.
#[must_use]
pub fn status_number(status: OrderStatus, kind: OrderKind, filled: Lots) -> u8 {
    match status {
        OrderStatus::Open | OrderStatus::Waiting | OrderStatus::Pending => 1,
        OrderStatus::Partial => 4,
        _ if status.is_complete(kind, filled) => 2,
        OrderStatus::Filled | OrderStatus::Canceled | OrderStatus::Expired | OrderStatus::ExpiredInMatch => 3,
    }
}

/// The name of a time in force.
#[must_use]
pub fn tif_name(tif: Tif) -> &'static str {
    match tif {
        Tif::Gtc => "GTC",
        Tif::Ioc => "IOC",
        Tif::Fok => "FOK",
        Tif::PostOnly => "POST_ONLY",
        Tif::Day => "DAY",
    }
}

/// The name of the reason why an order or its remainder is gone.
#[must_use]
pub fn reason_name(reason: EndReason) -> &'static str {
    match reason {
        EndReason::None => "",
        EndReason::Ioc => "ioc",
        EndReason::FillOrKill => "fok",
        EndReason::NoLiquidity => "no_liquidity",
        EndReason::Protection => "protection",
        EndReason::SelfTrade => "self_trade",
        EndReason::TradeLimit => "trade_limit",
        EndReason::Budget => "budget",
        EndReason::User => "user",
        EndReason::OtherLeg => "other_order",
        EndReason::Replaced => "replaced",
        EndReason::Refused => "refused",
        EndReason::Liquidation => "liquidation",
        EndReason::Deleveraging => "deleveraging",
        EndReason::SessionEnd => "session_end",
        EndReason::CorporateAction => "corporate_action",
    }
}

/// The name of what a conditional order is for.
#[must_use]
pub fn trigger_name(kind: TriggerKind) -> &'static str {
    match kind {
        TriggerKind::StopLoss => "stop_loss",
        TriggerKind::TakeProfit => "take_profit",
        TriggerKind::Open => "open",
    }
}

fn side_number(side: Side) -> u8 {
    match side {
        Side::Buy => 1,
        Side::Sell => 2,
    }
}

/// The rate of an order's fees: what it really paid, once it was filled; until then the most that its market takes.
fn fee_rate(o: &Order, catalog: &Catalog) -> Amount {
    let got = if o.units.fee_asset(o.side) == o.units.quote { o.spent } else { o.units.base_amount(o.filled) };
    let paid = Exact::from(o.fee).div_sig20_half_up(Exact::from(got)).map(|rate| ppm(rate.round8()));
    let listed = || catalog.markets.get(&o.units.market).map_or(0, |m| m.params.fees_of(0).taker.0);
    paid.unwrap_or_else(|| Amount(i128::from(listed()) * 100))
}

/// A rate without the crumbs of rounding fees to the smallest unit.
fn ppm(rate: Amount) -> Amount {
    Amount((rate.0 + 50) / 100 * 100)
}

/// It waits for the open of its stock's market.
#[must_use]
pub fn is_queued(o: &Order) -> bool {
    o.status == OrderStatus::Waiting && o.trigger.is_some_and(|t| t.kind == TriggerKind::Open)
}

/// A row of `GET /coin/list`.
#[must_use]
pub fn order(account: AccountId, o: &Order, catalog: &Catalog) -> Value {
    let (created, updated) = (ms(o.created), ms(o.updated));
    // One that waits, or waited, for the open is a plain order.
    let trigger = o.trigger.filter(|t| t.kind != TriggerKind::Open);
    let kind = match o.kind {
        OrderKind::Limit => "limit",
        OrderKind::Market => "market",
    };
    json!({
        "id": o.order.0, "u_id": account.0, "order_no": o.order.0.to_string(),
        "currency_id": o.units.base.0, "legal_id": o.units.quote.0, "match_id": o.units.market.0,
        "symbol": pair(&o.units, catalog), "type": side_number(o.side), "order_type": kind, "tif": tif_name(o.tif),
        "target_price": o.units.price(o.ticks).to_string(), "trade_price": o.average().to_string(),
        "trade_amount": o.units.base_amount(o.lots).to_string(), "quote_amount": o.budget.to_string(),
        "filled_amount": o.units.base_amount(o.filled).to_string(), "filled_total": o.spent.to_string(),
        "charge_fee": fee_rate(o, catalog).to_string(), "fee": o.fee.to_string(),
        "fee_currency": catalog.asset_name(o.units.fee_asset(o.side)),
        "status": status_number(o.status, o.kind, o.filled), "reason": reason_name(o.reason),
        "client_id": o.client_id.map(|c| c.as_str().to_owned()),
        "trigger": trigger.map(|t| trigger_name(t.kind)),
        "trigger_price": trigger.map(|t| o.units.price(t.ticks).to_string()),
        "trail": trigger.map(|t| t.trail_bips), "waiting": matches!(o.status, OrderStatus::Waiting | OrderStatus::Pending),
        "pending": o.status == OrderStatus::Pending, "queued": u8::from(is_queued(o)),
        "visible_amount": o.units.base_amount(o.iceberg).to_string(), "list_id": o.list.0,
        "created_at": ts(created), "created_at_ms": created, "updated_at": ts(updated), "updated_at_ms": updated,
    })
}

/// A row of `GET /coin/trades`.
#[must_use]
pub fn fill(f: &Fill, catalog: &Catalog) -> Value {
    let at = ms(f.time);
    json!({
        "id": f.trade.count(), "order_id": f.order.0, "match_id": f.units.market.0, "symbol": pair(&f.units, catalog),
        "type": side_number(f.side), "price": f.units.price(f.ticks).to_string(),
        "amount": f.units.base_amount(f.lots).to_string(),
        "quote_amount": f.units.notional(f.ticks, f.lots).to_string(), "fee": f.fee.to_string(),
        "fee_currency": catalog.asset_name(f.units.fee_asset(f.side)),
        "role": if f.maker { "maker" } else { "taker" }, "created_at": ts(at), "created_at_ms": at,
    })
}

/// The fill inside a private `coin_order` event.
#[must_use]
pub fn event_fill(f: &Fill, catalog: &Catalog) -> Value {
    json!({
        "trade_id": f.trade.count(), "price": f.units.price(f.ticks).to_string(),
        "amount": f.units.base_amount(f.lots).to_string(), "fee": f.fee.to_string(),
        "fee_currency": catalog.asset_name(f.units.fee_asset(f.side)),
        "role": if f.maker { "maker" } else { "taker" }, "time_ms": ms(f.time),
    })
}

/// What is in an account as users see it: results that are not settled yet are a part of futures.
#[must_use]
pub fn balance(all: &[Balance], wallet: Wallet, asset: AssetId) -> Balance {
    let results = (wallet == Wallet::Futures).then_some(Wallet::Pnl);
    let of = all.iter().filter(|b| (b.wallet == wallet || Some(b.wallet) == results) && b.asset == asset);
    of.fold(Balance { wallet, asset, available: Amount::ZERO, locked: Amount::ZERO }, |sum, b| Balance {
        available: sum.available + b.available,
        locked: sum.locked + b.locked,
        ..sum
    })
}

/// The accounts that balances are of, as users see them.
pub fn accounts(all: &[Balance]) -> Vec<Balance> {
    let named = |b: &Balance| (if b.wallet == Wallet::Pnl { Wallet::Futures } else { b.wallet }, b.asset);
    let names: BTreeSet<(Wallet, AssetId)> = all.iter().map(named).collect();
    names.into_iter().map(|(wallet, asset)| balance(all, wallet, asset)).collect()
}

/// A wallet in private events.
#[must_use]
pub fn wallet(b: &Balance, catalog: &Catalog) -> Value {
    json!({
        "account": app_name(b.wallet), "currency": b.asset.0, "currency_name": catalog.asset_name(b.asset),
        "available": b.available.to_string(), "locked": b.locked.to_string(),
    })
}

/// The answer to a repeated request: the order group as it was placed first.
pub(super) fn repeated_group(acks: &GroupAck) -> Value {
    let mut row = placed_group(acks);
    row["repeated"] = true.into();
    row
}

/// An order group as the app shows it: its first order stands for all.
pub(super) fn placed_group(acks: &GroupAck) -> Value {
    let ids: Vec<u64> = acks.orders.iter().map(|ack| ack.order.0).collect();
    let first = ids.first().copied().unwrap_or_default();
    json!({ "id": first, "order_no": first.to_string(), "ids": ids, "status": 1 })
}
