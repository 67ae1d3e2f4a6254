//! What our addresses hold, and the transactions that are open.
//!
//! Owns: balances, nonces, small deposits, what is less than an amount's last place, open plans. Never does: decide.
//! Invariants: what is open is found by the id of each of its signed transactions. Known limits: none.

use crate::chain::coins::{AccountTransaction, Key, Recipient, TxId, Units};
use crate::chain::facts::{Credit, CreditKind};
use crate::chain::params::{ChainAsset, ChainParams};
use crate::chain::plans::SignedBytes;
use crate::chain::withdrawal::{PlanId, WithdrawalId};
use crate::chain::withdrawal_facts::{OwnTransaction, TransactionSigned, TransferPlanned};
use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::entity::TimeNs;
use crate::hashed::HashedMap;
use crate::ids::AssetId;
use crate::money::Amount;
use std::collections::{BTreeMap, BTreeSet};

crate::wire_struct! {
    /// An asset at an address of ours.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct AssetKey {
        /// Which asset.
        pub asset: AssetId,
        /// Which address.
        pub key: Key,
    }
}

crate::wire_struct! {
    /// A transaction of a plan.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TransferAttempt {
        /// Everything about it.
        pub transaction: AccountTransaction,
        /// When it was decided.
        pub at: TimeNs,
        /// Once it is signed.
        pub signed: Option<SignedBytes>,
    }
}

crate::wire_struct! {
    /// A plan that no block has settled yet.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TransferPlan {
        /// Which.
        pub plan: PlanId,
        /// What it moves.
        pub asset: AssetId,
        /// The withdrawal that it pays; none of one between our addresses.
        pub withdrawal: Option<WithdrawalId>,
        /// Its transactions, the newest last.
        pub attempts: Vec<TransferAttempt>,
    }
}

impl TransferPlan {
    /// The asset whose terms of withdrawals it is held to: one between our addresses is of those of the coin.
    #[must_use]
    pub fn terms_of(&self, coin: AssetId) -> AssetId {
        if self.withdrawal.is_some() { self.asset } else { coin }
    }

    /// The transaction that is sent, or to be signed.
    #[must_use]
    pub fn last(&self) -> &TransferAttempt {
        self.attempts.last().expect("a plan has a transaction")
    }
}

/// See the module's header.
#[derive(Debug, Default)]
pub(in crate::chain) struct Accounts {
    balances: HashedMap<AssetKey, Units>,
    /// What all addresses hold of each asset.
    held: BTreeMap<AssetId, Units>,
    /// What an address has to hold of each asset to be swept, by the parameters …
    min_sweeps: BTreeMap<AssetId, Units>,
    /// … and those that do …
    rich: BTreeSet<AssetKey>,
    /// … but for what could not be moved: until more is there than then.
    unmoved: HashedMap<AssetKey, Units>,
    /// What is kept of each address whose deposits were small.
    small: HashedMap<AssetKey, Amount>,
    /// Those of them that are enough, by the parameters.
    enough: BTreeSet<AssetKey>,
    /// What came and is less than an amount's last place.
    residual: BTreeMap<AssetId, Units>,
    /// Transactions of each address that were planned.
    nonces: HashedMap<Key, u64>,
    /// Plans, ever.
    plans: u64,
    open: HashedMap<PlanId, TransferPlan>,
    /// Of what is signed.
    by_txid: BTreeMap<TxId, (PlanId, u32)>,
}

fn take(from: &mut Units, units: Units) {
    from.0 = from.0.checked_sub(units.0).expect("what leaves was there");
}

impl Accounts {
    pub(in crate::chain) fn balance(&self, asset: AssetId, key: Key) -> Units {
        self.balances.get(&AssetKey { asset, key }).copied().unwrap_or_default()
    }

    pub(in crate::chain) fn balances(&self) -> impl Iterator<Item = (&AssetKey, &Units)> {
        self.balances.iter()
    }

    pub(in crate::chain) fn held(&self, asset: AssetId) -> Units {
        self.held.get(&asset).copied().unwrap_or_default()
    }

    pub(in crate::chain) fn residual(&self, asset: AssetId) -> Units {
        self.residual.get(&asset).copied().unwrap_or_default()
    }

    pub(in crate::chain) fn nonce(&self, key: Key) -> u64 {
        self.nonces.get(&key).copied().unwrap_or_default()
    }

    pub(in crate::chain) fn next_plan(&self) -> PlanId {
        PlanId(self.plans + 1)
    }

    pub(in crate::chain) fn open(&self) -> impl Iterator<Item = &TransferPlan> {
        self.open.iter().map(|(_, plan)| plan)
    }

    pub(in crate::chain) fn plan(&self, id: PlanId) -> Option<&TransferPlan> {
        self.open.get(&id)
    }

    pub(in crate::chain) fn by_txid(&self, txid: &TxId) -> Option<(PlanId, u32)> {
        self.by_txid.get(txid).copied()
    }

    pub(in crate::chain) fn is_signed(&self, plan: PlanId) -> bool {
        self.plan(plan).is_some_and(|plan| plan.attempts.iter().any(|attempt| attempt.signed.is_some()))
    }

    pub(in crate::chain) fn enough(&self) -> Option<(AssetKey, Amount)> {
        let at = *self.enough.first()?;
        Some((at, *self.small.get(&at)?))
    }

    pub(in crate::chain) fn has_enough(&self) -> bool {
        !self.enough.is_empty()
    }

    fn add(&mut self, asset: AssetId, key: Key, units: Units) {
        let at = AssetKey { asset, key };
        let before = self.balances.remove(&at).unwrap_or_default();
        self.set_balance(at, Units(before.0 + units.0));
        self.held.entry(asset).or_default().0 += units.0;
    }

    fn set_balance(&mut self, at: AssetKey, units: Units) {
        if self.unmoved.get(&at).is_some_and(|unmoved| units > *unmoved) {
            self.unmoved.remove(&at);
        }
        let is_enough = self.min_sweeps.get(&at.asset).is_some_and(|least| units >= *least);
        if is_enough && self.unmoved.get(&at).is_none() {
            self.rich.insert(at);
        } else {
            self.rich.remove(&at);
        }
        if units.0 > 0 {
            self.balances.insert(at, units);
        }
    }

    fn remove(&mut self, asset: AssetId, key: Key, units: Units) {
        let at = AssetKey { asset, key };
        let mut left = self.balances.remove(&at).unwrap_or_default();
        take(&mut left, units);
        self.set_balance(at, left);
        take(self.held.entry(asset).or_default(), units);
    }

    pub(in crate::chain) fn credited(&mut self, credit: &Credit, asset: ChainAsset) {
        let rest = asset.amount(credit.units).map_or(Units::default(), |(_, rest)| rest);
        self.residual.entry(credit.asset).or_default().0 += rest.0;
        self.add(credit.asset, credit.key, credit.units);
        if credit.kind == CreditKind::Small {
            let at = AssetKey { asset: credit.asset, key: credit.key };
            let sum = credit.amount + self.small.remove(&at).unwrap_or(Amount::ZERO);
            self.small.insert(at, sum);
            if sum >= asset.min_deposit {
                self.enough.insert(at);
            }
        }
    }

    pub(in crate::chain) fn small_credited(&mut self, at: AssetKey) {
        self.small.remove(&at);
        self.enough.remove(&at);
    }

    /// Addresses that hold enough to be swept.
    pub(in crate::chain) fn rich(&self) -> impl Iterator<Item = AssetKey> {
        self.rich.iter().copied()
    }

    pub(in crate::chain) fn is_rich(&self, asset: AssetId, key: Key) -> bool {
        self.rich.contains(&AssetKey { asset, key })
    }

    /// Operators set the parameters: what could not be moved is tried again.
    pub(in crate::chain) fn try_all_again(&mut self) {
        self.unmoved = HashedMap::default();
    }

    /// Parameters say anew what is enough, to be credited or to be swept.
    pub(in crate::chain) fn look_for_enough(&mut self, params: &ChainParams) {
        let least = |asset: ChainAsset| Some((asset.asset, asset.units(asset.min_sweep)?));
        self.min_sweeps = params.assets().filter_map(least).collect();
        let is_rich = |at: &AssetKey, units: Units| {
            let is_enough = self.min_sweeps.get(&at.asset).is_some_and(|least| units >= *least);
            is_enough && self.unmoved.get(at).is_none()
        };
        self.rich = self.balances.iter().filter(|(at, units)| is_rich(at, **units)).map(|(at, _)| *at).collect();
        let is_enough =
            |at: &AssetKey, sum: Amount| params.asset(at.asset).is_some_and(|asset| sum >= asset.min_deposit);
        self.enough = self.small.iter().filter(|(at, sum)| is_enough(at, **sum)).map(|(at, _)| *at).collect();
    }

    pub(in crate::chain) fn planned(&mut self, f: &TransferPlanned, asset: AssetId, at: TimeNs) {
        let attempt = TransferAttempt { transaction: f.transaction.clone(), at, signed: None };
        let plan = match self.open.remove(&f.plan) {
            Some(mut plan) => {
                plan.attempts.push(attempt);
                plan
            }
            None => {
                self.plans += 1;
                self.nonces.insert(f.transaction.from, f.transaction.nonce + 1);
                TransferPlan { plan: f.plan, asset, withdrawal: f.withdrawal, attempts: vec![attempt] }
            }
        };
        self.open.insert(f.plan, plan);
    }

    pub(in crate::chain) fn signed(&mut self, f: &TransactionSigned, at: TimeNs) {
        let mut plan = self.open.remove(&f.plan).expect("what is signed is open");
        plan.attempts[f.attempt as usize].signed = Some(SignedBytes { txid: f.txid, raw: f.raw.clone(), at });
        self.index(&plan);
        self.open.insert(f.plan, plan);
    }

    fn index(&mut self, plan: &TransferPlan) {
        for (n, attempt) in (0..).zip(&plan.attempts) {
            if let Some(signed) = &attempt.signed {
                self.by_txid.insert(signed.txid, (plan.plan, n));
            }
        }
    }

    /// A transaction of ours is final.
    pub(in crate::chain) fn settled(&mut self, own: &OwnTransaction, coin: ChainAsset) {
        let plan = self.open.remove(&own.plan).expect("what is settled is open");
        for attempt in &plan.attempts {
            if let Some(signed) = &attempt.signed {
                self.by_txid.remove(&signed.txid);
            }
        }
        let end = own.transfer.expect("a transaction of a chain of accounts says how it ended");
        let transaction = &plan.attempts[own.attempt as usize].transaction;
        self.remove(coin.asset, transaction.from, end.fee);
        if end.moved {
            self.remove(plan.asset, transaction.from, transaction.units);
            if let Recipient::Own(key) = transaction.to {
                self.add(plan.asset, key, transaction.units);
            }
        }
        // A token may be frozen or paused: gas for it again and again would be lost.
        let at = AssetKey { asset: plan.asset, key: transaction.from };
        if !end.moved && plan.withdrawal.is_none() {
            self.unmoved.insert(at, self.balance(at.asset, at.key));
            self.rich.remove(&at);
        }
        let booked = coin.units(own.fee).unwrap_or_default();
        let residual = self.residual.entry(coin.asset).or_default();
        residual.0 += booked.0;
        take(residual, end.fee);
    }

    pub(in crate::chain) fn hash(&self, h: WordHash) -> WordHash {
        let rests = self
            .residual
            .iter()
            .fold(h, |h, (asset, rest)| h.pair(u64::from(asset.0), (rest.0 >> 64) as u64).pair(rest.0 as u64, 0));
        rests
            .pair(self.balances.len() as u64, self.balances.digest())
            .pair(self.small.len() as u64, self.small.digest())
            .pair(self.nonces.len() as u64, self.nonces.digest())
            .pair(self.plans, self.open.digest())
            .pair(self.unmoved.len() as u64, self.unmoved.digest())
    }
}

impl Wire for Accounts {
    fn put(&self, out: &mut Vec<u8>) {
        self.balances.put(out);
        self.small.put(out);
        self.residual.iter().map(|(asset, rest)| (*asset, *rest)).collect::<Vec<_>>().put(out);
        self.nonces.put(out);
        self.plans.put(out);
        self.open.put(out);
        self.unmoved.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let balances: HashedMap<AssetKey, Units> = Wire::get(r)?;
        let small = Wire::get(r)?;
        let residual = Vec::<(AssetId, Units)>::get(r)?.into_iter().collect();
        let mut held = BTreeMap::<AssetId, Units>::new();
        balances.iter().for_each(|(at, units)| held.entry(at.asset).or_default().0 += units.0);
        let (nonces, plans, open, unmoved) = (Wire::get(r)?, Wire::get(r)?, Wire::get(r)?, Wire::get(r)?);
        let mut accounts =
            Accounts { balances, held, small, residual, nonces, plans, open, unmoved, ..Accounts::default() };
        let all: Vec<TransferPlan> = accounts.open().cloned().collect();
        all.iter().for_each(|plan| accounts.index(plan));
        Ok(accounts)
    }
}
