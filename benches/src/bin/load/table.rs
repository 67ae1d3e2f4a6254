//! Runs as a table of text, and how numbers are written.
//!
//! Owns: the final table, lines on the terminal. Never does: measure. Invariants: figures go to the standard output,
//! everything else to the standard error. Known limits: plain text.

use crate::recorder::Measured;
use std::io::Write;

/// A finished run.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// What it is called.
    pub(crate) name: String,
    /// What was asked of a second; none in a closed loop.
    pub(crate) offered: Option<f64>,
    /// What is counted: `orders`, `requests`, `messages`, `syncs`.
    pub(crate) unit: &'static str,
    /// What was measured.
    pub(crate) measured: Measured,
    /// Further findings: name and text.
    pub(crate) notes: Vec<(String, String)>,
}

/// A line on the standard error.
pub(crate) fn say(text: &str) {
    // Nobody need look on.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// A line about what is not as it should be.
pub(crate) fn warn(text: &str) {
    say(&format!("warning: {text}"));
}

/// A whole number with thousands apart.
pub(crate) fn whole(number: f64) -> String {
    let digits = format!("{:.0}", number.max(0.0));
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Milliseconds with three digits that count.
pub(crate) fn ms(millis: f64) -> String {
    match millis {
        m if m < 10.0 => format!("{m:.3}"),
        m if m < 100.0 => format!("{m:.2}"),
        m if m < 1_000.0 => format!("{m:.1}"),
        m => format!("{m:.0}"),
    }
}

/// Least and most of a list.
pub(crate) fn spread(values: &[f64], show: fn(f64) -> String) -> String {
    let (least, most) = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
    if values.is_empty() { "–".into() } else { format!("{}–{}", show(least), show(most)) }
}

/// Titles of the table's columns, and the cells of a run.
pub(crate) const COLUMNS: [&str; 12] = [
    "run",
    "offered/s",
    "achieved/s",
    "p50 ms",
    "p90 ms",
    "p99 ms",
    "p99.9 ms",
    "max ms",
    "errors",
    "windows p50",
    "windows p99",
    "windows achieved",
];

/// The cells of a run.
pub(crate) fn cells(run: &Run) -> [String; 12] {
    let m = &run.measured;
    [
        run.name.clone(),
        run.offered.map_or_else(|| "closed".into(), whole),
        whole(m.rate()),
        ms(m.at(0.5)),
        ms(m.at(0.9)),
        ms(m.at(0.99)),
        ms(m.at(0.999)),
        ms(m.latency.max() as f64 / 1_000.0),
        whole(m.errors.values().sum::<u64>() as f64),
        spread(&m.each(0.5), ms),
        spread(&m.each(0.99), ms),
        spread(&m.rates(), whole),
    ]
}

/// All runs as a table; errors and findings behind an empty line.
pub(crate) fn text(runs: &[Run]) -> String {
    let rows: Vec<[String; 12]> = runs.iter().map(cells).collect();
    let width = |i: usize| {
        let longest = rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
        longest.max(COLUMNS[i].chars().count())
    };
    let line = |cells: [&str; 12]| {
        let padded = cells.iter().enumerate().map(|(i, cell)| {
            let gap = " ".repeat(width(i) - cell.chars().count());
            if i == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut out = line(COLUMNS);
    for row in &rows {
        out.push('\n');
        out += &line(std::array::from_fn(|i| row[i].as_str()));
    }
    out.push('\n');
    for run in runs {
        let errors = run.measured.errors.iter().map(|(kind, count)| (format!("error: {kind}"), count.to_string()));
        for (name, text) in run.notes.iter().cloned().chain(errors) {
            out += &format!("\n{}: {name}: {text}", run.name);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_so_that_they_can_be_read() {
        assert_eq!([0.0, 999.4, 1_000.0, 1_234_567.0].map(whole), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.2314, 12.345, 123.45, 4_321.0].map(ms), ["0.231", "12.35", "123.5", "4321"]);
        assert_eq!(spread(&[3.0, 1.0, 2.0], whole), "1–3");
    }
}
