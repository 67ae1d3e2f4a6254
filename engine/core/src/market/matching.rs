//! Matching: which resting orders an incoming order trades with, read from the book without changing it.
//!
//! Owns: price-time priority, self-trade prevention, budgets, iceberg slices, the limit of matches per decision.
//! Never does: change the book, know balances.
//! Rules: `docs/rules/spot.md "Matching"` (at most 1,024 trades a decision), "Self-trade prevention", "Icebergs".
//! Invariants: the book is left as it was; trades are ordered by best price, then by arrival. Known limits: a remainder
//! that does not fit into one decision expires with that reason.

use super::book::{Book, Iceberg, Resting, Walk};
use super::{BlockingOrder, EndReason, Prevented, Side, Stp, Trade};
use crate::ids::{AccountId, OrderId};
use crate::money::{Amount, FeePpm, Lots, Ticks};
use std::collections::{BTreeMap, VecDeque};

/// Trades and prevented trades that one decision may make.
pub const MAX_MATCHES: usize = 1_024;

/// What a product says about the trades of its market.
pub trait Trading {
    /// Whether [`MatchResult::trades`] has the trades; who says no keeps its own, as [`Self::admit`] lets them through.
    const TELLS: bool = true;

    /// Price times quantity.
    fn notional(&self, ticks: Ticks, lots: Lots) -> Amount;

    /// What a buyer who comes in pays for a cost at most: the cost alone, where a fee is not on top of it.
    #[inline]
    fn paid(&self, cost: Amount, _taker: FeePpm) -> Amount {
        cost
    }

    /// The fees of maker and taker for a trade whose taker is on `side`.
    fn fees(&self, side: Side, lots: Lots, cost: Amount, rates: MakerTaker<FeePpm>) -> MakerTaker<Amount>;

    /// How much of a trade may be made; so much is made, then.
    #[inline]
    fn admit(&mut self, _maker: &Resting, lots: Lots) -> Admission {
        Admission::Trade(lots)
    }
}

/// A value of each side of a trade.
#[derive(Debug, Clone, Copy)]
pub struct MakerTaker<T> {
    /// Of the order that rested.
    pub maker: T,
    /// Of the order that came in.
    pub taker: T,
}

/// What becomes of a trade that would be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// So much of it is made.
    Trade(Lots),
    /// Nothing is left of the resting order, or it cannot pay; it is passed over.
    Skip,
    /// The incoming order cannot pay; it ends here.
    Stop,
}

/// The incoming order.
#[derive(Debug, Clone, Copy)]
pub struct Incoming {
    /// Whose it is.
    pub account: AccountId,
    /// Its side.
    pub side: Side,
    /// Worst price that it takes.
    pub limit: Option<Ticks>,
    /// Quantity wanted; `Lots(i64::MAX)` when only the budget bounds it.
    pub lots: Lots,
    /// Quote amount that it may spend, when it buys with a bounded hold.
    pub budget: Option<Amount>,
    /// What happens when it meets its owner's own order.
    pub stp: Stp,
    /// Its fee rate.
    pub taker_ppm: FeePpm,
    /// Trades and prevented trades that it may make: [`MAX_MATCHES`], or what the same decision has left of it.
    pub at_most: usize,
}

/// The result of matching one incoming order.
#[derive(Debug, Default, Clone)]
pub struct MatchResult {
    /// Trades in order, where the product wants them ([`Trading::TELLS`]).
    pub trades: Vec<Trade>,
    /// Resting orders of the same account that self-trade prevention reduced or removed.
    pub prevented: Vec<Prevented>,
    /// The resting order of the same account that ended the incoming order and stays as it is.
    pub stopper: Option<BlockingOrder>,
    /// Quantity still wanted.
    pub left: Lots,
    /// Why it stopped before its quantity was filled although prices would have allowed more.
    pub stop: Option<EndReason>,
}

/// Quantities that earlier steps of the same decision took from resting orders.
#[derive(Debug, Default)]
pub struct TakenLots(BTreeMap<OrderId, Lots>);

impl TakenLots {
    /// How much of an order is taken.
    #[must_use]
    pub fn of(&self, order: OrderId) -> Lots {
        self.0.get(&order).copied().unwrap_or(Lots::ZERO)
    }

    /// Adds `lots` to what is taken of an order.
    pub fn take(&mut self, order: OrderId, lots: Lots) {
        *self.0.entry(order).or_insert(Lots::ZERO) += lots;
    }
}

/// A resting order that may trade next, with the quantity that it shows now.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    resting: Resting,
    shown: Lots,
    /// Its hidden quantity and the size of its next slices.
    iceberg: Option<Iceberg>,
}

impl Candidate {
    /// The order less `taken`; none when nothing is left. The flag says whether it has shown a new slice meanwhile.
    fn of(resting: Resting, iceberg: Option<Iceberg>, taken: Lots) -> Option<(Candidate, bool)> {
        if taken < resting.lots {
            return Some((Candidate { resting, shown: resting.lots - taken, iceberg }, false));
        }
        let Iceberg { slice, hidden } = iceberg?;
        let gone = taken - resting.lots;
        let left = hidden - gone;
        if left.0 <= 0 {
            return None;
        }
        let shown = Lots((slice.0 - gone.0 % slice.0).min(left.0));
        Some((Candidate { resting, shown, iceberg: Some(Iceberg { slice, hidden: left - shown }) }, true))
    }

    /// The order with its next slice, once all that it shows is taken.
    fn next_slice(&self) -> Option<Candidate> {
        let Iceberg { slice, hidden } = self.iceberg.filter(|iceberg| !iceberg.hidden.is_zero())?;
        let shown = Lots(slice.0.min(hidden.0));
        Some(Candidate { shown, iceberg: Some(Iceberg { slice, hidden: hidden - shown }), ..*self })
    }

    fn hidden(&self) -> Lots {
        self.iceberg.map_or(Lots::ZERO, |iceberg| iceberg.hidden)
    }
}

/// One side of a book: gives its resting orders in priority.
trait BookSide {
    /// Whether the side may hold icebergs.
    const HAS_ICEBERGS: bool;

    fn next(&mut self, taken: Option<&TakenLots>) -> Option<Candidate>;

    /// Puts an iceberg's next slice behind all other orders of its price.
    fn push_slice(&mut self, slice: Candidate);
}

/// A side without icebergs.
impl BookSide for Walk<'_> {
    const HAS_ICEBERGS: bool = false;

    #[inline]
    fn next(&mut self, taken: Option<&TakenLots>) -> Option<Candidate> {
        loop {
            let resting = Iterator::next(self)?;
            let shown = taken.map_or(resting.lots, |taken| resting.lots - taken.of(resting.order));
            if !shown.is_zero() {
                return Some(Candidate { resting, shown, iceberg: None });
            }
        }
    }

    fn push_slice(&mut self, _slice: Candidate) {
        unreachable!("nothing is hidden here");
    }
}

/// A side with icebergs: the orders of the book and, behind those of each price, the next slices of its icebergs.
struct WithSlices<'a> {
    book: &'a Book,
    walk: std::iter::Peekable<Walk<'a>>,
    ticks: Option<Ticks>,
    slices: VecDeque<Candidate>,
}

impl BookSide for WithSlices<'_> {
    const HAS_ICEBERGS: bool = true;

    fn next(&mut self, taken: Option<&TakenLots>) -> Option<Candidate> {
        loop {
            let here = self.walk.peek().is_some_and(|next| Some(next.ticks) == self.ticks);
            if !here && let Some(slice) = self.slices.pop_front() {
                return Some(slice);
            }
            let resting = self.walk.next()?;
            self.ticks = Some(resting.ticks);
            let gone = taken.map_or(Lots::ZERO, |taken| taken.of(resting.order));
            match Candidate::of(resting, self.book.iceberg(resting.order), gone) {
                Some((candidate, false)) => return Some(candidate),
                Some((candidate, true)) => self.slices.push_back(candidate),
                None => {}
            }
        }
    }

    fn push_slice(&mut self, slice: Candidate) {
        self.slices.push_back(slice);
    }
}

fn within(side: Side, limit: Option<Ticks>, ticks: Ticks) -> bool {
    match (side, limit) {
        (_, None) => true,
        (Side::Buy, Some(limit)) => ticks <= limit,
        (Side::Sell, Some(limit)) => ticks >= limit,
    }
}

/// Matches `incoming` against the opposite side of `book` into `out`, whose memory is reused. `taken` holds what earlier
/// steps of the same decision took and is extended; a decision about a single order needs none.
pub fn match_order(
    book: &Book,
    units: impl Trading,
    incoming: &Incoming,
    taken: Option<&mut TakenLots>,
    out: &mut MatchResult,
) {
    out.trades.clear();
    out.prevented.clear();
    (out.left, out.stop, out.stopper) = (incoming.lots, None, None);
    // An order that crosses nothing does not read the order at the touch, which may be in no cache.
    let best = book.best(incoming.side.opposite());
    if !best.is_some_and(|best| within(incoming.side, incoming.limit, best)) {
        return;
    }
    let walk = book.walk(incoming.side.opposite());
    if book.has_icebergs() {
        let (walk, slices) = (walk.peekable(), VecDeque::new());
        match_side(WithSlices { book, walk, ticks: None, slices }, units, incoming, taken, out);
    } else {
        match_side(walk, units, incoming, taken, out);
    }
}

#[inline]
fn match_side<S: BookSide, T: Trading>(
    mut side: S,
    mut units: T,
    incoming: &Incoming,
    mut taken: Option<&mut TakenLots>,
    out: &mut MatchResult,
) {
    let (mut budget, mut untold, mut last) = (incoming.budget, 0, None);
    // With nothing left the next candidate is not read: it may be in no cache.
    while !out.left.is_zero()
        && let Some(candidate) = side.next(taken.as_deref())
    {
        let Candidate { resting, shown, .. } = candidate;
        if !within(incoming.side, incoming.limit, resting.ticks) {
            break;
        }
        let made = if T::TELLS { out.trades.len() } else { untold };
        if made + out.prevented.len() >= incoming.at_most {
            out.stop = Some(EndReason::TradeLimit);
            break;
        }
        // A budget that pays for no lot at this price ends the order, before self-trade prevention too.
        let can = affordable(&units, budget, incoming.taker_ppm, resting.ticks);
        if can == 0 {
            out.stop = Some(EndReason::Budget);
            break;
        }
        if resting.account == incoming.account {
            if prevent(&candidate, incoming, (&units, &mut budget), &mut side, out) {
                continue;
            }
            out.stop = Some(EndReason::SelfTrade);
            break;
        }
        let lots = Lots(out.left.0.min(shown.0).min(can));
        let lots = match units.admit(&resting, lots) {
            Admission::Trade(lots) => lots,
            Admission::Skip => continue,
            Admission::Stop => {
                out.stop = Some(EndReason::Protection);
                break;
            }
        };
        let cost = if T::TELLS || budget.is_some() { units.notional(resting.ticks, lots) } else { Amount::ZERO };
        budget = budget.map(|b| b - units.paid(cost, incoming.taker_ppm));
        (out.left, last) = (out.left - lots, Some(resting.ticks));
        if let Some(taken) = &mut taken {
            taken.take(resting.order, lots);
        }
        let next = if S::HAS_ICEBERGS && lots == shown { candidate.next_slice() } else { None };
        if T::TELLS {
            out.trades.push(trade(&units, incoming, &candidate, lots, next.as_ref(), cost));
        } else {
            untold += 1;
        }
        if let Some(next) = next {
            side.push_slice(next);
        }
    }
    // A rest of the budget that pays for no further lot at the last price counts as used up.
    let short = |(left, last)| left < lot_costs(&units, incoming.taker_ppm, last);
    if out.stop.is_none() && !out.left.is_zero() && budget.zip(last).is_some_and(short) {
        out.stop = Some(EndReason::Budget);
    }
}

/// What a buyer who comes in pays for a lot.
#[inline]
fn lot_costs(units: &impl Trading, taker: FeePpm, ticks: Ticks) -> Amount {
    units.paid(units.notional(ticks, Lots(1)), taker)
}

/// Lots that a budget pays for at a price.
#[inline]
fn affordable(units: &impl Trading, budget: Option<Amount>, taker: FeePpm, ticks: Ticks) -> i64 {
    budget.map_or(i64::MAX, |b| i64::try_from(b.0 / lot_costs(units, taker, ticks).0).unwrap_or(i64::MAX))
}

fn trade(
    units: &impl Trading,
    incoming: &Incoming,
    candidate: &Candidate,
    lots: Lots,
    next: Option<&Candidate>,
    cost: Amount,
) -> Trade {
    let resting = &candidate.resting;
    let rates = MakerTaker { maker: resting.maker_ppm, taker: incoming.taker_ppm };
    let fees = units.fees(incoming.side, lots, cost, rates);
    Trade {
        maker_order: resting.order,
        maker: resting.account,
        ticks: resting.ticks,
        lots,
        maker_fee: fees.maker,
        taker_fee: fees.taker,
        maker_done: lots == candidate.shown && next.is_none(),
        maker_quote: resting.quote,
        refill: next.map_or(Lots::ZERO, |next| next.shown),
    }
}

/// Self-trade prevention against a resting order of the same account. True: matching goes on; false: it ends here.
fn prevent(
    candidate: &Candidate,
    incoming: &Incoming,
    (units, budget): (&impl Trading, &mut Option<Amount>),
    side: &mut impl BookSide,
    out: &mut MatchResult,
) -> bool {
    let resting = &candidate.resting;
    let prevented = Prevented {
        order: resting.order,
        account: resting.account,
        ticks: resting.ticks,
        lots: candidate.shown + candidate.hidden(),
        closed: true,
        quote: resting.quote,
        hidden: candidate.hidden(),
        refill: Lots::ZERO,
        after: Some(out.trades.len() as u32),
    };
    let taker = incoming.taker_ppm;
    match incoming.stp {
        Stp::ExpireTaker => {
            let Prevented { order, ticks, lots, .. } = prevented;
            out.stopper = Some(BlockingOrder { order, ticks, lots });
            false
        }
        Stp::ExpireMaker => {
            out.prevented.push(prevented);
            true
        }
        Stp::ExpireBoth => {
            out.prevented.push(prevented);
            false
        }
        Stp::Decrement => {
            // The prevented quantity uses the budget as a trade would.
            let lots = Lots(candidate.shown.0.min(out.left.0).min(affordable(units, *budget, taker, resting.ticks)));
            *budget = budget.map(|b| b - units.paid(units.notional(resting.ticks, lots), taker));
            let next = if lots == candidate.shown { candidate.next_slice() } else { None };
            let (closed, refill) =
                (lots == candidate.shown && next.is_none(), next.map_or(Lots::ZERO, |next| next.shown));
            out.prevented.push(Prevented { lots, closed, hidden: Lots::ZERO, refill, ..prevented });
            if let Some(next) = next {
                side.push_slice(next);
            }
            out.left -= lots;
            // With nothing left of the incoming order, self-trade prevention ended it.
            !out.left.is_zero() && affordable(units, *budget, taker, resting.ticks) > 0
        }
    }
}
