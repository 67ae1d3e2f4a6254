//! Records of orders that were taken: to bytes, from bytes, into the world; and the numbers that they are made of.
//!
//! Owns: what a cell without a disk wrote. Never does: read a file. Invariants: the records are those of orders
//! alone: what listed the market and paid the accounts is done before. Known limits: no digest is among them.

use super::Part;
use crate::{Dice, Kept, Size, busy_cell, order, tell};
use xng_cell::{Plain, World};
use xng_core::account::histories::Histories;
use xng_core::account::recent::Place;
use xng_core::codec::{Reader, Wire};
use xng_core::journal::{Batch, Lsn};
use xng_core::record::Record;

const SIZE: Size = Size { accounts: 200, markets: 1 };
/// Orders before those that are looked at: until then books and accounts fill.
const BEFORE: usize = 2_000;
/// Records that are looked at.
const RECORDS: u32 = 1_000;

/// All that was written until the last of the records that are looked at.
fn written() -> Batch {
    let (mut cell, mut dice) = (busy_cell(Kept::default(), SIZE), Dice(31));
    let end = cell.world().lsn().0 + BEFORE as u64 + u64::from(RECORDS);
    while cell.world().lsn().0 < end {
        tell(&mut cell, order(&mut dice, SIZE));
        while cell.turn(|_, _| {}) {}
    }
    std::mem::take(&mut cell.journal().all)
}

fn each(batch: &Batch) -> impl Iterator<Item = (Lsn, Record)> {
    batch.records().map(|(lsn, bytes)| (lsn, Record::decode(bytes).expect("the cell's own record")))
}

/// The records before those that are looked at, and these.
#[must_use]
pub fn orders() -> (Vec<Record>, Vec<Record>) {
    let mut all: Vec<Record> = each(&written()).map(|(_, record)| record).collect();
    let those = all.split_off(all.len() - RECORDS as usize);
    (all, those)
}

/// The same in bytes.
fn batches() -> (Batch, Batch) {
    let (all, mut parts) = (written(), [Batch::default(), Batch::default()]);
    for (n, (lsn, bytes)) in (0..).zip(all.records()) {
        let part = usize::from(n >= all.count - RECORDS);
        parts[part].push(lsn, |out| out.extend_from_slice(bytes));
    }
    parts.into()
}

/// Records to bytes.
#[derive(Debug, Clone)]
pub struct Encoding {
    records: Vec<Record>,
    out: Vec<u8>,
}

impl Encoding {
    /// Of orders.
    #[must_use]
    pub fn of_orders() -> Encoding {
        Encoding { records: orders().1, out: Vec::with_capacity(1 << 20) }
    }
}

impl Part for Encoding {
    fn steps(&self) -> u64 {
        self.records.len() as u64
    }

    /// Gives how many bytes they are.
    fn run(&mut self) -> u64 {
        self.out.clear();
        self.records.iter().for_each(|record| record.encode(&mut self.out));
        self.out.len() as u64
    }
}

/// Bytes to records.
#[derive(Debug, Clone)]
pub struct Decoding {
    bytes: Batch,
}

impl Decoding {
    /// Of orders.
    #[must_use]
    pub fn of_orders() -> Decoding {
        Decoding { bytes: batches().1 }
    }
}

impl Part for Decoding {
    fn steps(&self) -> u64 {
        u64::from(self.bytes.count)
    }

    /// Gives the sum of their times.
    fn run(&mut self) -> u64 {
        each(&self.bytes).map(|(_, record)| record.time).fold(0, u64::wrapping_add)
    }
}

/// Bytes into the histories of accounts.
#[derive(Debug)]
pub struct Following {
    histories: Histories,
    bytes: Batch,
}

impl Following {
    /// Of orders, into histories of all before them.
    #[must_use]
    pub fn of_orders() -> Following {
        let (before, bytes) = batches();
        let mut following = Following { histories: Histories::since(Place::default(), []), bytes: before };
        following.run();
        following.bytes = bytes;
        following
    }
}

impl Part for Following {
    fn steps(&self) -> u64 {
        u64::from(self.bytes.count)
    }

    /// Gives where the histories stand then.
    fn run(&mut self) -> u64 {
        each(&self.bytes).for_each(|(lsn, record)| self.histories.follow(lsn, &record));
        self.histories.position().0
    }
}

/// Bytes into the world.
#[derive(Debug)]
pub struct Folding {
    world: World<Plain>,
    bytes: Batch,
}

impl Folding {
    /// Of orders, into the world as it was before them.
    ///
    /// # Panics
    /// When the cell's own records do not fold: a bug.
    #[must_use]
    pub fn of_orders() -> Folding {
        let (before, bytes) = batches();
        let mut folding = Folding { world: World::default(), bytes: before };
        folding.run();
        folding.bytes = bytes;
        folding
    }
}

impl Part for Folding {
    fn steps(&self) -> u64 {
        u64::from(self.bytes.count)
    }

    /// Gives where the world stands then.
    fn run(&mut self) -> u64 {
        for (lsn, bytes) in self.bytes.records() {
            self.world.fold(lsn, bytes).expect("the cell's own records");
        }
        self.world.lsn().0
    }
}

/// Numbers of all lengths to bytes and back, without a record around them.
#[derive(Debug, Clone)]
pub struct Numbers {
    numbers: Vec<i128>,
    bytes: Vec<u8>,
    back: bool,
}

impl Numbers {
    /// To bytes.
    #[must_use]
    pub fn out() -> Numbers {
        let mut dice = Dice(32);
        // Most numbers of a record are ids, prices and quantities; amounts may be long.
        let mut number = || {
            let bits = if dice.below(4) == 0 { dice.below(128) } else { dice.below(60) };
            let wide = u128::from(dice.below(u64::MAX)) << 64 | u128::from(dice.below(u64::MAX));
            (wide & ((1 << bits) - 1)) as i128
        };
        let numbers = (0..1_000).map(|_| number()).collect();
        Numbers { numbers, bytes: Vec::with_capacity(1 << 14), back: false }
    }

    /// From bytes.
    #[must_use]
    pub fn back() -> Numbers {
        let mut numbers = Numbers::out();
        numbers.run();
        Numbers { back: true, ..numbers }
    }
}

impl Part for Numbers {
    fn steps(&self) -> u64 {
        self.numbers.len() as u64
    }

    /// Gives how many bytes they are, or their sum.
    fn run(&mut self) -> u64 {
        if self.back {
            let mut bytes = Reader::new(&self.bytes);
            let each = self.numbers.iter().map(|_| i128::get(&mut bytes).expect("what was put"));
            return each.fold(0, |sum, number| sum.wrapping_add(number as u64));
        }
        self.bytes.clear();
        self.numbers.iter().for_each(|number| number.put(&mut self.bytes));
        self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use xng_core::record::Fact;
    use xng_core::spot::facts::SpotFact;

    #[test]
    fn what_is_looked_at_are_orders_and_comes_back() {
        let (before, those) = orders();
        assert!(those.iter().all(|record| matches!(record.fact, Fact::Spot(SpotFact::OrderPlaced(_)))));
        let mut trades = 0;
        those.iter().for_each(|record| record.fact.each_execution(|_| trades += 1));
        assert!(trades > RECORDS / 4, "{trades} trades");
        assert_eq!(Decoding::of_orders().run(), those.iter().map(|record| record.time).sum::<u64>());
        assert_eq!(Folding::of_orders().run(), (before.len() + those.len()) as u64);
    }

    #[test]
    fn numbers_of_all_lengths_come_back() {
        let Numbers { numbers, .. } = Numbers::out();
        let length = |number: &i128| {
            let mut bytes = Vec::new();
            number.put(&mut bytes);
            bytes.len()
        };
        let lengths: BTreeSet<usize> = numbers.iter().map(length).collect();
        assert!(lengths.iter().copied().eq(1..=19), "seven bits a byte: {lengths:?}");
        assert_eq!(Numbers::out().run(), numbers.iter().map(|number| length(number) as u64).sum::<u64>());
        assert_eq!(Numbers::back().run(), numbers.iter().fold(0, |sum: u64, number| sum.wrapping_add(*number as u64)));
    }
}
