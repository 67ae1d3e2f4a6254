//! A trader whom others follow: followers, links of copies, copies and closes that are still to be made, statistics.
//!
//! Owns: who follows, in which order copies are made, what of it is left to do. Never does: know a balance, price a copy; the
//! follower's account decides about each. Invariants: what is left to do is state, and goes with the fact that says what
//! became of it: after a crash the entry is there or the fact is. Statistics follow from facts alone.
//! Rules: `docs/rules/copy-trading.md`. Known limits: one account is asked at a time.

use super::facts::{CopyFact, Followed};
use super::statistics::Statistics;
use super::{FollowTerms, MOST_FOLLOWERS, SourceIndex, TraderTerms, next_monday};
use crate::account::AccountCommand;
use crate::account::copying::{CopyCommand, CopyOpen};
use crate::codec::{DecodeError, Reader, Wire, hash_bytes, mix64};
use crate::contract::facts::ContractFact;
use crate::contract::ticket_facts::{TicketOpened, TicketTerms, TicketsMoved};
use crate::contract::tickets::TicketId;
use crate::entity::{
    Applied, Ask, Command, CommandClass, Ctx, Deadline, Decision, Entity, HoldRequest, TimeNs, check_version,
    save_versioned,
};
use crate::fraction::Fraction;
use crate::hashed::{AccountQueue, Numbers};
use crate::ids::{AccountId, AssetId, EntityId, HoldId, RequestKey, Wallet};
use crate::money::Amount;
use crate::record::{Fact, Role};
use crate::reject::Reject;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a trader can be asked.
#[derive(Debug, Clone, Copy)]
pub enum TraderCommand {
    /// An account follows, or chooses something else for copies to come.
    Follow {
        /// Who.
        account: AccountId,
        /// What it chose.
        terms: FollowTerms,
    },
    /// Something is left to do, or a week is over.
    Timer,
}

/// A trader as everybody may see it.
#[derive(Debug, Clone)]
pub struct TraderView {
    /// Whose.
    pub trader: AccountId,
    /// The terms; none when it is no trader any more.
    pub terms: Option<TraderTerms>,
    /// How many follow.
    pub followers: usize,
    /// Own tickets that are open.
    pub open_tickets: usize,
    /// Their value at opening.
    pub value: Amount,
    /// Results.
    pub statistics: Statistics,
}

crate::wire_struct! {
    /// An own ticket that is open.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Source {
        /// Its margin at opening.
        pub margin: Amount,
        /// Its value at opening, rounded.
        pub value: Amount,
    }
}

/// What is left to do for followers, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Task {
    /// To copy a ticket. It may have been closed meanwhile, at this index: then nobody copies it any more.
    Open { terms: TicketTerms, at: SourceIndex, closed: Option<SourceIndex> },
    /// To close copies of a ticket.
    Close { source: TicketId, at: SourceIndex },
    /// To let go: it is no trader any more.
    Release,
    /// To settle shares.
    Settle,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pending {
    task: Task,
    /// For whom, in order.
    left: AccountQueue,
}

impl Wire for SourceIndex {
    fn put(&self, out: &mut Vec<u8>) {
        self.index.put(out);
        self.seq.put(out);
        self.time.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(SourceIndex { index: Wire::get(r)?, seq: Wire::get(r)?, time: Wire::get(r)? })
    }
}

impl Wire for Task {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Task::Open { terms, at, closed } => {
                out.push(1);
                terms.put(out);
                at.put(out);
                closed.put(out);
            }
            Task::Close { source, at } => {
                out.push(2);
                source.put(out);
                at.put(out);
            }
            Task::Release => out.push(3),
            Task::Settle => out.push(4),
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            1 => Ok(Task::Open { terms: Wire::get(r)?, at: Wire::get(r)?, closed: Wire::get(r)? }),
            2 => Ok(Task::Close { source: Wire::get(r)?, at: Wire::get(r)? }),
            3 => Ok(Task::Release),
            4 => Ok(Task::Settle),
            other => Err(DecodeError::Unknown { what: "task", value: u64::from(other) }),
        }
    }
}

impl Wire for Pending {
    fn put(&self, out: &mut Vec<u8>) {
        self.task.put(out);
        self.left.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Pending { task: Wire::get(r)?, left: Wire::get(r)? })
    }
}

/// Who follows.
#[derive(Debug, Default)]
struct Followers {
    /// By the number of the follow.
    accounts: BTreeMap<u64, AccountId>,
    /// Numbers of follows by account.
    numbers: BTreeMap<AccountId, u64>,
    /// The sum of their hashes.
    digest: u64,
}

impl Followers {
    fn insert(&mut self, follow: u64, account: AccountId) {
        // Terms that change keep their number.
        if let Entry::Vacant(place) = self.numbers.entry(account) {
            place.insert(follow);
            self.accounts.insert(follow, account);
            self.digest = self.digest.wrapping_add(Followers::hash(follow, account));
        }
    }

    fn remove(&mut self, account: AccountId) {
        if let Some(follow) = self.numbers.remove(&account) {
            self.accounts.remove(&follow);
            self.digest = self.digest.wrapping_sub(Followers::hash(follow, account));
        }
    }

    fn hash(follow: u64, account: AccountId) -> u64 {
        mix64(account.0.wrapping_add(mix64(follow)))
    }
}

/// The state of a trader.
#[derive(Debug)]
pub struct Trader {
    id: AccountId,
    terms: Option<TraderTerms>,
    /// Number of the last follow.
    last_follow: u64,
    followers: Followers,
    /// Own tickets that are open.
    sources: BTreeMap<TicketId, Source>,
    /// Who has copies of which ticket open, in the order in which they were opened.
    links: BTreeMap<TicketId, AccountQueue>,
    /// Copies that are open, by account.
    open_copies: BTreeMap<AccountId, u32>,
    /// Who closed a copy since the shares were settled.
    owing: Numbers,
    /// When shares are settled next; 0 while nobody owes.
    shares_due: TimeNs,
    pending: VecDeque<Pending>,
    statistics: Statistics,
    /// An account is being asked, in memory only: nobody is asked twice for one thing.
    asking: Option<(HoldId, AccountId)>,
    /// Who was asked and left no fact, in memory only.
    refused: BTreeSet<AccountId>,
}

impl Trader {
    /// What is offered, while the account is a trader.
    #[must_use]
    pub fn terms(&self) -> Option<&TraderTerms> {
        self.terms.as_ref()
    }

    /// How many follow.
    #[must_use]
    pub fn follower_count(&self) -> usize {
        self.followers.accounts.len()
    }

    /// How many copies are open.
    #[must_use]
    pub fn open_copies(&self) -> usize {
        self.open_copies.values().map(|open| *open as usize).sum()
    }

    /// Who follows, in the order in which they began.
    pub fn followers(&self) -> impl Iterator<Item = AccountId> {
        self.followers.accounts.values().copied()
    }

    /// Who has copies of which ticket open.
    pub fn links(&self) -> impl Iterator<Item = (TicketId, AccountId)> {
        self.links.iter().flat_map(|(source, accounts)| accounts.iter().map(|account| (*source, account)))
    }

    /// Copies, closes and settlements that are left to do.
    #[must_use]
    pub fn left(&self) -> usize {
        self.pending.iter().map(|pending| pending.left.len()).sum()
    }

    /// Results.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What everybody may see.
    #[must_use]
    pub fn view(&self) -> TraderView {
        TraderView {
            trader: self.id,
            terms: self.terms,
            followers: self.follower_count(),
            open_tickets: self.sources.len(),
            value: self.sources.values().map(|source| source.value).sum(),
            statistics: self.statistics.clone(),
        }
    }

    fn follow(&self, account: AccountId, terms: FollowTerms) -> Result<Decision, Reject> {
        let offer = self.terms.ok_or(Reject::NotTrader)?;
        terms.check()?;
        let follow = match self.followers.numbers.get(&account) {
            // It is let go first.
            _ if self.is_left(account, |task| *task == Task::Release) => return Err(Reject::RequestInFlight),
            None if self.follower_count() >= MOST_FOLLOWERS => return Err(Reject::TraderFull),
            Some(follow) => *follow,
            None => self.last_follow + 1,
        };
        Ok(Decision::Fact(Followed { trader: self.id, account, follow, terms, offer }.into()))
    }

    /// The next thing that is left to do: copies are closed before others are opened, and who refused waits for all others.
    fn next(&self) -> Option<(&Task, AccountId)> {
        let all = |only: fn(&Task) -> bool| {
            let tasks = self.pending.iter().filter(move |pending| only(&pending.task));
            tasks.flat_map(|pending| pending.left.iter().map(move |account| (&pending.task, account)))
        };
        let willing = |(_, account): &(&Task, AccountId)| !self.refused.contains(account);
        let closes = |task: &Task| matches!(task, Task::Close { .. });
        all(closes).find(willing).or_else(|| all(|_| true).find(willing)).or_else(|| all(|_| true).next())
    }

    /// One account is asked.
    fn ask(&self) -> Option<Decision> {
        let (task, account) = self.next()?;
        let trader = self.id;
        let command = match task {
            Task::Open { terms, at, closed } => {
                let is_closed = closed.is_some();
                CopyCommand::Open(Box::new(CopyOpen { trader, terms: *terms, at: *at, is_closed }))
            }
            Task::Close { source, at } => CopyCommand::Close { trader, source: *source, at: *at },
            Task::Release => CopyCommand::Release { trader },
            Task::Settle => CopyCommand::Settle { trader },
        };
        let command = Command::Account(account, AccountCommand::Copy(command));
        let decider = EntityId::Account(account);
        let hold = Some(HoldRequest::of(decider, Wallet::Futures, AssetId(0), Amount::ZERO));
        Some(Decision::Ask(Box::new(Ask { command, hold })))
    }

    fn at_timer(&self, ctx: &Ctx<'_>) -> Decision {
        if self.asking.is_some() {
            return Decision::Nothing;
        }
        if let Some(asks) = self.ask() {
            return asks;
        }
        if self.shares_due == 0 || ctx.now < self.shares_due {
            return Decision::Nothing;
        }
        Decision::Fact(super::facts::SharesDue { trader: self.id, week: self.shares_due }.into())
    }

    fn push(&mut self, task: Task, left: impl IntoIterator<Item = AccountId>) {
        let left: AccountQueue = left.into_iter().collect();
        if !left.is_empty() {
            self.pending.push_back(Pending { task, left });
        }
    }

    /// Something was done for an account: of a kind of task, the first.
    fn done(&mut self, account: AccountId, is_it: impl Fn(&Task) -> bool) {
        self.refused.remove(&account);
        self.pending.iter_mut().any(|pending| is_it(&pending.task) && pending.left.remove(account));
        self.pending.retain(|pending| !pending.left.is_empty());
    }

    /// An own ticket is open.
    fn lead(&mut self, terms: &TicketTerms, at: SourceIndex) {
        if self.terms.is_some_and(|own| own.asset == terms.settle) {
            let value = Fraction::value(terms.price, terms.base).round8();
            self.sources.insert(terms.ticket, Source { margin: terms.margin, value });
            let followers: Vec<AccountId> = self.followers().collect();
            self.push(Task::Open { terms: *terms, at, closed: None }, followers);
        }
    }

    fn opened(&mut self, f: &TicketOpened, time: TimeNs) {
        if f.account == self.id && f.leads {
            self.lead(&f.terms, SourceIndex { index: f.index, seq: f.index_seq, time });
        }
        if let Some(copy) = f.copy.filter(|copy| copy.trader == self.id) {
            let is_it = |task: &Task| matches!(task, Task::Open { terms, .. } if terms.ticket == copy.source);
            // The question was on its way when the ticket was closed.
            let closed = self.pending.iter().find_map(|pending| match &pending.task {
                Task::Open { closed, .. } if is_it(&pending.task) => *closed,
                Task::Open { .. } | Task::Close { .. } | Task::Release | Task::Settle => None,
            });
            self.done(f.account, is_it);
            // Of an open pair nothing is settled.
            self.done(f.account, |task| *task == Task::Settle);
            // When it is no trader any more, the copy is let go with all others.
            let closed = closed.filter(|_| self.terms.is_some());
            closed.into_iter().for_each(|at| self.push(Task::Close { source: copy.source, at }, [f.account]));
            self.links.entry(copy.source).or_default().push_back(f.account);
            *self.open_copies.entry(f.account).or_default() += 1;
            self.statistics.copies += 1;
        }
    }

    fn moved(&mut self, f: &TicketsMoved, time: TimeNs) {
        if f.account == self.id && f.leads {
            for terms in &f.led {
                let activated = f.activated.iter().find(|activated| activated.ticket == terms.ticket);
                let activated = activated.expect("a ticket that is led was activated");
                self.lead(terms, SourceIndex { index: activated.index, seq: activated.index_seq, time });
            }
            for (closed, profit) in f.closed.iter().zip(&f.nets) {
                // Others were opened before the account became a trader, or are paid in something else.
                let Some(source) = self.sources.remove(&closed.ticket) else { continue };
                self.statistics.close(closed.direction, source.margin, profit.profit, time);
                let at = SourceIndex { index: closed.index, seq: closed.index_seq, time };
                for pending in &mut self.pending {
                    if let Task::Open { terms, closed: is_closed, .. } = &mut pending.task
                        && terms.ticket == closed.ticket
                    {
                        *is_closed = Some(at);
                    }
                }
                let left = self.links.get(&closed.ticket).cloned().unwrap_or_default();
                if !left.is_empty() {
                    self.pending.push_back(Pending { task: Task::Close { source: closed.ticket, at }, left });
                }
            }
        }
        let trader = self.id;
        for (_, link, _) in f.copies().filter(|(_, link, _)| link.trader == trader) {
            self.unlink(link.source, f.account);
            if self.shares_due == 0 {
                self.shares_due = next_monday(time);
            }
            self.owing.insert(f.account.0);
            self.settle_if_gone(f.account);
        }
    }

    fn unlink(&mut self, source: TicketId, account: AccountId) {
        let accounts = self.links.get_mut(&source).expect("a copy that ends is linked");
        assert!(accounts.remove(account), "a copy that ends is linked");
        if accounts.is_empty() {
            self.links.remove(&source);
        }
        let open = self.open_copies.get_mut(&account).expect("who has a copy is counted");
        *open -= 1;
        if *open == 0 {
            self.open_copies.remove(&account);
        }
        self.done(account, |task| matches!(task, Task::Close { source: of, .. } if *of == source));
        self.release_if_done(account);
    }

    /// Who neither follows nor has a copy needs no letting go.
    fn release_if_done(&mut self, account: AccountId) {
        if !self.is_following(account) && !self.open_copies.contains_key(&account) {
            self.done(account, |task| matches!(task, Task::Release));
        }
    }

    /// Who follows no more and has no copy open settles at once.
    fn settle_if_gone(&mut self, account: AccountId) {
        let is_gone = !self.is_following(account) && !self.open_copies.contains_key(&account);
        if is_gone {
            self.settle_now(account);
        }
    }

    fn settle_now(&mut self, account: AccountId) {
        if self.owing.contains(account.0) && !self.is_settling(account) {
            self.push(Task::Settle, [account]);
        }
    }

    fn is_following(&self, account: AccountId) -> bool {
        self.followers.numbers.contains_key(&account)
    }

    fn is_settling(&self, account: AccountId) -> bool {
        self.is_left(account, |task| *task == Task::Settle)
    }

    fn is_left(&self, account: AccountId, is_it: impl Fn(&Task) -> bool) -> bool {
        self.pending.iter().any(|pending| is_it(&pending.task) && pending.left.contains(account))
    }

    fn unfollow(&mut self, account: AccountId, detached: bool) {
        self.followers.remove(account);
        if detached {
            let of: Vec<TicketId> =
                self.links.iter().filter(|(_, accounts)| accounts.contains(account)).map(|(of, _)| *of).collect();
            of.into_iter().for_each(|source| self.unlink(source, account));
        }
        self.release_if_done(account);
        self.settle_if_gone(account);
    }

    fn set(&mut self, terms: Option<TraderTerms>) {
        self.terms = terms;
        if terms.is_some() {
            return;
        }
        self.sources.clear();
        for pending in &mut self.pending {
            if let Task::Open { at, closed, .. } = &mut pending.task {
                closed.get_or_insert(*at);
            }
        }
        let mut all: Vec<AccountId> = self.followers().collect();
        all.extend(self.open_copies.keys().filter(|account| !self.is_following(**account)));
        self.push(Task::Release, all);
    }

    fn shares_due(&mut self, week: TimeNs) {
        let flat: Vec<AccountId> = self
            .owing
            .iter()
            .map(AccountId)
            .filter(|account| !self.open_copies.contains_key(account) && !self.is_settling(*account))
            .collect();
        self.push(Task::Settle, flat);
        self.shares_due = next_monday(week);
    }

    fn hear(&mut self, fact: &CopyFact) {
        match fact {
            CopyFact::TraderSet(f) => self.set(f.terms),
            CopyFact::Followed(f) => {
                self.last_follow = self.last_follow.max(f.follow);
                self.followers.insert(f.follow, f.account);
            }
            CopyFact::Unfollowed(f) => self.unfollow(f.account, !f.detached.is_empty()),
            CopyFact::CopySkipped(f) => {
                self.done(f.account, |task| matches!(task, Task::Open { terms, .. } if terms.ticket == f.source));
                self.statistics.skips += 1;
            }
            CopyFact::CopyDetached(f) => {
                self.unlink(f.source, f.account);
                if !self.open_copies.contains_key(&f.account) {
                    self.settle_now(f.account);
                }
            }
            CopyFact::SharesDue(f) => self.shares_due(f.week),
            CopyFact::ProfitShared(f) => {
                self.done(f.account, |task| *task == Task::Settle);
                self.owing.remove(f.account.0);
                if self.owing.is_empty() {
                    self.shares_due = 0;
                }
            }
        }
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.terms.put(out);
        self.last_follow.put(out);
        self.followers.accounts.iter().map(|(follow, account)| (*follow, *account)).collect::<Vec<_>>().put(out);
        self.sources.iter().map(|(ticket, source)| (*ticket, *source)).collect::<Vec<_>>().put(out);
        self.links.iter().map(|(source, accounts)| (*source, accounts.clone())).collect::<Vec<_>>().put(out);
        self.owing.put(out);
        self.shares_due.put(out);
        self.pending.iter().cloned().collect::<Vec<_>>().put(out);
        self.statistics.put(out);
    }
}

fn put_queue(queue: &AccountQueue, out: &mut Vec<u8>) {
    (queue.len() as u64).put(out);
    queue.digest().put(out);
}

const STATE_VERSION: u8 = 1;

impl Entity for Trader {
    type Id = AccountId;
    type Command = TraderCommand;

    const NAME: &'static str = "trader";
    const MESSAGES: &'static [&'static str] = &["follow", "timer"];

    fn message(command: &TraderCommand) -> usize {
        match command {
            TraderCommand::Follow { .. } => 0,
            TraderCommand::Timer => 1,
        }
    }

    fn blank(id: AccountId) -> Trader {
        Trader {
            id,
            terms: None,
            last_follow: 0,
            followers: Followers::default(),
            sources: BTreeMap::new(),
            links: BTreeMap::new(),
            open_copies: BTreeMap::new(),
            owing: Numbers::default(),
            shares_due: 0,
            pending: VecDeque::new(),
            statistics: Statistics::default(),
            asking: None,
            refused: BTreeSet::new(),
        }
    }

    fn decide(&self, command: &TraderCommand, ctx: &Ctx<'_>) -> Decision {
        match command {
            TraderCommand::Follow { account, terms } => self.follow(*account, *terms).unwrap_or_else(Decision::Reject),
            TraderCommand::Timer => self.at_timer(ctx),
        }
    }

    fn evolve(&mut self, applied: Applied<'_>, _role: Role) {
        let time = applied.record.time;
        match &applied.record.fact {
            Fact::Copy(fact) => self.hear(fact),
            Fact::Contract(ContractFact::TicketOpened(f)) => self.opened(f, time),
            Fact::Contract(ContractFact::TicketsMoved(f)) => self.moved(f, time),
            other @ (Fact::Contract(_)
            | Fact::Spot(_)
            | Fact::Account(_)
            | Fact::Price(_)
            | Fact::Book(_)
            | Fact::Convert(_)
            | Fact::Seconds(_)
            | Fact::Stock(_)
            | Fact::Chain(_)
            | Fact::Coupon(_)
            | Fact::Registry(_)
            | Fact::Cell(_)) => unreachable!("a trader is not named by {}", other.name()),
        }
    }

    fn class(command: &TraderCommand) -> CommandClass {
        match command {
            TraderCommand::Follow { .. } => CommandClass::Consumes,
            TraderCommand::Timer => CommandClass::Releases,
        }
    }

    fn deadline(&self) -> Option<Deadline> {
        if !self.pending.is_empty() {
            return Some(Deadline::Elapsed(0));
        }
        (self.shares_due > 0).then_some(Deadline::Calendar(self.shares_due))
    }

    // What is closed frees money; all else waits while little room is left.
    fn settles(&self) -> bool {
        !self.pending.iter().any(|pending| matches!(pending.task, Task::Close { .. }))
    }

    fn timer() -> Option<TraderCommand> {
        Some(TraderCommand::Timer)
    }

    // Who is asked after the next one.
    fn likely_parties(&self, command: &TraderCommand, tell: &mut impl FnMut(EntityId)) {
        if matches!(command, TraderCommand::Timer)
            && let Some(pending) = self.pending.front()
        {
            pending.left.iter().nth(1).into_iter().for_each(|account| tell(EntityId::Account(account)));
        }
    }

    fn place_hold(&mut self, hold: HoldId, request: Option<HoldRequest>, _key: Option<RequestKey>) {
        let asked = request.and_then(|request| request.decider.account());
        self.asking = asked.map(|account| (hold, account));
    }

    fn release_hold(&mut self, hold: HoldId) {
        // A fact, if there is one, follows, and takes it off again.
        if let Some((_, account)) = self.asking.take_if(|(asked, _)| *asked == hold) {
            self.refused.insert(account);
        }
    }

    fn digest(&self) -> u64 {
        let mut bytes = Vec::with_capacity(512);
        self.terms.put(&mut bytes);
        self.last_follow.put(&mut bytes);
        self.followers.digest.put(&mut bytes);
        self.sources.iter().map(|(ticket, source)| (*ticket, *source)).collect::<Vec<_>>().put(&mut bytes);
        // Followers, links and tasks are thousands: each was hashed when it came, and only the sums are read here.
        for (source, accounts) in &self.links {
            source.put(&mut bytes);
            put_queue(accounts, &mut bytes);
        }
        self.owing.digest().put(&mut bytes);
        self.shares_due.put(&mut bytes);
        for pending in &self.pending {
            pending.task.put(&mut bytes);
            put_queue(&pending.left, &mut bytes);
        }
        self.statistics.put(&mut bytes);
        hash_bytes(self.id.0, &bytes)
    }

    fn save(&self, out: &mut Vec<u8>) {
        save_versioned(STATE_VERSION, out, |out| self.put_state(out));
    }

    fn load(id: AccountId, r: &mut Reader<'_>) -> Result<Trader, DecodeError> {
        check_version(r, STATE_VERSION, "trader state version")?;
        let (terms, last_follow) = (Wire::get(r)?, Wire::get(r)?);
        let mut followers = Followers::default();
        Vec::<(u64, AccountId)>::get(r)?.into_iter().for_each(|(follow, account)| followers.insert(follow, account));
        let sources = Vec::<(TicketId, Source)>::get(r)?.into_iter().collect();
        let links: BTreeMap<TicketId, AccountQueue> = Vec::<(TicketId, AccountQueue)>::get(r)?.into_iter().collect();
        let mut open_copies: BTreeMap<AccountId, u32> = BTreeMap::new();
        let linked = links.values().flat_map(AccountQueue::iter);
        linked.for_each(|account| *open_copies.entry(account).or_default() += 1);
        let owing = Numbers::get(r)?;
        let (shares_due, pending) = (Wire::get(r)?, Vec::<Pending>::get(r)?.into());
        let statistics = Wire::get(r)?;
        Ok(Trader {
            id,
            terms,
            last_follow,
            followers,
            sources,
            links,
            open_copies,
            owing,
            shares_due,
            pending,
            statistics,
            asking: None,
            refused: BTreeSet::new(),
        })
    }
}
