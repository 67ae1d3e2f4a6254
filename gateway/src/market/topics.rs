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

use crate::ws::outbox::{Kind, Message, Mode, Outbox, Publication, Pushed, grouped};
use crate::ws::stream::Stream;
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

/// All topics.
pub(super) struct Topics {
    by_stream: BTreeMap<Stream, Topic>,
    /// Streams with something to hand out, in turn.
    due: VecDeque<Stream>,
    /// Streams that have something left for readers that are behind.
    left: BTreeSet<Stream>,
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
        Topics { by_stream, due, left, retry: now, a_wake, next_wake: now, event: 0 }
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
        if !std::mem::replace(&mut topic.is_due, true) {
            self.due.push_back(stream);
        }
        let mut message = Message::new(topic.name.clone(), topic.seq, data(), kind);
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
        let topic = self.by_stream.entry(stream).or_insert_with(|| Topic {
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
            Some(reader) if outbox.mode == Mode::App => {
                (reader.next, reader.behind) = (next, None);
                outbox.forget(stream);
            }
            Some(_) => {}
            None => topic.readers.push(Reader { outbox: outbox.clone(), next, behind: None }),
        }
        (topic.name.clone(), topic.seq)
    }

    /// A reader less; what it has not been handed is not for it any more.
    pub(super) fn leave(&mut self, id: u64, stream: Stream) {
        let Some(topic) = self.by_stream.get_mut(&stream) else { return };
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
        let streams: Vec<Stream> = self.by_stream.keys().copied().collect();
        streams.into_iter().for_each(|stream| self.leave(id, stream));
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
        for stream in std::mem::take(&mut self.left) {
            if let Some(topic) = self.by_stream.get_mut(&stream)
                && !std::mem::replace(&mut topic.is_due, true)
            {
                self.due.push_back(stream);
            }
        }
    }

    /// Hands out as much as the pace allows at `now`.
    pub(super) fn hand_out(&mut self, now: Instant) {
        if let Some(rested) = now.checked_sub(BURST) {
            self.next_wake = self.next_wake.max(rested);
        }
        self.look_at_those_behind(now);
        while let Some(stream) = self.due.front().copied() {
            let Some(topic) = self.by_stream.get_mut(&stream) else { return };
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
                    if reader.take(stream, &topic.rounds, pass.upto, now) {
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
                self.due.push_back(stream);
            } else if !topic.rounds.list.is_empty() {
                if self.left.is_empty() {
                    self.retry = now + RETRY;
                }
                self.left.insert(stream);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ws::outbox::MAX_BYTES;
    use xng_core::ids::MarketId;

    const TRADES: Stream = Stream::Trade(MarketId(1));

    fn joined(topics: &mut Topics, id: u64, mode: Mode) -> Arc<Outbox> {
        let outbox = Arc::new(Outbox::new(id, mode, None));
        topics.join(&outbox, TRADES, || "x@trade".into());
        outbox
    }

    fn readers(topics: &mut Topics, count: u64) -> Vec<Arc<Outbox>> {
        (0..count).map(|id| joined(topics, id, Mode::Raw)).collect()
    }

    fn publish(topics: &mut Topics, numbers: std::ops::Range<u64>) {
        numbers.for_each(|n| topics.publish(TRADES, Kind::Each, || n.to_string()));
    }

    /// Payloads as long as a trade's.
    fn publish_long(topics: &mut Topics, numbers: std::ops::Range<u64>) {
        numbers.for_each(|n| topics.publish(TRADES, Kind::Each, || format!("{n:0>200}")));
    }

    fn told(outbox: &Outbox) -> Vec<u64> {
        outbox.drain().expect("it is not given up").iter().map(|text| text.parse().unwrap()).collect()
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
    fn what_comes_in_one_go_cuts_nobody_who_reads_however_much_it_is() {
        for count in [2_049, 40_000] {
            let mut topics = Topics::for_workers(2);
            let reader = joined(&mut topics, 1, Mode::Raw);
            publish_long(&mut topics, 0..count);
            let (begun, mut got) = (Instant::now(), Vec::new());
            for ms in (0..2_000).step_by(10) {
                topics.hand_out(begun + Duration::from_millis(ms));
                assert!(reader.waiting_bytes() <= (MAX_BYTES + ROUND_BYTES) as u64);
                got.extend(told(&reader));
            }
            assert_eq!(got, (0..count).collect::<Vec<u64>>(), "all in order");
            let topic = &topics.by_stream[&TRADES];
            assert!(topics.due.is_empty() && topics.left.is_empty() && topic.rounds.bytes == 0);
        }
    }

    #[test]
    fn who_takes_nothing_holds_little_and_is_given_up_and_nobody_waits_for_it() {
        let mut topics = Topics::for_workers(2);
        let [stalled, reader] = [1, 2].map(|id| joined(&mut topics, id, Mode::Raw));
        let (begun, mut given_up) = (Instant::now() + BURST, None);
        for n in 0..100 {
            let now = begun + Duration::from_millis(n * 100);
            publish_long(&mut topics, n * 500..n * 500 + 500);
            topics.hand_out(now);
            assert_eq!(told(&reader), (n * 500..n * 500 + 500).collect::<Vec<u64>>(), "at once");
            assert!(stalled.waiting_bytes() <= (MAX_BYTES + ROUND_BYTES) as u64);
            if given_up.is_none() && !stalled.takes_more() {
                given_up = Some(now - begun);
            }
        }
        assert!(given_up.is_some_and(|after| after <= PATIENCE + Duration::from_secs(1)), "{given_up:?}");
        assert!(stalled.drain().is_none() && topics.by_stream[&TRADES].rounds.list.is_empty());
    }

    #[test]
    fn who_reads_too_slowly_is_given_up_before_much_is_kept_for_it() {
        let mut topics = Topics::for_workers(2);
        let slow = joined(&mut topics, 1, Mode::Raw);
        let (begun, mut most) = (Instant::now(), 0);
        for n in 0..100 {
            publish_long(&mut topics, 0..10_000);
            topics.hand_out(begun + Duration::from_millis(n));
            most = most.max(topics.by_stream[&TRADES].rounds.bytes);
        }
        assert!(!slow.takes_more(), "it got thirty times what is kept");
        assert!(most <= MOST_KEPT + 10_000 * 400, "{most}");
    }

    #[test]
    fn of_those_that_are_behind_only_who_holds_the_oldest_is_given_up_and_nobody_who_was_not_served_yet() {
        let mut topics = Topics::for_workers(2);
        let outboxes = readers(&mut topics, 3);
        let topic = topics.by_stream.get_mut(&TRADES).unwrap();
        let fill = |topic: &mut Topic, bytes: usize| {
            let message = |n| Arc::new(Message::new(topic.name.clone(), n, "x".repeat(ROUND_BYTES / 2), Kind::Each));
            let messages = (0..(bytes / ROUND_BYTES) as u64 * 2).map(message).collect();
            topic.rounds.add(messages);
            topic.waiting.push(Arc::new(Message::new(topic.name.clone(), 0, "x".into(), Kind::Each)));
        };
        fill(topic, 2 * MOST_KEPT);
        let (half, now) = (topic.rounds.end() * 3 / 4, Some(Instant::now()));
        for (reader, (next, behind)) in topic.readers.iter_mut().zip([(0, now), (half, now), (half, None)]) {
            (reader.next, reader.behind) = (next, behind);
        }
        topic.seal();
        assert_eq!(outboxes.iter().map(|o| o.takes_more()).collect::<Vec<_>>(), [false, true, true]);
        fill(topic, 2 * MOST_KEPT);
        topic.seal();
        assert_eq!(outboxes.iter().map(|o| o.takes_more()).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn who_joins_or_leaves_pushes_nothing_to_anybody() {
        let mut topics = Topics::for_workers(2);
        let readers = readers(&mut topics, 1_000);
        let now = Instant::now();
        publish(&mut topics, 0..3);
        topics.hand_out(now);
        let had: usize = readers.iter().map(|r| told(r).len()).sum();
        assert!(had > 0 && had < 3_000, "a pass goes on: {had}");
        let mut late = Vec::new();
        for n in 3..103 {
            publish(&mut topics, n..n + 1);
            late.push((n + 1, joined(&mut topics, 10_000 + n, Mode::Raw)));
            topics.leave(n, TRADES);
        }
        let pushed = readers.iter().filter(|r| !told(r).is_empty()).count();
        assert_eq!(pushed, 0, "a hundred joins and leaves wake nobody");
        publish(&mut topics, 103..104);
        for ms in 10..60 {
            topics.hand_out(now + Duration::from_millis(ms));
        }
        for (from, reader) in late {
            assert_eq!(told(&reader), (from..104).collect::<Vec<u64>>(), "from the next publication on");
        }
        // The one in the middle of the pass has it from then on.
        let last = told(&readers[999]);
        assert_eq!(last, (0..104).collect::<Vec<u64>>(), "each once, in order");
        assert_eq!(told(&readers[0]), (3..104).collect::<Vec<u64>>());
        assert!(told(&readers[50]).is_empty(), "it left");
    }

    #[test]
    fn who_joins_again_goes_on_and_the_app_begins_anew() {
        let mut topics = Topics::for_workers(2);
        let [raw, app] = [(1, Mode::Raw), (2, Mode::App)].map(|(id, mode)| joined(&mut topics, id, mode));
        publish(&mut topics, 0..3);
        for outbox in [&raw, &app] {
            assert_eq!(topics.join(outbox, TRADES, String::new).1, 3);
        }
        publish(&mut topics, 3..4);
        topics.hand_out(Instant::now() + BURST);
        assert_eq!(told(&raw), [0, 1, 2, 3], "nothing is lost for who has no snapshot");
        assert_eq!(app.drain().unwrap().len(), 1, "a snapshot stands for what was before");
    }
}
