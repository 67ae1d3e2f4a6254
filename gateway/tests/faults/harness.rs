//! Chance, settings of the harness, what a server's log says, and what store and journal say after its end.

use crate::client::Server;
use crate::tool::tool;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How often a test tries: the variable FAULT_CYCLES (`make chaos`), or `short` in `make test`.
pub(crate) fn cycles(short: usize) -> usize {
    std::env::var("FAULT_CYCLES").map_or(short, |n| n.parse().expect("FAULT_CYCLES is a number"))
}

/// True in the long form.
pub(crate) fn is_long() -> bool {
    std::env::var_os("FAULT_CYCLES").is_some()
}

/// A number out of the range; kills come at moments that nobody chose. The variable FAULT_SEED sets the sequence, and a run
/// prints the one that it has, which a failing test shows.
pub(crate) fn random(range: Range<u64>) -> u64 {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        let set = std::env::var("FAULT_SEED").ok();
        let seed = set.map_or_else(|| RandomState::new().hash_one(()), |n| n.parse().expect("FAULT_SEED is a number"));
        eprintln!("FAULT_SEED={seed}");
        seed
    });
    static DRAWN: AtomicU64 = AtomicU64::new(0);
    let mut sha = Sha256::new();
    sha.update(SEED.to_le_bytes());
    sha.update(DRAWN.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let mut number = [0; 8];
    number.copy_from_slice(&sha.finalize()[..8]);
    range.start + u64::from_le_bytes(number) % (range.end - range.start)
}

/// Fails with a clear message when a program is missing.
pub(crate) fn needs(program: &str, package: &str) {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    assert!(found.status.success(), "{program} is missing: install the package {package} (scripts/setup.sh test)");
}

/// Lists one pair only, on which orders may rest as far from the market as they like: a start takes a fraction of the
/// time, and a small disk is not full of other pairs' candles.
pub(crate) fn one_pair_only(server: &mut Server) {
    server.list(|seeds| {
        let mut leave = |list: &str, field: &str| {
            let entries = seeds[list].as_array_mut().unwrap();
            entries.retain(|entry| entry[field].as_str() != Some("ETH"));
            assert!(!entries.is_empty(), "no {list} is left");
        };
        leave("market", "base");
        leave("asset", "name");
        seeds["rules"]["band_ppm"] = 999_999.into();
    });
}

/// Has so many demo users besides those of the settings: each can make so many requests with a key in a day.
pub(crate) fn more_users(server: &mut Server, count: usize) -> Vec<String> {
    let shipped = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/exchange.toml")).unwrap();
    let mut settings: toml::Table = shipped.parse().unwrap();
    let names: Vec<String> = (0..count).map(|n| format!("user{n}")).collect();
    settings["demo"].as_table_mut().unwrap().insert("users".to_owned(), names.clone().into());
    let path = server.scratch().join("exchange.toml");
    std::fs::write(&path, settings.to_string()).unwrap();
    server.configure(&path);
    names
}

/// The lines of a server's log with this message.
pub(crate) fn logged(server: &Server, message: &str) -> Vec<Value> {
    let lines = server.log();
    let parsed = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed.filter(|line| line["fields"]["message"] == message).collect()
}

/// Facts that all starts of a server folded, and how long that took.
pub(crate) fn folded(server: &Server) -> (u64, Duration) {
    logged(server, "recovered").iter().fold((0, Duration::ZERO), |(facts, time), line| {
        let number = |name: &str| line["fields"][name].as_u64().unwrap_or_else(|| panic!("{line}"));
        (facts + number("folded"), time + Duration::from_micros(number("fold_micros")))
    })
}

/// Ends a server in order and lets `exchange audit` compare everything with the journal: what differs, if anything.
/// Every fault test ends so.
pub(crate) fn differences(server: &mut Server) -> Option<String> {
    let status = server.terminate();
    assert!(status.success(), "{status}");
    let audit = tool(server, &["audit", "--json"]);
    let (said, complaint) = (String::from_utf8_lossy(&audit.stdout), String::from_utf8_lossy(&audit.stderr));
    let text: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("the audit could not work: {complaint}"));
    let compared = &text["compared"];
    let is_whole = text["equal"] == true && compared["last"].is_u64();
    (!is_whole || compared["store"]["checkpoint"] != compared["last"]).then(|| format!("{text} {complaint}"))
}
