//! Who pays withdrawals on the fake chain, the signer whom he asks, and the users and people whose withdrawals these are.
//!
//! Owns: withdrawals that are asked for, votes; transactions that are made, signed, sent and replaced, with answers of node and signer
//! that are lost. Never does: look at the engine. Invariants: a transaction is signed once its plan is durable, and sent once its
//! bytes are; the signer signs one transaction under one name, and no coin for two plans: to be asked for another is a finding.
//! Known limits: one signer.

use crate::fake_chain::{CHAIN, FakeChain, Sent, bytes};
use crate::regions::country;
use crate::rng::Rng;
use std::collections::BTreeMap;
use xng_cell::auditor::{Auditor, OpenAttempt};
use xng_core::account::{AccountCommand, Tier};
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{
    ChainCommand, CoinTransaction, Key, OutPoint, PlanId, TxId, Units, WithdrawalRequest, WithdrawalTerms, flags,
};
use xng_core::codec::{Wire, hash_bytes};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId};
use xng_core::journal::Lsn;
use xng_core::money::Amount;

/// Small enough that all limits are met.
fn terms() -> WithdrawalTerms {
    WithdrawalTerms {
        chain: CHAIN,
        version: 0,
        open: true,
        fee: Amount(20_000),
        min: Amount(100_000),
        max: Amount(30_000_000),
        daily_limit: Amount(60_000_000),
        most_open: 10,
        auto_each: Amount(10_000_000),
        auto_day: Amount(20_000_000),
        auto_hour: Amount(35_000_000),
        two_votes_above: Amount(20_000_000),
        most_a_transaction: Amount(45_000_000),
        most_chain_fee: Units(200_000),
        bump_after_ms: 1_000,
        daily_limit_advanced: Amount(90_000_000),
        token: None,
    }
}

/// What the signer signed; it outlives the exchange.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signer {
    signed: BTreeMap<(PlanId, u32), CoinTransaction>,
    spent: BTreeMap<OutPoint, PlanId>,
    /// So many more questions find nobody.
    away: u64,
}

impl Signer {
    fn is_away(&mut self, rng: &mut Rng) -> bool {
        if self.away == 0 && rng.chance(1, 300) {
            self.away = 1 + rng.below(60);
        }
        let is_away = self.away > 0;
        self.away = self.away.saturating_sub(1);
        is_away
    }

    /// Signs; whether it did so before.
    fn sign(&mut self, of: &OpenAttempt<'_>) -> Result<bool, String> {
        for coin in &of.transaction.inputs {
            let by = self.spent.entry(coin.at).or_insert(of.plan);
            if *by != of.plan {
                return Err(format!("the signer is asked to spend {coin:?} for plan {}, and did for {by}", of.plan));
            }
        }
        match self.signed.get(&(of.plan, of.attempt)) {
            None => {
                self.signed.insert((of.plan, of.attempt), of.transaction.clone());
                Ok(false)
            }
            Some(before) if before == of.transaction => Ok(true),
            Some(_) => Err(format!("the signer is asked for another transaction {} of plan {}", of.attempt, of.plan)),
        }
    }
}

/// The same transaction has the same id and bytes, whenever it is signed.
fn signed(of: &OpenAttempt<'_>) -> ChainCommand {
    let mut raw = Vec::new();
    of.transaction.put(&mut raw);
    let txid = TxId(bytes(hash_bytes(1, &raw) | 1 << 63));
    raw.truncate(64);
    ChainCommand::Signed { plan: of.plan, attempt: of.attempt, txid, raw }
}

fn sent(of: &OpenAttempt<'_>, txid: TxId) -> Sent {
    let t = of.transaction;
    let (inputs, change) = (t.inputs.clone(), t.change.map(|(_, units)| units));
    Sent { plan: of.plan, txid, inputs, change, payments: t.payments.len() as u32 }
}

impl FakeChain {
    /// What whoever pays withdrawals does next: people vote, transactions are made, signed, sent, replaced.
    pub(crate) fn pay(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) -> Result<Vec<Command>, String> {
        self.send_some(rng, auditor, durable);
        let command = self.order(rng, auditor, durable)?;
        Ok(self.on_its_way(rng, command))
    }

    /// Nothing is sent before its record is durable.
    fn send_some(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) {
        for of in auditor.open_plans(CHAIN) {
            let Some((txid, _)) = of.signed.filter(|(_, lsn)| *lsn <= durable) else { continue };
            match rng.below(16) {
                0..=7 => {}
                8 => self.reach("a transaction is lost on its way to the node"),
                _ if self.sent.iter().any(|sent| sent.txid == txid) => self.reach("a transaction is sent again"),
                _ => self.sent.push(sent(&of, txid)),
            }
        }
    }

    fn order(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) -> Result<Option<ChainCommand>, String> {
        let rate = 1_000 + rng.below(60_000);
        Ok(match rng.below(8) {
            0 if auditor.withdrawal_terms(CHAIN, None).is_none() => Some(ChainCommand::SetTerms(Box::new(terms()))),
            0..=2 => {
                let open: Vec<_> = auditor.open_withdrawals(CHAIN).map(|(withdrawal, _)| withdrawal).collect();
                let withdrawal = open.get(rng.below(open.len().max(1) as u64) as usize);
                withdrawal.map(|withdrawal| {
                    let who = ["ann", "ben", "cid"][rng.below(3) as usize].to_owned();
                    let vote = Vote { who, reason: "looked at".into() };
                    ChainCommand::Vote { withdrawal: *withdrawal, vote, agrees: !rng.chance(1, 6), seen: None }
                })
            }
            3 | 4 => Some(ChainCommand::Plan { rate }),
            5 => {
                let plans: Vec<_> = auditor.open_plans(CHAIN).map(|of| of.plan).collect();
                let plan = plans.get(rng.below(plans.len().max(1) as u64) as usize);
                plan.map(|plan| ChainCommand::Bump { plan: *plan, rate: rate * 4 })
            }
            _ => {
                if self.signer.is_away(rng) {
                    self.reach("the signer is away");
                    return Ok(None);
                }
                // Nothing is signed before its plan is durable.
                let durable = auditor.open_plans(CHAIN).filter(|of| of.planned <= durable);
                let of = durable.filter(|of| of.signed.is_none() || rng.chance(1, 9)).last();
                let Some(of) = of else { return Ok(None) };
                if self.signer.sign(&of)? {
                    self.reach("the signer is asked again");
                }
                if rng.chance(1, 6) {
                    self.reach("the signer's answer is lost");
                    return Ok(None);
                }
                Some(signed(&of))
            }
        })
    }

    /// What is left to do when nobody forgets anything, node and signer answer and blocks take all: none when nothing is.
    pub(crate) fn last_things(&mut self, auditor: &Auditor) -> Result<Option<ChainCommand>, String> {
        if auditor.chain(CHAIN).is_some_and(|progress| progress.halted) {
            return Ok(Some(ChainCommand::Resume));
        }
        let mut mined = false;
        loop {
            if let Some(block) = self.next_block(auditor) {
                return Ok(Some(block));
            }
            if let Some(of) = auditor.open_plans(CHAIN).find(|of| of.signed.is_none()) {
                self.signer.sign(&of)?;
                return Ok(Some(signed(&of)));
            }
            if mined || auditor.open_plans(CHAIN).next().is_none() {
                return Ok(auditor.withdrawal_terms(CHAIN, None).map(|_| ChainCommand::Plan { rate: 1_000 }));
            }
            for of in auditor.open_plans(CHAIN) {
                let Some((txid, _)) = of.signed else { continue };
                if self.sent.iter().all(|sent| sent.txid != txid) {
                    self.sent.push(sent(&of, txid));
                }
            }
            self.mine_all();
            mined = true;
        }
    }

    /// What an account asks about withdrawals.
    pub(crate) fn withdraw(rng: &mut Rng, auditor: &Auditor, account: AccountId) -> (Command, bool) {
        let own = auditor.open_withdrawals(CHAIN).filter(|(_, owner)| *owner == account || rng.chance(1, 20)).last();
        if rng.chance(1, 8)
            && let Some((withdrawal, _)) = own
        {
            return (Command::Chain(CHAIN, ChainCommand::Cancel { account, withdrawal }), false);
        }
        if rng.chance(1, 16) {
            let by = ["ann", "ben"].map(str::to_owned)[..1 + rng.below(2) as usize].to_vec();
            let tier = rng.pick(&[Tier::Unverified, Tier::Basic, Tier::Advanced, Tier::Advanced, Tier::Advanced]);
            let (case, country) = (rng.below(50), rng.chance(1, 3).then(|| country(rng)));
            return (Command::Account(account, AccountCommand::SetTier { tier, case, by, country }), false);
        }
        let inside = rng.chance(1, 5).then(|| Key { ring: 0, change: false, index: rng.below(5) as u32 });
        let wanted = WithdrawalRequest {
            asset: AssetId(1),
            number: Amount(i128::from(if rng.chance(1, 3) { rng.below(40_000_000) } else { rng.below(4_000_000) })),
            address: format!("fake{}", rng.below(5)),
            script_bytes: 22 + 12 * rng.below(2) as u32,
            inside,
            flags: if rng.chance(1, 4) { flags::NEW_ADDRESS } else { 0 },
            version: auditor.withdrawal_terms(CHAIN, None).unwrap_or_default(),
        };
        let command = AccountCommand::Withdraw { chain: CHAIN, wanted: Box::new(wanted) };
        (Command::Account(account, command), true)
    }

    /// Asks for an address.
    pub(crate) fn ask(rng: &mut Rng, account: AccountId) -> Command {
        Command::Chain(CHAIN, ChainCommand::Assign { account, n: 1 + rng.below(4) as u32 })
    }
}
