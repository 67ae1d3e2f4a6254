//! The worked examples of `docs/rules/spot.md "Worked numbers"` through account, market and settlement.

use crate::support::{BTC, Exchange, USDT, btc_usdt};
use xng_core::account::{AccountCommand, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply, View};
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, RequestKey, Wallet};
use xng_core::market::MarketState;
use xng_core::money::{Amount, FeePpm, Lots};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::Origin;
use xng_core::reject::Reject;
use xng_core::spot::{
    EndReason, LevelFees, MarketCommand, MarketParams, NewOrder, OrderStatus, QuoteLevel, Side, Stp, Tif,
};

const M: MarketId = MarketId(1);
const ALICE: AccountId = AccountId(100_001);
const BOB: AccountId = AccountId(100_002);
const CAROL: AccountId = AccountId(100_003);

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn exchange() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    for account in [ALICE, BOB, CAROL] {
        x.fund(account, USDT, Amount::whole(100_000));
        x.fund(account, BTC, Amount::whole(10));
    }
    x
}

/// 0.01 USDT a tick, 0.00001 BTC a lot.
fn order(x: &Exchange, side: Side, price: &str, quantity: &str, tif: Tif) -> NewOrder {
    let (ticks, lots) = ((amount(price).0 / 1_000_000) as i64, (amount(quantity).0 / 1_000) as i64);
    x.limit(M, side, ticks, lots, tif, Stp::ExpireTaker)
}

fn limit(x: &mut Exchange, account: AccountId, side: Side, price: &str, quantity: &str) -> OrderId {
    let order = order(x, side, price, quantity, Tif::Gtc);
    match x.place(account, order) {
        Reply::Accepted(Accepted::Placed(ack)) => ack.order,
        other => panic!("placed, not {other:?}"),
    }
}

fn refused(reply: Reply) -> Reject {
    match reply {
        Reply::Rejected(reject) => reject,
        other => panic!("refused, not {other:?}"),
    }
}

#[test]
fn s1_a_buy_limit_locks_price_times_amount() {
    let mut x = exchange();
    limit(&mut x, ALICE, Side::Buy, "50000", "0.5");
    assert_eq!(x.free(ALICE, USDT), (amount("75000"), amount("25000")));
    x.audit();
}

#[test]
fn s2_fills_at_better_prices_refund_and_fees_come_out_of_what_is_received() {
    let mut x = exchange();
    let a = limit(&mut x, BOB, Side::Sell, "49990", "0.3");
    let b = limit(&mut x, CAROL, Side::Sell, "50000", "0.4");
    let order = order(&x, Side::Buy, "50000", "0.5", Tif::Gtc);
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, order) else { panic!("placed") };
    assert_eq!((ack.status, ack.spent), (OrderStatus::Filled, amount("24997")));
    assert_eq!(x.free(ALICE, USDT), (amount("75003"), Amount::ZERO));
    assert_eq!(x.free(ALICE, BTC).0, amount("10.4995"));
    assert_eq!(x.free(BOB, USDT).0, amount("114985.0024"));
    assert_eq!(x.free(CAROL, USDT).0, amount("109992"));
    let world = x.cell.world();
    assert_eq!(x.order(ALICE, ack.order).average(), amount("49994"));
    assert!(world.markets().get(M).unwrap().book().0.get(a).is_none());
    assert_eq!(world.markets().get(M).unwrap().book().0.get(b).unwrap().lots, Lots(20_000));
    assert_eq!(x.free(AccountId::FEE, USDT).0, amount("19.9976"));
    assert_eq!(x.free(AccountId::FEE, BTC).0, amount("0.0005"));
    x.audit();
}

#[test]
fn s6_a_market_order_by_quote_amount_buys_whole_lots_and_returns_the_rest() {
    let mut x = exchange();
    limit(&mut x, BOB, Side::Sell, "50000", "0.01");
    limit(&mut x, BOB, Side::Sell, "50100", "0.02");
    let order = x.by_quote(M, Side::Buy, amount("1000"));
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, order) else { panic!("placed") };
    assert_eq!((ack.status, ack.spent), (OrderStatus::Filled, amount("999.998")));
    assert_eq!(x.free(ALICE, USDT), (amount("99000.002"), Amount::ZERO));
    assert_eq!(x.free(ALICE, BTC).0, amount("10.01996002"));
    x.audit();
}

#[test]
fn an_order_by_quote_amount_is_refused_beyond_the_holding_and_the_markets_maximum() {
    let mut x = exchange();
    limit(&mut x, BOB, Side::Buy, "50000", "1.5");
    let order = x.by_quote(M, Side::Sell, amount("1000"));
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, order) else { panic!("placed") };
    assert_eq!((ack.status, ack.spent), (OrderStatus::Filled, amount("1000")));
    assert_eq!(x.free(ALICE, BTC), (amount("9.98"), Amount::ZERO));
    let poor = AccountId(100_009);
    x.fund(poor, BTC, amount("0.001"));
    let order = x.by_quote(M, Side::Sell, amount("1000"));
    assert_eq!(refused(x.place(poor, order)), Reject::InsufficientBalance);
    assert_eq!(x.free(poor, BTC), (amount("0.001"), Amount::ZERO));
    let rich = AccountId(100_010);
    x.fund(rich, USDT, amount("900000000"));
    limit(&mut x, BOB, Side::Sell, "50100", "0.01");
    let order = x.by_quote(M, Side::Buy, amount("800000000"));
    assert_eq!(refused(x.place(rich, order)), Reject::AboveMaxAmount);
    x.audit();
    x.check_fold();
}

#[test]
fn s7_limit_prices_stay_within_the_band_around_the_index() {
    let mut params = btc_usdt();
    params.band_ppm = 100_000;
    let mut x = Exchange::new(&[params]);
    x.fund(ALICE, USDT, Amount::whole(1_000_000));
    x.fund(ALICE, BTC, Amount::whole(10));
    let said = SourcePrice { source: 1, price: Amount::whole(50_000) };
    x.ok(Command::Price(xng_core::ids::PriceId(1), PriceCommand::Push(said)));
    for (price, taken) in [("55000", true), ("45000", true), ("55000.01", false), ("44999.99", false)] {
        let order = order(&x, Side::Buy, price, "0.01", Tif::PostOnly);
        match x.place(ALICE, order) {
            Reply::Accepted(Accepted::Placed(_)) => assert!(taken, "{price}"),
            reply => assert!(!taken && refused(reply) == Reject::OutsidePriceBand, "{price}"),
        }
    }
}

#[test]
fn s8_small_orders_are_refused_by_value() {
    let mut params = btc_usdt();
    params.min_notional = Amount::whole(5);
    let mut x = Exchange::new(&[params]);
    x.fund(ALICE, USDT, Amount::whole(1_000));
    let small = order(&x, Side::Buy, "50000", "0.00009", Tif::Gtc);
    assert_eq!(refused(x.place(ALICE, small)), Reject::BelowMinNotional);
    let fits = order(&x, Side::Buy, "50000", "0.0001", Tif::Gtc);
    assert!(matches!(x.place(ALICE, fits), Reply::Accepted(Accepted::Placed(_))));
}

#[test]
fn s9_a_post_only_order_never_takes() {
    let mut x = exchange();
    limit(&mut x, BOB, Side::Sell, "50000", "1");
    let crossing = order(&x, Side::Buy, "50000", "0.1", Tif::PostOnly);
    assert_eq!(refused(x.place(ALICE, crossing)), Reject::WouldMatch);
    assert_eq!(x.free(ALICE, USDT), (amount("100000"), Amount::ZERO), "nothing is held any more");
    let resting = order(&x, Side::Buy, "49999.99", "0.1", Tif::PostOnly);
    assert!(matches!(x.place(ALICE, resting), Reply::Accepted(Accepted::Placed(_))));
}

#[test]
fn ioc_and_fok_leave_nothing_behind() {
    let mut x = exchange();
    limit(&mut x, BOB, Side::Sell, "50000", "0.1");
    let fok = order(&x, Side::Buy, "50000", "0.2", Tif::Fok);
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, fok) else { panic!("placed") };
    assert_eq!((ack.status, ack.filled), (OrderStatus::Expired, Lots::ZERO));
    let ioc = order(&x, Side::Buy, "50000", "0.2", Tif::Ioc);
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, ioc) else { panic!("placed") };
    assert_eq!((ack.status, ack.filled), (OrderStatus::Expired, Lots(10_000)));
    assert_eq!(x.free(ALICE, USDT), (amount("95000"), Amount::ZERO));
    x.audit();
}

#[test]
fn a_market_order_stops_at_the_protection_and_never_beyond_its_hold() {
    let mut x = exchange();
    limit(&mut x, BOB, Side::Sell, "50000", "0.1");
    limit(&mut x, BOB, Side::Sell, "52600", "0.1");
    let order = x.market_order(M, Side::Buy, 20_000, 5_250_000);
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, order) else { panic!("placed") };
    assert_eq!((ack.status, ack.filled), (OrderStatus::Expired, Lots(10_000)), "52,600 is more than 5 % away");
    let order = x.order(ALICE, ack.order);
    assert_eq!(order.reason, EndReason::Protection);
    x.audit();
}

#[test]
fn self_trade_prevention_does_what_its_mode_says() {
    for (stp, own_left, status) in [
        (Stp::ExpireTaker, Some(10_000), OrderStatus::ExpiredInMatch),
        (Stp::ExpireMaker, None, OrderStatus::Filled),
        (Stp::ExpireBoth, None, OrderStatus::ExpiredInMatch),
        (Stp::Decrement, None, OrderStatus::Filled),
    ] {
        let mut x = exchange();
        let own = limit(&mut x, ALICE, Side::Sell, "50000", "0.1");
        limit(&mut x, BOB, Side::Sell, "50001", "1");
        let order = x.limit(M, Side::Buy, 5_000_100, 20_000, Tif::Gtc, stp);
        let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, order) else { panic!("placed") };
        assert_eq!(ack.status, status, "{stp:?}");
        let left = x.cell.world().markets().get(M).unwrap().book().0.get(own).map(|r| r.lots.0);
        assert_eq!(left, own_left, "{stp:?}");
        x.audit();
        x.check_fold();
    }
}

#[test]
fn a_cancel_gives_back_what_was_locked_and_is_refused_the_second_time() {
    let mut x = exchange();
    let id = limit(&mut x, ALICE, Side::Buy, "50000", "0.5");
    let cancel = Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(id))));
    assert!(matches!(x.send(None, cancel.clone()), Reply::Accepted(Accepted::Canceled(ids)) if ids == [id]));
    assert_eq!(x.free(ALICE, USDT), (amount("100000"), Amount::ZERO));
    assert_eq!(refused(x.send(None, cancel)), Reject::UnknownOrder, "what it was is in the history");
    assert!(x.orders(ALICE).0.iter().any(|o| (o.order, o.status) == (id, OrderStatus::Canceled)));
    let foreign = limit(&mut x, BOB, Side::Buy, "50000", "0.5");
    let steal = Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(foreign))));
    assert_eq!(refused(x.send(None, steal)), Reject::UnknownOrder, "another's order is as unknown as none");
}

#[test]
fn the_same_request_key_places_one_order_even_at_the_same_moment() {
    let mut x = exchange();
    let order = order(&x, Side::Buy, "50000", "0.5", Tif::Gtc);
    let place = Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order)));
    let key = Some(RequestKey { key: 7, body: 1 });
    let (first, twin) = (x.submit(key, place.clone()), x.submit(key, place.clone()));
    x.run();
    let Some(&Reply::Accepted(Accepted::Placed(ack))) = x.answer(first).as_ref() else { panic!("placed") };
    assert!(matches!(x.answer(twin), Some(Reply::Rejected(Reject::RequestInFlight))));
    match x.send(key, place.clone()) {
        Reply::Known(answer) => assert_eq!(answer, Accepted::Placed(ack), "the first answer, to the letter"),
        other => panic!("known, not {other:?}"),
    }
    let other_body = Some(RequestKey { key: 7, body: 2 });
    assert_eq!(refused(x.send(other_body, place)), Reject::RequestKeyClash);
    assert_eq!(x.free(ALICE, USDT).1, amount("25000"));
}

#[test]
fn a_request_key_names_one_cancel_and_a_twin_in_flight_is_told_so() {
    let mut x = exchange();
    let (one, two) = (limit(&mut x, ALICE, Side::Buy, "50000", "0.5"), limit(&mut x, ALICE, Side::Buy, "49000", "0.5"));
    let cancel = |id| Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(id))));
    let key = Some(RequestKey { key: 9, body: 1 });
    let (first, twin) = (x.submit(key, cancel(one)), x.submit(key, cancel(one)));
    let clash = x.submit(Some(RequestKey { key: 9, body: 2 }), cancel(two));
    x.run();
    assert!(matches!(x.answer(first), Some(Reply::Accepted(Accepted::Canceled(ids))) if ids == [one]));
    assert!(matches!(x.answer(twin), Some(Reply::Rejected(Reject::RequestInFlight))));
    assert!(matches!(x.answer(clash), Some(Reply::Rejected(Reject::RequestKeyClash))));
    assert!(matches!(x.send(key, cancel(one)), Reply::Known(Accepted::Canceled(ids)) if ids == [one]));
    let view = Command::Account(ALICE, AccountCommand::View);
    assert!(
        matches!(x.send(None, view), Reply::View(View::Account(view)) if view.open.len() == 1),
        "the other order stands"
    );
    x.check_fold();
}

#[test]
fn many_orders_at_once_never_spend_a_balance_twice() {
    let mut x = exchange();
    let order = order(&x, Side::Buy, "50000", "0.5", Tif::Gtc);
    let tokens: Vec<u64> = (0..200)
        .map(|_| x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order)))))
        .collect();
    x.run();
    let placed = tokens.iter().filter(|t| matches!(x.answer(**t), Some(Reply::Accepted(Accepted::Placed(_))))).count();
    assert_eq!(placed, 4, "100,000 affords four times 25,000");
    x.audit();
}

#[test]
fn a_client_order_id_is_unique_among_open_orders_only() {
    let mut x = exchange();
    let mut named = order(&x, Side::Buy, "50000", "0.1", Tif::Gtc);
    named.client_id = ClientOrderId::parse("my-order");
    assert!(matches!(x.place(ALICE, named), Reply::Accepted(Accepted::Placed(_))));
    assert_eq!(refused(x.place(ALICE, named)), Reject::DuplicateClientOrderId);
    assert!(matches!(x.place(BOB, named), Reply::Accepted(Accepted::Placed(_))), "another account may use it");
    let cancel = AccountCommand::Spot(SpotCommand::Cancel(OrderName::Client(named.client_id.unwrap())));
    x.ok(Command::Account(ALICE, cancel));
    assert!(matches!(x.place(ALICE, named), Reply::Accepted(Accepted::Placed(_))));
}

#[test]
fn the_houses_ladder_is_kept_where_it_stands_and_meets_orders_in_its_way() {
    let mut x = exchange();
    x.make_house();
    x.fund(AccountId::HOUSE, USDT, Amount::whole(1_000_000));
    x.fund(AccountId::HOUSE, BTC, Amount::whole(100));
    let level = |side, ticks, lots| QuoteLevel { side, ticks: xng_core::money::Ticks(ticks), lots: Lots(lots) };
    let quote = |x: &mut Exchange, levels: Vec<QuoteLevel>| {
        let hold = [(BTC, Amount::whole(50)), (USDT, Amount::whole(500_000))];
        let command = AccountCommand::Spot(SpotCommand::Quote { market: M, levels, hold, version: 0 });
        x.send(None, Command::Account(AccountId::HOUSE, command))
    };
    quote(&mut x, vec![level(Side::Buy, 4_999_000, 100), level(Side::Sell, 5_001_000, 100)]);
    let before = x.journal.records().len();
    quote(&mut x, vec![level(Side::Buy, 4_999_000, 100), level(Side::Sell, 5_001_000, 100)]);
    assert_eq!(x.journal.records().len(), before, "an unchanged ladder leaves no record");
    let bid = limit(&mut x, ALICE, Side::Buy, "50005", "0.0005");
    let reply = quote(&mut x, vec![level(Side::Buy, 4_999_000, 70), level(Side::Sell, 5_000_000, 100)]);
    assert!(matches!(reply, Reply::Accepted(Accepted::Done)), "{reply:?}");
    let world = x.cell.world();
    assert_eq!(x.order(ALICE, bid).status, OrderStatus::Filled);
    let (book, _) = world.markets().get(M).unwrap().book();
    assert_eq!(book.depth(Side::Sell).collect::<Vec<_>>(), [(xng_core::money::Ticks(5_000_000), Lots(50))]);
    assert_eq!(book.depth(Side::Buy).collect::<Vec<_>>(), [(xng_core::money::Ticks(4_999_000), Lots(70))]);
    x.audit();
    x.check_fold();
}

#[test]
fn a_ladder_may_be_worth_all_that_the_house_has_again_and_again() {
    let mut x = exchange();
    x.make_house();
    x.fund(AccountId::HOUSE, USDT, Amount::whole(1_000));
    let quote = |ticks: i64, lots: i64, usdt: &str| {
        let levels = vec![QuoteLevel { side: Side::Buy, ticks: xng_core::money::Ticks(ticks), lots: Lots(lots) }];
        let hold = [(BTC, Amount::ZERO), (USDT, amount(usdt))];
        let quote = SpotCommand::Quote { market: M, levels, hold, version: 0 };
        Command::Account(AccountId::HOUSE, AccountCommand::Spot(quote))
    };
    // 2,000 lots of 0.00001 at 50,000 are 1,000 USDT.
    x.ok(quote(5_000_000, 2_000, "1000"));
    x.ok(quote(4_999_900, 2_000, "999.98"));
    x.ok(quote(5_000_000, 2_000, "1000"));
    assert_eq!(x.free(AccountId::HOUSE, USDT), (Amount::ZERO, amount("1000")));
    // A fill between the account's word and the market's decision: the ladder is refused, nothing goes below zero.
    let sale = order(&x, Side::Sell, "50000", "0.01", Tif::Ioc);
    let sale = x.submit(None, Command::Account(BOB, AccountCommand::Spot(SpotCommand::Place(sale))));
    let ladder = x.submit(None, quote(4_999_900, 2_000, "999.98"));
    x.run();
    assert!(matches!(x.answer(sale), Some(Reply::Accepted(Accepted::Placed(ack))) if ack.filled == Lots(1_000)));
    assert!(matches!(x.answer(ladder), Some(Reply::Rejected(Reject::InsufficientBalance))));
    x.ok(quote(4_999_900, 1_000, "499.99"));
    // All of it stands in one ask; an order of a user is in the way of the next ladder.
    let mut x = exchange();
    x.make_house();
    x.fund(AccountId::HOUSE, BTC, Amount::whole(1));
    let ask = |ticks: i64| {
        let levels = vec![QuoteLevel { side: Side::Sell, ticks: xng_core::money::Ticks(ticks), lots: Lots(100_000) }];
        let hold = [(BTC, Amount::whole(1)), (USDT, Amount::ZERO)];
        let quote = SpotCommand::Quote { market: M, levels, hold, version: 0 };
        Command::Account(AccountId::HOUSE, AccountCommand::Spot(quote))
    };
    x.ok(ask(5_010_000));
    limit(&mut x, ALICE, Side::Buy, "50000", "0.01");
    x.ok(ask(4_999_000));
    assert_eq!(x.free(AccountId::HOUSE, BTC), (Amount::ZERO, amount("0.99")));
    x.audit();
    x.check_fold();
}

#[test]
fn a_tick_changes_on_an_empty_book_only_and_the_last_price_goes_with_it() {
    let mut x = exchange();
    let with = |params| Command::Market(M, MarketCommand::ChangeParams(Box::new(params)));
    let of_tick = |x: &Exchange, tick| with(MarketParams { tick: amount(tick), ..x.params(M) });
    limit(&mut x, BOB, Side::Sell, "50000.05", "0.01");
    let finer = of_tick(&x, "0.001");
    assert_eq!(refused(x.send(None, finer.clone())), Reject::OrdersOpen, "an order rests");
    limit(&mut x, ALICE, Side::Buy, "50000.05", "0.01");
    let last = |x: &Exchange| x.cell.world().markets().get(M).unwrap().last().0;
    assert_eq!(last(&x), 5_000_005);
    x.ok(finer.clone());
    assert_eq!(last(&x), 50_000_050);
    assert_eq!(refused(x.send(None, finer)), Reject::AlreadyExists, "asked again");
    let older = MarketParams { version: 0, max_open_orders: 7, ..x.params(M) };
    assert_eq!(refused(x.send(None, with(older))), Reject::StaleTerms, "of the version before");
    let same = with(x.params(M));
    assert_eq!(refused(x.send(None, same)), Reject::AlreadyExists);
    let coarser = of_tick(&x, "0.1");
    x.ok(coarser);
    assert_eq!(last(&x), 0, "50000.05 is no whole number of 0.1");
    x.check_fold();
}

#[test]
fn two_people_of_the_back_office_change_fees_and_one_does_not() {
    let mut x = exchange();
    limit(&mut x, BOB, Side::Sell, "50000", "0.01");
    let on_its_way = order(&x, Side::Buy, "50000", "0.01", Tif::Gtc);
    let fees = vec![LevelFees { maker: FeePpm(5_000), taker: FeePpm(2_000) }];
    let change = Command::Market(M, MarketCommand::ChangeParams(Box::new(MarketParams { fees, ..x.params(M) })));
    let mut ask = |maker, checker| {
        let token = x.submit_as(Origin::Staff { maker, checker, case: 9 }, None, change.clone());
        x.run();
        x.answer(token).expect("an answer")
    };
    assert_eq!(refused(ask(1, 1)), Reject::NotTwoPeople);
    assert!(matches!(ask(1, 2), Reply::Accepted(Accepted::Done)));
    assert_eq!(refused(ask(1, 2)), Reject::AlreadyExists, "the same case takes effect once");
    assert_eq!(refused(x.place(ALICE, on_its_way)), Reject::StaleTerms);
    limit(&mut x, ALICE, Side::Buy, "50000", "0.01");
    assert_eq!(x.free(AccountId::FEE, BTC).0, amount("0.00002"), "the new 0.2 % of 0.01");
    assert_eq!(x.free(AccountId::FEE, USDT).0, amount("0.4"), "0.08 % of 500, the maker's rate when it was placed");
    x.audit();
    x.check_fold();
}

#[test]
fn one_person_makes_no_halt_a_cancel_only() {
    let mut x = exchange();
    let set = |state| Command::Market(M, MarketCommand::SetState(state));
    x.ok(set(MarketState::CancelOnly));
    x.ok(set(MarketState::Halt));
    assert_eq!(refused(x.send(None, set(MarketState::CancelOnly))), Reject::NotAllowed);
    x.ok(set(MarketState::Trading));
}

#[test]
fn one_decision_makes_at_most_1024_trades() {
    let mut params = btc_usdt();
    params.max_open_orders = 5_000;
    let mut x = Exchange::new(&[params]);
    x.fund(ALICE, USDT, Amount::whole(100_000));
    x.fund(BOB, BTC, Amount::whole(10));
    let rest = |x: &Exchange| x.cell.world().markets().get(M).unwrap().book().0.len();
    let sell = |x: &mut Exchange| {
        for _ in 0..1_030 {
            limit(x, BOB, Side::Sell, "50000", "0.00001");
        }
    };
    sell(&mut x);
    let fok = order(&x, Side::Buy, "50000", "0.0103", Tif::Fok);
    assert_eq!(refused(x.place(ALICE, fok)), Reject::TooManyTrades);
    let gtc = order(&x, Side::Buy, "50000", "0.0103", Tif::Gtc);
    let Reply::Accepted(Accepted::Placed(ack)) = x.place(ALICE, gtc) else { panic!("placed") };
    let placed = x.order(ALICE, ack.order);
    assert_eq!((placed.filled, placed.open, placed.status), (Lots(1_024), Lots(0), OrderStatus::Expired));
    assert_eq!((placed.reason, rest(&x)), (EndReason::TradeLimit, 6));
    // The house's ladder is bounded too: the rest is met by the next one.
    sell(&mut x);
    x.make_house();
    x.fund(AccountId::HOUSE, USDT, Amount::whole(100_000));
    let levels: Vec<QuoteLevel> = [5_000_100, 5_000_000]
        .map(|ticks| QuoteLevel { side: Side::Buy, ticks: xng_core::money::Ticks(ticks), lots: Lots(1_000) })
        .to_vec();
    let hold = [(BTC, Amount::ZERO), (USDT, Amount::whole(2_000))];
    let quote = SpotCommand::Quote { market: M, levels, hold, version: 0 };
    let quote = Command::Account(AccountId::HOUSE, AccountCommand::Spot(quote));
    x.ok(quote.clone());
    assert_eq!(rest(&x), 12, "1,024 of 1,036 met; neither level rests");
    x.ok(quote);
    assert_eq!(rest(&x), 2, "the others met, both levels rest");
    x.audit();
    x.check_fold();
}

#[test]
fn a_market_closes_when_its_index_is_stale_and_opens_with_fresh_quotes() {
    let mut params = btc_usdt();
    (params.stale_after_ms, params.house_quoted) = (5_000, true);
    let mut x = Exchange::new(&[params]);
    x.make_house();
    x.fund(AccountId::HOUSE, USDT, Amount::whole(1_000_000));
    x.fund(ALICE, USDT, Amount::whole(100_000));
    let order_now = |x: &mut Exchange| {
        let order = order(x, Side::Buy, "49000", "0.01", Tif::Gtc);
        x.place(ALICE, order)
    };
    assert_eq!(refused(order_now(&mut x)), Reject::MarketClosed, "no price yet");
    let tick = Command::Price(
        xng_core::ids::PriceId(1),
        PriceCommand::Push(SourcePrice { source: 1, price: Amount::whole(50_000) }),
    );
    let levels = vec![QuoteLevel { side: Side::Buy, ticks: xng_core::money::Ticks(4_990_000), lots: Lots(10) }];
    let hold = [(BTC, Amount::ZERO), (USDT, Amount::whole(1_000))];
    let quote = Command::Account(
        AccountId::HOUSE,
        AccountCommand::Spot(SpotCommand::Quote { market: M, levels, hold, version: 0 }),
    );
    x.ok(tick.clone());
    x.ok(quote.clone());
    assert!(matches!(order_now(&mut x), Reply::Accepted(Accepted::Placed(_))));
    x.advance(6_000_000_000);
    x.run();
    assert_eq!(refused(order_now(&mut x)), Reject::MarketClosed, "the index is stale");
    assert_eq!(x.free(AccountId::HOUSE, USDT).1, Amount::ZERO, "the house's quotes left first");
    assert_eq!(x.free(ALICE, USDT).1, amount("490"), "the user's order stays");
    x.ok(tick);
    x.ok(quote);
    assert!(matches!(order_now(&mut x), Reply::Accepted(Accepted::Placed(_))));
    x.audit();
    x.check_fold();
}

#[test]
fn nothing_leaves_before_it_is_durable() {
    let mut x = exchange();
    *x.journal.lag.borrow_mut() = 3;
    let order = order(&x, Side::Buy, "50000", "0.1", Tif::Gtc);
    let token = x.submit(None, Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order))));
    x.run();
    let view = x.submit(None, Command::Account(ALICE, AccountCommand::View));
    x.run();
    assert!(x.answer(token).is_none() && x.answer(view).is_none(), "both wait for the record");
    *x.journal.lag.borrow_mut() = 0;
    x.run();
    assert!(matches!(x.answer(token), Some(Reply::Accepted(Accepted::Placed(_)))));
    assert!(matches!(x.answer(view), Some(Reply::View(View::Account(v))) if v.open.len() == 1));
}

#[test]
fn transfers_move_money_between_two_different_wallets_only() {
    let mut x = exchange();
    let send = |x: &mut Exchange, from, to, text: &str| {
        let transfer = AccountCommand::Transfer { asset: USDT, from, to, amount: amount(text) };
        x.send(None, Command::Account(ALICE, transfer))
    };
    assert!(matches!(send(&mut x, Wallet::Spot, Wallet::Funding, "40000"), Reply::Accepted(Accepted::Done)));
    assert_eq!(refused(send(&mut x, Wallet::Spot, Wallet::Funding, "60000.01")), Reject::InsufficientBalance);
    assert_eq!(refused(send(&mut x, Wallet::Spot, Wallet::Spot, "1")), Reject::BadWallet);
    assert_eq!(refused(send(&mut x, Wallet::Spot, Wallet::Earn, "1")), Reject::BadWallet);
    assert_eq!(refused(send(&mut x, Wallet::Spot, Wallet::Funding, "-1")), Reject::BadAmount);
    x.audit();
}
