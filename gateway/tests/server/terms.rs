//! Operators have the terms of conversion, seconds options and copy trading read again through the real binary: what changes,
//! what of before is refused, what a bad file changes.

use crate::client::{Api, Server};
use crate::tool::{bad, good, tool};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::fmt::Debug;
use toml::Table;
use xng_persistence::office::{AuditFilter, Office};

const SAME: &str = "the terms of [convert], [seconds] and [copy] in the settings are those in force";

/// A server whose settings may be edited while it runs.
fn started() -> (Server, Api) {
    let mut server = Server::prepare(&[]);
    server.list(|_| {});
    // The tool asks the port that its settings name.
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    server.launch();
    let api = server.demo("demo");
    eventually("there are prices", || quote(&api)["code"] == 1);
    let moved = [("currency_id", "3"), ("number", "1000"), ("from_field", "change"), ("to_field", "micro")];
    assert_eq!(api.post("/wallet/change", &moved)["code"], 1);
    (server, api)
}

/// Writes the settings anew, with one change.
fn edit(server: &Server, change: impl FnOnce(&mut Table)) {
    let path = server.scratch().join("markets.toml");
    let mut markets: Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
    change(&mut markets);
    std::fs::write(&path, markets.to_string()).unwrap();
}

fn section<'a>(markets: &'a mut Table, name: &str) -> &'a mut Table {
    markets[name].as_table_mut().unwrap()
}

fn quote(api: &Api) -> Value {
    api.post("/user/getTransferFee", &[("from_currency_id", "3"), ("to_currency_id", "1"), ("number", "10")])
}

fn convert(api: &Api, quote: &Value) -> Value {
    let quote = quote["message"]["quote_id"].as_str().unwrap();
    let fields = [("number", "10"), ("from_currency_id", "3"), ("to_currency_id", "1"), ("quote_id", quote)];
    api.post("/user/Transfer", &fields)
}

/// An option of 11 seconds by the terms that were seen.
fn enter(api: &Api, version: &str) -> Value {
    let fields = [("match_id", "1"), ("currency_id", "3"), ("type", "1"), ("seconds", "11"), ("number", "10")];
    api.post("/microtrade/submit", &[&fields[..], &[("version", version)]].concat())
}

fn check(server: &Server) -> String {
    good(&tool(server, &["admin", "terms", "check"]))
}

fn reload(server: &Server) -> std::process::Output {
    tool(server, &["admin", "terms", "reload", "--by", "Ann", "--reason", "Wider markets"])
}

/// Field, old and new value of each line.
fn changes(said: &str) -> Vec<[String; 4]> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let rows = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{said}")));
    rows.map(|row| ["terms", "field", "was", "is"].map(|name| text(&row, name))).collect()
}

fn is_that<T: PartialEq<U> + Debug, U: Debug>(is: &T, wanted: &U) {
    assert!(is == wanted, "{is:?} is not {wanted:?}");
}

/// Actor, action and detail of what operators did, the oldest first.
fn audit(server: &Server) -> Vec<[String; 3]> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rows = runtime.block_on(async {
        let wanted = AuditFilter { action: "set terms".into(), ..AuditFilter::default() };
        Office::open(&server.data_dir().join("office.db")).await.unwrap().audit(&wanted, 50).await.unwrap()
    });
    rows.into_iter().rev().map(|row| [row.entry.actor, row.entry.action, row.entry.detail]).collect()
}

#[test]
fn terms_change_by_a_reload_and_a_quote_of_before_is_refused() {
    let (mut server, api) = started();
    is_that(&check(&server).trim(), &SAME);
    edit(&server, |markets| {
        section(markets, "convert").insert("fee_ppm".into(), 2_000.into());
        section(markets, "convert").insert("value".into(), vec!["2", "40000"].into());
        section(markets, "copy").insert("share_ppm".into(), 200_000.into());
        let seconds = section(markets, "seconds");
        seconds.insert("amounts".into(), vec!["10", "100", "500"].into());
        let first = seconds["durations"][0].as_table_mut().unwrap();
        first.insert("ratio_ppm".into(), 700_000.into());
    });
    let [fee, value] = ["0.1", "1"];
    let wanted = [
        ["[convert]", "fee_ppm", "1000", "2000"],
        ["[convert]", "value", "1 to 50000", "2 to 40000"],
        ["[seconds] BTCUSDT 11 s", "ratio_ppm", "750000", "700000"],
        ["[seconds]", "amounts", "10, 100", "10, 100, 500"],
        ["[copy]", "share_ppm", "100000", "200000"],
    ];
    is_that(&changes(&check(&server)), &wanted.map(|row| row.map(str::to_owned)).to_vec());
    let list = || api.post("/user/getTransferList", &[])["message"].clone();
    let before = quote(&api);
    assert_eq!((&before["message"]["fee"], &list()["min"]), (&json!(fee), &json!(value)), "a check changes nothing");
    eventually("an option is opened by the first terms", || enter(&api, "1")["code"] == 1);

    let before = quote(&api);
    is_that(&changes(&good(&reload(&server))), &wanted.map(|row| row.map(str::to_owned)).to_vec());
    let refused = convert(&api, &before);
    assert_eq!(refused["code"], 1019, "a quote of before: {refused}");
    let ratio = || api.get("/microtrade/seconds?match_id=1")["message"][0]["profit_ratio"].clone();
    eventually("the new terms are told", || ratio() == "70" && list()["min"] == "2");
    assert_eq!(quote(&api)["message"]["fee"], "0.2");
    eventually("a quote by the new terms is honoured", || convert(&api, &quote(&api))["code"] == 1);
    assert_eq!(enter(&api, "1")["code"], 1019, "the terms of before");
    eventually("an option is opened by the new terms", || enter(&api, "2")["code"] == 1);
    let numbers = || api.get("/microtrade/payable_currencies")["message"][0]["micro_numbers"].clone();
    is_that(&numbers().as_array().map(Vec::len), &Some(3));
    is_that(&check(&server).trim(), &SAME);
    is_that(&good(&reload(&server)).trim(), &SAME);

    let told = audit(&server);
    is_that(&told.len(), &4);
    let second = "set terms of [seconds] BTCUSDT 11 s: ratio_ppm 750000 -> 700000";
    is_that(&told[1], &["Ann", second, r#"{"reason":"Wider markets"}"#].map(str::to_owned));
    server.kill();
    server.launch();
    let api = server.demo("demo");
    eventually("there are prices", || quote(&api)["code"] == 1);
    assert_eq!(quote(&api)["message"]["fee"], "0.2", "terms outlive a kill");
    is_that(&check(&server).trim(), &SAME);
    server.terminate();
    good(&tool(&server, &["audit"]));
}

#[test]
fn a_desk_that_the_settings_drop_closes_and_opens_again_and_a_start_alone_changes_no_terms() {
    let (mut server, api) = started();
    eventually("an option is opened", || enter(&api, "")["code"] == 1);
    edit(&server, |markets| {
        section(markets, "seconds").insert("pairs".into(), vec!["ETHUSDT"].into());
    });
    let said = changes(&good(&reload(&server)));
    let opened = said.iter().filter(|[terms, ..]| terms.starts_with("[seconds] ETHUSDT"));
    assert!(opened.count() > 10, "two new desks: {said:?}");
    let closed: Vec<_> =
        said.iter().filter(|[.., field, was, is]| (&**field, &**was, &**is) == ("open", "yes", "no")).collect();
    assert_eq!(closed.len(), 2, "{said:?}");
    assert_eq!(enter(&api, "")["code"], 1006, "closed");
    let eth = [("match_id", "2"), ("currency_id", "3"), ("type", "1"), ("seconds", "60"), ("number", "10")];
    eventually("the new desk takes options", || api.post("/microtrade/submit", &eth)["code"] == 1);
    let ended = || api.get("/microtrade/lists?status=3")["message"]["total"] == 1;
    eventually("what is open of a closed desk ends as agreed", ended);

    server.kill();
    edit(&server, |markets| {
        section(markets, "seconds").insert("pairs".into(), vec!["BTCUSDT", "ETHUSDT"].into());
    });
    server.launch();
    assert!(
        server.log().contains("not in force: set terms of [seconds] BTCUSDT 11 s: open no -> yes"),
        "{}",
        server.log()
    );
    let api = server.demo("demo");
    assert_eq!(enter(&api, "")["code"], 1006, "a start changes no terms");
    is_that(&changes(&good(&reload(&server))).len(), &2);
    eventually("it takes options again", || enter(&api, "")["code"] == 1);
}

#[test]
fn a_bad_file_is_refused_by_file_and_field_and_changes_nothing() {
    let (server, api) = started();
    let path = server.scratch().join("markets.toml");
    let good_file = std::fs::read_to_string(&path).unwrap();
    let set = |section: &'static str, field: &'static str, value: toml::Value| {
        move |markets: &mut Table| {
            markets[section].as_table_mut().unwrap().insert(field.into(), value);
        }
    };
    let duration = |field: &'static str, value: toml::Value| {
        move |markets: &mut Table| {
            markets["seconds"]["durations"][0].as_table_mut().unwrap().insert(field.into(), value);
        }
    };
    type Edit = Box<dyn Fn(&mut Table)>;
    fn boxed(edit: impl FnOnce(&mut Table) + Clone + 'static) -> Edit {
        Box::new(move |markets| edit.clone()(markets))
    }
    let wrong: [(&str, Edit); 13] = [
        ("fee", boxed(set("convert", "fee", 1.into()))),
        ("[convert] spread_ppm", boxed(set("convert", "spread_ppm", 1_000_000.into()))),
        ("[convert] quote_ms", boxed(set("convert", "quote_ms", 60_000.into()))),
        ("[convert] dust_limit", boxed(set("convert", "dust_limit", "5,0".into()))),
        ("[convert] value", boxed(set("convert", "value", vec!["9", "8"].into()))),
        ("[convert] assets: unknown asset XXX", boxed(set("convert", "assets", vec!["USDT", "XXX"].into()))),
        ("[convert] is missing", boxed(|markets: &mut Table| drop(markets.remove("convert")))),
        ("[seconds] day_cap", boxed(set("seconds", "day_cap", "-1".into()))),
        ("[seconds] pairs: unknown pair LTCUSDT", boxed(set("seconds", "pairs", vec!["LTCUSDT"].into()))),
        ("[seconds] ratio_ppm of BTCUSDT 11 s", boxed(duration("ratio_ppm", 0.into()))),
        ("[seconds] durations", boxed(duration("seconds", 30.into()))),
        ("[copy] share_ppm", boxed(set("copy", "share_ppm", 1_000_001.into()))),
        (
            "[seconds] pairs: LTCUSDT is not listed",
            boxed(|markets: &mut Table| {
                let mut asset = markets["asset"][0].clone();
                asset
                    .as_table_mut()
                    .unwrap()
                    .extend([("id".to_owned(), 101.into()), ("name".to_owned(), "LTC".into())]);
                markets["asset"].as_array_mut().unwrap().push(asset);
                let mut market = markets["market"][0].clone();
                market
                    .as_table_mut()
                    .unwrap()
                    .extend([("id".to_owned(), 101.into()), ("base".to_owned(), "LTC".into())]);
                markets["market"].as_array_mut().unwrap().push(market);
                markets["seconds"].as_table_mut().unwrap().insert("pairs".into(), vec!["LTCUSDT"].into());
            }),
        ),
    ];
    for (named, change) in wrong {
        std::fs::write(&path, &good_file).unwrap();
        edit(&server, |markets| {
            // What is good beside it is not taken either.
            section(markets, "seconds").insert("most_open".into(), 1.into());
            change(markets);
        });
        for said in [bad(&reload(&server), 2), bad(&tool(&server, &["admin", "terms", "check"]), 2)] {
            assert!(said.contains("nothing was changed") && said.contains("markets.toml"), "{named}: {said}");
            assert!(said.contains(named), "{named}: {said}");
        }
    }
    std::fs::remove_file(&path).unwrap();
    assert!(bad(&reload(&server), 2).contains("markets.toml"), "no file");
    std::fs::write(&path, &good_file).unwrap();
    is_that(&check(&server).trim(), &SAME);
    assert_eq!(quote(&api)["message"]["fee"], "0.1");
    assert!(audit(&server).is_empty());
    let unexplained = tool(&server, &["admin", "terms", "reload", "--by", "Ann", "--reason", " "]);
    assert!(bad(&unexplained, 2).contains("why must be said"));
}
