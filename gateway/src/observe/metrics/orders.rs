//! Orders as their callers see them: what became of each, and how long the durable answer took.
//!
//! Owns: these counters. Never does: look at an order's numbers. Invariants: every order that was handed to the exchange
//! is counted once, with its end. Known limits: the house's quotes are no orders here; what was refused before it was
//! handed over (a wrong field, no session) is in the figures of calls.

use crate::api::http::errors::{Code, Failure};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use xng_core::entity::{Accepted, Reply};
use xng_core::histogram::Histogram;
use xng_core::spot::OrderKind;

/// Upper bounds of answer times, in microseconds.
pub const ACK_MICROS: [u64; 16] =
    [50, 100, 150, 200, 250, 350, 500, 750, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000, 10_000_000];

const KINDS: [&str; 2] = ["limit", "market"];
const RESULTS: [&str; 5] = ["accepted", "repeated", "rejected", "busy", "unanswered"];
const ACCEPTED: usize = 0;
const REPEATED: usize = 1;
const REJECTED: usize = 2;
const BUSY: usize = 3;
const UNANSWERED: usize = 4;

/// See the module's header.
#[derive(Debug)]
pub struct OrderMeters {
    ends: [[AtomicU64; RESULTS.len()]; KINDS.len()],
    /// From handing an order to the cell to its durable answer.
    pub ack_micros: Histogram,
}

impl Default for OrderMeters {
    fn default() -> Self {
        OrderMeters { ends: Default::default(), ack_micros: Histogram::new(&ACK_MICROS) }
    }
}

fn result(reply: &Result<Reply, Failure>) -> usize {
    match reply {
        Ok(Reply::Accepted(Accepted::Placed(_) | Accepted::GroupPlaced(_))) => ACCEPTED,
        Ok(Reply::Known(_)) => REPEATED,
        Ok(Reply::Rejected(_)) => REJECTED,
        Ok(Reply::Busy) => BUSY,
        // No answer to an order: whatever was asked placed none.
        Ok(Reply::Accepted(_) | Reply::TradeIds { .. } | Reply::View(_)) => REJECTED,
        Err(failure) if failure.code == Code::Repeated => REPEATED,
        Err(failure) if failure.code == Code::Busy && !failure.outcome_unknown => BUSY,
        Err(_) => UNANSWERED,
    }
}

impl OrderMeters {
    /// Counts an order that ended.
    pub fn count(&self, kind: OrderKind, reply: &Result<Reply, Failure>, took: Duration) {
        let kind = match kind {
            OrderKind::Limit => 0,
            OrderKind::Market => 1,
        };
        self.ends[kind][result(reply)].fetch_add(1, Ordering::Relaxed);
        if reply.is_ok() {
            self.ack_micros.record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// Orders so far: kind, result, how many.
    pub fn ends(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        let kinds = KINDS.iter().zip(&self.ends);
        kinds.flat_map(|(kind, ends)| {
            RESULTS.iter().zip(ends).map(|(result, n)| (*kind, *result, n.load(Ordering::Relaxed)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::reject::Reject;
    use xng_core::spot::GroupAck;
    use xng_runtime::Fault;

    #[test]
    fn each_end_has_a_name_and_only_answers_have_a_time() {
        let meters = OrderMeters::default();
        let placed_group = GroupAck { canceled: Vec::new(), orders: Vec::new(), refused: None, time: 1 };
        let ends = [
            Ok(Reply::Accepted(Accepted::GroupPlaced(Box::new(placed_group)))),
            Ok(Reply::Rejected(Reject::InsufficientBalance)),
            Err(Fault::Busy.into()),
            Err(Fault::Timeout.into()),
            Err(Code::Repeated.into()),
        ];
        ends.iter().for_each(|end| meters.count(OrderKind::Market, end, Duration::from_millis(1)));
        let counted: Vec<_> = meters.ends().filter(|(_, _, n)| *n > 0).collect();
        assert_eq!(
            counted,
            [
                ("market", "accepted", 1),
                ("market", "repeated", 1),
                ("market", "rejected", 1),
                ("market", "busy", 1),
                ("market", "unanswered", 1)
            ]
        );
        assert_eq!(meters.ack_micros.count(), 2);
    }
}
