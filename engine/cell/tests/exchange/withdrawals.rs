//! Withdrawals through the cell: limits, votes, transactions, blocks that take them, cancels that come too late.

use crate::chains::{ALICE, BOB, BTC, CHAIN, block, funding, key, read, refused, send, take};
use crate::properties::Dice;
use crate::stocks::facts;
use crate::support::Exchange;
use xng_core::account::{AccountCommand, Tier};
use xng_core::chain::facts::{ChainFact, HaltReason};
use xng_core::chain::withdrawal_facts::{EndOfWithdrawal, OwnTransaction, TransactionPlanned, Vote};
use xng_core::chain::{
    Attempt, Chain, ChainCommand, CoinTransaction, FinalBlock, Key, Plan, PlanId, Spend, TxId, Units, WithdrawalId,
    WithdrawalRequest, WithdrawalTerms, flags,
};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, RequestKey, Wallet};
use xng_core::money::Amount;
use xng_core::record::Fact;
use xng_core::reject::Reject;

const HOUR_NS: u64 = 3_600 * 1_000_000_000;

pub(crate) fn terms() -> WithdrawalTerms {
    WithdrawalTerms {
        chain: CHAIN,
        version: 0,
        open: true,
        fee: Amount(2_000),
        min: Amount(10_000),
        max: Amount(1_000_000),
        daily_limit: Amount(1_500_000),
        most_open: 3,
        auto_each: Amount(100_000),
        auto_day: Amount(150_000),
        auto_hour: Amount(1_000_000),
        two_votes_above: Amount(500_000),
        most_a_transaction: Amount(1_200_000),
        most_chain_fee: Units(50_000),
        bump_after_ms: 60_000,
        daily_limit_advanced: Amount(2_500_000),
        token: None,
    }
}

pub(crate) fn wanted(number: i128) -> WithdrawalRequest {
    WithdrawalRequest {
        asset: BTC,
        number: Amount(number),
        address: "bcrt1qelsewhere".into(),
        script_bytes: 22,
        inside: None,
        flags: 0,
        version: 1,
    }
}

/// So many people, by name, say how well an account's owner is known.
pub(crate) fn set_tier(account: AccountId, tier: Tier, people: usize) -> Command {
    let by = ["ann", "ben"][..people].iter().map(|name| (*name).to_owned()).collect();
    Command::Account(account, AccountCommand::SetTier { tier, case: 7, by, country: None })
}

fn ask(account: AccountId, wanted: WithdrawalRequest) -> Command {
    Command::Account(account, AccountCommand::Withdraw { chain: CHAIN, wanted: Box::new(wanted) })
}

fn request(x: &mut Exchange, account: AccountId, wanted: WithdrawalRequest) -> Result<WithdrawalId, Reject> {
    match x.send(None, ask(account, wanted)) {
        Reply::Accepted(Accepted::Withdrawal(id)) => Ok(id),
        Reply::Rejected(reject) => Err(reject),
        other => panic!("{other:?}"),
    }
}

fn vote(withdrawal: WithdrawalId, who: &str, agrees: bool) -> ChainCommand {
    let vote = Vote { who: who.into(), reason: "looked at".into() };
    ChainCommand::Vote { withdrawal, vote, agrees, seen: None }
}

fn balance(x: &Exchange, account: AccountId) -> (i128, i128) {
    let account = x.cell.world().accounts().get(account).expect("an account");
    let balance = account.balance(Wallet::Funding, BTC);
    (balance.available.0, balance.locked.0)
}

/// Alice has 3,000,000 in three coins, Bob 1,000,000 in one.
fn funded() -> Exchange {
    let mut x = read();
    send(&mut x, take(block(101, &[(0, 1_000_000), (0, 1_500_000), (0, 500_000), (1, 1_000_000)])));
    for account in [ALICE, BOB] {
        x.ok(set_tier(account, Tier::Basic, 1));
    }
    send(&mut x, ChainCommand::SetTerms(Box::new(terms())));
    x
}

fn planned(x: &Exchange) -> TransactionPlanned {
    let all = facts(x);
    let last = all.iter().rev().find_map(|fact| match fact {
        Fact::Chain(ChainFact::TransactionPlanned(f)) => Some((**f).clone()),
        _ => None,
    });
    last.expect("a transaction was made")
}

fn txid(plan: PlanId, attempt: u32) -> TxId {
    let mut bytes = [9; 32];
    bytes[0] = plan.0 as u8;
    bytes[1] = attempt as u8;
    TxId(bytes)
}

fn sign(x: &mut Exchange, f: &TransactionPlanned) -> TxId {
    let (plan, attempt) = (f.plan, f.attempt);
    let txid = txid(plan, attempt);
    let raw = vec![plan.0 as u8, attempt as u8];
    x.ok(Command::Chain(CHAIN, ChainCommand::Signed { plan, attempt, txid, raw }));
    txid
}

fn taking(height: u64, txid: TxId, transaction: &CoinTransaction) -> FinalBlock {
    let spends = transaction.inputs.iter().map(|coin| Spend { coin: coin.at, by: txid }).collect();
    FinalBlock { spends, ..block(height, &[]) }
}

fn own(x: &Exchange) -> Vec<OwnTransaction> {
    let all = facts(x);
    let own = all.iter().filter_map(|fact| match fact {
        Fact::Chain(ChainFact::BlockTaken(f)) => Some(f.own.clone()),
        _ => None,
    });
    own.flatten().collect()
}

/// All facts of withdrawals; one is signed and one waits for a second person at the end.
pub(crate) fn every_fact(x: &mut Exchange) {
    send(x, take(FinalBlock { part: 1, known: 2, ..block(104, &[]) }));
    send(x, take(block(105, &[(0, 2_000_000), (0, 1_000_000), (1, 1_000_000)])));
    send(x, ChainCommand::SetTerms(Box::new(terms())));
    for account in [ALICE, BOB] {
        x.ok(set_tier(account, Tier::Basic, 1));
        x.ok(set_tier(account, Tier::Advanced, 1));
    }
    x.ok(set_tier(BOB, Tier::Basic, 2));
    request(x, ALICE, wanted(50_000)).unwrap();
    send(x, ChainCommand::Plan { rate: 2_000 });
    let first = planned(x);
    sign(x, &first);
    x.advance(HOUR_NS);
    send(x, ChainCommand::Bump { plan: first.plan, rate: 20_000 });
    let second = planned(x);
    let id = sign(x, &second);
    send(x, take(taking(106, id, &second.transaction)));
    let refused = request(x, ALICE, wanted(200_000)).unwrap();
    send(x, vote(refused, "ann", false));
    let back = request(x, ALICE, wanted(200_000)).unwrap();
    send(x, ChainCommand::Cancel { account: ALICE, withdrawal: back });
    request(x, ALICE, WithdrawalRequest { inside: Some(key(1)), ..wanted(20_000) }).unwrap();
    let inside = WithdrawalRequest { inside: Some(key(0)), flags: flags::FIRST, ..wanted(30_000) };
    let inside = request(x, BOB, inside).unwrap();
    send(x, vote(inside, "ann", true));
    request(x, BOB, wanted(40_000)).unwrap();
    send(x, ChainCommand::Plan { rate: 2_000 });
    let last = planned(x);
    sign(x, &last);
    let waits = request(x, BOB, wanted(600_000)).unwrap();
    send(x, vote(waits, "ann", true));
    // The node shows all coins, and then one unit less.
    let held = x.cell.world().chains().get(CHAIN).unwrap().held(BTC);
    for found in [held, Units(held.0 - 1)] {
        send(x, ChainCommand::CheckReserve { height: 106, token: None, found, besides: Units(546) });
    }
}

#[test]
fn a_withdrawal_is_locked_planned_signed_and_paid() {
    let mut x = funded();
    let id = request(&mut x, ALICE, wanted(50_000)).unwrap();
    assert_eq!(balance(&x, ALICE), (2_950_000, 50_000));
    x.audit();
    send(&mut x, ChainCommand::Plan { rate: 10_000 });
    let f = planned(&x);
    // The oldest coin; 141 virtual bytes at 10 a byte, with change.
    assert_eq!((f.transaction.inputs.len(), f.transaction.fee), (1, Units(1_410)));
    assert_eq!(f.transaction.payments[0].units, Units(48_000));
    let (to, change) = f.transaction.change.unwrap();
    assert_eq!((to, change.0), (Key { change: true, ..key(0) }, f.transaction.inputs[0].units.0 - 48_000 - 1_410));
    assert_eq!(refused(&mut x, ChainCommand::Cancel { account: ALICE, withdrawal: id }), Reject::WithdrawalDone);
    assert_eq!(refused(&mut x, vote(id, "ann", false)), Reject::WithdrawalDone);
    let txid = sign(&mut x, &f);
    // Asked twice the signer says the same.
    let again = ChainCommand::Signed { plan: f.plan, attempt: 0, txid, raw: vec![1, 0] };
    assert!(matches!(send(&mut x, again), Reply::Accepted(Accepted::Done)));
    assert_eq!(balance(&x, ALICE), (2_950_000, 50_000), "nothing has left yet");
    send(&mut x, take(taking(102, txid, &f.transaction)));
    assert_eq!(balance(&x, ALICE), (2_950_000, 0));
    let amount = |account| funding(&x, account).0;
    assert_eq!((amount(AccountId::FEE), amount(AccountId::NETWORK_EXPENSE)), (2_000, -1_410));
    assert_eq!(amount(AccountId::custody(1)), -4_000_000 + 48_000 + 1_410);
    let chain = x.cell.world().chains().get(CHAIN).unwrap();
    assert_eq!(chain.held(BTC), Units(4_000_000 - 48_000 - 1_410));
    assert!(chain.open_withdrawals().next().is_none() && chain.plans().next().is_none());
    // Its change pays the next one; a block that is read again pays nobody.
    assert_eq!(refused(&mut x, take(taking(102, txid, &f.transaction))), Reject::NotNextBlock);
    x.audit();
    x.check_fold();
}

#[test]
fn a_tier_has_its_limit_and_two_people_take_it_back() {
    let mut x = read();
    send(&mut x, take(block(101, &[(0, 1_000_000_000)])));
    send(&mut x, ChainCommand::SetTerms(Box::new(terms())));
    let rejects = |x: &mut Exchange, command| match x.send(None, command) {
        Reply::Rejected(reject) => reject,
        other => panic!("{other:?}"),
    };
    assert_eq!(rejects(&mut x, set_tier(ALICE, Tier::Unverified, 1)), Reject::AlreadyExists);
    assert_eq!(rejects(&mut x, set_tier(ALICE, Tier::Basic, 0)), Reject::BadParameters);
    assert_eq!(rejects(&mut x, set_tier(ALICE, Tier::Advanced, 1)), Reject::Unverified, "one step after the other");
    x.ok(set_tier(ALICE, Tier::Basic, 1));
    request(&mut x, ALICE, wanted(1_000_000)).unwrap();
    assert_eq!(request(&mut x, ALICE, wanted(500_001)), Err(Reject::AboveDailyLimit));
    // What was withdrawn before counts against the larger limit.
    x.ok(set_tier(ALICE, Tier::Advanced, 1));
    request(&mut x, ALICE, wanted(1_000_000)).unwrap();
    assert_eq!(request(&mut x, ALICE, wanted(500_001)), Err(Reject::AboveDailyLimit));
    let limits = |x: &Exchange| {
        let all = facts(x);
        let limit = |fact: &Fact| match fact {
            Fact::Chain(ChainFact::WithdrawalRequested(f)) => Some(f.daily_limit.0),
            _ => None,
        };
        all.iter().filter_map(limit).collect::<Vec<i128>>()
    };
    assert_eq!(limits(&x), [1_500_000, 2_500_000], "a request has the limit that it was held to");
    // One person twice is one person.
    let by = vec!["ann".into(), " Ann".into()];
    let twice = AccountCommand::SetTier { tier: Tier::Basic, case: 8, by, country: None };
    assert_eq!(rejects(&mut x, Command::Account(ALICE, twice)), Reject::NotTwoPeople);
    x.ok(set_tier(ALICE, Tier::Basic, 2));
    assert_eq!(request(&mut x, ALICE, wanted(10_000)), Err(Reject::AboveDailyLimit), "the limit drops at once");
    x.ok(set_tier(ALICE, Tier::Unverified, 2));
    assert_eq!(request(&mut x, ALICE, wanted(10_000)), Err(Reject::Unverified));
    x.audit();
    x.check_fold();
}

#[test]
fn requests_are_held_to_the_terms() {
    let mut x = read();
    send(&mut x, take(block(101, &[(0, 1_000_000_000)])));
    assert_eq!(request(&mut x, ALICE, wanted(50_000)), Err(Reject::Unverified));
    x.ok(set_tier(ALICE, Tier::Basic, 1));
    assert_eq!(request(&mut x, ALICE, wanted(50_000)), Err(Reject::WithdrawalsClosed));
    send(&mut x, ChainCommand::SetTerms(Box::new(terms())));
    let cases = [
        (wanted(0), Reject::BadAmount),
        (wanted(9_999), Reject::BelowMinAmount),
        (wanted(1_000_001), Reject::AboveMaxAmount),
        (wanted(2_000_000_000), Reject::InsufficientBalance),
        (WithdrawalRequest { version: 0, ..wanted(50_000) }, Reject::StaleTerms),
        (WithdrawalRequest { address: " ".into(), ..wanted(50_000) }, Reject::BadDestination),
        (WithdrawalRequest { address: "a\nb".into(), ..wanted(50_000) }, Reject::BadDestination),
        (WithdrawalRequest { script_bytes: 0, ..wanted(50_000) }, Reject::BadDestination),
        // An own address, and one of nobody.
        (WithdrawalRequest { inside: Some(key(0)), ..wanted(50_000) }, Reject::BadDestination),
        (WithdrawalRequest { inside: Some(key(7)), ..wanted(50_000) }, Reject::BadDestination),
    ];
    for (wanted, expected) in cases {
        assert_eq!(request(&mut x, ALICE, wanted.clone()), Err(expected), "{wanted:?}");
    }
    // The limit of 24 hours, to the unit and to the nanosecond.
    request(&mut x, ALICE, wanted(1_000_000)).unwrap();
    let began = x.cell.clock().0;
    x.advance(HOUR_NS);
    assert_eq!(request(&mut x, ALICE, wanted(500_001)), Err(Reject::AboveDailyLimit));
    let second = request(&mut x, ALICE, wanted(500_000)).unwrap();
    assert_eq!(request(&mut x, ALICE, wanted(10_000)), Err(Reject::AboveDailyLimit));
    // What was taken back does not count.
    send(&mut x, ChainCommand::Cancel { account: ALICE, withdrawal: second });
    request(&mut x, ALICE, wanted(400_000)).unwrap();
    request(&mut x, ALICE, wanted(100_000)).unwrap();
    assert_eq!(request(&mut x, ALICE, wanted(10_000)), Err(Reject::TooManyWithdrawals));
    let now = began + 24 * HOUR_NS + 1_000_000;
    let chain = x.cell.world().chains().get(CHAIN).unwrap();
    assert_eq!(chain.withdrawn(ALICE, BTC, now), Amount(500_000));
    x.audit();
    x.check_fold();
}

#[test]
fn people_agree_each_once_or_one_refuses() {
    let mut x = funded();
    let id = request(&mut x, ALICE, wanted(600_000)).unwrap();
    send(&mut x, ChainCommand::Plan { rate: 1_000 });
    let none = |x: &Exchange| x.cell.world().chains().get(CHAIN).unwrap().plans().count() == 0;
    assert!(none(&x), "two people have to agree");
    send(&mut x, vote(id, "ann", true));
    assert_eq!(refused(&mut x, vote(id, "ann", true)), Reject::NotTwoPeople);
    // Who signed what was shown before the first vote signed something else.
    let ben = || Vote { who: "ben".into(), reason: "looked at".into() };
    let seen = |seen| ChainCommand::Vote { withdrawal: id, vote: ben(), agrees: true, seen: Some(seen) };
    assert_eq!(refused(&mut x, seen(0)), Reject::VotedMeanwhile);
    assert_eq!(refused(&mut x, seen(2)), Reject::VotedMeanwhile);
    send(&mut x, ChainCommand::Plan { rate: 1_000 });
    assert!(none(&x), "one has");
    send(&mut x, seen(1));
    assert_eq!(refused(&mut x, vote(id, "cid", true)), Reject::WithdrawalDone);
    send(&mut x, ChainCommand::Plan { rate: 1_000 });
    assert_eq!(planned(&x).withdrawals, [id]);
    // What is unusual is looked at, and what comes to more than a day's.
    let unusual = request(&mut x, BOB, WithdrawalRequest { flags: flags::NEW_ADDRESS, ..wanted(20_000) }).unwrap();
    for who in [" ", "Ann", "ann ", "an  n", "\u{e4}nn"] {
        assert_eq!(refused(&mut x, vote(unusual, who, true)), Reject::BadParameters, "{who:?}");
    }
    send(&mut x, vote(unusual, "ann", false));
    assert_eq!(balance(&x, BOB), (1_000_000, 0));
    let ended = facts(&x).into_iter().find_map(|fact| match fact {
        Fact::Chain(ChainFact::WithdrawalEnded(f)) => Some((f.end, f.vote.map(|vote| vote.reason))),
        _ => None,
    });
    assert_eq!(ended, Some((EndOfWithdrawal::Refused, Some("looked at".into()))));
    let needed =
        |x: &Exchange, id| x.cell.world().chains().get(CHAIN).unwrap().withdrawal(id).unwrap().withdrawal.needed;
    let first = request(&mut x, BOB, wanted(100_000)).unwrap();
    let second = request(&mut x, BOB, wanted(50_001)).unwrap();
    assert_eq!((needed(&x, first), needed(&x, second)), (0, 1), "150,000 a day without people");
    assert_eq!(refused(&mut x, ChainCommand::Cancel { account: ALICE, withdrawal: second }), Reject::UnknownWithdrawal);
    assert_eq!(
        refused(&mut x, ChainCommand::Cancel { account: BOB, withdrawal: WithdrawalId::of(CHAIN, 99) }),
        Reject::UnknownWithdrawal
    );
    send(&mut x, ChainCommand::Cancel { account: BOB, withdrawal: second });
    assert_eq!(refused(&mut x, ChainCommand::Cancel { account: BOB, withdrawal: second }), Reject::WithdrawalDone);
    x.audit();
    x.check_fold();
}

#[test]
fn another_user_is_paid_without_the_chain() {
    let mut x = funded();
    let to_bob = WithdrawalRequest { inside: Some(key(1)), ..wanted(50_000) };
    let key_of = Some(RequestKey { key: 77, body: 1 });
    let first = x.send(key_of, ask(ALICE, to_bob.clone()));
    let again = x.send(key_of, ask(ALICE, to_bob.clone()));
    let (Reply::Accepted(told), Reply::Known(known)) = (first, again) else { panic!("answered once") };
    assert_eq!(told, known);
    assert_eq!((balance(&x, ALICE), balance(&x, BOB)), ((2_950_000, 0), (1_050_000, 0)));
    let id = request(&mut x, ALICE, WithdrawalRequest { flags: flags::NEW_SESSION, ..to_bob }).unwrap();
    assert_eq!((balance(&x, ALICE), balance(&x, BOB)), ((2_900_000, 50_000), (1_050_000, 0)));
    send(&mut x, vote(id, "ann", true));
    assert_eq!((balance(&x, ALICE), balance(&x, BOB)), ((2_900_000, 0), (1_100_000, 0)));
    assert_eq!(x.cell.world().chains().get(CHAIN).unwrap().held(BTC), Units(4_000_000));
    x.audit();
    x.check_fold();
}

#[test]
fn any_transaction_of_a_plan_may_be_taken_and_only_one() {
    for taken in [0, 1] {
        let mut x = funded();
        request(&mut x, ALICE, wanted(50_000)).unwrap();
        request(&mut x, BOB, wanted(60_000)).unwrap();
        send(&mut x, ChainCommand::Plan { rate: 2_000 });
        let first = planned(&x);
        assert_eq!(first.transaction.payments.len(), 2, "one transaction for both");
        // Not before it is signed, nor too early.
        send(&mut x, ChainCommand::Bump { plan: first.plan, rate: 50_000 });
        sign(&mut x, &first);
        send(&mut x, ChainCommand::Bump { plan: first.plan, rate: 50_000 });
        assert_eq!(planned(&x), first);
        x.advance(61_000 * 1_000_000);
        // Nothing is to be done while it pays what is asked for.
        send(&mut x, ChainCommand::Bump { plan: first.plan, rate: 2_000 });
        assert_eq!(planned(&x), first);
        send(&mut x, ChainCommand::Bump { plan: first.plan, rate: 2_100 });
        let second = planned(&x);
        assert_eq!((second.attempt, &second.transaction.inputs), (1, &first.transaction.inputs));
        assert!(second.transaction.fee.0 >= first.transaction.fee.0 + 172, "it pays for its own way, too");
        sign(&mut x, &second);
        let f = [&first, &second][taken];
        send(&mut x, take(taking(102, txid(f.plan, f.attempt), &f.transaction)));
        assert_eq!(own(&x)[0].attempt, taken as u32);
        assert_eq!((balance(&x, ALICE), balance(&x, BOB)), ((2_950_000, 0), (940_000, 0)));
        assert_eq!(funding(&x, AccountId::NETWORK_EXPENSE).0, -(f.transaction.fee.0 as i128));
        x.audit();
        x.check_fold();
    }
}

#[test]
fn a_transaction_pays_no_more_than_it_may() {
    let mut x = read();
    for account in [ALICE, BOB] {
        x.ok(set_tier(account, Tier::Basic, 1));
    }
    send(&mut x, take(block(101, &[(0, 9_000_000), (1, 9_000_000)])));
    let most_a_transaction = Amount(200_000);
    let wide =
        WithdrawalTerms { max: most_a_transaction, auto_each: most_a_transaction, most_a_transaction, ..terms() };
    send(&mut x, ChainCommand::SetTerms(Box::new(WithdrawalTerms { auto_day: Amount(400_000), ..wide.clone() })));
    let above = WithdrawalTerms { version: 1, max: Amount(200_001), ..wide.clone() };
    assert_eq!(refused(&mut x, ChainCommand::SetTerms(Box::new(above))), Reject::BadParameters);
    let dust = WithdrawalTerms { version: 1, min: Amount(2_999), ..wide };
    assert_eq!(refused(&mut x, ChainCommand::SetTerms(Box::new(dust))), Reject::BadParameters);
    for account in [ALICE, ALICE, BOB] {
        request(&mut x, account, wanted(100_000)).unwrap();
    }
    send(&mut x, ChainCommand::Plan { rate: 1_000 });
    assert_eq!(planned(&x).withdrawals.len(), 2, "98,000 arrive of each");
    send(&mut x, ChainCommand::Plan { rate: 1_000 });
    assert_eq!(planned(&x).withdrawals.len(), 1);
    x.audit();
    x.check_fold();
}

#[test]
fn nothing_is_settled_inside_while_the_chain_is_halted() {
    let mut x = funded();
    let inside = WithdrawalRequest { inside: Some(key(1)), flags: flags::FIRST, ..wanted(50_000) };
    let id = request(&mut x, ALICE, inside).unwrap();
    send(&mut x, ChainCommand::Halt);
    assert_eq!(refused(&mut x, vote(id, "ann", true)), Reject::ChainClosed);
    send(&mut x, ChainCommand::Resume);
    send(&mut x, vote(id, "ann", true));
    assert_eq!(balance(&x, BOB), (1_050_000, 0));
    x.audit();
    x.check_fold();
}

#[test]
fn coins_that_no_plan_spends_halt_the_chain() {
    let mut x = funded();
    request(&mut x, ALICE, wanted(50_000)).unwrap();
    send(&mut x, ChainCommand::Plan { rate: 2_000 });
    let f = planned(&x);
    sign(&mut x, &f);
    // The same coins, by another transaction.
    send(&mut x, take(taking(102, TxId([3; 32]), &f.transaction)));
    let chain = x.cell.world().chains().get(CHAIN).unwrap();
    assert_eq!(chain.halted(), Some(HaltReason::Spent));
    assert_eq!(balance(&x, ALICE), (2_950_000, 50_000), "nothing is decided about the withdrawal");
    assert_eq!(request(&mut x, ALICE, wanted(20_000)), Err(Reject::ChainClosed));
    assert_eq!(refused(&mut x, ChainCommand::Plan { rate: 2_000 }), Reject::ChainClosed);
    x.audit();
    x.check_fold();
}

#[test]
fn coins_are_chosen_so_that_the_fee_stays_small() {
    let mut x = read();
    x.ok(set_tier(ALICE, Tier::Basic, 1));
    // Many that are hardly worth their fee, and a large one.
    let dust: Vec<(u32, u128)> = (0..150).map(|_| (0, 10_000)).chain([(0, 5_000_000)]).collect();
    send(&mut x, take(block(101, &dust)));
    send(
        &mut x,
        ChainCommand::SetTerms(Box::new(WithdrawalTerms {
            auto_each: Amount(900_000),
            auto_day: Amount(900_000),
            ..terms()
        })),
    );
    request(&mut x, ALICE, wanted(400_000)).unwrap();
    // 68 bytes an input at 150: each costs more than it brings.
    send(&mut x, ChainCommand::Plan { rate: 150_000 });
    let f = planned(&x);
    assert_eq!((f.transaction.inputs.len(), f.transaction.inputs[0].units), (1, Units(5_000_000)));
    // What costs more than the terms allow is not made.
    request(&mut x, ALICE, wanted(400_000)).unwrap();
    assert_eq!(refused(&mut x, ChainCommand::Plan { rate: 1_000_000 }), Reject::InsufficientBalance);
    // Later, when miners ask for less, 100 inputs are the most.
    send(&mut x, ChainCommand::Plan { rate: 1_000 });
    let f = planned(&x);
    assert!(f.transaction.inputs.len() <= 100 && f.transaction.fee.0 <= 50_000, "{:?}", f.transaction.fee);
    x.audit();
    x.check_fold();
}

/// Nothing is left: what waits is refused, what is in a transaction is paid.
pub(crate) fn finish(x: &mut Exchange) {
    fn chain(x: &Exchange) -> &Chain {
        x.cell.world().chains().get(CHAIN).expect("it was listed")
    }
    send(x, ChainCommand::Resume);
    let open: Vec<WithdrawalId> = chain(x).open_withdrawals().map(|open| open.withdrawal.withdrawal).collect();
    open.into_iter().for_each(|id| drop(send(x, vote(id, "dee", false))));
    loop {
        let first = chain(x).plans().next().cloned();
        let Some(Plan { plan, attempts, .. }) = first else { return };
        let (n, Attempt { transaction, signed, .. }) = attempts.into_iter().enumerate().next_back().unwrap();
        let (attempt, id) = (n as u32, signed.map_or(txid(plan, n as u32), |signed| signed.txid));
        send(x, ChainCommand::Signed { plan, attempt, txid: id, raw: vec![1] });
        let cursor = chain(x).cursor().unwrap();
        let (height, part) = (cursor.height + u64::from(cursor.whole), if cursor.whole { 0 } else { cursor.parts });
        let known = if cursor.whole { 0 } else { cursor.known };
        let spends = transaction.inputs.iter().map(|coin| Spend { coin: coin.at, by: id }).collect();
        send(x, take(FinalBlock { from: cursor.hash, part, known, spends, ..block(height, &[]) }));
    }
}

/// What a block spends of ours: a transaction that is signed, by chance.
pub(crate) fn spends(x: &Exchange, dice: &mut Dice) -> Vec<Spend> {
    let plans = x.cell.world().chains().get(CHAIN).into_iter().flat_map(|chain| chain.plans());
    let attempts = plans.flat_map(|plan| &plan.attempts);
    let signed = attempts.filter_map(|attempt| Some((attempt.signed.as_ref()?.txid, &attempt.transaction)));
    let all: Vec<_> = signed.collect();
    let some = all.get(dice.below(all.len().max(1) as u64 * 2) as usize);
    let coins = some.into_iter().flat_map(|(by, of)| of.inputs.iter().map(|coin| Spend { coin: coin.at, by: *by }));
    coins.collect()
}

/// Withdrawals, votes and transactions by chance.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> Command {
    let Some(chain) = x.cell.world().chains().get(CHAIN) else { return ask(account, wanted(0)) };
    let send = |command| Command::Chain(CHAIN, command);
    let open: Vec<WithdrawalId> = chain.open_withdrawals().map(|open| open.withdrawal.withdrawal).collect();
    let any = |dice: &mut Dice| open.get(dice.below(open.len().max(1) as u64) as usize).copied();
    let plan = chain.plans().next();
    let tier = x.cell.world().accounts().get(account).map_or(Tier::Unverified, |account| account.tier());
    if tier == Tier::Unverified && dice.below(4) > 0 {
        return set_tier(account, Tier::Basic, 1);
    }
    if dice.below(20) == 0 {
        return set_tier(account, Tier::ALL[dice.below(3) as usize], 1 + dice.below(2) as usize);
    }
    match dice.below(8) {
        0 if chain.coin_terms().is_none() => send(ChainCommand::SetTerms(Box::new(terms()))),
        1 => any(dice).map_or(send(ChainCommand::Plan { rate: 1 }), |id| {
            send(vote(id, ["ann", "ben"][dice.below(2) as usize], dice.below(5) > 0))
        }),
        2 => send(ChainCommand::Cancel { account, withdrawal: any(dice).unwrap_or_default() }),
        3 => send(ChainCommand::Plan { rate: 1_000 + dice.below(20_000) }),
        4 => match plan.map(|plan| (plan, plan.attempts.len() - 1)) {
            Some((plan, n)) => send(ChainCommand::Signed {
                plan: plan.plan,
                attempt: n as u32,
                txid: txid(plan.plan, n as u32),
                raw: vec![plan.plan.0 as u8],
            }),
            None => send(ChainCommand::Bump { plan: PlanId(1), rate: 5_000 }),
        },
        _ => {
            let inside = (dice.below(2) == 0).then(|| key(dice.below(4) as u32));
            let flags = u32::from(dice.below(3) == 0);
            ask(account, WithdrawalRequest { inside, flags, ..wanted(i128::from(dice.below(80_000))) })
        }
    }
}
