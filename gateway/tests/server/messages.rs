//! The message centre on the real binary: what happened is told once, to its owner, in the reader's language, and stays read.

use crate::client::{Api, Server};
use crate::wait::{eventually, found};
use serde_json::Value;

fn unread(api: &Api) -> Value {
    api.get("/mailMessage/unread")["message"].clone()
}

fn list(api: &Api, fields: &str) -> Value {
    let told = api.get_patiently(&format!("/mailMessage/getList?{fields}"));
    assert_eq!(told["type"], "ok", "{told}");
    told["message"].clone()
}

fn events(api: &Api) -> Vec<String> {
    let rows = list(api, "kind=system&limit=100")["list"].as_array().unwrap().clone();
    rows.iter().map(|row| row["event"].as_str().unwrap().to_owned()).collect()
}

fn detail(api: &Api, row: &Value) -> Value {
    api.get_patiently(&format!("/mailMessage/detail?id={}", row["id"].as_str().unwrap()))
}

/// Limit orders on both sides of the price: wherever it goes, one of them is filled within seconds.
fn rests_on_both_sides(server: &Server, api: &Api) {
    let pair = [("currency_id", "1"), ("legal_id", "3")];
    let bought = [&pair[..], &[("type", "1"), ("order_type", "market"), ("amount", "0.01")]].concat();
    assert_eq!(api.post("/coin/trade", &bought)["type"], "ok");
    let book = server.api().raw_get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
    for (side, price) in [("1", "bidPrice"), ("2", "askPrice")] {
        let price = book[price].as_str().unwrap().trim_end_matches('0').trim_end_matches('.').to_owned();
        let order = [&pair[..], &[("type", side), ("target_price", &price), ("amount", "0.001")]].concat();
        assert_eq!(api.post("/coin/trade", &order)["type"], "ok");
    }
}

#[test]
fn what_happened_is_told_to_its_owner_and_stays_read_over_a_restart() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let (api, other) = (server.demo("demo"), server.demo("trader"));
    // Users of the demo are verified when it starts.
    eventually("tier and login are told", || events(&api) == ["login", "tier"]);
    assert_eq!(unread(&api)["system"], 2);
    assert_eq!(api.post("/mailMessage/read_all", &[("kind", "system")])["type"], "ok");
    assert_eq!(unread(&api)["system"], 0);

    rests_on_both_sides(&server, &api);
    let is_fill = |row: &Value| row["event"].as_str().is_some_and(|event| event.starts_with("order"));
    let newest = || Some(list(&api, "kind=system")["list"][0].clone());
    found("an order is filled and told", || newest().filter(is_fill));
    api.post("/coin/cancel_all", &[]);
    server.wait_persisted();
    // The other one may have been filled meanwhile.
    let filled = newest().unwrap();
    assert_eq!((&filled["is_read"], is_fill(&filled)), (&0.into(), true));
    assert!(unread(&api)["system"].as_u64().is_some_and(|n| n >= 1));
    if filled["event"] == "order_filled" {
        let text = filled["abstract"].as_str().unwrap();
        assert!(
            text.starts_with("BTC/USDT: ") && text.contains(" 0.001 BTC for ") && text.ends_with(" USDT"),
            "{text}"
        );
    }
    let in_chinese = list(&api, "kind=system&lang=zh")["list"][0].clone();
    assert!(in_chinese["title"].as_str().unwrap().contains("订单"), "{in_chinese}");
    assert_eq!(in_chinese["id"], filled["id"]);

    assert_eq!(detail(&other, &filled)["code"], 1003, "of another user");
    assert_eq!(detail(&api, &filled)["message"]["is_read"], 1);
    assert_eq!(api.post("/mailMessage/read_all", &[])["type"], "ok");
    assert_eq!(unread(&api)["system"], 0);
    let before = events(&api);
    assert!(before.ends_with(&["login".to_owned(), "tier".to_owned()]), "{before:?}");
    assert_eq!(events(&other), ["login", "tier"]);
    server.wait_persisted();
    server.kill();
    server.launch();
    let api = api.with_token(api.token.as_deref().unwrap());
    eventually("the messages are there again", || events(&api) == before);
    assert_eq!(unread(&api)["system"], 0, "what was read stays read");
    let rows = list(&api, "kind=system");
    assert_eq!((rows["count"].as_u64(), &rows["unread"]), (Some(before.len() as u64), &0.into()));
    assert_eq!(list(&api, "kind=system&page=2&limit=1")["list"][0]["event"], before[1]);
}

#[test]
fn announcements_of_before_a_user_came_are_no_news_and_service_has_no_rows() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    let told = list(&api, "kind=notice");
    let rows = told["list"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["is_read"] == 1), "{told}");
    assert_eq!(unread(&api)["notice"], 0);
    let whole = detail(&api, &rows[0]);
    assert_eq!((&whole["message"]["kind"], &whole["message"]["id"]), (&"notice".into(), &rows[0]["id"]));
    assert!(whole["message"]["content"].as_str().is_some_and(|html| !html.is_empty()), "{whole}");
    assert_eq!(list(&api, "kind=service")["count"], 0);
}

#[test]
fn bad_questions_are_refused() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    assert_eq!(server.api().get("/mailMessage/unread")["code"], 999);
    assert_eq!(server.api().get("/mailMessage/getList")["code"], 999);
    assert_eq!(api.get("/mailMessage/getList?kind=letters")["code"], 1001);
    assert_eq!(api.get("/mailMessage/getList?page=11&limit=100")["code"], 1001);
    for id in ["", "1", "1-1-1-1", "1-1-99-1", "2-1-1-1", "3-1-0-1", "9-1-1-1", "1-1-1-1-1", "2-%2B1-1-1"] {
        let code = api.get(&format!("/mailMessage/detail?id={id}"))["code"].clone();
        assert_eq!(code, if id.is_empty() { 1001 } else { 1003 }, "{id}");
    }
    assert_eq!(api.post("/mailMessage/read_all", &[("kind", "letters")])["code"], 1001);
}
