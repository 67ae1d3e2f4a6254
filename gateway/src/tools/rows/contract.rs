//! Rows of tickets by the tools' own fold, and where the store has them.
//!
//! Owns: open tickets of all accounts, or of one; what is compared of tickets. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: open tickets are kept in memory.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::observe::render;
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::BTreeMap;
use xng_core::account::Ticket;
use xng_core::codec::Wire;
use xng_core::contract::facts::ContractFact;
use xng_core::contract::ticket_facts::{NightCharged, TicketTerms, TicketsMoved};
use xng_core::contract::tickets::TicketId;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_persistence::store::{Close, ClosedCopyFilter, StoredClosedCopy, StoredTicket, TicketEnd, TicketFilter};

tables! { tickets: StoredTicket, closed_copies: StoredClosedCopy }

impl ComparedRow for StoredTicket {
    const NAMES: [&'static str; 2] = ["ticket", "tickets"];
    const KEY: &'static str = "tickets";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = TicketId;

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> TicketId {
        self.ticket.id()
    }
    fn id(&self) -> u64 {
        self.ticket.id().0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.settle.put(out);
        self.ticket.put(out);
        if let Some(end) = &self.end {
            end.time.put(out);
            if let Some(c) = &end.closed {
                c.reason.put(out);
                [c.index, c.result, c.credit, c.unsettled, c.deficit].iter().for_each(|sum| sum.put(out));
            }
        }
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(TicketFilter::of(account))
    }
}

impl ComparedRow for StoredClosedCopy {
    const NAMES: [&'static str; 2] = ["closed copy", "closed copies"];
    const KEY: &'static str = "closed_copies";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = TicketId;

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> TicketId {
        self.ticket
    }
    fn id(&self) -> u64 {
        self.ticket.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.link.put(out);
        [self.net, self.withheld].iter().for_each(|sum| sum.put(out));
        self.time.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(ClosedCopyFilter { account, tickets: None })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    open: BTreeMap<TicketId, StoredTicket>,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, open: BTreeMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &ContractFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            ContractFact::TicketOpened(f) if self.whose.wants(f.account) => {
                self.made(f.account, (&f.terms, None), time, rows)
            }
            ContractFact::TicketReserved(f) if self.whose.wants(f.account) => {
                self.made(f.account, (&f.terms, Some(f.target)), time, rows)
            }
            ContractFact::TicketsMoved(f) if self.whose.wants(f.account) => self.moved((lsn, time), f, rows),
            ContractFact::TicketCanceled(f) if self.whose.wants(f.account) => {
                self.ended(lsn, f.ticket, TicketEnd { time, closed: None }, rows)
            }
            ContractFact::TicketStopsSet(f) if self.whose.wants(f.account) => {
                self.changed(lsn, f.ticket, rows, |ticket| ticket.terms.stops = f.stops)
            }
            ContractFact::NightCharged(f) if self.whose.wants(f.account) => self.charged(lsn, f, rows),
            ContractFact::TicketOpened(_)
            | ContractFact::TicketReserved(_)
            | ContractFact::TicketsMoved(_)
            | ContractFact::TicketCanceled(_)
            | ContractFact::TicketStopsSet(_)
            | ContractFact::NightCharged(_)
            | ContractFact::RiskWarned(_)
            | ContractFact::DeficitCovered(_)
            | ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_) => Ok(()),
        }
    }

    /// Open tickets.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        open.extend(self.open.iter().map(|(id, StoredTicket { ticket, .. })| {
            let terms = &ticket.terms;
            let (direction, contract) = (format!("{:?}", terms.direction), terms.contract);
            let object = json!({ "ticket": id.0, "contract": contract.0, "direction": direction,
                "base": terms.base.to_string(), "price": terms.price.to_string(), "margin": ticket.margin.to_string(),
                "opened": render::time(ticket.opened), "target": ticket.target.map(|target| target.to_string()) });
            let state = if ticket.is_open() { "open" } else { "waiting" };
            let text = format!(
                "{state} ticket {id}: {direction} {} at {} on contract {contract}, margin {}",
                terms.base, terms.price, ticket.margin
            );
            (text, object)
        }));
    }

    fn made(
        &mut self,
        account: AccountId,
        (terms, target): (&TicketTerms, Option<Amount>),
        time: TimeNs,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        let opened = if target.is_none() { time } else { 0 };
        let (margin, nights, created) = (terms.margin, Amount::ZERO, time);
        let ticket = Ticket { terms: *terms, target, margin, nights, created, opened };
        let row = StoredTicket { account, settle: terms.settle, ticket, end: None };
        self.open.insert(terms.ticket, row);
        rows.tickets.add(&row)
    }

    fn changed(
        &mut self,
        lsn: Lsn,
        id: TicketId,
        rows: &mut Tables<impl Tool>,
        change: impl FnOnce(&mut Ticket),
    ) -> Result<(), ToolError> {
        let Some(row) = self.open.get_mut(&id) else { return Err(missing(lsn, id)) };
        let before = *row;
        change(&mut row.ticket);
        rows.tickets.take(Some(&before), row)
    }

    fn ended(&mut self, lsn: Lsn, id: TicketId, end: TicketEnd, rows: &mut Tables<impl Tool>) -> Result<(), ToolError> {
        let before = self.open.remove(&id).ok_or_else(|| missing(lsn, id))?;
        rows.tickets.take(Some(&before), &StoredTicket { end: Some(end), ..before })
    }

    fn moved(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &TicketsMoved,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        for activated in &f.activated {
            self.changed(lsn, activated.ticket, rows, |ticket| ticket.opened = time)?;
        }
        for c in &f.closed {
            let (reason, index, result) = (c.reason, c.index, c.result);
            let (credit, unsettled, deficit) = (c.credit, c.unsettled, c.deficit);
            let closed = Some(Close { reason, index, result, credit, unsettled, deficit });
            self.ended(lsn, c.ticket, TicketEnd { time, closed }, rows)?;
        }
        for n in &f.nets {
            let Some((link, withheld)) = n.copy else { continue };
            let (ticket, account, net) = (n.ticket, f.account, n.profit);
            rows.closed_copies.add(&StoredClosedCopy { ticket, account, link, net, withheld, time })?;
        }
        Ok(())
    }

    fn charged(&mut self, lsn: Lsn, f: &NightCharged, rows: &mut Tables<impl Tool>) -> Result<(), ToolError> {
        for night in &f.nights {
            self.changed(lsn, night.ticket, rows, |ticket| {
                ticket.margin -= night.of_margin;
                ticket.nights += night.of_margin + night.of_available;
            })?;
        }
        Ok(())
    }
}

fn missing(lsn: Lsn, id: TicketId) -> ToolError {
    ToolError::Found(format!("record {lsn} changes ticket {id}, which is not there"))
}
