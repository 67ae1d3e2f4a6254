//! Tickets as rows, and which of them are asked for.
//!
//! Owns: the table `tickets`, and the rows of each fact of contracts. Never does: compute a result; the fact has it.
//! Invariants: a row is the engine's own ticket, and how it ended. Known limits: contracts themselves have no rows: their
//! parameters are in memory and in the journal.

use std::collections::BTreeMap;

use xng_core::{
    account::Ticket,
    contract::{
        facts::{ContractFact, MarginMode},
        leg::Direction,
        ticket_facts::{CloseReason, ClosedTicket, TicketTerms},
        tickets::{Stops, TicketId},
    },
    entity::TimeNs,
    ids::{AccountId, AssetId, MarketId},
    journal::Lsn,
    money::{Amount, Lots},
    record::Record,
};

use super::{
    Missing,
    table::{Kept, StoredRow, WrittenRow, tables},
};
use crate::store::{
    StoreError, amount,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of contracts.
    rows {
        /// Tickets that changed, as they are now.
        tickets: BTreeMap<TicketId, StoredTicket>,
    }
    remembered { tickets: StoredTicket }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, fact: &ContractFact) {
        match fact {
            ContractFact::TicketOpened(f) => self.tickets.made(f.terms.ticket),
            ContractFact::TicketReserved(f) => self.tickets.made(f.terms.ticket),
            ContractFact::TicketsMoved(f) => {
                f.activated.iter().for_each(|activated| self.tickets.changed(activated.ticket));
                f.closed.iter().for_each(|closed| self.tickets.changed(closed.ticket));
            }
            ContractFact::TicketCanceled(f) => self.tickets.changed(f.ticket),
            ContractFact::TicketStopsSet(f) => self.tickets.changed(f.ticket),
            ContractFact::NightCharged(f) => f.nights.iter().for_each(|night| self.tickets.changed(night.ticket)),
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_)
            | ContractFact::RiskWarned(_)
            | ContractFact::DeficitCovered(_) => {}
        }
    }
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &ContractFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let time = record.time;
        match fact {
            ContractFact::TicketOpened(f) => {
                self.add((f.account, f.terms.settle), Ticket::new(&f.terms, None, time), rows);
            }
            ContractFact::TicketReserved(f) => {
                self.add((f.account, f.terms.settle), Ticket::new(&f.terms, Some(f.target), time), rows);
            }
            ContractFact::TicketsMoved(f) => {
                for activated in &f.activated {
                    self.change((lsn, activated.ticket), rows, |row| row.ticket.opened = time)?;
                }
                for closed in &f.closed {
                    let end = TicketEnd { time, closed: Some(Close::of(closed)) };
                    self.change((lsn, closed.ticket), rows, |row| row.end = Some(end))?;
                }
            }
            ContractFact::TicketCanceled(f) => {
                self.change((lsn, f.ticket), rows, |row| row.end = Some(TicketEnd { time, closed: None }))?;
            }
            ContractFact::TicketStopsSet(f) => {
                self.change((lsn, f.ticket), rows, |row| row.ticket.terms.stops = f.stops)?;
            }
            ContractFact::NightCharged(f) => {
                for night in &f.nights {
                    self.change((lsn, night.ticket), rows, |row| {
                        row.ticket.margin -= night.of_margin;
                        row.ticket.nights += night.of_margin + night.of_available;
                    })?;
                }
            }
            ContractFact::ContractListed(_)
            | ContractFact::ContractParamsChanged(_)
            | ContractFact::ContractStateChanged(_)
            | ContractFact::MarkSet(_)
            | ContractFact::RiskWarned(_)
            | ContractFact::DeficitCovered(_) => {}
        }
        Ok(())
    }

    fn add(&mut self, (account, settle): (AccountId, AssetId), ticket: Ticket, rows: &mut Rows) {
        self.tickets.add(StoredTicket { account, settle, ticket, end: None }, &mut rows.tickets);
    }

    fn change(
        &mut self,
        (lsn, ticket): (Lsn, TicketId),
        rows: &mut Rows,
        change: impl FnOnce(&mut StoredTicket),
    ) -> Result<(), Missing> {
        let changed = self.tickets.change(ticket, &mut rows.tickets, change);
        changed.ok_or_else(|| Missing { lsn, row: format!("ticket {ticket}") })
    }
}

/// A ticket, its owner, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredTicket {
    /// Whose.
    pub account: AccountId,
    /// What it is paid in.
    pub settle: AssetId,
    /// The ticket as it was before it ended.
    pub ticket: Ticket,
    /// How it ended, if it did.
    pub end: Option<TicketEnd>,
}

/// How a ticket ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketEnd {
    /// When.
    pub time: TimeNs,
    /// How it was closed; none of a limit ticket that was cancelled.
    pub closed: Option<Close>,
}

/// How a ticket was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Close {
    /// Why.
    pub reason: CloseReason,
    /// At which index.
    pub index: Amount,
    /// What it gained.
    pub result: Amount,
    /// Change of what its owner had available.
    pub credit: Amount,
    /// Change of its owner's results wallet.
    pub unsettled: Amount,
    /// What its owner could not pay.
    pub deficit: Amount,
}

impl Close {
    /// As the fact says.
    #[must_use]
    pub fn of(closed: &ClosedTicket) -> Self {
        let ClosedTicket { reason, index, result, credit, unsettled, deficit, .. } = *closed;
        Self { reason, index, result, credit, unsettled, deficit }
    }
}

impl StoredRow for StoredTicket {
    const TABLE: &'static Table = &Table {
        name: "tickets",
        reading: "read tickets",
        key: &["ticket"],
        columns: &[
            "ticket",
            "account",
            "contract",
            "settle",
            "direction",
            "mode",
            "lots",
            "base_whole",
            "base_frac",
            "multiple",
            "price_whole",
            "price_frac",
            "origin_whole",
            "origin_frac",
            "fee_whole",
            "fee_frac",
            "insurance_whole",
            "insurance_frac",
            "take_profit_whole",
            "take_profit_frac",
            "stop_loss_whole",
            "stop_loss_frac",
            "target_whole",
            "target_frac",
            "margin_whole",
            "margin_frac",
            "nights_whole",
            "nights_frac",
            "created_ns",
            "opened_ns",
            "closed_ns",
            "reason",
            "index_whole",
            "index_frac",
            "result_whole",
            "result_frac",
            "credit_whole",
            "credit_frac",
            "unsettled_whole",
            "unsettled_frac",
            "deficit_whole",
            "deficit_frac",
        ],
        replaced: &[
            "take_profit_whole",
            "take_profit_frac",
            "stop_loss_whole",
            "stop_loss_frac",
            "margin_whole",
            "margin_frac",
            "nights_whole",
            "nights_frac",
            "opened_ns",
            "closed_ns",
            "reason",
            "index_whole",
            "index_frac",
            "result_whole",
            "result_frac",
            "credit_whole",
            "credit_frac",
            "unsettled_whole",
            "unsettled_frac",
            "deficit_whole",
            "deficit_frac",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let (take_profit, stop_loss) =
            (maybe(f, "take_profit_whole", "take_profit_frac")?, maybe(f, "stop_loss_whole", "stop_loss_frac")?);
        let settle = AssetId(f.small("settle")?);
        let terms = TicketTerms {
            ticket: TicketId(f.id("ticket")?),
            contract: MarketId(f.small("contract")?),
            settle,
            direction: f.variant("direction", Direction::ALL, |v| v as u8)?,
            mode: f.variant("mode", MarginMode::ALL, |v| v as u8)?,
            lots: Lots(f.int("lots")?),
            base: f.amount("base_whole", "base_frac")?,
            multiple: f.small("multiple")?,
            price: f.amount("price_whole", "price_frac")?,
            margin: f.amount("origin_whole", "origin_frac")?,
            fee: f.amount("fee_whole", "fee_frac")?,
            insurance: f.amount("insurance_whole", "insurance_frac")?,
            stops: Stops { take_profit, stop_loss },
        };
        let ticket = Ticket {
            terms,
            target: maybe(f, "target_whole", "target_frac")?,
            margin: f.amount("margin_whole", "margin_frac")?,
            nights: f.amount("nights_whole", "nights_frac")?,
            created: f.id("created_ns")?,
            opened: f.id("opened_ns")?,
        };
        let closed = match f.maybe_int("reason")? {
            None => None,
            Some(_) => Some(Close {
                reason: f.variant("reason", CloseReason::ALL, |v| v as u8)?,
                index: f.amount("index_whole", "index_frac")?,
                result: f.amount("result_whole", "result_frac")?,
                credit: f.amount("credit_whole", "credit_frac")?,
                unsettled: f.amount("unsettled_whole", "unsettled_frac")?,
                deficit: f.amount("deficit_whole", "deficit_frac")?,
            }),
        };
        let end = f.maybe_int("closed_ns")?.map(|time| TicketEnd { time: time.cast_unsigned(), closed });
        Ok(StoredTicket { account: AccountId(f.id("account")?), settle, ticket, end })
    }
}

fn maybe(f: &Fields<'_>, whole: &'static str, frac: &'static str) -> Result<Option<Amount>, StoreError> {
    f.maybe_int(whole)?.map(|_| f.amount(whole, frac)).transpose()
}

fn put_maybe(c: &mut Columns, sum: Option<Amount>) {
    let parts = sum.map(amount::split);
    c.maybe_int(parts.map(|(whole, _)| whole)).maybe_int(parts.map(|(_, frac)| frac));
}

impl WrittenRow for StoredTicket {
    fn put(&self, c: &mut Columns) {
        let (ticket, t) = (&self.ticket, &self.ticket.terms);
        c.id(t.ticket.0).id(self.account.0).int(t.contract.0).int(self.settle.0);
        c.int(t.direction as u8).int(t.mode as u8).int(t.lots.0).amount(t.base).int(t.multiple);
        c.amount(t.price).amount(t.margin).amount(t.fee).amount(t.insurance);
        [t.stops.take_profit, t.stops.stop_loss, ticket.target].into_iter().for_each(|price| put_maybe(c, price));
        c.amount(ticket.margin).amount(ticket.nights).id(ticket.created).id(ticket.opened);
        c.maybe_int(self.end.map(|end| end.time.cast_signed()));
        let closed = self.end.and_then(|end| end.closed);
        c.maybe_int(closed.map(|closed| closed.reason as i64));
        let sums: [fn(Close) -> Amount; 5] = [
            |closed| closed.index,
            |closed| closed.result,
            |closed| closed.credit,
            |closed| closed.unsettled,
            |closed| closed.deficit,
        ];
        sums.into_iter().for_each(|sum| put_maybe(c, closed.map(sum)));
    }
}

impl Kept for StoredTicket {
    type Key = TicketId;

    fn key(&self) -> TicketId {
        self.ticket.id()
    }

    fn numbers(key: TicketId) -> impl IntoIterator<Item = i64> {
        [key.0.cast_signed()]
    }

    fn is_done(&self) -> bool {
        self.end.is_some()
    }
}

/// Where a ticket is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketState {
    /// It waits for its target.
    Waits,
    /// It is open.
    Open,
    /// It was closed.
    Closed,
    /// It was cancelled before it was opened.
    Canceled,
}

impl TicketState {
    fn condition(self) -> &'static str {
        match self {
            TicketState::Waits => "closed_ns IS NULL AND opened_ns = 0",
            TicketState::Open => "closed_ns IS NULL AND opened_ns > 0",
            TicketState::Closed => "reason IS NOT NULL",
            TicketState::Canceled => "closed_ns IS NOT NULL AND reason IS NULL",
        }
    }
}

/// Which tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicketFilter {
    /// Whose.
    pub account: AccountId,
    /// Of one contract only.
    pub contract: Option<MarketId>,
    /// Only those in one of these states.
    pub states: Option<&'static [TicketState]>,
}

impl TicketFilter {
    /// All tickets of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, contract: None, states: None }
    }
}

impl Filter for TicketFilter {
    type Row = StoredTicket;
    type Cursor = TicketId;
    const ORDER: &'static [&'static str] = &["ticket"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed()).only("contract", self.contract.map(|contract| contract.0));
        if let Some(states) = self.states {
            let parts: Vec<&str> = states.iter().map(|state| state.condition()).collect();
            query.and().push("(").push(&parts.join(" OR ")).push(")");
        }
    }

    fn cursor(row: &StoredTicket) -> TicketId {
        row.ticket.id()
    }

    fn place(cursor: TicketId) -> Vec<u64> {
        vec![cursor.0]
    }
}
