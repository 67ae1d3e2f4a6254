//! Tickets as rows, and which of them are asked for.
//!
//! Owns: the tables `tickets` and `closed_copies`, the rows of each fact of contracts, and what they add to volumes of days. Never does:
//! compute a result; the fact has it. Invariants: a row is the engine's own ticket, and how it ended. Known limits: contracts themselves
//! have no rows: their parameters are in memory and in the journal.

use std::collections::BTreeMap;

use xng_core::{
    account::Ticket,
    contract::{
        facts::{ContractFact, MarginMode},
        leg::Direction,
        ticket_facts::{CloseReason, ClosedTicket, TicketTerms, TicketsMoved},
        tickets::{Stops, TicketId},
    },
    copy::CopyLink,
    entity::TimeNs,
    fraction::Fraction,
    ids::{AccountId, AssetId, MarketId},
    journal::Lsn,
    money::{Amount, Lots},
    record::Record,
};

use super::{
    Missing,
    daily_flows::{DailyProduct, day_of},
    daily_volumes::{DailyVolume, Side, VolumeKey},
    message::{MessageKey, MessageKind, StoredMessage},
    table::{Kept, StoredRow, WrittenRow, tables},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of contracts.
    rows {
        /// Tickets that changed, as they are now.
        tickets: BTreeMap<TicketId, StoredTicket>,
        /// Tickets that were closed as copies.
        closed_copies: Vec<StoredClosedCopy>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
        /// Totals of days that changed, as they are now.
        volumes: BTreeMap<VolumeKey, DailyVolume>,
    }
    remembered { tickets: StoredTicket, volumes: DailyVolume }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, record: &Record, fact: &ContractFact) {
        let mut volume = |contract| {
            let product = DailyProduct::Tickets;
            self.volumes.changed(VolumeKey { day: day_of(record.time), product, market: contract });
        };
        match fact {
            ContractFact::TicketOpened(f) => {
                volume(f.terms.contract);
                self.tickets.made(f.terms.ticket);
            }
            ContractFact::TicketReserved(f) => self.tickets.made(f.terms.ticket),
            ContractFact::TicketsMoved(f) => {
                f.activated.iter().for_each(|activated| volume(activated.contract));
                f.closed.iter().for_each(|closed| volume(closed.contract));
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
        tell(fact, time, &mut rows.messages);
        match fact {
            ContractFact::TicketOpened(f) => {
                self.trade(time, rows, (f.account, f.terms.settle, f.terms.contract), (f.terms.price, f.terms.base));
                self.add((f.account, f.terms.settle), Ticket::new(&f.terms, None, time), rows);
            }
            ContractFact::TicketReserved(f) => {
                self.add((f.account, f.terms.settle), Ticket::new(&f.terms, Some(f.target), time), rows);
            }
            ContractFact::TicketsMoved(f) => {
                for activated in &f.activated {
                    let (price, base) = self.change((lsn, activated.ticket), rows, |row| {
                        row.ticket.opened = time;
                        (row.ticket.terms.price, row.ticket.terms.base)
                    })?;
                    self.trade(time, rows, (f.account, activated.settle, activated.contract), (price, base));
                }
                for closed in &f.closed {
                    let end = TicketEnd { time, closed: Some(Close::of(closed)) };
                    let base = self.change((lsn, closed.ticket), rows, |row| {
                        row.end = Some(end);
                        row.ticket.terms.base
                    })?;
                    self.trade(time, rows, (f.account, closed.settle, closed.contract), (closed.index, base));
                }
                rows.closed_copies.extend(StoredClosedCopy::of(f, time));
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

    /// A ticket that was opened or closed, at this price.
    fn trade(
        &mut self,
        time: TimeNs,
        rows: &mut Rows,
        (account, asset, market): (AccountId, AssetId, MarketId),
        (price, base): (Amount, Amount),
    ) {
        let value = Fraction::value(price, base).round8();
        let side = Side { product: DailyProduct::Tickets, market, asset, account, value, counts_trade: true };
        side.add(time, &mut self.volumes, &mut rows.volumes);
    }

    fn change<T>(
        &mut self,
        (lsn, ticket): (Lsn, TicketId),
        rows: &mut Rows,
        change: impl FnOnce(&mut StoredTicket) -> T,
    ) -> Result<T, Missing> {
        let changed = self.tickets.change(ticket, &mut rows.tickets, change);
        changed.ok_or_else(|| Missing { lsn, row: format!("ticket {ticket}") })
    }
}

/// What a fact tells the owner of tickets.
fn tell(fact: &ContractFact, time: TimeNs, rows: &mut BTreeMap<MessageKey, StoredMessage>) {
    match fact {
        ContractFact::TicketsMoved(f) => {
            for opened in &f.activated {
                let message = StoredMessage::new(f.account, MessageKind::TicketOpened, time).about(opened.ticket.0);
                let (market, asset) = (opened.contract, opened.settle);
                StoredMessage { market, asset, other: opened.index, ..message }.add_to(rows);
            }
            for closed in &f.closed {
                let kind = match closed.reason {
                    CloseReason::User | CloseReason::Batch => continue,
                    CloseReason::Liquidation => MessageKind::TicketLiquidated,
                    CloseReason::TakeProfit | CloseReason::StopLoss | CloseReason::Copy => MessageKind::TicketClosed,
                };
                StoredMessage {
                    market: closed.contract,
                    asset: closed.settle,
                    detail: closed.reason as u32,
                    amount: closed.result,
                    other: closed.index,
                    ..StoredMessage::new(f.account, kind, time).about(closed.ticket.0)
                }
                .add_to(rows);
            }
        }
        ContractFact::RiskWarned(f) => {
            let message = StoredMessage::new(f.account, MessageKind::RiskWarning, time);
            StoredMessage { asset: f.settle, amount: f.equity, other: f.maintenance, ..message }.add_to(rows);
        }
        ContractFact::TicketOpened(_)
        | ContractFact::TicketReserved(_)
        | ContractFact::TicketCanceled(_)
        | ContractFact::TicketStopsSet(_)
        | ContractFact::NightCharged(_)
        | ContractFact::ContractListed(_)
        | ContractFact::ContractParamsChanged(_)
        | ContractFact::ContractStateChanged(_)
        | ContractFact::MarkSet(_)
        | ContractFact::DeficitCovered(_) => {}
    }
}

/// A ticket that was closed as a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredClosedCopy {
    /// The copy.
    pub ticket: TicketId,
    /// Whose.
    pub account: AccountId,
    /// What it was a copy of.
    pub link: CopyLink,
    /// What it brought after its costs.
    pub net: Amount,
    /// What of it was withheld for the trader.
    pub withheld: Amount,
    /// When.
    pub time: TimeNs,
}

impl StoredClosedCopy {
    /// Those of a fact.
    fn of(f: &TicketsMoved, time: TimeNs) -> impl Iterator<Item = Self> {
        f.nets.iter().filter_map(move |closed| {
            let (link, withheld) = closed.copy?;
            Some(Self { ticket: closed.ticket, account: f.account, link, net: closed.profit, withheld, time })
        })
    }
}

impl StoredRow for StoredClosedCopy {
    const TABLE: &'static Table = &Table {
        name: "closed_copies",
        reading: "read closed copies",
        key: &["ticket"],
        columns: &[
            "ticket",
            "account",
            "trader",
            "source",
            "follow",
            "net_whole",
            "net_frac",
            "withheld_whole",
            "withheld_frac",
            "time_ns",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let link =
            CopyLink { trader: AccountId(f.id("trader")?), source: TicketId(f.id("source")?), follow: f.id("follow")? };
        Ok(Self {
            ticket: TicketId(f.id("ticket")?),
            account: AccountId(f.id("account")?),
            link,
            net: f.amount("net_whole", "net_frac")?,
            withheld: f.amount("withheld_whole", "withheld_frac")?,
            time: f.id("time_ns")?,
        })
    }
}

impl WrittenRow for StoredClosedCopy {
    fn put(&self, c: &mut Columns) {
        c.id(self.ticket.0).id(self.account.0).id(self.link.trader.0).id(self.link.source.0).id(self.link.follow);
        c.amount(self.net).amount(self.withheld).id(self.time);
    }
}

/// Closed copies of one account, by ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedCopyFilter {
    /// Whose.
    pub account: AccountId,
    /// Of tickets between these two, both included.
    pub tickets: Option<(TicketId, TicketId)>,
}

impl Filter for ClosedCopyFilter {
    type Row = StoredClosedCopy;
    type Cursor = TicketId;
    const ORDER: &'static [&'static str] = &["ticket"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        if let Some((first, last)) = self.tickets {
            query.and().push(&format!("ticket BETWEEN {} AND {}", first.0, last.0));
        }
    }

    fn cursor(row: &StoredClosedCopy) -> TicketId {
        row.ticket
    }

    fn place(ticket: TicketId) -> Vec<u64> {
        vec![ticket.0]
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
        let (take_profit, stop_loss) = (
            f.maybe_amount("take_profit_whole", "take_profit_frac")?,
            f.maybe_amount("stop_loss_whole", "stop_loss_frac")?,
        );
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
            target: f.maybe_amount("target_whole", "target_frac")?,
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

impl WrittenRow for StoredTicket {
    fn put(&self, c: &mut Columns) {
        let (ticket, t) = (&self.ticket, &self.ticket.terms);
        c.id(t.ticket.0).id(self.account.0).int(t.contract.0).int(self.settle.0);
        c.int(t.direction as u8).int(t.mode as u8).int(t.lots.0).amount(t.base).int(t.multiple);
        c.amount(t.price).amount(t.margin).amount(t.fee).amount(t.insurance);
        c.maybe_amount(t.stops.take_profit).maybe_amount(t.stops.stop_loss).maybe_amount(ticket.target);
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
        for sum in sums {
            c.maybe_amount(closed.map(sum));
        }
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
    /// Only those that ended from then on.
    pub ended_from: Option<TimeNs>,
}

impl TicketFilter {
    /// All tickets of an account.
    #[must_use]
    pub fn of(account: AccountId) -> Self {
        Self { account, contract: None, states: None, ended_from: None }
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
        if let Some(from) = self.ended_from {
            query.and().push(&format!("closed_ns >= {from}"));
        }
    }

    fn cursor(row: &StoredTicket) -> TicketId {
        row.ticket.id()
    }

    fn place(cursor: TicketId) -> Vec<u64> {
        vec![cursor.0]
    }
}
