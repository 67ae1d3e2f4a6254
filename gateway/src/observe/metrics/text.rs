//! Prometheus' text form, version 0.0.4.
//!
//! Owns: how a family, its samples and a histogram are written. Never does: know what is measured.
//! Invariants: a family is announced once, before its samples; buckets are cumulative and end with `+Inf`, which equals
//! the count. Known limits: no exemplars, no times.

use std::fmt::{Display, Write};
use xng_core::histogram::Histogram;

/// The text as it grows.
#[derive(Debug, Default)]
pub struct Text(String);

/// One family: samples of one name.
#[derive(Debug)]
pub struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

/// A label: name and value.
pub type Label<'a> = (&'static str, &'a str);

impl Text {
    fn family(&mut self, name: &'static str, kind: &str, help: &str) -> Family<'_> {
        push(&mut self.0, format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
        Family { text: &mut self.0, name }
    }

    /// What only grows; its name ends with `_total`.
    pub fn counter(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "counter", help)
    }

    /// What goes up and down.
    pub fn gauge(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "gauge", help)
    }

    /// Counts by size.
    pub fn histogram(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "histogram", help)
    }

    /// All of it.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes whatever is written to it");
}

impl Family<'_> {
    /// One sample.
    pub fn sample(&mut self, labels: &[Label<'_>], value: impl Display) -> &mut Self {
        self.line("", labels, None, value);
        self
    }

    /// The sample of a family without labels.
    pub fn is(&mut self, value: impl Display) {
        self.sample(&[], value);
    }

    /// A histogram's samples; `per_unit` of its counts are one of the family's unit (1,000,000 for microseconds told in
    /// seconds).
    pub fn buckets(&mut self, labels: &[Label<'_>], histogram: &Histogram, per_unit: f64) -> &mut Self {
        let sum = histogram.sum();
        let mut so_far = 0;
        for (n, count) in histogram.counts().into_iter().enumerate() {
            so_far += count;
            match histogram.bounds().get(n) {
                Some(bound) => {
                    let le = (*bound as f64 / per_unit).to_string();
                    self.line("_bucket", labels, Some(&le), so_far);
                }
                None => self.line("_bucket", labels, Some("+Inf"), so_far),
            }
        }
        self.line("_sum", labels, None, sum as f64 / per_unit);
        self.line("_count", labels, None, so_far);
        self
    }

    fn line(&mut self, suffix: &str, labels: &[Label<'_>], le: Option<&str>, value: impl Display) {
        self.text.push_str(self.name);
        self.text.push_str(suffix);
        let all = labels.iter().copied().chain(le.map(|le| ("le", le)));
        for (n, (name, value)) in all.enumerate() {
            push(self.text, format_args!("{}{name}=\"", if n == 0 { '{' } else { ',' }));
            for c in value.chars() {
                match c {
                    '\\' => self.text.push_str("\\\\"),
                    '"' => self.text.push_str("\\\""),
                    '\n' => self.text.push_str("\\n"),
                    c => self.text.push(c),
                }
            }
            self.text.push('"');
        }
        if !labels.is_empty() || le.is_some() {
            self.text.push('}');
        }
        push(self.text, format_args!(" {value}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_announced_and_labels_are_escaped() {
        let mut text = Text::default();
        text.gauge("xng_age_seconds", "How old.").sample(&[("symbol", "a\"b\\c\nd")], 1.5).sample(&[], -2);
        let expected = "# HELP xng_age_seconds How old.\n# TYPE xng_age_seconds gauge\n\
                        xng_age_seconds{symbol=\"a\\\"b\\\\c\\nd\"} 1.5\nxng_age_seconds -2\n";
        assert_eq!(text.finish(), expected);
    }

    #[test]
    fn buckets_are_cumulative_and_in_the_familys_unit() {
        let histogram = Histogram::new(&[50, 150]);
        [10, 50, 100, 1_000].into_iter().for_each(|micros| histogram.record(micros));
        let mut text = Text::default();
        text.histogram("x_seconds", "X.").buckets(&[("route", "/a")], &histogram, 1e6);
        let text = text.finish();
        let samples: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            samples,
            [
                "x_seconds_bucket{route=\"/a\",le=\"0.00005\"} 2",
                "x_seconds_bucket{route=\"/a\",le=\"0.00015\"} 3",
                "x_seconds_bucket{route=\"/a\",le=\"+Inf\"} 4",
                "x_seconds_sum{route=\"/a\"} 0.00116",
                "x_seconds_count{route=\"/a\"} 4",
            ]
        );
    }
}
