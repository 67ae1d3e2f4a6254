//! Addresses: ours from an account's extended public key, those of others as they wrote them.
//!
//! Owns: the text of an address and its checksum (EIP-55). Never does: see a private key; decide who may be paid.
//! Invariants: a text with a wrong checksum is refused, and so is the address of zeros, whose coins are lost.
//! Known limits: a text of one case has no checksum; who wrote it wrongly is not told.

use super::{address_of, library};
use crate::hex;
use alloy_primitives::keccak256;
use library::bip32::{ChildNumber, Xpub};
use library::secp256k1::{Secp256k1, VerifyOnly};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use xng_core::chain::Key;

/// An address of an EVM chain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub [u8; 20]);

/// With its checksum.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = hex::encode(&self.0);
        let hash = hex::encode(&keccak256(digits.as_bytes())[..20]);
        f.write_str("0x")?;
        digits.chars().zip(hash.chars()).try_for_each(|(digit, by)| {
            fmt::Write::write_char(f, if by >= '8' { digit.to_ascii_uppercase() } else { digit })
        })
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a text is no address for us, or a key has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Not `0x` and 40 digits.
    #[error("not an address")]
    Malformed,
    /// Upper and lower case are mixed otherwise than the checksum asks for.
    #[error("an address with a wrong checksum")]
    Checksum,
    /// The address of zeros.
    #[error("the address of zeros, which nobody has")]
    Zero,
    /// Not an extended public key of an account.
    #[error("not an extended public key of an account")]
    NotAnAccount,
    /// The key is of another account.
    #[error("a key of another account")]
    WrongAccount,
    /// There is no such child.
    #[error("no such child of an account")]
    NoChild,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let digits = text.strip_prefix("0x").ok_or(AddressError::Malformed)?;
        let bytes = hex::decode(digits).and_then(|bytes| bytes.try_into().ok()).ok_or(AddressError::Malformed)?;
        let address = Address(bytes);
        let mixed =
            digits.contains(|c: char| c.is_ascii_uppercase()) && digits.contains(|c: char| c.is_ascii_lowercase());
        if mixed && address.to_string() != text { Err(AddressError::Checksum) } else { Ok(address) }
    }
}

/// A user's destination, or a token's contract. Its text in the form in which explorers write it is its `Display`.
///
/// # Errors
/// `Malformed`, `Checksum`, `Zero`.
pub fn destination(text: &str) -> Result<Address, AddressError> {
    let address = Address::from_str(text)?;
    if address.0 == [0; 20] { Err(AddressError::Zero) } else { Ok(address) }
}

/// An account of ours: its extended public key at `44'/60'/ring'`. The same on every EVM chain.
pub struct Account {
    key: Xpub,
    ring: u32,
    curve: Secp256k1<VerifyOnly>,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("ring", &self.ring).finish_non_exhaustive()
    }
}

impl Account {
    /// Of the text that the signer shows (`xpub…`).
    ///
    /// # Errors
    /// `NotAnAccount` when the text is not such a key, or its place is not that of an account.
    pub fn new(xpub: &str) -> Result<Self, AddressError> {
        let key = Xpub::from_str(xpub).map_err(|_| AddressError::NotAnAccount)?;
        match (key.depth, key.child_number) {
            (3, ChildNumber::Hardened { index: ring }) => {
                Ok(Account { key, ring, curve: Secp256k1::verification_only() })
            }
            _ => Err(AddressError::NotAnAccount),
        }
    }

    /// Its number in the path.
    #[must_use]
    pub fn ring(&self) -> u32 {
        self.ring
    }

    /// The address of one of its keys.
    ///
    /// # Errors
    /// `WrongAccount`, `NoChild`.
    pub fn address(&self, key: Key) -> Result<Address, AddressError> {
        if key.ring != self.ring {
            return Err(AddressError::WrongAccount);
        }
        let child = |index| ChildNumber::from_normal_idx(index).map_err(|_| AddressError::NoChild);
        let path = [child(u32::from(key.change))?, child(key.index)?];
        let key = self.key.derive_pub(&self.curve, &path).map_err(|_| AddressError::NoChild)?;
        Ok(address_of(&key.public_key))
    }

    pub(super) fn curve(&self) -> &Secp256k1<VerifyOnly> {
        &self.curve
    }
}
