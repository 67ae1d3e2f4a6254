//! Private events: what the cell says of a watched account goes to the sockets that are logged in as it.
//!
//! One hub a thread. Invariants: a session first gets its snapshot, then every event with a higher sequence, in order;
//! events that come before the snapshot wait for it.
//! Owns: who listens to which account on this thread, as what and by what right. Never does: ask the store. Known limits: an
//! account is watched once a thread, whatever its sockets.

use super::outbox::{Mode, Outbox};
use super::positions::{self, Positions};
use crate::api::app::contract::rows as contract_rows;
use crate::api::app::follow::rows as follow_rows;
use crate::api::app::messages::live;
use crate::api::app::rows;
use crate::api::app::seconds::rows as seconds_rows;
use crate::api::app::stock;
use crate::api::app::{coupon, deposit, withdraw};
use crate::api::auth::Kick;
use crate::api::binance::cancel_names::CancelNames;
use crate::api::binance::futures::margin_calls;
use crate::api::binance::futures::user_data::{self as user_data_of_futures, Holdings, Known};
use crate::api::binance::user_data;
use crate::app::Shared;
use crate::chat::Notice;
use crate::common::time::TimeUnit;
use crate::market::catalog::Catalog;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use xng_cell::Change;
use xng_core::account::{AccountEvent, AccountView, Balance};
use xng_core::ids::AccountId;
use xng_runtime::Client;

/// Events that wait for a snapshot at most.
const MOST_EARLY: usize = 1_024;

/// By what right a reader listens; it ends with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A session of the app.
    Session([u8; 32]),
    /// An API key, by its name.
    Key(String),
}

/// As what a reader listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReaderKind {
    /// The app: a snapshot, then numbered events.
    App,
    /// A program by listen key, which is the stream's name.
    Listen(String),
    /// A program by a listen key of futures, which is the stream's name.
    Futures(String),
    /// A program by subscription to the websocket API.
    Subscription(u64),
}

struct Reader {
    outbox: Arc<Outbox>,
    holder: Holder,
    kind: ReaderKind,
    progress: Progress,
}

/// An event, and which of those it is that one record made for its account: they share their sequence.
struct Part {
    change: Change,
    number: u64,
}

/// Tickets that are valued in one tick at most, and those of one account more.
const TICKETS_A_TICK: usize = 4_000;

/// An account's readers, and the part that came last: its sequence and number.
#[derive(Default)]
struct Watched {
    readers: Vec<Reader>,
    last: (u64, u64),
    /// Once one of the readers is the app.
    positions: Option<Positions>,
    /// Once one of the readers is a program of futures.
    holdings: Option<Holdings>,
}

enum Progress {
    /// The snapshot is on its way; these came before it.
    Waiting(Vec<Arc<Part>>),
    /// The snapshot told everything up to this sequence.
    After(u64),
}

/// The texts of one event, made once for all readers of a form.
#[derive(Default)]
struct Texts {
    app: Option<Vec<Arc<str>>>,
    payloads: BTreeMap<TimeUnit, Vec<String>>,
    futures: BTreeMap<TimeUnit, Vec<String>>,
}

impl Reader {
    fn tell(
        &self,
        part: &Part,
        with: (&Catalog, &CancelNames),
        futures: Option<(&Holdings, &Known)>,
        texts: &mut Texts,
    ) {
        let Part { change, number } = part;
        if matches!(self.kind, ReaderKind::Futures(_)) {
            let Some((holdings, known)) = futures else { return };
            let unit = self.outbox.unit;
            let payloads = || user_data_of_futures::payloads(&change.event, holdings, with.0, known, unit);
            let made = texts.futures.entry(unit).or_insert_with(|| payloads().iter().map(Value::to_string).collect());
            return self.outbox.push_texts(made.iter().map(|payload| self.wrapped(payload)));
        }
        if self.kind == ReaderKind::App {
            let made = texts.app.get_or_insert_with(|| frames(&change.event, with.0));
            return self.outbox.push_texts(made.iter().cloned());
        }
        let unit = self.outbox.unit;
        let payloads = || user_data::payloads(change, *number, with, unit);
        let made = texts.payloads.entry(unit).or_insert_with(|| payloads().iter().map(Value::to_string).collect());
        self.outbox.push_texts(made.iter().map(|payload| self.wrapped(payload)));
    }

    /// A payload as this reader's connection has it.
    fn wrapped(&self, payload: &str) -> Arc<str> {
        match &self.kind {
            ReaderKind::Subscription(id) => format!("{{\"subscriptionId\":{id},\"event\":{payload}}}").into(),
            ReaderKind::Listen(name) | ReaderKind::Futures(name) if self.outbox.mode() == Mode::Combined => {
                format!("{{\"stream\":\"{name}\",\"data\":{payload}}}").into()
            }
            ReaderKind::Listen(_) | ReaderKind::Futures(_) | ReaderKind::App => payload.into(),
        }
    }

    /// The last that it is told.
    fn farewell(&self, why: &str) {
        let now = self.outbox.unit.now();
        let text = match &self.kind {
            ReaderKind::App => kicked(why).into(),
            ReaderKind::Listen(name) | ReaderKind::Futures(name) => {
                let event = json!({ "e": "listenKeyExpired", "E": now, "listenKey": name });
                self.wrapped(&event.to_string())
            }
            ReaderKind::Subscription(_) => self.wrapped(&json!({ "e": "eventStreamTerminated", "E": now }).to_string()),
        };
        self.outbox.push_text(text);
    }
}

/// Who reads which account's events on this thread.
#[derive(Default)]
pub struct PrivateHub {
    /// What events of futures are written with; without it nobody is told any.
    known: Option<Known>,
    watched: RefCell<BTreeMap<AccountId, Watched>>,
    /// The account whose tickets were valued last.
    valued: Cell<AccountId>,
}

impl std::fmt::Debug for PrivateHub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "private events of {} accounts", self.watched.borrow().len())
    }
}

impl PrivateHub {
    /// A hub that tells programs of futures too.
    #[must_use]
    pub fn knowing(known: Known) -> PrivateHub {
        PrivateHub { known: Some(known), ..PrivateHub::default() }
    }

    /// Somebody begins to listen: the account is watched, its events wait for the snapshot. A session of the app listens
    /// to one account a connection.
    pub fn join(&self, client: &Client, account: AccountId, holder: Holder, kind: ReaderKind, outbox: Arc<Outbox>) {
        if kind == ReaderKind::App {
            self.leave(client, outbox.id);
        }
        let mut watched = self.watched.borrow_mut();
        let list = &mut watched.entry(account).or_default().readers;
        if list.is_empty() {
            client.watch(account);
        }
        list.push(Reader { outbox, holder, kind, progress: Progress::Waiting(Vec::new()) });
    }

    /// The snapshot is there: it goes first to the app, then to everybody what waited and is newer.
    pub fn begin(&self, view: &AccountView, outbox: u64, kind: &ReaderKind, with: (&Catalog, &CancelNames)) {
        let mut watched = self.watched.borrow_mut();
        let is_it = |reader: &&mut Reader| reader.outbox.id == outbox && reader.kind == *kind;
        let Some(Watched { readers, positions, holdings, .. }) = watched.get_mut(&view.account) else { return };
        let Some(reader) = readers.iter_mut().find(is_it) else { return };
        if reader.kind == ReaderKind::App {
            reader.outbox.push_text(snapshot(view, with.0));
            // What came before the view is in it, and what came after it is followed by whoever knew the account before.
            positions.get_or_insert_with(|| Positions::of(view)).has_new_reader();
        }
        if matches!(reader.kind, ReaderKind::Futures(_)) {
            holdings.get_or_insert_with(|| Holdings::of(view)).has_new_reader();
        }
        if let Progress::Waiting(early) = std::mem::replace(&mut reader.progress, Progress::After(view.seq)) {
            for part in early.iter().filter(|part| part.change.event.seq > view.seq) {
                positions.iter_mut().for_each(|positions| positions.follow(&part.change.event));
                holdings.iter_mut().for_each(|holdings| holdings.follow(&part.change.event));
                let futures = holdings.as_ref().zip(self.known.as_ref());
                reader.tell(part, with, futures, &mut Texts::default());
            }
        }
    }

    /// Hands an event to its readers.
    pub fn event(&self, change: Change, with: (&Catalog, &CancelNames)) {
        let event = &change.event;
        let mut watched = self.watched.borrow_mut();
        let Some(Watched { readers, last, positions, holdings }) = watched.get_mut(&event.account) else { return };
        positions.iter_mut().for_each(|positions| positions.follow(event));
        holdings.iter_mut().for_each(|holdings| holdings.follow(event));
        let number = if last.0 == event.seq { last.1 + 1 } else { 0 };
        *last = (event.seq, number);
        let part = Arc::new(Part { change, number });
        let mut texts = Texts::default();
        let futures = holdings.as_ref().zip(self.known.as_ref());
        for reader in readers {
            match &mut reader.progress {
                // Its snapshot does not come: it logs in again on a new connection.
                Progress::Waiting(early) if early.len() >= MOST_EARLY => reader.outbox.cut(),
                Progress::Waiting(early) => early.push(part.clone()),
                Progress::After(seq) if part.change.event.seq <= *seq => {}
                Progress::After(_) => reader.tell(&part, with, futures, &mut texts),
            }
        }
    }

    /// Hands what is no fact of the account to its sockets of the app; one whose snapshot is on its way asks anyway.
    pub fn notice(&self, notice: &Notice) {
        let watched = self.watched.borrow();
        let Some(Watched { readers, .. }) = watched.get(&notice.account) else { return };
        let begun = |reader: &&Reader| reader.kind == ReaderKind::App && matches!(reader.progress, Progress::After(_));
        readers.iter().filter(begun).for_each(|reader| reader.outbox.push_texts([notice.frame.clone()]));
    }

    /// Every [`positions::EVERY`]: tells the app what tickets are worth now. Accounts take turns when there are many; a reader
    /// that does not keep up is not told.
    pub fn value_tickets(&self, shared: &Shared) {
        let mut watched = self.watched.borrow_mut();
        let after = self.valued.replace(AccountId(0));
        let mut valued = 0;
        for (account, Watched { readers, positions, .. }) in watched.range_mut((Excluded(after), Unbounded)) {
            let Some(positions) = positions.as_mut().filter(|positions| positions.are_told()) else { continue };
            if let Some(frame) = positions.frame(shared) {
                let begun =
                    |reader: &&Reader| reader.kind == ReaderKind::App && matches!(reader.progress, Progress::After(_));
                let keeping_up = readers.iter().filter(begun).filter(|reader| reader.outbox.takes_more());
                keeping_up.for_each(|reader| reader.outbox.push_texts([frame.clone()]));
            }
            valued += positions.count().max(1);
            if valued >= TICKETS_A_TICK {
                self.valued.set(*account);
                break;
            }
        }
    }

    /// As often: warns owners of isolated positions that came near their end.
    pub fn call_margins(&self) {
        let Some(board) = self.known.as_ref().map(|known| known.contracts.now()) else { return };
        for Watched { readers, holdings, .. } in self.watched.borrow_mut().values_mut() {
            let begun = |reader: &&Reader| {
                matches!((&reader.kind, &reader.progress), (ReaderKind::Futures(_), Progress::After(_)))
            };
            // Without a reader nobody was told.
            let Some(holdings) = holdings.as_mut().filter(|_| readers.iter().any(|reader| begun(&reader))) else {
                continue;
            };
            let near = holdings.near(&board);
            if near.is_empty() {
                continue;
            }
            for reader in readers.iter().filter(begun) {
                let call = margin_calls::of_legs(&near, &board, reader.outbox.unit).to_string();
                reader.outbox.push_text(reader.wrapped(&call));
            }
        }
    }

    /// Whether a connection listens to an account in this form.
    #[must_use]
    pub fn listens(&self, account: AccountId, outbox: u64, kind: &ReaderKind) -> bool {
        let watched = self.watched.borrow();
        watched.get(&account).is_some_and(|all| all.readers.iter().any(|r| r.outbox.id == outbox && r.kind == *kind))
    }

    /// A connection ended, or its session logged out: it listens to nothing any more.
    pub fn leave(&self, client: &Client, outbox: u64) {
        self.remove(client, |r| r.outbox.id == outbox, |_| {});
    }

    /// A connection ends one of the things that it listens to.
    pub fn end(&self, client: &Client, outbox: u64, kind: &ReaderKind) {
        self.remove(client, |r| r.outbox.id == outbox && r.kind == *kind, |_| {});
    }

    /// The same, and it is told so.
    pub fn leave_one(&self, client: &Client, outbox: u64, kind: &ReaderKind) {
        self.remove(client, |r| r.outbox.id == outbox && r.kind == *kind, |r| r.farewell("unsubscribed"));
    }

    /// A token died.
    pub fn kick(&self, client: &Client, kick: &Kick) {
        self.remove(client, |r| r.holder == Holder::Session(kick.session), |r| r.farewell(kick.reason));
    }

    /// Some tokens died and nobody knows which.
    pub fn kick_ended(&self, client: &Client, is_alive: impl Fn(&[u8; 32]) -> bool) {
        let ended = |r: &Reader| matches!(&r.holder, Holder::Session(session) if !is_alive(session));
        self.remove(client, ended, |r| r.farewell("expired"));
    }

    /// Keys changed, or listen keys grew old: who listens by one that is not good any more is told.
    pub fn kick_keys(&self, client: &Client, is_good: impl Fn(&str) -> bool, lives: impl Fn(&str) -> bool) {
        let ended = |r: &Reader| match (&r.holder, &r.kind) {
            (Holder::Key(_), ReaderKind::Listen(name) | ReaderKind::Futures(name)) if !lives(name) => true,
            (Holder::Key(key), _) => !is_good(key),
            (Holder::Session(_), _) => false,
        };
        self.remove(client, ended, |r| r.farewell("expired"));
    }

    fn remove(&self, client: &Client, matches: impl Fn(&Reader) -> bool, each: impl Fn(&Reader)) {
        self.watched.borrow_mut().retain(|account, Watched { readers, .. }| {
            readers.retain(|r| {
                let gone = matches(r);
                if gone {
                    each(r);
                }
                !gone
            });
            if readers.is_empty() {
                client.unwatch(*account);
            }
            !readers.is_empty()
        });
    }
}

fn snapshot(view: &AccountView, catalog: &Catalog) -> String {
    let held = |b: &Balance| !(b.available.is_zero() && b.locked.is_zero());
    let accounts = rows::accounts(&view.balances);
    let wallets: Vec<Value> = accounts.iter().filter(|b| held(b)).map(|b| rows::wallet(b, catalog)).collect();
    let orders: Vec<Value> = view.open.iter().map(|o| rows::order(view.account, o, catalog)).collect();
    let data = json!({ "wallets": wallets, "orders": orders });
    json!({ "event": "snapshot", "seq": view.seq, "data": data }).to_string()
}

fn kicked(reason: &str) -> String {
    json!({ "event": "kicked", "data": { "reason": reason } }).to_string()
}

/// The frames of one event, serialised once for all readers.
fn frames(event: &AccountEvent, catalog: &Catalog) -> Vec<Arc<str>> {
    let seq = event.seq;
    let mut frames: Vec<Arc<str>> = Vec::new();
    for (order, _) in &event.orders {
        let row = rows::order(event.account, order, catalog);
        let fills = event.fills.iter().filter(|f| f.order == order.order).map(|f| {
            let mut row = row.clone();
            row["fill"] = rows::event_fill(f, catalog);
            row
        });
        let mut all: Vec<Value> = fills.collect();
        if all.is_empty() {
            all.push(row);
        }
        for data in all {
            frames.push(json!({ "event": "coin_order", "seq": seq, "data": data }).to_string().into());
        }
    }
    frames.extend(positions::ended(event));
    if let Some((name, data)) = seconds_rows::events(event, catalog) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    for (name, data) in follow_rows::events(event) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    if let Some((name, data)) = coupon::event(event) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    if let Some((name, data)) = deposit::event(event, catalog) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    if let Some((name, data)) = withdraw::event(event, catalog) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    if let Some((name, data)) = stock::event(event, catalog) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    if let Some((name, data)) = live::event(event) {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    let of_books = contract_rows::events(event, catalog);
    let books_are_told = !of_books.is_empty();
    for (name, data) in of_books {
        frames.push(json!({ "event": name, "seq": seq, "data": data }).to_string().into());
    }
    if event.orders.is_empty() && event.wallets.is_empty() && !books_are_told {
        // A change of level or status: told, so that no number is missing.
        frames.push(json!({ "event": "account", "seq": seq, "data": {} }).to_string().into());
    }
    if !event.wallets.is_empty() {
        let data: Vec<Value> = rows::accounts(&event.wallets).iter().map(|b| rows::wallet(b, catalog)).collect();
        frames.push(json!({ "event": "wallet", "seq": seq, "data": data }).to_string().into());
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_without_wallets_and_orders_leaves_no_gap_in_the_sequence() {
        let account = AccountId(100_001);
        let (wallets, orders, fills, prevented) = (vec![], vec![], vec![], vec![]);
        let (lists, moved, tickets, legs, option) = (vec![], vec![], None, None, None);
        let (copying, notice, action, deposit, withdrawal, coupon) = (None, None, None, None, None, None);
        let (seq, time) = (7, 1);
        let event = AccountEvent {
            account,
            seq,
            time,
            wallets,
            orders,
            fills,
            prevented,
            lists,
            moved,
            tickets,
            legs,
            option,
            copying,
            notice,
            action,
            deposit,
            withdrawal,
            coupon,
        };
        let payloads: Vec<Value> =
            frames(&event, &Catalog::default()).iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let mail = json!({ "event": "mail", "seq": 7, "data": { "kind": "system" } });
        assert_eq!(payloads, [mail, json!({ "event": "account", "seq": 7, "data": {} })]);
    }
}
