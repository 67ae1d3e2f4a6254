//! Dashboards, recording rules and alerts ask for nothing that a scrape of the real binary does not have.

use crate::chain_settings::{ACCOUNT, pay_at};
use crate::metrics::scrape;
use crate::prometheus::{Labels, Scrape};
use crate::socket::Socket;
use crate::stock_market::{ALWAYS, with_stocks};
use crate::wait::eventually;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn config(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../config").join(name)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A query and where it stands.
struct Query {
    place: String,
    expr: String,
}

/// The expressions of a rule file, and the names that it records.
fn rules(file: &str) -> (Vec<Query>, BTreeSet<String>) {
    let (mut queries, mut recorded, mut open) = (Vec::new(), BTreeSet::new(), None::<String>);
    for line in text(&config(file)).lines().map(str::trim) {
        let begins = ["- alert: ", "- record: "].iter().find_map(|word| line.strip_prefix(word));
        if let Some(name) = begins {
            assert_eq!(open, None, "{file}: a rule without an expression");
            open = Some(name.to_owned());
            if line.starts_with("- record: ") {
                recorded.insert(name.to_owned());
            }
        }
        if let Some(expr) = line.strip_prefix("expr: ") {
            let name = open.take().unwrap_or_else(|| panic!("{file}: an expression of no rule: {expr}"));
            assert!(!expr.starts_with(['|', '>']), "{file}: {name} stands on one line");
            queries.push(Query { place: format!("{file}: {name}"), expr: expr.to_owned() });
        }
    }
    assert!(open.is_none() && !queries.is_empty(), "{file} has rules, each with an expression");
    (queries, recorded)
}

/// The expressions of a dashboard, and its rows.
fn dashboard(path: &Path) -> (Vec<Query>, Vec<String>) {
    let board: Value = serde_json::from_str(&text(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (mut queries, mut rows) = (Vec::new(), Vec::new());
    for panel in board["panels"].as_array().expect("a dashboard has panels") {
        let title = panel["title"].as_str().expect("a panel has a title");
        if panel["type"] == "row" {
            rows.push(title.to_owned());
            continue;
        }
        let targets = panel["targets"].as_array().unwrap_or_else(|| panic!("{title} shows something"));
        assert!(!targets.is_empty(), "{title}");
        queries.extend(targets.iter().map(|target| Query {
            place: format!("{}: {title}", path.display()),
            expr: target["expr"].as_str().unwrap_or_else(|| panic!("{title}: no expression")).to_owned(),
        }));
    }
    for variable in board["templating"]["list"].as_array().expect("it has variables") {
        if let Some(query) = variable["query"]["query"].as_str() {
            let inside = query.strip_prefix("label_values(").and_then(|q| q.strip_suffix(')')).expect(query);
            let (metric, label) = inside.split_once(", ").expect(query);
            queries.push(Query { place: format!("variable {label}"), expr: format!("sum by ({label}) ({metric})") });
        }
    }
    (queries, rows)
}

/// A name that a query asks for, with the labels that it matches.
type Asked = (String, Vec<String>);

/// What a query asks for, and the labels that it groups by.
fn asked(expr: &str) -> (Vec<Asked>, Vec<String>) {
    let (mut names, mut groups): (Vec<Asked>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut rest, mut word_before) = (expr, String::new());
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            let word;
            (word, rest) = rest.split_at(end);
            if word.starts_with("xng") || word == "up" {
                names.push((word.to_owned(), Vec::new()));
            }
            word_before = word.to_owned();
            continue;
        }
        match c {
            '{' => {
                let (inside, behind) = rest[1..].split_once('}').unwrap_or_else(|| panic!("open: {expr}"));
                let matchers =
                    inside.split(',').filter_map(|m| m.split(['=', '!']).next()).map(|m| m.trim().to_owned());
                names.last_mut().unwrap_or_else(|| panic!("labels of nothing: {expr}")).1.extend(matchers);
                rest = behind;
            }
            '[' => rest = rest.split_once(']').unwrap_or_else(|| panic!("open: {expr}")).1,
            '(' if ["by", "without", "on", "ignoring"].contains(&word_before.as_str()) => {
                let (inside, behind) = rest[1..].split_once(')').unwrap_or_else(|| panic!("open: {expr}"));
                groups.extend(inside.split(',').map(|label| label.trim().to_owned()));
                rest = behind;
                word_before.clear();
                continue;
            }
            c => rest = &rest[c.len_utf8()..],
        }
        if !c.is_whitespace() {
            word_before.clear();
        }
    }
    assert!(!names.is_empty(), "asks for nothing of ours: {expr}");
    (names, groups)
}

/// Labels that Prometheus adds.
const ADDED: [&str; 2] = ["instance", "job"];

fn check(query: &Query, scraped: &BTreeMap<String, BTreeSet<String>>, recorded: &BTreeSet<String>) {
    let (names, groups) = asked(&query.expr);
    let mut labels: BTreeSet<&str> = ADDED.into();
    for (name, matched) in &names {
        if name == "up" || recorded.contains(name) {
            // Labels of a recorded name are those of its own expression.
            labels.extend(["type", "symbol", "route", "result"]);
            continue;
        }
        let known =
            scraped.get(name).unwrap_or_else(|| panic!("{}: no {name} in a scrape: {}", query.place, query.expr));
        let strange: Vec<&String> =
            matched.iter().filter(|label| !known.contains(*label) && !ADDED.contains(&label.as_str())).collect();
        assert!(strange.is_empty(), "{}: {name} has no {strange:?}: {}", query.place, query.expr);
        labels.extend(known.iter().map(String::as_str));
    }
    let strange: Vec<&String> = groups.iter().filter(|group| !labels.contains(group.as_str())).collect();
    assert!(strange.is_empty(), "{}: nothing has {strange:?}: {}", query.place, query.expr);
}

/// Names of a scrape with the labels that any of their samples has.
fn labels_by_name(scrape: &Scrape) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |name: &String, labels: &Labels| {
        found.entry(name.clone()).or_default().extend(labels.keys().cloned());
    };
    scrape.families.values().flat_map(|f| &f.samples).for_each(|(name, labels, _)| add(name, labels));
    found
}

/// Has Prometheus' own tool read rules, where it is installed.
fn promtool(args: &[&std::ffi::OsStr]) {
    match Command::new("promtool").args(args).output() {
        Ok(output) => {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "promtool {args:?}\n{out}\n{err}");
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "promtool: {error}"),
    }
}

#[test]
fn every_query_of_dashboards_and_rules_is_answered_by_a_scrape_after_some_traffic() {
    let mut server = with_stocks(ALWAYS);
    // Nobody answers there: a chain has its figures all the same.
    let node = ("http://127.0.0.1:9", Path::new("no-cookie"));
    pay_at(&mut server, node, ACCOUNT, Path::new("/nowhere"));
    server.launch();
    server.wait_open("BTCUSDT");
    let mut socket = Socket::open(&server, "/realtime");
    socket.send(&json!({ "method": "SUBSCRIBE", "params": ["btcusdt@trade"], "id": 1 }));
    let order = [("currency_id", "1"), ("legal_id", "3"), ("type", "1"), ("order_type", "market"), ("amount", "0.01")];
    let answer = server.demo("demo").post("/coin/trade", &order);
    assert_eq!(answer["type"], "ok", "{answer}");
    eventually("the ledger is counted", || scrape(&server).families.contains_key("xng_ledger_imbalance"));
    let mut scraped = labels_by_name(&scrape(&server));
    // Only of a chain that holds something, which `reserves.rs` tests.
    scraped.insert("xng_chain_reserves_published_seconds".to_owned(), BTreeSet::from(["chain".to_owned()]));

    let (mut queries, recorded) = rules("prometheus/recording.yml");
    let (alerts, none) = rules("prometheus/alerts.yml");
    assert!(none.is_empty() && recorded.iter().all(|name| name.starts_with("xng:")), "{recorded:?}");
    let page = text(&config("prometheus/alerts.yml"));
    let says = |word: &str| page.matches(word).count();
    assert_eq!(
        [says("runbook: "), says("summary: "), says("severity: ")],
        [alerts.len(); 3],
        "each alert says what to do"
    );
    queries.extend(alerts);
    let boards: Vec<PathBuf> =
        std::fs::read_dir(config("grafana")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut rows = Vec::new();
    for board in boards.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let (shown, titles) = dashboard(board);
        queries.extend(shown);
        rows.extend(titles);
    }
    assert_eq!(rows, ["SLO", "Traffic", "Actors", "Journal", "Persister", "Gateway", "Process", "Contracts"]);
    assert!(queries.len() >= 100, "{} queries", queries.len());
    queries.iter().for_each(|query| check(query, &scraped, &recorded));

    // What a record keeps is asked for, or it need not be recorded.
    let used: BTreeSet<String> = queries.iter().flat_map(|q| asked(&q.expr).0).map(|(name, _)| name).collect();
    let idle: Vec<&String> = recorded.iter().filter(|name| !used.contains(*name)).collect();
    assert!(idle.is_empty(), "nobody asks for {idle:?}");

    promtool(&["check".as_ref(), "config".as_ref(), config("prometheus/prometheus.yml").as_ref()]);
    let as_rules = queries.iter().enumerate().map(|(n, query)| {
        let expr =
            ["instance", "type", "symbol"].iter().fold(query.expr.clone(), |e, v| e.replace(&format!("${v}"), "x"));
        format!("  - record: q{n}\n    expr: {}\n", serde_json::to_string(&expr).unwrap())
    });
    let all = format!("groups:\n- name: shown\n  rules:\n{}", as_rules.collect::<String>());
    let file = server.scratch().join("shown.yml");
    std::fs::write(&file, all).unwrap();
    promtool(&["check".as_ref(), "rules".as_ref(), file.as_ref()]);
}

#[test]
fn a_query_for_what_is_not_there_is_found() {
    let (names, groups) =
        asked(r#"sum by (le, type) (rate(xng_a_bucket{type=~"$type",le!="1"}[5m])) / up{job="x"} > 0"#);
    let of = |name: &str, labels: [&str; 2]| (name.to_owned(), labels.map(str::to_owned).to_vec());
    assert_eq!(names, [of("xng_a_bucket", ["type", "le"]), ("up".to_owned(), vec!["job".to_owned()])]);
    assert_eq!(groups, ["le", "type"]);
    let scraped = BTreeMap::from([("xng_a".to_owned(), BTreeSet::from(["type".to_owned()]))]);
    for expr in ["xng_b", "xng_a_total", r#"xng_a{msg="x"}"#, "sum by (msg) (xng_a)"] {
        let query = Query { place: "here".into(), expr: expr.into() };
        let found = std::panic::catch_unwind(|| check(&query, &scraped, &BTreeSet::new()));
        assert!(found.is_err(), "{expr}");
    }
}
