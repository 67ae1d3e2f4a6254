//! A full book and operations for it.
//!
//! Owns: orders that rest and what comes to them. Never does: know accounts' money. Invariants: each operation finds
//! what it is for: what is placed rests, what is cancelled rested, what takes fills. Known limits: one level's queue is
//! short with 10,000 orders and long with a million.

use super::Part;
use crate::Dice;
use crate::flow::{self, BEGIN, Engine, Fill, Op, Ours, passive};
use xng_core::spot::Side;

/// Orders of a small book …
pub const FEW: usize = 10_000;
/// … and of a large one.
pub const MANY: usize = 1_000_000;
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

    /// Operations with how many orders each filled and by how many the book then grew.
    fn each(Books { mut ours, ops, mut fills }: Books) -> Vec<(Op, usize, i64)> {
        let mut did = Vec::new();
        for (n, op) in ops {
            let before = ours.resting() as i64;
            ours.apply(n, op, &mut fills);
            did.push((op, fills.len(), ours.resting() as i64 - before));
        }
        assert_eq!(did.len(), OPS);
        did
    }

    #[test]
    fn every_operation_finds_what_it_is_for_in_a_small_book_and_in_a_large_one() {
        for resting in [FEW, MANY] {
            for (n, (op, fills, grown)) in (0..).zip(each(Books::placing(resting))) {
                assert_eq!((fills, grown), (0, 1), "{n}th of {resting}, {op:?}: it rests");
            }
            for (n, (op, fills, grown)) in (0..).zip(each(Books::cancelling(resting))) {
                assert_eq!((fills, grown), (0, -1), "{n}th of {resting}, {op:?}: it rested");
            }
            for (n, (op, fills, grown)) in (0..).zip(each(Books::taking(resting))) {
                let (all, all_but_one) = (-(fills as i64), 1 - fills as i64);
                let fills_whole = fills > 0 && [all, all_but_one].contains(&grown);
                assert!(fills_whole, "{n}th of {resting}, {op:?}: {fills} filled, {grown} more");
            }
        }
        for (n, (op, fills, grown)) in (0..).zip(each(Books::mixed(FEW))) {
            match op {
                Op::Limit { .. } => assert!(fills > 0 || grown == 1, "{n}th, {op:?}: it fills or rests"),
                Op::Cancel { .. } => assert_eq!((fills, grown), (0, -1), "{n}th, {op:?}: it rested"),
            }
        }
    }

    #[test]
    fn a_run_does_them_all_and_tells_how_many_orders_were_filled() {
        let filled: usize = each(Books::taking(FEW)).iter().map(|(_, fills, _)| fills).sum();
        assert_eq!(Books::taking(FEW).run(), filled as u64);
    }
}
