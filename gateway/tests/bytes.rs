//! Any bytes where a form, a JSON body, a number or a socket's frame should be: read or refused, never a panic, never
//! memory without end. One test, so that nobody else's memory is measured.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use xng_gateway::edge;
use xng_gateway::http::params::Params;
use xng_gateway::ws::control;
use xng_gateway::ws::outbox::Mode;

const MOST_BYTES: u64 = 64 << 20;

/// The most address space that this process ever had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_024
}

/// What the parsers look for, among anything else.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"amount",
        b"=",
        b"&",
        b"%",
        b"%f",
        b"%41",
        b"+",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b":",
        b",",
        b"null",
        b"1e999",
        b"-0",
        b"0.00000001",
        b"99999999999999999999999999999999999999",
        b"\\ud800",
        b"method",
        b"SUBSCRIBE",
        b"UNSUBSCRIBE",
        b"params",
        b"id",
        b"event",
        b"login",
        b"\xff",
        b"true",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => proptest::collection::vec(any::<u8>(), 0..9),
    ];
    let repeated = (piece, prop_oneof![9 => Just(1), 1 => 1..3_000_usize]).prop_map(|(piece, n)| piece.repeat(n));
    proptest::collection::vec(repeated, 0..30).prop_map(|pieces| pieces.concat())
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-+]?[0-9]{0,45}([.][0-9]{0,45})?(e[0-9]{1,4})?",
        ".{0,50}",
        "[0-9.\u{0660}-\u{0669}\u{ff10}-\u{ff19}]{0,9}"
    ]
}

fn frame() -> impl Strategy<Value = String> {
    let names = proptest::collection::vec(".{0,70}", 0..220);
    let made = (names, ".{0,40}", proptest::sample::select(vec!["SUBSCRIBE", "UNSUBSCRIBE", "SET_PROPERTY", "x"]));
    let made = made
        .prop_map(|(names, id, method)| serde_json::json!({ "method": method, "params": names, "id": id }).to_string());
    prop_oneof![made, body().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())]
}

fn run<S: Strategy>(what: &str, inputs: &S, parse: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config { cases: 4_000, failure_persistence: None, ..Config::default() });
    let before = peak();
    let ended = runner.run(inputs, |input| {
        parse(input);
        Ok(())
    });
    if let Err(TestError::Fail(why, input)) = ended {
        panic!("{what}: {why}: {input:?}");
    }
    let grown = peak() - before;
    assert!(grown < MOST_BYTES, "{what} took {grown} bytes");
}

#[test]
fn bytes_from_outside_are_read_or_refused_within_bounds() {
    run("forms", &body(), |bytes| drop(Params::default().add_form(&bytes)));
    run("JSON bodies", &body(), |bytes| drop(Params::default().add_json(&bytes)));
    run("decimals", &number(), |text| {
        if let Ok(amount) = edge::amount(&text) {
            assert_eq!(edge::amount(&amount.to_string()), Ok(amount), "{text}");
        }
    });
    for mode in [Mode::Raw, Mode::Combined, Mode::App] {
        run("frames", &frame(), |text| drop(control::parse(&text, mode)));
    }
}
