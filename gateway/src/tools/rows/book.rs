//! Rows of contracts' books by the tools' own fold, and where the store has them.
//!
//! Owns: open orders and positions of all accounts, or of one; what is compared of orders, fills and positions. Never does:
//! share code with the projection or with `leg_orders` of the engine: it is a check of both. Invariants: rows come in the order
//! of the journal. Known limits: open orders and positions are kept in memory; periods of funding are not compared, and
//! orders and quotes of the house have no rows.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::observe::render;
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::BTreeMap;
use xng_core::account::leg_orders::{LegFill, LegOrder};
use xng_core::codec::Wire;
use xng_core::contract::book::conditional_facts::ConditionalsChanged;
use xng_core::contract::book::effect::{Effect, Leg};
use xng_core::contract::book::facts::{BookFact, BookTrade, ContractOrderPlaced, CutReason, OrderCut};
use xng_core::contract::book::liquidation_facts::LegLiquidated;
use xng_core::contract::book::order::{BookUnits, LegSide};
use xng_core::contract::book::waiting::WaitingBookOrder;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, TradeId};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::spot::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif};
use xng_persistence::store::{
    LegFillFilter, LegFilter, LegKey, LegOrderFilter, StoredLeg, StoredLegFill, StoredLegOrder,
};

tables! {
    orders: StoredLegOrder,
    fills: StoredLegFill,
    legs: StoredLeg,
}

impl ComparedRow for StoredLegOrder {
    const NAMES: [&'static str; 2] = ["order of a contract", "orders of contracts"];
    const KEY: &'static str = "leg_orders";
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
        let o = &self.order;
        o.order.put(out);
        o.units.put(out);
        o.side.put(out);
        o.leg.put(out);
        (o.kind, o.tif).put(out);
        (o.stp, o.ticks).put(out);
        [o.lots, o.open, o.filled].iter().for_each(|lots| lots.put(out));
        (o.spent, o.reduce_only).put(out);
        (o.status, o.reason).put(out);
        o.condition.put(out);
        o.client_id.put(out);
        (o.created, o.updated).put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(LegOrderFilter::of(account))
    }
}

impl ComparedRow for StoredLegFill {
    const NAMES: [&'static str; 2] = ["fill of a contract", "fills of contracts"];
    const KEY: &'static str = "leg_fills";
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
        let f = &self.fill;
        (f.trade, f.order).put(out);
        f.units.put(out);
        (f.side, f.leg).put(out);
        (f.ticks, f.lots).put(out);
        (f.result, f.fee).put(out);
        (f.maker, f.time).put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(LegFillFilter::of(account))
    }
}

impl ComparedRow for StoredLeg {
    const NAMES: [&'static str; 2] = ["position", "positions"];
    const KEY: &'static str = "legs";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = (MarketId, LegSide);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (MarketId, LegSide) {
        (self.units.contract, self.side)
    }
    fn id(&self) -> u64 {
        self.units.contract.0.into()
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.units.put(out);
        self.side.put(out);
        self.leg.put(out);
        self.updated.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(LegFilter { account })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    open: BTreeMap<OrderId, StoredLegOrder>,
    /// Those that were closed stay, without lots.
    legs: BTreeMap<LegKey, StoredLeg>,
}

/// What a change of a position is about.
struct Touched<'a> {
    account: AccountId,
    units: &'a BookUnits,
    side: LegSide,
}

/// Trades of one decision, and whose order took them.
struct Traded<'a> {
    units: &'a BookUnits,
    first: TradeId,
    trades: &'a [BookTrade],
    taken: (AccountId, OrderId),
    index: Amount,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, open: BTreeMap::new(), legs: BTreeMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &BookFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            BookFact::ContractOrderPlaced(f) => self.placed((lsn, time), f, rows),
            BookFact::ContractOrdersCanceled(f) => f.orders.iter().try_for_each(|gone| {
                self.change(lsn, (gone.order, f.account), rows, |order| {
                    (order.open, order.updated) = (Lots::ZERO, time);
                    (order.status, order.reason) = (OrderStatus::Canceled, EndReason::User);
                })
            }),
            BookFact::ConditionalsChanged(f) => self.conditionals((lsn, time), f, rows),
            BookFact::LegLiquidated(f) => self.liquidated((lsn, time), f, rows),
            BookFact::ContractOrderAmended(f) => self.cut((lsn, time), &f.cut, rows),
            BookFact::LegMarginMoved(f) => {
                let touched = Touched { account: f.account, units: &f.units, side: f.leg };
                self.touch(time, &touched, rows, |leg| leg.margin += f.amount)
            }
            BookFact::FundingPaid(f) => f.legs.iter().try_for_each(|paid| {
                let touched = Touched { account: paid.account, units: &f.units, side: paid.leg };
                self.touch(time, &touched, rows, |leg| {
                    if leg.mode == MarginMode::Isolated {
                        leg.margin += paid.amount;
                    }
                    leg.funding_index = f.index;
                })
            }),
            BookFact::BookListed(_)
            | BookFact::BookQuotesSet(_)
            | BookFact::BookParamsChanged(_)
            | BookFact::LegTermsSet(_)
            | BookFact::PositionModeSet(_)
            | BookFact::LiquidationStarted(_)
            | BookFact::LiquidationEnded(_)
            | BookFact::QuotaSet(_)
            | BookFact::CountdownSet(_)
            | BookFact::FundingSet(_)
            | BookFact::ResultsSettled(_) => Ok(()),
        }
    }

    /// Open orders and positions.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        open.extend(self.open.iter().map(|(id, StoredLegOrder { order, .. })| {
            let (side, contract) = (format!("{:?}", order.side), order.units.contract);
            let (price, amount) = (order.units.price(order.ticks), order.units.base(order.open));
            let object = json!({ "order": id.0, "contract": contract.0, "side": side, "price": price.to_string(),
                "open": amount.to_string(), "created": render::time(order.created) });
            (format!("open order {id}: {side} {amount} at {price} on contract {contract}"), object)
        }));
        let legs = self.legs.values().filter(|row| !row.is_closed());
        open.extend(legs.map(|StoredLeg { units, side, leg, .. }| {
            let (contract, direction) = (units.contract, format!("{:?}", leg.direction));
            let base = units.base(leg.lots);
            let object = json!({ "contract": contract.0, "leg": format!("{side:?}"), "direction": direction,
                "base": base.to_string(), "cost": leg.cost.to_string(), "margin": leg.margin.to_string(),
                "multiple": leg.multiple });
            (
                format!(
                    "position of {base} {direction} on contract {contract}, cost {}, margin {}",
                    leg.cost, leg.margin
                ),
                object,
            )
        }));
    }

    fn placed(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &ContractOrderPlaced,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        self.take((lsn, time), f, rows)?;
        let taker = f.order.account;
        if !self.whose.wants(taker) || taker.is_desk() {
            return Ok(());
        }
        let stored = StoredLegOrder { account: taker, order: placed_order(f, time) };
        if f.status.is_open() {
            self.open.insert(f.order.order, stored);
        }
        rows.orders.add(&stored)
    }

    /// What an order that came in did to others.
    fn take(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &ContractOrderPlaced,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let taker = f.order.account;
        let (first, taken, index) = (f.first_trade, (taker, f.order.order), f.index);
        self.traded((lsn, time), &Traded { units: &f.units, first, trades: &f.trades, taken, index }, rows)?;
        f.cuts.iter().try_for_each(|cut| self.cut((lsn, time), cut, rows))
    }

    /// Orders that wait for a price, and wait no more.
    fn conditionals(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &ConditionalsChanged,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        if let Some(w) = &f.waits
            && self.whose.wants(f.account)
        {
            let stored = StoredLegOrder { account: f.account, order: waiting_order(w, &f.units, time) };
            self.open.insert(w.order, stored);
            rows.orders.add(&stored)?;
        }
        f.placed.iter().try_for_each(|placed| self.take((lsn, time), placed, rows))?;
        f.gone.iter().try_for_each(|gone| {
            self.change(lsn, (gone.order, f.account), rows, |order| match &f.placed {
                Some(placed) => {
                    let now = placed_order(placed, time);
                    *order = LegOrder { condition: order.condition, created: order.created, ..now };
                }
                None => {
                    let refused = f.refused.is_some();
                    (order.open, order.updated, order.reason) = (Lots::ZERO, time, f.reason);
                    order.status = if refused { OrderStatus::Expired } else { OrderStatus::Canceled };
                }
            })
        })
    }

    fn traded(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        t: &Traded<'_>,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        for (number, trade) in (0..).zip(t.trades) {
            let value = t.units.value(trade.ticks, trade.lots);
            let sides = [
                (trade.maker, trade.maker_order, &trade.maker_effect, true),
                (t.taken.0, t.taken.1, &trade.taker_effect, false),
            ];
            for (account, order, effect, maker) in sides {
                if !self.whose.wants(account) {
                    continue;
                }
                let fill = LegFill {
                    trade: t.first.plus(number),
                    order,
                    units: *t.units,
                    side: if effect.direction == Direction::Long { Side::Buy } else { Side::Sell },
                    leg: effect.leg,
                    ticks: trade.ticks,
                    lots: trade.lots,
                    result: effect.result,
                    fee: effect.fee,
                    maker,
                    time,
                };
                rows.fills.add(&StoredLegFill { account, fill })?;
                let touched = Touched { account, units: t.units, side: effect.leg };
                self.touch(time, &touched, rows, |leg| meet(leg, effect, t.index))?;
            }
            self.change(lsn, (trade.maker_order, trade.maker), rows, |order| {
                (order.filled, order.open) = (order.filled + trade.lots, order.open - trade.lots);
                (order.spent, order.updated) = (order.spent + value, time);
                order.status = if order.open.is_zero() { OrderStatus::Filled } else { OrderStatus::Partial };
            })?;
        }
        Ok(())
    }

    fn liquidated(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &LegLiquidated,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let (first, taken, index) = (f.first_trade, (f.account, f.order), f.index);
        self.traded((lsn, time), &Traded { units: &f.units, first, trades: &f.trades, taken, index }, rows)?;
        let mut made = vec![forced_order(f, time)];
        if let Some(deleverage) = &f.deleverage {
            let others = deleverage.legs.iter().map(|leg| (leg.account, &leg.effect));
            let parties = std::iter::once((f.account, &deleverage.owner)).chain(others);
            for (n, (account, effect)) in (0..).zip(parties) {
                if !self.whose.wants(account) {
                    continue;
                }
                let touched = Touched { account, units: &f.units, side: effect.leg };
                self.touch(time, &touched, rows, |leg| meet(leg, effect, f.index))?;
                // Records of older releases gave no ids.
                if f.order == OrderId(0) {
                    continue;
                }
                let fill = deleveraged_fill(f, (n, deleverage.ticks), effect, time);
                rows.fills.add(&StoredLegFill { account, fill })?;
                if n > 0 {
                    made.push(deleveraged_order(account, &fill));
                }
            }
        }
        for stored in made.iter().filter(|made| made.order.order != OrderId(0) && !made.order.filled.is_zero()) {
            if self.whose.wants(stored.account) && !stored.account.is_desk() {
                rows.orders.add(stored)?;
            }
        }
        f.cuts.iter().try_for_each(|cut| self.cut((lsn, time), cut, rows))
    }

    fn cut(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        cut: &OrderCut,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        self.change(lsn, (cut.order, cut.account), rows, |order| {
            (order.open, order.updated) = (order.open - cut.lots, time);
            match (cut.gone, cut.reason) {
                (false, _) => order.lots -= cut.lots,
                (true, CutReason::SelfTrade) => {
                    (order.status, order.reason) = (OrderStatus::ExpiredInMatch, EndReason::SelfTrade);
                }
                (true, CutReason::LegShrank | CutReason::Unpaid) => {
                    (order.status, order.reason) = (OrderStatus::Expired, EndReason::Refused);
                }
            }
        })
    }

    fn change(
        &mut self,
        lsn: Lsn,
        (id, owner): (OrderId, AccountId),
        rows: &mut Tables<impl Tool>,
        change: impl FnOnce(&mut LegOrder),
    ) -> Result<(), ToolError> {
        if !self.whose.wants(owner) || owner.is_desk() {
            return Ok(());
        }
        let Some(mut stored) = self.open.remove(&id) else {
            return Err(ToolError::Found(format!("record {lsn} changes order {id} of a contract, which is not open")));
        };
        let before = stored;
        change(&mut stored.order);
        if stored.order.status.is_open() {
            self.open.insert(id, stored);
        }
        rows.orders.take(Some(&before), &stored)
    }

    fn touch(
        &mut self,
        time: TimeNs,
        &Touched { account, units, side }: &Touched<'_>,
        rows: &mut Tables<impl Tool>,
        change: impl FnOnce(&mut Leg),
    ) -> Result<(), ToolError> {
        if !self.whose.wants(account) {
            return Ok(());
        }
        let key = (account, units.contract, side);
        let before = self.legs.get(&key).copied();
        let mut leg = before.map_or(closed(), |row| row.leg);
        change(&mut leg);
        if leg.lots.is_zero() {
            leg = closed();
        }
        let row = StoredLeg { account, units: *units, side, leg, updated: time };
        self.legs.insert(key, row);
        rows.legs.take(before.as_ref(), &row)
    }
}

/// What is left of a closed position.
fn closed() -> Leg {
    let (lots, none, multiple) = (Lots::ZERO, Amount::ZERO, 1);
    let (direction, mode) = (Direction::Long, MarginMode::Isolated);
    Leg { direction, lots, cost: none, mode, margin: none, multiple, funding_index: none }
}

/// What a fill does to a position.
fn meet(leg: &mut Leg, e: &Effect, index: Amount) {
    let stays = leg.lots - e.closed;
    if stays.is_zero() {
        (leg.direction, leg.mode, leg.multiple) = (e.direction, e.mode, e.multiple);
    }
    leg.lots = stays + e.opened;
    leg.cost = leg.cost - e.released + e.cost;
    leg.margin += e.margin;
    leg.funding_index = index;
}

/// The order that came in, after its own trades.
fn placed_order(f: &ContractOrderPlaced, time: TimeNs) -> LegOrder {
    let (mut filled, mut spent) = (Lots::ZERO, Amount::ZERO);
    for trade in &f.trades {
        filled += trade.lots;
        spent += f.units.value(trade.ticks, trade.lots);
    }
    LegOrder {
        order: f.order.order,
        units: f.units,
        side: f.order.side,
        leg: f.order.leg,
        kind: f.kind,
        tif: f.tif,
        stp: f.stp,
        ticks: f.order.ticks,
        lots: f.lots,
        open: f.order.open,
        filled,
        spent,
        reduce_only: f.reduce_only,
        status: f.status,
        reason: f.reason,
        condition: None,
        client_id: f.client_id,
        created: time,
        updated: time,
    }
}

/// A fill of a deleveraging, n-th behind the trades of the book.
fn deleveraged_fill(f: &LegLiquidated, (n, ticks): (u64, Ticks), effect: &Effect, time: TimeNs) -> LegFill {
    LegFill {
        trade: f.first_trade.plus(f.trades.len() as u64 + n),
        order: f.order.plus(n),
        units: f.units,
        side: if effect.direction == Direction::Long { Side::Buy } else { Side::Sell },
        leg: effect.leg,
        ticks,
        lots: effect.closed,
        result: effect.result,
        fee: effect.fee,
        maker: false,
        time,
    }
}

/// An order that the exchange made, filled so far.
fn made_order(fill: &LegFill, reason: EndReason, name: &str) -> LegOrder {
    LegOrder {
        order: fill.order,
        units: fill.units,
        side: fill.side,
        leg: fill.leg,
        kind: OrderKind::Limit,
        tif: Tif::Ioc,
        stp: Stp::ExpireMaker,
        ticks: fill.ticks,
        lots: fill.lots,
        open: Lots::ZERO,
        filled: fill.lots,
        spent: fill.units.value(fill.ticks, fill.lots),
        reduce_only: true,
        status: OrderStatus::Filled,
        reason,
        condition: None,
        client_id: ClientOrderId::parse(name),
        created: fill.time,
        updated: fill.time,
    }
}

fn deleveraged_order(account: AccountId, fill: &LegFill) -> StoredLegOrder {
    StoredLegOrder { account, order: made_order(fill, EndReason::Deleveraging, "adl_autoclose") }
}

/// The order of a step of a liquidation.
fn forced_order(f: &LegLiquidated, time: TimeNs) -> StoredLegOrder {
    let book = f.trades.iter().map(|t| (t.ticks, t.lots, t.taker_effect.direction));
    let rest = f.deleverage.iter().map(|d| (d.ticks, d.owner.closed, d.owner.direction));
    let (mut filled, mut spent, mut side) = (Lots::ZERO, Amount::ZERO, Side::Buy);
    for (ticks, lots, direction) in book.chain(rest) {
        filled += lots;
        spent += f.units.value(ticks, lots);
        side = if direction == Direction::Long { Side::Buy } else { Side::Sell };
    }
    let fill = LegFill {
        trade: f.first_trade,
        order: f.order,
        units: f.units,
        side,
        leg: f.leg,
        ticks: f.worst,
        lots: f.lots,
        result: Amount::ZERO,
        fee: Amount::ZERO,
        maker: false,
        time,
    };
    let made = made_order(&fill, EndReason::Liquidation, &format!("autoclose-{}", f.order.0));
    let status = if filled == f.lots { OrderStatus::Filled } else { OrderStatus::Expired };
    StoredLegOrder { account: f.account, order: LegOrder { filled, spent, status, ..made } }
}

/// An order that waits from now on.
fn waiting_order(w: &WaitingBookOrder, units: &BookUnits, time: TimeNs) -> LegOrder {
    LegOrder {
        order: w.order,
        units: *units,
        side: w.side,
        leg: w.leg,
        kind: w.kind,
        tif: w.tif,
        stp: w.stp,
        ticks: w.ticks,
        lots: w.lots,
        open: w.lots,
        filled: Lots::ZERO,
        spent: Amount::ZERO,
        reduce_only: w.reduce_only,
        status: OrderStatus::Waiting,
        reason: EndReason::None,
        condition: Some(w.condition),
        client_id: w.client_id,
        created: time,
        updated: time,
    }
}
