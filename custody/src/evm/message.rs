//! Signed messages: whether the key of an address signed a text.
//!
//! Owns: EIP-191 in its form for persons' texts. Never does: sign; know what the texts mean. Invariants: a text has one hash
//! that is signed; a signature is taken in one form of its bytes alone. Known limits: addresses of keys, not of contracts.
//! Rules: `docs/custody.md "Statements of reserves"`.

use super::{Address, library, signer_of};
use crate::hex;
use alloy_primitives::{B256, Signature, U256, keccak256};
use library::secp256k1::{Secp256k1, VerifyOnly};
use std::str::FromStr;
use thiserror::Error;

/// Why two texts are no address and signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum MessageError {
    /// No address, or written without its checksum or with a wrong one.
    #[error("not an address with its checksum")]
    Address,
    /// Not 65 bytes in lower-case hex digits after `0x`, `v` not 27 or 28, or `s` the higher of its two values.
    #[error("not a signature of EIP-191")]
    Signature,
}

/// An address and a signature that may be its key's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    address: Address,
    /// `r` and `s`.
    signature: [u8; 64],
    odd: bool,
}

impl Claim {
    /// Of the texts of an address and of a signature.
    ///
    /// # Errors
    /// Both of [`MessageError`].
    pub(crate) fn new(address: &str, signature: &str) -> Result<Self, MessageError> {
        let read = Address::from_str(address).ok();
        let address = read.filter(|read| read.to_string() == address).ok_or(MessageError::Address)?;
        let bytes = signature.strip_prefix("0x").and_then(hex::decode).ok_or(MessageError::Signature)?;
        let (numbers, v) = bytes.split_first_chunk::<64>().ok_or(MessageError::Signature)?;
        let odd = match v {
            [27] => false,
            [28] => true,
            _ => return Err(MessageError::Signature),
        };
        let claim = Claim { address, signature: *numbers, odd };
        let plain = format!("0x{}", hex::encode(&bytes)) == signature;
        let low = claim.signature().normalize_s().is_none();
        if plain && low { Ok(claim) } else { Err(MessageError::Signature) }
    }

    /// With its checksum.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    fn signature(&self) -> Signature {
        let number = |bytes: &[u8]| U256::from_be_slice(bytes);
        Signature::new(number(&self.signature[..32]), number(&self.signature[32..]), self.odd)
    }

    /// Whether the address's key signed `text`.
    pub(crate) fn holds(&self, curve: &Secp256k1<VerifyOnly>, text: &str) -> bool {
        signer_of(curve, text_hash(text), &self.signature()) == Some(self.address)
    }
}

/// The standard's hash of a text.
fn text_hash(text: &str) -> B256 {
    keccak256(format!("\x19Ethereum Signed Message:\n{}{text}", text.len()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::address_of;
    use super::*;
    use library::secp256k1::{Message, SecretKey};

    /// The address of a key, and its signature of a text.
    pub(crate) fn signed(secret: [u8; 32], text: &str) -> (String, String) {
        let curve = Secp256k1::new();
        let secret = SecretKey::from_slice(&secret).unwrap();
        let (id, numbers) =
            curve.sign_ecdsa_recoverable(&Message::from_digest(text_hash(text).0), &secret).serialize_compact();
        let v = u8::try_from(27 + id.to_i32()).unwrap();
        (address_of(&secret.public_key(&curve)).to_string(), format!("0x{}{v:02x}", hex::encode(&numbers)))
    }

    const SECRET: &str = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
    const ADDRESS: &str = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23";
    const TEXT: &str = "Some data";
    const NUMBERS: &str = "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd\
                           6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a029";

    fn holds(address: &str, signature: &str, text: &str) -> Result<bool, MessageError> {
        Claim::new(address, signature).map(|claim| claim.holds(&Secp256k1::verification_only(), text))
    }

    /// The example of web3.js.
    #[test]
    fn a_known_signature_holds_for_its_text_and_address_alone() {
        let signature = format!("0x{NUMBERS}1c");
        assert_eq!(signed(hex::hash(SECRET).unwrap(), TEXT), (ADDRESS.into(), signature.clone()));
        assert_eq!(hex::encode(&text_hash(TEXT).0), "1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655");
        assert_eq!(holds(ADDRESS, &signature, TEXT), Ok(true));
        assert_eq!(holds(ADDRESS, &signature, "Some date"), Ok(false));
        assert_eq!(holds(ADDRESS, &format!("0x{NUMBERS}1b"), TEXT), Ok(false), "the other point");
        assert_eq!(holds("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", &signature, TEXT), Ok(false));
        assert_eq!(holds(ADDRESS, &format!("0x{}1b", "0".repeat(128)), TEXT), Ok(false), "of no point");
    }

    #[test]
    fn addresses_and_signatures_have_one_form() {
        let good = format!("0x{NUMBERS}1c");
        for address in ["", &ADDRESS[2..], &ADDRESS.to_lowercase(), "0x2C7536E3605D9C16a7a3D7b1898e529396a65c23"] {
            assert_eq!(holds(address, &good, TEXT), Err(MessageError::Address), "{address}");
        }
        // The higher second number, with the other point.
        let n = SecretKey::from_slice(&hex::decode(&NUMBERS[64..]).unwrap()).unwrap().negate();
        let high = format!("0x{}{}1b", &NUMBERS[..64], hex::encode(&n[..]));
        let wrong = [
            String::new(),
            NUMBERS.to_owned() + "1c",
            format!("0x{NUMBERS}"),
            format!("0x{NUMBERS}00"),
            format!("0x{NUMBERS}1d"),
            format!("0x{NUMBERS}1c1c"),
            format!("0x{}1c", NUMBERS.to_uppercase()),
            high,
        ];
        for signature in wrong {
            assert_eq!(holds(ADDRESS, &signature, TEXT), Err(MessageError::Signature), "{signature}");
        }
    }
}
