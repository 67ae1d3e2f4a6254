//! Transactions: from a plan to unsigned bytes, and from signed bytes back to the plan.
//!
//! Owns: the one transaction that a plan means, its size, whether signed bytes are it. Never does: sign; choose coins or
//! fees. Invariants: the same plan gives the same bytes, on every machine and in every release; sums add up exactly; every
//! input signals that it may be replaced (BIP 125). Known limits: all inputs are P2WPKH, as all our addresses are.

use super::{Account, AddressError, Network, address, amount, library, out_point, txid};
use library::absolute::LockTime;
use library::hashes::Hash;
use library::secp256k1::Message;
use library::sighash::{EcdsaSighashType, SighashCache};
use library::transaction::Version;
use library::{Amount, CompressedPublicKey, ScriptBuf, Sequence, Transaction, TxIn, TxOut, Witness, consensus, ecdsa};
use std::collections::BTreeSet;
use thiserror::Error;
use xng_core::chain::{CoinTransaction, Key, OWN_SCRIPT, TxId, Units, virtual_size};

/// Why a plan is no transaction, or bytes are not the planned one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TransactionError {
    /// Nothing is spent, or nothing is paid.
    #[error("it spends or pays nothing")]
    Empty,
    /// An output is spent twice.
    #[error("an input is there twice")]
    InputTwice,
    /// What is spent is not what payments, change and fee come to.
    #[error("the inputs are not payments, change and fee")]
    WrongSum,
    /// An amount that no transaction can have.
    #[error("an amount is out of range")]
    Range,
    /// A payment or the change is so small that nodes refuse to pass it on.
    #[error("an output is too small to be passed on")]
    Dust,
    /// An address that is not paid, or a key that is not ours.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Bytes that are no transaction.
    #[error("the bytes are no transaction")]
    Bytes,
    /// Another transaction than the planned one.
    #[error("it is another transaction than the planned one")]
    Another,
    /// The signature of this input is missing or does not hold.
    #[error("input {0} is not signed")]
    NotSigned(usize),
}

/// The transaction that a plan means, without signatures. Its id is already that of the signed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    transaction: Transaction,
}

/// The account of a key.
fn account(accounts: &[Account], key: Key) -> Result<&Account, AddressError> {
    accounts.iter().find(|account| account.ring() == key.ring).ok_or(AddressError::WrongAccount)
}

fn script_of(accounts: &[Account], key: Key) -> Result<ScriptBuf, AddressError> {
    let key = CompressedPublicKey(account(accounts, key)?.public_key(key)?);
    Ok(ScriptBuf::new_p2wpkh(&key.wpubkey_hash()))
}

fn amount(units: Units) -> Result<Amount, TransactionError> {
    let satoshi = u64::try_from(units.0).ok().filter(|satoshi| *satoshi <= amount::ALL);
    satoshi.map(Amount::from_sat).ok_or(TransactionError::Range)
}

fn output(script: ScriptBuf, units: Units) -> Result<TxOut, TransactionError> {
    let value = amount(units)?;
    if value < script.minimal_non_dust() {
        return Err(TransactionError::Dust);
    }
    Ok(TxOut { value, script_pubkey: script })
}

impl Unsigned {
    /// What `plan` means. `accounts` are those of its keys; the network is theirs.
    ///
    /// # Errors
    /// Every kind but `Bytes`, `Another`, `NotSigned`.
    pub fn new(plan: &CoinTransaction, accounts: &[Account], network: Network) -> Result<Self, TransactionError> {
        let distinct: BTreeSet<_> = plan.inputs.iter().map(|coin| coin.at).collect();
        if distinct.len() != plan.inputs.len() {
            return Err(TransactionError::InputTwice);
        }
        let mut inputs = Vec::with_capacity(plan.inputs.len());
        for coin in &plan.inputs {
            amount(coin.units)?;
            // A key that is not ours could not be signed for.
            account(accounts, coin.key)?.public_key(coin.key)?;
            inputs.push(TxIn {
                previous_output: out_point(coin.at),
                script_sig: ScriptBuf::new(),
                sequence: Sequence::ENABLE_RBF_NO_LOCKTIME,
                witness: Witness::new(),
            });
        }
        let mut outputs = Vec::with_capacity(plan.payments.len() + 1);
        for payment in &plan.payments {
            outputs.push(output(address::parse(&payment.address, network)?.script_pubkey(), payment.units)?);
        }
        if let Some((key, units)) = plan.change {
            outputs.push(output(script_of(accounts, key)?, units)?);
        }
        if inputs.is_empty() || outputs.is_empty() {
            return Err(TransactionError::Empty);
        }
        let spent: u128 = plan.inputs.iter().map(|coin| coin.units.0).sum();
        let paid: u128 = outputs.iter().map(|output| u128::from(output.value.to_sat())).sum();
        amount(plan.fee)?;
        if spent != paid + plan.fee.0 {
            return Err(TransactionError::WrongSum);
        }
        let lock_time = LockTime::ZERO;
        let transaction = Transaction { version: Version::TWO, lock_time, input: inputs, output: outputs };
        Ok(Unsigned { transaction })
    }

    /// Its id, with and without signatures.
    #[must_use]
    pub fn txid(&self) -> TxId {
        txid(self.transaction.compute_txid())
    }

    /// Its bytes without signatures, as the fake chain takes them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        consensus::serialize(&self.transaction)
    }

    /// That `raw` is `plan`, signed for every input by the keys that the plan names. Gives the id.
    ///
    /// # Errors
    /// `Bytes`, `Another`, `NotSigned`, and those of [`Unsigned::new`].
    pub fn verify(
        raw: &[u8],
        plan: &CoinTransaction,
        accounts: &[Account],
        network: Network,
    ) -> Result<TxId, TransactionError> {
        let planned = Unsigned::new(plan, accounts, network)?.transaction;
        let signed: Transaction = consensus::deserialize(raw).map_err(|_| TransactionError::Bytes)?;
        let id = signed.compute_txid();
        if id != planned.compute_txid() {
            return Err(TransactionError::Another);
        }
        let mut hashes = SighashCache::new(&planned);
        for (n, (coin, input)) in plan.inputs.iter().zip(&signed.input).enumerate() {
            let account = account(accounts, coin.key)?;
            let key = account.public_key(coin.key)?;
            let script = script_of(accounts, coin.key)?;
            let kind = EcdsaSighashType::All;
            let hash = hashes.p2wpkh_signature_hash(n, &script, amount(coin.units)?, kind);
            let message = Message::from_digest(hash.map_err(|_| TransactionError::NotSigned(n))?.to_byte_array());
            let parts: Vec<&[u8]> = input.witness.iter().collect();
            let [signature, bytes] = parts[..] else { return Err(TransactionError::NotSigned(n)) };
            let signature = ecdsa::Signature::from_slice(signature).map_err(|_| TransactionError::NotSigned(n))?;
            let holds = account.curve().verify_ecdsa(&message, &signature.signature, &key).is_ok();
            if !holds || signature.sighash_type != kind || bytes != key.serialize() {
                return Err(TransactionError::NotSigned(n));
            }
        }
        Ok(txid(id))
    }
}

/// Virtual bytes at most of a transaction that spends `inputs` coins and pays these addresses, and us when `change` is
/// true. Enough to find its fee before the plan is made.
///
/// # Errors
/// When an address is not paid.
pub fn planned_size(inputs: usize, addresses: &[&str], change: bool, network: Network) -> Result<u64, AddressError> {
    let script = |text: &&str| address::parse(text, network).map(|address| address.script_pubkey().len());
    let mut scripts = addresses.iter().map(script).collect::<Result<Vec<usize>, AddressError>>()?;
    scripts.extend(change.then_some(OWN_SCRIPT));
    Ok(virtual_size(inputs, &scripts))
}
