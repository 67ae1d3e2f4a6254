//! An account's open orders in contracts' books, with sums of them.
//!
//! Owns: the list, and for each contract, side and position what its orders close, claim, and lose at their limits. Never does:
//! judge. Invariants: sums are those of the list, and are no part of a state; what a new order needs costs no look at the
//! others, but at the prices at which they would lose. Rules: `docs/rules/contracts.md "Cross pool"`.
//! Known limits: a loss is rounded once a price, not once an order.

use super::legs::OwnOrder;
use crate::codec::{DecodeError, Reader, Wire};
use crate::contract::book::order::LegSide;
use crate::contract::facts::MarginMode;
use crate::fraction::Fraction;
use crate::ids::{AssetId, MarketId, OrderId};
use crate::market::Side;
use crate::money::{Amount, Lots};
use std::collections::{BTreeMap, BTreeSet};

/// Sums over the orders of one contract, side and position: all have the mode that the account chose.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OrderSum {
    settle: AssetId,
    mode: MarginMode,
    orders: u32,
    closing: Lots,
    /// Margins and fees.
    claims: Amount,
    /// The margins among them.
    margins: Amount,
    /// Fees of the orders that open.
    opening_fees: Amount,
    /// Base of what they open.
    opening: Amount,
    /// Base of the orders at each price, and of what they open.
    by_price: BTreeMap<Amount, (Amount, Amount)>,
}

impl OrderSum {
    fn of(settle: AssetId, mode: MarginMode) -> OrderSum {
        OrderSum {
            settle,
            mode,
            orders: 0,
            closing: Lots::ZERO,
            claims: Amount::ZERO,
            margins: Amount::ZERO,
            opening_fees: Amount::ZERO,
            opening: Amount::ZERO,
            by_price: BTreeMap::new(),
        }
    }

    /// What filling all of them at their limits loses against a mark.
    fn loss(&self, side: Side, mark: Amount) -> Amount {
        self.loss_of(side, mark, |(all, _)| *all)
    }

    /// The same of what they open.
    fn opening_loss(&self, side: Side, mark: Amount) -> Amount {
        self.loss_of(side, mark, |(_, opening)| *opening)
    }

    fn loss_of(&self, side: Side, mark: Amount, base: impl Fn(&(Amount, Amount)) -> Amount) -> Amount {
        let lost = |(price, bases): (&Amount, &(Amount, Amount))| {
            let worse = if side == Side::Buy { *price - mark } else { mark - *price };
            Fraction::value(worse.max(Amount::ZERO), base(bases)).round8()
        };
        match side {
            Side::Buy => self.by_price.range(mark..).map(lost).sum(),
            Side::Sell => self.by_price.range(..mark).map(lost).sum(),
        }
    }
}

/// What orders of books need of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Needs {
    /// Margins and fees, and what the orders lose against the mark when they are filled.
    pub(super) orders: Amount,
    /// The same without the margins: what their fills may take of the equity.
    pub(super) risks: Amount,
}

/// See the module's header.
#[derive(Debug, Default)]
pub(in crate::account) struct OwnOrders {
    /// By id.
    list: Vec<OwnOrder>,
    /// By contract, side and position.
    sums: Vec<(SumKey, OrderSum)>,
    /// Sum of the hashes of all.
    digest: u64,
}

type SumKey = (MarketId, Side, LegSide);

impl OwnOrders {
    /// All, by id.
    pub(super) fn all(&self) -> &[OwnOrder] {
        &self.list
    }

    /// A hash of all.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    fn place(&self, key: SumKey) -> Result<usize, usize> {
        self.sums.binary_search_by_key(&key, |(key, _)| *key)
    }

    fn count(&mut self, own: &OwnOrder, sign: i64) {
        let OwnOrder { rests, units, .. } = own;
        let hash = own.hash();
        self.digest = if sign > 0 { self.digest.wrapping_add(hash) } else { self.digest.wrapping_sub(hash) };
        let key = (units.contract, rests.side, rests.leg);
        let at = self.place(key).unwrap_or_else(|at| {
            self.sums.insert(at, (key, OrderSum::of(units.settle, rests.mode)));
            at
        });
        let sum = &mut self.sums[at].1;
        let signed = |amount: Amount| Amount(amount.0 * i128::from(sign));
        let (margin, fee) = rests.claims(units);
        let price = units.price(rests.ticks);
        sum.orders = if sign > 0 { sum.orders + 1 } else { sum.orders - 1 };
        sum.closing += Lots(rests.closes().0 * sign);
        sum.claims += signed(margin + fee);
        sum.margins += signed(margin);
        let (open, opening) = (signed(units.base(rests.open)), signed(units.base(rests.opens)));
        sum.opening += opening;
        if !rests.opens.is_zero() {
            sum.opening_fees += signed(fee);
        }
        let bases = sum.by_price.entry(price).or_default();
        *bases = (bases.0 + open, bases.1 + opening);
        if bases.0.is_zero() {
            sum.by_price.remove(&price);
        }
        if sum.orders == 0 {
            self.sums.remove(at);
        }
    }

    pub(super) fn insert(&mut self, own: OwnOrder) {
        let at = self.list.partition_point(|other| other.rests.order < own.rests.order);
        self.count(&own, 1);
        self.list.insert(at, own);
    }

    /// Changes one; it leaves when nothing of it is open.
    pub(super) fn change(&mut self, id: OrderId, change: impl FnOnce(&mut OwnOrder)) {
        let at = self.list.binary_search_by_key(&id, |o| o.rests.order).expect("what a fact changes is open");
        let mut own = self.list[at];
        self.count(&own, -1);
        change(&mut own);
        if own.rests.open.is_zero() {
            self.list.remove(at);
            if self.list.is_empty() {
                // Most accounts with a position have no order: its memory is several times the position's.
                *self = OwnOrders::default();
            }
        } else {
            self.count(&own, 1);
            self.list[at] = own;
        }
    }

    /// What orders of a contract, side and position close.
    pub(super) fn closing(&self, contract: MarketId, side: Side, leg: LegSide) -> Lots {
        self.place((contract, side, leg)).map_or(Lots::ZERO, |at| self.sums[at].1.closing)
    }

    fn cross(&self, settle: AssetId) -> impl Iterator<Item = (MarketId, Side, &OrderSum)> {
        let own = self.sums.iter().filter(move |(_, sum)| sum.mode == MarginMode::Cross && sum.settle == settle);
        own.map(|((contract, side, _), sum)| (*contract, *side, sum))
    }

    /// Whether one of them is of the pool of an asset.
    pub(super) fn has_cross(&self, settle: AssetId) -> bool {
        self.cross(settle).next().is_some()
    }

    /// Base of what the cross orders of an asset open, by contract and side.
    pub(super) fn cross_openings(&self, settle: AssetId) -> impl Iterator<Item = (MarketId, Side, Amount)> {
        self.cross(settle).map(|(contract, side, sum)| (contract, side, sum.opening))
    }

    /// What the cross orders of an asset that open could take of the equity: fees, and what is opened at a loss. What closes
    /// brings the pool nearer to a position that it paid for. None when a mark is not known.
    pub(super) fn opening_risks(&self, settle: AssetId, mark: impl Fn(MarketId) -> Option<Amount>) -> Option<Amount> {
        self.cross(settle).try_fold(Amount::ZERO, |risks, (contract, side, sum)| {
            Some(risks + sum.opening_fees + sum.opening_loss(side, mark(contract)?))
        })
    }

    /// The assets of pools that have orders.
    pub(super) fn cross_assets(&self) -> BTreeSet<AssetId> {
        let cross = self.sums.iter().filter(|(_, sum)| sum.mode == MarginMode::Cross);
        cross.map(|(_, sum)| sum.settle).collect()
    }

    /// Cross orders of an asset that would open at a loss against the mark of their contract, those of the contract that loses
    /// most; none when nothing would.
    pub(super) fn losing(
        &self,
        settle: AssetId,
        mark: impl Fn(MarketId) -> Option<Amount>,
    ) -> Option<(MarketId, Vec<OrderId>)> {
        let lost = |(contract, side, sum): (MarketId, Side, &OrderSum)| {
            Some((sum.opening_loss(side, mark(contract)?), contract))
        };
        let (most, contract) = self.cross(settle).filter_map(lost).max()?;
        let at = mark(contract).filter(|_| most.is_positive())?;
        let loses = |o: &&OwnOrder| {
            let is_it = o.units.contract == contract && o.rests.mode == MarginMode::Cross;
            is_it && !o.rests.opens.is_zero() && o.rests.loss(at, &o.units).is_positive()
        };
        Some((contract, self.list.iter().filter(loses).map(|o| o.rests.order).collect()))
    }

    /// What cross orders of an asset need at the marks that `mark` gives; none when it lacks one.
    pub(super) fn needs(&self, settle: AssetId, mark: impl Fn(MarketId) -> Option<Amount>) -> Option<Needs> {
        let mut needs = Needs { orders: Amount::ZERO, risks: Amount::ZERO };
        for (contract, side, sum) in self.cross(settle) {
            let all = sum.claims + sum.loss(side, mark(contract)?);
            needs.orders += all;
            needs.risks += all - sum.margins;
        }
        Some(needs)
    }

    /// What orders of one contract need at a mark.
    pub(super) fn needs_in(&self, contract: MarketId, mark: Amount) -> Amount {
        let own = self.sums.iter().filter(|((of, ..), _)| *of == contract);
        own.map(|((_, side, _), sum)| sum.claims + sum.loss(*side, mark)).sum()
    }
}

/// The list alone.
impl Wire for OwnOrders {
    fn put(&self, out: &mut Vec<u8>) {
        self.list.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut orders = OwnOrders { list: Wire::get(r)?, ..OwnOrders::default() };
        for n in 0..orders.list.len() {
            let own = orders.list[n];
            orders.count(&own, 1);
        }
        Ok(orders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::book::order::{BookOrder, BookUnits};
    use crate::contract::brackets::initial_margin;
    use crate::ids::AccountId;
    use crate::money::{FeePpm, Ticks};

    const C: MarketId = MarketId(512);
    const USDT: AssetId = AssetId(3);

    fn own(n: u64, side: Side, ticks: i64, (open, opens): (i64, i64)) -> OwnOrder {
        let units = BookUnits { contract: C, settle: USDT, lot: Amount(1_000_000), tick: Amount(1_000_000) };
        let rests = BookOrder {
            order: OrderId(n),
            account: AccountId(7),
            side,
            leg: LegSide::Both,
            ticks: Ticks(ticks),
            open: Lots(open),
            opens: Lots(opens),
            multiple: 20,
            mode: MarginMode::Cross,
            valued: units.price(Ticks(ticks)),
            fee_ppm: FeePpm(400),
            locked: Amount::ZERO,
        };
        OwnOrder { rests, units, lots: Lots(open), filled: Lots::ZERO, reduce_only: false, client_id: None, created: n }
    }

    /// What sums stand for: a look at each of them.
    fn looked(orders: &OwnOrders, mark: Amount) -> Needs {
        let all = || orders.all().iter();
        let claims: Amount = all().map(|o| o.needs(mark)).sum();
        let opened = |o: &OwnOrder| Fraction::value(o.rests.valued, o.units.base(o.rests.opens));
        let margins: Amount = all().map(|o| initial_margin(opened(o), o.rests.multiple)).sum();
        Needs { orders: claims, risks: claims - margins }
    }

    #[test]
    fn sums_are_those_of_a_look_at_each_order() {
        let mut orders = OwnOrders::default();
        let mark = Amount(100_000_000);
        for n in 1..=40u64 {
            let side = if n % 3 == 0 { Side::Sell } else { Side::Buy };
            let ticks = 90 + (n as i64 * 7) % 21;
            orders.insert(own(n, side, ticks, (n as i64, n as i64 / 2)));
            if n % 4 == 0 {
                orders.change(OrderId(n - 2), |o| o.rests.reduce(Lots(1), Lots::ZERO, Amount::ZERO));
            }
            if n % 10 == 0 {
                orders.change(OrderId(n - 1), |o| {
                    let (open, opens) = (o.rests.open, o.rests.opens);
                    o.rests.reduce(open, opens, Amount::ZERO);
                });
            }
            for at in [mark, mark - Amount(8_000_000), mark + Amount(8_000_000), Amount(1_000_000)] {
                let sums = orders.needs(USDT, |_| Some(at)).unwrap();
                assert_eq!(sums, looked(&orders, at));
                assert_eq!(sums.orders, orders.needs_in(C, at));
            }
            let sells = orders.all().iter().filter(|o| o.rests.side == Side::Sell);
            let closing: i64 = sells.map(|o| o.rests.closes().0).sum();
            assert_eq!(orders.closing(C, Side::Sell, LegSide::Both), Lots(closing));
        }
        let mut bytes = Vec::new();
        orders.put(&mut bytes);
        let read = OwnOrders::get(&mut Reader::new(&bytes)).unwrap();
        assert_eq!((&read.sums, read.all()), (&orders.sums, orders.all()), "a state's sums are made of its list");
        assert_eq!(orders.needs(USDT, |_| None), None, "a mark that is not known is not guessed");
        assert_eq!(orders.needs(AssetId(9), |_| None), Some(Needs { orders: Amount::ZERO, risks: Amount::ZERO }));
    }

    #[test]
    fn nothing_is_left_of_orders_that_are_gone() {
        let mut orders = OwnOrders::default();
        orders.insert(own(1, Side::Buy, 100, (5, 3)));
        assert!(orders.has_cross(USDT) && !orders.has_cross(AssetId(9)));
        orders.change(OrderId(1), |o| o.rests.reduce(Lots(5), Lots(3), Amount::ZERO));
        assert!(orders.all().is_empty() && orders.sums.is_empty() && !orders.has_cross(USDT));
    }
}
