//! Facts of withdrawals: their forms, whom they name, what they move.
//!
//! Owns: these. Never does: decide. Invariants: what a withdrawal takes is locked from its request to its end. Rules:
//! `docs/rules/custody.md "Withdrawals"`. Known limits: none.

use super::coins::{AccountTransaction, CoinTransaction, Key, OutPoint, TxId, Units};
use super::params::ChainId;
use super::terms::{WithdrawalTerms, WithdrawalTermsV1, WithdrawalTermsV2};
use super::withdrawal::{PlanId, Withdrawal, WithdrawalId};
use crate::entity::{Accepted, Reply, TimeNs};
use crate::ids::{AccountId, AssetId, EntityId, Wallet};
use crate::money::Amount;
use crate::record::{FactBody, LogType, Posting, Role};

crate::wire_struct! {
    /// Withdrawals have these terms from now on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WithdrawalTermsSet {
        /// All of them.
        pub terms: WithdrawalTerms,
    }
}

crate::wire_struct! {
    /// Its first form.
    #[derive(Debug, Clone)]
    pub struct WithdrawalTermsSetV1 {
        /// All of them.
        pub terms: WithdrawalTermsV1,
    }
}

impl From<WithdrawalTermsSetV1> for WithdrawalTermsSet {
    fn from(old: WithdrawalTermsSetV1) -> Self {
        WithdrawalTermsSet { terms: old.terms.into() }
    }
}

crate::wire_struct! {
    /// Its second form.
    #[derive(Debug, Clone)]
    pub struct WithdrawalTermsSetV2 {
        /// All of them.
        pub terms: WithdrawalTermsV2,
    }
}

impl From<WithdrawalTermsSetV2> for WithdrawalTermsSet {
    fn from(old: WithdrawalTermsSetV2) -> Self {
        WithdrawalTermsSet { terms: old.terms.into() }
    }
}

crate::wire_struct! {
    /// An account wants coins to leave: what it takes is locked.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WithdrawalRequested {
        /// On which chain.
        pub chain: ChainId,
        /// What is wanted.
        pub withdrawal: Withdrawal,
        /// Version of the terms.
        pub version: u32,
        /// The limit of 24 hours that it was held to.
        pub daily_limit: Amount,
    }
}

crate::wire_struct! {
    /// What a person of the exchange says of a withdrawal.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Vote {
        /// Who.
        pub who: String,
        /// Why.
        pub reason: String,
    }
}

crate::wire_struct! {
    /// A person agreed to a withdrawal.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WithdrawalAgreed {
        /// On which chain.
        pub chain: ChainId,
        /// Which.
        pub withdrawal: WithdrawalId,
        /// Whose it is.
        pub account: AccountId,
        /// Who, and why.
        pub vote: Vote,
        /// Nobody else has to.
        pub approved: bool,
    }
}

crate::wire_enum! {
    /// Why a withdrawal ended without a payment.
    pub enum EndOfWithdrawal {
        /// Its owner took it back.
        Cancelled = 1,
        /// A person of the exchange refused it.
        Refused = 2,
    }
}

crate::wire_struct! {
    /// A withdrawal ended without a payment: what it took is free again.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WithdrawalEnded {
        /// On which chain.
        pub chain: ChainId,
        /// Which.
        pub withdrawal: WithdrawalId,
        /// Whose.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// What it took.
        pub number: Amount,
        /// Why.
        pub end: EndOfWithdrawal,
        /// Who refused it, and why.
        pub vote: Option<Vote>,
    }
}

crate::wire_struct! {
    /// A withdrawal to somebody's address here was settled: nothing goes over the chain.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SettledInside {
        /// On which chain.
        pub chain: ChainId,
        /// What was wanted.
        pub withdrawal: Withdrawal,
        /// Who gets it.
        pub receiver: AccountId,
        /// Who agreed last; none of one that nobody had to look at, which nothing was locked for.
        pub vote: Option<Vote>,
        /// Version of the terms in force.
        pub version: u32,
        /// The limit of 24 hours in force; of one that people agreed to its request has the one that it was held to.
        pub daily_limit: Amount,
    }
}

crate::wire_struct! {
    /// A transaction is decided, before anybody signs it; or one with more fee in its place.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TransactionPlanned {
        /// On which chain.
        pub chain: ChainId,
        /// Which plan.
        pub plan: PlanId,
        /// Which transaction of the plan, from 0 on: they have the same inputs and payments.
        pub attempt: u32,
        /// Everything about it.
        pub transaction: CoinTransaction,
        /// The withdrawals that it pays, in the order of its payments.
        pub withdrawals: Vec<WithdrawalId>,
    }
}

crate::wire_struct! {
    /// A transaction of a chain of accounts is decided, before anybody signs it; or one with more fee in its place.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TransferPlanned {
        /// On which chain.
        pub chain: ChainId,
        /// Which plan.
        pub plan: PlanId,
        /// Which transaction of the plan, from 0 on: they differ in what gas costs alone.
        pub attempt: u32,
        /// Everything about it.
        pub transaction: AccountTransaction,
        /// The withdrawal that it pays; none of one between our addresses.
        pub withdrawal: Option<WithdrawalId>,
    }
}

crate::wire_struct! {
    /// Whom a transaction pays.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Payee {
        /// What for.
        pub withdrawal: WithdrawalId,
        /// Whose.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// What it takes.
        pub number: Amount,
    }
}

crate::wire_struct! {
    /// A transaction is signed; it is sent once this is durable.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TransactionSigned {
        /// On which chain.
        pub chain: ChainId,
        /// Which plan.
        pub plan: PlanId,
        /// Which transaction of the plan.
        pub attempt: u32,
        /// Its id.
        pub txid: TxId,
        /// Its bytes.
        pub raw: Vec<u8>,
        /// Whom it pays.
        pub payees: Vec<Payee>,
    }
}

crate::wire_struct! {
    /// A withdrawal that was paid.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Paid {
        /// Which.
        pub withdrawal: WithdrawalId,
        /// Whose.
        pub account: AccountId,
        /// Which asset.
        pub asset: AssetId,
        /// What it took.
        pub number: Amount,
        /// What of it the exchange keeps.
        pub fee: Amount,
    }
}

crate::wire_struct! {
    /// What a transaction brings back to us.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Change {
        /// Where it is.
        pub at: OutPoint,
        /// Whose key spends it.
        pub key: Key,
        /// How much.
        pub units: Units,
    }
}

crate::wire_struct! {
    /// What became of a transaction of a chain of accounts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TransferEnd {
        /// What its gas cost, in units of the chain's coin.
        pub fee: Units,
        /// It moved what was planned; otherwise nothing but the fee.
        pub moved: bool,
        /// Whom it was to pay and did not.
        pub failed: Option<Payee>,
    }
}

crate::wire_struct! {
    /// A transaction of ours is final.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OwnTransaction {
        /// Which plan.
        pub plan: PlanId,
        /// Which transaction of the plan.
        pub attempt: u32,
        /// Its id.
        pub txid: TxId,
        /// The chain's coin, in which the fee is paid.
        pub asset: AssetId,
        /// What the miner got, as it is booked.
        pub fee: Amount,
        /// What came back.
        pub change: Option<Change>,
        /// What it paid.
        pub paid: Vec<Paid>,
        /// On a chain of accounts.
        pub transfer: Option<TransferEnd>,
    }
}

crate::wire_struct! {
    /// Its first form: on chains of coins.
    #[derive(Debug, Clone)]
    pub struct OwnTransactionV1 {
        /// Which plan.
        pub plan: PlanId,
        /// Which transaction of the plan.
        pub attempt: u32,
        /// Its id.
        pub txid: TxId,
        /// Which asset.
        pub asset: AssetId,
        /// What the miner got.
        pub fee: Amount,
        /// What came back.
        pub change: Option<Change>,
        /// What it paid.
        pub paid: Vec<Paid>,
    }
}

impl From<OwnTransactionV1> for OwnTransaction {
    fn from(old: OwnTransactionV1) -> OwnTransaction {
        let OwnTransactionV1 { plan, attempt, txid, asset, fee, change, paid } = old;
        OwnTransaction { plan, attempt, txid, asset, fee, change, paid, transfer: None }
    }
}

impl OwnTransaction {
    /// Whom it was to pay and did not.
    #[must_use]
    pub fn failed(&self) -> Option<&Payee> {
        self.transfer.as_ref().and_then(|transfer| transfer.failed.as_ref())
    }

    /// What left the exchange of each asset: payments and the miner's fee.
    pub fn left(&self) -> impl Iterator<Item = (AssetId, Amount)> {
        let arrived = |asset: AssetId| {
            let its = self.paid.iter().filter(move |paid| paid.asset == asset);
            its.map(|paid| paid.number - paid.fee).sum::<Amount>()
        };
        // All payments of one transaction are of one asset: the chain's coin, or a token.
        let token = self.paid.first().map(|paid| paid.asset).filter(|asset| *asset != self.asset);
        let coin = (self.asset, self.fee + arrived(self.asset));
        std::iter::once(coin).chain(token.map(|token| (token, arrived(token))))
    }
}

impl Withdrawal {
    /// As whom a transaction pays.
    #[must_use]
    pub fn payee(&self) -> Payee {
        let Withdrawal { withdrawal, account, asset, number, .. } = *self;
        Payee { withdrawal, account, asset, number }
    }

    /// As what a final transaction paid.
    #[must_use]
    pub fn paid(&self) -> Paid {
        let Withdrawal { withdrawal, account, asset, number, fee, .. } = *self;
        Paid { withdrawal, account, asset, number, fee }
    }
}

/// A movement in the wallet that coins come into and leave.
pub(super) fn funding(
    account: AccountId,
    asset: AssetId,
    log: LogType,
    (available, locked): (Amount, Amount),
    reference: u64,
) -> Posting {
    Posting { account, wallet: Wallet::Funding, asset, log, available, locked, reference }
}

impl FactBody for WithdrawalTermsSet {}
impl FactBody for WithdrawalAgreed {}
impl FactBody for TransactionPlanned {}
impl FactBody for TransferPlanned {}

impl FactBody for WithdrawalRequested {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.withdrawal.account), Role::Taker);
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let w = &self.withdrawal;
        if role == Role::Taker {
            post(funding(w.account, w.asset, LogType::WITHDRAW_APPLY, (-w.number, w.number), w.withdrawal.0));
        }
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Withdrawal(self.withdrawal.withdrawal))
    }
}

impl FactBody for WithdrawalEnded {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.account), Role::Item(0));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        if role == Role::Item(0) {
            let moved = (self.number, -self.number);
            post(funding(self.account, self.asset, LogType::WITHDRAW_BACK, moved, self.withdrawal.0));
        }
    }
}

impl FactBody for SettledInside {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        tell(EntityId::Account(self.withdrawal.account), Role::Taker);
        tell(EntityId::Account(self.receiver), Role::Item(0));
    }

    fn postings(&self, role: Role, post: &mut impl FnMut(Posting)) {
        let (w, reference) = (&self.withdrawal, self.withdrawal.withdrawal.0);
        match role {
            Role::Taker => {
                let moved = match self.vote {
                    Some(_) => (Amount::ZERO, -w.number),
                    None => (-w.number, Amount::ZERO),
                };
                post(funding(w.account, w.asset, LogType::WITHDRAW_DONE, moved, reference));
            }
            Role::Item(_) => {
                post(funding(self.receiver, w.asset, LogType::DEPOSIT, (w.number, Amount::ZERO), reference));
            }
            Role::Decider | Role::Maker(_) | Role::Fees | Role::Insurance | Role::Other => {}
        }
    }

    fn reply(&self, _time: TimeNs) -> Reply {
        Reply::Accepted(Accepted::Withdrawal(self.withdrawal.withdrawal))
    }
}

impl FactBody for TransactionSigned {
    fn parties(&self, tell: &mut impl FnMut(EntityId, Role)) {
        for (n, payee) in (0..).zip(&self.payees) {
            tell(EntityId::Account(payee.account), Role::Item(n));
        }
    }
}
