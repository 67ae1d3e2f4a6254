//! Orders and positions in a contract's own book: worked numbers, modes, cuts, random orders.

use crate::properties::Dice;
use crate::support::{Exchange, USDT, btc_usdt};
use crate::tickets::{C, btc_contract, fund, list};
use std::collections::BTreeSet;
use xng_cell::auditor::Auditor;
use xng_core::account::{AccountCommand, LegCommand, OrderName, OwnLeg};
use xng_core::contract::ContractCommand;
use xng_core::contract::book::BookCommand;
use xng_core::contract::book::facts::{BookFact, ContractOrderPlaced, CutReason, FundingReason, FundingSet};
use xng_core::contract::book::order::{LegSide, NewBookOrder};
use xng_core::contract::book::params::{BookParams, FundingParams};
use xng_core::contract::book::quoting::NewQuotes;
use xng_core::contract::facts::MarginMode;
use xng_core::contract::leg::Direction;
use xng_core::contract::params::ContractParams;
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, ClientOrderId, OrderId, PriceId, Wallet};
use xng_core::market::{EndReason, LevelFees, OrderKind, OrderStatus, Side, Stp, Tif};
use xng_core::money::{Amount, FeePpm, Lots, ONE, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;
use xng_core::spot::{OrderAck, QuoteLevel};

pub(crate) const ALICE: AccountId = AccountId(100_001);
pub(crate) const BOB: AccountId = AccountId(100_002);
pub(crate) const CAROL: AccountId = AccountId(100_003);
pub(crate) const CLEARING: AccountId = AccountId(4);

pub(crate) fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// A book without fees, or with 0.02 % and 0.04 %.
pub(crate) fn book(fees: bool) -> BookParams {
    let fee = |ppm| FeePpm(if fees { ppm } else { 0 });
    BookParams {
        contract: C,
        version: 0,
        lots: (Lots(1), Lots(100_000)),
        fees: vec![LevelFees { maker: fee(200), taker: fee(400) }],
        max_open_orders: 50,
        band_ppm: 50_000,
        protection_ppm: 20_000,
        funding: FundingParams {
            interest: amount("0.0001"),
            inner: amount("0.0005"),
            cap: amount("0.003"),
            period_s: 28_800,
        },
        liquidation_ppm: 5_000,
        quota_ppm: 100_000,
    }
}

pub(crate) fn index(x: &mut Exchange, price: &str) {
    let said = SourcePrice { source: 1, price: amount(price) };
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(said)));
}

pub(crate) fn exchange(fees: bool) -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    list(&mut x, btc_contract());
    x.ok(Command::Contract(C, ContractCommand::Book(BookCommand::List(Box::new(book(fees))))));
    for who in [ALICE, BOB, CAROL] {
        fund(&mut x, who, "100000");
    }
    index(&mut x, "50000");
    x
}

/// A limit order at a price in whole units.
pub(crate) fn limit(side: Side, price: i64, lots: i64) -> NewBookOrder {
    NewBookOrder {
        contract: C,
        versions: (0, 0),
        side,
        leg: LegSide::Both,
        kind: OrderKind::Limit,
        tif: Tif::Gtc,
        stp: Stp::ExpireTaker,
        ticks: Ticks(price * 100),
        lots: Lots(lots),
        reduce_only: false,
        client_id: None,
    }
}

pub(crate) fn send(x: &mut Exchange, who: AccountId, command: LegCommand) -> Reply {
    x.send(None, Command::Account(who, AccountCommand::Legs(command)))
}

pub(crate) fn ok(x: &mut Exchange, who: AccountId, command: LegCommand) {
    let reply = send(x, who, command.clone());
    assert!(matches!(reply, Reply::Accepted(_)), "{command:?}: {reply:?}");
}

pub(crate) fn place(x: &mut Exchange, who: AccountId, order: NewBookOrder) -> OrderAck {
    match send(x, who, LegCommand::Place(order)) {
        Reply::Accepted(Accepted::Placed(ack)) => ack,
        other => panic!("{order:?}: {other:?}"),
    }
}

pub(crate) fn refused(x: &mut Exchange, who: AccountId, command: LegCommand) -> Reject {
    match send(x, who, command.clone()) {
        Reply::Rejected(reject) => reject,
        other => panic!("{command:?}: {other:?}"),
    }
}

pub(crate) fn legs(x: &Exchange, who: AccountId) -> Vec<OwnLeg> {
    x.cell.world().accounts().get(who).unwrap().legs().to_vec()
}

/// Direction, lots, cost and margin of the only leg.
pub(crate) fn leg(x: &Exchange, who: AccountId) -> (Direction, i64, String, String) {
    let all = legs(x, who);
    assert_eq!(all.len(), 1, "{all:?}");
    let leg = all[0].leg;
    (leg.direction, leg.lots.0, leg.cost.to_string(), leg.margin.to_string())
}

pub(crate) fn wallet(x: &Exchange, who: AccountId, wallet: Wallet) -> (String, String) {
    let b = x.cell.world().accounts().get(who).map(|a| a.balance(wallet, USDT)).unwrap();
    (b.available.to_string(), b.locked.to_string())
}

fn facts(x: &Exchange) -> Vec<ContractOrderPlaced> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    facts
        .filter_map(|fact| if let Fact::Book(BookFact::ContractOrderPlaced(f)) = fact { Some(*f) } else { None })
        .collect()
}

/// Reads all records with the auditor, which must agree with the engine, and folds them.
pub(crate) fn audit(x: &mut Exchange) {
    let mut auditor = Auditor::default();
    for (lsn, bytes) in x.journal.records() {
        auditor.read(lsn, &Record::decode(&bytes).unwrap()).unwrap();
    }
    auditor.agrees(x.cell.world()).unwrap();
    auditor.results_are_settled().unwrap();
    x.audit();
    x.check_fold();
}

pub(crate) fn isolated(x: &mut Exchange, who: AccountId, multiple: u16) {
    ok(x, who, LegCommand::SetTerms { contract: C, multiple: Some(multiple), mode: Some(MarginMode::Isolated) });
}

#[test]
fn closing_releases_a_share_of_cost() {
    let mut x = exchange(false);
    // Two lots of 0.01 at 50,000, one at 50,300, two sold at 50,200: 1,503 less 1,002, and a gain of 2.
    for (buyer, seller, price, lots) in [(ALICE, BOB, 50_000, 2), (ALICE, BOB, 50_300, 1), (BOB, ALICE, 50_200, 2)] {
        place(&mut x, seller, limit(Side::Sell, price, lots));
        assert_eq!(place(&mut x, buyer, limit(Side::Buy, price, lots)).status, OrderStatus::Filled);
    }
    assert_eq!(leg(&x, ALICE), (Direction::Long, 1, "501".into(), "0".into()));
    assert_eq!(leg(&x, BOB), (Direction::Short, 1, "501".into(), "0".into()));
    assert_eq!(wallet(&x, ALICE, Wallet::Pnl).0, "2");
    assert_eq!(wallet(&x, BOB, Wallet::Pnl).0, "-2");
    assert_eq!(wallet(&x, CLEARING, Wallet::Futures).0, "0");
    audit(&mut x);
}

#[test]
fn clearing_is_minus_the_signed_cost_and_results_are_settled_when_all_is_flat() {
    let mut x = exchange(true);
    let trade = |x: &mut Exchange, buyer, seller, price, lots| {
        place(x, seller, limit(Side::Sell, price, lots));
        place(x, buyer, limit(Side::Buy, price, lots));
    };
    trade(&mut x, ALICE, BOB, 50_000, 5);
    trade(&mut x, BOB, CAROL, 50_500, 8);
    trade(&mut x, CAROL, ALICE, 49_900, 2);
    audit(&mut x);
    trade(&mut x, CAROL, ALICE, 50_100, 3);
    trade(&mut x, CAROL, BOB, 50_200, 3);
    for who in [ALICE, BOB, CAROL] {
        assert!(legs(&x, who).is_empty());
        assert_eq!(wallet(&x, who, Wallet::Pnl).0, "0", "what is flat is settled");
    }
    assert_eq!(wallet(&x, CLEARING, Wallet::Futures).0, "0");
    audit(&mut x);
}

#[test]
fn an_order_closes_and_opens_the_rest_in_one_way_mode() {
    let mut x = exchange(false);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 3));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 3));
    place(&mut x, BOB, limit(Side::Buy, 50_000, 5));
    let ack = place(&mut x, ALICE, limit(Side::Sell, 50_000, 5));
    assert_eq!(ack.status, OrderStatus::Filled);
    assert_eq!(leg(&x, ALICE), (Direction::Short, 2, "1000".into(), "0".into()));
    let last = facts(&x).pop().unwrap();
    let effect = &last.trades[0].taker_effect;
    assert_eq!((effect.closed, effect.opened, last.opens), (Lots(3), Lots(2), Lots(2)));
    audit(&mut x);
}

#[test]
fn closing_orders_are_cut_when_their_leg_shrinks() {
    let mut x = exchange(false);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 5));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 5));
    let near = place(&mut x, ALICE, limit(Side::Sell, 50_100, 3)).order;
    let far = place(&mut x, ALICE, limit(Side::Sell, 50_200, 2)).order;
    // Both close all of the leg: this one opens four, and meets the leg first all the same.
    place(&mut x, BOB, limit(Side::Buy, 50_000, 4));
    place(&mut x, ALICE, limit(Side::Sell, 50_000, 4));
    assert_eq!(leg(&x, ALICE).1, 1);
    let cuts = facts(&x).pop().unwrap().cuts;
    let told: Vec<_> = cuts.iter().map(|c| (c.order, c.lots.0, c.gone, c.reason)).collect();
    assert_eq!(told, [(far, 2, true, CutReason::LegShrank), (near, 2, false, CutReason::LegShrank)]);
    audit(&mut x);
}

#[test]
fn reduce_only_never_opens() {
    let mut x = exchange(false);
    let only = |side, price, lots| NewBookOrder { reduce_only: true, ..limit(side, price, lots) };
    assert_eq!(refused(&mut x, ALICE, LegCommand::Place(only(Side::Sell, 50_000, 1))), Reject::ReduceOnly);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 3));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 3));
    assert_eq!(refused(&mut x, ALICE, LegCommand::Place(only(Side::Buy, 49_900, 1))), Reject::ReduceOnly);
    place(&mut x, BOB, limit(Side::Buy, 50_000, 9));
    let ack = place(&mut x, ALICE, only(Side::Sell, 50_000, 9));
    assert_eq!((ack.status, ack.filled), (OrderStatus::Filled, Lots(3)), "what is beyond the leg is no part of it");
    assert!(legs(&x, ALICE).is_empty());
    audit(&mut x);
}

#[test]
fn an_order_that_does_not_rest_closes_before_those_that_do() {
    let only = |order: NewBookOrder| NewBookOrder { reduce_only: true, ..order };
    let at_once = |tif| NewBookOrder { tif, ..limit(Side::Sell, 50_000, 5) };
    let market = NewBookOrder { kind: OrderKind::Market, ticks: Ticks(0), ..at_once(Tif::Gtc) };
    for closes in [market, at_once(Tif::Ioc), at_once(Tif::Fok)] {
        let mut x = exchange(false);
        place(&mut x, BOB, limit(Side::Sell, 50_000, 5));
        place(&mut x, ALICE, limit(Side::Buy, 50_000, 5));
        let profit = place(&mut x, ALICE, only(limit(Side::Sell, 51_000, 5))).order;
        assert_eq!(refused(&mut x, ALICE, LegCommand::Place(only(limit(Side::Sell, 51_100, 1)))), Reject::ReduceOnly);
        place(&mut x, BOB, limit(Side::Buy, 50_000, 9));
        let ack = place(&mut x, ALICE, only(NewBookOrder { lots: Lots(2), ..closes }));
        assert_eq!((ack.status, ack.filled, leg(&x, ALICE).1), (OrderStatus::Filled, Lots(2), 3), "{closes:?}");
        let last = facts(&x).pop().unwrap();
        let cut = &last.cuts[0];
        assert_eq!((cut.order, cut.lots, cut.gone, cut.reason), (profit, Lots(2), false, CutReason::LegShrank));
        // In one-way mode what is beyond the position opens another one; the rest is no opening.
        let ack = place(&mut x, ALICE, closes);
        let last = facts(&x).pop().unwrap();
        assert_eq!((ack.filled, last.opens, last.cuts[0].gone), (Lots(5), Lots(2), true), "{closes:?}");
        assert_eq!(leg(&x, ALICE).0, Direction::Short);
        audit(&mut x);
    }
}

#[test]
fn isolated_orders_set_margin_and_fee_aside() {
    let mut x = exchange(true);
    isolated(&mut x, ALICE, 20);
    // 0.2 at 50,000: 500 of margin, 4 of fee.
    let order = place(&mut x, ALICE, limit(Side::Buy, 50_000, 20)).order;
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99496".into(), "504".into()));
    ok(&mut x, ALICE, LegCommand::Amend { order: OrderName::Id(order), lots: Lots(10) });
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99748".into(), "252".into()));
    ok(&mut x, ALICE, LegCommand::Cancel(OrderName::Id(order)));
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("100000".into(), "0".into()));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 20));
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    // As a maker it pays half of what was set aside for its fee.
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99498".into(), "500".into()));
    assert_eq!(leg(&x, ALICE), (Direction::Long, 20, "10000".into(), "500".into()));
    let (contract, leg) = (C, LegSide::Both);
    ok(&mut x, ALICE, LegCommand::MoveMargin { contract, leg, amount: amount("100") });
    assert_eq!(wallet(&x, ALICE, Wallet::Futures), ("99398".into(), "600".into()));
    let too_much = LegCommand::MoveMargin { contract, leg, amount: amount("-101") };
    assert_eq!(refused(&mut x, ALICE, too_much), Reject::MarginInsufficient);
    ok(&mut x, ALICE, LegCommand::MoveMargin { contract, leg, amount: amount("-100") });
    audit(&mut x);
}

#[test]
fn an_isolated_leg_loses_no_more_than_its_margin() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 100);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 20));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 20));
    assert_eq!(leg(&x, ALICE), (Direction::Long, 20, "10000".into(), "100".into()));
    // At 49,400 it would lose 120.
    place(&mut x, BOB, limit(Side::Buy, 49_400, 20));
    let ack = place(&mut x, ALICE, limit(Side::Sell, 49_400, 20));
    assert_eq!((ack.status, ack.filled), (OrderStatus::Expired, Lots::ZERO));
    // As a maker it is taken out instead.
    let resting = place(&mut x, ALICE, limit(Side::Sell, 49_450, 20)).order;
    let ack = place(&mut x, CAROL, limit(Side::Buy, 49_450, 20));
    assert_eq!((ack.status, ack.filled), (OrderStatus::Open, Lots::ZERO));
    let cuts = facts(&x).pop().unwrap().cuts;
    assert_eq!((cuts[0].order, cuts[0].reason, cuts[0].gone), (resting, CutReason::Unpaid, true));
    audit(&mut x);
}

#[test]
fn hedge_mode_keeps_a_long_and_a_short_leg() {
    let mut x = exchange(false);
    assert_eq!(
        refused(&mut x, ALICE, LegCommand::Place(NewBookOrder { leg: LegSide::Long, ..limit(Side::Buy, 50_000, 1) })),
        Reject::PositionModeMismatch
    );
    ok(&mut x, ALICE, LegCommand::SetHedge(true));
    let of = |leg, side, lots| NewBookOrder { leg, ..limit(side, 50_000, lots) };
    assert_eq!(refused(&mut x, ALICE, LegCommand::Place(of(LegSide::Long, Side::Sell, 1))), Reject::ReduceOnly);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 4));
    place(&mut x, ALICE, of(LegSide::Long, Side::Buy, 4));
    place(&mut x, BOB, limit(Side::Buy, 50_000, 3));
    place(&mut x, ALICE, of(LegSide::Short, Side::Sell, 3));
    let told: Vec<_> = legs(&x, ALICE).iter().map(|own| (own.side, own.leg.direction, own.leg.lots.0)).collect();
    assert_eq!(told, [(LegSide::Long, Direction::Long, 4), (LegSide::Short, Direction::Short, 3)]);
    assert_eq!(refused(&mut x, ALICE, LegCommand::SetHedge(false)), Reject::PositionOpen);
    let terms = LegCommand::SetTerms { contract: C, multiple: Some(10), mode: Some(MarginMode::Cross) };
    assert_eq!(refused(&mut x, ALICE, terms), Reject::PositionOpen);
    audit(&mut x);
}

#[test]
fn times_in_force_and_own_orders() {
    let mut x = exchange(false);
    let maker = place(&mut x, BOB, limit(Side::Sell, 50_000, 3)).order;
    let with = |tif, lots| NewBookOrder { tif, ..limit(Side::Buy, 50_000, lots) };
    assert_eq!(refused(&mut x, ALICE, LegCommand::Place(with(Tif::PostOnly, 1))), Reject::WouldMatch);
    let fok = place(&mut x, ALICE, with(Tif::Fok, 5));
    assert_eq!((fok.status, fok.filled), (OrderStatus::Expired, Lots::ZERO));
    let own = NewBookOrder { stp: Stp::ExpireMaker, ..limit(Side::Buy, 50_000, 1) };
    let ack = place(&mut x, BOB, own);
    assert_eq!(ack.status, OrderStatus::Open);
    let cuts = facts(&x).pop().unwrap().cuts;
    assert_eq!((cuts[0].order, cuts[0].reason), (maker, CutReason::SelfTrade));
    let ioc = place(&mut x, ALICE, NewBookOrder { tif: Tif::Ioc, ..limit(Side::Sell, 50_000, 4) });
    assert_eq!((ioc.status, ioc.filled), (OrderStatus::Expired, Lots(1)));
    let at_market = NewBookOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..limit(Side::Buy, 0, 2) };
    place(&mut x, CAROL, limit(Side::Sell, 50_500, 1));
    place(&mut x, CAROL, limit(Side::Sell, 51_500, 1));
    let ack = place(&mut x, ALICE, at_market);
    assert_eq!((ack.status, ack.filled), (OrderStatus::Expired, Lots(1)), "two per cent from the mark is the end");
    assert_eq!(facts(&x).pop().unwrap().reason, EndReason::Protection);
    audit(&mut x);
}

#[test]
fn a_cross_account_opens_no_more_than_its_equity_bears() {
    let mut x = exchange(false);
    let poor = AccountId(100_004);
    fund(&mut x, poor, "100");
    place(&mut x, BOB, limit(Side::Sell, 50_000, 10));
    // A multiple of 20: 25 a lot.
    assert_eq!(refused(&mut x, poor, LegCommand::Place(limit(Side::Buy, 50_000, 5))), Reject::MarginInsufficient);
    place(&mut x, poor, limit(Side::Buy, 50_000, 4));
    assert_eq!(refused(&mut x, poor, LegCommand::Place(limit(Side::Buy, 49_000, 1))), Reject::MarginInsufficient);
    let out = AccountCommand::Transfer { asset: USDT, from: Wallet::Futures, to: Wallet::Spot, amount: amount("1") };
    assert!(matches!(x.send(None, Command::Account(poor, out)), Reply::Rejected(Reject::InsufficientBalance)));
    // It may always close.
    let ack = place(&mut x, poor, NewBookOrder { reduce_only: true, ..limit(Side::Sell, 50_100, 4) });
    assert_eq!(ack.status, OrderStatus::Open);
    audit(&mut x);
}

#[test]
fn nothing_is_taken_on_a_stale_index() {
    let mut x = exchange(false);
    x.advance(6_000_000_000);
    assert_eq!(refused(&mut x, ALICE, LegCommand::Place(limit(Side::Buy, 50_000, 1))), Reject::PriceStale);
}

/// One random command of one of four accounts.
fn random(dice: &mut Dice, open: &[OrderId], hedged: bool) -> LegCommand {
    let side = dice.pick(&[Side::Buy, Side::Sell]);
    let leg = if hedged { dice.pick(&[LegSide::Long, LegSide::Short]) } else { LegSide::Both };
    match dice.below(20) {
        0 if !open.is_empty() => LegCommand::Cancel(OrderName::Id(dice.pick(open))),
        1 if !open.is_empty() => {
            let (order, lots) = (OrderName::Id(dice.pick(open)), Lots(1 + dice.below(8) as i64));
            LegCommand::Amend { order, lots }
        }
        2 => LegCommand::MoveMargin {
            contract: C,
            leg,
            amount: Amount(i128::from(dice.below(20_000_000_000)) - 10_000_000_000),
        },
        3 => LegCommand::CancelAll(C),
        4 => LegCommand::SetTerms {
            contract: C,
            multiple: Some(dice.pick(&[5, 20, 75, 100])),
            mode: Some(dice.pick(&[MarginMode::Isolated, MarginMode::Cross])),
        },
        5 => LegCommand::SetHedge(dice.below(2) == 0),
        6..=7 => LegCommand::Place(NewBookOrder {
            leg,
            kind: OrderKind::Market,
            ticks: Ticks::ZERO,
            reduce_only: dice.below(3) == 0,
            ..limit(side, 0, 1 + dice.below(12) as i64)
        }),
        _ => LegCommand::Place(NewBookOrder {
            leg,
            tif: dice.pick(&[Tif::Gtc, Tif::Gtc, Tif::Gtc, Tif::Ioc, Tif::Fok, Tif::PostOnly]),
            stp: dice.pick(&[Stp::ExpireTaker, Stp::ExpireMaker, Stp::ExpireBoth]),
            reduce_only: dice.below(6) == 0,
            ..limit(side, 49_500 + dice.below(11) as i64 * 100, 1 + dice.below(12) as i64)
        }),
    }
}

#[test]
fn random_orders_of_all_modes_keep_every_sum() {
    let (mut trades, mut cut, mut unpaid) = (0, 0, 0);
    for seed in 1..=16 {
        let mut dice = Dice(seed);
        let mut x = exchange(seed % 2 == 0);
        let poor = AccountId(100_004);
        fund(&mut x, poor, "300");
        let mut auditor = Auditor::default();
        let mut read = 0;
        for step in 0..1_500 {
            let who = dice.pick(&[ALICE, BOB, CAROL, poor]);
            if step % 200 == 199 {
                let period = 28_800_000_000_000;
                x.cell.clock().0 = (x.cell.clock().0 / period + 1) * period - 2_000_000_000;
                index(&mut x, "50000");
                x.advance(3_000_000_000);
                x.run();
                x.advance(2_000_000_000);
            }
            if step % 25 == 0 || step % 200 == 199 {
                index(&mut x, &format!("{}", 49_700 + dice.below(7) * 100));
            }
            let account = x.cell.world().accounts().get(who).unwrap();
            let open: Vec<OrderId> = account.book_orders().iter().map(|o| o.rests.order).collect();
            let command = random(&mut dice, &open, account.is_hedged());
            send(&mut x, who, command.clone());
            let records = x.journal.records();
            for (lsn, bytes) in &records[read..] {
                auditor.read(*lsn, &Record::decode(bytes).unwrap()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            read = records.len();
            auditor.agrees(x.cell.world()).unwrap_or_else(|e| panic!("seed {seed}, step {step}, {command:?}: {e}"));
            auditor.results_are_settled().unwrap_or_else(|e| panic!("seed {seed}, step {step}, {command:?}: {e}"));
            x.audit();
        }
        x.check_fold();
        for f in facts(&x) {
            trades += f.trades.len();
            cut += f.cuts.iter().filter(|c| c.reason == CutReason::LegShrank).count();
            unpaid += f.cuts.iter().filter(|c| c.reason == CutReason::Unpaid).count();
        }
    }
    assert!(trades > 500 && cut > 20, "{trades} trades, {cut} cuts, {unpaid} unpaid");
}

/// A leg ends at a gap: a part in the book, the rest against an opposite one.
fn liquidation(x: &mut Exchange, price: i64, versions: (u32, u32)) {
    let limit = |side, price, lots| NewBookOrder { versions, ..limit(side, price, lots) };
    let (grace, heidi) = (AccountId(100_008), AccountId(100_009));
    for who in [AccountId(5), grace, heidi] {
        fund(x, who, "5000");
    }
    isolated(x, grace, 100);
    place(x, heidi, limit(Side::Sell, price + 55, 4));
    place(x, grace, limit(Side::Buy, price + 55, 4));
    place(x, heidi, NewBookOrder { reduce_only: true, ..limit(Side::Buy, price * 99 / 100 + 60, 1) });
    for _ in 0..3 {
        x.advance(1_000_000_000);
        index(x, &(price * 98 / 100).to_string());
        x.run();
    }
}

/// Every fact of books once; orders and legs are there at the end.
#[test]
fn what_ticks_and_lots_mean_is_for_good_once_a_book_had_an_order() {
    let mut x = exchange(false);
    let with_tick = |tick: &str, version| ContractParams { tick: amount(tick), version, ..btc_contract() };
    let change = |params| Command::Contract(C, ContractCommand::ChangeParams(Box::new(params)));
    x.ok(change(with_tick("0.02", 0)));
    x.ok(change(with_tick("0.01", 1)));
    let order = NewBookOrder { versions: (2, 0), ..limit(Side::Buy, 49_000, 1) };
    let placed = place(&mut x, ALICE, order);
    ok(&mut x, ALICE, LegCommand::Cancel(OrderName::Id(placed.order)));
    assert!(matches!(x.send(None, change(with_tick("0.02", 2))), Reply::Rejected(Reject::BadParameters)));
}

pub(crate) fn every_fact(x: &mut Exchange) {
    let params = book(true);
    x.ok(Command::Contract(C, ContractCommand::Book(BookCommand::List(Box::new(params.clone())))));
    let changed = BookParams { band_ppm: 40_000, ..params };
    x.ok(Command::Contract(C, ContractCommand::Book(BookCommand::ChangeParams(Box::new(changed)))));
    let price = x.cell.world().contracts().get(C).unwrap().mark().0.0 / ONE;
    index(x, &price.to_string());
    let price = i64::try_from(price).unwrap();
    let versions = (x.cell.world().contracts().get(C).unwrap().params().unwrap().version, 1);
    let limit = |side, price, lots| NewBookOrder { versions, ..limit(side, price, lots) };
    let (dave, erin) = (AccountId(100_005), AccountId(100_006));
    for who in [dave, erin] {
        fund(x, who, "50000");
    }
    isolated(x, dave, 20);
    place(x, dave, limit(Side::Buy, price, 20));
    place(x, erin, NewBookOrder { client_id: ClientOrderId::parse("legs"), ..limit(Side::Sell, price, 10) });
    ok(x, dave, LegCommand::MoveMargin { contract: C, leg: LegSide::Both, amount: amount("7") });
    let far = place(x, dave, limit(Side::Sell, price + 100, 9)).order;
    ok(x, dave, LegCommand::Amend { order: OrderName::Id(far), lots: Lots(8) });
    place(x, erin, limit(Side::Buy, price + 50, 4));
    place(x, dave, limit(Side::Sell, price + 50, 4));
    place(x, dave, limit(Side::Buy, price - 300, 3));
    ok(x, dave, LegCommand::Cancel(OrderName::Id(far)));
    // The end of a period.
    let period = 28_800_000_000_000;
    x.cell.clock().0 = (x.cell.clock().0 / period + 1) * period - 2_000_000_000;
    index(x, &price.to_string());
    x.advance(3_000_000_000);
    x.run();
    x.advance(2_000_000_000);
    index(x, &price.to_string());
    let frank = AccountId(100_007);
    fund(x, frank, "1000");
    ok(x, frank, LegCommand::SetHedge(true));
    let of = |side, price| NewBookOrder { leg: LegSide::Long, ..limit(side, price, 1) };
    place(x, erin, limit(Side::Sell, price + 60, 1));
    place(x, frank, of(Side::Buy, price + 60));
    place(x, erin, limit(Side::Buy, price + 70, 1));
    place(x, frank, of(Side::Sell, price + 70));
    fund(x, AccountId::HOUSE, "50000");
    for (bid, ask) in [(price - 20, price + 90), (price - 30, price + 90)] {
        let level = |side, price: i64| QuoteLevel { side, ticks: Ticks(price * 100), lots: Lots(5) };
        let levels = vec![level(Side::Buy, bid), level(Side::Sell, ask)];
        ok(x, AccountId::HOUSE, LegCommand::Quote(Box::new(NewQuotes { contract: C, versions, levels })));
    }
    ok(x, frank, LegCommand::Countdown { contract: C, after: 1_000_000_000_000_000 });
    crate::legs_conditional::every_fact(x, price, versions);
    liquidation(x, price, versions);
    let kinds: BTreeSet<&str> =
        x.journal.records().iter().map(|(_, b)| Record::decode(b).unwrap().fact.name()).collect();
    assert!(BookFact::NAMES.iter().all(|name| kinds.contains(name)), "{kinds:?}");
}

pub(crate) fn mark(x: &Exchange) -> String {
    x.cell.world().contracts().get(C).unwrap().mark().0.to_string()
}

fn funding_set(x: &Exchange) -> Vec<FundingSet> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    facts.filter_map(|fact| if let Fact::Book(BookFact::FundingSet(f)) = fact { Some(*f) } else { None }).collect()
}

/// Advances to so many seconds since the beginning of time.
pub(crate) fn until(x: &mut Exchange, seconds: u64) {
    x.cell.clock().0 = seconds * 1_000_000_000;
    x.run();
}

#[test]
fn the_mark_is_the_middle_of_index_book_and_last_trade() {
    let mut x = exchange(false);
    assert_eq!(mark(&x), "50000", "nothing but the index");
    place(&mut x, BOB, limit(Side::Sell, 50_100, 2));
    place(&mut x, ALICE, limit(Side::Buy, 50_100, 1));
    until(&mut x, 10);
    index(&mut x, "50000");
    assert_eq!(mark(&x), "50050", "of two the mean");
    place(&mut x, ALICE, limit(Side::Buy, 50_040, 1));
    until(&mut x, 12);
    index(&mut x, "50000");
    assert_eq!(mark(&x), "50070", "index 50,000, book 50,070, last 50,100");
    audit(&mut x);
}

#[test]
fn longs_pay_shorts_at_the_end_of_a_period() {
    let mut x = exchange(false);
    isolated(&mut x, ALICE, 20);
    place(&mut x, BOB, limit(Side::Sell, 50_000, 5));
    place(&mut x, ALICE, limit(Side::Buy, 50_000, 5));
    until(&mut x, 28_798);
    index(&mut x, "50000");
    assert!(funding_set(&x).is_empty());
    until(&mut x, 28_801);
    // No premium: the interest of 0.01 % on 2,500, whole eight hours.
    let set = funding_set(&x);
    assert_eq!((set.len(), set[0].rate, set[0].reason), (1, amount("0.0001"), FundingReason::Regular));
    assert_eq!(set[0].per_lot, amount("0.05"));
    assert_eq!(leg(&x, ALICE).3, "124.75", "of its margin");
    assert_eq!(wallet(&x, BOB, Wallet::Pnl).0, "0.25");
    audit(&mut x);
    // Nobody quotes a price when the next period ends: nothing is paid, a minute later.
    until(&mut x, 57_650);
    assert_eq!(funding_set(&x).len(), 1);
    until(&mut x, 57_665);
    let set = funding_set(&x);
    assert_eq!((set.len(), set[1].rate, set[1].reason), (2, Amount::ZERO, FundingReason::NoMark));
    audit(&mut x);
}

#[test]
fn the_premium_of_a_large_order_makes_the_rate() {
    let mut x = exchange(false);
    until(&mut x, 28_700);
    index(&mut x, "50000");
    // Both sides lie above the index by one per cent: twenty thousand, 200 times the largest multiple, is there.
    place(&mut x, BOB, limit(Side::Buy, 50_500, 60));
    place(&mut x, CAROL, limit(Side::Sell, 50_600, 60));
    until(&mut x, 28_796);
    index(&mut x, "50000");
    until(&mut x, 28_798);
    index(&mut x, "50000");
    until(&mut x, 28_801);
    let set = funding_set(&x);
    // 0.01 less 0.0005, held at 0.003.
    assert_eq!((set[0].rate, set[0].reason), (amount("0.003"), FundingReason::Regular));
    audit(&mut x);
}
