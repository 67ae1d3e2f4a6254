//! Withdrawals as rows, and which of them are asked for.
//!
//! Owns: the table `withdrawals`. Never does: decide; the facts have it. Invariants: a row is the engine's own withdrawal, and how far
//! it came. Known limits: who agreed has no row: the records name them.

use std::collections::BTreeMap;

use xng_core::{
    chain::{
        TxId, VOTES_AFTER_FAILURE, Withdrawal, WithdrawalId,
        facts::ChainFact,
        withdrawal_facts::{EndOfWithdrawal, OwnTransaction},
    },
    entity::TimeNs,
    ids::{AccountId, AssetId},
    money::Amount,
};

use super::table::{Kept, Known, Needed, StoredRow, WrittenRow};
use crate::store::{
    StoreError,
    sql::{Columns, Fields, Filter, Query, Table},
};

/// How far a withdrawal came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawalStage {
    /// People have to agree.
    Pending = 1,
    /// It waits for a transaction.
    Approved = 2,
    /// It is in one.
    Planned = 3,
    /// That is signed.
    Signed = 4,
    /// It was paid.
    Done = 5,
    /// It was refused.
    Refused = 6,
    /// Its owner took it back.
    Cancelled = 7,
}

impl WithdrawalStage {
    const ALL: &'static [WithdrawalStage] = &[
        WithdrawalStage::Pending,
        WithdrawalStage::Approved,
        WithdrawalStage::Planned,
        WithdrawalStage::Signed,
        WithdrawalStage::Done,
        WithdrawalStage::Refused,
        WithdrawalStage::Cancelled,
    ];

    /// Nothing changes it any more.
    #[must_use]
    pub fn is_end(self) -> bool {
        matches!(self, WithdrawalStage::Done | WithdrawalStage::Refused | WithdrawalStage::Cancelled)
    }
}

/// A withdrawal, and how far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredWithdrawal {
    /// Which.
    pub withdrawal: WithdrawalId,
    /// Whose.
    pub account: AccountId,
    /// Which asset.
    pub asset: AssetId,
    /// What left the wallet.
    pub number: Amount,
    /// What of it the exchange keeps.
    pub fee: Amount,
    /// Where to.
    pub address: String,
    /// Whose address of ours it is.
    pub inside: Option<AccountId>,
    /// What is unusual about it.
    pub flags: u32,
    /// People who have to agree.
    pub needed: u32,
    /// When it was asked for.
    pub requested: TimeNs,
    /// How far it came.
    pub stage: WithdrawalStage,
    /// People who agreed.
    pub votes: u32,
    /// When enough had agreed.
    pub approved: Option<TimeNs>,
    /// When it came into a transaction.
    pub planned: Option<TimeNs>,
    /// When that was signed first.
    pub signed: Option<TimeNs>,
    /// The transaction, the last one that was signed.
    pub txid: Option<TxId>,
    /// When it ended.
    pub ended: Option<TimeNs>,
    /// Why it was refused.
    pub reason: Option<String>,
}

impl StoredWithdrawal {
    /// As it was asked for.
    #[must_use]
    pub fn new(w: &Withdrawal, time: TimeNs) -> StoredWithdrawal {
        let automatic = w.is_automatic();
        StoredWithdrawal {
            withdrawal: w.withdrawal,
            account: w.account,
            asset: w.asset,
            number: w.number,
            fee: w.fee,
            address: w.address.clone(),
            inside: w.inside,
            flags: w.flags,
            needed: w.needed,
            requested: time,
            stage: if automatic { WithdrawalStage::Approved } else { WithdrawalStage::Pending },
            votes: 0,
            approved: automatic.then_some(time),
            planned: None,
            signed: None,
            txid: None,
            ended: None,
            reason: None,
        }
    }
}

/// The withdrawals that a fact changes, not those that it makes.
fn changed(fact: &ChainFact) -> Vec<WithdrawalId> {
    match fact {
        ChainFact::WithdrawalAgreed(f) => vec![f.withdrawal],
        ChainFact::WithdrawalEnded(f) => vec![f.withdrawal],
        ChainFact::SettledInside(f) if f.vote.is_some() => vec![f.withdrawal.withdrawal],
        ChainFact::TransactionPlanned(f) if f.attempt == 0 => f.withdrawals.clone(),
        ChainFact::TransactionSigned(f) => f.payees.iter().map(|payee| payee.withdrawal).collect(),
        ChainFact::TransferPlanned(f) if f.attempt == 0 => f.withdrawal.into_iter().collect(),
        ChainFact::BlockTaken(f) => {
            let paid = f.own.iter().flat_map(|own| &own.paid).map(|paid| paid.withdrawal);
            paid.chain(f.own.iter().filter_map(failed)).collect()
        }
        ChainFact::SettledInside(_)
        | ChainFact::TransactionPlanned(_)
        | ChainFact::TransferPlanned(_)
        | ChainFact::WithdrawalRequested(_)
        | ChainFact::WithdrawalTermsSet(_)
        | ChainFact::ChainSet(_)
        | ChainFact::AddressAssigned(_)
        | ChainFact::BlocksPassed(_)
        | ChainFact::SmallDepositsCredited(_)
        | ChainFact::ChainHalted(_)
        | ChainFact::ChainResumed(_)
        | ChainFact::ReserveChecked(_) => Vec::new(),
    }
}

/// The withdrawal that a transaction was to pay and did not.
fn failed(own: &OwnTransaction) -> Option<WithdrawalId> {
    own.failed().map(|payee| payee.withdrawal)
}

fn made(fact: &ChainFact) -> Option<&Withdrawal> {
    if let ChainFact::WithdrawalRequested(f) = fact {
        return Some(&f.withdrawal);
    }
    let ChainFact::SettledInside(f) = fact else { return None };
    f.vote.is_none().then_some(&f.withdrawal)
}

/// What a fact does to a withdrawal that it names.
fn change(fact: &ChainFact, time: TimeNs, row: &mut StoredWithdrawal) {
    match fact {
        ChainFact::WithdrawalAgreed(f) => {
            row.votes += 1;
            if f.approved {
                (row.stage, row.approved) = (WithdrawalStage::Approved, Some(time));
            }
        }
        ChainFact::WithdrawalEnded(f) => {
            row.stage = match f.end {
                EndOfWithdrawal::Cancelled => WithdrawalStage::Cancelled,
                EndOfWithdrawal::Refused => WithdrawalStage::Refused,
            };
            row.ended = Some(time);
            row.reason = f.vote.as_ref().map(|vote| vote.reason.clone());
        }
        ChainFact::SettledInside(f) => {
            row.votes += u32::from(f.vote.is_some());
            row.approved = row.approved.or(Some(time));
            (row.stage, row.ended) = (WithdrawalStage::Done, Some(time));
        }
        ChainFact::TransactionPlanned(_) | ChainFact::TransferPlanned(_) => {
            (row.stage, row.planned) = (WithdrawalStage::Planned, Some(time))
        }
        ChainFact::TransactionSigned(f) => {
            row.stage = WithdrawalStage::Signed;
            row.signed = row.signed.or(Some(time));
            row.txid = Some(f.txid);
        }
        ChainFact::BlockTaken(f) => {
            if let Some(own) = f.own.iter().find(|own| failed(own) == Some(row.withdrawal)) {
                // As if nobody had looked at it yet.
                (row.stage, row.needed, row.votes) = (WithdrawalStage::Pending, VOTES_AFTER_FAILURE, 0);
                (row.approved, row.planned, row.signed) = (None, None, None);
                row.txid = Some(own.txid);
                return;
            }
            let own = f.own.iter().find(|own| own.paid.iter().any(|paid| paid.withdrawal == row.withdrawal));
            row.txid = own.map(|own| own.txid);
            (row.stage, row.ended) = (WithdrawalStage::Done, Some(time));
        }
        ChainFact::ChainSet(_)
        | ChainFact::AddressAssigned(_)
        | ChainFact::BlocksPassed(_)
        | ChainFact::SmallDepositsCredited(_)
        | ChainFact::ChainHalted(_)
        | ChainFact::ChainResumed(_)
        | ChainFact::ReserveChecked(_)
        | ChainFact::WithdrawalTermsSet(_)
        | ChainFact::WithdrawalRequested(_) => {}
    }
}

/// Names the rows that a fact makes or changes.
pub(super) fn name(fact: &ChainFact, needed: &mut Needed<StoredWithdrawal>) {
    if let Some(withdrawal) = made(fact) {
        needed.made(withdrawal.withdrawal);
    }
    changed(fact).into_iter().for_each(|id| needed.changed(id));
}

/// Makes and changes the rows of a fact.
///
/// # Errors
/// The row that is not there.
pub(super) fn fold(
    fact: &ChainFact,
    time: TimeNs,
    known: &mut Known<StoredWithdrawal>,
    rows: &mut BTreeMap<WithdrawalId, StoredWithdrawal>,
) -> Result<(), WithdrawalId> {
    if let Some(withdrawal) = made(fact) {
        let mut row = StoredWithdrawal::new(withdrawal, time);
        change(fact, time, &mut row);
        known.add(row, rows);
    }
    changed(fact).into_iter().try_for_each(|id| known.change(id, rows, |row| change(fact, time, row)).ok_or(id))
}

impl StoredRow for StoredWithdrawal {
    const TABLE: &'static Table = &Table {
        name: "withdrawals",
        reading: "read withdrawals",
        key: &["withdrawal"],
        columns: &[
            "withdrawal",
            "account",
            "asset",
            "number_whole",
            "number_frac",
            "fee_whole",
            "fee_frac",
            "address",
            "inside",
            "flags",
            "needed",
            "requested_ns",
            "state",
            "votes",
            "approved_ns",
            "planned_ns",
            "signed_ns",
            "txid",
            "ended_ns",
            "reason",
        ],
        replaced: &["needed", "state", "votes", "approved_ns", "planned_ns", "signed_ns", "txid", "ended_ns", "reason"],
        ..Table::PLAIN
    };

    fn get(f: &Fields<'_>) -> Result<Self, StoreError> {
        let time = |column| f.maybe_int(column).map(|time| time.map(i64::cast_unsigned));
        let txid = match f.text("txid")? {
            Some(text) => Some(TxId::parse(&text).ok_or_else(|| f.strange("txid", text.clone()))?),
            None => None,
        };
        Ok(StoredWithdrawal {
            withdrawal: WithdrawalId(f.id("withdrawal")?),
            account: AccountId(f.id("account")?),
            asset: AssetId(f.small("asset")?),
            number: f.amount("number_whole", "number_frac")?,
            fee: f.amount("fee_whole", "fee_frac")?,
            address: f.text("address")?.unwrap_or_default(),
            inside: f.maybe_int("inside")?.map(|account| AccountId(account.cast_unsigned())),
            flags: f.small("flags")?,
            needed: f.small("needed")?,
            requested: f.id("requested_ns")?,
            stage: f.variant("state", WithdrawalStage::ALL, |stage| stage as u8)?,
            votes: f.small("votes")?,
            approved: time("approved_ns")?,
            planned: time("planned_ns")?,
            signed: time("signed_ns")?,
            txid,
            ended: time("ended_ns")?,
            reason: f.text("reason")?,
        })
    }
}

impl WrittenRow for StoredWithdrawal {
    fn put(&self, c: &mut Columns) {
        let time = |time: Option<TimeNs>| time.map(u64::cast_signed);
        c.id(self.withdrawal.0).id(self.account.0).int(self.asset.0).amount(self.number).amount(self.fee);
        c.text(Some(self.address.clone())).maybe_int(self.inside.map(|account| account.0.cast_signed()));
        c.int(self.flags).int(self.needed).id(self.requested).int(self.stage as i64).int(self.votes);
        c.maybe_int(time(self.approved)).maybe_int(time(self.planned)).maybe_int(time(self.signed));
        c.text(self.txid.map(|txid| txid.to_string())).maybe_int(time(self.ended)).text(self.reason.clone());
    }
}

impl Kept for StoredWithdrawal {
    type Key = WithdrawalId;

    fn key(&self) -> WithdrawalId {
        self.withdrawal
    }

    fn numbers(key: WithdrawalId) -> impl IntoIterator<Item = i64> {
        [key.0.cast_signed()]
    }

    fn is_done(&self) -> bool {
        self.stage.is_end()
    }
}

/// Withdrawals of one account, by the time at which they were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalFilter {
    /// Whose.
    pub account: AccountId,
    /// Only those that were paid.
    pub done: bool,
}

impl Filter for WithdrawalFilter {
    type Row = StoredWithdrawal;
    type Cursor = (TimeNs, WithdrawalId);
    const ORDER: &'static [&'static str] = &["requested_ns", "withdrawal"];

    fn narrow(&self, query: &mut Query) {
        query.equal("account", self.account.0.cast_signed());
        if self.done {
            query.equal("state", WithdrawalStage::Done as u8);
        }
    }

    fn cursor(row: &StoredWithdrawal) -> (TimeNs, WithdrawalId) {
        (row.requested, row.withdrawal)
    }

    fn place((requested, withdrawal): (TimeNs, WithdrawalId)) -> Vec<u64> {
        vec![requested, withdrawal.0]
    }
}

/// Withdrawals of all accounts that were asked for in a time. No index has their times: the whole table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawalsRequested {
    /// From then on.
    pub since: TimeNs,
    /// Before then.
    pub until: TimeNs,
}

impl Filter for WithdrawalsRequested {
    type Row = StoredWithdrawal;
    type Cursor = WithdrawalId;
    const ORDER: &'static [&'static str] = &["withdrawal"];

    fn narrow(&self, query: &mut Query) {
        query.between("requested_ns", Some(self.since), Some(self.until));
    }

    fn cursor(row: &StoredWithdrawal) -> WithdrawalId {
        row.withdrawal
    }

    fn place(withdrawal: WithdrawalId) -> Vec<u64> {
        vec![withdrawal.0]
    }
}

#[cfg(test)]
mod tests {
    use xng_core::{
        chain::{
            AccountTransaction, BlockHash, ChainId, Key, PlanId, Recipient, Units,
            facts::BlockTaken,
            withdrawal_facts::{Payee, TransactionSigned, TransferEnd, TransferPlanned},
        },
        money::ONE,
        record::Fact,
    };

    use super::*;

    const CHAIN: ChainId = ChainId(2);

    fn asked() -> Withdrawal {
        Withdrawal {
            withdrawal: WithdrawalId::of(CHAIN, 1),
            account: AccountId(100_001),
            asset: AssetId(2),
            number: Amount(ONE),
            fee: Amount(ONE / 100),
            units: Units(99),
            address: "0x00".into(),
            script_bytes: 20,
            inside: None,
            flags: 0,
            needed: 0,
        }
    }

    fn told(fact: impl Into<Fact>) -> ChainFact {
        let fact = fact.into();
        let Fact::Chain(fact) = fact else { panic!("{fact:?}") };
        fact
    }

    fn planned(plan: u64) -> ChainFact {
        let from = Key { ring: 0, change: true, index: 0 };
        let transaction = AccountTransaction {
            from,
            nonce: plan,
            to: Recipient::Address("0x00".into()),
            token: None,
            units: Units(99),
            gas_limit: 60_000,
            max_fee_per_gas: 1,
            max_priority_fee_per_gas: 1,
        };
        let withdrawal = Some(asked().withdrawal);
        told(TransferPlanned { chain: CHAIN, plan: PlanId(plan), attempt: 0, transaction, withdrawal })
    }

    fn signed(plan: u64) -> ChainFact {
        let (txid, payees) = (TxId([plan as u8; 32]), vec![asked().payee()]);
        told(TransactionSigned { chain: CHAIN, plan: PlanId(plan), attempt: 0, txid, raw: vec![1], payees })
    }

    fn taken(plan: u64, failed: Option<Payee>) -> ChainFact {
        let end = TransferEnd { fee: Units(1), moved: failed.is_none(), failed };
        let own = OwnTransaction {
            plan: PlanId(plan),
            attempt: 0,
            txid: TxId([plan as u8; 32]),
            asset: AssetId(2),
            fee: Amount(1),
            change: None,
            paid: if failed.is_none() { vec![asked().paid()] } else { Vec::new() },
            transfer: Some(end),
        };
        let (from, hash) = (BlockHash([1; 32]), BlockHash([2; 32]));
        let (height, part, last, known, credits, own) = (9, 0, true, 0, Vec::new(), vec![own]);
        told(BlockTaken { chain: CHAIN, from, height, hash, part, last, known, credits, own })
    }

    #[test]
    fn one_whose_transaction_moved_nothing_waits_for_two_people_again() {
        let mut row = StoredWithdrawal::new(&asked(), 1);
        let mut tell = |fact: &ChainFact, time| {
            assert_eq!(changed(fact), [asked().withdrawal], "{fact:?}");
            change(fact, time, &mut row);
            row.clone()
        };
        tell(&planned(1), 2);
        assert_eq!(tell(&signed(1), 3).stage, WithdrawalStage::Signed);
        let failed = tell(&taken(1, Some(asked().payee())), 4);
        assert_eq!((failed.stage, failed.needed, failed.votes), (WithdrawalStage::Pending, 2, 0));
        assert_eq!((failed.approved, failed.planned, failed.signed, failed.ended), (None, None, None, None));
        assert_eq!(failed.txid, Some(TxId([1; 32])), "people look it up");
        tell(&planned(2), 5);
        tell(&signed(2), 6);
        let done = tell(&taken(2, None), 7);
        assert_eq!((done.stage, done.planned, done.signed), (WithdrawalStage::Done, Some(5), Some(6)));
        assert_eq!((done.txid, done.ended), (Some(TxId([2; 32])), Some(7)));
    }
}
