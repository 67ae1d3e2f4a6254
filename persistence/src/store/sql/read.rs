//! Queries: lists by keyset, single rows, counts.
//!
//! Owns: SQL of the read side. Never does: write.
//! Invariants: a list is ordered by time and id, so pages neither overlap nor skip while rows are added.
//! Known limits: filters beyond account (and asset, for the ledger) are checked row by row.

use xng_core::{
    account::{Balance, Fill, Order},
    codec::{Reader, Wire},
    entity::TimeNs,
    ids::{AccountId, AssetId, MarketId, OrderId, PreventedId, TradeId, Wallet},
    journal::Lsn,
    money::{Amount, Lots, Ticks},
    record::LogType,
    registry::AssetListed,
    spot::{
        EndReason, ListKind, MarketParams, MarketState, OrderKind, OrderStatus, Side, StateReason, Stp, Tif, Trigger,
        TriggerKind,
        facts::{OrderList, Units},
        prevention::PreventedMatch,
    },
};

use super::{
    dialect::Database,
    fields::{Fields, Row},
    statement::Statement,
    wallet_names::parse_stored_name,
};
use crate::store::{
    BalanceKey, FillCursor, FillFilter, LedgerFilter, LedgerRow, OrderCursor, OrderFilter, PreventedFilter, Slice,
    StoreError, StoredAmendment, StoredFill, StoredList, StoredMarket, StoredOrder, StoredPrevented,
};

/// Rows of one list at most.
const MOST_ROWS: u32 = 1_000;

pub(super) async fn balances_of(database: &Database, account: AccountId) -> Result<Vec<Balance>, StoreError> {
    let query = Statement::new("SELECT * FROM balances WHERE account = ? ORDER BY wallet, asset");
    let rows = database.read("read balances", query.with(account.0.cast_signed())).await?;
    rows.iter().map(|row| balance_fields(row).map(|(_, balance)| balance)).collect()
}

pub(super) async fn order(database: &Database, id: OrderId) -> Result<Option<StoredOrder>, StoreError> {
    let query = Statement::new("SELECT * FROM orders WHERE order_id = ?").with(id.0.cast_signed());
    let rows = database.read("read an order", query).await?;
    rows.first().map(order_fields).transpose()
}

pub(super) async fn orders(
    database: &Database,
    filter: &OrderFilter,
    slice: Slice<OrderCursor>,
    limit: u32,
) -> Result<Vec<Order>, StoreError> {
    let mut query = Statement::new("SELECT * FROM orders");
    filter_orders(&mut query, filter);
    take(&mut query, &["created_ns", "order_id"], slice, limit, |c| vec![c.created, c.order.0]);
    let rows = database.read("read orders", query).await?;
    rows.iter().map(|row| order_fields(row).map(|stored| stored.order)).collect()
}

pub(super) async fn count_orders(database: &Database, filter: &OrderFilter) -> Result<u64, StoreError> {
    let mut query = Statement::new("SELECT count(*) FROM orders");
    filter_orders(&mut query, filter);
    count(database, query).await
}

/// An account's lists of orders.
pub(super) async fn lists(
    database: &Database,
    account: AccountId,
    slice: Slice<OrderCursor>,
    limit: u32,
) -> Result<Vec<StoredList>, StoreError> {
    let mut query = Statement::new("SELECT * FROM order_lists WHERE account = ");
    query.bind(account.0.cast_signed());
    take(&mut query, &["created_ns", "list_id"], slice, limit, |c| vec![c.created, c.order.0]);
    let rows = database.read("read lists", query).await?;
    rows.iter().map(list_fields).collect()
}

pub(super) async fn fills(
    database: &Database,
    filter: &FillFilter,
    slice: Slice<FillCursor>,
    limit: u32,
) -> Result<Vec<StoredFill>, StoreError> {
    let mut query = Statement::new("SELECT * FROM fills");
    filter_fills(&mut query, filter);
    let key = |c: FillCursor| vec![c.time, c.trade.0, u64::from(c.maker)];
    take(&mut query, &["time_ns", "trade", "maker"], slice, limit, key);
    let rows = database.read("read fills", query).await?;
    rows.iter().map(fill_fields).collect()
}

pub(super) async fn amendments(
    database: &Database,
    order: OrderId,
    since: TimeNs,
    limit: u32,
) -> Result<Vec<StoredAmendment>, StoreError> {
    let mut query = Statement::new("SELECT * FROM amendments WHERE order_id = ");
    query.bind(order.0.cast_signed());
    from(&mut query, "time_ns", Some(since));
    take(&mut query, &["time_ns"], Slice::<u64>::Oldest, limit, |time| vec![time]);
    let rows = database.read("read amendments", query).await?;
    rows.iter().map(amendment_fields).collect()
}

pub(super) async fn prevented(
    database: &Database,
    filter: &PreventedFilter,
    limit: u32,
) -> Result<Vec<StoredPrevented>, StoreError> {
    let mut query = Statement::new("SELECT * FROM prevented_matches WHERE account = ");
    query.bind(filter.account.0.cast_signed());
    only(&mut query, "market", Some(i64::from(filter.market.0)));
    only(&mut query, "prevented", filter.id.map(|id| id.0.cast_signed()));
    from(&mut query, "prevented", filter.from.map(|id| id.0));
    if let Some(order) = filter.order.map(|order| order.0.cast_signed()) {
        query.push(" AND (taker = ").bind(order).push(" OR maker = ").bind(order).push(")");
    }
    take(&mut query, &["prevented"], Slice::<u64>::Oldest, limit, |id| vec![id]);
    let rows = database.read("read prevented matches", query).await?;
    rows.iter().map(prevented_fields).collect()
}

pub(super) async fn count_fills(database: &Database, filter: &FillFilter) -> Result<u64, StoreError> {
    let mut query = Statement::new("SELECT count(*) FROM fills");
    filter_fills(&mut query, filter);
    count(database, query).await
}

pub(super) async fn ledger(
    database: &Database,
    filter: &LedgerFilter,
    slice: Slice<u64>,
    limit: u32,
) -> Result<Vec<LedgerRow>, StoreError> {
    let mut query = Statement::new("SELECT * FROM ledger");
    filter_ledger(&mut query, filter);
    take(&mut query, &["id"], slice, limit, |id| vec![id]);
    let rows = database.read("read the ledger", query).await?;
    rows.iter().map(ledger_fields).collect()
}

pub(super) async fn count_ledger(database: &Database, filter: &LedgerFilter) -> Result<u64, StoreError> {
    let mut query = Statement::new("SELECT count(*) FROM ledger");
    filter_ledger(&mut query, filter);
    count(database, query).await
}

pub(super) async fn markets(database: &Database) -> Result<Vec<StoredMarket>, StoreError> {
    let query = Statement::new("SELECT * FROM markets ORDER BY market");
    let rows = database.read("read markets", query).await?;
    rows.iter().map(market_fields).collect()
}

pub(super) async fn assets(database: &Database) -> Result<Vec<AssetListed>, StoreError> {
    let query = Statement::new("SELECT * FROM assets ORDER BY asset");
    let rows = database.read("read assets", query).await?;
    rows.iter().map(asset_fields).collect()
}

fn filter_orders(query: &mut Statement, filter: &OrderFilter) {
    query.push(" WHERE account = ").bind(filter.account.0.cast_signed());
    only(query, "market", filter.market.map(|m| i64::from(m.0)));
    only(query, "base", filter.base.map(|a| i64::from(a.0)));
    only(query, "quote", filter.quote.map(|a| i64::from(a.0)));
    only(query, "side", filter.side.map(|s| s as i64));
    only(query, "kind", filter.kind.map(|k| k as i64));
    among(query, "status", filter.statuses.iter().map(|s| *s as i64));
    among(query, "order_id", filter.ids.iter().map(|id| id.0.cast_signed()));
    only_complete(query, filter.complete);
    between(query, "created_ns", filter.since, filter.until);
    from(query, "order_id", filter.from.map(|order| order.0));
    if let Some(name) = filter.name {
        query.push(" AND client_id = ").bind_text(name.as_str());
    }
}

/// `Order::is_complete` in SQL.
fn only_complete(query: &mut Statement, complete: Option<bool>) {
    let Some(complete) = complete else { return };
    query.push(if complete { " AND (" } else { " AND NOT (" });
    query.push("status = ").bind(OrderStatus::Filled as i64);
    query.push(" OR (kind = ").bind(OrderKind::Market as i64).push(" AND filled_lots > 0");
    let ended = [OrderStatus::Expired, OrderStatus::ExpiredInMatch];
    among(query, "status", ended.iter().map(|s| *s as i64));
    query.push("))");
}

fn filter_fills(query: &mut Statement, filter: &FillFilter) {
    query.push(" WHERE account = ").bind(filter.account.0.cast_signed());
    only(query, "market", filter.market.map(|m| i64::from(m.0)));
    only(query, "order_id", filter.order.map(|o| o.0.cast_signed()));
    between(query, "time_ns", filter.since, filter.until);
    from(query, "trade", filter.from.map(|trade| trade.0));
}

fn filter_ledger(query: &mut Statement, filter: &LedgerFilter) {
    query.push(" WHERE account = ").bind(filter.account.0.cast_signed());
    only(query, "wallet", filter.wallet.map(|w| w as i64));
    only(query, "asset", filter.asset.map(|a| i64::from(a.0)));
    among(query, "log", filter.logs.iter().map(|log| i64::from(log.0)));
    for log in &filter.except {
        query.push(" AND log <> ").bind(i64::from(log.0));
    }
}

fn only(query: &mut Statement, column: &'static str, value: Option<i64>) {
    if let Some(value) = value {
        query.push(" AND ").push(column).push(" = ").bind(value);
    }
}

fn among(query: &mut Statement, column: &'static str, values: impl ExactSizeIterator<Item = i64>) {
    if values.len() == 0 {
        return;
    }
    query.push(" AND ").push(column).push(" IN (");
    query.list(values).push(")");
}

fn between(query: &mut Statement, column: &'static str, since: Option<TimeNs>, until: Option<TimeNs>) {
    if let Some(since) = since {
        query.push(" AND ").push(column).push(" >= ").bind(since.cast_signed());
    }
    if let Some(until) = until {
        query.push(" AND ").push(column).push(" < ").bind(until.cast_signed());
    }
}

fn from(query: &mut Statement, column: &'static str, id: Option<u64>) {
    if let Some(id) = id {
        query.push(" AND ").push(column).push(" >= ").bind(id.cast_signed());
    }
}

/// Adds the slice: where to begin, in which direction, how much. `key` gives a cursor's value for each column.
fn take<C>(query: &mut Statement, columns: &[&'static str], slice: Slice<C>, limit: u32, key: impl Fn(C) -> Vec<u64>) {
    let (cursor, direction, skip) = match slice {
        Slice::Newest => (None, " DESC", 0),
        Slice::Oldest => (None, " ASC", 0),
        Slice::Before(cursor) => (Some((cursor, " < ")), " DESC", 0),
        Slice::After(cursor) => (Some((cursor, " > ")), " ASC", 0),
        Slice::Skip(skip) => (None, " DESC", skip),
    };
    if let Some((cursor, comparison)) = cursor {
        query.push(" AND (").push(&columns.join(", ")).push(")").push(comparison).push("(");
        query.list(key(cursor).into_iter().map(u64::cast_signed)).push(")");
    }
    let order: Vec<String> = columns.iter().map(|column| format!("{column}{direction}")).collect();
    query.push(" ORDER BY ").push(&order.join(", "));
    query.push(" LIMIT ").bind(i64::from(limit.min(MOST_ROWS)));
    query.push(" OFFSET ").bind(i64::try_from(skip).unwrap_or(i64::MAX));
}

async fn count(database: &Database, query: Statement) -> Result<u64, StoreError> {
    let rows = database.read("count rows", query).await?;
    rows.first().map_or(Ok(0), |row| row.first().map(i64::cast_unsigned))
}

pub(super) fn balance_fields(row: &Row) -> Result<(BalanceKey, Balance), StoreError> {
    let f = Fields { row, table: "balances" };
    let wallet = f.variant("wallet", Wallet::ALL, |w| w as u8)?;
    let asset = AssetId(f.small("asset")?);
    let available = f.amount("available_whole", "available_frac")?;
    let locked = f.amount("locked_whole", "locked_frac")?;
    Ok(((AccountId(f.id("account")?), wallet, asset), Balance { wallet, asset, available, locked }))
}

fn units_fields(f: &Fields<'_>) -> Result<Units, StoreError> {
    Ok(Units {
        market: MarketId(f.small("market")?),
        base: AssetId(f.small("base")?),
        quote: AssetId(f.small("quote")?),
        lot_units: f.int("lot_units")?,
        tick_lot_units: f.int("tick_lot_units")?,
    })
}

pub(super) fn order_fields(row: &Row) -> Result<StoredOrder, StoreError> {
    let f = Fields { row, table: "orders" };
    let client_id = f.client_id("client_id")?;
    let created = f.id("created_ns")?;
    let trigger = match f.maybe_int("trigger_kind")? {
        None => None,
        Some(_) => Some(Trigger {
            kind: f.variant("trigger_kind", TriggerKind::ALL, |v| v as u8)?,
            ticks: Ticks(f.int("trigger_ticks")?),
            trail_bips: f.small("trail_bips")?,
        }),
    };
    let locked = match f.maybe_int("waiting_lock_whole")? {
        None => Amount::ZERO,
        Some(_) => f.amount("waiting_lock_whole", "waiting_lock_frac")?,
    };
    let order = Order {
        order: OrderId(f.id("order_id")?),
        units: units_fields(&f)?,
        side: f.variant("side", Side::ALL, |v| v as u8)?,
        kind: f.variant("kind", OrderKind::ALL, |v| v as u8)?,
        tif: f.variant("tif", Tif::ALL, |v| v as u8)?,
        ticks: Ticks(f.int("ticks")?),
        lots: Lots(f.int("lots")?),
        budget: f.amount("budget_whole", "budget_frac")?,
        open: Lots(f.int("open_lots")?),
        filled: Lots(f.int("filled_lots")?),
        spent: f.amount("spent_whole", "spent_frac")?,
        fee: f.amount("fee_whole", "fee_frac")?,
        status: f.variant("status", OrderStatus::ALL, |v| v as u8)?,
        reason: f.variant("reason", EndReason::ALL, |v| v as u8)?,
        client_id,
        created,
        updated: f.id("updated_ns")?,
        stp: f.variant("stp", Stp::ALL, |v| v as u8)?,
        iceberg: Lots(f.maybe_int("iceberg_lots")?.unwrap_or_default()),
        trigger,
        locked,
        list: OrderId(f.maybe_int("list_id")?.unwrap_or_default().cast_unsigned()),
        working: f.maybe_int("working_ns")?.map_or(created, i64::cast_unsigned),
        prevented: Lots(f.maybe_int("prevented_lots")?.unwrap_or_default()),
        prevented_by: PreventedId(f.maybe_int("prevented_by")?.unwrap_or_default().cast_unsigned()),
    };
    Ok(StoredOrder { account: AccountId(f.id("account")?), order })
}

fn list_fields(row: &Row) -> Result<StoredList, StoreError> {
    let f = Fields { row, table: "order_lists" };
    let list = OrderId(f.id("list_id")?);
    let client_id = f.client_id("client_id")?;
    let third = f.maybe_int("third")?.map(|third| OrderId(third.cast_unsigned()));
    let orders = [list, OrderId(f.id("other")?)].into_iter().chain(third).collect();
    let list = OrderList { list, kind: f.variant("kind", ListKind::ALL, |v| v as u8)?, orders, client_id };
    let (account, market) = (AccountId(f.id("account")?), MarketId(f.small("market")?));
    Ok(StoredList { account, market, list, created: f.id("created_ns")? })
}

fn fill_fields(row: &Row) -> Result<StoredFill, StoreError> {
    let f = Fields { row, table: "fills" };
    let fill = Fill {
        trade: TradeId(f.id("trade")?),
        order: OrderId(f.id("order_id")?),
        units: units_fields(&f)?,
        side: f.variant("side", Side::ALL, |v| v as u8)?,
        ticks: Ticks(f.int("ticks")?),
        lots: Lots(f.int("lots")?),
        fee: f.amount("fee_whole", "fee_frac")?,
        maker: f.int("maker")? == 1,
        time: f.id("time_ns")?,
    };
    Ok(StoredFill { account: AccountId(f.id("account")?), fill })
}

fn amendment_fields(row: &Row) -> Result<StoredAmendment, StoreError> {
    let f = Fields { row, table: "amendments" };
    Ok(StoredAmendment {
        account: AccountId(f.id("account")?),
        order: OrderId(f.id("order_id")?),
        time: f.id("time_ns")?,
        client_ids: [f.client_id("client_id_before")?, f.client_id("client_id")?],
        lots: [Lots(f.int("lots_before")?), Lots(f.int("lots")?)],
    })
}

fn prevented_fields(row: &Row) -> Result<StoredPrevented, StoreError> {
    let f = Fields { row, table: "prevented_matches" };
    let prevented = PreventedMatch {
        id: PreventedId(f.id("prevented")?),
        units: units_fields(&f)?,
        taker: OrderId(f.id("taker")?),
        maker: OrderId(f.id("maker")?),
        stp: f.variant("stp", Stp::ALL, |v| v as u8)?,
        ticks: Ticks(f.int("ticks")?),
        taker_lots: Lots(f.int("taker_lots")?),
        maker_lots: Lots(f.int("maker_lots")?),
        lots: Lots(f.int("lots")?),
        time: f.id("time_ns")?,
    };
    Ok(StoredPrevented { account: AccountId(f.id("account")?), prevented })
}

fn ledger_fields(row: &Row) -> Result<LedgerRow, StoreError> {
    let f = Fields { row, table: "ledger" };
    Ok(LedgerRow {
        id: f.id("id")?,
        account: AccountId(f.id("account")?),
        wallet: f.variant("wallet", Wallet::ALL, |w| w as u8)?,
        asset: AssetId(f.small("asset")?),
        log: LogType(f.small("log")?),
        available: f.amount("available_whole", "available_frac")?,
        locked: f.amount("locked_whole", "locked_frac")?,
        available_after: f.amount("available_after_whole", "available_after_frac")?,
        locked_after: f.amount("locked_after_whole", "locked_after_frac")?,
        reference: f.id("reference")?,
        time: f.id("time_ns")?,
        lsn: Lsn(f.id("lsn")?),
    })
}

fn market_fields(row: &Row) -> Result<StoredMarket, StoreError> {
    let f = Fields { row, table: "markets" };
    let bytes = f.bytes("params")?;
    let mut reader = Reader::new(&bytes);
    let params = MarketParams::get(&mut reader).and_then(|params| reader.finish().map(|()| params));
    let params = params.map_err(|e| f.strange("params", e.to_string()))?;
    let state = match f.maybe_int("state")? {
        None => None,
        Some(_) => Some((
            f.variant("state", MarketState::ALL, |v| v as u8)?,
            f.variant("reason", StateReason::ALL, |v| v as u8)?,
        )),
    };
    Ok(StoredMarket { params, state })
}

fn asset_fields(row: &Row) -> Result<AssetListed, StoreError> {
    let f = Fields { row, table: "assets" };
    let names = f.text("wallets")?.unwrap_or_default();
    let mut wallets = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        wallets.push(parse_stored_name(name).ok_or_else(|| f.strange("wallets", names.clone()))?);
    }
    Ok(AssetListed { asset: AssetId(f.small("asset")?), name: f.text("name")?.unwrap_or_default(), wallets })
}
