//! Metrics of seconds options: how many are open, what the house may lose and lost, how they end.
//!
//! Owns: these families. Never does: count. Invariants: each desk has its series from the moment it is listed. Known limits:
//! results are counted from this start on.

use super::text::Text;
use crate::app::Shared;
use crate::common::time::now_ns;
use crate::market::catalog::Catalog;
use xng_core::seconds::params::DeskParams;
use xng_core::seconds::rules::OptionResult;

fn labels(catalog: &Catalog, desk: &DeskParams) -> (String, String) {
    let symbol = catalog.symbol(desk.pair()).map_or_else(|| desk.pair().to_string(), str::to_owned);
    (symbol, desk.seconds.to_string())
}

fn result_name(result: OptionResult) -> &'static str {
    match result {
        OptionResult::Win => "win",
        OptionResult::Loss => "loss",
        OptionResult::Tie => "tie",
        OptionResult::Void => "void",
    }
}

pub(super) fn write(t: &mut Text, shared: &Shared) {
    let catalog = shared.listed();
    let (desks, results) = shared.desks.all(now_ns());
    let named: Vec<_> = desks.iter().map(|desk| (labels(&catalog, &desk.params), desk)).collect();
    let mut family = t.gauge("xng_seconds_open", "Open options of a desk.");
    for ((symbol, seconds), desk) in &named {
        family.sample(&[("symbol", symbol), ("seconds", seconds)], desk.options);
    }
    let mut family = t.gauge(
        "xng_seconds_worst_loss_ratio",
        "The house's worst loss of the minute in which new options expire, of the cap.",
    );
    for ((symbol, seconds), desk) in &named {
        let used = desk.worst_loss.0 as f64 / desk.params.minute_cap.0 as f64;
        family.sample(&[("symbol", symbol), ("seconds", seconds)], used);
    }
    let mut family = t.gauge("xng_seconds_house_lost", "What the house lost to a desk's options today (UTC).");
    for ((symbol, seconds), desk) in &named {
        family.sample(&[("symbol", symbol), ("seconds", seconds)], desk.lost);
    }
    let mut family = t.gauge("xng_seconds_desk_open", "1 when a desk takes options.");
    for ((symbol, seconds), desk) in &named {
        family.sample(&[("symbol", symbol), ("seconds", seconds)], u8::from(desk.open));
    }
    let mut family = t.counter("xng_seconds_settled_total", "Options that ended, by their result.");
    for ((symbol, seconds), desk) in &named {
        for result in OptionResult::ALL {
            let count = results.get(&(desk.params.desk, *result)).copied().unwrap_or_default();
            let labels = [("symbol", symbol.as_str()), ("seconds", seconds), ("result", result_name(*result))];
            family.sample(&labels, count);
        }
    }
}
