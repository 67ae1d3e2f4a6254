//! Addresses: ours from an account's extended public key, those of others as they wrote them.
//!
//! Owns: which script an address means. Never does: see a private key; decide who may be paid.
//! Invariants: our addresses are P2WPKH; an address of another network is refused. Known limits: a pay-to-taproot key that
//! no curve point has is not recognised as lost; nobody can spend it, and its owner wrote it.

use super::{Network, library};
use library::bip32::{ChildNumber, Xpub};
use library::secp256k1::{Secp256k1, VerifyOnly};
use library::{Address, AddressType, CompressedPublicKey, NetworkKind};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use xng_core::chain::Key;

/// Why a text is no address for us, or a key has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Not an address, or its checksum is wrong.
    #[error("not an address")]
    Malformed,
    /// An address of another network.
    #[error("an address of another network")]
    WrongNetwork,
    /// An address of a kind that we do not pay, such as a future witness version.
    #[error("an address of a kind that is not paid")]
    Kind,
    /// Not an extended public key of an account of this network.
    #[error("not an extended public key of an account of this network")]
    NotAnAccount,
    /// The key is of another account.
    #[error("a key of another account")]
    WrongAccount,
    /// There is no such child.
    #[error("no such child of an account")]
    NoChild,
}

/// An account of ours: its extended public key at `84'/coin'/ring'`.
pub struct Account {
    key: Xpub,
    ring: u32,
    network: Network,
    curve: Secp256k1<VerifyOnly>,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("ring", &self.ring).field("network", &self.network).finish_non_exhaustive()
    }
}

impl Account {
    /// Of the text that the signer shows (`xpub…`, `tpub…`).
    ///
    /// # Errors
    /// `NotAnAccount` when the text is not such a key, of another network, or its place is not that of an account.
    pub fn new(xpub: &str, network: Network) -> Result<Self, AddressError> {
        let key = Xpub::from_str(xpub).map_err(|_| AddressError::NotAnAccount)?;
        let kind = NetworkKind::from(network.to_bitcoin());
        let ChildNumber::Hardened { index: ring } = key.child_number else { return Err(AddressError::NotAnAccount) };
        if key.depth != 3 || key.network != kind {
            return Err(AddressError::NotAnAccount);
        }
        Ok(Account { key, ring, network, curve: Secp256k1::verification_only() })
    }

    /// Which of our accounts it is.
    #[must_use]
    pub fn ring(&self) -> u32 {
        self.ring
    }

    /// Of which network.
    #[must_use]
    pub fn network(&self) -> Network {
        self.network
    }

    /// The address of one of its keys.
    ///
    /// # Errors
    /// `WrongAccount`, `NoChild`.
    pub fn address(&self, key: Key) -> Result<String, AddressError> {
        let key = CompressedPublicKey(self.public_key(key)?);
        Ok(Address::p2wpkh(&key, self.network.to_bitcoin()).to_string())
    }

    pub(super) fn public_key(&self, key: Key) -> Result<library::secp256k1::PublicKey, AddressError> {
        if key.ring != self.ring {
            return Err(AddressError::WrongAccount);
        }
        let child = |index| ChildNumber::from_normal_idx(index).map_err(|_| AddressError::NoChild);
        let path = [child(u32::from(key.change))?, child(key.index)?];
        Ok(self.key.derive_pub(&self.curve, &path).map_err(|_| AddressError::NoChild)?.public_key)
    }

    pub(super) fn curve(&self) -> &Secp256k1<VerifyOnly> {
        &self.curve
    }
}

/// A user's destination: the form in which explorers write it (one address may be written in two cases).
///
/// # Errors
/// `Malformed`, `WrongNetwork`, `Kind`.
pub fn destination(text: &str, network: Network) -> Result<String, AddressError> {
    parse(text, network).map(|address| address.to_string())
}

/// A user's destination as a withdrawal needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The form in which explorers write it.
    pub address: String,
    /// Bytes of its script, which the fee depends on.
    pub script_bytes: u32,
}

/// As [`destination`], with what an output to it takes.
///
/// # Errors
/// `Malformed`, `WrongNetwork`, `Kind`.
pub fn checked(text: &str, network: Network) -> Result<Destination, AddressError> {
    let address = parse(text, network)?;
    // The kinds that are paid have at most 34.
    let script_bytes = u32::try_from(address.script_pubkey().len()).map_err(|_| AddressError::Kind)?;
    Ok(Destination { address: address.to_string(), script_bytes })
}

pub(super) fn parse(text: &str, network: Network) -> Result<Address, AddressError> {
    let address = Address::from_str(text).map_err(|_| AddressError::Malformed)?;
    let address = address.require_network(network.to_bitcoin()).map_err(|_| AddressError::WrongNetwork)?;
    use AddressType::{P2pkh, P2sh, P2tr, P2wpkh, P2wsh};
    match address.address_type() {
        Some(P2pkh | P2sh | P2wpkh | P2wsh | P2tr) => Ok(address),
        _ => Err(AddressError::Kind),
    }
}
