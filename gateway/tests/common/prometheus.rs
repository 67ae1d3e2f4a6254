//! A strict reader of Prometheus' text form: what it takes, Prometheus takes.

use std::collections::{BTreeMap, BTreeSet};

/// Labels by name.
pub(crate) type Labels = BTreeMap<String, String>;

/// Families by name.
#[derive(Debug)]
pub(crate) struct Scrape {
    pub(crate) families: BTreeMap<String, Family>,
}

/// One family.
#[derive(Debug, Default)]
pub(crate) struct Family {
    pub(crate) kind: String,
    /// Name with its suffix, labels, value.
    pub(crate) samples: Vec<(String, Labels, f64)>,
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Reads `name="value",…}` and gives what is behind it.
fn labels(mut text: &str) -> (Labels, &str) {
    let mut found = Labels::new();
    loop {
        let (name, rest) = text.split_once("=\"").unwrap_or_else(|| panic!("no label: {text}"));
        assert!(is_name(name), "{name} is no name of a label");
        let (mut value, mut chars) = (String::new(), rest.char_indices());
        let end = loop {
            match chars.next().unwrap_or_else(|| panic!("a label does not end: {text}")) {
                (at, '"') => break at,
                (_, '\\') => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, c @ ('\\' | '"'))) => value.push(c),
                    other => panic!("not escaped: {other:?} in {text}"),
                },
                (_, c) => value.push(c),
            }
        };
        assert!(found.insert(name.to_owned(), value).is_none(), "{name} comes twice");
        match rest[end + 1..].chars().next() {
            Some(',') => text = &rest[end + 2..],
            Some('}') => return (found, &rest[end + 2..]),
            other => panic!("{other:?} after a label: {text}"),
        }
    }
}

fn sample(line: &str) -> (String, Labels, f64) {
    let end = line.find(['{', ' ']).unwrap_or_else(|| panic!("no value: {line}"));
    let (name, rest) = line.split_at(end);
    assert!(is_name(name), "{name} is no name");
    let (labels, rest) = if let Some(inside) = rest.strip_prefix('{') { labels(inside) } else { (Labels::new(), rest) };
    let value = rest.strip_prefix(' ').unwrap_or_else(|| panic!("no space before the value: {line}"));
    let value = value.parse().unwrap_or_else(|e| panic!("{value}: {e}: {line}"));
    (name.to_owned(), labels, value)
}

impl Scrape {
    /// Reads a scrape; panics at the first thing that is not as it must be.
    pub(crate) fn read(text: &str) -> Scrape {
        assert!(text.ends_with('\n'), "the last line ends");
        let mut families: BTreeMap<String, Family> = BTreeMap::new();
        let (mut helped, mut current) = (BTreeSet::new(), String::new());
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, words) = help.split_once(' ').expect("a family has a help text");
                assert!(helped.insert(name.to_owned()) && words.len() > 5, "{name} is explained once");
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a family has a type");
                assert!(helped.contains(name) && !families.contains_key(name), "{name} is announced once");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{kind}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
                families.insert(name.to_owned(), Family { kind: kind.to_owned(), samples: Vec::new() });
                current = name.to_owned();
            } else {
                let (name, labels, value) = sample(line);
                let family = families.get_mut(&current).unwrap_or_else(|| panic!("{name} is not announced"));
                let suffixes: &[&str] = if family.kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
                let fits = suffixes.iter().any(|s| name.strip_suffix(s) == Some(&current));
                assert!(fits, "{name} stands among those of {current}");
                assert!(value.is_finite(), "{line}");
                let again = family.samples.iter().any(|(n, l, _)| *n == name && *l == labels);
                assert!(!again, "twice: {line}");
                family.samples.push((name, labels, value));
            }
        }
        let scrape = Scrape { families };
        scrape.families.iter().filter(|(_, family)| family.kind == "histogram").for_each(|(name, f)| buckets(name, f));
        scrape
    }

    /// The sum of the samples of a name whose labels are these, others aside.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let all = self.families.values().flat_map(|family| &family.samples).filter(|(n, ..)| n == name);
        let fits = |l: &Labels| labels.iter().all(|(k, v)| l.get(*k).is_some_and(|value| value == v));
        let found: Vec<f64> = all.filter(|(_, l, _)| fits(l)).map(|(.., value)| *value).collect();
        assert!(!found.is_empty(), "no {name} with {labels:?}");
        found.iter().sum()
    }
}

/// One histogram: bounds with what lies below them, its count, whether it has a sum.
#[derive(Default)]
struct Series {
    buckets: Vec<(f64, f64)>,
    count: Option<f64>,
    sum: bool,
}

/// Buckets are cumulative and end with the count.
fn buckets(name: &str, family: &Family) {
    let mut series: BTreeMap<Labels, Series> = BTreeMap::new();
    for (sample, labels, value) in &family.samples {
        let mut labels = labels.clone();
        let le = labels.remove("le");
        let entry = series.entry(labels).or_default();
        match sample.strip_prefix(name) {
            Some("_bucket") => {
                let le = le.unwrap_or_else(|| panic!("a bucket of {name} has no bound"));
                entry.buckets.push((le.parse().unwrap_or_else(|e| panic!("{le}: {e}")), *value));
            }
            Some("_count") => entry.count = Some(*value),
            _ => entry.sum = true,
        }
    }
    for (labels, Series { buckets, count, sum }) in series {
        let grows = buckets.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        assert!(grows && sum, "{name}{labels:?}: {buckets:?}");
        let (last, all) = *buckets.last().unwrap_or_else(|| panic!("{name}{labels:?} has no buckets"));
        assert!(last.is_infinite() && Some(all) == count, "{name}{labels:?} ends with {last}, {all} of {count:?}");
    }
}
