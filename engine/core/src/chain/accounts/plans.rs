//! Transactions of a chain of accounts: payments, sweeps, coin for the gas of sweeps.
//!
//! Owns: which one is made next, when one is replaced. Never does: choose what gas costs. Invariants: what is planned is there, with the
//! gas that it may take, besides what open plans move; payments leave one address, the first one of change, in the order of its nonces.
//! Known limits: as many plans are open at a time as [`MOST_OPEN`] says.

use super::state::{Accounts, AssetKey, TransferPlan};
use crate::chain::coins::{AccountTransaction, Key, Recipient, Units};
use crate::chain::entity::Chain;
use crate::chain::params::{AccountsParams, ChainAsset, ChainParams};
use crate::chain::terms::WithdrawalTerms;
use crate::chain::withdrawal::{PlanId, Withdrawal, WithdrawalId};
use crate::chain::withdrawal_facts::{Payee, TransferPlanned};
use crate::entity::{Decision, TimeNs};
use crate::ids::AssetId;
use crate::reject::Reject;
use std::collections::BTreeSet;

/// Plans that are open at a time: nodes keep so many transactions of one address that wait.
const MOST_OPEN: usize = 16;
/// Plans among them that pay nobody: what is to be paid waits for no sweep.
const MOST_SWEEPS: usize = 8;
/// Addresses to be swept that are looked at for one that can be, those of the coin and those of tokens.
const LOOKED_AT: usize = 1_000;
/// Transactions of one plan at most.
const MOST_ATTEMPTS: usize = 16;
/// Gas of a transfer of the coin to an address without code, as ours are.
const PLAIN_GAS: u64 = 21_000;
/// What a unit of gas may cost at most: 10,000 gwei.
const MOST_PRICE: u128 = 10_000_000_000_000;
/// A replacement offers one part in so many more, of both parts of the price: nodes take none that offers less than a tenth more.
const BUMP: u128 = 8;
/// An address that is swept gets coin for so many sweeps at this price: it may rise.
const GAS_FOR: u128 = 2;

/// What a unit of gas costs, in units of the chain's coin (EIP-1559).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GasPrice {
    /// All of it, at most.
    pub max_fee: u128,
    /// What of it is the block producer's; not more than all.
    pub max_priority_fee: u128,
}

impl GasPrice {
    fn check(&self) -> Result<(), Reject> {
        let good = (1..=MOST_PRICE).contains(&self.max_fee) && self.max_priority_fee <= self.max_fee;
        if good { Ok(()) } else { Err(Reject::BadParameters) }
    }

    fn of(self, gas: u64) -> Units {
        Units(u128::from(gas).saturating_mul(self.max_fee))
    }
}

impl TransferPlan {
    /// What of an asset its transactions may take from an address.
    fn takes(&self, asset: AssetId, coin: AssetId, key: Key) -> u128 {
        let from = |attempt: &super::state::TransferAttempt| attempt.transaction.from;
        if from(self.last()) != key {
            return 0;
        }
        let moved = if self.asset == asset { self.last().transaction.units.0 } else { 0 };
        let fees = self.attempts.iter().map(|attempt| attempt.transaction.most_fee().0).max();
        moved + if asset == coin { fees.unwrap_or_default() } else { 0 }
    }
}

/// A transfer that may be planned.
struct Wanted {
    from: Key,
    to: Recipient,
    asset: ChainAsset,
    units: Units,
    gas: u64,
    withdrawal: Option<WithdrawalId>,
}

impl Chain {
    /// Plans of a chain of accounts that no block has settled yet.
    pub fn transfer_plans(&self) -> impl Iterator<Item = &TransferPlan> {
        self.accounts.open()
    }

    /// The address from which withdrawals are paid and to which others are swept.
    #[must_use]
    pub fn hot_key(&self) -> Option<Key> {
        self.params().map(|params| Key { ring: params.ring, change: true, index: 0 })
    }

    /// Whether an address holds enough to be swept, and no plan takes it yet.
    #[must_use]
    pub fn wants_sweep(&self) -> bool {
        let Some(hot) = self.hot_key() else { return false };
        let busy: BTreeSet<Key> = self.accounts.open().flat_map(keys).collect();
        self.accounts.rich().any(|at| at.key != hot && !busy.contains(&at.key))
    }

    /// What an address holds that no open plan takes.
    fn free(&self, asset: AssetId, coin: AssetId, key: Key) -> Units {
        let taken: u128 = self.accounts.open().map(|plan| plan.takes(asset, coin, key)).sum();
        Units(self.accounts.balance(asset, key).0.saturating_sub(taken))
    }

    fn accounts_params(&self) -> Result<(&ChainParams, &AccountsParams), Reject> {
        let params = self.read()?;
        Ok((params, params.accounts.as_ref().ok_or(Reject::BadParameters)?))
    }

    /// The next transaction: for a withdrawal that waits, or between our addresses.
    pub(in crate::chain) fn plan_transfer(&self, price: GasPrice) -> Result<Decision, Reject> {
        let (params, forms) = self.accounts_params()?;
        price.check()?;
        if self.accounts.open().count() >= MOST_OPEN {
            return Ok(Decision::Nothing);
        }
        let hot = self.hot_key().ok_or(Reject::UnknownChain)?;
        let mut short: BTreeSet<AssetId> = BTreeSet::new();
        for withdrawal in self.withdrawals.approved().filter(|w| w.inside.is_none()) {
            // One after the other: who came first is paid first, of each asset.
            if short.contains(&withdrawal.asset) {
                continue;
            }
            match self.payment(params, forms, hot, withdrawal, price) {
                Some(wanted) => return Ok(self.transfer(wanted, price)),
                None => drop(short.insert(withdrawal.asset)),
            }
        }
        match self.sweep(params, forms, hot, price) {
            Some(wanted) => Ok(self.transfer(wanted, price)),
            None if short.is_empty() => Ok(Decision::Nothing),
            None => Err(Reject::InsufficientBalance),
        }
    }

    fn transfer(&self, wanted: Wanted, price: GasPrice) -> Decision {
        let Wanted { from, to, asset, units, gas, withdrawal } = wanted;
        let transaction = AccountTransaction {
            from,
            nonce: self.accounts.nonce(from),
            to,
            token: asset.contract,
            units,
            gas_limit: gas,
            max_fee_per_gas: price.max_fee,
            max_priority_fee_per_gas: price.max_priority_fee,
        };
        let (chain, plan, attempt) = (self.id(), self.accounts.next_plan(), 0);
        Decision::Fact(TransferPlanned { chain, plan, attempt, transaction, withdrawal }.into())
    }

    /// Whether a fee leaves room for a replacement.
    fn is_fair(terms: &WithdrawalTerms, fee: Units) -> bool {
        fee.0 <= terms.most_chain_fee.0.div_ceil(2)
    }

    fn payment(
        &self,
        params: &ChainParams,
        forms: &AccountsParams,
        hot: Key,
        withdrawal: &Withdrawal,
        price: GasPrice,
    ) -> Option<Wanted> {
        let asset = params.asset(withdrawal.asset)?;
        let gas = if asset.contract.is_some() { forms.token_gas } else { forms.coin_gas };
        let fee = price.of(gas);
        let coin = self.free(params.asset, params.asset, hot);
        let units = withdrawal.units;
        let is_there = match asset.contract {
            None => coin.0 >= units.0.checked_add(fee.0)?,
            Some(_) => coin >= fee && self.free(asset.asset, params.asset, hot) >= units,
        };
        let is_fair = Chain::is_fair(self.terms(asset.asset)?, fee);
        let (to, withdrawal) = (Recipient::Address(withdrawal.address.clone()), Some(withdrawal.withdrawal));
        (is_there && is_fair).then_some(Wanted { from: hot, to, asset, units, gas, withdrawal })
    }

    /// What is brought together next, or coin for its gas.
    fn sweep(&self, params: &ChainParams, forms: &AccountsParams, hot: Key, price: GasPrice) -> Option<Wanted> {
        let terms = self.coin_terms()?;
        let coin = params.coin();
        if self.accounts.open().filter(|plan| plan.withdrawal.is_none()).count() >= MOST_SWEEPS {
            return None;
        }
        // One at a time of each address, and none to or from one that waits for another.
        let busy: BTreeSet<Key> = self.accounts.open().flat_map(keys).collect();
        // The coin first: it pays for the gas of all others.
        let of = |is_coin: bool| self.accounts.rich().filter(move |at| (at.asset == coin.asset) == is_coin);
        let idle = |at: &AssetKey| at.key != hot && !busy.contains(&at.key);
        let mut all = of(true).filter(idle).take(LOOKED_AT).chain(of(false).filter(idle).take(LOOKED_AT));
        all.find_map(|at| {
            let balance = self.accounts.balance(at.asset, at.key);
            let asset = params.asset(at.asset)?;
            let least = asset.units(asset.min_sweep)?;
            let key = at.key;
            if asset.contract.is_none() {
                // A token there is swept first: its gas would have to come back, again and again.
                if params.assets().any(|other| other.contract.is_some() && self.accounts.is_rich(other.asset, key)) {
                    return None;
                }
                // What a replacement may cost stays.
                let units = Units(balance.0.checked_sub(price.of(PLAIN_GAS).0.checked_mul(GAS_FOR)?)?);
                let good = units >= least && Chain::is_fair(terms, price.of(PLAIN_GAS));
                let to = Recipient::Own(hot);
                return good.then_some(Wanted { from: key, to, asset, units, gas: PLAIN_GAS, withdrawal: None });
            }
            let fee = price.of(forms.token_gas);
            if !Chain::is_fair(terms, fee) {
                return None;
            }
            let has = self.accounts.balance(coin.asset, key);
            if has >= fee {
                let (to, units, gas) = (Recipient::Own(hot), balance, forms.token_gas);
                return Some(Wanted { from: key, to, asset, units, gas, withdrawal: None });
            }
            let units = Units(fee.0.checked_mul(GAS_FOR)?.checked_sub(has.0)?);
            let is_there = self.free(coin.asset, coin.asset, hot).0 >= units.0.checked_add(price.of(PLAIN_GAS).0)?;
            let (to, gas) = (Recipient::Own(key), PLAIN_GAS);
            is_there.then_some(Wanted { from: hot, to, asset: coin, units, gas, withdrawal: None })
        })
    }

    /// A transaction with more fee in the place of the last one of a plan. One waits for all with lower nonces of its address.
    pub(in crate::chain) fn bump_transfer(&self, id: PlanId, price: GasPrice, now: TimeNs) -> Result<Decision, Reject> {
        let (params, _) = self.accounts_params()?;
        price.check()?;
        let plan = self.accounts.plan(id).ok_or(Reject::WithdrawalDone)?;
        let last = plan.last();
        let old = &last.transaction;
        let terms = self.terms(plan.terms_of(params.asset)).ok_or(Reject::WithdrawalsClosed)?;
        let signed = last.signed.as_ref().map(|signed| signed.at);
        let waited = signed.is_some_and(|at| now.saturating_sub(at) >= terms.bump_after_ms * 1_000_000);
        let is_first = |other: &TransferPlan| {
            let other = &other.last().transaction;
            other.from != old.from || other.nonce >= old.nonce
        };
        if !waited || plan.attempts.len() >= MOST_ATTEMPTS || !self.accounts.open().all(is_first) {
            return Ok(Decision::Nothing);
        }
        // It pays as much as is asked for now: blocks are slow, or it will be found.
        if price.max_fee <= old.max_fee_per_gas {
            return Ok(Decision::Nothing);
        }
        // Of nothing, one: nodes take none that does not offer more of both.
        let more = |old: u128| old + old.div_ceil(BUMP).max(1);
        let max_priority_fee_per_gas = price.max_priority_fee.max(more(old.max_priority_fee_per_gas));
        let max_fee_per_gas = price.max_fee.max(more(old.max_fee_per_gas)).max(max_priority_fee_per_gas);
        let transaction = AccountTransaction { max_fee_per_gas, max_priority_fee_per_gas, ..old.clone() };
        let (before, fee) = (old.most_fee(), transaction.most_fee());
        let has = self.free(params.asset, params.asset, old.from).0 + before.0;
        if fee > terms.most_chain_fee || fee.0 > has || max_fee_per_gas > MOST_PRICE {
            return Ok(Decision::Nothing);
        }
        let (chain, attempt, withdrawal) = (self.id(), plan.attempts.len() as u32, plan.withdrawal);
        Ok(Decision::Fact(TransferPlanned { chain, plan: id, attempt, transaction, withdrawal }.into()))
    }

    /// Whom a plan's transaction pays.
    pub(in crate::chain) fn payee_of(&self, plan: &TransferPlan) -> Option<Payee> {
        self.withdrawals.get(plan.withdrawal?).map(|open| open.withdrawal.payee())
    }
}

/// Addresses of ours that a plan's transaction is from or to.
fn keys(plan: &TransferPlan) -> impl Iterator<Item = Key> {
    let transaction = &plan.last().transaction;
    let to = if let Recipient::Own(key) = transaction.to { Some(key) } else { None };
    [Some(transaction.from), to].into_iter().flatten()
}

impl Accounts {
    /// What a plan's transaction moves.
    pub(in crate::chain) fn asset_of(params: &ChainParams, transaction: &AccountTransaction) -> AssetId {
        let token = params.assets().find(|asset| asset.contract == transaction.token);
        token.map_or(params.asset, |asset| asset.asset)
    }
}
