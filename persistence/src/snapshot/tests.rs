//! Snapshots under crashes, failing syncs, damage and a full disk.

use proptest::prelude::*;

use super::*;
use crate::journal::{
    RealStorage,
    fake_disk::{FakeDisk, Faults, Loss},
};

fn store(disk: &FakeDisk) -> SnapshotStore {
    SnapshotStore::new(Arc::new(disk.clone()), 1).with_part_bytes(200)
}

fn entries(seed: u64) -> Vec<Entry> {
    (0..40).map(|n| (format!("entity {n}").into_bytes(), vec![(seed + n) as u8; (n % 9) as usize * 10])).collect()
}

fn write(store: &SnapshotStore, lsn: u64) -> Result<(), SnapshotError> {
    store.write(Lsn(lsn), lsn * 7, &mut entries(lsn).into_iter(), &mut |read| {
        let same = read.map(|e| e.expect("intact")).eq(entries(lsn));
        Ok(if same { lsn * 7 } else { 0 })
    })
}

/// The LSN of the newest valid snapshot, whose contents are checked; 0 when there is none.
fn newest(store: &SnapshotStore) -> u64 {
    let Some(snapshot) = store.valid().expect("readable").next() else { return 0 };
    let lsn = snapshot.lsn().0;
    assert_eq!(snapshot.digest(), lsn * 7);
    let found: Vec<Entry> = snapshot.entries().map(|e| e.expect("intact")).collect();
    assert_eq!(found, entries(lsn));
    lsn
}

#[test]
fn a_snapshot_comes_back_as_it_was_given_and_the_newest_two_stay() {
    let store = store(&FakeDisk::new());
    assert_eq!(newest(&store), 0);
    for lsn in [10, 20, 30] {
        write(&store, lsn).expect("writes");
        assert_eq!(newest(&store), lsn);
    }
    assert_eq!(store.lsns().expect("lists"), [Lsn(20), Lsn(30)]);
    write(&store, 30).expect("is there already");
    assert_eq!(newest(&store), 30);
}

#[test]
fn a_crash_at_any_operation_leaves_the_old_snapshot_or_the_new_one() {
    let disk = FakeDisk::new();
    write(&store(&disk), 10).expect("writes");
    let before = disk.counts().operations;
    let rehearsal = disk.fork();
    write(&store(&rehearsal), 20).expect("writes");
    let operations = rehearsal.counts().operations;
    assert!(operations > 20 && before > 20);
    for crash_at in 1..=operations {
        for loss in [Loss::Everything, Loss::Nothing, Loss::Random(crash_at), Loss::Random(crash_at + 1_000)] {
            let disk = disk.fork();
            disk.set_faults(Faults { crash_at: Some(crash_at), ..Faults::default() });
            assert!(write(&store(&disk), 20).is_err());
            let after = disk.power_loss(loss);
            assert!([10, 20].contains(&newest(&store(&after))), "operation {crash_at}, {loss:?}");
            write(&store(&after), 20).expect("tries again");
            assert_eq!(newest(&store(&after.power_loss(Loss::Everything))), 20);
        }
    }
}

#[test]
fn an_error_of_any_sync_leaves_no_snapshot_that_does_not_survive() {
    let disk = FakeDisk::new();
    write(&store(&disk), 10).expect("writes");
    for n in 1..40 {
        let disk = disk.fork();
        disk.set_faults(Faults { fail_syncs: [n].into(), ..Faults::default() });
        let result = write(&store(&disk), 20);
        let disk = disk.kill();
        disk.set_faults(Faults::default());
        assert!(result.is_err() || n > 10, "sync {n} is reached");
        write(&store(&disk), 20).expect("tries again");
        assert_eq!(newest(&store(&disk.power_loss(Loss::Everything))), 20, "sync {n}");
    }
}

#[test]
fn a_damaged_byte_anywhere_makes_recovery_pass_over_that_snapshot() {
    let disk = FakeDisk::new();
    write(&store(&disk), 10).expect("writes");
    write(&store(&disk), 20).expect("writes");
    for (path, bytes) in disk.files().into_iter().filter(|(path, _)| path.contains("0020/")) {
        for at in 0..bytes.len() {
            let disk = disk.fork();
            disk.flip(&path, at, 1 << (at % 8));
            assert_eq!(newest(&store(&disk)), 10, "{path}, byte {at}");
        }
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_old_snapshot() {
    let disk = FakeDisk::new();
    write(&store(&disk), 10).expect("writes");
    let used: usize = disk.files().values().map(Vec::len).sum();
    disk.set_faults(Faults { capacity: Some(used as u64 + 300), ..Faults::default() });
    assert!(write(&store(&disk), 20).is_err());
    assert_eq!(newest(&store(&disk)), 10);
    assert!(disk.files().keys().all(|path| !path.contains(TEMPORARY_PREFIX)));
}

#[test]
fn a_snapshot_whose_state_reads_back_differently_does_not_count() {
    let store = store(&FakeDisk::new());
    let error = store
        .write(Lsn(5), 35, &mut entries(5).into_iter(), &mut |read| Ok(read.count() as u64))
        .expect_err("40 entries, digest 35");
    assert!(matches!(error, SnapshotError::Digest { expected: 35, found: 40, .. }), "{error}");
    assert_eq!(newest(&store), 0);
}

#[test]
fn another_cells_snapshot_is_not_taken() {
    let disk = FakeDisk::new();
    write(&store(&disk), 10).expect("writes");
    let other = SnapshotStore::new(Arc::new(disk), 2);
    assert!(other.valid().expect("readable").next().is_none());
}

#[test]
fn real_files_work_too() {
    let directory = tempfile::tempdir().expect("a directory");
    let storage = Arc::new(RealStorage::open(directory.path()).expect("opens"));
    let store = SnapshotStore::new(storage, 1);
    for lsn in [1, 2, 3] {
        write(&store, lsn).expect("writes");
    }
    assert_eq!((newest(&store), store.lsns().expect("lists").len()), (3, 2));
    store
        .write(Lsn(4), 0, &mut std::iter::empty(), &mut |read| Ok(read.count() as u64))
        .expect("an empty state is a state");
    assert!(store.valid().expect("readable").next().expect("there").is_empty());
}

/// Numbers that readers trip over, and any others.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..4_u64, Just(u64::MAX), Just(1 << 40), any::<u64>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::proptest_cases(2_000), ..ProptestConfig::default() })]

    /// Lengths and checksums of the files are made to match, so that what lies behind them is reached.
    #[test]
    fn a_snapshot_that_says_anything_is_read_or_refused(
        raw in proptest::collection::vec(any::<u8>(), 0..200),
        packed in any::<bool>(),
        (entries, raw_bytes, digest) in (number(), number(), number()),
        honest in any::<bool>(),
        at in 0..100_usize,
        noise in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        let content = if packed { zstd::encode_all(raw.as_slice(), 1).expect("packs") } else { raw.clone() };
        let raw_bytes = if honest { raw.len() as u64 } else { raw_bytes };
        let part = Part { file_bytes: content.len() as u64, raw_bytes, crc: crc32c::crc32c(&content) };
        let manifest = Manifest { cell: 1, lsn: Lsn(5), digest, entries, parts: vec![part] }.encode();
        let mut damaged = manifest.clone();
        let at = at % damaged.len();
        damaged[at] ^= 0x21;
        for manifest in [manifest, damaged, noise] {
            let disk = FakeDisk::new();
            for dir in ["snap", "snap/00000000000000000005"] {
                disk.create_dir(dir).expect("a folder");
            }
            for (name, bytes) in [("part-0000.zst", &content), ("MANIFEST", &manifest)] {
                let file = disk.create(&format!("snap/00000000000000000005/{name}")).expect("a file");
                file.write_at(bytes, 0).expect("written");
            }
            for snapshot in store(&disk).valid().expect("the folder is readable") {
                prop_assert!(snapshot.entries().take(1_000).count() <= 1_000);
            }
        }
    }
}
