//! Entities that live in several worlds, each of which follows the one journal at its own pace: rules that let a product
//! live in several cells later, tested for spot (`docs/allotment.md` names the numbers that are kept for it).

use crate::properties::{Dice, setup, step};
use xng_cell::{Plain, World};
use xng_core::ids::EntityId;
use xng_core::record::{Fact, Record};
use xng_core::spot::facts::SpotFact;

/// Where an entity lives: accounts by their number, markets by theirs beside their prices, all else in the first world.
fn place(entity: EntityId, worlds: u64) -> usize {
    let place = match entity {
        EntityId::Registry(()) => 0,
        EntityId::Account(id) => id.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40,
        EntityId::Market(id) => u64::from(id.0),
        EntityId::Price(id) => u64::from(id.0),
        EntityId::Contract(id) => u64::from(id.0),
        EntityId::Seconds(id) => u64::from(id.0),
        EntityId::Round(id) => id.second(),
        EntityId::Trader(id) => id.0,
        EntityId::Campaign(id) => id.0.into(),
        EntityId::Calendar(id) => u64::from(id.0) + 1,
        EntityId::Chain(id) => u64::from(id.0) + 2,
    };
    (place % worlds) as usize
}

#[test]
fn entities_in_several_worlds_that_lag_are_those_of_one() {
    for (seed, worlds) in [(1, 2), (2, 3), (3, 5)] {
        let mut x = setup();
        let (mut dice, mut keys) = (Dice(seed), 0);
        for _ in 0..1_500 {
            step(&mut x, &mut dice, &mut keys);
            x.run();
        }
        let records = x.journal.records();
        let mut apart: Vec<World<Plain>> = (0..worlds).map(|_| World::default()).collect();
        let mut at = vec![0; apart.len()];
        let follow = |apart: &mut Vec<World<Plain>>, at: &mut Vec<usize>, which: usize, upto: usize| {
            for (lsn, bytes) in &records[at[which]..upto] {
                apart[which].fold_here(*lsn, bytes, |entity| place(entity, worlds) == which).expect("folds");
            }
            at[which] = at[which].max(upto);
        };
        for (n, (_, bytes)) in records.iter().enumerate() {
            // Whoever decides has heard all before; the others are wherever they are.
            let decider = place(Record::decode(bytes).expect("a record").decider, worlds);
            follow(&mut apart, &mut at, decider, n + 1);
            let other = dice.below(worlds) as usize;
            let upto = (at[other] + dice.below(40) as usize).min(n + 1).max(at[other]);
            follow(&mut apart, &mut at, other, upto);
        }
        (0..apart.len()).for_each(|which| follow(&mut apart, &mut at, which, records.len()));
        let hash = apart.iter_mut().fold(0_u64, |sum, world| sum.wrapping_add(world.state_hash()));
        assert_eq!(hash, x.cell.state_hash(), "{worlds} worlds, seed {seed}");
        assert_eq!(apart.iter().map(World::entities).sum::<u64>(), x.cell.world().entities());
        let traded = records.iter().filter(|(_, bytes)| {
            let Fact::Spot(SpotFact::OrderPlaced(f)) = Record::decode(bytes).expect("a record").fact else {
                return false;
            };
            f.trades
                .iter()
                .any(|t| place(EntityId::Account(t.maker), worlds) != place(EntityId::Account(f.account), worlds))
        });
        assert!(traded.count() > 20, "trades between accounts of different worlds");
    }
}
