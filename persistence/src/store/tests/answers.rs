//! Answers of the store that get lost, or come late: the persister writes each batch once.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::store::{Changes, Checkpoint, Needs, Pending, StoreError};
use tokio::sync::Mutex as AsyncMutex;

on_both_dialects! {
    an_answer_that_got_lost_is_neither_written_twice_nor_forgotten,
    a_lost_answer_is_cleared_up_however_often_the_store_fails_to_say_where_it_is,
    a_commit_that_lands_after_its_connection_broke_is_folded_once,
    a_commit_of_the_process_before_that_lands_after_a_start_is_folded_once,
    a_store_too_slow_for_a_whole_batch_gets_smaller_ones,
}

/// A store whose calls fail when told: before they do anything, or after it was done.
#[derive(Debug)]
struct Flaky {
    store: Arc<SqlStore>,
    calls: AtomicU64,
    /// Reading calls fail too, every fourth time: an attempt makes up to three.
    reads_fail: bool,
    reads: AtomicU64,
}

impl Flaky {
    fn new(rig: &Rig, reads_fail: bool) -> Self {
        Self { store: rig.store.clone(), calls: AtomicU64::new(0), reads_fail, reads: AtomicU64::new(0) }
    }

    fn read(&self) -> Result<(), StoreError> {
        let call = self.reads.fetch_add(1, Ordering::Relaxed);
        if self.reads_fail && call.is_multiple_of(4) { Err(Self::failure()) } else { Ok(()) }
    }

    fn failure() -> StoreError {
        StoreError::Database { action: "reach the database", source: sqlx::Error::WorkerCrashed }
    }
}

impl Projection for Flaky {
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>> {
        Box::pin(async move {
            self.read()?;
            self.store.checkpoint(cell).await
        })
    }

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        Box::pin(async {
            self.read()?;
            self.store.load(needs).await
        })
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        Box::pin(async move {
            let call = self.calls.fetch_add(1, Ordering::Relaxed);
            if call.is_multiple_of(3) {
                return Err(Self::failure());
            }
            self.store.apply(changes).await?;
            if call % 3 == 1 { Err(Self::failure()) } else { Ok(()) }
        })
    }
}

fn answers_get_lost(dialect: Dialect, seed: u64, reads_fail: bool) {
    let mut exchange = Exchange::new(seed, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    let flaky = Arc::new(Flaky::new(&rig, reads_fail));
    let options = PersisterOptions { retry_most: Duration::from_millis(5), ..quick() };
    let (persister, fatal) = start(flaky.clone(), &started, 1, options);
    for _ in 0..20 {
        exchange.play(30, 4);
        journal.append(&mut started, &exchange);
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    }
    persister.shutdown(SOON);
    assert!(flaky.calls.load(Ordering::Relaxed) > 25);
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
    check(&rig, &exchange);
}

fn an_answer_that_got_lost_is_neither_written_twice_nor_forgotten(dialect: Dialect) {
    answers_get_lost(dialect, 5, false);
}

fn a_lost_answer_is_cleared_up_however_often_the_store_fails_to_say_where_it_is(dialect: Dialect) {
    answers_get_lost(dialect, 14, true);
}

/// A store whose commits, every third one, are told to have failed and land later: before its `late`-th answer after that.
#[derive(Debug)]
struct Late {
    store: Arc<SqlStore>,
    late: AtomicU64,
    applied: AtomicU64,
    /// What is to land, and before how many answers more.
    landing: AsyncMutex<Option<(Changes, u64)>>,
}

impl Late {
    fn new(rig: &Rig, late: u64) -> Self {
        let (applied, landing) = (AtomicU64::new(0), AsyncMutex::new(None));
        Self { store: rig.store.clone(), late: AtomicU64::new(late), applied, landing }
    }

    async fn land(&self) -> Result<(), StoreError> {
        let mut landing = self.landing.lock().await;
        match landing.as_mut() {
            Some((_, left)) if *left > 1 => *left -= 1,
            Some((changes, _)) => {
                self.store.apply(changes).await?;
                *landing = None;
            }
            None => {}
        }
        Ok(())
    }
}

impl Projection for Late {
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>> {
        Box::pin(async move {
            self.land().await?;
            self.store.checkpoint(cell).await
        })
    }

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        Box::pin(async {
            // One table after the other, as a store does: a commit may land between two of them.
            let mut spot = Needs { spot: std::mem::take(&mut needs.spot), ..Needs::default() };
            self.land().await?;
            self.store.load(needs).await?;
            self.land().await?;
            self.store.load(&mut spot).await?;
            needs.spot = spot.spot;
            Ok(())
        })
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        Box::pin(async move {
            self.land().await?;
            if self.applied.fetch_add(1, Ordering::Relaxed) % 3 == 1 {
                *self.landing.lock().await = Some((changes.clone(), self.late.load(Ordering::Relaxed)));
                return Err(Flaky::failure());
            }
            self.store.apply(changes).await
        })
    }
}

fn a_commit_that_lands_after_its_connection_broke_is_folded_once(dialect: Dialect) {
    // Before: the checkpoint that is asked for at once, balances, orders, the checkpoint again, the next write.
    for late in 1..=5 {
        let mut exchange = Exchange::new(70 + late, 4);
        let rig = Rig::new(dialect);
        let journal = Journaled::new();
        let mut started = journal.start();
        let store = Arc::new(Late::new(&rig, late));
        let options = PersisterOptions { retry_most: Duration::from_millis(5), ..quick() };
        let (persister, fatal) = start(store.clone(), &started, 1, options);
        for _ in 0..8 {
            exchange.play(30, 4);
            journal.append(&mut started, &exchange);
            assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
        }
        persister.shutdown(SOON);
        assert!(store.applied.load(Ordering::Relaxed) > 6);
        assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
        check(&rig, &exchange);
    }
}

fn a_commit_of_the_process_before_that_lands_after_a_start_is_folded_once(dialect: Dialect) {
    for late in 1..=6 {
        let mut exchange = Exchange::new(80 + late, 4);
        let rig = Rig::new(dialect);
        let journal = Journaled::new();
        let mut started = journal.start();
        let store = Arc::new(Late::new(&rig, u64::MAX));
        exchange.play(30, 4);
        journal.append(&mut started, &exchange);
        let (persister, _) = start(store.clone(), &started, 1, quick());
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
        exchange.play(30, 4);
        journal.append(&mut started, &exchange);
        eventually("a commit is on its way", || persister.handle().metrics().errors.load(Ordering::Relaxed) > 0);
        persister.shutdown(Duration::ZERO);
        if let Some((_, left)) = rig.wait(store.landing.lock()).as_mut() {
            *left = late;
        }
        // The next process has more to write at once.
        exchange.play(30, 4);
        journal.append(&mut started, &exchange);
        let (persister, fatal) = start(store, &started, 2, quick());
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
        persister.shutdown(SOON);
        assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
        check(&rig, &exchange);
    }
}

/// A store that has not time enough for more than so many ledger rows at once.
#[derive(Debug)]
struct Narrow(Arc<SqlStore>, usize);

impl Projection for Narrow {
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>> {
        self.0.checkpoint(cell)
    }

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        self.0.load(needs)
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        if changes.wallets.ledger.len() <= self.1 {
            return self.0.apply(changes);
        }
        let source = sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
        Box::pin(async { Err(StoreError::Database { action: "write the projection", source }) })
    }
}

fn a_store_too_slow_for_a_whole_batch_gets_smaller_ones(dialect: Dialect) {
    let mut exchange = Exchange::new(90, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    // One block, larger than what the store has time for.
    exchange.play(400, 4);
    journal.append(&mut started, &exchange);
    let options = PersisterOptions { retry_most: Duration::from_millis(5), ..quick() };
    let (persister, fatal) = start(Arc::new(Narrow(rig.store.clone(), 500)), &started, 1, options);
    assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    assert!(persister.handle().metrics().errors.load(Ordering::Relaxed) > 0, "one was too much");
    persister.shutdown(SOON);
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
    check(&rig, &exchange);
}
