//! EVM chains: what a question means there, and what was signed for each nonce.
//!
//! - `form`: addresses and the bytes of transactions.
//! - `past`: what was signed, by nonce, and what left in the last hour.
//!
//! Owns: the checks of a transfer of ether or of a token. Never does: hold a key; write the log. Invariants: a nonce of a
//! key pays one payee one amount of one asset for ever. Known limits: one chain, that of the policy. Rules:
//! `docs/custody.md "What the signer signs there"`.

mod form;
mod past;
#[cfg(test)]
mod tests;

pub(crate) use form::{Address, destination, keccak, of_public};
pub(crate) use past::Past;

use crate::keys::{KeyError, Keys};
use crate::policy::{EvmPolicy, Policy};
use crate::protocol::{Answer, EvmPayee, EvmPlan, Refusal, Wei};
use crate::signed_log::EvmEntry;
use bitcoin::hashes::{Hash, HashEngine, sha256};
use bitcoin::hex::DisplayHex;

/// Nobody's code runs for less.
const LEAST_GAS: u64 = 21_000;

/// A transfer that holds in itself: chain, keys, payee, token, numbers.
pub(crate) struct Checked {
    pub(crate) unsigned: form::Unsigned,
    /// Of payee, asset and amount.
    digest: [u8; 32],
    /// What leaves to others than cold addresses and ourselves, of the asset.
    leaves: u128,
    /// Wei that it costs at most.
    cost: u128,
    token: Option<Address>,
}

/// Everything that can be said without what was signed before, except caps.
fn check(plan: &EvmPlan, keys: &Keys, rings: u32, policy: &EvmPolicy) -> Result<Checked, Refusal> {
    let address = |key: crate::keys::Key| {
        let ours = keys.evm_address(key).ok().filter(|_| key.ring < rings);
        ours.ok_or(Refusal::ForeignKey)
    };
    address(plan.key)?;
    let (payee, counts) = match &plan.payee {
        EvmPayee::Address(text) => {
            let payee = destination(text).ok_or(Refusal::Payee)?;
            (payee, !policy.cold.contains(&payee))
        }
        EvmPayee::Key(key) => (address(*key)?, false),
    };
    let token = plan.token.as_deref().map(|text| {
        let listed = destination(text).filter(|token| policy.tokens.contains_key(token));
        listed.ok_or(Refusal::TokenNotListed)
    });
    let token = token.transpose()?;
    if token == Some(payee) {
        // Tokens are lost there.
        return Err(Refusal::Payee);
    }
    if plan.units.0 == 0 {
        return Err(Refusal::Empty);
    }
    let (most, tip) = (plan.max_fee_per_gas.0, plan.max_priority_fee_per_gas.0);
    let cost = most.checked_mul(u128::from(plan.gas_limit)).ok_or(Refusal::Amount)?;
    // The last nonce is nobody's (EIP-2681).
    if tip > most || plan.gas_limit < LEAST_GAS || plan.nonce == u64::MAX || cost.checked_add(plan.units.0).is_none() {
        return Err(Refusal::Amount);
    }
    let mut digest = sha256::HashEngine::default();
    digest.input(&[u8::from(token.is_some())]);
    digest.input(&token.unwrap_or_default());
    digest.input(&payee);
    digest.input(&plan.units.0.to_be_bytes());
    Ok(Checked {
        unsigned: form::Unsigned::new(plan, payee, token),
        digest: sha256::Hash::from_engine(digest).to_byte_array(),
        leaves: if counts { plan.units.0 } else { 0 },
        cost,
        token,
    })
}

/// What is signed, with the log's new line; none when it was signed before.
pub(crate) fn decide(
    plan: &EvmPlan,
    keys: &Keys,
    policy: &Policy,
    past: &mut Past,
    now: u64,
) -> Result<(Checked, Option<EvmEntry>), Refusal> {
    let rings = policy.rings;
    let policy = policy.evm.as_ref().filter(|policy| policy.chain_id == plan.chain_id).ok_or(Refusal::WrongChain)?;
    let checked = check(plan, keys, rings, policy)?;
    let hash = checked.unsigned.hash().to_lower_hex_string();
    if past.signed(plan.key, &hash) {
        return Ok((checked, None));
    }
    let digest = checked.digest.to_lower_hex_string();
    let before = past.bound(plan.chain_id, plan.key, plan.nonce);
    let fees = (plan.max_fee_per_gas.0, plan.max_priority_fee_per_gas.0);
    match before {
        Some(bound) if bound.digest != digest => return Err(Refusal::NonceTaken(plan.nonce)),
        Some(bound) if !bound.outbid_by(fees) => return Err(Refusal::BidNotHigher(plan.nonce)),
        Some(_) | None => {}
    }
    if checked.cost > policy.fee_units || fees.0 > policy.gas_price {
        return Err(Refusal::FeeAboveCap);
    }
    // Of two transactions of a nonce the chain takes one: the payment counts once.
    let fee = before.map_or(checked.cost, |bound| checked.cost.saturating_sub(bound.cost));
    let leaves = if before.is_some() { 0 } else { checked.leaves };
    let native = if checked.token.is_some() { fee } else { fee.saturating_add(leaves) };
    past.room(None, now, native, policy.hour_units)?;
    if let Some(token) = checked.token {
        past.room(Some(token), now, leaves, policy.tokens.get(&token).copied().unwrap_or(0))?;
    }
    let entry = EvmEntry {
        at: now,
        plan: plan.plan,
        attempt: plan.attempt,
        chain_id: plan.chain_id,
        key: plan.key,
        nonce: plan.nonce,
        hash,
        digest,
        token: checked.token.map(|token| token.to_lower_hex_string()),
        max_fee_per_gas: plan.max_fee_per_gas,
        max_priority_fee_per_gas: plan.max_priority_fee_per_gas,
        cost: Wei(checked.cost),
        counted: Wei(leaves),
        fee_counted: Wei(fee),
    };
    Ok((checked, Some(entry)))
}

/// The answer with the signed bytes.
pub(crate) fn sign(plan: &EvmPlan, checked: &Checked, keys: &Keys) -> Answer {
    let signed = |hash: [u8; 32]| -> Result<Vec<u8>, KeyError> {
        let (compact, odd) = keys.evm_sign(plan.key, hash)?;
        Ok(checked.unsigned.signed(&compact, odd))
    };
    match signed(checked.unsigned.hash()) {
        Ok(raw) => Answer::Signed { txid: keccak(&raw).to_lower_hex_string(), raw: raw.to_lower_hex_string() },
        Err(_) => Refusal::ForeignKey.into(),
    }
}
