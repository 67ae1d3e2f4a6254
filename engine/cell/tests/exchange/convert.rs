//! Conversion through the cell: worked numbers, quotes that are used once, caps, dust; the auditor reads along.

use crate::properties::Dice;
use crate::support::{ASSETS, BTC, ETH, Exchange, USDT, btc_usdt, market};
use crate::tickets::audit;
use xng_core::account::{AccountCommand, Conversion, ConvertCommand};
use xng_core::convert::params::{ConvertAsset, ConvertParams};
use xng_core::convert::{ConversionView, Quote, Quoted};
use xng_core::entity::{Accepted, Command, Reply, View};
use xng_core::ids::{AccountId, AssetId, PriceId, RequestKey};
use xng_core::money::Amount;
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::reject::Reject;

const ALICE: AccountId = AccountId(100_001);
const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

pub(crate) fn params() -> ConvertParams {
    let asset = |asset, price: Option<u16>, cap| ConvertAsset {
        asset,
        price: price.map(PriceId),
        daily_cap: Amount::whole(cap),
    };
    ConvertParams {
        version: 0,
        spread_ppm: 1_000,
        fee_ppm: 1_000,
        guard_ppm: 3_000,
        value: (Amount::whole(1), Amount::whole(50_000)),
        stale_after_ms: 5_000,
        quote_ms: 10_000,
        dust_limit: Amount::whole(5),
        dust_fee_ppm: 1_000,
        dust_into: USDT,
        assets: vec![asset(BTC, Some(1), 2), asset(ETH, Some(2), 1_000), asset(USDT, None, 100_000)],
    }
}

pub(crate) fn set(x: &mut Exchange, params: ConvertParams) {
    let set = ConvertCommand::SetParams(Box::new(params));
    x.ok(Command::Account(AccountId::CONVERT_HOUSE, AccountCommand::Convert(set)));
}

fn tick(x: &mut Exchange, price: u16, index: &str) {
    let said = SourcePrice { source: 1, price: index.parse().unwrap() };
    x.ok(Command::Price(PriceId(price), PriceCommand::Push(said)));
}

/// Conversion at 50,000 and 2,500; Alice has 10,000 USDT, 1 BTC, 0.001 ETH.
fn started() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt(), market(2, ETH, USDT, 1_000_000, 10_000)]);
    set(&mut x, ConvertParams { spread_ppm: 0, ..params() });
    for (asset, amount) in [(USDT, "10000"), (BTC, "1"), (ETH, "0.001")] {
        x.fund(ALICE, asset, amount.parse().unwrap());
    }
    tick(&mut x, 1, "50000");
    tick(&mut x, 2, "2500");
    x
}

fn send(x: &mut Exchange, key: Option<RequestKey>, command: ConvertCommand) -> Reply {
    x.send(key, Command::Account(ALICE, AccountCommand::Convert(command)))
}

fn quote(x: &mut Exchange, from: AssetId, to: AssetId) -> Quote {
    let Reply::View(View::Conversion(view)) = send(x, None, ConvertCommand::Quote { from, to }) else {
        panic!("a quote")
    };
    let ConversionView::Quoted(Quoted { quote, .. }) = *view else { panic!("a quote") };
    quote
}

fn convert(x: &mut Exchange, (from, to): (AssetId, AssetId), amount: &str, quote: Option<Quote>) -> Reply {
    let amount = amount.parse().unwrap();
    let key = quote.map(|quote| quote.request_key((from, to), amount));
    send(x, key, ConvertCommand::Convert(Conversion { from, to, amount, quote }))
}

fn dust(x: &mut Exchange, assets: &[AssetId]) -> Reply {
    send(x, None, ConvertCommand::Dust { assets: assets.to_vec(), version: None })
}

fn refused(reply: &Reply) -> Reject {
    match reply {
        Reply::Rejected(reject) => *reject,
        other => panic!("refused: {other:?}"),
    }
}

fn done(reply: &Reply) {
    assert!(matches!(reply, Reply::Accepted(Accepted::Done)), "{reply:?}");
}

fn has(x: &Exchange, account: AccountId, asset: AssetId) -> String {
    x.free(account, asset).0.to_string()
}

/// All facts of conversion.
pub(crate) fn every_fact(x: &mut Exchange) {
    set(
        x,
        ConvertParams {
            assets: params().assets[..1].iter().chain(&params().assets[2..]).copied().collect(),
            ..params()
        },
    );
    x.fund(ALICE, BTC, "3".parse().unwrap());
    let q = quote(x, BTC, USDT);
    done(&convert(x, (BTC, USDT), "0.1", Some(q)));
    done(&convert(x, (USDT, BTC), "100", None));
    let poor = AccountId(100_004);
    x.fund(poor, BTC, "0.00005".parse().unwrap());
    let all = ConvertCommand::Dust { assets: vec![BTC], version: Some(1) };
    x.ok(Command::Account(poor, AccountCommand::Convert(all)));
}

/// A command about conversion by chance, and the key of the quote that it uses.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> (Command, Option<RequestKey>) {
    let (from, to) = (dice.pick(&ASSETS), dice.pick(&ASSETS));
    let amount = Amount(1 + i128::from(dice.below(3_000_000_000)));
    let seq = |asset: AssetId| {
        let price = params().asset(asset).and_then(|listed| listed.price);
        price.and_then(|price| x.cell.world().board().price(price)?.last()).map_or(0, |tick| tick.seq)
    };
    // Of this moment or of a few seconds ago.
    let issued = x.cell.world().time().saturating_sub(dice.pick(&[0, 0, 1, 6, 11]) * SECOND);
    let quote = (dice.below(3) > 0).then(|| Quote { from_seq: seq(from), to_seq: seq(to), issued, version: 1 });
    let key = quote.map(|quote| quote.request_key((from, to), amount));
    let command = match dice.below(8) {
        0 => return (Command::Account(account, AccountCommand::Convert(ConvertCommand::ListDust)), None),
        1 => {
            return (
                Command::Account(
                    account,
                    AccountCommand::Convert(ConvertCommand::Dust { assets: vec![from], version: None }),
                ),
                None,
            );
        }
        _ => ConvertCommand::Convert(Conversion { from, to, amount, quote }),
    };
    (Command::Account(account, AccountCommand::Convert(command)), key)
}

#[test]
fn conversions_are_what_the_worked_numbers_say() {
    let mut x = started();
    done(&convert(&mut x, (BTC, ETH), "0.1", None));
    assert_eq!([BTC, ETH].map(|asset| has(&x, ALICE, asset)), ["0.8999", "2.001"], "F1");
    assert_eq!(has(&x, AccountId::FEE, BTC), "0.0001");
    assert_eq!([BTC, ETH].map(|asset| has(&x, AccountId::CONVERT_HOUSE, asset)), ["0.1", "-2"]);
    tick(&mut x, 1, "63123.45");
    tick(&mut x, 1, "63123.45");
    done(&convert(&mut x, (USDT, BTC), "1000", None));
    assert_eq!([USDT, BTC].map(|asset| has(&x, ALICE, asset)), ["8999", "0.91574197"], "F2");
    let params = ConvertParams { version: 1, ..params() };
    set(&mut x, params);
    done(&convert(&mut x, (USDT, BTC), "1000", None));
    assert_eq!(has(&x, ALICE, BTC), "0.9315681", "F2s");
    assert_eq!(
        refused(&convert(&mut x, (USDT, BTC), "7998", None)),
        Reject::InsufficientBalance,
        "F3: the fee is on top"
    );
    assert_eq!(refused(&convert(&mut x, (USDT, BTC), "0.00000001", None)), Reject::BelowMinConversion, "F4");
    assert_eq!(refused(&convert(&mut x, (BTC, USDT), "0.8", None)), Reject::AboveMaxConversion);
    audit(&x);
    x.check_fold();
}

#[test]
fn a_quote_is_used_once_and_only_while_it_lives() {
    let mut x = started();
    let q = quote(&mut x, USDT, BTC);
    x.advance(9 * SECOND);
    done(&convert(&mut x, (USDT, BTC), "1000", Some(q)));
    let again = convert(&mut x, (USDT, BTC), "1000", Some(q));
    assert!(matches!(again, Reply::Known(Accepted::Done)), "the first answer: {again:?}");
    assert_eq!(refused(&convert(&mut x, (USDT, BTC), "999", Some(q))), Reject::RequestKeyClash);
    let amount = "1000".parse().unwrap();
    let other = ConvertCommand::Convert(Conversion { from: USDT, to: BTC, amount, quote: Some(q) });
    let key = RequestKey { key: 77, body: 1 };
    assert_eq!(
        refused(&send(&mut x, Some(key), other)),
        Reject::NotAllowed,
        "under another key it could be used again"
    );
    assert_eq!([USDT, BTC].map(|asset| has(&x, ALICE, asset)), ["8999", "1.02"]);
    let late = Quote { issued: q.issued + 1, ..q };
    x.advance(2 * SECOND);
    assert_eq!(refused(&convert(&mut x, (USDT, BTC), "1000", Some(late))), Reject::QuoteExpired);
    audit(&x);
}

#[test]
fn a_quote_of_other_parameters_is_refused_and_an_answered_one_stays_answered() {
    let mut x = started();
    let [used, open] = [(); 2].map(|()| {
        x.advance(1_000);
        quote(&mut x, USDT, BTC)
    });
    done(&convert(&mut x, (USDT, BTC), "1000", Some(used)));
    set(&mut x, ConvertParams { version: 1, fee_ppm: 2_000, ..params() });
    assert_eq!(refused(&convert(&mut x, (USDT, BTC), "1000", Some(open))), Reject::QuoteExpired);
    let again = convert(&mut x, (USDT, BTC), "1000", Some(used));
    assert!(matches!(again, Reply::Known(Accepted::Done)), "the first answer: {again:?}");
    let new = quote(&mut x, USDT, BTC);
    done(&convert(&mut x, (USDT, BTC), "1000", Some(new)));
    assert_eq!(has(&x, ALICE, USDT), "7997", "fees of 1 and 2");
    audit(&x);
    x.check_fold();
}

#[test]
fn a_quote_is_honoured_as_it_was_within_the_guard_and_not_beyond() {
    let mut x = started();
    let [q, r, s] = [(); 3].map(|()| {
        x.advance(1_000);
        quote(&mut x, USDT, BTC)
    });
    x.advance(1_000);
    tick(&mut x, 1, "50150.45");
    done(&convert(&mut x, (USDT, BTC), "1000", Some(q)));
    assert_eq!(has(&x, ALICE, BTC), "1.02", "at 50,000");
    tick(&mut x, 1, "50150.46");
    assert_eq!(refused(&convert(&mut x, (USDT, BTC), "1000", Some(r))), Reject::PriceChanged);
    tick(&mut x, 1, "49000");
    done(&convert(&mut x, (USDT, BTC), "1000", Some(s)));
    assert_eq!(has(&x, ALICE, BTC), "1.04", "no less and no more");
    // A jump that waits for its confirmation is no price to convert at.
    let before = quote(&mut x, BTC, USDT);
    x.advance(1_000);
    tick(&mut x, 1, "60000");
    assert_eq!(refused(&convert(&mut x, (BTC, USDT), "0.1", Some(before))), Reject::QuoteExpired);
    assert_eq!(refused(&convert(&mut x, (BTC, USDT), "0.1", None)), Reject::PriceStale);
    audit(&x);
}

#[test]
fn the_house_gives_no_more_in_a_day_than_its_cap() {
    let mut x = started();
    x.fund(ALICE, USDT, Amount::whole(200_000));
    done(&convert(&mut x, (USDT, BTC), "50000", None));
    done(&convert(&mut x, (USDT, BTC), "49999", None));
    done(&convert(&mut x, (USDT, BTC), "1", None));
    assert_eq!(refused(&convert(&mut x, (USDT, BTC), "1", None)), Reject::ConversionCapReached);
    done(&convert(&mut x, (BTC, USDT), "0.01", None));
    assert_eq!(
        refused(&convert(&mut x, (USDT, BTC), "1", None)),
        Reject::ConversionCapReached,
        "what comes back does not count"
    );
    x.advance(DAY);
    tick(&mut x, 1, "50000");
    done(&convert(&mut x, (USDT, BTC), "1", None));
    audit(&x);
    x.check_fold();
}

#[test]
fn dust_is_converted_once_in_a_day() {
    let mut x = started();
    assert_eq!(refused(&dust(&mut x, &[BTC])), Reject::NotDust);
    let of_other_terms = ConvertCommand::Dust { assets: vec![ETH], version: Some(7) };
    assert_eq!(refused(&send(&mut x, None, of_other_terms)), Reject::StaleTerms);
    assert_eq!(refused(&dust(&mut x, &[AssetId(9)])), Reject::NotConvertible);
    done(&dust(&mut x, &[ETH]));
    assert_eq!([ETH, USDT].map(|asset| has(&x, ALICE, asset)), ["0", "10002.4975"]);
    x.fund(ALICE, ETH, "0.001".parse().unwrap());
    assert_eq!(refused(&dust(&mut x, &[ETH])), Reject::DustTooSoon);
    x.advance(DAY + SECOND);
    assert_eq!(refused(&dust(&mut x, &[ETH])), Reject::PriceStale);
    tick(&mut x, 2, "2500");
    done(&dust(&mut x, &[ETH]));
    audit(&x);
    x.check_fold();
}
