//! Candles across restarts: loaded from the store, completed from the journal, written back while running.
//!
//! Owns: the list of missing candles, and their writer. Never does: invent a trade. Invariants: a stored candle contains
//! every trade up to the store's watermark, later ones come from the journal; rows are written only while the store's
//! watermark is the last one seen; rows come from the view alone, so no row is older than a row of the same candle before it.
//! Known limits: candles that a store lost are restored as far as the boards reach (1,500 candles per period); if the store
//! was deleted while the exchange was stopped, own trades of the past are missing from the candles; waiting candles are
//! written in one transaction, 30 MB after a week without the store; rows older than the newest 1,500 of a period, which
//! nobody asks for, are not told in new shares after a split.

use crate::common::critical_task;
use crate::common::time::{Ms, now_ms};
use crate::market::board::{Board, Boards, read, write};
use crate::market::candle_rows::{CandleRows, from_store, period};
use crate::market::candles::{Candle, Candles, KEPT};
use crate::market::depth::Depth;
use crate::market::interval::Interval;
use crate::market::view::own_trades;
use crate::startup::cell::CELL;
use crate::startup::start_error::StartError;
use crossbeam::channel::Receiver;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use xng_core::ids::MarketId;
use xng_core::journal::Lsn;
use xng_core::record::{Fact, Record};
use xng_core::stock::facts::StockFact;
use xng_persistence::journal::JournalControl;
use xng_persistence::store::{self, PersisterHandle, SqlStore, StoreError};

/// Boards whose history is still in a store that was away at the start.
#[derive(Debug)]
pub struct Missing {
    boards: Boards,
    journal: JournalControl,
    lsn: Lsn,
}

/// What the boards know of the past at the start.
#[derive(Debug)]
pub enum Past {
    /// All of it; the store's watermark.
    Known(Option<Lsn>),
    /// The store is away.
    Missing(Missing),
}

/// Fills the boards' candles as of `lsn`. When the store is away they begin empty, and what is missing comes later.
pub async fn start(boards: &Boards, store: &SqlStore, journal: &JournalControl, lsn: Lsn) -> Result<Past, StartError> {
    match load(boards, store, journal, lsn).await {
        Err(StartError::Store(error @ StoreError::Database { .. })) => {
            tracing::warn!(%error, "the store is away; charts begin now and get their past when it is back");
            // What was read before it went away comes again.
            for board in boards.every() {
                let mut board = write(&board);
                board.candles = Candles::default();
                board.awaits_history = true;
            }
            Ok(Past::Missing(Missing { boards: boards.clone(), journal: journal.clone(), lsn }))
        }
        done => done.map(Past::Known),
    }
}

impl Missing {
    /// Takes the past from the store and puts it in front of what the boards have gathered since the start. What `rows`
    /// still holds are parts of candles and is thrown away; the boards give the whole ones with the next rows. Gives the
    /// store's watermark.
    async fn fetch(&self, store: &SqlStore, rows: &Receiver<CandleRows>) -> Result<Option<Lsn>, StartError> {
        let past = Boards::default();
        for board in self.boards.every() {
            let board = read(&board);
            past.insert(Board::new(board.params.clone(), board.state, board.source, Depth::default()));
        }
        let mark = load(&past, store, &self.journal, self.lsn).await?;
        let mut joined = Vec::new();
        for found in past.all() {
            let mut found = write(&found);
            let Some(board) = self.boards.get(found.params.market) else { continue };
            let news = join(&mut write(&board), std::mem::take(&mut found.candles));
            joined.push((board, news));
        }
        rows.try_iter().for_each(drop);
        for (board, news) in joined {
            let mut board = write(&board);
            board.candles.mark_from(&news);
            board.awaits_history = false;
        }
        Ok(mark)
    }
}

/// Fills the boards' candles: what the store has, then own trades and splits of the journal after the store's watermark
/// up to `lsn`. Gives the watermark.
async fn load(
    boards: &Boards,
    store: &SqlStore,
    journal: &JournalControl,
    lsn: Lsn,
) -> Result<Option<Lsn>, StartError> {
    for board in boards.every() {
        let market = read(&board).params.market;
        for interval in Interval::ALL.into_iter().filter(|i| *i != Interval::S1) {
            let rows = store.candles(market, period(interval), 0, u64::MAX >> 1, KEPT as u32).await?;
            write(&board).candles.load(interval, rows.iter().map(from_store));
        }
    }
    let mark = store.candle_watermark(CELL).await?;
    let mut follower = journal.follower(mark.unwrap_or(lsn).next())?;
    while follower.next_lsn() <= lsn {
        let Some(batch) = follower.next_batch(Duration::ZERO)? else { break };
        for (at, bytes) in batch.records().filter(|(at, _)| *at <= lsn) {
            let record = Record::decode(bytes).map_err(|error| StartError::Fold {
                file: follower.file().to_owned(),
                error: xng_cell::FoldError::Record { lsn: at, error },
            })?;
            take_in(boards, &record);
        }
    }
    Ok(mark)
}

/// Takes in a record that is younger than what the store has: own trades, and the split of a stock.
fn take_in(boards: &Boards, record: &Record) {
    if let Some((market, trades)) = own_trades(record)
        && let Some(board) = boards.get(market)
    {
        let mut board = write(&board);
        trades.into_iter().for_each(|t| board.add_trade(t));
    } else if let Fact::Stock(StockFact::ActionSet(f)) = &record.fact
        && let Some(board) = boards.get(f.action.market)
    {
        write(&board).candles.go_through(&f.action.kind);
    }
}

/// Puts what was before the start in front of what a board has since then; what became other by that.
fn join(board: &mut Board, mut before: Candles) -> Vec<(Interval, Ms)> {
    board.missed_actions.drain(..).for_each(|action| before.go_through(&action));
    board.candles.go_on_from(before)
}

/// Gives a market that has no history one: minutes and days from the feed, longer periods from them.
pub fn fill(board: &mut Board, minutes: &[Candle], days: &[Candle]) {
    let candles = &mut board.candles;
    candles.load(Interval::M1, minutes.iter().copied());
    for interval in Interval::ALL {
        let longer = interval.length().is_none_or(|l| l >= 86_400_000);
        if !matches!(interval, Interval::S1 | Interval::M1) {
            candles.derive_from(interval, if longer { days } else { minutes });
        }
    }
    board.updated_ms = now_ms();
}

/// Gives a market the history that `load` puts into its board. The view takes it to the writer with its next rows: rows
/// from here could arrive behind newer ones of the same candles.
pub fn begin(board: &RwLock<Board>, load: impl FnOnce(&mut Board)) {
    let mut board = write(board);
    load(&mut board);
    board.candles.mark_all();
}

/// Batches of candles that wait for the writer at most.
pub const BATCHES: usize = 64;

/// Candles of each board that wait for a store that is away: everything that it keeps, or what changes in weeks. Beyond what
/// all boards may have, the ones that opened first go.
const MAX_WAITING: usize = 28_000;
// Seconds are not stored.
const _: () = assert!(MAX_WAITING > KEPT * (Interval::ALL.len() - 1));

const PRUNE_EVERY: Duration = Duration::from_secs(86_400);

/// When the oldest candle of a period opened that is still asked for, twice over: calls ask for the latest [`KEPT`], and
/// a start reads as many. Months are kept for ever.
fn prune_before(interval: Interval, now: Ms) -> Option<u64> {
    let kept = interval.length()?.checked_mul(2 * KEPT as Ms)?;
    u64::try_from(now - kept).ok().filter(|before| *before > 0)
}

/// Takes candles out of the store that nobody can ask for any more.
async fn prune(store: &SqlStore, now: Ms) {
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
/// before the persister has confirmed the store, nor before the boards have what is missing, or half a candle would take
/// the place of a whole one.
pub fn start_writer(
    store: Arc<SqlStore>,
    queue: Receiver<CandleRows>,
    boards: Boards,
    past: Past,
    persister: PersisterHandle,
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let run = move || {
        let mut writer = Writer::new(store, boards, past);
        for rows in &queue {
            if persister.has_failed() {
                // The store is another history's. The view goes on giving rows.
                continue;
            }
            runtime.block_on(writer.take(rows, &queue, persister.has_confirmed(), Instant::now()));
        }
    };
    critical_task::spawn("candles", run)
}

/// Batches that may be older than what the boards were just asked for: those on their way, and one in the making.
fn stale(queue: &Receiver<CandleRows>) -> usize {
    queue.len() + 1
}

struct Writer {
    store: Arc<SqlStore>,
    boards: Boards,
    past: Past,
    /// By opening time; a later state of the same candle takes the place of an earlier one.
    waiting: BTreeMap<(u64, MarketId, u32), store::Candle>,
    /// Batches that are still to come before everything is here that the boards were asked for.
    stale: usize,
    /// After an attempt that failed: so that a store that bears it slowly has time for the persister's rows too.
    not_before: Option<Instant>,
    pruned: Option<Instant>,
}

impl Writer {
    fn new(store: Arc<SqlStore>, boards: Boards, past: Past) -> Writer {
        Writer { store, boards, past, waiting: BTreeMap::new(), stale: 0, not_before: None, pruned: None }
    }

    /// Takes the next rows and writes what waits, if it may. `queue` holds the rows after these.
    async fn take(&mut self, rows: CandleRows, queue: &Receiver<CandleRows>, confirmed: bool, now: Instant) {
        let left = match &self.past {
            Past::Known(left) => *left,
            Past::Missing(missing) => {
                match missing.fetch(&self.store, queue).await {
                    Ok(mark) => (self.past, self.stale) = (Past::Known(mark), stale(queue)),
                    Err(error) => tracing::warn!(%error, "charts wait for their past"),
                }
                return;
            }
        };
        self.waiting.extend(rows.rows.into_iter().map(|c| ((c.open_ms, c.market, c.period), c)));
        if self.stale > 0 {
            self.stale -= 1;
            return;
        }
        let early = self.not_before.is_some_and(|at| now < at);
        if !confirmed || early || self.waiting.is_empty() {
            return self.forget_the_oldest();
        }
        if self.pruned.is_none_or(|at| now.duration_since(at) >= PRUNE_EVERY) {
            self.pruned = Some(now);
            prune(&self.store, now_ms()).await;
        }
        match self.write(left, rows.lsn, queue).await {
            Ok(()) => self.not_before = None,
            Err(error) => {
                tracing::warn!(%error, waiting = self.waiting.len(), "candles wait for the store");
                self.not_before = Some(now + 3 * now.elapsed());
                self.forget_the_oldest();
            }
        }
    }

    /// Everything that waits goes onto the watermark `left`, which becomes `mark`. A store that is elsewhere gets all that
    /// the boards have.
    async fn write(&mut self, left: Option<Lsn>, mark: Lsn, queue: &Receiver<CandleRows>) -> Result<(), StoreError> {
        let batch: Vec<store::Candle> = self.waiting.values().copied().collect();
        if self.store.put_candles(&batch, CELL, left, mark).await? {
            self.past = Past::Known(Some(mark));
        } else {
            let found = self.store.candle_watermark(CELL).await?;
            tracing::warn!(?left, ?found, "the store's candles are not where they were left; all are written again");
            self.past = Past::Known(found);
            for board in self.boards.every() {
                write(&board).candles.mark_all();
            }
            self.stale = stale(queue);
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget_the_oldest(&mut self) {
        let most = MAX_WAITING * self.boards.every().len();
        while self.waiting.len() > most {
            self.waiting.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::candle_rows::{changed, to_store};
    use crate::market::candles::TapeTrade;
    use crate::market::catalog::Seeds;
    use std::path::Path;
    use xng_core::entity::EntityId;
    use xng_core::ids::{AssetId, TradeId};
    use xng_core::money::Amount;
    use xng_core::record::{Cause, Origin};
    use xng_core::spot::MarketState;
    use xng_core::stock::ActionKind;
    use xng_core::stock::facts::{Action, ActionSet};
    use xng_persistence::store::StoreUrl;

    async fn new_store(folder: &Path, name: &str) -> Arc<SqlStore> {
        store::open(&StoreUrl::sqlite(&folder.join(name))).await.unwrap()
    }

    fn boards() -> Boards {
        let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
        let params = seeds.params(&seeds.market[0]).unwrap();
        let boards = Boards::default();
        boards.insert(Board::new(params, MarketState::Trading, "simulated", Depth::default()));
        boards
    }

    fn everything(board: &Board) -> Vec<store::Candle> {
        let market = board.params.market;
        let periods = Interval::ALL.into_iter().filter(|i| *i != Interval::S1);
        periods.flat_map(|i| board.candles.series(i).map(move |c| to_store(market, i, c))).collect()
    }

    fn trade(boards: &Boards, minute: u64) {
        let one = Amount::whole(1);
        let price = Amount::whole(100 + i64::try_from(minute).unwrap());
        let (id, time_ms) = (minute + 1, minute as Ms * 60_000);
        let trade = TapeTrade { id, price, quantity: one, quote: price, time_ms, buyer_is_maker: false, taker: None };
        write(&boards.all()[0]).add_trade(trade);
    }

    /// What the view gives with its next tick.
    fn next_rows(boards: &Boards, lsn: u64) -> CandleRows {
        CandleRows { rows: changed(&boards.all()[0]), lsn: Lsn(lsn) }
    }

    async fn minutes(store: &SqlStore, boards: &Boards) -> usize {
        let market = read(&boards.all()[0]).params.market;
        store.candles(market, period(Interval::M1), 0, u64::MAX >> 1, 1_000).await.unwrap().len()
    }

    #[tokio::test]
    async fn a_store_that_lost_what_was_written_gets_all_of_it_again() {
        let (folder, boards) = (tempfile::tempdir().unwrap(), boards());
        let (_view, queue) = crossbeam::channel::unbounded();
        let lost = new_store(folder.path(), "lost.db").await;
        let mut writer = Writer::new(lost.clone(), boards.clone(), Past::Known(None));
        for minute in 0..20 {
            trade(&boards, minute);
            writer.take(next_rows(&boards, minute), &queue, true, Instant::now()).await;
        }
        assert_eq!(minutes(&lost, &boards).await, 20);

        // Its younger half is gone; the last transactions of a server that died without its disk.
        let younger = new_store(folder.path(), "younger.db").await;
        let market = read(&boards.all()[0]).params.market;
        let older = lost.candles(market, period(Interval::M1), 0, 600_000, 1_000).await.unwrap();
        assert!(younger.put_candles(&older, CELL, None, Lsn(9)).await.unwrap());
        writer.store = younger.clone();
        for (minute, stored) in [(20, 10), (21, 10), (22, 23)] {
            trade(&boards, minute);
            writer.take(next_rows(&boards, minute), &queue, true, Instant::now()).await;
            assert_eq!(minutes(&younger, &boards).await, stored, "after minute {minute}");
        }
        assert_eq!(younger.candle_watermark(CELL).await.unwrap(), Some(Lsn(22)));
        let all = everything(&read(&boards.all()[0]));
        for (interval, kept) in [(Interval::M1, 23), (Interval::M5, 5), (Interval::D1, 1)] {
            let stored = younger.candles(market, period(interval), 0, u64::MAX >> 1, 1_000).await.unwrap();
            let held: Vec<_> = all.iter().filter(|c| c.period == period(interval)).copied().collect();
            assert_eq!((stored.len(), &stored), (kept, &held), "{interval:?}");
        }
    }

    fn split(boards: &Boards) -> Record {
        let board = &boards.all()[0];
        let (market, kind) = (read(board).params.market, ActionKind::Split { new: 4, old: 1 });
        let action = Action { market, asset: AssetId(1), quote: AssetId(3), id: 1, kind };
        let set = ActionSet { action, board_lot: Amount::whole(1), odd_price: Amount::whole(25), holders: 0 };
        let (cause, origin) = (Cause::Timer, Origin::System);
        Record { time: 1, decider: EntityId::Market(market), cause, origin, fact: set.into() }
    }

    /// Open, close and volume of minutes.
    fn minutes_of(board: &Board) -> Vec<[i128; 3]> {
        let whole = |amount: Amount| amount.0 / Amount::whole(1).0;
        board.candles.series(Interval::M1).map(|c| [c.open, c.close, c.volume].map(whole)).collect()
    }

    #[tokio::test]
    async fn what_the_store_has_is_in_new_shares_after_a_split_once() {
        let (folder, boards) = (tempfile::tempdir().unwrap(), boards());
        let (_view, queue) = crossbeam::channel::unbounded();
        let store = new_store(folder.path(), "store.db").await;
        let mut writer = Writer::new(store.clone(), boards.clone(), Past::Known(None));
        trade(&boards, 0);
        trade(&boards, 20);
        writer.take(next_rows(&boards, 1), &queue, true, Instant::now()).await;
        // The process ends before the split is stored, and is away for some minutes.
        let market = read(&boards.all()[0]).params.market;
        let stored = async || store.candles(market, period(Interval::M1), 0, u64::MAX >> 1, 1_000).await.unwrap();
        let started = self::boards();
        let rows = stored().await;
        write(&started.all()[0]).candles.load(Interval::M1, rows.iter().map(from_store));
        take_in(&started, &split(&started));
        let board = &started.all()[0];
        write(board).candles.roll(24 * 60_000);
        assert_eq!(
            minutes_of(&read(board)),
            [[25, 25, 4], [30, 30, 4], [30, 30, 0], [30, 30, 0], [30, 30, 0], [30, 30, 0]]
        );
        writer.take(next_rows(&started, 2), &queue, true, Instant::now()).await;
        let held: Vec<_> = everything(&read(board)).into_iter().filter(|c| c.period == period(Interval::M1)).collect();
        assert_eq!(stored().await, held, "those of the minutes between, too");
    }

    #[test]
    fn what_comes_later_from_the_store_goes_through_the_splits_since_the_start() {
        let (before, boards) = (boards(), boards());
        trade(&before, 0);
        let board = &boards.all()[0];
        write(board).awaits_history = true;
        trade(&boards, 4);
        write(board).go_through(ActionKind::Split { new: 4, old: 1 });
        let news = join(&mut write(board), std::mem::take(&mut write(&before.all()[0]).candles));
        assert_eq!(minutes_of(&read(board)), [[25, 25, 4], [26, 26, 4]]);
        assert!(news.contains(&(Interval::M1, 0)), "the store gets all of it");
        assert!(read(board).missed_actions.is_empty());
    }

    #[tokio::test]
    async fn as_many_candles_wait_as_the_boards_keep_and_beyond_that_the_oldest_go() {
        let (folder, boards) = (tempfile::tempdir().unwrap(), boards());
        let (_view, queue) = crossbeam::channel::unbounded();
        let mut writer = Writer::new(new_store(folder.path(), "store.db").await, boards.clone(), Past::Known(None));
        trade(&boards, 0);
        let candle = next_rows(&boards, 0).rows[0];
        let many: Vec<store::Candle> =
            (0..3 * MAX_WAITING as u64).map(|open_ms| store::Candle { open_ms, ..candle }).collect();
        for most in [MAX_WAITING, 2 * MAX_WAITING] {
            writer.take(CandleRows { rows: many.clone(), lsn: Lsn(1) }, &queue, false, Instant::now()).await;
            let oldest = writer.waiting.first_key_value().unwrap().0.0;
            assert_eq!((writer.waiting.len(), oldest), (most, (3 * MAX_WAITING - most) as u64));
            let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
            let params = seeds.params(&seeds.market[1]).unwrap();
            boards.insert(Board::new(params, MarketState::Trading, "simulated", Depth::default()));
        }
    }

    #[tokio::test]
    async fn nothing_is_written_before_the_store_is_known_to_be_this_journals() {
        let (folder, boards) = (tempfile::tempdir().unwrap(), boards());
        let (_view, queue) = crossbeam::channel::unbounded();
        let store = new_store(folder.path(), "store.db").await;
        let mut writer = Writer::new(store.clone(), boards.clone(), Past::Known(None));
        for (minute, confirmed, stored) in [(0, false, 0), (1, false, 0), (2, true, 3)] {
            trade(&boards, minute);
            writer.take(next_rows(&boards, minute), &queue, confirmed, Instant::now()).await;
            assert_eq!(minutes(&store, &boards).await, stored);
        }
    }

    #[tokio::test]
    async fn a_history_that_begins_beside_trades_is_stored_as_the_board_has_it() {
        let (folder, boards) = (tempfile::tempdir().unwrap(), boards());
        let (_view, queue) = crossbeam::channel::unbounded();
        let store = new_store(folder.path(), "store.db").await;
        let mut writer = Writer::new(store.clone(), boards.clone(), Past::Known(None));
        let history = (0..20).map(|minute| Candle::flat(minute * 60_000, Amount::whole(1)));
        begin(&boards.all()[0], |board| board.candles.load(Interval::M1, history));
        for minute in [19, 19, 20] {
            trade(&boards, minute);
            writer.take(next_rows(&boards, minute), &queue, true, Instant::now()).await;
            let all = everything(&read(&boards.all()[0]));
            let held: Vec<_> = all.into_iter().filter(|c| c.period == period(Interval::M1)).collect();
            let stored = store.candles(held[0].market, held[0].period, 0, u64::MAX >> 1, 1_000).await.unwrap();
            assert_eq!(stored, held);
        }
        assert_eq!(minutes(&store, &boards).await, 21);
    }

    #[tokio::test]
    async fn candles_that_nobody_can_ask_for_are_pruned_and_the_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let store = new_store(folder.path(), "store.db").await;
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
        assert!(store.put_candles(&rows, CELL, None, Lsn(1)).await.unwrap());
        assert!(store.put_candles(&[candle(Interval::D1, kept)], CELL, Some(Lsn(1)), Lsn(1)).await.unwrap());
        prune(&store, now).await;
        let left = |interval| store.candles(MarketId(1), period(interval), 0, u64::MAX >> 1, 1_000);
        assert_eq!((left(Interval::M1).await.unwrap().len(), left(Interval::D1).await.unwrap().len()), (2, 1));
    }
}
