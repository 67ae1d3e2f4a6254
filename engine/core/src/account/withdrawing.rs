//! Withdrawals as an account sees them: it holds the money and asks the chain.
//!
//! Owns: the check of its money and status, its locks. Never does: decide on a withdrawal; the chain does. Invariants: what an open
//! withdrawal takes is locked. Rules: `docs/rules/custody.md "Withdrawals"`. Known limits: none.

use super::locks::{Lock, LockKind};
use super::{Account, Tier};
use crate::chain::facts::ChainFact;
use crate::chain::withdrawal_facts::EndOfWithdrawal;
use crate::chain::{ChainCommand, ChainId, TxId, WithdrawalId, WithdrawalRequest};
use crate::entity::{Applied, Ask, Command, Decision, HoldRequest};
use crate::ids::{AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::Role;
use crate::reject::Reject;

/// What happened to a withdrawal of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithdrawalChange {
    /// Which.
    pub withdrawal: WithdrawalId,
    /// What.
    pub step: WithdrawalStep,
    /// Which asset, and what it takes.
    pub money: (AssetId, Amount),
    /// The transaction that pays it.
    pub txid: Option<TxId>,
}

/// What can happen to a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithdrawalStep {
    /// It was asked for; whether people have to agree.
    Requested {
        /// They have to.
        pending: bool,
    },
    /// Its transaction is signed.
    Signed,
    /// Its transaction is final and moved nothing: people have to agree anew.
    Failed,
    /// It was paid.
    Done,
    /// It ended without a payment.
    Ended(EndOfWithdrawal),
}

impl Account {
    pub(super) fn withdraw(&self, chain: ChainId, wanted: &WithdrawalRequest) -> Result<Decision, Reject> {
        self.may_act()?;
        let tier = self.tier();
        if tier == Tier::Unverified {
            return Err(Reject::Unverified);
        }
        if !wanted.number.is_positive() {
            return Err(Reject::BadAmount);
        }
        if self.free(Wallet::Funding, wanted.asset) < wanted.number {
            return Err(Reject::InsufficientBalance);
        }
        let ask = ChainCommand::Request { account: self.id, tier, wanted: Box::new(wanted.clone()) };
        let decider = EntityId::Chain(chain);
        let hold = Some(HoldRequest::of(decider, Wallet::Funding, wanted.asset, wanted.number));
        Ok(Decision::Ask(Box::new(Ask { command: Command::Chain(chain, ask), hold })))
    }

    pub(super) fn apply_chain(&mut self, fact: &ChainFact, applied: Applied<'_>, role: Role) {
        let lock = |reference: WithdrawalId, asset: AssetId, amount: Amount| {
            let (kind, wallet) = (LockKind::Withdrawal, Wallet::Funding);
            Lock { kind, reference: reference.0, wallet, asset, amount }
        };
        let change = match (fact, role) {
            (ChainFact::WithdrawalRequested(f), Role::Taker) => {
                self.remember(applied);
                let w = &f.withdrawal;
                lock(w.withdrawal, w.asset, w.number)
            }
            (ChainFact::SettledInside(f), Role::Taker) => {
                let w = &f.withdrawal;
                if f.vote.is_none() {
                    self.remember(applied);
                    return;
                }
                lock(w.withdrawal, w.asset, -w.number)
            }
            (ChainFact::WithdrawalEnded(f), Role::Item(_)) => lock(f.withdrawal, f.asset, -f.number),
            (ChainFact::BlockTaken(f), role) => match f.paid(role) {
                Some((_, paid)) => lock(paid.withdrawal, paid.asset, -paid.number),
                None => return,
            },
            // Money alone, or nothing of an account's.
            (
                ChainFact::WithdrawalRequested(_)
                | ChainFact::SettledInside(_)
                | ChainFact::WithdrawalEnded(_)
                | ChainFact::SmallDepositsCredited(_)
                | ChainFact::TransactionSigned(_)
                | ChainFact::ChainSet(_)
                | ChainFact::AddressAssigned(_)
                | ChainFact::BlocksPassed(_)
                | ChainFact::ChainHalted(_)
                | ChainFact::ChainResumed(_)
                | ChainFact::ReserveChecked(_)
                | ChainFact::WithdrawalTermsSet(_)
                | ChainFact::WithdrawalAgreed(_)
                | ChainFact::TransactionPlanned(_)
                | ChainFact::TransferPlanned(_),
                _,
            ) => return,
        };
        self.cold_mut().locks.add(change);
        if self.cold().is_empty() {
            self.cold = None;
        }
    }
}

/// What a fact does to a withdrawal of the account that it names in this role.
pub(super) fn withdrawal_change(fact: &ChainFact, role: Role) -> Option<WithdrawalChange> {
    let change = |withdrawal, step, money, txid| Some(WithdrawalChange { withdrawal, step, money, txid });
    match (fact, role) {
        (ChainFact::WithdrawalRequested(f), Role::Taker) => {
            let (w, pending) = (&f.withdrawal, !f.withdrawal.is_automatic());
            change(w.withdrawal, WithdrawalStep::Requested { pending }, (w.asset, w.number), None)
        }
        (ChainFact::SettledInside(f), Role::Taker) => {
            let w = &f.withdrawal;
            change(w.withdrawal, WithdrawalStep::Done, (w.asset, w.number), None)
        }
        (ChainFact::WithdrawalEnded(f), Role::Item(_)) => {
            change(f.withdrawal, WithdrawalStep::Ended(f.end), (f.asset, f.number), None)
        }
        (ChainFact::TransactionSigned(f), Role::Item(n)) => {
            let payee = f.payees[n as usize];
            change(payee.withdrawal, WithdrawalStep::Signed, (payee.asset, payee.number), Some(f.txid))
        }
        (ChainFact::BlockTaken(f), role) => {
            if let Some((own, payee)) = f.failed(role) {
                let money = (payee.asset, payee.number);
                return change(payee.withdrawal, WithdrawalStep::Failed, money, Some(own.txid));
            }
            let (own, paid) = f.paid(role)?;
            change(paid.withdrawal, WithdrawalStep::Done, (paid.asset, paid.number), Some(own.txid))
        }
        _ => None,
    }
}
