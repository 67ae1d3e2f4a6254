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
use xng_core::ids::{AccountId, OrderId};
use xng_persistence::store::{
    self, Checkpoint, FillFilter, Filter, LedgerFilter, LedgerRow, Projection as _, Slice, SqlStore, StoredFill,
    StoredOrder,
};

/// Rows of one page.
const PAGE: u32 = 1_000;

/// The store and where it stands.
pub(super) struct Stored {
    store: Arc<SqlStore>,
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

    /// The rows that a filter lets through, oldest first.
    pub(super) fn rows<F: Filter>(&self, filter: F) -> impl Iterator<Item = Result<F::Row, ToolError>> {
        let (mut page, mut last, mut over): (VecDeque<F::Row>, Option<F::Cursor>, bool) =
            (VecDeque::new(), None, false);
        std::iter::from_fn(move || {
            if page.is_empty() && !over {
                let slice = last.take().map_or(Slice::Oldest, Slice::After);
                match self.runtime.block_on(self.store.page(&filter, slice, PAGE)) {
                    Ok(rows) => {
                        over = rows.len() < PAGE as usize;
                        last = rows.last().map(F::cursor);
                        page = rows.into();
                    }
                    Err(error) => {
                        over = true;
                        return Some(Err(error.into()));
                    }
                }
            }
            page.pop_front().map(Ok)
        })
    }

    /// The ledger rows of an account, oldest first, their `id`s taken off.
    pub(super) fn ledger(&self, account: AccountId) -> impl Iterator<Item = Result<LedgerRow, ToolError>> + '_ {
        self.rows(LedgerFilter::of(account)).map(|row| row.map(|row| LedgerRow { id: 0, ..row }))
    }

    /// One order.
    pub(super) fn order(&self, order: OrderId) -> Result<Option<StoredOrder>, ToolError> {
        Ok(self.runtime.block_on(self.store.find::<StoredOrder>(order))?)
    }

    /// The fills of one order, oldest first.
    pub(super) fn fills_of(
        &self,
        account: AccountId,
        order: OrderId,
    ) -> impl Iterator<Item = Result<StoredFill, ToolError>> + '_ {
        self.rows(FillFilter::of(account))
            .filter(move |fill| fill.as_ref().map_or(true, |fill| fill.fill.order == order))
    }
}
