//! Transactions: from a plan to unsigned bytes, and from signed bytes back to the plan.
//!
//! Owns: the one transaction that a plan means, whether signed bytes are it. Never does: sign; choose a nonce or fees.
//! Invariants: the same plan gives the same bytes, on every machine and in every release; its form is EIP-1559, for one
//! chain. Known limits: a transfer of the coin or of a token, and nothing else.

use super::{Account, Address, AddressError, LEAST_GAS, destination, signer_of, transfer_call};
use alloy_consensus::{EthereumTxEnvelope, SignableTransaction, TxEip1559, TxEip4844};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{Address as Place, Bytes, TxKind, U256, keccak256};
use thiserror::Error;
use xng_core::chain::{AccountTransaction, Key, Recipient, TxId};

/// Why a plan is no transaction, or bytes are not the planned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TransactionError {
    /// Nothing is paid.
    #[error("it pays nothing")]
    Empty,
    /// A number that no transaction can have.
    #[error("a number is out of range")]
    Range,
    /// The token's own contract is paid, where tokens are lost.
    #[error("the token's contract is the payee")]
    Contract,
    /// An address that is not paid, or a key that is not ours.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Bytes that are no transaction.
    #[error("the bytes are no transaction")]
    Bytes,
    /// Another transaction than the planned one.
    #[error("it is another transaction than the planned one")]
    Another,
    /// The signature does not hold, is another key's, or has the higher of its two forms.
    #[error("it is not signed")]
    NotSigned,
}

/// The transaction that a plan means, without its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    transaction: TxEip1559,
}

fn address(accounts: &[Account], key: Key) -> Result<Address, AddressError> {
    account(accounts, key)?.address(key)
}

fn account(accounts: &[Account], key: Key) -> Result<&Account, AddressError> {
    accounts.iter().find(|account| account.ring() == key.ring).ok_or(AddressError::WrongAccount)
}

impl Unsigned {
    /// What `plan` means on the chain of this number. `accounts` are those of its keys.
    ///
    /// # Errors
    /// Every kind but `Bytes`, `Another`, `NotSigned`.
    pub fn new(plan: &AccountTransaction, accounts: &[Account], chain_id: u64) -> Result<Self, TransactionError> {
        // A key that is not ours could not be signed for.
        address(accounts, plan.from)?;
        let payee = match &plan.to {
            Recipient::Address(text) => destination(text)?,
            Recipient::Own(key) => address(accounts, *key)?,
        };
        if plan.units.0 == 0 {
            return Err(TransactionError::Empty);
        }
        let (max_fee_per_gas, max_priority_fee_per_gas) = (plan.max_fee_per_gas, plan.max_priority_fee_per_gas);
        let most = u128::from(plan.gas_limit).checked_mul(max_fee_per_gas);
        let native = plan.token.is_none();
        let spent = most.and_then(|most| most.checked_add(if native { plan.units.0 } else { 0 }));
        // The last nonce is nobody's (EIP-2681).
        if spent.is_none()
            || max_priority_fee_per_gas > max_fee_per_gas
            || plan.gas_limit < LEAST_GAS
            || plan.nonce == u64::MAX
            || chain_id == 0
        {
            return Err(TransactionError::Range);
        }
        let (to, value, input) = match plan.token.map(Address) {
            None => (payee, U256::from(plan.units.0), Vec::new()),
            Some(token) if token == payee => return Err(TransactionError::Contract),
            Some(token) => (token, U256::ZERO, transfer_call(payee, plan.units)),
        };
        let transaction = TxEip1559 {
            chain_id,
            nonce: plan.nonce,
            gas_limit: plan.gas_limit,
            max_fee_per_gas,
            max_priority_fee_per_gas,
            to: TxKind::Call(Place::from(to.0)),
            value,
            access_list: Default::default(),
            input: Bytes::from(input),
        };
        Ok(Unsigned { transaction })
    }

    /// What is signed.
    #[must_use]
    pub fn signing_hash(&self) -> [u8; 32] {
        self.transaction.signature_hash().0
    }

    /// Its bytes without a signature; [`Unsigned::signing_hash`] is their hash.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.transaction.encoded_for_signing()
    }

    /// That `raw` is `plan`, signed by the key that the plan names. Gives the id.
    ///
    /// # Errors
    /// `Bytes`, `Another`, `NotSigned`, and those of [`Unsigned::new`].
    pub fn verify(
        raw: &[u8],
        plan: &AccountTransaction,
        accounts: &[Account],
        chain_id: u64,
    ) -> Result<TxId, TransactionError> {
        let planned = Unsigned::new(plan, accounts, chain_id)?;
        let envelope: EthereumTxEnvelope<TxEip4844> =
            Decodable2718::decode_2718_exact(raw).map_err(|_| TransactionError::Bytes)?;
        // There may be other forms of the same bytes; we send one.
        if envelope.encoded_2718() != raw {
            return Err(TransactionError::Bytes);
        }
        let signed = envelope.as_eip1559().filter(|signed| *signed.tx() == planned.transaction);
        let signed = signed.ok_or(TransactionError::Another)?;
        // The higher form of a signature holds, too, but nodes refuse it (EIP-2).
        let curve = account(accounts, plan.from)?.curve();
        let low = signed.signature().normalize_s().is_none();
        let signer = signer_of(curve, signed.signature_hash(), signed.signature()).filter(|_| low);
        if signer != Some(address(accounts, plan.from)?) {
            return Err(TransactionError::NotSigned);
        }
        Ok(TxId(keccak256(raw).0))
    }
}
