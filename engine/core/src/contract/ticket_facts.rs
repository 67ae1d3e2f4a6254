//! Facts of tickets: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: every number that is needed to apply a fact is in it; what an owner cannot
//! pay is the house's loss, and the insurance is told of it.
//! Rules: `docs/rules/contracts.md "Tickets"`. Known limits: none.

use super::facts::MarginMode;
use super::leg::Direction;
use super::tickets::{Stops, TicketId};
use crate::copy::CopyLink;
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, MarketId, Wallet};
use crate::money::{Amount, Lots};
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_enum! {
    /// Why a ticket was closed.
    pub enum CloseReason {
        /// Its owner wanted it.
        User = 1,
        /// What may be lost was used up as far as the rules let it.
        Liquidation = 2,
        /// Its owner wanted all, or all of one direction.
        Batch = 3,
        /// The index reached its take-profit price.
        TakeProfit = 4,
        /// The index reached its stop-loss price.
        StopLoss = 5,
        /// The trader's ticket that it is a copy of was closed.
        Copy = 6,
    }
}

crate::wire_struct! {
    /// What a ticket is, however it comes to be.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TicketTerms {
        /// The ticket.
        pub ticket: TicketId,
        /// Of which contract.
        pub contract: MarketId,
        /// What it is paid in.
        pub settle: AssetId,
        /// Long or short.
        pub direction: Direction,
        /// Whose money it may lose.
        pub mode: MarginMode,
        /// Hundredths of a lot.
        pub lots: Lots,
        /// Quantity of the base.
        pub base: Amount,
        /// Its multiple.
        pub multiple: u16,
        /// The price: the index, or the target of a limit ticket, and the spread.
        pub price: Amount,
        /// Its margin.
        pub margin: Amount,
        /// The fee.
        pub fee: Amount,
        /// The insurance's part of the fee.
        pub insurance: Amount,
        /// Where it is closed.
        pub stops: Stops,
    }
}

crate::wire_struct! {
    /// A ticket was opened at the index.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TicketOpened {
        /// Whose.
        pub account: AccountId,
        /// What it is.
        pub terms: TicketTerms,
        /// The index that it was opened at, and its number in the tick log.
        pub index: Amount,
        /// See there.
        pub index_seq: u64,
        /// The account is a trader, whom others may follow.
        pub leads: bool,
        /// It is a copy.
        pub copy: Option<CopyLink>,
    }
}

crate::wire_struct! {
    /// The first form, before there were copies.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TicketOpenedV1 {
        /// Whose.
        pub account: AccountId,
        /// What it is.
        pub terms: TicketTerms,
        /// The index that it was opened at, and its number in the tick log.
        pub index: Amount,
        /// See there.
        pub index_seq: u64,
    }
}

impl From<TicketOpenedV1> for TicketOpened {
    fn from(old: TicketOpenedV1) -> TicketOpened {
        let TicketOpenedV1 { account, terms, index, index_seq } = old;
        TicketOpened { account, terms, index, index_seq, leads: false, copy: None }
    }
}

crate::wire_struct! {
    /// A limit ticket waits for its target; margin and fee are set aside.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TicketReserved {
        /// Whose.
        pub account: AccountId,
        /// What it is.
        pub terms: TicketTerms,
        /// The index at which it is opened.
        pub target: Amount,
    }
}

crate::wire_struct! {
    /// A limit ticket was cancelled: margin and fee came back.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TicketCanceled {
        /// Whose.
        pub account: AccountId,
        /// The ticket.
        pub ticket: TicketId,
        /// Of which contract.
        pub contract: MarketId,
        /// What it is paid in.
        pub settle: AssetId,
        /// Long or short.
        pub direction: Direction,
        /// Hundredths of a lot.
        pub lots: Lots,
        /// Margin and fee.
        pub reserved: Amount,
    }
}

crate::wire_struct! {
    /// A ticket is closed at other prices.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TicketStopsSet {
        /// Whose.
        pub account: AccountId,
        /// The ticket.
        pub ticket: TicketId,
        /// Where it is closed from now on.
        pub stops: Stops,
    }
}

crate::wire_struct! {
    /// A limit ticket whose target was reached: it is open.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ActivatedTicket {
        /// The ticket.
        pub ticket: TicketId,
        /// Of which contract.
        pub contract: MarketId,
        /// What it is paid in.
        pub settle: AssetId,
        /// The fee, which was set aside.
        pub fee: Amount,
        /// The insurance's part of the fee.
        pub insurance: Amount,
        /// The index that it was opened at, and its number in the tick log.
        pub index: Amount,
        /// See there.
        pub index_seq: u64,
    }
}

crate::wire_struct! {
    /// A ticket that was closed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ClosedTicket {
        /// The ticket.
        pub ticket: TicketId,
        /// Why.
        pub reason: CloseReason,
        /// Of which contract.
        pub contract: MarketId,
        /// What it is paid in.
        pub settle: AssetId,
        /// Long or short.
        pub direction: Direction,
        /// Hundredths of a lot.
        pub lots: Lots,
        /// The margin that it had.
        pub margin: Amount,
        /// What it gained.
        pub result: Amount,
        /// Change of what its owner has available: margin and result; of a cross ticket it may be a loss.
        pub credit: Amount,
        /// Change of the results wallet: what available money could not pay, and what is paid off of it.
        pub unsettled: Amount,
        /// What its owner could not pay at all.
        pub deficit: Amount,
        /// The index that it was closed at, and its number in the tick log.
        pub index: Amount,
        /// See there.
        pub index_seq: u64,
    }
}

crate::wire_struct! {
    /// Tickets of one account were opened or closed by prices or by their owner: first those that were opened.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TicketsMoved {
        /// Whose.
        pub account: AccountId,
        /// Limit tickets that are open now.
        pub activated: Vec<ActivatedTicket>,
        /// Tickets that were closed.
        pub closed: Vec<ClosedTicket>,
        /// The account is a trader, whom others may follow.
        pub leads: bool,
        /// A trader's tickets among those that are open now: what copies are made of.
        pub led: Vec<TicketTerms>,
        /// What closed tickets of a trader, and closed copies, brought after their costs.
        pub nets: Vec<ClosedNet>,
    }
}

crate::wire_struct! {
    /// The first form, before there were copies.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TicketsMovedV1 {
        /// Whose.
        pub account: AccountId,
        /// Limit tickets that are open now.
        pub activated: Vec<ActivatedTicket>,
        /// Tickets that were closed.
        pub closed: Vec<ClosedTicket>,
    }
}

impl From<TicketsMovedV1> for TicketsMoved {
    fn from(old: TicketsMovedV1) -> TicketsMoved {
        let TicketsMovedV1 { account, activated, closed } = old;
        TicketsMoved { account, activated, closed, leads: false, led: Vec::new(), nets: Vec::new() }
    }
}

crate::wire_struct! {
    /// What a closed ticket brought after its fee and its nights; no loss beyond what its owner had.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ClosedNet {
        /// The ticket.
        pub ticket: TicketId,
        /// What it brought.
        pub profit: Amount,
        /// Of which ticket it is a copy, and what of the profit is withheld for the trader.
        pub copy: Option<(CopyLink, Amount)>,
    }
}

crate::wire_struct! {
    /// A night's fee of one ticket.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Night {
        /// The ticket.
        pub ticket: TicketId,
        /// What it is paid in.
        pub settle: AssetId,
        /// Taken from its margin.
        pub of_margin: Amount,
        /// Taken from what is available.
        pub of_available: Amount,
    }
}

crate::wire_struct! {
    /// A night was charged.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NightCharged {
        /// Whose.
        pub account: AccountId,
        /// The day that began, counted from 1970-01-01 in UTC.
        pub day: u32,
        /// Tickets that were open before it.
        pub nights: Vec<Night>,
    }
}

crate::wire_struct! {
    /// The pool of an account came near its end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RiskWarned {
        /// Whose.
        pub account: AccountId,
        /// What the pool is paid in.
        pub settle: AssetId,
        /// What it was worth, rounded.
        pub equity: Amount,
        /// What must stay, rounded.
        pub maintenance: Amount,
    }
}

crate::wire_struct! {
    /// The insurance paid what owners of tickets could not.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DeficitCovered {
        /// Who pays.
        pub account: AccountId,
        /// In what.
        pub settle: AssetId,
        /// What was missing.
        pub deficit: Amount,
        /// What was paid; the house bears the rest.
        pub paid: Amount,
    }
}

/// What moves a ticket's money in the futures wallet.
fn moved(account: AccountId, asset: AssetId, log: LogType, reference: u64) -> Posting {
    let (available, locked) = (Amount::ZERO, Amount::ZERO);
    Posting { account, wallet: Wallet::Futures, asset, log, available, locked, reference }
}

/// A movement that is one.
fn unless_nothing(posting: Posting, post: &mut impl FnMut(Posting)) {
    if !(posting.available.is_zero() && posting.locked.is_zero()) {
        post(posting);
    }
}

/// Who receives a fee.
fn tell_fee(fee: Amount, insurance: Amount, tell: &mut impl FnMut(EntityId, Role)) {
    if fee > insurance {
        tell(EntityId::Account(AccountId::FEE), Role::Fees);
    }
    if insurance.is_positive() {
        tell(EntityId::Account(AccountId::INSURANCE), Role::Insurance);
    }
}

/// What a receiver of a fee gets of it.
fn post_fee(
    role: Role,
    (asset, reference): (AssetId, u64),
    (fee, insurance): (Amount, Amount),
    post: &mut impl FnMut(Posting),
) {
    let row = |account, available| Posting { available, ..moved(account, asset, LogType::FEE_INCOME, reference) };
    match role {
        Role::Fees => unless_nothing(row(AccountId::FEE, fee - insurance), post),
        Role::Insurance => unless_nothing(row(AccountId::INSURANCE, insurance), post),
        Role::Decider | Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Other => {}
    }
}

impl FactBody for TicketOpened {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Contract(self.terms.contract), Role::Item(0));
        tell_fee(self.terms.fee, self.terms.insurance, tell);
        if self.leads {
            tell(EntityId::Trader(self.account), Role::Taker);
        }
        if let Some(copy) = self.copy {
            tell(EntityId::Trader(copy.trader), Role::Taker);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let t = &self.terms;
        if role == Role::Decider {
            let row = |log| moved(self.account, t.settle, log, t.ticket.0);
            post(Posting { available: -t.margin, locked: t.margin, ..row(LogType::LEVER_MARGIN) });
            unless_nothing(Posting { available: -t.fee, ..row(LogType::LEVER_FEE) }, post);
        }
        post_fee(role, (t.settle, t.ticket.0), (t.fee, t.insurance), post);
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Ticket(self.terms.ticket))
    }
}

impl FactBody for TicketReserved {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Contract(self.terms.contract), Role::Item(0));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Decider {
            let t = &self.terms;
            let reserved = t.margin + t.fee;
            let row = moved(self.account, t.settle, LogType::LEVER_MARGIN, t.ticket.0);
            post(Posting { available: -reserved, locked: reserved, ..row });
        }
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Ticket(self.terms.ticket))
    }
}

impl FactBody for TicketCanceled {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Contract(self.contract), Role::Item(0));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Decider {
            let row = moved(self.account, self.settle, LogType::LEVER_CANCEL, self.ticket.0);
            post(Posting { available: self.reserved, locked: -self.reserved, ..row });
        }
    }
}

impl FactBody for TicketStopsSet {}

impl ClosedTicket {
    /// The log type of its rows.
    fn log(&self) -> LogType {
        match self.reason {
            CloseReason::User
            | CloseReason::Batch
            | CloseReason::TakeProfit
            | CloseReason::StopLoss
            | CloseReason::Copy => LogType::LEVER_CLOSE,
            CloseReason::Liquidation => LogType::LIQUIDATION,
        }
    }
}

impl TicketsMoved {
    /// What owners could not pay, by asset: one entry a ticket.
    pub fn deficits(&self) -> impl Iterator<Item = (AssetId, Amount)> {
        self.closed.iter().filter(|closed| closed.deficit.is_positive()).map(|closed| (closed.settle, closed.deficit))
    }

    /// Copies among the closed tickets, with what is withheld of their profits.
    pub fn copies(&self) -> impl Iterator<Item = (&ClosedTicket, CopyLink, Amount)> {
        self.nets.iter().filter_map(|closed_net| {
            let (link, withheld) = closed_net.copy?;
            let closed = self.closed.iter().find(|closed| closed.ticket == closed_net.ticket)?;
            Some((closed, link, withheld))
        })
    }

    /// The traders of these, each once.
    fn traders(&self) -> Vec<AccountId> {
        let mut traders: Vec<AccountId> = self.copies().map(|(_, link, _)| link.trader).collect();
        traders.sort_unstable();
        traders.dedup();
        traders
    }

    fn post_own(&self, post: &mut impl FnMut(Posting)) {
        for a in &self.activated {
            let row = moved(self.account, a.settle, LogType::LEVER_FEE, a.ticket.0);
            unless_nothing(Posting { locked: -a.fee, ..row }, post);
        }
        for t in &self.closed {
            let row = moved(self.account, t.settle, t.log(), t.ticket.0);
            unless_nothing(Posting { available: t.credit, locked: -t.margin, ..row }, post);
            unless_nothing(Posting { wallet: Wallet::Pnl, available: t.unsettled, ..row }, post);
        }
        for (closed, link, withheld) in self.copies() {
            let row = moved(self.account, closed.settle, LogType::COPY_SHARE, link.trader.0);
            unless_nothing(Posting { available: -withheld, locked: withheld, ..row }, post);
        }
    }
}

impl FactBody for TicketsMoved {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (n, ticket) in (0..).zip(&self.closed) {
            tell(EntityId::Contract(ticket.contract), Role::Item(n));
        }
        if !self.closed.is_empty() {
            tell(EntityId::Account(AccountId::LEVER_HOUSE), Role::Other);
        }
        if self.activated.iter().any(|a| a.fee > a.insurance) {
            tell(EntityId::Account(AccountId::FEE), Role::Fees);
        }
        if self.activated.iter().any(|a| a.insurance.is_positive()) || self.deficits().next().is_some() {
            tell(EntityId::Account(AccountId::INSURANCE), Role::Insurance);
        }
        if self.leads {
            tell(EntityId::Trader(self.account), Role::Taker);
        }
        self.traders().into_iter().for_each(|trader| tell(EntityId::Trader(trader), Role::Taker));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        match role {
            Role::Decider => self.post_own(post),
            Role::Other => {
                for t in &self.closed {
                    let available = t.margin - t.credit - t.unsettled;
                    let row = moved(AccountId::LEVER_HOUSE, t.settle, t.log(), t.ticket.0);
                    unless_nothing(Posting { available, ..row }, post);
                }
            }
            Role::Fees | Role::Insurance => {
                for a in &self.activated {
                    post_fee(role, (a.settle, a.ticket.0), (a.fee, a.insurance), post);
                }
            }
            Role::Taker | Role::Maker(_) | Role::Item(_) => {}
        }
    }
}

impl FactBody for NightCharged {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if !self.nights.is_empty() {
            tell(EntityId::Account(AccountId::LEVER_HOUSE), Role::Other);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        for night in &self.nights {
            let row = |account| moved(account, night.settle, LogType::OVERNIGHT, night.ticket.0);
            match role {
                Role::Decider => {
                    let (available, locked) = (-night.of_available, -night.of_margin);
                    unless_nothing(Posting { available, locked, ..row(self.account) }, post);
                }
                Role::Other => {
                    let available = night.of_available + night.of_margin;
                    unless_nothing(Posting { available, ..row(AccountId::LEVER_HOUSE) }, post);
                }
                Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => {}
            }
        }
    }
}

impl FactBody for RiskWarned {}

impl FactBody for DeficitCovered {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        if self.paid.is_positive() {
            tell(EntityId::Account(AccountId::LEVER_HOUSE), Role::Other);
        }
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let row = |account, available| Posting { available, ..moved(account, self.settle, LogType::DEFICIT, 0) };
        match role {
            Role::Decider => unless_nothing(row(self.account, -self.paid), post),
            Role::Other => unless_nothing(row(AccountId::LEVER_HOUSE, self.paid), post),
            Role::Taker | Role::Maker(_) | Role::Item(_) | Role::Fees | Role::Insurance => {}
        }
    }
}
