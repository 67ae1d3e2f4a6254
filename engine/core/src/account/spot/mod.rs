//! What an account does about spot orders: it checks and holds, the market decides.
//!
//! Owns: [`SpotCommand`] and its decisions. Never does: match, change anything.
//! Rules: `docs/rules/spot.md "Locks"`; `docs/architecture.md "An order step by step"`.
//! Invariants: what an order may cost at most is held before the market is asked. Known limits: one market a
//! command, cancels of everything aside.

pub(super) mod apply;

use super::locks::LockKind;
use super::open_orders::name_hash;
use super::{Account, OpenList, Order};
use crate::board::Board;
use crate::entity::{Accepted, Ask, Command, CommandClass, Decision, HoldRequest, Reply, ReservedNames, TimeNs};
use crate::ids::{AssetId, ClientOrderId, EntityId, MARKET_SPAN, MarketId, OrderId, Wallet};
use crate::money::{Amount, Lots, MAX_AMOUNT};
use crate::region::Products;
use crate::reject::Reject;
use crate::spot::{MarketCommand, NewOrder, OrderGroup, OrderStatus, QuoteLevel, pending};

/// Lists of different markets take turns by the second.
const SECOND: TimeNs = 1_000_000_000;

/// How a caller names an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderName {
    /// By the exchange's id.
    Id(OrderId),
    /// By the client order id of an open order.
    Client(ClientOrderId),
}

/// What an account can be asked about spot orders.
#[derive(Debug, Clone)]
pub enum SpotCommand {
    /// Place an order.
    Place(NewOrder),
    /// Cancel an order.
    Cancel(OrderName),
    /// Cancel all open orders of one market.
    CancelAll(MarketId),
    /// Place what is more than a plain order, in the place of an open one if that is wanted.
    PlaceGroup(Box<OrderGroup>),
    /// Make an order smaller, in its place.
    Amend {
        /// Which.
        order: OrderName,
        /// Its whole quantity from now on.
        lots: Lots,
        /// Its name from now on.
        client_id: Option<ClientOrderId>,
    },
    /// Hold what the pending orders of a list need and have them placed. Their market asks for it.
    Activate {
        /// The list.
        list: OrderId,
        /// What they need.
        need: Amount,
    },
    /// Set the house's ladder (the house's account only).
    Quote {
        /// Where.
        market: MarketId,
        /// All its levels.
        levels: Vec<QuoteLevel>,
        /// What the levels lock at most, the ones that stand included: base and quote.
        hold: [(AssetId, Amount); 2],
        /// Version of the parameters that were used.
        version: u32,
    },
}

impl SpotCommand {
    pub(super) fn class(&self) -> CommandClass {
        match self {
            SpotCommand::Cancel(_) | SpotCommand::CancelAll(_) | SpotCommand::Activate { .. } => CommandClass::Releases,
            SpotCommand::Place(_)
            | SpotCommand::PlaceGroup(_)
            | SpotCommand::Amend { .. }
            | SpotCommand::Quote { .. } => CommandClass::Consumes,
        }
    }
}

impl Account {
    pub(super) fn decide_spot(&self, command: &SpotCommand, board: &Board) -> Result<Decision, Reject> {
        match command {
            SpotCommand::Place(order) => self.place(order),
            SpotCommand::Cancel(name) => self.cancel(*name),
            SpotCommand::CancelAll(market) => Ok(self.cancel_all(*market)),
            SpotCommand::PlaceGroup(group) => self.place_group(group),
            SpotCommand::Amend { order, lots, client_id } => self.amend(*order, *lots, *client_id),
            SpotCommand::Activate { list, need } => self.activate(*list, *need, board),
            SpotCommand::Quote { market, levels, hold, version } => self.quote(*market, levels, *hold, *version),
        }
    }

    fn place(&self, order: &NewOrder) -> Result<Decision, Reject> {
        self.may_act()?;
        if self.house {
            return Err(Reject::NotAllowed);
        }
        self.check_name(order.client_id, None)?;
        if !order.terms.amount.is_positive() || order.terms.amount > MAX_AMOUNT {
            return Err(Reject::BadAmount);
        }
        let free = self.free(Wallet::Spot, order.terms.asset);
        let amount = if order.terms.capped { order.terms.amount.min(free) } else { order.terms.amount };
        if amount > free || !amount.is_positive() {
            return Err(Reject::InsufficientBalance);
        }
        let (on_way, _) = self.on_way(order.market);
        Ok(Decision::Ask(Box::new(Ask {
            command: Command::Market(
                order.market,
                MarketCommand::Submit {
                    order: *order,
                    account: self.id,
                    level: self.level,
                    held: amount,
                    open: self.orders.count_on(order.market) as u32 + on_way,
                },
            ),
            hold: Some(HoldRequest {
                entries: 1,
                ..self.hold(order.market, order.terms.asset, amount).naming([name_hash(order.client_id)])
            }),
        })))
    }

    fn hold(&self, market: MarketId, asset: AssetId, amount: Amount) -> HoldRequest {
        HoldRequest::of(EntityId::Market(market), Wallet::Spot, asset, amount)
    }

    /// Orders that a market has been asked for and not answered yet, and how many of them may wait for a price.
    fn on_way(&self, market: MarketId) -> (u32, u32) {
        let asked = self.held_parts().filter(|h| h.decider == EntityId::Market(market));
        asked.fold((0, 0), |(orders, waiting), h| (orders + u32::from(h.entries), waiting + u32::from(h.waiting)))
    }

    /// Refuses a name that an open order, or one on its way, has; that of an order which leaves is free.
    fn check_name(&self, name: Option<ClientOrderId>, leaves: Option<OrderId>) -> Result<(), Reject> {
        let Some(name) = name else { return Ok(()) };
        let hash = name_hash(Some(name));
        let open = self.orders.named(name).is_some_and(|open| Some(open.order) != leaves);
        if open || self.held_parts().any(|h| h.names.contains(hash)) {
            return Err(Reject::DuplicateClientOrderId);
        }
        Ok(())
    }

    /// The open order of this name. Whether one that is not open is done or never was, the histories know.
    fn open_named(&self, name: OrderName) -> Result<&Order, Reject> {
        let open = match name {
            OrderName::Id(id) => self.orders.get(id),
            OrderName::Client(client) => self.orders.named(client),
        };
        open.ok_or(Reject::UnknownOrder)
    }

    fn cancel(&self, name: OrderName) -> Result<Decision, Reject> {
        let open = self.open_named(name)?;
        Ok(self.ask_cancel(open.units.market, vec![open.order]))
    }

    fn place_group(&self, a: &OrderGroup) -> Result<Decision, Reject> {
        self.may_act()?;
        if self.house {
            return Err(Reject::NotAllowed);
        }
        let legs = a.legs.iter().chain(&a.pending);
        let names: Vec<Option<ClientOrderId>> = legs.clone().map(|leg| leg.order.client_id).chain([a.list]).collect();
        let leaves = a.replaces.map(|replaced| replaced.order);
        for (at, name) in names.iter().enumerate() {
            self.check_name(*name, leaves)?;
            let is_open = |id: &OrderId| self.orders.get(*id).is_some() && Some(*id) != leaves;
            let other_list = |l: &OpenList| l.list.client_id == *name && l.list.orders.iter().any(is_open);
            if name.is_some() && (names[..at].contains(name) || self.cold().lists.iter().any(other_list)) {
                return Err(Reject::DuplicateClientOrderId);
            }
        }
        if a.legs.len() > 2 || a.pending.len() > pending::MOST || names.len() > ReservedNames::MOST {
            return Err(Reject::BadLegs);
        }
        if a.terms.amount > MAX_AMOUNT || !a.terms.amount.is_positive() {
            return Err(Reject::BadAmount);
        }
        // What leaves frees its lock for what comes.
        let leaving = leaves.and_then(|id| self.orders.get(id)).filter(|open| open.order.market() == a.market);
        let with_list = |o: &&Order| leaving.is_some_and(|l| o.order == l.order || (l.list.0 > 0 && o.list == l.list));
        let going: Vec<&Order> = self.orders.values().filter(with_list).collect();
        let locks = going.iter().map(|o| o.locks()).filter(|(asset, _)| *asset == a.terms.asset);
        let freed: Amount = locks.map(|(_, amount)| amount).sum();
        let (free, missing) = (self.free(Wallet::Spot, a.terms.asset), (a.terms.amount - freed).max(Amount::ZERO));
        let held = if a.terms.capped { missing.min(free) } else { missing };
        if held > free || !(held + freed).is_positive() {
            return Err(Reject::InsufficientBalance);
        }
        let (orders_on_way, waiting_on_way) = self.on_way(a.market);
        let will_wait = |o: &&Order| o.status == OrderStatus::Pending && o.trigger.is_some();
        let waits = |o: &&Order| o.status == OrderStatus::Waiting || will_wait(o);
        let waiting = |o: &&Order| o.order.market() == a.market && waits(o);
        let command = MarketCommand::PlaceGroup {
            group: Box::new(a.clone()),
            account: self.id,
            level: self.level,
            held,
            open: self.orders.count_on(a.market) as u32 + orders_on_way,
            waiting: self.orders.values().filter(waiting).count() as u32 + waiting_on_way,
        };
        let hold = HoldRequest {
            entries: legs.clone().count() as u8,
            waiting: legs.filter(|leg| leg.trigger.is_some()).count() as u8,
            ..self.hold(a.market, a.terms.asset, held).naming(names.iter().map(|name| name_hash(*name)))
        };
        Ok(Decision::Ask(Box::new(Ask { command: Command::Market(a.market, command), hold: Some(hold) })))
    }

    /// The pending orders of a list.
    pub(super) fn pending_in(&self, list: OrderId) -> impl Iterator<Item = &Order> {
        // Their ids follow that of the first.
        let ids = (1..=pending::MOST as u64).map(move |n| OrderId(list.0 + n * MARKET_SPAN));
        ids.filter_map(|id| self.orders.get(id)).filter(move |o| o.list == list && o.status == OrderStatus::Pending)
    }

    /// Asks what pending orders need whose turn has come, of one market a second the oldest list. Holds nothing yet: the
    /// market may be closed.
    pub(super) fn due(&self, now: TimeNs) -> Option<Decision> {
        // Of each market the oldest, by turns: one that is closed keeps the others waiting for seconds, not for ever.
        let due = &self.cold().due;
        let is_first = |at: &usize| due[..*at].iter().all(|before| before.market() != due[*at].market());
        let firsts: Vec<OrderId> = (0..due.len()).filter(is_first).map(|at| due[at]).collect();
        let turn = (now / SECOND).checked_rem(firsts.len() as u64)?;
        let list = firsts[turn as usize];
        Some(self.ask_about(list, MarketCommand::Due { account: self.id, list }, Amount::ZERO))
    }

    /// Asks for the pending orders of a list out of what is free; the market decides whether that is enough. For what may not be
    /// opened any more nothing is there.
    fn activate(&self, list: OrderId, need: Amount, board: &Board) -> Result<Decision, Reject> {
        let (asset, _) = self.pending_in(list).next().ok_or(Reject::OrderDone)?.locks();
        let opened = Products::bought(self.pending_in(list).map(|order| (order.units.market, order.side)));
        let may_open = self.may_open(opened, board).is_ok();
        let held = if may_open { need.min(self.free(Wallet::Spot, asset)).max(Amount::ZERO) } else { Amount::ZERO };
        let short = !may_open || held < need;
        let command = MarketCommand::Activate { account: self.id, level: self.level, list, held, short };
        Ok(self.ask_about(list, command, held))
    }

    fn ask_about(&self, list: OrderId, command: MarketCommand, held: Amount) -> Decision {
        let market = list.market();
        let asset = self.pending_in(list).next().map_or(AssetId(0), |o| o.locks().0);
        let hold = self.hold(market, asset, held);
        Decision::Ask(Box::new(Ask { command: Command::Market(market, command), hold: Some(hold) }))
    }

    fn amend(&self, name: OrderName, lots: Lots, client_id: Option<ClientOrderId>) -> Result<Decision, Reject> {
        self.may_act()?;
        let open = self.open_named(name)?;
        self.check_name(client_id, Some(open.order))?;
        if lots <= open.filled || lots >= open.lots {
            return Err(Reject::BadAmendment);
        }
        // What is cut is reckoned from what the order is now: a second amendment waits until the first is decided.
        if self.held_parts().any(|h| h.names.contains(open.order.0)) {
            return Err(Reject::BadAmendment);
        }
        let (market, order, cut) = (open.units.market, open.order, open.lots - lots);
        let command = MarketCommand::Amend { account: self.id, order, lots, cut, client_id };
        let hold = self.hold(market, open.units.quote, Amount::ZERO).naming([name_hash(client_id), order.0]);
        Ok(Decision::Ask(Box::new(Ask { command: Command::Market(market, command), hold: Some(hold) })))
    }

    fn ask_cancel(&self, market: MarketId, orders: Vec<OrderId>) -> Decision {
        let command = Command::Market(market, MarketCommand::Cancel { account: self.id, orders });
        Decision::Ask(Box::new(Ask { command, hold: None }))
    }

    fn cancel_all(&self, market: MarketId) -> Decision {
        let orders: Vec<OrderId> = self.orders.values().map(|o| o.order).filter(|id| id.market() == market).collect();
        if orders.is_empty() {
            Decision::Reply(Reply::Accepted(Accepted::Canceled(orders)))
        } else {
            self.ask_cancel(market, orders)
        }
    }

    fn quote(
        &self,
        market: MarketId,
        levels: &[QuoteLevel],
        hold: [(AssetId, Amount); 2],
        version: u32,
    ) -> Result<Decision, Reject> {
        self.may_act()?;
        // What the standing quotes lock will be free for the new ladder: only the rest is set aside.
        let locks = &self.cold().locks;
        let standing = |asset| locks.of(LockKind::Quotes, u64::from(market.0), asset);
        let hold = hold.map(|(asset, amount)| (asset, (amount - standing(asset)).max(Amount::ZERO)));
        let affordable = hold.iter().all(|(asset, amount)| self.free(Wallet::Spot, *asset) >= *amount);
        match (self.house, affordable) {
            (false, _) => Err(Reject::NotAllowed),
            (true, false) => Err(Reject::InsufficientBalance),
            (true, true) => Ok(Decision::Ask(Box::new(Ask {
                command: Command::Market(
                    market,
                    MarketCommand::Quote {
                        account: self.id,
                        level: self.level,
                        levels: levels.to_vec(),
                        held: (hold[0].1, hold[1].1),
                        version,
                    },
                ),
                hold: Some(HoldRequest {
                    decider: EntityId::Market(market),
                    parts: hold.map(|(asset, amount)| (Wallet::Spot, asset, amount)),
                    names: ReservedNames::default(),
                    entries: 0,
                    waiting: 0,
                }),
            }))),
        }
    }
}
