//! Final blocks of a chain of accounts.
//!
//! Owns: what of a block is credited and what of it settles plans. Never does: read a node. Invariants: a transaction of ours is one of a
//! plan, and moved what was planned or nothing; otherwise the chain is halted. Known limits: none.

use super::state::Accounts;
use crate::chain::coins::{BlockHash, Key, OutPoint, TxId, Units};
use crate::chain::entity::{Chain, MOST_CREDITS};
use crate::chain::facts::{BlockTaken, Credit, CreditKind, HaltReason};
use crate::chain::params::{ChainAsset, ChainParams};
use crate::chain::plans::MOST_OWN;
use crate::chain::withdrawal::Withdrawal;
use crate::chain::withdrawal_facts::{OwnTransaction, TransferEnd};
use crate::entity::Decision;
use crate::ids::AssetId;
use crate::money::Amount;
use crate::reject::Reject;
use std::collections::BTreeSet;

/// What comes to an address of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incoming {
    /// Where it is in the chain.
    pub at: OutPoint,
    /// The address.
    pub key: Key,
    /// Which asset.
    pub asset: AssetId,
    /// How much.
    pub units: Units,
}

/// A transaction of an address of ours, or one that took from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnTransfer {
    /// Its id.
    pub txid: TxId,
    /// What its gas cost, in units of the chain's coin.
    pub fee: Units,
    /// What it took from addresses of ours, besides.
    pub moved: Vec<(AssetId, Key, Units)>,
}

/// A final block, or a part of one, with what concerns us in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferBlock {
    /// The block before it.
    pub from: BlockHash,
    /// Its height.
    pub height: u64,
    /// Its hash.
    pub hash: BlockHash,
    /// Which part of it, from 0 on.
    pub part: u32,
    /// It has no other part.
    pub last: bool,
    /// Addresses that were looked for: those with lower numbers. The same in all parts.
    pub known: u64,
    /// In the order of the block, [`MOST_CREDITS`] at most.
    pub incoming: Vec<Incoming>,
    /// In the order of the block, [`MOST_OWN`] at most.
    pub own: Vec<OwnTransfer>,
}

/// What is booked for a fee, so that what is less than an amount's last place stays positive.
fn booked(coin: ChainAsset, fee: Units, residual: Units) -> Option<Amount> {
    let (amount, rest) = coin.amount(fee)?;
    Some(if rest <= residual { amount } else { amount + Amount(1) })
}

impl Chain {
    pub(in crate::chain) fn take_transfers(&self, block: &TransferBlock) -> Result<Decision, Reject> {
        let params = self.read()?;
        params.accounts.as_ref().ok_or(Reject::BadParameters)?;
        let TransferBlock { from, height, hash, part, last, known, .. } = *block;
        if let Some(halt) = self.follows((from, height, hash), part, known)? {
            return Ok(halt);
        }
        if block.incoming.len() > MOST_CREDITS || block.own.len() > MOST_OWN {
            return Err(Reject::BadParameters);
        }
        let credits = self.incoming(params, block)?;
        let mut residual = self.accounts.residual(params.asset);
        for credit in credits.iter().filter(|credit| credit.asset == params.asset) {
            residual.0 += params.amount(credit.units).map_or(0, |(_, rest)| rest.0);
        }
        let mut own: Vec<OwnTransaction> = Vec::with_capacity(block.own.len());
        for transfer in &block.own {
            // The chain takes one transaction of a plan.
            let is_first = |settled: &OwnTransaction| own.iter().all(|before| before.plan != settled.plan);
            let settled = self.own_transfer(params, transfer, residual)?.filter(is_first);
            let Some(settled) = settled else {
                return Ok(self.halt(HaltReason::Spent, height, transfer.txid));
            };
            let units = params.units(settled.fee).unwrap_or_default();
            residual = Units((residual.0 + units.0).checked_sub(transfer.fee.0).ok_or(Reject::BadAmount)?);
            own.push(settled);
        }
        let fact = BlockTaken { chain: self.id(), from, height, hash, part, last, known, credits, own };
        Ok(Decision::Fact(fact.into()))
    }

    fn incoming(&self, params: &ChainParams, block: &TransferBlock) -> Result<Vec<Credit>, Reject> {
        let mut credits: Vec<Credit> = Vec::with_capacity(block.incoming.len());
        let mut seen = BTreeSet::new();
        for incoming in &block.incoming {
            let Incoming { at, key, asset, units } = *incoming;
            let owner = self.owner_among(key, block.known).ok_or(Reject::BadParameters)?;
            let form = params.asset(asset).ok_or(Reject::BadParameters)?;
            // A transfer is one deposit.
            if units.0 == 0 || !seen.insert(at) {
                return Err(Reject::BadParameters);
            }
            let (amount, _) = form.amount(units).ok_or(Reject::BadAmount)?;
            let kind = if amount < form.min_deposit { CreditKind::Small } else { CreditKind::Credited };
            credits.push(Credit { at, key, owner, asset, units, amount, kind });
        }
        Ok(credits)
    }

    /// What a transaction of ours settles; none when no plan explains it.
    fn own_transfer(
        &self,
        params: &ChainParams,
        transfer: &OwnTransfer,
        residual: Units,
    ) -> Result<Option<OwnTransaction>, Reject> {
        let accounts: &Accounts = &self.accounts;
        let Some((id, n)) = accounts.by_txid(&transfer.txid) else { return Ok(None) };
        let Some(plan) = accounts.plan(id) else { return Ok(None) };
        let transaction = &plan.attempts[n as usize].transaction;
        let moved = match &transfer.moved[..] {
            [] => false,
            [one] if *one == (plan.asset, transaction.from, transaction.units) => true,
            _ => return Ok(None),
        };
        // More than it offered is no answer.
        if transfer.fee > transaction.most_fee() {
            return Err(Reject::BadParameters);
        }
        let fee = booked(params.coin(), transfer.fee, residual).ok_or(Reject::BadAmount)?;
        let open = plan.withdrawal.and_then(|id| self.withdrawals.get(id)).map(|open| &open.withdrawal);
        let paid = open.filter(|_| moved).map(Withdrawal::paid);
        let failed = open.filter(|_| !moved).map(Withdrawal::payee);
        Ok(Some(OwnTransaction {
            plan: id,
            attempt: n,
            txid: transfer.txid,
            asset: params.asset,
            fee,
            change: None,
            paid: paid.into_iter().collect(),
            transfer: Some(TransferEnd { fee: transfer.fee, moved, failed }),
        }))
    }
}
