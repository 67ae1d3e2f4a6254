//! Counted beside recorded.
//!
//! Owns: the bound. Never does: run anything. Invariants: a name on one side only is never passed over. Known limits:
//! each name has the same bound.

use crate::table::Counts;
use std::collections::BTreeSet;

/// More instructions than this above what is recorded fail; what is further than this below it is told, and passes.
pub(crate) const TOLERANCE_PERCENT: u64 = 3;

/// What a comparison found.
#[derive(Debug)]
pub(crate) struct Verdict {
    /// Nothing got worse, and both sides have the same names.
    pub(crate) good: bool,
    /// What is to be said, the outcome last.
    pub(crate) lines: Vec<String>,
}

/// Compares.
pub(crate) fn compare(recorded: &Counts, counted: &Counts) -> Verdict {
    let (mut bad, mut better, mut lines) = (0, 0, Vec::new());
    let names: BTreeSet<&String> = recorded.keys().chain(counted.keys()).collect();
    for name in names {
        let (was, is) = match (recorded.get(name), counted.get(name)) {
            (Some(was), Some(is)) => (u128::from(*was), u128::from(*is)),
            (was, _) => {
                bad += 1;
                let side = if was.is_some() { "recorded but not counted" } else { "counted but not recorded" };
                lines.push(format!("FAIL    {name}: {side}"));
                continue;
            }
        };
        let percent = was * u128::from(TOLERANCE_PERCENT);
        let change = || format!("{name}: {is} instructions, recorded {was} ({})", signed_percent(was, is));
        if is * 100 > was * 100 + percent {
            bad += 1;
            lines.push(format!("FAIL    {}", change()));
        } else if is * 100 + percent < was * 100 {
            better += 1;
            lines.push(format!("better  {}", change()));
        }
    }
    let of = format!("instruction counts: {} compared, bound {TOLERANCE_PERCENT} %", counted.len());
    lines.push(match (bad, better) {
        (0, 0) => format!("{of}: all within it"),
        (0, n) => format!("{of}: {n} below it; `make record-counts` keeps what was won"),
        (n, _) => format!("{of}: {n} FAILED; when that is meant, `make record-counts` and say why in the commit"),
    });
    Verdict { good: bad == 0, lines }
}

/// The change in hundredths of a percent, cut, as a text.
fn signed_percent(was: u128, is: u128) -> String {
    let hundredths = was.abs_diff(is) * 10_000 / was.max(1);
    let sign = if is < was { '-' } else { '+' };
    format!("{sign}{}.{:02} %", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(list: &[(&str, u64)]) -> Counts {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn the_bound_itself_passes_and_one_more_instruction_fails() {
        let recorded = counts(&[("a", 1_000), ("b", 1_000)]);
        let verdict = compare(&recorded, &counts(&[("a", 1_030), ("b", 970)]));
        assert!(verdict.good && verdict.lines.len() == 1, "{verdict:?}");
        let verdict = compare(&recorded, &counts(&[("a", 1_031), ("b", 1_000)]));
        assert!(!verdict.good);
        assert_eq!(verdict.lines[0], "FAIL    a: 1031 instructions, recorded 1000 (+3.10 %)");
    }

    #[test]
    fn what_got_better_passes_and_is_told() {
        let verdict = compare(&counts(&[("a", 1_000)]), &counts(&[("a", 969)]));
        assert!(verdict.good);
        assert_eq!(verdict.lines[0], "better  a: 969 instructions, recorded 1000 (-3.10 %)");
    }

    #[test]
    fn a_name_on_one_side_fails() {
        let (one, two) = (counts(&[("a", 1)]), counts(&[("a", 1), ("b", 1)]));
        for (recorded, counted, side) in
            [(&one, &two, "FAIL    b: counted but not recorded"), (&two, &one, "FAIL    b: recorded but not counted")]
        {
            let verdict = compare(recorded, counted);
            assert!(!verdict.good);
            assert_eq!(verdict.lines[0], side);
        }
    }

    #[test]
    fn a_function_that_took_nothing_before_fails() {
        assert!(!compare(&counts(&[("a", 0)]), &counts(&[("a", 1)])).good);
    }
}
