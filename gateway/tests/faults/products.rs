//! `kill -9` while users open options, convert, trade stocks and open tickets that others copy: each answer that was given is
//! given again, each thing is there once, each copy was made once. Cycles: the variable FAULT_CYCLES, default 4.

use crate::client::{Api, Server};
use crate::harness::{cycles, random};
use crate::load::Audit;
use crate::promises::Row;
use crate::stock_market::{ALWAYS, with_stocks};
use crate::wait::eventually;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];
/// Requests of one kind in all cycles at most: of tickets and orders so many are listed on a page, and may be open.
const MOST: usize = 40;

/// What a user asks for again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Option,
    Ticket,
    Stock,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Option, Kind::Ticket, Kind::Stock];

    /// Who asks: the trader's tickets are copied.
    fn user(self) -> &'static str {
        if self == Kind::Ticket { "trader" } else { "demo" }
    }

    fn ask(self, api: &Api, key: &str) -> Option<Value> {
        let pair = |more: [(&'static str, &'static str); 4]| [&PAIR[..], &more].concat();
        let (path, form) = match self {
            Kind::Option => {
                let form =
                    vec![("match_id", "1"), ("currency_id", "3"), ("type", "1"), ("seconds", "11"), ("number", "10")];
                ("/microtrade/submit", form)
            }
            Kind::Ticket => {
                ("/lever/submit", pair([("type", "1"), ("share", "1"), ("multiple", "100"), ("status", "1")]))
            }
            Kind::Stock => {
                let form = vec![("currency_id", "10384"), ("legal_id", "3"), ("type", "1"), ("amount", "1")];
                ("/coin/trade", [form, vec![("target_price", "210")]].concat())
            }
        };
        api.try_post(path, &form, Some(key)).ok()
    }

    /// The number of what was made.
    fn made(self, answer: &Value) -> Option<u64> {
        let place = if self == Kind::Option { "message" } else { "data" };
        if answer["code"] == 1 { answer[place]["id"].as_u64() } else { None }
    }

    /// Numbers of all that there are.
    fn listed(self, api: &Api) -> Vec<u64> {
        let rows = match self {
            // In one answer: of two, an option that is settled in between is in both.
            Kind::Option => api.get_patiently("/microtrade/lists?status=-1&limit=100")["message"]["data"].clone(),
            Kind::Ticket => {
                api.post("/lever/my_trade", &[("status", "1"), ("limit", "100")])["message"]["data"].clone()
            }
            Kind::Stock => api.get_patiently("/coin/list?page=1&limit=100")["message"].clone(),
        };
        let rows = rows.as_array().into_iter().flatten();
        let mine = rows.filter(|row| self != Kind::Stock || row["symbol"] == "AAPL/USDT");
        mine.map(|row| row["id"].as_u64().unwrap_or_else(|| panic!("{row}"))).collect()
    }
}

/// What was asked for under which key, and what was made of it as far as anybody was told.
type Asked = BTreeMap<(Kind, String), Option<u64>>;

/// Asks until told to stop or has asked often enough; an answer that says no is no request.
fn ask_while(kind: Kind, api: &Api, cycle: usize, asked: &Mutex<Asked>, stopped: &AtomicBool) {
    for n in 0.. {
        let so_far = asked.lock().unwrap().keys().filter(|(other, _)| *other == kind).count();
        if stopped.load(Ordering::Relaxed) || so_far >= MOST {
            return;
        }
        let key = format!("{kind:?}-{cycle}-{n}");
        asked.lock().unwrap().insert((kind, key.clone()), None);
        match kind.ask(api, &key) {
            None => return,
            Some(answer) => match kind.made(&answer) {
                Some(id) => drop(asked.lock().unwrap().insert((kind, key), Some(id))),
                None => drop(asked.lock().unwrap().remove(&(kind, key))),
            },
        }
        std::thread::sleep(Duration::from_millis(120));
    }
}

/// Converts amounts that no other conversion has, each at a quote, until told to stop: those that were done, and those whose
/// answer did not come.
fn convert_while(api: &Api, first: usize, done: &Mutex<(BTreeSet<String>, BTreeSet<String>)>, stopped: &AtomicBool) {
    for n in first.. {
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let number = format!("10.{:04}1", n);
        let pair = [("from_currency_id", "3"), ("to_currency_id", "1"), ("number", &*number)];
        let Ok(quote) = api.try_post("/user/getTransferFee", &pair, None) else { return };
        let Some(quote) = quote["message"]["quote_id"].as_str().map(str::to_owned) else { continue };
        let form = [&pair[..], &[("quote_id", &*quote)]].concat();
        match api.try_post("/user/Transfer", &form, None) {
            Ok(answer) if answer["code"] == 1 => drop(done.lock().unwrap().0.insert(number)),
            Ok(_) => {}
            Err(_) => {
                done.lock().unwrap().1.insert(number);
                return;
            }
        }
        std::thread::sleep(Duration::from_millis(60));
    }
}

fn conversions(api: &Api) -> Vec<String> {
    let page = |n: usize| api.get_patiently(&format!("/user/Transfer/list?page={n}&limit=50"))["message"].clone();
    let mut numbers = Vec::new();
    for n in 1.. {
        let told = page(n);
        let rows = told["data"].as_array().unwrap_or_else(|| panic!("{told}"));
        numbers.extend(rows.iter().map(|row| row["number"].as_str().unwrap().to_owned()));
        if rows.is_empty() || told["pages"].as_u64().is_none_or(|pages| pages <= n as u64) {
            return numbers;
        }
    }
    numbers
}

/// Tickets that a follower has a copy of, or was told why not.
fn copied(follower: &Api) -> Vec<u64> {
    let rows = follower.post("/lever/my_trade", &[("status", "1"), ("limit", "100")])["message"]["data"].clone();
    let skipped = follower.get_patiently("/follow/log?limit=100")["message"]["data"].clone();
    let all = [rows, skipped];
    let all = all.iter().flat_map(|rows| rows.as_array().into_iter().flatten());
    all.filter_map(|row| row["follow_order_id"].as_u64()).collect()
}

fn is_live(server: &Server) -> bool {
    let quotes = server.api().get("/currency/quotation_new")["message"].clone();
    let groups = quotes.as_array().into_iter().flatten();
    let mut rows = groups.flat_map(|group| group["quotation"].as_array().into_iter().flatten());
    let stock_open = rows.any(|row| row["symbol"] == "AAPL/USDT" && row["market_status"] == "open");
    stock_open && server.api().post("/lever/deal", &PAIR)["message"]["contract"]["live"] == true
}

/// Asks for everything again, then looks for each thing that is known and for others.
fn look(server: &Server, asked: &Mutex<Asked>, done: &Mutex<(BTreeSet<String>, BTreeSet<String>)>) -> Audit {
    let mut audit = Audit::default();
    let mut asked = asked.lock().unwrap();
    for ((kind, key), known) in asked.iter_mut() {
        let answer = kind.ask(&server.demo(kind.user()), key).expect("it is running");
        let made = kind.made(&answer);
        audit.checked += 1;
        match (*known, made) {
            (Some(id), made) if made != Some(id) => audit.lost.push(format!("{kind:?} {key}: {id}, then {answer}")),
            (None, made) => *known = made,
            (Some(_), _) => {}
        }
    }
    // Nobody was told of these, and they were not made now either.
    asked.retain(|_, known| known.is_some());
    server.wait_persisted();
    for kind in Kind::ALL {
        let known: BTreeSet<u64> =
            asked.iter().filter(|((other, _), _)| *other == kind).filter_map(|(_, id)| *id).collect();
        let listed = kind.listed(&server.demo(kind.user()));
        let distinct: BTreeSet<u64> = listed.iter().copied().collect();
        audit.lost.extend(known.difference(&distinct).map(|id| format!("{kind:?} {id} is not listed")));
        let doubled = listed.len() - distinct.len() + distinct.difference(&known).count();
        if doubled > 0 {
            audit.doubled.push(format!("{kind:?}: {listed:?}, known are {known:?}"));
        }
    }
    let tickets: BTreeSet<u64> =
        asked.iter().filter(|((kind, _), _)| *kind == Kind::Ticket).filter_map(|(_, id)| *id).collect();
    let follower = server.demo("demo2");
    eventually("each ticket was copied", || copied(&follower).iter().copied().collect::<BTreeSet<u64>>() == tickets);
    let copies = copied(&follower);
    audit.checked += copies.len();
    if copies.len() != tickets.len() {
        audit.doubled.push(format!("copies of {copies:?}, tickets {tickets:?}"));
    }
    let (told, open) = &*done.lock().unwrap();
    let listed = conversions(&server.demo("demo"));
    let distinct: BTreeSet<String> = listed.iter().cloned().collect();
    audit.checked += told.len();
    audit.lost.extend(told.difference(&distinct).map(|number| format!("the conversion of {number}")));
    let unknown = distinct.iter().filter(|number| !told.contains(*number) && !open.contains(*number)).count();
    if listed.len() != distinct.len() || unknown > 0 {
        audit.doubled.push(format!("conversions {listed:?}, told {told:?}, open {open:?}"));
    }
    audit
}

#[test]
fn options_conversions_stocks_and_copies_are_there_once_after_kill_nine() {
    let mut server = with_stocks(ALWAYS);
    server.set("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "400");
    server.launch();
    eventually("everything is open", || is_live(&server));
    let (demo, trader, follower) = (server.demo("demo"), server.demo("trader"), server.demo("demo2"));
    let moved = [("currency_id", "3"), ("number", "5000"), ("from_field", "change"), ("to_field", "micro")];
    assert_eq!(demo.post("/wallet/change", &moved)["code"], 1);
    let leads = trader.get("/user/info")["message"]["id"].to_string();
    let follow = [("trader_user_id", &*leads), ("type", "2"), ("number", "1")];
    assert_eq!(follower.post("/follow/follow", &follow)["code"], 1);
    let (asked, done) = (Mutex::new(Asked::new()), Mutex::default());
    let mut found = Audit::default();
    for cycle in 0..cycles(4) {
        eventually("everything is open", || is_live(&server));
        let stopped = AtomicBool::new(false);
        let apis = Kind::ALL.map(|kind| (kind, server.demo(kind.user())));
        let converts = server.demo("demo");
        std::thread::scope(|scope| {
            for (kind, api) in &apis {
                scope.spawn(|| ask_while(*kind, api, cycle, &asked, &stopped));
            }
            scope.spawn(|| convert_while(&converts, cycle * 1_000, &done, &stopped));
            std::thread::sleep(Duration::from_millis(random(300..1_500)));
            server.kill();
            stopped.store(true, Ordering::Relaxed);
        });
        server.launch();
        found.add(look(&server, &asked, &done));
        if !found.is_clean() {
            break;
        }
    }
    let starts = &server.starts()[1..];
    let checked = found.checked;
    let row = Row {
        promise: "the process is killed",
        how: "kill -9 under options, conversions, stocks and copies",
        tried: starts.len(),
        starts: starts.to_vec(),
        ..Row::default()
    };
    found.conclude(row, &mut server);
    assert!(checked > 20, "the load was real: {checked}");
}
