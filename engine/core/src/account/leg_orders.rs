//! Orders of contracts' books and their fills as their owner sees them, and what facts do to them, in one place for whoever
//! keeps them.
//!
//! Owns: for each role of a fact, the orders that it creates, changes and ends, with their fills. Never does: keep an order;
//! look at balances. Invariants: an order is told in its state after the step; a fill of an order comes before the change.
//! Known limits: of an order that an account keeps, time in force and what was exchanged before are not known
//! ([`LegOrder::from_own`]).

use super::OrderChange;
use super::contract::conditionals::OwnConditional;
use super::contract::legs::OwnOrder;
use crate::contract::book::conditional_facts::ConditionalsChanged;
use crate::contract::book::effect::Effect;
use crate::contract::book::facts::{BookFact, BookTrade, ContractOrderPlaced, CutReason, OrderCut};
use crate::contract::book::liquidation_facts::LegLiquidated;
use crate::contract::book::order::{BookUnits, LegSide};
use crate::contract::book::waiting::{Condition, WaitingBookOrder};
use crate::entity::TimeNs;
use crate::ids::{AccountId, ClientOrderId, OrderId, TradeId};
use crate::market::{EndReason, OrderKind, OrderStatus, Side, Stp, Tif};
use crate::money::{Amount, Lots, Ticks};
use crate::record::{Fact, Record, Role};

/// An order of a contract's book as its owner sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegOrder {
    /// Its id.
    pub order: OrderId,
    /// Meaning of its numbers.
    pub units: BookUnits,
    /// Its side.
    pub side: Side,
    /// Which position it is about.
    pub leg: LegSide,
    /// Limit or market.
    pub kind: OrderKind,
    /// How long it lives.
    pub tif: Tif,
    /// What happens when it meets its owner's own order.
    pub stp: Stp,
    /// Limit price; 0 for market orders.
    pub ticks: Ticks,
    /// Its whole quantity.
    pub lots: Lots,
    /// What rests.
    pub open: Lots,
    /// What was filled.
    pub filled: Lots,
    /// What was exchanged.
    pub spent: Amount,
    /// It only closes.
    pub reduce_only: bool,
    /// Its state.
    pub status: OrderStatus,
    /// Why it or its remainder is gone.
    pub reason: EndReason,
    /// What it waits for, or waited for.
    pub condition: Option<Condition>,
    /// The bot's own name for it.
    pub client_id: Option<ClientOrderId>,
    /// When it was taken.
    pub created: TimeNs,
    /// When it last changed.
    pub updated: TimeNs,
}

/// One side of a trade of a contract's book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegFill {
    /// The trade.
    pub trade: TradeId,
    /// The order that was filled.
    pub order: OrderId,
    /// Meaning of the numbers.
    pub units: BookUnits,
    /// The order's side.
    pub side: Side,
    /// Which position it changed.
    pub leg: LegSide,
    /// Price.
    pub ticks: Ticks,
    /// Quantity.
    pub lots: Lots,
    /// What closing gained.
    pub result: Amount,
    /// Fee.
    pub fee: Amount,
    /// The order rested.
    pub maker: bool,
    /// When.
    pub time: TimeNs,
}

/// What names of liquidations' orders begin with.
pub const LIQUIDATION_NAME: &str = "autoclose-";
/// What orders are called that closed a position because an opposite one was liquidated.
pub const DELEVERAGING_NAME: &str = "adl_autoclose";

/// Whoever keeps orders of contracts' books.
pub trait LegOrderKeeper {
    /// An order was taken. It may be done already.
    fn insert(&mut self, account: AccountId, order: LegOrder);

    /// An order that is open changed; it is done when its status says so afterwards.
    fn change(&mut self, account: AccountId, what: OrderChange, order: OrderId, change: impl FnOnce(&mut LegOrder));

    /// One side of a trade.
    fn fill(&mut self, account: AccountId, fill: LegFill);
}

impl LegOrder {
    /// The order that a fact took, after the fact's own trades.
    #[must_use]
    pub fn from_placed(f: &ContractOrderPlaced, time: TimeNs) -> LegOrder {
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
            filled: f.filled(),
            spent: f.spent(),
            reduce_only: f.reduce_only,
            status: f.status,
            reason: f.reason,
            condition: None,
            client_id: f.client_id,
            created: time,
            updated: time,
        }
    }

    /// An open order as its owner's account keeps it, as if it had been filled at its own price and until cancelled.
    #[must_use]
    pub fn from_own(own: &OwnOrder) -> LegOrder {
        let rests = &own.rests;
        LegOrder {
            order: rests.order,
            units: own.units,
            side: rests.side,
            leg: rests.leg,
            kind: OrderKind::Limit,
            tif: Tif::Gtc,
            stp: Stp::ExpireTaker,
            ticks: rests.ticks,
            lots: own.lots,
            open: rests.open,
            filled: own.filled,
            spent: own.units.value(rests.ticks, own.filled),
            reduce_only: own.reduce_only,
            status: if own.filled.is_zero() { OrderStatus::Open } else { OrderStatus::Partial },
            reason: EndReason::None,
            condition: None,
            client_id: own.client_id,
            created: own.created,
            updated: own.created,
        }
    }

    /// An order that waits for a price since this time.
    #[must_use]
    pub fn from_waiting(w: &WaitingBookOrder, units: &BookUnits, created: TimeNs) -> LegOrder {
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
            created,
            updated: created,
        }
    }

    /// An order that waits, as its owner's account keeps it.
    #[must_use]
    pub fn from_conditional(own: &OwnConditional) -> LegOrder {
        LegOrder::from_waiting(&own.waits, &own.units, own.created)
    }

    /// The order of a step of a liquidation, which the book or the opposite positions have filled; none of one that only cut
    /// other orders.
    #[must_use]
    pub fn from_liquidation(f: &LegLiquidated, time: TimeNs) -> Option<LegOrder> {
        let last = f.deleverage.as_ref();
        let direction = f.trades.first().map(|t| t.taker_effect.direction).or(last.map(|d| d.owner.direction))?;
        let part = |ticks: Ticks, lots: Lots| (lots, f.units.value(ticks, lots));
        let parts = f.trades.iter().map(|t| part(t.ticks, t.lots)).chain(last.map(|d| part(d.ticks, d.owner.closed)));
        let (filled, spent) = parts.fold((Lots::ZERO, Amount::ZERO), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        let is_whole = filled == f.lots;
        Some(LegOrder {
            order: f.order,
            units: f.units,
            side: direction.opening_side(),
            leg: f.leg,
            kind: OrderKind::Limit,
            tif: Tif::Ioc,
            stp: Stp::ExpireMaker,
            ticks: f.worst,
            lots: f.lots,
            open: Lots::ZERO,
            filled,
            spent,
            reduce_only: true,
            status: if is_whole { OrderStatus::Filled } else { OrderStatus::Expired },
            reason: EndReason::Liquidation,
            condition: None,
            client_id: ClientOrderId::parse(&format!("{LIQUIDATION_NAME}{}", f.order)),
            created: time,
            updated: time,
        })
    }

    /// The order that closed a position because an opposite one was liquidated.
    fn from_deleveraging(fill: &LegFill) -> LegOrder {
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
            reason: EndReason::Deleveraging,
            condition: None,
            client_id: ClientOrderId::parse(DELEVERAGING_NAME),
            created: fill.time,
            updated: fill.time,
        }
    }

    /// The exchange made it, to liquidate its owner or somebody opposite.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        matches!(self.reason, EndReason::Liquidation | EndReason::Deleveraging)
    }

    /// Its price came: this became of it.
    fn fired_as(&mut self, f: &ContractOrderPlaced, time: TimeNs) {
        let (condition, created) = (self.condition, self.created);
        *self = LegOrder { condition, created, ..LegOrder::from_placed(f, time) };
    }

    /// It waits no more.
    fn given_up(&mut self, f: &ConditionalsChanged, time: TimeNs) {
        self.open = Lots::ZERO;
        self.status = if f.refused.is_some() { OrderStatus::Expired } else { OrderStatus::Canceled };
        (self.reason, self.updated) = (f.reason, time);
    }

    fn filled_by(&mut self, trade: &BookTrade, time: TimeNs) {
        self.filled += trade.lots;
        self.open -= trade.lots;
        self.spent += self.units.value(trade.ticks, trade.lots);
        self.status = if self.open.is_zero() { OrderStatus::Filled } else { OrderStatus::Partial };
        self.updated = time;
    }

    fn cut(&mut self, cut: &OrderCut, time: TimeNs) {
        self.open -= cut.lots;
        self.updated = time;
        if !cut.gone {
            self.lots -= cut.lots;
            return;
        }
        (self.status, self.reason) = match cut.reason {
            CutReason::SelfTrade => (OrderStatus::ExpiredInMatch, EndReason::SelfTrade),
            CutReason::LegShrank | CutReason::Unpaid => (OrderStatus::Expired, EndReason::Refused),
        };
    }

    fn cancel(&mut self, time: TimeNs) {
        self.open = Lots::ZERO;
        (self.status, self.reason, self.updated) = (OrderStatus::Canceled, EndReason::User, time);
    }
}

fn fill_of(f: &ContractOrderPlaced, at: usize, maker: bool, effect: &Effect, time: TimeNs) -> LegFill {
    let trade = &f.trades[at];
    let (order, side) =
        if maker { (trade.maker_order, f.order.side.opposite()) } else { (f.order.order, f.order.side) };
    LegFill {
        trade: f.first_trade.plus(at as u64),
        order,
        units: f.units,
        side,
        leg: effect.leg,
        ticks: trade.ticks,
        lots: trade.lots,
        result: effect.result,
        fee: effect.fee,
        maker,
        time,
    }
}

/// A trade of a liquidation.
fn liquidated_fill(f: &LegLiquidated, at: usize, maker: bool, time: TimeNs) -> LegFill {
    let trade = &f.trades[at];
    let (order, effect) = match maker {
        true => (trade.maker_order, &trade.maker_effect),
        false => (f.order, &trade.taker_effect),
    };
    LegFill {
        trade: f.first_trade.plus(at as u64),
        order,
        units: f.units,
        side: effect.direction.opening_side(),
        leg: effect.leg,
        ticks: trade.ticks,
        lots: trade.lots,
        result: effect.result,
        fee: effect.fee,
        maker,
        time,
    }
}

/// What closed a position at the price of a deleveraging; its trade is so far behind those of the book.
fn deleveraged_fill(f: &LegLiquidated, (order, behind): (OrderId, u64), effect: &Effect, time: TimeNs) -> LegFill {
    LegFill {
        trade: f.first_trade.plus(f.trades.len() as u64 + behind),
        order,
        units: f.units,
        side: effect.direction.opening_side(),
        leg: effect.leg,
        ticks: f.deleverage.as_ref().map_or(Ticks::ZERO, |deleverage| deleverage.ticks),
        lots: effect.closed,
        result: effect.result,
        fee: effect.fee,
        maker: false,
        time,
    }
}

/// What a step of a liquidation does to its owner.
fn liquidated(f: &LegLiquidated, (account, keeps): (AccountId, bool), time: TimeNs, keeper: &mut impl LegOrderKeeper) {
    for at in 0..f.trades.len() {
        keeper.fill(account, liquidated_fill(f, at, false, time));
    }
    let has_order = f.order != OrderId(0);
    if let Some(deleverage) = f.deleverage.as_ref().filter(|_| has_order) {
        keeper.fill(account, deleveraged_fill(f, (f.order, 0), &deleverage.owner, time));
    }
    if let Some(order) = LegOrder::from_liquidation(f, time).filter(|_| keeps && has_order) {
        keeper.insert(account, order);
    }
}

/// What a step of a liquidation does to a position opposite to it.
fn deleveraged(
    f: &LegLiquidated,
    (account, behind): (AccountId, u64),
    effect: &Effect,
    time: TimeNs,
    keeper: &mut impl LegOrderKeeper,
) {
    if f.order == OrderId(0) {
        return;
    }
    let id = f.order.plus(behind);
    let fill = deleveraged_fill(f, (id, behind), effect, time);
    keeper.fill(account, fill);
    if !account.is_desk() {
        keeper.insert(account, LegOrder::from_deleveraging(&fill));
    }
}

fn change_of(cut: &OrderCut) -> OrderChange {
    match (cut.reason, cut.gone) {
        (CutReason::SelfTrade, _) => OrderChange::Prevented,
        (CutReason::LegShrank | CutReason::Unpaid, true) => OrderChange::Gone,
        (CutReason::LegShrank | CutReason::Unpaid, false) => OrderChange::Amended,
    }
}

fn take(f: &ContractOrderPlaced, account: AccountId, time: TimeNs, keeper: &mut impl LegOrderKeeper) {
    for (at, trade) in f.trades.iter().enumerate() {
        keeper.fill(account, fill_of(f, at, false, &trade.taker_effect, time));
    }
}

/// What an order that came in does to those that rested.
fn met(f: &ContractOrderPlaced, (account, role): (AccountId, Role), time: TimeNs, keeper: &mut impl LegOrderKeeper) {
    let keeps = !account.is_desk();
    match role {
        Role::Maker(i) => {
            let trade = &f.trades[i as usize];
            keeper.fill(account, fill_of(f, i as usize, true, &trade.maker_effect, time));
            if keeps {
                keeper.change(account, OrderChange::Filled, trade.maker_order, |order| order.filled_by(trade, time));
            }
        }
        Role::Item(i) if keeps => {
            let cut = &f.cuts[i as usize];
            keeper.change(account, change_of(cut), cut.order, |order| order.cut(cut, time));
        }
        Role::Item(_) | Role::Decider | Role::Taker | Role::Fees | Role::Insurance | Role::Other => {}
    }
}

fn conditionals(f: &ConditionalsChanged, account: AccountId, time: TimeNs, keeper: &mut impl LegOrderKeeper) {
    f.waits.iter().for_each(|w| keeper.insert(account, LegOrder::from_waiting(w, &f.units, time)));
    for gone in &f.gone {
        match &f.placed {
            Some(placed) => {
                take(placed, account, time, keeper);
                keeper.change(account, OrderChange::Triggered, gone.order, |order| order.fired_as(placed, time));
            }
            None => keeper.change(account, OrderChange::Gone, gone.order, |order| order.given_up(f, time)),
        }
    }
}

/// Tells `keeper` what a record does to the orders in contracts' books of the account that it names as `role`.
pub fn each_leg_order_effect(record: &Record, account: AccountId, role: Role, keeper: &mut impl LegOrderKeeper) {
    let (Fact::Book(fact), time) = (&record.fact, record.time) else { return };
    // Of the house's own quotes only what others took is told.
    let keeps = !account.is_desk();
    match (fact, role) {
        (BookFact::ContractOrderPlaced(f), Role::Taker) => {
            take(f, account, time, keeper);
            if keeps {
                keeper.insert(account, LegOrder::from_placed(f, time));
            }
        }
        (BookFact::ConditionalsChanged(f), Role::Taker) => conditionals(f, account, time, keeper),
        (BookFact::ContractOrderPlaced(_) | BookFact::ConditionalsChanged(_), Role::Maker(_) | Role::Item(_)) => {
            fact.placed().into_iter().for_each(|f| met(f, (account, role), time, keeper));
        }
        (BookFact::LegLiquidated(f), Role::Taker) => liquidated(f, (account, keeps), time, keeper),
        (BookFact::LegLiquidated(f), Role::Maker(i)) => {
            let trade = &f.trades[i as usize];
            keeper.fill(account, liquidated_fill(f, i as usize, true, time));
            if keeps {
                keeper.change(account, OrderChange::Filled, trade.maker_order, |order| order.filled_by(trade, time));
            }
        }
        (BookFact::LegLiquidated(f), Role::Item(i)) => match f.item(i) {
            Ok(cut) if keeps => {
                keeper.change(account, change_of(cut), cut.order, |order| order.cut(cut, time));
            }
            Ok(_) => {}
            // Items name cuts first; ids count from the first position behind them, the owner's own before it.
            Err(leg) => {
                let behind = u64::from(i) - f.cuts.len() as u64 + 1;
                deleveraged(f, (account, behind), &leg.effect, time, keeper);
            }
        },
        (BookFact::ContractOrdersCanceled(f), Role::Taker) if keeps => {
            for gone in &f.orders {
                keeper.change(account, OrderChange::Gone, gone.order, |order| order.cancel(time));
            }
        }
        (BookFact::ContractOrderAmended(f), Role::Taker) => {
            keeper.change(account, OrderChange::Amended, f.cut.order, |order| order.cut(&f.cut, time));
        }
        // The exchange's own accounts have no orders, and other facts change none.
        _ => {}
    }
}
