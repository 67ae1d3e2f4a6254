//! Withdrawals as the auditor sees them: what each takes, who agreed, which transaction pays it.
//!
//! Owns: per chain the terms, open withdrawals and plans as the records say. Never does: use the engine's sums. Invariants checked: an
//! account's of 24 hours are at most its limit; one is paid once, after as many people agreed as its amount and its flags ask for;
//! a transaction spends coins of ours that no other plan spends and that the chain lets us spend, and pays what was asked for; all
//! transactions of a plan have the same inputs and payments, and their change comes to an address that had none; what left the
//! exchange is what the final transaction says; what can be paid is paid.
//! Known limits: none.

use super::chains::{Ledger, scale};
use super::{Auditor, Finding, WalletKey};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::chain::withdrawal_facts::{
    EndOfWithdrawal, OwnTransaction, SettledInside, TransactionPlanned, TransactionSigned, WithdrawalAgreed,
    WithdrawalEnded,
};
use xng_core::chain::{CoinTransaction, Key, OutPoint, PlanId, TxId, Withdrawal, WithdrawalId, WithdrawalTerms};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::journal::Lsn;
use xng_core::money::Amount;

const DAY: TimeNs = 86_400 * 1_000_000_000;
const HOUR: TimeNs = 3_600 * 1_000_000_000;
pub(super) const FEES: AccountId = AccountId(1);
/// Pays what chains take.
pub(super) const NETWORK_EXPENSE: AccountId = AccountId(21);
/// A block's reward may be spent so many blocks later.
const RIPE_AFTER: u64 = 100;

/// An open withdrawal.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) asked: Withdrawal,
    pub(super) voters: BTreeSet<String>,
    pub(super) plan: Option<PlanId>,
    /// Its last transaction moved nothing.
    pub(super) failed: bool,
}

impl Open {
    /// It waits for a transaction.
    fn waits(&self) -> bool {
        self.asked.inside.is_none() && self.plan.is_none() && self.voters.len() >= self.asked.needed as usize
    }
}

/// How a chain names and counts an asset: its token in the terms, and the scale of its units.
type Form = (Option<AssetId>, (u128, u128));

/// A withdrawal that counts towards limits.
#[derive(Debug, Clone, Copy)]
struct Counted {
    account: AccountId,
    asset: AssetId,
    number: i128,
    at: TimeNs,
    automatic: bool,
}

/// A transaction of an open plan: the record that has it, and its id and the record of its bytes once it is signed.
#[derive(Debug, Clone)]
struct Attempt {
    transaction: CoinTransaction,
    planned: Lsn,
    signed: Option<(TxId, Lsn)>,
}

/// An open plan.
#[derive(Debug, Clone)]
struct Planned {
    withdrawals: Vec<WithdrawalId>,
    attempts: Vec<Attempt>,
}

/// A transaction of an open plan, for those who have it signed and send it.
#[derive(Debug, Clone, Copy)]
pub struct OpenAttempt<'a> {
    /// Of which plan.
    pub plan: PlanId,
    /// Which of its transactions.
    pub attempt: u32,
    /// Everything about it.
    pub transaction: &'a CoinTransaction,
    /// The record that has it.
    pub planned: Lsn,
    /// Its id, and the record that has its bytes, once it is signed.
    pub signed: Option<(TxId, Lsn)>,
}

/// Withdrawals of a chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Payments {
    /// Of the coin, and of tokens.
    pub(super) terms: BTreeMap<Option<AssetId>, WithdrawalTerms>,
    last: u64,
    plans_made: u64,
    pub(super) open: BTreeMap<WithdrawalId, Open>,
    counted: BTreeMap<WithdrawalId, Counted>,
    plans: BTreeMap<PlanId, Planned>,
    /// Addresses that change was to come to, ever.
    changes: BTreeSet<Key>,
    /// All that were ever paid or ended.
    pub(super) done: BTreeSet<WithdrawalId>,
    /// Paid over the chain, ever.
    paid: u64,
}

/// A wallet and what changes in it: available, locked.
pub(super) type Move = ((AccountId, AssetId), i128, i128);

impl Payments {
    fn asked(
        &mut self,
        w: &Withdrawal,
        (token, (unit, times)): Form,
        (version, limit, limits): (u32, Amount, &[i128]),
        at: TimeNs,
    ) -> Result<(), String> {
        while self.counted.first_key_value().is_some_and(|(_, c)| at - c.at >= DAY) {
            self.counted.pop_first();
        }
        let terms =
            self.terms.get(&token).cloned().filter(|terms| terms.open).ok_or("takes a withdrawal without terms")?;
        let fee = if w.inside.is_some() { 0 } else { terms.fee.0 };
        let of_account = self.open.values().filter(|open| open.asked.account == w.account).count();
        let day = |c: &&Counted| (c.account, c.asset) == (w.account, w.asset) && at - c.at < DAY;
        let today: i128 = self.counted.values().filter(day).map(|c| c.number).sum();
        let automatic: i128 = self.counted.values().filter(day).filter(|c| c.automatic).map(|c| c.number).sum();
        let hour = self.counted.values().filter(|c| c.asset == w.asset && c.automatic && at - c.at < HOUR);
        let hour: i128 = hour.map(|c| c.number).sum();
        let is_calm = w.flags == 0
            && w.number <= terms.auto_each
            && automatic + w.number.0 <= terms.auto_day.0
            && hour + w.number.0 <= terms.auto_hour.0;
        let needed = match is_calm {
            _ if w.number > terms.two_votes_above => 2,
            true => 0,
            false => 1,
        };
        let good = w.withdrawal.ordinal() == self.last + 1
            && version == terms.version
            && limits.contains(&limit.0)
            && w.number >= terms.min
            && w.number <= terms.max
            && w.number <= terms.most_a_transaction
            && w.fee.0 == fee
            && u128::try_from(w.number.0 - fee).is_ok_and(|sum| sum % times == 0 && sum / times * unit == w.units.0)
            && w.inside != Some(w.account)
            && of_account < terms.most_open as usize
            && today + w.number.0 <= limit.0
            && w.needed == needed;
        if !good {
            return Err(format!(
                "takes {w:?}, held to {limit} of {limits:?}, {today} were taken today, {needed} have to agree, {of_account} are open"
            ));
        }
        self.last += 1;
        let counted = Counted { account: w.account, asset: w.asset, number: w.number.0, at, automatic: w.needed == 0 };
        self.counted.insert(w.withdrawal, counted);
        Ok(())
    }

    /// Those that wait for a transaction, the oldest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Open> {
        self.open.values().filter(|open| open.waits())
    }

    fn opened(&mut self, w: &Withdrawal) {
        self.open.insert(w.withdrawal, Open { asked: w.clone(), voters: BTreeSet::new(), plan: None, failed: false });
    }

    fn undecided(&mut self, id: WithdrawalId) -> Result<&mut Open, String> {
        let open = self.open.get_mut(&id).filter(|open| open.plan.is_none());
        open.ok_or_else(|| format!("decides withdrawal {id}, which is not open"))
    }

    fn agreed(&mut self, f: &WithdrawalAgreed) -> Result<(), String> {
        let open = self.undecided(f.withdrawal)?;
        let before = open.voters.len();
        let is_new = open.voters.insert(f.vote.who.clone());
        let needed = open.asked.needed as usize;
        let good = is_new && before < needed && f.approved == (before + 1 >= needed) && f.account == open.asked.account;
        if good && !(f.approved && open.asked.inside.is_some()) {
            Ok(())
        } else {
            Err(format!("has {} agree to withdrawal {} of {needed} votes", f.vote.who, f.withdrawal))
        }
    }

    fn ended(&mut self, f: &WithdrawalEnded) -> Result<Move, String> {
        let Open { asked: open, failed, .. } = self.undecided(f.withdrawal)?.clone();
        if failed && f.end == EndOfWithdrawal::Cancelled {
            return Err(format!("takes withdrawal {open:?} back, which is people's to decide"));
        }
        if (open.account, open.asset, open.number) != (f.account, f.asset, f.number) {
            return Err(format!("gives {} of withdrawal {open:?} back", f.number));
        }
        self.open.remove(&f.withdrawal);
        self.counted.remove(&f.withdrawal);
        self.done.insert(f.withdrawal);
        Ok(((f.account, f.asset), f.number.0, -f.number.0))
    }

    fn inside(&mut self, f: &SettledInside, form: Form, limits: &[i128], at: TimeNs) -> Result<[Move; 2], String> {
        let w = &f.withdrawal;
        let from = match &f.vote {
            None => {
                self.asked(w, form, (f.version, f.daily_limit, limits), at)?;
                if w.needed != 0 {
                    return Err(format!("settles {w:?} although people have to agree"));
                }
                (-w.number.0, 0)
            }
            Some(vote) => {
                let open = self.undecided(w.withdrawal)?;
                let votes = open.voters.len() + usize::from(!open.voters.contains(&vote.who));
                if open.asked != *w || votes < w.needed as usize {
                    return Err(format!("settles {w:?} after {votes} votes"));
                }
                self.open.remove(&w.withdrawal);
                (0, -w.number.0)
            }
        };
        if w.inside != Some(f.receiver) || !self.done.insert(w.withdrawal) {
            return Err(format!("gives withdrawal {w:?} to {}", f.receiver));
        }
        Ok([((w.account, w.asset), from.0, from.1), ((f.receiver, w.asset), w.number.0, 0)])
    }

    fn signed(&mut self, f: &TransactionSigned, lsn: Lsn) -> Result<(), String> {
        let wrong = || format!("signs transaction {} of plan {} again or too early", f.attempt, f.plan);
        if self
            .plans
            .values()
            .flat_map(|plan| &plan.attempts)
            .any(|attempt| attempt.signed.is_some_and(|(txid, _)| txid == f.txid))
        {
            return Err(wrong());
        }
        let plan = self.plans.get_mut(&f.plan).ok_or_else(wrong)?;
        let payees: Vec<WithdrawalId> = f.payees.iter().map(|payee| payee.withdrawal).collect();
        let is_its = payees == plan.withdrawals;
        let attempt = plan.attempts.get_mut(f.attempt as usize).ok_or_else(wrong)?;
        if attempt.signed.replace((f.txid, lsn)).is_some() || !is_its {
            return Err(wrong());
        }
        Ok(())
    }
}

impl Ledger {
    /// A coin that no plan spends and that may be spent after the block that was read last.
    fn is_free(&self, at: &OutPoint) -> bool {
        let is_taken = |plan: &Planned| plan.attempts[0].transaction.inputs.iter().any(|coin| coin.at == *at);
        let height = self.at.map_or(0, |(height, _)| height);
        let is_ripe = self.rewards.get(at).is_none_or(|came| came + RIPE_AFTER <= height);
        is_ripe && !self.payments.plans.values().any(is_taken)
    }

    fn form_of(&self, asset: AssetId) -> Result<Form, String> {
        let params = self.params.as_ref().ok_or("has no parameters")?;
        let tokens = params.accounts.iter().flat_map(|accounts| &accounts.tokens);
        let decimals = tokens.filter(|token| token.asset == asset).map(|token| token.decimals);
        let coin = (params.asset == asset).then_some(params.decimals);
        let decimals = coin.into_iter().chain(decimals).next();
        let decimals = decimals.ok_or_else(|| format!("is of asset {asset}, which is not listed"))?;
        Ok((self.token(asset), scale(decimals)))
    }

    /// They follow those of the same asset.
    fn terms_set(&mut self, terms: &WithdrawalTerms) -> Result<(), String> {
        let before = self.payments.terms.insert(terms.token, terms.clone()).map_or(0, |terms| terms.version);
        let asset = terms.token.or(self.params.as_ref().map(|params| params.asset));
        let named = asset.and_then(|asset| self.form_of(asset).ok()).map(|(token, _)| token);
        let good = named == Some(terms.token) && terms.version == before + 1;
        if good { Ok(()) } else { Err(format!("has terms {terms:?} after version {before}")) }
    }

    fn planned(&mut self, f: &TransactionPlanned, lsn: Lsn) -> Result<(), String> {
        if self.has_accounts() {
            return Err(format!("makes plan {} of coins on a chain of accounts", f.plan));
        }
        let mut inputs = BTreeSet::new();
        for coin in f.transaction.inputs.iter().filter(|_| f.attempt == 0) {
            if self.coins.get(&coin.at) != Some(&coin.units.0) || !inputs.insert(coin.at) || !self.is_free(&coin.at) {
                return Err(format!("makes plan {}, which spends {coin:?}, which is not free", f.plan));
            }
        }
        let payments = &mut self.payments;
        let t = &f.transaction;
        let wrong = |what: &str| Err(format!("makes transaction {} of plan {}, {what}", f.attempt, f.plan));
        let most = payments.terms.get(&None).map_or(0, |terms| terms.most_chain_fee.0);
        let spent: u128 = t.inputs.iter().map(|coin| coin.units.0).sum();
        let paid: u128 = t.payments.iter().map(|payment| payment.units.0).sum();
        let change = t.change.map_or(0, |(_, units)| units.0);
        if spent != paid + change + t.fee.0 || t.fee.0 > most || t.change.is_some_and(|(key, _)| !key.change) {
            return wrong("whose sums are wrong");
        }
        let asked: Vec<(&str, u128)> = f
            .withdrawals
            .iter()
            .filter_map(|id| payments.open.get(id))
            .map(|open| (open.asked.address.as_str(), open.asked.units.0))
            .collect();
        let pays: Vec<(&str, u128)> = t.payments.iter().map(|p| (p.address.as_str(), p.units.0)).collect();
        if asked != pays || pays.is_empty() || pays.len() != f.withdrawals.len() {
            return wrong("which pays something else than was asked for");
        }
        if f.attempt > 0 {
            let Some(plan) = payments.plans.get_mut(&f.plan) else { return wrong("which is not open") };
            let Some(Attempt { transaction: last, signed, .. }) = plan.attempts.last() else {
                return wrong("which has no transaction");
            };
            let back = |t: &CoinTransaction| t.change.map(|(key, _)| key);
            let same = last.inputs == t.inputs
                && last.payments == t.payments
                && plan.withdrawals == f.withdrawals
                && (t.change.is_none() || back(t) == back(last));
            if plan.attempts.len() != f.attempt as usize || !same || last.fee >= t.fee || signed.is_none() {
                return wrong("which does not replace the last one");
            }
            plan.attempts.push(Attempt { transaction: t.clone(), planned: lsn, signed: None });
            return Ok(());
        }
        if t.change.is_some_and(|(key, _)| !payments.changes.insert(key)) {
            return wrong("whose change comes to an address that had some");
        }
        for id in &f.withdrawals {
            let Some(open) = payments.open.get_mut(id) else { return wrong("which pays what is not open") };
            let approved = open.voters.len() >= open.asked.needed as usize;
            if !approved || open.asked.inside.is_some() || open.plan.replace(f.plan).is_some() {
                return wrong("which pays what is not approved");
            }
        }
        payments.plans_made += 1;
        if f.plan.0 != payments.plans_made {
            return wrong("whose number is not the next");
        }
        let attempts = vec![Attempt { transaction: t.clone(), planned: lsn, signed: None }];
        payments.plans.insert(f.plan, Planned { withdrawals: f.withdrawals.clone(), attempts });
        Ok(())
    }

    /// A transaction of ours is final: what it moves.
    pub(super) fn settled(&mut self, own: &OwnTransaction, lean: bool) -> Result<Vec<Move>, String> {
        let wrong = || format!("settles {own:?}, which is no signed transaction of a plan");
        let plan = self.payments.plans.remove(&own.plan).ok_or_else(wrong)?;
        let Attempt { transaction: t, signed, .. } = plan.attempts.get(own.attempt as usize).ok_or_else(wrong)?;
        let paid: Vec<WithdrawalId> = own.paid.iter().map(|paid| paid.withdrawal).collect();
        let change = own.change.map(|change| (change.key, change.units));
        if signed.map(|(txid, _)| txid) != Some(own.txid) || plan.withdrawals != paid || change != t.change {
            return Err(wrong());
        }
        if u128::try_from(own.fee.0) != Ok(t.fee.0) {
            return Err(format!("books {} for the fee {:?}", own.fee, t.fee));
        }
        for coin in &t.inputs {
            self.coins.remove(&coin.at).ok_or_else(wrong)?;
            self.rewards.remove(&coin.at);
        }
        let mut moves = Vec::new();
        for paid in &own.paid {
            let open = self.payments.open.remove(&paid.withdrawal).ok_or_else(wrong)?.asked;
            let is_its =
                (open.account, open.asset, open.number, open.fee) == (paid.account, paid.asset, paid.number, paid.fee);
            if !is_its || !self.payments.done.insert(paid.withdrawal) {
                return Err(format!("pays withdrawal {open:?} as {paid:?}"));
            }
            moves.push(((paid.account, paid.asset), 0, -paid.number.0));
            moves.push(((FEES, paid.asset), paid.fee.0, 0));
            self.payments.paid += 1;
        }
        moves.push(((NETWORK_EXPENSE, own.asset), -own.fee.0, 0));
        if let Some(change) = own.change {
            let again = !lean && !self.seen.insert(change.at);
            if self.coins.insert(change.at, change.units.0).is_some() || again || change.at.txid != own.txid {
                return Err(format!("has change {change:?} twice"));
            }
        }
        Ok(moves)
    }

    /// Takes in a fact of withdrawals, whose account may be held to these limits of 24 hours: what it moves.
    pub(super) fn payment_fact(
        &mut self,
        fact: &xng_core::chain::facts::ChainFact,
        limits: &[i128],
        (lsn, at): (Lsn, TimeNs),
    ) -> Result<Vec<Move>, String> {
        use xng_core::chain::facts::ChainFact as F;
        if self.halted
            && matches!(
                fact,
                F::WithdrawalRequested(_)
                    | F::SettledInside(_)
                    | F::TransactionPlanned(_)
                    | F::TransferPlanned(_)
                    | F::TransactionSigned(_)
            )
        {
            return Err(format!("has {fact:?} while the chain is halted"));
        }
        match fact {
            F::WithdrawalTermsSet(f) => {
                self.terms_set(&f.terms)?;
                Ok(Vec::new())
            }
            F::WithdrawalRequested(f) => {
                let w = &f.withdrawal;
                self.payments.asked(w, self.form_of(w.asset)?, (f.version, f.daily_limit, limits), at)?;
                self.payments.opened(w);
                Ok(vec![((w.account, w.asset), -w.number.0, w.number.0)])
            }
            F::WithdrawalAgreed(f) => self.payments.agreed(f).map(|()| Vec::new()),
            F::WithdrawalEnded(f) => self.payments.ended(f).map(|moved| vec![moved]),
            F::SettledInside(f) => {
                let form = self.form_of(f.withdrawal.asset)?;
                self.payments.inside(f, form, limits, at).map(Vec::from)
            }
            F::TransactionPlanned(f) => self.planned(f, lsn).map(|()| Vec::new()),
            F::TransferPlanned(f) => self.transfer_planned(f, lsn).map(|()| Vec::new()),
            F::TransactionSigned(f) if self.has_accounts() => self.transfer_signed(f, lsn).map(|()| Vec::new()),
            F::TransactionSigned(f) => self.payments.signed(f, lsn).map(|()| Vec::new()),
            F::ChainSet(_)
            | F::AddressAssigned(_)
            | F::BlocksPassed(_)
            | F::BlockTaken(_)
            | F::SmallDepositsCredited(_)
            | F::ChainHalted(_)
            | F::ChainResumed(_)
            | F::ReserveChecked(_) => Ok(Vec::new()),
        }
    }
}

impl Auditor {
    /// Moves money of withdrawals, and what locks explain with it.
    pub(super) fn move_all(&mut self, moves: &[Move], moved: &mut Vec<WalletKey>) {
        for ((account, asset), available, locked) in moves {
            let key = (*account, Wallet::Funding, *asset);
            self.add(key, *available, *locked, moved);
            *self.explained.entry(key).or_default() += locked;
        }
    }

    /// What open withdrawals lock.
    pub(super) fn withdrawal_locks(&self) -> impl Iterator<Item = (WalletKey, i128)> + '_ {
        let open = self.chains.0.values().flat_map(|ledger| ledger.payments.open.values());
        open.map(|open| ((open.asked.account, Wallet::Funding, open.asked.asset), open.asked.number.0))
    }

    /// Open withdrawals and whose they are; those in a transaction among them.
    pub fn open_withdrawals(&self, id: xng_core::chain::ChainId) -> impl Iterator<Item = (WithdrawalId, AccountId)> {
        let open = self.chains.0.get(&id).into_iter().flat_map(|ledger| &ledger.payments.open);
        open.map(|(id, open)| (*id, open.asked.account))
    }

    /// What was asked for with an open withdrawal.
    #[must_use]
    pub fn withdrawal(&self, id: WithdrawalId) -> Option<&Withdrawal> {
        Some(&self.chains.0.get(&id.chain())?.payments.open.get(&id)?.asked)
    }

    /// Transactions of open plans, plan by plan.
    pub fn open_plans(&self, id: xng_core::chain::ChainId) -> impl Iterator<Item = OpenAttempt<'_>> {
        let plans = self.chains.0.get(&id).into_iter().flat_map(|ledger| &ledger.payments.plans);
        plans.flat_map(|(plan, Planned { attempts, .. })| {
            (0..).zip(attempts).map(|(attempt, Attempt { transaction, planned, signed })| OpenAttempt {
                plan: *plan,
                attempt,
                transaction,
                planned: *planned,
                signed: *signed,
            })
        })
    }

    /// Whether everything that was planned is paid, and nothing that is approved waits although one coin alone would pay it: what is
    /// to be seen when people, node and signer did all that they had to.
    pub fn all_is_paid(&self, id: xng_core::chain::ChainId) -> Result<(), Finding> {
        let Some(ledger) = self.chains.0.get(&id) else { return Ok(()) };
        let payments = &ledger.payments;
        if ledger.has_accounts() {
            return ledger.unpaid().map_or(Ok(()), |what| Err(format!("chain {id}: {what}")));
        }
        if let Some((plan, _)) = payments.plans.first_key_value() {
            return Err(format!("plan {plan} of chain {id} is not paid"));
        }
        let Some(terms) = payments.terms.get(&None) else { return Ok(()) };
        let free = ledger.coins.iter().filter(|(at, _)| ledger.is_free(at)).map(|(_, units)| *units);
        let largest = free.max().unwrap_or_default();
        // One input and one payment cost far less than half of the most.
        let can = |open: &Open| open.asked.units.0 + terms.most_chain_fee.0 / 2 <= largest;
        match payments.waiting().next().filter(|oldest| can(oldest)) {
            Some(open) => Err(format!("chain {id} has a coin of {largest} and does not pay {:?}", open.asked)),
            None => Ok(()),
        }
    }

    /// Version of the terms of withdrawals of the coin or of a token; none before there are some.
    #[must_use]
    pub fn withdrawal_terms(&self, id: xng_core::chain::ChainId, token: Option<AssetId>) -> Option<u32> {
        self.chains.0.get(&id)?.payments.terms.get(&token).map(|terms| terms.version)
    }

    /// Whose a withdrawal is, open or not; none of one that never was.
    #[must_use]
    pub fn knows_withdrawal(&self, id: WithdrawalId) -> bool {
        let Some(ledger) = self.chains.0.get(&id.chain()) else { return false };
        ledger.payments.open.contains_key(&id) || ledger.payments.done.contains(&id)
    }

    /// Whether chains have the same open withdrawals and plans.
    pub(super) fn agrees_on_withdrawals<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, ledger) in &self.chains.0 {
            let chain = world.chains().get(*id).ok_or_else(|| format!("chain {id} is not there"))?;
            let open: BTreeMap<_, _> = chain
                .open_withdrawals()
                .map(|open| (open.withdrawal.withdrawal, (&open.withdrawal, open.plan)))
                .collect();
            let audited: BTreeMap<_, _> =
                ledger.payments.open.iter().map(|(id, open)| (*id, (&open.asked, open.plan))).collect();
            if open != audited {
                return Err(format!("chain {id} has withdrawals {open:?}, its records say {audited:?}"));
            }
            let plans: BTreeMap<_, usize> = chain.plans().map(|plan| (plan.plan, plan.attempts.len())).collect();
            let audited: BTreeMap<_, usize> =
                ledger.payments.plans.iter().map(|(id, plan)| (*id, plan.attempts.len())).collect();
            if plans != audited {
                return Err(format!("chain {id} has plans {plans:?}, its records say {audited:?}"));
            }
        }
        Ok(())
    }
}
