//! The index moves with its sources only, and its log can be checked by anybody.

use super::*;
use crate::board::Board;
use crate::entity::Applied;
use crate::ids::EntityId;
use crate::journal::Lsn;
use crate::price::facts::PriceFact;
use crate::record::{Cause, Origin, Record};
use serde_json::{Value, json};

const SECOND: TimeNs = 1_000_000_000;

struct Bench {
    price: PriceIndex,
    lsn: Lsn,
    log: Vec<(TimeNs, PriceTicked)>,
}

impl Bench {
    fn new() -> Bench {
        let mut bench = Bench { price: PriceIndex::blank(PriceId(1)), lsn: Lsn::ZERO, log: Vec::new() };
        let listing =
            PriceListed { price: PriceId(1), symbol: "BTCUSDT".into(), hearers: vec![EntityId::Market(MarketId(1))] };
        bench.run(PriceCommand::List(listing), 0);
        bench
    }

    fn run(&mut self, command: PriceCommand, now: TimeNs) -> Option<Fact> {
        let ctx = Ctx { now, request: None, origin: Origin::System, others_wait: false, board: Board::nothing() };
        let Decision::Fact(fact) = self.price.decide(&command, &ctx) else { return None };
        let record = Record {
            time: now,
            decider: EntityId::Price(PriceId(1)),
            cause: Cause::Request,
            origin: Origin::System,
            fact,
        };
        self.lsn = self.lsn.next();
        self.price.evolve(Applied { lsn: self.lsn, record: &record }, Role::Decider);
        if let Fact::Price(PriceFact::PriceTicked(t)) = &record.fact {
            self.log.push((now, (**t).clone()));
        }
        Some(record.fact)
    }

    fn say(&mut self, source: u8, price: i64, now: TimeNs) -> Option<Amount> {
        self.run(PriceCommand::Push(SourcePrice { source, price: Amount::whole(price) }), now)?;
        self.price.index().map(|(index, _)| index)
    }
}

use crate::ids::MarketId;

#[test]
fn the_index_is_the_median_of_the_fresh_sources() {
    let mut b = Bench::new();
    assert_eq!(b.say(1, 100, SECOND), Some(Amount::whole(100)));
    assert_eq!(b.say(2, 104, SECOND), Some(Amount::whole(102)));
    assert_eq!(b.say(3, 101, SECOND), Some(Amount::whole(101)));
    assert_eq!(b.say(3, 103, 7 * SECOND), Some(Amount::whole(103)), "sources 1 and 2 have gone silent");
}

#[test]
fn a_jump_needs_a_second_tick_that_agrees() {
    let mut b = Bench::new();
    b.say(1, 100, SECOND);
    assert_eq!(b.say(1, 115, 2 * SECOND), Some(Amount::whole(100)), "the first word is only suspect");
    assert_eq!(b.say(1, 101, 3 * SECOND), Some(Amount::whole(101)), "it was an outlier");
    assert_eq!(b.say(1, 115, 4 * SECOND), Some(Amount::whole(101)));
    assert_eq!(b.say(1, 116, 5 * SECOND), Some(Amount::whole(116)), "two words agree");
}

#[test]
fn anybody_can_recompute_the_chain_of_ticks() {
    let mut b = Bench::new();
    for (n, price) in [100, 101, 130, 99, 102, 131, 132].into_iter().enumerate() {
        b.say(1, price, (n as u64 + 1) * SECOND);
    }
    let mut hash = [0u8; 32];
    let mut seq = 0;
    for (time, tick) in b.log.iter().filter(|(_, t)| t.kind == PriceKind::Index) {
        seq += 1;
        assert_eq!(tick.seq, seq, "no gap");
        let mut sha = Sha256::new();
        sha.update(hash);
        sha.update(canonical(PriceId(1), (tick.seq, *time), tick.index, &tick.sources));
        hash = sha.finalize().into();
    }
    assert_eq!(b.price.chain(), (seq, hash));
}

#[test]
fn prices_that_are_not_positive_are_refused() {
    let mut b = Bench::new();
    assert_eq!(b.say(1, 0, SECOND), None);
    assert_eq!(b.say(1, -5, SECOND), None);
}

#[test]
fn the_state_comes_back_from_a_snapshot() {
    let mut b = Bench::new();
    b.say(1, 100, SECOND);
    b.say(1, 140, 2 * SECOND);
    let mut bytes = Vec::new();
    b.price.save(&mut bytes);
    let back = PriceIndex::load(PriceId(1), &mut Reader::new(&bytes)).unwrap();
    assert_eq!(back.digest(), b.price.digest());
    assert_eq!(back.suspect, Some(Amount::whole(140)));
}

#[test]
fn worked_numbers_of_the_tick_log_hold() {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let amount = |v: &Value| text(v).parse::<Amount>().unwrap();
    let hex = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines = include_str!("../../tests/vectors-trading.jsonl").lines().filter(|line| line.contains("tick_chain"));
    let mut checked = 0;
    for line in lines {
        let v: Value = serde_json::from_str(line).unwrap();
        let (given, mut hash) = (text(&v["in"]["previous"]), [0; 32]);
        for (n, byte) in hash.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&given[2 * n..2 * n + 2], 16).unwrap();
        }
        let id = PriceId(v["in"]["price"].as_u64().unwrap() as u16);
        let ticks = v["in"]["ticks"].as_array().unwrap().iter().map(|tick| {
            let source = |s: &Value| SourcePrice { source: s[0].as_u64().unwrap() as u8, price: amount(&s[1]) };
            let sources: Vec<SourcePrice> = tick["sources"].as_array().unwrap().iter().map(source).collect();
            let at = (tick["seq"].as_u64().unwrap(), text(&tick["time_ns"]).parse().unwrap());
            hash = chained(&hash, &canonical(id, at, amount(&tick["index"]), &sources));
            hex(&hash)
        });
        assert_eq!(json!({ "hashes": ticks.collect::<Vec<_>>() }), v["out"], "{line}");
        checked += 1;
    }
    assert_eq!(checked, 1, "PT62");
}
