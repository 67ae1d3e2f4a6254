//! What may leave the futures wallet, as the auditor sees it.
//!
//! Owns: its own sums of what orders need, and of what a pool may lose. Never does: use the engine's formulas. Invariants
//! checked: no unrealised profit leaves, nor what cross positions and orders need; nothing leaves a pool that is liquidated,
//! or by prices that are old or doubtful; an isolated ticket and one that waits take no more than may leave.
//! Known limits: what is held for a question on its way is in no record, so less may leave than is checked here.

use super::contracts::{ONE, futures, nearest};
use super::legs::sign;
use super::{Auditor, Finding};
use std::collections::BTreeMap;
use xng_core::account::facts::Transferred;
use xng_core::contract::book::liquidation_facts::Scope;
use xng_core::contract::facts::MarginMode;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::Amount;

/// What an account's cross positions and orders need of its pool, and what they gain.
#[derive(Debug, Default)]
struct Needs {
    /// Contracts whose prices count.
    contracts: Vec<MarketId>,
    /// Margins and fees of orders, and what they lose against the mark.
    orders: i128,
    /// Margins at opening of legs, at the mark.
    initial: i128,
    /// Twice the margins of tickets less three times those at opening.
    margins: i128,
    /// In units of 1e-16.
    unrealised: i128,
}

impl Auditor {
    /// What cross orders of an account need on a contract: margin of what opens, fee of all, loss against the mark.
    fn needs_of_orders(&self, account: AccountId, contract: MarketId) -> Option<i128> {
        let (book, listed) = (self.books.get(&contract)?, self.contracts.listed.get(&contract)?);
        let (lot, tick) = (listed.params.lot.0, listed.params.tick.0);
        let mut needs = None;
        // A loss is rounded once a price.
        let mut at_price: BTreeMap<_, i64> = BTreeMap::new();
        let own = book.orders.values().filter(|o| o.account == account && o.mode == MarginMode::Cross);
        for o in own {
            let value = |lots: i64| o.valued.0 * lot * i128::from(lots);
            let margin = nearest(value(o.opens.0), ONE * i128::from(o.multiple));
            let fee = nearest(value(o.open.0) * i128::from(o.fee_ppm.0), ONE * 1_000_000);
            *needs.get_or_insert(0) += margin + fee;
            *at_price.entry((o.side, o.leg, o.ticks)).or_default() += o.open.0;
        }
        let lost = at_price.into_iter().map(|((side, _, ticks), lots)| {
            let worse = (i128::from(ticks.0) * tick - listed.mark) * i128::from(sign(side));
            nearest(worse.max(0) * lot * i128::from(lots), ONE)
        });
        let lost: i128 = lost.sum();
        needs.map(|needs: i128| needs + lost)
    }

    fn needs(&self, account: AccountId, asset: AssetId) -> Needs {
        let mut needs = Needs::default();
        for ticket in self.cross(account, asset) {
            let index = self.contracts.listed.get(&ticket.contract).map_or(0, |listed| listed.index.0);
            needs.margins += 2 * ticket.margin - 3 * ticket.origin;
            needs.unrealised += ticket.gain(index);
            needs.contracts.push(ticket.contract);
        }
        let (gained, initial) = self.cross_leg_sums(account, asset);
        (needs.unrealised, needs.initial) = (needs.unrealised + gained, initial);
        for (contract, book) in self.books.iter().filter(|(_, book)| book.asset == asset) {
            let orders = self.needs_of_orders(account, *contract);
            let legs = book.of(account).any(|(_, leg)| leg.cross);
            needs.orders += orders.unwrap_or(0);
            if orders.is_some() || legs {
                needs.contracts.push(*contract);
            }
        }
        needs
    }

    /// What may leave the futures wallet of an account by the last prices, when nothing is held.
    #[must_use]
    pub fn may_leave(&self, account: AccountId, asset: AssetId) -> Amount {
        if self.is_liquidated(account, &Scope { settle: asset, leg: None }) {
            return Amount::ZERO;
        }
        let held = |wallet| self.held((account, wallet, asset)).available;
        let (available, results, needs) = (held(Wallet::Futures), held(Wallet::Pnl), self.needs(account, asset));
        // Twice, in units of 1e-16.
        let free = (2 * (available + results - needs.initial - needs.orders) + needs.margins) * ONE;
        let free = (free + 2 * needs.unrealised.min(0)).div_euclid(2 * ONE);
        Amount(free.min(available).max(0))
    }

    /// Before the money is taken.
    pub(super) fn leaves(
        &self,
        (lsn, time): (Lsn, TimeNs),
        (account, asset): (AccountId, AssetId),
        amount: i128,
    ) -> Result<(), Finding> {
        let needs = self.needs(account, asset);
        let doubtful = |contract: &MarketId| self.jumps(*contract) || !self.is_fresh(*contract, time);
        let most = self.may_leave(account, asset);
        let doubtful = needs.contracts.iter().find(|contract| doubtful(contract));
        if amount > most.0 || doubtful.is_some() {
            let has = self.held(futures(account, asset));
            return Err(format!(
                "record {lsn} takes {amount} of account {account}, which has {has:?}; {most} may leave, doubtful is \
                 {doubtful:?}, {needs:?}"
            ));
        }
        Ok(())
    }

    pub(super) fn transfer_may_leave(&self, lsn: Lsn, time: TimeNs, f: &Transferred) -> Result<(), Finding> {
        if f.from != Wallet::Futures {
            return Ok(());
        }
        self.leaves((lsn, time), (f.account, f.asset), f.amount.0)
    }
}
