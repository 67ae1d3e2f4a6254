//! A byte form for entries that stay in memory: about as short as that of a record, and written in a quarter of the time.
//!
//! Owns: how words and a text are packed: a head with the length of each word, half a byte each, then of each word the
//! bytes that it needs, then the text. Never does: reach a disk; records and snapshots have forms of their own
//! (`codec.rs`). Invariants: what is unpacked is what was packed.
//! Known limits: [`MOST`] bytes an entry; the number of words is fixed for a type.

use crate::codec::{Reader, Wire};
use crate::ids::{AssetId, MarketId};
use crate::money::Amount;
use crate::spot::facts::Units;

/// Bytes of an entry at most.
const MOST: usize = 256;
/// Bytes of a text at most: that of a client order id.
const LONGEST_TEXT: usize = 36;
const WORD: usize = size_of::<u64>();

/// What is kept packed.
pub trait Packed: Sized {
    /// All its numbers.
    type Words: AsRef<[u64]>;
    /// How many they are.
    const WORDS: usize = size_of::<Self::Words>() / WORD;
    /// Its numbers.
    fn words(&self) -> Self::Words;
    /// How many of them, from the first on, may be more than nothing.
    fn used(&self) -> usize {
        Self::WORDS
    }
    /// What is not a number.
    fn text(&self) -> &str {
        ""
    }
    /// The same again.
    fn of(unpacker: &mut Unpacker<'_>) -> Self;
}

/// A number that may be negative, as a word.
pub(super) fn signed(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// An amount, as two words.
pub(super) fn amount(Amount(n): Amount) -> [u64; 2] {
    let folded = ((n << 1) ^ (n >> 127)) as u128;
    [folded as u64, (folded >> 64) as u64]
}

/// What [`signed`] made.
pub(super) fn signed_of(word: u64) -> i64 {
    (word >> 1) as i64 ^ -((word & 1) as i64)
}

/// What [`amount`] made.
pub(super) fn amount_of([low, high]: [u64; 2]) -> Amount {
    let z = u128::from(high) << 64 | u128::from(low);
    Amount((z >> 1) as i128 ^ -((z & 1) as i128))
}

/// Units, as four words.
pub(super) fn units(u: &Units) -> [u64; 4] {
    let (market, base) = (u64::from(u.market.0), u64::from(u.base.0));
    [market << 32 | base, u64::from(u.quote.0), signed(u.lot_units), signed(u.tick_lot_units)]
}

/// Gives the packed entry to `use_it`.
pub(super) fn pack<T: Packed, R>(item: &T, use_it: impl FnOnce(&[u8]) -> R) -> R {
    const { assert!(T::WORDS.div_ceil(2) + WORD * T::WORDS + LONGEST_TEXT <= MOST, "an entry fits") };
    let mut bytes = [0; MOST + WORD];
    let words = item.words();
    let mut end = T::WORDS.div_ceil(2);
    for (n, pair) in words.as_ref()[..item.used()].chunks(2).enumerate() {
        for (half, word) in pair.iter().enumerate() {
            let length = (u64::BITS + 7 - word.leading_zeros()) / 8;
            bytes[n] |= (length as u8) << (4 * half);
            // An entry fits, as is asserted above; this says so without a comparison.
            end %= MOST;
            bytes[end..end + WORD].copy_from_slice(&word.to_le_bytes());
            end += length as usize;
        }
    }
    let text = item.text().as_bytes();
    bytes[end..end + text.len()].copy_from_slice(text);
    use_it(&bytes[..end + text.len()])
}

/// The entry that `bytes` are.
pub(super) fn unpack<T: Packed>(bytes: &[u8]) -> T {
    T::of(&mut Unpacker { bytes, words: 0, at: T::WORDS.div_ceil(2) })
}

/// Gives the words of one entry, one after the other.
#[derive(Debug)]
pub struct Unpacker<'a> {
    bytes: &'a [u8],
    words: usize,
    at: usize,
}

impl Unpacker<'_> {
    /// The next word.
    pub fn word(&mut self) -> u64 {
        let length = usize::from(self.bytes[self.words / 2] >> (4 * (self.words % 2)) & 0xf);
        self.words += 1;
        let mut word = [0; WORD];
        word[..length].copy_from_slice(&self.bytes[self.at..self.at + length]);
        self.at += length;
        u64::from_le_bytes(word)
    }

    /// What [`signed`] made.
    pub fn signed(&mut self) -> i64 {
        signed_of(self.word())
    }

    /// What [`amount`] made.
    pub fn amount(&mut self) -> Amount {
        amount_of([self.word(), self.word()])
    }

    /// What [`units`] made.
    pub fn units(&mut self) -> Units {
        let (pair, quote) = (self.word(), self.word());
        let (market, base) = (MarketId((pair >> 32) as u16), AssetId(pair as u32));
        let (lot_units, tick_lot_units) = (self.signed(), self.signed());
        Units { market, base, quote: AssetId(quote as u32), lot_units, tick_lot_units }
    }

    /// The text, behind the last word.
    pub fn text(&mut self) -> &str {
        std::str::from_utf8(&self.bytes[self.at..]).unwrap_or_default()
    }
}

/// The lowest of several small numbers in one word, which is left with the others.
pub(super) fn small<T: Wire>(numbers: &mut u64) -> T {
    let number = *numbers as u8;
    *numbers >>= 8;
    T::get(&mut Reader::new(&[number])).expect("what was packed has its number")
}
