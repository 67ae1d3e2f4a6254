//! Trades of the reference feed between their arrival and their publication.
//!
//! Each is published under one of our own trade ids, which the market reserves in a record. The market maker queues the trades here,
//! then asks the market for ids; when the view reaches that record it publishes as many trades as the record reserved ids. So feed
//! trades, quotes and our own trades are published in journal order, and ids grow with time.
//!
//! Owns: the trades that wait for ids.
//! Never does: create a trade; touch an account, an order or the ledger.
//! Invariants: trades of a pair keep their order.
//! Known limits: at most the newest [`MOST_WAITING`] of a pair wait. Trades that wait when the process ends are not published, and
//! the ids of its last record stay unused.

use super::candles::TapeTrade;
use crate::common::time::Ms;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xng_core::ids::{MarketId, TradeId};
use xng_core::money::{Amount, Exact};

/// Trades of a pair that wait at most: a journal that takes nothing for want of room gives no ids either.
const MOST_WAITING: usize = 8_192;

/// A trade of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedTrade {
    /// Price in quote.
    pub price: Amount,
    /// Quantity in base.
    pub quantity: Amount,
    /// When, by the clock of this process.
    pub time_ms: Ms,
    /// The buyer's order rested.
    pub buyer_is_maker: bool,
}

impl FeedTrade {
    fn with_id(&self, id: TradeId) -> TapeTrade {
        TapeTrade {
            id: id.count(),
            price: self.price,
            quantity: self.quantity,
            quote: Exact::from(self.price).times(Exact::from(self.quantity)).round8(),
            time_ms: self.time_ms,
            buyer_is_maker: self.buyer_is_maker,
            taker: None,
        }
    }
}

#[derive(Debug, Default)]
struct Waiting {
    trades: VecDeque<FeedTrade>,
    /// How many of them ids were asked for, whose record the view has not come to yet.
    asked: usize,
}

/// See the module's header; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct WaitingTape(Arc<Mutex<BTreeMap<MarketId, Waiting>>>);

impl WaitingTape {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<MarketId, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds trades of a pair; how many of the oldest had to go.
    pub fn push(&self, market: MarketId, trades: Vec<FeedTrade>) -> u64 {
        let mut all = self.lock();
        let waiting = all.entry(market).or_default();
        waiting.trades.extend(trades);
        let over = waiting.trades.len().saturating_sub(MOST_WAITING);
        waiting.trades.drain(..over);
        over as u64
    }

    /// How many ids to ask for: one for each trade for which nobody did yet, `most` at a time.
    pub fn ask(&self, market: MarketId, most: usize) -> u32 {
        let mut all = self.lock();
        let Some(waiting) = all.get_mut(&market) else { return 0 };
        let wanted = waiting.trades.len().saturating_sub(waiting.asked).min(most);
        waiting.asked += wanted;
        wanted as u32
    }

    /// Ids that were asked for will not come.
    pub fn refused(&self, market: MarketId, count: u32) {
        if let Some(waiting) = self.lock().get_mut(&market) {
            waiting.asked = waiting.asked.saturating_sub(count as usize);
        }
    }

    /// The oldest `count` trades of a pair, with ids from `first` on.
    pub(super) fn take(&self, market: MarketId, first: TradeId, count: u32) -> Vec<TapeTrade> {
        let mut all = self.lock();
        let Some(waiting) = all.get_mut(&market) else { return Vec::new() };
        waiting.asked = waiting.asked.saturating_sub(count as usize);
        let count = waiting.trades.len().min(count as usize);
        waiting.trades.drain(..count).enumerate().map(|(i, t)| t.with_id(first.plus(i as u64))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_trades_leave_as_there_are_ids_in_order() {
        let (tape, market) = (WaitingTape::default(), MarketId(1));
        let trade =
            |n| FeedTrade { price: Amount::whole(n), quantity: Amount::whole(2), time_ms: n, buyer_is_maker: false };
        assert_eq!(tape.push(market, (1..=3).map(trade).collect()), 0);
        assert_eq!(tape.ask(market, 2), 2);
        let first = TradeId::of(market, 7);
        let taken = tape.take(market, first, 2);
        assert_eq!(taken.iter().map(|t| (t.id, t.time_ms)).collect::<Vec<_>>(), [(7, 1), (8, 2)]);
        assert_eq!(taken[1].quote, Amount::whole(4));
        assert_eq!(tape.take(market, first.plus(2), 9).len(), 1, "ids that nobody needs stay unused");
        assert_eq!(tape.push(market, vec![trade(5); MOST_WAITING + 9]), 9);
    }

    #[test]
    fn ids_are_asked_for_once_a_trade_however_late_the_view_is() {
        let (tape, market) = (WaitingTape::default(), MarketId(1));
        let trade =
            FeedTrade { price: Amount::whole(1), quantity: Amount::whole(2), time_ms: 1, buyer_is_maker: false };
        tape.push(market, vec![trade; 3]);
        assert_eq!((tape.ask(market, 100), tape.ask(market, 100)), (3, 0));
        tape.push(market, vec![trade; 2]);
        assert_eq!(tape.ask(market, 100), 2, "three are on their way");
        tape.refused(market, 2);
        assert_eq!(tape.ask(market, 100), 2);
        assert_eq!(tape.take(market, TradeId::of(market, 1), 3).len(), 3);
        assert_eq!(tape.ask(market, 100), 0);
        assert_eq!(tape.take(market, TradeId::of(market, 4), 2).len(), 2);
    }
}
