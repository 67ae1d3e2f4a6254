//! Rules of stocks by naive ones: steps, fees, splits, dividends, calendars, snapshots. Worked numbers: `engine/core/tests/vectors.rs`.

use super::calendar::{Calendar, CalendarCommand, CalendarParams, Phase, Session};
use super::facts::{Action, ActionApplied, CalendarSet, SessionChanged, StockFact};
use super::*;
use crate::account::facts::{GrantItem, GrantKind, Granted};
use crate::account::{Account, AccountCommand, StockCommand};
use crate::board::Board;
use crate::codec::{Reader, Wire};
use crate::entity::{Applied, Ctx, Decision, Entity, TimeNs};
use crate::ids::{AccountId, EntityId, OrderId, PriceId, Wallet};
use crate::journal::Lsn;
use crate::market::{LevelFees, MarketState, OrderKind, OrderStatus, Side, Stp, Tif};
use crate::money::{FeePpm, Lots, Ticks};
use crate::price::facts::{PriceKind, PriceTicked, SourcePrice};
use crate::record::{Cause, Fact, Origin, Record, Role};
use crate::spot::facts::{OrderPlaced, SpotFact};
use crate::spot::old_forms::MarketParamsV1;
use crate::spot::{Market, MarketCommand, MarketParams, NewOrder, QuoteLevel, Terms};
use proptest::prelude::*;
use std::str::FromStr;

const M: MarketId = MarketId(384);
const QUOTE: AssetId = AssetId(5);
const CALENDAR: CalendarId = CalendarId(1);
const ALICE: AccountId = AccountId(200_001);
const BOB: AccountId = AccountId(200_002);
const MS: u64 = 1_000_000;
const HOUR: u64 = 3_600 * 1_000 * MS;

fn amount(text: &str) -> Amount {
    Amount::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A market of stocks with this tick, board lot and fee of takers.
fn params(steps: StepTable, tick: Amount, lot: Amount, taker: u32) -> MarketParams {
    MarketParams {
        market: M,
        version: 0,
        symbol: "TEST".into(),
        base: M.stock_asset().unwrap(),
        quote: QUOTE,
        tick,
        step: lot,
        min_lots: Lots(1),
        max_lots: Lots(1_000_000),
        min_notional: Amount::ZERO,
        band_ppm: 900_000,
        protection_ppm: 50_000,
        max_open_orders: 200,
        fees: vec![LevelFees { maker: FeePpm(200), taker: FeePpm(taker) }],
        stale_after_ms: 0,
        house_quoted: false,
        stock: Some(StockTerms {
            calendar: CALENDAR,
            steps,
            queues: true,
            pause_ppm: 100_000,
            pause_window_ms: 300_000,
            pause_ms: 300_000,
        }),
    }
}

/// A market by itself, told what the cell would tell it.
struct Bench {
    market: Market,
    lsn: Lsn,
    now: TimeNs,
}

impl Bench {
    fn listed(params: MarketParams) -> Bench {
        let mut bench = Bench { market: Market::blank(M), lsn: Lsn::ZERO, now: HOUR };
        bench.run(MarketCommand::List(Box::new(params)));
        bench
    }

    /// In a session that ends in two hours.
    fn open(params: MarketParams) -> Bench {
        let mut bench = Bench::listed(params);
        bench.phase(SessionPhase::Open, 3 * HOUR);
        bench.run(MarketCommand::Timer);
        assert_eq!(bench.market.state().0, MarketState::Trading);
        bench
    }

    fn decide(&self, command: &MarketCommand) -> Decision {
        let ctx =
            Ctx { now: self.now, request: None, origin: Origin::System, others_wait: false, board: Board::nothing() };
        self.market.decide(command, &ctx)
    }

    fn hear(&mut self, decider: EntityId, fact: Fact) -> Fact {
        self.lsn = self.lsn.next();
        let record = Record { time: self.now, decider, cause: Cause::Request, origin: Origin::System, fact };
        self.market.evolve(Applied { lsn: self.lsn, record: &record }, Role::Other);
        record.fact
    }

    fn run(&mut self, command: MarketCommand) -> Fact {
        let decision = self.decide(&command);
        let Decision::Fact(fact) = decision else { panic!("{command:?}: {decision:?}") };
        self.hear(EntityId::Market(M), fact)
    }

    fn refused(&self, command: &MarketCommand) -> Reject {
        let decision = self.decide(command);
        let Decision::Reject(reject) = decision else { panic!("{command:?}: {decision:?}") };
        reject
    }

    fn phase(&mut self, phase: SessionPhase, until: TimeNs) {
        let changed = SessionChanged { calendar: CALENDAR, phase, until, markets: vec![M] };
        self.hear(EntityId::Calendar(CALENDAR), changed.into());
    }

    fn index(&mut self, index: &str) {
        let said = SourcePrice { source: 1, price: amount(index) };
        let (kind, hearers) = (PriceKind::Index, vec![EntityId::Market(M)]);
        let price = PriceId(M.0);
        let ticked = PriceTicked { price, kind, seq: 1, index: said.price, said, sources: vec![said], hearers };
        self.hear(EntityId::Price(price), ticked.into());
    }

    /// An account went through an action with nothing.
    fn applied(&mut self, account: AccountId, action: Action) {
        let zero = Amount::ZERO;
        let (holdings, odd, odd_cash, gross, withheld) = (Vec::new(), zero, zero, zero, zero);
        let applied = ActionApplied { account, action, holdings, odd, odd_cash, gross, withheld };
        self.hear(EntityId::Account(account), applied.into());
    }

    fn order(&self, side: Side, price: Amount, lots: i64, tif: Tif) -> NewOrder {
        let p = self.market.params().unwrap();
        let (ticks, lots) = (Ticks((price.0 / p.tick.0) as i64), Lots(lots));
        let (version, asset, amount) = (p.version, p.locked_asset(side), p.lock(side, ticks, lots));
        NewOrder {
            market: M,
            side,
            kind: OrderKind::Limit,
            tif,
            stp: Stp::ExpireTaker,
            ticks,
            lots,
            budget: Amount::ZERO,
            iceberg: Lots::ZERO,
            client_id: None,
            terms: Terms { version, asset, amount, capped: false },
        }
    }

    fn submit(order: NewOrder, account: AccountId) -> MarketCommand {
        MarketCommand::Submit { order, account, level: 0, held: order.terms.amount, open: 0 }
    }

    fn place(&mut self, account: AccountId, order: NewOrder) -> Fact {
        self.run(Bench::submit(order, account))
    }

    fn placed(&mut self, account: AccountId, order: NewOrder) -> OrderPlaced {
        let fact = self.place(account, order);
        let Fact::Spot(SpotFact::OrderPlaced(placed)) = fact else { panic!("{fact:?}") };
        *placed
    }

    /// Alice buys from Bob.
    fn bought(&mut self, price: Amount, lots: i64) {
        let (sale, purchase) =
            (self.order(Side::Sell, price, lots, Tif::Gtc), self.order(Side::Buy, price, lots, Tif::Gtc));
        self.placed(BOB, sale);
        let placed = self.placed(ALICE, purchase);
        assert_eq!(placed.status, OrderStatus::Filled);
    }
}

/// The table in words of its own: highest price of a band and its step, in thousandths.
fn naive_step(thousandths: i128, halved: bool) -> Option<i128> {
    Some(match thousandths {
        ..=250 => 1,
        251..=500 => 5,
        501..=10_000 if halved => 5,
        501..=20_000 => 10,
        20_001..=50_000 => 20,
        50_001..=100_000 => 50,
        100_001..=200_000 => 100,
        200_001..=500_000 => 200,
        500_001..=1_000_000 => 500,
        1_000_001..=2_000_000 => 1_000,
        2_000_001..=5_000_000 => 2_000,
        5_000_001..=9_995_000 => 5_000,
        _ => return None,
    })
}

/// A calendar of two days of two sessions, from 1 h to 3 h and 4 h to 6 h, and the same 24 h later.
fn two_days() -> CalendarParams {
    let session =
        |open: u64, close: u64, last| Session { open_ms: open * HOUR / MS, close_ms: close * HOUR / MS, last };
    CalendarParams {
        calendar: CALENDAR,
        version: 0,
        name: "HKEX".into(),
        zone: "Asia/Hong_Kong".into(),
        sessions: vec![session(1, 3, false), session(4, 6, true), session(25, 27, false), session(28, 30, true)],
        markets: vec![M],
    }
}

fn decide(calendar: &Calendar, command: &CalendarCommand, now: TimeNs) -> Decision {
    calendar.decide(
        command,
        &Ctx { now, request: None, origin: Origin::System, others_wait: false, board: Board::nothing() },
    )
}

fn told(calendar: &mut Calendar, command: &CalendarCommand, now: TimeNs) -> StockFact {
    let Decision::Fact(fact) = decide(calendar, command, now) else { panic!("{command:?} at {now}") };
    let (decider, cause, origin) = (EntityId::Calendar(CALENDAR), Cause::Request, Origin::System);
    let record = Record { time: now, decider, cause, origin, fact };
    calendar.evolve(Applied { lsn: Lsn(1), record: &record }, Role::Decider);
    let Fact::Stock(fact) = record.fact else { panic!("{record:?}") };
    fact
}

fn set(calendar: &mut Calendar, params: &CalendarParams, now: TimeNs) -> (SessionPhase, u64) {
    let fact = told(calendar, &CalendarCommand::SetParams(Box::new(params.clone())), now);
    let StockFact::CalendarSet(f) = fact else { panic!("{fact:?}") };
    (f.phase, f.until)
}

/// The list from a time on, as whoever makes it anew would have it.
fn from(calendar: &Calendar, now: TimeNs) -> CalendarParams {
    let mut params = calendar.params().unwrap().clone();
    params.sessions.retain(|session| session.close_ms * MS > now);
    params
}

#[test]
fn a_phase_ends_at_its_boundary_and_without_sessions_to_come_at_none() {
    use SessionPhase::{Break, Closed, Open};
    let params = two_days();
    for (now, phase, until) in [
        (0, Closed, HOUR),
        (HOUR - 1, Closed, HOUR),
        (HOUR, Open, 3 * HOUR),
        (3 * HOUR - 1, Open, 3 * HOUR),
        (3 * HOUR, Break, 4 * HOUR),
        (4 * HOUR, Open, 6 * HOUR),
        (6 * HOUR, Closed, 25 * HOUR),
        (27 * HOUR, Break, 28 * HOUR),
        (30 * HOUR, Closed, 0),
        (31 * HOUR, Closed, 0),
    ] {
        assert_eq!(params.phase_at(now), Phase { phase, until }, "at {now}");
    }
    let none = CalendarParams { sessions: Vec::new(), ..params };
    assert_eq!(none.phase_at(5), Phase { phase: Closed, until: 0 });
}

#[test]
fn a_late_timer_goes_through_all_boundaries_in_order() {
    use SessionPhase::{Break, Closed, Open};
    let mut calendar = Calendar::blank(CALENDAR);
    assert!(matches!(decide(&calendar, &CalendarCommand::Timer, HOUR), Decision::Nothing), "it has no sessions");
    assert_eq!(set(&mut calendar, &two_days(), 0), (Closed, HOUR));
    assert!(matches!(decide(&calendar, &CalendarCommand::Timer, HOUR - 1), Decision::Nothing), "it is not due");
    let mut phases = Vec::new();
    while calendar.deadline().is_some() {
        let StockFact::SessionChanged(f) = told(&mut calendar, &CalendarCommand::Timer, 40 * HOUR) else { panic!() };
        assert_eq!((f.calendar, &f.markets[..]), (CALENDAR, &[M][..]));
        phases.push((f.phase, f.until / HOUR));
    }
    let day = |from: u64| [(Open, from + 2), (Break, from + 3), (Open, from + 5)];
    let all: Vec<_> = day(1).into_iter().chain([(Closed, 25)]).chain(day(25)).chain([(Closed, 0)]).collect();
    assert_eq!(phases, all);
    assert!(matches!(decide(&calendar, &CalendarCommand::Timer, 50 * HOUR), Decision::Nothing));
}

#[test]
fn new_sessions_neither_end_a_day_nor_hide_that_one_ended() {
    use SessionPhase::{Break, Closed, Open};
    let at_lunch = || {
        let mut calendar = Calendar::blank(CALENDAR);
        set(&mut calendar, &two_days(), 0);
        told(&mut calendar, &CalendarCommand::Timer, HOUR);
        calendar
    };
    // The morning is left out of a list that is made at lunch, and of one that is made after it.
    let mut calendar = at_lunch();
    told(&mut calendar, &CalendarCommand::Timer, 3 * HOUR);
    for now in [3 * HOUR + 5, 3 * HOUR + 6] {
        let list = from(&calendar, now);
        assert_eq!(set(&mut calendar, &list, now), (Break, 4 * HOUR));
    }
    // The afternoon does not take place.
    let mut list = from(&calendar, 3 * HOUR + 7);
    list.sessions.remove(0);
    assert_eq!(set(&mut calendar, &list, 3 * HOUR + 7), (Closed, 25 * HOUR));
    let list = from(&calendar, 3 * HOUR + 8);
    assert_eq!(set(&mut calendar, &list, 3 * HOUR + 8), (Closed, 25 * HOUR), "and the day does not begin again");
    // The rest of a morning does not take place; the afternoon does.
    let mut calendar = at_lunch();
    let mut list = from(&calendar, 2 * HOUR);
    list.sessions.remove(0);
    assert_eq!(set(&mut calendar, &list, 2 * HOUR), (Break, 4 * HOUR));
    // A boundary that no timer told is told first, whenever the list comes.
    let mut calendar = at_lunch();
    let list = from(&calendar, 26 * HOUR);
    assert_eq!(set(&mut calendar, &list, 26 * HOUR), (Closed, 25 * HOUR));
    told(&mut calendar, &CalendarCommand::Timer, 26 * HOUR);
    assert_eq!(calendar.phase(), Phase { phase: Open, until: 27 * HOUR });
    // Even if the new list goes on with the session that ended there.
    let mut longer = at_lunch();
    let mut list = from(&longer, 2 * HOUR);
    list.sessions[0].close_ms += 1_000;
    list.sessions[0].last = true;
    assert_eq!(set(&mut longer, &list, 3 * HOUR), (Break, 3 * HOUR));
    told(&mut longer, &CalendarCommand::Timer, 3 * HOUR);
    assert_eq!(longer.phase(), Phase { phase: Open, until: 3 * HOUR + 1_000 * MS });
    // At the very end of a day, too.
    told(&mut calendar, &CalendarCommand::Timer, 27 * HOUR);
    told(&mut calendar, &CalendarCommand::Timer, 28 * HOUR);
    let list = from(&calendar, 30 * HOUR);
    assert_eq!(set(&mut calendar, &list, 30 * HOUR), (Closed, 0));
}

#[test]
fn sessions_that_do_not_fit_together_are_refused() {
    let good = two_days();
    assert_eq!(good.check(), Ok(()));
    let with = |change: &dyn Fn(&mut CalendarParams)| {
        let mut params = good.clone();
        change(&mut params);
        params
    };
    for (n, bad) in [
        with(&|p| p.sessions.swap(0, 1)),
        with(&|p| p.sessions[0].close_ms = p.sessions[0].open_ms),
        with(&|p| p.sessions[0].close_ms = p.sessions[1].open_ms),
        with(&|p| p.sessions[3].close_ms = u64::MAX / MS),
        with(&|p| p.markets = vec![MarketId(1)]),
        with(&|p| p.markets = vec![M, M]),
        with(&|p| p.name = String::new()),
        with(&|p| p.zone = "x".repeat(33)),
        with(&|p| p.version = u32::MAX),
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(bad.check(), Err(Reject::BadParameters), "{n}");
    }
    let mut calendar = Calendar::blank(CALENDAR);
    set(&mut calendar, &good, 0);
    let refused = |calendar: &Calendar, params: CalendarParams| {
        let Decision::Reject(reject) = decide(calendar, &CalendarCommand::SetParams(Box::new(params)), 0) else {
            panic!("taken")
        };
        reject
    };
    assert_eq!(refused(&calendar, good.clone()), Reject::AlreadyExists, "another version is in force");
    let other = CalendarParams { version: 1, calendar: CalendarId(2), ..good.clone() };
    assert_eq!(refused(&calendar, other), Reject::BadParameters);
    let fewer = CalendarParams { version: 1, markets: Vec::new(), ..good };
    assert_eq!(refused(&calendar, fewer), Reject::BadParameters, "its market would never close");
}

#[test]
fn a_market_of_stocks_has_its_own_numbers_and_nobody_else_has_them() {
    let good = params(StepTable::Hk2025, Amount(THOUSANDTH), Amount::whole(200), 500);
    assert_eq!(good.check(), Ok(()));
    let terms = good.stock.unwrap();
    let fees = vec![LevelFees { maker: FeePpm(0), taker: FeePpm(LARGEST_FEE_PPM + 1) }];
    for bad in [
        MarketParams { market: MarketId(383), ..good.clone() },
        MarketParams { stock: None, ..good.clone() },
        MarketParams { base: AssetId(10_385), ..good.clone() },
        MarketParams { quote: AssetId(10_385), ..good.clone() },
        MarketParams { fees, ..good.clone() },
        MarketParams { tick: amount("0.01"), ..good.clone() },
        MarketParams { stock: Some(StockTerms { pause_ppm: 0, ..terms }), ..good.clone() },
        MarketParams { stock: Some(StockTerms { pause_ms: 0, ..terms }), ..good.clone() },
    ] {
        assert_eq!(bad.check(), Err(Reject::BadParameters), "{bad:?}");
    }
    let pair =
        MarketParams { market: MarketId(1), base: AssetId(1), quote: M.stock_asset().unwrap(), stock: None, ..good };
    assert_eq!(pair.check(), Err(Reject::BadParameters), "a stock changes hands in its own market alone");
    assert_eq!([383, 384, 511, 512].map(|n| MarketId(n).is_stock()), [false, true, true, false]);
    assert_eq!(
        [10_383, 10_384, 10_511, 10_512].map(|n| AssetId(n).stock_market().is_some()),
        [false, true, true, false]
    );
    assert_eq!(AssetId(5).stock_market(), None);
}

#[test]
fn a_price_that_is_no_step_is_refused_whoever_names_it() {
    let mut bench = Bench::open(params(StepTable::Hk2025, Amount(THOUSANDTH), Amount::whole(100), 500));
    let wrong = bench.order(Side::Buy, amount("33.35"), 1, Tif::Gtc);
    assert_eq!(bench.refused(&Bench::submit(wrong, ALICE)), Reject::BadStep);
    bench.index("33");
    let level = QuoteLevel { side: Side::Buy, ticks: wrong.ticks, lots: Lots(1) };
    let held = (Amount::ZERO, Amount::whole(100_000));
    let quote =
        |level| MarketCommand::Quote { account: AccountId::HOUSE, level: 0, levels: vec![level], held, version: 0 };
    assert_eq!(bench.refused(&quote(level)), Reject::BadStep);
    bench.run(quote(QuoteLevel { ticks: Ticks(33_340), ..level }));
    let other = StockTerms { calendar: CalendarId(2), ..bench.market.params().unwrap().stock.unwrap() };
    let params = MarketParams { stock: Some(other), ..bench.market.params().unwrap().clone() };
    assert_eq!(
        bench.refused(&MarketCommand::ChangeParams(Box::new(params))),
        Reject::BadParameters,
        "its calendar stays"
    );
}

#[test]
fn a_market_that_needs_no_index_opens_by_its_timer_and_hears_its_own_calendar_alone() {
    let mut bench = Bench::listed(params(StepTable::Flat, amount("0.01"), Amount::whole(1), 500));
    assert_eq!(bench.market.deadline(), None);
    let changed =
        SessionChanged { calendar: CalendarId(2), phase: SessionPhase::Open, until: 3 * HOUR, markets: vec![M] };
    bench.hear(EntityId::Calendar(CalendarId(2)), changed.into());
    assert_eq!(bench.market.deadline(), None);
    bench.phase(SessionPhase::Open, 3 * HOUR);
    assert!(bench.market.deadline().is_some());
    bench.run(MarketCommand::Timer);
    assert_eq!(bench.market.state().0, MarketState::Trading);
}

/// A market with an order of everything that its state has: rests, waits, queued, of a day, of a day that is over, moves,
/// holders, an action under way.
fn busy() -> Bench {
    let mut bench = Bench::open(params(StepTable::Flat, amount("0.01"), Amount::whole(1), 500));
    bench.index("10");
    bench.bought(amount("10"), 5);
    let day = bench.order(Side::Buy, amount("9"), 2, Tif::Day);
    bench.placed(ALICE, day);
    bench.index("10.2");
    bench.phase(SessionPhase::Closed, 9 * HOUR);
    bench.run(MarketCommand::Timer);
    for (who, tif) in [(BOB, Tif::Gtc), (ALICE, Tif::Day)] {
        let waits = bench.order(Side::Buy, amount("9.5"), 3, tif);
        bench.place(who, waits);
    }
    bench
}

fn copied(market: &Market) -> Market {
    let mut bytes = Vec::new();
    market.save(&mut bytes);
    let copy = Market::load(M, &mut Reader::new(&bytes)).unwrap();
    let mut again = Vec::new();
    copy.save(&mut again);
    assert_eq!((bytes, market.digest()), (again, copy.digest()));
    assert_eq!(market.deadline(), copy.deadline());
    copy
}

#[test]
fn a_market_of_stocks_and_a_calendar_are_read_back_as_they_were_saved() {
    let mut bench = busy();
    let mut digests = vec![bench.market.digest()];
    let copy = copied(&bench.market);
    let queue: Vec<(OrderId, Tif)> = copy.queue().map(|w| (w.order, w.tif)).collect();
    assert_eq!(queue.iter().map(|(_, tif)| *tif).collect::<Vec<_>>(), [Tif::Gtc, Tif::Day]);
    // All steps of an action: orders leave, one holder after the other is asked.
    bench.run(MarketCommand::SetAction { id: 3, kind: ActionKind::Split { new: 2, old: 1 } });
    let (mut asked, mut done) = (0, false);
    while !done {
        bench.market = copied(&bench.market);
        digests.push(bench.market.digest());
        match bench.decide(&MarketCommand::Timer) {
            Decision::Fact(fact) => {
                done = matches!(&fact, Fact::Stock(StockFact::ActionDone(_)));
                bench.hear(EntityId::Market(M), fact);
            }
            Decision::Ask(ask) => {
                let crate::entity::Command::Account(id, AccountCommand::Stock(command)) = ask.command else { panic!() };
                let StockCommand::Apply { action, .. } = command;
                asked += 1;
                bench.applied(id, action);
            }
            unexpected @ (Decision::Reply(_) | Decision::Reject(_) | Decision::Nothing) => panic!("{unexpected:?}"),
        }
    }
    assert_eq!(asked, 1, "Alice alone bought");
    assert_eq!(bench.market.queue().count() + bench.market.book().0.all().count(), 0);
    let all = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), all, "each step is another state");
    let mut calendar = Calendar::blank(CALENDAR);
    set(&mut calendar, &two_days(), 2 * HOUR);
    let mut bytes = Vec::new();
    calendar.save(&mut bytes);
    let copy = Calendar::load(CALENDAR, &mut Reader::new(&bytes)).unwrap();
    assert_eq!((copy.params(), copy.phase(), copy.digest()), (calendar.params(), calendar.phase(), calendar.digest()));
}

#[test]
fn who_is_given_shares_while_an_action_is_in_force_goes_through_it_once() {
    let mut bench = busy();
    bench.run(MarketCommand::SetAction { id: 1, kind: ActionKind::Split { new: 2, old: 1 } });
    let given = |account: AccountId| {
        let item = GrantItem { wallet: Wallet::Spot, asset: M.stock_asset().unwrap(), amount: Amount::whole(1) };
        Fact::from(Granted { account, kind: GrantKind::Correction, items: vec![item] })
    };
    let next = |bench: &Bench| {
        let Decision::Ask(ask) = bench.decide(&MarketCommand::Timer) else { return None };
        let crate::entity::Command::Account(id, _) = ask.command else { panic!("{ask:?}") };
        Some(id)
    };
    while next(&bench).is_none() {
        bench.run(MarketCommand::Timer);
    }
    let action = action(1, ActionKind::Split { new: 2, old: 1 });
    assert_eq!(next(&bench), Some(ALICE));
    bench.applied(ALICE, action);
    // Alice went through it with nothing, and is not asked again; Bob comes to it.
    for who in [ALICE, BOB, BOB] {
        bench.hear(EntityId::Account(who), given(who));
    }
    assert_eq!(next(&bench), Some(BOB));
    bench.applied(BOB, action);
    assert!(matches!(bench.run(MarketCommand::Timer), Fact::Stock(StockFact::ActionDone(_))));
    // The next one asks Alice, who was given some after she went through the first; Bob had none left.
    bench.run(MarketCommand::SetAction { id: 2, kind: ActionKind::Split { new: 2, old: 1 } });
    bench.run(MarketCommand::Timer);
    assert_eq!(next(&bench), Some(ALICE));
}

fn action(id: u32, kind: ActionKind) -> Action {
    Action { market: M, asset: M.stock_asset().unwrap(), quote: QUOTE, id, kind }
}

#[test]
fn parameters_of_before_there_were_stocks_are_read() {
    let spot =
        MarketParams { market: MarketId(1), base: AssetId(1), stock: None, ..busy().market.params().unwrap().clone() };
    let mut bytes = Vec::new();
    spot.put(&mut bytes);
    // The last byte says that there are no terms of stocks.
    assert_eq!(bytes.pop(), Some(0));
    let old = MarketParams::from(MarketParamsV1::get(&mut Reader::new(&bytes)).unwrap());
    assert_eq!(old, spot);
}

#[test]
fn an_action_begins_outside_of_sessions_however_late_the_timers_are() {
    let split = MarketCommand::SetAction { id: 1, kind: ActionKind::Split { new: 2, old: 1 } };
    let mut bench = busy();
    bench.now = 9 * HOUR;
    assert_eq!(bench.refused(&split), Reject::BadAction, "the session has begun, and no timer told so");
    bench.now = 9 * HOUR - 1;
    let one = MarketCommand::SetAction { id: 0, kind: ActionKind::Split { new: 2, old: 1 } };
    assert_eq!(bench.refused(&one), Reject::AlreadyExists);
    let far = MarketCommand::SetAction { id: 1_001, kind: ActionKind::Split { new: 2, old: 1 } };
    assert_eq!(bench.refused(&far), Reject::BadParameters, "none could follow it");
    for kind in [
        ActionKind::Split { new: 1, old: 1 },
        ActionKind::Split { new: 0, old: 1 },
        ActionKind::Split { new: 10_001, old: 1 },
        ActionKind::Dividend { per_share: Amount::ZERO, withheld_ppm: 0 },
        ActionKind::Dividend { per_share: Amount::whole(1), withheld_ppm: 1_000_001 },
    ] {
        assert_eq!(bench.refused(&MarketCommand::SetAction { id: 1, kind }), Reject::BadParameters);
    }
    assert!(matches!(bench.run(split.clone()), Fact::Stock(StockFact::ActionAnnounced(_))));
    let next = MarketCommand::SetAction { id: 2, kind: ActionKind::Split { new: 2, old: 1 } };
    assert_eq!(bench.refused(&next), Reject::BadAction, "one is under way");
}

#[test]
fn what_a_calendar_says_again_ends_no_day() {
    let mut bench = busy();
    let leaves = |bench: &mut Bench| {
        let decision = bench.decide(&MarketCommand::Timer);
        let Decision::Fact(Fact::Spot(SpotFact::OrdersCanceled(f))) = decision else { panic!("{decision:?}") };
        let orders = f.orders.len();
        bench.hear(EntityId::Market(M), (*f).into());
        orders
    };
    assert_eq!(leaves(&mut bench), 1, "that of the day that ended");
    let set = CalendarSet { params: two_days(), phase: SessionPhase::Closed, until: 9 * HOUR };
    bench.hear(EntityId::Calendar(CALENDAR), set.into());
    assert!(
        matches!(bench.decide(&MarketCommand::Timer), Decision::Nothing),
        "the day of those that wait has not begun"
    );
    assert_eq!(bench.market.queue().count(), 2);
}

#[test]
fn nothing_is_matched_before_the_orders_of_a_day_that_is_over_are_gone() {
    let mut bench = busy();
    // The next session begins before the timer of the market ran.
    (bench.now, _) = (9 * HOUR, bench.phase(SessionPhase::Open, 11 * HOUR));
    let meets = bench.order(Side::Sell, amount("9"), 2, Tif::Ioc);
    assert_eq!(bench.refused(&Bench::submit(meets, BOB)), Reject::MarketClosed);
    assert!(matches!(bench.run(MarketCommand::Timer), Fact::Spot(SpotFact::OrdersCanceled(_))));
    assert!(matches!(bench.run(MarketCommand::Timer), Fact::Spot(SpotFact::MarketStateChanged(_))));
    // Those of the queue are placed; the one of yesterday is not there any more.
    for _ in 0..2 {
        assert!(matches!(bench.run(MarketCommand::Timer), Fact::Spot(SpotFact::OrdersChanged(_))));
    }
    let placed = bench.placed(AccountId(200_003), meets);
    assert_eq!((placed.filled(), placed.trades[0].ticks), (Lots(2), Ticks(950)));
}

#[test]
fn an_operators_halt_takes_nothing_into_the_queue() {
    let mut bench = busy();
    (bench.now, _) = (9 * HOUR, bench.phase(SessionPhase::Open, 11 * HOUR));
    bench.run(MarketCommand::SetState(MarketState::Halt));
    bench.run(MarketCommand::Timer);
    let order = bench.order(Side::Buy, amount("9"), 2, Tif::Gtc);
    assert_eq!(bench.refused(&Bench::submit(order, BOB)), Reject::MarketClosed);
}

/// An account with shares in some wallets.
fn holder(held: &[(Wallet, i128)]) -> Account {
    let mut account = Account::blank(ALICE);
    let asset = M.stock_asset().unwrap();
    let items = held.iter().map(|(wallet, amount)| GrantItem { wallet: *wallet, asset, amount: Amount(*amount) });
    let granted = Granted { account: ALICE, kind: GrantKind::Correction, items: items.collect() };
    apply(&mut account, granted.into());
    account
}

fn apply(account: &mut Account, fact: Fact) {
    let (decider, cause, origin) = (EntityId::Account(ALICE), Cause::Request, Origin::System);
    let record = Record { time: 1, decider, cause, origin, fact };
    account.evolve(Applied { lsn: Lsn(1), record: &record }, Role::Decider);
}

fn ask(account: &Account, command: StockCommand) -> Decision {
    let ctx = Ctx { now: 2, request: None, origin: Origin::System, others_wait: false, board: Board::nothing() };
    account.decide(&AccountCommand::Stock(command), &ctx)
}

fn naive(n: i128, d: i128) -> i128 {
    (2 * n + d) / (2 * d)
}

proptest! {
    #[test]
    fn steps_are_those_of_the_table(thousandths in 1_i128..12_000_000, beyond in prop::bool::weighted(0.2)) {
        // On the grid of thousandths, and between two of them.
        let price = Amount(thousandths * THOUSANDTH + i128::from(beyond));
        let upto = thousandths + i128::from(beyond);
        for (table, halved) in [(StepTable::Hk2025, false), (StepTable::Hk2026, true)] {
            let step = naive_step(upto, halved);
            prop_assert_eq!(table.step(price, Amount(THOUSANDTH)), step.map(|step| Amount(step * THOUSANDTH)));
            let takes = step.is_some_and(|step| !beyond && thousandths % step == 0);
            prop_assert_eq!(table.takes(price, Amount(THOUSANDTH)), takes);
        }
    }

    #[test]
    fn what_is_locked_pays_for_any_fills(
        ticks in 1_i64..200_000, step in 1_i128..2_000, taker in 0_u32..=1_000, maker in 0_u32..=1_000,
        better in prop::collection::vec((0_i64..1_000, 1_i64..50, any::<bool>()), 1..8), rest in 0_i64..50,
    ) {
        let p = params(StepTable::Flat, Amount(1_000), Amount(step * ONE / 1_000), 0);
        let units = p.units();
        let lots = better.iter().map(|(_, lots, _)| lots).sum::<i64>() + rest;
        let mut left = units.lock(Side::Buy, Ticks(ticks), Lots(lots)).1;
        for (off, lots, comes_in) in better {
            // Who comes in pays a better price; who rested pays its own, out of what it locked.
            let at = if comes_in { Ticks((ticks - off).max(1)) } else { Ticks(ticks) };
            let cost = units.notional(at, Lots(lots));
            let rate = if comes_in { taker } else { maker };
            let fee = FeePpm(rate).of(cost);
            prop_assert!(fee <= fee_at_most(cost, rate));
            left -= cost + fee;
        }
        prop_assert!(left >= units.lock(Side::Buy, Ticks(ticks), Lots(rest)).1, "{} is left", left);
    }

    #[test]
    fn an_action_gives_each_wallet_its_part_and_leaves_whole_board_lots(
        new in 1_u32..=30, old in 1_u32..=30, lot in 1_i64..=500, price in 1_i128..1_000_000_000_000,
        held in prop::collection::vec(0_i128..10_000_000_000_000, 5), withheld_ppm in 0_u32..=1_000_000,
    ) {
        let wallets = [Wallet::Spot, Wallet::Funding, Wallet::Futures, Wallet::Options, Wallet::Earn];
        let held: Vec<(Wallet, i128)> = wallets.into_iter().zip(held).filter(|(_, held)| *held > 0).collect();
        let before: i128 = held.iter().map(|(_, held)| held).sum();
        let mut account = if held.is_empty() { Account::blank(ALICE) } else { holder(&held) };
        let (board_lot, odd_price) = (Amount::whole(lot), Amount(price));
        let ask_for = |account: &Account, action| match ask(account, StockCommand::Apply { action, board_lot, odd_price }) {
            Decision::Fact(Fact::Stock(StockFact::ActionApplied(f))) => Ok(*f),
            Decision::Reject(reject) => Err(reject),
            unexpected @ (Decision::Fact(_) | Decision::Ask(_) | Decision::Reply(_) | Decision::Nothing) => {
                panic!("{unexpected:?}")
            }
        };
        let dividend = action(1, ActionKind::Dividend { per_share: odd_price, withheld_ppm });
        let f = ask_for(&account, dividend).unwrap();
        let gross = naive(before * price, ONE);
        prop_assert_eq!((f.gross.0, f.withheld.0, f.odd), (gross, naive(gross * i128::from(withheld_ppm), 1_000_000), Amount::ZERO));
        prop_assert!(f.holdings.iter().all(|h| h.before == h.after));
        apply(&mut account, f.into());
        prop_assert_eq!(ask_for(&account, dividend), Err(Reject::AlreadyExists));
        let split = action(2, ActionKind::Split { new, old });
        let f = ask_for(&account, split).unwrap();
        let parts: i128 = held.iter().map(|(_, held)| naive(held * i128::from(new), old.into())).sum();
        let after: i128 = f.holdings.iter().map(|h| h.after.0).sum();
        prop_assert_eq!((after % board_lot.0, after + f.odd.0), (0, parts));
        prop_assert!(f.odd.0 < board_lot.0 && f.holdings.iter().all(|h| h.after >= Amount::ZERO));
        prop_assert_eq!(f.odd_cash.0, naive(f.odd.0 * price, ONE));
        // The issuer has the other side of everything.
        let mut sums = std::collections::BTreeMap::<(Wallet, AssetId), i128>::new();
        for role in [Role::Decider, Role::Other] {
            Fact::from(f.clone()).postings(role, |p| *sums.entry((p.wallet, p.asset)).or_default() += p.available.0);
        }
        prop_assert!(sums.values().all(|sum| *sum == 0));
        apply(&mut account, f.into());
        let has: i128 = account.balances().iter().filter(|b| b.asset == split.asset).map(|b| b.available.0).sum();
        prop_assert_eq!(has, after);
        prop_assert_eq!(ask_for(&account, split), Err(Reject::AlreadyExists));
        prop_assert_eq!(ask_for(&account, dividend), Err(Reject::AlreadyExists));
        let mut bytes = Vec::new();
        account.save(&mut bytes);
        let copy = Account::load(ALICE, &mut Reader::new(&bytes)).unwrap();
        prop_assert_eq!(copy.digest(), account.digest());
        prop_assert_eq!(ask_for(&copy, split), Err(Reject::AlreadyExists));
    }
}
