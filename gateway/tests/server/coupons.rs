//! Coupons through the real binary: the demo's code, a campaign of two people, using, taking back, a kill, the tools.

use crate::back_office::{Browser, open_office, person};
use crate::client::{Api, Server};
use crate::metrics::scrape;
use crate::socket::Socket;
use crate::tool::{good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::thread;

fn coupons(api: &Api, status: u8) -> Vec<Value> {
    let told = api.get_patiently(&format!("/coupon/list?status={status}"));
    told["message"]["data"].as_array().unwrap_or_else(|| panic!("{told}")).clone()
}

fn exchange(api: &Api, code: &str) -> i64 {
    api.post("/coupon/exchange", &[("code", code)])["code"].as_i64().unwrap()
}

fn use_it(api: &Api, id: &Value) -> i64 {
    api.post("/coupon/use", &[("id", &id.to_string())])["code"].as_i64().unwrap()
}

fn spot(api: &Api) -> String {
    let told = api.post("/wallet/detail", &[("currency", "3"), ("type", "change")]);
    told["message"]["change_balance"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
}

fn in_a_year() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
    now + 360 * 86_400_000
}

fn campaign(value: &str, number: u32) -> Value {
    json!({ "name": "Autumn", "asset": "USDT", "value": value, "coupons": number, "days": 30, "ends_ms": in_a_year(),
        "code": "AUTUMN-2026", "reason": "for old friends" })
}

fn campaigns(staff: &Browser) -> Vec<Value> {
    staff.get("campaigns").1["campaigns"].as_array().unwrap().clone()
}

#[test]
fn the_code_of_a_campaign_is_a_coupon_that_pays_once_whatever_happens() {
    let mut server = Server::start(&[]);
    let api = server.demo("demo");
    let mut events = Socket::open(&server, "/realtime");
    events.send(&json!({ "event": "login", "data": { "token": api.token } }));
    events.until(|frame| frame["event"] == "snapshot");
    assert_eq!(exchange(&api, "nothing at all"), 1003);
    assert_eq!(exchange(&api, " wel-come "), 1);
    events.until(|frame| frame["event"] == "coupon" && frame["data"]["status"] == 0);
    assert_eq!(exchange(&api, "WELCOME"), 1016, "one of a campaign");
    let unused = coupons(&api, 0);
    let row = unused[0].clone();
    assert_eq!(
        (unused.len(), &row["price"], &row["unit"], &row["kind"]),
        (1, &json!("10"), &json!("USDT"), &json!("cash"))
    );
    assert_eq!((&row["name"], &row["status"], &row["used_at"]), (&json!("Welcome"), &json!(0), &Value::Null));
    let before = spot(&api);
    // Many at once: one of them pays.
    let answers: Vec<i64> = thread::scope(|scope| {
        let all: Vec<_> = (0..20).map(|_| scope.spawn(|| use_it(&api, &row["id"]))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|code| **code == 1).count(), 1, "{answers:?}");
    let paid: f64 = spot(&api).parse::<f64>().unwrap() - before.parse::<f64>().unwrap();
    assert_eq!(paid.to_string(), "10");
    events.until(|frame| frame["event"] == "coupon" && frame["data"]["status"] == 1);
    server.kill();
    server.launch();
    let api = server.demo("demo");
    assert_eq!(use_it(&api, &row["id"]), 1003, "it was used before the kill");
    eventually("the store has it", || coupons(&api, 1).len() == 1);
    assert!(coupons(&api, 0).is_empty() && coupons(&api, 2).is_empty());
    let told = api.get_patiently("/mailMessage/getList?kind=system");
    let first = &told["message"]["list"][0];
    assert!(told.to_string().contains("You have a coupon"), "{first}");
    let figures = scrape(&server);
    assert_eq!(figures.sum("xng_coupons_total", &[("event", "used")]), 1.0);
    assert_eq!(figures.sum("xng_coupon_locked", &[("asset", "USDT")]), 9_990.0);
    server.terminate();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("1 coupons"), "{audit}");
}

#[test]
fn codes_that_open_nothing_are_five_an_hour() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    let codes: Vec<i64> = (0..6).map(|n| exchange(&api, &format!("guess-{n}"))).collect();
    assert_eq!(codes, [1003, 1003, 1003, 1003, 1003, 1018]);
    assert_eq!(exchange(&api, "WELCOME"), 1018, "nor a right one any more");
    assert_eq!(exchange(&server.demo("demo2"), "WELCOME"), 1);
    assert_eq!(api.post("/coupon/exchange", &[("code", &"x".repeat(65))])["code"], 1001);
}

#[test]
fn two_people_open_a_campaign_and_one_stops_it() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let of = |name: &str, role: &str| person(&server, port, name, role, &[]);
    let (writer, finance) = (of("anna", "content"), of("ben", "finance"));
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut body = campaign("5", 2);
        change(&mut body);
        writer.post("campaigns/propose", &body).0
    };
    for (field, value) in [
        ("name", json!("")),
        ("asset", json!("XYZ")),
        ("value", json!("-1")),
        ("value", json!("1e3")),
        ("coupons", json!(0)),
        ("days", json!(0)),
        ("days", json!(213_504)),
        ("ends_ms", json!(1)),
        ("code", json!("abc")),
        ("code", json!("ümlaut-code")),
        ("reason", json!("")),
    ] {
        assert_eq!(wrong(&|body| body[field] = value.clone()), 400, "{field} {value}");
    }
    assert_eq!(wrong(&|body| body["value"] = json!("100000")), 409, "more than there is");
    let body = campaign("5", 2);
    let (status, told) = writer.post("campaigns/propose", &body);
    assert_eq!(status, 200, "{told}");
    assert_eq!(writer.post("campaigns/propose", &body).0, 409, "it is proposed already");
    let path = format!("campaign-cases/{}/decide", told["case"]);
    let yes = json!({ "approves": true, "reason": "so do I" });
    assert_eq!(writer.decide(&path, &yes).0, 403, "content proposes");
    assert_eq!(finance.decide(&path, &yes).0, 200);
    let row = campaigns(&finance)[0].clone();
    assert_eq!((&row["name"], &row["locked"], &row["by_code"]), (&json!("Autumn"), &json!("10"), &json!(true)));

    let mut twin = campaign("6", 3);
    twin["name"] = json!("Another one");
    assert_eq!(writer.post("campaigns/propose", &twin).0, 409, "a campaign that runs has this code");

    // The audit and the journal have the digest of a code, never the code.
    assert!(!finance.get("campaigns").1.to_string().contains("AUTUMN"));
    let (api, other) = (server.demo("demo"), server.demo("demo2"));
    assert_eq!(exchange(&api, "autumn 2026"), 1);
    let id = other.get("/user/info")["message"]["id"].clone();
    let about = json!({ "account": id, "reason": "a complaint" });
    let issue = format!("campaigns/{}/issue", row["campaign"]);
    assert_eq!(finance.post(&issue, &about).0, 403, "finance issues none");
    assert_eq!(writer.post(&issue, &about).0, 200);
    assert_eq!(writer.post(&issue, &about).0, 409, "one of a campaign");
    assert_eq!(writer.post(&issue, &json!({ "account": 7, "reason": "x" })).0, 404);
    let theirs = coupons(&other, 0)[0]["id"].clone();
    let own = person(&server, port, "carl", "content", &["--account", &id.to_string()]);
    assert_eq!(own.post(&issue, &about).0, 409, "to the own account");
    assert_eq!(own.post(&format!("coupons/{theirs}/revoke"), &about).0, 409, "from it");
    // 60 an hour, whatever comes of them; a slow machine gets one more each minute.
    let asked: Vec<u16> = (0..70).map(|_| writer.post(&issue, &about).0).collect();
    assert!(asked[..58].iter().all(|status| *status == 409) && asked.contains(&429), "{asked:?}");
    assert_eq!(writer.post(&format!("coupons/{theirs}/revoke"), &about).0, 200);
    assert_eq!(writer.post(&format!("coupons/{theirs}/revoke"), &about).0, 409);
    assert_eq!(use_it(&other, &theirs), 1003);
    eventually("the store has it", || coupons(&other, 2).len() == 1);
    assert_eq!(coupons(&other, 2)[0]["revoked"], true);
    let rows = writer.get(&format!("coupons?account={id}")).1;
    assert_eq!(rows["rows"][0]["state"], "revoked", "{rows}");

    let stop = format!("campaigns/{}/stop", row["campaign"]);
    let why = json!({ "reason": "too popular" });
    assert_eq!((writer.post(&stop, &why).0, writer.post(&stop, &why).0), (200, 409));
    assert_eq!(exchange(&server.demo("trader"), "AUTUMN2026"), 1004, "it was stopped");
    assert_eq!(use_it(&api, &coupons(&api, 0)[0]["id"]), 1, "those that are out can be used");
    eventually("it is stopped", || campaigns(&finance)[0]["state"] == "stopped");
}

#[test]
fn a_coupon_is_the_stake_of_an_option_and_comes_back_with_a_tie() {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    let of = |name: &str, role: &str| person(&server, port, name, role, &[]);
    let (writer, finance) = (of("anna", "content"), of("ben", "finance"));
    let mut body = campaign("20", 5);
    body["kind"] = json!("micro_bonus");
    body["value"] = json!("100000000");
    assert_eq!(writer.post("campaigns/propose", &body).0, 400, "no desk takes it");
    body["kind"] = json!("fee_discount");
    assert_eq!(writer.post("campaigns/propose", &body).0, 400, "there is no such kind");
    body["kind"] = json!("micro_bonus");
    body["value"] = json!("20");
    let (status, told) = writer.post("campaigns/propose", &body);
    assert_eq!(status, 200, "{told}");
    let path = format!("campaign-cases/{}/decide", told["case"]);
    assert_eq!(finance.decide(&path, &json!({ "approves": true, "reason": "so do I" })).0, 200);
    assert_eq!(campaigns(&finance)[0]["kind"], "micro_bonus");

    let api = server.demo("demo");
    assert_eq!(exchange(&api, "autumn 2026"), 1);
    let row = coupons(&api, 0)[0].clone();
    assert_eq!((&row["kind"], &row["price"], &row["min_amount"]), (&json!("micro_bonus"), &json!("20"), &json!("0")));
    let id = row["id"].to_string();
    assert_eq!(use_it(&api, &row["id"]), 1004, "it is used by an option");
    let enter = |number: &str, coupon: &str, key: Option<&str>| {
        let fields = [
            ("match_id", "1"),
            ("currency_id", "3"),
            ("type", "1"),
            ("seconds", "11"),
            ("number", number),
            ("coupon", coupon),
        ];
        api.try_post("/microtrade/submit", &fields, key).expect("an answer")
    };
    assert_eq!(enter("21", &id, None)["code"], 1001, "another stake");
    assert_eq!(enter("20", "99", None)["code"], 1003, "no such coupon");
    assert_eq!(coupons(&api, 0).len(), 1);
    // The first answer tells the same again under its key.
    let mut told = Value::Null;
    eventually("there is a price", || {
        told = enter("20", &id, Some("by-coupon"));
        told["code"] == 1
    });
    let option = told["message"].clone();
    assert_eq!((&option["coupon"], &option["fee"]), (&row["id"], &json!("0")));
    assert_eq!(enter("20", &id, Some("by-coupon"))["message"]["id"], option["id"]);
    assert_eq!(enter("20", &id, None)["code"], 1003, "an option is open by it");
    assert!(coupons(&api, 0).is_empty());
    eventually("the store has it", || coupons(&api, 1).len() == 1);
    server.kill();
    server.launch();
    let api = server.demo("demo");
    let mut ended = Value::Null;
    eventually("the option ended", || {
        ended = api.get(&format!("/microtrade/get_result?id={}", option["id"]))["message"].clone();
        ended["status"] == 3
    });
    let is_over = ended["profit_result"] != 0;
    let gain = if ended["profit_result"] == 1 { "15" } else { "0" };
    assert_eq!(ended["fact_profits"], gain, "{ended}");
    let wallet = api.get("/microtrade/payable_currencies")["message"][0]["user_wallet"].clone();
    assert_eq!((&wallet["micro_balance"], &wallet["lock_micro_balance"]), (&json!(gain), &json!("0")));
    assert_eq!(coupons(&api, 0).len(), usize::from(!is_over));
    eventually("the store has it, too", || coupons(&api, 1).len() == usize::from(is_over));
    server.terminate();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("1 coupons") && audit.contains("1 seconds options"), "{audit}");
}
