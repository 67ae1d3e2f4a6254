//! Withdrawals through the real binary, a real signer and a real Bitcoin node: people who agree, kills, what arrives.

use crate::chain_settings::{ACCOUNT, pay_by};
use crate::client::{Api, Server};
use crate::second_factor::at_once;
use crate::signer_process::SignerProcess;
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::path::Path;
use xng_custody::port::ChainAdapter;
use xng_custody::private_node::PrivateNode;

const BTC: &str = "1";
/// What a tool ends with that the server refused.
const REFUSED: i32 = 2;

fn legal(api: &Api) -> (String, String) {
    let row = api.post("/wallet/detail", &[("currency", BTC), ("type", "legal")])["message"].clone();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    (text("legal_balance"), text("lock_legal_balance"))
}

fn receive(api: &Api) -> String {
    api.post("/wallet/get_in_address", &[("currency", BTC)])["message"].as_str().expect("an address").to_owned()
}

fn save(api: &Api, address: &str) -> Value {
    api.post("/user/wallet/save", &[("currency", BTC), ("address", address), ("pay_password", "demo1234")])
}

fn out(api: &Api, number: &str, address: &str) -> Value {
    let version = quote(api, number, address)["version"].to_string();
    api.post(
        "/wallet/out",
        &[
            ("currency", BTC),
            ("number", number),
            ("type", "0"),
            ("address", address),
            ("version", &version),
            ("pay_password", "demo1234"),
        ],
    )
}

/// The same under a request's key, with the password as it is.
fn out_again(api: &Api, number: &str, address: &str, password: &str, key: &str) -> Value {
    let form = [
        ("currency", BTC),
        ("number", number),
        ("type", "0"),
        ("address", address),
        ("version", "1"),
        ("pay_password", password),
    ];
    api.try_post("/wallet/out", &form, Some(key)).unwrap()
}

fn quote(api: &Api, number: &str, address: &str) -> Value {
    let fields = [("currency", BTC), ("number", number), ("address", address)];
    api.post("/user/withdraw/quote", &fields)["message"].clone()
}

fn detail(api: &Api, id: u64) -> Value {
    api.get_patiently(&format!("/user/withdraw/detail?id={id}"))["message"].clone()
}

fn id(answer: &Value) -> u64 {
    answer["data"]["id"].as_u64().unwrap_or_else(|| panic!("{answer}"))
}

fn received(node: &PrivateNode, address: &str) -> String {
    let coins: serde_json::Number = node.call("getreceivedbyaddress", json!([address, 0])).unwrap();
    coins.to_string()
}

fn agree(server: &Server, id: u64, who: &str) -> std::process::Output {
    tool(server, &["admin", "withdrawal", "agree", &id.to_string(), "--by", who, "--reason", "looked at it"])
}

#[test]
fn two_hundred_withdrawals_of_one_balance_and_two_hundred_cancels_have_one_effect_each() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut server = Server::prepare(&[("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", "0")]);
    pay_by(&mut server, &node, ACCOUNT, Path::new("/nowhere"));
    server.launch();
    let api = server.demo("demo");
    eventually("the node is read", || api.get("/wallet/networks?currency=1")["message"][0]["state"] == "open");
    node.pay(&receive(&api), "1").unwrap();
    node.mine(2).unwrap();
    eventually("coins came", || legal(&api).0 == "1");
    let outside: String = node.call("getnewaddress", json!([])).unwrap();
    assert_eq!(save(&api, &outside)["code"], 1);

    let answers = at_once(200, |n| out_again(&api, "0.6", &outside, "demo1234", &format!("key-{n}")));
    let taken: Vec<&Value> = answers.iter().filter(|answer| answer["type"] == "ok").collect();
    assert_eq!(taken.len(), 1, "{answers:?}");
    assert_eq!(legal(&api), ("0.4".into(), "0.6".into()));
    let known = [1005, 1013, 1018, 1020];
    let refused = |answer: &&Value| known.iter().any(|code| answer["code"] == *code) || answer["type"] == "ok";
    assert!(answers.iter().all(|answer| refused(&answer)), "{answers:?}");

    let withdrawal = id(taken[0]).to_string();
    let cancels = at_once(200, |_| api.post("/user/withdraw/cancel", &[("id", &withdrawal)]));
    assert_eq!(cancels.iter().filter(|answer| answer["type"] == "ok").count(), 1, "{cancels:?}");
    assert_eq!(legal(&api), ("1".into(), "0".into()));
}

#[test]
fn coins_leave_once_whoever_is_killed() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut signer = SignerProcess::start();
    let account = signer.client().xpub(0).unwrap();
    let mut server = Server::prepare(&[("XNG__WITHDRAWALS__NEW_ADDRESS_WAIT_S", "0")]);
    pay_by(&mut server, &node, &account, &signer.socket());
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    server.launch();
    let api = server.demo("demo");
    eventually("the node is read", || api.get("/wallet/networks?currency=1")["message"][0]["state"] == "open");
    let terms = &api.get("/wallet/networks?currency=1")["message"][0]["withdraw"];
    assert_eq!((&terms["state"], &terms["fee"]), (&json!("open"), &json!("0.0005")));
    let own = receive(&api);
    node.pay(&own, "3").unwrap();
    node.pay(&own, "1").unwrap();
    node.mine(2).unwrap();
    eventually("coins came", || legal(&api).0 == "4");

    // An address of the book, of the right network, not an own one.
    let outside: String = node.call("getnewaddress", json!([])).unwrap();
    assert_eq!(out(&api, "0.05", &outside)["code"], 1003, "it is not saved");
    assert_eq!(save(&api, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")["code"], 1001, "of another network");
    assert_eq!(save(&api, &outside)["code"], 1);
    let to_own = api.post("/user/withdraw/quote", &[("currency", BTC), ("number", "1"), ("address", &own)]);
    assert_eq!(to_own["code"], 1001, "{to_own}");
    let quoted = quote(&api, "0.05", &outside);
    assert_eq!((&quoted["net"], &quoted["votes"], &quoted["inside"]), (&json!("0.0495"), &json!(1), &json!(false)));
    let bad_password = api.post(
        "/wallet/out",
        &[
            ("currency", BTC),
            ("number", "0.05"),
            ("type", "0"),
            ("address", &outside),
            ("version", "1"),
            ("pay_password", "wrong"),
        ],
    );
    assert_eq!(bad_password["code"], 1010);
    assert_eq!(out(&api, "0.0005", &outside)["code"], 1013);
    assert_eq!(out(&api, "4.5", &outside)["code"], 1005);

    // The first withdrawal is looked at; the server is killed before anybody does.
    let first = id(&out(&api, "0.05", &outside));
    assert_eq!(legal(&api), ("3.95".into(), "0.05".into()));
    assert_eq!(detail(&api, first)["state"], "pending");
    server.kill();
    server.launch();
    let api = server.demo("demo");
    let listed = good(&tool(&server, &["admin", "withdrawal", "list"]));
    assert!(listed.contains("first") && listed.contains(&first.to_string()), "{listed}");
    // The signer is away meanwhile.
    signer.kill();
    good(&agree(&server, first, "anna"));
    let again = bad(&agree(&server, first, "anna"), REFUSED);
    assert!(again.contains("decided already"), "{again}");
    eventually("it is planned", || detail(&api, first)["state"] == "planned");
    assert_eq!(api.post("/user/withdraw/cancel", &[("id", &first.to_string())])["code"], 1004);
    server.kill();
    signer.launch();
    server.launch();
    let api = server.demo("demo");
    eventually("it is signed", || detail(&api, first)["state"] == "signed");
    eventually("it is sent", || received(&node, &outside).starts_with("0.0495"));
    // Not final yet.
    node.mine(1).unwrap();
    server.kill();
    node.mine(1).unwrap();
    server.launch();
    let api = server.demo("demo");
    eventually("it is paid", || detail(&api, first)["state"] == "done");
    assert_eq!(legal(&api), ("3.95".into(), "0".into()));
    let done = detail(&api, first);
    let steps: Vec<&str> = done["timeline"].as_array().unwrap().iter().map(|s| s["state"].as_str().unwrap()).collect();
    assert_eq!(steps, ["requested", "approved", "planned", "signed", "done"]);
    assert_eq!(done["txid"].as_str().unwrap().len(), 64);

    // Two people, a refusal, one that is taken back.
    let large = id(&out(&api, "2.5", &outside));
    good(&agree(&server, large, "anna"));
    let same = bad(&agree(&server, large, "Anna"), REFUSED);
    assert!(same.contains("agreed before"), "{same}");
    let number = large.to_string();
    good(&tool(&server, &["admin", "withdrawal", "refuse", &number, "--by", "ben", "--reason", "call us first"]));
    eventually("it is refused", || detail(&api, large)["state"] == "refused");
    assert_eq!(detail(&api, large)["notes"], "call us first");
    // Asked again under its key it is the same one, before anybody is proved anew; another request has a key of its own.
    let back = id(&out_again(&api, "0.2", &outside, "demo1234", "one-request"));
    assert_eq!(id(&out_again(&api, "0.2", &outside, "of another day", "one-request")), back);
    assert_eq!(out_again(&api, "0.3", &outside, "demo1234", "one-request")["code"], 1002);
    assert_eq!(api.post("/user/withdraw/cancel", &[("id", &back.to_string())])["code"], 1);
    assert_eq!(legal(&api), ("3.95".into(), "0".into()));

    // To somebody here: no chain, no fee.
    let other = server.demo("demo2");
    let inside = receive(&other);
    assert_eq!(save(&api, &inside)["code"], 1);
    let quoted = quote(&api, "0.03", &inside);
    assert_eq!((&quoted["fee"], &quoted["inside"]), (&json!("0"), &json!(true)));
    let given = id(&out(&api, "0.03", &inside));
    good(&agree(&server, given, "anna"));
    eventually("it is there", || legal(&other).0 == "0.03");
    assert_eq!(legal(&api), ("3.92".into(), "0".into()));
    let foreign = other.get_patiently(&format!("/user/withdraw/detail?id={given}"));
    assert_eq!(foreign["code"], 1003);
    assert_eq!(other.post("/user/withdraw/cancel", &[("id", &given.to_string())])["code"], 1003);

    // What is on the chain is what the ledger says.
    let held = good(&tool(&server, &["admin", "chain", "list"]));
    server.kill();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("4 withdrawals"), "{audit}");
    let unspent: Value = node.call("scantxoutset", json!(["start", [format!("addr({own})")]])).unwrap();
    assert!(held.contains("held"), "{held}");
    // One coin is as it was; the change of the other is on a key of ours, so only the first is on the address.
    let left = unspent["unspents"].as_array().unwrap().len();
    assert_eq!(left, 1, "{unspent}");
    assert_eq!(node.adapter().unspent(&[own]).unwrap().outputs.len(), 1);
}
