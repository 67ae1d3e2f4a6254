//! Keys, addresses and signatures made of the seed.
//!
//! Owns: the seed while the signer runs, paths of keys. Never does: decide; show a private key.
//! Invariants: keys are derived when they are needed and wiped afterwards; signatures follow RFC 6979, so the same
//! transaction always has the same bytes. Known limits: P2WPKH on Bitcoin, EIP-1559 on EVM
//! chains.

use crate::evm;
use crate::seal::{Entropy, SealError, seed_of};
use bitcoin::bip32::{ChildNumber, DerivationPath, Xpriv, Xpub};
use bitcoin::hashes::Hash;
use bitcoin::secp256k1::{All, Message, Secp256k1};
use bitcoin::sighash::{EcdsaSighashType, SighashCache};
use bitcoin::{Amount, CompressedPublicKey, NetworkKind, ScriptBuf, Transaction, Witness, ecdsa};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use zeroize::Zeroizing;

/// Whose coins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Network {
    /// Bitcoin itself.
    Main,
    /// Its public test networks.
    Test,
    /// A private network.
    Regtest,
}

impl Network {
    pub(crate) fn to_bitcoin(self) -> bitcoin::Network {
        match self {
            Network::Main => bitcoin::Network::Bitcoin,
            Network::Test => bitcoin::Network::Testnet,
            Network::Regtest => bitcoin::Network::Regtest,
        }
    }

    /// The coin's hardened number in a path (BIP 44).
    fn coin(self) -> u32 {
        match self {
            Network::Main => 0,
            Network::Test | Network::Regtest => 1,
        }
    }
}

/// A key by its place: child of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    /// The account.
    pub(crate) ring: u32,
    /// For change.
    pub(crate) change: bool,
    /// The child.
    pub(crate) index: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum KeyError {
    #[error("there is no key at this place")]
    NoKey,
    #[error("the transaction cannot be signed")]
    Sign,
}

/// An extended private key that is wiped when it is dropped.
struct Wiped(Xpriv);

impl Drop for Wiped {
    fn drop(&mut self) {
        self.0.private_key.non_secure_erase();
    }
}

/// All keys. No `Debug`: it would print the seed.
pub(crate) struct Keys {
    network: Network,
    seed: Zeroizing<[u8; 64]>,
    curve: Secp256k1<All>,
}

impl Keys {
    pub(crate) fn new(network: Network, entropy: &Entropy) -> Result<Self, SealError> {
        let mut curve = Secp256k1::new();
        // Against measuring the time of signatures; what is signed does not depend on it.
        let mut blinding = Zeroizing::new([0; 32]);
        getrandom::fill(blinding.as_mut()).map_err(|_| SealError::Randomness)?;
        curve.seeded_randomize(&blinding);
        Ok(Keys { network, seed: seed_of(entropy)?, curve })
    }

    pub(crate) fn network(&self) -> Network {
        self.network
    }

    /// An account's path, for a person.
    pub(crate) fn path(&self, ring: u32) -> String {
        format!("m/84'/{}'/{ring}'", self.network.coin())
    }

    /// An account's path on EVM chains, for a person. It is the same on all of them, test chains too.
    pub(crate) fn evm_path(ring: u32) -> String {
        format!("m/44'/60'/{ring}'")
    }

    fn account(&self, ring: u32) -> Result<Wiped, KeyError> {
        self.derived(self.network.to_bitcoin().into(), [84, self.network.coin(), ring])
    }

    fn evm_account(&self, ring: u32) -> Result<Wiped, KeyError> {
        self.derived(NetworkKind::Main, [44, 60, ring])
    }

    /// The account at three hardened places.
    fn derived(&self, kind: NetworkKind, [purpose, coin, ring]: [u32; 3]) -> Result<Wiped, KeyError> {
        let hardened = |n| ChildNumber::from_hardened_idx(n).map_err(|_| KeyError::NoKey);
        let path = DerivationPath::from(vec![hardened(purpose)?, hardened(coin)?, hardened(ring)?]);
        let master = Xpriv::new_master(kind, self.seed.as_ref()).map_err(|_| KeyError::NoKey)?;
        let master = Wiped(master);
        master.0.derive_priv(&self.curve, &path).map(Wiped).map_err(|_| KeyError::NoKey)
    }

    fn private(&self, key: Key) -> Result<Wiped, KeyError> {
        self.child(self.account(key.ring)?, key)
    }

    fn evm_private(&self, key: Key) -> Result<Wiped, KeyError> {
        self.child(self.evm_account(key.ring)?, key)
    }

    fn child(&self, account: Wiped, key: Key) -> Result<Wiped, KeyError> {
        let child = |n| ChildNumber::from_normal_idx(n).map_err(|_| KeyError::NoKey);
        let path = [child(u32::from(key.change))?, child(key.index)?];
        account.0.derive_priv(&self.curve, &path).map(Wiped).map_err(|_| KeyError::NoKey)
    }

    /// As [`Keys::xpub`], of an account of EVM chains.
    pub(crate) fn evm_xpub(&self, ring: u32) -> Result<String, KeyError> {
        Ok(Xpub::from_priv(&self.curve, &self.evm_account(ring)?.0).to_string())
    }

    /// The address of a key on EVM chains.
    pub(crate) fn evm_address(&self, key: Key) -> Result<evm::Address, KeyError> {
        Ok(evm::of_public(&self.evm_private(key)?.0.private_key.public_key(&self.curve)))
    }

    /// A signature of this hash, in the lower of its forms: its two numbers, and whether its point is odd.
    pub(crate) fn evm_sign(&self, key: Key, hash: [u8; 32]) -> Result<([u8; 64], bool), KeyError> {
        let private = self.evm_private(key)?;
        let message = Message::from_digest(hash);
        let signature = self.curve.sign_ecdsa_recoverable(&message, &private.0.private_key);
        match signature.serialize_compact() {
            (id, compact) if id.to_i32() < 2 => Ok((compact, id.to_i32() == 1)),
            // One of 2^127, which these chains cannot express.
            _ => Err(KeyError::Sign),
        }
    }

    /// The extended public key of an account: whoever has it sees all its addresses and can spend nothing.
    pub(crate) fn xpub(&self, ring: u32) -> Result<String, KeyError> {
        Ok(Xpub::from_priv(&self.curve, &self.account(ring)?.0).to_string())
    }

    /// The script that pays a key.
    pub(crate) fn script(&self, key: Key) -> Result<ScriptBuf, KeyError> {
        let public = self.private(key)?.0.private_key.public_key(&self.curve);
        Ok(ScriptBuf::new_p2wpkh(&CompressedPublicKey(public).wpubkey_hash()))
    }

    /// Signs every input; `keys` are theirs, with what they hold.
    pub(crate) fn sign(&self, mut unsigned: Transaction, keys: &[(Key, Amount)]) -> Result<Transaction, KeyError> {
        let mut witnesses = Vec::with_capacity(keys.len());
        let mut hashes = SighashCache::new(&unsigned);
        for (n, (key, held)) in keys.iter().enumerate() {
            witnesses.push(self.witness(&mut hashes, n, &self.private(*key)?, *held)?);
        }
        for (input, witness) in unsigned.input.iter_mut().zip(witnesses) {
            input.witness = witness;
        }
        Ok(unsigned)
    }

    /// Signs input `n`, which holds `held`.
    fn witness(
        &self,
        hashes: &mut SighashCache<&Transaction>,
        n: usize,
        private: &Wiped,
        held: Amount,
    ) -> Result<Witness, KeyError> {
        let sighash_type = EcdsaSighashType::All;
        let public = private.0.private_key.public_key(&self.curve);
        let script = ScriptBuf::new_p2wpkh(&CompressedPublicKey(public).wpubkey_hash());
        let hash = hashes.p2wpkh_signature_hash(n, &script, held, sighash_type).map_err(|_| KeyError::Sign)?;
        let message = Message::from_digest(hash.to_byte_array());
        // The shorter form: its search for it is deterministic, too.
        let signature = self.curve.sign_ecdsa_low_r(&message, &private.0.private_key);
        Ok(Witness::p2wpkh(&ecdsa::Signature { signature, sighash_type }, &public))
    }

    /// As [`Keys::sign`] of a transaction with one input that holds nothing, by a key that comes from elsewhere.
    #[cfg(test)]
    pub(crate) fn sign_with(&self, of: &Transaction, private: bitcoin::secp256k1::SecretKey) -> Witness {
        let mut key = Xpriv::new_master(NetworkKind::Main, &[0; 32]).unwrap();
        key.private_key = private;
        self.witness(&mut SighashCache::new(of), 0, &Wiped(key), Amount::ZERO).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::entropy_of;
    use bitcoin::Address;

    /// The vectors of BIP 84.
    #[test]
    fn addresses_are_those_of_the_standard() {
        let words = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
        let keys = Keys::new(Network::Main, &entropy_of(words).unwrap()).unwrap();
        let address = |change, index| {
            let script = keys.script(Key { ring: 0, change, index }).unwrap();
            Address::from_script(&script, bitcoin::Network::Bitcoin).unwrap().to_string()
        };
        assert_eq!(keys.path(0), "m/84'/0'/0'");
        assert_eq!(address(false, 0), "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
        assert_eq!(address(false, 1), "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g");
        assert_eq!(address(true, 0), "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
        assert_eq!(keys.script(Key { ring: 1 << 31, change: false, index: 0 }), Err(KeyError::NoKey));
        assert_eq!(keys.script(Key { ring: 0, change: false, index: 1 << 31 }), Err(KeyError::NoKey));
    }
}
