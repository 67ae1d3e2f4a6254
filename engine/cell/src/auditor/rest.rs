//! The auditor at rest: nothing waits in the cell, and everything that is due was done.
//!
//! Owns: what is due by the last prices, found by looking at every ticket and every leg. Never does: use the engine's alarms or
//! formulas. Invariants checked: no ticket is left whose price came; no scope is left at its end, or, while prices still move,
//! none that is not being liquidated. Known limits: true only when the caller says that nothing waits and prices are fresh.

use super::contracts::Listed;
use super::tickets_moved::{is_due, stop_reached};
use super::{Auditor, Finding};
use xng_core::contract::book::liquidation_facts::Scope;
use xng_core::contract::leg::Direction;
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId};
use xng_core::journal::Lsn;

impl Auditor {
    /// Whether anybody has a leg.
    #[must_use]
    pub fn has_legs(&self) -> bool {
        self.books.values().any(|book| !book.legs.is_empty())
    }

    /// Whether nobody is left for whom something should have happened: true when nothing waits in the cell and prices are
    /// fresh.
    pub fn nobody_is_due(&self) -> Result<(), Finding> {
        self.credits_are_settled()?;
        self.no_ticket_is_due(|_, _| false)
    }

    /// Whether nobody's legs are left at their end: true when nothing waits in the cell and prices are fresh.
    pub fn no_leg_is_due(&self, now: TimeNs) -> Result<(), Finding> {
        self.no_leg_is_left(now, |_, _| false)
    }

    /// Whether everybody at an end is at least being liquidated: true when nothing waits in the cell after a price came. What
    /// the book and opposite legs do not take of a step is asked for again a second later.
    pub fn all_ends_are_seen(&self, now: TimeNs) -> Result<(), Finding> {
        let is_open = |account: AccountId, scope: &Scope| self.is_liquidated(account, scope);
        self.no_ticket_is_due(|account, asset| is_open(account, &Scope { settle: asset, leg: None }))?;
        self.no_leg_is_left(now, is_open)
    }

    fn no_ticket_is_due(&self, pool_is_liquidated: impl Fn(AccountId, AssetId) -> bool) -> Result<(), Finding> {
        // While a jump waits nothing is done.
        let sure = |listed: &&Listed| listed.trades && !listed.jumps;
        for (id, ticket) in &self.contracts.tickets {
            let Some(listed) = self.contracts.listed.get(&ticket.contract).filter(sure) else {
                continue;
            };
            let index = listed.index.0;
            let due = match ticket.target {
                // No ticket of a pool that is liquidated is opened.
                Some(_) if pool_is_liquidated(ticket.account, ticket.asset) => false,
                Some(target) if ticket.direction == Direction::Long => index <= target,
                Some(target) => index >= target,
                None => stop_reached(ticket, index).is_some() || !ticket.cross && is_due(ticket, index),
            };
            if due {
                return Err(format!("ticket {id} is left at {index}: {ticket:?}"));
            }
        }
        let cross = self.contracts.tickets.values().filter(|ticket| ticket.is_cross());
        for ticket in cross.filter(|ticket| !pool_is_liquidated(ticket.account, ticket.asset)) {
            let trades = |contract: MarketId| self.contracts.listed.get(&contract).filter(sure).is_some();
            let pool = Scope { settle: ticket.asset, leg: None };
            let legs = self.legs_of(ticket.account).filter(|(of, side, leg)| self.has_leg(&pool, *of, *side, leg));
            let tickets = self.cross(ticket.account, ticket.asset).map(|ticket| ticket.contract);
            // One of them without a price, and the pool waits.
            let all_trade = tickets.chain(legs.map(|(contract, ..)| contract)).all(trades);
            if all_trade && self.pool_worth(ticket.account, ticket.asset).is_due() {
                return Err(format!("the pool of account {} is left at its end", ticket.account));
            }
        }
        match self.contracts.deficits.iter().next() {
            Some((asset, owed)) => Err(format!("nobody decided about {owed} of asset {asset}")),
            None => Ok(()),
        }
    }

    fn no_leg_is_left(&self, now: TimeNs, is_liquidated: impl Fn(AccountId, &Scope) -> bool) -> Result<(), Finding> {
        for (contract, book) in &self.books {
            for ((account, side), leg) in book.legs.iter().filter(|_| self.is_fresh(*contract, now)) {
                let own = (!leg.cross).then_some((*contract, *side));
                let scope = Scope { settle: book.asset, leg: own };
                let worth =
                    if leg.cross { self.pool_worth(*account, book.asset) } else { self.leg_worth(*contract, leg) };
                let sure = self.is_certain((Lsn::ZERO, now), *account, &scope).is_ok();
                if worth.is_due() && sure && !is_liquidated(*account, &scope) {
                    return Err(format!("{side:?} of account {account} on {contract} is left at {worth:?}: {leg:?}"));
                }
            }
        }
        Ok(())
    }
}
