//! The histories of accounts: their latest orders that are done, fills, prevented matches and lists.
//!
//! Owns: what of these is in memory, and how far back it reaches for each account. Never does: decide; speak to a store;
//! change an account. Invariants: it is a fold of durable records; all that happened after an account's reach and up to
//! [`Histories::position`] is here. Whoever reads asks for what was up to a position, so that an account and its history
//! fit each other.
//! Why apart from the accounts: what is done is written once and hardly ever read, and would take a fifth of the time
//! of an order on the one thread that decides.
//! Known limits: open orders are kept here a second time; beyond [`BYTES`] the oldest entries of all accounts go; spot only.

use super::order_effects::{OrderKeeper, each_order_effect};
use super::recent::{Begun, Place, RECENT, Recent};
use super::{Fill, Order, OrderChange};
use crate::entity::TimeNs;
use crate::ids::{AccountId, ClientOrderId, EntityId, MarketId, OrderId};
use crate::journal::Lsn;
use crate::record::{Record, Role};
use crate::spot::facts::OrderList;
use crate::spot::prevented_matches::PreventedMatch;
use std::collections::{BTreeMap, VecDeque};

/// Bytes of all entries together at most.
pub const BYTES: usize = 256 << 20;
/// Chunks at least before those that were forgotten are taken out of their list.
const LOOK_THROUGH: usize = 1_024;
/// Lists of an account that are kept; older ones come from the store.
pub const LISTS: usize = 64;

/// The history of one account.
#[derive(Debug)]
pub struct History {
    /// By id.
    open: Vec<Open>,
    done: Recent<Order>,
    fills: Recent<Fill>,
    prevented: Latest<PreventedMatch>,
    lists: Latest<(OrderList, TimeNs)>,
}

/// An order that is open. In a box: it is large, and its neighbours move when one comes or goes.
#[derive(Debug)]
struct Open {
    id: OrderId,
    order: Box<Order>,
}

/// The latest of what is seldom.
#[derive(Debug)]
struct Latest<T> {
    entries: VecDeque<(Place, T)>,
    reach: Place,
}

impl<T: Clone> Latest<T> {
    fn since(reach: Place) -> Latest<T> {
        Latest { entries: VecDeque::new(), reach }
    }

    fn push(&mut self, at: Place, entry: T, most: usize) {
        self.entries.push_back((at, entry));
        if self.entries.len() > most
            && let Some((at, _)) = self.entries.pop_front()
        {
            self.reach = at;
        }
    }

    fn upto(&self, upto: Lsn) -> Vec<T> {
        self.entries.iter().take_while(|(at, _)| at.lsn <= upto).map(|(_, entry)| entry.clone()).collect()
    }
}

/// Entries up to a position, oldest first, and from where on they are all.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The entries.
    pub entries: Vec<T>,
    /// Those of later records are all there.
    pub reach: Place,
}

impl History {
    fn since(reach: Place) -> History {
        History {
            open: Vec::new(),
            done: Recent::since(reach),
            fills: Recent::since(reach),
            prevented: Latest::since(reach),
            lists: Latest::since(reach),
        }
    }

    fn find_open(&self, id: OrderId) -> Result<usize, usize> {
        self.open.binary_search_by_key(&id, |open| open.id)
    }

    fn insert(&mut self, order: Order) {
        let at = self.find_open(order.order).expect_err("an id is given once");
        self.open.insert(at, Open { id: order.order, order: Box::new(order) });
    }

    /// Orders that are done.
    #[must_use]
    pub fn done(&self, upto: Lsn) -> Page<Order> {
        Page { entries: self.done.oldest(upto).collect(), reach: self.done.reach() }
    }

    /// Fills.
    #[must_use]
    pub fn fills(&self, upto: Lsn) -> Page<Fill> {
        Page { entries: self.fills.oldest(upto).collect(), reach: self.fills.reach() }
    }

    /// Prevented matches.
    #[must_use]
    pub fn prevented(&self, upto: Lsn) -> Page<PreventedMatch> {
        Page { entries: self.prevented.upto(upto), reach: self.prevented.reach }
    }

    /// Lists, and when they were taken.
    #[must_use]
    pub fn lists(&self, upto: Lsn) -> Page<(OrderList, TimeNs)> {
        Page { entries: self.lists.upto(upto), reach: self.lists.reach }
    }

    /// Orders that were done in later records are all there.
    #[must_use]
    pub fn reach_of_done(&self) -> Place {
        self.done.reach()
    }

    /// Fills of later records are all there.
    #[must_use]
    pub fn reach_of_fills(&self) -> Place {
        self.fills.reach()
    }

    /// When the account's orders that are done last changed.
    #[must_use]
    pub fn last_change(&self, upto: Lsn) -> TimeNs {
        let done = self.done.newest(upto).next().map(|order| order.updated);
        done.max(self.fills.newest(upto).next().map(|fill| fill.time)).unwrap_or_default()
    }

    /// The newest order that is done with a client order id.
    #[must_use]
    pub fn named(&self, name: ClientOrderId, upto: Lsn) -> Option<Order> {
        self.done.newest(upto).find(|order| order.client_id == Some(name))
    }

    /// One order that is done.
    #[must_use]
    pub fn order(&self, id: OrderId, upto: Lsn) -> Option<Order> {
        self.done.newest(upto).find(|order| order.order == id)
    }

    /// The fills of one order, which was taken at `created`, oldest first.
    #[must_use]
    pub fn fills_of(&self, id: OrderId, created: TimeNs, upto: Lsn) -> Vec<Fill> {
        // None of them is older than the order.
        let fills = self.fills.newest(upto).take_while(|fill| fill.time >= created);
        let mut fills: Vec<Fill> = fills.filter(|fill| fill.order == id).collect();
        fills.reverse();
        fills
    }
}

/// Which of a history's lists a chunk is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Done,
    Fills,
}

/// A chunk of somebody's entries, by age.
#[derive(Debug)]
struct Aged {
    number: u64,
    account: AccountId,
    of: Of,
}

/// The histories of all accounts; see the module's header.
#[derive(Debug)]
pub struct Histories {
    accounts: BTreeMap<AccountId, Box<History>>,
    /// What happened up to there is not here.
    since: Place,
    at: Place,
    /// Chunks in the order in which they were begun; those that were forgotten since are in it too.
    chunks: VecDeque<Aged>,
    /// Chunks that the record in hand began, and the bytes that they take more.
    begun: Vec<(Aged, isize)>,
    next_chunk: u64,
    /// With so many chunks, those that were forgotten are taken out.
    look_through_at: usize,
    bytes: usize,
    most: usize,
}

fn is_there(accounts: &BTreeMap<AccountId, Box<History>>, aged: &Aged) -> bool {
    let Some(history) = accounts.get(&aged.account) else { return false };
    let oldest = match aged.of {
        Of::Done => history.done.oldest_chunk(),
        Of::Fills => history.fills.oldest_chunk(),
    };
    aged.number >= oldest
}

impl Histories {
    /// Goes on from a state in which these orders are open.
    #[must_use]
    pub fn since(since: Place, open: impl IntoIterator<Item = (AccountId, Order)>) -> Histories {
        let mut histories = Histories {
            accounts: BTreeMap::new(),
            since,
            at: since,
            chunks: VecDeque::new(),
            begun: Vec::new(),
            next_chunk: 0,
            look_through_at: LOOK_THROUGH,
            bytes: 0,
            most: BYTES,
        };
        for (account, order) in open {
            let history = histories.accounts.entry(account).or_insert_with(|| Box::new(History::since(since)));
            history.insert(order);
        }
        histories
    }

    /// Keeps so many bytes of entries instead of [`BYTES`].
    #[must_use]
    pub fn with_bytes(mut self, most: usize) -> Histories {
        self.most = most;
        self
    }

    /// The last record that is in them.
    #[must_use]
    pub fn position(&self) -> Lsn {
        self.at.lsn
    }

    /// Where they begin: what happened up to there is not in them.
    #[must_use]
    pub fn began(&self) -> Place {
        self.since
    }

    /// The orders that are open.
    pub fn open(&self) -> impl Iterator<Item = &Order> {
        self.accounts.values().flat_map(|history| &history.open).map(|open| &*open.order)
    }

    /// Bytes of the entries.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What is known of an account; none when nothing happened to its orders since they began.
    #[must_use]
    pub fn of(&self, account: AccountId) -> Option<&History> {
        self.accounts.get(&account).map(|history| &**history)
    }

    /// Follows a record, which comes right after the last one.
    ///
    /// # Panics
    /// When it changes an order that is not open, or others were left out before it: both are bugs.
    pub fn follow(&mut self, lsn: Lsn, record: &Record) {
        assert_eq!(lsn, self.at.lsn.next(), "histories follow every record");
        self.at = Place { lsn, time: record.time };
        let Histories { accounts, since, at, begun, next_chunk, .. } = self;
        record.fact.parties(record.decider, |entity, role| {
            if let (EntityId::Account(account), Role::Taker | Role::Maker(_) | Role::Item(_)) = (entity, role) {
                let history = accounts.entry(account).or_insert_with(|| Box::new(History::since(*since)));
                each_order_effect(record, account, role, &mut Follower { history, at: *at, begun, next_chunk });
            }
        });
        for (Aged { number, account, of }, bytes) in self.begun.drain(..) {
            self.chunks.push_back(Aged { number, account, of });
            self.bytes = self.bytes.saturating_add_signed(bytes);
        }
        if self.chunks.len() >= self.look_through_at {
            let accounts = &self.accounts;
            self.chunks.retain(|aged| is_there(accounts, aged));
            self.look_through_at = LOOK_THROUGH.max(2 * self.chunks.len());
        }
        while self.bytes > self.most
            && let Some(Aged { number, account, of }) = self.chunks.pop_front()
        {
            let history = self.accounts.get_mut(&account).expect("who has a chunk has a history");
            let freed = match of {
                Of::Done => history.done.forget_chunk(number),
                Of::Fills => history.fills.forget_chunk(number),
            };
            self.bytes -= freed.unwrap_or(0);
        }
    }
}

/// Does to one account's history what a record does to its orders.
struct Follower<'a> {
    history: &'a mut History,
    at: Place,
    begun: &'a mut Vec<(Aged, isize)>,
    next_chunk: &'a mut u64,
}

impl Follower<'_> {
    fn begun(&mut self, account: AccountId, of: Of, begun: Option<Begun>) {
        if let Some(Begun { chunk, bytes }) = begun {
            self.begun.push((Aged { number: chunk, account, of }, bytes));
            *self.next_chunk = chunk + 1;
        }
    }

    fn done(&mut self, account: AccountId, order: &Order) {
        let begun = self.history.done.push(self.at, order, *self.next_chunk);
        self.begun(account, Of::Done, begun);
    }
}

impl OrderKeeper for Follower<'_> {
    #[inline]
    fn insert(&mut self, account: AccountId, _: OrderChange, order: Order) {
        if order.status.is_open() {
            self.history.insert(order);
        } else {
            self.done(account, &order);
        }
    }

    #[inline]
    fn change(&mut self, account: AccountId, _: OrderChange, id: OrderId, change: impl FnOnce(&mut Order)) {
        let at = self.history.find_open(id).expect("what a fact changes is open");
        let order = &mut self.history.open[at].order;
        change(order);
        if !order.status.is_open() {
            let done = self.history.open.remove(at).order;
            self.done(account, &done);
        }
    }

    #[inline]
    fn fill(&mut self, account: AccountId, fill: Fill, quote: bool) {
        if !quote {
            let begun = self.history.fills.push(self.at, &fill, *self.next_chunk);
            self.begun(account, Of::Fills, begun);
        }
    }

    fn prevented(&mut self, _: AccountId, prevented: PreventedMatch) {
        self.history.prevented.push(self.at, prevented, RECENT);
    }

    fn list(&mut self, _: AccountId, _: MarketId, list: &OrderList) {
        self.history.lists.push(self.at, (list.clone(), self.at.time), LISTS);
    }
}
