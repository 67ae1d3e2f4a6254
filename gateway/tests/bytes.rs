//! Any bytes where a form, a JSON body, a number, a socket's frame, a picture, a segment or a snapshot should be: read or
//! refused, never a panic, never memory without end. One test, so that nobody else's memory is measured.
//! PROPTEST_CASES makes it long.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use std::io::Cursor;
use std::sync::Arc;
use xng_core::journal::{Batch, Journal, Lsn};
use xng_gateway::api::app::upload;
use xng_gateway::api::auth::signatures::ed25519_public;
use xng_gateway::api::binance::params::{Args, pairs};
use xng_gateway::api::binance::signing::Signed;
use xng_gateway::api::binance::table;
use xng_gateway::api::http::params::Params;
use xng_gateway::api::ws::control;
use xng_gateway::api::ws::outbox::Mode;
use xng_gateway::common::decimal;
use xng_persistence::journal::fake_disk::FakeDisk;
use xng_persistence::journal::format::SEGMENT_HEADER_BYTES;
use xng_persistence::journal::survey::{Survey, unpack_live};
use xng_persistence::journal::{JournalError, Options, Storage, recover};
use xng_persistence::snapshot::SnapshotStore;

const MOST_BYTES: u64 = 64 << 20;
/// A picture is decoded into as much at most, and then there are its pixels in another form and the new file.
const MOST_BYTES_OF_A_PICTURE: u64 = 4 * MOST_BYTES;
const CELL: u32 = 3;

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

/// Parameters of the programmatic API, with any values.
fn request() -> impl Strategy<Value = String> {
    let mut names: Vec<&'static str> =
        table::all().flat_map(|call| call.all_params()).map(|param| param.name).collect();
    names.sort_unstable();
    names.dedup();
    let words =
        ["BUY", "LIMIT", "MARKET", "STOP_LOSS", "GTC", "IOC", "1d", "true", "BTCUSDT", "[\"A\",\"B\"]", "1", "0.5"];
    let value = prop_oneof![6 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned), 2 => number(), 1 => ".{0,30}"];
    let pair = (proptest::sample::select(names), value).prop_map(|(name, value)| {
        let value: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
        format!("{name}={value}")
    });
    proptest::collection::vec(pair, 0..14).prop_map(|pairs| pairs.join("&"))
}

/// Everything that reads a request before its call does.
fn read_request(bytes: &[u8]) {
    drop(Signed::of(bytes, bytes));
    let Ok(sent) = pairs(bytes) else { return };
    for call in table::all() {
        if let Ok(args) = Args::read(call.all_params(), &sent) {
            drop((call.shape)(&args));
            assert!(call.weight.of(&args) > 0);
        }
    }
}

/// Bytes to put in the place of others: where (modulo the length), and what.
type Changes = Vec<(usize, u8)>;

fn changes() -> impl Strategy<Value = Changes> {
    let place = prop_oneof![2 => any::<usize>(), 1 => 0..100_usize];
    proptest::collection::vec((place, prop_oneof![Just(0), Just(0xff), any::<u8>()]), 1..6)
}

fn change(bytes: &mut [u8], changes: &Changes) {
    let len = bytes.len();
    changes.iter().for_each(|(at, byte)| bytes[at % len] = *byte);
}

/// A small picture in each form that is taken.
fn pictures() -> Vec<Vec<u8>> {
    use image::ImageFormat::{Gif, Jpeg, Png, WebP};
    let picture =
        image::DynamicImage::ImageRgb8(image::RgbImage::from_fn(40, 30, |x, y| image::Rgb([x as u8, y as u8, 9])));
    let written = [Jpeg, Png, Gif, WebP].map(|format| {
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    });
    written.into()
}

/// A journal with archived and live segments, and a snapshot of three parts beside it.
fn data() -> FakeDisk {
    let disk = FakeDisk::new();
    let options = Options { segment_bytes: 16 << 10, ..Options::new(CELL) };
    let mut journal = recover(Arc::new(disk.clone()), options, Lsn::ZERO).unwrap().start_manual().unwrap();
    while journal.last() < Lsn(600) {
        let mut batch = Batch::default();
        for n in 1..=20 {
            batch.push(Lsn(journal.last().0 + n), |out| out.extend_from_slice(&[n as u8; 90]));
        }
        journal.append(&mut batch);
        while journal.commit().unwrap() {}
    }
    journal.release_up_to(Lsn(300));
    while journal.keep().unwrap() {}
    let mut entries = (0..60_u8).map(|n| (vec![n], vec![n; 50]));
    let snapshots = SnapshotStore::new(Arc::new(disk.clone()), CELL).with_part_bytes(1_200);
    snapshots.write(Lsn(500), 60, &mut entries, &mut |read| Ok(read.count() as u64)).unwrap();
    drop(journal);
    disk.kill()
}

/// Everything that reads a journal: a start, a survey, a restore.
fn read_journal(disk: &FakeDisk) -> Result<(), JournalError> {
    let storage = Arc::new(disk.clone());
    let survey = Survey::open(storage.clone(), CELL)?;
    survey.walk(|_, batch| {
        batch.records().for_each(drop);
        Ok::<(), JournalError>(())
    })?;
    for &number in survey.live() {
        let (packed, _) = survey.packed(number)?;
        let elsewhere = FakeDisk::new();
        let file = elsewhere.create("packed").unwrap();
        file.write_at(&packed, 0).unwrap();
        unpack_live(&elsewhere, CELL, number, &*file)?;
    }
    drop(survey);
    let recovered = recover(storage, Options::new(CELL), Lsn::ZERO)?;
    let last = recovered.summary().last;
    let mut reader = recovered.reader(recovered.summary().oldest)?;
    while let Some(batch) = reader.next_batch(last)? {
        batch.records().for_each(drop);
    }
    Ok(())
}

fn read_snapshots(disk: &FakeDisk) {
    for snapshot in SnapshotStore::new(Arc::new(disk.clone()), CELL).valid().unwrap() {
        snapshot.entries().take(10_000).for_each(drop);
    }
}

/// Writes a file of the disk anew. `honest`: what is a segment's header keeps a right checksum, whatever it says.
fn rewrite(disk: &FakeDisk, path: &str, changes: &Changes, honest: bool) {
    let file = disk.open(path).unwrap();
    let mut bytes = disk.files()[path].clone();
    change(&mut bytes, changes);
    if honest && path.starts_with("seg-") {
        let crc = crc32c::crc32c(&bytes[..SEGMENT_HEADER_BYTES - 4]);
        bytes[SEGMENT_HEADER_BYTES - 4..SEGMENT_HEADER_BYTES].copy_from_slice(&crc.to_le_bytes());
    }
    file.write_at(&bytes, 0).unwrap();
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4_000)
}

fn run<S: Strategy>(what: &str, inputs: &S, parse: impl Fn(S::Value)) {
    run_within(what, inputs, MOST_BYTES, cases(), parse);
}

fn run_within<S: Strategy>(what: &str, inputs: &S, most: u64, cases: u32, parse: impl Fn(S::Value)) {
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let before = peak();
    let ended = runner.run(inputs, |input| {
        parse(input);
        Ok(())
    });
    if let Err(TestError::Fail(why, input)) = ended {
        panic!("{what}: {why}: {input:?}");
    }
    let grown = peak() - before;
    assert!(grown < most, "{what} took {grown} bytes");
}

#[test]
fn bytes_from_outside_are_read_or_refused_within_bounds() {
    run("forms", &body(), |bytes| drop(Params::default().add_form(&bytes)));
    run("JSON bodies", &body(), |bytes| drop(Params::default().add_json(&bytes)));
    run("decimals", &number(), |text| {
        if let Ok(amount) = decimal::amount(&text) {
            assert_eq!(decimal::amount(&amount.to_string()), Ok(amount), "{text}");
        }
    });
    run("requests", &request(), |query| read_request(query.as_bytes()));
    run("requests of any bytes", &body(), |bytes| read_request(&bytes));
    run("public keys", &body(), |bytes| {
        let _key = ed25519_public(&String::from_utf8_lossy(&bytes));
    });
    for mode in [Mode::Raw, Mode::Combined, Mode::App] {
        run("frames", &frame(), |text| drop(control::parse(&text, mode)));
    }

    let disk = data();
    let of = |part: &str| -> Vec<String> { disk.files().into_keys().filter(|path| path.contains(part)).collect() };
    let (journal, snapshot) = (of("seg-"), of("snap/"));
    assert!(journal.iter().any(|path| path.starts_with("archive/")) && snapshot.len() > 3, "{journal:?} {snapshot:?}");
    read_journal(&disk).expect("whole as it is");
    let damage = |files: Vec<String>| (proptest::sample::select(files), changes(), any::<bool>());
    run_within("segments", &damage(journal), MOST_BYTES, cases() / 8, |(path, changes, honest)| {
        let disk = disk.fork();
        rewrite(&disk, &path, &changes, honest);
        drop(read_journal(&disk));
    });
    run_within("snapshots", &damage(snapshot), MOST_BYTES, cases() / 8, |(path, changes, honest)| {
        let disk = disk.fork();
        rewrite(&disk, &path, &changes, honest);
        read_snapshots(&disk);
    });

    // Last: what it may take is more than what the others may.
    let damaged = (proptest::sample::select(pictures()), changes(), any::<usize>(), any::<bool>());
    let most = MOST_BYTES_OF_A_PICTURE;
    run_within("pictures", &damaged, most, cases() / 8, |(mut picture, changes, cut, whole)| {
        assert!(upload::rewrite(&picture, u32::MAX).is_some());
        change(&mut picture, &changes);
        if !whole {
            picture.truncate(cut % picture.len());
        }
        drop(upload::rewrite(&picture, u32::MAX));
    });
    run_within("no pictures", &body(), most, cases() / 8, |bytes| drop(upload::rewrite(&bytes, u32::MAX)));
}
