//! Rows of deposits and withdrawals by the tools' own fold, and where the store has them.
//!
//! Owns: what is compared of what came to accounts' addresses, and of what they let leave. Never does: share code with the projection.
//! Invariants: rows come in the order of the journal. Known limits: rows of the addresses themselves are not compared; open withdrawals are
//! in memory.

use super::{ComparedRow, Open, Takes, Tool, Whose, tables};
use crate::tools::error::ToolError;
use crate::tools::stored::Stored;
use serde_json::json;
use std::collections::BTreeMap;
use xng_core::chain::facts::ChainFact;
use xng_core::chain::withdrawal_facts::EndOfWithdrawal;
use xng_core::chain::{TxId, VOTES_AFTER_FAILURE, Withdrawal, WithdrawalId};
use xng_core::codec::Wire;
use xng_core::entity::TimeNs;
use xng_core::ids::AccountId;
use xng_core::journal::Lsn;
use xng_persistence::store::{
    DepositFilter, DepositKind, StoredDeposit, StoredWithdrawal, WithdrawalFilter, WithdrawalStage,
};

tables! { deposits: StoredDeposit, withdrawals: StoredWithdrawal }

impl ComparedRow for StoredWithdrawal {
    const NAMES: [&'static str; 2] = ["withdrawal", "withdrawals"];
    const KEY: &'static str = "withdrawals";
    const IS_KEPT: bool = true;
    type Part = ();
    type Place = (TimeNs, WithdrawalId);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (TimeNs, WithdrawalId) {
        (self.requested, self.withdrawal)
    }
    fn id(&self) -> u64 {
        self.withdrawal.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.withdrawal.put(out);
        self.asset.put(out);
        self.number.put(out);
        self.fee.put(out);
        self.address.put(out);
        self.inside.put(out);
        [self.flags, self.needed, self.votes].iter().for_each(|n| n.put(out));
        out.push(self.stage as u8);
        self.requested.put(out);
        [self.approved, self.planned, self.signed, self.ended].iter().for_each(|time| time.put(out));
        self.txid.put(out);
        self.reason.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(WithdrawalFilter { account, done: false })
    }
}

impl ComparedRow for StoredDeposit {
    const NAMES: [&'static str; 2] = ["deposit", "deposits"];
    const KEY: &'static str = "deposits";
    type Part = ();
    type Place = (Lsn, u32);

    fn account(&self) -> AccountId {
        self.account
    }
    fn part(&self) {}
    fn place(&self) -> (Lsn, u32) {
        (self.lsn, self.n)
    }
    fn id(&self) -> u64 {
        self.lsn.0
    }
    fn put(&self, out: &mut Vec<u8>) {
        self.chain.put(out);
        self.output.put(out);
        self.height.put(out);
        self.key.put(out);
        self.asset.put(out);
        self.amount.put(out);
        out.push(self.kind as u8);
        self.time.put(out);
    }
    fn stored(stored: &Stored, account: AccountId, (): ()) -> impl Iterator<Item = Result<Self, ToolError>> {
        stored.rows(DepositFilter { account, asset: None })
    }
}

/// See the module's header.
pub(in crate::tools) struct Fold {
    whose: Whose,
    open_withdrawals: BTreeMap<WithdrawalId, StoredWithdrawal>,
}

impl Fold {
    pub(super) fn new(whose: Whose) -> Fold {
        Fold { whose, open_withdrawals: BTreeMap::new() }
    }

    /// Reads the next fact.
    pub(super) fn read(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &ChainFact,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        match fact {
            ChainFact::BlockTaken(f) => {
                for own in &f.own {
                    if let Some(failed) = own.failed() {
                        self.changes(failed.withdrawal, rows, |row| {
                            (row.stage, row.needed, row.votes) = (WithdrawalStage::Pending, VOTES_AFTER_FAILURE, 0);
                            (row.approved, row.planned, row.signed) = (None, None, None);
                            row.txid = Some(own.txid);
                        })?;
                    }
                    for paid in &own.paid {
                        self.ends(paid.withdrawal, (WithdrawalStage::Done, time), Some(own.txid), rows)?;
                    }
                }
                for (n, credit) in (0..).zip(&f.credits) {
                    if self.whose.wants(credit.owner) {
                        rows.deposits.add(&StoredDeposit {
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
                        })?;
                    }
                }
                Ok(())
            }
            ChainFact::SmallDepositsCredited(f) if self.whose.wants(f.account) => {
                let (chain, key, account, asset, amount) = (f.chain, f.key, f.account, f.asset, f.amount);
                let kind = DepositKind::Collected;
                let row = StoredDeposit {
                    lsn,
                    n: 0,
                    chain,
                    output: None,
                    height: 0,
                    key,
                    account,
                    asset,
                    amount,
                    kind,
                    time,
                };
                rows.deposits.add(&row)
            }
            ChainFact::ChainSet(_)
            | ChainFact::AddressAssigned(_)
            | ChainFact::BlocksPassed(_)
            | ChainFact::SmallDepositsCredited(_)
            | ChainFact::ChainHalted(_)
            | ChainFact::ChainResumed(_)
            | ChainFact::ReserveChecked(_)
            | ChainFact::WithdrawalTermsSet(_) => Ok(()),
            ChainFact::WithdrawalRequested(f) => self.asked(&f.withdrawal, time, rows),
            ChainFact::SettledInside(f) => {
                let id = f.withdrawal.withdrawal;
                match &f.vote {
                    None => self.asked(&f.withdrawal, time, rows)?,
                    Some(_) => self.changes(id, rows, |row| (row.votes, row.approved) = (row.votes + 1, Some(time)))?,
                }
                self.ends(id, (WithdrawalStage::Done, time), None, rows)
            }
            ChainFact::WithdrawalAgreed(f) => self.changes(f.withdrawal, rows, |row| {
                row.votes += 1;
                if f.approved {
                    (row.stage, row.approved) = (WithdrawalStage::Approved, Some(time));
                }
            }),
            ChainFact::WithdrawalEnded(f) => {
                let refused = f.end == EndOfWithdrawal::Refused;
                let reason = f.vote.as_ref().map(|vote| vote.reason.clone());
                self.changes(f.withdrawal, rows, |row| row.reason = reason)?;
                let stage = if refused { WithdrawalStage::Refused } else { WithdrawalStage::Cancelled };
                // One whose transaction failed has its id.
                let txid = self.open_withdrawals.get(&f.withdrawal).and_then(|row| row.txid);
                self.ends(f.withdrawal, (stage, time), txid, rows)
            }
            ChainFact::TransactionPlanned(f) if f.attempt > 0 => Ok(()),
            ChainFact::TransactionPlanned(f) => f.withdrawals.iter().try_for_each(|id| {
                self.changes(*id, rows, |row| {
                    (row.stage, row.planned) = (WithdrawalStage::Planned, Some(time));
                })
            }),
            ChainFact::TransferPlanned(f) => match f.withdrawal.filter(|_| f.attempt == 0) {
                Some(id) => self.changes(id, rows, |row| {
                    (row.stage, row.planned) = (WithdrawalStage::Planned, Some(time));
                }),
                None => Ok(()),
            },
            ChainFact::TransactionSigned(f) => f.payees.iter().try_for_each(|payee| {
                self.changes(payee.withdrawal, rows, |row| {
                    (row.stage, row.txid) = (WithdrawalStage::Signed, Some(f.txid));
                    row.signed.get_or_insert(time);
                })
            }),
        }
    }

    fn asked(&mut self, w: &Withdrawal, time: TimeNs, rows: &mut Tables<impl Tool>) -> Result<(), ToolError> {
        if !self.whose.wants(w.account) {
            return Ok(());
        }
        let nobody = w.needed == 0;
        let row = StoredWithdrawal {
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
            stage: if nobody { WithdrawalStage::Approved } else { WithdrawalStage::Pending },
            votes: 0,
            approved: nobody.then_some(time),
            planned: None,
            signed: None,
            txid: None,
            ended: None,
            reason: None,
        };
        rows.withdrawals.add(&row)?;
        self.open_withdrawals.insert(w.withdrawal, row);
        Ok(())
    }

    fn changes(
        &mut self,
        id: WithdrawalId,
        rows: &mut Tables<impl Tool>,
        change: impl FnOnce(&mut StoredWithdrawal),
    ) -> Result<(), ToolError> {
        let Some(row) = self.open_withdrawals.get_mut(&id) else { return Ok(()) };
        let before = row.clone();
        change(row);
        rows.withdrawals.take(Some(&before), row)
    }

    fn ends(
        &mut self,
        id: WithdrawalId,
        (stage, time): (WithdrawalStage, TimeNs),
        txid: Option<TxId>,
        rows: &mut Tables<impl Tool>,
    ) -> Result<(), ToolError> {
        self.changes(id, rows, |row| {
            (row.stage, row.ended, row.txid) = (stage, Some(time), txid);
        })?;
        self.open_withdrawals.remove(&id);
        Ok(())
    }

    /// Withdrawals that wait.
    pub(super) fn open(&self, open: &mut Vec<Open>) {
        open.extend(self.open_withdrawals.values().map(|w| {
            let stage = format!("{:?}", w.stage).to_lowercase();
            let object = json!({ "withdrawal": w.withdrawal.0, "asset": w.asset.0, "number": w.number.to_string(),
                "fee": w.fee.to_string(), "address": w.address, "stage": stage });
            let (id, number, asset, address) = (w.withdrawal, w.number, w.asset, &w.address);
            (format!("withdrawal {id}: {number} of asset {asset} to {address}, {stage}"), object)
        }));
    }
}
