//! One-time codes of authenticators (RFC 6238): SHA-1, six digits, steps of 30 seconds, one step either way.
//!
//! Owns: how a code follows from a secret and a time, and how an authenticator is told a secret. Never does: keep a secret or
//! remember which step was spent; the office does. Invariants: comparing takes as long for a wrong code as for a right one.
//! Known limits: SHA-1, since common authenticators know nothing else; in an HMAC it is not broken.

use data_encoding::BASE32_NOPAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use subtle::ConstantTimeEq;

/// Bytes of a secret, as RFC 4226 recommends.
pub(super) const SECRET_BYTES: usize = 20;
const STEP_MS: u64 = 30_000;
const DIGITS: u32 = 6;
/// What a URI shows as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The step of a moment, milliseconds since the epoch.
fn step_at(now_ms: u64) -> u64 {
    now_ms / STEP_MS
}

/// The code of a step.
fn code(secret: &[u8], step: u64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let tag = tag.as_ref();
    // RFC 4226, 5.3: the last four bits say which four bytes are taken, without their sign.
    let at = usize::from(tag[tag.len() - 1] & 0xf);
    let taken = u32::from_be_bytes([tag[at], tag[at + 1], tag[at + 2], tag[at + 3]]) & 0x7fff_ffff;
    format!("{:06}", taken % 10_u32.pow(DIGITS))
}

fn equal(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

/// The newest step around now that a code is of.
pub(super) fn step_of(secret: &[u8], given: &str, now_ms: u64) -> Option<u64> {
    let now = step_at(now_ms);
    let steps = now.saturating_sub(1)..=now + 1;
    steps.fold(None, |found, step| if equal(&code(secret, step), given) { Some(step) } else { found })
}

/// The second of two steps that follow each other, which the codes are of: the second is around now.
pub(super) fn steps_of(secret: &[u8], (first, second): (&str, &str), now_ms: u64) -> Option<u64> {
    let now = step_at(now_ms);
    let mut seconds = now.saturating_sub(1).max(1)..=now + 1;
    seconds.find(|step| equal(&code(secret, step - 1), first) & equal(&code(secret, *step), second))
}

/// A secret as a person types it.
pub(super) fn text_of(secret: &[u8]) -> String {
    BASE32_NOPAD.encode(secret)
}

/// A secret as an authenticator scans it.
pub(super) fn uri(issuer: &str, account: &str, secret: &[u8]) -> String {
    let (issuer, account) = (utf8_percent_encode(issuer, ESCAPED), utf8_percent_encode(account, ESCAPED));
    let secret = text_of(secret);
    format!(
        "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits={DIGITS}&period=30"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8; 20] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_rfc() {
        // RFC 6238, appendix B, its last six digits.
        for (seconds, expected) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(SECRET, step_at(seconds * 1_000)), expected, "{seconds}");
        }
    }

    #[test]
    fn a_code_counts_one_step_early_or_late() {
        let now_ms = 1_111_111_111_000;
        let now = step_at(now_ms);
        for (step, counts) in [(now - 2, false), (now - 1, true), (now, true), (now + 1, true), (now + 2, false)] {
            assert_eq!(step_of(SECRET, &code(SECRET, step), now_ms), counts.then_some(step));
        }
        for bad in ["", "28708", "2870820", "abcdef"] {
            assert_eq!(step_of(SECRET, bad, now_ms), None);
        }
    }

    #[test]
    fn two_codes_must_follow_each_other() {
        let now_ms = 1_111_111_111_000;
        let now = step_at(now_ms);
        let given = |first, second| steps_of(SECRET, (&code(SECRET, first), &code(SECRET, second)), now_ms);
        assert_eq!((given(now - 1, now), given(now - 2, now - 1)), (Some(now), Some(now - 1)));
        assert_eq!((given(now, now), given(now, now - 1), given(now - 1, now + 1)), (None, None, None));
        assert_eq!(given(now - 3, now - 2), None, "too late");
    }

    #[test]
    fn an_authenticator_is_told_the_secret_with_what_it_shows() {
        assert_eq!(
            uri("Meridian Ltd", "a+b@example.com", SECRET),
            "otpauth://totp/Meridian%20Ltd:a%2Bb%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=Meridian%20Ltd&algorithm=SHA1&digits=6&period=30"
        );
    }
}
