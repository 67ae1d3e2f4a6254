//! Bad input of every kind for every call, and what an answer to it must look like.
#![allow(dead_code, reason = "each test target uses a part")]

use crate::client::Api;
use serde_json::Value;

const MONEY: [&str; 12] =
    ["", "NaN", "1e9", "+1", "-1", "0", " 1", "１", "0x1", "1.", "abc", "99999999999999999999999999999999999999999"];

pub(crate) type Form = &'static [(&'static str, &'static str)];

/// Calls that need a login, with a body that would be good.
pub(crate) const CALLS: [(&str, &str, Form); 27] = [
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
    ("POST", "/user/api_keys/create", &[("label", "bot"), ("ips", "10.0.0.1"), ("pay_password", "wrong-one")]),
    ("POST", "/user/api_keys/update", &[("id", "1"), ("label", "bot"), ("pay_password", "wrong-one")]),
    ("POST", "/user/api_keys/delete", &[("id", "1"), ("pay_password", "wrong-one")]),
    ("POST", "/user/getTransferFee", &[("from_currency_id", "3"), ("to_currency_id", "1")]),
    ("POST", "/user/Transfer", &[("from_currency_id", "3"), ("to_currency_id", "1"), ("number", "10")]),
    ("POST", "/convert/dust", &[("currency_ids", "1")]),
    (
        "POST",
        "/microtrade/submit",
        &[("match_id", "1"), ("currency_id", "3"), ("type", "1"), ("seconds", "60"), ("number", "10")],
    ),
    ("POST", "/follow/follow", &[("trader_user_id", "100003"), ("type", "1"), ("number", "1.5")]),
    ("POST", "/follow/cancel", &[("follow_user_id", "100003")]),
    ("POST", "/follow/selfHolding", &[("transaction_id", "1")]),
    ("GET", "/follow/log", &[("page", "1"), ("limit", "5")]),
    ("POST", "/follow/apply", &[("intro", "Trends")]),
    ("GET", "/microtrade/lists", &[("match_id", "1"), ("status", "1"), ("page", "1"), ("limit", "5")]),
    ("GET", "/microtrade/get_result", &[("id", "1")]),
];

pub(crate) fn send(api: &Api, method: &str, path: &str, form: &[(&str, &str)]) -> Value {
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

/// Sends every call without each of its fields and with each of them spoilt, and looks at the answers; how many. What was
/// placed by good neighbours of bad fields is cancelled in the end.
pub(crate) fn send_bad_fields(api: &Api) -> usize {
    let mut sent = 0;
    for (method, path, good) in CALLS {
        for at in 0..good.len() {
            let mut form = good.to_vec();
            let name = form.remove(at).0;
            if name == "order_type" {
                // Without it the price says what kind of order it is.
                continue;
            }
            is_clean(&send(api, method, path, &form), &format!("{path} without {name}"));
            for bad in MONEY.iter().chain(&["'; DROP TABLE users; --", "<script>", "-9223372036854775809", "null"]) {
                let mut form = good.to_vec();
                form[at].1 = bad;
                let answer = send(api, method, path, &form);
                is_clean(&answer, &format!("{path} with {name}={bad:?}"));
                let money = matches!(name, "amount" | "number");
                assert!(!money || answer["code"] != 1, "{path} took {name}={bad:?}: {answer}");
                sent += 1;
            }
            sent += 1;
        }
    }
    api.post("/coin/cancel_all", &[]);
    sent
}

/// Sends bodies that are no forms, no JSON, too big or too deep, and looks at the answers; how many.
pub(crate) fn send_ill_bodies(api: &Api) -> usize {
    let form = "application/x-www-form-urlencoded";
    let big = vec![b'a'; 10 << 20];
    let bodies = [
        (form, b"currency_id=%ff%fe".as_slice(), [200, 200]),
        (form, b"%", [200, 200]),
        (form, b"=====&&&&==", [200, 200]),
        ("application/json", b"{", [200, 200]),
        ("application/json", b"[]", [200, 200]),
        ("application/json", br#"{"amount":{"a":1}}"#, [200, 200]),
        ("application/json", b"\xff\xfe", [200, 200]),
        (form, big.as_slice(), [413, 0]),
    ];
    for (kind, body, statuses) in bodies {
        let (status, text) = api.post_bytes("/coin/trade", kind, body);
        assert!(statuses.contains(&status), "{status} {text}");
        if status != 0 {
            let answer: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(answer["code"], 1001, "{text}");
        }
    }
    let deep = format!("{}1{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
    let (status, _) = api.post_bytes("/coin/trade", "application/json", deep.as_bytes());
    assert_eq!(status, 200, "nesting is refused, not followed");
    bodies.len() + 1
}

/// What all spot wallets hold, available and locked.
pub(crate) fn balances(api: &Api) -> Vec<String> {
    let list = api.get("/walletList")["message"]["change_wallet"]["balance"].clone();
    let row = |r: &Value| format!("{} {}", r["change_balance"], r["lock_change_balance"]);
    list.as_array().unwrap_or_else(|| panic!("{list}")).iter().map(row).collect()
}
