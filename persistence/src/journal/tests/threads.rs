//! The threaded journal: groups, sealing, subscribers, full disks, fatal errors, real files.

use std::{collections::BTreeSet, sync::Mutex, time::Duration};

use super::*;
use crate::eventually::eventually;
use crate::journal::{
    Capacity, Hooks, JournalControl, JournalHandle, RealStorage, Shortage, Started, Storage, fake_disk::Faults,
};

const SOON: Duration = Duration::from_secs(10);

type Fatal = Arc<Mutex<Vec<String>>>;

fn start(storage: Arc<dyn Storage>, options: Options) -> (Started, Arc<AtomicU64>, Fatal) {
    let woken = Arc::new(AtomicU64::new(0));
    let fatal = Fatal::default();
    let (w, f) = (woken.clone(), fatal.clone());
    let hooks = Hooks {
        wake: Arc::new(move |lsn| w.store(lsn.0, Ordering::SeqCst)),
        on_fatal: Arc::new(move |e| f.lock().expect("no panic").push(e.to_string())),
    };
    let recovered = recover(storage, options, Lsn::ZERO).expect("recovers");
    (recovered.start(hooks).expect("starts"), woken, fatal)
}

fn append(handle: &mut JournalHandle, count: u64) {
    let mut batch = batch_after(handle.last(), count);
    handle.append(&mut batch);
    assert!(batch.is_empty(), "it comes back empty");
}

fn wait(control: &JournalControl, lsn: Lsn) {
    assert!(control.wait_for(lsn, SOON), "{lsn} becomes durable");
}

#[test]
fn what_was_handed_over_becomes_durable_and_wakes_the_cell() {
    let disk = FakeDisk::new();
    let (Started { mut handle, control, writer }, woken, _) = start(Arc::new(disk.clone()), options());
    for _ in 0..200 {
        append(&mut handle, 3);
    }
    wait(&control, Lsn(600));
    assert_eq!(handle.durable(), Lsn(600));
    eventually("the cell is woken", || woken.load(Ordering::SeqCst) == 600);
    eventually("nothing is pending", || handle.pending_bytes() == 0);
    writer.shutdown();
    assert_eq!(control.metrics().group_records.sum(), 600);
    assert!(control.metrics().group_records.count() <= 200);
    assert_eq!(check(&disk, Lsn(600)), Lsn(600));
}

#[test]
fn a_subscriber_gets_every_group_after_its_starting_point_and_a_follower_the_ones_before() {
    let (Started { mut handle, control, writer }, _, _) = start(Arc::new(FakeDisk::new()), options());
    let feeder = std::thread::spawn(move || {
        for _ in 0..300 {
            append(&mut handle, 2);
        }
    });
    let mut joined = Vec::new();
    for _ in 0..20 {
        joined.push(control.subscribe());
        std::thread::sleep(Duration::from_millis(1));
    }
    feeder.join().expect("feeds");
    wait(&control, Lsn(600));
    for subscription in joined {
        let mut follower = control.follower(Lsn(1)).expect("follows");
        let mut next = Lsn(1);
        while next <= subscription.after {
            let batch = follower.next_batch(SOON).expect("reads").expect("is there");
            next = batch.last().next();
        }
        let mut next = subscription.after.next();
        while next <= Lsn(600) {
            let group = subscription.groups.recv_timeout(SOON).expect("arrives");
            for (lsn, bytes) in group.records() {
                assert_eq!((lsn, bytes), (next, content(next).as_slice()));
                next = next.next();
            }
        }
    }
    writer.shutdown();
}

#[test]
fn a_follower_waits_and_follows_while_segments_are_archived_behind_it() {
    let (Started { mut handle, control, writer }, _, fatal) = start(Arc::new(FakeDisk::new()), options());
    let mut follower = control.follower(Lsn(1)).expect("follows");
    assert!(follower.next_batch(Duration::from_millis(5)).expect("no error").is_none(), "nothing yet");
    let reading = std::thread::spawn(move || {
        let mut next = Lsn(1);
        while next <= Lsn(2_000) {
            let Some(batch) = follower.next_batch(SOON).expect("reads") else { panic!("stuck at {next}") };
            for (lsn, bytes) in batch.records() {
                assert_eq!((lsn, bytes), (next, content(next).as_slice()));
                next = next.next();
            }
        }
    });
    while handle.last().0 < 2_000 {
        append(&mut handle, 5);
        control.release_up_to(handle.durable());
    }
    reading.join().expect("the follower saw all");
    eventually("segments are recycled", || {
        control.release_up_to(control.durable());
        control.metrics().segments_recycled.load(Ordering::Relaxed) > 5
    });
    writer.shutdown();
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
}

#[test]
fn an_idle_journal_is_sealed_within_a_second_and_only_once() {
    let options = Options { seal_after: Duration::from_millis(30), ..options() };
    let (Started { mut handle, control, writer }, _, _) = start(Arc::new(FakeDisk::new()), options);
    let seals = || control.metrics().seals.load(Ordering::Relaxed);
    append(&mut handle, 1);
    wait(&control, Lsn(1));
    eventually("sealed", || seals() == 1);
    std::thread::sleep(Duration::from_millis(120));
    assert_eq!(seals(), 1, "nothing new, nothing to seal");
    append(&mut handle, 1);
    wait(&control, Lsn(2));
    writer.shutdown();
    assert_eq!(seals(), 2, "stopping seals at once");
}

#[test]
fn an_error_of_a_sync_calls_the_fatal_hook_once_and_nothing_is_acknowledged_after_it() {
    for n in 1..30 {
        let disk = FakeDisk::new();
        let (Started { mut handle, control, writer }, _, fatal) = start(Arc::new(disk.clone()), options());
        eventually("spares are there", || control.spare_segments() == 3);
        let syncs = disk.counts().syncs;
        disk.set_faults(Faults { fail_syncs: BTreeSet::from([syncs + n]), ..Faults::default() });
        let mut rounds = 0;
        while !control.has_failed() {
            append(&mut handle, 5);
            let _ = control.wait_for(handle.last(), SOON);
            rounds += 1;
            assert!(rounds < 1_000, "sync {n} is reached");
        }
        append(&mut handle, 5);
        assert!(!control.wait_for(handle.last(), Duration::from_millis(2)));
        writer.shutdown();
        let acked = handle.durable();
        let messages = fatal.lock().expect("no panic").clone();
        assert!(messages.len() == 1 && messages[0].starts_with("cannot sync"), "{messages:?}");
        check_and_go_on(&disk.kill(), acked);
    }
}

#[test]
fn a_full_disk_leaves_room_for_cancels_then_none_and_resumes_when_space_is_back() {
    let disk = FakeDisk::new();
    let segment = options().segment_bytes;
    disk.set_faults(Faults { capacity: Some(6 * segment), ..Faults::default() });
    let (Started { mut handle, control, writer }, _, fatal) = start(Arc::new(disk.clone()), options());
    let mut seen = vec![control.capacity()];
    while *seen.last().expect("not empty") != Capacity::Exhausted {
        append(&mut handle, 5);
        let _ = control.wait_for(handle.last(), Duration::from_millis(100));
        if seen.last() != Some(&handle.capacity()) {
            seen.push(handle.capacity());
        }
    }
    assert_eq!(seen, [Capacity::Plenty, Capacity::Low, Capacity::Exhausted]);
    let acked = control.durable();
    assert!(acked.0 > 100);
    append(&mut handle, 40);
    assert!(!control.wait_for(handle.last(), Duration::from_millis(100)), "there is no room for so much");
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new(), "a full disk is not fatal");

    disk.set_faults(Faults { capacity: Some(100 * segment), ..Faults::default() });
    wait(&control, handle.last());
    eventually("there is room again", || control.capacity() == Capacity::Plenty);
    writer.shutdown();
    assert_eq!(check(&disk, handle.last()), handle.last());
}

#[test]
fn a_journal_at_its_limit_waits_for_whoever_should_release_it_and_goes_on_by_itself() {
    let disk = FakeDisk::new();
    // One spare fewer than there should be fits.
    let options = Options { max_bytes: 4 * options().segment_bytes, spare_segments: 4, ..options() };
    let limit = options.max_bytes;
    let (Started { mut handle, control, writer }, _, fatal) = start(Arc::new(disk.clone()), options);
    eventually("operators hear of it while there is still room", || control.shortage() == Some(Shortage::Limit));
    let mut seen = vec![control.capacity()];
    while control.capacity() != Capacity::Exhausted {
        append(&mut handle, 5);
        let _ = control.wait_for(handle.last(), Duration::from_millis(100));
        if seen.last() != Some(&control.capacity()) {
            seen.push(control.capacity());
        }
        assert!(control.segment_bytes() <= limit);
    }
    assert_eq!(seen, [Capacity::Plenty, Capacity::Low, Capacity::Exhausted]);

    control.release_up_to(control.durable());
    eventually("what was released makes room", || control.capacity() == Capacity::Plenty);
    wait(&control, handle.last());
    writer.shutdown();
    assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new());
    assert_eq!(check(&disk, handle.last()), handle.last());
}

#[test]
fn a_journal_is_roomy_until_segments_in_use_take_half_of_what_they_may_and_again_once_they_are_released() {
    let options = Options { max_bytes: 12 * options().segment_bytes, ..options() };
    let (Started { mut handle, control, writer }, ..) = start(Arc::new(FakeDisk::new()), options.clone());
    assert!(control.is_roomy());
    while control.is_roomy() {
        append(&mut handle, 5);
        wait(&control, handle.last());
    }
    assert_eq!((control.shortage(), control.capacity()), (None, Capacity::Plenty), "long before orders notice");
    let used = control.metrics().live_segments.load(Ordering::Relaxed);
    assert!((6..=7).contains(&used), "{used} of 12");
    control.release_up_to(control.durable());
    eventually("what was released makes it roomy", || control.is_roomy());
    writer.shutdown();
}

#[test]
fn a_limit_that_leaves_all_the_spares_worries_nobody() {
    let options = Options { max_bytes: 4 * options().segment_bytes, ..options() };
    let spares = options.spare_segments;
    let (Started { handle: _handle, control, writer }, ..) = start(Arc::new(FakeDisk::new()), options);
    eventually("the spares are there", || control.spare_segments() == spares);
    assert_eq!((control.shortage(), control.capacity()), (None, Capacity::Plenty));
    writer.shutdown();
}

#[test]
fn segments_leave_to_others_what_was_set_aside_for_them_and_the_archive_uses_it() {
    let disk = FakeDisk::new();
    let segment = options().segment_bytes;
    let options = Options { min_free_bytes: 3 * segment, ..options() };
    disk.set_faults(Faults { capacity: Some(8 * segment), ..Faults::default() });
    let (Started { mut handle, control, writer }, _, _) = start(Arc::new(disk.clone()), options);
    while control.capacity() != Capacity::Exhausted {
        append(&mut handle, 5);
        let _ = control.wait_for(handle.last(), Duration::from_millis(100));
    }
    assert_eq!(control.shortage(), Some(Shortage::Disk));
    assert!(control.free_bytes().expect("says") >= 3 * segment);
    control.release_up_to(control.durable());
    eventually("segments are packed into what was left and used again", || control.capacity() == Capacity::Plenty);
    wait(&control, handle.last());
    writer.shutdown();
    assert_eq!(check(&disk, handle.last()), handle.last());
}

#[test]
fn a_journal_that_stops_on_a_full_disk_keeps_what_it_acknowledged() {
    let disk = FakeDisk::new();
    disk.set_faults(Faults { capacity: Some(5 * options().segment_bytes), ..Faults::default() });
    let (Started { mut handle, control, writer }, _, _) = start(Arc::new(disk.clone()), options());
    for _ in 0..200 {
        append(&mut handle, 5);
    }
    eventually("full", || control.capacity() == Capacity::Exhausted);
    writer.shutdown();
    assert_eq!(check(&disk.kill(), control.durable()), control.durable());
}

#[test]
fn a_second_opener_is_refused_until_the_first_one_stops() {
    let directory = tempfile::tempdir().expect("a directory");
    let real: Arc<dyn Storage> = Arc::new(RealStorage::open(directory.path()).expect("opens"));
    for storage in [real, Arc::new(FakeDisk::new())] {
        let (started, _, _) = start(storage.clone(), options());
        let error = recover(storage.clone(), options(), Lsn::ZERO).expect_err("taken");
        assert!(matches!(&error, JournalError::Locked { path } if path.ends_with("LOCK")), "{error}");
        started.writer.shutdown();
        recover(storage, options(), Lsn::ZERO).expect("free again");
    }
}

#[test]
fn on_real_files_records_survive_a_restart_recycling_and_an_archive() {
    let directory = tempfile::tempdir().expect("a directory");
    let storage: Arc<dyn Storage> = Arc::new(RealStorage::open(directory.path().join("a/b")).expect("opens"));
    let options = Options { segment_bytes: 64 << 10, ..options() };
    let mut last = Lsn::ZERO;
    for round in 1..=3 {
        let (Started { mut handle, control, writer }, _, fatal) = start(storage.clone(), options.clone());
        assert_eq!(handle.last(), last);
        for _ in 0..200 {
            append(&mut handle, 9);
        }
        last = handle.last();
        wait(&control, last);
        control.release_up_to(Lsn(last.0 - 500));
        eventually("segments are archived", || control.metrics().segments_recycled.load(Ordering::Relaxed) > 0);
        check_reader(recovered_reader(&storage, &control), Lsn(1), last).expect("reads");
        assert!(control.free_bytes().expect("a real disk says") > 0);
        writer.shutdown();
        assert_eq!(*fatal.lock().expect("no panic"), Vec::<String>::new(), "round {round}");
    }
    let recovered = recover(storage, options, last).expect("recovers");
    assert_eq!((recovered.summary().last, recovered.summary().epoch), (last, 4));
    check_reader(recovered.reader(Lsn(1)).expect("there"), Lsn(1), last).expect("reads");
}

fn recovered_reader(storage: &Arc<dyn Storage>, control: &JournalControl) -> Reader {
    assert!(control.durable() > Lsn::ZERO);
    Reader::open(storage.clone(), 3, Lsn(1)).expect("reads beside the writer")
}
