//! Resting orders of a contract's book, by id and by owner.
//!
//! Owns: what is known of an order beside its place in the queue, sums over each owner's. Never does: keep the queue. Invariants:
//! sums are those of the orders and no part of a state; the digest is the sum of the orders' hashes.
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
    /// Its place among its owner's.
    nth: u32,
    /// Its owner's place.
    owner: u32,
}

impl Keyed for Kept {
    fn key(&self) -> u64 {
        self.order.order.0
    }
}

/// An account with orders.
#[derive(Debug, Default)]
struct Owner {
    account: AccountId,
    /// Places of its orders, in no order.
    orders: Vec<u32>,
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
    orders: Table<Kept>,
    owners: Table<Owner>,
    digest: u64,
}

fn hash(order: &BookOrder) -> u64 {
    order.hash(WordHash::new(0)).end()
}

impl Orders {
    /// One of them.
    #[must_use]
    pub fn get(&self, order: OrderId) -> Option<&BookOrder> {
        self.orders.get(order.0).map(|kept| &kept.order)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// True when none rests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.orders.len() == 0
    }

    /// All, by id.
    #[must_use]
    pub fn all(&self) -> Vec<&BookOrder> {
        let mut all: Vec<_> = self.owners.values().flat_map(|owner| self.of_owner(owner)).collect();
        all.sort_unstable_by_key(|order| order.order);
        all
    }

    fn of_owner(&self, owner: &Owner) -> impl Iterator<Item = &BookOrder> {
        owner.orders.iter().map(|at| &self.orders[*at].order)
    }

    /// Those of an account, each position and side from the farthest from the touch on.
    #[must_use]
    pub fn of(&self, account: AccountId) -> Vec<&BookOrder> {
        let mut own: Vec<_> = self.owners.get(account.0).into_iter().flat_map(|owner| self.of_owner(owner)).collect();
        own.sort_unstable_by_key(|order| rank(order));
        own
    }

    /// Of an account's orders of a position and side that `may` lets through, the farthest from the touch, of equals the
    /// youngest.
    pub(super) fn farthest(
        &self,
        (account, leg, side): (AccountId, LegSide, Side),
        may: impl Fn(&BookOrder) -> bool,
    ) -> Option<&BookOrder> {
        let own = self.owners.get(account.0).into_iter().flat_map(|owner| self.of_owner(owner));
        own.filter(|order| (order.leg, order.side) == (leg, side) && may(order)).min_by_key(|order| rank(order))
    }

    /// How many orders an account has, and sums over those of one position and side.
    pub(super) fn of_side(&self, account: AccountId, leg: LegSide, side: Side) -> (usize, OrderSums) {
        self.owners
            .get(account.0)
            .map_or((0, OrderSums::default()), |owner| (owner.orders.len(), owner.sums(leg, side)))
    }

    /// The sum of their hashes.
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    fn owner(&mut self, account: AccountId) -> u32 {
        self.owners.find(account.0).unwrap_or_else(|| self.owners.insert(Owner { account, ..Owner::default() }))
    }

    pub(super) fn insert(&mut self, order: BookOrder) {
        let (at_owner, hash) = (self.owner(order.account), hash(&order));
        let owner = &mut self.owners[at_owner];
        let nth = u32::try_from(owner.orders.len()).expect("fewer than 2^32 orders");
        owner.orders.push(self.orders.insert(Kept { order, hash, nth, owner: at_owner }));
        owner.sums_mut(order.leg, order.side).count(&order, 1);
        self.digest = self.digest.wrapping_add(hash);
    }

    pub(super) fn remove(&mut self, id: OrderId) -> BookOrder {
        let Kept { order, hash, nth, owner } = *self.orders.remove(id.0).expect("what a fact changes rests");
        self.digest = self.digest.wrapping_sub(hash);
        let owner = &mut self.owners[owner];
        owner.orders.swap_remove(nth as usize);
        if let Some(moved) = owner.orders.get(nth as usize) {
            self.orders[*moved].nth = nth;
        }
        owner.sums_mut(order.leg, order.side).count(&order, -1);
        if owner.orders.is_empty() {
            self.owners.remove(order.account.0);
        }
        order
    }

    /// Changes what is open of one; it leaves when nothing is.
    pub(super) fn change(&mut self, id: OrderId, change: impl FnOnce(&mut BookOrder)) {
        let at = self.orders.find(id.0).expect("what a fact changes rests");
        let kept = &mut self.orders[at];
        let mut after = kept.order;
        change(&mut after);
        if after.open.is_zero() {
            self.remove(id);
            return;
        }
        let (before, hash) = (std::mem::replace(&mut kept.order, after), hash(&after));
        self.digest = self.digest.wrapping_sub(std::mem::replace(&mut kept.hash, hash)).wrapping_add(hash);
        let sums = self.owners[kept.owner].sums_mut(after.leg, after.side);
        sums.count(&before, -1);
        sums.count(&after, 1);
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
            for (id, whose, what) in steps {
                match list.get_mut(&id) {
                    None => {
                        list.insert(id, order(id, whose, what));
                        orders.insert(order(id, whose, what));
                    }
                    Some(kept) if kept.open.0 > what.1 => {
                        let take = |o: &mut BookOrder| o.reduce(Lots(what.1), o.opens.min(Lots(what.1)), Amount::ZERO);
                        take(kept);
                        orders.change(OrderId(id), take);
                    }
                    Some(kept) if what.1 % 2 == 0 => {
                        let (open, opens) = (kept.open, kept.opens);
                        orders.change(OrderId(id), |o| o.reduce(open, opens, Amount::ZERO));
                        list.remove(&id);
                    }
                    Some(kept) => {
                        prop_assert_eq!(orders.remove(OrderId(id)), *kept);
                        list.remove(&id);
                    }
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
                    let first = alike.iter().copied().find(|o| may(o));
                    prop_assert_eq!(orders.farthest((account, leg, side), may), first);
                }
            }
        }
    }
}
