//! A journal looked at from outside: at rest, beside its writer, damaged, copied.

use super::*;
use crate::journal::{
    storage::Storage,
    survey::{Survey, unpack_live},
};

/// Everything that a survey hands out, compared record by record; the last LSN.
fn walked(survey: &Survey) -> Result<Lsn, JournalError> {
    let mut last = Lsn::ZERO;
    let reports = survey.walk(|_, batch| {
        for (lsn, bytes) in batch.records() {
            assert_eq!((lsn, bytes), (last.next(), content(lsn).as_slice()));
            last = lsn;
        }
        Ok::<(), JournalError>(())
    })?;
    assert_eq!(reports.last().map(|report| report.next), Some(last.next()));
    Ok(last)
}

fn filled(records: u64) -> (FakeDisk, ManualJournal) {
    let disk = FakeDisk::new();
    let mut journal = open(&disk, options()).expect("opens");
    while journal.last().0 < records {
        journal.append(&mut batch_after(journal.last(), 7));
        journal.commit().expect("commits");
    }
    journal.release_up_to(Lsn(records / 2));
    while journal.keep().expect("keeps") {}
    (disk, journal)
}

fn survey(disk: &FakeDisk) -> Survey {
    Survey::open(Arc::new(disk.clone()), 3).expect("opens")
}

#[test]
fn a_survey_walks_archive_and_live_segments_once_and_keeps_writers_out() {
    let (disk, journal) = filled(200);
    let last = journal.last();
    drop(journal);
    let disk = disk.kill();
    let survey = survey(&disk);
    assert!(!survey.is_written());
    assert_eq!(walked(&survey).expect("whole"), last);
    assert_eq!(survey.range().expect("whole"), (Lsn(1), last));
    let locked = open(&disk, options()).expect_err("somebody looks at it");
    assert!(matches!(locked, JournalError::Locked { .. }), "{locked}");
    drop(survey);
    check_and_go_on(&disk, last);
}

#[test]
fn beside_a_writer_only_what_is_known_to_be_durable_counts() {
    let (disk, mut journal) = filled(100);
    let before = journal.durable();
    journal.append(&mut batch_after(journal.last(), 5));
    journal.commit().expect("commits");
    // The last block may have been written and not synced, as far as anybody outside can tell.
    let seen = survey(&disk);
    assert!(seen.is_written());
    assert_eq!(seen.range().expect("whole").1, before, "a writer that hangs is not waited for");
    journal.seal().expect("seals");
    assert_eq!(survey(&disk).range().expect("whole").1, journal.durable());
}

#[test]
fn a_damaged_byte_in_archive_or_live_segment_is_named() {
    let (disk, journal) = filled(200);
    drop(journal);
    let disk = disk.kill();
    let paths: Vec<String> = disk.files().into_keys().filter(|path| path.contains("seg-")).collect();
    assert!(paths.iter().any(|path| path.starts_with("archive/")) && paths.len() > 3, "{paths:?}");
    for path in &paths {
        let damaged = disk.fork();
        damaged.flip(path, if path.starts_with("archive/") { 40 } else { 4_096 + 60 }, 1);
        match walked(&survey(&damaged)) {
            Err(JournalError::Corrupt { file, .. }) => assert!(file.contains(path), "{path}: blamed {file}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn a_copy_of_the_live_segments_opens_as_the_journal_that_was_copied() {
    let (disk, mut journal) = filled(150);
    let durable = journal.durable();
    journal.append(&mut batch_after(journal.last(), 5));
    journal.commit().expect("commits");
    let seen = survey(&disk);
    let copy = FakeDisk::new();
    for (path, bytes) in disk.files().into_iter().filter(|(path, _)| path.starts_with("archive/")) {
        copy.create_dir("archive").expect("made");
        let file = copy.create(&path).expect("made");
        file.write_at(&bytes, 0).and_then(|()| file.sync()).expect("written");
        copy.sync_dir("archive").and_then(|()| copy.sync_dir("")).expect("synced");
    }
    let mut last = Lsn::ZERO;
    for &number in seen.live() {
        let packed;
        (packed, last) = seen.packed(number).expect("whole");
        let file = copy.create("packed").expect("made");
        file.write_at(&packed, 0).expect("written");
        unpack_live(&copy, 3, number, &*file).expect("unpacks");
        copy.remove("packed").expect("removed");
    }
    assert_eq!(last, durable, "the block that may not be durable stays out");
    check_and_go_on(&copy, durable);
}

#[test]
fn a_copy_with_more_in_it_than_its_header_says_is_not_unpacked() {
    let (disk, journal) = filled(50);
    let number = *survey(&disk.fork()).live().last().expect("one");
    let (packed, _) = survey(&disk.fork()).packed(number).expect("packs");
    drop(journal);
    let mut bomb = zstd::decode_all(packed.as_slice()).expect("unpacks");
    bomb.resize(64 << 20, 0);
    let bomb = zstd::encode_all(bomb.as_slice(), 3).expect("packs");
    assert!(bomb.len() < 1 << 20, "it looks harmless");
    let target = FakeDisk::new();
    let file = target.create("packed").expect("a file");
    file.write_at(&bomb, 0).expect("writes");
    let error = unpack_live(&target, 3, number, &*file).expect_err("too much").to_string();
    assert!(error.contains("more than the"), "{error}");
}
