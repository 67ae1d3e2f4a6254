//! Signed messages: whether the key of an address signed a text.
//!
//! Owns: BIP-322 in its simple form. Never does: sign; know what the texts mean. Invariants: an address and a text have one
//! hash that is signed; a signature is taken in one form of its bytes alone. Known limits: P2WPKH addresses, as all ours are.
//! Rules: `docs/custody.md "Statements of reserves"`.

use super::{Network, library};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use library::absolute::LockTime;
use library::hashes::{Hash, HashEngine, sha256};
use library::opcodes::all::{OP_PUSHBYTES_0, OP_RETURN};
use library::script::Builder;
use library::secp256k1::{Message, PublicKey, Secp256k1, VerifyOnly, ecdsa};
use library::sighash::{EcdsaSighashType, SighashCache};
use library::transaction::Version;
use library::{Address, Amount, CompressedPublicKey, OutPoint, ScriptBuf, Sequence, Transaction, TxIn, TxOut};
use library::{AddressType, WPubkeyHash, Witness, consensus};
use std::str::FromStr;
use thiserror::Error;

const TAG: &[u8] = b"BIP0322-signed-message";

/// Why two texts are no address and signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum MessageError {
    /// No address, or one that signs otherwise, or written otherwise than explorers do.
    #[error("not a P2WPKH address as explorers write it")]
    Address,
    /// Not base64 of a witness of a signature and a key, or in another form than the one that is taken.
    #[error("not a simple signature of BIP-322")]
    Signature,
}

/// An address and a signature that may be its key's.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    network: Network,
    hash: WPubkeyHash,
    key: PublicKey,
    signature: ecdsa::Signature,
}

impl Claim {
    /// Of the texts of an address and of a signature (base64).
    ///
    /// # Errors
    /// Both of [`MessageError`].
    pub(crate) fn new(address: &str, signature: &str) -> Result<Self, MessageError> {
        let (network, hash) = p2wpkh(address).ok_or(MessageError::Address)?;
        let (signature, key) = witness(signature).ok_or(MessageError::Signature)?;
        Ok(Claim { network, hash, key, signature })
    }

    pub(crate) fn network(&self) -> Network {
        self.network
    }

    /// As explorers write it.
    pub(crate) fn address(&self) -> String {
        // A script of this form has an address.
        let address = Address::from_script(&ScriptBuf::new_p2wpkh(&self.hash), self.network.to_bitcoin());
        address.map_or_else(|_| String::new(), |address| address.to_string())
    }

    /// Whether the address's key signed `text`.
    pub(crate) fn holds(&self, curve: &Secp256k1<VerifyOnly>, text: &str) -> bool {
        let script = ScriptBuf::new_p2wpkh(&self.hash);
        let to_sign = to_sign(&to_spend(&script, text));
        let hash =
            SighashCache::new(&to_sign).p2wpkh_signature_hash(0, &script, Amount::ZERO, EcdsaSighashType::All).ok();
        // The library takes the lower of a signature's two forms alone, as the standard asks.
        CompressedPublicKey(self.key).wpubkey_hash() == self.hash
            && hash.is_some_and(|hash| {
                let message = Message::from_digest(hash.to_byte_array());
                curve.verify_ecdsa(&message, &self.signature, &self.key).is_ok()
            })
    }
}

fn p2wpkh(text: &str) -> Option<(Network, WPubkeyHash)> {
    let address = Address::from_str(text).ok()?;
    let of = |network: &Network| address.is_valid_for_network(network.to_bitcoin());
    let network = [Network::Main, Network::Test, Network::Regtest].into_iter().find(of)?;
    let address = address.require_network(network.to_bitcoin()).ok()?;
    let written = address.address_type() == Some(AddressType::P2wpkh) && address.to_string() == text;
    let hash = WPubkeyHash::from_slice(address.witness_program()?.program().as_bytes()).ok()?;
    written.then_some((network, hash))
}

/// The signature and the key of a simple signature. One witness has one text here.
fn witness(text: &str) -> Option<(ecdsa::Signature, PublicKey)> {
    let bytes = STANDARD.decode(text).ok()?;
    let witness: Witness = consensus::deserialize(&bytes).ok()?;
    let parts: Vec<&[u8]> = witness.iter().collect();
    let [signature, key] = parts[..] else { return None };
    let signature = library::ecdsa::Signature::from_slice(signature).ok()?;
    let key = CompressedPublicKey::from_slice(key).ok()?.0;
    let all = signature.sighash_type == EcdsaSighashType::All;
    (all && Witness::p2wpkh(&signature, &key) == witness).then_some((signature.signature, key))
}

/// The standard's hash of a text.
fn text_hash(text: &str) -> sha256::Hash {
    let tag = sha256::Hash::hash(TAG);
    let mut engine = sha256::HashEngine::default();
    engine.input(tag.as_byte_array());
    engine.input(tag.as_byte_array());
    engine.input(text.as_bytes());
    sha256::Hash::from_engine(engine)
}

fn virtual_transaction(input: TxIn, script_pubkey: ScriptBuf) -> Transaction {
    let output = TxOut { value: Amount::ZERO, script_pubkey };
    Transaction { version: Version(0), lock_time: LockTime::ZERO, input: vec![input], output: vec![output] }
}

/// The transaction, which no chain can have, whose output stands for address and text.
fn to_spend(script: &ScriptBuf, text: &str) -> Transaction {
    let script_sig =
        Builder::new().push_opcode(OP_PUSHBYTES_0).push_slice(text_hash(text).to_byte_array()).into_script();
    let input =
        TxIn { previous_output: OutPoint::null(), script_sig, sequence: Sequence::ZERO, witness: Witness::new() };
    virtual_transaction(input, script.clone())
}

/// The one that spends that output: what is signed.
fn to_sign(to_spend: &Transaction) -> Transaction {
    let input = TxIn {
        previous_output: OutPoint { txid: to_spend.compute_txid(), vout: 0 },
        script_sig: ScriptBuf::new(),
        sequence: Sequence::ZERO,
        witness: Witness::new(),
    };
    virtual_transaction(input, Builder::new().push_opcode(OP_RETURN).into_script())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::hex;
    use library::secp256k1::SecretKey;

    /// The address of a key, and its signature of a text.
    pub(crate) fn signed(secret: [u8; 32], network: Network, text: &str) -> (String, String) {
        let curve = Secp256k1::new();
        let secret = SecretKey::from_slice(&secret).unwrap();
        let key = secret.public_key(&curve);
        let address = Address::p2wpkh(&CompressedPublicKey(key), network.to_bitcoin());
        let script = address.script_pubkey();
        let to_sign = to_sign(&to_spend(&script, text));
        let sighash_type = EcdsaSighashType::All;
        let hash = SighashCache::new(&to_sign).p2wpkh_signature_hash(0, &script, Amount::ZERO, sighash_type).unwrap();
        let signature = curve.sign_ecdsa(&Message::from_digest(hash.to_byte_array()), &secret);
        let witness = Witness::p2wpkh(&library::ecdsa::Signature { signature, sighash_type }, &key);
        (address.to_string(), STANDARD.encode(consensus::serialize(&witness)))
    }

    const ADDRESS: &str = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l";
    /// A text, the ids of both virtual transactions, the two signatures that the standard shows.
    const VECTORS: [(&str, &str, &str, [&str; 2]); 2] = [
        (
            "",
            "c5680aa69bb8d860bf82d4e9cd3504b55dde018de765a91bb566283c545a99a7",
            "1e9654e951a5ba44c8604c4de6c67fd78a27e81dcadcfe1edf638ba3aaebaed6",
            [
                "AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/Eg\
                 AxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
                "AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfx\
                 IAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy",
            ],
        ),
        (
            "Hello World",
            "b79d196740ad5217771c1098fc4a4b51e0535c32236c71f1ea4d61a2d603352b",
            "88737ae86f2077145f93cc4b153ae9a1cb8d56afa511988c149c5c8c9d93bddf",
            [
                "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/Eg\
                 AxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
                "AkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfx\
                 IAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy",
            ],
        ),
    ];

    fn holds(signature: &str, text: &str) -> Result<bool, MessageError> {
        Claim::new(ADDRESS, signature).map(|claim| claim.holds(&Secp256k1::verification_only(), text))
    }

    #[test]
    fn the_signatures_of_the_standard_hold_for_their_text_alone() {
        let script = Address::from_str(ADDRESS).unwrap().assume_checked().script_pubkey();
        for (text, spend, sign, signatures) in VECTORS {
            let to_spend = to_spend(&script, text);
            assert_eq!(to_spend.compute_txid().to_string(), spend);
            assert_eq!(to_sign(&to_spend).compute_txid().to_string(), sign);
            for signature in signatures {
                assert_eq!(holds(signature, text), Ok(true), "{text}");
                assert_eq!(holds(signature, "Hello World."), Ok(false));
            }
        }
        assert_eq!(text_hash("").to_string(), "c90c269c4f8fcbe6880f72a721ddfbf1914268a794cbb21cfafee13770ae19f1");
    }

    #[test]
    fn a_signature_has_one_form_of_its_bytes() {
        let (text, .., [signature, _]) = VECTORS[1];
        let bytes = STANDARD.decode(signature).unwrap();
        let wrong = |bytes: &[u8]| {
            let text_of = STANDARD.encode(bytes);
            assert_eq!(holds(&text_of, text), Err(MessageError::Signature), "{}", hex::encode(bytes));
        };
        wrong(&[]);
        wrong(&bytes[..bytes.len() - 1]);
        wrong(&[&bytes[..], &[0]].concat());
        let hash_type = 1 + bytes.len() - 35;
        assert_eq!(bytes[hash_type - 1], 1, "all is signed");
        for other in [0, 2, 3, 0x81] {
            wrong(&[&bytes[..hash_type - 1], &[other], &bytes[hash_type..]].concat());
        }
        // One part, or three.
        wrong(&[&[1], &bytes[1..hash_type]].concat());
        wrong(&[&[3], &bytes[1..], &[0]].concat());
        // A number with a zero before it; DER and the witness say one byte more.
        let r = [&[2, 0x48, 0x30, 0x45, 2, 0x21, 0], &bytes[6..]].concat();
        wrong(&r);
        assert_eq!(holds(&signature.replace('=', ""), text), Err(MessageError::Signature), "without its padding");
        assert_eq!(holds(&format!("{signature}\n"), text), Err(MessageError::Signature));
        // The higher form of the signature, which the standard forbids, reads well and does not hold.
        let claim = Claim::new(ADDRESS, signature).unwrap();
        let mut compact = claim.signature.serialize_compact();
        let s = SecretKey::from_slice(&compact[32..]).unwrap().negate();
        compact[32..].copy_from_slice(&s[..]);
        let high = ecdsa::Signature::from_compact(&compact).unwrap();
        let curve = Secp256k1::verification_only();
        assert!(claim.holds(&curve, text));
        assert!(!Claim { signature: high, ..claim }.holds(&curve, text));
    }

    #[test]
    fn an_address_is_p2wpkh_as_explorers_write_it_and_of_one_network() {
        let (.., [signature, _]) = VECTORS[1];
        let of = |address: &str| Claim::new(address, signature).map(|claim| (claim.network(), claim.address()));
        assert_eq!(of(ADDRESS), Ok((Network::Main, ADDRESS.into())));
        for network in [Network::Main, Network::Test, Network::Regtest] {
            let (address, signature) = signed([9; 32], network, "text");
            let claim = Claim::new(&address, &signature).unwrap();
            assert_eq!((claim.network(), claim.address()), (network, address));
            let curve = Secp256k1::verification_only();
            assert!(claim.holds(&curve, "text"));
            let elses = Claim { hash: Claim::new(ADDRESS, &signature).unwrap().hash, ..claim };
            assert!(!elses.holds(&curve, "text"), "another address's key");
        }
        let wrong = [
            "",
            &ADDRESS.to_uppercase(),
            "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0m",
            "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
            "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
        ];
        for address in wrong {
            assert_eq!(of(address), Err(MessageError::Address), "{address}");
        }
    }
}
