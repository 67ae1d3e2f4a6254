//! Chains in the tests' exchange, and their rows beside what the facts say.
//!
//! Owns: deposits of every kind, the comparison. Never does: check rules; the engine does. Invariants: none. Known limits: one
//! chain.

use xng_core::{
    chain::{
        AccountKey, BlockHash, ChainCommand, ChainId, ChainParams, FinalBlock, Key, OutPoint, Output, TxId, Units,
        facts::{ChainFact, Credit},
    },
    entity::Command,
    ids::{AccountId, AssetId},
    journal::Lsn,
    money::{Amount, ONE},
    record::Fact,
};

use super::{
    super::{
        Slice,
        rows::chain::{DepositFilter, DepositKind, StoredDeposit},
    },
    Rig,
    exchange::{BTC, Exchange, user},
};

pub(super) const CHAIN: ChainId = ChainId(1);

fn hash(n: u64) -> BlockHash {
    BlockHash([n as u8; 32])
}

impl Exchange {
    /// A deposit that is credited, small ones that are enough together, a block's reward, a chain that is halted.
    pub(super) fn deposits(&mut self) {
        let params = ChainParams {
            chain: CHAIN,
            version: 0,
            name: "Bitcoin".into(),
            asset: BTC,
            decimals: 8,
            confirmations: 2,
            min_deposit: Amount(ONE / 1_000),
            addresses: 20,
            keys: vec![AccountKey { ring: 0, fingerprint: [7; 8] }],
            ring: 0,
            accounts: None,
        };
        self.run(Command::Chain(CHAIN, ChainCommand::Set(Box::new(params))));
        self.run(Command::Chain(CHAIN, ChainCommand::Pass { after: 0, from: hash(0), height: 100, hash: hash(100) }));
        for n in 0..2 {
            self.run(Command::Chain(CHAIN, ChainCommand::Assign { account: user(n), n: 1 }));
        }
        let paid: [&[(u32, u128)]; 3] = [&[(0, 250_000), (1, 60_000)], &[(1, 50_000)], &[(0, 5_000_000_000)]];
        for (height, outputs) in (101..).zip(paid) {
            let output = |(n, (index, units)): (usize, &(u32, u128))| Output {
                at: OutPoint { txid: TxId([height as u8; 32]), n: n as u32 },
                key: Key { ring: 0, change: false, index: *index },
                units: Units(*units),
                coinbase: height == 103,
            };
            let block = FinalBlock {
                from: hash(height - 1),
                height,
                hash: hash(height),
                part: 0,
                last: true,
                known: 2,
                outputs: outputs.iter().enumerate().map(output).collect(),
                spends: Vec::new(),
            };
            self.run(Command::Chain(CHAIN, ChainCommand::Take(Box::new(block))));
        }
        self.run(Command::Chain(CHAIN, ChainCommand::Timer));
        self.run(Command::Chain(CHAIN, ChainCommand::Halt));
        self.run(Command::Chain(CHAIN, ChainCommand::Resume));
    }
}

/// An account's deposits, each as its fact has it.
pub(super) fn check_deposits(rig: &Rig, exchange: &Exchange, account: AccountId) {
    type Row = (Lsn, Option<(OutPoint, Units)>, AssetId, Amount, DepositKind);
    let mut expected: Vec<Row> = Vec::new();
    for (lsn, record) in (1..).map(Lsn).zip(&exchange.records) {
        match &record.fact {
            Fact::Chain(ChainFact::BlockTaken(f)) => {
                let own = f.credits.iter().filter(|credit| credit.owner == account);
                let row = |c: &Credit| (lsn, Some((c.at, c.units)), c.asset, c.amount, c.kind.into());
                expected.extend(own.map(row));
            }
            Fact::Chain(ChainFact::SmallDepositsCredited(f)) if f.account == account => {
                expected.push((lsn, None, f.asset, f.amount, DepositKind::Collected));
            }
            _ => {}
        }
    }
    let all = DepositFilter { account, asset: None };
    let rows = rig.wait(rig.store.page(&all, Slice::Oldest, 10)).expect("reads");
    let row = |r: &StoredDeposit| (r.lsn, r.output, r.asset, r.amount, r.kind);
    assert_eq!(rows.iter().map(row).collect::<Vec<Row>>(), expected, "deposits of {account}");
    let none = DepositFilter { account, asset: Some(AssetId(99)) };
    assert_eq!(rig.wait(rig.store.count(&none)).expect("reads"), 0);
}
