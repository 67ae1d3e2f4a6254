//! The persister: exactly once, whatever happens to it or to the database.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use xng_core::spot::facts::SpotFact;

use xng_core::{
    chain::facts::ChainFact,
    contract::{book::facts::BookFact, facts::ContractFact, ticket_facts::CloseReason},
    convert::facts::ConvertFact,
    copy::facts::CopyFact,
    coupon::facts::CouponFact,
    record::{Fact, Record},
    seconds::{facts::OptionsSettled, rules::OptionResult},
    spot::MarketState,
    stock::facts::StockFact,
};

use super::*;
use crate::store::{Changes, Checkpoint, Needs, Pending, StoreError};

on_both_dialects! {
    the_projection_equals_the_entities_state,
    a_market_that_quotes_open_is_open_in_the_store,
    however_the_records_are_cut_into_batches_and_starts_the_rows_are_the_same,
    replaying_what_is_there_changes_nothing,
    a_failure_between_rows_and_checkpoint_leaves_neither_and_loses_nothing,
    a_locked_database_delays_the_rows_and_nothing_else,
    a_pause_holds_rows_back_and_a_resume_drains_them,
    in_a_burst_it_rests_and_writes_everything_after_it,
    a_shutdown_writes_what_is_durable,
    a_shutdown_ends_in_time_although_records_keep_coming,
    a_store_that_is_ahead_of_the_journal_stops_the_persister,
    a_store_of_another_history_stops_the_persister_before_it_writes,
    a_store_that_lost_its_last_transactions_is_brought_up_again,
    a_row_that_is_there_already_stops_the_persister,
}

fn the_projection_equals_the_entities_state(dialect: Dialect) {
    let mut exchange = Exchange::new(8, 6);
    exchange.play(900, 6);
    exchange.options(6);
    exchange.copies();
    exchange.coupons();
    exchange.option_coupons();
    exchange.stocks();
    exchange.deposits();
    exchange.halt();
    let kinds = |is: fn(&Fact) -> bool| exchange.records.iter().filter(|r| is(&r.fact)).count();
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::OrderPlaced(f)) if !f.trades.is_empty())) > 50);
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::OrderPlaced(f)) if !f.prevented.is_empty())) > 0);
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::QuotesSet(f)) if !f.trades.is_empty())) > 5);
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::OrdersCanceled(_)))) > 20);
    assert_eq!(kinds(|f| matches!(f, Fact::Stock(StockFact::ActionApplied(_)))), 4, "two holders, two actions");
    assert_eq!(kinds(|f| matches!(f, Fact::Stock(StockFact::ActionDone(_)))), 2);
    assert_eq!(kinds(|f| matches!(f, Fact::Chain(ChainFact::BlockTaken(_)))), 3);
    assert_eq!(kinds(|f| matches!(f, Fact::Chain(ChainFact::SmallDepositsCredited(_)))), 1);
    assert!(
        kinds(|f| matches!(f, Fact::Spot(SpotFact::OrderPlaced(f)) if f.trades.iter().any(|t| !t.refill.is_zero())))
            > 0
    );
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::OrdersChanged(f)) if f.list.is_some())) > 0);
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::OrdersChanged(f)) if f.triggered.is_some())) > 0);
    assert!(kinds(|f| matches!(f, Fact::Spot(SpotFact::OrdersChanged(f)) if !f.amended.is_empty())) > 0);
    assert!(kinds(|f| matches!(f, Fact::Contract(ContractFact::TicketOpened(_)))) > 5);
    let closed = |why: CloseReason| {
        let moved = exchange.records.iter().filter_map(|r| match &r.fact {
            Fact::Contract(ContractFact::TicketsMoved(f)) => Some(f),
            _ => None,
        });
        moved.flat_map(|f| &f.closed).filter(|closed| closed.reason == why).count()
    };
    assert!(kinds(|f| matches!(f, Fact::Copy(CopyFact::CopySkipped(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Copy(CopyFact::CopyDetached(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Copy(CopyFact::ProfitShared(f)) if f.share.is_positive())) > 0);
    assert!(kinds(|f| matches!(f, Fact::Coupon(CouponFact::CouponCashed(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Coupon(CouponFact::CouponRevoked(_)))) > 0);
    for why in
        [CloseReason::User, CloseReason::Batch, CloseReason::TakeProfit, CloseReason::Liquidation, CloseReason::Copy]
    {
        assert!(closed(why) > 0, "{why:?}");
    }
    assert!(kinds(|f| matches!(f, Fact::Contract(ContractFact::TicketReserved(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Contract(ContractFact::TicketCanceled(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Contract(ContractFact::TicketsMoved(f)) if !f.activated.is_empty())) > 0);
    let cut = |f: &Fact| matches!(f, Fact::Book(BookFact::ContractOrderPlaced(f)) if !f.cuts.is_empty());
    let paid = |f: &Fact| matches!(f, Fact::Book(BookFact::FundingPaid(f)) if !f.legs.is_empty());
    assert!(kinds(|f| matches!(f, Fact::Book(BookFact::ContractOrderPlaced(f)) if !f.trades.is_empty())) > 5);
    assert!(kinds(cut) > 0 && kinds(paid) > 0);
    assert!(kinds(|f| matches!(f, Fact::Book(BookFact::ContractOrdersCanceled(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Book(BookFact::ContractOrderAmended(_)))) > 0);
    let waited = |f: &Fact| matches!(f, Fact::Book(BookFact::ConditionalsChanged(f)) if !f.gone.is_empty());
    let fired = |f: &Fact| matches!(f, Fact::Book(BookFact::ConditionalsChanged(f)) if f.placed.is_some());
    assert!(kinds(waited) > kinds(fired) && kinds(fired) > 0);
    assert!(kinds(|f| matches!(f, Fact::Book(BookFact::LegMarginMoved(_)))) > 0);
    assert!(kinds(|f| matches!(f, Fact::Convert(ConvertFact::Converted(_)))) > 5);
    assert!(kinds(|f| matches!(f, Fact::Convert(ConvertFact::DustConverted(_)))) > 0);
    for result in OptionResult::ALL {
        let its = |f: &OptionsSettled| f.items.iter().any(|item| item.result == *result);
        let settled = |r: &Record| matches!(&r.fact, Fact::Seconds(SecondsFact::OptionsSettled(f)) if its(f));
        assert!(exchange.records.iter().any(settled), "{result:?}");
    }
    let rig = Rig::new(dialect);
    rig.project(&exchange);
    check(&rig, &exchange);
}

fn a_market_that_quotes_open_is_open_in_the_store(dialect: Dialect) {
    let mut exchange = Exchange::new(1, 6);
    let rig = Rig::new(dialect);
    exchange.play(200, 6);
    let opens = |r: &Record| matches!(&r.fact, Fact::Spot(SpotFact::QuotesSet(f)) if f.opens);
    assert!(exchange.records.iter().any(opens), "a ladder opened it");
    assert_eq!(exchange.market.state().0, MarketState::Trading);
    rig.project(&exchange);
    check_market(&rig, &exchange);
}

fn however_the_records_are_cut_into_batches_and_starts_the_rows_are_the_same(dialect: Dialect) {
    let mut exchange = Exchange::new(2, 4);
    let journal = Journaled::new();
    let rig = Rig::new(dialect);
    for round in 1..=12 {
        exchange.play(40, 4);
        let mut started = journal.start();
        for to in (1..=exchange.records.len()).filter(|n| n % (round * 3) == 0) {
            let mut batch = exchange.batch_from(started.handle.last());
            if to as u64 > started.handle.last().0 {
                started.handle.append(&mut batch);
            }
        }
        journal.append(&mut started, &exchange);
        let options = PersisterOptions { batch_records: round as u32, batch_wait: Duration::ZERO, ..quick() };
        let (persister, _) = rig.persister(&started, round as u32, options);
        let target = Lsn(exchange.records.len() as u64);
        if round % 3 == 0 {
            // Stops wherever it happens to be; the next start goes on from there.
            drop(persister);
        } else {
            assert!(persister.handle().wait_for(target, SOON));
        }
        started.writer.shutdown();
    }
    let started = journal.start();
    let (persister, _) = rig.persister(&started, 13, quick());
    assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    persister.shutdown(SOON);
    let at_once = Rig::new(dialect);
    at_once.project(&exchange);
    assert_eq!(rig.sums(), at_once.sums());
    check(&rig, &exchange);
}

fn replaying_what_is_there_changes_nothing(dialect: Dialect) {
    let mut exchange = Exchange::new(3, 3);
    exchange.play(200, 3);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    journal.append(&mut started, &exchange);
    let mut before = None;
    for _ in 0..2 {
        let (persister, _) = rig.persister(&started, 1, quick());
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
        persister.shutdown(SOON);
        let dump = rig.sums();
        assert_eq!(*before.get_or_insert_with(|| dump.clone()), dump);
    }
    let error = rig.wait(rig.store.apply(&Changes::none(CELL, 1, Lsn(10)))).expect_err("the checkpoint has moved on");
    assert!(matches!(error, StoreError::Moved { expected: Lsn(10), .. }), "{error}");
    let again = Changes::none(CELL, 1, Lsn::ZERO);
    assert!(rig.wait(rig.store.apply(&again)).is_err(), "there is a first batch already");
    assert_eq!(before, Some(rig.sums()));
}

fn a_failure_between_rows_and_checkpoint_leaves_neither_and_loses_nothing(dialect: Dialect) {
    let mut exchange = Exchange::new(4, 4);
    exchange.play(100, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    journal.append(&mut started, &exchange);
    let (persister, _) = rig.persister(&started, 1, quick());
    let handle = persister.handle();
    assert!(handle.wait_for(Lsn(exchange.records.len() as u64), SOON));
    for (event, table, when) in
        [("UPDATE", "checkpoint", ""), ("INSERT", "ledger", "WHEN (NEW.log = 51)"), ("INSERT", "fills", "")]
    {
        let before = rig.sums();
        rig.fault(event, table, when);
        let errors = handle.metrics().errors.load(Ordering::Relaxed);
        exchange.play(100, 4);
        journal.append(&mut started, &exchange);
        eventually("it fails", || handle.metrics().errors.load(Ordering::Relaxed) >= errors + 3);
        let stuck = rig.sums();
        assert!(handle.lag_records() > 0);
        rig.end_fault(table);
        assert!(handle.wait_for(Lsn(exchange.records.len() as u64), SOON));
        assert_eq!(stuck["checkpoint"] == before["checkpoint"], stuck["ledger"] == before["ledger"]);
        check(&rig, &exchange);
    }
    persister.shutdown(SOON);
}

fn a_locked_database_delays_the_rows_and_nothing_else(dialect: Dialect) {
    let mut exchange = Exchange::new(6, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    let (persister, _) = rig.persister(&started, 1, quick());
    let handle = persister.handle();
    let lock = rig.lock();
    exchange.play(300, 4);
    journal.append(&mut started, &exchange);
    eventually("it fails", || handle.metrics().errors.load(Ordering::Relaxed) > 0);
    assert_eq!(handle.lag_records(), exchange.records.len() as u64);
    let newest = exchange.records.last().expect("some").time;
    assert!(handle.lag(newest) > Duration::ZERO);
    drop(lock);
    assert!(handle.wait_for(Lsn(exchange.records.len() as u64), SOON));
    assert_eq!((handle.lag_records(), handle.lag(newest)), (0, Duration::ZERO));
    persister.shutdown(SOON);
    check(&rig, &exchange);
}

fn a_pause_holds_rows_back_and_a_resume_drains_them(dialect: Dialect) {
    let mut exchange = Exchange::new(7, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    let (persister, _) = rig.persister(&started, 1, quick());
    let handle = persister.handle();
    handle.pause();
    exchange.play(200, 4);
    journal.append(&mut started, &exchange);
    let end = Lsn(exchange.records.len() as u64);
    assert!(!handle.wait_for(end, Duration::from_millis(100)));
    assert_eq!(handle.persisted(), Lsn::ZERO);
    handle.resume();
    assert!(handle.wait_for(end, SOON));
    handle.pause();
    exchange.play(50, 4);
    journal.append(&mut started, &exchange);
    persister.shutdown(SOON);
    assert_eq!(handle.persisted(), end, "a stop during a pause writes nothing");
}

/// A store that needs some time for each transaction.
#[derive(Debug)]
struct Slow(Arc<SqlStore>);

impl Projection for Slow {
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>> {
        self.0.checkpoint(cell)
    }

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        self.0.load(needs)
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(30)).await;
            self.0.apply(changes).await
        })
    }
}

/// Whether it rested while much came at once; it wrote all of it.
fn rests(dialect: Dialect, burst: Duration) -> bool {
    let mut exchange = Exchange::new(12, 20);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    let options = PersisterOptions { batch_records: 400, burst, ..quick() };
    let (persister, fatal) = start(Arc::new(Slow(rig.store.clone())), &started, 1, options);
    let handle = persister.handle();
    while exchange.records.len() < 12_000 {
        exchange.play(100, 20);
    }
    // All but the first hundred come at once: more than a second of a burst.
    let at_once = exchange.records.split_off(100);
    journal.append(&mut started, &exchange);
    assert!(handle.wait_for(Lsn(100), SOON));
    exchange.records.extend(at_once);
    journal.append(&mut started, &exchange);
    assert!(handle.wait_for(Lsn(exchange.records.len() as u64), SOON * 3));
    let rested = handle.metrics().rest_micros.load(Ordering::Relaxed) > 0;
    persister.shutdown(SOON);
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
    check_market(&rig, &exchange);
    rested
}

fn in_a_burst_it_rests_and_writes_everything_after_it(dialect: Dialect) {
    assert!(!rests(dialect, Duration::ZERO));
    // Where the machine stood still for that second, it was no burst: then once more.
    assert!((0..4).any(|_| rests(dialect, Duration::from_secs(60))));
}

fn a_shutdown_writes_what_is_durable(dialect: Dialect) {
    let mut exchange = Exchange::new(8, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    exchange.play(500, 4);
    journal.append(&mut started, &exchange);
    let (persister, _) = rig.persister(&started, 1, PersisterOptions { batch_records: 10, ..quick() });
    started.writer.shutdown();
    persister.shutdown(SOON);
    check(&rig, &exchange);
}

fn a_shutdown_ends_in_time_although_records_keep_coming(dialect: Dialect) {
    let mut exchange = Exchange::new(11, 4);
    let rig = Rig::new(dialect);
    let journal = Journaled::new();
    let mut started = journal.start();
    exchange.play(50, 4);
    journal.append(&mut started, &exchange);
    let (persister, _) = rig.persister(&started, 1, quick());
    let done = AtomicBool::new(false);
    std::thread::scope(|s| {
        let feeder = s.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                exchange.play(2, 4);
                journal.append(&mut started, &exchange);
            }
        });
        let began = Instant::now();
        persister.shutdown(Duration::from_millis(300));
        let took = began.elapsed();
        done.store(true, Ordering::Relaxed);
        feeder.join().expect("feeds");
        assert!(took < Duration::from_secs(5), "{took:?}");
    });
}

/// A store that never answers a write, or breaks.
#[derive(Debug)]
struct Broken {
    panics: bool,
}

impl Projection for Broken {
    fn checkpoint(&self, _: u32) -> Pending<'_, Option<Checkpoint>> {
        Box::pin(async { Ok(None) })
    }

    fn load<'a>(&'a self, _: &'a mut Needs) -> Pending<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn apply<'a>(&'a self, _: &'a Changes) -> Pending<'a, ()> {
        assert!(!self.panics, "a bug");
        Box::pin(std::future::pending())
    }
}

#[test]
fn a_store_that_does_not_answer_does_not_keep_the_persister_from_ending() {
    let mut exchange = Exchange::new(12, 4);
    exchange.play(50, 4);
    let journal = Journaled::new();
    let mut started = journal.start();
    journal.append(&mut started, &exchange);
    let (persister, fatal) = start(Arc::new(Broken { panics: false }), &started, 1, quick());
    let handle = persister.handle();
    assert!(!handle.wait_for(Lsn(1), Duration::from_millis(200)));
    persister.shutdown(Duration::from_millis(50));
    assert_eq!((handle.persisted(), handle.has_failed()), (Lsn::ZERO, false));
    assert!(fatal.lock().expect("no panic").is_empty());
}

#[test]
fn a_persister_that_panics_says_so() {
    let mut exchange = Exchange::new(13, 4);
    exchange.play(50, 4);
    let journal = Journaled::new();
    let mut started = journal.start();
    journal.append(&mut started, &exchange);
    let (persister, fatal) = start(Arc::new(Broken { panics: true }), &started, 1, quick());
    let handle = persister.handle();
    assert!(!handle.wait_for(Lsn(1), SOON));
    assert!(handle.has_failed());
    persister.shutdown(SOON);
    assert_eq!(fatal.lock().expect("no panic").len(), 1);
}

/// A store that is replaced by an older one, as after a failover.
#[derive(Debug)]
struct Replaced {
    first: Arc<SqlStore>,
    second: Arc<SqlStore>,
    failed_over: AtomicBool,
}

impl Replaced {
    fn now(&self) -> &SqlStore {
        if self.failed_over.load(Ordering::SeqCst) { &self.second } else { &self.first }
    }
}

impl Projection for Replaced {
    fn checkpoint(&self, cell: u32) -> Pending<'_, Option<Checkpoint>> {
        self.now().checkpoint(cell)
    }

    fn load<'a>(&'a self, needs: &'a mut Needs) -> Pending<'a, ()> {
        self.now().load(needs)
    }

    fn apply<'a>(&'a self, changes: &'a Changes) -> Pending<'a, ()> {
        self.now().apply(changes)
    }
}

fn a_store_that_lost_its_last_transactions_is_brought_up_again(dialect: Dialect) {
    let mut exchange = Exchange::new(17, 4);
    let (first, second) = (Rig::new(dialect), Rig::new(dialect));
    exchange.play(60, 4);
    second.project(&exchange);
    let journal = Journaled::new();
    let mut started = journal.start();
    exchange.play(60, 4);
    journal.append(&mut started, &exchange);
    let (one, other) = (first.store.clone(), second.store.clone());
    let store = Arc::new(Replaced { first: one, second: other, failed_over: AtomicBool::new(false) });
    let (persister, fatal) = start(store.clone(), &started, 1, quick());
    assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    store.failed_over.store(true, Ordering::SeqCst);
    exchange.play(60, 4);
    journal.append(&mut started, &exchange);
    assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    persister.shutdown(SOON);
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
    check(&second, &exchange);
}

fn a_store_of_another_history_stops_the_persister_before_it_writes(dialect: Dialect) {
    let rig = Rig::new(dialect);
    let mut lost = Exchange::new(15, 4);
    lost.play(60, 4);
    rig.project(&lost);
    let before = rig.wait(rig.store.checksum()).expect("sums up");
    let mut restored = Exchange::new(16, 5);
    restored.play(200, 5);
    let end = lost.records.len();
    assert!(restored.records.len() > end && restored.records[end - 1].time != lost.records[end - 1].time);
    let journal = Journaled::new();
    let mut started = journal.start();
    journal.append(&mut started, &restored);
    let (persister, fatal) = rig.persister(&started, 2, quick());
    assert!(!persister.handle().wait_for(Lsn(restored.records.len() as u64), SOON));
    assert!(persister.handle().has_failed());
    persister.shutdown(SOON);
    let messages = fatal.lock().expect("no panic").clone();
    assert!(messages.len() == 1 && messages[0].contains("another history"), "{messages:?}");
    assert_eq!(rig.wait(rig.store.checksum()).expect("sums up"), before);
}

fn a_store_that_is_ahead_of_the_journal_stops_the_persister(dialect: Dialect) {
    let mut exchange = Exchange::new(9, 4);
    exchange.play(50, 4);
    let rig = Rig::new(dialect);
    rig.project(&exchange);
    let journal = Journaled::new();
    let started = journal.start();
    let (persister, fatal) = rig.persister(&started, 2, quick());
    let handle = persister.handle();
    assert!(!handle.wait_for(Lsn(1_000_000), SOON));
    assert!(handle.has_failed());
    persister.shutdown(SOON);
    let messages = fatal.lock().expect("no panic").clone();
    assert!(messages.len() == 1 && messages[0].contains("the journal to 0"), "{messages:?}");
}

fn a_row_that_is_there_already_stops_the_persister(dialect: Dialect) {
    let mut exchange = Exchange::new(18, 4);
    exchange.play(120, 4);
    let rig = Rig::new(dialect);
    rig.project(&exchange);
    let half = exchange.records.len() / 2;
    let time = exchange.records[half - 1].time;
    rig.execute(&format!("UPDATE checkpoint SET lsn = {half}, time_ns = {time}"));
    let journal = Journaled::new();
    let mut started = journal.start();
    journal.append(&mut started, &exchange);
    let (persister, fatal) = rig.persister(&started, 1, quick());
    assert!(!persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    assert!(persister.handle().has_failed(), "it would be refused for ever");
    persister.shutdown(SOON);
    let messages = fatal.lock().expect("no panic").clone();
    assert!(messages.len() == 1 && messages[0].to_lowercase().contains("unique"), "{messages:?}");
}
