//! Bytes as hexadecimal text.
//!
//! Owns: the two directions. Never does: accept a prefix, spaces or an odd number of digits.
//! Invariants: `decode(encode(x)) == x`. Known limits: none.

/// Lower-case digits, two a byte.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of `text`; none when it is not made of pairs of digits.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let nibble = |c: &u8| char::from(*c).to_digit(16).and_then(|n| u8::try_from(n).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(nibble(high)? << 4 | nibble(low)?);
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

/// The 32 bytes of a hash; none when `text` has another length.
#[must_use]
pub fn hash(text: &str) -> Option<[u8; 32]> {
    decode(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_anything_else_is_refused() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
        assert_eq!(decode("0aF"), None);
        assert_eq!(decode("0x"), None);
        assert_eq!(decode("é"), None);
        assert_eq!(hash("00"), None);
        assert_eq!(hash(&"aB".repeat(32)), Some([0xab; 32]));
    }
}
