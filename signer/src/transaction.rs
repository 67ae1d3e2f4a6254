//! The bytes that a question means.
//!
//! Owns: the unsigned transaction, its size, the digest of whom it pays. Never does: ask the exchange, whose code makes the
//! same transaction on its own: a difference shows as another id. Invariants: sums add up exactly; outputs are payments in
//! their order and then the change; each input signals that it may be replaced (BIP 125). Known limits: P2WPKH inputs.

use crate::keys::{Keys, Network};
use crate::policy::Policy;
use crate::protocol::{Plan, Refusal, Units};
use bitcoin::absolute::LockTime;
use bitcoin::hashes::{Hash, HashEngine, sha256};
use bitcoin::transaction::Version;
use bitcoin::{Address, AddressType, Amount, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Inputs of a transaction at most, and payments.
pub(crate) const INPUTS: usize = 100;
pub(crate) const PAYMENTS: usize = 50;
/// All coins that there can ever be, in satoshi.
const ALL: u64 = 21_000_000 * 100_000_000;
/// Weight of a P2WPKH input's witness at most, marker and flag of the transaction apart.
const WITNESS: u64 = 108;
const WITNESS_MARK: u64 = 2;

/// The script of an address that is paid, of this network.
pub(crate) fn destination(text: &str, network: Network) -> Option<ScriptBuf> {
    let address = Address::from_str(text).ok()?.require_network(network.to_bitcoin()).ok()?;
    use AddressType::{P2pkh, P2sh, P2tr, P2wpkh, P2wsh};
    matches!(address.address_type()?, P2pkh | P2sh | P2wpkh | P2wsh | P2tr).then(|| address.script_pubkey())
}

/// A plan that holds in itself: sums, keys, addresses, the fee's caps.
pub(crate) struct Checked {
    pub(crate) unsigned: Transaction,
    /// Of the payees' scripts and amounts, in their order.
    pub(crate) digest: [u8; 32],
    /// Paid to others than cold addresses, in satoshi.
    pub(crate) paid: u64,
    /// In satoshi.
    pub(crate) fee: u64,
    /// At most.
    pub(crate) virtual_bytes: u64,
}

fn amount(units: Units) -> Result<Amount, Refusal> {
    if units.0 > ALL { Err(Refusal::Amount) } else { Ok(Amount::from_sat(units.0)) }
}

fn output(script_pubkey: ScriptBuf, units: Units) -> Result<TxOut, Refusal> {
    let value = amount(units)?;
    if value < script_pubkey.minimal_non_dust() { Err(Refusal::Dust) } else { Ok(TxOut { value, script_pubkey }) }
}

/// Everything that can be said without what was signed before, except the fee's caps.
pub(crate) fn check(plan: &Plan, keys: &Keys, policy: &Policy) -> Result<Checked, Refusal> {
    if plan.inputs.is_empty() || (plan.payments.is_empty() && plan.change.is_none()) {
        return Err(Refusal::Empty);
    }
    if plan.inputs.len() > INPUTS || plan.payments.len() > PAYMENTS {
        return Err(Refusal::TooLarge);
    }
    let mut places = BTreeSet::new();
    let mut inputs = Vec::with_capacity(plan.inputs.len());
    let mut held = 0;
    for input in &plan.inputs {
        // What the output really pays needs no look: its script and amount are signed, and false ones void the signature.
        if input.key.ring >= policy.rings || keys.script(input.key).is_err() {
            return Err(Refusal::ForeignKey);
        }
        if !places.insert(input.at()) {
            return Err(Refusal::InputTwice);
        }
        held += amount(input.units)?.to_sat();
        inputs.push(TxIn {
            previous_output: input.at(),
            script_sig: ScriptBuf::new(),
            sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
            witness: Witness::new(),
        });
    }
    let (mut outputs, mut digest, mut paid) =
        (Vec::with_capacity(plan.payments.len() + 1), sha256::HashEngine::default(), 0);
    for (n, payment) in plan.payments.iter().enumerate() {
        let script = destination(&payment.address, keys.network()).ok_or(Refusal::Address(n))?;
        let output = output(script, payment.units)?;
        digest.input(&(output.script_pubkey.len() as u64).to_be_bytes());
        digest.input(output.script_pubkey.as_bytes());
        digest.input(&output.value.to_sat().to_be_bytes());
        if !policy.cold.contains(&output.script_pubkey) {
            paid += output.value.to_sat();
        }
        outputs.push(output);
    }
    if let Some(change) = plan.change {
        let ours = change.key.change && change.key.ring < policy.rings;
        let script = keys.script(change.key).ok().filter(|_| ours).ok_or(Refusal::ForeignChange)?;
        outputs.push(output(script, change.units)?);
    }
    // At most 151 amounts of at most all coins: far below the type's end.
    let leaves: u64 = outputs.iter().map(|output| output.value.to_sat()).sum();
    let fee = amount(plan.fee)?.to_sat();
    if held != leaves + fee {
        return Err(Refusal::WrongSum);
    }
    let unsigned = Transaction { version: Version::TWO, lock_time: LockTime::ZERO, input: inputs, output: outputs };
    let weight = unsigned.base_size() as u64 * 4 + WITNESS_MARK + unsigned.input.len() as u64 * WITNESS;
    let digest = sha256::Hash::from_engine(digest).to_byte_array();
    Ok(Checked { unsigned, digest, paid, fee, virtual_bytes: weight.div_ceil(4) })
}
