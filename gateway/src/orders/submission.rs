//! The one way of an order into the exchange, whichever door it came by.
//!
//! Owns: how an order is counted, timed and traced. Never does: check an order; say what its sender is told. Invariants:
//! every order that is handed over is counted once, with its end. Known limits: none.

use crate::api::http::errors::Failure;
use crate::app::Shared;
use crate::observe::order_trace::Passed;
use std::time::Instant;
use xng_core::entity::{Accepted, Reply};
use xng_core::spot::{OrderAck, OrderKind};

/// Hands a command over that places orders, waits for its durable answer, and tells it. `ask` hands it over when it is
/// first polled; `received` is when the request was read.
pub async fn submit<T>(
    shared: &Shared,
    kind: OrderKind,
    received: Instant,
    ask: impl Future<Output = Result<Reply, Failure>>,
    tell: impl FnOnce(Result<Reply, Failure>) -> T,
) -> T {
    let handed = Instant::now();
    let reply = ask.await;
    let answered = Instant::now();
    shared.meters.orders.count(kind, &reply, answered - handed);
    let acks = placed_by(&reply);
    let answer = tell(reply);
    let replied = Instant::now();
    for OrderAck { order, time: decided, .. } in acks {
        shared.health.trail.passed(Passed { order, decided, received, handed, answered, replied });
    }
    answer
}

/// The orders that an answer says are placed.
fn placed_by(reply: &Result<Reply, Failure>) -> Vec<OrderAck> {
    match reply {
        Ok(Reply::Accepted(Accepted::Placed(ack))) => vec![*ack],
        Ok(Reply::Accepted(Accepted::GroupPlaced(acks))) => acks.orders.clone(),
        Ok(
            Reply::Accepted(_)
            | Reply::TradeIds { .. }
            | Reply::Known(_)
            | Reply::View(_)
            | Reply::Rejected(_)
            | Reply::Busy,
        )
        | Err(_) => Vec::new(),
    }
}
