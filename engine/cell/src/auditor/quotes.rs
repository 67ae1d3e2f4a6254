//! The house's quotes in the auditor's ledger: set, traded with, taken off.
//!
//! Owns: what stands at each price, and what it locks. Never does: read the engine's book.
//! Invariants: one quote a market, side and price. Known limits: those of the ledger.

use super::{Auditor, Finding, SPAN, WalletKey, lock_of_one};
use xng_core::ids::{AccountId, MarketId, OrderId};
use xng_core::journal::Lsn;
use xng_core::money::Ticks;
use xng_core::spot::Side;
use xng_core::spot::facts::{QuotesSet, Units};

impl Auditor {
    pub(super) fn reduce_quote(
        &mut self,
        lsn: Lsn,
        market: MarketId,
        side: Side,
        ticks: Ticks,
        lots: i64,
        done: bool,
    ) -> Result<(), Finding> {
        let key = (market, side, ticks);
        let Some((_, left)) = self.quotes.get_mut(&key) else {
            return Err(format!("record {lsn} takes from a quote at {key:?}, which does not stand"));
        };
        *left -= lots;
        if *left < 0 || (*left == 0) != done {
            return Err(format!("record {lsn} leaves {left} lots of the quote at {key:?} and says done: {done}"));
        }
        if done {
            self.quotes.remove(&key);
        }
        Ok(())
    }

    pub(super) fn quote_off(
        &mut self,
        lsn: Lsn,
        u: &Units,
        house: AccountId,
        (side, ticks, lots): (Side, Ticks, i64),
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let (asset, one) = lock_of_one(u, side, ticks.0);
        self.lock(house, (asset, -one * i128::from(lots)), moved);
        self.reduce_quote(lsn, u.market, side, ticks, lots, true)
    }

    pub(super) fn quotes_set(&mut self, lsn: Lsn, f: &QuotesSet, moved: &mut Vec<WalletKey>) -> Result<(), Finding> {
        let u = &f.units;
        self.update(lsn, u.market, f.update.0)?;
        self.trade_ids(lsn, u.market, f.first_trade.0, f.trades.len() as u64)?;
        self.order_ids(lsn, u.market, f.first_order.0, f.on.len() as u64)?;
        self.house.insert(u.market, f.account);
        for q in &f.off {
            self.quote_off(lsn, u, f.account, (q.side, q.ticks, q.lots.0), moved)?;
        }
        for t in &f.trades {
            let side = f.on[t.on as usize].side;
            self.trade(lsn, u, (f.account, side), &t.trade, moved)?;
        }
        for (i, q) in f.on.iter().enumerate().filter(|(_, q)| q.rest.0 > 0) {
            let (asset, one) = lock_of_one(u, q.side, q.ticks.0);
            self.lock(f.account, (asset, one * i128::from(q.rest.0)), moved);
            let id = OrderId(f.first_order.0 + i as u64 * SPAN);
            if let Some(before) = self.quotes.insert((u.market, q.side, q.ticks), (id, q.rest.0)) {
                return Err(format!("record {lsn} sets a quote where {before:?} stands"));
            }
        }
        Ok(())
    }
}
