//! The worked numbers (`vectors.jsonl` beside this file; `docs/rules/README.md "Worked numbers"`), each driven through the
//! functions that the exchange uses. The variable VECTORS names another file. Operations that the engine does not have are
//! listed: those of display are tested in the app, the others belong to products to come.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::str::FromStr;
use xng_core::account::Order;
use xng_core::board::Board;
use xng_core::entity::{Applied, Ctx, Decision, Entity};
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, Exact, FeePpm, Lots, ONE, Ticks};
use xng_core::record::{Cause, Fact, Origin, Record, Role};
use xng_core::spot::facts::{OrderPlaced, SpotFact};
use xng_core::spot::{LevelFees, Market, MarketCommand, MarketParams, NewOrder, OrderKind, Side, Stp, Terms, Tif};

const BASE: AssetId = AssetId(1);
const QUOTE: AssetId = AssetId(3);

fn text<'a>(v: &'a Value, key: &str) -> &'a str {
    v[key].as_str().unwrap_or_else(|| panic!("{key} is a text in {v}"))
}

fn exact(v: &Value, key: &str) -> Exact {
    Exact::from_str(text(v, key)).unwrap()
}

/// The finest decimal place that any of the texts uses, as an amount.
fn unit_of<'a>(texts: impl Iterator<Item = &'a str>) -> Amount {
    let places = texts.map(|t| t.split_once('.').map_or(0, |(_, f)| f.len() as u32)).max().unwrap_or(0);
    Amount(ONE / 10_i128.pow(places))
}

struct SpotBench {
    market: Market,
    lsn: Lsn,
}

impl SpotBench {
    fn run(&mut self, command: MarketCommand) -> Fact {
        let ctx = Ctx { now: self.lsn.0 + 1, request: None, origin: Origin::System, board: Board::nothing() };
        let fact = match self.market.decide(&command, &ctx) {
            Decision::Fact(fact) => fact,
            other => panic!("{command:?} is refused: {other:?}"),
        };
        self.lsn = self.lsn.next();
        let record = Record {
            time: self.lsn.0,
            decider: EntityId::Market(MarketId(1)),
            cause: Cause::Request,
            origin: Origin::System,
            fact,
        };
        self.market.evolve(Applied { lsn: self.lsn, record: &record }, Role::Decider);
        record.fact
    }

    fn submit(&mut self, account: u64, side: Side, kind: OrderKind, price: Amount, qty: Amount) -> OrderPlaced {
        let p = self.market.params().unwrap().clone();
        let (ticks, lots) = (Ticks((price.0 / p.tick.0) as i64), Lots((qty.0 / p.step.0) as i64));
        let held = Amount::whole(1_000_000_000);
        let terms = Terms { version: p.version, asset: p.locked_asset(side), amount: held, capped: false };
        let (tif, stp, budget, client_id) = (Tif::Gtc, Stp::ExpireTaker, Amount::ZERO, None);
        let ticks = if kind == OrderKind::Market { Ticks(0) } else { ticks };
        let (market, iceberg) = (MarketId(1), Lots::ZERO);
        let order = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms };
        let command = MarketCommand::Submit { order, account: AccountId(account), level: 0, held, open: 0 };
        let Fact::Spot(SpotFact::OrderPlaced(placed)) = self.run(command) else { panic!("an order was placed") };
        *placed
    }
}

/// Runs a taker through a real market whose other side holds the fills.
fn spot_taker(input: &Value, expected: &Value) -> Vec<(String, String, String)> {
    let fills: Vec<(&str, &str)> =
        input["fills"].as_array().unwrap().iter().map(|f| (f[0].as_str().unwrap(), f[1].as_str().unwrap())).collect();
    let side = if text(input, "side") == "buy" { Side::Buy } else { Side::Sell };
    let fee = FeePpm((Amount::from_str(text(input, "fee")).unwrap().0 / (ONE / 1_000_000)) as u32);
    let params = MarketParams {
        market: MarketId(1),
        version: 0,
        symbol: "TEST".into(),
        base: BASE,
        quote: QUOTE,
        tick: unit_of(fills.iter().map(|f| f.0)),
        step: unit_of(fills.iter().map(|f| f.1)),
        min_lots: Lots(1),
        max_lots: Lots(i64::MAX / 1_000_000),
        min_notional: Amount::ZERO,
        band_ppm: 500_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![LevelFees { maker: FeePpm(0), taker: fee }],
        stale_after_ms: 0,
        house_quoted: false,
    };
    let mut bench = SpotBench { market: Market::blank(MarketId(1)), lsn: Lsn::ZERO };
    bench.run(MarketCommand::List(params));
    let amount = |t: &str| Amount::from_str(t).unwrap();
    for (price, qty) in &fills {
        bench.submit(200_001, side.opposite(), OrderKind::Limit, amount(price), amount(qty));
    }
    let total: Amount = fills.iter().map(|f| amount(f.1)).sum();
    let placed = bench.submit(200_002, side, OrderKind::Market, Amount::ZERO, total);
    assert_eq!(placed.trades.len(), fills.len());
    let mut moved = [(BASE, Amount::ZERO), (QUOTE, Amount::ZERO)];
    Fact::from(placed.clone()).postings(Role::Taker, |p| {
        assert_eq!((p.account, p.wallet), (AccountId(200_002), Wallet::Spot));
        let at = usize::from(p.asset == QUOTE);
        moved[at].1 += p.available + p.locked;
    });
    let order = Order::from_placed(&placed, 0);
    let found = |key: &str| match (key, side) {
        ("quote_paid", Side::Buy) => (-moved[1].1).to_string(),
        ("base_net", Side::Buy) => moved[0].1.to_string(),
        ("base_fee", Side::Buy) | ("quote_fee", Side::Sell) => placed.taker_fee().to_string(),
        ("base_paid", Side::Sell) => (-moved[0].1).to_string(),
        ("quote_net", Side::Sell) => moved[1].1.to_string(),
        ("avg", _) => order.average().to_string(),
        (other, _) => panic!("an output {other} that this test does not know"),
    };
    let outs = expected.as_object().unwrap();
    outs.iter().map(|(key, want)| (key.clone(), want.as_str().unwrap().to_owned(), found(key))).collect()
}

/// What an operation gives: (name of the output, expected, found); `None` when no product implements it.
fn outcome(op: &str, input: &Value, expected: &Value) -> Option<Vec<(String, String, String)>> {
    let y = |found: String| Some(vec![("y".to_owned(), text(expected, "y").to_owned(), found)]);
    match op {
        "round_half_up" => {
            let scale = u32::try_from(input["scale"].as_u64().unwrap()).unwrap();
            y(exact(input, "x").round_half_up(scale).to_string())
        }
        "div20" => y(exact(input, "a").div_sig20_half_up(exact(input, "b")).unwrap().to_string()),
        "spot_taker" => Some(spot_taker(input, expected)),
        _ => None,
    }
}

#[test]
fn vectors_of_the_specification_hold() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors.jsonl");
    let path = std::env::var("VECTORS").unwrap_or_else(|_| default.to_owned());
    let lines = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (mut checked, mut open) = (0, BTreeSet::new());
    for line in lines.lines().filter(|l| !l.trim().is_empty()) {
        let v: Value = serde_json::from_str(line).unwrap();
        let op = text(&v, "op");
        let Some(results) = outcome(op, &v["in"], &v["out"]) else {
            open.insert(op.to_owned());
            continue;
        };
        for (name, want, found) in results {
            assert_eq!(found, want, "{} {name} of {line}", text(&v, "id"));
        }
        checked += 1;
    }
    println!("{checked} vectors hold; operations that no product implements yet: {open:?}");
    assert!(checked > 0, "{path} has no vector that this build implements");
}
