//! Exact fractions, for formulas in which a rounding in between would be wrong.
//!
//! Owns: [`Fraction`]. Never does: round before it is asked to. Invariants: the denominator is positive; what overflows 256
//! bits is a bug and stops the process, since inputs are bounded far below.
//! Rules: `docs/rules/contracts.md "Numbers"`. Known limits: fractions are not reduced, so a formula has few different
//! denominators.

use crate::money::Amount;
use ethnum::I256;
use std::cmp::Ordering;

/// Numerator over denominator. Money in it is measured in units of 1e-8.
#[derive(Debug, Clone, Copy)]
pub struct Fraction {
    n: I256,
    d: I256,
}

/// It in half as many bits, when they suffice: nearly always, and several times as fast.
fn narrow(x: I256) -> Option<i128> {
    let low = x.as_i128();
    (I256::from(low) == x).then_some(low)
}

fn product(a: I256, b: I256) -> I256 {
    if let Some(product) = narrow(a).zip(narrow(b)).and_then(|(a, b)| a.checked_mul(b)) {
        return I256::from(product);
    }
    a.checked_mul(b).expect("fraction overflow")
}

/// Quotient towards zero, and what is left; `b` is above zero.
fn divided(a: I256, b: I256) -> (I256, I256) {
    match narrow(a).zip(narrow(b)) {
        Some((a, b)) => {
            let quotient = match (i64::try_from(a), i64::try_from(b)) {
                (Ok(a), Ok(b)) => i128::from(a / b),
                _ => a / b,
            };
            (I256::from(quotient), I256::from(a - quotient * b))
        }
        None => (a / b, a % b),
    }
}

/// How often a denominator goes into another one, when it does so exactly.
fn multiple(of: I256, d: I256) -> Option<I256> {
    if d == 1 {
        return Some(of);
    }
    let (quotient, left) = divided(of, d);
    (left == 0).then_some(quotient)
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction { n: I256::ZERO, d: I256::ONE };

    /// `n / d`; `d` is not zero.
    #[must_use]
    pub fn new(n: i128, d: i128) -> Fraction {
        Fraction::of(I256::from(n), I256::from(d))
    }

    pub(crate) fn of(n: I256, d: I256) -> Fraction {
        assert!(d != 0, "a fraction of zero");
        if d < 0 { Fraction { n: -n, d: -d } } else { Fraction { n, d } }
    }

    /// A price, for one whole of the base, times a quantity of the base.
    #[must_use]
    pub fn value(price: Amount, base: Amount) -> Fraction {
        Fraction { n: product(I256::from(price.0), I256::from(base.0)), d: I256::from(crate::money::ONE) }
    }

    /// Parts per million of it.
    #[must_use]
    pub fn ppm(self, ppm: u32) -> Fraction {
        Fraction { n: product(self.n, I256::from(ppm)), d: product(self.d, I256::from(1_000_000)) }
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, o: Fraction) -> Fraction {
        let (n, m, d) = if self.d == o.d {
            (self.n, o.n, self.d)
        } else if let Some(times) = multiple(self.d, o.d) {
            (self.n, product(o.n, times), self.d)
        } else if let Some(times) = multiple(o.d, self.d) {
            (product(self.n, times), o.n, o.d)
        } else {
            (product(self.n, o.d), product(o.n, self.d), product(self.d, o.d))
        };
        Fraction { n: n.checked_add(m).expect("fraction overflow"), d }
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, o: Fraction) -> Fraction {
        self.plus(o.negated())
    }

    /// The other sign.
    #[must_use]
    pub fn negated(self) -> Fraction {
        Fraction { n: -self.n, d: self.d }
    }

    /// The product.
    #[must_use]
    pub fn times(self, o: Fraction) -> Fraction {
        Fraction { n: product(self.n, o.n), d: product(self.d, o.d) }
    }

    /// The quotient; `o` is not zero.
    #[must_use]
    pub fn over(self, o: Fraction) -> Fraction {
        Fraction::of(product(self.n, o.d), product(self.d, o.n))
    }

    /// Times a whole number.
    #[must_use]
    pub fn by(self, k: i128) -> Fraction {
        Fraction { n: product(self.n, I256::from(k)), d: self.d }
    }

    /// Greater than zero.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.n > 0
    }

    /// Not below `low` and not above `high`.
    #[must_use]
    pub fn clamp(self, low: Fraction, high: Fraction) -> Fraction {
        if self < low {
            low
        } else if self > high {
            high
        } else {
            self
        }
    }

    /// The largest whole number that is not above it.
    #[must_use]
    pub fn floor(self) -> i128 {
        let (q, r) = divided(self.n, self.d);
        i128::try_from(if r < 0 { q - 1 } else { q }).expect("fraction overflow")
    }

    /// The smallest whole number that is not below it.
    #[must_use]
    pub fn ceil(self) -> i128 {
        -self.negated().floor()
    }

    /// The nearest whole number, ties away from zero: money is rounded so once, where it touches the ledger.
    #[must_use]
    pub fn half_up(self) -> i128 {
        let (q, r) = divided(self.n, self.d);
        let away = if r.abs() >= self.d - r.abs() { self.n.signum() } else { I256::ZERO };
        i128::try_from(q + away).expect("fraction overflow")
    }

    /// [`Self::half_up`] of money.
    #[must_use]
    pub fn round8(self) -> Amount {
        Amount(self.half_up())
    }

    /// [`Self::floor`] of money.
    #[must_use]
    pub fn floor8(self) -> Amount {
        Amount(self.floor())
    }
}

/// Money, in units of 1e-8.
impl From<Amount> for Fraction {
    fn from(amount: Amount) -> Fraction {
        Fraction { n: I256::from(amount.0), d: I256::ONE }
    }
}

impl Ord for Fraction {
    fn cmp(&self, o: &Fraction) -> Ordering {
        if self.d == o.d { self.n.cmp(&o.n) } else { product(self.n, o.d).cmp(&product(o.n, self.d)) }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, o: &Fraction) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl PartialEq for Fraction {
    fn eq(&self, o: &Fraction) -> bool {
        self.cmp(o) == Ordering::Equal
    }
}

impl Eq for Fraction {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn roundings_of_both_signs() {
        for (n, floor, ceil, nearest) in [
            (5, 2, 3, 3),
            (-5, -3, -2, -3),
            (4, 2, 2, 2),
            (-4, -2, -2, -2),
            (1, 0, 1, 1),
            (-1, -1, 0, -1),
            (0, 0, 0, 0),
        ] {
            let half = Fraction::new(n, 2);
            assert_eq!((half.floor(), half.ceil(), half.half_up()), (floor, ceil, nearest), "{n} / 2");
        }
        assert_eq!(Fraction::new(1, -3).half_up(), 0);
        assert!(Fraction::new(1, -3) < Fraction::ZERO);
    }

    proptest! {
        #[test]
        fn few_bits_and_many_give_the_same(a in any::<i128>(), b in any::<i128>(), shift in 0_u32..126) {
            let (a, b) = (I256::from(a >> shift), I256::from(b >> (shift / 2)));
            prop_assert_eq!(product(a, b), a * b);
            let above = b.abs() + I256::ONE;
            prop_assert_eq!(divided(a, above), (a / above, a % above));
            prop_assert_eq!(divided(a * b, above), (a * b / above, a * b % above));
            prop_assert_eq!(multiple(a, above), (a % above == 0).then(|| a / above));
        }

        #[test]
        fn sums_and_products_are_those_of_numbers(
            a in -1_000_000_i128..1_000_000, b in 1_i128..10_000, c in -1_000_000_i128..1_000_000, d in 1_i128..10_000,
        ) {
            let (x, y) = (Fraction::new(a, b), Fraction::new(c, d));
            prop_assert_eq!(x.plus(y), Fraction::new(a * d + c * b, b * d));
            prop_assert_eq!(x.plus(y).minus(y), x);
            prop_assert_eq!(x.times(y), Fraction::new(a * c, b * d));
            if c != 0 {
                prop_assert_eq!(x.over(y).times(y), x);
            }
            prop_assert_eq!(x.cmp(&y), (a * d).cmp(&(c * b)));
            prop_assert!(Fraction::new(x.floor(), 1) <= x && x <= Fraction::new(x.ceil(), 1));
        }
    }
}
