//! The quiet demo is a part of the shipped one.

use crate::client::{QUIET_MARKETS, WHOLE_DEMO};
use toml::{Table, Value};

fn markets(path: &str) -> Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// A list has entries of the other list; what is no list is the same.
fn is_part_of(name: &str, few: &Value, all: &Value) {
    match (few, all) {
        (Value::Array(few), Value::Array(all)) => {
            assert!(few.iter().all(|entry| all.contains(entry)), "each {name} is one of the shipped");
        }
        (Value::Table(few), Value::Table(all)) => {
            assert!(few.keys().eq(all.keys()), "{name}");
            few.iter().for_each(|(field, value)| is_part_of(field, value, &all[field]));
        }
        (few, all) => assert_eq!(few, all, "{name}"),
    }
}

#[test]
fn the_quiet_demo_lists_two_pairs_as_the_shipped_one_does() {
    let (quiet, whole) = (markets(QUIET_MARKETS), markets(&format!("../{}", WHOLE_DEMO.1)));
    assert!(quiet.keys().eq(whole.keys()), "{quiet:?}");
    for (name, listed) in &quiet {
        is_part_of(name, listed, &whole[name]);
    }
    assert_eq!(quiet["market"].as_array().map(Vec::len), Some(2));
}
