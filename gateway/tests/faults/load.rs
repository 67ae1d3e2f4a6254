//! Users who trade, cancel and move money, remember what they were told, and look afterwards whether it is so.

use crate::client::{Api, Server};
use crate::harness::{differences, folded};
use crate::promises::Row;
use crate::wait::{eventually, found};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use xng_core::account::request_keys::MOST;

pub(crate) const BTC: u32 = 1;
pub(crate) const USDT: u32 = 3;
const DEMO_USERS: [&str; 3] = ["demo", "demo2", "trader"];
/// Requests that a user sends again.
const RETRIES: u64 = 12;
/// So many requests of a user come with a key each, and of those that follow one in so many: an account has room for
/// [`MOST`] of a day. Of those without, which are orders, nobody knows what became of one that was not answered.
const KEYED: u64 = 3_000;
const KEYED_LATER: u64 = 80;
const _: () = assert!(KEYED < MOST as u64);
/// Users that trade at once.
const LANES: usize = 3;
/// Rows of a page.
const PAGE: usize = 100;

/// What a request asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Order,
    /// From the spot to the funding wallet; negative the other way, in units of 1e-8 USDT.
    Transfer(i128),
}

/// What a user was told of a request, or found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// Sent, no answer, or one that leaves it open.
    Nothing,
    /// Done; an order's id.
    Done(u64),
    /// The order's cancel was confirmed too.
    Canceled(u64),
    /// Refused, so nothing happened.
    Refused,
}

/// An order as the exchange shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Order {
    buys: bool,
    open: bool,
    canceled: bool,
    /// Locked of what it pays with.
    locked: i128,
    filled: i128,
    spent: i128,
    fee: i128,
}

/// Spot USDT and spot BTC, each available and locked, and funding USDT.
type Balances = ((i128, i128), (i128, i128), i128);

/// What was found to be wrong, and how much was looked at.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    pub(crate) checked: usize,
    pub(crate) lost: Vec<String>,
    pub(crate) doubled: Vec<String>,
}

impl Audit {
    pub(crate) fn add(&mut self, other: Audit) {
        self.checked += other.checked;
        self.lost.extend(other.lost);
        self.doubled.extend(other.doubled);
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.doubled.is_empty()
    }

    /// Ends the server in order and lets the operator's tool compare store and journal too; tells the row with what was
    /// found, and fails when anything was lost or doubled.
    pub(crate) fn conclude(mut self, row: Row, server: &mut Server) {
        self.lost.extend(differences(server));
        self.tell(Row { folded: folded(server), ..row });
    }

    /// Tells the row with what was found, and fails when anything was lost or doubled.
    pub(crate) fn tell(&self, row: Row) {
        let (checked, lost, doubled) = (self.checked, self.lost.len(), self.doubled.len());
        Row { checked, lost, doubled, ..row }.tell();
        assert!(self.is_clean(), "{self:?}");
    }
}

/// One user and all that they remember.
pub(crate) struct User {
    pub(crate) api: Api,
    name: String,
    /// Between two requests of a lane.
    pub(crate) pause: Duration,
    counter: AtomicU64,
    acknowledged: AtomicUsize,
    book: Mutex<BTreeMap<String, (Act, Told)>>,
    /// The data of the first answer to each request that was done.
    answers: Mutex<BTreeMap<u64, Value>>,
    /// Orders that may be there although nobody was told.
    unsure: AtomicUsize,
    /// Orders as last seen.
    rows: Mutex<BTreeMap<u64, Order>>,
    /// Spot USDT and funding USDT before the first request.
    began: (i128, i128),
}

/// What a user was told up to some moment.
pub(crate) struct Memory(BTreeMap<String, (Act, Told)>);

/// A decimal text in units of 1e-8.
pub(crate) fn units(text: &str) -> i128 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let sign = if whole.starts_with('-') { -1 } else { 1 };
    let whole: i128 = whole.parse().unwrap_or_else(|_| panic!("{text} is no number"));
    whole * 100_000_000 + sign * format!("{part:0<8}").parse::<i128>().unwrap()
}

fn field(row: &Value, name: &str) -> i128 {
    units(row[name].as_str().unwrap_or_else(|| panic!("no {name}: {row}")))
}

fn order_of(row: &Value) -> Order {
    let status = row["status"].as_u64().unwrap_or_else(|| panic!("{row}"));
    let (buys, open) = (row["type"] == 1, status == 1 || status == 4);
    let (amount, filled, price) = (field(row, "trade_amount"), field(row, "filled_amount"), field(row, "target_price"));
    let left = amount - filled;
    let locked = match (open, buys) {
        (false, _) => 0,
        (true, true) => left * price / 100_000_000,
        (true, false) => left,
    };
    Order {
        buys,
        open,
        canceled: status == 3,
        locked,
        filled,
        spent: field(row, "filled_total"),
        fee: field(row, "fee"),
    }
}

/// The demo users, logged in.
pub(crate) fn users(server: &Server) -> Vec<User> {
    users_of(server, &DEMO_USERS)
}

/// Those of these names.
pub(crate) fn users_of(server: &Server, names: &[impl AsRef<str>]) -> Vec<User> {
    let user = |name: &str| {
        let api = server.demo(name);
        let began = (spot(&api, USDT).0, funding(&api));
        let (counter, acknowledged) = (AtomicU64::new(0), AtomicUsize::new(0));
        let (book, answers, rows) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (name, pause, unsure) = (name.to_owned(), Duration::ZERO, AtomicUsize::new(0));
        User { api, name, pause, counter, acknowledged, book, answers, unsure, rows, began }
    };
    names.iter().map(|name| user(name.as_ref())).collect()
}

/// Who trades now: of more than a few users those that have most keys left.
fn trading(users: &[User]) -> Vec<&User> {
    let mut some: Vec<&User> = users.iter().collect();
    // Who has begun goes on.
    some.sort_by_key(|user| user.has_used_up());
    some.truncate(LANES);
    some
}

/// Available and locked in the spot wallet.
fn spot(api: &Api, asset: u32) -> (i128, i128) {
    let (available, locked) = api.balance(asset);
    (units(&available), units(&locked))
}

/// Funding USDT.
fn funding(api: &Api) -> i128 {
    let row = api.post("/wallet/detail", &[("currency", "3"), ("type", "legal")]);
    field(&row["message"], "legal_balance")
}

/// Every user sends requests on `lanes` connections until told to stop.
pub(crate) fn trade_while(users: &[User], lanes: usize, during: impl FnOnce()) {
    /// A test that fails on the way stops them too.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stopped);
        for user in trading(users) {
            for _ in 0..lanes {
                scope.spawn(|| {
                    while !stopped.load(Ordering::Relaxed) {
                        user.one_request();
                        std::thread::sleep(user.pause);
                    }
                });
            }
        }
        during();
    });
}

/// Every user trades on `lanes` connections until it is so.
pub(crate) fn trade_until(users: &[User], lanes: usize, what: &str, is_so: impl FnMut() -> bool) {
    trade_while(users, lanes, || eventually(what, is_so));
}

/// How many requests all users were told to be done.
pub(crate) fn acknowledged(users: &[User]) -> usize {
    users.iter().map(|user| user.acknowledged.load(Ordering::Relaxed)).sum()
}

/// Whether the n-th request of a user has a key.
fn is_keyed(n: u64) -> bool {
    n < KEYED || n.is_multiple_of(KEYED_LATER)
}

/// The n-th request of a user.
fn request(n: u64) -> (Act, &'static str, Vec<(&'static str, &'static str)>) {
    if n % 5 == 4 && is_keyed(n) {
        let there = n.is_multiple_of(2);
        let (from, to) = if there { ("change", "legal") } else { ("legal", "change") };
        let form = vec![("currency_id", "3"), ("number", "0.25"), ("from_field", from), ("to_field", to)];
        return (Act::Transfer(if there { 25_000_000 } else { -25_000_000 }), "/wallet/change", form);
    }
    // As much is sold as is bought, so that nobody runs out of money.
    let side = if n % 14 == 13 { "2" } else { "1" };
    let pair = [("currency_id", "1"), ("legal_id", "3"), ("type", side), ("amount", "0.0001")];
    let kind = if n.is_multiple_of(14) || side == "2" {
        [("order_type", "market"), ("target_price", "0")]
    } else {
        [("order_type", "limit"), ("target_price", "56000")]
    };
    (Act::Order, "/coin/trade", pair.into_iter().chain(kind).collect())
}

/// The data of an answer, the same whether it is the first one or a later one to the same request.
fn first_data(answer: &Value) -> Value {
    let mut data = answer["data"].clone();
    data.as_object_mut().map(|fields| fields.remove("repeated"));
    data
}

/// What an answer says.
fn reply(act: Act, answer: &Value) -> Told {
    match (&answer["type"], act) {
        (kind, Act::Order) if kind == "ok" => Told::Done(answer["data"]["id"].as_u64().unwrap()),
        (kind, Act::Transfer(_)) if kind == "ok" => Told::Done(0),
        // Busy may mean that the answer did not come in time.
        _ if answer["code"] == 1020 || answer["code"].is_null() => Told::Nothing,
        _ => Told::Refused,
    }
}

impl User {
    fn note(&self, key: &str, act: Act, reply: Told) {
        self.book.lock().unwrap().insert(key.to_owned(), (act, reply));
    }

    /// One request of a mix: limit orders that rest, of which two in three are cancelled again; market orders; transfers.
    pub(crate) fn one_request(&self) {
        let n = self.counter.fetch_add(1, Ordering::Relaxed);
        let key = self.key(n);
        let (Act::Order, Told::Done(id)) = self.ask(n, &key) else { return };
        if !n.is_multiple_of(3) {
            self.cancel(&key, id);
        }
    }

    fn key(&self, n: u64) -> String {
        format!("{}-{n}", self.name)
    }

    /// Whether the account was told the key.
    fn is_told(key: &str) -> bool {
        is_keyed(key.rsplit_once('-').and_then(|(_, n)| n.parse().ok()).expect("made by Self::key"))
    }

    /// Whether its requests are sent without keys from now on, but a few.
    fn has_used_up(&self) -> bool {
        self.counter.load(Ordering::Relaxed) >= KEYED
    }

    /// Sends the n-th request under its key and notes what it was told.
    fn ask(&self, n: u64, key: &str) -> (Act, Told) {
        let (act, path, form) = request(n);
        self.note(key, act, Told::Nothing);
        let sent = is_keyed(n).then_some(key);
        let Ok(answer) = self.api.try_post(path, &form, sent) else { return (act, Told::Nothing) };
        let reply = reply(act, &answer);
        self.note(key, act, reply);
        if let Told::Done(_) = reply {
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
            self.answers.lock().unwrap().insert(n, first_data(&answer));
        }
        (act, reply)
    }

    /// Sends the latest requests again under their keys, as a client does that had no answer: what was done gets its first
    /// answer again, and what may be done gets one answer however often it is asked.
    pub(crate) fn retry(&self) -> Audit {
        let mut audit = Audit::default();
        let end = self.counter.load(Ordering::Relaxed);
        let mut latest: Vec<u64> = (0..end).rev().filter(|n| is_keyed(*n)).take(RETRIES as usize).collect();
        latest.reverse();
        for n in latest {
            let key = self.key(n);
            let Some((act, before)) = self.book.lock().unwrap().get(&key).copied() else { continue };
            match before {
                // Decided anew, as if it had never been sent.
                Told::Refused => continue,
                Told::Nothing => match self.ask(n, &key).1 {
                    Told::Done(_) => {}
                    _ => continue,
                },
                Told::Done(_) | Told::Canceled(_) => {}
            }
            let (_, path, form) = request(n);
            let again = self.api.try_post(path, &form, Some(&key)).unwrap();
            let first = self.answers.lock().unwrap().get(&n).cloned();
            audit.checked += 1;
            if !matches!(reply(act, &again), Told::Done(_)) || (act == Act::Order && first != Some(first_data(&again)))
            {
                audit.doubled.push(format!("{key} was answered {first:?}, then {again}"));
            }
        }
        audit
    }

    /// Cancels an order.
    fn cancel(&self, key: &str, id: u64) -> Value {
        let answer = self.api.try_post("/coin/cancel", &[("id", &id.to_string())], None).unwrap_or_default();
        if answer["type"] == "ok" {
            self.note(key, Act::Order, Told::Canceled(id));
        }
        answer
    }

    /// Cancels one of the user's orders that rest; the answer, or nothing when none does.
    pub(crate) fn cancel_one(&self) -> Option<Value> {
        let open = self.api.get(&format!("/coin/list?status=1&limit={PAGE}"));
        let ids: Vec<u64> = open["message"].as_array()?.iter().filter_map(|row| row["id"].as_u64()).collect();
        let resting = |(key, (_, reply)): (&String, &(Act, Told))| match reply {
            Told::Done(id) if ids.contains(id) => Some((key.clone(), *id)),
            _ => None,
        };
        let seen: Vec<(String, u64)> = self.book.lock().unwrap().iter().filter_map(resting).collect();
        // Prices move: some of them were filled since.
        seen.iter().map(|(key, id)| self.cancel(key, *id)).find(|answer| answer["code"] != 1004)
    }

    /// The orders that the user was told to be placed.
    pub(crate) fn orders_done(&self) -> Vec<u64> {
        let id = |(act, reply): &(Act, Told)| match (act, reply) {
            (Act::Order, Told::Done(id) | Told::Canceled(id)) => Some(*id),
            _ => None,
        };
        self.book.lock().unwrap().values().filter_map(id).collect()
    }

    /// What the user was told so far.
    pub(crate) fn memory(&self) -> Memory {
        Memory(self.book.lock().unwrap().clone())
    }

    /// As if nothing had been told since: what was sent later may be done or not.
    pub(crate) fn doubt_since(&self, Memory(before): &Memory) {
        for (key, (_, reply)) in self.book.lock().unwrap().iter_mut() {
            *reply = before.get(key).map_or(Told::Nothing, |(_, known)| *known);
        }
        self.rows.lock().unwrap().clear();
    }

    /// Cancels whatever rests, so that the next load is not refused for too many orders.
    pub(crate) fn clear(&self) {
        assert_eq!(self.api.post("/coin/cancel_all", &[])["type"], "ok");
    }

    /// Looks up everything that is not settled, and the balances; with `all`, everything there is.
    pub(crate) fn audit(&self, all: bool) -> Audit {
        let mut audit = Audit::default();
        let (fresh, has) = self.look(all, &mut audit);
        let mut named = BTreeMap::new();
        let book: Vec<(String, (Act, Told))> =
            self.book.lock().unwrap().iter().map(|(key, entry)| (key.clone(), *entry)).collect();
        for (key, (act, reply)) in book {
            let reply = self.fate(&key, act, reply, all, &fresh, &mut audit);
            if let (Act::Order, Told::Done(id) | Told::Canceled(id)) = (act, reply)
                && let Some(other) = named.insert(id, key.clone())
            {
                audit.doubled.push(format!("{id} answers {key} and {other}"));
            }
        }
        let rows = self.rows.lock().unwrap();
        let nobodys: Vec<&u64> = rows.keys().filter(|id| !named.contains_key(id)).collect();
        if nobodys.len() > self.unsure.load(Ordering::Relaxed) {
            audit.doubled.push(format!("of the orders {nobodys:?} some answer no request"));
        }
        drop(rows);
        self.check_balances(has, &mut audit);
        audit
    }

    /// New orders and the balances of one moment: the market may fill what rests at any time.
    fn look(&self, all: bool, audit: &mut Audit) -> (Vec<u64>, Balances) {
        let seq =
            || self.api.post("/wallet/detail", &[("currency", "3"), ("type", "change")])["message"]["seq"].as_u64();
        let mut fresh = Vec::new();
        loop {
            let before = seq();
            fresh.extend(self.refresh(all, audit));
            let has = (spot(&self.api, USDT), spot(&self.api, BTC), funding(&self.api));
            if before.is_some() && seq() == before {
                return (fresh, has);
            }
        }
    }

    /// Whether what was told of one request is so. What was not told is found out by its key and remembered.
    fn fate(&self, key: &str, act: Act, reply: Told, all: bool, fresh: &[u64], audit: &mut Audit) -> Told {
        let ask = || {
            let answer = self.api.get(&format!("/coin/request?key={key}"));
            let done = answer["message"]["status"] == "done";
            done.then(|| answer["message"]["data"]["id"].as_u64().unwrap_or(0))
        };
        match reply {
            Told::Nothing if !User::is_told(key) => {
                self.unsure.fetch_add(1, Ordering::Relaxed);
                self.note(key, act, Told::Refused);
                return Told::Refused;
            }
            Told::Nothing => {
                let found = ask().map_or(Told::Refused, Told::Done);
                self.note(key, act, found);
                return found;
            }
            Told::Refused => {
                if all && User::is_told(key) && ask().is_some() {
                    audit.doubled.push(format!("{key} was refused and is done"));
                }
            }
            Told::Done(id) | Told::Canceled(id) => {
                let row = self.rows.lock().unwrap().get(&id).cloned();
                match (act, row) {
                    (Act::Order, None) => audit.lost.push(format!("order {id} of {key}")),
                    (Act::Order, Some(row)) if matches!(reply, Told::Canceled(_)) && !row.canceled => {
                        audit.lost.push(format!("the cancel of {id}: {row:?}"));
                    }
                    _ => {}
                }
                if (all || fresh.contains(&id)) && User::is_told(key) && ask() != Some(id) {
                    audit.lost.push(format!("the key {key} no longer names {id}"));
                }
                audit.checked += 1;
            }
        }
        reply
    }

    /// What is on its way to the store is asked for again, as the answer says.
    pub(crate) fn history(&self, path: &str) -> Value {
        found("what an account forgot is in the store", || {
            Some(self.api.get(path)).filter(|answer| answer["code"] != 1020)
        })
    }

    /// Reads the orders that are new or were open; the ids of the new ones.
    fn refresh(&self, all: bool, audit: &mut Audit) -> Vec<u64> {
        let mut rows = self.rows.lock().unwrap();
        let mut seen = BTreeMap::new();
        let mut fresh = Vec::new();
        for page in 1.. {
            let list = self.history(&format!("/coin/list?limit={PAGE}&page={page}"));
            let list = list["message"].as_array().unwrap_or_else(|| panic!("{list}"));
            let before = fresh.len();
            for row in list {
                let id = row["id"].as_u64().unwrap();
                if seen.insert(id, order_of(row)).is_some() {
                    audit.doubled.push(format!("order {id} stands twice in the list"));
                }
                if !rows.contains_key(&id) {
                    fresh.push(id);
                }
            }
            if list.len() < PAGE || (!all && fresh.len() == before) {
                break;
            }
        }
        for (id, row) in rows.iter().filter(|(id, _)| !seen.contains_key(id)).collect::<Vec<_>>() {
            if all {
                audit.lost.push(format!("order {id}, seen before: {row:?}"));
            } else if row.open {
                seen.insert(*id, order_of(&self.history(&format!("/coin/detail?id={id}"))["message"]));
            }
        }
        rows.extend(seen);
        fresh
    }

    /// The balances are what requests that are known to be done explain, to the last unit.
    fn check_balances(&self, has: Balances, audit: &mut Audit) {
        let (mut usdt, mut btc, mut locked) = (self.began.0, 0, (0, 0));
        for row in self.rows.lock().unwrap().values() {
            if row.buys {
                usdt -= row.spent;
                btc += row.filled - row.fee;
                locked.0 += row.locked;
            } else {
                usdt += row.spent - row.fee;
                btc -= row.filled;
                locked.1 += row.locked;
            }
        }
        let moved: i128 = self
            .book
            .lock()
            .unwrap()
            .values()
            .map(|entry| match entry {
                (Act::Transfer(amount), Told::Done(_)) => *amount,
                _ => 0,
            })
            .sum();
        let explained = ((usdt - moved - locked.0, locked.0), (btc - locked.1, locked.1), self.began.1 + moved);
        if has != explained {
            audit.lost.push(format!("{} has {has:?}, explained are {explained:?}", self.name));
        }
    }
}

/// All users' findings.
pub(crate) fn audit(users: &[User], all: bool) -> Audit {
    let mut whole = Audit::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = users.iter().map(|user| scope.spawn(move || user.audit(all))).collect();
        threads.into_iter().for_each(|thread| whole.add(thread.join().unwrap()));
    });
    whole
}
