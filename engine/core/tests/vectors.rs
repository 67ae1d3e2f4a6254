//! The worked numbers (`vectors.jsonl` and `vectors-trading.jsonl` beside this file; `docs/rules/README.md "Worked numbers"`)
//! of money, spot markets and stocks, each driven through the functions that the exchange uses. The variable VECTORS
//! names another file. Operations that the engine does not have are listed: those of display are tested in the app,
//! contracts and other products have files of their own, the rest belongs to products to come.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test names what it expects and fails on the rest")]

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::str::FromStr;
use xng_core::account::Order;
use xng_core::board::Board;
use xng_core::entity::{Applied, Ctx, Decision, Entity};
use xng_core::fraction::Fraction;
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, Exact, FeePpm, Lots, ONE, Ticks};
use xng_core::record::{Cause, Fact, Origin, Record, Role};
use xng_core::spot::facts::{OrderPlaced, SpotFact};
use xng_core::spot::{
    LevelFees, Market, MarketCommand, MarketParams, NewOrder, OrderKind, OrderStatus, Side, Stp, Terms, Tif,
};
use xng_core::stock::facts::SessionChanged;
use xng_core::stock::{ActionKind, CalendarId, SessionPhase, StepTable, StockTerms};

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
    fn listed(params: MarketParams) -> SpotBench {
        let mut bench = SpotBench { market: Market::blank(params.market), lsn: Lsn::ZERO };
        bench.run(MarketCommand::List(Box::new(params)));
        bench
    }

    fn run(&mut self, command: MarketCommand) -> Fact {
        let ctx = Ctx {
            now: self.lsn.0 + 1,
            request: None,
            origin: Origin::System,
            others_wait: false,
            board: Board::nothing(),
        };
        match self.market.decide(&command, &ctx) {
            Decision::Fact(fact) => self.hear(fact),
            other => panic!("{command:?} is refused: {other:?}"),
        }
    }

    fn hear(&mut self, fact: Fact) -> Fact {
        self.lsn = self.lsn.next();
        let (decider, cause, origin) = (EntityId::Market(MarketId(1)), Cause::Request, Origin::System);
        let record = Record { time: self.lsn.0, decider, cause, origin, fact };
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
        let (market, iceberg) = (p.market, Lots::ZERO);
        let order = NewOrder { market, side, kind, tif, stp, ticks, lots, budget, iceberg, client_id, terms };
        let command = MarketCommand::Submit { order, account: AccountId(account), level: 0, held, open: 0 };
        let Fact::Spot(SpotFact::OrderPlaced(placed)) = self.run(command) else { panic!("an order was placed") };
        *placed
    }
}

/// A market with a fee of takers.
fn params(tick: Amount, step: Amount, fee: FeePpm) -> MarketParams {
    MarketParams {
        market: MarketId(1),
        version: 0,
        symbol: "TEST".into(),
        base: BASE,
        quote: QUOTE,
        tick,
        step,
        min_lots: Lots(1),
        max_lots: Lots(i64::MAX / 1_000_000),
        min_notional: Amount::ZERO,
        band_ppm: 500_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![LevelFees { maker: FeePpm(0), taker: fee }],
        stale_after_ms: 0,
        house_quoted: false,
        stock: None,
    }
}

/// Parts of a million in a text.
fn ppm(v: &Value, key: &str) -> u32 {
    (Amount::from_str(text(v, key)).unwrap().0 / (ONE / 1_000_000)) as u32
}

/// Runs a taker through a real market whose other side holds the fills.
fn spot_taker(input: &Value, expected: &Value) -> Vec<(String, String, String)> {
    let fills: Vec<(&str, &str)> =
        input["fills"].as_array().unwrap().iter().map(|f| (f[0].as_str().unwrap(), f[1].as_str().unwrap())).collect();
    let side = if text(input, "side") == "buy" { Side::Buy } else { Side::Sell };
    let (tick, step) = (unit_of(fills.iter().map(|f| f.0)), unit_of(fills.iter().map(|f| f.1)));
    let mut bench = SpotBench::listed(params(tick, step, FeePpm(ppm(input, "fee"))));
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

/// What a purchase of stocks takes, and its fee, in a market whose prices have these steps.
fn stock_purchase(steps: StepTable, price: Amount, lots: i64, lot: Amount, fee: u32) -> (Amount, Amount) {
    let (market, calendar) = (MarketId(384), CalendarId(1));
    let tick = Amount::from_str(if steps == StepTable::Flat { "0.01" } else { "0.001" }).unwrap();
    let (pause_ppm, pause_window_ms, pause_ms) = (100_000, 300_000, 300_000);
    let stock = Some(StockTerms { calendar, steps, queues: false, pause_ppm, pause_window_ms, pause_ms });
    let base = market.stock_asset().unwrap();
    // So many lots that the market takes them at any price.
    let max_lots = Lots(1_000_000);
    let mut bench = SpotBench::listed(MarketParams { market, base, max_lots, stock, ..params(tick, lot, FeePpm(fee)) });
    let (phase, until) = (SessionPhase::Open, u64::MAX);
    bench.hear(SessionChanged { calendar, phase, until, markets: vec![market] }.into());
    bench.run(MarketCommand::Timer);
    let qty = Amount(lot.0 * i128::from(lots));
    bench.submit(200_001, Side::Sell, OrderKind::Limit, price, qty);
    let placed = bench.submit(200_002, Side::Buy, OrderKind::Limit, price, qty);
    assert_eq!(placed.status, OrderStatus::Filled);
    let mut paid = Amount::ZERO;
    Fact::from(placed.clone()).postings(Role::Taker, |p| {
        if p.asset == QUOTE {
            paid -= p.available + p.locked;
        }
    });
    (paid, placed.taker_fee())
}

/// A purchase in Hong Kong dollars, and what is shown of it in USDT.
fn hk_order(v: &Value) -> [(&'static str, String); 4] {
    let (lots, lot) = (v["lots"].as_i64().unwrap(), Amount::whole(v["lot"].as_i64().unwrap()));
    let (price, fee) = (Amount::from_str(text(v, "price_hkd")).unwrap(), ppm(v, "fee"));
    let (paid, fee_hkd) = stock_purchase(StepTable::Hk2025, price, lots, lot, fee);
    let rate = Fraction::from(Amount::from_str(text(v, "usdhkd")).unwrap());
    let usdt = Fraction::from(paid - fee_hkd).over(rate).by(ONE).round8();
    let fee_usdt = usdt.share_ppm(fee);
    let shown = |amount: Amount| amount.to_string();
    [("hkd", shown(paid - fee_hkd)), ("fee_hkd", shown(fee_hkd)), ("usdt", shown(usdt)), ("fee_usdt", shown(fee_usdt))]
}

fn hk_tick(v: &Value) -> Value {
    let name = text(v, "table");
    let table = StepTable::ALL.iter().find(|table| table.name() == name).unwrap();
    let tick = Amount::from_str("0.001").unwrap();
    let prices: Vec<Amount> =
        v["prices"].as_array().unwrap().iter().map(|p| Amount::from_str(p.as_str().unwrap()).unwrap()).collect();
    let valid: Vec<bool> = prices.iter().map(|price| table.takes(*price, tick)).collect();
    let step = |price: &Amount| table.step(*price, tick).map(|step| step.to_string());
    json!({ "valid": valid, "steps": prices.iter().map(step).collect::<Vec<_>>() })
}

fn split(v: &Value) -> [(&'static str, String); 2] {
    let shares = |key: &str| v[key].as_u64().unwrap() as u32;
    let before = Amount::from_str(text(v, "holding")).unwrap();
    let after = ActionKind::Split { new: shares("new"), old: shares("old") }.holding(before);
    [("holding", after.to_string()), ("difference", (after - before).to_string())]
}

fn dividend(v: &Value) -> [(&'static str, String); 2] {
    let (per_share, withheld_ppm) = (Amount::from_str(text(v, "per_share")).unwrap(), ppm(v, "withholding"));
    let held = Amount::from_str(text(v, "holding")).unwrap();
    let (gross, withheld) = ActionKind::Dividend { per_share, withheld_ppm }.dividend(held);
    [("gross", gross.to_string()), ("net", (gross - withheld).to_string())]
}

/// Each output that is expected beside the one that was found.
fn beside(expected: &Value, found: &[(&'static str, String)]) -> Vec<(String, String, String)> {
    let outs = expected.as_object().unwrap();
    assert_eq!(outs.len(), found.len());
    let row =
        |(key, found): &(&'static str, String)| ((*key).to_owned(), text(expected, key).to_owned(), found.clone());
    found.iter().map(row).collect()
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
        "stock_buy" => {
            let lots = text(input, "qty").parse().unwrap();
            let price = Amount::from_str(text(input, "price")).unwrap();
            let (paid, fee) = stock_purchase(StepTable::Flat, price, lots, Amount::whole(1), ppm(input, "fee"));
            let found = [("notional", paid - fee), ("fee", fee), ("debit", paid)].map(|(key, a)| (key, a.to_string()));
            Some(beside(expected, &found))
        }
        "stock_buy_hk" => {
            let [_, _, (_, usdt), (_, fee)] = hk_order(input);
            Some(beside(expected, &[("usdt", usdt), ("fee", fee)]))
        }
        "hk_order" => Some(beside(expected, &hk_order(input))),
        "hk_tick" => Some(vec![("steps".to_owned(), expected.to_string(), hk_tick(input).to_string())]),
        "split" => Some(beside(expected, &split(input))),
        "dividend" => Some(beside(expected, &dividend(input))),
        _ => None,
    }
}

#[test]
fn vectors_of_the_specification_hold() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/");
    let default = vec![format!("{folder}vectors.jsonl"), format!("{folder}vectors-trading.jsonl")];
    let files = std::env::var("VECTORS").map_or(default, |file| vec![file]);
    let (mut checked, mut open, mut lines) = (0, BTreeSet::new(), String::new());
    for path in &files {
        lines += &std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
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
    println!("{checked} vectors hold; operations of others: {open:?}");
    assert!(checked > 0, "{files:?} has no vector that this build implements");
}

#[test]
fn no_worked_number_of_trading_is_left_out() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let read = |path: &str| std::fs::read_to_string(format!("{root}{path}")).unwrap_or_else(|e| panic!("{path}: {e}"));
    let drivers =
        ["tests/vectors.rs", "tests/contracts.rs", "src/seconds/tests.rs", "src/convert/tests.rs", "src/copy/tests.rs"];
    let mut sources = drivers.map(read).concat();
    // A log's line is driven where logs are.
    sources += &read("src/price/tests.rs").replace("\"tick_chain\"", "\"tick_chain\" =>");
    let all = read(concat!("tests/", "vectors-trading.jsonl"));
    let all = all.lines().map(|line| text(&serde_json::from_str::<Value>(line).unwrap(), "op").to_owned());
    let left: BTreeSet<String> = all.filter(|op| !sources.contains(&format!("\"{op}\" =>"))).collect();
    assert!(left.is_empty(), "nobody drives {left:?}");
}
