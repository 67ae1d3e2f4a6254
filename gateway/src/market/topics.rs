//! Topics: who reads which stream, and how fast publications are handed out.
//!
//! Each wake of a session is a write to its socket, which costs far more than the message in it. So wakes are rationed:
//! what is published while a pass over the readers goes on waits for the next pass and goes out in one piece. Few readers
//! get everything at once; with thousands, writes take about half of the worker threads, and calls get the other half.
//!
//! What is published is cut into numbered rounds, kept once for all readers; each reader has its place among them. So one
//! that joins begins behind what waits, one whose outbox is full takes the rest when it has room, and nobody else is
//! pushed or kept waiting for it.
//!
//! Owns: readers and numbers of streams, what waits to be handed out, the pace. Never does: make a payload, wait.
//! Invariants: a reader gets a stream's publications in order and each once, from the one after it joined; one that does
//! not keep up is given up. Known limits: a reader of many streams may be woken for each of them.

use crate::api::ws::outbox::{Conflation, Message, Mode, Outbox, Publication, Pushed, grouped};
use crate::api::ws::stream::Stream;
use crate::common::time::TimeUnit;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::entity::TimeNs;

/// What the write of a woken session takes of one worker thread, with as much again for everything else that it does.
const A_WRITE: Duration = Duration::from_micros(20);
/// So many wakes' time may be spent at once after a rest.
const BURST: Duration = Duration::from_millis(2);
/// Shorter waits cost more than they bring.
const LEAST_WAIT: Duration = Duration::from_micros(500);
/// Messages of one round at most …
const ROUND_MESSAGES: usize = 512;
/// … and bytes of their frames, unless one message alone has more.
const ROUND_BYTES: usize = 64 * 1_024;
/// Readers whose outboxes were full are looked at again this often.
const RETRY: Duration = Duration::from_millis(10);
/// A reader that has not caught up for this long is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of frames that a topic keeps for readers that are behind; when it has more and more comes, those that are furthest
/// behind are given up.
const MOST_KEPT: usize = 32 * 1_024 * 1_024;

/// What goes out in one piece.
struct Round {
    publications: Vec<Publication>,
    bytes: usize,
}

/// The rounds that some reader still lacks, numbered without a gap.
#[derive(Default)]
struct Rounds {
    first: u64,
    list: VecDeque<Round>,
    bytes: usize,
}

impl Rounds {
    /// The number of the round that comes next.
    fn end(&self) -> u64 {
        self.first + self.list.len() as u64
    }

    fn get(&self, number: u64) -> Option<&Round> {
        self.list.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// Cuts messages into rounds behind all others.
    fn add(&mut self, messages: Vec<Arc<Message>>) {
        let (mut round, mut bytes) = (Vec::new(), 0);
        for message in messages {
            let size = message.size();
            if !round.is_empty() && (round.len() == ROUND_MESSAGES || bytes + size > ROUND_BYTES) {
                self.close(std::mem::take(&mut round), std::mem::take(&mut bytes));
            }
            bytes += size;
            round.push(message);
        }
        if !round.is_empty() {
            self.close(round, bytes);
        }
    }

    fn close(&mut self, messages: Vec<Arc<Message>>, bytes: usize) {
        self.bytes += bytes;
        self.list.push_back(Round { publications: grouped(messages), bytes });
    }

    fn forget_before(&mut self, number: u64) {
        while self.first < number
            && let Some(round) = self.list.pop_front()
        {
            self.first += 1;
            self.bytes -= round.bytes;
        }
    }
}

struct Reader {
    outbox: Arc<Outbox>,
    /// The next round that it gets.
    next: u64,
    /// Since when it has lacked something because its outbox was full.
    behind: Option<Instant>,
}

impl Reader {
    /// Takes rounds before `upto`, as many as it has room for; true when its session was woken.
    fn take(&mut self, stream: Stream, rounds: &Rounds, upto: u64, now: Instant) -> bool {
        let mut woken = false;
        while self.next < upto
            && let Some(round) = rounds.get(self.next)
        {
            match self.outbox.push(stream, &round.publications) {
                Pushed::Woken => woken = true,
                Pushed::Quietly => {}
                Pushed::Full => {
                    if now.saturating_duration_since(*self.behind.get_or_insert(now)) >= PATIENCE {
                        self.give_up(upto);
                    }
                    return woken;
                }
            }
            self.next += 1;
        }
        self.behind = None;
        woken
    }

    fn give_up(&mut self, end: u64) {
        self.outbox.give_up();
        (self.next, self.behind) = (end, None);
    }
}

/// A walk over the readers, which all get the rounds before `upto`.
struct Pass {
    upto: u64,
    /// Readers that it has been at.
    served: usize,
}

struct Topic {
    name: Arc<str>,
    seq: u64,
    readers: Vec<Reader>,
    /// For the next rounds.
    waiting: Vec<Arc<Message>>,
    rounds: Rounds,
    pass: Option<Pass>,
    /// It is among those with something to hand out.
    is_due: bool,
}

impl Topic {
    /// Makes rounds of what waits.
    fn seal(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let end = self.rounds.end();
        // Those who hold the oldest go first, and no more of them than must. Who only was not served yet in this pass stays.
        while self.rounds.bytes > MOST_KEPT {
            let oldest = self.oldest();
            let mut holding = self.readers.iter_mut().filter(|r| r.next == oldest && r.behind.is_some()).peekable();
            if holding.peek().is_none() {
                break;
            }
            holding.for_each(|r| r.give_up(end));
            self.rounds.forget_before(self.oldest());
        }
        self.rounds.add(std::mem::take(&mut self.waiting));
    }

    /// Ends the pass. What is left of rounds waits for readers that are behind or for the next pass.
    fn rest(&mut self) {
        self.pass = None;
        self.rounds.forget_before(self.oldest());
    }

    /// The oldest round that some reader still lacks.
    fn oldest(&self) -> u64 {
        self.readers.iter().map(|r| r.next).min().unwrap_or(self.rounds.end())
    }
}

/// A stream with times in one unit is a topic.
type Key = (Stream, TimeUnit);

/// All topics.
pub(super) struct Topics {
    by_stream: BTreeMap<Key, Topic>,
    /// Somebody read microseconds once; until then nothing is looked up for such readers.
    has_micros: bool,
    /// Streams with something to hand out, in turn.
    due: VecDeque<Key>,
    /// Streams that have something left for readers that are behind.
    left: BTreeSet<Key>,
    /// Not before this time are those readers looked at.
    retry: Instant,
    a_wake: Duration,
    /// Not before this time is the next session woken.
    next_wake: Instant,
    /// Time of the record that is being published; 0 for what is of none in particular.
    pub(super) event: TimeNs,
}

impl Default for Topics {
    fn default() -> Topics {
        Topics::for_workers(1)
    }
}

impl Topics {
    /// Paced for so many threads that write.
    pub(super) fn for_workers(workers: usize) -> Topics {
        let a_wake = A_WRITE / u32::try_from(workers.max(1)).unwrap_or(u32::MAX);
        let (by_stream, due, left, now) = (BTreeMap::new(), VecDeque::new(), BTreeSet::new(), Instant::now());
        Topics { by_stream, has_micros: false, due, left, retry: now, a_wake, next_wake: now, event: 0 }
    }

    /// Somebody reads it.
    pub(super) fn wanted(&self, stream: Stream) -> bool {
        let is_read = |unit| self.by_stream.get(&(stream, unit)).is_some_and(|t| !t.readers.is_empty());
        is_read(TimeUnit::Millis) || self.has_micros && is_read(TimeUnit::Micros)
    }

    /// Who reads it, in one unit or another.
    pub(super) fn readers(&self, stream: Stream) -> Vec<Arc<Outbox>> {
        let topics = [TimeUnit::Millis, TimeUnit::Micros].map(|unit| self.by_stream.get(&(stream, unit)));
        topics.into_iter().flatten().flat_map(|topic| &topic.readers).map(|reader| reader.outbox.clone()).collect()
    }

    /// A publication; its payload is made once for each unit that somebody reads.
    pub(super) fn publish(&mut self, stream: Stream, kind: Conflation, data: impl Fn(TimeUnit) -> String) {
        let micros = (stream, TimeUnit::Micros);
        if self.has_micros && self.by_stream.contains_key(&micros) {
            self.publish_in(micros, kind.clone(), &data);
        }
        self.publish_in((stream, TimeUnit::Millis), kind, &data);
    }

    fn publish_in(&mut self, key: Key, kind: Conflation, data: &impl Fn(TimeUnit) -> String) {
        let Some(topic) = self.by_stream.get_mut(&key) else { return };
        topic.seq += 1;
        if topic.readers.is_empty() {
            return;
        }
        if !std::mem::replace(&mut topic.is_due, true) {
            self.due.push_back(key);
        }
        let mut message = Message::new(topic.name.clone(), topic.seq, data(key.1), kind);
        message.event = self.event;
        topic.waiting.push(Arc::new(message));
    }

    /// A reader more, from the next publication on; the stream's name and number of its last publication. One of the app
    /// that reads it already begins anew, with what it is then told first; any other just goes on.
    pub(super) fn join(
        &mut self,
        outbox: &Arc<Outbox>,
        stream: Stream,
        name: impl FnOnce() -> String,
    ) -> (Arc<str>, u64) {
        self.has_micros |= outbox.unit == TimeUnit::Micros;
        let topic = self.by_stream.entry((stream, outbox.unit)).or_insert_with(|| Topic {
            name: name().into(),
            seq: 0,
            readers: Vec::new(),
            waiting: Vec::new(),
            rounds: Rounds::default(),
            pass: None,
            is_due: false,
        });
        topic.seal();
        let next = topic.rounds.end();
        match topic.readers.iter_mut().find(|r| r.outbox.id == outbox.id) {
            Some(reader) if outbox.mode() == Mode::App => {
                (reader.next, reader.behind) = (next, None);
                outbox.forget(stream);
            }
            Some(_) => {}
            None => topic.readers.push(Reader { outbox: outbox.clone(), next, behind: None }),
        }
        (topic.name.clone(), topic.seq)
    }

    /// A reader less; what it has not been handed is not for it any more.
    pub(super) fn leave(&mut self, outbox: &Outbox, stream: Stream) {
        self.leave_topic(outbox.id, (stream, outbox.unit));
    }

    fn leave_topic(&mut self, id: u64, key: Key) {
        let Some(topic) = self.by_stream.get_mut(&key) else { return };
        let Some(at) = topic.readers.iter().position(|r| r.outbox.id == id) else { return };
        topic.readers.remove(at);
        if let Some(pass) = topic.pass.as_mut().filter(|pass| at < pass.served) {
            pass.served -= 1;
        }
        if topic.readers.is_empty() {
            topic.waiting.clear();
            topic.rest();
        }
    }

    /// A reader of anything less.
    pub(super) fn gone(&mut self, id: u64) {
        let keys: Vec<Key> = self.by_stream.keys().copied().collect();
        keys.into_iter().for_each(|key| self.leave_topic(id, key));
    }

    /// When something is to be handed out, at the latest at `otherwise`.
    pub(super) fn due(&self, otherwise: Instant) -> Instant {
        let retry = if self.left.is_empty() { otherwise } else { otherwise.min(self.retry) };
        if self.due.is_empty() { retry } else { retry.min(self.next_wake.max(Instant::now() + LEAST_WAIT)) }
    }

    /// Readers that were behind may have room again.
    fn look_at_those_behind(&mut self, now: Instant) {
        if self.left.is_empty() || now < self.retry {
            return;
        }
        self.retry = now + RETRY;
        for key in std::mem::take(&mut self.left) {
            if let Some(topic) = self.by_stream.get_mut(&key)
                && !std::mem::replace(&mut topic.is_due, true)
            {
                self.due.push_back(key);
            }
        }
    }

    /// Hands out as much as the pace allows at `now`.
    pub(super) fn hand_out(&mut self, now: Instant) {
        if let Some(rested) = now.checked_sub(BURST) {
            self.next_wake = self.next_wake.max(rested);
        }
        self.look_at_those_behind(now);
        while let Some(key) = self.due.front().copied() {
            let Some(topic) = self.by_stream.get_mut(&key) else { return };
            if topic.pass.is_none() {
                topic.seal();
            }
            let upto = topic.rounds.end();
            let pass = topic.pass.get_or_insert(Pass { upto, served: 0 });
            while let Some(reader) = topic.readers.get_mut(pass.served) {
                if reader.next < pass.upto {
                    if self.next_wake > now {
                        return;
                    }
                    if reader.take(key.0, &topic.rounds, pass.upto, now) {
                        self.next_wake += self.a_wake;
                    }
                }
                pass.served += 1;
            }
            // The others first; what came meanwhile is for a pass of its own.
            let came = !topic.waiting.is_empty() || pass.upto < topic.rounds.end();
            topic.rest();
            self.due.pop_front();
            topic.is_due = came;
            if came {
                self.due.push_back(key);
            } else if !topic.rounds.list.is_empty() {
                if self.left.is_empty() {
                    self.retry = now + RETRY;
                }
                self.left.insert(key);
            }
        }
    }
}

#[cfg(test)]
mod tests;
