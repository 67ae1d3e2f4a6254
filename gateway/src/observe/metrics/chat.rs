//! Metrics of live service: what waits for the staff, and since when.
//!
//! Owns: these families. Never does: count. Invariants: both have a series always. Known limits: as of a minute ago at most.

use super::text::Text;
use crate::app::Shared;
use crate::common::time::now_ms;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let (waiting, since) = shared.chat.waiting();
    t.gauge("xng_chat_waiting", "Conversations that wait for an answer of the staff.").is(waiting);
    let seconds = since.map_or(0, |since| (now_ms() - since.cast_signed()).max(0) / 1_000);
    t.gauge("xng_chat_longest_wait_seconds", "How long the first of them waits; 0 without one.").is(seconds);
    let is_staffed = u64::from(shared.chat.is_staffed());
    t.gauge("xng_chat_staffed", "1 while somebody of the staff looks at the queue, else 0.").is(is_staffed);
}
