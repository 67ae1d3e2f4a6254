//! Every call answers bad input with an error of the catalogue, and balances stay as they are.

use crate::bad_input_set::{CALLS, balances, send, send_bad_fields, send_ill_bodies};
use crate::client::Server;
use serde_json::Value;

#[test]
fn bad_fields_are_refused_and_change_nothing() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let before = balances(&api);
    assert!(send_bad_fields(&api) > 400);
    assert_eq!(before, balances(&api));
}

#[test]
fn bodies_of_every_ill_kind_get_an_answer() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    send_ill_bodies(&api);
    assert_eq!(api.get("/user/info")["type"], "ok", "the server lives");
}

#[test]
fn json_bodies_say_the_same_as_forms() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let body = br#"{"currency_id":1,"legal_id":3,"type":1,"target_price":"56000","amount":0.001}"#;
    let (_, text) = api.post_bytes("/coin/trade", "application/json", body);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["data"]["status"], 1, "{text}");
}

#[test]
fn without_a_good_token_nothing_private_is_told() {
    let server = Server::start(&[]);
    let token = server.demo("demo").token.unwrap();
    let mut almost = token.clone();
    almost.pop();
    let forged = ["", "x", almost.as_str(), "Bearer abc", "../../etc/passwd"];
    for (method, path, form) in CALLS {
        let mut none = server.api();
        assert_eq!(send(&none, method, path, form)["type"], "999", "{path}");
        for bad in forged {
            none.token = (!bad.is_empty()).then(|| bad.to_owned());
            assert_eq!(send(&none, method, path, form)["type"], "999", "{path} with {bad:?}");
        }
    }
    let in_query = server.api().get(&format!("/user/info?token={token}&Authorization={token}"));
    assert_eq!(in_query["type"], "999", "a token in the query is no token");
}

#[test]
fn anothers_ids_are_as_unknown_as_none() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let (owner, thief) = (server.demo("demo"), server.demo("demo2"));
    let placed = owner.post("/coin/trade", CALLS[0].2);
    let id = placed["data"]["id"].to_string();
    assert_eq!(thief.get(&format!("/coin/detail?id={id}"))["code"], 1003);
    assert_eq!(thief.post("/coin/cancel", &[("id", &id)])["code"], 1003);
    let watched = owner.post("/optional/add", &[("currency_id", "1")]);
    let number = watched["message"]["id"].to_string();
    assert_eq!(thief.post("/optional/del", &[("id", &number)])["code"], 1003);
    let session = owner.get("/user/sessions")["message"][0]["id"].to_string();
    assert_eq!(thief.post("/user/sessions/revoke", &[("id", &session)])["code"], 1003);
    assert_eq!(owner.get("/coin/list?status=1")["message"][0]["id"].to_string(), id, "it still rests");
}

#[test]
fn market_data_calls_refuse_what_they_do_not_know() {
    let server = Server::start(&[]);
    let api = server.api();
    for (path, code) in [
        ("/api/v3/depth", -1102),
        ("/api/v3/depth?symbol=NOPE", -1121),
        ("/api/v3/depth?symbol=btcusdt", -1100),
        ("/api/v3/depth?symbol=BTCUSDT&limit=abc", -1100),
        ("/api/v3/klines?symbol=BTCUSDT&interval=7m", -1120),
        ("/api/v3/ticker/24hr?symbol=BTCUSDT&symbols=%5B%22BTCUSDT%22%5D", -1128),
        ("/api/v3/time?x=1", -1104),
        ("/api/v3/depth?symbol=BTCUSDT&symbol=BTCUSDT", -1101),
    ] {
        assert_eq!(api.raw_get(path)["code"], code, "{path}");
    }
    for path in ["/currency/new_timeshar?symbol=BTC/USDT&period=1min", "/currency/kline_market_Daily?period=1min"] {
        assert_eq!(api.get(path)["code"], 1001, "{path}");
    }
}
