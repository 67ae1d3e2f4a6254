//! Websockets: who is connected, what waits for them, what was joined or cut.
//!
//! Owns: these figures, and a list of open outboxes. Never does: keep an outbox alive.
//! Invariants: a session is in the list from its start to its end. Known limits: what waits in the kernel is not seen.

use crate::ws::outbox::{Mode, Outbox};
use crate::ws::stream::Stream;
use dashmap::DashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use xng_core::histogram::Histogram;

/// Upper bounds of the time from a trade's record to its frame, in microseconds.
pub const FANOUT_MICROS: [u64; 12] =
    [250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000];

/// Why the exchange ended a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// Its queue overflowed.
    Slow,
    /// It took nothing for too long.
    Stalled,
    /// A queue on its way to the view was full.
    NoRoom,
    /// It sent too much, or what is no frame of ours.
    Misused,
    /// It was not heard of any more.
    Silent,
}

const REASONS: [(Dropped, &str); 5] = [
    (Dropped::Slow, "slow"),
    (Dropped::Stalled, "stalled"),
    (Dropped::NoRoom, "no_room"),
    (Dropped::Misused, "misused"),
    (Dropped::Silent, "silent"),
];

const CHANNELS: [&str; 5] = ["depth", "partial", "kline", "ticker", "book_ticker"];

/// The channel of a stream that conflates; none of those whose every frame counts.
fn channel(stream: Stream) -> Option<usize> {
    match stream {
        Stream::Depth(..) => Some(0),
        Stream::Partial(..) => Some(1),
        Stream::Kline(..) => Some(2),
        Stream::MiniTicker(_) | Stream::Ticker(_) | Stream::Rolling(..) | Stream::AveragePrice(_) => Some(3),
        Stream::BookTicker(_) => Some(4),
        Stream::Trade(_)
        | Stream::AggTrade(_)
        | Stream::AllMiniTickers
        | Stream::AllTickers
        | Stream::AllRolling(_)
        | Stream::Status => None,
    }
}

/// See the module's header.
#[derive(Debug)]
pub struct SocketMeters {
    open: DashMap<u64, Weak<Outbox>>,
    conflated: [AtomicU64; CHANNELS.len()],
    dropped: [AtomicU64; REASONS.len()],
    /// From a trade's record to the moment its frame is given to the socket.
    pub fanout_micros: Histogram,
}

impl Default for SocketMeters {
    fn default() -> Self {
        let fanout_micros = Histogram::new(&FANOUT_MICROS);
        SocketMeters { open: DashMap::new(), conflated: Default::default(), dropped: Default::default(), fanout_micros }
    }
}

/// What is open of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// Sessions.
    pub sessions: u64,
    /// Bytes that wait for them.
    pub bytes: u64,
}

impl SocketMeters {
    /// A session began.
    pub fn opened(&self, outbox: &Arc<Outbox>) {
        self.open.insert(outbox.id, Arc::downgrade(outbox));
    }

    /// It ended.
    pub fn closed(&self, session: u64) {
        self.open.remove(&session);
    }

    /// The exchange ends one.
    pub fn dropped(&self, why: Dropped) {
        if let Some(at) = REASONS.iter().position(|(reason, _)| *reason == why) {
            self.dropped[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A publication was joined with one that still waited.
    pub fn conflated(&self, stream: Stream) {
        if let Some(at) = channel(stream) {
            self.conflated[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What is open now, by kind.
    #[must_use]
    pub fn open(&self) -> [(&'static str, Open); 3] {
        let mut found = [("raw", Open::default()), ("combined", Open::default()), ("app", Open::default())];
        for outbox in self.open.iter().filter_map(|entry| entry.value().upgrade()) {
            let at = match outbox.mode() {
                Mode::Raw => 0,
                Mode::Combined => 1,
                Mode::App => 2,
            };
            found[at].1.sessions += 1;
            found[at].1.bytes += outbox.waiting_bytes();
        }
        found
    }

    /// Publications that were joined, by channel.
    pub fn all_conflated(&self) -> impl Iterator<Item = (&'static str, u64)> {
        CHANNELS.iter().zip(&self.conflated).map(|(name, n)| (*name, n.load(Ordering::Relaxed)))
    }

    /// Sessions that were ended, by reason.
    pub fn all_dropped(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REASONS.iter().zip(&self.dropped).map(|((_, name), n)| (*name, n.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_session_is_counted_with_what_waits_for_it() {
        let meters = SocketMeters::default();
        let outbox = Arc::new(Outbox::new(7, Mode::App, None));
        meters.opened(&outbox);
        outbox.push_text("hello");
        assert_eq!(meters.open()[2], ("app", Open { sessions: 1, bytes: 5 }));
        outbox.drain();
        assert_eq!(meters.open()[2].1, Open { sessions: 1, bytes: 0 });
        meters.closed(7);
        assert_eq!(meters.open()[2].1, Open::default());
    }

    #[test]
    fn each_reason_has_its_count() {
        let meters = SocketMeters::default();
        REASONS.iter().for_each(|(reason, _)| meters.dropped(*reason));
        assert!(meters.all_dropped().all(|(_, n)| n == 1));
    }
}
