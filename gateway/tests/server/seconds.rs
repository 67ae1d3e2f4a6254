//! Seconds options through the real binary: opening, results, a kill in the middle, bad requests.

use crate::bot::now_ms;
use crate::client::{Api, Server};
use crate::tool::{good, tool};
use crate::wait::{asked_again, eventually, found, within};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

const BTCUSDT: &str = "1";
const USDT: &str = "3";

fn enter(api: &Api, side: &str, seconds: &str, number: &str) -> Value {
    let fields =
        [("match_id", BTCUSDT), ("currency_id", USDT), ("type", side), ("seconds", seconds), ("number", number)];
    api.post("/microtrade/submit", &fields)
}

/// An option of 11 seconds that was opened: at a price that is a little old none is.
fn opened(api: &Api, side: &str, number: &str) -> Value {
    let told = found("an option is opened", || Some(enter(api, side, "11", number)).filter(|told| told["code"] == 1));
    told["message"].clone()
}

/// A demo user with 5,000 in the account of options, once an option can be opened.
fn started(server: &Server) -> Api {
    let api = server.demo("demo");
    let moved = [("currency_id", USDT), ("number", "5000"), ("from_field", "change"), ("to_field", "micro")];
    assert_eq!(api.post("/wallet/change", &moved)["code"], 1);
    eventually("there is a price", || enter(&api, "1", "11", "10")["code"] == 1);
    api
}

fn wallet(api: &Api) -> [String; 2] {
    let row = api.get("/microtrade/payable_currencies")["message"][0]["user_wallet"].clone();
    ["micro_balance", "lock_micro_balance"].map(|name| row[name].as_str().unwrap().to_owned())
}

fn ended(api: &Api, id: &Value) -> Value {
    let mut row = Value::Null;
    eventually("the option ended", || {
        row = api.get(&format!("/microtrade/get_result?id={id}"))["message"].clone();
        row["status"] == 3
    });
    row
}

#[test]
fn an_option_is_opened_listed_settled_and_audited() {
    let mut server = Server::start(&[]);
    let api = started(&server);
    let offered = api.get("/microtrade/seconds?match_id=1")["message"].clone();
    let shown: Vec<_> = offered.as_array().unwrap().iter().map(|row| (&row["seconds"], &row["profit_ratio"])).collect();
    assert_eq!(shown, [(&json!(11), &json!("75")), (&json!(60), &json!("80"))]);
    assert_eq!(
        (&offered[0]["status"], &offered[0]["rise_open"], &offered[0]["fee"]),
        (&json!(1), &json!(true), &json!("1"))
    );
    let opened = opened(&api, "2", "33.33");
    assert_eq!((&opened["status"], &opened["fee"], &opened["end_price"]), (&json!(1), &json!("0.3333"), &Value::Null));
    assert_eq!(wallet(&api)[1], "43.7633", "two stakes with their fees");
    let open = api.get("/microtrade/lists?status=1")["message"].clone();
    assert_eq!((&open["total"], &open["data"][0]["id"]), (&json!(2), &opened["id"]));
    let row = ended(&api, &opened["id"]);
    let gain = match row["profit_result"].as_i64().unwrap() {
        1 => "24.9975",
        -1 => "-33.33",
        _ => "0",
    };
    assert_eq!(row["fact_profits"], gain, "{row}");
    assert_eq!(row["is_void"], row["end_price"].is_null());
    assert!(row["is_void"] == true || row["close_tick"].as_u64() >= row["open_tick"].as_u64());
    eventually("both ended", || api.get("/microtrade/lists?status=3")["message"]["total"] == 2);
    assert_eq!(wallet(&api)[1], "0");
    let types = || {
        let log = api.post("/wallet/legal_log", &[("currency", "0"), ("type", "micro"), ("limit", "10")]);
        let rows = log["message"]["list"].as_array().unwrap().clone();
        let mut types: Vec<i64> = rows.iter().filter_map(|row| row["type"].as_i64()).collect();
        types.sort_unstable();
        types
    };
    eventually("the ledger has its rows", || types() == [17, 501, 501, 502, 502]);
    server.terminate();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("2 seconds options"), "{audit}");
}

#[test]
fn a_kill_before_the_end_loses_no_option_and_settles_it_once() {
    let mut server = Server::start(&[]);
    let api = started(&server);
    let ids: Vec<Value> = (0..3).map(|_| opened(&api, "1", "100")["id"].clone()).collect();
    server.kill();
    server.launch();
    let api = server.demo("demo");
    let rows: Vec<Value> = ids.iter().map(|id| ended(&api, id)).collect();
    let gained: f64 = rows.iter().map(|row| row["fact_profits"].as_str().unwrap().parse::<f64>().unwrap()).sum();
    let fees = rows.iter().filter(|row| row["is_void"] == false).count() as f64;
    let listed = api.get_patiently("/microtrade/lists?status=3&limit=10");
    let first = listed["message"]["data"].as_array().unwrap().last().unwrap().clone();
    let first_gain: f64 = first["fact_profits"].as_str().unwrap().parse().unwrap();
    let first_fee = if first["is_void"] == true { 0.0 } else { 0.1 };
    let [free, locked] = wallet(&api).map(|sum| sum.parse::<f64>().unwrap());
    assert_eq!(locked, 0.0);
    assert!((free - (5_000.0 + gained - fees + first_gain - first_fee)).abs() < 1e-6, "{free}: {rows:?}, {first}");
    server.terminate();
    good(&tool(&server, &["audit"]));
}

#[test]
fn an_option_asked_for_two_hundred_times_at_once_is_opened_five_times_and_once_by_a_key() {
    let server = Server::start(&[]);
    let api = started(&server);
    let many = |key: Option<&str>| {
        let asked: Vec<_> = (0..200)
            .map(|n| {
                let (api, key) = (api.clone(), key.map(str::to_owned));
                // Different numbers, so that none is the twin of another.
                let number = if key.is_some() { "10".to_owned() } else { format!("10.{n:03}1") };
                thread::spawn(move || {
                    let fields = [
                        ("match_id", BTCUSDT),
                        ("currency_id", USDT),
                        ("type", "1"),
                        ("seconds", "60"),
                        ("number", &*number),
                    ];
                    let answer = api.try_post("/microtrade/submit", &fields, key.as_deref()).expect("an answer");
                    (answer["code"].as_i64().unwrap(), answer["message"]["id"].clone())
                })
            })
            .collect();
        let mut codes: BTreeMap<i64, usize> = BTreeMap::new();
        let mut ids = std::collections::BTreeSet::new();
        for thread in asked {
            let (code, id) = thread.join().unwrap();
            *codes.entry(code).or_default() += 1;
            ids.extend((code == 1).then(|| id.to_string()));
        }
        (codes, ids.len())
    };
    // At a price that is a little old (1012) none is opened.
    let (codes, opened) = found("one is opened", || Some(many(Some("one-key"))).filter(|(_, opened)| *opened > 0));
    assert_eq!(opened, 1, "{codes:?}");
    assert!(codes.keys().all(|code| [1, 1002, 1012, 1018].contains(code)), "{codes:?}");
    let (codes, opened) = many(None);
    assert!(codes.keys().all(|code| [1, 1012, 1013, 1018].contains(code)), "{codes:?}");
    assert!(opened <= 5, "{codes:?}");
    // The first one may end meanwhile: then one more can be opened.
    let open = || api.get("/microtrade/lists?status=1&limit=10")["message"]["total"].as_u64();
    eventually("five are open and a sixth is refused", || {
        enter(&api, "1", "60", "10")["code"] == 1013 && open() == Some(5)
    });
}

#[test]
fn bad_requests_are_refused_with_their_codes_and_move_nothing() {
    let server = Server::start(&[]);
    let api = started(&server);
    eventually("the first one ended", || wallet(&api)[1] == "0");
    let before = wallet(&api);
    let code = |pair: &str, asset: &str, side: &str, seconds: &str, number: &str| {
        let fields =
            [("match_id", pair), ("currency_id", asset), ("type", side), ("seconds", seconds), ("number", number)];
        api.post("/microtrade/submit", &fields)["code"].as_i64().unwrap()
    };
    assert_eq!(code("77", USDT, "1", "11", "10"), 1003);
    assert_eq!(code("2", USDT, "1", "11", "10"), 1006, "no options on this pair");
    assert_eq!(code(BTCUSDT, USDT, "1", "12", "10"), 1001);
    assert_eq!(code(BTCUSDT, "1", "1", "11", "10"), 1001);
    for side in ["0", "3", "x", ""] {
        assert_eq!(code(BTCUSDT, USDT, side, "11", "10"), 1001, "{side}");
    }
    for number in ["0", "-1", "NaN", "1e9", "", "0.000000001"] {
        assert_eq!(code(BTCUSDT, USDT, "1", "11", number), 1001, "{number}");
    }
    assert_eq!(code(BTCUSDT, USDT, "1", "11", "9.99999999"), 1013);
    assert_eq!(code(BTCUSDT, USDT, "1", "11", "1000.00000001"), 1013);
    // At a price that is a little old nobody looks at the loss.
    let risky = asked_again(|| code(BTCUSDT, USDT, "1", "60", "1300"), |code| *code == 1012);
    assert_eq!(risky, 1013, "the worst loss would be 1,040");
    let seen = [
        ("match_id", BTCUSDT),
        ("currency_id", USDT),
        ("type", "1"),
        ("seconds", "11"),
        ("number", "10"),
        ("version", "7"),
    ];
    assert_eq!(api.post("/microtrade/submit", &seen)["code"], 1019);
    let other = server.demo("demo2");
    assert_eq!(enter(&other, "1", "11", "10")["code"], 1005);
    let own = api.get_patiently("/microtrade/lists")["message"]["data"][0]["id"].clone();
    let foreign = other.get_patiently(&format!("/microtrade/get_result?id={own}"));
    assert_eq!(foreign["code"], 1003, "of another account");
    assert_eq!(api.get("/microtrade/lists?status=9")["code"], 1001);
    assert_eq!(server.api().get("/microtrade/lists")["code"], 999);
    assert_eq!(wallet(&api), before);
}

/// How `exchange prove` and the verifier in Python end with a file.
fn proved(server: &Server, path: &Path, more: &[&str]) -> [Option<i32>; 2] {
    let args: Vec<&str> = ["prove", path.to_str().unwrap()].into_iter().chain(more.iter().copied()).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/prove_option.py");
    let python = Command::new("python3").arg("-B").arg(script).arg(path).output().expect("python3 runs");
    [tool(server, &args).status.code(), python.status.code()]
}

#[test]
fn the_proof_of_an_option_is_checked_without_the_server_and_a_changed_byte_is_noticed() {
    // An hour that is over has a root.
    within(Duration::from_secs(180), "the hour does not end soon", || now_ms() % 3_600_000 < 3_480_000);
    let mut server = Server::start(&[]);
    let api = started(&server);
    let opened = opened(&api, "1", "33.33");
    let url = opened["proof_url"].as_str().unwrap().strip_prefix("/api").unwrap().to_owned();
    let anybody = server.api();
    assert_eq!(anybody.get_patiently(&url)["code"], 1004, "it is open");
    assert_eq!(anybody.get_patiently("/microtrade/proof?id=999424")["code"], 1003);
    assert_eq!(anybody.get("/microtrade/proof?id=x")["code"], 1001);
    let row = ended(&api, &opened["id"]);
    let mut answer = Value::Null;
    eventually("its ticks are archived", || {
        answer = anybody.get(&url);
        assert!([1, 1004, 1020].iter().any(|code| answer["code"] == *code), "{answer}");
        answer["code"] == 1
    });
    let proof = &answer["message"];
    assert_eq!((&proof["order"]["id"], &proof["price"]["symbol"]), (&row["show_micro_id"], &json!("BTCUSDT")));
    assert_eq!(
        (&proof["result"]["close_price"], &proof["result"]["close_tick"], &proof["root"]),
        (&row["end_price"], &row["close_tick"], &Value::Null)
    );
    let (file, whole) = (server.scratch().join("proof.json"), proof.to_string());
    std::fs::write(&file, &whole).unwrap();
    let told = good(&tool(&server, &["prove", file.to_str().unwrap()]));
    assert!(told.contains("decides") && told.ends_with("the proof holds\n"), "{told}");
    assert_eq!(proved(&server, &file, &[]), [Some(0), Some(0)]);
    std::fs::write(&file, answer.to_string()).unwrap();
    assert_eq!(proved(&server, &file, &[]), [Some(0), Some(0)], "the whole answer, as it was saved");
    let index = format!("\"index\":{}", proof["ticks"][1]["index"]);
    let changed = whole.replacen(&index, "\"index\":\"12345\"", 1);
    let outcome = proof["result"]["outcome"].as_str().unwrap();
    let lied = whole.replacen(outcome, if outcome == "win" { "loss" } else { "win" }, 1);
    for wrong in [changed, lied] {
        assert_ne!(wrong, whole);
        std::fs::write(&file, wrong).unwrap();
        assert_eq!(proved(&server, &file, &[]), [Some(1), Some(1)]);
    }
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(proved(&server, &file, &["--key", &"0".repeat(64)])[0], Some(1), "it has no root yet");
    std::fs::write(&file, &whole[1..]).unwrap();
    assert_eq!(proved(&server, &file, &[]), [Some(2), Some(2)]);
    // The archive goes on behind a kill, and the same ticks have the same hashes.
    let ticks = |api: &Api, from: u64, to: u64| api.get(&format!("/fair/ticks?symbol=BTC/USDT&from={from}&to={to}"));
    let (first, last) =
        (row["open_tick"].as_u64().unwrap(), proof["ticks"].as_array().unwrap().last().unwrap().clone());
    let to = last["seq"].as_u64().unwrap();
    assert_eq!(ticks(&anybody, first, to)["message"]["ticks"], proof["ticks"]);
    server.kill();
    server.launch();
    let anybody = server.api();
    eventually("the archive goes on", || ticks(&anybody, first, to + 20)["code"] == 1);
    let all = ticks(&anybody, 1, to + 20)["message"].clone();
    assert_eq!((&all["previous"], all["ticks"].as_array().unwrap().len() as u64), (&json!("0".repeat(64)), to + 20));
    assert_eq!(all["ticks"][to as usize - 1], last);
    assert_eq!(ticks(&anybody, 1, 1_000_000)["code"], 1001);
    assert_eq!(ticks(&anybody, 900_000, 900_001)["code"], 1004);
    assert_eq!(ticks(&anybody, 0, 1)["code"], 1001);
    assert_eq!(ticks(&anybody, 2, 1)["code"], 1001);
    assert_eq!(anybody.get("/fair/ticks?symbol=NO/USDT&from=1&to=2")["code"], 1003);
    let key = anybody.get("/fair/key")["message"].clone();
    assert_eq!((&key["kind"], key["key"].as_str().unwrap().len()), (&json!("ed25519"), 64));
    let hour = last["time_ns"].as_str().unwrap().parse::<u64>().unwrap() / 3_600_000_000_000;
    let root = |hour: u64| anybody.get(&format!("/fair/roots?symbol=BTC/USDT&hour={hour}"))["code"].clone();
    assert_eq!((root(hour + 1), root(hour - 5)), (json!(1004), json!(1003)));
    assert_eq!(anybody.get("/fair/roots?symbol=BTC/USDT&hour=-1")["code"], 1001);
}
