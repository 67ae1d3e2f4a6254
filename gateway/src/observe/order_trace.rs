//! What the gateway notes of each order on its way, and of what the view publishes.
//!
//! Each part notes what it does anyway in a ring of its own: calls by order, the journal's writer by group, the view and
//! the persister by position. An order's stages are joined when somebody asks (`ops/order_trace.rs` beside it).
//!
//! Owns: the rings of the gateway. Never does: slow the path: a note is a look at the clock and a push. Invariants: what a
//! ring no longer holds is gone. Known limits: times of calls are known of orders that came by calls.

use std::time::Instant;
use xng_core::entity::TimeNs;
use xng_core::ids::OrderId;
use xng_core::journal::Lsn;
use xng_persistence::ring::Ring;

/// Orders whose calls are known.
const ORDERS: usize = 4_096;
/// Groups that the view has published, and its rounds.
const VIEWS: usize = 65_536;
const ROUNDS: usize = 8_192;
/// An order's call.
#[derive(Debug, Clone, Copy)]
pub struct Passed {
    /// The order.
    pub order: OrderId,
    /// Stamp of the record that placed it.
    pub decided: TimeNs,
    /// The request was read.
    pub received: Instant,
    /// The command was handed to the cell.
    pub handed: Instant,
    /// The durable answer came.
    pub answered: Instant,
    /// The response was written.
    pub replied: Instant,
}

/// The gateway's rings.
#[derive(Debug)]
pub struct Trail {
    pub(crate) orders: Ring<Passed>,
    pub(crate) published: Ring<(Lsn, Instant)>,
    pub(crate) rounds: Ring<(Lsn, Instant)>,
}

impl Default for Trail {
    fn default() -> Self {
        Trail { orders: Ring::new(ORDERS), published: Ring::new(VIEWS), rounds: Ring::new(ROUNDS) }
    }
}

impl Trail {
    /// An order's call ended.
    pub fn passed(&self, passed: Passed) {
        self.orders.push(passed);
    }

    /// The latest orders, newest first.
    #[must_use]
    pub fn latest(&self, count: usize) -> Vec<OrderId> {
        self.orders.latest(count).into_iter().rev().map(|passed| passed.order).collect()
    }

    /// Trades and best prices of records up to `lsn` are with the sockets' queues.
    pub fn published(&self, lsn: Lsn) {
        self.published.push((lsn, Instant::now()));
    }

    /// So are the changes of books.
    pub fn went_round(&self, lsn: Lsn) {
        self.rounds.push((lsn, Instant::now()));
    }
}
