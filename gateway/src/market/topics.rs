//! Topics: who reads which stream, and how fast publications are handed out.
//!
//! Each wake of a session is a write to its socket, which costs far more than the message in it. So wakes are rationed:
//! what is published while a round over the readers goes on waits for the next round and goes out in one piece. Few readers
//! get everything at once; with thousands, writes take about half of the worker threads, and calls get the other half.
//!
//! Owns: readers and numbers of streams, what waits to be handed out, the pace. Never does: make a payload, wait.
//! Invariants: a reader gets a stream's publications in order and each once; who joins or leaves a stream does so between
//! two of them. Known limits: a reader of many streams may be woken for each of them.

use crate::ws::outbox::{Kind, Message, Outbox, Publication, grouped};
use crate::ws::stream::Stream;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::entity::TimeNs;

/// What the write of a woken session takes of one worker thread, with as much again for everything else that it does.
const A_WRITE: Duration = Duration::from_micros(20);
/// So many wakes' time may be spent at once after a rest.
const BURST: Duration = Duration::from_millis(2);
/// Shorter waits cost more than they bring.
const LEAST_WAIT: Duration = Duration::from_micros(500);

struct Topic {
    name: Arc<str>,
    seq: u64,
    readers: Vec<Arc<Outbox>>,
    /// For the next round.
    waiting: Vec<Arc<Message>>,
    round: Option<Round>,
}

/// What is being handed out.
struct Round {
    publications: Vec<Publication>,
    /// Readers that have it.
    served: usize,
}

impl Topic {
    /// Begins a round with what waits, unless one goes on.
    fn begin(&mut self) {
        if self.round.is_none() && !self.waiting.is_empty() {
            let publications = grouped(std::mem::take(&mut self.waiting));
            self.round = Some(Round { publications, served: 0 });
        }
    }

    /// Hands everything out, at whatever pace.
    fn settle(&mut self, stream: Stream) {
        loop {
            self.begin();
            let Some(round) = self.round.take() else { return };
            for reader in &self.readers[round.served..] {
                reader.push(stream, &round.publications);
            }
        }
    }
}

/// All topics.
pub(super) struct Topics {
    by_stream: BTreeMap<Stream, Topic>,
    /// Streams with something to hand out, in turn.
    due: VecDeque<Stream>,
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
        Topics { by_stream: BTreeMap::new(), due: VecDeque::new(), a_wake, next_wake: Instant::now(), event: 0 }
    }

    /// Somebody reads it.
    pub(super) fn wanted(&self, stream: Stream) -> bool {
        self.by_stream.get(&stream).is_some_and(|t| !t.readers.is_empty())
    }

    /// A publication; its payload is made when somebody reads it.
    pub(super) fn publish(&mut self, stream: Stream, kind: Kind, data: impl FnOnce() -> String) {
        let Some(topic) = self.by_stream.get_mut(&stream) else { return };
        topic.seq += 1;
        if topic.readers.is_empty() {
            return;
        }
        if topic.waiting.is_empty() && topic.round.is_none() {
            self.due.push_back(stream);
        }
        let mut message = Message::new(topic.name.clone(), topic.seq, data(), kind);
        message.event = self.event;
        topic.waiting.push(Arc::new(message));
    }

    /// A reader more, from the next publication on; the stream's name and number of its last publication. One that reads
    /// it already begins anew.
    pub(super) fn join(
        &mut self,
        outbox: &Arc<Outbox>,
        stream: Stream,
        name: impl FnOnce() -> String,
    ) -> (Arc<str>, u64) {
        let topic = self.by_stream.entry(stream).or_insert_with(|| Topic {
            name: name().into(),
            seq: 0,
            readers: Vec::new(),
            waiting: Vec::new(),
            round: None,
        });
        topic.settle(stream);
        if topic.readers.iter().any(|r| r.id == outbox.id) {
            topic.readers.retain(|r| r.id != outbox.id);
            outbox.forget(stream);
        }
        topic.readers.push(outbox.clone());
        (topic.name.clone(), topic.seq)
    }

    /// A reader less.
    pub(super) fn leave(&mut self, id: u64, stream: Stream) {
        if let Some(topic) = self.by_stream.get_mut(&stream)
            && let Some(at) = topic.readers.iter().position(|r| r.id == id)
        {
            topic.settle(stream);
            topic.readers.remove(at);
        }
    }

    /// A reader of anything less.
    pub(super) fn gone(&mut self, id: u64) {
        let streams: Vec<Stream> = self.by_stream.keys().copied().collect();
        streams.into_iter().for_each(|stream| self.leave(id, stream));
    }

    /// When something is to be handed out, at the latest at `otherwise`.
    pub(super) fn due(&self, otherwise: Instant) -> Instant {
        if self.due.is_empty() { otherwise } else { otherwise.min(self.next_wake.max(Instant::now() + LEAST_WAIT)) }
    }

    /// Hands out as much as the pace allows at `now`.
    pub(super) fn hand_out(&mut self, now: Instant) {
        if let Some(rested) = now.checked_sub(BURST) {
            self.next_wake = self.next_wake.max(rested);
        }
        while let Some(stream) = self.due.front().copied() {
            let Some(topic) = self.by_stream.get_mut(&stream) else { return };
            topic.begin();
            if let Some(round) = &mut topic.round {
                while let Some(reader) = topic.readers.get(round.served) {
                    if self.next_wake > now {
                        return;
                    }
                    round.served += 1;
                    if reader.push(stream, &round.publications) {
                        self.next_wake += self.a_wake;
                    }
                }
            }
            // The others first; what came meanwhile is for a round of its own.
            topic.round = None;
            self.due.pop_front();
            if !topic.waiting.is_empty() {
                self.due.push_back(stream);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ws::outbox::Mode;
    use xng_core::ids::MarketId;

    const TRADES: Stream = Stream::Trade(MarketId(1));

    fn readers(topics: &mut Topics, count: u64) -> Vec<Arc<Outbox>> {
        let all: Vec<_> = (0..count).map(|id| Arc::new(Outbox::new(id, Mode::Raw, None))).collect();
        all.iter().for_each(|outbox| drop(topics.join(outbox, TRADES, || "x@trade".into())));
        all
    }

    fn publish(topics: &mut Topics, numbers: std::ops::Range<u64>) {
        numbers.for_each(|n| topics.publish(TRADES, Kind::Each, || n.to_string()));
    }

    fn told(outbox: &Outbox) -> Vec<u64> {
        outbox.drain().unwrap().iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn few_readers_get_everything_at_once() {
        let mut topics = Topics::for_workers(2);
        let readers = readers(&mut topics, 100);
        publish(&mut topics, 0..1);
        topics.hand_out(Instant::now() + BURST);
        assert!(readers.iter().all(|r| told(r) == [0]));
        assert!(topics.due.is_empty());
    }

    #[test]
    fn many_readers_are_woken_at_a_pace_and_get_what_came_meanwhile_in_one_piece() {
        let mut topics = Topics::for_workers(2);
        let readers = readers(&mut topics, 5_000);
        let (begun, mut got) = (Instant::now() + BURST, vec![Vec::new(); 5_000]);
        let mut wakes = 0;
        // A publication a millisecond; whoever is woken takes at once what it got.
        for ms in 0..400 {
            if ms < 200 {
                publish(&mut topics, ms..ms + 1);
            }
            topics.hand_out(begun + Duration::from_millis(ms));
            for (reader, got) in readers.iter().zip(&mut got) {
                let new = told(reader);
                wakes += usize::from(!new.is_empty());
                got.extend(new);
            }
        }
        assert!(got.iter().all(|got| *got == (0..200).collect::<Vec<u64>>()), "each once, in order");
        // 10 microseconds a wake, 200 ms and the rest of the last round: not a million writes.
        assert!((20_000..=45_000).contains(&wakes), "{wakes}");
        assert!(topics.due.is_empty());
    }

    #[test]
    fn who_joins_or_leaves_during_a_round_sees_all_of_it_or_nothing() {
        let mut topics = Topics::for_workers(2);
        let readers = readers(&mut topics, 1_000);
        publish(&mut topics, 0..3);
        topics.hand_out(Instant::now());
        publish(&mut topics, 3..5);
        let late = Arc::new(Outbox::new(7_777, Mode::Raw, None));
        assert_eq!(topics.join(&late, TRADES, String::new).1, 5);
        assert!(readers.iter().all(|r| told(r) == [0, 1, 2, 3, 4]), "the round came to its end first");
        publish(&mut topics, 5..6);
        topics.hand_out(Instant::now());
        topics.gone(0);
        publish(&mut topics, 6..7);
        topics.hand_out(Instant::now() + Duration::from_secs(60));
        assert_eq!((told(&late), told(&readers[0]), told(&readers[999])), (vec![5, 6], vec![5], vec![5, 6]));
    }
}
