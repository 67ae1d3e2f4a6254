//! What waits for one socket: bounded, conflated where only the newest counts.
//!
//! Owns: the queue between a publisher and a session. Never does: wait for the socket.
//! Invariants: a stream's frames leave in order; of a ticker or kline at most the newest waits, of a depth stream one
//! joined diff; a queue that is full closes its session (code 1013), nobody else notices.
//! Known limits: 512 frames or 256 KiB that cannot be conflated.

use super::stream::Stream;
use crate::market::depth::DepthDiff;
use crate::market::payload::DepthFormat;
use crate::time::{Ms, now_ms};
use actix::{Message as ActixMessage, Recipient};
use std::collections::VecDeque;
use std::fmt;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Frames that wait at most.
const MAX_FRAMES: usize = 512;
/// Bytes that wait at most.
const MAX_BYTES: usize = 256 * 1_024;
/// A session that does not take its frames for this long is cut off.
pub const STALL_MS: Ms = 6_000;

/// How frames are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The payload alone (`/ws`).
    Raw,
    /// `{"stream","data"}` (`/stream`).
    Combined,
    /// With sequence numbers and snapshots (`/realtime`).
    App,
}

/// How a message may be joined with the one before it.
#[derive(Debug)]
pub enum Kind {
    /// Every one counts.
    Each,
    /// Only the newest counts.
    Latest,
    /// Diffs join.
    Depth(DepthDiff, Arc<DepthFormat>),
}

/// A publication, serialised once for all readers.
#[derive(Debug)]
pub struct Message {
    /// The stream's name.
    pub name: Arc<str>,
    /// Number of the publication.
    pub seq: u64,
    /// The payload.
    pub data: String,
    /// How it joins.
    pub kind: Kind,
    combined: OnceLock<Arc<str>>,
    app: OnceLock<Arc<str>>,
    raw: OnceLock<Arc<str>>,
}

impl Message {
    /// A publication.
    #[must_use]
    pub fn new(name: Arc<str>, seq: u64, data: String, kind: Kind) -> Message {
        Message { name, seq, data, kind, combined: OnceLock::new(), app: OnceLock::new(), raw: OnceLock::new() }
    }

    fn text(&self, mode: Mode) -> Arc<str> {
        let cache = match mode {
            Mode::Raw => &self.raw,
            Mode::Combined => &self.combined,
            Mode::App => &self.app,
        };
        cache.get_or_init(|| wrap(mode, &self.name, self.seq, self.seq, &self.data).into()).clone()
    }
}

fn wrap(mode: Mode, name: &str, from: u64, seq: u64, data: &str) -> String {
    match mode {
        Mode::Raw => data.to_owned(),
        Mode::Combined => format!(r#"{{"stream":"{name}","data":{data}}}"#),
        Mode::App => format!(r#"{{"stream":"{name}","from":{from},"seq":{seq},"data":{data}}}"#),
    }
}

/// The stream that a wrapped frame or snapshot names.
#[must_use]
pub fn stream_of(frame: &str) -> Option<&str> {
    let behind = frame.strip_prefix(r#"{"stream":""#)?;
    behind.split_once('"').map(|(name, _)| name)
}

/// Tells a session that something waits.
#[derive(Debug, Clone, Copy)]
pub struct Flush;

impl ActixMessage for Flush {
    type Result = ();
}

enum Entry {
    Text(Arc<str>),
    Slot(Stream),
}

struct Slot {
    stream: Stream,
    from: u64,
    newest: Arc<Message>,
    joined: Option<DepthDiff>,
}

#[derive(Default)]
struct Inner {
    entries: VecDeque<Entry>,
    slots: Vec<Slot>,
    bytes: usize,
    scheduled: bool,
    overflowed: bool,
}

/// What waits for one socket.
pub struct Outbox {
    /// Number of the session.
    pub id: u64,
    /// How it wraps frames.
    pub mode: Mode,
    inner: Mutex<Inner>,
    session: OnceLock<Recipient<Flush>>,
    asked_ms: AtomicI64,
    closed: AtomicBool,
    socket: Option<TcpStream>,
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "outbox {}", self.id)
    }
}

impl Outbox {
    /// An empty outbox; `socket` is a second handle by which a stalled connection is cut.
    #[must_use]
    pub fn new(id: u64, mode: Mode, socket: Option<TcpStream>) -> Outbox {
        Outbox {
            id,
            mode,
            inner: Mutex::default(),
            session: OnceLock::new(),
            asked_ms: AtomicI64::new(0),
            closed: AtomicBool::new(false),
            socket,
        }
    }

    /// The session that empties it.
    pub fn attach(&self, session: Recipient<Flush>) {
        let again = self.session.set(session);
        debug_assert!(again.is_ok(), "an outbox has one session");
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a frame that is for this session alone.
    pub fn push_text(&self, text: impl Into<Arc<str>>) {
        let text = text.into();
        let mut inner = self.lock();
        inner.bytes += text.len();
        inner.entries.push_back(Entry::Text(text));
        self.bound_and_wake(inner);
    }

    /// Queues a publication.
    pub fn push(&self, stream: Stream, message: &Arc<Message>) {
        let mut inner = self.lock();
        match &message.kind {
            Kind::Each => {
                self.settle(&mut inner, stream);
                let text = message.text(self.mode);
                inner.bytes += text.len();
                inner.entries.push_back(Entry::Text(text));
            }
            Kind::Latest | Kind::Depth(..) => {
                if let Some(slot) = inner.slots.iter_mut().find(|s| s.stream == stream) {
                    join(slot, message);
                } else {
                    let (from, newest) = (message.seq, message.clone());
                    inner.slots.push(Slot { stream, from, newest, joined: None });
                    inner.entries.push_back(Entry::Slot(stream));
                }
            }
        }
        self.bound_and_wake(inner);
    }

    /// What waits to be joined of a stream becomes a frame of its own, so that what comes later stays behind.
    fn settle(&self, inner: &mut Inner, stream: Stream) {
        let Some(at) = inner.slots.iter().position(|s| s.stream == stream) else { return };
        let text = self.slot_text(&inner.slots.swap_remove(at));
        inner.bytes += text.len();
        let entry = inner.entries.iter_mut().find(|e| matches!(e, Entry::Slot(s) if *s == stream));
        if let Some(entry) = entry {
            *entry = Entry::Text(text);
        }
    }

    fn bound_and_wake(&self, mut inner: MutexGuard<'_, Inner>) {
        if inner.entries.len() > MAX_FRAMES || inner.bytes > MAX_BYTES {
            inner.overflowed = true;
            inner.entries.clear();
            inner.slots.clear();
            inner.bytes = 0;
        }
        if inner.scheduled {
            return;
        }
        inner.scheduled = true;
        self.asked_ms.store(now_ms(), Ordering::Release);
        drop(inner);
        if let Some(session) = self.session.get() {
            session.do_send(Flush);
        }
    }

    /// Takes what waits, in order; `None` when it overflowed and the session must close.
    pub fn drain(&self) -> Option<Vec<Arc<str>>> {
        let mut inner = self.lock();
        inner.scheduled = false;
        self.asked_ms.store(0, Ordering::Release);
        if inner.overflowed {
            return None;
        }
        inner.bytes = 0;
        let entries = std::mem::take(&mut inner.entries);
        let mut slots = std::mem::take(&mut inner.slots);
        drop(inner);
        let mut frames = Vec::with_capacity(entries.len());
        for entry in entries {
            match entry {
                Entry::Text(text) => frames.push(text),
                Entry::Slot(stream) => {
                    if let Some(at) = slots.iter().position(|s| s.stream == stream) {
                        frames.push(self.slot_text(&slots.swap_remove(at)));
                    }
                }
            }
        }
        Some(frames)
    }

    fn slot_text(&self, slot: &Slot) -> Arc<str> {
        let newest = &slot.newest;
        match (&slot.joined, &newest.kind) {
            (Some(diff), Kind::Depth(_, format)) => {
                wrap(self.mode, &newest.name, slot.from, newest.seq, &format.update(diff)).into()
            }
            _ if slot.from == newest.seq => newest.text(self.mode),
            _ => wrap(self.mode, &newest.name, slot.from, newest.seq, &newest.data).into(),
        }
    }

    /// Drops what waits of a stream that is no longer wanted.
    pub fn forget(&self, stream: Stream) {
        let mut inner = self.lock();
        inner.slots.retain(|s| s.stream != stream);
        inner.entries.retain(|e| !matches!(e, Entry::Slot(s) if *s == stream));
    }

    /// The session asked for frames and has not taken them for too long.
    #[must_use]
    pub fn is_stalled(&self, now: Ms) -> bool {
        let asked = self.asked_ms.load(Ordering::Acquire);
        asked != 0 && now - asked > STALL_MS
    }

    /// Cuts the connection from outside: a stalled session is not polled and cannot close itself.
    pub fn cut(&self) {
        if let Some(socket) = &self.socket {
            // An error means that the connection is gone already.
            drop(socket.shutdown(Shutdown::Both));
        }
        self.close();
    }

    /// The session ended.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Whether what is pushed can still reach the reader.
    #[must_use]
    pub fn takes_more(&self) -> bool {
        !self.is_closed() && !self.lock().overflowed
    }

    /// Whether the session ended.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

fn join(slot: &mut Slot, message: &Arc<Message>) {
    if let (Kind::Depth(before, _), Kind::Depth(later, _)) = (&slot.newest.kind, &message.kind) {
        slot.joined = Some(slot.joined.as_ref().unwrap_or(before).then(later));
    }
    slot.newest = message.clone();
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::ids::MarketId;

    fn message(seq: u64, kind: Kind) -> Arc<Message> {
        Arc::new(Message::new("x@y".into(), seq, seq.to_string(), kind))
    }

    #[test]
    fn every_wrapped_frame_names_its_stream() {
        for mode in [Mode::Combined, Mode::App] {
            assert_eq!(stream_of(&wrap(mode, "btcusdt@trade", 1, 2, "{}")), Some("btcusdt@trade"));
        }
        assert_eq!(stream_of(&wrap(Mode::Raw, "btcusdt@trade", 1, 2, "{}")), None);
    }

    #[test]
    fn of_a_ticker_only_the_newest_waits_and_says_from_where() {
        let outbox = Outbox::new(1, Mode::App, None);
        let stream = Stream::MiniTicker(MarketId(1));
        for seq in 4..=6 {
            outbox.push(stream, &message(seq, Kind::Latest));
        }
        let frames = outbox.drain().unwrap();
        assert_eq!(frames.len(), 1);
        assert_eq!(&*frames[0], r#"{"stream":"x@y","from":4,"seq":6,"data":6}"#);
    }

    #[test]
    fn a_candles_last_word_is_not_overtaken() {
        let outbox = Outbox::new(1, Mode::Raw, None);
        let stream = Stream::Kline(MarketId(1), crate::market::interval::Interval::M1);
        outbox.push(stream, &message(1, Kind::Latest));
        outbox.push(stream, &message(2, Kind::Each));
        outbox.push(stream, &message(3, Kind::Latest));
        outbox.push(stream, &message(4, Kind::Latest));
        let frames = outbox.drain().unwrap();
        assert_eq!(frames.iter().map(|f| &**f).collect::<Vec<_>>(), ["1", "2", "4"]);
    }

    #[test]
    fn trades_are_never_dropped_silently() {
        let outbox = Outbox::new(1, Mode::Raw, None);
        for seq in 0..=MAX_FRAMES as u64 {
            outbox.push(Stream::Trade(MarketId(1)), &message(seq, Kind::Each));
        }
        assert!(outbox.drain().is_none(), "a reader that does not keep up is disconnected");
    }

    #[test]
    fn a_reader_that_takes_nothing_is_stalled() {
        let outbox = Outbox::new(1, Mode::Raw, None);
        outbox.push_text("hello");
        assert!(!outbox.is_stalled(now_ms()));
        assert!(outbox.is_stalled(now_ms() + STALL_MS + 1_000));
        outbox.drain();
        assert!(!outbox.is_stalled(now_ms() + STALL_MS + 1_000));
    }
}
