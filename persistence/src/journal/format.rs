//! The bytes of a segment: its header and its blocks. The picture is in `mod.rs`.
//!
//! Owns: layout, checksums, the chain hash.
//! Never does: I/O; look inside a record.
//! Invariants: every byte of a header and of a block, padding included, is under a checksum that the segment's salt is
//! mixed into; all integers are little-endian; layouts only grow by a new format version.
//! Known limits: the chain shows misplaced, missing and replaced blocks; it is no proof against somebody who can
//! rewrite the files (the price log's SHA-256 chain is).

use xng_core::journal::Lsn;

/// The format that this code writes.
pub const FORMAT_VERSION: u32 = 1;
/// The oldest reader that understands what this code writes.
pub const MIN_READER_VERSION: u32 = 1;
/// Bytes of a segment's header.
pub const SEGMENT_HEADER_BYTES: usize = 4096;
/// Bytes of a block's header.
pub const BLOCK_HEADER_BYTES: usize = 48;
/// Blocks start and end at multiples of this: what a device writes at once.
pub const SECTOR_BYTES: usize = 512;

const SEGMENT_MAGIC: [u8; 8] = *b"XNGJRNL\0";
const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"XBLK");

/// The first 4 KiB of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentHeader {
    /// Format of the blocks that follow.
    pub version: u32,
    /// Oldest reader version that can read them.
    pub min_reader: u32,
    /// The cell whose journal this is.
    pub cell: u32,
    /// Count of starts of the journal, from 1; the one in which the segment was begun.
    pub epoch: u32,
    /// Position among the segments, from 1, without gaps.
    pub number: u64,
    /// LSN of the first record that this segment will hold.
    pub first_lsn: Lsn,
    /// Drawn anew each time the file is used, so that bytes of an earlier use never validate.
    pub salt: u64,
    /// Chain hash at the end of the previous segment.
    pub prev_hash: u64,
    /// Length of the file.
    pub segment_bytes: u64,
}

/// No journal comes near so high an LSN or segment number; bytes that name one are damaged, whatever their checksum says.
pub const HIGHEST: u64 = 1 << 62;

/// The longest segment that is written or read: bounds what a damaged or forged header makes anybody allocate or fill.
pub const MOST_SEGMENT_BYTES: u64 = 1 << 30;

/// Why a segment's header was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderFault {
    /// Too short, no magic, the checksum does not match, or a number that no journal has.
    Damaged,
    /// Intact, but for a newer reader: its minimum version.
    NeedsReader(u32),
}

impl SegmentHeader {
    /// The header's 4 KiB.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(SEGMENT_HEADER_BYTES);
        out.extend_from_slice(&SEGMENT_MAGIC);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&self.min_reader.to_le_bytes());
        out.extend_from_slice(&self.cell.to_le_bytes());
        out.extend_from_slice(&self.epoch.to_le_bytes());
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.first_lsn.0.to_le_bytes());
        out.extend_from_slice(&self.salt.to_le_bytes());
        out.extend_from_slice(&self.prev_hash.to_le_bytes());
        out.extend_from_slice(&self.segment_bytes.to_le_bytes());
        out.resize(SEGMENT_HEADER_BYTES - 4, 0);
        let crc = crc32c::crc32c(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    /// Reads a header back.
    pub fn decode(bytes: &[u8]) -> Result<Self, HeaderFault> {
        let bytes = bytes.get(..SEGMENT_HEADER_BYTES).ok_or(HeaderFault::Damaged)?;
        let (body, crc) = bytes.split_at(SEGMENT_HEADER_BYTES - 4);
        if body[..8] != SEGMENT_MAGIC || u32_at(crc, 0) != crc32c::crc32c(body) {
            return Err(HeaderFault::Damaged);
        }
        let header = Self {
            version: u32_at(body, 8),
            min_reader: u32_at(body, 12),
            cell: u32_at(body, 16),
            epoch: u32_at(body, 20),
            number: u64_at(body, 24),
            first_lsn: Lsn(u64_at(body, 32)),
            salt: u64_at(body, 40),
            prev_hash: u64_at(body, 48),
            segment_bytes: u64_at(body, 56),
        };
        let sane = header.number < HIGHEST
            && (1..HIGHEST).contains(&header.first_lsn.0)
            && header.epoch < u32::MAX
            && (SEGMENT_HEADER_BYTES as u64..=MOST_SEGMENT_BYTES).contains(&header.segment_bytes);
        if header.min_reader <= FORMAT_VERSION && !sane {
            return Err(HeaderFault::Damaged);
        }
        if header.min_reader > FORMAT_VERSION { Err(HeaderFault::NeedsReader(header.min_reader)) } else { Ok(header) }
    }
}

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Records.
    Data,
    /// No record: what lies before is durable and nothing was in flight.
    Seal,
    /// No record: a start of the journal, from which on the block's epoch holds.
    Open,
}

impl BlockKind {
    fn code(self) -> u32 {
        match self {
            Self::Data => 0,
            Self::Seal => 1,
            Self::Open => 2,
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Data),
            1 => Some(Self::Seal),
            2 => Some(Self::Open),
            _ => None,
        }
    }
}

/// The first 48 bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// Bytes of records.
    pub len: u32,
    /// Number of records.
    pub count: u32,
    /// LSN of the first record; in an empty block, of the next one.
    pub first_lsn: Lsn,
    /// Chain hash before this block.
    pub prev_hash: u64,
    /// What was durable when the block was written.
    pub durable_through: Lsn,
    /// Start of the journal in which it was written.
    pub epoch: u32,
    /// What it is for.
    pub kind: BlockKind,
}

impl BlockHeader {
    /// Bytes that the block takes in the file.
    #[must_use]
    pub fn padded_bytes(&self) -> usize {
        padded_bytes(self.len as usize)
    }

    /// LSN of the record after this block.
    #[must_use]
    pub fn next_lsn(&self) -> Lsn {
        Lsn(self.first_lsn.0 + u64::from(self.count))
    }
}

/// Bytes in the file of a block with `len` bytes of records.
#[must_use]
pub fn padded_bytes(len: usize) -> usize {
    (BLOCK_HEADER_BYTES + len).next_multiple_of(SECTOR_BYTES)
}

/// Completes a block in place: `block` holds room for the header and then the records; afterwards it is padded and
/// checksummed.
pub fn seal_block(block: &mut Vec<u8>, salt: u64, header: &BlockHeader) {
    debug_assert_eq!(block.len(), BLOCK_HEADER_BYTES + header.len as usize);
    block.resize(header.padded_bytes(), 0);
    block[4..8].copy_from_slice(&BLOCK_MAGIC.to_le_bytes());
    block[8..12].copy_from_slice(&header.len.to_le_bytes());
    block[12..16].copy_from_slice(&header.count.to_le_bytes());
    block[16..24].copy_from_slice(&header.first_lsn.0.to_le_bytes());
    block[24..32].copy_from_slice(&header.prev_hash.to_le_bytes());
    block[32..40].copy_from_slice(&header.durable_through.0.to_le_bytes());
    block[40..44].copy_from_slice(&header.epoch.to_le_bytes());
    block[44..48].copy_from_slice(&header.kind.code().to_le_bytes());
    let crc = checksum(salt, &block[4..]);
    block[0..4].copy_from_slice(&crc.to_le_bytes());
}

/// The header at the start of `bytes` when they may be a block; nothing is verified yet.
#[must_use]
pub fn peek_block(bytes: &[u8]) -> Option<BlockHeader> {
    let bytes = bytes.get(..BLOCK_HEADER_BYTES)?;
    if u32_at(bytes, 4) != BLOCK_MAGIC || u64_at(bytes, 16) >= HIGHEST || u32_at(bytes, 40) == u32::MAX {
        return None;
    }
    Some(BlockHeader {
        len: u32_at(bytes, 8),
        count: u32_at(bytes, 12),
        first_lsn: Lsn(u64_at(bytes, 16)),
        prev_hash: u64_at(bytes, 24),
        durable_through: Lsn(u64_at(bytes, 32)),
        epoch: u32_at(bytes, 40),
        kind: BlockKind::from_code(u32_at(bytes, 44))?,
    })
}

/// True when `block` (all of its padded bytes) was written with this salt.
#[must_use]
pub fn block_is_intact(salt: u64, block: &[u8]) -> bool {
    block.len() >= BLOCK_HEADER_BYTES && u32_at(block, 0) == checksum(salt, &block[4..])
}

/// Chain hash after a block, from the one before it. Both checksum and position go in, so equal blocks differ.
#[must_use]
pub fn chain_after(prev_hash: u64, block: &[u8]) -> u64 {
    let crc = u64::from(u32_at(block, 0));
    let lsn = u64_at(block, 16);
    mix(mix(prev_hash ^ crc) ^ lsn)
}

/// Chain hash before the first block of a cell's journal.
#[must_use]
pub fn genesis_hash(cell: u32) -> u64 {
    mix(0x786e_675f_6a72_6e6c ^ u64::from(cell))
}

fn checksum(salt: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&salt.to_le_bytes()), bytes)
}

/// A bijective scrambling of 64 bits (the finaliser of SplitMix64).
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut value = [0; 4];
    value.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(value)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut value = [0; 8];
    value.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> SegmentHeader {
        SegmentHeader {
            version: FORMAT_VERSION,
            min_reader: MIN_READER_VERSION,
            cell: 7,
            epoch: 3,
            number: 12,
            first_lsn: Lsn(1_000),
            salt: 0xdead_beef_0123_4567,
            prev_hash: 99,
            segment_bytes: 65_536,
        }
    }

    fn block(salt: u64) -> (BlockHeader, Vec<u8>) {
        let header = BlockHeader {
            len: 9,
            count: 1,
            first_lsn: Lsn(5),
            prev_hash: 1,
            durable_through: Lsn(4),
            epoch: 2,
            kind: BlockKind::Data,
        };
        let mut bytes = vec![0; BLOCK_HEADER_BYTES];
        bytes.extend_from_slice(&5u32.to_le_bytes());
        bytes.extend_from_slice(b"hello");
        seal_block(&mut bytes, salt, &header);
        (header, bytes)
    }

    #[test]
    fn a_header_comes_back_as_it_was_written() {
        let bytes = header().encode();
        assert_eq!(bytes.len(), SEGMENT_HEADER_BYTES);
        assert_eq!(SegmentHeader::decode(&bytes), Ok(header()));
    }

    #[test]
    fn no_bit_of_a_header_can_change_unnoticed() {
        let bytes = header().encode();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert_eq!(SegmentHeader::decode(&damaged), Err(HeaderFault::Damaged), "byte {at}");
        }
    }

    #[test]
    fn numbers_that_no_journal_has_are_damage_whatever_the_checksum_says() {
        let bad = [
            SegmentHeader { number: u64::MAX, ..header() },
            SegmentHeader { first_lsn: Lsn(u64::MAX), ..header() },
            SegmentHeader { first_lsn: Lsn(0), ..header() },
            SegmentHeader { epoch: u32::MAX, ..header() },
            SegmentHeader { segment_bytes: MOST_SEGMENT_BYTES + 1, ..header() },
            SegmentHeader { segment_bytes: SEGMENT_HEADER_BYTES as u64 - 1, ..header() },
        ];
        for header in bad {
            assert_eq!(SegmentHeader::decode(&header.encode()), Err(HeaderFault::Damaged), "{header:?}");
        }
        let (header, bytes) = block(42);
        for header in [BlockHeader { first_lsn: Lsn(u64::MAX), ..header }, BlockHeader { epoch: u32::MAX, ..header }] {
            let mut block = bytes[..BLOCK_HEADER_BYTES + 9].to_vec();
            seal_block(&mut block, 42, &header);
            assert_eq!(peek_block(&block), None, "{header:?}");
        }
    }

    #[test]
    fn a_header_for_a_newer_reader_is_told_apart_from_a_damaged_one() {
        let newer = SegmentHeader { version: 9, min_reader: 9, ..header() };
        assert_eq!(SegmentHeader::decode(&newer.encode()), Err(HeaderFault::NeedsReader(9)));
    }

    #[test]
    fn a_block_comes_back_and_no_bit_of_it_can_change_unnoticed() {
        let (header, bytes) = block(42);
        assert_eq!(bytes.len(), SECTOR_BYTES);
        assert_eq!(peek_block(&bytes), Some(header));
        assert!(block_is_intact(42, &bytes));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(!block_is_intact(42, &damaged), "byte {at}");
        }
    }

    #[test]
    fn a_block_does_not_validate_under_another_salt() {
        let (_, bytes) = block(42);
        for salt in (0..64).map(|bit| 42 ^ (1u64 << bit)) {
            assert!(!block_is_intact(salt, &bytes));
        }
    }
}
