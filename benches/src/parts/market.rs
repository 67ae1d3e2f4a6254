//! What follows durable facts for everybody: depth, candles, frames of a stream.
//!
//! Owns: facts of orders and their trades as the tape shows them. Never does: publish. Invariants: trades are 100 ms
//! apart, so that periods of candles begin. Known limits: one market.

use super::{Part, records};
use crate::params;
use actix_web::web::BytesMut;
use std::sync::Arc;
use xng_core::ids::MarketId;
use xng_core::record::Fact;
use xng_core::spot::MarketState;
use xng_gateway::api::ws::outbox::{Conflation, Message, Mode, Outbox, grouped};
use xng_gateway::api::ws::stream::Stream;
use xng_gateway::common::time::{Ms, TimeUnit};
use xng_gateway::market::board::Board;
use xng_gateway::market::candles::{Candles, TapeTrade};
use xng_gateway::market::depth::{Changes, Depth};
use xng_gateway::market::payload;
use xng_gateway::market::view::own_trades;

const MARKET: MarketId = MarketId(1);
/// Facts between two diffs: what 1,000 orders a second are to the fast speed.
const FACTS_A_DIFF: usize = 100;
/// Trades that go out together.
const TRADES_A_FRAME: usize = 64;
/// A Monday.
const BEGIN_MS: Ms = 1_704_067_200_000;

/// A book for everybody that follows facts, with the diffs that a stream sends.
#[derive(Debug, Clone)]
pub struct Depths {
    depth: Depth,
    changes: Changes,
    facts: Vec<Fact>,
}

impl Depths {
    /// Facts of orders, behind those that filled the book.
    #[must_use]
    pub fn of_orders() -> Depths {
        let (before, those) = records::orders();
        let (mut depth, mut changes) = (Depth::default(), Changes::default());
        for record in &before {
            depth.follow(&record.fact, &mut changes);
        }
        depth.diff(&mut changes);
        Depths { depth, changes, facts: those.into_iter().map(|record| record.fact).collect() }
    }
}

impl Part for Depths {
    fn steps(&self) -> u64 {
        self.facts.len() as u64
    }

    /// Gives how many levels the diffs told.
    fn run(&mut self) -> u64 {
        let mut told = 0;
        for facts in self.facts.chunks(FACTS_A_DIFF) {
            for fact in facts {
                self.depth.follow(fact, &mut self.changes);
            }
            told += self.depth.diff(&mut self.changes).map_or(0, |diff| diff.bids.len() + diff.asks.len());
        }
        told as u64
    }
}

/// A thousand trades, 100 ms apart.
fn tape() -> Vec<TapeTrade> {
    let (before, those) = records::orders();
    let all = before.iter().chain(&those).filter_map(own_trades).flat_map(|(_, trades)| trades);
    (0..1_000).zip(all).map(|(n, trade)| TapeTrade { time_ms: BEGIN_MS + n * 100, ..trade }).collect()
}

/// Candles of all periods that take trades.
#[derive(Debug, Clone)]
pub struct Candling {
    candles: Candles,
    trades: Vec<TapeTrade>,
}

impl Candling {
    /// Behind one trade of the hour before.
    #[must_use]
    pub fn of_trades() -> Candling {
        let (mut candles, trades) = (Candles::default(), tape());
        candles.add(&TapeTrade { time_ms: BEGIN_MS - 3_600_000, ..trades[0] });
        Candling { candles, trades }
    }
}

impl Part for Candling {
    fn steps(&self) -> u64 {
        self.trades.len() as u64
    }

    /// Gives how many candles are new or other than before.
    fn run(&mut self) -> u64 {
        self.trades.iter().for_each(|trade| self.candles.add(trade));
        self.candles.take_changed().len() as u64
    }
}

/// Trades to the frames of a stream, for one reader of each mode.
#[derive(Debug)]
pub struct Framing {
    board: Board,
    trades: Vec<TapeTrade>,
    readers: [Outbox; 3],
    out: BytesMut,
}

impl Framing {
    /// Of a market with no orders.
    #[must_use]
    pub fn of_trades() -> Framing {
        let readers = [Mode::Raw, Mode::Combined, Mode::App].map(|mode| Outbox::new(mode as u64, mode, None));
        let board = Board::new(params(MARKET), MarketState::Trading, "simulated", Depth::default());
        let mut framing = Framing { board, trades: tape(), readers, out: BytesMut::with_capacity(1 << 20) };
        // The clock begins, and queues take their memory.
        framing.run();
        framing
    }
}

impl Part for Framing {
    fn steps(&self) -> u64 {
        self.trades.len() as u64
    }

    /// Gives how many bytes the frames are.
    fn run(&mut self) -> u64 {
        self.out.clear();
        let name: Arc<str> = "m1@trade".into();
        for trades in self.trades.chunks(TRADES_A_FRAME) {
            let message = |t: &TapeTrade| {
                Arc::new(Message::new(
                    name.clone(),
                    t.id,
                    payload::trade(&self.board, t, TimeUnit::Millis),
                    Conflation::Each,
                ))
            };
            let publications = grouped(trades.iter().map(message).collect());
            for reader in &self.readers {
                reader.push(Stream::Trade(MARKET), &publications);
                reader.drain_frames(&mut self.out);
            }
        }
        self.out.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MID;
    use xng_core::money::Ticks;
    use xng_gateway::common::decimal::price_of;

    #[test]
    fn facts_and_trades_become_levels_candles_and_frames() {
        assert!(Depths::of_orders().run() > 10);
        let mut candling = Candling::of_trades();
        assert_eq!(candling.steps(), 1_000);
        assert!(candling.run() > 15, "one of each period, and those that begin meanwhile");
        let mut framing = Framing::of_trades();
        assert!(framing.run() > 3 * 100 * framing.steps(), "a trade is more than a hundred bytes in each mode");
        let near = |t: &TapeTrade| (t.price - price_of(Ticks(MID), &framing.board.params)).0.abs();
        assert!(framing.trades.iter().all(|t| near(t) < 100_000_000), "near the market");
    }
}
