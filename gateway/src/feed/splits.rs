//! Splits that stocks had: recorded bars from before them are of old shares.
//!
//! Owns: reading them from the store. Never does: change a price. Invariants: all splits of durable records are among them.
//! Known limits: waits for the store, which follows the journal.

use super::simulator::ratio;
use crate::app::Shared;
use crate::common::time::{Ms, ms};
use crate::orders::lookup::is_written;
use std::collections::BTreeMap;
use std::time::Duration;
use xng_core::ids::MarketId;
use xng_persistence::store::{ActionFilter, Slice};

/// The store is waited for so long.
const WRITTEN_WITHIN: Duration = Duration::from_secs(60);
/// Actions of a stock that are looked through, the newest ones.
const MOST_ACTIONS: u32 = 10_000;

/// A stock's actions that are in force.
#[derive(Debug, Default)]
pub struct InForce {
    /// When each came into force, and what it made of the price.
    pub ratios: Vec<(Ms, f64)>,
    /// Number of the last one; 0 without one.
    pub last: u32,
}

/// Actions of stocks whose bars are played.
pub type Splits = BTreeMap<MarketId, InForce>;

/// Splits of stocks whose bars are played.
///
/// # Errors
/// When the store cannot be read, or is too far behind.
pub async fn of_stocks_with_bars(shared: &Shared) -> Result<Splits, String> {
    let listed = shared.listed();
    let played = |market: &MarketId| {
        listed.markets.get(market).is_some_and(|info| shared.sources.bars(&info.params.symbol).is_some())
    };
    let markets: Vec<MarketId> = shared.stocks.last_actions().into_keys().filter(played).collect();
    if markets.is_empty() {
        return Ok(Splits::new());
    }
    if !is_written(&shared.persister, WRITTEN_WITHIN).await {
        return Err("the store does not follow".to_owned());
    }
    let mut splits = Splits::new();
    for market in markets {
        let actions = shared.store.page(&ActionFilter { market }, Slice::Newest, MOST_ACTIONS).await;
        let actions = actions.map_err(|error| error.to_string())?;
        let mut in_force = InForce::default();
        for row in actions {
            let Some(set) = row.set else { continue };
            in_force.ratios.push((ms(set.time), ratio(row.action.kind)));
            in_force.last = in_force.last.max(row.action.id);
        }
        splits.insert(market, in_force);
    }
    Ok(splits)
}
