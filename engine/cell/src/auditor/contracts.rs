//! Contracts and their tickets as the auditor sees them: its own sums of margins and lots.
//!
//! Owns: tickets that are open or wait, exposure of contracts. Never does: use the engine's formulas. Invariants checked: a
//! ticket is made once, at a price beyond the index or its target by the contract's spread; margin and fee are what the price
//! makes them; nothing is opened while the contract does not trade; a night is charged once, from each ticket that was
//! open before it. How tickets end: `tickets_moved.rs`.
//! Known limits: that nobody is left who should have been liquidated is true at rest only (`nobody_is_due`).

use super::{Auditor, FEE, Finding, LEVER_HOUSE, WalletKey};
use std::collections::{BTreeMap, VecDeque};
use xng_core::contract::facts::{ContractFact, MarginMode, MarkSet};
use xng_core::contract::leg::Direction;
use xng_core::contract::params::ContractParams;
use xng_core::contract::ticket_facts::{NightCharged, TicketOpened, TicketReserved, TicketTerms};
use xng_core::contract::tickets::{Stops, TicketId};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, MarketId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::Amount;
use xng_core::price::facts::{PriceKind, PriceTicked};
use xng_core::spot::MarketState;

pub(super) const INSURANCE: AccountId = AccountId(5);
pub(super) const ONE: i128 = 100_000_000;
const DAY_NS: u64 = 86_400_000_000_000;

/// A ticket that is open or waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenTicket {
    pub(super) account: AccountId,
    pub(super) contract: MarketId,
    pub(super) asset: AssetId,
    pub(super) direction: Direction,
    pub(super) cross: bool,
    pub(super) lots: i64,
    pub(super) base: i128,
    pub(super) price: i128,
    pub(super) origin: i128,
    pub(super) margin: i128,
    pub(super) fee: i128,
    pub(super) insurance: i128,
    pub(super) stops: Stops,
    /// While it waits: the index that opens it.
    pub(super) target: Option<i128>,
    /// When it was opened.
    pub(super) opened: TimeNs,
    /// Fees of nights so far.
    pub(super) nights: i128,
}

impl OpenTicket {
    /// What the engine's own must be like.
    pub(super) fn shape(&self) -> (Direction, i64, i128, i128, i128, bool) {
        (self.direction, self.lots, self.base, self.price, self.margin, self.target.is_none())
    }

    /// What it gains at an index, in units of 1e-16.
    pub(super) fn gain(&self, index: i128) -> i128 {
        let difference = match self.direction {
            Direction::Long => index - self.price,
            Direction::Short => self.price - index,
        };
        difference * self.base
    }

    fn locked(&self) -> i128 {
        if self.target.is_some() { self.margin + self.fee } else { self.margin }
    }

    /// Open with the pool's money.
    pub(super) fn is_cross(&self) -> bool {
        self.cross && self.target.is_none()
    }
}

/// A contract.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) params: ContractParams,
    pub(super) trades: bool,
    /// An operator halted it.
    halted: bool,
    /// Index and number of the last mark.
    pub(super) index: (i128, u64),
    /// The last mark, and when its tick came.
    pub(super) mark: i128,
    /// The last ones.
    pub(super) marks: VecDeque<i128>,
    pub(super) time: TimeNs,
    /// A jump of the index waits to be confirmed.
    pub(super) jumps: bool,
    /// Hundredths of lots of long and short tickets.
    pub(super) lots: [i64; 2],
}

/// What the auditor knows of contracts.
#[derive(Debug, Clone, Default)]
pub(super) struct Contracts {
    pub(super) tickets: BTreeMap<TicketId, OpenTicket>,
    pub(super) listed: BTreeMap<MarketId, Listed>,
    /// Tickets so far of each account.
    counts: BTreeMap<AccountId, u64>,
    /// The last day that was charged, of each account.
    charged: BTreeMap<AccountId, u32>,
    /// What the insurance was told of and has not decided about.
    pub(super) deficits: BTreeMap<AssetId, i128>,
}

impl Contracts {
    /// A price came, or jumped.
    pub(super) fn hear(&mut self, f: &PriceTicked) {
        for listed in self.listed.values_mut().filter(|listed| listed.params.price == f.price) {
            listed.jumps = f.kind == PriceKind::Suspect;
        }
    }
}

/// Half away from zero.
pub(super) fn nearest(n: i128, d: i128) -> i128 {
    let (q, r) = (n / d, (n % d).abs());
    if r * 2 >= d { q + n.signum() } else { q }
}

pub(super) fn place(direction: Direction) -> usize {
    match direction {
        Direction::Long => 0,
        Direction::Short => 1,
    }
}

pub(super) fn futures(account: AccountId, asset: AssetId) -> WalletKey {
    (account, Wallet::Futures, asset)
}

impl Auditor {
    /// Tickets of an account that are open or wait, by number.
    pub fn tickets(&self, account: AccountId) -> impl Iterator<Item = TicketId> {
        self.own_tickets(account).map(|(id, _)| id)
    }

    /// The index of a contract's last mark.
    pub fn index(&self, contract: MarketId) -> Amount {
        Amount(self.contracts.listed.get(&contract).map_or(0, |listed| listed.index.0))
    }

    pub(super) fn own_tickets(&self, account: AccountId) -> impl Iterator<Item = (TicketId, &OpenTicket)> {
        let first = TicketId(account.0 << 24);
        let from = self.contracts.tickets.range(first..).map(|(id, ticket)| (*id, ticket));
        from.take_while(move |(id, _)| id.0 >> 24 == account.0)
    }

    pub(super) fn contract_fact(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &ContractFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        match fact {
            ContractFact::ContractListed(f) => {
                let listed = Listed {
                    params: f.params.clone(),
                    trades: false,
                    halted: false,
                    index: (0, 0),
                    mark: 0,
                    marks: VecDeque::new(),
                    time: 0,
                    jumps: false,
                    lots: [0; 2],
                };
                match self.contracts.listed.insert(f.params.contract, listed) {
                    Some(_) => Err(format!("record {lsn} lists contract {} again", f.params.contract)),
                    None => Ok(()),
                }
            }
            ContractFact::ContractParamsChanged(f) => {
                let listed = self.listed(lsn, f.params.contract)?;
                if listed.params.price != f.params.price {
                    (listed.index, listed.trades, listed.jumps) = ((0, 0), false, false);
                }
                listed.params = f.params.clone();
                Ok(())
            }
            ContractFact::ContractStateChanged(f) => {
                let listed = self.listed(lsn, f.contract)?;
                (listed.trades, listed.halted) = (f.state == MarketState::Trading, f.state == MarketState::Halt);
                Ok(())
            }
            ContractFact::MarkSet(f) => self.mark_set((lsn, time), f),
            ContractFact::TicketOpened(f) => self.ticket_opened((lsn, time), f, moved),
            ContractFact::TicketReserved(f) => self.ticket_reserved((lsn, time), f, moved),
            ContractFact::TicketCanceled(f) => {
                let ticket = self.take_ticket(lsn, f.ticket, f.account)?;
                if ticket.target.is_none() || f.reserved.0 != ticket.locked() || f.lots.0 != ticket.lots {
                    return Err(format!("record {lsn} cancels {ticket:?} as {f:?}"));
                }
                self.unlock(&ticket, ticket.locked(), ticket.locked(), moved);
                Ok(())
            }
            ContractFact::TicketStopsSet(f) => {
                let index = self.index_of(lsn, f.ticket)?;
                let ticket = self.contracts.tickets.get_mut(&f.ticket).filter(|ticket| ticket.account == f.account);
                let ticket = ticket.ok_or_else(|| format!("record {lsn} sets stops of ticket {}", f.ticket))?;
                ticket.stops = f.stops;
                beyond(lsn, &f.stops, ticket.direction, ticket.target.unwrap_or(index))
            }
            ContractFact::TicketsMoved(f) => self.tickets_moved((lsn, time), f, moved),
            ContractFact::NightCharged(f) => self.night_charged((lsn, time), f, moved),
            ContractFact::RiskWarned(f) => self.risk_warned(lsn, f),
            ContractFact::DeficitCovered(f) => self.deficit_covered(lsn, f, moved),
        }
    }

    /// Whether a jump of a contract's index waits.
    pub(super) fn jumps(&self, contract: MarketId) -> bool {
        self.contracts.listed.get(&contract).is_some_and(|listed| listed.jumps)
    }

    pub(super) fn listed(&mut self, lsn: Lsn, contract: MarketId) -> Result<&mut Listed, Finding> {
        let found = self.contracts.listed.get_mut(&contract);
        found.ok_or_else(|| format!("record {lsn} names contract {contract}, which is not listed"))
    }

    /// The index of a ticket's contract.
    fn index_of(&self, lsn: Lsn, ticket: TicketId) -> Result<i128, Finding> {
        let ticket = self.contracts.tickets.get(&ticket);
        let listed = ticket.and_then(|ticket| self.contracts.listed.get(&ticket.contract));
        listed.map(|listed| listed.index.0).ok_or_else(|| format!("record {lsn} names a ticket that is not there"))
    }

    fn mark_set(&mut self, (lsn, time): (Lsn, TimeNs), f: &MarkSet) -> Result<(), Finding> {
        self.mark_is_right(lsn, time, f)?;
        // Earlier releases set one by a timer; what audits journals of any age is lean.
        let of_this_release = !self.lean;
        let listed = self.listed(lsn, f.contract)?;
        if listed.halted && of_this_release {
            return Err(format!("record {lsn} sets a mark of contract {}, which is halted", f.contract));
        }
        if f.index_seq <= listed.index.1 {
            return Err(format!("record {lsn} makes a mark of tick {} after {}", f.index_seq, listed.index.1));
        }
        listed.index = (f.index.0, f.index_seq);
        (listed.mark, listed.time) = (f.mark.0, f.index_time);
        listed.trades |= f.opens;
        listed.see_mark(f.mark);
        Ok(())
    }

    fn ticket_opened(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &TicketOpened,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let listed = self.listed(lsn, f.terms.contract)?;
        if (f.index.0, f.index_seq) != listed.index || !listed.trades {
            return Err(format!("record {lsn} opens at tick {}, the mark is of {}", f.index_seq, listed.index.1));
        }
        self.copy_opened((lsn, time), f)?;
        let ticket = self.made(lsn, f.account, &f.terms, f.index.0)?;
        if !ticket.cross {
            self.leaves((lsn, time), (f.account, ticket.asset), ticket.margin + ticket.fee)?;
        }
        self.add_ticket(lsn, f.terms.ticket, OpenTicket { opened: time, ..ticket })?;
        let (account, asset) = (ticket.account, ticket.asset);
        self.add(futures(account, asset), -ticket.margin - ticket.fee, ticket.margin, moved);
        self.pay_fee(&ticket, moved);
        *self.explained.entry(futures(account, asset)).or_default() += ticket.margin;
        self.pool_is_alive(lsn, account, asset)
    }

    fn ticket_reserved(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &TicketReserved,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let listed = self.listed(lsn, f.terms.contract)?;
        let better = match f.terms.direction {
            Direction::Long => f.target.0 < listed.index.0,
            Direction::Short => f.target.0 > listed.index.0,
        };
        if !listed.trades || !better {
            return Err(format!("record {lsn} lets a ticket wait for {}, the index is {}", f.target, listed.index.0));
        }
        let ticket = self.made(lsn, f.account, &f.terms, f.target.0)?;
        let ticket = OpenTicket { target: Some(f.target.0), ..ticket };
        self.leaves((lsn, time), (f.account, ticket.asset), ticket.locked())?;
        self.add_ticket(lsn, f.terms.ticket, ticket)?;
        let (wallet, locked) = (futures(ticket.account, ticket.asset), ticket.locked());
        self.add(wallet, -locked, locked, moved);
        *self.explained.entry(wallet).or_default() += locked;
        self.pool_is_alive(lsn, f.account, ticket.asset)
    }

    /// The ticket that terms make at a reference, if they are right.
    fn made(&mut self, lsn: Lsn, account: AccountId, f: &TicketTerms, reference: i128) -> Result<OpenTicket, Finding> {
        let p = &self.listed(lsn, f.contract)?.params;
        let spread = reference * i128::from(p.tickets.spread_ppm);
        let exact = match f.direction {
            Direction::Long => reference * 1_000_000 + spread,
            Direction::Short => reference * 1_000_000 - spread,
        };
        let nearest_tick = nearest(exact, 1_000_000 * p.tick.0) * p.tick.0;
        let price = match f.direction {
            Direction::Long if nearest_tick < reference => nearest_tick + p.tick.0,
            Direction::Short if nearest_tick > reference => nearest_tick - p.tick.0,
            Direction::Long | Direction::Short => nearest_tick,
        };
        let base = i128::from(f.lots.0) * p.lot.0 / 100;
        // One in 1e-16, so that nothing is rounded before margin and fee are.
        let margin = nearest(price * base, ONE * i128::from(f.multiple));
        let wrong = f.price.0 != price || f.base.0 != base || f.margin.0 != margin;
        let limits = !p.tickets.multiples.contains(&f.multiple) || f.insurance.0 > f.fee.0 || f.fee.0 < 0;
        if wrong || limits || f.settle != p.settle || f.lots.0 <= 0 {
            return Err(format!("record {lsn} makes {f:?}; price {price}, base {base}, margin {margin} are right"));
        }
        beyond(lsn, &f.stops, f.direction, reference)?;
        Ok(OpenTicket {
            account,
            contract: f.contract,
            asset: f.settle,
            direction: f.direction,
            cross: f.mode == MarginMode::Cross,
            lots: f.lots.0,
            base,
            price,
            origin: margin,
            margin,
            fee: f.fee.0,
            insurance: f.insurance.0,
            stops: f.stops,
            target: None,
            opened: 0,
            nights: 0,
        })
    }

    fn add_ticket(&mut self, lsn: Lsn, id: TicketId, ticket: OpenTicket) -> Result<(), Finding> {
        self.listed(lsn, ticket.contract)?.lots[place(ticket.direction)] += ticket.lots;
        let count = self.contracts.counts.entry(ticket.account).or_default();
        *count += 1;
        let number = ticket.account.0 * (1 << 24) + *count;
        if id.0 != number || self.contracts.tickets.insert(id, ticket).is_some() {
            return Err(format!("record {lsn} makes ticket {id}, the next one is {number}"));
        }
        Ok(())
    }

    /// Takes a ticket of an account out.
    pub(super) fn take_ticket(&mut self, lsn: Lsn, id: TicketId, account: AccountId) -> Result<OpenTicket, Finding> {
        let found = self.contracts.tickets.remove(&id).filter(|ticket| ticket.account == account);
        let ticket = found.ok_or_else(|| format!("record {lsn} ends ticket {id}, which is not there"))?;
        self.listed(lsn, ticket.contract)?.lots[place(ticket.direction)] -= ticket.lots;
        Ok(ticket)
    }

    /// Its owner gets some of what it locked.
    pub(super) fn unlock(&mut self, ticket: &OpenTicket, locked: i128, back: i128, moved: &mut Vec<WalletKey>) {
        let wallet = futures(ticket.account, ticket.asset);
        self.add(wallet, back, -locked, moved);
        *self.explained.entry(wallet).or_default() -= locked;
    }

    pub(super) fn pay_fee(&mut self, ticket: &OpenTicket, moved: &mut Vec<WalletKey>) {
        self.add(futures(FEE, ticket.asset), ticket.fee - ticket.insurance, 0, moved);
        self.add(futures(INSURANCE, ticket.asset), ticket.insurance, 0, moved);
    }

    fn night_charged(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        f: &NightCharged,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let midnight = u64::from(f.day) * DAY_NS;
        let last = self.contracts.charged.insert(f.account, f.day);
        if time < midnight || last.is_some_and(|last| last >= f.day) {
            return Err(format!("record {lsn} charges day {} after {last:?}", f.day));
        }
        let before = |t: &OpenTicket| t.target.is_none() && t.opened < midnight;
        let mut owed: BTreeMap<TicketId, i128> = BTreeMap::new();
        for (id, ticket) in self.own_tickets(f.account).filter(|(_, t)| before(t)) {
            let Some(listed) = self.contracts.listed.get(&ticket.contract) else { continue };
            let rate = i128::from(listed.params.tickets.overnight_ppm);
            owed.insert(id, nearest(ticket.price * ticket.base * rate, ONE * 1_000_000));
        }
        for night in &f.nights {
            let fee = owed.remove(&night.ticket);
            let available = self.held(futures(f.account, night.settle)).available;
            let ticket = self.contracts.tickets.get_mut(&night.ticket);
            let (Some(fee), Some(ticket)) = (fee, ticket) else {
                return Err(format!("record {lsn} charges ticket {} for a night that it was not open", night.ticket));
            };
            let of_margin = fee.min(ticket.margin);
            let of_available = (fee - of_margin).min(available);
            if (night.of_margin.0, night.of_available.0) != (of_margin, of_available) {
                return Err(format!("record {lsn} takes {night:?}; {of_margin} and {of_available} are right"));
            }
            ticket.margin -= of_margin;
            ticket.nights += of_margin + of_available;
            let wallet = futures(f.account, night.settle);
            self.add(wallet, -of_available, -of_margin, moved);
            *self.explained.entry(wallet).or_default() -= of_margin;
            self.add(futures(LEVER_HOUSE, night.settle), of_margin + of_available, 0, moved);
        }
        // Who has nothing left pays nothing.
        let free = |id: &TicketId| {
            let ticket = &self.contracts.tickets[id];
            ticket.margin == 0 && self.held(futures(f.account, ticket.asset)).available == 0
        };
        match owed.iter().find(|(id, fee)| **fee > 0 && !free(id)) {
            Some((id, fee)) => Err(format!("record {lsn} does not charge ticket {id} its {fee}")),
            None => Ok(()),
        }
    }

    /// What the tickets of each account lock.
    pub(super) fn ticket_locks(&self) -> impl Iterator<Item = (WalletKey, i128)> {
        self.contracts.tickets.values().map(|t| (futures(t.account, t.asset), t.locked()))
    }
}

/// Stops lie on their sides of a price.
fn beyond(lsn: Lsn, stops: &Stops, direction: Direction, price: i128) -> Result<(), Finding> {
    let (above, below) = match direction {
        Direction::Long => (stops.take_profit, stops.stop_loss),
        Direction::Short => (stops.stop_loss, stops.take_profit),
    };
    let good = above.is_none_or(|stop| stop.0 > price) && below.is_none_or(|stop| 0 < stop.0 && stop.0 < price);
    if good { Ok(()) } else { Err(format!("record {lsn} sets {stops:?} of a {direction:?} at {price}")) }
}
