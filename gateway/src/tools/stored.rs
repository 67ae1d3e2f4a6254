//! The store as the tools read it: page by page, one account at a time.
//!
//! Owns: opening the store that the settings name, to read; pages. Never does: change a row or the schema.
//! Invariants: a schema that is not this build's is refused with both numbers.
//! Known limits: a store that moves meanwhile gives pages of different moments; whoever compares holds the journal's lock.

use super::error::ToolError;
use crate::config::Config;
use crate::startup::cell::CELL;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::runtime::Runtime;
use xng_core::account::Order;
use xng_core::ids::{AccountId, MarketId, OrderId, PreventedId};
use xng_persistence::store::{
    self, Checkpoint, FillFilter, LedgerFilter, LedgerRow, OrderCursor, OrderFilter, PreventedFilter, Slice, Store,
    StoredAmendment, StoredFill, StoredOrder, StoredPrevented,
};

/// Rows of one page.
const PAGE: u32 = 1_000;

/// The store and where it stands.
pub(super) struct Stored {
    store: Arc<dyn Store>,
    runtime: Runtime,
    pub(super) checkpoint: Checkpoint,
}

impl Stored {
    /// Opens the store; nothing when there is none, or nothing in it.
    pub(super) fn open(config: &Config) -> Result<Option<Stored>, ToolError> {
        let runtime = super::data_folder::runtime()?;
        let Some(store) = runtime.block_on(store::open_to_read(&config.store_url()))? else { return Ok(None) };
        let checkpoint = runtime.block_on(store.checkpoint(CELL))?;
        Ok(checkpoint.map(|checkpoint| Stored { store, runtime, checkpoint }))
    }

    /// All balances of an account.
    pub(super) fn balances(&self, account: AccountId) -> Result<Vec<xng_core::account::Balance>, ToolError> {
        Ok(self.runtime.block_on(self.store.balances_of(account))?)
    }

    /// The ledger rows of an account, oldest first, their `id`s taken off.
    pub(super) fn ledger(&self, account: AccountId) -> impl Iterator<Item = Result<LedgerRow, ToolError>> + '_ {
        let filter = LedgerFilter::of(account);
        let rows = pages(move |last: Option<&LedgerRow>| {
            let slice = last.map_or(Slice::Oldest, |row| Slice::After(row.id));
            Ok(self.runtime.block_on(self.store.ledger(&filter, slice, PAGE))?)
        });
        rows.map(|row| row.map(|row| LedgerRow { id: 0, ..row }))
    }

    /// The fills of an account, oldest first.
    pub(super) fn fills(&self, account: AccountId) -> impl Iterator<Item = Result<StoredFill, ToolError>> + '_ {
        let filter = FillFilter::of(account);
        pages(move |last: Option<&StoredFill>| {
            let slice = last.map_or(Slice::Oldest, |fill| Slice::After(fill.cursor()));
            Ok(self.runtime.block_on(self.store.fills(&filter, slice, PAGE))?)
        })
    }

    /// The prevented matches of an account on a market, by their ids.
    pub(super) fn prevented(
        &self,
        account: AccountId,
        market: MarketId,
    ) -> impl Iterator<Item = Result<StoredPrevented, ToolError>> + '_ {
        pages(move |last: Option<&StoredPrevented>| {
            let from = last.map(|last| PreventedId(last.prevented.id.0 + 1));
            let filter = PreventedFilter { account, market, order: None, id: None, from };
            Ok(self.runtime.block_on(self.store.prevented(&filter, PAGE))?)
        })
    }

    /// What was changed of an order, oldest first; what was changed before the store had rows of it is not there.
    pub(super) fn amendments(&self, order: OrderId) -> Result<Vec<StoredAmendment>, ToolError> {
        let rows = pages(move |last: Option<&StoredAmendment>| {
            let from = last.map_or(0, |last| last.time + 1);
            Ok(self.runtime.block_on(self.store.amendments(order, from, PAGE))?)
        });
        rows.collect()
    }

    /// One order.
    pub(super) fn order(&self, order: OrderId) -> Result<Option<StoredOrder>, ToolError> {
        Ok(self.runtime.block_on(self.store.order(order))?)
    }

    /// The fills of one order, oldest first.
    pub(super) fn fills_of(
        &self,
        account: AccountId,
        order: OrderId,
    ) -> impl Iterator<Item = Result<StoredFill, ToolError>> + '_ {
        self.fills(account).filter(move |fill| fill.as_ref().map_or(true, |fill| fill.fill.order == order))
    }

    /// The orders of an account, oldest first.
    pub(super) fn orders(&self, account: AccountId) -> impl Iterator<Item = Result<Order, ToolError>> + '_ {
        let filter = OrderFilter::of(account);
        pages(move |last: Option<&Order>| {
            let slice = last.map_or(Slice::Oldest, |order| Slice::After(OrderCursor::from(order)));
            Ok(self.runtime.block_on(self.store.orders(&filter, slice, PAGE))?)
        })
    }
}

/// Goes through a list page by page; `next` gets the last row of the page before.
fn pages<T: Copy>(
    mut next: impl FnMut(Option<&T>) -> Result<Vec<T>, ToolError>,
) -> impl Iterator<Item = Result<T, ToolError>> {
    let (mut page, mut last, mut over): (VecDeque<T>, Option<T>, bool) = (VecDeque::new(), None, false);
    std::iter::from_fn(move || {
        if page.is_empty() && !over {
            match next(last.as_ref()) {
                Ok(rows) => {
                    over = rows.len() < PAGE as usize;
                    page = rows.into();
                }
                Err(error) => {
                    over = true;
                    return Some(Err(error));
                }
            }
        }
        last = page.pop_front();
        last.map(Ok)
    })
}
