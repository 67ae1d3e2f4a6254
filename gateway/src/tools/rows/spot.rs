//! Spot's rows by the tools' own fold, and where the store has them.
//!
//! Owns: open orders of all accounts, or of one; what is compared of orders, fills, prevented matches and amendments.
//! Never does: share code with the projection or with `order_effects` of the engine: it is a check of both.
//! Invariants: rows come in the order of the journal. Known limits: open orders are kept in memory; amendments of before a
//! store had rows of them may be missing in it; lists of orders are not compared.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::observe::render;
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use xng_core::account::{Fill, Order};
use xng_core::codec::Wire;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, MarketId, OrderId, PreventedId, TradeId};
use xng_core::journal::Lsn;
use xng_core::spot::facts::{Execution, OrderPlaced, OrdersChanged, SpotFact};
use xng_persistence::store::{
    AmendmentFilter, FillFilter, OrderFilter, PreventedFilter, StoredAmendment, StoredFill, StoredOrder,
    StoredPrevented,
};

tables! {
    orders: StoredOrder,
    amendments: StoredAmendment,
    fills: StoredFill,
    prevented: StoredPrevented,
}

impl ComparedRow for StoredOrder {
    const NAMES: [&'static str; 2] = ["order", "orders"];
    const KEY: &'static str = "orders";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = (TimeNs, OrderId);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (TimeNs, OrderId) {
        (self.order.created, self.order.order)
    }
    fn id(&self) -> u64 {
        self.order.order.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.order.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(OrderFilter::of(account))
    }
}

impl ComparedRow for StoredAmendment {
    const NAMES: [&'static str; 2] = ["amendment", "amendments"];
    const KEY: &'static str = "amendments";
    const MAY_LACK_OLDEST: bool = true;
    type Part = OrderId;
    type Place = TimeNs;

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) -> OrderId {
        self.order
    }
    fn place(&self) -> TimeNs {
        self.time
    }
    fn id(&self) -> u64 {
        self.order.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        (self.order, self.time).put(out);
        self.client_ids.iter().for_each(|name| name.put(out));
        self.lots.iter().for_each(|lots| lots.put(out));
    }
    fn stored(stored: &Stored, _: AccountId, order: OrderId) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(AmendmentFilter { order, from: 0 })
    }
}

impl ComparedRow for StoredFill {
    const NAMES: [&'static str; 2] = ["fill", "fills"];
    const KEY: &'static str = "fills";
    type Part = ();
    type Place = (TimeNs, TradeId, bool);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (TimeNs, TradeId, bool) {
        (self.fill.time, self.fill.trade, self.fill.maker)
    }
    fn id(&self) -> u64 {
        self.fill.trade.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.fill.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(FillFilter::of(account))
    }
}

impl ComparedRow for StoredPrevented {
    const NAMES: [&'static str; 2] = ["prevented match", "prevented matches"];
    const KEY: &'static str = "prevented";
    type Part = MarketId;
    type Place = PreventedId;

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) -> MarketId {
        self.prevented.units.market
    }
    fn place(&self) -> PreventedId {
        self.prevented.id
    }
    fn id(&self) -> u64 {
        self.prevented.id.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.prevented.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, market: MarketId) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(PreventedFilter { account, market, order: None, id: None, from: None })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    open: HashMap<OrderId, StoredOrder>,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, open: HashMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &SpotFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            SpotFact::OrderPlaced(f) => self.placed(lsn, f, time, rows),
            SpotFact::OrdersChanged(f) => self.changed(lsn, f, time, rows),
            SpotFact::QuotesSet(f) => f.executions().try_for_each(|execution| self.traded(lsn, &execution, time, rows)),
            SpotFact::OrdersCanceled(f) => f
                .orders
                .iter()
                .try_for_each(|o| self.change(lsn, (o.order, o.account), rows, |order| order.cancel(f.reason, time))),
            SpotFact::MarketListed(_)
            | SpotFact::MarketParamsChanged(_)
            | SpotFact::MarketStateChanged(_)
            | SpotFact::TradeIdsReserved(_) => Ok(()),
        }
    }

    /// Open orders.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        let orders: BTreeMap<OrderId, &StoredOrder> = self.open.iter().map(|(id, stored)| (*id, stored)).collect();
        open.extend(orders.into_iter().map(|(id, StoredOrder { order, .. })| {
            let (side, market) = (format!("{:?}", order.side), order.units.market);
            let (price, amount) = (order.units.price(order.ticks), order.units.base_amount(order.open));
            let object = json!({ "order": id.0, "market": market.0, "side": side, "price": price.to_string(),
                "open": amount.to_string(), "created": render::time(order.created) });
            (format!("open order {id}: {side} {amount} at {price} on market {market}"), object)
        }));
    }

    fn changed(
        &mut self,
        lsn: Lsn,
        f: &OrdersChanged,
        time: TimeNs,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let list = |id| f.list.as_ref().filter(|list| list.orders.contains(&id)).map_or(OrderId(0), |list| list.list);
        for gone in &f.gone {
            self.change(lsn, (gone.order, f.account), rows, |order| order.cancel(f.reason, time))?;
        }
        for amended in &f.amended {
            if let Some(before) = self.open.get(&amended.order).map(|stored| stored.order) {
                rows.amendments.add(&StoredAmendment {
                    account: f.account,
                    order: amended.order,
                    time,
                    client_ids: [before.client_id, amended.client_id],
                    lots: [before.lots, amended.lots],
                })?;
            }
            self.change(lsn, (amended.order, f.account), rows, |order| order.amend(amended, time))?;
        }
        if let Some(placed) = &f.placed {
            self.met(lsn, placed, time, rows)?;
            if f.triggered.is_some() || f.activated.is_some() {
                self.change(lsn, (placed.order, f.account), rows, |order| order.trigger(placed, time))?;
            } else {
                let order = Order { list: list(placed.order), ..Order::from_placed(placed, time) };
                self.add(f.account, order, rows)?;
            }
        }
        for waiting in &f.waiting {
            if f.activated.is_some() {
                self.change(lsn, (waiting.order, f.account), rows, |order| order.activate(waiting, time))?;
            } else {
                let order = Order { list: list(waiting.order), ..Order::from_waiting(waiting, &f.units, time) };
                self.add(f.account, order, rows)?;
            }
        }
        f.pending.iter().try_for_each(|pending| {
            let order = Order { list: list(pending.order), ..Order::from_pending(pending, &f.units, time) };
            self.add(f.account, order, rows)
        })
    }

    fn placed(
        &mut self,
        lsn: Lsn,
        f: &OrderPlaced,
        time: TimeNs,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        self.met(lsn, f, time, rows)?;
        self.add(f.account, Order::from_placed(f, time), rows)
    }

    fn add(&mut self, account: AccountId, order: Order, rows: &mut Tables<impl Tool>) -> Result<(), ToolError> {
        if !self.whose.wants(account) {
            return Ok(());
        }
        let stored = StoredOrder { account, order };
        if order.status.is_open() {
            self.open.insert(order.order, stored);
        }
        rows.orders.add(&stored)
    }

    /// The other orders that an order met, and its fills.
    fn met(&mut self, lsn: Lsn, f: &OrderPlaced, time: TimeNs, rows: &mut Tables<impl Tool>) -> Result<(), ToolError> {
        for (i, p) in (0..).zip(&f.prevented).filter(|(_, p)| !p.quote) {
            self.change(lsn, (p.order, p.account), rows, |order| order.prevent(f, i, time))?;
        }
        if self.whose.wants(f.account) {
            f.prevented_matches(time).try_for_each(|(_, prevented)| {
                rows.prevented.add(&StoredPrevented { account: f.account, prevented })
            })?;
        }
        f.executions().try_for_each(|execution| self.traded(lsn, &execution, time, rows))
    }

    fn traded(
        &mut self,
        lsn: Lsn,
        e: &Execution<'_>,
        time: TimeNs,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        for (account, maker) in [(e.taker, false), (e.trade.maker, true)] {
            if self.whose.wants(account) {
                rows.fills.add(&StoredFill { account, fill: Fill::of(e, maker, time) })?;
            }
        }
        if e.trade.maker_quote {
            return Ok(());
        }
        let maker = (e.trade.maker_order, e.trade.maker);
        self.change(lsn, maker, rows, |order| order.fill_as_maker(e.trade, time))
    }

    fn change(
        &mut self,
        lsn: Lsn,
        (id, owner): (OrderId, AccountId),
        rows: &mut Tables<impl Tool>,
        change: impl FnOnce(&mut Order),
    ) -> Result<(), ToolError> {
        if !self.whose.wants(owner) {
            return Ok(());
        }
        let Some(mut stored) = self.open.remove(&id) else {
            return Err(ToolError::Found(format!("record {lsn} changes order {id}, which is not open")));
        };
        let before = stored;
        change(&mut stored.order);
        if stored.order.status.is_open() {
            self.open.insert(id, stored);
        }
        rows.orders.take(Some(&before), &stored)
    }
}
