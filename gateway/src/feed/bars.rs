//! Recorded bars of a stock as its price: one bar after the other in the venue's sessions, with a random walk inside each.
//!
//! Owns: the bars of one stock, and its price at a time. Never does: make a price outside of a bar. Invariants: the same file and
//! time give the same price; within a bar it goes from its open by its extremes to its close. Known limits: a session's date
//! selects the bars, which were recorded on other dates; after the last bar the first one follows; volumes are not used.
//! Rules: `docs/rules/prices.md "Recorded bars"`.

use super::recorded::{RecordedError, Table};
use super::simulator::rng::{Draws, Rng};
use crate::common::time::Ms;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xng_core::money::Amount;
use xng_core::stock::calendar::Session;

const MINUTE: Ms = 60_000;
const DAY: Ms = 86_400_000;
/// Minutes that a day of a US venue has: so many bars of a minute stand for a date.
const MINUTES_A_DAY: Ms = 390;
/// Steps of the walk inside a bar.
const WALK_MS: Ms = 2_000;
/// The standard deviation of the walk around the line between the bar's prices, as a part of the bar's range.
const WALK: f64 = 0.08;

/// Open, high, low, close.
type Bar = [f64; 4];

/// The bars of one stock.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    bars: Vec<Bar>,
    /// Each is a minute; otherwise a day.
    minutes: bool,
}

/// The newest file of a stock's bars among those of a folder: of minutes where there are such.
#[must_use]
pub fn file<'f>(code: &str, files: &'f BTreeMap<String, PathBuf>) -> Option<&'f PathBuf> {
    let code = code.to_ascii_lowercase();
    let named = |names: [String; 2]| {
        let is_it = |file: &str| names.iter().any(|name| file == name || file.starts_with(&format!("{name}_20")));
        files.iter().rev().find(|(file, _)| is_it(file)).map(|(_, path)| path)
    };
    let periods = ["1m", "1d"].map(|period| [format!("{code}_{period}"), format!("{code}_hk_{period}")]);
    let [minutes, days] = periods;
    named(minutes).or_else(|| named(days))
}

fn float(amount: Amount) -> f64 {
    amount.0 as f64 / 1e8
}

/// Reads a file of bars: `open_time_ms` or `date`, and `open`, `high`, `low`, `close`, in money or in parts of ten thousand. What
/// is from before a split is told in new shares.
///
/// # Errors
/// A file that cannot be read, or a row that is no bar.
pub fn read(path: &Path, splits: &[(Ms, f64)]) -> Result<Bars, RecordedError> {
    let mut table = Table::open(path)?;
    let minutes = table.has("open_time_ms");
    let (columns, scale) = if table.has("open") {
        (["open", "high", "low", "close"], 1.0)
    } else {
        (["open_x10000", "high_x10000", "low_x10000", "close_x10000"], 1e4)
    };
    let mut bars = Vec::new();
    while table.advance()? {
        let mut bar = [0.0; 4];
        for (value, column) in bar.iter_mut().zip(columns) {
            *value = float(table.rounded(column)?) / scale;
        }
        let [open, high, low, close] = bar;
        let sound = low > 0.0 && (low..=high).contains(&open) && (low..=high).contains(&close);
        if !sound {
            return Err(table.wrong(columns[2]));
        }
        let scale = if splits.is_empty() { 1.0 } else { later(splits, time(&table, minutes)?) };
        bars.push(bar.map(|price| price * scale));
    }
    if bars.is_empty() { Err(RecordedError::Nothing { path: path.to_owned() }) } else { Ok(Bars { bars, minutes }) }
}

/// When a row's bar began.
fn time(table: &Table, minutes: bool) -> Result<Ms, RecordedError> {
    if minutes {
        return table.value("open_time_ms");
    }
    let date: jiff::civil::Date = table.value("date")?;
    let day = date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| table.wrong("date"))?;
    Ok(day.timestamp().as_millisecond())
}

/// What the splits after a time make of its price.
fn later(splits: &[(Ms, f64)], time: Ms) -> f64 {
    splits.iter().filter(|(at, _)| *at > time).map(|(_, ratio)| ratio).product()
}

/// How much of its day's sessions has passed by a time, and how long they are in all; none outside of sessions.
fn of_day(sessions: &[Session], now: Ms) -> Option<(Ms, Ms)> {
    let at = now.max(0).cast_unsigned();
    let current = sessions.iter().position(|s| s.open_ms <= at && at < s.close_ms)?;
    let first = sessions[..current].iter().rposition(|s| s.last).map_or(0, |before| before + 1);
    let last = sessions[current..].iter().position(|s| s.last).map_or(current, |after| current + after);
    let length = |s: &Session| (s.close_ms - s.open_ms).cast_signed();
    let before: Ms = sessions[first..current].iter().map(length).sum();
    let all = sessions[first..=last].iter().map(length).sum();
    Some((before + now - sessions[current].open_ms.cast_signed(), all))
}

impl Bars {
    /// The same bars after a split.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Bars {
        Bars { bars: self.bars.iter().map(|bar| bar.map(|price| price * by)).collect(), minutes: self.minutes }
    }

    /// The price now, or when the latest session ended.
    #[must_use]
    pub fn last_price(&self, sessions: &[Session], now: Ms) -> Option<f64> {
        let ended = sessions.iter().rev().map(|s| s.close_ms.cast_signed() - 1).find(|close| *close < now);
        self.price(sessions, now).or_else(|| self.price(sessions, ended?))
    }

    /// The price at a time of a session.
    #[must_use]
    pub fn price(&self, sessions: &[Session], now: Ms) -> Option<f64> {
        let (passed, all) = of_day(sessions, now)?;
        let date = now.div_euclid(DAY);
        let (number, part) = if self.minutes {
            (date * MINUTES_A_DAY + passed / MINUTE, (passed % MINUTE) as f64 / MINUTE as f64)
        } else {
            (date, passed as f64 / all as f64)
        };
        let number = number.rem_euclid(self.bars.len() as Ms) as usize;
        Some(within(&self.bars[number], part, now))
    }
}

/// The price at a part of a bar.
fn within(&[open, high, low, close]: &Bar, part: f64, now: Ms) -> f64 {
    let turns = if close >= open { [open, low, high, close] } else { [open, high, low, close] };
    let places = [0.0, 0.3, 0.7, 1.0];
    let leg = places.windows(2).position(|pair| part <= pair[1]).unwrap_or(2);
    let share = (part - places[leg]) / (places[leg + 1] - places[leg]);
    let way = turns[leg] + (turns[leg + 1] - turns[leg]) * share;
    let step = now.div_euclid(WALK_MS).cast_unsigned();
    let away = Rng::new(step, open.to_bits() ^ close.to_bits()).normal() * WALK * (high - low);
    (way + away).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aapl_1m_2016.csv.gz");
        let mut file = GzEncoder::new(std::fs::File::create(&path).unwrap(), Compression::fast());
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
        (folder, path)
    }

    fn day(start: u64) -> [Session; 2] {
        let morning = Session { open_ms: start, close_ms: start + 600_000, last: false };
        [morning, Session { open_ms: start + 900_000, close_ms: start + 1_500_000, last: true }]
    }

    #[test]
    fn bars_are_read_in_both_forms_and_what_is_no_bar_is_refused() {
        let (_folder, path) =
            written("open_time_ms,open,high,low,close,volume\n1,249.39999389648438,250,248,249.5,10\n");
        assert_eq!(
            read(&path, &[]).unwrap(),
            Bars { bars: vec![[249.399_993_89, 250.0, 248.0, 249.5]], minutes: true }
        );
        let (_folder, path) = written(
            "open_time_ms,open_x10000,high_x10000,low_x10000,close_x10000,volume\n1,6448000,6450000,6448000,6449000,90\n",
        );
        assert_eq!(read(&path, &[]).unwrap().bars, [[644.8, 645.0, 644.8, 644.9]]);
        let (_folder, path) = written("date,open,high,low,close,volume\n2020-01-01,1,2,1.5,1.6,1\n");
        assert!(read(&path, &[]).is_err(), "the open is below the lowest");
        let (_folder, path) = written("date,open,high,low,close,volume\n");
        assert!(read(&path, &[]).is_err(), "nothing to play");
    }

    #[test]
    fn bars_from_before_a_split_are_told_in_new_shares() {
        let split = 1_600_000_000_000;
        let (_folder, path) =
            written("open_time_ms,open,high,low,close\n1599999999999,400,400,400,400\n1600000000000,100,100,100,100\n");
        assert_eq!(read(&path, &[(split, 0.25)]).unwrap().bars, [[100.0; 4]; 2]);
        let (_folder, path) = written("date,open,high,low,close\n2020-09-12,400,400,400,400\n2020-09-15,50,50,50,50\n");
        let both = read(&path, &[(split, 0.25), (split + DAY, 0.5)]).unwrap();
        assert_eq!(both.bars, [[50.0; 4], [50.0; 4]]);
        assert_eq!(both.scaled(0.5).bars, [[25.0; 4]; 2]);
    }

    #[test]
    fn the_newest_minutes_of_a_stock_are_played_and_days_where_there_are_none() {
        let names = ["aapl_1d", "aapl_1m", "aapl_1m_2016", "aapl_1m_202603", "0700_hk_1d", "aaplx_1m"];
        let files = names.map(|name| (name.to_owned(), PathBuf::from(name))).into();
        let found = |code| file(code, &files).map(|path| path.to_str().unwrap());
        assert_eq!(found("AAPL"), Some("aapl_1m_202603"));
        assert_eq!((found("0700"), found("TSLA")), (Some("0700_hk_1d"), None));
    }

    #[test]
    fn a_day_of_two_sessions_plays_one_bar_or_a_bar_a_minute_and_stays_within_each() {
        let start = 20_000 * 86_400_000_u64;
        let sessions = day(start);
        let at = |minute: u64| (start + minute * 60_000).cast_signed();
        let days = Bars { bars: vec![[10.0, 12.0, 9.0, 11.0]; 3], minutes: false };
        let within = |minute| days.price(&sessions, at(minute)).unwrap();
        assert!((within(0) - 10.0).abs() < 0.9 && (0..10).chain(15..25).all(|m| (9.0..=12.0).contains(&within(m))));
        assert_eq!((days.price(&sessions, at(12)), days.price(&sessions, at(25))), (None, None), "break and close");
        let bars: Vec<Bar> = (0..7).map(|n| [100.0 + f64::from(n); 4]).collect();
        let minutes = Bars { bars, minutes: true };
        let first = (20_000 * 390_i64).rem_euclid(7);
        let played = |minute| minutes.price(&sessions, at(minute)).unwrap();
        assert_eq!(played(0), 100.0 + first as f64);
        assert_eq!(played(15), 100.0 + ((first + 10) % 7) as f64, "the break plays nothing");
    }
}
