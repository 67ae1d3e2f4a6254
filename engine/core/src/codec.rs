//! The byte form of facts and entity states: variable-length integers, no field names, fixed order.
//!
//! Owns: how a number, list or text becomes bytes. Versions live one level up (`record.rs`, `entity.rs`).
//! Never does: I/O, floats, guessing. Decoding refuses what encoding cannot produce.
//! Invariants: `get(put(x)) == x`; a value's bytes do not depend on the machine.
//! Known limits: a list or text longer than the bytes that are left is refused before it is allocated.

use thiserror::Error;

/// Why bytes could not be read. Journal bytes have passed a checksum, so this means a foreign format or a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end inside a value.
    #[error("the bytes end inside a value")]
    Short,
    /// A number or tag outside of its type.
    #[error("a value is outside of its range: {0}")]
    Range(&'static str),
    /// A record kind or schema version that this build does not know.
    #[error("unknown {what} {value}; a newer version wrote this")]
    Unknown {
        /// What was unknown.
        what: &'static str,
        /// Its number.
        value: u64,
    },
    /// A fact of a kind or version that this build does not read.
    #[error("fact {kind} version {version} is unknown to this build: a newer one wrote it")]
    Fact {
        /// Its permanent number.
        kind: u8,
        /// Its version.
        version: u8,
    },
    /// Bytes left over after the value.
    #[error("{0} bytes left over after a value")]
    Trailing(usize),
}

/// Cursor over encoded bytes.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        if n > self.rest.len() {
            return Err(DecodeError::Short);
        }
        let (head, tail) = self.rest.split_at(n);
        self.rest = tail;
        Ok(head)
    }

    /// Bytes not read yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Refuses leftovers.
    pub fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError::Trailing(self.rest.len())) }
    }
}

/// A value with a byte form.
pub trait Wire: Sized {
    /// Appends the byte form.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads the byte form.
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// The lower eight groups of seven bits, a byte each: at once instead of one after the other.
fn spread(v: u64) -> u64 {
    let v = (v & 0x0fff_ffff) | (v & 0x00ff_ffff_f000_0000) << 4;
    let v = (v & 0x0000_3fff_0000_3fff) | (v & 0x0fff_c000_0fff_c000) << 2;
    (v & 0x007f_007f_007f_007f) | (v & 0x3f80_3f80_3f80_3f80) << 1
}

/// Bytes of the longest number of 63 bits.
const LONGEST_SHORT: usize = 9;

/// Most numbers are short: these are written where they stand, without a call.
#[inline]
fn put_varint(v: u128, out: &mut Vec<u8>) {
    match u64::try_from(v) {
        Ok(v) => put_short_varint(v, out),
        Err(_) => put_long_varint(v, out),
    }
}

/// The same of a number of 64 bits.
#[inline]
fn put_short_varint(v: u64, out: &mut Vec<u8>) {
    if v < 0x80 {
        out.push(v as u8);
    } else {
        put_bytes(v, out);
    }
}

/// A number of more than seven bits.
#[inline(never)]
fn put_bytes(v: u64, out: &mut Vec<u8>) {
    // Asked once, so that none of the ways below can grow the buffer, and none has to keep its numbers over a call.
    if out.capacity() - out.len() < LONGEST_SHORT {
        return put_growing(v, out);
    }
    if v < 1 << 14 {
        out.extend_from_slice(&[(v as u8) | 0x80, (v >> 7) as u8]);
    } else if v < 1 << 21 {
        out.extend_from_slice(&[(v as u8) | 0x80, (v >> 7) as u8 | 0x80, (v >> 14) as u8]);
    } else if v < 1 << 56 {
        let last = v.ilog2() / 7;
        let more = 0x8080_8080_8080_8080 & ((1 << (8 * last)) - 1);
        let end = out.len() + last as usize + 1;
        out.extend_from_slice(&(spread(v) | more).to_le_bytes());
        out.truncate(end);
    } else if v < 1 << 63 {
        // Times, above all. Added at once: a second look at the room would have all ways save registers for it.
        let [a, b, c, d, e, f, g, h] = (spread(v) | 0x8080_8080_8080_8080).to_le_bytes();
        out.extend_from_slice(&[a, b, c, d, e, f, g, h, (v >> 56) as u8]);
    } else {
        put_long_varint(v.into(), out);
    }
}

#[cold]
#[inline(never)]
fn put_growing(v: u64, out: &mut Vec<u8>) {
    out.reserve(LONGEST_SHORT);
    put_bytes(v, out);
}

#[cold]
fn put_long_varint(mut v: u128, out: &mut Vec<u8>) {
    while v >= 0x80 {
        out.push((v as u8) | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

fn get_varint(r: &mut Reader<'_>) -> Result<u128, DecodeError> {
    let mut low: u64 = 0;
    for shift in (0..63).step_by(7) {
        let byte = r.take(1)?[0];
        low |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(u128::from(low));
        }
    }
    let mut v = u128::from(low);
    for shift in (63..133).step_by(7) {
        let byte = r.take(1)?[0];
        let part = u128::from(byte & 0x7f);
        if shift == 126 && part > 3 {
            return Err(DecodeError::Range("varint"));
        }
        v |= part << shift;
        if byte < 0x80 {
            return Ok(v);
        }
    }
    Err(DecodeError::Range("varint"))
}

macro_rules! wire_unsigned {
    ($($t:ty),*) => {$(
        impl Wire for $t {
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                put_short_varint(u64::from(*self), out);
            }
            fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                <$t>::try_from(get_varint(r)?).map_err(|_| DecodeError::Range(stringify!($t)))
            }
        }
    )*};
}
wire_unsigned!(u16, u32, u64);

impl Wire for u128 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(*self, out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        get_varint(r)
    }
}

impl Wire for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(r.take(1)?[0])
    }
}

impl Wire for i128 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        put_varint(((self << 1) ^ (self >> 127)) as u128, out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let z = get_varint(r)?;
        Ok(((z >> 1) as i128) ^ -((z & 1) as i128))
    }
}

impl Wire for i64 {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        put_short_varint(((self << 1) ^ (self >> 63)) as u64, out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        i64::try_from(i128::get(r)?).map_err(|_| DecodeError::Range("i64"))
    }
}

/// Nothing, in no bytes: the id of what there is one of.
impl Wire for () {
    fn put(&self, _out: &mut Vec<u8>) {}
    fn get(_r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(())
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::get(r)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::Range("bool")),
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(v) = self {
            v.put(out);
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::get(r)? { Some(T::get(r)?) } else { None })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        for v in self {
            v.put(out);
        }
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let n = usize::try_from(u64::get(r)?).map_err(|_| DecodeError::Range("length"))?;
        if n > r.left() {
            return Err(DecodeError::Short);
        }
        // A length that lies must not ask for more memory than what it lies about.
        let mut list = Vec::with_capacity(n.min(r.left() / size_of::<T>().max(1) + 1));
        for _ in 0..n {
            list.push(T::get(r)?);
        }
        Ok(list)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let n = usize::try_from(u64::get(r)?).map_err(|_| DecodeError::Range("length"))?;
        let bytes = r.take(n)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| DecodeError::Range("text"))
    }
}

impl<const N: usize> Wire for [u8; N] {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        r.take(N)?.try_into().map_err(|_| DecodeError::Short)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok((A::get(r)?, B::get(r)?))
    }
}

/// Declares a struct whose byte form is its fields in order.
#[macro_export]
macro_rules! wire_struct {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$fmeta:meta])* pub $field:ident : $ty:ty),* $(,)? }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$fmeta])* pub $field: $ty),* }
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) { $($crate::codec::Wire::put(&self.$field, out);)* }
            fn get(r: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::codec::DecodeError> {
                Ok($name { $($field: $crate::codec::Wire::get(r)?),* })
            }
        }
    };
}

/// Declares an enum without data whose byte form is its permanent number.
#[macro_export]
macro_rules! wire_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $number:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant = $number),* }
        impl $name {
            /// Every value, in the order of the permanent numbers.
            pub const ALL: &[$name] = &[$($name::$variant),*];
        }
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) { out.push(*self as u8); }
            fn get(r: &mut $crate::codec::Reader<'_>) -> Result<Self, $crate::codec::DecodeError> {
                match <u8 as $crate::codec::Wire>::get(r)? {
                    $($number => Ok($name::$variant),)*
                    other => Err($crate::codec::DecodeError::Unknown { what: stringify!($name), value: u64::from(other) }),
                }
            }
        }
    };
}

/// Mixes `x` into a well-spread 64-bit value (the finaliser of SplitMix64); state hashes are sums of these.
#[must_use]
pub fn mix64(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Hash of a byte string, the same on every machine and in every version.
#[must_use]
pub fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut h = mix64(seed ^ (bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for chunk in bytes.chunks(8) {
        let mut word = [0u8; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = mix64(h.wrapping_add(u64::from_le_bytes(word)).wrapping_add(0x9e37_79b9_7f4a_7c15));
    }
    h
}

/// A hash of words in order, for state that is hashed too often to be written out as bytes first. It tells states apart
/// that differ by accident; somebody who chooses the words can make two that hash alike.
#[derive(Debug, Clone, Copy)]
pub struct WordHash(u64);

impl WordHash {
    /// Begins.
    #[must_use]
    pub fn new(seed: u64) -> WordHash {
        WordHash(mix64(seed))
    }

    /// Adds a word.
    #[must_use]
    pub fn word(self, word: u64) -> WordHash {
        self.pair(word, 0)
    }

    /// Adds two words: both halves of one wide product, so that sixteen bytes cost one multiplication.
    #[must_use]
    pub fn pair(self, a: u64, b: u64) -> WordHash {
        let product = u128::from(self.0 ^ a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
        WordHash((product as u64 ^ (product >> 64) as u64).wrapping_add(self.0.rotate_left(23)))
    }

    /// Adds a wide number.
    #[must_use]
    pub fn wide(self, value: i128) -> WordHash {
        self.pair(value as u64, (value >> 64) as u64)
    }

    /// The hash.
    #[must_use]
    pub fn end(self) -> u64 {
        mix64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip<T: Wire + PartialEq + std::fmt::Debug>(v: T) {
        let mut out = Vec::new();
        v.put(&mut out);
        let mut r = Reader::new(&out);
        assert_eq!(T::get(&mut r).unwrap(), v);
        r.finish().unwrap();
    }

    proptest! {
        #[test]
        fn every_number_comes_back(a: i128, b: u64, c: i64, d: u128, e: Option<u32>, f: Vec<u16>, g: String) {
            round_trip(a);
            round_trip(b);
            round_trip(c);
            round_trip(d);
            round_trip(e);
            round_trip(f);
            round_trip(g);
        }

        #[test]
        fn a_number_of_any_length_has_seven_bits_a_byte(number: u128, shift in 0..128_u32) {
            let number = number >> shift;
            let mut out = Vec::new();
            number.put(&mut out);
            let groups = (1 + number.checked_ilog2().unwrap_or(0) / 7) as usize;
            let of = |n: usize| (number >> (7 * n)) as u8 & 0x7f | if n + 1 < groups { 0x80 } else { 0 };
            prop_assert_eq!(out, (0..groups).map(of).collect::<Vec<u8>>());
            round_trip(number);
        }

        #[test]
        fn no_byte_string_panics_or_allocates_beyond_itself(bytes: Vec<u8>) {
            let _ = Vec::<String>::get(&mut Reader::new(&bytes));
            let _ = i128::get(&mut Reader::new(&bytes));
            let _ = Option::<(u64, bool)>::get(&mut Reader::new(&bytes));
        }
    }

    #[test]
    fn the_ends_of_the_ranges_come_back() {
        round_trip(i128::MIN);
        round_trip(i128::MAX);
        round_trip(u128::MAX);
        round_trip(i64::MIN);
    }
}
