//! Who pays withdrawals on the fake chain of accounts and sweeps its addresses, the signer whom he asks, and the users and people
//! whose withdrawals these are.
//!
//! Owns: withdrawals that are asked for, votes; transactions that are made, signed, sent and replaced, with answers of node and signer
//! that are lost. Never does: look at the engine. Invariants: a transaction is signed once its plan is durable, and sent once its
//! bytes are; the signer signs one transaction under one name, and under one nonce of a key what moves the same alone: to be asked
//! for another is a finding. Known limits: one signer.

use crate::fake_accounts::{ACCOUNTS, COIN, FakeAccounts, Sent, TOKEN};
use crate::fake_chain::{bytes, on_its_way};
use crate::rng::Rng;
use std::collections::BTreeMap;
use xng_cell::auditor::{Auditor, OpenTransfer};
use xng_core::account::AccountCommand;
use xng_core::chain::withdrawal_facts::Vote;
use xng_core::chain::{
    AccountTransaction, ChainCommand, GasPrice, Key, PlanId, TxId, Units, WithdrawalRequest, WithdrawalTerms, flags,
};
use xng_core::codec::{Wire, hash_bytes};
use xng_core::entity::Command;
use xng_core::ids::{AccountId, AssetId};
use xng_core::journal::Lsn;
use xng_core::money::{Amount, ONE};

const GWEI: u128 = 1_000_000_000;

/// Small enough that all limits are met: of the coin, and of a token that is worth a twentieth of it.
fn terms(token: Option<AssetId>) -> WithdrawalTerms {
    let of = |thousandths: i128| Amount(thousandths * if token.is_some() { ONE / 50 } else { ONE / 1_000 });
    WithdrawalTerms {
        chain: ACCOUNTS,
        version: 0,
        open: true,
        fee: of(1),
        min: of(5),
        max: of(1_000),
        daily_limit: of(2_000),
        most_open: 10,
        auto_each: of(300),
        auto_day: of(700),
        auto_hour: of(1_200),
        two_votes_above: of(700),
        most_a_transaction: of(1_500),
        most_chain_fee: Units(10_000_000 * GWEI),
        bump_after_ms: 1_000,
        daily_limit_advanced: of(3_000),
        token,
    }
}

/// What the signer signed; it outlives the exchange.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signer {
    signed: BTreeMap<(PlanId, u32), AccountTransaction>,
    /// What each nonce of a key was signed for last.
    nonces: BTreeMap<(Key, u64), AccountTransaction>,
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
    fn sign(&mut self, of: &OpenTransfer<'_>) -> Result<bool, String> {
        let t = of.transaction;
        let moves = |t: &AccountTransaction| (t.to.clone(), t.token, t.units);
        match self.signed.get(&(of.plan, of.attempt)) {
            Some(before) if before == t => return Ok(true),
            Some(_) => {
                return Err(format!("the signer is asked for another transfer {} of plan {}", of.attempt, of.plan));
            }
            None => {}
        }
        let before = self.nonces.insert((t.from, t.nonce), t.clone());
        if before.is_some_and(|before| moves(&before) != moves(t) || before.max_fee_per_gas >= t.max_fee_per_gas) {
            return Err(format!("the signer is asked to move {t:?} under a nonce that it signed for something else"));
        }
        self.signed.insert((of.plan, of.attempt), t.clone());
        Ok(false)
    }
}

/// The same transaction has the same id and bytes, whenever it is signed.
fn signed(of: &OpenTransfer<'_>) -> ChainCommand {
    let mut raw = Vec::new();
    of.transaction.put(&mut raw);
    let txid = TxId(bytes(hash_bytes(2, &raw) | 1 << 63));
    raw.truncate(64);
    ChainCommand::Signed { plan: of.plan, attempt: of.attempt, txid, raw }
}

fn sent(of: &OpenTransfer<'_>, txid: TxId) -> Sent {
    Sent { plan: of.plan, attempt: of.attempt, txid, asset: of.asset, transaction: of.transaction.clone() }
}

fn gas(rng: &mut Rng) -> GasPrice {
    let max_fee = GWEI + u128::from(rng.below(50_000_000_000));
    GasPrice { max_fee, max_priority_fee: u128::from(rng.below(1_000_000_000)) }
}

/// What is asked for at the end of a run.
const CHEAP: GasPrice = GasPrice { max_fee: GWEI, max_priority_fee: 1 };

impl FakeAccounts {
    /// What whoever pays withdrawals does next: people vote, transactions are made, signed, sent, replaced.
    pub(crate) fn pay(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) -> Result<Vec<Command>, String> {
        self.send_some(rng, auditor, durable);
        let command = self.order(rng, auditor, durable)?;
        Ok(on_its_way(ACCOUNTS, rng, command, (&mut self.late, &mut self.reached)))
    }

    /// Nothing is sent before its record is durable.
    fn send_some(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) {
        for of in auditor.open_transfers(ACCOUNTS) {
            let Some((txid, _)) = of.signed.filter(|(_, lsn)| *lsn <= durable) else { continue };
            match rng.below(12) {
                0..=5 => {}
                6 => self.reach("a transaction is lost on its way to the node"),
                _ if self.sent.iter().any(|sent| sent.txid == txid) => self.reach("a transaction is sent again"),
                _ => self.sent.push(sent(&of, txid)),
            }
        }
    }

    fn order(&mut self, rng: &mut Rng, auditor: &Auditor, durable: Lsn) -> Result<Option<ChainCommand>, String> {
        let price = gas(rng);
        Ok(match rng.below(12) {
            0 => {
                let missing =
                    [None, Some(TOKEN)].into_iter().find(|of| auditor.withdrawal_terms(ACCOUNTS, *of).is_none());
                missing.map(|token| ChainCommand::SetTerms(Box::new(terms(token))))
            }
            1 => {
                let open: Vec<_> = auditor.open_withdrawals(ACCOUNTS).map(|(withdrawal, _)| withdrawal).collect();
                let withdrawal = open.get(rng.below(open.len().max(1) as u64) as usize);
                withdrawal.map(|withdrawal| {
                    let who = ["ann", "ben", "cid"][rng.below(3) as usize].to_owned();
                    let vote = Vote { who, reason: "looked at".into() };
                    ChainCommand::Vote { withdrawal: *withdrawal, vote, agrees: !rng.chance(1, 25), seen: None }
                })
            }
            2..=4 => Some(ChainCommand::PlanTransfer { gas: price }),
            5 => {
                let plans: Vec<_> = auditor.open_transfers(ACCOUNTS).map(|of| of.plan).collect();
                let plan = plans.get(rng.below(plans.len().max(1) as u64) as usize);
                let max_fee = price.max_fee * 2;
                plan.map(|plan| ChainCommand::BumpTransfer { plan: *plan, gas: GasPrice { max_fee, ..price } })
            }
            _ => {
                if self.signer.is_away(rng) {
                    self.reach("the signer is away");
                    return Ok(None);
                }
                // Nothing is signed before its plan is durable.
                let durable = auditor.open_transfers(ACCOUNTS).filter(|of| of.planned <= durable);
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
    pub(crate) fn last_things(&mut self, rng: &mut Rng, auditor: &Auditor) -> Result<Option<ChainCommand>, String> {
        if auditor.chain(ACCOUNTS).is_some_and(|progress| progress.halted) {
            return Ok(Some(ChainCommand::Resume));
        }
        let mut mined = false;
        loop {
            if let Some(block) = self.next_block(auditor) {
                return Ok(Some(block));
            }
            if let Some(of) = auditor.open_transfers(ACCOUNTS).find(|of| of.signed.is_none()) {
                self.signer.sign(&of)?;
                return Ok(Some(signed(&of)));
            }
            if mined || auditor.open_transfers(ACCOUNTS).next().is_none() {
                let has_terms = auditor.withdrawal_terms(ACCOUNTS, None).is_some();
                return Ok(has_terms.then_some(ChainCommand::PlanTransfer { gas: CHEAP }));
            }
            for of in auditor.open_transfers(ACCOUNTS) {
                let Some((txid, _)) = of.signed else { continue };
                if self.sent.iter().all(|sent| sent.txid != txid) {
                    self.sent.push(sent(&of, txid));
                }
            }
            self.mine_all(rng);
            mined = true;
        }
    }

    /// What an account asks about withdrawals.
    pub(crate) fn withdraw(rng: &mut Rng, auditor: &Auditor, account: AccountId) -> (Command, bool) {
        let own = auditor.open_withdrawals(ACCOUNTS).filter(|(_, owner)| *owner == account || rng.chance(1, 20)).last();
        if rng.chance(1, 8)
            && let Some((withdrawal, _)) = own
        {
            return (Command::Chain(ACCOUNTS, ChainCommand::Cancel { account, withdrawal }), false);
        }
        let inside = rng.chance(1, 8).then(|| Key { ring: 0, change: false, index: rng.below(5) as u32 });
        let (token, asset) = rng.pick(&[(None, COIN), (Some(TOKEN), TOKEN)]);
        let most = rng.pick(&[15, 150, 1_100]);
        let steps = i128::from(rng.below(most * 1_000)) * if token.is_some() { 2_000 } else { 100 };
        let wanted = WithdrawalRequest {
            asset,
            number: Amount(steps),
            address: format!("0xfake{}", rng.below(5)),
            script_bytes: 20,
            inside,
            flags: if rng.chance(1, 6) { flags::NEW_ADDRESS } else { 0 },
            version: auditor.withdrawal_terms(ACCOUNTS, token).unwrap_or_default(),
        };
        let command = AccountCommand::Withdraw { chain: ACCOUNTS, wanted: Box::new(wanted) };
        (Command::Account(account, command), true)
    }

    /// Asks for an address.
    pub(crate) fn ask(rng: &mut Rng, account: AccountId) -> Command {
        Command::Chain(ACCOUNTS, ChainCommand::Assign { account, n: 1 + rng.below(4) as u32 })
    }
}
