//! Deposits through the cell: parts of blocks, small ones, blocks that come twice, chains that go another way.

use crate::properties::Dice;
use crate::stocks::facts;
use crate::support::Exchange;
use crate::withdrawals;
use xng_core::chain::facts::{ChainFact, CreditKind, HaltReason};
use xng_core::chain::{
    AccountKey, BlockHash, ChainCommand, ChainId, ChainParams, FinalBlock, Key, OutPoint, Output, Spend, TxId, Units,
};
use xng_core::entity::{Accepted, Command, Reply};
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::money::{Amount, ONE};
use xng_core::record::Fact;
use xng_core::reject::Reject;

pub(crate) const CHAIN: ChainId = ChainId(1);
pub(crate) const BTC: AssetId = AssetId(1);
pub(crate) const ALICE: AccountId = AccountId(100_001);
pub(crate) const BOB: AccountId = AccountId(100_002);

pub(crate) fn params() -> ChainParams {
    ChainParams {
        chain: CHAIN,
        version: 0,
        name: "Bitcoin".into(),
        asset: BTC,
        decimals: 8,
        confirmations: 2,
        min_deposit: Amount(ONE / 1_000),
        addresses: 3,
        keys: vec![AccountKey { ring: 0, fingerprint: [7; 8] }],
        ring: 0,
        accounts: None,
    }
}

fn hash(n: u64) -> BlockHash {
    let mut bytes = [0; 32];
    bytes[24..].copy_from_slice(&n.to_be_bytes());
    BlockHash(bytes)
}

pub(crate) fn key(index: u32) -> Key {
    Key { ring: 0, change: false, index }
}

pub(crate) fn send(x: &mut Exchange, command: ChainCommand) -> Reply {
    x.send(None, Command::Chain(CHAIN, command))
}

pub(crate) fn refused(x: &mut Exchange, command: ChainCommand) -> Reject {
    match send(x, command) {
        Reply::Rejected(reject) => reject,
        other => panic!("{other:?}"),
    }
}

fn assign(x: &mut Exchange, account: AccountId, n: u32) -> Key {
    match send(x, ChainCommand::Assign { account, n }) {
        Reply::Accepted(Accepted::Address(key)) => key,
        other => panic!("{other:?}"),
    }
}

/// A block with outputs of so many units to addresses.
pub(crate) fn block(height: u64, outputs: &[(u32, u128)]) -> FinalBlock {
    let output = |(n, (index, units)): (usize, &(u32, u128))| {
        let txid = TxId(hash(1_000 + height).0);
        Output { at: OutPoint { txid, n: n as u32 }, key: key(*index), units: Units(*units), coinbase: false }
    };
    FinalBlock {
        from: hash(height - 1),
        height,
        hash: hash(height),
        part: 0,
        last: true,
        known: 2,
        outputs: outputs.iter().enumerate().map(output).collect(),
        spends: Vec::new(),
    }
}

pub(crate) fn take(block: FinalBlock) -> ChainCommand {
    ChainCommand::Take(Box::new(block))
}

/// Alice and Bob have an address each, the chain was read up to 100.
pub(crate) fn read() -> Exchange {
    let mut x = Exchange::new(&[]);
    begin(&mut x);
    x
}

fn begin(x: &mut Exchange) {
    send(x, ChainCommand::Set(Box::new(params())));
    // What is paid before anybody reads the chain is never found.
    assert_eq!(refused(x, ChainCommand::Assign { account: ALICE, n: 1 }), Reject::ChainClosed);
    x.ok(Command::Chain(CHAIN, ChainCommand::Pass { after: 0, from: hash(0), height: 100, hash: hash(100) }));
    assert_eq!((assign(x, ALICE, 1), assign(x, BOB, 1)), (key(0), key(1)));
}

pub(crate) fn funding(x: &Exchange, account: AccountId) -> Amount {
    x.cell.world().accounts().get(account).map_or(Amount::ZERO, |a| a.balance(Wallet::Funding, BTC).available)
}

/// All facts of chains; a block is half taken at the end.
pub(crate) fn every_fact(x: &mut Exchange) {
    begin(x);
    send(x, take(block(101, &[(0, 250_000), (1, 60_000)])));
    send(x, take(block(102, &[(1, 50_000)])));
    send(
        x,
        take(FinalBlock {
            outputs: vec![Output { coinbase: true, ..block(103, &[(0, 7)]).outputs[0] }],
            ..block(103, &[])
        }),
    );
    send(x, ChainCommand::Halt);
    send(x, ChainCommand::Resume);
    send(x, take(FinalBlock { last: false, ..block(104, &[(0, 100_000), (1, 9)]) }));
}

#[test]
fn deposits_are_credited_once_to_who_has_the_address() {
    let mut x = read();
    let wanted = block(101, &[(0, 250_000), (1, 100_000), (0, 1)]);
    send(&mut x, take(wanted.clone()));
    assert_eq!((funding(&x, ALICE), funding(&x, BOB)), (Amount(250_000), Amount(100_000)));
    assert_eq!((funding(&x, AccountId::UNCLAIMED), funding(&x, AccountId::custody(1))), (Amount(1), Amount(-350_001)));
    // The block again, an old one, one that is too far ahead.
    assert_eq!(refused(&mut x, take(wanted)), Reject::NotNextBlock);
    assert_eq!(refused(&mut x, take(block(103, &[]))), Reject::NotNextBlock);
    let pass = ChainCommand::Pass { after: 100, from: hash(100), height: 101, hash: hash(101) };
    assert_eq!(refused(&mut x, pass), Reject::NotNextBlock);
    // An output is a coin once, within a block and among blocks.
    let twice = |x: &Exchange| {
        let coin = x.cell.world().chains().get(CHAIN).unwrap().coins().next().map(|(at, _)| *at).unwrap();
        let mut block = block(102, &[(0, 5), (0, 5)]);
        block.outputs[0].at = coin;
        block
    };
    let again = twice(&x);
    assert_eq!(refused(&mut x, take(again)), Reject::BadParameters);
    let mut doubled = block(102, &[(0, 5), (0, 5)]);
    doubled.outputs[1].at = doubled.outputs[0].at;
    assert_eq!(refused(&mut x, take(doubled)), Reject::BadParameters);
    assert_eq!(refused(&mut x, take(block(102, &[(2, 5)]))), Reject::BadParameters, "nobody has the address");
    x.audit();
    x.check_fold();
}

#[test]
fn small_deposits_are_credited_when_they_are_enough() {
    let mut x = read();
    send(&mut x, take(block(101, &[(0, 60_000), (1, 99_999)])));
    assert_eq!((funding(&x, ALICE), funding(&x, AccountId::UNCLAIMED)), (Amount::ZERO, Amount(159_999)));
    send(&mut x, take(block(102, &[(0, 39_999), (0, 1)])));
    assert_eq!((funding(&x, ALICE), funding(&x, AccountId::UNCLAIMED)), (Amount(100_000), Amount(99_999)));
    // A lower limit: what was too little is enough, once the chain is not halted any more.
    send(&mut x, ChainCommand::Halt);
    let lower = ChainParams { min_deposit: Amount(50_000), version: 1, ..params() };
    send(&mut x, ChainCommand::Set(Box::new(lower)));
    assert_eq!(funding(&x, BOB), Amount::ZERO);
    send(&mut x, ChainCommand::Resume);
    assert_eq!((funding(&x, BOB), funding(&x, AccountId::UNCLAIMED)), (Amount(99_999), Amount::ZERO));
    x.audit();
    x.check_fold();
}

#[test]
fn a_block_in_parts_looks_for_the_addresses_of_its_first_part() {
    let mut x = read();
    let first = FinalBlock { last: false, ..block(101, &[(0, 200_000)]) };
    send(&mut x, take(first.clone()));
    assert_eq!(assign(&mut x, ALICE, 2), key(2));
    let mut second = FinalBlock { part: 1, ..block(101, &[(2, 300_000)]) };
    second.outputs[0].at.n = 1;
    assert_eq!(refused(&mut x, take(FinalBlock { known: 3, ..second.clone() })), Reject::BadParameters);
    assert_eq!(refused(&mut x, take(second.clone())), Reject::BadParameters, "it was not looked for");
    assert_eq!(refused(&mut x, take(first)), Reject::NotNextBlock);
    assert_eq!(refused(&mut x, take(FinalBlock { part: 2, ..second.clone() })), Reject::NotNextBlock);
    assert_eq!(refused(&mut x, take(block(102, &[]))), Reject::NotNextBlock, "the block is not whole");
    second.outputs[0].key = key(1);
    send(&mut x, take(second));
    assert_eq!((funding(&x, ALICE), funding(&x, BOB)), (Amount(200_000), Amount(300_000)));
    send(&mut x, take(FinalBlock { known: 3, ..block(102, &[(2, 400_000)]) }));
    assert_eq!(funding(&x, ALICE), Amount(600_000));
    x.audit();
    x.check_fold();
}

#[test]
fn an_account_has_as_many_addresses_as_it_may_and_is_told_them_again() {
    let mut x = read();
    assert_eq!(assign(&mut x, ALICE, 1), key(0));
    let ask = |account, n| ChainCommand::Assign { account, n };
    assert_eq!(refused(&mut x, ask(ALICE, 3)), Reject::BadParameters, "one after the other");
    assert_eq!(refused(&mut x, ask(ALICE, 0)), Reject::BadParameters);
    assert_eq!((assign(&mut x, ALICE, 2), assign(&mut x, ALICE, 3)), (key(2), key(3)));
    assert_eq!(refused(&mut x, ask(ALICE, 4)), Reject::TooManyAddresses);
    assert_eq!(refused(&mut x, ask(AccountId::FEE, 1)), Reject::NotAllowed);
    // A new key: its children begin anew, the old addresses stay.
    let second = AccountKey { ring: 1, fingerprint: [8; 8] };
    let keys = vec![params().keys[0], second];
    let set = |keys, ring| ChainCommand::Set(Box::new(ChainParams { keys, ring, version: 1, ..params() }));
    assert_eq!(refused(&mut x, set(keys.clone(), 2)), Reject::BadParameters, "no such key");
    assert_eq!(refused(&mut x, set(vec![second], 1)), Reject::BadParameters, "the old one goes");
    let other = AccountKey { fingerprint: [9; 8], ..keys[0] };
    assert_eq!(refused(&mut x, set(vec![other, second], 1)), Reject::BadParameters, "the old one is another");
    assert_eq!(refused(&mut x, set(vec![keys[0], keys[0]], 0)), Reject::BadParameters, "one ring, two keys");
    send(&mut x, set(keys, 1));
    assert_eq!(assign(&mut x, BOB, 2), Key { ring: 1, ..key(0) });
    assert_eq!(assign(&mut x, BOB, 1), key(1));
    let chain = x.cell.world().chains().get(CHAIN).unwrap();
    assert_eq!(chain.addresses_of(BOB).collect::<Vec<_>>(), [key(1), Key { ring: 1, ..key(0) }]);
    let unknown = x.send(None, Command::Chain(ChainId(2), ask(ALICE, 1)));
    assert!(matches!(unknown, Reply::Rejected(Reject::UnknownChain)));
    x.audit();
    x.check_fold();
}

/// What halts a chain.
type Way = fn(&mut Exchange) -> ChainCommand;

#[test]
fn a_chain_that_went_another_way_or_lost_our_coins_is_halted() {
    let reason = |x: &Exchange| x.cell.world().chains().get(CHAIN).unwrap().halted();
    let ways: [(Way, HaltReason); 5] = [
        (|_| take(FinalBlock { from: hash(7), ..block(101, &[(0, 200_000)]) }), HaltReason::Reorganised),
        (|_| ChainCommand::Pass { after: 100, from: hash(7), height: 109, hash: hash(109) }, HaltReason::Reorganised),
        (
            |x| {
                send(x, take(FinalBlock { last: false, ..block(101, &[(0, 200_000)]) }));
                take(FinalBlock { part: 1, hash: hash(7), ..block(101, &[]) })
            },
            HaltReason::Reorganised,
        ),
        (
            |x| {
                send(x, take(block(101, &[(0, 200_000)])));
                let coin = block(101, &[(0, 200_000)]).outputs[0].at;
                take(FinalBlock { spends: vec![Spend { coin, by: TxId([9; 32]) }], ..block(102, &[(1, 200_000)]) })
            },
            HaltReason::Spent,
        ),
        (
            |_| {
                let came = block(101, &[(0, 200_000)]);
                let spends = vec![Spend { coin: came.outputs[0].at, by: TxId([9; 32]) }];
                take(FinalBlock { spends, ..came })
            },
            HaltReason::Spent,
        ),
    ];
    for (way, expected) in ways {
        let mut x = read();
        let command = way(&mut x);
        let before = funding(&x, BOB);
        send(&mut x, command);
        assert_eq!((reason(&x), funding(&x, BOB)), (Some(expected), before));
        assert_eq!(refused(&mut x, take(block(102, &[]))), Reject::ChainClosed);
        x.audit();
        x.check_fold();
    }
    let mut x = read();
    send(&mut x, ChainCommand::Halt);
    assert_eq!(refused(&mut x, take(block(101, &[(0, 200_000)]))), Reject::ChainClosed);
    send(&mut x, ChainCommand::Resume);
    send(&mut x, take(block(101, &[(0, 200_000)])));
    assert_eq!(funding(&x, ALICE), Amount(200_000));
    let halted = |r: &Fact| matches!(r, Fact::Chain(ChainFact::ChainHalted(f)) if f.reason == HaltReason::Operator);
    assert_eq!(facts(&x).iter().filter(|fact| halted(fact)).count(), 1);
}

#[test]
fn coins_that_the_node_does_not_show_halt_the_chain() {
    let mut x = read();
    let halted = |x: &Exchange| x.cell.world().chains().get(CHAIN).unwrap().halted();
    send(&mut x, take(block(101, &[(0, 200_000)])));
    let check = |height, found, besides| ChainCommand::CheckReserve {
        height,
        token: None,
        found: Units(found),
        besides: Units(besides),
    };
    assert_eq!(refused(&mut x, check(100, 200_000, 0)), Reject::NotNextBlock, "the ledger is at another block");
    assert_eq!(refused(&mut x, check(101, 200_001, 0)), Reject::BadParameters, "more than all");
    // What others pay to an address of change is nobody's, and halts nothing.
    send(&mut x, check(101, 200_000, 546));
    assert_eq!(halted(&x), None);
    send(&mut x, take(block(102, &[(0, 100_000)])));
    send(&mut x, check(102, 200_000, 546));
    assert_eq!(halted(&x), Some(HaltReason::Missing));
    assert_eq!(refused(&mut x, take(block(103, &[]))), Reject::ChainClosed);
    assert_eq!(refused(&mut x, check(102, 300_000, 0)), Reject::ChainClosed);
    x.audit();
    x.check_fold();
    send(&mut x, ChainCommand::Resume);
    send(&mut x, check(102, 300_000, 0));
    assert_eq!(halted(&x), None);
    let checked = facts(&x).into_iter().filter_map(|fact| match fact {
        Fact::Chain(ChainFact::ReserveChecked(f)) => Some((f.height, f.held.0, f.found.0, f.besides.0)),
        _ => None,
    });
    let expected = [(101, 200_000, 200_000, 546), (102, 300_000, 200_000, 546), (102, 300_000, 300_000, 0)];
    assert_eq!(checked.collect::<Vec<_>>(), expected);
    x.audit();
    x.check_fold();
}

#[test]
fn a_coin_of_more_decimals_is_credited_rounded_down() {
    let mut x = Exchange::new(&[]);
    send(&mut x, ChainCommand::Set(Box::new(ChainParams { decimals: 18, ..params() })));
    send(&mut x, ChainCommand::Pass { after: 0, from: hash(0), height: 100, hash: hash(100) });
    assign(&mut x, ALICE, 1);
    assign(&mut x, BOB, 1);
    send(&mut x, take(block(101, &[(0, 1_234_567_899_999_999_999), (1, 9_999_999_999)])));
    assert_eq!((funding(&x, ALICE), funding(&x, AccountId::UNCLAIMED)), (Amount(123_456_789), Amount::ZERO));
    let chain = x.cell.world().chains().get(CHAIN).unwrap();
    assert_eq!((chain.residual(BTC), chain.held(BTC)), (Units(19_999_999_998), Units(1_234_567_909_999_999_998)));
    let much = take(block(102, &[(0, u128::MAX)]));
    assert_eq!(refused(&mut x, much), Reject::BadAmount);
    x.audit();
    x.check_fold();
}

/// A block of random deposits, addresses, now and then something that is refused.
pub(crate) fn random(x: &Exchange, dice: &mut Dice, account: AccountId) -> Command {
    let chain = x.cell.world().chains().get(CHAIN);
    let (at, known) = chain.map_or((None, 0), |chain| (chain.cursor(), chain.addresses()));
    let Some(cursor) = at.filter(|_| known > 0 && dice.below(4) > 0) else {
        return Command::Chain(CHAIN, ChainCommand::Assign { account, n: 1 + dice.below(3) as u32 });
    };
    let height = cursor.height + u64::from(cursor.whole);
    if cursor.whole && dice.below(6) == 0 {
        return Command::Chain(
            CHAIN,
            ChainCommand::Pass { after: cursor.height, from: cursor.hash, height, hash: hash(height) },
        );
    }
    let paid: Vec<(u32, u128)> =
        (0..dice.below(3)).map(|_| (dice.below(known) as u32, u128::from(dice.below(250_000)))).collect();
    let (part, seen) = if cursor.whole { (0, known) } else { (cursor.parts, cursor.known) };
    let mut block =
        FinalBlock { part, known: seen, last: dice.below(3) > 0, from: cursor.hash, ..block(height, &paid) };
    block.outputs.retain(|output| u64::from(output.key.index) < seen);
    block.outputs.iter_mut().for_each(|output| output.at.n += 10 * part);
    block.spends = withdrawals::spends(x, dice);
    Command::Chain(CHAIN, take(block))
}

/// A chain that is read for the random steps.
pub(crate) fn list(x: &mut Exchange) {
    send(x, ChainCommand::Set(Box::new(params())));
    send(x, ChainCommand::Pass { after: 0, from: hash(0), height: 100, hash: hash(100) });
}

/// What became of deposits, for those who count what a run reached.
pub(crate) fn kinds(fact: &ChainFact) -> Vec<CreditKind> {
    if let ChainFact::BlockTaken(f) = fact { f.credits.iter().map(|c| c.kind).collect() } else { Vec::new() }
}
