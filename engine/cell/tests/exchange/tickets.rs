//! Tickets through the cell: the worked numbers of `docs/rules/contracts.md`, alarms, stale prices, a start anew.

use crate::properties::Dice;
use crate::support::{BTC, Exchange, TestCell, USDT, btc_usdt, market};
use xng_cell::auditor::Auditor;
use xng_cell::clock::ManualClock;
use xng_cell::{Cell, Plain, World};
use xng_core::account::facts::{GrantItem, GrantKind};
use xng_core::account::{AccountCommand, OpenTicket, Ticket, TicketCommand};
use xng_core::board::Board;
use xng_core::contract::ContractCommand;
use xng_core::contract::brackets::{Bracket, Brackets};
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::leg::Direction;
use xng_core::contract::params::{ContractParams, TicketParams};
use xng_core::contract::ticket_facts::{CloseReason, ClosedTicket};
use xng_core::contract::tickets::{Stops, TicketId};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, EntityId, MarketId, PriceId, RequestKey, Wallet};
use xng_core::money::{Amount, FeePpm, Lots};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;
use xng_core::spot::{MarketState, StateReason};

pub(crate) const C: MarketId = MarketId(512);
pub(crate) const ALICE: AccountId = AccountId(100_001);
pub(crate) const BOB: AccountId = AccountId(100_002);

/// BTC as the worked numbers have it: lots of 0.01, spread 0.02 %, fee 0.05 %.
pub(crate) fn btc_contract() -> ContractParams {
    let bracket = |ceiling, max_multiple, rate_ppm| Bracket { ceiling: Amount::whole(ceiling), max_multiple, rate_ppm };
    ContractParams {
        contract: C,
        version: 0,
        symbol: "BTCUSDT".into(),
        base: BTC,
        settle: USDT,
        price: PriceId(1),
        tick: "0.01".parse().unwrap(),
        lot: "0.01".parse().unwrap(),
        brackets: Brackets { list: vec![bracket(300_000, 100, 4_000), bracket(1_000_000, 75, 6_000)] },
        mark_band_ppm: 10_000,
        stale_after_ms: 5_000,
        insurance_ppm: 100_000,
        tickets: TicketParams {
            spread_ppm: 200,
            fees: vec![FeePpm(500)],
            overnight_ppm: 300,
            multiples: vec![10, 20, 50, 100],
            lots: (Lots(1), Lots(1_000)),
            account_cap: Amount::whole(600_000),
            house_caps: (Lots(3_000), Lots(5_000)),
        },
    }
}

/// Lists the contract and lets it hear the index of the first market.
pub(crate) fn list(x: &mut Exchange, params: ContractParams) {
    let (contract, price) = (params.contract, params.price);
    x.ok(Command::Contract(contract, ContractCommand::List(Box::new(params))));
    let hearers = vec![EntityId::Market(MarketId(1)), EntityId::Contract(contract)];
    let listed = PriceListed { price, symbol: "M1".into(), hearers };
    x.ok(Command::Price(price, PriceCommand::List(listed)));
}

pub(crate) fn index(x: &mut Exchange, price: &str) {
    let said = SourcePrice { source: 1, price: price.parse().unwrap() };
    x.ok(Command::Price(PriceId(1), PriceCommand::Push(said)));
}

pub(crate) fn fund(x: &mut Exchange, who: AccountId, amount: &str) {
    let item = GrantItem { wallet: Wallet::Futures, asset: USDT, amount: amount.parse().unwrap() };
    x.ok(Command::Account(who, AccountCommand::Grant { kind: GrantKind::Correction, items: vec![item] }));
}

pub(crate) fn at(price: &str) -> Exchange {
    let mut x = Exchange::new(&[btc_usdt()]);
    list(&mut x, btc_contract());
    fund(&mut x, ALICE, "100");
    fund(&mut x, BOB, "100000");
    index(&mut x, price);
    x
}

pub(crate) fn wanted(direction: Direction, lots: i64, multiple: u16) -> OpenTicket {
    let (contract, version, mode, target, stops) = (C, 0, MarginMode::Isolated, None, Stops::default());
    OpenTicket { contract, version, direction, mode, lots: Lots(lots * 100), multiple, target, stops }
}

pub(crate) fn send(x: &mut Exchange, who: AccountId, command: TicketCommand) -> Reply {
    x.send(None, Command::Account(who, AccountCommand::Tickets(command)))
}

pub(crate) fn open(x: &mut Exchange, who: AccountId, ticket: OpenTicket) -> TicketId {
    match send(x, who, TicketCommand::Open(ticket)) {
        Reply::Accepted(Accepted::Ticket(id)) => id,
        other => panic!("{ticket:?}: {other:?}"),
    }
}

pub(crate) fn refused(x: &mut Exchange, who: AccountId, command: TicketCommand) -> Reject {
    match send(x, who, command) {
        Reply::Rejected(reject) => reject,
        other => panic!("{command:?}: {other:?}"),
    }
}

pub(crate) fn futures(x: &Exchange, who: AccountId) -> (String, String) {
    let b = x.cell.world().accounts().get(who).map(|a| a.balance(Wallet::Futures, USDT)).unwrap();
    (b.available.to_string(), b.locked.to_string())
}

pub(crate) fn available(x: &Exchange, who: AccountId) -> String {
    futures(x, who).0
}

pub(crate) fn tickets(x: &Exchange, who: AccountId) -> Vec<Ticket> {
    x.cell.world().accounts().get(who).unwrap().tickets().to_vec()
}

/// All tickets that were ever closed, with their owners.
pub(crate) fn closed(x: &Exchange) -> Vec<(AccountId, ClosedTicket)> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    let moved = facts.filter_map(|fact| match fact {
        Fact::Contract(ContractFact::TicketsMoved(f)) => Some(*f),
        _ => None,
    });
    moved.flat_map(|f| f.closed.into_iter().map(move |closed| (f.account, closed))).collect()
}

/// Reads all records with the auditor, which must agree with the engine.
pub(crate) fn audit(x: &Exchange) {
    let mut auditor = Auditor::default();
    for (lsn, bytes) in x.journal.records() {
        auditor.read(lsn, &Record::decode(&bytes).unwrap()).unwrap();
    }
    auditor.agrees(x.cell.world()).unwrap();
    auditor.nobody_is_due().unwrap();
}

fn state(x: &Exchange) -> (MarketState, StateReason) {
    x.cell.world().contracts().get(C).unwrap().state()
}

/// Another process goes on from the journal.
pub(crate) fn start_anew(x: &Exchange) -> TestCell {
    let mut world: World<Plain> = World::default();
    for (lsn, bytes) in x.journal.records() {
        world.fold(lsn, &bytes).unwrap();
    }
    Cell::new(world, x.journal.clone(), ManualClock(x.cell.latest() + 1))
}

/// A life in which every fact of contracts happens; a ticket stays open.
pub(crate) fn every_fact(x: &mut Exchange) {
    list(x, btc_contract());
    fund(x, ALICE, "100");
    fund(x, BOB, "100000");
    let params = Box::new(ContractParams { insurance_ppm: 110_000, ..btc_contract() });
    x.ok(Command::Contract(C, ContractCommand::ChangeParams(params)));
    for state in [MarketState::Halt, MarketState::Trading] {
        x.ok(Command::Contract(C, ContractCommand::SetState(state)));
    }
    index(x, "50000");
    let made = |direction, lots, multiple| OpenTicket { version: 1, ..wanted(direction, lots, multiple) };
    for direction in [Direction::Long, Direction::Short, Direction::Short] {
        open(x, BOB, made(direction, 10, 100));
    }
    let waits = |target: &str| OpenTicket { target: Some(target.parse().unwrap()), ..made(Direction::Long, 10, 100) };
    let [first, _] = ["49000", "49990"].map(|target| open(x, BOB, waits(target)));
    send(x, BOB, TicketCommand::Cancel(first));
    let pooled = open(x, ALICE, OpenTicket { mode: MarginMode::Cross, ..made(Direction::Short, 10, 100) });
    let stops = Stops { take_profit: Some("49000".parse().unwrap()), stop_loss: None };
    send(x, ALICE, TicketCommand::SetStops { ticket: pooled, stops });
    index(x, "49990");
    send(x, BOB, TicketCommand::CloseAll { contract: None, direction: Some(Direction::Long) });
    index(x, "50251");
    index(x, "50450");
    index(x, "52000");
    open(x, BOB, made(Direction::Long, 1, 10));
    x.cell.clock().0 += 86_400_000_000_000;
    x.run();
}

/// A command about tickets by chance.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> Command {
    let direction = dice.pick(&[Direction::Long, Direction::Short]);
    let own = x.cell.world().accounts().get(account).and_then(|a| a.tickets().first()).map(Ticket::id);
    let own = own.unwrap_or(TicketId(dice.below(100)));
    let price = |dice: &mut Dice| (dice.below(3) == 0).then(|| Amount::whole(3 + dice.below(5) as i64));
    let mode = dice.pick(&[MarginMode::Isolated, MarginMode::Cross]);
    let stops = Stops { take_profit: price(dice), stop_loss: price(dice) };
    let command = match dice.below(8) {
        0 => TicketCommand::CloseAll { contract: None, direction: Some(direction) },
        1 => TicketCommand::Close(own),
        2 => TicketCommand::Cancel(own),
        3 => TicketCommand::SetStops { ticket: own, stops },
        _ => {
            let lots = 1 + dice.below(200) as i64;
            let plain = wanted(direction, lots, dice.pick(&[10, 50, 100]));
            TicketCommand::Open(OpenTicket { mode, target: price(dice), stops, ..plain })
        }
    };
    Command::Account(account, AccountCommand::Tickets(command))
}

#[test]
fn a_ticket_is_opened_and_closed_as_the_worked_numbers_say() {
    let mut x = at("50000");
    let id = open(&mut x, ALICE, wanted(Direction::Long, 10, 100));
    let ticket = tickets(&x, ALICE)[0];
    let shown = [ticket.terms.price, ticket.terms.base, ticket.margin, ticket.terms.fee].map(|a| a.to_string());
    assert_eq!(shown, ["50010", "0.1", "50.01", "2.5005"], "L1");
    assert_eq!(futures(&x, ALICE), ("47.4895".into(), "50.01".into()));
    assert_eq!(ticket.liquidation_index(btc_contract().tick).unwrap().to_string(), "49759.95", "L6");
    assert_eq!(
        (available(&x, AccountId::FEE), available(&x, AccountId::INSURANCE)),
        ("2.25045".into(), "0.25005".into())
    );
    assert_eq!(x.cell.world().contracts().get(C).unwrap().tickets(), (Lots(1_000), Lots(0)));
    index(&mut x, "50500");
    send(&mut x, ALICE, TicketCommand::Close(id));
    assert_eq!(futures(&x, ALICE), ("146.4995".into(), "0".into()), "L2: 99.01 comes back");
    assert_eq!(available(&x, AccountId::LEVER_HOUSE), "-49");
    assert_eq!(refused(&mut x, ALICE, TicketCommand::Close(id)), Reject::UnknownTicket);
    audit(&x);
}

#[test]
fn a_ticket_is_liquidated_at_its_price_and_not_before() {
    let mut x = at("50000");
    open(&mut x, ALICE, wanted(Direction::Long, 10, 100));
    let bobs = open(&mut x, BOB, wanted(Direction::Long, 10, 10));
    index(&mut x, "49759.96");
    assert_eq!((tickets(&x, ALICE).len(), closed(&x).len()), (1, 0));
    index(&mut x, "49759.95");
    assert_eq!(tickets(&x, ALICE), [], "L6");
    let found = closed(&x);
    assert_eq!((found.len(), found[0].0, found[0].1.reason), (1, ALICE, CloseReason::Liquidation));
    assert_eq!(futures(&x, ALICE), ("72.4945".into(), "0".into()), "half of its margin is left");
    assert_eq!(tickets(&x, BOB)[0].id(), bobs);
    audit(&x);
}

#[test]
fn a_gap_takes_the_margin_and_no_more() {
    let mut x = at("50000");
    open(&mut x, ALICE, wanted(Direction::Short, 10, 100));
    let before = available(&x, ALICE);
    index(&mut x, "52000");
    assert_eq!(futures(&x, ALICE), (before, "0".into()));
    let deal = closed(&x)[0].1;
    assert_eq!((deal.result.to_string(), deal.credit.to_string()), ("-201".into(), "0".into()));
    assert_eq!(deal.deficit.to_string(), "151.01");
    // The insurance has a tenth of the fee, and pays it.
    assert_eq!(available(&x, AccountId::INSURANCE), "0");
    assert_eq!(available(&x, AccountId::LEVER_HOUSE), "50.23995", "the house gets the margin and that");
    audit(&x);
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let mut x = at("50000");
    let long = |lots, multiple| wanted(Direction::Long, lots, multiple);
    let open_of = |ticket| TicketCommand::Open(ticket);
    for (ticket, reject) in [
        (long(0, 100), Reject::BelowMinAmount),
        (OpenTicket { lots: Lots(150), ..long(1, 100) }, Reject::BelowMinAmount),
        (long(1_001, 100), Reject::AboveMaxAmount),
        (long(1, 33), Reject::BadMultiple),
        (long(1_000, 100), Reject::BadMultiple),
        (OpenTicket { version: 7, ..long(1, 100) }, Reject::StaleTerms),
        (OpenTicket { contract: MarketId(600), ..long(1, 100) }, Reject::UnknownMarket),
        (long(20, 100), Reject::InsufficientBalance),
    ] {
        assert_eq!(refused(&mut x, ALICE, open_of(ticket)), reject, "{ticket:?}");
    }
    assert_eq!(refused(&mut x, AccountId::FEE, open_of(long(1, 10))), Reject::NotAllowed);
    assert_eq!(
        refused(&mut x, ALICE, TicketCommand::CloseAll { contract: None, direction: None }),
        Reject::UnknownTicket
    );
    assert_eq!(futures(&x, ALICE), ("100".into(), "0".into()));
    audit(&x);
}

#[test]
fn the_caps_of_account_and_house_hold() {
    let mut x = at("50000");
    fund(&mut x, BOB, "1000000");
    for _ in 0..2 {
        open(&mut x, BOB, wanted(Direction::Long, 500, 50));
    }
    let more = TicketCommand::Open(wanted(Direction::Long, 250, 50));
    assert_eq!(refused(&mut x, BOB, more), Reject::ExposureFull, "600,000 of one account");
    let mut others = 0;
    let refusal = loop {
        let who = AccountId(100_010 + others);
        fund(&mut x, who, "100000");
        match send(&mut x, who, TicketCommand::Open(wanted(Direction::Long, 1_000, 50))) {
            Reply::Accepted(_) => others += 1,
            Reply::Rejected(reject) => break reject,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((others, refusal), (2, Reject::ExposureFull), "3,000 lots more on one side");
    open(&mut x, AccountId(100_010 + others), wanted(Direction::Short, 1_000, 50));
    // Both sides are farther apart than a smaller cap lets them: who brings them nearer may still come.
    let few = TicketParams { house_caps: (Lots(100), Lots(5_000)), ..btc_contract().tickets };
    let params = ContractParams { tickets: few, ..btc_contract() };
    x.ok(Command::Contract(C, ContractCommand::ChangeParams(Box::new(params))));
    let made = |direction| OpenTicket { version: 1, ..wanted(direction, 10, 50) };
    assert_eq!(refused(&mut x, BOB, TicketCommand::Open(made(Direction::Long))), Reject::ExposureFull);
    open(&mut x, AccountId(100_010), made(Direction::Short));
    audit(&x);
}

#[test]
fn nothing_happens_at_a_stale_index() {
    let mut x = at("50000");
    let id = open(&mut x, ALICE, wanted(Direction::Long, 10, 100));
    x.cell.clock().0 += 5_100_000_000;
    assert_eq!(refused(&mut x, ALICE, TicketCommand::Close(id)), Reject::PriceStale);
    let another = TicketCommand::Open(wanted(Direction::Short, 1, 100));
    assert_eq!(refused(&mut x, BOB, another), Reject::PriceStale);
    x.run();
    assert_eq!(closed(&x).len(), 0);
    index(&mut x, "50001");
    send(&mut x, ALICE, TicketCommand::Close(id));
    assert_eq!(closed(&x).len(), 1, "a fresh tick opens it again");
}

#[test]
fn after_a_start_the_first_fresh_tick_liquidates_what_is_due() {
    let mut x = at("50000");
    open(&mut x, ALICE, wanted(Direction::Long, 10, 100));
    x.cell = start_anew(&x);
    x.run();
    assert_eq!(state(&x), (MarketState::CancelOnly, StateReason::Recovery));
    assert_eq!(refused(&mut x, ALICE, TicketCommand::CloseAll { contract: None, direction: None }), Reject::PriceStale);
    assert_eq!(tickets(&x, ALICE).len(), 1);
    index(&mut x, "49700");
    assert_eq!((tickets(&x, ALICE).len(), closed(&x).len()), (0, 1));
    assert_eq!(state(&x), (MarketState::Trading, StateReason::Fresh));
    audit(&x);
}

#[test]
fn an_operator_closes_a_contract_and_the_next_tick_opens_it() {
    let mut x = at("50000");
    let id = open(&mut x, ALICE, wanted(Direction::Long, 10, 100));
    let set = |state| Command::Contract(C, ContractCommand::SetState(state));
    x.ok(set(MarketState::Halt));
    index(&mut x, "49000");
    assert_eq!(refused(&mut x, ALICE, TicketCommand::Close(id)), Reject::PriceStale);
    assert_eq!(closed(&x).len(), 0, "nothing is liquidated while it is halted");
    x.cell.clock().0 += 6_000_000_000;
    x.ok(set(MarketState::Trading));
    assert_eq!(state(&x).0, MarketState::CancelOnly, "what was heard meanwhile is old");
    index(&mut x, "49900");
    assert_eq!((tickets(&x, ALICE).len(), state(&x).0), (1, MarketState::Trading));
    audit(&x);
}

#[test]
fn a_repeated_request_opens_one_ticket() {
    let mut x = at("50000");
    let key = Some(RequestKey { key: 7, body: 1 });
    let command =
        || Command::Account(BOB, AccountCommand::Tickets(TicketCommand::Open(wanted(Direction::Long, 1, 10))));
    let Reply::Accepted(first) = x.send(key, command()) else { panic!("opened") };
    let Reply::Known(again) = x.send(key, command()) else { panic!("known") };
    assert_eq!((first, tickets(&x, BOB).len()), (again, 1));
}

#[test]
fn all_of_one_direction_are_closed_in_one_record() {
    let mut x = at("50000");
    for direction in [Direction::Long, Direction::Short, Direction::Long] {
        open(&mut x, BOB, wanted(direction, 5, 20));
    }
    send(&mut x, BOB, TicketCommand::CloseAll { contract: None, direction: Some(Direction::Long) });
    assert_eq!((closed(&x).len(), tickets(&x, BOB).len()), (2, 1));
    send(&mut x, BOB, TicketCommand::CloseAll { contract: None, direction: None });
    assert_eq!(x.cell.world().contracts().get(C).unwrap().tickets(), (Lots(0), Lots(0)));
    audit(&x);
}

#[test]
fn the_state_is_that_of_a_fold_and_of_a_snapshot() {
    let mut x = at("50000");
    open(&mut x, ALICE, wanted(Direction::Long, 10, 100));
    open(&mut x, BOB, wanted(Direction::Short, 10, 100));
    index(&mut x, "49700");
    let mut folded = start_anew(&x);
    assert_eq!(folded.state_hash(), x.cell.state_hash());
    let saved: Vec<_> = x.cell.world().save().collect();
    let (lsn, hash) = (x.cell.world().lsn(), x.cell.state_hash());
    let loaded: World<Plain> = World::load(saved.into_iter(), lsn, hash).unwrap();
    let again = Cell::new(loaded, x.journal.clone(), ManualClock(x.cell.latest()));
    let [again, before] = [&again, &x.cell].map(|cell| cell.world().board());
    // Of ticks only the last is known after a start.
    let seen = |board: &Board| {
        (
            board.contracts().map(|(_, face)| face.clone()).collect::<Vec<_>>(),
            board.price(PriceId(1)).and_then(|face| face.last()),
        )
    };
    assert_eq!(seen(again), seen(before), "what everybody sees follows from states alone");
}

#[test]
fn a_listing_adds_hearers_and_takes_none_away() {
    let mut x = at("50000");
    let list = |hearers| {
        Command::Price(PriceId(1), PriceCommand::List(PriceListed { price: PriceId(1), symbol: "M1".into(), hearers }))
    };
    let seeded = x.send(None, list(vec![EntityId::Market(MarketId(1))]));
    assert!(matches!(seeded, Reply::Rejected(Reject::AlreadyExists)), "{seeded:?}");
    let (price, symbol, hearers) = (PriceId(1), "OTHER".into(), vec![EntityId::Market(MarketId(1))]);
    let renamed = x.send(None, Command::Price(price, PriceCommand::List(PriceListed { price, symbol, hearers })));
    assert!(matches!(renamed, Reply::Rejected(Reject::AlreadyExists)), "settings rename nothing: {renamed:?}");
    index(&mut x, "50001");
    assert_eq!(x.cell.world().contracts().get(C).unwrap().mark().0.to_string(), "50001", "it goes on hearing");
    let nobody = x.send(None, list(vec![EntityId::Account(ALICE)]));
    assert!(matches!(nobody, Reply::Rejected(Reject::BadParameters)), "{nobody:?}");
}

#[test]
fn a_contract_hears_its_own_index_and_waits_when_that_changes() {
    let mut x = Exchange::new(&[btc_usdt(), market(2, BTC, USDT, 1_000_000, 1_000)]);
    list(&mut x, btc_contract());
    let hearers = vec![EntityId::Market(MarketId(2)), EntityId::Contract(C)];
    x.ok(Command::Price(
        PriceId(2),
        PriceCommand::List(PriceListed { price: PriceId(2), symbol: "M2".into(), hearers }),
    ));
    fund(&mut x, ALICE, "100");
    index(&mut x, "50000");
    let other = |x: &mut Exchange, price: &str| {
        let said = SourcePrice { source: 1, price: price.parse().unwrap() };
        x.ok(Command::Price(PriceId(2), PriceCommand::Push(said)));
    };
    other(&mut x, "40000");
    assert_eq!(x.cell.world().contracts().get(C).unwrap().mark().0.to_string(), "50000");
    let params = ContractParams { price: PriceId(2), ..btc_contract() };
    x.ok(Command::Contract(C, ContractCommand::ChangeParams(Box::new(params))));
    let open = TicketCommand::Open(OpenTicket { version: 1, ..wanted(Direction::Long, 1, 10) });
    assert_eq!(refused(&mut x, ALICE, open), Reject::PriceStale);
    other(&mut x, "40001");
    assert_eq!(x.cell.world().contracts().get(C).unwrap().mark().0.to_string(), "40001");
    send(&mut x, ALICE, open);
    assert_eq!(tickets(&x, ALICE)[0].terms.price.to_string(), "40009");
    audit(&x);
}

#[test]
fn nothing_is_opened_or_closed_while_a_jump_waits() {
    let mut x = at("50000");
    let id = open(&mut x, BOB, wanted(Direction::Long, 10, 10));
    index(&mut x, "44000");
    let short = TicketCommand::Open(wanted(Direction::Short, 1, 100));
    assert_eq!(refused(&mut x, ALICE, short), Reject::PriceStale);
    assert_eq!(refused(&mut x, BOB, TicketCommand::Close(id)), Reject::PriceStale, "the index is known to be old");
    let all = TicketCommand::CloseAll { contract: None, direction: None };
    assert_eq!(refused(&mut x, BOB, all), Reject::PriceStale);
    index(&mut x, "44000");
    assert_eq!(tickets(&x, BOB), [], "the jump is true: it is liquidated at 44,000");
    open(&mut x, ALICE, wanted(Direction::Short, 1, 100));
    audit(&x);
}

#[test]
fn a_small_spread_is_never_rounded_to_the_users_side() {
    let mut x = Exchange::new(&[btc_usdt()]);
    let spread = TicketParams { spread_ppm: 20, ..btc_contract().tickets };
    list(&mut x, ContractParams { tick: "1".parse().unwrap(), tickets: spread, ..btc_contract() });
    fund(&mut x, BOB, "10000");
    index(&mut x, "504.4");
    for direction in [Direction::Long, Direction::Short] {
        open(&mut x, BOB, wanted(direction, 100, 10));
    }
    let prices: Vec<String> = tickets(&x, BOB).iter().map(|t| t.terms.price.to_string()).collect();
    assert_eq!(prices, ["505", "504"]);
    audit(&x);
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    let mut x = Exchange::new(&[btc_usdt()]);
    let good = btc_contract();
    let of_tickets = |tickets| ContractParams { tickets, ..btc_contract() };
    let far = TicketParams { spread_ppm: 5_000, ..good.tickets.clone() };
    let many = TicketParams { lots: (Lots(1), Lots(i64::MAX)), ..good.tickets.clone() };
    let caps = TicketParams { house_caps: (Lots(1), Lots(i64::MAX)), ..good.tickets.clone() };
    for wrong in [
        ContractParams { tick: Amount(i128::MAX), ..good.clone() },
        ContractParams { lot: Amount(1), ..good.clone() },
        ContractParams { version: 1, ..good.clone() },
        ContractParams { contract: MarketId(511), ..good.clone() },
        of_tickets(far),
        of_tickets(many),
        of_tickets(caps),
    ] {
        let answer = x.send(None, Command::Contract(C, ContractCommand::List(Box::new(wrong.clone()))));
        assert!(matches!(answer, Reply::Rejected(Reject::BadParameters)), "{wrong:?}: {answer:?}");
    }
}
