//! Statements of reserves through the real binary, a real signer and a real Bitcoin node: made after a check, read and checked by anybody.

use crate::chain_settings::pay_by;
use crate::client::{Api, Server};
use crate::signer_process::SignerProcess;
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use xng_custody::private_node::PrivateNode;

/// What a tool ends with that found something wrong, and that could not read what it was given.
const FALSE: i32 = 1;
const UNREADABLE: i32 = 2;

pub(crate) fn statements(api: &Api) -> Vec<Value> {
    api.get_patiently("/por/reserves")["message"]["statements"].as_array().expect("a list").clone()
}

/// A file below the server's root, if it is there.
pub(crate) fn file(server: &Server, path: &str) -> Option<String> {
    let answer = ureq::get(format!("http://127.0.0.1:{}{path}", server.port)).call();
    answer.ok().map(|mut answer| answer.body_mut().read_to_string().unwrap())
}

fn metric(server: &Server, name: &str) -> Option<u64> {
    let url = format!("http://127.0.0.1:{}/metrics", server.ops);
    let text = ureq::get(url).call().unwrap().body_mut().read_to_string().unwrap();
    let line = text.lines().find(|line| line.starts_with(&format!("{name}{{chain=\"Bitcoin\"}}"))).map(str::to_owned);
    line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
}

fn checked(server: &Server) -> bool {
    metric(server, "xng_chain_reserve_checked_seconds").is_some_and(|at| at > 0)
}

/// Checks a text as anybody would, with the program alone.
pub(crate) fn prove(server: &Server, text: &str) -> std::process::Output {
    let path = server.scratch().join("statement.jsonl");
    std::fs::write(&path, text).unwrap();
    tool(server, &["prove", path.to_str().unwrap()])
}

#[test]
fn what_is_held_is_stated_after_each_check_and_anybody_can_check_it() {
    let Some(node) = PrivateNode::start_or_tell() else { return };
    let mut signer = SignerProcess::start();
    let account = signer.client().xpub(0).unwrap();
    let mut server = Server::prepare(&[]);
    pay_by(&mut server, &node, &account, &signer.socket());
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    server.launch();
    let is_read = |api: &Api| {
        eventually("the node is read", || api.get("/wallet/networks?currency=1")["message"][0]["state"] == "open");
    };
    let api = server.demo("demo");
    is_read(&api);
    eventually("the coins were looked up", || checked(&server));
    assert_eq!(statements(&api), Vec::<Value>::new(), "nothing is held");
    assert_eq!(metric(&server, "xng_chain_reserves_published_seconds"), None);
    let receive = |api: &Api| {
        let told = api.post("/wallet/get_in_address", &[("currency", "1")]);
        told["message"].as_str().expect("an address").to_owned()
    };
    let (own, theirs) = (receive(&api), receive(&server.demo("demo2")));
    node.pay(&own, "1").unwrap();
    node.pay(&own, "0.25").unwrap();
    node.pay(&theirs, "0.5").unwrap();
    node.mine(2).unwrap();
    let credited = || {
        let row = api.post("/wallet/detail", &[("currency", "1"), ("type", "legal")])["message"].clone();
        row["legal_balance"].as_str() == Some("1.25")
    };
    eventually("coins came", credited);

    // A start brings a check.
    server.kill();
    server.launch();
    let api = server.demo("demo");
    eventually("they are stated", || !statements(&api).is_empty());
    let statement = statements(&api).remove(0);
    let (id, path) = (statement["id"].as_str().unwrap(), statement["file"].as_str().unwrap());
    assert_eq!((&statement["chain"], &statement["name"]), (&json!("bitcoin"), &json!("Bitcoin")));
    let asset = json!({ "currency_name": "BTC", "network": "BTC", "contract": null, "held": "1.75" });
    assert_eq!((&statement["assets"], &statement["addresses"]), (&json!([asset]), &json!(2)));
    let hash: String = node.call("getblockhash", json!([statement["height"]])).unwrap();
    assert_eq!(statement["hash"], hash.as_str());

    let published = metric(&server, "xng_chain_reserves_published_seconds");
    assert_eq!(published, statement["time_ms"].as_u64().map(|ms| ms / 1_000));
    let text = file(&server, path).expect("anybody may read it");
    let proven = good(&prove(&server, &text));
    assert!(proven.contains(id) && proven.contains("1.75 BTC") && proven.contains("for tests"), "{proven}");
    let rows: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut addresses = vec![own, theirs];
    addresses.sort_unstable();
    assert_eq!(rows.iter().map(|row| row["address"].as_str().unwrap()).collect::<Vec<_>>(), addresses);
    // A node says what they hold.
    let wanted: Vec<String> = addresses.iter().map(|address| format!("addr({address})")).collect();
    let shown: Value = node.call("scantxoutset", json!(["start", wanted])).unwrap();
    assert_eq!(shown["total_amount"].to_string(), "1.75");
    let (false_sum, other) = (text.replace("25000000\"", "26000000\""), text.replace("bitcoin", "evm"));
    assert!(false_sum != text && other != text, "{text}");
    bad(&prove(&server, &false_sum), FALSE);
    bad(&prove(&server, &other), UNREADABLE);
    let file_name = server.scratch().join("statement.jsonl");
    bad(&tool(&server, &["prove", file_name.to_str().unwrap(), "--key", "00"]), UNREADABLE);
    assert!(file(&server, &path.replace("jsonl", "part")).is_none() && file(&server, "/reserves/").is_none());

    // Without a signer nothing is stated; with it what was found is.
    signer.kill();
    server.kill();
    server.launch();
    let api = server.demo("demo");
    eventually("they were looked up", || checked(&server));
    assert_eq!(statements(&api).len(), 1, "that of before is still there");
    signer.launch();
    eventually("they are stated again", || statements(&api).len() == 2);
    let newest = statements(&api).remove(0);
    assert!(newest["time_ms"].as_u64() > statement["time_ms"].as_u64(), "{newest}");
    good(&prove(&server, &file(&server, newest["file"].as_str().unwrap()).unwrap()));
}
