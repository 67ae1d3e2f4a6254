//! The alarms of all entities, in order of their prices.
//!
//! Owns: which entities look again at which prices of which contract, and those whose price was reached. Never does: call an
//! entity; judge a price. Invariants: it is in memory only, derived from states and board; an entity that was reached has
//! no alarms until it has looked. Known limits: when a contract's parameters change, all with alarms on it are asked for new
//! ones in one turn.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xng_core::entity::{Alarm, Crossing, LivePrices, PriceAxis};
use xng_core::ids::{EntityId, MarketId};
use xng_core::money::Amount;

/// Alarms on one price of a contract.
#[derive(Debug, Default)]
struct Axis {
    down: BTreeSet<(Amount, EntityId)>,
    up: BTreeSet<(Amount, EntityId)>,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    axes: BTreeMap<(MarketId, PriceAxis), Axis>,
    /// Number of the last price of each contract.
    seen: BTreeMap<MarketId, u64>,
    of: BTreeMap<EntityId, Box<[Alarm]>>,
    reached: VecDeque<EntityId>,
}

impl Alarms {
    /// The alarms that an entity has from now on, in any order.
    pub(crate) fn set(&mut self, entity: EntityId, alarms: &mut Vec<Alarm>) {
        alarms.sort_unstable();
        alarms.dedup();
        if self.of.get(&entity).map_or(&[][..], |alarms| alarms) == alarms {
            return;
        }
        self.remove(entity);
        for alarm in &*alarms {
            let axis = self.axes.entry((alarm.contract, alarm.axis)).or_default();
            axis.of(alarm.crossing).insert((alarm.price, entity));
        }
        if !alarms.is_empty() {
            self.of.insert(entity, Box::from(&alarms[..]));
        }
    }

    fn remove(&mut self, entity: EntityId) {
        for alarm in self.of.remove(&entity).unwrap_or_default() {
            if let Some(axis) = self.axes.get_mut(&(alarm.contract, alarm.axis)) {
                axis.of(alarm.crossing).remove(&(alarm.price, entity));
            }
        }
    }

    /// Whether these are other prices than those that were seen last.
    pub(crate) fn is_news(&self, now: &LivePrices) -> bool {
        self.seen.get(&now.contract) != Some(&now.seq)
    }

    /// Who has alarms on a contract.
    pub(crate) fn on(&self, contract: MarketId) -> BTreeSet<EntityId> {
        let axes = [PriceAxis::Index, PriceAxis::Mark].map(|axis| self.axes.get(&(contract, axis)));
        let alarms = axes.into_iter().flatten().flat_map(|axis| axis.down.iter().chain(&axis.up));
        alarms.map(|(_, entity)| *entity).collect()
    }

    /// A contract's prices are these now: whose price is reached looks again, once for each price.
    pub(crate) fn moved(&mut self, now: LivePrices) {
        if !self.is_news(&now) {
            return;
        }
        self.seen.insert(now.contract, now.seq);
        for (axis, price) in [(PriceAxis::Index, now.index), (PriceAxis::Mark, now.mark)] {
            while let Some(entity) = self.axes.get(&(now.contract, axis)).and_then(|axis| axis.reached(price)) {
                self.remove(entity);
                self.reached.push_back(entity);
            }
        }
    }

    /// One whose price was reached looks again.
    pub(crate) fn look_again(&mut self, entity: EntityId) {
        self.reached.push_back(entity);
    }

    /// The next entity whose price was reached.
    pub(crate) fn take_reached(&mut self) -> Option<EntityId> {
        self.reached.pop_front()
    }

    /// Whether somebody's price was reached.
    pub(crate) fn is_reached(&self) -> bool {
        !self.reached.is_empty()
    }
}

impl Axis {
    fn of(&mut self, crossing: Crossing) -> &mut BTreeSet<(Amount, EntityId)> {
        match crossing {
            Crossing::Down => &mut self.down,
            Crossing::Up => &mut self.up,
        }
    }

    /// One whose price is reached: those that fall are reached from the highest price on, those that rise from the lowest.
    fn reached(&self, last: Amount) -> Option<EntityId> {
        let down = self.down.last().filter(|(price, _)| Crossing::Down.is_reached(*price, last));
        let up = self.up.first().filter(|(price, _)| Crossing::Up.is_reached(*price, last));
        down.or(up).map(|(_, entity)| *entity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::AccountId;

    const C: MarketId = MarketId(512);

    fn account(id: u64) -> EntityId {
        EntityId::Account(AccountId(id))
    }

    fn alarm(crossing: Crossing, price: i128) -> Alarm {
        Alarm { contract: C, axis: PriceAxis::Index, crossing, price: Amount(price) }
    }

    fn moved(alarms: &mut Alarms, contract: MarketId, index: i128) {
        let seq = alarms.seen.get(&contract).map_or(1, |seq| seq + 1);
        alarms.moved(LivePrices { contract, seq, index: Amount(index), mark: Amount(1_000) });
    }

    fn reached(alarms: &mut Alarms) -> Vec<EntityId> {
        std::iter::from_fn(|| alarms.take_reached()).collect()
    }

    #[test]
    fn only_those_look_again_whose_price_is_reached() {
        let mut alarms = Alarms::default();
        alarms.set(account(1), &mut vec![alarm(Crossing::Down, 90), alarm(Crossing::Up, 130)]);
        alarms.set(account(2), &mut vec![alarm(Crossing::Down, 95)]);
        alarms.set(account(3), &mut vec![alarm(Crossing::Up, 110)]);
        moved(&mut alarms, C, 100);
        moved(&mut alarms, MarketId(513), 1);
        assert!(!alarms.is_reached());
        moved(&mut alarms, C, 90);
        assert_eq!(reached(&mut alarms), [account(2), account(1)], "the exact price counts");
        moved(&mut alarms, C, 200);
        assert_eq!(reached(&mut alarms), [account(3)], "what was reached has no alarm until it has looked");
    }

    #[test]
    fn an_entity_has_the_alarms_that_it_had_last() {
        let mut alarms = Alarms::default();
        alarms.set(account(1), &mut vec![alarm(Crossing::Down, 90)]);
        alarms.set(account(1), &mut vec![alarm(Crossing::Down, 80)]);
        moved(&mut alarms, C, 85);
        assert_eq!(reached(&mut alarms), []);
        alarms.set(account(1), &mut Vec::new());
        moved(&mut alarms, C, 1);
        assert_eq!((reached(&mut alarms), alarms.of.len()), (Vec::new(), 0));
    }
    #[test]
    fn a_price_brings_one_look_and_each_axis_is_its_own() {
        let mut alarms = Alarms::default();
        let of_mark = Alarm { axis: PriceAxis::Mark, ..alarm(Crossing::Up, 120) };
        alarms.set(account(1), &mut vec![of_mark]);
        let at = |seq, mark| LivePrices { contract: C, seq, index: Amount(500), mark: Amount(mark) };
        alarms.moved(at(1, 119));
        assert!(!alarms.is_reached(), "the index is another price");
        alarms.moved(at(2, 120));
        assert_eq!(reached(&mut alarms), [account(1)]);
        alarms.set(account(1), &mut vec![of_mark]);
        alarms.moved(at(2, 120));
        assert!(!alarms.is_reached(), "nothing moved");
        alarms.moved(at(3, 120));
        assert_eq!(reached(&mut alarms), [account(1)]);
    }

    #[test]
    fn who_has_alarms_on_a_contract_is_named_once() {
        let mut alarms = Alarms::default();
        alarms.set(account(1), &mut vec![alarm(Crossing::Down, 90), alarm(Crossing::Up, 600)]);
        let of_mark = Alarm { axis: PriceAxis::Mark, ..alarm(Crossing::Up, 120) };
        alarms.set(account(2), &mut vec![of_mark]);
        assert_eq!(alarms.on(C), BTreeSet::from([account(1), account(2)]));
        assert_eq!(alarms.on(MarketId(513)), BTreeSet::new());
    }
}
