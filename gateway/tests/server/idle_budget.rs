//! What a demo without users costs a day: archive, store, processor.
//!
//! `IDLE_SECONDS=600` measures for longer than `make test` does.

use crate::client::{Server, WHOLE_DEMO};
use crate::tool;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xng_gateway::market::catalog::Seeds;

/// All markets together, archive and store, a day.
const MOST_A_DAY: f64 = 2e9;
/// On the average of all pairs and contracts: what the budget was when there were 14 and 8.
const MOST_OF_A_MARKET: f64 = 1e9 / 22.0;
/// Of one processor, in a build without optimisation: several times what it takes, since a busy machine counts more.
const MOST_PROCESSOR: f64 = 0.3;
const DAY_S: f64 = 86_400.0;
/// What a start and a stop cost is measured over so many seconds and taken off.
const SHORT_S: u64 = 8;

/// Bytes that stay.
#[derive(Debug, Clone, Copy, Default)]
struct Kept {
    archive: f64,
    store: f64,
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).map(|dir| dir.map(|e| e.unwrap().path()).collect::<Vec<_>>());
    all.unwrap_or_default().into_iter().filter(|p| p.is_file()).collect()
}

fn size(path: &Path) -> f64 {
    std::fs::metadata(path).map_or(0.0, |m| m.len() as f64)
}

/// What the data of a stopped server take: live segments as the archive will have them.
fn kept(server: &Server) -> Kept {
    let data = server.data_dir();
    let packed = |p: &PathBuf| zstd::encode_all(std::fs::File::open(p).unwrap(), 3).unwrap().len() as f64;
    let live: f64 = files(&data.join("journal")).iter().map(packed).sum();
    let archived: f64 = files(&data.join("journal/archive")).iter().map(|p| size(p)).sum();
    // What its log still has goes into the file: how much that is depends on when it was last done.
    let path = data.join("store.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        use sqlx::Connection;
        let mut store = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut store).await.unwrap();
        store.close().await.unwrap();
    });
    Kept { archive: live + archived, store: size(&path) }
}

/// Processor seconds that the server has had.
fn processor(server: &Server) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |n: usize| fields[n].parse::<f64>().unwrap();
    // User and system time, in hundredths of a second.
    (ticks(11) + ticks(12)) / 100.0
}

/// Runs for a while from the moment on at which all markets are open; processor seconds of that while.
fn run(server: &mut Server, seconds: u64) -> f64 {
    server.wait_open("BTCUSDT");
    let (began, before) = (Instant::now(), processor(server));
    std::thread::sleep(Duration::from_secs(seconds).saturating_sub(began.elapsed()));
    let used = processor(server) - before;
    assert!(server.terminate().success());
    used
}

/// Which market or contract a record is of: a price has the number of its market.
fn market(record: &Value) -> Option<u64> {
    let decider = record["decider"].as_str()?;
    let of_one = ["market", "price", "contract"].iter().any(|kind| decider.to_ascii_lowercase().starts_with(kind));
    of_one.then(|| decider.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches(')').parse().ok())?
}

/// Records and their share of all that is written, by market, from a record on.
fn by_market(server: &Server, from: u64) -> BTreeMap<u64, (u64, f64)> {
    let dump = tool::good(&tool::tool(server, &["journal", "dump", "--from", &from.to_string()]));
    let mut counted: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
    for line in dump.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let one = counted.entry(market(&record).unwrap_or(0)).or_default();
        *one = (one.0 + 1, one.1 + line.len() as f64);
    }
    let all: f64 = counted.values().map(|c| c.1).sum();
    counted.values_mut().for_each(|c| c.1 /= all);
    counted
}

/// What a day costs: bytes that stay, and how much of one processor is busy.
#[derive(Debug, Clone, Copy)]
struct Day {
    archive: f64,
    store: f64,
    cores: f64,
}

impl Day {
    fn is_within_budget(&self, markets: usize) -> bool {
        let all = self.archive + self.store;
        all <= MOST_A_DAY && all / markets as f64 <= MOST_OF_A_MARKET && self.cores <= MOST_PROCESSOR
    }
}

/// Measures so many seconds of a server without users; `before` is what it has kept until now, `start` what a start, a stop and
/// [`SHORT_S`] seconds cost, which it has besides.
fn measure(server: &mut Server, seconds: u64, before: &mut Kept, start: Kept) -> Day {
    server.launch();
    let used = run(server, SHORT_S + seconds);
    let (then, after) = (*before, kept(server));
    eprintln!("a start: {start:?}; before {then:?}, after {after:?}");
    let a_day = |of: fn(&Kept) -> f64| (of(&after) - of(&then) - of(&start)) / seconds as f64 * DAY_S;
    let (archive, store) = (a_day(|k| k.archive), a_day(|k| k.store));
    *before = after;
    Day { archive, store, cores: used / (SHORT_S + seconds) as f64 }
}

#[test]
fn a_demo_without_users_stays_within_its_budget() {
    let seconds = std::env::var("IDLE_SECONDS").map_or(40, |s| s.parse().unwrap());
    let mut server = Server::start(&[WHOLE_DEMO]);
    // The first start writes the past of every chart.
    run(&mut server, 4 * SHORT_S);
    let fresh = kept(&server);
    server.launch();
    run(&mut server, SHORT_S);
    let mut before = kept(&server);
    let start = Kept { archive: before.archive - fresh.archive, store: before.store - fresh.store };
    let stat = |server: &Server| -> Value {
        serde_json::from_str(&tool::good(&tool::tool(server, &["journal", "stat", "--json"]))).unwrap()
    };
    let from = stat(&server)["lsn"][1].as_u64().unwrap() + 1;
    let mut day = measure(&mut server, seconds, &mut before, start);
    let seeds = Seeds::load(Path::new("../config/markets.toml")).unwrap();
    let mut symbols: BTreeMap<u64, String> = seeds.market.iter().map(|m| (u64::from(m.id), m.symbol())).collect();
    symbols.extend(seeds.contract.iter().map(|c| (u64::from(c.id), format!("{} perp", c.base))));
    eprintln!("{:9} {:>10} {:>12}", "market", "records/s", "MB a day");
    for (market, (records, share)) in by_market(&server, from) {
        let name = symbols.get(&market).map_or("others", String::as_str);
        let rate = records as f64 / (SHORT_S + seconds) as f64;
        eprintln!("{name:9} {rate:10.2} {:12.1}", share * (day.archive + day.store) / 1e6);
    }
    if !day.is_within_budget(symbols.len()) {
        eprintln!("{day:?} is too much: a busy machine may have spoilt it, so once more");
        let again = measure(&mut server, seconds, &mut before, start);
        // Bytes of one measurement: what one of them wrote late is missing in the other.
        let bytes = if again.archive + again.store < day.archive + day.store { again } else { day };
        day = Day { cores: day.cores.min(again.cores), ..bytes };
    }
    let Day { archive, store, cores } = day;
    eprintln!("a day: archive {:.0} MB, store {:.0} MB; {cores:.3} of a processor", archive / 1e6, store / 1e6);
    let (all, of_one) = (archive + store, (archive + store) / symbols.len() as f64);
    assert!(all <= MOST_A_DAY, "{:.0} MB a day", all / 1e6);
    assert!(of_one <= MOST_OF_A_MARKET, "{:.0} MB a day for each pair and contract", of_one / 1e6);
    assert!(cores <= MOST_PROCESSOR, "{cores:.3} of a processor");
}
