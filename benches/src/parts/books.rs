//! A full book and operations for it.
//!
//! Owns: orders that rest and what comes to them. Never does: know accounts' money. Invariants: each operation finds
//! what it is for: what is placed rests, what is cancelled rested, what takes fills. Known limits: one level's queue is
//! short with 10,000 orders and long with a million.

use super::Part;
use crate::Dice;
use crate::flow::{self, BEGIN, Engine, Fill, Op, Ours, passive};
use xng_core::spot::Side;

/// Operations of a run.
const OPS: usize = 1_000;
/// Further from the touch than any order rests, in ticks.
const BEYOND: i64 = 10_000;

/// A book with `OPS` operations before it.
#[derive(Debug, Clone)]
pub struct Books {
    ours: Ours,
    ops: Vec<(u64, Op)>,
    fills: Vec<Fill>,
}

fn side(n: usize) -> Side {
    if n.is_multiple_of(2) { Side::Buy } else { Side::Sell }
}

impl Books {
    /// `resting` orders, numbered from 1 on.
    fn full(dice: &mut Dice, resting: usize) -> Books {
        let (mut ours, mut fills) = (Ours::empty(), Vec::with_capacity(1_024));
        for n in 1..=resting {
            ours.apply(n as u64, passive(dice, side(n), BEGIN), &mut fills);
        }
        // Memory that the first trade asks for is not part of a trade.
        ours.apply(resting as u64 + 1, take(Side::Buy, 1), &mut fills);
        Books { ours, ops: Vec::with_capacity(OPS), fills }
    }

    fn then(mut self, resting: usize, mut op: impl FnMut(usize) -> Op) -> Books {
        let first = resting as u64 + 2;
        self.ops.extend((first..).zip((0..OPS).map(&mut op)));
        self
    }

    /// Orders that rest, among so many.
    #[must_use]
    pub fn placing(resting: usize) -> Books {
        let mut dice = Dice(21);
        let books = Books::full(&mut dice, resting);
        books.then(resting, |n| passive(&mut dice, side(n), BEGIN))
    }

    /// Cancels of orders all over the book.
    #[must_use]
    pub fn cancelling(resting: usize) -> Books {
        let books = Books::full(&mut Dice(22), resting);
        books.then(resting, |n| Op::Cancel { id: (1 + n * (resting / OPS)) as u64 })
    }

    /// Orders that take one or some at the touch.
    #[must_use]
    pub fn taking(resting: usize) -> Books {
        let mut dice = Dice(23);
        let books = Books::full(&mut dice, resting);
        books.then(resting, |n| take(side(n), 1 + dice.below(150) as i64))
    }

    /// The mixture of [`flow::flow`] in steady state.
    #[must_use]
    pub fn mixed(resting: usize) -> Books {
        let mut list: Vec<(u64, Op)> = (1..).zip(flow::flow(24, resting, OPS)).collect();
        let ops = list.split_off(list.len() - OPS);
        let (mut ours, mut fills) = (Ours::empty(), Vec::with_capacity(1_024));
        list.into_iter().for_each(|(n, op)| ours.apply(n, op, &mut fills));
        Books { ours, ops, fills }
    }
}

fn take(side: Side, lots: i64) -> Op {
    let ticks = match side {
        Side::Buy => BEGIN + BEYOND,
        Side::Sell => BEGIN - BEYOND,
    };
    Op::Limit { side, ticks, lots }
}

impl Part for Books {
    fn steps(&self) -> u64 {
        self.ops.len() as u64
    }

    /// Gives how many orders were filled.
    fn run(&mut self) -> u64 {
        let mut filled = 0;
        for (n, op) in &self.ops {
            self.ours.apply(*n, *op, &mut self.fills);
            filled += self.fills.len() as u64;
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_finds_what_it_is_for() {
        let size = 10_000;
        for (mut books, grows) in [(Books::placing(size), OPS as i64), (Books::cancelling(size), -(OPS as i64))] {
            let before = books.ours.resting() as i64;
            assert_eq!(books.run(), 0, "nothing is filled");
            assert_eq!(books.ours.resting() as i64 - before, grows);
        }
        let mut taking = Books::taking(size);
        assert!(taking.run() > OPS as u64, "each takes one at least");
        assert!(taking.ours.resting() < size);
        assert!(Books::mixed(size).run() > 0);
    }
}
