//! Websocket metrics: connected sessions, queued messages, joined and cut streams.
//!
//! Owns: these figures, and a list of open outboxes. Never does: keep an outbox alive.
//! Invariants: a session is in the list from its start to its end. Known limits: bytes queued in the kernel are not counted.

use dashmap::DashMap;
use std::fmt;
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

/// What waits for an open socket.
pub trait Queue: Send + Sync {
    /// The kind of socket, as `kind` of its metrics.
    fn kind(&self) -> SocketKind;
    /// Bytes that wait.
    fn waiting_bytes(&self) -> u64;
}

/// Kinds of sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SocketKind {
    Raw,
    Combined,
    App,
}

/// Channels whose publications are joined while they wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Channel {
    Depth,
    Partial,
    Kline,
    Ticker,
    BookTicker,
}

/// Each [`Channel`], in its order.
const CHANNELS: [&str; 5] = ["depth", "partial", "kline", "ticker", "book_ticker"];

/// See the module's header.
pub struct SocketMeters {
    open: DashMap<u64, Weak<dyn Queue>>,
    conflated: [AtomicU64; CHANNELS.len()],
    dropped: [AtomicU64; REASONS.len()],
    /// From a trade's record to the moment its frame is given to the socket.
    pub fanout_micros: Histogram,
}

impl fmt::Debug for SocketMeters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "meters of {} sockets", self.open.len())
    }
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
    pub fn opened<Q: Queue + 'static>(&self, session: u64, queue: &Arc<Q>) {
        let queue: Weak<Q> = Arc::downgrade(queue);
        self.open.insert(session, queue);
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
    pub fn conflated(&self, channel: Channel) {
        self.conflated[channel as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// What is open now, by kind.
    #[must_use]
    pub fn open(&self) -> [(&'static str, Open); 3] {
        let mut found = [("raw", Open::default()), ("combined", Open::default()), ("app", Open::default())];
        for queue in self.open.iter().filter_map(|entry| entry.value().upgrade()) {
            let at = match queue.kind() {
                SocketKind::Raw => 0,
                SocketKind::Combined => 1,
                SocketKind::App => 2,
            };
            found[at].1.sessions += 1;
            found[at].1.bytes += queue.waiting_bytes();
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

    struct Bytes(AtomicU64);

    impl Queue for Bytes {
        fn kind(&self) -> SocketKind {
            SocketKind::App
        }

        fn waiting_bytes(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn an_open_session_is_counted_with_what_waits_for_it() {
        let meters = SocketMeters::default();
        let queue = Arc::new(Bytes(AtomicU64::new(5)));
        meters.opened(7, &queue);
        assert_eq!(meters.open()[2], ("app", Open { sessions: 1, bytes: 5 }));
        queue.0.store(0, Ordering::Relaxed);
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
