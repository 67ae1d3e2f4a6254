//! Chains as the auditor sees them: addresses, coins, what was credited.
//!
//! Owns: per chain whose each address is, every coin, what is kept of small deposits. Never does: use the engine's sums.
//! Invariants checked: an address is one account's for ever; blocks follow each other, each part once; an output is credited once, to
//! the owner of its address, with all that it holds but what is less than an amount's last place; what was small is credited once it
//! is enough; coins on our addresses are what the custody account owes, and the rest; nothing is credited on a chain that is
//! halted, and one is whose node shows less than that; the engine is at the same block, holds as much and is halted just then.
//! Known limits: a lean auditor knows outputs only while they are coins of ours.

use super::withdrawals::Payments;
use super::{Auditor, Finding, WalletKey};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::chain::facts::{AddressAssigned, BlockTaken, BlocksPassed, ChainFact, Credit, CreditKind};
use xng_core::chain::{BlockHash, ChainId, ChainParams, Key, OutPoint};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, Wallet};
use xng_core::journal::Lsn;

const UNCLAIMED: AccountId = AccountId(20);
/// Custody accounts begin behind this one, with chain 1.
const CUSTODY: u64 = 99;

/// A chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    params: Option<ChainParams>,
    owners: BTreeMap<Key, (u64, AccountId)>,
    /// Addresses of each account.
    counts: BTreeMap<AccountId, usize>,
    pub(super) coins: BTreeMap<OutPoint, u128>,
    /// Blocks' rewards among them, with the heights of their blocks.
    pub(super) rewards: BTreeMap<OutPoint, u64>,
    /// All outputs that were ever credited.
    pub(super) seen: BTreeSet<OutPoint>,
    small: BTreeMap<Key, i128>,
    pub(super) at: Option<(u64, BlockHash)>,
    /// The next part of the block at which it is, and the addresses that were looked for.
    parts: Option<(u32, u64)>,
    pub(super) halted: bool,
    pub(super) payments: Payments,
    residual: u128,
}

/// All chains.
#[derive(Debug, Clone, Default)]
pub(super) struct Chains(pub(super) BTreeMap<ChainId, Ledger>);

/// The account of what is on a chain.
pub(super) fn is_custody(account: AccountId) -> bool {
    account.0 > CUSTODY && account.0 < 1_000
}

/// Units of a chain for one unit of an amount, or units of an amount for one of the chain.
fn scale(params: &ChainParams) -> (u128, u128) {
    let decimals = u32::from(params.decimals);
    if decimals >= 8 { (10_u128.pow(decimals - 8), 1) } else { (1, 10_u128.pow(8 - decimals)) }
}

impl Ledger {
    fn assigned(&mut self, f: &AddressAssigned) -> Result<(), String> {
        let most = self.params.as_ref().map_or(0, |params| params.addresses as usize);
        let has = self.counts.entry(f.account).or_default();
        let taken = self.owners.contains_key(&f.key);
        if f.number != self.owners.len() as u64 || taken || *has >= most || self.halted || self.at.is_none() {
            return Err(format!("assigns {:?} as number {} of {}", f.key, f.number, self.owners.len()));
        }
        *has += 1;
        self.owners.insert(f.key, (f.number, f.account));
        Ok(())
    }

    fn passed(&mut self, f: &BlocksPassed) -> Result<(), String> {
        let follows = match self.at {
            None => f.from == BlockHash([0; 32]),
            Some((height, hash)) => f.from == hash && f.height > height,
        };
        if self.halted || self.parts.is_some() || !follows {
            return Err(format!("passes to block {} from {:?}, parts {:?}", f.height, self.at, self.parts));
        }
        self.at = Some((f.height, f.hash));
        Ok(())
    }

    fn follows(&self, f: &BlockTaken) -> bool {
        let Some((height, hash)) = self.at else { return false };
        match self.parts {
            None => f.part == 0 && f.from == hash && f.height == height + 1,
            Some((part, known)) => f.part == part && f.hash == hash && f.height == height && f.known == known,
        }
    }

    fn credited(&mut self, credit: &Credit, (height, known): (u64, u64), lean: bool) -> Result<(), String> {
        let params = self.params.as_ref().ok_or("has no parameters")?;
        let owner = self.owners.get(&credit.key).filter(|(number, _)| *number < known).map(|(_, owner)| *owner);
        let (unit, times) = scale(params);
        let (worth, rest) = (credit.units.0 / unit * times, credit.units.0 % unit);
        let is_small = credit.amount < params.min_deposit;
        let kind = match credit.kind {
            CreditKind::Coinbase => true,
            CreditKind::Small => is_small,
            CreditKind::Credited => !is_small,
        };
        let is_right = owner == Some(credit.owner)
            && credit.asset == params.asset
            && u128::try_from(credit.amount.0) == Ok(worth)
            && kind;
        if !is_right {
            return Err(format!("credits {credit:?}, the address is {owner:?}'s, it is worth {worth}"));
        }
        let again = !lean && !self.seen.insert(credit.at);
        if self.coins.insert(credit.at, credit.units.0).is_some() || again {
            return Err(format!("credits output {:?} twice", credit.at));
        }
        self.residual += rest;
        match credit.kind {
            CreditKind::Credited => {}
            CreditKind::Small => *self.small.entry(credit.key).or_default() += credit.amount.0,
            CreditKind::Coinbase => drop(self.rewards.insert(credit.at, height)),
        }
        Ok(())
    }
}

/// Of which chain a fact of withdrawals is.
fn withdrawal_chain(fact: &ChainFact) -> ChainId {
    match fact {
        ChainFact::WithdrawalTermsSet(f) => f.terms.chain,
        ChainFact::WithdrawalRequested(f) => f.chain,
        ChainFact::WithdrawalAgreed(f) => f.chain,
        ChainFact::WithdrawalEnded(f) => f.chain,
        ChainFact::SettledInside(f) => f.chain,
        ChainFact::TransactionPlanned(f) => f.chain,
        ChainFact::TransactionSigned(f) => f.chain,
        ChainFact::ChainSet(f) => f.params.chain,
        ChainFact::AddressAssigned(f) => f.chain,
        ChainFact::BlocksPassed(f) => f.chain,
        ChainFact::BlockTaken(f) => f.chain,
        ChainFact::SmallDepositsCredited(f) => f.chain,
        ChainFact::ChainHalted(f) => f.chain,
        ChainFact::ChainResumed(f) => f.chain,
        ChainFact::ReserveChecked(f) => f.chain,
    }
}

/// Who asks for a withdrawal, or asked for the one that is settled.
fn asker(fact: &ChainFact) -> Option<AccountId> {
    if let ChainFact::WithdrawalRequested(f) = fact {
        return Some(f.withdrawal.account);
    }
    if let ChainFact::SettledInside(f) = fact { Some(f.withdrawal.account) } else { None }
}

impl Auditor {
    pub(super) fn chain_fact(
        &mut self,
        (lsn, time): (Lsn, TimeNs),
        fact: &ChainFact,
        moved: &mut Vec<WalletKey>,
    ) -> Result<(), Finding> {
        let wrong = |what: String| format!("record {lsn} {what}");
        let lean = self.lean;
        let ledgers = &mut self.chains.0;
        match fact {
            ChainFact::ChainSet(f) => {
                ledgers.entry(f.params.chain).or_default().params = Some(f.params.clone());
                Ok(())
            }
            ChainFact::AddressAssigned(f) => ledgers.entry(f.chain).or_default().assigned(f).map_err(wrong),
            ChainFact::BlocksPassed(f) => ledgers.entry(f.chain).or_default().passed(f).map_err(wrong),
            ChainFact::BlockTaken(f) => {
                let ledger = ledgers.entry(f.chain).or_default();
                if ledger.halted || !ledger.follows(f) {
                    return Err(wrong(format!("takes block {} part {} after {:?}", f.height, f.part, ledger.at)));
                }
                (ledger.at, ledger.parts) = (Some((f.height, f.hash)), (!f.last).then_some((f.part + 1, f.known)));
                for credit in &f.credits {
                    ledger.credited(credit, (f.height, f.known), lean).map_err(wrong)?;
                }
                let mut moves = Vec::new();
                for own in &f.own {
                    moves.extend(ledger.settled(own, lean).map_err(wrong)?);
                }
                let custody = AccountId(CUSTODY + u64::from(f.chain.0));
                for own in &f.own {
                    let arrived = own.paid.iter().map(|paid| paid.number.0 - paid.fee.0).sum::<i128>();
                    moves.push(((custody, own.asset), arrived + own.fee.0, 0));
                }
                self.move_all(&moves, moved);
                for credit in &f.credits {
                    let gets = if credit.kind == CreditKind::Credited { credit.owner } else { UNCLAIMED };
                    self.add((gets, Wallet::Funding, credit.asset), credit.amount.0, 0, moved);
                    self.add((custody, Wallet::Funding, credit.asset), -credit.amount.0, 0, moved);
                }
                Ok(())
            }
            ChainFact::SmallDepositsCredited(f) => {
                let ledger = ledgers.entry(f.chain).or_default();
                let kept = ledger.small.remove(&f.key);
                let owner = ledger.owners.get(&f.key).map(|(_, owner)| *owner);
                let is_enough = ledger.params.as_ref().is_some_and(|params| f.amount >= params.min_deposit);
                if kept != Some(f.amount.0) || owner != Some(f.account) || !is_enough || ledger.halted {
                    return Err(wrong(format!("credits {} of {:?}'s {kept:?} to {}", f.amount, owner, f.account)));
                }
                self.add((f.account, Wallet::Funding, f.asset), f.amount.0, 0, moved);
                self.add((UNCLAIMED, Wallet::Funding, f.asset), -f.amount.0, 0, moved);
                Ok(())
            }
            ChainFact::ChainHalted(f) => {
                ledgers.entry(f.chain).or_default().halted = true;
                Ok(())
            }
            ChainFact::ReserveChecked(f) => {
                let ledger = ledgers.entry(f.chain).or_default();
                let held: u128 = ledger.coins.values().sum();
                let here = ledger.at == Some((f.height, f.hash)) && ledger.parts.is_none() && !ledger.halted;
                if !here || f.held.0 != held || f.found.0 > held {
                    return Err(wrong(format!("checks {held} at {:?}: {f:?}", ledger.at)));
                }
                ledger.halted = f.found.0 < held;
                Ok(())
            }
            ChainFact::ChainResumed(f) => {
                ledgers.entry(f.chain).or_default().halted = false;
                Ok(())
            }
            ChainFact::WithdrawalTermsSet(_)
            | ChainFact::WithdrawalRequested(_)
            | ChainFact::WithdrawalAgreed(_)
            | ChainFact::WithdrawalEnded(_)
            | ChainFact::SettledInside(_)
            | ChainFact::TransactionPlanned(_)
            | ChainFact::TransactionSigned(_) => {
                let ledger = ledgers.entry(withdrawal_chain(fact)).or_default();
                let terms = ledger.payments.terms.as_ref();
                let limits =
                    asker(fact).map_or_else(Vec::new, |account| self.tiers.limits(account, terms, (lsn, time)));
                let moves = ledger.payment_fact(fact, &limits, (lsn, time)).map_err(wrong)?;
                self.move_all(&moves, moved);
                Ok(())
            }
        }
    }

    /// Whether chains have the same coins, and the coins are what the custody accounts owe.
    pub(super) fn agrees_on_chains<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, ledger) in &self.chains.0 {
            let chain = world.chains().get(*id).ok_or_else(|| format!("chain {id} is not there"))?;
            let coins: BTreeMap<OutPoint, u128> = chain.coins().map(|(at, coin)| (*at, coin.units.0)).collect();
            if coins != ledger.coins {
                return Err(format!("chain {id} has coins {coins:?}, its records say {:?}", ledger.coins));
            }
            let Some(params) = &ledger.params else { continue };
            let owed = self.wallets.get(&(AccountId(CUSTODY + u64::from(id.0)), Wallet::Funding, params.asset));
            let owed = u128::try_from(-owed.copied().unwrap_or_default().available).unwrap_or(u128::MAX);
            let (unit, times) = scale(params);
            let (held, expected) = (coins.values().sum::<u128>(), owed / times * unit + ledger.residual);
            if held != expected || chain.held().0 != held || chain.residual().0 != ledger.residual {
                return Err(format!("chain {id} holds {held}, {expected} are owed"));
            }
            if let Some((key, (number, account))) =
                ledger.owners.iter().find(|(key, (number, account))| chain.address(*number) != Some((**key, *account)))
            {
                return Err(format!("address {key:?}, number {number}, is not account {account}'s"));
            }
        }
        Ok(())
    }

    /// Whether chains are at the same block, hold as much and are halted just then. Little to compare, so after every step.
    pub fn agrees_on_cursors<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, ledger) in &self.chains.0 {
            let chain = world.chains().get(*id).ok_or_else(|| format!("chain {id} is not there"))?;
            let has = (chain.cursor().map(|at| (at.height, at.hash)), chain.held().0, chain.halted().is_some());
            let audited = (ledger.at, ledger.coins.values().sum::<u128>(), ledger.halted);
            if has != audited {
                return Err(format!("chain {id} is at, holds, is halted: {has:?}, its records say {audited:?}"));
            }
        }
        Ok(())
    }

    /// Whether nothing waits that is enough to be credited.
    pub(super) fn credits_are_settled(&self) -> Result<(), Finding> {
        for (id, ledger) in &self.chains.0 {
            let Some(params) = ledger.params.as_ref().filter(|_| !ledger.halted) else { continue };
            if let Some((key, sum)) = ledger.small.iter().find(|(_, sum)| **sum >= params.min_deposit.0) {
                return Err(format!("chain {id} keeps {sum} of {key:?}, which is enough to be credited"));
            }
        }
        Ok(())
    }
}

/// How far a chain was read, by the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainProgress {
    /// The last block; none before the first.
    pub at: Option<(u64, BlockHash)>,
    /// The next part of that block and the addresses that are looked for in it; none when it was taken whole.
    pub part: Option<(u32, u64)>,
    /// Addresses that were assigned.
    pub addresses: u64,
    /// What all coins hold.
    pub held: u128,
    /// Nothing is taken.
    pub halted: bool,
    /// Version of its parameters.
    pub version: u32,
}

impl Auditor {
    /// How far a chain was read; none without parameters.
    #[must_use]
    pub fn chain(&self, id: ChainId) -> Option<ChainProgress> {
        let Ledger { params, owners, coins, at, parts, halted, .. } = self.chains.0.get(&id)?;
        let (addresses, held) = (owners.len() as u64, coins.values().sum());
        let version = params.as_ref()?.version;
        Some(ChainProgress { at: *at, part: *parts, addresses, held, halted: *halted, version })
    }

    /// The coins on a chain, and what they hold.
    pub fn coins(&self, id: ChainId) -> impl Iterator<Item = (OutPoint, u128)> {
        self.chains.0.get(&id).into_iter().flat_map(|ledger| &ledger.coins).map(|(at, units)| (*at, *units))
    }

    /// Whose an address is.
    #[must_use]
    pub fn owner_of(&self, id: ChainId, key: &Key) -> Option<AccountId> {
        Some(self.chains.0.get(&id)?.owners.get(key)?.1)
    }
}
