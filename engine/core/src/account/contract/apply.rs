//! What facts of contracts do to an account.
//!
//! Owns: how its tickets and their locks change. Never does: refuse. Invariants: a ticket is opened once and closed once.
//! Known limits: none.

use super::{Ticket, Tickets};
use crate::account::Account;
use crate::account::locks::{Lock, LockKind};
use crate::contract::facts::ContractFact;
use crate::contract::ticket_facts::{DeficitCovered, NightCharged, TicketTerms, TicketsMoved};
use crate::contract::tickets::TicketId;
use crate::entity::Applied;
use crate::ids::{AssetId, Wallet};
use crate::money::Amount;
use crate::record::Role;

impl Account {
    pub(in crate::account) fn apply_contract(&mut self, fact: &ContractFact, applied: Applied<'_>, role: Role) {
        if let (ContractFact::TicketsMoved(f), Role::Insurance) = (fact, role) {
            f.deficits().for_each(|(asset, deficit)| self.hear_of_deficit(asset, deficit));
        }
        // The house and the fees have postings alone.
        if role != Role::Decider {
            return;
        }
        let time = applied.record.time;
        match fact {
            ContractFact::TicketOpened(f) => {
                self.add_ticket(&f.terms, Ticket::new(&f.terms, None, time));
                f.copy.into_iter().for_each(|link| self.link_copy(f.terms.ticket, link));
            }
            ContractFact::TicketReserved(f) => self.add_ticket(&f.terms, Ticket::new(&f.terms, Some(f.target), time)),
            ContractFact::TicketsMoved(f) => self.move_tickets(f, time),
            ContractFact::TicketCanceled(f) => self.remove_ticket(f.ticket, f.settle, f.reserved),
            ContractFact::TicketStopsSet(f) => self.change_ticket(f.ticket, |ticket| ticket.terms.stops = f.stops),
            ContractFact::NightCharged(f) => self.charge_night(f),
            ContractFact::RiskWarned(_) => self.own_tickets().warned = true,
            ContractFact::DeficitCovered(f) => self.forget_deficit(f),
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_) => {}
        }
        self.remember(applied);
    }

    fn own_tickets(&mut self) -> &mut Tickets {
        self.cold_mut().tickets.get_or_insert_default()
    }

    fn add_ticket(&mut self, terms: &TicketTerms, ticket: Ticket) {
        self.lock_ticket(terms.ticket, terms.settle, ticket.locked());
        let tickets = self.own_tickets();
        tickets.count += 1;
        tickets.list.push(ticket);
    }

    fn change_ticket(&mut self, id: TicketId, change: impl FnOnce(&mut Ticket)) {
        let ticket = self.own_tickets().list.iter_mut().find(|ticket| ticket.id() == id);
        change(ticket.unwrap_or_else(|| panic!("{id:?} is not there")));
    }

    fn remove_ticket(&mut self, id: TicketId, settle: AssetId, locked: Amount) {
        self.lock_ticket(id, settle, -locked);
        let tickets = self.own_tickets();
        let before = tickets.list.len();
        tickets.list.retain(|ticket| ticket.id() != id);
        assert!(tickets.list.len() + 1 == before, "{id:?} is not there");
        self.keep_warning();
    }

    fn move_tickets(&mut self, f: &TicketsMoved, time: u64) {
        for activated in &f.activated {
            self.lock_ticket(activated.ticket, activated.settle, -activated.fee);
            self.change_ticket(activated.ticket, |ticket| ticket.opened = time);
        }
        for closed in &f.closed {
            self.remove_ticket(closed.ticket, closed.settle, closed.margin);
        }
        self.unlink_copies(f);
    }

    fn charge_night(&mut self, f: &NightCharged) {
        for night in &f.nights {
            self.lock_ticket(night.ticket, night.settle, -night.of_margin);
            self.change_ticket(night.ticket, |ticket| {
                ticket.margin -= night.of_margin;
                ticket.nights += night.of_margin + night.of_available;
            });
        }
        let tickets = self.own_tickets();
        (tickets.charged, tickets.warned) = (f.day, false);
    }

    pub(super) fn hear_of_deficit(&mut self, asset: AssetId, deficit: Amount) {
        let deficits = &mut self.own_tickets().deficits;
        match deficits.iter_mut().find(|(known, _)| *known == asset) {
            Some((_, sum)) => *sum += deficit,
            None => deficits.push((asset, deficit)),
        }
    }

    /// A warning is forgotten with the last cross position.
    pub(super) fn keep_warning(&mut self) {
        if self.is_warned() && self.pools().is_empty() {
            self.own_tickets().warned = false;
        }
    }

    fn forget_deficit(&mut self, f: &DeficitCovered) {
        self.own_tickets().deficits.retain(|(asset, _)| *asset != f.settle);
    }

    fn lock_ticket(&mut self, ticket: TicketId, asset: AssetId, amount: Amount) {
        let (kind, reference, wallet) = (LockKind::Ticket, ticket.0, Wallet::Futures);
        self.cold_mut().locks.add(Lock { kind, reference, wallet, asset, amount });
    }
}

/// Whether accounts are named by a fact in this role.
pub(in crate::account) fn contract_names_accounts_as(fact: &ContractFact, role: Role) -> bool {
    match fact {
        ContractFact::TicketOpened(_) => matches!(role, Role::Decider | Role::Fees | Role::Insurance),
        ContractFact::TicketsMoved(_) => matches!(role, Role::Decider | Role::Fees | Role::Insurance | Role::Other),
        ContractFact::NightCharged(_) | ContractFact::DeficitCovered(_) => matches!(role, Role::Decider | Role::Other),
        ContractFact::TicketReserved(_)
        | ContractFact::TicketCanceled(_)
        | ContractFact::TicketStopsSet(_)
        | ContractFact::RiskWarned(_) => role == Role::Decider,
        ContractFact::ContractListed(_)
        | ContractFact::ContractParamsChanged(_)
        | ContractFact::ContractStateChanged(_)
        | ContractFact::MarkSet(_) => false,
    }
}
