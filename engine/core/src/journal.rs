//! The journal as the engine sees it: an order of records and a watermark of what is durable.
//!
//! Owns: the LSN and the buffer in which a cell hands encoded records over.
//! Never does: I/O. `persistence::journal` writes files, tests write to memory.
//! Invariants: LSNs begin at 1 and have no gaps. Known limits: a record is at most 4 GiB.

use std::fmt;

/// Position of a record in one cell's journal. The first record is 1; 0 means "nothing yet".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lsn(pub u64);

impl Lsn {
    /// Before the first record.
    pub const ZERO: Lsn = Lsn(0);

    /// The position right after this one.
    #[must_use]
    pub fn next(self) -> Lsn {
        Lsn(self.0 + 1)
    }
}

impl fmt::Debug for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lsn:{}", self.0)
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Encoded records with consecutive LSNs, in the form in which they cross from the cell to the journal and from the
/// journal to its followers. Each record is a little-endian `u32` length and that many bytes; the journal never looks
/// inside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// LSN of the first record; meaningless while `count` is 0.
    pub first: Lsn,
    /// Number of records.
    pub count: u32,
    /// `count` times (`u32` length, body).
    pub bytes: Vec<u8>,
}

impl Batch {
    /// True when no record is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// LSN of the last record; `first - 1` when empty.
    #[must_use]
    pub fn last(&self) -> Lsn {
        Lsn(self.first.0 + u64::from(self.count) - 1)
    }

    /// Appends one record that `write` encodes in place. `lsn` must follow the last one.
    pub fn push(&mut self, lsn: Lsn, write: impl FnOnce(&mut Vec<u8>)) {
        if self.count == 0 {
            self.first = lsn;
        }
        debug_assert_eq!(lsn.0, self.first.0 + u64::from(self.count), "records of a batch are consecutive");
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        write(&mut self.bytes);
        let len = u32::try_from(self.bytes.len() - at - 4).expect("a record is far below 4 GiB");
        self.bytes[at..at + 4].copy_from_slice(&len.to_le_bytes());
        self.count += 1;
    }

    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.bytes.clear();
    }

    /// The records in order. A length that does not fit ends the iteration early; the journal's checksums make that
    /// impossible for bytes that it returned.
    pub fn records(&self) -> impl Iterator<Item = (Lsn, &[u8])> {
        let mut rest = self.bytes.as_slice();
        let mut lsn = self.first;
        std::iter::from_fn(move || {
            let (head, tail) = rest.split_first_chunk::<4>()?;
            let len = u32::from_le_bytes(*head) as usize;
            let body = tail.get(..len)?;
            rest = &tail[len..];
            let at = lsn;
            lsn = lsn.next();
            Some((at, body))
        })
    }
}

/// How much the journal can still take: its capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Capacity {
    /// Everything.
    #[default]
    Plenty,
    /// Only what releases money or capacity: cancels.
    Low,
    /// Nothing.
    Exhausted,
}

/// The writing side of a journal, as a cell uses it.
pub trait Journal {
    /// Hands `batch` over and returns it empty (with memory to reuse). Never waits for I/O. The batch's first LSN
    /// follows the last one handed over.
    fn append(&mut self, batch: &mut Batch);

    /// The highest LSN that survives a power loss. Grows monotonically.
    fn durable(&self) -> Lsn;

    /// Bytes handed over and not yet durable; the cell stops admitting commands when this grows beyond its limit.
    fn pending_bytes(&self) -> u64;

    /// Whether the disk has room; without any, new orders are refused while cancels still go
    /// (`docs/rules/reliability.md "Full disk"`).
    fn capacity(&self) -> Capacity {
        Capacity::Plenty
    }
}
