//! The latest orders and fills of accounts in contracts' books, folded from durable records.
//!
//! Owns: what of these is in memory. Never does: decide; ask the store. Invariants: open orders are those that accounts have; the
//! latest [`KEPT`] of each other kind since the start are here. Known limits: what ended before the start, and older entries, come
//! from the store (`leg_lookup.rs`); movements of margin do not.

use std::collections::{BTreeMap, VecDeque};
use xng_core::account::OrderChange;
use xng_core::account::leg_orders::{LegFill, LegOrder, LegOrderKeeper, each_leg_order_effect};
use xng_core::account::recent::Place;
use xng_core::contract::book::facts::{BookFact, LegMarginMoved};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, EntityId, OrderId};
use xng_core::journal::Lsn;
use xng_core::record::{Fact, Record, Role};

/// Entries of a kind that are kept of an account.
pub const KEPT: usize = 500;

/// The history of one account.
#[derive(Debug, Default)]
pub struct LegHistory {
    /// Orders that rest.
    open: BTreeMap<OrderId, LegOrder>,
    /// Orders that are done, oldest first.
    done: Latest<LegOrder>,
    /// Fills, oldest first.
    fills: Latest<LegFill>,
    /// The record in hand.
    at: Place,
    /// Movements of margin, oldest first.
    margins: VecDeque<(TimeNs, LegMarginMoved)>,
}

/// The latest entries of a kind, each with its record; all of later records than the reach are here.
#[derive(Debug)]
struct Latest<T> {
    entries: VecDeque<(Place, T)>,
    reach: Place,
}

impl<T> Default for Latest<T> {
    fn default() -> Latest<T> {
        Latest { entries: VecDeque::new(), reach: Place::default() }
    }
}

impl<T> Latest<T> {
    fn keep(&mut self, at: Place, entry: T) {
        if self.entries.len() == KEPT
            && let Some((oldest, _)) = self.entries.pop_front()
        {
            self.reach = oldest;
        }
        self.entries.push_back((at, entry));
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries.iter().map(|(_, entry)| entry)
    }
}

impl LegHistory {
    /// One order.
    #[must_use]
    pub fn order(&self, id: OrderId) -> Option<&LegOrder> {
        self.open.get(&id).or_else(|| self.done.iter().rev().find(|order| order.order == id))
    }

    /// Orders that are done, oldest first.
    #[must_use]
    pub fn done(&self) -> Vec<LegOrder> {
        self.done.iter().copied().collect()
    }

    /// Orders that were done in later records are all here.
    #[must_use]
    pub fn reach_of_done(&self) -> Place {
        self.done.reach
    }

    /// Fills of later records are all here.
    #[must_use]
    pub fn reach_of_fills(&self) -> Place {
        self.fills.reach
    }

    fn since(reach: Place) -> LegHistory {
        let mut history = LegHistory::default();
        (history.done.reach, history.fills.reach) = (reach, reach);
        history
    }

    /// Fills, oldest first.
    pub fn fills(&self) -> impl Iterator<Item = &LegFill> {
        self.fills.iter()
    }

    /// Movements of margin with their times, oldest first.
    pub fn margins(&self) -> impl Iterator<Item = &(TimeNs, LegMarginMoved)> {
        self.margins.iter()
    }
}

impl LegOrderKeeper for LegHistory {
    fn insert(&mut self, _: AccountId, order: LegOrder) {
        if order.status.is_open() {
            self.open.insert(order.order, order);
        } else {
            self.done.keep(self.at, order);
        }
    }

    fn change(&mut self, _: AccountId, _: OrderChange, id: OrderId, change: impl FnOnce(&mut LegOrder)) {
        let Some(order) = self.open.get_mut(&id) else { return };
        change(order);
        if !order.status.is_open()
            && let Some(done) = self.open.remove(&id)
        {
            self.done.keep(self.at, done);
        }
    }

    fn fill(&mut self, _: AccountId, fill: LegFill) {
        self.fills.keep(self.at, fill);
    }
}

/// The histories of all accounts.
#[derive(Debug, Default)]
pub struct LegHistories {
    accounts: BTreeMap<AccountId, LegHistory>,
    began: Place,
}

impl LegHistories {
    /// Goes on from a state in which these orders are open.
    #[must_use]
    pub fn since(began: Place, open: impl IntoIterator<Item = (AccountId, LegOrder)>) -> LegHistories {
        let mut histories = LegHistories { accounts: BTreeMap::new(), began };
        for (account, order) in open {
            histories.history(account).insert(account, order);
        }
        histories
    }

    fn history(&mut self, account: AccountId) -> &mut LegHistory {
        let began = self.began;
        self.accounts.entry(account).or_insert_with(|| LegHistory::since(began))
    }

    /// Where they begin: what happened up to there is not in them.
    #[must_use]
    pub fn began(&self) -> Place {
        self.began
    }

    /// What is known of an account.
    #[must_use]
    pub fn of(&self, account: AccountId) -> Option<&LegHistory> {
        self.accounts.get(&account)
    }

    /// Follows a record.
    pub fn follow(&mut self, lsn: Lsn, record: &Record) {
        let Fact::Book(fact) = &record.fact else { return };
        let at = Place { lsn, time: record.time };
        record.fact.parties(record.decider, |entity, role| {
            if let (EntityId::Account(account), Role::Taker | Role::Maker(_) | Role::Item(_)) = (entity, role) {
                let history = self.history(account);
                history.at = at;
                each_leg_order_effect(record, account, role, history);
            }
        });
        if let BookFact::LegMarginMoved(f) = fact {
            let margins = &mut self.history(f.account).margins;
            if margins.len() == KEPT {
                margins.pop_front();
            }
            margins.push_back((record.time, **f));
        }
    }
}
