//! Chains of accounts as the auditor sees them: balances, nonces, transactions between accounts.
//!
//! Owns: per key and asset what is there by credits and settled plans, what is less than an amount's last place, small deposits, open
//! plans. Never does: use the engine's sums. Invariants checked: a transfer is credited once, to the owner of its address, with all
//! that it holds but what is less than an amount's last place; nonces of a key follow each other, each of one plan; a plan moves what
//! is there and no other plan takes, its gas among it; a payment is the oldest approved withdrawal of its asset, made by the hot key;
//! other plans are between our addresses, one at a time of each, and bring all, or the gas that is wanting; replacements differ in
//! prices alone, each an eighth more; what was final moved what was planned or nothing, and then two people decide; fees are booked so
//! that what is kept back is never negative.
//! Known limits: whether gas cost what it should is the node's to say.

use super::chains::{Ledger, scale};
use super::withdrawals::{FEES, Move, NETWORK_EXPENSE};
use super::{Auditor, Finding};
use std::collections::{BTreeMap, BTreeSet};
use xng_core::chain::facts::{Credit, CreditKind};
use xng_core::chain::withdrawal_facts::{OwnTransaction, TransactionSigned, TransferPlanned};
use xng_core::chain::{
    AccountTransaction, AccountsParams, Chain, ChainId, ChainParams, Contract, Key, OutPoint, PlanId, Recipient, TxId,
    WithdrawalId,
};
use xng_core::ids::{AssetId, Wallet};
use xng_core::journal::Lsn;

/// Plans that may be open at a time.
const MOST_OPEN: usize = 16;
/// Gas of a transfer of the coin between our addresses.
const PLAIN_GAS: u64 = 21_000;
/// People who decide about a withdrawal whose transaction moved nothing.
const AFTER_FAILURE: u32 = 2;

/// A transaction of an open plan: the record that has it, and its id and the record of its bytes once it is signed.
#[derive(Debug, Clone)]
struct Attempt {
    transaction: AccountTransaction,
    planned: Lsn,
    signed: Option<(TxId, Lsn)>,
}

/// An open plan.
#[derive(Debug, Clone)]
struct Transfer {
    withdrawal: Option<WithdrawalId>,
    asset: AssetId,
    attempts: Vec<Attempt>,
}

/// A transaction of an open plan, for those who have it signed and send it.
#[derive(Debug, Clone, Copy)]
pub struct OpenTransfer<'a> {
    /// Of which plan.
    pub plan: PlanId,
    /// Which of its transactions.
    pub attempt: u32,
    /// What it moves.
    pub asset: AssetId,
    /// Everything about it.
    pub transaction: &'a AccountTransaction,
    /// The record that has it.
    pub planned: Lsn,
    /// Its id, and the record that has its bytes, once it is signed.
    pub signed: Option<(TxId, Lsn)>,
}

/// What came with a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Came {
    /// Whose address.
    pub key: Key,
    /// Which asset.
    pub asset: AssetId,
    /// How much, in the smallest unit.
    pub units: u128,
}

/// What our addresses hold on a chain, and what is on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    balances: BTreeMap<(AssetId, Key), u128>,
    /// Of each asset, what came and is less than an amount's last place.
    residual: BTreeMap<AssetId, u128>,
    small: BTreeMap<(AssetId, Key), i128>,
    /// What was at an address when its sweep moved nothing: until more is there it is left alone.
    pub(super) unmoved: BTreeMap<(AssetId, Key), u128>,
    /// Transactions of each key that were planned.
    nonces: BTreeMap<Key, u64>,
    plans_made: u64,
    plans: BTreeMap<PlanId, Transfer>,
    /// All transfers that were ever credited.
    came: BTreeMap<OutPoint, Came>,
}

/// An asset of a chain, by its parameters.
struct Form {
    contract: Option<Contract>,
    /// As [`scale`] has it.
    scale: (u128, u128),
    min_deposit: i128,
    min_sweep: i128,
    gas: u64,
}

fn form(params: &ChainParams, asset: AssetId) -> Option<Form> {
    let AccountsParams { min_sweep, coin_gas, token_gas, tokens, .. } = params.accounts.as_ref()?;
    if asset == params.asset {
        let (min_deposit, min_sweep) = (params.min_deposit.0, min_sweep.0);
        return Some(Form { contract: None, scale: scale(params.decimals), min_deposit, min_sweep, gas: *coin_gas });
    }
    let token = tokens.iter().find(|token| token.asset == asset)?;
    Some(Form {
        contract: Some(token.contract),
        scale: scale(token.decimals),
        min_deposit: token.min_deposit.0,
        min_sweep: token.min_sweep.0,
        gas: *token_gas,
    })
}

impl Form {
    /// Whether so many units are worth an amount at least.
    fn is_worth(&self, units: u128, amount: i128) -> bool {
        let (unit, times) = self.scale;
        i128::try_from(units / unit * times).is_ok_and(|worth| worth >= amount)
    }
}

/// Assets of a chain.
fn assets(params: &ChainParams) -> impl Iterator<Item = AssetId> {
    let tokens = params.accounts.iter().flat_map(|accounts| &accounts.tokens).map(|token| token.asset);
    [params.asset].into_iter().chain(tokens)
}

fn most_fee(of: &AccountTransaction) -> u128 {
    u128::from(of.gas_limit).saturating_mul(of.max_fee_per_gas)
}

/// The address that pays, and to which others are swept.
fn hot(params: &ChainParams) -> Key {
    Key { ring: params.ring, change: true, index: 0 }
}

impl Accounts {
    fn has(&self, asset: AssetId, key: Key) -> u128 {
        self.balances.get(&(asset, key)).copied().unwrap_or_default()
    }

    fn held(&self, asset: AssetId) -> u128 {
        self.balances.iter().filter(|((of, _), _)| *of == asset).map(|(_, units)| units).sum()
    }

    fn change(&mut self, at: (AssetId, Key), more: u128, less: u128) -> Result<(), String> {
        let has = self.has(at.0, at.1);
        let left =
            (has + more).checked_sub(less).ok_or_else(|| format!("takes {less} from {at:?}, which has {has}"))?;
        if self.unmoved.get(&at).is_some_and(|unmoved| left > *unmoved) {
            self.unmoved.remove(&at);
        }
        if left == 0 {
            self.balances.remove(&at)
        } else {
            self.balances.insert(at, left)
        };
        Ok(())
    }

    /// What a key has that no other open plan than this takes.
    fn free(&self, asset: AssetId, coin: AssetId, key: Key, but: PlanId) -> Option<u128> {
        let others = self.plans.iter().filter(|(id, of)| **id != but && of.attempts[0].transaction.from == key);
        let taken: u128 = others
            .map(|(_, of)| {
                let moved = if of.asset == asset { of.attempts[0].transaction.units.0 } else { 0 };
                let gas = of.attempts.iter().map(|attempt| most_fee(&attempt.transaction)).max().unwrap_or_default();
                moved + if asset == coin { gas } else { 0 }
            })
            .sum();
        self.has(asset, key).checked_sub(taken)
    }

    /// Whether what an address has is enough to be swept.
    fn is_rich(&self, form: &Form, at: (AssetId, Key)) -> bool {
        form.is_worth(self.has(at.0, at.1), form.min_sweep) && !self.unmoved.contains_key(&at)
    }

    /// Whether a plan is open that is from or to an address.
    fn is_busy(&self, key: Key, but: PlanId) -> bool {
        let others = self.plans.iter().filter(|(id, _)| **id != but).map(|(_, of)| &of.attempts[0].transaction);
        others.into_iter().any(|of| of.from == key || of.to == Recipient::Own(key))
    }
}

impl Ledger {
    pub(super) fn has_accounts(&self) -> bool {
        self.params.as_ref().is_some_and(|params| params.accounts.is_some())
    }

    /// A transfer came to an address of ours.
    pub(super) fn came(&mut self, credit: &Credit, known: u64, lean: bool) -> Result<(), String> {
        let params = self.params.as_ref().ok_or("has no parameters")?;
        let form = form(params, credit.asset).ok_or_else(|| format!("credits {credit:?}, which is not listed"))?;
        let owner = self.owners.get(&credit.key).filter(|(number, _)| *number < known).map(|(_, owner)| *owner);
        let (unit, times) = form.scale;
        let (worth, rest) = (credit.units.0 / unit * times, credit.units.0 % unit);
        let kind = if credit.amount.0 < form.min_deposit { CreditKind::Small } else { CreditKind::Credited };
        let is_right = owner == Some(credit.owner) && i128::try_from(worth) == Ok(credit.amount.0);
        if !is_right || credit.kind != kind || credit.units.0 == 0 {
            return Err(format!("credits {credit:?}, the address is {owner:?}'s, it is worth {worth}"));
        }
        let came = Came { key: credit.key, asset: credit.asset, units: credit.units.0 };
        if !lean && self.accounts.came.insert(credit.at, came).is_some() {
            return Err(format!("credits transfer {:?} twice", credit.at));
        }
        let accounts = &mut self.accounts;
        *accounts.residual.entry(credit.asset).or_default() += rest;
        if kind == CreditKind::Small {
            *accounts.small.entry((credit.asset, credit.key)).or_default() += credit.amount.0;
        }
        accounts.change((credit.asset, credit.key), credit.units.0, 0)
    }

    /// What was kept of an address is credited: how much, if it is enough.
    pub(super) fn kept(&mut self, asset: AssetId, key: Key) -> Option<i128> {
        let least = form(self.params.as_ref()?, asset)?.min_deposit;
        self.accounts.small.remove(&(asset, key)).filter(|sum| *sum >= least)
    }

    /// What is kept of an address although it is enough.
    pub(super) fn keeps_enough(&self) -> Option<(AssetId, Key, i128)> {
        let params = self.params.as_ref()?;
        let is_enough = |asset, sum: i128| form(params, asset).is_some_and(|form| sum >= form.min_deposit);
        let kept = self.accounts.small.iter().map(|((asset, key), sum)| (*asset, *key, *sum));
        kept.into_iter().find(|(asset, _, sum)| is_enough(*asset, *sum))
    }

    /// Takes in a plan, or another transaction of one.
    pub(super) fn transfer_planned(&mut self, f: &TransferPlanned, lsn: Lsn) -> Result<(), String> {
        let t = &f.transaction;
        let wrong = |what: &str| Err(format!("makes transfer {} of plan {}, {what}: {t:?}", f.attempt, f.plan));
        let Some(params) = self.params.clone().filter(|params| params.accounts.is_some()) else {
            return wrong("on a chain of coins");
        };
        let Some((asset, form)) = assets(&params)
            .filter_map(|asset| Some((asset, form(&params, asset)?)))
            .find(|(_, f)| f.contract == t.token)
        else {
            return wrong("of an unknown token");
        };
        let coin = params.asset;
        let terms_of = if f.withdrawal.is_some() && asset != coin { Some(asset) } else { None };
        let Some(most) = self.payments.terms.get(&terms_of).map(|terms| terms.most_chain_fee.0) else {
            return wrong("without terms");
        };
        let fee = most_fee(t);
        if fee > most || t.max_priority_fee_per_gas > t.max_fee_per_gas || t.max_fee_per_gas == 0 || t.units.0 == 0 {
            return wrong("which costs more than it may");
        }
        let (in_coin, in_token) = if asset == coin { (fee + t.units.0, 0) } else { (fee, t.units.0) };
        let is_there = |asset, needs| self.accounts.free(asset, coin, t.from, f.plan).is_some_and(|free| free >= needs);
        if !is_there(coin, in_coin) || !is_there(asset, in_token) {
            return wrong("which moves what is not free");
        }
        if f.attempt > 0 {
            return self.transfer_replaced(f, lsn);
        }
        if fee > most.div_ceil(2) {
            return wrong("which leaves no room for a replacement");
        }
        match f.withdrawal {
            Some(id) => self.is_payment(f, id, (asset, &form), hot(&params))?,
            None => self.is_between_ours(f, (asset, &form), &params)?,
        }
        let accounts = &mut self.accounts;
        accounts.plans_made += 1;
        let next = accounts.nonces.entry(t.from).or_default();
        if f.plan.0 != accounts.plans_made || t.nonce != *next || accounts.plans.len() >= MOST_OPEN {
            return wrong("whose number or nonce is not the next");
        }
        *next += 1;
        let attempts = vec![Attempt { transaction: t.clone(), planned: lsn, signed: None }];
        accounts.plans.insert(f.plan, Transfer { withdrawal: f.withdrawal, asset, attempts });
        Ok(())
    }

    fn is_payment(
        &mut self,
        f: &TransferPlanned,
        id: WithdrawalId,
        (asset, form): (AssetId, &Form),
        hot: Key,
    ) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("makes plan {} for withdrawal {id}, {what}: {:?}", f.plan, f.transaction));
        let oldest = self.payments.waiting().find(|open| open.asked.asset == asset).map(|open| open.asked.withdrawal);
        if oldest != Some(id) {
            return wrong("which is not the oldest that is approved");
        }
        let Some(open) = self.payments.open.get_mut(&id) else { return wrong("which is not open") };
        let (t, asked) = (&f.transaction, &open.asked);
        let is_its = t.to == Recipient::Address(asked.address.clone()) && t.units == asked.units;
        if !is_its || t.from != hot || t.gas_limit != form.gas {
            return wrong("which pays something else than was asked for");
        }
        if open.plan.replace(f.plan).is_some() { wrong("which is in another one") } else { Ok(()) }
    }

    /// A sweep, or coin for the gas of one.
    fn is_between_ours(
        &self,
        f: &TransferPlanned,
        (asset, form): (AssetId, &Form),
        params: &ChainParams,
    ) -> Result<(), String> {
        let (t, hot, accounts) = (&f.transaction, hot(params), &self.accounts);
        let wrong = |what: &str| Err(format!("makes plan {} between our addresses, {what}: {t:?}", f.plan));
        let Recipient::Own(to) = t.to else { return wrong("to another one") };
        let is_ours = |key: Key| {
            let is_change = key.change && key.index == 0 && params.keys.iter().any(|of| of.ring == key.ring);
            is_change || self.owners.contains_key(&key)
        };
        let other = if to == hot { t.from } else { to };
        if (t.from != hot && to != hot) || other == hot || !is_ours(other) || accounts.is_busy(other, f.plan) {
            return wrong("which is no sweep and brings no gas");
        }
        // What of the coin's gas is asked for there, by the price of this transaction.
        let gas = |gas: u64| u128::from(gas).saturating_mul(t.max_fee_per_gas);
        let coin_there = accounts.has(params.asset, other);
        let is_rich =
            |token: AssetId| self::form(params, token).is_some_and(|form| accounts.is_rich(&form, (token, other)));
        let rich_token = assets(params).filter(|of| *of != params.asset).any(is_rich);
        if t.from == hot {
            let wants = gas(params.accounts.as_ref().map_or(0, |accounts| accounts.token_gas));
            let is_right = asset == params.asset && rich_token && coin_there < wants;
            if !is_right || t.gas_limit != PLAIN_GAS || coin_there + t.units.0 != 2 * wants {
                return wrong("which brings gas that is not wanting");
            }
            return Ok(());
        }
        let has = accounts.has(asset, other);
        if asset != params.asset {
            let is_whole = t.units.0 == has && accounts.is_rich(form, (asset, other)) && t.gas_limit == form.gas;
            return if is_whole { Ok(()) } else { wrong("which does not bring all") };
        }
        // Coin that pays the gas of a token's sweep would have to come back for it.
        let stays = has.checked_sub(t.units.0);
        let is_right = form.is_worth(t.units.0, form.min_sweep) && stays == Some(2 * gas(PLAIN_GAS)) && !rich_token;
        if is_right && t.gas_limit == PLAIN_GAS { Ok(()) } else { wrong("which does not bring nearly all") }
    }

    fn transfer_replaced(&mut self, f: &TransferPlanned, lsn: Lsn) -> Result<(), String> {
        let t = &f.transaction;
        let wrong = |what: &str| Err(format!("makes transfer {} of plan {}, {what}: {t:?}", f.attempt, f.plan));
        let open = self.accounts.plans.values().map(|plan| &plan.attempts[0].transaction);
        let first = open.filter(|of| of.from == t.from).map(|of| of.nonce).min();
        let Some(plan) = self.accounts.plans.get_mut(&f.plan) else { return wrong("which is not open") };
        let Some(Attempt { transaction: last, signed, .. }) = plan.attempts.last() else {
            return wrong("which has no transaction");
        };
        let is_eighth_more = |new: u128, old: u128| new > old && (new - old) * 8 >= old;
        let same = (t.from, t.nonce, &t.to, t.token) == (last.from, last.nonce, &last.to, last.token)
            && (t.units, t.gas_limit, f.withdrawal) == (last.units, last.gas_limit, plan.withdrawal)
            && is_eighth_more(t.max_fee_per_gas, last.max_fee_per_gas)
            && is_eighth_more(t.max_priority_fee_per_gas, last.max_priority_fee_per_gas);
        if plan.attempts.len() != f.attempt as usize || !same || signed.is_none() || first != Some(t.nonce) {
            return wrong("which does not replace the last one");
        }
        plan.attempts.push(Attempt { transaction: t.clone(), planned: lsn, signed: None });
        Ok(())
    }

    pub(super) fn transfer_signed(&mut self, f: &TransactionSigned, lsn: Lsn) -> Result<(), String> {
        let wrong = || format!("signs transfer {} of plan {} again or too early", f.attempt, f.plan);
        let mut all = self.accounts.plans.values().flat_map(|plan| &plan.attempts);
        if all.any(|attempt| attempt.signed.is_some_and(|(txid, _)| txid == f.txid)) {
            return Err(wrong());
        }
        let plan = self.accounts.plans.get_mut(&f.plan).ok_or_else(wrong)?;
        let payee = plan.withdrawal.and_then(|id| self.payments.open.get(&id)).map(|open| &open.asked);
        let payee = payee.map(|w| (w.withdrawal, w.account, w.asset, w.number));
        let named = f.payees.iter().map(|payee| (payee.withdrawal, payee.account, payee.asset, payee.number));
        let attempt = plan.attempts.get_mut(f.attempt as usize).ok_or_else(wrong)?;
        if attempt.signed.replace((f.txid, lsn)).is_some() || !named.eq(payee) {
            return Err(wrong());
        }
        Ok(())
    }

    /// A transaction of ours is final: what it moves.
    pub(super) fn transferred(&mut self, own: &OwnTransaction) -> Result<Vec<Move>, String> {
        let wrong = |what: &str| format!("settles {own:?}, {what}");
        let unsigned = || wrong("which is no signed transaction of a plan");
        let params = self.params.as_ref().ok_or("has no parameters")?;
        let (coin, (unit, times)) = (params.asset, scale(params.decimals));
        let plan = self.accounts.plans.remove(&own.plan).ok_or_else(unsigned)?;
        let Attempt { transaction: t, signed, .. } = plan.attempts.get(own.attempt as usize).ok_or_else(unsigned)?;
        let end = own.transfer.ok_or_else(|| wrong("which does not say how it ended"))?;
        if signed.map(|(txid, _)| txid) != Some(own.txid) || own.asset != coin || own.change.is_some() {
            return Err(unsigned());
        }
        let failed = plan.withdrawal.filter(|_| !end.moved);
        let named = end.failed.map(|of| (of.withdrawal, of.account, of.asset, of.number));
        let asked = failed.and_then(|id| self.payments.open.get(&id)).map(|open| &open.asked);
        let asked = asked.map(|of| (of.withdrawal, of.account, of.asset, of.number));
        let paid: Vec<WithdrawalId> = own.paid.iter().map(|paid| paid.withdrawal).collect();
        let pays: Vec<WithdrawalId> = plan.withdrawal.filter(|_| end.moved).into_iter().collect();
        if end.fee.0 > most_fee(t) || named != asked || paid != pays {
            return Err(wrong("which is not what was planned"));
        }
        // What is kept back of credits pays what of the fee is less than an amount's last place, while it suffices.
        let rest = end.fee.0 % unit;
        let kept = self.accounts.residual.entry(coin).or_default();
        let more = u128::from(rest > *kept);
        *kept = (*kept + more * unit).checked_sub(rest).ok_or_else(|| wrong("and keeps less than nothing back"))?;
        if u128::try_from(own.fee.0) != Ok((end.fee.0 / unit + more) * times) {
            return Err(wrong("whose fee is booked as another one"));
        }
        self.accounts.change((coin, t.from), 0, end.fee.0)?;
        if end.moved {
            self.accounts.change((plan.asset, t.from), 0, t.units.0)?;
            if let Recipient::Own(to) = t.to {
                self.accounts.change((plan.asset, to), t.units.0, 0)?;
            }
        }
        if !end.moved && plan.withdrawal.is_none() {
            let has = self.accounts.has(plan.asset, t.from);
            self.accounts.unmoved.insert((plan.asset, t.from), has);
        }
        let mut moves = vec![((NETWORK_EXPENSE, coin), -own.fee.0, 0)];
        for paid in &own.paid {
            let open = self.payments.open.remove(&paid.withdrawal).ok_or_else(unsigned)?.asked;
            let is_its =
                (open.account, open.asset, open.number, open.fee) == (paid.account, paid.asset, paid.number, paid.fee);
            if !is_its || !self.payments.done.insert(paid.withdrawal) {
                return Err(wrong("which pays another withdrawal"));
            }
            moves.push(((paid.account, paid.asset), 0, -paid.number.0));
            moves.push(((FEES, paid.asset), paid.fee.0, 0));
        }
        if let Some(open) = failed.and_then(|id| self.payments.open.get_mut(&id)) {
            (open.plan, open.asked.needed, open.failed) = (None, AFTER_FAILURE, true);
            open.voters.clear();
        }
        Ok(moves)
    }

    /// Whether a chain of accounts is as its records say. The custody account's are for the caller.
    pub(super) fn agrees_on_accounts(&self, id: ChainId, chain: &Chain) -> Result<(), Finding> {
        let Some(params) = self.params.as_ref().filter(|params| params.accounts.is_some()) else { return Ok(()) };
        let mut known = 0;
        for (at, units) in chain.balances() {
            known += 1;
            let says = self.accounts.has(at.asset, at.key);
            if says != units.0 {
                return Err(format!("chain {id} has {units:?} at {at:?}, its records say {says}"));
            }
        }
        if known != self.accounts.balances.len() {
            return Err(format!("chain {id} has {known} balances, its records say {:?}", self.accounts.balances));
        }
        for asset in assets(params) {
            let (held, kept) = (chain.held(asset).0, chain.residual(asset).0);
            let kept_back = self.accounts.residual.get(&asset).copied().unwrap_or_default();
            if (held, kept) != (self.accounts.held(asset), kept_back) {
                return Err(format!("chain {id} holds {held} of {asset} and keeps {kept} back, not {kept_back}"));
            }
        }
        let plans: BTreeMap<PlanId, _> = chain.transfer_plans().map(|plan| (plan.plan, plan)).collect();
        let is_same = |(id, of): (&PlanId, &Transfer)| {
            plans.get(id).is_some_and(|plan| {
                let has = plan.attempts.iter().map(|a| (&a.transaction, a.signed.as_ref().map(|signed| signed.txid)));
                let says = of.attempts.iter().map(|a| (&a.transaction, a.signed.map(|(txid, _)| txid)));
                (plan.asset, plan.withdrawal) == (of.asset, of.withdrawal) && has.eq(says)
            })
        };
        if plans.len() != self.accounts.plans.len() || !self.accounts.plans.iter().all(is_same) {
            return Err(format!("chain {id} has transfers {plans:?}, its records say {:?}", self.accounts.plans));
        }
        Ok(())
    }

    /// What is paid or swept as soon as gas is cheap, and is not.
    pub(super) fn unpaid(&self) -> Option<String> {
        let params = self.params.as_ref()?;
        if let Some((plan, of)) = self.accounts.plans.first_key_value() {
            return Some(format!("plan {plan} is not settled: {of:?}"));
        }
        let (coin, hot) = (params.asset, hot(params));
        let most = |token: Option<AssetId>| self.payments.terms.get(&token).map(|terms| terms.most_chain_fee.0);
        let has = |asset, key| self.accounts.has(asset, key);
        let mut seen = BTreeSet::new();
        for open in self.payments.waiting().filter(|open| seen.insert(open.asked.asset)) {
            let (asset, units) = (open.asked.asset, open.asked.units.0);
            let most = most(Some(asset).filter(|asset| *asset != coin))?;
            let in_coin = most + if asset == coin { units } else { 0 };
            if has(coin, hot) >= in_coin && has(asset, hot) >= units {
                return Some(format!("{hot:?} has enough and does not pay {:?}", open.asked));
            }
        }
        let most = most(None)?;
        let is_left = |(asset, key): (AssetId, Key), units: u128| {
            let Some(form) =
                form(params, asset).filter(|_| key != hot && !self.accounts.unmoved.contains_key(&(asset, key)))
            else {
                return false;
            };
            match form.contract {
                None => form.is_worth(units.saturating_sub(most), form.min_sweep),
                Some(_) => {
                    form.is_worth(units, form.min_sweep) && (has(coin, key) >= most || has(coin, hot) >= 2 * most)
                }
            }
        };
        let left = self.accounts.balances.iter().find(|(at, units)| is_left(**at, **units));
        left.map(|(at, units)| format!("{units} are left at {at:?}"))
    }
}

impl Auditor {
    /// Whether a chain's coin and tokens are what its custody account owes, and what is kept back.
    pub(super) fn accounts_are_owed(&self, id: ChainId, ledger: &Ledger) -> Result<(), Finding> {
        let Some(params) = ledger.params.as_ref().filter(|params| params.accounts.is_some()) else { return Ok(()) };
        for asset in assets(params) {
            let Some(Form { scale: (unit, times), .. }) = form(params, asset) else { continue };
            let owed = self.wallets.get(&(super::chains::custody(id), Wallet::Funding, asset));
            let owed = u128::try_from(-owed.copied().unwrap_or_default().available).unwrap_or(u128::MAX);
            let kept = ledger.accounts.residual.get(&asset).copied().unwrap_or_default();
            let (held, expected) = (ledger.accounts.held(asset), owed / times * unit + kept);
            if held != expected || owed % times != 0 {
                return Err(format!("chain {id} holds {held} of {asset}, {expected} are owed"));
            }
        }
        Ok(())
    }

    /// What addresses of ours hold on a chain of accounts.
    pub fn balances(&self, id: ChainId) -> impl Iterator<Item = (AssetId, Key, u128)> {
        let all = self.chains.0.get(&id).into_iter().flat_map(|ledger| &ledger.accounts.balances);
        all.map(|((asset, key), units)| (*asset, *key, *units))
    }

    /// All transfers that were credited on a chain of accounts; a lean auditor knows none.
    pub fn came(&self, id: ChainId) -> impl Iterator<Item = (OutPoint, Came)> {
        self.chains.0.get(&id).into_iter().flat_map(|ledger| &ledger.accounts.came).map(|(at, came)| (*at, *came))
    }

    /// Transactions of open plans of a chain of accounts, plan by plan.
    pub fn open_transfers(&self, id: ChainId) -> impl Iterator<Item = OpenTransfer<'_>> {
        let plans = self.chains.0.get(&id).into_iter().flat_map(|ledger| &ledger.accounts.plans);
        plans.flat_map(|(plan, Transfer { asset, attempts, .. })| {
            (0..).zip(attempts).map(|(attempt, Attempt { transaction, planned, signed })| OpenTransfer {
                plan: *plan,
                attempt,
                asset: *asset,
                transaction,
                planned: *planned,
                signed: *signed,
            })
        })
    }
}

/// What the reserve check of a chain of accounts compares with.
pub(super) fn held(ledger: &Ledger, token: Option<AssetId>) -> Option<u128> {
    let params = ledger.params.as_ref()?;
    let asset = token.unwrap_or(params.asset);
    let is_named = token != Some(params.asset) && assets(params).any(|of| of == asset);
    is_named.then(|| ledger.accounts.held(asset))
}
