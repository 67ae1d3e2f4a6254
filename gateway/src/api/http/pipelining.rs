//! Requests that come before the ones before them are answered.
//!
//! Owns: a way around the HTTP library, which keeps a bounded number of requests of a connection: while it has as many, it reads on
//! without looking at what it read, and when all of them are then answered in one go, nobody looks until more comes. Never does:
//! answer a request. Invariants: whatever was read is looked at, for one more look every so many requests. Known limits: those of the
//! library, `MAX_PIPELINED_MESSAGES`.

use actix_web::dev::ServiceRequest;
use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

/// Requests that the library keeps.
const KEPT: u32 = 16;

/// Requests of a connection so far.
#[derive(Debug, Default)]
pub struct Requests(Cell<u32>);

/// Has the request's connection looked at once more after this, now and then.
pub async fn look_again(request: &ServiceRequest) {
    let Some(Requests(count)) = request.conn_data() else { return };
    count.set(count.get().wrapping_add(1));
    if count.get().is_multiple_of(KEPT) {
        poll_fn(|cx| {
            cx.waker().wake_by_ref();
            Poll::Ready(())
        })
        .await;
    }
}
