//! What the address of a socket says: streams and the unit of times (`docs/rules/program-api.md "Streams"`).
//!
//! Owns: reading it. Never does: look a stream up. Invariants: a `+` is a `+`, as names of time zones have it; names may be
//! url-encoded or not. Known limits: what cannot be a name is left out, since clients connect to names that are none.

use super::control::MAX_NAME;
use crate::common::time::TimeUnit;
use percent_encoding::percent_decode_str;
use std::collections::BTreeSet;

fn names(list: &str) -> BTreeSet<String> {
    // A list that is encoded as a whole has its separators inside.
    let list = percent_decode_str(list).decode_utf8_lossy();
    list.split('/').filter(|n| !n.is_empty() && n.len() <= MAX_NAME).map(str::to_owned).collect()
}

fn field<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').filter_map(|pair| pair.split_once('=')).find(|(n, _)| *n == name).map(|(_, value)| value)
}

/// `/ws/a/b`.
pub(super) fn path_names(path: &str) -> BTreeSet<String> {
    path.strip_prefix("/ws").map(names).unwrap_or_default()
}

/// The folders of paths under which futures clients open their sockets; the first has all of them.
pub(super) const FUTURES: [&str; 7] =
    ["/fapi", "/public", "/market", "/private", "/fapi/public", "/fapi/market", "/fapi/private"];

/// `/public/ws/a/b` in such a folder, and `?listenKey=k`.
pub(super) fn futures_names(path: &str, query: &str) -> BTreeSet<String> {
    let below = FUTURES.iter().rev().find_map(|folder| path.strip_prefix(folder)).unwrap_or(path);
    let mut found = path_names(below);
    found.extend(query_names(query));
    found.extend(field(query, "listenKey").filter(|key| key.len() <= MAX_NAME).map(str::to_owned));
    found
}

/// `/stream?streams=a/b`.
pub(super) fn query_names(query: &str) -> BTreeSet<String> {
    field(query, "streams").map(names).unwrap_or_default()
}

/// `timeUnit` of the query; the error says what is wrong with it.
pub(super) fn time_unit(query: &str) -> Result<TimeUnit, &'static str> {
    match field(query, "timeUnit") {
        None => Ok(TimeUnit::Millis),
        Some(name) => TimeUnit::parse(name).ok_or("timeUnit is MILLISECOND or MICROSECOND"),
    }
}

/// `returnRateLimits` of the query: whether answers tell what is used; they do unless told not to.
pub(super) fn shows_limits(query: &str) -> bool {
    field(query, "returnRateLimits") != Some("false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_encoded_or_not() {
        let wanted = BTreeSet::from(["!miniTicker@arr".to_owned(), "btcusdt@kline_1d@+08:00".to_owned()]);
        for list in [
            "!miniTicker@arr/btcusdt@kline_1d@+08:00",
            "%21miniTicker%40arr/btcusdt%40kline_1d%40%2B08%3A00",
            "%21miniTicker%40arr%2Fbtcusdt%40kline_1d%40%2B08%3A00",
        ] {
            assert_eq!(path_names(&format!("/ws/{list}")), wanted, "{list}");
            assert_eq!(query_names(&format!("a=b&streams={list}&timeUnit=MICROSECOND")), wanted, "{list}");
        }
        assert!(path_names("/ws").is_empty() && path_names("/ws/").is_empty() && query_names("").is_empty());
        assert_eq!(path_names(&format!("/ws/0/{}", "x".repeat(MAX_NAME + 1))), BTreeSet::from(["0".to_owned()]));
    }

    #[test]
    fn futures_name_streams_in_folders_of_their_own() {
        let of = |path, query| futures_names(path, query).into_iter().collect::<Vec<String>>();
        assert_eq!(of("/public/ws/0", ""), ["0"]);
        assert_eq!(of("/fapi/market/stream", "streams=btcusdt@markPrice"), ["btcusdt@markPrice"]);
        assert_eq!(of("/private/ws", "listenKey=abc"), ["abc"]);
        assert_eq!(of("/fapi/ws/btcusdt@trade", ""), ["btcusdt@trade"]);
    }

    #[test]
    fn times_are_in_milliseconds_unless_asked_for_otherwise() {
        assert_eq!(time_unit("streams=a"), Ok(TimeUnit::Millis));
        assert_eq!(time_unit("streams=a&timeUnit=microsecond"), Ok(TimeUnit::Micros));
        assert!(time_unit("timeUnit=NANOSECOND").is_err());
    }
}
