//! A flow of orders and cancels for one book, the same for every engine that is compared.
//!
//! Owns: the mixture. Never does: know an engine other than ours, which it asks what still rests.
//! Invariants: the same seed gives the same flow; about as many orders rest at its end as at its beginning; a cancel names
//! an order that rests in a book that matches correctly.
//! Known limits: limit orders and cancels only: what every engine has.

use crate::Dice;
use xng_core::ids::{AccountId, AssetId, MarketId, OrderId};
use xng_core::market::book::{Book, Resting};
use xng_core::market::matching::{Incoming, MAX_MATCHES, MatchResult, match_order};
use xng_core::money::{FeePpm, Lots, Ticks};
use xng_core::spot::facts::Units;
use xng_core::spot::{Side, Stp};

/// Whole units of a market; fees and notionals are computed as in the exchange.
pub const UNITS: Units =
    Units { market: MarketId(1), base: AssetId(1), quote: AssetId(3), lot_units: 1_000, tick_lot_units: 10 };
/// Where the price begins, in ticks.
pub const BEGIN: i64 = 100_000;
/// Accounts that resting orders belong to; incoming ones have others, because not every engine knows owners.
const ACCOUNTS: u64 = 1_000;

/// One operation. Its place in the flow, from 1 on, is the id of the order that it brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// A limit order that rests with what is not filled.
    Limit {
        /// Its side.
        side: Side,
        /// Its price.
        ticks: i64,
        /// Its quantity.
        lots: i64,
    },
    /// A cancel.
    Cancel {
        /// The order.
        id: u64,
    },
}

/// A fill: the resting order, its price, the quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// The resting order.
    pub maker: u64,
    /// Its price.
    pub ticks: i64,
    /// The quantity.
    pub lots: i64,
}

/// Something that matches.
pub trait Engine {
    /// Its name and version.
    const NAME: &'static str;
    /// Without orders.
    fn empty() -> Self;
    /// A limit order; what it fills goes to `fills`.
    fn limit(&mut self, id: u64, side: Side, ticks: i64, lots: i64, fills: &mut Vec<Fill>);
    /// A cancel, the `n`th operation; an order that is not there is no error.
    fn cancel(&mut self, n: u64, id: u64);

    /// The `n`th operation.
    fn apply(&mut self, n: u64, op: Op, fills: &mut Vec<Fill>) {
        fills.clear();
        match op {
            Op::Limit { side, ticks, lots } => self.limit(n, side, ticks, lots, fills),
            Op::Cancel { id } => self.cancel(n, id),
        }
    }
}

/// The exchange's book with its matching: fees, self-trade prevention and the bound of a decision included.
#[derive(Debug, Default, Clone)]
pub struct Ours {
    book: Book,
    met: MatchResult,
}

impl Engine for Ours {
    const NAME: &'static str = "xng-core";

    fn empty() -> Ours {
        Ours::default()
    }

    fn limit(&mut self, id: u64, side: Side, ticks: i64, lots: i64, fills: &mut Vec<Fill>) {
        let incoming = Incoming {
            account: AccountId(id % ACCOUNTS + ACCOUNTS),
            side,
            limit: Some(Ticks(ticks)),
            lots: Lots(lots),
            budget: None,
            stp: Stp::ExpireTaker,
            taker_ppm: FeePpm(1_000),
            at_most: MAX_MATCHES,
        };
        match_order(&self.book, &UNITS, &incoming, None, &mut self.met);
        for trade in &self.met.trades {
            self.book.reduce(trade.maker_order, trade.lots);
            fills.push(Fill { maker: trade.maker_order.0, ticks: trade.ticks.0, lots: trade.lots.0 });
        }
        if !self.met.left.is_zero() {
            self.book.insert(Resting {
                order: OrderId(id),
                account: AccountId(id % ACCOUNTS),
                side,
                ticks: Ticks(ticks),
                lots: self.met.left,
                maker_ppm: FeePpm(800),
                quote: false,
            });
        }
    }

    fn cancel(&mut self, _n: u64, id: u64) {
        self.book.remove(OrderId(id));
    }
}

impl Ours {
    /// Orders that rest.
    #[must_use]
    pub fn resting(&self) -> usize {
        self.book.len()
    }
}

/// Operations that bring a book to `resting` orders, then `ops` that keep it there: nine in ten come or go near the
/// touch, one takes. The price wanders.
#[must_use]
pub fn flow(seed: u64, resting: usize, ops: usize) -> Vec<Op> {
    let (mut dice, mut ours, mut fills) = (Dice(seed), Ours::empty(), Vec::new());
    let (mut list, mut live, mut mid) = (Vec::with_capacity(resting + ops), Vec::new(), BEGIN);
    let mut steady = 0;
    while steady < ops {
        let full = ours.resting() >= resting;
        steady += usize::from(full || steady > 0);
        let n = list.len() as u64 + 1;
        mid += dice.below(3) as i64 - 1;
        let side = if dice.below(2) == 0 { Side::Buy } else { Side::Sell };
        let op = match dice.below(10) {
            0 if steady > 0 => Op::Limit { side, ticks: mid - away(side) * 3, lots: 1 + dice.below(120) as i64 },
            _ if full => match some_that_rests(&mut dice, &mut live, &ours) {
                Some(id) => Op::Cancel { id },
                None => continue,
            },
            _ => passive(&mut dice, side, mid),
        };
        ours.apply(n, op, &mut fills);
        if let Op::Limit { .. } = op
            && ours.book.get(OrderId(n)).is_some()
        {
            live.push(n);
        }
        list.push(op);
    }
    list
}

/// Which way prices get worse for who meets this side.
fn away(side: Side) -> i64 {
    match side {
        Side::Buy => -1,
        Side::Sell => 1,
    }
}

/// An order that does not cross the price: most near the touch, some far away.
pub fn passive(dice: &mut Dice, side: Side, mid: i64) -> Op {
    let reach = 1 << dice.below(12);
    let ticks = mid + away(side) * (1 + dice.below(reach) as i64);
    Op::Limit { side, ticks, lots: 1 + dice.below(100) as i64 }
}

/// An order that rests: mostly a young one, as on exchanges.
fn some_that_rests(dice: &mut Dice, live: &mut Vec<u64>, ours: &Ours) -> Option<u64> {
    while !live.is_empty() {
        let young = live.len().min(64) as u64;
        let at = match dice.below(4) {
            0 => dice.below(live.len() as u64) as usize,
            _ => live.len() - 1 - dice.below(young) as usize,
        };
        let id = live.swap_remove(at);
        if ours.book.get(OrderId(id)).is_some() {
            return Some(id);
        }
    }
    None
}
