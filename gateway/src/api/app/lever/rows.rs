//! Rows of tickets: in full for calls, and what may change of them for events.
//!
//! Owns: field names and numbers of rows. Never does: ask anybody. Invariants: a list and an event show one thing alike. Known
//! limits: the index at which a ticket was opened is in the journal only, so `origin_price` is its price.

use crate::api::http::i18n::{Lang, Messages};
use crate::common::time::{ms, ts};
use crate::market::catalog::Catalog;
use crate::orders::worth::Worth;
use serde_json::{Value, json};
use xng_core::account::Ticket;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::ticket_facts::CloseReason;
use xng_core::contract::tickets::HUNDREDTHS;
use xng_core::copy::CopyLink;
use xng_core::money::{Amount, ONE};
use xng_persistence::store::{Close, StoredTicket};

/// Everything that rows need at one moment.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    pub(crate) worth: Worth<'a>,
    pub(crate) catalog: &'a Catalog,
    pub(crate) messages: &'a Messages,
    pub(crate) lang: Lang,
}

/// Parts per million as percent.
pub(crate) fn percent(ppm: u32) -> String {
    Amount(i128::from(ppm) * 10_000).to_string()
}

/// Why a ticket was closed.
pub(crate) fn reason_name(reason: CloseReason) -> &'static str {
    match reason {
        CloseReason::User => "user",
        CloseReason::Batch => "batch",
        CloseReason::TakeProfit => "tp",
        CloseReason::StopLoss => "sl",
        CloseReason::Liquidation => "liquidation",
        CloseReason::Copy => "copy",
    }
}

fn mode_name(mode: MarginMode) -> &'static str {
    match mode {
        MarginMode::Isolated => "isolated",
        MarginMode::Cross => "cross",
    }
}

/// Hundredths of a lot as lots.
pub(crate) fn lots(ticket: &Ticket) -> String {
    Amount(i128::from(ticket.terms.lots.0) * (ONE / i128::from(HUNDREDTHS))).to_string()
}

/// 0 waits for its price, 1 open, 3 closed, 4 cancelled. Closing (2) is one decision, so nobody sees it.
fn status_number(row: &StoredTicket) -> u8 {
    match (&row.end, row.ticket.is_open()) {
        (None, false) => 0,
        (None, true) => 1,
        (Some(end), _) if end.closed.is_some() => 3,
        (Some(_), _) => 4,
    }
}

/// What its owner gained or lost by the ticket, without what opening and nights cost: no more than the margin or the pool.
fn gained(ticket: &Ticket, closed: &Close) -> Amount {
    closed.credit + closed.unsettled - ticket.margin
}

fn price_or_none(price: Option<Amount>) -> String {
    price.unwrap_or_default().to_string()
}

/// What may change of a ticket, for `lever_trade`.
pub(crate) fn moving(worth: &Worth<'_>, ticket: &Ticket) -> Value {
    let (terms, is_open) = (&ticket.terms, ticket.is_open());
    json!({
        "id": ticket.id().0, "status": u8::from(is_open),
        "update_price": worth.index(terms.contract).unwrap_or_default().to_string(),
        "profits": worth.profit(ticket).to_string(), "caution_money": ticket.margin.to_string(),
        "overnight_money": ticket.nights.to_string(),
        "target_profit_price": price_or_none(terms.stops.take_profit),
        "stop_loss_price": price_or_none(terms.stops.stop_loss),
        "liq_price": worth.liquidation_price(ticket).map(|price| price.to_string()),
        "risk_rate": worth.risk_of(ticket).map(|rate| rate.to_string()),
    })
}

impl Rows<'_> {
    fn text(&self, key: &str) -> String {
        self.messages.text(self.lang, key, &[])
    }

    /// A row of `POST /lever/my_trade`; of a copy with what it is a copy of.
    pub(crate) fn ticket(&self, row: &StoredTicket, link: Option<CopyLink>) -> Value {
        let (ticket, terms) = (&row.ticket, &row.ticket.terms);
        let closed = row.end.and_then(|end| end.closed);
        let params = self.worth.face(terms.contract).map(|face| &face.params);
        let base = params.map_or_else(String::new, |p| self.catalog.asset_name(p.base));
        let currency = params.map_or(0, |p| p.base.0);
        let status = status_number(row);
        let (direction, direction_name) = match terms.direction {
            Direction::Long => (1, "lever_long"),
            Direction::Short => (2, "lever_short"),
        };
        let is_alive = row.end.is_none();
        let index = closed.map(|closed| closed.index).or_else(|| self.worth.index(terms.contract));
        let profits = closed.map_or_else(|| self.worth.profit(ticket), |closed| closed.result);
        let profits = if is_alive || closed.is_some() { profits } else { Amount::ZERO };
        let (created, ended) = (ms(ticket.created), row.end.map(|end| ms(end.time)));
        let opened = if ticket.is_open() { ms(ticket.opened) } else { created };
        json!({
            "id": ticket.id().0, "user_id": row.account.0, "type": direction, "type_name": self.text(direction_name),
            "order_type": if link.is_some() { 2 } else { 1 }, "status": status, "status_name": self.text(&format!("lever_status_{status}")),
            "symbol": format!("{base}/{}", self.catalog.asset_name(row.settle)), "match_id": terms.contract.0,
            "currency": currency, "legal": row.settle.0, "currency_id": currency, "legal_id": row.settle.0,
            "share": lots(ticket), "number": terms.base.to_string(), "multiple": terms.multiple,
            "origin_price": ticket.target.unwrap_or(terms.price).to_string(), "price": terms.price.to_string(),
            "update_price": index.unwrap_or_default().to_string(),
            "target_profit_price": price_or_none(terms.stops.take_profit),
            "stop_loss_price": price_or_none(terms.stops.stop_loss),
            "origin_caution_money": terms.margin.to_string(), "caution_money": ticket.margin.to_string(),
            "trade_fee": terms.fee.to_string(),
            "overnight": percent(params.map_or(0, |p| p.tickets.overnight_ppm)),
            "overnight_money": ticket.nights.to_string(), "profits": profits.to_string(),
            "fact_profits": closed.map_or(Amount::ZERO, |closed| gained(ticket, &closed)).to_string(),
            "margin_mode": mode_name(terms.mode),
            "liq_price": self.worth.liquidation_price(ticket).filter(|_| is_alive).map(|price| price.to_string()),
            "risk_rate": self.worth.risk_of(ticket).filter(|_| is_alive).map(|rate| rate.to_string()),
            "follow_user_id": link.map_or(0, |link| link.trader.0),
            "follow_order_id": link.map_or(0, |link| link.source.0),
            "transaction_time": ts(opened), "transaction_time_ms": opened, "create_time": ts(created),
            "create_time_ms": created, "time": ts(created), "time_ms": created,
            "handle_time": ended.map_or_else(String::new, ts), "handle_time_ms": ended,
            "complete_time": ended.map_or_else(String::new, ts), "complete_time_ms": ended,
            "close_reason": closed.map_or("", |closed| reason_name(closed.reason)),
        })
    }
}
