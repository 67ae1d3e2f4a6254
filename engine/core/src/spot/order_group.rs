//! Order groups: one order, or two of which one cancels the other, or one that brings others, each possibly in the place of an
//! open order (replace).
//!
//! Owns: the order of the checks of a group, and the resulting fact.
//! Never does: change the market; `evolve` does.
//! Invariants: when one order of an OCO list ends, the other ends too: in the same record after a trigger or a cancel, with the
//! next timer after a fill. A list locks once: the second order locks only the amount beyond the first.
//! Known limits: one replaced order per group.
//! Elsewhere: conditional orders in `conditional.rs`, cancels in `leaving.rs`, amendments in `amend.rs`, the timer's work in
//! `triggered.rs`, pending orders of OTO and OTOCO lists in `pending.rs`.
//! Rules: `docs/rules/spot.md "Order lists"`, "Replacing and amending".

use super::conditional::{self, Entry, MAX_WAITING, Turn};
use super::facts::{GoneOrder, OrderList, OrderPlaced, OrdersChanged, PendingOrder, WaitingOrder};
use super::params::MarketParams;
use super::rules::{self, Asker};
use super::{EndReason, Leg, ListKind, Market, NewOrder, OrderGroup, OrderKind, Tif, TriggerKind, pending};
use crate::entity::Decision;
use crate::ids::OrderId;
use crate::market::Side;
use crate::market::matching::TakenLots;
use crate::money::{Amount, Ticks};
use crate::record::Fact;
use crate::reject::Reject;

/// What an arrangement comes to.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) placed: Option<OrderPlaced>,
    pub(super) waiting: Vec<WaitingOrder>,
    pub(super) pending: Vec<PendingOrder>,
    pub(super) list: Option<OrderList>,
}

/// Arranges orders, in the place of one that is open if that is wanted.
pub(super) fn place_group(market: &Market, p: &MarketParams, a: &OrderGroup, asker: &Asker, waiting: u32) -> Decision {
    if !a.pending.is_empty() && (a.replaces.is_some() || a.legs.len() != 1) {
        return Decision::Reject(Reject::BadLegs);
    }
    let replaced = a.replaces.map(|r| (r, market.leavers(p, asker.account, r.order)));
    let gone = match replaced {
        Some((replaced, gone)) if gone.is_empty() && replaced.must => return Decision::Reject(Reject::OrderDone),
        Some((_, gone)) => gone,
        None => Vec::new(),
    };
    let freed: Amount = gone.iter().filter(|g| p.locked_asset(g.side) == a.terms.asset).map(|g| g.locked).sum();
    let mut taken = TakenLots::default();
    gone.iter().for_each(|g| taken.take(g.order, g.lots));
    let will_wait = |o| market.lists.pending_order(o).is_some_and(|(_, pending)| pending.trigger.is_some());
    let waits = |g: &&GoneOrder| market.triggers.get(g.order).is_some() || will_wait(g.order);
    let left = gone.iter().filter(waits).count() as u32;
    // Never more than was asked for: an order by quote amount spends what is held.
    let held = (asker.held + freed).min(a.terms.amount);
    let asker = Asker { held, open: asker.open.saturating_sub(gone.len() as u32), ..*asker };
    match (plan(market, p, a, &asker, waiting.saturating_sub(left), &mut taken), gone.is_empty()) {
        (Ok(plan), _) => {
            let mut fact = market.gone(p, asker.account, gone, EndReason::Replaced);
            fact.update = if touches(&fact, &plan) { market.next_update() } else { market.update };
            let update = fact.update;
            let placed = plan.placed.map(|placed| OrderPlaced { update, ..placed });
            let Plan { waiting, pending, list, .. } = plan;
            Decision::Fact(Fact::from(OrdersChanged { placed, waiting, pending, list, ..fact }))
        }
        (Err(reject), false) if is_of_the_moment(reject) => {
            let fact = market.gone(p, asker.account, gone, EndReason::Replaced);
            Decision::Fact(Fact::from(OrdersChanged { refused: Some(reject), ..fact }))
        }
        (Err(reject), _) => Decision::Reject(reject),
    }
}

/// Refused by book and balances and not for its form: what it was to replace is gone then.
fn is_of_the_moment(reject: Reject) -> bool {
    matches!(
        reject,
        Reject::InsufficientBalance
            | Reject::WouldMatch
            | Reject::WouldTrigger
            | Reject::MarketClosed
            | Reject::TooManyTrades
            | Reject::BadLegs
    )
}

/// The fact and the plan change the visible book.
pub(super) fn touches(fact: &OrdersChanged, plan: &Plan) -> bool {
    fact.gone.iter().any(|g| !g.shown.is_zero()) || plan.placed.as_ref().is_some_and(touches_book)
}

/// The order traded, rests, or met one of its owner's.
pub(super) fn touches_book(placed: &OrderPlaced) -> bool {
    !(placed.trades.is_empty() && placed.prevented.is_empty() && placed.rest.is_zero())
}

fn plan(
    market: &Market,
    p: &MarketParams,
    a: &OrderGroup,
    asker: &Asker,
    waiting: u32,
    taken: &mut TakenLots,
) -> Result<Plan, Reject> {
    if a.terms.version != p.version {
        return Err(Reject::StaleTerms);
    }
    let with_terms = |leg: &Leg| Leg { order: NewOrder { terms: a.terms, ..leg.order }, ..*leg };
    let legs: Vec<Leg> = a.legs.iter().map(with_terms).collect();
    if legs.iter().any(|leg| p.locked_asset(leg.order.side) != a.terms.asset) {
        return Err(Reject::StaleTerms);
    }
    let will_wait = legs.iter().chain(&a.pending).filter(|leg| leg.trigger.is_some()).count();
    if waiting as usize + will_wait > MAX_WAITING as usize {
        return Err(Reject::TooManyTriggers);
    }
    let entry = Entry { market, p, asker, turn: Turn::Asked };
    let id = |n: u64| OrderId::of(market.id, market.orders + n);
    match legs[..] {
        [ref first] if !a.pending.is_empty() => bringing(&entry, a, first, taken),
        [ref one] => entry.single(one, id(1), taken),
        [ref one, ref other] => {
            let [take, stop] = alternatives([one, other])?;
            if !lies_between(market, take, stop) {
                return Err(Reject::BadLegs);
            }
            let plan = entry.both([take, stop], [id(1), id(2)], taken)?;
            let (list, kind, orders) = (id(1), ListKind::OneCancels, vec![id(1), id(2)]);
            Ok(Plan { list: Some(OrderList { list, kind, orders, client_id: a.list }), ..plan })
        }
        _ => Err(Reject::BadLegs),
    }
}

/// An order that brings others when it is filled.
fn bringing(entry: &Entry<'_>, a: &OrderGroup, first: &Leg, taken: &mut TakenLots) -> Result<Plan, Reject> {
    let Entry { market, p, asker, .. } = *entry;
    pending::check(p, first, &a.pending)?;
    if asker.open as usize + a.pending.len() >= p.max_open_orders as usize {
        return Err(Reject::TooManyOrders);
    }
    let id = |n: usize| OrderId::of(market.id, market.orders + n as u64);
    let plan = entry.single(first, id(1), taken)?;
    let pending: Vec<PendingOrder> = (2..).zip(&a.pending).map(|(n, leg)| pending::pending(id(n), leg)).collect();
    let orders = (1..=1 + pending.len()).map(id).collect();
    let list = OrderList { list: id(1), kind: ListKind::OneTriggers, orders, client_id: a.list };
    Ok(Plan { pending, list: Some(list), ..plan })
}

impl Entry<'_> {
    /// One order, which waits for its trigger when it has one.
    pub(super) fn single(&self, leg: &Leg, id: OrderId, taken: &mut TakenLots) -> Result<Plan, Reject> {
        let Entry { market, p, asker, .. } = *self;
        let Some(trigger) = leg.trigger else {
            enough(p, &leg.order, asker.held)?;
            let placed = rules::place(market, p, &leg.order, asker, Some(taken))?;
            return Ok(Plan { placed: Some(OrderPlaced { order: id, ..placed }), ..Plan::default() });
        };
        let locked = self.check_waiting(&leg.order, &trigger)?;
        Ok(Plan { waiting: vec![conditional::wait(id, &leg.order, trigger, asker, locked)], ..Plan::default() })
    }

    /// Two orders of which one cancels the other: where a profit is taken, and where a loss is stopped.
    pub(super) fn both(
        &self,
        [take, stop]: [&Leg; 2],
        ids: [OrderId; 2],
        taken: &mut TakenLots,
    ) -> Result<Plan, Reject> {
        // Those that have their turn now were counted when they were taken.
        if self.turn == Turn::Asked && self.asker.open + 1 >= self.p.max_open_orders {
            return Err(Reject::TooManyOrders);
        }
        let mut plan = self.single(take, ids[0], taken)?;
        let resting = self.p.lock(take.order.side, take.order.ticks, take.order.lots);
        let first_lock = plan.waiting.first().map_or(resting, |waiting| waiting.locked);
        if let Some(trigger) = stop.trigger {
            let locked = self.check_waiting(&stop.order, &trigger)?;
            let beyond = (locked - first_lock).max(Amount::ZERO);
            plan.waiting.push(conditional::wait(ids[1], &stop.order, trigger, self.asker, beyond));
        }
        Ok(plan)
    }
}

/// What is held and what comes free pays for it: between the question and this, some of what was to come free was used up.
fn enough(p: &MarketParams, order: &NewOrder, held: Amount) -> Result<(), Reject> {
    let short = match order.kind {
        OrderKind::Limit => held < p.lock(order.side, order.ticks, order.lots),
        OrderKind::Market if order.side == Side::Sell => held < p.base_amount(order.lots),
        // One at market takes what it can be given, when it was asked so.
        OrderKind::Market => !held.is_positive() || !order.terms.capped && held < order.terms.amount,
    };
    if short { Err(Reject::InsufficientBalance) } else { Ok(()) }
}

/// Of two orders the one that takes a profit and the one that stops a loss: alike, and the first rests or waits.
pub(super) fn alternatives(legs: [&Leg; 2]) -> Result<[&Leg; 2], Reject> {
    let is_stop = |leg: &Leg| leg.trigger.is_some_and(|t| t.kind == TriggerKind::StopLoss);
    let [take, stop] = match legs.map(is_stop) {
        [false, true] => legs,
        [true, false] => [legs[1], legs[0]],
        _ => return Err(Reject::BadLegs),
    };
    let alike = take.order.side == stop.order.side && take.order.lots == stop.order.lots;
    let rests = take.order.kind == OrderKind::Limit && take.order.tif == Tif::PostOnly;
    if !alike || (take.trigger.is_none() && !rests) { Err(Reject::BadLegs) } else { Ok([take, stop]) }
}

/// Where the one takes its profit and where the other stops a loss, the higher one first.
fn targets(take: &Leg, stop: &Leg) -> (Option<Ticks>, Option<Ticks>) {
    let priced = |ticks: Ticks| Some(ticks).filter(|t| *t != Ticks::ZERO);
    let target = priced(take.trigger.map_or(take.order.ticks, |trigger| trigger.ticks));
    let stop_at = stop.trigger.and_then(|trigger| priced(trigger.ticks));
    match take.order.side {
        Side::Sell => (target, stop_at),
        Side::Buy => (stop_at, target),
    }
}

/// No price triggers both.
pub(super) fn apart(take: &Leg, stop: &Leg) -> Result<(), Reject> {
    let (above, below) = targets(take, stop);
    let crossed = above.zip(below).is_some_and(|(above, below)| above <= below);
    if crossed { Err(Reject::BadLegs) } else { Ok(()) }
}

/// The latest price lies between both.
fn lies_between(market: &Market, take: &Leg, stop: &Leg) -> bool {
    if market.seen == Ticks::ZERO {
        return true;
    }
    let (above, below) = targets(take, stop);
    above.is_none_or(|above| above > market.seen) && below.is_none_or(|below| below < market.seen)
}
