//! Seconds options by the worked numbers (`docs/rules/seconds.md`).

use super::DeskId;
use super::params::{DeskParams, FRESH_MS_MOST};
use super::rules::{Exposure, OptionResult, OptionSide, break_even, deciding, paid, profit, result};
use crate::board::Tick;
use crate::ids::{AssetId, MarketId, PriceId};
use crate::money::{Amount, ONE};
use crate::reject::Reject;
use serde_json::{Value, json};
use std::str::FromStr;

fn amount(text: &str) -> Amount {
    Amount::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn at(v: &Value) -> Amount {
    amount(v.as_str().unwrap())
}

fn percent(v: &Value) -> u32 {
    (at(v).0 * 10_000 / ONE) as u32
}

fn side(v: &Value) -> OptionSide {
    if v == "rise" { OptionSide::Rise } else { OptionSide::Fall }
}

/// Seconds with three decimals.
fn time(v: &Value) -> u64 {
    (at(v).0 * 10) as u64
}

fn number(result: OptionResult) -> Value {
    match result {
        OptionResult::Win => json!(1),
        OptionResult::Loss => json!(-1),
        OptionResult::Tie => json!(0),
        OptionResult::Void => json!("void"),
    }
}

fn money(v: &Value) -> Value {
    let (stake, ratio) = (at(&v["number"]), percent(&v["ratio_pct"]));
    let fee = stake.share_ppm(percent(&v["fee_pct"]));
    let (result, shown) = match v["result"].as_i64().unwrap() {
        1 => (OptionResult::Win, profit(stake, ratio)),
        0 => (OptionResult::Tie, Amount::ZERO),
        _ => (OptionResult::Loss, -stake),
    };
    let credit = paid(result, (stake, fee), profit(stake, ratio));
    let text = |amount: Amount| amount.to_string();
    json!({ "debit": text(stake + fee), "credit": text(credit), "fact_profits": text(shown) })
}

fn settled(v: &Value) -> Value {
    let ticks: Vec<Tick> = v["ticks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| Tick { seq: t[0].as_str().unwrap().parse().unwrap(), time: time(&t[1]), index: at(&t[2]) })
        .collect();
    let close = deciding(&ticks, time(&v["expires"]));
    let result = number(result(side(&v["side"]), at(&v["open"]), close.map(|tick| tick.index)));
    let Some(close) = close else { return json!({ "close_tick": null, "result": result }) };
    let next = ticks.iter().find(|tick| tick.seq == close.seq + 1).map(|tick| tick.seq);
    let needs: Vec<u64> = std::iter::once(close.seq).chain(next).collect();
    json!({ "close_tick": close.seq, "price": close.index.to_string(), "result": result, "proof_needs": needs })
}

fn outcome(op: &str, v: &Value) -> Option<Value> {
    Some(match op {
        "micro" => money(v),
        "micro_break_even" => {
            let stake = at(&v["number"]);
            let fee = stake.share_ppm(percent(&v["fee_pct"]));
            json!({ "percent": break_even(stake, fee, percent(&v["ratio_pct"])).to_string() })
        }
        "micro_exposure" => {
            let open = v["open"].as_array().unwrap().iter().fold(Exposure::default(), |all, o| {
                all.with(side(&o[0]), at(&o[1]), profit(at(&o[1]), percent(&o[2])))
            });
            json!({ "worst_loss": open.worst_loss().to_string() })
        }
        "micro_settle" => settled(v),
        _ => return None,
    })
}

#[test]
fn worked_numbers_of_seconds_options_hold() {
    let mut checked = 0;
    for lines in [include_str!("../../tests/vectors.jsonl"), include_str!("../../tests/vectors-trading.jsonl")] {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let v: Value = serde_json::from_str(line).unwrap();
            let Some(found) = outcome(v["op"].as_str().unwrap(), &v["in"]) else { continue };
            assert_eq!(found, v["out"], "{line}");
            checked += 1;
        }
    }
    assert!(checked >= 12, "{checked} worked numbers");
}

fn tick(seq: u64, time: u64, index: &str) -> Tick {
    Tick { seq, time, index: amount(index) }
}

#[test]
fn a_tick_exactly_five_seconds_before_expiry_decides_and_an_older_one_does_not() {
    let ticks = [tick(1, 10_000_000_000, "1")];
    assert_eq!(deciding(&ticks, 15_000_000_000).map(|t| t.seq), Some(1));
    assert_eq!(deciding(&ticks, 15_000_000_001), None);
    assert_eq!(deciding(&ticks, 9_999_999_999), None, "it comes after the expiry");
    assert_eq!(deciding(&[], 15), None);
}

#[test]
fn of_a_void_everything_comes_back_and_of_a_tie_the_fee_does_not() {
    let (stake, fee) = (amount("33.33"), amount("0.06666"));
    assert_eq!(paid(OptionResult::Void, (stake, fee), profit(stake, 725_000)), stake + fee);
    assert_eq!(paid(OptionResult::Tie, (stake, fee), profit(stake, 725_000)), stake);
}

#[test]
fn a_desk_takes_no_tick_that_is_older_than_a_proof_allows() {
    let desk = |fresh_ms| DeskParams {
        version: 0,
        desk: DeskId::of(MarketId(1), 0),
        price: PriceId(1),
        seconds: 60,
        asset: AssetId(3),
        ratio_ppm: 750_000,
        fee_ppm: 0,
        stake: (Amount::whole(10), Amount::whole(1_000)),
        most_open: 5,
        minute_cap: Amount::whole(1_000),
        day_cap: Amount::whole(1_000),
        fresh_ms,
        open: true,
    };
    assert_eq!([1, FRESH_MS_MOST].map(|ms| desk(ms).check()), [Ok(()); 2]);
    assert_eq!([0, FRESH_MS_MOST + 1].map(|ms| desk(ms).check()), [Err(Reject::BadParameters); 2]);
}
