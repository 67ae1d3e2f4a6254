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
use crate::fraction::share8;
use crate::ids::{AssetId, MarketId, OrderId};
use crate::market::Side;
use crate::money::{Amount, Lots};
use std::collections::BTreeSet;
use std::ops::Deref;

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
    /// By price.
    by_price: Vec<Level>,
}

/// The orders of a sum at one price.
// An allocator has places of a power of two at hand: others cost it several times as much.
#[derive(Debug, PartialEq, Eq)]
#[repr(align(64))]
struct Level {
    price: Amount,
    /// Base of them.
    open: Amount,
    /// Base of what they open.
    opening: Amount,
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
            by_price: Vec::new(),
        }
    }

    fn add(&mut self, part: &Part) {
        self.closing += part.closing;
        self.claims += part.margin + part.fee;
        self.margins += part.margin;
        self.opening_fees += part.opening_fee;
        self.opening += part.opening;
        let at = self.by_price.binary_search_by_key(&part.price, |level| level.price).unwrap_or_else(|at| {
            let level = Level { price: part.price, open: Amount::ZERO, opening: Amount::ZERO };
            insert_sparingly(&mut self.by_price, at, level);
            at
        });
        let level = &mut self.by_price[at];
        level.open += part.open;
        level.opening += part.opening;
        if level.open.is_zero() {
            self.by_price.remove(at);
        }
    }

    /// What filling all of them at their limits loses against a mark.
    fn loss(&self, side: Side, mark: Amount) -> Amount {
        self.loss_of(side, mark, |level| level.open)
    }

    /// The same of what they open.
    fn opening_loss(&self, side: Side, mark: Amount) -> Amount {
        self.loss_of(side, mark, |level| level.opening)
    }

    fn loss_of(&self, side: Side, mark: Amount, base: impl Fn(&Level) -> Amount) -> Amount {
        let lost = |level: &Level| {
            let worse = if side == Side::Buy { level.price - mark } else { mark - level.price };
            share8(worse.max(Amount::ZERO), base(level), (1, 1))
        };
        // From the price on that loses most: nearly always few do, or none.
        match side {
            Side::Buy => self.by_price.iter().rev().take_while(|level| level.price > mark).map(lost).sum(),
            Side::Sell => self.by_price.iter().take_while(|level| level.price < mark).map(lost).sum(),
        }
    }
}

/// What one order adds to the sum that it belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Part {
    price: Amount,
    closing: Lots,
    margin: Amount,
    fee: Amount,
    /// The fee, of one that opens.
    opening_fee: Amount,
    open: Amount,
    opening: Amount,
}

impl Part {
    fn of(own: &OwnOrder) -> Part {
        let OwnOrder { rests, units, .. } = own;
        let (margin, fee) = rests.claims(units);
        Part {
            price: units.price(rests.ticks),
            closing: rests.closes(),
            margin,
            fee,
            opening_fee: if rests.opens.is_zero() { Amount::ZERO } else { fee },
            open: units.base(rests.open),
            opening: units.base(rests.opens),
        }
    }

    /// What this is more than another one of the same price.
    fn less(&self, other: &Part) -> Part {
        Part {
            price: self.price,
            closing: self.closing - other.closing,
            margin: self.margin - other.margin,
            fee: self.fee - other.fee,
            opening_fee: self.opening_fee - other.opening_fee,
            open: self.open - other.open,
            opening: self.opening - other.opening,
        }
    }
}

/// An order with what of it is in sum and digest.
#[derive(Debug, PartialEq, Eq)]
struct Counted {
    own: OwnOrder,
    hash: u64,
    part: Part,
}

/// An open order in its owner's list, which moves what follows when one leaves.
#[derive(Debug, PartialEq, Eq)]
pub struct ListedOrder {
    id: OrderId,
    counted: Box<Counted>,
}

impl Deref for ListedOrder {
    type Target = OwnOrder;
    fn deref(&self) -> &OwnOrder {
        &self.counted.own
    }
}

impl ListedOrder {
    fn of(own: OwnOrder) -> ListedOrder {
        let (hash, part) = (own.hash(), Part::of(&own));
        ListedOrder { id: own.rests.order, counted: Box::new(Counted { own, hash, part }) }
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
    list: Vec<ListedOrder>,
    /// By contract, side and position.
    sums: Sums,
    /// Sum of the hashes of all.
    digest: u64,
}

type SumKey = (MarketId, Side, LegSide);
type Sums = Vec<(SumKey, OrderSum)>;

fn place(sums: &Sums, key: SumKey) -> Result<usize, usize> {
    sums.binary_search_by_key(&key, |(key, _)| *key)
}

/// Inserts a value; the first one of a list gets room for itself alone, since most accounts have one order at most.
fn insert_sparingly<T>(list: &mut Vec<T>, at: usize, value: T) {
    if list.capacity() == 0 {
        *list = Vec::with_capacity(1);
    }
    list.insert(at, value);
}

/// The sum that an order belongs to.
fn sum_of<'a>(sums: &'a mut Sums, own: &OwnOrder) -> (usize, &'a mut OrderSum) {
    let OwnOrder { rests, units, .. } = own;
    let key = (units.contract, rests.side, rests.leg);
    let at = place(sums, key).unwrap_or_else(|at| {
        insert_sparingly(sums, at, (key, OrderSum::of(units.settle, rests.mode)));
        at
    });
    (at, &mut sums[at].1)
}

impl OwnOrders {
    /// All, by id.
    pub(super) fn all(&self) -> &[ListedOrder] {
        &self.list
    }

    /// A hash of all.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    pub(super) fn insert(&mut self, own: OwnOrder) {
        let listed = ListedOrder::of(own);
        let Counted { own, hash, part } = &*listed.counted;
        self.digest = self.digest.wrapping_add(*hash);
        let (_, sum) = sum_of(&mut self.sums, own);
        sum.orders += 1;
        sum.add(part);
        // A new order has the largest id, nearly always.
        let is_last = self.list.last().is_none_or(|last| last.id < listed.id);
        let at = if is_last { self.list.len() } else { self.list.partition_point(|other| other.id < listed.id) };
        if self.list.capacity() == 0 {
            // As many as it would grow to.
            self.list = Vec::with_capacity(4);
        }
        self.list.insert(at, listed);
    }

    /// Changes one; it leaves when nothing of it is open.
    pub(super) fn change(&mut self, id: OrderId, change: impl FnOnce(&mut OwnOrder)) {
        let at = self.list.binary_search_by_key(&id, |o| o.id).expect("what a fact changes is open");
        let Counted { own, hash, part } = &mut *self.list[at].counted;
        change(own);
        self.digest = self.digest.wrapping_sub(*hash);
        if !own.rests.open.is_zero() {
            let (before, after) = (std::mem::replace(part, Part::of(own)), own.hash());
            *hash = after;
            self.digest = self.digest.wrapping_add(after);
            sum_of(&mut self.sums, own).1.add(&part.less(&before));
            return;
        }
        let gone = self.list.remove(at);
        if self.list.is_empty() {
            // Most accounts with a position have no order: its memory is several times the position's.
            *self = OwnOrders::default();
            return;
        }
        let Counted { own, part, .. } = &*gone.counted;
        let (place, sum) = sum_of(&mut self.sums, own);
        sum.add(&Part { price: part.price, ..Part::default() }.less(part));
        sum.orders -= 1;
        if sum.orders == 0 {
            self.sums.remove(place);
        }
    }

    /// What orders of a contract, side and position close.
    pub(super) fn closing(&self, contract: MarketId, side: Side, leg: LegSide) -> Lots {
        place(&self.sums, (contract, side, leg)).map_or(Lots::ZERO, |at| self.sums[at].1.closing)
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
        let loses = |o: &&ListedOrder| {
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
        (self.list.len() as u64).put(out);
        self.list.iter().for_each(|listed| listed.counted.own.put(out));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut orders = OwnOrders::default();
        Vec::<OwnOrder>::get(r)?.into_iter().for_each(|own| orders.insert(own));
        Ok(orders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::book::order::{BookOrder, BookUnits};
    use crate::contract::brackets::initial_margin;
    use crate::fraction::Fraction;
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
