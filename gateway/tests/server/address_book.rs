//! The address book through the real binary: which texts are addresses, what they are proved for, whose they are.

use crate::chain_settings::read_bitcoin;
use crate::client::{Api, Server};
use crate::second_factor::{Secured, prove_by_password, secured};
use serde_json::{Value, json};
use std::path::Path;

const FIRST: &str = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
/// The same in the other case.
const LOUD: &str = "BCRT1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KYGT080";
const OTHER: &str = "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry";
const MAIN: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
const PASSWORD: (&str, &str) = ("pay_password", "demo1234");

/// A server that lists Bitcoin, whose node is not there.
fn listing(wait_s: &str) -> Server {
    let mut server = Server::prepare(&[("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", wait_s)]);
    read_bitcoin(&mut server, "http://127.0.0.1:9", Path::new("no-cookie"));
    server.launch();
    server
}

fn save(api: &Api, address: &str, more: &[(&str, &str)]) -> Value {
    api.post("/user/wallet/save", &[&[("currency", "1"), ("address", address)], more].concat())
}

fn list(api: &Api) -> Vec<Value> {
    api.get("/user/wallet/list")["message"]["data"].as_array().unwrap().clone()
}

#[test]
fn addresses_are_saved_in_their_normal_form_and_others_are_refused() {
    let server = listing("3600");
    let (api, thief) = (server.demo("demo"), server.demo("demo2"));
    for bad in ["x", MAIN, "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt081", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"] {
        let refused = save(&api, bad, &[PASSWORD]);
        assert_eq!((&refused["code"], refused["errors"]["address"].is_string()), (&1001.into(), true), "{refused}");
    }
    assert_eq!(save(&api, FIRST, &[PASSWORD, ("network", "ETH")])["code"], 1006);
    let long = "x".repeat(51);
    assert!(save(&api, FIRST, &[PASSWORD, ("remark", &long)])["errors"]["remark"].is_string());
    assert_eq!(save(&api, FIRST, &[])["errors"]["pay_password"], "missing");
    assert_eq!(save(&api, FIRST, &[("pay_password", "wrong-one")])["code"], 1010);
    assert!(list(&api).is_empty());
    let saved = save(&api, LOUD, &[PASSWORD, ("network", "btc"), ("remark", "cold, bücher")]);
    let row = saved["data"].clone();
    assert_eq!(
        (&row["address"], &row["network"], &row["remark"]),
        (&json!(FIRST), &json!("BTC"), &json!("cold, bücher"))
    );
    let (created, usable) = (row["created_at_ms"].as_i64().unwrap(), row["usable_at_ms"].as_i64().unwrap());
    assert_eq!(usable - created, 3_600_000);
    assert_eq!(list(&api), std::slice::from_ref(&row));
    assert_eq!(save(&api, FIRST, &[PASSWORD])["code"], 1016);
    assert_eq!(save(&thief, FIRST, &[PASSWORD])["type"], "ok", "others may have it as well");
    assert_eq!(api.get("/user/wallet/list?currency=2")["message"]["total"], 0);
    let id = row["id"].to_string();
    let delete = |api: &Api, id: &str| api.post("/user/wallet/del", &[("id", id)])["code"].clone();
    assert_eq!((delete(&thief, &id), delete(&api, "999")), (json!(1003), json!(1003)));
    assert_eq!((delete(&api, &id), delete(&api, &id)), (json!(1), json!(1003)));
    assert!(list(&api).is_empty());
    assert_eq!(list(&thief).len(), 1);
}

#[test]
fn a_proof_is_of_one_address_and_a_password_alone_is_not_enough_beside_a_factor() {
    let server = listing("3600");
    let user = secured(&server, "demo");
    let refused = save(&user.api, FIRST, &[PASSWORD]);
    assert_eq!((&refused["code"], &refused["methods"]), (&1022.into(), &json!(["totp", "recovery"])));
    let of = |user: &Secured, address: &str| {
        let fields = [("action", "address_add"), ("currency", "1"), ("address", address)];
        user.proof(&fields)
    };
    let proof = of(&user, FIRST);
    assert_eq!(save(&user.api, OTHER, &[("proof", &proof)])["code"], 1022, "an address that was swapped");
    assert_eq!(save(&user.api, FIRST, &[("proof", &proof)])["code"], 1022, "what was misused is used up");
    let proof = of(&user, FIRST);
    assert_eq!(save(&user.api, FIRST, &[("proof", &proof), ("network", "BTC")])["code"], 1022, "other fields");
    let proof = of(&user, FIRST);
    assert_eq!(save(&user.api, "x", &[("proof", &proof)])["code"], 1001, "not looked at yet");
    assert_eq!(save(&user.api, FIRST, &[("proof", &proof)])["type"], "ok");
    let off = |proof: &[(&str, &str)]| {
        user.api.post("/user/wallet/whitelist", &[&[("on", "0")], proof].concat())["code"].clone()
    };
    assert_eq!(off(&[PASSWORD]), 1022);
    let on = user.proof(&[("action", "whitelist"), ("on", "1")]);
    assert_eq!(off(&[("proof", &on)]), 1022, "of the other side of the switch");
    let proof = user.proof(&[("action", "whitelist"), ("on", "0")]);
    assert_eq!(off(&[("proof", &proof)]), 1);
    let id = list(&user.api)[0]["id"].to_string();
    assert_eq!(user.api.post("/user/wallet/del", &[("id", &id)])["type"], "ok", "by the session alone");
}

#[test]
fn new_addresses_wait_until_that_was_switched_off_for_as_long() {
    let server = listing("8");
    let api = server.demo("demo");
    let state = || api.get("/user/wallet/whitelist")["message"].clone();
    let switch = |fields: &[(&str, &str)]| api.post("/user/wallet/whitelist", fields)["code"].clone();
    assert_eq!(state(), json!({ "on": 1, "wait_s": 8, "off_at_ms": 0 }));
    assert_eq!((switch(&[("on", "2")]), switch(&[("on", "0")])), (json!(1001), json!(1001)));
    let fields = [("action", "whitelist"), ("on", "0")];
    let proof = prove_by_password(&api, &fields, "demo1234");
    assert_eq!(switch(&[("on", "0"), ("proof", &proof)]), 1);
    let asked = state();
    assert_eq!(asked["on"], 1, "not yet");
    assert!(save(&api, FIRST, &[PASSWORD])["data"]["usable_at_ms"].as_i64().unwrap() > 0);
    crate::wait::eventually("it is off", || state()["on"] == 0);
    assert_eq!(save(&api, OTHER, &[PASSWORD])["data"]["usable_at_ms"], 0);
    assert_eq!(switch(&[("on", "1")]), 1, "by the session alone");
    assert_eq!(state(), json!({ "on": 1, "wait_s": 8, "off_at_ms": 0 }));
    let of_other = |rows: &[Value]| rows.iter().find(|row| row["address"] == OTHER).unwrap()["usable_at_ms"].clone();
    crate::wait::eventually("what was saved waits no longer than others", || of_other(&list(&api)) == 0);
}
