//! Any bytes at all where a journal should be: refused or read, never a panic, never memory without end. Checksums are
//! made to match, so that what lies behind them is reached.

use proptest::prelude::*;

use super::*;
use crate::journal::Storage;
use crate::journal::format::{
    BLOCK_HEADER_BYTES, BlockHeader, BlockKind, SEGMENT_HEADER_BYTES, SegmentHeader, block_is_intact, peek_block,
    seal_block,
};

/// Numbers that parsers trip over, and any others.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), 0..40_u64, Just(u64::MAX), Just(u64::MAX - 1), Just(1 << 32), any::<u64>()]
}

fn small() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), 0..40_u32, Just(u32::MAX), any::<u32>()]
}

fn segment() -> impl Strategy<Value = SegmentHeader> {
    let fields = (0..3_u32, 0..3_u32, small(), number(), number(), number(), number(), number());
    fields.prop_map(|(version, min_reader, epoch, number, first_lsn, salt, prev_hash, segment_bytes)| SegmentHeader {
        version,
        min_reader,
        cell: 3,
        epoch,
        number,
        first_lsn: Lsn(first_lsn),
        salt,
        prev_hash,
        segment_bytes,
    })
}

/// A block whose checksum is right, whatever it says; half of them continue what begins at `first`.
fn block(salt: u64, first: u64, chain: u64) -> impl Strategy<Value = Vec<u8>> {
    let fields = (proptest::collection::vec(any::<u8>(), 0..900), small(), number(), number(), small(), any::<bool>());
    fields.prop_map(move |(body, count, lsn, through, epoch, follows)| {
        let header = BlockHeader {
            len: body.len() as u32,
            count,
            first_lsn: Lsn(if follows { first } else { lsn }),
            prev_hash: if follows { chain } else { lsn },
            durable_through: Lsn(if follows { first.saturating_sub(1) } else { through }),
            epoch,
            kind: if count == 0 { BlockKind::Seal } else { BlockKind::Data },
        };
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        block.extend_from_slice(&body);
        seal_block(&mut block, salt, &header);
        block
    })
}

/// A file named as the segment says, or as the first one, with some blocks in it.
fn file() -> impl Strategy<Value = (u64, Vec<u8>)> {
    let with_blocks = segment().prop_flat_map(|header| {
        let blocks = proptest::collection::vec(block(header.salt, header.first_lsn.0, header.prev_hash), 0..4);
        (Just(header), blocks, any::<bool>())
    });
    with_blocks.prop_map(|(mut header, blocks, honest)| {
        let mut bytes = blocks.concat();
        bytes.resize(bytes.len().max(512 * 8), 0);
        let len = (SEGMENT_HEADER_BYTES + bytes.len()) as u64;
        if honest {
            header.segment_bytes = len;
        }
        let mut whole = header.encode();
        whole.extend_from_slice(&bytes);
        (header.number, whole)
    })
}

/// Opens what is on the disk and reads all of it.
fn open_and_read(disk: &FakeDisk) -> Result<(), JournalError> {
    let recovered = recover(Arc::new(disk.clone()), options(), Lsn::ZERO)?;
    let (oldest, last) = (recovered.summary().oldest, recovered.summary().last);
    let mut reader = recovered.reader(oldest)?;
    while let Some(batch) = reader.next_batch(last)? {
        batch.records().for_each(drop);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::proptest_cases(2_000), ..ProptestConfig::default() })]

    #[test]
    fn headers_of_any_bytes_are_read_or_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..2_000),
        header in segment(),
        at in 0..SEGMENT_HEADER_BYTES,
        salt in any::<u64>(),
    ) {
        let _ = (SegmentHeader::decode(&bytes), peek_block(&bytes), block_is_intact(salt, &bytes));
        let mut damaged = header.encode();
        damaged[at] ^= 0x55;
        prop_assert!(SegmentHeader::decode(&damaged).is_err());
        prop_assert!(SegmentHeader::decode(&header.encode()[..at]).is_err());
    }

    #[test]
    fn segments_that_say_anything_under_a_right_checksum_are_read_or_refused((number, bytes) in file()) {
        let disk = FakeDisk::new();
        let file = disk.create(&format!("seg-{number:012}")).expect("a file");
        file.write_at(&bytes, 0).expect("written");
        drop(open_and_read(&disk));
    }

    #[test]
    fn an_archive_of_any_bytes_is_read_or_refused(
        packed in proptest::collection::vec(any::<u8>(), 0..300),
        (number, bytes) in file(),
        cut in 0..10_000_usize,
        flip in 0..10_000_usize,
    ) {
        let mut good = zstd::encode_all(bytes.as_slice(), 1).expect("packs");
        let flip = flip % good.len();
        good[flip] ^= 0x10;
        good.truncate(cut.max(1));
        for content in [packed, good] {
            let disk = FakeDisk::new();
            disk.create_dir("archive").expect("a folder");
            let file = disk.create(&format!("archive/seg-{number:012}.zst")).expect("a file");
            file.write_at(&content, 0).expect("written");
            drop(open_and_read(&disk));
        }
    }
}
