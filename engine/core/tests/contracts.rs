//! The worked numbers of contracts (`vectors-trading.jsonl` and `vectors.jsonl` beside this file), each through the functions
//! that the exchange uses. The variable VECTORS names another file. Operations that the engine does not have are listed.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use xng_core::contract::brackets::{Bracket, Brackets, initial_margin};
use xng_core::contract::funding::{FundingTerms, MarkInputs, mark, per_lot, premium, rate};
use xng_core::contract::leg::{Direction, close, divide, share};
use xng_core::contract::liquidation::{Holding, Rank, fee, lights, step_lots};
use xng_core::contract::pool::{Held, Pool, transferable};
use xng_core::contract::tickets;
use xng_core::fraction::Fraction;
use xng_core::money::{Amount, Exact, Lots, ONE, Ticks};
use xng_core::spot::Side;

fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v[key].as_str().unwrap_or_else(|| panic!("{key} is a text in {v}"))
}

fn parsed(text: &str) -> Amount {
    Amount::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn amount(v: &Value, key: &str) -> Amount {
    parsed(text(v, key))
}

fn int(v: &Value, key: &str) -> i64 {
    v[key].as_i64().unwrap_or_else(|| panic!("{key} is a number in {v}"))
}

/// A fraction in parts per million, `0.0005` as 500.
fn ppm(v: &Value, key: &str) -> u32 {
    (amount(v, key).0 * 1_000_000 / ONE) as u32
}

/// Percent in parts per million, `0.05` as 500.
fn pct(v: &Value, key: &str) -> u32 {
    (amount(v, key).0 * 10_000 / ONE) as u32
}

fn multiple(v: &Value) -> u16 {
    match &v["multiple"] {
        Value::String(text) => text.parse().unwrap(),
        other => other.as_u64().unwrap() as u16,
    }
}

fn direction(v: &Value) -> Direction {
    if text(v, "side") == "long" { Direction::Long } else { Direction::Short }
}

fn brackets(v: &Value) -> Brackets {
    let bracket = |b: &Value| Bracket {
        ceiling: parsed(b[0].as_str().unwrap()),
        max_multiple: b[1].as_u64().unwrap() as u16,
        rate_ppm: (parsed(b[2].as_str().unwrap()).0 * 1_000_000 / ONE) as u32,
    };
    let brackets = Brackets { list: v["brackets"].as_array().unwrap().iter().map(bracket).collect() };
    brackets.check().unwrap();
    brackets
}

fn shown(a: Amount) -> Value {
    a.to_string().into()
}

fn times(lots: i64, lot: Amount) -> Amount {
    Amount(i128::from(lots) * lot.0)
}

fn value(price: Amount, lots: i64, lot: Amount) -> Amount {
    Fraction::value(price, times(lots, lot)).round8()
}

fn price(ticks: Option<Ticks>, tick: Amount) -> Value {
    ticks.map_or(Value::Null, |ticks| shown(Amount(i128::from(ticks.0) * tick.0)))
}

/// A position of one account: signed lots and the cost of what is open.
#[derive(Default, Clone, Copy)]
struct Position {
    lots: i64,
    cost: Amount,
    realised: Amount,
}

struct Step {
    closed: i64,
    opened: i64,
    released: Amount,
    result: Amount,
}

impl Position {
    fn fill(&mut self, side: Side, at: Amount, lots: i64, lot: Amount) -> Step {
        let held = if self.lots > 0 { Direction::Long } else { Direction::Short };
        let opposite = if held == Direction::opened_by(side) { 0 } else { self.lots.abs() };
        let (closes, opens) = divide(Lots(lots), Lots(opposite), Lots(0));
        let mut step = Step { closed: closes.0, opened: opens.0, released: Amount::ZERO, result: Amount::ZERO };
        if closes.0 > 0 {
            let done = close(held, (Lots(opposite), self.cost), closes, value(at, closes.0, lot));
            self.cost -= done.released;
            (step.released, step.result) = (done.released, done.result);
        }
        self.cost += value(at, opens.0, lot);
        self.realised += step.result;
        self.lots += if side == Side::Buy { lots } else { -lots };
        step
    }

    fn signed_cost(&self) -> Amount {
        if self.lots < 0 { -self.cost } else { self.cost }
    }
}

fn leg_fills(v: &Value) -> Value {
    let (lot, mut position) = (amount(v, "lot"), Position::default());
    let step = |fill: &Value| {
        let side = if fill[0] == "buy" { Side::Buy } else { Side::Sell };
        let step = position.fill(side, parsed(fill[1].as_str().unwrap()), fill[2].as_i64().unwrap(), lot);
        json!({ "closed": step.closed, "opened": step.opened, "released_cost": shown(step.released),
            "pnl": shown(step.result), "lots": position.lots, "cost": shown(position.cost) })
    };
    json!({ "steps": v["fills"].as_array().unwrap().iter().map(step).collect::<Vec<_>>() })
}

fn clearing(v: &Value) -> Value {
    let (lot, mut all) = (amount(v, "lot"), BTreeMap::<&str, Position>::new());
    for trade in v["trades"].as_array().unwrap() {
        let (at, lots) = (parsed(trade[2].as_str().unwrap()), trade[3].as_i64().unwrap());
        for (who, side) in [(0, Side::Buy), (1, Side::Sell)] {
            all.entry(trade[who].as_str().unwrap()).or_default().fill(side, at, lots, lot);
        }
    }
    let of = |f: fn(&Position) -> Value| {
        all.iter().map(|(who, p)| ((*who).to_owned(), f(p))).collect::<serde_json::Map<_, _>>()
    };
    let realised: Amount = all.values().map(|p| p.realised).sum();
    let cost: Amount = all.values().map(Position::signed_cost).sum();
    assert_eq!(-realised, -cost, "clearing is minus the signed cost of what is open");
    json!({ "realised": of(|p| shown(p.realised)), "lots": of(|p| p.lots.into()),
        "signed_cost": of(|p| shown(p.signed_cost())), "clearing": shown(-realised) })
}

fn holding(v: &Value, margin: Amount) -> Holding {
    Holding { direction: direction(v), base: amount(v, "base"), cost: amount(v, "cost"), margin }
}

fn liquidation(v: &Value, held: &Holding) -> Value {
    let tick = amount(v, "tick");
    let found = held.liquidation_ticks(&brackets(v), tick);
    json!({ "liquidation_price": price(found.map(|f| f.0), tick), "bracket": found.map(|f| f.1 + 1) })
}

fn cross_risk(v: &Value) -> Value {
    let table = brackets(v);
    let mut pool = Pool::of(amount(v, "cash"));
    for t in v["tickets"].as_array().unwrap() {
        let result = tickets::result(direction(t), amount(t, "open"), amount(t, "index"), amount(t, "base"));
        pool = pool.and_ticket(amount(t, "caution"), amount(t, "origin"), result);
    }
    for leg in v["legs"].as_array().unwrap() {
        let now = Fraction::value(amount(leg, "mark"), amount(leg, "base"));
        let result = direction(leg).result(amount(leg, "cost").into(), now);
        pool = pool.and_leg(result, table.maintenance(now));
    }
    json!({ "equity": shown(pool.equity.round8()), "maintenance": shown(pool.maintenance.round8()),
        "risk": pool.risk().unwrap().to_string(), "liquidate": pool.is_due() })
}

fn adl(v: &Value) -> Value {
    let mark = amount(v, "mark");
    let mut legs: Vec<(u64, Rank, Amount)> = Vec::new();
    for leg in v["legs"].as_array().unwrap() {
        let (base, cost) = (amount(leg, "base"), amount(leg, "cost"));
        let result = direction(leg).result(cost.into(), Fraction::value(mark, base));
        legs.push((leg["id"].as_u64().unwrap(), Rank::of(result, cost, multiple(leg)), base));
    }
    legs.sort_by(|a, b| a.1.before(&b.1).then(a.0.cmp(&b.0)));
    let (mut left, mut takes) = (amount(v, "take_base"), Vec::new());
    for (id, _, base) in &legs {
        let take = left.min(*base);
        if take.is_positive() {
            takes.push(json!([id, shown(take)]));
            left -= take;
        }
    }
    let light = |(place, leg): (usize, &(u64, Rank, Amount))| (leg.0.to_string(), lights(place, legs.len()).into());
    json!({ "order": legs.iter().map(|leg| leg.0).collect::<Vec<_>>(), "takes": takes,
        "lights": legs.iter().enumerate().map(light).collect::<serde_json::Map<_, _>>() })
}

fn mark_price(v: &Value) -> Value {
    let basis: Vec<Amount> = v["basis"].as_array().unwrap().iter().map(|b| parsed(b.as_str().unwrap())).collect();
    let inputs = MarkInputs {
        index: amount(v, "index"),
        rate: amount(v, "rate"),
        left: (int(v, "left_s") as u64, int(v, "period_s") as u64),
        basis: &basis,
        last: v["last"].as_str().map(parsed),
        band_ppm: ppm(v, "clamp"),
    };
    json!({ "mark": shown(mark(&inputs)) })
}

fn funding_rate(v: &Value) -> Value {
    let premiums = v["premiums"].as_array().unwrap().iter().map(|p| Exact::from_str(p.as_str().unwrap()).unwrap());
    let (mut sum, mut weights) = (Exact::new(0, 0), 0);
    for (k, premium) in (1_u64..).zip(premiums) {
        sum = sum.plus(premium.times(Exact::new(k.into(), 0)));
        weights += k;
    }
    let terms = FundingTerms {
        interest: amount(v, "interest"),
        inner: parsed("0.0005"),
        cap: amount(v, "cap"),
        period_s: (int(v, "hours") * 3_600) as u32,
    };
    json!({ "rate": shown(rate(&terms, sum, weights)) })
}

fn funding(v: &Value) -> Value {
    let each = per_lot(amount(v, "mark"), amount(v, "lot"), amount(v, "rate"));
    let pays = |(who, lots): (&String, &Value)| (who.clone(), shown(times(lots.as_i64().unwrap(), each)));
    json!({ "per_lot": shown(each), "pays": v["lots"].as_object().unwrap().iter().map(pays).collect::<serde_json::Map<_, _>>() })
}

fn isolated_reduce(v: &Value) -> Value {
    let (lots, closed, lot) = (Lots(int(v, "lots")), Lots(int(v, "close")), amount(v, "lot"));
    let (cost, margin) = (amount(v, "cost"), amount(v, "margin"));
    let done = close(direction(v), (lots, cost), closed, value(amount(v, "price"), closed.0, lot));
    let part = share(margin, closed, lots);
    json!({ "pnl": shown(done.result), "returned": shown(part + done.result), "margin": shown(margin - part),
        "cost": shown(cost - done.released) })
}

fn lever_open_close(v: &Value) -> Value {
    let (way, size) = (direction(v), amount(v, "size"));
    let lots: i64 = text(v, "lots").parse().unwrap();
    let tick = Amount(ONE / 10_i128.pow(int(v, "price_dp") as u32));
    let open = tickets::opening_price(way, amount(v, "mark"), pct(v, "spread_pct"), tick);
    let base = times(lots, size);
    let notional = Fraction::value(open, base);
    let (margin, fee) = (initial_margin(notional, multiple(v)), notional.ppm(pct(v, "fee_pct")).round8());
    let result = tickets::result(way, open, amount(v, "close_mark"), base).round8();
    let (credit, deficit) = tickets::proceeds(margin, result);
    json!({ "price": shown(open), "number": shown(base), "notional": shown(notional.round8()), "margin": shown(margin),
        "fee": shown(fee), "debit": shown(margin + fee), "pnl": shown(result), "credit": shown(credit),
        "deficit": shown(deficit) })
}

fn risk_rate(v: &Value) -> Value {
    assert_eq!(text(v, "burst"), "50", "half of the margin at opening");
    let result = tickets::result(direction(v), amount(v, "open"), amount(v, "mark"), amount(v, "number"));
    let pool = Pool::of(amount(v, "available")).and_ticket(amount(v, "caution"), amount(v, "origin"), result);
    json!({ "risk": pool.risk().unwrap().to_string(), "liquidate": pool.is_due() })
}

fn contract_transferable(v: &Value) -> Value {
    let unrealised = Fraction::from(amount(v, "ticket_pnl")).plus(amount(v, "leg_upnl").into());
    let max = transferable(&Held {
        available: amount(v, "available"),
        results: amount(v, "pnl_wallet"),
        margins: (amount(v, "caution"), amount(v, "origin")),
        unrealised,
        initial: amount(v, "leg_initial"),
        orders: amount(v, "orders"),
    });
    json!({ "max": shown(max) })
}

fn lever_transferable(v: &Value) -> Value {
    let max = transferable(&Held {
        available: amount(v, "available"),
        results: Amount::ZERO,
        margins: (amount(v, "caution"), amount(v, "origin")),
        unrealised: amount(v, "pnl").into(),
        initial: Amount::ZERO,
        orders: Amount::ZERO,
    });
    json!({ "max": shown(max) })
}

fn order_need(v: &Value) -> Value {
    let (lots, lot) = (Lots(int(v, "lots")), amount(v, "lot"));
    let (closes, opens) = divide(lots, Lots(int(v, "long_lots")), Lots(int(v, "resting_closing_lots")));
    let at = amount(v, "price").max(amount(v, "mark"));
    let of = |lots: i64| Fraction::value(at, times(lots, lot));
    json!({ "closes": closes.0, "opens": opens.0, "margin": shown(initial_margin(of(opens.0), multiple(v))),
        "fee": shown(of(lots.0).ppm(ppm(v, "fee")).round8()) })
}

fn tier(v: &Value) -> Value {
    let notional = Fraction::from(amount(v, "notional"));
    let tier = brackets(v).tier_of(notional);
    json!({ "tier": tier.place + 1, "max_multiple": tier.bracket.max_multiple,
        "maintenance": shown(tier.maintenance(notional).round8()) })
}

/// What an operation gives; `None` when contracts do not have it.
fn outcome(op: &str, v: &Value) -> Option<Value> {
    Some(match op {
        "bracket_amounts" => json!({ "amounts": brackets(v).tiers().map(|t| shown(t.amount)).collect::<Vec<_>>() }),
        "maintenance" => tier(v),
        "initial_margin_and_fee" => {
            let notional = Fraction::value(amount(v, "price"), amount(v, "base"));
            json!({ "notional": shown(notional.round8()), "margin": shown(initial_margin(notional, multiple(v))),
                "fee": shown(notional.ppm(ppm(v, "fee")).round8()) })
        }
        "fee_split" => {
            let all = amount(v, "fee");
            let insurance = Fraction::from(all).ppm(ppm(v, "insurance_share")).floor8();
            json!({ "insurance": shown(insurance), "fees": shown(all - insurance) })
        }
        "leg_fills" => leg_fills(v),
        "clearing" => clearing(v),
        "order_need" => order_need(v),
        "isolated_liquidation" => {
            let held = holding(v, amount(v, "margin"));
            let mut found = liquidation(v, &held);
            let bankruptcy = if found["bracket"].is_null() { None } else { held.bankruptcy_ticks(amount(v, "tick")) };
            found["bankruptcy_price"] = price(bankruptcy, amount(v, "tick"));
            found
        }
        "cross_liquidation" => {
            let margin = amount(v, "cash") + amount(v, "other_upnl") - amount(v, "other_maintenance");
            liquidation(v, &holding(v, margin))
        }
        "cross_risk" => cross_risk(v),
        "liquidation_step" => {
            let reduce = step_lots(int(v, "lots"), amount(v, "lot"), amount(v, "mark"), &brackets(v));
            json!({ "reduce_lots": reduce })
        }
        "liquidation_worst_price" => {
            let (held, tick) = (holding(v, amount(v, "margin")), amount(v, "tick"));
            let worst = held.worst_ticks(amount(v, "quota"), amount(v, "mark"), ppm(v, "band"), tick);
            json!({ "price": price(Some(worst), tick) })
        }
        "liquidation_fee" => {
            json!({ "fee": shown(fee(amount(v, "notional").into(), ppm(v, "rate"), amount(v, "left"))) })
        }
        "adl" => adl(v),
        "mark" => mark_price(v),
        "premium" => {
            let premium = premium(amount(v, "impact_bid"), amount(v, "impact_ask"), amount(v, "index"));
            json!({ "premium": premium.to_string() })
        }
        "funding_rate" => funding_rate(v),
        "funding" => funding(v),
        "isolated_reduce" => isolated_reduce(v),
        "lever_open_close" => lever_open_close(v),
        "risk_rate" => risk_rate(v),
        "overnight" => {
            let before = (amount(v, "caution"), amount(v, "available"));
            let (caution, available, fee) =
                tickets::overnight(amount(v, "notional").into(), pct(v, "pct"), before.0, before.1);
            json!({ "fee": shown(fee), "caution": shown(caution), "available": shown(available) })
        }
        "ticket_liquidation" => {
            assert_eq!(text(v, "mode"), "isolated", "a cross ticket ends with its pool");
            let (held, tick) = ((amount(v, "open"), amount(v, "number")), amount(v, "tick"));
            let margins = (amount(v, "origin"), amount(v, "caution"));
            let found =
                tickets::liquidation_index(direction(v), held, margins, text(v, "burst").parse().unwrap(), tick);
            json!({ "index": found.map(|ticks| shown(Amount(ticks * tick.0))) })
        }
        "contract_transferable" => contract_transferable(v),
        "lever_transferable" => lever_transferable(v),
        _ => return None,
    })
}

#[test]
fn worked_numbers_of_contracts_hold() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/");
    let default = vec![format!("{folder}vectors.jsonl"), format!("{folder}vectors-trading.jsonl")];
    let files = std::env::var("VECTORS").map_or(default, |file| vec![file]);
    let (mut checked, mut others) = (BTreeSet::new(), BTreeSet::new());
    for path in &files {
        let lines = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
        for line in lines.lines().filter(|l| !l.trim().is_empty()) {
            let v: Value = serde_json::from_str(line).unwrap();
            let op = text(&v, "op");
            let Some(found) = outcome(op, &v["in"]) else {
                others.insert(op.to_owned());
                continue;
            };
            for (key, want) in v["out"].as_object().unwrap() {
                assert_eq!(&found[key], want, "{} {key}: {line}", text(&v, "id"));
            }
            checked.insert(text(&v, "id").to_owned());
        }
    }
    println!("{} worked numbers hold; operations of others: {others:?}", checked.len());
    assert!(!checked.is_empty(), "no line of {files:?} is about contracts");
}
