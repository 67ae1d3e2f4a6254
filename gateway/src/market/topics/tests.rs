//! Tests of the topics: delivery to few and many readers, slow readers, joining and leaving.

use super::*;
use crate::api::ws::outbox::MAX_BYTES;
use xng_core::ids::MarketId;

const TRADES: Stream = Stream::Trade(MarketId(1));
const TOPIC: Key = (TRADES, TimeUnit::Millis);

fn joined(topics: &mut Topics, id: u64, mode: Mode) -> Arc<Outbox> {
    let outbox = Arc::new(Outbox::new(id, mode, None));
    topics.join(&outbox, TRADES, || "x@trade".into());
    outbox
}

fn readers(topics: &mut Topics, count: u64) -> Vec<Arc<Outbox>> {
    (0..count).map(|id| joined(topics, id, Mode::Raw)).collect()
}

fn publish(topics: &mut Topics, numbers: std::ops::Range<u64>) {
    numbers.for_each(|n| topics.publish(TRADES, Conflation::Each, |_| n.to_string()));
}

/// Payloads as long as a trade's.
fn publish_long(topics: &mut Topics, numbers: std::ops::Range<u64>) {
    numbers.for_each(|n| topics.publish(TRADES, Conflation::Each, |_| format!("{n:0>200}")));
}

fn received(outbox: &Outbox) -> Vec<u64> {
    outbox.drain().expect("it is not given up").iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn few_readers_get_everything_at_once() {
    let mut topics = Topics::for_workers(2);
    let readers = readers(&mut topics, 100);
    publish(&mut topics, 0..1);
    topics.hand_out(Instant::now() + BURST);
    assert!(readers.iter().all(|r| received(r) == [0]));
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
            let new = received(reader);
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
            got.extend(received(&reader));
        }
        assert_eq!(got, (0..count).collect::<Vec<u64>>(), "all in order");
        let topic = &topics.by_stream[&TOPIC];
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
        assert_eq!(received(&reader), (n * 500..n * 500 + 500).collect::<Vec<u64>>(), "at once");
        assert!(stalled.waiting_bytes() <= (MAX_BYTES + ROUND_BYTES) as u64);
        if given_up.is_none() && !stalled.takes_more() {
            given_up = Some(now - begun);
        }
    }
    assert!(given_up.is_some_and(|after| after <= PATIENCE + Duration::from_secs(1)), "{given_up:?}");
    assert!(stalled.drain().is_none() && topics.by_stream[&TOPIC].rounds.list.is_empty());
}

#[test]
fn who_reads_too_slowly_is_given_up_before_much_is_kept_for_it() {
    let mut topics = Topics::for_workers(2);
    let slow = joined(&mut topics, 1, Mode::Raw);
    let (begun, mut most) = (Instant::now(), 0);
    for n in 0..100 {
        publish_long(&mut topics, 0..10_000);
        topics.hand_out(begun + Duration::from_millis(n));
        most = most.max(topics.by_stream[&TOPIC].rounds.bytes);
    }
    assert!(!slow.takes_more(), "it got thirty times what is kept");
    assert!(most <= MOST_KEPT + 10_000 * 400, "{most}");
}

#[test]
fn of_those_that_are_behind_only_who_holds_the_oldest_is_given_up_and_nobody_who_was_not_served_yet() {
    let mut topics = Topics::for_workers(2);
    let outboxes = readers(&mut topics, 3);
    let topic = topics.by_stream.get_mut(&TOPIC).unwrap();
    let fill = |topic: &mut Topic, bytes: usize| {
        let message = |n| Arc::new(Message::new(topic.name.clone(), n, "x".repeat(ROUND_BYTES / 2), Conflation::Each));
        let messages = (0..(bytes / ROUND_BYTES) as u64 * 2).map(message).collect();
        topic.rounds.add(messages);
        topic.waiting.push(Arc::new(Message::new(topic.name.clone(), 0, "x".into(), Conflation::Each)));
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
    let had: usize = readers.iter().map(|r| received(r).len()).sum();
    assert!(had > 0 && had < 3_000, "a pass goes on: {had}");
    let mut late = Vec::new();
    for n in 3..103 {
        publish(&mut topics, n..n + 1);
        late.push((n + 1, joined(&mut topics, 10_000 + n, Mode::Raw)));
        topics.leave(&readers[n as usize], TRADES);
    }
    let pushed = readers.iter().filter(|r| !received(r).is_empty()).count();
    assert_eq!(pushed, 0, "a hundred joins and leaves wake nobody");
    publish(&mut topics, 103..104);
    for ms in 10..60 {
        topics.hand_out(now + Duration::from_millis(ms));
    }
    for (from, reader) in late {
        assert_eq!(received(&reader), (from..104).collect::<Vec<u64>>(), "from the next publication on");
    }
    // The one in the middle of the pass has it from then on.
    let last = received(&readers[999]);
    assert_eq!(last, (0..104).collect::<Vec<u64>>(), "each once, in order");
    assert_eq!(received(&readers[0]), (3..104).collect::<Vec<u64>>());
    assert!(received(&readers[50]).is_empty(), "it left");
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
    assert_eq!(received(&raw), [0, 1, 2, 3], "nothing is lost for who has no snapshot");
    assert_eq!(app.drain().unwrap().len(), 1, "a snapshot stands for what was before");
}

#[test]
fn who_asks_for_microseconds_gets_the_same_publications_in_them() {
    let mut topics = Topics::for_workers(2);
    let [millis, micros] = [(1, TimeUnit::Millis), (2, TimeUnit::Micros)].map(|(id, unit)| {
        let outbox = Arc::new(Outbox::new(id, Mode::Raw, None).in_unit(unit));
        topics.join(&outbox, TRADES, || "x@trade".into());
        outbox
    });
    let publish = |topics: &mut Topics, ms| topics.publish(TRADES, Conflation::Each, |unit| unit.of(ms).to_string());
    publish(&mut topics, 7);
    topics.hand_out(Instant::now() + BURST);
    assert_eq!((received(&millis), received(&micros)), (vec![7], vec![7_000]));
    topics.leave(&millis, TRADES);
    assert!(topics.wanted(TRADES));
    topics.leave(&micros, TRADES);
    assert!(!topics.wanted(TRADES));
}
