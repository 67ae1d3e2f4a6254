//! Every call answers bad input with an error of the catalogue, and balances stay as they are.

use crate::client::{Api, Server};
use serde_json::Value;

const MONEY: [&str; 12] =
    ["", "NaN", "1e9", "+1", "-1", "0", " 1", "１", "0x1", "1.", "abc", "99999999999999999999999999999999999999999"];

type Form = &'static [(&'static str, &'static str)];

/// Calls that need a login, with a body that would be good.
const CALLS: [(&str, &str, Form); 13] = [
    (
        "POST",
        "/coin/trade",
        &[
            ("currency_id", "1"),
            ("legal_id", "3"),
            ("type", "1"),
            ("target_price", "56000"),
            ("amount", "0.001"),
            ("order_type", "limit"),
        ],
    ),
    ("POST", "/coin/cancel", &[("id", "1")]),
    ("POST", "/coin/cancel_all", &[("currency_id", "1"), ("legal_id", "3")]),
    ("GET", "/coin/list", &[("page", "1"), ("limit", "10"), ("status", "1"), ("type", "1")]),
    ("GET", "/coin/detail", &[("id", "1")]),
    ("GET", "/coin/trades", &[("page", "1"), ("limit", "10")]),
    (
        "POST",
        "/wallet/change",
        &[("currency_id", "3"), ("number", "1"), ("from_field", "change"), ("to_field", "legal")],
    ),
    ("POST", "/wallet/detail", &[("currency", "3"), ("type", "change")]),
    ("POST", "/wallet/legal_log", &[("currency", "3"), ("type", "change"), ("page", "1")]),
    ("POST", "/optional/add", &[("currency_id", "1"), ("match_id", "1")]),
    ("POST", "/optional/del", &[("id", "1")]),
    ("POST", "/user/sessions/revoke", &[("id", "1")]),
    ("GET", "/coin/request", &[("key", "nothing")]),
];

fn send(api: &Api, method: &str, path: &str, form: &[(&str, &str)]) -> Value {
    if method == "POST" {
        return api.post(path, form);
    }
    let encode = |text: &str| -> String {
        text.bytes()
            .map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") })
            .collect()
    };
    let query: Vec<String> = form.iter().map(|(k, v)| format!("{k}={}", encode(v))).collect();
    api.get(&format!("{path}?{}", query.join("&")))
}

fn is_clean(answer: &Value, what: &str) {
    let code = answer["code"].as_i64().unwrap_or_else(|| panic!("{what}: {answer}"));
    let known = code == 1 || code == 998 || code == 999 || (1001..=1020).contains(&code);
    assert!(known && answer["type"].is_string() && !answer["message"].is_null(), "{what}: {answer}");
    let text = answer.to_string().to_lowercase();
    assert!(!text.contains("sql") && !text.contains("panicked"), "{what}: {answer}");
}

#[test]
fn bad_fields_are_refused_and_change_nothing() {
    let server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let before = api.get("/walletList")["message"]["change_wallet"]["balance"].clone();
    let amounts = |v: &Value| -> Vec<String> {
        let row = |r: &Value| format!("{} {}", r["change_balance"], r["lock_change_balance"]);
        v.as_array().unwrap().iter().map(row).collect()
    };
    for (method, path, good) in CALLS {
        for at in 0..good.len() {
            let mut form = good.to_vec();
            let name = form.remove(at).0;
            if name == "order_type" {
                // Without it the price says what kind of order it is.
                continue;
            }
            is_clean(&send(&api, method, path, &form), &format!("{path} without {name}"));
            for bad in MONEY.iter().chain(&["'; DROP TABLE users; --", "<script>", "-9223372036854775809", "null"]) {
                let mut form = good.to_vec();
                form[at].1 = bad;
                let answer = send(&api, method, path, &form);
                is_clean(&answer, &format!("{path} with {name}={bad:?}"));
                let money = matches!(name, "amount" | "number");
                assert!(!money || answer["code"] != 1, "{path} took {name}={bad:?}: {answer}");
            }
        }
    }
    // What was placed by good neighbours of bad fields is cancelled; then everything is as before.
    api.post("/coin/cancel_all", &[]);
    let after = api.get("/walletList")["message"]["change_wallet"]["balance"].clone();
    assert_eq!(amounts(&before), amounts(&after));
}

#[test]
fn bodies_of_every_ill_kind_get_an_answer() {
    let server = Server::start(&[]);
    let api = server.demo("demo");
    let form = "application/x-www-form-urlencoded";
    let big = vec![b'a'; 10 << 20];
    for (kind, body, statuses) in [
        (form, b"currency_id=%ff%fe".as_slice(), [200, 200]),
        (form, b"%", [200, 200]),
        (form, b"=====&&&&==", [200, 200]),
        ("application/json", b"{", [200, 200]),
        ("application/json", b"[]", [200, 200]),
        ("application/json", br#"{"amount":{"a":1}}"#, [200, 200]),
        ("application/json", b"\xff\xfe", [200, 200]),
        (form, big.as_slice(), [413, 0]),
    ] {
        let (status, text) = api.post_bytes("/coin/trade", kind, body);
        assert!(statuses.contains(&status), "{status} {text}");
        if status == 200 {
            let answer: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(answer["code"], 1001, "{text}");
        }
    }
    let deep = format!("{}1{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
    let (status, _) = api.post_bytes("/coin/trade", "application/json", deep.as_bytes());
    assert_eq!(status, 200, "nesting is refused, not followed");
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
