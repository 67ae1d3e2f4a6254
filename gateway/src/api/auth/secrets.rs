//! Secrets from the operating system's generator, and how they are kept.
//!
//! Owns: how tokens, codes and names of files are drawn. Never does: store one in the clear. Invariants: a token has
//! 256 bits. Known limits: a code has six digits; limits on tries make up for that.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What a database keeps of a secret.
#[must_use]
pub fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system's random generator works");
    bytes
}

/// A new session token: 256 bits.
#[must_use]
pub fn token() -> String {
    URL_SAFE_NO_PAD.encode(random::<32>())
}

/// A name that nobody guesses: 128 bits in hex.
#[must_use]
pub fn file_name() -> String {
    hex(&random::<16>())
}

/// Bytes as small hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// So many letters and digits, evenly spread: 5.95 bits each.
#[must_use]
pub fn alphanumeric(count: usize) -> String {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut text = String::with_capacity(count);
    while text.len() < count {
        // 248 is four times 62: what lies above would favour the first letters.
        let drawn = random::<64>().into_iter().filter(|byte| *byte < 248);
        text.extend(drawn.map(|byte| char::from(ALPHABET[usize::from(byte) % 62])).take(count - text.len()));
    }
    text
}

/// A new verification code: six digits, evenly spread.
#[must_use]
pub fn code() -> String {
    loop {
        // 4,294,000,000 is the largest multiple of a million below 2^32: what lies above would favour small codes.
        let n = u32::from_le_bytes(random());
        if n < 4_294_000_000 {
            return format!("{:06}", n % 1_000_000);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_letters_are_as_many_as_asked_for() {
        for count in [1, 22, 64, 200] {
            let text = alphanumeric(count);
            assert!(text.len() == count && text.bytes().all(|b| b.is_ascii_alphanumeric()), "{text}");
        }
        assert_ne!(alphanumeric(64), alphanumeric(64));
    }

    #[test]
    fn codes_have_six_digits_and_tokens_differ() {
        for _ in 0..100 {
            assert!(code().len() == 6 && code().bytes().all(|b| b.is_ascii_digit()));
        }
        assert_ne!(token(), token());
        assert_eq!(token().len(), 43);
    }
}
