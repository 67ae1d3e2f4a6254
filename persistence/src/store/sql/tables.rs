//! The tables: their columns, their keys, and how the engine's types become rows.
//!
//! Owns: what is written by the row: inserts, upserts, COPY and checksums are made from here.
//! Never does: run SQL.
//! Invariants: the columns are those of the migrations, in both dialects (a test compares them); rows give their values in
//! the order of `columns`; a key is made of numbers.
//! Known limits: none.

use xng_core::{
    account::Balance,
    codec::Wire,
    registry::AssetListed,
    spot::{MarketParams, facts::Units},
};

use super::statement::Columns;
use super::wallet_names::stored_name;
use crate::store::{
    BalanceKey, Candle, LedgerRow, StoredAmendment, StoredFill, StoredList, StoredOrder, StoredPrevented, amount,
};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Int,
    Text,
    Bytes,
}

/// A table that is written by the row.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Its primary key.
    pub(super) key: &'static [&'static str],
    /// Columns of a row that is written, key included.
    pub(super) columns: &'static [&'static str],
    /// Those of them that a later row of the same key replaces.
    pub(super) replaced: &'static [&'static str],
    /// Columns that only other statements write.
    pub(super) others: &'static [&'static str],
}

impl Table {
    pub(super) fn kind(&self, column: &str) -> ColumnType {
        match column {
            "name" | "wallets" | "symbol" | "client_id" | "client_id_before" => ColumnType::Text,
            "params" => ColumnType::Bytes,
            _ => ColumnType::Int,
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().chain(self.others).copied()
    }

    /// `INSERT INTO …` up to the values.
    pub(super) fn insert(&self) -> String {
        format!("INSERT INTO {} ({})", self.name, self.columns.join(", "))
    }

    /// What follows the values when rows may be there already.
    pub(super) fn on_conflict(&self) -> String {
        let sets: Vec<String> = self.replaced.iter().map(|column| format!("{column} = excluded.{column}")).collect();
        format!(" ON CONFLICT ({}) DO UPDATE SET {}", self.key.join(", "), sets.join(", "))
    }
}

/// Rows for one table.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) table: &'static Table,
    /// Row after row.
    values: Vec<super::statement::Value>,
}

impl Rows {
    pub(super) fn of<T>(
        table: &'static Table,
        rows: impl IntoIterator<Item = T>,
        mut columns: impl FnMut(&mut Columns, T),
    ) -> Self {
        let mut values = Columns::default();
        rows.into_iter().for_each(|row| columns(&mut values, row));
        debug_assert_eq!(values.0.len() % table.columns.len(), 0, "{}: whole rows", table.name);
        Self { table, values: values.0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.values.len() / self.table.columns.len()
    }

    /// The rows, one slice of values each.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[super::statement::Value]> {
        self.values.chunks_exact(self.table.columns.len())
    }
}

pub(super) static CHECKPOINT: Table = Table {
    name: "checkpoint",
    key: &["cell"],
    columns: &[],
    replaced: &[],
    others: &["cell", "epoch", "lsn", "time_ns", "ledger_id"],
};

pub(super) static ASSETS: Table = Table {
    name: "assets",
    key: &["asset"],
    columns: &["asset", "name", "wallets"],
    replaced: &["name", "wallets"],
    others: &[],
};

pub(super) fn asset_columns(c: &mut Columns, asset: &AssetListed) {
    let wallets: Vec<&str> = asset.wallets.iter().map(|w| stored_name(*w)).collect();
    c.int(asset.asset.0).text(Some(asset.name.clone())).text(Some(wallets.join(",")));
}

pub(super) static MARKETS: Table = Table {
    name: "markets",
    key: &["market"],
    columns: &[
        "market",
        "version",
        "symbol",
        "base",
        "quote",
        "tick_whole",
        "tick_frac",
        "step_whole",
        "step_frac",
        "params",
    ],
    replaced: &["version", "symbol", "base", "quote", "tick_whole", "tick_frac", "step_whole", "step_frac", "params"],
    others: &["state", "reason"],
};

pub(super) fn market_columns(c: &mut Columns, p: &MarketParams) {
    let mut params = Vec::new();
    p.put(&mut params);
    c.int(p.market.0).int(p.version).text(Some(p.symbol.clone())).int(p.base.0).int(p.quote.0);
    c.amount(p.tick).amount(p.step).bytes(params);
}

pub(super) static BALANCES: Table = Table {
    name: "balances",
    key: &["account", "wallet", "asset"],
    columns: &["account", "wallet", "asset", "available_whole", "available_frac", "locked_whole", "locked_frac"],
    replaced: &["available_whole", "available_frac", "locked_whole", "locked_frac"],
    others: &[],
};

pub(super) fn balance_columns(c: &mut Columns, (key, balance): (&BalanceKey, &Balance)) {
    c.id(key.0.0).int(key.1 as u8).int(key.2.0).amount(balance.available).amount(balance.locked);
}

pub(super) static LEDGER: Table = Table {
    name: "ledger",
    key: &["id"],
    columns: &[
        "id",
        "account",
        "wallet",
        "asset",
        "log",
        "available_whole",
        "available_frac",
        "locked_whole",
        "locked_frac",
        "available_after_whole",
        "available_after_frac",
        "locked_after_whole",
        "locked_after_frac",
        "reference",
        "time_ns",
        "cell",
        "lsn",
    ],
    replaced: &[],
    others: &[],
};

pub(super) fn ledger_columns(c: &mut Columns, id: u64, row: &LedgerRow, cell: u32) {
    c.id(id).id(row.account.0).int(row.wallet as u8).int(row.asset.0).int(row.log.0);
    c.amount(row.available).amount(row.locked).amount(row.available_after).amount(row.locked_after);
    c.id(row.reference).id(row.time).int(cell).id(row.lsn.0);
}

pub(super) static ORDERS: Table = Table {
    name: "orders",
    key: &["order_id"],
    columns: &[
        "order_id",
        "account",
        "market",
        "base",
        "quote",
        "lot_units",
        "tick_lot_units",
        "side",
        "kind",
        "tif",
        "ticks",
        "lots",
        "budget_whole",
        "budget_frac",
        "open_lots",
        "filled_lots",
        "spent_whole",
        "spent_frac",
        "fee_whole",
        "fee_frac",
        "status",
        "reason",
        "client_id",
        "created_ns",
        "updated_ns",
        "stp",
        "iceberg_lots",
        "trigger_kind",
        "trigger_ticks",
        "trail_bips",
        "waiting_lock_whole",
        "waiting_lock_frac",
        "list_id",
        "working_ns",
        "prevented_lots",
        "prevented_by",
    ],
    replaced: &[
        "lots",
        "open_lots",
        "filled_lots",
        "spent_whole",
        "spent_frac",
        "fee_whole",
        "fee_frac",
        "status",
        "reason",
        "client_id",
        "updated_ns",
        "waiting_lock_whole",
        "waiting_lock_frac",
        "list_id",
        "working_ns",
        "prevented_lots",
        "prevented_by",
    ],
    others: &[],
};

fn units_columns(c: &mut Columns, units: &Units) {
    c.int(units.market.0).int(units.base.0).int(units.quote.0).int(units.lot_units).int(units.tick_lot_units);
}

pub(super) fn order_columns(c: &mut Columns, stored: &StoredOrder) {
    let o = &stored.order;
    c.id(o.order.0).id(stored.account.0);
    units_columns(c, &o.units);
    c.int(o.side as u8).int(o.kind as u8).int(o.tif as u8).int(o.ticks.0).int(o.lots.0).amount(o.budget);
    c.int(o.open.0).int(o.filled.0).amount(o.spent).amount(o.fee).int(o.status as u8).int(o.reason as u8);
    c.text(o.client_id.map(|id| id.as_str().to_owned())).id(o.created).id(o.updated).int(o.stp as u8);
    let lock = (!o.locked.is_zero()).then(|| amount::split(o.locked));
    c.maybe_int((!o.iceberg.is_zero()).then_some(o.iceberg.0));
    c.maybe_int(o.trigger.map(|t| t.kind as i64)).maybe_int(o.trigger.map(|t| t.ticks.0));
    c.maybe_int(o.trigger.map(|t| i64::from(t.trail_bips)));
    c.maybe_int(lock.map(|(whole, _)| whole)).maybe_int(lock.map(|(_, frac)| frac));
    c.maybe_int((o.list.0 > 0).then_some(o.list.0.cast_signed()));
    c.maybe_int((o.working != o.created).then_some(o.working.cast_signed()));
    c.maybe_int((!o.prevented.is_zero()).then_some(o.prevented.0));
    c.maybe_int((!o.prevented.is_zero()).then_some(o.prevented_by.0.cast_signed()));
}

pub(super) static ORDER_LISTS: Table = Table {
    name: "order_lists",
    key: &["list_id"],
    columns: &["list_id", "account", "market", "other", "client_id", "created_ns", "kind", "third"],
    replaced: &[],
    others: &[],
};

pub(super) fn list_columns(c: &mut Columns, l: &StoredList) {
    let order = |at: usize| l.list.orders.get(at).map(|order| order.0);
    c.id(l.list.list.0).id(l.account.0).int(l.market.0).id(order(1).unwrap_or_default());
    c.text(l.list.client_id.map(|id| id.as_str().to_owned())).id(l.created);
    c.int(l.list.kind as u8).maybe_int(order(2).map(u64::cast_signed));
}

pub(super) static FILLS: Table = Table {
    name: "fills",
    key: &["trade", "maker"],
    columns: &[
        "trade",
        "maker",
        "account",
        "order_id",
        "market",
        "base",
        "quote",
        "lot_units",
        "tick_lot_units",
        "side",
        "ticks",
        "lots",
        "price_whole",
        "price_frac",
        "amount_whole",
        "amount_frac",
        "total_whole",
        "total_frac",
        "fee_whole",
        "fee_frac",
        "fee_asset",
        "time_ns",
    ],
    replaced: &[],
    others: &[],
};

pub(super) fn fill_columns(c: &mut Columns, stored: &StoredFill) {
    let f = &stored.fill;
    c.id(f.trade.0).int(f.maker).id(stored.account.0).id(f.order.0);
    units_columns(c, &f.units);
    c.int(f.side as u8).int(f.ticks.0).int(f.lots.0);
    c.amount(f.units.price(f.ticks)).amount(f.units.base_amount(f.lots)).amount(f.units.notional(f.ticks, f.lots));
    c.amount(f.fee).int(f.units.received(f.side).0).id(f.time);
}

pub(super) static PREVENTED: Table = Table {
    name: "prevented_matches",
    key: &["market", "prevented"],
    columns: &[
        "market",
        "prevented",
        "account",
        "taker",
        "maker",
        "base",
        "quote",
        "lot_units",
        "tick_lot_units",
        "stp",
        "ticks",
        "taker_lots",
        "maker_lots",
        "lots",
        "time_ns",
    ],
    replaced: &[],
    others: &[],
};

pub(super) fn prevented_columns(c: &mut Columns, stored: &StoredPrevented) {
    let (m, u) = (&stored.prevented, &stored.prevented.units);
    c.int(u.market.0).id(m.id.0).id(stored.account.0).id(m.taker.0).id(m.maker.0);
    c.int(u.base.0).int(u.quote.0).int(u.lot_units).int(u.tick_lot_units);
    c.int(m.stp as u8).int(m.ticks.0).int(m.taker_lots.0).int(m.maker_lots.0).int(m.lots.0).id(m.time);
}

pub(super) static AMENDMENTS: Table = Table {
    name: "amendments",
    key: &["order_id", "time_ns"],
    columns: &["order_id", "time_ns", "account", "client_id_before", "client_id", "lots_before", "lots"],
    replaced: &[],
    others: &[],
};

pub(super) fn amendment_columns(c: &mut Columns, a: &StoredAmendment) {
    let [before, after] = a.client_ids.map(|id| id.map(|id| id.as_str().to_owned()));
    c.id(a.order.0).id(a.time).id(a.account.0).text(before).text(after).int(a.lots[0].0).int(a.lots[1].0);
}

const CANDLE_COLUMNS: [&str; 22] = [
    "market",
    "period",
    "open_ms",
    "open_whole",
    "open_frac",
    "high_whole",
    "high_frac",
    "low_whole",
    "low_frac",
    "close_whole",
    "close_frac",
    "volume_whole",
    "volume_frac",
    "total_whole",
    "total_frac",
    "taker_buy_whole",
    "taker_buy_frac",
    "taker_total_whole",
    "taker_total_frac",
    "trades",
    "first_trade",
    "last_trade",
];

pub(super) static CANDLES: Table = Table {
    name: "candles",
    key: &["market", "period", "open_ms"],
    columns: &CANDLE_COLUMNS,
    // All but the key.
    replaced: CANDLE_COLUMNS.split_at(3).1,
    others: &[],
};

pub(super) fn candle_columns(c: &mut Columns, candle: &Candle) {
    c.int(candle.market.0).int(candle.period).id(candle.open_ms);
    c.amount(candle.open).amount(candle.high).amount(candle.low).amount(candle.close);
    c.amount(candle.volume).amount(candle.total).amount(candle.taker_buy).amount(candle.taker_total);
    c.id(candle.trades).id(candle.first_trade.0).id(candle.last_trade.0);
}

pub(super) static CANDLE_WATERMARK: Table =
    Table { name: "candle_watermark", key: &["cell"], columns: &[], replaced: &[], others: &["cell", "lsn"] };

/// Every table of the store.
pub(super) static ALL: [&Table; 12] = [
    &CHECKPOINT,
    &ASSETS,
    &MARKETS,
    &BALANCES,
    &LEDGER,
    &ORDERS,
    &ORDER_LISTS,
    &FILLS,
    &PREVENTED,
    &AMENDMENTS,
    &CANDLES,
    &CANDLE_WATERMARK,
];
