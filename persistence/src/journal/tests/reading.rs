//! Readers and followers across segments, archive and recycling.

use super::*;

fn filled(records: u64, options: Options) -> (FakeDisk, ManualJournal) {
    let disk = FakeDisk::new();
    let mut journal = open(&disk, options).expect("opens");
    while journal.last().0 < records {
        journal.append(&mut batch_after(journal.last(), 7));
        journal.commit().expect("commits");
    }
    (disk, journal)
}

fn recycle_all(journal: &mut ManualJournal) {
    journal.release_up_to(journal.durable());
    while journal.keep().expect("keeps") {}
}

#[test]
fn a_reader_may_begin_at_any_record_across_archive_and_live_segments() {
    let (_disk, mut journal) = filled(400, options());
    journal.release_up_to(Lsn(200));
    while journal.keep().expect("keeps") {}
    let last = journal.durable();
    for from in 1..=last.0 {
        check_reader(journal.reader(Lsn(from)).expect("there"), Lsn(from), last).expect("reads");
    }
}

#[test]
fn a_reader_stops_at_the_record_that_it_was_told() {
    let (_disk, journal) = filled(60, options());
    for upto in 1..=60 {
        check_reader(journal.reader(Lsn(1)).expect("there"), Lsn(1), Lsn(upto)).expect("reads");
    }
}

#[test]
fn a_segment_that_is_recycled_and_reused_under_a_reader_is_read_on_from_the_archive() {
    let (_disk, mut journal) = filled(100, options());
    let mut reader = journal.reader(Lsn(1)).expect("there");
    let first = reader.next_batch(journal.durable()).expect("reads").expect("records");
    recycle_all(&mut journal);
    while journal.last().0 < 400 {
        journal.append(&mut batch_after(journal.last(), 7));
        journal.commit().expect("commits");
    }
    check_reader(reader, first.last().next(), journal.durable()).expect("reads on");
}

#[test]
fn without_an_archive_released_records_are_gone_and_a_reader_is_told_what_is_left() {
    let (_disk, mut journal) = filled(200, Options { unsafe_no_archive: true, ..options() });
    let mut reader = journal.reader(Lsn(1)).expect("there");
    recycle_all(&mut journal);
    let error = journal.reader(Lsn(1)).expect_err("gone");
    let JournalError::Gone { wanted: Lsn(1), oldest } = error else { panic!("{error}") };
    check_reader(journal.reader(oldest).expect("the oldest is there"), oldest, journal.durable()).expect("reads");
    while journal.last().0 < 600 {
        journal.append(&mut batch_after(journal.last(), 7));
        journal.commit().expect("commits");
    }
    let error = loop {
        match reader.next_batch(journal.durable()) {
            Ok(batch) => drop(batch.expect("not all can be read")),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, JournalError::Gone { .. }), "{error}");
}

#[test]
fn a_record_larger_than_a_segment_is_an_error_and_one_larger_than_a_block_is_not() {
    let disk = FakeDisk::new();
    let mut journal = open(&disk, options()).expect("opens");
    for size in [3_000, 4096 + 8 * 512] {
        let lsn = journal.last().next();
        let mut batch = Batch::default();
        batch.push(lsn, |out| out.resize(out.len() + size, 1));
        journal.append(&mut batch);
    }
    journal.commit().expect("a block of its own");
    let error = journal.commit().expect_err("too large");
    assert!(matches!(error, JournalError::TooLarge { lsn: Lsn(2), .. }), "{error}");
}

#[test]
fn the_epoch_grows_with_each_start_and_the_hash_goes_on() {
    let (disk, journal) = filled(10, options());
    drop(journal);
    let mut epochs = Vec::new();
    for _ in 0..3 {
        let disk = disk.kill();
        let recovered = recover(Arc::new(disk.clone()), options(), Lsn(10)).expect("opens");
        epochs.push(recovered.summary().epoch);
        drop(recovered.start_manual().expect("starts"));
    }
    assert_eq!(epochs, [2, 3, 4]);
}
