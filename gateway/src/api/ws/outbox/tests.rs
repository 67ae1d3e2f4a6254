//! Tests of the outbox: framing, conflation, limits, stalled sessions.

use super::*;
use crate::market::interval::{Interval, Zone};
use xng_core::ids::MarketId;

fn message(seq: u64, kind: Conflation) -> Arc<Message> {
    Arc::new(Message::new("x@y".into(), seq, seq.to_string(), kind))
}

fn push(outbox: &Outbox, stream: Stream, seq: u64, kind: Conflation) -> Pushed {
    outbox.push(stream, &grouped(vec![message(seq, kind)]))
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
        push(&outbox, stream, seq, Conflation::Latest);
    }
    let frames = outbox.drain().unwrap();
    assert_eq!(frames.len(), 1);
    assert_eq!(&*frames[0], r#"{"stream":"x@y","from":4,"seq":6,"data":6}"#);
}

#[test]
fn a_candles_last_word_is_not_overtaken() {
    let outbox = Outbox::new(1, Mode::Raw, None);
    let stream = Stream::Kline(MarketId(1), Interval::M1, Zone::Utc);
    push(&outbox, stream, 1, Conflation::Latest);
    push(&outbox, stream, 2, Conflation::Each);
    push(&outbox, stream, 3, Conflation::Latest);
    push(&outbox, stream, 4, Conflation::Latest);
    let frames = outbox.drain().unwrap();
    assert_eq!(frames.iter().map(|f| &**f).collect::<Vec<_>>(), ["1", "2", "4"]);
}

#[test]
fn trades_are_never_dropped_silently() {
    let (outbox, trades) = (Outbox::new(1, Mode::Raw, None), Stream::Trade(MarketId(1)));
    let most = MAX_FRAMES / FOR_PUBLICATIONS;
    for seq in 0..most as u64 {
        assert_ne!(push(&outbox, trades, seq, Conflation::Each), Pushed::Full);
    }
    assert_eq!(push(&outbox, trades, 0, Conflation::Each), Pushed::Full, "whoever publishes keeps it");
    let ticker = Stream::MiniTicker(MarketId(1));
    assert_eq!(push(&outbox, ticker, 1, Conflation::Latest), Pushed::Quietly, "of which only the newest waits");
    outbox.push_text("an answer, or a fill of one's own");
    assert_eq!(outbox.drain().unwrap().len(), most + 2);
    assert_eq!(push(&outbox, trades, 0, Conflation::Each), Pushed::Woken, "there is room again");
    outbox.give_up();
    assert!(outbox.drain().is_none(), "a reader that does not keep up is disconnected");
}

#[test]
fn an_empty_queue_takes_any_event_and_a_full_one_ends_its_session() {
    let outbox = Outbox::new(1, Mode::App, None);
    let event = || (0..4_096).map(|n| format!("{n:>300}").into());
    for _ in 0..2 {
        outbox.push_texts(event());
        assert_eq!(outbox.drain().expect("nothing waited before").len(), 4_096);
    }
    outbox.push_texts(event());
    outbox.push_text("one more");
    assert_eq!(outbox.waiting_bytes(), 0);
    outbox.push_text("another");
    assert!(!outbox.takes_more() && outbox.waiting_bytes() == 0 && outbox.drain().is_none());
}

#[test]
fn what_goes_out_together_is_framed_as_it_is_one_by_one() {
    let kinds = [Conflation::Each, Conflation::Each, Conflation::Latest, Conflation::Latest, Conflation::Each];
    let messages: Vec<_> = (1..).zip(kinds).map(|(seq, kind)| message(seq, kind)).collect();
    let stream = Stream::Trade(MarketId(1));
    let mut all = Vec::new();
    for mode in [Mode::Raw, Mode::Combined, Mode::App] {
        let [together, alone, read] = [1, 2, 3].map(|id| Outbox::new(id, mode, None));
        assert_eq!(together.push(stream, &grouped(messages.clone())), Pushed::Woken, "who sleeps");
        assert_eq!(read.push(stream, &grouped(messages.clone())), Pushed::Woken);
        for message in &messages {
            alone.push(stream, &grouped(vec![message.clone()]));
        }
        assert_eq!(together.push(stream, &[]), Pushed::Quietly, "who was woken is not woken again");
        let (mut frames, mut expected, mut texts) = (BytesMut::new(), BytesMut::new(), BytesMut::new());
        assert!(together.drain_frames(&mut frames) && alone.drain_frames(&mut expected));
        read.drain().unwrap().iter().for_each(|text| put_text(&mut texts, text));
        assert_eq!((&frames, &frames), (&expected, &texts));
        all.push(frames);
    }
    assert_eq!(all[0], b"\x81\x011\x81\x012\x81\x014\x81\x015"[..], "of the two in the middle the newest");
}

#[test]
fn what_waits_is_wrapped_as_its_reader_last_asked() {
    let outbox = Outbox::new(1, Mode::Raw, None);
    let (ticker, trades) = (Stream::MiniTicker(MarketId(1)), Stream::Trade(MarketId(1)));
    push(&outbox, ticker, 1, Conflation::Latest);
    outbox.set_combined(true);
    push(&outbox, trades, 2, Conflation::Each);
    let frames = outbox.drain().unwrap();
    assert_eq!(
        frames.iter().map(|f| &**f).collect::<Vec<_>>(),
        [1, 2].map(|n| format!(r#"{{"stream":"x@y","data":{n}}}"#))
    );
    outbox.set_combined(false);
    push(&outbox, trades, 3, Conflation::Each);
    assert_eq!(&*outbox.drain().unwrap()[0], "3");
}

#[test]
fn a_session_that_does_not_come_to_its_end_is_stalled() {
    let outbox = Outbox::new(1, Mode::Raw, None);
    outbox.ends();
    assert!(!outbox.is_stalled(now_ms()) && outbox.is_stalled(now_ms() + STALL_MS + 1_000));
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
