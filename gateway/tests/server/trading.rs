//! Orders, wallets, history and accounts through the real binary.

use crate::client::{Api, Server};
use crate::wait::eventually;
use serde_json::Value;
use std::sync::Arc;

const BTC: u32 = 1;
const USDT: u32 = 3;

fn order<'a>(side: &'a str, price: &'a str, amount: &'a str) -> [(&'a str, &'a str); 5] {
    [("currency_id", "1"), ("legal_id", "3"), ("type", side), ("target_price", price), ("amount", amount)]
}

fn amount(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn a_market_buy_and_a_limit_order_move_the_balances_that_the_lists_show() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    assert_eq!(api.balance(USDT), ("10000".into(), "0".into()));
    let bought = api.post(
        "/coin/trade",
        &[("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.01")],
    );
    assert_eq!((&bought["type"], &bought["data"]["status"]), (&"ok".into(), &2.into()), "{bought}");
    assert_eq!(api.balance(BTC).0, "0.00999", "0.1 % of what is received");
    let spent = amount(bought["data"]["filled_total"].as_str().unwrap());
    let left = amount(&api.balance(USDT).0);
    assert!((10_000.0 - spent - left).abs() < 1e-6);
    let placed = api.post("/coin/trade", &order("1", "56000", "0.01"));
    let id = placed["data"]["id"].as_u64().unwrap_or_else(|| panic!("{placed}"));
    assert_eq!(api.balance(USDT).1, "560");
    let canceled = api.post("/coin/cancel", &[("id", &id.to_string())]);
    assert_eq!(canceled["type"], "ok", "{canceled}");
    assert_eq!(amount(&api.balance(USDT).0), left);
    let detail = api.get(&format!("/coin/detail?id={}", bought["data"]["id"]));
    let fills = detail["message"]["fills"].as_array().unwrap();
    assert!(!fills.is_empty() && fills.iter().all(|f| f["role"] == "taker" && f["fee_currency"] == "BTC"), "{detail}");
    let own = api.get("/coin/trades");
    assert_eq!(own["message"].as_array().unwrap().len(), fills.len());
    assert_eq!(api.post("/coin/cancel", &[("id", &id.to_string())])["code"], 1004, "a second cancel");
    let mut named = order("1", "56000", "0.01").to_vec();
    named.push(("client_id", "mine"));
    assert_eq!(api.post("/coin/trade", &named)["type"], "ok");
    let cancel = |name| api.post("/coin/cancel", &[("client_id", name)]);
    assert_eq!(cancel("mine")["type"], "ok");
    assert_eq!(cancel("mine")["code"], 1004, "a second cancel, by the client's name");
    assert_eq!(cancel("never used")["code"], 1003);
    assert_eq!(cancel("never-used")["code"], 1003);
}

#[test]
fn orders_wallets_and_details_show_at_once_while_the_persister_stands() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    server.ops_post("/dev/persister/pause");
    let placed = api.post("/coin/trade", &order("1", "56000", "0.01"));
    let id = placed["data"]["id"].clone();
    let list = api.get("/coin/list?status=1");
    assert_eq!(list["message"][0]["id"], id, "{list}");
    assert_eq!(api.balance(USDT), ("9440".into(), "560".into()));
    let detail = api.get(&format!("/coin/detail?id={id}"));
    assert_eq!(detail["message"]["status"], 1);
    let logged = |log: &Value| log["message"]["list"][0]["order_no"].as_str() == Some(&id.to_string());
    let log = api.post("/wallet/legal_log", &[("currency", "3"), ("type", "change")]);
    assert!(!logged(&log), "the persister stands");
    server.ops_post("/dev/persister/resume");
    eventually("a ledger row after the persister went on", || {
        logged(&api.post("/wallet/legal_log", &[("currency", "3"), ("type", "change")]))
    });
}

#[test]
fn records_by_order_have_one_row_an_order_instead_of_each_hold_release_and_fill() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let bought = api.post(
        "/coin/trade",
        &[("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("quote_amount", "2000")],
    );
    let rested = api.post("/coin/trade", &order("1", "56000", "0.01"))["data"]["id"].clone();
    assert_eq!(api.post("/coin/cancel", &[("id", &rested.to_string())])["type"], "ok");
    let moved = [("currency_id", "3"), ("number", "5"), ("from_field", "legal"), ("to_field", "change")];
    assert_eq!(api.post("/wallet/change", &moved)["type"], "ok");
    let list = |fields: &[(&str, &str)]| {
        let log = api.post("/wallet/legal_log", &[fields, &[("by", "order")]].concat());
        log["message"]["list"].as_array().unwrap_or_else(|| panic!("{log}")).clone()
    };
    let of_usdt = [("currency", "3"), ("type", "change")];
    eventually("the transfer is written", || list(&of_usdt).iter().any(|r| r["type"] == 11));
    let rows = list(&of_usdt);
    let orders: Vec<&Value> = rows.iter().filter(|r| r.get("order").is_some()).collect();
    let ids: Vec<&Value> = orders.iter().map(|r| &r["order"]["id"]).collect();
    assert_eq!(ids, [&rested, &bought["data"]["id"]], "newest first: {rows:?}");
    assert!(rows.iter().all(|r| r["type"] != 50), "no hold and no release: {rows:?}");
    let others: Vec<i64> =
        rows.iter().filter(|r| r.get("order").is_none()).map(|r| r["type"].as_i64().unwrap()).collect();
    assert_eq!(others, [11, 1], "the transfer and the opening balance: {rows:?}");
    assert_eq!(orders[0]["changes"][0]["value"], "0", "nothing of it was filled");
    let spent = amount(bought["data"]["filled_total"].as_str().unwrap());
    assert_eq!(orders[1]["changes"].as_array().unwrap().len(), 1, "of this coin alone");
    assert!((amount(orders[1]["changes"][0]["value"].as_str().unwrap()) + spent).abs() < 1e-9, "{orders:?}");
    // The rows add up to what there is.
    let total: f64 = rows
        .iter()
        .map(|r| r.get("changes").map_or_else(|| r["value"].as_str().unwrap(), |c| c[0]["value"].as_str().unwrap()))
        .map(amount)
        .sum();
    assert!((total - amount(&api.balance(USDT).0)).abs() < 1e-6, "{total} {rows:?}");
    let of_all = list(&[("limit", "2")]);
    assert_eq!(of_all.len(), 2);
    let both = list(&[("limit", "2"), ("page", "2")]);
    assert_eq!(both[0]["changes"].as_array().map(Vec::len), Some(2), "{both:?}");
    assert_eq!(list(&[("currency", "3"), ("type", "legal")]).len(), 2, "no order is in another account");
    assert_eq!(api.post("/wallet/legal_log", &[("by", "day")])["code"], 1001);
}

#[test]
fn what_an_account_forgot_before_it_was_written_is_answered_later_and_never_left_out() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let passes = |n: usize| {
        let expires = [&order("1", "56000", "0.01")[..], &[("tif", "IOC")]].concat();
        (0..n).map(|_| api.post("/coin/trade", &expires)["data"]["id"].clone()).collect::<Vec<_>>()
    };
    let page = |n: usize| api.get(&format!("/coin/list?limit=100&page={n}"));
    let rows = |list: &Value| list["message"].as_array().map_or(0, Vec::len);
    let known = passes(2);
    let rested = api.post("/coin/trade", &order("1", "56000", "0.01"))["data"]["id"].clone();
    let at = server.status("lsn");
    eventually("they are written", || server.status("persisted") >= at);
    server.ops_post("/dev/persister/pause");
    assert_eq!(api.post("/coin/cancel", &[("id", &rested.to_string())])["type"], "ok");
    let forgotten = passes(3);
    // Memory goes by chunks: some more than it has at least.
    passes(320);
    let detail = |id: &Value| api.get(&format!("/coin/detail?id={id}"));
    assert_eq!(detail(&known[0])["message"]["id"], known[0], "written before");
    assert_eq!(detail(&forgotten[0])["code"], 1020, "{}", detail(&forgotten[0]));
    assert_eq!(detail(&Value::from(u64::MAX >> 2))["code"], 1020, "whether it is there cannot be told");
    assert_eq!(detail(&rested)["code"], 1020, "the store has it as open, which it is no longer: {}", detail(&rested));
    // All that is open is in memory: a cancel need not wait to know that there is nothing left to cancel.
    for over in [&forgotten[0], &rested, &known[0]] {
        assert_eq!(api.post("/coin/cancel", &[("id", &over.to_string())])["code"], 1004, "{over}");
    }
    assert_eq!(rows(&page(1)), 100, "what is remembered is shown");
    assert_eq!(api.get("/coin/list?type=2")["code"], 1020, "sales may be among what was forgotten");
    assert_eq!(rows(&api.get("/coin/trades")), 0, "no trade was forgotten");
    assert_eq!(page(4)["code"], 1020, "{}", page(4));
    server.ops_post("/dev/persister/resume");
    eventually("the whole history", || rows(&page(4)) == 26);
    // While anything of the last second is on its way, "later" may come in between.
    eventually("the cancel", || detail(&rested)["message"]["status"] == 3);
    eventually("no sales", || api.get("/coin/list?type=2")["message"] == Value::Array(Vec::new()));
    eventually("what was forgotten", || detail(&forgotten[0])["message"]["id"] == forgotten[0]);
    eventually("nobody's", || detail(&Value::from(u64::MAX >> 2))["code"] == 1003);
    eventually("it cannot be cancelled", || {
        api.post("/coin/cancel", &[("id", &(u64::MAX >> 2).to_string())])["code"] == 1003
    });
}

#[test]
fn the_same_request_key_places_one_order_even_at_the_same_moment() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let send = |api: &Api| api.try_post("/coin/trade", &order("1", "56000", "0.01"), Some("one")).unwrap();
    let answers: Vec<Value> = std::thread::scope(|s| {
        let threads: Vec<_> = (0..16).map(|_| s.spawn(|| send(&api))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let ids: Vec<u64> = answers.iter().filter_map(|a| a["data"]["id"].as_u64()).collect();
    assert!(!ids.is_empty() && ids.iter().all(|id| *id == ids[0]), "{answers:?}");
    assert!(answers.iter().all(|a| a["type"] == "ok" || a["code"] == 1002), "{answers:?}");
    assert_eq!(send(&api)["data"]["id"].as_u64(), Some(ids[0]), "a retry gets the first answer");
    let other = api.try_post("/coin/trade", &order("1", "56001", "0.01"), Some("one")).unwrap();
    assert_eq!(other["code"], 1002, "the same key with another body");
    assert_eq!(api.get("/coin/list")["message"].as_array().unwrap().len(), 1);
}

#[test]
fn a_retry_is_told_what_was_accepted_though_the_market_is_closed_by_now() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let buy = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.01")];
    let first = api.try_post("/coin/trade", &buy, Some("once")).unwrap();
    assert_eq!(first["type"], "ok", "{first}");
    server.kill();
    // No feed any more: no quotes, nothing to buy.
    server.set("XNG__FEED__KIND", "live");
    server.set("XNG__FEED__SOURCE", "ws://127.0.0.1:9");
    server.launch();
    let again = api.try_post("/coin/trade", &buy, Some("once")).unwrap();
    assert_eq!(again["data"]["repeated"], true, "{again}");
    for field in ["id", "order_no", "filled_amount", "filled_total", "status"] {
        assert_eq!(again["data"][field], first["data"][field], "{field}");
    }
    let other = api.try_post("/coin/trade", &buy, Some("twice")).unwrap();
    assert_eq!(other["code"], 1012, "{other}");
}

#[test]
fn two_hundred_parallel_orders_never_spend_one_balance_twice() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = Arc::new(server.demo("demo"));
    let answers: Vec<Value> = std::thread::scope(|s| {
        let place = |n: usize| {
            let api = api.clone();
            move || api.try_post("/coin/trade", &order("1", "56000", "0.1"), Some(&format!("p{n}"))).unwrap()
        };
        let threads: Vec<_> = (0..200).map(|n| s.spawn(place(n))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let placed = answers.iter().filter(|a| a["type"] == "ok").count();
    assert_eq!(placed, 1, "10,000 affords one order of 5,600");
    // On a slow machine some are answered "later", or meet a price that is too old.
    assert!(answers.iter().any(|a| a["code"] == 1005), "money is what the others lack");
    let mut codes = answers.iter().map(|a| &a["code"]);
    assert!(codes.all(|code| [1, 1005, 1012, 1020].iter().any(|known| code == known)), "{answers:?}");
    assert_eq!(api.balance(USDT), ("4400".into(), "5600".into()));
}

#[test]
fn cancel_all_takes_every_open_order_of_the_user_and_nobody_elses() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let (a, b) = (server.demo("demo"), server.demo("demo2"));
    for price in ["56000", "56001", "56002"] {
        a.try_post("/coin/trade", &order("1", price, "0.001"), Some(price)).unwrap();
    }
    let other = b.post("/coin/trade", &order("1", "56000", "0.001"));
    let answer = a.post("/coin/cancel_all", &[]);
    assert_eq!(answer["data"]["ids"].as_array().unwrap().len(), 3, "{answer}");
    assert_eq!(a.balance(USDT), ("10000".into(), "0".into()));
    let left = b.get("/coin/list?status=1");
    assert_eq!(left["message"][0]["id"], other["data"]["id"]);
}

#[test]
fn orders_are_listed_and_paged_by_what_became_of_them() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let buy = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.01")];
    let bought = api.post("/coin/trade", &buy)["data"]["id"].clone();
    let placed: Vec<Value> = ["56000", "56001", "56002", "56003"]
        .iter()
        .map(|price| api.post("/coin/trade", &order("1", price, "0.001"))["data"]["id"].clone())
        .collect();
    for id in &placed[..3] {
        api.post("/coin/cancel", &[("id", &id.to_string())]);
    }
    let ids = |path: &str| -> Vec<Value> {
        api.get(path)["message"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect()
    };
    // At first from memory, then from both: the same answer.
    for _ in 0..2 {
        assert_eq!(ids("/coin/list?status=1"), &placed[3..]);
        assert_eq!(ids("/coin/list?status=2"), std::slice::from_ref(&bought));
        assert_eq!(ids("/coin/list?status=3&limit=2"), [placed[2].clone(), placed[1].clone()]);
        assert_eq!(ids("/coin/list?status=3&limit=2&page=2"), [placed[0].clone()]);
        assert_eq!(ids("/coin/list?limit=10").len(), 5);
        server.wait_persisted();
    }
}

#[test]
fn orders_that_memory_no_longer_has_are_listed_from_the_store() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let first = api.post("/coin/trade", &order("1", "56000", "0.001"))["data"]["id"].clone();
    api.post("/coin/cancel", &[("id", &first.to_string())]);
    // The account remembers 256.
    for _ in 0..260 {
        let id = api.post("/coin/trade", &order("1", "56000", "0.001"))["data"]["id"].clone();
        assert_eq!(api.post("/coin/cancel", &[("id", &id.to_string())])["type"], "ok");
    }
    server.wait_persisted();
    eventually("the last page", || {
        let last = api.get("/coin/list?status=3&limit=100&page=3");
        last["message"].as_array().is_some_and(|rows| rows.len() == 61 && rows[60]["id"] == first)
    });
}

fn register(api: &Api, email: &str, code: &str, password: &str) -> Value {
    let form = [("user_string", email), ("code", code), ("password", password), ("re_password", password)];
    api.post("/user/register", &form)
}

#[test]
fn an_account_is_made_by_its_own_code_and_its_password_reset_by_its_own() {
    let server = Server::start(&[]);
    let api = server.api();
    let (ann, bea) = ("ann@example.com", "bea@example.com");
    assert_eq!(register(&api, ann, "123456", "correct-horse")["code"], 1008, "without a code");
    for to in [ann, bea] {
        assert_eq!(api.post("/sms_mail", &[("user_string", to), ("type", "register")])["type"], "ok");
    }
    let (for_ann, for_bea) = (server.code(ann).unwrap(), server.code(bea).unwrap());
    if for_ann != for_bea {
        assert_eq!(register(&api, ann, &for_bea, "correct-horse")["code"], 1008, "another address's code");
    }
    let check = [("user_string", ann), ("email_code", for_ann.as_str())];
    assert_eq!(api.post("/user/check_email", &check)["type"], "ok", "checking uses nothing up");
    assert_eq!(register(&api, ann, &for_ann, "correct-horse")["type"], "ok");
    assert_eq!(register(&api, ann, &for_ann, "correct-horse")["code"], 1008, "a code works once");
    let login = |password: &str| api.post("/user/login", &[("user_string", ann), ("password", password)]);
    let token = login("correct-horse")["message"].as_str().unwrap().to_owned();
    let me = api.with_token(&token);
    assert_eq!(me.get("/user/info?user_id=100001")["message"]["email"], ann, "always of whoever asks");
    assert_eq!(me.balance(USDT).0, "10000", "the demo's opening balance");
    let forget = |who: &str, code: &str, password: &str| {
        let form = [("account", who), ("code", code), ("password", password), ("repassword", password)];
        api.post("/user/forget", &form)
    };
    assert_eq!(forget(ann, "123456", "another-horse")["code"], 1008);
    assert_eq!(forget(ann, &for_ann, "another-horse")["code"], 1008, "a code for registering resets nothing");
    assert_eq!(login("correct-horse")["type"], "ok", "the old password still works");
    // One mail a minute to one address: the reset is somebody else's.
    let (demo, before) = ("demo2@example.com", server.demo("demo2"));
    assert_eq!(api.post("/sms_mail", &[("user_string", demo), ("type", "forget")])["type"], "ok");
    assert_eq!(api.post("/sms_mail", &[("user_string", demo), ("type", "forget")])["code"], 1018, "not twice a minute");
    let fresh = server.code(demo).unwrap();
    assert_eq!(forget(ann, &fresh, "another-horse")["code"], 1008, "another account's code");
    assert_eq!(forget(demo, &fresh, "another-horse")["type"], "ok");
    assert_eq!(before.get("/user/info")["type"], "999", "all sessions ended");
    let login = |password: &str| api.post("/user/login", &[("user_string", demo), ("password", password)]);
    assert_eq!(login("demo1234")["code"], 1009);
    assert_eq!(login("another-horse")["type"], "ok");
}

#[test]
fn a_refused_registration_or_reset_names_the_field_that_it_is_about() {
    let server = Server::start(&[]);
    let api = server.api();
    let eve = "eve@example.com";
    assert_eq!(api.post("/sms_mail", &[("user_string", eve), ("type", "register")])["type"], "ok");
    let code = server.code(eve).unwrap();
    let field = |path: &str, form: &[(&str, &str)]| {
        let answer = api.post(path, form);
        let errors = answer["errors"].as_object().unwrap_or_else(|| panic!("{form:?} {answer}"));
        assert!(errors.len() == 1 && answer["message"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        errors.keys().next().cloned().unwrap()
    };
    let good = [("user_string", eve), ("code", code.as_str()), ("password", "horse-7x"), ("re_password", "horse-7x")];
    let with = |name: &'static str, text: &'static str| {
        let mut form: Vec<(&str, &str)> = good.iter().copied().filter(|(known, _)| *known != name).collect();
        form.push((name, text));
        field("/user/register", &form)
    };
    assert_eq!(with("user_string", "eve"), "user_string");
    assert_eq!(with("user_string", "e;v@example.com"), "user_string");
    assert_eq!(with("type", "mobile"), "user_string", "an address is no phone");
    assert_eq!(with("code", "12"), "code");
    assert_eq!(with("code", if code == "123456" { "654321" } else { "123456" }), "code");
    assert_eq!(with("password", "short"), "password");
    assert_eq!(with("re_password", "horse-8x"), "re_password");
    assert_eq!(with("extension_code", "NOBODY1"), "extension_code");
    let common = [&good[..2], &[("password", "password1"), ("re_password", "password1")]].concat();
    assert_eq!(field("/user/register", &common), "password", "too common");
    assert_eq!(field("/user/check_email", &[("user_string", eve), ("email_code", "000000")]), "email_code");
    let reset = [("account", "demo@example.com"), ("code", "000000"), ("password", "horse-7x")];
    assert_eq!(field("/user/forget", &[&reset[..], &[("repassword", "horse-7x")]].concat()), "code");
    assert_eq!(field("/user/forget", &[&reset[..], &[("repassword", "horse-8x")]].concat()), "repassword");
    assert_eq!(api.post("/user/register", &good)["type"], "ok", "refusals used nothing up");
}

#[test]
fn nothing_tells_whether_an_account_exists() {
    let server = Server::start(&[]);
    let api = server.api();
    let pairs =
        [("register", "demo@example.com", "n1@example.com"), ("forget", "trader@example.com", "n2@example.com")];
    for (kind, known, unknown) in pairs {
        let answer = |to: &str| api.post("/sms_mail", &[("user_string", to), ("type", kind)]);
        assert_eq!(answer(known), answer(unknown), "{kind}");
        let login = |to: &str| api.post("/user/login", &[("user_string", to), ("password", "wrong-password")]);
        assert_eq!(login(known), login(unknown));
        let (owner, nobody) = (server.code(known).is_some(), server.code(unknown).is_some());
        assert_eq!((owner, nobody), if kind == "forget" { (true, false) } else { (false, true) }, "{kind}");
    }
}

#[test]
fn logging_out_ends_the_session_and_is_fine_twice() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    let sessions = api.get("/user/sessions");
    assert_eq!(sessions["message"][0]["current"], true);
    assert_eq!(api.get("/user/logout")["type"], "ok");
    assert_eq!(api.get("/user/info")["type"], "999");
    assert_eq!(api.get("/user/logout")["type"], "ok");
}

#[test]
fn an_expired_token_is_no_token() {
    let server = Server::start(&[("XNG__AUTH__SESSION_IDLE_HOURS", "0")]);
    let api = server.demo("demo");
    assert_eq!(api.get("/user/info")["type"], "999");
    assert_eq!(api.post("/coin/trade", &order("1", "56000", "0.01"))["type"], "999");
}
