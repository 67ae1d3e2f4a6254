//! Plans: transactions that pay withdrawals, from the choice of coins until one of them is final.
//!
//! Owns: which coins are free, plans that are open and their transactions. Never does: sign, send; read a fee rate: who follows the
//! node says it. Invariants: a coin is in one plan; all transactions of a plan have the same inputs and payments, so that the chain
//! takes one of them; a transaction is frozen before it is signed, and its bytes before it is sent.
//! Rules: `docs/rules/custody.md "Transactions"`. Known limits: one that no change can pay more fee for is not replaced.

use super::coins::{Coin, CoinTransaction, Key, OutPoint, Payment, TxId, Units};
use super::command::Spend;
use super::entity::{Chain, OwnCoin};
use super::size::{OWN_SCRIPT, input_size, virtual_size};
use super::withdrawal::{PlanId, Withdrawal, WithdrawalId};
use super::withdrawal_facts::{Change, OwnTransaction, Payee, TransactionPlanned, TransactionSigned};
use crate::codec::{DecodeError, Reader, Wire, WordHash};
use crate::entity::{Accepted, Decision, Reply, TimeNs};
use crate::hashed::HashedMap;
use crate::money::Amount;
use crate::reject::Reject;
use std::collections::{BTreeMap, BTreeSet};

/// Coins that one transaction spends at most; the signer refuses more.
const MOST_INPUTS: usize = 100;
/// Withdrawals that it pays at most; the signer refuses more.
const MOST_PAYMENTS: usize = 50;
/// Transactions of one plan at most.
const MOST_ATTEMPTS: usize = 16;
/// Coins that are looked at, the oldest first, before the largest are.
const LOOKED_AT: usize = 1_000;
/// Change of less is the miner's: it would cost as much to spend.
const LEAST_CHANGE: Units = Units(1_000);
/// Blocks after which a block's reward may be spent.
const MATURITY: u64 = 100;
/// The longest transaction.
const LONGEST: usize = 32 << 10;
/// Transactions of ours that one part of a block takes at most: each may name [`MOST_PAYMENTS`] accounts.
pub const MOST_OWN: usize = 4;
/// Units per 1,000 virtual bytes, least and most.
const RATES: (u64, u64) = (1_000, 1_000_000);

crate::wire_struct! {
    /// A signed transaction.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SignedBytes {
        /// Its id.
        pub txid: TxId,
        /// Its bytes.
        pub raw: Vec<u8>,
        /// When that was recorded.
        pub at: TimeNs,
    }
}

crate::wire_struct! {
    /// A transaction of a plan.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Attempt {
        /// Everything about it.
        pub transaction: CoinTransaction,
        /// When it was decided.
        pub at: TimeNs,
        /// Once it is signed.
        pub signed: Option<SignedBytes>,
    }
}

crate::wire_struct! {
    /// A plan that no block has settled yet.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Plan {
        /// Which.
        pub plan: PlanId,
        /// What it pays, in the order of its payments.
        pub withdrawals: Vec<WithdrawalId>,
        /// Its transactions, the newest last.
        pub attempts: Vec<Attempt>,
    }
}

/// Coins that no plan has taken, in both orders in which they are chosen.
#[derive(Debug, Default)]
pub(super) struct FreeCoins {
    by_age: BTreeSet<(u64, OutPoint)>,
    by_size: BTreeSet<(Units, OutPoint)>,
}

impl FreeCoins {
    pub(super) fn insert(&mut self, at: OutPoint, coin: &OwnCoin) {
        self.by_age.insert((coin.height, at));
        self.by_size.insert((coin.units, at));
    }

    pub(super) fn remove(&mut self, at: OutPoint, coin: &OwnCoin) {
        self.by_age.remove(&(coin.height, at));
        self.by_size.remove(&(coin.units, at));
    }
}

/// See the module's header.
#[derive(Debug, Default)]
pub(super) struct Plans {
    count: u64,
    /// Addresses of change that were used.
    changes: u32,
    open: HashedMap<PlanId, Plan>,
    /// Of what is signed.
    by_txid: BTreeMap<TxId, (PlanId, u32)>,
}

impl Plans {
    pub(super) fn is_signed(&self, plan: PlanId) -> bool {
        self.open.get(&plan).is_some_and(|plan| plan.attempts.iter().any(|attempt| attempt.signed.is_some()))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Plan> {
        self.open.iter().map(|(_, plan)| plan)
    }

    fn index(&mut self, plan: &Plan) {
        for (n, attempt) in (0..).zip(&plan.attempts) {
            if let Some(signed) = &attempt.signed {
                self.by_txid.insert(signed.txid, (plan.plan, n));
            }
        }
    }

    pub(super) fn planned(&mut self, f: &TransactionPlanned, at: TimeNs) {
        let attempt = Attempt { transaction: f.transaction.clone(), at, signed: None };
        if f.attempt == 0 {
            self.count += 1;
            if let Some((key, _)) = f.transaction.change {
                self.changes = key.index + 1;
            }
            let plan = Plan { plan: f.plan, withdrawals: f.withdrawals.clone(), attempts: vec![attempt] };
            self.open.insert(f.plan, plan);
        } else {
            let mut plan = self.open.remove(&f.plan).expect("what is replaced is open");
            plan.attempts.push(attempt);
            self.open.insert(f.plan, plan);
        }
    }

    pub(super) fn signed(&mut self, f: &TransactionSigned, at: TimeNs) {
        let mut plan = self.open.remove(&f.plan).expect("what is signed is open");
        plan.attempts[f.attempt as usize].signed = Some(SignedBytes { txid: f.txid, raw: f.raw.clone(), at });
        self.index(&plan);
        self.open.insert(f.plan, plan);
    }

    /// It is settled: what it was.
    pub(super) fn settled(&mut self, id: PlanId) -> Plan {
        let plan = self.open.remove(&id).expect("what is settled is open");
        for attempt in &plan.attempts {
            if let Some(signed) = &attempt.signed {
                self.by_txid.remove(&signed.txid);
            }
        }
        plan
    }

    pub(super) fn hash(&self, h: WordHash) -> WordHash {
        h.pair(self.count, u64::from(self.changes)).pair(self.open.len() as u64, self.open.digest())
    }
}

impl Wire for Plans {
    fn put(&self, out: &mut Vec<u8>) {
        self.count.put(out);
        self.changes.put(out);
        self.open.put(out);
    }
    fn get(r: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut plans =
            Plans { count: Wire::get(r)?, changes: Wire::get(r)?, open: Wire::get(r)?, by_txid: BTreeMap::new() };
        let all: Vec<Plan> = plans.iter().cloned().collect();
        all.iter().for_each(|plan| plans.index(plan));
        Ok(plans)
    }
}

/// What `rate` makes of so many virtual bytes, rounded up.
fn fee(rate: u64, virtual_bytes: u64) -> Units {
    Units((u128::from(rate) * u128::from(virtual_bytes)).div_ceil(1_000))
}

fn check_rate(rate: u64) -> Result<(), Reject> {
    if (RATES.0..=RATES.1).contains(&rate) { Ok(()) } else { Err(Reject::BadParameters) }
}

impl Chain {
    /// Plans that no block has settled yet.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.plans.iter()
    }

    fn is_ripe(&self, coin: &OwnCoin) -> bool {
        let height = self.cursor().map_or(0, |cursor| cursor.height);
        !coin.coinbase || coin.height + MATURITY <= height
    }

    /// Coins in this order until they pay for all; none when they do not.
    fn choose<'a>(
        &'a self,
        order: impl Iterator<Item = &'a OutPoint>,
        payees: &[&Withdrawal],
        rate: u64,
    ) -> Option<CoinTransaction> {
        let wanted: u128 = payees.iter().map(|payee| payee.units.0).sum();
        let mut scripts: Vec<usize> = payees.iter().map(|payee| payee.script_bytes as usize).collect();
        let costs = fee(rate, input_size());
        let mut inputs: Vec<Coin> = Vec::new();
        let mut sum = 0_u128;
        let with = |at: &OutPoint| self.coin(at).map(|coin| (*at, *coin));
        // What costs as much as it brings is left.
        let useful = order.filter_map(with).filter(|(_, coin)| self.is_ripe(coin) && coin.units > costs);
        for (at, coin) in useful.take(MOST_INPUTS) {
            inputs.push(Coin { at, units: coin.units, key: coin.key });
            sum += coin.units.0;
            if sum >= wanted + fee(rate, virtual_size(inputs.len(), &scripts)).0 {
                break;
            }
        }
        let plain = fee(rate, virtual_size(inputs.len(), &scripts)).0;
        let left = sum.checked_sub(wanted + plain)?;
        scripts.push(OWN_SCRIPT);
        let more = fee(rate, virtual_size(inputs.len(), &scripts)).0 - plain;
        let change = left.checked_sub(more).filter(|change| *change >= LEAST_CHANGE.0);
        let key = Key { ring: self.params()?.ring, change: true, index: self.plans.changes };
        let change = change.map(|units| (key, Units(units)));
        let fee = Units(sum - wanted - change.map_or(0, |(_, units)| units.0));
        let pay = |payee: &&Withdrawal| Payment { address: payee.address.clone(), units: payee.units };
        let payments = payees.iter().map(pay).collect();
        Some(CoinTransaction { inputs, payments, change, fee })
    }

    /// Coins for these payments: old ones, or large ones when too many old ones would be needed.
    fn coins_for(&self, payees: &[&Withdrawal], rate: u64) -> Option<CoinTransaction> {
        // Half of the most, so that there is room for a replacement.
        let most = Units(self.coin_terms()?.most_chain_fee.0.div_ceil(2));
        let good = |transaction: &CoinTransaction| transaction.fee <= most;
        let old = self.free.by_age.iter().take(LOOKED_AT).map(|(_, at)| at);
        let old = self.choose(old, payees, rate).filter(good);
        let large = || self.choose(self.free.by_size.iter().rev().take(LOOKED_AT).map(|(_, at)| at), payees, rate);
        old.or_else(|| large().filter(good))
    }

    /// The next transaction for withdrawals that wait.
    pub(super) fn plan(&self, rate: u64) -> Result<Decision, Reject> {
        if self.read()?.accounts.is_some() {
            return Err(Reject::BadParameters);
        }
        check_rate(rate)?;
        let payees: Vec<&Withdrawal> =
            self.withdrawals.approved().filter(|w| w.inside.is_none()).take(MOST_PAYMENTS).collect();
        if payees.is_empty() {
            return Ok(Decision::Nothing);
        }
        let most = self.coin_terms().map_or(Amount::ZERO, |terms| terms.most_a_transaction);
        let sums = payees.iter().scan(Amount::ZERO, |sum, payee| {
            *sum += payee.arrives();
            Some(*sum)
        });
        // One that was asked for under higher terms goes alone.
        let mut count = sums.take_while(|sum| *sum <= most).count().max(1);
        while count > 0 {
            if let Some(transaction) = self.coins_for(&payees[..count], rate) {
                let withdrawals = payees[..count].iter().map(|payee| payee.withdrawal).collect();
                let plan = PlanId(self.plans.count + 1);
                let (chain, attempt) = (self.id(), 0);
                return Ok(Decision::Fact(
                    TransactionPlanned { chain, plan, attempt, transaction, withdrawals }.into(),
                ));
            }
            count /= 2;
        }
        Err(Reject::InsufficientBalance)
    }

    /// A transaction with more fee in the place of the last one of a plan.
    pub(super) fn bump(&self, id: PlanId, rate: u64, now: TimeNs) -> Result<Decision, Reject> {
        self.read()?;
        check_rate(rate)?;
        let terms = self.coin_terms().ok_or(Reject::WithdrawalsClosed)?;
        let plan = self.plans.open.get(&id).ok_or(Reject::WithdrawalDone)?;
        let last = plan.attempts.last().ok_or(Reject::WithdrawalDone)?;
        let signed = last.signed.as_ref().map(|signed| signed.at);
        let waited = signed.is_some_and(|at| now.saturating_sub(at) >= terms.bump_after_ms * 1_000_000);
        if !waited || plan.attempts.len() >= MOST_ATTEMPTS {
            return Ok(Decision::Nothing);
        }
        let old = &last.transaction;
        let Some((key, change)) = old.change else { return Ok(Decision::Nothing) };
        let open = plan.withdrawals.iter().filter_map(|id| self.withdrawals.get(*id));
        let mut scripts: Vec<usize> = open.map(|open| open.withdrawal.script_bytes as usize).collect();
        scripts.push(OWN_SCRIPT);
        let size = virtual_size(old.inputs.len(), &scripts);
        // It pays as much as is asked for now: blocks are slow, or it will be found.
        if fee(rate, size) <= old.fee {
            return Ok(Decision::Nothing);
        }
        // A replacement pays for its own way, too (BIP 125), and is worth it.
        let least = old.fee.0 + fee(RATES.0, size).0.max(old.fee.0 / 4);
        let mut new = fee(rate, size).0.max(least);
        let mut left = change.0.checked_sub(new - old.fee.0);
        if left.is_none_or(|left| left < LEAST_CHANGE.0) {
            new = old.fee.0 + change.0;
            left = None;
        }
        if new < least || new > terms.most_chain_fee.0 {
            return Ok(Decision::Nothing);
        }
        let (inputs, payments) = (old.inputs.clone(), old.payments.clone());
        let change = left.map(|units| (key, Units(units)));
        let transaction = CoinTransaction { inputs, payments, change, fee: Units(new) };
        let (chain, attempt) = (self.id(), plan.attempts.len() as u32);
        let withdrawals = plan.withdrawals.clone();
        Ok(Decision::Fact(TransactionPlanned { chain, plan: id, attempt, transaction, withdrawals }.into()))
    }

    /// What the signer gave for a transaction, on a chain of either form.
    pub(super) fn signed(&self, id: PlanId, n: u32, txid: TxId, raw: &[u8]) -> Result<Decision, Reject> {
        self.read()?;
        let at = n as usize;
        let (known, payees) = if let Some(plan) = self.accounts.plan(id) {
            let attempt = plan.attempts.get(at).ok_or(Reject::BadParameters)?;
            (&attempt.signed, self.payee_of(plan).into_iter().collect())
        } else {
            let plan = self.plans.open.get(&id).ok_or(Reject::WithdrawalDone)?;
            let attempt = plan.attempts.get(at).ok_or(Reject::BadParameters)?;
            (&attempt.signed, self.payees_of(plan))
        };
        match known {
            Some(signed) if signed.txid == txid => return Ok(Decision::Reply(Reply::Accepted(Accepted::Done))),
            Some(_) => return Err(Reject::BadParameters),
            None => {}
        }
        let is_known = self.plans.by_txid.contains_key(&txid) || self.accounts.by_txid(&txid).is_some();
        if raw.is_empty() || raw.len() > LONGEST || is_known {
            return Err(Reject::BadParameters);
        }
        let (chain, raw) = (self.id(), raw.to_vec());
        Ok(Decision::Fact(TransactionSigned { chain, plan: id, attempt: n, txid, raw, payees }.into()))
    }

    fn payees_of(&self, plan: &Plan) -> Vec<Payee> {
        plan.withdrawals.iter().filter_map(|id| self.withdrawals.get(*id)).map(|open| open.withdrawal.payee()).collect()
    }

    /// Transactions of ours that spend these coins; the one that is not ours, if there is one.
    pub(super) fn own_of(&self, spends: &[Spend]) -> Result<Vec<OwnTransaction>, TxId> {
        let mut own: Vec<OwnTransaction> = Vec::new();
        for spend in spends {
            if own.iter().any(|transaction| transaction.txid == spend.by) {
                continue;
            }
            let found = self.plans.by_txid.get(&spend.by).ok_or(spend.by)?;
            // The chain takes one transaction of a plan.
            if own.iter().any(|transaction| transaction.plan == found.0) {
                return Err(spend.by);
            }
            own.push(self.own_transaction(*found, spend.by).ok_or(spend.by)?);
        }
        Ok(own)
    }

    fn own_transaction(&self, (id, n): (PlanId, u32), txid: TxId) -> Option<OwnTransaction> {
        let params = self.params()?;
        let plan = self.plans.open.get(&id)?;
        let transaction = &plan.attempts.get(n as usize)?.transaction;
        let open = plan.withdrawals.iter().filter_map(|id| self.withdrawals.get(*id));
        let paid = open.map(|open| open.withdrawal.paid());
        let change = transaction.change.map(|(key, units)| {
            let at = OutPoint { txid, n: transaction.payments.len() as u32 };
            Change { at, key, units }
        });
        let (fee, _) = params.amount(transaction.fee)?;
        let (asset, paid, transfer) = (params.asset, paid.collect(), None);
        Some(OwnTransaction { plan: id, attempt: n, txid, asset, fee, change, paid, transfer })
    }
}
