//! Conversion at the edge of the system: texts and numbers of calls become amounts, ticks and lots here and nowhere else.
//!
//! Texts are read as `rust_decimal`; the engine's exact numbers read only the texts of tests and settings. Numbers are written
//! digit by digit: an answer with candles has 15,000 of them, and a decimal takes ten times as long.
//!
//! Rules: `docs/rules/money.md "Decimals in requests"`: `^-?\d{1,20}(\.\d{1,20})?$`, everything else is a parameter error; a
//! price or quantity that is not a multiple of its step is refused, never rounded.
//!
//! Owns: the conversion, both ways. Never does: round; use a float. Invariants: what is taken is exactly what was
//! written. Known limits: 20 digits before and behind the point.

use rust_decimal::Decimal;
use xng_core::money::{Amount, Lots, MAX_AMOUNT, Ticks};
use xng_core::spot::MarketParams;

/// Why a text is not the number that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadNumber {
    /// Not a plain decimal.
    Shape,
    /// More digits than the ledger keeps, or too large.
    Range,
    /// Not a multiple of the step.
    Step,
}

/// Reads an amount in units of 1e-8.
pub fn amount(text: &str) -> Result<Amount, BadNumber> {
    let body = text.strip_prefix('-').unwrap_or(text);
    let (whole, frac) = body.split_once('.').unwrap_or((body, "0"));
    let digits = |s: &str| !s.is_empty() && s.len() <= 20 && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(frac) {
        return Err(BadNumber::Shape);
    }
    // A decimal has 28 digits: zeros at the end say nothing, and what has more than eight others is no amount.
    let frac = frac.trim_end_matches('0');
    if frac.len() > SCALE as usize {
        return Err(BadNumber::Range);
    }
    let plain = &body[..whole.len() + if frac.is_empty() { 0 } else { 1 + frac.len() }];
    let mut number = Decimal::from_str_exact(plain).map_err(|_| BadNumber::Range)?;
    number.rescale(SCALE);
    if number.scale() != SCALE || number.mantissa() > MAX_AMOUNT.0 {
        return Err(BadNumber::Range);
    }
    Ok(Amount(if text.starts_with('-') { -number.mantissa() } else { number.mantissa() }))
}

/// Decimals of an amount.
const SCALE: u32 = 8;

/// A price as ticks of a market.
pub fn ticks(price: Amount, params: &MarketParams) -> Result<Ticks, BadNumber> {
    multiple_of(price, params.tick).map(Ticks)
}

/// A quantity as lots of a market.
pub fn lots(quantity: Amount, params: &MarketParams) -> Result<Lots, BadNumber> {
    multiple_of(quantity, params.step).map(Lots)
}

/// How often a step is in a value.
///
/// # Errors
/// `Step` when it is no whole number of times, `Range` when too often.
pub fn multiple_of(value: Amount, step: Amount) -> Result<i64, BadNumber> {
    if value.0 % step.0 != 0 {
        return Err(BadNumber::Step);
    }
    i64::try_from(value.0 / step.0).map_err(|_| BadNumber::Range)
}

/// A market's price in quote for one base.
#[must_use]
pub fn price_of(ticks: Ticks, params: &MarketParams) -> Amount {
    Amount(i128::from(ticks.0) * params.tick.0)
}

/// Decimals of a step (`0.01` has 2).
#[must_use]
pub fn decimals(step: Amount) -> usize {
    step.to_string().split_once('.').map_or(0, |(_, frac)| frac.len())
}

/// Whole units of a chain as an amount with so many decimal places, without a zero at the end. No sum of a chain is too large.
#[must_use]
pub fn units_text(units: u128, decimals: u8) -> String {
    let places = usize::from(decimals);
    let digits = format!("{units:0>width$}", width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    let part = part.trim_end_matches('0');
    if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
}

/// With exactly `places` decimals, cut never rounded up: for market data whose step has that many anyway.
#[must_use]
pub fn fixed(value: Amount, places: usize) -> String {
    let mut text = String::with_capacity(24);
    put_fixed(&mut text, value, places);
    text
}

/// Digits of the longest number that fits into a word.
const WORD_DIGITS: usize = 20;

/// Appends a number with zeros in front up to so many digits.
fn put_digits(out: &mut String, mut number: u64, least: usize) {
    let (mut digits, mut at) = ([b'0'; WORD_DIGITS], WORD_DIGITS);
    while number > 0 {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    let from = at.min(WORD_DIGITS - least.min(WORD_DIGITS));
    out.push_str(std::str::from_utf8(&digits[from..]).unwrap_or_default());
}

/// Appends what [`fixed`] gives.
pub fn put_fixed(out: &mut String, value: Amount, places: usize) {
    let kept = places.min(SCALE as usize);
    let number = value.0.unsigned_abs() / 10_u128.pow(SCALE - kept as u32);
    if value.0 < 0 && number > 0 {
        out.push('-');
    }
    let (whole, behind) = match u64::try_from(number) {
        // Nearly every number fits into a word, which is divided far quicker.
        Ok(word) => {
            let unit = 10_u64.pow(kept as u32);
            (u128::from(word / unit), word % unit)
        }
        Err(_) => {
            let unit = 10_u128.pow(kept as u32);
            (number / unit, (number % unit) as u64)
        }
    };
    match u64::try_from(whole) {
        Ok(word) => put_digits(out, word, 1),
        Err(_) => out.push_str(&whole.to_string()),
    }
    if places > 0 {
        out.push('.');
        put_digits(out, behind, kept);
        out.extend(std::iter::repeat_n('0', places - kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_numbers() {
        for bad in ["", " 1", "1 ", "+1", "1e9", "NaN", "0x1", "１", ".5", "5.", "1.2.3", "--1", "1_000", "inf"] {
            assert_eq!(amount(bad), Err(BadNumber::Shape), "{bad:?}");
        }
        assert_eq!(amount(&"9".repeat(21)), Err(BadNumber::Shape));
        assert_eq!(amount("0.303"), Ok(Amount(30_300_000)));
        assert_eq!(amount("-12"), Ok(Amount(-1_200_000_000)));
        assert_eq!(amount("1.10000000000000000000"), Ok(Amount(110_000_000)));
        assert_eq!(amount("12345678901.10000000000000000000"), Ok(Amount(1_234_567_890_110_000_000)), "31 digits");
        assert_eq!(amount("0.000000001"), Err(BadNumber::Range));
        assert_eq!(amount(&"9".repeat(20)), Err(BadNumber::Range));
    }

    #[test]
    fn the_edge_reads_what_the_engine_writes_and_means_the_same() {
        let texts = ["0", "-0", "1", "0.00000001", "-0.5", "92233720368547758.07", "00012.50", "99999999999999999999"];
        for text in texts {
            assert_eq!(amount(text).ok(), text.parse::<Amount>().ok(), "{text}");
        }
        for units in [0, 1, -1, 99_999_999, 100_000_001, -123_456_789_012_345, MAX_AMOUNT.0, -MAX_AMOUNT.0] {
            assert_eq!(amount(&Amount(units).to_string()), Ok(Amount(units)));
        }
    }

    #[test]
    fn units_of_a_chain_are_amounts() {
        let all = [(0, 8), (150_000_000, 8), (1, 18), (1_000_000, 6), (7, 0), (u128::MAX, 18)];
        let texts = all.map(|(units, decimals)| units_text(units, decimals));
        assert_eq!(texts, ["0", "1.5", "0.000000000000000001", "1", "7", "340282366920938463463.374607431768211455"]);
    }

    #[test]
    fn fixed_decimals_are_padded() {
        assert_eq!(fixed(Amount(-199_999_999), 2), "-1.99", "cut, not rounded");
        assert_eq!(fixed(MAX_AMOUNT, 8), format!("{MAX_AMOUNT}.00000000"));
        assert_eq!(fixed(Amount(6_312_345_000_000), 2), "63123.45");
        assert_eq!(fixed(Amount::whole(5), 2), "5.00");
        assert_eq!(fixed(Amount(100_000), 5), "0.00100");
        assert_eq!(fixed(Amount::whole(7), 0), "7");
    }

    #[test]
    fn what_is_written_digit_by_digit_is_what_a_decimal_writes() {
        let word = i128::from(u64::MAX);
        for units in
            [0, 1, 9, 10, 99_999_999, 100_000_000, 123_456_789_012, word - 1, word, word + 1, 77 * word, MAX_AMOUNT.0]
        {
            for (units, places) in (0..=10).flat_map(|places| [(units, places), (-units, places)]) {
                let cut = Decimal::from_i128_with_scale(units, SCALE).trunc_with_scale(places as u32);
                let cut = if cut.is_zero() { Decimal::ZERO } else { cut };
                assert_eq!(fixed(Amount(units), places), format!("{cut:.places$}"), "{units} {places}");
            }
        }
    }
}
