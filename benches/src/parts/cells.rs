//! A cell with orders before it, of spot or of a contract: account, hold, market, match, settlement, encoding, gate.
//!
//! Owns: the cell, its orders. Never does: wait for a disk. Invariants: each order is answered in its run, nearly all are placed.
//! Known limits: nobody watches an account, so no event leaves.

use super::Part;
use crate::contract_book::{self, cell_with_book, money};
use crate::{Dice, Nowhere, Size, account_id, ask, busy_cell, order, tell};
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
    next: fn(&mut Dice, Size) -> Command,
    orders: Vec<Command>,
}

impl Cells {
    /// So many accounts on one market. As many orders as accounts are taken before: the book is full, and an account
    /// remembers about one order.
    #[must_use]
    pub fn new(accounts: u64) -> Cells {
        let size = Size { accounts, markets: 1 };
        Cells::filled(busy_cell(Nowhere::default(), size), size, order)
    }

    /// The same of a contract's book.
    #[must_use]
    pub fn of_contract(accounts: u64) -> Cells {
        let size = Size { accounts, markets: 1 };
        let mut cell = cell_with_book(Nowhere::default(), size);
        for n in 0..accounts {
            tell(&mut cell, money(account_id(n), 100_000_000));
            while cell.turn(|_, _| {}) {}
        }
        Cells::filled(cell, size, contract_book::order)
    }

    fn filled(cell: Cell<Plain, Nowhere, ManualClock>, size: Size, next: fn(&mut Dice, Size) -> Command) -> Cells {
        let mut cells = Cells { cell, size, dice: Dice(41), next, orders: Vec::with_capacity(ORDERS) };
        for _ in 0..=size.accounts as usize / ORDERS {
            cells.refill();
            cells.run();
        }
        cells.refill();
        cells
    }

    /// Other orders for the next run.
    pub fn refill(&mut self) {
        self.orders.extend((0..ORDERS).map(|_| (self.next)(&mut self.dice, self.size)));
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
        for mut cells in [Cells::new(300), Cells::of_contract(300)] {
            // An order of a contract is refused when another one of its turn changed its owner's position.
            let (placed, all) = (cells.run(), cells.steps());
            assert!(placed <= all && placed * 50 >= all * 49, "{placed} of {all}");
            assert_eq!(cells.run(), 0, "nothing was asked");
        }
    }
}
