//! What a user data stream says of an account's event (`docs/rules/program-api.md "User data"`).
//!
//! Owns: `executionReport`, `listStatus`, `outboundAccountPosition`, `balanceUpdate`. Never does: ask anybody; send.
//! Invariants: an order's reports come in the order of what happened to it, each with the sums up to there; positions come
//! after the orders that changed them.
//! Known limits: the name of a cancel that was not by program, or on another gateway, is not known.

use super::cancel_names::CancelNames;
use super::orders::rows::{
    client_id, contingency, eight, expiry_reason, extend, list_of, side_name, status_name, stp_name, symbol, tif_name,
    type_of,
};
use crate::common::time::TimeUnit;
use crate::market::catalog::Catalog;
use serde_json::{Value, json};
use xng_cell::Change;
use xng_core::account::{AccountEvent, Fill, Order, OrderChange};
use xng_core::ids::Wallet;
use xng_core::money::{Amount, Lots};
use xng_core::spot::facts::OrderList;
use xng_core::spot::prevented_matches::PreventedMatch;
use xng_core::spot::{OrderStatus, Trigger};

/// Reports of one event and events of one record at most: each report has a number of its own (`I`), made of the event's
/// sequence, its part and the report's place.
const MOST: u64 = 2_048;

/// The payloads of one event, in the order in which they are sent; `part` is its number among those of its sequence.
#[must_use]
pub fn payloads(change: &Change, part: u64, (catalog, names): (&Catalog, &CancelNames), unit: TimeUnit) -> Vec<Value> {
    let event = &change.event;
    let mut writer = EventWriter { event, part, catalog, cancel: names.find(change.by), unit, events: Vec::new() };
    for (order, change) in &event.orders {
        writer.order(order, *change);
    }
    for (list, orders) in &event.lists {
        writer.list(list, orders);
    }
    writer.wallets();
    writer.events
}

struct EventWriter<'e> {
    event: &'e AccountEvent,
    part: u64,
    catalog: &'e Catalog,
    /// The name of the cancel that this came of.
    cancel: Option<String>,
    unit: TimeUnit,
    events: Vec<Value>,
}

/// What an order had come to before some of its fills.
#[derive(Clone, Copy)]
struct Sums {
    filled: Lots,
    spent: Amount,
}

const NOTHING: Sums = Sums { filled: Lots::ZERO, spent: Amount::ZERO };

impl EventWriter<'_> {
    fn order(&mut self, o: &Order, change: OrderChange) {
        match change {
            OrderChange::Waits => self.report(o, "NEW", "NEW", NOTHING, None),
            OrderChange::Pending => self.report(o, "NEW", "PENDING_NEW", NOTHING, None),
            OrderChange::Placed | OrderChange::Triggered => self.placed(o),
            OrderChange::Filled => self.fills(o),
            OrderChange::Prevented => {
                let event = self.event;
                event
                    .prevented
                    .iter()
                    .for_each(|(_, m)| self.prevented(o, m, status_name(o.status), (sums(o), o.prevented)));
            }
            OrderChange::Amended => self.report(o, "REPLACED", status_name(o.status), sums(o), None),
            OrderChange::Gone => self.ended(o),
        }
    }

    /// It was new, was filled, and then perhaps what was left of it expired.
    fn placed(&mut self, o: &Order) {
        self.report(o, "NEW", "NEW", NOTHING, None);
        self.fills(o);
        let reported = [OrderStatus::Filled, OrderStatus::ExpiredInMatch];
        if !o.status.is_open() && !reported.contains(&o.status) {
            self.ended(o);
        }
    }

    fn ended(&mut self, o: &Order) {
        let what = if o.status == OrderStatus::Canceled { "CANCELED" } else { "EXPIRED" };
        self.report(o, what, status_name(o.status), sums(o), None);
        if o.status == OrderStatus::Canceled
            && let Some(Value::Object(report)) = self.events.last_mut()
        {
            report.insert("C".into(), client_id(o).into());
            let name = self.cancel.clone().unwrap_or_else(|| format!("{}-{}", o.order, self.event.seq));
            report.insert("c".into(), name.into());
        }
    }

    /// Its fills in this event and the matches with its owner's orders between them, each with the sums up to it.
    fn fills(&mut self, o: &Order) {
        let event = self.event;
        let fills: Vec<&Fill> = event.fills.iter().filter(|fill| fill.order == o.order).collect();
        let now = fills.iter().fold((Lots::ZERO, Amount::ZERO), |(lots, spent), f| {
            (lots + f.lots, spent + f.units.notional(f.ticks, f.lots))
        });
        let mut so_far = Sums { filled: o.filled - now.0, spent: o.spent - now.1 };
        let mut lost = o.prevented - event.prevented.iter().fold(Lots::ZERO, |sum, (_, m)| sum + m.lost(o.order));
        let mut prevented = event.prevented.iter().peekable();
        for n in 0..=fills.len() {
            while let Some((_, m)) = prevented.next_if(|(after, _)| *after as usize <= n || n == fills.len()) {
                lost += m.lost(o.order);
                let state = match so_far.filled.is_zero() {
                    _ if o.status == OrderStatus::ExpiredInMatch && prevented.peek().is_none() => "EXPIRED_IN_MATCH",
                    true => "NEW",
                    false => "PARTIALLY_FILLED",
                };
                self.prevented(o, m, state, (so_far, lost));
            }
            let Some(fill) = fills.get(n) else { break };
            so_far.filled += fill.lots;
            so_far.spent += fill.units.notional(fill.ticks, fill.lots);
            let last = n + 1 == fills.len();
            let state = if last && o.status == OrderStatus::Filled { "FILLED" } else { "PARTIALLY_FILLED" };
            self.report(o, "TRADE", state, so_far, Some(fill));
        }
    }

    /// A match with another order of its owner took some of it; `lost` is what all of them did up to this one.
    fn prevented(&mut self, o: &Order, m: &PreventedMatch, state: &str, (so_far, lost): (Sums, Lots)) {
        self.report(o, "TRADE_PREVENTION", state, so_far, None);
        let Some(Value::Object(report)) = self.events.last_mut() else { return };
        let (u, amount) = (&m.units, |lots| eight(m.units.base_amount(lots)));
        let more = json!({
            "v": m.id.0, "A": amount(lost), "B": amount(m.lost(o.order)), "U": m.counter(o.order).0,
            "Cs": symbol(u, self.catalog), "pl": amount(m.lots), "pL": eight(u.price(m.ticks)),
            "pY": eight(u.notional(m.ticks, m.lots)),
        });
        extend(report, more);
    }

    fn report(&mut self, o: &Order, what: &str, state: &str, so_far: Sums, fill: Option<&Fill>) {
        let u = &o.units;
        let waits = matches!(o.status, OrderStatus::Waiting | OrderStatus::Pending);
        let zero = || eight(Amount::ZERO);
        let trigger = o.trigger.map_or_else(zero, |t| eight(u.price(t.ticks)));
        let number = (self.event.seq * MOST + self.part) * MOST + self.events.len() as u64;
        let asset = fill.map(|f| self.catalog.asset_name(u.fee_asset(f.side)));
        let time = |ns| self.unit.ns(ns);
        let mut report = json!({
            "e": "executionReport", "E": self.unit.now(), "s": symbol(u, self.catalog), "c": client_id(o),
            "S": side_name(o.side), "o": type_of(o), "f": tif_name(o.tif), "q": eight(u.base_amount(o.lots)),
            "p": eight(u.price(o.ticks)), "P": trigger, "F": eight(u.base_amount(o.iceberg)),
            "g": list_of(o), "C": "", "x": what, "X": state, "r": "NONE",
            "i": o.order.0, "l": fill.map_or_else(zero, |f| eight(u.base_amount(f.lots))),
            "z": eight(u.base_amount(so_far.filled)), "L": fill.map_or_else(zero, |f| eight(u.price(f.ticks))),
            "n": fill.map_or_else(|| "0".to_owned(), |f| eight(f.fee)), "N": asset, "T": time(self.event.time),
            "t": fill.map_or(-1, |f| f.trade.count() as i64), "I": number, "w": o.status.is_open() && !waits,
            "m": fill.is_some_and(|f| f.maker), "M": fill.is_some(), "O": time(o.created), "Z": eight(so_far.spent),
            "Y": fill.map_or_else(zero, |f| eight(u.notional(f.ticks, f.lots))), "Q": eight(o.budget),
            "V": stp_name(o.stp),
        });
        if let Value::Object(report) = &mut report {
            if !waits && o.working > 0 {
                report.insert("W".into(), time(o.working).into());
            }
            if let Some(Trigger { trail_bips, .. }) = o.trigger.filter(|t| t.trail_bips > 0) {
                report.insert("d".into(), trail_bips.into());
            }
            if let Some(why) = expiry_reason(o.reason).filter(|_| what == "EXPIRED") {
                report.insert("eR".into(), why.into());
            }
        }
        self.events.push(report);
    }

    /// A list began or went on to its pending orders, or the last of its orders ended; one record may be both.
    fn list(&mut self, list: &OrderList, orders: &[Order]) {
        let mine = |(o, _): &&(Order, OrderChange)| o.list == list.list;
        let changed: Vec<&(Order, OrderChange)> = self.event.orders.iter().filter(mine).collect();
        let begins = changed.iter().any(|(_, c)| matches!(c, OrderChange::Placed | OrderChange::Waits));
        // Over with the last of them: what is partly filled, or was placed by its trigger, goes on alone.
        let ended = changed.iter().any(|(o, _)| !o.status.is_open());
        let over = ended && orders.iter().all(|o| !o.status.is_open());
        let Some(first) = orders.first() else { return };
        let symbol = symbol(&first.units, self.catalog);
        let each = |o: &Order| json!({ "s": symbol, "i": o.order.0, "c": client_id(o) });
        let states = [(begins, "EXEC_STARTED", "EXECUTING"), (over, "ALL_DONE", "ALL_DONE")];
        for (_, kind, state) in states.into_iter().filter(|(is, _, _)| *is) {
            self.events.push(json!({
                "e": "listStatus", "E": self.unit.now(), "s": symbol, "g": list.list.0,
                "c": contingency(list), "l": kind, "L": state,
                "r": "NONE", "C": list_name(list), "T": self.unit.ns(self.event.time),
                "O": orders.iter().map(each).collect::<Vec<Value>>(),
            }));
        }
    }

    fn wallets(&mut self) {
        let spot = self.event.wallets.iter().filter(|w| w.wallet == Wallet::Spot);
        let balances: Vec<Value> = spot
            .map(|w| json!({ "a": self.catalog.asset_name(w.asset), "f": eight(w.available), "l": eight(w.locked) }))
            .collect();
        if balances.is_empty() {
            return;
        }
        let (now, time) = (self.unit.now(), self.unit.ns(self.event.time));
        self.events.push(json!({ "e": "outboundAccountPosition", "E": now, "u": time, "B": balances }));
        for (_, asset, delta) in self.event.moved.iter().filter(|(wallet, _, _)| *wallet == Wallet::Spot) {
            let (asset, delta) = (self.catalog.asset_name(*asset), eight(*delta));
            self.events.push(json!({ "e": "balanceUpdate", "E": now, "a": asset, "d": delta, "T": time }));
        }
    }
}

fn sums(o: &Order) -> Sums {
    Sums { filled: o.filled, spent: o.spent }
}

/// The name that a list goes by: the bot's own, or its number.
#[must_use]
pub fn list_name(list: &OrderList) -> String {
    list.client_id.map_or_else(|| list.list.0.to_string(), |name| name.as_str().to_owned())
}
