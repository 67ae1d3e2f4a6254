//! Pending orders of OTO and OTOCO lists: placed when the first order of their list is filled completely.
//!
//! Protocol: the market places the first order and stores the pending ones. When the first is filled, the owner's
//! account asks the market how much the pending orders need; the market answers when it is open; the account holds that
//! amount and asks the market to activate the list. The market places the orders, or removes them when it must refuse.
//! Either is one record. Owns: the checks of pending orders when the list is accepted, and their activation. Never
//! does: hold money. Invariants: pending orders lock nothing. They end together with the first order unless it was
//! filled. A refusal at activation ends all of them and is reported. Known limits: while the market is closed the
//! account asks again every second. Rules: `docs/rules/spot.md "Order lists"`.

use super::conditional::{self, Entry, Turn};
use super::facts::{GoneOrder, OrderPlaced, OrdersChanged, PendingOrder};
use super::lists::PendingList;
use super::order_group::{self, Plan};
use super::params::MarketParams;
use super::rules::{self, Asker};
use super::{EndReason, Leg, Market, NewOrder, OrderKind, Terms};
use crate::account::{AccountCommand, SpotCommand};
use crate::entity::{Ask, Command, Decision};
use crate::ids::{AccountId, OrderId};
use crate::market::MarketState;
use crate::market::matching::TakenLots;
use crate::money::{Amount, Lots, Ticks};
use crate::record::Fact;
use crate::reject::Reject;

/// Orders that one order brings at most.
pub const MOST: usize = 2;

/// Lets through what `first` is to bring, as far as it can be told today; ids follow that of `first`.
pub(super) fn check(p: &MarketParams, first: &Leg, legs: &[Leg]) -> Result<(), Reject> {
    if first.trigger.is_some() || first.order.kind != OrderKind::Limit || legs.len() > MOST {
        return Err(Reject::BadLegs);
    }
    for Leg { order, trigger } in legs {
        match trigger {
            Some(trigger) => conditional::check_trigger(p, order, trigger, trigger.ticks)?,
            None => check_plain(p, order)?,
        }
    }
    if let [one, other] = legs {
        let [take, stop] = order_group::alternatives([one, other])?;
        order_group::apart(take, stop)?;
    }
    Ok(())
}

/// The order as it is remembered until its turn.
pub(super) fn pending(id: OrderId, leg: &Leg) -> PendingOrder {
    let NewOrder { side, kind, tif, stp, ticks, lots, iceberg, client_id, .. } = leg.order;
    PendingOrder { order: id, side, kind, tif, stp, ticks, lots, iceberg, trigger: leg.trigger, client_id }
}

/// The pending orders of the account's list whose turn has come, if the market can place them.
fn due(market: &Market, account: AccountId, first: OrderId) -> Result<&PendingList, Reject> {
    let list = market.lists.pending_of(first).filter(|(of, list)| *of == first && list.due);
    let (_, list) = list.filter(|(_, list)| list.account == account).ok_or(Reject::OrderDone)?;
    if market.state == MarketState::Trading { Ok(list) } else { Err(Reject::MarketClosed) }
}

/// Asks the owner to hold what the pending orders of the list of `first` need. A market that is closed refuses: nothing is
/// held until it is open again.
pub(super) fn need(market: &Market, p: &MarketParams, account: AccountId, first: OrderId) -> Decision {
    match due(market, account, first) {
        Ok(list) => ask_to_hold(need_of(market, p, list), account, first),
        Err(reject) => Decision::Reject(reject),
    }
}

fn ask_to_hold(need: Amount, account: AccountId, first: OrderId) -> Decision {
    let command = AccountCommand::Spot(SpotCommand::Activate { list: first, need });
    Decision::Ask(Box::new(Ask { command: Command::Account(account, command), hold: None }))
}

/// What the pending orders of a list take at their turn: two of them lock once. A buy at market takes what the market's
/// protection lets it cost.
fn need_of(market: &Market, p: &MarketParams, list: &PendingList) -> Amount {
    let need = |pending: &PendingOrder| {
        let Leg { order, trigger } = leg(market, p, pending, Amount::ZERO);
        match trigger {
            Some(trigger) => {
                p.lock_waiting(&order, conditional::price_at_turn(market, order.side, &trigger), trigger.trail_bips)
            }
            None => {
                // With nobody to buy from it buys nothing, for which it needs little.
                let best = rules::best_opposite(market, &order, None).unwrap_or(market.seen);
                p.lock_waiting(&order, best.max(Ticks(1)), 0)
            }
        }
    };
    list.orders.iter().map(need).max().unwrap_or_default()
}

/// Places the pending orders of the list of `first`, whose turn has come, out of what is held, which is less than was asked
/// for when the account is `short` of it. When prices went up meanwhile the account is asked for more, if it may have that.
pub(super) fn activate(market: &Market, p: &MarketParams, first: OrderId, asker: &Asker, short: bool) -> Decision {
    let list = match due(market, asker.account, first) {
        Ok(list) => list,
        Err(reject) => return Decision::Reject(reject),
    };
    let need = need_of(market, p, list);
    if need > asker.held && !short {
        return ask_to_hold(need, asker.account, first);
    }
    match place(market, p, list, asker) {
        Ok(Plan { placed, waiting, .. }) => {
            let mut fact = market.gone(p, asker.account, Vec::new(), EndReason::None);
            let touches = placed.as_ref().is_some_and(order_group::touches_book);
            fact.update = if touches { market.next_update() } else { market.update };
            let update = fact.update;
            let placed = placed.map(|placed| OrderPlaced { update, ..placed });
            Decision::Fact(Fact::from(OrdersChanged { activated: Some(first), placed, waiting, ..fact }))
        }
        Err(reject) => {
            let gone = list.orders.iter().map(gone).collect();
            let fact = market.gone(p, asker.account, gone, EndReason::Refused);
            Decision::Fact(Fact::from(OrdersChanged { refused: Some(reject), ..fact }))
        }
    }
}

/// A pending order as it leaves: nothing of it was to be seen, and it locked nothing.
pub(super) fn gone(pending: &PendingOrder) -> GoneOrder {
    let PendingOrder { order, side, ticks, lots, .. } = *pending;
    GoneOrder { order, side, ticks, lots, shown: Lots::ZERO, locked: Amount::ZERO }
}

fn leg(market: &Market, p: &MarketParams, pending: &PendingOrder, held: Amount) -> Leg {
    let PendingOrder { side, kind, tif, stp, ticks, lots, iceberg, trigger, client_id, .. } = *pending;
    let (asset, capped) = (p.locked_asset(side), kind == OrderKind::Market);
    let terms = Terms { version: p.version, asset, amount: held, capped };
    let (market, budget) = (market.id, Amount::ZERO);
    Leg { order: NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms }, trigger }
}

fn place(market: &Market, p: &MarketParams, list: &PendingList, asker: &Asker) -> Result<Plan, Reject> {
    let entry = Entry { market, p, asker, turn: Turn::Activated };
    let legs: Vec<Leg> = list.orders.iter().map(|pending| leg(market, p, pending, asker.held)).collect();
    let ids: Vec<OrderId> = list.orders.iter().map(|pending| pending.order).collect();
    let mut taken = TakenLots::default();
    match (&legs[..], &ids[..]) {
        ([one], [id]) => entry.single(one, *id, &mut taken),
        ([one, other], [id, other_id]) => {
            let [take, stop] = order_group::alternatives([one, other])?;
            let ids = if std::ptr::eq(take, one) { [*id, *other_id] } else { [*other_id, *id] };
            entry.both([take, stop], ids, &mut taken)
        }
        _ => Err(Reject::BadLegs),
    }
}

/// What of an order without a trigger can be told before its turn. One at market names its quantity: what it will be able
/// to spend is not known yet.
fn check_plain(p: &MarketParams, order: &NewOrder) -> Result<(), Reject> {
    if order.lots.is_zero() || order.budget.is_positive() {
        return Err(Reject::BadLegs);
    }
    rules::check_shape(p, order)?;
    if order.kind == OrderKind::Limit && p.notional(order.ticks, order.lots) < p.min_notional {
        return Err(Reject::BelowMinNotional);
    }
    Ok(())
}
