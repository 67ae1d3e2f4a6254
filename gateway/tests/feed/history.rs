//! Recorded candles as the history of a replay and of pairs simulated beside it.

use crate::sample::write_gz;
use std::collections::BTreeMap;
use std::path::Path;
use xng_core::money::Amount;
use xng_gateway::feed::klines::{End, history};
use xng_gateway::feed::recorded::files;
use xng_gateway::market::candles::Candle;
use xng_gateway::market::interval::Interval;

const HEADER: &str = "open_time_ms,open,high,low,close,volume";
const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;
/// 2024-08-08 00:00 UTC.
const RECORDED_DAY: i64 = 1_723_075_200_000;
/// 2026-11-21 09:00:30 UTC.
const NOW: i64 = 1_795_251_630_000;

/// A climb by one a row.
fn climb(from: i64, count: i64, length: i64, price: i64) -> Vec<String> {
    let row = |n: i64| {
        let p = price + n;
        format!("{},{p},{}.5,{}.5,{},2.5", from + n * length, p + 1, p - 1, p + 1)
    };
    (0..count).map(row).collect()
}

fn days_and_minutes(folder: &Path) {
    write_gz(&folder.join("btcusdt_1d.csv.gz"), HEADER, &climb(RECORDED_DAY - 100 * DAY, 300, DAY, 1_000));
    write_gz(&folder.join("solusdt_1d.csv.gz"), HEADER, &climb(RECORDED_DAY, 400, DAY, 1_000));
    write_gz(&folder.join("solusdt_1m_202408.csv.gz"), HEADER, &climb(RECORDED_DAY + 10 * DAY, 3_000, MINUTE, 5_000));
}

fn joined(list: &[Candle], length: i64) -> bool {
    list.windows(2).all(|w| w[1].open_ms - w[0].open_ms == length)
}

#[test]
fn a_replayed_pairs_history_is_what_was_recorded_before_and_moves_with_it() {
    let folder = tempfile::tempdir().unwrap();
    days_and_minutes(folder.path());
    let files = files(folder.path()).unwrap();
    let end = End::Recording { begins: RECORDED_DAY + 86_055_000, now: NOW };
    let (minutes, days) = history("BTCUSDT", &files, end).unwrap();
    assert!(minutes.is_empty());
    assert_eq!(days.len(), 100);
    assert!(joined(&days, DAY));
    let last = days.last().unwrap();
    assert_eq!(last.open_ms, Interval::D1.span(NOW).0 - DAY, "yesterday");
    assert_eq!((last.open, last.close), (Amount::whole(1_099), Amount::whole(1_100)));
    assert_eq!(last.volume, Amount(250_000_000));
    assert_eq!(last.turnover, Amount(109_950_000_000 * 5 / 2));
}

#[test]
fn a_simulated_pairs_history_ends_now_and_its_days_end_with_its_minutes() {
    let folder = tempfile::tempdir().unwrap();
    days_and_minutes(folder.path());
    let files = files(folder.path()).unwrap();
    let (minutes, days) = history("SOLUSDT", &files, End::Now(NOW)).unwrap();
    assert_eq!(minutes.len(), 3_000);
    assert!(joined(&minutes, MINUTE));
    assert_eq!(minutes.last().unwrap().open_ms, Interval::M1.span(NOW).0);
    assert_eq!(minutes.last().unwrap().close, Amount::whole(8_000));
    assert!(joined(&days, DAY), "{:?}", days.iter().map(|d| d.open_ms).collect::<Vec<i64>>());
    assert_eq!(days.last().unwrap().open_ms, Interval::D1.span(NOW).0);
    assert_eq!(days.last().unwrap().close, Amount::whole(8_000));
    assert_eq!(days[0].open, Amount::whole(1_000));
    let total = |list: &[Candle]| list.iter().map(|c| c.volume.0).sum::<i128>();
    assert_eq!(total(&days[10..]), total(&minutes), "days of minutes hold what the minutes hold");
}

#[test]
fn a_pair_without_files_has_no_history_and_a_bad_row_is_told_by_file_and_line() {
    assert_eq!(history("XRPUSDT", &BTreeMap::new(), End::Now(NOW)).unwrap(), (Vec::new(), Vec::new()));
    let folder = tempfile::tempdir().unwrap();
    let rows = ["60000,5,6,4,5,1", "120000,5,6,5.5,5,1"].map(str::to_owned);
    write_gz(&folder.path().join("xrpusdt_1m.csv.gz"), HEADER, &rows);
    let written = history("XRPUSDT", &files(folder.path()).unwrap(), End::Now(NOW)).unwrap_err().to_string();
    assert!(written.ends_with("xrpusdt_1m.csv.gz:3: low is \"5.5\""), "{written}");
}
