//! The inbox of feed messages that the market maker has not yet processed.
//!
//! Owns: the latest message of each source on each pair. Never does: wait, grow with time. Invariants: of a book and of
//! a price only the newest state waits, delivered after a loss of its source; trades keep their order. Known limits: of
//! trades the newest [`MOST_TRADES`] of a pair wait; older ones are dropped and counted.

use super::{FeedEvent, Level};
use crate::observe::health::Health;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xng_core::ids::MarketId;
use xng_core::money::Amount;

/// Trades of one pair that wait at most.
pub const MOST_TRADES: usize = 4_096;

#[derive(Default)]
enum Book {
    /// What was said before still holds.
    #[default]
    Goes,
    /// Nothing holds.
    Lost,
    /// What waits is all there is.
    Whole,
}

#[derive(Default)]
struct Waiting {
    said: bool,
    lost: bool,
    book: Book,
    bids: BTreeMap<Amount, Amount>,
    asks: BTreeMap<Amount, Amount>,
    price: Option<Amount>,
    trades: VecDeque<FeedEvent>,
}

impl Waiting {
    fn begin(&mut self, book: Book) {
        self.lost |= matches!(book, Book::Lost);
        self.book = book;
        self.bids.clear();
        self.asks.clear();
    }

    fn levels(&mut self, bids: Vec<Level>, asks: Vec<Level>) {
        self.said = true;
        self.bids.extend(bids);
        self.asks.extend(asks);
    }

    fn events(self, market: MarketId, out: &mut Vec<FeedEvent>) {
        if self.lost {
            out.push(FeedEvent::Lost(market));
        }
        let (bids, asks) = (self.bids.into_iter().collect(), self.asks.into_iter().collect());
        match self.book {
            Book::Whole => out.push(FeedEvent::Book { market, bids, asks }),
            Book::Goes | Book::Lost if self.said => out.push(FeedEvent::Levels { market, bids, asks }),
            Book::Goes | Book::Lost => {}
        }
        out.extend(self.price.map(|price| FeedEvent::Price { market, price }));
        out.extend(self.trades);
    }
}

/// The way from the feeds to the house; clones are the same one.
#[derive(Clone)]
pub struct Inbox {
    waiting: Arc<Mutex<BTreeMap<MarketId, Waiting>>>,
    health: Arc<Health>,
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "words on {} pairs", self.lock().len())
    }
}

impl Inbox {
    /// An empty one; what it drops is counted in `health`.
    #[must_use]
    pub fn new(health: Arc<Health>) -> Inbox {
        Inbox { waiting: Arc::default(), health }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MarketId, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something.
    pub fn send(&self, event: FeedEvent) {
        let mut waiting = self.lock();
        let pair = waiting.entry(event.market()).or_default();
        match event {
            FeedEvent::Book { bids, asks, .. } => {
                pair.begin(Book::Whole);
                pair.levels(bids, asks);
            }
            FeedEvent::Levels { bids, asks, .. } => pair.levels(bids, asks),
            FeedEvent::Lost(_) => {
                pair.begin(Book::Lost);
                (pair.said, pair.price) = (false, None);
            }
            FeedEvent::Price { price, .. } => pair.price = Some(price),
            FeedEvent::Trade { .. } => {
                if pair.trades.len() >= MOST_TRADES {
                    pair.trades.pop_front();
                    self.health.feed_dropped.add(1);
                }
                pair.trades.push_back(event);
            }
        }
    }

    /// Takes all that waits.
    #[must_use]
    pub fn take(&self) -> Vec<FeedEvent> {
        let waiting = std::mem::take(&mut *self.lock());
        let mut events = Vec::new();
        waiting.into_iter().for_each(|(market, pair)| pair.events(market, &mut events));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::book::FeedBook;

    const BTC: MarketId = MarketId(1);

    fn level(price: i128, quantity: i128) -> Level {
        (Amount::whole(price as i64), Amount::whole(quantity as i64))
    }

    fn inbox() -> (Inbox, Arc<Health>) {
        let health = Arc::new(Health::default());
        (Inbox::new(health.clone()), health)
    }

    fn levels(bids: &[Level]) -> FeedEvent {
        FeedEvent::Levels { market: BTC, bids: bids.to_vec(), asks: Vec::new() }
    }

    #[test]
    fn a_book_that_is_heard_late_is_the_book_that_was_said() {
        let (inbox, _) = inbox();
        let said = [
            levels(&[level(90, 1)]),
            FeedEvent::Lost(BTC),
            FeedEvent::Book { market: BTC, bids: vec![level(100, 1), level(99, 2)], asks: vec![level(101, 1)] },
            levels(&[level(100, 0), level(98, 5)]),
            levels(&[level(98, 6)]),
        ];
        let (mut at_once, mut late) = (FeedBook::default(), FeedBook::default());
        for event in said {
            at_once.hear(&event);
            inbox.send(event);
        }
        let events = inbox.take();
        assert_eq!(events.len(), 2, "what was lost, then the newest state: {events:?}");
        events.iter().for_each(|event| late.hear(event));
        assert_eq!(late, at_once);
        assert!(inbox.take().is_empty());
    }

    #[test]
    fn a_source_that_confirms_its_book_is_heard() {
        let (inbox, _) = inbox();
        inbox.send(levels(&[]));
        assert_eq!(inbox.take(), [levels(&[])]);
    }

    #[test]
    fn trades_that_nobody_hears_are_dropped_and_counted() {
        let (inbox, health) = inbox();
        for n in 0..MOST_TRADES as i64 + 10 {
            let (price, quantity) = level(100, 1);
            inbox.send(FeedEvent::Trade { market: BTC, price, quantity, time_ms: n, buyer_is_maker: false });
        }
        let events = inbox.take();
        assert_eq!((events.len(), health.feed_dropped.get()), (MOST_TRADES, 10));
        assert!(matches!(events[0], FeedEvent::Trade { time_ms: 10, .. }), "the oldest went");
    }
}
