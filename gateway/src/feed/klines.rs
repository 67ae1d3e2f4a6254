//! Recorded candles as the history of a replay.
//!
//! Rules: a replayed pair's history is what was recorded before its recording, shifted with it, so that prices join; a
//! pair that is simulated beside takes the recorded candles whatever their time, shifted to end now, and the simulator
//! goes on from their last price. Minutes decide; days only stand before them.
//! Known limits: the files have no quote turnover; it is the mean of a candle's four prices times its volume.
//! Owns: the shift of recorded candles. Never does: invent one. Invariants: candles join: none overlaps the next.

use super::recorded::{RecordedError, Table};
use crate::common::time::Ms;
use crate::market::candles::Candle;
use crate::market::interval::Interval;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xng_core::money::{Amount, Exact};

const DAY: Ms = 86_400_000;

/// Where a history ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Before this recorded time, which is now that time.
    Recording {
        /// When the recording begins, by its own clock.
        begins: Ms,
        /// When it is played.
        now: Ms,
    },
    /// Whenever it ends is now.
    Now(Ms),
}

fn read(path: &Path) -> Result<Vec<Candle>, RecordedError> {
    let mut table = Table::open(path)?;
    let mut list: Vec<Candle> = Vec::new();
    while table.advance()? {
        let mut candle = Candle::flat(table.value("open_time_ms")?, table.amount("open")?);
        candle.high = table.amount("high")?;
        candle.low = table.amount("low")?;
        candle.close = table.amount("close")?;
        candle.volume = table.amount("volume")?;
        let four = candle.open.0 + candle.high.0 + candle.low.0 + candle.close.0;
        candle.turnover = Exact::from(Amount(four / 4)).times(Exact::from(candle.volume)).round8();
        if list.last().is_some_and(|last| last.open_ms >= candle.open_ms) {
            return Err(table.wrong("open_time_ms"));
        }
        let inside = |p: Amount| candle.low <= p && p <= candle.high;
        if candle.low.is_zero() || !inside(candle.open) || !inside(candle.close) {
            return Err(table.wrong("low"));
        }
        list.push(candle);
    }
    Ok(list)
}

/// The files of a pair and a period: `btcusdt_1m_202506`, `btcusdt_1d`.
fn named<'a>(symbol: &str, period: &str, files: &'a BTreeMap<String, PathBuf>) -> impl Iterator<Item = &'a PathBuf> {
    let name = format!("{}_{period}", symbol.to_ascii_lowercase());
    let prefix = format!("{name}_");
    files.iter().filter(move |(f, _)| **f == name || f.starts_with(&prefix)).map(|(_, path)| path)
}

fn all(symbol: &str, period: &str, files: &BTreeMap<String, PathBuf>) -> Result<Vec<Candle>, RecordedError> {
    let mut merged: BTreeMap<Ms, Candle> = BTreeMap::new();
    for path in named(symbol, period, files) {
        merged.extend(read(path)?.into_iter().map(|c| (c.open_ms, c)));
    }
    Ok(merged.into_values().collect())
}

fn shift(list: &mut [Candle], by: Ms) {
    list.iter_mut().for_each(|c| c.open_ms += by);
}

/// Minutes and days of a pair's history; either may be empty.
pub fn history(
    symbol: &str,
    files: &BTreeMap<String, PathBuf>,
    end: End,
) -> Result<(Vec<Candle>, Vec<Candle>), RecordedError> {
    let (mut minutes, mut days) = (all(symbol, "1m", files)?, all(symbol, "1d", files)?);
    match end {
        End::Recording { begins, now } => {
            let (minute, day) = (Interval::M1.span(begins).0, Interval::D1.span(begins).0);
            minutes.retain(|c| c.open_ms < minute);
            // Minutes of long before would leave a hole that looks like a quiet market.
            if minutes.last().is_none_or(|c| minute - c.open_ms > DAY) {
                minutes.clear();
            }
            days.retain(|c| c.open_ms < day);
            shift(&mut minutes, Interval::M1.span(now).0 - minute);
            shift(&mut days, Interval::D1.span(now).0 - day);
        }
        End::Now(now) => {
            if let Some(last) = minutes.last() {
                let first_day = Interval::D1.span(minutes.first().map_or(0, |c| c.open_ms)).0;
                days.retain(|c| c.open_ms < first_day);
                let by = Interval::M1.span(now).0 - last.open_ms;
                shift(&mut minutes, by);
                // Days move by whole days, so that they end before the first day of the minutes.
                shift(&mut days, Interval::D1.span(first_day + by).0 - first_day);
                append_days(&mut days, &minutes);
            } else if let Some(last) = days.last().map(|c| c.open_ms) {
                shift(&mut days, Interval::D1.span(now).0 - last);
            }
        }
    }
    Ok((minutes, days))
}

/// Days made of minutes, after days that were recorded as such.
fn append_days(days: &mut Vec<Candle>, minutes: &[Candle]) {
    let recorded = days.last().map_or(Ms::MIN, |d| d.open_ms);
    for minute in minutes {
        let open_ms = Interval::D1.span(minute.open_ms).0;
        match days.last_mut() {
            Some(day) if day.open_ms == open_ms && open_ms > recorded => day.join(minute),
            Some(day) if day.open_ms >= open_ms => {}
            _ => days.push(Candle { open_ms, ..*minute }),
        }
    }
}
