//! Metrics of messages to users: what was sent, what failed, what waits and since when.
//!
//! Owns: these families. Never does: count. Invariants: each channel has its series, whether or not it sends. Known limits: counted from
//! this start on; what waits is as it was when it was last looked, a minute ago at most.

use super::text::Text;
use crate::app::Shared;
use crate::common::time::now_ms;
use std::sync::atomic::{AtomicU64, Ordering};
use xng_persistence::office::Channel;

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
    let channels = Channel::ALL.map(|channel| (channel.name(), shared.auth.messenger.figures(channel)));
    let mut family = t.counter("xng_outbox_sent_total", "Messages to users that the mail server or the hook took.");
    for (name, figures) in channels {
        family.sample(&[("channel", name)], load(&figures.sent));
    }
    let mut family =
        t.counter("xng_outbox_failed_total", "Messages that were refused, or expired before they were sent.");
    for (name, figures) in channels {
        family.sample(&[("channel", name)], load(&figures.failed));
    }
    let mut family = t.counter("xng_outbox_retried_total", "Attempts to send after which another one was to come.");
    for (name, figures) in channels {
        family.sample(&[("channel", name)], load(&figures.retried));
    }
    let mut family = t.gauge("xng_outbox_waiting", "Messages that wait to be sent.");
    for (name, figures) in channels {
        family.sample(&[("channel", name)], load(&figures.waiting));
    }
    let mut family = t.gauge("xng_outbox_oldest_seconds", "How long the oldest of them waits; 0 without one.");
    for (name, figures) in channels {
        let since = load(&figures.oldest_ms).cast_signed();
        family.sample(&[("channel", name)], if since == 0 { 0 } else { (now_ms() - since).max(0) / 1_000 });
    }
}
