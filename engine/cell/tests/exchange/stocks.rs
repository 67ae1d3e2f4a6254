//! Stocks through the cell: worked examples, sessions, the queue, days, pauses, late timers.

use crate::properties::Dice;
use crate::support::{Exchange, USDT, market};
use std::collections::BTreeMap;
use xng_cell::auditor::Auditor;
use xng_cell::{Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, OrderName, SpotCommand};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, EntityId, MarketId, OrderId, PriceId, Wallet};
use xng_core::money::{Amount, FeePpm, Lots, ONE, Ticks};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{
    EndReason, Leg, LevelFees, MarketCommand, MarketParams, MarketState, NewOrder, OrderAck, OrderKind, OrderStatus,
    QuoteLevel, Side, StateReason, Stp, Tif, Trigger, TriggerKind,
};
use xng_core::stock::calendar::{CalendarCommand, CalendarParams, Session};
use xng_core::stock::facts::StockFact;
use xng_core::stock::{ActionKind, CalendarId, SessionPhase, StepTable, StockTerms};

pub(crate) const US: MarketId = MarketId(384);
pub(crate) const HK: MarketId = MarketId(385);
pub(crate) const SHARE: AssetId = AssetId(10_384);
pub(crate) const HK_SHARE: AssetId = AssetId(10_385);
pub(crate) const HKD: AssetId = AssetId(5);
pub(crate) const ALICE: AccountId = AccountId(100_001);
pub(crate) const BOB: AccountId = AccountId(100_002);
pub(crate) const CAROL: AccountId = AccountId(100_003);
pub(crate) const DAVE: AccountId = AccountId(100_004);
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const MS: u64 = 1_000_000;
pub(crate) use Side::{Buy, Sell};

/// A time of day; half hours are allowed.
pub(crate) fn at(day: u64, half_hours: u64) -> u64 {
    day * DAY + half_hours * HOUR / 2
}

fn terms(calendar: u16, steps: StepTable) -> StockTerms {
    let (queues, pause_ppm, pause_window_ms, pause_ms) = (true, 100_000, 300_000, 300_000);
    StockTerms { calendar: CalendarId(calendar), steps, queues, pause_ppm, pause_window_ms, pause_ms }
}

/// Tick 0.01, one share a lot, 0.05 %.
pub(crate) fn us() -> MarketParams {
    MarketParams {
        fees: vec![LevelFees { maker: FeePpm(500), taker: FeePpm(500) }],
        stale_after_ms: 60_000,
        max_open_orders: 1_000,
        stock: Some(terms(1, StepTable::Flat)),
        ..market(US.0, SHARE, USDT, ONE / 100, ONE)
    }
}

/// Tick 0.001, 200 shares a lot, in Hong Kong dollars.
pub(crate) fn hk() -> MarketParams {
    let stock = Some(terms(2, StepTable::Hk2025));
    let MarketParams { fees, stale_after_ms, max_open_orders, .. } = us();
    MarketParams { fees, stale_after_ms, max_open_orders, stock, ..market(HK.0, HK_SHARE, HKD, ONE / 1_000, 200 * ONE) }
}

fn session(day: u64, from: u64, to: u64, last: bool) -> Session {
    Session { open_ms: at(day, from) / MS, close_ms: at(day, to) / MS, last }
}

/// 9:30 to 16:00 on days 1 to 5.
pub(crate) fn us_calendar() -> CalendarParams {
    CalendarParams {
        calendar: CalendarId(1),
        version: 0,
        name: "NYSE".into(),
        zone: "America/New_York".into(),
        sessions: (1..=5).map(|day| session(day, 19, 32, true)).collect(),
        markets: vec![US],
    }
}

/// 9:30 to 12:00 and 13:00 to 16:00.
pub(crate) fn hk_calendar() -> CalendarParams {
    let day = |day| [session(day, 19, 24, false), session(day, 26, 32, true)];
    let (name, zone) = ("HKEX".into(), "Asia/Hong_Kong".into());
    let sessions = (1..=5).flat_map(day).collect();
    CalendarParams { calendar: CalendarId(2), name, zone, sessions, markets: vec![HK], ..us_calendar() }
}

pub(crate) fn set_calendar(x: &mut Exchange, params: CalendarParams) -> Reply {
    x.send(None, Command::Calendar(params.calendar, CalendarCommand::SetParams(Box::new(params))))
}

/// Two markets that are closed until 9:30 of day 1; everybody has money and shares of both.
pub(crate) fn exchange_of(us: MarketParams, hk: MarketParams) -> Exchange {
    let mut x = Exchange::new(&[us, hk]);
    for params in [us_calendar(), hk_calendar()] {
        assert!(matches!(set_calendar(&mut x, params), Reply::Accepted(Accepted::Done)));
    }
    x.make_house();
    for who in [ALICE, BOB, CAROL, AccountId::HOUSE] {
        for (asset, whole) in [(USDT, 1_000_000), (HKD, 1_000_000), (SHARE, 10_000), (HK_SHARE, 100_000)] {
            x.fund(who, asset, Amount::whole(whole));
        }
    }
    x
}

pub(crate) fn exchange() -> Exchange {
    exchange_of(us(), hk())
}

/// The clock, and what is due by then.
pub(crate) fn to(x: &mut Exchange, time: u64) {
    x.cell.clock().0 = time;
    x.run();
}

/// The index; a jump is said twice.
pub(crate) fn index(x: &mut Exchange, market: MarketId, price: &str) {
    let said = SourcePrice { source: 1, price: price.parse().unwrap() };
    let id = PriceId(market.0);
    for _ in 0..2 {
        if x.cell.world().prices().get(id).and_then(|p| p.index()).is_none_or(|(index, _)| index != said.price) {
            x.ok(Command::Price(id, PriceCommand::Push(said)));
        }
    }
    x.ok(Command::Price(id, PriceCommand::Push(said)));
    x.run();
}

/// At 9:30 of a day, with these prices.
pub(crate) fn opened_at(x: &mut Exchange, day: u64, us: &str, hk: &str) {
    to(x, at(day, 19));
    index(x, US, us);
    index(x, HK, hk);
    assert_eq!([state(x, US), state(x, HK)], [(MarketState::Trading, StateReason::Fresh); 2]);
}

pub(crate) fn open() -> Exchange {
    let mut x = exchange();
    opened_at(&mut x, 1, "187", "321");
    x
}

pub(crate) fn state(x: &Exchange, market: MarketId) -> (MarketState, StateReason) {
    x.cell.world().markets().get(market).unwrap().state()
}

pub(crate) fn limit(x: &Exchange, market: MarketId, side: Side, price: &str, lots: i64, tif: Tif) -> NewOrder {
    let tick = x.params(market).tick;
    let ticks = (price.parse::<Amount>().unwrap().0 / tick.0) as i64;
    x.limit(market, side, ticks, lots, tif, Stp::ExpireTaker)
}

pub(crate) fn taken(reply: &Reply) -> OrderAck {
    match reply {
        Reply::Accepted(Accepted::Placed(ack)) => *ack,
        other => panic!("placed, not {other:?}"),
    }
}

pub(crate) fn refused(reply: &Reply) -> Reject {
    match reply {
        Reply::Rejected(reject) => *reject,
        other => panic!("refused, not {other:?}"),
    }
}

/// A limit order; what became of it at once.
pub(crate) fn place(
    x: &mut Exchange,
    who: AccountId,
    m: MarketId,
    side: Side,
    price: &str,
    lots: i64,
    tif: Tif,
) -> OrderAck {
    let order = limit(x, m, side, price, lots, tif);
    taken(&x.place(who, order))
}

pub(crate) fn has(x: &Exchange, who: AccountId, asset: AssetId) -> [String; 2] {
    let (available, locked) = x.free(who, asset);
    [available.to_string(), locked.to_string()]
}

/// The auditor agrees with everything, and the state is that of the records.
pub(crate) fn all_is_well(x: &mut Exchange) {
    x.audit();
    let mut auditor = Auditor::default();
    for (lsn, bytes) in x.journal.records() {
        auditor.read(lsn, &Record::decode(&bytes).unwrap()).unwrap();
    }
    auditor.agrees(x.cell.world()).unwrap();
    x.check_fold();
}

pub(crate) fn facts(x: &Exchange) -> Vec<Fact> {
    x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact).collect()
}

/// Takers, prices in ticks and lots of all trades.
pub(crate) fn trades(x: &Exchange) -> Vec<(OrderId, i64, i64)> {
    let mut all = Vec::new();
    facts(x).iter().for_each(|f| f.each_execution(|e| all.push((e.taker_order, e.trade.ticks.0, e.trade.lots.0))));
    all
}

pub(crate) fn queue(x: &Exchange, market: MarketId) -> Vec<OrderId> {
    x.cell.world().markets().get(market).unwrap().queue().map(|w| w.order).collect()
}

pub(crate) fn cancel(x: &mut Exchange, who: AccountId, order: OrderId) -> Reply {
    x.send(None, Command::Account(who, AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(order)))))
}

/// An order that waits for a price, at market.
pub(crate) fn stop(x: &Exchange, m: MarketId, side: Side, trigger: &str, lots: i64, tif: Tif) -> Leg {
    let order = limit(x, m, side, trigger, lots, tif);
    let trigger = Some(Trigger { kind: TriggerKind::StopLoss, ticks: order.ticks, trail_bips: 0 });
    Leg { order: NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..order }, trigger }
}

pub(crate) fn group(x: &mut Exchange, who: AccountId, legs: impl Fn(&Exchange) -> Vec<Leg>) -> Vec<OrderId> {
    let group = x.group(&legs(x));
    match x.place_group(who, group) {
        Reply::Accepted(Accepted::GroupPlaced(ack)) => ack.orders.iter().map(|o| o.order).collect(),
        other => panic!("placed, not {other:?}"),
    }
}

/// A ladder of the house.
pub(crate) fn quote(x: &mut Exchange, market: MarketId, levels: &[(Side, &str, i64)]) -> Reply {
    let p = x.params(market);
    let level = |(side, price, lots): &(Side, &str, i64)| {
        let ticks = Ticks((price.parse::<Amount>().unwrap().0 / p.tick.0) as i64);
        QuoteLevel { side: *side, ticks, lots: Lots(*lots) }
    };
    let levels: Vec<QuoteLevel> = levels.iter().map(level).collect();
    let sum = |side| levels.iter().filter(|l| l.side == side).map(|l| p.lock(side, l.ticks, l.lots)).sum::<Amount>();
    let hold = [(p.base, sum(Sell)), (p.quote, sum(Buy))];
    let quote = SpotCommand::Quote { market, levels, hold, version: p.version };
    x.send(None, Command::Account(AccountId::HOUSE, AccountCommand::Spot(quote)))
}

/// How orders of a market left, by reason.
pub(crate) fn left(x: &Exchange, market: MarketId) -> BTreeMap<&'static str, Vec<usize>> {
    let mut left: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    let name = |reason| match reason {
        EndReason::SessionEnd => "day",
        EndReason::CorporateAction => "action",
        EndReason::User => "user",
        _ => "else",
    };
    for fact in facts(x) {
        match fact {
            Fact::Spot(SpotFact::OrdersCanceled(f)) if f.units.market == market => {
                left.entry(name(f.reason)).or_default().push(f.orders.len());
            }
            Fact::Spot(SpotFact::OrdersChanged(f)) if f.units.market == market && !f.gone.is_empty() => {
                left.entry(name(f.reason)).or_default().push(f.gone.len());
            }
            _ => {}
        }
    }
    left
}

/// Both markets, with days of twenty seconds that begin with the first one; users and the house have shares and money.
pub(crate) fn list_short_days(x: &mut Exchange) {
    list(x, MarketParams { stale_after_ms: 0, ..us() });
    list(x, hk());
    let day = |first: u64| [(first, first + 8_000, false), (first + 10_000, first + 16_000, true)];
    let session = |(open_ms, close_ms, last)| Session { open_ms, close_ms, last };
    let sessions: Vec<Session> = (1..400).flat_map(|n| day(n * 20_000)).map(session).collect();
    for calendar in [us_calendar(), hk_calendar()] {
        set_calendar(x, CalendarParams { sessions: sessions.clone(), ..calendar });
    }
    for who in (100_001..100_009).map(AccountId).chain([AccountId::HOUSE]) {
        for (asset, whole) in [(SHARE, 200), (HK_SHARE, 4_001), (HKD, 1_000_000), (USDT, 20_000)] {
            x.fund(who, asset, Amount::whole(whole));
        }
    }
}

/// What operators, prices and the house do about stocks, by chance.
pub(crate) fn operate(x: &Exchange, dice: &mut Dice) -> Command {
    let market = dice.pick(&[US, HK]);
    let p = x.params(market);
    match dice.below(12) {
        0..=2 => {
            let split = ActionKind::Split { new: 1 + dice.below(3) as u32, old: 1 + dice.below(3) as u32 };
            let dividend = ActionKind::Dividend { per_share: Amount(123_456), withheld_ppm: 100_000 };
            let kind = if dice.below(2) == 0 { split } else { dividend };
            Command::Market(market, MarketCommand::SetAction { id: 1 + dice.below(40) as u32, kind })
        }
        3 => {
            let (who, amount) = (AccountId(100_001 + dice.below(9)), Amount::whole(1 + dice.below(500) as i64));
            let items = vec![GrantItem { wallet: dice.pick(&[Wallet::Spot, Wallet::Funding]), asset: p.base, amount }];
            Command::Account(who, AccountCommand::Grant { kind: GrantKind::Correction, items })
        }
        4..=6 => {
            let step = if market == US { 1 } else { 10 };
            let level = |side, off: i64| QuoteLevel { side, ticks: Ticks(off * step), lots: Lots(3) };
            let middle = if market == US { 10_000 } else { 1_000 };
            let levels = vec![level(Buy, middle - 2), level(Sell, middle + 2)];
            let sum =
                |side| levels.iter().filter(|l| l.side == side).map(|l| p.lock(side, l.ticks, l.lots)).sum::<Amount>();
            let (hold, version) = ([(p.base, sum(Sell)), (p.quote, sum(Buy))], p.version);
            Command::Account(
                AccountId::HOUSE,
                AccountCommand::Spot(SpotCommand::Quote { market, levels, hold, version }),
            )
        }
        _ => {
            let near = if market == US { 100 * ONE } else { 10 * ONE };
            let off = dice.pick(&[0, 0, 1, 1, 2, 10]);
            let said = SourcePrice { source: 1, price: Amount(near + near * off / 100) };
            Command::Price(PriceId(market.0), PriceCommand::Push(said))
        }
    }
}

/// A command about stocks by chance.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> Command {
    let market = dice.pick(&[US, HK]);
    let side = dice.pick(&[Buy, Sell]);
    let (middle, step) = if market == US { (10_000, 1) } else { (10_000, 10) };
    let ticks = middle + (dice.below(21) as i64 - 10) * step;
    let lots = 1 + dice.below(20) as i64;
    let tif = dice.pick(&[Tif::Gtc, Tif::Gtc, Tif::Day, Tif::Day, Tif::Ioc, Tif::PostOnly]);
    let order = x.limit(market, side, ticks, lots, tif, dice.pick(&[Stp::ExpireMaker, Stp::Decrement]));
    let command = match dice.below(10) {
        0 => SpotCommand::CancelAll(market),
        1 => SpotCommand::Place(x.market_order(market, side, lots, middle + 40 * step)),
        2 => SpotCommand::Place(x.by_quote(market, side, Amount(1 + i128::from(dice.below(100_000_000_000))))),
        3 | 4 => {
            let kind = dice.pick(&[TriggerKind::StopLoss, TriggerKind::TakeProfit]);
            let trigger = Some(Trigger { kind, ticks: Ticks(middle + dice.below(21) as i64 - 10), trail_bips: 0 });
            let tif = dice.pick(&[Tif::Gtc, Tif::Day, Tif::Ioc]);
            SpotCommand::PlaceGroup(Box::new(x.group(&[Leg { order: NewOrder { tif, ..order }, trigger }])))
        }
        _ => SpotCommand::Place(order),
    };
    Command::Account(account, AccountCommand::Spot(command))
}

#[test]
fn a_fee_is_paid_in_the_quote_on_top_of_a_purchase_and_off_a_sale() {
    let mut x = open();
    place(&mut x, BOB, US, Sell, "187.45", 100, Tif::Gtc);
    let ack = place(&mut x, ALICE, US, Buy, "187.5", 100, Tif::Gtc);
    assert_eq!((ack.status, ack.spent.to_string()), (OrderStatus::Filled, "18745".into()));
    // 1,000,000 less 18,754.3725; the seller gets 18,745 less its own 9.3725.
    assert_eq!(has(&x, ALICE, USDT), ["981245.6275", "0"]);
    assert_eq!(has(&x, BOB, USDT), ["1018735.6275", "0"]);
    assert_eq!(
        (has(&x, ALICE, SHARE), has(&x, BOB, SHARE)),
        (["10100", "0"].map(String::from), ["9900", "0"].map(String::from))
    );
    assert_eq!(has(&x, AccountId::FEE, USDT)[0], "18.745");
    let (_, fills) = x.orders(ALICE);
    assert_eq!((fills[0].fee.to_string(), fills[0].units.fee_asset(Buy)), ("9.3725".into(), USDT));
    // At rest a purchase locks a thousandth on top, and gives back what a fill did not take.
    let ack = place(&mut x, ALICE, US, Buy, "180", 10, Tif::Gtc);
    assert_eq!(has(&x, ALICE, USDT), ["979443.8275", "1801.8"]);
    place(&mut x, BOB, US, Sell, "180", 4, Tif::Ioc);
    assert_eq!(has(&x, ALICE, USDT), ["979444.1875", "1081.08"]);
    place(&mut x, BOB, US, Sell, "179", 5, Tif::Ioc);
    assert!(matches!(cancel(&mut x, ALICE, ack.order), Reply::Accepted(_)));
    assert_eq!(has(&x, ALICE, USDT), ["979624.8175", "0"]);
    all_is_well(&mut x);
}

#[test]
fn in_hong_kong_it_is_dollars_board_lots_and_the_table() {
    let mut x = open();
    place(&mut x, BOB, HK, Sell, "321.4", 3, Tif::Gtc);
    let ack = place(&mut x, ALICE, HK, Buy, "321.4", 2, Tif::Day);
    assert_eq!((ack.status, ack.spent.to_string()), (OrderStatus::Filled, "128560".into()));
    assert_eq!(has(&x, ALICE, HKD), ["871375.72", "0"]);
    assert_eq!(has(&x, BOB, HKD), ["1128495.72", "0"]);
    assert_eq!(has(&x, ALICE, HK_SHARE)[0], "100400");
    assert_eq!(has(&x, BOB, HK_SHARE), ["99400", "200"]);
    let wrong = limit(&x, HK, Buy, "321.5", 1, Tif::Gtc);
    assert_eq!(refused(&x.place(ALICE, wrong)), Reject::BadStep);
    assert_eq!(refused(&quote(&mut x, HK, &[(Buy, "320.1", 1)])), Reject::BadStep);
    // Another table, by the operator.
    let table = StockTerms { steps: StepTable::Hk2026, ..terms(2, StepTable::Hk2026) };
    x.ok(Command::Market(HK, MarketCommand::ChangeParams(Box::new(MarketParams { stock: Some(table), ..hk() }))));
    let wrong = limit(&x, HK, Buy, "321.5", 1, Tif::Gtc);
    assert_eq!(refused(&x.place(ALICE, wrong)), Reject::BadStep);
    all_is_well(&mut x);
}

#[test]
fn a_purchase_by_amount_takes_no_more_than_it_holds_with_its_fee() {
    let mut x = open();
    for (price, lots) in [("187.01", 3), ("187.02", 4), ("187.13", 50), ("188", 100)] {
        place(&mut x, BOB, US, Sell, price, lots, Tif::Gtc);
    }
    // One share with its fee, a unit less, and amounts in between several prices.
    for budget in ["187.103505", "187.103504", "561.310515", "5000", "1309.5"] {
        let (who, amount) = (DAVE, budget.parse::<Amount>().unwrap());
        let before = x.free(who, USDT).0;
        x.fund(who, USDT, amount);
        let order = x.by_quote(US, Buy, amount);
        let ack = taken(&x.place(who, order));
        let spent = before + amount - x.free(who, USDT).0;
        assert!(spent <= amount && x.free(who, USDT).1.is_zero(), "{budget}: {spent}");
        let filled = ack.filled.0;
        assert_eq!(spent, ack.spent + Amount((ack.spent.0 * 500 + 500_000) / 1_000_000), "{filled} at {budget}");
        let enough = amount >= "187.1035".parse().unwrap();
        assert_eq!(ack.filled.is_zero(), budget == "187.103504" || !enough, "{budget} buys {filled}");
    }
    // By quantity, with less than it would cost: what the money pays for.
    let order = x.market_order(US, Buy, 100, 18_900);
    let before = x.free(DAVE, USDT).0;
    let ack = taken(&x.place(DAVE, order));
    assert!(x.free(DAVE, USDT).0 <= before && !x.free(DAVE, USDT).0.is_negative());
    assert_eq!(ack.status, OrderStatus::Expired);
    all_is_well(&mut x);
}

#[test]
fn orders_of_a_day_leave_when_it_is_over_and_not_before() {
    let mut x = open();
    [ALICE, BOB, CAROL].into_iter().for_each(|who| x.fund(who, HKD, Amount::whole(9_000_000)));
    // More than one record takes, of several owners.
    for n in 0..300 {
        let who = [ALICE, BOB, CAROL][n % 3];
        place(&mut x, who, HK, Buy, "200", 1, Tif::Day);
    }
    let stays = place(&mut x, ALICE, HK, Buy, "200", 1, Tif::Gtc);
    let waits = group(&mut x, BOB, |x| vec![stop(x, HK, Sell, "250", 1, Tif::Day)]);
    let also_stays = group(&mut x, BOB, |x| vec![stop(x, HK, Sell, "250", 1, Tif::Gtc)]);
    let take = Leg { order: NewOrder { tif: Tif::PostOnly, ..limit(&x, HK, Sell, "400", 1, Tif::Day) }, trigger: None };
    let pair = group(&mut x, CAROL, |x| vec![take, stop(x, HK, Sell, "250", 1, Tif::Day)]);
    let iceberg = NewOrder { iceberg: Lots(2), ..limit(&x, HK, Sell, "350", 10, Tif::Day) };
    let iceberg = taken(&x.place(CAROL, iceberg)).order;
    to(&mut x, at(1, 24));
    assert_eq!(state(&x, HK), (MarketState::CancelOnly, StateReason::Session));
    let queued = place(&mut x, ALICE, HK, Buy, "200", 1, Tif::Day);
    assert_eq!((queue(&x, HK).len(), left(&x, HK).len()), (1, 0), "a break is not the end of a day");
    to(&mut x, at(1, 26));
    index(&mut x, HK, "321");
    assert_eq!((state(&x, HK).0, queue(&x, HK).len(), left(&x, HK).len()), (MarketState::Trading, 0, 0));
    to(&mut x, at(1, 32));
    let of_day = left(&x, HK);
    assert_eq!(of_day["day"].iter().sum::<usize>(), 300 + 1 + 2 + 1 + 1, "{of_day:?}");
    assert!(of_day["day"].contains(&256) && of_day["day"].contains(&45) && of_day.len() == 1, "{of_day:?}");
    for (who, order) in [(ALICE, queued.order), (BOB, waits[0]), (CAROL, pair[0]), (CAROL, pair[1]), (CAROL, iceberg)] {
        let order = x.order(who, order);
        assert_eq!((order.status, order.reason), (OrderStatus::Expired, EndReason::SessionEnd));
    }
    assert_eq!(x.order(ALICE, stays.order).status, OrderStatus::Open);
    assert_eq!(x.order(BOB, also_stays[0]).status, OrderStatus::Waiting);
    // Taken at night: of the day that comes.
    x.fund(DAVE, HKD, Amount::whole(1_000_000));
    let night = place(&mut x, DAVE, HK, Buy, "200", 1, Tif::Day);
    let calendar = CalendarParams { version: 1, ..hk_calendar() };
    assert!(matches!(set_calendar(&mut x, calendar), Reply::Accepted(_)));
    assert_eq!(queue(&x, HK), [night.order], "new sessions end no day");
    opened_at(&mut x, 2, "187", "321");
    assert_eq!(x.order(DAVE, night.order).status, OrderStatus::Open);
    to(&mut x, at(2, 32));
    assert_eq!(x.order(DAVE, night.order).reason, EndReason::SessionEnd);
    // Without a price the market does not open that day, and what waits for it leaves all the same.
    let night = place(&mut x, DAVE, HK, Buy, "200", 1, Tif::Day);
    to(&mut x, at(3, 19));
    to(&mut x, at(3, 24));
    to(&mut x, at(3, 26));
    assert_eq!((state(&x, HK).0, queue(&x, HK)), (MarketState::CancelOnly, vec![night.order]));
    to(&mut x, at(3, 32));
    assert_eq!(x.order(DAVE, night.order).reason, EndReason::SessionEnd);
    assert!(x.free(DAVE, HKD).1.is_zero());
    all_is_well(&mut x);
}

/// Decides what was admitted, without any timer.
fn decide_late(x: &mut Exchange, admitted_at: u64, decided_at: u64) {
    x.cell.clock().0 = admitted_at;
    x.cell.enqueue_due();
    x.cell.clock().0 = decided_at;
    while x.cell.handle_next() {}
    x.cell.hand_over();
    let (mut replies, mut events) = (Vec::new(), 0);
    x.cell.open_gate(|_, egress| match egress {
        xng_cell::Egress::Reply(token, reply) => replies.push((token, reply)),
        xng_cell::Egress::Event(_) => events += 1,
    });
    replies.into_iter().for_each(|(token, reply)| x.note(token, reply));
}

#[test]
fn after_the_close_nothing_is_matched_although_no_timer_ran() {
    let mut x = open();
    place(&mut x, BOB, US, Sell, "187", 10, Tif::Gtc);
    let spot = |order| Command::Account(ALICE, AccountCommand::Spot(SpotCommand::Place(order)));
    let close = at(1, 32);
    x.cell.clock().0 = close - SECOND;
    index(&mut x, US, "187");
    // In time it is.
    let token = x.submit(None, spot(limit(&x, US, Buy, "187", 1, Tif::Ioc)));
    decide_late(&mut x, close - SECOND, close - SECOND);
    assert_eq!(taken(&x.answer(token).unwrap()).filled, Lots(1));
    let before = [
        limit(&x, US, Buy, "187", 1, Tif::Gtc),
        limit(&x, US, Buy, "187", 1, Tif::Ioc),
        x.market_order(US, Buy, 1, 18_800),
    ];
    let tokens = before.map(|order| x.submit(None, spot(order)));
    decide_late(&mut x, close - SECOND, close);
    for token in tokens {
        assert_eq!(refused(&x.answer(token).unwrap()), Reject::MarketClosed);
    }
    assert_eq!((state(&x, US).0, trades(&x).len()), (MarketState::Trading, 1), "no timer ran");
    let quote = x.submit(
        None,
        Command::Account(
            AccountId::HOUSE,
            AccountCommand::Spot(SpotCommand::Quote {
                market: US,
                levels: vec![QuoteLevel { side: Buy, ticks: Ticks(18_700), lots: Lots(1) }],
                hold: [(SHARE, Amount::ZERO), (USDT, Amount::whole(1_000))],
                version: 0,
            }),
        ),
    );
    decide_late(&mut x, close - SECOND, close);
    assert_eq!(refused(&x.answer(quote).unwrap()), Reject::MarketClosed);
    x.run();
    all_is_well(&mut x);
}

#[test]
fn a_start_after_days_goes_through_all_that_was_missed() {
    let mut x = open();
    let day = place(&mut x, ALICE, HK, Buy, "300", 1, Tif::Day).order;
    let stays = place(&mut x, ALICE, HK, Buy, "300", 1, Tif::Gtc).order;
    let mut world: World<Plain> = World::default();
    let records = x.journal.records();
    records.iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
    let mut y = x.resumed(world, &records);
    y.cell.clock().0 = at(3, 20);
    while !y.cell.catch_up() {}
    y.run();
    let told = facts(&y)[records.len()..].to_vec();
    let phases: Vec<SessionPhase> = told
        .iter()
        .filter_map(|fact| match fact {
            Fact::Stock(StockFact::SessionChanged(f)) if f.calendar == CalendarId(2) => Some(f.phase),
            _ => None,
        })
        .collect();
    use SessionPhase::{Break, Closed, Open};
    assert_eq!(phases, [Break, Open, Closed, Open, Break, Open, Closed, Open]);
    assert_eq!(y.order(ALICE, day).reason, EndReason::SessionEnd);
    assert_eq!(y.order(ALICE, stays).status, OrderStatus::Open);
    assert_eq!(state(&y, HK).0, MarketState::CancelOnly, "no price yet");
    index(&mut y, HK, "321");
    assert_eq!(state(&y, HK), (MarketState::Trading, StateReason::Fresh));
    all_is_well(&mut y);
}

#[test]
fn a_move_of_a_tenth_in_five_minutes_pauses_for_five() {
    let mut x = open();
    let ticks = |x: &mut Exchange, from: u64, upto: u64, price: &str| {
        for minute in from..upto {
            to(x, at(1, 19) + minute * MINUTE / 2);
            index(x, US, price);
        }
    };
    index(&mut x, US, "100");
    // A tenth in six minutes is none in five.
    let mut x = exchange();
    opened_at(&mut x, 1, "100", "100");
    ticks(&mut x, 1, 2, "100");
    ticks(&mut x, 2, 13, "104");
    ticks(&mut x, 13, 14, "110");
    assert_eq!(state(&x, US).0, MarketState::Trading, "from 104 in five minutes");
    let waits = place(&mut x, ALICE, US, Buy, "100", 1, Tif::Gtc);
    ticks(&mut x, 14, 15, "114.4");
    assert_eq!(state(&x, US), (MarketState::CancelOnly, StateReason::Pause));
    let order = limit(&x, US, Buy, "110", 1, Tif::Gtc);
    assert_eq!(refused(&x.place(BOB, order)), Reject::MarketClosed, "a pause has no queue");
    assert!(matches!(cancel(&mut x, ALICE, waits.order), Reply::Accepted(_)));
    // Moves within the pause do not make it longer.
    ticks(&mut x, 15, 24, "100");
    assert_eq!(state(&x, US).1, StateReason::Pause);
    ticks(&mut x, 24, 25, "100");
    assert_eq!(state(&x, US), (MarketState::Trading, StateReason::Fresh));
    all_is_well(&mut x);
    // Down as well, and over night not at all.
    ticks(&mut x, 25, 26, "90");
    assert_eq!(state(&x, US).1, StateReason::Pause);
    // However short it is, and although the old price is said until it opens.
    to(&mut x, at(1, 32));
    to(&mut x, at(2, 19) - SECOND);
    index(&mut x, US, "90");
    to(&mut x, at(2, 19));
    index(&mut x, US, "60");
    assert_eq!(state(&x, US), (MarketState::Trading, StateReason::Fresh));
    all_is_well(&mut x);
}

#[test]
fn an_operators_halt_outlives_sessions_and_an_early_close_is_one() {
    let mut x = open();
    x.ok(Command::Market(US, MarketCommand::SetState(MarketState::Halt)));
    for (day, half_hours) in [(1, 32), (2, 19)] {
        to(&mut x, at(day, half_hours));
        index(&mut x, US, "187");
        assert_eq!(state(&x, US), (MarketState::Halt, StateReason::Operator));
    }
    let order = limit(&x, US, Buy, "187", 1, Tif::Gtc);
    assert_eq!(refused(&x.place(ALICE, order)), Reject::MarketClosed);
    x.ok(Command::Market(US, MarketCommand::SetState(MarketState::Trading)));
    x.run();
    assert_eq!(state(&x, US), (MarketState::Trading, StateReason::Fresh));
    let day = place(&mut x, ALICE, US, Buy, "187", 1, Tif::Day).order;
    // The day ends at noon; the next one is a holiday.
    let mut params = CalendarParams { version: 1, ..us_calendar() };
    params.sessions[1].close_ms = at(2, 24) / MS;
    params.sessions.remove(2);
    assert!(matches!(set_calendar(&mut x, params.clone()), Reply::Accepted(_)));
    to(&mut x, at(2, 23));
    index(&mut x, US, "187");
    assert_eq!((state(&x, US).0, x.order(ALICE, day).status), (MarketState::Trading, OrderStatus::Open));
    to(&mut x, at(2, 24));
    assert_eq!((state(&x, US).1, x.order(ALICE, day).reason), (StateReason::Session, EndReason::SessionEnd));
    to(&mut x, at(3, 20));
    index(&mut x, US, "187");
    assert_eq!(state(&x, US).1, StateReason::Session);
    opened_at(&mut x, 4, "187", "321");
    all_is_well(&mut x);
}

/// The simplest listing by itself: whoever hears ticks of a market of stocks is named there.
pub(crate) fn list(x: &mut Exchange, params: MarketParams) {
    let market = params.market;
    let (price, symbol) = (PriceId(market.0), params.symbol.clone());
    x.ok(Command::Market(market, MarketCommand::List(Box::new(params))));
    x.ok(Command::Price(
        price,
        PriceCommand::List(PriceListed { price, symbol, hearers: vec![EntityId::Market(market)] }),
    ));
}
