//! Orders that wait, lists of two, replacements, amendments, and what the timer does about them.
//!
//! Owns: the order of the checks, and the facts that come of them. Never does: change the market; evolving does.
//! Invariants: an order of a list leaves together with the other one, in one record when it is triggered or cancelled, and with
//! the next timer when it was filled; a list locks once: the second order locks what it needs beyond the first.
//! Orders that another one brings are in `pending.rs`.
//! Rules: `docs/rules/spot.md "Triggers"`, "Order lists", "Replacing and amending".
//! Known limits: an order of a list cannot be amended.

use super::facts::{AmendedOrder, GoneOrder, OrderList, OrderPlaced, OrdersChanged, PendingOrder, WaitingOrder};
use super::matching::{MAX_MATCHES, MatchResult, TakenLots};
use super::params::{MarketParams, MarketState, Side};
use super::rules::{self, Asker};
use super::{
    EndReason, Leg, ListKind, Market, NewOrder, OrderGroup, OrderKind, Terms, Tif, Trigger, TriggerKind, pending,
};
use crate::entity::Decision;
use crate::ids::{AccountId, ClientOrderId, OrderId};
use crate::money::{Amount, Lots, Ticks};
use crate::record::Fact;
use crate::reject::Reject;

/// Waiting orders of one account on one market at most (the convention's MAX_NUM_ALGO_ORDERS).
pub const MAX_WAITING: u32 = 25;
/// Least and most distance of a trailing order, in hundredths of a percent (TRAILING_DELTA).
pub const TRAIL_BIPS: std::ops::RangeInclusive<u32> = 10..=2_000;

/// What an arrangement comes to.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) placed: Option<OrderPlaced>,
    pub(super) waiting: Vec<WaitingOrder>,
    pending: Vec<PendingOrder>,
    list: Option<OrderList>,
}

/// Whether orders are asked for now, or were and have their turn now.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Their owner is told when prices do not fit, and may ask again.
    Asked,
    /// A price that was reached meanwhile triggers at once: a loss that is to be stopped is not kept for a refusal.
    Activated,
}

/// Somebody's orders on their way into a market.
pub(super) struct Entry<'a> {
    pub(super) market: &'a Market,
    pub(super) p: &'a MarketParams,
    pub(super) asker: &'a Asker,
    pub(super) turn: Turn,
}

impl Market {
    /// An order of the account as it would leave; none when it is not open.
    fn leaver(&self, p: &MarketParams, account: AccountId, order: OrderId) -> Option<GoneOrder> {
        if let Some((_, pending)) = self.lists.pending_order(order).filter(|(owner, _)| *owner == account) {
            return Some(pending::gone(pending));
        }
        if let Some(w) = self.triggers.get(order).filter(|w| w.account == account) {
            let WaitingOrder { order, side, ticks, lots, locked, .. } = *w;
            return Some(GoneOrder { order, side, ticks, lots, shown: Lots::ZERO, locked });
        }
        let r = self.book.get(order).filter(|r| r.account == account && !r.quote)?;
        let lots = self.book.open(&r);
        let locked = p.lock(r.side, r.ticks, lots);
        Some(GoneOrder { order, side: r.side, ticks: r.ticks, lots, shown: r.lots, locked })
    }

    /// An order and those that leave with it: the other one of its list, what it brings, or what brings it.
    fn leavers(&self, p: &MarketParams, account: AccountId, order: OrderId) -> Vec<GoneOrder> {
        let mut ids = vec![order];
        ids.extend(self.lists.other(order));
        if let Some((first, list)) = self.lists.pending_of(order) {
            let all = std::iter::once(first).chain(list.orders.iter().map(|pending| pending.order));
            ids.extend(all.filter(|id| *id != order));
        }
        ids.into_iter().filter_map(|order| self.leaver(p, account, order)).collect()
    }

    /// The fact that these are gone, to which more is added.
    pub(super) fn gone(
        &self,
        p: &MarketParams,
        account: AccountId,
        gone: Vec<GoneOrder>,
        reason: EndReason,
    ) -> OrdersChanged {
        let shown = gone.iter().any(|gone| !gone.shown.is_zero());
        OrdersChanged {
            units: p.units(),
            account,
            gone,
            reason,
            triggered: None,
            activated: None,
            amended: Vec::new(),
            placed: None,
            waiting: Vec::new(),
            pending: Vec::new(),
            list: None,
            refused: None,
            update: if shown { self.next_update() } else { self.update },
        }
    }
}

/// Takes out orders of which at least one is more than a plain resting one.
pub(super) fn cancel(market: &Market, p: &MarketParams, account: AccountId, orders: &[OrderId]) -> Decision {
    let mut gone: Vec<GoneOrder> = Vec::new();
    for order in orders.iter().take(MAX_MATCHES) {
        if !gone.iter().any(|g| g.order == *order) {
            gone.extend(market.leavers(p, account, *order));
        }
    }
    if gone.is_empty() {
        return Decision::Reject(Reject::OrderDone);
    }
    Decision::Fact(Fact::from(market.gone(p, account, gone, EndReason::User)))
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

fn touches(fact: &OrdersChanged, plan: &Plan) -> bool {
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
        Ok(Plan { waiting: vec![wait(id, &leg.order, trigger, asker, locked)], ..Plan::default() })
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
            plan.waiting.push(wait(ids[1], &stop.order, trigger, self.asker, beyond));
        }
        Ok(plan)
    }

    /// Lets a conditional order through, and says what it locks.
    fn check_waiting(&self, order: &NewOrder, trigger: &Trigger) -> Result<Amount, Reject> {
        let Entry { market, p, asker, turn } = *self;
        if market.state != MarketState::Trading {
            return Err(Reject::MarketClosed);
        }
        let price = price_of(market, trigger);
        check_trigger(p, order, trigger, price)?;
        if price == Ticks::ZERO {
            return Err(Reject::BadTrigger);
        }
        if asker.open >= p.max_open_orders {
            return Err(Reject::TooManyOrders);
        }
        if turn == Turn::Asked && market.reached(order.side, trigger) {
            return Err(Reject::WouldTrigger);
        }
        let costs = if turn == Turn::Activated { price_at_turn(market, order.side, trigger) } else { price };
        let need = p.lock_waiting(order, costs, trigger.trail_bips);
        // A buy at market has no price of its own that its cost follows from: it locks what it can of that, but its price.
        let least = if order.kind == OrderKind::Market { p.lock(order.side, price, order.lots) } else { need };
        if asker.held < least {
            return Err(Reject::InsufficientBalance);
        }
        Ok(need.min(asker.held))
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

fn wait(id: OrderId, order: &NewOrder, trigger: Trigger, asker: &Asker, locked: Amount) -> WaitingOrder {
    WaitingOrder {
        order: id,
        account: asker.account,
        level: asker.level,
        side: order.side,
        kind: order.kind,
        tif: order.tif,
        stp: order.stp,
        ticks: order.ticks,
        lots: order.lots,
        iceberg: order.iceberg,
        trigger,
        locked,
        client_id: order.client_id,
    }
}

/// The price that an order whose turn in its list has come reckons its cost from: a stop that was passed by then is triggered
/// at once, at what the price is now.
pub(super) fn price_at_turn(market: &Market, side: Side, trigger: &Trigger) -> Ticks {
    let price = price_of(market, trigger);
    if market.reached(side, trigger) { price.max(market.seen) } else { price }
}

/// The price that a conditional order is measured by: its own, or the latest when it trails from there.
fn price_of(market: &Market, trigger: &Trigger) -> Ticks {
    if trigger.ticks == Ticks::ZERO { market.seen } else { trigger.ticks }
}

/// What of a conditional order can be told without book and balances; `price` is what it is measured by, which one that
/// trails from the price at its turn does not have before.
pub(super) fn check_trigger(p: &MarketParams, order: &NewOrder, trigger: &Trigger, price: Ticks) -> Result<(), Reject> {
    rules::check_shape(p, order)?;
    let trails = trigger.trail_bips > 0;
    let in_range = !trails || TRAIL_BIPS.contains(&trigger.trail_bips);
    let from_turn = trails && price == Ticks::ZERO;
    if !in_range || (trigger.ticks == Ticks::ZERO && !trails) || !from_turn && rules::check_price(price).is_err() {
        return Err(Reject::BadTrigger);
    }
    if order.lots.is_zero() || order.tif == Tif::PostOnly {
        return Err(Reject::BadLegs);
    }
    let at = if order.kind == OrderKind::Limit { order.ticks } else { price };
    if at != Ticks::ZERO && p.notional(at, order.lots) < p.min_notional {
        return Err(Reject::BelowMinNotional);
    }
    if order.kind == OrderKind::Limit && !from_turn {
        rules::check_band(p, order.ticks, Some(Amount(i128::from(price.0) * p.tick.0)))?;
    }
    Ok(())
}

impl Market {
    /// The latest price has come to where the order triggers, if it does not trail.
    pub(super) fn reached(&self, side: Side, trigger: &Trigger) -> bool {
        if self.seen == Ticks::ZERO || trigger.trail_bips > 0 {
            return false;
        }
        // An index between two ticks has not come down to the lower one.
        let tick = self.params.as_ref().map_or(1, |p| p.tick.0);
        let between = self.index.0 % tick != 0 && self.index.0 / tick == i128::from(self.seen.0);
        let ceiling = Ticks(self.seen.0 + i64::from(between));
        if trigger.rises(side) { self.seen >= trigger.ticks } else { ceiling <= trigger.ticks }
    }
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

/// Makes an order smaller by `cut`, so that `lots` are left of it in all.
pub(super) fn amend(
    market: &Market,
    p: &MarketParams,
    account: AccountId,
    order: OrderId,
    (lots, cut): (Lots, Lots),
    client_id: Option<ClientOrderId>,
) -> Decision {
    let Some(gone) = market.leaver(p, account, order) else { return Decision::Reject(Reject::OrderDone) };
    if cut.0 <= 0 || cut >= gone.lots || market.lists.has(order) {
        return Decision::Reject(Reject::BadAmendment);
    }
    if lots < p.min_lots {
        return Decision::Reject(Reject::BelowMinAmount);
    }
    if market.state != MarketState::Trading {
        return Decision::Reject(Reject::MarketClosed);
    }
    if gone.ticks != Ticks::ZERO && p.notional(gone.ticks, lots) < p.min_notional {
        return Decision::Reject(Reject::BelowMinNotional);
    }
    let hidden = gone.lots - gone.shown;
    let waits = market.triggers.get(order).is_some();
    let shown = if waits { Lots::ZERO } else { Lots((cut.0 - hidden.0).max(0)) };
    // In proportion: exact for what has a price, and never more than there is for what has none.
    let released = Amount(gone.locked.0 * i128::from(cut.0) / i128::from(gone.lots.0));
    let (side, ticks) = (gone.side, gone.ticks);
    let amended = vec![AmendedOrder { order, side, ticks, lots, cut, shown, released, client_id }];
    let fact = market.gone(p, account, Vec::new(), EndReason::None);
    let update = if shown.is_zero() { market.update } else { market.next_update() };
    Decision::Fact(Fact::from(OrdersChanged { amended, update, ..fact }))
}

/// What is to be done at once: an order whose other one was filled leaves, and so do those that an unfilled one was to bring;
/// an order whose price came is placed.
pub(super) fn due(market: &Market, p: &MarketParams) -> Option<Fact> {
    if let Some(order) = market.lists.leaving() {
        let owner = market.triggers.get(order).map(|w| w.account);
        let owner = owner.or_else(|| market.lists.pending_order(order).map(|(owner, _)| owner));
        let owner = owner.or_else(|| market.book.get(order).map(|r| r.account))?;
        let gone = market.leavers(p, owner, order);
        return Some(Fact::from(market.gone(p, owner, gone, EndReason::OtherLeg)));
    }
    let waiting = market.triggers.fired().filter(|_| market.state == MarketState::Trading)?;
    Some(Fact::from(trigger(market, p, waiting)))
}

fn trigger(market: &Market, p: &MarketParams, w: &WaitingOrder) -> OrdersChanged {
    let other = market.lists.other(w.order).and_then(|other| market.leaver(p, w.account, other));
    let gone: Vec<GoneOrder> = other.into_iter().collect();
    let held = gone.iter().fold(w.locked, |sum, other| sum + other.locked);
    let mut taken = TakenLots::default();
    gone.iter().for_each(|g| taken.take(g.order, g.lots));
    let order = NewOrder {
        market: market.id,
        side: w.side,
        kind: w.kind,
        tif: w.tif,
        stp: w.stp,
        ticks: w.ticks,
        lots: w.lots,
        budget: Amount::ZERO,
        iceberg: w.iceberg,
        client_id: w.client_id,
        terms: Terms { version: p.version, asset: p.locked_asset(w.side), amount: held, capped: false },
    };
    let asker = Asker { account: w.account, level: w.level, held, open: 0 };
    let best = rules::best_opposite(market, &order, Some(&taken));
    let placed = rules::run(market, p, &order, &asker, (w.order, best), Some(&mut taken)).unwrap_or_else(|_| {
        // All or nothing of more trades than one decision may make: nothing.
        let nothing = MatchResult { left: w.lots, stop: Some(EndReason::FillOrKill), ..MatchResult::default() };
        rules::finish(market, p, &order, &asker, w.order, p.units(), nothing).expect("nothing is always possible")
    });
    let mut fact = market.gone(p, w.account, gone, EndReason::OtherLeg);
    let plan = Plan { placed: Some(placed), ..Plan::default() };
    fact.update = if touches(&fact, &plan) { market.next_update() } else { market.update };
    let update = fact.update;
    let placed = plan.placed.map(|placed| OrderPlaced { update, ..placed });
    OrdersChanged { triggered: Some((w.order, w.locked)), placed, ..fact }
}
