//! Markets as rows: parameters, and the state beside them.
//!
//! Owns: the table `markets`. Never does: decide a state. Invariants: parameters that change leave the state as it is.
//! Known limits: none.

use std::collections::BTreeMap;

use xng_core::{
    codec::Wire,
    ids::MarketId,
    spot::{MarketParams, MarketState, StateReason},
};

use crate::store::{
    SqlStore, StoreError,
    rows::table::{Place, StoredRow, TableBatch},
    sql::{Columns, Fields, Statement, Table, TableRows, Transaction},
};

/// A market as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMarket {
    /// Its parameters.
    pub params: MarketParams,
    /// Its state and why; `None` before the first change.
    pub state: Option<(MarketState, StateReason)>,
}

impl StoredRow for StoredMarket {
    const TABLE: &'static Table = &Table {
        name: "markets",
        reading: "read markets",
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
        replaced: &[
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
        others: &["state", "reason"],
        texts: &["symbol"],
        bytes: &["params"],
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let bytes = f.bytes("params")?;
        let params = MarketParams::of_any_form(&bytes).map_err(|e| f.strange("params", e.to_string()))?;
        let state = match f.maybe_int("state")? {
            None => None,
            Some(_) => Some((
                f.variant("state", MarketState::ALL, |v| v as u8)?,
                f.variant("reason", StateReason::ALL, |v| v as u8)?,
            )),
        };
        Ok(StoredMarket { params, state })
    }
}

/// Markets of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Markets {
    /// Those that were listed or changed.
    pub params: BTreeMap<MarketId, MarketParams>,
    /// States that changed.
    pub states: BTreeMap<MarketId, (MarketState, StateReason)>,
}

impl TableBatch for Markets {
    const TABLE: &'static Table = StoredMarket::TABLE;

    fn count(&self) -> usize {
        self.params.len() + self.states.len()
    }

    async fn write(&self, transaction: &mut Transaction<'_>, _: Place) -> Result<(), sqlx::Error> {
        transaction.upsert(TableRows::of(Self::TABLE, self.params.values(), columns)).await?;
        for (market, (state, reason)) in &self.states {
            let sql = "UPDATE markets SET state = ?, reason = ? WHERE market = ?";
            transaction.fetch(Statement::new(sql).with(*state as u8).with(*reason as u8).with(market.0)).await?;
        }
        Ok(())
    }

    fn follow(&mut self, next: &Self) {
        self.params.extend(next.params.iter().map(|(market, params)| (*market, params.clone())));
        self.states.extend(&next.states);
    }
}

impl SqlStore {
    /// All markets by id.
    ///
    /// # Errors
    /// When the database does not answer, or with a row that this build cannot read.
    pub async fn markets(&self) -> Result<Vec<StoredMarket>, StoreError> {
        self.select(Statement::new("SELECT * FROM markets ORDER BY market")).await
    }
}

fn columns(c: &mut Columns, p: &MarketParams) {
    let mut params = Vec::new();
    p.put(&mut params);
    c.int(p.market.0).int(p.version).text(Some(p.symbol.clone())).int(p.base.0).int(p.quote.0);
    c.amount(p.tick).amount(p.step).bytes(params);
}
