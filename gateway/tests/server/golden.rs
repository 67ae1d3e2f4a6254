//! Golden data folders: journal segments, archive, snapshots and store of every release, read for ever
//! (`docs/decisions.md "Facts are the truth"`). A folder is never changed; a new form gets a new one:
//! `GOLDEN=<next number> cargo test -p xng-gateway golden` writes that folder if it is not there. Each file in it is
//! compressed for itself; `audit.json` is what `exchange audit` said of it when it was new.
//!
//! And the other way round: what a newer release wrote is refused at the start, by name.

use crate::tool::{self, bad, good, on};
use crate::wait::eventually;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xng_cell::recovery::Saved;
use xng_cell::{Plain, World};
use xng_core::ids::EntityId;
use xng_core::journal::{Batch, Journal, Lsn};
use xng_core::record::{Cause, Origin, Record};
use xng_core::registry::AuditAnchored;
use xng_persistence::journal::{Hooks, JournalControl, Options, RealStorage, Started, recover};
use xng_persistence::office::{AuditEntry, Office};
use xng_persistence::snapshot::SnapshotStore;
use xng_persistence::store::{Persister, PersisterOptions, SqlStore, StoreUrl};

const CELL: u32 = 0;
const AUDIT: &str = "audit.json";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/golden"))
}

/// Segments of eight blocks, so that a short journal fills several.
fn options() -> Options {
    Options { segment_bytes: 4_096 + 8 * 512, max_block_bytes: 300, ..Options::new(CELL) }
}

/// All files under a folder, relative to it.
fn files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() { folders.push(entry) } else { found.push(entry.strip_prefix(root).unwrap().to_owned()) }
        }
    }
    found.sort();
    found
}

/// The golden folders, unpacked into data folders.
fn unpacked() -> Vec<(String, TempDir)> {
    let mut names: Vec<String> =
        fs::read_dir(folder()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let one = |name: String| {
        let (golden, data) = (folder().join(&name), tempfile::tempdir().unwrap());
        for file in files(&golden) {
            let target = data.path().join(file.with_extension(""));
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            let packed = fs::read(golden.join(&file)).unwrap();
            let bytes =
                zstd::decode_all(packed.as_slice()).unwrap_or_else(|e| panic!("{name}/{}: {e}", file.display()));
            fs::write(target, bytes).unwrap();
        }
        (name, data)
    };
    names.into_iter().map(one).collect()
}

/// The newest golden folder, to be spoilt.
fn newest() -> TempDir {
    unpacked().pop().expect("there is one").1
}

fn start_journal(data: &Path) -> (Started, u32) {
    let storage = Arc::new(RealStorage::open(data.join("journal")).unwrap());
    let recovered = recover(storage, options(), Lsn::ZERO).unwrap();
    let epoch = recovered.summary().epoch;
    (recovered.start(Hooks::new(|_| ())).unwrap(), epoch)
}

/// Appends a record as a group of its own.
fn append(started: &mut Started, bytes: &[u8]) {
    let lsn = started.handle.last().next();
    let mut batch = Batch::default();
    batch.push(lsn, |out| out.extend_from_slice(bytes));
    started.handle.append(&mut batch);
    assert!(started.control.wait_for(lsn, Duration::from_secs(60)));
}

fn snapshot(data: &Path, world: &mut World<Plain>) {
    let store = SnapshotStore::new(Arc::new(RealStorage::open(data).unwrap()), CELL);
    let (lsn, digest) = (world.lsn(), world.state_hash());
    let load = &mut |entries: xng_persistence::snapshot::Entries<'_>| {
        Ok(World::<Plain>::restore(Saved { lsn, digest, entries }).unwrap().state_hash())
    };
    store.write(lsn, digest, &mut world.save(), load).unwrap();
}

/// Projects the journal into `store.db` from where it stands.
fn project(data: &Path, control: JournalControl, epoch: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = Arc::new(runtime.block_on(SqlStore::open(&StoreUrl::sqlite(&data.join("store.db")))).unwrap());
    let last = control.durable();
    let persister = Persister::start(store.clone(), control, CELL, epoch, PersisterOptions::default(), |_| ()).unwrap();
    eventually("the store follows", || persister.handle().persisted() == last);
    persister.shutdown(Duration::from_secs(60));
    runtime.block_on(store.close());
}

/// Brings both schemas up to date, as a start does; tools only read.
fn bring_up(data: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { Office::open(&data.join("office.db")).await.unwrap().close().await });
    runtime.block_on(async { SqlStore::open(&StoreUrl::sqlite(&data.join("store.db"))).await.unwrap().close().await });
}

/// A data folder with every form of fact that the cell's golden records hold (`engine/cell/tests/exchange/golden`).
fn make(data: &Path) {
    let records = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/cell/tests/exchange/golden"));
    let mut newest: Vec<PathBuf> = fs::read_dir(records).unwrap().map(|e| e.unwrap().path()).collect();
    newest.sort();
    let text = fs::read_to_string(newest.last().unwrap()).unwrap();
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
    };
    let lines: Vec<Vec<u8>> =
        text.lines().filter_map(|line| Some(hex(line.strip_prefix("record\t")?.split_once('\t')?.1))).collect();
    let (mut started, epoch) = start_journal(data);
    let mut world: World<Plain> = World::default();
    for (n, bytes) in lines.iter().enumerate() {
        append(&mut started, bytes);
        world.fold(started.handle.last(), bytes).unwrap();
        if n == lines.len() / 2 || n + 1 == lines.len() {
            snapshot(data, &mut world);
        }
    }
    started.control.release_up_to(Lsn(lines.len() as u64 / 2));
    eventually("segments are archived", || {
        started.control.metrics().segments_recycled.load(std::sync::atomic::Ordering::Relaxed) > 0
    });
    // Anchors among these records are of another office.
    let anchor = AuditAnchored { rows: 1, head: office(data), accepted_by: Some("golden".into()) };
    let (time, decider) = (world.time() + 1, EntityId::Registry(()));
    let record = Record { time, decider, cause: Cause::Request, origin: Origin::Admin, fact: anchor.into() };
    let mut bytes = Vec::new();
    record.encode(&mut bytes);
    append(&mut started, &bytes);
    project(data, started.control.clone(), epoch);
    started.writer.shutdown();
}

/// An office with one row of the audit, whose hash it gives.
fn office(data: &Path) -> [u8; 32] {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let text = |text: &str| text.to_owned();
    let entry = AuditEntry {
        actor: text("ann"),
        action: text("look at user"),
        subject: text("user:1"),
        detail: text("{}"),
        ip: text(""),
    };
    runtime.block_on(async {
        let office = Office::open(&data.join("office.db")).await.unwrap();
        let row = office.append_audit(&entry, 1_700_000_000_000).await.unwrap();
        office.close().await;
        row.hash
    })
}

fn audit(data: &Path) -> Value {
    serde_json::from_str(&good(&on(data, &["audit", "--json"]))).unwrap()
}

fn write_golden(name: &str) {
    let target = folder().join(name);
    assert!(!target.exists(), "{} is there, and stays as it is", target.display());
    let made = tempfile::tempdir().unwrap();
    make(made.path());
    fs::write(made.path().join(AUDIT), audit(made.path()).to_string()).unwrap();
    let kept = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap();
        !(name == "LOCK"
            || name.starts_with("spare-")
            || name.starts_with("fill-")
            || name.ends_with("-shm")
            || name.ends_with("-wal"))
    };
    for file in files(made.path()).into_iter().filter(kept) {
        let packed = zstd::encode_all(fs::read(made.path().join(&file)).unwrap().as_slice(), 19).unwrap();
        let target = target.join(format!("{}.zst", file.display()));
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, packed).unwrap();
    }
}

/// What an earlier release counted is the same now; a later one counts more.
fn still_says(found: &Value, recorded: &Value) -> bool {
    match recorded.as_object() {
        Some(fields) => fields.iter().all(|(name, value)| still_says(&found[name], value)),
        None => found == recorded,
    }
}

#[test]
fn golden_data_folders_read_for_ever_and_their_store_equals_a_fresh_projection() {
    if let Ok(name) = std::env::var("GOLDEN") {
        write_golden(&name);
    }
    let all = unpacked();
    assert!(!all.is_empty(), "there is no golden folder: write one with GOLDEN=<number>");
    for (name, data) in all {
        let data = data.path();
        let recorded: Value = serde_json::from_str(&fs::read_to_string(data.join(AUDIT)).unwrap()).unwrap();
        let compared = |what: &str| recorded["compared"][what].clone();
        let verified: Value = serde_json::from_str(&good(&on(data, &["journal", "verify", "--json"]))).unwrap();
        assert_eq!(verified["last"], compared("last"), "{name}");
        bring_up(data);
        let found = audit(data);
        // Another form of the hash gives another number for the same state.
        let hashed_alike = found["compared"]["state_form"] == compared("state_form");
        let same = |(what, value): (&String, &Value)| {
            let skipped = !hashed_alike && ["state", "state_form", "digests"].contains(&what.as_str());
            assert!(skipped || still_says(&found["compared"][what], value), "{name}: {what}: {found}");
        };
        recorded["compared"].as_object().unwrap().iter().for_each(same);
        assert_eq!(compared("snapshots").as_array().map(Vec::len), Some(2), "{name}");
        assert!(compared("store")["fills"].as_u64() > Some(0), "{name}");

        fs::remove_file(data.join("store.db")).unwrap();
        let (started, epoch) = start_journal(data);
        project(data, started.control.clone(), epoch);
        started.writer.shutdown();
        let anew = audit(data)["compared"]["store"].clone();
        assert!(still_says(&anew, &compared("store")), "{name}: projected anew: {anew}");
    }
}

/// Tries to start an exchange on a data folder; what it says when it does not.
fn refused(data: &Path) -> String {
    let mut command = tool::command(env!("CARGO_BIN_EXE_exchange"), data);
    command
        .env("XNG__SERVER__LISTEN", "127.0.0.1:0")
        .env("XNG__SERVER__OPS_LISTEN", "127.0.0.1:0")
        .env("XNG__SERVER__ADMIN_LISTEN", "");
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("it started: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn assert_says(printed: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| printed.contains(part)), "{parts:?}: {printed}");
}

#[test]
fn a_newer_segment_is_refused_by_name() {
    let data = newest();
    let mut segments = files(data.path()).into_iter().filter(|f| f.to_string_lossy().starts_with("journal/seg-"));
    let path = data.path().join(segments.next_back().unwrap());
    let mut bytes = fs::read(&path).unwrap();
    let mut header = xng_persistence::journal::format::SegmentHeader::decode(&bytes).unwrap();
    (header.version, header.min_reader) = (9, 9);
    bytes[..4_096].copy_from_slice(&header.encode());
    fs::write(&path, bytes).unwrap();
    let parts = [path.to_str().unwrap(), "needs a reader of format 9, this one reads format 1"];
    assert_says(&refused(data.path()), &parts);
    assert_says(&bad(&on(data.path(), &["journal", "verify"]), 2), &parts);
}

#[test]
fn a_newer_record_is_refused_by_name() {
    let data = newest();
    let (mut started, _) = start_journal(data.path());
    append(&mut started, &[23, 99, 1, 0, 4, 0]);
    started.writer.shutdown();
    assert_says(&refused(data.path()), &["journal/seg-", "fact 23 version 99 is unknown to this build"]);
    assert_says(&bad(&on(data.path(), &["journal", "verify"]), 1), &["journal/seg-", "fact 23 version 99"]);
}

#[test]
fn a_newer_snapshot_is_refused_by_name() {
    let data = newest();
    let manifests: Vec<PathBuf> = files(data.path()).into_iter().filter(|f| f.ends_with("MANIFEST")).collect();
    let path = data.path().join(manifests.last().unwrap());
    let mut bytes = fs::read(&path).unwrap();
    let body = bytes.len() - 4;
    bytes[8..12].copy_from_slice(&9_u32.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..body]);
    bytes[body..].copy_from_slice(&crc.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    assert_says(&refused(data.path()), &[path.to_str().unwrap(), "has format 9, this build reads up to 1"]);
}

#[test]
fn a_snapshot_with_a_newer_entity_is_refused_by_name() {
    let data = newest();
    let store = SnapshotStore::new(Arc::new(RealStorage::open(data.path()).unwrap()), CELL);
    let (lsn, digest, mut entries) = {
        let snapshot = store.valid().unwrap().next().unwrap();
        let entries: Vec<_> = snapshot.entries().map(|entry| entry.unwrap()).collect();
        (snapshot.lsn(), snapshot.digest(), entries)
    };
    entries.last_mut().unwrap().1[0] = 99;
    fs::remove_dir_all(data.path().join(format!("snap/{:020}", lsn.0))).unwrap();
    store.write(lsn, digest, &mut entries.into_iter(), &mut |_| Ok(digest)).unwrap();
    assert_says(&refused(data.path()), &[&format!("snap/{:020}", lsn.0), "state version 99"]);
}

#[test]
fn a_newer_schema_of_store_or_office_is_refused_by_name() {
    for (name, known) in [("store.db", 21), ("office.db", 22)] {
        let data = newest();
        let path = data.path().join(name);
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            use sqlx::Connection;
            let mut file = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.unwrap();
            let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                       VALUES (99, 'from the future', TRUE, x'00', 0)";
            sqlx::query(sql).execute(&mut file).await.unwrap();
            file.close().await.unwrap();
        });
        let versions = format!("has schema 99, this build knows up to {known}");
        assert_says(&refused(data.path()), &[path.to_str().unwrap(), &versions]);
    }
}
