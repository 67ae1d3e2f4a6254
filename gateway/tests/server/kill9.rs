//! `kill -9` at random moments under load: what was acknowledged is there, nothing is doubled, nothing half done.
//! Cycles: the variable KILL_CYCLES, default 12.

use crate::client::{Api, Server};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a client was told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    /// Sent, no answer.
    Nothing,
    /// The order's id.
    Placed(u64),
    /// The order's id; its cancel was confirmed.
    Canceled(u64),
    /// A refusal.
    Refused,
}

type Log = Arc<Mutex<BTreeMap<String, Told>>>;

/// Places orders far from the market (some near it, which trade) and cancels some, until told to stop.
fn trade(api: &Api, name: usize, counter: &AtomicU64, stop: &AtomicBool, log: &Log) {
    while !stop.load(Ordering::Relaxed) {
        let n = counter.fetch_add(1, Ordering::Relaxed);
        let key = format!("k{name}-{n}");
        let price = if n.is_multiple_of(7) { "59990" } else { "56000" };
        let form =
            [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", price), ("amount", "0.0001")];
        log.lock().unwrap().insert(key.clone(), Told::Nothing);
        let Ok(answer) = api.try_post("/coin/trade", &form, Some(&key)) else { continue };
        let Some(id) = answer["data"]["id"].as_u64() else {
            log.lock().unwrap().insert(key, Told::Refused);
            continue;
        };
        log.lock().unwrap().insert(key.clone(), Told::Placed(id));
        if !n.is_multiple_of(3) {
            let canceled = api.try_post("/coin/cancel", &[("id", &id.to_string())], None);
            if canceled.is_ok_and(|a| a["type"] == "ok") {
                log.lock().unwrap().insert(key, Told::Canceled(id));
            }
        }
    }
}

fn all_orders(api: &Api) -> BTreeMap<u64, Value> {
    let mut orders = BTreeMap::new();
    for page in 1.. {
        let rows = api.get(&format!("/coin/list?limit=100&page={page}"));
        let rows = rows["message"].as_array().cloned().unwrap_or_default();
        if rows.is_empty() {
            return orders;
        }
        for row in rows {
            let id = row["id"].as_u64().unwrap();
            assert!(orders.insert(id, row).is_none(), "an order stands twice in the list");
        }
    }
    orders
}

/// Compares the client's log with the exchange; returns how many acknowledgements were checked.
fn compare(api: &Api, log: &Log) -> usize {
    let orders = all_orders(api);
    let log = log.lock().unwrap();
    let mut named: BTreeMap<u64, &str> = BTreeMap::new();
    for (key, told) in log.iter() {
        match told {
            Told::Placed(id) | Told::Canceled(id) => {
                let row = orders.get(id).unwrap_or_else(|| panic!("order {id} of {key} was acknowledged and is gone"));
                if matches!(told, Told::Canceled(_)) {
                    assert_eq!(row["status"], 3, "the cancel of {id} was acknowledged: {row}");
                }
                assert!(named.insert(*id, key).is_none(), "{id} answers two requests");
                let again = api.get(&format!("/coin/request?key={key}"));
                assert_eq!(again["message"]["data"]["id"].as_u64(), Some(*id), "the key still names the order");
            }
            Told::Nothing => {
                // Unknown to the client: it happened once or not at all, and the key says which.
                let fate = api.get(&format!("/coin/request?key={key}"));
                if let Some(id) = fate["message"]["data"]["id"].as_u64() {
                    assert!(orders.contains_key(&id), "{key} placed {id}, which is gone");
                    assert!(named.insert(id, key).is_none(), "{id} answers two requests");
                }
            }
            Told::Refused => {}
        }
    }
    assert!(orders.len() <= log.len(), "more orders than requests");
    assert!(orders.keys().all(|id| named.contains_key(id)), "every order answers a request");
    named.len()
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled_by_kill_nine() {
    let cycles: u32 = std::env::var("KILL_CYCLES").map_or(12, |n| n.parse().unwrap());
    let mut server = Server::start(&[("XNG__JOURNAL__SNAPSHOT_EVERY_RECORDS", "400")]);
    server.wait_open("BTCUSDT");
    let users: Vec<Api> = ["demo", "demo2", "trader"].iter().map(|name| server.demo(name)).collect();
    let logs: Vec<Log> = users.iter().map(|_| Log::default()).collect();
    let counter = Arc::new(AtomicU64::new(0));
    let (mut checked, mut slowest) = (0, Duration::ZERO);
    for cycle in 0..cycles {
        let stop = Arc::new(AtomicBool::new(false));
        let threads: Vec<_> = users
            .iter()
            .enumerate()
            .map(|(name, api)| {
                let (api, counter, stop, log) = (api.clone(), counter.clone(), stop.clone(), logs[name].clone());
                std::thread::spawn(move || trade(&api, name, &counter, &stop, &log))
            })
            .collect();
        std::thread::sleep(Duration::from_millis(50 + u64::from(cycle * 7_919 % 700)));
        server.kill();
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().for_each(|t| t.join().unwrap());
        let began = Instant::now();
        server.launch();
        slowest = slowest.max(began.elapsed());
        server.wait_open("BTCUSDT");
        // Fewer open orders than the pair allows, so that every cycle trades.
        for api in &users {
            if cycle % 4 == 3 {
                assert_eq!(api.post("/coin/cancel_all", &[])["type"], "ok");
            }
        }
        server.wait_persisted();
        checked = users.iter().zip(&logs).map(|(api, log)| compare(api, log)).sum();
    }
    println!("{cycles} kills, {checked} orders known to clients, 0 lost, 0 doubled, slowest start {slowest:?}");
    assert!(checked > cycles as usize, "the load was real");
}
