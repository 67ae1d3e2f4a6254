//! What goes into the store and what comes out of it.
//!
//! Owns: the types of rows, filters and cursors.
//! Never does: SQL.
//! Invariants: orders and fills are the engine's own types, so that memory and history are shown alike.
//! Known limits: none.

use std::collections::BTreeMap;

use xng_core::{
    account::{Balance, Fill, Order},
    entity::TimeNs,
    ids::{AccountId, AssetId, ClientOrderId, MarketId, OrderId, PreventedId, TradeId, Wallet},
    journal::Lsn,
    money::{Amount, Lots},
    record::LogType,
    registry::AssetListed,
    spot::{
        MarketParams, MarketState, OrderKind, OrderStatus, Side, StateReason, facts::OrderList,
        prevention::PreventedMatch,
    },
};

/// Names a wallet of one asset.
pub type BalanceKey = (AccountId, Wallet, AssetId);

/// How far the rows of a cell go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Start of the journal in which the record was projected.
    pub epoch: u32,
    /// The last record whose rows are there.
    pub lsn: Lsn,
    /// That record's time.
    pub time: TimeNs,
}

/// One movement in one wallet, as it is shown in `/wallet/legal_log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Position in the ledger; 0 until it was written.
    pub id: u64,
    /// Whose.
    pub account: AccountId,
    /// Which wallet.
    pub wallet: Wallet,
    /// Which asset.
    pub asset: AssetId,
    /// What kind of movement.
    pub log: LogType,
    /// Change of what can be used.
    pub available: Amount,
    /// Change of what is set aside.
    pub locked: Amount,
    /// What could be used afterwards.
    pub available_after: Amount,
    /// What was set aside afterwards.
    pub locked_after: Amount,
    /// Order id or other reference; 0 when there is none.
    pub reference: u64,
    /// When.
    pub time: TimeNs,
    /// The record that says so.
    pub lsn: Lsn,
}

impl LedgerRow {
    /// The row's value: the change of the wallet's total; for money that is only set aside or given back, the change of
    /// what can be used.
    #[must_use]
    pub fn value(&self) -> Amount {
        if self.is_freeze() { self.available } else { self.available + self.locked }
    }

    /// What [`Self::value`] made of [`Self::before`].
    #[must_use]
    pub fn after(&self) -> Amount {
        if self.is_freeze() { self.available_after } else { self.available_after + self.locked_after }
    }

    /// What there was before.
    #[must_use]
    pub fn before(&self) -> Amount {
        self.after() - self.value()
    }

    fn is_freeze(&self) -> bool {
        (self.available + self.locked).is_zero()
    }
}

/// An order and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOrder {
    /// Whose.
    pub account: AccountId,
    /// The order.
    pub order: Order,
}

/// Orders that depend on each other, and their owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredList {
    /// Whose.
    pub account: AccountId,
    /// Where.
    pub market: MarketId,
    /// The list.
    pub list: OrderList,
    /// When it was taken.
    pub created: TimeNs,
}

/// What was changed of an order that became smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAmendment {
    /// Whose.
    pub account: AccountId,
    /// Which order.
    pub order: OrderId,
    /// When.
    pub time: TimeNs,
    /// Its name before and after.
    pub client_ids: [Option<ClientOrderId>; 2],
    /// Its whole quantity before and after.
    pub lots: [Lots; 2],
}

/// A prevented match and the owner of both of its orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPrevented {
    /// Whose.
    pub account: AccountId,
    /// The match.
    pub prevented: PreventedMatch,
}

/// A fill and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredFill {
    /// Whose.
    pub account: AccountId,
    /// The fill.
    pub fill: Fill,
}

impl StoredFill {
    /// Where the fill stands among all fills.
    #[must_use]
    pub fn cursor(&self) -> FillCursor {
        FillCursor { time: self.fill.time, trade: self.fill.trade, maker: self.fill.maker }
    }
}

/// A market as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMarket {
    /// Its parameters.
    pub params: MarketParams,
    /// Its state and why; `None` before the first change.
    pub state: Option<(MarketState, StateReason)>,
}

/// Everything that a batch of records changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// Whose records they are.
    pub cell: u32,
    /// Where the checkpoint is before this; 0 when there is none.
    pub from: Lsn,
    /// Where it is afterwards.
    pub to: Checkpoint,
    /// Assets that were listed or changed.
    pub assets: BTreeMap<AssetId, AssetListed>,
    /// Markets that were listed or changed.
    pub markets: BTreeMap<MarketId, MarketParams>,
    /// States of markets that changed.
    pub states: BTreeMap<MarketId, (MarketState, StateReason)>,
    /// Wallets that changed, as they are now.
    pub balances: BTreeMap<BalanceKey, Balance>,
    /// Movements, in order.
    pub ledger: Vec<LedgerRow>,
    /// Orders that changed, as they are now.
    pub orders: BTreeMap<OrderId, StoredOrder>,
    /// Lists that are new.
    pub lists: Vec<StoredList>,
    /// Fills, in order.
    pub fills: Vec<StoredFill>,
    /// Prevented matches, in order.
    pub prevented: Vec<StoredPrevented>,
    /// Amendments, in order.
    pub amendments: Vec<StoredAmendment>,
}

impl Changes {
    /// No change, after the record `from`.
    #[must_use]
    pub fn none(cell: u32, epoch: u32, from: Lsn) -> Self {
        Self {
            cell,
            from,
            to: Checkpoint { epoch, lsn: from, time: 0 },
            assets: BTreeMap::new(),
            markets: BTreeMap::new(),
            states: BTreeMap::new(),
            balances: BTreeMap::new(),
            ledger: Vec::new(),
            orders: BTreeMap::new(),
            lists: Vec::new(),
            fills: Vec::new(),
            prevented: Vec::new(),
            amendments: Vec::new(),
        }
    }

    /// Rows to be written, the checkpoint aside.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.assets.len()
            + self.markets.len()
            + self.states.len()
            + self.balances.len()
            + self.ledger.len()
            + self.orders.len()
            + self.lists.len()
            + self.fills.len()
            + self.prevented.len()
            + self.amendments.len()
    }
}

/// Which part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice<C> {
    /// The newest, newest first.
    Newest,
    /// Those before the cursor, newest first.
    Before(C),
    /// The oldest, oldest first.
    Oldest,
    /// Those after the cursor, oldest first.
    After(C),
    /// Newest first, without so many of the newest: for calls that page by number. The cost grows with it.
    Skip(u64),
}

/// Place of an order in an account's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderCursor {
    /// When it was taken.
    pub created: TimeNs,
    /// Which one.
    pub order: OrderId,
}

impl From<&Order> for OrderCursor {
    fn from(order: &Order) -> Self {
        Self { created: order.created, order: order.order }
    }
}

/// Place of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillCursor {
    /// When.
    pub time: TimeNs,
    /// Which trade.
    pub trade: TradeId,
    /// Which side of it.
    pub maker: bool,
}

/// Which orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one market only.
    pub market: Option<MarketId>,
    /// Of markets with this base only (`currency_id`).
    pub base: Option<AssetId>,
    /// Of markets with this quote only (`legal_id`).
    pub quote: Option<AssetId>,
    /// Of one side only.
    pub side: Option<Side>,
    /// Limit or market orders only.
    pub kind: Option<OrderKind>,
    /// In these states only; empty: in any.
    pub statuses: Vec<OrderStatus>,
    /// With these ids only; empty: with any.
    pub ids: Vec<OrderId>,
    /// Only those that got what they could (`Order::is_complete`), or only the ones that did not.
    pub complete: Option<bool>,
    /// Taken at or after this time only.
    pub since: Option<TimeNs>,
    /// Taken before this time only.
    pub until: Option<TimeNs>,
    /// With this id or a higher one only.
    pub from: Option<OrderId>,
    /// Of this client order id only.
    pub name: Option<ClientOrderId>,
}

impl OrderFilter {
    /// All orders of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self {
            account,
            market: None,
            base: None,
            quote: None,
            side: None,
            kind: None,
            statuses: Vec::new(),
            ids: Vec::new(),
            complete: None,
            since: None,
            until: None,
            from: None,
            name: None,
        }
    }

    /// Whether an order of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, o: &Order) -> bool {
        self.market.is_none_or(|market| o.units.market == market)
            && self.base.is_none_or(|base| o.units.base == base)
            && self.quote.is_none_or(|quote| o.units.quote == quote)
            && self.side.is_none_or(|side| o.side == side)
            && self.kind.is_none_or(|kind| o.kind == kind)
            && (self.statuses.is_empty() || self.statuses.contains(&o.status))
            && (self.ids.is_empty() || self.ids.contains(&o.order))
            && self.complete.is_none_or(|complete| o.is_complete() == complete)
            && self.since.is_none_or(|since| o.created >= since)
            && self.until.is_none_or(|until| o.created < until)
            && self.from.is_none_or(|from| o.order >= from)
            && self.name.is_none_or(|name| o.client_id == Some(name))
    }
}

/// Which fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FillFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one market only.
    pub market: Option<MarketId>,
    /// Of one order only.
    pub order: Option<OrderId>,
    /// At or after this time only.
    pub since: Option<TimeNs>,
    /// Before this time only.
    pub until: Option<TimeNs>,
    /// Of this trade or a later one only.
    pub from: Option<TradeId>,
}

impl FillFilter {
    /// All fills of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, market: None, order: None, since: None, until: None, from: None }
    }

    /// Whether a fill of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, f: &Fill) -> bool {
        self.market.is_none_or(|market| f.units.market == market)
            && self.order.is_none_or(|order| f.order == order)
            && self.since.is_none_or(|since| f.time >= since)
            && self.until.is_none_or(|until| f.time < until)
            && self.from.is_none_or(|from| f.trade >= from)
    }
}

/// Which prevented matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreventedFilter {
    /// Whose.
    pub account: AccountId,
    /// Of this market only.
    pub market: MarketId,
    /// Of one order only.
    pub order: Option<OrderId>,
    /// This one only.
    pub id: Option<PreventedId>,
    /// With this id or a higher one only.
    pub from: Option<PreventedId>,
}

impl PreventedFilter {
    /// Whether a match of the account is one of them.
    #[must_use]
    pub fn lets_through(&self, m: &PreventedMatch) -> bool {
        m.units.market == self.market
            && self.order.is_none_or(|order| m.taker == order || m.maker == order)
            && self.id.is_none_or(|id| m.id == id)
            && self.from.is_none_or(|from| m.id >= from)
    }
}

/// Which ledger rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one wallet only.
    pub wallet: Option<Wallet>,
    /// Of one asset only.
    pub asset: Option<AssetId>,
    /// Of these kinds only; empty: of any.
    pub logs: Vec<LogType>,
    /// Of none of these kinds.
    pub except: Vec<LogType>,
}

impl LedgerFilter {
    /// All rows of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, wallet: None, asset: None, logs: Vec::new(), except: Vec::new() }
    }
}

/// One candle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candle {
    /// Of which market.
    pub market: MarketId,
    /// Its length in seconds; a calendar month is 2,592,000 by agreement.
    pub period: u32,
    /// When it opens, milliseconds since the epoch.
    pub open_ms: u64,
    /// First price.
    pub open: Amount,
    /// Highest price.
    pub high: Amount,
    /// Lowest price.
    pub low: Amount,
    /// Last price.
    pub close: Amount,
    /// Base amount traded.
    pub volume: Amount,
    /// Quote amount traded.
    pub total: Amount,
    /// Base amount in trades whose taker bought.
    pub taker_buy: Amount,
    /// Quote amount in trades whose taker bought.
    pub taker_total: Amount,
    /// Number of trades.
    pub trades: u64,
    /// The first trade; 0 when there is none.
    pub first_trade: TradeId,
    /// The last trade; 0 when there is none.
    pub last_trade: TradeId,
}

/// What a table holds, in a few bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableChecksum {
    /// Its name.
    pub table: &'static str,
    /// How many rows.
    pub rows: u64,
    /// SHA-256 over all rows in the order of their keys.
    pub sha256: [u8; 32],
}
