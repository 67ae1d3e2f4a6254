//! The accounts of a chain whose keys addresses are made of, and what its addresses look like.
//!
//! Owns: one form for chains of coins and chains of accounts. Never does: see a private key. Invariants: signed bytes are compared with
//! the plan that they were asked for. Known limits: Bitcoin and EVM.

use std::str::FromStr as _;
use thiserror::Error;
use xng_core::chain::{AccountTransaction, CoinTransaction, Key, TxId};
use xng_custody::bitcoin::{self, Destination, Network};
use xng_custody::evm;

/// Bytes of an EVM address, which its chain takes for the script of an output.
const EVM_ADDRESS_BYTES: u32 = 20;

/// Why there is no address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AddressError(String);

impl AddressError {
    /// The settings do not name the chain.
    pub(super) fn unnamed() -> AddressError {
        AddressError("the settings do not name the chain".into())
    }

    /// What is sent there is nobody's.
    pub(super) fn nobody() -> AddressError {
        AddressError("a token's contract, or an address of the exchange itself".into())
    }
}

fn no_address(error: impl ToString) -> AddressError {
    AddressError(error.to_string())
}

/// A transaction of either form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedTransaction {
    /// Of a chain of coins.
    Coins(CoinTransaction),
    /// Of a chain of accounts.
    Account(AccountTransaction),
}

/// See the module's header.
#[derive(Debug)]
pub enum Keys {
    /// Of Bitcoin.
    Bitcoin(Network, Vec<bitcoin::Account>),
    /// Of an EVM chain, by its number.
    Evm(u64, Vec<evm::Account>),
}

impl Keys {
    /// Numbers of the accounts, in the order of the settings.
    #[must_use]
    pub fn rings(&self) -> Vec<u32> {
        match self {
            Keys::Bitcoin(_, accounts) => accounts.iter().map(bitcoin::Account::ring).collect(),
            Keys::Evm(_, accounts) => accounts.iter().map(evm::Account::ring).collect(),
        }
    }

    /// The address of a key.
    ///
    /// # Errors
    /// When none of the accounts has the key.
    pub fn address(&self, key: Key) -> Result<String, AddressError> {
        match self {
            Keys::Bitcoin(_, accounts) => {
                let account = accounts.iter().find(|account| account.ring() == key.ring);
                account.ok_or(bitcoin::AddressError::WrongAccount).and_then(|its| its.address(key)).map_err(no_address)
            }
            Keys::Evm(..) => self.evm_address(key).map(|address| address.to_string()),
        }
    }

    /// The address of a key of an EVM chain.
    ///
    /// # Errors
    /// When none of the accounts has the key, or the chain is another one.
    pub fn evm_address(&self, key: Key) -> Result<evm::Address, AddressError> {
        let Keys::Evm(_, accounts) = self else { return Err(no_address(evm::AddressError::WrongAccount)) };
        let account = accounts.iter().find(|account| account.ring() == key.ring);
        account.ok_or(evm::AddressError::WrongAccount).and_then(|its| its.address(key)).map_err(no_address)
    }

    /// What a text is as an address to pay to: its normal form, and the bytes of its script.
    ///
    /// # Errors
    /// When it is no address that the chain pays to.
    pub fn checks(&self, text: &str) -> Result<Destination, AddressError> {
        match self {
            Keys::Bitcoin(network, _) => bitcoin::checked(text, *network).map_err(no_address),
            Keys::Evm(..) => {
                let address = evm::destination(text).map_err(no_address)?.to_string();
                Ok(Destination { address, script_bytes: EVM_ADDRESS_BYTES })
            }
        }
    }

    /// That signed bytes are this transaction: its id.
    ///
    /// # Errors
    /// What they are instead, for people.
    pub fn verify(&self, raw: &[u8], planned: &PlannedTransaction) -> Result<TxId, String> {
        match (self, planned) {
            (Keys::Bitcoin(network, accounts), PlannedTransaction::Coins(transaction)) => {
                bitcoin::Unsigned::verify(raw, transaction, accounts, *network).map_err(|error| error.to_string())
            }
            (Keys::Evm(number, accounts), PlannedTransaction::Account(transaction)) => {
                evm::Unsigned::verify(raw, transaction, accounts, *number).map_err(|error| error.to_string())
            }
            (Keys::Bitcoin(..), PlannedTransaction::Account(_)) | (Keys::Evm(..), PlannedTransaction::Coins(_)) => {
                Err("a transaction of a chain of another form".into())
            }
        }
    }
}

/// A contract's address in the settings.
///
/// # Errors
/// When it is none.
pub fn contract(text: &str) -> Result<xng_core::chain::Contract, AddressError> {
    let address = evm::Address::from_str(text).map_err(no_address)?;
    Ok(address.0)
}
