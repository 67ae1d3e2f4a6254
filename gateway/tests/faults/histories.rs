//! Histories of single accounts, recorded through the HTTP API while the process is killed, and checked for
//! linearizability (`linear.rs`).

use crate::client::{Api, Server};
use crate::harness::{differences, folded, is_long, one_pair_only, random};
use crate::linear::{Account, Deed, Operation, violation};
use crate::load::{USDT, units};
use crate::promises::Row;
use crate::wait::eventually;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::Duration;

/// Clients of one account at the same time.
const LANES: usize = 4;
const KILLS: usize = 2;

/// A call as its client saw it.
struct RecordedCall {
    called: u64,
    /// Nothing: no answer, or one that leaves it open.
    answered: Option<(u64, Deed)>,
    /// What was wanted, should it turn out to be done.
    attempt: Attempt,
    key: String,
}

#[derive(Clone, Copy)]
enum Attempt {
    Order(i128),
    Cancel(u64),
    Move(i128),
    Look,
}

/// One account's clients and what they recorded.
struct Recorder<'a> {
    api: &'a Api,
    name: &'a str,
    clock: &'a AtomicU64,
    calls: Mutex<Vec<RecordedCall>>,
    open: Mutex<Vec<u64>>,
    left: AtomicUsize,
}

impl Recorder<'_> {
    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// One operation of a random kind.
    fn operate(&self) {
        let dice = random(0..100);
        let open = self.open.lock().unwrap().clone();
        let some = (!open.is_empty()).then(|| open[random(0..open.len() as u64) as usize]);
        match (dice, some) {
            (0..30, _) => self.order(i128::from(random(1..7)) * 500),
            (30..55, Some(id)) => self.cancel(id),
            (55..65, _) => self.transfer(i128::from(random(1..12)) * 100),
            (65..75, _) => self.transfer(-i128::from(random(1..12)) * 100),
            (75..88, _) => self.record(Attempt::Look, |api, _| {
                let row = api.try_post("/wallet/detail", &[("currency", "3"), ("type", "change")], None).ok()?;
                let field = |name: &str| row["message"][name].as_str().map(units);
                Some(Deed::SawSpot(field("change_balance")?, field("lock_change_balance")?))
            }),
            (88..94, _) => self.record(Attempt::Look, |api, _| {
                let row = api.try_post("/wallet/detail", &[("currency", "3"), ("type", "legal")], None).ok()?;
                row["message"]["legal_balance"].as_str().map(|text| Deed::SawFunding(units(text)))
            }),
            _ => self.record(Attempt::Look, |api, _| {
                let list = api.try_get("/coin/list?limit=100&status=1").ok()?;
                Some(Deed::SawOpen(list["message"].as_array()?.iter().filter_map(|row| row["id"].as_u64()).collect()))
            }),
        }
    }

    /// An order that rests far below the market and locks so many whole USDT.
    fn order(&self, cost: i128) {
        let (amount, cost) = (format!("{}.{}", cost / 1_000, cost % 1_000 / 100), cost * 100_000_000);
        self.record(Attempt::Order(cost), |api, key| {
            let form =
                [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "1000"), ("amount", &amount)];
            let answer = api.try_post("/coin/trade", &form, Some(key)).ok()?;
            match answer["code"].as_u64() {
                Some(1005) => Some(Deed::TooDear(cost)),
                // On a busy machine quotes come so late that the market closes for a moment.
                Some(1012) => Some(Deed::Refused),
                _ => self.placed(&answer, cost),
            }
        });
    }

    fn placed(&self, answer: &Value, cost: i128) -> Option<Deed> {
        let id = open_answer(answer)?["data"]["id"].as_u64().unwrap_or_else(|| panic!("{answer}"));
        self.open.lock().unwrap().push(id);
        Some(Deed::Placed(id, cost))
    }

    fn cancel(&self, id: u64) {
        self.record(Attempt::Cancel(id), |api, key| {
            let answer = api.try_post("/coin/cancel", &[("id", &id.to_string())], Some(key)).ok()?;
            if matches!(answer["code"].as_u64(), Some(1003 | 1004)) {
                return Some(Deed::NotOpen(id));
            }
            open_answer(&answer)?;
            self.open.lock().unwrap().retain(|other| *other != id);
            Some(Deed::Canceled(id))
        });
    }

    fn transfer(&self, amount: i128) {
        let (from, to) = if amount > 0 { ("change", "legal") } else { ("legal", "change") };
        let (text, amount) = (amount.abs().to_string(), amount * 100_000_000);
        self.record(Attempt::Move(amount), |api, key| {
            let form = [("currency_id", "3"), ("number", &*text), ("from_field", from), ("to_field", to)];
            let answer = api.try_post("/wallet/change", &form, Some(key)).ok()?;
            match answer["code"].as_u64() {
                Some(1005) => Some(Deed::NotMoved(amount)),
                _ => open_answer(&answer).map(|_| Deed::Moved(amount)),
            }
        });
    }

    fn record(&self, attempt: Attempt, ask: impl FnOnce(&Api, &str) -> Option<Deed>) {
        let called = self.tick();
        let key = format!("{}-{called}", self.name);
        let answered = ask(self.api, &key).map(|deed| (self.tick(), deed));
        self.calls.lock().unwrap().push(RecordedCall { called, answered, attempt, key });
    }

    /// The history: what had no answer took effect before the process ended, if the exchange knows it, or not at all.
    fn history(&self, kills: &[u64]) -> Vec<Operation> {
        let calls = self.calls.lock().unwrap();
        let known = |call: &RecordedCall| {
            let reply = self.api.get(&format!("/coin/request?key={}", call.key));
            if reply["message"]["status"] != "done" {
                return None;
            }
            match call.attempt {
                Attempt::Order(cost) => reply["message"]["data"]["id"].as_u64().map(|id| Deed::Placed(id, cost)),
                Attempt::Cancel(id) => Some(Deed::Canceled(id)),
                Attempt::Move(amount) => Some(Deed::Moved(amount)),
                Attempt::Look => None,
            }
        };
        let ended = |call: &RecordedCall| kills.iter().copied().find(|kill| *kill > call.called).unwrap_or(u64::MAX);
        let operation = |call: &RecordedCall| {
            let (answered, deed) = match &call.answered {
                Some(answer) => answer.clone(),
                None => (ended(call), known(call)?),
            };
            Some(Operation { called: call.called, answered, deed })
        };
        let mut history: Vec<Operation> = calls.iter().filter_map(operation).collect();
        let mut refused: Vec<(u64, u64)> =
            history.iter().filter(|o| o.deed == Deed::Refused).map(|o| (o.called, o.answered)).collect();
        // An order that the process took down with it held money as well: a refusal beside it may have left before.
        let lost = calls.iter().filter(|call| call.answered.is_none() && matches!(call.attempt, Attempt::Order(_)));
        refused.extend(lost.filter(|call| known(call).is_none()).map(|call| (call.called, ended(call))));
        history.retain(|o| {
            let beside = refused.iter().any(|(called, answered)| o.called < *answered && *called < o.answered);
            !(beside && matches!(o.deed, Deed::TooDear(_) | Deed::NotMoved(_)))
        });
        history
    }
}

/// An answer that says "done"; nothing when it leaves open what happened.
fn open_answer(answer: &Value) -> Option<&Value> {
    if answer["code"] == 1020 {
        return None;
    }
    assert_eq!(answer["type"], "ok", "nothing else was to be refused: {answer}");
    Some(answer)
}

/// The account between two histories.
fn account(api: &Api) -> Account {
    assert_eq!(api.post("/coin/cancel_all", &[])["type"], "ok");
    let (available, locked) = api.balance(USDT);
    let row = api.post("/wallet/detail", &[("currency", "3"), ("type", "legal")]);
    let funding = units(row["message"]["legal_balance"].as_str().unwrap());
    Account { available: units(&available), locked: units(&locked), funding, ..Account::default() }
}

/// All accounts operate at once until each has its number of operations; the process is killed on the way.
fn record(server: &mut Server, recorders: &[Recorder], operations: usize) -> Vec<u64> {
    let (paused, gate, mut kills) = (AtomicBool::new(false), RwLock::new(()), Vec::new());
    let lane = |recorder: &Recorder| {
        while recorder.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            recorder.operate();
            if paused.load(Ordering::SeqCst) {
                drop(gate.read().unwrap());
            }
        }
    };
    std::thread::scope(|scope| {
        let lane = &lane;
        let lanes: Vec<_> =
            recorders.iter().flat_map(|r| (0..LANES).map(move |_| scope.spawn(move || lane(r)))).collect();
        for kill in 1..=KILLS {
            let until = operations - operations * kill / (KILLS + 1);
            eventually("operations until the next kill", || {
                recorders[0].left.load(Ordering::SeqCst) <= until || lanes.iter().all(|lane| lane.is_finished())
            });
            std::thread::sleep(Duration::from_millis(random(0..30)));
            let held = gate.write().unwrap();
            paused.store(true, Ordering::SeqCst);
            server.kill();
            kills.push(recorders[0].tick());
            server.launch();
            server.wait_open("BTCUSDT");
            paused.store(false, Ordering::SeqCst);
            drop(held);
        }
    });
    kills
}

#[test]
fn every_account_is_linearizable_though_the_process_is_killed() {
    let (wanted, operations) = if is_long() { (200, 500) } else { (12, 300) };
    let mut server = Server::prepare(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "2000")]);
    one_pair_only(&mut server);
    server.launch();
    server.wait_open("BTCUSDT");
    let names = ["demo", "demo2", "trader"];
    let users: Vec<Api> = names.iter().map(|name| server.demo(name)).collect();
    let clock = AtomicU64::new(0);
    let (mut histories, mut checked, mut violations) = (0, 0, Vec::new());
    while histories < wanted && violations.is_empty() {
        let began: Vec<Account> = users.iter().map(account).collect();
        let recorder = |(api, name)| {
            let (calls, open, left) = (Mutex::default(), Mutex::default(), AtomicUsize::new(operations));
            Recorder { api, name, clock: &clock, calls, open, left }
        };
        let recorders: Vec<Recorder> = users.iter().zip(names).map(recorder).collect();
        let kills = record(&mut server, &recorders, operations);
        for (recorder, began) in recorders.iter().zip(began) {
            let history = recorder.history(&kills);
            let distinct: BTreeSet<_> =
                history.iter().map(|o| std::mem::discriminant(&o.deed)).map(|d| format!("{d:?}")).collect();
            assert!(distinct.len() > 5, "a history of many kinds: {distinct:?}");
            checked += history.len();
            histories += 1;
            violations.extend(violation(began, &history));
        }
    }
    violations.extend(differences(&mut server));
    Row {
        promise: "the process is killed",
        how: "histories of an account are linearizable",
        tried: histories,
        checked,
        lost: violations.len(),
        doubled: 0,
        starts: server.starts()[1..].to_vec(),
        folded: folded(&server),
    }
    .tell();
    assert!(violations.is_empty(), "{}", violations[0]);
}
