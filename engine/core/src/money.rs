//! Money, prices and quantities as integers in types of their own.
//!
//! Owns: `Amount` (units of 1e-8 of one asset), `Ticks`, `Lots`, `FeePpm`, and `Exact` for formulas.
//! Never does: floats, silent overflow, silent rounding.
//! Invariants: arithmetic is checked and panics on overflow (a bug, fail stop): inputs are bounded far below.
//! Rules: `docs/rules/money.md "Rounding"`: divisions to 20 significant digits half-up, one rounding to 8 decimals half
//! away from zero where an amount touches the ledger.
//! Known limits: a fee or price has eight decimals at most.

use crate::codec::{DecodeError, Reader, Wire};
use ethnum::I256;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// Units in one whole of an asset.
pub const ONE: i128 = 100_000_000;
/// Decimals of the ledger.
pub const SCALE: u32 = 8;
/// The largest amount that a command may name: ten million million wholes, so that sums stay far inside `i128`.
pub const MAX_AMOUNT: Amount = Amount(10_000_000_000_000 * ONE);

/// An amount of one asset in units of 1e-8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(pub i128);

impl Amount {
    /// Nothing.
    pub const ZERO: Amount = Amount(0);

    /// `n` wholes.
    #[must_use]
    pub const fn whole(n: i64) -> Amount {
        Amount(n as i128 * ONE)
    }

    /// Greater than zero.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Less than zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Exactly zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self * ppm / 1e6` rounded once, half away from zero.
    #[must_use]
    pub fn share_ppm(self, ppm: u32) -> Amount {
        // Nearly all products fit 64 bits, where dividing by a constant is a multiplication; in 128 bits it is a loop.
        if let Some(n) = i64::try_from(self.0).ok().and_then(|n| n.checked_mul(ppm.into())) {
            return Amount(i128::from(n / MILLION + i64::from((n % MILLION).abs() * 2 >= MILLION) * n.signum()));
        }
        let product = self.0.checked_mul(i128::from(ppm)).expect("amount times ppm");
        Amount(div_half_up(product, i128::from(MILLION)))
    }

    /// The same, rounded down.
    #[must_use]
    #[inline]
    pub fn share_ppm_down(self, ppm: u32) -> Amount {
        if let Some(n) = i64::try_from(self.0).ok().and_then(|n| n.checked_mul(ppm.into())) {
            return Amount(i128::from(n.div_euclid(MILLION)));
        }
        let product = self.0.checked_mul(i128::from(ppm)).expect("amount times ppm");
        Amount(product.div_euclid(i128::from(MILLION)))
    }
}

const MILLION: i64 = 1_000_000;

fn div_half_up(n: i128, d: i128) -> i128 {
    let q = n / d;
    let r = (n % d).abs();
    if r * 2 >= d.abs() { q + (n.signum() * d.signum()) } else { q }
}

impl Add for Amount {
    type Output = Amount;
    fn add(self, o: Amount) -> Amount {
        Amount(self.0.checked_add(o.0).expect("amount overflow"))
    }
}
impl Sub for Amount {
    type Output = Amount;
    fn sub(self, o: Amount) -> Amount {
        Amount(self.0.checked_sub(o.0).expect("amount overflow"))
    }
}
impl Neg for Amount {
    type Output = Amount;
    fn neg(self) -> Amount {
        Amount(self.0.checked_neg().expect("amount overflow"))
    }
}
impl AddAssign for Amount {
    fn add_assign(&mut self, o: Amount) {
        *self = *self + o;
    }
}
impl SubAssign for Amount {
    fn sub_assign(&mut self, o: Amount) {
        *self = *self - o;
    }
}
impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(iter: I) -> Amount {
        iter.fold(Amount::ZERO, Add::add)
    }
}

impl fmt::Display for Amount {
    /// Plain decimal notation without trailing zeros: `0.303`, `-12`, `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let abs = self.0.unsigned_abs();
        let (whole, frac) = (abs / ONE as u128, abs % ONE as u128);
        if frac == 0 {
            return write!(f, "{sign}{whole}");
        }
        let mut digits = [b'0'; SCALE as usize];
        let mut left = frac;
        for d in digits.iter_mut().rev() {
            *d = b'0' + (left % 10) as u8;
            left /= 10;
        }
        let kept = digits.iter().rposition(|d| *d != b'0').map_or(0, |i| i + 1);
        write!(f, "{sign}{whole}.{}", std::str::from_utf8(&digits[..kept]).unwrap_or_default())
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseAmountError {
    /// Not `-?digits[.digits]`.
    #[error("not a plain decimal number")]
    Shape,
    /// More than eight decimals that are not zero.
    #[error("more than 8 decimals")]
    Precision,
    /// Beyond [`MAX_AMOUNT`].
    #[error("the number is too large")]
    TooLarge,
}

impl FromStr for Amount {
    type Err = ParseAmountError;
    fn from_str(text: &str) -> Result<Amount, ParseAmountError> {
        let exact = Exact::from_str(text)?;
        exact
            .to_amount_exact()
            .ok_or(ParseAmountError::Precision)
            .and_then(|a| if a.0.abs() > MAX_AMOUNT.0 { Err(ParseAmountError::TooLarge) } else { Ok(a) })
    }
}

impl Wire for Amount {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Amount(i128::get(r)?))
    }
}

macro_rules! quantity {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub struct $name(pub i64);
        impl $name {
            /// None at all.
            pub const ZERO: $name = $name(0);
            /// Exactly zero.
            #[must_use]
            pub fn is_zero(self) -> bool {
                self.0 == 0
            }
        }
        impl Add for $name {
            type Output = $name;
            fn add(self, o: $name) -> $name {
                $name(self.0.checked_add(o.0).expect("quantity overflow"))
            }
        }
        impl Sub for $name {
            type Output = $name;
            fn sub(self, o: $name) -> $name {
                $name(self.0.checked_sub(o.0).expect("quantity overflow"))
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, o: $name) {
                *self = *self + o;
            }
        }
        impl SubAssign for $name {
            fn sub_assign(&mut self, o: $name) {
                *self = *self - o;
            }
        }
        impl Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }
            fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok($name(i64::get(r)?))
            }
        }
    };
}

quantity!(
    /// A price as a multiple of the market's tick.
    Ticks
);
quantity!(
    /// A quantity as a multiple of the market's step.
    Lots
);

/// A rate in parts per million (0.1 % = 1,000).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct FeePpm(pub u32);

impl FeePpm {
    /// The fee on `received`, rounded once (`docs/rules/spot.md "Fees"`).
    #[must_use]
    pub fn of(self, received: Amount) -> Amount {
        received.share_ppm(self.0)
    }
}

impl Wire for FeePpm {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(FeePpm(u32::get(r)?))
    }
}

/// A decimal of arbitrary position in a 256-bit integer: `mantissa * 10^-scale`. Sums and products are exact; a
/// division says how it rounds.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    mantissa: I256,
    scale: u32,
}

/// Significant digits that a division keeps (decimal.js `precision: 20`).
pub const DIVISION_DIGITS: u32 = 20;

fn pow10(n: u32) -> I256 {
    I256::from(10).pow(n)
}

fn digits_of(mut v: I256) -> u32 {
    let mut n = 0;
    while v != 0 {
        v /= 10;
        n += 1;
    }
    n
}

fn wide_div_half_up(n: I256, d: I256) -> I256 {
    let q = n / d;
    let r = (n % d).abs();
    if r >= d.abs() - r { q + n.signum() * d.signum() } else { q }
}

impl Eq for Exact {}

impl Wire for Exact {
    fn put(&self, out: &mut Vec<u8>) {
        self.scale.put(out);
        self.mantissa.to_le_bytes().put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let scale = u32::get(r)?;
        // More digits than 256 bits have would overflow when it is aligned.
        if scale > 77 {
            return Err(DecodeError::Range("decimals"));
        }
        Ok(Exact { mantissa: I256::from_le_bytes(Wire::get(r)?), scale })
    }
}

impl Exact {
    /// `mantissa * 10^-scale`.
    #[must_use]
    pub fn new(mantissa: i128, scale: u32) -> Exact {
        Exact { mantissa: I256::from(mantissa), scale }
    }

    fn aligned(self, o: Exact) -> (I256, I256, u32) {
        let scale = self.scale.max(o.scale);
        let up = |e: Exact| e.mantissa.checked_mul(pow10(scale - e.scale)).expect("exact overflow");
        (up(self), up(o), scale)
    }

    /// The sum, exactly.
    #[must_use]
    pub fn plus(self, o: Exact) -> Exact {
        let (a, b, scale) = self.aligned(o);
        Exact { mantissa: a.checked_add(b).expect("exact overflow"), scale }
    }

    /// The product, exactly.
    #[must_use]
    pub fn times(self, o: Exact) -> Exact {
        let mantissa = self.mantissa.checked_mul(o.mantissa).expect("exact overflow");
        Exact { mantissa, scale: self.scale + o.scale }.trimmed()
    }

    /// The quotient to 20 significant digits, ties away from zero (`docs/rules/money.md "Rounding"`). `None` for a zero
    /// divisor.
    #[must_use]
    pub fn div_sig20_half_up(self, o: Exact) -> Option<Exact> {
        if o.mantissa == 0 {
            return None;
        }
        if self.mantissa == 0 {
            return Some(Exact::new(0, 0));
        }
        let (mut n, mut d) = (self.trimmed(), o.trimmed());
        // One digit more than asked for tells where to round; the remainder decides ties exactly.
        let have = digits_of(n.mantissa) as i64 - digits_of(d.mantissa) as i64;
        let shift = i64::from(DIVISION_DIGITS) + 1 - have;
        let mut scale = i64::from(n.scale) - i64::from(d.scale) + shift;
        if shift >= 0 {
            n.mantissa = n.mantissa.checked_mul(pow10(shift as u32)).expect("exact overflow");
        } else {
            d.mantissa = d.mantissa.checked_mul(pow10((-shift) as u32)).expect("exact overflow");
        }
        let excess = digits_of(n.mantissa / d.mantissa) - DIVISION_DIGITS;
        d.mantissa = d.mantissa.checked_mul(pow10(excess)).expect("exact overflow");
        scale -= i64::from(excess);
        let mut mantissa = wide_div_half_up(n.mantissa, d.mantissa);
        if scale < 0 {
            mantissa = mantissa.checked_mul(pow10((-scale) as u32)).expect("exact overflow");
            scale = 0;
        }
        Some(Exact { mantissa, scale: scale as u32 }.trimmed())
    }

    /// Rounded to `scale` decimals, ties away from zero.
    #[must_use]
    pub fn round_half_up(self, scale: u32) -> Exact {
        if self.scale <= scale {
            return self;
        }
        Exact { mantissa: wide_div_half_up(self.mantissa, pow10(self.scale - scale)), scale }
    }

    /// Rounded to the ledger's eight decimals.
    #[must_use]
    pub fn round8(self) -> Amount {
        let r = self.round_half_up(SCALE);
        let mantissa = r.mantissa.checked_mul(pow10(SCALE - r.scale)).expect("exact overflow");
        Amount(i128::try_from(mantissa).expect("amount overflow"))
    }

    /// As a fraction, in units of 1e-8.
    #[must_use]
    pub fn units(self) -> crate::fraction::Fraction {
        crate::fraction::Fraction::of(
            self.mantissa.checked_mul(pow10(SCALE)).expect("exact overflow"),
            pow10(self.scale),
        )
    }

    fn to_amount_exact(self) -> Option<Amount> {
        let t = self.trimmed();
        if t.scale > SCALE {
            return None;
        }
        Some(t.round8())
    }

    fn trimmed(mut self) -> Exact {
        while self.scale > 0 && self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        self
    }
}

impl From<Amount> for Exact {
    fn from(a: Amount) -> Exact {
        Exact::new(a.0, SCALE)
    }
}

impl FromStr for Exact {
    type Err = ParseAmountError;
    /// Reads `-?\d{1,20}(\.\d{1,20})?` (`docs/rules/money.md "Decimals in requests"`).
    fn from_str(text: &str) -> Result<Exact, ParseAmountError> {
        let (negative, body) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, frac) = match body.split_once('.') {
            Some((_, "")) => return Err(ParseAmountError::Shape),
            Some((w, f)) => (w, f),
            None => (body, ""),
        };
        if whole.is_empty() || whole.len() > 20 || frac.len() > 20 {
            return Err(ParseAmountError::Shape);
        }
        let mut mantissa = I256::from(0);
        for b in whole.bytes().chain(frac.bytes()) {
            if !b.is_ascii_digit() {
                return Err(ParseAmountError::Shape);
            }
            mantissa = mantissa * 10 + I256::from(i128::from(b - b'0'));
        }
        let mantissa = if negative { -mantissa } else { mantissa };
        Ok(Exact { mantissa, scale: frac.len() as u32 }.trimmed())
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.trimmed();
        let sign = if t.mantissa < 0 { "-" } else { "" };
        let digits = t.mantissa.abs().to_string();
        let scale = t.scale as usize;
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, frac) = padded.split_at(padded.len() - scale);
        write!(f, "{sign}{whole}.{frac}")
    }
}

impl PartialEq for Exact {
    fn eq(&self, o: &Exact) -> bool {
        let (a, b) = (self.trimmed(), o.trimmed());
        a.mantissa == b.mantissa && a.scale == b.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_share_is_the_same_in_64_bits_as_in_128(
            amount in prop_oneof![any::<i64>(), -10_000_000..10_000_000_i64],
            ppm in 0..1_000_000_u32,
        ) {
            let wide = div_half_up(i128::from(amount) * i128::from(ppm), i128::from(MILLION));
            prop_assert_eq!(Amount(i128::from(amount)).share_ppm(ppm), Amount(wide));
        }
    }
}
