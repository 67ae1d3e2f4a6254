//! Conversion by the worked numbers (`docs/rules/convert.md`), and by a board whose prices move.

use super::params::{ConvertAsset, ConvertParams};
use super::*;
use crate::account::{Account, AccountCommand, Conversion, ConvertCommand};
use crate::board::Tick;
use crate::convert::facts::{ConvertFact, ConvertParamsSet};
use crate::entity::{Applied, Ctx, Decision, Entity, Reply, View};
use crate::ids::{AccountId, EntityId, PriceId, Wallet};
use crate::journal::Lsn;
use crate::record::{Cause, Fact, Origin, Record};
use serde_json::{Value, json};
use std::str::FromStr;

const BTC: AssetId = AssetId(1);
const ETH: AssetId = AssetId(2);
const USDT: AssetId = AssetId(3);
const SECOND: TimeNs = 1_000_000_000;

fn amount(text: &str) -> Amount {
    Amount::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn at(v: &Value) -> Amount {
    amount(v.as_str().unwrap())
}

fn ppm(v: &Value, of_one: i128) -> u32 {
    (at(v).0 * of_one / ONE) as u32
}

fn outcome(op: &str, v: &Value) -> Option<Value> {
    Some(match op {
        "convert" => {
            let number = at(&v["number"]);
            let fee = fee(number, ppm(&v["fee_pct"], 10_000));
            let to = received(number, (at(&v["from_price"]), at(&v["to_price"])), ppm(&v["spread_pct"], 10_000));
            json!({ "to_amount": to.to_string(), "fee": fee.to_string(), "debit": (number + fee).to_string() })
        }
        "quote_guard" => {
            let pair = |v: &Value| (at(&v[0]), at(&v[1]));
            json!({ "honoured": is_honoured(pair(&v["quoted"]), pair(&v["now"]), ppm(&v["guard"], 1_000_000)) })
        }
        "dust" => {
            let (to_price, off) = (at(&v["to_price"]), ppm(&v["fee"], 1_000_000));
            let rows = v["rows"].as_array().unwrap().iter().map(|row| (at(&row[0]), at(&row[1])));
            let becomes = |(amount, price)| {
                let dust = is_dust(amount, price, at(&v["limit"]));
                (dust, dust.then(|| received(amount, (price, to_price), off).to_string()))
            };
            let (small, to): (Vec<bool>, Vec<Option<String>>) = rows.map(becomes).unzip();
            json!({ "values_below_limit": small, "to": to })
        }
        _ => return None,
    })
}

#[test]
fn worked_numbers_of_conversion_hold() {
    let mut checked = 0;
    for lines in [include_str!("../../tests/vectors.jsonl"), include_str!("../../tests/vectors-trading.jsonl")] {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            let v: Value = serde_json::from_str(line).unwrap();
            let Some(found) = outcome(v["op"].as_str().unwrap(), &v["in"]) else { continue };
            assert_eq!(found, v["out"], "{line}");
            checked += 1;
        }
    }
    assert!(checked >= 9, "{checked} worked numbers");
}

fn params() -> ConvertParams {
    let asset = |asset, price: Option<u16>, cap| ConvertAsset {
        asset,
        price: price.map(PriceId),
        daily_cap: Amount::whole(cap),
    };
    ConvertParams {
        version: 0,
        spread_ppm: 0,
        fee_ppm: 1_000,
        guard_ppm: 3_000,
        value: (Amount::whole(1), Amount::whole(50_000)),
        stale_after_ms: 5_000,
        quote_ms: 10_000,
        dust_limit: Amount::whole(5),
        dust_fee_ppm: 1_000,
        dust_into: USDT,
        assets: vec![asset(BTC, Some(1), 1), asset(ETH, Some(2), 50), asset(USDT, None, 100_000)],
    }
}

/// A user with 1,001 USDT, 0.0001 BTC and 0.2 ETH, and a board.
struct Bench {
    user: Account,
    house: Account,
    board: Board,
    lsn: Lsn,
}

impl Bench {
    fn new() -> Bench {
        let (user, house) = (Account::blank(AccountId::FIRST_USER), Account::blank(AccountId::CONVERT_HOUSE));
        let mut bench = Bench { user, house, board: Board::default(), lsn: Lsn::ZERO };
        let set = bench.ask(true, ConvertCommand::SetParams(Box::new(params())), SECOND);
        bench.take(set, SECOND);
        let grant =
            |asset, text: &str| crate::account::facts::GrantItem { wallet: Wallet::Spot, asset, amount: amount(text) };
        let items = vec![grant(USDT, "1001"), grant(BTC, "0.0001"), grant(ETH, "0.2")];
        let kind = crate::account::facts::GrantKind::Opening;
        let granted = bench.user.decide(&AccountCommand::Grant { kind, items }, &ctx(&bench.board, SECOND, None));
        bench.take(granted, SECOND);
        bench.tick(1, 1, "50000", 10);
        bench.tick(2, 1, "2500", 10);
        bench
    }

    fn tick(&mut self, price: u16, seq: u64, index: &str, second: u64) {
        self.board.show_price(PriceId(price), Tick { seq, index: amount(index), time: second * SECOND }, false);
    }

    fn ask(&self, house: bool, command: ConvertCommand, now: TimeNs) -> Decision {
        let key = if let ConvertCommand::Convert(Conversion { from, to, amount, quote: Some(quote) }) = &command {
            Some(quote.request_key((*from, *to), *amount))
        } else {
            None
        };
        let account = if house { &self.house } else { &self.user };
        account.decide(&AccountCommand::Convert(command), &ctx(&self.board, now, key))
    }

    fn take(&mut self, decision: Decision, now: TimeNs) {
        let Decision::Fact(fact) = decision else { panic!("a fact: {decision:?}") };
        self.lsn = self.lsn.next();
        let of_house = matches!(&fact, Fact::Convert(ConvertFact::ConvertParamsSet(_)));
        let decider = EntityId::Account(if of_house { self.house.id() } else { self.user.id() });
        let record = Record { time: now, decider, cause: Cause::Request, origin: Origin::System, fact };
        let applied = Applied { lsn: self.lsn, record: &record };
        record.fact.parties(decider, |entity, role| {
            let both = [&mut self.user, &mut self.house].into_iter();
            both.filter(|account| entity == EntityId::Account(account.id())).for_each(|a| a.evolve(applied, role));
        });
        self.house.publish(&mut self.board);
    }

    fn quote(&self, from: AssetId, to: AssetId, now: TimeNs) -> Quoted {
        let answer = self.ask(false, ConvertCommand::Quote { from, to }, now);
        let Decision::Reply(Reply::View(View::Conversion(view))) = answer else { panic!("a quote: {answer:?}") };
        let ConversionView::Quoted(quoted) = *view else { panic!("a quote: {view:?}") };
        quoted
    }

    fn convert(&self, (from, to): (AssetId, AssetId), text: &str, quote: Option<Quote>, now: TimeNs) -> Decision {
        self.ask(false, ConvertCommand::Convert(Conversion { from, to, amount: amount(text), quote }), now)
    }
}

fn ctx(board: &Board, now: TimeNs, request: Option<RequestKey>) -> Ctx<'_> {
    Ctx { now, request, origin: Origin::User, others_wait: false, board }
}

fn refused(decision: &Decision) -> Reject {
    let Decision::Reject(reject) = decision else { panic!("refused: {decision:?}") };
    *reject
}

#[test]
fn a_quote_is_honoured_for_ten_seconds_within_the_guard_and_under_its_own_key() {
    let mut x = Bench::new();
    let quote = x.quote(USDT, BTC, 12 * SECOND).quote;
    assert_eq!((quote.from_seq, quote.to_seq), (0, 1));
    x.tick(1, 2, "50150", 13);
    let Decision::Fact(Fact::Convert(ConvertFact::Converted(f))) =
        x.convert((USDT, BTC), "1000", Some(quote), 22 * SECOND)
    else {
        panic!("converted at the quote")
    };
    assert_eq!((f.to_amount, f.fee, f.to.price), (amount("0.02"), amount("1"), amount("50000")));
    assert_eq!(refused(&x.convert((USDT, BTC), "1000", Some(quote), 22 * SECOND + 1)), Reject::QuoteExpired);
    let early = Quote { issued: 13 * SECOND, ..quote };
    assert_eq!(
        refused(&x.convert((USDT, BTC), "1000", Some(early), 22 * SECOND)),
        Reject::QuoteExpired,
        "not the last then"
    );
    let unkeyed = Conversion { from: USDT, to: BTC, amount: amount("1000"), quote: Some(quote) };
    let unkeyed = AccountCommand::Convert(ConvertCommand::Convert(unkeyed));
    assert_eq!(refused(&x.user.decide(&unkeyed, &ctx(&x.board, 14 * SECOND, None))), Reject::NotAllowed);
    x.tick(1, 3, "50150.46", 14);
    assert_eq!(refused(&x.convert((USDT, BTC), "1000", Some(quote), 14 * SECOND)), Reject::PriceChanged);
    let mut restarted = Board::default();
    x.house.publish(&mut restarted);
    x.board = restarted;
    assert_eq!(refused(&x.convert((USDT, BTC), "1000", Some(quote), 14 * SECOND)), Reject::QuoteExpired);
}

#[test]
fn limits_of_a_conversion_are_those_of_the_parameters() {
    let mut x = Bench::new();
    let now = 12 * SECOND;
    let why = |pair, number, now| refused(&x.convert(pair, number, None, now));
    assert_eq!(why((USDT, USDT), "10", now), Reject::SameAsset);
    assert_eq!(why((USDT, AssetId(9)), "10", now), Reject::NotConvertible);
    assert_eq!(why((USDT, BTC), "0", now), Reject::BadAmount);
    assert_eq!(why((USDT, BTC), "0.00000001", now), Reject::BelowMinConversion);
    assert_eq!(why((BTC, USDT), "1.00000001", now), Reject::AboveMaxConversion);
    assert_eq!(why((USDT, BTC), "1000.00000001", now), Reject::InsufficientBalance);
    assert_eq!(why((USDT, BTC), "10", 15 * SECOND + 1), Reject::PriceStale);
    x.tick(2, 2, "0.5", 12);
    assert_eq!(refused(&x.convert((USDT, ETH), "1000", None, now)), Reject::ConversionCapReached, "2,000 of 50");
    let done = x.convert((USDT, BTC), "1000", None, now);
    x.take(done, now);
    assert_eq!(x.user.balance(Wallet::Spot, BTC).available, amount("0.0201"));
    assert_eq!(x.house.balance(Wallet::Spot, BTC).available, amount("-0.02"));
    let given = x.board.conversion().expect("is shown");
    assert_eq!(given.given(BTC, now), amount("0.02"));
    assert_eq!(given.given(BTC, now + DAY_NS), Amount::ZERO, "the next day begins anew");
}

#[test]
fn dust_is_converted_once_in_a_day_in_one_record() {
    let mut x = Bench::new();
    x.tick(1, 2, "49999", 11);
    let ask = |x: &Bench, assets: &[AssetId], now| {
        x.ask(false, ConvertCommand::Dust { assets: assets.to_vec(), version: None }, now)
    };
    assert_eq!(refused(&ask(&x, &[ETH], 12 * SECOND)), Reject::NotDust);
    assert_eq!(refused(&ask(&x, &[], 12 * SECOND)), Reject::BadParameters);
    assert_eq!(refused(&ask(&x, &[BTC, BTC], 12 * SECOND)), Reject::BadParameters);
    assert_eq!(refused(&ask(&x, &[USDT], 12 * SECOND)), Reject::BadParameters);
    let done = ask(&x, &[BTC], 12 * SECOND);
    x.take(done, 12 * SECOND);
    assert_eq!(x.user.balance(Wallet::Spot, USDT).available, amount("1005.9949001"));
    x.tick(1, 3, "49999", 12 + 86_399);
    x.tick(2, 2, "10", 12 + 86_399);
    assert_eq!(refused(&ask(&x, &[ETH], (12 + 86_399) * SECOND)), Reject::DustTooSoon);
    let later = ask(&x, &[ETH], (12 + 86_400) * SECOND);
    x.take(later, (12 + 86_400) * SECOND);
    assert_eq!(x.user.balance(Wallet::Spot, ETH).available, Amount::ZERO);
    let mut bytes = Vec::new();
    x.user.save(&mut bytes);
    let again = Account::load(x.user.id(), &mut crate::codec::Reader::new(&bytes)).expect("what was saved");
    assert_eq!(x.user.digest(), again.digest());
}

#[test]
fn only_the_house_of_conversion_has_parameters() {
    let x = Bench::new();
    assert_eq!(refused(&x.ask(false, ConvertCommand::SetParams(Box::new(params())), SECOND)), Reject::NotAllowed);
    assert_eq!(refused(&x.ask(true, ConvertCommand::SetParams(Box::new(params())), SECOND)), Reject::AlreadyExists);
    let bad = ConvertParams { quote_ms: 10_001, ..params() };
    assert_eq!(refused(&x.ask(true, ConvertCommand::SetParams(Box::new(bad)), SECOND)), Reject::BadParameters);
    let other = ConvertParams { fee_ppm: 2_000, version: 1, ..params() };
    let Decision::Fact(Fact::Convert(ConvertFact::ConvertParamsSet(f))) =
        x.ask(true, ConvertCommand::SetParams(Box::new(other)), SECOND)
    else {
        panic!("set")
    };
    let ConvertParamsSet { params } = *f;
    assert_eq!((params.version, params.fee_ppm), (2, 2_000));
}
