//! Orders that trail the best price of one direction.
//!
//! Owns: whose best is what, and who fires next. Never does: know an order beyond its id and distance.
//! Layout: orders with the same best are one group, because from then on the price moves their bests together; each group
//! lies in `next` by the price at which its nearest member fires.
//! Invariants: bests only get better; `next` has each group once; `digest` is the sum of the groups' hashes.
//! Complexity: a price that is the best for many costs as many groups, not as many orders; each order is moved to another
//! group at most log n times.
//! Known limits: leaving looks through the groups.
//! Rules: `docs/rules/spot.md "Trailing stops"`. Prices here are ticks, negated for orders that follow
//! the lowest price, so that better is always higher.

use crate::codec::{WordHash, mix64};
use crate::ids::OrderId;
use std::collections::{BTreeMap, BTreeSet};

/// Distances are told in parts of this.
const WHOLE_BIPS: i128 = 10_000;

#[derive(Debug, Default, Clone)]
struct Group {
    members: BTreeSet<(u32, OrderId)>,
    /// Sum of the members' hashes.
    sum: u64,
}

fn member_hash((bips, order): (u32, OrderId)) -> u64 {
    mix64(order.0 ^ mix64(u64::from(bips)))
}

impl Group {
    fn insert(&mut self, member: (u32, OrderId)) {
        if self.members.insert(member) {
            self.sum = self.sum.wrapping_add(member_hash(member));
        }
    }

    fn remove(&mut self, member: (u32, OrderId)) -> bool {
        let was = self.members.remove(&member);
        if was {
            self.sum = self.sum.wrapping_sub(member_hash(member));
        }
        was
    }

    /// Both in one; the smaller one is moved.
    fn merge(self, other: Group) -> Group {
        let (mut large, small) = if self.members.len() < other.members.len() { (other, self) } else { (self, other) };
        small.members.into_iter().for_each(|member| large.insert(member));
        large
    }

    fn hash(&self, best: i64) -> u64 {
        WordHash::new(self.sum).word(best as u64).end()
    }
}

/// See the module's header.
#[derive(Debug, Default, Clone)]
pub(super) struct Trail {
    groups: BTreeMap<i64, Group>,
    /// Price at which a group's nearest member fires, and the group's best.
    next: BTreeSet<(i64, i64)>,
    digest: u64,
}

/// The price at which an order of this distance fires. With negated prices the distance is added to them, as it is there.
fn fires_at(best: i64, bips: u32) -> i64 {
    let away = if best < 0 { WHOLE_BIPS + i128::from(bips) } else { WHOLE_BIPS - i128::from(bips) };
    (i128::from(best) * away).div_euclid(WHOLE_BIPS) as i64
}

impl Trail {
    fn take_group(&mut self, best: i64) -> Option<Group> {
        let group = self.groups.remove(&best)?;
        if let Some((bips, _)) = group.members.first() {
            self.next.remove(&(fires_at(best, *bips), best));
        }
        self.digest = self.digest.wrapping_sub(group.hash(best));
        Some(group)
    }

    fn put_group(&mut self, best: i64, group: Group) {
        let Some((bips, _)) = group.members.first() else { return };
        self.next.insert((fires_at(best, *bips), best));
        self.digest = self.digest.wrapping_add(group.hash(best));
        self.groups.insert(best, group);
    }

    /// An order trails from this price on.
    pub(super) fn add(&mut self, best: i64, bips: u32, order: OrderId) {
        let mut group = self.take_group(best).unwrap_or_default();
        group.insert((bips, order));
        self.put_group(best, group);
    }

    /// An order leaves; false when it does not trail.
    pub(super) fn remove(&mut self, bips: u32, order: OrderId) -> bool {
        let member = (bips, order);
        let best = self.groups.iter().find(|(_, group)| group.members.contains(&member)).map(|(best, _)| *best);
        let Some((best, mut group)) = best.and_then(|best| Some((best, self.take_group(best)?))) else { return false };
        let was = group.remove(member);
        self.put_group(best, group);
        was
    }

    /// The price is now here: who follows it upwards has a new best.
    pub(super) fn follow(&mut self, price: i64) {
        if self.groups.first_key_value().is_none_or(|(best, _)| *best >= price) {
            return;
        }
        let mut all = self.take_group(price).unwrap_or_default();
        while let Some(best) = self.groups.first_key_value().map(|(best, _)| *best).filter(|best| *best < price) {
            all = self.take_group(best).unwrap_or_default().merge(all);
        }
        self.put_group(price, all);
    }

    /// The next order that a price this far back fires; it leaves.
    pub(super) fn fire(&mut self, price: i64) -> Option<OrderId> {
        let (_, best) = self.next.last().copied().filter(|(fires, _)| price <= *fires)?;
        let mut group = self.take_group(best)?;
        let member = group.members.first().copied()?;
        group.remove(member);
        self.put_group(best, group);
        Some(member.1)
    }

    /// Every order with its best.
    pub(super) fn all(&self) -> impl Iterator<Item = (OrderId, i64)> {
        self.groups.iter().flat_map(|(best, group)| group.members.iter().map(|(_, order)| (*order, *best)))
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Each order by itself: bests and distances.
    #[derive(Default)]
    struct Plain(BTreeMap<OrderId, (i64, u32)>);

    impl Plain {
        fn fired(&mut self, price: i64) -> Vec<OrderId> {
            let fires = |(_, (best, bips)): &(&OrderId, &(i64, u32))| price <= fires_at(*best, *bips);
            let fired: Vec<OrderId> = self.0.iter().filter(fires).map(|(order, _)| *order).collect();
            self.0.retain(|order, _| !fired.contains(order));
            fired
        }
    }

    proptest! {
        #[test]
        fn groups_say_what_each_order_by_itself_says(
            negated: bool,
            steps in prop::collection::vec((0..4_u8, 9_000..11_000_i64, 10..2_000_u32), 1..200),
        ) {
            let (mut trail, mut plain) = (Trail::default(), Plain::default());
            for (n, (kind, price, bips)) in steps.into_iter().enumerate() {
                let (price, order) = (if negated { -price } else { price }, OrderId(n as u64));
                match kind {
                    0 => {
                        trail.add(price, bips, order);
                        plain.0.insert(order, (price, bips));
                    }
                    1 if !plain.0.is_empty() => {
                        let (order, (_, bips)) = plain.0.pop_first().expect("one is there");
                        prop_assert!(trail.remove(bips, order));
                        prop_assert!(!trail.remove(bips, order));
                    }
                    _ => {
                        trail.follow(price);
                        plain.0.values_mut().for_each(|(best, _)| *best = (*best).max(price));
                        let mut fired: Vec<OrderId> = std::iter::from_fn(|| trail.fire(price)).collect();
                        fired.sort_unstable();
                        prop_assert_eq!(fired, plain.fired(price));
                    }
                }
                let all: BTreeMap<OrderId, i64> = trail.all().collect();
                let plain: BTreeMap<OrderId, i64> = plain.0.iter().map(|(o, (best, _))| (*o, *best)).collect();
                prop_assert_eq!(all, plain);
            }
            let mut again = Trail::default();
            for (order, best) in trail.all() {
                let bips = trail.groups[&best].members.iter().find(|(_, o)| *o == order).expect("a member").0;
                again.add(best, bips, order);
            }
            prop_assert_eq!(again.digest(), trail.digest());
        }
    }

    #[test]
    fn the_documents_scenario_fires_at_its_price() {
        let mut sells = Trail::default();
        sells.add(39_000, 1_000, OrderId(1));
        for price in [37_000, 41_000, 36_901] {
            sells.follow(price);
            assert_eq!(sells.fire(price), None, "at {price}");
        }
        assert_eq!(sells.fire(36_900), Some(OrderId(1)), "10 % below the highest, 41,000");
        let mut buys = Trail::default();
        buys.add(-44_000, 500, OrderId(2));
        for price in [46_000, 42_000, 44_099] {
            buys.follow(-price);
            assert_eq!(buys.fire(-price), None, "at {price}");
        }
        assert_eq!(buys.fire(-44_100), Some(OrderId(2)), "5 % above the lowest, 42,000");
    }
}
