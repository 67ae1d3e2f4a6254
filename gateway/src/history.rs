//! Candles across restarts: loaded from the store, completed from the journal, written back while running.
//!
//! Owns: which candles are missing, and who writes them. Never does: make a trade up. Invariants: what a candle says
//! holds every trade up to the store's watermark, the rest comes from the journal. Known limits: with a store that
//! was thrown away, own trades of the past are not in the candles any more.

use crate::exchange::{CELL, StartError};
use crate::market::board::{Board, Boards, read, write};
use crate::market::candles::{Candle, Candles, KEPT};
use crate::market::depth::Depth;
use crate::market::interval::Interval;
use crate::market::view::own_trades;
use crate::time::{Ms, now_ms};
use crate::vital;
use crossbeam::channel::Receiver;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xng_core::ids::{MarketId, TradeId};
use xng_core::journal::Lsn;
use xng_core::record::Record;
use xng_persistence::journal::JournalControl;
use xng_persistence::store::{self, Store, StoreError};

/// A calendar month, by agreement with the store.
const MONTH_SECONDS: u32 = 2_592_000;

fn period(interval: Interval) -> u32 {
    interval.length().map_or(MONTH_SECONDS, |ms| (ms / 1_000) as u32)
}

fn from_store(c: &store::Candle) -> Candle {
    Candle {
        open_ms: c.open_ms as Ms,
        open: c.open,
        high: c.high,
        low: c.low,
        close: c.close,
        volume: c.volume,
        turnover: c.total,
        trades: c.trades,
        taker_base: c.taker_buy,
        taker_quote: c.taker_total,
        first_trade: c.first_trade.0,
        last_trade: c.last_trade.0,
    }
}

fn to_store(market: MarketId, interval: Interval, c: &Candle) -> store::Candle {
    store::Candle {
        market,
        period: period(interval),
        open_ms: c.open_ms as u64,
        open: c.open,
        high: c.high,
        low: c.low,
        close: c.close,
        volume: c.volume,
        total: c.turnover,
        taker_buy: c.taker_base,
        taker_total: c.taker_quote,
        trades: c.trades,
        first_trade: TradeId(c.first_trade),
        last_trade: TradeId(c.last_trade),
    }
}

/// Boards whose history is still in a store that was away at the start.
#[derive(Debug)]
pub struct Missing {
    boards: Boards,
    journal: JournalControl,
    lsn: Lsn,
}

/// Fills the boards' candles as of `lsn`. When the store is away they begin empty, and what is missing comes later.
pub async fn start(
    boards: &Boards,
    store: &dyn Store,
    journal: &JournalControl,
    lsn: Lsn,
) -> Result<Option<Missing>, StartError> {
    match load(boards, store, journal, lsn).await {
        Err(StartError::Store(error @ StoreError::Database { .. })) => {
            tracing::warn!(%error, "the store is away; charts begin now and get their past when it is back");
            // What was read before it went away comes again.
            for board in boards.all() {
                let mut board = write(&board);
                board.candles = Candles::default();
                board.awaits_history = true;
            }
            Ok(Some(Missing { boards: boards.clone(), journal: journal.clone(), lsn }))
        }
        done => done.map(|()| None),
    }
}

impl Missing {
    /// Takes the past from the store and puts it in front of what the boards have gathered since the start. What `rows`
    /// still holds are parts of candles and is thrown away; the boards give the whole ones with the next rows.
    async fn fetch(&self, store: &dyn Store, rows: &Receiver<CandleRows>) -> Result<(), StartError> {
        let past = Boards::default();
        for board in self.boards.all() {
            let board = read(&board);
            past.insert(Board::new(board.params.clone(), board.state, board.source, Depth::default()));
        }
        load(&past, store, &self.journal, self.lsn).await?;
        let mut joined = Vec::new();
        for found in past.all() {
            let mut found = write(&found);
            let Some(board) = self.boards.get(found.params.market) else { continue };
            let news = write(&board).candles.go_on_from(std::mem::take(&mut found.candles));
            joined.push((board, news));
        }
        rows.try_iter().for_each(drop);
        for (board, news) in joined {
            let mut board = write(&board);
            board.candles.mark_from(&news);
            board.awaits_history = false;
        }
        Ok(())
    }
}

/// Fills the boards' candles: what the store has, then own trades of the journal after the store's watermark up to
/// `lsn`.
async fn load(boards: &Boards, store: &dyn Store, journal: &JournalControl, lsn: Lsn) -> Result<(), StartError> {
    for board in boards.all() {
        let market = read(&board).params.market;
        for interval in Interval::ALL.into_iter().filter(|i| *i != Interval::S1) {
            let rows = store.candles(market, period(interval), 0, u64::MAX >> 1, KEPT as u32).await?;
            write(&board).candles.load(interval, rows.iter().map(from_store));
        }
    }
    let from = store.candle_watermark(CELL).await?.unwrap_or(lsn).next();
    let mut follower = journal.follower(from)?;
    while follower.next_lsn() <= lsn {
        let Some(batch) = follower.next_batch(Duration::ZERO)? else { break };
        for (at, bytes) in batch.records().filter(|(at, _)| *at <= lsn) {
            let record = Record::decode(bytes).map_err(|error| StartError::Fold {
                file: follower.file().to_owned(),
                error: xng_cell::FoldError::Record { lsn: at, error },
            })?;
            if let Some((market, trades)) = own_trades(&record)
                && let Some(board) = boards.get(market)
            {
                let mut board = write(&board);
                trades.into_iter().for_each(|t| board.add_trade(t));
            }
        }
    }
    Ok(())
}

/// Gives a market that has no history one: minutes and days from the feed, longer periods from them.
pub fn fill(board: &mut Board, minutes: &[Candle], days: &[Candle]) {
    let candles = &mut board.candles;
    candles.load(Interval::M1, minutes.iter().copied());
    for interval in Interval::ALL {
        let longer = interval.length().is_none_or(|l| l >= 86_400_000);
        match interval {
            Interval::S1 | Interval::M1 => {}
            _ if longer => candles.derive_from(interval, days),
            _ => candles.derive_from(interval, minutes),
        }
    }
    board.updated_ms = now_ms();
}

/// Everything that the boards hold, for the first time that it is written.
#[must_use]
pub fn everything(board: &Board) -> Vec<store::Candle> {
    let market = board.params.market;
    let periods = Interval::ALL.into_iter().filter(|i| *i != Interval::S1);
    periods.flat_map(|i| board.candles.series(i).map(move |c| to_store(market, i, c))).collect()
}

/// Candles that changed since the last call.
#[must_use]
pub fn changed(board: &mut Board) -> Vec<store::Candle> {
    let market = board.params.market;
    board.candles.take_changed().iter().map(|(i, c)| to_store(market, *i, c)).collect()
}

/// Candles for the store and the LSN up to which they hold every own trade.
#[derive(Debug)]
pub struct CandleRows {
    /// The candles.
    pub rows: Vec<store::Candle>,
    /// The watermark.
    pub lsn: Lsn,
}

/// Batches of candles that wait for the writer at most.
pub const BATCHES: usize = 64;

/// Candles that wait for a store that is away: a week of 14 pairs. Beyond this the ones that opened first go.
const MAX_WAITING: usize = 200_000;

const PRUNE_EVERY: Duration = Duration::from_secs(86_400);

/// When the oldest candle of a period opened that is still asked for, twice over: calls ask for the latest [`KEPT`], and
/// a start reads as many. Months are kept for ever.
fn prune_before(interval: Interval, now: Ms) -> Option<u64> {
    let kept = interval.length()?.checked_mul(2 * KEPT as Ms)?;
    u64::try_from(now - kept).ok().filter(|before| *before > 0)
}

/// Takes candles out of the store that nobody can ask for any more.
async fn prune(store: &dyn Store, now: Ms) {
    for interval in Interval::ALL {
        let Some(before) = prune_before(interval, now) else { continue };
        match store.prune_candles(period(interval), before).await {
            Ok(0) => {}
            Ok(gone) => tracing::info!(period = period(interval), gone, "old candles pruned"),
            Err(error) => tracing::warn!(%error, "candles were not pruned; tried again tomorrow"),
        }
    }
}

/// Starts the thread that writes candles. A store that is away is tried again with the next rows; nothing is written
/// before the boards have what is missing, or half a candle would take the place of a whole one.
pub fn start_writer(
    store: Arc<dyn Store>,
    queue: Receiver<CandleRows>,
    mut missing: Option<Missing>,
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let run = move || {
        let mut pruned: Option<Instant> = None;
        // By opening time; a later state of the same candle takes the place of an earlier one.
        let mut waiting: BTreeMap<(u64, MarketId, u32), store::Candle> = BTreeMap::new();
        for CandleRows { rows, lsn } in &queue {
            if let Some(boards) = &missing {
                match runtime.block_on(boards.fetch(&*store, &queue)) {
                    Ok(()) => missing = None,
                    Err(error) => tracing::warn!(%error, "charts wait for their past"),
                }
                continue;
            }
            if pruned.is_none_or(|at| at.elapsed() >= PRUNE_EVERY) {
                pruned = Some(Instant::now());
                runtime.block_on(prune(&*store, now_ms()));
            }
            waiting.extend(rows.into_iter().map(|c| ((c.open_ms, c.market, c.period), c)));
            if waiting.is_empty() {
                continue;
            }
            let batch: Vec<store::Candle> = waiting.values().copied().collect();
            match runtime.block_on(store.put_candles(&batch, CELL, lsn)) {
                Ok(()) => waiting.clear(),
                Err(error) => {
                    tracing::warn!(%error, waiting = waiting.len(), "candles wait for the store");
                    while waiting.len() > MAX_WAITING {
                        waiting.pop_first();
                    }
                }
            }
        }
    };
    vital::spawn("candles", run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::money::Amount;
    use xng_persistence::store::StoreUrl;

    #[tokio::test]
    async fn candles_that_nobody_can_ask_for_are_pruned_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let store = store::open(&StoreUrl::sqlite(&folder.path().join("store.db"))).await.unwrap();
        let now = 1_800_000_000_000;
        let candle = |interval: Interval, age: i64| {
            let one = Amount::whole(1);
            let open_ms = (now - age * interval.length().unwrap()) as u64;
            let (market, period, trades) = (MarketId(1), period(interval), 1);
            let (open, high, low, close) = (one, one, one, one);
            let (volume, total, taker_buy, taker_total) = (one, one, one, one);
            let (first_trade, last_trade) = (TradeId(1), TradeId(1));
            store::Candle {
                market,
                period,
                open_ms,
                open,
                high,
                low,
                close,
                volume,
                total,
                taker_buy,
                taker_total,
                trades,
                first_trade,
                last_trade,
            }
        };
        let kept = KEPT as i64;
        let rows: Vec<_> = [1, kept, 2 * kept + 1, 9 * kept].map(|age| candle(Interval::M1, age)).into();
        store.put_candles(&rows, CELL, Lsn(1)).await.unwrap();
        store.put_candles(&[candle(Interval::D1, kept)], CELL, Lsn(1)).await.unwrap();
        prune(&*store, now).await;
        let left = |interval| store.candles(MarketId(1), period(interval), 0, u64::MAX >> 1, 1_000);
        assert_eq!((left(Interval::M1).await.unwrap().len(), left(Interval::D1).await.unwrap().len()), (2, 1));
    }
}
