//! What facts of stocks change on boards: sessions of a calendar, and a split, after which all candles are other ones.
//!
//! Owns: the part of [`View`] that follows these facts. Never does: decide. Invariants: after a split each reader of candles that
//! can begin anew does, before it is told the next candle. Known limits: a program on the convention's streams has to read
//! candles again by itself, as at every venue.

use super::board::{Board, write};
use super::interval::{Interval, Zone};
use super::view::View;
use crate::api::ws::outbox::Mode;
use crate::api::ws::stream::Stream;
use crate::common::time::Ms;
use xng_core::ids::MarketId;
use xng_core::stock::facts::StockFact;

impl View {
    /// A stock's board knows the sessions of its calendar.
    pub(super) fn know_sessions(&self, board: &mut Board) {
        let params = board.params.stock.and_then(|stock| self.stocks.params(stock.calendar));
        board.sessions = params.map(|params| params.sessions.into());
    }

    /// What a fact of stocks changes on boards.
    pub(super) fn stock(&mut self, fact: &StockFact, time_ms: Ms) {
        match fact {
            StockFact::CalendarSet(f) => {
                for market in &f.params.markets {
                    let Some(edge) = self.markets.get_mut(market) else { continue };
                    // The trading day of the ticker may be another one.
                    edge.ticker_touched = true;
                    let board = edge.board.clone();
                    self.know_sessions(&mut write(&board));
                }
            }
            StockFact::ActionSet(f) => {
                let Some(edge) = self.markets.get_mut(&f.action.market) else { return };
                // Readers have the new figures before the next trade.
                edge.ticker_touched = true;
                let splits = {
                    let mut board = write(&edge.board);
                    let before = board.splits;
                    // After a split the index in new shares.
                    board.index = Some((f.odd_price, time_ms));
                    board.go_through(f.action.kind);
                    board.splits - before
                };
                if splits > 0 {
                    self.begin_candles_anew(f.action.market);
                }
            }
            StockFact::SessionChanged(_)
            | StockFact::ActionAnnounced(_)
            | StockFact::ActionApplied(_)
            | StockFact::ActionDone(_) => {}
        }
    }

    /// A snapshot in the middle of a stream says that what was told before no longer holds.
    fn begin_candles_anew(&mut self, market: MarketId) {
        for (interval, zone) in Interval::ALL.into_iter().flat_map(|interval| Zone::ALL.map(|zone| (interval, zone))) {
            let stream = Stream::Kline(market, interval, zone);
            for outbox in self.topics.readers(stream) {
                if outbox.mode() == Mode::App {
                    self.subscribe(&outbox, stream);
                }
            }
        }
    }
}
