//! A cell with orders before it: account, hold, market, match, settlement, encoding, gate.
//!
//! Owns: the cell, its orders. Never does: wait for a disk. Invariants: each order is answered in its run.
//! Known limits: nobody watches an account, so no event leaves.

use super::Part;
use crate::{Dice, Nowhere, Size, ask, busy_cell, order};
use xng_cell::cell::ADMIT;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Egress, Plain, PortId, Ticket};
use xng_core::entity::{Accepted, Command, Reply};

/// Orders of a run.
const ORDERS: usize = 256;

/// A cell and what it is asked next.
#[derive(Debug)]
pub struct Cells {
    cell: Cell<Plain, Nowhere, ManualClock>,
    size: Size,
    dice: Dice,
    orders: Vec<Command>,
}

impl Cells {
    /// So many accounts on one market. As many orders as accounts are taken before: the book is full, and an account
    /// remembers about one order.
    #[must_use]
    pub fn new(accounts: u64) -> Cells {
        let size = Size { accounts, markets: 1 };
        let cell = busy_cell(Nowhere::default(), size);
        let mut cells = Cells { cell, size, dice: Dice(41), orders: Vec::with_capacity(ORDERS) };
        for _ in 0..=accounts as usize / ORDERS {
            cells.refill();
            cells.run();
        }
        cells.refill();
        cells
    }

    /// Other orders for the next run.
    pub fn refill(&mut self) {
        self.orders.extend((0..ORDERS).map(|_| order(&mut self.dice, self.size)));
    }
}

impl Part for Cells {
    fn steps(&self) -> u64 {
        ORDERS as u64
    }

    /// Gives how many orders were placed.
    fn run(&mut self) -> u64 {
        let mut placed = 0;
        while !self.orders.is_empty() {
            for (token, command) in (0..).zip(self.orders.drain(..ADMIT.min(self.orders.len()))) {
                ask(&mut self.cell, Ticket { port: PortId(1), token }, command);
            }
            while self.cell.turn(|_, egress| {
                placed += u64::from(matches!(egress, Egress::Reply(_, Reply::Accepted(Accepted::Placed(_)))))
            }) {}
        }
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_is_answered_in_its_run() {
        let mut cells = Cells::new(300);
        assert_eq!(cells.run(), cells.steps());
        assert_eq!(cells.run(), 0, "nothing was asked");
    }
}
