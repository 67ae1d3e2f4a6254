//! An order followed through the real binary: facts, rows, and the time of every stage.

use crate::client::Server;
use crate::tool::{bad, good, tool};
use crate::wait::found;
use serde_json::Value;

const STAGES: [&str; 9] =
    ["received", "handed", "decided", "durable", "answered", "replied", "published", "book_published", "stored"];

fn stages(traced: &Value) -> Vec<(String, u64)> {
    let all = traced["stages"].as_array().unwrap_or_else(|| panic!("{traced}"));
    all.iter().map(|s| (s["stage"].as_str().unwrap().to_owned(), s["at_ns"].as_u64().unwrap())).collect()
}

#[test]
fn an_order_is_followed_from_its_request_to_its_rows_live_and_by_the_tool() {
    let mut server = Server::start(&[]);
    server.wait_open("BTCUSDT");
    let api = server.demo("demo");
    let order = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("target_price", "56000"), ("amount", "0.01")];
    let placed = api.post("/coin/trade", &order);
    let id = placed["data"]["id"].as_u64().unwrap_or_else(|| panic!("{placed}"));
    let traced = found("every stage", || {
        let traced = server.ops_get(&format!("/trace/{id}"));
        (stages(&traced).len() == STAGES.len()).then_some(traced)
    });
    let (names, times): (Vec<String>, Vec<u64>) = stages(&traced).into_iter().unzip();
    assert_eq!(names, STAGES);
    // What one clock stamped lies in the order of the path; the cell has a clock of its own.
    let at = |name: &str| times[STAGES.iter().position(|s| *s == name).unwrap()];
    for pair in ["received", "handed", "durable", "answered", "replied"].windows(2) {
        assert!(at(pair[0]) <= at(pair[1]), "{pair:?}: {traced}");
    }
    for later in ["published", "book_published", "stored"] {
        assert!(at("durable") <= at(later), "{later}: {traced}");
    }
    let (lsn, record) = (traced["lsn"].as_u64().unwrap(), &traced["record"]);
    assert_eq!((&record["lsn"], &record["fact"]["order"]), (&lsn.into(), &id.into()), "{traced}");
    assert_eq!(record["fact"]["price"], "56000");
    let by_place = server.ops_get(&format!("/trace/{id}?lsn={lsn}"));
    assert_eq!((stages(&by_place).len(), &by_place["lsn"]), (STAGES.len(), &traced["lsn"]));
    let nothing = server.ops_get("/trace/1");
    assert!(stages(&nothing).is_empty() && nothing["lsn"].is_null(), "{nothing}");

    api.post("/coin/cancel", &[("id", &id.to_string())]);
    server.wait_persisted();
    // Settings of a tool do not tell it where the server of a test listens.
    let port = format!("127.0.0.1:{}", server.ops);
    server.set("XNG__SERVER__OPS_LISTEN", &port);
    let output = good(&tool(&server, &["trace", &id.to_string()]));
    for words in ["placed by account", "at 56000", "cancelled", "order row: ", "ledger row: ", "durable", "stored"] {
        assert!(output.contains(words), "{words}:\n{output}");
    }
    let lines: Vec<Value> = good(&tool(&server, &["trace", &id.to_string(), "--json"]))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect();
    assert_eq!((&lines[0]["lsn"], &lines[0]["kind"]), (&lsn.into(), &"OrderPlaced".into()));
    assert_eq!(lines[1]["kind"], "OrdersCanceled");
    assert_eq!(stages(lines.last().unwrap()).len(), STAGES.len());

    assert!(server.terminate().success());
    let output = good(&tool(&server, &["trace", &id.to_string()]));
    assert!(output.contains("no server runs") && output.contains("order row: "), "{output}");
    assert!(bad(&tool(&server, &["trace", "1"]), 2).contains("no record of the journal names an order 1"));
}
