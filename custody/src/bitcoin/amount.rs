//! Amounts as a node writes them: a decimal number of coins.
//!
//! Owns: reading that text exactly. Never does: floats; round. Invariants: the result is what the text says, or there is
//! none. Known limits: exponents are refused; nodes do not write them.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

/// All coins that there can ever be, in satoshi.
pub(super) const ALL: u64 = 21_000_000 * COIN;
const COIN: u64 = 100_000_000;

/// The satoshi of a decimal number of coins, such as `0.00012345`; none when it is negative, finer than a satoshi, more
/// than all coins, or not such a number.
#[must_use]
pub fn satoshi(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    if !digits(whole) || !digits(part) || (part.len() > 8 && !part[8..].bytes().all(|c| c == b'0')) {
        return None;
    }
    let part = format!("{:0<8}", &part[..part.len().min(8)]);
    let units = whole.parse::<u64>().ok()?.checked_mul(COIN)?.checked_add(part.parse().ok()?)?;
    (units <= ALL).then_some(units)
}

/// For fields of answers: the number's text, not a float made of it.
pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let text = Box::<RawValue>::deserialize(from)?;
    satoshi(text.get()).ok_or_else(|| D::Error::custom(format_args!("{:.40} is no amount", text.get())))
}

/// As [`read`], of a field that may be missing.
pub(super) fn read_optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    read(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_exactly_or_not_at_all() {
        assert_eq!(satoshi("0.00000001"), Some(1));
        assert_eq!(satoshi("0.1"), Some(10_000_000));
        assert_eq!(satoshi("50"), Some(50 * COIN));
        assert_eq!(satoshi("20999999.97690000"), Some(2_099_999_997_690_000));
        assert_eq!(satoshi("1.000000000"), Some(COIN));
        assert_eq!(satoshi("21000000.00000000"), Some(ALL));
        let wrong = ["", ".", "1.", ".5", "-1", "+1", "1e-8", "0.000000001", "21000000.00000001", "1,5", " 1", "null"];
        for text in wrong.into_iter().chain(["999999999999999999999", "184467440738.0", "\"1.0\"", "1.0.0", "٣"]) {
            assert_eq!(satoshi(text), None, "{text}");
        }
    }

    #[test]
    fn the_nearest_float_is_not_what_a_field_becomes() {
        #[derive(Deserialize)]
        struct Field {
            #[serde(deserialize_with = "read")]
            value: u64,
        }
        let read = |text: &str| serde_json::from_str::<Field>(text).map(|field| field.value).ok();
        assert_eq!(read(r#"{"value": 20999999.99999999}"#), Some(2_099_999_999_999_999));
        assert_eq!(read(r#"{"value": 0.29}"#), Some(29_000_000));
        assert_eq!(read(r#"{"value": "0.29"}"#), None);
        assert_eq!(read(r#"{"value": [1]}"#), None);
    }
}
