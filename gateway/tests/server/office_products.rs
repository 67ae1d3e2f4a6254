//! The back office about products on the real binary: markets and contracts that are halted and go on, traders who are approved.

use crate::back_office::{Browser, change, open_office, person};
use crate::client::{Api, Server};
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};

/// What a tool ends with that the server refused.
const REFUSED: i32 = 2;
const PAIR: [(&str, &str); 2] = [("currency_id", "1"), ("legal_id", "3")];

fn opened() -> (Server, u16) {
    let mut server = Server::prepare(&[]);
    let port = open_office(&mut server);
    server.launch();
    (server, port)
}

fn contract(server: &Server) -> Value {
    server.api().post("/lever/deal", &PAIR)["message"]["contract"].clone()
}

fn order(api: &Api) -> Value {
    let fields =
        [("type", "1"), ("order_type", "limit"), ("target_price", "56000"), ("amount", "0.001"), ("tif", "GTC")];
    api.post("/coin/trade", &[&PAIR[..], &fields[..]].concat())
}

#[test]
fn a_market_is_halted_by_one_person_and_goes_on_by_two() {
    let (mut server, port) = opened();
    server.wait_open("BTCUSDT");
    eventually("the contract is live", || contract(&server)["live"] == true);
    let alone = |what: &str, more: &[&str]| {
        let words = ["admin", "market", what, "ETHUSDT", "--by", "Ann", "--reason", "alone"];
        tool(&server, &[&words[..], more].concat())
    };
    // Before anybody is enrolled who decides, the tool does both.
    assert!(bad(&alone("resume", &[]), REFUSED).contains("it is not halted"));
    for more in [&[][..], &["--contract"]] {
        good(&alone("halt", more));
        assert!(bad(&alone("halt", more), REFUSED).contains("so already"));
        eventually("the view has it", || alone("resume", more).status.success());
    }
    let risk = person(&server, port, "rita", "risk", &[]);
    let listing = person(&server, port, "lee", "listing", &[]);
    let owner = person(&server, port, "olga", "owner", &[]);
    good(&alone("halt", &[]));
    eventually("two people decide", || bad(&alone("resume", &[]), REFUSED).contains("two people"));

    let told = || risk.get("markets").1;
    let row = |list: &str, symbol: &str| {
        let all = told();
        let found = all[list].as_array().unwrap().iter().find(|row| row["symbol"] == symbol).cloned();
        found.unwrap_or_else(|| panic!("{all}"))
    };
    let market = row("markets", "BTCUSDT");
    assert_eq!((&market["state"], &market["subject"]), (&json!("Trading"), &json!("market:BTCUSDT")));
    assert!(market["house"]["levels"].as_u64().unwrap() > 0, "{market}");
    let amount = |market: &Value, what: &str| market[what].as_str().unwrap().parse::<f64>().unwrap();
    assert!(amount(&market, "house_has") > 0.0 && amount(&market, "worth") > amount(&market, "house_has"), "{market}");
    let why = json!({ "reason": "prices look wrong" });
    let (spot, future) = (market["id"].clone(), row("contracts", "BTCUSDT")["id"].clone());

    let api = server.demo("demo");
    let resting = order(&api);
    assert_eq!(resting["code"], 1, "{resting}");
    for (id, subject) in [(&spot, "market:BTCUSDT"), (&future, "contract:BTCUSDT")] {
        let halt = |browser: &Browser| browser.post(&format!("markets/{id}/halt"), &why).0;
        let propose = || listing.post(&format!("markets/{id}/propose-resume"), &why).0;
        assert_eq!(propose(), 409, "it is not halted");
        assert_eq!(halt(&listing), 200);
        let list = if id == &spot { "markets" } else { "contracts" };
        eventually("it is halted", || row(list, "BTCUSDT")["state"] == "Halt");
        eventually("the audit has it", || {
            let noted = &owner.get("audit?action=halt%20market").1["rows"][0];
            (&noted["actor"], &noted["subject"]) == (&json!("lee@staff-2"), &json!(subject))
        });
        assert_eq!(halt(&risk), 409, "it is halted already");
        let looser = risk.post(&format!("markets/{id}/cancel-only"), &why);
        assert!(looser.0 == 409 && looser.1["error"].as_str().unwrap().contains("two people"), "{looser:?}");
    }
    // Nothing is taken but cancels, and the house is out of the book.
    eventually("the house is out", || row("markets", "BTCUSDT")["house"]["levels"] == 0);
    assert_ne!(order(&api)["code"], 1);
    eventually("the contract is not live", || contract(&server)["live"] == false);
    let cancelled = api.post("/coin/cancel", &[("id", &resting["data"]["id"].to_string())]);
    assert_eq!(cancelled["code"], 1, "{cancelled}");
    // It stays so over a start.
    server.terminate();
    server.launch();
    eventually("it is back", || risk.get("markets").0 == 200);
    assert_eq!(
        (&row("markets", "BTCUSDT")["state"], &row("contracts", "BTCUSDT")["state"]),
        (&json!("Halt"), &json!("Halt"))
    );

    let decision = json!({ "approves": true, "reason": "so do I" });
    for id in [&spot, &future] {
        let proposed = risk.post(&format!("markets/{id}/propose-resume"), &why);
        assert_eq!(proposed.0, 200, "{proposed:?}");
        let path = format!("market-cases/{}/decide", proposed.1["case"]);
        assert_eq!(risk.decide(&path, &json!({ "approves": false, "reason": "not yet" })).0, 200, "taken back");
        let proposed = risk.post(&format!("markets/{id}/propose-resume"), &why);
        let path = format!("market-cases/{}/decide", proposed.1["case"]);
        assert_eq!(listing.post(&format!("markets/{id}/propose-resume"), &why).0, 409, "it is proposed already");
        assert_eq!(risk.decide(&path, &decision).0, 409, "not who proposed it");
        assert_eq!(listing.decide(&path, &decision).0, 200);
        assert_eq!(owner.decide(&path, &decision).0, 409, "it is decided");
    }
    server.wait_open("BTCUSDT");
    // What was proposed before a market was halted again lets nothing go on.
    let id = &row("markets", "ETHUSDT")["id"];
    let old = risk.post(&format!("markets/{id}/propose-resume"), &why).1["case"].clone();
    change(&server, &[&format!("UPDATE staff_cases SET proposed_ms = proposed_ms - 600000 WHERE id = {old}")]);
    let refused = listing.decide(&format!("market-cases/{old}/decide"), &decision);
    assert!(refused.0 == 409 && refused.1["error"].as_str().unwrap().contains("closed again"), "{refused:?}");
    eventually("the contract is live again", || contract(&server)["live"] == true);
    assert_eq!(order(&server.demo("demo"))["code"], 1);
    server.terminate();
    for kind in ["MarketStateChanged", "ContractStateChanged"] {
        let facts = good(&tool(&server, &["journal", "dump", "--kind", kind]));
        assert!(facts.contains("Staff 1 and 2"), "the journal names both: {facts}");
    }
    good(&tool(&server, &["audit"]));
}

#[test]
fn who_applied_to_be_followed_is_approved_refused_and_ended_by_one_person() {
    let (server, port) = opened();
    eventually("the contract is live", || contract(&server)["live"] == true);
    let account = |api: &Api| api.get("/user/info")["message"]["id"].as_u64().unwrap();
    let (one, own) = (server.demo("demo"), server.demo("demo2"));
    for api in [&one, &own] {
        for _ in 0..10 {
            let fields = [PAIR[0], PAIR[1], ("type", "1"), ("share", "1"), ("multiple", "100"), ("status", "1")];
            let ticket = api.post("/lever/submit", &fields)["data"]["id"].to_string();
            assert_eq!(api.post("/lever/close", &[("id", &ticket)])["code"], 1);
        }
        eventually("ten are closed", || api.get("/follow/apply/state")["message"]["eligible"] == true);
        assert_eq!(api.post("/follow/apply", &[("intro", "Trends <b>only</b>")])["code"], 1);
    }
    let (theirs, mine) = (account(&one), account(&own));
    let owner = person(&server, port, "olga", "owner", &["--account", &mine.to_string()]);
    let support = person(&server, port, "sam", "support", &[]);
    let why = |reason: &str| json!({ "reason": reason });
    let decide = |what: &str, reason: &str| owner.post(&format!("traders/{theirs}/{what}"), &why(reason));

    let told = support.get("traders").1;
    assert_eq!(told["waiting"][0]["account"], theirs, "the oldest first: {told}");
    assert_eq!(told["waiting"][0]["intro"], "Trends <b>only</b>");
    assert_eq!(support.post(&format!("traders/{theirs}/approve"), &why("I like them")).0, 403);
    assert_eq!(owner.post(&format!("traders/{mine}/approve"), &why("I like me")).0, 409, "their own account");
    assert_eq!(owner.post("traders/7/approve", &why("nobody")).0, 404);
    assert_eq!(decide("end", "no trader yet").0, 409);
    assert_eq!(decide("refuse", "Too short").0, 200);
    let state = one.get("/follow/apply/state")["message"].clone();
    assert_eq!((&state["state"], &state["reason"]), (&json!(3), &json!("Too short")), "{state}");
    assert_eq!(decide("approve", "after all").0, 409, "nothing waits");
    assert_eq!(one.post("/follow/apply", &[("intro", "Once more")])["code"], 1);
    let leads = account(&server.demo("trader")).to_string();
    let follow = [("trader_user_id", leads.as_str()), ("type", "1"), ("number", "1")];
    let followed = one.post("/follow/follow", &follow);
    assert_eq!(followed["code"], 1, "{followed}");
    let refused = decide("approve", "Steady");
    assert!(refused.0 == 409 && refused.1["error"].as_str().unwrap().contains("follows traders itself"), "{refused:?}");
    assert_eq!(one.post("/follow/cancel", &[("follow_user_id", leads.as_str())])["code"], 1);
    eventually("it follows nobody", || decide("approve", "Steady").0 == 200);
    eventually("it is a trader", || one.get("/user/info")["message"]["is_trader"] == 1);
    let row = || {
        let told = support.get("traders").1;
        told["traders"].as_array().unwrap().iter().find(|row| row["account"] == theirs).cloned()
    };
    eventually("it is among them", || row().is_some());
    // What it closed before counts for nothing.
    let told = row().unwrap();
    assert_eq!((&told["closed"], &told["followers"], &told["asset"]), (&json!(0), &json!(0), &json!("USDT")), "{told}");
    assert_eq!(decide("approve", "again").0, 409);
    assert_eq!(decide("end", "Misled followers").0, 200);
    eventually("it is none any more", || one.get("/user/info")["message"]["is_trader"] == 0 && row().is_none());
    let noted = owner.get(&format!("audit?subject=user:{theirs}")).1;
    let rows = noted["rows"].as_array().unwrap();
    let actions = rows.iter().map(|row| row["action"].as_str().unwrap()).filter(|action| action.ends_with("trader"));
    let actions: Vec<&str> = actions.collect();
    assert_eq!((actions[0], actions.last()), ("end trader", Some(&"refuse trader")), "{noted}");
}
