//! The quiet demo with stocks.

use crate::client::Server;
use toml::{Table, Value as Toml};

/// Calendars of venues that are open all the time.
pub(crate) const ALWAYS: &str = r#"
[[calendar]]
id = 1
name = "NYSE"
zone = "America/New_York"
hours = [["00:00", "24:00"]]
weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

[[calendar]]
id = 2
name = "HKEX"
zone = "Asia/Hong_Kong"
hours = [["00:00", "24:00"]]
weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
"#;

/// The quiet demo with two of the shipped stocks and the pair of their money.
pub(crate) fn with_stocks(calendars: &str) -> Server {
    let mut server = Server::prepare(&[]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/markets.toml");
    let shipped: Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let picked = |name: &str, ids: &[i64]| -> Vec<Toml> {
        let rows = shipped[name].as_array().unwrap();
        rows.iter().filter(|row| ids.contains(&row["id"].as_integer().unwrap())).cloned().collect()
    };
    let (assets, markets) = (picked("asset", &[130, 10_384, 10_394]), picked("market", &[31, 384, 394]));
    server.list(|quiet| {
        let add = |quiet: &mut Table, name: &str, rows: Vec<Toml>| {
            quiet[name].as_array_mut().unwrap().extend(rows);
        };
        add(quiet, "asset", assets);
        add(quiet, "market", markets);
        quiet["convert"]["assets"].as_array_mut().unwrap().push("HKD".into());
    });
    let path = server.scratch().join("calendars.toml");
    std::fs::write(&path, calendars).unwrap();
    server.set("XNG__FILES__CALENDARS", path.to_str().unwrap());
    // The tools ask the running server.
    server.set("XNG__SERVER__OPS_LISTEN", &format!("127.0.0.1:{}", server.ops));
    server
}
