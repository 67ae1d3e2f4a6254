//! Deposits through the real binary and a real Bitcoin node: addresses, final blocks, kills, small ones, what people see.

use crate::chain_settings::read_node;
use crate::client::{Api, Server};
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use xng_custody::port::ChainAdapter;
use xng_custody::private_node::PrivateNode;

const BTC: &str = "1";
/// What a tool ends with that the server refused.
const REFUSED: i32 = 2;

/// The quiet demo that reads this node.
fn reading(node: &PrivateNode) -> Server {
    let mut server = Server::prepare(&[]);
    read_node(&mut server, node);
    // The tools ask the running server.
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    server.launch();
    server
}

fn address(api: &Api) -> String {
    api.post("/wallet/get_in_address", &[("currency", BTC)])["message"].as_str().expect("an address").to_owned()
}

fn new_address(api: &Api) -> Value {
    api.post("/wallet/new_address", &[("currency", BTC)])
}

fn legal(api: &Api) -> String {
    let row = api.post("/wallet/detail", &[("currency", BTC), ("type", "legal")]);
    row["message"]["legal_balance"].as_str().unwrap().to_owned()
}

/// What is on the way: amount, confirmations, and how many are needed.
fn pending(api: &Api) -> Vec<(String, u64, u64)> {
    let rows = api.get("/recharge/pending")["message"].clone();
    let row = |row: &Value| {
        let count = |name: &str| row[name].as_u64().unwrap();
        (row["amount"].as_str().unwrap().to_owned(), count("confirmations"), count("needed"))
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

fn log(api: &Api) -> Vec<Value> {
    api.get_patiently("/recharge/log")["message"]["data"].as_array().unwrap().clone()
}

#[test]
fn coins_come_in_once_whoever_is_killed() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut server = reading(&node);
    let api = server.demo("demo");
    eventually("the node is read", || api.get("/wallet/networks?currency=1")["message"][0]["state"] == "open");
    assert_eq!(api.post("/wallet/get_in_address", &[("currency", "2")])["code"], 1006, "no network");
    let first = address(&api);
    assert_eq!(address(&api), first, "the same again");

    let paid = node.pay(&first, "0.5").unwrap();
    assert!(pending(&api).is_empty(), "it is in no block yet");
    node.mine(1).unwrap();
    eventually("it is on the way", || pending(&api) == [("0.5".to_owned(), 1, 2)]);
    assert!(pending(&server.demo("demo2")).is_empty(), "of nobody else");
    let before = legal(&api);
    node.mine(1).unwrap();
    eventually("two confirmations are enough", || legal(&api) != before);
    eventually("it is there", || pending(&api).is_empty());
    assert_eq!((before.as_str(), legal(&api).as_str()), ("0", "0.5"));

    // It is killed; blocks come meanwhile.
    let second = new_address(&api)["message"]["address"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    server.kill();
    node.pay(&second, "0.25").unwrap();
    node.pay(&first, "0.125").unwrap();
    node.mine(3).unwrap();
    server.launch();
    let api = server.demo("demo");
    eventually("what came meanwhile is credited", || legal(&api) == "0.875");
    assert_eq!(address(&api), second, "the newest one");

    // Less than the least deposit waits for more.
    node.pay(&second, "0.00006").unwrap();
    node.mine(2).unwrap();
    eventually("it is told", || log(&api).len() == 4);
    assert_eq!(
        (&log(&api)[0]["kind"], &log(&api)[0]["status"], legal(&api).as_str()),
        (&json!("small"), &json!(1), "0.875")
    );
    node.pay(&second, "0.00007").unwrap();
    node.mine(2).unwrap();
    eventually("both are credited", || legal(&api) == "0.87513");
    eventually("and told", || log(&api)[0]["kind"] == "collected");
    let rows = log(&api);
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().any(|row| row["txid"] == paid && row["amount"] == "0.5" && row["user_account"] == first));

    // It is money like any other.
    let moved = [("currency_id", BTC), ("number", "0.5"), ("from_field", "legal"), ("to_field", "change")];
    assert_eq!(api.post("/wallet/change", &moved)["code"], 1);

    assert_eq!(new_address(&api)["message"]["n"], 3);
    assert_eq!(new_address(&api)["code"], 1013, "no more than three");
    let mine = api.get("/wallet/addresses?currency=1")["message"].clone();
    let all: Vec<String> =
        mine.as_array().unwrap().iter().map(|row| row["address"].as_str().unwrap().to_owned()).collect();
    assert_eq!((all.len(), &all[0], &all[1]), (3, &first, &second));
    let stranger = server.demo("demo2");
    assert_ne!(address(&stranger), first, "nobody else has it");
    assert!(log(&stranger).is_empty());

    // An operator halts it, and lets it go on.
    let asked = |what: &str| tool(&server, &["admin", "chain", what, "bitcoin", "--by", "anna", "--reason", "a test"]);
    good(&asked("halt"));
    eventually("people see it", || api.get("/wallet/networks")["message"][0]["state"] == "halted");
    node.pay(&first, "0.0625").unwrap();
    node.mine(2).unwrap();
    let again = bad(&asked("halt"), REFUSED);
    assert!(again.contains("halted already"), "{again}");
    assert!(good(&tool(&server, &["admin", "chain", "list"])).contains("Operator"));
    good(&asked("resume"));
    eventually("it is credited then", || log(&api).len() == 7);

    // What is on the chain is what the ledger says.
    let on_chain = node.adapter().unspent(&all).unwrap().units().0;
    assert_eq!(on_chain, 93_763_000);
    server.kill();
    let audit = good(&tool(&server, &["audit"]));
    assert!(audit.contains("7 deposits"), "{audit}");
}
