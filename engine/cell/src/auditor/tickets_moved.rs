//! How tickets end, as the auditor sees it, and what pools of cross tickets are worth.
//!
//! Owns: its own results, credits, deficits, equity. Never does: use the engine's formulas. Invariants
//! checked: a limit ticket is opened at an index that reaches its target; a ticket is closed at an index of its contract's
//! marks, for a reason that holds there; a pool is liquidated whole, and only at its end; results are unsettled only while
//! cross tickets are open; nothing is opened or closed while a jump of an index that counts waits; the insurance pays what it has.
//! Known limits: as in `contracts.rs`.

use super::contracts::{INSURANCE, ONE, OpenTicket, futures, nearest};
use super::{Auditor, Finding, Held, LEVER_HOUSE, WalletKey};
use xng_core::contract::book::liquidation_facts::Scope;
use xng_core::contract::leg::Direction;
use xng_core::contract::ticket_facts::{
    ActivatedTicket, CloseReason, ClosedTicket, DeficitCovered, RiskWarned, TicketsMoved,
};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::journal::Lsn;

/// A pool: twice its equity and twice what must stay, in units of 1e-16.
pub(super) struct PoolSums {
    pub(super) equity: i128,
    pub(super) maintenance: i128,
}

impl Auditor {
    pub(super) fn held(&self, wallet: WalletKey) -> Held {
        self.wallets.get(&wallet).copied().unwrap_or_default()
    }

    pub(super) fn cross(&self, account: AccountId, asset: AssetId) -> impl Iterator<Item = &OpenTicket> {
        self.own_tickets(account).map(|(_, ticket)| ticket).filter(move |t| t.is_cross() && t.asset == asset)
    }

    pub(super) fn pool_sums(&self, account: AccountId, asset: AssetId) -> PoolSums {
        let cash = self.held(futures(account, asset)).available + self.held((account, Wallet::Pnl, asset)).available;
        let mut sums = PoolSums { equity: 2 * cash * ONE, maintenance: 0 };
        for ticket in self.cross(account, asset) {
            let index = self.contracts.listed.get(&ticket.contract).map_or(0, |listed| listed.index.0);
            sums.equity += 2 * (ticket.margin * ONE + ticket.gain(index));
            sums.maintenance += ticket.origin * ONE;
        }
        sums
    }

    /// Nobody begins with a pool at its end.
    pub(super) fn pool_is_alive(&self, lsn: Lsn, account: AccountId, asset: AssetId) -> Result<(), Finding> {
        if self.pool_worth(account, asset).is_due() {
            return Err(format!("record {lsn} leaves the pool of account {account} at its end"));
        }
        Ok(())
    }

    pub(super) fn tickets_moved(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &TicketsMoved,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        if f.activated.is_empty() && f.closed.is_empty() {
            return Err(format!("record {lsn} moves no ticket"));
        }
        for activated in &f.activated {
            self.ticket_activated((lsn, time), f.account, activated, moved)?;
        }
        self.copies_led((lsn, time), f)?;
        let mut liquidated: Vec<AssetId> = Vec::new();
        for closed in &f.closed {
            let cross = self.contracts.tickets.get(&closed.ticket).is_some_and(OpenTicket::is_cross);
            if cross && closed.reason == CloseReason::Liquidation && !liquidated.contains(&closed.settle) {
                self.is_certain((lsn, time), f.account, &Scope { settle: closed.settle, leg: None })?;
                if !self.pool_worth(f.account, closed.settle).is_due() {
                    return Err(format!("record {lsn} liquidates the pool of account {}, which is alive", f.account));
                }
                liquidated.push(closed.settle);
            }
            if closed.reason == CloseReason::Copy {
                self.copy_closes_at((lsn, time), closed)?;
            } else if !self.is_fresh(closed.contract, time) || self.jumps(closed.contract) {
                return Err(format!("record {lsn} closes {closed:?} at an old index, or while it jumps"));
            }
            let ticket = self.ticket_closed(lsn, f.account, closed, moved)?;
            self.copy_moved((lsn, time), f, (closed, &ticket), moved)?;
        }
        let left = |asset: &AssetId| self.cross(f.account, *asset).any(|t| self.is_fresh(t.contract, time));
        match liquidated.iter().find(|asset| left(asset)) {
            Some(_) => Err(format!("record {lsn} liquidates a part of the pool of account {}", f.account)),
            None => Ok(()),
        }
    }

    fn ticket_activated(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        account: AccountId,
        f: &ActivatedTicket,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let jumps = self.jumps(f.contract);
        let at = self.contracts.listed.get(&f.contract).filter(|listed| listed.trades).map(|listed| listed.index);
        let ticket = self.contracts.tickets.get_mut(&f.ticket).filter(|ticket| ticket.account == account);
        let (Some(index), Some(ticket)) = (at, ticket) else {
            return Err(format!("record {lsn} opens {f:?}, which does not wait"));
        };
        let reached = ticket.target.is_some_and(|target| match ticket.direction {
            Direction::Long => index.0 <= target,
            Direction::Short => index.0 >= target,
        });
        let same = (f.contract, f.settle, f.fee.0, f.insurance.0, (f.index.0, f.index_seq))
            == (ticket.contract, ticket.asset, ticket.fee, ticket.insurance, index);
        if !reached || !same || jumps {
            return Err(format!("record {lsn} opens {ticket:?} as {f:?}, jump: {jumps}"));
        }
        (ticket.target, ticket.opened) = (None, time);
        let ticket = *ticket;
        self.unlock(&ticket, ticket.fee, 0, moved);
        self.pay_fee(&ticket, moved);
        Ok(())
    }

    fn ticket_closed(
        &mut self,
        lsn: Lsn,
        account: AccountId,
        closed: &ClosedTicket,
        moved: &mut Vec<WalletKey>,
    ) -> Result<OpenTicket, Finding> {
        let ticket = self.take_ticket(lsn, closed.ticket, account)?;
        let listed = self.listed(lsn, ticket.contract)?;
        let is_copy = closed.reason == CloseReason::Copy;
        if !is_copy && ((closed.index.0, closed.index_seq) != listed.index || !listed.trades) {
            return Err(format!("record {lsn} closes at tick {}, the mark is of {}", closed.index_seq, listed.index.1));
        }
        let result = nearest(ticket.gain(closed.index.0), ONE);
        let sum = ticket.margin + result;
        let (available, unsettled) = (
            self.held(futures(account, ticket.asset)).available,
            self.held((account, Wallet::Pnl, ticket.asset)).available,
        );
        let (credit, change, deficit) = if ticket.cross {
            let cash = available + unsettled + sum;
            let legs = self.has_cross_legs(account, ticket.asset);
            let others = legs || self.cross(account, ticket.asset).next().is_some();
            let missing = (-cash).max(0);
            let rest = if others { -missing } else { 0 };
            (cash.max(0) - available, rest - unsettled, if others { 0 } else { missing })
        } else {
            (sum.max(0), 0, (-sum).max(0))
        };
        let same = (ticket.target, ticket.asset, ticket.contract, ticket.direction, ticket.lots, ticket.margin)
            == (None, closed.settle, closed.contract, closed.direction, closed.lots.0, closed.margin.0);
        let numbers = (result, credit, change, deficit);
        if !same || (closed.result.0, closed.credit.0, closed.unsettled.0, closed.deficit.0) != numbers {
            return Err(format!("record {lsn} closes {ticket:?} as {closed:?}; {numbers:?} are right"));
        }
        self.has_reason(lsn, &ticket, closed)?;
        self.unlock(&ticket, ticket.margin, credit, moved);
        self.add((account, Wallet::Pnl, ticket.asset), change, 0, moved);
        self.add(futures(LEVER_HOUSE, ticket.asset), ticket.margin - credit - change, 0, moved);
        if deficit > 0 {
            *self.contracts.deficits.entry(ticket.asset).or_default() += deficit;
        }
        Ok(ticket)
    }

    fn has_reason(&self, lsn: Lsn, ticket: &OpenTicket, closed: &ClosedTicket) -> Result<(), Finding> {
        let holds = match closed.reason {
            CloseReason::User | CloseReason::Batch | CloseReason::Copy => true,
            CloseReason::TakeProfit | CloseReason::StopLoss => {
                stop_reached(ticket, closed.index.0) == Some(closed.reason)
            }
            // Margin and result are half of the margin at opening, exactly. A pool was looked at as a whole.
            CloseReason::Liquidation => ticket.cross || is_due(ticket, closed.index.0),
        };
        if holds { Ok(()) } else { Err(format!("record {lsn} closes {ticket:?} without a reason: {closed:?}")) }
    }

    pub(super) fn risk_warned(&self, lsn: Lsn, f: &RiskWarned) -> Result<(), Finding> {
        let worth = self.pool_worth(f.account, f.settle);
        // 120 percent of twice what must stay.
        if worth.maintenance == 0 || worth.equity * 10 > worth.maintenance * 24 {
            return Err(format!("record {lsn} warns account {}, whose pool is well", f.account));
        }
        Ok(())
    }

    pub(super) fn deficit_covered(
        &mut self,
        lsn: Lsn,
        f: &DeficitCovered,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let owed = self.contracts.deficits.remove(&f.settle).unwrap_or(0);
        let wallet = futures(INSURANCE, f.settle);
        let paid = owed.min(self.held(wallet).available);
        if (f.account, f.deficit.0, f.paid.0) != (INSURANCE, owed, paid) {
            return Err(format!("record {lsn} covers {f:?}; {owed} were missing, {paid} are there"));
        }
        self.add(wallet, -paid, 0, moved);
        self.add(futures(LEVER_HOUSE, f.settle), paid, 0, moved);
        Ok(())
    }

    /// Whether results of an account are unsettled for no reason.
    pub(super) fn is_settled(&self, lsn: Lsn, key: WalletKey) -> Result<(), Finding> {
        if self.trades_in_books(key.0) { Ok(()) } else { self.is_settled_now(lsn, key) }
    }

    pub(super) fn is_settled_now(&self, lsn: Lsn, (account, wallet, asset): WalletKey) -> Result<(), Finding> {
        let unsettled = self.held((account, Wallet::Pnl, asset)).available;
        if wallet == Wallet::Pnl && unsettled != 0 && self.cross(account, asset).next().is_none() {
            return Err(format!("record {lsn} leaves {unsettled} of account {account} unsettled"));
        }
        Ok(())
    }
}

pub(super) fn is_due(ticket: &OpenTicket, index: i128) -> bool {
    2 * (ticket.margin * ONE + ticket.gain(index)) <= ticket.origin * ONE
}

pub(super) fn stop_reached(ticket: &OpenTicket, index: i128) -> Option<CloseReason> {
    let gains = |price: i128, index: i128| match ticket.direction {
        Direction::Long => index >= price,
        Direction::Short => index <= price,
    };
    let lost = ticket.stops.stop_loss.is_some_and(|stop| gains(index, stop.0));
    let won = ticket.stops.take_profit.is_some_and(|stop| gains(stop.0, index));
    if lost { Some(CloseReason::StopLoss) } else { won.then_some(CloseReason::TakeProfit) }
}
