//! Taking an order: filters, matching, what rests (`docs/rules/spot.md "Filters"`).
//!
//! Owns: the order of the checks, and the fact that comes of it. Never does: change the book; evolving does.
//! Invariants: a refusal comes before anything is matched. Known limits: one order a decision.

use super::facts::{OrderPlaced, Units};
use super::params::MarketParams;
use super::{EndReason, Market, NewOrder, OrderKind, OrderStatus, Tif};
use crate::ids::{AccountId, OrderId};
use crate::market::matching::{Incoming, MAX_MATCHES, MatchResult, TakenLots, match_order};
use crate::market::{MarketState, Side};
use crate::money::{Amount, Lots, Ticks};
use crate::reject::Reject;

/// Prices and quantities beyond these would overflow sums; no real market comes near.
const MAX_TICKS: i64 = 1 << 52;
const MAX_LOTS: i64 = 1 << 52;
const PPM: i128 = 1_000_000;

/// How much is shown of an iceberg: one of so many parts at least (the convention's ICEBERG_PARTS).
pub const MAX_PARTS: i64 = 100;

/// Who wants an order, and what for it is set aside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    /// Whose order.
    pub(super) account: AccountId,
    /// VIP level.
    pub(super) level: u8,
    /// What is held for it.
    pub(super) held: Amount,
    /// Orders that the account has open here, this one not counted.
    pub(super) open: u32,
}

/// The order's fact, or why it is refused.
pub(super) fn place(
    market: &Market,
    p: &MarketParams,
    order: &NewOrder,
    asker: &Asker,
    gone: Option<&mut TakenLots>,
) -> Result<OrderPlaced, Reject> {
    if market.state != MarketState::Trading {
        return Err(Reject::MarketClosed);
    }
    check_order(market, p, order, asker.held)?;
    let best = best_opposite(market, order, gone.as_deref());
    match order.kind {
        OrderKind::Limit => {
            check_band(p, order.ticks, reference(market, p))?;
            let rests = order.tif.rests();
            if rests && asker.open >= p.max_open_orders {
                return Err(Reject::TooManyOrders);
            }
            let crosses = best.is_some_and(|best| crosses(order.side, order.ticks, best));
            if order.tif == Tif::PostOnly && crosses {
                return Err(Reject::WouldMatch);
            }
        }
        OrderKind::Market => {}
    }
    let id = market.next_order();
    market.book.prefetch(id, order.side, order.ticks);
    run(market, p, order, asker, (id, best), gone)
}

/// What of an order can be told without the book.
pub(super) fn check_order(market: &Market, p: &MarketParams, order: &NewOrder, held: Amount) -> Result<(), Reject> {
    if order.terms.version != p.version {
        return Err(Reject::StaleTerms);
    }
    check_shape(p, order)?;
    check_hold(p, order, held)?;
    check_notional(market, p, order)
}

/// The best price of the other side, without what the same decision takes off before.
pub(super) fn best_opposite(market: &Market, order: &NewOrder, gone: Option<&TakenLots>) -> Option<Ticks> {
    let side = order.side.opposite();
    match gone {
        None => market.book.best(side),
        Some(gone) => market.book.walk(side).find(|r| gone.of(r.order) < market.book.open(r)).map(|r| r.ticks),
    }
}

/// Matches an order that is let through, and says what becomes of it.
pub(super) fn run(
    market: &Market,
    p: &MarketParams,
    order: &NewOrder,
    asker: &Asker,
    (id, best): (OrderId, Option<Ticks>),
    gone: Option<&mut TakenLots>,
) -> Result<OrderPlaced, Reject> {
    let units = p.units();
    let incoming = Incoming {
        account: asker.account,
        side: order.side,
        limit: worst_price(p, order, best),
        lots: if order.lots.is_zero() { budget_lots(p, order, asker.held, best)? } else { order.lots },
        budget: (order.side == Side::Buy).then_some(asker.held),
        stp: order.stp,
        taker_ppm: p.fees_of(asker.level).taker,
        at_most: MAX_MATCHES,
    };
    let mut outcome = MatchResult::default();
    match_order(&market.book, &units, &incoming, gone, &mut outcome);
    finish(market, p, order, asker, id, units, outcome)
}

/// An order may trade at this price of the other side.
pub(super) fn meets(order: &NewOrder, ticks: Ticks) -> bool {
    order.kind == OrderKind::Market || crosses(order.side, order.ticks, ticks)
}

fn crosses(side: Side, ticks: Ticks, best: Ticks) -> bool {
    match side {
        Side::Buy => ticks >= best,
        Side::Sell => ticks <= best,
    }
}

/// The most that prices may be.
pub(super) fn check_price(ticks: Ticks) -> Result<(), Reject> {
    if ticks.0 <= 0 || ticks.0 > MAX_TICKS { Err(Reject::BadPrice) } else { Ok(()) }
}

fn check_iceberg(p: &MarketParams, order: &NewOrder) -> Result<(), Reject> {
    let Lots(shown) = order.iceberg;
    if shown == 0 {
        return Ok(());
    }
    let rests = order.kind == OrderKind::Limit && order.tif.rests();
    let parts = order.lots.0.checked_div(shown).map_or(0, |whole| whole + i64::from(order.lots.0 % shown != 0));
    let fits = rests && order.iceberg >= p.min_lots && order.iceberg < order.lots && parts <= MAX_PARTS;
    if fits { Ok(()) } else { Err(Reject::BadIceberg) }
}

pub(super) fn check_shape(p: &MarketParams, order: &NewOrder) -> Result<(), Reject> {
    let by_quote = order.lots.is_zero();
    match order.kind {
        OrderKind::Limit if check_price(order.ticks).is_err() => return Err(Reject::BadPrice),
        OrderKind::Limit if by_quote => return Err(Reject::BelowMinAmount),
        OrderKind::Limit if !p.takes_price(order.ticks) => return Err(Reject::BadStep),
        OrderKind::Market if by_quote && !order.budget.is_positive() => return Err(Reject::BelowMinAmount),
        OrderKind::Limit | OrderKind::Market => {}
    }
    if order.tif == Tif::Day && p.stock.is_none() {
        return Err(Reject::BadParameters);
    }
    if by_quote {
        return Ok(());
    }
    if order.lots < p.min_lots {
        return Err(Reject::BelowMinAmount);
    }
    if order.lots > p.max_lots || order.lots.0 > MAX_LOTS {
        return Err(Reject::AboveMaxAmount);
    }
    check_iceberg(p, order)
}

/// The gateway told the account what to hold; a hold in the wrong asset or below the need means old parameters.
fn check_hold(p: &MarketParams, order: &NewOrder, held: Amount) -> Result<(), Reject> {
    let need = match (order.kind, order.side) {
        (OrderKind::Limit, side) => p.lock(side, order.ticks, order.lots),
        (OrderKind::Market, Side::Sell) if !order.lots.is_zero() => p.base_amount(order.lots),
        (OrderKind::Market, _) => Amount::ZERO,
    };
    if order.terms.asset != p.locked_asset(order.side) || held < need {
        return Err(Reject::StaleTerms);
    }
    Ok(())
}

/// The reference price as quote units a lot: index, else last trade (`docs/rules/spot.md "Filters"`).
pub(super) fn reference(market: &Market, p: &MarketParams) -> Option<Amount> {
    if market.index.is_positive() {
        return Some(market.index);
    }
    (market.last.0 > 0).then(|| Amount(i128::from(market.last.0) * p.tick.0))
}

pub(super) fn check_band(p: &MarketParams, ticks: Ticks, reference: Option<Amount>) -> Result<(), Reject> {
    let Some(reference) = reference else { return Ok(()) };
    let (price, band) = (i128::from(ticks.0) * p.tick.0 * PPM, i128::from(p.band_ppm));
    let inside = price >= reference.0 * (PPM - band) && price <= reference.0 * (PPM + band);
    if inside { Ok(()) } else { Err(Reject::OutsidePriceBand) }
}

fn check_notional(market: &Market, p: &MarketParams, order: &NewOrder) -> Result<(), Reject> {
    check_value(p, order, reference(market, p))
}

/// Whether an order is worth enough; one at market by quantity at the reference price.
fn check_value(p: &MarketParams, order: &NewOrder, reference: Option<Amount>) -> Result<(), Reject> {
    let notional = match order.kind {
        OrderKind::Limit => p.notional(order.ticks, order.lots),
        OrderKind::Market if order.lots.is_zero() => order.budget,
        OrderKind::Market => match reference {
            Some(price) => Amount(price.0 * p.base_amount(order.lots).0 / crate::money::ONE),
            // Nothing has traded yet: the book itself decides.
            None => return Ok(()),
        },
    };
    if notional < p.min_notional { Err(Reject::BelowMinNotional) } else { Ok(()) }
}

/// Whether parameters let an order through that is looked at without book, index and account: its price's step, its sizes and its
/// value, for one at market by quantity at `reference`.
///
/// # Errors
/// The first thing that they refuse.
pub fn fits(p: &MarketParams, order: &NewOrder, reference: Option<Amount>) -> Result<(), Reject> {
    check_shape(p, order)?;
    check_value(p, order, reference)
}

/// The worst price that an order takes: its limit, or the protection around the best opposite price at entry.
fn worst_price(p: &MarketParams, order: &NewOrder, best: Option<Ticks>) -> Option<Ticks> {
    if order.kind == OrderKind::Limit {
        return Some(order.ticks);
    }
    let best = i128::from(best?.0);
    let protection = i128::from(p.protection_ppm);
    let ticks = match order.side {
        Side::Buy => best * (PPM + protection) / PPM,
        Side::Sell => (best * (PPM - protection) + PPM - 1) / PPM,
    };
    Some(Ticks(ticks as i64))
}

/// Quantity of an order by quote amount: buys are bounded by their hold alone; sells by what the best bid makes of the
/// amount, which a falling book then simply earns less for. Refused when the best price makes it more than the market
/// takes at once, or more than is held.
fn budget_lots(p: &MarketParams, order: &NewOrder, held: Amount, best: Option<Ticks>) -> Result<Lots, Reject> {
    let Some(best) = best else { return Ok(Lots::ZERO) };
    let wanted = order.budget.0 / p.notional(best, Lots(1)).0;
    if wanted > i128::from(p.max_lots.0) {
        return Err(Reject::AboveMaxAmount);
    }
    match order.side {
        Side::Buy => Ok(Lots(i64::MAX)),
        Side::Sell if wanted > held.0 / i128::from(p.lot_units()) => Err(Reject::InsufficientBalance),
        Side::Sell => Ok(Lots(wanted as i64)),
    }
}

pub(super) fn finish(
    market: &Market,
    p: &MarketParams,
    order: &NewOrder,
    asker: &Asker,
    id: OrderId,
    units: Units,
    mut outcome: MatchResult,
) -> Result<OrderPlaced, Reject> {
    if order.tif == Tif::Fok && (!outcome.left.is_zero() || outcome.stop.is_some()) {
        if outcome.stop == Some(EndReason::TradeLimit) {
            return Err(Reject::TooManyTrades);
        }
        outcome = MatchResult { left: order.lots, stop: Some(EndReason::FillOrKill), ..MatchResult::default() };
    }
    let filled = !outcome.trades.is_empty();
    let (status, reason, rest) = ending(order, &outcome, filled);
    let touches = filled || !outcome.prevented.is_empty() || !rest.is_zero();
    Ok(OrderPlaced {
        units,
        order: id,
        account: asker.account,
        side: order.side,
        kind: order.kind,
        tif: order.tif,
        ticks: order.ticks,
        lots: order.lots,
        budget: order.budget,
        stp: order.stp,
        iceberg: order.iceberg,
        client_id: order.client_id,
        maker_ppm: p.fees_of(asker.level).maker,
        first_trade: market.next_trade(),
        trades: outcome.trades,
        prevented: outcome.prevented.into(),
        stopper: outcome.stopper.map(Box::new),
        rest,
        status,
        reason,
        update: if touches { market.next_update() } else { market.update },
    })
}

/// State of the order after its decision, why a remainder is gone, and what rests.
fn ending(order: &NewOrder, outcome: &MatchResult, filled: bool) -> (OrderStatus, EndReason, Lots) {
    let by_quote = order.lots.is_zero();
    let gone = |reason| (OrderStatus::Expired, reason, Lots::ZERO);
    match outcome.stop {
        // A quote amount is used up when it affords no further lot.
        Some(EndReason::Budget) if by_quote && filled => (OrderStatus::Filled, EndReason::None, Lots::ZERO),
        Some(EndReason::SelfTrade) => (OrderStatus::ExpiredInMatch, EndReason::SelfTrade, Lots::ZERO),
        Some(reason) => gone(reason),
        None if outcome.left.is_zero() && (filled || !by_quote) => (OrderStatus::Filled, EndReason::None, Lots::ZERO),
        None => match (order.kind, order.tif) {
            (OrderKind::Market, _) if filled => gone(EndReason::Protection),
            (OrderKind::Market, _) => gone(EndReason::NoLiquidity),
            (OrderKind::Limit, Tif::Ioc) => gone(EndReason::Ioc),
            (OrderKind::Limit, Tif::Fok) => gone(EndReason::FillOrKill),
            (OrderKind::Limit, Tif::Gtc | Tif::PostOnly | Tif::Day) => {
                let status = if filled { OrderStatus::Partial } else { OrderStatus::Open };
                (status, EndReason::None, outcome.left)
            }
        },
    }
}
