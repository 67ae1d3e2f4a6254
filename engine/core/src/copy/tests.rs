//! The rules of copies by themselves: worked numbers of lots and shares.

use super::statistics::Statistics;
use super::*;
use crate::contract::leg::Direction;
use crate::money::{Exact, ONE};
use serde_json::{Value, json};

fn amount(text: &str) -> Amount {
    text.parse().expect("an amount")
}

fn at(v: &Value) -> Amount {
    amount(v.as_str().unwrap())
}

/// Parts of one in a text.
fn parts(v: &Value, of_one: i128) -> i128 {
    at(v).0 * of_one / ONE
}

/// A quotient in percent with two decimals; of nothing nothing.
fn percent(part: Amount, of: Amount) -> String {
    let exact = |amount: Amount| amount.to_string().parse::<Exact>().unwrap();
    let quotient = exact(Amount(part.0 * 100)).div_sig20_half_up(exact(of));
    quotient.map_or("0".to_owned(), |quotient| quotient.round_half_up(2).to_string())
}

fn outcome(op: &str, v: &Value) -> Option<Value> {
    Some(match op {
        "copy_lots" => {
            let number = parts(&v["multiple"], THOUSANDTHS.into()) as u32;
            let lots = Lots(parts(&v["trader_share"], HUNDREDTHS.into()) as i64);
            let copied = FollowTerms { kind: FollowKind::Multiple, number }.lots(lots);
            json!({ "lots": Amount(i128::from(copied.0) * ONE / i128::from(HUNDREDTHS)).to_string() })
        }
        "copy_slippage" => {
            assert_eq!(parts(&v["guard"], GUARD_PARTS), 1);
            let source = SourceIndex { index: at(&v["source_index"]), seq: 1, time: 0 };
            json!({ "copied": source.counts(at(&v["index_now"]), 0) })
        }
        "copy_profit_share_week" => {
            let (share_ppm, sum) = (parts(&v["ratio"], 1_000_000) as u32, at(&v["cum_before"]));
            let before = CopyResults { sum, mark: at(&v["hwm_before"]), withheld: Amount::ZERO };
            let nets = v["nets"].as_array().unwrap().iter().map(at);
            let week = nets.fold(before, |results, profit| results.with(profit, withheld(profit, share_ppm)));
            let (share, after) = week.settled(share_ppm);
            json!({ "withheld": week.withheld.to_string(), "share": share.to_string(),
                "released": (week.withheld - share).to_string(), "cum": after.sum.to_string(),
                "hwm": after.mark.to_string() })
        }
        "trader_stats" => {
            let mut statistics = Statistics::default();
            for row in v["closed"].as_array().unwrap() {
                statistics.close(Direction::Long, at(&row[1]), at(&row[0]), 0);
            }
            let Statistics { closed, won, profit, margins, .. } = statistics;
            let whole = |n: u64| Amount::whole(n as i64);
            json!({ "total": profit.to_string(), "accuracy": percent(whole(won), whole(closed)),
                "yield": percent(profit, margins) })
        }
        _ => return None,
    })
}

#[test]
fn worked_numbers_of_copies_hold() {
    let mut checked = 0;
    for lines in [include_str!("../../tests/vectors.jsonl"), include_str!("../../tests/vectors-trading.jsonl")] {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let v: Value = serde_json::from_str(line).unwrap();
            let Some(found) = outcome(v["op"].as_str().unwrap(), &v["in"]) else { continue };
            assert_eq!(found, v["out"], "{line}");
            checked += 1;
        }
    }
    assert_eq!(checked, 17, "C2 to C8, P2 to P4, PT77 to PT84");
}

#[test]
fn a_copy_has_so_many_lots() {
    // Lots of the trader, thousandths of the multiple, hundredths of lots of the copy.
    for (lots, number, copied) in
        [(3, 1_500, 450), (3, 200, 100), (7, 1_333, 933), (1, 2_005, 201), (3, 335, 101), (4, 500, 200), (5, 150, 100)]
    {
        let terms = FollowTerms { kind: FollowKind::Multiple, number };
        assert_eq!(terms.lots(Lots(lots * HUNDREDTHS)), Lots(copied), "{lots} x {number}");
    }
    let fixed = FollowTerms { kind: FollowKind::Lots, number: 2 };
    assert_eq!(fixed.lots(Lots(700)), Lots(200));
}

#[test]
fn numbers_have_limits() {
    use FollowKind::{Lots, Multiple};
    for (kind, number, good) in [
        (Multiple, 0, false),
        (Multiple, 1, true),
        (Multiple, 5_000, true),
        (Multiple, 5_001, false),
        (Lots, 0, false),
        (Lots, 1, true),
        (Lots, 5, true),
        (Lots, 6, false),
    ] {
        assert_eq!(FollowTerms { kind, number }.check().is_ok(), good, "{kind:?} {number}");
    }
}

#[test]
fn a_share_is_of_what_is_above_the_mark() {
    let mut results = CopyResults::default();
    // Results of the copies of a week, then withheld, share, released and mark.
    let weeks: [(&[&str], [&str; 4]); 4] = [
        (&["200", "-50", "300", "-500", "100"], ["60", "5", "55", "50"]),
        (&["200", "-100"], ["20", "10", "10", "150"]),
        (&["-300"], ["0", "0", "0", "150"]),
        (&["250"], ["25", "0", "25", "150"]),
    ];
    for (nets, [kept, share, released, mark]) in weeks {
        for profit in nets.iter().map(|profit| amount(profit)) {
            results = results.with(profit, withheld(profit, 100_000));
        }
        assert_eq!(results.withheld, amount(kept));
        let (shared, after) = results.settled(100_000);
        assert_eq!((shared, results.withheld - shared, after.mark), (amount(share), amount(released), amount(mark)));
        assert!(after.is_settled());
        results = after;
    }
    assert_eq!(results.sum, amount("100"));
}

#[test]
fn weeks_end_on_mondays() {
    const HOUR: TimeNs = 3_600_000_000_000;
    // 1970-01-05 was the first Monday.
    for (hour, monday) in [(0, 4), (4 * 24 - 1, 4), (4 * 24, 11), (10 * 24 + 23, 11), (11 * 24, 18)] {
        assert_eq!(next_monday(hour * HOUR), monday * 24 * HOUR, "{hour}");
    }
}

#[test]
fn a_price_counts_for_a_while_and_near_by() {
    let at = SourceIndex { index: amount("50000"), seq: 1, time: 1_000 };
    assert!(at.counts(amount("50250"), 1_000 + PRICE_LIVES_NS));
    assert!(at.counts(amount("49750"), 1_000));
    assert!(!at.counts(amount("50250.00000001"), 1_000));
    assert!(!at.counts(amount("49749.99999999"), 1_000));
    assert!(!at.counts(amount("50000"), 1_001 + PRICE_LIVES_NS));
}
