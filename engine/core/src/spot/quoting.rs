//! The house's quotes: a whole ladder in one decision, one record of what changed.
//!
//! Quotes are ordinary resting orders (same book, same priority, same fees) that are named by price level instead of by
//! order id. The house says which ladder it wants; levels that already stand so stay and keep their priority. New ones
//! meet users' orders in their way like any taker.
//!
//! Owns: what of a ladder changes, and the trades of it. Never does: touch a user order but by matching. Invariants:
//! one quote a price level and side. Known limits: a ladder is bounded by one decision.

use super::facts::{QuoteOff, QuoteOn, QuoteTrade, QuotesSet};
use super::locking::quotes_lock;
use super::params::MarketParams;
use super::{Market, QuoteLevel, Stp};
use crate::entity::{Decision, TimeNs};
use crate::ids::AccountId;
use crate::market::matching::{Incoming, MAX_MATCHES, MatchResult, TakenLots, match_order};
use crate::market::{MarketState, Side};
use crate::money::{Amount, Lots, Ticks};
use crate::record::Fact;
use crate::reject::Reject;
use std::collections::BTreeMap;

/// Levels that one command may name.
const MAX_LEVELS: usize = 4_096;

pub(super) fn quote(
    market: &Market,
    p: &MarketParams,
    account: AccountId,
    level: u8,
    levels: &[QuoteLevel],
    held: (Amount, Amount),
    now: TimeNs,
) -> Decision {
    let opens = market.waits_to_open() && market.index_is_fresh(p, now) && market.index_time > 0;
    if market.state != MarketState::Trading && !opens {
        return Decision::Reject(Reject::MarketClosed);
    }
    let standing = quotes_lock(&p.units(), market.quotes().map(|q| (q.side, q.ticks, q.lots)));
    let held = (held.0 + standing.0, held.1 + standing.1);
    if let Err(reject) = check(p, levels, held) {
        return Decision::Reject(reject);
    }
    let stands = |l: &QuoteLevel| resting(market, l.side, l.ticks).is_some_and(|r| r.lots == l.lots);
    let new: Vec<QuoteLevel> = levels.iter().filter(|l| !stands(l)).copied().collect();
    let mut off = unwanted(market, levels);
    let (on, trades) = place(market, p, account, level, &new, &mut off);
    if on.is_empty() && off.is_empty() && !opens {
        return Decision::Nothing;
    }
    Decision::Fact(Fact::from(QuotesSet {
        units: p.units(),
        account,
        opens,
        off,
        first_order: market.next_order(),
        on,
        maker_ppm: p.fees_of(level).maker,
        first_trade: market.next_trade(),
        trades,
        update: market.next_update(),
    }))
}

/// Levels are positive, named once, not crossed, and paid for by what is held and what the standing quotes lock. (The
/// market's own count of those: fills since the account was asked have made it less.)
fn check(p: &MarketParams, levels: &[QuoteLevel], held: (Amount, Amount)) -> Result<(), Reject> {
    if levels.len() > MAX_LEVELS {
        return Err(Reject::TooManyOrders);
    }
    let mut names: Vec<(Side, Ticks)> = levels.iter().map(|l| (l.side, l.ticks)).collect();
    names.sort_unstable();
    if names.windows(2).any(|w| w[0] == w[1]) {
        return Err(Reject::AlreadyExists);
    }
    let (mut base, mut quote) = (Amount::ZERO, Amount::ZERO);
    let (mut best_bid, mut best_ask) = (0, i64::MAX);
    for l in levels {
        if l.ticks.0 <= 0 || l.lots.0 <= 0 || l.lots > p.max_lots {
            return Err(Reject::BadAmount);
        }
        if !p.takes_price(l.ticks) {
            return Err(Reject::BadStep);
        }
        match l.side {
            Side::Buy => {
                best_bid = best_bid.max(l.ticks.0);
                quote += p.lock(l.side, l.ticks, l.lots);
            }
            Side::Sell => {
                best_ask = best_ask.min(l.ticks.0);
                base += p.lock(l.side, l.ticks, l.lots);
            }
        }
    }
    if best_bid >= best_ask {
        return Err(Reject::BadPrice);
    }
    if held.0 < base || held.1 < quote {
        return Err(Reject::InsufficientBalance);
    }
    Ok(())
}

fn resting(market: &Market, side: Side, ticks: Ticks) -> Option<crate::market::book::Resting> {
    market.quotes.get(&(side, ticks)).and_then(|order| market.book.get(*order))
}

/// Quotes that stand and are not wanted as they are.
fn unwanted(market: &Market, levels: &[QuoteLevel]) -> Vec<QuoteOff> {
    let wanted: BTreeMap<(Side, Ticks), Lots> = levels.iter().map(|l| ((l.side, l.ticks), l.lots)).collect();
    market.quotes().filter(|q| wanted.get(&(q.side, q.ticks)) != Some(&q.lots)).map(off_of).collect()
}

fn off_of(r: crate::market::book::Resting) -> QuoteOff {
    QuoteOff { side: r.side, ticks: r.ticks, lots: r.lots }
}

/// Places new levels; own quotes on the other side that would be crossed are taken off first. When users' orders in
/// the way are more than one decision may match, it matches as many, leaves that level and those behind it off, and the
/// next ladder goes on.
fn place(
    market: &Market,
    p: &MarketParams,
    account: AccountId,
    level: u8,
    levels: &[QuoteLevel],
    off: &mut Vec<QuoteOff>,
) -> (Vec<QuoteOn>, Vec<QuoteTrade>) {
    let units = p.units();
    let (mut on, mut trades) = (Vec::new(), Vec::new());
    let (mut taken, mut left, mut outcome) = (TakenLots::default(), MAX_MATCHES, MatchResult::default());
    for l in levels {
        let incoming = Incoming {
            account,
            side: l.side,
            limit: Some(l.ticks),
            lots: l.lots,
            budget: None,
            stp: Stp::ExpireMaker,
            taker_ppm: p.fees_of(level).taker,
            at_most: left,
        };
        match_order(&market.book, &units, &incoming, Some(&mut taken), &mut outcome);
        left -= outcome.trades.len() + outcome.prevented.len();
        for own in &outcome.prevented {
            let (side, ticks, lots) = (l.side.opposite(), own.ticks, own.lots);
            if !off.iter().any(|q| q.side == side && q.ticks == ticks) {
                off.push(QuoteOff { side, ticks, lots });
            }
        }
        let at = on.len() as u32;
        trades.extend(outcome.trades.drain(..).map(|trade| QuoteTrade { on: at, trade }));
        // It only stops early at the bound; what would rest then would cross what is still in its way.
        let rest = if outcome.stop.is_some() { Lots::ZERO } else { outcome.left };
        on.push(QuoteOn { side: l.side, ticks: l.ticks, rest });
        if outcome.stop.is_some() {
            break;
        }
    }
    (on, trades)
}
