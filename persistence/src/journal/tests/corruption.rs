//! Damaged bytes: refused with file and byte, or a lawful torn tail. Never skipped.

use std::collections::BTreeMap;

use super::*;

/// The smallest segments, so that every byte can have its turn.
fn tiny() -> Options {
    Options { segment_bytes: 4096 + 4 * 512, max_block_bytes: 400, spare_segments: 3, ..options() }
}

/// A journal with an archived segment and two live ones; `sealed` says whether its last block is a seal.
fn small_journal(sealed: bool) -> (FakeDisk, Lsn, Vec<u64>) {
    let disk = FakeDisk::new();
    let mut journal = open(&disk, tiny()).expect("opens");
    let mut durable = Vec::new();
    for _ in 0..9 {
        journal.append(&mut batch_after(journal.last(), 3));
        journal.commit().expect("commits");
        durable.push(journal.durable().0);
    }
    journal.release_up_to(Lsn(durable[3]));
    while journal.keep().expect("keeps") {}
    if sealed {
        journal.seal().expect("seals");
    }
    let last = journal.durable();
    drop(journal);
    (disk.kill(), last, durable)
}

/// Recovers and reads everything; the LSN that was reached.
fn read_all(disk: &FakeDisk) -> Result<Lsn, JournalError> {
    let recovered = recover(Arc::new(disk.clone()), tiny(), Lsn::ZERO)?;
    let last = recovered.summary().last;
    check_reader(recovered.reader(Lsn(1))?, Lsn(1), last)?;
    Ok(last)
}

/// Damages each byte of each file in turn; returns how many damages ended each way.
fn damage_every_byte(disk: &FakeDisk, last: Lsn, may_fall_back_to: Lsn) -> BTreeMap<&'static str, u32> {
    let mut outcomes = BTreeMap::new();
    for (path, bytes) in disk.files() {
        for at in 0..bytes.len() {
            let damaged = disk.fork();
            damaged.flip(&path, at, 1 << (at % 8));
            let outcome = match read_all(&damaged) {
                Ok(found) if found == last => "nothing lost",
                Ok(found) => {
                    assert_eq!(found, may_fall_back_to, "{path}, byte {at}: only the last block may be cut");
                    "last block cut"
                }
                Err(JournalError::Corrupt { file, byte, .. }) => {
                    assert!(file.contains(&path), "{path}, byte {at}: blamed {file}");
                    let block = if at < 4096 { 0..1 } else { at as u64 / 512 * 512..at as u64 + 1 };
                    assert!(path.starts_with("archive/") || block.contains(&byte), "{path}, byte {at}: blamed {byte}");
                    "refused"
                }
                Err(e) => panic!("{path}, byte {at}: {e}"),
            };
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    outcomes
}

#[test]
fn after_a_seal_a_damaged_byte_anywhere_is_harmless_or_refused_by_file_and_byte() {
    let (disk, last, _) = small_journal(true);
    let outcomes = damage_every_byte(&disk, last, last);
    assert!(outcomes["refused"] > 2 * 4096, "{outcomes:?}");
    assert!(!outcomes.contains_key("last block cut"));
}

#[test]
fn without_a_seal_only_damage_to_the_very_last_block_can_pass_for_a_torn_tail() {
    let (disk, last, durable) = small_journal(false);
    let outcomes = damage_every_byte(&disk, last, Lsn(durable[durable.len() - 2]));
    assert_eq!(outcomes["last block cut"], 512, "{outcomes:?}");
}

#[test]
fn a_cut_below_what_is_known_to_be_durable_is_refused() {
    let (disk, last, _) = small_journal(false);
    let (path, bytes) = disk.files().into_iter().rfind(|(path, _)| path.starts_with("seg-")).expect("segments");
    let at = (4096..bytes.len()).rfind(|&at| bytes[at] != 0).expect("blocks");
    disk.flip(&path, at, 1);
    let error = recover(Arc::new(disk.clone()), tiny(), last).expect_err("the store knows better");
    assert!(matches!(&error, JournalError::TooShort { file, floor, .. } if file.ends_with(&path) && *floor == last));
    let before = Lsn(last.0 - 3);
    let recovered = recover(Arc::new(disk.kill()), tiny(), before).expect("a floor that is met");
    assert_eq!(recovered.summary().last, before);
    let cut = recovered.summary().cut.as_ref().expect("the torn block is recognised");
    assert!(cut.file.ends_with(&path) && cut.records == 3);
}

#[test]
fn a_missing_segment_is_refused_by_name() {
    let (disk, _, _) = small_journal(true);
    let segments: Vec<String> = disk.files().into_keys().filter(|path| path.starts_with("seg-")).collect();
    assert!(segments.len() >= 2, "{segments:?}");
    let first_gone = disk.fork();
    use crate::journal::Storage;
    first_gone.remove(&segments[0]).expect("removes");
    let error = recover(Arc::new(first_gone), tiny(), Lsn::ZERO).expect_err("a gap after the archive");
    assert!(matches!(&error, JournalError::Corrupt { file, .. } if file.ends_with(&segments[0])), "{error}");
    for segment in &segments {
        disk.remove(segment).expect("removes");
    }
    let error = recover(Arc::new(disk), tiny(), Lsn::ZERO).expect_err("an archive without live segments");
    assert!(matches!(error, JournalError::Corrupt { .. }), "{error}");
}

#[test]
fn a_journal_of_another_cell_is_refused() {
    let (disk, _, _) = small_journal(true);
    let other = Options { cell: 4, ..tiny() };
    let error = recover(Arc::new(disk), other, Lsn::ZERO).expect_err("another cell");
    assert!(matches!(error, JournalError::WrongCell { found: 3, ours: 4, .. }), "{error}");
}

#[test]
fn bytes_of_an_earlier_use_of_a_segment_never_validate() {
    let disk = FakeDisk::new();
    let mut journal = open(&disk, tiny()).expect("opens");
    // Many times round the same few files, each round with blocks in the very same places.
    for _ in 0..60 {
        journal.append(&mut batch_after(journal.last(), 3));
        journal.commit().expect("commits");
        journal.release_up_to(journal.durable());
        while journal.keep().expect("keeps") {}
        let last = journal.durable();
        assert_eq!(read_all(&disk.fork()).expect("no old block is taken for a new one"), last);
    }
    let metrics = journal.metrics();
    assert!(metrics.segments_recycled.load(std::sync::atomic::Ordering::Relaxed) > 10);
}
