//! What the facts say that the store's rows must be: a fold of its own, so that it can be held against the persister's.
//!
//! Owns: balances and open orders of all accounts, or of one. Never does: I/O; share code with the projection.
//! Invariants: rows come in the order of the journal.
//! Known limits: wallets and open orders are kept in memory.

use super::error::ToolError;
use std::collections::{BTreeMap, HashMap};
use xng_core::account::{Balance, Fill, Order};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, OrderId};
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_core::record::{Fact, Posting, Record};
use xng_core::spot::facts::{Execution, OrderPlaced, OrdersChanged, SpotFact};
use xng_persistence::store::{BalanceKey, LedgerRow, StoredAmendment, StoredFill, StoredOrder, StoredPrevented};

/// Takes rows as they come.
pub(super) trait Rows {
    /// A movement in a wallet. Its `id` is 0.
    fn ledger(&mut self, row: &LedgerRow) -> Result<(), ToolError>;
    /// One side of a trade.
    fn fill(&mut self, fill: &StoredFill) -> Result<(), ToolError>;
    /// A match of two orders of one account that was prevented.
    fn prevented(&mut self, prevented: &StoredPrevented) -> Result<(), ToolError>;
    /// An order became smaller.
    fn amended(&mut self, amendment: &StoredAmendment) -> Result<(), ToolError>;
    /// An order came (`before` is nothing then) or changed.
    fn order(&mut self, before: Option<&StoredOrder>, after: &StoredOrder) -> Result<(), ToolError>;
}

/// See the module's header.
#[derive(Default)]
pub(super) struct Fold {
    only: Option<AccountId>,
    pub(super) balances: BTreeMap<BalanceKey, Balance>,
    pub(super) open: HashMap<OrderId, StoredOrder>,
}

impl Fold {
    /// A fold of one account.
    pub(super) fn of(account: AccountId) -> Fold {
        Fold { only: Some(account), ..Fold::default() }
    }

    fn wants(&self, account: AccountId) -> bool {
        self.only.is_none_or(|only| only == account)
    }

    /// Reads the next record.
    pub(super) fn read(&mut self, lsn: Lsn, record: &Record, rows: &mut impl Rows) -> Result<(), ToolError> {
        let mut done = Ok(());
        record.fact.all_postings(record.decider, |posting| {
            if done.is_ok() && self.wants(posting.account) {
                done = rows.ledger(&self.post(lsn, record.time, &posting));
            }
        });
        done?;
        let Fact::Spot(fact) = &record.fact else { return Ok(()) };
        match fact {
            SpotFact::OrderPlaced(f) => self.placed(lsn, f, record.time, rows),
            SpotFact::OrdersChanged(f) => self.changed(lsn, f, record.time, rows),
            SpotFact::QuotesSet(f) => {
                f.executions().try_for_each(|execution| self.traded(lsn, &execution, record.time, rows))
            }
            SpotFact::OrdersCanceled(f) => f.orders.iter().try_for_each(|o| {
                self.change(lsn, (o.order, o.account), rows, |order| order.cancel(f.reason, record.time))
            }),
            SpotFact::MarketListed(_)
            | SpotFact::MarketParamsChanged(_)
            | SpotFact::MarketStateChanged(_)
            | SpotFact::TradeIdsReserved(_) => Ok(()),
        }
    }

    fn post(&mut self, lsn: Lsn, time: TimeNs, p: &Posting) -> LedgerRow {
        let empty = Balance { wallet: p.wallet, asset: p.asset, available: Amount::ZERO, locked: Amount::ZERO };
        let balance = self.balances.entry((p.account, p.wallet, p.asset)).or_insert(empty);
        balance.available += p.available;
        balance.locked += p.locked;
        LedgerRow {
            id: 0,
            account: p.account,
            wallet: p.wallet,
            asset: p.asset,
            log: p.log,
            available: p.available,
            locked: p.locked,
            available_after: balance.available,
            locked_after: balance.locked,
            reference: p.reference,
            time,
            lsn,
        }
    }

    fn changed(&mut self, lsn: Lsn, f: &OrdersChanged, time: TimeNs, rows: &mut impl Rows) -> Result<(), ToolError> {
        let list = |id| f.list.as_ref().filter(|list| list.orders.contains(&id)).map_or(OrderId(0), |list| list.list);
        for gone in &f.gone {
            self.change(lsn, (gone.order, f.account), rows, |order| order.cancel(f.reason, time))?;
        }
        for amended in &f.amended {
            if let Some(before) = self.open.get(&amended.order).map(|stored| stored.order) {
                rows.amended(&StoredAmendment {
                    account: f.account,
                    order: amended.order,
                    time,
                    client_ids: [before.client_id, amended.client_id],
                    lots: [before.lots, amended.lots],
                })?;
            }
            self.change(lsn, (amended.order, f.account), rows, |order| order.amend(amended, time))?;
        }
        if let Some(placed) = &f.placed {
            self.met(lsn, placed, time, rows)?;
            if f.triggered.is_some() || f.activated.is_some() {
                self.change(lsn, (placed.order, f.account), rows, |order| order.trigger(placed, time))?;
            } else {
                let order = Order { list: list(placed.order), ..Order::from_placed(placed, time) };
                self.add(f.account, order, rows)?;
            }
        }
        for waiting in &f.waiting {
            if f.activated.is_some() {
                self.change(lsn, (waiting.order, f.account), rows, |order| order.activate(waiting, time))?;
            } else {
                let order = Order { list: list(waiting.order), ..Order::from_waiting(waiting, &f.units, time) };
                self.add(f.account, order, rows)?;
            }
        }
        f.pending.iter().try_for_each(|pending| {
            let order = Order { list: list(pending.order), ..Order::from_pending(pending, &f.units, time) };
            self.add(f.account, order, rows)
        })
    }

    fn placed(&mut self, lsn: Lsn, f: &OrderPlaced, time: TimeNs, rows: &mut impl Rows) -> Result<(), ToolError> {
        self.met(lsn, f, time, rows)?;
        self.add(f.account, Order::from_placed(f, time), rows)
    }

    fn add(&mut self, account: AccountId, order: Order, rows: &mut impl Rows) -> Result<(), ToolError> {
        if !self.wants(account) {
            return Ok(());
        }
        let stored = StoredOrder { account, order };
        if order.status.is_open() {
            self.open.insert(order.order, stored);
        }
        rows.order(None, &stored)
    }

    /// The other orders that an order met, and its fills.
    fn met(&mut self, lsn: Lsn, f: &OrderPlaced, time: TimeNs, rows: &mut impl Rows) -> Result<(), ToolError> {
        for (i, p) in (0..).zip(&f.prevented).filter(|(_, p)| !p.quote) {
            self.change(lsn, (p.order, p.account), rows, |order| order.prevent(f, i, time))?;
        }
        if self.wants(f.account) {
            f.prevented_matches(time)
                .try_for_each(|(_, prevented)| rows.prevented(&StoredPrevented { account: f.account, prevented }))?;
        }
        f.executions().try_for_each(|execution| self.traded(lsn, &execution, time, rows))
    }

    fn traded(&mut self, lsn: Lsn, e: &Execution<'_>, time: TimeNs, rows: &mut impl Rows) -> Result<(), ToolError> {
        for (account, maker) in [(e.taker, false), (e.trade.maker, true)] {
            if self.wants(account) {
                rows.fill(&StoredFill { account, fill: Fill::of(e, maker, time) })?;
            }
        }
        if e.trade.maker_quote {
            return Ok(());
        }
        let maker = (e.trade.maker_order, e.trade.maker);
        self.change(lsn, maker, rows, |order| order.fill_as_maker(e.trade, time))
    }

    fn change(
        &mut self,
        lsn: Lsn,
        (id, owner): (OrderId, AccountId),
        rows: &mut impl Rows,
        change: impl FnOnce(&mut Order),
    ) -> Result<(), ToolError> {
        if !self.wants(owner) {
            return Ok(());
        }
        let Some(mut stored) = self.open.remove(&id) else {
            return Err(ToolError::Found(format!("record {lsn} changes order {id}, which is not open")));
        };
        let before = stored;
        change(&mut stored.order);
        if stored.order.status.is_open() {
            self.open.insert(id, stored);
        }
        rows.order(Some(&before), &stored)
    }
}
