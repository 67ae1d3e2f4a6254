//! Keeps the book of a venue's pair in step: the documented procedure over snapshot and updates.
//!
//! Owns: update ids and what waits for a snapshot. Never does: I/O.
//! Invariants: events go out only from a snapshot on and only without gaps; after a gap the pair is lost until the
//! next snapshot joins.
//! Known limits: updates that wait for a snapshot are bounded; beyond that it begins anew.

use super::{FeedEvent, Level};
use xng_core::ids::MarketId;

/// Updates kept while a snapshot is on its way: two minutes of the fastest stream.
const MOST_WAITING: usize = 1_200;

/// An update message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// First update id in it (`U`).
    pub first: u64,
    /// Last one (`u`).
    pub last: u64,
    /// Bids with absolute quantities.
    pub bids: Vec<Level>,
    /// Asks.
    pub asks: Vec<Level>,
}

/// What has to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing.
    Nothing,
    /// A new snapshot.
    Snapshot,
}

/// One pair's book at a venue.
#[derive(Debug, Clone)]
pub struct BookSync {
    market: MarketId,
    last: Option<u64>,
    waiting: Vec<Update>,
}

impl BookSync {
    /// Nothing known yet.
    #[must_use]
    pub fn new(market: MarketId) -> BookSync {
        BookSync { market, last: None, waiting: Vec::new() }
    }

    /// True from a snapshot that joined until a gap.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.last.is_some()
    }

    /// Takes an update.
    pub fn update(&mut self, update: Update, out: &mut Vec<FeedEvent>) -> Need {
        match self.last {
            None => {
                // A snapshot that takes this long will not join the oldest any more.
                if self.waiting.len() == MOST_WAITING {
                    self.waiting.remove(0);
                }
                self.waiting.push(update);
                Need::Nothing
            }
            Some(last) if update.last <= last => Need::Nothing,
            Some(last) if update.first > last + 1 => {
                self.last = None;
                self.waiting = vec![update];
                out.push(FeedEvent::Lost(self.market));
                Need::Snapshot
            }
            Some(_) => {
                self.last = Some(update.last);
                out.push(FeedEvent::Levels { market: self.market, bids: update.bids, asks: update.asks });
                Need::Nothing
            }
        }
    }

    /// Takes a snapshot at an update id; one that is older than what waits is asked for again.
    pub fn snapshot(&mut self, id: u64, bids: Vec<Level>, asks: Vec<Level>, out: &mut Vec<FeedEvent>) -> Need {
        if self.waiting.first().is_some_and(|w| w.first > id + 1) {
            return Need::Snapshot;
        }
        self.last = Some(id);
        out.push(FeedEvent::Book { market: self.market, bids, asks });
        for update in std::mem::take(&mut self.waiting) {
            if self.update(update, out) == Need::Snapshot {
                return Need::Snapshot;
            }
        }
        Need::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::money::Amount;

    const MARKET: MarketId = MarketId(1);

    fn update(first: u64, last: u64) -> Update {
        Update { first, last, bids: vec![(Amount::whole(last as i64), Amount::whole(1))], asks: Vec::new() }
    }

    fn ids(events: &[FeedEvent]) -> Vec<i64> {
        let id = |e: &FeedEvent| match e {
            FeedEvent::Book { .. } => 0,
            FeedEvent::Levels { bids, .. } => (bids[0].0.0 / 100_000_000) as i64,
            FeedEvent::Lost(_) => -1,
            FeedEvent::Price { .. } => -3,
            FeedEvent::Trade { .. } => -2,
        };
        events.iter().map(id).collect()
    }

    #[test]
    fn updates_wait_for_the_snapshot_and_what_it_holds_is_dropped() {
        let (mut sync, mut out) = (BookSync::new(MARKET), Vec::new());
        for u in [update(5, 7), update(8, 10), update(11, 11)] {
            assert_eq!(sync.update(u, &mut out), Need::Nothing);
        }
        assert!(out.is_empty() && !sync.is_synced());
        assert_eq!(sync.snapshot(9, Vec::new(), Vec::new(), &mut out), Need::Nothing);
        assert_eq!(ids(&out), [0, 10, 11]);
        assert_eq!(sync.update(update(12, 15), &mut out), Need::Nothing);
        assert_eq!(sync.update(update(12, 15), &mut out), Need::Nothing);
        assert_eq!(ids(&out), [0, 10, 11, 15]);
    }

    #[test]
    fn a_snapshot_older_than_what_waits_is_asked_for_again() {
        let (mut sync, mut out) = (BookSync::new(MARKET), Vec::new());
        sync.update(update(20, 22), &mut out);
        assert_eq!(sync.snapshot(18, Vec::new(), Vec::new(), &mut out), Need::Snapshot);
        assert!(out.is_empty());
        assert_eq!(sync.snapshot(19, Vec::new(), Vec::new(), &mut out), Need::Nothing);
        assert_eq!(ids(&out), [0, 22]);
    }

    #[test]
    fn a_gap_loses_the_pair_until_a_new_snapshot_joins() {
        let (mut sync, mut out) = (BookSync::new(MARKET), Vec::new());
        sync.snapshot(9, Vec::new(), Vec::new(), &mut out);
        assert_eq!(sync.update(update(11, 12), &mut out), Need::Snapshot);
        assert!(!sync.is_synced());
        assert_eq!(sync.update(update(13, 13), &mut out), Need::Nothing);
        assert_eq!(sync.snapshot(12, Vec::new(), Vec::new(), &mut out), Need::Nothing);
        assert_eq!(ids(&out), [0, -1, 0, 13]);
    }
}
