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
pub struct Fraction(Parts);

/// Numerator and denominator, in few bits when they suffice: nearly always, and several times as fast.
#[derive(Debug, Clone, Copy)]
enum Parts {
    Few(i128, i64),
    Many(I256, I256),
}

/// `k / d` of a price, for one whole of the base, times a quantity of the base, to the nearest unit, ties away from zero; `d` is
/// above zero. What fractions say in many more steps; these are few where nothing is negative and numbers are short, nearly
/// always.
#[must_use]
#[inline]
pub fn share8(price: Amount, base: Amount, (k, d): (u32, u32)) -> Amount {
    const ONE: u64 = crate::money::ONE as u64;
    if let (Ok(price), Ok(base)) = (u64::try_from(price.0), u64::try_from(base.0))
        // So that there is room for `k` of it: a look for an overflow costs more than the product.
        && let value = u128::from(price) * u128::from(base)
        && value >> 96 == 0
    {
        let (n, d) = (value * u128::from(k), ONE * u64::from(d));
        let (quotient, left) = match u64::try_from(n) {
            Ok(n) => (u128::from(n / d), n % d),
            Err(_) => {
                let quotient = n / u128::from(d);
                // It is less than `d`: the lower bits say it.
                (quotient, (n as u64).wrapping_sub((quotient as u64).wrapping_mul(d)))
            }
        };
        return Amount(quotient as i128 + i128::from(left >= d - left));
    }
    Fraction::value(price, base).times(Fraction::new(k.into(), d.into())).round8()
}

const OVERFLOW: &str = "fraction overflow";

fn product(a: I256, b: I256) -> I256 {
    a.checked_mul(b).expect(OVERFLOW)
}

/// Quotient towards zero, and what is left; `d` is above zero.
#[inline]
fn divided(n: i128, d: i64) -> (i128, i128) {
    let quotient = i64::try_from(n).map_or_else(|_| n / i128::from(d), |n| i128::from(n / d));
    (quotient, n - quotient * i128::from(d))
}

/// A product, without the look for an overflow where both are short.
#[inline]
fn times(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    }
}

/// The sum of two fractions of few bits, if it has few, too.
#[inline]
fn sum((n, d): (i128, i64), (m, e): (i128, i64)) -> Option<Parts> {
    let (n, m, d) = if d == e {
        (n, m, d)
    } else if e == 1 {
        (n, times(m, d.into())?, d)
    } else if d == 1 {
        (times(n, e.into())?, m, e)
    } else if d % e == 0 {
        (n, times(m, (d / e).into())?, d)
    } else if e % d == 0 {
        (times(n, (e / d).into())?, m, e)
    } else {
        (times(n, e.into())?, times(m, d.into())?, d.checked_mul(e)?)
    };
    Some(Parts::Few(n.checked_add(m)?, d))
}

#[cold]
fn floor_many(n: I256, d: I256) -> i128 {
    let below = if n % d < 0 { I256::ONE } else { I256::ZERO };
    i128::try_from(n / d - below).expect(OVERFLOW)
}

#[cold]
fn half_up_many(n: I256, d: I256) -> i128 {
    let left = n % d;
    let away = if left.abs() >= d - left.abs() { n.signum() } else { I256::ZERO };
    i128::try_from(n / d + away).expect(OVERFLOW)
}

impl Parts {
    fn many(self) -> (I256, I256) {
        match self {
            Parts::Few(n, d) => (I256::from(n), I256::from(d)),
            Parts::Many(n, d) => (n, d),
        }
    }
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction(Parts::Few(0, 1));
    /// The same, with the denominator of [values](Self::value).
    pub const NO_VALUE: Fraction = Fraction(Parts::Few(0, crate::money::ONE as i64));

    /// `n / d`; `d` is not zero.
    #[must_use]
    #[inline]
    pub fn new(n: i128, d: i128) -> Fraction {
        match i64::try_from(d) {
            Ok(d) if d > 0 => Fraction(Parts::Few(n, d)),
            _ => Fraction::of(I256::from(n), I256::from(d)),
        }
    }

    /// The same of many bits; kept in few when they suffice.
    pub(crate) fn of(n: I256, d: I256) -> Fraction {
        assert!(d != 0, "a fraction of zero");
        let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
        match (i128::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Fraction(Parts::Few(n, d)),
            _ => Fraction(Parts::Many(n, d)),
        }
    }

    /// A price, for one whole of the base, times a quantity of the base.
    #[must_use]
    #[inline]
    pub fn value(price: Amount, base: Amount) -> Fraction {
        Fraction::from(price).times(Fraction::new(base.0, crate::money::ONE))
    }

    /// The sum of prices, each for one whole of the base, times quantities of the base.
    #[must_use]
    #[inline]
    pub fn values<const N: usize>(parts: [(Amount, Amount); N]) -> Fraction {
        let few = parts.iter().try_fold(0_i128, |sum, (price, base)| sum.checked_add(times(price.0, base.0)?));
        let many = || parts.iter().fold(Fraction::ZERO, |sum, (price, base)| Fraction::value(*price, *base).plus(sum));
        few.map_or_else(many, |n| Fraction::new(n, crate::money::ONE))
    }

    /// The sum of it and a value: quick where it is one of values itself, as from [`Self::NO_VALUE`] on.
    #[must_use]
    #[inline]
    pub fn plus_value(self, price: Amount, base: Amount) -> Fraction {
        if let Parts::Few(n, d) = self.0
            && i128::from(d) == crate::money::ONE
            && let Some(n) = times(price.0, base.0).and_then(|value| n.checked_add(value))
        {
            return Fraction(Parts::Few(n, d));
        }
        Fraction::value(price, base).plus(self)
    }

    /// Parts per million of it.
    #[must_use]
    #[inline]
    pub fn ppm(self, ppm: u32) -> Fraction {
        self.times(Fraction(Parts::Few(ppm.into(), 1_000_000)))
    }

    /// The sum.
    #[must_use]
    #[inline]
    pub fn plus(self, o: Fraction) -> Fraction {
        if let (Parts::Few(n, d), Parts::Few(m, e)) = (self.0, o.0) {
            // Money is whole, and whoever adds it knows so.
            let whole = if e == 1 { times(m, d.into()) } else { Some(m) };
            if (d == e || e == 1)
                && let Some(n) = whole.and_then(|m| n.checked_add(m))
            {
                return Fraction(Parts::Few(n, d));
            }
        }
        self.plus_others(o)
    }

    /// The sum of any two.
    fn plus_others(self, o: Fraction) -> Fraction {
        if let (Parts::Few(n, d), Parts::Few(m, e)) = (self.0, o.0)
            && let Some(sum) = sum((n, d), (m, e))
        {
            return Fraction(sum);
        }
        self.plus_many(o)
    }

    #[cold]
    fn plus_many(self, o: Fraction) -> Fraction {
        let ((n, d), (m, e)) = (self.0.many(), o.0.many());
        let (n, m, d) = if d % e == 0 {
            (n, product(m, d / e), d)
        } else if e % d == 0 {
            (product(n, e / d), m, e)
        } else {
            (product(n, e), product(m, d), product(d, e))
        };
        Fraction::of(n.checked_add(m).expect(OVERFLOW), d)
    }

    /// The difference.
    #[must_use]
    #[inline]
    pub fn minus(self, o: Fraction) -> Fraction {
        self.plus(o.negated())
    }

    /// The other sign.
    #[must_use]
    #[inline]
    pub fn negated(self) -> Fraction {
        match self.0 {
            Parts::Few(n, d) if n != i128::MIN => Fraction(Parts::Few(-n, d)),
            parts @ (Parts::Few(..) | Parts::Many(..)) => {
                let (n, d) = parts.many();
                Fraction::of(-n, d)
            }
        }
    }

    /// The product.
    #[must_use]
    #[inline]
    pub fn times(self, o: Fraction) -> Fraction {
        if let (Parts::Few(n, d), Parts::Few(m, e)) = (self.0, o.0)
            && let (Some(n), Some(d)) = (times(n, m), d.checked_mul(e))
        {
            return Fraction(Parts::Few(n, d));
        }
        self.times_many(o)
    }

    #[cold]
    fn times_many(self, o: Fraction) -> Fraction {
        let ((n, d), (m, e)) = (self.0.many(), o.0.many());
        Fraction::of(product(n, m), product(d, e))
    }

    /// The quotient; `o` is not zero.
    #[must_use]
    #[inline]
    pub fn over(self, o: Fraction) -> Fraction {
        if let (Parts::Few(n, d), Parts::Few(m, e)) = (self.0, o.0)
            && let Some(n) = times(n, e.into())
            && let Some(d) = i64::try_from(m).ok().and_then(|m| d.checked_mul(m)).filter(|d| *d > 0)
        {
            return Fraction(Parts::Few(n, d));
        }
        self.over_many(o)
    }

    #[cold]
    fn over_many(self, o: Fraction) -> Fraction {
        let ((n, d), (m, e)) = (self.0.many(), o.0.many());
        Fraction::of(product(n, e), product(d, m))
    }

    /// Times a whole number.
    #[must_use]
    #[inline]
    pub fn by(self, k: i128) -> Fraction {
        self.times(Fraction(Parts::Few(k, 1)))
    }

    /// Greater than zero.
    #[must_use]
    #[inline]
    pub fn is_positive(self) -> bool {
        match self.0 {
            Parts::Few(n, _) => n > 0,
            Parts::Many(n, _) => n > 0,
        }
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
    #[inline]
    pub fn floor(self) -> i128 {
        match self.0 {
            Parts::Few(n, d) => {
                let (quotient, left) = divided(n, d);
                if left < 0 { quotient - 1 } else { quotient }
            }
            Parts::Many(n, d) => floor_many(n, d),
        }
    }

    /// The smallest whole number that is not below it.
    #[must_use]
    #[inline]
    pub fn ceil(self) -> i128 {
        -self.negated().floor()
    }

    /// The nearest whole number, ties away from zero: money is rounded so once, where it touches the ledger.
    #[must_use]
    #[inline]
    pub fn half_up(self) -> i128 {
        match self.0 {
            Parts::Few(n, d) => {
                let (quotient, left) = divided(n, d);
                let away = left.abs() >= i128::from(d) - left.abs();
                if away { quotient + left.signum() } else { quotient }
            }
            Parts::Many(n, d) => half_up_many(n, d),
        }
    }

    /// [`Self::half_up`] of money.
    #[must_use]
    #[inline]
    pub fn round8(self) -> Amount {
        Amount(self.half_up())
    }

    /// [`Self::floor`] of money.
    #[must_use]
    #[inline]
    pub fn floor8(self) -> Amount {
        Amount(self.floor())
    }
}

/// Money, in units of 1e-8.
impl From<Amount> for Fraction {
    #[inline]
    fn from(amount: Amount) -> Fraction {
        Fraction(Parts::Few(amount.0, 1))
    }
}

impl Ord for Fraction {
    #[inline]
    fn cmp(&self, o: &Fraction) -> Ordering {
        if let (Parts::Few(n, d), Parts::Few(m, e)) = (self.0, o.0) {
            if d == e {
                return n.cmp(&m);
            }
            // Money is whole, and most is compared with that.
            let ours = if e == 1 { Some(n) } else { times(n, e.into()) };
            let others = if d == 1 { Some(m) } else { times(m, d.into()) };
            if let (Some(n), Some(m)) = (ours, others) {
                return n.cmp(&m);
            }
        }
        self.cmp_many(o)
    }
}

impl Fraction {
    #[cold]
    fn cmp_many(&self, o: &Fraction) -> Ordering {
        let ((n, d), (m, e)) = (self.0.many(), o.0.many());
        product(n, e).cmp(&product(m, d))
    }
}

impl PartialOrd for Fraction {
    #[inline]
    fn partial_cmp(&self, o: &Fraction) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl PartialEq for Fraction {
    #[inline]
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
        fn a_share_is_that_of_fractions(
            price in any::<i128>(), base in any::<i128>(), by in (67_u32..127, 67_u32..127), k in any::<u32>(), d in 1_u32..,
        ) {
            // 60 bits of each and 32 of the multiple, less the 26 of a whole: what is more is no amount.
            let (price, base) = (Amount(price >> by.0), Amount(base >> by.1));
            for (k, d) in [(k, d), (k % 1_000, 1_000_000), (1, d % 200 + 1), (1, 1), (1, 2)] {
                let exact = Fraction::value(price, base).by(k.into()).over(Fraction::new(d.into(), 1));
                prop_assert_eq!(share8(price, base, (k, d)), exact.round8());
            }
        }

        #[test]
        fn a_sum_of_values_is_that_of_each(parts in any::<[(i128, i128); 3]>(), by in (0_u32..127, 60_u32..127)) {
            let parts = parts.map(|(price, base)| (Amount(price >> by.0), Amount(base >> by.1)));
            let sum = parts.iter().fold(Fraction::ZERO, |sum, part| sum.plus(Fraction::value(part.0, part.1)));
            prop_assert_eq!(Fraction::values(parts), sum);
        }

        #[test]
        fn few_bits_and_many_give_the_same(
            n in any::<i128>(), d in 1_i64.., m in any::<i128>(), e in 1_i64.., by in (1_u32..127, 1_u32..62),
        ) {
            let (n, d, m, e) = (n >> by.0, (d >> by.1) + 1, m >> (by.0 / 2 + 1), (e >> (by.1 / 2)) / 2 + 1);
            let (x, y) = (Fraction(Parts::Few(n, d)), Fraction(Parts::Few(m, e)));
            let many = |n: i128, d: i64| Fraction(Parts::Many(n.into(), d.into()));
            let (wide_x, wide_y) = (many(n, d), many(m, e));
            let parts = |x: Fraction| x.0.many();
            prop_assert_eq!(parts(x), parts(wide_x));
            prop_assert_eq!(parts(x.plus(y)), parts(wide_x.plus(wide_y)));
            prop_assert_eq!(parts(x.minus(y)), parts(wide_x.minus(wide_y)));
            prop_assert_eq!(parts(x.times(y)), parts(wide_x.times(wide_y)));
            prop_assert_eq!(x.cmp(&y), wide_x.cmp(&wide_y));
            if m != 0 {
                prop_assert_eq!(parts(x.over(y)), parts(wide_x.over(wide_y)));
            }
            let whole = |x: Fraction| (x.floor(), x.ceil(), x.half_up(), x.is_positive());
            prop_assert_eq!(whole(x), whole(wide_x));
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
