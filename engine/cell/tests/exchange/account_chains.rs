//! Chains of accounts through the cell: deposits of coin and token, payments, sweeps and gas for them, replacements, failures.

use crate::chains::{ALICE, BOB};
use crate::stocks::facts;
use crate::support::{ETH, Exchange, USDT};
use crate::withdrawals::set_tier;
use xng_cell::auditor::Auditor;
use xng_cell::{Plain, World};
use xng_core::account::{AccountCommand, Tier};
use xng_core::chain::facts::{ChainFact, HaltReason, ReserveChecked};
use xng_core::chain::withdrawal_facts::{OwnTransaction, TransferPlanned, Vote};
use xng_core::chain::{
    AccountKey, AccountsParams, BlockHash, Chain, ChainCommand, ChainId, ChainParams, FinalBlock, GasPrice, Incoming,
    Key, OutPoint, OwnTransfer, PlanId, Recipient, Token, TransferBlock, TxId, Units, WithdrawalId, WithdrawalRequest,
    WithdrawalState, WithdrawalTerms,
};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::{Amount, ONE};
use xng_core::record::{Fact, Record};
use xng_core::reject::Reject;

pub(crate) const CHAIN: ChainId = ChainId(2);
pub(crate) const ETHER: u128 = 1_000_000_000_000_000_000;
pub(crate) const GWEI: u128 = 1_000_000_000;
pub(crate) const DOLLAR: u128 = 1_000_000;
pub(crate) const CONTRACT: [u8; 20] = [9; 20];
pub(crate) const COIN_GAS: u64 = 50_000;
pub(crate) const TOKEN_GAS: u64 = 80_000;
pub(crate) const PLAIN_GAS: u64 = 21_000;
pub(crate) const HOT: Key = Key { ring: 0, change: true, index: 0 };
pub(crate) const MINUTE_NS: u64 = 60_000_000_000;

pub(crate) fn forms() -> AccountsParams {
    let usdt = Token {
        asset: USDT,
        contract: CONTRACT,
        decimals: 6,
        min_deposit: Amount::whole(5),
        min_sweep: Amount::whole(50),
    };
    AccountsParams {
        chain_id: 1,
        min_sweep: Amount(ONE / 20),
        coin_gas: COIN_GAS,
        token_gas: TOKEN_GAS,
        tokens: vec![usdt],
    }
}

pub(crate) fn params() -> ChainParams {
    ChainParams {
        chain: CHAIN,
        version: 0,
        name: "Ethereum".into(),
        asset: ETH,
        decimals: 18,
        confirmations: 64,
        min_deposit: Amount(ONE / 100),
        addresses: 3,
        keys: vec![AccountKey { ring: 0, fingerprint: [5; 8] }],
        ring: 0,
        accounts: Some(forms()),
    }
}

pub(crate) fn terms() -> WithdrawalTerms {
    WithdrawalTerms {
        chain: CHAIN,
        version: 0,
        open: true,
        fee: Amount(ONE / 1_000),
        min: Amount(ONE / 100),
        max: Amount::whole(10),
        daily_limit: Amount::whole(15),
        most_open: 20,
        auto_each: Amount::whole(1),
        auto_day: Amount::whole(2),
        auto_hour: Amount::whole(3),
        two_votes_above: Amount::whole(5),
        most_a_transaction: Amount::whole(12),
        most_chain_fee: Units(ETHER / 50),
        bump_after_ms: 60_000,
        daily_limit_advanced: Amount::whole(25),
        token: None,
    }
}

pub(crate) fn token_terms() -> WithdrawalTerms {
    WithdrawalTerms {
        token: Some(USDT),
        fee: Amount::whole(1),
        min: Amount::whole(10),
        max: Amount::whole(1_000),
        daily_limit: Amount::whole(1_500),
        daily_limit_advanced: Amount::whole(2_500),
        auto_each: Amount::whole(100),
        auto_day: Amount::whole(150),
        auto_hour: Amount::whole(300),
        two_votes_above: Amount::whole(500),
        most_a_transaction: Amount::whole(1_000),
        ..terms()
    }
}

pub(crate) fn hash(n: u64) -> BlockHash {
    let mut bytes = [2; 32];
    bytes[24..].copy_from_slice(&n.to_be_bytes());
    BlockHash(bytes)
}

pub(crate) fn key(index: u32) -> Key {
    Key { ring: 0, change: false, index }
}

pub(crate) fn send(x: &mut Exchange, command: ChainCommand) -> Reply {
    x.send(None, Command::Chain(CHAIN, command))
}

pub(crate) fn ok(x: &mut Exchange, command: ChainCommand) {
    x.ok(Command::Chain(CHAIN, command));
}

pub(crate) fn refused(x: &mut Exchange, command: ChainCommand) -> Reject {
    match send(x, command) {
        Reply::Rejected(reject) => reject,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn chain(x: &Exchange) -> &Chain {
    x.cell.world().chains().get(CHAIN).expect("it was listed")
}

pub(crate) fn gas(gwei: u128) -> GasPrice {
    GasPrice { max_fee: gwei * GWEI, max_priority_fee: GWEI }
}

pub(crate) fn plan(gwei: u128) -> ChainCommand {
    ChainCommand::PlanTransfer { gas: gas(gwei) }
}

pub(crate) fn bump(plan: PlanId, gwei: u128) -> ChainCommand {
    ChainCommand::BumpTransfer { plan, gas: gas(gwei) }
}

pub(crate) fn set(params: ChainParams) -> ChainCommand {
    ChainCommand::Set(Box::new(params))
}

pub(crate) fn set_terms(terms: WithdrawalTerms) -> ChainCommand {
    ChainCommand::SetTerms(Box::new(terms))
}

/// A block with transfers to addresses, each of a transaction of its own.
pub(crate) fn block(height: u64, incoming: &[(u32, AssetId, u128)]) -> TransferBlock {
    let incoming = incoming.iter().enumerate().map(|(n, (index, asset, units))| {
        let mut txid = hash(1_000 * height).0;
        txid[0] = n as u8;
        let at = OutPoint { txid: TxId(txid), n: 0 };
        Incoming { at, key: key(*index), asset: *asset, units: Units(*units) }
    });
    TransferBlock {
        from: hash(height - 1),
        height,
        hash: hash(height),
        part: 0,
        last: true,
        known: 2,
        incoming: incoming.collect(),
        own: Vec::new(),
    }
}

pub(crate) fn take(block: TransferBlock) -> ChainCommand {
    ChainCommand::TakeTransfers(Box::new(block))
}

/// The next block.
pub(crate) fn next(x: &Exchange, incoming: &[(u32, AssetId, u128)]) -> TransferBlock {
    block(chain(x).cursor().expect("it is read").height + 1, incoming)
}

pub(crate) fn balance(x: &Exchange, account: AccountId, asset: AssetId) -> (i128, i128) {
    let balance = x.cell.world().accounts().get(account).map(|a| a.balance(Wallet::Funding, asset));
    balance.map_or((0, 0), |b| (b.available.0, b.locked.0))
}

/// What an address holds by the state of the chain.
pub(crate) fn at(x: &Exchange, key: Key, asset: AssetId) -> u128 {
    let found = chain(x).balances().find(|(at, _)| (at.key, at.asset) == (key, asset));
    found.map_or(0, |(_, units)| units.0)
}

pub(crate) fn begin(x: &mut Exchange) {
    ok(x, set(params()));
    ok(x, ChainCommand::Pass { after: 0, from: BlockHash::default(), height: 100, hash: hash(100) });
    for account in [ALICE, BOB] {
        ok(x, ChainCommand::Assign { account, n: 1 });
    }
}

/// Alice and Bob have an address each, the chain was read up to 100.
pub(crate) fn read() -> Exchange {
    let mut x = Exchange::new(&[]);
    begin(&mut x);
    x
}

/// Everything that holds after any step, by the auditor, too; a snapshot of it loads.
pub(crate) fn audited(x: &mut Exchange) {
    x.audit();
    x.check_fold();
    let mut auditor = Auditor::default();
    for (lsn, bytes) in x.journal.records() {
        auditor.read(lsn, &Record::decode(&bytes).expect("a record")).expect("the auditor agrees");
    }
    auditor.agrees(x.cell.world()).expect("the auditor agrees");
    auditor.agrees_on_cursors(x.cell.world()).expect("the auditor agrees");
    loaded(x);
}

/// The world from its snapshot.
pub(crate) fn loaded(x: &mut Exchange) -> World<Plain> {
    let (lsn, digest) = (x.cell.world().lsn(), x.cell.state_hash());
    World::load(x.cell.world().save(), lsn, digest).expect("the snapshot loads")
}

/// Another process goes on from the snapshot.
pub(crate) fn restarted(mut x: Exchange) -> Exchange {
    let (world, records) = (loaded(&mut x), x.journal.records());
    x.resumed(world, &records)
}

pub(crate) fn last_planned(x: &Exchange) -> TransferPlanned {
    let all = facts(x);
    let last = all.iter().rev().find_map(|fact| match fact {
        Fact::Chain(ChainFact::TransferPlanned(f)) => Some((**f).clone()),
        _ => None,
    });
    last.expect("a transfer was planned")
}

pub(crate) fn planned(x: &mut Exchange, gwei: u128) -> TransferPlanned {
    ok(x, plan(gwei));
    last_planned(x)
}

pub(crate) fn txid(plan: PlanId, attempt: u32) -> TxId {
    let mut bytes = [9; 32];
    (bytes[0], bytes[1]) = (plan.0 as u8, attempt as u8);
    TxId(bytes)
}

pub(crate) fn sign(x: &mut Exchange, f: &TransferPlanned) -> TxId {
    let (plan, attempt, txid) = (f.plan, f.attempt, txid(f.plan, f.attempt));
    ok(x, ChainCommand::Signed { plan, attempt, txid, raw: vec![plan.0 as u8, attempt as u8] });
    txid
}

pub(crate) fn asset(f: &TransferPlanned) -> AssetId {
    if f.transaction.token.is_some() { USDT } else { ETH }
}

pub(crate) fn own(f: &TransferPlanned, moved: bool, fee: u128) -> OwnTransfer {
    let t = &f.transaction;
    let moved = moved.then_some((asset(f), t.from, t.units)).into_iter().collect();
    OwnTransfer { txid: txid(f.plan, f.attempt), fee: Units(fee), moved }
}

pub(crate) fn take_own(x: &mut Exchange, own: OwnTransfer) {
    let block = TransferBlock { own: vec![own], ..next(x, &[]) };
    ok(x, take(block));
}

/// It is signed, and final with all that it may cost.
pub(crate) fn settle(x: &mut Exchange, f: &TransferPlanned, moved: bool) {
    sign(x, f);
    take_own(x, own(f, moved, f.transaction.most_fee().0));
}

pub(crate) fn settled(x: &Exchange) -> OwnTransaction {
    let all = facts(x);
    let own = all.iter().rev().find_map(|fact| match fact {
        Fact::Chain(ChainFact::BlockTaken(f)) => f.own.last().cloned(),
        _ => None,
    });
    own.expect("one was settled")
}

pub(crate) fn wanted(asset: AssetId, number: Amount) -> WithdrawalRequest {
    let (address, inside) = ("0xelsewhere".into(), None);
    WithdrawalRequest { asset, number, address, script_bytes: 20, inside, flags: 0, version: 1 }
}

pub(crate) fn request(x: &mut Exchange, account: AccountId, wanted: WithdrawalRequest) -> Result<WithdrawalId, Reject> {
    let ask = AccountCommand::Withdraw { chain: CHAIN, wanted: Box::new(wanted) };
    match x.send(None, Command::Account(account, ask)) {
        Reply::Accepted(Accepted::Withdrawal(id)) => Ok(id),
        Reply::Rejected(reject) => Err(reject),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn vote(withdrawal: WithdrawalId, who: &str, agrees: bool) -> ChainCommand {
    let vote = Vote { who: who.into(), reason: "looked at".into() };
    ChainCommand::Vote { withdrawal, vote, agrees, seen: None }
}

pub(crate) fn state(x: &Exchange, id: WithdrawalId) -> WithdrawalState {
    let chain = chain(x);
    chain.withdrawal_state(chain.withdrawal(id).expect("it is open"))
}

pub(crate) fn with_terms(x: &mut Exchange) {
    for account in [ALICE, BOB] {
        x.ok(set_tier(account, Tier::Basic, 1));
    }
    ok(x, set_terms(terms()));
    ok(x, set_terms(token_terms()));
}

/// Alice has 5 of the coin, Bob 400 of the token; all of it lies at the hot key.
pub(crate) fn funded() -> Exchange {
    let mut x = read();
    with_terms(&mut x);
    ok(&mut x, take(block(101, &[(0, ETH, 5 * ETHER), (1, USDT, 400 * DOLLAR)])));
    for _ in 0..3 {
        let f = planned(&mut x, 10);
        settle(&mut x, &f, true);
    }
    assert_eq!(at(&x, HOT, USDT), 400 * DOLLAR);
    x
}

/// All facts of chains of accounts; a payment and a replacement are signed, a failed one waits for people, a block is half taken.
pub(crate) fn every_fact(x: &mut Exchange) {
    begin(x);
    ok(x, take(block(101, &[(0, ETH, 5 * ETHER + 7), (1, USDT, 400 * DOLLAR), (0, USDT, DOLLAR), (1, ETH, 3)])));
    ok(x, set_terms(terms()));
    ok(x, set_terms(token_terms()));
    for _ in 0..3 {
        let f = planned(x, 10);
        settle(x, &f, true);
    }
    ok(x, take(next(x, &[(0, USDT, 4 * DOLLAR)])));
    request(x, ALICE, wanted(ETH, Amount::whole(1))).unwrap();
    request(x, BOB, wanted(USDT, Amount::whole(50))).unwrap();
    request(x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
    let paid = planned(x, 10);
    settle(x, &paid, true);
    let fails = planned(x, 10);
    settle(x, &fails, false);
    let first = planned(x, 10);
    sign(x, &first);
    x.advance(2 * MINUTE_NS);
    ok(x, bump(first.plan, 20));
    let second = last_planned(x);
    sign(x, &second);
    let last = chain(x).cursor().unwrap().height;
    for (token, asset) in [(None, ETH), (Some(USDT), USDT)] {
        let found = chain(x).held(asset);
        ok(x, ChainCommand::CheckReserve { height: last, token, found, besides: Units(3) });
    }
    ok(x, take(TransferBlock { last: false, ..next(x, &[(1, USDT, 6 * DOLLAR)]) }));
}

#[test]
fn every_fact_of_chains_of_accounts_is_audited_and_saved() {
    let mut x = Exchange::new(&[]);
    for account in [ALICE, BOB] {
        x.ok(set_tier(account, Tier::Basic, 1));
    }
    every_fact(&mut x);
    audited(&mut x);
    let reached = facts(&x).iter().filter(|fact| matches!(fact, Fact::Chain(ChainFact::TransferPlanned(_)))).count();
    assert_eq!(reached, 7);
    let open: Vec<usize> = chain(&x).transfer_plans().map(|plan| plan.attempts.len()).collect();
    assert_eq!(open, [2]);
    // Another process knows the transactions that are signed, and goes on with the block.
    let mut x = restarted(x);
    let f = last_planned(&x);
    let height = chain(&x).cursor().unwrap().height;
    let own = vec![own(&f, true, 1)];
    ok(&mut x, take(TransferBlock { part: 1, own, ..block(height, &[]) }));
    assert!(chain(&x).transfer_plans().next().is_none());
    assert_eq!(chain(&x).halted(), None);
}

#[test]
fn coin_and_token_are_credited_once_and_rounded_down() {
    let mut x = read();
    let coin = 1_234_567_899_999_999_999;
    let wanted = block(101, &[(0, ETH, coin), (1, USDT, 12_345_678), (1, ETH, ETHER)]);
    ok(&mut x, take(wanted.clone()));
    assert_eq!((balance(&x, ALICE, ETH), balance(&x, BOB, USDT)), ((123_456_789, 0), (1_234_567_800, 0)));
    assert_eq!((chain(&x).residual(ETH), chain(&x).residual(USDT)), (Units(9_999_999_999), Units(0)));
    assert_eq!((chain(&x).held(ETH), chain(&x).held(USDT)), (Units(coin + ETHER), Units(12_345_678)));
    assert_eq!((at(&x, key(0), ETH), at(&x, key(1), USDT), at(&x, key(1), ETH)), (coin, 12_345_678, ETHER));
    let custody = AccountId::custody(2);
    assert_eq!((balance(&x, custody, ETH).0, balance(&x, custody, USDT).0), (-223_456_789, -1_234_567_800));
    // Nine tenths of what no amount can say, again: together they are more than one of it, and stay what they are.
    ok(&mut x, take(block(102, &[(0, ETH, ETHER + 9_000_000_000)])));
    assert_eq!(chain(&x).residual(ETH), Units(18_999_999_999));
    assert_eq!(refused(&mut x, take(wanted.clone())), Reject::NotNextBlock);
    assert_eq!(refused(&mut x, take(block(104, &[]))), Reject::NotNextBlock);
    let bad = [
        block(103, &[(2, ETH, ETHER)]),
        block(103, &[(0, AssetId(1), 5)]),
        block(103, &[(0, ETH, 0)]),
        TransferBlock { incoming: vec![wanted.incoming[0]; 2], ..block(103, &[]) },
        TransferBlock { known: 1, ..block(103, &[(1, ETH, ETHER)]) },
        TransferBlock { known: 3, ..block(103, &[]) },
    ];
    for block in bad {
        assert_eq!(refused(&mut x, take(block.clone())), Reject::BadParameters, "{block:?}");
    }
    assert_eq!(refused(&mut x, take(block(103, &[(0, ETH, u128::MAX)]))), Reject::BadAmount);
    // Two transfers of one transaction are two deposits.
    let mut two = block(103, &[(0, USDT, 5 * DOLLAR), (0, USDT, 6 * DOLLAR)]);
    two.incoming[1].at = OutPoint { n: 7, ..two.incoming[0].at };
    ok(&mut x, take(two));
    assert_eq!(balance(&x, ALICE, USDT), (1_100_000_000, 0));
    audited(&mut x);
}

#[test]
fn small_deposits_of_each_asset_are_enough_by_themselves() {
    let mut x = read();
    ok(&mut x, take(block(101, &[(0, ETH, ETHER / 100 - 1), (0, USDT, 5 * DOLLAR - 1)])));
    let kept = |x: &Exchange, asset| balance(x, AccountId::UNCLAIMED, asset).0;
    assert_eq!((balance(&x, ALICE, ETH), balance(&x, ALICE, USDT)), ((0, 0), (0, 0)));
    assert_eq!((kept(&x, ETH), kept(&x, USDT)), (999_999, 499_999_900));
    // One unit of the coin is no amount; one of the token is what was wanting.
    ok(&mut x, take(block(102, &[(0, ETH, 1), (0, USDT, 1)])));
    assert_eq!((balance(&x, ALICE, ETH), balance(&x, ALICE, USDT)), ((0, 0), (500_000_000, 0)));
    assert_eq!((kept(&x, ETH), kept(&x, USDT), chain(&x).residual(ETH)), (999_999, 0, Units(10_000_000_000)));
    ok(&mut x, take(block(103, &[(1, USDT, 3 * DOLLAR), (0, ETH, 10_000_000_000)])));
    assert_eq!((balance(&x, ALICE, ETH), balance(&x, BOB, USDT)), ((1_000_000, 0), (0, 0)));
    audited(&mut x);
    // A start from a snapshot knows what is kept, and a lower limit is enough for it.
    let mut x = restarted(x);
    let mut lower = forms();
    lower.tokens[0].min_deposit = Amount::whole(3);
    ok(&mut x, set(ChainParams { version: 1, accounts: Some(lower), ..params() }));
    assert_eq!((balance(&x, BOB, USDT), kept(&x, USDT)), ((300_000_000, 0), 0));
}

/// What halts a chain.
type Way = fn(&TransferPlanned) -> Vec<OwnTransfer>;

#[test]
fn a_transaction_that_no_plan_explains_halts_the_chain() {
    let ways: [Way; 7] = [
        // Nobody's, moving something or nothing.
        |f| vec![OwnTransfer { txid: TxId([3; 32]), ..own(f, true, 1) }],
        |f| vec![OwnTransfer { txid: TxId([3; 32]), ..own(f, false, 1) }],
        // Ours, moving something else: less, another asset, another address's, or twice as much.
        |f| vec![OwnTransfer { moved: vec![(ETH, HOT, Units(f.transaction.units.0 - 1))], ..own(f, true, 1) }],
        |f| vec![OwnTransfer { moved: vec![(USDT, HOT, f.transaction.units)], ..own(f, true, 1) }],
        |f| vec![OwnTransfer { moved: vec![(ETH, key(0), f.transaction.units)], ..own(f, true, 1) }],
        |f| vec![OwnTransfer { moved: own(f, true, 1).moved.repeat(2), ..own(f, true, 1) }],
        // Twice in one block.
        |f| vec![own(f, true, 1); 2],
    ];
    for (n, way) in ways.into_iter().enumerate() {
        let mut x = funded();
        request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
        let f = planned(&mut x, 10);
        sign(&mut x, &f);
        let before = (at(&x, HOT, ETH), balance(&x, ALICE, ETH), balance(&x, BOB, ETH));
        let own = way(&f);
        let by = own[0].txid;
        let taken = TransferBlock { own, ..next(&x, &[(1, ETH, ETHER)]) };
        ok(&mut x, take(taken.clone()));
        assert_eq!(chain(&x).halted(), Some(HaltReason::Spent), "way {n}");
        assert_eq!((at(&x, HOT, ETH), balance(&x, ALICE, ETH), balance(&x, BOB, ETH)), before, "way {n}");
        let halts = facts(&x).into_iter().filter_map(|fact| match fact {
            Fact::Chain(ChainFact::ChainHalted(f)) => Some((f.reason, f.height, f.txid)),
            _ => None,
        });
        assert_eq!(halts.collect::<Vec<_>>(), [(HaltReason::Spent, taken.height, by)]);
        assert_eq!(refused(&mut x, plan(10)), Reject::ChainClosed);
        assert_eq!(refused(&mut x, bump(f.plan, 20)), Reject::ChainClosed);
        assert_eq!(refused(&mut x, take(taken)), Reject::ChainClosed);
        audited(&mut x);
    }
    // One that is planned, but that nobody signed yet, is nobody's.
    let mut x = funded();
    request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
    let f = planned(&mut x, 10);
    take_own(&mut x, own(&f, true, 1));
    assert_eq!(chain(&x).halted(), Some(HaltReason::Spent));
    audited(&mut x);
}

#[test]
fn a_chain_of_accounts_that_went_another_way_is_halted() {
    let mut x = read();
    ok(&mut x, take(TransferBlock { from: hash(7), ..block(101, &[(0, ETH, ETHER)]) }));
    assert_eq!((chain(&x).halted(), balance(&x, ALICE, ETH).0), (Some(HaltReason::Reorganised), 0));
    audited(&mut x);
}

#[test]
fn parts_of_a_block_follow_each_other() {
    let mut x = read();
    let first = TransferBlock { last: false, ..block(101, &[(0, ETH, ETHER)]) };
    ok(&mut x, take(first.clone()));
    ok(&mut x, ChainCommand::Assign { account: ALICE, n: 2 });
    let mut second = TransferBlock { part: 1, ..block(101, &[(2, USDT, 9 * DOLLAR)]) };
    second.incoming[0].at.n = 1;
    assert_eq!(refused(&mut x, take(second.clone())), Reject::BadParameters, "it was not looked for");
    assert_eq!(refused(&mut x, take(first)), Reject::NotNextBlock);
    assert_eq!(refused(&mut x, take(TransferBlock { part: 2, ..second.clone() })), Reject::NotNextBlock);
    assert_eq!(refused(&mut x, take(block(102, &[]))), Reject::NotNextBlock, "the block is not whole");
    let wrong = check(&x, None, 101, 0);
    assert_eq!(refused(&mut x, wrong), Reject::NotNextBlock);
    second.incoming[0].key = key(1);
    ok(&mut x, take(second));
    assert_eq!((balance(&x, ALICE, ETH).0, balance(&x, BOB, USDT).0), (100_000_000, 900_000_000));
    audited(&mut x);
    let other = TransferBlock { last: false, ..block(102, &[(0, ETH, ETHER)]) };
    ok(&mut x, take(other));
    ok(&mut x, take(TransferBlock { part: 1, hash: hash(7), ..block(102, &[]) }));
    assert_eq!(chain(&x).halted(), Some(HaltReason::Reorganised));
    audited(&mut x);
}

#[test]
fn each_form_of_chains_takes_its_own_commands() {
    let mut x = funded();
    crate::chains::list(&mut x);
    let coins = |x: &mut Exchange, command| crate::chains::refused(x, command);
    let after = TransferBlock { from: BlockHash::default(), ..block(101, &[]) };
    assert_eq!(coins(&mut x, take(after)), Reject::BadParameters);
    assert_eq!(coins(&mut x, plan(10)), Reject::BadParameters);
    assert_eq!(coins(&mut x, bump(PlanId(1), 10)), Reject::BadParameters);
    let token = WithdrawalTerms { chain: crate::chains::CHAIN, ..token_terms() };
    assert_eq!(coins(&mut x, set_terms(token)), Reject::BadParameters);
    let reserve = ChainCommand::CheckReserve { height: 100, token: Some(USDT), found: Units(0), besides: Units(0) };
    assert_eq!(coins(&mut x, reserve), Reject::BadParameters);
    let TransferBlock { from, height, hash, .. } = next(&x, &[]);
    let (outputs, spends) = (Vec::new(), Vec::new());
    let block = FinalBlock { from, height, hash, part: 0, last: true, known: 2, outputs, spends };
    assert_eq!(refused(&mut x, ChainCommand::Take(Box::new(block))), Reject::BadParameters);
    assert_eq!(refused(&mut x, ChainCommand::Plan { rate: 5_000 }), Reject::BadParameters);
    request(&mut x, ALICE, wanted(ETH, Amount(ONE / 2))).unwrap();
    let f = planned(&mut x, 10);
    // No plan of coins has this number.
    assert_eq!(refused(&mut x, ChainCommand::Bump { plan: f.plan, rate: 5_000 }), Reject::WithdrawalDone);
    let wrong = check(&x, Some(ETH), 0, 0);
    assert_eq!(refused(&mut x, wrong), Reject::BadParameters, "the coin is no token");
    let wrong = check(&x, Some(AssetId(1)), 0, 0);
    assert_eq!(refused(&mut x, wrong), Reject::BadParameters);
    audited(&mut x);
}

#[test]
fn parameters_keep_what_is_on_the_books() {
    let mut x = funded();
    let with = |change: &dyn Fn(&mut ChainParams, &mut AccountsParams)| {
        let (mut wanted, mut accounts) = (ChainParams { version: 1, ..params() }, forms());
        change(&mut wanted, &mut accounts);
        set(ChainParams { accounts: Some(accounts), ..wanted })
    };
    let other = Token { asset: AssetId(1), contract: [8; 20], ..forms().tokens[0] };
    let bad = [
        with(&|_, of| of.tokens[0].contract = [8; 20]),
        with(&|_, of| of.tokens[0].decimals = 8),
        with(&|_, of| of.chain_id = 5),
        with(&|_, of| of.tokens.clear()),
        with(&|_, of| of.tokens = vec![other]),
        with(&|wanted, _| wanted.decimals = 17),
        with(&|wanted, _| wanted.asset = AssetId(1)),
        set(ChainParams { version: 1, accounts: None, ..params() }),
        // What does not fit together.
        with(&|_, of| of.tokens.insert(0, Token { contract: CONTRACT, ..other })),
        with(&|_, of| of.tokens.push(other)),
        with(&|_, of| of.tokens.insert(0, Token { contract: [0; 20], ..other })),
        with(&|_, of| of.tokens.insert(0, Token { decimals: 19, ..other })),
        with(&|_, of| of.tokens.insert(0, Token { min_sweep: Amount::ZERO, ..other })),
        with(&|_, of| of.coin_gas = 20_999),
        with(&|_, of| of.token_gas = 1_000_001),
        with(&|_, of| of.min_sweep = Amount::ZERO),
    ];
    for command in bad {
        assert_eq!(refused(&mut x, command.clone()), Reject::BadParameters, "{command:?}");
    }
    let mut coins = Exchange::new(&[]);
    crate::chains::list(&mut coins);
    let of_accounts = ChainParams { version: 1, accounts: Some(forms()), ..crate::chains::params() };
    assert_eq!(crate::chains::refused(&mut coins, set(of_accounts)), Reject::BadParameters);
    // Another token, other limits.
    ok(&mut x, with(&|_, of| of.tokens.insert(0, other)));
    let block = next(&x, &[(0, AssetId(1), 7 * DOLLAR)]);
    ok(&mut x, take(block));
    assert_eq!(balance(&x, ALICE, AssetId(1)), (700_000_000, 0));
    audited(&mut x);
    // What is enough to be swept is found anew.
    ok(&mut x, plan(10));
    assert_eq!(chain(&x).transfer_plans().count(), 0);
    let mut lower = forms();
    lower.tokens.insert(0, Token { min_sweep: Amount::whole(7), ..other });
    ok(&mut x, set(ChainParams { version: 2, accounts: Some(lower), ..params() }));
    let top_up = planned(&mut x, 10);
    assert_eq!(top_up.transaction.to, Recipient::Own(key(0)));
    audited(&mut x);
}

#[test]
fn each_asset_has_its_own_terms_and_limits() {
    let mut x = read();
    for account in [ALICE, BOB] {
        x.ok(set_tier(account, Tier::Basic, 1));
    }
    ok(&mut x, take(block(101, &[(0, ETH, 100 * ETHER), (0, USDT, 5_000 * DOLLAR)])));
    let dollars = |n| wanted(USDT, Amount::whole(n));
    let ethers = |n| wanted(ETH, Amount::whole(n));
    ok(&mut x, set_terms(terms()));
    assert_eq!(request(&mut x, ALICE, dollars(50)), Err(Reject::WithdrawalsClosed));
    for token in [AssetId(1), ETH] {
        let bad = WithdrawalTerms { token: Some(token), ..token_terms() };
        assert_eq!(refused(&mut x, set_terms(bad)), Reject::BadParameters);
    }
    let no_unit = WithdrawalTerms { min: token_terms().min + Amount(1), ..token_terms() };
    assert_eq!(refused(&mut x, set_terms(no_unit)), Reject::BadParameters);
    let stale = WithdrawalTerms { version: 1, ..token_terms() };
    assert_eq!(refused(&mut x, set_terms(stale)), Reject::AlreadyExists);
    ok(&mut x, set_terms(token_terms()));
    assert_eq!(refused(&mut x, set_terms(token_terms())), Reject::AlreadyExists);
    assert_eq!(chain(&x).terms(USDT).map(|terms| (terms.version, terms.token)), Some((1, Some(USDT))));
    assert_eq!(chain(&x).terms(ETH), chain(&x).coin_terms());
    // Another chain's, one that is no whole number of units, and what each asset's terms say.
    assert_eq!(request(&mut x, ALICE, wanted(AssetId(1), Amount::whole(1))), Err(Reject::InsufficientBalance));
    assert_eq!(request(&mut x, ALICE, wanted(USDT, Amount::whole(50) + Amount(1))), Err(Reject::BadAmount));
    assert_eq!(request(&mut x, ALICE, dollars(9)), Err(Reject::BelowMinAmount));
    assert_eq!(request(&mut x, ALICE, ethers(11)), Err(Reject::AboveMaxAmount));
    let needed = |x: &Exchange, id| chain(x).withdrawal(id).expect("open").withdrawal.needed;
    // 150 of the token a day without people, and 2 of the coin: neither counts towards the other.
    let first = request(&mut x, ALICE, dollars(100)).unwrap();
    let coin = request(&mut x, ALICE, ethers(1)).unwrap();
    let second = request(&mut x, ALICE, dollars(51)).unwrap();
    let other = request(&mut x, ALICE, ethers(1)).unwrap();
    let third = request(&mut x, ALICE, wanted(ETH, Amount(ONE / 100))).unwrap();
    assert_eq!([first, coin, second, other, third].map(|id| needed(&x, id)), [0, 0, 1, 0, 1]);
    // The limit of 24 hours: 1,500 of the token, 15 of the coin.
    request(&mut x, ALICE, ethers(10)).unwrap();
    request(&mut x, ALICE, dollars(1_000)).unwrap();
    assert_eq!(request(&mut x, ALICE, dollars(350)), Err(Reject::AboveDailyLimit));
    let last = request(&mut x, ALICE, dollars(349)).unwrap();
    request(&mut x, ALICE, ethers(2)).unwrap();
    assert_eq!(request(&mut x, ALICE, ethers(1)), Err(Reject::AboveDailyLimit));
    let now = x.cell.clock().0 + 1;
    assert_eq!(chain(&x).withdrawn(ALICE, USDT, now), Amount::whole(1_500));
    assert_eq!(chain(&x).withdrawn(ALICE, ETH, now), Amount(1_401 * ONE / 100));
    audited(&mut x);
    // A snapshot keeps them apart, and what is taken back is free of its own asset.
    let mut x = restarted(x);
    ok(&mut x, ChainCommand::Cancel { account: ALICE, withdrawal: last });
    assert_eq!(request(&mut x, ALICE, ethers(1)), Err(Reject::AboveDailyLimit));
    request(&mut x, ALICE, dollars(349)).unwrap();
}

#[test]
fn another_user_is_paid_a_token_without_the_chain() {
    let mut x = funded();
    let inside = WithdrawalRequest { inside: Some(key(0)), ..wanted(USDT, Amount::whole(50)) };
    request(&mut x, BOB, inside).unwrap();
    assert_eq!((balance(&x, BOB, USDT), balance(&x, ALICE, USDT)), ((35_000_000_000, 0), (5_000_000_000, 0)));
    assert_eq!(chain(&x).held(USDT), Units(400 * DOLLAR));
    audited(&mut x);
}

/// A check at the block that was read last that finds so much less than is held, and so much besides.
pub(crate) fn check(x: &Exchange, token: Option<AssetId>, less: u128, besides: u128) -> ChainCommand {
    let height = chain(x).cursor().expect("it is read").height;
    let held = chain(x).held(token.unwrap_or(ETH)).0;
    ChainCommand::CheckReserve { height, token, found: Units(held.saturating_sub(less)), besides: Units(besides) }
}

#[test]
fn reserves_are_checked_asset_by_asset() {
    let mut x = funded();
    let tokens = [None, Some(USDT)];
    for token in tokens {
        let whole = check(&x, token, 0, 7);
        ok(&mut x, whole);
    }
    assert_eq!(chain(&x).halted(), None);
    for token in tokens {
        let less = check(&x, token, 1, 7);
        ok(&mut x, less);
        assert_eq!(chain(&x).halted(), Some(HaltReason::Missing));
        audited(&mut x);
        ok(&mut x, ChainCommand::Resume);
    }
    let more = ChainCommand::CheckReserve {
        height: chain(&x).cursor().unwrap().height,
        token: Some(USDT),
        found: Units(400 * DOLLAR + 1),
        besides: Units(0),
    };
    assert_eq!(refused(&mut x, more), Reject::BadParameters, "more than all");
    let checked = facts(&x).into_iter().filter_map(|fact| match fact {
        Fact::Chain(ChainFact::ReserveChecked(f)) => {
            let ReserveChecked { token, held, found, .. } = *f;
            Some((token, held.0 - found.0))
        }
        _ => None,
    });
    assert_eq!(checked.collect::<Vec<_>>(), [(None, 0), (Some(USDT), 0), (None, 1), (Some(USDT), 1)]);
}
