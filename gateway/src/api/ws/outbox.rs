//! What waits for one socket: bounded, conflated where only the newest counts.
//!
//! Owns: the queue between a publisher and a session. Never does: wait for the socket.
//! Invariants: a stream's frames leave in order; of a ticker or kline at most the newest waits, of a depth stream one
//! joined diff. A queue is judged by what waited before: an empty one takes whatever comes in one go, a full one takes no
//! publication, which its publisher then keeps, and what comes for its session alone closes it (code 1013); nobody else
//! notices. Publications that go out together are framed once for all readers.
//! Known limits: 2,048 frames or 256 KiB that cannot be conflated, and the one round or event that went beyond them.

use super::frame::put_text;
use super::stream::{Stream, program_name};
use crate::common::time::{Ms, TimeUnit, now_ms, now_ns};
use crate::market::depth::DepthDiff;
use crate::market::payload::DepthFormat;
use crate::observe::metrics::sockets::{Dropped, SocketMeters};
use actix::{Message as ActixMessage, Recipient};
use actix_web::web::{Bytes, BytesMut};
use futures_util::task::AtomicWaker;
use socket2::SockRef;
use std::collections::VecDeque;
use std::fmt;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;
use xng_core::entity::TimeNs;

/// So many frames that wait are enough.
const MAX_FRAMES: usize = 2_048;
/// So many bytes that wait are enough.
pub const MAX_BYTES: usize = 256 * 1_024;
/// Publications fill no more than this part of either: whoever catches up with them hears of their own orders meanwhile.
const FOR_PUBLICATIONS: usize = 2;
/// What a frame has around its payload and its stream's name, in bytes at most.
const WRAPPING: usize = 96;
/// A session that does not take its frames, or does not come to its end, for this long is cut off.
pub const STALL_MS: Ms = 3_000;

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
#[derive(Debug, Clone)]
pub enum Conflation {
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
    /// The stream's name as the app has it.
    pub name: Arc<str>,
    /// Number of the publication.
    pub seq: u64,
    /// The payload.
    pub data: String,
    /// How it joins.
    pub kind: Conflation,
    /// Time of the record that it tells of; 0 when it tells of none in particular.
    pub event: TimeNs,
    combined: OnceLock<Arc<str>>,
    app: OnceLock<Arc<str>>,
    raw: OnceLock<Arc<str>>,
}

impl Message {
    /// A publication.
    #[must_use]
    pub fn new(name: Arc<str>, seq: u64, data: String, kind: Conflation) -> Message {
        let (combined, app, raw) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Message { name, seq, data, kind, event: 0, combined, app, raw }
    }

    /// Bytes of its frame at most.
    #[must_use]
    pub fn size(&self) -> usize {
        self.data.len() + self.name.len() + WRAPPING
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

/// What goes to all readers of a stream at once.
#[derive(Debug, Clone)]
pub enum Publication {
    /// Publications that each count, in order.
    Group(Arc<Group>),
    /// One that may be joined with what waits.
    One(Arc<Message>),
}

/// Publications that each count, framed once.
#[derive(Debug)]
pub struct Group {
    messages: Vec<Arc<Message>>,
    frames: [OnceLock<Bytes>; 3],
    /// Time of the oldest record that they tell of; 0 when they tell of none in particular.
    event: TimeNs,
}

impl Group {
    /// Their frames, one behind the other.
    fn frames(&self, mode: Mode) -> &Bytes {
        self.frames[mode as usize].get_or_init(|| {
            let mut out = BytesMut::new();
            self.messages.iter().for_each(|m| put_text(&mut out, &m.text(mode)));
            out.freeze()
        })
    }
}

/// What became of publications for a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// They wait, and its session, which slept, is woken: a write to its socket.
    Woken,
    /// They wait with what already did, or the session ends and takes nothing any more.
    Quietly,
    /// None of them waits: too much already does.
    Full,
}

/// Publications in order, so that as many as may be go out as one.
#[must_use]
pub fn grouped(messages: Vec<Arc<Message>>) -> Vec<Publication> {
    let mut out = Vec::new();
    let mut each: Vec<Arc<Message>> = Vec::new();
    let group = |messages: Vec<Arc<Message>>| {
        let event = messages.iter().map(|m| m.event).filter(|event| *event != 0).min().unwrap_or(0);
        (!messages.is_empty())
            .then(|| Publication::Group(Arc::new(Group { messages, frames: Default::default(), event })))
    };
    for message in messages {
        match message.kind {
            Conflation::Each => each.push(message),
            Conflation::Latest | Conflation::Depth(..) => {
                out.extend(group(std::mem::take(&mut each)));
                out.push(Publication::One(message));
            }
        }
    }
    out.extend(group(each));
    out
}

fn wrap(mode: Mode, name: &str, from: u64, seq: u64, data: &str) -> String {
    match mode {
        Mode::Raw => data.to_owned(),
        Mode::Combined => format!(r#"{{"stream":"{}","data":{data}}}"#, program_name(name)),
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
    Group(Arc<Group>),
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
    frames: usize,
    bytes: usize,
    scheduled: bool,
    overflowed: bool,
}

impl Inner {
    /// For publications, which can wait elsewhere.
    fn is_full(&self) -> bool {
        self.frames >= MAX_FRAMES / FOR_PUBLICATIONS || self.bytes >= MAX_BYTES / FOR_PUBLICATIONS
    }

    /// For frames that are for this session alone.
    fn is_overfull(&self) -> bool {
        self.frames >= MAX_FRAMES || self.bytes >= MAX_BYTES
    }

    fn overflow(&mut self) {
        *self = Inner { overflowed: true, scheduled: self.scheduled, ..Inner::default() };
    }
}

/// What waits for one socket.
pub struct Outbox {
    /// Number of the session.
    pub id: u64,
    /// How its times are written.
    pub unit: TimeUnit,
    is_app: bool,
    combined: AtomicBool,
    inner: Mutex<Inner>,
    session: OnceLock<Recipient<Flush>>,
    waker: AtomicWaker,
    asked_ms: AtomicI64,
    ending_ms: AtomicI64,
    closed: AtomicBool,
    /// Why the exchange ends it once it has what waits.
    farewell: OnceLock<&'static str>,
    socket: Option<Arc<TcpStream>>,
    meters: OnceLock<Arc<SocketMeters>>,
    /// Time of the oldest record of a group whose frame waits; 0 when none does.
    event: AtomicU64,
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "outbox {}", self.id)
    }
}

impl Outbox {
    /// An empty outbox; `socket` is a second handle by which a stalled connection is cut.
    #[must_use]
    pub fn new(id: u64, mode: Mode, socket: Option<Arc<TcpStream>>) -> Outbox {
        Outbox {
            id,
            unit: TimeUnit::Millis,
            is_app: mode == Mode::App,
            combined: AtomicBool::new(mode == Mode::Combined),
            inner: Mutex::default(),
            session: OnceLock::new(),
            waker: AtomicWaker::new(),
            asked_ms: AtomicI64::new(0),
            ending_ms: AtomicI64::new(0),
            closed: AtomicBool::new(false),
            farewell: OnceLock::new(),
            socket,
            meters: OnceLock::new(),
            event: AtomicU64::new(0),
        }
    }

    /// The same with times in another unit.
    #[must_use]
    pub fn in_unit(self, unit: TimeUnit) -> Outbox {
        Outbox { unit, ..self }
    }

    /// How it wraps frames.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match (self.is_app, self.combined.load(Ordering::Relaxed)) {
            (true, _) => Mode::App,
            (false, true) => Mode::Combined,
            (false, false) => Mode::Raw,
        }
    }

    /// From now on frames are wrapped, or not; what waits is too. The app's always are.
    pub fn set_combined(&self, on: bool) {
        self.combined.store(on, Ordering::Relaxed);
    }

    /// The actor that empties it, unless a connection's task does.
    pub fn attach(&self, session: Recipient<Flush>) {
        let again = self.session.set(session);
        debug_assert!(again.is_ok(), "an outbox has one session");
    }

    /// Wakes this task when something waits from now on.
    pub fn wakes(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    /// What becomes of publications here is counted there from now on.
    pub fn count_in(&self, meters: Arc<SocketMeters>) {
        self.meters.get_or_init(|| meters);
    }

    /// The exchange ends the session.
    pub fn dropped(&self, why: Dropped) {
        self.meters.get().into_iter().for_each(|meters| meters.dropped(why));
    }

    /// Bytes that wait and cannot be joined any more.
    #[must_use]
    pub fn waiting_bytes(&self) -> u64 {
        self.lock().bytes as u64
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a frame that is for this session alone.
    pub fn push_text(&self, text: impl Into<Arc<str>>) {
        self.push_texts([text.into()]);
    }

    /// Queues frames that are for this session alone and belong together.
    pub fn push_texts(&self, texts: impl IntoIterator<Item = Arc<str>>) {
        let mut inner = self.lock();
        if inner.is_overfull() {
            inner.overflow();
        }
        if !inner.overflowed {
            for text in texts {
                inner.bytes += text.len();
                inner.frames += 1;
                inner.entries.push_back(Entry::Text(text));
            }
        }
        self.wake(inner);
    }

    /// Gives a reader up that does not keep up: what waits is dropped and the session closes.
    pub fn give_up(&self) {
        let mut inner = self.lock();
        inner.overflow();
        self.wake(inner);
    }

    /// Queues publications of a stream, in order. A full queue takes only what joins with what waits.
    pub fn push(&self, stream: Stream, publications: &[Publication]) -> Pushed {
        let mut inner = self.lock();
        if inner.overflowed {
            return Pushed::Quietly;
        }
        if inner.is_full() && publications.iter().any(|p| matches!(p, Publication::Group(_))) {
            return Pushed::Full;
        }
        for publication in publications {
            match publication {
                Publication::Group(group) => {
                    self.settle(&mut inner, stream);
                    inner.bytes += group.frames(self.mode()).len();
                    inner.frames += group.messages.len();
                    inner.entries.push_back(Entry::Group(group.clone()));
                    if group.event != 0 && self.event.load(Ordering::Relaxed) == 0 {
                        self.event.store(group.event, Ordering::Release);
                    }
                }
                Publication::One(message) => {
                    if let Some(slot) = inner.slots.iter_mut().find(|s| s.stream == stream) {
                        join(slot, message);
                        if let (Some(meters), Some(channel)) = (self.meters.get(), stream.conflated_as()) {
                            meters.conflated(channel);
                        }
                    } else {
                        let (from, newest) = (message.seq, message.clone());
                        inner.slots.push(Slot { stream, from, newest, joined: None });
                        inner.frames += 1;
                        inner.entries.push_back(Entry::Slot(stream));
                    }
                }
            }
        }
        if self.wake(inner) { Pushed::Woken } else { Pushed::Quietly }
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

    /// Wakes the session; false when it was woken before.
    fn wake(&self, mut inner: MutexGuard<'_, Inner>) -> bool {
        if inner.scheduled {
            return false;
        }
        inner.scheduled = true;
        self.asked_ms.store(now_ms(), Ordering::Release);
        drop(inner);
        match self.session.get() {
            Some(session) => session.do_send(Flush),
            None => self.waker.wake(),
        }
        true
    }

    /// Takes what waits; `None` when it overflowed and the session must close.
    fn take(&self) -> Option<(VecDeque<Entry>, Vec<Slot>)> {
        let mut inner = self.lock();
        inner.scheduled = false;
        self.asked_ms.store(0, Ordering::Release);
        if inner.overflowed {
            return None;
        }
        (inner.bytes, inner.frames) = (0, 0);
        Some((std::mem::take(&mut inner.entries), std::mem::take(&mut inner.slots)))
    }

    /// What a slot's entry stands for.
    fn slot_frame(&self, slots: &mut Vec<Slot>, stream: Stream) -> Option<Arc<str>> {
        let at = slots.iter().position(|s| s.stream == stream)?;
        Some(self.slot_text(&slots.swap_remove(at)))
    }

    /// Takes what waits as texts, in order; `None` when it overflowed and the session must close.
    pub fn drain(&self) -> Option<Vec<Arc<str>>> {
        let (entries, mut slots) = self.take()?;
        let mut texts = Vec::with_capacity(entries.len());
        for entry in entries {
            match entry {
                Entry::Text(text) => texts.push(text),
                Entry::Group(group) => texts.extend(group.messages.iter().map(|m| m.text(self.mode()))),
                Entry::Slot(stream) => texts.extend(self.slot_frame(&mut slots, stream)),
            }
        }
        Some(texts)
    }

    /// Takes what waits as websocket frames, in order; false when it overflowed and the session must close.
    pub fn drain_frames(&self, out: &mut BytesMut) -> bool {
        let event = self.event.swap(0, Ordering::AcqRel);
        let Some((entries, mut slots)) = self.take() else {
            self.dropped(Dropped::Slow);
            return false;
        };
        for entry in entries {
            match entry {
                Entry::Text(text) => put_text(out, &text),
                Entry::Group(group) => out.extend_from_slice(group.frames(self.mode())),
                Entry::Slot(stream) => {
                    if let Some(text) = self.slot_frame(&mut slots, stream) {
                        put_text(out, &text);
                    }
                }
            }
        }
        if let Some(meters) = self.meters.get().filter(|_| event != 0) {
            meters.fanout_micros.record(now_ns().saturating_sub(event) / 1_000);
        }
        true
    }

    fn slot_text(&self, slot: &Slot) -> Arc<str> {
        let newest = &slot.newest;
        match (&slot.joined, &newest.kind) {
            (Some(diff), Conflation::Depth(_, format)) => {
                wrap(self.mode(), &newest.name, slot.from, newest.seq, &format.update(diff, self.unit)).into()
            }
            _ if slot.from == newest.seq => newest.text(self.mode()),
            _ => wrap(self.mode(), &newest.name, slot.from, newest.seq, &newest.data).into(),
        }
    }

    /// Drops what waits of a stream that is no longer wanted.
    pub fn forget(&self, stream: Stream) {
        let mut inner = self.lock();
        inner.slots.retain(|s| s.stream != stream);
        inner.entries.retain(|e| !matches!(e, Entry::Slot(s) if *s == stream));
    }

    /// Frames wait that the session has not taken for too long, or it does not come to its end.
    #[must_use]
    pub fn is_stalled(&self, now: Ms) -> bool {
        let since = [&self.asked_ms, &self.ending_ms].map(|at| at.load(Ordering::Acquire));
        since.into_iter().any(|at| at != 0 && now - at > STALL_MS)
    }

    /// The session ends when it has what waits, and a close that says why.
    pub fn end_with(&self, why: &'static str) {
        self.farewell.get_or_init(|| why);
        self.wake(self.lock());
    }

    /// Why it ends, if it does.
    #[must_use]
    pub fn farewell(&self) -> Option<&'static str> {
        self.farewell.get().copied()
    }

    /// The last frame is on its way; a reader that does not take it is stalled.
    pub fn ends(&self) {
        self.ending_ms.store(now_ms(), Ordering::Release);
    }

    /// Cuts the connection from outside: a stalled session is not polled and cannot close itself.
    pub fn cut(&self) {
        if let Some(socket) = &self.socket {
            // What the reader has not taken is given up with the connection: the kernel would keep it for minutes.
            // An error means that the connection is gone already.
            drop(SockRef::from(&**socket).set_linger(Some(Duration::ZERO)));
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
    if let (Conflation::Depth(before, _), Conflation::Depth(later, _)) = (&slot.newest.kind, &message.kind) {
        slot.joined = Some(slot.joined.as_ref().unwrap_or(before).then(later));
    }
    slot.newest = message.clone();
}

#[cfg(test)]
mod tests;
