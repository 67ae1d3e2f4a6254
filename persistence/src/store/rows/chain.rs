//! Addresses, deposits and withdrawals as rows, and which of the first two are asked for.
//!
//! Owns: the tables `addresses` and `deposits` (`withdrawal.rs` has the third), and the rows of each fact of chains. Never does:
//! compute an amount; the fact has it. Invariants: an output of a chain has one row. Known limits: how far a chain was read has no
//! row: it is in memory and in the journal; an address is kept by its place, its text is made of the chain's extended public key.

use std::collections::BTreeMap;

use xng_core::{
    chain::{
        ChainId, Key, OutPoint, TxId, Units, WithdrawalId,
        facts::{ChainFact, CreditKind},
        withdrawal_facts::EndOfWithdrawal,
    },
    entity::TimeNs,
    ids::{AccountId, AssetId},
    journal::Lsn,
    money::Amount,
    record::Record,
};

use super::{
    Missing,
    message::{MessageKey, MessageKind, StoredMessage},
    table::{StoredRow, WrittenRow, tables},
    withdrawal::{self, StoredWithdrawal},
};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

tables! {
    /// What a batch changes of chains.
    rows {
        /// Addresses that were assigned, in order.
        addresses: Vec<StoredAddress>,
        /// What came, in order.
        deposits: Vec<StoredDeposit>,
        /// Withdrawals that changed, as they are now.
        withdrawals: BTreeMap<WithdrawalId, StoredWithdrawal>,
        /// What owners are told.
        messages: BTreeMap<MessageKey, StoredMessage>,
    }
    remembered { withdrawals: StoredWithdrawal }
}

impl Needs {
    pub(in crate::store) fn name(&mut self, _: &Record, fact: &ChainFact) {
        withdrawal::name(fact, &mut self.withdrawals);
    }
}

impl Known {
    pub(in crate::store) fn fold(
        &mut self,
        (lsn, record): (Lsn, &Record),
        fact: &ChainFact,
        rows: &mut Rows,
    ) -> Result<(), Missing> {
        let time = record.time;
        tell(fact, time, &mut rows.messages);
        match fact {
            ChainFact::AddressAssigned(f) => {
                let (chain, number, key, account) = (f.chain, f.number, f.key, f.account);
                rows.addresses.push(StoredAddress { chain, number, key, account, time });
            }
            ChainFact::BlockTaken(f) => rows.deposits.extend((0..).zip(&f.credits).map(|(n, credit)| StoredDeposit {
                lsn,
                n,
                chain: f.chain,
                output: Some((credit.at, credit.units)),
                height: f.height,
                key: credit.key,
                account: credit.owner,
                asset: credit.asset,
                amount: credit.amount,
                kind: credit.kind.into(),
                time,
            })),
            ChainFact::SmallDepositsCredited(f) => rows.deposits.push(StoredDeposit {
                lsn,
                n: 0,
                chain: f.chain,
                output: None,
                height: 0,
                key: f.key,
                account: f.account,
                asset: f.asset,
                amount: f.amount,
                kind: DepositKind::Collected,
                time,
            }),
            ChainFact::ChainSet(_)
            | ChainFact::BlocksPassed(_)
            | ChainFact::ChainHalted(_)
            | ChainFact::ChainResumed(_)
            | ChainFact::ReserveChecked(_)
            | ChainFact::WithdrawalTermsSet(_)
            | ChainFact::WithdrawalRequested(_)
            | ChainFact::WithdrawalAgreed(_)
            | ChainFact::WithdrawalEnded(_)
            | ChainFact::SettledInside(_)
            | ChainFact::TransactionPlanned(_)
            | ChainFact::TransferPlanned(_)
            | ChainFact::TransactionSigned(_) => {}
        }
        let missing = |id: WithdrawalId| Missing { lsn, row: format!("withdrawal {id}") };
        withdrawal::fold(fact, time, &mut self.withdrawals, &mut rows.withdrawals).map_err(missing)
    }
}

/// What a fact tells who deposits or withdraws.
fn tell(fact: &ChainFact, time: TimeNs, rows: &mut BTreeMap<MessageKey, StoredMessage>) {
    let mut of_withdrawal = |account, kind, withdrawal: WithdrawalId, asset, amount| {
        let message = StoredMessage::new(account, kind, time).about(withdrawal.0);
        StoredMessage { asset, amount, ..message }.add_to(rows);
    };
    match fact {
        ChainFact::BlockTaken(f) => {
            for own in f.own.iter().flat_map(|own| &own.paid) {
                let arrives = own.number - own.fee;
                of_withdrawal(own.account, MessageKind::WithdrawalPaid, own.withdrawal, own.asset, arrives);
            }
            for (n, credit) in (0..).zip(&f.credits) {
                let kind = match credit.kind {
                    CreditKind::Credited => MessageKind::Deposit,
                    CreditKind::Small => MessageKind::SmallDeposit,
                    CreditKind::Coinbase => continue,
                };
                let message = StoredMessage::new(credit.owner, kind, time).about(n);
                StoredMessage { asset: credit.asset, amount: credit.amount, reference: 0, ..message }.add_to(rows);
            }
        }
        ChainFact::SmallDepositsCredited(f) => {
            let message = StoredMessage::new(f.account, MessageKind::Deposit, time);
            StoredMessage { asset: f.asset, amount: f.amount, ..message }.add_to(rows);
        }
        ChainFact::WithdrawalRequested(f) => {
            let w = &f.withdrawal;
            of_withdrawal(w.account, MessageKind::WithdrawalRequested, w.withdrawal, w.asset, w.number);
        }
        ChainFact::WithdrawalEnded(f) => {
            let kind = match f.end {
                EndOfWithdrawal::Cancelled => MessageKind::WithdrawalCancelled,
                EndOfWithdrawal::Refused => MessageKind::WithdrawalRefused,
            };
            of_withdrawal(f.account, kind, f.withdrawal, f.asset, f.number);
        }
        ChainFact::SettledInside(f) => {
            let w = &f.withdrawal;
            of_withdrawal(w.account, MessageKind::WithdrawalPaid, w.withdrawal, w.asset, w.arrives());
            let message = StoredMessage::new(f.receiver, MessageKind::TransferReceived, time);
            StoredMessage { asset: w.asset, amount: w.arrives(), ..message }.add_to(rows);
        }
        ChainFact::ChainSet(_)
        | ChainFact::AddressAssigned(_)
        | ChainFact::BlocksPassed(_)
        | ChainFact::ChainHalted(_)
        | ChainFact::ChainResumed(_)
        | ChainFact::ReserveChecked(_)
        | ChainFact::WithdrawalTermsSet(_)
        | ChainFact::WithdrawalAgreed(_)
        | ChainFact::TransactionPlanned(_)
        | ChainFact::TransferPlanned(_)
        | ChainFact::TransactionSigned(_) => {}
    }
}

/// An address of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAddress {
    /// On which chain.
    pub chain: ChainId,
    /// How many addresses of the chain were assigned before it.
    pub number: u64,
    /// Which child of which key it is.
    pub key: Key,
    /// Whose.
    pub account: AccountId,
    /// Since when.
    pub time: TimeNs,
}

impl StoredRow for StoredAddress {
    const TABLE: &'static Table = &Table {
        name: "addresses",
        reading: "read addresses",
        key: &["chain", "number"],
        columns: &["chain", "number", "ring", "change", "child", "account", "time_ns"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        Ok(StoredAddress {
            chain: ChainId(f.small("chain")?),
            number: f.id("number")?,
            key: key(f)?,
            account: AccountId(f.id("account")?),
            time: f.id("time_ns")?,
        })
    }
}

fn key(f: &Fields<'_>) -> Result<Key, StoreError> {
    Ok(Key { ring: f.small("ring")?, change: f.int("change")? != 0, index: f.small("child")? })
}

impl WrittenRow for StoredAddress {
    fn put(&self, c: &mut Columns) {
        c.int(self.chain.0).id(self.number);
        put_key(self.key, c);
        c.id(self.account.0).id(self.time);
    }
}

fn put_key(key: Key, c: &mut Columns) {
    c.int(key.ring).int(i64::from(key.change)).int(key.index);
}

/// What became of a deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepositKind {
    /// It was credited.
    Credited = 1,
    /// Less than the least deposit: it is kept.
    Small = 2,
    /// A block's reward.
    Coinbase = 3,
    /// Small ones that were kept are credited together.
    Collected = 4,
}

impl From<CreditKind> for DepositKind {
    fn from(kind: CreditKind) -> DepositKind {
        match kind {
            CreditKind::Credited => DepositKind::Credited,
            CreditKind::Small => DepositKind::Small,
            CreditKind::Coinbase => DepositKind::Coinbase,
        }
    }
}

/// What came to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredDeposit {
    /// Position of the record.
    pub lsn: Lsn,
    /// Which of those that the record tells.
    pub n: u32,
    /// On which chain.
    pub chain: ChainId,
    /// Where the coins are, and what they are exactly; none of small ones that are credited together.
    pub output: Option<(OutPoint, Units)>,
    /// Height of the block; 0 without one.
    pub height: u64,
    /// The address.
    pub key: Key,
    /// Whose it is.
    pub account: AccountId,
    /// Which asset.
    pub asset: AssetId,
    /// How much.
    pub amount: Amount,
    /// What became of it.
    pub kind: DepositKind,
    /// When it was final.
    pub time: TimeNs,
}

impl StoredRow for StoredDeposit {
    const TABLE: &'static Table = &Table {
        name: "deposits",
        reading: "read deposits",
        key: &["lsn", "n"],
        columns: &[
            "lsn",
            "n",
            "chain",
            "txid",
            "output",
            "units",
            "height",
            "ring",
            "change",
            "child",
            "account",
            "asset",
            "amount_whole",
            "amount_frac",
            "kind",
            "time_ns",
        ],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let strange = |column: &'static str, value: &str| f.strange(column, value.to_owned());
        let output = match (f.text("txid")?, f.maybe_int("output")?, f.text("units")?) {
            (Some(txid), Some(n), Some(units)) => {
                let txid = TxId::parse(&txid).ok_or_else(|| strange("txid", &txid))?;
                let n = u32::try_from(n).map_err(|_| strange("output", &n.to_string()))?;
                let units = Units(units.parse().map_err(|_| strange("units", &units))?);
                Some((OutPoint { txid, n }, units))
            }
            _ => None,
        };
        let kind = match f.int("kind")? {
            1 => DepositKind::Credited,
            2 => DepositKind::Small,
            3 => DepositKind::Coinbase,
            4 => DepositKind::Collected,
            other => return Err(strange("kind", &other.to_string())),
        };
        Ok(StoredDeposit {
            lsn: Lsn(f.id("lsn")?),
            n: f.small("n")?,
            chain: ChainId(f.small("chain")?),
            output,
            height: f.id("height")?,
            key: key(f)?,
            account: AccountId(f.id("account")?),
            asset: AssetId(f.small("asset")?),
            amount: f.amount("amount_whole", "amount_frac")?,
            kind,
            time: f.id("time_ns")?,
        })
    }
}

impl WrittenRow for StoredDeposit {
    fn put(&self, c: &mut Columns) {
        c.id(self.lsn.0).int(self.n).int(self.chain.0);
        c.text(self.output.map(|(at, _)| at.txid.to_string())).maybe_int(self.output.map(|(at, _)| at.n.into()));
        c.text(self.output.map(|(_, units)| units.0.to_string())).id(self.height);
        put_key(self.key, c);
        c.id(self.account.0).int(self.asset.0).amount(self.amount).int(self.kind as i64).id(self.time);
    }
}

/// Deposits of one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepositFilter {
    /// Whose.
    pub account: AccountId,
    /// Of this asset only.
    pub asset: Option<AssetId>,
}

impl Filter for DepositFilter {
    type Row = StoredDeposit;
    type Cursor = (Lsn, u32);
    const ORDER: &'static [&'static str] = &["lsn", "n"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        if let Some(asset) = self.asset {
            query.equal("asset", asset.0);
        }
    }

    fn cursor(row: &StoredDeposit) -> (Lsn, u32) {
        (row.lsn, row.n)
    }

    fn place((lsn, n): (Lsn, u32)) -> Vec<u64> {
        vec![lsn.0, n.into()]
    }
}

/// Deposits of one chain, whosever they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainDeposits(pub ChainId);

impl Filter for ChainDeposits {
    type Row = StoredDeposit;
    type Cursor = (Lsn, u32);
    const ORDER: &'static [&'static str] = DepositFilter::ORDER;

    fn narrow(&self, query: &mut Query) {
        query.equal("chain", self.0.0);
    }

    fn cursor(row: &StoredDeposit) -> (Lsn, u32) {
        DepositFilter::cursor(row)
    }

    fn place(cursor: (Lsn, u32)) -> Vec<u64> {
        DepositFilter::place(cursor)
    }
}
