//! What a report says: numbers of days, by keys.
//!
//! Owns: [`Sheet`]: its totals, how it stands in a page's answer and in a file. Never does: read a store. Invariants: a total of sums is
//! the sum of its days; of waits it is of all of them together, not of the days' figures. Known limits: all of it is in memory.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use xng_core::money::Amount;
use xng_export::{Table, Values, date};

/// A number of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Count(u64),
    Amount(Amount),
    Seconds(u64),
}

impl Number {
    fn add(&mut self, other: Number) {
        match (self, other) {
            (Number::Count(sum), Number::Count(n)) | (Number::Seconds(sum), Number::Seconds(n)) => *sum += n,
            (Number::Amount(sum), Number::Amount(amount)) => *sum += amount,
            (Number::Count(_) | Number::Seconds(_) | Number::Amount(_), _) => unreachable!("a measure is of one kind"),
        }
    }

    fn text(self) -> String {
        match self {
            Number::Count(n) | Number::Seconds(n) => n.to_string(),
            Number::Amount(amount) => amount.to_string(),
        }
    }
}

/// What is measured, and in what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Count,
    Amount,
    Seconds,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Count => "count",
            Kind::Amount => "amount",
            Kind::Seconds => "seconds",
        }
    }

    fn zero(self) -> Number {
        match self {
            Kind::Count => Number::Count(0),
            Kind::Amount => Number::Amount(Amount::ZERO),
            Kind::Seconds => Number::Seconds(0),
        }
    }
}

/// The columns of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) keys: &'static [&'static str],
    pub(super) measures: &'static [(&'static str, Kind)],
}

/// What of waits is told.
pub(super) const OF_WAITS: &[(&str, Kind)] =
    &[("count", Kind::Count), ("median_s", Kind::Seconds), ("p90_s", Kind::Seconds), ("longest_s", Kind::Seconds)];

#[derive(Debug, Default)]
struct Line {
    total: Vec<Number>,
    days: BTreeMap<u32, Vec<Number>>,
}

/// See the module's header.
#[derive(Debug)]
pub(super) struct Sheet {
    head: Head,
    lines: BTreeMap<Vec<String>, Line>,
}

impl Sheet {
    /// Numbers that add up: the keys of each, its day, one number a measure.
    pub(super) fn of_sums(head: Head, parts: impl IntoIterator<Item = (Vec<String>, u32, Vec<Number>)>) -> Sheet {
        let mut lines: BTreeMap<Vec<String>, Line> = BTreeMap::new();
        for (key, day, numbers) in parts {
            let line = lines.entry(key).or_default();
            for sums in [&mut line.total, line.days.entry(day).or_default()] {
                sums.extend(head.measures[sums.len()..].iter().map(|(_, kind)| kind.zero()));
                sums.iter_mut().zip(&numbers).for_each(|(sum, number)| sum.add(*number));
            }
        }
        Sheet { head, lines }
    }

    /// Waits: what was waited for, the day it began, how many milliseconds.
    pub(super) fn of_waits(
        key: &'static [&'static str],
        waits: impl IntoIterator<Item = (&'static str, u32, u64)>,
    ) -> Sheet {
        let mut all: BTreeMap<&str, BTreeMap<u32, Vec<u64>>> = BTreeMap::new();
        for (what, day, took_ms) in waits {
            all.entry(what).or_default().entry(day).or_default().push(took_ms / 1_000);
        }
        let line = |days: BTreeMap<u32, Vec<u64>>| Line {
            total: figures(days.values().flatten().copied().collect()),
            days: days.into_iter().map(|(day, waits)| (day, figures(waits))).collect(),
        };
        let lines = all.into_iter().map(|(what, days)| (vec![what.to_owned()], line(days))).collect();
        Sheet { head: Head { keys: key, measures: OF_WAITS }, lines }
    }

    /// How many numbers a page would have.
    pub(super) fn numbers(&self, days: &Range<u32>) -> usize {
        self.lines.len() * self.head.measures.len() * days.len()
    }

    /// As a page has it: of each line its totals and, a list a measure, its days.
    pub(super) fn json(&self, days: Range<u32>) -> Value {
        let measures = self.head.measures;
        let of_days = |line: &Line, measure: usize| -> Vec<String> {
            let number = |day| line.days.get(&day).map_or(measures[measure].1.zero(), |numbers| numbers[measure]);
            days.clone().map(|day| number(day).text()).collect()
        };
        let row = |(key, line): (&Vec<String>, &Line)| {
            let total: Vec<String> = line.total.iter().map(|number| number.text()).collect();
            let days: Vec<Vec<String>> = (0..measures.len()).map(|measure| of_days(line, measure)).collect();
            json!({ "key": key, "total": total, "days": days })
        };
        let measure = |(name, kind): &(&str, Kind)| json!({ "name": name, "kind": kind.name() });
        json!({ "keys": self.head.keys, "measures": measures.iter().map(measure).collect::<Vec<_>>(),
            "days": days.clone().map(date).collect::<Vec<_>>(), "rows": self.lines.iter().map(row).collect::<Vec<_>>() })
    }

    /// As a file has it: a row for each day of each line.
    pub(super) fn table(&self, stamp: Vec<(&'static str, String)>) -> Table {
        let mut rows: Vec<(u32, &Vec<String>, &Vec<Number>)> = self
            .lines
            .iter()
            .flat_map(|(key, line)| line.days.iter().map(move |(day, numbers)| (*day, key, numbers)))
            .collect();
        rows.sort_by_key(|(day, key, _)| (*day, *key));
        let mut columns = vec![("day", Values::Days(rows.iter().map(|(day, ..)| *day).collect()))];
        for (at, name) in self.head.keys.iter().enumerate() {
            columns.push((name, Values::Texts(rows.iter().map(|(_, key, _)| key[at].clone()).collect())));
        }
        for (at, (name, kind)) in self.head.measures.iter().enumerate() {
            let numbers = rows.iter().map(|(.., numbers)| numbers[at]);
            let values = match kind {
                Kind::Count | Kind::Seconds => Values::Counts(numbers.filter_map(count).collect()),
                Kind::Amount => Values::Amounts(numbers.filter_map(amount).collect()),
            };
            columns.push((name, values));
        }
        Table { columns, stamp }
    }
}

fn count(number: Number) -> Option<u64> {
    match number {
        Number::Count(n) | Number::Seconds(n) => Some(n),
        Number::Amount(_) => None,
    }
}

fn amount(number: Number) -> Option<Amount> {
    match number {
        Number::Amount(amount) => Some(amount),
        Number::Count(_) | Number::Seconds(_) => None,
    }
}

/// What is told of waits, by nearest rank.
fn figures(mut waits: Vec<u64>) -> Vec<Number> {
    waits.sort_unstable();
    let ranked = |percent: usize| {
        let rank = (waits.len() * percent).div_ceil(100);
        Number::Seconds(waits.get(rank.saturating_sub(1)).copied().unwrap_or_default())
    };
    vec![Number::Count(waits.len() as u64), ranked(50), ranked(90), ranked(100)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use xng_core::money::ONE;

    const MONEY: Head = Head { keys: &["who"], measures: &[("moves", Kind::Count), ("total", Kind::Amount)] };

    fn part(who: &str, day: u32, moves: u64, units: i128) -> (Vec<String>, u32, Vec<Number>) {
        (vec![who.to_owned()], day, vec![Number::Count(moves), Number::Amount(Amount(units * ONE / 2))])
    }

    fn money() -> Sheet {
        Sheet::of_sums(
            MONEY,
            [part("users", 10, 2, 3), part("fee", 11, 1, 1), part("users", 10, 1, 1), part("users", 12, 4, -9)],
        )
    }

    #[test]
    fn sums_are_of_days_and_totals_of_all_days() {
        assert_eq!(money().numbers(&(10..13)), 12);
        assert_eq!(
            money().json(10..13),
            json!({ "keys": ["who"],
                "measures": [{ "name": "moves", "kind": "count" }, { "name": "total", "kind": "amount" }],
                "days": ["1970-01-11", "1970-01-12", "1970-01-13"],
                "rows": [
                    { "key": ["fee"], "total": ["1", "0.5"], "days": [["0", "1", "0"], ["0", "0.5", "0"]] },
                    { "key": ["users"], "total": ["7", "-2.5"], "days": [["3", "0", "4"], ["2", "0", "-4.5"]] },
                ] })
        );
    }

    #[test]
    fn a_file_has_a_row_for_each_day_in_order() {
        let made = money().table(vec![("record", "5".into())]).csv().unwrap();
        let lines =
            "# record 5\nday,who,moves,total\n1970-01-11,users,3,2\n1970-01-12,fee,1,0.5\n1970-01-13,users,4,-4.5\n";
        assert_eq!(String::from_utf8(made).unwrap(), lines);
        assert!(money().table(Vec::new()).parquet().unwrap().starts_with(b"PAR1"));
    }

    #[test]
    fn waits_of_all_days_are_ranked_together() {
        let waits = (1..=9).map(|n| ("paid", 10, n * 1_000)).chain([("paid", 11, 100_999), ("answered", 11, 0)]);
        let told = Sheet::of_waits(&["what"], waits).json(10..12);
        assert_eq!(told["rows"][1]["key"], json!(["paid"]));
        assert_eq!(told["rows"][1]["total"], json!(["10", "5", "9", "100"]));
        assert_eq!(told["rows"][1]["days"], json!([["9", "1"], ["5", "100"], ["9", "100"], ["9", "100"]]));
        assert_eq!(told["rows"][0]["total"], json!(["1", "0", "0", "0"]));
    }

    #[test]
    fn nothing_is_no_row() {
        let none = Sheet::of_sums(MONEY, []);
        assert_eq!(none.json(1..2)["rows"], json!([]));
        assert_eq!(none.table(Vec::new()).csv().unwrap(), b"# \nday,who,moves,total\n");
    }
}
