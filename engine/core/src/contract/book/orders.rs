//! Resting orders of a contract's book, by place and by owner.
//!
//! Owns: what is known of an order beside its place in the queue, sums over each owner's. Never does: keep the queue; find an
//! order by its id. Invariants: an order has the place that it has in the queue's slab, so that one index finds both; sums are
//! those of the orders and no part of a state; the digest is the sum of the orders' hashes.
//! Known limits: whoever reads an owner's orders has them sorted then.

use super::order::{BookOrder, LegSide};
use crate::codec::WordHash;
use crate::ids::{AccountId, OrderId};
use crate::market::Side;
use crate::money::Lots;
use crate::table::{Keyed, Table};
use std::cmp::Reverse;

/// Sums over an account's orders of one position and side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OrderSums {
    /// Lots that they close.
    pub(super) closing: Lots,
    /// What they open, each lot at what it is valued at, in units of 1e-8 for a whole of the base.
    pub(super) opened: i128,
}

impl OrderSums {
    fn count(&mut self, order: &BookOrder, sign: i64) {
        self.closing += Lots(order.closes().0 * sign);
        self.opened += order.valued.0 * i128::from(order.opens.0 * sign);
    }
}

/// Where an order stands among its owner's: those of a position and side from the farthest from the touch on, of equals the
/// youngest first.
type Rank = (LegSide, Side, i64, Reverse<OrderId>);

fn rank(order: &BookOrder) -> Rank {
    let ticks = match order.side {
        Side::Buy => order.ticks.0,
        Side::Sell => -order.ticks.0,
    };
    (order.leg, order.side, ticks, Reverse(order.order))
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    order: BookOrder,
    hash: u64,
    /// Its owner's place.
    owner: u32,
    /// It closed nothing when it came, and never will: what is open of it only becomes less.
    opens: bool,
    /// Places of its owner's orders before and behind it, which need no memory of their own so.
    before: u32,
    /// See there.
    behind: u32,
}

/// No place.
const NONE: u32 = u32::MAX;

/// An account with orders.
#[derive(Debug)]
struct Owner {
    account: AccountId,
    /// By side, the place of one of its orders that close, and of one of those that only open, behind which the others are in
    /// no order: who looks for what closes a leg passes over no others.
    first: [[u32; 2]; 2],
    /// How many it has.
    orders: usize,
    /// By side, of the only position of a contract.
    one_way: [OrderSums; 2],
    /// By side, of the long and the short one, once it had an order of them: few ever do.
    hedged: Option<Box<[[OrderSums; 2]; 2]>>,
}

impl Keyed for Owner {
    fn key(&self) -> u64 {
        self.account.0
    }
}

impl Owner {
    fn of(account: AccountId) -> Owner {
        Owner { account, first: [[NONE; 2]; 2], orders: 0, one_way: Default::default(), hedged: None }
    }

    fn sums(&self, leg: LegSide, side: Side) -> OrderSums {
        let hedged = |nth: usize| self.hedged.as_ref().map_or(OrderSums::default(), |sums| sums[nth][at(side)]);
        match leg {
            LegSide::Both => self.one_way[at(side)],
            LegSide::Long => hedged(0),
            LegSide::Short => hedged(1),
        }
    }

    fn sums_mut(&mut self, leg: LegSide, side: Side) -> &mut OrderSums {
        match leg {
            LegSide::Both => &mut self.one_way[at(side)],
            LegSide::Long => &mut self.hedged.get_or_insert_default()[0][at(side)],
            LegSide::Short => &mut self.hedged.get_or_insert_default()[1][at(side)],
        }
    }
}

fn at(side: Side) -> usize {
    usize::from(side == Side::Sell)
}

/// Orders of a book. See the module's header.
#[derive(Debug, Default)]
pub struct Orders {
    /// By place; what is at that of no order means nothing.
    orders: Vec<Kept>,
    count: usize,
    owners: Table<Owner>,
    digest: u64,
}

fn hash(order: &BookOrder) -> u64 {
    order.hash(WordHash::new(0)).end()
}

impl Orders {
    /// The one that is at a place.
    pub(super) fn at(&self, place: u32) -> &BookOrder {
        &self.orders[place as usize].order
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// True when none rests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All, by id.
    #[must_use]
    pub fn all(&self) -> Vec<&BookOrder> {
        let mut all: Vec<_> = self.owners.values().flat_map(|owner| self.of_owner(owner)).collect();
        all.sort_unstable_by_key(|order| order.order);
        all
    }

    fn of_owner(&self, owner: &Owner) -> impl Iterator<Item = &BookOrder> {
        owner.first.into_iter().flatten().flat_map(|first| self.behind(first))
    }

    /// The order at a place, and those behind it.
    fn behind(&self, first: u32) -> impl Iterator<Item = &BookOrder> {
        let there = |at: u32| (at != NONE).then(|| &self.orders[at as usize]);
        std::iter::successors(there(first), move |kept| there(kept.behind)).map(|kept| &kept.order)
    }

    /// Those of an account, each position and side from the farthest from the touch on.
    #[must_use]
    pub fn of(&self, account: AccountId) -> Vec<&BookOrder> {
        let mut own: Vec<_> = self.owners.get(account.0).into_iter().flat_map(|owner| self.of_owner(owner)).collect();
        own.sort_unstable_by_key(|order| rank(order));
        own
    }

    /// Of an account's orders of a position and side that close and that `may` lets through, the farthest from the touch, of
    /// equals the youngest.
    pub(super) fn farthest_closing(
        &self,
        (account, leg, side): (AccountId, LegSide, Side),
        may: impl Fn(&BookOrder) -> bool,
    ) -> Option<&BookOrder> {
        let own = self.behind(self.owners.get(account.0)?.first[at(side)][0]);
        own.filter(|order| order.leg == leg && !order.closes().is_zero() && may(order)).min_by_key(|order| rank(order))
    }

    /// How many orders an account has, and sums over those of one position and side.
    pub(super) fn of_side(&self, account: AccountId, leg: LegSide, side: Side) -> (usize, OrderSums) {
        self.owners.get(account.0).map_or((0, OrderSums::default()), |owner| (owner.orders, owner.sums(leg, side)))
    }

    /// The sum of their hashes.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    fn owner(&mut self, account: AccountId) -> u32 {
        self.owners.find(account.0).unwrap_or_else(|| self.owners.insert(Owner::of(account)))
    }

    /// Adds an order at a place that is no other's.
    pub(super) fn insert(&mut self, place: u32, order: BookOrder) {
        let (at_owner, hash, opens) = (self.owner(order.account), hash(&order), order.closes().is_zero());
        let owner = &mut self.owners[at_owner];
        let first = &mut owner.first[at(order.side)][usize::from(opens)];
        let behind = std::mem::replace(first, place);
        owner.orders += 1;
        owner.sums_mut(order.leg, order.side).count(&order, 1);
        let kept = Kept { order, hash, owner: at_owner, opens, before: NONE, behind };
        match self.orders.get_mut(place as usize) {
            Some(free) => *free = kept,
            // Places come one after the other, but for those of a state that is read.
            None => self.orders.resize(place as usize + 1, kept),
        }
        if behind != NONE {
            self.orders[behind as usize].before = place;
        }
        self.count += 1;
        self.digest = self.digest.wrapping_add(hash);
    }

    pub(super) fn remove(&mut self, place: u32) {
        let Kept { order, owner, .. } = &self.orders[place as usize];
        self.owners[*owner].sums_mut(order.leg, order.side).count(order, -1);
        self.unlink(place);
    }

    /// Takes an order out of which the sums have nothing any more.
    fn unlink(&mut self, place: u32) {
        let Kept { order: BookOrder { account, side, .. }, hash, owner, opens, before, behind } =
            self.orders[place as usize];
        self.digest = self.digest.wrapping_sub(hash);
        self.count -= 1;
        let owner = &mut self.owners[owner];
        match before {
            NONE => owner.first[at(side)][usize::from(opens)] = behind,
            _ => self.orders[before as usize].behind = behind,
        }
        if behind != NONE {
            self.orders[behind as usize].before = before;
        }
        owner.orders -= 1;
        if owner.orders == 0 {
            self.owners.remove(account.0);
        }
    }

    /// Changes what is open of one; it leaves when nothing is.
    pub(super) fn change(&mut self, place: u32, change: impl FnOnce(&mut BookOrder)) {
        let Kept { order, hash: counted, owner, opens, .. } = &mut self.orders[place as usize];
        let (closes, before) = (order.closes(), order.opens);
        change(order);
        assert!(!*opens || order.closes().is_zero(), "{order:?} closes what it was to open");
        let sums = self.owners[*owner].sums_mut(order.leg, order.side);
        sums.closing += order.closes() - closes;
        sums.opened += order.valued.0 * i128::from((order.opens - before).0);
        if order.open.is_zero() {
            self.unlink(place);
            return;
        }
        let hash = hash(order);
        self.digest = self.digest.wrapping_sub(std::mem::replace(counted, hash)).wrapping_add(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::facts::MarginMode;
    use crate::money::{Amount, FeePpm, Ticks};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn order(id: u64, (account, leg, side): (u64, usize, usize), (ticks, open): (i64, i64)) -> BookOrder {
        BookOrder {
            order: OrderId(id),
            account: AccountId(account),
            side: Side::ALL[side],
            leg: LegSide::ALL[leg],
            ticks: Ticks(ticks),
            open: Lots(open),
            opens: Lots(open / 2),
            multiple: 20,
            mode: MarginMode::Cross,
            valued: Amount(i128::from(ticks) * 7),
            fee_ppm: FeePpm(400),
            locked: Amount::ZERO,
        }
    }

    proptest! {
        #[test]
        fn orders_and_their_sums_are_those_of_a_list(
            steps in prop::collection::vec((0..30_u64, (0..4_u64, 0..3_usize, 0..2_usize), (1..9_i64, 2..9_i64)), 0..200),
        ) {
            let (mut orders, mut list) = (Orders::default(), BTreeMap::<u64, BookOrder>::new());
            let (mut places, mut free) = (BTreeMap::<u64, u32>::new(), (0..30).rev().collect::<Vec<u32>>());
            for (id, whose, what) in steps {
                let place = *places.entry(id).or_insert_with(|| free.pop().expect("as many places as ids"));
                match list.get_mut(&id) {
                    None => {
                        list.insert(id, order(id, whose, what));
                        orders.insert(place, order(id, whose, what));
                    }
                    Some(kept) if kept.open.0 > what.1 => {
                        let take = |o: &mut BookOrder| o.reduce(Lots(what.1), o.opens.min(Lots(what.1)), Amount::ZERO);
                        take(kept);
                        orders.change(place, take);
                    }
                    Some(kept) if what.1 % 2 == 0 => {
                        let (open, opens) = (kept.open, kept.opens);
                        orders.change(place, |o| o.reduce(open, opens, Amount::ZERO));
                        list.remove(&id);
                    }
                    Some(_) => {
                        orders.remove(place);
                        list.remove(&id);
                    }
                }
                match list.get(&id) {
                    Some(kept) => prop_assert_eq!(orders.at(place), kept),
                    None => free.extend(places.remove(&id)),
                }
            }
            prop_assert_eq!(orders.all(), list.values().collect::<Vec<_>>());
            prop_assert_eq!(orders.digest(), list.values().fold(0_u64, |sum, o| sum.wrapping_add(hash(o))));
            for account in (0..4).map(AccountId) {
                let mut own: Vec<_> = list.values().filter(|o| o.account == account).collect();
                own.sort_by_key(|o| rank(o));
                prop_assert_eq!(orders.of(account), own.clone());
                for (leg, side) in LegSide::ALL.iter().flat_map(|leg| Side::ALL.iter().map(move |side| (*leg, *side))) {
                    let alike: Vec<_> = own.iter().copied().filter(|o| (o.leg, o.side) == (leg, side)).collect();
                    let mut sums = OrderSums::default();
                    alike.iter().for_each(|o| sums.count(o, 1));
                    prop_assert_eq!(orders.of_side(account, leg, side), (own.len(), sums));
                    let may = |o: &BookOrder| o.opens.0 > 1;
                    let first = alike.iter().copied().find(|o| !o.closes().is_zero() && may(o));
                    prop_assert_eq!(orders.farthest_closing((account, leg, side), may), first);
                }
            }
        }
    }
}
