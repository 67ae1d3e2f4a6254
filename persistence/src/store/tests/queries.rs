//! Lists, pages, filters, candles, migrations.

use xng_core::spot::facts::SpotFact;
use xng_core::{
    entity::TimeNs,
    ids::{MarketId, TradeId},
    money::ONE,
    record::{Fact, LogType, Record},
    spot::facts::OrderList,
    spot::{MarketState, OrderKind, OrderStatus, Side, StateReason},
};

use super::{
    exchange::{BTC, MARKET, USDT, user},
    *,
};
use crate::migrations::{POSTGRES_STORE, SQLITE_STORE, migrations};
use crate::store::{
    Candle, FillCursor, FillsOfOrders, Filter as _, ListFilter, MarketOrders, StoreError, StoredFill, StoredOrder,
};

on_both_dialects! {
    pages_of_orders_neither_overlap_nor_skip_in_either_direction,
    a_page_goes_on_where_it_stopped_while_orders_are_added,
    filters_of_orders_let_through_what_they_say,
    lists_are_there_as_they_were_taken_and_by_page,
    fills_are_listed_by_account_by_order_and_by_page,
    orders_of_a_market_and_fills_of_orders_are_those_of_all_accounts,
    the_columns_for_sql_readers_say_what_the_engine_says,
    ledger_rows_say_value_before_and_after_and_can_be_filtered,
    the_house_leaves_fills_and_ledger_rows_and_no_orders,
    assets_and_markets_are_there_with_their_state,
    candles_are_replaced_loaded_in_order_and_come_with_their_watermark,
    an_empty_file_is_migrated_once_and_a_newer_one_is_refused,
    who_only_reads_changes_nothing_and_takes_this_builds_schema_or_none,
}

fn played(dialect: Dialect, seed: u64) -> (Rig, Exchange) {
    let mut exchange = Exchange::new(seed, 3);
    exchange.play(400, 3);
    let rig = Rig::new(dialect);
    rig.project(&exchange);
    (rig, exchange)
}

fn pages_of_orders_neither_overlap_nor_skip_in_either_direction(dialect: Dialect) {
    let (rig, _) = played(dialect, 11);
    let filter = OrderFilter::of(user(0));
    let page = |slice, limit| orders_of(&rig, &filter, slice, limit);
    let all = page(Slice::Oldest, 1_000);
    assert!(all.len() > 30);
    assert_eq!(rig.wait(rig.store.count(&filter)).expect("counts"), all.len() as u64);
    let mut forward: Vec<Order> = page(Slice::Oldest, 7);
    while let Some(last) = forward.last() {
        let next = page(Slice::After(OrderCursor::from(last)), 7);
        if next.is_empty() {
            break;
        }
        forward.extend(next);
    }
    assert_eq!(forward, all);
    let mut backward = page(Slice::Newest, 7);
    while let Some(last) = backward.last() {
        let next = page(Slice::Before(OrderCursor::from(last)), 7);
        if next.is_empty() {
            break;
        }
        backward.extend(next);
    }
    backward.reverse();
    assert_eq!(backward, all);
    let skipped = page(Slice::Skip(3), 2);
    assert_eq!(skipped, [all[all.len() - 4], all[all.len() - 5]]);
}

fn a_page_goes_on_where_it_stopped_while_orders_are_added(dialect: Dialect) {
    let mut exchange = Exchange::new(12, 1);
    let journal = Journaled::new();
    let mut started = journal.start();
    let rig = Rig::new(dialect);
    let (persister, _) = rig.persister(&started, 1, quick());
    let mut advance = |exchange: &mut Exchange| {
        exchange.play(60, 1);
        journal.append(&mut started, exchange);
        assert!(persister.handle().wait_for(Lsn(exchange.records.len() as u64), SOON));
    };
    advance(&mut exchange);
    let filter = OrderFilter::of(user(0));
    let page = |slice| orders_of(&rig, &filter, slice, 5);
    let first = page(Slice::Newest);
    let expected = page(Slice::Before(OrderCursor::from(&first[4])));
    advance(&mut exchange);
    let second = page(Slice::Before(OrderCursor::from(&first[4])));
    let ids = |orders: &[Order]| orders.iter().map(|o| o.order).collect::<Vec<_>>();
    assert_eq!(ids(&second), ids(&expected));
}

fn filters_of_orders_let_through_what_they_say(dialect: Dialect) {
    let (rig, _) = played(dialect, 13);
    let all = OrderFilter::of(user(1));
    let read = |filter: &OrderFilter| orders_of(&rig, filter, Slice::Oldest, 1_000);
    let orders = read(&all);
    let middle = orders[orders.len() / 2].created;
    type Test = fn(&Order, u64) -> bool;
    let cases: [(OrderFilter, Test); 10] = [
        (OrderFilter { side: Some(Side::Buy), ..all.clone() }, |o, _| o.side == Side::Buy),
        (OrderFilter { kind: Some(OrderKind::Market), ..all.clone() }, |o, _| o.kind == OrderKind::Market),
        (OrderFilter { statuses: vec![OrderStatus::Filled, OrderStatus::Canceled], ..all.clone() }, |o, _| {
            matches!(o.status, OrderStatus::Filled | OrderStatus::Canceled)
        }),
        (OrderFilter { complete: Some(true), ..all.clone() }, |o, _| o.is_complete()),
        (OrderFilter { complete: Some(false), ..all.clone() }, |o, _| !o.is_complete()),
        (OrderFilter { since: Some(middle), ..all.clone() }, |o, middle| o.created >= middle),
        (OrderFilter { until: Some(middle), ..all.clone() }, |o, middle| o.created < middle),
        (OrderFilter { market: Some(MARKET), base: Some(BTC), quote: Some(USDT), ..all.clone() }, |_, _| true),
        (OrderFilter { market: Some(MarketId(9)), ..all.clone() }, |_, _| false),
        (OrderFilter { base: Some(USDT), ..all.clone() }, |_, _| false),
    ];
    for (filter, test) in cases {
        let expected: Vec<Order> = orders.iter().copied().filter(|o| test(o, middle)).collect();
        assert_eq!(read(&filter), expected, "{filter:?}");
        assert_eq!(rig.wait(rig.store.count(&filter)).expect("counts"), expected.len() as u64);
        let remembered: Vec<Order> = orders.iter().copied().filter(|o| filter.lets_through(o)).collect();
        assert_eq!(remembered, expected, "memory and store are filtered alike: {filter:?}");
    }
    let named = orders.iter().rev().find(|o| o.client_id.is_some());
    let filters = [
        OrderFilter { from: Some(orders[orders.len() / 2].order), ..all.clone() },
        OrderFilter { name: named.and_then(|o| o.client_id), ..all.clone() },
        OrderFilter { name: xng_core::ids::ClientOrderId::parse("nobodys-name"), ..all.clone() },
    ];
    for filter in filters {
        let expected: Vec<Order> = orders.iter().copied().filter(|o| filter.lets_through(o)).collect();
        assert_eq!(read(&filter), expected, "{filter:?}");
    }
    let one = orders[0];
    let stored = rig.wait(rig.store.find::<StoredOrder>(one.order)).expect("reads").expect("there");
    assert_eq!((stored.account, stored.order), (user(1), one));
    assert_eq!(rig.wait(rig.store.find::<StoredOrder>(xng_core::ids::OrderId(3))).expect("reads"), None);
}

fn lists_are_there_as_they_were_taken_and_by_page(dialect: Dialect) {
    let (rig, exchange) = played(dialect, 17);
    let who = user(0);
    let taken = |record: &Record| match &record.fact {
        Fact::Spot(SpotFact::OrdersChanged(changed)) if changed.account == who => {
            changed.list.clone().map(|list| (list, record.time))
        }
        _ => None,
    };
    let taken: Vec<(OrderList, TimeNs)> = exchange.records.iter().filter_map(taken).collect();
    assert!(taken.len() > 2 && taken.iter().any(|(list, _)| list.client_id.is_some()), "{taken:?}");
    let page = |slice, limit| rig.wait(rig.store.page(&ListFilter { account: who }, slice, limit)).expect("reads");
    let found: Vec<(OrderList, TimeNs)> =
        page(Slice::Oldest, 1_000).into_iter().map(|row| (row.list, row.created)).collect();
    assert_eq!(found, taken);
    let newest: Vec<OrderList> = page(Slice::Newest, 2).into_iter().map(|row| row.list).collect();
    assert_eq!(newest, [taken[taken.len() - 1].0.clone(), taken[taken.len() - 2].0.clone()]);
    assert!(rig.wait(rig.store.page(&ListFilter { account: user(9) }, Slice::Newest, 10)).expect("reads").is_empty());
}

fn fills_are_listed_by_account_by_order_and_by_page(dialect: Dialect) {
    let (rig, _) = played(dialect, 14);
    let all = FillFilter::of(user(2));
    let read = |filter: &FillFilter, slice, limit| rig.wait(rig.store.page(filter, slice, limit)).expect("reads");
    let fills = read(&all, Slice::Oldest, 1_000);
    assert!(fills.len() > 10);
    assert_eq!(rig.wait(rig.store.count(&all)).expect("counts"), fills.len() as u64);
    let mut paged = Vec::new();
    let mut slice: Slice<FillCursor> = Slice::Newest;
    loop {
        let page = read(&all, slice, 3);
        let Some(last) = page.last() else { break };
        slice = Slice::Before(FillFilter::cursor(last));
        paged.extend(page);
    }
    paged.reverse();
    assert_eq!(paged, fills);
    let order = fills[0].fill.order;
    let of_order = FillFilter { order: Some(order), ..all.clone() };
    let expected: Vec<_> = fills.iter().copied().filter(|f| f.fill.order == order).collect();
    assert_eq!(read(&of_order, Slice::Oldest, 1_000), expected);
    let later = FillFilter { from: Some(fills[fills.len() / 2].fill.trade), ..all.clone() };
    let expected: Vec<_> = fills.iter().copied().filter(|f| later.lets_through(&f.fill)).collect();
    assert!(expected.len() < fills.len());
    assert_eq!(read(&later, Slice::Oldest, 1_000), expected);
    let foreign = FillFilter { order: Some(order), ..FillFilter::of(user(1)) };
    assert!(read(&foreign, Slice::Oldest, 1_000).is_empty(), "an order of somebody else shows nothing");
}

fn orders_of_a_market_and_fills_of_orders_are_those_of_all_accounts(dialect: Dialect) {
    let (rig, _) = played(dialect, 16);
    let mut orders: Vec<StoredOrder> = Vec::new();
    let mut fills: Vec<StoredFill> = Vec::new();
    for who in 0..3 {
        let own = OrderFilter::of(user(who));
        orders.extend(rig.wait(rig.store.page(&own, Slice::Oldest, 1_000)).expect("reads"));
        fills.extend(rig.wait(rig.store.page(&FillFilter::of(user(who)), Slice::Oldest, 1_000)).expect("reads"));
    }
    orders.sort_by_key(|row| (row.order.created, row.order.order));
    fills.sort_by_key(|row| (row.fill.time, row.fill.trade, row.fill.maker));
    let since = orders[orders.len() / 3].order.created;
    let filter = MarketOrders { market: MARKET, since };
    let expected: Vec<StoredOrder> = orders.iter().copied().filter(|row| row.order.created >= since).collect();
    assert!(expected.len() > 20 && expected.len() < orders.len());
    let mut found = rig.wait(rig.store.page(&filter, Slice::Newest, 15)).expect("reads");
    let before = MarketOrders::cursor(&found[14]);
    found.extend(rig.wait(rig.store.page(&filter, Slice::Before(before), 1_000)).expect("reads"));
    found.reverse();
    assert_eq!(found, expected);
    let elsewhere = MarketOrders { market: MarketId(MARKET.0 + 1), since: 0 };
    assert!(rig.wait(rig.store.page(&elsewhere, Slice::Newest, 10)).expect("reads").is_empty());

    let some: Vec<_> = orders.iter().map(|row| row.order.order).step_by(2).collect();
    let expected: Vec<StoredFill> = fills.into_iter().filter(|row| some.contains(&row.fill.order)).collect();
    assert!(expected.len() > 5);
    let found = rig.wait(rig.store.page(&FillsOfOrders { orders: some }, Slice::Oldest, 1_000)).expect("reads");
    assert_eq!(found, expected);
}

fn the_columns_for_sql_readers_say_what_the_engine_says(dialect: Dialect) {
    let (rig, _) = played(dialect, 15);
    let fills = rig.wait(rig.store.page(&FillFilter::of(user(0)), Slice::Oldest, 1_000)).expect("reads");
    for stored in fills {
        let fill = stored.fill;
        let rows = rig.execute(&format!(
            "SELECT price_whole * 100000000 + price_frac, amount_whole * 100000000 + amount_frac,
                    total_whole * 100000000 + total_frac, fee_asset
             FROM fills WHERE trade = {} AND maker = {}",
            fill.trade.0,
            u8::from(fill.maker)
        ));
        let [price, amount, total, fee_asset] = rows[0][..] else { panic!("{rows:?}") };
        assert_eq!(i128::from(price), i128::from(fill.ticks.0) * ONE / 100, "a tick is 0.01");
        assert_eq!(i128::from(amount), i128::from(fill.lots.0) * ONE / 10_000, "a lot is 0.0001");
        assert_eq!(i128::from(total) * ONE, i128::from(price) * i128::from(amount));
        let received = if fill.side == Side::Buy { BTC } else { USDT };
        assert_eq!(fee_asset, i64::from(received.0));
    }
}

fn ledger_rows_say_value_before_and_after_and_can_be_filtered(dialect: Dialect) {
    let (rig, _) = played(dialect, 16);
    let all = LedgerFilter::of(user(0));
    let rows = ledger_of(&rig, user(0));
    for row in &rows {
        assert_eq!(row.after(), row.before() + row.value());
        assert!(!row.value().is_zero() || row.log == LogType::SPOT_TRADE, "{row:?}");
    }
    let opening = rows.iter().find(|r| r.asset == USDT).expect("funded");
    assert_eq!((opening.before(), opening.after()), (Amount::ZERO, Amount::whole(1_000_000)));
    let freeze = rows.iter().find(|r| r.log == LogType::SPOT_FREEZE).expect("orders rest");
    assert_eq!(freeze.value(), freeze.available);
    let transfers = [LogType(9), LogType(10), LogType(11), LogType(12)];
    let ordered = [LogType::SPOT_FREEZE, LogType::SPOT_TRADE];
    let filters = [
        LedgerFilter { wallets: vec![Wallet::Funding], ..all.clone() },
        LedgerFilter { asset: Some(BTC), ..all.clone() },
        LedgerFilter { logs: transfers.to_vec(), ..all.clone() },
        LedgerFilter { except: ordered.to_vec(), ..all.clone() },
    ];
    let expected: [Vec<LedgerRow>; 4] = [
        rows.iter().copied().filter(|r| r.wallet == Wallet::Funding).collect(),
        rows.iter().copied().filter(|r| r.asset == BTC).collect(),
        rows.iter().copied().filter(|r| transfers.contains(&r.log)).collect(),
        rows.iter().copied().filter(|r| !ordered.contains(&r.log)).collect(),
    ];
    for (filter, expected) in filters.iter().zip(expected) {
        assert!(!expected.is_empty());
        let found = rig.wait(rig.store.page(filter, Slice::Oldest, 1_000)).expect("reads");
        assert_eq!(found, expected);
        assert_eq!(rig.wait(rig.store.count(filter)).expect("counts"), expected.len() as u64);
    }
}

fn the_house_leaves_fills_and_ledger_rows_and_no_orders(dialect: Dialect) {
    let (rig, exchange) = played(dialect, 17);
    let orders = orders_of(&rig, &OrderFilter::of(AccountId::HOUSE), Slice::Oldest, 10);
    assert!(orders.is_empty());
    let rows = ledger_of(&rig, AccountId::HOUSE);
    assert!(rows.iter().filter(|r| r.log == LogType::SPOT_FREEZE).count() > 10, "quotes lock and free");
    let fills = rig.wait(rig.store.count(&FillFilter::of(AccountId::HOUSE))).expect("counts");
    let trades: usize = exchange
        .records
        .iter()
        .map(|r| match &r.fact {
            xng_core::record::Fact::Spot(SpotFact::OrderPlaced(f)) => f.trades.iter().filter(|t| t.maker_quote).count(),
            xng_core::record::Fact::Spot(SpotFact::OrdersChanged(f)) => {
                f.placed.iter().flat_map(|placed| &placed.trades).filter(|t| t.maker_quote).count()
            }
            xng_core::record::Fact::Spot(SpotFact::QuotesSet(f)) => f.trades.len(),
            _ => 0,
        })
        .sum();
    assert!(trades > 10);
    assert_eq!(fills, trades as u64);
}

fn assets_and_markets_are_there_with_their_state(dialect: Dialect) {
    let (rig, mut exchange) = played(dialect, 18);
    let assets = rig.wait(rig.store.assets()).expect("reads");
    assert_eq!(assets.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["BTC", "USDT"]);
    assert_eq!(assets[0].wallets, [Wallet::Funding, Wallet::Spot]);
    exchange.halt();
    let halted = Rig::new(dialect);
    halted.project(&exchange);
    let markets = halted.wait(halted.store.markets()).expect("reads");
    assert_eq!(markets.len(), 1);
    assert_eq!(markets[0].params.symbol, "BTCUSDT");
    assert_eq!(markets[0].state, Some((MarketState::Halt, StateReason::Operator)));
}

fn candle(open_ms: u64, close: i64) -> Candle {
    let price = Amount::whole(close);
    Candle {
        market: MARKET,
        period: 60,
        open_ms,
        open: price,
        high: price,
        low: price,
        close: price,
        volume: Amount(1),
        total: Amount(-3),
        taker_buy: Amount::ZERO,
        taker_total: Amount::whole(10_000_000_000_000),
        trades: 4,
        first_trade: TradeId(1_025),
        last_trade: TradeId(5_121),
    }
}

fn candles_are_replaced_loaded_in_order_and_come_with_their_watermark(dialect: Dialect) {
    let rig = Rig::new(dialect);
    let load = |from, to, limit| rig.wait(rig.store.candles(MARKET, 60, from, to, limit)).expect("reads");
    assert_eq!(rig.wait(rig.store.candle_watermark(CELL)).expect("reads"), None);
    let candles: Vec<Candle> = (0..700).map(|n| candle(n * 60_000, n as i64)).collect();
    let put = |rows: &[Candle], was, mark| rig.wait(rig.store.put_candles(rows, CELL, was, mark)).expect("answers");
    assert!(!put(&candles, Some(Lsn(5)), Lsn(77)), "there is no watermark");
    assert!(load(0, u64::MAX, 1).is_empty(), "nothing is written onto another watermark");
    assert!(put(&candles, None, Lsn(77)));
    assert!(put(&[candle(60_000, 5_000)], Some(Lsn(77)), Lsn(78)));
    for was in [None, Some(Lsn(77)), Some(Lsn(79))] {
        assert!(!put(&[candle(60_000, 9_000)], was, Lsn(80)), "{was:?}");
    }
    assert_eq!(rig.wait(rig.store.candle_watermark(CELL)).expect("reads"), Some(Lsn(78)));
    assert_eq!(load(0, 120_000, 10), [candle(0, 0), candle(60_000, 5_000)]);
    assert_eq!(load(0, u64::MAX, 3), candles[697..]);
    assert!(load(60_000_000, u64::MAX, 10).is_empty());
    assert_eq!(rig.wait(rig.store.prune_candles(60, 690 * 60_000)).expect("removes"), 690);
    assert_eq!(load(0, u64::MAX, 1_000), candles[690..]);
}

/// What releases have brought: a changed step would be refused by every store that has it.
const RELEASED: [[&str; 2]; 7] = [
    ["1 projection [19, 6d, b6, 42]", "1 projection [00, 7d, 1d, a2]"],
    ["2 candles [b2, 8e, 03, f8]", "2 candles [6f, f9, 9d, 79]"],
    ["3 ledger id [b6, 7b, 2b, 82]", "3 ledger id [22, 23, 63, f7]"],
    ["4 arranged orders [0f, 5b, 70, a3]", "4 arranged orders [fa, 20, 74, f4]"],
    ["5 prevented matches [0b, d2, 7e, ed]", "5 prevented matches [4c, 01, 60, 8c]"],
    ["6 amendments [cd, 22, 5c, 89]", "6 amendments [24, 0b, 49, 71]"],
    ["7 pending orders [ca, 12, d7, d8]", "7 pending orders [26, 65, 85, a3]"],
];

#[test]
fn steps_that_were_released_are_what_they_were() {
    for (steps, column) in [(SQLITE_STORE, 0), (POSTGRES_STORE, 1)] {
        let found: Vec<String> = migrations(steps)
            .iter()
            .map(|step| format!("{} {} {:02x?}", step.version, step.description, &step.checksum[..4]))
            .collect();
        assert_eq!(found[..RELEASED.len()], RELEASED.map(|step| step[column]));
    }
}

fn an_empty_file_is_migrated_once_and_a_newer_one_is_refused(dialect: Dialect) {
    let rig = Rig::new(dialect);
    let versions = |rig: &Rig| rig.execute("SELECT version FROM _sqlx_migrations ORDER BY 1").concat();
    rig.wait(rig.store.markets()).expect("reads");
    let newest = SQLITE_STORE.len() as i64;
    let all: Vec<i64> = (1..=newest).collect();
    assert_eq!(versions(&rig), all);
    rig.wait(rig.store.close());
    let again = || rig.wait(async { SqlStore::open(&rig.home.url()).await?.markets().await });
    again().expect("opens again");
    assert_eq!(versions(&rig), all);
    rig.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         SELECT 99, 'from the future', TRUE, checksum, 0 FROM _sqlx_migrations WHERE version = 1",
    );
    let error = again().expect_err("a newer release wrote it");
    assert!(matches!(error, StoreError::Migration(_)), "{error}");
    let known = format!("has schema 99, this build knows up to {newest}");
    assert!(error.to_string().contains(&known), "{error}");
}

/// All files of a SQLite home and the sums of their bytes; a server's are its own business.
fn files(rig: &Rig) -> Vec<(std::ffi::OsString, u32)> {
    let Home::File(folder) = &rig.home else { return Vec::new() };
    let names = std::fs::read_dir(folder.path()).expect("lists").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    let sum = |name: &std::ffi::OsString| crc32c::crc32c(&std::fs::read(folder.path().join(name)).expect("reads"));
    names.iter().map(|name| (name.clone(), sum(name))).collect()
}

fn who_only_reads_changes_nothing_and_takes_this_builds_schema_or_none(dialect: Dialect) {
    let rig = Rig::new(dialect);
    rig.wait(rig.store.close());
    if let Home::File(folder) = &rig.home {
        std::fs::remove_file(folder.path().join("store.db")).expect("was made");
    }
    let open = || rig.wait(SqlStore::open_to_read(&rig.home.url()));
    let before = files(&rig);
    assert!(open().expect("looks").is_none(), "there is none");
    assert_eq!(files(&rig), before, "and none was made");
    if let Home::File(folder) = &rig.home {
        std::fs::write(folder.path().join("store.db"), []).expect("an empty file");
        let before = files(&rig);
        assert!(open().expect("looks").is_none(), "nothing is in it");
        assert_eq!(files(&rig), before);
    }

    let mut exchange = Exchange::new(21, 3);
    exchange.play(50, 3);
    let written = rig.wait(SqlStore::open(&rig.home.url())).expect("opens");
    let rig = Rig { store: Arc::new(written), ..rig };
    rig.project(&exchange);
    rig.wait(rig.store.close());
    let before = files(&rig);
    let reader = rig.wait(SqlStore::open_to_read(&rig.home.url())).expect("looks").expect("is there");
    let at = rig.wait(reader.checkpoint(CELL)).expect("reads").expect("rows");
    assert_eq!(at.lsn, Lsn(exchange.records.len() as u64));
    let sums = rig.wait(reader.checksum()).expect("reads");
    assert!(sums.iter().any(|sum| sum.rows > 50), "{sums:?}");
    let refused = rig.wait(reader.put_candles(&[candle(0, 1)], CELL, None, Lsn(1))).expect_err("it only reads");
    assert!(refused.to_string().contains("read"), "{refused}");
    rig.wait(reader.close());
    assert_eq!(files(&rig), before);

    let newest = SQLITE_STORE.len();
    let (older, newer) = (newest - 1, newest + 2);
    for (change, versions) in [
        (
            format!("DELETE FROM _sqlx_migrations WHERE version = {newest}"),
            format!("has schema {older}, this build reads {newest}"),
        ),
        (
            format!("UPDATE _sqlx_migrations SET version = {newer} WHERE version = 2"),
            format!("has schema {newer}, this build knows up to {newest}"),
        ),
    ] {
        rig.execute(&change);
        let applied = || rig.execute("SELECT version FROM _sqlx_migrations ORDER BY 1");
        let before = applied();
        let error = rig.wait(SqlStore::open_to_read(&rig.home.url())).expect_err("another schema").to_string();
        assert!(error.contains(&versions), "{error}");
        assert_eq!(applied(), before);
    }
}
