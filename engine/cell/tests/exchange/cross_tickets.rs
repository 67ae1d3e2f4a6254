//! Cross tickets, limit tickets, stops, nights and deficits through the cell: the worked numbers of
//! `docs/rules/contracts.md`, and what must never be possible.

use crate::support::{BTC, Exchange, USDT, btc_usdt, market};
use crate::tickets::{
    ALICE, BOB, C, at, audit, available, btc_contract, closed, fund, futures, index, list, open, refused, send,
    start_anew, tickets, wanted,
};
use xng_core::account::facts::GrantKind;
use xng_core::account::{AccountCommand, OpenTicket, TicketCommand};
use xng_core::contract::facts::{ContractFact, MarginMode};
use xng_core::contract::leg::Direction;
use xng_core::contract::params::{ContractParams, TicketParams};
use xng_core::contract::ticket_facts::{CloseReason, NightCharged};
use xng_core::contract::tickets::{Stops, TicketId};
use xng_core::entity::{Command, Reply};
use xng_core::ids::{AccountId, EntityId, MarketId, PriceId, Wallet};
use xng_core::money::{Amount, Lots};
use xng_core::price::{PriceCommand, PriceListed, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;

const DAY: u64 = 86_400_000_000_000;
const ETH: MarketId = MarketId(513);

fn cross(direction: Direction, lots: i64, multiple: u16) -> OpenTicket {
    OpenTicket { mode: MarginMode::Cross, ..wanted(direction, lots, multiple) }
}

fn waiting(direction: Direction, target: &str) -> OpenTicket {
    OpenTicket { target: Some(target.parse().unwrap()), ..wanted(direction, 10, 100) }
}

fn stops(take_profit: &str, stop_loss: &str) -> Stops {
    let price = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    Stops { take_profit: price(take_profit), stop_loss: price(stop_loss) }
}

fn transfer(x: &mut Exchange, who: AccountId, amount: &str) -> Reply {
    let (asset, from, to, amount) = (USDT, Wallet::Futures, Wallet::Spot, amount.parse().unwrap());
    x.send(None, Command::Account(who, AccountCommand::Transfer { asset, from, to, amount }))
}

fn all(direction: Option<Direction>) -> TicketCommand {
    TicketCommand::CloseAll { contract: None, direction }
}

fn reasons(x: &Exchange) -> Vec<CloseReason> {
    closed(x).iter().map(|(_, closed)| closed.reason).collect()
}

fn contract_facts(x: &Exchange) -> Vec<ContractFact> {
    let facts = x.journal.records().into_iter().map(|(_, bytes)| Record::decode(&bytes).unwrap().fact);
    facts.filter_map(|fact| if let Fact::Contract(fact) = fact { Some(fact) } else { None }).collect()
}

fn nights(x: &Exchange) -> Vec<NightCharged> {
    let nights = contract_facts(x).into_iter();
    nights.filter_map(|fact| if let ContractFact::NightCharged(f) = fact { Some(*f) } else { None }).collect()
}

fn warnings(x: &Exchange) -> usize {
    contract_facts(x).iter().filter(|fact| matches!(fact, ContractFact::RiskWarned(_))).count()
}

fn pnl(x: &Exchange, who: AccountId) -> String {
    x.cell.world().accounts().get(who).unwrap().balance(Wallet::Pnl, USDT).available.to_string()
}

/// Another contract: lots of 0.1, its own index.
fn with_ether(x: &mut Exchange) {
    let price = PriceId(2);
    let params = ContractParams {
        contract: ETH,
        symbol: "ETHUSDT".into(),
        price,
        lot: "0.1".parse().unwrap(),
        ..btc_contract()
    };
    let list = |contract| Command::Contract(ETH, contract);
    x.ok(list(xng_core::contract::ContractCommand::List(Box::new(params))));
    let hearers = vec![EntityId::Market(MarketId(2)), EntityId::Contract(ETH)];
    x.ok(Command::Price(price, PriceCommand::List(PriceListed { price, symbol: "M2".into(), hearers })));
}

fn ether(x: &mut Exchange, price: &str) {
    let said = SourcePrice { source: 1, price: price.parse().unwrap() };
    x.ok(Command::Price(PriceId(2), PriceCommand::Push(said)));
}

fn on(contract: MarketId, ticket: OpenTicket) -> OpenTicket {
    OpenTicket { contract, ..ticket }
}

#[test]
fn a_pool_is_liquidated_at_its_price_and_keeps_the_rest() {
    let mut x = at("50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    assert_eq!(futures(&x, ALICE), ("47.4895".into(), "50.01".into()));
    for above in ["49500", "49300", "49285.06"] {
        index(&mut x, above);
        assert_eq!(tickets(&x, ALICE).len(), 1, "L5 at {above}");
    }
    assert_eq!(warnings(&x), 1, "once below 120");
    index(&mut x, "49285.05");
    assert_eq!((tickets(&x, ALICE).len(), reasons(&x)), (0, vec![CloseReason::Liquidation]), "L5");
    assert_eq!(futures(&x, ALICE), ("25.0045".into(), "0".into()), "L5");
    audit(&x);
}

#[test]
fn a_gap_leaves_a_deficit_that_the_insurance_and_the_house_bear() {
    let mut x = at("50000");
    fund(&mut x, AccountId::INSURANCE, "60");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    index(&mut x, "48000");
    assert_eq!(futures(&x, ALICE), ("0".into(), "0".into()), "L7");
    let deal = closed(&x)[0].1;
    assert_eq!((deal.result.to_string(), deal.deficit.to_string()), ("-201".into(), "103.5005".into()), "L7");
    assert_eq!((available(&x, AccountId::INSURANCE), pnl(&x, ALICE)), ("0".into(), "0".into()), "60.25005 is paid");
    // It gets 201, less what the owner could not pay and the insurance did not.
    assert_eq!(available(&x, AccountId::LEVER_HOUSE), "157.74955");
    audit(&x);
}

#[test]
fn a_limit_ticket_sets_aside_margin_and_fee_and_opens_at_its_target() {
    let mut x = at("50000");
    let id = open(&mut x, ALICE, waiting(Direction::Long, "49900"));
    let ticket = tickets(&x, ALICE)[0];
    let numbers = [ticket.terms.price, ticket.margin, ticket.terms.fee].map(|a| a.to_string());
    assert_eq!(numbers, ["49909.98", "49.90998", "2.495499"], "L8");
    assert_eq!(futures(&x, ALICE), ("47.594521".into(), "52.405479".into()), "L8");
    assert_eq!(refused(&mut x, ALICE, TicketCommand::Close(id)), Reject::UnknownTicket, "it is not open");
    send(&mut x, ALICE, TicketCommand::Cancel(id));
    assert_eq!(futures(&x, ALICE), ("100".into(), "0".into()), "L8");
    let id = open(&mut x, ALICE, waiting(Direction::Long, "49900"));
    index(&mut x, "49900.01");
    assert!(!tickets(&x, ALICE)[0].is_open());
    index(&mut x, "49900");
    assert!(tickets(&x, ALICE)[0].is_open(), "L8: the first index at the target or below");
    assert_eq!(futures(&x, ALICE), ("47.594521".into(), "49.90998".into()));
    assert_eq!(refused(&mut x, ALICE, TicketCommand::Cancel(id)), Reject::UnknownTicket);
    for (direction, target) in [(Direction::Long, "49900"), (Direction::Long, "50000"), (Direction::Short, "49900")] {
        let limit = TicketCommand::Open(waiting(direction, target));
        assert_eq!(refused(&mut x, BOB, limit), Reject::WouldTrigger, "{direction:?} {target}");
    }
    let far = TicketCommand::Open(waiting(Direction::Long, "24000"));
    assert_eq!(refused(&mut x, BOB, far), Reject::OutsidePriceBand, "less than half of the index");
    for target in ["0", "49800.001"] {
        assert_eq!(refused(&mut x, BOB, TicketCommand::Open(waiting(Direction::Long, target))), Reject::BadPrice);
    }
    audit(&x);
}

#[test]
fn what_waits_is_opened_before_stops_and_liquidations_of_the_same_index() {
    let mut x = at("50000");
    let ticket = OpenTicket { stops: stops("", "49000"), ..waiting(Direction::Long, "49500") };
    open(&mut x, ALICE, ticket);
    index(&mut x, "48900");
    assert_eq!(
        (tickets(&x, ALICE).len(), reasons(&x)),
        (0, vec![CloseReason::StopLoss]),
        "opened and stopped by a gap"
    );
    audit(&x);
}

#[test]
fn stops_close_at_the_index_that_reaches_them() {
    let mut x = at("50000");
    let long = open(&mut x, BOB, OpenTicket { stops: stops("50500", "49500"), ..wanted(Direction::Long, 10, 10) });
    let short = open(&mut x, BOB, wanted(Direction::Short, 10, 10));
    for wrong in [stops("49900", ""), stops("50000", ""), stops("", "50000"), stops("", "0"), stops("50000.001", "")] {
        let set = TicketCommand::SetStops { ticket: long, stops: wrong };
        assert_eq!(refused(&mut x, BOB, set), Reject::BadTrigger, "{wrong:?}");
        let open = TicketCommand::Open(OpenTicket { stops: wrong, ..wanted(Direction::Long, 1, 10) });
        assert_eq!(refused(&mut x, BOB, open), Reject::BadTrigger, "{wrong:?}");
    }
    send(&mut x, BOB, TicketCommand::SetStops { ticket: short, stops: stops("49000", "50700") });
    let unknown = TicketCommand::SetStops { ticket: long, stops: Stops::default() };
    assert_eq!(refused(&mut x, ALICE, unknown), Reject::UnknownTicket, "of somebody else");
    index(&mut x, "50499.99");
    assert_eq!(reasons(&x), []);
    index(&mut x, "50600");
    assert_eq!(reasons(&x), [CloseReason::TakeProfit]);
    assert_eq!(closed(&x)[0].1.index.to_string(), "50600", "at the index, not at the stop");
    send(&mut x, BOB, TicketCommand::SetStops { ticket: short, stops: Stops::default() });
    index(&mut x, "50800");
    assert_eq!(tickets(&x, BOB).len(), 1, "cleared");
    audit(&x);
}

#[test]
fn a_night_is_charged_once_from_the_margin_also_after_days_without_the_exchange() {
    let mut x = at("50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    open(&mut x, BOB, waiting(Direction::Long, "40000"));
    let midnight = (x.cell.clock().0 / DAY + 1) * DAY;
    x.cell.clock().0 = midnight - 1;
    x.run();
    assert_eq!(nights(&x).len(), 0);
    x.cell.clock().0 = midnight;
    x.run();
    let charged = nights(&x);
    assert_eq!((charged.len(), charged[0].nights[0].of_margin.to_string()), (1, "1.5003".into()), "L4");
    assert_eq!(tickets(&x, ALICE)[0].margin.to_string(), "48.5097", "L4");
    x.cell = start_anew(&x);
    x.run();
    assert_eq!(nights(&x).len(), 1, "not again after a start");
    x.cell.clock().0 += 3 * DAY;
    x.run();
    let days: Vec<u32> = nights(&x).iter().map(|night| night.day).collect();
    assert_eq!(days.len(), 4);
    assert!(days.windows(2).all(|pair| pair[0] + 1 == pair[1]), "each day, in order: {days:?}");
    assert_eq!(tickets(&x, ALICE)[0].nights.to_string(), "6.0012");
    audit(&x);
}

#[test]
fn what_the_margin_cannot_pay_of_a_night_comes_out_of_what_is_available() {
    let mut x = Exchange::new(&[btc_usdt()]);
    let nights = TicketParams { overnight_ppm: 30_000, ..btc_contract().tickets };
    list(&mut x, ContractParams { tickets: nights, ..btc_contract() });
    fund(&mut x, ALICE, "200");
    index(&mut x, "50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    x.cell.clock().0 += DAY;
    x.run();
    // 150.03 a night: 50.01 of the margin, 100.02 of 147.4895.
    assert_eq!(futures(&x, ALICE), ("47.4695".into(), "0".into()));
    index(&mut x, "50000");
    assert_eq!(tickets(&x, ALICE).len(), 1, "46.4695 are above 25.005");
    audit(&x);
}

#[test]
fn what_leaves_the_pool_is_bounded() {
    let mut x = at("50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    assert!(matches!(transfer(&mut x, ALICE, "21.48450001"), Reply::Rejected(Reject::InsufficientBalance)), "L9");
    assert!(matches!(transfer(&mut x, ALICE, "21.4845"), Reply::Accepted(_)), "L9");
    fund(&mut x, ALICE, "1000");
    index(&mut x, "54000");
    // 400 more are not realised: what was free stays free, and no more.
    let available: Amount = available(&x, ALICE).parse().unwrap();
    let free = available - "25.005".parse().unwrap();
    let more = free + Amount(1);
    assert!(matches!(transfer(&mut x, ALICE, &more.to_string()), Reply::Rejected(Reject::InsufficientBalance)));
    x.cell.clock().0 += 6_000_000_000;
    assert!(matches!(transfer(&mut x, ALICE, "1"), Reply::Rejected(Reject::PriceStale)), "not by a stale index");
    index(&mut x, "54000");
    assert!(matches!(transfer(&mut x, ALICE, &free.to_string()), Reply::Accepted(_)));
    audit(&x);
}

#[test]
fn money_that_the_pool_needs_does_not_leave_it_for_another_ticket() {
    let mut x = at("50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    index(&mut x, "49600");
    // 41 are lost: of 47.4895 nothing is free, though all of it is available.
    for ticket in [wanted(Direction::Long, 1, 100), OpenTicket { lots: Lots(100), ..waiting(Direction::Long, "49000") }]
    {
        assert_eq!(refused(&mut x, ALICE, TicketCommand::Open(ticket)), Reject::InsufficientBalance, "{ticket:?}");
    }
    open(&mut x, ALICE, cross(Direction::Short, 1, 100));
    let much = TicketCommand::Open(cross(Direction::Short, 9, 100));
    assert_eq!(refused(&mut x, ALICE, much), Reject::InsufficientBalance, "the pool would begin near its end");
    audit(&x);
}

#[test]
fn closing_the_loser_first_leaves_the_loss_with_the_pool() {
    let mut x = at("50000");
    fund(&mut x, ALICE, "10");
    let long = open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    let short = open(&mut x, ALICE, cross(Direction::Short, 10, 100));
    for step in ["51500", "53000"] {
        index(&mut x, step);
    }
    assert_eq!(tickets(&x, ALICE).len(), 2, "a hedged pool");
    send(&mut x, ALICE, TicketCommand::Close(short));
    // -301 and 49.99 of margin, out of 5: the rest is owed to the winner.
    assert_eq!((available(&x, ALICE), pnl(&x, ALICE)), ("0".into(), "-246.01".into()));
    assert_eq!(closed(&x)[0].1.deficit, Amount::ZERO, "nobody else pays");
    assert!(matches!(transfer(&mut x, ALICE, "1"), Reply::Rejected(Reject::InsufficientBalance)));
    send(&mut x, ALICE, TicketCommand::Close(long));
    assert_eq!((available(&x, ALICE), pnl(&x, ALICE)), ("103".into(), "0".into()));
    assert_eq!(available(&x, AccountId::LEVER_HOUSE), "2", "the spread of both");
    audit(&x);
}

#[test]
fn a_pool_over_two_contracts_ends_when_both_together_end_it() {
    let mut x = Exchange::new(&[btc_usdt(), market(2, BTC, USDT, 1_000_000, 1_000)]);
    list(&mut x, btc_contract());
    with_ether(&mut x);
    fund(&mut x, ALICE, "150");
    index(&mut x, "50000");
    ether(&mut x, "3000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    open(&mut x, ALICE, on(ETH, cross(Direction::Long, 10, 100)));
    // 0.1 bitcoin and 1 ether: 65.9832 in cash, 80.016 of margin, 40.008 must stay.
    let equity = |x: &Exchange, bitcoin: &str, ether: &str| {
        let account = x.cell.world().accounts().get(ALICE).unwrap();
        let price = |contract| Some(if contract == C { bitcoin.parse().unwrap() } else { ether.parse().unwrap() });
        let cash = account.balance(Wallet::Futures, USDT).available;
        xng_core::account::contract::cross::pool(cash, account.tickets().iter(), price).unwrap()
    };
    assert_eq!(equity(&x, "50000", "3000").equity.round8().to_string(), "144.3992");
    index(&mut x, "49700");
    ether(&mut x, "2940");
    ether(&mut x, "2930");
    assert_eq!(equity(&x, "49700", "2930").equity.round8().to_string(), "44.3992");
    assert_eq!(tickets(&x, ALICE).len(), 2);
    index(&mut x, "49660");
    assert_eq!(tickets(&x, ALICE).len(), 2, "40.3992, and 40.008 must stay");
    index(&mut x, "49656");
    assert_eq!((tickets(&x, ALICE).len(), reasons(&x)), (0, vec![CloseReason::Liquidation; 2]), "both at once");
    audit(&x);
}

/// A cross ticket of each contract with 150, bitcoin at 49,700 and ether near the pool's end; then bitcoin jumps.
fn jumping() -> Exchange {
    let mut x = Exchange::new(&[btc_usdt(), market(2, BTC, USDT, 1_000_000, 1_000)]);
    list(&mut x, btc_contract());
    with_ether(&mut x);
    fund(&mut x, ALICE, "150");
    index(&mut x, "50000");
    ether(&mut x, "3000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    open(&mut x, ALICE, on(ETH, cross(Direction::Long, 10, 100)));
    index(&mut x, "49700");
    ether(&mut x, "2930");
    assert_eq!(tickets(&x, ALICE).len(), 2);
    index(&mut x, "60000");
    ether(&mut x, "2910");
    x.run();
    x
}

#[test]
fn a_pool_waits_until_a_jump_of_one_of_its_contracts_is_confirmed() {
    let mut x = jumping();
    audit(&x);
    assert_eq!(tickets(&x, ALICE).len(), 2, "it is at its end by a price that is known to be old");
    index(&mut x, "60000");
    assert_eq!((tickets(&x, ALICE).len(), closed(&x).len()), (2, 0), "by the true one it is well");
    ether(&mut x, "2905");
    assert_eq!(tickets(&x, ALICE).len(), 2);
    audit(&x);
}

#[test]
fn a_pool_whose_jump_is_dropped_is_looked_at_then() {
    let mut x = jumping();
    index(&mut x, "49701");
    assert_eq!((tickets(&x, ALICE).len(), reasons(&x)), (0, vec![CloseReason::Liquidation; 2]));
    assert!(closed(&x).iter().any(|(_, deal)| deal.index.to_string() == "49701"));
    audit(&x);
}

#[test]
fn a_pool_whose_jump_nobody_confirms_ends_as_one_with_an_old_price() {
    let mut x = jumping();
    x.cell.clock().0 += 5_500_000_000;
    ether(&mut x, "2910");
    let left: Vec<MarketId> = tickets(&x, ALICE).iter().map(|ticket| ticket.terms.contract).collect();
    assert_eq!(left, [C], "what has no price stays");
    audit(&x);
}

#[test]
fn a_stop_waits_while_a_jump_does() {
    let mut x = Exchange::new(&[btc_usdt(), market(2, BTC, USDT, 1_000_000, 1_000)]);
    list(&mut x, btc_contract());
    with_ether(&mut x);
    fund(&mut x, BOB, "10000");
    index(&mut x, "50000");
    ether(&mut x, "3000");
    open(&mut x, BOB, OpenTicket { stops: stops("", "49500"), ..wanted(Direction::Long, 10, 10) });
    open(&mut x, BOB, on(ETH, OpenTicket { stops: stops("", "2990"), ..wanted(Direction::Long, 10, 10) }));
    // The mark of 49,400 is made when a jump waits already: both ticks come in one turn.
    for price in ["49400", "60000"] {
        let said = SourcePrice { source: 1, price: price.parse().unwrap() };
        x.submit(None, Command::Price(PriceId(1), PriceCommand::Push(said)));
    }
    x.run();
    ether(&mut x, "2980");
    let left: Vec<MarketId> = tickets(&x, BOB).iter().map(|ticket| ticket.terms.contract).collect();
    assert_eq!(left, [C], "its stop was reached, and the index is in doubt; that of ether is not");
    audit(&x);
    index(&mut x, "60000");
    assert_eq!(tickets(&x, BOB).len(), 1, "the jump is true, and beyond no stop");
    index(&mut x, "59000");
    assert_eq!(tickets(&x, BOB).len(), 1);
    audit(&x);
}

#[test]
fn a_stale_contract_is_worth_its_last_price_and_its_tickets_stay() {
    let mut x = Exchange::new(&[btc_usdt(), market(2, BTC, USDT, 1_000_000, 1_000)]);
    list(&mut x, btc_contract());
    with_ether(&mut x);
    fund(&mut x, ALICE, "100");
    index(&mut x, "50000");
    ether(&mut x, "3000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    open(&mut x, ALICE, on(ETH, cross(Direction::Long, 1, 100)));
    x.cell.clock().0 += 5_500_000_000;
    index(&mut x, "49900");
    assert_eq!(tickets(&x, ALICE).len(), 2, "with ether at 3,000 all is well");
    let more = TicketCommand::Open(cross(Direction::Long, 1, 100));
    assert_eq!(refused(&mut x, ALICE, more), Reject::PriceStale);
    index(&mut x, "49000");
    let left: Vec<MarketId> = tickets(&x, ALICE).iter().map(|ticket| ticket.terms.contract).collect();
    assert_eq!(left, [ETH], "nothing is closed at a price that is not fresh");
    ether(&mut x, "3000");
    assert_eq!(tickets(&x, ALICE).len(), 0, "the first fresh one ends it");
    audit(&x);
}

#[test]
fn an_owner_is_warned_once_until_the_next_night() {
    let mut x = at("50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    index(&mut x, "49600");
    assert_eq!(warnings(&x), 1);
    index(&mut x, "49900");
    index(&mut x, "49500");
    assert_eq!(warnings(&x), 1);
    x.cell.clock().0 += DAY;
    x.run();
    index(&mut x, "49500");
    assert_eq!(warnings(&x), 2);
    send(&mut x, ALICE, all(None));
    open(&mut x, ALICE, cross(Direction::Long, 5, 100));
    index(&mut x, "49100");
    assert_eq!(warnings(&x), 3, "another pool");
    audit(&x);
}

#[test]
fn money_that_comes_or_goes_moves_the_end_of_a_pool() {
    let mut x = at("50000");
    open(&mut x, ALICE, cross(Direction::Long, 10, 100));
    fund(&mut x, ALICE, "100");
    index(&mut x, "49000");
    assert_eq!(tickets(&x, ALICE).len(), 1, "100 more to lose");
    let item =
        xng_core::account::facts::GrantItem { wallet: Wallet::Futures, asset: USDT, amount: "-80".parse().unwrap() };
    x.ok(Command::Account(ALICE, AccountCommand::Grant { kind: GrantKind::Correction, items: vec![item] }));
    index(&mut x, "49000.01");
    assert_eq!(tickets(&x, ALICE).len(), 0);
    audit(&x);
}

#[test]
fn tickets_of_one_contract_or_direction_are_closed_together() {
    let mut x = Exchange::new(&[btc_usdt(), market(2, BTC, USDT, 1_000_000, 1_000)]);
    list(&mut x, btc_contract());
    with_ether(&mut x);
    fund(&mut x, BOB, "10000");
    index(&mut x, "50000");
    ether(&mut x, "3000");
    for contract in [C, ETH] {
        for direction in [Direction::Long, Direction::Short] {
            open(&mut x, BOB, on(contract, cross(direction, 10, 10)));
        }
    }
    open(&mut x, BOB, waiting(Direction::Long, "49000"));
    send(&mut x, BOB, TicketCommand::CloseAll { contract: Some(ETH), direction: Some(Direction::Short) });
    assert_eq!((closed(&x).len(), reasons(&x)[0]), (1, CloseReason::Batch));
    send(&mut x, BOB, all(Some(Direction::Long)));
    assert_eq!(closed(&x).len(), 3);
    send(&mut x, BOB, all(None));
    assert_eq!(tickets(&x, BOB).len(), 1, "what waits is not open");
    assert_eq!(refused(&mut x, BOB, all(None)), Reject::UnknownTicket);
    assert_eq!(refused(&mut x, BOB, TicketCommand::Cancel(TicketId(7))), Reject::UnknownTicket);
    audit(&x);
}
