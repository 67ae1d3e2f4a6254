//! Random commands over many accounts and markets: whatever happens, the books balance and the journal says it all.

use crate::support::{ASSETS, BTC, ETH, Exchange, USDT, btc_usdt, market};
use crate::{chains, convert, copying, coupons, option_coupons, seconds, stocks, tickets, withdrawals};
use std::collections::BTreeMap;
use xng_cell::world::Decoded;
use xng_cell::{Plain, World};
use xng_core::account::OrderName;
use xng_core::account::facts::{AccountFact, AccountStatus};
use xng_core::account::{AccountCommand, CopyCommand, Property, SpotCommand, TicketCommand};
use xng_core::chain::facts::{ChainFact, CreditKind};
use xng_core::codec::mix64;
use xng_core::convert::params::ConvertParams;
use xng_core::coupon::facts::CouponFact;
use xng_core::entity::Command;
use xng_core::ids::{AccountId, ClientOrderId, MarketId, OrderId, PriceId, RequestKey, Wallet};
use xng_core::journal::{Batch, Lsn};
use xng_core::money::{Amount, Lots, Ticks};
use xng_core::price::{PriceCommand, SourcePrice};
use xng_core::record::{Fact, Record};
use xng_core::seconds::params::DeskParams;
use xng_core::spot::facts::SpotFact;
use xng_core::spot::{
    EndReason, Leg, MarketCommand, MarketState, NewOrder, OrderGroup, OrderKind, QuoteLevel, Replaced, Side, Stp, Tif,
    Trigger, TriggerKind,
};
use xng_core::stock::SessionPhase;
use xng_core::stock::facts::StockFact;

pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0) % n
    }
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

const USERS: u64 = 8;

pub(crate) fn setup() -> Exchange {
    let mut quoted = market(3, ETH, BTC, 1_000, 100_000);
    (quoted.stale_after_ms, quoted.house_quoted) = (5_000, true);
    let mut x = Exchange::new(&[btc_usdt(), market(2, ETH, USDT, 1_000_000, 10_000), quoted]);
    x.make_house();
    convert::set(&mut x, ConvertParams { value: (Amount(1), Amount::whole(50_000)), ..convert::params() });
    let stake = (Amount(1), Amount::whole(2));
    seconds::set(&mut x, DeskParams { stake, minute_cap: Amount::whole(3), ..seconds::params() });
    tickets::list(&mut x, tickets::btc_contract());
    stocks::list_short_days(&mut x);
    chains::list(&mut x);
    for n in 0..USERS {
        tickets::fund(&mut x, AccountId(100_001 + n), "20");
        seconds::fund(&mut x, AccountId(100_001 + n), "20");
    }
    for asset in ASSETS {
        x.fund(AccountId::HOUSE, asset, Amount::whole(1_000_000));
        x.fund(AccountId::PROMOTION, asset, Amount::whole(1_000));
        for n in 0..USERS {
            x.fund(AccountId(100_001 + n), asset, Amount::whole(20));
        }
    }
    x
}

/// Prices near a middle, in ticks, so that orders meet often.
fn around(dice: &mut Dice, market: MarketId) -> i64 {
    let mid: i64 = match market.0 {
        1 => 500,
        2 => 300,
        _ => 60_000,
    };
    mid + dice.below(21) as i64 - 10
}

pub(crate) fn step(x: &mut Exchange, dice: &mut Dice, keys: &mut u64) {
    let account = AccountId(100_001 + dice.below(USERS));
    let market = MarketId(1 + dice.below(3) as u16);
    let side = dice.pick(&[Side::Buy, Side::Sell]);
    let command = match dice.below(100) {
        0..=39 => {
            let (ticks, lots) = (around(dice, market), 1 + dice.below(50_000) as i64);
            let tif = dice.pick(&[Tif::Gtc, Tif::Gtc, Tif::Ioc, Tif::Fok, Tif::PostOnly]);
            let stp = dice.pick(&[Stp::ExpireTaker, Stp::ExpireMaker, Stp::ExpireBoth, Stp::Decrement]);
            let mut order = x.limit(market, side, ticks, lots, tif, stp);
            if dice.below(4) == 0 {
                order.client_id = ClientOrderId::parse(&format!("c{}", dice.below(5)));
            }
            if dice.below(5) == 0 {
                order.iceberg = Lots(1 + lots / (2 + dice.below(40) as i64));
            }
            Command::Account(account, AccountCommand::Spot(SpotCommand::Place(order)))
        }
        40..=42 => coupons::random(x, dice, account),
        43..=49 => placed_group(x, dice, account, market, side),
        50..=56 => {
            let order = x.market_order(market, side, 1 + dice.below(50_000) as i64, around(dice, market) + 30);
            Command::Account(account, AccountCommand::Spot(SpotCommand::Place(order)))
        }
        57..=60 => {
            let order = x.by_quote(market, side, Amount(1 + i128::from(dice.below(1_000_000_000))));
            Command::Account(account, AccountCommand::Spot(SpotCommand::Place(order)))
        }
        61..=72 => {
            let id = own_order(x, dice, account);
            Command::Account(account, AccountCommand::Spot(SpotCommand::Cancel(OrderName::Id(id))))
        }
        73..=74 => Command::Account(account, AccountCommand::Spot(SpotCommand::CancelAll(market))),
        75..=76 => {
            let (command, key) = convert::random(x, dice, account);
            x.submit(key, command);
            return;
        }
        77..=79 => {
            let wallets = Wallet::ALL;
            let (from, to) = (dice.pick(wallets), dice.pick(wallets));
            let amount = Amount(i128::from(dice.below(3_000_000_000)));
            Command::Account(account, AccountCommand::Transfer { asset: dice.pick(&ASSETS), from, to, amount })
        }
        80..=85 => quote(x, dice, market),
        86..=88 => stocks::random(x, dice, account),
        89..=90 => tickets::random(x, dice, account),
        91 => option_coupons::random(x, dice, account).unwrap_or_else(|| seconds::random(dice, account)),
        92 => copying::random(dice, account),
        93 if dice.below(2) == 0 => stocks::operate(x, dice),
        94 => match dice.below(2) {
            0 => chains::random(x, dice, account),
            _ => withdrawals::random(x, dice, account),
        },
        95 => withdrawals::random(x, dice, account),
        93 => {
            let price = Amount(i128::from(around(dice, market)) * x.params(market).tick.0);
            let push = PriceCommand::Push(SourcePrice { source: dice.below(3) as u8, price });
            Command::Price(PriceId(market.0), push)
        }
        96 => Command::Market(market, MarketCommand::ReserveTradeIds(1 + dice.below(100) as u32)),
        97 => {
            let rare = dice.pick(&[MarketState::CancelOnly, MarketState::Halt]);
            let state = if dice.below(6) == 0 { rare } else { MarketState::Trading };
            Command::Market(market, MarketCommand::SetState(state))
        }
        98 => {
            let status = if dice.below(6) == 0 { AccountStatus::Locked } else { AccountStatus::Active };
            let level = dice.below(3) as u8;
            let property = if dice.below(2) == 0 { Property::Status(status) } else { Property::Vip(level) };
            Command::Account(account, AccountCommand::Set(property))
        }
        _ => {
            x.advance(dice.below(4_000_000_000));
            Command::Account(account, AccountCommand::View)
        }
    };
    let key = (dice.below(3) == 0).then(|| {
        *keys += dice.below(2);
        RequestKey { key: u128::from(*keys), body: dice.below(2) }
    });
    x.submit(key, command);
}

fn own_order(x: &Exchange, dice: &mut Dice, account: AccountId) -> OrderId {
    let account = x.cell.world().accounts().get(account);
    let open: Vec<OrderId> = account.map(|a| a.open_orders().map(|o| o.order).collect()).unwrap_or_default();
    if open.is_empty() { OrderId(dice.below(5_000)) } else { dice.pick(&open) }
}

/// Orders that wait, lists, replacements of either kind, amendments.
fn placed_group(x: &Exchange, dice: &mut Dice, account: AccountId, market: MarketId, side: Side) -> Command {
    let lots = 1 + dice.below(50_000) as i64;
    let (own, named) = (own_order(x, dice, account), dice.below(4) == 0);
    let client_id = ClientOrderId::parse(&format!("c{}", dice.below(5))).filter(|_| named);
    let limit = |dice: &mut Dice, tif| x.limit(market, side, around(dice, market), lots, tif, Stp::Decrement);
    let waits = |dice: &mut Dice, kind| {
        let tif = dice.pick(&[Tif::Gtc, Tif::Ioc, Tif::Fok]);
        let order = NewOrder { client_id, ..limit(dice, tif) };
        let at_market = NewOrder { kind: OrderKind::Market, ticks: Ticks::ZERO, ..order };
        let trail_bips = dice.pick(&[0, 0, 10, 100]);
        let ticks = if trail_bips > 0 && dice.below(2) == 0 { 0 } else { around(dice, market) };
        let order = if dice.below(2) == 0 { order } else { at_market };
        Leg { order, trigger: Some(Trigger { kind, ticks: Ticks(ticks), trail_bips }) }
    };
    let legs = match dice.below(9) {
        8 => {
            let tif = dice.pick(&[Tif::Gtc, Tif::Gtc, Tif::Ioc, Tif::PostOnly]);
            let first = Leg { order: limit(dice, tif), trigger: None };
            let other = if dice.below(3) == 0 { side } else { side.opposite() };
            let brings = |order: NewOrder| NewOrder { side: other, client_id: None, ..order };
            let order = brings(limit(dice, Tif::Gtc));
            let stop = waits(dice, TriggerKind::StopLoss);
            let stop = Leg { order: brings(stop.order), ..stop };
            let take = Leg { order: NewOrder { tif: Tif::PostOnly, ..order }, trigger: None };
            let pending = match dice.below(4) {
                0 => vec![Leg { order, trigger: None }],
                1 => vec![stop],
                _ => vec![take, stop],
            };
            let group = OrderGroup { pending, ..x.group(&[first]) };
            return Command::Account(account, AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(group))));
        }
        0 | 1 => vec![waits(dice, TriggerKind::StopLoss)],
        2 | 3 => vec![waits(dice, TriggerKind::TakeProfit)],
        4 => vec![waits(dice, TriggerKind::TakeProfit), waits(dice, TriggerKind::StopLoss)],
        5 => {
            let resting = Leg { order: limit(dice, Tif::PostOnly), trigger: None };
            vec![resting, waits(dice, TriggerKind::StopLoss)]
        }
        6 => vec![Leg { order: limit(dice, Tif::Gtc), trigger: None }],
        _ => {
            let lots = Lots(1 + dice.below(30_000) as i64);
            let amend = SpotCommand::Amend { order: OrderName::Id(own), lots, client_id };
            return Command::Account(account, AccountCommand::Spot(amend));
        }
    };
    let replaces = Some(Replaced { order: own, must: dice.below(2) == 0 });
    let replaces = replaces.filter(|_| legs.iter().all(|leg| leg.trigger.is_none()) || dice.below(5) == 0);
    let group = OrderGroup { replaces, ..x.group(&legs) };
    Command::Account(account, AccountCommand::Spot(SpotCommand::PlaceGroup(Box::new(group))))
}

fn quote(x: &Exchange, dice: &mut Dice, market: MarketId) -> Command {
    let mid = around(dice, market);
    let mut levels = Vec::new();
    for n in 1..=1 + dice.below(6) as i64 {
        let lots = Lots(1 + dice.below(20_000) as i64);
        levels.push(QuoteLevel { side: Side::Buy, ticks: Ticks(mid - n), lots });
        levels.push(QuoteLevel { side: Side::Sell, ticks: Ticks(mid + n), lots });
    }
    let p = x.params(market);
    let (mut base, mut quote) = (Amount::ZERO, Amount::ZERO);
    for l in &levels {
        match l.side {
            Side::Buy => quote += p.notional(l.ticks, l.lots),
            Side::Sell => base += p.base_amount(l.lots),
        }
    }
    let hold = [(p.base, base), (p.quote, quote)];
    Command::Account(
        AccountId::HOUSE,
        AccountCommand::Spot(SpotCommand::Quote { market, levels, hold, version: p.version }),
    )
}

/// Paths of order groups that were reached, by name.
fn note_rare(x: &Exchange, seen: &mut BTreeMap<&'static str, usize>) {
    let mut note = |name, happened: bool| *seen.entry(name).or_default() += usize::from(happened);
    for (_, bytes) in x.journal.records() {
        match Record::decode(&bytes).unwrap().fact {
            Fact::Coupon(fact) => {
                note("a coupon is cashed", matches!(fact, CouponFact::CouponCashed(_)));
                note("a coupon's stake is paid", matches!(fact, CouponFact::CouponStaked(_)));
                note("a coupon is taken back", matches!(fact, CouponFact::CouponRevoked(_)));
                note("a campaign frees money", matches!(fact, CouponFact::CampaignClosed(f) if f.freed.is_positive()));
            }
            Fact::Spot(SpotFact::OrderPlaced(f)) => {
                note("an iceberg shows its next slice", f.trades.iter().any(|t| !t.refill.is_zero()));
                note("an iceberg is prevented", f.prevented.iter().any(|p| !(p.hidden + p.refill).is_zero()));
            }
            Fact::Spot(SpotFact::QuotesSet(f)) => {
                note("the house meets an iceberg", f.trades.iter().any(|t| !t.trade.refill.is_zero()));
            }
            Fact::Spot(SpotFact::OrdersChanged(f)) => {
                let filled = f.placed.as_ref().is_some_and(|placed| !placed.trades.is_empty());
                note("an order is triggered and filled", f.triggered.is_some() && filled);
                note("an order waits for the open", f.waiting.iter().any(|w| w.trigger.kind == TriggerKind::Open));
                note("an order of a day leaves", f.reason == EndReason::SessionEnd);
                note("a triggered order ends its list", f.triggered.is_some() && !f.gone.is_empty());
                note("a filled order ends its list", f.reason == EndReason::OtherLeg && f.triggered.is_none());
                note("a list is cancelled", f.reason == EndReason::User && f.gone.len() > 1);
                note("an order is amended", !f.amended.is_empty());
                let comes = f.placed.is_some() || !f.waiting.is_empty();
                note("an order is replaced", f.reason == EndReason::Replaced && !f.gone.is_empty() && comes);
                note("a successor is refused", f.refused.is_some() && f.reason == EndReason::Replaced);
                note("what an order brings is placed", f.activated.is_some());
                note("what an order brings is refused", f.reason == EndReason::Refused);
                let pending_left = f.gone.len() > 1 && f.gone.iter().all(|gone| gone.locked.is_zero());
                note("what an order was to bring leaves", pending_left && f.reason == EndReason::OtherLeg);
            }
            Fact::Spot(SpotFact::OrdersCanceled(f)) => {
                note("an order of a day leaves", f.reason == EndReason::SessionEnd);
            }
            Fact::Chain(fact) => {
                note("coins are credited", chains::kinds(&fact).contains(&CreditKind::Credited));
                note("small deposits are credited", matches!(fact, ChainFact::SmallDepositsCredited(_)));
                note("a withdrawal is paid", matches!(&fact, ChainFact::BlockTaken(f) if !f.own.is_empty()));
                note("a withdrawal is settled inside", matches!(fact, ChainFact::SettledInside(_)));
            }
            Fact::Stock(StockFact::ActionApplied(f)) => note("a holder goes through an action", f.account.0 > 100_000),
            Fact::Stock(StockFact::SessionChanged(f)) => {
                note("a day of stocks is over", f.phase == SessionPhase::Closed)
            }
            _ => {}
        }
    }
}

fn run_seed(seed: u64, steps: usize, seen: &mut BTreeMap<&'static str, usize>) -> (usize, u64) {
    let mut x = setup();
    let mut dice = Dice(seed);
    let mut keys = 0;
    for n in 0..steps {
        // Several commands in flight at once, in one turn.
        for _ in 0..=dice.below(4) {
            step(&mut x, &mut dice, &mut keys);
        }
        x.run();
        x.audit();
        if n % 250 == 249 {
            x.check_fold();
        }
    }
    drain(&mut x);
    note_rare(&x, seen);
    (x.journal.records().len(), x.cell.counters().rejects)
}

/// Cancels and closes everything: all locks must return.
fn drain(x: &mut Exchange) {
    // Twice: a jump waits for a second tick.
    for _ in 0..2 {
        let said = SourcePrice { source: 0, price: Amount::whole(5) };
        x.send(None, Command::Price(PriceId(1), PriceCommand::Push(said)));
    }
    // Copies become own tickets, and shares are settled.
    for n in 0..USERS {
        let end = AccountCommand::Copy(CopyCommand::SetTrader(None));
        x.send(None, Command::Account(AccountId(100_001 + n), end));
    }
    for n in 0..USERS {
        let who = AccountId(100_001 + n);
        let close = TicketCommand::CloseAll { contract: None, direction: None };
        x.send(None, Command::Account(who, AccountCommand::Tickets(close)));
        let waiting = x.cell.world().accounts().get(who).map_or_else(Vec::new, |account| account.tickets().to_vec());
        for ticket in waiting {
            x.send(None, Command::Account(who, AccountCommand::Tickets(TicketCommand::Cancel(ticket.id()))));
        }
    }
    for market in [1, 2, 3, 384, 385] {
        x.send(None, Command::Market(MarketId(market), MarketCommand::SetState(MarketState::Halt)));
        for n in 0..USERS {
            x.send(
                None,
                Command::Account(
                    AccountId(100_001 + n),
                    AccountCommand::Spot(SpotCommand::CancelAll(MarketId(market))),
                ),
            );
        }
    }
    withdrawals::finish(x);
    // Rounds of options end, and campaigns.
    x.advance(3_700_000_000_000);
    x.run();
    assert!(x.cell.world().rounds().is_empty(), "no round is left");
    x.audit();
    for (id, account) in x.cell.world().accounts().iter() {
        assert!(account.balances().iter().all(|b| b.locked == Amount::ZERO), "{id} has nothing locked");
    }
    for (id, market) in x.cell.world().markets().iter() {
        assert!(market.triggers().is_empty(), "nobody waits on {id}");
        assert!(market.book().0.is_empty() && market.queue().next().is_none(), "the book of {id} is empty");
    }
    x.check_fold();
}

#[test]
fn books_balance_and_facts_say_it_all_under_random_commands() {
    let (mut facts, mut rejects, mut seen) = (0, 0, BTreeMap::new());
    for seed in 1..=12 {
        let (f, r) = run_seed(seed, 1_500, &mut seen);
        facts += f;
        rejects += r;
    }
    println!("12 seeds of 1,500 steps: {facts} facts, {rejects} refusals, every step audited");
    assert!(facts > 10_000 && rejects > 1_000, "both happen often");
    println!("{seen:#?}");
    assert!(seen.values().all(|times| *times > 0), "all of it happens: {seen:?}");
}

#[test]
fn a_snapshot_and_the_tail_give_the_same_state_as_all_facts() {
    let mut x = setup();
    let mut dice = Dice(99);
    let mut keys = 0;
    for _ in 0..3_000 {
        step(&mut x, &mut dice, &mut keys);
        x.run();
    }
    let records = x.journal.records();
    let expected = x.cell.state_hash();
    for _ in 0..100 {
        let cut = dice.below(records.len() as u64) as usize;
        let mut world: World<Plain> = World::default();
        records[..cut].iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
        let (lsn, digest) = (world.lsn(), world.state_hash());
        let entries: Vec<(Vec<u8>, Vec<u8>)> = world.save().collect();
        let mut world: World<Plain> = World::load(entries.into_iter(), lsn, digest).unwrap();
        records[cut..].iter().for_each(|(lsn, bytes)| drop(world.fold(*lsn, bytes).unwrap()));
        assert_eq!(world.state_hash(), expected, "snapshot at {lsn}");
    }
}

fn decoded(records: &[(Lsn, Vec<u8>)], into: &mut Decoded) {
    let mut batch = Batch::default();
    records.iter().for_each(|(lsn, bytes)| batch.push(*lsn, |out| out.extend_from_slice(bytes)));
    into.clear();
    into.add(&batch);
}

#[test]
fn a_world_folded_apart_is_the_one_that_was_folded_whole() {
    let mut x = setup();
    // At the end no timer waits for another try: when that is due only the world knows in which it ran.
    let (mut dice, mut keys) = (Dice(8), 0);
    while x.cell.counters().digests < 2 {
        step(&mut x, &mut dice, &mut keys);
        x.run();
    }
    let (records, mut group) = (x.journal.records(), Decoded::default());
    let mut world: World<Plain> = World::default();
    let mut rest = &records[..];
    while !rest.is_empty() {
        let mut others = world.split_off();
        for _ in 0..dice.below(4) {
            let (now, later) = rest.split_at(rest.len().min(dice.below(800) as usize));
            decoded(now, &mut group);
            others.fold(&mut group);
            world.fold_accounts(&group).expect("folds");
            rest = later;
        }
        world.join(others);
    }
    let whole = x.cell.world();
    assert!(whole.next_deadline(0, true).is_some(), "a deadline is among what is parted and joined");
    let summary = |world: &World<Plain>| {
        (world.lsn(), world.time(), world.last_digest(), world.entities(), world.next_deadline(0, true))
    };
    assert_eq!(summary(&world), summary(whole));
    assert!(world.save().eq(whole.save()));
    assert_eq!(world.state_hash(), x.cell.state_hash());
}

#[test]
fn digests_stand_in_the_journal_and_catch_a_changed_fact() {
    let mut x = setup();
    for n in 0..10_500u64 {
        let user = AccountId(100_001 + n % USERS);
        let transfer = AccountCommand::Transfer {
            asset: USDT,
            from: if (n / USERS).is_multiple_of(2) { Wallet::Spot } else { Wallet::Funding },
            to: if (n / USERS).is_multiple_of(2) { Wallet::Funding } else { Wallet::Spot },
            amount: Amount::whole(1),
        };
        x.submit(None, Command::Account(user, transfer));
    }
    x.run();
    assert_eq!(x.cell.counters().digests, 1);
    x.check_fold();
    let mut records = x.journal.records();
    // One transfer of one whole becomes one of two: still balanced, but not what happened.
    let out_of_spot = |bytes: &[u8]| {
        let fact = Record::decode(bytes).unwrap().fact;
        matches!(fact, Fact::Account(AccountFact::Transferred(t)) if t.from == Wallet::Spot)
    };
    let at = records.iter().rposition(|(_, bytes)| out_of_spot(bytes)).expect("a transfer") - 9_000;
    let at = at + records[at..].iter().position(|(_, bytes)| out_of_spot(bytes)).expect("a transfer");
    let mut record = Record::decode(&records[at].1).unwrap();
    if let Fact::Account(AccountFact::Transferred(t)) = &mut record.fact {
        t.amount = Amount::whole(2);
    }
    records[at].1.clear();
    record.encode(&mut records[at].1);
    let mut world: World<Plain> = World::default();
    let broken = records.iter().find_map(|(lsn, bytes)| world.fold(*lsn, bytes).err());
    assert!(matches!(broken, Some(xng_cell::FoldError::Digest { .. })), "{broken:?}");

    let (mut world, mut group): (World<Plain>, _) = (World::default(), Decoded::default());
    let mut others = world.split_off();
    decoded(&records, &mut group);
    others.fold(&mut group);
    assert_eq!(world.fold_accounts(&group).err(), broken, "folded apart, too");
}
