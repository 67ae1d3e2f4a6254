//! The quiet demo is a part of the shipped one.

use crate::client::{QUIET_MARKETS, WHOLE_DEMO};
use toml::{Table, Value};

fn markets(path: &str) -> Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// The entries of a list are among those of the other one.
fn is_part_of(name: &str, few: &[Value], all: &[Value]) {
    assert!(few.iter().all(|entry| all.contains(entry)), "each {name} is one of the shipped");
}

/// What is listed in it is converted there, too, and all else is the same.
fn converts_a_part(few: &Table, all: &Table) {
    let listed = |table: &Table| table["assets"].as_array().cloned().unwrap();
    is_part_of("converted asset", &listed(few), &listed(all));
    let alike = Table::from_iter(all.clone().into_iter().chain([("assets".to_owned(), few["assets"].clone())]));
    assert_eq!(*few, alike);
}

/// Options are offered by the same settings; they are shorter, cost a fee, and their caps are within reach.
fn offers_shorter_options(few: &Table, all: &Table) {
    assert!(few.keys().eq(all.keys()), "{few:?}");
    let pairs = |table: &Table| table["pairs"].as_array().cloned().unwrap();
    is_part_of("pair with options", &pairs(few), &pairs(all));
}

#[test]
fn the_quiet_demo_lists_two_pairs_as_the_shipped_one_does() {
    let (quiet, whole) = (markets(QUIET_MARKETS), markets(&format!("../{}", WHOLE_DEMO.1)));
    assert!(quiet.keys().eq(whole.keys()), "{quiet:?}");
    for (name, listed) in &quiet {
        match (listed, &whole[name]) {
            (Value::Array(few), Value::Array(all)) => is_part_of(name, few, all),
            (Value::Table(few), Value::Table(all)) if name == "convert" => converts_a_part(few, all),
            (Value::Table(few), Value::Table(all)) if name == "seconds" => offers_shorter_options(few, all),
            (few, all) => assert_eq!(few, all, "{name}"),
        }
    }
    assert_eq!(quiet["market"].as_array().map(Vec::len), Some(2));
}
