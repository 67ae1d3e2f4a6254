//! Chains as the auditor sees them: addresses, coins, what was credited.
//!
//! Owns: per chain whose each address is, every coin, what is kept of small deposits; chains of accounts are in `accounts.rs`.
//! Never does: use the engine's sums.
//! Invariants checked: an address is one account's for ever; blocks follow each other, each part once; an output is credited once, to
//! the owner of its address, with all that it holds but what is less than an amount's last place; what was small is credited once it
//! is enough; coins on our addresses are what the custody account owes, and the rest; nothing is credited on a chain that is
//! halted, and one is whose node shows less than that; the engine is at the same block, holds as much and is halted just then.
//! Known limits: a lean auditor knows outputs only while they are coins of ours.

use super::accounts::{self, Accounts};
use super::withdrawals::Payments;
use super::{Auditor, Finding, WalletKey};
use crate::hosting::Hosting;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use xng_core::chain::facts::{AddressAssigned, BlockTaken, BlocksPassed, ChainFact, Credit, CreditKind};
use xng_core::chain::{BlockHash, ChainId, ChainParams, Key, OutPoint};
use xng_core::entity::TimeNs;
use xng_core::ids::{AccountId, AssetId, Wallet};
use xng_core::journal::Lsn;

const UNCLAIMED: AccountId = AccountId(20);
/// Custody accounts begin behind this one, with chain 1.
const CUSTODY: u64 = 99;

/// A chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    pub(super) params: Option<ChainParams>,
    pub(super) owners: BTreeMap<Key, (u64, AccountId)>,
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
    /// Of a chain of accounts, which has no coins.
    pub(super) accounts: Accounts,
}

/// All chains.
#[derive(Debug, Clone, Default)]
pub(super) struct Chains(pub(super) BTreeMap<ChainId, Ledger>);

/// The account of what is on a chain.
pub(super) fn is_custody(account: AccountId) -> bool {
    account.0 > CUSTODY && account.0 < 1_000
}

/// The account of what is on this chain.
pub(super) fn custody(chain: ChainId) -> AccountId {
    AccountId(CUSTODY + u64::from(chain.0))
}

/// Units of a chain for one unit of an amount, or units of an amount for one of the chain.
pub(super) fn scale(decimals: u8) -> (u128, u128) {
    let decimals = u32::from(decimals);
    if decimals >= 8 { (10_u128.pow(decimals - 8), 1) } else { (1, 10_u128.pow(8 - decimals)) }
}

impl Ledger {
    /// How terms name an asset: a token by its number, the coin not at all.
    pub(super) fn token(&self, asset: AssetId) -> Option<AssetId> {
        self.params.as_ref().filter(|params| params.asset != asset).map(|_| asset)
    }

    fn is_enough(&self, asset: AssetId, sum: i128) -> bool {
        self.params.as_ref().is_some_and(|params| asset == params.asset && sum >= params.min_deposit.0)
    }

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
        let (unit, times) = scale(params.decimals);
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
        ChainFact::TransferPlanned(f) => f.chain,
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

/// Who asks for a withdrawal, or asked for the one that is settled, and of which asset.
fn asker(fact: &ChainFact) -> Option<(AccountId, AssetId)> {
    if let ChainFact::WithdrawalRequested(f) = fact {
        return Some((f.withdrawal.account, f.withdrawal.asset));
    }
    if let ChainFact::SettledInside(f) = fact { Some((f.withdrawal.account, f.withdrawal.asset)) } else { None }
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
                let ledger = ledgers.entry(f.params.chain).or_default();
                ledger.params = Some(f.params.clone());
                // What could not be moved is tried again.
                ledger.accounts.unmoved.clear();
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
                let has_accounts = ledger.has_accounts();
                for credit in &f.credits {
                    let taken = match has_accounts {
                        true => ledger.came(credit, f.known, lean),
                        false => ledger.credited(credit, (f.height, f.known), lean),
                    };
                    taken.map_err(wrong)?;
                }
                let (custody, mut moves) = (custody(f.chain), Vec::new());
                for own in &f.own {
                    let settled = if has_accounts { ledger.transferred(own) } else { ledger.settled(own, lean) };
                    moves.extend(settled.map_err(wrong)?);
                    moves.push(((custody, own.asset), own.fee.0, 0));
                    let arrived = own.paid.iter().map(|paid| (paid.asset, paid.number.0 - paid.fee.0));
                    moves.extend(arrived.map(|(asset, amount)| ((custody, asset), amount, 0)));
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
                let kept = match ledger.has_accounts() {
                    true => ledger.kept(f.asset, f.key),
                    false => ledger.small.remove(&f.key).filter(|sum| ledger.is_enough(f.asset, *sum)),
                };
                let owner = ledger.owners.get(&f.key).map(|(_, owner)| *owner);
                if kept != Some(f.amount.0) || owner != Some(f.account) || ledger.halted {
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
                let held = match ledger.has_accounts() {
                    true => accounts::held(ledger, f.token),
                    false => f.token.is_none().then(|| ledger.coins.values().sum()),
                };
                let held: u128 = held.ok_or_else(|| wrong(format!("checks {:?}, which is not listed", f.token)))?;
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
            | ChainFact::TransferPlanned(_)
            | ChainFact::TransactionSigned(_) => {
                let ledger = ledgers.entry(withdrawal_chain(fact)).or_default();
                let limits = asker(fact).map_or_else(Vec::new, |(account, asset)| {
                    let terms = ledger.payments.terms.get(&ledger.token(asset));
                    self.tiers.limits(account, terms, (lsn, time))
                });
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
            if let Some((key, (number, account))) =
                ledger.owners.iter().find(|(key, (number, account))| chain.address(*number) != Some((**key, *account)))
            {
                return Err(format!("address {key:?}, number {number}, is not account {account}'s"));
            }
            if ledger.has_accounts() {
                self.accounts_are_owed(*id, ledger)?;
                continue;
            }
            let owed = self.wallets.get(&(custody(*id), Wallet::Funding, params.asset));
            let owed = u128::try_from(-owed.copied().unwrap_or_default().available).unwrap_or(u128::MAX);
            let (unit, times) = scale(params.decimals);
            let (held, expected) = (coins.values().sum::<u128>(), owed / times * unit + ledger.residual);
            if held != expected
                || chain.held(params.asset).0 != held
                || chain.residual(params.asset).0 != ledger.residual
            {
                return Err(format!("chain {id} holds {held}, {expected} are owed"));
            }
        }
        Ok(())
    }

    /// Whether chains are at the same block, hold as much and are halted just then. Little to compare, so after every step.
    pub fn agrees_on_cursors<H: Hosting>(&self, world: &World<H>) -> Result<(), Finding> {
        for (id, ledger) in &self.chains.0 {
            let chain = world.chains().get(*id).ok_or_else(|| format!("chain {id} is not there"))?;
            ledger.agrees_on_accounts(*id, chain)?;
            // What accounts hold was compared just now.
            let coin = chain.params().filter(|_| !ledger.has_accounts()).map(|params| params.asset);
            let held = coin.map_or(0, |coin| chain.held(coin).0);
            let has = (chain.cursor().map(|at| (at.height, at.hash)), held, chain.halted().is_some());
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
            if let Some((asset, key, sum)) = ledger.keeps_enough() {
                return Err(format!("chain {id} keeps {sum} of {asset} of {key:?}, which is enough to be credited"));
            }
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
