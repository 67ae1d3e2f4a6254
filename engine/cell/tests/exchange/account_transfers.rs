//! Transactions of chains of accounts through the cell: payments, sweeps and gas for them, replacements, payments that moved nothing.

use crate::account_chains::{
    COIN_GAS, CONTRACT, DOLLAR, ETHER, GWEI, HOT, MINUTE_NS, PLAIN_GAS, TOKEN_GAS, at, audited, balance, block, bump,
    chain, funded, key, last_planned, next, ok, own, params, plan, planned, read, refused, request, restarted, send,
    set, settle, settled, sign, state, take, take_own, vote, wanted, with_terms,
};
use crate::chains::{ALICE, BOB};
use crate::stocks::facts;
use crate::support::{ETH, Exchange, USDT};
use xng_core::chain::facts::HaltReason;
use xng_core::chain::withdrawal_facts::Payee;
use xng_core::chain::{
    AccountKey, ChainCommand, ChainParams, GasPrice, Key, OwnTransfer, PlanId, Recipient, TransferBlock, TxId, Units,
    WithdrawalState,
};
use xng_core::entity::{Accepted, Reply};
use xng_core::ids::AccountId;
use xng_core::money::{Amount, ONE};
use xng_core::reject::Reject;

#[test]
fn coin_is_swept_and_pays_a_withdrawal() {
    let mut x = read();
    with_terms(&mut x);
    ok(&mut x, take(block(101, &[(0, ETH, 5 * ETHER), (1, ETH, ETHER / 20 - 1)])));
    let sweep = planned(&mut x, 10);
    let stays = 2 * u128::from(PLAIN_GAS) * 10 * GWEI;
    let t = &sweep.transaction;
    assert_eq!((t.from, &t.to, t.nonce, t.token), (key(0), &Recipient::Own(HOT), 0, None));
    assert_eq!((t.units.0, t.gas_limit, sweep.withdrawal), (5 * ETHER - stays, PLAIN_GAS, None));
    // One at a time of each address; Bob's is not worth it.
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 1);
    settle(&mut x, &sweep, true);
    assert_eq!((at(&x, HOT, ETH), at(&x, key(0), ETH)), (5 * ETHER - stays, stays / 2));
    let fee = (stays / 2 / 10_000_000_000) as i128;
    assert_eq!(balance(&x, AccountId::NETWORK_EXPENSE, ETH).0, -fee);
    assert_eq!(balance(&x, ALICE, ETH), (500_000_000, 0), "whose it is does not change");
    let id = request(&mut x, ALICE, wanted(ETH, Amount::whole(1))).unwrap();
    let f = planned(&mut x, 10);
    let t = &f.transaction;
    assert_eq!((t.from, &t.to, t.nonce), (HOT, &Recipient::Address("0xelsewhere".into()), 0));
    assert_eq!((t.units.0, t.gas_limit, f.withdrawal), (ETHER - ETHER / 1_000, COIN_GAS, Some(id)));
    assert_eq!(state(&x, id), WithdrawalState::Planned(f.plan));
    assert_eq!(refused(&mut x, vote(id, "ann", false)), Reject::WithdrawalDone);
    assert_eq!(refused(&mut x, ChainCommand::Cancel { account: ALICE, withdrawal: id }), Reject::WithdrawalDone);
    let signed = sign(&mut x, &f);
    assert_eq!(state(&x, id), WithdrawalState::Signed(f.plan));
    // The signer is asked twice; another transaction is not taken under the same name.
    let again = |txid| ChainCommand::Signed { plan: f.plan, attempt: 0, txid, raw: vec![1] };
    assert!(matches!(send(&mut x, again(signed)), Reply::Accepted(Accepted::Done)));
    assert_eq!(refused(&mut x, again(TxId([1; 32]))), Reject::BadParameters);
    // Gas costs what it costs: what no amount can say of it is paid out of what is kept back of Bob's.
    take_own(&mut x, own(&f, true, 21_000 * 9 * GWEI + 1));
    assert_eq!(settled(&x).fee, Amount(18_900));
    assert_eq!(balance(&x, ALICE, ETH), (400_000_000, 0));
    assert_eq!(balance(&x, AccountId::FEE, ETH).0, 100_000);
    assert_eq!(chain(&x).open_withdrawals().count(), 0);
    assert_eq!(chain(&x).residual(ETH), Units(9_999_999_998));
    audited(&mut x);
}

#[test]
fn fees_are_booked_so_that_what_is_kept_back_stays_positive() {
    let mut x = read();
    with_terms(&mut x);
    // 3 units are kept back of the credit.
    ok(&mut x, take(block(101, &[(0, ETH, 5 * ETHER + 3)])));
    let sweep = planned(&mut x, 10);
    sign(&mut x, &sweep);
    let unit = 10_000_000_000;
    let most = OwnTransfer { fee: Units(sweep.transaction.most_fee().0 + 1), ..own(&sweep, true, 0) };
    let block = TransferBlock { own: vec![most], ..next(&x, &[]) };
    assert_eq!(refused(&mut x, take(block)), Reject::BadParameters, "more than it offered");
    take_own(&mut x, own(&sweep, true, 7 * unit + 3));
    assert_eq!((settled(&x).fee, chain(&x).residual(ETH)), (Amount(7), Units(0)));
    for number in [1, 2] {
        request(&mut x, ALICE, wanted(ETH, Amount(i128::from(number) * ONE / 10))).unwrap();
    }
    let first = planned(&mut x, 10);
    sign(&mut x, &first);
    let second = planned(&mut x, 10);
    sign(&mut x, &second);
    // Both in one block: the second one's rest is paid out of what the first one's leaves.
    let both = vec![own(&first, true, unit + 4), own(&second, true, 2 * unit + unit - 4)];
    let block = TransferBlock { own: both, ..next(&x, &[(1, ETH, ETHER + 1)]) };
    ok(&mut x, take(block));
    // 1 came; 4 are wanting, so one more is booked and unit - 3 is kept; unit - 4 of it pay the second.
    assert_eq!((settled(&x).fee, chain(&x).residual(ETH)), (Amount(2), Units(1)));
    audited(&mut x);
}

#[test]
fn tokens_are_swept_once_their_gas_is_there() {
    let mut x = read();
    with_terms(&mut x);
    ok(&mut x, take(block(101, &[(1, USDT, 400 * DOLLAR)])));
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 0, "nobody has coin for its gas");
    ok(&mut x, take(block(102, &[(0, ETH, 5 * ETHER)])));
    let sweep = planned(&mut x, 10);
    assert_eq!(sweep.transaction.from, key(0));
    settle(&mut x, &sweep, true);
    let top_up = planned(&mut x, 10);
    let fee = u128::from(TOKEN_GAS) * 10 * GWEI;
    let t = &top_up.transaction;
    assert_eq!((t.from, &t.to, t.units.0, t.token), (HOT, &Recipient::Own(key(1)), 2 * fee, None));
    assert_eq!(t.gas_limit, PLAIN_GAS);
    // Once: the address waits for it.
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 1);
    audited(&mut x);
    settle(&mut x, &top_up, true);
    let sweep = planned(&mut x, 15);
    let t = &sweep.transaction;
    assert_eq!((t.from, &t.to, t.token), (key(1), &Recipient::Own(HOT), Some(CONTRACT)));
    assert_eq!((t.units.0, t.gas_limit, t.nonce), (400 * DOLLAR, TOKEN_GAS, 0));
    settle(&mut x, &sweep, true);
    assert_eq!((at(&x, HOT, USDT), at(&x, key(1), USDT)), (400 * DOLLAR, 0));
    assert_eq!(at(&x, key(1), ETH), fee / 2, "what its gas did not take");
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 0, "nothing is left to be swept");
    let id = request(&mut x, BOB, wanted(USDT, Amount::whole(50))).unwrap();
    let f = planned(&mut x, 10);
    let t = &f.transaction;
    assert_eq!((t.from, t.token, t.units.0, t.gas_limit), (HOT, Some(CONTRACT), 49 * DOLLAR, TOKEN_GAS));
    assert_eq!(f.withdrawal, Some(id));
    settle(&mut x, &f, true);
    assert_eq!(balance(&x, BOB, USDT), (35_000_000_000, 0));
    assert_eq!((balance(&x, AccountId::FEE, USDT).0, at(&x, HOT, USDT)), (100_000_000, 351 * DOLLAR));
    audited(&mut x);
}

#[test]
fn a_token_is_swept_before_the_coin_that_pays_its_gas() {
    let mut x = read();
    with_terms(&mut x);
    ok(&mut x, take(block(101, &[(0, ETH, ETHER), (0, USDT, 60 * DOLLAR)])));
    let f = planned(&mut x, 10);
    assert_eq!((f.transaction.from, f.transaction.token), (key(0), Some(CONTRACT)));
    settle(&mut x, &f, true);
    let f = planned(&mut x, 10);
    assert_eq!((f.transaction.from, f.transaction.token), (key(0), None));
    settle(&mut x, &f, true);
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 0);
    audited(&mut x);
}

#[test]
fn what_is_not_there_is_not_paid() {
    let mut x = funded();
    // 5 are there, less what gas took: 5 and its fee cannot be paid, nor 4 while 1 is on its way with its gas.
    request(&mut x, ALICE, wanted(ETH, Amount::whole(1))).unwrap();
    let first = planned(&mut x, 10);
    let second = request(&mut x, ALICE, wanted(ETH, Amount::whole(4))).unwrap();
    ok(&mut x, vote(second, "ann", true));
    assert_eq!(refused(&mut x, plan(10)), Reject::InsufficientBalance);
    // Who asked later for another asset does not wait for it.
    request(&mut x, BOB, wanted(USDT, Amount::whole(50))).unwrap();
    let token = planned(&mut x, 10);
    assert_eq!((token.transaction.token, token.transaction.nonce), (Some(CONTRACT), first.transaction.nonce + 1));
    assert_eq!(refused(&mut x, plan(10)), Reject::InsufficientBalance);
    // Gas that costs more than half of the most is not paid.
    request(&mut x, BOB, wanted(USDT, Amount::whole(60))).unwrap();
    assert_eq!(refused(&mut x, plan(126)), Reject::InsufficientBalance);
    let dear = planned(&mut x, 125);
    assert_eq!(dear.transaction.most_fee(), Units(ETHER / 100));
    for bad in [0, 10_001] {
        assert_eq!(refused(&mut x, plan(bad)), Reject::BadParameters);
    }
    let upside_down = GasPrice { max_fee: 1, max_priority_fee: 2 };
    assert_eq!(refused(&mut x, ChainCommand::PlanTransfer { gas: upside_down }), Reject::BadParameters);
    audited(&mut x);
}

#[test]
fn a_payment_is_made_only_with_its_gas() {
    let mut x = read();
    with_terms(&mut x);
    ok(&mut x, take(block(101, &[(0, ETH, ETHER)])));
    let f = planned(&mut x, 1);
    settle(&mut x, &f, true);
    let has = at(&x, HOT, ETH);
    // What is too little to be swept makes her own more than the hot key has.
    ok(&mut x, take(block(103, &[(0, ETH, ETHER / 25)])));
    // So much that it is there to the unit with its gas at 2, and not at 3.
    let price = 2 * GWEI;
    let units = has - u128::from(COIN_GAS) * price;
    let number = Amount((units / 10_000_000_000) as i128) + Amount(ONE / 1_000);
    let id = request(&mut x, ALICE, wanted(ETH, number)).unwrap();
    ok(&mut x, vote(id, "ann", true));
    assert_eq!(refused(&mut x, plan(3)), Reject::InsufficientBalance);
    let f = planned(&mut x, 2);
    assert!(f.transaction.units.0 + f.transaction.most_fee().0 <= has);
    audited(&mut x);
}

#[test]
fn sixteen_plans_are_open_at_most() {
    let mut x = funded();
    for _ in 0..17 {
        request(&mut x, ALICE, wanted(ETH, Amount(ONE / 100))).unwrap();
        ok(&mut x, plan(1));
    }
    let nonces: Vec<u64> = chain(&x).transfer_plans().map(|plan| plan.last().transaction.nonce).collect();
    assert_eq!(nonces, (1..17).collect::<Vec<u64>>(), "one of the hot key's brought gas before");
    assert_eq!(chain(&x).open_withdrawals().filter(|open| open.plan.is_none()).count(), 1);
    audited(&mut x);
}

#[test]
fn a_replacement_differs_in_prices_alone() {
    for taken in [0, 1] {
        let mut x = funded();
        request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
        request(&mut x, ALICE, wanted(ETH, Amount(ONE / 4))).unwrap();
        let first = planned(&mut x, 10);
        let later = planned(&mut x, 10);
        sign(&mut x, &later);
        x.advance(2 * MINUTE_NS);
        let is_not = |x: &mut Exchange, plan, gwei| {
            let before = facts(x).len();
            ok(x, bump(plan, gwei));
            assert_eq!(facts(x).len(), before);
        };
        is_not(&mut x, first.plan, 20);
        sign(&mut x, &first);
        is_not(&mut x, first.plan, 20);
        x.advance(MINUTE_NS);
        is_not(&mut x, first.plan, 10);
        is_not(&mut x, later.plan, 20);
        is_not(&mut x, first.plan, 401);
        assert_eq!(refused(&mut x, bump(PlanId(99), 20)), Reject::WithdrawalDone);
        // A little more is asked for: an eighth more is offered.
        ok(&mut x, bump(first.plan, 11));
        let second = last_planned(&x);
        let (old, new) = (&first.transaction, &second.transaction);
        assert_eq!((second.attempt, new.max_fee_per_gas), (1, 11_250_000_000));
        assert_eq!((new.max_priority_fee_per_gas, second.withdrawal), (1_125_000_000, first.withdrawal));
        assert_eq!((new.from, new.nonce, &new.to), (old.from, old.nonce, &old.to));
        assert_eq!((new.token, new.units, new.gas_limit), (old.token, old.units, old.gas_limit));
        sign(&mut x, &second);
        audited(&mut x);
        let mut x = restarted(x);
        let f = [&first, &second][taken];
        take_own(&mut x, own(f, true, 5 * GWEI));
        assert_eq!((settled(&x).attempt, settled(&x).plan), (taken as u32, first.plan));
        // The other one is nobody's now: the chain cannot take it, and who shows it is not believed.
        let other = [&second, &first][taken];
        take_own(&mut x, own(other, true, 5 * GWEI));
        assert_eq!(chain(&x).halted(), Some(HaltReason::Spent));
    }
}

#[test]
fn a_replacement_pays_no_more_than_it_may() {
    let mut x = funded();
    request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
    let f = planned(&mut x, 150);
    sign(&mut x, &f);
    x.advance(2 * MINUTE_NS);
    // 50,000 of gas at 400 are all that it may.
    ok(&mut x, bump(f.plan, 401));
    assert_eq!(last_planned(&x), f);
    ok(&mut x, bump(f.plan, 400));
    assert_eq!(last_planned(&x).transaction.most_fee(), Units(ETHER / 50));
    audited(&mut x);
}

#[test]
fn a_replacement_offers_more_to_the_producer_who_was_offered_nothing() {
    let mut x = funded();
    request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
    let nothing = |gwei: u128| GasPrice { max_fee: gwei * GWEI, max_priority_fee: 0 };
    ok(&mut x, ChainCommand::PlanTransfer { gas: nothing(10) });
    let f = last_planned(&x);
    sign(&mut x, &f);
    x.advance(2 * MINUTE_NS);
    ok(&mut x, ChainCommand::BumpTransfer { plan: f.plan, gas: nothing(20) });
    let t = last_planned(&x).transaction;
    assert_eq!((t.max_fee_per_gas, t.max_priority_fee_per_gas), (20 * GWEI, 1));
    audited(&mut x);
}

#[test]
fn a_payment_that_moved_nothing_is_for_people() {
    let mut x = funded();
    let id = request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
    let f = planned(&mut x, 10);
    let before = (at(&x, HOT, ETH), balance(&x, ALICE, ETH));
    sign(&mut x, &f);
    take_own(&mut x, own(&f, false, 100_000 * GWEI));
    let end = settled(&x).transfer.unwrap();
    let (account, asset, number) = (ALICE, ETH, Amount(ONE / 2));
    assert_eq!(end.failed, Some(Payee { withdrawal: id, account, asset, number }));
    assert_eq!((end.moved, settled(&x).paid.len()), (false, 0));
    assert_eq!((at(&x, HOT, ETH), balance(&x, ALICE, ETH)), (before.0 - 100_000 * GWEI, before.1));
    assert_eq!(state(&x, id), WithdrawalState::Pending);
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 0, "people have to agree");
    ok(&mut x, vote(id, "ann", true));
    assert_eq!(refused(&mut x, vote(id, "ann", true)), Reject::NotTwoPeople);
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 0, "one is not enough");
    audited(&mut x);
    let mut x = restarted(x);
    ok(&mut x, vote(id, "ben", true));
    let again = planned(&mut x, 10);
    assert_eq!((again.withdrawal, again.transaction.nonce), (Some(id), f.transaction.nonce + 1));
    assert_eq!((&again.transaction.to, again.transaction.units), (&f.transaction.to, f.transaction.units));
    // It fails again: who agreed before has to look anew.
    settle(&mut x, &again, false);
    ok(&mut x, vote(id, "ann", true));
    ok(&mut x, vote(id, "ben", true));
    let third = planned(&mut x, 10);
    settle(&mut x, &third, true);
    assert_eq!(balance(&x, ALICE, ETH), (450_000_000, 0));
    assert_eq!(chain(&x).open_withdrawals().count(), 0);
}

#[test]
fn a_payment_that_moved_nothing_may_be_refused_but_not_taken_back() {
    let mut x = funded();
    let now = x.cell.clock().0;
    let id = request(&mut x, BOB, wanted(USDT, Amount::whole(90))).unwrap();
    let f = planned(&mut x, 10);
    settle(&mut x, &f, false);
    assert_eq!(balance(&x, BOB, USDT), (31_000_000_000, 9_000_000_000));
    let back = ChainCommand::Cancel { account: BOB, withdrawal: id };
    assert_eq!(refused(&mut x, back), Reject::WithdrawalDone, "people look at it");
    ok(&mut x, vote(id, "ann", true));
    assert_eq!(chain(&x).withdrawn(BOB, USDT, now + 1), Amount::whole(90));
    ok(&mut x, vote(id, "ben", false));
    assert_eq!(balance(&x, BOB, USDT), (40_000_000_000, 0));
    assert_eq!(chain(&x).withdrawn(BOB, USDT, now + 1), Amount::ZERO, "it does not count then");
    audited(&mut x);
}

#[test]
fn a_new_ring_has_another_hot_key_to_which_the_old_one_is_swept() {
    let mut x = funded();
    let keys = vec![params().keys[0], AccountKey { ring: 1, fingerprint: [6; 8] }];
    ok(&mut x, set(ChainParams { version: 1, keys, ring: 1, ..params() }));
    let new = Key { ring: 1, ..HOT };
    for token in [Some(CONTRACT), None] {
        let f = planned(&mut x, 10);
        assert_eq!((f.transaction.from, &f.transaction.to, f.transaction.token), (HOT, &Recipient::Own(new), token));
        settle(&mut x, &f, true);
    }
    assert_eq!(at(&x, new, USDT), 400 * DOLLAR);
    request(&mut x, BOB, wanted(USDT, Amount::whole(50))).unwrap();
    let f = planned(&mut x, 10);
    assert_eq!((f.transaction.from, f.transaction.nonce), (new, 0));
    audited(&mut x);
}
