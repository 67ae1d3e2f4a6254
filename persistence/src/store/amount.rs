//! How an amount stands in SQL: whole coins and units of 1e-8, two integers that sort and sum exactly.
//!
//! Owns: the split and the join. Never does: round.
//! Invariants: `join(split(x)) == x`; pairs compare as the amounts do; the fraction is 0 to 99,999,999.
//! Known limits: amounts beyond 9.2e18 wholes do not fit; the engine's largest is a million times smaller.

use xng_core::money::{Amount, ONE};

/// Whole coins (rounded down) and the rest in units of 1e-8.
pub(crate) fn split(amount: Amount) -> (i64, i64) {
    let whole = amount.0.div_euclid(ONE);
    let rest = amount.0.rem_euclid(ONE);
    (i64::try_from(whole).expect("amounts stay far below 9.2e18 wholes"), rest as i64)
}

/// The amount of a pair, or of sums of pairs.
pub(crate) fn join(whole: i64, frac: i64) -> Amount {
    Amount(i128::from(whole) * ONE + i128::from(frac))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn amounts() -> impl Strategy<Value = Amount> {
        let limit = 1_000_000 * 10_000_000_000_000 * ONE / 10;
        prop_oneof![-limit..limit, -3 * ONE..3 * ONE, -3i128..3].prop_map(Amount)
    }

    proptest! {
        #[test]
        fn an_amount_comes_back_and_pairs_sort_and_sum_as_amounts_do(a in amounts(), b in amounts()) {
            let (x, y) = (split(a), split(b));
            prop_assert_eq!(join(x.0, x.1), a);
            prop_assert!((0..100_000_000).contains(&x.1));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(join(x.0 + y.0, x.1 + y.1), a + b);
        }
    }

    #[test]
    fn a_negative_fraction_is_a_negative_whole_and_a_positive_rest() {
        assert_eq!(split(Amount(-ONE / 2)), (-1, 50_000_000));
        assert_eq!(split(Amount::whole(12)), (12, 0));
    }
}
