//! The quiet demo is a part of the shipped one.

use crate::client::{QUIET_MARKETS, WHOLE_DEMO};
use toml::{Table, Value};

fn markets(path: &str) -> Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

#[test]
fn the_quiet_demo_lists_two_pairs_as_the_shipped_one_does() {
    let (quiet, whole) = (markets(QUIET_MARKETS), markets(&format!("../{}", WHOLE_DEMO.1)));
    assert!(quiet.keys().eq(whole.keys()), "{quiet:?}");
    for (name, listed) in &quiet {
        match (listed, &whole[name]) {
            (Value::Array(few), Value::Array(all)) => {
                assert!(few.iter().all(|entry| all.contains(entry)), "each {name} is one of the shipped");
            }
            (few, all) => assert_eq!(few, all, "{name}"),
        }
    }
    assert_eq!(quiet["market"].as_array().map(Vec::len), Some(2));
}
