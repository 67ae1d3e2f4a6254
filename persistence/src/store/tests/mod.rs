//! The store against the engine's own entities: what it says is what they say.
//!
//! Owns: the rig (a journal on a fake disk, a database, a persister) and the comparisons; every test runs on both dialects.
//! Never does: repeat the projection's rules; it compares with the entities' state.
//! Invariants: none beyond the tests'.
//! Known limits: none.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

mod answers;
mod chains;
mod dialects;
mod exchange;
mod messages;
mod persisting;
mod queries;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, SqliteConnection, sqlite::SqliteRow};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use xng_core::{
    account::{Account, Order, OwnLeg, leg_orders::DELEVERAGING_NAME, recent::RECENT},
    contract::facts::ContractFact,
    convert::facts::ConvertFact,
    copy::facts::CopyFact,
    coupon::{Coupon, facts::CouponFact},
    fraction::Fraction,
    ids::{AccountId, AssetId, Wallet},
    journal::{Journal, Lsn},
    money::{Amount, Lots},
    record::{Fact, Record},
    seconds::facts::{SecondsFact, SettledOption},
    stock::facts::{Holding, StockFact},
};

use self::exchange::Exchange;
use super::{
    ActionFilter, AppliedFilter, ClosedCopyFilter, ConversionFilter, CopyEvent, CopyEventFilter, CouponFilter,
    CouponState, CouponsOf, DailyProduct, FillFilter, FlowFilter, LedgerFilter, LedgerRow, LegFillFilter, LegFilter,
    LegOrderFilter, OptionEnd, OptionFilter, OrderCursor, OrderFilter, Persister, PersisterOptions, Projection, Slice,
    SqlStore, StoreUrl, StoredAction, StoredLegOrder, StoredOption, StoredTicket, TableChecksum, TicketFilter,
    TraderFilter, amount, rows::daily_flows::reported,
};
use crate::{
    eventually::eventually,
    journal::{Hooks, Options, Started, fake_disk::FakeDisk, recover},
    postgres::Limits,
    services::Postgres,
};

const SOON: Duration = Duration::from_secs(20);
const CELL: u32 = 5;

/// Which database a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Sqlite,
    Postgres,
}

/// Makes two tests of each function: one on SQLite, one on Postgres.
macro_rules! on_both_dialects {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test(super::Dialect::Sqlite); })*
        }
        mod postgres {
            $(#[test] fn $test() { super::$test(super::Dialect::Postgres); })*
        }
    };
}
use on_both_dialects;

/// Where a rig's database is.
enum Home {
    File(TempDir),
    Server(Arc<Postgres>, String),
}

/// A store of its own, and a runtime to ask it in.
struct Rig {
    runtime: Runtime,
    store: Arc<SqlStore>,
    home: Home,
}

/// Quick to give up, so that tests of faults do not wait.
fn impatient() -> Limits {
    let seconds = Duration::from_secs;
    Limits { connect: seconds(3), read: seconds(3), write: seconds(4), statement: seconds(2) }
}

impl Rig {
    fn new(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Sqlite => Self::on(Home::File(tempfile::tempdir().expect("a directory"))),
            Dialect::Postgres => Self::on_server(&Postgres::shared().expect("starts")),
        }
    }

    fn on_server(server: &Arc<Postgres>) -> Self {
        let url = server.create_database().expect("a database");
        Self::on(Home::Server(server.clone(), url))
    }

    fn on(home: Home) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let store = runtime.block_on(SqlStore::open_within(&home.url(), impatient())).expect("opens");
        Self { runtime, store: Arc::new(store), home }
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Runs SQL next to the store and gives the texts of the first column.
    fn texts(&self, sql: &str) -> Vec<String> {
        match &self.home {
            Home::File(_) => self.raw(sql).iter().map(|row| row.get(0)).collect(),
            Home::Server(server, url) => {
                server.execute(url, sql).expect("executes").lines().map(str::to_owned).collect()
            }
        }
    }

    /// Runs SQL next to the store and gives the numbers that it returns, row by row.
    fn execute(&self, sql: &str) -> Vec<Vec<i64>> {
        match &self.home {
            Home::File(_) => self.raw(sql).iter().map(|row| (0..row.len()).map(|at| row.get(at)).collect()).collect(),
            Home::Server(server, url) => {
                let said = server.execute(url, sql).expect("executes");
                let numbers = |line: &str| line.split('|').map(|n| n.parse().expect("a number")).collect();
                said.lines().map(numbers).collect()
            }
        }
    }

    fn raw(&self, sql: &str) -> Vec<SqliteRow> {
        let mut connection = self.beside();
        self.wait(sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch_all(&mut connection)).expect("executes")
    }

    /// Another connection to the SQLite file.
    fn beside(&self) -> SqliteConnection {
        let Home::File(folder) = &self.home else { panic!("not a file") };
        let url = format!("sqlite://{}", folder.path().join("store.db").display());
        self.wait(SqliteConnection::connect(&url)).expect("connects")
    }

    /// Lets the database refuse each `event` on `table` (for the rows of `when`), until the fault is taken away.
    fn fault(&self, event: &str, table: &str, when: &str) {
        match &self.home {
            Home::File(_) => self.execute(&format!(
                "CREATE TRIGGER fault BEFORE {event} ON {table} {when} BEGIN SELECT RAISE(ABORT, 'killed'); END"
            )),
            Home::Server(..) => self.execute(&format!(
                "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''killed''; END';
                 CREATE TRIGGER fault BEFORE {event} ON {table} FOR EACH ROW {when} EXECUTE FUNCTION fault()"
            )),
        };
    }

    fn end_fault(&self, table: &str) {
        match &self.home {
            Home::File(_) => self.execute("DROP TRIGGER fault"),
            Home::Server(..) => self.execute(&format!("DROP TRIGGER fault ON {table}; DROP FUNCTION fault")),
        };
    }

    /// Keeps the store from writing until it is dropped.
    fn lock(&self) -> Box<dyn std::any::Any> {
        self.wait(self.store.markets()).expect("has its tables");
        match &self.home {
            Home::File(_) => {
                let mut connection = self.beside();
                self.wait(sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut connection)).expect("locks");
                Box::new(connection)
            }
            Home::Server(_, url) => {
                let mut connection = self.wait(PgConnection::connect(url)).expect("connects");
                let sql = "BEGIN; LOCK TABLE checkpoint IN SHARE MODE";
                self.wait(sqlx::raw_sql(sql).execute(&mut connection)).expect("locks");
                Box::new(connection)
            }
        }
    }

    /// What every table holds.
    fn sums(&self) -> BTreeMap<&'static str, TableChecksum> {
        let sums = self.wait(self.store.checksum()).expect("reads");
        sums.into_iter().map(|sum| (sum.table, sum)).collect()
    }

    fn persister(&self, journal: &Started, epoch: u32, options: PersisterOptions) -> (Persister, Fatal) {
        start(self.store.clone(), journal, epoch, options)
    }

    /// Projects all records of `exchange` through a journal and a persister.
    fn project(&self, exchange: &Exchange) {
        let journal = Journaled::new();
        let mut started = journal.start();
        journal.append(&mut started, exchange);
        let (persister, _) = self.persister(&started, 1, quick());
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
        persister.shutdown(SOON);
    }
}

impl Home {
    fn url(&self) -> StoreUrl {
        let url = match self {
            Self::File(folder) => format!("sqlite:{}", folder.path().join("store.db").display()),
            Self::Server(_, url) => url.clone(),
        };
        StoreUrl::parse(&url).expect("a url")
    }
}

type Fatal = Arc<Mutex<Vec<String>>>;

fn start(store: Arc<dyn Projection>, journal: &Started, epoch: u32, options: PersisterOptions) -> (Persister, Fatal) {
    let fatal = Fatal::default();
    let messages = fatal.clone();
    let persister = Persister::start(store, journal.control.clone(), CELL, epoch, options, move |error| {
        messages.lock().expect("no panic").push(error.to_string());
    });
    (persister.expect("starts"), fatal)
}

fn quick() -> PersisterOptions {
    PersisterOptions {
        batch_wait: Duration::from_millis(5),
        retry_first: Duration::from_millis(5),
        ..PersisterOptions::default()
    }
}

/// A journal that outlives its starts.
struct Journaled {
    disk: FakeDisk,
}

impl Journaled {
    fn new() -> Self {
        Self { disk: FakeDisk::new() }
    }

    fn start(&self) -> Started {
        let options = Options { segment_bytes: 1 << 20, ..Options::new(CELL) };
        let recovered = recover(Arc::new(self.disk.clone()), options, Lsn::ZERO).expect("recovers");
        recovered.start(Hooks::new(|_| ())).expect("starts")
    }

    /// Hands over what the exchange has done since the journal's end, and waits until it is durable.
    fn append(&self, journal: &mut Started, exchange: &Exchange) {
        let mut batch = exchange.batch_from(journal.handle.last());
        journal.handle.append(&mut batch);
        assert!(journal.control.wait_for(journal.handle.last(), SOON));
    }
}

/// What the store says about the market is what the entity says.
fn check_market(rig: &Rig, exchange: &Exchange) {
    let stored = rig.wait(rig.store.markets()).expect("reads");
    let markets = [&exchange.market, &exchange.stock];
    let expected: Vec<_> = markets.iter().filter_map(|m| Some((m.params()?.clone(), Some(m.state())))).collect();
    assert_eq!(stored.into_iter().map(|m| (m.params, m.state)).collect::<Vec<_>>(), expected, "the markets");
}

/// Corporate actions, and what an account went through, each as its fact has it.
fn check_actions(rig: &Rig, exchange: &Exchange, account: AccountId) {
    let (mut actions, mut applied) = (Vec::new(), Vec::new());
    for (lsn, record) in (1..).map(Lsn).zip(&exchange.records) {
        let Fact::Stock(fact) = &record.fact else { continue };
        match fact {
            StockFact::ActionSet(f) => actions.push((f.action, Some((f.board_lot, f.odd_price)), true)),
            StockFact::ActionApplied(f) if f.account == account => {
                let sum = |of: fn(&Holding) -> Amount| f.holdings.iter().map(of).sum::<Amount>();
                let held = (sum(|h| h.before), sum(|h| h.after));
                applied.push((lsn, f.action.id, held, (f.odd, f.odd_cash), (f.gross, f.withheld)));
            }
            _ => {}
        }
    }
    let stored = rig.wait(rig.store.page(&ActionFilter { market: exchange::STOCK }, Slice::Oldest, 10)).expect("reads");
    let in_force = |a: &StoredAction| a.set.map(|set| (set.board_lot, set.odd_price));
    let stored: Vec<_> = stored.iter().map(|a| (a.action, in_force(a), a.done.is_some())).collect();
    assert_eq!(stored, actions, "corporate actions");
    let rows = rig.wait(rig.store.page(&AppliedFilter { account }, Slice::Oldest, 10)).expect("reads");
    let rows: Vec<_> = rows
        .iter()
        .map(|r| (r.lsn, r.action, (r.before, r.after), (r.odd, r.odd_cash), (r.gross, r.withheld)))
        .collect();
    assert_eq!(rows, applied, "actions that {account} went through");
}

/// What the store says of an account's positions and open orders in contracts' books is what the account says.
fn check_books(rig: &Rig, account: &Account) {
    let id = account.id();
    let legs = rig.wait(rig.store.page(&LegFilter { account: id }, Slice::Oldest, 1_000)).expect("reads");
    let open = legs.into_iter().filter(|row| !row.is_closed());
    let open: Vec<_> = open.map(|row| OwnLeg { units: row.units, side: row.side, leg: row.leg }).collect();
    assert_eq!(open, account.legs(), "positions of {id}");
    let filter = LegOrderFilter::of(id);
    let orders = rig.wait(rig.store.page(&filter, Slice::Oldest, 1_000)).expect("reads");
    let living = orders.iter().map(|row| row.order).filter(|order| order.status.is_open());
    let living: BTreeMap<_, _> = living.map(|o| (o.order, (o.units, o.lots, o.filled, o.open))).collect();
    let own = account.book_orders().iter().map(|o| (o.rests.order, (o.units, o.lots, o.filled, o.rests.open)));
    let waits = account.conditionals().iter().map(|own| {
        let waits = own.waits;
        (waits.order, (own.units, waits.lots, Lots::ZERO, waits.lots))
    });
    assert_eq!(living, own.chain(waits).collect(), "orders of {id} in contracts' books");
    let fills = rig.wait(rig.store.page(&LegFillFilter::of(id), Slice::Oldest, 10_000)).expect("reads");
    for StoredLegOrder { order, .. } in orders {
        let of_it = fills.iter().map(|row| row.fill).filter(|fill| fill.order == order.order);
        let (lots, value) = of_it.fold((Lots::ZERO, Amount::ZERO), |(lots, value), fill| {
            (lots + fill.lots, value + fill.units.value(fill.ticks, fill.lots))
        });
        assert_eq!((lots, value), (order.filled, order.spent), "fills of {order:?}");
    }
}

/// Conversions of an account, each as its fact has it.
fn check_conversions(rig: &Rig, exchange: &Exchange, account: AccountId) {
    let mut expected = Vec::new();
    for (lsn, record) in (1..).map(Lsn).zip(&exchange.records) {
        let Fact::Convert(fact) = &record.fact else { continue };
        match fact {
            ConvertFact::Converted(f) => expected.extend((f.account == account).then_some((
                lsn,
                0,
                false,
                (f.from, f.amount),
                (f.to, f.to_amount),
                f.fee,
            ))),
            ConvertFact::DustConverted(f) => {
                let rows = (0..).zip(f.rows.iter().filter(|_| f.account == account));
                expected.extend(rows.map(|(part, row)| {
                    (lsn, part, true, (row.from, row.amount), (f.into, row.to_amount), Amount::ZERO)
                }));
            }
            ConvertFact::ConvertParamsSet(_) => {}
        }
    }
    let rows = rig.wait(rig.store.page(&ConversionFilter { account }, Slice::Oldest, 1_000)).expect("reads");
    let rows: Vec<_> =
        rows.iter().map(|r| (r.lsn, r.part, r.dust, (r.from, r.amount), (r.to, r.to_amount), r.fee)).collect();
    assert_eq!(rows, expected, "conversions of {account}");
}

/// Options of an account: those that are open are the engine's own, each other one ended as its fact says.
fn check_options(rig: &Rig, exchange: &Exchange, account: AccountId) {
    let rows = rig.wait(rig.store.page(&OptionFilter::of(account), Slice::Oldest, 1_000)).expect("reads");
    let (open, ended): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.end.is_none());
    let open: Vec<_> = open.iter().map(|row| row.option).collect();
    assert_eq!(open, exchange.accounts[&account].options(), "options of {account}");
    let mut expected = Vec::new();
    for record in &exchange.records {
        let Fact::Seconds(SecondsFact::OptionsSettled(f)) = &record.fact else { continue };
        let its = f.items.iter().filter(|item| item.option.account == account);
        expected.extend(its.map(|i| {
            let (result, close_seq, close_price) = (i.result, i.close_seq, i.close_price);
            let end = OptionEnd { time: record.time, result, close_seq, close_price, paid: i.paid };
            StoredOption { option: i.option, end: Some(end) }
        }));
    }
    assert_eq!(ended, expected, "options of {account} that ended");
}

/// Copy trading of an account: whether it is a trader, what happened to it as a follower, its closed copies.
fn check_copies(rig: &Rig, exchange: &Exchange, account: AccountId) {
    let own = exchange.accounts[&account].copying();
    let traders = rig.wait(rig.store.page(&TraderFilter { account }, Slice::Oldest, 10)).expect("reads");
    assert_eq!(traders.first().and_then(|row| row.terms), own.and_then(|own| own.trader), "trader {account}");
    let rows = rig.wait(rig.store.page(&CopyEventFilter { account, skipped: false }, Slice::Oldest, 100));
    let rows: Vec<_> = rows.expect("reads").into_iter().map(|row| (row.lsn, row.trader, row.event)).collect();
    let closed = rig.wait(rig.store.page(&ClosedCopyFilter { account, tickets: None }, Slice::Oldest, 100));
    let closed: Vec<_> = closed.expect("reads").iter().map(|c| (c.ticket, c.link, c.net, c.withheld)).collect();
    let (mut events, mut copies) = (Vec::new(), Vec::new());
    for (lsn, record) in (1..).map(Lsn).zip(&exchange.records) {
        match &record.fact {
            Fact::Contract(ContractFact::TicketsMoved(f)) if f.account == account => {
                copies.extend(f.nets.iter().filter_map(|n| {
                    let (link, withheld) = n.copy?;
                    Some((n.ticket, link, n.profit, withheld))
                }));
            }
            Fact::Copy(CopyFact::Followed(f)) if f.account == account => {
                let (follow, terms, share_ppm) = (f.follow, f.terms, f.offer.share_ppm);
                events.push((lsn, f.trader, CopyEvent::Followed { follow, terms, share_ppm }));
            }
            Fact::Copy(CopyFact::Unfollowed(f)) if f.account == account => {
                events.push((lsn, f.trader, CopyEvent::Unfollowed(f.detached.len() as u64)));
            }
            Fact::Copy(CopyFact::CopySkipped(f)) if f.account == account => {
                events.push((lsn, f.trader, CopyEvent::Skipped { source: f.source, reason: f.reason }));
            }
            Fact::Copy(CopyFact::CopyDetached(f)) if f.account == account => {
                events.push((lsn, f.trader, CopyEvent::Detached { source: f.source, ticket: f.ticket }));
            }
            Fact::Copy(CopyFact::ProfitShared(f)) if f.account == account => {
                let (share, released, mark) = (f.share, f.released, f.results.mark);
                events.push((lsn, f.trader, CopyEvent::Shared { share, released, mark }));
            }
            _ => {}
        }
    }
    assert_eq!((rows, closed), (events, copies), "copies of {account}");
}

/// Coupons of an account: unused ones are the engine's own, each other one ended as its fact says.
fn check_coupons(rig: &Rig, exchange: &Exchange, account: AccountId) {
    let of = |which| rig.wait(rig.store.page(&CouponFilter { account, which }, Slice::Oldest, 100)).expect("reads");
    let (unused, ended): (Vec<_>, Vec<_>) =
        of(CouponsOf::All).into_iter().partition(|row| row.state == CouponState::Unused);
    let own: Vec<_> = unused.iter().map(|row| row.coupon).collect();
    let owner = &exchange.accounts[&account];
    let mut known: Vec<_> = owner.coupons().iter().chain(owner.bonuses()).copied().collect();
    known.sort_unstable_by_key(|coupon| (coupon.issued, coupon.coupon));
    assert_eq!(own, known, "coupons of {account}");
    let mut expected = BTreeMap::new();
    for Record { fact, time, .. } in &exchange.records {
        let mut over = |coupon: Coupon, state| {
            expected.insert(coupon.coupon, (coupon, state, *time));
        };
        match fact {
            Fact::Coupon(CouponFact::CouponCashed(f)) => over(f.coupon, CouponState::Used),
            Fact::Coupon(CouponFact::CouponRevoked(f)) => over(f.coupon, CouponState::Revoked),
            Fact::Seconds(SecondsFact::OptionOpened(f)) => {
                f.option.coupon().into_iter().for_each(|coupon| over(coupon, CouponState::Used));
            }
            Fact::Seconds(SecondsFact::OptionsSettled(f)) => {
                f.items.iter().filter_map(SettledOption::returned).for_each(|coupon| {
                    expected.remove(&coupon.coupon);
                });
            }
            _ => {}
        }
    }
    let expected: Vec<_> = expected.into_values().filter(|(coupon, ..)| coupon.account == account).collect();
    let told: BTreeMap<_, _> =
        ended.iter().map(|row| (row.coupon.coupon, (row.coupon, row.state, row.until))).collect();
    assert_eq!(told.into_values().collect::<Vec<_>>(), expected, "coupons of {account} that ended");
    assert_eq!(
        of(CouponsOf::Used),
        of(CouponsOf::All).into_iter().filter(|r| r.state == CouponState::Used).collect::<Vec<_>>()
    );
    // An unused one is over at its time, not before.
    for row in &unused {
        let over = |at| of(CouponsOf::OverAt(at)).contains(row);
        assert_eq!((over(row.coupon.expires - 1), over(row.coupon.expires)), (false, true));
    }
}

/// What the store says about the market and every account is what the entities say.
fn check(rig: &Rig, exchange: &Exchange) {
    check_market(rig, exchange);
    let mut sums: BTreeMap<AssetId, Amount> = BTreeMap::new();
    let histories = exchange.histories();
    for &account in exchange.accounts.keys() {
        let view = exchange.view(account);
        let balances = rig.wait(rig.store.balances_of(account)).expect("reads");
        assert_eq!(balances, view.balances, "balances of {account}");
        let rows = ledger_of(rig, account);
        for row in &rows {
            *sums.entry(row.asset).or_default() += row.available + row.locked;
        }
        check_ledger(&rows, &view.balances);
        if account == AccountId::HOUSE {
            continue;
        }
        let tickets = rig.wait(rig.store.page(&TicketFilter::of(account), Slice::Oldest, 1_000)).expect("reads");
        let (open, ended): (Vec<_>, Vec<_>) = tickets.into_iter().partition(|row| row.end.is_none());
        assert_eq!(open.iter().map(|row| row.ticket).collect::<Vec<_>>(), view.tickets, "tickets of {account}");
        let paid = |row: &StoredTicket| {
            let closed = row.end.and_then(|end| end.closed);
            closed.is_none_or(|c| c.credit + c.unsettled - c.deficit == row.ticket.margin + c.result)
        };
        assert!(ended.iter().all(paid), "{ended:?}");
        check_books(rig, &exchange.accounts[&account]);
        check_conversions(rig, exchange, account);
        check_options(rig, exchange, account);
        check_actions(rig, exchange, account);
        chains::check_deposits(rig, exchange, account);
        check_copies(rig, exchange, account);
        check_coupons(rig, exchange, account);
        let orders = orders_of(rig, &OrderFilter::of(account), Slice::Oldest, 1_000);
        let history = histories.of(account).map(|h| (h.done(histories.position()), h.fills(histories.position())));
        let (done, remembered) = history.map_or_else(Default::default, |(done, fills)| (done.entries, fills.entries));
        let mut expected: Vec<Order> = view.open.iter().chain(&done).copied().collect();
        expected.sort_by_key(|o| (o.created, o.order));
        assert!(done.len() < RECENT, "its history has all");
        assert_eq!(orders, expected, "orders of {account}");
        messages::check_messages(rig, exchange, account, &orders);
        let fills = rig.wait(rig.store.page(&FillFilter::of(account), Slice::Oldest, 1_000)).expect("reads");
        let mut fills: Vec<_> = fills.into_iter().map(|stored| stored.fill).collect();
        let mut expected = remembered;
        fills.sort_by_key(|f| (f.trade, f.maker));
        expected.sort_by_key(|f| (f.trade, f.maker));
        assert!(fills.len() == expected.len() || expected.len() >= RECENT, "it forgets nothing before that");
        fills.drain(..fills.len() - expected.len());
        assert_eq!(fills, expected, "fills of {account}");
    }
    check_flows(rig, exchange);
    check_volumes(rig);
    let assets = 2 + usize::from(exchange.stock.params().is_some());
    assert!(sums.len() == assets && sums.values().all(|sum| sum.is_zero()), "{sums:?}");
}

/// What came in less what went out, over all days, is what accounts have; over all accounts it is nothing.
fn check_flows(rig: &Rig, exchange: &Exchange) {
    let mut have: BTreeMap<(AccountId, AssetId), Amount> = BTreeMap::new();
    for &account in exchange.accounts.keys() {
        for balance in exchange.view(account).balances {
            *have.entry((reported(account), balance.asset)).or_default() += balance.available + balance.locked;
        }
    }
    let (mut moved, mut moves): (BTreeMap<_, Amount>, u64) = (BTreeMap::new(), 0);
    let filter = FlowFilter { since: 0, until: u32::MAX };
    let mut slice = Slice::Oldest;
    loop {
        // A small page, so that there are several.
        let page = rig.wait(rig.store.page(&filter, slice, 7)).expect("reads");
        let Some(last) = page.last() else { break };
        slice = Slice::After(last.key);
        for row in page {
            *moved.entry((row.key.account, row.key.asset)).or_default() += row.flow_in - row.flow_out;
            moves += row.moves;
        }
    }
    have.retain(|_, amount| !amount.is_zero());
    let sheet = rig.wait(rig.store.balance_sheet()).expect("reads").into_iter();
    let sheet =
        sheet.map(|(account, asset, amount)| ((account, asset), amount)).filter(|(_, amount)| !amount.is_zero());
    assert_eq!(sheet.collect::<BTreeMap<_, _>>(), have, "the balance sheet");
    moved.retain(|_, amount| !amount.is_zero());
    assert_eq!(moved, have, "flows of all days");
    let mut postings = 0;
    for record in &exchange.records {
        record.fact.all_postings(record.decider, |p| postings += u64::from(!(p.available + p.locked).is_zero()));
    }
    assert_eq!(moves, postings, "each movement once");
}

/// Totals of days are those of the fills and tickets that the store has.
fn check_volumes(rig: &Rig) {
    let value = |whole: &str| format!("coalesce(sum({whole}_whole), 0), coalesce(sum({whole}_frac), 0)");
    let amount = |row: &[i64]| amount::join(row[0], row[1]);
    let totals = |product: DailyProduct| {
        let (all, users) = (value("value"), value("of_users"));
        let sql = format!(
            "SELECT coalesce(sum(trades), 0), {all}, {users} FROM daily_volumes WHERE product = {}",
            product as u8
        );
        let row = rig.execute(&sql).remove(0);
        (row[0], amount(&row[1..3]), amount(&row[3..5]))
    };
    for (product, table, column) in
        [(DailyProduct::Spot, "fills", "total"), (DailyProduct::Contracts, "leg_fills", "value")]
    {
        let of = |which: &str| {
            let sql = format!("SELECT count(*), {} FROM {table} WHERE {which}", value(column));
            let row = rig.execute(&sql).remove(0);
            (row[0], amount(&row[1..3]))
        };
        // Who is deleveraged is no maker, and the other side of the liquidation's trade.
        let deleveraged = format!("SELECT order_id FROM leg_orders WHERE client_id = '{DELEVERAGING_NAME}'");
        let takers = format!("maker = 0 AND order_id NOT IN ({deleveraged})");
        let ((trades, value), (_, of_users)) = (of(&takers), of(&format!("account > {}", AccountId::LAST_DESK.0)));
        assert_eq!(totals(product), (trades, value, of_users), "{table}");
    }
    let priced = |which: &str, price: &str| -> Vec<Amount> {
        let sql = format!("SELECT {price}_whole, {price}_frac, base_whole, base_frac FROM tickets WHERE {which}");
        let rows = rig.execute(&sql);
        rows.iter().map(|row| Fraction::value(amount(&row[..2]), amount(&row[2..])).round8()).collect()
    };
    let sides = [priced("opened_ns > 0", "price"), priced("reason IS NOT NULL", "index")].concat();
    let value: Amount = sides.iter().copied().sum();
    assert_eq!(totals(DailyProduct::Tickets), (sides.len() as i64, value, value), "tickets, each a user's");
}

fn orders_of(rig: &Rig, filter: &OrderFilter, slice: Slice<OrderCursor>, limit: u32) -> Vec<Order> {
    let rows = rig.wait(rig.store.page(filter, slice, limit)).expect("reads");
    assert!(rows.iter().all(|row| row.account == filter.account));
    rows.into_iter().map(|row| row.order).collect()
}

fn ledger_of(rig: &Rig, account: AccountId) -> Vec<LedgerRow> {
    let mut rows: Vec<LedgerRow> = Vec::new();
    let filter = LedgerFilter::of(account);
    loop {
        let slice = rows.last().map_or(Slice::Oldest, |row| Slice::After(row.id));
        let page = rig.wait(rig.store.page(&filter, slice, 1_000)).expect("reads");
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

/// The rows lead, one after the other, to the balances.
fn check_ledger(rows: &[LedgerRow], balances: &[xng_core::account::Balance]) {
    let mut at: BTreeMap<(Wallet, AssetId), (Amount, Amount)> = BTreeMap::new();
    for row in rows {
        let (available, locked) = at.entry((row.wallet, row.asset)).or_default();
        let before = (row.available_after - row.available, row.locked_after - row.locked);
        assert_eq!((*available, *locked), before, "{row:?}");
        (*available, *locked) = (row.available_after, row.locked_after);
    }
    for balance in balances {
        let last = at.get(&(balance.wallet, balance.asset)).copied().unwrap_or_default();
        assert_eq!(last, (balance.available, balance.locked), "{balance:?}");
    }
}
