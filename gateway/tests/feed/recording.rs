//! A straightforward reader of recorded files, written apart from the feed's own, and what is measured on either.
#![allow(dead_code, reason = "each test uses a part")]

use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use xng_core::money::Amount;

/// The folder of recorded data, if it is there: `DATA`, else `../shared/data` beside the workspace.
pub(crate) fn data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("DATA").map_or_else(|| root.join("../shared/data"), |d| root.join(d));
    folder.join("permissive/binance_20240808").is_dir().then_some(folder)
}

/// Rows of a file, each as values by column name.
pub(crate) fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = BufReader::new(MultiGzDecoder::new(file)).lines().map(Result::unwrap);
    let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    lines.map(|l| names.iter().cloned().zip(l.split(',').map(str::to_owned)).collect()).collect()
}

/// One column's value.
pub(crate) fn number<T: FromStr>(row: &BTreeMap<String, String>, column: &str) -> T
where
    T::Err: std::fmt::Debug,
{
    row[column].parse().unwrap_or_else(|e| panic!("{column} {}: {e:?}", row[column]))
}

/// One column's value as an amount.
pub(crate) fn amount(row: &BTreeMap<String, String>, column: &str) -> Amount {
    number(row, column)
}

/// Best bid and ask every 100 ms, and trades as (ms, base amount).
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) best: Vec<(f64, f64)>,
    pub(crate) trades: Vec<(i64, f64)>,
}

/// 10 %, 50 % and 90 %.
pub(crate) fn deciles(mut values: Vec<f64>) -> [f64; 3] {
    assert!(!values.is_empty());
    values.sort_by(f64::total_cmp);
    [0.1, 0.5, 0.9].map(|p| values[((p * values.len() as f64) as usize).min(values.len() - 1)])
}

impl Sample {
    /// Absolute returns of the mid over one second in parts per million, sizes, spreads, milliseconds between trades.
    pub(crate) fn measure(&self) -> [[f64; 3]; 4] {
        let mids: Vec<f64> = self.best.iter().map(|(b, a)| (b + a) / 2.0).collect();
        let returns = mids.windows(11).map(|w| (w[10] / w[0] - 1.0).abs() * 1e6).collect();
        let sizes = self.trades.iter().map(|t| t.1).collect();
        let spreads = self.best.iter().map(|(b, a)| a - b).collect();
        let gaps = self.trades.windows(2).map(|w| (w[1].0 - w[0].0) as f64).collect();
        [deciles(returns), deciles(sizes), deciles(spreads), deciles(gaps)]
    }
}

/// The sample of one recorded spot pair.
pub(crate) fn recorded(folder: &Path, symbol: &str) -> Sample {
    let name = symbol.to_ascii_lowercase();
    let folder = folder.join("permissive/binance_20240808");
    let mut sample = Sample::default();
    let (mut next, mut last) = (0, None);
    for row in rows(&folder.join(format!("spot_{name}_bbo.csv.gz"))) {
        let at = number::<i64>(&row, "recv_ns") / 100_000_000;
        while let Some(best) = last
            && next < at
        {
            sample.best.push(best);
            next += 1;
        }
        if last.is_none() {
            next = at;
        }
        last = Some((number(&row, "bid_price"), number(&row, "ask_price")));
    }
    for row in rows(&folder.join(format!("spot_{name}_trades.csv.gz"))) {
        sample.trades.push((number(&row, "trade_ms"), number(&row, "qty")));
    }
    sample
}
