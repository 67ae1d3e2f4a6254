//! Tests of the journal as a whole, over the fake disk and over real files.
//!
//! Owns: the scripts that are run, and the check that every test ends with: what was acknowledged is there, what is
//! there is a prefix of what was appended, and the journal goes on.
//! Never does: look at bytes that the code under test wrote, except to damage them.
//! Invariants: a record's bytes follow from its LSN, so any mix-up shows.
//! Known limits: none.

mod bytes;
mod corruption;
mod crash;
mod reading;
mod survey;
mod threads;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use xng_core::journal::{Batch, Journal, Lsn};

use super::{JournalError, Options, Reader, Salts, fake_disk::FakeDisk, format::mix, manual::ManualJournal, recover};

/// Small segments, so that a short script fills several. Salts never repeat, as the real ones do not.
fn options() -> Options {
    static STARTS: AtomicU64 = AtomicU64::new(0);
    Options {
        segment_bytes: 4096 + 8 * 512,
        max_block_bytes: 1_500,
        max_block_records: 20,
        spare_segments: 3,
        salts: Salts::seeded(mix(STARTS.fetch_add(1, Ordering::Relaxed))),
        ..Options::new(3)
    }
}

/// What the record with this LSN contains.
fn content(lsn: Lsn) -> Vec<u8> {
    let len = (mix(lsn.0) % 120) as usize;
    (0..8 + len).map(|i| (mix(lsn.0 + (i as u64 / 8)) >> (8 * (i % 8))) as u8).collect()
}

/// The batch with `count` records after `last`.
fn batch_after(last: Lsn, count: u64) -> Batch {
    let mut batch = Batch::default();
    for n in 1..=count {
        let lsn = Lsn(last.0 + n);
        batch.push(lsn, |out| out.extend_from_slice(&content(lsn)));
    }
    batch
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Append(u64),
    Commit,
    Seal,
    Keep,
    Release(u64),
}

/// A run of every kind of act, always the same for a seed.
fn script(seed: u64, len: u64) -> Vec<Act> {
    (0..len)
        .map(|n| match mix(seed.wrapping_mul(1_000_003) + n) % 12 {
            0..4 => Act::Append(1 + mix(seed + n) % 9),
            4..8 => Act::Commit,
            8 => Act::Seal,
            9 | 10 => Act::Keep,
            _ => Act::Release(mix(seed ^ n) % 12),
        })
        .collect()
}

fn open(disk: &FakeDisk, options: Options) -> Result<ManualJournal, JournalError> {
    recover(Arc::new(disk.clone()), options, Lsn::ZERO)?.start_manual()
}

/// Runs a script; `acked` follows the durable LSN even when it ends in an error.
fn run(journal: &mut ManualJournal, acts: &[Act], acked: &mut Lsn) -> Result<(), JournalError> {
    for act in acts {
        match *act {
            Act::Append(count) => journal.append(&mut batch_after(journal.last(), count)),
            Act::Commit => {
                journal.commit()?;
                *acked = journal.durable();
            }
            Act::Seal => journal.seal()?,
            Act::Keep => {
                journal.keep()?;
            }
            Act::Release(back) => journal.release_up_to(Lsn(journal.durable().0.saturating_sub(back))),
        }
    }
    Ok(())
}

/// Reads everything from the first record on and checks each one.
fn check_reader(mut reader: Reader, from: Lsn, last: Lsn) -> Result<(), JournalError> {
    let mut next = from;
    while let Some(batch) = reader.next_batch(last)? {
        for (lsn, bytes) in batch.records() {
            assert_eq!((lsn, bytes), (next, content(next).as_slice()));
            next = next.next();
        }
    }
    assert_eq!(next, last.next(), "the reader stopped early");
    Ok(())
}

/// The promise: opens the journal, finds at least `acked`, nothing but what was appended, and returns the last LSN.
fn check(disk: &FakeDisk, acked: Lsn) -> Lsn {
    let recovered = recover(Arc::new(disk.clone()), options(), Lsn::ZERO).expect("a crash leaves a journal that opens");
    let last = recovered.summary().last;
    assert!(last >= acked, "acknowledged through {acked}, recovered through {last}");
    if last > Lsn::ZERO {
        assert_eq!(recovered.summary().oldest, Lsn(1), "the archive keeps everything");
    }
    check_reader(recovered.reader(Lsn(1)).expect("readable"), Lsn(1), last).expect("readable");
    last
}

/// The promise, and that the journal can be written on: a few more records survive a power loss.
fn check_and_go_on(disk: &FakeDisk, acked: Lsn) {
    let last = check(disk, acked);
    let disk = disk.kill();
    let mut journal = open(&disk, options()).expect("opens for writing");
    journal.append(&mut batch_after(last, 5));
    journal.commit().expect("writes on");
    let acked = journal.durable();
    assert_eq!(acked.0, last.0 + 5);
    let disk = disk.power_loss(super::fake_disk::Loss::Everything);
    assert_eq!(check(&disk, acked), acked);
}
